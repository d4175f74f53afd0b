/* test_random_numbers.c: random numbers against jax.random. tests/data/random.txt lists calls and what JAX
 * gives (make_random_data.py made it); each is made eagerly, compiled, compiled in strict mode (in
 * one of these modes each, in a long run in both), and under vmap. Then what has no table: published vectors,
 * streams under vmap, distributions, an ensemble of random networks. */
#include <criterion/criterion.h>
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "compiler/graph/types/dtype.h"
#include "compiler/scalar/threefry.h"
#include "tests/support/graph_support.h"
#include "tests/support/heap.h"
#include "tests/support/long_run.h"
#include "runtime/exec/compile.h"
#include "weft.h"

/* ---- the table ---- */

typedef struct Row {
    char function[32];
    bool legacy;
    int64_t seed;
    weft_dtype dtype;
    int rank, n;
    int64_t dim[8];
    double number[8];
    size_t bytes;
    unsigned char *want;
} Row;
enum { MAX_ROWS = 1000 };
static Row rows[MAX_ROWS];
static int n_rows;

static void read_row(char *line, Row *r)
{
    char *save, *word;
    snprintf(r->function, sizeof r->function, "%s", strtok_r(line, " ", &save));
    r->legacy = !strcmp(strtok_r(NULL, " ", &save), "old");
    r->seed = atoll(strtok_r(NULL, " ", &save));
    r->dtype = (weft_dtype)dtype_named(strtok_r(NULL, " ", &save));
    word = strtok_r(NULL, " ", &save);
    for (const char *s = *word == '-' ? "" : word; *s; s += strspn(s, "x"))
        r->dim[r->rank++] = strtoll(s, (char **)(uintptr_t)&s, 10);
    word = strtok_r(NULL, " ", &save);
    for (const char *s = strcmp(word, "-") ? word : ""; *s; s += strspn(s, ","))
        r->number[r->n++] = strtod(s, (char **)(uintptr_t)&s);
    strtok_r(NULL, " ", &save);
    const char *hex = strtok_r(NULL, " \n", &save);
    r->bytes = hex ? strlen(hex) / 2 : 0;
    r->want = malloc(r->bytes + 1);
    for (size_t i = 0; i < r->bytes; i++) {
        unsigned v = 0;
        sscanf(hex + 2 * i, "%2x", &v);
        r->want[i] = (unsigned char)v;
    }
}

static void load(void)
{
    static char line[1 << 16];
    FILE *f = fopen("tests/data/random.txt", "r");
    cr_assert(f, "tests/data/random.txt cannot be read");
    while (n_rows < MAX_ROWS && fgets(line, sizeof line, f)) read_row(line, &rows[n_rows++]);
    fclose(f);
    cr_assert_gt(n_rows, 400);
}

static void unload(void)
{
    while (n_rows) free(rows[--n_rows].want);
}

/* ---- the calls ---- */

typedef weft_array *Call(weft_random_key, const Row *);
#define T     r->dtype
#define SIZES r->rank, r->dim, WEFT_HERE
#define ONE   weft_of_float(r->number[0])
#define TWO \
    ONE \
    , weft_of_float(r->number[1])

