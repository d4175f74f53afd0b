/* expand_sort.c: SORT where it is not left to the library: of which only the first elements are read, as a
 * fold; and of many short rows.
 *
 * These become a network of exchanges between slices along the axis. Elementwise ops fuse with what is around
 * them, lanes go across rows, and what nobody reads of the result is dead code.
 *
 *   - Of keys alone, where no two are equal but for equal bits: they are ints whose order is the wanted one,
 *     and an exchange is a minimum and a maximum, in the order of Batcher's odd-even merges.
 *   - Else an exchange compares and selects. It takes neighbours only, and only where the second stands
 *     strictly before the first: equals never pass each other, so the order is stable.
 *   - Floats alone, zeros and NaNs equal: a row without NaN and -0 needs no more than the first kind, by <.
 *     All rows take that network; a row that has such an element then takes the second kind too. */
#include "compiler/graph/attributes.h"
#include "compiler/graph/comparator.h"
#include "compiler/graph/rebuild.h"
#include "expand.h"
#include <math.h>
#include <string.h>

enum { MERGED = SORT_ZEROS_EQUAL | SORT_NANS_EQUAL };
enum {
    /* Minima and maxima, or compares and selects, of a network: a limit. For rows of 16 floats it takes as
     * long to compile as 500 rows in 1000 calls take less than in the library (60000 x 16: 6.3 -> 1.3 ms). */
    MOST_OPS = 500,
    /* Fewer rows leave lanes idle. */
    LEAST_ROWS = 64,
    /* Floats in a row that has two networks: shorter ones are faster with one (20000 x 4, whole rows: 15 us
     * both ways, of f64 29 and 40; 20000 x 9: 90 -> 60 us, their medians 58 -> 29), and the second of longer
     * ones is more than a region in a kernel may have (MAX_REGION of fuse/cost.h). */
    LEAST_TWICE = 5,
    MOST_TWICE = 12
};

typedef struct Network {
    Graph *g;
    SortOrder order;
    uint32_t n;     /* operands */
    DType *dtype;   /* theirs */
    int64_t length; /* of a row */
    bool alone;     /* exchanges are minima and maxima */
    bool floats;    /* wires are not bits, but floats alone */
    Ref **wire;     /* [operand][position]: bits */
    int n_ops;      /* so far */
} Network;

/* ---- keys */

static bool merges(SortKey k) { return k.flags & MERGED; }
static DType dtype_of(const Graph *g, Ref r) { return (DType)graph_type(g, r).dtype; }

/* A float, or an int of its bits whose order is the total order, as the other one: less than zero, the
 * magnitude is turned. */
static Ref turned(Graph *g, Ref bits)
{
    Type t = graph_type(g, bits);
    int high = (int)dtype_bits((DType)t.dtype) - 1;
    Ref sign = build_binary(g, OP_SHR_ARITH, bits, build_splat(g, t, (uint64_t)high)),
        magnitude = build_splat(g, t, (UINT64_C(1) << high) - 1);
    return build_binary(g, OP_XOR, bits, build_binary(g, OP_AND, sign, magnitude));
}

static Ref bits_of(Graph *g, Ref x)
{
    static const DType of_bytes[] = { [1] = WEFT_I8, [2] = WEFT_I16, [4] = WEFT_I32, [8] = WEFT_I64 };
    DType t = dtype_of(g, x);
    return dtype_is_float(t) ? build_bitcast(g, x, of_bytes[dtype_bytes(t)]) : x;
}

/* Is operand i a key that is compared as such an int? */
static bool is_turned(const Network *w, uint32_t i)
{
    for (uint32_t k = 0; k < w->order.n_keys; k++)
        if (w->order.key[k].operand == i) return dtype_is_float(w->dtype[i]) && !merges(w->order.key[k]);
    return false;
}

static Ref to_wire(const Network *w, uint32_t i, Ref x)
{
    Ref bits = bits_of(w->g, x);
    return is_turned(w, i) ? turned(w->g, bits) : bits;
}

static Ref from_wire(const Network *w, uint32_t i, Ref wire)
{
    return build_bitcast(w->g, is_turned(w, i) ? turned(w->g, wire) : wire, w->dtype[i]);
}

/* Does x stand strictly before y by key k? NaNs that are equal are the last; descending, the first. */
static Ref before_by(Graph *g, SortKey k, Ref x, Ref y)
{
    Ref low = k.flags & SORT_DESCENDING ? y : x, high = k.flags & SORT_DESCENDING ? x : y;
    if (!merges(k)) return build_compare(g, CMP_LT, low, high);
    return build_binary(g, OP_AND, build_unary(g, OP_NOT, build_compare(g, CMP_LE, high, low)),
                        build_compare(g, CMP_EQ, low, low));
}

