/* test_control.c: control flow as transforms: each against a C loop over plain calls, run op by op, compiled,
 * and under vmap; batches in pieces, and how often their bodies run; and what a user can get wrong. */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include "tests/support/context_suite.h"

typedef struct {
    weft_array *a, *b;
} pair;
typedef struct {
    pair p[2];
    int order;
    weft_array *memo;
} state;
typedef struct {
    weft_array **v;
    int n;
} list;
WEFT_STRUCT(pair, WEFT_ARRAY(pair, a), WEFT_ARRAY(pair, b));
WEFT_STRUCT(state, WEFT_TREE(state, p, pair), WEFT_STATIC(state, order), WEFT_LAZY(state, memo));
WEFT_STRUCT(list, WEFT_ARRAYS(list, v, n));

WEFT_SIGNATURE(ternary, weft_array *, (weft_array * x, weft_array *y, weft_array *z));
WEFT_SIGNATURE(with_out, weft_array *, (weft_array * h, weft_array *x, WEFT_OUT weft_array **y));
WEFT_SIGNATURE(state_fn, weft_array *, (weft_array * k, state *s, weft_array *x));
WEFT_SIGNATURE(state_test, weft_array *, (weft_array * k, const state *s, weft_array *x));
WEFT_SIGNATURE(pair_fn, void, (const pair *x, WEFT_OUT pair *y));
WEFT_SIGNATURE(pair_step, void, (pair * x));
WEFT_SIGNATURE(pair_test, weft_array *, (const pair *x));
WEFT_SIGNATURE(pair_binary, void, (const pair *x, const pair *y, WEFT_OUT pair *z));
WEFT_SIGNATURE(pair_choice, void, (weft_array * p, const pair *x, WEFT_OUT pair *y));
WEFT_SIGNATURE(list_step, weft_array *, (list * l, weft_array *x));

static weft_array *step(weft_array *h, weft_array *x) { return weft_add(weft_mul(h, 0.5), x); }
static weft_array *emit(weft_array *h, weft_array *x, weft_array **y)
{
    *y = weft_mul(h, x);
    return weft_add(weft_mul(h, 0.5), x);
}
static weft_array *advance(weft_array *k, state *s, weft_array *x)
{
    weft_array *y = weft_add(weft_mul(k, x), s->p[0].a);
    s->p[0].a = weft_add(s->p[0].b, x);
    s->p[0].b = weft_mul(y, s->order);
    s->p[1].a = weft_add(s->p[1].a, 1);
    s->memo = y;
    return weft_sub(y, s->p[1].b);
}
static weft_array *below(weft_array *x, weft_array *limit) { return weft_lt(x, limit); }
static weft_array *twice(weft_array *x, weft_array *limit)
{
    (void)limit;
    return weft_mul(x, 2);
}
static weft_array *add_index(weft_array *i, weft_array *end, weft_array *x)
{
    (void)end;
    return weft_add(x, weft_astype(i, WEFT_F32));
}
static weft_array *count_up(weft_array *i, weft_array *x)
{
    return weft_add(weft_mul(x, 2), weft_astype(i, WEFT_F32));
}
static weft_array *half(weft_array *x) { return weft_mul(x, 0.5); }
static weft_array *plus_one(weft_array *p, weft_array *x)
{
    (void)p;
    return weft_add(x, 1);
}
static weft_array *times_ten(weft_array *p, weft_array *x)
{
    (void)p;
    return weft_mul(x, 10);
}
static weft_array *negated(weft_array *p, weft_array *x)
{
    (void)p;
    return weft_neg(x);
}
static weft_array *norm2(weft_array *x) { return weft_sum(weft_mul(x, x)); }
static weft_array *plus(weft_array *a, weft_array *b) { return weft_add(a, b); }
/* The recurrence h = a h + b, as an associative function of (a, b). */
static void compose(const pair *x, const pair *y, pair *z)
{
    z->a = weft_mul(x->a, y->a);
    z->b = weft_add(weft_mul(y->a, x->b), y->b);
}
static void spread(const pair *x, pair *y)
{
    y->a = weft_mul(weft_expand_dims(x->a, -1), weft_ones(NULL, WEFT_F32, 4));
    y->b = weft_logical_not(x->b);
}

static void setup(void)
{
    open_context();
    weft_describe(ctx, state);
    weft_describe(ctx, list);
    weft_declare(ctx, step, weft_binary);
    weft_declare(ctx, emit, with_out);
    weft_declare(ctx, advance, state_fn);
    weft_declare(ctx, below, weft_binary);
    weft_declare(ctx, twice, weft_binary);
    weft_declare(ctx, add_index, ternary);
    weft_declare(ctx, count_up, weft_binary);
    weft_declare(ctx, half, weft_unary);
    weft_declare(ctx, plus_one, weft_binary);
    weft_declare(ctx, times_ten, weft_binary);
    weft_declare(ctx, negated, weft_binary);
    weft_declare(ctx, norm2, weft_unary);
    weft_declare(ctx, plus, weft_binary);
    weft_declare(ctx, compose, pair_binary);
    weft_declare(ctx, spread, pair_fn);
}

