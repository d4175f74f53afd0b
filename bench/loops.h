/* loops.h: the cases as the best plain C we can write: what weft is measured against. c_NAME is case NAME;
 * inputs and outputs are as a plan has them. All loops are compiled once for each target, into a shared
 * object of its own, weft-loops-TARGET.so. */
#ifndef WEFT_BENCH_LOOPS_H
#define WEFT_BENCH_LOOPS_H
#include <float.h>
#include <stddef.h>
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

/* Bytes of the target's vectors. */
#ifdef __AVX512F__
#define VECTOR 64
#elif defined __AVX__
#define VECTOR 32
#else
#define VECTOR 16
#endif
#endif
