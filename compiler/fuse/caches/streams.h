/* streams.h: which stores go past the caches. */
#ifndef WEFT_CACHES_STREAMS_H
#define WEFT_CACHES_STREAMS_H
#include "compiler/program/program.h"
/* Marks stores as streamed, in a program whose kernels and steps are complete. */
void streams_choose(Program *, const Target *);
#endif