TestSuite(control, .init = setup, .fini = close_context_without_error);

#define CLOSE(a, b, what) expect_close(__LINE__, what, (a), (b), 1e-5)

static weft_array *ramp(int64_t n)
{
    return n ? weft_linspace(ctx, 1, (double)n, n) : weft_zeros(ctx, WEFT_F32, 0);
}
static weft_array *integer(int64_t v) { return weft_scalar_as(ctx, WEFT_I32, (double)v); }

/* ---- scan ---- */

Test(control, scan_is_a_loop)
{
    weft_array *x = ramp(7), *want[7], *h = number(1), *y;
    for (int t = 0; t < 7; t++) h = emit(h, weft_at(x, "%d", t), &want[t]);
    BOTH
    {
        weft_array *last = MAYBE_JIT(weft_scan(ctx, emit, "carry, 0"))(number(1), x, &y);
        CLOSE(last, h, "carry");
        CLOSE(y, weft_stack_arrays(0, want[0], want[1], want[2], want[3], want[4], want[5], want[6]),
              "results");
    }
}

Test(control, scan_reversed_is_a_loop_from_the_end)
{
    weft_array *x = ramp(5), *y, *z;
    BOTH
    {
        weft_array *last = MAYBE_JIT(weft_scan(ctx, emit, "carry, 0", .reverse = true))(number(1), x, &y);
        weft_array *same = weft_scan(ctx, emit, "carry, 0")(number(1), weft_flip(x), &z);
        CLOSE(last, same, "carry");
        CLOSE(y, weft_flip(z), "results stay in their places");
    }
}

Test(control, scan_along_other_axes)
{
    weft_array *x = weft_reshape(ramp(12), 3, 4), *y, *z;
    BOTH
    {
        weft_array *last =
            MAYBE_JIT(weft_scan(ctx, emit, "carry, 1 -> none, 1"))(weft_ones(ctx, WEFT_F32, 3), x, &y);
        weft_array *same =
            weft_scan(ctx, emit, "carry, 0")(weft_ones(ctx, WEFT_F32, 3), weft_transpose(x), &z);
        CLOSE(last, same, "carry");
        CLOSE(y, weft_transpose(z), "results along axis 1");
        CLOSE(weft_scan(ctx, emit, "carry, -1 -> none, -1")(weft_ones(ctx, WEFT_F32, 3), x, &y), same,
              "negative");
    }
}

static state new_state(void)
{
    return (state){ .p = { { number(1), number(2) }, { number(3), number(4) } }, .order = 3, .memo = NULL };
}

Test(control, scan_carries_structs)
{
    weft_array *x = ramp(6), *want[6], *k = number(0.5);
    state s = new_state(), looped = new_state();
    for (int t = 0; t < 6; t++) want[t] = advance(k, &looped, weft_take(x, integer(t), 0));
    weft_array *all = weft_stack_arrays(0, want[0], want[1], want[2], want[3], want[4], want[5]);
    BOTH
    {
        s = new_state();
        s.memo = compiled ? number(9) : NULL; /* what was filled in before plays no part */
        weft_array *y = MAYBE_JIT(weft_scan(ctx, advance, "none, carry, 0"))(k, &s, x);
        CLOSE(y, all, "results");
        CLOSE(s.p[0].a, looped.p[0].a, "s.p[0].a");
        CLOSE(s.p[0].b, looped.p[0].b, "s.p[0].b");
        CLOSE(s.p[1].a, looped.p[1].a, "s.p[1].a");
        CLOSE(s.p[1].b, number(4), "s.p[1].b");
        cr_expect_null(s.memo, "a lazy field is never stale");
    }
}

Test(control, scan_of_nothing_and_by_length)
{
    weft_array *y;
    BOTH
    {
        CLOSE(MAYBE_JIT(weft_scan(ctx, emit, "carry, 0"))(number(3), ramp(0), &y), number(3),
              "no steps: the start");
        CLOSE(y, ramp(0), "no steps: empty results");
        CLOSE(MAYBE_JIT(weft_scan(ctx, half, "carry", .length = 4))(number(16)), number(1), "four steps");
        CLOSE(MAYBE_JIT(weft_scan(ctx, half, "carry", .length = 9, .unroll = 4))(number(512)), number(1),
              "unrolled");
    }
}

