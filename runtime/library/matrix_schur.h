/* matrix_schur.h: Hessenberg's form, Schur's form and eigenvectors of real matrices, one after the other,
 * written once for a type T. The steps are Francis', two shifts at once; the shifts, and the form of what is
 * left of two rows, are LAPACK's (lahqr, lanv2). No sum is split and nothing is contracted, so that results
 * depend on nothing but the numbers.
 *
 * Needs T, N(name), SQRT(x). */

static inline T N(abs)(T x) { return x < 0 ? -x : x; }
static inline T N(larger)(T a, T b) { return b > a ? b : a; }
static inline T N(least)(T a, T b) { return b < a ? b : a; }
static inline T N(with_sign)(T size, T of) { return of < 0 ? -N(abs)(size) : N(abs)(size); }
static inline T N(hypot)(T a, T b)
{
    T large = N(larger)(N(abs)(a), N(abs)(b)), by = large > 0 ? large : 1;
    return by * SQRT((a / by) * (a / by) + (b / by) * (b / by)) + (a - a) + (b - b);
}
static inline T N(epsilon)(void) { return sizeof(T) == 4 ? (T)FLT_EPSILON : (T)DBL_EPSILON; }

/* (a + b i) / (c + d i), by Smith's rule */
static inline void N(divide)(T a, T b, T c, T d, T *re, T *im)
{
    if (N(abs)(c) >= N(abs)(d)) {
        T ratio = d / c, by = c + d * ratio;
        *re = (a + b * ratio) / by;
        *im = (b - a * ratio) / by;
    } else {
        T ratio = c / d, by = c * ratio + d;
        *re = (a * ratio + b) / by;
        *im = (b * ratio - a) / by;
    }
}

static void N(identity)(T *a, int64_t n)
{
    memset(a, 0, (size_t)(n * n) * sizeof *a);
    for (int64_t i = 0; i < n; i++) a[i * n + i] = 1;
}

/* Divides by a power of two, so that all are less than 2, and returns it. *bad: NaN where a number is not
 * finite, and then all are 0; else 0. */
static T N(scale_down)(T *a, int64_t n, T *bad)
{
    T largest = 0, sum = 0;
    int exponent;
    for (int64_t i = 0; i < n; i++) {
        largest = N(larger)(largest, N(abs)(a[i]));
        sum += a[i] - a[i];
    }
    *bad = sum == 0 ? 0 : (T)NAN; /* of one sign */
    if (sum != 0) memset(a, 0, (size_t)n * sizeof *a);
    if (sum != 0 || !(largest > 0)) return 1;
    (void)frexp(largest, &exponent);
    if (exponent > 0) exponent--; /* 2^1024 is no number */
    for (int64_t i = 0; i < n; i++) a[i] = (T)ldexp(a[i], -exponent);
    return (T)ldexp(1, exponent);
}

/* ---- Hessenberg's form */

/* The reflection I - tau v v^T that takes x[0 .. n-1], `step` apart, to (beta, 0 ..): v is (1, x[1] ..) then,
 * and beta in x[0]. Returns tau: 0 where there is nothing to do. */
static T N(reflection)(T *x, int64_t n, int64_t step)
{
    T largest = 0, sum = 0, alpha = x[0];
    for (int64_t i = 1; i < n; i++) largest = N(larger)(largest, N(abs)(x[i * step]));
    if (!(largest > 0)) return 0;
    for (int64_t i = 1; i < n; i++) sum += (x[i * step] / largest) * (x[i * step] / largest);
    T lift = MATRIX_LIFT(T, N(larger)(largest, N(abs)(alpha)));
    alpha *= lift;
    T norm = N(hypot)(alpha, largest * lift * SQRT(sum)), beta = alpha < 0 ? norm : -norm;
    for (int64_t i = 1; i < n; i++) x[i * step] = x[i * step] * lift / (alpha - beta);
    x[0] = beta / lift;
    return (beta - alpha) / beta;
}

/* Rows of `a` from the left by I - tau v v^T; v is (1, v[step], ..), the rows lie `apart`; w: scratch of a
 * row. */
