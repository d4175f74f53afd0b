/* fold_index.c: rewrite rules of what takes positions from data, and of prefixes and order; and of constants
 * that are moved. All exact: bits go from one place to another, or are what eager mode computes from them
 * (its order for prefixes stands in runtime/eager/eager.h).
 */
#include "compiler/graph/attributes.h"
#include "compiler/graph/infer/infer.h"
#include "fold_rules.h"
#include <string.h>

/* Arrays of up to so many elements are moved when the graph is built. */
enum { MOVED_ELEMENTS = 64 };
/* So many updates behind each other are looked through. */
enum { MOST_UPDATES = 8 };
/* So many nodes are looked at for what an array is made of. */
enum { MOST_LOOKED_AT = 64 };

static const Node *operand(const Rewrite *w, uint32_t i) { return graph_node(w->g, w->spec->args[i]); }

/* ---- dynamic slices */

/* Where a slice of this size starts along an axis: clamped, so that it lies inside. */
static int64_t clamped_start(DType t, uint64_t bits, int64_t size, int64_t dim)
{
    int64_t at = scalar_to_i64(t, bits), most = dim - size;
    if (!dtype_is_signed(t)) return (uint64_t)at > (uint64_t)most ? most : at;
    return at < 0 ? 0 : at > most ? most : at;
}

/* Is the start along each axis known: a constant, or 0 where the axis is taken whole? */
static bool starts_are_known(const Rewrite *w, const int64_t *sizes, uint32_t first, int64_t *start)
{
    for (int i = 0; i < w->a->rank; i++) {
        const Node *at = operand(w, first + (uint32_t)i);
        if (sizes[i] == w->a->dim[i]) start[i] = 0;
        else if (is_splat(at))
            start[i] = clamped_start((DType)at->dtype, node_bits(at), sizes[i], w->a->dim[i]);
        else return false;
    }
    return true;
}

/* dynamic_slice(x, constants) ==> slice(x)      where a slice is whole its start does not matter */
static Ref fold_dynamic_slice_known(const Rewrite *w)
{
    int64_t start[WEFT_MAX_RANK], limit[WEFT_MAX_RANK], stride[WEFT_MAX_RANK];
    if (!starts_are_known(w, w->spec->attr, 1, start)) return REF_NONE;
    for (int i = 0; i < w->a->rank; i++) limit[i] = start[i] + w->spec->attr[i], stride[i] = 1;
    return build_slice(w->g, w->x, start, limit, stride);
}

/* dynamic_slice(x, i, j) ==> dynamic_slice(x, i, 0)      where all of axis 1 is taken
 * So equal slices look alike. */
static Ref fold_dynamic_slice_zero(const Rewrite *w)
{
    Ref starts[WEFT_MAX_RANK];
    bool found = false;
    for (int i = 0; i < w->a->rank; i++) {
        const Node *at = operand(w, 1 + (uint32_t)i);
        starts[i] = w->spec->args[1 + i];
        if (w->spec->attr[i] != w->a->dim[i] || is_bits(at, 0)) continue;
        starts[i] = build_zeros(w->g, node_type(at));
        found = true;
    }
    return found ? build_dynamic_slice(w->g, w->x, starts, w->spec->attr) : REF_NONE;
}

/* dynamic_slice(broadcast(x)) ==> broadcast(dynamic_slice(x))      where a start lies along an axis that x
 * has not, or of size 1, is no matter */
static Ref fold_dynamic_slice_of_broadcast(const Rewrite *w)
{
    Ref starts[WEFT_MAX_RANK + 1];
    int64_t sizes[WEFT_MAX_RANK + 1];
    if (w->a->op != OP_BROADCAST) return REF_NONE;
    Type inner = graph_type(w->g, w->a->args[0]);
    for (int i = 0; i < inner.rank; i++) {
        int64_t axis = w->a->attr[i];
        bool stretched = inner.dim[i] == 1;
        starts[i] = stretched ? build_splat(w->g, graph_type(w->g, w->spec->args[1 + axis]), 0)
                              : w->spec->args[1 + axis];
        sizes[i] = stretched ? 1 : w->spec->attr[axis];
    }
    Ref slice = inner.rank ? build_dynamic_slice(w->g, w->a->args[0], starts, sizes) : w->a->args[0];
    return build_broadcast(w->g, slice, w->type.dim, w->type.rank, w->a->attr);
}

