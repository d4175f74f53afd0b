/* raise_window.c: windows that are other ops.
 *
 * A window over a whole axis, all of its padding on one side, holds the elements up to one, or from one on:
 * its folds are prefixes. Those of a monoid are a CUMULATIVE. Any other region, over one array or several,
 * becomes a SCAN along the axis, n steps instead of n * n: logarithms of sums of exponentials, say. From a
 * start value s with f(s, s) = s the scan does just what a window does, since the padding of each window
 * leaves s.
 *
 * Lanes go across the other axes. Where these have too few elements the axis is cut into blocks, whose
 * prefixes are found side by side; then each element is combined with what lies before its block, which is
 * the prefixes of the blocks' last elements. That, and prefixes from the end, take the region to be
 * associative, as the specification of reduce_window does.
 *
 * Sums and products of f16 and bf16 over other windows go on in f32 and are rounded once, as prefixes and
 * reductions are.
 */
#include "raise_window.h"
#include "compiler/graph/infer/infer.h"
#include "compiler/graph/rebuild.h"
#include "compiler/scalar/evaluate.h"
#include <string.h>

/* Elements beside the axis that fill the lanes. Blocks make so many, and at least half the length's root. */
enum { SCAN_LANES = 64 };

/* ---- one step over arrays */

typedef struct Step {
    const Graph *region; /* over scalars: n values so far, n elements */
    uint32_t n;
    bool reverse; /* the axis is walked from its end: elements come before what is so far */
} Step;

typedef struct Lifted {
    Rebuild w;
    Type shape; /* its dtype is not looked at */
} Lifted;

static bool lift_node(void *user, Ref r, Ref *out)
{
    const Lifted *l = user;
    const Node *n = graph_node(l->w.from, r);
    NodeSpec spec = node_spec(n);
    if (n->op == OP_CONSTANT) {
        *out = build_filled(l->w.to, (Type){ n->dtype, l->shape.rank, l->shape.dim }, n->data);
        return *out != REF_NONE;
    }
    if (!op_is_ew((Op)n->op)) return false;
    spec.args = rebuild_args(&l->w, n);
    spec.dim = l->shape.dim;
    spec.rank = l->shape.rank;
    *out = graph_add(l->w.to, &spec);
    return *out != REF_NONE;
}

static bool is_elementwise(const Graph *region)
{
    const bool *reached = graph_reached(region->arena, region);
    for (Ref r = 0; r < region->n_nodes; r++) {
        const Node *n = graph_node(region, r);
        if (reached[r] && n->op != OP_PARAMETER && n->op != OP_CONSTANT && !op_is_ew((Op)n->op)) return false;
    }
    return true;
}

/* The region of so_far and elements, arrays of one shape. out may be either. */
static bool combine(Graph *g, const Step *s, const Ref *so_far, const Ref *elements, Ref *out)
{
    Lifted l = { rebuild_open(s->region, g), graph_type(g, so_far[0]) };
    for (uint32_t i = 0; i < s->n; i++) {
        l.w.map[s->region->params[i]] = s->reverse ? elements[i] : so_far[i];
        l.w.map[s->region->params[s->n + i]] = s->reverse ? so_far[i] : elements[i];
    }
    return rebuild_nodes(&l.w, lift_node, &l) && rebuild_outputs(&l.w, out);
}

/* ---- prefixes along axis 0 */

/* x[i] of this length along axis 0. */
typedef struct Rows {
    const Step *step;
    const Ref *start; /* rank 0 */
    int64_t length;
} Rows;

static Type row_type(const Graph *g, Ref x)
{
    Type t = graph_type(g, x);
    return (Type){ t.dtype, (uint8_t)(t.rank - 1), t.dim + 1 };
}

static bool scan_rows(Graph *g, const Rows *r, const Ref *x, Ref *y)
{
    uint32_t n = r->step->n;
    RegionBuild body = region_begin(g, NULL, 2u * n, 2u * n);
    Ref *out = graph_refs(g->arena, 2u * n);
    for (uint32_t i = 0; i < n; i++) {
        Type t = row_type(g, x[i]);
        region_take(&body, t, build_broadcast(g, r->start[i], t.dim, t.rank, NULL));
    }
    for (uint32_t i = 0; i < n; i++) region_take(&body, row_type(g, x[i]), x[i]);
    if (!combine(body.g, r->step, body.g->params, body.g->params + n, body.out)) return false;
    memcpy(body.out + n, body.out, n * sizeof *body.out);
    body.n_out = 2 * n;
    const Graph *region = region_end(&body, g);
    ScanShape s = { .length = r->length, .unroll = 1, .n_carry = n, .n_xs = n };
    if (!region || !build_scan(g, s, region, body.args, out)) return false;
    memcpy(y, out + n, n * sizeof *y);
    return true;
}

