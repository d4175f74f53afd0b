/* Reverse mode: for every op that takes floats, cotangents against forward mode and against central differences in f64; programs with regions; derivatives of
 * derivatives; residuals; sizes. */
#include "compiler/derive/jvp.h"
#include "compiler/derive/linearize.h"
#include "compiler/derive/transpose.h"
#include "compiler/derive/vjp.h"
#include "compiler/graph/check.h"
#include "compiler/passes/vmap.h"
#include "control_programs.h"
#include "derive_cases.h"
#include "widen.h"

TestSuite(vjp, .init = open_arena, .fini = close_arena, .timeout = 120);

typedef struct By { bool active[MOST], float_out[MOST]; } By;

static By by_bits(const Graph *g, uint32_t active)
{
    By b = { { 0 }, { 0 } };
    cr_assert(g->n_params <= MOST && g->n_outputs <= MOST);
    for (uint32_t i = 0; i < g->n_params; i++) b.active[i] = (active >> i & 1) && is_float(g, g->params[i]);
    for (uint32_t i = 0; i < g->n_outputs; i++) b.float_out[i] = is_float(g, g->outputs[i]);
    return b;
}

static double inner(Type t, const void *a, const void *b)
{
    double sum = 0;
    for (int64_t i = 0; i < type_count(t); i++) sum += get(t, a, i) * get(t, b, i);
    return sum;
}

static void sound(const char *name, const Graph *g)
{
    Failure f = { 0 };
    cr_assert(graph_check(g, &f), "%s: %s", name, f.text);
}

/* NULL: it has a WHILE on the way. */
static const Graph *reverse_of(const char *name, const Graph *g, const By *b)
{
    Failure f = { 0 };
    const Graph *v = vjp_graph(&arena, g, b->active, b->float_out, 0, &f);
    if (!v && strstr(f.text, "how many steps")) return NULL;
    cr_assert(v, "%s: %s", name, f.text);
    sound(name, v);
    return v;
}

/* <ct, f' v> as reverse mode, forward mode and central differences say it, and f itself. False: has no reverse mode. */
static bool agrees(const char *name, const Graph *g, const void *const *x, uint32_t active, double tolerance)
{
    const double h = 1e-6;
    const By b = by_bits(g, active);
    const Graph *v = reverse_of(name, g, &b);
    Failure f = { 0 };
    if (!v) return false;
    const Graph *d = jvp_graph(&arena, g, b.active, b.float_out, &f);
    const void *in[MOST], *din[MOST], *up[MOST], *down[MOST], *dx[MOST];
    uint32_t at = g->n_params, n_active = 0;
    for (uint32_t i = 0; i < g->n_params; i++) {
        Type t = graph_type(g, g->params[i]);
        in[i] = din[i] = up[i] = down[i] = x[i];
        if (!b.active[i]) continue;
        dx[n_active] = din[g->n_params + n_active] = random_array(t, -1, 1);
        up[i] = moved(t, x[i], dx[n_active], h);
        down[i] = moved(t, x[i], dx[n_active++], -h);
    }
    for (uint32_t i = 0; i < g->n_outputs; i++)
        if (b.float_out[i]) in[at++] = random_array(graph_type(g, g->outputs[i]), -1, 1);
    cr_assert_eq(at, v->n_params, "%s", name);
    cr_assert_eq(g->n_outputs + n_active, v->n_outputs, "%s", name);
    void **back = outputs_of(v), **ahead = outputs_of(d), **plain = outputs_of(g), **above = outputs_of(g), **below = outputs_of(g);
    if (!has_op(g, OP_CUSTOM_VJP)) run(d, din, ahead);
    run(v, in, back), run(g, x, plain), run(g, up, above), run(g, down, below);
    double reverse = 0, forward = 0, differences = 0, scale = 1;
    for (uint32_t k = 0; k < n_active; k++) reverse += inner(graph_type(v, v->outputs[g->n_outputs + k]), back[g->n_outputs + k], dx[k]);
    for (uint32_t i = 0, k = 0; i < g->n_outputs; i++) {
        Type t = graph_type(g, g->outputs[i]);
        cr_expect(type_count(t) == 0 || memcmp(plain[i], back[i], (size_t)type_count(t) * dtype_bytes((DType)t.dtype)) == 0, "%s by %x: output %u is not what it was", name, active, i);
        if (!b.float_out[i]) continue;
        forward += inner(t, in[g->n_params + k], ahead[g->n_outputs + k]);
        differences += (inner(t, in[g->n_params + k], above[i]) - inner(t, in[g->n_params + k], below[i])) / (2 * h);
        scale += fabs(inner(t, ahead[g->n_outputs + k], ahead[g->n_outputs + k]));
        k++;
    }
    if (!has_op(g, OP_CUSTOM_VJP))                      /* which forward mode cannot run */
        cr_expect(fabs(reverse - forward) <= 1e-10 * scale, "%s by %x: %.15g, forward mode says %.15g", name, active, reverse, forward);
    cr_expect(fabs(reverse - differences) <= tolerance * scale, "%s by %x: %.12g, differences say %.12g", name, active, reverse, differences);
    return true;
}

