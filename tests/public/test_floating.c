/* The caller's floating-point environment: no result depends on it, and it is the caller's again
 * afterwards. */
#include <fenv.h>
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "runtime/builtins.h"
#include "tests/support/context_suite.h"

#if defined(__x86_64__)
#include <xmmintrin.h>

enum { FLUSH_RESULTS = 1 << 15, FLUSH_OPERANDS = 1 << 6, MASKS = 0x3f << 7, FLAGS = 0x3f };

/* Bits of MXCSR that differ from the default's, besides the rounding mode. Without masks the first exception
 * would end the process. */
static const struct Environment {
    const char *name;
    int rounding;
    unsigned bits;
} environments[] = {
    { "upward", FE_UPWARD, 0 },
    { "downward", FE_DOWNWARD, 0 },
    { "toward zero", FE_TOWARDZERO, 0 },
    { "results flushed", FE_TONEAREST, FLUSH_RESULTS },
    { "operands flushed", FE_TONEAREST, FLUSH_OPERANDS },
    { "unmasked", FE_TONEAREST, MASKS },
    { "all at once", FE_UPWARD, FLUSH_RESULTS | FLUSH_OPERANDS | MASKS },
};
enum { ENVIRONMENTS = sizeof environments / sizeof *environments, N = 120 };

static unsigned enter(const struct Environment *e)
{
    fesetround(e->rounding);
    _mm_setcsr((_mm_getcsr() ^ e->bits) & ~(unsigned)FLAGS);
    return _mm_getcsr();
}

static unsigned leave(void)
{
    unsigned mode = _mm_getcsr();
    fesetenv(FE_DFL_ENV);
    return mode;
}

static void setup(void)
{
    need_backend();
    ctx = weft_open(&(weft_options){ .mode = WEFT_MODE_STRICT });
}

TestSuite(floating, .init = setup, .fini = close_context);

static size_t bytes_of(const weft_array *a)
{
    return (size_t)weft_count(a) * dtype_bytes((DType)weft_dtype_of(a));
}

/* Special values, subnormals, and numbers of all sizes. */
static weft_array *samples(weft_dtype t, unsigned seed)
{
    static const double special[] = { 0,         -0.0,     1,         -1,       0.5,      2,
                                      10,        INFINITY, -INFINITY, NAN,      0x1p-149, -0x1p-140,
                                      0x1p-1074, 0x1p-127, FLT_MAX,   1.4616321 };
    double x[N];
    srand(seed);
    for (int i = 0; i < N; i++) {
        double u = rand() / (double)RAND_MAX;
        x[i] = i < 16  ? special[(i + (int)seed) % 16]
               : i % 3 ? (2 * u - 1) * 8
                       : ldexp(u - 0.5, rand() % 60 - 30);
    }
    return weft_astype(weft_from_shape(ctx, WEFT_F64, x, 1, (int64_t[]){ N }), t);
}

typedef struct Checked {
    const Builtin *it;
    weft_fn compiled;
    weft_array *in[2], *want;
} Checked;

static weft_array *apply(const Checked *f, weft_fn address)
{
    return f->in[1] ? ((weft_binary *)address)(f->in[0], f->in[1]) : ((weft_unary *)address)(f->in[0]);
}

/* Those of one or two floats. */
static bool choose(Checked *f, const Builtin *it, weft_dtype t)
{
    bool two = strchr(it->text, 'y') && strstr(it->text, "*y)");
    if (strstr(it->text, "*z)")) return false;
    *f = (Checked){
        it, weft_jit_(ctx, it->address, NULL), { samples(t, 1), two ? samples(t, 2) : NULL }, NULL
    };
    f->want = apply(f, it->address);
    if (f->want) return true;
    weft_clear(ctx);
    return false;
}

