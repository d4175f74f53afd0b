/* expand_sort.c: SORT where it is not left to the library: of which only the first elements are read, as a
 * fold; and of many short rows.
 *
 * These become a network of exchanges between slices along the axis. Elementwise ops fuse with what is around
 * them, lanes go across rows, and what nobody reads of the result is dead code.
 *
 *   - Of keys alone, where no two are equal but for equal bits: they are ints whose order is the wanted one,
 *     and an exchange is a minimum and a maximum. The network is the one that needs fewest of them for the
 *     positions that are read.
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

/* Pairs of wires, whose elements are put in order one after the other, and the wires that hold the wanted
 * positions then. */
typedef struct Pairs {
    uint8_t (*pair)[2], *at;
    int n_pairs, n_ops; /* n_ops: minima and maxima that lead to what is wanted */
} Pairs;

typedef struct Network {
    Graph *g;
    SortOrder order;
    uint32_t n;     /* operands */
    DType *dtype;   /* theirs */
    int64_t length; /* of a row */
    int from, to;   /* the positions that are wanted */
    bool alone;     /* exchanges are minima and maxima */
    bool floats;    /* wires are not bits, but floats alone */
    bool has_fma;   /* the machine has multiply-adds */
    Ref **wire;     /* [operand][position]: bits */
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
    if (w->floats) return x;
    Ref bits = bits_of(w->g, x);
    return is_turned(w, i) ? turned(w->g, bits) : bits;
}

