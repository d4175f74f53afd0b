/* test_growth.c: what compiling costs grows as the program does: memory and kernels of programs of one kind
 * in three sizes, each twice the one before. Bytes are counted, not seconds, so nothing else on the machine
 * matters; a search that grows with the square seldom does without memory that does. Those that did are
 * timed: programs of eight times the size. */
#include "compiler/derive/vjp.h"
#include "compiler/passes/raise.h"
#include "compiler/pipeline.h"
#include "tests/fuse/fuse_words.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* ---- kinds of programs ---- */

static Ref sum(Graph *g, Ref x, int64_t axis) { return build_reduce(g, OP_ADD, x, &axis, 1); }

/* Adds and products, one upon the other. */
static void chain(Graph *g, int n)
{
    Ref x = build_param(g, F32(1024)), y = build_param(g, F32(1024));
    for (int i = 0; i < n; i++) x = i % 2 ? mul(g, x, y) : add(g, x, y);
    GIVES(g, x);
}

static void sum_of_chain(Graph *g, int n)
{
    chain(g, n);
    GIVES(g, sum(g, g->outputs[0], 0));
}

/* Rows without their means, again and again: kernels of many loops. */
static void means(Graph *g, int n)
{
    Type t = F32(64, 64);
    Ref x = build_param(g, t);
    for (int i = 0; i < n / 4; i++)
        x = build_binary(g, OP_SUB, x, build_broadcast(g, sum(g, x, 1), t.dim, 2, DIMS(0)));
    GIVES(g, x);
}

static Ref dot(Graph *g, Ref x, Ref y)
{
    return graph_add(g, &(NodeSpec){ .op = OP_DOT,
                                     .args = (Ref[]){ x, y },
                                     .n_args = 2,
                                     .attr = DIMS(0, 1, 1, 0),
                                     .n_attr = 4,
                                     .dtype = WEFT_F32 });
}

static void products(Graph *g, int n)
{
    Ref x = build_param(g, F32(32, 32)), w = build_param(g, F32(32, 32));
    for (int i = 0; i < n; i++) x = build_unary(g, OP_TANH, dot(g, x, w));
    GIVES(g, x);
}

static Ref along_rows(Graph *g, Ref x, Type t) { return build_broadcast(g, x, t.dim, 2, DIMS(0)); }

/* Layers with weights of their own, each of rows without their means and of one length, added to what it was
 * given. */
static void blocks(Graph *g, int n)
{
    Type t = F32(16, 32), w = F32(32, 32);
    Ref x = build_param(g, t);
    for (int i = 0; i < n / 10; i++) {
        Ref y = build_binary(g, OP_SUB, x, along_rows(g, sum(g, x, 1), t)),
            length = build_unary(g, OP_SQRT, sum(g, mul(g, y, y), 1));
        y = dot(g, build_binary(g, OP_DIV, y, along_rows(g, length, t)), build_param(g, w));
        x = add(g, x, dot(g, build_unary(g, OP_TANH, y), build_param(g, w)));
    }
    GIVES(g, sum(g, sum(g, x, 1), 0));
}

/* Each updated by itself, as an optimizer does. */
static void leaves(Graph *g, int n)
{
    Ref *out = malloc((size_t)n * sizeof *out);
    for (int i = 0; i < n; i++)
        out[i] = add(g, build_param(g, F32(64, 64)),
                     mul(g, build_param(g, F32(64, 64)), spread(g, f(g, 0.1), F32(64, 64))));
    graph_set_outputs(g, out, (uint32_t)n);
    free(out);
}

/* Arrays of a few lengths, one behind another. */
static void parts(Graph *g, int n)
{
    Ref *part = malloc((size_t)n * sizeof *part);
    for (int i = 0; i < n; i++) {
        Ref x = build_param(g, F32(7 + i % 5));
        part[i] = build_unary(g, OP_NEG, x);
    }
    GIVES(g, build_concatenate(g, part, n, 0));
    free(part);
}

/* The same of one length, each made of the same array: one loop stores them all. */
static void joined_parts(Graph *g, int n)
{
    Ref *part = malloc((size_t)n * sizeof *part), x = build_param(g, F32(16));
    for (int i = 0; i < n; i++) part[i] = mul(g, x, spread(g, f(g, i + 0.5), F32(16)));
    GIVES(g, build_concatenate(g, part, n, 0));
    free(part);
}

