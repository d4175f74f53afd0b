/* contract.h: the pass that makes one op of a product and the sum or difference that alone takes it: an FMA,
 * which rounds once. A product that only a sum over axes takes gets an attribute: it is rounded with the
 * sum. So what is rounded follows from the graph, not from kernels, tiles, threads or what LLVM finds in one
 * block. In regions too.
 *
 * Keeps: parameters and their numbers, outputs, types. Runs last before fusion, for machines with
 * multiply-adds and not in strict mode. */
#ifndef WEFT_PASSES_CONTRACT_H
#define WEFT_PASSES_CONTRACT_H
#include "compiler/graph/graph.h"

/* g itself if there is nothing to contract. */
const Graph *contract(Arena *, const Graph *g);
#endif
