/* bands.h: consecutive kernels run band by band over their rows, so that what they hand to each other stays
 * in the caches. */
#ifndef WEFT_CACHES_BANDS_H
#define WEFT_CACHES_BANDS_H
#include "compiler/program/program.h"
/* Of a program whose kernels are complete and whose buffers have no offsets yet. */
void bands_make(Program *, const Target *);
#endif
