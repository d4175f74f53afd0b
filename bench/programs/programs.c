/* programs.c: StableHLO programs that others wrote, weft and JAX in turn on as many threads, results
 * compared.
 *
 *   weft-programs [--peers] [--repeats N] [--threads N] [--target NAME] [--json FILE] [--order] [PATH...]
 *
 * A path is a .mlir file, a folder of f.mlir with in0.npy ... and out0.npy ... (what JAX gave), or a folder
 * of such; without one, ../shared/jax-programs beside the source tree. Inputs that are not there are random;
 * results that are not there are asked of JAX. What a call costs JAX beside the program's work, measured by a
 * program of the same arguments that does nothing, is taken off its times; weft's are those of the compiled
 * entry. --target limits both; without it each takes what the machine has. With --order a program is run once
 * more, its pieces one after the other from the last to the first, and must give the same bits: no piece may
 * need what another one stores.
 */
#include "../measure.h"
#include "compiler/passes/raise.h"
#include "compiler/text/text.h"
#include "runtime/exec/compile.h"
#include "runtime/team/team.h"
#include "weft.h"
#include <dirent.h>
#include <getopt.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { MAX_PROGRAMS = 1024, MAX_PATH = 1024, ORDERED = 8 /* threads that there might be, of --order */ };

typedef struct Settings {
    int repeats, threads;
    Workers workers, backwards; /* weft's; those of --order, or without threads */
    bool order;
    const char *python, *target;
    FILE *json;
} Settings;

/* One program and its memory. */
typedef struct Run {
    const char *path;    /* of the .mlir file */
    char name[128];      /* of its folder, or of the file */
    char data[MAX_PATH]; /* the folder of inputs and results */
    bool stored;         /* they are the program's own, not random */
    weft_context *ctx;
    Arena arena;
    const Graph *graph;
    Code *code;
    const void **in;
    void **out, *scratch;
    size_t scratch_bytes;
    uint32_t n_out;
    double compile_ms, weft_us, jax_us, jax_compile_ms, ratio, far;
    bool by_order; /* do the results depend on it? */
} Run;

static void *resize(void *user, void *p, size_t old_bytes, size_t new_bytes)
{
    (void)user;
    (void)old_bytes;
    if (new_bytes) return realloc(p, new_bytes);
    free(p);
    return NULL;
}
static const Allocator heap = { resize, NULL };

/* ---- a program ---- */

static size_t bytes_of(Type t) { return (size_t)type_count(t) * dtype_bytes((DType)t.dtype); }

static void *room(size_t bytes) { return aligned_alloc(64, (bytes + 191) / 64 * 64); }

static char *read_file(const char *path, size_t *n)
{
    struct stat status;
    FILE *f = fopen(path, "rb");
    char *text = f && fstat(fileno(f), &status) == 0 ? malloc((size_t)status.st_size + 1) : NULL;
    if (text) *n = fread(text, 1, (size_t)status.st_size, f);
    if (f) fclose(f);
    return text;
}

static const Graph *main_func(const Parsed *parsed)
{
    for (uint32_t i = 0; i < parsed->n_funcs; i++)
        if (strcmp(parsed->funcs[i].name, "main") == 0) return parsed->funcs[i].graph;
    return parsed->n_funcs ? parsed->funcs[0].graph : NULL;
}

/* Text to loaded code; the time is the compiler's own, after LLVM was loaded by a first program. */
static bool compile(Run *r, const Settings *settings, Failure *f)
{
    size_t n = 0;
    char *text = read_file(r->path, &n);
    Target target;
    if (!text) return fail(f, WEFT_IO, "cannot be read");
    if (!compile_target(settings->target ? settings->target : "host", NULL, &target, f)) return false;
    if (settings->threads == 1 && !settings->order) target.parallel_ns = 0;
    double start = now();
    const Parsed *parsed = text_parse(&r->arena, text, n, r->path, f, NULL);
    free(text);
    if (!parsed || !(r->graph = main_func(parsed))) return false;
    r->graph = raise_graph(&r->arena, r->graph);
    r->code = compile_graph(r->graph, &(CompileOptions){ .target = &target, .name = r->name }, &heap, f);
    r->compile_ms = (now() - start) * 1e3;
    return r->code != NULL;
}

/* ---- data ---- */

