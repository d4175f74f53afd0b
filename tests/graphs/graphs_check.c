/* graphs_check.c: one graph, run two ways. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
#include "compiler/derive/jvp/jvp.h"
#include "compiler/derive/vjp.h"
#include "compiler/graph/check.h"
#include "compiler/passes/inline_rules.h"
#include "compiler/passes/simplify.h"
#include "compiler/pipeline.h"
#include "compiler/text/text.h"
#include "compiler/vmap/vmap.h"
#include "tests/support/backwards.h"
#include "tests/support/crowd.h"
#include "tests/support/graph_support.h"
#include "tests/support/heap.h"
#include "tests/graphs/graphs_guard.h"
#include "tests/support/program_run.h"
#include "runtime/exec/compile.h"
#include "runtime/eager/eager.h"

const char *const against_text[AGAINST_COUNT] = {
    [AGAINST_SIMPLIFIED] = "simplified",
    [AGAINST_FUSED] = "fused",
    [AGAINST_STRICT] = "strict",
    [AGAINST_DEFAULT] = "default",
    [AGAINST_FAST] = "fast",
    [AGAINST_TEXT] = "text",
    [AGAINST_LOOP] = "loop",
    [AGAINST_CHUNKS] = "chunks",
    [AGAINST_VMAPPED] = "vmapped",
    [AGAINST_DERIVED] = "derived",
    [AGAINST_GRADIENT] = "gradient",
    [AGAINST_GRADIENT_DEFAULT] = "gradient-default",
    [AGAINST_GRADIENT_LOOP] = "gradient-loop",
};

/* One comparison's memory and where its reason goes. */
typedef struct Comparison {
    Arena arena;
    uint64_t seed;
    char *why;
    size_t size;
} Comparison;

static bool explain(Comparison *c, const char *what, const char *text)
{
    snprintf(c->why, c->size, "%s: %s", what, text);
    return false;
}

static bool run_eagerly(Comparison *c, const Graph *g, void *const *inputs, Values *out)
{
    Failure f = { .code = WEFT_OK };
    *out = values_of_outputs(g);
    if (!eager_graph(g, (const void *const *)inputs, out->at, &heap, &f)) return explain(c, "eager", f.text);
    return values_guards_hold(out) || explain(c, "eager", "wrote past the end of an output");
}

static bool run_simplified(Comparison *c, const Graph *g, void *const *inputs, Values *out)
{
    Failure f = { .code = WEFT_OK };
    const Graph *s = simplify(&c->arena, g);
    *out = values_of_outputs(g);
    if (!graph_check(s, &f)) return explain(c, "simplify", f.text);
    return eager_graph(s, (const void *const *)inputs, out->at, &heap, &f) || explain(c, "eager", f.text);
}

static bool run_parsed(Comparison *c, const Graph *g, void *const *inputs, Values *out)
{
    static const PrintOptions plain = { false, 0 };
    Failure f = { .code = WEFT_OK };
    *out = values_of_outputs(g);
    const char *text = graph_print(&c->arena, g, &plain);
    Parsed *p = text_parse(&c->arena, text, strlen(text), NULL, &f, NULL);
    if (!p) return explain(c, "parse", f.text);
    const Graph *again = p->funcs[0].graph;
    if (!graph_check(again, &f)) return explain(c, "parse", f.text);
    if (again->n_params != g->n_params || again->n_outputs != g->n_outputs)
        return explain(c, "parse", "another number of parameters or results");
    if (strcmp(graph_print(&c->arena, again, &plain),
               graph_print(&c->arena, graph_compact(&c->arena, g), &plain)))
        return explain(c, "parse", "printed again the text is another");
    return eager_graph(again, (const void *const *)inputs, out->at, &heap, &f) || explain(c, "eager", f.text);
}

uint32_t random_graphs_cache, random_graphs_parallel;

