/* text.c: a text from a stranger, as StableHLO: parsed, checked, printed and parsed again, simplified, fused;
 * and run, if that takes little. A text may be refused; one that is taken must keep every promise on the way.
 */
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "compiler/graph/check.h"
#include "compiler/graph/infer/infer.h"
#include "compiler/passes/raise.h"
#include "compiler/pipeline.h"
#include "compiler/text/text.h"
#include "target.h"
#include "tests/support/enzyme.h"
#include "tests/graphs/graphs.h"
#include "tests/support/program_run.h"

/* A text of some kilobytes never needs this much memory, even if the types it names have terabytes. */
enum { MOST_BYTES = 512 << 20, MOST_WORK = 1 << 18, MOST_ELEMENTS = 1 << 12 };

static size_t used;

static void *resize(void *user, void *p, size_t old_bytes, size_t new_bytes)
{
    (void)user;
    used += new_bytes - old_bytes;
    target_require(used <= MOST_BYTES, "the text takes more than %d bytes", MOST_BYTES);
    if (new_bytes) return realloc(p, new_bytes);
    free(p);
    return NULL;
}

static const Allocator allocator = { resize, NULL };

static const Target targets[] = {
    { .vector_bytes = 64, .vector_registers = 32, .l1_bytes = 48 << 10, .l2_bytes = 1 << 20, .fma = true },
    { .vector_bytes = 32, .vector_registers = 16, .l1_bytes = 32 << 10, .l2_bytes = 1 << 19, .fma = true },
    { .vector_bytes = 16, .vector_registers = 16, .l1_bytes = 32 << 10, .l2_bytes = 1 << 19 },
};

static void check_graph(const Graph *g, const char *what)
{
    Failure f = { 0 };
    bool sound = graph_check(g, &f);
    target_require(sound, "%s: %s", what, f.text);
}

/* Is there such a node, in regions too? */
static bool any(const Graph *g, bool (*is)(const Node *))
{
    for (Ref r = 0; r < g->n_nodes; r++) {
        const Node *n = graph_node(g, r);
        if (is(n)) return true;
        for (uint32_t i = 0; i < n->n_regions; i++)
            if (any(n->regions[i], is)) return true;
    }
    return false;
}

static bool has_floats(const Node *n)
{
    for (uint32_t i = 0; i < n->n_results; i++)
        if (dtype_is_float((DType)node_result(n, i).dtype)) return true;
    return false;
}

/* Large constants are compared by address. */
static bool is_large(const Node *n)
{
    return n->op == OP_CONSTANT && n->attr[0] == 0 && type_count(node_type(n)) > MOST_ELEMENTS / 8;
}

static void check_round_trip(Arena *a, const Graph *g, const char *what)
{
    static const PrintOptions options[] = { { .locs = false }, { .locs = true, .max_elements = 1 } };
    for (int i = 0; i < 2; i++) {
        Failure f = { 0 };
        const char *text = graph_print(a, g, &options[i]);
        const Parsed *again = text_parse(a, text, strlen(text), NULL, &f, NULL);
        target_require(again, "%s: its print does not parse: %s\n%s", what, f.text, text);
        bool equal = any(g, is_large) || graph_equal(again->funcs[0].graph, g);
        target_require(equal, "%s: printed and parsed again it is another graph\n%s", what, text);
        const char *twice = graph_print(a, again->funcs[0].graph, &options[i]);
        target_require(!strcmp(text, twice), "%s: printed again it is another text\n%s\n%s", what, text,
                       twice);
    }
}

/* About how many elements are computed. A loop without a known end, or a large attribute, which may be a
 * count, counts as more than the limit. */
