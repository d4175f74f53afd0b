/* test_fold.c: every rewrite rule against eager mode: the same expression built with the rules and without
 * them gives the same bits.
 *
 * Expressions are made from small pools, all combinations of them: whatever pattern a rule looks for is met,
 * with every special value in the data. That rules apply at all is a table of its own below. */
#include <criterion/criterion.h>
#include <math.h>
#include "tests/support/fold_suite.h"
#include "compiler/passes/simplify.h"

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
    return fold_node(g, rules,
                     (NodeSpec){ .op = o,
                                 .args = (Ref[]){ x, unary         ? REF_NONE
                                                     : o == OP_MUL ? x
                                                                   : y },
                                 .n_args = unary ? 1 : 2 });
}

static bool takes(Op op, DType t)
{
    static const char letters[] = { [KIND_BOOL] = 'B',
                                    [KIND_SIGNED] = 'S',
                                    [KIND_UNSIGNED] = 'U',
                                    [KIND_FLOAT] = 'F',
                                    [KIND_COMPLEX] = '-' /* tried elsewhere */ };
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
    int64_t attr[] = { dir, compare_order(t) };
    Ref r = fold_node(g, rules,
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
    rng_seed(seed);
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
        Ref r = fold_node(g, rules,
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

/* ---- conditions of which one says a part of the other */

/* Floats are compared by total order if `total`. */
static Ref fold_compare_pair(Graph *g, bool rules, int64_t dir, bool total, Ref x, Ref y)
{
    DType t = (DType)graph_node(g, x)->dtype;
    int64_t attr[] = { dir, dtype_is_float(t)    ? total ? ORDER_TOTAL : ORDER_FLOAT
                            : dtype_is_signed(t) ? ORDER_SIGNED
                                                 : ORDER_UNSIGNED };
    return fold_node(
        g, rules,
        (NodeSpec){ .op = OP_COMPARE, .args = (Ref[]){ x, y }, .n_args = 2, .attr = attr, .n_attr = 2 });
}

static void give_both(Graph *g, bool rules, Ref p, Ref q, bool swapped)
{
    Ref args[] = { swapped ? q : p, swapped ? p : q };
    Ref both = fold_node(g, rules, (NodeSpec){ .op = OP_AND, .args = args, .n_args = 2 });
    graph_set_outputs(g, &both, 1);
}

/* x dir y & x != y; total: the first is by total order. */
static Graph *build_less_and_differs(Arena *a, bool rules, DType t, int64_t dir, bool total, bool swapped)
{
    Graph *g = graph_new(a, "conditions");
    Type type = { (uint8_t)t, 1, (int64_t[]){ COUNT } };
    Ref x = build_param(g, type), y = build_param(g, type);
    give_both(g, rules, fold_compare_pair(g, rules, dir, total, x, y),
              fold_compare_pair(g, rules, CMP_NE, false, x, y), swapped);
    return g;
}

/* sign(x) != sign & x % by != 0: of an integer quotient, must it be one less to be rounded down? */
static Graph *build_rounds_down(Arena *a, bool rules, DType t, uint64_t by, int sign, bool swapped)
{
    Graph *g = graph_new(a, "rounds down");
    Type type = { (uint8_t)t, 1, (int64_t[]){ COUNT } };
    Ref x = build_param(g, type);
    Ref args[] = { x, build_splat(g, type, by) };
    Ref rest = fold_node(g, rules, (NodeSpec){ .op = OP_REM, .args = args, .n_args = 2 }),
        of_x = fold_node(g, rules, (NodeSpec){ .op = OP_SIGN, .args = &x, .n_args = 1 });
    Ref signs =
        fold_compare_pair(g, rules, CMP_NE, false, of_x, build_splat(g, type, scalar_from_i64(t, sign)));
    give_both(g, rules, signs, fold_compare_pair(g, rules, CMP_NE, false, rest, build_splat(g, type, 0)),
              swapped);
    return g;
}

static bool gives_comparison(const Graph *g) { return graph_node(g, g->outputs[0])->op == OP_COMPARE; }

Test(fold, comparisons_together)
{
    for (int k = 0; k < (int)WEFT_C64 * 6 * 4; k++) { /* complex numbers have no order */
        Arena arena;
        arena_open(&arena);
        DType t = (DType)(k / 24);
        int dir = k / 4 % 6;
        bool swapped = k & 1, total = k & 2;
        Graph *slow = build_less_and_differs(&arena, false, t, dir, total, swapped),
              *fast = build_less_and_differs(&arena, true, t, dir, total, swapped);
        expect_same(&arena, slow, fast, "comparisons");
        bool alike = !total || !dtype_is_float(t);
        cr_expect(t == WEFT_BOOL || gives_comparison(fast) == (dir != CMP_EQ && alike));
        arena_free(&arena);
    }
}

Test(fold, quotients_rounded_down)
{
    static const DType types[] = { WEFT_I8, WEFT_I16, WEFT_I32, WEFT_I64 };
    static const int64_t numbers[] = { 2, -2, 3, -3, 7, 100, -100, INT8_MIN, 0 };
    for (size_t n = 0; n < sizeof numbers / sizeof *numbers; n++)
        for (int k = 0; k < 4 * 3 * 2; k++) {
            Arena arena;
            arena_open(&arena);
            DType t = types[k / 6];
            int sign = k / 2 % 3 - 1;
            uint64_t by = scalar_from_i64(t, numbers[n]);
            Graph *slow = build_rounds_down(&arena, false, t, by, sign, k % 2),
                  *fast = build_rounds_down(&arena, true, t, by, sign, k % 2);
            expect_same(&arena, slow, fast, "rounded down");
            cr_expect(gives_comparison(fast) == (sign == (numbers[n] > 0) - (numbers[n] < 0) && sign));
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
        r = fold_node(g, rules,
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

/* ---- what is made of iotas */

/* convert(iota), or iota shifted by `by` with op */
static Graph *build_of_iota(Arena *a, bool rules, DType from, int64_t length, Op op, DType to, int by)
{
    Graph *g = graph_new(a, "of an iota");
    Type t = { (uint8_t)from, 2, (int64_t[]){ 2, length } };
    Ref args[] = { build_iota(g, t, 1), build_splat(g, t, scalar_from_i64(from, by)) };
    NodeSpec s = { .op = op, .args = args, .n_args = op == OP_CONVERT ? 1 : 2, .dtype = to };
    Ref r = fold_node(g, rules, s);
    graph_set_outputs(g, &r, 1);
    return g;
}

Test(fold, of_iotas)
{
    static const int64_t lengths[] = { 1, 2, 3, 128, 129, 256, 257, 32768, 32769, 65536, 65537 };
    static const Op shifts[] = { OP_SHL, OP_SHR_ARITH, OP_SHR_LOGIC };
    for (int from = 0; from < DTYPE_COUNT; from++)
        for (size_t k = 0; dtype_is_int((DType)from) && k < sizeof lengths / sizeof *lengths; k++) {
            Arena arena;
            arena_open(&arena);
            for (int to = 0; to < DTYPE_COUNT; to++)
                expect_same(&arena,
                            build_of_iota(&arena, false, (DType)from, lengths[k], OP_CONVERT, (DType)to, 0),
                            build_of_iota(&arena, true, (DType)from, lengths[k], OP_CONVERT, (DType)to, 0),
                            "convert of an iota");
            for (int by = 0; by < 3 * dtype_bits((DType)from); by++)
                expect_same(
                    &arena,
                    build_of_iota(&arena, false, (DType)from, lengths[k], shifts[by % 3], (DType)from,
                                  by / 3),
                    build_of_iota(&arena, true, (DType)from, lengths[k], shifts[by % 3], (DType)from, by / 3),
                    "shift of an iota");
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

static bool compares(const Case *c, Ref r, CompareDir dir, Ref x, Ref y)
{
    const Node *n = graph_node(c->g, r);
    return n->op == OP_COMPARE && n->attr[0] == (int64_t)dir && n->args[0] == x && n->args[1] == y;
}

/* What is equal to an extreme of itself is no less, or no greater, than the other. */
Test(fold, extremes_of_what_is_compared)
{
    Case c;
    case_open(&c, WEFT_F32);
    Ref most = build_binary(c.g, OP_MAX, c.x, c.y), least = build_binary(c.g, OP_MIN, c.x, c.y);
    cr_expect(compares(&c, build_compare(c.g, CMP_EQ, c.x, most), CMP_GE, c.x, c.y));
    cr_expect(compares(&c, build_compare(c.g, CMP_EQ, most, c.y), CMP_GE, c.y, c.x));
    cr_expect(compares(&c, build_compare(c.g, CMP_EQ, c.y, least), CMP_LE, c.y, c.x));
    cr_expect(compares(&c, build_compare(c.g, CMP_NE, c.x, most), CMP_NE, c.x, most));
    arena_free(&c.arena);
}

/* An int that was a bool is compared as one, whatever the constant. */
Test(fold, iotas_keep_their_numbers)
{
    Case c;
    case_open(&c, WEFT_U64);
    Ref iota = build_iota(c.g, c.t, 1);
    cr_expect_eq(op_of(&c, build_convert(c.g, iota, WEFT_U32)), OP_IOTA);
    cr_expect_eq(op_of(&c, build_convert(c.g, iota, WEFT_F32)), OP_CONVERT);
    cr_expect_eq(op_of(&c, build_binary(c.g, OP_SHR_LOGIC, iota, number(&c, 32))), OP_CONSTANT);
    cr_expect_eq(op_of(&c, build_binary(c.g, OP_SHR_LOGIC, iota, number(&c, 2))), OP_CONSTANT);
    cr_expect_eq(op_of(&c, build_binary(c.g, OP_SHR_LOGIC, iota, number(&c, 1))), OP_SHR_LOGIC);
    cr_expect_eq(op_of(&c, build_binary(c.g, OP_SHL, iota, number(&c, 32))), OP_SHL);
    arena_free(&c.arena);
}

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
            Ref r = fold_node(
                to, rules,
                (NodeSpec){ .op = OP_COMPARE, .args = args, .n_args = 2, .attr = attr, .n_attr = 2 });
            graph_set_outputs(to, &r, 1);
            cr_expect_eq(graph_node(to, r)->op == OP_COMPARE, !rules);
        }
        expect_same(&arena, g[0], g[1], "bools");
        arena_free(&arena);
    }
}

Test(simplify, computes_before_the_broadcast)
{
    Case c;
    case_open(&c, WEFT_F32);
    Ref row = build_param(c.g, (Type){ WEFT_F32, 1, (int64_t[]){ 4 } });
    Ref wide = fold_node(c.g, false,
                         (NodeSpec){ .op = OP_BROADCAST,
                                     .args = &row,
                                     .n_args = 1,
                                     .attr = (int64_t[]){ 1 },
                                     .n_attr = 1,
                                     .dim = c.t.dim,
                                     .rank = 2 });
    Ref sum = fold_node(c.g, false,
                        (NodeSpec){ .op = OP_ADD, .args = (Ref[]){ wide, number(&c, 2) }, .n_args = 2 });
    Ref root = fold_node(c.g, false, (NodeSpec){ .op = OP_SQRT, .args = &sum, .n_args = 1 });
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

/* A chain of slices of pads of slices and so on. No rule may follow it to its beginning, or recurse along
 * it. */
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
