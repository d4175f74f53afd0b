/* test_column_folds.c: columns of arrays that the last cache does not hold are folded row by row. For a
 * machine with a small cache arrays are large early: each fold has the values of eager mode, in strict
 * mode bit for bit. */
#include "tests/fuse/fuse_words.h"

enum { CACHE = 1 << 14, LARGE_CACHE = 1 << 25 };

/* Does the program keep accumulators in rows? */
static bool has_rows(const Graph *g)
{
    Arena a;
    bool found = false;
    const Program *p = fused(&a, g);
    for (uint32_t i = 0; i < p->n_buffers; i++) found |= p->buffers[i].kind == BUF_LOCAL;
    arena_free(&a);
    return found;
}

static void check(const char *what, const Graph *g)
{
    fuse_cache = CACHE;
    cr_expect(has_rows(g), "%s: no rows of accumulators", what);
    fuse_compare(what, g);
    fuse_cache = 0;
}

static Ref down(Graph *g, Op monoid, Ref x, int64_t axis) { return build_reduce(g, monoid, x, &axis, 1); }

/* Rows and columns that are dealt out and that are not. */
Test(column_folds, sizes)
{
    static const int64_t sizes[][2] = {
        { 32, 1024 }, { 50, 1100 }, { 48, 4099 }, { 35, 2048 + 7 }, { 100, 4096 }
    };
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        GRAPH(g);
        GIVES(g, down(g, OP_ADD, build_param(g, F32(sizes[i][0], sizes[i][1])), 0));
        check("a sum of columns", g);
        arena_free(&g_arena);
    }
}

Test(column_folds, types)
{
    static const struct {
        DType type;
        Op monoid;
    } of[] = { { WEFT_F64, OP_ADD }, { WEFT_F32, OP_MAX }, { WEFT_I32, OP_ADD }, { WEFT_I32, OP_MIN } };
    for (size_t i = 0; i < sizeof of / sizeof *of; i++) {
        GRAPH(g);
        GIVES(g, down(g, of[i].monoid, build_param(g, TYPE(of[i].type, 40, 2000)), 0));
        check("a fold of columns", g);
        arena_free(&g_arena);
    }
}

static bool has_reducers(const Graph *g)
{
    Arena a;
    bool found = false;
    const Program *p = fused(&a, g);
    for (uint32_t i = 0; i < p->n_kernels; i++)
        for (Val v = 0; v < p->kernels[i].n_stmts; v++) found |= p->kernels[i].stmts[v].kind == ST_REDUCER;
    arena_free(&a);
    return found;
}

static Ref place_down(Graph *g, Op op, Ref x)
{
    const int64_t axis = 0;
    int64_t columns = graph_type(g, x).dim[1];
    return build_typed(g, op, &x, 1, &axis, 1, TYPE(WEFT_I32, columns));
}

/* Places of extremes: the first of equals (there are few ints), the first NaN (of roots), and where the
 * extreme is used as well. */
Test(column_folds, places)
{
    static const DType types[] = { WEFT_F32, WEFT_F64, WEFT_I32, WEFT_U8 };
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        GRAPH(g);
        Ref x = build_param(g, TYPE(types[i], 90, 2000));
        GIVES(g, place_down(g, OP_ARGMAX, x), place_down(g, OP_ARGMIN, x), down(g, OP_MAX, x, 0));
        check("places of columns", g);
        arena_free(&g_arena);
    }
    GRAPH(roots);
    Ref x = build_unary(roots, OP_SQRT, build_param(roots, F32(90, 2000)));
    GIVES(roots, place_down(roots, OP_ARGMAX, x), place_down(roots, OP_ARGMIN, x));
    check("places of NaN", roots);
    arena_free(&roots_arena);
}

static Ref running(Graph *g, Op monoid, Ref x, bool reverse)
{
    return graph_add(g, &(NodeSpec){ .op = OP_CUMULATIVE,
                                     .args = &x,
                                     .n_args = 1,
                                     .attr = (int64_t[]){ monoid, 0, reverse },
                                     .n_attr = 3 });
}

/* Running sums and extremes down the columns, whose rows are stored; far and near. */
Test(column_folds, running)
{
    static const uint32_t caches[] = { CACHE, LARGE_CACHE };
    for (size_t i = 0; i < 2; i++) {
        GRAPH(g);
        Ref x = build_param(g, F32(131, 1100)), n = build_param(g, TYPE(WEFT_I32, 131, 1100));
        GIVES(g, running(g, OP_ADD, x, false), running(g, OP_MAX, x, true), running(g, OP_ADD, n, false));
        fuse_cache = caches[i];
        cr_expect(has_rows(g) && !has_reducers(g), "no rows of accumulators");
        fuse_compare("running folds of columns", g);
        fuse_cache = 0;
        arena_free(&g_arena);
    }
}

/* A softmax down the columns: its second fold stores what it sums up. */
Test(column_folds, stores)
{
    static const int64_t columns[] = { 1 };
    GRAPH(g);
    Type t = F32(90, 2000);
    Ref x = build_param(g, t), most = build_broadcast(g, down(g, OP_MAX, x, 0), t.dim, 2, columns),
        e = build_unary(g, OP_EXP, build_binary(g, OP_SUB, x, most)),
        sum = build_broadcast(g, down(g, OP_ADD, e, 0), t.dim, 2, columns);
    GIVES(g, build_binary(g, OP_DIV, e, sum));
    check("a softmax of columns", g);
    arena_free(&g_arena);
}

