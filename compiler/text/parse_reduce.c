/* parse_reduce.c: reductions, and what their reducers mean.
 *
 * A reducer of one monoid op becomes REDUCE; a start value that is not the monoid's own is combined with the
 * result, which the specification allows (it may be taken in at any point). The two-operand reducer that JAX
 * writes for argmax and argmin is compared, node by node, with one made here; with start values and an iota
 * that fit, result 1 is an ARGMAX. All else stays a REDUCE_REGION.
 */
#include <string.h>
#include "parse_rules.h"

Op reduce_monoid(const Graph *r)
{
    if (r->n_params != 2 || r->n_outputs != 1) return OP_COUNT;
    const Node *n = graph_node(r, r->outputs[0]);
    if (!op_is_monoid((Op)n->op) || n->n_args != 2) return OP_COUNT;
    bool straight = n->args[0] == r->params[0] && n->args[1] == r->params[1];
    bool crossed = n->args[0] == r->params[1] && n->args[1] == r->params[0];
    return straight || crossed ? (Op)n->op : OP_COUNT;
}

/* Argmax. */

static Ref raw(Graph *g, Op op, Ref a, Ref b, Ref c)
{
    return graph_add_raw(
        g, &(NodeSpec){ .op = op, .args = (Ref[]){ a, b, c }, .n_args = c == REF_NONE ? 2 : 3 });
}

static Ref compare(Graph *g, CompareDir dir, Ref a, Ref b)
{
    static const CompareOrder order[] = { ORDER_UNSIGNED, ORDER_SIGNED, ORDER_UNSIGNED, ORDER_FLOAT };
    int64_t attr[] = { dir, order[dtype_kind((DType)graph_node(g, a)->dtype)] };
    return graph_add_raw(
        g, &(NodeSpec){ .op = OP_COMPARE, .args = (Ref[]){ a, b }, .n_args = 2, .attr = attr, .n_attr = 2 });
}

/* Left (a, i), right (b, j): pick = a > b or a is NaN; value = pick ? a : b; index = pick or (a == b and i <
 * j) ? i : j. Over integers JAX writes the test for NaN too; others leave it out. */
Graph *reduce_argmax_pattern(Arena *arena, Type value, Type index, CompareDir dir, bool nan_test)
{
    Graph *g = graph_new(arena, NULL);
    Ref a = build_param(g, value), i = build_param(g, index), b = build_param(g, value),
        j = build_param(g, index);
    Ref pick = compare(g, dir, a, b);
    if (nan_test) pick = raw(g, OP_OR, pick, compare(g, CMP_NE, a, a), REF_NONE);
    Ref equal = compare(g, CMP_EQ, a, b), earlier = compare(g, CMP_LT, i, j);
    Ref tie = raw(g, OP_AND, equal, earlier, REF_NONE);
    Ref first = raw(g, OP_OR, pick, tie, REF_NONE);
    Ref outputs[] = { raw(g, OP_SELECT, pick, a, b), raw(g, OP_SELECT, first, i, j) };
    graph_set_outputs(g, outputs, 2);
    return g;
}

Op reduce_argmax(Arena *arena, const Graph *r)
{
    if (r->n_params != 4 || r->n_outputs != 2 || r->n_nodes > 16) return OP_COUNT;
    Type value = graph_type(r, r->params[0]), index = graph_type(r, r->params[1]);
    if (value.rank || index.rank || !dtype_is_int((DType)index.dtype)) return OP_COUNT;
    for (int nan_test = !dtype_is_float((DType)value.dtype) ? 0 : 1; nan_test < 2; nan_test++) {
        if (graph_equal(r, reduce_argmax_pattern(arena, value, index, CMP_GT, nan_test))) return OP_ARGMAX;
        if (graph_equal(r, reduce_argmax_pattern(arena, value, index, CMP_LT, nan_test))) return OP_ARGMIN;
    }
    return OP_COUNT;
}

static bool starts_with(const Graph *g, Ref r, uint64_t bits)
{
    const Node *n = graph_node(g, r);
    return n->op == OP_CONSTANT && n->rank == 0 && scalar_load((DType)n->dtype, n->data) == bits;
}

/* Is operand 1 the index along the one reduced axis, which has elements, and are the start values the least
 * (greatest) value and 0? An iota of JAX's may come as a broadcast of one; hence the walk. */
static bool argmax_operands(const Graph *g, const Ref *args, Op op, const int64_t *axes, uint32_t n_axes)
{
    Type t = graph_type(g, args[0]);
    const Node *n = graph_node(g, args[1]);
    if (n_axes != 1 || axes[0] < 0 || axes[0] >= t.rank || t.dim[axes[0]] == 0) return false;
    int64_t axis = axes[0];
    while (n->op == OP_BROADCAST) {
        const Node *from = graph_node(g, n->args[0]);
        int64_t inner = 0;
        while (inner < from->rank && n->attr[inner] != axis) inner++;
        if (inner == from->rank || from->dim[inner] != n->dim[axis]) return false;
        axis = inner;
        n = from;
    }
    if (n->op != OP_IOTA || n->attr[0] != axis) return false;
    return starts_with(g, args[2], monoid_start(op == OP_ARGMAX ? OP_MAX : OP_MIN, (DType)t.dtype)) &&
           starts_with(g, args[3], 0);
}