static bool run_fused(Comparison *c, const Graph *g, void *const *inputs, Values *out)
{
    Target target = {
        .vector_bytes = 64, .vector_registers = 32, .l1_bytes = 48 << 10, .l2_bytes = 1 << 20, .fma = true
    };
    Failure f = { .code = WEFT_OK };
    char why[256] = "";
    if (random_graphs_cache) target.l2_bytes = target.l3_bytes = random_graphs_cache;
    if (random_graphs_parallel) target.parallel_ns = random_graphs_parallel, target.threads = 2;
    Program *p = pipeline_run(&(Pipeline){ .target = &target }, &c->arena, g, NULL);
    *out = values_of_outputs(g);
    if (!program_check(p, &f)) return explain(c, "fuse", f.text);
    return program_run(p, (const void *const *)inputs, out->at, why, sizeof why) ||
           explain(c, "program", why);
}

bool target_runs_here(const char *name)
{
    Target host, other;
    Failure f = { .code = WEFT_OK };
    if (!compile_target("host", NULL, &host, &f) || !compile_target(name, NULL, &other, &f)) return false;
    return !strncmp(host.triple, other.triple, strcspn(other.triple, "-")) &&
           host.vector_bytes >= other.vector_bytes && host.fma >= other.fma && host.f16c >= other.f16c;
}

const char *const target_names[TARGETS] = { "host", "avx2", "sse2" };

const char *target_in_turn(uint64_t number)
{
    const char *name = target_names[number % TARGETS];
    return target_runs_here(name) ? name : "host";
}

/* The same bits again, on inputs whose memory results may have. */
static const char *run_again(const Graph *g, const Code *code, void *const *inputs, const Values *want,
                             const Workers *workers, const char *differs)
{
    Values again = values_of_outputs(g);
    const char *wrong = run_between_guards(g, code, inputs, &again, false, true, workers);
    for (uint32_t k = 0; k < g->n_outputs && !wrong; k++)
        if (bytes_of(want->type[k]) && memcmp(want->at[k], again.at[k], bytes_of(want->type[k])))
            wrong = differs;
    values_free(&again);
    return wrong;
}

/* Right in front of memory that is not there, and right behind it, computed over inputs where it may be,
 * with pieces from the last to the first; and, if there may be pieces, on several threads. */
static bool run_code(Comparison *c, const Graph *g, const Code *code, void *const *inputs, Values *out)
{
    const char *wrong = run_between_guards(g, code, inputs, out, true, false, &workers_alone);
    if (!wrong)
        wrong = run_again(g, code, inputs, out, &workers_backwards,
                          "another result in the memory of donated inputs, or of pieces backwards");
    if (!wrong && random_graphs_parallel) {
        Workers several = crowd(g->n_nodes);
        wrong = run_again(g, code, inputs, out, &several, "another result on several threads");
    }
    return !wrong || explain(c, "compiled", wrong);
}

static bool run_compiled(Comparison *c, const Graph *g, void *const *inputs, NumericMode mode, Values *out)
{
    Failure f = { .code = WEFT_OK };
    Target target;
    const char *name = getenv("WEFT_TARGET");
    *out = values_of_outputs(g);
    CompileOptions options = { .mode = mode, .name = "random", .target = &target, .donated = UINT64_MAX };
    bool found = compile_target(name ? name : "host", NULL, &target, &f);
    if (random_graphs_cache) target.l2_bytes = target.l3_bytes = random_graphs_cache;
    if (random_graphs_parallel) target.parallel_ns = random_graphs_parallel, target.threads = 2;
    Code *code = found ? compile_graph(g, &options, &heap, &f) : NULL;
    if (!code) return explain(c, "compile", f.text);
    bool ok = run_code(c, g, code, inputs, out);
    code_free(code, &heap);
    return ok;
}

static bool differs(Comparison *c, const char *what, const Values *got, const Values *want, uint32_t k,
                    int64_t i)
{
    Type t = want->type[k];
    DType part = dtype_part((DType)t.dtype);
    size_t bytes = dtype_bytes((DType)t.dtype);
    const char *left = (char *)got->at[k] + (size_t)i * bytes,
               *right = (char *)want->at[k] + (size_t)i * bytes;
    if (part != t.dtype && !memcmp(left, right, bytes / 2)) left += bytes / 2, right += bytes / 2;
    uint64_t a = scalar_load(part, left), b = scalar_load(part, right);
    char text[128];
    snprintf(c->why, c->size, "%s: output %u %s, element %lld: %.17g (%llx), eager has %.17g (%llx)", what,
             (unsigned)k, type_text(text, sizeof text, t), (long long)i, scalar_to_double(part, a),
             (unsigned long long)a, scalar_to_double(part, b), (unsigned long long)b);
    return false;
}

