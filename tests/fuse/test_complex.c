/* test_complex.c: size and quotient of complex<f32>: the same bits as from f64, and what is computed for an
 * element: a size is made in f32 alone, a quotient divides once; what a transform computes. */
#include "compiler/graph/work.h"
#include "compiler/pipeline.h"
#include "compiler/planes/planes.h"
#include "runtime/eager/eager.h"
#include "tests/support/fuse_suite.h"
#include <complex.h>
#include <float.h>
#include <math.h>
#include <string.h>

enum { N = 1 << 14 };

static const char size_text[] = "func.func @main(%x: tensor<16384xcomplex<f32>>) -> tensor<16384xf32> {\n"
                                " %r = stablehlo.abs %x : (tensor<16384xcomplex<f32>>) -> tensor<16384xf32>\n"
                                " return %r : tensor<16384xf32>\n}\n",
                  quotient_text[] =
                      "func.func @main(%x: tensor<16384xcomplex<f32>>, %y: tensor<16384xcomplex<f32>>) ->"
                      " tensor<16384xcomplex<f32>> {\n"
                      " %r = stablehlo.divide %x, %y : tensor<16384xcomplex<f32>>\n"
                      " return %r : tensor<16384xcomplex<f32>>\n}\n";

/* Statements of the program for 16 lanes: of this op, or, OP_COUNT, of any in f64. */
static int count(const char *text, Op op)
{
    Arena a;
    Failure f = { 0 };
    int n = 0;
    arena_open(&a);
    const Program *p = pipeline_run(&(Pipeline){ .target = &wide }, &a, fuse_parsed(&a, text), &f);
    cr_assert(p, "%s", f.text);
    for (uint32_t k = 0; k < p->n_kernels; k++)
        for (uint32_t i = 0; i < p->kernels[k].n_stmts; i++) {
            const Stmt *s = &p->kernels[k].stmts[i];
            n += op == OP_COUNT ? s->dtype == WEFT_F64 : s->kind == ST_OP && s->op == op;
        }
    arena_free(&a);
    return n;
}

/* f64 is but a step in between: lanes are those of f32. */
static uint32_t lanes_of(const char *text)
{
    Arena a;
    Failure f = { 0 };
    uint32_t lanes = 0;
    arena_open(&a);
    const Program *p = pipeline_run(&(Pipeline){ .target = &wide }, &a, fuse_parsed(&a, text), &f);
    cr_assert(p, "%s", f.text);
    for (uint32_t i = 0; i < p->kernels[0].n_stmts; i++)
        if (p->kernels[0].stmts[i].lanes > lanes) lanes = p->kernels[0].stmts[i].lanes;
    arena_free(&a);
    return lanes;
}

Test(complex, work)
{
    cr_expect_eq(lanes_of(quotient_text), 16);
    cr_expect_eq(count(size_text, OP_COUNT), 0);
    cr_expect_eq(count(quotient_text, OP_DIV), 1);
}

/* Column sums of what lies in turn are those of twice as many columns: lanes read neighbours. */
static void sums_columns(DType type, const Target *target)
{
    Arena a;
    Failure f = { 0 };
    int in_lanes = 0, across = 0;
    GRAPH(g);
    GIVES(g, build_reduce(g, OP_ADD, build_param(g, TYPE(type, 300, 200)), (int64_t[]){ 0 }, 1));
    arena_open(&a);
    const Program *p = pipeline_run(&(Pipeline){ .target = target }, &a, g, &f);
    cr_assert(p, "%s", f.text);
    cr_assert_eq(p->n_kernels, 1);
    for (uint32_t i = 0; i < p->kernels[0].n_stmts; i++) {
        const Stmt *s = &p->kernels[0].stmts[i];
        in_lanes += s->kind == ST_LOOP && s->lanes > 1 && s->extent == 400;
        for (uint32_t t = 0; s->kind == ST_LOAD && t < s->address.n_terms; t++)
            across += p->kernels[0].stmts[s->address.terms[t].of].lanes > 1 && s->address.terms[t].coef != 1;
    }
    cr_expect(in_lanes > 0 && across == 0, "%s, %d bytes: %d loops in lanes, %d loads across",
              dtype_name(type), target->vector_bytes, in_lanes, across);
    arena_free(&a);
    arena_free(&g_arena);
}

Test(complex, sums_of_columns)
{
    Target narrow = wide;
    narrow.vector_bytes = 32, narrow.vector_registers = 16;
    sums_columns(WEFT_C64, &wide);
    sums_columns(WEFT_C128, &wide);
    sums_columns(WEFT_C64, &narrow);
    sums_columns(WEFT_C128, &narrow);
    GRAPH(g);
    Ref x = build_param(g, F32(40, 37, 2)), sum[2];
    for (int k = 0; k < 2; k++)
        sum[k] = build_reduce(g, OP_ADD, build_slice_along(g, x, 2, k, k + 1, 1), (int64_t[]){ 0 }, 1);
    GIVES(g, build_concatenate(g, sum, 2, 1));
    fuse_compare("sums of columns in turn", g);
    arena_free(&g_arena);
}

