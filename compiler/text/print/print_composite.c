/* print_composite.c: ops that StableHLO has no word for, as a stablehlo.composite.
 *
 * Its decomposition in StableHLO's own ops is printed behind as a private func. A loop names a second func,
 * its body, from which the parser makes the region again; the decomposition has the body inlined. An op with
 * rules has its first region as its decomposition, and names the others. Equal composites share their funcs,
 * so that loops in loops do not double the text at each level.
 */
#include <assert.h>
#include <math.h>
#include <string.h>
#include "print.h"

/* The op's name is weft's, or the op does not fit its name: CHLO squares floats only, and StableHLO's map
 * has one result. */
bool print_is_composite(const Node *n)
{
    return (strncmp(op_info[n->op].text, "weft.", 5) == 0 && !op_is_matrix((Op)n->op)) ||
           (n->op == OP_SQUARE && !dtype_is_float((DType)n->dtype)) || (n->op == OP_MAP && n->n_results > 1);
}

static const CompositeForm *form_of(const Node *n)
{
    static const CompositeForm plain;
    const CompositeForm *form = spell_composite((Op)n->op);
    return form ? form : &plain;
}

static const char *name_of(const Node *n)
{
    const char *name = form_of(n)->name;
    return name ? name : op_info[n->op].text;
}

/* Its first region is the decomposition. */
static bool has_rules(const Node *n) { return form_of(n)->n_regions && !form_of(n)->regions[0]; }

/* Decompositions. */

static Ref scalar(Graph *g, DType t, uint64_t bits) { return build_splat(g, type_scalar(t), bits); }

/* argmax as JAX writes it: a reduction over the values beside their positions. */
static Ref decompose_argmax(Graph *g, const Node *node, Ref x)
{
    DType t = (DType)graph_type(g, x).dtype, index = (DType)node->dtype;
    Type value = type_scalar(t), position = graph_type(g, x);
    bool max = node->op == OP_ARGMAX;
    position.dtype = (uint8_t)index;
    Ref at = build_iota(g, position, (int)node->attr[0]);
    Ref args[] = { x, at, scalar(g, t, monoid_start(max ? OP_MAX : OP_MIN, t)), scalar(g, index, 0) };
    Ref both =
        graph_add(g, &(NodeSpec){ .op = OP_REDUCE_REGION,
                                  .args = args,
                                  .n_args = 4,
                                  .attr = node->attr,
                                  .n_attr = 1,
                                  .region = build_arg_reducer(g->arena, value, type_scalar(index),
                                                              max ? CMP_GT : CMP_LT, dtype_is_float(t)) });
    return build_result(g, both, 1);
}

static Ref times(Graph *g, Ref x, double factor)
{
    Type t = graph_type(g, x);
    return build_binary(g, OP_MUL, x, build_splat(g, t, scalar_from_double((DType)t.dtype, factor)));
}

/* Prefixes: windows as long as the axis that reach back (or ahead) over its end. */
static Ref decompose_cumulative(Graph *g, const Node *node, Ref x)
{
    Type t = graph_type(g, x);
    Op monoid = (Op)node->attr[0];
    int64_t attr[6 * WEFT_MAX_RANK], n = t.dim[node->attr[1]];
    for (int i = 0; i < 6 * t.rank; i++) attr[i] = i < 4 * t.rank;
    attr[node->attr[1]] = n > 1 ? n : 1;
    attr[(node->attr[2] ? 5 : 4) * t.rank + node->attr[1]] = n > 1 ? n - 1 : 0;
    Ref args[] = { x, scalar(g, (DType)t.dtype, monoid_start(monoid, (DType)t.dtype)) };
    return graph_add(g, &(NodeSpec){ .op = OP_REDUCE_WINDOW,
                                     .args = args,
                                     .n_args = 2,
                                     .attr = attr,
                                     .n_attr = 6u * t.rank,
                                     .region = build_reducer(g->arena, monoid, (DType)t.dtype) });
}

