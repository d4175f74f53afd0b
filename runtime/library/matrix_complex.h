/* matrix_complex.h: factorizations of complex matrices, one after the other, written once for parts T and
 * numbers C of two of them. What is said in matrix_lanes.h holds here: no sum is split and nothing is
 * contracted, so that results depend on nothing but the numbers. Products are as one writes them, without a
 * look for inf (-fcx-limited-range); quotients scale first.
 *
 * Needs T, C, N(name), SQRT(x). */

static inline T N(abs)(T x) { return x < 0 ? -x : x; }
static inline T N(larger)(T a, T b) { return b > a ? b : a; }
static inline C N(conj)(C z)
{
    C r = z;
    ((T *)&r)[1] = -((T *)&r)[1];
    return r;
}
static inline C N(pair)(T re, T im)
{
    C r;
    ((T *)&r)[0] = re;
    ((T *)&r)[1] = im;
    return r;
}
static inline T N(re)(C z) { return ((const T *)&z)[0]; }
static inline T N(im)(C z) { return ((const T *)&z)[1]; }
static inline T N(size1)(C z) { return N(abs)(N(re)(z)) + N(abs)(N(im)(z)); }
static inline T N(square)(C z) { return N(re)(z) * N(re)(z) + N(im)(z) * N(im)(z); }

/* sqrt(a^2 + b^2) without overflow on the way; 0 and NaN stay. */
static inline T N(hypot)(T a, T b)
{
    T large = N(larger)(N(abs)(a), N(abs)(b)), by = large > 0 ? large : 1;
    return by * SQRT((a / by) * (a / by) + (b / by) * (b / by)) + (a - a) + (b - b);
}
static inline T N(size)(C z) { return N(hypot)(N(re)(z), N(im)(z)); }
/* z over its size, which is not 0 */
static inline C N(phase)(C z)
{
    z *= MATRIX_LIFT(T, N(size1)(z));
    T size = N(size)(z);
    return N(pair)(N(re)(z) / size, N(im)(z) / size);
}

/* a / b by Smith's rule: the smaller part of b over the larger one. */
static inline C N(over)(C a, C b)
{
    T x = N(re)(b), y = N(im)(b);
    if (N(abs)(x) >= N(abs)(y)) {
        T ratio = y / x, by = x + y * ratio;
        return N(pair)((N(re)(a) + N(im)(a) * ratio) / by, (N(im)(a) - N(re)(a) * ratio) / by);
    }
    T ratio = x / y, by = x * ratio + y;
    return N(pair)((N(re)(a) * ratio + N(im)(a)) / by, (N(im)(a) * ratio - N(re)(a)) / by);
}

/* [rows, columns] turned over, or its adjoint */
static void N(turn)(const C *a, int64_t rows, int64_t columns, bool adjoint, C *to)
{
    for (int64_t i = 0; i < rows; i++)
        for (int64_t j = 0; j < columns; j++)
            to[j * rows + i] = adjoint ? N(conj)(a[i * columns + j]) : a[i * columns + j];
}

static void N(identity)(C *a, int64_t n)
{
    memset(a, 0, (size_t)(n * n) * sizeof *a);
    for (int64_t i = 0; i < n; i++) a[i * n + i] = 1;
}

/* Of the parts of n numbers. */
static T N(largest)(const C *a, int64_t n)
{
    T largest = 0;
    for (int64_t i = 0; i < 2 * n; i++) largest = N(larger)(largest, N(abs)(((const T *)a)[i]));
    return largest;
}

/* What to divide by so that no square overflows, and none of numbers down to MATRIX_NOTHING times the largest
 * vanishes; *bad: NaN where a number is not finite, else 0. What is to be NaN is computed as 0 and has *bad
 * added: the sign of a NaN that went through sums depends on how the compiler ordered them. */
static T N(scale_of)(const C *a, int64_t n, T *bad)
{
    const T high = sizeof(T) == 4 ? (T)1e15 : (T)1e140, low = sizeof(T) == 4 ? (T)1e-5 : (T)1e-15;
    T largest = N(largest)(a, n), sum = 0;
    for (int64_t i = 0; i < 2 * n; i++) sum += ((const T *)a)[i] - ((const T *)a)[i];
    *bad = sum == 0 ? 0 : (T)NAN;
    if (sum != 0) return 1;
    return largest > high || (largest < low && largest > 0) ? largest : 1;
}

static void N(scale)(C *a, int64_t n, T by)
{
    for (int64_t i = 0; i < 2 * n; i++) ((T *)a)[i] /= by;
}

static void N(add_to_all)(C *a, int64_t n, T x)
{
    for (int64_t i = 0; x != 0 && i < 2 * n; i++) ((T *)a)[i] += x;
}

