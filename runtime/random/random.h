/* random.h: what the random functions share: a key's two words, bits, numbers in [0, 1), and the functions of
 * f32 rounded as JAX rounds them.
 *
 * All are compositions of primitives (runtime/ops/ops_compose.h), with their conventions: NULL is a failed
 * value and is handed on. A Type says which elements of which shape are drawn.
 */
#ifndef WEFT_RANDOM_RANDOM_H
#define WEFT_RANDOM_RANDOM_H
#include "runtime/ops/ops_body.h"
#include "weft/random.h"

typedef struct RandomKey {
    weft_array *word[2]; /* u32 of rank 0 */
    bool legacy;
} RandomKey;

/* ops_begin with a key in front: checks it, and the operands, and takes its words. */
bool random_begin(OpsCall *, const char *name, const char *at, weft_random_key, const weft_operand *, int n,
                  RandomKey *out);
/* Key number i of the n that split gives, by itself. */
RandomKey random_subkey(const RandomKey *, int64_t i, int64_t n);
weft_array *random_split(const RandomKey *, int64_t n); /* all of them: u32[n,2] */

weft_array *random_bits(const RandomKey *, Type); /* u8, u16, u32 or u64 */
weft_array *random_unit(const RandomKey *, Type); /* floats in [0, 1) */
/* In [low, high): C numbers; arrays of the type that broadcast to the shape. */
weft_array *random_between(const RandomKey *, Type, double low, double high);
weft_array *random_within(const RandomKey *, Type, weft_array *low, weft_array *high);
/* from and to: ints of any type that broadcast to the shape. */
weft_array *random_randint(const RandomKey *, Type, weft_array *from, weft_array *to);
weft_array *random_normal(const RandomKey *, Type);
weft_array *random_exponential(const RandomKey *, Type);
weft_array *random_gumbel(const RandomKey *, Type);

/* An operand of any int type; a C number has the widest type that it needs, as in JAX. Else op_fail and
 * NULL. */
weft_array *random_int(weft_operand, const char *what);
/* dtype and sizes as a user gave them; else op_fail and false. */
bool random_float_ok(DType, const int64_t *dim, int rank);
bool random_int_ok(DType, const int64_t *dim, int rank);
/* The result's shape: the sizes given, to which the parameters must broadcast, or without any the parameters'
 * common one. */
bool random_shape(weft_array *const *, int n, const int64_t *dim, int rank, Shape *);
/* The same for parameters that become arrays of type t first. */
bool random_parameters(const weft_operand *, int n, DType t, const int64_t *dim, int rank, weft_array **out,
                       Shape *shape);
/* A public function whole, for floats: f draws, with n parameters, at most two. */
typedef weft_array *RandomSampler(const RandomKey *, Type, weft_array *const *parameters);
weft_array *random_draw(const char *name, RandomSampler *f, weft_random_key, DType, const weft_operand *,
                        int n, int rank, const int64_t *dim, const char *at);
/* The public function weft_random_name_ that draws so with two parameters. */
#define RANDOM_OF_TWO(name, f) \
    weft_array *weft_random_##name##_(weft_random_key key, weft_dtype t, weft_operand a, weft_operand b, \
                                      int rank, const int64_t *dim, const char *at) \
    { \
        const weft_operand parameters[] = { a, b }; \
        return random_draw("weft_random_" #name, f, key, t, parameters, 2, rank, dim, at); \
    }

/* random_math.c: log, log1p and the inverse of erf with JAX's own roundings (f32 to the last bit). */
weft_array *random_log(weft_array *);
weft_array *random_log1p(weft_array *);
weft_array *random_erf_inv(weft_array *);
weft_array *random_fma(weft_array *a, weft_array *b, weft_array *c); /* a b + c, rounded once */
#endif
