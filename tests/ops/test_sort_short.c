/* test_sort_short.c: many short rows are sorted by networks, and the first of a row is found by a fold
 * (compiler/passes/expand/expand_sort.c), to the bits that eager mode gives: of each type, order and length,
 * along each axis, with ties, and with zeros and NaNs of both signs; mapped, and their derivatives. */
#include <math.h>
#include <string.h>
#include "compiler/graph/types/type.h"
#include "tests/support/context_suite.h"

static uint64_t state;
static uint64_t next(void)
{
    uint64_t z = state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    return z ^ z >> 29;
}

/* Half of the elements have any bits, so NaNs differ; the others are few values. */
static uint64_t element(DType t)
{
    static const double few[] = { 0.0, -0.0, 1, -1, 2, INFINITY, -INFINITY, NAN, -NAN, 0.5 };
    uint64_t bits = next(), any = next() & UINT64_MAX >> (64 - 8 * dtype_bytes(t));
    if (t == WEFT_BOOL) return bits & 1;
    if (bits >> 40 & 1) return any;
    return dtype_is_float(t) ? scalar_from_double(t, few[bits % 10])
                             : scalar_from_i64(t, (int64_t)(bits % 5));
}

enum { OUTER = 4, INNER = 130, MOST = 33 };

static weft_array *elements(DType t, int64_t n)
{
    static char data[8 * OUTER * INNER * MOST];
    for (int64_t i = 0; i < OUTER * INNER * n; i++)
        scalar_store(t, data + (size_t)i * dtype_bytes(t), element(t));
    return weft_from_shape(ctx, (weft_dtype)t, data, 3, ((int64_t[]){ OUTER, n, INNER }));
}

static weft_array *up(weft_array *x) { return weft_sort(x, 1); }
static weft_array *down(weft_array *x) { return weft_sort(x, 1, .descending = true); }
static weft_array *rows(weft_array *x) { return weft_sort(weft_swapaxes(x, 1, 2), -1); }
static weft_array *places(weft_array *x) { return weft_argsort(x, 1); }
static weft_array *places_down(weft_array *x) { return weft_argsort(x, 1, .descending = true); }
static weft_array *middle(weft_array *x)
{
    return weft_at(weft_sort(x, 1), ":, %d", (int)weft_dim(x, 1) / 2);
}
static weft_array *greatest(weft_array *x)
{
    return weft_top_k(weft_swapaxes(x, 1, 2), weft_dim(x, 1) > 2 ? 2 : 1, NULL);
}
static weft_array *greatest_places(weft_array *x)
{
    weft_array *at;
    return weft_top_k(weft_swapaxes(x, 1, 2), (weft_dim(x, 1) + 1) / 2, &at) ? at : NULL;
}
static weft_array *greatest_one(weft_array *x) { return weft_top_k(weft_swapaxes(x, 1, 2), 1, NULL); }
static weft_array *place_of_greatest(weft_array *x)
{
    weft_array *at;
    return weft_top_k(weft_swapaxes(x, 1, 2), 1, &at) ? at : NULL;
}
static weft_array *first_place(weft_array *x) { return weft_at(weft_argsort(x, 1), ":, 0"); }
static weft_array *last_place(weft_array *x)
{
    return weft_at(weft_argsort(x, 1, .descending = true), ":, 0");
}
static weft_array *first(weft_array *x) { return weft_at(weft_sort(x, 1), ":, 0:1"); }
/* By two keys: a coarse one, then the elements; with something that goes along. */
static weft_array *several(weft_array *x, int which)
{
    weft_array *in[] = { weft_astype(weft_gt(x, 0), WEFT_I8), x, weft_add(weft_argsort(x, 0), 3) }, *out[3];
    return weft_sort_several(in, 3, 2, 1, out) == WEFT_OK ? out[which] : NULL;
}
static weft_array *several_keys(weft_array *x) { return several(x, 1); }
static weft_array *several_rest(weft_array *x) { return several(x, 2); }

static void same_bits(const weft_array *got, const weft_array *want, const char *what, DType t, int64_t n)
{
    cr_assert(got && want, "%s of %s, %d: %s", what, dtype_name(t), (int)n, weft_error(ctx));
    size_t bytes = (size_t)weft_count(want) * dtype_bytes((DType)weft_dtype_of(want));
    const char *a = weft_data(got), *b = weft_data(want);
    cr_assert_eq(weft_count(got), weft_count(want));
    for (size_t i = 0; i < bytes; i++)
        cr_assert_eq(a[i], b[i], "%s of %s, %d: byte %zu", what, dtype_name(t), (int)n, i);
}

