/* test_conv.c: convolutions against their definition, one product after the other in double, for axes in any
 * order, strides, paddings, dilations, groups; and what the pass expand makes of each against eager mode, bit
 * for bit. */
#include "compiler/graph/attributes.h"
#include "compiler/graph/check.h"
#include "compiler/passes/expand/expand.h"
#include "runtime/eager/eager.h"
#include "tests/support/graph_suite.h"
#include <criterion/criterion.h>
#include <math.h>

TestSuite(conv, .init = open_arena, .fini = close_arena, .timeout = 120);

typedef struct Conv {
    ConvDims d;
    Type x, w, y;
} Conv;

/* The element of an array at [first, second, spatial...] by role. */
static double at(Type t, const void *data, const int64_t *axes, int64_t first, int64_t second,
                 const int64_t *spatial)
{
    int64_t index[WEFT_MAX_RANK], place = 0;
    index[axes[0]] = first;
    index[axes[1]] = second;
    for (int i = 0; i + 2 < t.rank; i++) index[axes[2 + i]] = spatial[i];
    for (int i = 0; i < t.rank; i++) place = place * t.dim[i] + index[i];
    return get(t, data, place);
}

static bool next(int64_t *index, int n, const int64_t *size)
{
    for (int i = n; i-- > 0; index[i] = 0)
        if (++index[i] < size[i]) return true;
    return false;
}

/* As StableHLO's specification says it: padded and dilated with zeros, group by group. */
static double expected(const Conv *c, const void *x, const void *w, int64_t n, int64_t f,
                       const int64_t *place, double *size)
{
    const ConvDims *d = &c->d;
    int64_t groups = d->feature_groups * d->batch_groups, inputs = c->w.dim[d->rhs[0]],
            group = f / (c->w.dim[d->rhs[1]] / groups), k[WEFT_MAX_RANK] = { 0 }, from[WEFT_MAX_RANK],
            turned[WEFT_MAX_RANK], window[WEFT_MAX_RANK];
    double sum = 0;
    for (int i = 0; i < d->spatial; i++) window[i] = c->w.dim[d->rhs[2 + i]];
    do {
        bool inside = true;
        for (int i = 0; i < d->spatial; i++) {
            int64_t p = place[i] * d->stride[i] + k[i] * d->dilation[i] - d->low[i];
            from[i] = p / d->base_dilation[i];
            inside &= p >= 0 && p % d->base_dilation[i] == 0 && from[i] < c->x.dim[d->lhs[2 + i]];
            turned[i] = d->reverse[i] ? window[i] - 1 - k[i] : k[i];
        }
        for (int64_t i = 0; inside && i < inputs; i++) {
            int64_t example = d->batch_groups > 1 ? group * c->y.dim[d->out[0]] + n : n,
                    feature = d->feature_groups > 1 ? group * inputs + i : i;
            double term = at(c->x, x, d->lhs, example, feature, from) * at(c->w, w, d->rhs, i, f, turned);
            sum += term;
            *size += fabs(term);
        }
    } while (next(k, d->spatial, window));
    return sum;
}

static void check_results(const char *name, const Conv *c, const void *x, const void *w, const void *y)
{
    const ConvDims *d = &c->d;
    int64_t place[WEFT_MAX_RANK] = { 0 }, places[WEFT_MAX_RANK];
    if (type_count(c->y) == 0) return;
    for (int i = 0; i < d->spatial; i++) places[i] = c->y.dim[d->out[2 + i]];
    do
        for (int64_t n = 0; n < c->y.dim[d->out[0]]; n++)
            for (int64_t f = 0; f < c->y.dim[d->out[1]]; f++) {
                double size = 0, want = type_count(c->w) ? expected(c, x, w, n, f, place, &size) : 0,
                       got = at(c->y, y, d->out, n, f, place);
                cr_assert(fabs(got - want) <= 1e-12 * size, "%s: %.15g, not %.15g", name, got, want);
            }
    while (next(place, d->spatial, places));
}

static void roles(int64_t *axes, int rank)
{
    for (int i = 0; i < rank; i++) axes[i] = i;
    for (int i = rank; i-- > 1;) {
        int k = (int)random_below((uint32_t)i + 1);
        int64_t kept = axes[i];
        axes[i] = axes[k];
        axes[k] = kept;
    }
}

