/* lapack.c: calls of LAPACK and BLAS, one matrix after the other. SciPy's are taken where the process shows
 * them to all (the plugin for JAX does so: its numbers are SciPy's then). Others are looked for by their
 * usual name (liblapack.so.3, which on Debian is what the administrator chose: OpenBLAS, or the reference),
 * by the system's loader, as libLLVM is.
 *
 * LAPACK has matrices by columns: to it a row-major matrix is its transpose. Where that can be said in the
 * call (the other triangle, the other side) nothing is moved. */
#include "lapack.h"
#include "compiler/graph/matrix/matrix_call.h"
#include "matrix_kernels.h"
#include <dlfcn.h>
#include <float.h>
#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

typedef int LapackInt;
typedef const LapackInt *Size;
typedef void Potrf(const char *uplo, Size n, void *a, Size lda, LapackInt *info, size_t);
typedef void Trsm(const char *side, const char *uplo, const char *trans, const char *diag, Size m, Size n,
                  const void *alpha, const void *a, Size lda, void *b, Size ldb, size_t, size_t, size_t,
                  size_t);
typedef void Getrf(Size m, Size n, void *a, Size lda, LapackInt *pivots, LapackInt *info);
typedef void Geqrf(Size m, Size n, void *a, Size lda, void *tau, void *work, Size lwork, LapackInt *info);
typedef void Orgqr(Size m, Size n, Size k, void *a, Size lda, const void *tau, void *work, Size lwork,
                   LapackInt *info);
typedef void Syevd(const char *jobz, const char *uplo, Size n, void *a, Size lda, void *w, void *work,
                   Size lwork, LapackInt *iwork, Size liwork, LapackInt *info, size_t, size_t);
typedef void Gesdd(const char *jobz, Size m, Size n, void *a, Size lda, void *s, void *u, Size ldu, void *vt,
                   Size ldvt, void *work, Size lwork, LapackInt *iwork, LapackInt *info, size_t);

typedef void Heevd(const char *jobz, const char *uplo, Size n, void *a, Size lda, void *w, void *work,
                   Size lwork, void *rwork, Size lrwork, LapackInt *iwork, Size liwork, LapackInt *info,
                   size_t, size_t);
typedef void GesddComplex(const char *jobz, Size m, Size n, void *a, Size lda, void *s, void *u, Size ldu,
                          void *vt, Size ldvt, void *work, Size lwork, void *rwork, LapackInt *iwork,
                          LapackInt *info, size_t);

typedef void Geev(const char *jobvl, const char *jobvr, Size n, void *a, Size lda, void *w, void *vl,
                  Size ldvl, void *vr, Size ldvr, void *work, Size lwork, void *rwork, LapackInt *info,
                  size_t, size_t);

typedef void GeevReal(const char *jobvl, const char *jobvr, Size n, void *a, Size lda, void *wr, void *wi,
                      void *vl, Size ldvl, void *vr, Size ldvr, void *work, Size lwork, LapackInt *info,
                      size_t, size_t);
typedef void Gehrd(Size n, Size low, Size high, void *a, Size lda, void *tau, void *work, Size lwork,
                   LapackInt *info);
typedef void Gees(const char *jobvs, const char *sort, void *select, Size n, void *a, Size lda,
                  LapackInt *sdim, void *wr, void *wi, void *vs, Size ldvs, void *work, Size lwork,
                  LapackInt *bwork, LapackInt *info, size_t, size_t);
typedef void GeesComplex(const char *jobvs, const char *sort, void *select, Size n, void *a, Size lda,
                         LapackInt *sdim, void *w, void *vs, Size ldvs, void *work, Size lwork, void *rwork,
                         LapackInt *bwork, LapackInt *info, size_t, size_t);

/* Of f32, f64, c64, c128; NULL: it has none. Of two where complex ones take other operands. */
static struct Lapack {
    Potrf *potrf[4];
    Trsm *trsm[4];
    Getrf *getrf[4];
    Geqrf *geqrf[4];
    Orgqr *orgqr[4];
    Syevd *syevd[2];
    Gesdd *gesdd[2];
    Heevd *heevd[2];
    GesddComplex *complex_gesdd[2];
    Geev *geev[2]; /* of complex ones */
    GeevReal *real_geev[2];
    Gehrd *gehrd[4];
    Gees *gees[2];
    GeesComplex *complex_gees[2];
} lapack;
static struct {
    int (*threads)(void), (*parallel)(void);
} openblas;
static pthread_mutex_t in_use = PTHREAD_MUTEX_INITIALIZER;
static pthread_once_t looked = PTHREAD_ONCE_INIT;
static _Atomic(bool) forgotten;
static bool is_open;

/* Where functions are looked for, and what stands before their names. */
typedef struct Named {
    void *library;
    const char *prefix;
} Named;

static void *function(Named in, const char *name)
{
    char whole[64];
    snprintf(whole, sizeof whole, "%s%s", in.prefix, name);
    return dlsym(in.library, whole);
}

static void find(Named in, const char *single, const char *of_double, void *to)
{
    void *found[] = { function(in, single), function(in, of_double) };
    if (found[0] && found[1]) memcpy(to, found, sizeof found);
}

