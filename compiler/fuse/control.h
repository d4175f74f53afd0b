/* control.h: SCAN, WHILE and CASE as steps of a program. */
#ifndef WEFT_COMPILER_CONTROL_H
#define WEFT_COMPILER_CONTROL_H
#include "fuse_parts.h"

/* Is node r control flow that becomes steps? */
bool is_control(const Graph *, Ref r);
/* Appends the steps of node r: operands at args, results to results (PLACE_NONE: nobody wants it). */
void control_steps(Fusion *, const Graph *, Ref r, const Place *args, const Place *results);
#endif
