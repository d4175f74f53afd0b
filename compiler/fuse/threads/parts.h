/* parts.h: folds of many elements into one number, in parts. */
#ifndef WEFT_THREADS_PARTS_H
#define WEFT_THREADS_PARTS_H
#include "compiler/program/program.h"
/* Cuts kernels at such folds; each part is an iteration of a step loop, which parallel.c may give to
 * threads. */
void parts_make(Program *, const Target *);
#endif