/* The rule. */

static bool reduce_monoid_node(Build *b, Op monoid, const Ref *args, const int64_t *attr, uint32_t n_attr,
                               Ref *out)
{
    Type t = graph_type(b->g, args[0]), start = graph_type(b->g, args[1]);
    out[0] = graph_add_raw(
        b->g, &(NodeSpec){ .op = OP_REDUCE, .args = args, .n_args = 1, .attr = attr, .n_attr = n_attr });
    if (out[0] == REF_NONE || starts_with(b->g, args[1], monoid_start(monoid, (DType)t.dtype))) return true;
    Ref wide = args[1];
    Type result = graph_type(b->g, out[0]);
    if (start.rank != 0)
        return fail(&b->g->failure, WEFT_SHAPE, "the start value of a reduction is of rank 0");
    if (result.rank > 0)
        wide = graph_add_raw(b->g, &(NodeSpec){ .op = OP_BROADCAST,
                                                .args = &wide,
                                                .n_args = 1,
                                                .dtype = (DType)start.dtype,
                                                .dim = result.dim,
                                                .rank = result.rank });
    out[0] = raw(b->g, monoid, wide, out[0], REF_NONE);
    return true;
}

static bool reduce_region_node(Build *b, const OpSyntax *op, const Graph *region, const Ref *args,
                               const int64_t *axes, uint32_t n_axes, Ref *out)
{
    return take_node(b, op,
                     graph_add_raw(b->g, &(NodeSpec){ .op = OP_REDUCE_REGION,
                                                      .args = args,
                                                      .n_args = op->n_operands,
                                                      .attr = axes,
                                                      .n_attr = n_axes,
                                                      .region = region }),
                     out);
}

/* `applies stablehlo.add`: the region it stands for. */
static const Graph *applied_region(Build *b, const OpSyntax *op, const Attr *applies)
{
    const OpRule *rule =
        rule_find(b->p, applies->text ? applies->text : "", applies->text ? strlen(applies->text) : 0);
    Type t = b->p->types[op->operands[0]];
    if (!rule || rule->op == OP_COUNT || rule->args != 2 || op->n_operands != 2) {
        parse_error(b->p, applies->at,
                    "`applies` takes an op of two operands over one operand of the reduction");
        return NULL;
    }
    Graph *g = graph_new(b->p->arena, NULL);
    Type scalar = { t.dtype, 0, NULL };
    Ref left = build_param(g, scalar), result = raw(g, rule->op, left, build_param(g, scalar), REF_NONE);
    if (result == REF_NONE) {
        fail(&b->g->failure, g->failure.code, "%s", g->failure.text);
        return NULL;
    }
    graph_set_outputs(g, &result, 1);
    return g;
}

bool rule_reduce(Build *b, const OpSyntax *op, const Ref *args, Ref *out)
{
    const Attr *dims = attr_find(op, "dimensions", NULL), *applies = attr_find(op, "applies", NULL);
    int64_t *axes, *attr;
    uint32_t n_axes;
    if (op->n_operands == 0 || op->n_operands % 2) {
        parse_error(b->p, op->at, "stablehlo.reduce takes as many start values as operands");
        return false;
    }
    if (!dims) {
        parse_error(b->p, op->at, "stablehlo.reduce needs the attribute dimensions");
        return false;
    }
    if (!attr_ints(b->p, dims, &axes, &n_axes)) return false;
    if (!applies && op->n_regions != 1) {
        parse_error(b->p, op->at, "stablehlo.reduce needs one reducer");
        return false;
    }
    const Graph *region = applies ? applied_region(b, op, applies) : build_region_graph(b, &op->regions[0]);
    if (!region) return false;
    sort_axes(axes, n_axes);
    attr = arena_alloc(b->p->arena, (n_axes + 1) * sizeof *attr);
    memcpy(attr + 1, axes, n_axes * sizeof *axes);

    bool as_written = attr_find(op, "weft.region", NULL) != NULL;
    Op monoid = as_written ? OP_COUNT : reduce_monoid(region);
    if (monoid != OP_COUNT && op->n_operands == 2) {
        attr[0] = monoid;
        return reduce_monoid_node(b, monoid, args, attr, n_axes + 1, out);
    }
    Op extreme = as_written || op->n_operands != 4 ? OP_COUNT : reduce_argmax(b->p->arena, region);
    if (!reduce_region_node(b, op, region, args, axes, n_axes, out)) return false;
    if (extreme != OP_COUNT && op->n_results == 2 && argmax_operands(b->g, args, extreme, axes, n_axes))
        out[1] = graph_add_raw(b->g, &(NodeSpec){ .op = extreme,
                                                  .args = args,
                                                  .n_args = 1,
                                                  .attr = axes,
                                                  .n_attr = 1,
                                                  .dtype = (DType)b->p->types[op->operands[1]].dtype });
    return true;
}
