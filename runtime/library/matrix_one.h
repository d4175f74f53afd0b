/* matrix_one.h: eigenvalues of one symmetric matrix and singular values of any, by vectors V of LANES
 * neighbours in a row: Householder's reflections leave two diagonals, and implicit QL steps one. Included by
 * matrix_lanes.h.
 *
 * Rows lie `ld` elements apart, a whole number of blocks of 64 bytes, and are 0 behind the matrix. As in
 * lanes, results do not depend on the vector: a sum along a row has a partial sum for each place in a block.
 * Matrices are scaled first, so that their largest number is about 1. */

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

EACH T N(row_dot)(const T *x, const T *y, int64_t ld)
{
    V sum[N(BLOCK) / LANES];
    T part[N(BLOCK)];
    for (int b = 0; b < N(BLOCK) / LANES; b++) sum[b] = N(splat)(0);
    for (int64_t j = 0; j < ld; j += N(BLOCK))
        for (int b = 0; b < N(BLOCK) / LANES; b++)
            sum[b] += N(get)(x + j + b * LANES) * N(get)(y + j + b * LANES);
    memcpy(part, sum, sizeof part);
    for (int half = N(BLOCK) / 2; half; half /= 2)
        for (int l = 0; l < half; l++) part[l] += part[l + half];
    return part[0];
}

EACH void N(row_over)(T *x, int64_t ld, T by)
{
    for (int64_t j = 0; j < ld; j += LANES) N(put)(N(get)(x + j) / N(splat)(by), x + j);
}

EACH T N(largest_of)(const T *x, int64_t ld)
{
    V most = N(splat)(0);
    T largest = 0;
    for (int64_t j = 0; j < ld; j += LANES) most = N(larger)(most, N(abs)(N(get)(x + j)));
    for (int l = 0; l < LANES; l++) {
        T lane = ((const T *)&most)[l];
        largest = lane > largest ? lane : largest;
    }
    return largest;
}

/* The reflection I - tau v v^T that takes row x[first ..] to (beta, 0 ..): the row becomes v, which is 0 up
 * to `first` and 1 there. Returns tau: 0 where there is nothing to do. */
KERN T N(row_reflection)(T *x, int64_t first, int64_t ld, double *beta)
{
    double alpha = *beta = x[first];
    T tau = 0;
    N(zero)(x, first + 1);
    T square = N(row_dot)(x, x, ld), by = 1;
    if (square < (T)1e-20) { /* perhaps squares vanish */
        T largest = N(largest_of)(x, ld), size = (T)fabs(alpha);
        by = size > largest ? size : largest;
        if (by > 0) {
            N(row_over)(x, ld, by);
            alpha /= by;
            square = N(row_dot)(x, x, ld);
        }
    }
    if (square > 0) {
        double length = sqrt(alpha * alpha + square);
        if (alpha > 0) length = -length;
        N(row_over)(x, ld, (T)(alpha - length));
        tau = (T)((length - alpha) / length);
        *beta = length * by;
    }
    x[first] = 1;
    return tau;
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
        T half = t * t / 2 * N(row_dot)(next, row, ld);
        for (int64_t j = k + 1; j < n; j++) next[j] = t * next[j] - half * row[j];
        T *kept = p;
        p = next;
        next = kept;
        v = row;
    }
}

/* The first columns of the product of `count` reflections, whose v are rows `apart` from each other: that of
 * row k starts at k + offset. z [rows, ld], w [2 ld] */
KERN void N(product)(const T *v, int64_t apart, const T *tau, int64_t count, int64_t offset, T *z,
                     int64_t rows, int64_t columns, int64_t ld, T *w)
{
    T *sum = w, *next = w + ld;
    N(zero)(z, rows * ld);
    N(zero)(w, 2 * ld);
    for (int64_t i = 0; i < rows && i < columns; i++) z[i * ld + i] = 1;
    v += count * apart;
    for (int64_t k = count; k-- > 0;) {
        int64_t first = k + offset;
        v -= apart;
        if (k == count - 1)
            for (int64_t j = first; j < columns; j++) sum[j] = v[j];
        for (int64_t j = first; j < columns; j++) sum[j] *= tau[k];
        N(pass)(&(N(Pass)){ z, ld, first, rows, v, sum, NULL, NULL, k ? v - apart : v, next }, first, true);
        if (first) next[first - 1] = 1;
        T *kept = sum;
        sum = next;
        next = kept;
    }
}

EACH void N(turn_rows)(const T *from, int64_t rows, int64_t columns, int64_t ld, T *to, int64_t to_ld)
{
    N(zero)(to, columns * to_ld);
    for (int64_t i = 0; i < rows; i++)
        for (int64_t j = 0; j < columns; j++) to[j * to_ld + i] = from[i * ld + j];
}

