/* weft/random.h: random numbers as functions of a key, as in jax.random: the same key gives the same numbers,
 * on every machine, eagerly, compiled and under vmap.
 *
 *     weft_array *k[2];
 *     weft_random_keys(weft_key(ctx, 42), 2, k);                       never use a key twice: split it first
 *     weft_array *w = weft_random_normal(k[0], WEFT_F32, 64, 32);
 *     weft_array *b = weft_random_uniform_in(k[1], WEFT_F32, -0.1, 0.1, 64);
 *
 * A key is a u32[2]; it is data, so a new key is no reason to compile again. Each function takes ONE key; for
 * several use weft_vmap, whose streams are those of a loop over the keys. The bits are Threefry-2x32's in one
 * of two layouts: WEFT_PARTITIONABLE, JAX's since 0.5, where each element is a function of its own index and
 * a whole array is one fused pass; and WEFT_LEGACY, JAX's before (jax_threefry_partitionable=False).
 * weft_options.legacy_random chooses for a context, weft_legacy(key) and weft_partitionable(key) for one
 * call: weft_random_normal(weft_legacy(key), WEFT_F32, 3).
 *
 * The sizes come last, as in weft_zeros: weft_random_normal(key, WEFT_F32, 2, 3). Without sizes: rank 0, or
 * the common shape of the parameters; with sizes, parameters (numbers or arrays) must broadcast to them.
 * dtype: f16, bf16, f32 or f64 unless said otherwise. docs/random.md says what is equal to JAX bit for bit.
 * Errors: a key that is no u32[2], an element type that does not fit, a negative size, parameters that do not
 * broadcast. Parameters out of their range are data: they give what JAX gives (NaN, for most), never an
 * error.
 */
