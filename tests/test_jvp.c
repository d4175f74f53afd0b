/* Forward mode: for every op that takes floats, tangents against central differences in f64; narrower types against f64. */
#include "compiler/derive/jvp.h"
#include "compiler/graph/check.h"
#include "compiler/graph/infer.h"
#include "compiler/passes/vmap.h"
#include "control_programs.h"
#include "graph_support.h"
#include "runtime/eager/eager.h"
#include "widen.h"
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>

enum { MOST = 16 };                     /* parameters, outputs, of values and tangents together */

static Guard guard;
static Arena arena;
static uint64_t random_state = 88172645463325252u;

static void open_arena(void)  { arena_init(&arena, &support_allocator, &guard); }
static void close_arena(void) { arena_free(&arena); }
TestSuite(jvp, .init = open_arena, .fini = close_arena, .timeout = 120);

static uint32_t random_below(uint32_t n)
{
    random_state ^= random_state << 13, random_state ^= random_state >> 7, random_state ^= random_state << 17;
    return (uint32_t)(random_state >> 33) % n;
}

static double random_between(double low, double high) { return low + (high - low) * random_below(1 << 20) / (1 << 20); }
static void  *room(Type t) { return arena_alloc(&arena, (size_t)type_count(t) * dtype_bytes((DType)t.dtype) + 16); }
static bool   is_float(const Graph *g, Ref r) { return dtype_is_float((DType)graph_type(g, r).dtype); }

static double get(Type t, const void *p, int64_t i)
{
    return scalar_to_double((DType)t.dtype, scalar_load((DType)t.dtype, (const char *)p + (size_t)i * dtype_bytes((DType)t.dtype)));
}

static void put(Type t, void *p, int64_t i, double v)
{
    scalar_store((DType)t.dtype, (char *)p + (size_t)i * dtype_bytes((DType)t.dtype), scalar_from_double((DType)t.dtype, v));
}

static void *random_array(Type t, double low, double high)
{
    void *p = room(t);
    for (int64_t i = 0; i < type_count(t); i++) put(t, p, i, dtype_is_float((DType)t.dtype) ? random_between(low, high) : (double)random_below(3));
    return p;
}

static void run(const Graph *g, const void *const *in, void *const *out)
{
    Failure f = { 0 };
    cr_assert(eager_graph(g, in, out, &support_allocator, &f), "%s", f.text);
}

static void **outputs_of(const Graph *g)
{
    void **out = arena_alloc(&arena, MOST * sizeof *out);
    cr_assert(g->n_outputs <= MOST && g->n_params <= MOST);
    for (uint32_t i = 0; i < g->n_outputs; i++) out[i] = room(graph_type(g, g->outputs[i]));
    return out;
}

/* x + h t, of floats */
static const void *moved(Type t, const void *x, const void *dx, double h)
{
    void *p = room(t);
    for (int64_t i = 0; i < type_count(t); i++) put(t, p, i, get(t, x, i) + h * get(t, dx, i));
    return p;
}

static Graph *derive(const char *name, const Graph *g, const bool *active, const bool *want)
{
    Failure f = { 0 };
    Graph *d = jvp_graph(&arena, g, active, want, &f);
    cr_assert(d, "%s: %s", name, f.text);
    cr_assert(graph_check(d, &f), "%s: %s", name, f.text);
    return d;
}

/* The parameters in `active` (bits) and all float outputs. */
static Graph *derive_by(const char *name, const Graph *g, uint32_t active)
{
    bool on[MOST] = { 0 }, want[MOST] = { 0 };
    for (uint32_t i = 0; i < g->n_params; i++) on[i] = (active >> i & 1) && is_float(g, g->params[i]);
    for (uint32_t i = 0; i < g->n_outputs; i++) want[i] = is_float(g, g->outputs[i]);
    return derive(name, g, on, want);
}

/* Tangents by jvp against ((f(x + h t) - f(x - h t)) / 2h), of a graph of f64. */
static void against_differences(const char *name, const Graph *g, const void *const *x, uint32_t active, double tolerance)
{
    const double h = 1e-6;
    const void *in[MOST], *up[MOST], *down[MOST];
    const Graph *d = derive_by(name, g, active);
    uint32_t at = g->n_params, to = g->n_outputs;
    for (uint32_t i = 0; i < g->n_params; i++) {
        Type t = graph_type(g, g->params[i]);
        in[i] = up[i] = down[i] = x[i];
        if (!(active >> i & 1) || !is_float(g, g->params[i])) continue;
        in[at] = random_array(t, -1, 1);
        up[i] = moved(t, x[i], in[at], h);
        down[i] = moved(t, x[i], in[at++], -h);
    }
    cr_assert_eq(at, d->n_params, "%s", name);
    void **got = outputs_of(d), **above = outputs_of(g), **below = outputs_of(g);
    run(d, in, got);
    run(g, up, above);
    run(g, down, below);
    for (uint32_t i = 0; i < g->n_outputs; i++) {
        Type t = graph_type(g, g->outputs[i]);
        if (!is_float(g, g->outputs[i])) continue;
        for (int64_t k = 0; k < type_count(t); k++) {
            double want = (get(t, above[i], k) - get(t, below[i], k)) / (2 * h), have = get(t, got[to], k);
            cr_expect(fabs(have - want) <= tolerance * fmax(1, fabs(want)), "%s by %x: output %u, element %lld: %.12g, differences say %.12g", name, active, i,
                      (long long)k, have, want);
        }
        to++;
    }
    cr_assert_eq(to, d->n_outputs, "%s", name);
}