static void N(reflect)(const T *v, int64_t step, T tau, T *a, int64_t rows, int64_t columns, int64_t apart,
                       T *w)
{
    if (tau == 0) return;
    for (int64_t j = 0; j < columns; j++) w[j] = a[j];
    for (int64_t i = 1; i < rows; i++)
        for (int64_t j = 0; j < columns; j++) w[j] += v[i * step] * a[i * apart + j];
    for (int64_t j = 0; j < columns; j++) {
        w[j] *= tau;
        a[j] -= w[j];
    }
    for (int64_t i = 1; i < rows; i++)
        for (int64_t j = 0; j < columns; j++) a[i * apart + j] -= v[i * step] * w[j];
}

/* Rows of `a`, n numbers each, from the right. */
static void N(reflect_right)(const T *v, int64_t step, T tau, T *a, int64_t rows, int64_t n, int64_t apart)
{
    for (int64_t r = 0; tau != 0 && r < rows; r++) {
        T *x = a + r * apart, sum = x[0];
        for (int64_t j = 1; j < n; j++) sum += x[j] * v[j * step];
        sum *= tau;
        x[0] -= sum;
        for (int64_t j = 1; j < n; j++) x[j] -= sum * v[j * step];
    }
}

/* a becomes h = q^T a q and, below the diagonal under the main one, the reflections whose product is q. */
static void N(hessenberg)(T *a, int64_t n, T *tau, T *w)
{
    for (int64_t k = 0; k + 1 < n; k++) {
        T *x = a + (k + 1) * n + k;
        tau[k] = N(reflection)(x, n - k - 1, n);
        N(reflect)(x, n, tau[k], x + 1, n - k - 1, n - k - 1, n, w);
        N(reflect_right)(x, n, tau[k], a + k + 1, n, n - k - 1, n);
    }
}

/* q [n, n] of these reflections; or NULL. They are 0 then. */
static void N(take_q)(T *a, int64_t n, const T *tau, T *q, T *w)
{
    if (q) N(identity)(q, n);
    for (int64_t k = n - 2; k >= 0; k--) {
        T *x = a + (k + 1) * n + k;
        if (q) N(reflect)(x, n, tau[k], q + (k + 1) * n + k + 1, n - k - 1, n - k - 1, n, w);
        for (int64_t i = 1; i < n - k - 1; i++) x[i * n] = 0;
    }
}

static void N(gehrd)(const int64_t *number, const void *const *in, void *const *out, void *scratch)
{
    int64_t n = number[MATRIX_ROWS], last = n > 0 ? n - 1 : 0;
    memcpy(out[0], in[0], (size_t)(number[MATRIX_BATCH] * n * n) * sizeof(T));
    for (int64_t b = 0; b < number[MATRIX_BATCH]; b++)
        N(hessenberg)((T *)out[0] + b * n * n, n, (T *)out[1] + b * last, scratch);
}

/* ---- Schur's form */

enum { N(STEPS) = 100 }; /* for one block, at most */

static void N(rotate_rows)(T *x, T *y, int64_t n, T c, T s)
{
    for (int64_t i = 0; i < n; i++) {
        T a = x[i], b = y[i];
        x[i] = c * a + s * b;
        y[i] = c * b - s * a;
    }
}

/* Columns x[0], x[1] of so many rows. */
static void N(rotate_columns)(T *x, int64_t rows, int64_t apart, T c, T s)
{
    for (int64_t r = 0; r < rows; r++, x += apart) {
        T a = x[0], b = x[1];
        x[0] = c * a + s * b;
        x[1] = c * b - s * a;
    }
}