/* One map for each result. */
static void decompose_map(Graph *g, const Node *node, const Ref *x, Ref *out)
{
    for (uint32_t i = 0; i < node->n_results; i++) {
        Graph one = *node->region;
        one.outputs = node->region->outputs + i;
        one.n_outputs = 1;
        build_map(g, x, node->n_args, node->results[i], graph_compact(g->arena, &one), &out[i]);
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

/* Slice i of x; or x with slice i replaced. */
static Ref slice_at(Graph *g, Ref x, Ref i, Ref update)
{
    Type t = graph_type(g, x);
    int64_t sizes[WEFT_MAX_RANK];
    Ref starts[WEFT_MAX_RANK];
    for (int k = 0; k < t.rank; k++) {
        sizes[k] = k ? t.dim[k] : 1;
        starts[k] = k ? scalar(g, WEFT_I64, 0) : i;
    }
    if (update == REF_NONE)
        return build_reshape(g, build_dynamic_slice(g, x, starts, sizes), t.dim + 1, t.rank - 1);
    return build_dynamic_update_slice(g, x, build_reshape(g, update, sizes, t.rank), starts);
}

static const Graph *scan_step(Arena *arena, const Graph *of, const Node *scan, ScanShape s)
{
    Graph *g = graph_new_raw(arena, NULL);
    const Ref *p = copy_params(g, of, scan, s), *xs = p + s.n_invariant, *carries = xs + s.n_xs + 1;
    Ref i = xs[s.n_xs], at = i, one = scalar(g, WEFT_I64, 1);
    Ref *args = arena_alloc(arena, (scan->n_args + 1) * sizeof *args),
        *outputs = arena_alloc(arena, (scan->n_results + 1) * sizeof *outputs);
    if (s.reverse) at = build_binary(g, OP_SUB, scalar(g, WEFT_I64, (uint64_t)(s.length - 1)), i);
    if (s.n_invariant) memcpy(args, p, s.n_invariant * sizeof *args);
    if (s.n_carry) memcpy(args + s.n_invariant, carries, s.n_carry * sizeof *args);
    for (uint32_t k = 0; k < s.n_xs; k++)
        args[s.n_invariant + s.n_carry + k] = slice_at(g, xs[k], at, REF_NONE);
    graph_inline(g, scan->region, args, outputs + 1);
    for (uint32_t k = s.n_carry; k < scan->n_results; k++)
        outputs[1 + k] = slice_at(g, carries[k], at, outputs[1 + k]);
    outputs[0] = build_binary(g, OP_ADD, i, one);
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

/* Where there is no decomposition: NaN. */
static void decompose_to_nothing(Graph *g, const Node *node, Ref *out)
{
    for (uint32_t i = 0; i < node->n_results; i++) {
        Type t = node_result(node, i);
        out[i] =
            build_splat(g, t, dtype_is_float((DType)t.dtype) ? scalar_from_double((DType)t.dtype, NAN) : 0);
    }
}

static Graph *open_decomposition(GraphPrinter *p, const Names *n, const Node *node, Ref *params)
{
    Graph *g = graph_new_raw(p->text.arena, NULL);
    for (uint32_t i = 0; i < node->n_args; i++) params[i] = build_param(g, graph_type(n->g, node->args[i]));
    return g;
}

static Ref decompose_dot_halves(Graph *g, Ref a, Ref b)
{
    Type t = graph_type(g, a);
    Ref by = build_splat(g, t, dtype_bits((DType)t.dtype) / 2), low[] = { a, b }, high[] = { a, b };
    for (int i = 0; i < 2; i++) {
        high[i] = build_binary(g, OP_SHR_ARITH, high[i], by);
        low[i] = build_binary(g, OP_SHR_ARITH, build_binary(g, OP_SHL, low[i], by), by);
    }
    return build_binary(g, OP_ADD, build_binary(g, OP_MUL, low[0], low[1]),
                        build_binary(g, OP_MUL, high[0], high[1]));
}

static const Graph *decompose(GraphPrinter *p, const Names *n, const Node *node)
{
    Arena *arena = p->text.arena;
    Ref *params = arena_alloc(arena, (node->n_args + 1) * sizeof *params),
        *out = arena_alloc(arena, node->n_results * sizeof *out);
    Graph *g = open_decomposition(p, n, node, params);
    switch ((Op)node->op) {
    case OP_FMA:
        out[0] = build_binary(g, OP_ADD, build_binary(g, OP_MUL, params[0], params[1]), params[2]);
        break;
    case OP_DOT_HALVES: out[0] = decompose_dot_halves(g, params[0], params[1]); break;
    case OP_SQUARE:     out[0] = build_binary(g, OP_MUL, params[0], params[0]); break;
    /* as JAX writes them; weft's own are more accurate */
    case OP_EXP2:          out[0] = build_unary(g, OP_EXP, times(g, params[0], 0.6931471805599453)); break;
    case OP_LOG2:          out[0] = times(g, build_unary(g, OP_LOG, params[0]), 1.4426950408889634); break;
    case OP_LOG10:         out[0] = times(g, build_unary(g, OP_LOG, params[0]), 0.4342944819032518); break;
    case OP_CUMULATIVE:    out[0] = decompose_cumulative(g, node, params[0]); break;
    case OP_MAP:           decompose_map(g, node, params, out); break;
    case OP_STOP_GRADIENT: out[0] = params[0]; break;
    case OP_SCAN:          decompose_scan(g, n->g, node, params, out); break;
    case OP_ARGMAX:
    case OP_ARGMIN:        out[0] = decompose_argmax(g, node, params[0]); break;
    default:
        assert(node->op == OP_BACKWARD && "other ops have a decomposition");
        decompose_to_nothing(g, node, out);
    }
    /* the decomposition may have arrays larger than the op's, and too large */
    if (g->failure.code != WEFT_OK) {
        g = open_decomposition(p, n, node, params);
        decompose_to_nothing(g, node, out);
    }
    graph_set_outputs(g, out, node->n_results);
    return g;
}

/* Sharing. */

static bool same_regions(const GraphPrinter *p, const Node *a, const Node *b)
{
    /* equal regions from two places are two */
    bool places = p->options && p->options->locs && !p->in_decomposition;
    if (a->n_regions != b->n_regions) return false;
    for (uint32_t i = 0; i < a->n_regions; i++)
        if (a->regions[i] != b->regions[i] && (places || !graph_equal(a->regions[i], b->regions[i])))
            return false;
    return true;
}

static bool shares(const GraphPrinter *p, const Composite *c, const Names *n, const Node *node)
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

/* Composites are numbered, so names differ; only the name of the printed func itself can collide. */
static const char *add_later(GraphPrinter *p, const Graph *g, const char *name, bool is_decomposition)
{
    if (p->name && strcmp(p->name, name) == 0) name = arena_printf(p->text.arena, "%s_", name);
    ARENA_PUSH(p->text.arena, p->later, p->n_later, p->cap_later) = (Later){ g, name, is_decomposition };
    return name;
}

/* The regions come before the decomposition, which shares the composites in them. */
static const Composite *find_funcs(GraphPrinter *p, const Names *n, const Node *node)
{
    for (uint32_t i = 0; i < p->n_composites; i++)
        if (shares(p, &p->composites[i], n, node)) return &p->composites[i];
    Arena *arena = p->text.arena;
    Composite c = { .g = n->g, .node = node };
    for (uint32_t i = 0; i < node->n_regions; i++) {
        const char *key = form_of(node)->regions[i];
        if (key)
            c.region[i] =
                add_later(p, node->regions[i],
                          arena_printf(arena, "%s_%s_%u", name_of(node), key, p->n_composites), false);
    }
    const Graph *decomposition = has_rules(node) ? node->region : decompose(p, n, node);
    c.decomposition = add_later(
        p, decomposition, arena_printf(arena, "%s_%u", name_of(node), p->n_composites), !has_rules(node));
    ARENA_PUSH(arena, p->composites, p->n_composites, p->cap_composites) = c;
    return &p->composites[p->n_composites - 1];
}

/* Text. */

/* The numbers of an op. */
static void put_numbers(GraphPrinter *p, const Node *node)
{
    const char *between = "";
    for (const CompositeNumber *n = form_of(node)->numbers; n->key; n++) {
        int64_t v = node->attr[n->at];
        if (n->kind == NUMBER_OPTIONAL && v == 0) continue;
        text_printf(&p->text, "%s%s = ", between, n->key);
        if (n->kind == NUMBER_MONOID) text_printf(&p->text, "\"%s\"", op_info[v].text);
        else if (n->kind == NUMBER_FLAG) print_words(p, v ? "true" : "false");
        else text_printf(&p->text, "%lld : i64", (long long)v);
        between = ", ";
    }
    if (!form_of(node)->name) print_array(p, "attr", node->attr, node->n_attr);
}

static void put_attributes(GraphPrinter *p, const Node *node, const Composite *c)
{
    const char *between = "composite_attributes = {";
    for (uint32_t i = 0; i < node->n_regions; i++) {
        if (!c->region[i]) continue;
        text_printf(&p->text, "%s%s = @%s", between, form_of(node)->regions[i], c->region[i]);
        between = ", ";
    }
    if (node->n_attr) {
        print_words(p, between);
        put_numbers(p, node);
        between = ", ";
    }
    if (between[0] == ',') print_words(p, "}, ");
}

void print_composite(GraphPrinter *p, const Names *n, const Node *node)
{
    Composite c = *find_funcs(p, n, node);
    text_printf(&p->text, " \"%s\" ", name_of(node));
    print_values(p, n, node->args, node->n_args);
    print_words(p, node->n_args ? " {" : "{");
    put_attributes(p, node, &c);
    text_printf(&p->text, "decomposition = @%s}", c.decomposition);
    print_function_type(p, n, node->args, node->n_args, node);
}
