/* test_random.c: 700 random programs, 2,000 in a long run, run in every way that graphs.h lists and compared
 * with eager mode. A failing one is made small and printed; `weft-fuzz 1 --seed N` runs it again, `weft-fuzz`
 * runs others. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include "tests/graphs/graphs.h"
#include "tests/support/graph_suite.h"
#include "tests/support/long_run.h"
#include "runtime/exec/compile.h"

/* Every `step`th program; programs of 3 to 17 ops, and now and then of 40. For the targets in turn, if none
 * is asked for; half of them in pieces. */
static void run_all(Against against, uint64_t step)
{
    const char *target = getenv("WEFT_TARGET");
    uint64_t programs = long_run() ? 2000 : 700;
    int failed = 0;
    for (uint64_t seed = 1; seed <= programs && failed < 5; seed += step) {
        if (!target) setenv("WEFT_TARGET", target_in_turn(seed), 1);
        random_graphs_parallel = seed / 3 % 2;
        failed += !random_graph_agrees(seed, seed % 10 == 9 ? 40 : 3 + (int)(seed % 15), against, false);
    }
    cr_expect(failed == 0, "%d programs differ (%s)", failed, against_text[against]);
}

static bool has_back_end(void)
{
    Failure f = { .code = WEFT_OK };
    if (backend_get(&f)) return true;
    fprintf(stderr, "not compared with compiled code: %s\n", f.text);
    return false;
}

Test(random_programs, simplified) { run_all(AGAINST_SIMPLIFIED, 1); }
Test(random_programs, printed_and_parsed) { run_all(AGAINST_TEXT, 2); }
Test(random_programs, fused) { run_all(AGAINST_FUSED, 2); }
Test(random_programs, vmap_against_loop) { run_all(AGAINST_LOOP, 1); }
Test(random_programs, batches_in_chunks) { run_all(AGAINST_CHUNKS, 4); }
Test(random_programs, derivatives) { run_all(AGAINST_DERIVED, 1); }
Test(random_programs, gradients_in_batches) { run_all(AGAINST_GRADIENT_LOOP, 4); }
Test(random_programs, compiled_gradients)
{
    if (has_back_end()) run_all(AGAINST_GRADIENT, 4);
}
Test(random_programs, compiled_gradients_default)
{
    if (has_back_end()) run_all(AGAINST_GRADIENT_DEFAULT, 20);
}
Test(random_programs, compiled_strict)
{
    if (has_back_end()) run_all(AGAINST_STRICT, 1);
}
Test(random_programs, compiled_default)
{
    if (has_back_end()) run_all(AGAINST_DEFAULT, 4);
}
Test(random_programs, compiled_fast)
{
    if (has_back_end()) run_all(AGAINST_FAST, 20);
}
Test(random_programs, compiled_batches)
{
    if (has_back_end()) run_all(AGAINST_VMAPPED, 4);
}

static void count_ops(const Graph *g, int *drawn)
{
    for (Ref r = 0; r < g->n_nodes; r++) {
        const Node *n = graph_node(g, r);
        drawn[n->op]++;
        for (uint32_t k = 0; k < n->n_regions; k++) count_ops(n->regions[k], drawn);
    }
}

/* Factors are good to within rounding, calls need a function, and derivatives alone make BACKWARD: these have
 * tests of their own. */
static bool has_other_tests(Op op)
{
    return op_kind(op) == OPKIND_MATRIX || op == OP_FOREIGN || op == OP_BACKWARD;
}

Test(random_programs, hold_every_op)
{
    int drawn[OP_COUNT] = { 0 };
    for (uint64_t seed = 1; seed <= 3000; seed++) {
        open_arena();
        count_ops(random_graph(&arena, seed, &(RandomOptions){ .nodes = 20 }), drawn);
        close_arena();
    }
    for (Op op = 0; op < OP_COUNT; op++)
        cr_expect(drawn[op] > 0 || has_other_tests(op), "%s", op_info[op].name);
}
