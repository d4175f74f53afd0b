/* The graph's promises: equal nodes are one node, every op refuses what its rule forbids and in which words,
 * copies are copies, and a chain of a million nodes is just long. */
#include "compiler/graph/check.h"
#include "compiler/graph/infer/infer.h"
#include "compiler/vmap/vmap.h"
#include "tests/support/graph_suite.h"
#include <criterion/criterion.h>
#include <stdio.h>

TestSuite(graph, .init = open_arena, .fini = close_arena);

static const Graph *reducer(Graph *g, const char *types)
{
    Graph *r = graph_new(g->arena, "add");
    Ref out[2], left[2];
    uint32_t n = 0;
    for (; *types; n++) {
        int64_t dim[8];
        left[n] = build_param(r, support_type(&types, dim));
    }
    for (uint32_t i = 0; i < n; i++)
        out[i] = build_binary(r, OP_ADD, left[i], build_param(r, graph_type(r, left[i])));
    graph_set_outputs(r, out, n);
    return r;
}

static Ref add_case(Graph *g, const Case *c)
{
    int operands = 1;
    for (const char *p = c->args; *p; p++) operands += *p == ' ';
    return support_case(g, c,
                        c->op == OP_REDUCE_REGION ? reducer(g, operands == 4 ? "f32 i32" : "f32") : NULL);
}

#define RANK_32 "f32[1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1]"
#define RANK_33 "f32[1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1]"

