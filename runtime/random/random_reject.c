/* random_reject.c: distributions by rejection: gamma, and beta and Dirichlet of it; Poisson. Algorithms, and
 * the order in which keys are split, are jax.random's.
 *
 * Gamma has a derivative by its shape parameter (ops_gamma_slope.c), and so have beta and Dirichlet.
 *
 * Gamma has a key for each element and loops for each element by itself. Poisson has one key for all: a turn
 * draws for all elements, until none is left.
 */
#include "random.h"
#include <math.h>

static weft_array *both(weft_array *a, weft_array *b) { return ops_binary(OP_AND, a, b); }
static weft_array *product(weft_array *a, weft_array *b) { return ops_binary(OP_MUL, a, b); }
static weft_array *sum(weft_array *a, weft_array *b) { return ops_binary(OP_ADD, a, b); }

/* ---- gamma (Marsaglia and Tsang, "A simple method for generating gamma variables"), one element ---- */

typedef struct GammaSpec {
    DType t;
    bool legacy, log_space;
} GammaSpec;

/* Invariant: c; carried: a key, x and v = 1 + c x, until v > 0. */
static void normal_cond(weft_array *const *in, weft_array **out, const void *data)
{
    (void)data;
    out[0] = ops_compare_with(CMP_LE, in[4], 0);
}

static void normal_body(weft_array *const *in, weft_array **out, const void *data)
{
    const GammaSpec *g = data;
    RandomKey k = { { in[1], in[2] }, g->legacy }, sub = random_subkey(&k, 1, 2),
              next = random_subkey(&k, 0, 2);
    weft_array *x = random_normal(&sub, ops_type(g->t, NULL, 0));
    out[0] = next.word[0];
    out[1] = next.word[1];
    out[2] = x;
    out[3] = random_fma(x, in[0], ops_fill(x, 1));
}

enum { GAMMA_C, GAMMA_D, GAMMA_KEY, GAMMA_X = GAMMA_KEY + 2, GAMMA_V, GAMMA_U, GAMMA_VALUES };

/* Not accepted: u >= 1 - 0.0331 X^2 and log u >= X / 2 + d (1 - V + log V), X the square of the normal. */
static void gamma_cond(weft_array *const *in, weft_array **out, const void *data)
{
    (void)data;
    weft_array *x = in[GAMMA_X], *v = in[GAMMA_V], *u = in[GAMMA_U];
    weft_array *squeeze =
        ops_compare(CMP_GE, u, ops_from(OP_SUB, 1, ops_with(OP_MUL, product(x, x), 0.0331)));
    weft_array *exponent =
        sum(ops_with(OP_MUL, x, 0.5), product(in[GAMMA_D], sum(ops_from(OP_SUB, 1, v), random_log(v))));
    out[0] = both(squeeze, ops_compare(CMP_GE, random_log(u), exponent));
}

static void gamma_body(weft_array *const *in, weft_array **out, const void *data)
{
    const GammaSpec *g = data;
    RandomKey k = { { in[GAMMA_KEY], in[GAMMA_KEY + 1] }, g->legacy };
    RandomKey next = random_subkey(&k, 0, 3), for_x = random_subkey(&k, 1, 3),
              for_u = random_subkey(&k, 2, 3);
    weft_array *inner[5] = { in[GAMMA_C], for_x.word[0], for_x.word[1], ops_fill(in[GAMMA_C], 0),
                             ops_fill(in[GAMMA_C], -1) };
    if (!ops_while(inner, 5, 1, normal_cond, normal_body, g)) return;
    weft_array *x = inner[3], *v = inner[4];
    out[0] = next.word[0];
    out[1] = next.word[1];
    out[2] = product(x, x);
    out[3] = product(product(v, v), v);
    out[4] = random_unit(&for_u, ops_type(g->t, NULL, 0));
}