#ifndef WEFT_RANDOM_H
#define WEFT_RANDOM_H
#include "weft/ops.h"
#ifdef __cplusplus
extern "C" {
#endif

typedef enum { WEFT_LAYOUT_OF_CONTEXT, WEFT_PARTITIONABLE, WEFT_LEGACY } weft_random_layout;
/* A key and the layout to read it in. Wherever `key` stands below: this, or a weft_array *, which is in its
 * context's layout. */
typedef struct weft_random_key { const weft_array *key; int layout; } weft_random_key;
static inline weft_random_key weft_random_key_(const weft_array *a)
{
    weft_random_key k;
    k.key = a;
    k.layout = WEFT_LAYOUT_OF_CONTEXT;
    return k;
}
static inline weft_random_key weft_legacy(const weft_array *a)
{
    weft_random_key k;
    k.key = a;
    k.layout = WEFT_LEGACY;
    return k;
}
static inline weft_random_key weft_partitionable(const weft_array *a)
{
    weft_random_key k;
    k.key = a;
    k.layout = WEFT_PARTITIONABLE;
    return k;
}

/* ---- keys ----
 *   weft_key(ctx, seed)            the key of an integer: a number, or an int array of rank 0.
 *                                  jax.random.PRNGKey. A C number of 32 bits (signed or not) gives what JAX
 *                                  gives by default, first word 0; a larger one, and an i64 or u64 array, all
 *                                  its 64 bits
 *   weft_random_split(key, n)      u32[n,2], n new keys; weft_random_split(key): two; (key, n, m): u32[n,m,2]
 *   weft_random_keys(key, n, keys)
 *                                  the same into weft_array *keys[n]; WEFT_OK, or the error and NULLs
 *   weft_random_fold_in(key, data)
 *                                  a new key from a key and an int, number or array of rank 0, taken modulo
 *                                  2^32
 */
weft_array *weft_key_(weft_context *, weft_operand seed, const char *at);
weft_array *weft_random_split_(weft_random_key, int rank, const int64_t *dim, const char *at);
weft_status weft_random_keys_(weft_random_key, int n, weft_array **keys, const char *at);
weft_array *weft_random_fold_in_(weft_random_key, weft_operand data, const char *at);

/* ---- bits and numbers ----
 *   weft_random_bits(key, dtype, sizes...)                 u8, u16, u32 or u64, all values equally likely
 *   weft_random_uniform(key, dtype, sizes...)              in [0, 1)
 *   weft_random_uniform_in(key, dtype, low, high, sizes...)
 *                                                          in [low, high)
 *   weft_random_randint(key, dtype, low, high, sizes...)   ints in [low, high), for any int dtype; low where
 *                                                          high <= low. low, high: ints
 *   weft_random_bernoulli(key, p, sizes...)                bool, true with probability p (number or float
 *                                                          array)
 */
weft_array *weft_random_bits_(weft_random_key, weft_dtype, int rank, const int64_t *dim, const char *at);
weft_array *weft_random_uniform_(weft_random_key, weft_dtype, int rank, const int64_t *dim, const char *at);
weft_array *weft_random_uniform_in_(weft_random_key, weft_dtype, weft_operand low, weft_operand high,
                                    int rank, const int64_t *dim, const char *at);
weft_array *weft_random_randint_(weft_random_key, weft_dtype, weft_operand low, weft_operand high, int rank,
                                 const int64_t *dim, const char *at);
weft_array *weft_random_bernoulli_(weft_random_key, weft_operand p, int rank, const int64_t *dim,
                                   const char *at);

/* ---- distributions ----
 *   weft_random_normal(key, dtype, sizes...)         mean 0, variance 1
 *   weft_random_exponential(key, dtype, sizes...)    rate 1
 *   weft_random_gumbel(key, dtype, sizes...)         standard; JAX's mode "low"
 *   weft_random_laplace(key, dtype, sizes...)        standard
 *   weft_random_cauchy(key, dtype, sizes...)         standard
 *   weft_random_truncated_normal(key, dtype, low, high, sizes...)
 *                                                    normal, given that it lies strictly between low and high
 *   weft_random_gamma(key, dtype, a, sizes...)       shape a, scale 1 (Marsaglia and Tsang);
 *                                                    weft_random_loggamma: its logarithm, without underflow
 *                                                    for small a
 *   weft_random_beta(key, dtype, a, b, sizes...)     in [0, 1], shapes a and b
 *   weft_random_dirichlet(key, dtype, alpha, sizes...)
 *                                                    alpha's last axis is the vector; sizes are those before
 *                                                    it
 *   weft_random_poisson(key, dtype, rate, sizes...)  an int dtype; Knuth's method below rate 10, Hoermann's
 *                                                    rejection above; -1 for a rate that is NaN
 */
weft_array *weft_random_normal_(weft_random_key, weft_dtype, int rank, const int64_t *dim, const char *at);
weft_array *weft_random_exponential_(weft_random_key, weft_dtype, int rank, const int64_t *dim,
                                     const char *at);
weft_array *weft_random_gumbel_(weft_random_key, weft_dtype, int rank, const int64_t *dim, const char *at);
weft_array *weft_random_laplace_(weft_random_key, weft_dtype, int rank, const int64_t *dim, const char *at);
weft_array *weft_random_cauchy_(weft_random_key, weft_dtype, int rank, const int64_t *dim, const char *at);
weft_array *weft_random_truncated_normal_(weft_random_key, weft_dtype, weft_operand low, weft_operand high,
                                          int rank, const int64_t *dim, const char *at);
weft_array *weft_random_gamma_(weft_random_key, weft_dtype, weft_operand a, int rank, const int64_t *dim,
                               const char *at);
weft_array *weft_random_loggamma_(weft_random_key, weft_dtype, weft_operand a, int rank, const int64_t *dim,
                                  const char *at);
weft_array *weft_random_beta_(weft_random_key, weft_dtype, weft_operand a, weft_operand b, int rank,
                              const int64_t *dim, const char *at);
weft_array *weft_random_dirichlet_(weft_random_key, weft_dtype, weft_operand alpha, int rank,
                                   const int64_t *dim, const char *at);
weft_array *weft_random_poisson_(weft_random_key, weft_dtype, weft_operand rate, int rank, const int64_t *dim,
                                 const char *at);

/* ---- order and choice ----
 *   weft_random_permutation(key, x)        x's slices along axis 0 in random order; x an int n: of 0, 1, ...,
 *                                          n-1 (i32). .axis = "1": another axis; .each = true: every vector
 *                                          along it is shuffled apart
 *   weft_random_choice(key, a)             one of a's slices along axis 0, or of .axis; a an int n: one of 0,
 *                                          1, ..., n-1 (i32). .shape = weft_dims(3, 4): so many; .p:
 *                                          probabilities, one for each (weights do: they are divided by their
 *                                          sum); .distinct = true: no one twice
 *   weft_random_categorical(key, logits)   i32: indices along the last axis (or .axis) with the probabilities
 *                                          softmax(logits). .shape: ends with the shape of the other axes,
 *                                          the default; .distinct = true: what stands before them are draws
 *                                          without replacement
 *   In C++17: weft_random_choice(key, a, weft::draw().shape({3, 4}).p(weights)).
 */
typedef struct weft_sizes { int rank; const int64_t *dim; } weft_sizes;
typedef struct weft_draw {
    const char *axis;           /* "1", "-1"; not given, or a variable that is NULL: the default */
    weft_sizes shape;
    const weft_array *p;
    bool distinct, each;
    const char *written_;       /* as in weft_over */
} weft_draw;
weft_array *weft_random_permutation_(weft_random_key, weft_operand x, weft_draw, const char *at);
weft_array *weft_random_choice_(weft_random_key, weft_operand a, weft_draw, const char *at);
weft_array *weft_random_categorical_(weft_random_key, weft_operand logits, weft_draw, const char *at);

#ifdef __cplusplus
}
#endif

