/* matrix_one.h: eigenvalues of one symmetric matrix, by vectors V of LANES neighbours in a row: Householder's
 * reflections make it tridiagonal, and implicit QL steps diagonal. Included by matrix_lanes.h.
 *
 * Rows lie `ld` elements apart, a whole number of blocks of 64 bytes, and are 0 behind the matrix. As in
 * lanes, results do not depend on the vector: a sum along a row has a partial sum for each place in a
 * block. */

enum { N(STRIP) = 4 }; /* vectors of a row that are in registers at once */

enum { N(BLOCK) = 64 / sizeof(T) };

/* An odd number of blocks where there are many: at powers of two rows would share their lines of the
 * cache. */
EACH int64_t N(padded)(int64_t n)
{
    int64_t blocks = (n + N(BLOCK) - 1) / N(BLOCK);
    return (blocks > 4 ? blocks | 1 : blocks) * N(BLOCK);
}

EACH V N(get)(const T *from)
{
    V v;
    memcpy(&v, from, sizeof v);
    return v;
}
EACH void N(put)(V v, T *to) { memcpy(to, &v, sizeof v); }

EACH void N(zero)(T *a, int64_t n)
{
    for (int64_t i = 0; i < n; i++) a[i] = 0;
}

/* The sum of (x / x_by) y / y_by */
EACH T N(row_dot)(const T *x, const T *y, int64_t ld, T by)
{
    V sum[N(BLOCK) / LANES];
    T part[N(BLOCK)];
    for (int b = 0; b < N(BLOCK) / LANES; b++) sum[b] = N(splat)(0);
    for (int64_t j = 0; j < ld; j += N(BLOCK))
        for (int b = 0; b < N(BLOCK) / LANES; b++)
            sum[b] += N(get)(x + j + b * LANES) / N(splat)(by) * (N(get)(y + j + b * LANES) / N(splat)(by));
    memcpy(part, sum, sizeof part);
    for (int half = N(BLOCK) / 2; half; half /= 2)
        for (int l = 0; l < half; l++) part[l] += part[l + half];
    return part[0];
}

/* The reflection I - tau v v^T that takes row x[first ..] to (beta, 0 ..): the row becomes v, which is 0 up
 * to `first` and 1 there. Returns tau: 0 where there is nothing to do. */
KERN T N(row_reflection)(T *x, int64_t first, int64_t ld, double *beta_out)
{
    T alpha = x[first], largest = 0;
    N(zero)(x, first + 1);
    for (int64_t j = first; j < ld; j++) {
        T size = x[j] < 0 ? -x[j] : x[j];
        largest = size > largest ? size : largest;
    }
    *beta_out = alpha;
    x[first] = 1;
    if (!(largest > 0)) return 0;
    x[first] = 0;
    double norm = (double)largest * sqrt((double)N(row_dot)(x, x, ld, largest)),
           beta = sqrt((double)alpha * alpha + norm * norm);
    if (alpha >= 0) beta = -beta;
    T by = (T)(alpha - beta);
    for (int64_t j = 0; j < ld; j += LANES) N(put)(N(get)(x + j) / N(splat)(by), x + j);
    x[first] = 1;
    *beta_out = beta;
    return (T)((beta - alpha) / beta);
}

/* rows -= u y + x v, and then `sum` is the sum of the rows by b, of some vectors of each row; where one_term,
 * rows -= u y. */
typedef struct N(Pass) {
    T *rows;
    int64_t ld, first, end; /* rows */
    const T *u, *y, *x, *v, *b;
    T *sum;
} N(Pass);

EACH void N(pass_strip)(const N(Pass) * p, int64_t j, const bool one_term, const int width)
{
    V y[N(STRIP)], v[N(STRIP)], sum[N(STRIP)];
    const T *pu = p->u, *px = p->x, *pb = p->b;
    int64_t ld = p->ld;
    T *row = p->rows + p->first * ld + j;
    for (int k = 0; k < width; k++) {
        y[k] = N(get)(p->y + j + k * LANES);
        if (!one_term) v[k] = N(get)(p->v + j + k * LANES);
        sum[k] = N(splat)(0);
    }
    for (int64_t i = p->first; i < p->end; i++, row += ld)
        for (int k = 0; k < width; k++) {
            V r = N(get)(row + k * LANES) - N(splat)(pu[i]) * y[k];
            if (!one_term) r -= N(splat)(px[i]) * v[k];
            N(put)(r, row + k * LANES);
            sum[k] += N(splat)(pb[i]) * r;
        }
    for (int k = 0; k < width; k++) N(put)(sum[k], p->sum + j + k * LANES);
}