/* Where an elementwise op is smooth: its operands are drawn from there. */
static const struct { Op op; double low, high, low2, high2; } domain[] = {
    { OP_ACOSH, 1.2, 3, 0, 0 }, { OP_POLYGAMMA, 1, 1, 0.5, 3 }, { OP_ZETA, 2, 4, 0.5, 3 }, { OP_REM, 5.2, 5.8, 1.6, 1.7 }, { OP_LGAMMA, 0.5, 4, 0, 0 },
    { OP_DIGAMMA, 0.5, 4, 0, 0 }, { OP_BESSEL_I1E, -20, 20, 0, 0 }, { OP_SIN, -3, 3, 0, 0 }, { OP_TANH, -3, 3, 0, 0 }, { OP_LOGISTIC, -3, 3, 0, 0 },
    { OP_CBRT, 0.3, 3, 0, 0 }, { OP_ATAN2, -2, -0.5, 0.5, 2 }, { OP_DIV, -2, 2, 0.5, 2 }, { OP_MUL, -2, 2, -2, 2 },
};

static const void *operand(Op op, uint32_t i, Type t)
{
    double low = 0.2, high = 0.8;
    for (size_t k = 0; k < sizeof domain / sizeof *domain; k++)
        if (domain[k].op == op) low = i ? domain[k].low2 : domain[k].low, high = i ? domain[k].high2 : domain[k].high;
    return random_array(t, low, high);
}

/* One elementwise op over [7] of this type, or NULL: it does not take or give it. */
static Graph *elementwise(Op op, DType type)
{
    static const int64_t dim[] = { 7 }, precision[] = { 11, 52 }, order[] = { CMP_LT, ORDER_FLOAT };
    if (!op_is_ew(op) || !infer_takes(op, type)) return NULL;
    Graph *g = graph_new(&arena, NULL);
    Ref args[3];
    for (int i = 0; i < op_info[op].args; i++) args[i] = build_param(g, (Type){ (uint8_t)(op == OP_SELECT && i == 0 ? WEFT_BOOL : type), 1, dim });
    NodeSpec s = { .op = op, .args = args, .n_args = (uint32_t)op_info[op].args, .dtype = type };
    if (op == OP_REDUCE_PRECISION) s.attr = precision, s.n_attr = 2;
    if (op == OP_COMPARE) s.attr = order, s.n_attr = 2;
    Ref y = graph_add(g, &s);
    cr_assert_neq(y, REF_NONE, "%s: %s", op_info[op].name, g->failure.text);
    graph_set_outputs(g, &y, 1);
    return g;
}

/* All subsets of active operands that the op has derivatives by. */
static bool has_derivative(Op op, uint32_t active) { return !((op == OP_POLYGAMMA || op == OP_ZETA) && active & 1); }

Test(jvp, elementwise_ops_are_their_differences)
{
    for (int op = 0; op < OP_COUNT; op++) {
        Graph *g = elementwise((Op)op, WEFT_F64);
        if (!g || op == OP_STOP_GRADIENT || op == OP_NEXT_AFTER) continue;
        const void *x[3];
        for (uint32_t i = 0; i < g->n_params; i++) x[i] = operand((Op)op, i, graph_type(g, g->params[i]));
        for (uint32_t active = 0; active < 1u << g->n_params; active++)
            if (has_derivative((Op)op, active)) against_differences(op_info[op].name, g, x, active, 2e-7);
    }
}

/* Regions of two scalars; LARGEST: the larger and its number, of four. */
enum { SUM = 1, LATER, DIFFERENCE, PRODUCT, LARGER, SMALLER, CURVED, LARGEST, FIRST };

static const Graph *region_of(int which, DType t)
{
    static const Op ops[] = { [SUM] = OP_ADD, [DIFFERENCE] = OP_SUB, [PRODUCT] = OP_MUL, [LARGER] = OP_MAX, [SMALLER] = OP_MIN };
    Graph *r = graph_new(&arena, NULL);
    Type f = { (uint8_t)t, 0, NULL }, i = { WEFT_I32, 0, NULL };
    Ref a = build_param(r, f), at = which == LARGEST ? build_param(r, i) : REF_NONE, b = build_param(r, f), out;
    if (which == LARGEST) {
        Ref keep = build_compare(r, CMP_GE, a, b), bt = build_param(r, i);
        graph_set_outputs(r, (Ref[]){ build_select(r, keep, a, b), build_select(r, keep, at, bt) }, 2);
        return r;
    }
    if (which == LATER) out = b;
    else if (which == FIRST) out = build_compare(r, CMP_LT, a, b);
    else if (which == CURVED) out = build_binary(r, OP_ADD, build_unary(r, OP_SIN, a), build_binary(r, OP_MUL, a, b));
    else out = build_binary(r, ops[which], a, b);
    graph_set_outputs(r, &out, 1);
    return r;
}

static const Graph *region(int which) { return which ? region_of(which, WEFT_F64) : NULL; }