static bool compare(Comparison *c, const char *what, const Values *got, const Values *want)
{
    for (uint32_t k = 0; k < want->n; k++) {
        int64_t i = first_difference(want->type[k], got->at[k], want->at[k], 0, 1);
        if (i >= 0) return differs(c, what, got, want, k, i);
    }
    return true;
}

static bool may_round_otherwise(Against a)
{
    return a == AGAINST_FUSED || a == AGAINST_DEFAULT || a == AGAINST_FAST;
}

static bool run_against(Comparison *c, const Graph *g, void *const *inputs, Against against, Values *out)
{
    switch (against) {
    case AGAINST_SIMPLIFIED: return run_simplified(c, g, inputs, out);
    case AGAINST_TEXT:       return run_parsed(c, g, inputs, out);
    case AGAINST_FUSED:      return run_fused(c, g, inputs, out);
    case AGAINST_DEFAULT:    return run_compiled(c, g, inputs, MODE_DEFAULT, out);
    case AGAINST_FAST:       return run_compiled(c, g, inputs, MODE_FAST, out);
    default:                 return run_compiled(c, g, inputs, MODE_STRICT, out);
    }
}

static bool agrees_by(Comparison *c, const Graph *g, void *const *inputs, Against against)
{
    Values got = { 0, NULL, NULL }, want = { 0, NULL, NULL };
    uint32_t output;
    int64_t element;
    bool ok = run_eagerly(c, g, inputs, &want) && run_against(c, g, inputs, against, &got);
    bool equal = ok && compare(c, against_text[against], &got, &want);
    if (ok && !equal && may_round_otherwise(against))
        equal = rounding_explains(&c->arena, g, inputs, &got, &want, against == AGAINST_FAST, &output,
                                  &element) ||
                differs(c, against_text[against], &got, &want, output, element);
    values_free(&got);
    values_free(&want);
    return equal;
}

/* Batches. */

/* Copies example b between a batched array and one example's. */
static void move_example(Type example, int64_t axis, int64_t size, int64_t b, char *batched, char *one,
                         bool out_of_batch)
{
    size_t inner = dtype_bytes((DType)example.dtype);
    int64_t outer = 1;
    for (int i = 0; i < example.rank; i++) {
        if (i < axis) outer *= example.dim[i];
        else inner *= (size_t)example.dim[i];
    }
    for (int64_t o = 0; o < outer; o++) {
        char *in_batch = batched + (size_t)(o * size + b) * inner, *alone = one + (size_t)o * inner;
        if (inner) memcpy(out_of_batch ? alone : in_batch, out_of_batch ? in_batch : alone, inner);
    }
}

typedef struct Batch {
    int64_t size, *in_axes, *out_axes;
    const Graph *mapped;
    Values inputs;
} Batch;

static void free_batch(Batch *b) { values_free(&b->inputs); }

enum { MAX_DEPTH = 3 };

/* At least one parameter is mapped. Example 0 is the given one, the others are random. level: maps that g has
 * been through. */
static bool make_batch(Comparison *c, const Graph *g, void *const *inputs, int level, Batch *b)
{
    Rng rng = { c->seed };
    Failure f = { .code = WEFT_OK };
    *b = (Batch){ .size = (int64_t[]){ 1, 2, 3, 5 }[rng_below(&rng, level ? 3 : 4)],
                  .in_axes = arena_alloc(&c->arena, (g->n_params + 1) * 8),
                  .out_axes = arena_alloc(&c->arena, (g->n_outputs + 1) * 8) };
    for (uint32_t i = 0; i < g->n_params; i++)
        b->in_axes[i] =
            rng_chance(&rng, 25) && i ? VMAP_NONE : rng_below(&rng, graph_type(g, g->params[i]).rank + 1u);
    for (uint32_t i = 0; i < g->n_outputs; i++)
        b->out_axes[i] = rng_chance(&rng, 70) ? 0 : rng_below(&rng, graph_type(g, g->outputs[i]).rank + 1u);
    b->mapped = vmap_graph(&c->arena, g, b->in_axes, b->size, b->out_axes, NULL, &f);
    if (!b->mapped) return explain(c, "vmap", f.text);
    if (!graph_check(b->mapped, &f)) return explain(c, "vmap", f.text);
    b->inputs = values_of_params(b->mapped);
    values_fill(&b->inputs, rng_bits(&rng), false);
    for (uint32_t i = 0; i < g->n_params; i++) {
        Type t = graph_type(g, g->params[i]);
        if (b->in_axes[i] != VMAP_NONE)
            move_example(t, b->in_axes[i], b->size, 0, b->inputs.at[i], inputs[i], false);
        else memcpy(b->inputs.at[i], inputs[i], bytes_of(t));
    }
    return true;
}

