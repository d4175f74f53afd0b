/* test_code.c: the machine code of the benchmarked cases, as assembly for AVX-512, AVX2 and the host: it
 * needs nothing from outside, works on whole vectors where it spends its time, and keeps element-wise chains
 * in registers.
 *
 * A loop is a jump to a label above it; it is innermost if no other lies inside. What is checked is read off
 * the text alone, so nothing here runs the code and any machine can check all targets. WEFT_SHOW=1 prints
 * what was found.
 */
#include "compiler/pipeline.h"
#include "bench/cases.h"
#include "runtime/process/backend_open.h"
#include "runtime/trace/trace.h"
#include <criterion/criterion.h>
#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_LINES = 60000, MAX_LOOPS = 4096 };

typedef struct Loop {
    int first, last;          /* lines */
    int wide;                 /* lines that name the target's widest registers */
    int full, narrow, scalar; /* float arithmetic on those, on narrower ones, on single elements */
    /* vectors stored on the stack; constants that are loaded from there do not count */
    int spills;
    int gathers; /* and scatters, loads under a mask */
    int maxima, broadcasts;
    int roots, estimates; /* of square roots, of their reciprocals */
} Loop;

typedef struct Assembly {
    const char *line[MAX_LINES];
    int n_lines;
    Loop loop[MAX_LOOPS];
    int n_loops;
    int n_streamed, n_fences; /* stores past the caches, and what waits for them */
    int n_fetched;            /* lines fetched before they are read */
    int n_gathers;
    int n_extremes;      /* minima and maxima of vectors */
    int around_extremes; /* lines from the label in front of the first to the branch behind the last */
} Assembly;

typedef struct Made {
    uint32_t kernels;
    size_t scratch;
    int n_undefined;
} Made;

/* ---- reading assembly ---- */

static bool starts(const char *s, const char *with) { return strncmp(s, with, strlen(with)) == 0; }

static void split_lines(Assembly *a, char *text)
{
    for (char *s = strtok(text, "\n"); s; s = strtok(NULL, "\n")) {
        cr_assert(a->n_lines < MAX_LINES);
        a->line[a->n_lines++] = s;
    }
}

/* The line above `from` with this label, or -1. */
static int label_above(const Assembly *a, int from, const char *label)
{
    size_t n = strlen(label);
    for (int i = from; i >= 0 && (a->line[i][0] == '.' || a->line[i][0] == '\t' || a->line[i][0] == '#'); i--)
        if (strncmp(a->line[i], label, n) == 0 && a->line[i][n] == ':') return i;
    return -1;
}

static void find_loops(Assembly *a)
{
    char word[64], label[64];
    for (int i = 0; i < a->n_lines; i++) {
        if (a->line[i][0] != '\t' || sscanf(a->line[i], " %63s %63s", word, label) != 2 || word[0] != 'j')
            continue;
        int first = label_above(a, i, label);
        cr_assert(a->n_loops < MAX_LOOPS);
        if (first >= 0) a->loop[a->n_loops++] = (Loop){ .first = first, .last = i };
    }
}

static bool innermost(const Assembly *a, const Loop *l)
{
    for (int i = 0; i < a->n_loops; i++)
        if (&a->loop[i] != l && a->loop[i].first >= l->first && a->loop[i].last < l->last) return false;
    return true;
}

/* ps, pd, ss, sd of an instruction of float arithmetic; 0: it is none. */
static char float_arithmetic(const char *word)
{
    static const char *const stems[] = { "vadd", "vsub", "vmul",  "vdiv",  "vmax",  "vmin",
                                         "vfma", "vfms", "vfnma", "vfnms", "vsqrt", "vrsqrt" };
    size_t n = strlen(word);
    if (n < 6 || (word[n - 1] != 's' && word[n - 1] != 'd')) return 0;
    for (size_t i = 0; i < sizeof stems / sizeof *stems; i++)
        if (starts(word, stems[i])) return word[n - 2] == 'p' || word[n - 2] == 's' ? word[n - 2] : 0;
    return 0;
}

/* Is the last operand, which is where the result goes, on the stack? */
static bool stores_on_stack(const char *line)
{
    const char *stack = strstr(line, "(%rsp");
    return stack && !strchr(stack, ' ');
}

static void count_line(Loop *l, const char *line, const char *wide)
{
    char word[64];
    if (line[0] != '\t' || sscanf(line, " %63s", word) != 1) return;
    char kind = float_arithmetic(word);
    l->wide += strstr(line, wide) != NULL;
    if (kind == 's') l->scalar++;
    else if (kind == 'p' && strstr(line, wide)) l->full++;
    else if (kind == 'p') l->narrow++;
    l->gathers += strstr(word, "gather") || strstr(word, "scatter") || strstr(line, "{z}, ") ||
                  (strstr(word, "maskmov") && strstr(line, "(%"));
    l->maxima += strstr(word, "maxp") || strstr(word, "rangep");
    l->broadcasts += strstr(word, "broadcast") != NULL;
    l->estimates += strstr(word, "rsqrt14") != NULL;
    l->roots += strstr(word, "sqrt") && !strstr(word, "rsqrt14");
    l->spills += stores_on_stack(line) && strstr(line, "mm");
}