/* From column `from` on, and a few before it. */
EACH void N(pass)(const N(Pass) * p, int64_t from, const bool one_term)
{
    int64_t j = from / LANES * LANES;
    for (; j + N(STRIP) * LANES <= p->ld; j += N(STRIP) * LANES) N(pass_strip)(p, j, one_term, N(STRIP));
    for (; j < p->ld; j += LANES) N(pass_strip)(p, j, one_term, 1);
}

/* a = q t q^T, t of diagonal d and off-diagonal e: row k of `a` becomes the v of reflection k. A step's
 * update of the rows is made in the pass of the next step. w [3 ld] */
KERN void N(tridiagonal)(T *a, int64_t n, int64_t ld, double *d, double *e, T *tau, T *w)
{
    T *p = w, *next = w + ld;
    const T *v = w + 2 * ld;
    N(zero)(w, 3 * ld);
    for (int64_t k = 0; k < n; k++) {
        T *row = a + k * ld, vk = v[k], pk = p[k];
        for (int64_t j = k; j < n; j++) row[j] = row[j] - vk * p[j] - pk * v[j];
        d[k] = row[k];
        if (k + 1 == n) break;
        T t = tau[k] = N(row_reflection)(row, k + 1, ld, &e[k]);
        N(pass)(&(N(Pass)){ a, ld, k + 1, n, v, p, p, v, row, next }, k + 1, false);
        N(zero)(next, k + 1);
        T half = t * t / 2 * N(row_dot)(next, row, ld, 1);
        for (int64_t j = k + 1; j < n; j++) next[j] = t * next[j] - half * row[j];
        T *kept = p;
        p = next;
        next = kept;
        v = row;
    }
}

/* z: the product of the reflections in rows of `a`; that of row k is 0 up to k. w [2 ld] */
KERN void N(row_reflections)(const T *a, int64_t n, int64_t ld, const T *tau, T *z, T *w)
{
    T *sum = w, *next = w + ld;
    N(zero)(z, n * ld);
    N(zero)(w, 2 * ld);
    for (int64_t i = 0; i < n; i++) z[i * ld + i] = 1;
    if (n) sum[n - 1] = 1;
    for (int64_t k = n - 1; k-- > 0;) {
        const T *v = a + k * ld, *before = k ? v - ld : v;
        for (int64_t j = k + 1; j < n; j++) sum[j] *= tau[k];
        N(pass)(&(N(Pass)){ z, ld, k + 1, n, v, sum, NULL, NULL, before, next }, k + 1, true);
        next[k] = 1;
        T *kept = sum;
        sum = next;
        next = kept;
    }
}

/* Rotations of neighbouring rows, which wait until there are some sweeps of them: rows high, high - 1, .. low
 * of sweep k by c and s from k n on. */
enum { N(SWEEPS_AT_ONCE) = 8 };
typedef struct N(Rotations) {
    T *rows, *c, *s;
    int64_t n, ld, low[N(SWEEPS_AT_ONCE)], high[N(SWEEPS_AT_ONCE)];
    int sweeps;
} N(Rotations);

EACH void N(rotate_strip)(const N(Rotations) * r, int k, int64_t j, const int width)
{
    const T *pc = r->c + k * r->n, *ps = r->s + k * r->n;
    int64_t ld = r->ld;
    T *row = r->rows + r->high[k] * ld + j;
    V carry[N(STRIP)];
    for (int b = 0; b < width; b++) carry[b] = N(get)(row + b * LANES);
    for (int64_t i = r->high[k]; i-- > r->low[k]; row -= ld) {
        V c = N(splat)(pc[i]), s = N(splat)(ps[i]);
        for (int b = 0; b < width; b++) {
            V x = N(get)(row - ld + b * LANES);
            N(put)(s * x + c * carry[b], row + b * LANES);
            carry[b] = c * x - s * carry[b];
        }
    }
    for (int b = 0; b < width; b++) N(put)(carry[b], row + b * LANES);
}

KERN void N(rotate_rows)(N(Rotations) * r)
{
    int64_t j = 0;
    for (; j + N(STRIP) * LANES <= r->ld; j += N(STRIP) * LANES)
        for (int k = 0; k < r->sweeps; k++) N(rotate_strip)(r, k, j, N(STRIP));
    for (; j < r->ld; j += LANES)
        for (int k = 0; k < r->sweeps; k++) N(rotate_strip)(r, k, j, 1);
    r->sweeps = 0;
}

/* d becomes the eigenvalues, in no order; rows go along. Numbers are about 1 at most: what is smaller than
 * the root of the smallest is 0. */
