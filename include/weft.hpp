/* weft.hpp: weft's arrays as values with operators, for formulas in C++17:
 *
 *     #include "weft.hpp"
 *     using weft::array;
 *     weft_array *gelu(weft_array *input)
 *     {
 *         array x = input;
 *         return 0.5 * x * (1 + erf(x / sqrt(2.0)));
 *     }
 *     weft_declare(ctx, gelu, weft_unary);
 *     array y = weft_jit(ctx, gelu)(x);
 *
 * An array is a pointer and no more: copied as one, passed where C's functions and macros want a
 * weft_array *, made from what they give. It owns nothing: scopes do, as in C (weft/array.h). One that holds
 * nullptr is the failed value.
 *
 * A wrong call's message names the line it stands on, as with the macros; not that of a unary operator, with
 * clang that of - or a comparison of an array and a weft_array *, with g++ 12 in C++20 of two arrays' == and
 * !=.
 *
 * Operators: + - * / (true division) % (Python's), unary -, < <= > >= == != (elementwise, bool arrays), & | ^
 * ~ on ints and bools, && || ! elementwise on any (both sides are computed), += and its like. The other
 * operand may be a C number, which is weak, as ever. if (x > 0) does not compile: weft_item says what an
 * array of one element holds, and where(c, a, b) chooses by element.
 * Functions: ops of weft/ops.h, weft/numeric.h, weft/special.h, weft/linalg.h and weft/fft.h without weft_,
 * found by their argument (but weft::std(x): std alone is C++'s namespace); those that C has too keep their
 * meaning for numbers; what is not here is called by its weft_ name. Options as for the macros:
 * sum(x, weft::over().axes("0").keep()). x("1:-1, %d", i) is weft_at;
 * poly(x, {c0, c1, c2}) is c0 + x (c1 + x c2).
 * What takes a list of arrays has braces, and is not found by its argument:
 * weft::einsum("ij,jk->ik", {a, b}), weft::concatenate({a, b}, 0), weft::stack, weft::block_diag,
 * weft::meshgrid({x, y}, "ij"), which gives a std::vector. What has several results gives them together, in
 * NumPy's order:
 *     auto [q, r] = qr(a);    auto [w, v] = eigh(a);      auto [sign, log] = slogdet(a);
 *     auto [u, s, vt] = svd(a);                           auto [factors, order] = lu(a);
 */
#ifndef WEFT_HPP
#define WEFT_HPP
#include "weft.h"
#include <map>
#include <mutex>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace weft {

/* "file:line" as a string that stays. */
inline const char *place_(const char *file, int line)
{
    static std::mutex lock;
    static std::map<std::pair<const char *, int>, std::string> places;
    std::lock_guard<std::mutex> guard(lock);
    std::string &s = places[{ file, line }];
    if (s.empty()) s = std::string(file) + ":" + std::to_string(line);
    return s.c_str();
}

/* Where a call stands: a default argument is made there. */
struct here_ {
    const char *at;
    here_(const char *file = __builtin_FILE(), int line = __builtin_LINE()) : at(place_(file, line)) {}
};
/* A text, and where it stands. */
struct text_ {
    const char *text, *at;
    text_(const char *s, const char *file = __builtin_FILE(), int line = __builtin_LINE())
        : text(s), at(place_(file, line))
    {
    }
};

class array;
/* C numbers, and std::complex of floats and doubles. */
template <class N> constexpr bool is_number_ = std::is_arithmetic<N>::value ||
    std::is_same<N, std::complex<float>>::value || std::is_same<N, std::complex<double>>::value;
template <class P> constexpr bool is_pointer_ =
    std::is_same<P, weft_array *>::value || std::is_same<P, const weft_array *>::value;
/* A C number or pointer, and where it stands. */
struct other_ {
    weft_operand o;
    const char *at;
    other_(const weft_array *a, const char *file = __builtin_FILE(), int line = __builtin_LINE())
        : o(weft_of_array(a)), at(place_(file, line))
    {
    }
    template <class N, class = std::enable_if_t<is_number_<N>>>
    other_(N n, const char *file = __builtin_FILE(), int line = __builtin_LINE())
        : o(weft_arg(n)), at(place_(file, line))
    {
    }
};
/* That or an array. */
struct operand_ : other_ {
    using other_::other_;
    inline operand_(const array &a, const char *file = __builtin_FILE(), int line = __builtin_LINE());
};

