/* parallel.h: what runs on several threads. */
#ifndef WEFT_FUSE_PARALLEL_H
#define WEFT_FUSE_PARALLEL_H
#include "compiler/program/program.h"
/* Puts kernels whose outermost loops are parallel, and that take long enough, into parallel loops of steps:
 * each piece has a range of rows. The kernels of a program are complete and numbered. */
void parallel_make(Program *, const Target *);
#endif
