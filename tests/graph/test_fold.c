/* test_fold.c: every rewrite rule against eager mode: the same expression built with the rules and without
 * them gives the same bits.
 *
 * Expressions are made from small pools, all combinations of them: whatever pattern a rule looks for is met,
 * with every special value in the data. That rules apply at all is a table of its own below. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "tests/support/heap.h"
#include "compiler/graph/check.h"
#include "compiler/passes/simplify.h"
#include "runtime/eager/eager.h"

/* ---- running graphs */

static uint32_t rng_state = 1;
static uint32_t rng(uint32_t n)
{
    rng_state = rng_state * 1664525u + 1013904223u;
    return (rng_state >> 8) % n;
}

static const double specials[] = { 0.0,    -0.0,  1,   -1,   2,   -2,       0.5,       3,   -3.5, 1e30,
                                   -1e-30, 65504, 127, -128, 255, INFINITY, -INFINITY, NAN, 7,    1e-8 };
enum { SPECIALS = sizeof specials / sizeof *specials };

/* Special values, or numbers whose sums and products round, so that their order shows. */
static void *make_data(Type t, uint32_t shift, bool plain)
{
    int64_t n = type_count(t);
    size_t bytes = dtype_bytes((DType)t.dtype);
    char *data = malloc((size_t)(n ? n : 1) * bytes);
    for (int64_t i = 0; i < n; i++) {
        double v = plain ? (double)((i * 29 + 7) % 31 - 15) / 7
                         : specials[((uint64_t)i * (1 + shift) + shift) % SPECIALS];
        scalar_store((DType)t.dtype, data + (size_t)i * bytes, scalar_from_double((DType)t.dtype, v));
    }
    return data;
}

static bool same_element(DType t, uint64_t a, uint64_t b)
{
    return a == b || (dtype_is_float(t) && isnan(scalar_to_double(t, a)) && isnan(scalar_to_double(t, b)));
}

static void run(const Graph *g, void *const *inputs, void *out)
{
    Failure f = { 0 };
    cr_assert(eager_graph(g, (const void *const *)inputs, &out, &heap, &f), "%s", f.text);
}

/* One node a line: number, op, type, operands, attributes. */
static const char *text_of(Arena *a, const Graph *g)
{
    char *text = "";
    for (Ref r = 0; r < g->n_nodes; r++) {
        const Node *n = graph_node(g, r);
        text = arena_printf(a, "%s%u %s %s (", text, (unsigned)r, op_info[n->op].name,
                            type_text((char[128]){ 0 }, 128, node_type(n)));
        for (uint32_t i = 0; i < n->n_args; i++) text = arena_printf(a, "%s %u", text, (unsigned)n->args[i]);
        text = arena_printf(a, "%s ) [", text);
        for (uint32_t i = 0; i < n->n_attr; i++)
            text = arena_printf(a, "%s %lld", text, (long long)n->attr[i]);
        text = arena_printf(a, "%s ]\n", text);
    }
    return arena_printf(a, "%soutput %u\n", text, (unsigned)g->outputs[0]);
}

/* Both graphs have one output and the same parameters. */
static void expect_same_on(Arena *a, const Graph *slow, const Graph *fast, const char *what, bool plain)
{
    Type t = graph_type(slow, slow->outputs[0]), u = graph_type(fast, fast->outputs[0]);
    size_t bytes = dtype_bytes((DType)t.dtype), n = (size_t)type_count(t);
    void *inputs[8], *x = malloc(n * bytes + 1), *y = malloc(n * bytes + 1);
    cr_assert(t.dtype == u.dtype && t.rank == u.rank && type_count(u) == (int64_t)n, "%s: types differ",
              what);
    for (uint32_t i = 0; i < slow->n_params; i++)
        inputs[i] = make_data(graph_type(slow, slow->params[i]), i, plain);
    run(slow, inputs, x);
    run(fast, inputs, y);
    for (size_t i = 0; i < n; i++) {
        uint64_t p = scalar_load((DType)t.dtype, (char *)x + i * bytes),
                 q = scalar_load((DType)t.dtype, (char *)y + i * bytes);
        cr_assert(same_element((DType)t.dtype, p, q), "%s: element %zu is %g, without rules %g\n%s\n%s", what,
                  i, scalar_to_double((DType)t.dtype, q), scalar_to_double((DType)t.dtype, p),
                  text_of(a, slow), text_of(a, fast));
    }
    for (uint32_t i = 0; i < slow->n_params; i++) free(inputs[i]);
    free(x), free(y);
}

