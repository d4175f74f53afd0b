/* graphs_noise.c: what rounding explains. The modes that may round otherwise than eager mode are compared
 * with eager runs in which each rounding is made larger at random. In half of them products do not overflow,
 * none or only those that a multiply-add takes in, and what depends on more than rounding is something else
 * in each: what overflows in one order of its terms or factors and not in another, and the bits of a number
 * that may be rounded. An element may be off by as much as the runs are, and where they do not agree on what
 * is NaN, infinite or a number, or on an integer, nothing is promised. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include "compiler/passes/inline_rules.h"
#include "compiler/planes/planes.h"
#include "tests/support/heap.h"
#include "tests/graphs/graphs.h"
#include "runtime/eager/eager.h"

enum { RUNS = 32 };

static bool may_not_overflow(int run) { return run % 2; }

/* Or do only those that a multiply-add takes in, one in each sum? */
static bool contracts(int run) { return may_not_overflow(run) && run / 8 >= 2; }

/* Later ops may make equal values of two of these. */
static double if_order_matters(int run) { return (double[]){ NAN, 0, INFINITY, -INFINITY }[run / 2 % 4]; }

static double unit_of(DType t)
{
    return t == WEFT_F64 ? 0x1p-52 : t == WEFT_F16 ? 0x1p-10 : t == WEFT_BF16 ? 0x1p-7 : 0x1p-23;
}
static double least_of(DType t) { return t == WEFT_F64 ? 0x1p-1022 : t == WEFT_F16 ? 0x1p-14 : 0x1p-126; }
static double greatest_of(DType t)
{
    return t == WEFT_F64 ? 0x1.fp1023 : t == WEFT_F16 ? 0x1.ffp15 : 0x1.fp127;
}

/* Where a large number is taken from itself a little noise leaves something small, and much always something
 * large. */
static double units_of_noise(int run) { return (double[]){ 16, 2, 0.75, 4 }[run / 8 % 4]; }

/* Each element up to some units in the last place more or less, and all of them up to so many together: sums
 * of equal numbers round the same way each time. */
static Ref noisy(Graph *g, Ref r, int64_t together, int run, Rng *rng)
{
    Type t = r == REF_NONE ? (Type){ 0, 0, NULL } : graph_type(g, r);
    if (r == REF_NONE || graph_node(g, r)->n_results > 1 || !dtype_is_float((DType)t.dtype)) return r;
    int64_t n = type_count(t);
    size_t bytes = dtype_bytes((DType)t.dtype);
    char *factor = arena_alloc(g->arena, (size_t)n * bytes + 1);
    double most = units_of_noise(run),
           common = ((double)rng_bits(rng) / 0x1p63 - 1) * (double)together * most / 16;
    for (int64_t i = 0; i < n; i++) {
        double f = 1 + (common + ((double)rng_bits(rng) / 0x1p63 - 1) * most) * unit_of((DType)t.dtype);
        scalar_store((DType)t.dtype, factor + (size_t)i * bytes, scalar_from_double((DType)t.dtype, f));
    }
    int64_t splat = 0;
    Ref by = graph_add_raw(g, &(NodeSpec){ .op = OP_CONSTANT,
                                           .attr = &splat,
                                           .n_attr = 1,
                                           .data = factor,
                                           .dtype = (DType)t.dtype,
                                           .dim = t.dim,
                                           .rank = t.rank });
    return graph_add_raw(g, &(NodeSpec){ .op = OP_MUL, .args = (Ref[]){ r, by }, .n_args = 2 });
}

static Ref filled(Graph *g, Type t, double number)
{
    return build_splat(g, t, scalar_from_double((DType)t.dtype, number));
}

/* The product, or sum, of finite numbers is finite. */
static Ref limited(Graph *g, Ref product, const Ref *args, uint32_t n)
{
    Type t = graph_type(g, product);
    double most = greatest_of((DType)t.dtype);
    Ref clamped =
        graph_add_raw(g, &(NodeSpec){ .op = OP_CLAMP,
                                      .args = (Ref[]){ filled(g, t, -most), product, filled(g, t, most) },
                                      .n_args = 3 });
    Ref finite = build_binary(g, OP_AND, build_unary(g, OP_IS_FINITE, args[0]),
                              build_unary(g, OP_IS_FINITE, args[n - 1]));
    return build_select(g, finite, clamped, product);
}

