/* test_ops_reduce.c: reductions with all their options, and softmax, against JAX. */
#include <criterion/criterion.h>
#include <math.h>
#include "tests/support/ops_data.h"

#define FOLD(R, op, tolerance) \
    R(op, tolerance, weft_##op(IN(x))) \
    R(op##_0, tolerance, weft_##op(IN(t), .axes = "0")) \
    R(op##_keep, tolerance, weft_##op(IN(t), .axes = "-1,0", .keep = true)) \
    R(op##_i32, tolerance, weft_##op(IN(small), .axes = "1")) \
    R(op##_f16, tolerance, weft_##op(IN(h), .axes = "-1")) \
    R(op##_nan, tolerance, weft_##op(IN(ties), .axes = "1")) \
    R(op##_scalar, tolerance, weft_##op(IN(s))) \
    R(op##_where, tolerance, weft_##op(IN(x), .axes = "1", .where = IN(m))) \
    R(op##_where4, tolerance, weft_##op(IN(x), .where = IN(m4), .keep = true))

/* clang-format off */
#define FOLDS(R) \
    FOLD(R, sum, 1e-6) FOLD(R, prod, 1e-6) FOLD(R, max, 0) FOLD(R, min, 0) FOLD(R, mean, 1e-6) \
    FOLD(R, var, 2e-6) FOLD(R, std, 2e-6) R(sum_empty, 0, weft_sum(IN(e0), .axes = "0")) \
    R(prod_empty, 0, weft_prod(IN(e0), .axes = "0")) \
    R(mean_empty, 0, weft_mean(IN(e0), .axes = "0")) \
    R(sum_i8, 0, weft_sum(IN(a8))) R(sum_u8, 0, weft_sum(IN(u8), .axes = "0")) \
    R(sum_bool, 0, weft_sum(IN(m), .axes = "1")) R(sum_big16, 0, weft_sum(IN(big16))) \
    R(sum_none, 0, weft_sum(IN(x), .axes = "")) R(sum_bf16, 0, weft_sum(IN(b), .axes = "0")) \
    R(prod_i8, 0, weft_prod(IN(b8))) R(max_bool, 0, weft_max(IN(m), .axes = "0")) \
    R(min_u8, 0, weft_min(IN(u8), .axes = "1")) R(max_i8, 0, weft_max(IN(a8), .axes = "0")) \
    R(max_empty_ok, 0, weft_max(IN(e0), .axes = "1")) \
    R(mean_big16, 0, weft_mean(IN(big16))) R(mean_bool, 0, weft_mean(IN(m), .axes = "1")) \
    R(mean_u8, 1e-6, weft_mean(IN(u8))) \
    R(mean_f64, 1e-15, weft_mean(IN(d), .axes = "0")) \
    R(sum_i64, 0, weft_sum(IN(k64), .axes = "1")) R(max_i64, 0, weft_max(IN(k64))) \
    R(var_f64, 1e-14, weft_var(IN(d), .axes = "1")) R(any, 0, weft_any(IN(m), .axes = "1")) \
    R(any_f, 0, weft_any(weft_ne(IN(special), IN(special)))) \
    R(all, 0, weft_all(IN(m), .axes = "0")) R(all_i, 0, weft_all(IN(small), .axes = "1")) \
    R(any_where, 0, weft_any(IN(m), .axes = "1", .where = IN(n))) \
    R(all_where, 0, weft_all(IN(m), .axes = "1", .where = IN(n))) \
    R(var_ddof, 2e-6, weft_var(IN(x), .axes = "0", .ddof = 1)) \
    R(std_ddof, 2e-6, weft_std(IN(t), .axes = "1,2", .ddof = 2)) \
    R(var_ddof_all, 0, weft_var(IN(c3), .axes = "1", .ddof = 1)) \
    R(var_where_ddof, 2e-6, weft_var(IN(x), .axes = "1", .where = IN(m), .ddof = 1))
/* clang-format on */

/* clang-format off */
#define NORMS(R) \
    R(norm, 1e-6, weft_norm(IN(x))) \
    R(norm_axis, 1e-6, weft_norm(IN(x), .axes = "1")) \
    R(norm_1, 1e-6, weft_norm(IN(x), .axes = "0", .ord = 1)) \
    R(norm_inf, 0, weft_norm(IN(x), .axes = "1", .ord = INFINITY, .keep = true)) \
    R(norm_ninf, 0, weft_norm(IN(x), .axes = "1", .ord = -INFINITY)) \
    R(norm_3, 2e-6, weft_norm(IN(x), .axes = "1", .ord = 3)) \
    R(norm_i32, 1e-6, weft_norm(IN(small), .axes = "1")) \
    R(norm_all3, 1e-6, weft_norm(IN(t)))
/* clang-format on */

/* clang-format off */
#define POSITIONS(R) \
    R(argmax, 0, weft_argmax(IN(x))) R(argmax_1, 0, weft_argmax(IN(x), .axes = "1")) \
    R(argmax_ties, 0, weft_argmax(IN(ties), .axes = "1")) \
    R(argmin_ties, 0, weft_argmin(IN(ties), .axes = "1")) \
    R(argmin_0, 0, weft_argmin(IN(t), .axes = "0")) \
    R(argmax_keep, 0, weft_argmax(IN(t), .axes = "-1", .keep = true)) \
    R(argmin_keep_all, 0, weft_argmin(IN(x), .keep = true)) \
    R(argmax_bool, 0, weft_argmax(IN(m), .axes = "0")) \
    R(argmin_u8, 0, weft_argmin(IN(u8))) \
    R(count_nonzero, 0, weft_count_nonzero(IN(small), .axes = "1")) \
    R(count_nonzero_all, 0, weft_count_nonzero(IN(special)))
/* clang-format on */

/* clang-format off */
#define EXPONENTIALS(R) \
    R(logsumexp, 1e-6, weft_logsumexp(IN(x))) \
    R(logsumexp_1, 1e-6, weft_logsumexp(IN(t), .axes = "1", .keep = true)) \
    R(logsumexp_infs, 1e-6, weft_logsumexp(IN(infs), .axes = "1")) \
    R(logsumexp_where, 1e-6, weft_logsumexp(IN(x), .axes = "1", .where = IN(m))) \
    R(logsumexp_i32, 1e-6, weft_logsumexp(IN(small), .axes = "0")) \
    R(logsumexp_f64, 1e-14, weft_logsumexp(IN(d), .axes = "1")) \
    R(softmax, 1e-6, weft_softmax(IN(x))) \
    R(softmax_0, 1e-6, weft_softmax(IN(t), .axes = "0")) \
    R(softmax_two, 1e-6, weft_softmax(IN(t), .axes = "0,2")) \
    R(softmax_infs, 1e-6, weft_softmax(IN(infs))) \
    R(softmax_where, 1e-6, weft_softmax(IN(x), .where = IN(m))) \
    R(softmax_f16, 1e-3, weft_softmax(IN(h))) R(softmax_i32, 1e-6, weft_softmax(IN(small))) \
    R(softmax_f64, 1e-14, weft_softmax(IN(d))) R(log_softmax, 1e-6, weft_log_softmax(IN(x))) \
    R(log_softmax_0, 1e-6, weft_log_softmax(IN(t), .axes = "0")) \
    R(log_softmax_infs, 1e-6, weft_log_softmax(IN(infs))) \
    R(log_softmax_where, 1e-6, weft_log_softmax(IN(x), .where = IN(m)))
/* clang-format on */

#define ROWS(R) FOLDS(R) NORMS(R) POSITIONS(R) EXPONENTIALS(R)
OPS_SUITE(ops_reduce, ROWS)