/* [a b; c d] becomes [c s; -s c] [a b; c d] [c -s; s c], where the new c is 0, or a = d and b c < 0. */
static void N(standardize)(T *at, int64_t n, T *cosine, T *sine)
{
    T a = at[0], b = at[1], c = at[n], d = at[n + 1], cs = 1, sn = 0;
    if (c != 0 && b == 0) {
        T kept = d;
        cs = 0, sn = 1, d = a, a = kept, b = -c, c = 0;
    } else if (c != 0 && (a - d != 0 || (b < 0) == (c < 0))) {
        T gap = a - d, p = gap / 2, most = N(larger)(N(abs)(b), N(abs)(c)),
          few = N(with_sign)(1, b) * N(with_sign)(1, c) * N(least)(N(abs)(b), N(abs)(c)),
          scale = N(larger)(N(abs)(p), most), z = (p / scale) * p + (most / scale) * few;
        if (z >= 4 * N(epsilon)()) {
            z = p + N(with_sign)(SQRT(scale) * SQRT(z), p);
            a = d + z;
            d -= (most / z) * few;
            T length = N(hypot)(c, z);
            cs = z / length, sn = c / length, b -= c, c = 0;
        } else {
            T sigma = b + c, length = N(hypot)(sigma, gap);
            cs = SQRT((1 + N(abs)(sigma) / length) / 2);
            sn = -(p / (length * cs)) * N(with_sign)(1, sigma);
            T aa = a * cs + b * sn, bb = b * cs - a * sn, cc = c * cs + d * sn, dd = d * cs - c * sn;
            a = aa * cs + cc * sn, b = bb * cs + dd * sn, c = cc * cs - aa * sn, d = dd * cs - bb * sn;
            a = d = (a + d) / 2;
            if (c != 0 && b == 0) {
                T kept = cs;
                b = -c, c = 0, cs = -sn, sn = kept;
            } else if (c != 0 && (b < 0) == (c < 0)) { /* two real ones after all */
                T of_b = SQRT(N(abs)(b)), of_c = SQRT(N(abs)(c)), by = 1 / SQRT(N(abs)(b + c)),
                  c1 = of_b * by, s1 = of_c * by, turned = cs * c1 - sn * s1;
                p = N(with_sign)(of_b * of_c, c);
                a += p, d -= p, b -= c, c = 0;
                sn = cs * s1 + sn * c1, cs = turned;
            }
        }
    }
    at[0] = a, at[1] = b, at[n] = c, at[n + 1] = d;
    *cosine = cs;
    *sine = sn;
}

/* Two rows and columns at `at`, the last of which is left. */
static void N(finish_pair)(T *h, int64_t n, int64_t at, T *z)
{
    T c, s, *x = h + at * n + at;
    N(standardize)(x, n, &c, &s);
    N(rotate_rows)(x + 2, x + n + 2, n - at - 2, c, s);
    N(rotate_columns)(h + at, at, n, c, s);
    if (z) N(rotate_columns)(z + at, n, n, c, s);
}

typedef struct N(Shifts) {
    T re[2], im[2];
} N(Shifts);

/* The eigenvalues of the last two rows, twice the one nearer to the last element where they are real; other
 * numbers now and then, where steps go in a circle. */
static N(Shifts) N(shifts)(const T *h, int64_t n, int64_t from, int64_t to, int step)
{
    const T *last = h + to * n + to, *first = h + from * n + from;
    T a = last[-n - 1], b = last[-n], c = last[-1], d = last[0];
    N(Shifts) r = { { 0, 0 }, { 0, 0 } };
    if (step % 20 == 10) {
        T size = N(abs)(first[n]) + N(abs)(first[2 * n + 1]);
        a = d = (T)0.75 * size + first[0], b = (T)-0.4375 * size, c = size;
    } else if (step % 20 == 0) {
        T size = N(abs)(last[-1]) + N(abs)(last[-n - 2]);
        a = d = (T)0.75 * size + last[0], b = (T)-0.4375 * size, c = size;
    }
    T scale = N(abs)(a) + N(abs)(b) + N(abs)(c) + N(abs)(d);
    if (scale == 0) return r;
    a /= scale, b /= scale, c /= scale, d /= scale;
    T mean = (a + d) / 2, det = (a - mean) * (d - mean) - b * c, root = SQRT(N(abs)(det));
    if (det >= 0) {
        r.re[0] = r.re[1] = mean * scale;
        r.im[0] = root * scale;
        r.im[1] = -r.im[0];
    } else {
        T plus = mean + root, minus = mean - root;
        r.re[0] = r.re[1] = scale * (N(abs)(plus - d) <= N(abs)(minus - d) ? plus : minus);
    }
    return r;
}