static weft_operand whole(double v)
{
    return v < 9e18 && v > -9e18 ? weft_of_int((int64_t)v) : weft_of_uint((uint64_t)v);
}
static weft_array *call_split(weft_random_key k, const Row *r) { return weft_random_split_(k, SIZES); }
static weft_array *call_fold_in(weft_random_key k, const Row *r)
{
    return weft_random_fold_in(k, (int64_t)r->number[0]);
}
static weft_array *call_bits(weft_random_key k, const Row *r) { return weft_random_bits_(k, T, SIZES); }
static weft_array *call_uniform(weft_random_key k, const Row *r) { return weft_random_uniform_(k, T, SIZES); }
static weft_array *call_uniform_in(weft_random_key k, const Row *r)
{
    return weft_random_uniform_in_(k, T, TWO, SIZES);
}
static weft_array *call_randint(weft_random_key k, const Row *r)
{
    return weft_random_randint_(k, T, whole(r->number[0]), whole(r->number[1]), SIZES);
}
static weft_array *call_bernoulli(weft_random_key k, const Row *r)
{
    return weft_random_bernoulli_(k, ONE, SIZES);
}
static weft_array *call_normal(weft_random_key k, const Row *r) { return weft_random_normal_(k, T, SIZES); }
static weft_array *call_exponential(weft_random_key k, const Row *r)
{
    return weft_random_exponential_(k, T, SIZES);
}
static weft_array *call_gumbel(weft_random_key k, const Row *r) { return weft_random_gumbel_(k, T, SIZES); }
static weft_array *call_laplace(weft_random_key k, const Row *r) { return weft_random_laplace_(k, T, SIZES); }
static weft_array *call_cauchy(weft_random_key k, const Row *r) { return weft_random_cauchy_(k, T, SIZES); }
static weft_array *call_truncated_normal(weft_random_key k, const Row *r)
{
    return weft_random_truncated_normal_(k, T, TWO, SIZES);
}
static weft_array *call_gamma(weft_random_key k, const Row *r)
{
    return weft_random_gamma_(k, T, ONE, SIZES);
}
static weft_array *call_loggamma(weft_random_key k, const Row *r)
{
    return weft_random_loggamma_(k, T, ONE, SIZES);
}
static weft_array *call_beta(weft_random_key k, const Row *r) { return weft_random_beta_(k, T, TWO, SIZES); }
static weft_array *call_poisson(weft_random_key k, const Row *r)
{
    return weft_random_poisson_(k, T, ONE, SIZES);
}

static weft_array *call_dirichlet(weft_random_key k, const Row *r)
{
    return weft_random_dirichlet_(k, T, weft_of_array(weft_from(NULL, r->number, r->n)), SIZES);
}

static const char *text_of(int axis)
{
    static const char *const text[] = { "-2", "-1", "0", "1", "2" };
    return text[axis + 2];
}

/* Sizes of an arange that is shuffled; none: the number 10. */
static weft_array *call_permutation(weft_random_key k, const Row *r)
{
    if (r->rank == 0) return weft_random_permutation(k, 10);
    int64_t n = 1;
    for (int i = 0; i < r->rank; i++) n *= r->dim[i];
    weft_array *x = weft_reshape_(weft_iota(NULL, WEFT_I32, 0, n), r->rank, r->dim, WEFT_HERE);
    return weft_random_permutation(k, x, .axis = text_of((int)r->number[0]), .each = r->number[1] != 0);
}

static weft_array *call_choice(weft_random_key k, const Row *r)
{
    int n = (int)r->number[0];
    bool weighted = strstr(r->function, "_p") != NULL;
    weft_array *p = weighted ? weft_astype(weft_arange(NULL, 1, n + 1, 1), WEFT_F32) : NULL;
    return weft_random_choice(k, n, .shape = { r->rank, r->dim }, .p = p,
                              .distinct = !strncmp(r->function, "choose", 6));
}

static weft_array *call_categorical(weft_random_key k, const Row *r)
{
    int64_t dim[8], n = 1;
    for (int i = 1; i < r->n; i++) n *= dim[i - 1] = (int64_t)r->number[i];
    weft_array *logits = weft_mul(weft_astype(weft_rem(weft_iota(NULL, WEFT_I32, 0, n), 5), WEFT_F32), 0.5);
    weft_draw d = { .axis = text_of((int)r->number[0]),
                    .shape = { r->rank, r->dim },
                    .distinct = strstr(r->function, "_distinct") != NULL };
    return weft_random_categorical_(k, weft_of_array(weft_reshape_(logits, r->n - 1, dim, WEFT_HERE)), d,
                                    WEFT_HERE);
}