/* x = c x - s y,  y = s x + c y */
static void N(rotate)(C *x, C *y, int64_t n, T c, T s)
{
    for (int64_t i = 0; i < n; i++) {
        C a = x[i], b = y[i];
        x[i] = c * a - s * b;
        y[i] = s * a + c * b;
    }
}

static void N(multiply)(C *x, int64_t n, C by)
{
    for (int64_t i = 0; i < n; i++) x[i] *= by;
}

/* Rows by key, ascending or descending, NaN anywhere; stable. */
static void N(order_rows)(const T *key, int64_t n, bool down, const C *from, int64_t length, T *sorted, C *to)
{
    for (int64_t i = 0; i < n; i++) {
        int64_t place = 0;
        for (int64_t j = 0; j < n; j++) {
            bool before = down ? key[j] > key[i] : key[j] < key[i];
            place += before || (!(down ? key[j] < key[i] : key[j] > key[i]) && j < i);
        }
        sorted[place] = key[i];
        memcpy(to + place * length, from + i * length, (size_t)length * sizeof *to);
    }
}

/* ---- cholesky ---- */

/* The lower triangle becomes the factor; false: there is none. */
static bool N(factor)(C *a, int64_t n)
{
    for (int64_t j = 0; j < n; j++) {
        C *column = a + j * n;
        T pivot = N(re)(column[j]);
        for (int64_t k = 0; k < j; k++) pivot -= N(square)(column[k]);
        if (!(pivot > 0)) return false;
        pivot = SQRT(pivot);
        column[j] = pivot;
        for (int64_t i = j + 1; i < n; i++) {
            C *row = a + i * n, sum = row[j];
            for (int64_t k = 0; k < j; k++) sum -= row[k] * N(conj)(column[k]);
            row[j] = N(pair)(N(re)(sum) / pivot, N(im)(sum) / pivot);
        }
    }
    return true;
}

static void N(cholesky)(const int64_t *number, const void *const *in, void *const *out, void *scratch)
{
    int64_t n = number[MATRIX_ROWS];
    bool lower = number[MATRIX_ATTR];
    C *l = scratch;
    for (int64_t b = 0; b < number[MATRIX_BATCH]; b++) {
        const C *from = (const C *)in[0] + b * n * n;
        C *to = (C *)out[0] + b * n * n;
        if (lower) memcpy(l, from, (size_t)(n * n) * sizeof *l);
        else N(turn)(from, n, n, true, l);
        bool whole = N(factor)(l, n);
        for (int64_t i = 0; i < n; i++)
            for (int64_t j = 0; j < n; j++) {
                bool inside = lower ? j <= i : j >= i;
                to[i * n + j] = !inside  ? 0
                                : !whole ? N(pair)((T)NAN, (T)NAN)
                                : lower  ? l[i * n + j]
                                         : N(conj)(l[j * n + i]);
            }
    }
}

/* ---- triangular solves ---- */

static void N(solve)(const int64_t *number, const void *const *in, void *const *out, void *scratch)
{
    (void)scratch;
    bool left = number[MATRIX_ATTR], lower = number[MATRIX_ATTR + 1], unit = number[MATRIX_ATTR + 2],
         turned = (number[MATRIX_ATTR + 3] != 0) == left, conj = number[MATRIX_ATTR + 3] == 2,
         backwards = lower == turned;
    int64_t n = number[MATRIX_ROWS], right = number[MATRIX_OTHER], row = turned ? 1 : n,
            column = turned ? n : 1, b_row = left ? right : 1, b_column = left ? 1 : n;
    memcpy(out[0], in[1], (size_t)(number[MATRIX_BATCH] * n * right) * sizeof(C));
    for (int64_t m = 0; m < number[MATRIX_BATCH]; m++) {
        const C *a = (const C *)in[0] + m * n * n;
        C *b = (C *)out[0] + m * n * right;
        for (int64_t step = 0; step < n; step++) {
            int64_t i = backwards ? n - 1 - step : step, first = backwards ? i + 1 : 0;
            C *x = b + i * b_row, pivot = a[i * row + i * column];
            for (int64_t k = first; k < first + step; k++) {
                C factor = a[i * row + k * column];
                if (conj) factor = N(conj)(factor);
                for (int64_t c = 0; c < right; c++) x[c * b_column] -= factor * b[k * b_row + c * b_column];
            }
            if (conj) pivot = N(conj)(pivot);
            for (int64_t c = 0; !unit && c < right; c++) x[c * b_column] = N(over)(x[c * b_column], pivot);
        }
    }
}

/* ---- lu ---- */