#define G OP_GATHER
#define S OP_SCATTER
#define U OP_DYNAMIC_UPDATE_SLICE
#define W OP_REDUCE_WINDOW
static const struct { Case c; int region; } rows[] = {
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
    { { G, "f64[5] i32[3]", 8, { 0, 1, 0, 1, 1, 0, 0, 1 }, NULL, NULL }, 0 },
    { { G, "f64[3,6,2] i32[1,4,3]", 13, { 1, 1, 1, 1, 0, 0, 1, 0, 2, 1, 1, 1, 2 }, NULL, NULL }, 0 },
    /* [n_update_window n_inserted n_batching n_map index_vector_dim unique sorted] update_window inserted input_batching indices_batching map */
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

static void set_output(Graph *g, Ref r)
{
    Ref out[MOST];
    uint32_t n = graph_node(g, r)->n_results;
    for (uint32_t i = 0; i < n; i++) out[i] = build_result(g, r, (int)i);
    graph_set_outputs(g, out, n);
}

Test(jvp, other_ops_are_their_differences)
{
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        Graph *g = graph_new(&arena, NULL);
        Ref r = support_case(g, &rows[i].c, region(rows[i].region));
        cr_assert_neq(r, REF_NONE, "row %zu: %s", i, g->failure.text);
        set_output(g, r);
        char name[64];
        snprintf(name, sizeof name, "row %zu, %s", i, op_info[rows[i].c.op].name);
        const void *x[MOST];
        for (int k = 0; k < 4; k++) {
            for (uint32_t p = 0; p < g->n_params; p++) x[p] = random_array(graph_type(g, g->params[p]), -2, 2);
            for (uint32_t active = 0; active < 1u << g->n_params; active++) against_differences(name, g, x, active, 2e-7);
        }
        arena_free(&arena);
    }
}

/* What is scattered is combined by another region than a sum. */
Test(jvp, select_and_scatter_by_any_region)
{
    static const int which[] = { SUM, PRODUCT, CURVED };
    for (int k = 0; k < 3; k++) {
        Graph *g = graph_new(&arena, NULL), *select = graph_new(&arena, NULL);
        Type f = { WEFT_F64, 0, NULL };
        Ref a = build_param(select, f), b = build_param(select, f), first = build_compare(select, CMP_GE, a, b);
        graph_set_outputs(select, &first, 1);
        const Graph *regions[] = { select, region(which[k]) };
        Ref args[] = { build_param(g, (Type){ WEFT_F64, 2, (int64_t[]){ 4, 3 } }), build_param(g, (Type){ WEFT_F64, 2, (int64_t[]){ 3, 2 } }), build_param(g, f) };
        set_output(g, graph_add(g, &(NodeSpec){ .op = OP_SELECT_AND_SCATTER, .args = args, .n_args = 3, .attr = (int64_t[]){ 2, 2, 1, 1, 0, 0, 0, 0 }, .n_attr = 8,
                                                .regions = regions, .n_regions = 2 }));
        const void *x[3];
        for (uint32_t p = 0; p < 3; p++) x[p] = random_array(graph_type(g, g->params[p]), -2, 2);
        for (uint32_t active = 0; active < 8; active++) against_differences("select and scatter", g, x, active, 2e-7);
    }
}

static bool has_op(const Graph *g, Op op)
{
    for (Ref r = 0; r < g->n_nodes; r++) {
        if (g->nodes[r].op == op) return true;
        for (uint32_t i = 0; i < g->nodes[r].n_regions; i++)
            if (has_op(g->nodes[r].regions[i], op)) return true;
    }
    return false;
}

/* Each program of control_programs.h, in f64. What stops gradients, and forward mode of a reverse rule, have tests of their own. */
Test(jvp, programs_with_regions_are_their_differences)
{
    for (size_t i = 0; i < N_CONTROL_PROGRAMS; i++) {
        const Graph *g = widened(&arena, control_programs[i].make(&arena));
        const void *x[MOST];
        if (!g || has_op(g, OP_STOP_GRADIENT) || has_op(g, OP_CUSTOM_VJP)) continue;
        for (int k = 0; k < 4; k++) {
            for (uint32_t p = 0; p < g->n_params; p++) x[p] = random_array(graph_type(g, g->params[p]), -2, 2);
            for (uint32_t active = 0; active < 1u << g->n_params; active++) against_differences(control_programs[i].name, g, x, active, 2e-7);
        }
        arena_free(&arena);
    }
}

