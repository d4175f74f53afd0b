/* bench.c: runs each case side by side in one process: weft (raw door), eager mode, hand-written C and the
 * libraries that have it, and with --peers JAX, NumPy and, where a case has it, Numba, interleaved (run.c);
 * then says what can be said of all (report.c). usage() below tells the options.
 */
#include "libraries.h"
#include "report.h"
#include <getopt.h>
#include <stdlib.h>
#include <string.h>

typedef struct Options {
    int threads, repeats, n_names;
    char **names;
    const char *json, *python, *target;
} Options;

static const Case *case_named(const char *name)
{
    for (int i = 0; i < n_cases; i++)
        if (!strcmp(name, cases[i].name)) return &cases[i];
    return NULL;
}

static bool chosen(const Case *c, const Options *o)
{
    for (int i = 0; i < o->n_names; i++)
        if (!strcmp(o->names[i], c->name)) return true;
    return o->n_names == 0;
}

/* What tracing costs: chain320_1M is 320 op calls, each a node of the graph or more (numbers become nodes of
 * their own). */
static double tracing(int repeats)
{
    double ns[MAX_REPEATS];
    for (int k = 0; k < repeats; k++) ns[k] = trace_ns(case_named("chain320_1M")) / 320;
    return median(ns, repeats);
}

static bool run(const Options *o, const Report *report, Peers *peers)
{
    static Result r[IMPLS];
    bool good = true;
    report_begin(report);
    for (int i = 0; i < n_cases; i++) {
        if (!chosen(&cases[i], o)) continue;
        memset(r, 0, sizeof r);
        peaks_measure(report->peaks);
        if (run_case(&cases[i], o->repeats, peers, r)) report_case(report, &cases[i], r);
        else good = false;
    }
    if (!o->n_names) report_tracing(report, tracing(o->repeats));
    report_end(report);
    return good;
}

static int usage(int status)
{
    fputs("usage: weft-bench [OPTION...] [CASE...]\n"
          "Each case in weft, eager mode, C and, where they are installed, OpenBLAS (products), libmvec and\n"
          "SLEEF (math) and FFTW (transforms): times, ratios of times, and the share that weft reaches of "
          "what limits the case:\n"
          "flops, counted by hand in cases.def, or the bandwidth of the level that its operands fit in; the\n"
          "machine's peaks are measured before each case. Then geometric means and the worst cases, without\n"
          "those that are over in 5 us.\n"
          "  --target NAME  avx512, avx2 or sse2, for weft, C and all others; otherwise the machine's best\n"
          "  --peers        JAX, NumPy and Numba as well\n"
          "  --repeats N    15 without it; fewer where they take long\n"
          "  --threads N    cores for weft, its peers and, with OpenMP, the loops in C; OpenBLAS and FFTW "
          "have one\n"
          "  --json FILE    medians in microseconds\n"
          "  --list         the cases' names; NAME_f64 is case NAME on f64\n"
          "./dev bench --programs, --pairs and --growth, first of the arguments, measure other things: "
          "--help after "
          "them\n",
          status ? stderr : stdout);
    return status;
}

/* -1: go on; otherwise the process's status. */
static int parse(int argc, char **argv, Options *o)
{
    static const struct option known[] = { { "threads", 1, 0, 't' }, { "json", 1, 0, 'j' },
                                           { "peers", 0, 0, 'p' },   { "repeats", 1, 0, 'r' },
                                           { "list", 0, 0, 'l' },    { "help", 0, 0, 'h' },
                                           { "target", 1, 0, 'T' },  { 0, 0, 0, 0 } };
    for (int k; (k = getopt_long(argc, argv, "h", known, NULL)) != -1;) {
        if (k == 't') o->threads = atoi(optarg);
        else if (k == 'j') o->json = optarg;
        else if (k == 'p') o->python = WEFT_BINARY_DIR "/peers/bin/python";
        else if (k == 'r') o->repeats = atoi(optarg);
        else if (k == 'T') o->target = optarg;
        else if (k != 'l') return usage(k == 'h' ? 0 : 2);
        else {
            for (int i = 0; i < n_cases; i++) puts(cases[i].name);
            return 0;
        }
    }
    o->names = argv + optind;
    o->n_names = argc - optind;
    for (int i = 0; i < o->n_names; i++)
        if (!case_named(o->names[i])) {
            fprintf(stderr, "weft-bench: no case %s (--list names them)\n", o->names[i]);
            return 2;
        }
    return o->repeats < 1 || o->repeats > MAX_REPEATS || o->threads < 1 ? usage(2) : -1;
}

int main(int argc, char **argv)
{
    Options o = { .threads = 1, .repeats = 15 };
    Peers peers = { 0 };
    Peaks peaks = { 0 };
    int status = parse(argc, argv, &o);
    if (status >= 0) return status;
    const char *target = target_choose(o.target);
    if (!target) return 2;
    pin(o.threads);
    if (!libraries_open(target, o.threads)) return 1;
    if (o.python && !peers_open(&peers, o.python, o.threads, NULL)) {
        fprintf(stderr, "weft-bench: cannot start %s\n", o.python);
        return 1;
    }
    FILE *json = o.json ? fopen(o.json, "w") : NULL;
    if (o.json && !json) return perror(o.json), 1;
    if (!peaks_open(&peaks, large_room)) return 1;
    Peers *p = o.python ? &peers : NULL;
    bool good = run(&o, &(Report){ &peaks, p, target, json, o.threads }, p);
    peaks_close(&peaks);
    if (json) fclose(json);
    if (p) peers_close(p);
    return good ? 0 : 1;
}
