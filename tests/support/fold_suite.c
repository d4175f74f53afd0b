/* fold_suite.c: see fold_suite.h. */
#include "tests/support/fold_suite.h"
#include "compiler/text/text.h"
#include "runtime/eager/eager.h"
#include "tests/support/graph_support.h"
#include "tests/graphs/graphs.h"
#include <criterion/criterion.h>
#include <math.h>

static uint32_t rng_state = 1;

void rng_seed(uint32_t seed) { rng_state = seed; }

uint32_t rng(uint32_t n)
{
    rng_state = rng_state * 1664525u + 1013904223u;
    return (rng_state >> 8) % n;
}

Ref fold_node(Graph *g, bool rules, NodeSpec s) { return rules ? graph_add(g, &s) : graph_add_raw(g, &s); }

void fill_data(Type t, void *data, uint32_t shift, bool plain)
{
    static const double specials[] = { 0.0,    -0.0,  1,   -1,   2,   -2,       0.5,       3,   -3.5, 1e30,
                                       -1e-30, 65504, 127, -128, 255, INFINITY, -INFINITY, NAN, 7,    1e-8 };
    Type part = { (uint8_t)dtype_part((DType)t.dtype), t.rank, t.dim };
    for (int64_t i = 0; i < type_count(t) * (1 + dtype_is_complex((DType)t.dtype)); i++)
        put(part, data, i,
            plain ? (double)((i * 29 + 7) % 31 - 15) / 7
                  : specials[((uint64_t)i * (1 + shift) + shift) % (sizeof specials / sizeof *specials)]);
}

static void expect_same_on(Arena *a, const Graph *slow, const Graph *fast, const char *what, bool plain)
{
    Failure f = { 0 };
    Values in = values_of_params(slow), x = values_of_outputs(slow), y = values_of_outputs(fast);
    const void *const *at = (const void *const *)in.at;
    Type t = x.type[0], u = y.type[0];
    cr_assert(t.dtype == u.dtype && t.rank == u.rank && type_count(t) == type_count(u), "%s: types differ",
              what);
    for (uint32_t i = 0; i < in.n; i++) fill_data(in.type[i], in.at[i], i, plain);
    cr_assert(eager_graph(slow, at, x.at, &heap, &f) && eager_graph(fast, at, y.at, &heap, &f), "%s", f.text);
    int64_t i = differs_at(t, x.at[0], y.at[0]);
    cr_assert(i < 0, "%s: element %lld is %g, without rules %g\n%s\n%s", what, (long long)i,
              get(t, y.at[0], i), get(t, x.at[0], i), graph_print(a, slow, NULL), graph_print(a, fast, NULL));
    values_free(&in), values_free(&x), values_free(&y);
}

void expect_same(Arena *a, const Graph *slow, const Graph *fast, const char *what)
{
    expect_same_on(a, slow, fast, what, false);
    expect_same_on(a, slow, fast, what, true);
}
