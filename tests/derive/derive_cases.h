/* derive_cases.h: for the suites of derivatives: graphs of one op, and operands where it is smooth. */
#ifndef WEFT_TESTS_DERIVE_CASES_H
#define WEFT_TESTS_DERIVE_CASES_H
#include "compiler/graph/check.h"
#include "compiler/graph/infer/infer.h"
#include "tests/support/graph_suite.h"
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>

enum { MOST = 16 }; /* parameters, outputs, of values and tangents together */

static inline double random_between(double low, double high)
{
    return low + (high - low) * random_below(1 << 20) / (1 << 20);
}
static inline bool is_float(const Graph *g, Ref r) { return dtype_is_float((DType)graph_type(g, r).dtype); }

static inline void *random_smooth(Type t, double low, double high)
{
    void *p = room(t);
    for (int64_t i = 0; i < type_count(t); i++)
        put(t, p, i, dtype_is_float((DType)t.dtype) ? random_between(low, high) : (double)random_below(3));
    return p;
}

static inline void sound(const char *name, const Graph *g)
{
    Failure f = { 0 };
    cr_assert(graph_check(g, &f), "%s: %s", name, f.text);
}

static inline const void *const *inputs_of(const Graph *g, double low, double high)
{
    const void **in = arena_alloc(&arena, (g->n_params + 1) * sizeof *in);
    for (uint32_t p = 0; p < g->n_params; p++) in[p] = random_smooth(graph_type(g, g->params[p]), low, high);
    return in;
}

static inline void same_floats(const char *name, const Graph *g, Ref output, const void *a, const void *b)
{
    Type t = graph_type(g, output);
    for (int64_t i = 0; i < type_count(t); i++)
        cr_expect(fabs(get(t, a, i) - get(t, b, i)) <= 1e-10 * fmax(1, fabs(get(t, b, i))),
                  "%s: element %lld: %.15g against %.15g", name, (long long)i, get(t, a, i), get(t, b, i));
}

/* x + h t, of floats */
static inline const void *moved(Type t, const void *x, const void *dx, double h)
{
    void *p = room(t);
    for (int64_t i = 0; i < type_count(t); i++) put(t, p, i, get(t, x, i) + h * get(t, dx, i));
    return p;
}

/* Where an elementwise op is smooth: its operands are drawn from there. */
static const struct {
    Op op;
    double low, high, low2, high2;
} domain[] = {
    { OP_ACOSH, 1.2, 3, 0, 0 },       { OP_POLYGAMMA, 1, 1, 0.5, 3 }, { OP_ZETA, 2, 4, 0.5, 3 },
    { OP_REM, 5.2, 5.8, 1.6, 1.7 },   { OP_LGAMMA, 0.5, 4, 0, 0 },    { OP_DIGAMMA, 0.5, 4, 0, 0 },
    { OP_BESSEL_I1E, -20, 20, 0, 0 }, { OP_SIN, -3, 3, 0, 0 },        { OP_TANH, -3, 3, 0, 0 },
    { OP_LOGISTIC, -3, 3, 0, 0 },     { OP_CBRT, 0.3, 3, 0, 0 },      { OP_ATAN2, -2, -0.5, 0.5, 2 },
    { OP_DIV, -2, 2, 0.5, 2 },        { OP_MUL, -2, 2, -2, 2 },
};

static inline const void *operand(Op op, uint32_t i, Type t)
{
    double low = 0.2, high = 0.8;
    for (size_t k = 0; k < sizeof domain / sizeof *domain; k++)
        if (domain[k].op == op)
            low = i ? domain[k].low2 : domain[k].low, high = i ? domain[k].high2 : domain[k].high;
    return random_smooth(t, low, high);
}

/* One elementwise op over [7] of this type, or NULL: it does not take or give it. */
static inline Graph *elementwise(Op op, DType type)
{
    static const int64_t dim[] = { 7 }, precision[] = { 11, 52 }, order[] = { CMP_LT, ORDER_FLOAT };
    if (!op_is_ew(op) || !infer_takes(op, type)) return NULL;
    Graph *g = graph_new(&arena, NULL);
    Ref args[3];
    for (int i = 0; i < op_info[op].args; i++)
        args[i] = build_param(g, (Type){ (uint8_t)(op == OP_SELECT && i == 0 ? WEFT_BOOL : type), 1, dim });
    NodeSpec s = { .op = op, .args = args, .n_args = (uint32_t)op_info[op].args, .dtype = type };
    if (op == OP_REDUCE_PRECISION) s.attr = precision, s.n_attr = 2;
    if (op == OP_COMPARE) s.attr = order, s.n_attr = 2;
    Ref y = graph_add(g, &s);
    cr_assert_neq(y, REF_NONE, "%s: %s", op_info[op].name, g->failure.text);
    graph_set_outputs(g, &y, 1);
    return g;
}

