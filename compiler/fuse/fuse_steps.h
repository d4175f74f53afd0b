/* fuse_steps.h: what becomes steps of a program: SCAN, WHILE, CASE, calls of foreign functions; and BARRIER,
 * which is no step but keeps others in order. */
#ifndef WEFT_FUSE_FUSE_STEPS_H
#define WEFT_FUSE_FUSE_STEPS_H
#include "fuse_parts.h"

/* Does node r become steps? */
bool is_stepped(const Graph *, Ref r);
/* Appends the steps of node r: operands at args, results to results (PLACE_NONE: nobody wants it). */
void control_steps(Fusion *, const Graph *, Ref r, const Place *args, const Place *results);
#endif
