/* test_ops_order.c: changing elements, order, prefixes, windows and counts, against JAX. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include "compiler/graph/types/dtype.h"
#include "tests/support/ops_data.h"
#include "runtime/exec/compile.h"

/* clang-format off */
#define CHANGING(R) \
    R(set, 0, weft_set(IN(x), "1:", 7)) R(set_int, 0, weft_set(IN(x), "1", IN(v4))) \
    R(set_column, 0, weft_set(IN(x), ":, -1", weft_arange(NULL, 0.0, 3.0, 1))) \
    R(set_step, 0, weft_set(IN(x), "::2, 1::2", -1.5)) \
    R(set_back, 0, weft_set(IN(x), "::-1, 2", weft_arange(NULL, 0.0, 3.0, 1))) \
    R(set_all, 0, weft_set(IN(x), "...", IN(v4))) R(set_none, 0, weft_set(IN(x), "2:1", 9)) \
    R(set_add, 0, weft_set_add(IN(x), "0:2, 1:3", IN(u2))) \
    R(set_mul, 0, weft_set_mul(IN(t), ":, 1", weft_at(IN(t), ":, 0"))) \
    R(set_min, 0, weft_set_min(IN(x), ":, ::3", 0.25)) \
    R(set_max, 0, weft_set_max(IN(i), "1", 7)) R(set_bool, 0, weft_set(IN(m), "0", false)) \
    R(set_f16, 0, weft_set(IN(h), "1:2, 1:", 2)) R(set_scalar, 0, weft_set(IN(s), "", 3)) \
    R(set_new, 0, weft_set(IN(x), "None, 0, :, None", weft_reshape(IN(v4), 1, 4, 1))) \
    R(set_back_step, 0, weft_set(weft_arange(NULL, 0, 10, 1), "8:1:-3", weft_arange(NULL, 1, 4, 1))) \
    R(set_i8, 0, weft_set_add(IN(a8), ":, 1", weft_at(IN(b8), ":3"))) \
    R(set_format, 0, weft_set(IN(t), "%d, %d:", 0, 1, 2)) \
    R(scatter, 0, weft_scatter(IN(x), IN(idx), 0, weft_reshape(weft_arange(NULL, 0.0, 20, 1), 5, 4))) \
    R(scatter_add, 0, weft_scatter(IN(x), weft_at(IN(idx), ":2"), 0, 1, .with = WEFT_ADD)) \
    R(scatter_add_twice, 0, weft_scatter(IN(v4), twice(), 0, weft_exp2(weft_arange(NULL, 0.0, 3, 1)), \
        .with = WEFT_ADD)) \
    R(scatter_axis, 0, weft_scatter(IN(x), IN(idx), 1, 2, .with = WEFT_ADD)) \
    R(scatter_clip, 0, weft_scatter(IN(x), IN(idx), 0, 1, .with = WEFT_ADD, .clip = true)) \
    R(scatter_mul, 0, weft_scatter(IN(x), IN(idx2), 1, 3, .with = WEFT_MUL)) \
    R(scatter_max, 0, weft_scatter(IN(small), IN(segs), 0, weft_flip(IN(small), "0"), .with = WEFT_MAX)) \
    R(scatter_min, 0, weft_scatter(IN(small), IN(segs), 0, weft_flip(IN(small), "0"), .with = WEFT_MIN)) \
    R(scatter_number, 0, weft_scatter(IN(x), 2, 0, 5)) \
    R(scatter_u8, 0, weft_scatter(IN(v4), weft_astype(weft_mul(weft_arange(NULL, 1, -1, -1), 3), WEFT_U8), \
        0, 9)) \
    R(scatter_at, 0, weft_scatter_at(IN(x), IN(cells), weft_arange(NULL, 1.0, 6, 1), .with = WEFT_ADD)) \
    R(scatter_at_clip, 0, weft_scatter_at(IN(x), IN(cells), weft_arange(NULL, 1.0, 6, 1), .with = WEFT_ADD, \
        .clip = true)) \
    R(scatter_at_rows, 0, weft_scatter_at(IN(t), weft_flip(weft_at(IN(cells), ":3"), "1"), IN(v4))) \
    R(scatter_at_first, 0, weft_scatter_at(IN(x), weft_expand_dims(IN(segs), 1), 2, .with = WEFT_MUL)) \
    R(dynamic_slice, 0, weft_dynamic_slice(IN(x), IN(at2), 2, 2)) \
    R(dynamic_slice_clamped, 0, weft_dynamic_slice(IN(x), pair(9, -1), 2, 3)) \
    R(dynamic_slice_far, 0, weft_dynamic_slice(IN(v4), -9, 2)) \
    R(dynamic_slice_axis, 0, weft_dynamic_slice_axis(IN(t), 2, 2, 1)) \
    R(dynamic_update, 0, weft_dynamic_update_slice(IN(x), IN(u2), IN(at2))) \
    R(dynamic_update_clamped, 0, weft_dynamic_update_slice(IN(x), IN(u2), pair(7, -1))) \
    R(dynamic_update_axis, 0, weft_dynamic_update_axis(IN(x), IN(c3), 2, 1)) \
    R(dynamic_update_index, 0, weft_dynamic_update_axis(IN(x), IN(v4), 1, 0)) \
    R(scatter_f64, 0, weft_scatter(IN(d), IN(idx), 0, 1.5, .with = WEFT_ADD))
