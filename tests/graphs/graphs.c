/* graphs.c: the random program generator: how it picks ops, types and shapes.
 *
 * A program keeps a pool of values. Each step picks one of the recipes of makers[], which takes operands from
 * the pool and makes them fit each other (convert, broadcast, reduce, reshape), so nothing has to be thrown
 * away. Four axis sizes are drawn per program and shared, so that shapes often agree.
 */
#include "tests/graphs/graphs_parts.h"
#include <stdio.h>

uint64_t rng_bits(Rng *r) /* splitmix64 */
{
    uint64_t z = r->state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}
uint32_t rng_below(Rng *r, uint32_t n) { return (uint32_t)((rng_bits(r) >> 32) * n >> 32); }
bool rng_chance(Rng *r, uint32_t percent) { return rng_below(r, 100) < percent; }

Shape shape_of(const Maker *m, Ref r)
{
    Type t = type_of(m, r);
    Shape s = { t.rank, { 0 } };
    for (int i = 0; i < t.rank; i++) s.dim[i] = t.dim[i];
    return s;
}

int64_t shape_count(const Shape *s)
{
    int64_t n = 1;
    for (int i = 0; i < s->rank; i++) n *= s->dim[i];
    return n;
}

bool random_shape_equal(const Shape *a, const Shape *b)
{
    if (a->rank != b->rank) return false;
    for (int i = 0; i < a->rank; i++)
        if (a->dim[i] != b->dim[i]) return false;
    return true;
}

/* Every node goes through here. */
Ref maker_put(Maker *m, const NodeSpec *spec)
{
    Ref r = m->options.raw ? graph_add_raw(m->g, spec) : graph_add(m->g, spec);
    if (r == REF_NONE) m->failed = true;
    return r;
}

static Ref put_unary(Maker *m, Op op, Ref a)
{
    return maker_put(m, &(NodeSpec){ .op = op, .args = &a, .n_args = 1 });
}
Ref maker_binary(Maker *m, Op op, Ref a, Ref b)
{
    return maker_put(m, &(NodeSpec){ .op = op, .args = (Ref[]){ a, b }, .n_args = 2 });
}
Ref maker_attr(Maker *m, Op op, Ref a, const int64_t *attr, uint32_t n)
{
    return maker_put(m, &(NodeSpec){ .op = op, .args = &a, .n_args = 1, .attr = attr, .n_attr = n });
}

void maker_keep(Maker *m, Ref r)
{
    if (r == REF_NONE || m->n_pool == POOL) return;
    m->used[m->n_pool] = false;
    m->pool[m->n_pool++] = r;
}

/* Younger values are picked more often, so that programs grow deep. */
Ref maker_any(Maker *m)
{
    uint32_t i = below(m, (uint32_t)m->n_pool), j = below(m, (uint32_t)m->n_pool);
    if (j > i) i = j;
    m->used[i] = true;
    return m->pool[i];
}

DType maker_dtype(Maker *m)
{
    static const uint8_t usual[] = { WEFT_F32, WEFT_F32, WEFT_F32, WEFT_F32,  WEFT_F32, WEFT_F64,
                                     WEFT_F64, WEFT_I32, WEFT_I32, WEFT_BF16, WEFT_F16 };
    bool real =
        m->options.smooth || m->options.curved; /* derivatives of complex numbers have tests of their own */
    return (DType)(chance(m, 65) ? usual[below(m, sizeof usual)] : below(m, real ? WEFT_C64 : DTYPE_COUNT));
}

DType maker_int(Maker *m) { return (DType)(WEFT_I8 + below(m, 8)); }

Shape maker_shape(Maker *m)
{
    Shape s = { 0, { 0 } };
    int rank = (int)below(m, 4);
    for (int i = 0; i < 4 && s.rank < rank; i++)
        if (chance(m, 60)) s.dim[s.rank++] = m->axis[i];
    while (shape_count(&s) > MAX_ELEMENTS / 2) s.rank--;
    return s;
}

