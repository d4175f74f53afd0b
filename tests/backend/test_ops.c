/* test_ops.c: every op of the table on every element type it takes: compiled in strict mode against eager
 * mode, bit for bit, and vmap against a loop. */
#include <criterion/criterion.h>
#include <stdio.h>
#include "compiler/graph/infer/infer.h"
#include "tests/graphs/graphs.h"
#include "tests/support/heap.h"
#include "tests/support/long_run.h"
#include "tests/graphs/op_examples.h"
#include "runtime/exec/compile.h"

/* BACKWARD has no value, RESULT is in the examples of others, RNG_BITS is compared with JAX's numbers. */
static bool is_tested_elsewhere(Op op) { return op == OP_BACKWARD || op == OP_RESULT || op == OP_RNG_BITS; }

static bool holds(const Graph *g, Op op)
{
    for (Ref r = 0; r < g->n_nodes; r++)
        if (g->nodes[r].op == op) return true;
    return false;
}

/* Compiled code runs whole or in pieces, on any number of threads: every second op and type in pieces, and if
 * `turned` those that otherwise run whole. */
static bool turned;

/* Returns whether the examples hold the op; what fails is said with the op, the type and the difference. */
static bool check_op(Op op, DType t, Against against)
{
    Arena arena;
    char why[512] = "";
    arena_open(&arena);
    OpExamples s = { .g = graph_new(&arena, op_info[op].name), .t = t };
    op_examples(&s, op);
    cr_assert(s.g->failure.code == WEFT_OK, "%s on %s: %s", op_info[op].name, dtype_name(t),
              s.g->failure.text);
    Values inputs = values_of_params(s.g);
    values_fill(&inputs, (uint64_t)op * 64 + t, false);
    random_graphs_parallel = against == AGAINST_STRICT && ((int)op + t + turned) % 2;
    bool ok = s.n == 0 || graph_agrees(s.g, inputs.at, against, t, why, sizeof why);
    cr_expect(ok, "%s on %s: %s", op_info[op].name, dtype_name(t), why);
    bool held = holds(s.g, op);
    random_graphs_parallel = 0;
    values_free(&inputs);
    arena_free(&arena);
    return held;
}

static void check_all(OpKind kind, Against against)
{
    Failure f = { .code = WEFT_OK };
    int checked = 0;
    if ((against == AGAINST_STRICT || against == AGAINST_VMAPPED) && !backend_get(&f)) {
        fprintf(stderr, "not compared with compiled code: %s\n", f.text);
        return;
    }
    for (int op = 0; op < OP_COUNT; op++) {
        bool held = op_kind((Op)op) != kind || is_tested_elsewhere((Op)op);
        for (int t = 0; t < DTYPE_COUNT; t++)
            if (op_kind((Op)op) == kind && infer_takes((Op)op, (DType)t)) {
                held |= check_op((Op)op, (DType)t, against);
                checked++;
            }
        cr_expect(held, "%s has no example", op_info[op].name);
    }
    cr_expect(checked > 0);
}

Test(ops, leaves_compiled) { check_all(OPKIND_LEAF, AGAINST_STRICT); }
Test(ops, elementwise_compiled) { check_all(OPKIND_EW, AGAINST_STRICT); }
Test(ops, shapes_compiled) { check_all(OPKIND_SHAPE, AGAINST_STRICT); }
Test(ops, reductions_compiled) { check_all(OPKIND_REDUCE, AGAINST_STRICT); }
Test(ops, contractions_compiled) { check_all(OPKIND_DOT, AGAINST_STRICT); }
Test(ops, indexing_compiled) { check_all(OPKIND_INDEX, AGAINST_STRICT); }
Test(ops, along_axes_compiled) { check_all(OPKIND_ALONG, AGAINST_STRICT); }
Test(ops, matrices_compiled) { check_all(OPKIND_MATRIX, AGAINST_STRICT); }
Test(ops, control_flow_compiled) { check_all(OPKIND_CONTROL, AGAINST_STRICT); }
Test(ops, others_compiled) { check_all(OPKIND_OTHER, AGAINST_STRICT); }

/* The other half, for which there is time in a long run. */
Test(ops, turned_compiled)
{
    if (!long_run()) cr_skip_test("left to a long run");
    turned = true;
    for (OpKind k = OPKIND_LEAF; k <= OPKIND_OTHER; k++) check_all(k, AGAINST_STRICT);
}

Test(ops, others_batched) { check_all(OPKIND_OTHER, AGAINST_LOOP); }
Test(ops, others_in_batches) { check_all(OPKIND_OTHER, AGAINST_VMAPPED); }
Test(ops, along_axes_batched) { check_all(OPKIND_ALONG, AGAINST_LOOP); }
Test(ops, matrices_batched) { check_all(OPKIND_MATRIX, AGAINST_LOOP); }
Test(ops, matrices_in_batches) { check_all(OPKIND_MATRIX, AGAINST_VMAPPED); }
Test(ops, control_flow_batched) { check_all(OPKIND_CONTROL, AGAINST_LOOP); }
Test(ops, control_flow_in_batches) { check_all(OPKIND_CONTROL, AGAINST_VMAPPED); }
Test(ops, indexing_in_batches) { check_all(OPKIND_INDEX, AGAINST_VMAPPED); }
Test(ops, along_axes_in_batches) { check_all(OPKIND_ALONG, AGAINST_VMAPPED); }
Test(ops, elementwise_batched) { check_all(OPKIND_EW, AGAINST_LOOP); }
Test(ops, shapes_batched) { check_all(OPKIND_SHAPE, AGAINST_LOOP); }
Test(ops, reductions_batched) { check_all(OPKIND_REDUCE, AGAINST_LOOP); }
Test(ops, contractions_batched) { check_all(OPKIND_DOT, AGAINST_LOOP); }
Test(ops, indexing_batched) { check_all(OPKIND_INDEX, AGAINST_LOOP); }
Test(ops, all_simplified)
{
    for (OpKind k = OPKIND_LEAF; k <= OPKIND_OTHER; k++) check_all(k, AGAINST_SIMPLIFIED);
}
