/* fold_affine.c: GATHER and SCATTER at positions that are arithmetic of an iota ==> slices, and updates of
 * slices.
 *
 * Element number i of the positions is base + i * step: so the elements that are read or written are a slice
 * with that step, each one a different one, and no order of updates matters. Nothing of this is seen by who
 * walks positions one after the other. A single position that is known is the case without an i.
 *
 * Not where a position may lie outside, but for a single one: GATHER clamps and SCATTER drops each by itself.
 * Not where two axes of the positions move along one axis of the operand, or one along two (a diagonal).
 */
#include "compiler/graph/attributes.h"
#include "fold_rules.h"

enum {
    MOST_COUNTERS = 4, /* axes of the positions, of size 2 and more */
    MOST_DEPTH = 24,   /* ops looked through: a limit, for the stack's sake */
    MOST_LISTED = 4096 /* elements of a constant */
};

/* base + the sum of step[k] * counter k */
typedef struct Affine {
    int64_t base, step[MOST_COUNTERS];
} Affine;

typedef struct Positions {
    const Graph *g;
    int n;                         /* counters */
    int64_t extent[MOST_COUNTERS]; /* of each, 2 and more */
    int axis[MOST_COUNTERS];       /* of the positions' array, the axis of the index vectors not counted */
} Positions;

static Affine of_number(int64_t v) { return (Affine){ .base = v }; }

static bool is_known(const Affine *a)
{
    for (int k = 0; k < MOST_COUNTERS; k++)
        if (a->step[k]) return false;
    return true;
}

/* to += a * by. False: beyond int64. */
static bool add_scaled(Affine *to, const Affine *a, int64_t by)
{
    int64_t more;
    if (__builtin_mul_overflow(a->base, by, &more) || __builtin_add_overflow(to->base, more, &to->base))
        return false;
    for (int k = 0; k < MOST_COUNTERS; k++)
        if (__builtin_mul_overflow(a->step[k], by, &more) ||
            __builtin_add_overflow(to->step[k], more, &to->step[k]))
            return false;
    return true;
}

static bool range_of(const Positions *p, const Affine *a, int64_t *low, int64_t *high)
{
    *low = *high = a->base;
    for (int k = 0; k < p->n; k++) {
        int64_t span, *end = a->step[k] < 0 ? low : high;
        if (__builtin_mul_overflow(a->step[k], p->extent[k] - 1, &span) ||
            __builtin_add_overflow(*end, span, end))
            return false;
    }
    return true;
}

/* Is every value of it one of the type's, so that nothing has wrapped? */
static bool fits(const Positions *p, const Affine *a, DType t)
{
    int64_t low, high;
    int bits = (int)dtype_bits(t) - dtype_is_signed(t);
    if (!range_of(p, a, &low, &high)) return false;
    int64_t most = bits >= 63 ? INT64_MAX : (INT64_C(1) << bits) - 1,
            least = dtype_is_signed(t) ? -most - 1 : 0;
    return low >= least && high <= most;
}

static bool find(const Positions *, Ref, const Affine *at, int depth, Affine *out);

/* What a comparison of a and b gives for all counters: 0 or 1; -1: it depends. */
static int decided(const Positions *p, CompareDir dir, const Affine *a, const Affine *b)
{
    int64_t low, high;
    Affine d = *a;
    if (!add_scaled(&d, b, -1) || !range_of(p, &d, &low, &high)) return -1;
    switch (dir) {
    case CMP_LT: return high < 0 ? 1 : low >= 0 ? 0 : -1;
    case CMP_LE: return high <= 0 ? 1 : low > 0 ? 0 : -1;
    case CMP_GT: return low > 0 ? 1 : high <= 0 ? 0 : -1;
    case CMP_GE: return low >= 0 ? 1 : high < 0 ? 0 : -1;
    case CMP_EQ:
    case CMP_NE: break;
    }
    return -1;
}

static int predicate(const Positions *p, Ref r, const Affine *at, int depth)
{
    const Node *n = graph_node(p->g, r);
    Affine a, b;
    if (is_splat(n)) return node_bits(n) != 0;
    if (n->op != OP_COMPARE || dtype_is_float((DType)graph_node(p->g, n->args[0])->dtype) ||
        !find(p, n->args[0], at, depth, &a) || !find(p, n->args[1], at, depth, &b))
        return -1;
    return decided(p, (CompareDir)n->attr[0], &a, &b);
}

