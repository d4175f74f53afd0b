/* point_slice.c: DYNAMIC_SLICE and DYNAMIC_UPDATE_SLICE at a point: starts are data, computed and clamped
 * once, and then terms of addresses. */
#include "point.h"

Address *shifted_index(Build *b, Type t, const int64_t *sizes, const Ref *starts, const Address *at,
                       int64_t sign)
{
    Address *in = new_index(b, t.rank);
    for (int d = 0; d < t.rank; d++) {
        in[d] = at[d];
        if (sizes[d] == t.dim[d]) continue; /* the whole axis: there is one place for it */
        Val start = clamped(b, point_value(b, starts[d], NULL, VAL_NONE), t.dim[d] - sizes[d]);
        in[d] = address_add(b->arena, at[d], address_scale(b->arena, value_address(b, start), sign));
    }
    return in;
}

Val dynamic_slice_value(Build *b, const Node *n, const Address *at, Val mask)
{
    return point_value(b, n->args[0], shifted_index(b, type_of(b, n->args[0]), n->attr, n->args + 1, at, 1),
                       mask);
}

/* Is position `at` of axis d inside an update of this size? Compared with the start, so that the position
 * stays a plain index. */
static Val inside_update(Build *b, Address at, Ref start, int64_t size, int64_t extent)
{
    DType t = extent < INT32_MAX ? index_type(b, at) : WEFT_I64;
    if (size == extent) return VAL_NONE;
    Val low = clamped(b, point_value(b, start, NULL, VAL_NONE), extent - size);
    Address first = value_address(b, low);
    if (!first.n_terms) return in_range(b, at, first.offset, first.offset + size);
    Val i = nest_index(&b->nest, t, at),
        high = op2(b, OP_ADD, WEFT_I64, low, nest_const(&b->nest, WEFT_I64, (uint64_t)size));
    return both(b, compare(b, CMP_GE, i, convert(b, low, t)), compare(b, CMP_LT, i, convert(b, high, t)));
}

Val dynamic_update_value(Build *b, const Node *n, const Address *at, Val mask)
{
    Type t = type_of(b, n->args[0]), update = type_of(b, n->args[1]);
    if (type_count(update) == 0) return point_value(b, n->args[0], at, mask);
    Val inside = VAL_NONE;
    for (int d = 0; d < t.rank; d++)
        inside = both(b, inside, inside_update(b, at[d], n->args[2 + d], update.dim[d], t.dim[d]));
    if (is_never(b, inside)) return point_value(b, n->args[0], at, mask);
    Val v = point_value(b, n->args[1], shifted_index(b, t, update.dim, n->args + 2, at, -1),
                        both(b, mask, inside));
    return inside == VAL_NONE
               ? v
               : select_value(b, (DType)n->dtype, inside, v, point_value(b, n->args[0], at, mask));
}
