/* loops.h: the cases as the best plain C we can write: what weft is measured against. c_NAME is case NAME;
 * inputs and outputs are as a plan has them. All loops are compiled twice for each target, into shared
 * objects of their own: weft-loops-TARGET.so, and with OpenMP weft-loops-TARGET-openmp.so. */
#ifndef WEFT_BENCH_LOOPS_H
#define WEFT_BENCH_LOOPS_H
#include <float.h>
#include <stddef.h>
#include <string.h>
#include <tgmath.h>
#undef I /* complex.h's; here it counts */

typedef void CLoop(const void *const *in, void *const *out);

/* The element type of loops that are there for both, and a number of that type. */
#ifdef WEFT_LOOPS_F64
#define REAL         double
#define REAL_MAX     DBL_MAX
#define C_LOOP(name) c_##name##_f64
#else
#define REAL         float
#define REAL_MAX     FLT_MAX
#define C_LOOP(name) c_##name
#endif
#define K(number) ((REAL)(number))

#define R                  restrict
#define IN(type, name, k)  const type *R name = in[k]
#define OUT(type, name, k) type *R name = out[k]

/* What shares a loop out among threads, in the line before it; without OpenMP nothing. SHARED_FOR stands in a
 * PARALLEL statement, the rest of which every thread runs; all wait at its end. Loops that take less than
 * some 20 us, or whose steps need one another, stay alone. */
/* clang-format off */
#ifdef _OPENMP
#include <omp.h>
#define OMP(...)              _Pragma(#__VA_ARGS__)
#define PARALLEL              OMP(omp parallel)
#define SHARED_FOR            OMP(omp for schedule(static))
#define PARALLEL_FOR          OMP(omp parallel for schedule(static))
#define PARALLEL_FOR_UNEVEN   OMP(omp parallel for schedule(dynamic))
#define PARALLEL_FOR_IF(pays) OMP(omp parallel for schedule(static) if (pays))
#define PARALLEL_SUM(...)     OMP(omp parallel for schedule(static) reduction(+ : __VA_ARGS__))
#define ONE_BY_ONE            OMP(omp critical)
#define OWN                   static _Thread_local
#define THREADS               ((size_t)omp_get_max_threads())
#else
#define PARALLEL
#define SHARED_FOR
#define PARALLEL_FOR
#define PARALLEL_FOR_UNEVEN
#define PARALLEL_FOR_IF(pays)
#define PARALLEL_SUM(...)
#define ONE_BY_ONE
#define OWN     static /* memory that each thread has its own of */
#define THREADS ((size_t)1)
#endif
/* clang-format on */
/* Where the part of thread k begins if n things are shared out; the next one's begin is its end. */
#define BEGIN(k, n) ((n) * (k) / THREADS)

/* In a PARALLEL statement. */
static inline void copy(void *R to, const void *R from, size_t bytes)
{
    SHARED_FOR
    for (size_t k = 0; k < THREADS; k++) {
        size_t begin = BEGIN(k, bytes), end = BEGIN(k + 1, bytes);
        memcpy((char *)to + begin, (const char *)from + begin, end - begin);
    }
}

/* Bytes of the target's vectors. */
#ifdef __AVX512F__
#define VECTOR 64
#elif defined __AVX__
#define VECTOR 32
#else
#define VECTOR 16
#endif
#endif
