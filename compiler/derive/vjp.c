/* vjp.c: the pass: simplify, forward mode and partial evaluation as in linearize.c; then the known nodes as
 * they are and the linear ones transposed, in one graph. What the linear half needs of the known one is just
 * there: nothing is cut at the top. */
#include "compiler/derive/transpose/transpose_rules.h"

/* of_one: of the gradient, whose only cotangent is 1. */
static Graph *reverse(Arena *a, const Graph *g, const bool *active, const bool *given, bool of_one,
                      size_t most, Failure *f)
{
    bool *linear;
    const Graph *split = split_jvp(a, g, active, given, most, &linear, f);
    Graph *dst =
        split ? transpose_whole(a, (LinearRegion){ split, linear, false, most }, g->n_outputs, of_one, f)
              : NULL;
    if (!dst) return NULL;
    graph_name_params(dst, g);
    return graph_compact(a, dst);
}

Graph *vjp_graph(Arena *a, const Graph *g, const bool *active, const bool *given, size_t most, Failure *f)
{
    return reverse(a, g, active, given, false, most, f);
}

Graph *grad_graph(Arena *a, const Graph *g, const bool *active, size_t most, Failure *f)
{
    if (g->failure.code != WEFT_OK) return fail_as(f, &g->failure), NULL;
    if (g->n_outputs == 0) return fail(f, WEFT_ARGUMENT, "a function without results has no gradient"), NULL;
    Type t = graph_type(g, g->outputs[0]);
    if (t.rank || !dtype_is_inexact((DType)t.dtype)) {
        fail(f, t.rank ? WEFT_SHAPE : WEFT_DTYPE, "a gradient is of one float; the result is %s%s",
             TYPE_TEXT(t), t.rank ? ": sum it, or ask for a vjp or a jacobian" : "");
        return NULL;
    }
    bool *given = arena_alloc(a, g->n_outputs);
    given[0] = true;
    return reverse(a, g, active, given, true, most, f);
}
