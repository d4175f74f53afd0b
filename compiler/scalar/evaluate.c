/* evaluate.c: elementary ops on one element, with the same single rounding per op as eager mode. */
#include "evaluate.h"
#include <math.h>

static uint64_t all_ones(DType t) { return UINT64_MAX >> (64 - dtype_bits(t)); }

static bool evaluate_bool(Op op, uint64_t a, uint64_t b, uint64_t *out)
{
    switch (op) {
    case OP_NOT: *out = !a; return true;
    case OP_ADD:
    case OP_OR:
    case OP_MAX: *out = a | b; return true;
    case OP_MUL:
    case OP_AND:
    case OP_MIN: *out = a & b; return true;
    case OP_XOR: *out = a ^ b; return true;
    default:     return false;
    }
}

static uint64_t divide_ints(DType t, uint64_t a, uint64_t b)
{
    int64_t x = scalar_to_i64(t, a), y = scalar_to_i64(t, b);
    if (y == 0) return UINT64_MAX;
    if (!dtype_is_signed(t)) return (uint64_t)x / (uint64_t)y;
    return y == -1 ? 0 - (uint64_t)x : (uint64_t)(x / y);
}

static uint64_t rest_of_ints(DType t, uint64_t a, uint64_t b)
{
    int64_t x = scalar_to_i64(t, a), y = scalar_to_i64(t, b);
    if (y == 0) return (uint64_t)x;
    if (!dtype_is_signed(t)) return (uint64_t)x % (uint64_t)y;
    return y == -1 ? 0 : (uint64_t)(x % y);
}

static bool less_ints(DType t, uint64_t a, uint64_t b)
{
    int64_t x = scalar_to_i64(t, a), y = scalar_to_i64(t, b);
    return dtype_is_signed(t) ? x < y : (uint64_t)x < (uint64_t)y;
}

/* Amounts are unsigned; the width or more shifts everything out. */
static uint64_t shift_ints(Op op, DType t, uint64_t a, uint64_t amount)
{
    uint64_t bits = (uint64_t)dtype_bits(t);
    int64_t wide = dtype_is_signed(t) ? scalar_to_i64(t, a) : (int64_t)(a << (64 - bits)) >> (64 - bits);
    if (op == OP_SHR_ARITH) return (uint64_t)(wide >> (amount < bits ? amount : bits - 1));
    if (amount >= bits) return 0;
    return op == OP_SHL ? a << amount : a >> amount;
}

static bool evaluate_int(Op op, DType t, uint64_t a, uint64_t b, uint64_t *out)
{
    uint64_t v;
    switch (op) {
    case OP_NEG:       v = 0 - a; break;
    case OP_NOT:       v = ~a; break;
    case OP_ABS:       v = scalar_to_i64(t, a) < 0 ? 0 - a : a; break;
    case OP_SQUARE:    v = a * a; break;
    case OP_ADD:       v = a + b; break;
    case OP_SUB:       v = a - b; break;
    case OP_MUL:       v = a * b; break;
    case OP_DIV:       v = divide_ints(t, a, b); break;
    case OP_REM:       v = rest_of_ints(t, a, b); break;
    case OP_MAX:       v = less_ints(t, a, b) ? b : a; break;
    case OP_MIN:       v = less_ints(t, b, a) ? b : a; break;
    case OP_AND:       v = a & b; break;
    case OP_OR:        v = a | b; break;
    case OP_XOR:       v = a ^ b; break;
    case OP_SHL:
    case OP_SHR_ARITH:
    case OP_SHR_LOGIC: v = shift_ints(op, t, a, b); break;
    default:           return false;
    }
    *out = v & all_ones(t);
    return true;
}

/* x and y are equal or ordered: NaN was sorted out. Of the two zeros -0 is the smaller. */
static bool less_floats(double x, double y) { return x < y || (x == y && signbit(x) && !signbit(y)); }

static bool evaluate_f64(Op op, double x, double y, double *out)
{
    switch (op) {
    case OP_NEG:    *out = -x; return true;
    case OP_ABS:    *out = fabs(x); return true;
    case OP_SQUARE: *out = x * x; return true;
    case OP_ADD:    *out = x + y; return true;
    case OP_SUB:    *out = x - y; return true;
    case OP_MUL:    *out = x * y; return true;
    case OP_DIV:    *out = x / y; return true;
    case OP_MAX:    *out = less_floats(x, y) ? y : x; return true;
    case OP_MIN:    *out = less_floats(y, x) ? y : x; return true;
    default:        return false;
    }
}

/* f16 and bf16 too: computed in f32, then rounded. A double holds the exact result of one f32 addition or
 * product, or enough of a quotient, that rounding it to f32 gives what f32 arithmetic gives (53 >= 2 * 24 +
 * 2). */
static bool evaluate_float(Op op, DType t, uint64_t a, uint64_t b, uint64_t *out)
{
    double x = scalar_to_double(t, a), y = scalar_to_double(t, b), v = 0;
    if (isnan(x) || isnan(y) || !evaluate_f64(op, x, y, &v) || isnan(v)) return false;
    if (t != WEFT_F64) v = (double)(float)v;
    *out = scalar_from_double(t, v);
    return true;
}

static bool by_direction(CompareDir dir, bool less, bool equal, bool ordered)
{
    switch (dir) {
    case CMP_EQ: return equal;
    case CMP_NE: return !equal;
    case CMP_LT: return less;
    case CMP_LE: return less || equal;
    case CMP_GT: return ordered && !less && !equal;
    default:     return ordered && !less;
    }
}

static bool evaluate_compare(DType t, const int64_t *attr, uint64_t a, uint64_t b, uint64_t *out)
{
    CompareDir dir = (CompareDir)attr[0];
    if (!dtype_is_float(t)) {
        *out = by_direction(dir, less_ints(t, a, b), a == b, true);
        return true;
    }
    if (attr[1] != ORDER_FLOAT) return false;
    double x = scalar_to_double(t, a), y = scalar_to_double(t, b);
    *out = by_direction(dir, x < y, x == y, !isnan(x) && !isnan(y));
    return true;
}

static bool is_nan(DType t, uint64_t a) { return dtype_is_float(t) && isnan(scalar_to_double(t, a)); }

bool evaluate(Op op, DType operand, DType result, const int64_t *attr, const uint64_t *args, uint64_t *out)
{
    switch (op) {
    case OP_SELECT: *out = args[0] ? args[1] : args[2]; return true;
    case OP_CLAMP:  {
        uint64_t low;
        return evaluate(OP_MAX, operand, operand, NULL, (uint64_t[]){ args[1], args[0] }, &low) &&
               evaluate(OP_MIN, operand, operand, NULL, (uint64_t[]){ low, args[2] }, out);
    }
    case OP_COMPARE: return evaluate_compare(operand, attr, args[0], args[1], out);
    case OP_CONVERT:
        if (is_nan(operand, args[0])) return false;
        *out = scalar_convert(result, operand, args[0]);
        return true;
    default: break;
    }
    if (op_info[op].args < 1 || op_info[op].args > 2) return false;
    uint64_t a = args[0], b = op_info[op].args > 1 ? args[1] : args[0];
    if (operand == WEFT_BOOL) return evaluate_bool(op, a, b, out);
    return dtype_is_float(operand) ? evaluate_float(op, operand, a, b, out)
                                   : evaluate_int(op, operand, a, b, out);
}