/* Derived twice: by a parameter, and what comes out by all that is a float then. */
Test(jvp, second_derivatives_are_differences_of_first_ones)
{
    for (size_t i = 0; i < N_CONTROL_PROGRAMS; i++) {
        const Graph *g = widened(&arena, control_programs[i].make(&arena));
        const void *x[MOST];
        if (!g || has_op(g, OP_STOP_GRADIENT) || has_op(g, OP_CUSTOM_VJP)) continue;
        const Graph *d = derive_by(control_programs[i].name, g, 7);
        for (uint32_t p = 0; p < d->n_params; p++) x[p] = random_array(graph_type(d, d->params[p]), -2, 2);
        against_differences(control_programs[i].name, d, x, (1u << d->n_params) - 1, 2e-7);
        arena_free(&arena);
    }
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        Graph *g = graph_new(&arena, NULL);
        const void *x[MOST];
        set_output(g, support_case(g, &rows[i].c, region(rows[i].region)));
        char name[64];
        snprintf(name, sizeof name, "row %zu, %s", i, op_info[rows[i].c.op].name);
        const Graph *d = derive_by(name, g, 7);
        for (uint32_t p = 0; p < d->n_params; p++) x[p] = random_array(graph_type(d, d->params[p]), -2, 2);
        against_differences(name, d, x, (1u << d->n_params) - 1, 2e-7);
        arena_free(&arena);
    }
    for (int op = 0; op < OP_COUNT; op++) {
        Graph *g = elementwise((Op)op, WEFT_F64);
        if (!g || op == OP_STOP_GRADIENT || op == OP_NEXT_AFTER) continue;
        uint32_t by = has_derivative((Op)op, 7) ? 7 : 2;
        const Graph *d = derive_by(op_info[op].name, g, by);
        const void *x[MOST];
        for (uint32_t p = 0; p < d->n_params; p++) x[p] = p < g->n_params ? operand((Op)op, p, graph_type(d, d->params[p])) : random_array(graph_type(d, d->params[p]), -1, 1);
        against_differences(op_info[op].name, d, x, ((1u << d->n_params) - 1) & ~(7u ^ by), 5e-7);
        arena_free(&arena);
    }
}

/* ---- JAX's values, of tests/data/jvp.txt */

static bool agrees(double got, double want, double tolerance)
{
    if (isnan(got) || isnan(want)) return isnan(got) && isnan(want);
    if (isinf(got) || isinf(want)) return got == want;
    return fabs(got - want) <= tolerance * fmax(1, fabs(want));
}

static int read_numbers(char *text, double *to, int most)
{
    int n = 0;
    for (char *end; n < most; text = end) {
        double v = strtod(text, &end);
        if (end == text) break;
        to[n++] = v;
    }
    return n;
}

static Op op_named(const char *name)
{
    for (int op = 0; op < OP_COUNT; op++)
        if (!strcmp(op_info[op].name, name)) return (Op)op;
    cr_assert_fail("op %s", name);
    return OP_COUNT;
}

/* Where JAX has something else: 0 by a base to the power 0 for exponents of integer type only; NaN for trigamma at infinity, 1/2 for Bessel's at NaN. */
static bool point_differs_from_jax(Op op, uint32_t by, const double *x)
{
    return (op == OP_POW && by == 0 && x[1] == 0) || (op == OP_DIGAMMA && x[0] == INFINITY) || (op == OP_BESSEL_I1E && isnan(x[0]));
}

/* Where a NaN is the extreme, JAX's maximum of windows and of scatters takes another element's tangent, or none. */
static bool array_differs_from_jax(const char *name, const double *x)
{
    bool any = false;
    for (int i = 0; i < 6; i++) any |= isnan(x[i]);
    return any && (!strncmp(name, "window", 6) || !strcmp(name, "scatter_max"));
}

static void check_point(const char *line, Op op, uint32_t by, const double *x, double want)
{
    Graph *g = graph_new(&arena, NULL);
    Type f = { WEFT_F64, 0, NULL };
    Ref args[] = { build_param(g, f), op_info[op].args == 2 ? build_param(g, f) : REF_NONE };
    double one = 1, values[2];
    Ref y = graph_add(g, &(NodeSpec){ .op = op, .args = args, .n_args = (uint32_t)op_info[op].args });
    graph_set_outputs(g, &y, 1);
    const Graph *d = derive_by(line, g, 1u << by);
    const void *in[] = { &x[0], op_info[op].args == 2 ? &x[1] : &one, &one };
    run(d, in, (void *[]){ &values[0], &values[1] });
    cr_expect(agrees(values[1], want, 1e-9), "%s: %.17g, not %.17g", line, values[1], want);
}

#define WINDOW(op, stride, pad) window_of(g, x, op, stride, pad)
static Ref window_of(Graph *g, Ref x, Op op, int64_t stride, int64_t pad)
{
    Ref start = build_number(g, WEFT_F64, op == OP_MAX ? -INFINITY : INFINITY);
    return graph_add(g, &(NodeSpec){ .op = OP_REDUCE_WINDOW, .args = (Ref[]){ x, start }, .n_args = 2, .attr = (int64_t[]){ 3, stride, 1, 1, pad, pad }, .n_attr = 6,
                                     .region = region(op == OP_MAX ? LARGER : SMALLER) });
}

static Ref scatter_of(Graph *g, Ref x, int which, const int32_t *places)
{
    Ref start = build_splat(g, (Type){ WEFT_F64, 1, (int64_t[]){ 3 } }, scalar_from_double(WEFT_F64, 2));
    Ref at = build_constant(g, (Type){ WEFT_I32, 1, (int64_t[]){ 6 } }, places);
    return graph_add(g, &(NodeSpec){ .op = OP_SCATTER, .args = (Ref[]){ start, at, x }, .n_args = 3, .attr = (int64_t[]){ 0, 1, 0, 1, 1, 0, 0, 0, 0 }, .n_attr = 9,
                                     .region = region(which) });
}

static Ref spread(Graph *g, Ref scalar) { return build_broadcast(g, scalar, (int64_t[]){ 6 }, 1, NULL); }

