/* matrix_lanes.h: factorizations, written once for vectors V of LANES numbers T: a matrix is an array of
 * them, row-major, and lane l is element l of LANES matrices side by side. With one lane V is T, and the
 * inner loops, which go along rows, are the compiler's to make vectors of.
 *
 * Each number goes through the same operations in the same order whatever the vector: no sum is split, and
 * nothing is contracted. So results do not depend on the machine, nor on where a matrix stands in its batch,
 * and strict code equals eager mode. A matrix that has no factor must not disturb its neighbours: nothing
 * branches on one lane's numbers.
 *
 * Needs T, I (a signed int of its size), LANES, TARGET (a function attribute), N(name), V_SQRT(v). */

#if LANES == 1
typedef T N(vec);
typedef int N(mask);
#else
typedef T N(vec) __attribute__((vector_size(LANES * sizeof(T))));
typedef I N(mask) __attribute__((vector_size(LANES * sizeof(T))));
#endif
#define V    N(vec)
#define M    N(mask)
#define KERN TARGET static inline
#define EACH TARGET static inline __attribute__((always_inline))

EACH V N(splat)(T x)
{
#if LANES == 1
    return x;
#else
    return x - (V){ 0 };
#endif
}

/* m ? a : b, in each lane */
EACH V N(select)(M m, V a, V b)
{
#if LANES == 1
    return m ? a : b;
#else
    return (V)(((M)a & m) | ((M)b & ~m));
#endif
}

/* Is it so in any lane? */
EACH bool N(any)(M m)
{
#if LANES == 1
    return m;
#else
    I all = 0;
    for (int l = 0; l < LANES; l++) all |= m[l];
    return all != 0;
#endif
}

/* ---- in and out ---- */

#if LANES > 1
/* Lanes of x and y by number, those of y behind those of x. The numbers are constants once this is inlined;
 * clang makes one shuffle of what is put together so, and has none whose numbers are a vector. */
EACH V N(shuffle)(V x, V y, M from)
{
#ifdef __clang__
    V r = x;
    for (int l = 0; l < LANES; l++) r[l] = from[l] < LANES ? x[from[l]] : y[from[l] - LANES];
    return r;
#else
    return __builtin_shuffle(x, y, from);
#endif
}

/* Rows and columns of a square of LANES x LANES change places: in halves, quarters, and so on. */
EACH void N(swap_parts)(V *r, const int d)
{
    M first, second;
    for (int l = 0; l < LANES; l++) {
        first[l] = l & d ? LANES + l - d : l;
        second[l] = l & d ? LANES + l : l + d;
    }
    for (int i = 0; i < LANES; i++) {
        if (i & d) continue;
        V x = r[i], y = r[i + d];
        r[i] = N(shuffle)(x, y, first);
        r[i + d] = N(shuffle)(x, y, second);
    }
}

EACH void N(transpose)(V *r)
{
    N(swap_parts)(r, 1);
    if (LANES > 2) N(swap_parts)(r, 2);
    if (LANES > 4) N(swap_parts)(r, 4);
    if (LANES > 8) N(swap_parts)(r, 8);
}

EACH V N(whole)(const T *from)
{
    V v;
    memcpy(&v, from, sizeof v);
    return v;
}
EACH void N(put_whole)(V v, T *to) { memcpy(to, &v, sizeof v); }

/* Up to LANES elements at `from`, and behind them whatever is there up to `end`. */
EACH V N(piece)(const T *from, const T *end, int64_t n)
{
    V v = { 0 };
    if (end - from >= LANES) return N(whole)(from);
    for (int64_t i = 0; i < n; i++) ((T *)&v)[i] = from[i];
    return v;
}

/* n elements, and behind them anything up to `end`, for that is written later. */
EACH void N(put_piece)(V v, T *to, const T *end, int64_t n)
{
    if (end - to >= LANES) N(put_whole)(v, to);
    else
        for (int64_t i = 0; i < n; i++) to[i] = ((T *)&v)[i];
}

/* LANES matrices of n >= LANES elements; the last vectors of each are made once more in part. Those that
 * follow are prefetched: they are read soon, and from more places than the processor foresees. */
EACH void N(load_whole)(V *to, const T *from, int64_t n)
{
    uintptr_t next = (uintptr_t)(from + LANES * n); /* perhaps where nothing is, which does no harm */
    for (int64_t i = 0; i < n; i += LANES) {
        if (i > n - LANES) i = n - LANES;
        V r[LANES];
        for (int l = 0; l < LANES; l++) {
            r[l] = N(whole)(from + l * n + i);
            __builtin_prefetch((const void *)(next + (uintptr_t)(l * n + i) * sizeof(T)));
        }
        N(transpose)(r);
        for (int l = 0; l < LANES; l++) to[i + l] = r[l];
    }
}
#endif