static void look(void)
{
    Named library = { dlopen(NULL, RTLD_NOW), "scipy_" };
    if (!function(library, "sgees_"))
        library = (Named){ dlopen("liblapack.so.3", RTLD_NOW | RTLD_LOCAL), "" };
    if (!library.library) return;
    find(library, "spotrf_", "dpotrf_", lapack.potrf);
    find(library, "strsm_", "dtrsm_", lapack.trsm);
    find(library, "sgetrf_", "dgetrf_", lapack.getrf);
    find(library, "sgeqrf_", "dgeqrf_", lapack.geqrf);
    find(library, "sorgqr_", "dorgqr_", lapack.orgqr);
    find(library, "ssyevd_", "dsyevd_", lapack.syevd);
    find(library, "sgesdd_", "dgesdd_", lapack.gesdd);
    find(library, "cpotrf_", "zpotrf_", lapack.potrf + 2);
    find(library, "ctrsm_", "ztrsm_", lapack.trsm + 2);
    find(library, "cgetrf_", "zgetrf_", lapack.getrf + 2);
    find(library, "cgeqrf_", "zgeqrf_", lapack.geqrf + 2);
    find(library, "cungqr_", "zungqr_", lapack.orgqr + 2);
    find(library, "cheevd_", "zheevd_", lapack.heevd);
    find(library, "cgesdd_", "zgesdd_", lapack.complex_gesdd);
    find(library, "cgeev_", "zgeev_", lapack.geev);
    find(library, "sgeev_", "dgeev_", lapack.real_geev);
    find(library, "sgehrd_", "dgehrd_", lapack.gehrd);
    find(library, "cgehrd_", "zgehrd_", lapack.gehrd + 2);
    find(library, "sgees_", "dgees_", lapack.gees);
    find(library, "cgees_", "zgees_", lapack.complex_gees);
    find(library, "openblas_get_num_threads", "openblas_get_parallel", &openblas);
    is_open = true;
}

void lapack_open(void) { pthread_once(&looked, look); }
bool lapack_is_open(void) { return is_open; }
bool lapack_takes_turns(void)
{
    return openblas.threads && !(openblas.parallel() && openblas.threads() == 1);
}
/* By measurement: OpenBLAS's LU on threads, which calls itself for halves, takes 4.7 MiB, of which each call
 * has 0.5 for what up to 64 threads tell each other; without threads, and in the reference, 56 KiB is the
 * most, by complex eigenvectors. Others' nobody has measured. */
size_t lapack_stack(void) { return openblas.threads && openblas.parallel() ? 6 << 20 : 1 << 20; }
void lapack_forked(void) { pthread_mutex_init(&in_use, NULL); }
void lapack_forget(bool as_if) { atomic_store(&forgotten, as_if); }

static size_t bytes_of(const int64_t *n) { return dtype_bytes((DType)n[MATRIX_DTYPE]); }
static bool is_complex(const int64_t *n) { return dtype_is_complex((DType)n[MATRIX_DTYPE]); }
static bool of_double(const int64_t *n) { return dtype_part((DType)n[MATRIX_DTYPE]) == WEFT_F64; }
/* Which of four. */
static int type_of(const int64_t *n) { return of_double(n) + 2 * is_complex(n); }
static size_t part_bytes(const int64_t *n) { return of_double(n) ? 8 : 4; }

static void fill(const int64_t *n, void *to, int64_t parts, double with)
{
    for (int64_t i = 0; i < parts; i++)
        if (of_double(n)) ((double *)to)[i] = with;
        else ((float *)to)[i] = (float)with;
}

/* The elements of a triangle with its diagonal, or the other ones. */
static void fill_triangle(const int64_t *n, char *a, bool lower, bool other, double with)
{
    int64_t rows = n[MATRIX_ROWS];
    bool right = lower == other;
    for (int64_t i = 0; i < rows; i++) {
        int64_t from = right ? i + other : 0, to = right ? rows : i + lower;
        fill(n, a + (size_t)(i * rows + from) * bytes_of(n), (to - from) * (is_complex(n) ? 2 : 1), with);
    }
}

/* Matrix b of an array of such with n elements. */
static char *part(const void *array, int64_t b, int64_t n, size_t bytes)
{
    return (char *)(uintptr_t)array + (size_t)(b * n) * bytes;
}

/* OpenBLAS goes on where a pivot is NaN. */
static bool has_nan_pivot(const int64_t *n, const char *a)
{
    double sum = 0;
    for (int64_t i = 0; i < n[MATRIX_ROWS]; i++) {
        const char *pivot = a + (size_t)(i * n[MATRIX_ROWS] + i) * bytes_of(n);
        sum += of_double(n) ? *(const double *)pivot : (double)*(const float *)pivot;
    }
    return sum != sum;
}