static int64_t between(int64_t low, int64_t high) { return low + random_below((uint32_t)(high - low + 1)); }

/* kind 0: no groups, 1: of features, 2: of examples. */
static Conv random_conv(int spatial, int kind)
{
    Conv c = { .d = { .spatial = spatial, .feature_groups = 1, .batch_groups = 1 } };
    ConvDims *d = &c.d;
    int rank = spatial + 2;
    int64_t *x = arena_alloc(&arena, 2 * (size_t)rank * sizeof *x), *w = x + rank,
            groups = kind ? between(2, 3) : 1;
    if (kind) *(kind == 1 ? &d->feature_groups : &d->batch_groups) = groups;
    roles(d->lhs, rank);
    roles(d->rhs, rank);
    roles(d->out, rank);
    w[d->rhs[0]] = between(1, 3);
    w[d->rhs[1]] = groups * between(1, 3);
    x[d->lhs[0]] = between(1, 2) * d->batch_groups;
    x[d->lhs[1]] = w[d->rhs[0]] * d->feature_groups;
    for (int i = 0; i < spatial; i++) {
        bool plain = random_below(4) == 0;
        x[d->lhs[2 + i]] = between(plain ? 4 : 0, 7);
        w[d->rhs[2 + i]] = between(random_below(20) == 0 ? 0 : 1, 4);
        d->stride[i] = plain ? 1 : between(1, 3);
        d->low[i] = plain ? 0 : between(-2, 4);
        d->high[i] = plain ? 0 : between(-2, 4);
        d->base_dilation[i] = plain ? 1 : between(1, 3);
        d->dilation[i] = plain ? 1 : between(1, 2);
        d->reverse[i] = random_below(3) == 0;
    }
    c.x = (Type){ WEFT_F64, (uint8_t)rank, x };
    c.w = (Type){ WEFT_F64, (uint8_t)rank, w };
    return c;
}

/* The graph of it, in this type. */
static Graph *graph_of(Conv *c, DType t)
{
    Graph *g = graph_new(&arena, NULL);
    c->x.dtype = c->w.dtype = (uint8_t)t;
    Ref x = build_param(g, c->x), w = build_param(g, c->w), y = build_conv(g, &c->d, x, w, t);
    cr_assert_neq(y, REF_NONE, "%s", g->failure.text);
    c->y = graph_type(g, y);
    graph_set_outputs(g, &y, 1);
    return g;
}

static void check(int k, int spatial, int kind)
{
    static const DType types[] = { WEFT_F64, WEFT_F32, WEFT_BF16, WEFT_I8, WEFT_BOOL, WEFT_U64 };
    Conv c = random_conv(spatial, kind);
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        Graph *g = graph_of(&c, types[i]);
        const Graph *e = expand(&arena, g, k % 2, false, true);
        const char *name = arena_printf(&arena, "convolution %d, %d spatial, kind %d", k, spatial, kind);
        Failure f = { 0 };
        cr_assert_eq(e->failure.code, WEFT_OK, "%s: %s", name, e->failure.text);
        cr_assert(graph_check(e, &f), "%s: %s", name, f.text);
        for (Ref r = 0; r < e->n_nodes; r++) cr_assert_neq(e->nodes[r].op, OP_CONVOLUTION);
        void *x = room(c.x), *w = room(c.w);
        for (int64_t n = 0; n < type_count(c.x); n++) put(c.x, x, n, (double)random_below(200) / 16 - 6);
        for (int64_t n = 0; n < type_count(c.w); n++) put(c.w, w, n, (double)random_below(200) / 16 - 6);
        const void *in[] = { x, w };
        void **y = outputs_of(g), **z = outputs_of(e);
        eager_run(g, in, y);
        eager_run(e, in, z);
        if (types[i] == WEFT_F64) check_results(name, &c, x, w, y[0]);
        cr_assert_lt(differs_at(c.y, y[0], z[0]), 0, "%s: eager and expanded differ in %s", name,
                     dtype_name(types[i]));
    }
    arena_free(&arena);
}

