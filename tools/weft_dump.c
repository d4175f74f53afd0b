/* weft_dump.c: weft-dump: a StableHLO text file, what each stage makes of it, and what it computes. The man
 * page is docs/weft-dump.1. */
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "compiler/derive/jvp/jvp.h"
#include "compiler/derive/vjp.h"
#include "compiler/passes/raise.h"
#include "compiler/vmap/vmap.h"
#include "compiler/text/text.h"
#include "dump.h"

#ifndef WEFT_VERSION_TEXT
#define WEFT_VERSION_TEXT "unknown"
#endif

double dump_now_us(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e6 + (double)t.tv_nsec * 1e-3;
}

static void *resize(void *user, void *p, size_t old_bytes, size_t new_bytes)
{
    (void)user;
    (void)old_bytes;
    if (new_bytes) return realloc(p, new_bytes);
    free(p);
    return NULL;
}

const Allocator dump_allocator = { resize, NULL };

/* Options. */

static const char help[] =
    "usage: weft-dump [OPTION...] FILE\n"
    "Reads StableHLO text (- is standard input) and shows what weft makes of it.\n"
    "\n"
    "  -f, --func=NAME          the func to take; by default main, else the first\n"
    "  -v, --vmap=N[:IN][->OUT] map over a batch of N; IN and OUT list the batch axes of arguments and "
    "results\n"
    "                           (numbers or none, separated by commas; 0 where not given)\n"
    "  -g, --grad[=ARGS]        the gradient of the first result, a number, by these arguments (0,2); by "
    "default by all of\n"
    "                           a float type; behind the results\n"
    "      --jvp[=ARGS]         forward mode: takes tangents of these arguments too, gives the results' "
    "tangents\n"
    "      --vjp[=ARGS]         reverse mode: takes cotangents of the results too, gives the arguments'\n"
    "                           these four may be repeated, and are done in their order\n"
    "  -j, --jit                compile: shows the fused program where no --stage says otherwise\n"
    "  -s, --stage=NAMES        what to show: graph, vmap, grad, simplify, fuse, llvm, asm, dot, all; "
    "separated by commas\n"
    "  -m, --mode=MODE          of arithmetic: default, strict (equal to eager mode bit for bit), fast\n"
    "  -t, --target=NAME        of fuse, llvm and asm: host, avx512, avx2, sse2, aarch64\n"
    "  -r, --run                run it in eager mode and compiled, compare, print the results\n"
    "  -i, --input=FILE.npy     for --run: the next argument; those not given are random\n"
    "      --seed=N             of the random arguments (1)\n"
    "      --tolerance=X        how far the two may be apart, relative to the largest result (1e-4); in "
    "strict mode not at all\n"
    "  -o, --save=PREFIX        write the results to PREFIX0.npy, PREFIX1.npy, ...\n"
    "  -T, --time[=compile]     say what each stage took, and a run; =compile: does not run it\n"
    "  -l, --locs               print the places in the source that ops come from\n"
    "  -h, --help               this text\n"
    "  -V, --version\n"
    "\n"
    "Exit status: 0; 1 if the text, a stage or the comparison failed; 2 for a wrong option.\n";

enum { OPT_SEED = 256, OPT_TOLERANCE, OPT_JVP, OPT_VJP };

static const struct option longs[] = {
    { "func", required_argument, NULL, 'f' },
    { "vmap", required_argument, NULL, 'v' },
    { "jit", no_argument, NULL, 'j' },
    { "stage", required_argument, NULL, 's' },
    { "mode", required_argument, NULL, 'm' },
    { "target", required_argument, NULL, 't' },
    { "run", no_argument, NULL, 'r' },
    { "input", required_argument, NULL, 'i' },
    { "seed", required_argument, NULL, OPT_SEED },
    { "grad", optional_argument, NULL, 'g' },
    { "jvp", optional_argument, NULL, OPT_JVP },
    { "vjp", optional_argument, NULL, OPT_VJP },
    { "tolerance", required_argument, NULL, OPT_TOLERANCE },
    { "save", required_argument, NULL, 'o' },
    { "time", optional_argument, NULL, 'T' },
    { "locs", no_argument, NULL, 'l' },
    { "help", no_argument, NULL, 'h' },
    { "version", no_argument, NULL, 'V' },
    { 0 },
};