/* A gamma of shape a < 1 is one of shape a + 1 times U^(1/a). */
static weft_array *boosted(const GammaSpec *g, const RandomKey *sub, weft_array *a, weft_array *large,
                           weft_array *d, weft_array *v)
{
    weft_array *inverse = ops_from(OP_DIV, 1, a);
    if (g->log_space) {
        weft_array *log_u = op_unary(OP_NEG, random_exponential(sub, ops_type(g->t, NULL, 0)));
        weft_array *none = ops_binary(OP_OR, large, ops_compare_with(CMP_EQ, log_u, 0));
        weft_array *boost = ops_select(none, ops_fill(a, 0), product(log_u, inverse));
        return sum(sum(random_log(d), random_log(v)), boost);
    }
    weft_array *u = ops_from(OP_SUB, 1, random_unit(sub, ops_type(g->t, NULL, 0)));
    weft_array *boost = ops_select(large, ops_fill(a, 1), ops_binary(OP_POW, u, inverse));
    return product(product(d, v), boost);
}

/* in: a key's words, and a. */
static void gamma_one(weft_array *const *in, weft_array **out, const void *data)
{
    const GammaSpec *g = data;
    RandomKey k = { { in[0], in[1] }, g->legacy }, loop = random_subkey(&k, 0, 2),
              sub = random_subkey(&k, 1, 2);
    weft_array *a = in[2], *large = ops_compare_with(CMP_GE, a, 1);
    weft_array *d = ops_with(OP_SUB, ops_select(large, a, ops_with(OP_ADD, a, 1)), 1.0 / 3);
    weft_array *c = d ? ops_with(OP_MUL, ops_from(OP_DIV, 1, op_unary(OP_SQRT, d)), 1.0 / 3) : NULL;
    weft_array *all[GAMMA_VALUES] = {
        c, d, loop.word[0], loop.word[1], ops_fill(a, 0), ops_fill(a, 1), ops_fill(a, 2)
    };
    if (!ops_while(all, GAMMA_VALUES, GAMMA_KEY, gamma_cond, gamma_body, g)) return;
    out[0] = boosted(g, &sub, a, large, d, all[GAMMA_V]);
}

/* Word i of each of the n keys that split gives. */
static weft_array *column(weft_array *keys, int i, int64_t n)
{
    return ops_reshape(ops_slice_axis(keys, 1, i, i + 1, 1), &n, 1);
}

/* in: the keys' words and a, [n] each. */
static void gamma_all(weft_array *const *in, weft_array **out, const void *data)
{
    const GammaSpec *g = data;
    out[0] = ops_map(in, 3, g->t, gamma_one, g);
}

/* The same with a tangent of a behind, and one of the samples. */
static void gamma_jvp(weft_array *const *in, weft_array **out, const void *data)
{
    const GammaSpec *g = data;
    gamma_all(in, out, data);
    out[1] = product(ops_gamma_slope(in[2], out[0], g->log_space), in[3]);
}

/* With its derivative beside it, for what may be differentiated. */
static weft_array *gamma_traced(weft_array *const *in, const GammaSpec *g)
{
    Type a = array_type(in[2]), type[4] = { array_type(in[0]), array_type(in[1]), a, a };
    OpsTraced value, jvp;
    const Graph *regions[2] = { ops_body(&value, type, 3, 1, gamma_all, g), NULL };
    if (regions[0]) regions[1] = ops_body(&jvp, type, 4, 2, gamma_jvp, g);
    weft_array *r =
        regions[1]
            ? op_apply(
                  OP_CUSTOM_JVP, in, 3, NULL, 0,
                  &(NodeSpec){ .regions = regions, .n_regions = 2, .dtype = g->t, .dim = a.dim, .rank = 1 })
            : NULL;
    if (regions[0]) ops_body_close(&jvp);
    ops_body_close(&value);
    return r;
}

static weft_array *gamma_of(const RandomKey *k, Type type, weft_array *a, bool log_space)
{
    const GammaSpec spec = { (DType)type.dtype, k->legacy, log_space };
    int64_t n = type_count(type);
    weft_array *keys = random_split(k, n),
               *in[3] = { column(keys, 0, n), column(keys, 1, n),
                          ops_reshape(ops_broadcast(a, type.dim, type.rank), &n, 1) },
               *r = NULL;
    if (!in[0] || !in[1] || !in[2]) return NULL;
    if (op_local()->trace) r = gamma_traced(in, &spec);
    else gamma_all(in, &r, &spec);
    return ops_reshape(r, type.dim, type.rank);
}