Test(vjp, elementwise_ops_agree)
{
    for (int op = 0; op < OP_COUNT; op++) {
        Graph *g = elementwise((Op)op, WEFT_F64);
        if (!g || op == OP_STOP_GRADIENT || op == OP_NEXT_AFTER) continue;
        const void *x[3];
        for (uint32_t i = 0; i < g->n_params; i++) x[i] = operand((Op)op, i, graph_type(g, g->params[i]));
        for (uint32_t active = 0; active < 1u << g->n_params; active++)
            if (has_derivative((Op)op, active)) agrees(op_info[op].name, g, x, active, 2e-6);
    }
}

static const char *row_name(size_t i) { return arena_printf(&arena, "row %zu, %s", i, op_info[rows[i].c.op].name); }

static Graph *row_graph(size_t i)
{
    Graph *g = graph_new(&arena, NULL);
    Ref r = support_case(g, &rows[i].c, rows[i].region ? region(rows[i].region) : NULL);
    cr_assert_neq(r, REF_NONE, "row %zu: %s", i, g->failure.text);
    set_output(g, r);
    return g;
}

Test(vjp, other_ops_agree)
{
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        Graph *g = row_graph(i);
        const void *x[MOST];
        for (int k = 0; k < 4; k++) {
            for (uint32_t p = 0; p < g->n_params; p++) x[p] = random_array(graph_type(g, g->params[p]), -2, 2);
            for (uint32_t active = 0; active < 1u << g->n_params; active++) cr_expect(agrees(row_name(i), g, x, active, 2e-6), "%s", row_name(i));
        }
        arena_free(&arena);
    }
}

/* Those with a WHILE on the way, of a number of steps that nobody knows: reverse mode refuses them, all others agree. */
Test(vjp, programs_with_regions_agree)
{
    for (size_t i = 0; i < N_CONTROL_PROGRAMS; i++) {
        const char *name = control_programs[i].name;
        const Graph *g = widened(&arena, control_programs[i].make(&arena));
        const void *x[MOST];
        if (!g || has_op(g, OP_STOP_GRADIENT)) continue;
        for (int k = 0; k < 4; k++) {
            for (uint32_t p = 0; p < g->n_params; p++) x[p] = random_array(graph_type(g, g->params[p]), -2, 2);
            for (uint32_t active = 0; active < 1u << g->n_params; active++) cr_expect(agrees(name, g, x, active, 2e-6) || has_op(g, OP_WHILE), "%s", name);
        }
        arena_free(&arena);
    }
}

/* ---- halves */

