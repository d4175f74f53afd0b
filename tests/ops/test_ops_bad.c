/* test_ops_bad.c: what a user can get wrong in updates, sorts, prefixes, windows and counts: each case gives
 * NULL, one message with his file and line, and leaves nothing behind; and each of these ops bears an
 * allocator that refuses at any call. */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "tests/support/context_suite.h"
#include "tests/support/error_at.h"

static weft_array *x, *v5, *i, *m, *e0, *s, *idx; /* f32[3,4] f32[5] i32[3,4] bool[3,4] f32[0,3] f32 i32[2] */
/* i8[3,4] i32[2,3] i32 i32[7,2] f32[9,4] f32[4] i32[3] */
static weft_array *a8, *i23, *i0, *i72, *z94, *z4, *i3;

static void setup(void)
{
    static const float zero[12];
    static const int32_t number[12] = { 1, 2, 3 };
    open_context();
    x = weft_from(ctx, zero, 3, 4);
    v5 = weft_from(ctx, zero, 5);
    i = weft_from(ctx, number, 3, 4);
    m = weft_eq(i, 1);
    e0 = weft_zeros(ctx, WEFT_F32, 0, 3);
    s = weft_scalar(ctx, 1);
    idx = weft_from(ctx, number, 2);
    a8 = weft_astype(i, WEFT_I8);
    i23 = weft_zeros(ctx, WEFT_I32, 2, 3);
    i0 = weft_zeros(ctx, WEFT_I32);
    i72 = weft_zeros(ctx, WEFT_I32, 7, 2);
    z94 = weft_zeros(ctx, WEFT_F32, 9, 4);
    z4 = weft_zeros(ctx, WEFT_F32, 4);
    i3 = weft_zeros(ctx, WEFT_I32, 3);
}

TestSuite(ops_bad, .init = setup, .fini = close_context);

#define BAD(code, text, call) REFUSED_AT_ONCE(__FILE__, code, !(call), text)

