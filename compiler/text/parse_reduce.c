/* parse_reduce.c: the rules of reduce, dot and dot_general.
 *
 * A reducer of one monoid op becomes REDUCE, spelled `applies` or as a region; a start value that is not the
 * monoid's own is combined with the result, which the specification allows (it may be taken in at any point).
 * All else is a REDUCE_REGION.
 */
#include <string.h>
#include "compiler/passes/raise.h"
#include "parse_build.h"

static bool reduce_monoid_node(TextBuild *b, Op monoid, const Ref *args, const int64_t *attr, uint32_t n_attr,
                               Ref *out)
{
    Type t = graph_type(b->g, args[0]), start = graph_type(b->g, args[1]);
    out[0] = build_node(b->g, OP_REDUCE, args, 1, attr, n_attr);
    if (out[0] == REF_NONE || raise_is_scalar(b->g, args[1], monoid_start(monoid, (DType)t.dtype)))
        return true;
    Ref wide = args[1];
    Type result = graph_type(b->g, out[0]);
    if (start.rank != 0)
        return fail(&b->g->failure, WEFT_SHAPE, "the start value of a reduction is of rank 0");
    if (result.rank > 0) wide = build_broadcast(b->g, wide, result.dim, result.rank, NULL);
    out[0] = build_binary(b->g, monoid, wide, out[0]);
    return true;
}

/* The region that `applies stablehlo.add` stands for. */
static const Graph *applied_region(TextBuild *b, const OpSyntax *op, const AttrSyntax *applies)
{
    const OpRule *rule =
        rule_find(b->p, applies->text ? applies->text : "", applies->text ? strlen(applies->text) : 0);
    Type t = b->p->types[op->operands[0]];
    if (!rule || rule->op == OP_COUNT || !op_is_ew(rule->op) || rule->args != 2 || op->n_operands != 2)
        return parse_error(b->p, applies->at,
                           "`applies` takes an op of two operands over one operand of the reduction"),
               NULL;
    Graph *g = graph_new_raw(b->p->arena, NULL);
    Type scalar = type_scalar(t.dtype);
    Ref left = build_param(g, scalar), result = build_binary(g, rule->op, left, build_param(g, scalar));
    if (result == REF_NONE) {
        fail(&b->g->failure, g->failure.code, "%s", g->failure.text);
        return NULL;
    }
    graph_set_outputs(g, &result, 1);
    return g;
}