/* ulps: how far from JAX, in units in the last place, each may be; few: 99 of 100 may. */
static const struct Function {
    const char *name;
    Call *call;
    int ulps;
    bool few;
} functions[] = {
    { "split", call_split, 0, false },
    { "fold_in", call_fold_in, 0, false },
    { "bits", call_bits, 0, false },
    { "uniform", call_uniform, 0, false },
    { "uniform_in", call_uniform_in, 0, false },
    { "randint", call_randint, 0, false },
    { "bernoulli", call_bernoulli, 0, false },
    { "normal", call_normal, 4, false },
    { "exponential", call_exponential, 4, false },
    { "gumbel", call_gumbel, 4, false },
    { "laplace", call_laplace, 4, false },
    { "cauchy", call_cauchy, 4, false },
    { "truncated_normal", call_truncated_normal, 16, true },
    { "gamma", call_gamma, 16, true },
    { "loggamma", call_loggamma, 16, true },
    { "beta", call_beta, 16, true },
    { "dirichlet", call_dirichlet, 16, true },
    { "poisson", call_poisson, 0, true },
    { "permutation", call_permutation, 0, false },
    { "choice", call_choice, 0, false },
    { "choice_p", call_choice, 0, false },
    { "choose", call_choice, 0, false },
    { "choose_p", call_choice, 0, false },
    { "categorical", call_categorical, 0, false },
    { "categorical_distinct", call_categorical, 0, false },
};

static const struct Function *function_of(const Row *r)
{
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++)
        if (!strcmp(functions[i].name, r->function)) return &functions[i];
    fprintf(stderr, "random.txt: function %s\n", r->function);
    abort();
}

static weft_array *draw(weft_array *key, int row)
{
    const Row *r = &rows[row];
    return function_of(r)->call(r->legacy ? weft_legacy(key) : weft_partitionable(key), r);
}

/* ---- comparing ---- */

static int64_t ordered(weft_dtype t, uint64_t bits)
{
    int width = 8 * (int)dtype_bytes((DType)t);
    uint64_t sign = (uint64_t)1 << (width - 1);
    return dtype_is_float((DType)t) && bits & sign ? -(int64_t)(bits & (sign - 1)) : (int64_t)bits;
}

static uint64_t distance(weft_dtype t, const void *a, const void *b)
{
    uint64_t x = 0, y = 0;
    memcpy(&x, a, dtype_bytes((DType)t));
    memcpy(&y, b, dtype_bytes((DType)t));
    double u = scalar_to_double((DType)t, scalar_load((DType)t, a)),
           v = scalar_to_double((DType)t, scalar_load((DType)t, b));
    if (isnan(u) && isnan(v)) return 0;
    int64_t i = ordered(t, x), j = ordered(t, y);
    return i > j ? (uint64_t)i - (uint64_t)j : (uint64_t)j - (uint64_t)i;
}

static void compare(const char *how, int row, const weft_array *got)
{
    const Row *r = &rows[row];
    const struct Function *f = function_of(r);
    size_t item = dtype_bytes((DType)r->dtype), n = r->bytes / item, far = 0, first = 0;
    uint64_t most = 0;
    if (!got || weft_dtype_of(got) != r->dtype || (size_t)weft_count(got) != n) {
        cr_expect_fail("%s: row %d (%s): %s", how, row + 1, r->function,
                       got ? "another type or size" : weft_error(NULL));
        weft_clear(NULL);
        return;
    }
    const char *data = weft_data(got);
    for (size_t i = 0; i < n; i++) {
        uint64_t d = distance(r->dtype, data + i * item, r->want + i * item);
        if (d <= (uint64_t)f->ulps) continue;
        if (!far++) first = i;
        if (d > most) most = d;
    }
    size_t allowed = f->few ? n / 100 : 0;
    cr_expect(far <= allowed,
              "%s: row %d (%s %s %s): %zu of %zu elements are further than %d units away, %llu at most, the "
              "first is %zu",
              how, row + 1, r->function, r->legacy ? "old" : "new", dtype_name((DType)r->dtype), far, n,
              f->ulps, (unsigned long long)most, first);
}

WEFT_SIGNATURE(draw_fn, weft_array *, (weft_array * key, int row));

