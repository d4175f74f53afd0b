/* library.c: see library.h. */
#include "library.h"
#include <string.h>
#include "compiler/graph/foreign_op.h"
#include "lapack.h"
#include "library_matrix.h"
#include "runtime/library/sorts/library_sort.h"

/* Calls a function of the user's. numbers: how many of the buffers are operands, then the node's
 * attributes. */
static void call_foreign(void *const *buffers, const int64_t *numbers, const Workers *workers)
{
    (void)workers;
    const ForeignOp *op = foreign_op(numbers + 1);
    op->call(op, numbers + FOREIGN_NUMBERS, (const void *const *)buffers, buffers + numbers[0]);
}

LibraryFn *const library_functions[LIBRARY_COUNT] = {
    [LIBRARY_SORT] = library_sort,
    [LIBRARY_MATRIX] = library_matrix,
    [LIBRARY_LAPACK] = library_lapack,
    [LIBRARY_FOREIGN] = call_foreign,
};

size_t library_stack(const Program *p)
{
    size_t sort = p->library >> LIBRARY_SORT & 1 ? 48 << 10 : 0,
           matrix = p->library >> LIBRARY_MATRIX & 1 ? 32 << 10 : 0,
           lapack = p->library >> LIBRARY_LAPACK & 1 ? lapack_stack() : 0,
           own = sort > matrix ? sort : matrix;
    return lapack > own ? lapack : own;
}

uint32_t library_addresses(const Program *p, const void **to)
{
    uint32_t n = 0;
    if (p->library >> LIBRARY_LAPACK & 1) lapack_open();
    for (int f = 0; f < LIBRARY_COUNT; f++)
        if (p->library >> f & 1) memcpy(&to[n++], &library_functions[f], sizeof *to);
    return n;
}
