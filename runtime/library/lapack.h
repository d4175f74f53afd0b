/* lapack.h: the LAPACK that is installed, opened when the first program that would call it is loaded. */
#ifndef WEFT_LIBRARY_LAPACK_H
#define WEFT_LIBRARY_LAPACK_H
#include <stdbool.h>
#include <stdint.h>

/* Looks for it, once. Without it weft's own code does everything. */
void lapack_open(void);
/* Does the call, if it was found and has the function. */
bool lapack_does(const int64_t *numbers, const void *const *in, void *const *out, void *scratch);
/* For tests: whether it is there; as if it were not. */
bool lapack_is_open(void);
void lapack_forget(bool);
#endif