static void check_rows(const char *how, weft_mode mode, bool compiled)
{
    load();
    weft_context *ctx = weft_open(&(weft_options){ .mode = mode });
    weft_declare(ctx, draw, draw_fn);
    draw_fn *f = compiled ? weft_jit(ctx, draw) : draw;
    bool all = !compiled || long_run();
    for (int i = 0; i < n_rows; i++) {
        /* kinds of calls follow one another in turn: each has rows of both parities */
        if (!all && __builtin_parity((unsigned)i) != (mode == WEFT_MODE_STRICT)) continue;
        weft_scope *scope = weft_scope_open(ctx);
        compare(how, i, f(weft_key(ctx, rows[i].seed), i));
        weft_scope_close(scope);
    }
    weft_close(ctx);
    unload();
}

static bool have_back_end(void)
{
    Failure f = { .code = WEFT_OK };
    return backend_get(&f);
}

Test(random_numbers, eager_agrees_with_jax) { check_rows("eager", WEFT_MODE_DEFAULT, false); }
Test(random_numbers, compiled_agrees_with_jax)
{
    if (have_back_end()) check_rows("compiled", WEFT_MODE_DEFAULT, true);
}
Test(random_numbers, strict_agrees_with_jax)
{
    if (have_back_end()) check_rows("strict", WEFT_MODE_STRICT, true);
}

/* ---- streams under vmap are those of a loop ---- */

static bool same_element(const weft_array *all, int64_t at, const weft_array *one)
{
    size_t bytes = (size_t)weft_count(one) * dtype_bytes((DType)weft_dtype_of(one));
    return bytes == 0 ||
           memcmp((const char *)weft_data(all) + (size_t)at * bytes, weft_data(one), bytes) == 0;
}

static void check_vmap(weft_context *ctx, draw_fn *mapped, int row)
{
    enum { KEYS = 3 };
    weft_array *key[KEYS];
    weft_random_keys(weft_key(ctx, rows[row].seed), KEYS, key);
    weft_array *all = mapped(weft_stack_arrays(0, key[0], key[1], key[2]), row);
    cr_expect(all, "row %d (%s): %s", row + 1, rows[row].function, weft_error(ctx));
    for (int i = 0; all && i < KEYS; i++) {
        weft_array *one = draw(key[i], row);
        cr_expect(one && weft_count(all) == KEYS * weft_count(one) && same_element(all, i, one),
                  "row %d (%s): key %d under vmap gives others than alone", row + 1, rows[row].function, i);
    }
    weft_clear(ctx);
}

/* One row of each function, layout and type. */
static bool is_first(int row)
{
    for (int i = 0; i < row; i++)
        if (!strcmp(rows[i].function, rows[row].function) && rows[i].legacy == rows[row].legacy &&
            rows[i].dtype == rows[row].dtype && rows[i].bytes)
            return false;
    return rows[row].bytes > 0;
}

static void check_streams(bool compiled)
{
    load();
    weft_context *ctx = weft_open(&(weft_options){ .mode = WEFT_MODE_STRICT });
    weft_declare(ctx, draw, draw_fn);
    draw_fn *mapped = weft_vmap(ctx, draw, "0");
    if (compiled) mapped = weft_jit(ctx, mapped);
    for (int i = 0; i < n_rows; i++) {
        if (!is_first(i)) continue;
        weft_scope *scope = weft_scope_open(ctx);
        check_vmap(ctx, mapped, i);
        weft_scope_close(scope);
    }
    weft_close(ctx);
    unload();
}

Test(random_numbers, vmap_is_a_loop) { check_streams(false); }
Test(random_numbers, compiled_vmap_is_a_loop)
{
    if (have_back_end()) check_streams(true);
}

/* ---- published vectors ---- */

static uint64_t block_of(uint32_t k0, uint32_t k1, uint32_t c0, uint32_t c1)
{
    uint32_t x0 = c0, x1 = c1;
    threefry_words((uint32_t[]){ k0, k1 }, &x0, &x1, 1);
    return (uint64_t)x0 << 32 | x1;
}

