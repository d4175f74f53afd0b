/* test_vjp.c: reverse mode: for every op that takes floats, cotangents against forward mode and against
 * central differences in f64; programs with regions; derivatives of derivatives; batches; what steps
 * contribute to an invariant; the reverse graphs simplified, fused, compiled, printed and parsed. */
#include "compiler/derive/jvp/jvp.h"
#include "compiler/derive/linearize/linearize.h"
#include "compiler/derive/transpose/transpose.h"
#include "compiler/derive/vjp.h"
#include "compiler/graph/attributes.h"
#include "compiler/graph/check.h"
#include "compiler/passes/simplify.h"
#include "compiler/pipeline.h"
#include "compiler/vmap/vmap.h"
#include "tests/graphs/control_programs.h"
#include "tests/derive/derive_cases.h"
#include "tests/graphs/graphs.h"
#include "tests/graphs/widen.h"

TestSuite(vjp, .init = open_arena, .fini = close_arena, .timeout = 120);

typedef struct By {
    bool active[MOST], float_out[MOST];
} By;

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

/* <ct, f' v> as reverse mode, forward mode and central differences say it, and f itself. False: has no
 * reverse mode. */
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
        dx[n_active] = din[g->n_params + n_active] = random_smooth(t, -1, 1);
        up[i] = moved(t, x[i], dx[n_active], h);
        down[i] = moved(t, x[i], dx[n_active++], -h);
    }
    for (uint32_t i = 0; i < g->n_outputs; i++)
        if (b.float_out[i]) in[at++] = random_smooth(graph_type(g, g->outputs[i]), -1, 1);
    cr_assert_eq(at, v->n_params, "%s", name);
    cr_assert_eq(g->n_outputs + n_active, v->n_outputs, "%s", name);
    void **back = outputs_of(v), **ahead = outputs_of(d), **plain = outputs_of(g), **above = outputs_of(g),
         **below = outputs_of(g);
    if (!has_op(g, OP_CUSTOM_VJP)) eager_run(d, din, ahead);
    eager_run(v, in, back), eager_run(g, x, plain), eager_run(g, up, above), eager_run(g, down, below);
    double reverse = 0, forward = 0, differences = 0, scale = 1;
    for (uint32_t k = 0; k < n_active; k++)
        reverse += inner(graph_type(v, v->outputs[g->n_outputs + k]), back[g->n_outputs + k], dx[k]);
    for (uint32_t i = 0, k = 0; i < g->n_outputs; i++) {
        Type t = graph_type(g, g->outputs[i]);
        cr_expect(type_count(t) == 0 ||
                      memcmp(plain[i], back[i], (size_t)type_count(t) * dtype_bytes((DType)t.dtype)) == 0,
                  "%s by %x: output %u is not what it was", name, active, i);
        if (!b.float_out[i]) continue;
        forward += inner(t, in[g->n_params + k], ahead[g->n_outputs + k]);
        differences +=
            (inner(t, in[g->n_params + k], above[i]) - inner(t, in[g->n_params + k], below[i])) / (2 * h);
        scale += fabs(inner(t, ahead[g->n_outputs + k], ahead[g->n_outputs + k]));
        k++;
    }
    if (!has_op(g, OP_CUSTOM_VJP)) /* which forward mode cannot run */
        cr_expect(fabs(reverse - forward) <= 1e-10 * scale, "%s by %x: %.15g, forward mode says %.15g", name,
                  active, reverse, forward);
    cr_expect(fabs(reverse - differences) <= tolerance * scale, "%s by %x: %.12g, differences say %.12g",
              name, active, reverse, differences);
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

static const char *row_name(size_t i)
{
    return arena_printf(&arena, "row %zu, %s", i, op_info[rows[i].c.op].name);
}

static Graph *row_graph(size_t i)
{
    Graph *g = graph_new(&arena, NULL);
    Ref r = support_case(g, &rows[i].c, rows[i].region ? region(rows[i].region) : NULL);
    cr_assert_neq(r, REF_NONE, "row %zu: %s", i, g->failure.text);
    set_all_results(g, r);
    return g;
}

