/* turns.h: several turns of a loop of steps go over its arrays together, band after band. */
#ifndef WEFT_CACHES_TURNS_H
#define WEFT_CACHES_TURNS_H
#include "compiler/program/program.h"
/* Of a program whose kernels are complete and whose buffers have no offsets yet; before bands_make. */
void turns_make(Program *, const Target *);
#endif