/* Random123's known answers. */
Test(random_numbers, threefry_has_its_known_answers)
{
    cr_expect_eq(block_of(0, 0, 0, 0), UINT64_C(0x6b20015999ba4efe));
    cr_expect_eq(block_of(UINT32_MAX, UINT32_MAX, UINT32_MAX, UINT32_MAX), UINT64_C(0x1cb996fcbb002be7));
    cr_expect_eq(block_of(0x13198a2e, 0x03707344, 0x243f6a88, 0x85a308d3), UINT64_C(0xc4923a9c483df7a0));
}

static void expect_words(const weft_array *a, int n, const uint32_t *want)
{
    cr_assert(a, "%s", weft_error(NULL));
    const uint32_t *got = weft_u32(a);
    cr_assert_eq(weft_count(a), n);
    for (int i = 0; i < n; i++) cr_expect_eq(got[i], want[i], "element %d is %u, not %u", i, got[i], want[i]);
}
#define WORDS(...) \
    (int)(sizeof(uint32_t[]){ __VA_ARGS__ } / 4), (const uint32_t[]) { __VA_ARGS__ }

static void expect_near(const weft_array *a, int n, const double *want)
{
    cr_assert(a, "%s", weft_error(NULL));
    for (int i = 0; i < n; i++)
        cr_expect_lt(fabs((double)weft_f32(a)[i] - want[i]), 1e-6, "element %d is %.8g, not %.8g", i,
                     (double)weft_f32(a)[i], want[i]);
}
#define NUMBERS(...) \
    (int)(sizeof(double[]){ __VA_ARGS__ } / sizeof(double)), (const double[]) { __VA_ARGS__ }

Test(random_numbers, documented_values)
{
    weft_context *ctx = weft_open(NULL);
    weft_array *zero = weft_key(ctx, 0);
    expect_words(weft_random_split(zero), WORDS(1797259609, 2579123966, 928981903, 3453687069));
    expect_words(weft_random_bits(zero, WEFT_U32, 4), WORDS(4070199207, 4202968722, 1427181096, 2012915765));
    expect_near(weft_random_uniform(zero, WEFT_F32, 3), NUMBERS(0.947667, 0.97857988, 0.33229148));
    expect_near(weft_random_normal(zero, WEFT_F32, 3), NUMBERS(1.622642, 2.0252647, -0.43359444));
    expect_near(weft_random_normal(weft_key(ctx, 42), WEFT_F32, 3), NUMBERS(-0.0283046, 0.4671319, 0.295703));
    expect_words(
        weft_random_split(weft_legacy(zero), 4),
        WORDS(2285895361, 1501764800, 1518642379, 4090693311, 433833334, 4221794875, 839183663, 3740430601));
    expect_words(weft_random_fold_in(zero, 4), WORDS(2285895361, 433833334));
    expect_words(weft_random_split(weft_legacy(weft_key(ctx, 42))),
                 WORDS(2465931498, 3679230171, 255383827, 267815257));
    expect_words(weft_random_bits(weft_legacy(weft_key(ctx, 1701)), WEFT_U32, 3),
                 WORDS(56197195, 4200222568, 961309823));
    weft_close(ctx);
}

/* How the type of a seed decides its two words. */
Test(random_numbers, seeds)
{
    weft_context *ctx = weft_open(NULL);
    expect_words(weft_key(ctx, 7), WORDS(0, 7));
    expect_words(weft_key(ctx, -1), WORDS(0, UINT32_MAX));
    expect_words(weft_key(ctx, 4294967295u), WORDS(0, UINT32_MAX));
    expect_words(weft_key(ctx, 1LL << 32 | 5), WORDS(1, 5));
    expect_words(weft_key(ctx, UINT64_MAX), WORDS(UINT32_MAX, UINT32_MAX));
    expect_words(weft_key(ctx, weft_scalar_as(ctx, WEFT_I32, -1)), WORDS(0, UINT32_MAX));
    expect_words(weft_key(ctx, weft_scalar_as(ctx, WEFT_I64, -1)), WORDS(UINT32_MAX, UINT32_MAX));
    expect_words(weft_key(ctx, weft_scalar_as(ctx, WEFT_I8, -1)), WORDS(0, UINT32_MAX));
    weft_close(ctx);
}