Ref maker_leaf(Maker *m, DType t, const Shape *s)
{
    Type type = { (uint8_t)t, (uint8_t)s->rank, s->dim };
    if (t != WEFT_BOOL && s->rank > 0 && chance(m, 5))
        return maker_put(m, &(NodeSpec){ .op = OP_IOTA,
                                         .attr = (int64_t[]){ below(m, (uint32_t)s->rank) },
                                         .n_attr = 1,
                                         .dtype = t,
                                         .dim = s->dim,
                                         .rank = s->rank });
    if (m->closed || chance(m, 15)) {
        uint64_t one[2] = { 0 };
        random_fill((Type){ (uint8_t)t, 0, NULL }, one, &m->rng, m->options.smooth || m->options.curved);
        return maker_put(m, &(NodeSpec){ .op = OP_CONSTANT,
                                         .attr = (int64_t[]){ 1 },
                                         .n_attr = 1,
                                         .dtype = t,
                                         .dim = s->dim,
                                         .rank = s->rank,
                                         .data = one });
    }
    if (!m->closed && chance(m, 10) && shape_count(s) < 64) {
        uint64_t data[128];
        random_fill(type, data, &m->rng, m->options.smooth || m->options.curved);
        return maker_put(m, &(NodeSpec){ .op = OP_CONSTANT,
                                         .attr = (int64_t[]){ 0 },
                                         .n_attr = 1,
                                         .dtype = t,
                                         .dim = s->dim,
                                         .rank = s->rank,
                                         .data = data });
    }
    int64_t number = m->g->n_params;
    return maker_put(
        m,
        &(NodeSpec){
            .op = OP_PARAMETER, .attr = &number, .n_attr = 1, .dtype = t, .dim = s->dim, .rank = s->rank });
}

/* Operands made to fit. */

/* Rounding a float to an int jumps: a smooth program takes a new leaf instead. */
static Ref as_dtype(Maker *m, Ref r, DType t)
{
    if (r == REF_NONE || dtype_of(m, r) == t) return r;
    Shape s = shape_of(m, r);
    if (m->options.smooth && dtype_is_float(dtype_of(m, r)) && !dtype_is_float(t))
        return maker_leaf(m, t, &s);
    return maker_put(m, &(NodeSpec){ .op = OP_CONVERT, .args = &r, .n_args = 1, .dtype = t });
}

/* Whether the axes of `small` can be found in order among those of `big` (or are 1 where it has another
 * size). */
static bool axes_within(const Shape *small, const Shape *big, int64_t *axes)
{
    int at = 0;
    for (int i = 0; i < small->rank; i++, at++) {
        while (at < big->rank && small->dim[i] != big->dim[at] && small->dim[i] != 1) at++;
        if (at >= big->rank) return false;
        axes[i] = at;
    }
    return true;
}

Ref maker_reduce(Maker *m, Op monoid, Ref r, const int64_t *axes, int n)
{
    int64_t attr[1 + WEFT_MAX_RANK] = { monoid };
    for (int i = 0; i < n; i++) attr[1 + i] = axes[i];
    return maker_attr(m, OP_REDUCE, r, attr, (uint32_t)n + 1);
}

static Ref as_shape(Maker *m, Ref r, const Shape *want)
{
    if (r == REF_NONE) return r;
    Shape have = shape_of(m, r);
    int64_t axes[WEFT_MAX_RANK];
    if (random_shape_equal(&have, want)) return r;
    if (shape_count(&have) == shape_count(want) && chance(m, 70))
        return maker_put(
            m,
            &(NodeSpec){ .op = OP_RESHAPE, .args = &r, .n_args = 1, .dim = want->dim, .rank = want->rank });
    if (!axes_within(&have, want, axes)) {
        for (int i = 0; i < have.rank; i++) axes[i] = i;
        r = maker_reduce(m, chance(m, 50) ? OP_MAX : OP_MIN, r, axes, have.rank);
    }
    return r == REF_NONE ? r
                         : maker_put(m, &(NodeSpec){ .op = OP_BROADCAST,
                                                     .args = &r,
                                                     .n_args = 1,
                                                     .attr = axes,
                                                     .n_attr = type_of(m, r).rank,
                                                     .dim = want->dim,
                                                     .rank = want->rank });
}

