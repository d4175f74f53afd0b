/* graphs_along.c: makers of what works along axes and at positions that are data. */
#include "tests/graphs/graphs_parts.h"
#include <math.h>

/* ---- prefixes, order ---- */

Ref make_cumulative(Maker *m)
{
    static const Op monoids[] = { OP_ADD, OP_ADD, OP_MAX, OP_MIN, OP_MUL };
    Ref a = maker_any(m);
    Type t = type_of(m, a);
    Op op = monoids[below(m, m->options.smooth ? 4 : 5)];
    if (t.rank == 0) return a;
    return maker_attr(
        m, OP_CUMULATIVE, a,
        (int64_t[]){ infer_takes(op, (DType)t.dtype) ? op : OP_MAX, below(m, t.rank), chance(m, 30) }, 3);
}

/* Over one to three last axes, of complex numbers or of real ones. */
Ref make_fft(Maker *m)
{
    Ref a = maker_any(m);
    Type t = type_of(m, a);
    bool complex = dtype_is_complex((DType)t.dtype);
    if (t.rank == 0 || (!complex && t.dtype != WEFT_F32 && t.dtype != WEFT_F64)) return a;
    int axes = 1 + (int)below(m, t.rank < MAX_FFT_AXES ? t.rank : MAX_FFT_AXES);
    int64_t attr[1 + MAX_FFT_AXES] = { complex
                                           ? (int64_t[]){ FFT_FORWARD, FFT_BACK, FFT_TO_REAL }[below(m, 3)]
                                           : FFT_OF_REAL };
    for (int i = 0; i < axes; i++) attr[1 + i] = t.dim[t.rank - axes + i];
    int64_t half = attr[axes];
    if (attr[0] == FFT_TO_REAL) attr[axes] = half > 1 ? 2 * (half - 1) + chance(m, 50) : 1;
    if (half == 0 || attr[axes] > 200) return a;
    Ref y = maker_attr(m, OP_FFT, a, attr, 1 + (uint32_t)axes);
    bool real = m->options.smooth || m->options.curved; /* see maker_dtype */
    return real ? maker_attr(m, chance(m, 50) ? OP_REAL : OP_IMAG, y, NULL, 0) : y;
}

/* What JAX writes for a key. */
static Ref canonical(Graph *g, Ref x, DType t)
{
    Ref zero = build_number(g, t, 0), z = build_select(g, build_compare(g, CMP_EQ, x, zero), zero, x);
    return build_select(g, build_compare(g, CMP_NE, x, x), build_number(g, t, (double)NAN), z);
}

static Ref compare_key(Graph *g, CompareDir dir, Ref a, Ref b)
{
    DType t = (DType)graph_node(g, a)->dtype;
    if (!dtype_is_float(t)) return dir == CMP_EQ ? build_compare(g, dir, a, b) : build_order(g, dir, a, b);
    Ref both[] = { canonical(g, a, t), canonical(g, b, t) };
    return graph_add(g, &(NodeSpec){ .op = OP_COMPARE,
                                     .args = both,
                                     .n_args = 2,
                                     .attr = (int64_t[]){ dir, ORDER_TOTAL },
                                     .n_attr = 2 });
}

/* One or two keys, up or down; odd: an order that nobody recognizes, by the lowest bits. */
static const Graph *make_comparator(Maker *m, const Ref *x, uint32_t n, bool odd)
{
    Graph *g = graph_new(m->g->arena, "comparator");
    Ref p[6];
    for (uint32_t i = 0; i < 2 * n; i++)
        p[i] = build_param(g, (Type){ (uint8_t)dtype_of(m, x[i / 2]), 0, NULL });
    CompareDir dir = chance(m, 70) ? CMP_LT : CMP_GT;
    DType t = dtype_of(m, x[0]);
    Ref r;
    if (odd && dtype_is_int(t)) {
        Ref low = build_number(g, t, 7);
        r = build_compare(g, dir, build_binary(g, OP_AND, p[0], low), build_binary(g, OP_AND, p[1], low));
    } else {
        r = compare_key(g, dir, p[0], p[1]);
        if (n > 1 && chance(m, 40))
            r = build_binary(g, OP_OR, r,
                             build_binary(g, OP_AND, compare_key(g, CMP_EQ, p[0], p[1]),
                                          compare_key(g, CMP_LT, p[2], p[3])));
    }
    graph_set_outputs(g, &r, 1);
    return g;
}

