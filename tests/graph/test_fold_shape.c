/* test_fold_shape.c: rewrite rules of moves, reductions, contractions and updates against eager mode:
 * random chains of them, built with the rules and without, give the same bits. */
#include <criterion/criterion.h>
#include <string.h>
#include "tests/support/fold_suite.h"
#include "compiler/graph/attributes.h"
#include "compiler/graph/check.h"
#include "compiler/passes/simplify.h"

typedef struct Maker {
    Graph *g;
    bool rules;
} Maker;

static Ref make(Maker m, Op op, Ref x, const int64_t *attr, int n_attr)
{
    return fold_node(m.g, m.rules,
                     (NodeSpec){ .op = op,
                                 .args = &x,
                                 .n_args = 1,
                                 .attr = attr,
                                 .n_attr = (uint32_t)n_attr,
                                 .dtype = (DType)graph_node(m.g, x)->dtype });
}

static Ref make_shaped(Maker m, Op op, Ref x, const int64_t *attr, int n_attr, const int64_t *dim, int rank)
{
    return fold_node(m.g, m.rules,
                     (NodeSpec){ .op = op,
                                 .args = &x,
                                 .n_args = 1,
                                 .attr = attr,
                                 .n_attr = (uint32_t)n_attr,
                                 .dim = dim,
                                 .rank = rank });
}

/* New axes before, between and after; ones are stretched at times. */
static Ref move_broadcast(Maker m, Ref x, const Node *n)
{
    int64_t attr[WEFT_MAX_RANK], dim[WEFT_MAX_RANK];
    int rank = 0;
    if (n->rank > 3) return x;
    for (int i = 0; i <= n->rank; i++) {
        if (rng(2)) dim[rank++] = 1 + rng(3);
        if (i == n->rank) break;
        attr[i] = rank;
        dim[rank++] = n->dim[i] == 1 ? 1 + rng(3) : n->dim[i];
    }
    return make_shaped(m, OP_BROADCAST, x, attr, n->rank, dim, rank);
}

/* Flat, or with ones put in or taken out. */
static Ref move_reshape(Maker m, Ref x, const Node *n)
{
    int64_t dim[WEFT_MAX_RANK] = { type_count(node_type(n)) };
    int rank = 0;
    if (rng(4) == 0) return make_shaped(m, OP_RESHAPE, x, NULL, 0, dim, 1);
    for (int i = 0; i < n->rank; i++) {
        if (rng(4) == 0 && n->rank < 5) dim[rank++] = 1;
        if (n->dim[i] != 1 || rng(2)) dim[rank++] = n->dim[i];
    }
    return make_shaped(m, OP_RESHAPE, x, NULL, 0, dim, rank);
}

static Ref move_transpose(Maker m, Ref x, const Node *n)
{
    int64_t perm[WEFT_MAX_RANK];
    for (int i = 0; i < n->rank; i++) perm[i] = i;
    for (int i = n->rank - 1; i > 0; i--) {
        int64_t k = rng((uint32_t)i + 1), t = perm[i];
        perm[i] = perm[k], perm[k] = t;
    }
    return make(m, OP_TRANSPOSE, x, perm, n->rank);
}

/* Now and then an axis gets size 0. */
static Ref move_slice(Maker m, Ref x, const Node *n)
{
    int64_t attr[3 * WEFT_MAX_RANK];
    for (int i = 0; i < n->rank; i++) {
        int64_t d = n->dim[i], start = rng((uint32_t)d / 2 + 1),
                limit = d - rng((uint32_t)(d - start) / 2 + 1 + (rng(12) == 0));
        attr[i] = start, attr[n->rank + i] = limit < start ? start : limit,
        attr[2 * n->rank + i] = 1 + rng(2);
    }
    return make(m, OP_SLICE, x, attr, 3 * n->rank);
}

static Ref move_reverse(Maker m, Ref x, const Node *n)
{
    int64_t axes[WEFT_MAX_RANK];
    int k = 0;
    for (int i = 0; i < n->rank; i++)
        if (rng(2)) axes[k++] = i;
    return make(m, OP_REVERSE, x, axes, k);
}

