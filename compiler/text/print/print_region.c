/* print_region.c: ops with regions. While has a pretty form, the others the generic one.
 *
 * A graph's region takes all it uses as parameters; in the text it names the values around it. Those captures
 * come back in the order in which the text first names them, so where that is not the order of the node's
 * operands, or an operand is named never or twice, or is a constant (which the parser would copy in), a
 * barrier stands in front of the op:
 *
 *     %4:2 = stablehlo.optimization_barrier {weft.captures} %x, %x : T, T
 *
 * and the regions name its results: the parser then takes exactly these, in this order.
 */
#include "print.h"

/* Captures. */

typedef struct CaptureOrder {
    uint32_t n, next;
    bool *seen, ok;
} CaptureOrder;

/* Captured: operands that regions name. Own: operands that stand at the op. */
typedef struct RegionOperands {
    const Ref *captured, *own;
    uint32_t n_captured, n_own;
} RegionOperands;

static RegionOperands operands_of(const Node *n)
{
    uint32_t k = n->op == OP_WHILE ? (uint32_t)n->attr[0] : 0;
    if (n->op == OP_CASE) return (RegionOperands){ n->args + 1, n->args, n->n_args - 1, 1 };
    return (RegionOperands){ n->args, n->args + k, k, n->n_args - k };
}

static bool in_order(Arena *arena, const Graph *g, const Node *n);

static void name_value(CaptureOrder *o, const Graph *region, Ref r)
{
    const Node *n = graph_node(region, r);
    if (n->op != OP_PARAMETER || n->attr[0] >= o->n || o->seen[n->attr[0]]) return;
    o->ok = o->ok && n->attr[0] == o->next;
    o->seen[n->attr[0]] = true;
    o->next++;
}

static void name_values(CaptureOrder *o, const Graph *region, const Ref *r, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) name_value(o, region, r[i]);
}

/* Visits the values that a region names in the parser's order. A barrier comes before its op's operands. */
static void name_all(Arena *arena, CaptureOrder *o, const Graph *region)
{
    const bool *reached = graph_reached(arena, region);
    for (Ref r = 0; r < region->n_nodes && o->ok; r++) {
        const Node *n = graph_node(region, r);
        if (!reached[r] || n->op == OP_RESULT) continue;
        RegionOperands a = operands_of(n);
        bool pinned = a.n_captured && !in_order(arena, region, n);
        if (pinned) name_values(o, region, a.captured, a.n_captured);
        name_values(o, region, a.own, a.n_own);
        if (!pinned) name_values(o, region, a.captured, a.n_captured);
    }
    name_values(o, region, region->outputs, region->n_outputs);
}

/* Does the text of the regions alone say what they capture? */
static bool in_order(Arena *arena, const Graph *g, const Node *n)
{
    RegionOperands a = operands_of(n);
    CaptureOrder o = { .n = a.n_captured, .seen = arena_alloc(arena, a.n_captured + 1), .ok = true };
    bool *named = arena_alloc(arena, g->n_nodes + 1);
    for (uint32_t i = 0; i < a.n_captured; i++) {
        if (named[a.captured[i]] || graph_node(g, a.captured[i])->op == OP_CONSTANT) return false;
        named[a.captured[i]] = true;
    }
    for (uint32_t i = 0; i < n->n_regions; i++) name_all(arena, &o, n->regions[i]);
    return o.ok && o.next == o.n;
}

const char *print_pins(GraphPrinter *p, const Names *n, const Node *node)
{
    RegionOperands a = operands_of(node);
    if (a.n_captured == 0 || p->in_decomposition || in_order(p->text.arena, n->g, node)) return NULL;
    const char *name = print_value_name(p);
    print_indent(p, n->indent);
    print_words(p, name);
    if (a.n_captured > 1) text_printf(&p->text, ":%u", a.n_captured);
    print_words(p, " = stablehlo.optimization_barrier {weft.captures} ");
    print_typed_values(p, n, a.captured, a.n_captured);
    print_words(p, "\n");
    return name;
}

/* Regions. */