Test(random_numbers, layout_of_a_context)
{
    weft_context *old = weft_open(&(weft_options){ .legacy_random = true });
    weft_array *key = weft_key(old, 0);
    expect_words(weft_random_split(key), WORDS(4146024105, 967050713, 2718843009, 1272950319));
    expect_words(weft_random_split(weft_partitionable(key)),
                 WORDS(1797259609, 2579123966, 928981903, 3453687069));
    weft_close(old);
}

/* ---- the graph's builder is the arrays' ---- */

Test(random_numbers, blocks_of_nodes)
{
    Arena arena;
    arena_open(&arena);
    Graph *g = graph_new(&arena, "block");
    Type word = { .dtype = WEFT_U32 };
    Ref out[2];
    threefry_graph(g, (Ref[]){ build_splat(g, word, 0x13198a2e), build_splat(g, word, 0x03707344) },
                   (Ref[]){ build_splat(g, word, 0x243f6a88), build_splat(g, word, 0x85a308d3) }, out);
    for (int i = 0; i < 2; i++) {
        const Node *n = graph_node(g, out[i]);
        cr_assert_eq(n->op, OP_CONSTANT);
        cr_expect_eq(scalar_load(WEFT_U32, n->data), (uint64_t)(i ? 0x483df7a0 : 0xc4923a9c));
    }
    arena_free(&arena);
}

/* ---- distributions ---- */

enum { SAMPLES = 20000, FEW = 4000 };
typedef double Cdf(double);
static double cdf_uniform(double x) { return x; }
static double cdf_normal(double x) { return erfc(-x / sqrt(2)) / 2; }
static double cdf_truncated(double x)
{
    return (cdf_normal(x) - cdf_normal(-1)) / (cdf_normal(2) - cdf_normal(-1));
}
static double cdf_exponential(double x) { return -expm1(-x); }
static double cdf_gumbel(double x) { return exp(-exp(-x)); }
static double cdf_laplace(double x) { return x < 0 ? exp(x) / 2 : 1 - exp(-x) / 2; }
static double cdf_cauchy(double x) { return 0.5 + atan(x) / acos(-1); }
static double cdf_gamma3(double x) { return 1 - exp(-x) * (1 + x + x * x / 2); }
static double cdf_gamma_half(double x) { return erf(sqrt(x)); }
static double cdf_beta21(double x) { return x * x; }

static int ascending(const void *a, const void *b)
{
    float x = *(const float *)a, y = *(const float *)b;
    return (x > y) - (x < y);
}

/* Kolmogorov and Smirnov: 1.95 / sqrt(n) is passed by one fair sample in 1000. */
static void check_distribution(const char *name, const weft_array *a, Cdf *cdf)
{
    cr_assert(a, "%s: %s", name, weft_error(NULL));
    int64_t n = weft_count(a);
    float *x = malloc((size_t)n * sizeof *x);
    double most = 0;
    memcpy(x, weft_f32(a), (size_t)n * sizeof *x);
    qsort(x, (size_t)n, sizeof *x, ascending);
    for (int64_t i = 0; i < n; i++) {
        double p = cdf((double)x[i]), below = (double)i / (double)n, above = (double)(i + 1) / (double)n;
        most = fmax(most, fmax(p - below, above - p));
    }
    free(x);
    cr_expect_lt(most * sqrt((double)n), 1.95, "%s: the distribution function is off by %g", name, most);
}

static void check_moments(const char *name, weft_array *a, double mean, double variance)
{
    weft_array *x = weft_astype(a, WEFT_F64);
    double n = (double)weft_count(a), m = weft_item(weft_mean(x)), v = weft_item(weft_var(x));
    cr_expect_lt(fabs(m - mean), 4 * sqrt(variance / n), "%s: mean %g, not %g", name, m, mean);
    cr_expect_lt(fabs(v / variance - 1), 0.1, "%s: variance %g, not %g", name, v, variance);
}