static int64_t N(largest_below)(const C *a, int64_t k, int64_t m, int64_t n)
{
    T most = 0;
    int64_t at = k;
    for (int64_t i = k; i < m; i++) {
        T x = N(size1)(a[i * n + k]);
        if (x > most) most = x, at = i;
    }
    return at;
}

static void N(lu_in_place)(C *a, int64_t m, int64_t n, int32_t *pivots)
{
    for (int64_t k = 0; k < m && k < n; k++) {
        int64_t at = N(largest_below)(a, k, m, n);
        pivots[k] = (int32_t)at;
        for (int64_t j = 0; at != k && j < n; j++) {
            C kept = a[k * n + j];
            a[k * n + j] = a[at * n + j];
            a[at * n + j] = kept;
        }
        C pivot = a[k * n + k];
        if (pivot == 0) pivot = 1;
        for (int64_t i = k + 1; i < m; i++) {
            C factor = a[i * n + k] = N(over)(a[i * n + k], pivot);
            for (int64_t j = k + 1; j < n; j++) a[i * n + j] -= factor * a[k * n + j];
        }
    }
}

static void N(lu)(const int64_t *number, const void *const *in, void *const *out, void *scratch)
{
    (void)scratch;
    int64_t m = number[MATRIX_ROWS], n = number[MATRIX_COLUMNS], k = m < n ? m : n;
    memcpy(out[0], in[0], (size_t)(number[MATRIX_BATCH] * m * n) * sizeof(C));
    for (int64_t b = 0; b < number[MATRIX_BATCH]; b++) {
        int32_t *pivot = (int32_t *)out[1] + b * k, *order = (int32_t *)out[2] + b * m;
        N(lu_in_place)((C *)out[0] + b * m * n, m, n, pivot);
        for (int64_t i = 0; i < m; i++) order[i] = (int32_t)i;
        for (int64_t i = 0; i < k; i++) {
            int32_t kept = order[i];
            order[i] = order[pivot[i]];
            order[pivot[i]] = kept;
        }
    }
}

/* ---- qr ---- */

/* The reflection H = I - tau v v^H, of which H^H takes column x[0 .. n-1], `step` apart, to (beta, 0 ..),
 * beta real: v is (1, x[1] ..) then, and beta in x[0]. Returns tau: 0 where there is nothing to do. */
static C N(reflection)(C *x, int64_t n, int64_t step)
{
    C alpha = x[0];
    T largest = 0, sum = 0;
    for (int64_t i = 1; i < n; i++)
        largest = N(larger)(largest, N(larger)(N(abs)(N(re)(x[i * step])), N(abs)(N(im)(x[i * step]))));
    T by = largest > 0 ? largest : 1;
    for (int64_t i = 1; i < n; i++)
        sum += N(square)(N(pair)(N(re)(x[i * step]) / by, N(im)(x[i * step]) / by));
    T norm = by * SQRT(sum);
    if (norm == 0 && N(im)(alpha) == 0) return 0;
    T lift = MATRIX_LIFT(T, N(larger)(largest, N(largest)(&alpha, 1)));
    alpha *= lift;
    T beta = N(hypot)(N(size)(alpha), by * lift * SQRT(sum));
    if (N(re)(alpha) >= 0) beta = -beta;
    for (int64_t i = 1; i < n; i++) x[i * step] = N(over)(x[i * step] * lift, alpha - beta);
    x[0] = beta / lift;
    return N(pair)((beta - N(re)(alpha)) / beta, -N(im)(alpha) / beta);
}

/* Rows of `a` from the left by I - tau v v^H: v is (1, v[step], ..), rows[0 .. n-1] of so many columns lie
 * `apart`. w: scratch of a row. */
static void N(reflect)(const C *v, int64_t step, C tau, C *a, int64_t n, int64_t columns, int64_t apart, C *w)
{
    for (int64_t j = 0; j < columns; j++) w[j] = a[j];
    for (int64_t i = 1; i < n; i++) {
        C x = N(conj)(v[i * step]);
        for (int64_t j = 0; j < columns; j++) w[j] += x * a[i * apart + j];
    }
    for (int64_t j = 0; j < columns; j++) {
        w[j] *= tau;
        a[j] -= w[j];
    }
    for (int64_t i = 1; i < n; i++)
        for (int64_t j = 0; j < columns; j++) a[i * apart + j] -= v[i * step] * w[j];
}

static void N(reflections)(C *a, int64_t m, int64_t n, C *tau, C *w)
{
    for (int64_t k = 0; k < m && k < n; k++) {
        C *x = a + k * n + k;
        tau[k] = N(reflection)(x, m - k, n);
        N(reflect)(x, n, N(conj)(tau[k]), x + 1, m - k, n - k - 1, n, w);
    }
}