KERN void N(ql)(double *d, double *e, int64_t n, N(Rotations) * rotations)
{
    const double eps = sizeof(T) == 4 ? FLT_EPSILON : DBL_EPSILON;
    if (n) e[n - 1] = 0;
    for (int64_t l = 0; l < n; l++)
        for (int tries = 0; tries < 60; tries++) {
            int64_t m = l;
            while (m + 1 < n && fabs(e[m]) > eps * (fabs(d[m]) + fabs(d[m + 1]))) m++;
            if (m == l) break;
            if (rotations->sweeps == N(SWEEPS_AT_ONCE)) N(rotate_rows)(rotations);
            T *to_c = rotations->c + rotations->sweeps * n, *to_s = rotations->s + rotations->sweeps * n;
            double g = (d[l + 1] - d[l]) / (2 * e[l]), r = sqrt(g * g + 1), s = 1, c = 1, p = 0;
            g = d[m] - d[l] + e[l] / (g + (g < 0 ? -r : r));
            int64_t i = m;
            while (i-- > l) {
                double f = s * e[i], b = c * e[i], square = f * f + g * g;
                if (square < DBL_MIN / DBL_EPSILON) {
                    e[i + 1] = 0;
                    d[i + 1] -= p;
                    break;
                }
                double over = 1 / square;
                e[i + 1] = r = sqrt(square);
                s = f * r * over;
                c = g * r * over;
                g = d[i + 1] - p;
                r = (d[i] - g) * s + 2 * c * b;
                p = s * r;
                d[i + 1] = g + p;
                g = c * r - b;
                to_c[i] = (T)c;
                to_s[i] = (T)s;
            }
            rotations->low[rotations->sweeps] = i + 1;
            rotations->high[rotations->sweeps++] = m;
            e[m] = 0;
            if (i >= l) continue;
            d[l] -= p;
            e[l] = g;
        }
    N(rotate_rows)(rotations);
}

/* The triangle's whole by a power of two that makes its largest number about 1. Returns what to multiply by
 * in the end; NaN where a number is not finite. */
KERN double N(whole_rows)(const T *from, int64_t n, bool lower, T *a, int64_t ld)
{
    T largest = 0, bad = 0;
    int power;
    N(zero)(a, n * ld);
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = lower ? 0 : i; j < (lower ? i + 1 : n); j++) {
            T x = from[i * n + j], size = x < 0 ? -x : x;
            a[i * ld + j] = a[j * ld + i] = x;
            largest = size > largest ? size : largest;
            bad += x - x;
        }
    if (!(bad == 0)) return NAN;
    frexp(largest, &power);
    power = power < -1000 ? -1000 : power - 1;
    double by = ldexp(1, -power);
    for (int64_t i = 0; i < n * ld; i++) a[i] = (T)(a[i] * by);
    return ldexp(1, power);
}

/* to[i][place[j]] = from[j][i] over the length of from[j], place the order of d; to_d: d in order, by
 * scale. */
KERN void N(put_ordered)(const double *d, double scale, int64_t n, const T *from, int64_t ld, T *to_d, T *to)
{
    for (int64_t j = 0; j < n; j++) {
        const T *row = from + j * ld;
        int64_t place = 0;
        for (int64_t k = 0; k < n; k++) place += d[k] < d[j] || (d[k] == d[j] && k < j);
        to_d[place] = (T)(d[j] * scale);
        T over = (T)(1 / sqrt((double)N(row_dot)(row, row, ld, 1)));
        for (int64_t i = 0; i < n; i++) to[i * n + place] = row[i] * over;
    }
}

TARGET static void N(eigh_one)(const int64_t *number, const void *const *in, void *const *out, void *scratch)
{
    int64_t n = number[MATRIX_ROWS], ld = N(padded)(n);
    double *d = scratch, *e = d + ld;
    T *a = (T *)(e + ld), *z = a + n * ld, *tau = z + n * ld, *w = tau + ld;
    N(Rotations) rotations = { .rows = a, .c = w, .s = w + N(SWEEPS_AT_ONCE) * n, .n = n, .ld = ld };
    for (int64_t b = 0; b < number[MATRIX_BATCH]; b++) {
        T *to = (T *)out[0] + b * n * n, *to_d = (T *)out[1] + b * n;
        double scale = N(whole_rows)((const T *)in[0] + b * n * n, n, number[MATRIX_ATTR], a, ld);
        if (scale != scale) {
            for (int64_t i = 0; i < n * n; i++) to[i] = (T)NAN;
            for (int64_t i = 0; i < n; i++) to_d[i] = (T)NAN;
            continue;
        }
        N(tridiagonal)(a, n, ld, d, e, tau, w);
        N(row_reflections)(a, n, ld, tau, z, w);
        for (int64_t i = 0; i < n; i++)
            for (int64_t j = 0; j < n; j++) a[j * ld + i] = z[i * ld + j];
        for (int64_t i = 0; i < n; i++) N(zero)(a + i * ld + n, ld - n);
        N(ql)(d, e, n, &rotations);
        N(put_ordered)(d, scale, n, a, ld, to_d, to);
    }
}