static Ref like(Maker *m, Ref r, DType t, const Shape *s) { return as_shape(m, as_dtype(m, r, t), s); }

/* How much must be done to r before it has this type: 0 nothing, 1 a convert, 2 a broadcast, 3 both, 4
 * more. */
static int misfit(const Maker *m, Ref r, DType t, const Shape *s)
{
    Shape have = shape_of(m, r);
    int64_t axes[WEFT_MAX_RANK];
    int convert = dtype_of(m, r) != t;
    return random_shape_equal(&have, s) ? convert : axes_within(&have, s, axes) ? 2 + convert : 4;
}

/* The best of a few picks, made to fit; a new leaf when there is none or by chance. */
Ref maker_like(Maker *m, DType t, const Shape *s)
{
    int best = -1, least = chance(m, 10) ? 5 : 4;
    for (int tries = chance(m, 15) ? 0 : 6; tries > 0; tries--) {
        int i = (int)below(m, (uint32_t)m->n_pool), cost = misfit(m, m->pool[i], t, s);
        if (cost < least) least = cost, best = i;
    }
    if (best >= 0) {
        m->used[best] = true;
        return like(m, m->pool[best], t, s);
    }
    Ref r = maker_leaf(m, t, s);
    maker_keep(m, r);
    return r;
}

/* Elementwise. */

static bool op_is_smooth(Op op)
{
    switch (op) {
    case OP_NEG:
    case OP_ABS:
    case OP_SIN:
    case OP_COS:
    case OP_TANH:
    case OP_ATAN:
    case OP_LOGISTIC:
    case OP_ERF:
    case OP_ASINH:
    case OP_ADD:
    case OP_SUB:
    case OP_MUL:
    case OP_MAX:
    case OP_MIN:
    case OP_SELECT:
    case OP_CLAMP:    return true;
    default:          return false;
    }
}

static bool op_is_curved(Op op)
{
    switch (op) {
    case OP_EXP:
    case OP_EXPM1:
    case OP_SQUARE:
    case OP_SINH:
    case OP_COSH:
    case OP_ERFC:
    case OP_ATAN2:
    case OP_DIV:
    case OP_SIGN:
    case OP_BESSEL_I1E: return true;
    default:            return op_is_smooth(op);
    }
}

/* The recipes of these are long: now and then is enough. */
static bool op_is_long(Op op)
{
    switch (op) {
    case OP_LGAMMA:
    case OP_DIGAMMA:
    case OP_POLYGAMMA:
    case OP_ZETA:
    case OP_POW:
    case OP_REM:
    case OP_ERF_INV:
    case OP_BESSEL_I1E:
    case OP_TAN:
    case OP_ATAN2:      return true;
    default:            return false;
    }
}

/* A random op of so many operands that takes t and needs no attributes; OP_COUNT if a few tries find none. */
static Op any_op(Maker *m, int n_args, DType t)
{
    for (int tries = 0; tries < 200; tries++) {
        Op op = (Op)below(m, OP_COUNT);
        if (!op_is_ew(op) || op_info[op].args != n_args || !infer_takes(op, t)) continue;
        if (op == OP_CONVERT || op == OP_BITCAST || op == OP_COMPARE || op == OP_REDUCE_PRECISION ||
            op == OP_SELECT || op == OP_CLAMP)
            continue;
        if (m->options.smooth && dtype_is_float(t) && !op_is_smooth(op)) continue;
        if (m->options.curved && dtype_is_float(t) && !op_is_curved(op)) continue;
        if (op_is_long(op) && !chance(m, 5)) continue;
        if (n_args == 2 && op_info[op].types[0] == 'F' && !chance(m, 40)) continue;
        return op;
    }
    return OP_COUNT;
}

