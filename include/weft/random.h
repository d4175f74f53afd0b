/* weft/random.h: random numbers as functions of a key, as in jax.random: the same key gives the same numbers, on every machine, eagerly, compiled and under vmap.
 *
 *     weft_array *k[2];
 *     weft_random_keys(weft_key(ctx, 42), 2, k);                       never use a key twice: split it first
 *     weft_array *w = weft_random_normal(k[0], WEFT_F32, 64, 32);
 *     weft_array *b = weft_random_uniform_in(k[1], WEFT_F32, -0.1, 0.1, 64);
 *
 * A key is a u32[2]; it is data, so a new key is no reason to compile again. Each function takes ONE key; for several use weft_vmap, whose streams are those of
 * a loop over the keys. The bits are Threefry-2x32's in one of two layouts: WEFT_PARTITIONABLE, JAX's since 0.5, where each element is a function of its own index
 * and a whole array is one fused pass; and WEFT_LEGACY, JAX's before (jax_threefry_partitionable=False). weft_options.legacy_random chooses for a context,
 * weft_legacy(key) and weft_partitionable(key) for one call: weft_random_normal(weft_legacy(key), WEFT_F32, 3).
 *
 * The sizes come last, as in weft_zeros: weft_random_normal(key, WEFT_F32, 2, 3). Without sizes: rank 0, or the common shape of the parameters; with sizes,
 * parameters (numbers or arrays) must broadcast to them. dtype: f16, bf16, f32 or f64 unless said otherwise. docs/random.md says what is equal to JAX bit for bit.
 * Errors: a key that is no u32[2], an element type that does not fit, a negative size, parameters that do not broadcast. Parameters out of their range are data:
 * they give what JAX gives (NaN, for most), never an error.
 */
#ifndef WEFT_RANDOM_H
#define WEFT_RANDOM_H
#include "weft/ops.h"
#ifdef __cplusplus
extern "C" {
#endif

typedef enum { WEFT_LAYOUT_OF_CONTEXT, WEFT_PARTITIONABLE, WEFT_LEGACY } weft_random_layout;
/* A key and the layout to read it in. Wherever `key` stands below: this, or a weft_array *, which is in its context's layout. */
typedef struct weft_random_key { const weft_array *key; int layout; } weft_random_key;
static inline weft_random_key weft_random_key_(const weft_array *a)      { weft_random_key k; k.key = a; k.layout = WEFT_LAYOUT_OF_CONTEXT; return k; }
static inline weft_random_key weft_legacy(const weft_array *a)           { weft_random_key k; k.key = a; k.layout = WEFT_LEGACY; return k; }
static inline weft_random_key weft_partitionable(const weft_array *a)    { weft_random_key k; k.key = a; k.layout = WEFT_PARTITIONABLE; return k; }

/* ---- keys ----
 *   weft_key(ctx, seed)             the key of an integer: a number, or an int array of rank 0. jax.random.PRNGKey. A C number of 32 bits (signed or not) gives what JAX
 *                                   gives by default, first word 0; a larger one, and an i64 or u64 array, all its 64 bits
 *   weft_random_split(key, n)       u32[n,2], n new keys; weft_random_split(key): two; (key, n, m): u32[n,m,2]
 *   weft_random_keys(key, n, keys)  the same into weft_array *keys[n]; WEFT_OK, or the error and NULLs
 *   weft_random_fold_in(key, data)  a new key from a key and an int, number or array of rank 0, taken modulo 2^32
 */
weft_array *weft_key_(weft_context *, weft_operand seed, const char *at);
weft_array *weft_random_split_(weft_random_key, int rank, const int64_t *dim, const char *at);
weft_status weft_random_keys_(weft_random_key, int n, weft_array **keys, const char *at);
weft_array *weft_random_fold_in_(weft_random_key, weft_operand data, const char *at);

/* ---- bits and numbers ----
 *   weft_random_bits(key, dtype, sizes...)                  u8, u16, u32 or u64, all values equally likely
 *   weft_random_uniform(key, dtype, sizes...)               in [0, 1)
 *   weft_random_uniform_in(key, dtype, low, high, sizes...) in [low, high)
 *   weft_random_randint(key, dtype, low, high, sizes...)    ints in [low, high), for any int dtype; low where high <= low. low, high: ints
 *   weft_random_bernoulli(key, p, sizes...)                 bool, true with probability p (number or float array)
 */
weft_array *weft_random_bits_(weft_random_key, weft_dtype, int rank, const int64_t *dim, const char *at);
weft_array *weft_random_uniform_(weft_random_key, weft_dtype, int rank, const int64_t *dim, const char *at);
weft_array *weft_random_uniform_in_(weft_random_key, weft_dtype, weft_operand low, weft_operand high, int rank, const int64_t *dim, const char *at);
weft_array *weft_random_randint_(weft_random_key, weft_dtype, weft_operand low, weft_operand high, int rank, const int64_t *dim, const char *at);
weft_array *weft_random_bernoulli_(weft_random_key, weft_operand p, int rank, const int64_t *dim, const char *at);

/* ---- distributions ----
 *   weft_random_normal(key, dtype, sizes...)        mean 0, variance 1
 *   weft_random_exponential(key, dtype, sizes...)   rate 1
 *   weft_random_gumbel(key, dtype, sizes...)        standard; JAX's mode "low"
 *   weft_random_laplace(key, dtype, sizes...)       standard
 *   weft_random_cauchy(key, dtype, sizes...)        standard
 *   weft_random_truncated_normal(key, dtype, low, high, sizes...)   normal, given that it lies strictly between low and high
 *   weft_random_gamma(key, dtype, a, sizes...)      shape a, scale 1 (Marsaglia and Tsang); weft_random_loggamma: its logarithm, without underflow for small a
 *   weft_random_beta(key, dtype, a, b, sizes...)
 *   weft_random_dirichlet(key, dtype, alpha, sizes...)  alpha's last axis is the vector; sizes are those before it
 *   weft_random_poisson(key, dtype, rate, sizes...) an int dtype; Knuth's method below rate 10, Hoermann's rejection above; -1 for a rate that is NaN
 */
weft_array *weft_random_normal_(weft_random_key, weft_dtype, int rank, const int64_t *dim, const char *at);
weft_array *weft_random_exponential_(weft_random_key, weft_dtype, int rank, const int64_t *dim, const char *at);
weft_array *weft_random_gumbel_(weft_random_key, weft_dtype, int rank, const int64_t *dim, const char *at);
weft_array *weft_random_laplace_(weft_random_key, weft_dtype, int rank, const int64_t *dim, const char *at);
weft_array *weft_random_cauchy_(weft_random_key, weft_dtype, int rank, const int64_t *dim, const char *at);
weft_array *weft_random_truncated_normal_(weft_random_key, weft_dtype, weft_operand low, weft_operand high, int rank, const int64_t *dim, const char *at);

#ifdef __cplusplus
}
#endif

