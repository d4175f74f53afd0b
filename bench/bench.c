/* bench.c: runs each case side by side in one process: weft (raw door), eager mode, hand-written C, and with
 * --peers JAX, NumPy and, where a case has it, Numba, interleaved.
 *
 * A repeat runs every implementation once for a few milliseconds; ratios are medians of the repeats' own
 * ratios, so that a machine that changes its speed between repeats does not change them. Before timing,
 * results are compared with the C loop's.
 *
 *   weft-bench [--threads N] [--json FILE] [--peers] [--repeats N] [--list] [CASE...]
 */
#define _GNU_SOURCE /* madvise */
#include "cases.h"
#include "measure.h"
#include <getopt.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { WEFT, EAGER, C, JAX, NUMPY, NUMBA, IMPLS, FIRST_CALLS = 7, LARGE = 1 << 21 };
static const char *const impl_name[IMPLS] = { "weft", "eager", "c", "jax", "numpy", "numba" };
static const double LONGEST_EAGER = 0.05;

typedef struct Result {
    bool ran;
    double run_us[MAX_REPEATS], median_us, first_ms;
} Result;
typedef struct Options {
    int threads, repeats;
    const char *json, *python;
} Options;

typedef struct Bench {
    const Case *c;
    weft_context *ctx;
    weft_array *in[MAX_IN], *out[MAX_OUT];
    const void *raw_in[MAX_IN];
    void *raw_out[MAX_OUT], *c_out[MAX_OUT];
    weft_plan *plan;
    const void **plan_in;
    void **plan_out, *scratch;
    int runs[IMPLS]; /* calls per repeat */
} Bench;

/* ---- data ---- */

static int64_t elements(const Spec *s)
{
    int64_t n = 1;
    for (int d = 0; d < s->rank; d++) n *= s->dim[d];
    return n;
}

static size_t element_bytes(const Spec *s)
{
    return s->dtype == WEFT_F64 ? 8 : s->dtype == WEFT_BOOL ? 1 : 4;
}

/* Much memory in large pages, as NumPy's arrays are. */
static void *large_room(size_t bytes)
{
    size_t page = bytes >= LARGE ? LARGE : 64;
    void *p = aligned_alloc(page, (bytes / page + 1) * page);
    if (p && page == LARGE) madvise(p, bytes, MADV_HUGEPAGE);
    return p;
}

static void *room(const Spec *s) { return large_room((size_t)elements(s) * element_bytes(s)); }