static void count_extremes(Assembly *a)
{
    int first = 0, last = 0;
    for (int i = 0; i < a->n_lines; i++) {
        const char *word = a->line[i] + strspn(a->line[i], "\tv");
        if (!starts(word, "minp") && !starts(word, "maxp")) continue;
        if (!a->n_extremes++) first = i;
        last = i;
    }
    while (first > 0 && a->line[first][0] == '\t') first--;
    while (last < a->n_lines && !starts(a->line[last], "\tj")) last++;
    a->around_extremes = last - first - 1;
}

static void read_assembly(Assembly *a, char *text, const Target *t)
{
    const char *wide = t->vector_bytes == 64 ? "%zmm" : t->vector_bytes == 32 ? "%ymm" : "%xmm";
    split_lines(a, text);
    find_loops(a);
    for (int i = 0; i < a->n_loops; i++)
        for (int k = a->loop[i].first; k < a->loop[i].last; k++) count_line(&a->loop[i], a->line[k], wide);
    for (int k = 0; k < a->n_lines; k++) {
        a->n_streamed += strstr(a->line[k], "movnt") && strstr(a->line[k], wide);
        a->n_fences += strstr(a->line[k], "sfence") != NULL;
        a->n_fetched += strstr(a->line[k], "prefetcht0") != NULL;
        a->n_gathers += strstr(a->line[k], "gather") != NULL;
    }
    count_extremes(a);
}

/* ---- making it ---- */

/* What a relocatable object wants from outside. */
static int undefined_symbols(const uint8_t *object)
{
    const Elf64_Ehdr *h = (const void *)object;
    const Elf64_Shdr *s = (const void *)(object + h->e_shoff);
    int n = 0;
    for (int i = 0; i < h->e_shnum; i++) {
        if (s[i].sh_type != SHT_SYMTAB) continue;
        const Elf64_Sym *symbol = (const void *)(object + s[i].sh_offset);
        for (size_t k = 1; k < s[i].sh_size / sizeof *symbol; k++) n += symbol[k].st_shndx == SHN_UNDEF;
    }
    return n;
}

static const Backend *backend(void)
{
    Failure f = { 0 };
    const Backend *b = backend_get(&f);
    if (!b) cr_skip_test("%s", f.text);
    return b;
}

/* The function as a graph: it is called with traced arrays. */
static Graph *trace_case(Trace *t, weft_context *ctx, const Case *c)
{
    weft_array *in[MAX_IN], *out[MAX_OUT];
    Ref results[MAX_OUT];
    cr_assert(trace_begin(t, context_local(ctx), c->name));
    for (int i = 0; i < c->n_in; i++)
        in[i] = trace_param(t, (Type){ (uint8_t)c->in[i].dtype, (uint8_t)c->in[i].rank, c->in[i].dim }, "x");
    cr_assert(c->call(ctx, false, in, out), "%s: %s", c->name, weft_error(ctx));
    for (int i = 0; i < c->n_out; i++) results[i] = trace_ref(t, out[i]);
    graph_set_outputs(t->graph, results, (uint32_t)c->n_out);
    trace_end(t);
    return t->graph;
}

/* The processor that code is for, instead of the target's; NULL: the target's. */
static const char *processor;

static Made make(const Case *c, const char *target_name, Assembly *a, Target *target)
{
    Trace trace;
    Arena arena;
    Guard guard;
    BackendOutput out = { 0 };
    weft_context *ctx = weft_open(NULL);
    cr_assert(backend()->target(target_name, target), "%s", target_name);
    if (processor) snprintf(target->cpu, sizeof target->cpu, "%s", processor);
    declare_cases(ctx);
    Graph *g = trace_case(&trace, ctx, c);
    arena_init(&arena, g->arena->allocator, &guard);
    Program *p = pipeline_run(&(Pipeline){ .target = target }, &arena, g, NULL);
    cr_assert(backend()->compile(p, target, BACKEND_ASM, NULL, &out), "%s: %s", c->name, out.error);
    Made made = { p->n_kernels, p->scratch_bytes, undefined_symbols(out.object) };
    *a = (Assembly){ .n_lines = 0 };
    char *text = strdup(out.assembly);
    read_assembly(a, text, target);
    for (int i = 0; i < a->n_lines; i++) a->line[i] = NULL;
    free(text);
    backend()->release(&out);
    arena_free(&arena);
    trace_free(&trace);
    weft_close(ctx);
    return made;
}

/* The innermost loop with the most arithmetic: where the time goes. */
static const Loop *main_loop(const Assembly *a)
{
    const Loop *best = NULL;
    for (int i = 0; i < a->n_loops; i++) {
        const Loop *l = &a->loop[i];
        if (innermost(a, l) &&
            (!best || l->full + l->narrow + l->scalar > best->full + best->narrow + best->scalar))
            best = l;
    }
    return best;
}