/* Bytes that are made wider. */
static bool widens_bytes(const Graph *g, const Node *n)
{
    DType to = (DType)n->dtype;
    return n->op == OP_CONVERT && graph_node(g, n->args[0])->dtype == WEFT_U8 && !dtype_is_float(to) &&
           !dtype_is_complex(to) && dtype_bytes(to) > 1;
}

/* gather(table, convert(bytes)) ==> gather(table, bytes)      where the table is of up to 256 bytes, which
 * the back end looks up as bytes */
static Ref fold_gather_bytes(const Rewrite *w)
{
    NodeSpec spec = *w->spec;
    const Node *index = w->b;
    bool moved = index->op == OP_RESHAPE || index->op == OP_BROADCAST;
    const Node *wide = moved ? graph_node(w->g, index->args[0]) : index;
    if (w->a->rank != 1 || w->a->dim[0] > 256 || dtype_bytes((DType)w->a->dtype) != 1 ||
        !widens_bytes(w->g, wide))
        return REF_NONE;
    Ref bytes = wide->args[0];
    if (index->op == OP_RESHAPE) bytes = build_reshape(w->g, bytes, index->dim, index->rank);
    if (index->op == OP_BROADCAST) bytes = build_broadcast(w->g, bytes, index->dim, index->rank, index->attr);
    spec.args = (Ref[]){ w->x, bytes };
    return graph_add(w->g, &spec);
}

/* any slices of a splat ==> splat */
Ref fold_gather(const Rewrite *w)
{
    return FIRST_OF(w, fold_moved_splat, fold_gather_affine, fold_gather_bytes);
}

/* The numbers of a SLICE that takes all. */
static void slice_of_all(Type t, int64_t *attr)
{
    for (int i = 0; i < t.rank; i++) attr[i] = 0, attr[t.rank + i] = t.dim[i], attr[2 * t.rank + i] = 1;
}

/* slice(gather(x, positions)) ==> gather(x, slice(positions))      of at most half of what is taken
 * So the gradient of the greatest of a sort gives back to these, and asks for no other places. Not of more:
 * slices that overlap would take twice. What cuts windows, which are clamped as a whole, or axes that x has
 * too, stays outside. */
Ref fold_slice_of_gather(const Rewrite *w)
{
    int64_t inside[3 * WEFT_MAX_RANK], outside[3 * WEFT_MAX_RANK];
    IndexDims d;
    if (w->a->op != OP_GATHER || 2 * type_count(w->type) > type_count(node_type(w->a)) ||
        !gather_dims(w->a->attr, w->a->n_attr, graph_node(w->g, w->a->args[0])->rank, &d))
        return REF_NONE;
    Type at = graph_type(w->g, w->a->args[1]);
    slice_of_all(at, inside);
    slice_of_all(w->type, outside);
    bool cuts = false;
    for (int i = 0, axis = 0; i < w->a->rank; i++) {
        bool window = axes_mask(d.window, d.n_window) >> i & 1;
        axis += !window && axis == d.index_vector_dim;
        bool positions = !window && !(axes_mask(d.indices_batching, d.n_batching) >> axis & 1);
        int64_t *to = positions ? &inside[axis] : &outside[i];
        int rank = positions ? at.rank : w->a->rank;
        for (int k = 0; k < 3; k++) to[k * rank] = w->spec->attr[k * w->a->rank + i];
        cuts |= positions && w->type.dim[i] != w->a->dim[i];
        axis += !window;
    }
    if (!cuts) return REF_NONE;
    Ref some = build_slice(w->g, w->a->args[1], inside, inside + at.rank, inside + 2 * at.rank);
    return build_slice(w->g, build_gather(w->g, &d, w->a->args[0], some), outside, outside + w->a->rank,
                       outside + 2 * w->a->rank);
}

Ref fold_dynamic_slice(const Rewrite *w)
{
    return FIRST_OF(w, fold_moved_splat, fold_dynamic_slice_known, fold_dynamic_slice_of_broadcast,
                    fold_dynamic_slice_zero);
}

/* update of everything ==> the update      update of nothing ==> x
 * x with its own slice in the same place ==> x */