static bool agrees_with_loop(Comparison *c, const Graph *g, const Batch *b)
{
    Values got, want = values_of_outputs(b->mapped), one = values_of_params(g);
    bool ok = run_eagerly(c, b->mapped, b->inputs.at, &got);
    for (int64_t e = 0; ok && e < b->size; e++) {
        Values out;
        for (uint32_t i = 0; i < g->n_params; i++) {
            if (b->in_axes[i] != VMAP_NONE)
                move_example(one.type[i], b->in_axes[i], b->size, e, b->inputs.at[i], one.at[i], true);
            else memcpy(one.at[i], b->inputs.at[i], bytes_of(one.type[i]));
        }
        ok = run_eagerly(c, g, one.at, &out);
        for (uint32_t i = 0; ok && i < g->n_outputs; i++)
            move_example(out.type[i], b->out_axes[i], b->size, e, want.at[i], out.at[i], false);
        values_free(&out);
    }
    ok = ok && compare(c, "vmap", &got, &want);
    values_free(&got);
    values_free(&want);
    values_free(&one);
    return ok;
}

/* One to three maps, each of the program before it with a batch as its inputs. made: how many batches there
 * are to be freed. */
static bool map_again_and_again(Comparison *c, const Graph *g, void *const *inputs, Against against,
                                Batch b[MAX_DEPTH], int *made)
{
    Rng rng = { c->seed };
    int depth = 1 + (int)rng_below(&rng, 2) * (int)rng_below(&rng, MAX_DEPTH);
    bool ok = true;
    for (*made = 0; ok && *made < depth; ++*made) {
        Batch *last = &b[*made];
        c->seed += (uint64_t)*made;
        ok = make_batch(c, g, inputs, *made, last) &&
             (against != AGAINST_LOOP || agrees_with_loop(c, g, last));
        g = last->mapped;
        inputs = last->inputs.at;
    }
    return ok;
}

static bool agrees_in_batch(Comparison *c, const Graph *g, void *const *inputs, Against against)
{
    Batch b[MAX_DEPTH];
    int made;
    bool ok = map_again_and_again(c, g, inputs, against, b, &made);
    if (ok && against == AGAINST_VMAPPED)
        ok = agrees_by(c, b[made - 1].mapped, b[made - 1].inputs.at, AGAINST_STRICT);
    while (made > 0) free_batch(&b[--made]);
    return ok;
}

/* Forward or reverse mode by all floats. A rule for reverse mode has no forward mode that could run, so rules
 * are taken out. NULL: it has none, for a loop without a bound. */
static const Graph *derivative_of(Comparison *c, const Graph *g, bool forward)
{
    bool *active = arena_alloc(&c->arena, g->n_params + 1), *given = arena_alloc(&c->arena, g->n_outputs + 1);
    for (uint32_t i = 0; i < g->n_params; i++)
        active[i] = dtype_is_inexact((DType)graph_type(g, g->params[i]).dtype);
    for (uint32_t i = 0; i < g->n_outputs; i++)
        given[i] = dtype_is_inexact((DType)graph_type(g, g->outputs[i]).dtype);
    return forward ? jvp_graph(&c->arena, inline_rules(&c->arena, g, NULL), active, given, NULL)
                   : vjp_graph(&c->arena, g, active, given, 0, NULL);
}

/* A derivative is a program like any other. Half of them are gradients, the others forward mode; some of
 * each are differentiated again. */
