/* builtins.c: see builtins.h. */
#include "builtins.h"
#include "weft/ops.h"

#define UNARY(f)   { #f, (weft_fn)f, "weft_array *(weft_array *x)" }
#define BINARY(f)  { #f, (weft_fn)f, "weft_array *(weft_array *x, weft_array *y)" }
#define TERNARY(f) { #f, (weft_fn)f, "weft_array *(weft_array *x, weft_array *y, weft_array *z)" }

/* clang-format off */
const Builtin builtins[] = {
    UNARY(weft_neg),           UNARY(weft_abs),          UNARY(weft_sign),          UNARY(weft_square),
    UNARY(weft_floor),         UNARY(weft_ceil),         UNARY(weft_trunc),         UNARY(weft_round),
    UNARY(weft_round_away),    UNARY(weft_reciprocal),   UNARY(weft_sqrt),          UNARY(weft_rsqrt),
    UNARY(weft_cbrt),          UNARY(weft_exp),          UNARY(weft_exp2),          UNARY(weft_expm1),
    UNARY(weft_log),           UNARY(weft_log2),         UNARY(weft_log10),         UNARY(weft_log1p),
    UNARY(weft_sin),           UNARY(weft_cos),          UNARY(weft_tan),           UNARY(weft_asin),
    UNARY(weft_acos),          UNARY(weft_atan),         UNARY(weft_sinh),          UNARY(weft_cosh),
    UNARY(weft_tanh),          UNARY(weft_asinh),        UNARY(weft_acosh),         UNARY(weft_atanh),
    UNARY(weft_erf),           UNARY(weft_erfc),         UNARY(weft_erf_inv),       UNARY(weft_lgamma),
    UNARY(weft_digamma),       UNARY(weft_bessel_i1e),   UNARY(weft_sigmoid),       UNARY(weft_log_sigmoid),
    UNARY(weft_silu),          UNARY(weft_gelu),         UNARY(weft_gelu_exact),    UNARY(weft_softplus),
    UNARY(weft_relu),          UNARY(weft_isfinite),     UNARY(weft_isinf),         UNARY(weft_isposinf),
    UNARY(weft_isneginf),      UNARY(weft_isnan),        UNARY(weft_not),           UNARY(weft_logical_not),
    UNARY(weft_popcount),      UNARY(weft_clz),          UNARY(weft_stop_gradient), UNARY(weft_sum),
    UNARY(weft_prod),          UNARY(weft_max),          UNARY(weft_min),           UNARY(weft_any),
    UNARY(weft_all),           UNARY(weft_mean),         UNARY(weft_var),           UNARY(weft_std),
    UNARY(weft_norm),          UNARY(weft_logsumexp),    UNARY(weft_argmax),        UNARY(weft_argmin),
    UNARY(weft_count_nonzero), UNARY(weft_softmax),      UNARY(weft_log_softmax),   UNARY(weft_zeros_like),
    UNARY(weft_ones_like),     UNARY(weft_tril),         UNARY(weft_triu),          UNARY(weft_ravel),
    UNARY(weft_transpose),     UNARY(weft_squeeze),      UNARY(weft_flip),          UNARY(weft_sort),
    UNARY(weft_argsort),       UNARY(weft_cumsum),       UNARY(weft_cumprod),       UNARY(weft_cummax),
    UNARY(weft_cummin),        UNARY(weft_cumlogsumexp), BINARY(weft_add),          BINARY(weft_sub),
    BINARY(weft_mul),          BINARY(weft_div),         BINARY(weft_floor_div),    BINARY(weft_rem),
    BINARY(weft_mod),          BINARY(weft_pow),         BINARY(weft_maximum),      BINARY(weft_minimum),
    BINARY(weft_atan2),        BINARY(weft_hypot),       BINARY(weft_logaddexp),    BINARY(weft_nextafter),
    BINARY(weft_polygamma),    BINARY(weft_zeta),        BINARY(weft_and),          BINARY(weft_or),
    BINARY(weft_xor),          BINARY(weft_shl),         BINARY(weft_shr),          BINARY(weft_shr_arith),
    BINARY(weft_shr_logic),    BINARY(weft_mulhi),       BINARY(weft_logical_and),  BINARY(weft_logical_or),
    BINARY(weft_logical_xor),  BINARY(weft_eq),          BINARY(weft_ne),           BINARY(weft_lt),
    BINARY(weft_le),           BINARY(weft_gt),          BINARY(weft_ge),           BINARY(weft_matmul),
    BINARY(weft_dot),          BINARY(weft_inner),       BINARY(weft_outer),        BINARY(weft_sort_by),
    BINARY(weft_searchsorted), TERNARY(weft_where),      TERNARY(weft_clip),        { 0 },
};
/* clang-format on */
