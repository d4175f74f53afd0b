/* parse_reduce.c: the rule of reduce.
 *
 * A reducer of one monoid op becomes REDUCE, spelled `applies` or as a region; a start value that is not the
 * monoid's own is combined with the result, which the specification allows (it may be taken in at any point).
 * All else is a REDUCE_REGION.
 */
#include <string.h>
#include "compiler/passes/raise.h"
#include "parse_rules.h"

static bool reduce_monoid_node(Build *b, Op monoid, const Ref *args, const int64_t *attr, uint32_t n_attr,
                               Ref *out)
{
    Type t = graph_type(b->g, args[0]), start = graph_type(b->g, args[1]);
    out[0] = graph_add(
        b->g, &(NodeSpec){ .op = OP_REDUCE, .args = args, .n_args = 1, .attr = attr, .n_attr = n_attr });
    if (out[0] == REF_NONE || raise_is_scalar(b->g, args[1], monoid_start(monoid, (DType)t.dtype)))
        return true;
    Ref wide = args[1];
    Type result = graph_type(b->g, out[0]);
    if (start.rank != 0)
        return fail(&b->g->failure, WEFT_SHAPE, "the start value of a reduction is of rank 0");
    if (result.rank > 0)
        wide = graph_add(b->g, &(NodeSpec){ .op = OP_BROADCAST,
                                            .args = &wide,
                                            .n_args = 1,
                                            .dtype = (DType)start.dtype,
                                            .dim = result.dim,
                                            .rank = result.rank });
    out[0] = build_binary(b->g, monoid, wide, out[0]);
    return true;
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
    Graph *g = graph_new_raw(b->p->arena, NULL);
    Type scalar = { t.dtype, 0, NULL };
    Ref left = build_param(g, scalar), result = build_binary(g, rule->op, left, build_param(g, scalar));
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

    Op monoid = attr_find(op, "weft.region", NULL) ? OP_COUNT : raise_monoid(region);
    if (monoid != OP_COUNT && op->n_operands == 2) {
        attr[0] = monoid;
        return reduce_monoid_node(b, monoid, args, attr, n_axes + 1, out);
    }
    NodeSpec s = { .op = OP_REDUCE_REGION,
                   .args = args,
                   .n_args = op->n_operands,
                   .attr = axes,
                   .n_attr = n_axes,
                   .region = region };
    return take_node(b, op, graph_add(b->g, &s), out);
}
