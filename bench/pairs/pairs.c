/* pairs.c: the pairs of docs/fast.md: two ways to write one thing, compiled, one after the other in turn.
 *
 *   weft-pairs [--target NAME]
 */
#include "../measure.h"
#include "weft.h"
#include <stdlib.h>
#include <string.h>

enum { REPEATS = 15, ROWS = 720, COLUMNS = 1280, SAMPLES = 65536, STEPS = 100 };

typedef struct state {
    weft_array *x, *y;
} state;
WEFT_STRUCT(state, WEFT_ARRAY(state, x), WEFT_ARRAY(state, y));
WEFT_SIGNATURE(step_fn, void, (state * s, weft_array *by));
static weft_context *ctx;

/* ---- borders ---- */

static weft_array *differences(weft_array *p)
{
    return weft_sub(weft_at(p, "2:, 2:"), weft_at(p, ":-2, :-2"));
}
static weft_array *edge_by_indices(weft_array *x)
{
    weft_array *i = weft_clip(weft_sub(weft_iota(NULL, WEFT_I32, 0, ROWS + 2), 1), 0, ROWS - 1),
               *j = weft_clip(weft_sub(weft_iota(NULL, WEFT_I32, 0, COLUMNS + 2), 1), 0, COLUMNS - 1);
    return differences(weft_take(weft_take(x, i, 0), j, 1));
}
static weft_array *edge_by_indices_from_outside(weft_array *x, weft_array *i, weft_array *j)
{
    return differences(weft_take(weft_take(x, i, 0), j, 1));
}
static weft_array *edge_of_zeros(weft_array *x) { return differences(weft_pad(x, 0, "1:1, 1:1")); }
static weft_array *wrapped(weft_array *x) { return weft_sub(weft_roll(x, 1, 0), weft_roll(x, -1, 1)); }
static weft_array *inner(weft_array *x) { return weft_sub(weft_at(x, ":-1, 1:"), weft_at(x, "1:, :-1")); }

/* ---- levels in the last axis, or in the first ---- */

static weft_array *level_last(weft_array *x, weft_array *y)
{
    return weft_set_add(x, "..., 1", weft_tanh(y));
}
static weft_array *level_first(weft_array *x, weft_array *y) { return weft_set_add(x, "1", weft_tanh(y)); }

/* ---- in place, or not ---- */

static void by_choice(state *s, weft_array *by)
{
    s->x = weft_where(weft_eq(weft_iota(NULL, WEFT_I32, 0, SAMPLES), 0), by, s->x);
}
static void by_setting(state *s, weft_array *by) { s->x = weft_set(s->x, "0", by); }

/* ---- a long loop, written out or not ---- */

static weft_array *body(weft_array *x) { return weft_mul(weft_add(x, 0.5), 0.9); }
static weft_array *each_step(weft_unary *step, weft_array *x)
{
    for (int i = 0; i < STEPS; i++) x = step(x);
    return x;
}
static weft_array *written_out(weft_array *x)
{
    for (int i = 0; i < STEPS; i++) x = body(x);
    return x;
}

/* ---- measuring ---- */

static double since(double start) { return (now() - start) * 1e6; }

#define TIME(to, call) \
    do { \
        weft_scope *scope = weft_scope_open(ctx); \
        double start = now(); \
        (void)(call); \
        (to) = since(start); \
        weft_scope_close(scope); \
    } while (0)
/* The first calls, then repeats in turn. */
#define PAIR(name, slow, fast) \
    do { \
        double a[REPEATS], b[REPEATS], warm[2]; \
        TIME(warm[0], slow); \
        TIME(warm[1], fast); \
        for (int k = 0; k < REPEATS; k++) { \
            TIME(a[k], slow); \
            TIME(b[k], fast); \
        } \
        printf("%-44s %10.1f %10.1f %8.1f %8.1f\n", name, median(a, REPEATS), median(b, REPEATS), \
               warm[0] / 1e3, warm[1] / 1e3); \
    } while (0)
#define JIT(f, type) (weft_declare(ctx, f, type), weft_jit(ctx, f))

static void run_steps(step_fn *f, weft_array *x, weft_array *by) { f(&(state){ x, x }, by); }

static int usage(int status)
{
    fputs("usage: weft-pairs [--target NAME]\n"
          "Two ways to write one thing, for avx512, avx2 or sse2; without a name for what the machine has "
          "best.\n",
          status ? stderr : stdout);
    return status;
}

int main(int argc, char **argv)
{
    bool limited = argc == 3 && !strcmp(argv[1], "--target");
    if (argc > 1 && !limited) return usage(strcmp(argv[1], "--help") ? 2 : 0);
    if (limited && !target_choose(argv[2])) return 2;
    ctx = weft_open(NULL);
    weft_describe(ctx, state);
    weft_array *image = weft_linspace(ctx, 0, 1, ROWS * COLUMNS), *by = weft_full(ctx, WEFT_F32, 0.01, STEPS),
               *short_row = weft_linspace(ctx, 0, 1, SAMPLES);
    image = weft_reshape(image, ROWS, COLUMNS);
    weft_array *i = weft_clip(weft_sub(weft_iota(ctx, WEFT_I32, 0, ROWS + 2), 1), 0, ROWS - 1),
               *j = weft_clip(weft_sub(weft_iota(ctx, WEFT_I32, 0, COLUMNS + 2), 1), 0, COLUMNS - 1),
               *last = weft_zeros(ctx, WEFT_F32, 200, 200, 25, 3),
               *first = weft_zeros(ctx, WEFT_F32, 3, 200, 200, 25),
               *level = weft_zeros(ctx, WEFT_F32, 200, 200, 25);
    weft_unary *indices = JIT(edge_by_indices, weft_unary), *zeros = JIT(edge_of_zeros, weft_unary),
               *rolled = JIT(wrapped, weft_unary), *sliced = JIT(inner, weft_unary),
               *all = JIT(written_out, weft_unary), *step = JIT(body, weft_unary);
    weft_ternary *outside = JIT(edge_by_indices_from_outside, weft_ternary);
    weft_binary *in_last = JIT(level_last, weft_binary), *in_first = JIT(level_first, weft_binary);
    weft_declare(ctx, by_choice, step_fn);
    weft_declare(ctx, by_setting, step_fn);
    step_fn *chosen = weft_jit(ctx, weft_scan(ctx, by_choice, "carry, 0")),
            *set = weft_jit(ctx, weft_scan(ctx, by_setting, "carry, 0"));
    printf("%-44s %10s %10s %8s %8s\n", "", "first us", "second us", "1st ms", "1st ms");
    PAIR("indices as arguments, computed inside", outside(image, i, j), indices(image));
    PAIR("edges by take, zeros by pad", indices(image), zeros(image));
    PAIR("roll, slices", rolled(image), sliced(image));
    PAIR("x[..., 1] += y, x[1] += y of 3 levels", in_last(last, level), in_first(first, level));
    PAIR("x[0] = v in 100 steps: by where, by set", run_steps(chosen, short_row, by),
         run_steps(set, short_row, by));
    PAIR("100 steps: a jitted call for each, one for all", each_step(step, short_row), all(short_row));
    if (weft_error(ctx)) fprintf(stderr, "%s\n", weft_error(ctx));
    int status = weft_error(ctx) != NULL;
    weft_close(ctx);
    return status;
}
