/* fft.h: Fourier transforms as graphs of real ops: what the files planes_fft*.c share.
 *
 * A transform works along one axis of planes that are seen as [batch, n, inner]. It is a chain of stages, as
 * Stockham's algorithm has them. A stage of radix r, with n = r m s, reads x as [r, m, s inner], transforms
 * the r parts of each point by a short transform that is written out, multiplies by powers of the n-th root
 * of one, and puts part k of point (p, q) at [p, k, q] of [m, r, s inner]: in order again, without a
 * permutation at the end. All that fusion sees are slices, arithmetic and a concatenation, so vectors go
 * along q, whole rows are read and stored, and what makes the first stage's elements is fused into it.
 *
 *   x [8, 4, 1] -> transforms of 8, the parts interleaved -> [4, 8] -> transforms of 4 -> y [4, 8]
 *
 * The first radix is 8 where it can be, so that q is as long as a vector from the second stage on. Larger
 * primes come last: their columns fill vectors then, and nothing is put in another order. */
#ifndef WEFT_PLANES_FFT_H
#define WEFT_PLANES_FFT_H
#include "planes_rules.h"

/* What is transformed, and in which direction, along which axis: arrays [batch, n, inner] of floats. */
typedef struct FftLine {
    Graph *g;
    DType part;
    int64_t batch, n, inner;
    bool in_planes; /* the result's planes are stored, not put in turn at once */
} FftLine;

/* A number that is known while a graph is made. */
typedef struct Root {
    double re, im;
} Root;

/* exp(-2 pi i k / n), each part rounded once or nearly so. 0 <= k < n. */
Root fft_root(int64_t k, int64_t n);

/* planes_fft_short.c: y = the transform of x, each of n arrays of one shape, n at most MAX_SHORT_FFT. Real
 * numbers have no im. */
enum { MAX_SHORT_FFT = 16 };
void fft_short(Graph *, const Pair *x, Pair *y, int n);

/* planes_fft_long.c: of any length: in stages, or, if a prime factor is too large, by Bluestein's
 * algorithm. x: planes [batch, n, inner]. scale: of the result. */
Pair fft_along(FftLine, Pair x, double scale);
Pair fft_back_along(FftLine, Pair x, double scale);
/* What the first stage of a transform of n numbers, a multiple of 8, reads x as: r rows of so many. */
int64_t fft_first_rows(int64_t n);

/* planes_fft_prime.c: of an odd length, by products with two matrices. */
Pair fft_by_product(FftLine, Pair x, double scale);

/* planes_fft_chirp.c: Bluestein's. */
Pair fft_by_chirp(FftLine, Pair x, double scale);
/* The numbers of a plane [n], along the axis: [batch, n, inner]. */
Ref fft_numbers(FftLine, const double *);

/* The plane, which has the line's elements, as [batch, n, inner]. REF_NONE is itself. */
Ref fft_seen(FftLine, Ref plane);

/* Arithmetic with pairs that may be real. a - i b, a + i b. */
Pair fft_add(Graph *, Pair a, Pair b);
Pair fft_sub(Graph *, Pair a, Pair b);
Pair fft_minus_i(Graph *, Pair a, Pair b);
Pair fft_plus_i(Graph *, Pair a, Pair b);
Pair fft_scale(Graph *, double, Pair);
Pair fft_mul(Graph *, Pair, Ref re, Ref im);
#endif