/* In smooth programs a float key is sorted alone, without values that go along: the order of nearly equal
 * keys is not certain. */
Ref make_sort(Maker *m)
{
    Ref x[3] = { maker_any(m) }, r;
    Shape s = shape_of(m, x[0]);
    if (s.rank == 0) return x[0];
    bool alone = m->options.smooth && dtype_is_float(dtype_of(m, x[0]));
    uint32_t n = alone ? 1 : 1 + below(m, 3);
    for (uint32_t i = 1; i < n; i++)
        x[i] = maker_like(m, m->options.smooth ? maker_int(m) : maker_dtype(m), &s);
    const Graph *c = make_comparator(m, x, n, chance(m, 20));
    r = maker_put(m, &(NodeSpec){ .op = OP_SORT,
                                  .args = x,
                                  .n_args = n,
                                  .attr = (int64_t[]){ below(m, (uint32_t)s.rank), 1 },
                                  .n_attr = 2,
                                  .region = c });
    if (n == 1 || r == REF_NONE) return r;
    for (uint32_t i = 1; i < n; i++) maker_keep(m, maker_attr(m, OP_RESULT, r, (int64_t[]){ i }, 1));
    return maker_attr(m, OP_RESULT, r, (int64_t[]){ 0 }, 1);
}

/* ---- positions ---- */

static void any_starts(Maker *m, int rank, Ref *starts)
{
    Shape one = { 0, { 0 } };
    DType t = maker_int(m);
    for (int i = 0; i < rank; i++) starts[i] = maker_like(m, t, &one);
}

Ref make_dynamic_slice(Maker *m)
{
    Ref args[1 + WEFT_MAX_RANK] = { maker_any(m) };
    Shape s = shape_of(m, args[0]);
    int64_t sizes[WEFT_MAX_RANK];
    for (int i = 0; i < s.rank; i++) sizes[i] = chance(m, 40) ? s.dim[i] : below(m, (uint32_t)s.dim[i] + 1);
    any_starts(m, s.rank, args + 1);
    return maker_put(m, &(NodeSpec){ .op = OP_DYNAMIC_SLICE,
                                     .args = args,
                                     .n_args = 1 + (uint32_t)s.rank,
                                     .attr = sizes,
                                     .n_attr = (uint32_t)s.rank });
}

Ref make_update_slice(Maker *m)
{
    Ref args[2 + WEFT_MAX_RANK] = { maker_any(m) };
    Shape s = shape_of(m, args[0]), part = s;
    for (int i = 0; i < s.rank; i++)
        if (s.dim[i] && chance(m, 60)) part.dim[i] = 1 + below(m, (uint32_t)s.dim[i]);
    args[1] = maker_like(m, dtype_of(m, args[0]), &part);
    any_starts(m, s.rank, args + 2);
    return maker_put(
        m, &(NodeSpec){ .op = OP_DYNAMIC_UPDATE_SLICE, .args = args, .n_args = 2 + (uint32_t)s.rank });
}

static const Graph *make_reducer(Maker *m, Op op, DType t)
{
    Graph *g = graph_new(m->g->arena, "reducer");
    Type scalar = { (uint8_t)t, 0, NULL };
    Ref a = build_param(g, scalar), b = build_param(g, scalar);
    Ref r = op == OP_RESULT ? b
            : op == OP_PAD  ? build_select(g, build_order(g, CMP_LT, a, b), build_binary(g, OP_MIN, b, a), a)
                            : build_binary(g, op, a, b);
    graph_set_outputs(g, &r, 1);
    return g;
}

/* OP_RESULT: the new value; OP_PAD: some other region. */
static Op any_reducer(Maker *m, DType t)
{
    static const Op ops[] = { OP_ADD, OP_ADD, OP_RESULT, OP_MAX, OP_MIN, OP_MUL, OP_PAD };
    Op op = ops[below(m, m->options.smooth ? 5 : 7)];
    return op == OP_RESULT || op == OP_PAD || infer_takes(op, t) ? op : OP_MAX;
}