static void compiled_is_eager(weft_unary *f, const char *what, DType t, int64_t n)
{
    weft_array *x = elements(t, n);
    same_bits(weft_jit(ctx, f)(x), f(x), what, t, n);
}

static void open_in(weft_mode mode)
{
    ctx = weft_open(&(weft_options){ .mode = mode });
    need_backend();
#define DECLARE(f) weft_declare(ctx, f, weft_unary)
    DECLARE(up), DECLARE(down), DECLARE(rows), DECLARE(places), DECLARE(places_down), DECLARE(middle);
    DECLARE(greatest_one), DECLARE(place_of_greatest), DECLARE(first_place), DECLARE(last_place);
    DECLARE(first), DECLARE(greatest), DECLARE(greatest_places), DECLARE(several_keys), DECLARE(several_rest);
}
static void open_strict(void) { open_in(WEFT_MODE_STRICT); }

TestSuite(sort_short, .init = open_strict, .fini = close_context);
#define CHECK(f) compiled_is_eager(f, #f, t, n)

Test(sort_short, each_length)
{
    for (int64_t n = 1; n <= MOST; n++) {
        DType t = n % 2 ? WEFT_F32 : WEFT_I32;
        CHECK(up);
        t = n % 2 ? WEFT_U16 : WEFT_F64;
        CHECK(down);
        if (n <= 16) CHECK(places);
    }
}

Test(sort_short, each_type)
{
    static const int64_t lengths[] = { 2, 5, 8, 11 };
    for (DType t = WEFT_BOOL; t <= WEFT_F64; t++)
        for (int i = 0; i < 4; i++) {
            int64_t n = lengths[i];
            CHECK(up), CHECK(down), CHECK(rows), CHECK(places_down), CHECK(middle), CHECK(greatest);
        }
}

Test(sort_short, keys_and_what_goes_along)
{
    for (int64_t n = 3; n <= 9; n += 3)
        for (DType t = WEFT_I8; t <= WEFT_F64; t = (DType)(t + 2)) {
            if (t == WEFT_BF16) continue;
            CHECK(greatest_places), CHECK(several_keys), CHECK(several_rest);
        }
}

Test(sort_short, the_first)
{
    static const int64_t lengths[] = { 2, 6, 33 };
    for (DType t = WEFT_BOOL; t <= WEFT_F64; t++)
        for (int i = 0; i < 3; i++) {
            int64_t n = lengths[i];
            CHECK(greatest_one), CHECK(place_of_greatest), CHECK(first_place), CHECK(last_place),
                CHECK(first);
        }
}

Test(sort_short, in_each_mode)
{
    DType t = WEFT_F32;
    for (weft_mode mode = WEFT_MODE_DEFAULT; mode <= WEFT_MODE_FAST; mode++) {
        close_context();
        open_in(mode);
        for (int64_t n = 4; n <= 9; n += 5) CHECK(up), CHECK(places), CHECK(greatest), CHECK(middle);
    }
}

static weft_array *of_row(weft_array *x) { return weft_at(weft_sort(x, -1), "1:4"); }
static weft_array *weighed(weft_array *x)
{
    weft_array *sorted = weft_sort(x, 1), *w = weft_cos(weft_arange(ctx, 0.0, (double)weft_dim(x, 1), 1));
    return weft_sum(weft_mul(weft_mul(sorted, sorted), weft_reshape(w, -1, 1)));
}

Test(sort_short, mapped_and_derived)
{
    weft_declare(ctx, of_row, weft_unary);
    weft_declare(ctx, weighed, weft_unary);
    weft_array *x = weft_from_shape(ctx, WEFT_F32, weft_data(elements(WEFT_F32, 7)), 2,
                                    ((int64_t[]){ OUTER * INNER, 7 }));
    weft_unary *mapped = weft_vmap(ctx, of_row, "0"), *gradient = weft_grad(ctx, weft_unary, weighed, "");
    same_bits(weft_jit(ctx, mapped)(x), mapped(x), "rows", WEFT_F32, 7);
    weft_array *y =
        weft_astype(weft_astype(weft_mul(weft_cos(weft_astype(elements(WEFT_I8, 9), WEFT_F32)), 3), WEFT_I8),
                    WEFT_F32); /* with many ties */
    same_bits(weft_jit(ctx, gradient)(y), gradient(y), "gradient", WEFT_F32, 9);
}