static bool derivative_agrees(Comparison *c, const Graph *g, void *const *inputs, Against against)
{
    enum { MOST_NODES = 800 };
    Rng rng = { c->seed };
    uint32_t kind = rng_below(&rng, 8);
    const Graph *d = derivative_of(c, g, kind == 7),
                *twice = d && kind >= 5 && kind < 7 && d->n_nodes < MOST_NODES
                             ? derivative_of(c, d, kind == 6)
                             : NULL;
    if (!d) return true;
    if (twice) d = twice;
    Values all = values_of_params(d);
    values_fill(&all, c->seed, false);
    for (uint32_t i = 0; i < g->n_params; i++) memcpy(all.at[i], inputs[i], bytes_of(all.type[i]));
    bool ok = against == AGAINST_GRADIENT_LOOP
                  ? agrees_in_batch(c, d, all.at, AGAINST_LOOP)
                  : agrees_by(c, d, all.at, against == AGAINST_GRADIENT ? AGAINST_STRICT : AGAINST_DEFAULT);
    values_free(&all);
    return ok;
}

bool graph_agrees(const Graph *g, void *const *inputs, Against against, uint64_t seed, char *why, size_t size)
{
    Comparison c = { .seed = seed, .why = why, .size = size };
    if (against == AGAINST_CHUNKS) return graph_agrees_in_chunks(g, seed, why, size);
    if (against == AGAINST_DERIVED) return graph_derivatives_agree(g, inputs, seed, why, size);
    arena_open(&c.arena);
    bool derived = against == AGAINST_GRADIENT || against == AGAINST_GRADIENT_DEFAULT ||
                   against == AGAINST_GRADIENT_LOOP;
    bool ok = derived ? derivative_agrees(&c, g, inputs, against)
              : against == AGAINST_LOOP || against == AGAINST_VMAPPED
                  ? agrees_in_batch(&c, g, inputs, against)
                  : agrees_by(&c, g, inputs, against);
    arena_free(&c.arena);
    return ok;
}

typedef struct Question {
    Against against;
    uint64_t seed;
    bool apart;
} Question;

/* In a process of its own, so that a crash is an answer, too. */
static bool agrees_apart(const Graph *g, void *const *inputs, Question q, char *why, size_t size)
{
    int status = 0;
    char *shared = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (shared == MAP_FAILED) return snprintf(why, size, "no memory"), false;
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        alarm(120);
        _exit(graph_agrees(g, inputs, q.against, q.seed, shared, size) ? 0 : 1);
    }
    if (child > 0) waitpid(child, &status, 0);
    snprintf(why, size, "%s",
             child < 0             ? "no process"
             : WIFSIGNALED(status) ? strsignal(WTERMSIG(status))
                                   : shared);
    munmap(shared, size);
    return child > 0 && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

static bool answer(const Graph *g, void *const *inputs, Question q, char *why, size_t size)
{
    return q.apart ? agrees_apart(g, inputs, q, why, size)
                   : graph_agrees(g, inputs, q.against, q.seed, why, size);
}

static bool still_fails(void *user, const Graph *g, void *const *inputs)
{
    char why[512];
    return !answer(g, inputs, *(const Question *)user, why, sizeof why);
}

const char *random_graphs_kept;

static void keep(Question q, const char *text)
{
    char path[4096];
    fprintf(stderr, "%s", text);
    if (!random_graphs_kept) return;
    snprintf(path, sizeof path, "%s/seed_%llu_%s.mlir", random_graphs_kept, (unsigned long long)q.seed,
             against_text[q.against]);
    FILE *file = fopen(path, "w");
    if (!file || fputs(text, file) < 0 || fclose(file)) fprintf(stderr, "%s cannot be written\n", path);
}

static void report(Arena *arena, const Graph *g, const Values *inputs, Question q, const char *why)
{
    Values small_inputs;
    char small_why[512] = "it does not fail any more";
    fprintf(stderr, "random graph, seed %llu, %s: %s\n", (unsigned long long)q.seed, against_text[q.against],
            why);
    Graph *small = graph_shrink(arena, g, inputs->at, still_fails, &q, &small_inputs);
    answer(small, small_inputs.at, q, small_why, sizeof small_why);
    keep(q, graph_case_text(arena, small, &small_inputs, q.seed,
                            arena_printf(arena, "%s, %s", against_text[q.against], small_why)));
    values_free(&small_inputs);
}

