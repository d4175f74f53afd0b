/* npy.h: .npy files, and such files within another one. */
#ifndef WEFT_IO_NPY_H
#define WEFT_IO_NPY_H
#include <stdio.h>
#include "runtime/memory/array.h"

/* The array that begins here and ends at `end` at the latest; -1: at the file's end. NULL: f set, or an
 * error. */
weft_array *npy_read(Local *, FILE *, long end, const char *who, const char *at, Failure *f);
/* A function that reads a file: opens it, reads, closes, tells the error. arg: what else read wants. */
typedef weft_array *NpyReader(Local *, FILE *, const void *arg, const char *at, Failure *f);
weft_array *npy_open(Local *, const char *path, NpyReader *, const void *arg, const char *who,
                     const char *at);
/* What stands before the elements: bytes has room for NPY_HEAD of them. Returns how many there are. */
enum { NPY_HEAD = 1088 };
size_t npy_head(const weft_array *, char *bytes);
#endif