#define GAMMA(name, log_space) \
    static weft_array *draw_##name(const RandomKey *k, Type t, weft_array *const *a) \
    { \
        return gamma_of(k, t, *a, log_space); \
    } \
    weft_array *weft_random_##name##_(weft_random_key key, weft_dtype t, weft_operand a, int rank, \
                                      const int64_t *dim, const char *at) \
    { \
        return random_draw("weft_random_" #name, draw_##name, key, t, &a, 1, rank, dim, at); \
    }
GAMMA(gamma, false)
GAMMA(loggamma, true)

/* ---- quotients of gammas, from their logarithms ---- */

static weft_array *beta(const RandomKey *k, Type t, weft_array *const *shape)
{
    RandomKey for_a = random_subkey(k, 0, 2), for_b = random_subkey(k, 1, 2);
    weft_array *x = gamma_of(&for_a, t, shape[0], true), *y = gamma_of(&for_b, t, shape[1], true);
    weft_array *most = ops_binary(OP_MAX, x, y);
    weft_array *p = op_unary(OP_EXP, ops_binary(OP_SUB, x, most)),
               *q = op_unary(OP_EXP, ops_binary(OP_SUB, y, most));
    return ops_binary(OP_DIV, p, sum(p, q));
}

RANDOM_OF_TWO(beta, beta)

/* softmax along the last axis */
static weft_array *normalized(weft_array *x, int rank)
{
    const AxisList last = { 1, { rank - 1 } };
    weft_array *p = op_unary(OP_EXP, ops_binary(OP_SUB, x, ops_reduce(OP_MAX, x, &last, true)));
    return ops_binary(OP_DIV, p, ops_reduce(OP_ADD, p, &last, true));
}

weft_array *weft_random_dirichlet_(weft_random_key key, weft_dtype t, weft_operand alpha, int rank,
                                   const int64_t *dim, const char *at)
{
    OpsCall call;
    RandomKey k;
    Shape s = { .rank = rank };
    if (!random_begin(&call, "weft_random_dirichlet", at, key, &alpha, 1, &k) ||
        !random_float_ok(t, dim, rank))
        return ops_end(&call, NULL);
    weft_array *a = ops_operand(alpha, t);
    Type type = a ? array_type(a) : (Type){ .rank = 0 };
    if (a && type.rank == 0)
        op_fail(WEFT_SHAPE, "alpha must have an axis for the vector, not %s", TYPE_TEXT(type));
    if (type.rank == 0 || !ops_rank_ok(rank + 1)) return ops_end(&call, NULL);
    for (int i = 0; i < rank; i++) s.dim[i] = dim[i];
    if (rank > 0) s.dim[s.rank++] = type.dim[type.rank - 1];
    bool good = random_shape(&a, 1, s.dim, s.rank, &s) && ops_dims_ok(t, s.dim, s.rank);
    return ops_end(&call,
                   good ? normalized(gamma_of(&k, ops_type(t, s.dim, s.rank), a, true), s.rank) : NULL);
}

/* ---- Poisson, all elements in one loop ---- */

typedef struct PoissonSpec {
    const int64_t *dim;
    int rank;
    bool legacy;
} PoissonSpec;

static weft_array *any_of(weft_array *x, int rank)
{
    AxisList all = { .n = rank };
    for (int i = 0; i < rank; i++) all.axis[i] = i;
    return ops_reduce(OP_OR, x, &all, false);
}

/* Knuth: how many uniforms until their product is at most exp(-rate). Invariant: -rate; carried: key, count,
 * log of the product. */
enum { KNUTH_LIMIT, KNUTH_KEY, KNUTH_COUNT = KNUTH_KEY + 2, KNUTH_LOG, KNUTH_VALUES };

static void knuth_cond(weft_array *const *in, weft_array **out, const void *data)
{
    const PoissonSpec *p = data;
    out[0] = any_of(ops_compare(CMP_GT, in[KNUTH_LOG], in[KNUTH_LIMIT]), p->rank);
}

static void knuth_body(weft_array *const *in, weft_array **out, const void *data)
{
    const PoissonSpec *p = data;
    RandomKey k = { { in[KNUTH_KEY], in[KNUTH_KEY + 1] }, p->legacy }, next = random_subkey(&k, 0, 2),
              sub = random_subkey(&k, 1, 2);
    weft_array *going = ops_compare(CMP_GT, in[KNUTH_LOG], in[KNUTH_LIMIT]);
    out[0] = next.word[0];
    out[1] = next.word[1];
    out[2] = ops_select(going, ops_with(OP_ADD, in[KNUTH_COUNT], 1), in[KNUTH_COUNT]);
    out[3] = sum(in[KNUTH_LOG], random_log(random_unit(&sub, ops_type(WEFT_F32, p->dim, p->rank))));
}

static weft_array *poisson_knuth(const RandomKey *k, DType t, weft_array *rate, const PoissonSpec *p)
{
    weft_array *count = rate ? ops_splat(t, p->dim, p->rank, 0) : NULL;
    weft_array *all[KNUTH_VALUES] = { op_unary(OP_NEG, rate), k->word[0], k->word[1], count,
                                      ops_fill(rate, 0) };
    return ops_while(all, KNUTH_VALUES, KNUTH_KEY, knuth_cond, knuth_body, p)
               ? ops_with(OP_SUB, all[KNUTH_COUNT], 1)
               : NULL;
}

/* W. Hoermann, "The transformed rejection method for generating Poisson random variables". An element that
 * was accepted goes on drawing, as in JAX, and may be replaced by a later draw that is accepted too. */
enum { PTRS_RATE, PTRS_A, PTRS_B, PTRS_LOG_RATE, PTRS_INVERSE_ALPHA, PTRS_V, PTRS_INVARIANT };
enum { PTRS_KEY = PTRS_INVARIANT, PTRS_COUNT = PTRS_KEY + 2, PTRS_ACCEPTED, PTRS_VALUES };

static void ptrs_cond(weft_array *const *in, weft_array **out, const void *data)
{
    const PoissonSpec *p = data;
    out[0] = any_of(op_unary(OP_NOT, in[PTRS_ACCEPTED]), p->rank);
}

/* log(v / alpha / (a / s^2 + b)) <= -rate + k log rate - log k! */
static weft_array *ptrs_density(weft_array *const *in, weft_array *count, weft_array *v, weft_array *s)
{
    weft_array *below = sum(ops_binary(OP_DIV, in[PTRS_A], product(s, s)), in[PTRS_B]);
    weft_array *left = op_unary(OP_LOG, ops_binary(OP_DIV, product(v, in[PTRS_INVERSE_ALPHA]), below));
    weft_array *right = random_fma(count, in[PTRS_LOG_RATE], op_unary(OP_NEG, in[PTRS_RATE]));
    return ops_compare(CMP_LE, left,
                       ops_binary(OP_SUB, right, op_unary(OP_LGAMMA, ops_with(OP_ADD, count, 1))));
}

static void ptrs_body(weft_array *const *in, weft_array **out, const void *data)
{
    const PoissonSpec *p = data;
    RandomKey k = { { in[PTRS_KEY], in[PTRS_KEY + 1] }, p->legacy };
    RandomKey next = random_subkey(&k, 0, 3), for_u = random_subkey(&k, 1, 3),
              for_v = random_subkey(&k, 2, 3);
    weft_array *u = ops_with(OP_SUB, random_unit(&for_u, ops_type(WEFT_F32, p->dim, p->rank)), 0.5),
               *v = random_unit(&for_v, ops_type(WEFT_F32, p->dim, p->rank));
    weft_array *s = u ? ops_from(OP_SUB, 0.5, op_unary(OP_ABS, u)) : NULL;
    weft_array *slope = sum(ops_binary(OP_DIV, ops_with(OP_MUL, in[PTRS_A], 2), s), in[PTRS_B]);
    weft_array *place = ops_with(OP_ADD, random_fma(slope, u, in[PTRS_RATE]), 0.43);
    weft_array *count = place ? op_unary(OP_FLOOR, place) : NULL;
    weft_array *inside = both(ops_compare_with(CMP_GE, s, 0.07), ops_compare(CMP_LE, v, in[PTRS_V]));
    weft_array *outside = ops_binary(OP_OR, ops_compare_with(CMP_LT, count, 0),
                                     both(ops_compare_with(CMP_LT, s, 0.013), ops_compare(CMP_GT, v, s)));
    weft_array *accept =
        outside ? ops_binary(OP_OR, inside, both(op_unary(OP_NOT, outside), ptrs_density(in, count, v, s)))
                : NULL;
    out[0] = next.word[0];
    out[1] = next.word[1];
    out[2] = ops_select(accept, count, in[PTRS_COUNT]);
    out[3] = ops_binary(OP_OR, in[PTRS_ACCEPTED], accept);
}

/* No draw for an infinite rate would ever be accepted, so its count, -1, is accepted from the start. */
static weft_array *poisson_rejection(const RandomKey *k, DType t, weft_array *rate, const PoissonSpec *p)
{
    weft_array *root = rate ? op_unary(OP_SQRT, rate) : NULL;
    weft_array *b = random_fma(root, ops_fill(root, 2.53), ops_fill(root, 0.931)),
               *a = random_fma(b, ops_fill(b, 0.02483), ops_fill(b, -0.059));
    weft_array *inverse_alpha = ops_with(OP_ADD, ops_from(OP_DIV, 1.1328, ops_with(OP_SUB, b, 3.4)), 1.1239);
    weft_array *v = ops_from(OP_SUB, 0.9277, ops_from(OP_DIV, 3.6224, ops_with(OP_SUB, b, 2)));
    weft_array *endless = ops_compare_with(CMP_EQ, rate, INFINITY);
    weft_array *all[PTRS_VALUES] = { rate, a,          b,          random_log(rate),   inverse_alpha,
                                     v,    k->word[0], k->word[1], ops_fill(rate, -1), endless };
    return ops_while(all, PTRS_VALUES, PTRS_KEY, ptrs_cond, ptrs_body, p) ? ops_convert(all[PTRS_COUNT], t)
                                                                          : NULL;
}

static weft_array *poisson(const RandomKey *k, DType t, weft_array *rate, const Shape *s)
{
    const PoissonSpec spec = { s->dim, s->rank, k->legacy };
    rate = ops_broadcast(rate, s->dim, s->rank);
    if (!rate) return NULL;
    weft_array *small =
        ops_binary(OP_OR, ops_compare(CMP_NE, rate, rate), ops_compare_with(CMP_LT, rate, 10));
    weft_array *low = poisson_knuth(k, t, ops_select(small, rate, ops_fill(rate, 0)), &spec);
    weft_array *high = poisson_rejection(k, t, ops_select(small, ops_fill(rate, 1e5), rate), &spec);
    weft_array *count = ops_select(small, low, high);
    return count ? ops_select(ops_compare_with(CMP_EQ, rate, 0), ops_fill(count, 0), count) : NULL;
}

weft_array *weft_random_poisson_(weft_random_key key, weft_dtype t, weft_operand rate, int rank,
                                 const int64_t *dim, const char *at)
{
    OpsCall call;
    RandomKey k;
    weft_array *p;
    Shape s;
    bool good = random_begin(&call, "weft_random_poisson", at, key, &rate, 1, &k) &&
                random_int_ok(t, dim, rank) && random_parameters(&rate, 1, WEFT_F32, dim, rank, &p, &s);
    return ops_end(&call, good ? poisson(&k, t, p, &s) : NULL);
}
