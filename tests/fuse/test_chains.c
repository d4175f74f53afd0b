/* test_chains.c: derivatives of long chains of ops: what a fused program computes, stores and keeps, however
 * long the chain is. Operations and bytes are counted, so nothing else on the machine matters. */
#include "compiler/derive/jvp/jvp.h"
#include "compiler/derive/vjp.h"
#include "compiler/pipeline.h"
#include "tests/fuse/fuse_words.h"
#include <stdio.h>
#include <stdlib.h>

/* ---- chains ---- */

typedef Ref Link(Graph *, Ref x, Ref y, int i);

static Ref tanhs(Graph *g, Ref x, Ref y, int i)
{
    (void)y, (void)i;
    return build_unary(g, OP_TANH, x);
}

static Ref sines(Graph *g, Ref x, Ref y, int i)
{
    (void)y, (void)i;
    return build_unary(g, OP_SIN, x);
}

static Ref sums_and_products(Graph *g, Ref x, Ref y, int i) { return i % 2 ? mul(g, x, y) : add(g, x, y); }

static Ref with_maxima(Graph *g, Ref x, Ref y, int i)
{
    static const Op op[] = { OP_ADD, OP_MUL, OP_SUB, OP_MAX };
    return build_binary(g, op[i % 4], x, y);
}

static Ref mixed(Graph *g, Ref x, Ref y, int i)
{
    return i % 2 ? build_unary(g, OP_SIN, x) : mul(g, add(g, x, y), x);
}

static const struct Kind {
    const char *name;
    Link *link;
} kinds[] = { { "tanh", tanhs },
              { "sine", sines },
              { "sums and products", sums_and_products },
              { "with maxima", with_maxima },
              { "mixed", mixed } };

/* The sum of x after n links, of vectors of this size; 0: of numbers. */
static Graph *chain(Arena *a, Link *link, int n, int64_t size)
{
    Graph *g = graph_new(a, "chain");
    Type t = size ? F32(size) : f32;
    Ref x = build_param(g, t), y = build_param(g, t);
    for (int i = 0; i < n; i++) x = link(g, x, y, i);
    GIVES(g, size ? build_reduce(g, OP_ADD, x, DIMS(0), 1) : x);
    return g;
}

/* ---- what is counted ---- */

typedef struct Cost {
    double work;  /* elements of results, each op's by what it costs */
    double moved; /* elements loaded and stored */
    double kept;  /* bytes */
    uint32_t kernels;
} Cost;

static void add_kernel(Cost *c, const Kernel *k)
{
    double runs[MAX_LOOP_DEPTH + 2] = { 1 };
    int depth = 0;
    for (uint32_t i = 0; i < k->n_stmts; i++) {
        const Stmt *s = &k->stmts[i];
        if (s->kind == ST_LOOP) {
            runs[depth + 1] = runs[depth] * (double)s->extent;
            depth++;
        } else if (s->kind == ST_END) depth--;
        if (s->kind == ST_OP) c->work += runs[depth] * (double)op_cost((Op)s->op, (DType)s->dtype);
        if (s->kind == ST_LOAD || s->kind == ST_STORE) c->moved += runs[depth];
    }
}

static const Program *program_of(Arena *a, const Graph *g)
{
    static Target target;
    Failure wrong = { 0 };
    target = wide;
    target.l2_bytes = 1 << 20;
    target.l3_bytes = 32 << 20;
    Pipeline way = { .target = &target, .mode = MODE_DEFAULT };
    Program *p = pipeline_run(&way, a, g, &wrong);
    cr_assert(p && program_check(p, &wrong), "%s", wrong.text);
    return p;
}

static Cost cost_of(Arena *a, const Graph *g)
{
    const Program *p = program_of(a, g);
    Cost c = { .kept = (double)p->scratch_bytes, .kernels = p->n_kernels };
    for (uint32_t i = 0; i < p->n_kernels; i++) add_kernel(&c, &p->kernels[i]);
    return c;
}

/* What the graph's ops take once each. */
static double work_of(Arena *a, const Graph *g)
{
    const bool *reached = graph_reached(a, g);
    double work = 0;
    for (Ref r = 0; r < g->n_nodes; r++)
        if (reached[r] && op_is_ew((Op)g->nodes[r].op))
            work += (double)type_count(graph_type(g, r)) *
                    (double)op_cost((Op)g->nodes[r].op, (DType)g->nodes[r].dtype);
    return work;
}

