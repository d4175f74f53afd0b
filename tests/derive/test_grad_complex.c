/* test_grad_complex.c: derivatives by complex numbers against JAX's, compiled as op by op; the gradient's two
 * parts against differences; what has none is refused. */
#include <complex.h>
#include <criterion/criterion.h>
#include <string.h>
#include "tests/support/ops_data.h"

/* f, declared, as an expression. */
#define OF(sig, f) (weft_declare(NULL, f, sig), (f))
#define D(f)       weft_grad(NULL, weft_unary, OF(weft_unary, f), "x")
typedef weft_array A;

static A *re_of(A *z) { return weft_real(weft_sum(z)); }
static A *im_of(A *z) { return weft_imag(weft_sum(z)); }
#define LOSS(name, value) \
    static A *name(A *z) { return value; }
LOSS(abs_, weft_sum(weft_mul(weft_abs(z), IN(x))))
LOSS(square_, re_of(weft_mul(weft_mul(z, z), IN(w))))
LOSS(exp_, im_of(weft_mul(weft_exp(z), IN(w))))
LOSS(log_, re_of(weft_mul(weft_log(z), IN(w))))
LOSS(sqrt_, re_of(weft_mul(weft_sqrt(z), IN(w))))
LOSS(div_, re_of(weft_div(IN(w), z)))
LOSS(div_by, im_of(weft_div(z, IN(w))))
LOSS(conj_, re_of(weft_mul(weft_mul(weft_conj(z), IN(w)), z)))
LOSS(angle_, weft_sum(weft_mul(weft_angle(z), IN(x))))
LOSS(parts_, weft_sum(weft_add(weft_mul(weft_real(z), IN(x)), weft_mul(weft_square(weft_imag(z)), IN(y)))))
LOSS(norm_, weft_norm(z))
LOSS(matmul_, re_of(weft_square(weft_matmul(z, IN(a)))))
LOSS(sin_, re_of(weft_mul(weft_sin(z), IN(w))))
LOSS(tanh_, im_of(weft_mul(weft_tanh(z), IN(w))))
LOSS(asin_, re_of(weft_mul(weft_asin(z), IN(w))))
LOSS(atan_, re_of(weft_mul(weft_atan(z), IN(w))))
LOSS(power_, re_of(weft_pow(z, IN(w))))
LOSS(power_of, re_of(weft_pow(IN(w), z)))
LOSS(atan2_, re_of(weft_atan2(z, IN(w))))
LOSS(prod_, weft_real(weft_prod(weft_at(z, "0"))))
LOSS(cumsum_, re_of(weft_square(weft_cumsum(z, 1))))
LOSS(where_, re_of(weft_where(IN(m), weft_mul(z, IN(w)), weft_mul(z, z))))
LOSS(scatter_, re_of(weft_square(weft_scatter(IN(w), IN(idx), 0, weft_mul(z, z), .with = WEFT_ADD))))
LOSS(sort_, re_of(weft_mul(weft_sort(z, 1), IN(w))))
LOSS(recip_, re_of(weft_reciprocal(weft_mul(z, z))))
LOSS(log1p_, re_of(weft_mul(weft_log1p(z), IN(w))))
LOSS(cumprod_, re_of(weft_cumprod(z, 1)))
LOSS(max_, weft_abs(weft_max(z)))
LOSS(of_real, re_of(weft_mul(weft_exp(weft_mul(z, IN(v))), IN(w))))
LOSS(make_, im_of(weft_mul(weft_square(weft_complex(z, weft_mul(z, z))), IN(w))))
static A *times_w(A *z) { return weft_mul(z, IN(w)); }
static A *sine(A *v) { return weft_mul(weft_sin(v), weft_flip(v, "0")); }

WEFT_SIGNATURE(two_fn, weft_array *, (weft_array * z, weft_array *ct, WEFT_OUT weft_array **d));
static A *vjp_mul(void)
{
    A *d = NULL;
    weft_vjp(NULL, two_fn, OF(weft_unary, times_w), "x")(IN(z), weft_broadcast_to(IN(v), 3, 4), &d);
    return d;
}
static A *jvp_of(weft_unary *f)
{
    A *d = NULL;
    weft_jvp(NULL, two_fn, OF(weft_unary, f), "x")(IN(z), IN(w), &d);
    return d;
}
static A *exp_of(A *z) { return weft_exp(z); }
static A *abs_of(A *z) { return weft_abs(z); }

WEFT_SIGNATURE(step_fn, weft_array *, (weft_array * c, weft_array *z, WEFT_OUT weft_array **y));
static A *step(A *c, A *z, A **y)
{
    *y = weft_mul(c, c);
    return weft_add(weft_mul(c, z), 1);
}

static A *scanned(A *z)
{
    A *ys = NULL;
    weft_scan(NULL, OF(step_fn, step), "carry, 0")(weft_at(z, "0"), z, &ys);
    return re_of(ys);
}