static void expect_same(Arena *a, const Graph *slow, const Graph *fast, const char *what)
{
    expect_same_on(a, slow, fast, what, false);
    expect_same_on(a, slow, fast, what, true);
}

static Ref add_node(Graph *g, bool rules, NodeSpec s)
{
    return rules ? graph_add(g, &s) : graph_add_raw(g, &s);
}

/* ---- elementwise: every op on every pair of operand patterns */

enum { PATTERNS = 17, COUNT = 60 };

/* Operand number k of the pool, made of parameters x and y; REF_NONE where the type has no such thing. */
static Ref pattern(Graph *g, bool rules, DType t, int k, Ref x, Ref y)
{
    static const double constants[] = { 0.0, -0.0, 1, -1, 2, 4, 0.25, 3, INFINITY, -INFINITY };
    enum { CONSTANTS = sizeof constants / sizeof *constants };
    Type type = { (uint8_t)t, 1, (int64_t[]){ COUNT } };
    if (k == 0) return x;
    if (k == 1) return y;
    if (k < 2 + CONSTANTS) return build_splat(g, type, scalar_from_double(t, constants[k - 2]));
    Op op[] = { OP_NEG, OP_NOT, OP_ADD, OP_MAX, OP_MUL };
    Op o = op[k - 2 - CONSTANTS];
    if ((o == OP_NEG && t == WEFT_BOOL) || (o == OP_NOT && dtype_is_float(t))) return REF_NONE;
    bool unary = o == OP_NEG || o == OP_NOT;
    return add_node(g, rules,
                    (NodeSpec){ .op = o,
                                .args = (Ref[]){ x, unary         ? REF_NONE
                                                    : o == OP_MUL ? x
                                                                  : y },
                                .n_args = unary ? 1 : 2 });
}

static bool takes(Op op, DType t)
{
    static const char letters[] = {
        [KIND_BOOL] = 'B', [KIND_SIGNED] = 'S', [KIND_UNSIGNED] = 'U', [KIND_FLOAT] = 'F'
    };
    for (const char *p = op_info[op].types; *p; p++)
        if (*p == letters[dtype_kind(t)]) return true;
    return false;
}

static bool is_tried(Op op, DType t)
{
    static const Op ops[] = { OP_NEG,       OP_ABS,       OP_SIGN,      OP_NOT,    OP_FLOOR, OP_CEIL,
                              OP_ROUND_AFZ, OP_SQUARE,    OP_ADD,       OP_SUB,    OP_MUL,   OP_DIV,
                              OP_REM,       OP_MAX,       OP_MIN,       OP_AND,    OP_OR,    OP_XOR,
                              OP_SHL,       OP_SHR_ARITH, OP_SHR_LOGIC, OP_COMPARE };
    for (size_t i = 0; i < sizeof ops / sizeof *ops; i++)
        if (ops[i] == op) return takes(op, t);
    return false;
}

static Graph *build_pair(Arena *a, bool rules, Op op, DType t, int i, int j, int dir)
{
    Graph *g = graph_new(a, "pair");
    Type type = { (uint8_t)t, 1, (int64_t[]){ COUNT } };
    Ref x = build_param(g, type), y = build_param(g, type);
    Ref args[] = { pattern(g, rules, t, i, x, y), op_info[op].args > 1 ? pattern(g, rules, t, j, x, y) : 0 };
    int64_t attr[] = { dir, dtype_is_float(t)    ? ORDER_FLOAT
                            : dtype_is_signed(t) ? ORDER_SIGNED
                                                 : ORDER_UNSIGNED };
    Ref r = add_node(g, rules,
                     (NodeSpec){ .op = op,
                                 .args = args,
                                 .n_args = (uint32_t)op_info[op].args,
                                 .attr = attr,
                                 .n_attr = op == OP_COMPARE ? 2 : 0 });
    if (r == REF_NONE || args[0] == REF_NONE || args[1] == REF_NONE) return NULL;
    graph_set_outputs(g, &r, 1);
    return g;
}

