/* print_composite.c: ops that StableHLO has no word for: a stablehlo.composite, its decomposition in
 * StableHLO's own ops as a private func behind. Loops name a second func, their body, from which the parser
 * makes the region again; the decomposition has it inlined. What has rules is decomposed into its first
 * region, and names the others.
 * Equal composites share their funcs, so loops in loops in loops do not double the text at each level. */
#include <math.h>
#include <string.h>
#include "compiler/passes/raise.h"
#include "print_parts.h"

static bool has_rules(const Node *n)
{
    return n->op == OP_CUSTOM_JVP || n->op == OP_CUSTOM_VJP || n->op == OP_CUSTOM_VMAP ||
           n->op == OP_CHECKPOINT;
}

/* CHLO squares floats only; StableHLO's map has one result. */
bool print_is_composite(const Node *n)
{
    return n->op == OP_ARGMAX || n->op == OP_ARGMIN || n->op == OP_FMA || n->op == OP_CUMULATIVE ||
           n->op == OP_SCAN || n->op == OP_EXP2 || n->op == OP_LOG2 || n->op == OP_LOG10 ||
           n->op == OP_STOP_GRADIENT || n->op == OP_BACKWARD || has_rules(n) ||
           (n->op == OP_SQUARE && !dtype_is_float((DType)n->dtype)) || (n->op == OP_MAP && n->n_results > 1);
}

/* The attribute that names a region; NULL: none does. */
static const char *region_key(const Node *n, uint32_t i)
{
    if (n->op == OP_SCAN || n->op == OP_MAP) return "body";
    if (n->op == OP_BACKWARD) return "transpose";
    if (n->op == OP_CUSTOM_JVP && i == 1) return "rule";
    return n->op == OP_CUSTOM_VJP && i ? i == 1 ? "forward" : "backward" : NULL;
}

static const char *name_of(const Node *n) { return n->op == OP_MAP ? "weft.map" : op_info[n->op].text; }

/* Decompositions. */

static Ref raw(Graph *g, NodeSpec s) { return graph_add(g, &s); }

static Ref scalar(Graph *g, DType t, uint64_t bits)
{
    return build_splat(g, (Type){ (uint8_t)t, 0, NULL }, bits);
}

/* argmax as JAX writes it: a reduction over the values beside their positions. */
static Ref decompose_argmax(Graph *g, const Node *node, Ref x)
{
    Type t = graph_type(g, x), value = { t.dtype, 0, NULL }, index = { node->dtype, 0, NULL };
    Op op = (Op)node->op;
    Ref position = raw(g, (NodeSpec){ .op = OP_IOTA,
                                      .attr = node->attr,
                                      .n_attr = 1,
                                      .dtype = (DType)node->dtype,
                                      .dim = t.dim,
                                      .rank = t.rank });
    Ref args[] = { x, position,
                   scalar(g, (DType)t.dtype, monoid_start(op == OP_ARGMAX ? OP_MAX : OP_MIN, (DType)t.dtype)),
                   scalar(g, (DType)node->dtype, 0) };
    const Graph *region = raise_arg_reducer(g->arena, value, index, op == OP_ARGMAX ? CMP_GT : CMP_LT,
                                            dtype_is_float((DType)t.dtype));
    Ref both = raw(g, (NodeSpec){ .op = OP_REDUCE_REGION,
                                  .args = args,
                                  .n_args = 4,
                                  .attr = node->attr,
                                  .n_attr = 1,
                                  .region = region });
    return raw(
        g, (NodeSpec){ .op = OP_RESULT, .args = &both, .n_args = 1, .attr = (int64_t[]){ 1 }, .n_attr = 1 });
}

static Ref decompose_square(Graph *g, Ref x)
{
    return raw(g, (NodeSpec){ .op = OP_MUL, .args = (Ref[]){ x, x }, .n_args = 2 });
}

static Ref decompose_fma(Graph *g, const Ref *x)
{
    Ref product = raw(g, (NodeSpec){ .op = OP_MUL, .args = x, .n_args = 2 });
    return raw(g, (NodeSpec){ .op = OP_ADD, .args = (Ref[]){ product, x[2] }, .n_args = 2 });
}

