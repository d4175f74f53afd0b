/* test_conv_holes.c: convolutions of operands with holes between their elements, as transposed ones and the
 * gradients of strided ones are, of any layout and padding; and that holes are not multiplied. */
#include "compiler/pipeline.h"
#include "runtime/eager/eager.h"
#include "fuse_words.h"
#include <stdio.h>

static uint64_t state;

static int64_t any(int64_t from, int64_t to)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return from + (int64_t)((state >> 33) % (uint64_t)(to - from + 1));
}

/* Axes in any order; or the features last. */
static void any_order(int64_t *axis, int rank, bool last)
{
    for (int i = 0; i < rank; i++) axis[i] = i;
    if (last) {
        axis[1] = rank - 1;
        for (int i = 2; i < rank; i++) axis[i] = i - 1;
        return;
    }
    for (int i = rank; i-- > 1;) {
        int64_t k = any(0, i), kept = axis[i];
        axis[i] = axis[k];
        axis[k] = kept;
    }
}

typedef struct Shapes {
    int64_t x[WEFT_MAX_RANK], w[WEFT_MAX_RANK];
} Shapes;

static ConvDims any_conv(Shapes *s)
{
    static const int64_t side[] = { 0, 300, 17, 7 };
    ConvDims d = { .spatial = (int)any(1, 3), .feature_groups = 1, .batch_groups = 1 };
    int rank = d.spatial + 2;
    int64_t groups = any(0, 3) ? 1 : any(2, 3), in = any(1, 7), out = any(1, 9), batch = any(1, 3);
    bool by_batch = any(0, 1);
    any_order(d.lhs, rank, any(0, 1));
    any_order(d.rhs, rank, false);
    any_order(d.out, rank, any(0, 1));
    if (by_batch) d.batch_groups = groups;
    else d.feature_groups = groups;
    s->x[d.lhs[0]] = by_batch ? batch * groups : batch;
    s->x[d.lhs[1]] = by_batch ? in : in * groups;
    s->w[d.rhs[0]] = in;
    s->w[d.rhs[1]] = out * groups;
    for (int i = 0; i < d.spatial; i++) {
        s->x[d.lhs[2 + i]] = any(1, side[d.spatial]);
        s->w[d.rhs[2 + i]] = any(1, 5);
        d.stride[i] = any(0, 7) ? 1 : 2;
        d.dilation[i] = any(0, 7) ? 1 : 2;
        d.base_dilation[i] = any(1, 4);
        d.reverse[i] = any(0, 1);
        d.low[i] = any(-3, 9);
        d.high[i] = any(-3, 9);
    }
    return d;
}

static bool has_places(const ConvDims *d, const Shapes *s)
{
    Type x = { WEFT_F32, (uint8_t)(d->spatial + 2), s->x }, w = { WEFT_F32, x.rank, s->w };
    for (int i = 0; i < d->spatial; i++)
        if (conv_count(d, i, x, w) < 1) return false;
    return true;
}

/* Eager mode knows nothing of it. */
static void agrees(const char *what, const Graph *g)
{
    Failure wrong = { 0 };
    Values in = fuse_inputs(g, 1, -3, 16), want = values_of_outputs(g);
    cr_assert(eager_graph(g, (const void *const *)in.at, want.at, &heap, &wrong), "%s: %s", what, wrong.text);
    for (int mode = MODE_STRICT; mode >= MODE_DEFAULT; mode--)
        fuse_code_agrees(what, g, (NumericMode)mode, &in, &want);
    values_free(&in), values_free(&want);
}

Test(conv_holes, all_layouts)
{
    int tried = 0;
    for (state = 1; tried < 60;) {
        Shapes s;
        ConvDims d = any_conv(&s);
        if (!has_places(&d, &s)) continue;
        char what[40];
        GRAPH(g);
        Type x = { WEFT_F32, (uint8_t)(d.spatial + 2), s.x }, w = { WEFT_F32, x.rank, s.w };
        Ref a = build_param(g, x), b = build_param(g, w), y = build_conv(g, &d, a, b, WEFT_F32);
        snprintf(what, sizeof what, "convolution %d", tried++);
        GIVES(g, y);
        agrees(what, g);
        arena_free(&g_arena);
    }
}

/* Windows no longer than the steps between the elements, so that each sees one of them, or none. */
Test(conv_holes, all_layouts_of_windows_of_one_element)
{
    static const int64_t side[] = { 0, 300, 12, 4 };
    int tried = 0;
    for (state = 7; tried < 40;) {
        Shapes s;
        ConvDims d = any_conv(&s);
        if (d.feature_groups * d.batch_groups > 1) continue;
        for (int i = 0; i < d.spatial; i++) {
            d.stride[i] = d.dilation[i] = 1;
            d.base_dilation[i] = any(2, 7);
            s.w[d.rhs[2 + i]] = any(1, d.base_dilation[i]);
            s.x[d.lhs[2 + i]] = any(1, side[d.spatial]);
        }
        Type x = { WEFT_F32, (uint8_t)(d.spatial + 2), s.x }, w = { WEFT_F32, x.rank, s.w };
        if (!has_places(&d, &s) || type_count(x) * type_count(w) < 1 << 14) continue;
        char what[40];
        GRAPH(g);
        Ref y = build_conv(g, &d, build_param(g, x), build_param(g, w), WEFT_F32);
        snprintf(what, sizeof what, "window of one element %d", tried++);
        GIVES(g, y);
        agrees(what, g);
        arena_free(&g_arena);
    }
}

/* Multiplications of floats in the program. */
static double products(const Graph *g, Arena *a)
{
    Failure f = { 0 };
    const Program *p = pipeline_run(&(Pipeline){ .target = &wide }, a, g, &f);
    cr_assert(p, "%s", f.text);
    double all = 0, times[MAX_LOOP_DEPTH + 1] = { 1 };
    for (uint32_t k = 0; k < p->n_kernels; k++) {
        int depth = 0;
        for (uint32_t i = 0; i < p->kernels[k].n_stmts; i++) {
            const Stmt *s = &p->kernels[k].stmts[i];
            if (s->kind == ST_LOOP) times[depth + 1] = times[depth] * (double)s->extent, depth++;
            else if (s->kind == ST_END) depth--;
            else if (s->kind == ST_OP && (s->op == OP_MUL || s->op == OP_FMA) && s->dtype == WEFT_F32)
                all += times[depth];
        }
    }
    return all;
}

/* side x side of 8 to 8 features over n x n elements that are `step` apart: how many products. */
static double products_of(int n, int side, int step, int low, int high)
{
    enum { FEATURES = 8 };
    ConvDims d = conv_of_images(1);
    for (int i = 0; i < 2; i++) d.base_dilation[i] = step, d.low[i] = low, d.high[i] = high;
    GRAPH(g);
    Ref x = build_param(g, F32(1, n, n, FEATURES)), w = build_param(g, F32(side, side, FEATURES, FEATURES));
    GIVES(g, build_conv(g, &d, x, w, WEFT_F32));
    double all = products(g, &g_arena);
    arena_free(&g_arena);
    return all;
}

/* 3 x 3 to 2 n x 2 n places: 9 products for four of them instead of 36; 8 x 8 by steps of 8: each once. */
Test(conv_holes, are_not_multiplied)
{
    double three = products_of(16, 3, 2, 1, 2), eight = products_of(6, 8, 8, 7, 7);
    cr_expect_eq(three, 9. * 16 * 16 * 8 * 8, "%g", three);
    cr_expect_eq(eight, 64. * 6 * 6 * 8 * 8, "%g", eight);
}
