/* Forward mode: for every op that takes floats, tangents against central differences in f64; narrower types
 * against f64. */
#include "compiler/derive/jvp/jvp.h"
#include "compiler/graph/check.h"
#include "compiler/vmap/vmap.h"
#include "tests/graphs/control_programs.h"
#include "tests/derive/derive_cases.h"
#include "tests/graphs/widen.h"

TestSuite(jvp, .init = open_arena, .fini = close_arena, .timeout = 120);

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
static void against_differences(const char *name, const Graph *g, const void *const *x, uint32_t active,
                                double tolerance)
{
    const double h = 1e-6;
    const void *in[MOST], *up[MOST], *down[MOST];
    const Graph *d = derive_by(name, g, active);
    uint32_t at = g->n_params, to = g->n_outputs;
    for (uint32_t i = 0; i < g->n_params; i++) {
        Type t = graph_type(g, g->params[i]);
        in[i] = up[i] = down[i] = x[i];
        if (!(active >> i & 1) || !is_float(g, g->params[i])) continue;
        in[at] = random_smooth(t, -1, 1);
        up[i] = moved(t, x[i], in[at], h);
        down[i] = moved(t, x[i], in[at++], -h);
    }
    cr_assert_eq(at, d->n_params, "%s", name);
    void **got = outputs_of(d), **above = outputs_of(g), **below = outputs_of(g);
    eager_run(d, in, got);
    eager_run(g, up, above);
    eager_run(g, down, below);
    for (uint32_t i = 0; i < g->n_outputs; i++) {
        Type t = graph_type(g, g->outputs[i]);
        if (!is_float(g, g->outputs[i])) continue;
        for (int64_t k = 0; k < type_count(t); k++) {
            double want = (get(t, above[i], k) - get(t, below[i], k)) / (2 * h), have = get(t, got[to], k);
            cr_expect(fabs(have - want) <= tolerance * fmax(1, fabs(want)),
                      "%s by %x: output %u, element %lld: %.12g, differences say %.12g", name, active, i,
                      (long long)k, have, want);
        }
        to++;
    }
    cr_assert_eq(to, d->n_outputs, "%s", name);
}

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

Test(jvp, other_ops_are_their_differences)
{
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        Graph *g = graph_new(&arena, NULL);
        Ref r = support_case(g, &rows[i].c, region(rows[i].region));
        cr_assert_neq(r, REF_NONE, "row %zu: %s", i, g->failure.text);
        set_all_results(g, r);
        char name[64];
        snprintf(name, sizeof name, "row %zu, %s", i, op_info[rows[i].c.op].name);
        const void *x[MOST];
        for (int k = 0; k < 4; k++) {
            for (uint32_t p = 0; p < g->n_params; p++)
                x[p] = random_smooth(graph_type(g, g->params[p]), -2, 2);
            for (uint32_t active = 0; active < 1u << g->n_params; active++)
                against_differences(name, g, x, active, 2e-7);
        }
        arena_free(&arena);
    }
}

/* The scatter's region is not a sum. */
Test(jvp, select_and_scatter_by_any_region)
{
    static const int which[] = { SUM, PRODUCT, CURVED };
    for (int k = 0; k < 3; k++) {
        Graph *g = graph_new(&arena, NULL), *select = graph_new(&arena, NULL);
        Type f = { WEFT_F64, 0, NULL };
        Ref a = build_param(select, f), b = build_param(select, f),
            first = build_compare(select, CMP_GE, a, b);
        graph_set_outputs(select, &first, 1);
        const Graph *regions[] = { select, region(which[k]) };
        Ref args[] = { build_param(g, (Type){ WEFT_F64, 2, (int64_t[]){ 4, 3 } }),
                       build_param(g, (Type){ WEFT_F64, 2, (int64_t[]){ 3, 2 } }), build_param(g, f) };
        set_all_results(g, graph_add(g, &(NodeSpec){ .op = OP_SELECT_AND_SCATTER,
                                                     .args = args,
                                                     .n_args = 3,
                                                     .attr = (int64_t[]){ 2, 2, 1, 1, 0, 0, 0, 0 },
                                                     .n_attr = 8,
                                                     .regions = regions,
                                                     .n_regions = 2 }));
        const void *x[3];
        for (uint32_t p = 0; p < 3; p++) x[p] = random_smooth(graph_type(g, g->params[p]), -2, 2);
        for (uint32_t active = 0; active < 8; active++)
            against_differences("select and scatter", g, x, active, 2e-7);
    }
}

