/* dump_run.c: weft-dump --run and --time: the graph on given or random inputs, in eager mode and compiled;
 * how far apart they are, how long they took. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "dump.h"
#include "runtime/exec/compile.h"
#include "runtime/eager/eager.h"
#include "runtime/memory/context.h"
#include "weft/array.h"

typedef struct Arrays {
    void **at;
    Type *type;
    uint32_t n;
} Arrays;

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

/* Inputs. */

static double uniform(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (double)(*state >> 11) * 0x1p-53;
}

/* Floats in -2 to 2, ints in -10 to 9 (unsigned: 0 to 19), so that little overflows and much is about the
 * same size. */
static void fill_random(Type t, void *data, uint64_t *state)
{
    DType d = dtype_part((DType)t.dtype);
    int64_t parts = d == t.dtype ? 1 : 2;
    for (int64_t i = 0; i < parts * type_count(t); i++) {
        double u = uniform(state);
        uint64_t bits = d == WEFT_BOOL ? u < 0.5
                        : dtype_is_float(d)
                            ? scalar_from_double(d, 4 * u - 2)
                            : scalar_from_i64(d, (int64_t)(20 * u) - (dtype_is_signed(d) ? 10 : 0));
        scalar_store(d, (char *)data + (size_t)i * dtype_bytes(d), bits);
    }
}

static bool load(weft_context *ctx, const char *path, uint32_t number, Type t, void *data, Failure *f)
{
    weft_array *a = weft_load(ctx, path);
    char want[128];
    if (!a) return fail(f, WEFT_IO, "%s", weft_error(ctx));
    bool fits = weft_dtype_of(a) == t.dtype && weft_rank(a) == t.rank;
    for (int i = 0; fits && i < t.rank; i++) fits = weft_dim(a, i) == t.dim[i];
    if (!fits)
        return fail(f, WEFT_SHAPE, "%s does not fit argument %u, which is %s", path, number,
                    type_text(want, sizeof want, t));
    memcpy(data, weft_data(a), bytes_of(t));
    return true;
}