static void try_pair(Op op, DType t, int i, int j, int dir)
{
    Arena arena;
    arena_open(&arena);
    Graph *slow = build_pair(&arena, false, op, t, i, j, dir),
          *fast = build_pair(&arena, true, op, t, i, j, dir);
    cr_assert(!slow == !fast);
    if (slow) {
        expect_same(&arena, slow, fast, op_info[op].name);
        expect_same(&arena, slow, simplify(&arena, slow), op_info[op].name);
    }
    arena_free(&arena);
}

Test(fold, elementwise_pairs)
{
    for (Op op = 0; op < OP_COUNT; op++)
        for (int t = 0; t < DTYPE_COUNT; t++)
            for (int i = 0; is_tried(op, (DType)t) && i < PATTERNS; i++)
                for (int j = 0; j < (op_info[op].args > 1 ? PATTERNS : 1); j++)
                    for (int dir = 0; dir < (op == OP_COMPARE ? 6 : 1); dir++)
                        try_pair(op, (DType)t, i, j, dir);
}

/* ---- three operands, two levels: select, clamp, and what nests */

static Graph *build_nested(Arena *a, bool rules, DType t, uint32_t seed)
{
    static const Op ops[] = { OP_ADD, OP_SUB, OP_MUL, OP_MAX, OP_MIN,    OP_NEG,   OP_ABS,
                              OP_AND, OP_OR,  OP_XOR, OP_NOT, OP_SELECT, OP_CLAMP, OP_COMPARE };
    Graph *g = graph_new(a, "nested");
    Type type = { (uint8_t)t, 1, (int64_t[]){ COUNT } }, predicate = { WEFT_BOOL, 1, type.dim };
    Ref x = build_param(g, type), y = build_param(g, type), p = build_param(g, predicate);
    Ref pool[16] = { x, y },
        bools[16] = { p, build_splat(g, predicate, 1), build_splat(g, (Type){ WEFT_BOOL, 0, NULL }, 0) };
    int n = 2, n_bools = 3;
    rng_state = seed;
    pool[n++] = pattern(g, rules, t, (int)(2 + rng(10)), x, y);
    for (int step = 0; step < 6; step++) {
        Op op = ops[rng(sizeof ops / sizeof *ops)];
        Ref args[3] = { pool[rng((uint32_t)n)], pool[rng((uint32_t)n)], pool[rng((uint32_t)n)] };
        int64_t attr[] = { rng(6), dtype_is_float(t)    ? ORDER_FLOAT
                                   : dtype_is_signed(t) ? ORDER_SIGNED
                                                        : ORDER_UNSIGNED };
        if (op == OP_SELECT) args[0] = bools[rng((uint32_t)n_bools)];
        if (op == OP_NOT && rng(2)) args[0] = bools[rng(2) ? 0 : (uint32_t)n_bools - 1];
        if (!takes(op, (DType)graph_node(g, op == OP_SELECT ? args[1] : args[0])->dtype)) continue;
        Ref r = add_node(g, rules,
                         (NodeSpec){ .op = op,
                                     .args = args,
                                     .n_args = (uint32_t)op_info[op].args,
                                     .attr = attr,
                                     .n_attr = op == OP_COMPARE ? 2 : 0 });
        cr_assert(r != REF_NONE, "%s", g->failure.text);
        if (graph_node(g, r)->dtype == t && graph_node(g, r)->rank) pool[n++] = r;
        else bools[n_bools++] = r;
    }
    Ref r = rng(4) ? pool[n - 1] : build_select(g, bools[n_bools - 1], pool[n - 1], pool[0]);
    graph_set_outputs(g, &r, 1);
    return g;
}

Test(fold, elementwise_nested)
{
    for (uint32_t seed = 1; seed <= 6000; seed++) {
        Arena arena;
        arena_open(&arena);
        DType t = (DType)(seed % DTYPE_COUNT);
        Graph *slow = build_nested(&arena, false, t, seed), *fast = build_nested(&arena, true, t, seed);
        expect_same(&arena, slow, fast, "nested");
        expect_same(&arena, slow, simplify(&arena, slow), "nested, simplified");
        arena_free(&arena);
    }
}

