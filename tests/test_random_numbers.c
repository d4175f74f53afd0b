/* test_random_numbers.c: random numbers against jax.random. tests/data/random.txt lists calls and what JAX gives (make_random_data.py made it); each is made eagerly, compiled,
 * compiled in strict mode, and under vmap. Then what has no table: published vectors, streams under vmap, distributions, an ensemble of random networks. */
#include <criterion/criterion.h>
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "compiler/graph/dtype.h"
#include "compiler/passes/threefry.h"
#include "runtime/compile.h"
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

static weft_dtype dtype_named(const char *name)
{
    for (int t = 0; t < DTYPE_COUNT; t++) if (!strcmp(dtype_name((DType)t), name)) return (weft_dtype)t;
    fprintf(stderr, "random.txt: element type %s\n", name);
    abort();
}

static void read_row(char *line, Row *r)
{
    char *save, *word;
    snprintf(r->function, sizeof r->function, "%s", strtok_r(line, " ", &save));
    r->legacy = !strcmp(strtok_r(NULL, " ", &save), "old");
    r->seed = atoll(strtok_r(NULL, " ", &save));
    r->dtype = dtype_named(strtok_r(NULL, " ", &save));
    word = strtok_r(NULL, " ", &save);
    for (const char *s = *word == '-' ? "" : word; *s; s += strspn(s, "x")) r->dim[r->rank++] = strtoll(s, (char **)(uintptr_t)&s, 10);
    word = strtok_r(NULL, " ", &save);
    for (const char *s = strcmp(word, "-") ? word : ""; *s; s += strspn(s, ",")) r->number[r->n++] = strtod(s, (char **)(uintptr_t)&s);
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
#define T r->dtype
#define SIZES r->rank, r->dim, WEFT_HERE
#define ONE weft_of_float(r->number[0])
#define TWO ONE, weft_of_float(r->number[1])

static weft_operand whole(double v)                                         { return v < 9e18 && v > -9e18 ? weft_of_int((int64_t)v) : weft_of_uint((uint64_t)v); }
static weft_array *call_split(weft_random_key k, const Row *r)              { return weft_random_split_(k, SIZES); }
static weft_array *call_fold_in(weft_random_key k, const Row *r)            { return weft_random_fold_in(k, (int64_t)r->number[0]); }
static weft_array *call_bits(weft_random_key k, const Row *r)               { return weft_random_bits_(k, T, SIZES); }
static weft_array *call_uniform(weft_random_key k, const Row *r)            { return weft_random_uniform_(k, T, SIZES); }
static weft_array *call_uniform_in(weft_random_key k, const Row *r)         { return weft_random_uniform_in_(k, T, TWO, SIZES); }
static weft_array *call_randint(weft_random_key k, const Row *r)            { return weft_random_randint_(k, T, whole(r->number[0]), whole(r->number[1]), SIZES); }
static weft_array *call_bernoulli(weft_random_key k, const Row *r)          { return weft_random_bernoulli_(k, ONE, SIZES); }
static weft_array *call_normal(weft_random_key k, const Row *r)             { return weft_random_normal_(k, T, SIZES); }
static weft_array *call_exponential(weft_random_key k, const Row *r)        { return weft_random_exponential_(k, T, SIZES); }
static weft_array *call_gumbel(weft_random_key k, const Row *r)             { return weft_random_gumbel_(k, T, SIZES); }
static weft_array *call_laplace(weft_random_key k, const Row *r)            { return weft_random_laplace_(k, T, SIZES); }
static weft_array *call_cauchy(weft_random_key k, const Row *r)             { return weft_random_cauchy_(k, T, SIZES); }
static weft_array *call_truncated_normal(weft_random_key k, const Row *r)   { return weft_random_truncated_normal_(k, T, TWO, SIZES); }
static weft_array *call_gamma(weft_random_key k, const Row *r)              { return weft_random_gamma_(k, T, ONE, SIZES); }
static weft_array *call_loggamma(weft_random_key k, const Row *r)           { return weft_random_loggamma_(k, T, ONE, SIZES); }
static weft_array *call_beta(weft_random_key k, const Row *r)               { return weft_random_beta_(k, T, TWO, SIZES); }
static weft_array *call_poisson(weft_random_key k, const Row *r)            { return weft_random_poisson_(k, T, ONE, SIZES); }

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
    return weft_random_choice(k, n, .shape = { r->rank, r->dim }, .p = p, .distinct = !strncmp(r->function, "choose", 6));
}

