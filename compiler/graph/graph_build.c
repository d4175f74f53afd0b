/* graph_build.c: typed constructors: each spells one NodeSpec. Where an op has several results, their types
 * are read off its regions. */
#include "foreign_op.h"
#include <string.h>

Ref build_node(Graph *g, Op op, const Ref *args, uint32_t n, const int64_t *attr, uint32_t n_attr)
{
    return graph_add(g, &(NodeSpec){ .op = op, .args = args, .n_args = n, .attr = attr, .n_attr = n_attr });
}

Ref build_typed(Graph *g, Op op, const Ref *args, uint32_t n, const int64_t *attr, uint32_t n_attr, Type t)
{
    NodeSpec s = { .op = op, .args = args, .n_args = n, .attr = attr, .n_attr = n_attr };
    return build_given(g, s, &t, 1);
}

Ref build_given(Graph *g, NodeSpec s, const Type *results, uint32_t n)
{
    if (n == 0) return REF_NONE;
    if (n == 1) s.dtype = (DType)results[0].dtype, s.dim = results[0].dim, s.rank = results[0].rank;
    else s.results = results, s.n_results = n;
    return graph_add(g, &s);
}

Ref build_param(Graph *g, Type t)
{
    return build_typed(g, OP_PARAMETER, NULL, 0, (int64_t[]){ g->n_params }, 1, t);
}

static Ref add_constant(Graph *g, Type t, const void *data, bool splat)
{
    NodeSpec s = { .op = OP_CONSTANT, .attr = (int64_t[]){ splat }, .n_attr = 1, .data = data };
    return build_given(g, s, &t, 1);
}

/* Small constants whose elements are all the same bits become splats, so that both spellings are one node. */
Ref build_constant(Graph *g, Type t, const void *data)
{
    enum { COMPARED_BYTES = 4096 };
    int64_t n = type_count(t);
    size_t item = dtype_bytes((DType)t.dtype);
    if (n <= 0 || !data || (uint64_t)n * item > COMPARED_BYTES) return add_constant(g, t, data, false);
    bool splat = memcmp(data, (const char *)data + item, ((size_t)n - 1) * item) == 0;
    return add_constant(g, t, data, splat);
}

Ref build_splat(Graph *g, Type t, uint64_t bits)
{
    char item[16] = { 0 };
    scalar_store((DType)t.dtype, item, bits);
    return build_filled(g, t, item);
}

Ref build_filled(Graph *g, Type t, const void *element) { return add_constant(g, t, element, true); }

bool node_is_real(const Node *n)
{
    static const char zero[8];
    size_t half = dtype_bytes((DType)n->dtype) / 2;
    return memcmp((const char *)n->data + half, zero, half) == 0;
}

Ref build_zeros(Graph *g, Type t) { return build_splat(g, t, 0); }

Ref build_or_zeros(Graph *g, Ref a, Type t) { return a == REF_NONE ? build_zeros(g, t) : a; }

Ref build_number(Graph *g, DType t, double v)
{
    return build_splat(g, type_scalar(t), scalar_from_double(t, v));
}

Ref build_iota(Graph *g, Type t, int axis)
{
    return build_typed(g, OP_IOTA, NULL, 0, (int64_t[]){ axis }, 1, t);
}

Ref build_unary(Graph *g, Op op, Ref a) { return build_node(g, op, &a, 1, NULL, 0); }

Ref build_binary(Graph *g, Op op, Ref a, Ref b) { return build_node(g, op, (Ref[]){ a, b }, 2, NULL, 0); }

Ref build_compare(Graph *g, CompareDir dir, Ref a, Ref b)
{
    if (a == REF_NONE) return REF_NONE;
    int64_t attr[] = { dir, compare_order((DType)graph_node(g, a)->dtype) };
    return build_node(g, OP_COMPARE, (Ref[]){ a, b }, 2, attr, 2);
}

Ref build_select(Graph *g, Ref p, Ref t, Ref f)
{
    return build_node(g, OP_SELECT, (Ref[]){ p, t, f }, 3, NULL, 0);
}

Ref build_convert(Graph *g, Ref a, DType t)
{
    return graph_add(g, &(NodeSpec){ .op = OP_CONVERT, .args = &a, .n_args = 1, .dtype = t });
}

Ref build_bitcast(Graph *g, Ref a, DType t)
{
    return graph_add(g, &(NodeSpec){ .op = OP_BITCAST, .args = &a, .n_args = 1, .dtype = t });
}

static uint32_t rank_of(const Graph *g, Ref a) { return a == REF_NONE ? 0 : graph_node(g, a)->rank; }