/* Matrices of n elements each that follow one another, so many of them, side by side. Lanes that have none
 * get the first one's. */
KERN void N(load)(V *to, const T *from, int64_t n, int64_t matrices)
{
#if LANES == 1
    (void)matrices;
    memcpy(to, from, (size_t)n * sizeof(T));
#else
    if (n >= LANES && matrices >= LANES) {
        N(load_whole)(to, from, n);
        return;
    }
    const T *end = from + n * matrices;
    for (int64_t i = 0; i < n; i += LANES) {
        if (n >= LANES && i > n - LANES) i = n - LANES; /* the last once more in part */
        V r[LANES];
        for (int l = 0; l < LANES; l++) r[l] = N(piece)(from + (l < matrices ? l * n : 0) + i, end, n);
        N(transpose)(r);
        for (int l = 0; l < LANES && i + l < n; l++) to[i + l] = r[l];
    }
#endif
}

KERN void N(store)(const V *from, T *to, int64_t n, int64_t matrices)
{
#if LANES == 1
    (void)matrices;
    memcpy(to, from, (size_t)n * sizeof(T));
#else
    int lanes = matrices < LANES ? (int)matrices : LANES;
    const T *end = to + n * lanes;
    for (int64_t i = 0; i < n; i += LANES) {
        if (n >= LANES && i > n - LANES) i = n - LANES;
        V r[LANES];
        for (int l = 0; l < LANES; l++) r[l] = from[i + l < n ? i + l : 0];
        N(transpose)(r);
        if (n >= LANES && lanes == LANES)
            for (int l = 0; l < LANES; l++) N(put_whole)(r[l], to + l * n + i);
        else
            for (int l = 0; l < lanes; l++) N(put_piece)(r[l], to + l * n + i, end, n);
    }
#endif
}

/* The same of square matrices, transposed. */
KERN void N(load_turned)(V *to, const T *from, int64_t n, int64_t matrices)
{
    for (int l = 0; l < LANES; l++) {
        const T *one = l < matrices ? from + l * n * n : from;
        for (int64_t i = 0; i < n; i++)
            for (int64_t j = 0; j < n; j++) ((T *)&to[i * n + j])[l] = one[j * n + i];
    }
}

KERN void N(store_turned)(const V *from, T *to, int64_t n, int64_t matrices)
{
    for (int l = 0; l < LANES && l < matrices; l++)
        for (int64_t i = 0; i < n; i++)
            for (int64_t j = 0; j < n; j++) to[l * n * n + i * n + j] = ((const T *)&from[j * n + i])[l];
}

/* ---- cholesky ---- */

/* Column by column in the lower triangle, which becomes NaN where a pivot is not positive; the other becomes
 * 0. */
KERN void N(cholesky)(V *a, int64_t n)
{
    V whole = N(splat)(0), nan = N(splat)((T)NAN);
    for (int64_t j = 0; j < n; j++) {
        V *column = a + j * n, pivot = column[j];
        for (int64_t k = 0; k < j; k++) pivot -= column[k] * column[k];
        whole = N(select)(pivot > 0, whole, nan);
        pivot = V_SQRT(pivot);
        column[j] = pivot;
        pivot = 1 / pivot;
        for (int64_t i = j + 1; i < n; i++) {
            V *row = a + i * n, sum = row[j];
            for (int64_t k = 0; k < j; k++) sum -= row[k] * column[k];
            row[j] = sum * pivot;
            column[i] = N(splat)(0);
        }
    }
    if (!N(any)(whole != whole)) return;
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j <= i; j++) a[i * n + j] = N(select)(whole == whole, a[i * n + j], nan);
}

#if LANES == 1
/* A large one, by rows of the upper factor: some rows are finished, then taken from all rows below them. */
enum { N(AT_ONCE) = 4 };
KERN void N(take_row)(const T *from, T factor, T *to, int64_t n)
{
    for (int64_t k = 0; k < n; k++) to[k] -= factor * from[k];
}

KERN void N(take_rows)(const T *from, int64_t n, int64_t i, T *to)
{
    const T *r0 = from, *r1 = r0 + n, *r2 = r1 + n, *r3 = r2 + n;
    T f0 = r0[i], f1 = r1[i], f2 = r2[i], f3 = r3[i];
    for (int64_t k = i; k < n; k++) to[k] = to[k] - f0 * r0[k] - f1 * r1[k] - f2 * r2[k] - f3 * r3[k];
}