/* Many results of one array, every other of them a sum. */
static void results(Graph *g, int n)
{
    Ref *out = malloc((size_t)n * sizeof *out), x = build_param(g, F32(1024));
    for (int i = 0; i < n; i++) {
        out[i] = mul(g, x, spread(g, f(g, i + 0.5), F32(1024)));
        if (i % 2) out[i] = sum(g, out[i], 0);
    }
    graph_set_outputs(g, out, (uint32_t)n);
    free(out);
}

/* Small parts of an array, set one after the other. */
static void updates(Graph *g, int n)
{
    Ref x = build_param(g, F32(1024)), part = build_param(g, F32(16));
    for (int i = 0; i < n; i++) {
        Ref at = build_number(g, WEFT_I32, 16 * i % 1000);
        x = build_dynamic_update_slice(g, x, part, &at);
    }
    GIVES(g, x);
}

/* A loop that carries many arrays, each next to be the sum of two of them. */
static void carry(Graph *g, int count, Type array)
{
    uint32_t k = (uint32_t)count + 1;
    Ref *args = malloc(k * sizeof *args), *next = malloc(k * sizeof *next);
    Graph *cond = graph_new(g->arena, NULL), *body = graph_new(g->arena, NULL);
    for (uint32_t i = 0; i < k; i++) {
        Type t = i ? array : i32;
        args[i] = i ? build_param(g, t) : n(g, 0);
        build_param(cond, t);
        build_param(body, t);
    }
    GIVES(cond, build_compare(cond, CMP_LT, cond->params[0], n(cond, 10)));
    next[0] = add(body, body->params[0], n(body, 1));
    for (uint32_t i = 1; i < k; i++) next[i] = add(body, body->params[i], body->params[i % (k - 1) + 1]);
    graph_set_outputs(body, next, k);
    build_while(g, cond, body, args, 0, k, next);
    graph_set_outputs(g, next + 1, k - 1);
    free(args);
    free(next);
}

static void carries(Graph *g, int count) { carry(g, count, f32); }

/* From one result the gradient comes to one carry in each step. */
static void sum_of_carries(Graph *g, int count)
{
    carry(g, count, F32(64));
    GIVES(g, sum(g, g->outputs[0], 0));
}

/* Each of two of the last 400, whichever: so many are alive at once that no order of them is good. */
static void random_sharing(Graph *g, int n)
{
    enum { ALIVE = 400, INPUTS = 20 };
    Ref x[ALIVE];
    uint32_t random = 1;
    for (int i = 0; i < ALIVE; i++) x[i] = i < INPUTS ? build_param(g, F32(1000)) : x[i % INPUTS];
    for (int i = 0; i < n; i++) {
        Ref of[2];
        for (int k = 0; k < 2; k++) {
            random = random * 1664525 + 1013904223;
            of[k] = x[(random >> 8) % ALIVE];
        }
        Op op = i % 3 == 0 ? OP_ADD : i % 3 == 1 ? OP_MUL : OP_MIN;
        x[i % ALIVE] = build_binary(g, op, of[0], of[1]);
    }
    GIVES(g, x[0], x[100], x[200], x[300]);
}

static const struct Kind {
    const char *name;
    void (*make)(Graph *, int n);
    bool gradient;
} kinds[] = {
    { "chain", chain, false },
    { "its gradient", sum_of_chain, true },
    { "means", means, false },
    { "products", products, false },
    { "leaves", leaves, false },
    { "results", results, false },
    { "updates in a row", updates, false },
    { "parts", joined_parts, false },
    { "carries", carries, false },
    { "blocks", blocks, true },
};

/* ---- what they cost ---- */

static size_t live, peak;

static void *count_bytes(void *user, void *p, size_t old_bytes, size_t new_bytes)
{
    (void)user;
    live += new_bytes - old_bytes;
    if (live > peak) peak = live;
    if (new_bytes) return realloc(p, new_bytes);
    free(p);
    return NULL;
}

/* largest: statements of a kernel; stmts: of all */
typedef struct Cost {
    double ops, bytes, kernels, seconds, largest, stmts;
} Cost;