/* q [m, columns], the first columns of the product of k reflections; w [columns]. */
static void N(product)(const C *a, int64_t m, int64_t n, const C *tau, int64_t k, C *q, int64_t columns, C *w)
{
    memset(q, 0, (size_t)(m * columns) * sizeof *q);
    for (int64_t i = 0; i < m && i < columns; i++) q[i * columns + i] = 1;
    while (k-- > 0)
        if (k < columns)
            N(reflect)(a + k * n + k, n, tau[k], q + k * columns + k, m - k, columns - k, columns, w);
}

static void N(geqrf)(const int64_t *number, const void *const *in, void *const *out, void *scratch)
{
    int64_t m = number[MATRIX_ROWS], n = number[MATRIX_COLUMNS], k = m < n ? m : n;
    memcpy(out[0], in[0], (size_t)(number[MATRIX_BATCH] * m * n) * sizeof(C));
    for (int64_t b = 0; b < number[MATRIX_BATCH]; b++)
        N(reflections)((C *)out[0] + b * m * n, m, n, (C *)out[1] + b * k, scratch);
}

static void N(ungqr)(const int64_t *number, const void *const *in, void *const *out, void *scratch)
{
    int64_t m = number[MATRIX_ROWS], n = number[MATRIX_COLUMNS], k = number[MATRIX_OTHER];
    for (int64_t b = 0; b < number[MATRIX_BATCH]; b++)
        N(product)((const C *)in[0] + b * m * n, m, n, (const C *)in[1] + b * k, k, (C *)out[0] + b * m * n,
                   n, scratch);
}

static void N(qr)(const int64_t *number, const void *const *in, void *const *out, void *scratch)
{
    int64_t m = number[MATRIX_ROWS], n = number[MATRIX_COLUMNS], k = m < n ? m : n,
            columns = number[MATRIX_ATTR] ? m : k;
    C *a = scratch, *tau = a + m * n, *w = tau + k;
    for (int64_t b = 0; b < number[MATRIX_BATCH]; b++) {
        C *r = (C *)out[1] + b * columns * n;
        memcpy(a, (const C *)in[0] + b * m * n, (size_t)(m * n) * sizeof *a);
        N(reflections)(a, m, n, tau, w);
        N(product)(a, m, n, tau, k, (C *)out[0] + b * m * columns, columns, w);
        for (int64_t i = 0; i < columns; i++)
            for (int64_t j = 0; j < n; j++) r[i * n + j] = j < i ? 0 : a[i * n + j];
    }
}

/* ---- eigh, svd: Jacobi's rotations ---- */

enum { N(SWEEPS) = 40 };

/* The rotation that makes a real off-diagonal element 0, between diagonal ones p and q. */
static void N(rotation)(T p, T q, T off, T *c, T *s, T *t)
{
    T theta = (q - p) / (2 * off), root = SQRT(theta * theta + 1), tangent = 1 / (N(abs)(theta) + root);
    *t = theta < 0 ? -tangent : tangent;
    *c = 1 / SQRT(*t * *t + 1);
    *s = *t * *c;
}

/* a, Hermitian, becomes diagonal; the rows of v its vectors. A row is first turned in the plane, so that the
 * element between the two is real. */
static void N(jacobi)(C *a, int64_t n, C *v)
{
    const T eps = sizeof(T) == 4 ? FLT_EPSILON : (T)DBL_EPSILON;
    N(identity)(v, n);
    for (int sweep = 0; sweep < N(SWEEPS); sweep++) {
        T off = 0, all = 0;
        for (int64_t p = 0; p < n; p++) {
            all += N(square)(a[p * n + p]);
            for (int64_t q = p + 1; q < n; q++) off += N(square)(a[p * n + q]);
        }
        if (!(off > (all + off) * (eps * eps * (T)0.0001))) return;
        for (int64_t p = 0; p < n; p++)
            for (int64_t q = p + 1; q < n; q++) {
                C *ap = a + p * n, *aq = a + q * n, pq = ap[q];
                T size = N(size)(pq), c, s, t;
                if (!(size > 0)) continue;
                C phase = N(phase)(pq);
                N(rotation)(N(re)(ap[p]), N(re)(aq[q]), size, &c, &s, &t);
                T pp = N(re)(ap[p]) - t * size, qq = N(re)(aq[q]) + t * size;
                N(multiply)(aq, n, phase);
                N(rotate)(ap, aq, n, c, s);
                ap[p] = pp;
                aq[q] = qq;
                ap[q] = aq[p] = 0;
                for (int64_t r = 0; r < n; r++)
                    if (r != p && r != q) a[r * n + p] = N(conj)(ap[r]), a[r * n + q] = N(conj)(aq[r]);
                N(multiply)(v + q * n, n, N(conj)(phase));
                N(rotate)(v + p * n, v + q * n, n, c, s);
            }
    }
}

