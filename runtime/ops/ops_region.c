/* ops_region.c: regions for public ops that take one: small graphs, built for one call. */
#include "ops_compose.h"
#include "runtime/memory/context.h"
#include "runtime/memory/stack.h"
#include <setjmp.h>

typedef struct RegionJob {
    OpsRegionBuild *build;
    const void *what;
    const Graph *region;
    Arena arena;
    Guard guard;
} RegionJob;

static void do_build(void *user)
{
    RegionJob *j = user;
    if (!setjmp(j->guard.env)) j->region = j->build(&j->arena, j->what);
}

bool ops_apply_region(OpsRegionBuild *build, const void *what, Op op, weft_array *const *args, int n_args,
                      const int64_t *attr, int n_attr, weft_array **results, int n_results)
{
    RegionJob job = { .build = build, .what = what };
    struct Local *l = op_local();
    if (!l) return op_fail(WEFT_ARGUMENT, "there is no context: open one with weft_open");
    arena_init(&job.arena, context_allocator(l->ctx), &job.guard);
    bool ran = stack_call(STACK_EAGER, do_build, &job), good = false;
    if (job.region)
        good = op_apply_all(op, args, n_args, attr, n_attr, &(NodeSpec){ .region = job.region }, results,
                            n_results);
    else if (ran) op_fail(WEFT_MEMORY, "out of memory");
    else op_fail(WEFT_MEMORY, STACK_NONE, STACK_EAGER >> 10);
    arena_free(&job.arena);
    return good;
}

typedef struct Monoid {
    Op op;
    DType t;
} Monoid;

static const Graph *build_monoid(Arena *a, const void *what)
{
    const Monoid *m = what;
    return build_reducer(a, m->op, m->t);
}

weft_array *ops_apply_monoid(Op monoid, Op op, weft_array *const *args, int n_args, const int64_t *attr,
                             int n_attr)
{
    weft_array *r = NULL;
    if (args[0])
        ops_apply_region(build_monoid, &(Monoid){ monoid, ops_dtype(args[0]) }, op, args, n_args, attr,
                         n_attr, &r, 1);
    return r;
}