/* clang-format off */
#define ROWS(R) \
    R(grad_abs, 1e-6, D(abs_)(IN(z))) R(grad_square, 2e-6, D(square_)(IN(z))) \
    R(grad_exp, 2e-6, D(exp_)(IN(z))) R(grad_log, 2e-6, D(log_)(IN(z))) R(grad_sqrt, 2e-6, D(sqrt_)(IN(z))) \
    R(grad_div, 4e-6, D(div_)(IN(z))) R(grad_div_by, 2e-6, D(div_by)(IN(z))) \
    R(grad_conj, 2e-6, D(conj_)(IN(z))) R(grad_angle, 2e-6, D(angle_)(IN(z))) \
    R(grad_parts, 1e-6, D(parts_)(IN(z))) R(grad_norm, 1e-6, D(norm_)(IN(z))) \
    R(grad_matmul, 8e-6, D(matmul_)(IN(z))) R(grad_sin, 4e-6, D(sin_)(IN(z))) \
    R(grad_tanh, 1e-5, D(tanh_)(IN(z))) R(grad_asin, 4e-6, D(asin_)(IN(z))) \
    R(grad_atan, 4e-6, D(atan_)(IN(z))) R(grad_power, 1e-5, D(power_)(IN(z))) \
    R(grad_power_of, 1e-5, D(power_of)(IN(z))) R(grad_atan2, 1e-5, D(atan2_)(IN(z))) \
    R(grad_prod, 4e-6, D(prod_)(IN(z))) \
    R(grad_cumsum, 4e-6, D(cumsum_)(IN(z))) R(grad_where, 2e-6, D(where_)(IN(z))) \
    R(grad_scatter, 1e-5, D(scatter_)(IN(z))) R(grad_sort, 1e-6, D(sort_)(IN(z))) \
    R(grad_recip, 1e-5, D(recip_)(IN(z))) R(grad_log1p, 2e-6, D(log1p_)(IN(z))) \
    R(grad_cumprod, 8e-6, D(cumprod_)(IN(z))) R(grad_max, 1e-6, D(max_)(IN(z))) \
    R(grad_of_real, 4e-6, D(of_real)(IN(x))) R(grad_make, 4e-6, D(make_)(IN(x))) \
    R(grad_scan, 1e-5, D(scanned)(IN(z))) \
    R(vjp_mul, 1e-6, vjp_mul()) R(jvp_exp, 2e-6, jvp_of(exp_of)) R(jvp_abs, 1e-6, jvp_of(abs_of)) \
    R(jac_forward, 2e-6, weft_jacfwd(NULL, weft_unary, OF(weft_unary, sine), "x")(IN(v))) \
    R(jac_reverse, 2e-6, weft_jacrev(NULL, weft_unary, OF(weft_unary, sine), "x")(IN(v)))
/* clang-format on */
OPS_SUITE_OF("tests/data/complex.txt", grad_complex, ROWS)

/* The gradient is df/dx - i df/dy: both parts from differences. */
static A *several(A *z)
{
    A *y = weft_mul(weft_log(weft_add(weft_mul(z, z), 2 + 1 * I)), weft_tan(weft_mul(0.3, z)));
    return weft_add(weft_sum(weft_abs(y)), weft_real(weft_sum(weft_acosh(weft_sub(z, 2 * I)))));
}

Test(grad_complex, is_what_differences_say)
{
    weft_context *ctx = weft_open(NULL);
    double _Complex z[] = { 0.3 + 0.7 * I, -1.1 + 0.2 * I, 0.9 - 1.4 * I, -0.4 - 0.8 * I };
    weft_declare(ctx, several, weft_unary);
    A *d = weft_grad(ctx, weft_unary, several, "x")(weft_from(ctx, z, 4));
    cr_assert(d, "%s", weft_error(ctx));
    const double h = 1e-6;
    for (int i = 0; i < 4; i++) {
        double slope[2];
        for (int part = 0; part < 2; part++) {
            double f[2];
            for (int side = 0; side < 2; side++) {
                double _Complex at[4];
                memcpy(at, z, sizeof at);
                at[i] += (side ? h : -h) * (part ? I : 1);
                f[side] = weft_item(several(weft_from(ctx, at, 4)));
            }
            slope[part] = (f[1] - f[0]) / (2 * h);
        }
        cr_expect_float_eq(creal(weft_c128(d)[i]), slope[0], 1e-7);
        cr_expect_float_eq(cimag(weft_c128(d)[i]), -slope[1], 1e-7);
    }
    weft_close(ctx);
}

static void expect_error(weft_context *ctx, const A *got, const char *part)
{
    cr_expect_null(got);
    cr_expect(weft_error(ctx) && strstr(weft_error(ctx), part), "%s", weft_error(ctx));
    weft_clear(ctx);
}

static A *total(A *z) { return weft_sum(z); }
static A *sizes(A *z) { return weft_abs(z); }
static A *turned(A *x) { return weft_mul(x, I); }

Test(grad_complex, is_refused_where_there_is_none)
{
    weft_context *ctx = weft_open(NULL);
    A *z = weft_full(ctx, WEFT_C64, 1 + 2 * I, 3), *x = weft_ones(ctx, WEFT_F32, 3);
    expect_error(ctx, D(total)(z), "requires real-valued outputs, but result");
    expect_error(ctx, weft_jacfwd(ctx, weft_unary, OF(weft_unary, sizes), "x")(z), "holomorphic");
    expect_error(ctx, weft_jacrev(ctx, weft_unary, OF(weft_unary, turned), "x")(x), "holomorphic");
    expect_error(ctx, weft_hessian(ctx, weft_unary, OF(weft_unary, norm_), "x")(z), "holomorphic");
    weft_close(ctx);
}
