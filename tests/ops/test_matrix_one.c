/* test_matrix_one.c: eigenvalues and singular values of matrices that are hard for it, by weft's own code:
 * what they leave of a v = v w, how far vectors are from orthogonal, both in long double, and that all
 * vectors of the processor give the same bits. */
#include <criterion/criterion.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "compiler/graph/matrix/matrix_call.h"
#include "runtime/library/library_matrix.h"

static double normal(uint64_t *state)
{
    double sum = -6;
    for (int i = 0; i < 12; i++) {
        *state = *state * 6364136223846793005u + 1442695040888963407u;
        sum += (double)(*state >> 40) * 0x1p-24;
    }
    return sum;
}

enum {
    RANDOM,
    FALLING,
    RISING,
    CLUSTERED,
    POOR,
    ZERO,
    DIAGONAL,
    WILKINSON,
    TOEPLITZ,
    SHIFT,
    INTEGERS,
    TINY,
    HUGE_ONES,
    KINDS
};
static const char *const kind_name[KINDS] = { "random",   "falling",  "rising",    "clustered", "poor",
                                              "zero",     "diagonal", "wilkinson", "toeplitz",  "shift",
                                              "integers", "tiny",     "huge" };

/* Element (i, j) of a matrix [m, n], r a normal number. */
static double element(int kind, int64_t i, int64_t j, int64_t n, double r, bool of_double)
{
    double eps = of_double ? DBL_EPSILON : FLT_EPSILON, apart = fabs((double)(i - j));
    switch (kind) {
    case FALLING:   return r * pow(eps, (double)(i + j) / (double)n);
    case RISING:    return r * pow(eps, fmax(0, (double)(2 * n - i - j)) / (double)n);
    case CLUSTERED: return (i == j) + r * eps * 4;
    case POOR:      return sin((double)i + 1) * sin((double)j + 1);
    case ZERO:      return 0;
    case DIAGONAL:  return i == j ? r : 0;
    case WILKINSON: return i == j ? fabs((double)(2 * i + 1 - n)) / 2 : apart == 1;
    case TOEPLITZ:  return i == j ? 2 : -(apart == 1);
    case SHIFT:     return j == i + 1;
    case INTEGERS:  return rint(r * 0.7);
    case TINY:      return r * (of_double ? 0x1p-1060 : 0x1p-140);
    case HUGE_ONES: return r * (of_double ? 0x1p1018 : 0x1p122);
    default:        return r;
    }
}

static double get(const void *a, int64_t i, bool of_double)
{
    return of_double ? ((const double *)a)[i] : (double)((const float *)a)[i];
}

static void put(void *a, int64_t i, bool of_double, double x)
{
    if (of_double) ((double *)a)[i] = x;
    else ((float *)a)[i] = (float)x;
}

typedef struct Factors {
    char *out[3];
    size_t bytes[3];
} Factors;

static void run(int64_t numbers[MATRIX_NUMBERS], const void *a, Factors *f, int64_t vector_bytes)
{
    int64_t m = numbers[MATRIX_ROWS], n = numbers[MATRIX_COLUMNS], batch = numbers[MATRIX_BATCH];
    size_t element_bytes = dtype_bytes((DType)numbers[MATRIX_DTYPE]);
    numbers[MATRIX_VECTOR_BYTES] = vector_bytes;
    numbers[MATRIX_THREADS] = 1;
    void *scratch = malloc((size_t)matrix_scratch_bytes(numbers)), *buffers[5] = { (void *)a };
    int n_out = matrix_results((Op)numbers[MATRIX_OP], numbers + MATRIX_ATTR);
    int64_t longest = m > n ? m : n;
    for (int i = 0; i < n_out; i++) {
        f->bytes[i] = (size_t)(batch * longest * longest) * element_bytes;
        buffers[1 + i] = f->out[i] = calloc(1, f->bytes[i] + 1);
    }
    buffers[1 + n_out] = scratch;
    library_matrix(buffers, numbers, NULL);
    free(scratch);
}