static void show(const char *what, const char *kind, int n, int64_t size, Cost c, double forward)
{
    if (getenv("WEFT_SHOW"))
        printf("%-18s %-18s %5d of %7lld: work %.2f of the forward's, %.1f loads and stores an element, "
               "%.0f arrays kept, %u kernels\n",
               what, kind, n, (long long)size, c.work / forward, c.moved / (double)(size ? size : 1),
               c.kept / (double)(4 * (size ? size : 1)), c.kernels);
}

/* ---- tests ---- */

static const int64_t sizes[] = { 0, 1024, 1000000 };
static const int lengths[] = { 30, 100, 200, 300, 1000, 3000 };
enum { N_KINDS = sizeof kinds / sizeof *kinds, N_LENGTHS = sizeof lengths / sizeof *lengths };

static const double MOST_OF_FORWARD = 3.5;

/* The gradient takes at most 3.5 times the work of the chain. What it keeps: of large arrays one for each 20
 * links; of small ones, that stay in the caches, it may be one for each op. */
Test(chains, gradients)
{
    for (int k = 0; k < N_KINDS; k++)
        for (int s = 0; s < 3; s++)
            for (int l = 0; l < N_LENGTHS; l++) {
                Arena a;
                Failure wrong = { 0 };
                arena_open(&a);
                int n = lengths[l];
                double array = sizes[s] ? 4 * (double)sizes[s] : 64;
                Graph *g = chain(&a, kinds[k].link, n, sizes[s]);
                double forward = work_of(&a, g);
                Graph *d = grad_graph(&a, g, (bool[]){ true, false }, 0, &wrong);
                cr_assert(d, "%s", wrong.text);
                Cost c = cost_of(&a, d);
                show("gradient", kinds[k].name, n, sizes[s], c, forward);
                cr_expect_leq(c.work, MOST_OF_FORWARD * forward, "%s, %d of %lld: %.2f times the forward",
                              kinds[k].name, n, (long long)sizes[s], c.work / forward);
                double most = sizes[s] == sizes[2] ? n / 20.0 + 4 : 1.6 * n + 4;
                cr_expect_leq(c.kept, most * array + 65536, "%s, %d of %lld: %.0f arrays", kinds[k].name, n,
                              (long long)sizes[s], c.kept / array);
                arena_free(&a);
            }
}

/* Where each op waits for the one before, a body that is longer than what the machine looks ahead has two
 * vectors at once, whatever else is alive in it. */
Test(chains, wait_for_two_vectors)
{
    for (int k = 0; k < N_KINDS; k++) {
        Arena a;
        Failure wrong = { 0 };
        uint32_t vectors = 4;
        arena_open(&a);
        Graph *d = grad_graph(&a, chain(&a, kinds[k].link, 300, 1024), (bool[]){ true, true }, 0, &wrong);
        cr_assert(d, "%s", wrong.text);
        const Program *p = program_of(&a, d);
        for (uint32_t i = 0; i < p->n_kernels; i++)
            for (uint32_t v = 0; p->kernels[i].n_stmts > 300 && v < p->kernels[i].n_stmts; v++) {
                const Stmt *s = &p->kernels[i].stmts[v];
                if (s->kind == ST_LOOP && s->lanes > 1 && s->tile < vectors) vectors = s->tile;
            }
        cr_expect_geq(vectors, 2, "%s: %u at once", kinds[k].name, vectors);
        arena_free(&a);
    }
}

static Graph *gradient_alone(Arena *a, const Graph *g, bool summed)
{
    Failure wrong = { 0 };
    Graph *d = grad_graph(a, g, (bool[]){ true, false }, 0, &wrong);
    cr_assert(d, "%s", wrong.text);
    Ref x = d->outputs[1];
    if (summed && graph_type(d, x).rank) x = build_reduce(d, OP_ADD, x, DIMS(0), 1);
    GIVES(d, x);
    return d;
}

