/* lapack.c: calls of LAPACK and BLAS, one matrix after the other. They are looked for by their usual name
 * (liblapack.so.3, which on Debian is what the administrator chose: OpenBLAS, or the reference), by the
 * system's loader, as libLLVM is.
 *
 * LAPACK has matrices by columns: to it a row-major matrix is its transpose. Where that can be said in the
 * call (the other triangle, the other side) nothing is moved. */
#include "lapack.h"
#include "compiler/graph/matrix/matrix_call.h"
#include "matrix_kernels.h"
#include <dlfcn.h>
#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
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

static void find(void *library, const char *single, const char *of_double, void *to)
{
    void *found[] = { dlsym(library, single), dlsym(library, of_double) };
    if (found[0] && found[1]) memcpy(to, found, sizeof found);
}

static void look(void)
{
    void *library = dlopen("liblapack.so.3", RTLD_NOW | RTLD_LOCAL);
    if (!library) return;
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

static bool cholesky(const int64_t *n, const void *const *in, void *const *out)
{
    Potrf *f = lapack.potrf[type_of(n)];
    bool lower = n[MATRIX_ATTR];
    LapackInt size = (LapackInt)n[MATRIX_ROWS], info;
    size_t bytes = (size_t)(n[MATRIX_ROWS] * n[MATRIX_ROWS]) * bytes_of(n);
    if (!f) return false;
    memcpy(out[0], in[0], bytes * (size_t)n[MATRIX_BATCH]);
    for (int64_t b = 0; b < n[MATRIX_BATCH]; b++) {
        char *a = (char *)out[0] + (size_t)b * bytes;
        f(lower ? "U" : "L", &size, a, &size, &info, 1);
        fill_triangle(n, a, lower, true, 0);
        if (info || has_nan_pivot(n, a)) fill_triangle(n, a, lower, false, NAN);
    }
    return true;
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

/* A block after the other, so that a line of the cache that is begun is written to its end. */
enum { TURNED_AT_ONCE = 16 };
#define TURN(T, SIDE) \
    static void turn_##T(const T *from, int64_t rows, int64_t columns, T *to) \
    { \
        int64_t whole_rows = rows / SIDE * SIDE, whole_columns = columns / SIDE * SIDE; \
        for (int64_t i = 0; i < whole_rows; i += TURNED_AT_ONCE) \
            for (int64_t c = 0; c < whole_columns; c += SIDE) \
                for (int64_t r = i; r < i + TURNED_AT_ONCE && r < whole_rows; r += SIDE) \
                    square_##T(from + r * columns + c, columns, to + c * rows + r, rows); \
        for (int64_t r = 0; r < rows; r++) \
            for (int64_t c = r < whole_rows ? whole_columns : 0; c < columns; c++) \
                to[c * rows + r] = from[r * columns + c]; \
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

/* [rows, columns] as [columns, rows] */
static void turn(size_t bytes, const void *from, int64_t rows, int64_t columns, void *to)
{
    if (bytes == 16) turn_Pair(from, rows, columns, to);
    else if (bytes == 8) turn_double(from, rows, columns, to);
    else turn_float(from, rows, columns, to);
}

/* Of numbers of the matrix's type, or of real ones. */
static void fill_nan(const int64_t *n, void *to, int64_t count, bool real)
{
    fill(n, to, is_complex(n) && !real ? 2 * count : count, NAN);
}

/* Matrix b of an array of such with n elements. */
static char *part(const void *array, int64_t b, int64_t n, size_t bytes)
{
    return (char *)(uintptr_t)array + (size_t)(b * n) * bytes;
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

/* OpenBLAS multiplies by a pivot's inverse, inf where the pivot is subnormal. The last row shows it. */
static bool lu_failed(const int64_t *n, const char *a, const char *factors)
{
    int64_t columns = n[MATRIX_COLUMNS];
    const char *last = factors + (size_t)((n[MATRIX_ROWS] - 1) * columns) * bytes_of(n);
    return unless_finite(n, last, columns) != 0 && is_finite(n, a);
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
    int64_t k = rows < columns ? rows : columns, all = (int64_t)rows * columns;
    if (!f || !all) return false;
    for (int64_t b = 0; b < n[MATRIX_BATCH]; b++) {
        char *a = part(in[0], b, all, bytes), *factors = part(out[0], b, all, bytes);
        int32_t *pivot = (int32_t *)out[1] + b * k, *order = (int32_t *)out[2] + b * rows;
        turn(bytes, a, rows, columns, scratch);
        f(&rows, &columns, scratch, &rows, pivot, &info);
        turn(bytes, scratch, columns, rows, factors);
        if (lu_failed(n, a, factors)) {
            lu_by_own_code(n, a, (void *[]){ factors, pivot, order }, scratch);
            continue;
        }
        for (int32_t i = 0; i < rows; i++) order[i] = i;
        for (int64_t i = 0; i < k; i++) {
            int32_t with = --pivot[i], kept = order[i];
            order[i] = order[with];
            order[with] = kept;
        }
    }
    return true;
}

/* GEQRF, HOUSEHOLDER_PRODUCT, QR: q has room for rows x max(rows, columns) elements. */
static bool qr(const int64_t *n, const void *const *in, void *const *out, char *scratch)
{
    size_t bytes = bytes_of(n);
    Op op = (Op)n[MATRIX_OP];
    Geqrf *f = lapack.geqrf[type_of(n)];
    Orgqr *g = lapack.orgqr[type_of(n)];
    LapackInt rows = (LapackInt)n[MATRIX_ROWS], columns = (LapackInt)n[MATRIX_COLUMNS], info,
              k = rows < columns ? rows : columns, longer = rows < columns ? columns : rows,
              room = LAPACK_BLOCK * longer, wide = op == OP_QR ? (n[MATRIX_ATTR] ? rows : k) : columns;
    int64_t all = (int64_t)rows * columns;
    if (op == OP_HOUSEHOLDER_PRODUCT) k = (LapackInt)n[MATRIX_OTHER];
    if (!f || !g || !all) return false;
    char *q = scratch, *r = q + (size_t)rows * (size_t)(wide > columns ? wide : columns) * bytes,
         *work = r + (size_t)all * bytes, *own_tau = work + (size_t)room * bytes;
    for (int64_t b = 0; b < n[MATRIX_BATCH]; b++) {
        char *tau = op == OP_QR ? own_tau : part(op == OP_GEQRF ? out[1] : in[1], b, k, bytes);
        turn(bytes, part(in[0], b, all, bytes), rows, columns, q);
        if (op != OP_HOUSEHOLDER_PRODUCT) f(&rows, &columns, q, &rows, tau, work, &room, &info);
        if (op != OP_HOUSEHOLDER_PRODUCT)
            turn(bytes, q, columns, rows, op == OP_GEQRF ? part(out[0], b, all, bytes) : r);
        if (op == OP_GEQRF) continue;
        g(&rows, &wide, &k, q, &rows, tau, work, &room, &info);
        turn(bytes, q, wide, rows, part(out[0], b, (int64_t)rows * wide, bytes));
        for (int64_t i = 0; op == OP_QR && i < wide; i++) {
            size_t below = (size_t)(i < columns ? i : columns) * bytes, row = (size_t)columns * bytes;
            char *to = part(out[1], b, (int64_t)wide * columns, bytes) + (size_t)i * row;
            memset(to, 0, below);
            memcpy(to + below, r + (size_t)i * row + below, row - below);
        }
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
    LapackInt size = (LapackInt)n[MATRIX_ROWS], info = 1, ints = 3 + 5 * size,
              room = 1 + 6 * size + 2 * size * size + LAPACK_BLOCK * size;
    int64_t all = (int64_t)size * size;
    if (!(is_complex(n) ? f_complex != NULL : f != NULL) || size > INT16_MAX) return false;
    LapackInt *iwork = (LapackInt *)(scratch + (size_t)room * bytes),
              real_room = 1 + 5 * size + 2 * size * size, half = 2 * size + size * size;
    char *rwork = scratch + (size_t)half * bytes;
    for (int64_t b = 0; b < n[MATRIX_BATCH]; b++) {
        char *v = part(out[0], b, all, bytes), *w = part(out[1], b, size, part_of);
        bool lower = n[MATRIX_ATTR];
        const char *uplo = lower ? "U" : "L";
        memcpy(v, part(in[0], b, all, bytes), (size_t)all * bytes);
        bool whole = triangle_is_finite(n, v, lower);
        if (whole && is_complex(n))
            f_complex("V", uplo, &size, v, &size, w, scratch, &half, rwork, &real_room, iwork, &ints, &info,
                      1, 1);
        else if (whole) f("V", uplo, &size, v, &size, w, scratch, &room, iwork, &ints, &info, 1, 1);
        whole = whole && !info;
        memcpy(scratch, v, (size_t)all * bytes);
        turn(bytes, scratch, size, size, v);
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

/* Eigenvalues and vectors of real matrices, as complex numbers. */
static bool eig_real(const int64_t *n, const void *const *in, void *const *out, char *scratch)
{
    size_t bytes = bytes_of(n);
    GeevReal *f = lapack.real_geev[of_double(n)];
    bool right = n[MATRIX_ATTR] & EIG_RIGHT, left = n[MATRIX_ATTR] & EIG_LEFT;
    LapackInt size = (LapackInt)n[MATRIX_ROWS], room = schur_room(n), info = 1;
    int64_t all = (int64_t)size * size;
    if (!f || !size) return false;
    char *a = scratch, *v = a + (size_t)all * bytes, *u = v + (size_t)all * bytes,
         *re = u + (size_t)all * bytes, *im = re + (size_t)size * bytes, *work = im + (size_t)size * bytes;
    for (int64_t b = 0; b < n[MATRIX_BATCH]; b++) {
        char *w = part(out[0], b, 2 * size, bytes);
        turn(bytes, part(in[0], b, all, bytes), size, size, a);
        bool whole = is_finite(n, a);
        if (whole)
            f(left ? "V" : "N", right ? "V" : "N", &size, a, &size, re, im, u, &size, v, &size, work, &room,
              &info, 1, 1);
        whole = whole && !info;
        if (whole) put_eigenvalues(n, re, im, w);
        else fill_nan(n, w, 2 * size, true);
        for (int i = 0; i < right + left; i++) {
            char *to = part(out[1 + i], b, 2 * all, bytes);
            if (whole) matrix_put_vectors(of_double(n), i == 0 && right ? v : u, im, size, to);
            else fill_nan(n, to, 2 * all, true);
        }
    }
    return true;
}

static bool gehrd(const int64_t *n, const void *const *in, void *const *out, char *scratch)
{
    size_t bytes = bytes_of(n);
    Gehrd *f = lapack.gehrd[type_of(n)];
    LapackInt size = (LapackInt)n[MATRIX_ROWS], low = 1, room = schur_room(n), info;
    int64_t all = (int64_t)size * size;
    if (!f || !size) return false;
    for (int64_t b = 0; b < n[MATRIX_BATCH]; b++) {
        turn(bytes, part(in[0], b, all, bytes), size, size, scratch);
        f(&size, &low, &size, scratch, &size, part(out[1], b, size - 1, bytes), scratch + (size_t)all * bytes,
          &room, &info);
        turn(bytes, scratch, size, size, part(out[0], b, all, bytes));
    }
    return true;
}

static bool schur(const int64_t *n, const void *const *in, void *const *out, char *scratch)
{
    size_t bytes = bytes_of(n);
    Gees *f = lapack.gees[of_double(n)];
    GeesComplex *f_complex = lapack.complex_gees[of_double(n)];
    bool vectors = n[MATRIX_ATTR];
    LapackInt size = (LapackInt)n[MATRIX_ROWS], room = schur_room(n), none, info = 1;
    int64_t all = (int64_t)size * size;
    if (!(is_complex(n) ? f_complex != NULL : f != NULL) || !size) return false;
    char *a = scratch, *z = a + (size_t)all * bytes, *w = z + (size_t)all * bytes,
         *more = w + (size_t)size * bytes, *work = more + (size_t)size * bytes;
    const char *job = vectors ? "V" : "N";
    for (int64_t b = 0; b < n[MATRIX_BATCH]; b++) {
        turn(bytes, part(in[0], b, all, bytes), size, size, a);
        bool whole = is_finite(n, a);
        if (whole && is_complex(n))
            f_complex(job, "N", NULL, &size, a, &size, &none, w, z, &size, work, &room, more, NULL, &info, 1,
                      1);
        else if (whole)
            f(job, "N", NULL, &size, a, &size, &none, w, more, z, &size, work, &room, NULL, &info, 1, 1);
        whole = whole && !info;
        char *to[] = { part(out[0], b, all, bytes), vectors ? part(out[1], b, all, bytes) : NULL };
        for (int i = 0; i < 1 + vectors; i++)
            if (whole) turn(bytes, i ? z : a, size, size, to[i]);
            else fill_nan(n, to[i], all, false);
    }
    return true;
}

static bool eig(const int64_t *n, const void *const *in, void *const *out, char *scratch)
{
    size_t bytes = bytes_of(n);
    Geev *f = lapack.geev[of_double(n)];
    bool right = n[MATRIX_ATTR] & EIG_RIGHT, left = n[MATRIX_ATTR] & EIG_LEFT;
    LapackInt size = (LapackInt)n[MATRIX_ROWS], room = schur_room(n), info = 1;
    int64_t all = (int64_t)size * size;
    if (!f || !size) return false;
    char *a = scratch, *v = a + (size_t)all * bytes, *u = v + (size_t)all * bytes,
         *rwork = u + (size_t)all * bytes, *work = rwork + (size_t)size * bytes;
    for (int64_t b = 0; b < n[MATRIX_BATCH]; b++) {
        char *w = part(out[0], b, size, bytes);
        turn(bytes, part(in[0], b, all, bytes), size, size, a);
        bool whole = is_finite(n, a);
        if (whole)
            f(left ? "V" : "N", right ? "V" : "N", &size, a, &size, w, u, &size, v, &size, work, &room, rwork,
              &info, 1, 1);
        whole = whole && !info;
        if (!whole) fill_nan(n, w, size, false);
        for (int i = 0; i < right + left; i++) {
            char *to = part(out[1 + i], b, all, bytes);
            if (whole) turn(bytes, i == 0 && right ? v : u, size, size, to);
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
    LapackInt of_u = full ? rows : k, of_vt = full ? columns : k;
    int64_t all = (int64_t)rows * columns;
    if (!(is_complex(n) ? f_complex != NULL : f != NULL) || !all || k > INT16_MAX / 2) return false;
    char *a = scratch, *work = a + (size_t)all * bytes;
    LapackInt *iwork = (LapackInt *)(work + (size_t)room * bytes);
    /* of complex ones behind those 16 k ints: real numbers, 5 k^2 + 2 k longer + 7 k at most */
    char *rwork = (char *)(iwork + 16 * k);
    for (int64_t b = 0; b < n[MATRIX_BATCH]; b++) {
        char *s = part(out[0], b, k, part_of),
             *u = vectors ? part(out[1], b, (int64_t)rows * of_u, bytes) : a,
             *vt = vectors ? part(out[2], b, (int64_t)of_vt * columns, bytes) : a;
        memcpy(a, part(in[0], b, all, bytes), (size_t)all * bytes);
        const char *job = !vectors ? "N" : full ? "A" : "S";
        const LapackInt *apart = vectors ? &of_u : &rows;
        bool whole = is_finite(n, a);
        if (whole && is_complex(n))
            f_complex(job, &columns, &rows, a, &columns, s, vt, &columns, u, apart, work, &room, rwork, iwork,
                      &info, 1);
        else if (whole)
            f(job, &columns, &rows, a, &columns, s, vt, &columns, u, apart, work, &room, iwork, &info, 1);
        if (whole && !info) continue;
        fill_nan(n, s, k, true);
        if (!vectors) continue;
        fill_nan(n, u, (int64_t)rows * of_u, false);
        fill_nan(n, vt, (int64_t)of_vt * columns, false);
    }
    return true;
}

static bool does(const int64_t *n, const void *const *in, void *const *out, void *scratch)
{
    switch ((Op)n[MATRIX_OP]) {
    case OP_CHOLESKY:            return cholesky(n, in, out);
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
