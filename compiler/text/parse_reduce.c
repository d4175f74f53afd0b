/* parse_reduce.c: the rules of reduce, dot and dot_general.
 *
 * A reducer of one monoid op becomes REDUCE, spelled `applies` or as a region; a start value that is not the
 * monoid's own is combined with the result, which the specification allows (it may be taken in at any point).
 * All else is a REDUCE_REGION.
 */
#include <string.h>
#include "compiler/passes/raise.h"
#include "parse_build.h"

static bool reduce_monoid_node(TextBuild *b, Op monoid, const Ref *args, Ints axes, Ref *out)
{
    Type t = graph_type(b->g, args[0]), start = graph_type(b->g, args[1]);
    int64_t first = monoid;
    Ints attr = { arena_alloc(b->p->arena, (axes.n + 1) * sizeof(int64_t)), 0 };
    append_ints(&attr, (Ints){ &first, 1 });
    append_ints(&attr, axes);
    out[0] = build_node(b->g, OP_REDUCE, args, 1, attr.at, attr.n);
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
    const char *name = applies->text ? applies->text : "";
    const OpRule *rule = rule_find(b->p, name, strlen(name));
    if (!rule || rule->op == OP_COUNT || !op_is_ew(rule->op) || rule->args != 2 || op->n_operands != 2)
        return parse_error(b->p, applies->at,
                           "`applies` takes an op of two operands over one operand of the reduction"),
               NULL;
    const Graph *g = build_reducer(b->p->arena, rule->op, (DType)b->p->types[op->operands[0]].dtype);
    return g->failure.code == WEFT_OK ? g : (fail_as(&b->g->failure, &g->failure), NULL);
}

bool rule_reduce(TextBuild *b, const OpSyntax *op, const Ref *args, Ref *out)
{
    const AttrSyntax *applies = attr_find(op, "applies", NULL);
    Ints axes;
    if (!need_ints(b, op, "dimensions", NULL, &axes)) return false;
    if (!applies && op->n_regions != 1)
        return parse_error(b->p, op->at, "stablehlo.reduce needs one reducer");
    const Graph *region = applies ? applied_region(b, op, applies) : build_region_graph(b, &op->regions[0]);
    if (!region) return false;
    sort_axes(axes.at, axes.n);
    Op monoid = attr_find(op, "weft.region", NULL) ? OP_COUNT : region_monoid(region);
    if (monoid != OP_COUNT && op->n_operands == 2) return reduce_monoid_node(b, monoid, args, axes, out);
    NodeSpec s = { .op = OP_REDUCE_REGION,
                   .args = args,
                   .n_args = op->n_operands,
                   .attr = axes.at,
                   .n_attr = axes.n,
                   .region = region };
    return take_node(b, op, graph_add(b->g, &s), out);
}

/* Contractions. */

/* The axes of the left operand and of the right one: those of the batch, then those that are summed over. */
typedef struct ContractedAxes {
    Ints batch[2], sum[2];
} ContractedAxes;

static bool pair_ints(TextBuild *b, const OpSyntax *op, const char *key, Ints pair[2])
{
    const AttrSyntax *a = attr_find(op, key, NULL);
    if (!a) return true;
    if (a->kind != ATTR_PAIR) return parse_error(b->p, a->at, "wanted two lists, as in [1] x [0]");
    return attr_ints(b->p, &a->items[0], &pair[0].at, &pair[0].n) &&
           attr_ints(b->p, &a->items[1], &pair[1].at, &pair[1].n);
}

static bool dot_axes(TextBuild *b, const OpSyntax *op, ContractedAxes *d)
{
    const AttrSyntax *dict = attr_find(op, "dot_dimension_numbers", NULL);
    memset(d, 0, sizeof *d);
    if (dict && dict->kind != ATTR_DICT) return parse_error(b->p, dict->at, "wanted #stablehlo.dot<...>");
    bool ok =
        dict ? field_ints(b, dict, "lhs_batching_dimensions", &d->batch[0]) &&
                   field_ints(b, dict, "rhs_batching_dimensions", &d->batch[1]) &&
                   field_ints(b, dict, "lhs_contracting_dimensions", &d->sum[0]) &&
                   field_ints(b, dict, "rhs_contracting_dimensions", &d->sum[1])
             : pair_ints(b, op, "batching_dims", d->batch) && pair_ints(b, op, "contracting_dims", d->sum);
    if (ok && (d->batch[0].n != d->batch[1].n || d->sum[0].n != d->sum[1].n))
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
    int64_t counts[] = { d->batch[0].n, d->sum[0].n };
    Ints attr = { arena_alloc(b->p->arena, 2 * (1 + d->batch[0].n + d->sum[0].n) * sizeof(int64_t)), 0 };
    append_ints(&attr, (Ints){ counts, 2 });
    for (int i = 0; i < 2; i++) append_ints(&attr, d->batch[i]);
    for (int i = 0; i < 2; i++) append_ints(&attr, d->sum[i]);

    Ref args[2] = { operands[0], operands[1] };
    DType l = (DType)graph_type(b->g, args[0]).dtype, r = (DType)graph_type(b->g, args[1]).dtype,
          want = (DType)result.dtype;
    DType sum = l == r && dtype_bytes(want) < dtype_bytes(l) ? l : want;
    if (l != r || dtype_kind(l) != dtype_kind(sum))
        for (int i = 0; i < 2; i++) args[i] = convert(b, args[i], sum);
    Ref dotted = build_typed(b->g, OP_DOT, args, 2, attr.at, attr.n, type_like(result, sum));
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
    ContractedAxes d = { .sum = { { &last, 1 }, { &first, 1 } } };
    if (!need_result(b, op)) return false;
    out[0] = dot(b, &d, args, op->results[0]);
    return true;
}