/* Names parameters that are captures as the values outside; the others get their names later. */
static Names region_names(GraphPrinter *p, const Names *outer, const Graph *r, RegionOperands a,
                          const char *pins)
{
    Names n = print_open(p, r, outer->indent + 1);
    for (uint32_t i = 0; i < a.n_captured; i++)
        n.of[r->params[i]] = !pins               ? print_name(p, outer, a.captured[i])
                             : a.n_captured == 1 ? pins
                                                 : arena_printf(p->text.arena, "%s#%u", pins, i);
    return n;
}

static void name_args(GraphPrinter *p, Names *n, uint32_t from)
{
    for (uint32_t i = from; i < n->g->n_params; i++)
        n->of[n->g->params[i]] = arena_printf(p->text.arena, "%%arg%u", p->args++);
}

static void put_return(GraphPrinter *p, const Names *n)
{
    print_indent(p, n->indent);
    print_return(p, n, "stablehlo.return");
    print_indent(p, n->indent - 1);
    print_words(p, "}");
}

/* What a region computes and returns, up to the `}`. It has start values of its own. */
static void put_inside(GraphPrinter *p, Names *n)
{
    uint32_t n_starts = p->n_starts;
    StartValue *starts = p->starts;
    uint32_t capacity = p->cap_starts;
    p->starts = NULL;
    p->n_starts = p->cap_starts = 0;
    print_nodes(p, n);
    p->starts = starts;
    p->n_starts = n_starts;
    p->cap_starts = capacity;
    put_return(p, n);
}

/* {
 * ^bb0(%arg2: T, %arg3: T):
 *   ...
 * } */
static void put_region(GraphPrinter *p, Names *n, uint32_t n_captured)
{
    print_words(p, "{\n");
    if (n->g->n_params > n_captured) {
        print_indent(p, n->indent - 1);
        print_words(p, "^bb0(");
        for (uint32_t i = n_captured; i < n->g->n_params; i++) {
            text_printf(&p->text, "%s%s: ", i > n_captured ? ", " : "", n->of[n->g->params[i]]);
            print_type(p, graph_type(n->g, n->g->params[i]));
        }
        print_words(p, "):\n");
    }
    put_inside(p, n);
}

void print_reducer(GraphPrinter *p, const Names *outer, const Node *node)
{
    const Graph *r = node->region;
    uint32_t operands = node->n_args / 2;
    Names n = print_open(p, r, outer->indent + 1);
    print_words(p, "\n");
    print_indent(p, outer->indent);
    print_words(p, " reducer");
    name_args(p, &n, 0);
    for (uint32_t i = 0; i < operands; i++) {
        text_printf(&p->text, "%s(%s: ", i ? " " : "", n.of[r->params[i]]);
        print_type(p, graph_type(r, r->params[i]));
        text_printf(&p->text, ", %s: ", n.of[r->params[operands + i]]);
        print_type(p, graph_type(r, r->params[operands + i]));
        print_words(p, ")");
    }
    print_words(p, "  {\n");
    put_inside(p, &n);
}

/* While. */

static const char *iter_name(GraphPrinter *p)
{
    uint32_t k = p->iters++;
    return k == 0 ? "%iterArg" : arena_printf(p->text.arena, "%%iterArg_%u", k - 1);
}

static void put_while(GraphPrinter *p, const Names *outer, const Node *node, const char *pins)
{
    RegionOperands a = operands_of(node);
    const char **names = arena_alloc(p->text.arena, (a.n_own + 1) * sizeof *names);
    print_words(p, "stablehlo.while(");
    for (uint32_t i = 0; i < a.n_own; i++) {
        names[i] = iter_name(p);
        text_printf(&p->text, "%s%s = %s", i ? ", " : "", names[i], print_name(p, outer, a.own[i]));
    }
    print_words(p, ") : ");
    print_types(p, outer, a.own, a.n_own);
    print_words(p, "\n");
    print_indent(p, outer->indent);
    for (uint32_t k = 0; k < 2; k++) {
        Names n = region_names(p, outer, node->regions[k], a, pins);
        for (uint32_t i = 0; i < a.n_own; i++) n.of[n.g->params[a.n_captured + i]] = names[i];
        print_words(p, k ? " do {\n" : "cond {\n");
        put_inside(p, &n);
    }
}