Test(vjp, other_ops_agree)
{
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        Graph *g = row_graph(i);
        const void *x[MOST];
        for (int k = 0; k < 4; k++) {
            for (uint32_t p = 0; p < g->n_params; p++)
                x[p] = random_smooth(graph_type(g, g->params[p]), -2, 2);
            for (uint32_t active = 0; active < 1u << g->n_params; active++)
                cr_expect(agrees(row_name(i), g, x, active, 2e-6), "%s", row_name(i));
        }
        arena_free(&arena);
    }
}

/* Reverse mode refuses programs with a WHILE whose number of steps is not known; all others agree. */
Test(vjp, programs_with_regions_agree)
{
    for (size_t i = 0; i < N_CONTROL_PROGRAMS; i++) {
        const char *name = control_programs[i].name;
        const Graph *g = widened(&arena, control_programs[i].make(&arena));
        const void *x[MOST];
        if (!g || has_op(g, OP_STOP_GRADIENT)) continue;
        for (int k = 0; k < 4; k++) {
            for (uint32_t p = 0; p < g->n_params; p++)
                x[p] = random_smooth(graph_type(g, g->params[p]), -2, 2);
            for (uint32_t active = 0; active < 1u << g->n_params; active++)
                cr_expect(agrees(name, g, x, active, 2e-6) || has_op(g, OP_WHILE), "%s", name);
        }
        arena_free(&arena);
    }
}

/* ---- halves */

