/* dump_run.c: weft-dump --run and --time: the graph on given or random inputs, in eager mode and compiled;
 * how far apart they are, how long they took. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "dump.h"
#include "runtime/exec/code_run.h"
#include "runtime/exec/compile.h"
#include "runtime/eager/eager.h"
#include "runtime/memory/context.h"
#include "weft/array.h"

/* A program runs untimed first, then for so long and so many times at least, in batches of so long. */
enum { WARM_RUNS = 3, LEAST_RUNS = 5, MAX_BATCHES = 1000 };
static const double WARM_US = 20000, ENOUGH_US = 100000, BATCH_US = 200;

typedef struct Measured {
    double us; /* a run; the median */
    int runs;
} Measured;

static size_t bytes_of(Type t) { return (size_t)type_count(t) * dtype_bytes((DType)t.dtype); }

static bool allocate(Arena *a, const Graph *g, const Ref *refs, uint32_t n, Arrays *arrays, Failure *f)
{
    *arrays = (Arrays){ arena_alloc(a, (n + 1) * sizeof(void *)), arena_alloc(a, (n + 1) * sizeof(Type)), n };
    for (uint32_t i = 0; i < n; i++) {
        arrays->type[i] = graph_type(g, refs[i]);
        if (posix_memalign(&arrays->at[i], 64, bytes_of(arrays->type[i]) + 64) != 0) {
            arrays->at[i] = NULL;
            return fail(f, WEFT_MEMORY, "no memory for an array of %zu bytes", bytes_of(arrays->type[i]));
        }
        memset(arrays->at[i], 0, bytes_of(arrays->type[i]) + 64);
    }
    return true;
}

static void release(Arrays *arrays)
{
    for (uint32_t i = 0; i < arrays->n; i++) free(arrays->at[i]);
}

/* Running. */

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

typedef struct Run {
    const Graph *graph;
    const Code *code; /* NULL: eager mode */
    const Arrays *in, *out;
    void *scratch;
    Failure *failure;
} Run;

static bool run_once(const Run *r)
{
    const void *const *in = (const void *const *)r->in->at;
    if (!r->code) return eager_graph(r->graph, in, r->out->at, &dump_allocator, r->failure);
    return code_run(r->code, in, r->out->at, r->scratch, &workers_alone, false) ||
           fail(r->failure, WEFT_MEMORY, CODE_SHORT, r->code->piece_stack >> 10);
}

/* Untimed runs until code, data and clock speed are what they stay; a run's time by them. */
static bool warm_up(const Run *r, double *us)
{
    double start = dump_now_us();
    int n = 0;
    for (*us = 0; n < WARM_RUNS || *us < WARM_US; *us = dump_now_us() - start, n++)
        if (!run_once(r)) return false;
    *us /= n;
    return true;
}

/* The median of batches that take long enough for the clock's own cost not to count. */
static bool measure(const Run *r, Measured *m)
{
    double took[MAX_BATCHES], total = 0, us;
    int n = 0;
    if (!warm_up(r, &us)) return false;
    int batch = us < BATCH_US ? (int)(BATCH_US / us) + 1 : 1;
    while (n < MAX_BATCHES && (n < LEAST_RUNS || total < ENOUGH_US)) {
        double start = dump_now_us();
        for (int i = 0; i < batch; i++)
            if (!run_once(r)) return false;
        took[n] = dump_now_us() - start;
        total += took[n++];
    }
    qsort(took, (size_t)n, sizeof *took, by_value);
    *m = (Measured){ took[n / 2] / batch, n * batch };
    return true;
}

static bool run_eager(const Graph *g, const Arrays *in, const Arrays *out, bool time, Measured *m, Failure *f)
{
    Run r = { .graph = g, .in = in, .out = out, .failure = f };
    return time ? measure(&r, m) : run_once(&r);
}

static bool run_code(const Code *code, const Arrays *in, const Arrays *out, bool time, Measured *m,
                     Failure *f)
{
    Run r = { .code = code, .in = in, .out = out, .failure = f };
    if (posix_memalign(&r.scratch, 64, code->scratch_bytes + 64) != 0)
        return fail(f, WEFT_MEMORY, "no memory for %zu bytes of scratch", code->scratch_bytes);
    bool good = time ? measure(&r, m) : run_once(&r);
    free(r.scratch);
    return good;
}

/* Results. */

/* Eager and compiled ones. */
static bool agree(const DumpOptions *o, const Slots *s, Arena *a, const Arrays *eager, const Arrays *compiled,
                  Failure *f)
{
    bool same = true;
    for (uint32_t i = 0; i < eager->n; i++) {
        Type t;
        const void *is = dump_values(a, &s->slot[i], compiled->at[i], &t),
                   *wanted = dump_values(a, &s->slot[i], eager->at[i], &t);
        double largest = dump_largest(t, wanted), allowed = o->mode == MODE_STRICT ? 0 : o->tolerance;
        Difference d = dump_compare(t, is, wanted, 0, 0);
        double far = d.apart == 0 ? 0 : largest > 0 ? d.apart / largest : INFINITY;
        if (d.equal) printf("result %u: eager and compiled are equal bit for bit\n", i);
        else if (far == 0)
            printf("result %u: eager and compiled differ in a zero's sign or a NaN's bits alone\n", i);
        else printf("result %u: eager and compiled differ by %.3g of the largest element\n", i, far);
        if (far > allowed)
            same = fail(f, WEFT_COMPILER, "result %u differs by %.3g of its largest element, more than %.3g",
                        i, far, allowed);
    }
    return same;
}

