/* raise_counts.h: sums of counts that are positions, for raise.c. */
#ifndef WEFT_PASSES_RAISE_COUNTS_H
#define WEFT_PASSES_RAISE_COUNTS_H
#include "compiler/graph/graph.h"

/* What stands for r. */
Ref raise_counts(Graph *, Ref r);
#endif