static const Case bad[] = {
    { OP_PARAMETER, "", 1, { -1 }, "f32", "parameter number -1 is out of range" },
    { OP_PARAMETER, "", 1, { 2 }, "f32", "parameter 2 comes after 0 others" },
    { OP_PARAMETER, "f32", 1, { 0 }, "i32", "parameter 0 is f32 and i32" },
    { OP_PARAMETER, "", 1, { 0 }, RANK_33, "rank 33 is over the limit of 32 axes" },
    { OP_PARAMETER, "", 1, { 0 }, "f32[2,-3]", "size -3 of axis 1 is negative" },
    { OP_PARAMETER,
      "",
      1,
      { 0 },
      "f32[4294967296,1073741824]",
      "f32[4294967296,1073741824] has more bytes than 63 bits can count" },
    { OP_PARAMETER, "", 1, { 0 }, "f32[0,4294967296,4294967296]", "more bytes than 63 bits" },
    { OP_CONSTANT, "", 1, { 2 }, "f32", "splat is 2, not 0 or 1" },
    { OP_CONSTANT, "", 0, { 0 }, "f32", "CONSTANT has 0 attribute numbers where 1 are needed" },
    { OP_IOTA, "", 1, { 0 }, "i32", "axis 0 is out of range: i32 has no axes" },
    { OP_IOTA, "", 1, { 2 }, "i32[3,4]", "axis 2 is out of range for i32[3,4] (0 to 1)" },
    { OP_IOTA,
      "",
      1,
      { 0 },
      "bool[3]",
      "element type bool is not taken (allowed: signed integers, unsigned integers, floats, complex "
      "numbers)" },
    { OP_NEG, "bool[3]", 0, { 0 }, NULL, "element type bool is not taken" },
    { OP_ABS,
      "u8",
      0,
      { 0 },
      NULL,
      "element type u8 is not taken (allowed: signed integers, floats, complex numbers)" },
    { OP_NOT,
      "f32",
      0,
      { 0 },
      NULL,
      "element type f32 is not taken (allowed: bool, signed integers, unsigned integers)" },
    { OP_EXP, "i32[2]", 0, { 0 }, NULL, "element type i32 is not taken (allowed: floats, complex numbers)" },
    { OP_REDUCE_PRECISION, "f32", 2, { 0, 3 }, NULL, "0 exponent bits (at least 1)" },
    { OP_REDUCE_PRECISION, "f32", 2, { 3, -1 }, NULL, "-1 mantissa bits (at least 0)" },
    { OP_BITCAST, "f32[3]", 0, { 0 }, "f64", "the last axis of f32[3] must have size 2 to become f64" },
    { OP_BITCAST, "f32", 0, { 0 }, "f64", "the last axis of f32 must have size 2" },
    { OP_BITCAST, "bool[8]", 0, { 0 }, "u8", "bits of bool cannot be seen as u8" },
    { OP_BITCAST, RANK_32, 0, { 0 }, "u8", "rank 33 is over the limit" },
    { OP_ADD, "f32[3] i32[3]", 0, { 0 }, NULL, "operand types f32[3] and i32[3] differ" },
    { OP_ADD, "f32[3] f32[4]", 0, { 0 }, NULL, "operand types f32[3] and f32[4] differ" },
    { OP_ADD, "f32[3]", 0, { 0 }, NULL, "1 operands (ADD takes 2)" },
    { OP_ADD, "f32 f32", 1, { 0 }, NULL, "ADD has 1 attribute numbers where 0 are needed" },
    { OP_FMA, "f32[3] f32[3] f32", 0, { 0 }, NULL, "operand types f32[3] and f32 differ" },
    { OP_COMPARE, "f32 f32", 2, { 9, ORDER_FLOAT }, NULL, "comparison direction 9" },
    { OP_COMPARE, "f32 f32", 2, { CMP_LT, 7 }, NULL, "comparison order 7" },
    { OP_COMPARE,
      "f32 f32",
      2,
      { CMP_LT, ORDER_SIGNED },
      NULL,
      "comparison order SIGNED does not go with element type f32" },
    { OP_COMPARE,
      "u8 u8",
      2,
      { CMP_LT, ORDER_SIGNED },
      NULL,
      "comparison order SIGNED does not go with element type u8" },
    { OP_SELECT, "f32 f32 f32", 0, { 0 }, NULL, "the predicate must be bool, not f32" },
    { OP_SELECT,
      "bool[2] f32[3] f32[3]",
      0,
      { 0 },
      NULL,
      "predicate bool[2] must have rank 0 or the shape of f32[3]" },
    { OP_SELECT, "bool[3] f32[3] f32", 0, { 0 }, NULL, "operand types f32[3] and f32 differ" },
    { OP_CLAMP, "f32[2] f32[3] f32", 0, { 0 }, NULL, "bound f32[2] must have rank 0 or the shape of f32[3]" },
    { OP_CLAMP, "f32 f32[3] i32", 0, { 0 }, NULL, "operand types i32 and f32[3] differ" },
    { OP_BROADCAST,
      "f32[3]",
      1,
      { 0 },
      "f32[4,2]",
      "axis 0 of f32[3] does not stretch to axis 0 of f32[4,2] (3 against 4)" },
    { OP_BROADCAST, "f32[3]", 1, { 2 }, "f32[4,3]", "axis 2 is out of range for f32[4,3] (0 to 1)" },
    { OP_BROADCAST, "f32[3,3]", 2, { 1, 1 }, "f32[4,3]", "axis 1 of f32[4,3] is named twice" },
    { OP_BROADCAST, "f32[3]", 0, { 0 }, "f32[4,3]", "BROADCAST has 0 attribute numbers where 1 are needed" },
    { OP_BROADCAST, "f32", 0, { 0 }, RANK_33, "rank 33 is over the limit" },
    { OP_BROADCAST, "f64", 0, { 0 }, "bool[4611686018427387904]", "more bytes than 63 bits" },
    { OP_RESHAPE, "f32[2,3]", 0, { 0 }, "f32[5]", "f32[2,3] has 6 elements and cannot become f32[5] of 5" },
    { OP_RESHAPE, "f32[1]", 0, { 0 }, RANK_33, "rank 33 is over the limit" },
    { OP_TRANSPOSE, "f32[2,3]", 2, { 0, 0 }, NULL, "axis 0 of f32[2,3] is named twice" },
    { OP_TRANSPOSE, "f32[2,3]", 2, { 0, 2 }, NULL, "axis 2 is out of range for f32[2,3] (0 to 1)" },
    { OP_TRANSPOSE, "f32[2,3]", 1, { 0 }, NULL, "TRANSPOSE has 1 attribute numbers where 2 are needed" },
    { OP_SLICE, "f32[5]", 3, { 0, 6, 1 }, NULL, "slice 0:6 of axis 0 leaves f32[5] (0 to 5)" },
    { OP_SLICE, "f32[5]", 3, { 3, 2, 1 }, NULL, "slice 3:2 of axis 0 leaves f32[5]" },
    { OP_SLICE, "f32[5]", 3, { -1, 2, 1 }, NULL, "slice -1:2 of axis 0" },
    { OP_SLICE, "f32[5]", 3, { 0, 2, 0 }, NULL, "stride 0 of axis 0 is not positive" },
    { OP_REVERSE, "f32[2,3]", 2, { 1, 0 }, NULL, "axes must ascend, but 1 comes before 0" },
    { OP_REVERSE, "f32[2,3]", 1, { 5 }, NULL, "axis 5 is out of range for f32[2,3]" },
    { OP_PAD, "f32[3] f32[1]", 3, { 0, 0, 0 }, NULL, "the filler must be one f32, not f32[1]" },
    { OP_PAD, "f32[3] i32", 3, { 0, 0, 0 }, NULL, "the filler must be one f32, not i32" },
    { OP_PAD, "f32[3] f32", 3, { 0, 0, -1 }, NULL, "interior padding -1 of axis 0 is negative" },
    { OP_PAD,
      "f32[3] f32",
      3,
      { -2, -2, 0 },
      NULL,
      "padding -2 and -2 cuts more from axis 0 of f32[3] than it has" },
    { OP_PAD, "f32[3] f32", 3, { 0, 0, INT64_MAX }, NULL, "the padded size of axis 0 overflows" },
    { OP_PAD, "f32[3] f32", 3, { INT64_MAX, 0, 0 }, NULL, "the padded size of axis 0 overflows" },
    { OP_CONCATENATE, "", 1, { 0 }, NULL, "nothing to concatenate" },
    { OP_CONCATENATE, "f32 f32", 1, { 0 }, NULL, "axis 0 is out of range: f32 has no axes" },
    { OP_CONCATENATE,
      "f32[2,3] f32[2,4]",
      1,
      { 0 },
      NULL,
      "operands f32[2,3] and f32[2,4] must agree on every axis but 0" },
    { OP_CONCATENATE, "f32[2] f32[2,4]", 1, { 0 }, NULL, "operands f32[2] and f32[2,4] must agree" },
    { OP_CONCATENATE, "f32[2] i32[2]", 1, { 0 }, NULL, "operand types f32[2] and i32[2] differ" },
    { OP_REDUCE, "f32[2,3]", 0, { 0 }, NULL, "REDUCE has 0 attribute numbers where 1 are needed" },
    { OP_REDUCE, "f32[2,3]", 2, { OP_SUB, 0 }, NULL, "is no monoid to reduce by" },
    { OP_REDUCE,
      "f32[2,3]",
      2,
      { OP_AND, 0 },
      NULL,
      "element type f32 is not taken (allowed: bool, signed integers, unsigned integers)" },
    { OP_REDUCE, "f32[2,3]", 2, { OP_ADD, 2 }, NULL, "axis 2 is out of range for f32[2,3] (0 to 1)" },
    { OP_REDUCE, "f32[2,3]", 3, { OP_ADD, 1, 0 }, NULL, "axes must ascend" },
    { OP_ARGMAX, "f32[2,3]", 1, { -1 }, "i32", "axis -1 is out of range for f32[2,3] (0 to 1)" },
    { OP_ARGMAX, "f32[2,3]", 1, { 0 }, "f32", "the index type must be an integer, not f32" },
    { OP_ARGMIN, "f32[2,0]", 1, { 1 }, "i32", "axis 1 of f32[2,0] has no elements" },
    { OP_ARGMIN, "f32[200]", 1, { 0 }, "i8", "index type i8 cannot count axis 0 of f32[200]" },
    { OP_REDUCE_REGION, "f32[3]", 1, { 0 }, NULL, "1 operands (as many starts as arrays are needed)" },
    { OP_REDUCE_REGION,
      "f32[3] f32[1]",
      1,
      { 0 },
      NULL,
      "the start value of f32[3] must be one f32, not f32[1]" },
    { OP_REDUCE_REGION, "f32[3] i32", 1, { 0 }, NULL, "the start value of f32[3] must be one f32, not i32" },
    { OP_REDUCE_REGION, "f32[3] i32[4] f32 i32", 1, { 0 }, NULL, "operand shapes f32[3] and i32[4] differ" },
    { OP_REDUCE_REGION,
      "f32[3] f32[3] f32 f32",
      1,
      { 0 },
      NULL,
      "parameter 1 of the reducer is i32, not f32" },
    { OP_REDUCE_REGION, "f32[3] f32", 2, { 0, 0 }, NULL, "axis 0 of f32[3] is named twice" },
    { OP_REDUCE_REGION, "i32[3] i32", 1, { 0 }, NULL, "parameter 0 of the reducer is f32, not i32" },
    { OP_DOT, "f32[2,3] f32[3,4]", 1, { 0 }, "f32", "DOT has 1 attribute numbers where 2 are needed" },
    { OP_DOT, "f32[2,3] f32[3,4]", 4, { -1, 1, 1, 0 }, "f32", "-1 batch and 1 contracting axes" },
    { OP_DOT, "f32[2,3] f32[3,4]", 3, { 0, 1, 1 }, "f32", "DOT has 3 attribute numbers where 4 are needed" },
    { OP_DOT, "f32[2,3] f64[3,4]", 4, { 0, 1, 1, 0 }, "f32", "operand element types f32 and f64 differ" },
    { OP_DOT, "f32[2,3] f32[3,4]", 4, { 0, 1, 1, 0 }, "i32", "products of f32 cannot be summed as i32" },
    { OP_DOT, "f32[2,3] f32[3,4]", 4, { 0, 1, 1, 0 }, "f16", "products of f32 cannot be summed as f16" },
    { OP_DOT,
      "f32[2,3] f32[3,4]",
      4,
      { 0, 1, 0, 0 },
      "f32",
      "contracting axis 0 of f32[2,3] does not match axis 0 of f32[3,4] (2 against 3)" },
    { OP_DOT,
      "f32[2,3] f32[3,4]",
      4,
      { 1, 0, 0, 0 },
      "f32",
      "batch axis 0 of f32[2,3] does not match axis 0 of f32[3,4] (2 against 3)" },
    { OP_DOT, "f32[2,3] f32[3,4]", 4, { 0, 1, 2, 0 }, "f32", "axis 2 is out of range for f32[2,3]" },
    { OP_DOT, "f32[2,2] f32[2,2]", 6, { 1, 1, 0, 0, 0, 1 }, "f32", "axis 0 of f32[2,2] is named twice" },
    { OP_DOT, RANK_32 " f32", 2, { 0, 0 }, "f32", "" }, /* 32 free axes are just in the limit: see below */
    { OP_DOT, RANK_32 " f32[1]", 2, { 0, 0 }, "f32", "rank 33 is over the limit" },
    /* [n_offset n_collapsed n_batching n_map index_vector_dim] offset collapsed operand_batching
     * indices_batching map slice_sizes */
    { OP_GATHER,
      "f32[5] i32[3,1]",
      4,
      { 0, 1, 0, 1 },
      NULL,
      "the gather's 4 attribute numbers do not fit f32[5]" },
    { OP_GATHER,
      "f32[5] i32[3,1]",
      7,
      { 0, 1, 0, 1, 1, 0, 0 },
      NULL,
      "the gather's 7 attribute numbers do not fit f32[5]" },
    { OP_GATHER,
      "f32[5] i32[3,1]",
      7,
      { 0, 0, 0, 1, 1, 0, 1 },
      NULL,
      "0 offset, 0 collapsed and 0 batching axes do not make up the 1 of f32[5]" },
    { OP_GATHER,
      "f32[5] f32[3,1]",
      8,
      { 0, 1, 0, 1, 1, 0, 0, 1 },
      NULL,
      "indices must be integers, not f32[3,1]" },
    { OP_GATHER,
      "f32[5] i32[3,1]",
      8,
      { 0, 1, 0, 1, 3, 0, 0, 1 },
      NULL,
      "index vector axis 3 is out of range for i32[3,1] (0 to 2)" },
    { OP_GATHER,
      "f32[5] i32[3,1]",
      8,
      { 0, 1, 0, 1, 0, 0, 0, 1 },
      NULL,
      "index vectors of i32[3,1] have 3 numbers, but 1 axes are indexed" },
    { OP_GATHER,
      "f32[5] i32[3,1]",
      8,
      { 0, 1, 0, 1, 1, 1, 0, 1 },
      NULL,
      "axis 1 is out of range for f32[5] (0 to 0)" },
    { OP_GATHER,
      "f32[5] i32[3,1]",
      8,
      { 0, 1, 0, 1, 1, 0, 1, 1 },
      NULL,
      "axis 1 is out of range for f32[5] (0 to 0)" },
    { OP_GATHER,
      "f32[5] i32[3,1]",
      8,
      { 0, 1, 0, 1, 1, 0, 0, 2 },
      NULL,
      "slice size 2 of axis 0 is out of range for f32[5] (1 to 1: the axis is collapsed" },
    { OP_GATHER,
      "f32[5] i32[3,1]",
      8,
      { 1, 0, 0, 1, 1, 1, 0, 6 },
      NULL,
      "slice size 6 of axis 0 is out of range for f32[5] (0 to 5)" },
    { OP_GATHER,
      "f32[5] i32[3,1]",
      8,
      { 1, 0, 0, 1, 1, 2, 0, 2 },
      NULL,
      "offset axes must ascend from 0 to at most 1" },
    { OP_GATHER,
      "f32[5,6] i32[3,1]",
      10,
      { 2, 0, 0, 1, 1, 2, 1, 0, 1, 1 },
      NULL,
      "offset axes must ascend from 0 to at most 2" },
    { OP_GATHER,
      "f32[5,6] i32[3,1]",
      10,
      { 0, 2, 0, 1, 1, 1, 0, 0, 1, 1 },
      NULL,
      "collapsed axes must ascend" },
    { OP_GATHER,
      "f32[4,6] i32[3,1]",
      11,
      { 0, 1, 1, 1, 1, 1, 0, 0, 1, 1, 1 },
      NULL,
      "batching axis 0 of f32[4,6] does not match axis 0 of i32[3,1] (4 against 3)" },
    { OP_GATHER,
      "f32[1,6] i32[3,1]",
      11,
      { 0, 1, 1, 1, 1, 1, 0, 1, 1, 1, 1 },
      NULL,
      "axis 1 of the indices cannot be batching" },
    { OP_GATHER,
      "f32[3,6] i32[3,1]",
      11,
      { 0, 1, 1, 1, 1, 1, 0, 0, 0, 1, 1 },
      NULL,
      "axis 0 of f32[3,6] is named twice" },
    { OP_GATHER,
      "f32[3,6] i32[3,1]",
      11,
      { 0, 1, 1, 1, 1, 0, 0, 0, 1, 1, 1 },
      NULL,
      "axis 0 of f32[3,6] is named twice" },
    { OP_RESULT, "f32", 1, { 0 }, NULL, "PARAMETER has a single result" },
};

