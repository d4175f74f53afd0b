/* inline_rules.h: the pass after the last transform: STOP_GRADIENT, CUSTOM_JVP, CUSTOM_VJP, CUSTOM_VMAP and
 * CHECKPOINT become what they compute. In regions too.
 *
 * Keeps: parameters and their numbers, outputs, types, every bit of every result. */
#ifndef WEFT_PASSES_INLINE_RULES_H
#define WEFT_PASSES_INLINE_RULES_H
#include "compiler/graph/graph.h"

/* g itself if there is nothing to inline. A BACKWARD that is left is an error, NULL: it only has a reverse
 * rule. */
const Graph *inline_rules(Arena *, const Graph *g, Failure *f);
#endif
