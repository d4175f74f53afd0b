/* column_folds.h: folds of columns, row by row. */
#ifndef WEFT_CACHES_COLUMN_FOLDS_H
#define WEFT_CACHES_COLUMN_FOLDS_H
#include "compiler/program/program.h"
/* Of a program whose kernels are complete and whose buffers have no offsets yet. */
void column_folds_make(Program *, const Target *);
#endif