/* The first column of (h - s0)(h - s1) from row m, over its size. */
static void N(first_column)(const T *h, int64_t n, int64_t m, const N(Shifts) * s, T v[3])
{
    const T *x = h + m * n + m;
    T low = N(abs)(x[n]), size = N(abs)(x[0] - s->re[1]) + N(abs)(s->im[1]) + low;
    if (size == 0) size = 1;
    low = x[n] / size;
    v[0] = low * x[1] + (x[0] - s->re[0]) * ((x[0] - s->re[1]) / size) - s->im[0] * (s->im[1] / size);
    v[1] = low * (x[0] + x[n + 1] - s->re[0] - s->re[1]);
    v[2] = low * x[2 * n + 1];
    size = N(abs)(v[0]) + N(abs)(v[1]) + N(abs)(v[2]);
    for (int i = 0; size > 0 && i < 3; i++) v[i] /= size;
}

/* Where a step may begin: what stands left of row m is next to nothing. */
static int64_t N(begin)(const T *h, int64_t n, int64_t from, int64_t to, const N(Shifts) * s, T v[3])
{
    for (int64_t m = to - 2;; m--) {
        const T *x = h + m * n + m;
        N(first_column)(h, n, m, s, v);
        if (m == from) return m;
        T near = N(abs)(x[-n - 1]) + N(abs)(x[0]) + N(abs)(x[n + 1]);
        if (N(abs)(x[-1]) * (N(abs)(v[1]) + N(abs)(v[2])) <= N(epsilon)() * N(abs)(v[0]) * near) return m;
    }
}

/* Rows and columns k .. of h, two or three, by I - t v v^T on both sides; z goes along. */
static void N(apply)(T *h, int64_t n, int64_t k, int64_t to, const T v[3], T t, bool three, T *z)
{
    T v1 = v[1], v2 = three ? v[2] : 0, *row = h + k * n, *next = row + n, *third = three ? next + n : next;
    int64_t rows = (k + 3 < to ? k + 3 : to) + 1;
    for (int64_t j = k; three && j < n; j++) {
        T sum = (row[j] + v1 * next[j] + v2 * third[j]) * t;
        row[j] -= sum;
        next[j] -= sum * v1;
        third[j] -= sum * v2;
    }
    for (int64_t j = k; !three && j < n; j++) {
        T sum = (row[j] + v1 * next[j]) * t;
        row[j] -= sum;
        next[j] -= sum * v1;
    }
    for (int which = 0; which < 2; which++) {
        T *x = (which ? z : h) + k;
        if (which && !z) return;
        for (int64_t i = 0; i < (which ? n : rows); i++, x += n) {
            T sum = (x[0] + v1 * x[1] + (three ? v2 * x[2] : 0)) * t;
            x[0] -= sum;
            x[1] -= sum * v1;
            if (three) x[2] -= sum * v2;
        }
    }
}

static void N(francis_step)(T *h, int64_t n, int64_t from, int64_t to, int step, T *z)
{
    T v[3];
    N(Shifts) s = N(shifts)(h, n, from, to, step);
    int64_t m = N(begin)(h, n, from, to, &s, v);
    for (int64_t k = m; k < to; k++) {
        T *x = h + k * n + k;
        bool three = k + 1 < to;
        if (k > m) v[0] = x[-1], v[1] = x[n - 1], v[2] = three ? x[2 * n - 1] : 0;
        T t = N(reflection)(v, three ? 3 : 2, 1);
        if (k > m) {
            x[-1] = v[0];
            x[n - 1] = 0;
            if (three) x[2 * n - 1] = 0;
        } else if (m > from) x[-1] *= 1 - t;
        if (t != 0) N(apply)(h, n, k, to, v, t, three, z);
    }
}