/* Of the upper triangle of u; false: it has no factor. */
KERN bool N(cholesky_rows)(T *u, int64_t n)
{
    for (int64_t first = 0; first < n; first += N(AT_ONCE)) {
        int64_t end = first + N(AT_ONCE) < n ? first + N(AT_ONCE) : n;
        for (int64_t j = first; j < end; j++) {
            T *row = u + j * n;
            for (int64_t k = first; k < j; k++) N(take_row)(u + k * n + j, u[k * n + j], row + j, n - j);
            if (!(row[j] > 0)) return false;
            T pivot = V_SQRT(row[j]);
            row[j] = pivot;
            for (int64_t k = j + 1; k < n; k++) row[k] /= pivot;
        }
        for (int64_t i = end; i < n; i++) N(take_rows)(u + first * n, n, i, u + i * n);
    }
    return true;
}

TARGET static void N(cholesky_large)(const int64_t *number, const void *const *in, void *const *out,
                                     void *scratch)
{
    int64_t n = number[MATRIX_ROWS], lower = number[MATRIX_ATTR];
    T *u = scratch;
    for (int64_t b = 0; b < number[MATRIX_BATCH]; b++) {
        const T *from = (const T *)in[0] + b * n * n;
        T *to = (T *)out[0] + b * n * n;
        for (int64_t i = 0; i < n; i++)
            for (int64_t j = i; j < n; j++) u[i * n + j] = lower ? from[j * n + i] : from[i * n + j];
        bool whole = N(cholesky_rows)(u, n);
        for (int64_t i = 0; i < n; i++)
            for (int64_t j = 0; j < n; j++) {
                bool inside = lower ? j <= i : j >= i;
                to[i * n + j] = !inside ? 0 : !whole ? (T)NAN : lower ? u[j * n + i] : u[i * n + j];
            }
    }
}
#endif

TARGET static void N(cholesky_all)(const int64_t *number, const void *const *in, void *const *out,
                                   void *scratch)
{
    int64_t n = number[MATRIX_ROWS], batch = number[MATRIX_BATCH];
    bool lower = number[MATRIX_ATTR];
    for (int64_t b = 0; b < batch; b += LANES) {
        const T *from = (const T *)in[0] + b * n * n;
        (lower ? N(load) : N(load_turned))(scratch, from, lower ? n * n : n, batch - b);
        N(cholesky)(scratch, n);
        (lower ? N(store) : N(store_turned))(scratch, (T *)out[0] + b * n * n, lower ? n * n : n, batch - b);
    }
}

/* ---- triangular solves ---- */

/* A triangular system in one form: element (i, k) of a, which is lower unless it goes backwards, at
 * a[i row + k column], and of b at b[i b_row + c b_column]. */
typedef struct N(system) {
    int64_t n, right; /* rows of b, and columns */
    int64_t row, column, b_row, b_column;
    bool backwards, unit;
} N(system);

KERN N(system) N(system_of)(const int64_t *number)
{
    bool left = number[MATRIX_ATTR], lower = number[MATRIX_ATTR + 1], turned = number[MATRIX_ATTR + 3];
    int64_t n = number[MATRIX_ROWS], right = number[MATRIX_OTHER];
    if (!left) turned = !turned; /* x op(a) = b is op(a)^T x^T = b^T */
    return (N(system)){ .n = n,
                        .right = right,
                        .row = turned ? 1 : n,
                        .column = turned ? n : 1,
                        .b_row = left ? right : 1,
                        .b_column = left ? 1 : n,
                        .backwards = lower == turned,
                        .unit = number[MATRIX_ATTR + 2] };
}

/* Each lane a system of its own. */
KERN void N(solve)(const N(system) * s, const V *a, V *b)
{
    int64_t column = s->column, b_row = s->b_row;
    for (int64_t step = 0; step < s->n; step++) {
        int64_t i = s->backwards ? s->n - 1 - step : step, first = s->backwards ? i + 1 : 0;
        const V *row = a + i * s->row;
        for (int64_t c = 0; c < s->right; c++) {
            V *x = b + c * s->b_column, sum = x[i * b_row];
            const V *factor = row + first * column, *known = x + first * b_row;
            for (int64_t k = 0; k < step; k++, factor += column, known += b_row) sum -= *factor * *known;
            x[i * b_row] = s->unit ? sum : sum / row[i * column];
        }
    }
}

