/* expand_chosen.c: of each window one element is chosen, and gets what belongs to the window:
 * SELECT_AND_SCATTER, and the SCATTER that the gradient of a window's maximum is. If windows are small, it
 * is turned round: each element asks the few windows that it lies in whether they chose it. Nothing is added
 * in memory then, and all of it is in lanes. (Gradient of the maxima of 3 x 3 by steps of 2 of 8 x 64 x 112
 * x 112 f32, AVX2: 11.8 -> 7.0 ms, of 8 x 112 x 112 x 64 9.0 -> 5.2; of 5 x 5 by 1 33 -> 45: too many.)
 *
 * Along an axis with steps s and padding `low` the elements s t + a, of each rest a, lie alike in windows:
 *
 *     r = (a + low) mod s,   f = (a + low - r) / s
 *     they are element r + s j of window t + f - j, for each j >= 0 with r + s j < size
 *
 * Windows are asked in their order, so each sum is made as the SCATTER makes it. */
#include "compiler/graph/attributes.h"
#include "expand.h"

/* Of a window's elements, (value, position, is there one): the first, until select(kept, later) is false. */
static const Graph *chooser(Arena *a, DType t, DType index, const Graph *select)
{
    Graph *g = graph_new(a, NULL);
    Type side[] = { type_scalar(t), type_scalar(index), type_scalar(WEFT_BOOL) };
    Ref p[6], out[3], keep;
    for (int i = 0; i < 6; i++) p[i] = build_param(g, side[i % 3]);
    graph_inline(g, select, (Ref[]){ p[0], p[3] }, &keep);
    keep = build_binary(g, OP_OR, build_unary(g, OP_NOT, p[5]), build_binary(g, OP_AND, p[2], keep));
    for (int i = 0; i < 2; i++) out[i] = build_select(g, keep, p[i], p[i + 3]);
    out[2] = build_binary(g, OP_OR, p[2], p[5]);
    graph_set_outputs(g, out, 3);
    return g;
}

/* Row-major positions of the operand's elements. */
static Ref positions(Graph *g, Type like, DType index)
{
    int64_t n = type_count(like);
    return build_reshape(g, build_iota(g, (Type){ (uint8_t)index, 1, &n }, 0), like.dim, like.rank);
}

Ref expand_chosen(Graph *g, const Node *n, Ref operand)
{
    Type t = graph_type(g, operand), scalar = type_scalar(t.dtype), flags = { WEFT_BOOL, t.rank, t.dim };
    DType index = type_count(t) <= INT32_MAX ? WEFT_I32 : WEFT_I64;
    WindowDims w = window_dims(OP_SELECT_AND_SCATTER, n->attr, t.rank);
    int64_t attr[6 * WEFT_MAX_RANK];
    for (int i = 0; i < t.rank; i++) {
        const int64_t of_axis[] = { w.size[i], w.stride[i], 1, 1, w.low[i], w.high[i] };
        for (int k = 0; k < 6; k++) attr[k * t.rank + i] = of_axis[k];
    }
    Ref args[] = { operand,
                   positions(g, t, index),
                   build_splat(g, flags, 1),
                   build_zeros(g, scalar),
                   build_number(g, index, -1),
                   build_zeros(g, type_scalar(WEFT_BOOL)) };
    Ref r = graph_add(g, &(NodeSpec){ .op = OP_REDUCE_WINDOW,
                                      .args = args,
                                      .n_args = 6,
                                      .attr = attr,
                                      .n_attr = 6 * (uint32_t)t.rank,
                                      .region = chooser(g->arena, (DType)t.dtype, index, n->regions[0]) });
    return build_result(g, r, 1);
}

/* ---- each element asks its windows */

enum { MOST_ASKED = 16, MOST_STEP = 8 };

/* What windows chose and what they give, both padded; low: before the first window. */
typedef struct Choices {
    Ref chosen, given, start;
    Op with;
    Type t; /* of the elements */
    WindowDims dims;
    int64_t count[WEFT_MAX_RANK], low[WEFT_MAX_RANK], high[WEFT_MAX_RANK]; /* count: elements of a rest */
} Choices;

/* Of elements of rest a along an axis: the first element of a window that they are, and its window's number
 * less t. */
static int64_t first_of_rest(const WindowDims *d, int axis, int64_t a, int64_t *window)
{
    int64_t s = d->stride[axis], at = a + d->low[axis], r = (at % s + s) % s;
    *window = (at - r) / s;
    return r;
}

static bool pays(WindowDims d, Type t)
{
    int64_t asked = 1;
    for (int i = 0; i < t.rank; i++) {
        if (d.stride[i] > MOST_STEP || d.size[i] > MOST_ASKED) return false;
        asked *= d.size[i] > d.stride[i] ? d.size[i] : d.stride[i];
        if (asked > MOST_ASKED) return false;
    }
    return asked > 1;
}

