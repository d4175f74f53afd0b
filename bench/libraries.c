/* libraries.c: see libraries.h. */
#include "libraries.h"
#include "measure.h"
#include "run.h"
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void *libraries[LIBRARIES];
static int loop_threads = 1;

/* libgomp reads these when it is opened. Its threads have a core each. Between loops they look out for the
 * next one for some 0.1 ms: the milliseconds that it has without being told are too long on a shared machine,
 * and what is measured next would feel them. */
static void *open_openmp(const char *file, int threads)
{
    char n[16];
    snprintf(n, sizeof n, "%d", threads);
    const char *const settings[][2] = { { "OMP_NUM_THREADS", n },
                                        { "OMP_PLACES", "threads" },
                                        { "OMP_PROC_BIND", "close" },
                                        { "GOMP_SPINCOUNT", "4000" } };
    for (int i = 0; i < 4; i++) setenv(settings[i][0], settings[i][1], 1);
    void *library = dlopen(file, RTLD_NOW | RTLD_LOCAL);
    for (int i = 0; i < 4; i++) unsetenv(settings[i][0]); /* not for the peers */
    return library;
}

/* Starts the team, which also binds this thread to the first core: it is given all of them back. */
static bool open_loops(const char *target, int threads)
{
    char file[512];
    snprintf(file, sizeof file, WEFT_BINARY_DIR "/weft-loops-%s%s.so", target, threads > 1 ? "-openmp" : "");
    libraries[LIB_LOOPS] = threads > 1 ? open_openmp(file, threads) : dlopen(file, RTLD_NOW | RTLD_LOCAL);
    if (!libraries[LIB_LOOPS]) return false;
    if (threads > 1) library_find(LIB_LOOPS, "start_threads")();
    loop_threads = threads;
    pin(threads);
    return true;
}

bool libraries_open(const char *target, int threads)
{
    static const char *const files[LIBRARIES] = { NULL, "libopenblas.so.0", "libmvec.so.1", "libsleef.so.3",
                                                  "libfftw3f.so.3" };
    for (int i = LIB_BLAS; i < LIBRARIES; i++) libraries[i] = dlopen(files[i], RTLD_NOW | RTLD_LOCAL);
    if (open_loops(target, threads)) return true;
    fprintf(stderr, "weft-bench: no loops for %s on %d threads: %s\n", target, threads, dlerror());
    if (threads == 1 || !open_loops(target, 1)) return false;
    fprintf(stderr, "weft-bench: the loops in C have one thread\n");
    return pin(threads), true;
}

int libraries_threads(void) { return loop_threads; }

bool library_is_open(Library l) { return libraries[l] != NULL; }

Routine *library_find(Library l, const char *name)
{
    Routine *f = NULL;
    if (libraries[l]) *(void **)&f = dlsym(libraries[l], name);
    return f;
}

/* ---- loops ---- */

static void run_loop(const Runner *r, const void *const *in, void *const *out)
{
    ((void (*)(const void *const *, void *const *))r->routine)(in, out);
}

/* ---- products ---- */

/* BLAS counts in int and has rows end to end. */
enum { ROWS_FIRST = 101, AS_IT_IS = 111, TRANSPOSED = 112 };
#define GEMM(real, name) \
    static void name(Routine *f, int ta, int tb, const int *mnk, const int *ld, const void *a, \
                     const void *b, void *c) \
    { \
        typedef void Gemm(int, int, int, int, int, int, real, const real *, int, const real *, int, real, \
                          real *, int); \
        ((Gemm *)f)(ROWS_FIRST, ta, tb, mnk[0], mnk[1], mnk[2], 1, a, ld[0], b, ld[1], 0, c, mnk[1]); \
    }
#define GEMV(real, name) \
    static void name(Routine *f, int m, int n, const void *a, const void *x, void *y) \
    { \
        typedef void Gemv(int, int, int, int, real, const real *, int, const real *, int, real, real *, \
                          int); \
        ((Gemv *)f)(ROWS_FIRST, AS_IT_IS, m, n, 1, a, n, x, 1, 0, y, 1); \
    }
GEMM(float, sgemm)
GEMM(double, dgemm)
GEMV(float, sgemv)
GEMV(double, dgemv)

static void run_vector_product(const Runner *r, const void *const *in, void *const *out)
{
    const int64_t *dim = r->c->in[0].dim;
    (case_is_f64(r->c) ? dgemv : sgemv)(r->routine, (int)dim[0], (int)dim[1], in[0], in[1], out[0]);
}