static Ref make_unary(Maker *m)
{
    Ref a = maker_any(m);
    Op op = any_op(m, 1, dtype_of(m, a));
    return op == OP_COUNT ? a : put_unary(m, op, a);
}

static Ref make_binary(Maker *m)
{
    Ref a = maker_any(m);
    Shape s = shape_of(m, a);
    Op op = any_op(m, 2, dtype_of(m, a));
    if (op == OP_COUNT) return a;
    Ref b = maker_like(m, dtype_of(m, a), &s);
    return chance(m, 50) ? maker_binary(m, op, a, b) : maker_binary(m, op, b, a);
}

Ref maker_compare(Maker *m, CompareDir dir, CompareOrder order, Ref a, Ref b)
{
    return maker_put(m, &(NodeSpec){ .op = OP_COMPARE,
                                     .args = (Ref[]){ a, b },
                                     .n_args = 2,
                                     .attr = (int64_t[]){ dir, order },
                                     .n_attr = 2 });
}

/* Zero instead of NaN, whose bits nobody promises. */
Ref maker_without_nan(Maker *m, Ref a)
{
    Type t = type_of(m, a);
    uint64_t zero = 0;
    Ref z = maker_put(m, &(NodeSpec){ .op = OP_CONSTANT,
                                      .attr = (int64_t[]){ 1 },
                                      .n_attr = 1,
                                      .dtype = (DType)t.dtype,
                                      .dim = t.dim,
                                      .rank = t.rank,
                                      .data = &zero });
    return maker_put(m, &(NodeSpec){ .op = OP_SELECT,
                                     .args = (Ref[]){ maker_compare(m, CMP_EQ, ORDER_FLOAT, a, a), a, z },
                                     .n_args = 3 });
}

static Ref make_compare(Maker *m)
{
    Ref a = maker_any(m);
    DType t = dtype_of(m, a);
    if (m->options.smooth && dtype_is_float(t)) return a;
    Shape s = shape_of(m, a);
    Ref b = maker_like(m, t, &s);
    CompareOrder order = compare_order(t);
    if (dtype_is_float(t) && chance(m, 20)) {
        order = ORDER_TOTAL;
        a = maker_without_nan(m, a);
        b = maker_without_nan(m, b);
    }
    return maker_compare(m, (CompareDir)below(m, dtype_is_complex(t) ? 2 : 6), order, a, b);
}

static Ref make_select(Maker *m)
{
    Ref a = maker_any(m);
    Shape s = shape_of(m, a), one = { 0, { 0 } };
    Ref b = maker_like(m, dtype_of(m, a), &s), p = maker_like(m, WEFT_BOOL, chance(m, 15) ? &one : &s);
    return maker_put(m, &(NodeSpec){ .op = OP_SELECT, .args = (Ref[]){ p, a, b }, .n_args = 3 });
}

static Ref make_clamp(Maker *m)
{
    Ref a = maker_any(m);
    DType t = dtype_of(m, a);
    Shape s = shape_of(m, a), one = { 0, { 0 } };
    if (!infer_takes(OP_CLAMP, t)) return a;
    Ref low = maker_like(m, t, chance(m, 50) ? &one : &s), high = maker_like(m, t, chance(m, 50) ? &one : &s);
    return maker_put(m, &(NodeSpec){ .op = OP_CLAMP, .args = (Ref[]){ low, a, high }, .n_args = 3 });
}

