/* graphs_masked.c: makers of values that something takes away again: quotients by zero, logarithms and roots
 * of what has none, between elements that stay. */
#include "tests/graphs/graphs_parts.h"

static Ref put(Maker *m, Op op, Ref a, Ref b)
{
    uint32_t n = op_info[op].args == 1 ? 1 : 2;
    return maker_put(m, &(NodeSpec){ .op = op, .args = (Ref[]){ a, b }, .n_args = n });
}

static Ref choose(Maker *m, Ref mask, Ref yes, Ref no)
{
    return maker_put(m, &(NodeSpec){ .op = OP_SELECT, .args = (Ref[]){ mask, yes, no }, .n_args = 3 });
}

static Ref all_of(Maker *m, DType t, const Shape *s, double number)
{
    uint64_t bits[2] = { scalar_from_double(t, number) };
    return maker_put(m, &(NodeSpec){ .op = OP_CONSTANT,
                                     .attr = (int64_t[]){ 1 },
                                     .n_attr = 1,
                                     .data = bits,
                                     .dtype = t,
                                     .dim = s->dim,
                                     .rank = s->rank });
}

/* Every second to fourth along an axis, which the compiler may know; or bools of the program; or what is not
 * zero. */
static Ref any_mask(Maker *m, Ref a)
{
    Shape s = shape_of(m, a);
    DType t = dtype_of(m, a);
    if (s.rank == 0 || chance(m, 40)) {
        bool floats = !m->options.smooth && chance(m, 50);
        return floats ? maker_compare(m, (CompareDir)below(m, dtype_is_complex(t) ? 2 : 6), ORDER_FLOAT, a,
                                      all_of(m, t, &s, 0))
                      : maker_like(m, WEFT_BOOL, &s);
    }
    uint64_t period = 2 + below(m, 3), phase = below(m, (uint32_t)period);
    int64_t axis = below(m, (uint32_t)s.rank);
    Ref index = maker_put(
        m, &(NodeSpec){
               .op = OP_IOTA, .attr = &axis, .n_attr = 1, .dtype = WEFT_I32, .dim = s.dim, .rank = s.rank });
    Ref rest = put(m, OP_REM, index, all_of(m, WEFT_I32, &s, (double)period));
    return maker_compare(m, chance(m, 50) ? CMP_EQ : CMP_NE, ORDER_SIGNED, rest,
                         all_of(m, WEFT_I32, &s, (double)phase));
}

/* A value that is NaN or infinite for some operands. */
static Ref hazard(Maker *m, Ref a, Ref b)
{
    static const Op ops[] = { OP_DIV,  OP_DIV,   OP_DIV, OP_LOG, OP_LOG1P, OP_SQRT, OP_RSQRT, OP_CBRT,
                              OP_ACOS, OP_ATANH, OP_POW, OP_EXP, OP_TAN,   OP_REM,  OP_ATAN2 };
    return put(m, m->options.smooth || m->options.curved ? OP_DIV : ops[below(m, sizeof ops / sizeof *ops)],
               a, b);
}

/* A divisor: something safe where the mask is true, zero or anything elsewhere. Programs of which
 * differences are taken keep away from zero elsewhere too, and their loops, whose values nobody looks at,
 * everywhere. */
static Ref divisor(Maker *m, Ref mask, Ref a)
{
    Shape s = shape_of(m, a);
    DType t = dtype_of(m, a);
    Ref zero = all_of(m, t, &s, 0), safe = put(m, OP_ADD, put(m, OP_ABS, a, REF_NONE), all_of(m, t, &s, 1));
    if (m->options.curved || (m->options.smooth && m->nesting)) return safe;
    if (m->options.smooth) return choose(m, mask, safe, chance(m, 50) ? zero : a);
    return chance(m, 50) ? a : choose(m, mask, a, zero);
}

static Ref any_float(Maker *m)
{
    Ref a = maker_any(m);
    Shape s = shape_of(m, a);
    return dtype_is_float(dtype_of(m, a)) ? a : maker_like(m, chance(m, 70) ? WEFT_F32 : WEFT_F64, &s);
}

Ref make_masked(Maker *m)
{
    Ref a = any_float(m), mask = any_mask(m, a);
    Shape s = shape_of(m, a);
    DType t = dtype_of(m, a);
    Ref value = hazard(m, maker_like(m, t, &s), divisor(m, mask, a)),
        other = chance(m, 60) ? all_of(m, t, &s, 0) : maker_like(m, t, &s);
    return m->options.smooth || m->options.curved || chance(m, 70) ? choose(m, mask, value, other)
                                                                   : choose(m, mask, other, value);
}

/* Some elements of an axis, and their quotients spread again with zeros between. */
Ref make_spread(Maker *m)
{
    Ref a = any_float(m);
    Shape s = shape_of(m, a), one = { 0, { 0 } };
    DType t = dtype_of(m, a);
    if (s.rank == 0) return a;
    int64_t axis = below(m, (uint32_t)s.rank), stride = 2 + below(m, 2), slice[3 * WEFT_MAX_RANK],
            pad[3 * WEFT_MAX_RANK] = { 0 };
    if (s.dim[axis] == 0) return a;
    for (int i = 0; i < s.rank; i++)
        slice[i] = 0, slice[s.rank + i] = s.dim[i], slice[2 * s.rank + i] = i == axis ? stride : 1;
    pad[s.rank + axis] = (s.dim[axis] - 1) % stride;
    pad[2 * s.rank + axis] = stride - 1;
    Ref below_line = m->options.smooth || m->options.curved
                         ? put(m, OP_ADD, put(m, OP_ABS, a, REF_NONE), all_of(m, t, &s, 1))
                         : a;
    Ref x = maker_attr(m, OP_SLICE, maker_like(m, t, &s), slice, 3 * (uint32_t)s.rank),
        y = maker_attr(m, OP_SLICE, below_line, slice, 3 * (uint32_t)s.rank);
    return maker_put(m, &(NodeSpec){ .op = OP_PAD,
                                     .args = (Ref[]){ hazard(m, x, y), all_of(m, t, &one, 0) },
                                     .n_args = 2,
                                     .attr = pad,
                                     .n_attr = 3 * (uint32_t)s.rank });
}