static double seconds_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static Cost cost_of(const struct Kind *kind, int n)
{
    static const Allocator counting = { count_bytes, NULL };
    Arena a;
    Guard guard;
    Failure wrong = { 0 };
    arena_init(&a, &counting, &guard);
    Graph *made = graph_new(&a, kind->name);
    kind->make(made, n);
    cr_assert_eq(made->failure.code, WEFT_OK, "%s: %s", kind->name, made->failure.text);
    const Graph *g = made;
    bool *all = malloc(g->n_params);
    memset(all, true, g->n_params);
    if (kind->gradient) g = grad_graph(&a, g, all, 0, &wrong);
    free(all);
    cr_assert(g, "%s", wrong.text);
    size_t before = peak = live;
    Pipeline way = { .target = &wide, .mode = MODE_DEFAULT };
    double start = seconds_now();
    Program *p = pipeline_run(&way, &a, g, &wrong);
    double seconds = seconds_now() - start;
    cr_assert(p && program_check(p, &wrong), "%s: %s", kind->name, wrong.text);
    Cost c = { g->n_nodes, (double)(peak - before), p->n_kernels, seconds, 0, 0 };
    for (uint32_t k = 0; k < p->n_kernels; k++) {
        c.stmts += p->kernels[k].n_stmts;
        if (p->kernels[k].n_stmts > c.largest) c.largest = p->kernels[k].n_stmts;
    }
    for (Ref r = 0; r < g->n_nodes; r++)
        for (uint32_t i = 0; i < g->nodes[r].n_regions; i++) c.ops += g->nodes[r].regions[i]->n_nodes;
    arena_free(&a);
    return c;
}

enum {
    SMALLEST = 250,
    BYTES_OF_AN_OP = 5 << 10, /* what a program may take for each */
    CHUNKS = 3 << 20,         /* memory comes in chunks of a megabyte, and there are a few arenas */
    MOST_STMTS = 1000         /* of a kernel, for LLVM takes more than linear time for long ones */
};

Test(growth, memory_and_kernels)
{
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
        Cost c[3];
        for (int i = 0; i < 3; i++) c[i] = cost_of(&kinds[k], SMALLEST << i);
        double first = c[1].bytes - c[0].bytes, second = c[2].bytes - c[1].bytes;
        cr_expect_leq(c[2].bytes, BYTES_OF_AN_OP * c[2].ops + CHUNKS, "%s: %.0f bytes for %.0f ops",
                      kinds[k].name, c[2].bytes, c[2].ops);
        cr_expect_leq(second, 2.3 * first + CHUNKS, "%s: %.0f, %.0f, %.0f bytes", kinds[k].name, c[0].bytes,
                      c[1].bytes, c[2].bytes);
        cr_expect_leq(c[2].kernels / c[2].ops, 1.5 * c[1].kernels / c[1].ops, "%s: %.0f, %.0f, %.0f kernels",
                      kinds[k].name, c[0].kernels, c[1].kernels, c[2].kernels);
        cr_expect_leq(c[2].largest, MOST_STMTS, "%s: a kernel of %.0f statements", kinds[k].name,
                      c[2].largest);
        if (getenv("WEFT_SHOW"))
            printf("%s: %.0f ops, %.0f KB, %.0f kernels, of up to %.0f statements\n", kinds[k].name, c[2].ops,
                   c[2].bytes / 1024, c[2].kernels, c[2].largest);
    }
}

/* More ops than a kernel may have are computed part by part: none twice, what lies between parts stored and
 * loaded once in each, a kernel or two for a part. */
Test(growth, parts_of_what_is_shared)
{
    static const struct Kind shared = { "random sharing", random_sharing, false };
    for (int i = 0; i < 3; i++) {
        Cost c = cost_of(&shared, 2500 << i);
        cr_expect_leq(c.stmts, 2 * c.ops, "%.0f statements for %.0f ops", c.stmts, c.ops);
        cr_expect_leq(c.kernels, c.ops / 500, "%.0f kernels for %.0f ops", c.kernels, c.ops);
        cr_expect_leq(c.bytes, BYTES_OF_AN_OP * c.ops + CHUNKS, "%.0f bytes for %.0f ops", c.bytes, c.ops);
        if (getenv("WEFT_SHOW"))
            printf("random sharing: %.0f ops, %.0f KB, %.0f kernels, %.0f statements, %.1f ms\n", c.ops,
                   c.bytes / 1024, c.kernels, c.stmts, 1e3 * c.seconds);
    }
}