/* One system, whose columns on the right lie in lanes. */
KERN void N(solve_columns)(const N(system) * s, const T *a, T *b, V *x)
{
    for (int64_t c = 0; c < s->right; c += LANES) {
        int64_t lanes = s->right - c < LANES ? s->right - c : LANES;
        T *part = b + c * s->b_column;
        for (int64_t i = 0; i < s->n; i++)
            for (int64_t l = 0; l < LANES; l++)
                ((T *)&x[i])[l] = part[i * s->b_row + (l < lanes ? l : 0) * s->b_column];
        for (int64_t step = 0; step < s->n; step++) {
            int64_t i = s->backwards ? s->n - 1 - step : step, first = s->backwards ? i + 1 : 0;
            V sum = x[i];
            for (int64_t k = first; k < first + step; k++) sum -= a[i * s->row + k * s->column] * x[k];
            x[i] = s->unit ? sum : sum / a[i * s->row + i * s->column];
        }
        for (int64_t i = 0; i < s->n; i++)
            for (int64_t l = 0; l < lanes; l++) part[i * s->b_row + l * s->b_column] = ((T *)&x[i])[l];
    }
}

TARGET static void N(solve_all)(const int64_t *number, const void *const *in, void *const *out, void *scratch)
{
    N(system) s = N(system_of)(number);
    int64_t of_a = s.n * s.n, of_b = s.n * s.right, batch = number[MATRIX_BATCH];
    V *a = scratch, *b = a + of_a;
    for (int64_t m = 0; m < batch; m += LANES) {
        N(load)(a, (const T *)in[0] + m * of_a, of_a, batch - m);
        N(load)(b, (const T *)in[1] + m * of_b, of_b, batch - m);
        N(solve)(&s, a, b);
        N(store)(b, (T *)out[0] + m * of_b, of_b, batch - m);
    }
}

TARGET static void N(solve_each)(const int64_t *number, const void *const *in, void *const *out,
                                 void *scratch)
{
    N(system) s = N(system_of)(number);
    int64_t of_a = s.n * s.n, of_b = s.n * s.right, batch = number[MATRIX_BATCH];
    memcpy(out[0], in[1], (size_t)(batch * of_b) * sizeof(T));
    for (int64_t m = 0; m < batch; m++)
        N(solve_columns)(&s, (const T *)in[0] + m * of_a, (T *)out[0] + m * of_b, scratch);
}

/* ---- what the rest is made of ---- */

EACH V N(abs)(V x) { return N(select)(x < 0, -x, x); }
EACH V N(larger)(V a, V b) { return N(select)(b > a, b, a); }
EACH V N(with_sign)(V x, V of) { return N(select)(of < 0, -x, x); }

/* sqrt(a^2 + b^2) without overflow on the way; 0 and NaN stay. */
EACH V N(hypot)(V a, V b)
{
    V one = N(splat)(1), large = N(larger)(N(abs)(a), N(abs)(b)), by = N(select)(large > 0, large, one);
    return by * V_SQRT((a / by) * (a / by) + (b / by) * (b / by)) + (a - a) + (b - b);
}

/* 1 where squares of numbers up to `largest` do not overflow, and those of numbers down to MATRIX_NOTHING
 * times that do not vanish; else what to divide by. */
EACH V N(scale_of)(V largest)
{
    const T high = sizeof(T) == 4 ? (T)1e15 : (T)1e140, low = sizeof(T) == 4 ? (T)1e-5 : (T)1e-15;
    V one = N(splat)(1);
    return N(select)(largest > high, largest, N(select)((largest < low) & (largest > 0), largest, one));
}

/* NaN where `sum`, of x - x, says that an element of `a` is not finite, else 0. Those lanes become zeros: the
 * sign of a NaN that went through steps depends on how many their neighbours take. */
EACH V N(take_bad)(V *a, int64_t n, V sum, V *largest)
{
    V zero = N(splat)(0);
    for (int64_t i = 0; i < n; i++) a[i] = N(select)(sum == 0, a[i], zero);
    *largest = N(select)(sum == 0, *largest, zero);
    return N(select)(sum == 0, zero, N(splat)((T)NAN));
}

EACH void N(clear)(V *a, int64_t n)
{
    for (int64_t i = 0; i < n; i++) a[i] = N(splat)(0);
}

EACH void N(identity)(V *a, int64_t n)
{
    N(clear)(a, n * n);
    for (int64_t i = 0; i < n; i++) a[i * n + i] = N(splat)(1);
}

/* [rows, columns] turned over */
KERN void N(turn)(const V *a, int64_t rows, int64_t columns, V *to)
{
    for (int64_t i = 0; i < rows; i++)
        for (int64_t j = 0; j < columns; j++) to[j * rows + i] = a[i * columns + j];
}

/* x = c x - s y,  y = s x + c y */
EACH void N(rotate)(V *x, V *y, int64_t n, V c, V s)
{
    for (int64_t i = 0; i < n; i++) {
        V a = x[i], b = y[i];
        x[i] = c * a - s * b;
        y[i] = s * a + c * b;
    }
}