/* Powers of two that make an operand of a sum so small that no product of two overflows, nor a sum of
 * these. */
static int half_of(DType t) { return t == WEFT_F64 ? 514 : t == WEFT_F16 ? 10 : 66; }

/* a b + c, or a b - c, rounded once where a b overflows by itself: of numbers so small that nothing does.
 * c is infinite, NaN, or as small as a b is. */
static Ref multiply_add(Graph *g, Ref sum, Ref a, Ref b, Ref c, double sign_ab, double sign_c)
{
    Type t = graph_type(g, sum);
    Ref small = filled(g, t, ldexp(1, -half_of((DType)t.dtype))),
        large = filled(g, t, ldexp(1, half_of((DType)t.dtype)));
    Ref ab = build_binary(g, OP_MUL, build_binary(g, OP_MUL, a, small), build_binary(g, OP_MUL, b, small));
    Ref c_small = build_binary(g, OP_MUL, build_binary(g, OP_MUL, c, small), small);
    Ref both = build_binary(g, OP_ADD, build_binary(g, OP_MUL, ab, filled(g, t, sign_ab)),
                            build_binary(g, OP_MUL, c_small, filled(g, t, sign_c)));
    Ref once = build_binary(g, OP_MUL, build_binary(g, OP_MUL, both, large), large);
    Ref finite = build_binary(g, OP_AND, build_unary(g, OP_IS_FINITE, a), build_unary(g, OP_IS_FINITE, b)),
        overflows = build_unary(g, OP_NOT, build_unary(g, OP_IS_FINITE, build_binary(g, OP_MUL, a, b)));
    return build_select(g, build_binary(g, OP_AND, finite, overflows), once, sum);
}

static bool is_float_product(const Node *n)
{
    return dtype_is_float((DType)n->dtype) && (n->op == OP_MUL || n->op == OP_SQUARE);
}

static bool is_float_sum(const Node *n)
{
    return dtype_is_float((DType)n->dtype) && (n->op == OP_ADD || n->op == OP_SUB);
}

/* Which of its two operands a sum takes in as a multiply-add: always the first that it can, or the last, or
 * any or none. */
static int taken_in(const Graph *g, const Node *n, int run, Rng *rng)
{
    if (!is_float_sum(n)) return -1;
    int first = run / 8 > 2 ? (int)rng_below(rng, 3) : run / 2 % 2;
    for (int k = 0; k < 2 && first < 2; k++) {
        const Node *x = graph_node(g, n->args[first ^ k]);
        if (is_float_product(x)) return first ^ k;
    }
    return -1;
}

static Ref contracted(Graph *to, Ref sum, const Graph *g, const Node *n, const Ref *map, int run, Rng *rng)
{
    int side = taken_in(g, n, run, rng);
    if (side < 0) return sum;
    const Node *x = graph_node(g, n->args[side]);
    double second = n->op == OP_SUB ? -1 : 1;
    return multiply_add(to, sum, map[x->args[0]], map[x->args[x->n_args - 1]], map[n->args[!side]],
                        side ? second : 1, side ? 1 : second);
}

static bool is_sum(const Node *n)
{
    return n->n_results == 1 && dtype_is_float((DType)n->dtype) &&
           (n->op == OP_DOT || n->op == OP_CONVOLUTION ||
            ((n->op == OP_REDUCE || n->op == OP_CUMULATIVE) && n->attr[0] == OP_ADD));
}

static bool is_long_product(const Node *n)
{
    return dtype_is_float((DType)n->dtype) && (n->op == OP_REDUCE || n->op == OP_CUMULATIVE) &&
           n->attr[0] == OP_MUL;
}

/* The product, or `otherwise` where in some order of the factors it overflows or vanishes on the way: where
 * those above 1, or those below, do so alone. */