/* ---- chains of conversions */

/* The three types of a chain are the digits of k. */
static Graph *build_casts(Arena *a, bool rules, Op op, int k, bool constant)
{
    Graph *g = graph_new(a, "casts");
    Type type = { (uint8_t)(k % DTYPE_COUNT), 1, (int64_t[]){ COUNT } };
    Ref r = constant ? build_splat(g, type, scalar_from_double((DType)type.dtype, -3)) : build_param(g, type);
    for (int step = 0; step < 2; step++) {
        k /= DTYPE_COUNT;
        DType to = (DType)(k % DTYPE_COUNT), from = (DType)graph_node(g, r)->dtype;
        bool same_bits = dtype_bytes(to) == dtype_bytes(from) && (to == WEFT_BOOL) == (from == WEFT_BOOL);
        r = add_node(g, rules,
                     (NodeSpec){ .op = op == OP_BITCAST && same_bits ? OP_BITCAST : OP_CONVERT,
                                 .args = &r,
                                 .n_args = 1,
                                 .dtype = to });
    }
    graph_set_outputs(g, &r, 1);
    return g;
}

Test(fold, casts)
{
    for (int k = 0; k < 4 * DTYPE_COUNT * DTYPE_COUNT * DTYPE_COUNT; k++) {
        Arena arena;
        arena_open(&arena);
        Op op = k & 1 ? OP_BITCAST : OP_CONVERT;
        Graph *slow = build_casts(&arena, false, op, k / 4, k & 2),
              *fast = build_casts(&arena, true, op, k / 4, k & 2);
        expect_same(&arena, slow, fast, "casts");
        arena_free(&arena);
    }
}

/* ---- moves, reductions and contractions: random chains */

typedef struct Maker {
    Graph *g;
    bool rules;
} Maker;

static Ref make(Maker m, Op op, Ref x, const int64_t *attr, int n_attr)
{
    return add_node(m.g, m.rules,
                    (NodeSpec){ .op = op,
                                .args = &x,
                                .n_args = 1,
                                .attr = attr,
                                .n_attr = (uint32_t)n_attr,
                                .dtype = (DType)graph_node(m.g, x)->dtype });
}