/* All subsets of active operands that the op has derivatives by. */
static inline bool has_derivative(Op op, uint32_t active)
{
    return !((op == OP_POLYGAMMA || op == OP_ZETA) && active & 1);
}

/* Regions of two scalars; LARGEST: the larger and its number, of four. */
enum { SUM = 1, LATER, DIFFERENCE, PRODUCT, LARGER, SMALLER, CURVED, LARGEST, FIRST };

static inline const Graph *region_of(int which, DType t)
{
    static const Op ops[] = {
        [SUM] = OP_ADD, [DIFFERENCE] = OP_SUB, [PRODUCT] = OP_MUL, [LARGER] = OP_MAX, [SMALLER] = OP_MIN
    };
    Graph *r = graph_new(&arena, NULL);
    Type f = { (uint8_t)t, 0, NULL }, i = { WEFT_I32, 0, NULL };
    Ref a = build_param(r, f), at = which == LARGEST ? build_param(r, i) : REF_NONE, b = build_param(r, f),
        out;
    if (which == LARGEST) {
        Ref keep = build_compare(r, CMP_GE, a, b), bt = build_param(r, i);
        graph_set_outputs(r, (Ref[]){ build_select(r, keep, a, b), build_select(r, keep, at, bt) }, 2);
        return r;
    }
    if (which == LATER) out = b;
    else if (which == FIRST) out = build_compare(r, CMP_LT, a, b);
    else if (which == CURVED)
        out = build_binary(r, OP_ADD, build_unary(r, OP_SIN, a), build_binary(r, OP_MUL, a, b));
    else out = build_binary(r, ops[which], a, b);
    graph_set_outputs(r, &out, 1);
    return r;
}

static inline const Graph *region(int which) { return which ? region_of(which, WEFT_F64) : NULL; }