/* With room for all windows that are asked for. */
static Ref with_room(Graph *g, const Choices *c, Ref x, Ref filler)
{
    static const int64_t none[WEFT_MAX_RANK];
    return build_pad(g, x, filler, c->low, c->high, none);
}

static void make_room(Choices *c, Type windows)
{
    for (int i = 0; i < c->t.rank; i++) {
        int64_t begin = 0, end = windows.dim[i], s = c->dims.stride[i], window;
        c->count[i] = (c->t.dim[i] + s - 1) / s;
        for (int64_t a = 0; a < s; a++)
            for (int64_t m = first_of_rest(&c->dims, i, a, &window); m < c->dims.size[i]; m += s, window--) {
                if (window < begin) begin = window;
                if (window + c->count[i] > end) end = window + c->count[i];
            }
        c->low[i] = -begin;
        c->high[i] = end - windows.dim[i];
    }
}

/* Positions of the elements of these rests. */
static Ref positions_of_rests(Graph *g, const Choices *c, const int64_t *rest)
{
    DType index = (DType)graph_type(g, c->chosen).dtype;
    Type t = { (uint8_t)index, c->t.rank, c->count };
    Ref sum = REF_NONE;
    int64_t step = 1, first = 0;
    for (int i = c->t.rank; i-- > 0; step *= c->t.dim[i]) {
        Ref scale = build_splat(g, t, scalar_from_i64(index, step * c->dims.stride[i])),
            along = build_binary(g, OP_MUL, build_iota(g, t, i), scale);
        sum = sum == REF_NONE ? along : build_binary(g, OP_ADD, along, sum);
        first += rest[i] * step;
    }
    return build_binary(g, OP_ADD, sum, build_splat(g, t, scalar_from_i64(index, first)));
}

/* The elements of these rests, which ask one window after the other. */
static Ref ask(Graph *g, const Choices *c, const int64_t *rest)
{
    int64_t first[WEFT_MAX_RANK], many[WEFT_MAX_RANK], all = 1;
    for (int i = 0; i < c->t.rank; i++) {
        int64_t s = c->dims.stride[i], r = first_of_rest(&c->dims, i, rest[i], &first[i]);
        many[i] = r < c->dims.size[i] ? (c->dims.size[i] - r + s - 1) / s : 0;
        first[i] += c->low[i] - (many[i] - 1);
        all *= many[i];
    }
    Ref sum = build_broadcast(g, c->start, c->count, c->t.rank, NULL), at = positions_of_rests(g, c, rest);
    for (int64_t k = 0; k < all; k++) {
        Ref side[] = { c->chosen, c->given };
        int64_t left = k;
        for (int i = c->t.rank; i-- > 0; left /= many[i]) {
            int64_t from = first[i] + left % many[i];
            for (int x = 0; x < 2; x++)
                side[x] = build_slice_along(g, side[x], i, from, from + c->count[i], 1);
        }
        sum = build_select(g, build_compare(g, CMP_EQ, side[0], at), build_binary(g, c->with, sum, side[1]),
                           sum);
    }
    return sum;
}

/* The rests of the axes before this one are given. */
static Ref by_rests(Graph *g, const Choices *c, int axis, int64_t *rest)
{
    if (axis == c->t.rank) return ask(g, c, rest);
    Ref part[MOST_STEP];
    int n = (int)c->dims.stride[axis];
    for (int k = 0; k < n; k++) {
        rest[axis] = k;
        part[k] = by_rests(g, c, axis + 1, rest);
    }
    return expand_alternate(g, part, n, axis, c->t.dim[axis]);
}

/* start, rank 0, everywhere, and what is given where it is chosen: of windows d over elements of type t */
static Ref ask_windows(Graph *g, Type t, WindowDims d, Op with, Ref start, Ref chosen, Ref given)
{
    Choices c = { .start = start, .with = with, .t = t, .dims = d };
    int64_t rest[WEFT_MAX_RANK];
    make_room(&c, graph_type(g, chosen));
    build_barrier(g, &chosen, 1, &chosen);
    c.chosen = with_room(g, &c, chosen, build_number(g, (DType)graph_type(g, chosen).dtype, -1));
    c.given = with_room(g, &c, given, build_zeros(g, type_scalar(t.dtype)));
    return by_rests(g, &c, 0, rest);
}

/* ---- by a scatter */

static Ref flat(Graph *g, Ref r)
{
    if (r == REF_NONE) return r;
    int64_t n = type_count(graph_type(g, r));
    return build_reshape(g, r, &n, 1);
}