static void report_last_map(Comparison *c, const Graph *g, const Values *inputs, bool apart, const char *why)
{
    Batch b[MAX_DEPTH];
    uint64_t seed = c->seed;
    int made;
    if (map_again_and_again(c, g, inputs->at, AGAINST_VMAPPED, b, &made))
        report(&c->arena, b[made - 1].mapped, &b[made - 1].inputs, (Question){ AGAINST_STRICT, seed, apart },
               why);
    while (made > 0) free_batch(&b[--made]);
}

/* If a compiled batch is wrong, the mapped program is made small instead. */
static void report_mapped(const Graph *g, const Values *inputs, uint64_t seed, bool apart, const char *why)
{
    char none[8];
    Comparison c = { .seed = seed, .why = none, .size = sizeof none };
    arena_open(&c.arena);
    report_last_map(&c, g, inputs, apart, why);
    arena_free(&c.arena);
}

/* Differences want smooth or curved programs. Where rounding may explain much, half the programs are smooth:
 * it explains little there. */
static RandomOptions options_of(uint64_t seed, int nodes, Against against)
{
    Rng rng = { seed };
    bool rounds = may_round_otherwise(against) || against == AGAINST_GRADIENT_DEFAULT,
         half = rng_chance(&rng, 50);
    return (RandomOptions){ .nodes = nodes,
                            .raw = rng_chance(&rng, 25),
                            .smooth = against == AGAINST_DERIVED ? !half : rounds && half,
                            .curved = against == AGAINST_DERIVED && half };
}

void random_graph_print(uint64_t seed, int nodes, Against against)
{
    Arena arena;
    arena_open(&arena);
    RandomOptions options = options_of(seed, nodes, against);
    Graph *g = random_graph(&arena, seed, &options);
    if (g)
        printf("// seed %llu\n%s", (unsigned long long)seed,
               graph_print(&arena, g, &(PrintOptions){ false, 0 }));
    arena_free(&arena);
}

static bool numbered_graph_agrees(Arena *arena, uint64_t seed, int nodes, Against against, bool apart)
{
    char why[512] = "";
    RandomOptions options = options_of(seed, nodes, against);
    Graph *g = random_graph(arena, seed, &options);
    if (!g) return false;
    Values inputs = values_of_params(g);
    Question q = { against, seed, apart };
    values_fill(&inputs, seed, options.smooth || options.curved);
    bool ok = answer(g, inputs.at, q, why, sizeof why);
    if (!ok && against == AGAINST_VMAPPED) report_mapped(g, &inputs, seed, apart, why);
    else if (!ok) report(arena, g, &inputs, q, why);
    values_free(&inputs);
    return ok;
}

bool random_graph_agrees(uint64_t seed, int nodes, Against against, bool apart)
{
    Arena arena;
    arena_open(&arena);
    bool ok = numbered_graph_agrees(&arena, seed, nodes, against, apart);
    arena_free(&arena);
    return ok;
}

static bool file_agrees(Arena *arena, FILE *file, Against against, char *why, size_t size)
{
    enum { MOST = 1 << 22 };
    Failure f = { .code = WEFT_OK };
    Values inputs;
    uint64_t seed = 1;
    char *text = arena_alloc(arena, MOST + 1);
    text[fread(text, 1, MOST, file)] = '\0';
    const Graph *g = graph_case_parse(arena, text, &inputs, &seed, &f);
    if (!g) return snprintf(why, size, "%s", f.text), false;
    bool ok = graph_agrees(g, inputs.at, against, seed, why, size);
    values_free(&inputs);
    return ok;
}

bool graph_case_agrees(const char *path, Against against, char *why, size_t size)
{
    Arena arena;
    FILE *file = fopen(path, "r");
    if (!file) return snprintf(why, size, "cannot be read"), false;
    arena_open(&arena);
    bool ok = file_agrees(&arena, file, against, why, size);
    arena_free(&arena);
    fclose(file);
    return ok;
}