static void wrong_usage(const char *what, const char *value)
{
    fprintf(stderr, "weft-dump: %s: %s\nTry 'weft-dump --help'.\n", what, value);
    exit(2);
}

static unsigned read_stages(const char *list)
{
    static const struct {
        const char *name;
        unsigned stage;
    } names[] = {
        { "graph", SHOW_GRAPH },       { "vmap", SHOW_VMAP }, { "grad", SHOW_GRAD },
        { "simplify", SHOW_SIMPLIFY }, { "fuse", SHOW_FUSE }, { "llvm", SHOW_LLVM },
        { "asm", SHOW_ASM },           { "dot", SHOW_DOT },   { "all", SHOW_ALL },
    };
    unsigned stages = 0;
    while (*list) {
        size_t n = strcspn(list, ","), i = 0, count = sizeof names / sizeof *names;
        while (i < count && (strlen(names[i].name) != n || strncmp(names[i].name, list, n) != 0)) i++;
        if (i == count)
            wrong_usage("no stage is called so (graph, vmap, grad, simplify, fuse, llvm, asm, dot, all)",
                        list);
        stages |= names[i].stage;
        list += n + (list[n] == ',');
    }
    return stages;
}

static NumericMode read_mode(const char *name)
{
    static const char *const names[] = { "default", "strict", "fast" };
    static const NumericMode modes[] = { MODE_DEFAULT, MODE_STRICT, MODE_FAST };
    for (int i = 0; i < 3; i++)
        if (strcmp(names[i], name) == 0) return modes[i];
    wrong_usage("no mode is called so (default, strict, fast)", name);
    return MODE_DEFAULT;
}

static void read_time(DumpOptions *o, const char *what)
{
    if (what && strcmp(what, "compile") != 0) wrong_usage("nothing else is timed than 'compile'", what);
    o->time = true;
    o->compile_only = what;
}

static void add(const char **list, int *n, int limit, const char *value)
{
    if (*n == limit) wrong_usage("given too often", value);
    list[(*n)++] = value;
}

static void add_transform(DumpOptions *o, Transform t)
{
    if (o->n_transforms == MAX_TRANSFORMS) wrong_usage("given too often", t.spec ? t.spec : "a derivative");
    o->transforms[o->n_transforms++] = t;
}

static unsigned stage_of(const Transform *t) { return t->kind == TRANSFORM_VMAP ? SHOW_VMAP : SHOW_GRAD; }

static DumpOptions read_options(int argc, char **argv)
{
    DumpOptions o = { .mode = MODE_DEFAULT, .target = "host", .seed = 1, .tolerance = 1e-4 };
    for (int c; (c = getopt_long(argc, argv, "f:v:g::js:m:t:ri:o:T::lhV", longs, NULL)) != -1;) switch (c) {
        case 'f':           o.func = optarg; break;
        case 'v':           add_transform(&o, (Transform){ TRANSFORM_VMAP, optarg }); break;
        case 'g':           add_transform(&o, (Transform){ TRANSFORM_GRAD, optarg }); break;
        case OPT_JVP:       add_transform(&o, (Transform){ TRANSFORM_JVP, optarg }); break;
        case OPT_VJP:       add_transform(&o, (Transform){ TRANSFORM_VJP, optarg }); break;
        case 'j':           o.jit = true; break;
        case 's':           o.stages |= read_stages(optarg); break;
        case 'm':           o.mode = read_mode(optarg); break;
        case 't':           o.target = optarg; break;
        case 'r':           o.run = true; break;
        case 'i':           add(o.inputs, &o.n_inputs, MAX_INPUTS, optarg); break;
        case OPT_SEED:      o.seed = strtoull(optarg, NULL, 10); break;
        case OPT_TOLERANCE: o.tolerance = strtod(optarg, NULL); break;
        case 'o':           o.save = optarg; break;
        case 'T':           read_time(&o, optarg); break;
        case 'l':           o.locs = true; break;
        case 'h':           fputs(help, stdout); exit(0);
        case 'V':           puts("weft-dump " WEFT_VERSION_TEXT); exit(0);
        default:            exit(2);
        }
    if (optind == argc) wrong_usage("which file?", "none is given");
    if (optind + 1 < argc) wrong_usage("one file at a time", argv[optind + 1]);
    if (o.run && o.compile_only) wrong_usage("not both", "--run and --time=compile");
    o.file = argv[optind];
    if (!o.stages && !o.run && !o.time)
        o.stages = o.jit            ? SHOW_FUSE
                   : o.n_transforms ? stage_of(&o.transforms[o.n_transforms - 1])
                                    : SHOW_GRAPH;
    return o;
}