Test(floating, every_function_gives_the_same_bits)
{
    int tried = 0;
    for (int i = 0; builtins[i / 2].name; i++) {
        Checked f;
        if (!choose(&f, &builtins[i / 2], i % 2 ? WEFT_F64 : WEFT_F32)) continue;
        for (int k = 0; k < 2 * ENVIRONMENTS; k++) {
            const struct Environment *e = &environments[k / 2];
            unsigned mode = enter(e);
            weft_array *got = apply(&f, k % 2 ? f.compiled : f.it->address);
            unsigned after = leave();
            cr_expect_eq(after, mode, "%s, %s: the mode was %x and is %x", f.it->name, e->name, mode, after);
            cr_assert_not_null(got, "%s", weft_error(ctx));
            bool same = memcmp(weft_data(got), weft_data(f.want), bytes_of(got)) == 0;
            if (!same && k % 2) { /* a NaN's sign may differ from eager mode's */
                weft_array *equal =
                    weft_or(weft_eq(got, f.want), weft_and(weft_isnan(got), weft_isnan(f.want)));
                same = weft_item(weft_all(equal)) != 0;
            }
            cr_expect(same, "%s of %s %s differs: %s", f.it->name, i % 2 ? "f64" : "f32",
                      k % 2 ? "compiled" : "eager", e->name);
        }
        tried++;
    }
    cr_expect_geq(tried, 150);
}

/* What is made of C numbers, folded while it is compiled, drawn, summed and printed. */
static weft_array *many(weft_array *x)
{
    weft_array *folded = weft_exp(weft_div(weft_full(NULL, WEFT_F32, 0.1, 3), 3.0));
    weft_array *drawn = weft_random_normal(weft_key(NULL, 7), WEFT_F32, 3),
               *numbers = weft_linspace(NULL, 0.1, 0.9, 3);
    return weft_add(weft_add(weft_mul(x, 0.1), folded),
                    weft_add(weft_mul(drawn, numbers), weft_mean(weft_mul(x, x))));
}

static void everything(char *text, size_t size)
{
    weft_context *own = weft_open(&(weft_options){ .mode = WEFT_MODE_STRICT });
    float third[] = { 1 / 3.f, 0x1.8p-130f, 7 };
    weft_array *x = weft_from(own, third, 3), *y = many(x), *z;
    weft_declare(own, many, weft_unary);
    z = weft_jit(own, many)(x);
    weft_array *scalar = weft_scalar(own, 0.7);
    bool equal = z && memcmp(weft_f32(y), weft_f32(z), 12) == 0;
    size_t used = (size_t)snprintf(text, size, "%x %d ", *(const unsigned *)weft_f32(scalar), equal);
    for (int i = 0; i < 3; i++)
        used += (size_t)snprintf(text + used, size - used, "%x ", ((const unsigned *)weft_f32(y))[i]);
    weft_format(weft_mul(y, 1.1), text + used, size - used);
    weft_close(own);
}

Test(floating, numbers_constants_and_text)
{
    char want[512], got[512];
    everything(want, sizeof want);
    cr_expect(strstr(want, " 1 ") != NULL, "%s", want);
    for (int k = 0; k < ENVIRONMENTS; k++) {
        unsigned mode = enter(&environments[k]);
        everything(got, sizeof got);
        cr_expect_eq(leave(), mode);
        cr_expect_str_eq(got, want, "%s", environments[k].name);
    }
}

static unsigned seen[2];

static weft_array *looks(weft_array *x)
{
    seen[0] = _mm_getcsr() & ~(unsigned)FLAGS;
    return weft_mul(x, 0.1);
}

/* A user's C function that computes with weft itself. */
static weft_array *third_of;
static float product;
static void foreign(const float *x, int64_t n, float *out)
{
    seen[1] = _mm_getcsr() & ~(unsigned)FLAGS;
    weft_array *y = weft_mul(third_of, third_of);
    memcpy(&product, weft_f32(y), sizeof product);
    memcpy(out, x, (size_t)n * sizeof *x);
}
WEFT_SIGNATURE(foreign_c, void, (const float *x, int64_t n, float *out));