Test(control, scan_under_vmap_batches_what_depends_on_the_batch)
{
    weft_array *x = weft_reshape(ramp(15), 3, 5), *y, *z, *rows[3];
    for (int k = 0; k < 3; k++) {
        weft_scan(ctx, emit, "carry, 0")(number(1), weft_take(x, integer(k), 0), &rows[k]);
    }
    BOTH
    {
        with_out *f = MAYBE_JIT(weft_vmap(ctx, weft_scan(ctx, emit, "carry, 0"), "none, 0"));
        f(number(1), x, &y);
        CLOSE(y, weft_stack_arrays(0, rows[0], rows[1], rows[2]), "mapped slices");
        f = MAYBE_JIT(weft_vmap(ctx, weft_scan(ctx, emit, "carry, 0"), "0, none"));
        f(weft_ones(ctx, WEFT_F32, 2), weft_take(x, integer(1), 0), &z);
        CLOSE(z, weft_stack_arrays(0, rows[1], rows[1]), "mapped carries");
    }
}

/* ---- while and fori ---- */

Test(control, while_runs_while)
{
    BOTH
    {
        weft_binary *f = MAYBE_JIT(weft_while(ctx, below, twice, "carry, none"));
        CLOSE(f(number(3), number(100)), number(192), "until 100");
        CLOSE(f(number(300), number(100)), number(300), "not at all");
        weft_binary *all = MAYBE_JIT(weft_vmap(ctx, weft_while(ctx, below, twice, "carry, none"), "0, none"));
        float want[9] = { 128, 128, 192, 128, 160, 192, 112, 128, 144 };
        CLOSE(all(ramp(9), number(100)), weft_from(ctx, want, 9), "each as long as it needs");
        weft_binary *limits =
            MAYBE_JIT(weft_vmap(ctx, weft_while(ctx, below, twice, "carry, none"), "none, 0"));
        float to[3] = { 4, 4, 8 };
        CLOSE(limits(number(1), weft_add(ramp(3), 2)), weft_from(ctx, to, 3), "each to its own limit");
    }
}

static weft_array *vector_below(weft_array *x, weft_array *limit) { return weft_lt(weft_sum(x), limit); }

Test(control, while_on_vectors_under_vmap_is_masked)
{
    weft_declare(ctx, vector_below, weft_binary);
    weft_array *x = weft_reshape(ramp(12), 4, 3), *want[4];
    weft_binary *one = weft_while(ctx, vector_below, twice, "carry, none");
    for (int k = 0; k < 4; k++) want[k] = one(weft_take(x, integer(k), 0), number(50));
    BOTH CLOSE(MAYBE_JIT(weft_vmap(ctx, one, "0, none"))(x, number(50)),
               weft_stack_arrays(0, want[0], want[1], want[2], want[3]), "rows");
}

Test(control, fori_counts)
{
    BOTH
    {
        CLOSE(MAYBE_JIT(weft_fori(ctx, count_up, "index, carry", .count = 4))(integer(0), number(1)),
              number(27), "from 0");
        CLOSE(MAYBE_JIT(weft_fori(ctx, count_up, "index, carry", .count = 2))(integer(10), number(1)),
              number(35), "from 10");
        CLOSE(MAYBE_JIT(weft_fori(ctx, half, "carry", .count = 3))(number(8)), number(1), "without an index");
        ternary *to = MAYBE_JIT(weft_fori(ctx, add_index, "index, end, carry"));
        CLOSE(to(integer(0), integer(5), number(0)), number(10), "to an end that is data");
        CLOSE(to(integer(5), integer(5), number(7)), number(7), "to an end that is there");
        ternary *ends =
            MAYBE_JIT(weft_vmap(ctx, weft_fori(ctx, add_index, "index, end, carry"), "none, 0, none"));
        int32_t end[3] = { 1, 3, 5 };
        float want[3] = { 0, 3, 10 };
        CLOSE(ends(integer(0), weft_from(ctx, end, 3), number(0)), weft_from(ctx, want, 3),
              "each to its own end");
    }
}

/* ---- cond and switch ---- */

Test(control, cond_chooses)
{
    weft_array *x = ramp(3), *yes = weft_add(x, 1), *no = weft_mul(x, 10);
    BOTH
    {
        weft_binary *f = MAYBE_JIT(weft_cond(ctx, plus_one, times_ten));
        CLOSE(f(weft_scalar_as(ctx, WEFT_BOOL, 1), x), yes, "true");
        CLOSE(f(weft_scalar_as(ctx, WEFT_BOOL, 0), x), no, "false");
        CLOSE(f(number(0.5), x), yes, "a number that is not 0");
        weft_array *p = weft_gt(x, 1.5);
        CLOSE(MAYBE_JIT(weft_vmap(ctx, weft_cond(ctx, plus_one, times_ten), "0, 0"))(p, x),
              weft_where(p, yes, no), "each its own");
        CLOSE(MAYBE_JIT(weft_vmap(ctx, weft_cond(ctx, plus_one, times_ten), "none, 0"))(
                  weft_scalar_as(ctx, WEFT_BOOL, 0), x),
              no, "one for all");
    }
}

