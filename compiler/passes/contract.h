/* contract.h: the pass that says which products are rounded once, with the sum, the difference or the sum
 * over axes that takes them: those that nothing else takes get an attribute, and kernels make multiply-adds
 * of them. So what is rounded follows from the graph, not from tiles, threads or what LLVM finds in one
 * block. In regions too.
 *
 * Keeps: ops, parameters and their numbers, outputs, types. Runs last before fusion, for machines with
 * multiply-adds and not in strict mode. */
#ifndef WEFT_PASSES_CONTRACT_H
#define WEFT_PASSES_CONTRACT_H
#include "compiler/graph/graph.h"

/* g itself if there is no sum. */
const Graph *contract(Arena *, const Graph *g);
#endif