Ref fold_update_slice(const Rewrite *w)
{
    if (has_shape(w->b, w->type)) return w->y;
    if (type_count(node_type(w->b)) == 0) return w->x;
    if (w->b->op != OP_DYNAMIC_SLICE || w->b->args[0] != w->x) return REF_NONE;
    for (int i = 0; i < w->a->rank; i++)
        if (w->b->args[1 + i] != w->spec->args[2 + i]) return REF_NONE;
    return w->x;
}

/* ---- scatter, prefixes, order */

/* scatter of nothing ==> x      Of one operand; simplify sees to several. */
static Ref fold_scatter_nothing(const Rewrite *w)
{
    return type_count(node_type(w->c)) == 0 ? w->x : REF_NONE;
}

static bool same_region(const Graph *a, const Graph *b) { return a == b || graph_equal(a, b); }

/* [2, ...] of two arrays of one shape. */
static Ref pair(Graph *g, Ref a, Ref b)
{
    Type t = type_stacked(g->arena, graph_type(g, a), 1);
    return build_concatenate(
        g, (Ref[]){ build_reshape(g, a, t.dim, t.rank), build_reshape(g, b, t.dim, t.rank) }, 2, 0);
}

/* Puts r among those looked at, unless it is older than `of`, which then it cannot be made of. False: there
 * is no room. */
static bool look_at(Ref r, Ref of, Ref *seen, uint32_t *n)
{
    for (uint32_t i = 0; i < *n; i++)
        if (seen[i] == r) return true;
    if (r < of) return true;
    if (*n == MOST_LOOKED_AT) return false;
    seen[(*n)++] = r;
    return true;
}

/* May one of these two be made of node `of`? Yes, if there is much to look at. */
static bool may_be_made_of(const Graph *g, Ref a, Ref b, Ref of)
{
    Ref seen[MOST_LOOKED_AT];
    uint32_t n = 0;
    if (!look_at(a, of, seen, &n) || !look_at(b, of, seen, &n)) return true;
    for (uint32_t i = 0; i < n; i++) {
        const Node *x = graph_node(g, seen[i]);
        if (seen[i] == of) return true;
        for (uint32_t k = 0; k < x->n_args; k++)
            if (!look_at(x->args[k], of, seen, &n)) return true;
    }
    return false;
}

/* scatter(scatter(x, i, u), j, v) ==> scatter(x, [i, j], [u, v])      where they are alike
 * Updates are taken in order, so all of i come before all of j.
 * Not if j or v is made of what the first one gives: that one would stay, and be done twice (labels spread
 * along edges, then back, 20000 edges: 84 -> 58 us). Whether others read it cannot be seen here. */
static Ref fold_scatter_again(const Rewrite *w)
{
    const NodeSpec *s = w->spec;
    int64_t attr[7 + 6 * WEFT_MAX_RANK];
    IndexDims d;
    if (w->a->op != OP_SCATTER || w->a->n_results > 1 || s->n_args != 3 || w->a->n_attr != s->n_attr ||
        !scatter_dims(s->attr, s->n_attr, &d))
        return REF_NONE;
    const Node *i = graph_node(w->g, w->a->args[1]), *u = graph_node(w->g, w->a->args[2]);
    if (i->dtype != w->b->dtype || !has_shape(i, node_type(w->b)) || !has_shape(u, node_type(w->c)) ||
        w->b->rank == WEFT_MAX_RANK || w->c->rank == WEFT_MAX_RANK)
        return REF_NONE;
    for (uint32_t k = 0; k < s->n_attr; k++) {
        if (k != 5 && k != 6 && s->attr[k] != w->a->attr[k]) return REF_NONE;
        attr[k] = s->attr[k];
    }
    if (!same_region(w->a->region, spec_region(s, 0)) || may_be_made_of(w->g, w->y, w->z, w->x))
        return REF_NONE;
    attr[4]++; /* index_vector_dim; then unique and sorted, which nobody can tell now */
    attr[5] = attr[6] = false;
    for (int k = 0; k < d.n_window; k++) attr[d.window - s->attr + k]++;
    for (int k = 0; k < d.n_batching; k++) attr[d.indices_batching - s->attr + k]++;
    Ref args[] = { w->a->args[0], pair(w->g, w->a->args[1], w->y), pair(w->g, w->a->args[2], w->z) };
    NodeSpec both = node_spec(w->a);
    both.args = args;
    both.attr = attr;
    return graph_add(w->g, &both);
}