Test(random_numbers, distributions)
{
    weft_context *ctx = weft_open(NULL);
    for (int layout = WEFT_PARTITIONABLE; layout <= WEFT_LEGACY; layout++) {
        weft_random_key k = { weft_key(ctx, 2024), layout };
        check_distribution("uniform", weft_random_uniform(k, WEFT_F32, SAMPLES), cdf_uniform);
        check_distribution("normal", weft_random_normal(k, WEFT_F32, SAMPLES), cdf_normal);
        check_distribution("truncated normal", weft_random_truncated_normal(k, WEFT_F32, -1, 2, SAMPLES),
                           cdf_truncated);
        check_distribution("exponential", weft_random_exponential(k, WEFT_F32, SAMPLES), cdf_exponential);
        check_distribution("gumbel", weft_random_gumbel(k, WEFT_F32, SAMPLES), cdf_gumbel);
        check_distribution("laplace", weft_random_laplace(k, WEFT_F32, SAMPLES), cdf_laplace);
        check_distribution("cauchy", weft_random_cauchy(k, WEFT_F32, SAMPLES), cdf_cauchy);
        check_distribution("gamma 3", weft_random_gamma(k, WEFT_F32, 3, FEW), cdf_gamma3);
        check_distribution("gamma 1/2", weft_random_gamma(k, WEFT_F32, 0.5, FEW), cdf_gamma_half);
        check_distribution("log gamma", weft_exp(weft_random_loggamma(k, WEFT_F32, 3, FEW)), cdf_gamma3);
        check_distribution("beta", weft_random_beta(k, WEFT_F32, 2, 1, FEW), cdf_beta21);
        check_moments("poisson 4", weft_random_poisson(k, WEFT_I32, 4, SAMPLES), 4, 4);
        check_moments("poisson 40", weft_random_poisson(k, WEFT_I32, 40, SAMPLES), 40, 40);
        check_moments("bernoulli", weft_random_bernoulli(k, 0.3, SAMPLES), 0.3, 0.21);
        check_moments("randint", weft_random_randint(k, WEFT_I32, -50, 50, SAMPLES), -0.5, 833.25);
        check_moments(
            "categorical",
            weft_random_categorical(k, weft_log(weft_arange(ctx, 1, 4, 1)), .shape = weft_dims(SAMPLES)),
            4.0 / 3, 5.0 / 9);
    }
    weft_array *alpha = weft_from(ctx, ((float[]){ 1, 2, 3 }), 3),
               *d = weft_random_dirichlet(weft_key(ctx, 5), WEFT_F32, alpha, FEW);
    expect_near(weft_sum(d, .axes = "1"), NUMBERS(1, 1, 1, 1));
    check_moments("dirichlet", weft_at(d, ":, 0"), 1.0 / 6, 5.0 / 252);
    weft_close(ctx);
}

/* A permutation has each number once, and a choice without replacement none twice. */
Test(random_numbers, permutations_are_permutations)
{
    weft_context *ctx = weft_open(NULL);
    enum { N = 5000 };
    static bool seen[N];
    const int32_t *p = weft_i32(weft_random_permutation(weft_key(ctx, 1), N));
    for (int i = 0; i < N; i++) {
        cr_assert(p[i] >= 0 && p[i] < N && !seen[p[i]]);
        seen[p[i]] = true;
    }
    cr_expect_eq(weft_count(weft_random_permutation(weft_key(ctx, 1), 0)), 0);
    cr_expect_eq(weft_count(weft_random_choice(weft_key(ctx, 1), 0, .shape = weft_dims(0, 3))), 0);
    cr_expect_eq(weft_count(weft_random_normal(weft_key(ctx, 1), WEFT_F32, 3, 0)), 0);
    cr_expect_eq(weft_count(weft_random_gamma(weft_key(ctx, 1), WEFT_F32, 1, 0)), 0);
    cr_expect_eq(weft_count(weft_random_poisson(weft_key(ctx, 1), WEFT_I32, 1, 0)), 0);
    cr_expect_eq(weft_count(weft_random_split(weft_key(ctx, 1), 0)), 0);
    cr_expect_null(weft_error(ctx), "%s", weft_error(ctx));
    weft_close(ctx);
}