/* The row where the part that ends at `to` begins; what stands left of it is 0 then. */
static int64_t N(part_begins)(T *h, int64_t n, int64_t to, T norm)
{
    for (int64_t from = to; from > 0; from--) {
        T *x = h + from * n + from;
        T near = N(abs)(x[0]) + N(abs)(x[-n - 1]), low = N(abs)(x[-1]), none = norm * MATRIX_SPLITS(T);
        if (low > N(larger)(N(epsilon)() * (near > 0 ? near : norm), none)) continue;
        if (!matrix_may_split(low, N(abs)(x[-n]), N(abs)(x[0]), N(abs)(x[-n - 1] - x[0]), N(epsilon)(), none))
            continue;
        x[-1] = 0;
        return from;
    }
    return 0;
}

/* h becomes Schur's form: zeros below the diagonal but where two rows have a pair of complex eigenvalues.
 * z: what turns along, or NULL. False: it took too long. */
static bool N(quasi_triangular)(T *h, int64_t n, T *z)
{
    T norm = 0;
    int step = 0;
    for (int64_t i = 0; i < n * n; i++) norm = N(larger)(norm, N(abs)(h[i]));
    for (int64_t to = n - 1; to > 0;) {
        int64_t from = N(part_begins)(h, n, to, norm);
        if (from + 1 < to) {
            if (++step > N(STEPS)) return false;
            N(francis_step)(h, n, from, to, step, z);
            continue;
        }
        if (from + 1 == to) N(finish_pair)(h, n, from, z);
        to = from - 1;
        step = 0;
    }
    return true;
}

static void N(add_to_all)(T *a, int64_t n, T x)
{
    for (int64_t i = 0; x != 0 && i < n; i++) a[i] += x;
}

/* Of a in h; z: its vectors, or NULL; work: two rows. Returns what to multiply by. */
static T N(schur_form)(T *h, int64_t n, T *z, T *work, T *bad)
{
    T scale = N(scale_down)(h, n * n, bad);
    N(hessenberg)(h, n, work, work + n);
    N(take_q)(h, n, work, z, work + n);
    if (!N(quasi_triangular)(h, n, z)) *bad = (T)NAN;
    return scale;
}

static void N(schur)(const int64_t *number, const void *const *in, void *const *out, void *scratch)
{
    int64_t n = number[MATRIX_ROWS], all = n * n;
    bool vectors = number[MATRIX_ATTR];
    memcpy(out[0], in[0], (size_t)(number[MATRIX_BATCH] * all) * sizeof(T));
    for (int64_t b = 0; b < number[MATRIX_BATCH]; b++) {
        T bad, *h = (T *)out[0] + b * all, *z = vectors ? (T *)out[1] + b * all : NULL,
               scale = N(schur_form)(h, n, z, scratch, &bad);
        for (int64_t i = 0; i < all; i++) h[i] *= scale;
        N(add_to_all)(h, all, bad);
        if (z) N(add_to_all)(z, all, bad);
    }
}

/* ---- eigenvalues and eigenvectors */

static inline bool N(is_pair)(const T *h, int64_t n, int64_t i)
{
    return i + 1 < n && h[(i + 1) * n + i] != 0;
}

/* (h[i][i] - w) y = s; equal eigenvalues count as apart by a rounding error. */
static void N(one_row)(const T *at, T re, T im, T least, const T s[2], T y[2])
{
    T gap = at[0] - re;
    if (im == 0) {
        y[0] = s[0] / (N(abs)(gap) > least ? gap : least);
        y[1] = 0;
    } else if (N(abs)(gap) + N(abs)(im) > least) N(divide)(s[0], s[1], gap, -im, &y[0], &y[1]);
    else y[0] = s[0] / least, y[1] = s[1] / least;
}

/* The same of two rows, by Cramer's rule. */
static void N(two_rows)(const T *at, int64_t n, T re, T im, T least, const T s[2], const T t[2], T y[2],
                        T x[2])
{
    T a = at[0] - re, b = at[1], c = at[n], d = at[n + 1] - re, /* the imaginary parts of a and d are -im */
        det = a * d - im * im - b * c, det_im = -im * (a + d),
      size = N(abs)(a) + N(abs)(b) + N(abs)(c) + N(abs)(d) + N(abs)(im);
    if (!(N(abs)(det) + N(abs)(det_im) > least * size)) det = least * size, det_im = 0;
    N(divide)(d * s[0] + im * s[1] - b * t[0], d * s[1] - im * s[0] - b * t[1], det, det_im, &y[0], &y[1]);
    N(divide)(a * t[0] + im * t[1] - c * s[0], a * t[1] - im * t[0] - c * s[1], det, det_im, &x[0], &x[1]);
}

