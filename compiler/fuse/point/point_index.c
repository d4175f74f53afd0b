/* point_index.c: the arithmetic of indices: affine where it can be, integer statements where not; and the
 * small statements that rules are made of. */
#include "point.h"

/* m (i / m) + i % m is i. */
static Address put_together(Build *b, Address a)
{
    for (uint32_t i = b->n_divided; i-- > 0;) {
        const Divided *d = &b->divided[i];
        int64_t c = address_coefficient(a, d->rest);
        if (!c || address_coefficient(a, d->quotient) != c * d->by) continue;
        a = address_add(b->arena, a, address_of(b->arena, d->rest, -c));
        a = address_add(b->arena, a, address_of(b->arena, d->quotient, -c * d->by));
        a = address_add(b->arena, a, address_scale(b->arena, d->whole, c));
    }
    return a;
}

Address point_address(Build *b, Type t, const Address *at)
{
    Address sum = address_number(0);
    int64_t stride = 1;
    for (int d = t.rank - 1; d >= 0; d--) {
        sum = address_add(b->arena, sum, address_scale(b->arena, at[d], stride));
        stride *= t.dim[d];
    }
    return b->n_divided ? put_together(b, sum) : sum;
}

DType index_type(const Build *b, Address a)
{
    int64_t low, high;
    return address_range(b, a, &low, &high) && low > INT32_MIN && high < INT32_MAX ? WEFT_I32 : WEFT_I64;
}

Val op1(Build *b, Op op, DType t, Val x) { return point_op(b, op, t, &x, 1, NULL, 0); }

Val op2(Build *b, Op op, DType t, Val x, Val y) { return point_op(b, op, t, (Val[]){ x, y }, 2, NULL, 0); }

Val compare(Build *b, CompareDir dir, Val x, Val y)
{
    return point_op(b, OP_COMPARE, WEFT_BOOL, (Val[]){ x, y }, 2, (int64_t[]){ dir, ORDER_SIGNED }, 2);
}

Val compare_with(Build *b, CompareDir dir, Val x, int64_t with)
{
    DType t = dtype_of(b, x);
    return compare(b, dir, x, nest_const(&b->nest, t, scalar_from_i64(t, with)));
}

Val select_value(Build *b, DType type, Val p, Val t, Val f)
{
    return t == f ? t : point_op(b, OP_SELECT, type, (Val[]){ p, t, f }, 3, NULL, 0);
}

Val both(Build *b, Val x, Val y)
{
    if (x == VAL_NONE) return y;
    return y == VAL_NONE || x == y ? x : op2(b, OP_AND, WEFT_BOOL, x, y);
}

bool is_never(const Build *b, Val condition)
{
    return condition != VAL_NONE && b->nest.stmts[condition].kind == ST_CONST &&
           !b->nest.stmts[condition].imm;
}

Val in_range(Build *b, Address a, int64_t low, int64_t high)
{
    int64_t least, most;
    bool known = address_range(b, a, &least, &most);
    Val i = VAL_NONE, r = VAL_NONE;
    if (known && least >= low && most < high) return r;
    if (known && (most < low || least >= high)) return nest_const(&b->nest, WEFT_BOOL, 0);
    i = nest_index(&b->nest, index_type(b, a), a);
    if (!known || least < low) r = compare_with(b, CMP_GE, i, low);
    if (!known || most >= high) r = both(b, r, compare_with(b, CMP_LT, i, high));
    return r;
}

static bool is_looped(const Build *b, Address a)
{
    for (uint32_t i = 0; i < a.n_terms; i++)
        if (b->nest.stmts[a.terms[i].of].kind == ST_LOOP) return true;
    return false;
}

Val in_axis(Build *b, Type t, const Address *at, int d, int end, int64_t low, int64_t high)
{
    Address behind = address_number(0), run = at[d];
    int64_t n = 1, scale = 1, least, most;
    for (int e = d + 1; e < end && !is_looped(b, at[d]); e++) {
        behind = address_add(b->arena, address_scale(b->arena, behind, t.dim[e]), at[e]);
        n *= t.dim[e];
        if (!address_range(b, behind, &least, &most) || least < 0 || most < n) continue;
        run = address_add(b->arena, address_scale(b->arena, at[d], n), behind);
        scale = n;
    }
    return in_range(b, run, low * scale, high * scale);
}

/* a / m and a % m for a in [0, ...): by splitting the terms where that is exact, else by integer
 * statements. */