/* select, maximum, minimum, clamp: the operand that it always is */
static bool find_choice(const Positions *p, const Node *n, const Affine *at, int depth, Affine *out)
{
    Affine a, b;
    if (n->op == OP_SELECT) {
        bool same = graph_node(p->g, n->args[0])->rank == n->rank;
        int which = predicate(p, n->args[0], same ? at : NULL, depth);
        return which >= 0 && find(p, n->args[which ? 1 : 2], at, depth, out);
    }
    if (!find(p, n->args[0], at, depth, &a) || !find(p, n->args[1], at, depth, &b)) return false;
    int less = decided(p, CMP_LE, &a, &b);
    *out = less == (n->op == OP_MIN) ? a : b;
    return less >= 0;
}

static bool find_sum(const Positions *p, const Node *n, const Affine *at, int depth, Affine *out)
{
    Affine a, b = of_number(0);
    if (!find(p, n->args[0], at, depth, &a) || (n->n_args > 1 && !find(p, n->args[1], at, depth, &b)))
        return false;
    *out = of_number(0);
    switch ((Op)n->op) {
    case OP_ADD: return add_scaled(out, &a, 1) && add_scaled(out, &b, 1);
    case OP_SUB: return add_scaled(out, &a, 1) && add_scaled(out, &b, -1);
    case OP_NEG: return add_scaled(out, &a, -1);
    case OP_MUL:
        return is_known(&b) ? add_scaled(out, &a, b.base) : is_known(&a) && add_scaled(out, &b, a.base);
    default: *out = a; return true; /* CONVERT */
    }
}

/* A list of numbers that go up or down by one step, along one axis. */
static bool find_listed(const Node *n, const Affine *at, Affine *out)
{
    DType t = (DType)n->dtype;
    int axis = -1;
    int64_t step, next = scalar_to_i64(t, node_bits(n));
    *out = of_number(next);
    for (int d = 0; d < n->rank; d++) {
        if (n->dim[d] == 1) continue;
        if (axis >= 0) return is_splat(n);
        axis = d;
    }
    if (axis < 0 || is_splat(n)) return true;
    if (n->dim[axis] > MOST_LISTED ||
        __builtin_sub_overflow(scalar_to_i64(t, node_element(n, 1)), next, &step))
        return false;
    for (int64_t i = 1; i < n->dim[axis]; i++)
        if (__builtin_add_overflow(next, step, &next) || scalar_to_i64(t, node_element(n, i)) != next)
            return false;
    return add_scaled(out, &at[axis], step);
}

/* An axis of a view's operand, of size 2 or more, and the axis of the view that goes along it; -1: none. */
static int axis_of_reshape(const Node *n, const Node *x, int axis)
{
    int d = -1;
    for (int i = 0; i <= axis; i++) {
        if (x->dim[i] == 1) continue;
        for (d++; d < n->rank && n->dim[d] == 1;) d++;
        if (d == n->rank || n->dim[d] != x->dim[i]) return -1;
    }
    return d;
}

static int axis_of_transpose(const Node *n, int axis)
{
    int d = 0;
    while (n->attr[d] != axis) d++;
    return d;
}

/* A view: its operand at a position made of this one's. */
static bool find_moved(const Positions *p, const Node *n, const Affine *at, int depth, Affine *out)
{
    const Node *x = graph_node(p->g, n->args[0]);
    Affine in[WEFT_MAX_RANK] = { { 0 } };
    for (int i = 0; i < x->rank; i++) {
        if (x->dim[i] == 1 && n->op != OP_SLICE) continue;
        int d = n->op == OP_BROADCAST   ? (int)n->attr[i]
                : n->op == OP_RESHAPE   ? axis_of_reshape(n, x, i)
                : n->op == OP_TRANSPOSE ? axis_of_transpose(n, i)
                                        : i;
        if (d < 0) return false;
        if (n->op == OP_SLICE) in[i].base = n->attr[i];
        if (!add_scaled(&in[i], &at[d], n->op == OP_SLICE ? n->attr[2 * n->rank + i] : 1)) return false;
    }
    return find(p, n->args[0], in, depth, out);
}