/* clang-format on */

/* clang-format off */
#define SORTED(R) \
    R(sort, 0, weft_sort(IN(keys))) R(sort_0, 0, weft_sort(IN(x), 0)) \
    R(sort_down, 0, weft_sort(IN(keys), 1, .descending = true)) \
    R(sort_i32, 0, weft_sort(IN(i), 1)) \
    R(sort_u8, 0, weft_sort(IN(u8), 0, .descending = true)) \
    R(sort_bool, 0, weft_sort(IN(m), 1)) R(sort_f16, 0, weft_sort(IN(h), -1)) \
    R(sort_bf16, 0, weft_sort(IN(b), 0)) R(sort_middle, 0, weft_sort(IN(t), 1)) \
    R(argsort, 0, weft_argsort(IN(keys))) \
    R(argsort_down, 0, weft_argsort(IN(keys), -1, .descending = true)) \
    R(argsort_0, 0, weft_argsort(IN(t), 0)) R(sort_empty, 0, weft_sort(IN(e0), 0)) \
    R(sort_row, 0, (weft_sort)(IN(row))) R(argsort_row, 0, (weft_argsort)(IN(row))) \
    R(sort_by, 0, weft_sort_by(IN(second), IN(keys), -1)) \
    R(sort_two, 0, two(0)) R(sort_two_1, 0, two(1)) R(top_k, 0, weft_top_k(IN(keys), 3, NULL)) \
    R(top_k_at, 0, places(IN(keys), 3)) R(top_k_i, 0, places(IN(small), 4)) \
    R(top_k_0, 0, weft_top_k(IN(x), 0, NULL)) \
    R(searchsorted, 0, weft_searchsorted(IN(asc), IN(query))) \
    R(searchsorted_right, 0, weft_searchsorted(IN(asc), IN(query), .right = true)) \
    R(searchsorted_types, 0, weft_searchsorted(weft_arange(NULL, 0, 5, 1), IN(x))) \
    R(searchsorted_number, 0, weft_searchsorted(IN(asc), 1)) \
    R(searchsorted_empty, 0, weft_searchsorted(weft_at(IN(asc), ":0"), IN(query))) \
    R(unique, 0, weft_unique(IN(vals), 6)) R(unique_at, 0, unique(6, 0)) R(unique_inverse, 0, unique(6, 1)) \
    R(unique_counts, 0, unique(6, 2)) R(unique_fewer, 0, weft_unique(IN(vals), 2)) \
    R(unique_fewer_counts, 0, unique(2, 2)) \
    R(unique_fill, 0, weft_unique(IN(vals), 6, .fill = weft_full(NULL, WEFT_I32, -1))) \
    R(unique_nan, 0, weft_unique(IN(keys), 12)) \
    R(unique_empty, 0, weft_unique(IN(e0), 2, .fill = weft_full(NULL, WEFT_F32, 4))) \
    R(nonzero, 0, weft_flatnonzero(IN(m), 8)) R(nonzero_fewer, 0, weft_flatnonzero(IN(x), 5)) \
    R(nonzero_more, 0, weft_flatnonzero(IN(small), 20, .fill = weft_full(NULL, WEFT_I32, -1))) \
    R(nonzero_none, 0, weft_flatnonzero(IN(x), 0)) R(nonzero_empty, 0, weft_flatnonzero(IN(e0), 3)) \
    R(nonzero_count, 0, set_count(IN(small))) R(masked, 0, masked(IN(row))) \
    R(sort_f64, 0, weft_sort(IN(d), 0)) R(sort_i64, 0, weft_sort(IN(k64), 1)) \
    R(argsort_i64, 0, weft_argsort(IN(k64), 1, .descending = true))