static Ref make_fma(Maker *m)
{
    Ref a = maker_any(m);
    DType t = dtype_of(m, a);
    Shape s = shape_of(m, a);
    if (!infer_takes(OP_FMA, t)) return a;
    Ref b = maker_like(m, t, &s), c = maker_like(m, t, &s);
    return maker_put(m, &(NodeSpec){ .op = OP_FMA, .args = (Ref[]){ a, b, c }, .n_args = 3 });
}

static Ref make_convert(Maker *m)
{
    Ref a = maker_any(m);
    DType t = maker_dtype(m);
    return m->options.smooth && dtype_is_float(dtype_of(m, a)) && !dtype_is_float(t) ? a : as_dtype(m, a, t);
}

static Ref make_bitcast(Maker *m)
{
    Ref a = maker_any(m);
    Type t = type_of(m, a);
    DType to = maker_dtype(m);
    if (m->options.smooth || m->options.curved || t.dtype == WEFT_BOOL || to == WEFT_BOOL || t.rank >= RANK)
        return a;
    size_t from_bytes = dtype_bytes((DType)t.dtype), to_bytes = dtype_bytes(to);
    if (from_bytes < to_bytes && (t.rank == 0 || t.dim[t.rank - 1] != (int64_t)(to_bytes / from_bytes)))
        return a;
    if (dtype_is_complex((DType)t.dtype)) return a; /* a NaN in one part */
    if (dtype_is_float((DType)t.dtype)) a = maker_without_nan(m, a);
    return maker_put(m, &(NodeSpec){ .op = OP_BITCAST, .args = &a, .n_args = 1, .dtype = to });
}

static Ref make_reduce_precision(Maker *m)
{
    Ref a = maker_any(m);
    if (m->options.smooth || m->options.curved || !dtype_is_float(dtype_of(m, a))) return a;
    return maker_attr(m, OP_REDUCE_PRECISION, a, (int64_t[]){ 2 + below(m, 9), below(m, 24) }, 2);
}

/* A row program, as people write them: softmax, a norm, or the distance of all pairs. */
static Ref make_row_program(Maker *m)
{
    Shape s = maker_shape(m);
    if (s.rank == 0) s.dim[s.rank++] = m->axis[0];
    if (s.rank > 3 || shape_count(&s) > MAX_ELEMENTS) return maker_any(m);
    int64_t last = s.rank - 1, kept[WEFT_MAX_RANK];
    for (int i = 0; i < last; i++) kept[i] = i;
    DType t = chance(m, 80) ? WEFT_F32 : WEFT_F64;
    Ref x = maker_like(m, t, &s),
        top = maker_reduce(m, m->options.smooth || chance(m, 60) ? OP_MAX : OP_ADD, x, &last, 1);
    Ref spread = maker_put(m, &(NodeSpec){ .op = OP_BROADCAST,
                                           .args = &top,
                                           .n_args = 1,
                                           .attr = kept,
                                           .n_attr = (uint32_t)last,
                                           .dim = s.dim,
                                           .rank = s.rank });
    Ref shifted = maker_binary(m, OP_SUB, x, spread),
        e = put_unary(m, m->options.smooth || chance(m, 50) ? OP_EXP : OP_SQUARE, shifted);
    Ref sum = maker_reduce(m, OP_ADD, e, &last, 1);
    maker_keep(m, sum);
    Ref wide = maker_put(m, &(NodeSpec){ .op = OP_BROADCAST,
                                         .args = &sum,
                                         .n_args = 1,
                                         .attr = kept,
                                         .n_attr = (uint32_t)last,
                                         .dim = s.dim,
                                         .rank = s.rank });
    return maker_binary(m, OP_DIV, e, wide);
}