static Ref exponentials(Graph *g, Ref x, Ref largest)
{
    return build_unary(g, OP_EXP, build_binary(g, OP_SUB, x, spread(g, build_unary(g, OP_STOP_GRADIENT, largest))));
}

/* The case of that name over x: f64[6]. */
static Ref array_case(Graph *g, const char *name, Ref x)
{
    static const int32_t around[] = { 0, 1, 0, 1, 2, 2 }, beyond[] = { 0, 1, 0, 1, 2, 7 };
    Ref one = build_splat(g, graph_type(g, x), scalar_from_double(WEFT_F64, 1)), out;
#define CASE(text, ...) if (!strcmp(name, text)) return (__VA_ARGS__)
    int64_t axis = 0;
    CASE("reduce_max", build_reduce(g, OP_MAX, x, &axis, 1));
    CASE("reduce_min", build_reduce(g, OP_MIN, x, &axis, 1));
    CASE("reduce_prod", build_reduce(g, OP_MUL, x, &axis, 1));
    CASE("reduce_sum", build_reduce(g, OP_ADD, x, &axis, 1));
    CASE("cummax", build_cumulative(g, OP_MAX, x, 0, false));
    CASE("cummin", build_cumulative(g, OP_MIN, x, 0, false));
    CASE("cumprod", build_cumulative(g, OP_MUL, x, 0, false));
    CASE("cummax_reverse", build_cumulative(g, OP_MAX, x, 0, true));
    CASE("cumprod_reverse", build_cumulative(g, OP_MUL, x, 0, true));
    CASE("sort", build_sort(g, &x, 1, 0, true, region(FIRST), &out) ? out : REF_NONE);
    CASE("window_max", WINDOW(OP_MAX, 1, 1));
    CASE("window_min", WINDOW(OP_MIN, 2, 0));
    CASE("where", build_select(g, build_compare(g, CMP_GT, x, one), build_binary(g, OP_MUL, x, x), build_unary(g, OP_NEG, x)));
    CASE("clamp", graph_add(g, &(NodeSpec){ .op = OP_CLAMP, .args = (Ref[]){ build_number(g, WEFT_F64, 1), x, build_number(g, WEFT_F64, 3) }, .n_args = 3 }));
    CASE("norm", build_unary(g, OP_SQRT, build_reduce(g, OP_ADD, build_binary(g, OP_MUL, x, x), &axis, 1)));
    CASE("relu", build_binary(g, OP_MAX, x, one));
    CASE("scatter_max", scatter_of(g, x, LARGER, around));
    CASE("scatter_set", scatter_of(g, x, LATER, beyond));
    CASE("scatter_add", scatter_of(g, x, SUM, beyond));
    Ref largest = build_reduce(g, OP_MAX, x, &axis, 1), e = exponentials(g, x, largest), sum = build_reduce(g, OP_ADD, e, &axis, 1);
    CASE("whole_softmax", build_binary(g, OP_DIV, e, spread(g, sum)));
    CASE("whole_logsumexp", build_binary(g, OP_ADD, build_unary(g, OP_LOG, sum), build_unary(g, OP_STOP_GRADIENT, largest)));
#undef CASE
    return REF_NONE;
}

static void check_array(const char *line, const char *name, const double *x, const double *jacobian, int n_jacobian)
{
    Graph *g = graph_new(&arena, NULL);
    Ref y = array_case(g, name, build_param(g, (Type){ WEFT_F64, 1, (int64_t[]){ 6 } }));
    cr_assert_neq(y, REF_NONE, "%s: %s", line, g->failure.text);
    graph_set_outputs(g, &y, 1);
    const Graph *d = derive_by(name, g, 1);
    int n_out = n_jacobian / 6;
    for (int i = 0; i < 6; i++) {
        double t[6] = { 0 }, values[6], tangents[6];
        t[i] = 1;
        run(d, (const void *[]){ x, t }, (void *[]){ values, tangents });
        for (int k = 0; k < n_out; k++)
            cr_expect(agrees(tangents[k], jacobian[6 * k + i], 1e-12), "%.40s...: by element %d, result %d: %.17g, not %.17g", line, i, k, tangents[k], jacobian[6 * k + i]);
    }
}

Test(jvp, singular_points_are_as_jax_has_them)
{
    FILE *f = fopen("tests/data/jvp.txt", "r");
    cr_assert(f, "tests/data/jvp.txt cannot be read");
    static char line[4096], copy[4096];
    int n_lines = 0;
    for (; fgets(line, sizeof line, f); n_lines++) {
        double x[8], want[40];
        line[strcspn(line, "\n")] = 0;
        strcpy(copy, line);
        char *save, *kind = strtok_r(copy, " ", &save), *name = strtok_r(NULL, " ", &save);
        uint32_t number = (uint32_t)atoi(strtok_r(NULL, kind[0] == 'p' ? " " : ":", &save));
        char *result = strrchr(save, ':') + 1;
        read_numbers(save, x, 8);
        int n = read_numbers(result, want, 40);
        if (kind[0] == 'a') {
            if (!array_differs_from_jax(name, x)) check_array(line, name, x, want, n);
        } else if (!point_differs_from_jax(op_named(name), number, x)) check_point(line, op_named(name), number, x, want[0]);
        arena_free(&arena);
    }
    fclose(f);
    cr_assert_gt(n_lines, 2000);
}

/* ---- all types, all ops */

