/* run.c: measures a case. A repeat runs every implementation once for a few milliseconds; ratios are medians
 * of the repeats' own ratios, so that a machine that changes its speed between repeats does not change them.
 * Before timing, results are compared. */
#define _GNU_SOURCE /* madvise */
#include "run.h"
#include "libraries.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

enum { FIRST_CALLS = 7, FEWEST = 3, LARGE = 1 << 21 };
/* seconds of one implementation's repeats; operations of the longest program that runs in eager mode */
static const double LONGEST = 3, LONGEST_EAGER = 0.05, MOST_EAGER_FLOPS = 1e10;

const char *const impl_name[IMPLS] = { "weft",  "one",  "eager", "c",     "blas", "mvec",
                                       "sleef", "fftw", "jax",   "numpy", "numba" };

/* A case in a context. */
typedef struct Compiled {
    weft_context *ctx;
    weft_array *in[MAX_IN], *out[MAX_OUT];
    weft_plan *plan;
    const void **plan_in;
    void **plan_out, *scratch;
} Compiled;

typedef struct Bench {
    const Case *c;
    const void *raw_in[MAX_IN];
    void *raw_out[MAX_OUT], *other_out[MAX_OUT];
    Compiled weft, one;   /* one: on one thread; empty where weft has no more */
    Runner runner[IMPLS]; /* of C and the libraries */
    int runs[IMPLS];      /* calls per repeat */
} Bench;

/* ---- data ---- */

/* Much memory in large pages, as NumPy's arrays are. */
void *large_room(size_t bytes)
{
    size_t page = bytes >= LARGE ? LARGE : 64;
    void *p = aligned_alloc(page, (bytes / page + 1) * page);
    if (p && page == LARGE) madvise(p, bytes, MADV_HUGEPAGE);
    return p;
}

static void *room(const Spec *s) { return large_room(spec_bytes(s)); }

/* u: in [0, 1). */
static double value(const Spec *s, int64_t i, double u)
{
    switch (s->fill) {
    case FILL_UNIT:     return u;
    case FILL_CENTRED:  return u - 0.5;
    case FILL_POSITIVE: return u + 0.1;
    case FILL_PIXEL:    return (int)(u * 17);
    case FILL_BYTE:     return (int)(u * 256);
    case FILL_INDEX:    return (int)(u * 10000);
    case FILL_RAMP:     return -2 + 3 * (double)i / (double)spec_count(s);
    case FILL_SMALL:    return 0.1 * (u - 0.5);
    case FILL_MASK:     return u < 0.5;
    case FILL_ONE_HOT:  return i % 10 == i / 10 * 7 % 10;
    case FILL_SALT:     return 0.01 + 9.99 * u;
    case FILL_CELSIUS:  return 32 * u - 12;
    case FILL_DBAR:     return 1000 * u;
    }
    return 0;
}

static void put(weft_dtype dtype, void *p, int64_t i, double v)
{
    if (dtype == WEFT_F64) ((double *)p)[i] = v;
    else if (dtype == WEFT_F32 || dtype == WEFT_C64) ((float *)p)[i] = (float)v;
    else if (dtype == WEFT_BOOL) ((uint8_t *)p)[i] = v != 0;
    else if (dtype == WEFT_U8) ((uint8_t *)p)[i] = (uint8_t)v;
    else ((int32_t *)p)[i] = (int32_t)v;
}

static double get(weft_dtype dtype, const void *p, int64_t i)
{
    return dtype == WEFT_F64                        ? ((const double *)p)[i]
           : dtype == WEFT_F32 || dtype == WEFT_C64 ? (double)((const float *)p)[i]
           : dtype == WEFT_U8                       ? ((const uint8_t *)p)[i]
                                                    : ((const int32_t *)p)[i];
}