enum {
    NO_FLOAT = 1, /* its main loop compares, moves or counts */
    CARRIES = 2,  /* what goes from one step to the next is a scalar, beside vectors */
    SERIAL = 4,   /* a recurrence of scalars, and nothing else */
    /* a row fits one vector, whose total is folded in the main loop, with narrower ones in the end */
    ROWS = 8,
    PLAIN = 16,  /* loads and stores of whole vectors, and nothing else, in the main loop */
    WHOLE = 32,  /* where arithmetic does not broadcast, the coefficients are whole vectors in memory */
    COPY = 64,   /* with AVX2 it reads a copy of an operand, */
    COPIES = 128 /* or of two */
};

typedef struct Expected {
    const char *name;
    uint32_t kernels;   /* at most */
    uint16_t registers; /* with so many, nothing is stored on the stack in the main loop; 0: not promised */
    unsigned flags;
} Expected;

/* Two kernels are a copy with other axes and what reads it, or a chain that is cut for the compiler's sake; a
 * third starts a loop's carry. A large product has copies of both operands. A fold of all has a kernel for
 * its parts and one that folds these. */
static const Expected expected[] = {
    { "chain20_1M", 1, 16, 0 },
    { "sum_4M", 2, 16, 0 },
    { "exp_16k", 1, 32, 0 },
    { "log_16k", 1, 32, WHOLE },
    { "sin_16k", 1, 32, WHOLE },
    { "tanh_16k", 1, 32, 0 },
    { "softmax_4096x1000", 1, 0, 0 },
    { "layernorm_4096x768", 1, 16, 0 },
    { "logsumexp_4096x1000", 1, 0, 0 },
    { "pairwise_argmin", 2, 0, 0 },
    { "complex_matmul_64", 4, 16, 0 },
    { "swiglu_128x256", 1, 0, COPIES },
    { "complex_ratio_64k", 1, 0, 0 },
    { "chain20_1k", 1, 16, 0 },
    { "call_add_8", 1, 16, 0 },
    { "chain320_1M", 2, 16, 0 },
    { "exp_1M", 1, 32, 0 },
    { "log_1M", 1, 32, WHOLE },
    { "sin_1M", 1, 32, WHOLE },
    { "gelu_1M", 1, 32, 0 },
    { "black_scholes_1M", 1, 0, 0 },
    { "softmax_128x128", 1, 0, 0 },
    { "sum_axis0_2000", 1, 16, 0 },
    { "sum_axis1_2000", 1, 16, 0 },
    { "argmax_rows_4096x1000", 1, 0, NO_FLOAT },
    { "transpose_add_2048", 1, 16, 0 },
    { "pairwise_dist", 2, 0, 0 },
    { "matmul_512", 3, 16, 0 },
    { "matmul_2048", 3, 16, 0 },
    { "matmul_tn_512", 3, 16, 0 },
    { "matmul_nt_512", 3, 16, 0 },
    { "bmm_16x128x128", 1, 16, COPY },
    { "matmul_64", 1, 16, 0 },
    { "matvec_1024", 1, 16, 0 },
    { "dense_relu", 1, 16, COPY },
    { "image_blur5", 3, 16, 0 },
    { "image_curve", 1, 0, NO_FLOAT },
    { "image_smaller", 2, 32, PLAIN },
    { "image_larger", 3, 0, PLAIN }, /* one keeps rows for the next band */
    { "bmm_1000x16x16", 1, 16, 0 },
    { "nbody_1024", 2, 0, 0 },
    { "adam_1M", 1, 16, 0 },
    { "gather_rows", 2, 16, 0 },
    { "iir_100k", 1, 16, SERIAL },
    { "scan_1M", 1, 16, SERIAL },
    { "rnn16_1000", 3, 16, 0 },
    { "rnn128_1000", 3, 16, 0 },
    { "mandelbrot_512", 1, 16, 0 },
    { "jacobi2d_256_100", 3, 16, 0 },
    { "cumsum_1M", 3, 16, CARRIES }, /* what parts come to, what they begin with, the parts */
    { "sort_1M", 0, 0, NO_FLOAT },
    { "random_uniform_1M", 1, 0, NO_FLOAT },
    { "random_normal_1M", 1, 0, 0 },
    { "ensemble_mlp", 2, 0, 0 },
    { "gelu_grad_1M", 2, 0, 0 },
    { "masked_mean_grad_1M", 3, 32, 0 },
    { "mlp_sgd_step", 9, 32, ROWS },
    { "ensemble_sgd_step", 10, 32, ROWS },
    { "mlp_epoch_scan", 13, 32, ROWS },
    { "rnn16_1000_grad", 9, 0, 0 },
    { "rnn128_1000_grad", 11, 0, COPY },
    { "roll2d_512", 4, 0, PLAIN },
    { "pad_stencil_512", 4, 0, PLAIN },
    { "slice_stencil_512", 4, 0, PLAIN },
    { "concat_rope", 4, 0, PLAIN },
    { "blur_sobel_512", 6, 0, PLAIN },
    { "fir_64k_64", 4, 0, PLAIN },
};

enum { N_EXPECTED = sizeof expected / sizeof *expected };

