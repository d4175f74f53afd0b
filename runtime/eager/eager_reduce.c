/* eager_reduce.c: folds of monoids, argmax and argmin. The order of a float sum is the contract of eager.h.
 *
 * Narrow floats are widened to f32 as they are read, accumulate there and are rounded at the end.
 */
#include <math.h>
#include "compiler/scalar/each_type.h"
#include "eager.h"

/* CHUNK is a multiple of LANES, so element i of a block meets accumulator i % LANES in every chunk */
enum { LANES = 64, CHUNK = 512 };

typedef void FoldLoop(size_t n, void *acc, const void *x);
typedef struct Folds {
    FoldLoop *lanes;    /* acc[i % LANES] = acc[i % LANES] op x[i] */
    FoldLoop *each;     /* acc[i] = acc[i] op x[i] */
    FoldLoop *in_order; /* acc[0] = ((acc[0] op x[0]) op x[1]) ... */
} Folds;

#define FOLDS(NAME, T, fn, ...) \
    static inline T fn##_##NAME(T x, T y) { return (T)(__VA_ARGS__); } \
    static void fn##_each_##NAME(size_t n, void *pacc, const void *px) \
    { \
        T *restrict acc = pacc; \
        const T *restrict x = px; \
        for (size_t i = 0; i < n; i++) acc[i] = fn##_##NAME(acc[i], x[i]); \
    } \
    static void fn##_lanes_##NAME(size_t n, void *pacc, const void *px) \
    { \
        T *restrict acc = pacc; \
        const T *restrict x = px; \
        size_t i = 0; \
        for (; i + LANES <= n; i += LANES) \
            for (size_t l = 0; l < LANES; l++) acc[l] = fn##_##NAME(acc[l], x[i + l]); \
        for (size_t l = 0; i + l < n; l++) acc[l] = fn##_##NAME(acc[l], x[i + l]); \
    } \
    static void fn##_in_order_##NAME(size_t n, void *pacc, const void *px) \
    { \
        T acc = *(T *)pacc; \
        const T *x = px; \
        for (size_t i = 0; i < n; i++) acc = fn##_##NAME(acc, x[i]); \
        *(T *)pacc = acc; \
    }
#define INT_FOLDS(NAME, T, U, W, ...) \
    FOLDS(NAME, T, add, (W)x + (W)y) \
    FOLDS(NAME, T, mul, (W)x *(W)y) \
    FOLDS(NAME, T, max, x > y ? x : y) \
    FOLDS(NAME, T, min, x < y ? x : y) \
    FOLDS(NAME, T, and, x &y) FOLDS(NAME, T, or, x | y) FOLDS(NAME, T, xor, x ^ y)
/* As the elementwise ops: NaN wins; of equal ones the sign bit decides. */
#define FLOAT_FOLDS(NAME, T, ...) \
    FOLDS(NAME, T, add, x + y) \
    FOLDS(NAME, T, mul, x *y) \
    FOLDS(NAME, T, max, x > y || x != x ? x : y > x || y != y ? y : signbit(x) ? y : x) \
    FOLDS(NAME, T, min, x < y || x != x ? x : y < x || y != y ? y : signbit(x) ? x : y)

INT_TYPES(INT_FOLDS, )
FLOAT_TYPES(FLOAT_FOLDS, )