/* Reading. */

static char *read_text(Arena *a, const char *path, size_t *n, Failure *f)
{
    FILE *file = strcmp(path, "-") == 0 ? stdin : fopen(path, "rb");
    uint32_t capacity = 0, used = 0;
    char *text = NULL;
    if (!file) {
        fail(f, WEFT_IO, "%s cannot be opened", path);
        return NULL;
    }
    for (;;) {
        if (used > UINT32_MAX / 2) {
            fail(f, WEFT_IO, "%s is too long", path);
            break;
        }
        text = arena_grow(a, text, used, &capacity, used + 65536, 1);
        size_t got = fread(text + used, 1, capacity - used, file);
        if (got == 0) break;
        used += (uint32_t)got;
    }
    if (ferror(file)) fail(f, WEFT_IO, "%s cannot be read", path);
    if (file != stdin) fclose(file);
    *n = used;
    return f->code == WEFT_OK ? text : NULL;
}

static const Graph *pick_func(const Parsed *parsed, const char *name, Failure *f)
{
    const char *wanted = name ? name : "main";
    for (uint32_t i = 0; i < parsed->n_funcs; i++)
        if (strcmp(parsed->funcs[i].name, wanted) == 0) return parsed->funcs[i].graph;
    for (uint32_t i = 0; !name && i < parsed->n_funcs; i++)
        if (!parsed->funcs[i].is_private) return parsed->funcs[i].graph;
    fail(f, WEFT_ARGUMENT, "there is no func @%s", wanted);
    return NULL;
}

/* Vmap. */

/* Axes up to the end or "->"; false for what is no axis or one too many. */
static bool read_axes(const char **s, int64_t *axes, uint32_t n, const char *of, Failure *f)
{
    for (uint32_t i = 0; **s && strncmp(*s, "->", 2) != 0; i++) {
        char *end = (char *)*s;
        if (i == n) return fail(f, WEFT_ARGUMENT, "--vmap lists more axes than the func has %s (%u)", of, n);
        if (strncmp(*s, "none", 4) == 0) {
            axes[i] = VMAP_NONE;
            end += 4;
        } else axes[i] = strtoll(*s, &end, 10);
        if (end == *s) return fail(f, WEFT_ARGUMENT, "--vmap: '%s' is no axis (a number or none)", *s);
        *s = end + (*end == ',');
    }
    return true;
}

static const Graph *run_vmap(Arena *a, const Graph *g, const char *spec, Failure *f)
{
    int64_t *in = arena_alloc(a, (g->n_params + 1) * sizeof *in),
            *out = arena_alloc(a, (g->n_outputs + 1) * sizeof *out);
    char *end;
    int64_t size = strtoll(spec, &end, 10);
    const char *s = end + (*end == ':');
    if (end == spec || size < 0) {
        fail(f, WEFT_ARGUMENT, "--vmap=%s: wanted SIZE, SIZE:AXES or SIZE:AXES->AXES", spec);
        return NULL;
    }
    if (!read_axes(&s, in, g->n_params, "parameters", f)) return NULL;
    if (*s) s += 2;
    if (!read_axes(&s, out, g->n_outputs, "results", f)) return NULL;
    return vmap_graph(a, g, in, size, out, NULL, f);
}

/* Derivatives. */

static bool is_float(const Graph *g, Ref r) { return dtype_is_inexact((DType)graph_type(g, r).dtype); }