/* Each program of control_programs.h, in f64. What stops gradients, and forward mode of a reverse rule, have
 * tests of their own. */
Test(jvp, programs_with_regions_are_their_differences)
{
    for (size_t i = 0; i < N_CONTROL_PROGRAMS; i++) {
        const Graph *g = widened(&arena, control_programs[i].make(&arena));
        const void *x[MOST];
        if (!g || has_op(g, OP_STOP_GRADIENT) || has_op(g, OP_CUSTOM_VJP)) continue;
        for (int k = 0; k < 4; k++) {
            for (uint32_t p = 0; p < g->n_params; p++)
                x[p] = random_smooth(graph_type(g, g->params[p]), -2, 2);
            for (uint32_t active = 0; active < 1u << g->n_params; active++)
                against_differences(control_programs[i].name, g, x, active, 2e-7);
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
        for (uint32_t p = 0; p < d->n_params; p++) x[p] = random_smooth(graph_type(d, d->params[p]), -2, 2);
        against_differences(control_programs[i].name, d, x, (1u << d->n_params) - 1, 2e-7);
        arena_free(&arena);
    }
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        Graph *g = graph_new(&arena, NULL);
        const void *x[MOST];
        set_all_results(g, support_case(g, &rows[i].c, region(rows[i].region)));
        char name[64];
        snprintf(name, sizeof name, "row %zu, %s", i, op_info[rows[i].c.op].name);
        const Graph *d = derive_by(name, g, 7);
        for (uint32_t p = 0; p < d->n_params; p++) x[p] = random_smooth(graph_type(d, d->params[p]), -2, 2);
        against_differences(name, d, x, (1u << d->n_params) - 1, 2e-7);
        arena_free(&arena);
    }
    for (int op = 0; op < OP_COUNT; op++) {
        Graph *g = elementwise((Op)op, WEFT_F64);
        if (!g || op == OP_STOP_GRADIENT || op == OP_NEXT_AFTER) continue;
        uint32_t by = has_derivative((Op)op, 7) ? 7 : 2;
        const Graph *d = derive_by(op_info[op].name, g, by);
        const void *x[MOST];
        for (uint32_t p = 0; p < d->n_params; p++)
            x[p] = p < g->n_params ? operand((Op)op, p, graph_type(d, d->params[p]))
                                   : random_smooth(graph_type(d, d->params[p]), -1, 1);
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

/* Where JAX has something else: 0 by a base to the power 0 for exponents of integer type only; NaN for
 * trigamma at infinity, 1/2 for Bessel's at NaN. */
static bool point_differs_from_jax(Op op, uint32_t by, const double *x)
{
    return (op == OP_POW && by == 0 && x[1] == 0) || (op == OP_DIGAMMA && x[0] == INFINITY) ||
           (op == OP_BESSEL_I1E && isnan(x[0]));
}

/* Where the extreme is NaN, JAX's maximum of windows and of scatters takes another element's tangent, or
 * none. */
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
    eager_run(d, in, (void *[]){ &values[0], &values[1] });
    cr_expect(agrees(values[1], want, 1e-9), "%s: %.17g, not %.17g", line, values[1], want);
}

#define WINDOW(op, stride, pad) window_of(g, x, op, stride, pad)
static Ref window_of(Graph *g, Ref x, Op op, int64_t stride, int64_t pad)
{
    Ref start = build_number(g, WEFT_F64, op == OP_MAX ? -INFINITY : INFINITY);
    return graph_add(g, &(NodeSpec){ .op = OP_REDUCE_WINDOW,
                                     .args = (Ref[]){ x, start },
                                     .n_args = 2,
                                     .attr = (int64_t[]){ 3, stride, 1, 1, pad, pad },
                                     .n_attr = 6,
                                     .region = region(op == OP_MAX ? LARGER : SMALLER) });
}

static Ref scatter_of(Graph *g, Ref x, int which, const int32_t *places)
{
    Ref start = build_splat(g, (Type){ WEFT_F64, 1, (int64_t[]){ 3 } }, scalar_from_double(WEFT_F64, 2));
    Ref at = build_constant(g, (Type){ WEFT_I32, 1, (int64_t[]){ 6 } }, places);
    return graph_add(g, &(NodeSpec){ .op = OP_SCATTER,
                                     .args = (Ref[]){ start, at, x },
                                     .n_args = 3,
                                     .attr = (int64_t[]){ 0, 1, 0, 1, 1, 0, 0, 0, 0 },
                                     .n_attr = 9,
                                     .region = region(which) });
}

static Ref spread(Graph *g, Ref scalar) { return build_broadcast(g, scalar, (int64_t[]){ 6 }, 1, NULL); }

static Ref exponentials(Graph *g, Ref x, Ref largest)
{
    return build_unary(g, OP_EXP,
                       build_binary(g, OP_SUB, x, spread(g, build_unary(g, OP_STOP_GRADIENT, largest))));
}

/* The case of that name over x: f64[6]. */
static Ref array_case(Graph *g, const char *name, Ref x)
{
    static const int32_t around[] = { 0, 1, 0, 1, 2, 2 }, beyond[] = { 0, 1, 0, 1, 2, 7 };
    Ref one = build_splat(g, graph_type(g, x), scalar_from_double(WEFT_F64, 1)), out;
#define CASE(text, ...) \
    if (!strcmp(name, text)) return (__VA_ARGS__)
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
    CASE("where", build_select(g, build_compare(g, CMP_GT, x, one), build_binary(g, OP_MUL, x, x),
                               build_unary(g, OP_NEG, x)));
    CASE("clamp", graph_add(g, &(NodeSpec){ .op = OP_CLAMP,
                                            .args = (Ref[]){ build_number(g, WEFT_F64, 1), x,
                                                             build_number(g, WEFT_F64, 3) },
                                            .n_args = 3 }));
    CASE("norm", build_unary(g, OP_SQRT, build_reduce(g, OP_ADD, build_binary(g, OP_MUL, x, x), &axis, 1)));
    CASE("relu", build_binary(g, OP_MAX, x, one));
    CASE("scatter_max", scatter_of(g, x, LARGER, around));
    CASE("scatter_set", scatter_of(g, x, LATER, beyond));
    CASE("scatter_add", scatter_of(g, x, SUM, beyond));
    Ref largest = build_reduce(g, OP_MAX, x, &axis, 1), e = exponentials(g, x, largest),
        sum = build_reduce(g, OP_ADD, e, &axis, 1);
    CASE("whole_softmax", build_binary(g, OP_DIV, e, spread(g, sum)));
    CASE("whole_logsumexp",
         build_binary(g, OP_ADD, build_unary(g, OP_LOG, sum), build_unary(g, OP_STOP_GRADIENT, largest)));
#undef CASE
    return REF_NONE;
}

static void check_array(const char *line, const char *name, const double *x, const double *jacobian,
                        int n_jacobian)
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
        eager_run(d, (const void *[]){ x, t }, (void *[]){ values, tangents });
        for (int k = 0; k < n_out; k++)
            cr_expect(agrees(tangents[k], jacobian[6 * k + i], 1e-12),
                      "%.40s...: by element %d, result %d: %.17g, not %.17g", line, i, k, tangents[k],
                      jacobian[6 * k + i]);
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
        } else if (!point_differs_from_jax(op_named(name), number, x))
            check_point(line, op_named(name), number, x, want[0]);
        arena_free(&arena);
    }
    fclose(f);
    cr_assert_gt(n_lines, 2000);
}