/* The generic form. */

static void put_flag(GraphPrinter *p, const char *key, int64_t v)
{
    text_printf(&p->text, "%s = %s", key, v ? "true" : "false");
}

static void put_padding(GraphPrinter *p, const int64_t *low, const int64_t *high, int64_t r)
{
    print_words(p, "padding = dense<");
    for (int64_t i = 0; i < r; i++)
        text_printf(&p->text, "%s[%lld, %lld]%s", i ? ", " : "[", (long long)low[i], (long long)high[i],
                    i + 1 == r ? "]" : "");
    text_printf(&p->text, "> : tensor<%lldx2xi64>", (long long)r);
}

/* As MLIR does, in the order of their names. */
static void put_window(GraphPrinter *p, const Names *names, const Node *node)
{
    int64_t r = graph_type(names->g, node->args[0]).rank;
    enum { PADDING = -1 };
    static const int sorted[] = { 2, PADDING, 3, 0, 1 };
    const char *between = "";
    int n = node->op == OP_REDUCE_WINDOW ? N_WINDOW_LISTS : 2;
    for (int i = 0; i <= N_WINDOW_LISTS; i++) {
        if (sorted[i] >= n) continue;
        print_words(p, between);
        if (sorted[i] == PADDING) put_padding(p, node->attr + n * r, node->attr + (n + 1) * r, r);
        else print_array(p, spell_window[sorted[i]], node->attr + sorted[i] * r, r);
        between = ", ";
    }
}

static void put_scatter(GraphPrinter *p, const Names *n, const Node *node)
{
    (void)n;
    put_flag(p, "indices_are_sorted", node->attr[6]);
    print_words(p, ", scatter_dimension_numbers = #stablehlo.scatter<");
    print_axis_lists(p, spell_scatter, node->attr, 2);
    print_words(p, ">, ");
    put_flag(p, "unique_indices", node->attr[5]);
}

static void put_sort(GraphPrinter *p, const Names *n, const Node *node)
{
    (void)n;
    text_printf(&p->text, "dimension = %lld : i64, ", (long long)node->attr[0]);
    put_flag(p, "is_stable", node->attr[1]);
}

static void put_map(GraphPrinter *p, const Names *n, const Node *node)
{
    int64_t axes[WEFT_MAX_RANK];
    (void)n;
    for (int i = 0; i < node->rank; i++) axes[i] = i;
    print_array(p, "dimensions", axes, node->rank);
}

/* Of the ops with regions: those that have properties, and how these are written. */
typedef void PutProperties(GraphPrinter *, const Names *, const Node *);
static PutProperties *const properties[OP_COUNT] = {
    [OP_SCATTER] = put_scatter,
    [OP_REDUCE_WINDOW] = put_window,
    [OP_SELECT_AND_SCATTER] = put_window,
    [OP_SORT] = put_sort,
    [OP_MAP] = put_map,
};

bool print_has_regions(Op op) { return op == OP_WHILE || op == OP_CASE || properties[op]; }

static void put_properties(GraphPrinter *p, const Names *n, const Node *node)
{
    if (!properties[node->op]) return;
    print_words(p, " <{");
    properties[node->op](p, n, node);
    print_words(p, "}>");
}

void print_regions(GraphPrinter *p, const Names *outer, const Node *node, const char *pins)
{
    RegionOperands a = operands_of(node);
    if (node->op == OP_WHILE) {
        put_while(p, outer, node, pins);
        return;
    }
    text_printf(&p->text, "\"%s\"(", op_info[node->op].text);
    print_values(p, outer, a.own, a.n_own);
    print_words(p, ")");
    put_properties(p, outer, node);
    for (uint32_t k = 0; k < node->n_regions; k++) {
        Names n = region_names(p, outer, node->regions[k], a, pins);
        name_args(p, &n, a.n_captured);
        print_words(p, k ? ", " : " (");
        put_region(p, &n, a.n_captured);
    }
    print_words(p, ")");
    print_function_type(p, outer, a.own, a.n_own, node);
}