Test(conv, as_defined)
{
    for (int k = 0; k < 400; k++) check(k, k % 4, k / 4 % 3);
}

/* 0 times infinity in the padding, as the specification has it. */
Test(conv, padding_is_multiplied)
{
    Conv c = {
        .d = { 1, 1, 1, { 0, 1, 2 }, { 0, 1, 2 }, { 0, 1, 2 }, { 1 }, { 1 }, { 0 }, { 1 }, { 1 }, { 0 } },
        .x = { WEFT_F32, 3, (int64_t[]){ 1, 1, 2 } },
        .w = { WEFT_F32, 3, (int64_t[]){ 1, 1, 2 } }
    };
    Graph *g = graph_of(&c, WEFT_F32);
    float x[] = { 1, 2 }, w[] = { INFINITY, 1 }, y[2];
    eager_run(g, (const void *[]){ x, w }, (void *[]){ y });
    cr_expect(isnan(y[0]));
    cr_expect_eq(y[1], INFINITY);
}

static void refuse(ConvDims d, const char *x, const char *w, DType t, const char *want)
{
    Graph *g = graph_new(&arena, NULL);
    Type tx, tw;
    int64_t dx[WEFT_MAX_RANK], dw[WEFT_MAX_RANK];
    tx = (Type){ WEFT_F32, 0, dx };
    tw = (Type){ WEFT_F32, 0, dw };
    for (; *x; x++) dx[tx.rank++] = *x - '0';
    for (; *w; w++) dw[tw.rank++] = *w - '0';
    Ref r = build_conv(g, &d, build_param(g, tx), build_param(g, tw), t);
    cr_expect_eq(r, REF_NONE, "%s", want);
    cr_expect(strstr(g->failure.text, want), "%s, not %s", g->failure.text, want);
}

Test(conv, refused)
{
    const ConvDims ok = { 1,     1,     1,     { 0, 2, 1 }, { 1, 2, 0 }, { 0, 2, 1 },
                          { 1 }, { 0 }, { 0 }, { 1 },       { 1 },       { 0 } };
    ConvDims d;
    refuse(ok, "253", "234", WEFT_I32, "products of f32 cannot be summed as i32");
    refuse(ok, "253", "23", WEFT_F32,
           "operand f32[2,5,3] and weights f32[2,3] must have the same rank, 2 or more");
    refuse(ok, "25", "23", WEFT_F32, "the convolution's 17 attribute numbers do not fit f32[2,5]");
    refuse(ok, "253", "224", WEFT_F32, "weights f32[2,2,4] take 2 input features, but f32[2,5,3] has 3");
#define REFUSE(field, value, want) \
    d = ok; \
    d.field = value; \
    refuse(d, "253", "234", WEFT_F32, want)
    REFUSE(lhs[1], 3, "axis 3 of the operand is out of range (0 to 2)");
    REFUSE(rhs[1], 0, "axis 0 of the weights is named twice");
    REFUSE(out[1], -1, "axis -1 of the result is out of range (0 to 2)");
    REFUSE(stride[0], 0, "stride 0 of spatial axis 0 must be 1 to");
    REFUSE(base_dilation[0], -1, "operand dilation -1 of spatial axis 0 must be 1 to");
    REFUSE(dilation[0], INT64_MAX, "window dilation 9223372036854775807 of spatial axis 0 must be 1 to");
    REFUSE(low[0], INT64_MIN, "padding -9223372036854775808, 0 of spatial axis 0 must be");
    REFUSE(reverse[0], 2, "window_reversal");
    REFUSE(feature_groups, 0, "0 feature groups and 1 batch groups (each must be 1 or more)");
    REFUSE(feature_groups, 2, "2 feature groups do not divide 3 input features");
    REFUSE(feature_groups, 3, "3 feature groups do not divide 4 output features");
    REFUSE(batch_groups, 3, "3 batch groups do not divide 2 examples");
    d.feature_groups = 2;
    refuse(d, "253", "234", WEFT_F32, "2 feature groups and 3 batch groups: one of them must be 1");
    d = ok;
    d.feature_groups = 3;
    refuse(d, "253", "236", WEFT_F32,
           "weights f32[2,3,6] take 3 input features, but f32[2,5,3] has 1 in each group");
}