/* Parameters out of range are data, not errors: JAX's answers. */
Test(random_numbers, parameters_out_of_range)
{
    weft_context *ctx = weft_open(NULL);
    weft_array *k = weft_key(ctx, 3);
    cr_expect_eq(weft_item(weft_random_randint(k, WEFT_I32, 9, 3)), 9);
    cr_expect_eq(weft_item(weft_random_bernoulli(k, 1.5)), 1);
    cr_expect_eq(weft_item(weft_random_bernoulli(k, -0.5)), 0);
    cr_expect_eq(weft_item(weft_random_bernoulli(k, NAN)), 0);
    cr_expect_eq(weft_item(weft_random_uniform_in(k, WEFT_F32, 2, -3)), 2);
    cr_expect(isnan(weft_item(weft_random_uniform_in(k, WEFT_F32, NAN, 1))));
    cr_expect_eq(weft_item(weft_random_poisson(k, WEFT_I32, NAN)), -1);
    cr_expect_eq(weft_item(weft_random_poisson(k, WEFT_I32, -2)), -1);
    cr_expect_eq(weft_item(weft_random_poisson(k, WEFT_I32, INFINITY)), -1);
    cr_expect_eq(weft_item(weft_random_poisson(k, WEFT_I32, 0)), 0);
    cr_expect_null(weft_error(ctx), "%s", weft_error(ctx));
    weft_close(ctx);
}

/* ---- four networks 2-3-4: losses that JAX gives ---- */

typedef struct Network {
    weft_array *w[2], *b[2];
} Network;
typedef struct Recipe {
    bool legacy, layer_of_three, same_key;
    double loss[4];
} Recipe;

static weft_random_key in_layout(const Recipe *r, const weft_array *key)
{
    return r->legacy ? weft_legacy(key) : weft_partitionable(key);
}

static Network random_network(const Recipe *r, const weft_array *key)
{
    Network n;
    weft_array *layer[3], *part[2];
    weft_random_keys(in_layout(r, key), r->layer_of_three ? 3 : 2, layer);
    for (int i = 0; i < 2; i++) {
        int in = 2 + i, out = 3 + i;
        weft_random_keys(in_layout(r, layer[i]), 2, part);
        n.w[i] = weft_random_normal(in_layout(r, part[0]), WEFT_F32, out, in);
        n.b[i] = weft_random_normal(in_layout(r, part[r->same_key ? 0 : 1]), WEFT_F32, out);
    }
    return n;
}

static double loss_of(const Network *n, weft_array *x, weft_array *y)
{
    weft_array *h = weft_relu(weft_add(weft_matmul(x, weft_transpose(n->w[0])), n->b[0]));
    weft_array *z = weft_add(weft_matmul(h, weft_transpose(n->w[1])), n->b[1]);
    return weft_item(weft_mean(weft_square(weft_sub(z, y))));
}

Test(random_numbers, ensemble)
{
    static const Recipe recipes[] = {
        { true, true, true, { 3.762451, 4.39846, 4.1425314, 6.045669 } },
        { true, false, false, { 3.7168641, 3.4359207, 10.0728683, 14.9068985 } },
        { false, false, false, { 2.4479549, 2.0220721, 1.9547932, 1.8261652 } }
    };
    weft_context *ctx = weft_open(NULL);
    for (int i = 0; i < 3; i++) {
        const Recipe *r = &recipes[i];
        weft_array *key[2], *data[2], *model[4];
        weft_random_keys(in_layout(r, weft_key(ctx, 1)), 2, key);
        weft_random_keys(in_layout(r, key[1]), 4, model);
        weft_random_keys(in_layout(r, key[0]), 2, data);
        weft_array *x = weft_random_normal(in_layout(r, data[0]), WEFT_F32, 2, 2),
                   *y = weft_random_normal(in_layout(r, data[1]), WEFT_F32, 2, 4);
        for (int m = 0; m < 4; m++) {
            Network n = random_network(r, model[m]);
            double loss = loss_of(&n, x, y);
            cr_expect_lt(fabs(loss - r->loss[m]), 2e-6 * r->loss[m],
                         "recipe %d, model %d: loss %.9g, not %.9g", i, m, loss, r->loss[m]);
        }
    }
    weft_close(ctx);
}