/* clang-format on */

/* clang-format off */
#define ALONG(R) \
    R(cumsum, 2e-6, weft_cumsum(IN(row), 1)) R(cumsum_0, 2e-6, weft_cumsum(IN(t), 0)) \
    R(cumsum_back, 2e-6, weft_cumsum(IN(row), 1, .reverse = true)) \
    R(cumsum_i8, 0, weft_cumsum(IN(a8), 1)) R(cumsum_bool, 0, weft_cumsum(IN(m), 0)) \
    R(cumsum_f16, 0, weft_cumsum(IN(h), 1)) R(cumprod, 2e-6, weft_cumprod(IN(x), 1)) \
    R(cumprod_back, 2e-6, weft_cumprod(IN(x), 0, .reverse = true)) \
    R(cummax, 0, (weft_cummax)(IN(row))) R(cummax_nan, 0, weft_cummax(IN(ties), 1)) \
    R(cummin, 0, weft_cummin(IN(i), 0)) \
    R(cummin_back, 0, weft_cummin(IN(row), 1, .reverse = true)) \
    R(cumlogsumexp, 2e-6, weft_cumlogsumexp(IN(row), 1)) \
    R(cumlogsumexp_infs, 2e-6, weft_cumlogsumexp(IN(infs), 1)) \
    R(cumlogsumexp_back, 2e-6, weft_cumlogsumexp(IN(x), 0, .reverse = true)) \
    R(cumsum_empty, 0, weft_cumsum(IN(e0), 0)) R(cumsum_f64, 1e-14, weft_cumsum(IN(d), 1)) \
    R(window_sum, 2e-6, weft_reduce_window(IN(img), WEFT_ADD, "2,3")) \
    R(window_max, 0, weft_reduce_window(IN(img), WEFT_MAX, "2,2", .stride = "2,2", .pad = "same")) \
    R(window_pad, 2e-6, weft_reduce_window(IN(img), WEFT_MUL, "2,2", .stride = "1,2", .pad = "1:0, 2:1")) \
    R(window_dilated, 0, weft_reduce_window(IN(img), WEFT_MIN, "2,2", .dilation = "2,3")) \
    R(window_base, 2e-6, weft_reduce_window(IN(img), WEFT_ADD, "3,3", .stride = "2,1", .pad = "1, 0", \
        .base_dilation = "2,1")) \
    R(window_i32, 0, weft_reduce_window(IN(i), WEFT_ADD, "2")) \
    R(window_same_back, 2e-6, weft_reduce_window(IN(row), WEFT_ADD, "1, 4", .stride = "3", .pad = "same")) \
    R(max_pool, 0, weft_max_pool(IN(img), "2,2")) \
    R(min_pool, 0, weft_min_pool(IN(img), "3,3", .stride = "1,1")) \
    R(avg_pool, 2e-6, weft_avg_pool(IN(img), "2,2")) \
    R(avg_pool_inside, 2e-6, weft_avg_pool(IN(img), "3,3", .pad = "same", .inside = true)) \
    R(segment_sum, 0, weft_segment_sum(IN(x), IN(segs), 4)) \
    R(segment_prod, 0, weft_segment_prod(IN(x), IN(segs), 3)) \
    R(segment_max, 0, weft_segment_max(IN(x), IN(segs), 4)) \
    R(segment_min, 0, weft_segment_min(IN(small), IN(segs), 4)) \
    R(segment_out, 0, weft_segment_sum(IN(x), IN(segs_out), 3)) \
    R(bincount, 0, weft_bincount(IN(small), 5)) R(bincount_out, 0, weft_bincount(IN(j), 4)) \
    R(bincount_weights, 2e-6, weft_bincount(IN(small), 6, .weights = IN(x))) \
    R(bincount_u8, 0, weft_bincount(IN(u8), 10)) R(histogram, 0, weft_histogram(IN(row), 7)) \
    R(histogram_edges, 2e-6, edges(IN(row), 7)) \
    R(histogram_range, 0, weft_histogram(IN(x), 4, .from = -1, .to = 1)) \
    R(histogram_weights, 2e-6, weft_histogram(IN(x), 4, .from = -1.1, .to = 1, .weights = IN(y))) \
    R(histogram_i, 0, weft_histogram(IN(small), 5)) \
    R(histogram_flat, 0, edges(weft_full_like(IN(small), 2), 2))