/* Any scatter: some axes of the operand are mapped, some have windows, one perhaps is batching. */
Ref make_scatter(Maker *m)
{
    Ref a = maker_any(m);
    Shape s = shape_of(m, a), ix = { 0, { 0 } }, u = { 0, { 0 } };
    if (s.rank == 0 || shape_count(&s) == 0) return a;
    int64_t map[WEFT_MAX_RANK], inserted[WEFT_MAX_RANK], window_size[WEFT_MAX_RANK], window[WEFT_MAX_RANK];
    int n_map = 0, n_inserted = 0, n_window = 0,
        batching = s.rank > 1 && chance(m, 30) ? (int)below(m, (uint32_t)s.rank) : -1;
    for (int i = 0; i < s.rank; i++) {
        if (i == batching) continue;
        bool mapped = chance(m, 60);
        if (mapped) map[n_map++] = i;
        if (mapped ? chance(m, 60) : s.dim[i] == 1) inserted[n_inserted++] = i;
        else window_size[n_window++] = !mapped || chance(m, 20) ? s.dim[i] : 1 + below(m, (uint32_t)s.dim[i]);
    }
    maker_shuffle(m, map, n_map);
    for (int i = (int)below(m, 3); i > 0; i--) ix.dim[ix.rank++] = m->axis[1 + below(m, 3)];
    int batch_at = -1;
    if (batching >= 0) {
        batch_at = (int)below(m, (uint32_t)ix.rank + 1);
        for (int i = ix.rank++; i > batch_at; i--) ix.dim[i] = ix.dim[i - 1];
        ix.dim[batch_at] = s.dim[batching];
    }
    int rank = ix.rank + n_window, vector = (int)below(m, (uint32_t)ix.rank + 1);
    for (int i = 0, k = 0, b = 0; i < rank; i++) {
        bool here = (int)below(m, (uint32_t)(rank - i)) < n_window - k;
        u.dim[u.rank++] = here ? window_size[k] : ix.dim[b++];
        if (here) window[k++] = i;
    }
    if (u.rank > RANK || shape_count(&u) > MAX_ELEMENTS) return a;
    for (int i = ix.rank++; i > vector; i--) ix.dim[i] = ix.dim[i - 1];
    ix.dim[vector] = n_map;
    int64_t attr[7 + 4 * WEFT_MAX_RANK] = { n_window, n_inserted, batching >= 0, n_map, vector, 0, 0 },
                         *p = attr + 7;
    for (int i = 0; i < n_window; i++) *p++ = window[i];
    for (int i = 0; i < n_inserted; i++) *p++ = inserted[i];
    if (batching >= 0) *p++ = batching, *p++ = batch_at + (batch_at >= vector);
    for (int i = 0; i < n_map; i++) *p++ = map[i];
    DType t = dtype_of(m, a);
    Ref args[] = { a, maker_like(m, maker_int(m), &ix), maker_like(m, t, &u) };
    const Graph *region = make_reducer(m, any_reducer(m, t), t);
    return maker_put(m, &(NodeSpec){ .op = OP_SCATTER,
                                     .args = args,
                                     .n_args = 3,
                                     .attr = attr,
                                     .n_attr = (uint32_t)(p - attr),
                                     .region = region });
}

/* ---- windows ---- */

/* size, stride, base dilation, dilation, low, high; the number of windows times their size. */
static int64_t any_window(Maker *m, const Shape *s, bool dilations, int64_t attr[6 * WEFT_MAX_RANK])
{
    int64_t work = 1;
    int r = s->rank;
    for (int i = 0; i < r; i++) {
        bool plain = chance(m, 40);
        attr[i] = plain ? 1 : 1 + below(m, 4);
        attr[r + i] = plain ? 1 : 1 + below(m, 3);
        attr[2 * r + i] = dilations && !plain && chance(m, 15) ? 2 : 1;
        attr[3 * r + i] = dilations && !plain && chance(m, 20) ? 2 : 1;
        attr[4 * r + i] = plain ? 0 : (int64_t)below(m, 4) - chance(m, 15);
        attr[5 * r + i] = plain ? 0 : (int64_t)below(m, 4) - chance(m, 15);
        work *= attr[i] * window_count((WindowDims){ attr, attr + r, attr + 2 * r, attr + 3 * r, attr + 4 * r,
                                                     attr + 5 * r },
                                       i, s->dim[i]);
    }
    return work;
}

