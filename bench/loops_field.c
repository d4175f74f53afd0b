/* loops_field.c: programs from the field as the best plain C we can write; see loops.h. Compiled like
 * loops.c. */
#include "loops.h"
#include <float.h>
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* ---- the equation of state: cases_field.c has the formula ---- */

typedef struct Dual {
    double v, d;
} Dual;
static inline Dual plus(Dual a, Dual b) { return (Dual){ a.v + b.v, a.d + b.d }; }
static inline Dual minus(Dual a, Dual b) { return (Dual){ a.v - b.v, a.d - b.d }; }
static inline Dual times(Dual a, Dual b) { return (Dual){ a.v * b.v, a.d * b.v + a.v * b.d }; }
static inline Dual scaled(Dual a, double s) { return (Dual){ a.v * s, a.d * s }; }
static inline Dual inverse(Dual a)
{
    double v = 1 / a.v;
    return (Dual){ v, -v * v * a.d };
}
static inline Dual polynomial(double t, double c0, double c1, double c2, double c3, double c4)
{
    return (Dual){ c0 + t * (c1 + t * (c2 + t * (c3 + t * c4))),
                   c1 + t * (2 * c2 + t * (3 * c3 + t * (4 * c4))) };
}
#define P2(a, b)       polynomial(t, a, b, 0, 0, 0)
#define P3(a, b, c)    polynomial(t, a, b, c, 0, 0)
#define P4(a, b, c, d) polynomial(t, a, b, c, d, 0)

static inline double enthalpy_by_temperature(double s, double t, double p)
{
    double q = sqrt(s);
    Dual r0 = plus(P4(9.998420897506056e+2, 2.839940833161907, -3.147759265588511e-2, 1.181805545074306e-3),
                   scaled(plus(P3(-6.698001071123802, -2.986498947203215e-2, 2.327859407479162e-4),
                               scaled(P4(-3.988822378968490e-2, 5.095422573880500e-4, -1.426984671633621e-5,
                                         1.645039373682922e-7),
                                      q)),
                          s));
    Dual r1 = scaled(plus(P3(-2.233269627352527e-2, -3.436090079851880e-4, 3.726050720345733e-6),
                          scaled(P2(-1.806789763745328e-4, 6.876837219536232e-7), s)),
                     0.5);
    Dual r2 =
        P3(-3.087032500374211e-7 + 1.550932729220080e-10 * s, -1.988366587925593e-8, -1.061519070296458e-11);
    Dual s0 = plus(
        polynomial(t, 1, 2.775927747785646e-3, -2.349607444135925e-5, 1.119513357486743e-6,
                   6.743689325042773e-10),
        scaled(plus(polynomial(t, -7.521448093615448e-3 + 5.419326551148740e-6 * s, -2.764306979894411e-5,
                               1.262937315098546e-7, 9.527875081696435e-10, -1.811147201949891e-11),
                    scaled(polynomial(t, -3.303308871386421e-5, 3.801564588876298e-7, -7.672876869259043e-9,
                                      -4.634182341116144e-11, 2.681097235569143e-12),
                           q)),
               s));
    Dual s1 =
        plus(P4(-2.742185394906099e-5, -3.212746477974189e-7, 3.191413910561627e-9, -1.931012931541776e-12),
             scaled(P2(-1.105097577149576e-7, 6.211426728363857e-10), s));
    Dual s2 = P3(-1.119011592875110e-10, -1.941660213148725e-11 + 1.119522344879478e-14 * s,
                 -1.864826425365600e-14);
    Dual s3 = P2(-1.200507748551599e-15, 6.057902487546866e-17);

    Dual i = inverse(r2), square = minus(times(r1, r1), times(r0, r2)), r1_i = times(r1, i);
    double root = sqrt(square.v);
    Dual d = { root, 0.5 * square.d / root };
    Dual n = plus(s0, times(times(minus(scaled(times(s3, r1_i), 2), s2), r0), i));
    Dual m = plus(s1, times(minus(minus(scaled(times(times(s3, r1), r1_i), 4), times(s3, r0)),
                                  scaled(times(s2, r1), 2)),
                            i));
    Dual r2_p = scaled(r2, p), low = minus(r1, d), high = plus(plus(r1, d), r2_p);
    Dual x = times(scaled(plus(scaled(r1, 2), r2_p), p), inverse(r0));
    Dual y = scaled(times(times(r2_p, d), inverse(times(low, high))), 2);
    Dual log1 = { log(1 + x.v), x.d / (1 + x.v) }, log2 = { log(1 + y.v), y.d / (1 + y.v) };
    Dual part = times(scaled(minus(n, times(m, r1_i)), 0.5), inverse(d));
    Dual direct = scaled(times(plus(minus(s2, scaled(times(s3, r1_i), 2)), scaled(s3, 0.5 * p)), i), p);
    return 1e4 * plus(plus(direct, times(scaled(times(m, i), 0.5), log1)), times(part, log2)).d;
}
void c_eos(const void *const *in, void *const *out)
{
    IN(double, s, 0);
    IN(double, t, 1);
    IN(double, p, 2);
    OUT(double, o, 0);
    enum { ROWS = 8, LEVELS = 25, B = ROWS * LEVELS };
    double level[B]; /* whole vectors need more than one column */
    for (int k = 0; k < B; k++) level[k] = p[k % LEVELS];
    PARALLEL_FOR
    for (int i = 0; i < 200 * 200 * LEVELS; i += B)
        for (int k = 0; k < B; k++) o[i + k] = enthalpy_by_temperature(s[i + k], t[i + k], level[k]);
}