/* scatter(start everywhere, the chosen positions, source) */
Ref expand_select_and_scatter(Graph *g, const Node *n, const Ref *args)
{
    Type t = graph_type(g, args[0]);
    int64_t count = type_count(t);
    WindowDims d = window_dims(OP_SELECT_AND_SCATTER, n->attr, t.rank);
    Op with = region_monoid(n->regions[1]);
    Ref chosen = expand_chosen(g, n, args[0]);
    if (chosen == REF_NONE) return chosen;
    if (with != OP_COUNT && count && pays(d, t)) return ask_windows(g, t, d, with, args[2], chosen, args[1]);
    Ref start = build_broadcast(g, args[2], &count, 1, NULL);
    int64_t attr[] = { 0, 1, 0, 1, 1, false, false, 0, 0 }; /* axis 0 is inserted, and chosen */
    Ref r = graph_add(g, &(NodeSpec){ .op = OP_SCATTER,
                                      .args = (Ref[]){ start, flat(g, chosen), flat(g, args[1]) },
                                      .n_args = 3,
                                      .attr = attr,
                                      .n_attr = 9,
                                      .region = n->regions[1] });
    return build_reshape(g, r, t.dim, t.rank);
}

/* ---- the gradient of a window's extreme (derive/jvp/jvp_reduce.c) is that scatter written out ---- */

static const Node *unshaped(const Graph *g, Ref r)
{
    while (graph_node(g, r)->op == OP_RESHAPE) r = graph_node(g, r)->args[0];
    return graph_node(g, r);
}

static bool is_all(const Graph *g, Ref r, int64_t value)
{
    const Node *n = graph_node(g, r);
    return n->op == OP_CONSTANT && is_splat(n) && node_bits(n) == scalar_from_i64((DType)n->dtype, value);
}

static bool is_at_least(const Graph *g, Ref r, int64_t value)
{
    const Node *n = graph_node(g, r);
    return n->op == OP_CONSTANT && is_splat(n) && scalar_to_i64((DType)n->dtype, node_bits(n)) >= value;
}

/* What is behind max(r, 0) and clamp(0, r, most), which leave each of so many places alone. */
static const Node *unclamped(const Graph *g, Ref r, int64_t places)
{
    const Node *n = unshaped(g, r);
    for (;;) {
        if (n->op == OP_MAX && is_all(g, n->args[1], 0)) n = unshaped(g, n->args[0]);
        else if (n->op == OP_CLAMP && is_all(g, n->args[0], 0) && is_at_least(g, n->args[2], places - 1))
            n = unshaped(g, n->args[1]);
        else return n;
    }
}

/* Does a REDUCE_WINDOW choose one of its elements' positions, or -1? (Numbers of 8 or 16 bits may begin anew
 * among them.) */
static bool chooses_positions(const Graph *g, const Node *n)
{
    if (n->op != OP_REDUCE_WINDOW || n->n_args != 4 || !is_all(g, n->args[3], -1)) return false;
    const Graph *region = n->regions[0];
    const Node *place = graph_node(region, region->outputs[1]), *iota = unshaped(g, n->args[1]);
    WindowDims d = window_dims(OP_REDUCE_WINDOW, n->attr, n->rank);
    for (int i = 0; i < n->rank; i++)
        if (d.dilation[i] != 1 || d.base_dilation[i] != 1) return false;
    return iota->op == OP_IOTA && iota->rank == 1 && dtype_bytes((DType)iota->dtype) >= 4 &&
           place->op == OP_SELECT &&
           ((place->args[1] == region->params[1] && place->args[2] == region->params[3]) ||
            (place->args[1] == region->params[3] && place->args[2] == region->params[1]));
}

/* scatter(zeros, max(p, 0), select(p < 0, 0, given)), where p is what windows chose */
bool expand_to_chosen(Graph *g, const Node *n, const Ref *args, Ref *out)
{
    IndexDims at;
    if (n->n_args != 3 || n->rank != 1 || region_monoid(n->region) != OP_ADD || !is_all(g, args[0], 0))
        return false;
    scatter_dims(n->attr, n->n_attr, &at);
    const Node *p = unclamped(g, args[1], n->dim[0]), *given = unshaped(g, args[2]);
    if (at.n_window || at.n_batching || at.n_map != 1 || p->op != OP_RESULT || p->attr[0] != 1 ||
        given->op != OP_SELECT)
        return false;
    const Node *windows = graph_node(g, p->args[0]), *none = graph_node(g, given->args[0]);
    if (!chooses_positions(g, windows)) return false;
    Type t = graph_type(g, windows->args[0]), w = node_type(p);
    t.dtype = n->dtype; /* what is given may be of another type than what was compared */
    WindowDims d = window_dims(OP_REDUCE_WINDOW, windows->attr, t.rank);
    if (none->op != OP_COMPARE || none->attr[0] != CMP_LT || unshaped(g, none->args[0]) != p ||
        !is_all(g, none->args[1], 0) || !is_all(g, given->args[1], 0) || type_count(t) != n->dim[0] ||
        !pays(d, t))
        return false;
    Ref chosen = (Ref)(p - g->nodes), gives = given->args[2]; /* nodes move where some are added */
    Ref sums = ask_windows(g, t, d, OP_ADD, build_zeros(g, type_scalar(t.dtype)), chosen,
                           build_reshape(g, gives, w.dim, w.rank));
    *out = build_reshape(g, sums, n->dim, 1);
    return true;
}