/* clang-format on */

/* 1, 1, -1 */
static weft_array *twice(void)
{
    return weft_sub(1, weft_mul(2, weft_astype(weft_eq(weft_arange(NULL, 0, 3, 1), 2), WEFT_I32)));
}
static weft_array *pair(int a, int b)
{
    return weft_stack_arrays(0, weft_full(NULL, WEFT_I32, a), weft_full(NULL, WEFT_I32, b));
}

static weft_array *two(int which)
{
    weft_array *out[2];
    return weft_sort_several(((weft_array *[]){ IN(second), IN(keys) }), 2, 2, -1, out) == WEFT_OK
               ? out[which]
               : NULL;
}

static weft_array *places(weft_array *x, int k)
{
    weft_array *indices;
    return weft_top_k(x, k, &indices) ? indices : NULL;
}

static weft_array *set_count(weft_array *x)
{
    weft_array *count;
    return weft_flatnonzero(x, 1, .count = &count) ? count : NULL;
}
/* NumPy's x[x > 0], and the last of them again to the end */
static weft_array *masked(weft_array *x)
{
    weft_array *flat = weft_ravel(x);
    return weft_take(flat, weft_flatnonzero(weft_gt(flat, 0), (int)weft_count(flat)), 0);
}
static weft_array *unique(int size, int which)
{
    weft_array *r[3];
    return weft_unique(IN(vals), size, .indices = &r[0], .inverse = &r[1], .counts = &r[2]) ? r[which] : NULL;
}

static weft_array *edges(weft_array *x, int bins)
{
    weft_array *e;
    return weft_histogram(x, bins, .edges = &e) ? e : NULL;
}

#define ROWS(R) CHANGING(R) SORTED(R) ALONG(R)
OPS_SUITE(ops_order, ROWS)

/* ---- vmap: three deep, against the function itself on each example ---- */

static weft_array *v_set(weft_array *x)
{
    return weft_set_add(weft_set(x, "1, ::2", weft_at(x, "0, :2")), ":, 1:3", 1);
}
static weft_array *v_scatter(weft_array *x)
{
    return weft_scatter(x, weft_argmax(x, .axes = "1"), 1, weft_at(x, ":, :3"), .with = WEFT_ADD);
}
static weft_array *v_scatter_at(weft_array *x)
{
    return weft_scatter_at(x, weft_astype(weft_at(x, ":, :2"), WEFT_I32), 5, .with = WEFT_MAX, .clip = true);
}
static weft_array *v_slice(weft_array *x)
{
    return weft_dynamic_slice(x, weft_astype(weft_at(x, "0, :2"), WEFT_I32), 2, 2);
}
static weft_array *v_update(weft_array *x)
{
    return weft_dynamic_update_axis(x, weft_at(x, ":, 0"), weft_argmin(weft_at(x, "1")), 1);
}
static weft_array *v_sort(weft_array *x) { return weft_sort_by(weft_sort(x, 0, .descending = true), x, 1); }
static weft_array *v_argsort(weft_array *x) { return weft_argsort(x, 0); }
static weft_array *v_top_k(weft_array *x) { return places(x, 2); }
static weft_array *v_search(weft_array *x) { return weft_searchsorted(weft_sort(weft_at(x, "0"), 0), x); }
static weft_array *v_unique(weft_array *x)
{
    weft_array *counts, *u = weft_unique(weft_round(x), 5, .counts = &counts);
    return u ? weft_mul(u, counts) : NULL;
}
static weft_array *v_nonzero(weft_array *x)
{
    weft_array *count, *at = weft_flatnonzero(weft_gt(x, 0.5), 7, .count = &count);
    return at ? weft_mul(at, count) : NULL;
}
static weft_array *v_cumsum(weft_array *x)
{
    return weft_cumlogsumexp(weft_cumsum(weft_cummax(x, 0), 1, .reverse = true), 1);
}
static weft_array *v_pool(weft_array *x)
{
    return weft_avg_pool(weft_max_pool(x, "2,2", .stride = "1,1"), "2,2", .pad = "same", .inside = true);
}
static weft_array *v_segment(weft_array *x) { return weft_segment_sum(x, weft_argmax(x, .axes = "1"), 4); }
static weft_array *v_histogram(weft_array *x) { return weft_histogram(x, 3, .weights = x); }
static weft_array *v_bincount(weft_array *x) { return weft_bincount(weft_astype(x, WEFT_I32), 3); }

