/* npz.h: what stands in a .npz file. */
#ifndef WEFT_IO_NPZ_H
#define WEFT_IO_NPZ_H
#include "runtime/memory/array.h"

/* What is written: the longest name, the most arrays. */
enum { NPZ_NAME = 200, NPZ_ARRAYS = 0xfffe };
typedef void NpzName(void *user, const char *name);
/* Gives each the names of the arrays in that file, in their order, without ".npy". False: f says why. */
bool npz_names(const char *path, NpzName *each, void *user, Failure *f);
#endif