bool rule_reduce(TextBuild *b, const OpSyntax *op, const Ref *args, Ref *out)
{
    const AttrSyntax *dims = attr_find(op, "dimensions", NULL), *applies = attr_find(op, "applies", NULL);
    int64_t *axes, *attr;
    uint32_t n_axes;
    if (op->n_operands == 0 || op->n_operands % 2)
        return parse_error(b->p, op->at, "stablehlo.reduce takes as many start values as operands");
    if (!dims) return parse_error(b->p, op->at, "stablehlo.reduce needs the attribute dimensions");
    if (!attr_ints(b->p, dims, &axes, &n_axes)) return false;
    if (!applies && op->n_regions != 1)
        return parse_error(b->p, op->at, "stablehlo.reduce needs one reducer");
    const Graph *region = applies ? applied_region(b, op, applies) : build_region_graph(b, &op->regions[0]);
    if (!region) return false;
    sort_axes(axes, n_axes);
    attr = arena_alloc(b->p->arena, (n_axes + 1) * sizeof *attr);
    memcpy(attr + 1, axes, n_axes * sizeof *axes);

    Op monoid = attr_find(op, "weft.region", NULL) ? OP_COUNT : region_monoid(region);
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

/* Contractions. */

typedef struct ContractedAxes {
    Ints lhs_batch, rhs_batch, lhs_sum, rhs_sum;
} ContractedAxes;

static bool pair_ints(TextBuild *b, const AttrSyntax *a, Ints *left, Ints *right)
{
    if (!a) return true;
    if (a->kind != ATTR_PAIR) return parse_error(b->p, a->at, "wanted two lists, as in [1] x [0]");
    return attr_ints(b->p, &a->items[0], &left->at, &left->n) &&
           attr_ints(b->p, &a->items[1], &right->at, &right->n);
}

static bool dot_axes(TextBuild *b, const OpSyntax *op, ContractedAxes *d)
{
    const AttrSyntax *dict = attr_find(op, "dot_dimension_numbers", NULL);
    memset(d, 0, sizeof *d);
    if (dict && dict->kind != ATTR_DICT) return parse_error(b->p, dict->at, "wanted #stablehlo.dot<...>");
    bool ok = dict ? field_ints(b, dict, "lhs_batching_dimensions", &d->lhs_batch) &&
                         field_ints(b, dict, "rhs_batching_dimensions", &d->rhs_batch) &&
                         field_ints(b, dict, "lhs_contracting_dimensions", &d->lhs_sum) &&
                         field_ints(b, dict, "rhs_contracting_dimensions", &d->rhs_sum)
                   : pair_ints(b, attr_find(op, "batching_dims", NULL), &d->lhs_batch, &d->rhs_batch) &&
                         pair_ints(b, attr_find(op, "contracting_dims", NULL), &d->lhs_sum, &d->rhs_sum);
    if (ok && (d->lhs_batch.n != d->rhs_batch.n || d->lhs_sum.n != d->rhs_sum.n))
        return parse_error(b->p, op->at, "%s: as many axes of the left operand as of the right must be given",
                           op->rule->name);
    return ok;
}

static Ref convert(TextBuild *b, Ref a, DType t)
{
    Type from = graph_type(b->g, a);
    return from.dtype == t ? a : build_typed(b->g, OP_CONVERT, &a, 1, NULL, 0, type_like(from, t));
}

/* Sums are taken in the result's type. If DOT cannot do so (the type is of another kind, or the operands
 * differ), the operands are converted first; a narrower result is converted afterwards. */
static Ref dot(TextBuild *b, const ContractedAxes *d, const Ref *operands, Type result)
{
    const Ints parts[] = { d->lhs_batch, d->rhs_batch, d->lhs_sum, d->rhs_sum };
    uint32_t n_attr = 2;
    int64_t *attr =
        arena_alloc(b->p->arena, (2 + 2 * (size_t)d->lhs_batch.n + 2 * (size_t)d->lhs_sum.n) * sizeof *attr);
    attr[0] = d->lhs_batch.n;
    attr[1] = d->lhs_sum.n;
    for (int i = 0; i < 4; i++)
        for (uint32_t k = 0; k < parts[i].n; k++) attr[n_attr++] = parts[i].at[k];

    Ref args[2] = { operands[0], operands[1] };
    DType l = (DType)graph_type(b->g, args[0]).dtype, r = (DType)graph_type(b->g, args[1]).dtype,
          want = (DType)result.dtype;
    DType sum = l == r && dtype_bytes(want) < dtype_bytes(l) ? l : want;
    if (l != r || dtype_kind(l) != dtype_kind(sum))
        for (int i = 0; i < 2; i++) args[i] = convert(b, args[i], sum);
    Ref dotted = build_typed(b->g, OP_DOT, args, 2, attr, n_attr, type_like(result, sum));
    return dotted == REF_NONE ? dotted : convert(b, dotted, want);
}

bool rule_dot_general(TextBuild *b, const OpSyntax *op, const Ref *args, Ref *out)
{
    ContractedAxes d;
    if (!need_result(b, op) || !dot_axes(b, op, &d)) return false;
    out[0] = dot(b, &d, args, op->results[0]);
    return true;
}

/* The old dot: the left operand's last axis with the right one's first. */
bool rule_dot(TextBuild *b, const OpSyntax *op, const Ref *args, Ref *out)
{
    int64_t last = graph_type(b->g, args[0]).rank - 1, first = 0;
    ContractedAxes d = { .lhs_sum = { &last, 1 }, .rhs_sum = { &first, 1 } };
    if (!need_result(b, op)) return false;
    out[0] = dot(b, &d, args, op->results[0]);
    return true;
}
