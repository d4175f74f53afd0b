/* fold.h: the rewrite rules graph_add tries before it appends: constant folding on small operands,
 * identities, composition of shape ops. Only what is exact in IEEE arithmetic; each rule stands under its
 * algebra in fold.c. */
#ifndef WEFT_FOLD_FOLD_H
#define WEFT_FOLD_FOLD_H
#include "compiler/graph/graph.h"
/* The value that spec simplifies to, or REF_NONE when no rule applies. type: as inferred. */
Ref fold(Graph *, const NodeSpec *spec, Type type);
#endif