static Ref times(Graph *g, Ref x, double factor)
{
    Ref f = build_splat(g, graph_type(g, x), scalar_from_double((DType)graph_type(g, x).dtype, factor));
    return raw(g, (NodeSpec){ .op = OP_MUL, .args = (Ref[]){ x, f }, .n_args = 2 });
}

/* As JAX writes them; weft's own are more accurate. */
static Ref decompose_power_of_two(Graph *g, Ref x)
{
    Ref product = times(g, x, 0.69314718055994530942);
    return raw(g, (NodeSpec){ .op = OP_EXP, .args = &product, .n_args = 1 });
}

static Ref decompose_log(Graph *g, Ref x, double factor)
{
    return times(g, raw(g, (NodeSpec){ .op = OP_LOG, .args = &x, .n_args = 1 }), factor);
}

/* Prefixes: windows as long as the axis that reach back (or ahead) over its end. */
static Ref decompose_cumulative(Graph *g, const Node *node, Ref x)
{
    Type t = graph_type(g, x), one = { t.dtype, 0, NULL };
    Op monoid = (Op)node->attr[0];
    int64_t attr[6 * WEFT_MAX_RANK], n = t.dim[node->attr[1]];
    for (int i = 0; i < 6 * t.rank; i++) attr[i] = i < 4 * t.rank;
    attr[node->attr[1]] = n > 1 ? n : 1;
    attr[(node->attr[2] ? 5 : 4) * t.rank + node->attr[1]] = n > 1 ? n - 1 : 0;
    Graph *region = graph_new_raw(g->arena, NULL);
    Ref params[2] = { build_param(region, one) };
    params[1] = build_param(region, one);
    Ref out = raw(region, (NodeSpec){ .op = monoid, .args = params, .n_args = 2 });
    graph_set_outputs(region, &out, 1);
    Ref args[] = { x, scalar(g, (DType)t.dtype, monoid_start(monoid, (DType)t.dtype)) };
    return raw(g, (NodeSpec){ .op = OP_REDUCE_WINDOW,
                              .args = args,
                              .n_args = 2,
                              .attr = attr,
                              .n_attr = 6u * t.rank,
                              .region = region });
}

/* One map for each result. */
static void decompose_map(Graph *g, const Node *node, const Ref *x, Ref *out)
{
    for (uint32_t i = 0; i < node->n_results; i++) {
        Graph one = *node->region;
        one.outputs = node->region->outputs + i;
        one.n_outputs = 1;
        Type t = node->results[i];
        out[i] = raw(g, (NodeSpec){ .op = OP_MAP,
                                    .args = x,
                                    .n_args = node->n_args,
                                    .dtype = (DType)t.dtype,
                                    .dim = t.dim,
                                    .rank = t.rank,
                                    .region = graph_compact(g->arena, &one) });
    }
}

/* A scan as a while. Invariants of the while: those of the scan, and its inputs; carries: a counter, the
 * scan's, its outputs. */

static const Type counter = { WEFT_I64, 0, NULL };

static Ref *copy_params(Graph *to, const Graph *of, const Node *scan, ScanShape s)
{
    Ref *p = arena_alloc(to->arena, (scan->n_args + scan->n_results + 2) * sizeof *p);
    uint32_t n = 0;
    for (uint32_t i = 0; i < s.n_invariant; i++) p[n++] = build_param(to, graph_type(of, scan->args[i]));
    for (uint32_t i = 0; i < s.n_xs; i++)
        p[n++] = build_param(to, graph_type(of, scan->args[s.n_invariant + s.n_carry + i]));
    p[n++] = build_param(to, counter);
    for (uint32_t i = 0; i < scan->n_results; i++) p[n++] = build_param(to, node_result(scan, i));
    return p;
}