Test(graph, broken_rules_are_named)
{
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        Graph *g = graph_new(&arena, NULL);
        Ref r = add_case(g, &bad[i]);
        if (!*bad[i].want) {
            cr_expect_neq(r, REF_NONE, "case %zu: %s", i, g->failure.text);
            continue;
        }
        cr_expect_eq(r, REF_NONE, "case %zu: %s was allowed", i, op_info[bad[i].op].name);
        cr_expect(g->failure.code != WEFT_OK && strstr(g->failure.text, bad[i].want),
                  "case %zu: \"%s\" without \"%s\"", i, g->failure.text, bad[i].want);
        cr_expect_eq(build_unary(g, OP_NEG, r), REF_NONE);
    }
}

static const Case good[] = {
    { OP_IOTA, "", 1, { 1 }, "u8[3,4]", "u8[3,4]" },
    { OP_NOT, "bool[2]", 0, { 0 }, NULL, "bool[2]" },
    { OP_IS_FINITE, "f16[2]", 0, { 0 }, NULL, "bool[2]" },
    { OP_CONVERT, "f32[2]", 0, { 0 }, "i8", "i8[2]" },
    { OP_BITCAST, "f32[2]", 0, { 0 }, "u8", "u8[2,4]" },
    { OP_BITCAST, "u8[2,4]", 0, { 0 }, "f32", "f32[2]" },
    { OP_BITCAST, "f32[0]", 0, { 0 }, "i32", "i32[0]" },
    { OP_ADD, "bool bool", 0, { 0 }, NULL, "bool" },
    { OP_COMPARE, "u8[3] u8[3]", 2, { CMP_LT, ORDER_UNSIGNED }, NULL, "bool[3]" },
    { OP_COMPARE, "f32 f32", 2, { CMP_LT, ORDER_TOTAL }, NULL, "bool" },
    { OP_SELECT, "bool i8[3] i8[3]", 0, { 0 }, NULL, "i8[3]" },
    { OP_CLAMP, "f32 f32[3] f32[3]", 0, { 0 }, NULL, "f32[3]" },
    { OP_BROADCAST, "f32[3,1]", 2, { 2, 0 }, "bool[7,2,3]", "f32[7,2,3]" },
    { OP_BROADCAST, "f32", 0, { 0 }, "bool[0,2]", "f32[0,2]" },
    { OP_RESHAPE, "f32[0,3]", 0, { 0 }, "bool[5,0]", "f32[5,0]" },
    { OP_TRANSPOSE, "f32[2,3,4]", 3, { 2, 0, 1 }, NULL, "f32[4,2,3]" },
    { OP_SLICE, "f32[10,3]", 6, { 1, 0, 10, 0, 4, 1 }, NULL, "f32[3,0]" },
    { OP_SLICE, "f32[10]", 3, { 0, 10, INT64_MAX }, NULL, "f32[1]" },
    { OP_PAD, "f32[3] f32", 3, { -1, 2, 3 }, NULL, "f32[10]" },
    { OP_PAD, "f32[0] f32", 3, { 2, 0, 9 }, NULL, "f32[2]" },
    { OP_PAD, "f32[3] f32", 3, { -3, 0, 0 }, NULL, "f32[0]" },
    { OP_CONCATENATE, "f32[2,3] f32[2,0] f32[2,4]", 1, { 1 }, NULL, "f32[2,7]" },
    { OP_REDUCE, "bool[2,3]", 1, { OP_ADD }, NULL, "bool[2,3]" },
    { OP_REDUCE, "i8[2,3,4]", 3, { OP_XOR, 0, 2 }, NULL, "i8[3]" },
    { OP_ARGMAX, "f32[128,2]", 1, { 0 }, "i8", "i8[2]" },
    { OP_REDUCE_REGION, "f32[3,4] f32", 1, { 1 }, NULL, "f32[3]" },
    { OP_REDUCE_REGION, "f32[3,4] i32[3,4] f32 i32", 2, { 0, 1 }, NULL, "f32" },
    { OP_DOT, "bf16[5,2,3] bf16[3,5,4]", 6, { 1, 1, 0, 1, 2, 0 }, "f32", "f32[5,2,4]" },
    { OP_DOT, "i8[2] i8[3]", 2, { 0, 0 }, "i32", "i32[2,3]" },
    { OP_GATHER, "f32[5,6] i64[3,1]", 10, { 1, 1, 0, 1, 1, 1, 0, 0, 1, 4 }, NULL, "f32[3,4]" },
    { OP_GATHER, "f32[5] i32[3]", 8, { 0, 1, 0, 1, 1, 0, 0, 1 }, NULL, "f32[3]" },
    { OP_GATHER, "f32[5] i32[3]", 8, { 1, 0, 0, 1, 1, 0, 0, 4 }, NULL, "f32[4,3]" },
    { OP_GATHER, "f32[3,6] u8[3,1]", 11, { 0, 1, 1, 1, 1, 1, 0, 0, 1, 1, 1 }, NULL, "f32[3]" },
};

