/* planes.c: the walk: which planes each node becomes, and where elements lie in turn. See planes.h. */
#include "compiler/graph/matrix/matrix_call.h"
#include "planes_rules.h"
#include <string.h>

static bool is_complex(Type t) { return dtype_is_complex((DType)t.dtype); }

bool planes_in_graph(const Graph *g)
{
    for (Ref r = 0; r < g->n_nodes; r++)
        if (planes_has(g, graph_node(g, r))) return true;
    return false;
}

bool planes_has(const Graph *g, const Node *n)
{
    if (n->op == OP_REAL || n->op == OP_IMAG || dtype_is_complex((DType)n->dtype)) return true;
    for (uint32_t i = 0; i < n->n_args; i++)
        if (dtype_is_complex((DType)graph_node(g, n->args[i])->dtype)) return true;
    for (uint32_t i = 1; i < n->n_results; i++)
        if (is_complex(n->results[i])) return true;
    for (uint32_t k = 0; k < n->n_regions; k++)
        if (planes_in_graph(n->regions[k])) return true;
    return false;
}

/* ---- elements in turn */

static Type part_type(Type t) { return (Type){ (uint8_t)dtype_part((DType)t.dtype), t.rank, t.dim }; }

/* t's memory as an array of parts: one more axis, or, if there can be no more, two in all. */
static Type in_turn(Arena *a, Type t)
{
    int64_t dim[WEFT_MAX_RANK + 1], count = type_count(t);
    int rank = t.rank;
    if (rank == WEFT_MAX_RANK) dim[0] = count, rank = 1;
    else if (rank) memcpy(dim, t.dim, t.rank * sizeof *dim);
    dim[rank++] = 2;
    return (Type){ (uint8_t)dtype_part((DType)t.dtype), (uint8_t)rank,
                   arena_copy(a, dim, (size_t)rank * sizeof *dim) };
}

Pair planes_apart(Graph *g, Ref both, Type t)
{
    Type whole = in_turn(g->arena, t);
    both = build_reshape(g, both, whole.dim, whole.rank);
    Ref re = build_slice_along(g, both, whole.rank - 1, 0, 1, 1),
        im = build_slice_along(g, both, whole.rank - 1, 1, 2, 1);
    return (Pair){ build_reshape(g, re, t.dim, t.rank), build_reshape(g, im, t.dim, t.rank) };
}

Ref planes_together(Graph *g, Pair p)
{
    if (p.re == REF_NONE || p.im == REF_NONE) return p.re;
    Type both = in_turn(g->arena, graph_type(g, p.re)), one = both;
    int64_t dim[WEFT_MAX_RANK + 1];
    memcpy(dim, both.dim, both.rank * sizeof *dim);
    dim[both.rank - 1] = 1;
    one.dim = dim;
    return build_concatenate(
        g, (Ref[]){ build_reshape(g, p.re, dim, one.rank), build_reshape(g, p.im, dim, one.rank) }, 2,
        one.rank - 1);
}

bool planes_lie_in_turn(const Graph *g, Ref both)
{
    while (graph_node(g, both)->op == OP_RESHAPE) both = graph_node(g, both)->args[0];
    return graph_node(g, both)->op != OP_CONCATENATE;
}

/* ---- leaves */

/* Small constants are parted, so that rules see their numbers; large ones are read where they lie. */
static Pair constant(Graph *g, const Node *n)
{
    enum { PARTED_BYTES = 4096 };
    Type t = node_type(n), part = part_type(t);
    size_t count = n->attr[0] ? 1 : (size_t)type_count(t), item = dtype_bytes((DType)part.dtype);
    const char *data = n->data;
    if (n->attr[0]) return (Pair){ build_filled(g, part, data), build_filled(g, part, data + item) };
    if (count * item > PARTED_BYTES) return planes_apart(g, build_constant(g, in_turn(g->arena, t), data), t);
    char *plane[2];
    for (size_t k = 0; k < 2; k++) {
        plane[k] = arena_alloc(g->arena, count * item + 1);
        for (size_t i = 0; i < count; i++) memcpy(plane[k] + i * item, data + (2 * i + k) * item, item);
    }
    return (Pair){ build_constant(g, part, plane[0]), build_constant(g, part, plane[1]) };
}

