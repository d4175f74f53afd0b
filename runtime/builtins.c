/* builtins.c: see builtins.h. */
#include "builtins.h"
#include "weft.h"

/* clang-format off */
#define UNARY(f)   { "weft_" #f, (weft_fn)weft_##f, "weft_array *(weft_array *x)" },
#define BINARY(f)  { "weft_" #f, (weft_fn)weft_##f, "weft_array *(weft_array *x, weft_array *y)" },
#define TERNARY(f) \
    { "weft_" #f, (weft_fn)weft_##f, "weft_array *(weft_array *x, weft_array *y, weft_array *z)" },

const Builtin builtins[] = {
    UNARY(neg) UNARY(abs) UNARY(real) UNARY(imag) UNARY(conj) UNARY(angle)
    UNARY(sign) UNARY(square) UNARY(floor) UNARY(ceil) UNARY(trunc) UNARY(round)
    UNARY(round_away) UNARY(reciprocal) UNARY(sqrt) UNARY(rsqrt) UNARY(cbrt) UNARY(exp) UNARY(exp2)
    UNARY(expm1) UNARY(log) UNARY(log2) UNARY(log10) UNARY(log1p) UNARY(sin) UNARY(cos) UNARY(tan)
    UNARY(asin) UNARY(acos) UNARY(atan) UNARY(sinh) UNARY(cosh) UNARY(tanh) UNARY(asinh) UNARY(acosh)
    UNARY(atanh) UNARY(erf) UNARY(erfc) UNARY(erf_inv) UNARY(lgamma) UNARY(digamma) UNARY(bessel_i1e)
    UNARY(sigmoid) UNARY(log_sigmoid) UNARY(silu) UNARY(gelu) UNARY(gelu_exact) UNARY(softplus) UNARY(relu)
    UNARY(isfinite) UNARY(isinf) UNARY(isposinf) UNARY(isneginf) UNARY(isnan) UNARY(not) UNARY(logical_not)
    UNARY(popcount) UNARY(clz) UNARY(stop_gradient) UNARY(materialize)
    UNARY(sum) UNARY(prod) UNARY(max) UNARY(min) UNARY(any)
    UNARY(all) UNARY(mean) UNARY(var) UNARY(std) UNARY(norm) UNARY(logsumexp) UNARY(argmax) UNARY(argmin)
    UNARY(count_nonzero) UNARY(softmax) UNARY(log_softmax) UNARY(zeros_like) UNARY(ones_like) UNARY(tril)
    UNARY(triu) UNARY(ravel) UNARY(transpose) UNARY(squeeze) UNARY(flip) UNARY(sort) UNARY(argsort)
    UNARY(cumsum) UNARY(cumprod) UNARY(cummax) UNARY(cummin) UNARY(cumlogsumexp)
    UNARY(cholesky) UNARY(eigvalsh) UNARY(eigvals) UNARY(inv) UNARY(det) UNARY(pinv) UNARY(matrix_rank)
    UNARY(matrix_cond) UNARY(expm) UNARY(cov) UNARY(corrcoef) UNARY(roots) UNARY(fft) UNARY(ifft)
    UNARY(rfft) UNARY(irfft) UNARY(fftn) UNARY(ifftn) UNARY(rfftn) UNARY(irfftn) UNARY(fft2) UNARY(ifft2)
    UNARY(rfft2) UNARY(irfft2) UNARY(fftshift) UNARY(ifftshift) UNARY(sinc) UNARY(unwrap) UNARY(median)
    UNARY(average) UNARY(ptp) UNARY(nansum) UNARY(nanprod) UNARY(nanmax) UNARY(nanmin) UNARY(nanmean)
    UNARY(nanvar) UNARY(nanstd) UNARY(nanargmax) UNARY(nanargmin) UNARY(nanmedian) UNARY(gamma) UNARY(i0)
    UNARY(i0e) UNARY(i1) UNARY(i1e) UNARY(j0) UNARY(j1) UNARY(ndtr) UNARY(log_ndtr) UNARY(ndtri) UNARY(entr)
    UNARY(logit) UNARY(expi)
    BINARY(add) BINARY(sub) BINARY(mul) BINARY(div) BINARY(floor_div) BINARY(rem) BINARY(mod) BINARY(pow)
    BINARY(maximum) BINARY(minimum) BINARY(atan2) BINARY(complex) BINARY(hypot) BINARY(logaddexp)
    BINARY(nextafter)
    BINARY(polygamma) BINARY(zeta) BINARY(and) BINARY(or) BINARY(xor) BINARY(shl) BINARY(shr)
    BINARY(shr_arith) BINARY(shr_logic) BINARY(mulhi) BINARY(logical_and) BINARY(logical_or)
    BINARY(logical_xor) BINARY(eq) BINARY(ne) BINARY(lt) BINARY(le) BINARY(gt) BINARY(ge) BINARY(matmul)
    BINARY(dot) BINARY(inner) BINARY(outer) BINARY(sort_by) BINARY(searchsorted)
    BINARY(solve_triangular) BINARY(solve) BINARY(lstsq) BINARY(kron) BINARY(cross) BINARY(polyval)
    BINARY(heaviside) BINARY(beta) BINARY(betaln) BINARY(gammainc) BINARY(gammaincc) BINARY(xlogy)
    BINARY(xlog1py)
    TERNARY(where) TERNARY(clip) TERNARY(lerp) TERNARY(betainc)
    { 0 },
};
/* clang-format on */
