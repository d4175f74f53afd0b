/* fold.c: the rewrite rules of graph_add. */
#include "fold.h"

Ref fold(Graph *g, const NodeSpec *spec, Type type)
{
    (void)g; (void)spec; (void)type;
    return REF_NONE;
}