static const Case *find_case(const char *name)
{
    for (int i = 0; i < n_cases; i++)
        if (!strcmp(name, cases[i].name)) return &cases[i];
    return NULL;
}
static const Case *case_named(const char *name)
{
    cr_assert(find_case(name), "there is no case %s", name);
    return find_case(name);
}
/* The case's twin on f64, or NULL. */
static const Case *case_of_f64(const char *name)
{
    char twin[64];
    snprintf(twin, sizeof twin, "%s_f64", name);
    return find_case(twin);
}

static void show(const Case *c, const char *target_name, const Made *m, const Assembly *a)
{
    for (int i = 0; i < a->n_loops; i++) {
        const Loop *l = &a->loop[i];
        if (innermost(a, l))
            printf("%-22s %-7s %u kernels, loop of %3d lines: %d wide, %d full, %d narrow, %d scalar, %d "
                   "spills, %d gathers%s\n",
                   c->name, target_name, m->kernels, l->last - l->first, l->wide, l->full, l->narrow,
                   l->scalar, l->spills, l->gathers, l == main_loop(a) ? " *" : "");
    }
}

static void check_case(const Case *c, const Expected *e, const char *target_name)
{
    static Assembly a;
    Target target;
    Made m = make(c, target_name, &a, &target);
    const Loop *l = main_loop(&a);
    if (getenv("WEFT_SHOW")) show(c, target_name, &m, &a);
    cr_expect(m.n_undefined == 0, "%s, %s: %d symbols from outside", c->name, target_name, m.n_undefined);
    cr_expect(m.kernels <= e->kernels, "%s, %s: %u kernels", c->name, target_name, m.kernels);
    if (!l) return;
    bool serial = e->flags & SERIAL, rows = e->flags & ROWS, scalars = serial || rows || e->flags & CARRIES;
    cr_expect(l->wide > 0 || serial, "%s, %s: no whole vectors in the main loop", c->name, target_name);
    cr_expect(l->full > 0 || serial || e->flags & NO_FLOAT,
              "%s, %s: no arithmetic on whole vectors in the main loop", c->name, target_name);
    cr_expect(l->scalar == 0 || scalars, "%s, %s: %d scalar operations in the main loop", c->name,
              target_name, l->scalar);
    cr_expect(l->gathers == 0 || !(e->flags & PLAIN),
              "%s, %s: %d gathers or masked accesses in the main loop", c->name, target_name, l->gathers);
    cr_expect(l->broadcasts == 0 || !(e->flags & WHOLE) || target.vector_registers > 16,
              "%s, %s: %d broadcasts in the main loop", c->name, target_name, l->broadcasts);
    cr_expect(l->narrow == 0 || rows, "%s, %s: %d operations on narrow vectors in the main loop", c->name,
              target_name, l->narrow);
    cr_expect(l->spills == 0 || !e->registers || target.vector_registers < e->registers,
              "%s, %s: %d vectors on the stack in the main loop", c->name, target_name, l->spills);
}

static void check_all(const char *target_name)
{
    for (size_t i = 0; i < N_EXPECTED; i++) {
        Expected e = expected[i], twin;
        if (!strcmp(target_name, "avx2")) e.kernels += e.flags & COPY ? 1 : e.flags & COPIES ? 2 : 0;
        twin = e;
        twin.registers = 0; /* not promised of f64: its polynomials are longer */
        check_case(case_named(e.name), &e, target_name);
        if (case_of_f64(twin.name)) check_case(case_of_f64(twin.name), &twin, target_name);
    }
}

Test(code, avx512) { check_all("avx512"); }
Test(code, avx2) { check_all("avx2"); }

/* Assembly of another kind is not read, only that nothing is missing. */
Test(code, host_and_aarch64)
{
    static Assembly a;
    Target target;
    for (size_t i = 0; i < N_EXPECTED; i++)
        for (int k = 0; k < 2; k++)
            cr_expect(make(case_named(expected[i].name), k ? "aarch64" : "host", &a, &target).n_undefined ==
                          0,
                      "%s", expected[i].name);
}

/* ---- maxima ---- */

enum { MANY = 9 };

static weft_array *max_of_many(weft_array *x)
{
    weft_array *m = weft_at(x, "0");
    for (int i = 1; i < MANY; i++) m = weft_maximum(m, weft_at(x, "%d", i));
    return m;
}
static weft_array *max_of_row(weft_array *x) { return weft_max(x, .axes = "1"); }
static weft_array *max_of_column(weft_array *x) { return weft_max(x, .axes = "0"); }
static weft_array *argmax_of_row(weft_array *x) { return weft_argmax(x, .axes = "1"); }

CALL(max_of_many, weft_unary, in[0])
CALL(max_of_row, weft_unary, in[0])
CALL(max_of_column, weft_unary, in[0])
CALL(argmax_of_row, weft_unary, in[0])