static bool leaf(bool strict, Graph *g, const Node *n, const Type *types, const Pair *args, Pair *out)
{
    (void)strict;
    (void)types, (void)args;
    Type part = part_type(node_type(n));
    *out = n->op == OP_CONSTANT ? constant(g, n)
                                : (Pair){ build_iota(g, part, (int)n->attr[0]), build_zeros(g, part) };
    return true;
}

/* ---- plane by plane */

/* The op on the real planes, and again on the imaginary ones; a real operand goes to both. */
static bool each_plane(bool strict, Graph *g, const Node *n, const Type *types, const Pair *args, Pair *out)
{
    (void)strict;
    Arena *a = g->arena;
    (void)types;
    NodeSpec s = node_spec(n);
    Ref *plane = graph_refs(a, n->n_args);
    s.args = plane;
    s.dtype = dtype_part(s.dtype);
    for (int k = 0; k < 2; k++) {
        for (uint32_t i = 0; i < n->n_args; i++)
            plane[i] = k && args[i].im != REF_NONE ? args[i].im : args[i].re;
        *(k ? &out->im : &out->re) = graph_add(g, &s);
    }
    return true;
}

/* The bytes of an array as elements of another type; those of a complex one are its parts, in turn. */
static bool bits(Graph *g, const Node *n, const Pair *args, Pair *out)
{
    Type t = node_type(n), want = is_complex(t) ? in_turn(g->arena, t) : t;
    Ref x = planes_together(g, args[0]);
    size_t from = dtype_bytes((DType)graph_node(g, x)->dtype), to = dtype_bytes((DType)want.dtype);
    if (from < to) x = build_reshape(g, x, (int64_t[]){ type_count(want), (int64_t)(to / from) }, 2);
    x = build_bitcast(g, x, (DType)want.dtype);
    x = build_reshape(g, x, want.dim, want.rank);
    *out = is_complex(t) ? planes_apart(g, x, t) : (Pair){ x, REF_NONE };
    return true;
}

static bool elementwise(bool strict, Graph *g, const Node *n, const Type *types, const Pair *args, Pair *out)
{
    (void)strict;
    Arena *a = g->arena;
    if (n->op == OP_BITCAST) return bits(g, n, args, out);
    return planes_elementwise(g, n, types, args, out) || each_plane(a, g, n, types, args, out);
}

/* ---- functions from elsewhere, which see complex memory */

static bool foreign(bool strict, Graph *g, const Node *n, const Type *types, const Pair *args, Pair *out)
{
    (void)strict;
    Arena *a = g->arena;
    (void)types;
    NodeSpec s = node_spec(n);
    Type *results = arena_alloc(a, n->n_results * sizeof *results);
    Ref *whole = graph_refs(a, n->n_args), *given = graph_refs(a, n->n_results);
    for (uint32_t i = 0; i < n->n_args; i++) whole[i] = planes_together(g, args[i]);
    for (uint32_t i = 0; i < n->n_results; i++) {
        Type t = node_result(n, i);
        results[i] = is_complex(t) ? in_turn(a, t) : t;
    }
    s.args = whole;
    if (!build_results(g, build_given(g, s, results, n->n_results), n->n_results, given)) return false;
    for (uint32_t i = 0; i < n->n_results; i++) {
        Type t = node_result(n, i);
        out[i] = is_complex(t) ? planes_apart(g, given[i], t) : (Pair){ given[i], REF_NONE };
    }
    return true;
}

/* ---- factorizations, which see pairs */

