/* test_positions.c: takes and scatters at positions that are arithmetic of an iota (compiler/graph/fold/
 * fold_affine.c) give the bits of eager mode, which walks the positions: forwards and backwards, in steps,
 * from the end, over several axes, outside too, mapped, and their derivatives. */
#include "compiler/graph/types/type.h"
#include "tests/support/context_suite.h"
#include <string.h>

enum { ROUNDS = 60, MOST_RANK = 3 };

static uint64_t state;
static int64_t below(int64_t n) /* 0 .. n - 1 */
{
    state = state * UINT64_C(6364136223846793005) + 1442695040888963407;
    return (int64_t)((state >> 33) % (uint64_t)n);
}

/* The case that runs: positions base + step * iota(count), in each of two components. */
static struct Case {
    int axis;
    int64_t base[2], step[2], count;
    bool listed, wide, clip, diagonal;
    weft_combine with;
} now;

static weft_array *line(int k)
{
    weft_dtype t = now.wide ? WEFT_I64 : WEFT_I32;
    int64_t list[64];
    for (int64_t i = 0; i < now.count; i++) list[i] = now.base[k] + now.step[k] * i;
    if (now.listed) return weft_astype(weft_from_shape(ctx, WEFT_I64, list, 1, &now.count), t);
    return weft_add(weft_mul(weft_iota(ctx, t, 0, now.count), now.step[k]), now.base[k]);
}

static weft_array *taken(weft_array *x) { return weft_take(x, line(0), now.axis); }
static weft_array *put(weft_array *x)
{
    weft_array *v = weft_mul(weft_take(x, line(0), now.axis), 3);
    return weft_scatter(x, line(0), now.axis, weft_add(v, 1), .with = now.with, .clip = now.clip);
}
/* Positions of two axes: along one each, or both along one counter. */
static weft_array *put_at(weft_array *x)
{
    weft_array *i = line(0), *j = line(1);
    if (!now.diagonal) {
        i = weft_broadcast_to(weft_expand_dims(i, 1), now.count, now.count);
        j = weft_broadcast_to(weft_expand_dims(j, 0), now.count, now.count);
    }
    return weft_scatter_at(x, weft_stack_arrays(-1, i, j), 7, .with = now.with, .clip = now.clip);
}
static weft_array *slope(weft_array *x) { return weft_sum(weft_square(put(x))); }
static weft_array *row_put(weft_array *x) { return put(x); }

static weft_array *numbers(int rank, const int64_t *dim)
{
    float data[4096];
    int64_t n = type_count((Type){ WEFT_F32, rank, dim });
    for (int64_t i = 0; i < n; i++) data[i] = (float)(below(41) - 20) / 4;
    return weft_from_shape(ctx, WEFT_F32, data, rank, dim);
}

static void expect_same(const weft_array *a, const weft_array *b, const char *what)
{
    cr_assert(a && b, "%s: %s", what, weft_error(ctx));
    size_t bytes = (size_t)weft_count(b) * sizeof(float);
    cr_expect(weft_count(a) == weft_count(b) && !memcmp(weft_data(a), weft_data(b), bytes),
              "%s: axis %d, %ld + %ld i, %ld + %ld i, %ld of them, with %d", what, now.axis,
              (long)now.base[0], (long)now.step[0], (long)now.base[1], (long)now.step[1], (long)now.count,
              (int)now.with);
}

/* Positions inside of n elements mostly; now and then they begin or end outside. */
static void choose_line(int k, int64_t n)
{
    int64_t most = now.count > 1 ? (n - 1) / (now.count - 1) : n;
    now.step[k] = most ? 1 + below(most) : 1;
    int64_t span = now.step[k] * (now.count - 1);
    now.base[k] = span < n ? below(n - span) : 0;
    if (below(3) == 0) {
        now.base[k] += span;
        now.step[k] = -now.step[k];
    }
    if (below(4) == 0) now.base[k] -= n; /* from the end */
    if (below(6) == 0) now.base[k] += below(5) - 2;
}

static void one_round(void)
{
    int64_t dim[MOST_RANK];
    int rank = 1 + (int)below(MOST_RANK);
    for (int d = 0; d < rank; d++) dim[d] = 1 + below(14);
    now = (struct Case){ .axis = (int)below(rank),
                         .listed = below(3) == 0,
                         .wide = below(2),
                         .clip = below(3) == 0,
                         .diagonal = below(4) == 0,
                         .with = (weft_combine)below(5) };
    now.count = 1 + below(rank > 1 && dim[1] < dim[0] ? dim[1] : dim[now.axis]);
    choose_line(0, dim[now.axis]);
    weft_array *x = numbers(rank, dim);
    expect_same(weft_jit(ctx, taken)(x), taken(x), "taken");
    expect_same(weft_jit(ctx, put)(x), put(x), "put");
    expect_same(weft_jit(ctx, weft_grad(ctx, weft_unary, slope, ""))(x),
                weft_grad(ctx, weft_unary, slope, "")(x), "slope");
    if (now.axis > 0) {
        now.axis--;
        expect_same(weft_jit(ctx, weft_vmap(ctx, row_put, "0"))(x), weft_vmap(ctx, row_put, "0")(x),
                    "mapped");
    }
    if (rank < 2) return;
    choose_line(0, dim[0]);
    choose_line(1, dim[1]);
    expect_same(weft_jit(ctx, put_at)(x), put_at(x), "put_at");
}

static void open_strict(void)
{
    ctx = weft_open(&(weft_options){ .mode = WEFT_MODE_STRICT });
    need_backend();
    weft_declare(ctx, taken, weft_unary);
    weft_declare(ctx, put, weft_unary);
    weft_declare(ctx, put_at, weft_unary);
    weft_declare(ctx, slope, weft_unary);
    weft_declare(ctx, row_put, weft_unary);
}

TestSuite(positions, .init = open_strict, .fini = close_context_without_error);

/* A context for each, since what positions are is no part of a cache's key. */
Test(positions, random)
{
    for (int i = 0; i < ROUNDS; i++) {
        state = (uint64_t)i;
        below(1);
        one_round();
        close_context();
        open_strict();
    }
}
