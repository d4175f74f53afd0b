/* graph_build_control.c: constructors of ops with several results, whose types they read off the regions. */
#include "foreign_op.h"
#include <string.h>

/* Types of a region's outputs; false and an error if one is missing. */
static Type *output_types(Graph *g, const Graph *region)
{
    Type *t = arena_alloc(g->arena, (region->n_outputs + 1) * sizeof *t);
    for (uint32_t i = 0; i < region->n_outputs; i++) {
        if (region->outputs[i] != REF_NONE) t[i] = graph_type(region, region->outputs[i]);
        else return fail(&g->failure, WEFT_ARGUMENT, "output %u of a region is missing", (unsigned)i), NULL;
    }
    return t;
}

/* A spec whose results are these: one is given by its fields, several as a list. */
static Ref add_given(Graph *g, NodeSpec s, const Type *results, uint32_t n)
{
    if (n == 1) s.dtype = (DType)results[0].dtype, s.dim = results[0].dim, s.rank = results[0].rank;
    else s.results = results, s.n_results = n;
    return graph_add(g, &s);
}

static bool nothing(Ref *out, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) out[i] = REF_NONE;
    return n == 0;
}

bool build_sort(Graph *g, const Ref *args, uint32_t n, int axis, bool stable, const Graph *comparator,
                Ref *out)
{
    Ref r = graph_add(g, &(NodeSpec){ .op = OP_SORT,
                                      .args = args,
                                      .n_args = n,
                                      .attr = (int64_t[]){ axis, stable },
                                      .n_attr = 2,
                                      .region = comparator });
    return build_results(g, r, n, out);
}

bool build_map(Graph *g, const Ref *args, uint32_t n, Type shape, const Graph *region, Ref *out)
{
    Type *results = output_types(g, region);
    if (!results || region->n_outputs == 0) return nothing(out, region->n_outputs);
    for (uint32_t i = 0; i < region->n_outputs; i++)
        results[i] = (Type){ results[i].dtype, shape.rank, shape.dim };
    Ref r = add_given(g, (NodeSpec){ .op = OP_MAP, .args = args, .n_args = n, .region = region }, results,
                      region->n_outputs);
    return build_results(g, r, region->n_outputs, out);
}

bool build_while(Graph *g, const Graph *cond, const Graph *body, const Ref *args, uint32_t n_invariant,
                 uint32_t n_carry, Ref *out)
{
    const Graph *regions[] = { cond, body };
    Ref r = graph_add(g, &(NodeSpec){ .op = OP_WHILE,
                                      .args = args,
                                      .n_args = n_invariant + n_carry,
                                      .attr = (int64_t[]){ n_invariant },
                                      .n_attr = 1,
                                      .regions = regions,
                                      .n_regions = 2 });
    return build_results(g, r, n_carry, out);
}

bool build_case(Graph *g, Ref index, const Graph *const *branches, uint32_t n_branches, const Ref *args,
                uint32_t n, Ref *out)
{
    uint32_t n_results = branches[0]->n_outputs;
    Type *results = output_types(g, branches[0]);
    if (!results || n_results == 0) return nothing(out, n_results);
    Ref *all = graph_refs(g->arena, n);
    all[0] = index;
    if (n) memcpy(all + 1, args, n * sizeof *args);
    Ref r = add_given(
        g,
        (NodeSpec){
            .op = OP_CASE, .args = all, .n_args = n + 1, .regions = branches, .n_regions = n_branches },
        results, n_results);
    return build_results(g, r, n_results, out);
}

bool build_scan(Graph *g, ScanShape s, const Graph *body, const Ref *args, Ref *out)
{
    uint32_t n = body->n_outputs;
    Type *results = output_types(g, body);
    if (!results || n == 0) return nothing(out, n);
    for (uint32_t i = s.n_carry; i < n; i++) results[i] = type_stacked(g->arena, results[i], s.length);
    int64_t attr[] = { s.length, s.reverse, s.unroll, s.n_invariant, s.n_carry, s.n_xs, s.checkpoint };
    Ref r = add_given(g,
                      (NodeSpec){ .op = OP_SCAN,
                                  .args = args,
                                  .n_args = s.n_invariant + s.n_carry + s.n_xs,
                                  .attr = attr,
                                  .n_attr = 7,
                                  .region = body },
                      results, n);
    return build_results(g, r, n, out);
}