/* op(a) x = b is x^T op(a)^T = b^T, of matrices that LAPACK has as a^T and b^T. */
static bool solve(const int64_t *n, const void *const *in, void *const *out)
{
    Trsm *f = lapack.trsm[type_of(n)];
    bool left = n[MATRIX_ATTR], lower = n[MATRIX_ATTR + 1], unit = n[MATRIX_ATTR + 2];
    LapackInt size = (LapackInt)n[MATRIX_ROWS], other = (LapackInt)n[MATRIX_OTHER],
              rows = left ? other : size, columns = left ? size : other;
    size_t of_a = (size_t)(n[MATRIX_ROWS] * n[MATRIX_ROWS]) * bytes_of(n),
           of_b = (size_t)(n[MATRIX_ROWS] * n[MATRIX_OTHER]) * bytes_of(n);
    static const char op[][2] = { "N", "T", "C" };
    const double one[] = { 1, 0 };
    const float one_f32[] = { 1, 0 };
    if (!f || !other) return f != NULL;
    memcpy(out[0], in[1], of_b * (size_t)n[MATRIX_BATCH]);
    for (int64_t b = 0; b < n[MATRIX_BATCH]; b++)
        f(left ? "R" : "L", lower ? "U" : "L", op[n[MATRIX_ATTR + 3]], unit ? "U" : "N", &rows, &columns,
          of_double(n) ? (const void *)one : one_f32, (const char *)in[0] + (size_t)b * of_a, &size,
          (char *)out[0] + (size_t)b * of_b, &rows, 1, 1, 1, 1);
    return true;
}

/* ---- matrices turned over */

typedef float Four __attribute__((vector_size(16), aligned(sizeof(float)), may_alias));
typedef double Two __attribute__((vector_size(16), aligned(sizeof(double)), may_alias));

/* A square in registers. */
static void square_float(const float *from, int64_t columns, float *to, int64_t rows)
{
    Four a = *(const Four *)from, b = *(const Four *)(from + columns),
         c = *(const Four *)(from + 2 * columns), d = *(const Four *)(from + 3 * columns),
         low_ab = __builtin_shufflevector(a, b, 0, 4, 1, 5),
         low_cd = __builtin_shufflevector(c, d, 0, 4, 1, 5), ab = __builtin_shufflevector(a, b, 2, 6, 3, 7),
         cd = __builtin_shufflevector(c, d, 2, 6, 3, 7);
    *(Four *)to = __builtin_shufflevector(low_ab, low_cd, 0, 1, 4, 5);
    *(Four *)(to + rows) = __builtin_shufflevector(low_ab, low_cd, 2, 3, 6, 7);
    *(Four *)(to + 2 * rows) = __builtin_shufflevector(ab, cd, 0, 1, 4, 5);
    *(Four *)(to + 3 * rows) = __builtin_shufflevector(ab, cd, 2, 3, 6, 7);
}

static void square_double(const double *from, int64_t columns, double *to, int64_t rows)
{
    Two a = *(const Two *)from, b = *(const Two *)(from + columns);
    *(Two *)to = __builtin_shufflevector(a, b, 0, 2);
    *(Two *)(to + rows) = __builtin_shufflevector(a, b, 1, 3);
}

/* A matrix that is turned over: [rows, columns] as [columns, rows]; from one row to the next, and from one of
 * the result to the next, it is so many elements. back: from LAPACK's to ours. */
typedef struct Turned {
    size_t bytes;
    int64_t rows, columns;
    const char *from;
    int64_t apart;
    char *to;
    int64_t to_apart;
    bool back;
} Turned;

#define TURN(T, SIDE) \
    static void turn_##T(const T *from, int64_t apart, int64_t rows, int64_t columns, T *to, \
                         int64_t to_apart) \
    { \
        int64_t whole_rows = rows / SIDE * SIDE, whole_columns = columns / SIDE * SIDE; \
        for (int64_t r = 0; r < whole_rows; r += SIDE) \
            for (int64_t c = 0; c < whole_columns; c += SIDE) \
                square_##T(from + r * apart + c, apart, to + c * to_apart + r, to_apart); \
        for (int64_t r = 0; r < rows; r++) \
            for (int64_t c = r < whole_rows ? whole_columns : 0; c < columns; c++) \
                to[c * to_apart + r] = from[r * apart + c]; \
    }
typedef double _Complex Pair;
static void square_Pair(const Pair *from, int64_t columns, Pair *to, int64_t rows)
{
    (void)columns, (void)rows;
    *to = *from;
}
TURN(float, 4)
TURN(double, 2)
TURN(Pair, 1)

static int64_t least(int64_t a, int64_t b) { return a < b ? a : b; }

/* A block of so many rows and columns: lines of the cache, each read and written once. */
static int64_t turned_at_once(size_t bytes) { return bytes == 4 ? 16 : 8; }

static void turn_block(const Turned *t, int64_t r, int64_t c)
{
    int64_t most = turned_at_once(t->bytes), rows = least(t->rows - r, most),
            columns = least(t->columns - c, most);
    const void *from = t->from + (size_t)(r * t->apart + c) * t->bytes;
    void *to = t->to + (size_t)(c * t->to_apart + r) * t->bytes;
    if (t->bytes == 16) turn_Pair(from, t->apart, rows, columns, to, t->to_apart);
    else if (t->bytes == 8) turn_double(from, t->apart, rows, columns, to, t->to_apart);
    else turn_float(from, t->apart, rows, columns, to, t->to_apart);
}

