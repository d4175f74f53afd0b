/* test_constants.c: constants that one kernel reads are one buffer for each type of elements. */
#include "tests/support/fuse_suite.h"

enum { N = 33 };

static Ref of_numbers(Graph *g, DType t, int seed)
{
    static float real[N];
    static int32_t whole[N];
    for (int i = 0; i < N; i++) real[i] = (float)(whole[i] = (seed * 7 + i * 5) % 11 - 5) / 4;
    Ref c = build_constant(g, TYPE(t, N), t == WEFT_F32 ? (const void *)real : whole);
    return build_broadcast(g, c, DIMS(9, N), 2, (int64_t[]){ 1 });
}

/* x * c + d, and so on. */
static Ref chain(Graph *g, Ref x, int times, int seed)
{
    DType t = (DType)graph_type(g, x).dtype;
    for (int i = 0; i < times; i++) {
        x = build_binary(g, OP_MUL, x, of_numbers(g, t, seed++));
        x = build_binary(g, OP_ADD, x, of_numbers(g, t, seed++));
    }
    return x;
}

static uint32_t constants_of(const Program *p, const Kernel *k, DType t)
{
    uint32_t n = 0, last = UINT32_MAX;
    for (Val v = 0; v < k->n_stmts; v++) {
        const Stmt *s = &k->stmts[v];
        if (s->kind != ST_LOAD || p->buffers[s->buffer].kind != BUF_CONST || s->dtype != t) continue;
        n += s->buffer != last;
        last = s->buffer;
    }
    return n;
}

Test(constants, are_one_buffer)
{
    GRAPH(g);
    Ref x = build_param(g, F32(9, N)), j = build_param(g, I32(9, N)),
        sum = build_reduce(g, OP_ADD, chain(g, build_unary(g, OP_EXP, x), 1, 0), (int64_t[]){ 0 }, 1);
    GIVES(g, chain(g, x, 3, 0), chain(g, j, 2, 20), sum);
    fuse_compare("chains", g);
    Arena a;
    const Program *p = fused(&a, g);
    uint32_t one[2] = { 0 }, two = 0;
    for (uint32_t i = 0; i < p->n_kernels; i++) {
        const Kernel *k = &p->kernels[i];
        one[0] += constants_of(p, k, WEFT_F32) == 1;
        one[1] += constants_of(p, k, WEFT_I32) == 1;
        two += constants_of(p, k, WEFT_F32) == 2;
    }
    cr_expect(one[0] == 1 && one[1] == 1, "%u and %u kernels have all of theirs in one", one[0], one[1]);
    cr_expect_eq(two, 1, "two alone stay as they are");
    int64_t held = 0;
    for (uint32_t i = 0; i < p->n_buffers; i++)
        if (p->buffers[i].kind == BUF_CONST) held += p->buffers[i].count;
    cr_expect_eq(held, (6 + 4) * 48 + 2 * N, "%lld elements are held", (long long)held);
    arena_free(&a);
    arena_free(&g_arena);
}
