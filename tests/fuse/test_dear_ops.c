/* test_dear_ops.c: a fused program computes what is dear about as often as its graph says: divisions, roots
 * and math functions, weighted by their cost and by how often they run, are at most 1.1 times the graph's. It
 * looks at the programs of tests/golden/jax, and at those of ../shared where that folder is. */
#include "compiler/graph/infer/infer.h"
#include "compiler/passes/raise.h"
#include "compiler/pipeline.h"
#include "compiler/text/text.h"
#include "tests/support/enzyme.h"
#include "tests/support/fuse_suite.h"
#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static const double ALLOWED = 1.1;
enum { DEAR = 4, PATH = 1024 };

static double cost_of(Op op, DType t)
{
    double cost = op_is_ew(op) ? op_cost(op, t) : 0;
    return cost >= DEAR && dtype_is_float(t) ? cost : 0;
}

/* ---- the graph ---- */

/* How often a node runs its regions. */
static double runs_of(const Graph *g, const Node *n)
{
    double runs = (double)type_count(node_type(n));
    if (n->op == OP_SCAN) return (double)scan_shape(n->attr).length;
    if (n->op == OP_MAP) return runs;
    if (n->op == OP_REDUCE_REGION) return (double)type_count(graph_type(g, n->args[0]));
    if (n->op != OP_REDUCE_WINDOW) return 1;
    WindowDims w = window_dims(OP_REDUCE_WINDOW, n->attr, n->rank);
    for (int d = 0; d < n->rank; d++) runs *= (double)w.size[d];
    return runs;
}

static double graph_dear(Arena *a, const Graph *g)
{
    const bool *reached = graph_reached(a, g);
    double sum = 0;
    for (Ref r = 0; r < g->n_nodes; r++) {
        const Node *n = graph_node(g, r);
        double runs = runs_of(g, n);
        if (!reached[r]) continue;
        sum += cost_of((Op)n->op, (DType)n->dtype) * (double)type_count(node_type(n));
        for (uint32_t k = 0; k < n->n_regions; k++) sum += runs * graph_dear(a, n->regions[k]);
    }
    return sum;
}

/* ---- the program ---- */

/* The loops around a statement that its value moves with, as bits of their depths; of a REDUCER those that
 * its folds move with. */
static uint32_t loops_of(uint32_t *moves, const int *opened, const Stmt *s, uint32_t open)
{
    uint32_t bits = 0;
    for (int i = 0; i < 3; i++)
        if (s->args[i] != VAL_NONE && s->kind != ST_TOTAL) bits |= moves[s->args[i]];
    for (uint32_t t = 0; t < s->address.n_terms; t++) bits |= moves[s->address.terms[t].of];
    if (s->kind == ST_FOLD) moves[s->args[0]] |= bits & ((UINT32_C(1) << opened[s->args[0]]) - 1);
    if (s->kind == ST_TOTAL) return moves[s->args[0]];
    if (s->kind == ST_REDUCER) return 0;
    return s->kind == ST_OP || s->kind == ST_LOAD || s->kind == ST_INDEX || s->kind == ST_CONST ? bits : open;
}

/* Loops of unknown length count as one step; a value that does not move with lanes is computed once for
 * all of them. */
static double kernel_dear(const Kernel *k)
{
    const Stmt *loop[MAX_LOOP_DEPTH];
    uint32_t *moves = calloc(k->n_stmts + 1, sizeof *moves);
    int *opened = calloc(k->n_stmts + 1, sizeof *opened);
    double sum = 0;
    int depth = 0;
    for (uint32_t i = 0; i < k->n_stmts; i++) {
        const Stmt *s = &k->stmts[i];
        opened[i] = depth;
        moves[i] = s->kind == ST_LOOP ? UINT32_C(1) << depth
                                      : loops_of(moves, opened, s, (UINT32_C(1) << depth) - 1);
        if (s->kind == ST_LOOP) loop[depth++] = s;
        if (s->kind == ST_END) depth--;
        double runs = s->kind == ST_OP ? cost_of((Op)s->op, (DType)s->dtype) : 0;
        for (int d = 0; d < depth && runs > 0; d++) {
            double extent = loop[d]->extent < 0 ? 1 : (double)loop[d]->extent;
            runs *= moves[i] >> d & 1 ? extent : ceil(extent / (loop[d]->lanes * loop[d]->tile));
        }
        sum += runs;
    }
    free(moves);
    free(opened);
    return sum;
}

