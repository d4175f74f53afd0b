/* matrix_kernels.c: matrix_lanes.h for each element type and each vector. */
#include "matrix_kernels.h"
#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>
#include "compiler/graph/matrix/matrix_call.h"

#define TARGET

#define T         float
#define I         int32_t
#define LANES     1
#define N(name)   f32_##name
#define V_SQRT(v) sqrtf(v)
#include "matrix_lanes.h"
#undef T
#undef I
#undef N
#undef V_SQRT

#define T         double
#define I         int64_t
#define N(name)   f64_##name
#define V_SQRT(v) sqrt(v)
#include "matrix_lanes.h"
#undef T
#undef I
#undef LANES
#undef N
#undef V_SQRT
#undef TARGET

#define KERNELS(name) \
    { name(cholesky_all), name(solve_all), name(solve_each), name(lu_all),   name(qr_all), name(geqrf_all), \
      name(orgqr_all),    name(eigh_all),  name(svd_all),    name(eigh_one), name(svd_one) }
#define SINGLE(name) { KERNELS(name), name(cholesky_large) }
#define F32(name)    f32_##name
#define F64(name)    f64_##name
static const MatrixSingle single[] = { SINGLE(F32), SINGLE(F64) };

const MatrixSingle *matrix_single(int double_) { return &single[double_]; }

#if defined(__x86_64__)
#include <immintrin.h>

#define T float
#define I int32_t

#define TARGET    __attribute__((target("avx512f,avx512bw,avx512dq,avx512vl")))
#define LANES     16
#define N(name)   f32x16_##name
#define V_SQRT(v) ((f32x16_vec)_mm512_sqrt_ps((__m512)(v)))
#include "matrix_lanes.h"
#undef TARGET
#undef LANES
#undef N
#undef V_SQRT

#define TARGET    __attribute__((target("avx2")))
#define LANES     8
#define N(name)   f32x8_##name
#define V_SQRT(v) ((f32x8_vec)_mm256_sqrt_ps((__m256)(v)))
#include "matrix_lanes.h"
#undef TARGET
#undef LANES
#undef N
#undef V_SQRT

#define TARGET
#define LANES     4
#define N(name)   f32x4_##name
#define V_SQRT(v) ((f32x4_vec)_mm_sqrt_ps((__m128)(v)))
#include "matrix_lanes.h"
#undef TARGET
#undef LANES
#undef N
#undef V_SQRT
#undef T
#undef I

#define T double
#define I int64_t

#define TARGET    __attribute__((target("avx512f,avx512bw,avx512dq,avx512vl")))
#define LANES     8
#define N(name)   f64x8_##name
#define V_SQRT(v) ((f64x8_vec)_mm512_sqrt_pd((__m512d)(v)))
#include "matrix_lanes.h"
#undef TARGET
#undef LANES
#undef N
#undef V_SQRT

#define TARGET    __attribute__((target("avx2")))
#define LANES     4
#define N(name)   f64x4_##name
#define V_SQRT(v) ((f64x4_vec)_mm256_sqrt_pd((__m256d)(v)))
#include "matrix_lanes.h"
#undef TARGET
#undef LANES
#undef N
#undef V_SQRT

#define TARGET
#define LANES     2
#define N(name)   f64x2_##name
#define V_SQRT(v) ((f64x2_vec)_mm_sqrt_pd((__m128d)(v)))
#include "matrix_lanes.h"

#define F32X4(name)  f32x4_##name
#define F32X8(name)  f32x8_##name
#define F32X16(name) f32x16_##name
#define F64X2(name)  f64x2_##name
#define F64X4(name)  f64x4_##name
#define F64X8(name)  f64x8_##name
static const MatrixKernels wide[][2] = { { KERNELS(F32X4), KERNELS(F64X2) },
                                         { KERNELS(F32X8), KERNELS(F64X4) },
                                         { KERNELS(F32X16), KERNELS(F64X8) } };

const MatrixKernels *matrix_kernels(int64_t vector_bytes, int double_)
{
    bool avx512 = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                  __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
    if (vector_bytes >= 64 && avx512) return &wide[2][double_];
    if (vector_bytes >= 32 && __builtin_cpu_supports("avx2")) return &wide[1][double_];
    return &wide[0][double_];
}
#else
const MatrixKernels *matrix_kernels(int64_t vector_bytes, int double_)
{
    (void)vector_bytes;
    return &single[double_].any;
}
#endif
