/* expand_parts.h: between the files of expand. */
#ifndef WEFT_PASSES_EXPAND_PARTS_H
#define WEFT_PASSES_EXPAND_PARTS_H
#include "compiler/graph/graph.h"

bool expand_rng(Graph *, const Node *, Ref state, Ref out[2]);
#endif