static void check_examples(weft_context *ctx, int row, weft_unary *f, weft_array *batch, weft_array *got)
{
    for (int b = 0; got && b < 12; b++) {
        weft_array *want = f(weft_at(batch, "%d, %d, %d", b / 6, b / 2 % 3, b % 2)),
                   *one = weft_at(got, "%d, %d, %d", b / 6, b / 2 % 3, b % 2);
        bool same = want && one && weft_count(want) == weft_count(one) &&
                    !memcmp(weft_data(want), weft_data(one),
                            (size_t)weft_count(want) * dtype_bytes((DType)weft_dtype_of(want)));
        cr_expect(same, "function %d, example %d: %s", row, b,
                  weft_error(ctx) ? weft_error(ctx) : "values differ");
    }
    cr_expect(got, "function %d: %s", row, weft_error(ctx));
    weft_clear(ctx);
}

Test(ops_order, vmap_agrees_with_a_loop)
{
    static weft_unary *const functions[] = { v_set,     v_scatter,   v_scatter_at, v_slice,  v_update, v_sort,
                                             v_argsort, v_top_k,     v_search,     v_unique, v_cumsum, v_pool,
                                             v_segment, v_histogram, v_bincount,   v_nonzero };
    weft_context *ctx = weft_open(&(weft_options){ .mode = WEFT_MODE_STRICT });
    weft_array *batch =
        weft_reshape(weft_mul(weft_sin(weft_mul(weft_arange(ctx, 0, 144, 1), 7.3)), 3), 2, 3, 2, 3, 4);
    Failure none = { .code = WEFT_OK };
    bool compiles = backend_get(&none);
    for (int i = 0; i < (int)(sizeof functions / sizeof *functions); i++) {
        weft_scope *scope = weft_scope_open(ctx);
        weft_declare_(ctx, (weft_fn)functions[i], "f", weft_unary_text, NULL);
        weft_unary *all = weft_vmap(ctx, weft_vmap(ctx, weft_vmap(ctx, functions[i], "0"), "0"), "0");
        check_examples(ctx, i, functions[i], batch, all(batch));
        if (compiles) check_examples(ctx, i, functions[i], batch, weft_jit(ctx, all)(batch));
        weft_scope_close(scope);
    }
    weft_close(ctx);
}

/* The sum of the elements of a row of n that window number o meets. */
static double window_by_hand(const float *x, int n, int size, int stride, int base, int step, int low, int o)
{
    double sum = 0;
    for (int k = 0; k < size; k++) {
        int at = o * stride - low + k * step;
        if (at >= 0 && at <= (n - 1) * base && at % base == 0) sum += x[at / base];
    }
    return sum;
}