/* CONCATENATE: the operand in which the position lies, whatever the counters are. */
static bool find_joined(const Positions *p, const Node *n, const Affine *at, int depth, Affine *out)
{
    Affine in[WEFT_MAX_RANK], *along = &in[n->attr[0]];
    for (int d = 0; d < n->rank; d++) in[d] = at[d];
    for (uint32_t i = 0; i < n->n_args && is_known(along); i++) {
        int64_t size = graph_node(p->g, n->args[i])->dim[n->attr[0]];
        if (along->base < size) return find(p, n->args[i], in, depth, out);
        along->base -= size;
    }
    return false;
}

/* The element of r at this position, an int. at: per axis; NULL where r has none. */
static bool find(const Positions *p, Ref r, const Affine *at, int depth, Affine *out)
{
    const Node *n = graph_node(p->g, r);
    bool found = false;
    DType t = (DType)n->dtype;
    if (depth == MOST_DEPTH || (dtype_kind(t) != KIND_SIGNED && dtype_kind(t) != KIND_UNSIGNED) ||
        (n->rank && !at))
        return false;
    depth++;
    switch ((Op)n->op) {
    case OP_IOTA:
        *out = at[n->attr[0]];
        found = true;
        break;
    case OP_CONSTANT:    found = find_listed(n, at, out); break;
    case OP_ADD:
    case OP_SUB:
    case OP_MUL:
    case OP_NEG:
    case OP_CONVERT:     found = find_sum(p, n, at, depth, out); break;
    case OP_SELECT:
    case OP_MAX:
    case OP_MIN:         found = find_choice(p, n, at, depth, out); break;
    case OP_BROADCAST:
    case OP_RESHAPE:
    case OP_TRANSPOSE:
    case OP_SLICE:       found = find_moved(p, n, at, depth, out); break;
    case OP_CONCATENATE: found = find_joined(p, n, at, depth, out); break;
    default:             break;
    }
    return found && fits(p, out, t);
}

/* ---- windows ---- */

/* Along an axis of the operand: `count` windows, each of `size` elements; one of the two is 1. */
typedef struct Stride {
    int64_t start, step, count, size;
    int counter; /* of the positions; -1: none */
} Stride;

static bool find_counters(Positions *p, Type indices, int64_t vector_axis)
{
    for (int d = 0, axis = 0; d < indices.rank; d++) {
        if (d == vector_axis) continue;
        if (indices.dim[d] > 1 && p->n == MOST_COUNTERS) return false;
        if (indices.dim[d] > 1) {
            p->extent[p->n] = indices.dim[d];
            p->axis[p->n++] = axis;
        }
        axis++;
    }
    return true;
}

/* Where component k of the index vectors lies. */
static bool find_component(const Positions *p, Ref indices, int64_t vector_axis, int k, Affine *out)
{
    Affine at[WEFT_MAX_RANK] = { { 0 } };
    int rank = graph_node(p->g, indices)->rank;
    for (int i = 0; i < p->n; i++) at[p->axis[i] + (p->axis[i] >= vector_axis)].step[i] = 1;
    if (vector_axis < rank) at[vector_axis] = of_number(k);
    return find(p, indices, at, 0, out);
}

static bool put_along(const Positions *p, const Affine *a, uint32_t *used, Stride *s)
{
    s->start = a->base;
    for (int k = 0; k < p->n; k++) {
        if (!a->step[k]) continue;
        if (s->counter >= 0 || *used >> k & 1 || s->size != 1) return false;
        s->counter = k;
        s->step = a->step[k];
        s->count = p->extent[k];
        *used |= 1u << k;
    }
    return true;
}

