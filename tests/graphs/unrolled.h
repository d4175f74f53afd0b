/* unrolled.h: a graph without its control flow, for comparison with what has it: scans and while loops
 * written out step by step, of cases all branches and a choice. While loops run UNROLLED_ITERATIONS times at
 * most; nodes have 16 operands and results at most. */
#ifndef WEFT_TESTS_UNROLLED_H
#define WEFT_TESTS_UNROLLED_H
#include "compiler/graph/graph.h"
enum { UNROLLED_ITERATIONS = 12 };
Graph *unrolled(Arena *, const Graph *);
#endif