static void check_windows(weft_context *ctx, int n, int size, int stride, int base, int step, int low,
                          int high)
{
    static const float x[5] = { 1, 20, 300, 4000, 50000 };
    char text[6][16];
    const int number[] = { size, stride, base, step, low, high };
    for (int i = 0; i < 6; i++) snprintf(text[i], sizeof text[i], "%d", number[i]);
    char pad[40];
    snprintf(pad, sizeof pad, "%s:%s", text[4], text[5]);
    int spare = (n - 1) * base + 1 + low + high - ((size - 1) * step + 1),
        count = spare < 0 ? 0 : spare / stride + 1;
    weft_scope *scope = weft_scope_open(ctx);
    weft_array *got = weft_reduce_window(weft_from(ctx, x, n), WEFT_ADD, text[0], .stride = text[1],
                                         .base_dilation = text[2], .dilation = text[3], .pad = pad);
    cr_assert(got && weft_count(got) == count, "%s", weft_error(ctx));
    for (int o = 0; o < count; o++)
        cr_assert_eq(weft_f32(got)[o], (float)window_by_hand(x, n, size, stride, base, step, low, o),
                     "n %d, window %d, stride %d, base %d, step %d, padding %s: number %d", n, size, stride,
                     base, step, pad, o);
    weft_scope_close(scope);
}

/* The part of a window that always lies in the padding is left out. */
Test(ops_order, windows_that_reach_far_into_the_padding)
{
    weft_context *ctx = weft_open(NULL);
    for (int i = 0; i < 20000; i++) {
        uint32_t r = (uint32_t)i * 2654435761u;
        check_windows(ctx, 1 + r % 5, 1 + (r >> 3) % 13, 1 + (r >> 7) % 3, 1 + (r >> 9) % 3,
                      1 + (r >> 11) % 3, (int)((r >> 13) % 14) - 1, (int)((r >> 18) % 14) - 1);
    }
    const float row[3] = { 1, 2, 3 };
    weft_array *all = weft_max_pool(weft_from(ctx, row, 3), "9999999993", .stride = "1", .pad = "same");
    cr_assert(all && weft_count(all) == 3, "%s", weft_error(ctx));
    for (int i = 0; i < 3; i++) cr_expect_eq(weft_f32(all)[i], 3);
    weft_close(ctx);
}

/* How many of the elements stand before v, NaN being last; one by one. */
static int standing_before(const double *sorted, int n, double v, bool right)
{
    int count = 0;
    for (int i = 0; i < n; i++) {
        bool less = sorted[i] < v || (isnan(v) && !isnan(sorted[i])), same = !less && !(sorted[i] > v);
        bool equal = isnan(sorted[i]) ? isnan(v) : same && !isnan(v);
        count += less || (right && equal);
    }
    return count;
}

static weft_array *at_left(weft_array *sorted, weft_array *v) { return weft_searchsorted(sorted, v); }
static weft_array *at_right(weft_array *sorted, weft_array *v)
{
    return weft_searchsorted(sorted, v, .right = true);
}

/* Short arrays are counted, long ones are searched. */
Test(ops_order, places_in_arrays_of_any_length)
{
    static const int lengths[] = { 1, 2, 5, 31, 32, 33, 63, 64, 65, 66, 100, 1000 };
    static const weft_dtype types[] = { WEFT_F64, WEFT_F32, WEFT_F16, WEFT_I32 };
    enum { QUERIES = 64, MOST = 1000 };
    Failure failure = { .code = WEFT_OK };
    if (!backend_get(&failure)) cr_skip_test("%s", failure.text);
    weft_context *ctx = weft_open(NULL);
    weft_declare(ctx, at_left, weft_binary);
    weft_declare(ctx, at_right, weft_binary);
    weft_binary *way[] = { at_left, at_right, weft_jit(ctx, at_left), weft_jit(ctx, at_right) };
    for (size_t t = 0; t < sizeof types / sizeof *types; t++)
        for (size_t l = 0; l < sizeof lengths / sizeof *lengths; l++) {
            double sorted[MOST], query[QUERIES];
            int n = lengths[l];
            bool floats = types[t] != WEFT_I32;
            for (int i = 0; i < n; i++) sorted[i] = floats && n > 4 && i >= n - 2 ? NAN : floor(i / 3.0) - 5;
            for (int i = 0; i < QUERIES; i++) query[i] = floats ? -7 + i * n / 180.0 : i * n / 180 - 7;
            if (floats) query[0] = NAN, query[1] = INFINITY, query[2] = -INFINITY, query[3] = -0.0;
            weft_array *a = weft_astype(weft_from(ctx, sorted, n), types[t]),
                       *q = weft_astype(weft_from(ctx, query, QUERIES), types[t]);
            weft_array *rounded = weft_astype(q, WEFT_F64);
            for (int k = 0; k < 4; k++) {
                weft_array *y = way[k](a, q);
                cr_assert(y, "%s", weft_error(ctx));
                for (int i = 0; i < QUERIES; i++)
                    cr_expect_eq(weft_i32(y)[i], standing_before(sorted, n, weft_f64(rounded)[i], k & 1),
                                 "type %zu, %d elements, way %d, query %d", t, n, k, i);
            }
        }
    weft_close(ctx);
}