/* ---- all types, all ops */

/* Tangents in a narrow type against those in f64 of the same numbers. */
Test(jvp, narrow_types_are_f64_rounded)
{
    static const struct {
        DType type;
        double tolerance;
    } types[] = { { WEFT_F16, 1e-2 }, { WEFT_BF16, 6e-2 }, { WEFT_F32, 2e-6 } };
    for (int op = 0; op < OP_COUNT; op++)
        for (size_t k = 0; k < sizeof types / sizeof *types; k++) {
            Graph *g = elementwise((Op)op, types[k].type);
            const void *x[MOST], *wide_x[MOST];
            if (!g || !is_float(g, g->outputs[0])) continue;
            uint32_t by = has_derivative((Op)op, 7) ? 7 : 2;
            Graph *d = derive_by(op_info[op].name, g, by),
                  *wide = derive_by(op_info[op].name, elementwise((Op)op, WEFT_F64), by);
            for (uint32_t p = 0; p < d->n_params; p++) {
                Type t = graph_type(d, d->params[p]), wide_t = graph_type(wide, wide->params[p]);
                x[p] = p < g->n_params ? operand((Op)op, p, t) : random_smooth(t, -1, 1);
                void *to = room(wide_t);
                for (int64_t i = 0; i < type_count(t); i++) put(wide_t, to, i, get(t, x[p], i));
                wide_x[p] = to;
            }
            void **got = outputs_of(d), **want = outputs_of(wide);
            eager_run(d, x, got);
            eager_run(wide, wide_x, want);
            for (int64_t i = 0; i < 7; i++) {
                double a = get(graph_type(d, d->outputs[1]), got[1], i),
                       b = get(graph_type(wide, wide->outputs[1]), want[1], i);
                cr_expect(agrees(a, b, types[k].tolerance), "%s of %s: %.9g, not %.9g", op_info[op].name,
                          dtype_name(types[k].type), a, b);
            }
            arena_free(&arena);
        }
}