Ref make_window(Maker *m)
{
    Ref a = maker_any(m);
    Shape s = shape_of(m, a), one = { 0, { 0 } };
    DType t = dtype_of(m, a);
    int64_t attr[6 * WEFT_MAX_RANK];
    if (any_window(m, &s, true, attr) > MAX_PRODUCTS / 4) return a;
    Op op = any_reducer(m, t);
    Ref start = maker_like(m, t, &one), args[] = { a, start };
    const Graph *region = make_reducer(m, op, t);
    return maker_put(m, &(NodeSpec){ .op = OP_REDUCE_WINDOW,
                                     .args = args,
                                     .n_args = 2,
                                     .attr = attr,
                                     .n_attr = 6 * (uint32_t)s.rank,
                                     .region = region });
}

Ref make_select_and_scatter(Maker *m)
{
    Ref a = maker_any(m);
    Shape s = shape_of(m, a), out = s, one = { 0, { 0 } };
    DType t = dtype_of(m, a);
    int64_t attr[6 * WEFT_MAX_RANK];
    int r = s.rank;
    if (m->options.smooth || any_window(m, &s, false, attr) > MAX_PRODUCTS / 16) return a;
    if (!infer_takes(OP_SELECT_AND_SCATTER, t)) return a;
    for (int i = 0; i < r; i++) {
        if (attr[4 * r + i] < 0) attr[4 * r + i] = 0;
        if (attr[5 * r + i] < 0) attr[5 * r + i] = 0;
        out.dim[i] =
            window_count((WindowDims){ attr, attr + r, NULL, NULL, attr + 4 * r, attr + 5 * r }, i, s.dim[i]);
        attr[2 * r + i] = attr[4 * r + i];
    }
    for (int i = 0; i < r; i++) attr[3 * r + i] = attr[5 * r + i];
    Graph *select = graph_new(m->g->arena, "select");
    Type scalar = { (uint8_t)t, 0, NULL };
    Ref p = build_param(select, scalar), q = build_param(select, scalar),
        ge = build_compare(select, CMP_GE, p, q);
    graph_set_outputs(select, &ge, 1);
    const Graph *regions[] = { select, make_reducer(m, infer_takes(OP_ADD, t) ? OP_ADD : OP_MAX, t) };
    Ref args[] = { a, maker_like(m, t, &out), maker_like(m, t, &one) };
    return maker_put(m, &(NodeSpec){ .op = OP_SELECT_AND_SCATTER,
                                     .args = args,
                                     .n_args = 3,
                                     .attr = attr,
                                     .n_attr = 4 * (uint32_t)r,
                                     .regions = regions,
                                     .n_regions = 2 });
}

/* ---- random bits ---- */

Ref make_rng_bits(Maker *m)
{
    Shape words = { 1, { 2 } }, s = maker_shape(m);
    Ref state = maker_like(m, WEFT_U64, &words);
    DType t = (DType)(WEFT_U8 + below(m, 4));
    Type results[] = { type_of(m, state), { (uint8_t)t, (uint8_t)s.rank, s.dim } };
    Ref r = maker_put(m, &(NodeSpec){ .op = OP_RNG_BITS,
                                      .args = &state,
                                      .n_args = 1,
                                      .attr = (int64_t[]){ below(m, 3) },
                                      .n_attr = 1,
                                      .results = results,
                                      .n_results = 2 });
    if (r == REF_NONE) return r;
    maker_keep(m, maker_attr(m, OP_RESULT, r, (int64_t[]){ 0 }, 1));
    return maker_attr(m, OP_RESULT, r, (int64_t[]){ 1 }, 1);
}