static const Graph *scan_condition(Arena *arena, const Graph *of, const Node *scan, ScanShape s)
{
    Graph *g = graph_new_raw(arena, NULL);
    Ref i = copy_params(g, of, scan, s)[s.n_invariant + s.n_xs];
    Ref out = build_compare(g, CMP_LT, i, scalar(g, WEFT_I64, (uint64_t)s.length));
    graph_set_outputs(g, &out, 1);
    return g;
}

static Ref reshape(Graph *g, Ref a, Type t)
{
    return raw(g, (NodeSpec){ .op = OP_RESHAPE,
                              .args = &a,
                              .n_args = 1,
                              .dtype = (DType)t.dtype,
                              .dim = t.dim,
                              .rank = t.rank });
}

/* Slice i of x; or x with slice i replaced. */
static Ref slice_at(Graph *g, Ref x, Ref i, Ref update)
{
    Type t = graph_type(g, x), row = { t.dtype, (uint8_t)(t.rank - 1), t.dim + 1 };
    int64_t sizes[WEFT_MAX_RANK];
    Ref args[WEFT_MAX_RANK + 2] = { x, update };
    uint32_t n = update == REF_NONE ? 1 : 2;
    for (int k = 0; k < t.rank; k++) {
        sizes[k] = k ? t.dim[k] : 1;
        args[n + (uint32_t)k] = k ? scalar(g, WEFT_I64, 0) : i;
    }
    if (n == 1)
        return reshape(g,
                       raw(g, (NodeSpec){ .op = OP_DYNAMIC_SLICE,
                                          .args = args,
                                          .n_args = n + t.rank,
                                          .attr = sizes,
                                          .n_attr = t.rank }),
                       row);
    args[1] = reshape(g, update, (Type){ t.dtype, t.rank, sizes });
    return raw(g, (NodeSpec){ .op = OP_DYNAMIC_UPDATE_SLICE, .args = args, .n_args = n + t.rank });
}

static const Graph *scan_step(Arena *arena, const Graph *of, const Node *scan, ScanShape s)
{
    Graph *g = graph_new_raw(arena, NULL);
    const Ref *p = copy_params(g, of, scan, s), *xs = p + s.n_invariant, *carries = xs + s.n_xs + 1;
    Ref i = xs[s.n_xs], at = i, one = scalar(g, WEFT_I64, 1);
    Ref *args = arena_alloc(arena, (scan->n_args + 1) * sizeof *args),
        *outputs = arena_alloc(arena, (scan->n_results + 1) * sizeof *outputs);
    if (s.reverse)
        at = raw(g, (NodeSpec){ .op = OP_SUB,
                                .args = (Ref[]){ scalar(g, WEFT_I64, (uint64_t)(s.length - 1)), i },
                                .n_args = 2 });
    if (s.n_invariant) memcpy(args, p, s.n_invariant * sizeof *args);
    if (s.n_carry) memcpy(args + s.n_invariant, carries, s.n_carry * sizeof *args);
    for (uint32_t k = 0; k < s.n_xs; k++)
        args[s.n_invariant + s.n_carry + k] = slice_at(g, xs[k], at, REF_NONE);
    graph_inline(g, scan->region, args, outputs + 1);
    for (uint32_t k = s.n_carry; k < scan->n_results; k++)
        outputs[1 + k] = slice_at(g, carries[k], at, outputs[1 + k]);
    outputs[0] = raw(g, (NodeSpec){ .op = OP_ADD, .args = (Ref[]){ i, one }, .n_args = 2 });
    graph_set_outputs(g, outputs, scan->n_results + 1);
    return g;
}

static void decompose_scan(Graph *g, const Graph *of, const Node *scan, const Ref *params, Ref *out)
{
    ScanShape s = scan_shape(scan->attr);
    const Ref *carries = params + s.n_invariant;
    uint32_t n = 0;
    Ref *start = arena_alloc(g->arena, (scan->n_args + scan->n_results + 2) * sizeof *start);
    for (uint32_t i = 0; i < s.n_invariant; i++) start[n++] = params[i];
    for (uint32_t i = 0; i < s.n_xs; i++) start[n++] = carries[s.n_carry + i];
    start[n++] = scalar(g, WEFT_I64, 0);
    for (uint32_t i = 0; i < scan->n_results; i++)
        start[n++] = i < s.n_carry ? carries[i] : build_splat(g, node_result(scan, i), 0);
    if (s.length == 0) {
        memcpy(out, start + s.n_invariant + s.n_xs + 1, scan->n_results * sizeof *out);
        return;
    }
    Ref *all = arena_alloc(g->arena, (scan->n_results + 1) * sizeof *all);
    build_while(g, scan_condition(g->arena, of, scan, s), scan_step(g->arena, of, scan, s), start,
                s.n_invariant + s.n_xs, scan->n_results + 1, all);
    memcpy(out, all + 1, scan->n_results * sizeof *out);
}