/* ---- stencils ---- */

enum { HK = 160, HJ = 260 * HK };
static inline double laplacian(const double *u) { return 4 * u[0] - (u[HJ] + u[-HJ] + u[HK] + u[-HK]); }
/* Between u's place and the one that far behind it. */
static inline double flux(const double *u, int step, double lap)
{
    double f = laplacian(u + step) - lap;
    return f * (u[step] - u[0]) > 0 ? 0 : f;
}
static inline double flux_to(const double *u, int step, double lap)
{
    double f = lap - laplacian(u - step);
    return f * (u[0] - u[-step]) > 0 ? 0 : f;
}
static inline void diffuse(const double *R u, const double *R coefficient, double *R o)
{
    for (int k = 0; k < HK; k++) {
        double lap = laplacian(u + k);
        o[k] = u[k] - coefficient[k] * (flux(u + k, HJ, lap) - flux_to(u + k, HJ, lap) +
                                        flux(u + k, HK, lap) - flux_to(u + k, HK, lap));
    }
}
void c_hdiff(const void *const *in, void *const *out)
{
    IN(double, field, 0);
    IN(double, coefficient, 1);
    OUT(double, o, 0);
    PARALLEL_FOR
    for (int i = 0; i < 256; i++)
        for (int j = 0; j < 256; j++) {
            int at = (i * 256 + j) * HK;
            diffuse(field + (i + 2) * HJ + (j + 2) * HK, coefficient + at, o + at);
        }
}

void c_jacobi_1d(const void *const *in, void *const *out)
{
    OUT(double, a, 0);
    OUT(double, b, 1);
    enum { N = 32000 };
    memcpy(a, in[0], N * sizeof *a);
    memcpy(b, in[1], N * sizeof *b);
    PARALLEL
    for (int t = 0; t < 100; t++) {
        SHARED_FOR
        for (int i = 1; i < N - 1; i++) b[i] = 0.33333 * (a[i - 1] + a[i] + a[i + 1]);
        SHARED_FOR
        for (int i = 1; i < N - 1; i++) a[i] = 0.33333 * (b[i - 1] + b[i] + b[i + 1]);
    }
}

enum { HEAT = 120 };
static void heat(const double *R a, double *R b)
{
    enum { J = HEAT, I = HEAT * HEAT };
    SHARED_FOR
    for (int i = 1; i < HEAT - 1; i++)
        for (int j = 1; j < HEAT - 1; j++)
            for (int k = 1; k < HEAT - 1; k++) {
                const double *u = a + i * I + j * J + k;
                b[i * I + j * J + k] = 0.125 * (u[I] - 2 * u[0] + u[-I]) + 0.125 * (u[J] - 2 * u[0] + u[-J]) +
                                       0.125 * (u[1] - 2 * u[0] + u[-1]) + u[0];
            }
}
void c_heat_3d(const void *const *in, void *const *out)
{
    PARALLEL
    {
        copy(out[0], in[0], sizeof(double) * HEAT * HEAT * HEAT);
        copy(out[1], in[1], sizeof(double) * HEAT * HEAT * HEAT);
        for (int t = 0; t < 5; t++) {
            heat(out[0], out[1]);
            heat(out[1], out[0]);
        }
    }
}