/* The windows of these sizes at positions `indices`, along each axis of the operand. */
static bool find_strides(Positions *p, Ref indices, const IndexDims *d, int rank, Stride *s)
{
    uint32_t used = 0;
    Type t = graph_type(p->g, indices);
    if (type_count(t) == 0 || !find_counters(p, t, d->index_vector_dim)) return false;
    for (int i = 0; i < rank; i++)
        s[i] = (Stride){ .step = 1, .count = 1, .size = d->slice_sizes[i], .counter = -1 };
    for (int i = 0; i < d->n_batching; i++) {
        Affine a = of_number(0);
        int axis = (int)d->indices_batching[i];
        axis -= axis > d->index_vector_dim;
        for (int k = 0; k < p->n; k++) a.step[k] = p->axis[k] == axis;
        if (!put_along(p, &a, &used, &s[d->operand_batching[i]])) return false;
    }
    for (int k = 0; k < d->n_map; k++) {
        Affine a;
        if (!find_component(p, indices, d->index_vector_dim, k, &a) ||
            !put_along(p, &a, &used, &s[d->map[k]]))
            return false;
    }
    return used == (1u << p->n) - 1;
}

static int64_t last_start(const Stride *s) { return s->start + s->step * (s->count - 1); }

static bool all_inside(const Stride *s, Type t)
{
    for (int d = 0; d < t.rank; d++)
        if (s[d].start < 0 || last_start(&s[d]) < 0 || s[d].start > t.dim[d] - s[d].size ||
            last_start(&s[d]) > t.dim[d] - s[d].size)
            return false;
    return true;
}

/* A slice of all, and which axes of it are backwards. */
typedef struct Cut {
    int64_t start[WEFT_MAX_RANK], limit[WEFT_MAX_RANK], step[WEFT_MAX_RANK], size[WEFT_MAX_RANK];
    int64_t back[WEFT_MAX_RANK];
    int n_back;
    bool in_a_row; /* all steps are 1 */
} Cut;

static Cut cut_of(const Stride *s, int rank)
{
    Cut c = { .in_a_row = true };
    for (int d = 0; d < rank; d++) {
        int64_t low = s[d].step < 0 ? last_start(&s[d]) : s[d].start,
                high = s[d].step < 0 ? s[d].start : last_start(&s[d]);
        c.start[d] = low;
        c.limit[d] = high + s[d].size;
        c.step[d] = s[d].step < 0 ? -s[d].step : s[d].step;
        c.size[d] = s[d].count * s[d].size;
        c.in_a_row &= c.step[d] == 1;
        if (s[d].step < 0) c.back[c.n_back++] = d;
    }
    return c;
}

/* The axis of the result (of GATHER) or of the updates that goes along axis d of the operand; -1: none, it
 * has size 1. */
static int outer_axis(const Positions *p, const IndexDims *dims, const Stride *s, int d, int rank)
{
    int k = 0, position = 0;
    for (int i = 0; i < d; i++) k += !(dropped_axes(dims) >> i & 1);
    if (s[d].counter < 0) return dropped_axes(dims) >> d & 1 ? -1 : (int)dims->window[k];
    for (int i = 0; i < rank; i++) {
        if (axes_mask(dims->window, dims->n_window) >> i & 1) continue;
        if (position++ == p->axis[s[d].counter]) return i;
    }
    return -1;
}

/* The axes of the outer array in the order of the operand's, then those of size 1 that are left. */
static void outer_order(const Positions *p, const IndexDims *dims, const Stride *s, int operand_rank,
                        int rank, int64_t *order)
{
    uint32_t seen = 0;
    int n = 0;
    for (int d = 0; d < operand_rank; d++) {
        int axis = outer_axis(p, dims, s, d, rank);
        if (axis < 0) continue;
        order[n++] = axis;
        seen |= 1u << axis;
    }
    for (int i = 0; i < rank; i++)
        if (!(seen >> i & 1)) order[n++] = i;
}

/* ---- gather ---- */

/* gather(x, base + step * iota) ==> slice(x)      of the gather's shape
 * A single position is clamped, as it is. */