/* ---- the macros ---- */
#ifndef __cplusplus
static inline weft_random_key weft_random_same_(weft_random_key k) { return k; }
#define WEFT_KEY_PICK_(k) _Generic((k), weft_array *: weft_random_key_, const weft_array *: weft_random_key_, weft_random_key: weft_random_same_)
#ifdef __GNUC__
#define WEFT_KEY2_(k, t) __extension__ ({ __auto_type t = (k); WEFT_KEY_PICK_(t)(t); })
#define WEFT_KEY_(k)     WEFT_KEY2_(k, WEFT_CAT_(weft_t, __COUNTER__))
#else
#define WEFT_KEY_(k)     WEFT_KEY_PICK_(k)(k)
#endif
#else
static inline weft_random_key weft_random_of_(const weft_array *a)  { return weft_random_key_(a); }
static inline weft_random_key weft_random_of_(weft_random_key k)    { return k; }
#define WEFT_KEY_(k)     weft_random_of_(k)
#endif
/* f(key, dtype, sizes...) and f(key, dtype, one parameter, sizes...), f(key, dtype, two parameters, sizes...) */
#define WEFT_DRAW0_(f, key, ...)        f(WEFT_KEY_(key), WEFT_FIRST_(__VA_ARGS__), WEFT_REST_(__VA_ARGS__), WEFT_HERE)
#define WEFT_DRAW1_(f, key, dtype, ...) f(WEFT_KEY_(key), (dtype), WEFT_ARG_(WEFT_FIRST_(__VA_ARGS__)), WEFT_REST_(__VA_ARGS__), WEFT_HERE)
#define WEFT_DRAW2_(f, key, dtype, a, ...) \
    f(WEFT_KEY_(key), (dtype), WEFT_ARG_(a), WEFT_ARG_(WEFT_FIRST_(__VA_ARGS__)), WEFT_REST_(__VA_ARGS__), WEFT_HERE)

#define weft_key(ctx, seed)                     weft_key_((ctx), WEFT_ARG_(seed), WEFT_HERE)
#define weft_random_split(...)                  weft_random_split_(WEFT_KEY_(WEFT_FIRST_(__VA_ARGS__)), WEFT_REST_(__VA_ARGS__), WEFT_HERE)
#define weft_random_keys(key, n, keys)          weft_random_keys_(WEFT_KEY_(key), (n), (keys), WEFT_HERE)
#define weft_random_fold_in(key, data)          weft_random_fold_in_(WEFT_KEY_(key), WEFT_ARG_(data), WEFT_HERE)
#define weft_random_bits(key, ...)              WEFT_DRAW0_(weft_random_bits_, key, __VA_ARGS__)
#define weft_random_uniform(key, ...)           WEFT_DRAW0_(weft_random_uniform_, key, __VA_ARGS__)
#define weft_random_uniform_in(key, dtype, low, ...) WEFT_DRAW2_(weft_random_uniform_in_, key, dtype, low, __VA_ARGS__)
#define weft_random_randint(key, dtype, low, ...) WEFT_DRAW2_(weft_random_randint_, key, dtype, low, __VA_ARGS__)
#define weft_random_bernoulli(key, ...)         weft_random_bernoulli_(WEFT_KEY_(key), WEFT_ARG_(WEFT_FIRST_(__VA_ARGS__)), WEFT_REST_(__VA_ARGS__), WEFT_HERE)
#define weft_random_normal(key, ...)            WEFT_DRAW0_(weft_random_normal_, key, __VA_ARGS__)
#define weft_random_exponential(key, ...)       WEFT_DRAW0_(weft_random_exponential_, key, __VA_ARGS__)
#define weft_random_gumbel(key, ...)            WEFT_DRAW0_(weft_random_gumbel_, key, __VA_ARGS__)
#define weft_random_laplace(key, ...)           WEFT_DRAW0_(weft_random_laplace_, key, __VA_ARGS__)
#define weft_random_cauchy(key, ...)            WEFT_DRAW0_(weft_random_cauchy_, key, __VA_ARGS__)
#define weft_random_truncated_normal(key, dtype, low, ...) WEFT_DRAW2_(weft_random_truncated_normal_, key, dtype, low, __VA_ARGS__)
#endif