static void *fill(const Spec *s, uint64_t *seed)
{
    void *p = room(s);
    for (int64_t i = 0; i < spec_count(s); i++) {
        *seed = *seed * 6364136223846793005u + 1442695040888963407u;
        put(s->dtype, p, i, value(s, i, (double)(*seed >> 40) / (1 << 24)));
    }
    return p;
}

/* ---- one case ---- */

/* Binds the plan's outputs by place: results in order. */
static bool bind(const Bench *b, Compiled *w)
{
    w->plan_in = calloc((size_t)weft_plan_count(w->plan, false) + 1, sizeof *w->plan_in);
    w->plan_out = calloc((size_t)weft_plan_count(w->plan, true) + 1, sizeof *w->plan_out);
    if (weft_plan_count(w->plan, false) != b->c->n_in || weft_plan_count(w->plan, true) != b->c->n_out)
        return false;
    for (int i = 0; i < b->c->n_in; i++) w->plan_in[i] = b->raw_in[i];
    for (int i = 0; i < b->c->n_out; i++) w->plan_out[i] = b->raw_out[i];
    size_t bytes = weft_plan_scratch(w->plan);
    w->scratch = bytes ? large_room(bytes) : NULL;
    return true;
}

/* threads 0: as many as there are cores. */
static bool compile(const Bench *b, Compiled *w, int threads)
{
    w->ctx = weft_open(&(weft_options){ .threads = threads });
    for (int i = 0; i < b->c->n_in; i++) {
        const Spec *s = &b->c->in[i];
        w->in[i] = weft_from_shape(w->ctx, s->dtype, b->raw_in[i], s->rank, s->dim);
    }
    declare_cases(w->ctx);
    w->plan = weft_compile(w->ctx, (weft_plan_options){ 0 }, b->c->call(w->ctx, true, w->in, w->out));
    if (w->plan && bind(b, w)) return true;
    fprintf(stderr, "%s: %s\n", b->c->name,
            weft_error(w->ctx) ? weft_error(w->ctx) : "the plan's operands differ");
    return false;
}

static void make_data(Bench *b)
{
    uint64_t seed = 1;
    for (int i = 0; i < b->c->n_in; i++) b->raw_in[i] = fill(&b->c->in[i], &seed);
    for (int i = 0; i < b->c->n_out; i++) {
        b->raw_out[i] = room(&b->c->out[i]);
        b->other_out[i] = room(&b->c->out[i]);
    }
}

/* The context that eager mode runs in is the last: functions read from text are those of the last. */
static bool open_case(Bench *b)
{
    return (libraries_threads() == 1 || compile(b, &b->one, 1)) && compile(b, &b->weft, 0);
}

static void drop(Compiled *w)
{
    free(w->plan_in);
    free(w->plan_out);
    free(w->scratch);
    if (w->plan) weft_plan_free(w->plan);
    weft_close(w->ctx);
}

static void close_case(Bench *b)
{
    for (Impl i = C; i <= FFTW; i++) library_drop(&b->runner[i]);
    for (int i = 0; i < b->c->n_in; i++) free((void *)(uintptr_t)b->raw_in[i]);
    for (int i = 0; i < b->c->n_out; i++) {
        free(b->raw_out[i]);
        free(b->other_out[i]);
    }
    if (b->weft.ctx) drop(&b->weft);
    if (b->one.ctx) drop(&b->one);
}

/* The largest difference of an output from the other's, relative to the output's largest value. */
static double difference_of(const Bench *b, int k)
{
    double worst = 0, largest = 1e-30;
    for (int64_t i = 0; i < spec_count(&b->c->out[k]); i++) {
        double x = get(b->c->out[k].dtype, b->raw_out[k], i), y = get(b->c->out[k].dtype, b->other_out[k], i);
        if (fabs(y) > largest) largest = fabs(y);
        if (!(fabs(x - y) <= worst)) worst = x != x ? INFINITY : fabs(x - y);
    }
    return worst / largest;
}
static double difference(const Bench *b)
{
    double worst = 0;
    for (int k = 0; k < b->c->n_out; k++) worst = fmax(worst, difference_of(b, k));
    return worst;
}

