/* graphs_shape.c: makers of what moves, reduces, contracts and gathers elements. */
#include "tests/graphs/graphs_parts.h"
#include "compiler/graph/attributes.h"

/* Moving elements. */

Ref make_broadcast(Maker *m)
{
    Ref a = maker_any(m);
    Shape s = shape_of(m, a), to = { 0, { 0 } };
    int64_t axes[WEFT_MAX_RANK];
    for (int i = 0; i <= s.rank; i++) {
        if (to.rank < RANK - (s.rank - i) && chance(m, 40)) to.dim[to.rank++] = m->axis[below(m, 4)];
        if (i == s.rank) break;
        axes[i] = to.rank;
        to.dim[to.rank++] = s.dim[i] == 1 && chance(m, 50) ? m->axis[below(m, 4)] : s.dim[i];
    }
    if (shape_count(&to) > MAX_ELEMENTS) return a;
    return maker_put(m, &(NodeSpec){ .op = OP_BROADCAST,
                                     .args = &a,
                                     .n_args = 1,
                                     .attr = axes,
                                     .n_attr = (uint32_t)s.rank,
                                     .dim = to.dim,
                                     .rank = to.rank });
}

/* Joins two neighbours, splits an axis, or adds one of size 1. */
Ref make_reshape(Maker *m)
{
    Ref a = maker_any(m);
    Shape s = shape_of(m, a), to = s;
    int at = s.rank ? (int)below(m, (uint32_t)s.rank) : 0;
    if (s.rank > 1 && at < s.rank - 1 && chance(m, 50)) {
        to.dim[at] = s.dim[at] * s.dim[at + 1];
        to.rank--;
        for (int i = at + 1; i < to.rank; i++) to.dim[i] = s.dim[i + 1];
    } else if (s.rank < RANK) {
        int64_t factor = s.rank && chance(m, 70) ? (int64_t[]){ 1, 2, 3, 4 }[below(m, 4)] : 1;
        if (s.rank && s.dim[at] % factor) factor = 1;
        to.rank++;
        for (int i = to.rank - 1; i > at; i--) to.dim[i] = s.dim[i - 1];
        if (s.rank) to.dim[at + 1] /= factor;
        to.dim[at] = factor;
    }
    return maker_put(
        m, &(NodeSpec){ .op = OP_RESHAPE, .args = &a, .n_args = 1, .dim = to.dim, .rank = to.rank });
}

void maker_shuffle(Maker *m, int64_t *v, int n)
{
    for (int i = n - 1; i > 0; i--) {
        int j = (int)below(m, (uint32_t)i + 1);
        int64_t t = v[i];
        v[i] = v[j];
        v[j] = t;
    }
}

Ref make_transpose(Maker *m)
{
    Ref a = maker_any(m);
    int64_t perm[WEFT_MAX_RANK];
    int rank = type_of(m, a).rank;
    for (int i = 0; i < rank; i++) perm[i] = i;
    maker_shuffle(m, perm, rank);
    return maker_attr(m, OP_TRANSPOSE, a, perm, (uint32_t)rank);
}

Ref make_slice(Maker *m)
{
    Ref a = maker_any(m);
    Type t = type_of(m, a);
    int64_t attr[3 * WEFT_MAX_RANK];
    for (int i = 0; i < t.rank; i++) {
        bool whole = chance(m, 40);
        int64_t d = t.dim[i], start = whole ? 0 : below(m, (uint32_t)d + 1),
                limit = whole ? d : start + below(m, (uint32_t)(d - start) + 1);
        if (limit == start && !chance(m, 5)) start = 0, limit = d;
        attr[i] = start;
        attr[t.rank + i] = limit;
        attr[2 * t.rank + i] = chance(m, 70) ? 1 : 1 + below(m, 3);
    }
    return maker_attr(m, OP_SLICE, a, attr, 3 * t.rank);
}

