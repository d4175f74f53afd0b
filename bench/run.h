/* run.h: one case, run by weft, by eager mode, by hand-written C and by whatever else has it, in turn. */
#ifndef WEFT_BENCH_RUN_H
#define WEFT_BENCH_RUN_H
#include "cases.h"
#include "measure.h"

/* In this process up to FFTW, from JAX on in that of peers.py. ALONE is weft
 * on one thread, where it may have several. */
typedef enum { WEFT, ALONE, EAGER, C, BLAS, MVEC, SLEEF, FFTW, JAX, NUMPY, NUMBA, IMPLS } Impl;
extern const char *const impl_name[IMPLS];

typedef struct Result {
    bool ran;
    int repeats;
    double run_us[MAX_REPEATS], median_us, first_ms;
} Result;

bool impl_is_open(Impl, const Peers *); /* peers: or NULL */
/* A result for each implementation. False: it does not compile, or results differ; a message says so. */
bool run_case(const Case *, int repeats, Peers *, Result *);
double trace_ns(const Case *);  /* that tracing it takes once */
void *large_room(size_t bytes); /* much memory in large pages, as NumPy's arrays are */
#endif