enum { NX = 1000, NY = 1200 };
static inline void magnetic(const double *R x, const double *R y, double *R z)
{
    for (int j = 0; j < NY - 1; j++) z[j] -= 0.7 * (x[j + 1] - x[j] + y[j + NY] - y[j]);
}
/* A row at a time: hz of the row above needs only what is there by then. The last row's is left. */
static inline void maxwell(double *R ex, double *R ey, double *R hz, double source, size_t first, size_t end)
{
    for (size_t i = first; i < end; i++) {
        double *R x = ex + i * NY, *R y = ey + i * NY, *R z = hz + i * NY;
        if (i)
            for (int j = 0; j < NY; j++) y[j] -= 0.5 * (z[j] - z[j - NY]);
        else
            for (int j = 0; j < NY; j++) y[j] = source;
        for (int j = 1; j < NY; j++) x[j] -= 0.5 * (z[j] - z[j - 1]);
        if (i > first) magnetic(x - NY, y - NY, z - NY);
    }
}
void c_fdtd_2d(const void *const *in, void *const *out)
{
    IN(double, source, 3);
    double *ex = out[0], *ey = out[1], *hz = out[2];
    PARALLEL
    {
        for (int k = 0; k < 3; k++) copy(out[k], in[k], sizeof(double) * NX * NY);
        for (int t = 0; t < 10; t++) {
            SHARED_FOR
            for (size_t k = 0; k < THREADS; k++)
                maxwell(ex, ey, hz, source[t], BEGIN(k, NX), BEGIN(k + 1, NX));
            SHARED_FOR
            for (size_t k = 1; k < THREADS; k++) {
                size_t at = (BEGIN(k, NX) - 1) * NY;
                magnetic(ex + at, ey + at, hz + at);
            }
        }
    }
}

/* ---- tridiagonal systems ---- */

/* COLUMNS systems side by side. */
enum { LEVELS = 160, COLUMNS = 12, WIDE = 180 };
void c_vadv(const void *const *in, void *const *out)
{
    IN(double, stage, 0);
    IN(double, u, 1);
    IN(double, w, 2);
    IN(double, u_pos, 3);
    IN(double, u_tens, 4);
    OUT(double, o, 0);
    const double dtr = 3. / 20;
    PARALLEL_FOR
    for (int i = 0; i < WIDE * WIDE; i += COLUMNS) {
        OWN double c[LEVELS][COLUMNS], d[LEVELS][COLUMNS], wind[LEVELS + 1][COLUMNS];
        for (int n = 0; n < COLUMNS; n++)
            for (int k = 1; k < LEVELS; k++)
                wind[k][n] = 0.125 * (w[(i + n + WIDE) * LEVELS + k] + w[(i + n) * LEVELS + k]);
        memset(wind[0], 0, sizeof wind[0]);
        memset(wind[LEVELS], 0, sizeof wind[LEVELS]);
        for (int k = 0; k < LEVELS; k++) {
            int below = k ? -1 : 0, above = k < LEVELS - 1;
            for (int n = 0; n < COLUMNS; n++) {
                int at = (i + n) * LEVELS + k;
                double c_before = k ? c[k - 1][n] : 0, d_before = k ? d[k - 1][n] : 0;
                double a = -wind[k][n], next = wind[k + 1][n];
                double rhs = dtr * u_pos[at] + u_tens[at] + stage[at] - a * (u[at + below] - u[at]) -
                             next * (u[at + above] - u[at]);
                double by = 1 / (dtr - a - next - c_before * a);
                c[k][n] = next * by;
                d[k][n] = (rhs - d_before * a) * by;
            }
        }
        double x[COLUMNS] = { 0 };
        for (int k = LEVELS - 1; k >= 0; k--)
            for (int n = 0; n < COLUMNS; n++) {
                int at = (i + n) * LEVELS + k;
                x[n] = d[k][n] - c[k][n] * x[n];
                o[at] = dtr * (x[n] - u_pos[at]);
            }
    }
}

enum { ADI = 200 };
/* The systems (a, 1 - 2 a, a) along axis 0 of columns begin to end; b: the explicit direction's. Coefficients
 * are every system's. */