Ref fold_gather_affine(const Rewrite *w)
{
    IndexDims dims;
    Positions p = { .g = w->g };
    Stride s[WEFT_MAX_RANK];
    int64_t order[WEFT_MAX_RANK], back[WEFT_MAX_RANK], dim[WEFT_MAX_RANK];
    int rank = w->a->rank;
    if (!gather_dims(w->spec->attr, w->spec->n_attr, rank, &dims) || !find_strides(&p, w->y, &dims, rank, s))
        return REF_NONE;
    for (int d = 0; d < rank && p.n == 0; d++) {
        int64_t most = w->a->dim[d] - s[d].size;
        s[d].start = s[d].start < 0 ? 0 : s[d].start > most ? most : s[d].start;
    }
    if (!all_inside(s, node_type(w->a))) return REF_NONE;
    Cut c = cut_of(s, rank);
    Ref r = build_slice(w->g, w->x, c.start, c.limit, c.step);
    if (c.n_back) r = build_reverse(w->g, r, c.back, c.n_back);
    outer_order(&p, &dims, s, rank, w->type.rank, order);
    for (int i = 0; i < w->type.rank; i++) {
        back[order[i]] = i;
        dim[i] = w->type.dim[order[i]];
    }
    return build_transpose(w->g, build_reshape(w->g, r, dim, w->type.rank), back);
}

/* ---- scatter ---- */

/* What the region makes of the old elements and the update, where that is one op or the update itself. */
static Ref updated(const Rewrite *w, Ref old, Ref update)
{
    const Graph *region = spec_region(w->spec, 0);
    const Node *n = graph_node(region, region->outputs[0]);
    Ref a = region->params[0], b = region->params[1];
    if (region->outputs[0] == b) return update;
    if (!op_is_ew((Op)n->op) || n->n_args != 2 || n->n_attr || n->dtype != w->type.dtype) return REF_NONE;
    bool straight = n->args[0] == a && n->args[1] == b, crossed = n->args[0] == b && n->args[1] == a;
    if (!straight && !crossed) return REF_NONE;
    return build_binary(w->g, (Op)n->op, straight ? old : update, straight ? update : old);
}

/* v, spread to x's shape with nothing between its elements, and around. */
static Ref spread(const Rewrite *w, const Cut *c, Ref v, Ref nothing)
{
    int64_t high[WEFT_MAX_RANK], between[WEFT_MAX_RANK];
    for (int d = 0; d < w->a->rank; d++) {
        high[d] = w->a->dim[d] - c->limit[d];
        between[d] = c->step[d] - 1;
    }
    return build_pad(w->g, v, nothing, c->start, high, between);
}

static Ref put_back(const Rewrite *w, const Cut *c, Ref v)
{
    Ref at[WEFT_MAX_RANK];
    Type scalar = { w->type.dtype, 0, NULL }, flag = { WEFT_BOOL, 0, NULL },
         flags = { WEFT_BOOL, w->a->rank, c->size };
    for (int d = 0; d < w->a->rank; d++)
        at[d] = build_splat(w->g, (Type){ WEFT_I64, 0, NULL }, (uint64_t)c->start[d]);
    if (c->in_a_row) return build_dynamic_update_slice(w->g, w->x, v, at);
    Ref here = spread(w, c, build_splat(w->g, flags, 1), build_splat(w->g, flag, 0));
    return build_select(w->g, here, spread(w, c, v, build_zeros(w->g, scalar)), w->x);
}

/* scatter(x, base + step * iota, u) ==> x with slice(x) op u in the slice's place
 * scatter(x, one position, u)       ==> x      where that is not all inside */
Ref fold_scatter_affine(const Rewrite *w)
{
    IndexDims dims;
    Positions p = { .g = w->g };
    Stride s[WEFT_MAX_RANK];
    int64_t sizes[WEFT_MAX_RANK], order[WEFT_MAX_RANK];
    int rank = w->a->rank;
    if (w->spec->n_args != 3 || !scatter_dims(w->spec->attr, w->spec->n_attr, &dims)) return REF_NONE;
    dims = gather_of_scatter(&dims, node_type(w->a), node_type(w->c), sizes);
    if (!find_strides(&p, w->y, &dims, rank, s)) return REF_NONE;
    if (!all_inside(s, node_type(w->a))) return p.n ? REF_NONE : w->x;
    Cut c = cut_of(s, rank);
    outer_order(&p, &dims, s, rank, w->c->rank, order);
    Ref v = build_reshape(w->g, build_transpose(w->g, w->z, order), c.size, rank);
    if (c.n_back) v = build_reverse(w->g, v, c.back, c.n_back);
    v = updated(w, build_slice(w->g, w->x, c.start, c.limit, c.step), v);
    return v == REF_NONE ? REF_NONE : put_back(w, &c, v);
}