/* Tangents in a narrow type against those in f64 of the same numbers. */
Test(jvp, narrow_types_are_f64_rounded)
{
    static const struct { DType type; double tolerance; } types[] = { { WEFT_F16, 1e-2 }, { WEFT_BF16, 6e-2 }, { WEFT_F32, 2e-6 } };
    for (int op = 0; op < OP_COUNT; op++)
        for (size_t k = 0; k < sizeof types / sizeof *types; k++) {
            Graph *g = elementwise((Op)op, types[k].type);
            const void *x[MOST], *wide_x[MOST];
            if (!g || !is_float(g, g->outputs[0])) continue;
            uint32_t by = has_derivative((Op)op, 7) ? 7 : 2;
            Graph *d = derive_by(op_info[op].name, g, by), *wide = derive_by(op_info[op].name, elementwise((Op)op, WEFT_F64), by);
            for (uint32_t p = 0; p < d->n_params; p++) {
                Type t = graph_type(d, d->params[p]), wide_t = graph_type(wide, wide->params[p]);
                x[p] = p < g->n_params ? operand((Op)op, p, t) : random_array(t, -1, 1);
                void *to = room(wide_t);
                for (int64_t i = 0; i < type_count(t); i++) put(wide_t, to, i, get(t, x[p], i));
                wide_x[p] = to;
            }
            void **got = outputs_of(d), **want = outputs_of(wide);
            run(d, x, got);
            run(wide, wide_x, want);
            for (int64_t i = 0; i < 7; i++) {
                double a = get(graph_type(d, d->outputs[1]), got[1], i), b = get(graph_type(wide, wide->outputs[1]), want[1], i);
                cr_expect(agrees(a, b, types[k].tolerance), "%s of %s: %.9g, not %.9g", op_info[op].name, dtype_name(types[k].type), a, b);
            }
            arena_free(&arena);
        }
}

/* The case with its floats in another type. */
static Graph *row_of(size_t i, DType t)
{
    Case c = rows[i].c;
    char *args = arena_printf(&arena, "%s", c.args);
    for (char *at; t != WEFT_F64 && (at = strstr(args, "f64")); ) args = arena_printf(&arena, "%.*s%s%s", (int)(at - args), args, dtype_name(t), at + 3);
    c.args = args;
    if (c.given && !strncmp(c.given, "f64", 3)) c.given = arena_printf(&arena, "%s%s", dtype_name(t), c.given + 3);
    Graph *g = graph_new(&arena, NULL);
    Ref r = support_case(g, &c, rows[i].region ? region_of(rows[i].region, t) : NULL);
    cr_assert_neq(r, REF_NONE, "row %zu: %s", i, g->failure.text);
    set_output(g, r);
    return g;
}

/* x in another type. */
static void *converted(Type from, const void *x, Type to)
{
    void *p = room(to);
    for (int64_t k = 0; k < type_count(to); k++) put(to, p, k, get(from, x, k));
    return p;
}

Test(jvp, other_ops_in_narrow_types_are_f64_rounded)
{
    static const struct { DType type; double tolerance; } types[] = { { WEFT_F16, 2e-2 }, { WEFT_BF16, 0.12 }, { WEFT_F32, 4e-6 } };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        for (size_t k = 0; k < sizeof types / sizeof *types; k++) {
            char name[64];
            snprintf(name, sizeof name, "row %zu, %s of %s", i, op_info[rows[i].c.op].name, dtype_name(types[k].type));
            const Graph *d = derive_by(name, row_of(i, types[k].type), 7), *wide = derive_by(name, row_of(i, WEFT_F64), 7);
            const void *x[MOST], *wide_x[MOST];
            for (uint32_t p = 0; p < d->n_params; p++) {
                x[p] = random_array(graph_type(d, d->params[p]), -1.25, 1.25);
                wide_x[p] = converted(graph_type(d, d->params[p]), x[p], graph_type(wide, wide->params[p]));
            }
            void **got = outputs_of(d), **want = outputs_of(wide);
            run(d, x, got);
            run(wide, wide_x, want);
            for (uint32_t o = 0; o < d->n_outputs; o++) {
                Type t = graph_type(d, d->outputs[o]), u = graph_type(wide, wide->outputs[o]);
                cr_assert(t.dtype == types[k].type || !dtype_is_float((DType)t.dtype), "%s", name);
                for (int64_t e = 0; e < type_count(t); e++)
                    cr_expect(agrees(get(t, got[o], e), get(u, want[o], e), types[k].tolerance), "%s: output %u, element %lld: %.9g, not %.9g", name, o, (long long)e, get(t, got[o], e),
                              get(u, want[o], e));
            }
            arena_free(&arena);
        }
}

Test(jvp, every_op_that_takes_floats_has_a_case)
{
    bool tested[OP_COUNT] = { [OP_PARAMETER] = true, [OP_CONSTANT] = true, [OP_IOTA] = true, [OP_RESULT] = true, [OP_ARGMIN] = true, [OP_FOREIGN] = true,
                              [OP_BACKWARD] = true };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) tested[rows[i].c.op] = true;
    for (size_t i = 0; i < N_CONTROL_PROGRAMS; i++) tested[control_programs[i].op] = true;
    for (int op = 0; op < OP_COUNT; op++) cr_expect(tested[op] || op_is_ew((Op)op), "%s", op_info[op].name);
}