Test(control, switch_clamps)
{
    weft_binary *const branches[] = { plus_one, times_ten, negated };
    weft_array *x = ramp(3), *want[] = { weft_add(x, 1), weft_mul(x, 10), weft_neg(x) };
    BOTH
    {
        weft_binary *f = MAYBE_JIT(weft_switch(ctx, weft_binary, branches, 3));
        for (int k = -2; k < 6; k++) CLOSE(f(integer(k), x), want[k < 0 ? 0 : k > 2 ? 2 : k], "branch");
        int32_t index[5] = { -7, 0, 1, 2, 9 };
        float each[5] = { 2, 3, 30, -4, -5 };
        CLOSE(MAYBE_JIT(weft_vmap(ctx, weft_switch(ctx, weft_binary, branches, 3), "0, 0"))(
                  weft_from(ctx, index, 5), ramp(5)),
              weft_from(ctx, each, 5), "each its own");
    }
}

/* ---- values that a body meets ---- */

static weft_array *met;
static weft_array *uses_met(weft_array *h, weft_array *x) { return weft_add(weft_mul(h, met), x); }
static weft_array *inside_out(weft_array *a, weft_array *x)
{
    met = weft_mul(a, 2); /* a traced value of the caller */
    return weft_scan(NULL, uses_met, "carry, 0")(weft_zeros_like(a), x);
}

Test(control, bodies_may_use_what_they_meet)
{
    weft_declare(ctx, uses_met, weft_binary);
    weft_declare(ctx, inside_out, weft_binary);
    met = number(2);
    BOTH CLOSE(MAYBE_JIT(weft_scan(ctx, uses_met, "carry, 0"))(number(0), ramp(3)), number(11),
               "a concrete one");
    BOTH CLOSE(MAYBE_JIT(inside_out)(number(1), ramp(3)), number(11), "one of the enclosing function");
    BOTH
    {
        float want[2] = { 11, 27 };
        CLOSE(MAYBE_JIT(weft_vmap(ctx, inside_out, "0, none"))(ramp(2), ramp(3)), weft_from(ctx, want, 2),
              "one for each of a batch");
    }
}

static weft_array *sets_met(weft_array *p, weft_array *x)
{
    met = weft_sin(p);
    return weft_scan(NULL, uses_met, "carry, 0")(weft_zeros_like(p), x);
}

Test(control, op_by_op_a_call_looks_at_the_globals_of_its_time)
{
    weft_declare(ctx, uses_met, weft_binary);
    weft_declare(ctx, sets_met, weft_binary);
    for (int i = 1; i < 4; i++)
        CLOSE(sets_met(number(i), ramp(3)), weft_jit(ctx, sets_met)(number(i), ramp(3)),
              "a global that changes");
}

/* ---- associative scan ---- */

Test(control, associative_scan_gives_all_prefixes)
{
    for (int n = 0; n < 20; n++) {
        weft_array *x = weft_div(ramp(n), 4);
        float want[20], sum = 0;
        for (int i = 0; i < n; i++) want[i] = sum += (float)(i + 1) / 4;
        weft_array *sums = n ? weft_from(ctx, want, n) : ramp(0);
        BOTH
        {
            CLOSE(MAYBE_JIT(weft_associative_scan(ctx, weft_unary, plus))(x), sums, "prefixes");
            CLOSE(MAYBE_JIT(weft_associative_scan(ctx, weft_unary, plus, .reverse = true))(weft_flip(x)),
                  weft_flip(sums), "suffixes");
        }
    }
    weft_array *m = weft_reshape(ramp(12), 3, 4);
    CLOSE(weft_associative_scan(ctx, weft_unary, plus, .axis = 1)(m),
          weft_transpose(weft_associative_scan(ctx, weft_unary, plus)(weft_transpose(m))), "along axis 1");
}

Test(control, associative_scan_of_structs)
{
    weft_array *a = weft_div(ramp(9), 10), *b = weft_neg(ramp(9));
    float want[9], h = 0;
    for (int i = 0; i < 9; i++) want[i] = h = (float)(i + 1) / 10 * h - (float)(i + 1);
    BOTH
    {
        pair in = { a, b }, out = { 0 };
        MAYBE_JIT(weft_associative_scan(ctx, pair_fn, compose))(&in, &out);
        CLOSE(out.b, weft_from(ctx, want, 9), "a linear recurrence");
    }
}

/* ---- batches in pieces ---- */

static uint64_t runs_of(weft_unary *f, weft_array *x, weft_array **y)
{
    uint64_t before = weft_stats(ctx).body_runs;
    *y = f(x);
    return weft_stats(ctx).body_runs - before;
}