static Ref from_wire(const Network *w, uint32_t i, Ref wire)
{
    if (w->floats) return wire;
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

/* ---- pairs */

static Pairs pairs_none(Arena *a, int most, int n_wanted)
{
    return (Pairs){ .pair = arena_alloc(a, (size_t)most * sizeof(uint8_t[2])),
                    .at = arena_alloc(a, (size_t)n_wanted) };
}

static void add_pair(Pairs *p, int i, int j)
{
    p->pair[p->n_pairs][0] = (uint8_t)i;
    p->pair[p->n_pairs++][1] = (uint8_t)j;
}

/* The pairs of a part, whose wires are these. */
static void add_pairs(Pairs *p, const Pairs *part, const uint8_t *wire)
{
    for (int i = 0; i < part->n_pairs; i++) add_pair(p, wire[part->pair[i][0]], wire[part->pair[i][1]]);
}

static void count_ops(Pairs *p, int n_wanted)
{
    uint64_t read = 0;
    p->n_ops = 0;
    for (int i = 0; i < n_wanted; i++) read |= UINT64_C(1) << p->at[i];
    for (int i = p->n_pairs; i-- > 0;) {
        uint64_t first = UINT64_C(1) << p->pair[i][0], second = UINT64_C(1) << p->pair[i][1];
        p->n_ops += ((read & first) != 0) + ((read & second) != 0);
        if (read & (first | second)) read |= first | second;
    }
}

/* Rounds of neighbours, from the first and from the second on in turn. */
static Pairs pairs_of_neighbours(Arena *a, int n, int from, int to)
{
    Pairs p = pairs_none(a, n * n, to - from);
    for (int round = 0; round < n; round++)
        for (int i = round % 2; i + 1 < n; i += 2) add_pair(&p, i, i + 1);
    for (int i = from; i < to; i++) p.at[i - from] = (uint8_t)i;
    return p;
}

/* Batcher's odd-even merges: Knuth, The Art of Computer Programming 5.2.2, algorithm M. The mirror image is
 * one, too, of which other ops are alive. */
static Pairs pairs_of_merges(Arena *a, int n, int from, int to, bool mirrored)
{
    Pairs out = pairs_none(a, n * n, to - from);
    int top = 1;
    while (2 * top < n) top *= 2;
    for (int p = top; p > 0; p /= 2)
        for (int q = top, r = 0, d = p; d > 0; d = q - p, q /= 2, r = p)
            for (int i = 0; i + d < n; i++)
                if ((i & p) == r) add_pair(&out, mirrored ? n - 1 - i - d : i, mirrored ? n - 1 - i : i + d);
    for (int i = from; i < to; i++) out.at[i - from] = (uint8_t)i;
    count_ops(&out, to - from);
    return out;
}

static Pairs best_pairs(Arena *a, int n, int from, int to);

/* A grid whose columns are sorted, then its rows: they all are in order then. The element at row i, column
 * j has (i + 1) (j + 1) - 1 others that are no larger, and (rows - i) (columns - j) - 1 that are no
 * smaller. Where that rules the wanted positions out it is left behind; what is wanted is sought among the
 * others. (The median of 9 elements: 30 ops, of merges 36; the first two of 25: 87, 161.) */
static bool pairs_of_grid(Arena *a, int n, int from, int to, int rows, Pairs *out)
{
    int columns = n / rows, low = 0, n_rest = 0;
    uint8_t wire[SORT_SHORT_ROW], rest[SORT_SHORT_ROW];
    Pairs column = best_pairs(a, rows, 0, rows);
    *out = pairs_none(a, 2 * n * n, to - from);
    for (int j = 0; j < columns; j++) {
        for (int i = 0; i < rows; i++) wire[i] = (uint8_t)(columns * i + j);
        add_pairs(out, &column, wire);
    }
    for (int i = 0; i < rows; i++) {
        int begin = columns, end = 0;
        for (int j = 0; j < columns; j++) {
            if ((i + 1) * (j + 1) - 1 >= to) continue;
            if (n - (rows - i) * (columns - j) < from) {
                low++;
                continue;
            }
            if (j < begin) begin = j;
            end = j + 1;
        }
        if (begin >= end) continue;
        Pairs row = best_pairs(a, columns, begin, end);
        for (int j = 0; j < columns; j++) wire[j] = (uint8_t)(columns * column.at[i] + j);
        add_pairs(out, &row, wire);
        for (int j = begin; j < end; j++) rest[n_rest++] = wire[row.at[j - begin]];
    }
    if (n_rest == n) return false;
    Pairs last = best_pairs(a, n_rest, from - low, to - low);
    add_pairs(out, &last, rest);
    for (int i = 0; i < to - from; i++) out->at[i] = rest[last.at[i]];
    count_ops(out, to - from);
    return true;
}

/* Those that need fewest ops for the elements at these positions. */
static Pairs best_pairs(Arena *a, int n, int from, int to)
{
    Pairs best = pairs_of_merges(a, n, from, to, false), other = pairs_of_merges(a, n, from, to, true);
    if (other.n_ops < best.n_ops) best = other;
    for (int rows = 2; rows < n && to - from < n; rows++)
        if (n % rows == 0 && pairs_of_grid(a, n, from, to, rows, &other) && other.n_ops < best.n_ops)
            best = other;
    return best;
}

/* ---- networks */

static Pairs pairs_of(const Network *w)
{
    Arena *a = w->g->arena;
    return w->alone ? best_pairs(a, (int)w->length, w->from, w->to)
                    : pairs_of_neighbours(a, (int)w->length, w->from, w->to);
}

/* Where < tells floats apart, selects by it are the machine's minimum and maximum. */
static void exchange_floats(Network *w, int i, int j)
{
    bool down = w->order.key[0].flags & SORT_DESCENDING;
    Ref x = w->wire[0][i], y = w->wire[0][j],
        swap = w->alone ? build_compare(w->g, CMP_LT, down ? x : y, down ? y : x) : is_before(w, j, i);
    w->wire[0][i] = build_select(w->g, swap, y, x);
    w->wire[0][j] = build_select(w->g, swap, x, y);
}

/* Puts the elements at i and j in order. */
static void exchange(Network *w, int i, int j)
{
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

/* The wires that hold the wanted positions. */
static const uint8_t *run_network(Network *w)
{
    Pairs p = pairs_of(w);
    for (int i = 0; i < p.n_pairs; i++) exchange(w, p.pair[i][0], p.pair[i][1]);
    return p.at;
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

static bool pays(const Network *w, Type t)
{
    int64_t rows = type_count(t) / w->length;
    if (w->length > SORT_SHORT_ROW || rows < LEAST_ROWS) return false;
    Pairs p = pairs_of(w);
    int n_ops = w->alone ? p.n_ops : p.n_pairs * 2 * ((int)w->n + (int)w->order.n_keys);
    return n_ops <= MOST_OPS && n_ops <= rows;
}

/* Positions that nobody wants may hold anything. */
static void sort_slices(Network *w, const Ref *args, int axis, Ref *out)
{
    w->wire = arena_alloc(w->g->arena, w->n * sizeof *w->wire);
    for (uint32_t k = 0; k < w->n; k++) {
        w->wire[k] = graph_refs(w->g->arena, (size_t)w->length);
        for (int i = 0; i < w->length; i++)
            w->wire[k][i] = to_wire(w, k, build_slice_along(w->g, args[k], axis, i, i + 1, 1));
    }
    const uint8_t *at = run_network(w);
    Ref *sorted = graph_refs(w->g->arena, (size_t)w->length);
    for (uint32_t k = 0; k < w->n; k++) {
        for (int i = 0; i < w->length; i++)
            sorted[i] = from_wire(w, k, w->wire[k][i < w->from || i >= w->to ? i : at[i - w->from]]);
        out[k] = build_concatenate(w->g, sorted, w->length, axis);
    }
}

/* ---- rows of floats with two networks */

static bool takes_two(const Network *w)
{
    return w->floats && w->length >= LEAST_TWICE && w->length <= MOST_TWICE;
}

/* One row, in a region: its elements and those of them in order that are wanted. */
typedef struct Row {
    Graph *g;
    const Ref *x;
    Ref *out;
    uint32_t n_out;
} Row;

/* NaN where one is (or where inf meets -inf, which does no harm): a sum, by multiply-adds where they are
 * instructions. Minima, maxima and sums wait for the same units, those have others (Zen 4: 30 minima and
 * maxima with 8 sums take 20.2 cycles, with 8 multiply-adds 17.3). */
static Ref nan_of_two(const Network *w, Graph *g, Ref x, Ref y)
{
    Type t = graph_type(g, x);
    Ref half = build_splat(g, t, scalar_from_double((DType)t.dtype, 0.5));
    return w->has_fma ? build_typed(g, OP_FMA, (Ref[]){ x, half, y }, 3, NULL, 0, t)
                      : build_binary(g, OP_ADD, x, y);
}

/* NaN where one is. */
static Ref nan_of_all(const Network *w, Graph *g, const Ref *x, uint32_t n)
{
    Ref *sum = arena_copy(g->arena, x, n * sizeof *x);
    for (; n > 1; n -= n / 2)
        for (uint32_t i = 0; i < n / 2; i++) sum[i] = nan_of_two(w, g, sum[i], sum[n - 1 - i]);
    return sum[0];
}

static Ref has_nan(const Network *w, Graph *g, const Ref *x, uint32_t n)
{
    Ref sum = nan_of_all(w, g, x, n);
    return build_compare(g, CMP_NE, sum, sum);
}

static Ref has_minus_zero(Graph *g, const Ref *x, uint32_t n)
{
    Ref least = bits_of(g, x[0]); /* of all ints -0's bits are the least */
    for (uint32_t i = 1; i < n; i++) least = build_binary(g, OP_MIN, least, bits_of(g, x[i]));
    Type t = graph_type(g, least);
    return build_compare(g, CMP_EQ, least,
                         build_splat(g, t, UINT64_C(1) << (dtype_bits((DType)t.dtype) - 1)));
}

/* Is one of `of` a zero, or sum NaN? By one comparison of each, if there are such, with what is NaN, or zero
 * where the sum is finite: that it is true of infinite sums too does no harm. */
static Ref has_nan_or_zero(const Network *w, Graph *g, Ref sum, const Ref *of, uint32_t n)
{
    Ref any = REF_NONE, zeros = build_zeros(g, graph_type(g, sum)),
        zero = w->has_fma ? build_binary(g, OP_MUL, sum, zeros) : zeros;
    for (uint32_t i = 0; i < n; i++) {
        Ref is = w->has_fma ? build_unary(g, OP_NOT,
                                          build_binary(g, OP_OR, build_compare(g, CMP_LT, zero, of[i]),
                                                       build_compare(g, CMP_GT, zero, of[i])))
                            : build_compare(g, CMP_EQ, zero, of[i]);
        any = i ? build_binary(g, OP_OR, any, is) : is;
    }
    return w->has_fma ? any : build_binary(g, OP_OR, build_compare(g, CMP_NE, sum, sum), any);
}

/* By the first kind of network (alone) or by the second. */
static bool sort_row(const Network *w, Row *row, bool alone)
{
    Ref *wire = graph_refs(row->g->arena, (size_t)w->length);
    Network in = *w;
    in.g = row->g;
    in.floats = true;
    in.alone = alone;
    in.wire = &wire;
    memcpy(wire, row->x, (size_t)w->length * sizeof *wire);
    const uint8_t *at = run_network(&in);
    for (uint32_t i = 0; i < row->n_out; i++) row->out[i] = wire[at[i]];
    return true;
}

/* while (special) { then; special = false }, which is a branch. It carries x: what does not change in a loop
 * would be computed ahead of it. */
static bool where_special(const Network *w, Row *row, Ref special, bool (*then)(const Network *, Row *))
{
    uint32_t n = (uint32_t)w->length, n_carry = n + row->n_out + 1;
    RegionBuild cond = region_begin(row->g, NULL, n_carry, 1),
                body = region_begin(row->g, NULL, n_carry, n_carry);
    Ref *all = graph_refs(row->g->arena, n_carry), go = REF_NONE;
    for (uint32_t i = 0; i < n_carry; i++) {
        Ref arg = i == 0 ? special : i <= n ? row->x[i - 1] : row->out[i - n - 1];
        Ref taken = region_take(&cond, graph_type(row->g, arg), arg);
        if (i == 0) go = taken;
        region_take(&body, graph_type(row->g, arg), arg);
    }
    region_give(&cond, go);
    const Ref *params = body.g->params + 1;
    Row in = { body.g, params, arena_copy(body.g->arena, params + n, row->n_out * sizeof *params),
               row->n_out };
    if (!then(w, &in)) return false;
    region_give(&body, build_splat(body.g, type_scalar(WEFT_BOOL), false));
    for (uint32_t i = 0; i < n; i++) region_give(&body, params[i]);
    for (uint32_t i = 0; i < row->n_out; i++) region_give(&body, in.out[i]);
    const Graph *test = region_end(&cond, row->g), *step = region_end(&body, row->g);
    if (!test || !step || !build_while(row->g, test, step, body.args, 0, n_carry, all)) return false;
    memcpy(row->out, all + 1 + n, row->n_out * sizeof *all);
    return true;
}

static bool sort_special(const Network *w, Row *row) { return sort_row(w, row, false); }

static bool sort_if_special(const Network *w, Row *row)
{
    uint32_t n = (uint32_t)w->length;
    Ref special =
        build_binary(row->g, OP_OR, has_nan(w, row->g, row->x, n), has_minus_zero(row->g, row->x, n));
    return where_special(w, row, special, sort_special);
}

/* Where nothing is NaN, all results that are no zeros are right whether or not there is a -0: if few are
 * wanted, they are looked at first. */
static bool sort_either(const Network *w, Row *row)
{
    uint32_t n = (uint32_t)w->length;
    sort_row(w, row, true);
    if (2 * row->n_out > n) return sort_if_special(w, row);
    Ref suspect = has_nan_or_zero(w, row->g, nan_of_all(w, row->g, row->x, n), row->out, row->n_out);
    return where_special(w, row, suspect, sort_if_special);
}

/* A map over rows. Positions that nobody wants may hold anything. */
static bool sort_twice(const Network *w, Ref x, int axis, Ref *out)
{
    Graph *g = w->g;
    uint32_t n = (uint32_t)w->length, n_out = (uint32_t)(w->to - w->from);
    Ref *slice = graph_refs(g->arena, n);
    RegionBuild row = region_begin(g, NULL, n, n_out);
    for (uint32_t i = 0; i < n; i++) {
        slice[i] = build_slice_along(g, x, axis, i, i + 1, 1);
        region_take(&row, type_scalar(w->dtype[0]), slice[i]);
    }
    Row in = { row.g, row.g->params, graph_refs(g->arena, n_out), n_out };
    if (!sort_either(w, &in)) return false;
    for (uint32_t i = 0; i < n_out; i++) region_give(&row, in.out[i]);
    const Graph *region = region_end(&row, g);
    Type t = graph_type(g, slice[0]);
    if (!region || !build_map(g, row.args, n, t, region, slice + w->from)) return false;
    *out = build_concatenate(g, slice, (int)n, axis);
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

bool expand_sort(const Graph *from, const Node *n, Graph *to, const Ref *args, bool has_fma, Ref *out)
{
    Type t = graph_type(to, args[0]);
    int64_t axis = n->attr[0], wanted[2], results = sort_wanted(from, (Ref)(n - from->nodes), wanted);
    Network w = { .g = to,
                  .n = n->n_args,
                  .has_fma = has_fma,
                  .dtype = arena_alloc(to->arena, n->n_args * sizeof(DType)),
                  .length = t.dim[axis],
                  .from = (int)wanted[0],
                  .to = (int)wanted[1] };
    if (w.n > 64 || w.length < 2 || w.from >= w.to || !sort_recognize(n->region, &w.order) ||
        !has_plain_order(&w))
        return false;
    for (uint32_t i = 0; i < w.n; i++) {
        w.dtype[i] = dtype_of(to, args[i]);
        out[i] = args[i];
    }
    if (wanted[1] == 1 && w.order.n_keys == 1 && take_first(&w, args, axis, results, out)) return true;
    w.floats = w.n == 1 && w.order.n_keys == 1 && merges(w.order.key[0]) &&
               (w.dtype[0] == WEFT_F32 || w.dtype[0] == WEFT_F64);
    w.alone = w.n == 1 && w.order.n_keys == 1 && !merges(w.order.key[0]);
    if (!pays(&w, t)) return false;
    if (takes_two(&w)) return sort_twice(&w, args[0], (int)axis, out);
    sort_slices(&w, args, (int)axis, out);
    return true;
}