/* Along the rows of our side, whose leading dimension may be a power of two. triangle: our lower one of a
 * square; some of the rest comes along. */
static void turn(Turned t, bool triangle)
{
    int64_t rows = t.back ? t.columns : t.rows, columns = t.back ? t.rows : t.columns,
            step = turned_at_once(t.bytes);
    for (int64_t i = 0; i < rows; i += step)
        for (int64_t k = 0; k < (triangle ? i + 1 : columns); k += step)
            turn_block(&t, t.back ? k : i, t.back ? i : k);
}

/* [rows, columns] as LAPACK has it, and so many of LAPACK's rows back. */
static Turned to_columns(const int64_t *n, const void *from, int64_t rows, int64_t columns, void *to)
{
    return (Turned){ bytes_of(n), rows, columns, from, columns, to, matrix_leading(n, rows), false };
}
static Turned to_rows(const int64_t *n, const void *from, int64_t leading, int64_t rows, int64_t columns,
                      void *to)
{
    return (Turned){ bytes_of(n), columns, rows, from, leading, to, columns, true };
}

/* Rows of so many elements, as they are. */
static void copy_rows(const int64_t *n, const char *from, int64_t apart, int64_t rows, int64_t columns,
                      char *to, int64_t to_apart)
{
    size_t bytes = bytes_of(n);
    for (int64_t r = 0; r < rows; r++)
        memcpy(to + (size_t)(r * to_apart) * bytes, from + (size_t)(r * apart) * bytes,
               (size_t)columns * bytes);
}

/* Of columns OpenBLAS makes a lower factor in 0.75 of the time of an upper one (512 x 512, f64), so a lower
 * one of rows is turned before and after. */
static bool cholesky(const int64_t *n, const void *const *in, void *const *out, char *scratch)
{
    Potrf *f = lapack.potrf[type_of(n)];
    bool lower = n[MATRIX_ATTR];
    LapackInt size = (LapackInt)n[MATRIX_ROWS], leading = (LapackInt)matrix_leading(n, size), info;
    int64_t all = (int64_t)size * size;
    if (!f) return false;
    for (int64_t b = 0; b < n[MATRIX_BATCH]; b++) {
        char *a = part(in[0], b, all, bytes_of(n)), *factor = part(out[0], b, all, bytes_of(n));
        if (lower) turn(to_columns(n, a, size, size, scratch), true);
        else copy_rows(n, a, size, size, size, scratch, leading);
        f("L", &size, scratch, &leading, &info, 1);
        if (lower) turn(to_rows(n, scratch, leading, size, size, factor), true);
        else copy_rows(n, scratch, leading, size, size, factor, size);
        fill_triangle(n, factor, lower, true, 0);
        if (info || has_nan_pivot(n, factor)) fill_triangle(n, factor, lower, false, NAN);
    }
    return true;
}

/* Of numbers of the matrix's type, or of real ones. */
static void fill_nan(const int64_t *n, void *to, int64_t count, bool real)
{
    fill(n, to, is_complex(n) && !real ? 2 * count : count, NAN);
}

/* 0, or NaN where one of so many elements is not finite. */
static double unless_finite(const int64_t *n, const char *a, int64_t count)
{
    double sum = 0;
    for (int64_t i = 0; i < count * (is_complex(n) ? 2 : 1); i++) {
        double x = of_double(n) ? ((const double *)a)[i] : (double)((const float *)a)[i];
        sum += x - x;
    }
    return sum;
}

/* Where a number is not finite LAPACK's steps are in vain, and the sign of a NaN another in each call. */
static bool is_finite(const int64_t *n, const char *a)
{
    return unless_finite(n, a, n[MATRIX_ROWS] * n[MATRIX_COLUMNS]) == 0;
}

/* The largest part of so many elements, or NaN where one is. */
static double largest(const int64_t *n, const char *a, int64_t count)
{
    double most = 0;
    for (int64_t i = 0; i < count * (is_complex(n) ? 2 : 1); i++) {
        double x = fabs(of_double(n) ? ((const double *)a)[i] : (double)((const float *)a)[i]);
        if (x > most || x != x) most = x;
    }
    return most;
}

/* OpenBLAS cannot divide by a subnormal pivot: 0.3.21 multiplies by its inverse, which may be inf, and 0.3.30
 * neither divides the column nor exchanges rows, so a larger one than that on the diagonal may stand below.
 * factors: by columns. */
static bool has_subnormal_pivot(const int64_t *n, const char *factors, int64_t leading)
{
    int64_t rows = n[MATRIX_ROWS];
    double normal = of_double(n) ? DBL_MIN : (double)FLT_MIN;
    for (int64_t i = 0; i < least(rows, n[MATRIX_COLUMNS]); i++) {
        const char *pivot = factors + (size_t)(i * leading + i) * bytes_of(n);
        if (largest(n, pivot, 1) < normal && largest(n, pivot, rows - i) != 0) return true;
    }
    return false;
}

