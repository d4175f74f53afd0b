/* buffers.h: where temporaries live in scratch memory, or in that of outputs that come later. */
#ifndef WEFT_FUSE_BUFFERS_H
#define WEFT_FUSE_BUFFERS_H
#include "compiler/program/program.h"
/* Sets the offsets of TEMP and LOCAL buffers and how much scratch there is: buffers whose lives (first to
 * last kernel that touches them) do not meet share memory. */
void plan_buffers(Arena *, Program *);
#endif