Ref build_broadcast(Graph *g, Ref a, const int64_t *dim, int rank, const int64_t *axes)
{
    return graph_add(g, &(NodeSpec){ .op = OP_BROADCAST,
                                     .args = &a,
                                     .n_args = 1,
                                     .attr = axes,
                                     .n_attr = rank_of(g, a),
                                     .dim = dim,
                                     .rank = rank });
}

Ref build_reshape(Graph *g, Ref a, const int64_t *dim, int rank)
{
    return graph_add(g, &(NodeSpec){ .op = OP_RESHAPE, .args = &a, .n_args = 1, .dim = dim, .rank = rank });
}

Ref build_leading(Graph *g, Ref a, int drop, const int64_t *lead, int n)
{
    if (a == REF_NONE) return a;
    int64_t dim[2 * WEFT_MAX_RANK];
    Type t = graph_type(g, a);
    for (int d = 0; d < n; d++) dim[d] = lead[d];
    for (int d = drop; d < t.rank; d++) dim[n + d - drop] = t.dim[d];
    return build_reshape(g, a, dim, n + t.rank - drop);
}

Ref build_transpose(Graph *g, Ref a, const int64_t *perm)
{
    return build_node(g, OP_TRANSPOSE, &a, 1, perm, rank_of(g, a));
}

Ref build_move_axis(Graph *g, Ref a, int from, int to)
{
    int64_t perm[WEFT_MAX_RANK + 1]; /* one axis too many is a type rule's to refuse */
    if (a == REF_NONE || from == to) return a;
    for (int i = 0, other = 0; i < graph_node(g, a)->rank; i++) {
        if (other == from) other++;
        perm[i] = i == to ? from : other++;
    }
    return build_transpose(g, a, perm);
}

/* SLICE and PAD: three numbers per axis. */
static Ref add_triple(Graph *g, Op op, const Ref *args, uint32_t n_args, const int64_t *x, const int64_t *y,
                      const int64_t *z)
{
    int64_t attr[3 * WEFT_MAX_RANK];
    uint32_t rank = rank_of(g, args[0]);
    for (uint32_t i = 0; i < rank; i++) attr[i] = x[i], attr[rank + i] = y[i], attr[2 * rank + i] = z[i];
    return build_node(g, op, args, n_args, attr, 3 * rank);
}

Ref build_slice(Graph *g, Ref a, const int64_t *start, const int64_t *limit, const int64_t *stride)
{
    return add_triple(g, OP_SLICE, &a, 1, start, limit, stride);
}

Ref build_slice_along(Graph *g, Ref a, int axis, int64_t from, int64_t to, int64_t step)
{
    int64_t start[WEFT_MAX_RANK] = { 0 }, limit[WEFT_MAX_RANK], stride[WEFT_MAX_RANK];
    if (a == REF_NONE) return a;
    for (int i = 0; i < graph_node(g, a)->rank; i++) limit[i] = graph_node(g, a)->dim[i], stride[i] = 1;
    start[axis] = from, limit[axis] = to, stride[axis] = step;
    return build_slice(g, a, start, limit, stride);
}

Ref build_pad(Graph *g, Ref a, Ref filler, const int64_t *low, const int64_t *high, const int64_t *interior)
{
    return add_triple(g, OP_PAD, (Ref[]){ a, filler }, 2, low, high, interior);
}

Ref build_reverse(Graph *g, Ref a, const int64_t *axes, int n)
{
    return build_node(g, OP_REVERSE, &a, 1, axes, (uint32_t)n);
}

Ref build_concatenate(Graph *g, const Ref *args, int n, int axis)
{
    return build_node(g, OP_CONCATENATE, args, (uint32_t)n, (int64_t[]){ axis }, 1);
}

/* Axes in any order: the node's ascend. Not more than the limit of ranks are looked at; the type rule refuses
 * what is left. */
Ref build_reduce(Graph *g, Op monoid, Ref a, const int64_t *axes, int n)
{
    int64_t attr[WEFT_MAX_RANK + 2] = { monoid };
    if (n > WEFT_MAX_RANK + 1) n = WEFT_MAX_RANK + 1;
    for (int i = 0; i < n; i++) {
        int at = i;
        for (; at > 0 && attr[at] > axes[i]; at--) attr[at + 1] = attr[at];
        attr[at + 1] = axes[i];
    }
    return build_node(g, OP_REDUCE, &a, 1, attr, (uint32_t)n + 1);
}

Ref build_fft(Graph *g, FftKind kind, Ref a, const int64_t *lengths, int n)
{
    int64_t attr[1 + MAX_FFT_AXES] = { kind };
    for (int i = 0; i < n && i < MAX_FFT_AXES; i++) attr[1 + i] = lengths[i];
    return build_node(g, OP_FFT, &a, 1, attr, 1 + (uint32_t)n);
}

