/* finer.h: results that are walked by more axes than they have. */
#ifndef WEFT_FUSE_FINER_H
#define WEFT_FUSE_FINER_H
#include "compiler/fuse/point/point.h"

/* How the elements of a root are walked: those of node `of`, which are the root's in the root's order, by the
 * axes of a shape; joined[a]: axes a and a + 1 by one loop. */
typedef struct Walk {
    Ref of;
    Type shape;
    bool joined[WEFT_MAX_RANK + 1];
} Walk;

/* The finer shape that a reshape merges which the node is, or is made of element by element; false: there is
 * none. */
bool finer_shape(const Build *, Ref, Type *finer);
/* By its own axes; or, if that makes a longer run of neighbours, by those of what a reshape in it merges. */
Walk walk_of(const Build *, Ref root);
/* The index of a type with the same elements, from one in the walked shape. */
const Address *walk_index(Build *, const Walk *, Type, const Address *at);
#endif