static bool fill(const DumpOptions *o, weft_context *ctx, Arrays *in, Failure *f)
{
    uint64_t state = o->seed;
    if ((uint32_t)o->n_inputs > in->n)
        return fail(f, WEFT_ARGUMENT, "%d inputs are given, the func takes %u", o->n_inputs, in->n);
    for (uint32_t i = 0; i < in->n; i++) {
        if (i >= (uint32_t)o->n_inputs) fill_random(in->type[i], in->at[i], &state);
        else if (!load(ctx, o->inputs[i], i, in->type[i], in->at[i], f)) return false;
    }
    return true;
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
    r->code->entry(in, r->out->at, r->scratch, r->code->consts, &workers_alone);
    return true;
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

/* Comparing. */

/* The greatest distance of two elements relative to the largest finite one; infinite where only one is NaN,
 * or of different infinities. */
static double distance(Type t, const char *a, const char *b)
{
    DType d = (DType)t.dtype;
    double far = 0, largest = 0;
    for (int64_t i = 0; i < type_count(t); i++, a += dtype_bytes(d), b += dtype_bytes(d)) {
        double x = scalar_to_double(d, scalar_load(d, a)), y = scalar_to_double(d, scalar_load(d, b));
        if (isfinite(x) && fabs(x) > largest) largest = fabs(x);
        if (x == y || (isnan(x) && isnan(y))) continue;
        if (!isfinite(x) || !isfinite(y)) return INFINITY;
        if (fabs(x - y) > far) far = fabs(x - y);
    }
    return far == 0 ? 0 : largest > 0 ? far / largest : INFINITY;
}

static bool compare(const DumpOptions *o, const Arrays *eager, const Arrays *compiled, Failure *f)
{
    bool same = true;
    double allowed = o->mode == MODE_STRICT ? 0 : o->tolerance;
    for (uint32_t i = 0; i < eager->n; i++) {
        Type t = eager->type[i];
        bool equal = memcmp(eager->at[i], compiled->at[i], bytes_of(t)) == 0;
        double far = equal ? 0 : distance(t, eager->at[i], compiled->at[i]);
        if (equal) printf("result %u: eager and compiled are equal bit for bit\n", i);
        else printf("result %u: eager and compiled differ by %.3g of the largest element\n", i, far);
        if (far > allowed)
            same = fail(f, WEFT_COMPILER, "result %u differs by %.3g of its largest element, more than %.3g",
                        i, far, allowed);
    }
    return same;
}

static bool show(const DumpOptions *o, weft_context *ctx, const Arrays *out, Failure *f)
{
    for (uint32_t i = 0; i < out->n; i++) {
        Type t = out->type[i];
        char type[128], path[4096];
        weft_array *a = weft_from_shape(ctx, (weft_dtype)t.dtype, out->at[i], t.rank, t.dim);
        printf("result %u, %s:\n", i, type_text(type, sizeof type, t));
        weft_print(a);
        if (!o->save) continue;
        snprintf(path, sizeof path, "%s%u.npy", o->save, i);
        if (weft_save(a, path) != WEFT_OK) return fail(f, WEFT_IO, "%s", weft_error(ctx));
    }
    return true;
}

/* Times. */

static void show_stages(const Times *t, const Code *code)
{
    printf("parse %.0f us\ntransforms %.0f us\n", t->parse_us, t->transforms_us);
    if (code)
        printf("simplify %.0f us\nfuse %.0f us\nemit %.0f us\ncodegen %.0f us\nload %.0f us\n",
               code->simplify_us, code->fuse_us, code->emit_us, code->codegen_us, code->load_us);
}

static void show_times(const Times *t, const Code *code, const Measured *eager, const Measured *compiled)
{
    show_stages(t, code);
    printf("eager run %.*f us (median of %d runs)\n", eager->us < 10 ? 3 : 1, eager->us, eager->runs);
    if (code)
        printf("compiled run %.*f us (median of %d runs; %u kernels, %zu bytes of code, %zu of scratch, %lld "
               "bytes of "
               "intermediates never written)\n",
               compiled->us < 10 ? 3 : 1, compiled->us, compiled->runs, code->n_kernels, code->code_bytes,
               code->scratch_bytes, (long long)code->fused_bytes);
}

/* NULL in *code where there is no back end: eager mode runs alone. */
static bool compile(const DumpOptions *o, const Graph *g, const weft_context *ctx, Code **code, Failure *f)
{
    Target target;
    Failure missing = { 0 };
    bool found = dump_machine(o, &target, &missing);
    CompileOptions options = { .mode = o->mode, .target = &target, .name = g->name, .perf = ctx->perf };
    if (!found && missing.code == WEFT_ARGUMENT) return fail(f, missing.code, "%s", missing.text);
    if (!found) fprintf(stderr, "weft-dump: eager mode only: %s\n", missing.text);
    *code = found ? compile_graph(g, &options, &dump_allocator, f) : NULL;
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

static bool run_both(const DumpOptions *o, const Graph *g, const Times *times, weft_context *ctx,
                     Arrays arrays[3], Failure *f)
{
    Measured eager = { 0 }, compiled = { 0 };
    Code *code;
    if (!fill(o, ctx, &arrays[0], f) || !run_eager(g, &arrays[0], &arrays[1], o->time, &eager, f) ||
        !compile(o, g, ctx, &code, f))
        return false;
    bool ok = !code || run_code(code, &arrays[0], &arrays[2], o->time, &compiled, f);
    if (ok && o->run) ok = show(o, ctx, &arrays[1], f) && (!code || compare(o, &arrays[1], &arrays[2], f));
    if (ok && o->time) show_times(times, code, &eager, &compiled);
    code_free(code, &dump_allocator);
    return ok;
}

bool dump_run(const DumpOptions *o, const Graph *g, const Times *times, Arena *a, Failure *f)
{
    Arrays arrays[3] = { 0 }; /* inputs, eager's results, compiled results */
    weft_context *ctx = weft_open(NULL);
    if (!ctx) return fail(f, WEFT_MEMORY, "%s", weft_error(NULL));
    bool ok = o->compile_only ? time_stages(o, g, times, ctx, f)
                              : allocate(a, g, g->params, g->n_params, &arrays[0], f) &&
                                    allocate(a, g, g->outputs, g->n_outputs, &arrays[1], f) &&
                                    allocate(a, g, g->outputs, g->n_outputs, &arrays[2], f) &&
                                    run_both(o, g, times, ctx, arrays, f);
    for (int i = 0; i < 3; i++) release(&arrays[i]);
    weft_clear(ctx);
    weft_close(ctx);
    return ok;
}
