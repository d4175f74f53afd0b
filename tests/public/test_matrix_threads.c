/* Factorizations of many matrices: any number of threads gives the bits of one. */
#include "tests/support/context_suite.h"
#include "tests/support/kept.h"
#include "weft/linalg.h"
#include "weft/random.h"
#include <pthread.h>
#include <stdatomic.h>

TestSuite(matrix_threads, .init = need_backend);

static weft_array *definite(weft_array *x)
{
    int n = (int)weft_dim(x, 1);
    weft_array *squares = weft_matmul(x, weft_transpose(x, "0, 2, 1"));
    return weft_add(squares, weft_mul(n, weft_eye(NULL, weft_dtype_of(x), n)));
}
static weft_array *cholesky(weft_array *x) { return weft_cholesky(definite(x)); }
static weft_array *solve(weft_array *x) { return weft_solve(x, weft_at(x, ":, :, :2")); }
static weft_array *right(weft_array *x) { return weft_solve_triangular(x, x, .transpose = true); }
static weft_array *parts(weft_array *x)
{
    weft_array *order, *lu = weft_lu(x, &order);
    return weft_add(lu, weft_expand_dims(weft_astype(order, weft_dtype_of(x)), 2));
}
static weft_array *bases(weft_array *x)
{
    weft_array *r, *q = weft_qr(x, &r);
    return weft_concatenate(1, q, r);
}
static weft_array *axes(weft_array *x)
{
    weft_array *v, *w = weft_eigh(definite(x), &v);
    return weft_concatenate(1, v, weft_expand_dims(w, 1));
}
static weft_array *singular(weft_array *x)
{
    weft_array *u, *vt, *s = weft_svd(x, &u, &vt);
    return weft_concatenate(1, u, vt, weft_expand_dims(s, 1));
}
static weft_array *values(weft_array *x)
{
    weft_array *v, *w = weft_eig(x, &v), *all = weft_concatenate(1, v, weft_expand_dims(w, 1));
    return weft_concatenate(0, weft_real(all), weft_imag(all));
}
static weft_array *triangle(weft_array *x)
{
    weft_array *z, *t = weft_schur(x, &z);
    return weft_concatenate(1, z, t);
}
static weft_array *of_complex(weft_array *x)
{
    weft_array *q = weft_qr(weft_complex(x, weft_flip(x, "2")));
    return weft_concatenate(0, weft_real(q), weft_imag(q));
}

#define SAMPLES(X) \
    X(cholesky) \
    X(solve) X(right) X(parts) X(bases) X(axes) X(singular) X(values) X(triangle) X(of_complex)
#define COUNT(f) +1
enum { N_SAMPLES = 0 SAMPLES(COUNT) };

typedef struct Shape {
    weft_dtype type;
    int64_t batch, n;
} Shape;

static void run(const weft_options *o, Shape s, Kept *out)
{
    weft_context *c = weft_open(o);
    int k = 0;
    cr_assert_not_null(c, "%s", weft_error(NULL));
#define DECLARE(f) weft_declare(c, f, weft_unary);
    SAMPLES(DECLARE)
    weft_array *x = weft_random_normal(weft_key(c, 7), s.type, s.batch, s.n, s.n);
#define RUN(f) out[k++] = keep(c, #f, weft_jit(c, f)(x));
    SAMPLES(RUN)
    weft_close(c);
}

static void check(Shape s)
{
    static const int threads[] = { 2, 3, 64 };
    Kept one[N_SAMPLES], more[N_SAMPLES];
    for (int mode = WEFT_MODE_DEFAULT; mode <= WEFT_MODE_STRICT; mode++) {
        run(&(weft_options){ .threads = 1, .mode = (weft_mode)mode }, s, one);
        for (int t = 0; t < 3; t++) {
            run(&(weft_options){ .threads = threads[t], .mode = (weft_mode)mode }, s, more);
            for (int i = 0; i < N_SAMPLES; i++)
                cr_expect(kept_same(&more[i], &one[i]), "%s of %d x %d, on %d threads", one[i].name,
                          (int)s.batch, (int)s.n, threads[t]);
            kept_free(more, N_SAMPLES);
        }
        kept_free(one, N_SAMPLES);
    }
}

Test(matrix_threads, small) { check((Shape){ WEFT_F32, 30001, 3 }); }
Test(matrix_threads, lanes) { check((Shape){ WEFT_F32, 1333, 12 }); }
Test(matrix_threads, lanes_f64) { check((Shape){ WEFT_F64, 1333, 12 }); }
Test(matrix_threads, few_for_lanes) { check((Shape){ WEFT_F32, 47, 32 }); }
Test(matrix_threads, one_by_one) { check((Shape){ WEFT_F64, 9, 48 }); }
/* LAPACK's, where it is installed. */
Test(matrix_threads, large) { check((Shape){ WEFT_F32, 5, 170 }); }

/* Callers of their own, each with a context: LAPACK may not be safe, but weft is. */
static void *call_often(void *of)
{
    weft_context *c = weft_open(&(weft_options){ .threads = 1 });
    weft_declare(c, values, weft_unary);
    weft_array *x = weft_random_normal(weft_key(c, 7), WEFT_F32, 1, 170, 170);
    Kept first = keep(c, "values", weft_jit(c, values)(x));
    for (int i = 0; i < 20; i++) {
        Kept again = keep(c, "values", weft_jit(c, values)(x));
        if (!kept_same(&first, &again)) ++*(atomic_int *)of;
        kept_free(&again, 1);
    }
    kept_free(&first, 1);
    weft_close(c);
    return NULL;
}
Test(matrix_threads, callers)
{
    pthread_t caller[8];
    atomic_int wrong = 0;
    for (int i = 0; i < 8; i++) cr_assert_not(pthread_create(&caller[i], NULL, call_often, &wrong));
    for (int i = 0; i < 8; i++) pthread_join(caller[i], NULL);
    cr_expect(wrong == 0, "%d of 160 calls differ", wrong);
}