/* What the transform of n numbers computes, for each of them. */
static double flops_of(int64_t n)
{
    Arena a;
    Failure f = { 0 };
    arena_open(&a);
    Graph *g = graph_new(&a, NULL);
    Ref x = build_param(g, (Type){ WEFT_C64, 1, &n }), y = build_fft(g, FFT_FORWARD, x, &n, 1);
    graph_set_outputs(g, &y, 1);
    const Graph *parts = planes(&a, g, false, &f);
    cr_assert(parts, "%s", f.text);
    double flops = graph_work(parts).flops / (double)n;
    arena_free(&a);
    return flops;
}

/* Primes of many columns are transformed by products; all of the length by Bluestein's algorithm takes four
 * times as much as a power of two. */
Test(complex, transforms_of_primes)
{
    cr_expect_lt(flops_of(17 << 10), 2 * flops_of(16 << 10));
    cr_expect_lt(flops_of(17 * 19 << 6), 2.5 * flops_of(16 << 10));
    cr_expect_lt(flops_of(10007), 6 * flops_of(16 << 10));
}

/* Parts of all exponents, parts alike, and every pair of what is special. */
static void fill(Values *in, unsigned seed)
{
    static const float special[] = { 0,   -0.0f,     1,          -2.5f,   INFINITY, -INFINITY,
                                     NAN, 0x1p-149f, -0x1p-149f, FLT_MIN, FLT_MAX,  -FLT_MAX };
    enum { SPECIAL = sizeof special / sizeof *special };
    for (uint32_t k = 0; k < in->n; k++) {
        float *x = in->at[k];
        for (int i = 0; i < 2 * N; i++) {
            seed = seed * 1664525u + 1013904223u;
            int exponent = i % 4 < 2 ? (int)(seed >> 24) % 250 - 126 : 0;
            x[i] = ldexpf((float)(seed >> 8 & 0xffff) / 0x1p15f - 1, exponent);
        }
        for (int i = 0; i < 2 * N && i < SPECIAL * SPECIAL * SPECIAL * SPECIAL / 2; i++) {
            int pair = k ? i / 2 % (SPECIAL * SPECIAL) : i / 2 / SPECIAL % (SPECIAL * SPECIAL);
            if (i / 2 % 3 == 0) x[i] = special[i % 2 ? pair % SPECIAL : pair / SPECIAL];
        }
    }
}

static float bad_by(float got, double want)
{
    float w = (float)want;
    if (isnan(w) || isnan(got)) return isnan(w) && isnan(got) ? 0 : INFINITY;
    if (isinf(w) || isinf(got)) return w == got ? 0 : INFINITY;
    double unit = fabs(want) < FLT_MIN ? 0x1p-149 : ldexp(1, ilogb(want) - 23);
    return (float)(fabs(got - want) / unit);
}

static void run(Arena *a, const char *text, Values *in, Values *out)
{
    Failure f = { 0 };
    const Graph *g = planes(a, fuse_parsed(a, text), false, &f);
    cr_assert(g, "%s", f.text);
    *in = values_of_params(g), *out = values_of_outputs(g);
    fill(in, 7);
    cr_assert(eager_graph(g, (const void *const *)in->at, out->at, &heap, &f), "%s", f.text);
}

Test(complex, sizes)
{
    Arena a;
    Values in, out;
    arena_open(&a);
    run(&a, size_text, &in, &out);
    for (int i = 0; i < N; i++) {
        const float *x = (const float *)in.at[0] + 2 * i;
        float got = ((const float *)out.at[0])[i];
        double want = hypot(x[0], x[1]), most = want < FLT_MIN ? 0.75 : 0.5001;
        cr_assert(bad_by(got, want) <= most, "|%a %+ai| is %a, not %a", x[0], x[1], got, want);
    }
    values_free(&in), values_free(&out);
    fuse_compare("sizes", fuse_parsed(&a, size_text));
    arena_free(&a);
}

Test(complex, quotients)
{
    Arena a;
    Values in, out;
    arena_open(&a);
    run(&a, quotient_text, &in, &out);
    for (int i = 0; i < N; i++) {
        const float *x = (const float *)in.at[0] + 2 * i, *y = (const float *)in.at[1] + 2 * i,
                    *got = (const float *)out.at[0] + 2 * i;
        double complex q = __builtin_complex(x[0], x[1]) / __builtin_complex(y[0], y[1]);
        cr_assert(bad_by(got[0], creal(q)) <= 0.5001f && bad_by(got[1], cimag(q)) <= 0.5001f,
                  "(%a %+ai) / (%a %+ai) is %a %+ai, not %a %+ai", x[0], x[1], y[0], y[1], got[0], got[1],
                  creal(q), cimag(q));
    }
    values_free(&in), values_free(&out);
    fuse_compare("quotients", fuse_parsed(&a, quotient_text));
    arena_free(&a);
}