/* Lanes whose numbers have another order each: to[i] = from[order[i][lane]], rows of so many elements.
 * Descending or ascending by key, NaN anywhere; stable. */
KERN void N(order_rows)(const V *key, int64_t n, bool down, const V *from, int64_t length, V *sorted, V *to)
{
    for (int l = 0; l < LANES; l++)
        for (int64_t i = 0; i < n; i++) {
            T k = ((const T *)&key[i])[l];
            int64_t place = 0;
            for (int64_t j = 0; j < n; j++) {
                T other = ((const T *)&key[j])[l];
                bool before = down ? other > k : other < k;
                place += before || (!(down ? other < k : other > k) && j < i);
            }
            ((T *)&sorted[place])[l] = k;
            for (int64_t e = 0; e < length; e++)
                ((T *)&to[place * length + e])[l] = ((const T *)&from[i * length + e])[l];
        }
}

/* ---- lu ---- */

/* In place, rows exchanged for the largest pivot; row[k LANES + lane]: which row was exchanged with row k. */
KERN void N(lu)(V *a, int64_t m, int64_t n, int32_t *row)
{
    for (int64_t k = 0; k < m && k < n; k++) {
        for (int l = 0; l < LANES; l++) {
            T *own = (T *)a + l, most = 0;
            int64_t at = k;
            for (int64_t i = k; i < m; i++) {
                T x = own[(i * n + k) * LANES];
                x = x < 0 ? -x : x;
                if (x > most) most = x, at = i;
            }
            row[k * LANES + l] = (int32_t)at;
            for (int64_t j = 0; at != k && j < n; j++) {
                T kept = own[(k * n + j) * LANES];
                own[(k * n + j) * LANES] = own[(at * n + j) * LANES];
                own[(at * n + j) * LANES] = kept;
            }
        }
        V pivot = a[k * n + k], by = N(select)(pivot == 0, N(splat)(1), pivot);
        for (int64_t i = k + 1; i < m; i++) {
            V factor = a[i * n + k] / by;
            a[i * n + k] = factor;
            for (int64_t j = k + 1; j < n; j++) a[i * n + j] -= factor * a[k * n + j];
        }
    }
}

/* The rows in the order in which they end. */
EACH void N(permutation)(const int32_t *pivot, int64_t k, int64_t m, int32_t *order)
{
    for (int64_t i = 0; i < m; i++) order[i] = (int32_t)i;
    for (int64_t i = 0; i < k; i++) {
        int32_t kept = order[i];
        order[i] = order[pivot[i]];
        order[pivot[i]] = kept;
    }
}

TARGET static void N(lu_all)(const int64_t *number, const void *const *in, void *const *out, void *scratch)
{
    int64_t m = number[MATRIX_ROWS], n = number[MATRIX_COLUMNS], k = m < n ? m : n,
            batch = number[MATRIX_BATCH];
    V *a = scratch;
    int32_t *row = (int32_t *)(a + m * n);
    for (int64_t b = 0; b < batch; b += LANES) {
        N(load)(a, (const T *)in[0] + b * m * n, m * n, batch - b);
        N(lu)(a, m, n, row);
        N(store)(a, (T *)out[0] + b * m * n, m * n, batch - b);
        for (int l = 0; l < LANES && b + l < batch; l++) {
            int32_t *pivot = (int32_t *)out[1] + (b + l) * k;
            for (int64_t i = 0; i < k; i++) pivot[i] = row[i * LANES + l];
            N(permutation)(pivot, k, m, (int32_t *)out[2] + (b + l) * m);
        }
    }
}

/* ---- qr ---- */

/* The reflection I - tau v v^T that takes column x[0 .. n-1], `step` apart, to (beta, 0 ..): v is (1, x[1]
 * ..) then, and beta in x[0]. Returns tau: 0 where there is nothing to do. */
EACH V N(reflection)(V *x, int64_t n, int64_t step)
{
    V zero = N(splat)(0), one = N(splat)(1), largest = zero, sum = zero, alpha = x[0];
    for (int64_t i = 1; i < n; i++) largest = N(larger)(largest, N(abs)(x[i * step]));
    V by = N(select)(largest > 0, largest, one);
    for (int64_t i = 1; i < n; i++) sum += (x[i * step] / by) * (x[i * step] / by);
    largest = N(larger)(largest, N(abs)(alpha));
    V lift = N(select)(largest < MATRIX_LOW(T), N(splat)((T)MATRIX_LIFT(T, 0)), one);
    alpha *= lift;
    V norm = by * lift * V_SQRT(sum), beta = N(with_sign)(-N(hypot)(alpha, norm), alpha);
    M none = norm == 0;
    V below = N(select)(none, one, alpha - beta);
    for (int64_t i = 1; i < n; i++) x[i * step] = x[i * step] * lift / below;
    x[0] = N(select)(none, x[0], beta / lift);
    return N(select)(none, zero, (beta - alpha) / beta);
}