static Ref make_shaped(Maker m, Op op, Ref x, const int64_t *attr, int n_attr, const int64_t *dim, int rank)
{
    return add_node(m.g, m.rules,
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

/* Now and then nothing is left of an axis. */
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
    return add_node(
        m.g, m.rules,
        (NodeSpec){ .op = OP_PAD, .args = args, .n_args = 2, .attr = attr, .n_attr = 3 * n->rank });
}

/* With itself, with zeros, or two slices that meet. */
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
    return add_node(
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
    if (!n->rank) return x;
    int64_t axis = rng(n->rank);
    if (n->dim[axis] == 0) return x;
    NodeSpec s = { .op = rng(2) ? OP_ARGMAX : OP_ARGMIN,
                   .args = &x,
                   .n_args = 1,
                   .attr = &axis,
                   .n_attr = 1,
                   .dtype = WEFT_I32 };
    return add_node(m.g, m.rules, s);
}

static Ref move_elementwise(Maker m, Ref x, const Node *n)
{
    static const Op ops[] = { OP_ADD, OP_MUL, OP_MAX };
    Type t = node_type(n);
    Ref other = !t.rank                           ? x
                : rng(2)                          ? build_splat(m.g, t, scalar_from_double((DType)t.dtype, 3))
                : dtype_bytes((DType)t.dtype) > 1 ? build_iota(m.g, t, (int)rng(t.rank))
                                                  : x;
    return add_node(m.g, m.rules, (NodeSpec){ .op = ops[rng(3)], .args = (Ref[]){ x, other }, .n_args = 2 });
}

/* With itself: one batch axis or none, one contracting axis or none. */
static Ref move_dot(Maker m, Ref x, const Node *n)
{
    if (!n->rank || type_count(node_type(n)) > 60) return x;
    int64_t sum = rng(n->rank), batch = rng(n->rank), nc = rng(4) != 0, nb = batch != sum && rng(2);
    int64_t attr[6] = { nb, nc };
    int k = 2;
    if (nb) attr[k] = attr[k + 1] = batch, k += 2;
    if (nc) attr[k] = attr[k + 1] = sum, k += 2;
    return add_node(m.g, m.rules,
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

/* Starts inside, outside, and where all is taken; with the slice put back at times. */
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
    Ref slice = add_node(m.g, m.rules,
                         (NodeSpec){ .op = OP_DYNAMIC_SLICE,
                                     .args = args + 1,
                                     .n_args = 1u + n->rank,
                                     .attr = sizes,
                                     .n_attr = n->rank });
    args[1] = slice;
    return rng(2)
               ? slice
               : add_node(m.g, m.rules,
                          (NodeSpec){ .op = OP_DYNAMIC_UPDATE_SLICE, .args = args, .n_args = 2u + n->rank });
}

/* Numbers that differ, or a parameter. */
static Ref chain_start(Graph *g, DType t, bool constant)
{
    Type type = { (uint8_t)t, 3, (int64_t[]){ 1 + rng(4), 1 + rng(5), 1 + rng(3) } };
    if (!constant) return build_param(g, type);
    void *data = make_data(type, 3, true);
    Ref r = build_constant(g, type, arena_copy(g->arena, data, (size_t)type_count(type) * dtype_bytes(t)));
    free(data);
    return r;
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
    rng_state = seed * 7919;
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

Test(fold, moves)
{
    static const DType types[] = { WEFT_F32, WEFT_I32, WEFT_F16, WEFT_U8, WEFT_F64, WEFT_F32 };
    for (uint32_t seed = 1; seed <= 20000; seed++) {
        Arena arena;
        arena_open(&arena);
        DType t = types[seed % 6];
        Graph *slow = build_chain(&arena, false, t, seed), *fast = build_chain(&arena, true, t, seed);
        expect_same(&arena, slow, fast, "moves");
        Graph *simple = simplify(&arena, slow);
        expect_same(&arena, slow, simple, "moves, simplified");
        Failure f = { 0 };
        cr_assert(graph_check(simple, &f), "%s", f.text);
        arena_free(&arena);
    }
}

/* ---- that the rules apply */

typedef struct Case {
    Arena arena;
    Graph *g;
    Type t;
    Ref x, y, p;
} Case;

static void case_open(Case *c, DType t)
{
    arena_open(&c->arena);
    c->g = graph_new(&c->arena, "case");
    c->t = (Type){ (uint8_t)t, 2, arena_copy(&c->arena, (int64_t[]){ 3, 4 }, 2 * sizeof(int64_t)) };
    c->x = build_param(c->g, c->t), c->y = build_param(c->g, c->t);
    c->p = build_param(c->g, (Type){ WEFT_BOOL, 2, c->t.dim });
}

static Ref number(Case *c, double v)
{
    return build_splat(c->g, c->t, scalar_from_double((DType)c->t.dtype, v));
}
static Op op_of(const Case *c, Ref r) { return (Op)graph_node(c->g, r)->op; }

Test(fold, floats_keep_what_rounds)
{
    Case c;
    case_open(&c, WEFT_F32);
    cr_expect(build_binary(c.g, OP_ADD, c.x, number(&c, -0.0)) == c.x);
    cr_expect(op_of(&c, build_binary(c.g, OP_ADD, c.x, number(&c, 0.0))) == OP_ADD);
    cr_expect(op_of(&c, build_binary(c.g, OP_MUL, c.x, number(&c, 0))) == OP_MUL);
    cr_expect(op_of(&c, build_binary(c.g, OP_SUB, c.x, c.x)) == OP_SUB);
    cr_expect(op_of(&c, build_binary(c.g, OP_DIV, c.x, c.x)) == OP_DIV);
    cr_expect(op_of(&c, build_binary(c.g, OP_DIV, c.x, number(&c, 3))) == OP_DIV);
    cr_expect(op_of(&c, build_binary(c.g, OP_DIV, c.x, number(&c, 8))) == OP_MUL);
    cr_expect(op_of(&c, build_binary(c.g, OP_MAX, c.x, number(&c, INFINITY))) == OP_MAX);
    cr_expect(build_binary(c.g, OP_MAX, c.x, number(&c, -INFINITY)) == c.x);
    cr_expect(op_of(&c, build_unary(c.g, OP_NOT, build_compare(c.g, CMP_LT, c.x, c.y))) == OP_NOT);
    cr_expect(op_of(&c, build_unary(c.g, OP_NOT, build_compare(c.g, CMP_EQ, c.x, c.y))) == OP_COMPARE);
    Ref once = build_reduce(c.g, OP_ADD, c.x, (int64_t[]){ 1 }, 1);
    cr_expect(op_of(&c, graph_node(c.g, build_reduce(c.g, OP_ADD, once, (int64_t[]){ 0 }, 1))->args[0]) ==
              OP_REDUCE);
    arena_free(&c.arena);
}

Test(fold, identities)
{
    Case c;
    case_open(&c, WEFT_I32);
    cr_expect(op_of(&c, build_binary(c.g, OP_SUB, c.x, c.x)) == OP_CONSTANT);
    cr_expect(build_unary(c.g, OP_NEG, build_unary(c.g, OP_NEG, c.x)) == c.x);
    cr_expect(build_select(c.g, c.p, c.x, c.x) == c.x);
    cr_expect(build_select(c.g, build_unary(c.g, OP_NOT, c.p), c.x, c.y) == build_select(c.g, c.p, c.y, c.x));
    cr_expect(build_convert(c.g, build_convert(c.g, c.x, WEFT_F64), WEFT_I32) == c.x);
    cr_expect(build_convert(c.g, build_convert(c.g, c.x, WEFT_F32), WEFT_I32) != c.x);
    cr_expect(build_binary(c.g, OP_ADD, build_binary(c.g, OP_ADD, c.x, number(&c, 1)), number(&c, 2)) ==
              build_binary(c.g, OP_ADD, c.x, number(&c, 3)));
    cr_expect(build_transpose(c.g, build_transpose(c.g, c.x, (int64_t[]){ 1, 0 }), (int64_t[]){ 1, 0 }) ==
              c.x);
    cr_expect(build_reshape(c.g, build_reshape(c.g, c.x, (int64_t[]){ 12 }, 1), (int64_t[]){ 3, 4 }, 2) ==
              c.x);
    Ref both = build_reduce(c.g, OP_MAX, c.x, (int64_t[]){ 0, 1 }, 2);
    cr_expect(build_reduce(c.g, OP_MAX, build_reduce(c.g, OP_MAX, c.x, (int64_t[]){ 1 }, 1), (int64_t[]){ 0 },
                           1) == both);
    int64_t edge[] = { 1, 2 }, none[] = { 0, 0 }, limit[] = { 4, 6 }, one[] = { 1, 1 };
    Ref padded = build_pad(c.g, c.x, build_number(c.g, WEFT_I32, 0), edge, edge, none);
    cr_expect(build_slice(c.g, padded, edge, limit, one) == c.x);
    arena_free(&c.arena);
}

/* An int that was a bool is compared as one, whatever the constant. */
Test(fold, ints_that_were_bools)
{
    for (int k = 0; k < 6 * 5 * 3; k++) {
        Graph *g[2];
        Arena arena;
        arena_open(&arena);
        for (int rules = 0; rules < 2; rules++) {
            Graph *to = g[rules] = graph_new(&arena, "bools");
            Ref p = build_param(to, (Type){ WEFT_BOOL, 1, (int64_t[]){ COUNT } }),
                x = build_convert(to, p, k % 3 ? WEFT_I32 : WEFT_U8);
            if (k % 3 == 2) x = build_bitcast(to, x, WEFT_U32);
            Type t = graph_type(to, x);
            Ref args[] = { x, build_splat(to, t, scalar_from_i64((DType)t.dtype, k / 3 % 5 - 1)) };
            int64_t attr[] = { k / 15, k % 3 == 1 ? ORDER_SIGNED : ORDER_UNSIGNED };
            Ref r = add_node(
                to, rules,
                (NodeSpec){ .op = OP_COMPARE, .args = args, .n_args = 2, .attr = attr, .n_attr = 2 });
            graph_set_outputs(to, &r, 1);
            cr_expect_eq(graph_node(to, r)->op == OP_COMPARE, !rules);
        }
        expect_same(&arena, g[0], g[1], "bools");
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
        y = add_node(g, rules,
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
        y = add_node(g, rules,
                     (NodeSpec){ .op = OP_SELECT,
                                 .args = way & 16 ? (Ref[]){ p, x, y } : (Ref[]){ p, y, x },
                                 .n_args = 3 });
    graph_set_outputs(g, &y, 1);
    return g;
}

Test(fold, updates)
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

Test(fold, constants_are_moved)
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

Test(simplify, computes_before_the_broadcast)
{
    Case c;
    case_open(&c, WEFT_F32);
    Ref row = build_param(c.g, (Type){ WEFT_F32, 1, (int64_t[]){ 4 } });
    Ref wide = add_node(c.g, false,
                        (NodeSpec){ .op = OP_BROADCAST,
                                    .args = &row,
                                    .n_args = 1,
                                    .attr = (int64_t[]){ 1 },
                                    .n_attr = 1,
                                    .dim = c.t.dim,
                                    .rank = 2 });
    Ref sum =
        add_node(c.g, false, (NodeSpec){ .op = OP_ADD, .args = (Ref[]){ wide, number(&c, 2) }, .n_args = 2 });
    Ref root = add_node(c.g, false, (NodeSpec){ .op = OP_SQRT, .args = &sum, .n_args = 1 });
    graph_set_outputs(c.g, &root, 1);
    Graph *s = simplify(&c.arena, c.g);
    const Node *out = graph_node(s, s->outputs[0]);
    cr_expect(out->op == OP_BROADCAST && graph_node(s, out->args[0])->op == OP_SQRT &&
              graph_node(s, out->args[0])->rank == 1);
    cr_expect(s->n_params == 4, "all parameters stay");
    arena_free(&c.arena);
}

Test(simplify, computes_only_what_is_sliced)
{
    Case c;
    case_open(&c, WEFT_F32);
    Ref sum = build_unary(c.g, OP_EXP, build_binary(c.g, OP_ADD, c.x, c.y));
    Ref part = build_slice(c.g, sum, (int64_t[]){ 1, 0 }, (int64_t[]){ 3, 4 }, (int64_t[]){ 1, 2 });
    graph_set_outputs(c.g, &part, 1);
    Graph *s = simplify(&c.arena, c.g);
    for (Ref r = 0; r < s->n_nodes; r++)
        cr_expect(graph_node(s, r)->op == OP_PARAMETER || type_count(graph_type(s, r)) == 4);
    graph_set_outputs(c.g, (Ref[]){ part, sum }, 2);
    s = simplify(&c.arena, c.g);
    cr_expect(graph_node(s, s->outputs[0])->op == OP_SLICE, "the sum is wanted whole as well");
    arena_free(&c.arena);
}

/* A chain of slices of pads of ... that no rule may follow down to its beginning, nor the stack. */
Test(simplify, deep_graphs, .timeout = 60)
{
    enum { DEPTH = 200000 };
    Case c;
    case_open(&c, WEFT_F32);
    Ref r = c.x;
    int64_t none[] = { 0, 0 }, one[] = { 1, 1 }, limit[] = { 4, 5 };
    for (int i = 0; i < DEPTH; i++) {
        Ref args[] = { r, build_number(c.g, WEFT_F32, i) };
        int64_t pad[] = { 1, 1, 1, 1, 0, 0 }, cut[] = { 1, 1, limit[0], limit[1], 1, 1 };
        r = graph_add_raw(c.g,
                          &(NodeSpec){ .op = OP_PAD, .args = args, .n_args = 2, .attr = pad, .n_attr = 6 });
        if (i % 2)
            r = graph_add_raw(
                c.g, &(NodeSpec){ .op = OP_SLICE, .args = &r, .n_args = 1, .attr = cut, .n_attr = 6 });
        if (i % 2) r = build_slice(c.g, build_unary(c.g, OP_NEG, r), none, c.t.dim, one);
    }
    graph_set_outputs(c.g, &r, 1);
    cr_assert(c.g->failure.code == WEFT_OK, "%s", c.g->failure.text);
    cr_expect(simplify(&c.arena, c.g)->n_nodes < c.g->n_nodes);
    arena_free(&c.arena);
}