class array {
    weft_array *p;

public:
    array(weft_array *a = nullptr) : p(a) {}
    weft_array *get() const { return p; }
    /* as a weft_array *, or a const one; a template, so that x + 1 is no address */
    template <class P, class = std::enable_if_t<is_pointer_<P>>> operator P() const
    {
        return p;
    }
    template <class... N> array operator()(text_ t, N... n) const
    {
        const int64_t numbers[] = { (int64_t)n..., 0 };
        static_assert((true && ... && std::is_integral<N>::value), "a number of the text is an int");
        return weft_at_(p, t.text, (int)sizeof...(N), numbers, t.at);
    }
};

inline operand_::operand_(const array &a, const char *file, int line) : other_(a.get(), file, line) {}

/* ---- operators. One operand is an array as it stands; the other is converted, and tells the place ---- */
#define WEFT_OPERATOR_(sign, op) \
    inline array operator sign(const array &a, const operand_ &b) \
    { \
        return op(weft_of_array(a.get()), b.o, b.at); \
    } \
    inline array operator sign(const other_ &a, const array &b) \
    { \
        return op(a.o, weft_of_array(b.get()), a.at); \
    }
#define WEFT_CHANGING_(sign, op) \
    WEFT_OPERATOR_(sign, op) \
    inline array &operator sign##=(array &a, const operand_ &b) \
    { \
        return a = op(weft_of_array(a.get()), b.o, b.at); \
    }
WEFT_OPERATOR_(<, weft_lt_)
WEFT_OPERATOR_(<=, weft_le_)
WEFT_OPERATOR_(>, weft_gt_)
WEFT_OPERATOR_(>=, weft_ge_)
WEFT_OPERATOR_(==, weft_eq_)
WEFT_OPERATOR_(!=, weft_ne_)
WEFT_OPERATOR_(&&, weft_logical_and_)
WEFT_OPERATOR_(||, weft_logical_or_)
WEFT_CHANGING_(+, weft_add_)
WEFT_CHANGING_(-, weft_sub_)
WEFT_CHANGING_(*, weft_mul_)
WEFT_CHANGING_(/, weft_div_)
WEFT_CHANGING_(%, weft_mod_)
WEFT_CHANGING_(&, weft_and_)
WEFT_CHANGING_(|, weft_or_)
WEFT_CHANGING_(^, weft_xor_)
inline array operator-(const array &a) { return weft_neg_(weft_of_array(a.get()), nullptr); }
inline array operator+(const array &a) { return a; }
inline array operator~(const array &a) { return weft_not_(weft_of_array(a.get()), nullptr); }
inline array operator!(const array &a) { return weft_logical_not_(weft_of_array(a.get()), nullptr); }
#undef WEFT_CHANGING_
#undef WEFT_OPERATOR_

/* Where the language has a candidate that is as near, both operands are taken as they are; then nothing tells
 * the place. clang takes an array beside a pointer for a pointer; C++20 turns == around, and g++ up to 12
 * does even where there is a != (P2468). */
template <class A> constexpr bool is_array_ = std::is_same<A, array>::value;
#ifdef __clang__
template <class A, class B>
constexpr bool is_as_it_is_ = (is_array_<A> && is_pointer_<B>) || (is_pointer_<A> && is_array_<B>);
#elif __GNUC__ < 13 && __cplusplus > 201703L
template <class A, class B> constexpr bool is_as_it_is_ = is_array_<A> && is_array_<B>;
#else
template <class A, class B> constexpr bool is_as_it_is_ = false;
#endif
#define WEFT_AS_IT_IS_(sign, op) \
    template <class A, class B, class = std::enable_if_t<is_as_it_is_<A, B>>> \
    inline array operator sign(const A &a, const B &b) \
    { \
        return op(weft_of_array(a), weft_of_array(b), nullptr); \
    }
WEFT_AS_IT_IS_(==, weft_eq_)
WEFT_AS_IT_IS_(!=, weft_ne_)
#ifdef __clang__
WEFT_AS_IT_IS_(-, weft_sub_)
WEFT_AS_IT_IS_(<, weft_lt_)
WEFT_AS_IT_IS_(<=, weft_le_)
WEFT_AS_IT_IS_(>, weft_gt_)
WEFT_AS_IT_IS_(>=, weft_ge_)
#endif
#undef WEFT_AS_IT_IS_