/* Rows of `a` from the left by I - tau v v^T: v is (1, v[step], ..), rows[0 .. n-1] of so many columns lie
 * `columns` apart. w: scratch of a row. */
EACH void N(reflect)(const V *v, int64_t step, V tau, V *a, int64_t n, int64_t columns, int64_t apart, V *w)
{
    for (int64_t j = 0; j < columns; j++) w[j] = a[j];
    for (int64_t i = 1; i < n; i++) {
        V x = v[i * step];
        for (int64_t j = 0; j < columns; j++) w[j] += x * a[i * apart + j];
    }
    for (int64_t j = 0; j < columns; j++) {
        w[j] *= tau;
        a[j] -= w[j];
    }
    for (int64_t i = 1; i < n; i++) {
        V x = v[i * step];
        for (int64_t j = 0; j < columns; j++) a[i * apart + j] -= x * w[j];
    }
}

/* In place: r above, the reflections' v below the diagonal; tau [min(m, n)], w [n]. */
KERN void N(geqrf)(V *a, int64_t m, int64_t n, V *tau, V *w)
{
    for (int64_t k = 0; k < m && k < n; k++) {
        V *x = a + k * n + k;
        tau[k] = N(reflection)(x, m - k, n);
        N(reflect)(x, n, tau[k], x + 1, m - k, n - k - 1, n, w);
    }
}

/* q [m, columns], the first columns of the product of k reflections; w [columns]. */
KERN void N(orgqr)(const V *a, int64_t m, int64_t n, const V *tau, int64_t k, V *q, int64_t columns, V *w)
{
    N(clear)(q, m * columns);
    for (int64_t i = 0; i < m && i < columns; i++) q[i * columns + i] = N(splat)(1);
    while (k-- > 0)
        if (k < columns)
            N(reflect)(a + k * n + k, n, tau[k], q + k * columns + k, m - k, columns - k, columns, w);
}

TARGET static void N(geqrf_all)(const int64_t *number, const void *const *in, void *const *out, void *scratch)
{
    int64_t m = number[MATRIX_ROWS], n = number[MATRIX_COLUMNS], k = m < n ? m : n,
            batch = number[MATRIX_BATCH];
    V *a = scratch, *tau = a + m * n, *w = tau + k;
    for (int64_t b = 0; b < batch; b += LANES) {
        N(load)(a, (const T *)in[0] + b * m * n, m * n, batch - b);
        N(geqrf)(a, m, n, tau, w);
        N(store)(a, (T *)out[0] + b * m * n, m * n, batch - b);
        N(store)(tau, (T *)out[1] + b * k, k, batch - b);
    }
}

TARGET static void N(orgqr_all)(const int64_t *number, const void *const *in, void *const *out, void *scratch)
{
    int64_t m = number[MATRIX_ROWS], n = number[MATRIX_COLUMNS], k = number[MATRIX_OTHER],
            batch = number[MATRIX_BATCH];
    V *a = scratch, *tau = a + m * n, *w = tau + k, *q = w + n;
    for (int64_t b = 0; b < batch; b += LANES) {
        N(load)(a, (const T *)in[0] + b * m * n, m * n, batch - b);
        N(load)(tau, (const T *)in[1] + b * k, k, batch - b);
        N(orgqr)(a, m, n, tau, k, q, n, w);
        N(store)(q, (T *)out[0] + b * m * n, m * n, batch - b);
    }
}

TARGET static void N(qr_all)(const int64_t *number, const void *const *in, void *const *out, void *scratch)
{
    int64_t m = number[MATRIX_ROWS], n = number[MATRIX_COLUMNS], k = m < n ? m : n,
            batch = number[MATRIX_BATCH], columns = number[MATRIX_ATTR] ? m : k;
    V *a = scratch, *tau = a + m * n, *w = tau + k, *q = w + (m > n ? m : n);
    for (int64_t b = 0; b < batch; b += LANES) {
        N(load)(a, (const T *)in[0] + b * m * n, m * n, batch - b);
        N(geqrf)(a, m, n, tau, w);
        N(orgqr)(a, m, n, tau, k, q, columns, w);
        for (int64_t i = 0; i < columns; i++)
            for (int64_t j = 0; j < i && j < n; j++) a[i * n + j] = N(splat)(0);
        N(store)(q, (T *)out[0] + b * m * columns, m * columns, batch - b);
        N(store)(a, (T *)out[1] + b * columns * n, columns * n, batch - b);
    }
}