static void release(Factors *f)
{
    for (int i = 0; i < 3; i++) free(f->out[i]);
}

/* Largest |sum over k of x[k, i] y[k, j] - (i == j)|, of columns. */
static double from_orthogonal(const void *x, int64_t rows, int64_t columns, bool of_double)
{
    long double worst = 0;
    for (int64_t i = 0; i < columns; i++)
        for (int64_t j = 0; j <= i; j++) {
            long double sum = -(i == j);
            for (int64_t k = 0; k < rows; k++)
                sum += (long double)get(x, k * columns + i, of_double) * get(x, k * columns + j, of_double);
            worst = fmaxl(worst, fabsl(sum));
            if (sum != sum) return INFINITY;
        }
    return (double)worst;
}

static void expect_same_bits(int64_t numbers[MATRIX_NUMBERS], const void *a, const Factors *f,
                             const char *what)
{
    for (int64_t vector = 16; vector <= 32; vector *= 2) {
        Factors narrow = { 0 };
        run(numbers, a, &narrow, vector);
        for (int i = 0; i < matrix_results((Op)numbers[MATRIX_OP], numbers + MATRIX_ATTR); i++)
            cr_assert_arr_eq(f->out[i], narrow.out[i], f->bytes[i], "%s of %d x %d: vectors of %d bytes",
                             what, (int)numbers[MATRIX_ROWS], (int)numbers[MATRIX_COLUMNS], (int)vector);
        release(&narrow);
    }
}

static void check_eigh(int64_t n, int kind, bool of_double, bool lower, int64_t batch)
{
    uint64_t state = (uint64_t)(n * 100 + kind);
    size_t bytes = of_double ? 8 : 4;
    char *a = malloc((size_t)(batch * n * n) * bytes + 1);
    for (int64_t b = 0; b < batch; b++)
        for (int64_t i = 0; i < n; i++)
            for (int64_t j = 0; j < n; j++) { /* nothing reads the other triangle */
                bool inside = lower ? j <= i : i <= j;
                double x = element(kind, i, j, n, normal(&state), of_double);
                put(a, (b * n + i) * n + j, of_double, inside ? x : NAN);
            }
    int64_t numbers[MATRIX_NUMBERS] = { OP_EIGH, of_double ? WEFT_F64 : WEFT_F32, batch, n, n };
    numbers[MATRIX_ATTR] = lower;
    Factors f = { 0 };
    run(numbers, a, &f, INT64_MAX);
    expect_same_bits(numbers, a, &f, kind_name[kind]);
    double eps = of_double ? DBL_EPSILON : FLT_EPSILON, limit = eps * (8 + 3 * sqrt((double)n)),
           smallest = of_double ? 0x1p-1074 : 0x1p-149;
    for (int64_t b = 0; b < batch; b++) {
        const char *v = f.out[0] + (size_t)(b * n * n) * bytes, *w = f.out[1] + (size_t)(b * n) * bytes,
                   *one = a + (size_t)(b * n * n) * bytes;
        long double worst = 0, norm = 0;
        for (int64_t j = 0; j < n; j++) {
            norm = fmaxl(norm, fabsl(get(w, j, of_double)));
            if (j) cr_assert_leq(get(w, j - 1, of_double), get(w, j, of_double));
            for (int64_t i = 0; i < n; i++) {
                long double sum = -(long double)get(w, j, of_double) * get(v, i * n + j, of_double);
                for (int64_t k = 0; k < n; k++) {
                    int64_t at = lower == (k <= i) ? i * n + k : k * n + i;
                    sum += (long double)get(one, at, of_double) * get(v, k * n + j, of_double);
                }
                worst = sum != sum ? INFINITY : fmaxl(worst, fabsl(sum));
            }
        }
        cr_assert_leq((double)worst, (double)(norm * limit + smallest * (long double)n),
                      "eigh %s of %d, f%d: leaves %g of norm %g", kind_name[kind], (int)n,
                      of_double ? 64 : 32, (double)worst, (double)norm);
        double off = from_orthogonal(v, n, n, of_double);
        cr_assert_leq(off, limit, "eigh %s of %d, f%d: %g eps from orthogonal", kind_name[kind], (int)n,
                      of_double ? 64 : 32, off / eps);
    }
    release(&f);
    free(a);
}

