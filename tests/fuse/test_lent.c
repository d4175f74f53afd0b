/* test_lent.c: temporaries in the memory of outputs that are written later: how much scratch is left, and
 * that nothing is lost by it. */
#include "tests/fuse/fuse_words.h"

enum { N = 8192 };

static Ref sorted(Graph *g, Ref x)
{
    REGION(g, less, f32, f32);
    GIVES(less, build_compare(less, CMP_LT, less->params[0], less->params[1]));
    Ref out;
    build_sort(g, &x, 1, 0, true, less, &out);
    return out;
}

static Ref squares(Graph *g, Ref x) { return build_reduce(g, OP_ADD, mul(g, x, x), DIMS(0), 1); }

static size_t scratch_of(const Graph *g)
{
    Arena a;
    size_t bytes = fused(&a, g)->scratch_bytes;
    arena_free(&a);
    return bytes;
}

/* What the sort needs besides is done with before the sum of what it sorted is added to another array: all of
 * it lies in the result's memory, if that has room. What was sorted is summed by the kernel that writes the
 * result, and has memory of its own. */
static void make(Graph *g, Type t)
{
    Ref x = build_param(g, F32(N)), other = build_param(g, t);
    GIVES(g, add(g, other, spread(g, squares(g, sorted(g, x)), t)));
}

Test(lent, before_an_output_is_written)
{
    GRAPH(large);
    GRAPH(small);
    make(large, F32(8, N));
    make(small, F32(N / 4));
    cr_expect_leq(scratch_of(large), 4 * N, "%zu", scratch_of(large));
    cr_expect_gt(scratch_of(small), 4 * N, "%zu", scratch_of(small));
    fuse_compare("large", large);
    fuse_compare("small", small);
    arena_free(&small_arena);
    arena_free(&large_arena);
}

/* Several, one after the other, in outputs of several sizes, the last of which is written last. */
Test(lent, several)
{
    GRAPH(several);
    Ref x = build_param(several, F32(N)), y = build_param(several, F32(2 * N)), a = sorted(several, x),
        b = sorted(several, y);
    Ref sum = add(several, squares(several, a), squares(several, b));
    Ref first = mul(several, x, spread(several, squares(several, a), F32(N)));
    GIVES(several, first, mul(several, y, spread(several, sum, F32(2 * N))));
    fuse_compare("several", several);
    arena_free(&several_arena);
}

/* A loop writes an output step by step: what its steps sort would be written over it. */
Test(lent, not_in_loops)
{
    GRAPH(loop);
    Ref x = build_param(loop, F32(N)), out[2];
    REGION(loop, step, F32(N));
    Ref y = sorted(step, mul(step, step->params[0], spread(step, f(step, 1.25), F32(N))));
    Ref next = build_concatenate(step,
                                 (Ref[]){ build_slice(step, y, DIMS(1), DIMS(N), DIMS(1)),
                                          build_slice(step, y, DIMS(0), DIMS(1), DIMS(1)) },
                                 2, 0);
    GIVES(step, next, build_reverse(step, next, DIMS(0), 1));
    build_scan(loop, (ScanShape){ 5, false, 1, 0, 1, 0, 0 }, step, &x, out);
    GIVES(loop, out[0], out[1]);
    fuse_compare("loop", loop);
    arena_free(&loop_arena);
}
