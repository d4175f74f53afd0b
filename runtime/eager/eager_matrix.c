/* eager_matrix.c: factorizations: the library's, which compiled code calls as well. */
#include "compiler/graph/matrix/matrix_call.h"
#include "eager.h"
#include "runtime/library/library.h"

bool eager_matrix(const EagerCall *c)
{
    int64_t numbers[MATRIX_NUMBERS];
    void *buffers[8];
    uint32_t n_in = c->spec->n_args, n_out = (uint32_t)matrix_results(c->spec->op, c->spec->attr);
    matrix_numbers(c->spec->op, c->spec->attr, c->spec->n_attr, c->arg_types, numbers);
    size_t bytes = (size_t)matrix_scratch_bytes(numbers);
    char *scratch = eager_take(c->allocator, bytes, c->failure);
    if (!scratch) return false;
    for (uint32_t i = 0; i < n_in; i++) buffers[i] = (void *)(uintptr_t)c->args[i];
    for (uint32_t i = 0; i < n_out; i++) buffers[n_in + i] = c->outs[i];
    buffers[n_in + n_out] = scratch;
    library_functions[LIBRARY_MATRIX](buffers, numbers, NULL);
    eager_drop(c->allocator, scratch, bytes);
    return true;
}