static void N(eigh)(const int64_t *number, const void *const *in, void *const *out, void *scratch)
{
    int64_t n = number[MATRIX_ROWS];
    bool lower = number[MATRIX_ATTR];
    C *a = scratch, *v = a + n * n, *sorted = v + n * n;
    T *w = (T *)(sorted + n * n), bad;
    for (int64_t b = 0; b < number[MATRIX_BATCH]; b++) {
        const C *from = (const C *)in[0] + b * n * n;
        C *to = (C *)out[0] + b * n * n;
        for (int64_t i = 0; i < n; i++)
            for (int64_t j = 0; j <= i; j++) {
                C x = lower ? from[i * n + j] : N(conj)(from[j * n + i]);
                if (i == j) x = N(re)(x);
                a[i * n + j] = x;
                a[j * n + i] = N(conj)(x);
            }
        T scale = N(scale_of)(a, n * n, &bad);
        if (bad != 0) memset(a, 0, (size_t)(n * n) * sizeof *a);
        N(scale)(a, n * n, scale);
        if (bad == 0) N(jacobi)(a, n, v);
        else N(identity)(v, n);
        for (int64_t i = 0; i < n; i++) w[i] = N(re)(a[i * n + i]) * scale + bad;
        N(order_rows)(w, n, false, v, n, (T *)out[1] + b * n, sorted);
        N(turn)(sorted, n, n, false, to);
        N(add_to_all)(to, n * n, bad);
    }
}

/* ---- eig: Hessenberg's form, QR steps with a shift, back substitution ---- */

enum { N(STEPS) = 60 }; /* for one eigenvalue, at most */

/* Rows of `a`, n numbers each, times I - tau v v^H from the right: v is (1, v[step], ..). */
static void N(reflect_right)(const C *v, int64_t step, C tau, C *a, int64_t rows, int64_t n, int64_t apart)
{
    for (int64_t r = 0; r < rows; r++) {
        C *x = a + r * apart, sum = x[0];
        for (int64_t j = 1; j < n; j++) sum += x[j] * v[j * step];
        sum *= tau;
        x[0] -= sum;
        for (int64_t j = 1; j < n; j++) x[j] -= sum * N(conj)(v[j * step]);
    }
}

/* a becomes h = q^H a q and, below the diagonal under the main one, the reflections whose product is q; w:
 * scratch of a row. */
static void N(hessenberg)(C *a, int64_t n, C *tau, C *w)
{
    for (int64_t k = 0; k + 1 < n; k++) {
        C *x = a + (k + 1) * n + k, of_left;
        tau[k] = N(reflection)(x, n - k - 1, n);
        of_left = N(conj)(tau[k]);
        N(reflect)(x, n, of_left, x + 1, n - k - 1, n - k - 1, n, w);
        N(reflect_right)(x, n, tau[k], a + k + 1, n, n - k - 1, n);
    }
}

/* q [n, n] of these reflections; or NULL. They are 0 then. */
static void N(take_q)(C *a, int64_t n, const C *tau, C *q, C *w)
{
    if (q) N(identity)(q, n);
    for (int64_t k = n - 2; k >= 0; k--) {
        C *x = a + (k + 1) * n + k;
        if (q) N(reflect)(x, n, tau[k], q + (k + 1) * n + k + 1, n - k - 1, n - k - 1, n, w);
        for (int64_t i = 1; i < n - k - 1; i++) x[i * n] = 0;
    }
}

static void N(gehrd)(const int64_t *number, const void *const *in, void *const *out, void *scratch)
{
    int64_t n = number[MATRIX_ROWS], last = n > 0 ? n - 1 : 0;
    memcpy(out[0], in[0], (size_t)(number[MATRIX_BATCH] * n * n) * sizeof(C));
    for (int64_t b = 0; b < number[MATRIX_BATCH]; b++)
        N(hessenberg)((C *)out[0] + b * n * n, n, (C *)out[1] + b * last, scratch);
}

static C N(root)(C z)
{
    T size = N(size)(z), half = SQRT((size + N(abs)(N(re)(z))) / 2);
    if (!(half > 0)) return z;
    T other = N(im)(z) / (2 * half);
    if (N(re)(z) >= 0) return N(pair)(half, other);
    return N(im)(z) < 0 ? N(pair)(-other, -half) : N(pair)(other, half);
}

/* Wilkinson's: the eigenvalue of the last 2 x 2 elements that is nearer to the last one; of two as near,
 * LAPACK's. */