/* u: in [0, 1). */
static double value(const Spec *s, int64_t i, double u)
{
    switch (s->fill) {
    case FILL_UNIT:     return u;
    case FILL_CENTRED:  return u - 0.5;
    case FILL_POSITIVE: return u + 0.1;
    case FILL_PIXEL:    return (int)(u * 17);
    case FILL_INDEX:    return (int)(u * 10000);
    case FILL_RAMP:     return -2 + 3 * (double)i / (double)elements(s);
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
    else if (dtype == WEFT_F32) ((float *)p)[i] = (float)v;
    else if (dtype == WEFT_BOOL) ((uint8_t *)p)[i] = v != 0;
    else ((int32_t *)p)[i] = (int32_t)v;
}

static double get(weft_dtype dtype, const void *p, int64_t i)
{
    return dtype == WEFT_F64   ? ((const double *)p)[i]
           : dtype == WEFT_F32 ? (double)((const float *)p)[i]
                               : ((const int32_t *)p)[i];
}

static void *fill(const Spec *s, uint64_t *seed)
{
    void *p = room(s);
    for (int64_t i = 0; i < elements(s); i++) {
        *seed = *seed * 6364136223846793005u + 1442695040888963407u;
        put(s->dtype, p, i, value(s, i, (double)(*seed >> 40) / (1 << 24)));
    }
    return p;
}

/* ---- one case ---- */

/* Binds the plan's outputs by place: results in order. */
static bool bind(Bench *b)
{
    b->plan_in = calloc((size_t)weft_plan_count(b->plan, false) + 1, sizeof *b->plan_in);
    b->plan_out = calloc((size_t)weft_plan_count(b->plan, true) + 1, sizeof *b->plan_out);
    if (weft_plan_count(b->plan, false) != b->c->n_in || weft_plan_count(b->plan, true) != b->c->n_out)
        return false;
    for (int i = 0; i < b->c->n_in; i++) b->plan_in[i] = b->raw_in[i];
    for (int i = 0; i < b->c->n_out; i++) b->plan_out[i] = b->raw_out[i];
    size_t bytes = weft_plan_scratch(b->plan);
    b->scratch = bytes ? large_room(bytes) : NULL;
    return true;
}

static bool open_case(Bench *b)
{
    uint64_t seed = 1;
    b->ctx = weft_open(NULL);
    for (int i = 0; i < b->c->n_in; i++) {
        b->raw_in[i] = fill(&b->c->in[i], &seed);
        b->in[i] =
            weft_from_shape(b->ctx, b->c->in[i].dtype, b->raw_in[i], b->c->in[i].rank, b->c->in[i].dim);
    }
    for (int i = 0; i < b->c->n_out; i++) {
        b->raw_out[i] = room(&b->c->out[i]);
        b->c_out[i] = room(&b->c->out[i]);
    }
    b->c->declare(b->ctx);
    b->plan = weft_compile(b->ctx, (weft_plan_options){ 0 }, b->c->call(b->ctx, true, b->in, b->out));
    if (!b->plan || !bind(b)) {
        fprintf(stderr, "%s: %s\n", b->c->name,
                weft_error(b->ctx) ? weft_error(b->ctx) : "the plan's operands differ");
        return false;
    }
    return true;
}

static void close_case(Bench *b)
{
    for (int i = 0; i < b->c->n_in; i++) free((void *)(uintptr_t)b->raw_in[i]);
    for (int i = 0; i < b->c->n_out; i++) {
        free(b->raw_out[i]);
        free(b->c_out[i]);
    }
    free(b->plan_in);
    free(b->plan_out);
    free(b->scratch);
    weft_plan_free(b->plan);
    weft_close(b->ctx);
}

/* Largest difference of an output from the C loop's, relative to the largest value. */
static double difference(const Bench *b)
{
    double worst = 0, largest = 1e-30;
    for (int k = 0; k < b->c->n_out; k++)
        for (int64_t i = 0; i < elements(&b->c->out[k]); i++) {
            double x = get(b->c->out[k].dtype, b->raw_out[k], i), y = get(b->c->out[k].dtype, b->c_out[k], i);
            if (fabs(y) > largest) largest = fabs(y);
            if (!(fabs(x - y) <= worst)) worst = x != x ? INFINITY : fabs(x - y);
        }
    return worst / largest;
}

static void call_once(Bench *b, int impl)
{
    if (impl == C) b->c->c(b->raw_in, b->c_out);
    else if (impl == WEFT && !b->c->natural) weft_run(b->plan, b->plan_in, b->plan_out, b->scratch);
    else b->c->call(b->ctx, impl == WEFT, b->in, b->out);
}

/* Mean time of n calls, in microseconds. Natural calls leave arrays behind: a scope frees them, its time
 * included. */
static double time_calls(Bench *b, int impl, int n)
{
    bool scoped = impl == EAGER || (impl == WEFT && b->c->natural);
    double t = now();
    for (int i = 0; i < n; i++) {
        weft_scope *s = scoped ? weft_scope_open(b->ctx) : NULL;
        call_once(b, impl);
        if (scoped) weft_scope_close(s);
    }
    return (now() - t) * 1e6 / n;
}

static void calibrate(Bench *b, int impl)
{
    double us = time_calls(b, impl, 1);
    us = time_calls(b, impl, 1);
    double n = REPEAT_SECONDS * 1e6 / (us + 0.01);
    b->runs[impl] = n < 1 ? 1 : n > 100000 ? 100000 : (int)n;
}

/* Trace to loaded code in a context that has not seen the function, LLVM warm; the median of a few. */
static double first_call(const Case *c, weft_array **like)
{
    double ms[FIRST_CALLS];
    for (int k = 0; k < FIRST_CALLS; k++) {
        weft_context *ctx = weft_open(NULL);
        weft_array *in[MAX_IN], *out[MAX_OUT];
        for (int i = 0; i < c->n_in; i++)
            in[i] = weft_from_shape(ctx, c->in[i].dtype, weft_data(like[i]), c->in[i].rank, c->in[i].dim);
        c->declare(ctx);
        double t = now();
        weft_plan *p = weft_compile(ctx, (weft_plan_options){ 0 }, c->call(ctx, true, in, out));
        ms[k] = (now() - t) * 1e3;
        weft_plan_free(p);
        weft_close(ctx);
    }
    return median(ms, FIRST_CALLS);
}

/* ---- the table ---- */

static double ratio(const Result *a, const Result *b, int repeats)
{
    double r[MAX_REPEATS];
    for (int k = 0; k < repeats; k++) r[k] = a->run_us[k] / b->run_us[k];
    return median(r, repeats);
}

static void print_time(const Result *r)
{
    if (!r->ran) printf(" %9s", "-");
    else if (r->median_us < 1000) printf(" %7.2fus", r->median_us);
    else printf(" %7.2fms", r->median_us / 1e3);
}

static void print_row(const Case *c, const Result *r, int repeats)
{
    printf("%-21s", c->name);
    for (int i = 0; i < IMPLS; i++) print_time(&r[i]);
    for (int i = EAGER; i < IMPLS; i++) {
        if (!r[i].ran) printf(" %8s", "-");
        else printf(" %7.2fx", i == C ? ratio(&r[WEFT], &r[C], repeats) : ratio(&r[i], &r[WEFT], repeats));
    }
    printf(" %8.2fms", r[WEFT].first_ms);
    if (r[JAX].ran) printf(" %8.1fms", r[JAX].first_ms);
    printf("\n");
    fflush(stdout);
}

static void write_json(FILE *f, const Case *c, const Result *r, int threads, bool *first)
{
    for (int i = 0; i < IMPLS; i++) {
        if (!r[i].ran) continue;
        fprintf(f,
                "%s\n  {\"case\": \"%s\", \"impl\": \"%s\", \"threads\": %d, \"run_us\": %.4f, \"first_ms\": "
                "%.4f}",
                *first ? "" : ",", c->name, impl_name[i], threads, r[i].median_us, r[i].first_ms);
        *first = false;
    }
}

static bool run_case(const Case *c, const Options *o, Peers *peers, Result *r)
{
    Bench b = { .c = c };
    double answer[2] = { 0, 0 }, d;
    if (!open_case(&b)) {
        close_case(&b);
        return false;
    }
    call_once(&b, WEFT);
    if (c->natural) weft_run(b.plan, b.plan_in, b.plan_out, b.scratch);
    if (c->c) {
        call_once(&b, C);
        d = difference(&b);
        if (!(d <= c->tolerance)) {
            fprintf(stderr, "%s: results differ from C's by %g, allowed are %g\n", c->name, d, c->tolerance);
            close_case(&b);
            return false;
        }
    }
    r[WEFT].ran = true;
    r[WEFT].first_ms = first_call(c, b.in);
    r[C].ran = c->c != NULL;
    r[EAGER].ran = true;
    for (int i = WEFT; i <= C; i++)
        if (r[i].ran) calibrate(&b, i);
    char ask[64];
    snprintf(ask, sizeof ask, "case %s", c->name);
    for (int i = JAX; i <= NUMBA && peers; i++) {
        snprintf(ask, sizeof ask, "%s %s", impl_name[i], c->name);
        r[i].ran = peers_ask(peers, ask, answer, 2) && answer[0] > 0;
        r[i].first_ms = answer[1];
    }
    for (int k = 0; k < o->repeats; k++)
        for (int i = 0; i < IMPLS; i++) {
            if (!r[i].ran) continue;
            bool slow = i == EAGER && k > 0 && r[i].run_us[0] > LONGEST_EAGER * 1e6;
            if (i < JAX) r[i].run_us[k] = slow ? r[i].run_us[0] : time_calls(&b, i, b.runs[i]);
            else {
                snprintf(ask, sizeof ask, "run %s", impl_name[i]);
                peers_ask(peers, ask, answer, 1);
                r[i].run_us[k] = answer[0];
            }
        }
    for (int i = 0; i < IMPLS; i++)
        if (r[i].ran) r[i].median_us = median(r[i].run_us, o->repeats);
    close_case(&b);
    return true;
}

/* What tracing costs: chain320_1M is 320 op calls, each a node of the graph or more (numbers become nodes of
 * their own). */
static void print_tracing(const Options *o, FILE *json, bool *first)
{
    double ns[MAX_REPEATS];
    const Case *c = bench_cases;
    while (strcmp(c->name, "chain320_1M")) c++;
    for (int k = 0; k < o->repeats; k++) {
        Bench b = { .c = c };
        if (open_case(&b)) ns[k] = weft_stats(b.ctx).trace_us * 1e3 / 320;
        close_case(&b);
    }
    double typical = median(ns, o->repeats);
    printf("%-21s %8.0fns an op call\n", "tracing", typical);
    if (json)
        fprintf(json,
                "%s\n  {\"case\": \"tracing\", \"impl\": \"weft\", \"threads\": %d, \"run_us\": %.4f, "
                "\"first_ms\": 0}",
                *first ? "" : ",", o->threads, typical / 1e3);
    *first = false;
}

/* Case number i, or NULL behind the last. */
static const Case *case_at(int i)
{
    if (i < n_bench_cases) return &bench_cases[i];
    if ((i -= n_bench_cases) < n_stencil_cases) return &stencil_cases[i];
    if ((i -= n_stencil_cases) < n_field_cases) return &field_cases[i];
    return NULL;
}

static bool chosen(const Case *c, char **names, int n)
{
    for (int i = 0; i < n; i++)
        if (!strcmp(names[i], c->name)) return true;
    return n == 0;
}

static int usage(int status)
{
    fprintf(status ? stderr : stdout,
            "usage: weft-bench [--threads N] [--json FILE] [--peers] [--repeats N] [--list] [CASE...]\n");
    return status;
}

int main(int argc, char **argv)
{
    static const struct option known[] = {
        { "threads", 1, 0, 't' }, { "json", 1, 0, 'j' }, { "peers", 0, 0, 'p' }, { "repeats", 1, 0, 'r' },
        { "list", 0, 0, 'l' },    { "help", 0, 0, 'h' }, { 0, 0, 0, 0 }
    };
    Options o = { .threads = 1, .repeats = 15 };
    for (int k; (k = getopt_long(argc, argv, "h", known, NULL)) != -1;) {
        if (k == 't') o.threads = atoi(optarg);
        else if (k == 'j') o.json = optarg;
        else if (k == 'p') o.python = WEFT_BINARY_DIR "/peers/bin/python";
        else if (k == 'r') o.repeats = atoi(optarg);
        else if (k == 'l') {
            for (int i = 0; case_at(i); i++) puts(case_at(i)->name);
            return 0;
        } else return usage(k != 'h');
    }
    if (o.repeats < 1 || o.repeats > MAX_REPEATS || o.threads < 1) return usage(2);
    for (int i = optind; i < argc; i++) {
        bool known_case = false;
        for (int k = 0; case_at(k); k++) known_case |= !strcmp(argv[i], case_at(k)->name);
        if (!known_case) {
            fprintf(stderr, "weft-bench: no case %s (--list names them)\n", argv[i]);
            return 2;
        }
    }
    pin(o.threads);
    Peers peers = { 0 };
    if (o.python && !peers_open(&peers, o.python, o.threads, NULL)) {
        fprintf(stderr, "weft-bench: cannot start %s\n", o.python);
        return 1;
    }
    FILE *json = o.json ? fopen(o.json, "w") : NULL;
    if (o.json && !json) {
        perror(o.json);
        return 1;
    }
    if (json) fputs("[", json);
    bool first = true, good = true;
    printf("%-21s %9s %9s %9s %9s %9s %9s %8s %8s %8s %8s %8s %10s %10s\n", "case", "weft", "eager", "c",
           "jax", "numpy", "numba", "eager/w", "weft/c", "jax/w", "numpy/w", "numba/w", "first", "first jax");
    for (int i = 0; case_at(i); i++) {
        const Case *c = case_at(i);
        static Result r[IMPLS];
        memset(r, 0, sizeof r);
        if (!chosen(c, argv + optind, argc - optind)) continue;
        if (!run_case(c, &o, o.python ? &peers : NULL, r)) {
            good = false;
            continue;
        }
        print_row(c, r, o.repeats);
        if (json) write_json(json, c, r, o.threads, &first);
    }
    if (optind == argc) print_tracing(&o, json, &first);
    if (json) {
        fputs("\n]\n", json);
        fclose(json);
    }
    if (o.python) peers_close(&peers);
    return good ? 0 : 1;
}