Test(control, map_runs_once_a_batch_and_once_for_the_rest)
{
    static const int size[] = { 0, 1, 5, 10, 12, 16, 17 }, batch[] = { 0, 1, 3, 4, 5, 8, 16, 20 };
    for (int s = 0; s < 7; s++)
        for (int k = 0; k < 8; k++) {
            weft_array *x = weft_reshape(ramp(2 * size[s]), size[s], 2), *y,
                       *want = weft_vmap(ctx, norm2, "0")(x);
            uint64_t runs = batch[k] ? (uint64_t)((size[s] + batch[k] - 1) / batch[k]) : (uint64_t)size[s];
            BOTH
            {
                cr_expect_eq(runs_of(MAYBE_JIT(weft_map(ctx, norm2, "0", .batch = batch[k])), x, &y), runs,
                             "%d in batches of %d", size[s], batch[k]);
                CLOSE(y, want, "map");
            }
        }
}

Test(control, map_along_axes)
{
    weft_array *x = weft_reshape(ramp(24), 2, 3, 4), *want = weft_vmap(ctx, half, "2 -> 1")(x);
    BOTH CLOSE(MAYBE_JIT(weft_map(ctx, half, "2 -> 1", .batch = 3))(x), want, "in along 2, out along 1");
}

/* Batch shapes and chunk sizes of NumPyro's own test, and more. */
Test(control, soft_vmap_as_numpyro)
{
    static const struct {
        int ndims;
        int64_t dim[2];
    } shape[] = { { 0, { 0 } },  { 1, { 1 } },  { 1, { 10 } }, { 2, { 3, 4 } }, { 1, { 12 } },
                  { 1, { 16 } }, { 1, { 17 } }, { 1, { 0 } },  { 2, { 0, 3 } } };
    static const int chunk[] = { 0, 1, 4, 5, 16 };
    for (int s = 0; s < 9; s++)
        for (int k = 0; k < 5; k++) {
            int64_t rows = 1, dim[3] = { shape[s].dim[0], shape[s].dim[1] };
            for (int d = 0; d < shape[s].ndims; d++) rows *= dim[d];
            weft_array *v = weft_reshape_(ramp(rows), shape[s].ndims, dim, WEFT_HERE);
            int64_t at_once = chunk[k] && chunk[k] < rows ? chunk[k] : rows;
            uint64_t want = at_once ? (uint64_t)((rows + at_once - 1) / at_once) : 0;
            BOTH
            {
                pair in = { v, weft_gt(v, 2) }, out = { 0 };
                uint64_t before = weft_stats(ctx).body_runs;
                MAYBE_JIT(weft_soft_vmap(ctx, spread, "0", .chunk = chunk[k], .batch_ndims = shape[s].ndims))(
                    &in, &out);
                cr_expect_eq(weft_stats(ctx).body_runs - before, want, "shape %d, chunk %d", s, chunk[k]);
                dim[shape[s].ndims] = 4;
                CLOSE(out.a, weft_broadcast_to_(weft_expand_dims(v, -1), shape[s].ndims + 1, dim, WEFT_HERE),
                      "a");
                CLOSE(out.b, weft_logical_not(in.b), "b");
            }
        }
}

static weft_array *wide(weft_array *x)
{
    weft_array *m = weft_tanh(weft_outer(x, x)); /* [64,64], needed twice, whole */
    return weft_sum(weft_matmul(m, weft_matmul(m, x)));
}

Test(control, vmap_within_a_limit_of_memory)
{
    weft_declare(ctx, wide, weft_unary);
    weft_array *x = weft_reshape(weft_linspace(ctx, -1, 1, 100 * 64), 100, 64), *y;
    weft_unary *all = weft_jit(ctx, weft_vmap(ctx, wide, "0")),
               *some = weft_jit(ctx, weft_vmap(ctx, wide, "0", .max_bytes = 200000));
    weft_array *want = all(x);
    uint64_t runs = runs_of(some, x, &y);
    CLOSE(y, want, "in chunks");
    weft_plan *p = weft_compile(ctx, (weft_plan_options){ 0 }, all(x)),
              *q = weft_compile(ctx, ((weft_plan_options){ 0 }), some(x));
    cr_assert(p && q);
    cr_expect_leq(weft_plan_scratch(q), 200000, "%zu bytes", weft_plan_scratch(q));
    if (weft_plan_scratch(p) > 200000) {
        cr_expect_gt(runs, 1);
        cr_expect(strstr(weft_explain(ctx), "in chunks of"), "%s", weft_explain(ctx));
    }
    weft_plan_free(p);
    weft_plan_free(q);
}

static weft_array *sorted_products(weft_array *x)
{
    return weft_sum(weft_tanh(weft_sort(weft_outer(x, x), 1)));
}