static void lu_by_own_code(const int64_t *n, const void *a, void *const *out, char *scratch)
{
    int64_t one[MATRIX_NUMBERS];
    memcpy(one, n, sizeof one);
    one[MATRIX_BATCH] = 1;
    MatrixFn *f = is_complex(n) ? matrix_complex(OP_LU, of_double(n)) : matrix_single(of_double(n))->any.lu;
    f(one, &a, out, scratch);
}

static bool lu(const int64_t *n, const void *const *in, void *const *out, char *scratch)
{
    size_t bytes = bytes_of(n);
    Getrf *f = lapack.getrf[type_of(n)];
    LapackInt rows = (LapackInt)n[MATRIX_ROWS], columns = (LapackInt)n[MATRIX_COLUMNS], info;
    LapackInt leading = (LapackInt)matrix_leading(n, rows);
    int64_t k = rows < columns ? rows : columns, all = (int64_t)rows * columns;
    if (!f || !all) return false;
    for (int64_t b = 0; b < n[MATRIX_BATCH]; b++) {
        char *a = part(in[0], b, all, bytes), *factors = part(out[0], b, all, bytes);
        int32_t *pivot = (int32_t *)out[1] + b * k, *order = (int32_t *)out[2] + b * rows;
        turn(to_columns(n, a, rows, columns, scratch), false);
        f(&rows, &columns, scratch, &leading, pivot, &info);
        if (has_subnormal_pivot(n, scratch, leading)) {
            lu_by_own_code(n, a, (void *[]){ factors, pivot, order }, scratch);
            continue;
        }
        turn(to_rows(n, scratch, leading, rows, columns, factors), false);
        for (int32_t i = 0; i < rows; i++) order[i] = i;
        for (int64_t i = 0; i < k; i++) {
            int32_t with = --pivot[i], kept = order[i];
            order[i] = order[with];
            order[with] = kept;
        }
    }
    return true;
}

/* GEQRF, HOUSEHOLDER_PRODUCT, QR: q has room for as many columns as it or the matrix has. */
static bool qr(const int64_t *n, const void *const *in, void *const *out, char *scratch)
{
    size_t bytes = bytes_of(n);
    Op op = (Op)n[MATRIX_OP];
    Geqrf *f = lapack.geqrf[type_of(n)];
    Orgqr *g = lapack.orgqr[type_of(n)];
    LapackInt rows = (LapackInt)n[MATRIX_ROWS], columns = (LapackInt)n[MATRIX_COLUMNS], info,
              k = rows < columns ? rows : columns, longer = rows < columns ? columns : rows,
              leading = (LapackInt)matrix_leading(n, rows), room = LAPACK_BLOCK * longer,
              wide = op == OP_QR ? (n[MATRIX_ATTR] ? rows : k) : columns;
    int64_t all = (int64_t)rows * columns;
    if (op == OP_HOUSEHOLDER_PRODUCT) k = (LapackInt)n[MATRIX_OTHER];
    if (!f || !g || !all) return false;
    char *q = scratch, *work = q + (size_t)leading * (size_t)(wide > columns ? wide : columns) * bytes,
         *own_tau = work + (size_t)room * bytes;
    for (int64_t b = 0; b < n[MATRIX_BATCH]; b++) {
        char *tau = op == OP_QR ? own_tau : part(op == OP_GEQRF ? out[1] : in[1], b, k, bytes);
        turn(to_columns(n, part(in[0], b, all, bytes), rows, columns, q), false);
        if (op != OP_HOUSEHOLDER_PRODUCT) f(&rows, &columns, q, &leading, tau, work, &room, &info);
        if (op == OP_GEQRF) {
            turn(to_rows(n, q, leading, rows, columns, part(out[0], b, all, bytes)), false);
            continue;
        }
        char *r = op == OP_QR ? part(out[1], b, (int64_t)wide * columns, bytes) : NULL;
        if (r) turn(to_rows(n, q, leading, wide, columns, r), false);
        for (int64_t i = 1; r && i < wide; i++)
            memset(r + (size_t)(i * columns) * bytes, 0, (size_t)least(i, columns) * bytes);
        g(&rows, &wide, &k, q, &leading, tau, work, &room, &info);
        turn(to_rows(n, q, leading, rows, wide, part(out[0], b, (int64_t)rows * wide, bytes)), false);
    }
    return true;
}

static bool triangle_is_finite(const int64_t *n, const char *a, bool lower)
{
    int64_t rows = n[MATRIX_ROWS];
    double sum = 0;
    for (int64_t i = 0; i < rows; i++)
        sum += unless_finite(n, a + (size_t)(i * rows + (lower ? 0 : i)) * bytes_of(n),
                             lower ? i + 1 : rows - i);
    return sum == 0;
}

static void conjugate(const int64_t *n, void *to, int64_t count)
{
    for (int64_t i = 1; i < 2 * count; i += 2)
        if (of_double(n)) ((double *)to)[i] = -((double *)to)[i];
        else ((float *)to)[i] = -((float *)to)[i];
}