/* No value: whoever computes it sees NaN. */
static void decompose_to_nothing(Graph *g, const Node *node, Ref *out)
{
    for (uint32_t i = 0; i < node->n_results; i++) {
        Type t = node_result(node, i);
        out[i] =
            build_splat(g, t, dtype_is_float((DType)t.dtype) ? scalar_from_double((DType)t.dtype, NAN) : 0);
    }
}

static Graph *open_decomposition(Printer *p, const Names *n, const Node *node, Ref *params)
{
    Graph *g = graph_new_raw(p->text.arena, NULL);
    for (uint32_t i = 0; i < node->n_args; i++) params[i] = build_param(g, graph_type(n->g, node->args[i]));
    return g;
}

static const Graph *decompose(Printer *p, const Names *n, const Node *node)
{
    Arena *arena = p->text.arena;
    Ref *params = arena_alloc(arena, (node->n_args + 1) * sizeof *params),
        *out = arena_alloc(arena, node->n_results * sizeof *out);
    Graph *g = open_decomposition(p, n, node, params);
    switch ((Op)node->op) {
    case OP_FMA:           out[0] = decompose_fma(g, params); break;
    case OP_EXP2:          out[0] = decompose_power_of_two(g, params[0]); break;
    case OP_LOG2:          out[0] = decompose_log(g, params[0], 1.4426950408889634074); break;
    case OP_LOG10:         out[0] = decompose_log(g, params[0], 0.43429448190325182765); break;
    case OP_SQUARE:        out[0] = decompose_square(g, params[0]); break;
    case OP_CUMULATIVE:    out[0] = decompose_cumulative(g, node, params[0]); break;
    case OP_MAP:           decompose_map(g, node, params, out); break;
    case OP_STOP_GRADIENT: out[0] = params[0]; break;
    case OP_BACKWARD:      decompose_to_nothing(g, node, out); break;
    case OP_SCAN:          decompose_scan(g, n->g, node, params, out); break;
    default:               out[0] = decompose_argmax(g, node, params[0]);
    }
    if (g->failure.code != WEFT_OK) { /* its arrays are larger than the op's, too large to be: no value */
        g = open_decomposition(p, n, node, params);
        decompose_to_nothing(g, node, out);
    }
    graph_set_outputs(g, out, node->n_results);
    return g;
}

/* Sharing. */

static bool same_regions(const Printer *p, const Node *a, const Node *b)
{
    /* equal regions may come from two places */
    bool places = p->options && p->options->locs && !p->in_decomposition;
    if (a->n_regions != b->n_regions) return false;
    for (uint32_t i = 0; i < a->n_regions; i++)
        if (a->regions[i] != b->regions[i] && (places || !graph_equal(a->regions[i], b->regions[i])))
            return false;
    return true;
}

static bool shares(const Printer *p, const Composite *c, const Names *n, const Node *node)
{
    if (c->node->op != node->op || c->node->n_args != node->n_args || c->node->n_attr != node->n_attr ||
        c->node->n_results != node->n_results)
        return false;
    if (node->n_attr && memcmp(c->node->attr, node->attr, node->n_attr * sizeof *node->attr) != 0)
        return false;
    for (uint32_t i = 0; i < node->n_args; i++)
        if (!type_equal(graph_type(c->g, c->node->args[i]), graph_type(n->g, node->args[i]))) return false;
    for (uint32_t i = 0; i < node->n_results; i++)
        if (!type_equal(node_result(c->node, i), node_result(node, i))) return false;
    return same_regions(p, c->node, node);
}