/* What a chunk needs does not grow with the batch: neither arguments nor results are copied for the loop. */
Test(control, a_limit_of_memory_is_of_chunks)
{
    weft_declare(ctx, sorted_products, weft_unary);
    weft_unary *all = weft_jit(ctx, weft_vmap(ctx, sorted_products, "0")),
               *some = weft_jit(ctx, weft_vmap(ctx, sorted_products, "0", .max_bytes = 20000));
    for (int64_t rows = 96; rows < 100000; rows *= 16) {
        weft_array *x = weft_reshape(weft_linspace(ctx, -1, 1, rows * 8), rows, 8);
        CLOSE(some(x), all(x), "in chunks");
        weft_plan *p = weft_compile(ctx, ((weft_plan_options){ .threads = 1 }), some(x));
        cr_assert(p, "%s", weft_error(ctx));
        cr_expect_leq(weft_plan_scratch(p), 20000, "%zu bytes", weft_plan_scratch(p));
        weft_plan_free(p);
    }
}

Test(control, a_million_steps_leave_nothing_behind)
{
    weft_unary *f = weft_jit(ctx, weft_fori(ctx, half, "carry", .count = 1000000));
    weft_array *one = number(1);
    f(one);
    weft_scope *s = weft_scope_open(ctx);
    size_t arrays = weft_stats(ctx).arrays, bytes = weft_stats(ctx).bytes_in_use;
    CLOSE(f(one), number(0), "2^-1000000");
    weft_scope_close(s);
    cr_expect_eq(weft_stats(ctx).arrays, arrays);
    cr_expect_leq(weft_stats(ctx).bytes_in_use, bytes + 4096);
}

/* ---- what a user can get wrong ---- */

static weft_array *other_shape(weft_array *h, weft_array *x)
{
    (void)h;
    return weft_expand_dims(x, 0);
}
static weft_array *other_type(weft_array *h, weft_array *x)
{
    (void)h;
    return weft_astype(x, WEFT_I32);
}
static weft_array *undeclared(weft_array *h, weft_array *x) { return weft_add(h, x); }
static weft_array *gives_null(weft_array *h, weft_array *x)
{
    (void)h, (void)x;
    return NULL;
}
static weft_array *fails_inside(weft_array *h, weft_array *x) { return weft_add(h, weft_reshape(x, 7)); }
static weft_array *a_number(weft_array *x, weft_array *limit) { return weft_add(x, limit); }
static weft_array *a_vector(weft_array *x, weft_array *limit)
{
    (void)limit;
    return weft_gt(weft_ones(NULL, WEFT_F32, 3), x);
}
static weft_array *unlike(weft_array *p, weft_array *x)
{
    (void)p;
    return weft_astype(x, WEFT_I32);
}
static weft_array *longer(list *l, weft_array *x)
{
    static weft_array *more[3];
    more[0] = more[1] = more[2] = x;
    l->v = more;
    l->n = 3;
    return x;
}

#define BAD(code, text, call) REFUSED(code, !(call), text)

static void declare_bad(void)
{
    weft_declare(ctx, other_shape, weft_binary);
    weft_declare(ctx, other_type, weft_binary);
    weft_declare(ctx, gives_null, weft_binary);
    weft_declare(ctx, fails_inside, weft_binary);
    weft_declare(ctx, a_number, weft_binary);
    weft_declare(ctx, a_vector, weft_binary);
    weft_declare(ctx, unlike, weft_binary);
    weft_declare(ctx, longer, list_step);
}