void divide(Build *b, Address a, int64_t m, Address *quotient, Address *rest)
{
    Address q = address_number(a.offset / m), r = address_number(a.offset % m);
    for (uint32_t i = 0; i < a.n_terms; i++) {
        int64_t c = a.terms[i].coef;
        q = address_add(b->arena, q, address_of(b->arena, a.terms[i].of, c / m));
        r = address_add(b->arena, r, address_of(b->arena, a.terms[i].of, c % m));
    }
    int64_t low, high;
    if (address_range(b, r, &low, &high) && low >= 0 && low / m == high / m) {
        *quotient = address_shift(q, low / m);
        *rest = address_shift(r, -(low / m * m));
        return;
    }
    DType t = index_type(b, a);
    Val i = nest_index(&b->nest, t, a), by = nest_const(&b->nest, t, scalar_from_i64(t, m)),
        over = nest_op(&b->nest, OP_DIV, t, (Val[]){ i, by }, 2, NULL, 0),
        left = nest_op(&b->nest, OP_REM, t, (Val[]){ i, by }, 2, NULL, 0);
    *quotient = address_of(b->arena, over, 1);
    *rest = address_of(b->arena, left, 1);
    b->divided =
        arena_grow(b->arena, b->divided, b->n_divided, &b->cap_divided, b->n_divided + 1, sizeof *b->divided);
    b->divided[b->n_divided++] = (Divided){ over, left, m, a };
    note_period(b, a, r, m, over, left);
}

Address *new_index(Build *b, int rank) { return arena_alloc(b->arena, ((size_t)rank + 1) * sizeof(Address)); }

bool next_axis_group(Type from, Type to, int *j, int *i)
{
    int64_t p = *i < to.rank ? to.dim[(*i)++] : 1, q = *j < from.rank ? from.dim[(*j)++] : 1;
    while (p != q) {
        if (p < q && *i < to.rank) p *= to.dim[(*i)++];
        else if (*j < from.rank) q *= from.dim[(*j)++];
        else return false;
    }
    return true;
}

void reshape_index(Build *b, Type from, Type to, const Address *at, Address *out)
{
    for (int i = 0, j = 0; i < to.rank || j < from.rank;) {
        int i0 = i, j0 = j;
        next_axis_group(from, to, &j, &i);
        if (i - i0 == 1 && j - j0 == 1) {
            out[j0] = at[i0]; /* of size 1, too: it may be walked together with its neighbour */
            continue;
        }
        Address linear = point_address(b, (Type){ to.dtype, (uint8_t)(i - i0), to.dim + i0 }, at + i0);
        for (int d = j0; d < j; d++) {
            int64_t rest = 1;
            for (int e = d + 1; e < j; e++) rest *= from.dim[e];
            if (from.dim[d] == 1) out[d] = address_number(0);
            else if (rest == 1) {
                out[d] = linear;
                linear = address_number(0);
            } else divide(b, linear, rest, &out[d], &linear);
        }
    }
}

bool lists(const int64_t *list, int64_t n, int64_t d)
{
    for (int64_t i = 0; i < n; i++)
        if (list[i] == d) return true;
    return false;
}

static Val clamped_as(Build *b, Val v, DType t, int64_t most)
{
    v = convert(b, v, t);
    v = op2(b, OP_MAX, t, v, nest_const(&b->nest, t, 0));
    return op2(b, OP_MIN, t, v, nest_const(&b->nest, t, (uint64_t)most));
}

Val clamped(Build *b, Val v, int64_t most)
{
    DType t = dtype_of(b, v);
    if (dtype_kind(t) == KIND_UNSIGNED && dtype_bits(t) == 64)
        v = op2(b, OP_MIN, t, v, nest_const(&b->nest, t, scalar_from_i64(t, most)));
    return clamped_as(b, v, WEFT_I64, most);
}

Val clamped_narrow(Build *b, Val v, int64_t most)
{
    DType t = dtype_of(b, v);
    if (dtype_kind(t) == KIND_UNSIGNED && dtype_bits(t) < 32) {
        if (most < (INT64_C(1) << dtype_bits(t)) - 1)
            v = op2(b, OP_MIN, t, v, nest_const(&b->nest, t, (uint64_t)most));
        return convert(b, v, WEFT_I32);
    }
    bool narrow = dtype_of(b, v) == WEFT_I32 && most <= INT32_MAX;
    return narrow ? clamped_as(b, v, WEFT_I32, most) : clamped(b, v, most);
}

Val convert(Build *b, Val v, DType to)
{
    if (b->nest.stmts[v].dtype == to) return v;
    return op1(b, OP_CONVERT, to, v);
}
