/* cases.h: what is measured: each case as a weft function, as hand-written C (c_NAME in loops*.c), and, by
 * the same name, in JAX, NumPy and perhaps Numba (peers.py). cases.def is the table. */
#ifndef WEFT_BENCH_CASES_H
#define WEFT_BENCH_CASES_H
#include "weft.h"

enum { MAX_IN = 6, MAX_OUT = 4 };
/* [0,1), [-0.5,0.5), [0.1,1.1), 0..16 whole, 0..255 whole, 0..9999, -2 to 1, [-0.05,0.05), bools, one 1 in
 * each ten, sea water: salt in g/kg, temperature, pressure in dbar */
typedef enum {
    FILL_UNIT,
    FILL_CENTRED,
    FILL_POSITIVE,
    FILL_PIXEL,
    FILL_BYTE,
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
/* a b, a' b, a b' */
typedef enum { NO_PRODUCT, PRODUCT_NN, PRODUCT_TN, PRODUCT_NT } Product;

typedef struct Case {
    const char *name;
    Spec in[MAX_IN], out[MAX_OUT];
    int n_in, n_out;
    /* the natural call, compiled or eager; out[0], too */
    weft_array *(*call)(weft_context *, bool compiled, weft_array **in, weft_array **out);
    double tolerance; /* of weft against C, relative to the largest value */
    double flops;     /* floating-point operations of one run; -1: they depend on the data */
    bool natural;     /* weft is timed through the natural call instead of the raw door */
    bool no_loop;     /* nobody wrote it in C */
    const char *math; /* the function of a math library that does the same; or NULL */
    Product product;  /* what BLAS does as well: in[0] by in[1] */
    int fourier;      /* what FFTW does as well: a transform of in[0]'s last axes, so many of them; 0: none */
} Case;

extern const Case cases[];
extern const int n_cases;

int64_t spec_count(const Spec *); /* of numbers: a complex one is two */
size_t spec_bytes(const Spec *);
bool case_is_f64(const Case *);

/* Tells the context what the functions of all cases are. */
void declare_cases(weft_context *);
void declare_stencils(weft_context *);
void declare_images(weft_context *);
void declare_field(weft_context *);
void declare_order(weft_context *);
void declare_transforms(weft_context *);

/* A case's `call` for a function of its signature. */
#define CALL(f, sig, ...) \
    weft_array *call_##f(weft_context *ctx, bool compiled, weft_array **in, weft_array **out) \
    { \
        sig *run = compiled ? weft_jit(ctx, (f)) : (f); \
        return out[0] = run(__VA_ARGS__); \
    }
#endif