/* How many blocks the axis is cut into; 1: it is walked as it is. */
static int64_t count_blocks(int64_t length, int64_t beside)
{
    int64_t blocks = 1;
    if (beside >= SCAN_LANES) return blocks;
    while (blocks * 8 <= length && (blocks * beside < SCAN_LANES || blocks * blocks * 4 < length))
        blocks *= 2;
    return blocks;
}

static Ref filled_up(Graph *g, Ref x, Ref filler, int64_t low, int64_t high)
{
    int64_t pad[3][WEFT_MAX_RANK] = { { low }, { high } };
    return build_pad(g, x, filler, pad[0], pad[1], pad[2]);
}

/* x of [blocks * each, ...] as [each, blocks, ...], and back. */
static Ref cut_blocks(Graph *g, Ref x, int64_t blocks, int64_t each)
{
    return build_move_axis(g, build_leading(g, x, 1, (int64_t[]){ blocks, each }, 2), 0, 1);
}
static Ref join_blocks(Graph *g, Ref x, int64_t all)
{
    return build_leading(g, build_move_axis(g, x, 0, 1), 2, &all, 1);
}

/* x, so many times along a new axis 0 */
static Ref repeated(Graph *g, Ref x, int64_t times)
{
    int64_t dim[WEFT_MAX_RANK] = { times }, axes[WEFT_MAX_RANK];
    Type t = graph_type(g, x);
    for (int d = 0; d < t.rank; d++) dim[d + 1] = t.dim[d], axes[d] = d + 1;
    return build_broadcast(g, x, dim, t.rank + 1, axes);
}

static bool scan_blocks(Graph *g, const Rows *r, const Ref *x, int64_t blocks, Ref *y)
{
    uint32_t n = r->step->n;
    int64_t each = (r->length + blocks - 1) / blocks, all = each * blocks;
    Rows within = { r->step, r->start, each }, across = { r->step, r->start, blocks };
    Ref *z = graph_refs(g->arena, n), *last = graph_refs(g->arena, n);
    for (uint32_t i = 0; i < n; i++)
        z[i] = cut_blocks(g, filled_up(g, x[i], r->start[i], 0, all - r->length), blocks, each);
    if (!scan_rows(g, &within, z, z)) return false;
    for (uint32_t i = 0; i < n; i++)
        last[i] = build_leading(g, build_slice_along(g, z[i], 0, each - 1, each, 1), 1, NULL, 0);
    if (!scan_rows(g, &across, last, last)) return false;
    for (uint32_t i = 0; i < n; i++) last[i] = repeated(g, filled_up(g, last[i], r->start[i], 1, -1), each);
    if (!combine(g, r->step, last, z, y)) return false;
    for (uint32_t i = 0; i < n; i++)
        y[i] = build_slice_along(g, join_blocks(g, y[i], all), 0, 0, r->length, 1);
    return true;
}

/* ---- windows over a whole axis */

/* The one axis along which the window is as long as the axis, of n > 1 elements, with n-1 of padding before
 * it (or behind it, for prefixes from the end); along the other axes the window is 1. -1: no such axis. */
static int prefix_axis(WindowDims w, Type t)
{
    int axis = -1;
    for (int i = 0; i < t.rank; i++) {
        if (w.stride[i] != 1 || w.base_dilation[i] != 1 || w.dilation[i] != 1) return -1;
        if (w.size[i] == 1 && w.low[i] == 0 && w.high[i] == 0) continue;
        bool whole = w.size[i] == t.dim[i] && w.low[i] + w.high[i] == t.dim[i] - 1 &&
                     (w.low[i] == 0 || w.high[i] == 0);
        if (axis >= 0 || !whole) return -1;
        axis = i;
    }
    return axis;
}

/* What a region over scalars makes of known values: bits, where they are known without math functions. */
typedef struct Known {
    bool *is;
    uint64_t *bits;
} Known;

static void know_node(const Graph *region, Ref r, Known *k)
{
    const Node *n = graph_node(region, r);
    uint64_t values[3] = { 0 };
    if (n->op == OP_CONSTANT) {
        k->is[r] = is_splat(n);
        k->bits[r] = k->is[r] ? node_bits(n) : 0;
        return;
    }
    bool chosen = n->op == OP_SELECT && k->is[n->args[0]];
    if (!op_is_ew((Op)n->op) || n->n_args == 0 || n->n_args > 3 || dtype_is_complex((DType)n->dtype)) return;
    for (uint32_t i = 0; i < n->n_args; i++) {
        bool unused = chosen && i == (k->bits[n->args[0]] ? 2 : 1);
        if ((!k->is[n->args[i]] && !unused) || dtype_is_complex((DType)graph_type(region, n->args[i]).dtype))
            return;
        values[i] = k->bits[n->args[i]];
    }
    DType operand = (DType)graph_type(region, n->args[n->n_args - 1]).dtype;
    k->is[r] = evaluate_with_nans((Op)n->op, operand, (DType)n->dtype, n->attr, values, &k->bits[r]);
}