/* Composites are numbered, so their names differ; the func that is printed may have taken one. */
static const char *add_later(Printer *p, const Graph *g, const char *name, bool is_decomposition)
{
    if (p->name && strcmp(p->name, name) == 0) name = arena_printf(p->text.arena, "%s_", name);
    p->later =
        arena_grow(p->text.arena, p->later, p->n_later, &p->cap_later, p->n_later + 1, sizeof *p->later);
    p->later[p->n_later++] = (Later){ g, name, is_decomposition };
    return name;
}

/* Regions come first: what is in them is shared by the decomposition. */
static const Composite *find_funcs(Printer *p, const Names *n, const Node *node)
{
    for (uint32_t i = 0; i < p->n_composites; i++)
        if (shares(p, &p->composites[i], n, node)) return &p->composites[i];
    Arena *arena = p->text.arena;
    Composite c = { .g = n->g, .node = node };
    for (uint32_t i = 0; i < node->n_regions; i++) {
        const char *key = region_key(node, i);
        if (key)
            c.region[i] =
                add_later(p, node->regions[i],
                          arena_printf(arena, "%s_%s_%u", name_of(node), key, p->n_composites), false);
    }
    const Graph *decomposition = has_rules(node) ? node->region : decompose(p, n, node);
    c.decomposition = add_later(
        p, decomposition, arena_printf(arena, "%s_%u", name_of(node), p->n_composites), !has_rules(node));
    p->composites = arena_grow(arena, p->composites, p->n_composites, &p->cap_composites, p->n_composites + 1,
                               sizeof *p->composites);
    p->composites[p->n_composites] = c;
    return &p->composites[p->n_composites++];
}

/* Text. */

/* The numbers of an op. */
static void put_numbers(Printer *p, const Node *node)
{
    const int64_t *a = node->attr;
    switch ((Op)node->op) {
    case OP_SCAN:
        text_printf(&p->text, "carries = %lld : i64", (long long)a[4]);
        if (a[6]) text_printf(&p->text, ", checkpoint = %lld : i64", (long long)a[6]);
        text_printf(&p->text,
                    ", invariants = %lld : i64, length = %lld : i64, reverse = %s, unroll = %lld : i64",
                    (long long)a[3], (long long)a[0], a[1] ? "true" : "false", (long long)a[2]);
        break;
    case OP_CUMULATIVE:
        text_printf(&p->text, "applies = \"%s\", dimension = %lld : i64, reverse = %s", op_info[a[0]].text,
                    (long long)a[1], a[2] ? "true" : "false");
        break;
    case OP_BACKWARD:    text_printf(&p->text, "known = %lld : i64", (long long)a[0]); break;
    case OP_CUSTOM_VMAP: text_printf(&p->text, "rule = %lld : i64", (long long)a[0]); break;
    default:
        print_words(p, "attr = array<i64: ");
        print_ints(p, a, node->n_attr);
        print_words(p, ">");
    }
}

static void put_attributes(Printer *p, const Node *node, const Composite *c)
{
    const char *between = "composite_attributes = {";
    for (uint32_t i = 0; i < node->n_regions; i++) {
        if (!c->region[i]) continue;
        text_printf(&p->text, "%s%s = @%s", between, region_key(node, i), c->region[i]);
        between = ", ";
    }
    if (node->n_attr) {
        print_words(p, between);
        put_numbers(p, node);
        between = ", ";
    }
    if (between[0] == ',') print_words(p, "}, ");
}

void print_composite(Printer *p, const Names *n, const Node *node)
{
    Composite c = *find_funcs(p, n, node);
    text_printf(&p->text, " \"%s\" ", name_of(node));
    print_values(p, n, node->args, node->n_args);
    print_words(p, node->n_args ? " {" : "{");
    put_attributes(p, node, &c);
    text_printf(&p->text, "decomposition = @%s}", c.decomposition);
    print_function_type(p, n, node->args, node->n_args, node);
}