static Ref equal_by(Graph *g, SortKey k, Ref x, Ref y)
{
    Ref equal = build_compare(g, CMP_EQ, x, y);
    if (!merges(k)) return equal;
    return build_binary(
        g, OP_OR, equal,
        build_binary(g, OP_AND, build_compare(g, CMP_NE, x, x), build_compare(g, CMP_NE, y, y)));
}

static Ref compared(const Network *w, SortKey k, int i)
{
    Ref wire = w->wire[k.operand][i];
    return merges(k) ? build_bitcast(w->g, wire, w->dtype[k.operand]) : wire;
}

/* Does the element at position i stand strictly before that at j? */
static Ref is_before(const Network *w, int i, int j)
{
    Ref before = REF_NONE;
    for (uint32_t r = w->order.n_keys; r-- > 0;) {
        SortKey k = w->order.key[r];
        Ref x = compared(w, k, i), y = compared(w, k, j), now = before_by(w->g, k, x, y);
        if (r + 1 < w->order.n_keys)
            now = build_binary(w->g, OP_OR, now, build_binary(w->g, OP_AND, equal_by(w->g, k, x, y), before));
        before = now;
    }
    return before;
}

/* ---- networks */

/* Where < tells floats apart, selects by it are the machine's minimum and maximum. */
static void exchange_floats(Network *w, int i, int j)
{
    bool down = w->order.key[0].flags & SORT_DESCENDING;
    Ref x = w->wire[0][i], y = w->wire[0][j],
        swap = w->alone ? build_compare(w->g, CMP_LT, down ? x : y, down ? y : x) : is_before(w, j, i);
    w->wire[0][i] = build_select(w->g, swap, y, x);
    w->wire[0][j] = build_select(w->g, swap, x, y);
}

/* Puts the elements at i < j in order. */
static void exchange(Network *w, int i, int j)
{
    w->n_ops += w->alone ? 2 : 2 * (int)w->n + 2 * (int)w->order.n_keys;
    if (!w->wire) return;
    if (w->floats) {
        exchange_floats(w, i, j);
        return;
    }
    if (w->alone) {
        bool descending = w->order.key[0].flags & SORT_DESCENDING;
        Ref x = w->wire[0][i], y = w->wire[0][j];
        w->wire[0][i] = build_binary(w->g, descending ? OP_MAX : OP_MIN, x, y);
        w->wire[0][j] = build_binary(w->g, descending ? OP_MIN : OP_MAX, x, y);
        return;
    }
    Ref swap = is_before(w, j, i);
    for (uint32_t k = 0; k < w->n; k++) {
        Ref x = w->wire[k][i], y = w->wire[k][j];
        w->wire[k][i] = build_select(w->g, swap, y, x);
        w->wire[k][j] = build_binary(w->g, OP_XOR, build_binary(w->g, OP_XOR, x, y), w->wire[k][i]);
    }
}

/* Rounds of neighbours, from the first and from the second on in turn. */
static void exchange_neighbours(Network *w)
{
    for (int round = 0; round < w->length; round++)
        for (int i = round % 2; i + 1 < w->length; i += 2) exchange(w, i, i + 1);
}

/* Knuth, The Art of Computer Programming 5.2.2, algorithm M. */
static void exchange_merging(Network *w)
{
    int top = 1;
    while (2 * top < w->length) top *= 2;
    for (int p = top; p > 0; p /= 2)
        for (int q = top, r = 0, d = p; d > 0; d = q - p, q /= 2, r = p)
            for (int i = 0; i + d < w->length; i++)
                if ((i & p) == r) exchange(w, i, i + d);
}

static void run_network(Network *w)
{
    w->n_ops = 0;
    if (w->alone) exchange_merging(w);
    else exchange_neighbours(w);
}

/* ---- the rule */

/* Do the keys stand in different operands, and are in each of them zeros and NaNs all told apart or all
 * equal? */
static bool has_plain_order(const Network *w)
{
    for (uint32_t k = 0; k < w->order.n_keys; k++) {
        SortKey key = w->order.key[k];
        if (merges(key) && (key.flags & MERGED) != MERGED) return false;
        for (uint32_t i = 0; i < k; i++)
            if (w->order.key[i].operand == key.operand) return false;
    }
    return true;
}

