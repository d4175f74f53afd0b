/* cases.h: what is measured: each case as a weft function, as hand-written C, and (bench/peers.py, by the
 * same name) in JAX, NumPy and perhaps Numba. */
#ifndef WEFT_BENCH_CASES_H
#define WEFT_BENCH_CASES_H
#include "loops.h"
#include "weft.h"

enum { MAX_IN = 6, MAX_OUT = 4 };
/* [0,1), [-0.5,0.5), [0.1,1.1), 0..16 whole, 0..9999, -2 to 1, [-0.05,0.05), bools, one 1 in each ten,
 * sea water: salt in g/kg, temperature, pressure in dbar */
typedef enum {
    FILL_UNIT,
    FILL_CENTRED,
    FILL_POSITIVE,
    FILL_PIXEL,
    FILL_INDEX,
    FILL_RAMP,
    FILL_SMALL,
    FILL_MASK,
    FILL_ONE_HOT,
    FILL_SALT,
    FILL_CELSIUS,
    FILL_DBAR
} Fill;
typedef struct Spec {
    weft_dtype dtype;
    Fill fill;
    int rank;
    int64_t dim[4];
} Spec;

typedef struct Case {
    const char *name;
    Spec in[MAX_IN];
    int n_in;
    Spec out[MAX_OUT];
    int n_out;
    void (*declare)(weft_context *);
    /* the natural call, compiled or eager; out[0], too */
    weft_array *(*call)(weft_context *, bool compiled, weft_array **in, weft_array **out);
    CLoop *c;
    double tolerance; /* of weft against c, relative to the largest value */
    bool natural;     /* weft is timed through the natural call instead of the raw door */
} Case;

/* The body of a case's `call` for a function of its signature, and the `declare` before it. */
#define CALL(f, sig, ...) \
    static weft_array *call_##f(weft_context *ctx, bool compiled, weft_array **in, weft_array **out) \
    { \
        sig *run = compiled ? weft_jit(ctx, (f)) : (f); \
        return out[0] = run(__VA_ARGS__); \
    }
#define USES(f) declare_##f, call_##f

extern const Case bench_cases[], stencil_cases[], field_cases[];
extern const int n_bench_cases, n_stencil_cases, n_field_cases;
#endif