#define G OP_GATHER
#define S OP_SCATTER
#define U OP_DYNAMIC_UPDATE_SLICE
#define C OP_CONVOLUTION
#define W OP_REDUCE_WINDOW
static const struct {
    Case c;
    int region;
} rows[] = {
    { { .op = OP_SELECT, .args = "bool f64[2,3] f64[2,3]" }, 0 },
    { { .op = OP_CLAMP, .args = "f64 f64[3] f64" }, 0 },
    { { OP_BROADCAST, "f64[3,1]", 2, { 2, 0 }, "f64[2,2,3]", NULL }, 0 },
    { { OP_RESHAPE, "f64[2,3]", 0, { 0 }, "f64[3,1,2]", NULL }, 0 },
    { { OP_TRANSPOSE, "f64[2,3,4]", 3, { 2, 0, 1 }, NULL, NULL }, 0 },
    { { OP_SLICE, "f64[5,3]", 6, { 1, 0, 5, 2, 2, 1 }, NULL, NULL }, 0 },
    { { OP_REVERSE, "f64[2,3]", 1, { 1 }, NULL, NULL }, 0 },
    { { OP_PAD, "f64[3,4] f64", 6, { -1, 2, 1, -2, 1, 0 }, NULL, NULL }, 0 },
    { { OP_CONCATENATE, "f64[2,3] f64[2,1] f64[2,2]", 1, { 1 }, NULL, NULL }, 0 },
    { { OP_CONVERT, "f64[3]", 0, { 0 }, "f64", NULL }, 0 },
    { { OP_CONVERT, "i32[3]", 0, { 0 }, "f64", NULL }, 0 },
    { { OP_REDUCE, "f64[3,70]", 2, { OP_ADD, 1 }, NULL, NULL }, 0 },
    { { OP_REDUCE, "f64[3,4]", 2, { OP_MUL, 0 }, NULL, NULL }, 0 },
    { { OP_REDUCE, "f64[3,5,2]", 3, { OP_MUL, 0, 2 }, NULL, NULL }, 0 },
    { { OP_REDUCE, "f64[7]", 2, { OP_MUL, 0 }, NULL, NULL }, 0 },
    { { OP_REDUCE, "f64[0,2]", 2, { OP_MUL, 0 }, NULL, NULL }, 0 },
    { { OP_REDUCE, "f64[2,0]", 2, { OP_MUL, 0 }, NULL, NULL }, 0 },
    { { OP_REDUCE, "f64[3,4]", 1, { OP_MUL }, NULL, NULL }, 0 },
    { { OP_REDUCE, "f64[3,4,2]", 3, { OP_MAX, 0, 2 }, NULL, NULL }, 0 },
    { { OP_REDUCE, "f64[3,4]", 2, { OP_MIN, 1 }, NULL, NULL }, 0 },
    { { OP_ARGMAX, "f64[3,4]", 1, { 1 }, "i32", NULL }, 0 },
    { { OP_REDUCE_REGION, "f64[3] f64", 1, { 0 }, NULL, NULL }, SUM },
    { { OP_REDUCE_REGION, "f64[2,3,2] f64", 2, { 0, 2 }, NULL, NULL }, DIFFERENCE },
    { { OP_REDUCE_REGION, "f64[2,3,2] f64", 2, { 0, 2 }, NULL, NULL }, PRODUCT },
    { { OP_REDUCE_REGION, "f64[2,3] f64", 1, { 1 }, NULL, NULL }, LARGER },
    { { OP_REDUCE_REGION, "f64[2,0] f64", 1, { 1 }, NULL, NULL }, SMALLER },
    { { OP_REDUCE_REGION, "f64[2,3] f64", 1, { 1 }, NULL, NULL }, LATER },
    { { OP_REDUCE_REGION, "f64[2,3,2] f64", 2, { 1, 2 }, NULL, NULL }, CURVED },
    { { OP_REDUCE_REGION, "f64[2,0] f64", 1, { 1 }, NULL, NULL }, CURVED },
    { { OP_REDUCE_REGION, "f64[2,3] f64", 0, { 0 }, NULL, NULL }, CURVED },
    { { OP_REDUCE_REGION, "f64[2,3] i32[2,3] f64 i32", 1, { 1 }, NULL, NULL }, LARGEST },
    { { OP_DOT, "f64[2,3] f64[3,4]", 4, { 0, 1, 1, 0 }, "f64", NULL }, 0 },
    { { OP_DOT, "f64[2,5,3] f64[3,4,5]", 6, { 1, 1, 1, 2, 2, 0 }, "f64", NULL }, 0 },
    /* [feature groups, batch groups] axes of operand, weights, result; stride low high base_dilation dilation
     * reverse */
    { { C, "f64[2,5,3] f64[2,3,4]", 17, { 1, 1, 0, 2, 1, 1, 2, 0, 0, 2, 1, 2, 1, 1, 1, 1, 0 }, "f64", NULL },
      0 },
    { { C, "f64[2,4,5] f64[6,2,2]", 17, { 2, 1, 0, 1, 2, 1, 0, 2, 0, 1, 2, 1, 0, 2, 2, 2, 1 }, "f64", NULL },
      0 },
    { { C, "f64[4,3,5] f64[3,2,6]", 17, { 1, 2, 0, 1, 2, 0, 2, 1, 2, 0, 1, 3, -1, 2, 1, 1, 1 }, "f64", NULL },
      0 },
    { { C, "f64[2,0,3] f64[2,3,4]", 17, { 1, 1, 0, 2, 1, 1, 2, 0, 0, 2, 1, 2, 1, 1, 1, 1, 0 }, "f64", NULL },
      0 },
    { { G, "f64[5] i32[3]", 8, { 0, 1, 0, 1, 1, 0, 0, 1 }, NULL, NULL }, 0 },
    { { G, "f64[3,6,2] i32[1,4,3]", 13, { 1, 1, 1, 1, 0, 0, 1, 0, 2, 1, 1, 1, 2 }, NULL, NULL }, 0 },
    /* [n_update_window n_inserted n_batching n_map index_vector_dim unique sorted] update_window inserted
     * input_batching indices_batching map */
    { { S, "f64[5] i32[3,1] f64[3]", 9, { 0, 1, 0, 1, 1, 0, 0, 0, 0 }, NULL, NULL }, SUM },
    { { S, "f64[5] i32[3,1] f64[3]", 9, { 0, 1, 0, 1, 1, 0, 0, 0, 0 }, NULL, NULL }, LATER },
    { { S, "f64[5] i32[3,1] f64[3]", 9, { 0, 1, 0, 1, 1, 0, 0, 0, 0 }, NULL, NULL }, LARGER },
    { { S, "f64[5] i32[1,1] f64[1]", 9, { 0, 1, 0, 1, 1, 1, 0, 0, 0 }, NULL, NULL }, LATER },
    { { S, "f64[5] i32[1,1] f64[1]", 9, { 0, 1, 0, 1, 1, 1, 0, 0, 0 }, NULL, NULL }, PRODUCT },
    { { S, "f64[5] i32[3,1] f64[3]", 9, { 0, 1, 0, 1, 1, 0, 0, 0, 0 }, NULL, NULL }, PRODUCT },
    { { S, "f64[5,3] i32[2,1] f64[2,3]", 10, { 1, 1, 0, 1, 1, 0, 0, 1, 0, 0 }, NULL, NULL }, CURVED },
    { { S, "f64[6,4] i8[2,3] f64[2,3,3]", 11, { 2, 0, 0, 2, 0, 0, 0, 0, 1, 1, 0 }, NULL, NULL }, CURVED },
    { { S, "f64[3,6] u8[3,2,1] f64[3,2]", 11, { 0, 1, 1, 1, 2, 0, 0, 1, 0, 0, 1 }, NULL, NULL }, DIFFERENCE },
    { { S, "f64[5] i32[5] i32[3,1] f64[3] i32[3]", 9, { 0, 1, 0, 1, 1, 0, 0, 0, 0 }, NULL, NULL }, LARGEST },
    { { S, "f64[6,4] i32[2] f64[2,3]", 11, { 2, 0, 0, 2, 0, 0, 0, 0, 1, 0, 1 }, NULL, NULL }, CURVED },
    { { S, "f64[6,4] i32[2] f64[2,3]", 11, { 2, 0, 0, 2, 0, 0, 0, 0, 1, 0, 1 }, NULL, NULL }, LATER },
    { { S, "f64[6,4] i8[2,3] f64[2,3,3]", 11, { 2, 0, 0, 2, 0, 0, 0, 0, 1, 1, 0 }, NULL, NULL }, LATER },
    { { S, "f64[6,4] i8[2,3] f64[2,3,3]", 11, { 2, 0, 0, 2, 0, 0, 0, 0, 1, 1, 0 }, NULL, NULL }, SMALLER },
    { { S, "f64[3,6] u8[3,2,1] f64[3,2]", 11, { 0, 1, 1, 1, 2, 0, 0, 1, 0, 0, 1 }, NULL, NULL }, SUM },
    { { S, "f64[3,6] u8[3,2,1] f64[3,2]", 11, { 0, 1, 1, 1, 2, 0, 0, 1, 0, 0, 1 }, NULL, NULL }, LATER },
    { { S, "f64[3,6] u8[3,2,1] f64[3,2]", 11, { 0, 1, 1, 1, 2, 0, 0, 1, 0, 0, 1 }, NULL, NULL }, LARGER },
    { { OP_DYNAMIC_SLICE, "f64[5,6] i32 i32", 2, { 2, 3 }, NULL, NULL }, 0 },
    { { U, "f64[5,6] f64[2,3] i32 i32", 0, { 0 }, NULL, NULL }, 0 },
    /* window strides base_dilations window_dilations low high */
    { { W, "f64[6] f64", 6, { 3, 2, 1, 1, 1, 1 }, NULL, NULL }, SUM },
    { { W, "f64[6] f64", 6, { 3, 2, 1, 1, 1, 1 }, NULL, NULL }, CURVED },
    { { W, "f64[6] f64", 6, { 3, 2, 1, 1, 1, 1 }, NULL, NULL }, LARGER },
    { { W, "f64[4,5] f64", 12, { 2, 3, 1, 2, 2, 1, 1, 2, -1, 2, 1, -1 }, NULL, NULL }, CURVED },
    { { W, "f64[4,5] f64", 12, { 2, 3, 1, 2, 2, 1, 1, 2, -1, 2, 1, -1 }, NULL, NULL }, SMALLER },
    { { W, "f64[4] i32[4] f64 i32", 6, { 2, 1, 1, 1, 0, 1 }, NULL, NULL }, LARGEST },
    { { W, "f64[0] f64", 6, { 1, 1, 1, 1, 1, 1 }, NULL, NULL }, LARGER },
    { { W, "f64 f64", 0, { 0 }, NULL, NULL }, PRODUCT },
    { { OP_CUMULATIVE, "f64[3,40]", 3, { OP_ADD, 1, 0 }, NULL, NULL }, 0 },
    { { OP_CUMULATIVE, "f64[3,7]", 3, { OP_MUL, 1, 0 }, NULL, NULL }, 0 },
    { { OP_CUMULATIVE, "f64[8,2]", 3, { OP_MUL, 0, 1 }, NULL, NULL }, 0 },
    { { OP_CUMULATIVE, "f64[3,9]", 3, { OP_MAX, 1, 1 }, NULL, NULL }, 0 },
    { { OP_CUMULATIVE, "f64[1]", 3, { OP_MIN, 0, 0 }, NULL, NULL }, 0 },
    { { OP_CUMULATIVE, "f64[2]", 3, { OP_MIN, 0, 0 }, NULL, NULL }, 0 },
    { { OP_CUMULATIVE, "f64[0]", 3, { OP_MIN, 0, 0 }, NULL, NULL }, 0 },
    { { OP_SORT, "f64[3,5]", 2, { 1, 1 }, NULL, NULL }, FIRST },
    { { OP_SORT, "f64[4,2]", 2, { 0, 0 }, NULL, NULL }, FIRST },
};
#undef G
#undef S
#undef U
#undef W

#endif