/* Is f(s, s) known to be s? */
static bool start_stays(const Graph *g, const Step *s, const Ref *start)
{
    const Graph *f = s->region;
    Known k = { arena_alloc(g->arena, f->n_nodes * sizeof *k.is),
                arena_alloc(g->arena, f->n_nodes * sizeof *k.bits) };
    memset(k.is, false, f->n_nodes * sizeof *k.is);
    memset(k.bits, 0, f->n_nodes * sizeof *k.bits);
    for (uint32_t i = 0; i < 2 * s->n; i++) {
        const Node *n = graph_node(g, start[i % s->n]);
        if (!is_splat(n)) return false;
        k.is[f->params[i]] = true;
        k.bits[f->params[i]] = node_bits(n);
    }
    for (Ref r = 0; r < f->n_nodes; r++)
        if (!k.is[r]) know_node(f, r, &k);
    for (uint32_t i = 0; i < s->n; i++)
        if (!k.is[f->outputs[i]] || k.bits[f->outputs[i]] != node_bits(graph_node(g, start[i]))) return false;
    return true;
}

static bool raise_prefixes(Graph *g, const Node *n, const Ref *args, int axis, bool reverse, Ref *out)
{
    Step step = { n->region, n->n_args / 2, reverse };
    Rows rows = { &step, args + step.n, graph_type(g, args[0]).dim[axis] };
    int64_t beside = type_count(graph_type(g, args[0])) / rows.length;
    if (!beside || !is_elementwise(n->region) || !start_stays(g, &step, rows.start)) return false;
    Ref *x = graph_refs(g->arena, step.n);
    for (uint32_t i = 0; i < step.n; i++) {
        x[i] = build_move_axis(g, args[i], axis, 0);
        if (reverse) x[i] = build_reverse(g, x[i], (int64_t[]){ 0 }, 1);
    }
    int64_t blocks = n->rank < WEFT_MAX_RANK ? count_blocks(rows.length, beside) : 1;
    if (blocks == 1 ? !scan_rows(g, &rows, x, x) : !scan_blocks(g, &rows, x, blocks, x)) return false;
    for (uint32_t i = 0; i < step.n; i++) {
        if (reverse) x[i] = build_reverse(g, x[i], (int64_t[]){ 0 }, 1);
        out[i] = build_move_axis(g, x[i], 0, axis);
    }
    return true;
}

/* ---- windows of narrow floats */

static Ref raise_narrow(Graph *g, const Node *n, const Ref *args, Op monoid)
{
    Ref wide[] = { build_convert(g, args[0], WEFT_F32), build_convert(g, args[1], WEFT_F32) };
    NodeSpec s = { .op = OP_REDUCE_WINDOW,
                   .args = wide,
                   .n_args = 2,
                   .attr = n->attr,
                   .n_attr = n->n_attr,
                   .region = build_reducer(g->arena, monoid, WEFT_F32) };
    return build_convert(g, graph_add(g, &s), (DType)n->dtype);
}

bool raise_window(const Replacement *w, Graph *to, const Node *n, const Ref *args, Ref *out)
{
    Op monoid = n->n_args == 2 ? region_monoid(n->region) : OP_COUNT;
    Type t = graph_type(to, args[0]);
    WindowDims d = window_dims(OP_REDUCE_WINDOW, n->attr, t.rank);
    int axis = prefix_axis(d, t);
    bool reverse = axis >= 0 && d.low[axis] == 0;
    if (axis >= 0 && monoid != OP_COUNT && monoid_has_prefixes(monoid) &&
        is_monoid_start(to, args[1], monoid)) {
        *out = build_cumulative(to, monoid, args[0], axis, reverse);
        return true;
    }
    if (axis >= 0 && raise_prefixes(to, n, args, axis, reverse, out)) return true;
    if (monoid != OP_COUNT && dtype_is_narrow_float((DType)t.dtype) &&
        !monoid_is_exact(monoid, (DType)t.dtype)) {
        *out = raise_narrow(to, n, args, monoid);
        return *out != REF_NONE;
    }
    return rewrite_keep(w, to, n, args, out);
}