static double program_dear(const Program *p)
{
    double runs[64] = { 1 }, sum = 0;
    int depth = 0;
    for (uint32_t i = 0; i < p->n_kernels && !p->n_steps; i++) sum += kernel_dear(&p->kernels[i]);
    for (uint32_t i = 0; i < p->n_steps; i++) {
        const ProgramStep *s = &p->steps[i];
        if (step_opens(s)) {
            cr_assert(depth < 63);
            bool rows = s->bands || s->parallel; /* the kernels inside run a part of their loops each time */
            runs[depth + 1] = runs[depth] * (s->kind == STEP_LOOP && !rows ? (double)s->extent : 1);
            depth++;
        } else if (s->kind == STEP_END) depth--;
        else if (s->kind == STEP_KERNEL) sum += runs[depth] * kernel_dear(&p->kernels[s->kernel]);
    }
    return sum;
}

/* ---- files ---- */

typedef struct Counted {
    Arena *arena;
    double graph, program;
} Counted;

static bool count(void *user, Stage stage, const Graph *g, const Program *p)
{
    Counted *c = user;
    if (stage == STAGE_EXPANDED) c->graph = graph_dear(c->arena, g);
    if (stage == STAGE_FUSED) c->program = program_dear(p);
    return true;
}

static int checked;

static void check_file(const char *path)
{
    FILE *file = fopen(path, "rb");
    struct stat status;
    if (!file || fstat(fileno(file), &status) != 0) return;
    char *text = malloc((size_t)status.st_size + 1);
    size_t n = fread(text, 1, (size_t)status.st_size, file);
    fclose(file);
    Arena a;
    Failure f = { 0 };
    arena_open(&a);
    const Parsed *p = text_parse_with(&a, &enzyme, text, n, path, &f, NULL);
    for (uint32_t i = 0; p && i < p->n_funcs; i++) {
        Counted c = { .arena = &a };
        if (p->funcs[i].is_private) continue;
        if (!pipeline_run(&(Pipeline){ .target = &wide, .between = count, .user = &c }, &a,
                          raise_graph(&a, p->funcs[i].graph), &f))
            continue;
        cr_expect(c.program <= ALLOWED * c.graph + 1,
                  "%s: %.0f in the graph, %.0f in the program, %.2f times", path, c.graph, c.program,
                  c.program / c.graph);
        checked++;
    }
    arena_free(&a);
    free(text);
}

static void check_folder(const char *folder)
{
    struct dirent **entries;
    int n = scandir(folder, &entries, NULL, alphasort);
    for (int i = 0; i < n; i++) {
        char path[PATH];
        const char *name = entries[i]->d_name;
        size_t length = strlen(name);
        snprintf(path, sizeof path, "%s/%s", folder, name);
        if (length > 5 && !strcmp(name + length - 5, ".mlir")) check_file(path);
        else if (name[0] != '.' && entries[i]->d_type == DT_DIR) check_folder(path);
        free(entries[i]);
    }
    if (n >= 0) free(entries);
}

Test(dear_ops, golden_programs)
{
    check_folder(WEFT_SOURCE_DIR "/tests/golden/jax");
    cr_expect(checked > 20, "%d programs", checked);
}
Test(dear_ops, programs_once_wrong) { check_folder(WEFT_SOURCE_DIR "/tests/found"); }
Test(dear_ops, found_programs) { check_folder(WEFT_SOURCE_DIR "/../shared/found"); }
Test(dear_ops, jax_programs) { check_folder(WEFT_SOURCE_DIR "/../shared/jax-programs"); }