/* The parameters to differentiate by. */
static bool *read_active(Arena *a, const Graph *g, const char *list, Failure *f)
{
    bool *active = arena_alloc(a, g->n_params + 1), any = false;
    for (uint32_t i = 0; i < g->n_params; i++) any |= active[i] = !list && is_float(g, g->params[i]);
    for (const char *s = list ? list : ""; *s;) {
        char *end, type[128];
        long i = strtol(s, &end, 10);
        if (end == s || (*end && *end != ',')) {
            fail(f, WEFT_ARGUMENT, "'%s' is no list of arguments, as in 0,2", list);
            return NULL;
        }
        if (i < 0 || i >= (long)g->n_params) {
            fail(f, WEFT_ARGUMENT, "there is no argument %ld to differentiate by: the func takes %u", i,
                 g->n_params);
            return NULL;
        }
        if (!is_float(g, g->params[i])) {
            fail(f, WEFT_ARGUMENT, "argument %ld is %s: there are derivatives by floats only", i,
                 type_text(type, sizeof type, graph_type(g, g->params[i])));
            return NULL;
        }
        any = active[i] = true;
        s = end + (*end == ',');
    }
    if (!any) fail(f, WEFT_ARGUMENT, "the func takes no argument of a float type to differentiate by");
    return any ? active : NULL;
}

static const Graph *run_derivative(Arena *a, const Graph *g, const Transform *t, Failure *f)
{
    const bool *active = read_active(a, g, t->spec, f);
    bool *smooth = arena_alloc(a, g->n_outputs + 1);
    if (!active) return NULL;
    for (uint32_t i = 0; i < g->n_outputs; i++) smooth[i] = is_float(g, g->outputs[i]);
    switch (t->kind) {
    case TRANSFORM_JVP: return jvp_graph(a, g, active, smooth, f);
    case TRANSFORM_VJP: return vjp_graph(a, g, active, smooth, 0, f);
    default:            return grad_graph(a, g, active, 0, f);
    }
}

/* Stages. */

/* Not inlined, so that what it keeps in registers is not where main jumps back to. */
__attribute__((noinline)) static bool run(const DumpOptions *o, Arena *a, Failure *f)
{
    size_t n;
    Times times = { 0 };
    const char *text = read_text(a, o->file, &n, f);
    if (!text) return false;

    double start = dump_now_us();
    const Parsed *parsed = text_parse(a, text, n, o->file, f, NULL);
    const Graph *g = parsed ? pick_func(parsed, o->func, f) : NULL;
    if (!g) return false;
    g = raise_graph(a, g);
    times.parse_us = dump_now_us() - start;
    dump_graph(o, SHOW_GRAPH, "graph", a, g);

    start = dump_now_us();
    for (int i = 0; i < o->n_transforms; i++) {
        const Transform *t = &o->transforms[i];
        bool last = i + 1 == o->n_transforms || stage_of(t) != stage_of(t + 1);
        g = t->kind == TRANSFORM_VMAP ? run_vmap(a, g, t->spec, f) : run_derivative(a, g, t, f);
        if (!g) return false;
        if (last) dump_graph(o, stage_of(t), t->kind == TRANSFORM_VMAP ? "vmap" : "grad", a, g);
    }
    times.transforms_us = dump_now_us() - start;
    if (!(g = dump_stages(o, g, a, f))) return false;
    return !(o->run || o->time) || dump_run(o, g, &times, a, f);
}

int main(int argc, char **argv)
{
    DumpOptions options = read_options(argc, argv);
    Failure failure = { 0 };
    Arena a;
    Guard guard;
    volatile bool ok = false;
    arena_init(&a, &dump_allocator, &guard);
    if (setjmp(guard.env)) fail(&failure, WEFT_MEMORY, "out of memory");
    else ok = run(&options, &a, &failure);
    fflush(stdout);
    if (!ok) {
        /* line:column of a text, op or byte of a bytecode file */
        const char *words = failure.text;
        bool has_place = (words[0] >= '0' && words[0] <= '9') || strncmp(words, "op ", 3) == 0 ||
                         strncmp(words, "byte ", 5) == 0;
        fprintf(stderr, "weft-dump: %s%s%s\n", has_place ? options.file : "", has_place ? ":" : "",
                failure.text);
    }
    arena_free(&a);
    return !ok;
}