Test(graph, types_are_inferred)
{
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        Graph *g = graph_new(&arena, NULL);
        Ref r = add_case(g, &good[i]);
        cr_assert_neq(r, REF_NONE, "case %zu: %s", i, g->failure.text);
        if (graph_node(g, r)->n_results > 1) r = build_result(g, r, 0);
        char text[128];
        cr_expect_str_eq(type_text(text, sizeof text, graph_type(g, r)), good[i].want, "case %zu", i);
        Failure f = { 0 };
        cr_expect(graph_check(g, &f), "case %zu: %s", i, f.text);
    }
}

/* Every op of the table refuses one operand too many, and an elementwise op refuses each element type that
 * its row does not list. */
Test(graph, every_op_keeps_to_its_row)
{
    static const char letter[] = { 'B', 'S', 'U', 'F', 'C' };
    for (int op = 0; op < OP_COUNT; op++) {
        if (op_info[op].args < 0) continue;
        uint32_t n = (uint32_t)op_info[op].args;
        for (int k = 0; k < DTYPE_COUNT; k++) {
            Graph *g = graph_new(&arena, NULL);
            Ref x = build_param(g, (Type){ (uint8_t)k, 0, NULL }), args[5] = { x, x, x, x, x };
            if (op == OP_SELECT) args[0] = build_param(g, (Type){ WEFT_BOOL, 0, NULL });
            NodeSpec s = { .op = (Op)op, .args = args, .n_args = n + 1, .dtype = (DType)k };
            if (op != OP_RESULT) {
                cr_expect_eq(graph_add(g, &s), REF_NONE);
                cr_expect(strstr(g->failure.text, "operands ("), "%s: %s", op_info[op].name, g->failure.text);
            }
            if (!op_is_ew((Op)op)) continue;
            int64_t attr[] = { op == OP_COMPARE ? CMP_EQ : 5,
                               op == OP_COMPARE ? (int64_t)compare_order((DType)k) : 5 };
            g->failure = (Failure){ 0 };
            s.n_args = n;
            s.attr = attr;
            s.n_attr = op == OP_COMPARE || op == OP_REDUCE_PRECISION ? 2 : 0;
            bool listed = strchr(op_info[op].types, letter[dtype_kind((DType)k)]) != NULL &&
                          !(op == OP_COMPLEX && dtype_is_narrow_float((DType)k));
            cr_expect_eq(graph_add_raw(g, &s) != REF_NONE, listed, "%s on %s: %s", op_info[op].name,
                         dtype_name((DType)k), g->failure.text);
        }
    }
}