static weft_array *call_categorical(weft_random_key k, const Row *r)
{
    int64_t dim[8], n = 1;
    for (int i = 1; i < r->n; i++) n *= dim[i - 1] = (int64_t)r->number[i];
    weft_array *logits = weft_mul(weft_astype(weft_rem(weft_iota(NULL, WEFT_I32, 0, n), 5), WEFT_F32), 0.5);
    weft_draw d = { .axis = text_of((int)r->number[0]), .shape = { r->rank, r->dim }, .distinct = strstr(r->function, "_distinct") != NULL };
    return weft_random_categorical_(k, weft_of_array(weft_reshape_(logits, r->n - 1, dim, WEFT_HERE)), d, WEFT_HERE);
}

/* ulps: how far from JAX, in units in the last place, each may be; few: 99 of 100 may. */
static const struct Function { const char *name; Call *call; int ulps; bool few; } functions[] = {
    { "split", call_split, 0, false },              { "fold_in", call_fold_in, 0, false },          { "bits", call_bits, 0, false },
    { "uniform", call_uniform, 0, false },          { "uniform_in", call_uniform_in, 0, false },    { "randint", call_randint, 0, false },
    { "bernoulli", call_bernoulli, 0, false },      { "normal", call_normal, 4, false },            { "exponential", call_exponential, 4, false },
    { "gumbel", call_gumbel, 4, false },            { "laplace", call_laplace, 4, false },          { "cauchy", call_cauchy, 4, false },
    { "truncated_normal", call_truncated_normal, 16, true }, { "gamma", call_gamma, 16, true },     { "loggamma", call_loggamma, 16, true },
    { "beta", call_beta, 16, true },                { "dirichlet", call_dirichlet, 16, true },      { "poisson", call_poisson, 0, true },
    { "permutation", call_permutation, 0, false },  { "choice", call_choice, 0, false },            { "choice_p", call_choice, 0, false },
    { "choose", call_choice, 0, false },            { "choose_p", call_choice, 0, false },          { "categorical", call_categorical, 0, false },
    { "categorical_distinct", call_categorical, 0, false },
};

static const struct Function *function_of(const Row *r)
{
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) if (!strcmp(functions[i].name, r->function)) return &functions[i];
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
    double u = scalar_to_double((DType)t, scalar_load((DType)t, a)), v = scalar_to_double((DType)t, scalar_load((DType)t, b));
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
        cr_expect_fail("%s: row %d (%s): %s", how, row + 1, r->function, got ? "another type or size" : weft_error(NULL));
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
    cr_expect(far <= allowed, "%s: row %d (%s %s %s): %zu of %zu elements are further than %d units away, %llu at most, the first is %zu", how, row + 1, r->function,
              r->legacy ? "old" : "new", dtype_name((DType)r->dtype), far, n, f->ulps, (unsigned long long)most, first);
}

WEFT_SIGNATURE(draw_fn, weft_array *, (weft_array *key, int row));

static void check_rows(const char *how, weft_mode mode, bool compiled)
{
    load();
    weft_context *ctx = weft_open(&(weft_options){ .mode = mode });
    weft_declare(ctx, draw, draw_fn);
    draw_fn *f = compiled ? weft_jit(ctx, draw) : draw;
    for (int i = 0; i < n_rows; i++) {
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
    return backend_open(&f);
}

Test(random_numbers, eager_agrees_with_jax)     { check_rows("eager", WEFT_MODE_DEFAULT, false); }
Test(random_numbers, compiled_agrees_with_jax)  { if (have_back_end()) check_rows("compiled", WEFT_MODE_DEFAULT, true); }
Test(random_numbers, strict_agrees_with_jax)    { if (have_back_end()) check_rows("strict", WEFT_MODE_STRICT, true); }