/* ---- eigh ---- */

enum { N(SWEEPS) = 40 };

/* The rotation that makes an off-diagonal element 0, between diagonal ones p and q; none in lanes that are
 * done. */
EACH void N(rotation)(V p, V q, V off, M go, V *c, V *s, V *t)
{
    V one = N(splat)(1), zero = N(splat)(0);
    V theta = (q - p) / (2 * off), root = V_SQRT(theta * theta + 1);
    V tangent = N(with_sign)(1 / (N(abs)(theta) + root), theta);
    *t = N(select)(go & (off != 0), tangent, zero);
    *c = one / V_SQRT(*t * *t + 1);
    *s = *t * *c;
}

/* Jacobi's rotations: a, symmetric, becomes diagonal; the rows of v its vectors. */
KERN void N(jacobi)(V *a, int64_t n, V *v)
{
    const T eps = sizeof(T) == 4 ? FLT_EPSILON : (T)DBL_EPSILON;
    N(identity)(v, n);
    for (int sweep = 0; sweep < N(SWEEPS); sweep++) {
        V off = N(splat)(0), all = N(splat)(0);
        for (int64_t p = 0; p < n; p++) {
            all += a[p * n + p] * a[p * n + p];
            for (int64_t q = p + 1; q < n; q++) off += a[p * n + q] * a[p * n + q];
        }
        M go = off > (all + off) * (eps * eps * (T)0.0001);
        if (!N(any)(go)) return;
        for (int64_t p = 0; p < n; p++)
            for (int64_t q = p + 1; q < n; q++) {
                V *ap = a + p * n, *aq = a + q * n, c, s, t, pq = ap[q];
                N(rotation)(ap[p], aq[q], pq, go, &c, &s, &t);
                V pp = ap[p] - t * pq, qq = aq[q] + t * pq;
                N(rotate)(ap, aq, n, c, s);
                ap[p] = pp;
                aq[q] = qq;
                ap[q] = aq[p] = N(select)(go, N(splat)(0), pq);
                for (int64_t r = 0; r < n; r++)
                    if (r != p && r != q) a[r * n + p] = ap[r], a[r * n + q] = aq[r];
                N(rotate)(v + p * n, v + q * n, n, c, s);
            }
    }
}

/* The whole of what has this triangle, over its scale; NaN everywhere where an element is not finite. */
KERN V N(whole_scaled)(V *a, int64_t n, bool lower, V *bad)
{
    V largest = N(splat)(0), sum = N(splat)(0);
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j <= i; j++) {
            V x = lower ? a[i * n + j] : a[j * n + i];
            largest = N(larger)(largest, N(abs)(x));
            sum += x - x;
            a[i * n + j] = a[j * n + i] = x;
        }
    *bad = N(take_bad)(a, n * n, sum, &largest);
    V scale = N(scale_of)(largest);
    for (int64_t i = 0; i < n * n; i++) a[i] = a[i] / scale;
    return scale;
}

TARGET static void N(eigh_all)(const int64_t *number, const void *const *in, void *const *out, void *scratch)
{
    int64_t n = number[MATRIX_ROWS], batch = number[MATRIX_BATCH];
    V *a = scratch, *v = a + n * n, *turned = v + n * n, *w = turned + n * n, *sorted = w + n, bad;
    for (int64_t b = 0; b < batch; b += LANES) {
        N(load)(a, (const T *)in[0] + b * n * n, n * n, batch - b);
        V scale = N(whole_scaled)(a, n, number[MATRIX_ATTR], &bad);
        N(jacobi)(a, n, v);
        for (int64_t i = 0; i < n; i++) w[i] = a[i * n + i] * scale + bad;
        N(order_rows)(w, n, false, v, n, sorted, turned);
        N(turn)(turned, n, n, v);
        for (int64_t i = 0; i < n * n; i++) v[i] += bad;
        N(store)(v, (T *)out[0] + b * n * n, n * n, batch - b);
        N(store)(sorted, (T *)out[1] + b * n, n, batch - b);
    }
}

/* ---- svd ---- */

EACH V N(dot)(const V *a, const V *b, int64_t n)
{
    V sum = N(splat)(0);
    for (int64_t i = 0; i < n; i++) sum += a[i] * b[i];
    return sum;
}

/* Rotations of pairs of rows, until all rows of w, r of them, are orthogonal; the rows of z, at first those
 * of I, go along. Rows no longer than `least` stay as they are. */