static bool eigh(const int64_t *n, const void *const *in, void *const *out, char *scratch)
{
    size_t bytes = bytes_of(n), part_of = part_bytes(n);
    Syevd *f = lapack.syevd[of_double(n)];
    Heevd *f_complex = lapack.heevd[of_double(n)];
    LapackInt size = (LapackInt)n[MATRIX_ROWS], leading = (LapackInt)matrix_leading(n, size), info = 1,
              ints = 3 + 5 * size, room = 1 + 6 * size + 2 * size * size + LAPACK_BLOCK * size;
    int64_t all = (int64_t)size * size;
    if (!(is_complex(n) ? f_complex != NULL : f != NULL) || size > INT16_MAX) return false;
    LapackInt real_room = 1 + 5 * size + 2 * size * size, half = 2 * size + size * size;
    char *own = scratch, *work = own + (size_t)leading * (size_t)size * bytes,
         *rwork = work + (size_t)half * bytes;
    LapackInt *iwork = (LapackInt *)(work + (size_t)room * bytes);
    for (int64_t b = 0; b < n[MATRIX_BATCH]; b++) {
        char *a = part(in[0], b, all, bytes), *v = part(out[0], b, all, bytes),
             *w = part(out[1], b, size, part_of);
        bool lower = n[MATRIX_ATTR], whole = triangle_is_finite(n, a, lower);
        const char *uplo = lower ? "U" : "L";
        copy_rows(n, a, size, size, size, own, leading);
        if (whole && is_complex(n))
            f_complex("V", uplo, &size, own, &leading, w, work, &half, rwork, &real_room, iwork, &ints, &info,
                      1, 1);
        else if (whole) f("V", uplo, &size, own, &leading, w, work, &room, iwork, &ints, &info, 1, 1);
        whole = whole && !info;
        turn(to_rows(n, own, leading, size, size, v), false);
        if (is_complex(n)) conjugate(n, v, all); /* it had a^T, which is a's conjugate */
        if (!whole) fill_nan(n, v, all, false), fill_nan(n, w, size, true);
    }
    return true;
}

/* Columns that LAPACK's steps towards Schur's form take at once. */
static LapackInt schur_room(const int64_t *n)
{
    return (LAPACK_BLOCK + 3) * (LapackInt)n[MATRIX_ROWS] + LAPACK_GEHRD;
}

static void put_eigenvalues(const int64_t *n, const char *re, const char *im, void *to)
{
    for (int64_t i = 0; i < n[MATRIX_ROWS]; i++)
        if (of_double(n)) {
            ((double *)to)[2 * i] = ((const double *)re)[i];
            ((double *)to)[2 * i + 1] = ((const double *)im)[i];
        } else {
            ((float *)to)[2 * i] = ((const float *)re)[i];
            ((float *)to)[2 * i + 1] = ((const float *)im)[i];
        }
}

/* So many elements, times a power of two. */
static void scale(const int64_t *n, char *a, int64_t count, int by)
{
    double factor = ldexp(1, by);
    for (int64_t i = 0; by && i < count * (is_complex(n) ? 2 : 1); i++)
        if (of_double(n)) ((double *)a)[i] *= factor;
        else ((float *)a)[i] *= (float)factor;
}

/* Brings a, a matrix by columns, to where geev computes: its largest element from 2^-40 to 2^40, of doubles
 * 2^-459 to 2^459, by a power of two; the result is the one that brings eigenvalues back. geev does it
 * itself, but that of OpenBLAS 0.3.30 leaves eigenvalues as they then are. from: a by rows. */
static int bring_into_range(const int64_t *n, const char *from, char *a, int64_t leading)
{
    int64_t rows = n[MATRIX_ROWS];
    int power, limit = of_double(n) ? 458 : 39; /* of a part: a complex element is up to sqrt 2 larger */
    frexp(largest(n, from, rows * rows), &power);
    int back = power - (power > limit ? limit : power < -limit ? -limit : power);
    for (int64_t i = 0; i < rows; i++) scale(n, a + (size_t)(i * leading) * bytes_of(n), rows, -back);
    return back;
}

/* Eigenvalues and vectors of real matrices, as complex numbers. */
static bool eig_real(const int64_t *n, const void *const *in, void *const *out, char *scratch)
{
    size_t bytes = bytes_of(n);
    GeevReal *f = lapack.real_geev[of_double(n)];
    bool right = n[MATRIX_ATTR] & EIG_RIGHT, left = n[MATRIX_ATTR] & EIG_LEFT;
    LapackInt size = (LapackInt)n[MATRIX_ROWS], leading = (LapackInt)matrix_leading(n, size),
              room = schur_room(n), info = 1;
    int64_t all = (int64_t)size * size, copy = (int64_t)size * leading;
    if (!f || !size) return false;
    char *a = scratch, *v = a + (size_t)copy * bytes, *u = v + (size_t)copy * bytes,
         *re = u + (size_t)copy * bytes, *im = re + (size_t)size * bytes, *work = im + (size_t)size * bytes;
    for (int64_t b = 0; b < n[MATRIX_BATCH]; b++) {
        char *w = part(out[0], b, 2 * size, bytes), *from = part(in[0], b, all, bytes);
        bool whole = is_finite(n, from);
        turn(to_columns(n, from, size, size, a), false);
        int back = whole ? bring_into_range(n, from, a, leading) : 0;
        if (whole)
            f(left ? "V" : "N", right ? "V" : "N", &size, a, &leading, re, im, u, &leading, v, &leading, work,
              &room, &info, 1, 1);
        whole = whole && !info;
        if (whole) put_eigenvalues(n, re, im, w), scale(n, w, 2 * size, back);
        else fill_nan(n, w, 2 * size, true);
        for (int i = 0; i < right + left; i++) {
            char *to = part(out[1 + i], b, 2 * all, bytes);
            if (whole) matrix_put_vectors(of_double(n), i == 0 && right ? v : u, leading, im, size, to);
            else fill_nan(n, to, 2 * all, true);
        }
    }
    return true;
}