/* Small positive numbers: roots, logarithms and divisions are defined. */
static void fill(Type t, char *data, uint64_t *state)
{
    DType d = (DType)t.dtype;
    for (int64_t i = 0; i < type_count(t); i++) {
        *state = *state * 6364136223846793005u + 1442695040888963407u;
        double u = (double)(*state >> 11) * 0x1p-53;
        uint64_t bits = d == WEFT_BOOL      ? u < 0.5
                        : dtype_is_float(d) ? scalar_from_double(d, u + 0.1)
                                            : scalar_from_i64(d, (int64_t)(8 * u));
        scalar_store(d, data + (size_t)i * dtype_bytes(d), bits);
    }
}

/* The file's elements, or NULL and f set: it is not there, or of another type. */
static weft_array *load(const Run *r, const char *kind, uint32_t i, Type t, Failure *f)
{
    char path[MAX_PATH + 32];
    snprintf(path, sizeof path, "%s/%s%u.npy", r->data, kind, i);
    weft_array *a = weft_load(r->ctx, path);
    bool fits = a && weft_dtype_of(a) == t.dtype && weft_rank(a) == t.rank;
    for (int d = 0; fits && d < t.rank; d++) fits = weft_dim(a, d) == t.dim[d];
    if (!fits) fail(f, WEFT_IO, "%s: %s", path, a ? "of another type" : weft_error(r->ctx));
    return fits ? a : NULL;
}

static bool make_inputs(Run *r, Failure *f)
{
    uint64_t state = 1;
    for (uint32_t i = 0; i < r->graph->n_params; i++) {
        Type t = graph_type(r->graph, r->graph->params[i]);
        char path[MAX_PATH + 32], *data = room(bytes_of(t));
        r->in[i] = data;
        if (r->stored) {
            weft_array *a = load(r, "in", i, t, f);
            if (!a) return false;
            memcpy(data, weft_data(a), bytes_of(t));
            continue;
        }
        fill(t, data, &state);
        snprintf(path, sizeof path, "%s/in%u.npy", r->data, i);
        if (weft_save(weft_from_shape(r->ctx, (weft_dtype)t.dtype, data, t.rank, t.dim), path) != WEFT_OK)
            return fail(f, WEFT_IO, "%s", weft_error(r->ctx));
    }
    return true;
}

static bool bind(Run *r, const Settings *settings, Failure *f)
{
    r->n_out = r->graph->n_outputs;
    r->in = calloc(r->graph->n_params + 1, sizeof *r->in);
    r->out = calloc(r->n_out + 1, sizeof *r->out);
    for (uint32_t i = 0; i < r->n_out; i++)
        r->out[i] = room(bytes_of(graph_type(r->graph, r->graph->outputs[i])));
    size_t *scratch = &r->scratch_bytes;
    *scratch = code_scratch(r->code, &settings->workers);
    if (settings->order && code_scratch(r->code, &settings->backwards) > *scratch)
        *scratch = code_scratch(r->code, &settings->backwards);
    r->scratch = room(*scratch);
    return make_inputs(r, f);
}

/* ---- results ---- */

/* Numbers of an array; a complex one is two, of type dtype_part. */
static int64_t numbers_of(Type t) { return type_count(t) * (dtype_is_complex((DType)t.dtype) ? 2 : 1); }

/* How far apart two arrays are, in the unit of what is allowed: 1e-5 of the largest element (f64 1e-12,
 * f16 and bf16 1e-2) and 1e-6 beside the largest input, for a sum that ought to be zero; integers must be
 * equal. */
static double distance(Type t, const char *a, const char *b, double largest_input)
{
    DType d = dtype_part((DType)t.dtype);
    double far = 0, largest = 0;
    for (int64_t i = 0; i < numbers_of(t); i++, a += dtype_bytes(d), b += dtype_bytes(d)) {
        double x = scalar_to_double(d, scalar_load(d, a)), y = scalar_to_double(d, scalar_load(d, b));
        if (isfinite(y) && fabs(y) > largest) largest = fabs(y);
        if (x == y || (isnan(x) && isnan(y))) continue;
        if (!isfinite(x) || !isfinite(y)) return INFINITY;
        if (fabs(x - y) > far) far = fabs(x - y);
    }
    if (!dtype_is_float(d)) return far == 0 ? 0 : INFINITY;
    double of_largest = d == WEFT_F64   ? 1e-12
                        : d == WEFT_F32 ? 1e-5
                                        : 1e-2,
           of_input = d == WEFT_F64 ? 1e-13 : 1e-6;
    return far == 0 ? 0 : far / (of_largest * largest + of_input * largest_input);
}

