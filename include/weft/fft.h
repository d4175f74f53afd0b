/* weft/fft.h: discrete Fourier transforms and convolutions of vectors. Names and meaning are
 * those of numpy.fft and numpy, and so of jax.numpy.
 *
 *   An axis of any length is transformed, in f32 and f64: real arrays count as complex ones, f64 as c128,
 *   f16, bf16 and f32 as c64, ints and bools as what weft_options.real says. An axis without elements is an
 *   error; other axes may have none.
 *
 *   Options, behind the axis: .n and .norm, below. They trace, fuse, map and differentiate, as ops do; how
 *   they are computed, and how fast they are, says docs/complex.md.
 */
#ifndef WEFT_FFT_H
#define WEFT_FFT_H
#include "weft/ops.h"
#ifdef __cplusplus
extern "C" {
#endif

/* weft_fft(x, -1, .n = 64, .norm = "ortho"). In C++17: weft_fft(x, -1, weft::fourier().n(64)). */
typedef struct weft_fourier {
    /* the length of the transform along the axis (of several: the last one listed): the axis is cut or gets
     * zeros at its end. For weft_irfft the length of the result. 0: as long as the axis is */
    int64_t n;
    /* what is divided by the length: "backward" (default): the way back; "forward": the way there; "ortho":
     * both, by its root, so that they keep the norm */
    const char *norm;
    int end_;
} weft_fourier;

/* ---- along one axis ----
 *   weft_fft(x, axis)                  sum over j of x[j] exp(-2 pi i j k / n), for k from 0. weft_fft(x),
 *                                      as the next three: along the last axis
 *   weft_ifft(x, axis)                 the way back: with exp(2 pi i j k / n), divided by n
 *   weft_rfft(x, axis)                 of real numbers: the first n / 2 + 1 of weft_fft's, which
 *                                      say what the others are
 *   weft_irfft(x, axis)                the way back, real: of m numbers 2 (m - 1), or .n. The imaginary parts
 *                                      of the first one and, for an even length, of the last do not count
 * ---- along several: "0,-1"; NULL, or none written: all ----
 *   weft_fftn(x, axes), weft_ifftn(x, axes)
 *                                      weft_fft, weft_ifft along each
 *   weft_rfftn(x, axes)                weft_rfft along the last one listed, then weft_fft along the others
 *   weft_irfftn(x, axes)               the way back
 *   weft_fft2(x), weft_ifft2(x), weft_rfft2(x), weft_irfft2(x)
 *                                      the same along "-2,-1", the last two, or the axes that are written
 */
#define WEFT_FOURIER_(op) weft_array *op(weft_array *), \
                          *op##_(const weft_array *, int axis, weft_fourier, const char *at);
#define WEFT_FOURIERN_(op) weft_array *op(weft_array *), \
                           *op##_(const weft_array *, const char *axes, weft_fourier, const char *at);
WEFT_FOURIER_(weft_fft)
WEFT_FOURIER_(weft_ifft)
WEFT_FOURIER_(weft_rfft)
WEFT_FOURIER_(weft_irfft)
WEFT_FOURIERN_(weft_fftn)
WEFT_FOURIERN_(weft_ifftn)
WEFT_FOURIERN_(weft_rfftn)
WEFT_FOURIERN_(weft_irfftn)
WEFT_FOURIERN_(weft_fft2)
WEFT_FOURIERN_(weft_ifft2)
WEFT_FOURIERN_(weft_rfft2)
WEFT_FOURIERN_(weft_irfft2)

/* ---- frequencies and their order ----
 *   weft_fftfreq(ctx, n, d)            [n], as weft_linspace's: the frequencies of weft_fft's numbers, of n
 *                                      samples d apart: 0, 1, .. and then the negative ones, over n d
 *   weft_rfftfreq(ctx, n, d)           [n / 2 + 1]: those of weft_rfft's
 *   weft_fftfreq_as(ctx, dtype, n, d), weft_rfftfreq_as(ctx, dtype, n, d)
 *                                      the same as this float type: WEFT_F64
 *   weft_fftshift(x, axes)             frequency 0, which comes first, moved to the middle; axes as above
 *   weft_ifftshift(x, axes)            and back
 */
weft_array *weft_fftfreq_(weft_context *, int64_t n, double spacing, const char *at);
weft_array *weft_rfftfreq_(weft_context *, int64_t n, double spacing, const char *at);
weft_array *weft_fftfreq_as_(weft_context *, weft_dtype, int64_t n, double spacing, const char *at);
weft_array *weft_rfftfreq_as_(weft_context *, weft_dtype, int64_t n, double spacing, const char *at);
weft_array *weft_fftshift(weft_array *),
           *weft_fftshift_(const weft_array *, const char *axes, const char *at);
weft_array *weft_ifftshift(weft_array *),
           *weft_ifftshift_(const weft_array *, const char *axes, const char *at);

/* ---- one vector slid along another: sums of products, without a transform ----
 *   weft_convolve(a, v, mode)          sum over j of a[j] v[k - j]: the product of two polynomials
 *   weft_correlate(a, v, mode)         sum over j of a[j + k] conj(v[j])
 *   mode: "full" or NULL: wherever they meet, len a + len v - 1 elements; "valid": where the shorter one lies
 *   within the other; "same": as many as the longer one has, from the middle of "full". Types promote,
 *   ints wrap.
 */
weft_array *weft_convolve_(const weft_array *, const weft_array *v, const char *mode, const char *at);
weft_array *weft_correlate_(const weft_array *, const weft_array *v, const char *mode, const char *at);
#ifdef __cplusplus
}
namespace weft {
struct fourier : weft_fourier {
    fourier() : weft_fourier() {}
    fourier &n(int64_t length)          { weft_fourier::n = length; return *this; }
    fourier &norm(const char *name)     { weft_fourier::norm = name; return *this; }
};
}
#endif