static inline void solve_columns(const double *R u, double a, double b, double (*R v)[ADI], size_t begin,
                                 size_t end)
{
    double p[ADI] = { 0 };
    static double q[ADI][ADI];
    for (size_t i = begin; i < end; i++) q[0][i] = 1;
    for (int j = 1; j < ADI - 1; j++) {
        double by = 1 / (a * p[j - 1] + 1 - 2 * a);
        const double *R r = u + j * ADI;
        p[j] = -a * by;
        for (size_t i = begin; i < end; i++)
            q[j][i] = (-b * r[i - 1] + (1 + 2 * b) * r[i] - b * r[i + 1] - a * q[j - 1][i]) * by;
    }
    for (size_t i = begin; i < end; i++) v[ADI - 1][i] = v[0][i] = 1;
    for (int j = ADI - 2; j > 0; j--)
        for (size_t i = begin; i < end; i++) v[j][i] = p[j] * v[j + 1][i] + q[j][i];
}
static void solve(const double *R u, double a, double b, double (*R v)[ADI])
{
    SHARED_FOR
    for (size_t k = 0; k < THREADS; k++)
        solve_columns(u, a, b, v, 1 + BEGIN(k, ADI - 2), 1 + BEGIN(k + 1, ADI - 2));
}
static void transpose(double (*R from)[ADI], double (*R to)[ADI])
{
    SHARED_FOR
    for (int ii = 0; ii < ADI; ii += 8)
        for (int j = 0; j < ADI; j++)
            for (int i = ii; i < ii + 8; i++) to[j][i] = from[i][j];
}
void c_adi(const void *const *in, void *const *out)
{
    IN(double, first, 0);
    OUT(double, u, 0);
    static double v[ADI][ADI], w[ADI][ADI], x[ADI][ADI];
    const double a = -0.5 * 2 * ADI * ADI / 100., d = -0.5 * 1 * ADI * ADI / 100.;
    memcpy(u, first, sizeof v);
    PARALLEL
    for (int t = 0; t < 10; t++) {
        solve(u, a, d, v);
        transpose(v, w);
        solve(w[0], d, a, x);
        transpose(x, v);
        SHARED_FOR
        for (int i = 1; i < ADI - 1; i++) {
            v[i][0] = v[i][ADI - 1] = 1;
            memcpy(u + i * ADI, v[i], sizeof v[i]);
        }
    }
}

/* ---- element by element, rows, windows ---- */

void c_arc_distance(const void *const *in, void *const *out)
{
    IN(double, theta1, 0);
    IN(double, phi1, 1);
    IN(double, theta2, 2);
    IN(double, phi2, 3);
    OUT(double, o, 0);
    PARALLEL_FOR
    for (int i = 0; i < 1000000; i++) {
        double s = sin((theta2[i] - theta1[i]) / 2), r = sin((phi2[i] - phi1[i]) / 2);
        double h = s * s + cos(theta1[i]) * cos(theta2[i]) * r * r;
        o[i] = 2 * atan2(sqrt(h), sqrt(1 - h));
    }
}

void c_softmax_32x8x256x256(const void *const *in, void *const *out)
{
    IN(float, x, 0);
    OUT(float, o, 0);
    enum { N = 256 };
    PARALLEL_FOR
    for (int i = 0; i < 32 * 8 * 256; i++) {
        const float *R from = x + i * N;
        float *R to = o + i * N, m = -FLT_MAX, s = 0;
        for (int j = 0; j < N; j++) m = fmaxf(m, from[j]);
        for (int j = 0; j < N; j++) {
            to[j] = expf(from[j] - m);
            s += to[j];
        }
        for (int j = 0; j < N; j++) to[j] *= 1 / s;
    }
}

/* Each weight is a vector of 8 channels; PLACES results stay in registers while all weights pass by. */
typedef float Channels __attribute__((vector_size(32)));
void c_conv2d(const void *const *in, void *const *out)
{
    IN(float, x, 0);
    IN(Channels, weights, 1);
    IN(Channels, bias, 2);
    OUT(Channels, o, 0);
    enum { SIZE = 128, RESULT = 119, K = 10, COLOURS = 3, PLACES = VECTOR == 64 ? 17 : 7 };
    PARALLEL_FOR
    for (int row = 0; row < 8 * RESULT; row++) {
        const float *R image = x + (row / RESULT * SIZE + row % RESULT) * SIZE * COLOURS;
        for (int j = 0; j < RESULT; j += PLACES) {
            Channels s[PLACES];
#pragma GCC unroll 17
            for (int p = 0; p < PLACES; p++) s[p] = bias[0];
            for (int k = 0; k < K; k++) {
                const float *R from = image + (k * SIZE + j) * COLOURS;
                for (int l = 0; l < K * COLOURS; l++)
#pragma GCC unroll 17
                    for (int p = 0; p < PLACES; p++)
                        s[p] += from[p * COLOURS + l] * weights[k * K * COLOURS + l];
            }
#pragma GCC unroll 17
            for (int p = 0; p < PLACES; p++) o[row * RESULT + j + p] = s[p];
        }
    }
}