static double largest_input(const Run *r)
{
    double largest = 0;
    for (uint32_t i = 0; i < r->graph->n_params; i++) {
        Type t = graph_type(r->graph, r->graph->params[i]);
        const char *p = r->in[i];
        DType d = dtype_part((DType)t.dtype);
        for (int64_t k = 0; k < numbers_of(t); k++, p += dtype_bytes(d)) {
            double x = fabs(scalar_to_double(d, scalar_load(d, p)));
            if (isfinite(x) && x > largest) largest = x;
        }
    }
    return largest;
}

static bool compare(Run *r, Failure *f)
{
    double input = largest_input(r);
    for (uint32_t i = 0; i < r->n_out; i++) {
        Type t = graph_type(r->graph, r->graph->outputs[i]);
        weft_array *a = load(r, "out", i, t, f);
        if (!a) return false;
        double far = distance(t, r->out[i], weft_data(a), input);
        if (far > r->far) r->far = far;
    }
    return true;
}

/* ---- time ---- */

static double time_entry(const Run *r, const Settings *settings, int n)
{
    double start = now();
    for (int i = 0; i < n; i++)
        r->code->entry(r->in, r->out, r->scratch, r->code->consts, &settings->workers);
    return (now() - start) * 1e6 / n;
}

/* Are all bits of the results what they are if the last piece is the first? Nothing is left of what was
 * stored before. */
static bool same_backwards(Run *r, const Settings *settings)
{
    bool same = true;
    void **first = calloc(r->n_out + 1, sizeof *first);
    for (uint32_t i = 0; i < r->n_out; i++) {
        size_t bytes = bytes_of(graph_type(r->graph, r->graph->outputs[i]));
        first[i] = memcpy(room(bytes), r->out[i], bytes);
        memset(r->out[i], 0x7e, bytes);
    }
    memset(r->scratch, 0x7e, r->scratch_bytes);
    r->code->entry(r->in, r->out, r->scratch, r->code->consts, &settings->backwards);
    for (uint32_t i = 0; i < r->n_out; i++) {
        same &= !memcmp(first[i], r->out[i], bytes_of(graph_type(r->graph, r->graph->outputs[i])));
        free(first[i]);
    }
    free(first);
    return same;
}

/* A repeat runs weft and JAX once for some milliseconds; the ratio is the median of the repeats' own. */
static bool measure(Run *r, const Settings *settings, Peers *peers, Failure *f)
{
    double weft[MAX_REPEATS], jax[MAX_REPEATS], ratio[MAX_REPEATS], once = time_entry(r, settings, 1);
    double n = REPEAT_SECONDS * 1e6 / (once + 0.01);
    int runs = n < 1 ? 1 : n > 100000 ? 100000 : (int)n;
    for (int k = 0; k < settings->repeats; k++) {
        if (runs > 1) time_entry(r, settings, 1); /* JAX ran before, in the same caches */
        weft[k] = time_entry(r, settings, runs);
        if (!peers) continue;
        if (!peers_ask(peers, "run program", &jax[k], 1)) return fail(f, WEFT_COMPILER, "JAX dies of it");
        ratio[k] = jax[k] / weft[k];
    }
    r->weft_us = median(weft, settings->repeats);
    if (!peers) return true;
    r->jax_us = median(jax, settings->repeats);
    r->ratio = median(ratio, settings->repeats);
    return true;
}

static bool ask_jax(Run *r, Peers *peers, Failure *f)
{
    char question[2 * MAX_PATH + 64];
    double answer[2] = { 0, 0 };
    snprintf(question, sizeof question, "program %s\t%s\t%u\t%s", r->path, r->data, r->graph->n_params,
             r->stored ? "" : "save");
    if (!peers_ask(peers, question, answer, 2) || answer[0] != 1)
        return fail(f, WEFT_COMPILER, "JAX does not run it");
    r->jax_compile_ms = answer[1];
    return true;
}

/* ---- the table ---- */

static bool run(Run *r, const Settings *settings, Peers *peers, Failure *f)
{
    if (!compile(r, settings, f) || !bind(r, settings, f) || (peers && !ask_jax(r, peers, f))) return false;
    time_entry(r, settings, 1);
    r->by_order = settings->order && !same_backwards(r, settings);
    if ((r->stored || peers) && !compare(r, f)) return false;
    return measure(r, settings, peers, f);
}

