/* test_select.c: a sort of which slices read a part gives in this part what the whole sort gives, to the bit,
 * for rows, parts, orders and types of every kind; the greatest. */
#include "runtime/library/sorts/library_sort.h"
#include "tests/support/context_suite.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static uint64_t state;

static uint64_t next(void)
{
    uint64_t z = state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    return z ^ z >> 29;
}

/* An element: many ties, with zeros, infinities and NaNs of both signs; or any bits; or a long ascent, or a
 * long descent. */
static uint64_t element(DType t, int kind, int64_t i)
{
    static const double few[] = { 0.0, -0.0, 1, -1, 2, INFINITY, -INFINITY, NAN, -NAN, 0.5 };
    uint64_t bits = next(), mask = UINT64_MAX >> (64 - 8 * dtype_bytes(t));
    if (kind == 1) return bits & mask;
    if (kind >= 2) return scalar_from_double(t, (double)(kind == 2 ? i : -i) / 7);
    return dtype_is_float(t) ? scalar_from_double(t, few[bits % 10])
                             : scalar_from_i64(t, (int64_t)(bits % 5));
}

typedef struct Case {
    DType type;
    int64_t outer, length, inner, from, to;
    int n, flags, kind;
} Case;

/* The outputs of a sort, from .. to of it wanted. */
static void sorted(const Case *c, void *const in[2], int64_t from, int64_t to, void *out[2])
{
    int64_t dim[] = { c->outer, c->length, c->inner }, numbers[SORT_NUMBERS_MAX];
    Type types[2] = { { c->type, 3, dim }, { WEFT_I32, 3, dim } };
    size_t count = (size_t)(c->outer * c->length * c->inner);
    sort_numbers(&(SortOrder){ .n_keys = 1, .key = { { 0, (uint32_t)c->flags } } }, types, (uint32_t)c->n, 1,
                 numbers);
    numbers[SORT_FROM] = from;
    numbers[SORT_TO] = to;
    out[0] = calloc(count, 8);
    out[1] = calloc(count, 8);
    void *scratch = aligned_alloc(16, (size_t)sort_scratch_bytes(numbers) + 16);
    void *one[] = { in[0], out[0], scratch }, *two[] = { in[0], in[1], out[0], out[1], scratch };
    library_sort(c->n == 1 ? one : two, numbers, NULL);
    free(scratch);
}

static void check(const Case *c)
{
    size_t count = (size_t)(c->outer * c->length * c->inner), bytes = dtype_bytes(c->type);
    void *in[2] = { malloc(8 * count + 8), malloc(4 * count + 4) }, *part[2], *whole[2];
    for (size_t i = 0; i < count; i++) {
        scalar_store(c->type, (char *)in[0] + i * bytes, element(c->type, c->kind, (int64_t)i));
        ((int32_t *)in[1])[i] = (int32_t)((int64_t)i / c->inner % c->length);
    }
    sorted(c, in, c->from, c->to, part);
    sorted(c, in, 0, c->length, whole);
    for (size_t i = 0; i < count; i++) {
        int64_t at = (int64_t)i / c->inner % c->length;
        for (int k = 0; k < c->n && at >= c->from && at < c->to; k++) {
            size_t size = k ? 4 : bytes;
            cr_assert(!memcmp((char *)part[k] + i * size, (char *)whole[k] + i * size, size),
                      "%s %lld x %lld x %lld, %lld .. %lld, %d operands, flags %d, kind %d: result %d at %zu",
                      dtype_name(c->type), (long long)c->outer, (long long)c->length, (long long)c->inner,
                      (long long)c->from, (long long)c->to, c->n, c->flags, c->kind, k, i);
        }
    }
    for (int k = 0; k < 2; k++) free(in[k]), free(part[k]), free(whole[k]);
}

Test(select, a_part_is_as_in_the_whole)
{
    static const int64_t lengths[] = { 1, 2, 31, 33, 64, 100, 129, 700, 5000 };
    for (int i = 0; i < 9; i++)
        for (DType t = WEFT_BOOL; t <= WEFT_F64; t++)
            for (int trial = 0; trial < 24; trial++) {
                int64_t n = lengths[i], a = (int64_t)(next() % (uint64_t)n),
                        b = (int64_t)(next() % (uint64_t)n);
                Case c = { .type = t, .outer = 1 + trial % 2, .length = n, .inner = trial % 3 ? 1 : 3 };
                c.from = trial % 4 == 0 ? 0 : a < b ? a : b;
                c.to = trial % 4 == 1 ? n : a < b ? b + 1 : a + 1;
                if (trial % 5 == 0) c.to = c.from + (c.from < n);
                c.n = 1 + trial % 2;
                c.flags = (int)(next() % 8);
                c.kind = t == WEFT_BOOL ? 0 : trial / 2 % 4;
                check(&c);
            }
}

/* ---- as programs ask for it ---- */

static weft_array *first_sorted(weft_array *x) { return weft_at(weft_sort(x, 0), "2:5"); }
static weft_array *middle(weft_array *x)
{
    return weft_at(weft_sort(x, -1, .descending = true), ":, 40:44:2");
}
static weft_array *both_ends(weft_array *x)
{
    weft_array *s = weft_sort(x, -1);
    return weft_add(weft_at(s, ":, 0:2"), weft_at(s, ":, -2:"));
}
static weft_array *first_indices(weft_array *x) { return weft_at(weft_argsort(x, -1), ":, 0:3"); }
static weft_array *all_and_some(weft_array *x)
{
    weft_array *s = weft_sort(x, -1);
    return weft_add(s, weft_at(s, ":, 3:4"));
}
static weft_array *greatest(weft_array *x)
{
    weft_array *indices, *values = weft_top_k(x, 5, &indices);
    return weft_add(values, weft_astype(indices, WEFT_F32));
}
static weft_array *greatest_values(weft_array *x)
{
    weft_array *indices;
    return weft_top_k(x, 7, &indices);
}
static weft_array *none(weft_array *x)
{
    weft_array *indices;
    return weft_top_k(x, 0, &indices);
}
static weft_array *all(weft_array *x)
{
    weft_array *indices;
    return weft_top_k(x, 90, &indices);
}

Test(select, compiled_is_eager)
{
    weft_unary *f[] = { first_sorted,    middle, both_ends, first_indices, all_and_some, greatest,
                        greatest_values, none,   all };
    ctx = weft_open(&(weft_options){ .mode = WEFT_MODE_STRICT });
    need_backend();
    float data[7 * 90];
    for (int i = 0; i < 7 * 90; i++) data[i] = (float)(next() % 50) - (next() % 7 ? 20 : NAN);
    weft_array *x = weft_from(ctx, data, 7, 90);
    for (size_t i = 0; i < sizeof f / sizeof *f; i++) {
        weft_declare(ctx, f[i], weft_unary);
        weft_array *want = f[i](x), *got = weft_jit(ctx, f[i])(x);
        cr_assert(want && got, "%zu: %s", i, weft_error(ctx));
        weft_array *same =
            weft_logical_or(weft_eq(want, got), weft_logical_and(weft_isnan(want), weft_isnan(got)));
        cr_expect(weft_item(weft_all(same)) != 0, "%zu", i);
    }
    close_context_without_error();
}