KERN void N(orthogonal_rows)(V *w, int64_t r, int64_t length, V least, V *z)
{
    const T eps = sizeof(T) == 4 ? FLT_EPSILON : (T)DBL_EPSILON,
            limit = eps * (4 + (length > 64 ? (T)(length / 16) : 0));
    N(identity)(z, r);
    for (int sweep = 0; sweep < N(SWEEPS); sweep++) {
        bool more = false;
        for (int64_t p = 0; p < r; p++)
            for (int64_t q = p + 1; q < r; q++) {
                V *x = w + p * length, *y = w + q * length, c, s, t;
                V xx = N(dot)(x, x, length), yy = N(dot)(y, y, length), xy = N(dot)(x, y, length);
                V x_length = V_SQRT(xx), y_length = V_SQRT(yy);
                M go = (N(abs)(xy) > limit * x_length * y_length) & (x_length > least) & (y_length > least);
                if (!N(any)(go)) continue;
                more = true;
                N(rotation)(xx, yy, xy, go, &c, &s, &t);
                N(rotate)(x, y, length, c, s);
                N(rotate)(z + p * r, z + q * r, r, c, s);
            }
        if (!more) return;
    }
}

/* The rows of y [r, length], of length s, over s; where s is no more than `least`, and for the rows behind
 * them up to n, rows that make them a basis. */
KERN void N(complete)(V *y, int64_t r, int64_t length, const V *s, V least, int64_t n, V *columns, V *tau,
                      V *work, V *q)
{
    for (int64_t i = 0; i < r; i++)
        for (int64_t j = 0; j < length; j++)
            y[i * length + j] = N(select)(s[i] > least, y[i * length + j] / s[i], N(splat)(0));
    N(turn)(y, r, length, columns);
    N(geqrf)(columns, length, r, tau, work);
    N(orgqr)(columns, length, r, tau, r, q, n, work);
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < length; j++) {
            V given = i < r ? y[i * length + j] : N(splat)(0);
            y[i * length + j] = i < r ? N(select)(s[i] > least, given, q[j * n + i]) : q[j * n + i];
        }
}

TARGET static void N(svd_all)(const int64_t *number, const void *const *in, void *const *out, void *scratch)
{
    int64_t m = number[MATRIX_ROWS], n = number[MATRIX_COLUMNS], r = m < n ? m : n, length = m < n ? n : m,
            batch = number[MATRIX_BATCH], wanted = number[MATRIX_ATTR] ? length : r;
    V *w = scratch, *z = w + wanted * length, *y = z + r * r, *turned = y + wanted * length,
      *work = turned + wanted * length, *s = work + length, *sorted = s + r, *tau = sorted + r,
      zero = N(splat)(0);
    for (int64_t b = 0; b < batch; b += LANES) {
        N(load)(turned, (const T *)in[0] + b * m * n, m * n, batch - b);
        V largest = zero, sum = zero;
        for (int64_t i = 0; i < m * n; i++) {
            largest = N(larger)(largest, N(abs)(turned[i]));
            sum += turned[i] - turned[i];
        }
        V bad = N(take_bad)(turned, m * n, sum, &largest), scale = N(scale_of)(largest);
        for (int64_t i = 0; i < m * n; i++) turned[i] /= scale;
        V least = largest / scale * MATRIX_NOTHING(T);
        if (m < n)
            for (int64_t i = 0; i < m * n; i++) w[i] = turned[i];
        else N(turn)(turned, m, n, w);
        N(orthogonal_rows)(w, r, length, least, z);
        for (int64_t i = 0; i < r; i++) s[i] = V_SQRT(N(dot)(w + i * length, w + i * length, length));
        N(order_rows)(s, r, true, w, length, sorted, y);
        N(order_rows)(s, r, true, z, r, sorted, turned);
        for (int64_t i = 0; i < r * r; i++) z[i] = turned[i] + bad;
        for (int64_t i = 0; i < r; i++) s[i] = sorted[i] * scale + bad;
        N(store)(s, (T *)out[0] + b * r, r, batch - b);
        if (!number[MATRIX_ATTR + 1]) continue;
        N(complete)(y, r, length, sorted, least, wanted, turned, tau, work, w);
        for (int64_t i = 0; i < wanted * length; i++) y[i] += bad;
        /* a = z^T s y, or its transpose where a is tall */
        T *u = (T *)out[1] + b * m * (m < n ? r : wanted), *vt = (T *)out[2] + b * n * (m < n ? wanted : r);
        if (m < n) {
            N(turn)(z, r, r, turned);
            N(store)(turned, u, r * r, batch - b);
            N(store)(y, vt, wanted * n, batch - b);
        } else {
            N(turn)(y, wanted, m, turned);
            N(store)(turned, u, m * wanted, batch - b);
            N(store)(z, vt, r * r, batch - b);
        }
    }
}

#include "matrix_one.h"

#undef V
#undef M
#undef KERN
#undef EACH