static void release(Run *r)
{
    for (uint32_t i = 0; r->in && i < r->graph->n_params; i++) free((void *)(uintptr_t)r->in[i]);
    for (uint32_t i = 0; i < r->n_out; i++) free(r->out[i]);
    free(r->in);
    free(r->out);
    free(r->scratch);
    code_free(r->code, &heap);
    arena_free(&r->arena);
    weft_close(r->ctx);
}

/* What rounding decides: their f32 results differ from run to run of any compiler. */
static bool is_chaotic(const char *name)
{
    static const char *const names[] = { "pagerank", "cartpole",  "mandelbrot", "diffrax",
                                         "nuts",     "digamma_f", "rbf_cg" };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strstr(name, names[i])) return true;
    return strcmp(name, "decision-stump-boosting-adaboost") ==
           0; /* which of equal stumps is best; not in f64 */
}

static void print_row(const Run *r, bool with_jax)
{
    printf("%-44s %11.2f", r->name, r->weft_us);
    if (with_jax) printf(" %11.2f %8.2fx", r->jax_us, r->ratio);
    printf(" %9.1f", r->compile_ms);
    if (with_jax) printf(" %9.1f", r->jax_compile_ms);
    if (r->far > 1) printf("  %s: %.3g x what is allowed", is_chaotic(r->name) ? "chaotic" : "WRONG", r->far);
    if (r->by_order) printf("  WRONG: the order of its pieces matters");
    printf("\n");
    fflush(stdout);
}

typedef struct Summary {
    double ratios, compile_ratios;
    int programs, timed, slower, wrong, failed;
} Summary;

static const double SHORT_US = 20; /* shorter programs are calls */

static void count(Summary *s, const Run *r)
{
    s->programs++;
    s->wrong += (r->far > 1 && !is_chaotic(r->name)) || r->by_order;
    if (r->jax_us <= 0) return;
    s->compile_ratios += log(r->jax_compile_ms / r->compile_ms);
    if (r->jax_us < SHORT_US) return;
    s->timed++;
    s->slower += r->ratio < 1;
    s->ratios += log(r->ratio);
}

static void run_path(const char *path, const char *data, const Settings *settings, Peers *peers, Summary *s)
{
    Run r = { .path = path, .stored = data != NULL };
    Failure f = { 0 };
    Guard guard;
    const char *slash = strrchr(data ? data : path, '/');
    snprintf(r.name, sizeof r.name, "%s", slash ? slash + 1 : path);
    snprintf(r.data, sizeof r.data, "%s", data ? data : WEFT_BINARY_DIR "/programs");
    r.ctx = weft_open(NULL);
    arena_init(&r.arena, &heap, &guard);
    if (setjmp(guard.env)) fail(&f, WEFT_MEMORY, "out of memory");
    else if (run(&r, settings, peers, &f)) {
        print_row(&r, peers != NULL);
        count(s, &r);
        if (settings->json)
            fprintf(settings->json,
                    "%s\n  {\"case\": \"%s\", \"weft_us\": %.4f, \"jax_us\": %.4f, \"ratio\": "
                    "%.4f, \"weft_ms\": %.3f, \"jax_ms\": %.3f, \"far\": %g}",
                    s->programs > 1 ? "," : "", r.name, r.weft_us, r.jax_us, r.ratio, r.compile_ms,
                    r.jax_compile_ms, isfinite(r.far) ? r.far : 1e300);
    }
    if (f.code) {
        printf("%-44s %s\n", r.name, f.text);
        s->failed++;
    }
    release(&r);
}

static bool ends_with(const char *s, const char *end)
{
    size_t n = strlen(s), m = strlen(end);
    return n >= m && strcmp(s + n - m, end) == 0;
}

static int is_visible(const struct dirent *e) { return e->d_name[0] != '.'; }

/* A file, a program's folder, or a folder of either, to any depth. */
static bool walk(const char *path, const Settings *settings, Peers *peers, Summary *s)
{
    char file[MAX_PATH];
    struct stat status;
    struct dirent **entries;
    snprintf(file, sizeof file, "%s/f.mlir", path);
    if (ends_with(path, ".mlir")) run_path(path, NULL, settings, peers, s);
    else if (stat(file, &status) == 0) run_path(file, path, settings, peers, s);
    else {
        int n = scandir(path, &entries, is_visible, alphasort);
        if (n < 0) return false;
        for (int i = 0; i < n; i++) {
            snprintf(file, sizeof file, "%s/%s", path, entries[i]->d_name);
            if (ends_with(file, ".mlir") || (stat(file, &status) == 0 && S_ISDIR(status.st_mode)))
                walk(file, settings, peers, s);
            free(entries[i]);
        }
        free(entries);
    }
    return true;
}