static bool matrices(bool strict, Graph *g, const Node *n, const Type *types, const Pair *args, Pair *out)
{
    (void)strict;
    int64_t dim[WEFT_MAX_RANK], attr[8], batch = 1;
    Ref whole[2], given[3];
    bool real = false; /* an operand of EIG may be */
    for (int i = 0; i + 2 < types[0].rank; i++) batch *= types[0].dim[i];
    for (uint32_t i = 0; i < n->n_args; i++) {
        int lead = types[0].rank - 2, rank = types[i].rank - lead + 1;
        real = args[i].im == REF_NONE;
        dim[0] = batch;
        memcpy(dim + 1, types[i].dim + lead, (size_t)(rank - 1) * sizeof *dim);
        whole[i] = build_reshape(g, args[i].re, dim, rank);
        if (!real) whole[i] = planes_together(g, (Pair){ whole[i], build_reshape(g, args[i].im, dim, rank) });
    }
    if (n->n_attr) memcpy(attr, n->attr, n->n_attr * sizeof *attr);
    attr[n->n_attr] = real ? MATRIX_OF_REAL : MATRIX_OF_PAIRS;
    if (!build_matrix(g, (Op)n->op, whole, attr, n->n_attr + 1, given)) return false;
    for (uint32_t i = 0; i < n->n_results; i++) {
        Type t = node_result(n, i);
        out[i] = is_complex(t) ? planes_apart(g, given[i], t)
                               : (Pair){ build_reshape(g, given[i], t.dim, t.rank), REF_NONE };
    }
    return true;
}

static bool refused(bool strict, Graph *g, const Node *n, const Type *types, const Pair *args, Pair *out)
{
    (void)strict;
    (void)types, (void)args, (void)out;
    return fail(&g->failure, WEFT_DTYPE, "%s of complex numbers", op_info[n->op].text);
}

#define planes_leaf                leaf
#define planes_broadcast           each_plane
#define planes_reshape             each_plane
#define planes_transpose           each_plane
#define planes_slice               each_plane
#define planes_reverse             each_plane
#define planes_pad                 each_plane
#define planes_concatenate         each_plane
#define planes_gather              each_plane
#define planes_dynamic_slice       each_plane
#define planes_update_slice        each_plane
#define planes_reduce_region       planes_list
#define planes_scatter             planes_list
#define planes_reduce_window       planes_list
#define planes_sort                planes_list
#define planes_map                 planes_list
#define planes_while               planes_list
#define planes_case                planes_list
#define planes_scan                planes_list
#define planes_barrier             planes_list
#define planes_foreign             foreign
#define planes_arg_extreme         refused
#define planes_convolution         planes_dot
#define planes_select_and_scatter  refused
#define planes_cholesky            matrices
#define planes_triangular_solve    matrices
#define planes_lu                  matrices
#define planes_qr                  matrices
#define planes_geqrf               matrices
#define planes_householder_product matrices
#define planes_gehrd               matrices
#define planes_eigh                matrices
#define planes_eig                 matrices
#define planes_schur               matrices
#define planes_svd                 matrices
#define planes_custom_jvp          refused
#define planes_custom_vjp          refused
#define planes_custom_vmap         refused
#define planes_checkpoint          refused
#define planes_backward            refused
#define planes_rng_bits            refused
#define planes_result              refused /* the walk looks up which */

static PlaneRule *const rules[OP_COUNT] = {
#define EW(NAME, ...)                         [OP_##NAME] = elementwise,
#define OP(NAME, text, args, kind, rule, ...) [OP_##NAME] = planes_##rule,
#include "compiler/graph/ops.def"
};

/* ---- the walk */

typedef struct Walk {
    bool strict;
    const Graph *from;
    Graph *to;
    Pair *map;      /* by node */
    Pair **results; /* of nodes of several */
} Walk;

static Walk open_walk(const Graph *from, Graph *to, bool strict)
{
    size_t n = from->n_nodes + 1u;
    return (Walk){ strict, from, to, arena_alloc(to->arena, n * sizeof(Pair)),
                   arena_alloc(to->arena, n * sizeof(Pair *)) };
}

static bool copy(const Walk *w, const Node *n, const Pair *args, Pair *out)
{
    NodeSpec s = node_spec(n);
    Ref *refs = graph_refs(w->to->arena, n->n_args), *results = graph_refs(w->to->arena, n->n_results);
    for (uint32_t i = 0; i < n->n_args; i++) refs[i] = args[i].re;
    s.args = refs;
    if (!build_results(w->to, graph_add(w->to, &s), n->n_results, results)) return false;
    for (uint32_t i = 0; i < n->n_results; i++) out[i] = (Pair){ results[i], REF_NONE };
    return true;
}