static Ref move_pad(Maker m, Ref x, const Node *n)
{
    int64_t attr[3 * WEFT_MAX_RANK];
    bool cuts = rng(4) == 0;
    if (type_count(node_type(n)) > 500) return x;
    for (int i = 0; i < n->rank; i++) {
        int64_t room = n->dim[i] / 2;
        attr[i] = cuts && room ? -(int64_t)rng(2) : (int64_t)rng(3);
        attr[n->rank + i] = room && rng(4) == 0 ? -1 : (int64_t)rng(2);
        attr[2 * n->rank + i] = rng(5) == 0;
    }
    Ref args[] = { x, build_number(m.g, (DType)n->dtype, rng(2)) };
    return fold_node(
        m.g, m.rules,
        (NodeSpec){ .op = OP_PAD, .args = args, .n_args = 2, .attr = attr, .n_attr = 3 * n->rank });
}

/* The value is joined with itself, with zeros, or two adjoining slices of it are. */
static Ref move_concatenate(Maker m, Ref x, const Node *n)
{
    if (!n->rank || type_count(node_type(n)) > 500) return x;
    int64_t axis = rng(n->rank), low[3 * WEFT_MAX_RANK], high[3 * WEFT_MAX_RANK];
    for (int i = 0; i < n->rank; i++) {
        low[i] = high[i] = 0;
        low[n->rank + i] = high[n->rank + i] = n->dim[i];
        low[2 * n->rank + i] = high[2 * n->rank + i] = 1;
    }
    low[n->rank + axis] = high[axis] = n->dim[axis] / 2;
    Ref args[] = { x, rng(2) ? x : build_splat(m.g, node_type(n), 0) };
    if (rng(2))
        args[0] = make(m, OP_SLICE, x, low, 3 * n->rank), args[1] = make(m, OP_SLICE, x, high, 3 * n->rank);
    return fold_node(
        m.g, m.rules,
        (NodeSpec){ .op = OP_CONCATENATE, .args = args, .n_args = 1 + rng(2), .attr = &axis, .n_attr = 1 });
}

static Ref move_reduce(Maker m, Ref x, const Node *n)
{
    static const Op monoids[] = { OP_ADD, OP_MUL, OP_MAX, OP_MIN };
    int64_t attr[WEFT_MAX_RANK + 1] = { monoids[rng(4)] };
    int k = 1;
    for (int i = 0; i < n->rank; i++)
        if (rng(3) == 0) attr[k++] = i;
    return make(m, OP_REDUCE, x, attr, k);
}

static Ref move_arg_extreme(Maker m, Ref x, const Node *n)
{
    if (!n->rank || dtype_is_complex((DType)n->dtype)) return x;
    int64_t axis = rng(n->rank);
    if (n->dim[axis] == 0) return x;
    NodeSpec s = { .op = rng(2) ? OP_ARGMAX : OP_ARGMIN,
                   .args = &x,
                   .n_args = 1,
                   .attr = &axis,
                   .n_attr = 1,
                   .dtype = WEFT_I32 };
    return fold_node(m.g, m.rules, s);
}

static Ref move_elementwise(Maker m, Ref x, const Node *n)
{
    static const Op ops[] = { OP_ADD, OP_MUL, OP_MAX };
    Type t = node_type(n);
    Ref other = !t.rank                           ? x
                : rng(2)                          ? build_splat(m.g, t, scalar_from_double((DType)t.dtype, 3))
                : dtype_bytes((DType)t.dtype) > 1 ? build_iota(m.g, t, (int)rng(t.rank))
                                                  : x;
    return fold_node(m.g, m.rules, (NodeSpec){ .op = ops[rng(3)], .args = (Ref[]){ x, other }, .n_args = 2 });
}

/* The value is contracted with itself, over one batch axis or none and one contracting axis or none. */
static Ref move_dot(Maker m, Ref x, const Node *n)
{
    if (!n->rank || type_count(node_type(n)) > 60) return x;
    int64_t sum = rng(n->rank), batch = rng(n->rank), nc = rng(4) != 0, nb = batch != sum && rng(2);
    int64_t attr[6] = { nb, nc };
    int k = 2;
    if (nb) attr[k] = attr[k + 1] = batch, k += 2;
    if (nc) attr[k] = attr[k + 1] = sum, k += 2;
    return fold_node(m.g, m.rules,
                     (NodeSpec){ .op = OP_DOT,
                                 .args = (Ref[]){ x, x },
                                 .n_args = 2,
                                 .attr = attr,
                                 .n_attr = (uint32_t)k,
                                 .dtype = (DType)n->dtype });
}