static void check_svd(int64_t m, int64_t n, int kind, bool of_double, bool full, int64_t batch)
{
    uint64_t state = (uint64_t)(n * 100 + kind);
    size_t bytes = of_double ? 8 : 4;
    int64_t k = m < n ? m : n, of_u = full ? m : k, of_v = full ? n : k;
    char *a = malloc((size_t)(batch * m * n) * bytes + 1);
    for (int64_t b = 0; b < batch; b++)
        for (int64_t i = 0; i < m; i++)
            for (int64_t j = 0; j < n; j++)
                put(a, (b * m + i) * n + j, of_double, element(kind, i, j, n, normal(&state), of_double));
    int64_t numbers[MATRIX_NUMBERS] = { OP_SVD, of_double ? WEFT_F64 : WEFT_F32, batch, m, n };
    numbers[MATRIX_ATTR] = full;
    numbers[MATRIX_ATTR + 1] = true;
    Factors f = { 0 }, values = { 0 };
    run(numbers, a, &f, INT64_MAX);
    expect_same_bits(numbers, a, &f, kind_name[kind]);
    numbers[MATRIX_ATTR + 1] = false;
    run(numbers, a, &values, INT64_MAX);
    cr_assert_arr_eq(values.out[0], f.out[0], (size_t)(batch * k) * bytes, "values alone are the same");
    double eps = of_double ? DBL_EPSILON : FLT_EPSILON, limit = eps * (8 + 3 * sqrt((double)(m + n))),
           smallest = of_double ? 0x1p-1074 : 0x1p-149;
    for (int64_t b = 0; b < batch; b++) {
        const char *s = f.out[0] + (size_t)(b * k) * bytes, *u = f.out[1] + (size_t)(b * m * of_u) * bytes,
                   *v = f.out[2] + (size_t)(b * of_v * n) * bytes, *one = a + (size_t)(b * m * n) * bytes;
        long double worst = 0, norm = k ? get(s, 0, of_double) : 0;
        for (int64_t i = 0; i < k; i++)
            cr_assert_geq(get(s, i, of_double), i + 1 < k ? get(s, i + 1, of_double) : 0,
                          "svd %s of %d x %d, f%d: value %d is %g", kind_name[kind], (int)m, (int)n,
                          of_double ? 64 : 32, (int)i, get(s, i, of_double));
        for (int64_t i = 0; i < m; i++)
            for (int64_t j = 0; j < n; j++) {
                long double sum = -(long double)get(one, i * n + j, of_double);
                for (int64_t l = 0; l < k; l++)
                    sum += (long double)get(u, i * of_u + l, of_double) * get(s, l, of_double) *
                           get(v, l * n + j, of_double);
                worst = sum != sum ? INFINITY : fmaxl(worst, fabsl(sum));
            }
        cr_assert_leq((double)worst, (double)(norm * limit + smallest * (long double)(m + n)),
                      "svd %s of %d x %d, f%d: leaves %g of norm %g", kind_name[kind], (int)m, (int)n,
                      of_double ? 64 : 32, (double)worst, (double)norm);
        char *turned = malloc((size_t)(of_v * n) * bytes + 1);
        for (int64_t i = 0; i < of_v; i++)
            for (int64_t j = 0; j < n; j++)
                put(turned, j * of_v + i, of_double, get(v, i * n + j, of_double));
        double off =
            fmax(from_orthogonal(u, m, of_u, of_double), from_orthogonal(turned, n, of_v, of_double));
        cr_assert_leq(off, limit, "svd %s of %d x %d, f%d: %g eps from orthogonal", kind_name[kind], (int)m,
                      (int)n, of_double ? 64 : 32, off / eps);
        free(turned);
    }
    release(&f);
    release(&values);
    free(a);
}

