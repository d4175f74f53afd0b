/* ops_region.c: regions for public ops that take one: small graphs, built for one call. */
#include "ops_compose.h"
#include "runtime/memory/context.h"
#include "runtime/memory/stack.h"
#include <setjmp.h>

typedef struct RegionJob {
    OpsRegion *r;
    OpsRegionBuild *build;
    const void *what;
    bool built;
} RegionJob;

static void do_build(void *user)
{
    RegionJob *j = user;
    if (setjmp(j->r->guard.env)) return;
    j->r->graph = graph_new(&j->r->arena, NULL);
    j->build(j->r->graph, j->what);
    j->built = true;
}

bool ops_region_open(OpsRegion *r, OpsRegionBuild *build, const void *what)
{
    RegionJob job = { r, build, what, false };
    struct Local *l = op_local();
    if (!l) return op_fail(WEFT_ARGUMENT, "there is no context: open one with weft_open");
    arena_init(&r->arena, context_allocator(l->ctx), &r->guard);
    bool ran = stack_call(STACK_EAGER, do_build, &job);
    if (job.built) return true;
    arena_free(&r->arena);
    return ran ? op_fail(WEFT_MEMORY, "out of memory") : op_fail(WEFT_MEMORY, STACK_NONE, STACK_EAGER >> 10);
}

void ops_region_close(OpsRegion *r) { arena_free(&r->arena); }

typedef struct Monoid {
    Op op;
    DType t;
} Monoid;

static void build_monoid(Graph *g, const void *what)
{
    const Monoid *m = what;
    Type scalar = { (uint8_t)m->t, 0, NULL };
    Ref a = build_param(g, scalar), b = build_param(g, scalar),
        r = m->op == OP_RESULT ? b : build_binary(g, m->op, a, b);
    graph_set_outputs(g, &r, 1);
}

bool ops_region_monoid(OpsRegion *r, Op op, DType t)
{
    return ops_region_open(r, build_monoid, &(Monoid){ op, t });
}