static Ref move_cumulative(Maker m, Ref x, const Node *n)
{
    static const Op monoids[] = { OP_ADD, OP_MUL, OP_MAX, OP_MIN };
    if (!n->rank) return x;
    int64_t attr[] = { monoids[rng(4)], rng(n->rank), rng(2) };
    return make(m, OP_CUMULATIVE, x, attr, 3);
}

/* Starts inside and outside of the array, and slices of the whole; at times the slice is put back. */
static Ref move_dynamic_slice(Maker m, Ref x, const Node *n)
{
    static const int64_t starts[] = { 0, 1, 2, -3, 100, INT64_MAX };
    static const DType types[] = { WEFT_I32, WEFT_U8, WEFT_I64, WEFT_U64 };
    int64_t sizes[WEFT_MAX_RANK];
    Ref args[2 + WEFT_MAX_RANK] = { x };
    DType t = types[rng(4)];
    for (int i = 0; i < n->rank; i++) {
        sizes[i] = rng(2) ? n->dim[i] : rng((uint32_t)n->dim[i] + 1);
        args[2 + i] = build_splat(m.g, (Type){ (uint8_t)t, 0, NULL }, scalar_from_i64(t, starts[rng(6)]));
    }
    args[1] = x;
    Ref slice = fold_node(m.g, m.rules,
                          (NodeSpec){ .op = OP_DYNAMIC_SLICE,
                                      .args = args + 1,
                                      .n_args = 1u + n->rank,
                                      .attr = sizes,
                                      .n_attr = n->rank });
    args[1] = slice;
    return rng(2)
               ? slice
               : fold_node(m.g, m.rules,
                           (NodeSpec){ .op = OP_DYNAMIC_UPDATE_SLICE, .args = args, .n_args = 2u + n->rank });
}

/* Numbers that differ, or a parameter. */
static Ref chain_start(Graph *g, DType t, bool constant)
{
    Type type = { (uint8_t)t, 3, (int64_t[]){ 1 + rng(4), 1 + rng(5), 1 + rng(3) } };
    if (!constant) return build_param(g, type);
    void *data = arena_alloc(g->arena, (size_t)type_count(type) * dtype_bytes(t));
    fill_data(type, data, 3, true);
    return build_constant(g, type, data);
}

static Graph *build_chain(Arena *a, bool rules, DType t, uint32_t seed)
{
    static Ref (*const moves[])(Maker, Ref, const Node *) = {
        move_broadcast, move_reshape,     move_transpose,    move_slice,       move_reverse,
        move_pad,       move_concatenate, move_reduce,       move_arg_extreme, move_elementwise,
        move_dot,       move_cumulative,  move_dynamic_slice
    };
    enum { MOVES = sizeof moves / sizeof *moves };
    Graph *g = graph_new(a, "chain");
    rng_seed(seed * 7919);
    Ref r = chain_start(g, t, seed % 5 == 0);
    if (rng(12) == 0) r = build_iota(g, (Type){ (uint8_t)WEFT_I32, 3, (int64_t[]){ 2, 3, 4 } }, (int)rng(3));
    for (int step = 2 + (int)rng(4); step > 0; step--) {
        Ref next = moves[rng(MOVES)]((Maker){ g, rules }, r, graph_node(g, r));
        cr_assert(next != REF_NONE, "%s", g->failure.text);
        if (graph_node(g, next)->rank <= 6 && type_count(graph_type(g, next)) <= 5000) r = next;
    }
    graph_set_outputs(g, &r, 1);
    return g;
}

Test(fold_shape, moves)
{
    static const DType types[] = { WEFT_F32, WEFT_I32, WEFT_F16, WEFT_U8, WEFT_F64, WEFT_F32, WEFT_C64 };
    enum { TYPES = sizeof types / sizeof *types };
    for (uint32_t seed = 1; seed <= 20000; seed++) {
        Arena arena;
        arena_open(&arena);
        DType t = types[seed % TYPES];
        Graph *slow = build_chain(&arena, false, t, seed), *fast = build_chain(&arena, true, t, seed);
        expect_same(&arena, slow, fast, "moves");
        Graph *simple = simplify(&arena, slow);
        expect_same(&arena, slow, simple, "moves, simplified");
        Failure f = { 0 };
        cr_assert(graph_check(simple, &f), "%s", f.text);
        arena_free(&arena);
    }
}

