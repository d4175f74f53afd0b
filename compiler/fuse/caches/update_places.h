/* update_places.h: places of updates that are known ahead of them. */
#ifndef WEFT_CACHES_UPDATE_PLACES_H
#define WEFT_CACHES_UPDATE_PLACES_H
#include "compiler/program/program.h"
/* Of a program whose kernels are complete and not numbered yet. */
void update_places_make(Program *, const Target *);
#endif
