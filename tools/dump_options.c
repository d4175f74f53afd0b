/* dump_options.c: what weft-dump can be asked for. */
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "dump.h"

#ifndef WEFT_VERSION_TEXT
#define WEFT_VERSION_TEXT "unknown"
#endif

static const char help[] =
    "usage: weft-dump [OPTION...] FILE\n"
    "Reads StableHLO (text, bytecode or what jax.export writes; - is standard input) and shows what weft\n"
    "makes of it.\n"
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
    "  -l, --locs               print the places in the source that ops come from\n"
    "\n"
    "Running:\n"
    "  -r, --run                run it in eager mode and compiled, compare, print the compiled results\n"
    "      --no-eager           run it compiled only\n"
    "      --no-compile         run it in eager mode only\n"
    "  -i, --input=[ARG=]FILE   runs it on these arrays. FILE.npy: the next argument; FILE.npz: each of its "
    "arrays is the\n"
    "                           argument of that name, or of the number in arr_0, arg0, in0, 0; "
    "FILE.npz:NAME: one of them\n"
    "                           ARG=: of this name or number. Arguments without an array are random\n"
    "      --seed=N             of the random arguments (1)\n"
    "      --tolerance=X        how far eager and compiled results may be apart, relative to the largest "
    "element (1e-4);\n"
    "                           in strict mode not at all\n"
    "  -e, --expect=[RESULT=]FILE   runs it and says whether the results are what these files hold, named as "
    "for --input\n"
    "                           (arr_0, out0, 0)\n"
    "      --atol=X,...  --rtol=X,...   what --expect allows: atol + rtol * |expected|, one of each per "
    "result, the last for\n"
    "                           the rest; without either a fraction of the largest element: 1e-5, for f64 "
    "1e-12, for\n"
    "                           f16 and bf16 1e-2. Without them integers must be equal\n"
    "  -o, --save=PREFIX        runs it and writes the results to PREFIX0.npy, PREFIX1.npy, ...; "
    "--save=FILE.npz: to one file\n"
    "  -T, --time[=compile]     say what each stage took, and a run; =compile: does not run it\n"
    "\n"
    "  -h, --help               this text\n"
    "  -V, --version\n"
    "\n"
    "Exit status: 0; 1 if the text, a stage or a comparison failed; 2 for a wrong option.\n";

enum { OPT_SEED = 256, OPT_TOLERANCE, OPT_JVP, OPT_VJP, OPT_NO_EAGER, OPT_NO_COMPILE, OPT_ATOL, OPT_RTOL };

static const struct option longs[] = {
    { "func", required_argument, NULL, 'f' },
    { "vmap", required_argument, NULL, 'v' },
    { "jit", no_argument, NULL, 'j' },
    { "stage", required_argument, NULL, 's' },
    { "mode", required_argument, NULL, 'm' },
    { "target", required_argument, NULL, 't' },
    { "run", no_argument, NULL, 'r' },
    { "no-eager", no_argument, NULL, OPT_NO_EAGER },
    { "no-compile", no_argument, NULL, OPT_NO_COMPILE },
    { "input", required_argument, NULL, 'i' },
    { "expect", required_argument, NULL, 'e' },
    { "atol", required_argument, NULL, OPT_ATOL },
    { "rtol", required_argument, NULL, OPT_RTOL },
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

static uint64_t read_seed(const char *text)
{
    char *end;
    uint64_t seed = strtoull(text, &end, 10);
    if (end == text || *end) wrong_usage("--seed is a whole number", text);
    return seed;
}

/* One or more, separated by commas. */
static Tolerances read_tolerances(const char *text)
{
    Tolerances t = { .n = 0 };
    for (const char *s = text;; s++) {
        char *end;
        double x = strtod(s, &end);
        if (end == s || (*end && *end != ',') || !(x >= 0))
            wrong_usage("a tolerance is a number from 0 on", text);
        if (t.n == MAX_TOLERANCES) wrong_usage("too many tolerances", text);
        t.at[t.n++] = x;
        if (!*(s = end)) return t;
    }
}

static double read_tolerance(const char *text)
{
    Tolerances t = read_tolerances(text);
    if (t.n > 1) wrong_usage("--tolerance is one number for all results", text);
    return t.at[0];
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

unsigned dump_stage_of(const Transform *t) { return t->kind == TRANSFORM_VMAP ? SHOW_VMAP : SHOW_GRAD; }

static void check(const DumpOptions *o)
{
    bool runs = o->print || o->n_expected || o->save;
    if (runs && o->compile_only) wrong_usage("not both", "a run and --time=compile");
    if (!o->eager && !o->compiled) wrong_usage("nothing would run", "--no-eager and --no-compile");
    if ((o->atol.n || o->rtol.n) && !o->n_expected)
        wrong_usage("nothing is expected", "--atol and --rtol belong to --expect");
}

DumpOptions dump_options(int argc, char **argv)
{
    DumpOptions o = {
        .mode = MODE_DEFAULT, .target = "host", .seed = 1, .tolerance = 1e-4, .eager = true, .compiled = true
    };
    for (int c; (c = getopt_long(argc, argv, "f:v:g::js:m:t:ri:e:o:T::lhV", longs, NULL)) != -1;) switch (c) {
        case 'f':            o.func = optarg; break;
        case 'v':            add_transform(&o, (Transform){ TRANSFORM_VMAP, optarg }); break;
        case 'g':            add_transform(&o, (Transform){ TRANSFORM_GRAD, optarg }); break;
        case OPT_JVP:        add_transform(&o, (Transform){ TRANSFORM_JVP, optarg }); break;
        case OPT_VJP:        add_transform(&o, (Transform){ TRANSFORM_VJP, optarg }); break;
        case 'j':            o.jit = true; break;
        case 's':            o.stages |= read_stages(optarg); break;
        case 'm':            o.mode = read_mode(optarg); break;
        case 't':            o.target = optarg; break;
        case 'r':            o.print = true; break;
        case 'i':            add(o.inputs, &o.n_inputs, MAX_FILES, optarg); break;
        case 'e':            add(o.expected, &o.n_expected, MAX_FILES, optarg); break;
        case OPT_ATOL:       o.atol = read_tolerances(optarg); break;
        case OPT_RTOL:       o.rtol = read_tolerances(optarg); break;
        case OPT_NO_EAGER:   o.eager = false; break;
        case OPT_NO_COMPILE: o.compiled = false; break;
        case OPT_SEED:       o.seed = read_seed(optarg); break;
        case OPT_TOLERANCE:  o.tolerance = read_tolerance(optarg); break;
        case 'o':            o.save = optarg; break;
        case 'T':            read_time(&o, optarg); break;
        case 'l':            o.locs = true; break;
        case 'h':            fputs(help, stdout); exit(0);
        case 'V':            puts("weft-dump " WEFT_VERSION_TEXT); exit(0);
        default:             exit(2);
        }
    if (optind == argc) wrong_usage("which file?", "none is given");
    if (optind + 1 < argc) wrong_usage("one file at a time", argv[optind + 1]);
    check(&o);
    o.file = argv[optind];
    o.print |= o.n_inputs && !o.n_expected && !o.save && !o.time;
    o.run = o.print || o.n_expected || o.save;
    if (!o.stages && !o.run && !o.time)
        o.stages = o.jit            ? SHOW_FUSE
                   : o.n_transforms ? dump_stage_of(&o.transforms[o.n_transforms - 1])
                                    : SHOW_GRAPH;
    return o;
}
