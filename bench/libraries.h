/* libraries.h: what a case is measured against in this process: the loops of the target, on several threads
 * with OpenMP, and OpenBLAS, libmvec, SLEEF and FFTW where they are installed. All are opened as the bench
 * starts, none as it is built. */
#ifndef WEFT_BENCH_LIBRARIES_H
#define WEFT_BENCH_LIBRARIES_H
#include "cases.h"

typedef enum { LIB_LOOPS, LIB_BLAS, LIB_MVEC, LIB_SLEEF, LIB_FFTW, LIBRARIES } Library;
typedef void Routine(void);

/* What runs a case in a library. */
typedef struct Runner {
    void (*run)(const struct Runner *, const void *const *in, void *const *out); /* NULL: nothing */
    Routine *routine;
    void *plan; /* FFTW's */
    const Case *c;
} Runner;

/* False: there are no loops for the target; a message says so. */
bool libraries_open(const char *target, int threads);
/* The threads of the loops, which also call libmvec and SLEEF; OpenBLAS and FFTW have one. */
int libraries_threads(void);
bool library_is_open(Library);
Routine *library_find(Library, const char *name); /* or NULL */
Runner library_runner(Library, const Case *);
void library_drop(Runner *);
#endif