/* Derivatives of derivatives compute each op of their graph twice, a few at the ends three times. */
Test(chains, deeper)
{
    for (int k = 0; k < N_KINDS; k++)
        for (int s = 0; s < 3; s++)
            for (int n = 30; n <= 300; n *= 10) {
                Arena a;
                Failure wrong = { 0 };
                arena_open(&a);
                Graph *g = chain(&a, kinds[k].link, n, sizes[s]),
                      *twice = gradient_alone(&a, gradient_alone(&a, g, true), false),
                      *forward = jvp_graph(&a, gradient_alone(&a, g, false), (bool[]){ true, false },
                                           (bool[]){ true }, &wrong);
                cr_assert(forward, "%s", wrong.text);
                const Graph *all[] = { twice, forward };
                for (int i = 0; i < 2; i++) {
                    double once = work_of(&a, all[i]);
                    Cost c = cost_of(&a, all[i]);
                    show(i ? "jvp of gradient" : "gradient twice", kinds[k].name, n, sizes[s], c, once);
                    cr_expect_leq(c.work, 2.1 * once, "%s %d, %d of %lld: %.2f times its graph",
                                  kinds[k].name, i, n, (long long)sizes[s], c.work / once);
                }
                arena_free(&a);
            }
}

/* 400 tanh, 20 of them at a time a checkpoint or not. */
static Graph *in_parts(Arena *a, bool checkpoint)
{
    Graph *g = graph_new(a, "parts");
    Ref x = build_param(g, F32(1024));
    for (int i = 0; i < 20; i++) {
        REGION(g, part, F32(1024));
        Ref y = part->params[0];
        for (int k = 0; k < 20; k++) y = build_unary(part, OP_TANH, y);
        GIVES(part, y);
        const Graph *region = part;
        if (checkpoint) build_ruled(g, OP_CHECKPOINT, 0, &region, 1, &(Ref){ x }, 1, &x);
        else graph_inline(g, part, &(Ref){ x }, &x);
    }
    GIVES(g, build_reduce(g, OP_ADD, x, DIMS(0), 1));
    return g;
}

/* Small arrays are all kept, unless the program says that memory counts for more. */
Test(chains, checkpoints)
{
    Arena a;
    Failure wrong = { 0 };
    Cost c[2];
    arena_open(&a);
    for (int i = 0; i < 2; i++) {
        Graph *d = grad_graph(&a, in_parts(&a, i), (bool[]){ true }, 0, &wrong);
        cr_assert(d, "%s", wrong.text);
        c[i] = cost_of(&a, d);
        show(i ? "with checkpoints" : "gradient", "tanh", 400, 1024, c[i], 400.0 * 1024 * 12);
    }
    cr_expect_leq(c[1].kept, c[0].kept / 4, "%.0f and %.0f bytes", c[0].kept, c[1].kept);
    arena_free(&a);
}

/* The sum of 64 sines or doubles, as k says, n times. */
static Graph *choices(Arena *a, int n)
{
    Graph *g = graph_new(a, "choices");
    Ref x = build_param(g, F32(64)), k = build_param(g, i32);
    REGION(g, doubled, F32(64));
    GIVES(doubled, add(doubled, doubled->params[0], doubled->params[0]));
    REGION(g, sine, F32(64));
    GIVES(sine, build_unary(sine, OP_SIN, sine->params[0]));
    for (int i = 0; i < n; i++) {
        Ref index = build_convert(g, build_compare(g, CMP_GT, k, build_number(g, WEFT_I32, i)), WEFT_I32);
        build_case(g, index, (const Graph *[]){ doubled, sine }, 2, &x, 1, &x);
    }
    GIVES(g, build_reduce(g, OP_ADD, x, DIMS(0), 1));
    return g;
}

/* The gradient of many choices in a row is a few kernels, none of which begins at the first choice again. */
Test(chains, choices)
{
    double work[2];
    for (int twice = 0; twice < 2; twice++) {
        Arena a;
        Failure wrong = { 0 };
        arena_open(&a);
        Graph *d = grad_graph(&a, choices(&a, twice ? 300 : 150), (bool[]){ true, false }, 0, &wrong);
        cr_assert(d, "%s", wrong.text);
        work[twice] = cost_of(&a, d).work;
        arena_free(&a);
    }
    cr_expect_leq(work[1], 2.5 * work[0], "%.0f operations, of twice as many choices %.0f", work[0], work[1]);
}