/* One product, or one after the other where the operands are of rank 3. */
static void run_product(const Runner *r, const void *const *in, void *const *out)
{
    const Spec *s[3] = { &r->c->in[0], &r->c->in[1], &r->c->out[0] };
    int first = s[0]->rank - 2, ta = r->c->product == PRODUCT_TN, tb = r->c->product == PRODUCT_NT;
    int mnk[] = { (int)s[2]->dim[first], (int)s[2]->dim[first + 1], (int)s[0]->dim[first + !ta] },
        ld[] = { (int)s[0]->dim[first + 1], (int)s[1]->dim[first + 1] };
    int64_t n = first ? s[0]->dim[0] : 1;
    size_t step[3];
    for (int k = 0; k < 3; k++) step[k] = spec_bytes(s[k]) / (size_t)n;
    for (int64_t i = 0; i < n; i++)
        (case_is_f64(r->c) ? dgemm : sgemm)(
            r->routine, ta ? TRANSPOSED : AS_IT_IS, tb ? TRANSPOSED : AS_IT_IS, mnk, ld,
            (const char *)in[0] + i * (int64_t)step[0], (const char *)in[1] + i * (int64_t)step[1],
            (char *)out[0] + i * (int64_t)step[2]);
}

/* ---- math ---- */

/* loops_math.c has what calls a function of vectors, and says what vectors these are. */
static void run_math(const Runner *r, const void *const *in, void *const *out)
{
    typedef void Map(Routine *, const void *, void *, size_t);
    Routine *map = library_find(LIB_LOOPS, case_is_f64(r->c) ? "map_f64" : "map_f32");
    ((Map *)map)(r->routine, in[0], out[0], (size_t)spec_count(&r->c->in[0]));
}

static const void *loops_constant(const char *name) { return dlsym(libraries[LIB_LOOPS], name); }

static void math_name(char *name, size_t size, Library l, const Case *c)
{
    int f64 = case_is_f64(c), lanes = *(const int *)loops_constant("vector_bytes") / (f64 ? 8 : 4);
    if (l == LIB_MVEC)
        snprintf(name, size, "_ZGV%cN%dv_%s%s", *(const char *)loops_constant("vector_letter"), lanes,
                 c->math, f64 ? "" : "f");
    else
        snprintf(name, size, "Sleef_%s%c%d_u10%s", c->math, f64 ? 'd' : 'f', lanes,
                 *(const char *const *)loops_constant("vector_sleef"));
}

/* ---- Fourier transforms ---- */

static void run_transform(const Runner *r, const void *const *in, void *const *out)
{
    ((void (*)(void *, const void *, void *))r->routine)(r->plan, in[0], out[0]);
}

/* FFTW_MEASURE: planned by trying, on arrays that are aligned as those of the bench are. */
static void *plan_transform(const Case *c)
{
    enum { THERE = -1, MEASURE = 0 };
    typedef void *Plan(int rank, const int *n, int many, void *from, const int *, int, int, void *to,
                       const int *, int, int, int sign, unsigned flags);
    int n[2], first = c->in[0].rank - c->fourier, many = 1, each = 1;
    for (int k = 0; k < c->in[0].rank; k++) {
        int dim = (int)c->in[0].dim[k];
        if (k < first) many *= dim;
        else each *= n[k - first] = dim;
    }
    Plan *plan = (Plan *)library_find(LIB_FFTW, "fftwf_plan_many_dft");
    if (!plan) return NULL;
    void *from = large_room(spec_bytes(&c->in[0])), *to = large_room(spec_bytes(&c->out[0])),
         *made = plan(c->fourier, n, many, from, NULL, 1, each, to, NULL, 1, each, THERE, MEASURE);
    free(from);
    free(to);
    return made;
}

void library_drop(Runner *r)
{
    if (r->plan) ((void (*)(void *))library_find(LIB_FFTW, "fftwf_destroy_plan"))(r->plan);
    r->plan = NULL;
}

/* ---- */

Runner library_runner(Library l, const Case *c)
{
    char name[96];
    Runner r = { .c = c };
    if (l == LIB_LOOPS) {
        snprintf(name, sizeof name, "c_%s", c->name);
        r.run = run_loop;
    } else if (l == LIB_BLAS && c->product) {
        bool vector = c->in[1].rank == 1;
        snprintf(name, sizeof name, "cblas_%c%s", case_is_f64(c) ? 'd' : 's', vector ? "gemv" : "gemm");
        r.run = vector ? run_vector_product : run_product;
    } else if (l == LIB_FFTW && c->fourier) {
        snprintf(name, sizeof name, "fftwf_execute_dft");
        r.plan = plan_transform(c);
        r.run = r.plan ? run_transform : NULL;
    } else if ((l == LIB_MVEC || l == LIB_SLEEF) && c->math) {
        math_name(name, sizeof name, l, c);
        r.run = run_math;
    } else return r;
    r.routine = library_find(l, name);
    if (!r.routine) r.run = NULL;
    return r;
}