Ref fold_scatter(const Rewrite *w)
{
    return FIRST_OF(w, fold_scatter_nothing, fold_scatter_affine, fold_scatter_again);
}

/* prefixes of one element ==> fold_of_one
 * running max of a splat ==> splat
 * ints: running sum of zeros ==> zeros */
Ref fold_cumulative(const Rewrite *w)
{
    Op monoid = (Op)w->spec->attr[0];
    if (w->a->dim[w->spec->attr[1]] <= 1) return fold_of_one(w, monoid, w->x);
    if (!is_splat(w->a)) return REF_NONE;
    bool same = monoid == OP_MAX || monoid == OP_MIN ||
                (!dtype_is_inexact((DType)w->type.dtype) && is_bits(w->a, monoid == OP_MUL));
    return same ? w->x : REF_NONE;
}

/* order of one element, or of equals ==> x */
Ref fold_sort(const Rewrite *w)
{
    return w->a->dim[w->spec->attr[0]] <= 1 || is_splat(w->a) ? w->x : REF_NONE;
}

/* ---- updates that only some want */

static bool is_update(const Node *n)
{
    return n->op == OP_DYNAMIC_UPDATE_SLICE || (n->op == OP_SCATTER && n->n_results == 1);
}

/* What r was before updates, each much smaller than it is. */
static Ref before_updates(const Graph *g, Ref r)
{
    int64_t whole = type_count(graph_type(g, r));
    for (int i = 0; i < MOST_UPDATES; i++) {
        const Node *n = graph_node(g, r);
        if (!is_update(n) || type_count(graph_type(g, n->args[n->op == OP_SCATTER ? 2 : 1])) > whole / 4)
            break;
        r = n->args[0];
    }
    return r;
}

/* A predicate that is the same along some axes: a scalar, or a broadcast of q, whose axis i is axis at[i]. */
typedef struct Flags {
    Ref q;
    int rank;
    const int64_t *dim, *at;
} Flags;

static bool flags_of(const Graph *g, Ref p, Flags *f)
{
    const Node *n = graph_node(g, p), *q = n->op == OP_BROADCAST ? graph_node(g, n->args[0]) : n;
    if (n->op != OP_BROADCAST && n->rank) return false;
    for (int i = 0; i < q->rank; i++)
        if (q->dim[i] != n->dim[n->attr[i]]) return false;
    *f = (Flags){ n->op == OP_BROADCAST ? n->args[0] : p, q->rank, q->dim, n->attr };
    return true;
}

/* The flags for an array of this shape, whose axis to[i] is q's axis i. */
static Ref spread_flags(Graph *g, const Flags *f, Type shape, const int64_t *to)
{
    return f->rank == 0 && shape.rank == 0 ? f->q : build_broadcast(g, f->q, shape.dim, shape.rank, to);
}

/* The update where it is wanted, what is there already elsewhere. Its axes along which flags differ must be
 * x's. */
static Ref slice_if(Graph *g, const Flags *f, bool wanted, const Node *update, Ref x)
{
    Type part = graph_type(g, update->args[1]);
    for (int i = 0; i < f->rank; i++)
        if (part.dim[f->at[i]] != f->dim[i]) return REF_NONE;
    Ref now = build_dynamic_slice(g, x, update->args + 2, part.dim), flags = spread_flags(g, f, part, f->at),
        u = update->args[1];
    return build_dynamic_update_slice(
        g, x, wanted ? build_select(g, flags, u, now) : build_select(g, flags, now, u), update->args + 2);
}

/* A position that no slice has, for updates that are not wanted: -1, or the greatest unsigned number. */
static Ref nowhere(Graph *g, Type indices, Type x)
{
    uint64_t ones = UINT64_MAX >> (64 - dtype_bits((DType)indices.dtype));
    for (int i = 0; i < x.rank && !dtype_is_signed((DType)indices.dtype); i++)
        if ((uint64_t)x.dim[i] > ones) return REF_NONE;
    return build_splat(g, indices, ones);
}

/* The scatter, with unwanted updates sent to a position that does not exist. The axes along which flags
 * differ must be batching axes. */