bool build_ruled(Graph *g, Op op, int64_t rule, const Graph *const *regions, uint32_t n_regions,
                 const Ref *args, uint32_t n, Ref *out)
{
    uint32_t n_results = regions[0]->n_outputs;
    Type *results = output_types(g, regions[0]);
    if (!results || n_results == 0) return nothing(out, n_results);
    Ref r = add_given(g,
                      (NodeSpec){ .op = op,
                                  .args = args,
                                  .n_args = n,
                                  .attr = &rule,
                                  .n_attr = op == OP_CUSTOM_VMAP,
                                  .regions = regions,
                                  .n_regions = n_regions },
                      results, n_results);
    return build_results(g, r, n_results, out);
}

bool build_backward(Graph *g, const Graph *region, const Ref *args, uint32_t n_known, uint32_t n_tangents,
                    Ref *out)
{
    uint32_t n = region->n_params - n_known;
    Type *results = arena_alloc(g->arena, (n + 1) * sizeof *results);
    for (uint32_t i = 0; i < n; i++) results[i] = graph_type(region, region->params[n_known + i]);
    Ref r = add_given(g,
                      (NodeSpec){ .op = OP_BACKWARD,
                                  .args = args,
                                  .n_args = n_known + n_tangents,
                                  .attr = (int64_t[]){ n_known },
                                  .n_attr = 1,
                                  .region = region },
                      results, n);
    return build_results(g, r, n, out);
}

bool build_barrier(Graph *g, const Ref *args, uint32_t n, Ref *out)
{
    return build_results(g, graph_add(g, &(NodeSpec){ .op = OP_BARRIER, .args = args, .n_args = n }), n, out);
}

bool build_foreign(Graph *g, const ForeignOp *op, int64_t serial, const int64_t *numbers, uint32_t n_numbers,
                   const Ref *args, uint32_t n, const Type *results, uint32_t n_results, Ref *out)
{
    int64_t *attr = arena_alloc(g->arena, (n_numbers + 2) * sizeof *attr);
    attr[0] = (int64_t)(intptr_t)op;
    attr[1] = serial;
    if (n_numbers) memcpy(attr + 2, numbers, n_numbers * sizeof *numbers);
    Ref r = add_given(
        g, (NodeSpec){ .op = OP_FOREIGN, .args = args, .n_args = n, .attr = attr, .n_attr = n_numbers + 2 },
        results, n_results);
    return build_results(g, r, n_results, out);
}

Ref build_cumulative(Graph *g, Op monoid, Ref a, int axis, bool reverse)
{
    return graph_add(g, &(NodeSpec){ .op = OP_CUMULATIVE,
                                     .args = &a,
                                     .n_args = 1,
                                     .attr = (int64_t[]){ monoid, axis, reverse },
                                     .n_attr = 3 });
}

static Ref with_starts(Graph *g, Op op, const Ref *first, uint32_t n_first, const Ref *starts,
                       const int64_t *attr)
{
    Ref args[WEFT_MAX_RANK + 2];
    if (first[0] == REF_NONE) return REF_NONE;
    uint32_t rank = graph_node(g, first[0])->rank;
    memcpy(args, first, n_first * sizeof *first);
    if (rank) memcpy(args + n_first, starts, rank * sizeof *starts);
    return graph_add(
        g, &(NodeSpec){
               .op = op, .args = args, .n_args = n_first + rank, .attr = attr, .n_attr = attr ? rank : 0 });
}

Ref build_dynamic_slice(Graph *g, Ref a, const Ref *starts, const int64_t *sizes)
{
    return with_starts(g, OP_DYNAMIC_SLICE, &a, 1, starts, sizes);
}

Ref build_dynamic_update_slice(Graph *g, Ref a, Ref update, const Ref *starts)
{
    return with_starts(g, OP_DYNAMIC_UPDATE_SLICE, (Ref[]){ a, update }, 2, starts, NULL);
}

Op region_monoid(const Graph *r)
{
    if (r->n_params != 2 || r->n_outputs != 1) return OP_COUNT;
    const Node *n = graph_node(r, r->outputs[0]);
    if (!op_is_monoid((Op)n->op) || n->n_args != 2) return OP_COUNT;
    bool straight = n->args[0] == r->params[0] && n->args[1] == r->params[1];
    bool crossed = n->args[0] == r->params[1] && n->args[1] == r->params[0];
    return straight || crossed ? (Op)n->op : OP_COUNT;
}

bool region_replaces(const Graph *r)
{
    return r->n_params == 2 && r->n_outputs == 1 && r->outputs[0] == r->params[1];
}

const Graph *build_reducer(Arena *a, Op monoid, DType t)
{
    Graph *g = graph_new(a, NULL);
    Ref old = build_param(g, type_scalar(t)), new = build_param(g, type_scalar(t));
    Ref out = monoid == OP_RESULT ? new : build_binary(g, monoid, old, new);
    graph_set_outputs(g, &out, 1);
    return g;
}