/* ---- passes before ---- */

/* What a pass takes for a graph of that kind. */
static double bytes_taken(void make(Graph *, int n), int n, void pass(Arena *, const Graph *))
{
    static const Allocator counting = { count_bytes, NULL };
    Arena a;
    Guard guard;
    arena_init(&a, &counting, &guard);
    Graph *g = graph_new(&a, NULL);
    make(g, n);
    cr_assert_eq(g->failure.code, WEFT_OK, "%s", g->failure.text);
    size_t before = live;
    pass(&a, g);
    double bytes = (double)(live - before);
    arena_free(&a);
    return bytes;
}

static void check_pass(const char *name, void make(Graph *, int n), int smallest,
                       void pass(Arena *, const Graph *))
{
    double bytes[3];
    for (int i = 0; i < 3; i++) bytes[i] = bytes_taken(make, smallest << i, pass);
    cr_expect_leq(bytes[2] - bytes[1], 2.3 * (bytes[1] - bytes[0]) + CHUNKS, "%s: %.0f, %.0f, %.0f bytes",
                  name, bytes[0], bytes[1], bytes[2]);
    if (getenv("WEFT_SHOW"))
        printf("%s: %.0f, %.0f, %.0f KB\n", name, bytes[0] / 1024, bytes[1] / 1024, bytes[2] / 1024);
}

static void take_gradient(Arena *a, const Graph *g)
{
    Failure wrong = { 0 };
    bool *all = arena_alloc(a, g->n_params);
    memset(all, true, g->n_params);
    cr_expect(grad_graph(a, g, all, 0, &wrong), "%s", wrong.text);
}

static void raise_loops(Arena *a, const Graph *g) { cr_expect(raise_graph(a, g)); }

/* Loops inside each other, each of two steps. */
static void nested(Graph *g, int depth)
{
    Ref i = build_param(g, i32), x = build_param(g, F32(8)), out[2] = { i, x };
    if (depth) {
        Graph *cond = graph_new(g->arena, NULL), *body = graph_new(g->arena, NULL);
        build_param(cond, i32);
        build_param(cond, F32(8));
        GIVES(cond, build_compare(cond, CMP_LT, cond->params[0], n(cond, 2)));
        nested(body, depth - 1);
        build_while(g, cond, body, (Ref[]){ n(g, 0), x }, 0, 2, out);
    }
    GIVES(g, add(g, i, n(g, 1)), add(g, x, out[1]));
}

Test(growth, passes)
{
    check_pass("gradient of carries", sum_of_carries, 1000, take_gradient);
    check_pass("raised loops", nested, 12, raise_loops);
}

/* The least of three: what others do on the machine adds. */
static double seconds_of(const struct Kind *kind, int n)
{
    double least = 1e9;
    for (int i = 0; i < 3; i++) {
        double seconds = cost_of(kind, n).seconds;
        if (seconds < least) least = seconds;
    }
    return least;
}

/* Others slow what fits in no cache down more than what does: another try. What is too slow
 * is so each time. */
enum { TRIES = 8, MOST_TIMES = 40 };

Test(growth, time)
{
    static const struct Kind timed[] = { { "leaves", leaves, false }, { "parts", parts, false } };
    for (size_t k = 0; k < sizeof timed / sizeof *timed; k++) {
        double small = 1, large = 1e9;
        for (int tried = 0; tried < TRIES && large > MOST_TIMES * small; tried++) {
            small = seconds_of(&timed[k], 1000);
            large = seconds_of(&timed[k], 8000);
        }
        cr_expect_leq(large, MOST_TIMES * small, "%s: %.1f ms, %.1f ms", timed[k].name, 1e3 * small,
                      1e3 * large);
        if (getenv("WEFT_SHOW")) printf("%s: %.1f ms, %.1f ms\n", timed[k].name, 1e3 * small, 1e3 * large);
    }
}