static bool gehrd(const int64_t *n, const void *const *in, void *const *out, char *scratch)
{
    size_t bytes = bytes_of(n);
    Gehrd *f = lapack.gehrd[type_of(n)];
    LapackInt size = (LapackInt)n[MATRIX_ROWS], leading = (LapackInt)matrix_leading(n, size), low = 1,
              room = schur_room(n), info;
    int64_t all = (int64_t)size * size;
    if (!f || !size) return false;
    for (int64_t b = 0; b < n[MATRIX_BATCH]; b++) {
        turn(to_columns(n, part(in[0], b, all, bytes), size, size, scratch), false);
        f(&size, &low, &size, scratch, &leading, part(out[1], b, size - 1, bytes),
          scratch + (size_t)size * (size_t)leading * bytes, &room, &info);
        turn(to_rows(n, scratch, leading, size, size, part(out[0], b, all, bytes)), false);
    }
    return true;
}

static bool schur(const int64_t *n, const void *const *in, void *const *out, char *scratch)
{
    size_t bytes = bytes_of(n);
    Gees *f = lapack.gees[of_double(n)];
    GeesComplex *f_complex = lapack.complex_gees[of_double(n)];
    bool vectors = n[MATRIX_ATTR];
    LapackInt size = (LapackInt)n[MATRIX_ROWS], leading = (LapackInt)matrix_leading(n, size),
              room = schur_room(n), none, info = 1;
    int64_t all = (int64_t)size * size, copy = (int64_t)size * leading;
    if (!(is_complex(n) ? f_complex != NULL : f != NULL) || !size) return false;
    char *a = scratch, *z = a + (size_t)copy * bytes, *w = z + (size_t)copy * bytes,
         *more = w + (size_t)size * bytes, *work = more + (size_t)size * bytes;
    const char *job = vectors ? "V" : "N";
    for (int64_t b = 0; b < n[MATRIX_BATCH]; b++) {
        char *from = part(in[0], b, all, bytes);
        bool whole = is_finite(n, from);
        turn(to_columns(n, from, size, size, a), false);
        if (whole && is_complex(n))
            f_complex(job, "N", NULL, &size, a, &leading, &none, w, z, &leading, work, &room, more, NULL,
                      &info, 1, 1);
        else if (whole)
            f(job, "N", NULL, &size, a, &leading, &none, w, more, z, &leading, work, &room, NULL, &info, 1,
              1);
        whole = whole && !info;
        char *to[] = { part(out[0], b, all, bytes), vectors ? part(out[1], b, all, bytes) : NULL };
        for (int i = 0; i < 1 + vectors; i++)
            if (whole) turn(to_rows(n, i ? z : a, leading, size, size, to[i]), false);
            else fill_nan(n, to[i], all, false);
    }
    return true;
}

static bool eig(const int64_t *n, const void *const *in, void *const *out, char *scratch)
{
    size_t bytes = bytes_of(n);
    Geev *f = lapack.geev[of_double(n)];
    bool right = n[MATRIX_ATTR] & EIG_RIGHT, left = n[MATRIX_ATTR] & EIG_LEFT;
    LapackInt size = (LapackInt)n[MATRIX_ROWS], leading = (LapackInt)matrix_leading(n, size),
              room = schur_room(n), info = 1;
    int64_t all = (int64_t)size * size, copy = (int64_t)size * leading;
    if (!f || !size) return false;
    char *a = scratch, *v = a + (size_t)copy * bytes, *u = v + (size_t)copy * bytes,
         *rwork = u + (size_t)copy * bytes, *work = rwork + (size_t)size * bytes;
    for (int64_t b = 0; b < n[MATRIX_BATCH]; b++) {
        char *w = part(out[0], b, size, bytes), *from = part(in[0], b, all, bytes);
        bool whole = is_finite(n, from);
        turn(to_columns(n, from, size, size, a), false);
        int back = whole ? bring_into_range(n, from, a, leading) : 0;
        if (whole)
            f(left ? "V" : "N", right ? "V" : "N", &size, a, &leading, w, u, &leading, v, &leading, work,
              &room, rwork, &info, 1, 1);
        whole = whole && !info;
        if (whole) scale(n, w, size, back);
        else fill_nan(n, w, size, false);
        for (int i = 0; i < right + left; i++) {
            char *to = part(out[1 + i], b, all, bytes);
            if (whole) turn(to_rows(n, i == 0 && right ? v : u, leading, size, size, to), false);
            else fill_nan(n, to, all, false);
        }
    }
    return true;
}