Test(control, bad_scans)
{
    weft_array *y, *x = ramp(4), *m = weft_reshape(ramp(12), 3, 4), *h = number(1);
    declare_bad();
    BAD(WEFT_SHAPE,
        "scan body function carry input and carry output must have equal types, but they differ: the input "
        "carry component x has type f32 but the corresponding output carry component has type f32[1]",
        weft_scan(ctx, other_shape, "carry, 0")(h, x));
    BAD(WEFT_DTYPE,
        "the input carry component x has type f32 but the corresponding output carry component has type i32",
        weft_scan(ctx, other_type, "carry, 0")(h, x));
    BAD(WEFT_SHAPE, "scan got value with no leading axis to scan over: argument y f32 has no axis 0",
        weft_scan(ctx, step, "carry, 0")(h, h));
    BAD(WEFT_SHAPE, "has no axis 1", weft_scan(ctx, step, "carry, 1")(h, x));
    BAD(WEFT_SHAPE,
        "scan got values with different leading axis sizes: 4 along axis 0 of x f32[4], 3 along axis 0 of y "
        "f32[3,4]",
        weft_scan(ctx, step, "0, 0")(x, m));
    BAD(WEFT_SHAPE, "scan got `length` argument of 5 which disagrees with leading axis sizes [4]",
        weft_scan(ctx, step, "carry, 0", .length = 5)(h, x));
    BAD(WEFT_ARGUMENT, "needs .length", weft_scan(ctx, half, "carry")(h));
    BAD(WEFT_ARGUMENT, ".length is -1", weft_scan(ctx, half, "carry", .length = -1)(h));
    BAD(WEFT_ARGUMENT, ".unroll is -3", weft_scan(ctx, half, "carry", .length = 2, .unroll = -3)(h));
    BAD(WEFT_ARGUMENT, "'carrie'", weft_scan(ctx, step, "carrie, 0")(h, x));
    BAD(WEFT_ARGUMENT, "axes for 2", weft_scan(ctx, step, "carry, 0, 0")(h, x));
    BAD(WEFT_ARGUMENT, "y has no result that could be its next value",
        weft_scan(ctx, step, "carry, carry", .length = 3)(h, h));
    BAD(WEFT_SHAPE, "has 1 axes and no axis 3", weft_scan(ctx, emit, "carry, 0 -> none, 3")(h, x, &y));
    BAD(WEFT_ARGUMENT, "is stacked, and needs an axis",
        weft_scan(ctx, emit, "carry, 0 -> none, none")(h, x, &y));
    BAD(WEFT_ARGUMENT, "result return", weft_scan(ctx, gives_null, "carry, 0")(h, x));
    BAD(WEFT_SHAPE, "weft_reshape", weft_scan(ctx, fails_inside, "carry, 0")(h, x));
    BAD(WEFT_ARGUMENT, "NULL", weft_scan(ctx, step, "carry, 0")(h, NULL));
    BAD(WEFT_ARGUMENT, "not declared", weft_scan(ctx, undeclared, "carry, 0")(h, x));
}

Test(control, bad_structs)
{
    declare_bad();
    state s = new_state();
    weft_array *x = ramp(4), *two[2] = { x, x };
    list l = { two, 2 };
    BAD(WEFT_ARGUMENT, "argument s is an in-out struct: its role is carry",
        weft_scan(ctx, advance, "none, none, 0")(number(1), &s, x));
    BAD(WEFT_ARGUMENT, "argument s is a carry in part only",
        weft_scan(ctx, advance, "none, {p: [{a: carry}, {b: none}]}, 0")(number(1), &s, x));
    BAD(WEFT_TREE_MISMATCH, "l.v is a list of 2", weft_scan(ctx, longer, "carry, 0")(&l, x));
    cr_expect(s.p[0].a && s.order == 3 && l.n == 2, "a failed call leaves in-outs alone");
    s.p[0].b = integer(2);
    BAD(WEFT_DTYPE,
        "the input carry component s.p[0].b has type i32 but the corresponding output carry component has "
        "type f32",
        weft_scan(ctx, advance, "none, carry, 0")(number(1), &s, x));
}

Test(control, bad_loops)
{
    declare_bad();
    weft_array *h = number(1), *x = ramp(4);
    BAD(WEFT_DTYPE, "while_loop condition must give one bool, not f32",
        weft_while(ctx, a_number, twice, "carry, none")(h, h));
    BAD(WEFT_SHAPE, "while_loop condition must give one bool, not bool[3]",
        weft_while(ctx, a_vector, twice, "carry, none")(h, h));
    BAD(WEFT_SHAPE, "while_loop body function carry input and carry output must have equal types",
        weft_while(ctx, below, other_shape, "carry, none")(h, h));
    BAD(WEFT_ARGUMENT, "result return is no carry", weft_while(ctx, below, twice, "none, none")(h, h));
    BAD(WEFT_ARGUMENT, "must take the same arguments", weft_while(ctx, half, twice, "carry, none")(h, h));
    BAD(WEFT_ARGUMENT, "axis 0 is no role", weft_while(ctx, below, twice, "carry, 0")(h, x));
    BAD(WEFT_ARGUMENT, "nothing to say behind", weft_while(ctx, below, twice, "carry, none -> 0")(h, h));
    BAD(WEFT_ARGUMENT, "nothing says when it ends", weft_fori(ctx, half, "carry")(h));
    CLOSE(weft_fori(ctx, half, "carry", .count = 0)(h), h, "no steps");
    BAD(WEFT_ARGUMENT, ".chunk is no option of weft_fori",
        weft_fori(ctx, half, "carry", .count = 3, .chunk = 2)(h));
    BAD(WEFT_ARGUMENT, ".count is no option of weft_scan", weft_scan(ctx, half, "carry", .count = 3)(h));
    BAD(WEFT_ARGUMENT, ".length is no option of weft_map", weft_map(ctx, norm2, "0", .length = 3)(x));
    BAD(WEFT_SHAPE, "in fails_inside (", weft_while(ctx, fails_inside, twice, "carry, none")(h, x));
    BAD(WEFT_ARGUMENT, ".count is -4", weft_fori(ctx, half, "carry", .count = -4)(h));
    BAD(WEFT_ARGUMENT, "both .count and an argument",
        weft_fori(ctx, add_index, "index, end, carry", .count = 3)(integer(0), integer(3), h));
    BAD(WEFT_DTYPE, "the index must be one integer, not f32",
        weft_fori(ctx, count_up, "index, carry", .count = 3)(h, h));
    BAD(WEFT_SHAPE, "the index must be one integer, not i32[2]",
        weft_fori(ctx, count_up, "index, carry", .count = 3)(weft_astype(ramp(2), WEFT_I32), h));
    BAD(WEFT_ARGUMENT, "an end needs an index",
        weft_fori(ctx, add_index, "none, end, carry")(integer(0), integer(3), h));
    BAD(WEFT_DTYPE, "index and end differ in element type",
        weft_fori(ctx, add_index, "index, end, carry")(integer(0), weft_scalar_as(ctx, WEFT_I64, 3), h));
    BAD(WEFT_ARGUMENT, "there is another index before it",
        weft_fori(ctx, add_index, "index, index, carry", .count = 2)(integer(0), integer(3), h));
}