Test(floating, users_functions_see_their_own)
{
    weft_declare(ctx, looks, weft_unary);
    weft_unary *calls = weft_foreign(ctx, weft_unary, foreign, foreign_c, "x[n] -> out[n]");
    weft_unary *forms[] = { calls, weft_jit(ctx, calls) };
    third_of = weft_scalar(ctx, 1 / 3.0);
    weft_array *x = weft_scalar(ctx, 3);
    x = weft_reshape(x, 1);
    float want = (float)(1 / 3.0);
    want *= want;
    for (int k = 0; k < ENVIRONMENTS; k++)
        for (int i = 0; i < 2; i++) {
            weft_context *own = weft_open(NULL);
            float three = 3;
            weft_array *y = weft_from(own, &three, 1);
            weft_declare(own, looks, weft_unary);
            unsigned mode = enter(&environments[k]);
            weft_unary *f = i ? weft_jit(own, looks) : weft_vmap(own, looks, "0");
            f(y);
            forms[i](x);
            cr_expect_eq(leave(), mode);
            cr_expect_eq(seen[0], mode, "traced, %s: %x, not %x", environments[k].name, seen[0], mode);
            cr_expect_eq(seen[1], mode, "foreign, %s: %x, not %x", environments[k].name, seen[1], mode);
            cr_expect_eq(product, want);
            weft_close(own);
        }
}

static weft_array *ascending(weft_array *x) { return weft_sort(x, 0); }
static weft_array *places(weft_array *x) { return weft_argsort(x, 0); }

/* Where subnormals were zeros, they would be equal, and the least of two would be one of both at random. */
Test(floating, sorts)
{
    weft_unary *functions[] = { ascending, places };
    double x[1000];
    for (int i = 0; i < 1000; i++) x[i] = (i * 7919 % 1000 - 500) * 0x1p-1074;
    weft_array *in = weft_from_shape(ctx, WEFT_F64, x, 1, (int64_t[]){ 1000 });
    for (int f = 0; f < 2; f++) {
        weft_declare(ctx, functions[f], weft_unary);
        weft_unary *forms[] = { functions[f], weft_jit(ctx, functions[f]) };
        weft_array *want = functions[f](in);
        for (int k = 0; k < 2 * ENVIRONMENTS; k++) {
            unsigned mode = enter(&environments[k / 2]);
            weft_array *got = forms[k % 2](in);
            cr_expect_eq(leave(), mode);
            cr_assert_not_null(got, "%s", weft_error(ctx));
            cr_expect(memcmp(weft_data(got), weft_data(want), bytes_of(got)) == 0, "%s %s differs: %s",
                      f ? "argsort" : "sort", k % 2 ? "compiled" : "eager", environments[k / 2].name);
        }
        for (int i = 0; f == 0 && i < 1000; i++)
            cr_expect_eq(((const double *)weft_data(want))[i], (i - 500) * 0x1p-1074);
    }
}

static weft_array *halved(weft_array *x) { return weft_mul(weft_sin(x), 0.3); }

Test(floating, plans)
{
    static const float x[4] = { 1, 0x1p-130f, 3e30f, -2 };
    float want[4], got[4];
    weft_declare(ctx, halved, weft_unary);
    weft_unary *f = weft_jit(ctx, halved);
    weft_plan *p = weft_compile(ctx, (weft_plan_options){ .realtime = true }, f(weft_from(ctx, x, 4)));
    cr_assert_not_null(p, "%s", weft_error(ctx));
    void *scratch = weft_plan_scratch(p) ? aligned_alloc(64, weft_plan_scratch(p)) : NULL;
    weft_run(p, (const void *[]){ x }, (void *[]){ want }, scratch);
    for (int k = 0; k < ENVIRONMENTS; k++) {
        unsigned mode = enter(&environments[k]);
        weft_run(p, (const void *[]){ x }, (void *[]){ got }, scratch);
        cr_expect_eq(leave(), mode);
        cr_expect_arr_eq(got, want, sizeof got, "%s", environments[k].name);
    }
    free(scratch);
    weft_plan_free(p);
}
#else
Test(floating, other_machines) { cr_skip_test("the test sets x86's MXCSR"); }
#endif
