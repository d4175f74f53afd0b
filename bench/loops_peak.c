/* loops_peak.c: what the machine can do with the target's vectors: multiply-adds, reads and copies.
 * roofline.c times them. Compiled like loops.c. */
#include "loops.h"
#ifdef __x86_64__
#include <immintrin.h>
#endif

/* As many chains side by side as hide the latency of a multiply-add on two units, and fit 16 registers. */
enum { CHAINS = 12, STEPS = 10000, AHEAD = 8 };
#define MULTIPLY_ADD(real, name) \
    /* The number of operations. io: four vectors. */ \
    double name(real *io) \
    { \
        typedef real Vector __attribute__((vector_size(VECTOR))); \
        Vector s[CHAINS], *v = (Vector *)io, a = v[0], b = v[1]; \
        for (int k = 0; k < CHAINS; k++) s[k] = v[2]; \
        for (int t = 0; t < STEPS; t++) \
            _Pragma("GCC unroll 12") for (int k = 0; k < CHAINS; k++) s[k] = s[k] * a + b; \
        for (int k = 0; k < CHAINS; k++) v[3] += s[k]; \
        return 2. * STEPS * CHAINS * VECTOR / sizeof(real); \
    }
MULTIPLY_ADD(float, peak_f32)
MULTIPLY_ADD(double, peak_f64)

typedef float Floats __attribute__((vector_size(VECTOR)));
enum { LANES = VECTOR / sizeof(float) };

/* bytes: multiples of AHEAD vectors, aligned. */
void peak_read(const float *from, float *to, size_t bytes)
{
    const Floats *x = (const Floats *)from;
    Floats s[AHEAD] = { { 0 } };
    for (size_t i = 0; i < bytes / sizeof *x; i += AHEAD)
#pragma GCC unroll 8
        for (size_t k = 0; k < AHEAD; k++) s[k] += x[i + k];
    for (size_t k = 1; k < AHEAD; k++) s[0] += s[k];
    for (size_t k = 0; k < LANES; k++) to[k] = s[0][k];
}

/* The compiler sees no more than a group of vectors, so that it does not call memcpy. */
void peak_copy(const float *from, float *to, size_t bytes)
{
    const Floats *x = (const Floats *)from;
    Floats *y = (Floats *)to;
    for (size_t i = 0; i < bytes / sizeof *x; i += AHEAD) {
#pragma GCC unroll 8
        for (size_t k = 0; k < AHEAD; k++) y[i + k] = x[i + k];
        __asm__ volatile("" ::: "memory");
    }
}

typedef void Mover(const float *from, float *to, size_t bytes);
/* Each thread moves bytes of its own, n times. */
void peak_together(Mover *f, const float *from, float *to, size_t bytes, int n)
{
    PARALLEL_FOR
    for (size_t k = 0; k < THREADS; k++)
        for (int i = 0; i < n; i++) f(from + k * bytes / sizeof *from, to + k * bytes / sizeof *to, bytes);
}

#if VECTOR == 64
#define STREAM(p, v) _mm512_stream_ps((float *)(p), (__m512)(v))
#elif VECTOR == 32
#define STREAM(p, v) _mm256_stream_ps((float *)(p), (__m256)(v))
#elif defined __x86_64__
#define STREAM(p, v) _mm_stream_ps((float *)(p), (__m128)(v))
#else
#define STREAM(p, v) (*(p) = (v))
#endif
void peak_stream(const float *from, float *to, size_t bytes)
{
    const Floats *x = (const Floats *)from;
    Floats *y = (Floats *)to;
    for (size_t i = 0; i < bytes / sizeof *x; i += AHEAD)
#pragma GCC unroll 8
        for (size_t k = 0; k < AHEAD; k++) STREAM(y + i + k, x[i + k]);
#ifdef __x86_64__
    _mm_sfence();
#endif
}