Test(ops_bad, changing)
{
    BAD(WEFT_ARGUMENT, "weft_set: index 7 is out of range for axis 1 of f32[3,4] (-4 to 3)",
        weft_set(x, "0, 7", 1));
    BAD(WEFT_ARGUMENT,
        "weft_set: index \"1:x\" cannot be read (entries like 3, 1:-1, ::2, ..., None, separated by commas)",
        weft_set(x, "1:x", 1));
    BAD(WEFT_ARGUMENT, "weft_set: the index is NULL", weft_set(x, NULL, 1));
    BAD(WEFT_ARGUMENT, "weft_set: index \"0, 0, 0\" is for 3 axes, but f32[3,4] has 2",
        weft_set(x, "0, 0, 0", 1));
    BAD(WEFT_SHAPE, "weft_set_add: f32[5] does not broadcast to the f32[2,4] that is to be changed",
        weft_set_add(x, "0:2", v5));
    BAD(WEFT_DTYPE, "weft_set: the number 2.5 does not go into i32[3,4] (use weft_astype)",
        weft_set(i, "0", 2.5));
    BAD(WEFT_DTYPE, "weft_set: f32 does not go into i32[3,4] without loss (use weft_astype)",
        weft_set(i, "0", s));
    BAD(WEFT_ARGUMENT, "weft_set: the number 300 does not fit in i8", weft_set(a8, "0", 300));
    BAD(WEFT_ARGUMENT, "weft_set_mul: operand 1 is NULL", weft_set_mul(NULL, "0", 1));
    BAD(WEFT_DTYPE, "weft_scatter: the indices must be integers, not f32[5]", weft_scatter(x, v5, 0, 1));
    BAD(WEFT_ARGUMENT, "weft_scatter: axis 2 is out of range for f32[3,4] (-2 to 1)",
        weft_scatter(x, idx, 2, 1));
    BAD(WEFT_SHAPE, "weft_scatter: f32[5] does not broadcast to the f32[2,4] that is to be changed",
        weft_scatter(x, idx, 0, v5));
    BAD(WEFT_ARGUMENT,
        "weft_scatter: .with is 9 (WEFT_SET, WEFT_ADD, WEFT_MUL, WEFT_MIN, WEFT_MAX are known)",
        weft_scatter(x, idx, 0, 1, .with = (weft_combine)9));
    BAD(WEFT_SHAPE, "weft_scatter_at: the indices i32[2,3] are positions along 3 axes, but f32[3,4] has 2",
        weft_scatter_at(x, i23, 1));
    BAD(WEFT_SHAPE, "weft_scatter_at: the indices i32 have no axis of positions", weft_scatter_at(x, i0, 1));
    BAD(WEFT_DTYPE, "weft_scatter_at: the indices must be integers, not f32[3,4]", weft_scatter_at(x, x, 1));
    BAD(WEFT_SHAPE, "weft_scatter_at: f32[5] does not broadcast to the f32[7] that is to be changed",
        weft_scatter_at(x, i72, v5));
    BAD(WEFT_ARGUMENT, "weft_dynamic_slice: 1 sizes for the 2 axes of f32[3,4]",
        weft_dynamic_slice(x, idx, 2));
    BAD(WEFT_SHAPE, "weft_dynamic_slice: slice size 4 of axis 0 is out of range for f32[3,4] (0 to 3)",
        weft_dynamic_slice(x, idx, 4, 1));
    BAD(WEFT_SHAPE, "weft_dynamic_slice: the starts i32 are not one for each of the 2 axes of f32[3,4]",
        weft_dynamic_slice(x, 0, 1, 1));
    BAD(WEFT_DTYPE, "weft_dynamic_slice: the starts must be integers, not f32",
        weft_dynamic_slice(v5, 0.5, 1));
    BAD(WEFT_SHAPE, "weft_dynamic_slice_axis: the start i32[2] is not one number",
        weft_dynamic_slice_axis(x, idx, 1, 0));
    BAD(WEFT_SHAPE, "weft_dynamic_slice_axis: slice size -1 of axis 0 is out of range for f32[3,4] (0 to 3)",
        weft_dynamic_slice_axis(x, 0, -1, 0));
    BAD(WEFT_ARGUMENT, "weft_dynamic_slice_axis: axis 5 is out of range for f32[3,4] (-2 to 1)",
        weft_dynamic_slice_axis(x, 0, 1, 5));
    BAD(WEFT_SHAPE,
        "weft_dynamic_update_slice: update f32[5] does not go into f32[3,4]: element type and rank must be "
        "equal",
        weft_dynamic_update_slice(x, v5, idx));
    BAD(WEFT_SHAPE, "weft_dynamic_update_axis: update f32[9,4] is larger than f32[3,4] along axis 0",
        weft_dynamic_update_axis(x, z94, 0, 0));
    BAD(WEFT_DTYPE,
        "weft_dynamic_update_axis: f32[4] does not go into i32[3,4] without loss (use weft_astype)",
        weft_dynamic_update_axis(i, z4, 0, 0));
}

static weft_array *out[2];
#define SEVERAL(in, n, n_keys) (weft_sort_several(in, n, n_keys, 0, out) == WEFT_OK || out[0] || out[1])