Ref build_cumulative(Graph *g, Op monoid, Ref a, int axis, bool reverse)
{
    return build_node(g, OP_CUMULATIVE, &a, 1, (int64_t[]){ monoid, axis, reverse }, 3);
}

static Ref with_starts(Graph *g, Op op, const Ref *first, uint32_t n_first, const Ref *starts,
                       const int64_t *attr)
{
    Ref args[WEFT_MAX_RANK + 2];
    if (first[0] == REF_NONE) return REF_NONE;
    uint32_t rank = graph_node(g, first[0])->rank;
    memcpy(args, first, n_first * sizeof *first);
    if (rank) memcpy(args + n_first, starts, rank * sizeof *starts);
    return build_node(g, op, args, n_first + rank, attr, attr ? rank : 0);
}

Ref build_dynamic_slice(Graph *g, Ref a, const Ref *starts, const int64_t *sizes)
{
    return with_starts(g, OP_DYNAMIC_SLICE, &a, 1, starts, sizes);
}

Ref build_dynamic_update_slice(Graph *g, Ref a, Ref update, const Ref *starts)
{
    return with_starts(g, OP_DYNAMIC_UPDATE_SLICE, (Ref[]){ a, update }, 2, starts, NULL);
}

Ref build_result(Graph *g, Ref a, int index)
{
    if (a != REF_NONE && a < g->n_nodes && graph_node(g, a)->n_results == 1 && index == 0) return a;
    return build_node(g, OP_RESULT, &a, 1, (int64_t[]){ index }, 1);
}

bool build_results(Graph *g, Ref a, uint32_t n, Ref *out)
{
    for (uint32_t i = 0; i < n; i++) out[i] = a == REF_NONE ? REF_NONE : build_result(g, a, (int)i);
    return a != REF_NONE;
}

/* ---- several results */

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

/* Writes the node's results, which may be none. types: NULL if they could not be told. */
static bool results_given(Graph *g, NodeSpec s, const Type *types, uint32_t n, Ref *out)
{
    return build_results(g, types ? build_given(g, s, types, n) : REF_NONE, n, out) || n == 0;
}

bool build_sort(Graph *g, const Ref *args, uint32_t n, int axis, bool stable, const Graph *comparator,
                Ref *out)
{
    NodeSpec s = { .op = OP_SORT,
                   .args = args,
                   .n_args = n,
                   .attr = (int64_t[]){ axis, stable },
                   .n_attr = 2,
                   .region = comparator };
    return build_results(g, graph_add(g, &s), n, out);
}

bool build_map(Graph *g, const Ref *args, uint32_t n, Type shape, const Graph *region, Ref *out)
{
    Type *results = output_types(g, region);
    for (uint32_t i = 0; results && i < region->n_outputs; i++)
        results[i] = (Type){ results[i].dtype, shape.rank, shape.dim };
    NodeSpec s = { .op = OP_MAP, .args = args, .n_args = n, .region = region };
    return results_given(g, s, results, region->n_outputs, out);
}

bool build_while(Graph *g, const Graph *cond, const Graph *body, const Ref *args, uint32_t n_invariant,
                 uint32_t n_carry, Ref *out)
{
    NodeSpec s = { .op = OP_WHILE,
                   .args = args,
                   .n_args = n_invariant + n_carry,
                   .attr = (int64_t[]){ n_invariant },
                   .n_attr = 1,
                   .regions = (const Graph *[]){ cond, body },
                   .n_regions = 2 };
    return build_results(g, graph_add(g, &s), n_carry, out);
}

bool build_case(Graph *g, Ref index, const Graph *const *branches, uint32_t n_branches, const Ref *args,
                uint32_t n, Ref *out)
{
    Ref *all = graph_refs(g->arena, n);
    all[0] = index;
    if (n) memcpy(all + 1, args, n * sizeof *args);
    NodeSpec s = {
        .op = OP_CASE, .args = all, .n_args = n + 1, .regions = branches, .n_regions = n_branches
    };
    return results_given(g, s, output_types(g, branches[0]), branches[0]->n_outputs, out);
}

bool build_scan(Graph *g, ScanShape s, const Graph *body, const Ref *args, Ref *out)
{
    Type *results = output_types(g, body);
    for (uint32_t i = s.n_carry; results && i < body->n_outputs; i++)
        results[i] = type_stacked(g->arena, results[i], s.length);
    int64_t attr[] = { s.length, s.reverse, s.unroll, s.n_invariant, s.n_carry, s.n_xs, s.checkpoint };
    NodeSpec spec = { .op = OP_SCAN,
                      .args = args,
                      .n_args = s.n_invariant + s.n_carry + s.n_xs,
                      .attr = attr,
                      .n_attr = 7,
                      .region = body };
    return results_given(g, spec, results, body->n_outputs, out);
}