/* Two folds at once, of what is computed with a number for each row, and what uses the results. */
Test(column_folds, around)
{
    static const int64_t rows[] = { 0 }, columns[] = { 1 };
    GRAPH(g);
    Ref x = build_param(g, F32(40, 1500)), w = build_param(g, F32(40)), y = build_param(g, F32(1500)),
        scaled = build_binary(g, OP_MUL, x, build_broadcast(g, w, DIMS(40, 1500), 2, rows)),
        moved = build_binary(g, OP_SUB, x, build_broadcast(g, y, DIMS(40, 1500), 2, columns)),
        sum = down(g, OP_ADD, scaled, 0), most = down(g, OP_MAX, moved, 0);
    GIVES(g, build_binary(g, OP_MUL, sum, y), most);
    check("a weighted sum and a maximum", g);
    arena_free(&g_arena);
}

/* Matrices one after the other. */
Test(column_folds, batch)
{
    GRAPH(g);
    GIVES(g, down(g, OP_ADD, build_param(g, F32(3, 37, 1100)), 1));
    check("sums of columns of matrices", g);
    arena_free(&g_arena);
}

/* In the cache, too, where little is computed: of the widths of a vector and others, in a block for each
 * thread and in one. */
Test(column_folds, near)
{
    static const int64_t sizes[][2] = { { 200, 1000 }, { 64, 2048 }, { 601, 100 } };
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        GRAPH(g);
        Type t = F32(sizes[i][0], sizes[i][1]);
        Ref x = build_param(g, t), y = build_param(g, t);
        GIVES(g, down(g, OP_ADD, build_binary(g, OP_MUL, x, y), 0), down(g, OP_MAX, x, 0));
        fuse_cache = LARGE_CACHE;
        for (int threads = 0; threads < 2; threads++) {
            fuse_parallel = threads ? 20000 : 0;
            cr_expect(has_rows(g), "%d x %d: no rows of accumulators", (int)sizes[i][0], (int)sizes[i][1]);
            fuse_compare("products and maxima of columns", g);
        }
        fuse_parallel = fuse_cache = 0;
        arena_free(&g_arena);
    }
}

static void check_plain(const char *what, Type t)
{
    GRAPH(g);
    GIVES(g, down(g, OP_ADD, build_param(g, t), 0));
    fuse_cache = LARGE_CACHE;
    cr_expect(!has_rows(g), "%s: rows of accumulators", what);
    fuse_cache = 0;
    arena_free(&g_arena);
}

/* A variance, whose second fold needs what the first gave; near, far, and where a block's columns are fewer
 * because the last cache is to hold them. */
Test(column_folds, several)
{
    static const int64_t sizes[][2] = { { 200, 1000 }, { 67, 1500 }, { 300, 4000 } };
    static const uint32_t caches[] = { LARGE_CACHE, CACHE, 1 << 20 };
    static const int64_t columns[] = { 1 };
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        GRAPH(g);
        Type t = F32(sizes[i][0], sizes[i][1]);
        uint64_t one_of = scalar_from_double(WEFT_F32, 1.0 / (double)sizes[i][0]);
        Ref x = build_param(g, t), sum = down(g, OP_ADD, x, 0),
            n = build_splat(g, graph_type(g, sum), one_of), mean = build_binary(g, OP_MUL, sum, n),
            apart = build_binary(g, OP_SUB, x, build_broadcast(g, mean, t.dim, 2, columns));
        GIVES(g, build_binary(g, OP_MUL, down(g, OP_ADD, build_binary(g, OP_MUL, apart, apart), 0), n), mean);
        fuse_cache = caches[i];
        for (int threads = 0; threads < 2; threads++) {
            fuse_parallel = threads ? 20000 : 0;
            cr_expect(has_rows(g) && !has_reducers(g), "%d: not all in rows", (int)i);
            fuse_compare("means and variances of columns", g);
        }
        fuse_parallel = fuse_cache = 0;
        arena_free(&g_arena);
    }
}

/* Of eight rows at once: in registers. */
Test(column_folds, products)
{
    GRAPH(g);
    GIVES(g, graph_add(g, &(NodeSpec){
                              .op = OP_DOT,
                              .dtype = WEFT_F32,
                              .args = (Ref[]){ build_param(g, F32(32, 256)), build_param(g, F32(256, 320)) },
                              .n_args = 2,
                              .attr = (int64_t[]){ 0, 1, 1, 0 },
                              .n_attr = 4 }));
    fuse_cache = LARGE_CACHE;
    fuse_compare("a product", g);
    fuse_cache = 0;
    arena_free(&g_arena);
}

/* Of more, threads share the columns: if these are too few for that, in tiles as ever. */
Test(column_folds, narrow)
{
    GRAPH(g);
    GIVES(g, down(g, OP_ADD, build_param(g, F32(2001, 100)), 0));
    fuse_cache = LARGE_CACHE;
    cr_expect(has_rows(g), "no rows of accumulators");
    fuse_parallel = 20000;
    cr_expect(!has_rows(g), "rows of accumulators that threads cannot share");
    fuse_parallel = fuse_cache = 0;
    arena_free(&g_arena);
}

/* As ever. */
Test(column_folds, plain)
{
    check_plain("a small array", F32(40, 1024));
    check_plain("rows that one turn takes", F32(8000, 128));
}

/* Math functions in the caches; of rows whose lines begin anywhere, too. */
Test(column_folds, exponentials)
{
    static const int64_t sizes[][2] = { { 500, 1000 }, { 67, 1001 } };
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        GRAPH(g);
        GIVES(g, down(g, OP_ADD, build_unary(g, OP_EXP, build_param(g, F32(sizes[i][0], sizes[i][1]))), 0));
        fuse_cache = LARGE_CACHE;
        cr_expect(has_rows(g), "%d: no rows of accumulators", (int)i);
        fuse_compare("sums of exponentials", g);
        fuse_cache = 0;
        arena_free(&g_arena);
    }
}