#define ENTRY(NAME, T, U, W, fn) \
    [WEFT_##NAME] = { fn##_lanes_##NAME, fn##_each_##NAME, fn##_in_order_##NAME },
#define INTS(fn)   INT_TYPES(ENTRY, fn)
#define FLOATS(fn) FLOAT_TYPES(ENTRY, fn)
/* Bools are bytes of 0 or 1: add is or, mul is and. */
#define BOOLS(fn) [WEFT_BOOL] = { fn##_lanes_U8, fn##_each_U8, fn##_in_order_U8 },
static const Folds folds[OP_COUNT][DTYPE_COUNT] = {
    [OP_ADD] = { BOOLS(or) INTS(add) FLOATS(add) },
    [OP_MUL] = { BOOLS(and) INTS(mul) FLOATS(mul) },
    [OP_MAX] = { BOOLS(or) INTS(max) FLOATS(max) },
    [OP_MIN] = { BOOLS(and) INTS(min) FLOATS(min) },
    [OP_AND] = { BOOLS(and) INTS(and) },
    [OP_OR] = { BOOLS(or) INTS(or) },
    [OP_XOR] = { BOOLS(xor) INTS(xor) },
};

/* What one reduction needs to know. compute: the type of the accumulators. */
typedef struct Reduction {
    Folds fold;
    DType t, compute;
    uint64_t start;
} Reduction;

/* f(n, acc, elements), the elements widened if they are narrow. step: how far acc goes on per element, 0 or
 * 1. */
static void widened(const Reduction *r, FoldLoop *f, size_t n, char *acc, const char *x, size_t step)
{
    if (r->t == r->compute) {
        f(n, acc, x);
        return;
    }
    float wide[CHUNK];
    for (size_t i = 0; i < n; i += CHUNK) {
        size_t m = n - i < CHUNK ? n - i : CHUNK;
        kernel_run_convert(r->t, r->compute, m, x + i * dtype_bytes(r->t), wide);
        f(m, acc + i * step * sizeof(float), wide);
    }
}

static void start_lanes(const Reduction *r, char *acc)
{
    eager_fill(dtype_bytes(r->compute), LANES, &r->start, acc);
}

/* Into acc[0]. */
static void fold_lanes(const Reduction *r, char *acc)
{
    for (size_t half = LANES / 2; half > 0; half /= 2)
        r->fold.each(half, acc, acc + half * dtype_bytes(r->compute));
}

static void fold_block(const Reduction *r, size_t n, const char *x, char *acc)
{
    start_lanes(r, acc);
    widened(r, r->fold.lanes, n, acc, x, 0);
    fold_lanes(r, acc);
}

/* Parts, and the parts as elements. */
static void fold_parts(const Reduction *r, size_t n, const char *x, char *acc)
{
    _Alignas(16) char part[LANES * 8];
    start_lanes(r, acc);
    for (size_t i = 0, k = 0; i < n; i += FOLD_PART, k++) {
        fold_block(r, n - i < FOLD_PART ? n - i : FOLD_PART, x + i * dtype_bytes(r->t), part);
        r->fold.each(1, acc + k % LANES * dtype_bytes(r->compute), part);
    }
    fold_lanes(r, acc);
}

/* The reduced axes are the last ones: each result is the fold of one contiguous block. */
static void reduce_blocks(const Reduction *r, size_t n, size_t block, const char *x, char *out)
{
    _Alignas(16) char acc[LANES * 8];
    for (size_t i = 0; i < n; i++) {
        (block > MOST_AT_ONCE ? fold_parts : fold_block)(r, block, x + i * block * dtype_bytes(r->t), acc);
        kernel_run_convert(r->compute, r->t, 1, acc, out + i * dtype_bytes(r->t));
    }
}

/* Some kept axis comes after a reduced one: the operand is walked once in row-major order, each element going
 * to its result's accumulator, so that every accumulator sees its elements in row-major order of the reduced
 * axes. acc_stride: bytes per operand axis, 0 for reduced ones. */
static void reduce_walk(const Reduction *r, Type a, const int64_t *acc_stride, const char *x, char *acc)
{
    if (eager_count(a) == 0) return;
    Odometer o = { .rank = a.rank - 1 };
    size_t line = (size_t)a.dim[o.rank], step = acc_stride[o.rank] != 0;
    for (int i = 0; i < o.rank; i++) {
        o.dim[i] = a.dim[i];
        o.stride[0][i] = acc_stride[i];
    }
    do {
        widened(r, step ? r->fold.each : r->fold.in_order, line, acc + o.offset[0], x, step);
        x += line * dtype_bytes(r->t);
    } while (odometer_next(&o));
}

static bool reduce_through(const EagerCall *c, const Reduction *r, const bool *reduced)
{
    Type a = c->arg_types[0];
    int64_t acc_stride[WEFT_MAX_RANK], step = (int64_t)dtype_bytes(r->compute);
    for (int i = a.rank - 1; i >= 0; i--) {
        acc_stride[i] = reduced[i] ? 0 : step;
        if (!reduced[i]) step *= a.dim[i];
    }
    size_t n = eager_count(c->out_types[0]), bytes = n * dtype_bytes(r->compute);
    char *out = c->outs[0], *acc = r->t == r->compute ? out : eager_take(c->allocator, bytes, c->failure);
    if (!acc && bytes) return false;
    eager_fill(dtype_bytes(r->compute), n, &r->start, acc);
    reduce_walk(r, a, acc_stride, c->args[0], acc);
    if (acc != out) {
        kernel_run_convert(r->compute, r->t, n, acc, out);
        eager_drop(c->allocator, acc, bytes);
    }
    return true;
}

bool eager_reduce(const EagerCall *c)
{
    const NodeSpec *spec = c->spec;
    Type a = c->arg_types[0];
    DType t = (DType)a.dtype, compute = compute_type(t);
    Op monoid = (Op)spec->attr[0];
    Reduction r = { folds[monoid][compute], t, compute, monoid_start(monoid, compute) };
    bool reduced[WEFT_MAX_RANK] = { false };
    for (uint32_t i = 1; i < spec->n_attr; i++) reduced[spec->attr[i]] = true;
    int kept = a.rank - (int)(spec->n_attr - 1);
    bool last = true;
    for (int i = 0; i < kept; i++) last &= !reduced[i];
    if (!last) return reduce_through(c, &r, reduced);
    size_t block = 1;
    for (int i = kept; i < a.rank; i++) block *= (size_t)a.dim[i];
    reduce_blocks(&r, eager_count(c->out_types[0]), block, c->args[0], c->outs[0]);
    return true;
}

/* Whether x takes the place of the best so far: strictly better, or the first NaN. Written so that it is the
 * same line for ints. */
#define TAKES(x, best, OP_) ((best) == (best) && ((x)OP_(best) || (x) != (x)))
#define ARG(NAME, T, fn, OP_) \
    static int64_t fn##_##NAME(int64_t n, const void *px, int64_t stride) \
    { \
        const T *x = px; \
        T best = x[0]; \
        int64_t at = 0; \
        for (int64_t i = 1; i < n; i++) { \
            T v = x[i * stride]; \
            if (TAKES(v, best, OP_)) { \
                best = v; \
                at = i; \
            } \
        } \
        return at; \
    }
#define ARGS(NAME, T, ...) ARG(NAME, T, argmax, >) ARG(NAME, T, argmin, <)
INT_TYPES(ARGS, )
FLOAT_TYPES(ARGS, )

typedef int64_t ArgKernel(int64_t n, const void *x, int64_t stride);
#define ARG_ROW(fn) { [WEFT_BOOL] = fn##_U8, S_(fn), U_(fn), F_(fn) }
static ArgKernel *const arg_kernels[2][DTYPE_COUNT] = { ARG_ROW(argmax), ARG_ROW(argmin) };

static void arg_lines(ArgKernel *kernel, DType t, Type a, int64_t axis, const char *x, DType index, char *out)
{
    int64_t outer = 1, inner = 1, n = a.dim[axis];
    for (int i = 0; i < axis; i++) outer *= a.dim[i];
    for (int i = (int)axis + 1; i < a.rank; i++) inner *= a.dim[i];
    size_t bytes = dtype_bytes(t);
    for (int64_t o = 0; o < outer; o++)
        for (int64_t i = 0; i < inner; i++, out += dtype_bytes(index))
            scalar_store(index, out,
                         scalar_from_i64(index, kernel(n, x + (size_t)(o * n * inner + i) * bytes, inner)));
}

bool eager_arg_extreme(const EagerCall *c)
{
    Type a = c->arg_types[0];
    DType t = (DType)a.dtype, compute = compute_type(t), index = (DType)c->out_types[0].dtype;
    ArgKernel *kernel = arg_kernels[c->spec->op == OP_ARGMIN][compute];
    size_t n = eager_count(a), bytes = n * dtype_bytes(compute);
    if (n == 0) memset(c->outs[0], 0, eager_bytes(c->out_types[0]));
    if (n == 0 || t == compute) {
        if (n) arg_lines(kernel, compute, a, c->spec->attr[0], c->args[0], index, c->outs[0]);
        return true;
    }
    void *wide = eager_take(c->allocator, bytes, c->failure);
    if (!wide) return false;
    kernel_run_convert(t, compute, n, c->args[0], wide);
    arg_lines(kernel, compute, a, c->spec->attr[0], wide, index, c->outs[0]);
    eager_drop(c->allocator, wide, bytes);
    return true;
}