/* Each axis with a chance of a half, in order. */
static int some_axes(Maker *m, int rank, int64_t *axes)
{
    int n = 0;
    for (int i = 0; i < rank; i++)
        if (chance(m, 50)) axes[n++] = i;
    return n;
}

Ref make_reverse(Maker *m)
{
    Ref a = maker_any(m);
    int64_t axes[WEFT_MAX_RANK];
    return maker_attr(m, OP_REVERSE, a, axes, (uint32_t)some_axes(m, type_of(m, a).rank, axes));
}

Ref make_pad(Maker *m)
{
    Ref a = maker_any(m);
    Shape s = shape_of(m, a), to = s, one = { 0, { 0 } };
    int64_t attr[3 * WEFT_MAX_RANK];
    for (int i = 0; i < s.rank; i++) {
        int64_t low = (int64_t)below(m, 6) - 2, high = (int64_t)below(m, 6) - 2,
                between = chance(m, 40) ? below(m, 4) : 0;
        int64_t size = s.dim[i] + (s.dim[i] ? s.dim[i] - 1 : 0) * between;
        if (size + low + high < 0) low = high = 0;
        attr[i] = low;
        attr[s.rank + i] = high;
        attr[2 * s.rank + i] = between;
        to.dim[i] = size + low + high;
    }
    if (shape_count(&to) > MAX_ELEMENTS) return a;
    Ref filler = maker_like(m, dtype_of(m, a), &one);
    return maker_put(m, &(NodeSpec){ .op = OP_PAD,
                                     .args = (Ref[]){ a, filler },
                                     .n_args = 2,
                                     .attr = attr,
                                     .n_attr = 3 * (uint32_t)s.rank });
}

Ref make_concatenate(Maker *m)
{
    Ref a = maker_any(m), pieces[4] = { a };
    Shape s = shape_of(m, a);
    if (s.rank == 0 || shape_count(&s) > MAX_ELEMENTS / 4) return a;
    uint32_t axis = below(m, (uint32_t)s.rank), n = 1 + below(m, 4);
    for (uint32_t i = 1; i < n; i++) {
        Shape other = s;
        if (chance(m, 50)) other.dim[axis] = m->axis[below(m, 4)];
        if (shape_count(&other) > MAX_ELEMENTS / 4) other = s;
        pieces[i] = maker_like(m, dtype_of(m, a), &other);
    }
    return maker_put(
        m, &(NodeSpec){
               .op = OP_CONCATENATE, .args = pieces, .n_args = n, .attr = (int64_t[]){ axis }, .n_attr = 1 });
}

/* Reductions. */

Ref make_reduce(Maker *m)
{
    static const Op monoids[] = { OP_ADD, OP_ADD, OP_ADD, OP_MAX, OP_MIN, OP_MUL, OP_AND, OP_OR, OP_XOR };
    Ref a = maker_any(m);
    Op monoid = monoids[below(m, sizeof monoids / sizeof *monoids)];
    if (!infer_takes(monoid, dtype_of(m, a)) || (m->options.smooth && monoid == OP_MUL)) monoid = OP_MAX;
    int64_t axes[WEFT_MAX_RANK];
    int rank = type_of(m, a).rank, n = some_axes(m, rank, axes);
    if (n == 0 && rank) axes[n++] = rank - 1;
    return maker_reduce(m, monoid, a, axes, n);
}

Ref make_arg_reduce(Maker *m)
{
    Ref a = maker_any(m);
    Type t = type_of(m, a);
    if (t.rank == 0 || (m->options.smooth && dtype_is_float((DType)t.dtype))) return a;
    int64_t axis = below(m, t.rank);
    DType index = chance(m, 70) ? WEFT_I32 : WEFT_U16;
    if (t.dim[axis] == 0 || !infer_takes(OP_ARGMAX, (DType)t.dtype)) return a;
    return maker_put(m, &(NodeSpec){ .op = chance(m, 50) ? OP_ARGMAX : OP_ARGMIN,
                                     .args = &a,
                                     .n_args = 1,
                                     .attr = &axis,
                                     .n_attr = 1,
                                     .dtype = index });
}

