/* check.h: is this graph what graph.h promises? Debug builds ask between passes; it changes nothing and
 * allocates nothing. */
#ifndef WEFT_GRAPH_CHECK_H
#define WEFT_GRAPH_CHECK_H
#include "graph.h"
/* False and f set with the first node that breaks an invariant: "node 7 (ADD): operand 9 does not come before
 * it". */
bool graph_check(const Graph *, Failure *f);
#endif