Test(graph, equal_nodes_are_one)
{
    Graph *g = graph_new(&arena, "f");
    Type t = { WEFT_F32, 2, (int64_t[]){ 3, 4 } };
    Ref x = build_param(g, t), y = build_param(g, t);
    cr_expect_neq(x, y);
    cr_expect_eq(build_binary(g, OP_SUB, x, y), build_binary(g, OP_SUB, x, y));
    cr_expect_neq(build_binary(g, OP_SUB, x, y), build_binary(g, OP_SUB, y, x));
    cr_expect_neq(build_unary(g, OP_SIN, x), build_unary(g, OP_COS, x));
    cr_expect_neq(build_convert(g, x, WEFT_F16), build_convert(g, x, WEFT_F64));
    cr_expect_neq(build_iota(g, t, 0), build_iota(g, t, 1));
    cr_expect_eq(build_number(g, WEFT_F32, 2), build_number(g, WEFT_F32, 2));
    cr_expect_neq(build_number(g, WEFT_F32, 0.0), build_number(g, WEFT_F32, -0.0));
    cr_expect_neq(build_number(g, WEFT_I32, 0), build_number(g, WEFT_U32, 0));
    float same[12] = { 0 }, other[12] = { 0 };
    for (int i = 0; i < 12; i++) same[i] = other[i] = (float)i;
    Ref c = build_constant(g, t, same);
    cr_expect_eq(c, build_constant(g, t, other));
    other[11] = -1;
    cr_expect_neq(c, build_constant(g, t, other));
    cr_expect_eq(((const float *)graph_node(g, c)->data)[11], 11.0f);
    cr_expect_eq(build_constant(g, t, (float[12]){ 0 }), build_splat(g, t, 0));
    Failure f = { 0 };
    cr_expect(graph_check(g, &f), "%s", f.text);
}