static Ref ordered(Graph *g, Ref product, Ref factors, const Node *n, double otherwise)
{
    DType t = (DType)graph_node(g, product)->dtype;
    Ref logs = build_unary(g, OP_LOG2, build_unary(g, OP_ABS, build_convert(g, factors, WEFT_F64)));
    Ref none = filled(g, graph_type(g, logs), 0);
    logs = build_select(g, build_unary(g, OP_IS_FINITE, logs), logs, none);
    int64_t *attr = arena_copy(g->arena, n->attr, n->n_attr * sizeof *attr);
    attr[0] = OP_ADD;
    Ref side[2];
    for (int i = 0; i < 2; i++) {
        Ref terms = build_binary(g, i ? OP_MIN : OP_MAX, logs, none);
        side[i] = graph_add_raw(
            g,
            &(NodeSpec){ .op = (Op)n->op, .args = &terms, .n_args = 1, .attr = attr, .n_attr = n->n_attr });
    }
    Type wide = graph_type(g, side[0]);
    Ref above = build_compare(g, CMP_GT, side[0], filled(g, wide, log2(greatest_of(t)) - 1)),
        below = build_compare(g, CMP_LT, side[1], filled(g, wide, log2(least_of(t)) + 1));
    return build_select(g, build_binary(g, OP_OR, above, below), filled(g, graph_type(g, product), otherwise),
                        product);
}

/* The sum of the magnitudes of finite operands, times 2 to the -half_of for each operand. */
static Ref size_of_sum(Graph *g, DType t, const Ref *args, const Node *n)
{
    Ref *small = arena_alloc(g->arena, n->n_args * sizeof *small);
    for (uint32_t i = 0; i < n->n_args; i++) {
        Type type = graph_type(g, args[i]);
        Ref finite = build_select(g, build_unary(g, OP_IS_FINITE, args[i]), build_unary(g, OP_ABS, args[i]),
                                  filled(g, type, 0));
        small[i] = build_binary(g, OP_MUL, finite, filled(g, type, ldexp(1, -half_of(t))));
    }
    NodeSpec s = node_spec(n);
    s.args = small;
    return graph_add_raw(g, &s);
}

/* The sum, or `otherwise` where some of its terms overflow, or sums of some: in which order, and whether a
 * product is rounded before it is added, then decides. Finite operands are asked only, by the sum of their
 * magnitudes. */
static Ref overflowing(Graph *g, Ref sum, const Ref *args, const Node *n, double otherwise)
{
    DType t = (DType)graph_node(g, sum)->dtype;
    Ref size = size_of_sum(g, t, args, n);
    double most = ldexp(greatest_of(t), -half_of(t) * (int)n->n_args) / 2;
    Ref above = build_compare(g, CMP_GT, size, filled(g, graph_type(g, size), most));
    return build_select(g, above, filled(g, graph_type(g, sum), otherwise), sum);
}

/* The sum, or 0 where its terms cancel but for what rounding leaves: in another order that may be nothing. */
static Ref cancelled(Graph *g, Ref sum, const Ref *args, const Node *n, int64_t terms)
{
    DType t = (DType)graph_node(g, sum)->dtype;
    Ref size = size_of_sum(g, t, args, n), magnitude = build_unary(g, OP_ABS, sum);
    Type type = graph_type(g, size);
    Ref left = build_binary(g, OP_MUL, magnitude, filled(g, type, ldexp(1, -half_of(t) * (int)n->n_args))),
        noise = build_binary(g, OP_MUL, size, filled(g, type, 2 * unit_of(t) * (double)terms));
    return build_select(g, build_compare(g, CMP_LE, left, noise), filled(g, type, 0), sum);
}

/* The op gives one of its operands, up to the sign. */
static bool is_exact(Op op)
{
    return op == OP_NEG || op == OP_ABS || op == OP_SIGN || op == OP_SELECT || op == OP_CLAMP ||
           op == OP_MAX || op == OP_MIN || op == OP_BITCAST;
}

/* The op makes other numbers of the last bits of a float that was computed. */
static bool takes_bits(const Graph *g, const Node *n)
{
    if (n->op != OP_BITCAST || !dtype_is_float((DType)n->dtype)) return false;
    const Node *x = graph_node(g, n->args[0]);
    return dtype_is_float((DType)x->dtype) && x->dtype != n->dtype && op_kind((Op)x->op) != OPKIND_LEAF;
}

static bool rounds(const Node *n) { return op_is_ew((Op)n->op) && !is_exact((Op)n->op); }