/* Minus row i from `first` to `last`, times y. */
static void N(row_sum)(const T *h, int64_t n, int64_t i, int64_t first, int64_t last, const T *y,
                       bool complex, T s[2])
{
    s[0] = s[1] = 0;
    for (int64_t j = first; j <= last; j++) s[0] -= h[i * n + j] * y[2 * j];
    for (int64_t j = first; complex && j <= last; j++) s[1] -= h[i * n + j] * y[2 * j + 1];
}

/* y [n] pairs, with h y = w y, w the eigenvalue at row k, im its imaginary part. */
static void N(substitute)(const T *h, int64_t n, int64_t k, T im, T least, T *y)
{
    const T high = sizeof(T) == 4 ? (T)1e10 : (T)1e100, *at = h + k * n + k;
    int64_t last = im == 0 ? k : k + 1;
    T re = at[0];
    memset(y, 0, (size_t)(2 * n) * sizeof *y);
    y[2 * k] = 1;
    if (im != 0 && N(abs)(at[1]) >= N(abs)(at[n])) y[2 * k + 3] = im / at[1];
    else if (im != 0) y[2 * k] = 0, y[2 * k + 1] = im / at[n], y[2 * k + 2] = 1;
    for (int64_t i = k - 1; i >= 0; i--) {
        T s[2], t[2], size = 0;
        bool pair = i > 0 && N(is_pair)(h, n, i - 1);
        N(row_sum)(h, n, i, i + 1, last, y, im != 0, s);
        if (pair) {
            N(row_sum)(h, n, i - 1, i + 1, last, y, im != 0, t);
            i--;
            N(two_rows)(h + i * n + i, n, re, im, least, t, s, y + 2 * i, y + 2 * i + 2);
        } else N(one_row)(h + i * n + i, re, im, least, s, y + 2 * i);
        for (int64_t j = 2 * i; j < 2 * i + (pair ? 4 : 2); j++) size = N(larger)(size, N(abs)(y[j]));
        for (int64_t j = 2 * i; size > high && j <= 2 * last + 1; j++) y[j] /= size;
    }
}

/* Vector k of v, whose number j stands at v[k across + j along], as complex numbers in column k of `to`; of a
 * pair the second part is vector k + 1, and column k + 1 conjugate. Of length 1, the largest number real and
 * positive. */
static void N(put_vector)(const T *v, int64_t across, int64_t along, bool pair, int64_t n, T *to)
{
    T largest = 0, sum = 0, most = 0, at_re = 1, at_im = 0;
    for (int64_t j = 0; j < n; j++) {
        largest = N(larger)(largest, N(abs)(v[j * along]));
        if (pair) largest = N(larger)(largest, N(abs)(v[j * along + across]));
    }
    if (!(largest > 0)) largest = 1;
    for (int64_t j = 0; j < n; j++) {
        T re = v[j * along] / largest, im = pair ? v[j * along + across] / largest : 0,
          square = re * re + im * im;
        sum += square;
        if (square > most) most = square, at_re = re, at_im = im;
    }
    T by = SQRT(sum), size = N(hypot)(at_re, at_im);
    at_re /= size, at_im /= size;
    for (int64_t j = 0; j < n; j++, to += 2 * n) {
        T re = v[j * along] / largest / by, im = pair ? v[j * along + across] / largest / by : 0;
        to[0] = re * at_re + im * at_im;
        to[1] = pair ? im * at_re - re * at_im : 0;
        if (pair) to[2] = to[0], to[3] = -to[1];
    }
}

static void N(put_vectors)(const T *v, int64_t across, int64_t along, const T *im, int64_t n, T *to)
{
    for (int64_t k = 0; k < n; k++) {
        bool pair = im[k] != 0 && k + 1 < n;
        N(put_vector)(v + k * across, across, along, pair, n, to + 2 * k);
        k += pair;
    }
}