static const struct {
    Ref (*make)(Maker *);
    uint32_t weight;
} makers[] = {
    { make_unary, 16 },
    { make_binary, 26 },
    { make_compare, 5 },
    { make_select, 5 },
    { make_clamp, 3 },
    { make_fma, 1 },
    { make_convert, 6 },
    { make_bitcast, 2 },
    { make_reduce_precision, 1 },
    { make_broadcast, 7 },
    { make_reshape, 5 },
    { make_transpose, 6 },
    { make_slice, 6 },
    { make_reverse, 3 },
    { make_pad, 4 },
    { make_concatenate, 5 },
    { make_reduce, 12 },
    { make_arg_reduce, 4 },
    { make_reduce_region, 2 },
    { make_dot, 6 },
    { make_gather, 5 },
    { make_row_program, 4 },
    { make_cumulative, 3 },
    { make_sort, 3 },
    { make_dynamic_slice, 3 },
    { make_update_slice, 3 },
    { make_scatter, 4 },
    { make_window, 3 },
    { make_select_and_scatter, 1 },
    { make_map, 2 },
    { make_case, 3 },
    { make_while, 3 },
    { make_scan, 4 },
    { make_rng_bits, 1 },
    { make_ruled, 2 },
    { make_convolution, 3 },
    { make_barrier, 1 },
    { make_masked, 6 },
    { make_spread, 3 },
    { make_while_any, 2 },
    { make_fft, 2 },
    { make_moved, 4 },
    { make_stencil, 3 },
    { make_set_slices, 4 },
    { make_taken, 4 },
    { make_chosen, 4 },
    { make_strided, 4 },
    { make_shared, 3 },
    { make_updating_scan, 3 },
    { make_updated, 3 },
};

enum { FIRST_OF_PIECES = sizeof makers / sizeof *makers - 9 }; /* graphs_pieces.c */

Ref make_step(Maker *m)
{
    uint32_t total = 0, n = sizeof makers / sizeof *makers;
    uint32_t first = m->favours_pieces && chance(m, 60) ? FIRST_OF_PIECES : 0;
    for (uint32_t i = first; i < n; i++) total += makers[i].weight;
    uint32_t at = below(m, total);
    for (uint32_t i = first; i < n; at -= makers[i++].weight)
        if (at < makers[i].weight) return makers[i].make(m);
    return REF_NONE;
}

static void draw_axes(Maker *m)
{
    static const int64_t sizes[] = { 1,  2,  3,  4,  5,  7,  8,   9,   13,  15,  16,  17,
                                     31, 32, 33, 63, 64, 65, 100, 127, 128, 129, 257, 1000 };
    static const uint32_t limit[4] = { sizeof sizes / sizeof *sizes, 14, 9, 4 };
    for (int i = 0; i < 4; i++) m->axis[i] = chance(m, 3) ? 0 : sizes[below(m, limit[i])];
}

/* What nothing uses comes first, newest first; then whatever was made last. */
static void choose_outputs(Maker *m)
{
    Ref outputs[MAX_OUTPUTS];
    uint32_t n = 0, want = 1 + below(m, MAX_OUTPUTS);
    for (int pass = 0; pass < 2; pass++)
        for (int i = m->n_pool - 1; i >= 0 && n < want; i--)
            if (m->used[i] == (pass == 1)) outputs[n++] = m->pool[i];
    graph_set_outputs(m->g, outputs, n);
}

Graph *random_graph(Arena *arena, uint64_t seed, const RandomOptions *options)
{
    Maker m = { .g = graph_new(arena, "main"), .rng = { seed * 2654435761u + 12345 }, .options = *options };
    draw_axes(&m);
    m.favours_pieces = chance(&m, 40);
    for (int i = 0; i < 3; i++) {
        Shape s = maker_shape(&m);
        maker_keep(&m, maker_leaf(&m, maker_dtype(&m), &s));
    }
    for (int i = 0; i < options->nodes && !m.failed; i++) maker_keep(&m, make_step(&m));
    if (m.failed || m.g->failure.code != WEFT_OK) {
        fprintf(stderr, "random graph %llu: %s\n", (unsigned long long)seed, m.g->failure.text);
        return NULL;
    }
    choose_outputs(&m);
    return m.g;
}