static void call_once(Bench *b, int impl)
{
    const Runner *r = &b->runner[impl];
    Compiled *w = impl == ALONE ? &b->one : &b->weft;
    if (r->run) r->run(r, b->raw_in, b->other_out);
    else if (impl != EAGER && !b->c->natural) weft_run(w->plan, w->plan_in, w->plan_out, w->scratch);
    else b->c->call(w->ctx, impl != EAGER, w->in, w->out);
}

/* Natural calls leave arrays behind: a scope frees them, its time included. */
static void call_in_scope(Bench *b, int impl)
{
    bool scoped = impl == EAGER || (impl <= ALONE && b->c->natural);
    weft_scope *s = scoped ? weft_scope_open(impl == ALONE ? b->one.ctx : b->weft.ctx) : NULL;
    call_once(b, impl);
    if (scoped) weft_scope_close(s);
}

/* Mean time of n calls, in microseconds; of several, one more goes before them, since who ran before has left
 * the caches full of the same arrays, of others, or of another process's. */
static double time_here(Bench *b, int impl, int n)
{
    if (n > 1) call_in_scope(b, impl);
    double t = now();
    for (int i = 0; i < n; i++) call_in_scope(b, impl);
    return (now() - t) * 1e6 / n;
}

/* The threads of the loops in C have a core each, of which the first is for the caller. Then they are given
 * time to fall asleep. */
static double time_bound(Bench *b, int impl, int n)
{
    static const struct timespec rest = { .tv_nsec = 500000 };
    pin(1);
    double us = time_here(b, impl, n);
    pin(libraries_threads());
    nanosleep(&rest, NULL);
    return us;
}

static double time_calls(Bench *b, int impl, int n)
{
    bool loops = impl == C || impl == MVEC || impl == SLEEF;
    return loops && libraries_threads() > 1 ? time_bound(b, impl, n) : time_here(b, impl, n);
}

static void calibrate(Bench *b, int impl)
{
    double us = time_calls(b, impl, 1);
    if (us < LONGEST_EAGER * 1e6) us = time_calls(b, impl, 1);
    double n = REPEAT_SECONDS * 1e6 / (us + 0.01);
    b->runs[impl] = n < 1 ? 1 : n > 100000 ? 100000 : (int)n;
}

/* Trace to loaded code in a context that has not seen the function, LLVM warm; the median of a few. */
static double first_call(const Bench *b)
{
    const Case *c = b->c;
    double ms[FIRST_CALLS];
    for (int k = 0; k < FIRST_CALLS; k++) {
        weft_context *ctx = weft_open(NULL);
        weft_array *in[MAX_IN], *out[MAX_OUT];
        for (int i = 0; i < c->n_in; i++)
            in[i] = weft_from_shape(ctx, c->in[i].dtype, b->raw_in[i], c->in[i].rank, c->in[i].dim);
        declare_cases(ctx);
        double t = now();
        weft_plan *p = weft_compile(ctx, (weft_plan_options){ 0 }, c->call(ctx, true, in, out));
        ms[k] = (now() - t) * 1e3;
        weft_plan_free(p);
        weft_close(ctx);
    }
    return median(ms, FIRST_CALLS);
}

/* ---- all of them ---- */

bool impl_is_open(Impl i, const Peers *peers)
{
    return i >= JAX     ? peers != NULL
           : i == ALONE ? libraries_threads() > 1
                        : i < BLAS || library_is_open(LIB_LOOPS + (Library)(i - C));
}

static void find_runners(Bench *b)
{
    for (Impl i = C; i <= FFTW; i++)
        if (i != C || !b->c->no_loop) b->runner[i] = library_runner(LIB_LOOPS + (Library)(i - C), b->c);
}