/* re, im [n] of the diagonal */
static void N(eigenvalues)(const T *h, int64_t n, T *re, T *im)
{
    for (int64_t i = 0; i < n; i++) {
        re[i] = h[i * n + i];
        im[i] = 0;
        if (!N(is_pair)(h, n, i)) continue;
        im[i] = SQRT(N(abs)(h[i * n + i + 1])) * SQRT(N(abs)(h[(i + 1) * n + i]));
        im[i + 1] = -im[i];
        re[i + 1] = h[(i + 1) * n + i + 1];
        i++;
    }
}

/* v = z y, of all y as put_vectors has them */
static void N(all_vectors)(const T *h, int64_t n, const T *im, const T *z, T *y, T *v, T *work)
{
    T norm = 0;
    for (int64_t i = 0; i < n * n; i++) norm = N(larger)(norm, N(abs)(h[i]));
    for (int64_t k = 0; k < n; k++) {
        bool pair = im[k] != 0;
        N(substitute)(h, n, k, im[k], norm > 0 ? norm * N(epsilon)() : 1, work);
        for (int64_t j = 0; j < n; j++) {
            y[j * n + k] = work[2 * j];
            if (pair) y[j * n + k + 1] = work[2 * j + 1];
        }
        k += pair;
    }
    memset(v, 0, (size_t)(n * n) * sizeof *v);
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < n; j++) {
            T factor = z[i * n + j];
            for (int64_t k = j > 0 ? j - 1 : 0; k < n; k++) v[i * n + k] += factor * y[j * n + k];
        }
}

/* Exchanges columns k and n - 1 - k, all of them, of numbers of so many parts. */
static void N(flip_columns)(T *a, int64_t n, int parts)
{
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < n / 2; j++)
            for (int p = 0; p < parts; p++) {
                T *x = a + (i * n + j) * parts + p, *y = a + (i * n + n - 1 - j) * parts + p, kept = *x;
                *x = *y;
                *y = kept;
            }
}

/* Over the diagonal from below left to above right: h^T in an order in which it is Schur's form again. */
static void N(flip_form)(T *h, int64_t n)
{
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; i + j < n - 1; j++) {
            T *x = h + i * n + j, *y = h + (n - 1 - j) * n + n - 1 - i, kept = *x;
            *x = *y;
            *y = kept;
        }
}

static void N(eig)(const int64_t *number, const void *const *in, void *const *out, void *scratch)
{
    int64_t n = number[MATRIX_ROWS], all = n * n, vectors = number[MATRIX_ATTR];
    T *h = scratch, *z = h + all, *y = z + all, *v = y + all, *re = v + all, *im = re + n, *work = im + n;
    for (int64_t b = 0; b < number[MATRIX_BATCH]; b++) {
        T bad, *w = (T *)out[0] + 2 * b * n;
        memcpy(h, (const T *)in[0] + b * all, (size_t)all * sizeof *h);
        T scale = N(schur_form)(h, n, vectors ? z : NULL, work, &bad);
        N(eigenvalues)(h, n, re, im);
        for (int64_t i = 0; i < n; i++) {
            w[2 * i] = re[i] * scale + bad;
            w[2 * i + 1] = im[i] * scale + bad;
        }
        for (int i = 1; vectors && i < matrix_results(OP_EIG, &vectors); i++) {
            T *to = (T *)out[i] + 2 * b * all;
            bool left = i > 1 || vectors == EIG_LEFT;
            if (left) { /* u^H h = w u^H: h^T has the conjugate of u; its eigenvalues stand in reverse */
                N(flip_form)(h, n);
                N(flip_columns)(z, n, 1);
                N(eigenvalues)(h, n, re, im);
            }
            N(all_vectors)(h, n, im, z, y, v, work);
            N(put_vectors)(v, 1, n, im, n, to);
            if (left) N(flip_columns)(to, n, 2); /* of a pair the second is conjugate to the first */
            N(add_to_all)(to, 2 * all, bad);
        }
    }
}