/* Does a region round? An extreme does not: it is one of its operands. */
static bool regions_round(const Node *n)
{
    for (uint32_t i = 0; i < n->n_regions; i++)
        for (Ref r = 0; r < n->regions[i]->n_nodes; r++) {
            const Node *in = &n->regions[i]->nodes[r];
            if (dtype_is_float((DType)in->dtype) && (rounds(in) || regions_round(in))) return true;
        }
    return false;
}

/* Sums may be taken in another order: noise on each term. */
static bool adds_up(const Node *n)
{
    switch (n->op) {
    case OP_REDUCE:
    case OP_CUMULATIVE:         return n->attr[0] == OP_ADD || n->attr[0] == OP_MUL;
    case OP_DOT:
    case OP_CONVOLUTION:        return true;
    case OP_SCATTER:
    case OP_REDUCE_WINDOW:
    case OP_REDUCE_REGION:
    case OP_SELECT_AND_SCATTER: return regions_round(n);
    default:                    return false;
    }
}

/* About how many terms of the first operand make a sum. */
static int64_t terms_of(const Graph *g, Ref operand, const Node *n)
{
    Type t = graph_type(g, operand);
    int64_t results = n->op == OP_CUMULATIVE ? type_count(t) / (t.dim[n->attr[1]] + !t.dim[n->attr[1]])
                                             : type_count(node_result(n, 0));
    return type_count(t) / (results + !results);
}

/* Regions that are programs become noisy, too; reducers and comparators do not. */
static Graph *with_noise(Arena *a, const Graph *g, int run, bool any_order, Rng *rng)
{
    bool no_overflow = may_not_overflow(run);
    Graph *out = graph_new(a, g->name);
    Ref *map = arena_alloc(a, (g->n_nodes + 1) * sizeof *map),
        *outputs = arena_alloc(a, (g->n_outputs + 1) * sizeof *outputs);
    for (Ref r = 0; r < g->n_nodes; r++) {
        const Node *n = &g->nodes[r];
        NodeSpec s = node_spec(n);
        Ref *args = arena_alloc(a, (n->n_args + 1) * sizeof *args),
            *plain = arena_alloc(a, (n->n_args + 1) * sizeof *args);
        const Graph **regions = arena_alloc(a, (n->n_regions + 1u) * sizeof *regions);
        for (uint32_t i = 0; i < n->n_args; i++) {
            args[i] = plain[i] = map[n->args[i]]; /* the greatest number plus noise would be infinite */
            if (adds_up(n)) args[i] = noisy(out, args[i], terms_of(out, map[n->args[0]], n), run, rng);
        }
        for (uint32_t i = 0; i < n->n_regions; i++)
            regions[i] = op_kind((Op)n->op) == OPKIND_CONTROL
                             ? with_noise(a, n->regions[i], run, any_order, rng)
                             : n->regions[i];
        s.args = args, s.regions = regions;
        map[r] = graph_add_raw(out, &s);
        if (no_overflow && takes_bits(g, n)) map[r] = filled(out, node_type(n), if_order_matters(run));
        if (no_overflow && is_long_product(n))
            map[r] = ordered(out, map[r], plain[0], n, if_order_matters(run));
        if (run % 8 == 0 && is_sum(n)) map[r] = cancelled(out, map[r], plain, n, terms_of(out, plain[0], n));
        if (no_overflow && is_sum(n)) map[r] = overflowing(out, map[r], plain, n, if_order_matters(run));
        if (contracts(run)) map[r] = contracted(out, map[r], g, n, map, run, rng);
        else if (no_overflow && (is_float_product(n) || (any_order && is_float_sum(n))))
            map[r] = limited(out, map[r], args, n->n_args);
        if (adds_up(n) || rounds(n)) map[r] = noisy(out, map[r], 0, run, rng);
    }
    for (uint32_t i = 0; i < g->n_outputs; i++) outputs[i] = map[g->outputs[i]];
    graph_set_outputs(out, outputs, g->n_outputs);
    return out;
}

/* Holds 64-bit ints. */
typedef long double Number;

typedef enum { IS_NAN, IS_LOW, IS_NUMBER, IS_HIGH } Class;
static Class class_of(Number x)
{
    return x != x ? IS_NAN : x == INFINITY ? IS_HIGH : x == -INFINITY ? IS_LOW : IS_NUMBER;
}

