/* prefix_parts.h: long running folds, in parts. */
#ifndef WEFT_THREADS_PREFIX_PARTS_H
#define WEFT_THREADS_PREFIX_PARTS_H
#include "compiler/program/program.h"
/* Cuts kernels that are one such loop; each part is an iteration of a step loop, which parallel.c may give to
 * threads. */
void prefix_parts_make(Program *, const Target *);
#endif