/* Two reducers that are no monoid: l * 3 - r; and (the greater, its partner) of two operands. */
static const Graph *make_region(Maker *m, DType t, DType partner, bool pair)
{
    Graph *g = graph_new(m->g->arena, "reducer");
    Type a = { (uint8_t)t, 0, NULL }, b = { (uint8_t)partner, 0, NULL };
    Ref l = build_param(g, a), l2 = pair ? build_param(g, b) : REF_NONE, r = build_param(g, a),
        r2 = pair ? build_param(g, b) : REF_NONE;
    if (!pair) {
        Ref v = t == WEFT_BOOL
                    ? build_binary(g, OP_XOR, build_unary(g, OP_NOT, l), r)
                    : build_binary(g, OP_SUB, build_binary(g, OP_MUL, l, build_number(g, t, 3)), r);
        graph_set_outputs(g, &v, 1);
        return g;
    }
    Ref greater = build_order(g, CMP_GT, r, l);
    graph_set_outputs(g, (Ref[]){ build_select(g, greater, r, l), build_select(g, greater, r2, l2) }, 2);
    return g;
}

Ref make_reduce_region(Maker *m)
{
    Ref a = maker_any(m);
    Shape s = shape_of(m, a), one = { 0, { 0 } };
    DType t = dtype_of(m, a);
    if (s.rank == 0 || (m->options.smooth && dtype_is_float(t))) return a;
    bool pair = chance(m, 50);
    Ref b = pair ? maker_like(m, maker_dtype(m), &s) : a;
    int64_t axes[WEFT_MAX_RANK];
    int n = some_axes(m, s.rank, axes);
    if (n == 0) axes[n++] = s.rank - 1;
    Ref args[4] = { a, b, maker_like(m, t, &one), maker_like(m, dtype_of(m, b), &one) };
    if (!pair) args[1] = args[2];
    Ref r = maker_put(m, &(NodeSpec){ .op = OP_REDUCE_REGION,
                                      .args = args,
                                      .n_args = pair ? 4 : 2,
                                      .attr = axes,
                                      .n_attr = (uint32_t)n,
                                      .region = make_region(m, t, dtype_of(m, b), pair) });
    if (!pair || r == REF_NONE || graph_node(m->g, r)->n_results == 1) return r;
    Ref first = maker_attr(m, OP_RESULT, r, (int64_t[]){ 0 }, 1);
    maker_keep(m, maker_attr(m, OP_RESULT, r, (int64_t[]){ 1 }, 1));
    return first;
}

