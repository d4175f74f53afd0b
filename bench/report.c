/* report.c: see report.h. */
#include "report.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_ROWS = 256, WORST = 5 };
static const double SHORT_US = 5; /* what takes less measures calls */

/* What is kept of a case for the summary: the others' times by weft's, 0 where they did not run. */
typedef struct Row {
    const char *name;
    double by_weft[IMPLS];
} Row;
static Row rows[MAX_ROWS], calls[MAX_ROWS];
static int n_rows, n_calls;
static bool first = true;

static double ratio(const Result *a, const Result *b)
{
    double r[MAX_REPEATS];
    for (int k = 0; k < a->repeats; k++) r[k] = a->run_us[k] / b->run_us[k];
    return median(r, a->repeats);
}

/* ---- a row ---- */

static bool has_column(const Report *r, Impl i) { return impl_is_open(i, r->peers); }

static void print_time(const Result *r)
{
    if (!r->ran) printf(" %9s", "-");
    else if (r->median_us < 1000) printf(" %7.2fus", r->median_us);
    else printf(" %7.2fms", r->median_us / 1e3);
}

static void print_share(const Report *r, const Case *c, const Result *weft)
{
    const char *limit;
    double us = roofline(r->peaks, c, &limit);
    if (limit) printf(" %4.0f%% %-6s", 100 * us / weft->median_us, limit);
    else printf(" %12s", "-");
}

void report_begin(const Report *r)
{
    if (r->json) fputs("[", r->json);
    printf("%-25s", "case");
    for (Impl i = WEFT; i < IMPLS; i++)
        if (has_column(r, i)) printf(" %9s", impl_name[i]);
    for (Impl i = ALONE; i < IMPLS; i++)
        if (i == C) printf(" %8s", "weft/c");
        else if (has_column(r, i)) printf(" %6s/w", impl_name[i]);
    printf(" %-12s %10s", " of limit", "first");
    if (r->peers) printf(" %10s", "first jax");
    printf("\n");
}

static void print_row(const Report *r, const Case *c, const Result *of)
{
    printf("%-25s", c->name);
    for (Impl i = WEFT; i < IMPLS; i++)
        if (has_column(r, i)) print_time(&of[i]);
    for (Impl i = ALONE; i < IMPLS; i++) {
        if (!has_column(r, i)) continue;
        if (!of[i].ran) printf(" %8s", "-");
        else printf(" %7.2fx", i == C ? ratio(&of[WEFT], &of[C]) : ratio(&of[i], &of[WEFT]));
    }
    print_share(r, c, &of[WEFT]);
    printf(" %8.2fms", of[WEFT].first_ms);
    if (of[JAX].ran) printf(" %8.1fms", of[JAX].first_ms);
    printf("\n");
    fflush(stdout);
}

static void write_entry(const Report *r, const char *name, const char *impl, double us, double first_ms)
{
    if (!r->json) return;
    fprintf(
        r->json,
        "%s\n  {\"case\": \"%s\", \"impl\": \"%s\", \"target\": \"%s\", \"threads\": %d, \"run_us\": %.4f, "
        "\"first_ms\": %.4f}",
        first ? "" : ",", name, impl, r->target, r->threads, us, first_ms);
    first = false;
}

static void keep(const char *name, const Result *of)
{
    Row *row = of[WEFT].median_us < SHORT_US ? &calls[n_calls++] : &rows[n_rows++];
    row->name = name;
    for (Impl i = ALONE; i < IMPLS; i++) row->by_weft[i] = of[i].ran ? ratio(&of[i], &of[WEFT]) : 0;
}

void report_case(const Report *r, const Case *c, const Result *of)
{
    const char *limit;
    print_row(r, c, of);
    for (Impl i = WEFT; i < IMPLS; i++)
        if (of[i].ran) write_entry(r, c->name, impl_name[i], of[i].median_us, of[i].first_ms);
    double us = roofline(r->peaks, c, &limit);
    if (limit) write_entry(r, c->name, "limit", us, 0);
    if (n_rows < MAX_ROWS && n_calls < MAX_ROWS) keep(c->name, of);
}

void report_tracing(const Report *r, double ns)
{
    printf("%-25s %8.0fns an op call\n", "tracing", ns);
    write_entry(r, "tracing", "weft", ns / 1e3, 0);
}

/* ---- the summary ---- */

/* The cases that i ran, those first where weft is slowest beside it. */
static Impl ordered_by;
static int by_ratio(const void *a, const void *b)
{
    double x = ((const Row *)a)->by_weft[ordered_by], y = ((const Row *)b)->by_weft[ordered_by];
    return x < y ? -1 : x > y;
}
static int order(Impl i, Row *to)
{
    int n = 0;
    for (int k = 0; k < n_rows; k++)
        if (rows[k].by_weft[i] > 0) to[n++] = rows[k];
    ordered_by = i;
    qsort(to, (size_t)n, sizeof *to, by_ratio);
    return n;
}

/* weft's time by C's, the others' by weft's. */
static double as_shown(Impl i, const Row *r) { return i == C ? 1 / r->by_weft[C] : r->by_weft[i]; }

/* How often weft takes more than most times what i takes. */
static void summarize(Impl i, double most)
{
    Row of[MAX_ROWS];
    double sum = 0;
    int n = order(i, of), slower = 0;
    if (!n) return;
    for (int k = 0; k < n; k++) {
        sum += log(as_shown(i, &of[k]));
        slower += of[k].by_weft[i] * most < 1;
    }
    printf("%5s%s: %.2f in the geometric mean of %d, %d slower than %.2f x %s; worst:",
           i == C ? "weft/" : impl_name[i], i == C ? "c" : "/weft", exp(sum / n), n, slower, most,
           impl_name[i]);
    for (int k = 0; k < n && k < WORST; k++)
        printf("%s %s %.2f", k ? "," : "", of[k].name, as_shown(i, &of[k]));
    printf("\n");
}

void report_end(const Report *r)
{
    if (r->json) fputs("\n]\n", r->json);
    printf("\n");
    for (Impl i = ALONE; i < IMPLS; i++)
        if (i != EAGER) summarize(i, i != C ? 1 : strcmp(r->target, "avx512") ? 1.15 : 1.10);
    peaks_print(r->peaks);
    printf("left out, below %g us:", SHORT_US);
    for (int k = 0; k < n_calls; k++) printf("%s %s", k ? "," : "", calls[k].name);
    printf("%s\n", n_calls ? "" : " none");
}
