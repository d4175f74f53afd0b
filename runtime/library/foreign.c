/* foreign.c: see foreign.h. */
#include "foreign.h"
#include "compiler/graph/foreign.h"
#include "compiler/fuse/program.h"

void library_foreign(void *const *buffers, const int64_t *numbers)
{
    const ForeignOp *op = foreign_op(numbers + 1);
    op->call(op, numbers + FOREIGN_NUMBERS, (const void *const *)buffers, buffers + numbers[0]);
}