/* False: a loop is missing, or results differ; a message says so. */
static bool check(Bench *b)
{
    bool good = b->c->no_loop || b->runner[C].run;
    if (!good) fprintf(stderr, "%s: there is no c_%s\n", b->c->name, b->c->name);
    call_once(b, WEFT);
    if (b->c->natural) weft_run(b->weft.plan, b->weft.plan_in, b->weft.plan_out, b->weft.scratch);
    for (Impl i = C; i <= FFTW; i++) {
        if (!b->runner[i].run) continue;
        call_once(b, i);
        double d = difference(b);
        if (d <= b->c->tolerance) continue;
        fprintf(stderr, "%s: results differ from %s's by %g, allowed are %g\n", b->c->name, impl_name[i], d,
                b->c->tolerance);
        good = false;
    }
    return good;
}

static void ask(Peers *peers, Impl i, const Case *c, Result *r)
{
    char question[64];
    double answer[2] = { 0, 0 };
    snprintf(question, sizeof question, "%s %s", impl_name[i], c->name);
    r->ran = peers_ask(peers, question, answer, 2) && answer[0] > 0;
    r->first_ms = answer[1];
}

static void prepare(Bench *b, Peers *peers, Result *r)
{
    for (Impl i = WEFT; i < IMPLS; i++) {
        if (i >= JAX && peers) ask(peers, i, b->c, &r[i]);
        if (i >= JAX) continue;
        r[i].ran = i == WEFT || (i == ALONE && b->one.plan) || b->runner[i].run ||
                   (i == EAGER && b->c->flops < MOST_EAGER_FLOPS);
        if (r[i].ran) calibrate(b, (int)i);
    }
}

static bool run_peer(Peers *peers, Impl i, double *us)
{
    char question[32];
    snprintf(question, sizeof question, "run %s", impl_name[i]);
    return peers_ask(peers, question, us, 1);
}

/* One repeat of each, in turn from the first and from the last: who comes after another process finds less in
 * the caches. Eager mode runs once where it takes long. */
static void repeat(Bench *b, Peers *peers, int k, Result *r)
{
    for (int turn = 0; turn < IMPLS; turn++) {
        Impl i = (Impl)(k % 2 ? IMPLS - 1 - turn : turn);
        if (!r[i].ran) continue;
        bool slow = i == EAGER && k > 0 && r[i].run_us[0] > LONGEST_EAGER * 1e6;
        if (i >= JAX) r[i].ran = run_peer(peers, i, &r[i].run_us[k]);
        else r[i].run_us[k] = slow ? r[i].run_us[0] : time_calls(b, (int)i, b->runs[i]);
    }
}

static int repeats_of(const Result *r, int repeats)
{
    double most = LONGEST * 1e6 / r[WEFT].run_us[0];
    return most >= repeats ? repeats : most < FEWEST ? (repeats < FEWEST ? repeats : FEWEST) : (int)most;
}

bool run_case(const Case *c, int repeats, Peers *peers, Result *r)
{
    Bench b = { .c = c };
    find_runners(&b);
    make_data(&b);
    double first_ms = first_call(&b);
    bool good = open_case(&b) && check(&b);
    if (good) {
        prepare(&b, peers, r);
        repeat(&b, peers, 0, r);
        int n = repeats_of(r, repeats);
        for (int k = 1; k < n; k++) repeat(&b, peers, k, r);
        for (Impl i = WEFT; i < IMPLS; i++)
            if (r[i].ran) r[i].repeats = n, r[i].median_us = median(r[i].run_us, n);
        r[WEFT].first_ms = first_ms;
    }
    close_case(&b);
    return good;
}

double trace_ns(const Case *c)
{
    double us = 0;
    Bench b = { .c = c };
    make_data(&b);
    if (open_case(&b)) us = weft_stats(b.weft.ctx).trace_us;
    close_case(&b);
    return us * 1e3;
}