static void expect_refusal(const Graph *g, uint32_t active, const char *want)
{
    bool on[MOST] = { 0 }, give[MOST] = { 0 };
    Failure f = { 0 };
    for (uint32_t i = 0; i < g->n_params; i++) on[i] = active >> i & 1;
    for (uint32_t i = 0; i < g->n_outputs; i++) give[i] = is_float(g, g->outputs[i]);
    cr_expect_null(jvp_graph(&arena, g, on, give, &f), "without \"%s\"", want);
    cr_expect(f.code != WEFT_OK && strstr(f.text, want), "\"%s\" without \"%s\"", f.text, want);
}

Test(jvp, what_has_no_derivative_says_so)
{
    Type v = { WEFT_F32, 1, (const int64_t[]){ 3 } };
    for (int k = 0; k < 2; k++) {
        Graph *g = graph_new(&arena, NULL);
        Ref a = build_param(g, v), b = build_param(g, v);
        g->loc = graph_loc(g, "demo.c:7");
        Ref y = build_binary(g, k ? OP_ZETA : OP_POLYGAMMA, a, b);
        graph_set_outputs(g, &y, 1);
        expect_refusal(g, 1, k ? "the derivative of ZETA (demo.c:7): there is none by its first operand, the exponent" : "the derivative of POLYGAMMA (demo.c:7): there is none");
        cr_expect_not_null(derive_by("by the second", g, 2));
    }
    Graph *g = graph_new(&arena, NULL);
    Ref x = build_param(g, v), out[2];
    g->loc = graph_loc(g, "demo.c:9");
    build_foreign(g, &program_foreign_op, 0, (int64_t[]){ 3 }, 1, &x, 1, (Type[]){ program_v, program_f }, 2, out);
    graph_set_outputs(g, out, 2);
    expect_refusal(g, 1, "the derivative of FOREIGN (demo.c:9): reversed is a C function, whose derivative nobody knows: wrap it by weft_custom_jvp or weft_custom_vjp");
    Ref loop, stopped = build_unary(g, OP_STOP_GRADIENT, out[1]);
    graph_set_outputs(g, &stopped, 1);
    cr_expect_not_null(derive_by("a stopped call", g, 1));
    graph_set_outputs(g, out, 1);
    Graph *outer = graph_new(&arena, NULL);
    x = build_param(outer, v);
    outer->loc = graph_loc(outer, "demo.c:12");
    build_scan(outer, (ScanShape){ .length = 2, .unroll = 1, .n_carry = 1 }, g, &x, &loop);
    graph_set_outputs(outer, &loop, 1);
    expect_refusal(outer, 1, "the derivative of SCAN (demo.c:12): the derivative of FOREIGN (demo.c:9): reversed");
}

/* Only what is wanted is derived: an auxiliary result may come from what has no derivative. */
Test(jvp, tangents_that_nobody_wants_are_not_asked_for)
{
    Graph *g = program_foreign(&arena);
    g->outputs[0] = build_reduce(g, OP_ADD, g->params[1], (int64_t[]){ 0 }, 1);
    Graph *d = derive("foreign", g, (bool[]){ true, true }, (bool[]){ true, false });
    cr_expect_eq(d->n_outputs, 3);
    cr_expect_eq(d->n_params, 4);
}

/* The same in a loop: what a step gives beside its carries. */
Test(jvp, tangents_that_nobody_wants_of_a_loop_are_not_asked_for)
{
    Graph *body = graph_new(&arena, NULL);
    Ref carry = build_param(body, program_v), call[2], out[2], x;
    build_foreign(body, &program_foreign_op, 0, (int64_t[]){ 3 }, 1, &carry, 1, (Type[]){ program_v, program_f }, 2, call);
    graph_set_outputs(body, (Ref[]){ build_unary(body, OP_SIN, carry), call[1] }, 2);
    Graph *g = graph_new(&arena, NULL);
    x = build_param(g, program_v);
    build_scan(g, (ScanShape){ .length = 2, .unroll = 1, .n_carry = 1 }, body, &x, out);
    graph_set_outputs(g, out, 2);
    cr_expect_eq(derive("scan", g, (bool[]){ true }, (bool[]){ true, false })->n_outputs, 3);
    expect_refusal(g, 1, "reversed is a C function");
}

Test(jvp, zero_tangents_are_zeros_only_where_they_are_wanted)
{
    Graph *g = graph_new(&arena, NULL);
    Ref x = build_param(g, (Type){ WEFT_F32, 1, (const int64_t[]){ 3 } }), c = build_param(g, (Type){ WEFT_F32, 1, (const int64_t[]){ 3 } });
    Ref out[] = { build_unary(g, OP_FLOOR, x), build_unary(g, OP_STOP_GRADIENT, x), build_convert(g, build_convert(g, x, WEFT_I32), WEFT_F32), c,
                  build_binary(g, OP_ADD, x, build_unary(g, OP_SIN, c)) };
    graph_set_outputs(g, out, 5);
    bool *active = jvp_active_outputs(&arena, g, (bool[]){ true, false });
    const Graph *d = derive("zeros", g, (bool[]){ true, false }, (bool[]){ true, true, true, true, true });
    for (int i = 0; i < 4; i++) {
        cr_expect_not(active[i]);
        cr_expect_eq(graph_node(d, d->outputs[5 + i])->op, OP_CONSTANT);
    }
    cr_expect(active[4]);
    cr_expect_eq(d->outputs[9], d->params[2], "the tangent of x + sin(c) is that of x");
}

