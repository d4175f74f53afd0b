/* test_ops_elementwise.c: every elementwise op, promotion and weak numbers, against JAX. */
#include <criterion/criterion.h>
#include "tests/support/ops_data.h"

#define AS_F16(x) weft_astype(IN(x), WEFT_F16)
/* A float op: on f32, f16, and ints, which become f32 (or stay). */
#define FLOATS(R, op, x, tolerance) \
    R(op, tolerance, weft_##op(IN(x))) \
    R(op##_f16, tolerance, weft_##op(AS_F16(x))) \
    R(op##_i32, tolerance, weft_##op(IN(small)))
#define SPECIALS(R, op, x, tolerance) \
    FLOATS(R, op, x, tolerance) \
    R(op##_special, tolerance, weft_##op(IN(special)))

/* clang-format off */
#define ONE_OPERAND(R) \
    SPECIALS(R, sqrt, pos, 2e-7) SPECIALS(R, rsqrt, pos, 1e-6) SPECIALS(R, cbrt, x, 1e-6) \
    SPECIALS(R, exp, x, 1e-6) R(exp2, 1e-6, weft_exp2(IN(x))) R(exp2_i32, 1e-6, weft_exp2(IN(small))) \
    R(exp2_special, 1e-6, weft_exp2(IN(special))) R(exp2_f16, 2e-3, weft_exp2(AS_F16(x))) \
    /* JAX rounds x log 2 to f16 */ SPECIALS(R, expm1, x, 1e-6) SPECIALS(R, log, pos, 1e-6) \
    SPECIALS(R, log2, pos, 1e-6) SPECIALS(R, log10, pos, 1e-6) SPECIALS(R, log1p, pos, 1e-6) \
    SPECIALS(R, sin, x, 1e-6) SPECIALS(R, cos, x, 1e-6) SPECIALS(R, tan, unit, 4e-6) \
    SPECIALS(R, asin, unit, 1e-6) SPECIALS(R, acos, unit, 1e-6) SPECIALS(R, atan, x, 1e-6) \
    SPECIALS(R, sinh, x, 2e-6) SPECIALS(R, cosh, x, 2e-6) SPECIALS(R, tanh, x, 1e-6) \
    SPECIALS(R, asinh, x, 1e-6) SPECIALS(R, acosh, above, 1e-6) SPECIALS(R, atanh, unit, 2e-6) \
    SPECIALS(R, erf, x, 1e-6) SPECIALS(R, erfc, x, 1e-6) SPECIALS(R, erf_inv, unit, 4e-6) \
    FLOATS(R, lgamma, above, 4e-6) FLOATS(R, digamma, above, 4e-6) SPECIALS(R, bessel_i1e, x, 2e-6) \
    SPECIALS(R, sigmoid, x, 1e-6) SPECIALS(R, log_sigmoid, x, 1e-6) SPECIALS(R, silu, x, 1e-6) \
    SPECIALS(R, gelu, x, 1e-6) SPECIALS(R, gelu_exact, x, 1e-6) SPECIALS(R, softplus, x, 1e-6) \
    SPECIALS(R, reciprocal, pos, 0) SPECIALS(R, floor, x, 0) SPECIALS(R, ceil, x, 0) \
    SPECIALS(R, trunc, x, 0) SPECIALS(R, round, x, 0) SPECIALS(R, abs, x, 0) SPECIALS(R, neg, x, 0) \
    SPECIALS(R, sign, x, 0) SPECIALS(R, square, x, 0) SPECIALS(R, relu, x, 0) \
    R(round_away, 0, weft_round_away(IN(special))) R(isfinite, 0, weft_isfinite(IN(special))) \
    R(isinf, 0, weft_isinf(IN(special))) R(isposinf, 0, weft_isposinf(IN(special))) \
    R(isneginf, 0, weft_isneginf(IN(special))) R(isnan, 0, weft_isnan(IN(special))) \
    R(isfinite_i32, 0, weft_isfinite(IN(i))) R(isinf_i32, 0, weft_isinf(IN(i))) \
    R(isposinf_i32, 0, weft_isposinf(IN(i))) R(isneginf_i32, 0, weft_isneginf(IN(i))) \
    R(isnan_i32, 0, weft_isnan(IN(i))) R(abs_u8, 0, weft_abs(IN(u8))) R(abs_i8, 0, weft_abs(IN(a8))) \
    R(sign_u8, 0, weft_sign(IN(u8))) R(sign_i8, 0, weft_sign(IN(a8))) R(floor_bool, 0, weft_floor(IN(m))) \
    R(neg_u32, 0, weft_neg(IN(u32))) R(exp_bf16, 0, weft_exp(IN(b))) R(tanh_bf16, 0, weft_tanh(IN(b))) \
    R(exp_bool, 1e-6, weft_exp(IN(m))) R(exp_number, 1e-6, weft_exp(1.5)) R(exp_int, 1e-6, weft_exp(2)) \
    R(not_i32, 0, weft_not(IN(i))) R(not_bool, 0, weft_not(IN(m))) R(not_u8, 0, weft_not(IN(u8))) \
    R(logical_not, 0, weft_logical_not(IN(special))) \
    R(logical_not_bool, 0, weft_logical_not(IN(m))) R(popcount, 0, weft_popcount(IN(i))) \
    R(popcount_u8, 0, weft_popcount(IN(u8))) R(clz, 0, weft_clz(IN(i))) R(clz_i8, 0, weft_clz(IN(a8))) \
    R(relu_int, 0, weft_relu(IN(i))) R(square_i8, 0, weft_square(IN(a8)))
/* clang-format on */

/* The special values against each other: [19, 1] and [19]. */
#define COLUMN weft_expand_dims(IN(special), -1)
#define TWO(R, name, op, tolerance) \
    R(name, tolerance, weft_##op(IN(x), IN(y))) \
    R(name##_broadcast, tolerance, weft_##op(IN(c3), IN(v4))) \
    R(name##_f16, tolerance, weft_##op(IN(h), IN(g))) \
    R(name##_special, tolerance, weft_##op(COLUMN, IN(special)))
#define TWO_INTS(R, name, op, tolerance) \
    TWO(R, name, op, tolerance) \
    R(name##_i32, tolerance, weft_##op(IN(i), IN(j))) \
    R(name##_u8, tolerance, weft_##op(IN(u8), weft_or(weft_flip(IN(u8), "0"), 1)))
#define COMPARE(R, op) \
    R(op, 0, weft_##op(IN(small), IN(j))) \
    R(op##_special, 0, weft_##op(COLUMN, IN(special))) R(op##_u32, 0, weft_##op(IN(u32), 128))

/* clang-format off */
#define TWO_OPERANDS(R) \
    TWO_INTS(R, add, add, 0) TWO_INTS(R, multiply, mul, 0) TWO_INTS(R, subtract, sub, 0) \
    TWO_INTS(R, divide, div, 2e-7) TWO_INTS(R, maximum, maximum, 0) TWO_INTS(R, minimum, minimum, 0) \
    TWO_INTS(R, mod, mod, 1e-6) TWO_INTS(R, floor_divide, floor_div, 2e-7) TWO_INTS(R, fmod, rem, 1e-6) \
    TWO(R, arctan2, atan2, 1e-6) TWO(R, hypot, hypot, 1e-6) TWO(R, logaddexp, logaddexp, 1e-6) \
    COMPARE(R, eq) COMPARE(R, ne) COMPARE(R, lt) COMPARE(R, le) COMPARE(R, gt) COMPARE(R, ge) \
    R(nextafter, 0, weft_nextafter(IN(special), 0)) \
    R(polygamma, 1e-4, weft_polygamma(2, IN(above))) \
    R(zeta, 1e-4, weft_zeta(IN(above), IN(pos))) R(and_i32, 0, weft_and(IN(i), IN(j))) \
    R(or_i32, 0, weft_or(IN(i), IN(j))) R(xor_i32, 0, weft_xor(IN(i), IN(j))) \
    R(and_bool, 0, weft_and(IN(m), IN(n))) R(or_bool, 0, weft_or(IN(m), IN(n))) \
    R(xor_bool, 0, weft_xor(IN(m), IN(n))) R(shl, 0, weft_shl(IN(i), IN(shift))) \
    R(shr, 0, weft_shr(IN(i), IN(shift))) \
    R(shr_u32, 0, weft_shr(IN(u32), weft_astype(IN(shift), WEFT_U32))) \
    R(shr_logic, 0, weft_shr_logic(IN(i), IN(shift))) \
    R(shr_arith_u32, 0, weft_shr_arith(IN(u32), weft_astype(IN(shift), WEFT_U32))) \
    R(mulhi, 0, weft_mulhi(IN(i), IN(j))) \
    R(logical_and, 0, weft_logical_and(weft_gt(IN(x), 0), IN(small))) \
    R(logical_or, 0, weft_logical_or(IN(small), IN(j))) \
    R(logical_xor, 0, weft_logical_xor(IN(m), IN(small)))
/* clang-format on */

/* clang-format off */
#define POWERS(R) \
    R(pow_f32, 4e-6, weft_pow(IN(pos), IN(y))) R(pow_sq, 0, weft_pow(IN(x), 2)) \
    R(pow_cube, 1e-6, weft_pow(IN(x), 3)) R(pow_13, 2e-6, weft_pow(IN(x), 13)) \
    R(pow_neg2, 1e-6, weft_pow(IN(pos), -2)) R(pow_0, 0, weft_pow(IN(x), 0)) \
    R(pow_half, 1e-6, weft_pow(IN(pos), 0.5)) R(pow_ii, 0, weft_pow(IN(j), IN(small))) \
    R(pow_i3, 0, weft_pow(IN(small), 3)) R(pow_base, 2e-6, weft_pow(2.0, IN(x))) \
    R(pow_f16, 2e-3, weft_pow(IN(h), 3)) R(pow_f64, 1e-14, weft_pow(IN(d), 3))
/* clang-format on */

/* clang-format off */
#define PROMOTION(R) \
    R(add_bool, 0, weft_add(IN(m), IN(n))) R(mul_bool, 0, weft_mul(IN(m), IN(n))) \
    R(add_i32_f16, 0, weft_add(IN(small), IN(h))) R(add_bf16_f16, 0, weft_add(IN(b), IN(h))) \
    R(add_bool_f32, 0, weft_add(IN(m), IN(x))) R(add_u8_i8, 0, weft_add(IN(u8), IN(a8))) \
    R(add_rank0, 0, weft_add(IN(x), IN(s))) R(add_3d, 0, weft_add(IN(t), IN(x))) \
    R(add_i8_wrap, 0, weft_add(IN(a8), IN(b8))) R(mul_u32, 0, weft_mul(IN(u32), IN(u32))) \
    R(add_u32_i32_types, 0, weft_add(weft_astype(IN(u16), WEFT_U8), IN(b8))) \
    R(number_i32_half, 0, weft_mul(IN(small), 0.5)) R(number_f16, 0, weft_mul(IN(h), 2.0)) \
    R(number_bool, 0, weft_add(IN(m), 1)) \
    R(number_i8, 0, weft_add(weft_shr(IN(a8), 1), 1)) \
    R(number_left, 0, weft_sub(1, IN(x))) R(number_int_f32, 0, weft_mul(IN(x), 3)) \
    R(number_true, 0, weft_logical_or(IN(m), (bool)true)) \
    R(number_f32_div, 1e-7, weft_div(1, IN(pos))) R(number_bf16, 0, weft_add(IN(b), 0.1)) \
    R(number_bool_f, 0, weft_mul(IN(m), 0.5f)) R(number_cmp, 0, weft_gt(IN(x), 0L)) \
    R(number_max_nan, 0, weft_maximum(IN(special), 0)) \
    R(div_i32, 1e-7, weft_div(IN(small), IN(j))) \
    R(div_bool, 0, weft_div(IN(m), weft_or(IN(n), (bool)true))) \
    R(mod_py, 0, weft_mod(IN(i), 7)) R(mod_neg, 1e-6, weft_mod(IN(x), -1.5)) \
    R(rem_zero, 0, weft_rem(IN(small), 0)) R(number_f64, 1e-16, weft_mul(IN(d), 0.1)) \
    R(add_f64_f32, 0, weft_add(IN(d), IN(x))) R(add_i64_i32, 0, weft_add(IN(k64), IN(i))) \
    R(add_u32_i32, 0, weft_add(IN(u32), IN(i))) R(add_f64_bf16, 0, weft_add(IN(d), IN(b))) \
    R(floor_div_i64, 0, weft_floor_div(IN(k64), 7)) R(exp_f64, 1e-14, weft_exp(IN(d))) \
    R(tanh_f64, 1e-14, weft_tanh(IN(d))) R(erf_f64, 1e-14, weft_erf(IN(d))) \
    R(gelu_f64, 1e-14, weft_gelu(IN(d))) \
    R(log1p_f64, 1e-14, weft_log1p(weft_abs(IN(d))))
/* clang-format on */

/* clang-format off */
#define CHOICE(R) \
    R(where, 0, weft_where(IN(m), IN(x), IN(y))) R(where_number, 0, weft_where(IN(m), IN(x), 0)) \
    R(where_broadcast, 0, weft_where(IN(m4), IN(c3), 1.5)) \
    R(where_int, 0, weft_where(IN(small), IN(small), -1)) \
    R(where_promote, 0, weft_where(IN(m), IN(h), IN(x))) \
    R(where_i64, 0, weft_where(IN(m), IN(k64), 5)) R(clip, 0, weft_clip(IN(x), -1, 1)) \
    R(clip_i32, 0, weft_clip(IN(i), -5, 5)) \
    R(clip_array, 0, weft_clip(IN(x), weft_neg(IN(pos)), IN(v4))) \
    R(clip_f, 0, weft_clip(IN(small), 0.5, 2.5)) \
    R(clip_special, 0, weft_clip(IN(special), -2, 2))
/* clang-format on */

/* clang-format off */
#define TYPES(R) \
    R(astype_i32, 0, weft_astype(IN(special), WEFT_I32)) \
    R(astype_bool, 0, weft_astype(IN(special), WEFT_BOOL)) \
    R(astype_f16, 0, weft_astype(IN(x), WEFT_F16)) \
    R(astype_bf16, 0, weft_astype(IN(x), WEFT_BF16)) \
    R(astype_u8, 0, weft_astype(IN(i), WEFT_U8)) \
    R(astype_i8_f32, 0, weft_astype(IN(a8), WEFT_F32)) \
    R(astype_back, 0, weft_astype(IN(b), WEFT_F32)) R(astype_number, 0, weft_astype(2.9, WEFT_I32)) \
    R(astype_i64_f64, 0, weft_astype(IN(k64), WEFT_F64)) \
    R(bitcast_i32, 0, weft_bitcast(IN(x), WEFT_I32)) \
    R(bitcast_u8, 0, weft_bitcast(IN(x), WEFT_U8)) \
    R(bitcast_wide, 0, weft_bitcast(IN(u8), WEFT_U32)) \
    R(reduce_precision, 0, weft_reduce_precision(IN(x), 8, 7)) \
    R(reduce_precision_small, 0, weft_reduce_precision(IN(special), 5, 10))
/* clang-format on */

#define ROWS(R) ONE_OPERAND(R) TWO_OPERANDS(R) POWERS(R) PROMOTION(R) CHOICE(R) TYPES(R)
OPS_SUITE(ops_elementwise, ROWS)
