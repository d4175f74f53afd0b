/* library.h: the functions that compiled code may call: its STEP_CALLs have their addresses from here, by way
 * of the entry's consts. */
#ifndef WEFT_LIBRARY_LIBRARY_H
#define WEFT_LIBRARY_LIBRARY_H
#include "compiler/program/program.h"

extern LibraryFn *const library_functions[LIBRARY_COUNT];

/* Writes the addresses of a program's functions in the order that its code expects behind the constants;
 * returns how many. Opens LAPACK, if it is to be called. */
uint32_t library_addresses(const Program *, const void **to);
/* What they take of the stack, at most; what functions of the user's take they have to know. */
size_t library_stack(const Program *);
#endif
