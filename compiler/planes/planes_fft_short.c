/* planes_fft_short.c: Fourier transforms of a few numbers, written out. One of n = p q numbers is q
 * transforms of p, turns, and p transforms of q. Primes have formulas of their own, or pair up the roots with
 * their conjugates. */
#include "fft.h"
#include <math.h>

Pair fft_add(Graph *g, Pair a, Pair b)
{
    Ref im = a.im == REF_NONE ? b.im : b.im == REF_NONE ? a.im : real_add(g, a.im, b.im);
    return (Pair){ real_add(g, a.re, b.re), im };
}

Pair fft_sub(Graph *g, Pair a, Pair b)
{
    Ref im = b.im == REF_NONE ? a.im : a.im == REF_NONE ? real_neg(g, b.im) : real_sub(g, a.im, b.im);
    return (Pair){ real_sub(g, a.re, b.re), im };
}

Pair fft_scale(Graph *g, double v, Pair a)
{
    if (v == 1) return a;
    return (Pair){ real_scale(g, v, a.re), a.im == REF_NONE ? REF_NONE : real_scale(g, v, a.im) };
}

Pair fft_mul(Graph *g, Pair a, Ref re, Ref im)
{
    if (a.im == REF_NONE) return (Pair){ real_mul(g, a.re, re), real_mul(g, a.re, im) };
    return planes_mul(g, a, (Pair){ re, im });
}

Pair fft_minus_i(Graph *g, Pair a, Pair b)
{
    Ref im = a.im == REF_NONE ? real_neg(g, b.re) : real_sub(g, a.im, b.re);
    return (Pair){ b.im == REF_NONE ? a.re : real_add(g, a.re, b.im), im };
}

Pair fft_plus_i(Graph *g, Pair a, Pair b)
{
    Ref im = a.im == REF_NONE ? b.re : real_add(g, a.im, b.re);
    return (Pair){ b.im == REF_NONE ? a.re : real_sub(g, a.re, b.im), im };
}

/* a exp(-2 pi i k / n); by an eighth of a turn: two multiplications */
static Pair turned(Graph *g, Pair a, int k, int n)
{
    k %= n;
    if (k == 0) return a;
    if (a.im != REF_NONE && 4 * k == n) return (Pair){ a.im, real_neg(g, a.re) };
    if (a.im != REF_NONE && 2 * k == n) return (Pair){ real_neg(g, a.re), real_neg(g, a.im) };
    if (a.im != REF_NONE && 4 * k == 3 * n) return (Pair){ real_neg(g, a.im), a.re };
    double eighth = fft_root(1, 8).re;
    if (a.im != REF_NONE && 8 * k == n)
        return fft_scale(g, eighth, (Pair){ real_add(g, a.re, a.im), real_sub(g, a.im, a.re) });
    if (a.im != REF_NONE && 8 * k == 3 * n)
        return fft_scale(g, eighth, (Pair){ real_sub(g, a.im, a.re), real_neg(g, real_add(g, a.re, a.im)) });
    Root w = fft_root(k, n);
    return fft_mul(g, a, real_fill(g, a.re, w.re), real_fill(g, a.re, w.im));
}

static void of_two(Graph *g, const Pair *x, Pair *y)
{
    y[0] = fft_add(g, x[0], x[1]);
    y[1] = fft_sub(g, x[0], x[1]);
}

static void of_four(Graph *g, const Pair *x, Pair *y)
{
    Pair a = fft_add(g, x[0], x[2]), b = fft_sub(g, x[0], x[2]), c = fft_add(g, x[1], x[3]),
         d = fft_sub(g, x[1], x[3]);
    y[0] = fft_add(g, a, c);
    y[1] = fft_minus_i(g, b, d);
    y[2] = fft_sub(g, a, c);
    y[3] = fft_plus_i(g, b, d);
}

/* y[k] and y[n - k] are a -+ i b: a of x[0] and the sums x[j] + x[n - j] times cosines, b of the differences
 * times sines. */
static void of_odd(Graph *g, const Pair *x, Pair *y, int n)
{
    Pair sum[MAX_SHORT_FFT], difference[MAX_SHORT_FFT];
    y[0] = x[0];
    for (int j = 1; 2 * j < n; j++) {
        sum[j] = fft_add(g, x[j], x[n - j]);
        difference[j] = fft_sub(g, x[j], x[n - j]);
        y[0] = fft_add(g, y[0], sum[j]);
    }
    for (int k = 1; 2 * k < n; k++) {
        Pair a = x[0], b = { REF_NONE, REF_NONE };
        for (int j = 1; 2 * j < n; j++) {
            Root w = fft_root(j * k % n, n);
            Pair sine = fft_scale(g, -w.im, difference[j]);
            a = fft_add(g, a, fft_scale(g, w.re, sum[j]));
            b = j == 1 ? sine : fft_add(g, b, sine);
        }
        y[k] = fft_minus_i(g, a, b);
        y[n - k] = fft_plus_i(g, a, b);
    }
}

/* The first factor of what is not prime: 4 where there is one. */
static int factor_of(int n)
{
    if (n % 4 == 0) return 4;
    for (int p = 2; p < n; p++)
        if (n % p == 0) return p;
    return n;
}

/* x[j + q i], i below p, is transformed for each j; then y[k + p l] of those at k. */
void fft_short(Graph *g, const Pair *x, Pair *y, int n)
{
    int p = factor_of(n), q = n / p;
    Pair part[MAX_SHORT_FFT], turned_part[MAX_SHORT_FFT][MAX_SHORT_FFT];
    if (n == 1) y[0] = x[0];
    else if (n == 2) of_two(g, x, y);
    else if (n == 4) of_four(g, x, y);
    else if (q == 1) of_odd(g, x, y, n);
    else {
        for (int j = 0; j < q; j++) {
            Pair of[MAX_SHORT_FFT], to[MAX_SHORT_FFT];
            for (int i = 0; i < p; i++) of[i] = x[j + q * i];
            fft_short(g, of, to, p);
            for (int k = 0; k < p; k++) turned_part[k][j] = turned(g, to[k], j * k, n);
        }
        for (int k = 0; k < p; k++) {
            fft_short(g, turned_part[k], part, q);
            for (int l = 0; l < q; l++) y[k + p * l] = part[l];
        }
    }
}

Root fft_root(int64_t k, int64_t n)
{
    static const double turn = 6.283185307179586476925286766559;
    int64_t octant = 8 * k / n, rest = 8 * k - octant * n;
    double angle = turn * ((double)(octant % 2 ? n - rest : rest) / (8 * (double)n)), c = cos(angle),
           s = sin(angle);
    switch (octant) {
    case 0:  return (Root){ c, -s };
    case 1:  return (Root){ s, -c };
    case 2:  return (Root){ -s, -c };
    case 3:  return (Root){ -c, -s };
    case 4:  return (Root){ -c, s };
    case 5:  return (Root){ -s, c };
    case 6:  return (Root){ s, c };
    default: return (Root){ c, s };
    }
}