static C N(shift)(const C *last, int64_t n)
{
    C a = last[-n - 1], d = last[0], bc = last[-n] * last[-1], half = (a - d) / 2,
      root = N(root)(half * half + bc), plus = half + root, minus = half - root,
      by = N(square)(plus) >= N(square)(minus) ? plus : minus;
    return by == 0 ? d : d - N(over)(bc, by);
}

/* Columns x, y become c x + s' y and c y - s x, where s' is conjugate. */
static void N(rotate_columns)(C *x, int64_t rows, int64_t n, T c, C s)
{
    C other = N(conj)(s);
    for (int64_t r = 0; r < rows; r++, x += n) {
        C a = x[0], b = x[1];
        x[0] = c * a + other * b;
        x[1] = c * b - s * a;
    }
}

/* One step on rows and columns from .. to of h; z goes along. */
static void N(qr_step)(C *h, int64_t n, int64_t from, int64_t to, C shift, C *z)
{
    C x = h[from * n + from] - shift, y = h[(from + 1) * n + from];
    for (int64_t k = from; k < to; k++) {
        C *row = h + k * n, *next = row + n;
        T lift = MATRIX_LIFT(T, N(size1)(x) + N(size1)(y));
        x *= lift;
        y *= lift;
        T size = N(size)(x), norm = N(hypot)(size, N(size)(y)), c = norm > 0 ? size / norm : 1;
        C phase = size > 0 ? N(phase)(x) : 1,
          s = norm > 0 ? phase * N(pair)(N(re)(y) / norm, -N(im)(y) / norm) : 0, other = N(conj)(s);
        for (int64_t j = k > from ? k - 1 : k; j < n; j++) {
            C a = row[j], b = next[j];
            row[j] = c * a + s * b;
            next[j] = c * b - other * a;
        }
        if (k > from) next[k - 1] = 0;
        N(rotate_columns)(h + k, (k + 2 < to ? k + 2 : to) + 1, n, c, s);
        if (z) N(rotate_columns)(z + k, n, n, c, s);
        x = next[k];
        y = k + 2 <= to ? next[n + k] : 0;
    }
}

/* h becomes upper triangular, with the eigenvalues on its diagonal; z: what turns along, or NULL. False: it
 * took too long. */
static bool N(triangular)(C *h, int64_t n, C *z)
{
    const T eps = sizeof(T) == 4 ? FLT_EPSILON : (T)DBL_EPSILON;
    T norm = 0;
    for (int64_t i = 0; i < n * n; i++) norm = N(larger)(norm, N(size1)(h[i]));
    int steps = 0;
    for (int64_t to = n - 1; to > 0;) {
        int64_t from = to;
        for (; from > 0; from--) {
            C *x = h + from * n + from;
            T near = N(size1)(x[0]) + N(size1)(x[-n - 1]), low = N(size1)(x[-1]),
              none = norm * MATRIX_SPLITS(T);
            if (low > N(larger)(eps * (near > 0 ? near : norm), none)) continue;
            if (!matrix_may_split(low, N(size1)(x[-n]), N(size1)(x[0]), N(size1)(x[-n - 1] - x[0]), eps,
                                  none))
                continue;
            x[-1] = 0;
            break;
        }
        if (from == to) {
            to--;
            steps = 0;
            continue;
        }
        if (++steps > N(STEPS)) return false;
        C *last = h + to * n + to, shift = N(shift)(last, n);
        if (steps % 10 == 0)
            shift = last[0] + N(size1)(last[-1]); /* another one, where steps go in a circle */
        N(qr_step)(h, n, from, to, shift, z);
    }
    return true;
}

/* Of a in h; z: its vectors, or NULL; work: two rows. Returns what to multiply by. */
static T N(schur_form)(C *h, int64_t n, C *z, C *work, T *bad)
{
    T scale = N(scale_of)(h, n * n, bad);
    if (*bad != 0) memset(h, 0, (size_t)(n * n) * sizeof *h);
    N(scale)(h, n * n, scale);
    N(hessenberg)(h, n, work, work + n);
    N(take_q)(h, n, work, z, work + n);
    if (!N(triangular)(h, n, z)) *bad = (T)NAN;
    return scale;
}

static void N(schur)(const int64_t *number, const void *const *in, void *const *out, void *scratch)
{
    int64_t n = number[MATRIX_ROWS], all = n * n;
    bool vectors = number[MATRIX_ATTR];
    memcpy(out[0], in[0], (size_t)(number[MATRIX_BATCH] * all) * sizeof(C));
    for (int64_t b = 0; b < number[MATRIX_BATCH]; b++) {
        C *h = (C *)out[0] + b * all, *z = vectors ? (C *)out[1] + b * all : NULL;
        T bad, scale = N(schur_form)(h, n, z, scratch, &bad);
        for (int64_t i = 0; i < 2 * all; i++) ((T *)h)[i] *= scale;
        N(add_to_all)(h, all, bad);
        if (z) N(add_to_all)(z, all, bad);
    }
}