static void print(weft_context *ctx, const Slots *s, Arena *a, const Arrays *out)
{
    for (uint32_t i = 0; i < out->n; i++) {
        Type t;
        const void *values = dump_values(a, &s->slot[i], out->at[i], &t);
        printf("result %u, %s:\n", i, dump_type(a, &s->slot[i]));
        weft_print(weft_from_shape(ctx, (weft_dtype)t.dtype, values, t.rank, t.dim));
    }
}

/* What both of them gave is compared first to last, so that all is said. */
static bool results(const DumpOptions *o, const Slots *s, weft_context *ctx, Arena *a, const Arrays *eager,
                    const Arrays *compiled, Failure *f)
{
    const Arrays *out = compiled ? compiled : eager;
    if (o->print) print(ctx, s, a, out);
    bool good = !o->save || dump_save(o, ctx, a, out, f);
    if (eager && compiled) good = agree(o, s, a, eager, compiled, f) && good;
    return (!o->n_expected || dump_expect(o, ctx, s, a, out, f)) && good;
}

/* Times. */

static void show_stages(const Times *t, const Code *code)
{
    printf("parse %.0f us\ntransforms %.0f us\n", t->parse_us, t->transforms_us);
    if (code)
        printf("simplify %.0f us\nfuse %.0f us\nemit %.0f us\ncodegen %.0f us\nload %.0f us\n",
               code->simplify_us, code->fuse_us, code->emit_us, code->codegen_us, code->load_us);
}

static void show_run(const char *what, const Measured *m)
{
    printf("%s run %.*f us (median of %d runs", what, m->us < 10 ? 3 : 1, m->us, m->runs);
}

static void show_times(const DumpOptions *o, const Times *t, const Code *code, const Measured *eager,
                       const Measured *compiled)
{
    show_stages(t, code);
    if (o->eager || !code) show_run("eager", eager), printf(")\n");
    if (!code) return;
    show_run("compiled", compiled);
    printf("; %u kernels, %zu bytes of code, %zu of scratch, %lld bytes of intermediates never written)\n",
           code->n_kernels, code->code_bytes, code->scratch_bytes, (long long)code->fused_bytes);
}

/* NULL in *code where there is no back end, or --no-compile: eager mode runs alone. */
static bool compile(const DumpOptions *o, const Graph *g, const weft_context *ctx, Code **code, Failure *f)
{
    Target target;
    Failure missing = { 0 };
    *code = NULL;
    if (!o->compiled) return true;
    bool found = dump_machine(o, &target, &missing);
    CompileOptions options = { .mode = o->mode, .target = &target, .name = g->name, .perf = ctx->perf };
    if (!found && (missing.code == WEFT_ARGUMENT || !o->eager))
        return fail(f, missing.code, "%s", missing.text);
    if (!found) fprintf(stderr, "weft-dump: eager mode only: %s\n", missing.text);
    else *code = compile_graph(g, &options, &dump_allocator, f);
    return !found || *code;
}

static bool time_stages(const DumpOptions *o, const Graph *g, const Times *times, weft_context *ctx,
                        Failure *f)
{
    Code *code;
    if (!compile(o, g, ctx, &code, f)) return false;
    show_stages(times, code);
    code_free(code, &dump_allocator);
    return true;
}

static bool run_both(const DumpOptions *o, const Graph *g, const Slots *args, const Slots *given,
                     const Times *times, weft_context *ctx, Arena *a, Arrays arrays[3], Failure *f)
{
    Measured eager = { 0 }, compiled = { 0 };
    Code *code;
    if (!dump_inputs(o, ctx, args, a, &arrays[0], f) || !compile(o, g, ctx, &code, f)) return false;
    bool ok = (!o->eager || run_eager(g, &arrays[0], &arrays[1], o->time, &eager, f)) &&
              (!code || run_code(code, &arrays[0], &arrays[2], o->time, &compiled, f));
    if (ok && o->run)
        ok = results(o, given, ctx, a, o->eager ? &arrays[1] : NULL, code ? &arrays[2] : NULL, f);
    if (ok && o->time) show_times(o, times, code, &eager, &compiled);
    code_free(code, &dump_allocator);
    return ok;
}

bool dump_run(const DumpOptions *o, const Graph *g, const Slots *args, const Slots *given, const Times *times,
              Arena *a, Failure *f)
{
    Arrays arrays[3] = { 0 }; /* inputs, eager's results, compiled results */
    weft_context *ctx = weft_open(NULL);
    if (!ctx) return fail(f, WEFT_MEMORY, "%s", weft_error(NULL));
    bool ok = o->compile_only ? time_stages(o, g, times, ctx, f)
                              : allocate(a, g, g->params, g->n_params, &arrays[0], f) &&
                                    allocate(a, g, g->outputs, g->n_outputs, &arrays[1], f) &&
                                    allocate(a, g, g->outputs, g->n_outputs, &arrays[2], f) &&
                                    run_both(o, g, args, given, times, ctx, a, arrays, f);
    for (int i = 0; i < 3; i++) release(&arrays[i]);
    weft_clear(ctx);
    weft_close(ctx);
    return ok;
}