static const void *const *inputs_of(const Graph *g, double low, double high)
{
    const void **in = arena_alloc(&arena, (g->n_params + 1) * sizeof *in);
    for (uint32_t p = 0; p < g->n_params; p++) in[p] = random_array(graph_type(g, g->params[p]), low, high);
    return in;
}

static void same_floats(const char *name, const Graph *g, Ref output, const void *a, const void *b)
{
    Type t = graph_type(g, output);
    for (int64_t i = 0; i < type_count(t); i++)
        cr_expect(fabs(get(t, a, i) - get(t, b, i)) <= 1e-10 * fmax(1, fabs(get(t, b, i))), "%s: element %lld: %.15g against %.15g", name, (long long)i, get(t, a, i), get(t, b, i));
}

/* The known half, then the linear one, is forward mode; the transpose of the linear one is reverse mode. */
static void halves_agree(const char *name, const Graph *g)
{
    const By b = by_bits(g, ~0u);
    Linearized l;
    Failure f = { 0 };
    const Graph *v = reverse_of(name, g, &b);
    if (!v || has_op(g, OP_CUSTOM_VJP)) return;
    cr_assert(linearize_graph(&arena, g, b.active, b.float_out, 0, &l, &f), "%s: %s", name, f.text);
    const Graph *d = jvp_graph(&arena, g, b.active, b.float_out, &f), *back = transpose_graph(&arena, l.linear, l.n_residuals, &f);
    cr_assert(back, "%s: %s", name, f.text);
    sound(name, l.known), sound(name, l.linear), sound(name, back);
    uint32_t n_in = g->n_params, n_out = g->n_outputs, n_tangents = d->n_params - n_in, n_cts = d->n_outputs - n_out;
    const void *const *x = inputs_of(d, 0.2, 2), *const *w = inputs_of(v, 0.2, 2), *in[64], *cts[64];
    void **known = arena_alloc(&arena, 64 * sizeof *known), **ahead = outputs_of(d), **linear = outputs_of(l.linear), **transposed = outputs_of(back), **reverse = outputs_of(v);
    cr_assert(l.known->n_outputs <= 64 && l.n_residuals + n_tangents <= 64);
    for (uint32_t i = 0; i < l.known->n_outputs; i++) known[i] = room(graph_type(l.known, l.known->outputs[i]));
    run(l.known, x, known), run(d, x, ahead);
    for (uint32_t i = 0; i < l.n_residuals; i++) in[i] = cts[i] = known[n_out + i];
    for (uint32_t i = 0; i < n_tangents; i++) in[l.n_residuals + i] = x[n_in + i];
    for (uint32_t i = 0; i < n_cts; i++) cts[l.n_residuals + i] = w[n_in + i];
    run(l.linear, in, linear), run(back, cts, transposed);
    for (uint32_t i = 0; i < n_cts; i++) same_floats(name, d, d->outputs[n_out + i], linear[i], ahead[n_out + i]);
    const void *again[MOST];
    for (uint32_t i = 0; i < v->n_params; i++) again[i] = i < n_in ? x[i] : w[i];
    run(v, again, reverse);
    for (uint32_t i = 0; i < n_tangents; i++) same_floats(name, v, v->outputs[n_out + i], transposed[i], reverse[n_out + i]);
}

Test(vjp, halves_agree)
{
    for (size_t i = 0; i < N_CONTROL_PROGRAMS; i++) {
        const Graph *g = widened(&arena, control_programs[i].make(&arena));
        if (g && !has_op(g, OP_STOP_GRADIENT)) halves_agree(control_programs[i].name, g);
        arena_free(&arena);
    }
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        halves_agree(row_name(i), row_graph(i));
        arena_free(&arena);
    }
}

/* ---- derivatives of derivatives: of the reverse graph, by all that is a float in it */

