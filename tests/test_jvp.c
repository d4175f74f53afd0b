/* Forward mode: for every op that takes floats, tangents against central differences in f64; narrower types against f64. */
#include "compiler/derive/jvp.h"
#include "compiler/graph/check.h"
#include "compiler/graph/infer.h"
#include "graph_support.h"
#include "runtime/eager/eager.h"
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