/* Between the last number and infinity. */
static bool at_the_edge(DType t, Number x, Number y)
{
    return x == x && y == y && signbit(x) == signbit(y) && fabsl(x) >= greatest_of(t) &&
           fabsl(y) >= greatest_of(t);
}

static bool is_explained(DType t, Number got, Number want, const Number *runs, int n_runs)
{
    Number spread = 0;
    for (int i = 0; i < n_runs; i++) {
        if (class_of(runs[i]) != class_of(want)) return true;
        if (class_of(want) == IS_NUMBER) spread = fmaxl(spread, fabsl(runs[i] - want));
    }
    if (!dtype_is_float(t)) return got == want || spread > 0;
    if (class_of(got) != class_of(want)) return at_the_edge(t, got, want);
    return class_of(want) != IS_NUMBER ||
           fabsl(got - want) <= 4 * spread + 4 * unit_of(t) * (fabsl(want) + least_of(t));
}

static Number number_at(const Values *v, uint32_t k, int64_t i)
{
    DType t = (DType)v->type[k].dtype;
    uint64_t bits = scalar_load(t, (const char *)v->at[k] + (size_t)i * dtype_bytes(t));
    return dtype_is_float(t) ? scalar_to_double(t, bits) : (Number)scalar_to_i64(t, bits);
}

static bool all_explained(const Values *got, const Values *want, const Values *runs, int n_runs,
                          uint32_t *output, int64_t *element)
{
    for (uint32_t k = 0; k < want->n; k++)
        for (int64_t i = 0; i < type_count(want->type[k]); i++) {
            Number of[RUNS];
            for (int r = 0; r < n_runs; r++) of[r] = number_at(&runs[r], k, i);
            *output = k, *element = i;
            if (!is_explained((DType)want->type[k].dtype, number_at(got, k, i), number_at(want, k, i), of,
                              n_runs))
                return false;
        }
    return true;
}

/* Complex numbers round where their parts do. */
static const Graph *of_parts(Arena *arena, const Graph *g)
{
    Failure f = { .code = WEFT_OK };
    const Graph *real = inline_rules(arena, g, &f);
    if (real) real = planes(arena, real, false, &f);
    if (!real) fprintf(stderr, "with noise: %s\n", f.text);
    return real ? real : g;
}

/* The same memory, as outputs of this graph: complex numbers are their parts. */
static Values as_outputs(Arena *arena, const Graph *g, const Values *v)
{
    Values parts = { v->n, arena_alloc(arena, (v->n + 1) * sizeof(Type)), v->at };
    for (uint32_t k = 0; k < v->n; k++) parts.type[k] = graph_type(g, g->outputs[k]);
    return parts;
}

static bool noise_explains(Arena *arena, const Graph *g, void *const *inputs, const Values *got,
                           const Values *want, bool any_order, uint32_t *output, int64_t *element)
{
    Values runs[RUNS] = { { 0, NULL, NULL } };
    Rng rng = { 1 };
    bool ok = true;
    if (all_explained(got, want, runs, 0, output, element)) return true;
    for (int r = 0; r < RUNS; r++) {
        Failure f = { .code = WEFT_OK };
        Graph *rough = with_noise(arena, g, r, any_order, &rng);
        runs[r] = values_of_outputs(rough);
        ok &= eager_graph(rough, (const void *const *)inputs, runs[r].at, &heap, &f);
        if (!ok) fprintf(stderr, "with noise: %s\n", f.text);
    }
    ok = ok && all_explained(got, want, runs, RUNS, output, element);
    for (int r = 0; r < RUNS; r++) values_free(&runs[r]);
    return ok;
}

bool rounding_explains(Arena *arena, const Graph *g, void *const *inputs, const Values *got,
                       const Values *want, bool any_order, uint32_t *output, int64_t *element)
{
    const Graph *real = of_parts(arena, g);
    Values got_parts = as_outputs(arena, real, got), want_parts = as_outputs(arena, real, want);
    bool ok = noise_explains(arena, real, inputs, &got_parts, &want_parts, any_order, output, element);
    if (dtype_is_complex((DType)want->type[*output].dtype)) *element /= 2;
    return ok;
}
