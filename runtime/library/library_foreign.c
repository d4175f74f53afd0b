/* library_foreign.c: see library_foreign.h. */
#include "library_foreign.h"
#include "compiler/graph/foreign_op.h"
#include "compiler/program/program.h"

void library_foreign(void *const *buffers, const int64_t *numbers)
{
    const ForeignOp *op = foreign_op(numbers + 1);
    op->call(op, numbers + FOREIGN_NUMBERS, (const void *const *)buffers, buffers + numbers[0]);
}