/* old - 2 new: neither commutes nor associates. */
static const Graph *difference(Arena *a)
{
    Graph *g = graph_new(a, NULL);
    Type f = { WEFT_F32, 0, NULL };
    Ref old = build_param(g, f), new = build_param(g, f),
        out = build_binary(g, OP_SUB, old, build_binary(g, OP_ADD, new, new));
    graph_set_outputs(g, &out, 1);
    return g;
}

/* Scatters behind each other, of one position a vector or of windows, within a batch or not; and selects
 * between them and what they change. */
static Graph *build_scatters(Arena *a, bool rules, uint32_t way)
{
    Graph *g = graph_new(a, "scatters");
    int64_t one[] = { 3, 40 }, at[] = { 3, 2 }, u[] = { 3, 2 },
            batched[] = { 0, 1, 1, 1, 2, 0, 0, 1, 0, 0, 1 }, rows[] = { 1, 1, 0, 1, 1, 0, 0, 1, 0, 0 };
    bool batch = way & 1;
    if (!batch) at[0] = 2, at[1] = 1, u[0] = 2, u[1] = 5;
    Ref x = build_param(g, (Type){ WEFT_F32, 2, one }), ix = build_param(g, (Type){ WEFT_I32, 2, at }), y = x,
        p;
    if (!batch) ix = build_reshape(g, ix, at, 1);
    for (int k = 0; k < 2 + (int)(way >> 1 & 1); k++) {
        Ref where = build_binary(g, OP_ADD, ix, build_splat(g, graph_type(g, ix), (uint64_t)k)),
            v = build_param(g, (Type){ WEFT_F32, 2, u });
        if (k) v = build_unary(g, OP_NEG, v);
        y = fold_node(g, rules,
                      (NodeSpec){ .op = OP_SCATTER,
                                  .args = (Ref[]){ y, where, v },
                                  .n_args = 3,
                                  .attr = batch ? batched : rows,
                                  .n_attr = batch ? 11 : 10,
                                  .region = difference(a) });
    }
    p = build_compare(g, CMP_LT, build_convert(g, build_reduce(g, OP_MAX, x, (int64_t[]){ 1 }, 1), WEFT_I32),
                      build_splat(g, (Type){ WEFT_I32, 1, one }, 2));
    p = way & 8 ? build_broadcast(g, p, one, 2, (int64_t[]){ 0 })
                : build_reduce(g, OP_AND, p, (int64_t[]){ 0 }, 1);
    if (way & 4)
        y = fold_node(g, rules,
                      (NodeSpec){ .op = OP_SELECT,
                                  .args = way & 16 ? (Ref[]){ p, x, y } : (Ref[]){ p, y, x },
                                  .n_args = 3 });
    graph_set_outputs(g, &y, 1);
    return g;
}

Test(fold_shape, updates)
{
    for (uint32_t way = 0; way < 32; way++) {
        Arena arena;
        arena_open(&arena);
        Graph *slow = build_scatters(&arena, false, way), *fast = build_scatters(&arena, true, way);
        expect_same(&arena, slow, fast, "updates");
        if (way & 4 && (way & 9) != 8)
            cr_expect_eq(graph_node(fast, fast->outputs[0])->op, OP_SCATTER, "way %u: %s", way,
                         op_info[graph_node(fast, fast->outputs[0])->op].name);
        arena_free(&arena);
    }
}

/* Slices of f32[3,40] at positions: of rows, of elements within a batch, and at vectors of two numbers, which
 * lie along the last axis or the first. */
