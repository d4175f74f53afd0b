/* test_hpp.cpp: weft.hpp: formulas with operators are the ops they stand for, traced and run at once;
 * messages name the line; C numbers keep C's functions. Returns how many checks failed. */
#include "weft.hpp"
#include <cmath>
#include <cstdio>
#include <cstring>

using weft::array;

static int failures;
#define CHECK(yes) \
    do { \
        if (!(yes)) failures++, std::printf("%s:%d: %s\n", __FILE__, __LINE__, #yes); \
    } while (0)

static bool same(array a, array b) { return a.get() && b.get() && weft_item(all(a == b)) == 1; }

static weft_array *gelu(weft_array *input)
{
    array x = input;
    return 0.5 * x * (1 + erf(x / std::sqrt(2.0)));
}

static void operators(weft_context *ctx)
{
    array x = weft_linspace(ctx, -2, 2, 9), y = weft_linspace(ctx, 1, 3, 9);
    CHECK(same(x + y, weft_add(x, y)));
    CHECK(same(x - 1, weft_sub(x, 1)));
    CHECK(same(0 + x, x));
    CHECK(same(2.5 * x, weft_mul(2.5, x)));
    CHECK(same(1 / y, weft_div(1, y)));
    CHECK(same(x % 2, weft_mod(x, 2)));
    CHECK(same(-x, weft_neg(x)));
    CHECK(same((x > 0) && !(y < 2), weft_logical_and(weft_gt(x, 0), weft_ge(y, 2))));
    CHECK(same(where(x >= 0, sqrt(abs(x)), -1), weft_where(weft_ge(x, 0), weft_sqrt(weft_abs(x)), -1)));
    CHECK(same(x + weft_neg(y), x - y));
    CHECK(same(weft_neg(y) + x, x - y));
    array z = x;
    z += 1;
    z *= y;
    z -= x;
    z /= 2;
    CHECK(same(z, ((x + 1) * y - x) / 2));
    CHECK(same(astype(x, WEFT_I32) & 3, weft_and(weft_astype(x, WEFT_I32), 3)));
    CHECK(same(poly(x, { 1, -2.5, x, 0.25 }), 1 + x * (-2.5 + x * (x + x * 0.25))));
}

/* Each operator beside each kind of operand, on both sides and changing. */
#define BOTH(sign, op) CHECK(same(x sign n, op(x, n)) && same(n sign x, op(n, x)))
#define CHANGED(sign, op) \
    do { \
        array z = x; \
        CHECK(same(z sign## = n, op(x, n)) && same(z, op(x, n))); \
        BOTH(sign, op); \
    } while (0)
template <class N> static void beside_complex(const array &x, N n)
{
    CHANGED(+, weft_add);
    CHANGED(-, weft_sub);
    CHANGED(*, weft_mul);
    CHANGED(/, weft_div);
    BOTH(==, weft_eq);
    BOTH(!=, weft_ne);
}
template <class N> static void beside(const array &x, N n)
{
    beside_complex(x, n);
    CHANGED(%, weft_mod);
    BOTH(<, weft_lt);
    BOTH(<=, weft_le);
    BOTH(>, weft_gt);
    BOTH(>=, weft_ge);
    BOTH(&&, weft_logical_and);
    BOTH(||, weft_logical_or);
}
template <class N> static void beside_bits(const array &x, N n)
{
    beside(x, n);
    CHANGED(&, weft_and);
    CHANGED(|, weft_or);
    CHANGED(^, weft_xor);
}

static void operands(weft_context *ctx)
{
    array x = weft_linspace(ctx, 1, 3, 5), k = weft_arange(ctx, 1, 5, 1);
    weft_array *two = weft_full(ctx, WEFT_F32, 2, 5), *three = weft_full(ctx, WEFT_I32, 3, 4);
    beside(x, array(two));
    beside(x, two);
    beside(x, (const weft_array *)two);
    beside(x, 2);
    beside(x, 2u);
    beside(x, 2L);
    beside(x, true);
    beside(x, 2.0);
    beside(x, 2.5f);
    beside_complex(x, std::complex<float>(2, 1));
    beside_complex(x, std::complex<double>(2, 0));
    beside_bits(k, array(three));
    beside_bits(k, three);
    beside_bits(k, (const weft_array *)three);
    beside_bits(k, 2);
    beside_bits(k, 2u);
    beside_bits(k, true);
    CHECK(same(-x, weft_neg(x)) && same(+x, x) && same(~k, weft_not(k)) && same(!x, weft_logical_not(x)));
    CHECK(same(x - weft_ones(ctx, WEFT_F32, 5), x - 1) && same(x == 0, x < 1));
}

static void functions(weft_context *ctx)
{
    array x = weft_reshape(weft_linspace(ctx, 0.1, 2, 12), 3, 4);
    CHECK(same(sum(x, weft::over().axes("0").keep()), weft_sum(x, weft::over().axes("0").keep())));
    CHECK(same(mean(x), weft_mean(x)));
    CHECK(same(max(x) - min(x), ptp(x)));
    CHECK(same(x("1:, %d", 2), weft_at(x, "1:, 2")));
    CHECK(same(x("..., None"), expand_dims(x, -1)));
    CHECK(same(pow(x, 2), square(x)));
    CHECK(same(pow(2.0, x), weft_pow(2.0, x)));
    CHECK(same(matmul(x, transpose(x)), weft_matmul(x, weft_transpose(x))));
    CHECK(same(reshape(x, { 4, 3 }), weft_reshape(x, 4, 3)));
    CHECK(same(quantile(x, 0.25, weft::over().axes("1")), weft_quantile(x, 0.25, weft::over().axes("1"))));
    CHECK(same(trapezoid(x, 0.5), weft_trapezoid(x, 0.5, -1)));
    CHECK(same(trapezoid(x), weft_trapezoid(x)) && same(gradient(x), weft_gradient(x)));
    CHECK(same(cumulative_trapezoid(x), weft_cumulative_trapezoid(x)));
    CHECK(same(weft::std(x), weft_std(x)));
    CHECK(same(resize(x, "linear", { 5, 2 }), weft_resize(x, "linear", 5, 2)));
    CHECK(same(pad_with(x, "reflect", "1, 2"), weft_pad_with(x, "reflect", "1, 2")));
    std::vector<array> grid = weft::meshgrid({ x("0"), x(":, 0") }, "ij");
    CHECK(grid.size() == 2 && same(grid[0], x("0, :, None") + x(":, 0") * 0) &&
          same(grid[1], x("0, :, None") * 0 + x(":, 0")));
    CHECK(same(polyval(x("0"), 2.5), weft_polyval(x("0"), weft_full(ctx, WEFT_F32, 2.5))));
    CHECK(same(polyval(x("0"), x), weft_polyval(x("0"), x)));
    CHECK(same(gammainc(x, 1.5), weft_gammainc(x, 1.5)));
    CHECK(same(sort(-x), weft_sort(weft_neg(x), -1)));
    using namespace weft;
    CHECK(sqrt(4.0) == 2 && std::pow(2.0, 3) == 8);
    double c = exp(0.0) + sin(0.0);
    CHECK(c == 1);
}

static array doubles(weft_context *ctx, std::initializer_list<double> list)
{
    return weft_from(ctx, list.begin(), (int64_t)list.size());
}

static void matrices(weft_context *ctx)
{
    array a = weft_add(weft_reshape(weft_arange(ctx, 0.0, 9, 1), 3, 3),
                       weft_mul(weft_eye(ctx, WEFT_F32, 3), 20)),
          b = a("0"), h = matmul(a, transpose(a));
    auto [q, r] = qr(a);
    CHECK(weft_item(all(abs(matmul(q, r) - a) < 1e-4)) == 1);
    auto [w, v] = eigh(h);
    CHECK(weft_item(all(abs(matmul(h, v) - v * w) < 0.1)) == 1);
    auto [u, s, vt] = svd(a);
    CHECK(weft_item(all(abs(matmul(u * s, vt) - a) < 1e-3)) == 1);
    auto [sign, log_det] = slogdet(a);
    CHECK(std::fabs(weft_item(sign * exp(log_det) / det(a)) - 1) < 1e-4);
    auto [factors, order] = lu(a);
    CHECK(weft_rank(factors) == 2 && weft_dtype_of(order) == WEFT_I32);
    auto [values, vectors] = eig(a);
    CHECK(weft_item(all(abs(matmul(a, vectors) - vectors * values) < 1e-3)) == 1);
    CHECK(same(solve(a, b), weft_solve(a, b)));
    CHECK(same(solve_triangular(a, b, weft::factor().upper()),
               weft_solve_triangular(a, b, weft::factor().upper())));
    CHECK(same(cholesky(h), weft_cholesky(h)) && same(inv(a), weft_inv(a)) &&
          same(diag(b, 1), weft_diag(b, 1)));
    CHECK(same(trace(a), weft_trace(a, 0)) && same(matrix_norm(a), weft_matrix_norm(a, "fro")));
    CHECK(same(weft::einsum("ij,jk->ik", { a, a }), weft_einsum("ij,jk->ik", a, a)));
    CHECK(same(weft::concatenate({ a, h }, 1), weft_concatenate(1, a, h)) &&
          same(weft::stack({ b, b }), weft_stack_arrays(0, b, b)));
    CHECK(same(weft::block_diag({ a, h }), weft_block_diag(a, h)) &&
          same(toeplitz(b), weft_toeplitz(b, NULL)));
    array p = doubles(ctx, { 1, -6, 11, -6 });
    CHECK(weft_item(all(abs(roots(p) - doubles(ctx, { 3, 2, 1 })) < 1e-12)) == 1);
}

static void waves(weft_context *ctx)
{
    array x = weft_reshape(weft_linspace(ctx, 0, 1, 12), 3, 4), z = fft(x);
    CHECK(same(z, weft_fft(x, -1)) && same(ifft(z, 0), weft_ifft(z, 0)) && same(fft2(x), weft_fftn(x)));
    CHECK(same(rfft(x, -1, weft::fourier().n(6).norm("ortho")),
               weft_rfft(x, -1, weft::fourier().n(6).norm("ortho"))));
    CHECK(same(irfftn(rfftn(x)), weft_irfftn(weft_rfftn(x))));
    CHECK(same(fftshift(z), weft_fftshift(z, nullptr)));
    const std::complex<double> i(0, 1);
    const std::complex<float> half(0.5f, 0);
    CHECK(same(real(z) + i * imag(z), z) && same(conj(z), real(z) - imag(z) * i) && same(half * z, z / 2));
    CHECK(same(complex(real(z), imag(z)), z) && same(angle(z), atan2(imag(z), real(z))));
    CHECK(same(i * x - 1, weft_complex(-1, x)));
    array line = x("0"), image = reshape(x, { 1, 3, 4, 1 }), w = weft_ones(ctx, WEFT_F32, 2, 2, 1, 1);
    CHECK(same(convolve(line, line, "same"), weft_convolve(line, line, "same")));
    CHECK(same(conv(image, w), weft_conv(image, w)));
    CHECK(same(conv(image, w, weft::convolution().stride("2").pad("same")),
               weft_conv(image, w, weft::convolution().stride("2").pad("same"))));
    CHECK(same(max_pool(x, "2,2"), weft_max_pool(x, "2,2")));
    array at = doubles(ctx, { -1, 0.5, 5 }), xp = weft_linspace(ctx, 0, 1, 3), fp = xp * 2 + 1;
    CHECK(same(interp(at, xp, fp, weft::interpolation().left(0).right(-7)), doubles(ctx, { 0, 2, -7 })));
    CHECK(same(interp(at, xp, fp, weft::interpolation().extrapolate()), doubles(ctx, { -1, 2, 11 })));
    CHECK(same(weft_interp(at, xp, fp, weft::interpolation().left(0)), doubles(ctx, { 0, 2, 3 })));
}

static void traced(weft_context *ctx)
{
    weft_declare(ctx, gelu, weft_unary);
    array x = weft_linspace(ctx, -3, 3, 7), run = gelu(x);
    array fast = weft_jit(ctx, gelu)(x);
    CHECK(run.get() && fast.get());
    CHECK(weft_item(all(abs(run - fast) <= 1e-6)) == 1);
    CHECK(std::fabs(weft_f32(run)[4] - 0.5 * (1 + std::erf(std::sqrt(0.5)))) < 1e-6);
}

static bool says(weft_context *ctx, int line, const char *what)
{
    char place[200];
    std::snprintf(place, sizeof place, "%s:%d: %s", __FILE__, line, what);
    bool good = weft_error(ctx) && !std::strncmp(weft_error(ctx), place, std::strlen(place));
    if (!good) std::printf("wanted %s, not %s\n", place, weft_error(ctx));
    weft_clear(ctx);
    return good;
}

#define SAYS(call, what) \
    do { \
        call; \
        CHECK(says(ctx, __LINE__, what)); \
    } while (0)
static void messages(weft_context *ctx)
{
    array a = weft_ones(ctx, WEFT_F32, 3), b = weft_ones(ctx, WEFT_F32, 4), c;
    SAYS(c = a + b, "weft_add: shapes f32[3] and f32[4]");
    CHECK(!c.get());
    SAYS(c = exp(1 - a * b), "weft_mul: shapes");
    SAYS(c = 1 - exp(a) - b, "weft_sub: shapes");
    SAYS(c = trapezoid(c), "weft_trapezoid: operand 1 is NULL");
    SAYS(c = sum(a, weft::over().axes("7")), "weft_sum: axis 7");
    SAYS(c = a("9"), "weft_at: index 9");
    SAYS(c += a, "weft_add: operand 1 is NULL");
}

int main()
{
    weft_context *ctx = weft_open(nullptr);
    operators(ctx);
    operands(ctx);
    functions(ctx);
    matrices(ctx);
    waves(ctx);
    traced(ctx);
    messages(ctx);
    if (weft_error(ctx)) failures++, std::puts(weft_error(ctx));
    weft_close(ctx);
    return failures;
}