/* y [k + 1] with h y = h[k][k] y. Equal eigenvalues count as apart by a rounding error. */
static void N(substitute)(const C *h, int64_t n, int64_t k, T least, C *y)
{
    const T high = sizeof(T) == 4 ? (T)1e10 : (T)1e100;
    y[k] = 1;
    for (int64_t i = k - 1; i >= 0; i--) {
        C sum = 0, gap = h[k * n + k] - h[i * n + i];
        for (int64_t j = i + 1; j <= k; j++) sum += h[i * n + j] * y[j];
        y[i] = N(over)(sum, N(size1)(gap) > least ? gap : least);
        T size = N(size1)(y[i]);
        if (size > high) N(scale)(y + i, k - i + 1, size);
    }
}

/* Of length 1, its largest number real and positive: LAPACK's choice. */
static void N(normalize)(C *x, int64_t n)
{
    T largest = 0, sum = 0;
    C at = 1;
    for (int64_t i = 0; i < n; i++)
        if (N(size1)(x[i]) > largest) largest = N(size1)(x[i]);
    N(scale)(x, n, largest > 0 ? largest : 1);
    largest = 0;
    for (int64_t i = 0; i < n; i++) {
        T square = N(square)(x[i]);
        sum += square;
        if (square > largest) largest = square, at = x[i];
    }
    T by = SQRT(sum) * N(size)(at);
    N(multiply)(x, n, N(pair)(N(re)(at) / by, -N(im)(at) / by));
}

/* v = z y, of all y with h y = w y, in reverse if `left`. x, y: scratch of a vector each. */
static void N(all_vectors)(const C *h, int64_t n, const C *z, bool left, C *x, C *y, C *v)
{
    const T eps = sizeof(T) == 4 ? FLT_EPSILON : (T)DBL_EPSILON;
    T norm = 0;
    for (int64_t i = 0; i < n * n; i++) norm = N(larger)(norm, N(size1)(h[i]));
    for (int64_t k = 0; k < n; k++) {
        N(substitute)(h, n, k, norm > 0 ? norm * eps : 1, y);
        for (int64_t i = 0; i < n; i++) {
            x[i] = 0;
            for (int64_t j = 0; j <= k; j++) x[i] += z[i * n + (left ? n - 1 - j : j)] * y[j];
        }
        N(normalize)(x, n);
        for (int64_t i = 0; i < n; i++) v[i * n + (left ? n - 1 - k : k)] = x[i];
    }
}

/* Over the diagonal from below left to above right: h^H in an order in which it is upper triangular again. */
static void N(flip_form)(C *h, int64_t n)
{
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; i + j < n; j++) {
            C *x = h + i * n + j, *y = h + (n - 1 - j) * n + n - 1 - i, kept = *x;
            *x = N(conj)(*y);
            *y = N(conj)(kept);
        }
}

static void N(eig)(const int64_t *number, const void *const *in, void *const *out, void *scratch)
{
    int64_t n = number[MATRIX_ROWS], vectors = number[MATRIX_ATTR];
    C *h = scratch, *z = h + n * n, *y = z + n * n, *x = y + n;
    for (int64_t b = 0; b < number[MATRIX_BATCH]; b++) {
        T bad;
        memcpy(h, (const C *)in[0] + b * n * n, (size_t)(n * n) * sizeof *h);
        T scale = N(schur_form)(h, n, vectors ? z : NULL, y, &bad);
        C *w = (C *)out[0] + b * n;
        for (int64_t i = 0; i < n; i++) {
            T re = N(re)(h[i * n + i]), im = N(im)(h[i * n + i]);
            w[i] = N(pair)(re * scale + bad, im * scale + bad);
        }
        for (int i = 1; vectors && i < matrix_results(OP_EIG, &vectors); i++) {
            C *v = (C *)out[i] + b * n * n;
            bool left = i > 1 || vectors == EIG_LEFT;
            if (left) N(flip_form)(h, n);
            N(all_vectors)(h, n, z, left, x, y, v);
            N(add_to_all)(v, n * n, bad);
        }
    }
}

/* Rotations of pairs of rows, until all rows of w, r of them, are orthogonal; the rows of z, at first those
 * of I, go along. Rows no longer than `least` stay as they are. */