static void summarize(const Summary *s, bool with_jax)
{
    printf("%d programs", s->programs);
    if (with_jax && s->timed)
        printf(
            "; of %d that take JAX %g us or more: JAX/weft %.2f in the geometric mean, %d slower than JAX; "
            "compile time JAX/weft %.1f",
            s->timed, SHORT_US, exp(s->ratios / s->timed), s->slower, exp(s->compile_ratios / s->programs));
    printf("; %d with wrong results, %d that do not run\n", s->wrong, s->failed);
}

/* One thread, from the last task to the first. */
static void last_first(void *user, int64_t n, void (*task)(void *, int64_t), void *arg)
{
    (void)user;
    while (n-- > 0) task(arg, n);
}

static int usage(int status)
{
    fprintf(
        status ? stderr : stdout,
        "usage: weft-programs [--peers] [--repeats N] [--threads N] [--target NAME] [--json FILE] [--order] "
        "[PATH...]\n"
        "StableHLO files, in weft and with --peers in JAX, each on so many cores (1); --target limits both "
        "to "
        "avx512, avx2 or sse2; --order: pieces for threads last first, too, for the same bits.\n");
    return status;
}

int main(int argc, char **argv)
{
    static const struct option known[] = { { "peers", 0, 0, 'p' },   { "repeats", 1, 0, 'r' },
                                           { "target", 1, 0, 't' },  { "json", 1, 0, 'j' },
                                           { "threads", 1, 0, 'n' }, { "order", 0, 0, 'o' },
                                           { "help", 0, 0, 'h' },    { 0, 0, 0, 0 } };
    Settings settings = { .repeats = 15, .threads = 1 };
    Summary summary = { 0 };
    Peers peers = { 0 };
    for (int k; (k = getopt_long(argc, argv, "h", known, NULL)) != -1;) {
        if (k == 'p') settings.python = WEFT_BINARY_DIR "/peers/bin/python";
        else if (k == 'r') settings.repeats = atoi(optarg);
        else if (k == 'n') settings.threads = atoi(optarg);
        else if (k == 'o') settings.order = true;
        else if (k == 't') settings.target = optarg;
        else if (k == 'j' && !(settings.json = fopen(optarg, "w"))) return perror(optarg), 1;
        else if (k == 'h' || k == '?') return usage(k == 'h' ? 0 : 2);
    }
    if (settings.repeats < 1 || settings.repeats > MAX_REPEATS || settings.threads < 1) return usage(2);
    if (settings.target && !target_choose(settings.target)) return 2;
    pin(settings.threads);
    if (settings.python && !peers_open(&peers, settings.python, settings.threads, "programs")) {
        fprintf(stderr, "weft-programs: cannot start %s\n", settings.python);
        return 1;
    }
    Team *team = settings.threads > 1 ? team_open(settings.threads, NULL, NULL) : NULL;
    settings.workers = team_workers(team, settings.threads);
    Team *backwards = settings.order ? team_open(ORDERED, last_first, NULL) : NULL;
    settings.backwards = team_workers(backwards, ORDERED);
    mkdir(WEFT_BINARY_DIR "/programs", 0755);
    printf("%-44s %11s", "program", "weft us");
    if (settings.python) printf(" %11s %9s", "jax us", "jax/w");
    printf(" %9s%s\n", "compile", settings.python ? "    jax ms" : "");
    if (settings.json) fputs("[", settings.json);
    char *default_paths[] = { WEFT_SOURCE_DIR "/../shared/jax-programs" }, **paths = default_paths;
    int n_paths = 1;
    if (optind < argc) {
        paths = argv + optind;
        n_paths = argc - optind;
    }
    for (int i = 0; i < n_paths; i++)
        if (!walk(paths[i], &settings, settings.python ? &peers : NULL, &summary)) perror(paths[i]);
    summarize(&summary, settings.python != NULL);
    if (settings.json) {
        fputs("\n]\n", settings.json);
        fclose(settings.json);
    }
    if (settings.python) peers_close(&peers);
    team_close(team);
    team_close(backwards);
    return summary.wrong || summary.failed ? 1 : 0;
}
