/* lapack.h: the LAPACK that is installed, opened when the first program that would call it is loaded. */
#ifndef WEFT_LIBRARY_LAPACK_H
#define WEFT_LIBRARY_LAPACK_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Looks for it, once. Without it weft's own code does everything. */
void lapack_open(void);
/* Does the call, if it was found and has the function. */
bool lapack_does(const int64_t *numbers, const void *const *in, void *const *out, void *scratch);
/* Are its calls made one after the other, whoever makes them? OpenBLAS is not safe otherwise where it is
 * built for one thread (0.3.21, eight threads: 3 of 480 geev of 170 x 170 were wrong), and where it has
 * several they wait for each other. Other libraries' run side by side, and so does an OpenBLAS with threads
 * that may use but one. */
bool lapack_takes_turns(void);
size_t lapack_stack(void); /* what a call takes of the stack, at most */
void lapack_forked(void);  /* in a forked child: no call is in progress */
/* For tests: whether it is there; as if it were not. */
bool lapack_is_open(void);
void lapack_forget(bool);
#endif