static void N(orthogonal_rows)(C *w, int64_t r, int64_t length, T least, C *z)
{
    const T eps = sizeof(T) == 4 ? FLT_EPSILON : (T)DBL_EPSILON,
            limit = eps * (4 + (length > 64 ? (T)(length / 16) : 0));
    bool more = true;
    N(identity)(z, r);
    for (int sweep = 0; more && sweep < N(SWEEPS); sweep++) {
        more = false;
        for (int64_t p = 0; p < r; p++)
            for (int64_t q = p + 1; q < r; q++) {
                C *x = w + p * length, *y = w + q * length, xy = 0;
                T xx = 0, yy = 0, c, s, t;
                for (int64_t i = 0; i < length; i++) {
                    xx += N(square)(x[i]);
                    yy += N(square)(y[i]);
                    xy += x[i] * N(conj)(y[i]);
                }
                T size = N(size)(xy), x_length = SQRT(xx), y_length = SQRT(yy);
                if (!(size > limit * x_length * y_length && x_length > least && y_length > least)) continue;
                C phase = N(phase)(xy);
                more = true;
                N(rotation)(xx, yy, size, &c, &s, &t);
                N(multiply)(y, length, phase);
                N(multiply)(z + q * r, r, phase);
                N(rotate)(x, y, length, c, s);
                N(rotate)(z + p * r, z + q * r, r, c, s);
            }
    }
}

/* The rows of y [r, length], of length s, over s; where s is no more than `least`, and for the rows behind
 * them up to n, rows that make them a basis. */
static void N(complete)(C *y, int64_t r, int64_t length, const T *s, T least, int64_t n, C *columns, C *tau,
                        C *work, C *q)
{
    for (int64_t i = 0; i < r; i++)
        for (int64_t j = 0; j < length; j++) {
            C *at = y + i * length + j;
            *at = s[i] > least ? N(pair)(N(re)(*at) / s[i], N(im)(*at) / s[i]) : 0;
        }
    N(turn)(y, r, length, false, columns);
    N(reflections)(columns, length, r, tau, work);
    N(product)(columns, length, r, tau, r, q, n, work);
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < length; j++)
            if (i >= r || !(s[i] > least)) y[i * length + j] = q[j * n + i];
}

static void N(svd)(const int64_t *number, const void *const *in, void *const *out, void *scratch)
{
    int64_t m = number[MATRIX_ROWS], n = number[MATRIX_COLUMNS], r = m < n ? m : n, length = m < n ? n : m,
            wanted = number[MATRIX_ATTR] ? length : r;
    C *w = scratch, *z = w + wanted * length, *y = z + r * r, *turned = y + wanted * length,
      *work = turned + wanted * length, *tau = work + length;
    T *s = (T *)(tau + r), *sorted = s + r, bad;
    for (int64_t b = 0; b < number[MATRIX_BATCH]; b++) {
        const C *from = (const C *)in[0] + b * m * n;
        T scale = N(scale_of)(from, m * n, &bad);
        if (bad != 0) memset(w, 0, (size_t)(m * n) * sizeof *w);
        else if (m < n) memcpy(w, from, (size_t)(m * n) * sizeof *w);
        else N(turn)(from, m, n, false, w);
        N(scale)(w, m * n, scale);
        T least = N(largest)(w, m * n) * MATRIX_NOTHING(T);
        if (bad == 0) N(orthogonal_rows)(w, r, length, least, z);
        else N(identity)(z, r);
        for (int64_t i = 0; i < r; i++) {
            T sum = 0;
            for (int64_t j = 0; j < length; j++) sum += N(square)(w[i * length + j]);
            s[i] = SQRT(sum);
        }
        N(order_rows)(s, r, true, w, length, sorted, y);
        N(order_rows)(s, r, true, z, r, sorted, turned);
        memcpy(z, turned, (size_t)(r * r) * sizeof *z);
        for (int64_t i = 0; i < r; i++) ((T *)out[0])[b * r + i] = sorted[i] * scale + bad;
        if (!number[MATRIX_ATTR + 1]) continue;
        N(complete)(y, r, length, sorted, least, wanted, turned, tau, work, w);
        N(add_to_all)(y, wanted * length, bad);
        N(add_to_all)(z, r * r, bad);
        /* a = z^H s y; or, tall, a^T is */
        C *u = (C *)out[1] + b * m * (m < n ? r : wanted), *vt = (C *)out[2] + b * n * (m < n ? wanted : r);
        if (m < n) {
            N(turn)(z, r, r, true, u);
            memcpy(vt, y, (size_t)(wanted * n) * sizeof *vt);
        } else {
            N(turn)(y, wanted, m, false, u);
            for (int64_t i = 0; i < r * r; i++) vt[i] = N(conj)(z[i]);
        }
    }
}