/* The known half, then the linear one, is forward mode; the transpose of the linear one is reverse mode. */
static void halves_agree(const char *name, const Graph *g)
{
    const By b = by_bits(g, ~0u);
    Linearized l;
    Failure f = { 0 };
    const Graph *v = reverse_of(name, g, &b);
    if (!v || has_op(g, OP_CUSTOM_VJP)) return;
    cr_assert(linearize_graph(&arena, g, b.active, b.float_out, 0, &l, &f), "%s: %s", name, f.text);
    const Graph *d = jvp_graph(&arena, g, b.active, b.float_out, &f),
                *back = transpose_graph(&arena, l.linear, l.n_residuals, &f);
    cr_assert(back, "%s: %s", name, f.text);
    sound(name, l.known), sound(name, l.linear), sound(name, back);
    uint32_t n_in = g->n_params, n_out = g->n_outputs, n_tangents = d->n_params - n_in,
             n_cts = d->n_outputs - n_out;
    const void *const *x = inputs_of(d, 0.2, 2), *const *w = inputs_of(v, 0.2, 2), *in[64], *cts[64];
    void **known = arena_alloc(&arena, 64 * sizeof *known), **ahead = outputs_of(d),
         **linear = outputs_of(l.linear), **transposed = outputs_of(back), **reverse = outputs_of(v);
    cr_assert(l.known->n_outputs <= 64 && l.n_residuals + n_tangents <= 64);
    for (uint32_t i = 0; i < l.known->n_outputs; i++)
        known[i] = room(graph_type(l.known, l.known->outputs[i]));
    eager_run(l.known, x, known), eager_run(d, x, ahead);
    for (uint32_t i = 0; i < l.n_residuals; i++) in[i] = cts[i] = known[n_out + i];
    for (uint32_t i = 0; i < n_tangents; i++) in[l.n_residuals + i] = x[n_in + i];
    for (uint32_t i = 0; i < n_cts; i++) cts[l.n_residuals + i] = w[n_in + i];
    eager_run(l.linear, in, linear), eager_run(back, cts, transposed);
    for (uint32_t i = 0; i < n_cts; i++)
        same_floats(name, d, d->outputs[n_out + i], linear[i], ahead[n_out + i]);
    const void *again[MOST];
    for (uint32_t i = 0; i < v->n_params; i++) again[i] = i < n_in ? x[i] : w[i];
    eager_run(v, again, reverse);
    for (uint32_t i = 0; i < n_tangents; i++)
        same_floats(name, v, v->outputs[n_out + i], transposed[i], reverse[n_out + i]);
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
    if (!v || v->n_params + v->n_outputs > MOST || 2 * v->n_params > MOST || 2 * v->n_outputs > MOST ||
        has_op(g, OP_CUSTOM_VJP))
        return;
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
    eager_run(m, in, all);
    for (int k = 0; k < SIZE; k++) {
        for (uint32_t i = 0; i < v->n_params; i++) {
            Type t = graph_type(v, v->params[i]);
            one[i] = (const char *)in[i] + (size_t)k * (size_t)type_count(t) * dtype_bytes((DType)t.dtype);
        }
        eager_run(v, one, out);
        for (uint32_t i = 0; i < v->n_outputs; i++) {
            Type t = graph_type(v, v->outputs[i]);
            if (dtype_is_float((DType)t.dtype))
                same_floats(name, v, v->outputs[i],
                            (char *)all[i] + (size_t)k * (size_t)type_count(t) * dtype_bytes((DType)t.dtype),
                            out[i]);
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

/* ---- what steps contribute to an invariant, in every way that it is added up */

/* body(g, w, h, x): w f64[4,3] is the invariant, h f64[3] the carry, x f64[4] a row of the input, i the
 * step's number. */
typedef Ref BodyOf(Graph *g, Ref w, Ref h, Ref x, Ref i);

static const Type of_w = { WEFT_F64, 2, (const int64_t[]){ 4, 3 } },
                  of_h = { WEFT_F64, 1, (const int64_t[]){ 3 } },
                  of_x = { WEFT_F64, 1, (const int64_t[]){ 4 } };

static Ref mul(Graph *g, Ref a, Ref b) { return build_binary(g, OP_MUL, a, b); }
static Ref add(Graph *g, Ref a, Ref b) { return build_binary(g, OP_ADD, a, b); }
static Ref sum_rows(Graph *g, Ref w) { return build_reduce(g, OP_ADD, w, (int64_t[]){ 0 }, 1); }
static Ref rows_of(Graph *g, Ref h) { return build_broadcast(g, h, of_w.dim, 2, (int64_t[]){ 1 }); }
static Ref columns_of(Graph *g, Ref x) { return build_broadcast(g, x, of_w.dim, 2, (int64_t[]){ 0 }); }
static Ref row(Graph *g, Ref w, Ref i)
{
    Ref r = build_dynamic_slice(g, w, (Ref[]){ i, build_number(g, WEFT_I32, 0) }, (int64_t[]){ 1, 3 });
    return build_reshape(g, r, of_h.dim, 1);
}
static Ref dot(Graph *g, Ref a, Ref b, int i, int j)
{
    return graph_add(g, &(NodeSpec){ .op = OP_DOT,
                                     .args = (Ref[]){ a, b },
                                     .n_args = 2,
                                     .attr = (int64_t[]){ 0, 1, i, j },
                                     .n_attr = 4,
                                     .dtype = WEFT_F64 });
}

static Ref body_product(Graph *g, Ref w, Ref h, Ref x, Ref i)
{
    (void)i;
    return build_unary(g, OP_TANH, add(g, dot(g, x, w, 0, 0), h));
}
static Ref body_outer(Graph *g, Ref w, Ref h, Ref x, Ref i)
{
    (void)i;
    return build_unary(g, OP_SIN, sum_rows(g, mul(g, w, mul(g, rows_of(g, h), columns_of(g, x)))));
}
static Ref body_plain(Graph *g, Ref w, Ref h, Ref x, Ref i)
{
    (void)i, (void)x;
    return mul(g, h, sum_rows(g, build_unary(g, OP_SIN, w)));
}
static Ref body_sum(Graph *g, Ref w, Ref h, Ref x, Ref i)
{
    return add(g, body_outer(g, w, h, x, i), add(g, body_product(g, w, h, x, i), body_plain(g, w, h, x, i)));
}
static Ref body_row(Graph *g, Ref w, Ref h, Ref x, Ref i)
{
    (void)x;
    return add(g, mul(g, row(g, w, i), build_unary(g, OP_COS, h)), h);
}
static Ref body_rows(Graph *g, Ref w, Ref h, Ref x, Ref i)
{
    return add(g, mul(g, row(g, w, i), row(g, w, program_int(g, 2))), body_row(g, w, h, x, i));
}
static Ref body_masked(Graph *g, Ref w, Ref h, Ref x, Ref i)
{
    Ref late = build_compare(g, CMP_GT, i, program_int(g, 1)), zero = build_splat(g, of_w, 0);
    return body_product(g, build_select(g, late, w, zero), h, x, i);
}
static Ref body_bias(Graph *g, Ref w, Ref h, Ref x, Ref i)
{
    Ref bias = build_reshape(
        g, build_slice(g, w, (int64_t[]){ 1, 0 }, (int64_t[]){ 2, 3 }, (int64_t[]){ 1, 1 }), of_h.dim, 1);
    return build_unary(
        g, OP_TANH,
        add(g, body_product(g, w, h, x, i), add(g, bias, build_unary(g, OP_NEG, sum_rows(g, w)))));
}
static Ref body_diagonal(Graph *g, Ref w, Ref h, Ref x, Ref i)
{
    (void)i;
    Ref top = build_slice(g, w, (int64_t[]){ 0, 0 }, (int64_t[]){ 3, 3 }, (int64_t[]){ 1, 1 });
    Ref diagonal = graph_add(g, &(NodeSpec){ .op = OP_DOT,
                                             .args = (Ref[]){ top, h },
                                             .n_args = 2,
                                             .attr = (int64_t[]){ 1, 0, 1, 0 },
                                             .n_attr = 4,
                                             .dtype = WEFT_F64 });
    return build_unary(g, OP_SIN, add(g, sum_rows(g, diagonal), dot(g, x, w, 0, 0)));
}
static Ref body_invariant(Graph *g, Ref w, Ref h, Ref x, Ref i)
{
    (void)i;
    Ref square = dot(g, w, w, 0, 0); /* the same in each step */
    return build_unary(
        g, OP_TANH, add(g, dot(g, square, h, 1, 0), mul(g, h, dot(g, x, build_unary(g, OP_EXP, w), 0, 0))));
}

/* The same by way of a region over (w, h, x, i): as a CHECKPOINT, a branch, a scan of its own. */
static Graph *body_region(BodyOf *f, bool number)
{
    Graph *g = graph_new(&arena, NULL);
    Ref w = build_param(g, of_w), h = build_param(g, of_h), x = build_param(g, of_x),
        i = number ? build_param(g, (Type){ WEFT_I32, 0, NULL }) : program_int(g, 1);
    Ref y = f(g, w, h, x, i);
    graph_set_outputs(g, &y, 1);
    return g;
}

static Ref body_checkpoint(Graph *g, Ref w, Ref h, Ref x, Ref i)
{
    const Graph *region = body_region(body_sum, true);
    Ref y;
    build_ruled(g, OP_CHECKPOINT, 0, &region, 1, (Ref[]){ w, h, x, i }, 4, &y);
    return y;
}
static Ref body_case(Graph *g, Ref w, Ref h, Ref x, Ref i)
{
    Ref y,
        index =
            graph_add(g, &(NodeSpec){ .op = OP_REM, .args = (Ref[]){ i, program_int(g, 3) }, .n_args = 2 });
    build_case(g, index,
               (const Graph *[]){ body_region(body_product, true), body_region(body_row, true),
                                  body_region(body_checkpoint, true) },
               3, (Ref[]){ w, h, x, i }, 4, &y);
    return y;
}
static Ref body_nested(Graph *g, Ref w, Ref h, Ref x, Ref i)
{
    Ref both[] = { columns_of(g, x), build_unary(g, OP_EXP, columns_of(g, x)) }, xs, y;
    xs = build_transpose(g, build_concatenate(g, both, 2, 1), (int64_t[]){ 1, 0 });
    build_scan(g, (ScanShape){ .length = 6, .unroll = 1, .n_invariant = 1, .n_carry = 1, .n_xs = 1 },
               body_region(body_bias, false), (Ref[]){ build_unary(g, OP_SIN, w), h, xs }, &y);
    return add(g, y, body_row(g, w, h, x, i));
}

/* sin(h), whose reverse rule is written out. */
static Ref body_ruled(Graph *g, Ref w, Ref h, Ref x, Ref i)
{
    Graph *primal = graph_new(&arena, NULL), *forward = graph_new(&arena, NULL),
          *backward = graph_new(&arena, NULL);
    Ref y = build_unary(primal, OP_SIN, build_param(primal, of_h)), a = build_param(forward, of_h);
    graph_set_outputs(primal, &y, 1);
    graph_set_outputs(forward, (Ref[]){ build_unary(forward, OP_SIN, a), build_unary(forward, OP_COS, a) },
                      2);
    y = build_param(backward, of_h), y = mul(backward, y, build_param(backward, of_h));
    graph_set_outputs(backward, &y, 1);
    h = body_product(g, w, h, x, i);
    build_ruled(g, OP_CUSTOM_VJP, 0, (const Graph *[]){ primal, forward, backward }, 3, &h, 1, &y);
    return y;
}

static BodyOf *const bodies[] = { body_ruled,  body_checkpoint, body_case,     body_nested,   body_product,
                                  body_outer,  body_plain,      body_sum,      body_row,      body_rows,
                                  body_masked, body_bias,       body_diagonal, body_invariant };

static Graph *loop_of(BodyOf *f, bool reverse, int64_t checkpoint, bool gives_ys)
{
    Graph *body = graph_new(&arena, NULL), *g = graph_new(&arena, NULL);
    Type xs = { WEFT_F64, 2, (int64_t[]){ 5, 4 } }, count = { WEFT_I32, 0, NULL };
    Ref w = build_param(body, of_w), h = build_param(body, of_h), i = build_param(body, count),
        x = build_param(body, of_x);
    Ref next = f(body, w, h, x, i), out[3] = { next, program_next(body, i), mul(body, next, next) }, args[4];
    graph_set_outputs(body, out, gives_ys ? 3 : 2);
    args[0] = build_param(g, of_w), args[1] = build_param(g, of_h), args[3] = build_param(g, xs),
    args[2] = program_int(g, 0);
    build_scan(g,
               (ScanShape){ .length = 5,
                            .reverse = reverse,
                            .unroll = 1,
                            .n_invariant = 1,
                            .n_carry = 2,
                            .n_xs = 1,
                            .checkpoint = checkpoint },
               body, args, out);
    out[1] = out[2];
    graph_set_outputs(g, out, gives_ys ? 2 : 1);
    cr_assert(g->failure.code == WEFT_OK, "%s", g->failure.text);
    return g;
}

Test(vjp, sums_over_steps_agree)
{
    for (size_t i = 0; i < sizeof bodies / sizeof *bodies; i++)
        for (int k = 0; k < 12; k++) {
            const char *name = arena_printf(&arena, "body %zu %d", i, k);
            Graph *g = loop_of(bodies[i], k & 1, k / 4, k & 2);
            const void *const *x = inputs_of(g, -1, 1);
            for (uint32_t active = 0; active < 8; active++)
                cr_expect(agrees(name, g, x, active, 2e-6), "%s", name);
            second_agrees(name, g, 1e-5);
            halves_agree(name, g);
            mapped_agrees(name, g);
            arena_free(&arena);
        }
}

/* ---- reverse graphs are graphs like any: simplified, fused, compiled, printed and parsed they give what
 * eager mode gives */

static void runs_everywhere(const char *name, const Graph *g)
{
    static const Against ways[] = { AGAINST_SIMPLIFIED, AGAINST_FUSED, AGAINST_STRICT, AGAINST_TEXT };
    const By b = by_bits(g, ~0u);
    const Graph *v = reverse_of(name, g, &b);
    char why[512] = "";
    if (!v) return;
    const void *const *x = inputs_of(v, 0.2, 1);
    for (size_t k = 0; k < sizeof ways / sizeof *ways; k++)
        cr_expect(graph_agrees(v, (void *const *)(uintptr_t)x, ways[k], 1, why, sizeof why), "%s, %s: %s",
                  name, against_text[ways[k]], why);
}

Test(vjp, reverse_graphs_run_everywhere)
{
    for (size_t i = 0; i < N_CONTROL_PROGRAMS; i++) {
        const Graph *g = control_programs[i].make(&arena);
        if (!has_op(g, OP_FOREIGN)) runs_everywhere(control_programs[i].name, g);
        arena_free(&arena);
    }
    for (size_t i = 0; i < sizeof bodies / sizeof *bodies; i++)
        for (int k = 0; k < 8; k++) {
            runs_everywhere(arena_printf(&arena, "body %zu %d", i, k),
                            loop_of(bodies[i], k & 1, k / 4 * 2, k & 2));
            arena_free(&arena);
        }
}

/* ---- positions outside: GATHER and slices clamp, SCATTER drops, the last of equal ones stands */

static Ref positions(Graph *g)
{
    return build_constant(g, (Type){ WEFT_I32, 2, (int64_t[]){ 5, 1 } }, (int32_t[]){ -2, 1, 1, 9, 3 });
}

static Graph *scatter_outside(Ref (*combine)(Graph *, Ref, Ref))
{
    Graph *g = graph_new(&arena, NULL), *region = graph_new(&arena, NULL);
    Type f = { WEFT_F64, 0, NULL };
    Ref old = build_param(region, f), new = build_param(region, f),
        out = combine ? combine(region, old, new) : new;
    graph_set_outputs(region, &out, 1);
    Ref args[] = { build_param(g, of_x), positions(g),
                   build_param(g, (Type){ WEFT_F64, 1, (int64_t[]){ 5 } }) };
    out = graph_add(g, &(NodeSpec){ .op = OP_SCATTER,
                                    .args = args,
                                    .n_args = 3,
                                    .attr = (int64_t[]){ 0, 1, 0, 1, 1, 0, 0, 0, 0 },
                                    .n_attr = 9,
                                    .region = region });
    graph_set_outputs(g, &out, 1);
    return g;
}

static Graph *gather_outside(void)
{
    Graph *g = graph_new(&arena, NULL);
    Ref out = graph_add(g, &(NodeSpec){ .op = OP_GATHER,
                                        .args = (Ref[]){ build_param(g, of_x), positions(g) },
                                        .n_args = 2,
                                        .attr = (int64_t[]){ 0, 1, 0, 1, 1, 0, 0, 1 },
                                        .n_attr = 8 });
    graph_set_outputs(g, &out, 1);
    return g;
}

static Graph *slices_outside(int start)
{
    Graph *g = graph_new(&arena, NULL);
    Ref x = build_param(g, of_x), y = build_param(g, (Type){ WEFT_F64, 1, (int64_t[]){ 2 } }),
        i = build_param(g, (Type){ WEFT_I32, 0, NULL });
    i = add(g, i, program_int(g, start));
    Ref updated = build_dynamic_update_slice(g, x, y, &i),
        out = mul(g, build_dynamic_slice(g, updated, &i, (int64_t[]){ 2 }),
                  build_dynamic_slice(g, x, &i, (int64_t[]){ 2 }));
    graph_set_outputs(g, (Ref[]){ out, updated }, 2);
    return g;
}

Test(vjp, positions_outside_agree)
{
    Graph *graphs[] = { scatter_outside(add), scatter_outside(NULL), gather_outside(),
                        slices_outside(-9),   slices_outside(9),     slices_outside(1) };
    for (size_t i = 0; i < sizeof graphs / sizeof *graphs; i++) {
        cr_assert(graphs[i]->failure.code == WEFT_OK, "%s", graphs[i]->failure.text);
        for (uint32_t active = 0; active < 4; active++)
            agrees(arena_printf(&arena, "outside %zu", i), graphs[i], inputs_of(graphs[i], -1, 1), active,
                   2e-6);
        second_agrees("outside", graphs[i], 1e-5);
    }
}

/* ---- updates that meet, by a region that is no sum: one after the other */

static Ref curved(Graph *g, Ref old, Ref new) { return add(g, mul(g, old, old), mul(g, old, new)); }

/* Updates of a place whose product is zero: of one zero the others' product is left, of two only the second
 * derivative by both. */
Test(vjp, updates_that_meet_agree)
{
    static double at[4] = { 2, 3, 5, 0 },
                  zeros[][5] = { { 1, 0, 3, 1, 2 }, { 1, 0, 0, 1, 2 }, { 0, 4, 5, 0, 0 } };
    Graph *graphs[] = { scatter_outside(mul), scatter_outside(curved) };
    for (size_t i = 0; i < sizeof graphs / sizeof *graphs; i++) {
        const char *name = i ? "curved" : "product";
        const By b = by_bits(graphs[i], ~0u);
        const Graph *v = reverse_of(name, graphs[i], &b);
        for (size_t k = 0; k < sizeof zeros / sizeof *zeros; k++) {
            const void *x[MOST] = { at, zeros[k] };
            agrees(name, graphs[i], x, ~0u, 2e-6);
            x[v->n_params - 1] = random_smooth(graph_type(v, v->params[v->n_params - 1]), -1, 1);
            agrees(name, v, x, ~0u, 1e-5);
        }
        second_agrees(name, graphs[i], 1e-5);
        halves_agree(name, graphs[i]);
        mapped_agrees(name, graphs[i]);
        runs_everywhere(name, graphs[i]);
    }
}

/* A loop that carried all places might copy them in each step. */
Test(vjp, updates_that_meet_carry_one_place)
{
    Graph *g = scatter_outside(mul);
    const By b = by_bits(g, ~0u);
    const Graph *v = reverse_of("product", g, &b);
    int loops = 0;
    for (Ref r = 0; r < v->n_nodes; r++) {
        if (v->nodes[r].op != OP_SCAN) continue;
        ScanShape s = scan_shape(v->nodes[r].attr);
        for (uint32_t i = 0; i < s.n_carry; i++)
            cr_expect_eq(type_count(graph_type(v, v->nodes[r].args[s.n_invariant + i])), 1);
        loops++;
    }
    cr_expect_eq(loops, 2, "%d loops", loops);
}

/* ---- positions that are constants: taken back, where elements are taken about as often as one another */

/* Elements along an axis of f64[3,9,4] at positions of this shape. */
static Graph *taken(int axis, const int32_t *at, const int64_t *shape, int rank)
{
    Graph *g = graph_new(&arena, NULL);
    const int64_t dim[] = { 3, 9, 4 };
    int64_t window[2], sizes[3], axes[] = { axis };
    for (int i = 0, k = 0; i < 3; i++) {
        sizes[i] = i == axis ? 1 : dim[i];
        if (i != axis) window[k++] = i < axis ? i : i - 1 + rank;
    }
    IndexDims d = { .n_window = 2,
                    .n_collapsed = 1,
                    .n_map = 1,
                    .index_vector_dim = rank,
                    .window = window,
                    .collapsed = axes,
                    .map = axes,
                    .slice_sizes = sizes };
    Ref x = build_param(g, (Type){ WEFT_F64, 3, dim });
    Ref out = build_gather(g, &d, x, build_constant(g, (Type){ WEFT_I32, (uint8_t)rank, shape }, at));
    graph_set_outputs(g, &out, 1);
    cr_assert(g->failure.code == WEFT_OK, "%s", g->failure.text);
    return g;
}

Test(vjp, what_is_taken_at_constants_is_taken_back)
{
    static const struct {
        const char *name;
        int axis, rank;
        int64_t shape[2];
        int32_t at[12];
        bool added;
    } cases[] = {
        { "turned", 1, 1, { 9 }, { 8, 7, 6, 5, 4, 3, 2, 1, 0 }, false },
        { "some", 1, 1, { 5 }, { 7, 0, 3, 8, 1 }, false },
        { "last axis", 2, 1, { 6 }, { 3, 0, 0, 1, 3, 2 }, false },
        { "first axis", 0, 1, { 4 }, { 2, 1, 2, 0 }, false },
        { "two at once", 1, 2, { 6, 2 }, { 0, 1, 1, 2, 2, 3, 4, 5, 5, 6, 7, 8 }, false },
        { "outside", 1, 1, { 12 }, { -3, 0, 1, 2, 3, 4, 5, 6, 7, 8, 99, 1 }, false },
        { "one often", 1, 2, { 6, 2 }, { 0, 1, 2, 3, 4, 5, 6, 7, 8, 4, 4, 4 }, true },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        Graph *g = taken(cases[i].axis, cases[i].at, cases[i].shape, cases[i].rank);
        const By b = by_bits(g, 1);
        const Graph *v = reverse_of(cases[i].name, g, &b);
        cr_expect(has_op(v, OP_SCATTER) == cases[i].added, "%s", cases[i].name);
        cr_expect(agrees(cases[i].name, g, inputs_of(g, -1, 1), 1, 2e-6), "%s", cases[i].name);
        second_agrees(cases[i].name, g, 1e-5);
        mapped_agrees(cases[i].name, g);
        runs_everywhere(cases[i].name, g);
        arena_free(&arena);
    }
}

/* ---- slices of what is sorted: their gradients ask for no places but theirs */

/* Slices of f64[24] or of rows of f64[3,24], sorted, and of the places that were sorted along. */
static Graph *parts_of_sorted(bool by_rows, int64_t first, int64_t second, int64_t count)
{
    const int64_t dim[] = { 3, 24 }, one[] = { 1, 1 };
    int rank = by_rows ? 2 : 1, axis = rank - 1;
    Graph *g = graph_new(&arena, NULL), *before = graph_new(&arena, NULL);
    Ref p[4], out[3], sorted[2];
    for (int i = 0; i < 4; i++) p[i] = build_param(before, type_scalar(i < 2 ? WEFT_F64 : WEFT_I32));
    graph_set_outputs(before, (Ref[]){ build_compare(before, CMP_LT, p[0], p[1]) }, 1);
    Ref args[] = { build_param(g, (Type){ WEFT_F64, (uint8_t)rank, dim + !by_rows }),
                   build_iota(g, (Type){ WEFT_I32, (uint8_t)rank, dim + !by_rows }, axis) };
    cr_assert(build_sort(g, args, 2, axis, true, before, sorted));
    for (int k = 0; k < 3; k++) {
        int64_t start[] = { 0, 0 }, limit[] = { 3, 3 };
        start[axis] = k == 1 ? second : first;
        limit[axis] = start[axis] + count;
        out[k] = build_slice(g, sorted[k == 2], start, limit, one);
    }
    out[0] = mul(g, out[0], out[1]);
    graph_set_outputs(g, (Ref[]){ out[0], out[2] }, 2);
    cr_assert(g->failure.code == WEFT_OK, "%s", g->failure.text);
    return g;
}

Test(vjp, slices_of_sorted_ask_for_their_places)
{
    static const int64_t cases[][3] = { { 0, 0, 5 }, { 11, 12, 1 }, { 19, 3, 5 } };
    for (uint32_t i = 0; i < 6; i++) {
        bool by_rows = i & 1;
        const int64_t *c = cases[i / 2];
        Graph *g = parts_of_sorted(by_rows, c[0], c[1], c[2]);
        const By b = by_bits(g, 1);
        const Graph *v = simplify(&arena, reverse_of("part of sorted", g, &b));
        cr_expect_not(has_op(v, OP_PAD) || has_op(v, OP_DYNAMIC_UPDATE_SLICE), "%u", i);
        for (Ref r = 0; r < v->n_nodes; r++) {
            const Node *n = graph_node(v, r);
            if (n->op == OP_SORT) cr_expect_eq(n->n_args, 2, "%u: %u operands", i, n->n_args);
            if (n->op == OP_SCATTER)
                cr_expect_leq(type_count(graph_type(v, n->args[2])), (by_rows ? 3 : 1) * c[2] * 2, "%u", i);
        }
        cr_expect(agrees("part of sorted", g, inputs_of(g, -1, 1), 1, 2e-6), "%u", i);
        second_agrees("part of sorted", g, 1e-5);
        mapped_agrees("part of sorted", g);
        runs_everywhere("part of sorted", g);
        arena_free(&arena);
    }
}

/* ---- sums of a wider type than what is summed */

Test(vjp, nothing_asked_for_is_nothing_given)
{
    static const bool none[MOST] = { 0 }, all[] = { true, true, true };
    Failure f = { 0 };
    const Graph *g = loop_of(body_sum, false, 0, true), *v = vjp_graph(&arena, g, none, none, 0, &f);
    cr_assert(v, "%s", f.text);
    cr_expect(v->n_params == g->n_params && v->n_outputs == g->n_outputs);
    v = vjp_graph(&arena, g, all, none, 0, &f);
    cr_assert(v, "%s", f.text);
    cr_expect(v->n_params == g->n_params && v->n_outputs == g->n_outputs + 3);
    for (uint32_t i = g->n_outputs; i < v->n_outputs; i++)
        cr_expect_eq(graph_node(v, v->outputs[i])->op, OP_CONSTANT);
}