Test(ops_bad, order)
{
    const weft_array *pair[] = { x, i }, *other[] = { x, v5 }, *none[] = { x, NULL };
    out[0] = out[1] = x;
    BAD(WEFT_ARGUMENT, "weft_sort: axis 2 is out of range for f32[3,4] (-2 to 1)", weft_sort(x, 2));
    BAD(WEFT_SHAPE, "weft_sort: f32 has no axis to sort along", weft_sort(s, 0));
    BAD(WEFT_ARGUMENT, "weft_argsort: axis -3 is out of range for f32[3,4] (-2 to 1)", weft_argsort(x, -3));
    BAD(WEFT_SHAPE, "weft_argsort: f32 has no axis to sort along", weft_argsort(s, 0));
    BAD(WEFT_SHAPE,
        "weft_sort_by: array 1 is f32[5]: what is sorted together has one shape, here that of f32[3,4]",
        weft_sort_by(x, v5, 0));
    BAD(WEFT_ARGUMENT, "weft_sort_by: operand 2 is NULL", weft_sort_by(x, NULL, 0));
    BAD(WEFT_ARGUMENT, "weft_top_k: 5 of the 4 elements of a row of f32[3,4]", weft_top_k(x, 5, NULL));
    BAD(WEFT_ARGUMENT, "weft_top_k: -1 of the 4 elements of a row of f32[3,4]", weft_top_k(x, -1, NULL));
    BAD(WEFT_SHAPE, "weft_top_k: f32 has no axis to sort along", weft_top_k(s, 0, NULL));
    BAD(WEFT_SHAPE, "weft_searchsorted: the sorted array f32[3,4] does not have one axis",
        weft_searchsorted(x, v5));
    BAD(WEFT_ARGUMENT, "weft_searchsorted: operand 2 is NULL", weft_searchsorted(v5, (weft_array *)NULL));
    BAD(WEFT_ARGUMENT, "weft_unique: size is -1", weft_unique(x, -1));
    BAD(WEFT_ARGUMENT, "weft_unique: f32[0,3] has no elements: .fill must say what the 2 values are",
        weft_unique(e0, 2));
    BAD(WEFT_SHAPE, "weft_unique: .fill is f32[5], not one number", weft_unique(x, 2, .fill = v5));
    BAD(WEFT_ARGUMENT, "weft_flatnonzero: size is -1", weft_flatnonzero(x, -1));
    BAD(WEFT_DTYPE, "weft_flatnonzero: .fill must be an int, not f32[5]", weft_flatnonzero(x, 2, .fill = v5));
    BAD(WEFT_ARGUMENT, "weft_sort_several: 3 keys of 2 arrays (1 to 16 keys, 1 to 64 arrays)",
        SEVERAL(pair, 2, 3));
    BAD(WEFT_SHAPE,
        "weft_sort_several: array 1 is f32[5]: what is sorted together has one shape, here that of f32[3,4]",
        SEVERAL(other, 2, 1));
    BAD(WEFT_ARGUMENT, "weft_sort_several: operand 2 is NULL", SEVERAL(none, 2, 1));
    BAD(WEFT_ARGUMENT, "weft_sort_several: 0 keys of 0 arrays (1 to 16 keys, 1 to 64 arrays)",
        weft_sort_several(pair, 0, 0, 0, out) == WEFT_OK);
    BAD(WEFT_ARGUMENT, "weft_sort_several: the list of operands is NULL", SEVERAL(NULL, 2, 1));
}

Test(ops_bad, prefixes_windows_counts)
{
    BAD(WEFT_ARGUMENT, "weft_cumsum: axis 2 is out of range for f32[3,4] (-2 to 1)", weft_cumsum(x, 2));
    BAD(WEFT_SHAPE, "weft_cummax: f32 has no axis", weft_cummax(s, 0));
    BAD(WEFT_ARGUMENT,
        "weft_reduce_window: windows are folded by WEFT_ADD, WEFT_MUL, WEFT_MIN or WEFT_MAX, not by 0",
        weft_reduce_window(x, WEFT_SET, "2"));
    BAD(WEFT_ARGUMENT, "weft_reduce_window: the window is NULL", weft_reduce_window(x, WEFT_ADD, NULL));
    BAD(WEFT_ARGUMENT, "weft_reduce_window: the window \"2,2,2\" has more entries than f32[3,4] has axes",
        weft_reduce_window(x, WEFT_ADD, "2,2,2"));
    BAD(WEFT_ARGUMENT, "weft_reduce_window: the window \"2x\" cannot be read (numbers separated by commas)",
        weft_reduce_window(x, WEFT_ADD, "2x"));
    BAD(WEFT_ARGUMENT, "weft_reduce_window: the window \"2,\" cannot be read (numbers separated by commas)",
        weft_reduce_window(x, WEFT_ADD, "2,"));
    BAD(WEFT_ARGUMENT, "weft_reduce_window: window size 0 of axis 1 must be 1 to 1152921504606846975",
        weft_reduce_window(x, WEFT_ADD, "0"));
    BAD(WEFT_ARGUMENT, "weft_max_pool: stride -1 of axis 1 must be 1 to 1152921504606846975",
        weft_max_pool(x, "2", .stride = "-1"));
    BAD(WEFT_ARGUMENT, "weft_max_pool: stride 0 of axis 1 must be 1 to 1152921504606846975",
        weft_max_pool(x, "2", .stride = "0", .pad = "same"));
    BAD(WEFT_ARGUMENT,
        "weft_max_pool: .pad \"some\" cannot be read (\"valid\", \"same\", or entries like 1:2, separated by "
        "commas)",
        weft_max_pool(x, "2", .pad = "some"));
    BAD(WEFT_ARGUMENT,
        "weft_avg_pool: .pad \"1:\" cannot be read (\"valid\", \"same\", or entries like 1:2, separated by "
        "commas)",
        weft_avg_pool(x, "2", .pad = "1:"));
    BAD(WEFT_ARGUMENT, "weft_avg_pool: .dilation \"1:2\" cannot be read (numbers separated by commas)",
        weft_avg_pool(x, "2", .dilation = "1:2"));
    BAD(WEFT_DTYPE, "weft_segment_sum: the segments' numbers must be integers, not f32[5]",
        weft_segment_sum(x, v5, 3));
    BAD(WEFT_SHAPE,
        "weft_segment_max: the segments' numbers i32[2] are not one for each of the first elements of "
        "f32[3,4]",
        weft_segment_max(x, idx, 3));
    BAD(WEFT_ARGUMENT, "weft_segment_min: -1 segments", weft_segment_min(x, i3, -1));
    BAD(WEFT_DTYPE, "weft_bincount: what is counted must be integers, not f32[3,4]", weft_bincount(x, 3));
    BAD(WEFT_ARGUMENT, "weft_bincount: the length is -3", weft_bincount(i, -3));
    BAD(WEFT_SHAPE, "weft_bincount: .weights f32[5] do not have the shape of i32[3,4]",
        weft_bincount(i, 3, .weights = v5));
    BAD(WEFT_ARGUMENT, "weft_histogram: 0 bins (1 to 2147483645)", weft_histogram(x, 0));
    BAD(WEFT_ARGUMENT, "weft_histogram: the range 2 to 1", weft_histogram(x, 3, .from = 2, .to = 1));
    BAD(WEFT_SHAPE, "weft_histogram: f32[0,3] has no elements: .from and .to must give the range",
        weft_histogram(e0, 3));
    BAD(WEFT_SHAPE, "weft_histogram: .weights f32[5] do not have the shape of f32[3,4]",
        weft_histogram(x, 3, .weights = v5));
}