static double work_of(const Graph *g)
{
    double work = 0;
    for (Ref r = 0; r < g->n_nodes; r++) {
        const Node *n = graph_node(g, r);
        double elements = 1, inside = 1;
        if (n->op == OP_WHILE) return MOST_WORK + 1.0;
        for (uint32_t i = 0; i < n->n_results; i++) elements += (double)type_count(node_result(n, i));
        for (uint32_t i = 0; i < n->n_args; i++) elements += (double)type_count(graph_type(g, n->args[i]));
        for (uint32_t i = 0; i < n->n_attr; i++)
            if (op_kind((Op)n->op) != OPKIND_LEAF && (n->attr[i] > 64 || n->attr[i] < -64))
                return MOST_WORK + 1.0;
        for (uint32_t i = 0; i < n->n_regions; i++) inside += work_of(n->regions[i]);
        if (elements > MOST_ELEMENTS || inside > MOST_WORK) return MOST_WORK + 1.0;
        work += (n->op == OP_SCAN ? (double)n->attr[0] : 1) * elements * inside;
    }
    return work;
}

/* simplify changes no bit; the program touches nothing that is not its own, and integers come out as eager
 * mode has them. */
static void run(const Graph *g, const Program *program, uint64_t seed)
{
    char why[512] = "";
    Values in = values_of_params(g), out = values_of_outputs(g);
    values_fill(&in, seed, false);
    bool same = graph_agrees(g, in.at, AGAINST_SIMPLIFIED, seed, why, sizeof why);
    target_require(same, "%s", why);
    bool ran = program_run(program, (const void *const *)in.at, out.at, why, sizeof why);
    target_require(ran && values_guards_hold(&out), "the program: %s", why);
    if (!any(g, has_floats)) {
        same = graph_agrees(g, in.at, AGAINST_FUSED, seed, why, sizeof why);
        target_require(same, "%s", why);
    }
    values_free(&in);
    values_free(&out);
}

typedef struct Way {
    Arena *arena;
    const Graph *inlined, *expanded;
} Way;

static bool check_stage(void *user, Stage stage, const Graph *g, const Program *program)
{
    static const char *const name[] = {
        [STAGE_TRACED] = "parse",        [STAGE_INLINED] = "inline_rules", [STAGE_PLANES] = "planes",
        [STAGE_SIMPLIFIED] = "simplify", [STAGE_EXPANDED] = "expand",      [STAGE_FUSED] = "fuse"
    };
    Way *way = user;
    Failure f = { 0 };
    check_graph(g, name[stage]);
    if (stage == STAGE_INLINED) way->inlined = g;
    if (stage == STAGE_SIMPLIFIED) check_round_trip(way->arena, graph_compact(way->arena, g), name[stage]);
    if (stage == STAGE_EXPANDED) way->expanded = g;
    bool sound = !program || program_check(program, &f);
    target_require(sound, "fuse: %s", f.text);
    return true;
}

static void check_func(Arena *a, const Graph *g, uint64_t seed)
{
    Failure f = { 0 };
    check_graph(g, "parse");
    g = graph_compact(a, g);
    check_round_trip(a, g, "parse");
    g = raise_graph(a, g);
    check_graph(g, "raise");
    Way way = { a, NULL, NULL };
    Pipeline pipeline = { .target = &targets[seed % 3],
                          .mode = (NumericMode)(seed / 3 % 3),
                          .between = check_stage,
                          .user = &way };
    const Program *program = pipeline_run(&pipeline, a, g, &f);
    if (!program) return; /* a derivative that has only one direction */
    if (work_of(way.inlined) <= MOST_WORK && work_of(way.expanded) <= MOST_WORK)
        run(way.inlined, program, seed);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    Arena a;
    Guard guard;
    Failure f = { 0 };
    char *text = malloc(size ? size : 1); /* no NUL behind it, and a sanitizer sees its end */
    used = 0;
    memcpy(text, data, size);
    arena_init(&a, &allocator, &guard);
    if (setjmp(guard.env)) target_require(false, "out of memory");
    const Parsed *parsed = text_parse_with(&a, &enzyme, text, size, "text", &f, NULL);
    target_require(parsed || f.code != WEFT_OK, "refused without a message");
    for (uint32_t i = 0; parsed && i < parsed->n_funcs; i++) check_func(&a, parsed->funcs[i].graph, size + i);
    arena_free(&a);
    free(text);
    return 0;
}