Test(graph, big_constants_go_by_address)
{
    static const float big[2][4096];
    Graph *g = graph_new(&arena, NULL);
    Type t = { WEFT_F32, 1, (int64_t[]){ 4096 } },
         terabytes = { WEFT_F64, 2, (int64_t[]){ 1 << 30, 1 << 20 } };
    Ref a = build_constant(g, t, big[0]);
    cr_expect_eq(a, build_constant(g, t, big[0]));
    cr_expect_neq(a, build_constant(g, t, big[1]));
    cr_expect_eq(graph_node(g, a)->data, big[0]);
    cr_expect_neq(build_splat(g, terabytes, 7), REF_NONE);
    cr_expect_lt(arena.bytes, 1 << 20);
}

static Ref fold_pairs(Graph *g)
{
    Type t = { WEFT_F32, 1, (int64_t[]){ 5 } }, i = { WEFT_I32, 1, (int64_t[]){ 5 } };
    Ref x = g->n_params ? g->params[0] : build_param(g, t),
        k = g->n_params > 1 ? g->params[1] : build_param(g, i);
    Ref args[] = { x, k, build_number(g, WEFT_F32, 0), build_number(g, WEFT_I32, 0) };
    return graph_add(g, &(NodeSpec){ .op = OP_REDUCE_REGION,
                                     .args = args,
                                     .n_args = 4,
                                     .attr = (int64_t[]){ 0 },
                                     .n_attr = 1,
                                     .region = reducer(g, "f32 i32") });
}