static Graph *build_gathers(Arena *a, bool rules, uint32_t form, const int64_t slice[6])
{
    static const int64_t zero[] = { 0 }, one[] = { 1 }, both[] = { 0, 1 }, x_dim[] = { 3, 40 },
                         sizes[][2] = { { 1, 30 }, { 2, 1 }, { 1, 1 }, { 1, 7 } };
    static const struct {
        int64_t at[2];
        IndexDims d;
    } forms[] = {
        { { 20 }, { 1, 1, 0, 1, 1, 0, 0, one, zero, NULL, NULL, zero, sizes[0] } },
        { { 20 }, { 1, 1, 0, 1, 1, 0, 0, zero, one, NULL, NULL, one, sizes[1] } },
        { { 3, 20 }, { 0, 1, 1, 1, 2, 0, 0, NULL, one, zero, zero, one, sizes[2] } },
        { { 20, 2 }, { 1, 1, 0, 2, 1, 0, 0, one, zero, NULL, NULL, both, sizes[3] } },
        { { 2, 20 }, { 1, 1, 0, 2, 0, 0, 0, zero, zero, NULL, NULL, both, sizes[3] } },
    };
    Graph *g = graph_new(a, "gathers");
    int rank = forms[form].at[1] ? 2 : 1;
    Ref x = build_param(g, (Type){ WEFT_F32, 2, x_dim }),
        at = build_param(g, (Type){ WEFT_I32, (uint8_t)rank, forms[form].at }),
        y = build_gather(g, &forms[form].d, x, at);
    y = fold_node(g, rules,
                  (NodeSpec){ .op = OP_SLICE, .args = &y, .n_args = 1, .attr = slice, .n_attr = 6 });
    graph_set_outputs(g, &y, 1);
    return g;
}

Test(fold_shape, slices_of_gathers)
{
    static const int64_t taken[][2] = { { 20, 30 }, { 2, 20 }, { 3, 20 }, { 20, 7 }, { 7, 20 } };
    static const int places[] = { 0, 1, 1, 0, 1 };
    uint32_t n_inside = 0;
    for (uint32_t seed = 0; seed < 2000; seed++) {
        uint32_t form = seed % 5;
        int64_t slice[6], size[2];
        rng_seed(seed + 1);
        for (int i = 0; i < 2; i++) {
            bool all = rng(3) == 0;
            int64_t dim = taken[form][i], from = all ? 0 : rng((uint32_t)dim),
                    to = all ? dim : from + rng((uint32_t)(dim - from) + 1), stride = all ? 1 : 1 + rng(3);
            slice[i] = from, slice[2 + i] = to, slice[4 + i] = stride;
            size[i] = (to - from + stride - 1) / stride;
        }
        Arena arena;
        arena_open(&arena);
        Graph *slow = build_gathers(&arena, false, form, slice),
              *fast = build_gathers(&arena, true, form, slice);
        cr_assert(slow->failure.code == WEFT_OK && fast->failure.code == WEFT_OK, "%s%s", slow->failure.text,
                  fast->failure.text);
        expect_same(&arena, slow, fast, "slices of gathers");
        int at = places[form];
        bool inside = size[at] < taken[form][at] && 2 * size[0] * size[1] <= taken[form][0] * taken[form][1],
             alone = size[1 - at] == taken[form][1 - at];
        const Node *n = graph_node(fast, fast->outputs[0]);
        if (inside && !alone && n->op == OP_SLICE) n = graph_node(fast, n->args[0]);
        if (inside)
            cr_expect(n->op == OP_GATHER && n->dim[at] == size[at], "form %u: %s", form, op_info[n->op].name);
        n_inside += inside;
        arena_free(&arena);
    }
    cr_expect_gt(n_inside, 500);
}

Test(fold_shape, constants_are_moved)
{
    Arena arena;
    arena_open(&arena);
    Graph *g = graph_new(&arena, "moved");
    int64_t dim[] = { 2, 3 };
    Ref c = build_constant(g, (Type){ WEFT_I32, 2, dim }, (int32_t[]){ 1, 2, 3, 4, 5, 6 }),
        t = build_transpose(g, c, (int64_t[]){ 1, 0 });
    Ref both = build_concatenate(g, (Ref[]){ t, build_reverse(g, t, (int64_t[]){ 0 }, 1) }, 2, 1);
    cr_assert_eq(graph_node(g, both)->op, OP_CONSTANT);
    static const int32_t want[] = { 1, 4, 3, 6, 2, 5, 2, 5, 3, 6, 1, 4 };
    cr_expect(memcmp(graph_node(g, both)->data, want, sizeof want) == 0);
    arena_free(&arena);
}