/* Elements in and between the edges, at them and beside them, outside, and no number. */
static int put_near_edges(const float *edge, int bins, float *x)
{
    int n = 0;
    for (int i = 0; i <= bins; i++) {
        x[n++] = edge[i];
        x[n++] = nextafterf(edge[i], INFINITY);
        x[n++] = nextafterf(edge[i], -INFINITY);
        if (i < bins) x[n++] = edge[i] / 2 + edge[i + 1] / 2;
    }
    x[n++] = NAN, x[n++] = INFINITY, x[n++] = -INFINITY, x[n++] = 0;
    return n;
}

/* Where an element belongs is what the edges say, however many there are. */
Test(ops_order, bins_are_between_their_edges)
{
    enum { MOST = 5000 };
    static const int numbers[] = { 1, 62, 63, 64, 65, 256, 1000, MOST };
    static const double ranges[][2] = { { -1, 1 }, { 0, 1e30 }, { 1e-30, 3e-30 }, { -3e38, 3e38 },
                                        { 0, 1 },  { 5, 1e4 },  { -7.3, -1.1 } };
    static float x[4 * MOST + 20];
    weft_context *ctx = weft_open(NULL);
    for (size_t r = 0; r < sizeof ranges / sizeof *ranges; r++)
        for (size_t b = 0; b < sizeof numbers / sizeof *numbers; b++) {
            int bins = numbers[b], count[MOST] = { 0 };
            weft_array *edges,
                *none = weft_histogram(weft_zeros(ctx, WEFT_F32, 1), bins, .from = ranges[r][0],
                                       .to = ranges[r][1], .edges = &edges);
            cr_assert(none, "%s", weft_error(ctx));
            const float *edge = weft_f32(edges);
            int n = put_near_edges(edge, bins, x);
            for (int i = 0; i < n; i++)
                for (int k = 0; k < bins; k++)
                    count[k] +=
                        x[i] >= edge[k] && (x[i] < edge[k + 1] || (k == bins - 1 && x[i] == edge[bins]));
            weft_array *y =
                weft_histogram(weft_from(ctx, x, n), bins, .from = ranges[r][0], .to = ranges[r][1]);
            for (int k = 0; k < bins; k++)
                cr_expect_eq(weft_f32(y)[k], count[k], "range %zu, %d bins: bin %d", r, bins, k);
            weft_clear(ctx);
        }
    weft_close(ctx);
}

/* The digits of a narrow type do not say which of many bins it is; its edges do. */
Test(ops_order, bins_of_narrow_floats)
{
    weft_context *ctx = weft_open(NULL);
    for (int bins = 32; bins <= 4096; bins *= 2) {
        weft_array *edges, *x = weft_linspace_as(ctx, WEFT_F16, -0.96, 0.97, 3000);
        weft_array *y = weft_histogram(x, bins, .from = -1, .to = 1, .edges = &edges);
        cr_assert(y, "%s", weft_error(ctx));
        weft_array *wide = weft_astype(x, WEFT_F64), *edge = weft_astype(edges, WEFT_F64);
        weft_array *bin = weft_sub(weft_searchsorted(edge, wide, .right = true), 1);
        weft_array *want = weft_astype(weft_bincount(bin, bins), WEFT_F16);
        cr_expect(weft_item(weft_all(weft_eq(y, want))) != 0, "%d bins", bins);
        weft_clear(ctx);
    }
    weft_close(ctx);
}