/* The case with its floats in another type. */
static Graph *row_of(size_t i, DType t)
{
    Case c = rows[i].c;
    char *args = arena_printf(&arena, "%s", c.args);
    for (char *at; t != WEFT_F64 && (at = strstr(args, "f64"));)
        args = arena_printf(&arena, "%.*s%s%s", (int)(at - args), args, dtype_name(t), at + 3);
    c.args = args;
    if (c.given && !strncmp(c.given, "f64", 3))
        c.given = arena_printf(&arena, "%s%s", dtype_name(t), c.given + 3);
    Graph *g = graph_new(&arena, NULL);
    Ref r = support_case(g, &c, rows[i].region ? region_of(rows[i].region, t) : NULL);
    cr_assert_neq(r, REF_NONE, "row %zu: %s", i, g->failure.text);
    set_all_results(g, r);
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
    static const struct {
        DType type;
        double tolerance;
    } types[] = { { WEFT_F16, 2e-2 }, { WEFT_BF16, 0.12 }, { WEFT_F32, 4e-6 } };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        for (size_t k = 0; k < sizeof types / sizeof *types; k++) {
            char name[64];
            snprintf(name, sizeof name, "row %zu, %s of %s", i, op_info[rows[i].c.op].name,
                     dtype_name(types[k].type));
            const Graph *d = derive_by(name, row_of(i, types[k].type), 7),
                        *wide = derive_by(name, row_of(i, WEFT_F64), 7);
            const void *x[MOST], *wide_x[MOST];
            for (uint32_t p = 0; p < d->n_params; p++) {
                x[p] = random_smooth(graph_type(d, d->params[p]), -1.25, 1.25);
                wide_x[p] = converted(graph_type(d, d->params[p]), x[p], graph_type(wide, wide->params[p]));
            }
            void **got = outputs_of(d), **want = outputs_of(wide);
            eager_run(d, x, got);
            eager_run(wide, wide_x, want);
            for (uint32_t o = 0; o < d->n_outputs; o++) {
                Type t = graph_type(d, d->outputs[o]), u = graph_type(wide, wide->outputs[o]);
                cr_assert(t.dtype == types[k].type || !dtype_is_float((DType)t.dtype), "%s", name);
                for (int64_t e = 0; e < type_count(t); e++)
                    cr_expect(agrees(get(t, got[o], e), get(u, want[o], e), types[k].tolerance),
                              "%s: output %u, element %lld: %.9g, not %.9g", name, o, (long long)e,
                              get(t, got[o], e), get(u, want[o], e));
            }
            arena_free(&arena);
        }
}