static bool visit(const Walk *w, Ref r)
{
    const Node *n = graph_node(w->from, r);
    Arena *a = w->to->arena;
    if (n->op == OP_RESULT) return w->map[r] = w->results[n->args[0]][n->attr[0]], true;
    Pair *args = arena_alloc(a, (n->n_args + 1) * sizeof *args), *out = &w->map[r];
    Type *types = arena_alloc(a, (n->n_args + 1) * sizeof *types);
    for (uint32_t i = 0; i < n->n_args; i++) {
        args[i] = w->map[n->args[i]];
        types[i] = graph_type(w->from, n->args[i]);
    }
    if (n->n_results > 1) out = w->results[r] = arena_alloc(a, n->n_results * sizeof *out);
    for (uint32_t i = 0; i < n->n_results; i++) out[i] = (Pair){ REF_NONE, REF_NONE };
    if (n->loc) w->to->loc = graph_copy_loc(w->to, w->from, n->loc);
    bool ok =
        planes_has(w->from, n) ? rules[n->op](w->strict, w->to, n, types, args, out) : copy(w, n, args, out);
    w->to->loc = 0;
    return ok && w->to->failure.code == WEFT_OK;
}

static bool visit_all(const Walk *w)
{
    const bool *reached = graph_reached(w->to->arena, w->from);
    for (Ref r = 0; r < w->from->n_nodes; r++)
        if (reached[r] && graph_node(w->from, r)->op != OP_PARAMETER && !visit(w, r)) return false;
    return true;
}

static void take_plane(const Walk *w, uint32_t i, bool imaginary)
{
    Ref p = w->from->params[i];
    Type t = graph_type(w->from, p);
    if (imaginary && !is_complex(t)) return;
    *(imaginary ? &w->map[p].im : &w->map[p].re) = build_param(w->to, part_type(t));
}

const Graph *planes_region(Graph *to, const Graph *region, bool by_two, bool strict)
{
    Walk w = open_walk(region, graph_new(to->arena, region->name), strict);
    uint32_t group = by_two ? 2 : 1, n = 0;
    for (uint32_t i = 0; i < region->n_params; i++) w.map[region->params[i]].im = REF_NONE;
    for (uint32_t i = 0; i + group <= region->n_params; i += group)
        for (uint32_t k = 0; k < 2 * group; k++) take_plane(&w, i + k % group, k >= group);
    if (!visit_all(&w)) return fail_as(&to->failure, &w.to->failure), NULL;
    Ref *outputs = graph_refs(to->arena, 2 * region->n_outputs);
    for (uint32_t i = 0; i < region->n_outputs; i++) {
        Pair p = w.map[region->outputs[i]];
        outputs[n++] = p.re;
        if (p.im != REF_NONE) outputs[n++] = p.im;
    }
    graph_set_outputs(w.to, outputs, n);
    return w.to;
}

static void take_whole(const Walk *w, uint32_t i)
{
    Ref p = w->from->params[i];
    Type t = graph_type(w->from, p);
    Ref whole = build_param(w->to, is_complex(t) ? in_turn(w->to->arena, t) : t);
    w->map[p] = is_complex(t) ? planes_apart(w->to, whole, t) : (Pair){ whole, REF_NONE };
}

const Graph *planes(Arena *a, const Graph *g, bool strict, Failure *f)
{
    if (!planes_in_graph(g)) return g;
    Walk w = open_walk(g, graph_new(a, g->name), strict);
    for (uint32_t i = 0; i < g->n_params; i++) take_whole(&w, i);
    w.to->param_names = graph_copy_names(a, g);
    if (!visit_all(&w)) return fail_as(f, &w.to->failure), NULL;
    Ref *outputs = graph_refs(a, g->n_outputs);
    for (uint32_t i = 0; i < g->n_outputs; i++) outputs[i] = planes_together(w.to, w.map[g->outputs[i]]);
    graph_set_outputs(w.to, outputs, g->n_outputs);
    return w.to->failure.code == WEFT_OK ? graph_compact(a, w.to) : (fail_as(f, &w.to->failure), NULL);
}