Test(graph, several_results_are_projected)
{
    Graph *g = graph_new(&arena, NULL);
    Ref r = fold_pairs(g);
    cr_expect_eq(r, fold_pairs(g), "regions are compared by what they are");
    cr_expect_eq(graph_node(g, r)->n_results, 2);
    cr_expect_eq(graph_node(g, build_result(g, r, 0))->dtype, WEFT_F32);
    Ref second = build_result(g, r, 1);
    cr_expect_eq(graph_node(g, second)->dtype, WEFT_I32);
    cr_expect_eq(build_result(g, second, 0), second);
    Failure f = { 0 };
    cr_expect(graph_check(g, &f), "%s", f.text);
    cr_expect_eq(build_unary(g, OP_NEG, r), REF_NONE);
    cr_expect(strstr(g->failure.text, "one of several results of REDUCE_REGION must be chosen"), "%s",
              g->failure.text);
    g->failure = (Failure){ 0 };
    cr_expect_eq(build_result(g, r, 2), REF_NONE);
    cr_expect(strstr(g->failure.text, "result 2 of REDUCE_REGION, which has 2"), "%s", g->failure.text);
}

Test(graph, copies_live_by_themselves)
{
    Graph *g = graph_new(&arena, "f"), *copy;
    Ref unused = build_unary(g, OP_SIN, build_number(g, WEFT_F32, 0.25));
    g->loc = graph_loc(g, "demo.c:7");
    Ref r = fold_pairs(g), out[] = { build_result(g, r, 1), build_result(g, r, 0) };
    graph_set_outputs(g, out, 2);
    g->param_names = (const char *[]){ "x", NULL };
    Arena other;
    arena_open(&other);
    copy = graph_compact(&other, g);
    Graph *again = graph_compact(&other, copy);
    arena_free(&arena);
    (void)unused;

    Failure f = { 0 };
    cr_expect(graph_check(copy, &f), "%s", f.text);
    cr_expect_eq(copy->n_nodes, 7, "two parameters, two starts, the fold and its results: %u", copy->n_nodes);
    cr_expect_eq(copy->params[0], 0);
    cr_expect_eq(copy->params[1], 1);
    cr_expect_str_eq(copy->locs[graph_node(copy, copy->outputs[0])->loc], "demo.c:7");
    cr_expect_str_eq(copy->param_names[0], "x");
    cr_expect(graph_equal(copy, again) && graph_hash(copy) == graph_hash(again));
    again->outputs[0] = again->outputs[1];
    cr_expect_not(graph_equal(copy, again));
    cr_expect_neq(graph_hash(copy), graph_hash(again));
    arena_free(&other);
}

Test(graph, many_operands_are_checked)
{
    enum { MANY = 1000 };
    static Ref args[MANY];
    Graph *g = graph_new(&arena, NULL);
    for (int i = 0; i < MANY; i++) args[i] = build_param(g, (Type){ WEFT_F32, 2, (int64_t[]){ i % 3, 4 } });
    Ref r = build_concatenate(g, args, MANY, 0);
    cr_assert_neq(r, REF_NONE, "%s", g->failure.text);
    cr_expect_eq(graph_node(g, r)->dim[0], 999);
    Failure f = { 0 };
    cr_expect(graph_check(g, &f), "%s", f.text);
    ((int64_t *)g->nodes[r].dim)[0] = 998;
    cr_expect_not(graph_check(g, &f));
}

Test(graph, inlining_checks_arguments)
{
    Graph *callee = graph_new(&arena, "square"), *g = graph_new(&arena, "f");
    Type t = { WEFT_F32, 1, (int64_t[]){ 3 } };
    Ref p = build_param(callee, t), q = build_binary(callee, OP_MUL, p, p), out;
    callee->loc = 0;
    graph_set_outputs(callee, &q, 1);
    Ref x = build_param(g, t), y = build_unary(g, OP_SIN, x);
    cr_expect(graph_inline(g, callee, &y, &out));
    cr_expect_eq(out, build_binary(g, OP_MUL, y, y));
    Ref wrong = build_param(g, (Type){ WEFT_I32, 0, NULL });
    cr_expect_not(graph_inline(g, callee, &wrong, &out));
    cr_expect_str_eq(g->failure.text, "argument 0 is i32, not f32[3]");
}