#define MAXIMA(F) \
    { .name = #F, \
      .in = { { WEFT_F32, FILL_UNIT, 2, { MANY, 4096 } } }, \
      .n_in = 1, \
      .n_out = 1, \
      .call = call_##F }

/* Its main loop has at most so many instructions for each maximum of vectors, with loads, stores and all. A
 * comparison with NaN is half of one, or one where there is nothing to compare it with at once; and without
 * AVX-512 what is known of signs is one. */
typedef struct Maxima {
    Case c;
    double most[3]; /* AVX-512, AVX2, SSE2 */
} Maxima;

static const Maxima maxima[] = {
    { MAXIMA(max_of_many), { 3.2, 5.2, 6.2 } },
    { MAXIMA(max_of_row), { 3.6, 4.6, 6.8 } },
    { MAXIMA(max_of_column), { 3.6, 6, 8.5 } },
    { MAXIMA(argmax_of_row), { 7.5, 9, 13 } },
};

static void check_maxima(const Maxima *m, const char *target_name, double most)
{
    static Assembly a;
    Target target;
    make(&m->c, target_name, &a, &target);
    const Loop *l = main_loop(&a);
    cr_assert(l && l->maxima, "%s, %s: no maxima of vectors in the main loop", m->c.name, target_name);
    int n = l->last - l->first;
    cr_expect(n <= most * l->maxima, "%s, %s: %d instructions for %d maxima", m->c.name, target_name, n,
              l->maxima);
}

Test(code, maxima)
{
    static const char *const targets[] = { "avx512", "avx2", "sse2" };
    for (size_t i = 0; i < sizeof maxima / sizeof *maxima; i++)
        for (int t = 0; t < 3; t++) check_maxima(&maxima[i], targets[t], maxima[i].most[t]);
}

/* Of f64, where 64 accumulators are 16 registers of AVX2 and 32 of SSE2. */
Test(code, maxima_stay_in_registers)
{
    static const char *const targets[] = { "avx512", "avx2", "sse2" };
    static Assembly a;
    Target target;
    Case c = MAXIMA(max_of_row);
    c.in[0].dtype = WEFT_F64;
    for (int t = 0; t < 3; t++) {
        make(&c, targets[t], &a, &target);
        const Loop *l = main_loop(&a);
        cr_expect(l && l->maxima && !l->spills, "%s: %d spills", targets[t], l ? l->spills : -1);
    }
}

/* ---- one over the root ---- */

static weft_array *one_over_root(weft_array *x) { return weft_div(weft_rsqrt(x), weft_add(x, 2)); }
CALL(one_over_root, weft_unary, in[0])

Test(code, estimates)
{
    static const char *const targets[] = { "avx512", "avx2", "sse2" };
    static Assembly a;
    Target target;
    Case c = { .name = "one_over_root",
               .in = { { WEFT_F32, FILL_UNIT, 1, { 4096 } } },
               .n_in = 1,
               .n_out = 1,
               .call = call_one_over_root };
    for (int k = 0; k < 6; k++) {
        const char *name = targets[k / 2];
        c.in[0].dtype = k % 2 ? WEFT_F64 : WEFT_F32;
        make(&c, name, &a, &target);
        int roots = 0, estimates = 0;
        for (int i = 0; i < a.n_loops; i++) roots += a.loop[i].roots, estimates += a.loop[i].estimates;
        bool by_estimate = estimates > 0 && roots == 0;
        cr_expect(by_estimate == (k < 2), "%s: %d roots, %d estimates", name, roots, estimates);
    }
}

/* ---- gathers ---- */

/* Zen's gathers take longer than a load for each lane of what lies at constant distances. */
Test(code, gathers)
{
    static const char *const processors[] = { "x86-64-v4", "znver4" };
    static Assembly a;
    Target target;
    for (int k = 0; k < 4; k++) {
        processor = processors[k / 2];
        make(k % 2 ? case_of_f64("column_20k_of_40") : case_named("column_20k_of_40"), "avx512", &a, &target);
        int gathers = 0;
        for (int i = 0; i < a.n_loops; i++)
            if (innermost(&a, &a.loop[i])) gathers += a.loop[i].gathers;
        cr_expect((gathers > 0) == (k < 2), "%s: %d gathers", processor, gathers);
    }
    processor = NULL;
}

static weft_array *halved_pixels(weft_array *x) { return weft_resize(x, "linear", 32, 32, 3); }
static weft_array *halved_row(weft_array *x) { return weft_resize(x, "lanczos3", 250, 4); }
CALL(halved_pixels, weft_unary, in[0])
CALL(halved_row, weft_unary, in[0])

/* Colours of every other pixel, the last pixels of a row and those beside its border, too. */
Test(code, pixels_with_steps)
{
    static const char *const targets[] = { "avx512", "avx2" };
    static const Case halved[] = {
        { .name = "halved_pixels",
          .in = { { WEFT_F32, FILL_UNIT, 3, { 64, 64, 3 } } },
          .n_in = 1,
          .n_out = 1,
          .call = call_halved_pixels },
        { .name = "halved_row",
          .in = { { WEFT_F32, FILL_UNIT, 2, { 500, 4 } } },
          .n_in = 1,
          .n_out = 1,
          .call = call_halved_row },
    };
    static Assembly a;
    Target target;
    for (int k = 0; k < 4; k++) {
        const Case *c = &halved[k / 2];
        make(c, targets[k % 2], &a, &target);
        cr_expect(a.n_gathers == 0, "%s, %s: %d gathers", c->name, targets[k % 2], a.n_gathers);
    }
}

/* ---- medians ---- */

/* A median of 9 is 30 minima and maxima, of which AVX-512 has 11 by bits, from the other one of two, and a
 * test for what they do not tell apart: nothing of the way that such rows take is computed ahead of it. At
 * most so many instructions in all, from the first load or minimum to the branch. */
static void check_median(const Case *c, const char *target_name, int extremes, int most)
{
    static Assembly a;
    Target target;
    make(c, target_name, &a, &target);
    cr_expect(a.n_extremes == extremes, "%s, %s: %d minima and maxima", c->name, target_name, a.n_extremes);
    cr_expect(a.around_extremes <= most, "%s, %s: %d instructions", c->name, target_name, a.around_extremes);
}

Test(code, medians)
{
    static const struct {
        const char *name;
        int extremes, most;
    } of[] = { { "avx512", 19, 60 }, { "avx2", 30, 70 }, { "sse2", 30, 86 } };
    for (int t = 0; t < 3; t++) {
        check_median(case_named("median_720x1280"), of[t].name, of[t].extremes, of[t].most);
        check_median(case_of_f64("median_720x1280"), of[t].name, of[t].extremes, of[t].most);
    }
}

/* Rows of 4 of f64 are squares of AVX2's registers, which two times 8 shuffles transpose; 6 exchanges are 5
 * instructions each. */
Test(code, sorted_rows_of_four)
{
    static Assembly a;
    Target target;
    make(case_of_f64("sort_rows_250000x4"), "avx2", &a, &target);
    const Loop *l = NULL;
    for (int i = 0; i < a.n_loops; i++)
        if (innermost(&a, &a.loop[i]) && a.loop[i].wide && (!l || a.loop[i].wide > l->wide)) l = &a.loop[i];
    cr_assert(l, "no loop of vectors");
    cr_expect(l->last - l->first <= 64, "%d instructions", l->last - l->first);
}

/* ---- stores past the caches ---- */

static weft_array *sum_of_two(weft_array *x, weft_array *y) { return weft_add(x, y); }
CALL(sum_of_two, weft_binary, in[0], in[1])

/* Stores past the caches and fences in the code for a sum of two arrays of so many elements. */
static void count_streams(const char *target_name, int64_t count, int *stores, int *fences)
{
    static Assembly a;
    Target target;
    Case c = { .name = "sum_of_two",
               .in = { { WEFT_F32, FILL_UNIT, 1, { count } }, { WEFT_F32, FILL_UNIT, 1, { count } } },
               .n_in = 2,
               .n_out = 1,
               .call = call_sum_of_two };
    make(&c, target_name, &a, &target);
    *stores = a.n_streamed;
    *fences = a.n_fences;
}

Test(code, streams)
{
    static const char *const names[] = { "avx512", "avx2", "sse2" };
    for (int k = 0; k < 3; k++) {
        int stores, fences;
        count_streams(names[k], 1 << 24, &stores, &fences);
        cr_expect(stores == 4 && fences == 1, "%s, large: %d and %d", names[k], stores, fences);
        count_streams(names[k], 1 << 16, &stores, &fences);
        cr_expect(stores == 0 && fences == 0, "%s, small: %d and %d", names[k], stores, fences);
    }
}

/* ---- lines fetched ahead ---- */

static weft_array *pairs_of_rows(weft_array *x) { return weft_max_pool(x, "2, 2, 1", .stride = "2, 2, 1"); }
static weft_array *sum_of_rows(weft_array *x) { return weft_sum(x, .axes = "2"); }
CALL(pairs_of_rows, weft_unary, in[0])
CALL(sum_of_rows, weft_unary, in[0])

static weft_array *one_of_line(weft_array *x) { return weft_mul(2, weft_at(x, ":, 7, 5")); }
static weft_array *two_of_line(weft_array *x)
{
    return weft_mul(weft_at(x, ":, 7, 5"), weft_at(x, ":, 7, 6"));
}
static weft_array *eight_lines(weft_array *x)
{
    weft_array *sum = weft_at(x, ":, 0, 5");
    for (int k = 1; k < 8; k++) sum = weft_add(sum, weft_at(x, ":, %d, 5", k));
    return sum;
}
static weft_array *part_of_lines(weft_array *x) { return weft_mul(2, weft_at(x, ":, :20, 5")); }
CALL(part_of_lines, weft_unary, in[0])
CALL(one_of_line, weft_unary, in[0])
CALL(two_of_line, weft_unary, in[0])
CALL(eight_lines, weft_unary, in[0])

static weft_array *pairs_of_parts(weft_array *x)
{
    weft_array *part = weft_at(x, ":, :%d", (int)weft_dim(x, 1) / 4);
    return weft_add(weft_at(part, "0::2"), weft_at(part, "1::2"));
}
static weft_array *halves(weft_array *x)
{
    int half = (int)weft_dim(x, 0) / 2;
    return weft_add(weft_at(x, ":%d", half), weft_at(x, "%d:", half));
}
CALL(pairs_of_parts, weft_unary, in[0])
CALL(halves, weft_unary, in[0])

static weft_array *product(weft_array *x, weft_array *y) { return weft_matmul(x, y); }
CALL(product, weft_binary, in[0], in[1])

/* Of so many rows of pixels of 32 channels. */
static int count_fetched(const char *target_name, int64_t rows, int64_t pixels,
                         weft_array *(*call)(weft_context *, bool, weft_array **, weft_array **))
{
    static Assembly a;
    Target target;
    Case c = { .name = "rows",
               .in = { { WEFT_F32, FILL_UNIT, 3, { rows, pixels, 32 } } },
               .n_in = 1,
               .n_out = 1,
               .call = call };
    make(&c, target_name, &a, &target);
    return a.n_fetched;
}

/* Of two rows read in step the second's lines: of two pixels, four, with SSE2 two in each of two turns. None
 * of one row, of rows read in part, of halves that are far from each other. */
Test(code, rows_ahead)
{
    static const char *const names[] = { "avx512", "avx2", "sse2" };
    for (int k = 0; k < 3; k++) {
        int large = count_fetched(names[k], 1 << 16, 128, call_pairs_of_rows),
            small = count_fetched(names[k], 1 << 6, 128, call_pairs_of_rows),
            one = count_fetched(names[k], 1 << 16, 128, call_sum_of_rows),
            part = count_fetched(names[k], 1 << 16, 128, call_pairs_of_parts),
            far = count_fetched(names[k], 1 << 16, 128, call_halves);
        cr_expect(large == (k < 2 ? 4 : 2) && !small && !one && !part && !far, "%s: %d %d %d %d %d", names[k],
                  large, small, one, part, far);
    }
}

/* Lanes that read a line each fetch one each; of two in the same line one does. None do where each reads
 * another page, where what lies there is not read, nor where they are many. */
Test(code, lanes_ahead)
{
    static const char *const names[] = { "avx512", "avx2", "sse2" };
    for (int k = 0; k < 3; k++) {
        int one = count_fetched(names[k], 1 << 16, 8, call_one_of_line),
            two = count_fetched(names[k], 1 << 16, 8, call_two_of_line),
            small = count_fetched(names[k], 1 << 4, 8, call_one_of_line),
            pages = count_fetched(names[k], 1 << 16, 128, call_one_of_line),
            many = count_fetched(names[k], 1 << 16, 8, call_eight_lines);
        cr_expect(one >= 4 && two == one && !small && !pages && many <= 64, "%s: %d %d %d %d %d", names[k],
                  one, two, small, pages, many);
    }
}

/* Each tile of a large product fetches its part of the next panel. */
Test(code, panels_ahead)
{
    static const char *const names[] = { "avx512", "avx2", "sse2" };
    static Assembly a;
    Target target;
    for (int k = 0; k < 6; k++) {
        Spec side = { WEFT_F32, FILL_UNIT, 2, { k < 3 ? 2048 : 128, k < 3 ? 2048 : 128 } };
        Case c = { .name = "product", .in = { side, side }, .n_in = 2, .n_out = 1, .call = call_product };
        make(&c, names[k % 3], &a, &target);
        cr_expect(k < 3 ? a.n_fetched : !a.n_fetched, "%s: %d", names[k % 3], a.n_fetched);
    }
}

/* ---- large recipes ---- */

static weft_array *lgamma_once(weft_array *x) { return weft_lgamma(x); }
static weft_array *lgamma_four_times(weft_array *x)
{
    return weft_lgamma(weft_lgamma(weft_lgamma(weft_lgamma(x))));
}
static weft_array *sum_of_lgamma(weft_array *x) { return weft_sum(weft_lgamma(x)); }
CALL(lgamma_once, weft_unary, in[0])
CALL(lgamma_four_times, weft_unary, in[0])
CALL(sum_of_lgamma, weft_unary, in[0])

static int lines_of(const char *name, weft_dtype t, int64_t count,
                    weft_array *(*call)(weft_context *, bool, weft_array **, weft_array **),
                    const char *target_name)
{
    static Assembly a;
    Target target;
    Case c = { .name = name, .in = { { t, FILL_UNIT, 1, { count } } }, .n_in = 1, .n_out = 1, .call = call };
    make(&c, target_name, &a, &target);
    return a.n_lines;
}

/* They are there once, however often they are used: in the loop, in what is left over, in a sum. */
Test(code, large_recipes)
{
    static const char *const names[] = { "avx512", "avx2", "sse2" };
    for (int k = 0; k < 3; k++)
        for (int d = 0; d < 2; d++) {
            weft_dtype t = d ? WEFT_F64 : WEFT_F32;
            int one = lines_of("one vector", t, d ? 2 : 4, call_lgamma_once, names[k]),
                once = lines_of("once", t, 1001, call_lgamma_once, names[k]),
                four = lines_of("four times", t, 1001, call_lgamma_four_times, names[k]),
                sum = lines_of("sum", t, 1001, call_sum_of_lgamma, names[k]);
            cr_expect(once < 4 * one, "%s: %d lines, in one vector %d", names[k], once, one);
            cr_expect(four < once * 3 / 2, "%s: %d lines, once %d", names[k], four, once);
            cr_expect(sum < once * 3 / 2, "%s: %d lines, without the sum %d", names[k], sum, once);
        }
}

/* A sum has as many accumulators as its order asks for, but not as many copies of what it sums. */
static weft_array *tanh_once(weft_array *x) { return weft_tanh(x); }
static weft_array *sum_of_tanh(weft_array *x) { return weft_sum(weft_tanh(x)); }
CALL(tanh_once, weft_unary, in[0])
CALL(sum_of_tanh, weft_unary, in[0])

Test(code, sums_in_parts)
{
    static const char *const names[] = { "avx512", "avx2", "sse2" };
    for (int k = 0; k < 3; k++)
        for (int d = 0; d < 2; d++) {
            weft_dtype t = d ? WEFT_F64 : WEFT_F32;
            int once = lines_of("once", t, 10001, call_tanh_once, names[k]),
                sum = lines_of("sum", t, 10001, call_sum_of_tanh, names[k]);
            cr_expect(sum < 2 * once, "%s: %d lines, without the sum %d", names[k], sum, once);
        }
}

/* ---- steps of narrow elements, steps backwards, divisions by a constant ---- */

static weft_array *every_other(weft_array *x) { return weft_add(weft_at(x, "::2"), 1); }
static weft_array *every_other_backwards(weft_array *x) { return weft_mul(weft_at(x, "::-2"), 3); }
static weft_array *ninth(weft_array *x) { return weft_floor_div(x, 9); }
CALL(every_other, weft_unary, in[0])
CALL(every_other_backwards, weft_unary, in[0])
CALL(ninth, weft_unary, in[0])

/* Bytes are not picked one by one: that would be hundreds of instructions, and a tenth of a second. */
Test(code, bytes_with_steps)
{
    static const char *const names[] = { "avx512", "avx2", "sse2" };
    for (int k = 0; k < 3; k++) {
        int lines = lines_of("every other byte", WEFT_U8, 1 << 16, call_every_other, names[k]);
        cr_expect(lines < 160, "%s: %d lines", names[k], lines);
    }
}

static Loop all_loops_of(const char *name, weft_dtype t,
                         weft_array *(*call)(weft_context *, bool, weft_array **, weft_array **),
                         const char *target_name)
{
    static Assembly a;
    Target target;
    Loop all = { 0 };
    Case c = {
        .name = name, .in = { { t, FILL_UNIT, 1, { 1 << 16 } } }, .n_in = 1, .n_out = 1, .call = call
    };
    make(&c, target_name, &a, &target);
    for (int i = 0; i < a.n_loops; i++) {
        all.gathers += a.loop[i].gathers;
        all.full += a.loop[i].full;
        all.narrow += a.loop[i].narrow;
        all.scalar += a.loop[i].scalar;
    }
    return all;
}

Test(code, backwards_with_steps)
{
    static const weft_dtype types[] = { WEFT_F32, WEFT_F64 };
    for (int k = 0; k < 2; k++) {
        Loop all = all_loops_of("every other, backwards", types[k], call_every_other_backwards, "avx512");
        cr_expect(all.full && !all.gathers, "%d gathers, %d vectors", all.gathers, all.full);
    }
}

Test(code, division_by_a_constant)
{
    static const char *const names[] = { "avx512", "avx2", "sse2" };
    for (int k = 0; k < 3; k++) {
        Loop all = all_loops_of("a ninth", WEFT_I32, call_ninth, names[k]);
        int n = all.full + all.narrow + all.scalar;
        cr_expect(n == 0, "%s: %d instructions on floats", names[k], n);
    }
}

/* ---- updates one after the other ---- */

static weft_array *summed_at(weft_array *x)
{
    weft_array *at = weft_astype(weft_mul(x, 100), WEFT_I32);
    return weft_scatter_at(weft_zeros(NULL, WEFT_F32, 100), weft_stack_arrays(-1, at), x, .with = WEFT_ADD);
}
CALL(summed_at, weft_unary, in[0])

/* An iteration does four. */
Test(code, updates_in_turn)
{
    static const char *const names[] = { "avx512", "avx2" };
    for (int k = 0; k < 2; k++) {
        static Assembly a;
        Target target;
        Case c = { .name = "summed at",
                   .in = { { WEFT_F32, FILL_UNIT, 1, { 1 << 10 } } },
                   .n_in = 1,
                   .n_out = 1,
                   .call = call_summed_at };
        int sums = 0;
        make(&c, names[k], &a, &target);
        for (int i = 0; i < a.n_loops; i++)
            if (sums < a.loop[i].scalar) sums = a.loop[i].scalar;
        cr_expect(sums == 4, "%s: %d sums of single elements", names[k], sums);
    }
}
