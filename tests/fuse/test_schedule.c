/* test_schedule.c: what a long body computes stands where it lets few values be alive. */
#include "tests/support/fuse_suite.h"

enum { ROWS = 32, LENGTH = 33 };

/* Sums and differences of rows so far apart, of all distances: each result is made of all rows. */
static Ref transformed(Graph *g, Ref x)
{
    Ref row[ROWS], next[ROWS];
    for (int i = 0; i < ROWS; i++) row[i] = build_slice_along(g, x, 0, i, i + 1, 1);
    for (int by = ROWS / 2; by; by /= 2) {
        for (int i = 0; i < ROWS; i++)
            next[i] = i & by ? build_binary(g, OP_SUB, row[i - by], row[i])
                             : build_binary(g, OP_ADD, row[i], row[i + by]);
        memcpy(row, next, sizeof row);
    }
    return build_concatenate(g, row, ROWS, 0);
}

/* Values that are alive at once, at most, of the statements between two loops, ends of loops, and so on. */
static uint32_t most_alive(const Kernel *k)
{
    uint32_t alive = 0, most = 0;
    Val last_use[4 * 5 * ROWS] = { 0 };
    cr_assert_lt(k->n_stmts, sizeof last_use / sizeof *last_use);
    for (Val v = 0; v < k->n_stmts; v++)
        for (int i = 0; i < 3; i++)
            if (k->stmts[v].args[i] != VAL_NONE) last_use[k->stmts[v].args[i]] = v;
    for (Val v = 0; v < k->n_stmts; v++) {
        for (Val u = 0; u < v; u++) alive -= last_use[u] == v && stmt_has_value(&k->stmts[u]);
        alive += stmt_has_value(&k->stmts[v]) && last_use[v];
        if (most < alive) most = alive;
    }
    return most;
}

/* As they are asked for, 63 are: the sums of all rows are asked for first. */
Test(schedule, sums_beside_differences)
{
    GRAPH(g);
    Ref x = build_param(g, F32(ROWS, LENGTH));
    GIVES(g, transformed(g, x));
    fuse_compare("sums and differences", g);
    Arena a;
    const Program *p = fused(&a, g);
    cr_assert_eq(p->n_kernels, 1);
    uint32_t alive = most_alive(&p->kernels[0]);
    cr_expect_leq(alive, ROWS + 1, "%u values are alive", alive);
    arena_free(&a);
    arena_free(&g_arena);
}

enum { CHAINS = 10, LINKS = 20 };

/* Statements whose operand is made right ahead of them. */
static uint32_t waiting(const Kernel *k)
{
    uint32_t n = 0;
    for (Val v = 1; v < k->n_stmts; v++)
        for (int i = 0; i < 3; i++)
            n += k->stmts[v].kind == ST_OP && k->stmts[v - 1].kind == ST_OP && k->stmts[v].args[i] == v - 1;
    return n;
}

/* Polynomials of one number, each a chain of products and sums: as they are asked for, one stands after the
 * other and each step waits for the one ahead of it. */
Test(schedule, chains_side_by_side)
{
    GRAPH(g);
    Type t = F32(LENGTH);
    Ref x = build_param(g, t), all = x;
    for (int c = 0; c < CHAINS; c++) {
        Ref y = x;
        for (int i = 0; i < LINKS; i++)
            y = build_binary(g, OP_ADD, build_binary(g, OP_MUL, y, x),
                             build_splat(g, t, scalar_from_double(WEFT_F32, 0.1 * c + 0.01 * i)));
        all = build_binary(g, OP_MUL, all, y);
    }
    GIVES(g, all);
    fuse_compare("chains", g);
    Arena a;
    const Program *p = fused(&a, g);
    cr_assert_eq(p->n_kernels, 1);
    uint32_t n = waiting(&p->kernels[0]);
    cr_expect_leq(n, CHAINS * LINKS / 10, "%u of %d statements wait for the one ahead", n, CHAINS * LINKS);
    arena_free(&a);
    arena_free(&g_arena);
}