/* A custom_vjp: its forward rule, and the map that its backward rule is the transpose of. */
Test(jvp, reverse_rules_become_their_transposes)
{
    Graph *g = program_custom_vjp(&arena);
    const Graph *d = derive_by("custom vjp", g, 1);
    Ref r = REF_NONE;
    for (Ref i = 0; i < d->n_nodes; i++)
        if (d->nodes[i].op == OP_BACKWARD) r = i;
    cr_assert_neq(r, REF_NONE);
    const Node *n = graph_node(d, r);
    cr_expect_eq(n->n_args - (uint32_t)n->attr[0], 2, "a tangent of each float argument");
    cr_expect_eq(graph_node(d, n->args[n->attr[0]])->op, OP_PARAMETER);
    cr_expect_eq(graph_node(d, n->args[n->attr[0] + 1])->op, OP_CONSTANT, "zeros where it is not active");
    expect_refusal(d, 1, "the derivative of BACKWARD");
    cr_expect_not_null(derive_by("by the tangent", d, 1u << g->n_params));
}

/* The untaken branch's NaN and infinity stay there. */
Test(jvp, what_is_not_chosen_does_not_matter)
{
    Graph *g = graph_new(&arena, NULL);
    Type f = { WEFT_F64, 0, NULL };
    Ref x = build_param(g, f), zero = build_number(g, WEFT_F64, 0), positive = build_compare(g, CMP_GT, x, zero);
    Ref out[] = { build_select(g, positive, build_unary(g, OP_LOG, x), build_unary(g, OP_NEG, x)), build_binary(g, OP_MAX, build_unary(g, OP_SQRT, x), zero),
                  graph_add(g, &(NodeSpec){ .op = OP_CLAMP, .args = (Ref[]){ zero, build_unary(g, OP_SQRT, x), build_number(g, WEFT_F64, 1) }, .n_args = 3 }) };
    graph_set_outputs(g, out, 3);
    const Graph *d = derive_by("chosen", g, 1);
    double at = 0, one = 1, value[3], tangent[3];
    run(d, (const void *[]){ &at, &one }, (void *[]){ &value[0], &value[1], &value[2], &tangent[0], &tangent[1], &tangent[2] });
    cr_expect_eq(tangent[0], -1);
    cr_expect_eq(tangent[1], INFINITY, "half of inf: 0 equals 0");
    cr_expect_eq(tangent[2], 0, "at the bound");
}

/* ---- with vmap */

/* jvp of vmap is vmap of jvp, bit for bit. */
static void commutes(const char *name, const Graph *g)
{
    enum { SIZE = 3 };
    int64_t front[2 * MOST] = { 0 };
    Failure f = { 0 };
    const void *x[MOST];
    Graph *mapped = vmap_graph(&arena, g, front, SIZE, front, NULL, &f), *inside = vmap_graph(&arena, derive_by(name, g, 7), front, SIZE, front, NULL, &f);
    cr_assert(mapped && inside, "%s: %s", name, f.text);
    Graph *outside = derive_by(name, mapped, 7);
    cr_assert(inside->n_params == outside->n_params && inside->n_outputs == outside->n_outputs, "%s", name);
    for (uint32_t i = 0; i < inside->n_params; i++) x[i] = random_array(graph_type(inside, inside->params[i]), -2, 2);
    void **a = outputs_of(inside), **b = outputs_of(outside);
    run(inside, x, a);
    run(outside, x, b);
    for (uint32_t i = 0; i < inside->n_outputs; i++) {
        Type t = graph_type(inside, inside->outputs[i]);
        for (int64_t k = 0; k < type_count(t); k++)
            cr_expect(agrees(get(t, a[i], k), get(t, b[i], k), 1e-12), "%s: output %u, element %lld: %.17g and %.17g", name, i, (long long)k, get(t, a[i], k), get(t, b[i], k));
    }
}

Test(jvp, it_commutes_with_vmap)
{
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        Graph *g = graph_new(&arena, NULL);
        set_output(g, support_case(g, &rows[i].c, region(rows[i].region)));
        char name[64];
        snprintf(name, sizeof name, "row %zu, %s", i, op_info[rows[i].c.op].name);
        commutes(name, g);
        arena_free(&arena);
    }
    for (size_t i = 0; i < N_CONTROL_PROGRAMS; i++) {
        const Graph *g = widened(&arena, control_programs[i].make(&arena));
        if (g && !has_op(g, OP_CUSTOM_VJP)) commutes(control_programs[i].name, g);
        arena_free(&arena);
    }
}

Test(jvp, long_chains_are_derived)
{
    Graph *g = graph_new(&arena, NULL);
    Ref x = build_param(g, (Type){ WEFT_F32, 1, (int64_t[]){ 8 } }), y = x;
    for (int i = 0; i < 250000; i++) y = build_unary(g, i & 1 ? OP_SIN : OP_ATAN, y);
    graph_set_outputs(g, &y, 1);
    cr_expect_lt(derive_by("chain", g, 1)->n_nodes, 6 * g->n_nodes);
}
