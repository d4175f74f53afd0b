/* transpose_panels.h: transposes of arrays whose rows meet in the same sets of the caches. */
#ifndef WEFT_CACHES_TRANSPOSE_PANELS_H
#define WEFT_CACHES_TRANSPOSE_PANELS_H
#include "compiler/program/program.h"
/* Of a program whose kernels are complete and whose buffers have no offsets yet. */
void panels_make(Program *, const Target *);
#endif