Test(graph, places_are_interned)
{
    Graph *g = graph_new(&arena, NULL);
    char at[32];
    for (int round = 0; round < 2; round++)
        for (int i = 0; i < 1000; i++) {
            snprintf(at, sizeof at, "demo.c:%d", i);
            cr_assert_eq(graph_loc(g, at), (uint32_t)i + 1);
        }
    cr_expect_eq(graph_loc(g, NULL), 0);
    cr_expect_str_eq(g->locs[42], "demo.c:41");
}

Test(graph, long_types_are_cut)
{
    char text[24];
    Type t = { WEFT_F32, 8, (int64_t[]){ 1000, 2000, 3000, 4000, 5000, 6000, 7000, 8000 } };
    cr_expect_str_eq(type_text(text, sizeof text, t), "f32[1000,2000,3000,...]");
    cr_expect_str_eq(type_text(text, 3, t), "f3");
}

/* One broken invariant at a time. */
static void break_order(Graph *g) { ((Ref *)g->nodes[2].args)[0] = 2; }
static void break_type(Graph *g) { g->nodes[2].dtype = WEFT_F64; }
static void break_param(Graph *g) { g->params[0] = 2; }
static void break_output(Graph *g) { g->outputs[0] = 99; }
static void break_twin(Graph *g) { g->nodes[3] = g->nodes[2]; }
static void break_loc(Graph *g) { g->nodes[2].loc = 5; }
static void break_op(Graph *g) { g->nodes[2].op = OP_COUNT; }

Test(graph, the_checker_sees_what_is_broken)
{
    static const struct {
        void (*how)(Graph *);
        const char *want;
    } row[] = {
        { break_order, "node 2 (SUB): operand 2 does not come before it" },
        { break_type, "node 2 (SUB): type is not what its rule says" },
        { break_param, "is not the parameter of its number" },
        { break_output, "output 0 is node 99 of 4" },
        { break_twin, "node 3 (SUB): an equal node exists" },
        { break_loc, "source place is not in the table" },
        { break_op, "no op has number" },
    };
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        Graph *g = graph_new(&arena, NULL);
        Type t = { WEFT_F32, 1, (int64_t[]){ 3 } };
        Ref x = build_param(g, t), y = build_param(g, t), d = build_binary(g, OP_SUB, x, y),
            out = build_binary(g, OP_SUB, d, y);
        graph_set_outputs(g, &out, 1);
        Failure f = { 0 };
        cr_assert(graph_check(g, &f), "%s", f.text);
        row[i].how(g);
        cr_expect_not(graph_check(g, &f));
        cr_expect(strstr(f.text, row[i].want), "%s", f.text);
    }
}

Test(graph, a_million_nodes_are_a_long_chain)
{
    enum { LONG = 1000000 };
    Graph *g = graph_new(&arena, NULL);
    Ref x = build_param(g, (Type){ WEFT_F32, 1, (int64_t[]){ 8 } }), y = x;
    for (int i = 0; i < LONG; i++) y = build_binary(g, i & 1 ? OP_MUL : OP_ATAN2, y, x);
    graph_set_outputs(g, &y, 1);
    cr_assert_eq(g->n_nodes, LONG + 1);
    Failure f = { 0 };
    cr_expect(graph_check(g, &f), "%s", f.text);
    cr_expect(graph_equal(g, graph_compact(&arena, g)));
}

/* The allocator's n-th call fails, for every n, or for some hundreds where calls are many: the guard is
 * reached, and the arena gives everything back. */
static bool build_much(Counter *c)
{
    Allocator allocator = { counter_resize, c };
    Guard g;
    Arena a;
    arena_init(&a, &allocator, &g);
    volatile bool whole = false;
    if (!setjmp(g.env)) {
        Graph *graph = graph_new(&a, "f");
        Ref y = build_param(graph, (Type){ WEFT_F32, 0, NULL });
        for (int i = 0; i < 3000; i++) y = build_binary(graph, OP_ATAN2, y, build_number(graph, WEFT_F32, i));
        graph_set_outputs(graph, &y, 1);
        whole = vmap_graph(&a, graph_compact(&a, graph), (int64_t[]){ 0 }, 5, (int64_t[]){ 0 }, NULL, NULL);
    }
    arena_free(&a);
    return whole;
}

Test(graph, refused_memory_is_given_back)
{
    Counter c = { 0 };
    cr_assert(build_much(&c));
    long all = c.calls;
    cr_expect_gt(all, 3);
    for (long at = 1; at <= all; at += 1 + all / 300) {
        c = (Counter){ .fail_at = at };
        cr_expect_not(build_much(&c));
        cr_expect_eq(c.live, 0);
    }
}
