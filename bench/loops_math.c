/* loops_math.c: a math library's function of the target's vectors over an array. Compiled like loops.c. */
#include "loops.h"

#define MAP(real, name) \
    /* n: a multiple of a vector's elements; aligned. */ \
    void name(void (*function)(void), const real *in, real *out, size_t n) \
    { \
        typedef real Vector __attribute__((vector_size(VECTOR))); \
        Vector (*f)(Vector) = (Vector(*)(Vector))(function); \
        const Vector *x = (const Vector *)in; \
        Vector *y = (Vector *)out; \
        PARALLEL_FOR_IF(n > 100000) \
        for (size_t i = 0; i < n * sizeof(real) / VECTOR; i++) y[i] = f(x[i]); \
    }
MAP(float, map_f32)
MAP(double, map_f64)

/* The threads that share loops are there when it returns. */
void start_threads(void);
void start_threads(void)
{
    PARALLEL {}
}

/* What names such a function: the letter and the elements of GNU's vector ABI, the end of SLEEF's name. */
const int vector_bytes = VECTOR;
#if VECTOR == 64
const char vector_letter = 'e', *const vector_sleef = "avx512f";
#elif VECTOR == 32
const char vector_letter = 'd', *const vector_sleef = "avx2";
#elif defined __x86_64__
const char vector_letter = 'b', *const vector_sleef = "sse2";
#else
const char vector_letter = 'n', *const vector_sleef = "advsimd";
#endif
