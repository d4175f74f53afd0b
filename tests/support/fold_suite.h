/* fold_suite.h: for suites of rewrite rules: graphs built with the rules and without, which must be the same
 * function, bit for bit. */
#ifndef WEFT_TESTS_FOLD_SUITE_H
#define WEFT_TESTS_FOLD_SUITE_H
#include "compiler/graph/graph.h"
#include "tests/support/heap.h"

void rng_seed(uint32_t);
uint32_t rng(uint32_t n); /* below n */

Ref fold_node(Graph *, bool rules, NodeSpec);
/* Special values, or numbers whose sums and products round, so that their order shows. */
void fill_data(Type, void *, uint32_t shift, bool plain);
/* Both have one output and the same parameters. */
void expect_same(Arena *, const Graph *slow, const Graph *fast, const char *what);
#endif