bool build_ruled(Graph *g, Op op, int64_t rule, const Graph *const *regions, uint32_t n_regions,
                 const Ref *args, uint32_t n, Ref *out)
{
    NodeSpec s = { .op = op,
                   .args = args,
                   .n_args = n,
                   .attr = &rule,
                   .n_attr = op == OP_CUSTOM_VMAP,
                   .regions = regions,
                   .n_regions = n_regions };
    return results_given(g, s, output_types(g, regions[0]), regions[0]->n_outputs, out);
}

bool build_backward(Graph *g, const Graph *region, const Ref *args, uint32_t n_known, uint32_t n_tangents,
                    Ref *out)
{
    uint32_t n = region->n_params - n_known;
    Type *results = arena_alloc(g->arena, (n + 1) * sizeof *results);
    for (uint32_t i = 0; i < n; i++) results[i] = graph_type(region, region->params[n_known + i]);
    NodeSpec s = { .op = OP_BACKWARD,
                   .args = args,
                   .n_args = n_known + n_tangents,
                   .attr = (int64_t[]){ n_known },
                   .n_attr = 1,
                   .region = region };
    return results_given(g, s, results, n, out);
}

bool build_control(Graph *g, const Node *like, ScanShape s, Ref index, const Graph *const *regions,
                   const Ref *args, Ref *out)
{
    uint32_t n = s.n_invariant;
    if (like->op == OP_SCAN) return build_scan(g, s, *regions, args, out);
    if (like->op == OP_WHILE) return build_while(g, regions[0], regions[1], args, n, s.n_carry, out);
    if (like->op == OP_CASE) return build_case(g, index, regions, like->n_regions, args, n, out);
    if (like->op == OP_MAP) return build_map(g, args, n, node_type(like), *regions, out);
    return build_ruled(g, (Op)like->op, 0, regions, like->n_regions, args, n, out);
}

bool build_barrier(Graph *g, const Ref *args, uint32_t n, Ref *out)
{
    return build_results(g, build_node(g, OP_BARRIER, args, n, NULL, 0), n, out);
}

bool build_foreign(Graph *g, const ForeignOp *op, int64_t serial, const int64_t *numbers, uint32_t n_numbers,
                   const Ref *args, uint32_t n, const Type *results, uint32_t n_results, Ref *out)
{
    int64_t *attr = arena_alloc(g->arena, (n_numbers + 2) * sizeof *attr);
    attr[0] = (int64_t)(intptr_t)op;
    attr[1] = serial;
    if (n_numbers) memcpy(attr + 2, numbers, n_numbers * sizeof *numbers);
    NodeSpec s = { .op = OP_FOREIGN, .args = args, .n_args = n, .attr = attr, .n_attr = n_numbers + 2 };
    return results_given(g, s, results, n_results, out);
}

/* ---- regions over two scalars */

Op region_monoid(const Graph *r)
{
    if (r->n_params != 2 || r->n_outputs != 1) return OP_COUNT;
    const Node *n = graph_node(r, r->outputs[0]);
    if (!op_is_monoid((Op)n->op) || n->n_args != 2) return OP_COUNT;
    bool straight = n->args[0] == r->params[0] && n->args[1] == r->params[1];
    bool crossed = n->args[0] == r->params[1] && n->args[1] == r->params[0];
    return straight || crossed ? (Op)n->op : OP_COUNT;
}

bool is_monoid_start(const Graph *g, Ref r, Op monoid)
{
    const Node *n = graph_node(g, r);
    return n->op == OP_CONSTANT && n->rank == 0 && (!dtype_is_complex((DType)n->dtype) || node_is_real(n)) &&
           node_bits(n) == monoid_start(monoid, (DType)n->dtype);
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

/* Left (a, i), right (b, j): pick = a > b or a is NaN; value = pick ? a : b; index = pick or (a == b and i <
 * j) ? i : j. Over integers JAX writes the test for NaN too; others leave it out. */
const Graph *build_arg_reducer(Arena *arena, Type value, Type index, CompareDir dir, bool nan_test)
{
    Graph *g = graph_new_raw(arena, NULL);
    Ref a = build_param(g, value), i = build_param(g, index), b = build_param(g, value),
        j = build_param(g, index);
    Ref pick = build_compare(g, dir, a, b);
    if (nan_test) pick = build_binary(g, OP_OR, pick, build_compare(g, CMP_NE, a, a));
    Ref equal = build_compare(g, CMP_EQ, a, b), earlier = build_compare(g, CMP_LT, i, j);
    Ref first = build_binary(g, OP_OR, pick, build_binary(g, OP_AND, equal, earlier));
    graph_set_outputs(g, (Ref[]){ build_select(g, pick, a, b), build_select(g, first, i, j) }, 2);
    return g;
}
