/* plan.h: where temporaries live in the scratch memory. */
#ifndef WEFT_COMPILER_PLAN_H
#define WEFT_COMPILER_PLAN_H
#include "program.h"
/* Sets the offsets of TEMP and LOCAL buffers and scratch_bytes: buffers whose lives (first to last kernel that touches them) do not meet share memory. */
void plan_buffers(Arena *, Program *);
#endif
