/* weft.h: C functions on arrays, at the speed of hand-written SIMD code. Write a function for one example;
 * weft traces it into a graph, transforms the graph (weft_vmap), fuses it, compiles it to native vector code
 * (weft_jit), and keeps that code in a cache keyed by shape.
 *
 *     static weft_array *gelu(weft_array *x) {
 *         return weft_mul(weft_mul(x, 0.5), weft_add(weft_erf(weft_mul(x, 0.70710678118654752)), 1));
 *     }
 *     int main(void) {
 *         weft_context *ctx = weft_open(NULL);
 *         weft_declare(ctx, gelu, weft_unary);
 *         weft_unary *fast = weft_jit(ctx, gelu);
 *         weft_print(fast(weft_linspace(ctx, -3, 3, 8)));
 *         weft_close(ctx);
 *     }
 *
 * The reference is in the headers, by subject: */
#ifndef WEFT_H
#define WEFT_H
#include "weft/types.h"     /* element types, status codes */
#include "weft/array.h"     /* contexts, errors, scopes, arrays in and out */
#include "weft/ops.h"       /* what can be computed */
#include "weft/linalg.h"    /* matrices: factorizations, systems */
#include "weft/fft.h"       /* Fourier transforms */
#include "weft/numeric.h"   /* differences, integrals, quantiles, sums without NaNs: what NumPy has */
#include "weft/special.h"   /* gamma, beta, Bessel functions, the normal distribution's */
#include "weft/random.h"    /* random numbers */
#include "weft/tree.h"      /* structs of arrays */
#include "weft/fn.h"        /* declare, jit, vmap, explain */
#include "weft/control.h"   /* scan, while, cond, map, soft_vmap: control flow as transforms */
#include "weft/grad.h"      /* derivatives as transforms */
#include "weft/optim.h"     /* optimizers and schedules */
#include "weft/rules.h"     /* rules of your own, C functions as ops, hooks on gradients */
#include "weft/run.h"       /* the raw door */
#include "weft/program.h"   /* programs that others wrote: StableHLO */
#include "weft/dlpack.h"    /* arrays shared with other libraries */
#endif