/* ---- the ops, elementwise ---- */
#define WEFT_1_(name) inline array name(const operand_ &x) { return weft_##name##_(x.o, x.at); }
#define WEFT_2_(name) \
    inline array name(const operand_ &a, const operand_ &b) { return weft_##name##_(a.o, b.o, b.at); }
#define WEFT_3_(name) \
    inline array name(const operand_ &a, const operand_ &b, const operand_ &c) \
    { \
        return weft_##name##_(a.o, b.o, c.o, c.at); \
    }
WEFT_1_(abs) WEFT_1_(sign) WEFT_1_(square) WEFT_1_(floor) WEFT_1_(ceil) WEFT_1_(trunc) WEFT_1_(round)
WEFT_1_(reciprocal) WEFT_1_(sqrt) WEFT_1_(rsqrt) WEFT_1_(cbrt) WEFT_1_(exp) WEFT_1_(exp2) WEFT_1_(expm1)
WEFT_1_(log) WEFT_1_(log2) WEFT_1_(log10) WEFT_1_(log1p) WEFT_1_(sin) WEFT_1_(cos) WEFT_1_(tan) WEFT_1_(asin)
WEFT_1_(acos) WEFT_1_(atan) WEFT_1_(sinh) WEFT_1_(cosh) WEFT_1_(tanh) WEFT_1_(asinh) WEFT_1_(acosh)
WEFT_1_(atanh) WEFT_1_(erf) WEFT_1_(erfc) WEFT_1_(erf_inv) WEFT_1_(lgamma) WEFT_1_(digamma) WEFT_1_(sigmoid)
WEFT_1_(log_sigmoid) WEFT_1_(softplus) WEFT_1_(relu) WEFT_1_(isfinite)
WEFT_1_(isinf) WEFT_1_(isnan) WEFT_1_(popcount) WEFT_1_(stop_gradient) WEFT_1_(sinc)
WEFT_1_(gamma) WEFT_1_(i0) WEFT_1_(i0e) WEFT_1_(i1) WEFT_1_(i1e) WEFT_1_(j0) WEFT_1_(j1) WEFT_1_(ndtr)
WEFT_1_(log_ndtr) WEFT_1_(ndtri) WEFT_1_(entr) WEFT_1_(logit) WEFT_1_(expi) WEFT_1_(real) WEFT_1_(imag)
WEFT_1_(conj) WEFT_1_(angle)
WEFT_2_(pow) WEFT_2_(floor_div) WEFT_2_(rem) WEFT_2_(maximum) WEFT_2_(minimum) WEFT_2_(atan2) WEFT_2_(hypot)
WEFT_2_(logaddexp) WEFT_2_(logical_xor) WEFT_2_(shl) WEFT_2_(shr) WEFT_2_(heaviside) WEFT_2_(beta)
WEFT_2_(betaln) WEFT_2_(gammainc) WEFT_2_(gammaincc) WEFT_2_(xlogy) WEFT_2_(xlog1py) WEFT_2_(polygamma)
WEFT_2_(zeta) WEFT_2_(complex) WEFT_2_(matmul) WEFT_2_(dot) WEFT_2_(inner) WEFT_2_(outer)
WEFT_3_(where) WEFT_3_(clip) WEFT_3_(lerp) WEFT_3_(betainc)
#undef WEFT_1_
#undef WEFT_2_
#undef WEFT_3_
inline array astype(const operand_ &x, weft_dtype t) { return weft_astype_(x.o, t, x.at); }

/* c0 + x (c1 + x (c2 + ...)) */
inline array poly(const array &x, std::initializer_list<operand_> c, here_ h = here_())
{
    if (c.size() < 2) return c.size() ? weft_add_(c.begin()->o, weft_of_int(0), h.at) : nullptr;
    const operand_ *k = c.end() - 1;
    weft_operand sum = k->o, of = weft_of_array(x.get());
    while (k-- != c.begin()) {
        weft_array *rest = weft_mul_(of, sum, h.at);
        sum = weft_of_array(weft_add_(weft_of_array(rest), k->o, h.at));
    }
    return const_cast<weft_array *>(sum.v.a);
}

/* ---- reductions, and what goes along an axis ---- */
#define WEFT_R_(name) \
    inline array name(const array &x, const weft_over &o = weft_over(), here_ h = here_()) \
    { \
        return weft_##name##_(x.get(), o, h.at); \
    }
WEFT_R_(sum) WEFT_R_(prod) WEFT_R_(max) WEFT_R_(min) WEFT_R_(any) WEFT_R_(all) WEFT_R_(mean) WEFT_R_(var)
WEFT_R_(std) WEFT_R_(norm) WEFT_R_(logsumexp) WEFT_R_(argmax) WEFT_R_(argmin) WEFT_R_(count_nonzero)
WEFT_R_(softmax) WEFT_R_(log_softmax) WEFT_R_(median) WEFT_R_(average) WEFT_R_(ptp) WEFT_R_(nansum)
WEFT_R_(nanmax) WEFT_R_(nanmin) WEFT_R_(nanmean) WEFT_R_(nanvar) WEFT_R_(nanstd) WEFT_R_(nanmedian)
WEFT_R_(nanprod) WEFT_R_(nanargmax) WEFT_R_(nanargmin)
#undef WEFT_R_
#define WEFT_Q_(name) \
    inline array name(const array &x, const operand_ &q, const weft_over &o = weft_over()) \
    { \
        return weft_##name##_(x.get(), q.o, o, q.at); \
    }
WEFT_Q_(quantile) WEFT_Q_(percentile) WEFT_Q_(nanquantile) WEFT_Q_(nanpercentile)
#undef WEFT_Q_
#define WEFT_A_(name) \
    inline array name(const array &x, int axis = -1, const weft_order &o = weft_order(), here_ h = here_()) \
    { \
        return weft_##name##_(x.get(), axis, o, h.at); \
    }
WEFT_A_(sort) WEFT_A_(argsort) WEFT_A_(cumsum) WEFT_A_(cumprod) WEFT_A_(cummax) WEFT_A_(cummin)
WEFT_A_(cumlogsumexp)
#undef WEFT_A_
inline array diff(const array &x, int64_t n = 1, int axis = -1, here_ h = here_())
{
    return weft_diff_(x.get(), n, axis, h.at);
}
#define WEFT_S_(name) \
    inline array name(const array &x, const operand_ &spacing, int axis = -1) \
    { \
        return weft_##name##_(x.get(), spacing.o, axis, spacing.at); \
    } \
    inline array name(const array &x, here_ h = here_()) \
    { \
        return weft_##name##_(x.get(), weft_of_int(1), -1, h.at); \
    }
WEFT_S_(gradient) WEFT_S_(trapezoid) WEFT_S_(cumulative_trapezoid)
#undef WEFT_S_
inline array interp(const operand_ &x, const array &xp, const array &fp,
                    const weft_interpolation &o = weft_interpolation())
{
    return weft_interp_(x.o, xp.get(), fp.get(), o, x.at);
}
inline array unwrap(const array &x, int axis = -1, here_ h = here_())
{
    return weft_unwrap_(x.get(), axis, h.at);
}
inline array digitize(const operand_ &x, const array &edges, const weft_order &o = weft_order())
{
    return weft_digitize_(x.o, edges.get(), o, x.at);
}
inline array searchsorted(const array &sorted, const operand_ &v, const weft_order &o = weft_order())
{
    return weft_searchsorted_(sorted.get(), v.o, o, v.at);
}
inline array take(const array &x, const operand_ &indices, int axis)
{
    return weft_take_(x.get(), indices.o, axis, indices.at);
}

/* ---- shapes ---- */
inline array reshape(const array &x, std::initializer_list<int64_t> dim, here_ h = here_())
{
    return weft_reshape_(x.get(), (int)dim.size(), dim.begin(), h.at);
}
inline array broadcast_to(const array &x, std::initializer_list<int64_t> dim, here_ h = here_())
{
    return weft_broadcast_to_(x.get(), (int)dim.size(), dim.begin(), h.at);
}
inline array transpose(const array &x, const char *axes = nullptr, here_ h = here_())
{
    return weft_transpose_(x.get(), axes, h.at);
}
inline array expand_dims(const array &x, int axis, here_ h = here_())
{
    return weft_expand_dims_(x.get(), axis, h.at);
}
inline array roll(const array &x, int64_t shift, int axis, here_ h = here_())
{
    return weft_roll_(x.get(), shift, axis, h.at);
}
inline array ravel(const array &x, here_ h = here_()) { return weft_ravel_(x.get(), h.at); }
inline array squeeze(const array &x, const char *axes = nullptr, here_ h = here_())
{
    return weft_squeeze_(x.get(), axes, h.at);
}
inline array flip(const array &x, const char *axes = nullptr, here_ h = here_())
{
    return weft_flip_(x.get(), axes, h.at);
}
inline array swapaxes(const array &x, int a, int b, here_ h = here_())
{
    return weft_swapaxes_(x.get(), a, b, h.at);
}
inline array moveaxis(const array &x, int from, int to, here_ h = here_())
{
    return weft_moveaxis_(x.get(), from, to, h.at);
}
inline array tile(const array &x, std::initializer_list<int64_t> times, here_ h = here_())
{
    return weft_tile_(x.get(), (int)times.size(), times.begin(), h.at);
}
inline array repeat(const array &x, int64_t n, int axis, here_ h = here_())
{
    return weft_repeat_(x.get(), n, axis, h.at);
}
inline array pad(const array &x, const operand_ &value, const char *widths)
{
    return weft_pad_(x.get(), value.o, widths, value.at);
}
inline array pad_with(const array &x, const char *mode, const char *widths, here_ h = here_())
{
    return weft_pad_with_(x.get(), mode, widths, h.at);
}
inline array resize(const array &x, const char *method, std::initializer_list<int64_t> dim, here_ h = here_())
{
    return weft_resize_(x.get(), method, (int)dim.size(), dim.begin(), h.at);
}
inline array tril(const array &x, int64_t k = 0, here_ h = here_()) { return weft_tril_(x.get(), k, h.at); }
inline array triu(const array &x, int64_t k = 0, here_ h = here_()) { return weft_triu_(x.get(), k, h.at); }
/* The pointers of a list of arrays, for the length of a call. */
struct list_ {
    std::vector<const weft_array *> item;
    list_(std::initializer_list<array> all)
    {
        for (const array &a : all) item.push_back(a.get());
    }
    int n() const { return (int)item.size(); }
    const weft_array *const *data() const { return item.data(); }
};
inline array concatenate(const list_ &all, int axis = 0, here_ h = here_())
{
    return weft_concatenate_(axis, all.n(), all.data(), h.at);
}
inline array stack(const list_ &all, int axis = 0, here_ h = here_())
{
    return weft_stack_arrays_(axis, all.n(), all.data(), h.at);
}
inline std::vector<array> meshgrid(const list_ &all, const char *indexing = "xy", here_ h = here_())
{
    std::vector<weft_array *> out(all.item.size());
    weft_meshgrid_(all.data(), all.n(), indexing, out.data(), h.at);
    return std::vector<array>(out.begin(), out.end());
}
inline array einsum(text_ t, const list_ &all) { return weft_einsum_(t.text, all.n(), all.data(), t.at); }
inline array tensordot(const operand_ &a, const operand_ &b, const char *a_axes, const char *b_axes)
{
    return weft_tensordot_(a.o, b.o, a_axes, b_axes, b.at);
}

/* ---- matrices ---- */
#define WEFT_M_(name) \
    inline array name(const array &a, const weft_factor &o = weft_factor(), here_ h = here_()) \
    { \
        return weft_##name##_(a.get(), o, h.at); \
    }
#define WEFT_MM_(name) \
    inline array name(const array &a, const array &b, const weft_factor &o = weft_factor(), \
                      here_ h = here_()) \
    { \
        return weft_##name##_(a.get(), b.get(), o, h.at); \
    }
#define WEFT_MV_(name) \
    inline std::pair<array, array> name(const array &a, const weft_factor &o = weft_factor(), \
                                        here_ h = here_()) \
    { \
        weft_array *second = nullptr, *first = weft_##name##_(a.get(), &second, o, h.at); \
        return { first, second }; \
    }
WEFT_M_(cholesky) WEFT_M_(eigvalsh) WEFT_M_(eigvals) WEFT_M_(inv) WEFT_M_(det) WEFT_M_(pinv)
WEFT_M_(matrix_rank) WEFT_M_(matrix_cond) WEFT_M_(expm) WEFT_M_(cov) WEFT_M_(corrcoef) WEFT_M_(roots)
WEFT_MM_(solve_triangular) WEFT_MM_(solve) WEFT_MM_(lstsq) WEFT_MM_(kron) WEFT_MM_(cross)
WEFT_MV_(lu) /* the factors in one matrix, and the order of the rows */
WEFT_MV_(qr) WEFT_MV_(eigh) WEFT_MV_(eig)
#undef WEFT_M_
#undef WEFT_MM_
#undef WEFT_MV_
inline std::pair<array, array> slogdet(const array &a, here_ h = here_())
{
    weft_array *sign = nullptr, *log = weft_slogdet_(a.get(), &sign, h.at);
    return { sign, log };
}
inline std::tuple<array, array, array> svd(const array &a, const weft_factor &o = weft_factor(),
                                           here_ h = here_())
{
    weft_array *u = nullptr, *vt = nullptr, *s = weft_svd_(a.get(), &u, &vt, o, h.at);
    return { u, s, vt };
}
inline array matrix_power(const array &a, int64_t n, here_ h = here_())
{
    return weft_matrix_power_(a.get(), n, h.at);
}
inline array matrix_norm(const array &a, const char *order = nullptr, here_ h = here_())
{
    return weft_matrix_norm_(a.get(), order, h.at);
}
inline array trace(const array &a, int64_t k = 0, here_ h = here_()) { return weft_trace_(a.get(), k, h.at); }
inline array diagonal(const array &a, int64_t k = 0, here_ h = here_())
{
    return weft_diagonal_(a.get(), k, h.at);
}
inline array diag(const array &x, int64_t k = 0, here_ h = here_()) { return weft_diag_(x.get(), k, h.at); }
inline array block_diag(const list_ &all, here_ h = here_())
{
    return weft_block_diag_(all.n(), all.data(), h.at);
}
inline array toeplitz(const array &c, const array &r = nullptr, here_ h = here_())
{
    return weft_toeplitz_(c.get(), r.get(), h.at);
}
inline array polyval(const array &p, const operand_ &x, const weft_factor &o = weft_factor())
{
    return weft_polyval_(p.get(), x.o, o, x.at);
}
inline array polyfit(const array &x, const array &y, int64_t degree, here_ h = here_())
{
    return weft_polyfit_(x.get(), y.get(), degree, h.at);
}

/* ---- Fourier transforms and convolutions ---- */
#define WEFT_F_(name) \
    inline array name(const array &x, int axis = -1, const weft_fourier &o = weft_fourier(), \
                      here_ h = here_()) \
    { \
        return weft_##name##_(x.get(), axis, o, h.at); \
    }
#define WEFT_FN_OF_(name, otherwise) \
    inline array name(const array &x, const char *axes = otherwise, const weft_fourier &o = weft_fourier(), \
                      here_ h = here_()) \
    { \
        return weft_##name##_(x.get(), axes, o, h.at); \
    }
WEFT_F_(fft) WEFT_F_(ifft) WEFT_F_(rfft) WEFT_F_(irfft)
WEFT_FN_OF_(fft2, "-2,-1") WEFT_FN_OF_(ifft2, "-2,-1") WEFT_FN_OF_(rfft2, "-2,-1")
WEFT_FN_OF_(irfft2, "-2,-1") WEFT_FN_OF_(fftn, nullptr) WEFT_FN_OF_(ifftn, nullptr)
WEFT_FN_OF_(rfftn, nullptr) WEFT_FN_OF_(irfftn, nullptr)
#undef WEFT_F_
#undef WEFT_FN_OF_
inline array fftshift(const array &x, const char *axes = nullptr, here_ h = here_())
{
    return weft_fftshift_(x.get(), axes, h.at);
}
inline array ifftshift(const array &x, const char *axes = nullptr, here_ h = here_())
{
    return weft_ifftshift_(x.get(), axes, h.at);
}
inline array convolve(const array &a, const array &v, const char *mode, here_ h = here_())
{
    return weft_convolve_(a.get(), v.get(), mode, h.at);
}
inline array correlate(const array &a, const array &v, const char *mode, here_ h = here_())
{
    return weft_correlate_(a.get(), v.get(), mode, h.at);
}
#define WEFT_C_(name) \
    inline array name(const array &x, const array &w, const weft_convolution &o = weft_convolution(), \
                      here_ h = here_()) \
    { \
        return weft_##name##_(x.get(), w.get(), o, h.at); \
    }
#define WEFT_W_(name) \
    inline array name(const array &x, const char *size, const weft_window &o = weft_window(), \
                      here_ h = here_()) \
    { \
        return weft_##name##_(x.get(), size, o, h.at); \
    }
WEFT_C_(conv) WEFT_C_(conv_transpose) WEFT_W_(max_pool) WEFT_W_(min_pool) WEFT_W_(avg_pool)
#undef WEFT_C_
#undef WEFT_W_
}
#endif