/* ---- the macros ---- */
#define WEFT_CALLF_(f, ...) \
    WEFT_CALLF2_(f, WEFT_FIRST_(__VA_ARGS__), WEFT_BEHIND_(-1, __VA_ARGS__))
#define WEFT_CALLF2_(f, x, ...) \
    f(WEFT_AN_ARRAY_(x), WEFT_AXIS_(__VA_ARGS__), WEFT_WITH_(fourier, __VA_ARGS__), WEFT_HERE)
#define WEFT_CALLFN_(f, otherwise, ...) \
    WEFT_CALLFN2_(f, WEFT_FIRST_(__VA_ARGS__), WEFT_BEHIND_(otherwise, __VA_ARGS__))
#define WEFT_CALLFN2_(f, x, ...) \
    f(WEFT_AN_ARRAY_(x), WEFT_TEXT_(__VA_ARGS__), WEFT_WITH_(fourier, __VA_ARGS__), WEFT_HERE)
#define weft_fft(...)           WEFT_CALLF_(weft_fft_, __VA_ARGS__)
#define weft_ifft(...)          WEFT_CALLF_(weft_ifft_, __VA_ARGS__)
#define weft_rfft(...)          WEFT_CALLF_(weft_rfft_, __VA_ARGS__)
#define weft_irfft(...)         WEFT_CALLF_(weft_irfft_, __VA_ARGS__)
#define weft_fftn(...)          WEFT_CALLFN_(weft_fftn_, (const char *)0, __VA_ARGS__)
#define weft_ifftn(...)         WEFT_CALLFN_(weft_ifftn_, (const char *)0, __VA_ARGS__)
#define weft_rfftn(...)         WEFT_CALLFN_(weft_rfftn_, (const char *)0, __VA_ARGS__)
#define weft_irfftn(...)        WEFT_CALLFN_(weft_irfftn_, (const char *)0, __VA_ARGS__)
#define weft_fft2(...)          WEFT_CALLFN_(weft_fft2_, "-2,-1", __VA_ARGS__)
#define weft_ifft2(...)         WEFT_CALLFN_(weft_ifft2_, "-2,-1", __VA_ARGS__)
#define weft_rfft2(...)         WEFT_CALLFN_(weft_rfft2_, "-2,-1", __VA_ARGS__)
#define weft_irfft2(...)        WEFT_CALLFN_(weft_irfft2_, "-2,-1", __VA_ARGS__)
#define weft_fftfreq(ctx, n, spacing) \
    weft_fftfreq_(WEFT_A_CONTEXT_(ctx), WEFT_AN_INT_(n), (spacing), WEFT_HERE)
#define weft_rfftfreq(ctx, n, spacing) \
    weft_rfftfreq_(WEFT_A_CONTEXT_(ctx), WEFT_AN_INT_(n), (spacing), WEFT_HERE)
#define weft_fftfreq_as(ctx, dtype, n, spacing) \
    weft_fftfreq_as_(WEFT_A_CONTEXT_(ctx), WEFT_A_DTYPE_(dtype), WEFT_AN_INT_(n), (spacing), WEFT_HERE)
#define weft_rfftfreq_as(ctx, dtype, n, spacing) \
    weft_rfftfreq_as_(WEFT_A_CONTEXT_(ctx), WEFT_A_DTYPE_(dtype), WEFT_AN_INT_(n), (spacing), WEFT_HERE)
#define weft_fftshift(...) \
    weft_fftshift_(WEFT_AN_ARRAY_(WEFT_FIRST_(__VA_ARGS__)), \
                   WEFT_A_TEXT_(WEFT_SECOND_(__VA_ARGS__, (const char *)0, )), WEFT_HERE2_(__VA_ARGS__))
#define weft_ifftshift(...) \
    weft_ifftshift_(WEFT_AN_ARRAY_(WEFT_FIRST_(__VA_ARGS__)), \
                    WEFT_A_TEXT_(WEFT_SECOND_(__VA_ARGS__, (const char *)0, )), WEFT_HERE2_(__VA_ARGS__))
#define weft_convolve(a, v, mode) \
    weft_convolve_(WEFT_AN_ARRAY_(a), WEFT_AN_ARRAY_(v), WEFT_A_TEXT_(mode), WEFT_HERE)
#define weft_correlate(a, v, mode) \
    weft_correlate_(WEFT_AN_ARRAY_(a), WEFT_AN_ARRAY_(v), WEFT_A_TEXT_(mode), WEFT_HERE)
#endif
