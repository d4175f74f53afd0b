/* parse_contract.c: the rules of dot_general and gather. */
#include <string.h>
#include "parse_rules.h"

typedef struct DotAxes {
    Ints lhs_batch, rhs_batch, lhs_sum, rhs_sum;
} DotAxes;

static bool pair_ints(Build *b, const Attr *a, Ints *left, Ints *right)
{
    if (!a) return true;
    if (a->kind != ATTR_PAIR) {
        parse_error(b->p, a->at, "wanted two lists, as in [1] x [0]");
        return false;
    }
    return attr_ints(b->p, &a->items[0], &left->at, &left->n) &&
           attr_ints(b->p, &a->items[1], &right->at, &right->n);
}

static bool dot_axes(Build *b, const OpSyntax *op, DotAxes *d)
{
    const Attr *dict = attr_find(op, "dot_dimension_numbers", NULL);
    memset(d, 0, sizeof *d);
    if (dict && dict->kind != ATTR_DICT) {
        parse_error(b->p, dict->at, "wanted #stablehlo.dot<...>");
        return false;
    }
    bool ok = dict ? field_ints(b, dict, "lhs_batching_dimensions", &d->lhs_batch) &&
                         field_ints(b, dict, "rhs_batching_dimensions", &d->rhs_batch) &&
                         field_ints(b, dict, "lhs_contracting_dimensions", &d->lhs_sum) &&
                         field_ints(b, dict, "rhs_contracting_dimensions", &d->rhs_sum)
                   : pair_ints(b, attr_find(op, "batching_dims", NULL), &d->lhs_batch, &d->rhs_batch) &&
                         pair_ints(b, attr_find(op, "contracting_dims", NULL), &d->lhs_sum, &d->rhs_sum);
    if (ok && (d->lhs_batch.n != d->rhs_batch.n || d->lhs_sum.n != d->rhs_sum.n)) {
        parse_error(b->p, op->at, "%s: as many axes of the left operand as of the right must be given",
                    op->rule->name);
        return false;
    }
    return ok;
}

static Ref convert(Build *b, Ref a, DType t)
{
    Type from = graph_type(b->g, a);
    return from.dtype == t ? a : add_shaped(b, OP_CONVERT, &a, 1, NULL, 0, type_like(from, t));
}

/* Sums are taken in the result's type. A type that a DOT node cannot sum in directly (of another kind, or
 * mixed operands) is reached by converting the operands first when it is no narrower, else the sum
 * afterwards. */
static Ref dot(Build *b, const DotAxes *d, const Ref *operands, Type result)
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
    Ref dotted = add_shaped(b, OP_DOT, args, 2, attr, n_attr, type_like(result, sum));
    return dotted == REF_NONE ? dotted : convert(b, dotted, want);
}

bool rule_dot_general(Build *b, const OpSyntax *op, const Ref *args, Ref *out)
{
    DotAxes d;
    if (!need_result(b, op) || !dot_axes(b, op, &d)) return false;
    out[0] = dot(b, &d, args, op->results[0]);
    return true;
}

/* The old dot: the left operand's last axis with the right one's first. */
bool rule_dot(Build *b, const OpSyntax *op, const Ref *args, Ref *out)
{
    int64_t last = graph_type(b->g, args[0]).rank - 1, first = 0;
    DotAxes d = { .lhs_sum = { &last, 1 }, .rhs_sum = { &first, 1 } };
    if (!need_result(b, op)) return false;
    out[0] = dot(b, &d, args, op->results[0]);
    return true;
}

static Ref gather(Build *b, const Ref *args, const Ints lists[6], int64_t index_vector_dim)
{
    uint32_t n = 5, total = 5;
    for (int i = 0; i < 6; i++) total += lists[i].n;
    int64_t *attr = arena_alloc(b->p->arena, total * sizeof *attr);
    memcpy(attr, (int64_t[]){ lists[0].n, lists[1].n, lists[2].n, lists[4].n, index_vector_dim },
           5 * sizeof *attr);
    for (int i = 0; i < 6; i++)
        for (uint32_t k = 0; k < lists[i].n; k++) attr[n++] = lists[i].at[k];
    return add_node(b, OP_GATHER, args, 2, attr, n);
}

static bool gather_of(Build *b, const OpSyntax *op, const Ref *args, Ints slice_sizes, Ref *out)
{
    static const char *const keys[] = { "offset_dims", "collapsed_slice_dims", "operand_batching_dims",
                                        "start_indices_batching_dims", "start_index_map" };
    const Attr *numbers = need_attr(b, op, "dimension_numbers", NULL),
               *dim = attr_field(numbers, "index_vector_dim");
    Ints lists[6];
    int64_t index_vector_dim = 0;
    lists[5] = slice_sizes;
    if (!numbers) return false;
    if (numbers->kind != ATTR_DICT) {
        parse_error(b->p, numbers->at, "wanted #stablehlo.gather<...>");
        return false;
    }
    for (int i = 0; i < 5; i++)
        if (!field_ints(b, numbers, keys[i], &lists[i])) return false;
    if (lists[2].n != lists[3].n) {
        parse_error(b->p, numbers->at,
                    "as many batching axes of the operand as of the indices must be given");
        return false;
    }
    if (dim && !attr_int(b->p, dim, &index_vector_dim)) return false;
    out[0] = gather(b, args, lists, index_vector_dim);
    return true;
}

bool rule_gather(Build *b, const OpSyntax *op, const Ref *args, Ref *out)
{
    Ints sizes;
    return need_ints(b, op, "slice_sizes", NULL, &sizes) && gather_of(b, op, args, sizes, out);
}

bool rule_dynamic_gather(Build *b, const OpSyntax *op, const Ref *args, Ref *out)
{
    Ints sizes;
    return constant_ints(b, op, args[2], &sizes) && gather_of(b, op, args, sizes, out);
}