/* The other operand is given the contracting and batch axes of the first, some of its own, in any order. */
Ref make_dot(Maker *m)
{
    Ref a = maker_any(m);
    Shape s = shape_of(m, a), other = { 0, { 0 } };
    int64_t l[WEFT_MAX_RANK], r[WEFT_MAX_RANK], attr[2 + 2 * WEFT_MAX_RANK], products = shape_count(&s);
    int role[WEFT_MAX_RANK], nb = 0, nc = 0;
    DType t = dtype_of(m, a), wide = dtype_is_narrow_float(t) && chance(m, 30) ? WEFT_F32
                                     : t == WEFT_I8                            ? WEFT_I32
                                                                               : t;
    for (int i = 0; i < s.rank; i++) {
        role[i] = chance(m, 45) ? 2 : chance(m, 40) ? 1 : 0;
        nb += role[i] == 1;
        nc += role[i] == 2;
        if (role[i]) other.rank++;
    }
    int own = (int)below(m, 3);
    if (s.rank - nb - nc + nb + own > RANK) own = 0;
    int64_t order[WEFT_MAX_RANK];
    for (int i = 0; i < other.rank + own; i++) order[i] = i;
    maker_shuffle(m, order, other.rank + own);
    int at = 0, b = 0, c = 0;
    for (int i = 0; i < s.rank; i++) {
        if (!role[i]) continue;
        int k = role[i] == 1 ? b++ : nb + c++;
        l[k] = i;
        r[k] = order[at];
        other.dim[order[at++]] = s.dim[i];
    }
    for (; own > 0; own--, other.rank++) products *= other.dim[order[at++]] = m->axis[1 + below(m, 3)];
    if (products > MAX_PRODUCTS || shape_count(&other) > MAX_ELEMENTS) return a;
    Ref rhs = maker_like(m, t, &other);
    attr[0] = nb;
    attr[1] = nc;
    for (int i = 0; i < nb; i++) attr[2 + i] = l[i], attr[2 + nb + i] = r[i];
    for (int i = 0; i < nc; i++) attr[2 + 2 * nb + i] = l[nb + i], attr[2 + 2 * nb + nc + i] = r[nb + i];
    Ref dot = maker_put(m, &(NodeSpec){ .op = OP_DOT,
                                        .args = (Ref[]){ a, rhs },
                                        .n_args = 2,
                                        .attr = attr,
                                        .n_attr = (uint32_t)(2 + 2 * nb + 2 * nc),
                                        .dtype = wide });
    if (dot == REF_NONE) return dot;
    Shape out = shape_of(m, dot);
    return shape_count(&out) > MAX_ELEMENTS ? a : dot;
}

/* The roles of axes, which are the first `rank` numbers in some order. */
static void any_roles(Maker *m, int64_t *axes, int rank)
{
    for (int i = 0; i < rank; i++) axes[i] = i;
    maker_shuffle(m, axes, rank);
}

/* Groups that divide both, or 1. */
static int64_t any_groups(Maker *m, int64_t size)
{
    int64_t groups = 1 + below(m, 3);
    return chance(m, 40) && size && size % groups == 0 ? groups : 1;
}

Ref make_convolution(Maker *m)
{
    Ref a = maker_any(m);
    Shape s = shape_of(m, a), w;
    DType t = dtype_of(m, a), wide = dtype_is_narrow_float(t) && chance(m, 30) ? WEFT_F32 : t;
    ConvDims d = { .spatial = s.rank - 2 };
    if (s.rank < 2 || s.rank > 4) return a;
    any_roles(m, d.lhs, s.rank);
    any_roles(m, d.rhs, s.rank);
    any_roles(m, d.out, s.rank);
    d.feature_groups = any_groups(m, s.dim[d.lhs[1]]);
    d.batch_groups = d.feature_groups == 1 ? any_groups(m, s.dim[d.lhs[0]]) : 1;
    w.rank = s.rank;
    w.dim[d.rhs[0]] = s.dim[d.lhs[1]] / d.feature_groups;
    w.dim[d.rhs[1]] = (1 + below(m, 4)) * d.feature_groups * d.batch_groups;
    for (int i = 0; i < d.spatial; i++) {
        bool plain = chance(m, 30);
        w.dim[d.rhs[2 + i]] = 1 + below(m, 4);
        d.stride[i] = plain ? 1 : 1 + below(m, 3);
        d.low[i] = plain ? 0 : (int64_t)below(m, 4) - chance(m, 20);
        d.high[i] = plain ? 0 : (int64_t)below(m, 4) - chance(m, 20);
        d.base_dilation[i] = !plain && chance(m, 20) ? 2 : 1;
        d.dilation[i] = !plain && chance(m, 20) ? 2 : 1;
        d.reverse[i] = chance(m, 20);
    }
    int64_t products = shape_count(&w) * (s.dim[d.lhs[0]] / d.batch_groups);
    for (int i = 0; i < d.spatial; i++)
        products *=
            conv_count(&d, i, (Type){ 0, (uint8_t)s.rank, s.dim }, (Type){ 0, (uint8_t)w.rank, w.dim });
    if (products > MAX_PRODUCTS || shape_count(&w) > MAX_ELEMENTS) return a;
    Ref weights = maker_like(m, t, &w);
    int64_t attr[CONV_ATTR];
    Ref y = maker_put(m, &(NodeSpec){ .op = OP_CONVOLUTION,
                                      .args = (Ref[]){ a, weights },
                                      .n_args = 2,
                                      .attr = attr,
                                      .n_attr = conv_attr(&d, attr),
                                      .dtype = wide });
    if (y == REF_NONE) return y;
    Shape out = shape_of(m, y);
    return shape_count(&out) > MAX_ELEMENTS ? a : y;
}