static bool pays(Network *w, Type t)
{
    int64_t rows = type_count(t) / w->length;
    if (w->length > SORT_SHORT_ROW || rows < LEAST_ROWS) return false;
    run_network(w);
    return w->n_ops <= MOST_OPS && w->n_ops <= rows;
}

static void sort_slices(Network *w, const Ref *args, int axis, Ref *out)
{
    w->wire = arena_alloc(w->g->arena, w->n * sizeof *w->wire);
    for (uint32_t k = 0; k < w->n; k++) {
        w->wire[k] = graph_refs(w->g->arena, (size_t)w->length);
        for (int i = 0; i < w->length; i++)
            w->wire[k][i] = to_wire(w, k, build_slice_along(w->g, args[k], axis, i, i + 1, 1));
    }
    run_network(w);
    for (uint32_t k = 0; k < w->n; k++) {
        for (int i = 0; i < w->length; i++) w->wire[k][i] = from_wire(w, k, w->wire[k][i]);
        out[k] = build_concatenate(w->g, w->wire[k], w->length, axis);
    }
}

/* ---- rows of floats with two networks */

static bool takes_two(const Network *w)
{
    return w->n == 1 && w->order.n_keys == 1 && merges(w->order.key[0]) && w->length >= LEAST_TWICE &&
           w->length <= MOST_TWICE && (w->dtype[0] == WEFT_F32 || w->dtype[0] == WEFT_F64);
}

/* Has the row a NaN or a -0? A sum is NaN where an element is (or where inf meets -inf, which does no harm);
 * of all ints -0's bits are the least. */
static Ref is_special(Graph *g, const Ref *x, int64_t n)
{
    Ref sum = x[0], least = bits_of(g, x[0]);
    for (int64_t i = 1; i < n; i++) {
        sum = build_binary(g, OP_ADD, sum, x[i]);
        least = build_binary(g, OP_MIN, least, bits_of(g, x[i]));
    }
    Type t = graph_type(g, least);
    Ref minus_zero = build_splat(g, t, UINT64_C(1) << (dtype_bits((DType)t.dtype) - 1));
    return build_binary(g, OP_OR, build_compare(g, CMP_NE, sum, sum),
                        build_compare(g, CMP_EQ, least, minus_zero));
}

/* The elements x in order, by the first kind of network (alone) or by the second. */
static const Ref *in_order(const Network *w, Graph *g, bool alone, const Ref *x)
{
    Ref *wire = graph_refs(g->arena, (size_t)w->length);
    Network in = *w;
    in.g = g;
    in.floats = true;
    in.alone = alone;
    in.wire = &wire;
    memcpy(wire, x, (size_t)w->length * sizeof *x);
    run_network(&in);
    return wire;
}

/* while (special) { out = x in order, by the second kind; special = false }. The loop carries x: what does
 * not change in it would be computed ahead of it. */
static bool order_special(const Network *w, RegionBuild *row, Ref special, const int64_t wanted[2])
{
    uint32_t n = (uint32_t)w->length, n_carry = n + row->n_out + 1;
    const Ref *x = row->g->params;
    RegionBuild cond = region_begin(row->g, NULL, n_carry, 1),
                body = region_begin(row->g, NULL, n_carry, n_carry);
    Ref *all = graph_refs(row->g->arena, n_carry), go = REF_NONE;
    for (uint32_t i = 0; i < n_carry; i++) {
        Ref arg = i < n ? x[i] : i < n + row->n_out ? row->out[i - n] : special;
        go = region_take(&cond, graph_type(row->g, arg), arg);
        region_take(&body, graph_type(row->g, arg), arg);
    }
    region_give(&cond, go);
    const Ref *ordered = in_order(w, body.g, false, body.g->params);
    for (uint32_t i = 0; i < n; i++) region_give(&body, body.g->params[i]);
    for (uint32_t i = 0; i < row->n_out; i++) region_give(&body, ordered[wanted[0] + i]);
    region_give(&body, build_splat(body.g, type_scalar(WEFT_BOOL), false));
    const Graph *test = region_end(&cond, row->g), *step = region_end(&body, row->g);
    if (!test || !step || !build_while(row->g, test, step, body.args, 0, n_carry, all)) return false;
    memcpy(row->out, all + n, row->n_out * sizeof *all);
    return true;
}

