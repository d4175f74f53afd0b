/* contract.h: the pass that says which products are rounded once, with the sum, the difference or the sum
 * over axes that takes them: those get an attribute, and kernels make multiply-adds of them. What is rounded
 * follows from what a value is computed from; not from tiles, threads, what LLVM finds in one block, or who
 * else takes the product: a step that is computed again, where more of it is kept for its derivative, has the
 * bits that it had. A product that the other operand is computed from stays rounded: p - floor(p) is never
 * negative. In regions too.
 *
 * Keeps: ops, parameters and their numbers, outputs, types. Runs last before fusion, for machines with
 * multiply-adds and not in strict mode. */
#ifndef WEFT_PASSES_CONTRACT_H
#define WEFT_PASSES_CONTRACT_H
#include "compiler/graph/graph.h"

/* g itself if there is no sum. */
const Graph *contract(Arena *, const Graph *g);
#endif