/* Any gather that StableHLO allows: some operand axes are mapped to index components, some collapsed, one
 * perhaps batching. */
Ref make_gather(Maker *m)
{
    Ref a = maker_any(m);
    Shape s = shape_of(m, a), ix = { 0, { 0 } };
    if (s.rank == 0 || shape_count(&s) == 0) return a;
    int64_t sizes[WEFT_MAX_RANK], map[WEFT_MAX_RANK], collapsed[WEFT_MAX_RANK], offset[WEFT_MAX_RANK];
    int n_map = 0, n_collapsed = 0, n_offset = 0,
        batching = s.rank > 1 && chance(m, 30) ? (int)below(m, (uint32_t)s.rank) : -1;
    for (int i = 0; i < s.rank; i++) {
        sizes[i] = i == batching || chance(m, 40) ? 1
                   : chance(m, 50)                ? s.dim[i]
                                                  : 1 + below(m, (uint32_t)s.dim[i]);
        if (i != batching && (chance(m, 60) || (n_map == 0 && i == s.rank - 1))) map[n_map++] = i;
        if (i == batching) continue;
        if (sizes[i] == 1 && chance(m, 70)) collapsed[n_collapsed++] = i;
        else n_offset++;
    }
    if (n_map == 0) return a;
    maker_shuffle(m, map, n_map);
    for (int i = (int)below(m, 3); i > 0; i--) ix.dim[ix.rank++] = m->axis[1 + below(m, 3)];
    int batch_at = -1;
    if (batching >= 0) {
        batch_at = (int)below(m, (uint32_t)ix.rank + 1);
        for (int i = ix.rank++; i > batch_at; i--) ix.dim[i] = ix.dim[i - 1];
        ix.dim[batch_at] = s.dim[batching];
    }
    int out_rank = ix.rank + n_offset,
        vector = n_map == 1 && chance(m, 40) ? ix.rank : (int)below(m, (uint32_t)ix.rank + 1);
    for (int i = 0, k = 0; i < out_rank; i++)
        if ((int)below(m, (uint32_t)(out_rank - i)) < n_offset - k) offset[k++] = i;
    bool implicit = vector == ix.rank && n_map == 1 && chance(m, 50);
    if (!implicit) {
        for (int i = ix.rank++; i > vector; i--) ix.dim[i] = ix.dim[i - 1];
        ix.dim[vector] = n_map;
        batch_at += batch_at >= vector;
    }
    int64_t attr[5 + 5 * WEFT_MAX_RANK] = { n_offset, n_collapsed, batching >= 0, n_map, vector },
                         *p = attr + 5, elements = shape_count(&ix);
    for (int i = 0; i < n_offset; i++) *p++ = offset[i];
    for (int i = 0; i < n_collapsed; i++) *p++ = collapsed[i];
    if (batching >= 0) *p++ = batching, *p++ = batch_at;
    for (int i = 0; i < n_map; i++) *p++ = map[i];
    for (int i = 0; i < s.rank; i++) elements *= *p++ = sizes[i];
    if (out_rank > RANK || elements > MAX_ELEMENTS) return a;
    Ref indices = maker_like(m, maker_int(m), &ix);
    return maker_put(m, &(NodeSpec){ .op = OP_GATHER,
                                     .args = (Ref[]){ a, indices },
                                     .n_args = 2,
                                     .attr = attr,
                                     .n_attr = (uint32_t)(p - attr) });
}