/* A map over rows. Positions that nobody wants may hold anything. */
static bool sort_twice(const Network *w, Ref x, int axis, const int64_t wanted[2], Ref *out)
{
    Graph *g = w->g;
    Ref *slice = graph_refs(g->arena, (size_t)w->length);
    RegionBuild row = region_begin(g, NULL, (size_t)w->length, (size_t)w->length);
    for (int i = 0; i < w->length; i++) {
        slice[i] = build_slice_along(g, x, axis, i, i + 1, 1);
        region_take(&row, type_scalar(w->dtype[0]), slice[i]);
    }
    const Ref *ordered = in_order(w, row.g, true, row.g->params);
    for (int64_t i = wanted[0]; i < wanted[1]; i++) region_give(&row, ordered[i]);
    if (!order_special(w, &row, is_special(row.g, row.g->params, w->length), wanted)) return false;
    const Graph *region = region_end(&row, g);
    Type t = graph_type(g, slice[0]);
    if (!region || !build_map(g, row.args, (uint32_t)w->length, t, region, slice + wanted[0])) return false;
    *out = build_concatenate(g, slice, (int)w->length, axis);
    return true;
}

/* ---- the first */

static bool is_key(const Network *w, uint32_t i) { return w->order.key[0].operand == i; }

/* Does r hold the positions along this axis, in ints that can? */
static bool counts(const Graph *g, Ref r, int64_t axis)
{
    const Node *n = graph_node(g, r);
    return n->op == OP_IOTA && n->attr[0] == axis && (n->dtype == WEFT_I64 || n->dtype == WEFT_I32) &&
           n->dim[axis] <= INT32_MAX;
}

/* Ints whose order is the wanted one. */
static Ref codes_of(const Network *w, Ref x)
{
    Graph *g = w->g;
    Type t = graph_type(g, x);
    if (!merges(w->order.key[0])) return to_wire(w, w->order.key[0].operand, x);
    Ref zeros = build_zeros(g, t), nan = build_splat(g, t, scalar_from_double((DType)t.dtype, NAN));
    x = build_select(g, build_compare(g, CMP_EQ, x, zeros), zeros, x);
    return turned(g, bits_of(g, build_select(g, build_compare(g, CMP_NE, x, x), nan, x)));
}

/* Only the first element of each row is read: of equals the one that stands first. It stands for all, since
 * nobody reads the others. */
static bool take_first(Network *w, const Ref *args, int64_t axis, int64_t results, Ref *out)
{
    Graph *g = w->g;
    Type t = graph_type(g, args[0]);
    int64_t others[WEFT_MAX_RANK];
    SortKey key = w->order.key[0];
    bool down = key.flags & SORT_DESCENDING;
    for (uint32_t i = 0; i < w->n; i++)
        if (results >> i & 1 && !counts(g, args[i], axis) && (!is_key(w, i) || merges(key))) return false;
    Ref codes = codes_of(w, args[key.operand]);
    axes_without((uint32_t)1 << axis, t.rank, others);
    for (uint32_t i = 0; i < w->n; i++) {
        Ref first;
        if (!(results >> i & 1)) continue;
        if (is_key(w, i)) first = from_wire(w, i, build_reduce(g, down ? OP_MAX : OP_MIN, codes, &axis, 1));
        else
            first = build_typed(g, down ? OP_ARGMAX : OP_ARGMIN, &codes, 1, &axis, 1, graph_type(g, args[i]));
        out[i] = build_broadcast(g, first, t.dim, t.rank, others);
    }
    return true;
}

bool expand_sort(const Graph *from, const Node *n, Graph *to, const Ref *args, Ref *out)
{
    Type t = graph_type(to, args[0]);
    int64_t axis = n->attr[0], wanted[2], results = sort_wanted(from, (Ref)(n - from->nodes), wanted);
    Network w = { .g = to,
                  .n = n->n_args,
                  .dtype = arena_alloc(to->arena, n->n_args * sizeof(DType)),
                  .length = t.dim[axis] };
    if (w.n > 64 || w.length < 2 || !sort_recognize(n->region, &w.order) || !has_plain_order(&w))
        return false;
    for (uint32_t i = 0; i < w.n; i++) {
        w.dtype[i] = dtype_of(to, args[i]);
        out[i] = args[i];
    }
    if (wanted[1] == 1 && w.order.n_keys == 1 && take_first(&w, args, axis, results, out)) return true;
    w.alone = w.n == 1 && w.order.n_keys == 1 && !merges(w.order.key[0]);
    if (!pays(&w, t)) return false;
    if (takes_two(&w) && wanted[0] < wanted[1]) return sort_twice(&w, args[0], (int)axis, wanted, out);
    sort_slices(&w, args, (int)axis, out);
    return true;
}
