/* graph_suite.c: see graph_suite.h. */
#include "tests/support/graph_suite.h"
#include "runtime/eager/eager.h"
#include <criterion/criterion.h>
#include <math.h>

Arena arena;
static uint64_t random_state = 88172645463325252u;

void open_arena(void) { arena_open(&arena); }
void close_arena(void) { arena_free(&arena); }

uint32_t random_below(uint32_t n)
{
    random_state ^= random_state << 13, random_state ^= random_state >> 7, random_state ^= random_state << 17;
    return (uint32_t)(random_state >> 33) % n;
}

void *room(Type t) { return arena_alloc(&arena, bytes_of(t) + 16); }

void *random_array(Type t)
{
    static const double special[] = { 0.0, -0.0, INFINITY, -INFINITY, NAN, 1e30, -1e-40, 127, 300 };
    void *p = room(t);
    for (int64_t i = 0; i < type_count(t); i++)
        put(t, p, i, random_below(8) == 0 ? special[random_below(9)] : (int)random_below(2001) / 200.0 - 5);
    char *ints = dtype_is_int((DType)t.dtype) && random_below(2) ? p : NULL; /* of any bits */
    for (int64_t i = 0; ints && i < type_count(t) * (int64_t)dtype_bytes((DType)t.dtype); i++)
        ints[i] = (char)random_below(256);
    return p;
}

void **outputs_of(const Graph *g)
{
    void **out = arena_alloc(&arena, (g->n_outputs + 1) * sizeof *out);
    for (uint32_t i = 0; i < g->n_outputs; i++) out[i] = room(graph_type(g, g->outputs[i]));
    return out;
}

void eager_run(const Graph *g, const void *const *in, void *const *out)
{
    Failure f = { 0 };
    cr_assert(eager_graph(g, in, out, &heap, &f), "%s", f.text);
}