static Ref scatter_if(Graph *g, const Flags *f, bool wanted, const Node *scatter, Ref x)
{
    int64_t to[WEFT_MAX_RANK], attr[7 + 6 * WEFT_MAX_RANK];
    IndexDims d;
    Type indices = graph_type(g, scatter->args[1]);
    scatter_dims(scatter->attr, scatter->n_attr, &d);
    if (d.n_map == 0) return REF_NONE;
    for (int i = 0; i < f->rank; i++) {
        int k = 0;
        while (k < d.n_batching && d.operand_batching[k] != f->at[i]) k++;
        if (k == d.n_batching) return REF_NONE;
        to[i] = d.indices_batching[k];
    }
    Ref none = nowhere(g, indices, graph_type(g, x)), flags = spread_flags(g, f, indices, to),
        at = scatter->args[1];
    if (none == REF_NONE) return REF_NONE;
    for (uint32_t i = 0; i < scatter->n_attr; i++) attr[i] = scatter->attr[i];
    attr[6] = false; /* sorted no more */
    Ref args[] = { x, wanted ? build_select(g, flags, at, none) : build_select(g, flags, none, at),
                   scatter->args[2] };
    NodeSpec s = node_spec(scatter);
    s.args = args;
    s.attr = attr;
    return graph_add(g, &s);
}

/* select(p, update of x, x) ==> update of x by what p lets through
 * Where p is the same for all that one update touches. Both arms may be updates of x. So an example of a
 * batch that has come to its end copies nothing.
 * Not where the update is about as large as x. */
Ref fold_select_update(const Rewrite *w)
{
    Flags f;
    Ref x = is_update(w->b) || is_update(w->c) ? before_updates(w->g, w->y) : REF_NONE;
    if (x == REF_NONE || before_updates(w->g, w->z) != x || !flags_of(w->g, w->x, &f)) return REF_NONE;
    bool wanted = w->y != x;
    const Node *update = wanted ? w->b : w->c;
    Ref rest = wanted ? build_select(w->g, w->x, update->args[0], w->z)
                      : build_select(w->g, w->x, w->y, update->args[0]);
    return update->op == OP_SCATTER ? scatter_if(w->g, &f, wanted, update, rest)
                                    : slice_if(w->g, &f, wanted, update, rest);
}

/* ---- constants */

/* Element number k of the result, by where it comes from: operand and element of it. */
static void source_of(const Rewrite *w, int64_t k, uint32_t *from, int64_t *element)
{
    const NodeSpec *s = w->spec;
    int rank = w->type.rank;
    int64_t at[WEFT_MAX_RANK], to[WEFT_MAX_RANK];
    *from = 0;
    for (int i = rank; i-- > 0; k /= w->type.dim[i]) at[i] = to[i] = k % w->type.dim[i];
    if (s->op == OP_CONCATENATE)
        for (int64_t *a = &to[s->attr[0]], size; *a >= (size = operand(w, *from)->dim[s->attr[0]]); ++*from)
            *a -= size;
    for (int i = 0; s->op == OP_SLICE && i < rank; i++) to[i] = s->attr[i] + at[i] * s->attr[2 * rank + i];
    for (int i = 0; s->op == OP_TRANSPOSE && i < rank; i++) to[s->attr[i]] = at[i];
    for (uint32_t i = 0; s->op == OP_REVERSE && i < s->n_attr; i++)
        to[s->attr[i]] = w->type.dim[s->attr[i]] - 1 - at[s->attr[i]];
    const Node *n = operand(w, *from);
    *element = 0;
    for (int i = 0; i < n->rank; i++) *element = *element * n->dim[i] + to[i];
}

/* op that moves elements, of small constants ==> constant */
Ref fold_moved_constants(const Rewrite *w)
{
    char data[MOVED_ELEMENTS * 16];
    DType t = (DType)w->type.dtype;
    int64_t n = type_count(w->type);
    if (n < 1 || n > MOVED_ELEMENTS) return REF_NONE;
    for (uint32_t i = 0; i < w->spec->n_args; i++)
        if (operand(w, i)->op != OP_CONSTANT) return REF_NONE;
    size_t bytes = dtype_bytes(t);
    for (int64_t k = 0; k < n; k++) {
        uint32_t from;
        int64_t element;
        source_of(w, k, &from, &element);
        const Node *c = operand(w, from);
        memcpy(data + (size_t)k * bytes, (const char *)c->data + (c->attr[0] ? 0 : (size_t)element * bytes),
               bytes);
    }
    return build_constant(w->g, w->type, data);
}