/* ---- the macros ---- */
#ifndef __cplusplus
static inline weft_random_key weft_random_same_(weft_random_key k) { return k; }
#define WEFT_KEY_PICK_(k) \
    _Generic((k), weft_array *: weft_random_key_, const weft_array *: weft_random_key_, \
             weft_random_key: weft_random_same_)
#ifdef __GNUC__
#define WEFT_KEY2_(k, t) __extension__ ({ __auto_type t = (k); WEFT_KEY_PICK_(t)(t); })
#define WEFT_KEY_(k)     WEFT_KEY2_(k, WEFT_CAT_(weft_t, __COUNTER__))
#else
#define WEFT_KEY_(k)     WEFT_KEY_PICK_(k)(k)
#endif
#define weft_dims(...)   ((weft_sizes){ WEFT_SHAPE_(__VA_ARGS__) })
#define WEFT_DRAW_(written, ...)  WEFT_TEXT_OPTIONS_(weft_draw, ".axis", written, __VA_ARGS__)
#else
/* More than 32 axes: the rank says so, and the library refuses it before it looks at the sizes. */
struct weft_shape_ {
    int rank;
    int64_t dim[WEFT_MAX_RANK];
    weft_shape_(std::initializer_list<int64_t> sizes) : rank(0), dim()
    {
        for (int64_t size : sizes) {
            if (rank < WEFT_MAX_RANK) dim[rank] = size;
            rank++;
        }
    }
};
namespace weft {
struct draw : weft_draw {
    weft_shape_ sizes;
    draw() : weft_draw(), sizes{} {}
    draw &axis(weft_option_text_ o)                     { weft_draw::axis = o.text; return *this; }
    draw &shape(std::initializer_list<int64_t> list)    { sizes = weft_shape_(list); return *this; }
    draw &p(const weft_array *weights)                  { weft_draw::p = weights; return *this; }
    draw &distinct(bool yes = true)                     { weft_draw::distinct = yes; return *this; }
    draw &each(bool yes = true)                         { weft_draw::each = yes; return *this; }
};
}
static inline weft_draw weft_draw_of_(int)              { return weft_draw(); }
/* The sizes are read before the end of the expression that the options live in. */
static inline weft_draw weft_draw_of_(const weft::draw &o, int)
{
    weft_draw d = o;
    d.shape.rank = o.sizes.rank;
    d.shape.dim = o.sizes.dim;
    return d;
}
#define WEFT_DRAW_(written, ...)  weft_draw_of_(WEFT_TAIL_(__VA_ARGS__, 0))
static inline weft_random_key weft_random_of_(const weft_array *a)  { return weft_random_key_(a); }
static inline weft_random_key weft_random_of_(weft_random_key k)    { return k; }
#define WEFT_KEY_(k)     weft_random_of_(k)
#endif
/* f(key, dtype, sizes...) and f(key, dtype, one parameter, sizes...), f(key, dtype, two parameters,
 * sizes...) */
#define WEFT_DRAW0_(f, key, ...) \
    f(WEFT_KEY_(key), WEFT_A_DTYPE_(WEFT_FIRST_(__VA_ARGS__)), WEFT_REST_(__VA_ARGS__), WEFT_HERE)
#define WEFT_DRAW1_(f, key, dtype, ...) \
    f(WEFT_KEY_(key), WEFT_A_DTYPE_(dtype), WEFT_ARG_(WEFT_FIRST_(__VA_ARGS__)), WEFT_REST_(__VA_ARGS__), \
      WEFT_HERE)