TestSuite(matrix_one, .timeout = 200);

Test(matrix_one, eigh_of_hard_ones)
{
    static const int sizes[] = { 0, 1, 2, 3, 4, 5, 7, 8, 9, 12, 15, 16, 17, 30, 33, 40, 64, 101 };
    for (unsigned i = 0; i < sizeof sizes / sizeof *sizes; i++)
        for (int kind = 0; kind < KINDS; kind++)
            for (int k = 0; k < 4; k++) check_eigh(sizes[i], kind, k & 1, k & 2, sizes[i] < 20 ? 3 : 1);
}

Test(matrix_one, svd_of_hard_ones)
{
    static const int sizes[][2] = { { 0, 3 },   { 1, 1 },   { 1, 5 },   { 3, 3 },   { 5, 4 },
                                    { 4, 6 },   { 8, 8 },   { 9, 17 },  { 16, 15 }, { 40, 30 },
                                    { 30, 40 }, { 33, 33 }, { 70, 65 }, { 90, 2 } };
    for (unsigned i = 0; i < sizeof sizes / sizeof *sizes; i++)
        for (int kind = 0; kind < KINDS; kind++)
            for (int k = 0; k < 4; k++)
                check_svd(sizes[i][0], sizes[i][1], kind, k & 1, k & 2, sizes[i][0] < 20 ? 3 : 1);
}

/* A batch in which one matrix holds a number that is not finite: its own factors are NaN. */
Test(matrix_one, nan_stays_alone)
{
    enum { N = 30, BATCH = 3 };
    static double a[BATCH * N * N];
    uint64_t state = 1;
    for (int i = 0; i < BATCH * N * N; i++) a[i] = normal(&state);
    for (int inf = 0; inf < 2; inf++) {
        a[N * N + 5 * N + 3] = inf ? INFINITY : NAN;
        int64_t numbers[MATRIX_NUMBERS] = { OP_EIGH, WEFT_F64, BATCH, N, N, [MATRIX_ATTR] = 1 };
        Factors f = { 0 };
        run(numbers, a, &f, INT64_MAX);
        for (int i = 0; i < BATCH * N * N; i++) {
            bool is_second = i / (N * N) == 1, is_nan = isnan(((double *)f.out[0])[i]);
            cr_assert_eq(is_nan, is_second);
            if (i < BATCH * N) cr_assert_eq(isnan(((double *)f.out[1])[i]) != 0, i / N == 1);
        }
        release(&f);
    }
}

/* And each number of them is the same NaN, whatever was not finite and whoever stands beside it. */
Test(matrix_one, nan_is_one_number)
{
    enum { N = 5, BATCH = 20, BAD = 7 };
    static double a[BATCH * N * N];
    const double bad[] = { INFINITY, -INFINITY, NAN, -NAN }, nan = NAN;
    uint64_t state = 1;
    for (int i = 0; i < BATCH * N * N; i++) a[i] = normal(&state);
    for (int k = 0; k < 8; k++) {
        int64_t numbers[MATRIX_NUMBERS] = { k & 1 ? OP_SVD : OP_EIGH, WEFT_F64, BATCH, N, N };
        numbers[MATRIX_ATTR] = numbers[MATRIX_ATTR + 1] = 1;
        a[BAD * N * N + N] = bad[k / 2];
        Factors f = { 0 };
        run(numbers, a, &f, INT64_MAX);
        for (int i = 0; i < matrix_results((Op)numbers[MATRIX_OP], numbers + MATRIX_ATTR); i++) {
            int count = i == !(k & 1) ? N : N * N; /* values come first in SVD, second in EIGH */
            for (int j = 0; j < count; j++)
                cr_assert_arr_eq(f.out[i] + (size_t)(BAD * count + j) * sizeof nan, &nan, sizeof nan,
                                 "kind %d, result %d", k, i);
        }
        release(&f);
    }
}
