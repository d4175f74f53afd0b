/* range.c: see range.h. */
#include "range.h"

static int64_t least(int64_t a, int64_t b) { return a < b ? a : b; }
static int64_t greatest(int64_t a, int64_t b) { return a > b ? a : b; }
static int sign_of_number(int64_t x) { return (x > 0) - (x < 0); }

bool range_of_type(DType t, Range *r)
{
    int bits = (int)dtype_bits(t);
    *r = (Range){ 0, 0 };
    if (!dtype_is_int(t)) return false;
    if (dtype_kind(t) == KIND_UNSIGNED)
        *r = (Range){ 0, bits == 64 ? INT64_MAX : (int64_t)(UINT64_MAX >> (64 - bits)) };
    else
        *r = (Range){ bits == 64 ? INT64_MIN : -(INT64_C(1) << (bits - 1)),
                      bits == 64 ? INT64_MAX : (INT64_C(1) << (bits - 1)) - 1 };
    return dtype_kind(t) == KIND_SIGNED || bits < 64;
}

bool range_add(Range *r, Range x, int64_t coef)
{
    int64_t low, high;
    if (__builtin_mul_overflow(coef > 0 ? x.low : x.high, coef, &low) ||
        __builtin_mul_overflow(coef > 0 ? x.high : x.low, coef, &high))
        return false;
    return !__builtin_add_overflow(r->low, low, &r->low) && !__builtin_add_overflow(r->high, high, &r->high);
}

bool range_of_unary(Op op, Range x, Range *r)
{
    *r = (Range){ 0, 0 };
    switch (op) {
    case OP_NEG:  return range_add(r, x, -1);
    case OP_SIGN: *r = (Range){ sign_of_number(x.low), sign_of_number(x.high) }; return true;
    case OP_ABS:
        if (!range_add(r, x, -1)) return false;
        *r = (Range){ x.low >= 0 ? x.low : x.high <= 0 ? -x.high : 0, greatest(x.high, -x.low) };
        return true;
    default: return false;
    }
}

/* One side is a number, or both are so small that no product is beyond int64. */
static bool of_product(Range x, Range y, Range *r)
{
    const int64_t most = INT32_MAX;
    *r = (Range){ 0, 0 };
    if (y.low == y.high) return range_add(r, x, y.low);
    if (x.low == x.high) return range_add(r, y, x.low);
    if (x.low < -most || x.high > most || y.low < -most || y.high > most) return false;
    int64_t at[4] = { x.low * y.low, x.low * y.high, x.high * y.low, x.high * y.high };
    *r = (Range){ at[0], at[0] };
    for (int i = 1; i < 4; i++) *r = range_hull(*r, (Range){ at[i], at[i] });
    return true;
}

/* Is none of them a number that is negative where its bits are taken as signed? */
static bool keeps_sign(DType t, Range x)
{
    return dtype_is_signed(t) || x.high <= INT64_MAX >> (64 - dtype_bits(t));
}

bool range_of_binary(Op op, DType t, Range x, Range y, Range *r)
{
    bool is_number = y.low == y.high, is_shift = is_number && y.low >= 0 && y.low < 32;
    *r = x;
    switch (op) {
    case OP_ADD: return range_add(r, y, 1);
    case OP_SUB: return range_add(r, y, -1);
    case OP_MUL: return of_product(x, y, r);
    case OP_MAX: *r = (Range){ greatest(x.low, y.low), greatest(x.high, y.high) }; return true;
    case OP_MIN: *r = (Range){ least(x.low, y.low), least(x.high, y.high) }; return true;
    case OP_REM: /* it has the sign of x */
        *r = (Range){ x.low < 0 ? greatest(x.low, 1 - y.high) : 0,
                      x.high > 0 ? least(x.high, y.high - 1) : 0 };
        return y.low > 0;
    case OP_DIV:
        if (!is_number || y.low <= 0) return false;
        *r = (Range){ x.low / y.low, x.high / y.low };
        return true;
    case OP_AND:
        *r = (Range){ 0, x.low < 0 ? y.high : y.low < 0 ? x.high : least(x.high, y.high) };
        return x.low >= 0 || y.low >= 0;
    case OP_SHL: *r = (Range){ 0, 0 }; return is_shift && range_add(r, x, INT64_C(1) << y.low);
    case OP_SHR_LOGIC:
    case OP_SHR_ARITH:
        if (!is_shift || (op == OP_SHR_LOGIC ? x.low < 0 : !keeps_sign(t, x))) return false;
        *r = (Range){ x.low >> y.low, x.high >> y.low };
        return true;
    default: return false;
    }
}