/* Rotations of neighbouring rows, which wait until there are some sweeps of them: rows high, high - 1, .. low
 * of sweep k by c and s from k n on. */
enum { N(SWEEPS_AT_ONCE) = 8, N(TRIES) = 60 };
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

/* c f + s g = r, c g = s f; returns r. Of two numbers that are nothing but rounding, nothing. */
EACH double N(turn_of)(double f, double g, double *c, double *s)
{
    double square = f * f + g * g, over = 1 / square, r = sqrt(square);
    bool none = square < DBL_MIN / DBL_EPSILON;
    *c = none ? 1 : f * r * over; /* the division does not wait for the root */
    *s = none ? 0 : g * r * over;
    return none ? 0 : r;
}

/* d becomes the eigenvalues, in no order; rows go along. */
KERN void N(ql)(double *d, double *e, int64_t n, N(Rotations) * rotations)
{
    const double eps = sizeof(T) == 4 ? FLT_EPSILON : DBL_EPSILON;
    if (n) e[n - 1] = 0;
    for (int64_t l = 0; l < n; l++)
        for (int tries = 0; tries < N(TRIES); tries++) {
            int64_t m = l;
            while (m + 1 < n && fabs(e[m]) > eps * (fabs(d[m]) + fabs(d[m + 1]))) m++;
            if (m == l) break;
            if (rotations->sweeps == N(SWEEPS_AT_ONCE)) N(rotate_rows)(rotations);
            T *to_c = rotations->c + rotations->sweeps * n, *to_s = rotations->s + rotations->sweeps * n;
            double g = (d[l + 1] - d[l]) / (2 * e[l]), r = sqrt(g * g + 1), s = 1, c = 1, p = 0;
            g = d[m] - d[l] + e[l] / (g + (g < 0 ? -r : r));
            int64_t i = m;
            while (i-- > l) {
                double f = s * e[i], b = c * e[i];
                e[i + 1] = r = N(turn_of)(g, f, &c, &s);
                if (r == 0) {
                    d[i + 1] -= p;
                    break;
                }
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

/* What a[0 .. n - 1] is scaled by, a power of two, so that its largest number is about 1: returns what to
 * multiply by in the end; NaN where a number is not finite. */
KERN double N(scaled)(T *a, int64_t n)
{
    V bad = N(splat)(0);
    int power;
    for (int64_t i = 0; i < n; i += LANES) bad += N(get)(a + i) - N(get)(a + i);
    if (N(any)(bad != bad)) return NAN;
    frexp(N(largest_of)(a, n), &power);
    power = power < -1000 ? -1000 : power - 1;
    double by = ldexp(1, -power);
    for (int64_t i = 0; i < n; i++) a[i] = (T)(a[i] * by);
    return ldexp(1, power);
}

/* Where each of d goes in order; to: d in order, by scale. */
KERN void N(order)(const double *d, int64_t n, bool down, double scale, int64_t *place, T *to)
{
    for (int64_t j = 0; j < n; j++) {
        place[j] = 0;
        for (int64_t k = 0; k < n; k++)
            place[j] += (down ? d[k] > d[j] : d[k] < d[j]) || (d[k] == d[j] && k < j);
        to[place[j]] = (T)(d[j] * scale);
    }
}

/* Rows over their length, each at its place, which lie `row` apart, their elements `element`; those from
 * `placed` on stay where they are. */
KERN void N(put_rows)(const T *from, int64_t rows, int64_t length, int64_t ld, const int64_t *place,
                      int64_t placed, T *to, int64_t row, int64_t element)
{
    for (int64_t j = 0; j < rows; j++, from += ld) {
        T over = (T)(1 / sqrt((double)N(row_dot)(from, from, ld))),
          *put = to + (j < placed ? place[j] : j) * row;
        for (int64_t i = 0; i < length; i++) put[i * element] = from[i] * over;
    }
}

EACH void N(fill_nan)(T *to, int64_t n)
{
    for (int64_t i = 0; i < n; i++) to[i] = (T)NAN;
}

TARGET static void N(eigh_one)(const int64_t *number, const void *const *in, void *const *out, void *scratch)
{
    int64_t n = number[MATRIX_ROWS], ld = N(padded)(n), count = n ? n - 1 : 0;
    double *d = scratch, *e = d + ld;
    int64_t *place = (int64_t *)(e + ld);
    T *a = (T *)(place + ld), *z = a + n * ld, *tau = z + n * ld, *w = tau + ld;
    N(Rotations) rotations = { .rows = a, .c = w, .s = w + N(SWEEPS_AT_ONCE) * n, .n = n, .ld = ld };
    for (int64_t b = 0; b < number[MATRIX_BATCH]; b++) {
        const T *from = (const T *)in[0] + b * n * n;
        T *to = (T *)out[0] + b * n * n, *to_d = (T *)out[1] + b * n;
        N(zero)(a, n * ld);
        for (int64_t i = 0; i < n; i++)
            for (int64_t j = 0; j <= i; j++)
                a[i * ld + j] = a[j * ld + i] = from[number[MATRIX_ATTR] ? i * n + j : j * n + i];
        double scale = N(scaled)(a, n * ld);
        if (scale != scale) {
            N(fill_nan)(to, n * n);
            N(fill_nan)(to_d, n);
            continue;
        }
        N(tridiagonal)(a, n, ld, d, e, tau, w);
        N(product)(a, ld, tau, count, 1, z, n, n, ld, w);
        N(turn_rows)(z, n, n, ld, a, ld);
        N(ql)(d, e, n, &rotations);
        N(order)(d, n, false, scale, place, to_d);
        N(put_rows)(a, n, n, ld, place, n, to, 1, n);
    }
}

/* ---- singular values ---- */

/* a [m, n], m >= n, is l t r^T, t of diagonal d and above it e: the v of l's reflections become rows of
 * `left`, of m_ld elements, those of r's rows of `a`. The update of one step is made in the pass of the next:
 * rows -= u y^T + x v^T. w [2 ld], x [m_ld] */
KERN void N(bidiagonal)(T *a, int64_t m, int64_t n, int64_t ld, T *left, int64_t m_ld, double *d, double *e,
                        T *left_tau, T *tau, T *w, T *x)
{
    T *y = w, *next = w + ld;
    N(zero)(left, n * m_ld);
    N(zero)(w, 2 * ld);
    N(zero)(x, m_ld);
    for (int64_t k = 0; k < n; k++) {
        T *u = left + k * m_ld, *row = a + k * ld;
        const T *last_u = k ? u - m_ld : x, *last_v = k ? row - ld : y;
        for (int64_t i = k; i < m; i++) u[i] = a[i * ld + k] - last_u[i] * y[k] - x[i] * last_v[k];
        T t = left_tau[k] = N(row_reflection)(u, k, m_ld, &d[k]);
        e[k] = 0;
        if (k + 1 == n) break;
        N(pass)(&(N(Pass)){ a, ld, k, m, last_u, y, x, last_v, u, next }, k + 1, false);
        N(zero)(next, k + 1);
        for (int64_t j = k + 1; j < n; j++) {
            next[j] *= t;
            row[j] -= next[j];
        }
        t = tau[k] = N(row_reflection)(row, k + 1, ld, &e[k]);
        int64_t from = (k + 1) / N(BLOCK) * N(BLOCK);
        T y_v = N(row_dot)(next + from, row + from, ld - from);
        for (int64_t i = k + 1; i < m; i++)
            x[i] = t * (N(row_dot)(a + i * ld + from, row + from, ld - from) - u[i] * y_v);
        T *kept = y;
        y = next;
        next = kept;
    }
}

/* The smaller singular value of [[f, g], [0, h]] */
EACH double N(smaller_value)(double f, double g, double h)
{
    f = fabs(f);
    h = fabs(h);
    double small = f < h ? f : h, large = f < h ? h : f;
    if (small == 0) return 0;
    double sum = 1 + small / large, difference = 1 - small / large, square = (g / large) * (g / large);
    return small * 2 / (sqrt(sum * sum + square) + sqrt(difference * difference + square));
}

/* d becomes the singular values, in no order and with signs; rows of u and v go along, unless they are NULL.
 * The steps are LAPACK's bdsqr's from the bottom up. */
KERN void N(bidiagonal_ql)(double *d, double *e, int64_t n, N(Rotations) * u, N(Rotations) * v)
{
    const double eps = sizeof(T) == 4 ? FLT_EPSILON : DBL_EPSILON;
    double norm = 0, c, s;
    for (int64_t i = 0; i < n; i++) norm = fmax(norm, fmax(fabs(d[i]), fabs(e[i])));
    for (int64_t l = 0; l < n; l++) {
        int64_t last = n;
        for (int tries = 0; tries < N(TRIES); tries++) {
            int64_t m = l;
            while (m + 1 < n && fabs(e[m]) > eps * (fabs(d[m]) + fabs(d[m + 1]) + norm / 16)) m++;
            if (m == l) break;
            if (m < last) tries = 0; /* a zero on the diagonal splits off one element at the other end */
            last = m;
            if (u && u->sweeps == N(SWEEPS_AT_ONCE)) {
                N(rotate_rows)(u);
                N(rotate_rows)(v);
            }
            int64_t at = u ? u->sweeps * n : 0;
            double shift = N(smaller_value)(d[l], e[l], d[l + 1]), f = d[m], g = e[m - 1];
            if (shift > 0 && f != 0) f = (fabs(f) - shift) * ((f < 0 ? -1 : 1) + shift / f);
            for (int64_t i = m; i > l; i--) {
                double r = N(turn_of)(f, g, &c, &s);
                if (u) u->c[at + i - 1] = (T)c, u->s[at + i - 1] = (T)s;
                if (i < m) e[i] = r;
                f = c * d[i] + s * e[i - 1];
                e[i - 1] = c * e[i - 1] - s * d[i];
                g = s * d[i - 1];
                d[i - 1] *= c;
                d[i] = N(turn_of)(f, g, &c, &s);
                if (v) v->c[at + i - 1] = (T)c, v->s[at + i - 1] = (T)s;
                f = c * e[i - 1] + s * d[i - 1];
                d[i - 1] = c * d[i - 1] - s * e[i - 1];
                if (i - 1 == l) continue;
                g = s * e[i - 2];
                e[i - 2] *= c;
            }
            e[l] = f;
            if (!u) continue;
            u->low[u->sweeps] = v->low[v->sweeps] = l;
            u->high[u->sweeps++] = v->high[v->sweeps++] = m;
        }
    }
    if (!u) return;
    N(rotate_rows)(u);
    N(rotate_rows)(v);
}

TARGET static void N(svd_one)(const int64_t *number, const void *const *in, void *const *out, void *scratch)
{
    int64_t rows = number[MATRIX_ROWS], columns = number[MATRIX_COLUMNS];
    bool wide = rows < columns, vectors = number[MATRIX_ATTR + 1];
    int64_t m = wide ? columns : rows, n = wide ? rows : columns, wanted = number[MATRIX_ATTR] ? m : n,
            ld = N(padded)(n), m_ld = N(padded)(m), z_ld = N(padded)(wanted);
    double *d = scratch, *e = d + ld;
    int64_t *place = (int64_t *)(e + ld);
    T *a = (T *)(place + ld), *left = a + m * ld, *z = left + wanted * m_ld, *tau = z + m * z_ld,
      *left_tau = tau + ld, *x = left_tau + ld, *w = x + m_ld;
    N(Rotations) u = { .rows = left, .c = w, .s = w + N(SWEEPS_AT_ONCE) * n, .n = n, .ld = m_ld }, v = u;
    v.rows = a;
    v.c = u.s + N(SWEEPS_AT_ONCE) * n;
    v.s = v.c + N(SWEEPS_AT_ONCE) * n;
    v.ld = ld;
    for (int64_t b = 0; b < number[MATRIX_BATCH]; b++) {
        const T *from = (const T *)in[0] + b * m * n;
        T *to_d = (T *)out[0] + b * n;
        if (wide) N(turn_rows)(from, n, m, m, a, ld);
        else {
            N(zero)(a, m * ld);
            for (int64_t i = 0; i < m; i++)
                for (int64_t j = 0; j < n; j++) a[i * ld + j] = from[i * n + j];
        }
        double scale = N(scaled)(a, m * ld);
        if (scale != scale) {
            N(fill_nan)(to_d, n);
            if (!vectors) continue;
            N(fill_nan)((T *)out[1] + b * rows * (wide ? n : wanted), rows * (wide ? n : wanted));
            N(fill_nan)((T *)out[2] + b * columns * (wide ? wanted : n), columns * (wide ? wanted : n));
            continue;
        }
        N(bidiagonal)(a, m, n, ld, left, m_ld, d, e, left_tau, tau, w, x);
        if (vectors) {
            N(product)(left, m_ld, left_tau, n, 0, z, m, wanted, z_ld, w);
            N(turn_rows)(z, m, wanted, z_ld, left, m_ld);
            N(product)(a, ld, tau, n ? n - 1 : 0, 1, z, n, n, ld, w);
            N(turn_rows)(z, n, n, ld, a, ld);
        }
        N(bidiagonal_ql)(d, e, n, vectors ? &u : NULL, vectors ? &v : NULL);
        for (int64_t i = 0; i < n; i++) {
            if (vectors && d[i] < 0)
                for (int64_t j = 0; j < n; j++) a[i * ld + j] = -a[i * ld + j];
            d[i] = fabs(d[i]);
        }
        N(order)(d, n, true, scale, place, to_d);
        if (!vectors) continue;
        T *to_u = (T *)out[1] + b * rows * (wide ? n : wanted),
          *to_v = (T *)out[2] + b * columns * (wide ? wanted : n);
        N(put_rows)(left, wanted, m, m_ld, place, n, wide ? to_v : to_u, wide ? m : 1, wide ? 1 : wanted);
        N(put_rows)(a, n, n, ld, place, n, wide ? to_u : to_v, wide ? 1 : n, wide ? n : 1);
    }
}