static weft_array *c_set(weft_array *a)
{
    return weft_set_max(weft_set_add(weft_set(a, "1, ::2", 3), ":, ::-1", 1), "2:4, 2:4",
                        weft_at(a, "0:2, 0:2"));
}
static weft_array *c_scatter(weft_array *a)
{
    return weft_scatter_at(weft_scatter(a, weft_argmax(a, .axes = "0"), 0, 1, .with = WEFT_ADD, .clip = true),
                           weft_astype(weft_at(a, "0:2, 0:2"), WEFT_I32), 5);
}
static weft_array *c_slices(weft_array *a)
{
    return weft_dynamic_update_axis(
        a, weft_dynamic_slice(a, weft_astype(weft_at(a, "0, 1:3"), WEFT_I32), 1, 8), 9, 0);
}
static weft_array *c_sort(weft_array *a)
{
    weft_array *at;
    weft_array *top = weft_top_k(a, 3, &at);
    return top ? weft_concatenate(1, top, weft_take_along_axis(weft_sort(a, 0), at, 1),
                                  weft_sort_by(a, weft_neg(a), 1))
               : NULL;
}
static weft_array *c_unique(weft_array *a)
{
    weft_array *inverse, *counts, *indices;
    weft_array *u =
        weft_unique(weft_mod(a, 5), 9, .inverse = &inverse, .counts = &counts, .indices = &indices);
    return u ? weft_add(weft_searchsorted(u, inverse), weft_sum(weft_mul(counts, indices))) : NULL;
}
static weft_array *c_prefix(weft_array *a)
{
    return weft_add(weft_cumlogsumexp(a, 0), weft_cumsum(weft_cummin(a, 1), 0, .reverse = true));
}
static weft_array *c_pool(weft_array *a)
{
    return weft_avg_pool(weft_max_pool(a, "2,2"), "3,3", .stride = "1,1", .pad = "same", .inside = true);
}
static weft_array *c_count(weft_array *a)
{
    weft_array *edges;
    weft_array *h = weft_histogram(a, 4, .weights = a, .edges = &edges);
    return h ? weft_add(weft_segment_sum(h, weft_bincount(weft_astype(a, WEFT_I32), 4), 3),
                        weft_at(edges, "0"))
             : NULL;
}

Test(ops_bad, every_allocation_fails_once)
{
    static Composition *const composition[] = { c_set,    c_scatter, c_slices, c_sort,
                                                c_unique, c_prefix,  c_pool,   c_count };
    each_allocation_fails_once(composition, sizeof composition / sizeof *composition);
}