static weft_array *third(weft_array *x) { return x; }

Test(control, bad_branches)
{
    declare_bad();
    weft_declare(ctx, third, weft_unary);
    weft_array *x = ramp(4), *p = weft_scalar_as(ctx, WEFT_BOOL, 1);
    weft_binary *const some[] = { plus_one, unlike }, *const none[] = { plus_one, NULL };
    BAD(WEFT_DTYPE,
        "cond branch outputs must have equal types, but they differ: return is f32[4] in plus_one and i32[4] "
        "in unlike",
        weft_cond(ctx, plus_one, unlike)(p, x));
    BAD(WEFT_SHAPE, "argument x says which branch: it must be one value of rank 0, not f32[4]",
        weft_cond(ctx, plus_one, times_ten)(x, x));
    BAD(WEFT_DTYPE, "it must be an integer, not f32", weft_switch(ctx, weft_binary, some, 1)(number(0), x));
    BAD(WEFT_DTYPE, "in plus_one and i32[4] in unlike",
        weft_switch(ctx, weft_binary, some, 2)(integer(0), x));
    BAD(WEFT_ARGUMENT, "function 2 of 2 is NULL", weft_switch(ctx, weft_binary, none, 2)(integer(0), x));
    BAD(WEFT_ARGUMENT, "0 branches (1 to 1024)", weft_switch(ctx, weft_binary, some, 0)(integer(0), x));
    BAD(WEFT_SHAPE, "in fails_inside (", weft_cond(ctx, plus_one, fails_inside)(p, x));
    BAD(WEFT_ARGUMENT, "argument y is NULL", weft_cond(ctx, plus_one, times_ten)(p, NULL));
}

Test(control, bad_pieces)
{
    weft_array *x = ramp(4), *m = weft_reshape(ramp(12), 3, 4);
    BAD(WEFT_ARGUMENT, ".batch is -1", weft_map(ctx, norm2, "0", .batch = -1)(x));
    BAD(WEFT_ARGUMENT, ".chunk is -2", weft_soft_vmap(ctx, norm2, "0", .chunk = -2)(x));
    BAD(WEFT_ARGUMENT, ".batch_ndims is -7", weft_soft_vmap(ctx, norm2, "0", .batch_ndims = -7)(x));
    BAD(WEFT_ARGUMENT, "no argument is mapped", weft_map(ctx, norm2, "none")(x));
    BAD(WEFT_SHAPE, "it was asked to map argument x along axis 0", weft_map(ctx, norm2, "0")(number(1)));
    BAD(WEFT_SHAPE, "vmap got inconsistent sizes", weft_map(ctx, plus, "0")(x, m));
    BAD(WEFT_SHAPE,
        "the batch shapes differ: argument x f32[4] and argument y f32[3,4] must agree in their first 1 axes",
        weft_soft_vmap(ctx, plus, "0")(x, m));
    BAD(WEFT_SHAPE, "has fewer than the 2 axes of the batch",
        weft_soft_vmap(ctx, norm2, "0", .batch_ndims = 2)(x));
    BAD(WEFT_ARGUMENT, "its axis is 0 or none, not 1", weft_soft_vmap(ctx, norm2, "1")(m));
    BAD(WEFT_ARGUMENT, "nothing to say behind", weft_soft_vmap(ctx, norm2, "0 -> 0")(x));
    BAD(WEFT_SHAPE, "has no axis 2", weft_associative_scan(ctx, weft_unary, plus, .axis = 2)(x));
    BAD(WEFT_SHAPE, "has no axis 0", weft_associative_scan(ctx, weft_unary, plus)(number(1)));
    BAD(WEFT_ARGUMENT, "must take two arrays", weft_associative_scan(ctx, weft_unary, half)(x));
    BAD(WEFT_ARGUMENT, "must take one array", weft_associative_scan(ctx, weft_binary, plus)(x, x));
}