#define WEFT_DRAW2_(f, key, dtype, a, ...) \
    f(WEFT_KEY_(key), WEFT_A_DTYPE_(dtype), WEFT_ARG_(a), WEFT_ARG_(WEFT_FIRST_(__VA_ARGS__)), \
      WEFT_REST_(__VA_ARGS__), WEFT_HERE)

#define weft_key(ctx, seed)                     weft_key_(WEFT_A_CONTEXT_(ctx), WEFT_ARG_(seed), WEFT_HERE)
#define weft_random_split(...) \
    weft_random_split_(WEFT_KEY_(WEFT_FIRST_(__VA_ARGS__)), WEFT_REST_(__VA_ARGS__), WEFT_HERE)
#define weft_random_keys(key, n, keys) \
    weft_random_keys_(WEFT_KEY_(key), WEFT_AN_INT_(n), (keys), WEFT_HERE)
#define weft_random_fold_in(key, data) \
    weft_random_fold_in_(WEFT_KEY_(key), WEFT_ARG_(data), WEFT_HERE)
#define weft_random_bits(key, ...)              WEFT_DRAW0_(weft_random_bits_, key, __VA_ARGS__)
#define weft_random_uniform(key, ...)           WEFT_DRAW0_(weft_random_uniform_, key, __VA_ARGS__)
#define weft_random_uniform_in(key, dtype, low, ...) \
    WEFT_DRAW2_(weft_random_uniform_in_, key, dtype, low, __VA_ARGS__)
#define weft_random_randint(key, dtype, low, ...) \
    WEFT_DRAW2_(weft_random_randint_, key, dtype, low, __VA_ARGS__)
#define weft_random_bernoulli(key, ...) \
    weft_random_bernoulli_(WEFT_KEY_(key), WEFT_ARG_(WEFT_FIRST_(__VA_ARGS__)), WEFT_REST_(__VA_ARGS__), \
                           WEFT_HERE)
#define weft_random_normal(key, ...)            WEFT_DRAW0_(weft_random_normal_, key, __VA_ARGS__)
#define weft_random_exponential(key, ...)       WEFT_DRAW0_(weft_random_exponential_, key, __VA_ARGS__)
#define weft_random_gumbel(key, ...)            WEFT_DRAW0_(weft_random_gumbel_, key, __VA_ARGS__)
#define weft_random_laplace(key, ...)           WEFT_DRAW0_(weft_random_laplace_, key, __VA_ARGS__)
#define weft_random_cauchy(key, ...)            WEFT_DRAW0_(weft_random_cauchy_, key, __VA_ARGS__)
#define weft_random_truncated_normal(key, dtype, low, ...) \
    WEFT_DRAW2_(weft_random_truncated_normal_, key, dtype, low, __VA_ARGS__)
#define weft_random_gamma(key, dtype, ...)      WEFT_DRAW1_(weft_random_gamma_, key, dtype, __VA_ARGS__)
#define weft_random_loggamma(key, dtype, ...)   WEFT_DRAW1_(weft_random_loggamma_, key, dtype, __VA_ARGS__)
#define weft_random_beta(key, dtype, a, ...)    WEFT_DRAW2_(weft_random_beta_, key, dtype, a, __VA_ARGS__)
#define weft_random_dirichlet(key, dtype, ...)  WEFT_DRAW1_(weft_random_dirichlet_, key, dtype, __VA_ARGS__)
#define weft_random_poisson(key, dtype, ...)    WEFT_DRAW1_(weft_random_poisson_, key, dtype, __VA_ARGS__)
#define weft_random_permutation(key, ...) \
    weft_random_permutation_(WEFT_KEY_(key), WEFT_ARG_(WEFT_FIRST_(__VA_ARGS__)), \
                             WEFT_DRAW_(#__VA_ARGS__, __VA_ARGS__), WEFT_HERE)
#define weft_random_choice(key, ...) \
    weft_random_choice_(WEFT_KEY_(key), WEFT_ARG_(WEFT_FIRST_(__VA_ARGS__)), \
                        WEFT_DRAW_(#__VA_ARGS__, __VA_ARGS__), WEFT_HERE)
#define weft_random_categorical(key, ...) \
    weft_random_categorical_(WEFT_KEY_(key), WEFT_ARG_(WEFT_FIRST_(__VA_ARGS__)), \
                             WEFT_DRAW_(#__VA_ARGS__, __VA_ARGS__), WEFT_HERE)
#endif