Test(jvp, every_op_that_takes_floats_has_a_case)
{
    bool
        tested[OP_COUNT] = {
            [OP_PARAMETER] = true, [OP_CONSTANT] = true, [OP_IOTA] = true,
            [OP_RESULT] = true,    [OP_ARGMIN] = true,   [OP_FOREIGN] = true,
            [OP_BACKWARD] = true,  [OP_FFT] = true, /* of complex numbers: tests/ops/test_ops_fft.c */
        };
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
        expect_refusal(
            g, 1,
            k ? "the derivative of ZETA (demo.c:7): there is none by its first operand, the exponent"
              : "the derivative of POLYGAMMA (demo.c:7): there is none");
        cr_expect_not_null(derive_by("by the second", g, 2));
    }
    Graph *g = graph_new(&arena, NULL);
    Ref x = build_param(g, v), out[2];
    g->loc = graph_loc(g, "demo.c:9");
    build_foreign(g, &program_foreign_op, 0, (int64_t[]){ 3 }, 1, &x, 1, (Type[]){ program_v, program_f }, 2,
                  out);
    graph_set_outputs(g, out, 2);
    expect_refusal(g, 1,
                   "the derivative of FOREIGN (demo.c:9): reversed is a C function, whose derivative nobody "
                   "knows: wrap it by weft_custom_jvp or weft_custom_vjp");
    Ref loop, stopped = build_unary(g, OP_STOP_GRADIENT, out[1]);
    graph_set_outputs(g, &stopped, 1);
    cr_expect_not_null(derive_by("a stopped call", g, 1));
    graph_set_outputs(g, out, 1);
    Graph *outer = graph_new(&arena, NULL);
    x = build_param(outer, v);
    outer->loc = graph_loc(outer, "demo.c:12");
    build_scan(outer, (ScanShape){ .length = 2, .unroll = 1, .n_carry = 1 }, g, &x, &loop);
    graph_set_outputs(outer, &loop, 1);
    expect_refusal(outer, 1,
                   "the derivative of SCAN (demo.c:12): the derivative of FOREIGN (demo.c:9): reversed");
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
    build_foreign(body, &program_foreign_op, 0, (int64_t[]){ 3 }, 1, &carry, 1,
                  (Type[]){ program_v, program_f }, 2, call);
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
    Ref x = build_param(g, (Type){ WEFT_F32, 1, (const int64_t[]){ 3 } }),
        c = build_param(g, (Type){ WEFT_F32, 1, (const int64_t[]){ 3 } });
    Ref out[] = { build_unary(g, OP_FLOOR, x), build_unary(g, OP_STOP_GRADIENT, x),
                  build_convert(g, build_convert(g, x, WEFT_I32), WEFT_F32), c,
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

/* NaN and infinity of the branch that is not taken stay out of the result. */
Test(jvp, what_is_not_chosen_does_not_matter)
{
    Graph *g = graph_new(&arena, NULL);
    Type f = { WEFT_F64, 0, NULL };
    Ref x = build_param(g, f), zero = build_number(g, WEFT_F64, 0),
        positive = build_compare(g, CMP_GT, x, zero);
    Ref out[] = { build_select(g, positive, build_unary(g, OP_LOG, x), build_unary(g, OP_NEG, x)),
                  build_binary(g, OP_MAX, build_unary(g, OP_SQRT, x), zero),
                  graph_add(g, &(NodeSpec){ .op = OP_CLAMP,
                                            .args = (Ref[]){ zero, build_unary(g, OP_SQRT, x),
                                                             build_number(g, WEFT_F64, 1) },
                                            .n_args = 3 }) };
    graph_set_outputs(g, out, 3);
    const Graph *d = derive_by("chosen", g, 1);
    double at = 0, one = 1, value[3], tangent[3];
    eager_run(d, (const void *[]){ &at, &one },
              (void *[]){ &value[0], &value[1], &value[2], &tangent[0], &tangent[1], &tangent[2] });
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
    Graph *mapped = vmap_graph(&arena, g, front, SIZE, front, NULL, &f),
          *inside = vmap_graph(&arena, derive_by(name, g, 7), front, SIZE, front, NULL, &f);
    cr_assert(mapped && inside, "%s: %s", name, f.text);
    Graph *outside = derive_by(name, mapped, 7);
    cr_assert(inside->n_params == outside->n_params && inside->n_outputs == outside->n_outputs, "%s", name);
    for (uint32_t i = 0; i < inside->n_params; i++)
        x[i] = random_smooth(graph_type(inside, inside->params[i]), -2, 2);
    void **a = outputs_of(inside), **b = outputs_of(outside);
    eager_run(inside, x, a);
    eager_run(outside, x, b);
    for (uint32_t i = 0; i < inside->n_outputs; i++) {
        Type t = graph_type(inside, inside->outputs[i]);
        for (int64_t k = 0; k < type_count(t); k++)
            cr_expect(agrees(get(t, a[i], k), get(t, b[i], k), 1e-12),
                      "%s: output %u, element %lld: %.17g and %.17g", name, i, (long long)k, get(t, a[i], k),
                      get(t, b[i], k));
    }
}

Test(jvp, it_commutes_with_vmap)
{
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        Graph *g = graph_new(&arena, NULL);
        set_all_results(g, support_case(g, &rows[i].c, region(rows[i].region)));
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