/* To LAPACK it is a^T = v s u^T: u and v change places. */
static bool svd(const int64_t *n, const void *const *in, void *const *out, char *scratch)
{
    size_t bytes = bytes_of(n), part_of = part_bytes(n);
    Gesdd *f = lapack.gesdd[of_double(n)];
    GesddComplex *f_complex = lapack.complex_gesdd[of_double(n)];
    LapackInt rows = (LapackInt)n[MATRIX_ROWS], columns = (LapackInt)n[MATRIX_COLUMNS],
              k = rows < columns ? rows : columns, longer = rows < columns ? columns : rows, info,
              room = 5 * k * k + 16 * k + longer + 2 * LAPACK_BLOCK * longer;
    bool full = n[MATRIX_ATTR], vectors = n[MATRIX_ATTR + 1];
    LapackInt of_u = !vectors ? 1
                     : full   ? rows
                              : k,
              of_vt = !vectors ? 0
                      : full   ? columns
                               : k,
              lead_a = (LapackInt)matrix_leading(n, columns), lead_u = (LapackInt)matrix_leading(n, of_u);
    int64_t all = (int64_t)rows * columns;
    if (!(is_complex(n) ? f_complex != NULL : f != NULL) || !all || k > INT16_MAX / 2) return false;
    char *a = scratch, *own_u = a + (size_t)lead_a * (size_t)rows * bytes,
         *own_vt = own_u + (size_t)lead_u * (size_t)rows * bytes,
         *work = own_vt + (size_t)lead_a * (size_t)of_vt * bytes;
    LapackInt *iwork = (LapackInt *)(work + (size_t)room * bytes);
    /* of complex ones behind those 16 k ints: real numbers, 5 k^2 + 2 k longer + 7 k at most */
    char *rwork = (char *)(iwork + 16 * k);
    const char *job = !vectors ? "N" : full ? "A" : "S";
    for (int64_t b = 0; b < n[MATRIX_BATCH]; b++) {
        char *from = part(in[0], b, all, bytes), *s = part(out[0], b, k, part_of),
             *u = vectors ? part(out[1], b, (int64_t)rows * of_u, bytes) : NULL,
             *vt = vectors ? part(out[2], b, (int64_t)of_vt * columns, bytes) : NULL;
        bool whole = is_finite(n, from);
        copy_rows(n, from, columns, rows, columns, a, lead_a);
        if (whole && is_complex(n))
            f_complex(job, &columns, &rows, a, &lead_a, s, own_vt, &lead_a, own_u, &lead_u, work, &room,
                      rwork, iwork, &info, 1);
        else if (whole)
            f(job, &columns, &rows, a, &lead_a, s, own_vt, &lead_a, own_u, &lead_u, work, &room, iwork, &info,
              1);
        whole = whole && !info;
        if (!whole) fill_nan(n, s, k, true);
        if (!vectors) continue;
        if (whole) {
            copy_rows(n, own_u, lead_u, rows, of_u, u, of_u);
            copy_rows(n, own_vt, lead_a, of_vt, columns, vt, columns);
        } else {
            fill_nan(n, u, (int64_t)rows * of_u, false);
            fill_nan(n, vt, (int64_t)of_vt * columns, false);
        }
    }
    return true;
}

static bool does(const int64_t *n, const void *const *in, void *const *out, void *scratch)
{
    switch ((Op)n[MATRIX_OP]) {
    case OP_CHOLESKY:            return cholesky(n, in, out, scratch);
    case OP_TRIANGULAR_SOLVE:    return solve(n, in, out);
    case OP_LU:                  return lu(n, in, out, scratch);
    case OP_QR:
    case OP_GEQRF:
    case OP_HOUSEHOLDER_PRODUCT: return qr(n, in, out, scratch);
    case OP_EIGH:                return eigh(n, in, out, scratch);
    case OP_GEHRD:               return gehrd(n, in, out, scratch);
    case OP_SCHUR:               return schur(n, in, out, scratch);
    case OP_EIG:                 return (is_complex(n) ? eig : eig_real)(n, in, out, scratch);
    case OP_SVD:                 return svd(n, in, out, scratch);
    default:                     return false;
    }
}

bool lapack_does(const int64_t *n, const void *const *in, void *const *out, void *scratch)
{
    if (atomic_load(&forgotten)) return false;
    for (int i = MATRIX_ROWS; i <= MATRIX_OTHER; i++)
        if (n[i] > INT32_MAX / (4 * LAPACK_BLOCK)) return false;
    if (!lapack_takes_turns()) return does(n, in, out, scratch);
    pthread_mutex_lock(&in_use);
    bool done = does(n, in, out, scratch);
    pthread_mutex_unlock(&in_use);
    return done;
}