static void second_agrees(const char *name, const Graph *g, double tolerance)
{
    const By b = by_bits(g, ~0u);
    const Graph *v = reverse_of(name, g, &b);
    if (!v || v->n_params + v->n_outputs > MOST || 2 * v->n_params > MOST || 2 * v->n_outputs > MOST || has_op(g, OP_CUSTOM_VJP)) return;
    cr_expect(agrees(name, v, inputs_of(v, 0.2, 2), ~0u, tolerance), "%s", name);
}

Test(vjp, second_derivatives_agree)
{
    for (size_t i = 0; i < N_CONTROL_PROGRAMS; i++) {
        const Graph *g = widened(&arena, control_programs[i].make(&arena));
        if (g && !has_op(g, OP_STOP_GRADIENT)) second_agrees(control_programs[i].name, g, 1e-5);
        arena_free(&arena);
    }
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        second_agrees(row_name(i), row_graph(i), 1e-5);
        arena_free(&arena);
    }
}

/* ---- vmap of the reverse graph is the reverse of each example */

static void mapped_agrees(const char *name, const Graph *g)
{
    enum { SIZE = 3 };
    const By b = by_bits(g, ~0u);
    const Graph *v = reverse_of(name, g, &b);
    Failure f = { 0 };
    int64_t axes[MOST] = { 0 };
    if (!v) return;
    const Graph *m = vmap_graph(&arena, v, axes, SIZE, axes, NULL, &f);
    cr_assert(m, "%s: %s", name, f.text);
    const void *const *in = inputs_of(m, 0.2, 2), *one[MOST];
    void **all = outputs_of(m), **out = outputs_of(v);
    run(m, in, all);
    for (int k = 0; k < SIZE; k++) {
        for (uint32_t i = 0; i < v->n_params; i++) {
            Type t = graph_type(v, v->params[i]);
            one[i] = (const char *)in[i] + (size_t)k * (size_t)type_count(t) * dtype_bytes((DType)t.dtype);
        }
        run(v, one, out);
        for (uint32_t i = 0; i < v->n_outputs; i++) {
            Type t = graph_type(v, v->outputs[i]);
            if (dtype_is_float((DType)t.dtype)) same_floats(name, v, v->outputs[i], (char *)all[i] + (size_t)k * (size_t)type_count(t) * dtype_bytes((DType)t.dtype), out[i]);
        }
    }
}

Test(vjp, maps_over_a_batch)
{
    for (size_t i = 0; i < N_CONTROL_PROGRAMS; i++) {
        const Graph *g = widened(&arena, control_programs[i].make(&arena));
        if (g && !has_op(g, OP_STOP_GRADIENT)) mapped_agrees(control_programs[i].name, g);
        arena_free(&arena);
    }
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        mapped_agrees(row_name(i), row_graph(i));
        arena_free(&arena);
    }
}

/* ---- sizes */

/* x = sin(x) * x + x, n times. */
static Graph *chain(int n)
{
    Graph *g = graph_new(&arena, NULL);
    Ref x = build_param(g, (Type){ WEFT_F64, 1, (int64_t[]){ 4 } });
    for (int i = 0; i < n; i++) x = build_binary(g, OP_ADD, build_binary(g, OP_MUL, build_unary(g, OP_SIN, x), x), x);
    Ref y = build_reduce(g, OP_ADD, x, (int64_t[]){ 0 }, 1);
    graph_set_outputs(g, &y, 1);
    return g;
}

Test(vjp, chains_grow_linearly)
{
    Failure f = { 0 };
    uint32_t nodes[2];
    for (int k = 0; k < 2; k++) {
        const Graph *v = grad_graph(&arena, chain(1000 << k), (bool[]){ true }, 0, &f);
        cr_assert(v, "%s", f.text);
        nodes[k] = v->n_nodes;
    }
    cr_expect(nodes[1] < 2 * nodes[0] + 10 && nodes[1] < 2000 * 12, "%u and %u nodes", nodes[0], nodes[1]);
}
