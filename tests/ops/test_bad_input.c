/* test_bad_input.c: what a user can get wrong in a call of an op: each case gives NULL, one message with his
 * file and line, and leaves nothing behind. */
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "tests/support/context_suite.h"
#include "tests/support/error_at.h"

/* f32[3,4] f32[5] f32[2,3,4] i32[3,4] f16[3,4] bool[3,4] f32[0,3] f32 */
static weft_array *x, *v5, *t, *i, *h, *m, *e0, *s;
static weft_array *i43, *t342, *a8, *u32; /* i32[4,3] f32[3,4,2] i8[3,4] u32[3,4] */
static weft_array *none;                  /* the failed value */

static void setup(void)
{
    static const float zero[24];
    static const int32_t number[12] = { 1, 2, 3 };
    static const bool flag[12];
    open_context();
    x = weft_from(ctx, zero, 3, 4);
    v5 = weft_from(ctx, zero, 5);
    t = weft_from(ctx, zero, 2, 3, 4);
    i = weft_from(ctx, number, 3, 4);
    m = weft_from(ctx, flag, 3, 4);
    h = weft_astype(x, WEFT_F16);
    e0 = weft_zeros(ctx, WEFT_F32, 0, 3);
    s = weft_scalar(ctx, 1);
    i43 = weft_transpose(i);
    t342 = weft_permute_dims(t, 1, 2, 0);
    a8 = weft_astype(i, WEFT_I8);
    u32 = weft_astype(i, WEFT_U32);
}

#define ONES_8  1, 1, 1, 1, 1, 1, 1, 1
#define ONES_33 ONES_8, ONES_8, ONES_8, ONES_8, 1

#define BAD_RESULT(code, text, failed) REFUSED_AT_ONCE(__FILE__, code, failed, text)
#define BAD(code, text, call)          BAD_RESULT(code, text, !(call))

TestSuite(bad_input, .init = setup, .fini = close_context);

Test(bad_input, elementwise)
{
    BAD(WEFT_SHAPE, "weft_add: shapes f32[3,4] and f32[5] do not broadcast (axis 1: 4 against 5)",
        weft_add(x, v5));
    BAD(WEFT_SHAPE, "weft_mul: shapes i32[4,3] and f32[2,3,4] do not broadcast (axis 2: 3 against 4)",
        weft_mul(i43, t));
    BAD(WEFT_DTYPE,
        "weft_sub: element type bool is not taken (allowed: signed integers, unsigned integers, floats, "
        "complex numbers)",
        weft_sub(m, m));
    BAD(WEFT_DTYPE,
        "weft_neg: element type bool is not taken (allowed: signed integers, unsigned integers, floats, "
        "complex numbers)",
        weft_neg(m));
    BAD(WEFT_DTYPE,
        "weft_and: element type f32 is not taken (allowed: bool, signed integers, unsigned integers)",
        weft_and(x, 1));
    BAD(WEFT_DTYPE, "weft_shl: element type f32 is not taken (allowed: signed integers, unsigned integers)",
        weft_shl(x, 1));
    BAD(WEFT_DTYPE,
        "weft_not: element type f16 is not taken (allowed: bool, signed integers, unsigned integers)",
        weft_not(h));
    BAD(WEFT_DTYPE,
        "weft_popcount: element type f32 is not taken (allowed: signed integers, unsigned integers)",
        weft_popcount(x));
    BAD(WEFT_ARGUMENT, "weft_add: the number 300 does not fit in i8", weft_add(a8, 300));
    BAD(WEFT_ARGUMENT, "weft_add: the number -1 does not fit in u32", weft_add(u32, -1));
    BAD(WEFT_ARGUMENT, "weft_mul: the number 18446744073709551615 does not fit in i32",
        weft_mul(i, UINT64_MAX));
    BAD(WEFT_ARGUMENT, "weft_neg: the number 4294967296 does not fit in i32", weft_neg(4294967296));
    BAD(WEFT_ARGUMENT,
        "weft_pow: i32[3,4] cannot be raised to the negative power -2 (only floats can; use weft_astype)",
        weft_pow(i, -2));
    BAD(WEFT_ARGUMENT, "weft_add: operand 2 is NULL", weft_add(x, none));
    BAD(WEFT_ARGUMENT, "weft_tanh: operand 1 is NULL", weft_tanh(none));
    BAD(WEFT_ARGUMENT, "weft_where: operand 3 is NULL", weft_where(m, 1, none));
    BAD(WEFT_SHAPE, "weft_where: shapes bool[3,4] and f32[5] do not broadcast (axis 1: 4 against 5)",
        weft_where(m, v5, 0));
    BAD(WEFT_SHAPE, "weft_clip: shapes f32[3,4] and f32[5] do not broadcast (axis 1: 4 against 5)",
        weft_clip(x, 0, v5));
    BAD(WEFT_ARGUMENT, "weft_astype: 99 is no element type (0 to 14)", weft_astype(x, (weft_dtype)99));
    BAD(WEFT_DTYPE, "weft_bitcast: bits of bool cannot be seen as f32 (bool has one bit)",
        weft_bitcast(m, WEFT_F32));
    BAD(WEFT_SHAPE, "weft_bitcast: the last axis of f16[3,4] must have size 2 to become f32",
        weft_bitcast(h, WEFT_F32));
    BAD(WEFT_ARGUMENT, "weft_reduce_precision: 0 exponent bits (at least 1)", weft_reduce_precision(x, 0, 3));
    BAD(WEFT_DTYPE, "weft_reduce_precision: element type i32 is not taken (allowed: floats)",
        weft_reduce_precision(i, 5, 3));
}

/* The message shows the number as it was written, not clamped to 64 bits. */
Test(bad_input, numbers_past_64_bits)
{
    BAD(WEFT_ARGUMENT, "weft_at: the number 99999999999999999999 does not fit in an int64",
        weft_at(x, "0, 99999999999999999999"));
    BAD(WEFT_ARGUMENT, "weft_at: the number -9223372036854775809 does not fit in an int64",
        weft_at(x, "1: -9223372036854775809"));
    BAD(WEFT_ARGUMENT, "weft_sum: the number 9223372036854775808 does not fit in an int64",
        weft_sum(x, .axes = "9223372036854775808"));
    BAD(WEFT_ARGUMENT, "weft_pad: the number 9223372036854775808 does not fit in an int64",
        weft_pad(x, 0, "1:9223372036854775808"));
    BAD(WEFT_ARGUMENT, "weft_reduce_window: the number 9223372036854775808 does not fit in an int64",
        weft_reduce_window(x, WEFT_ADD, "2", .stride = "9223372036854775808"));
    BAD(WEFT_ARGUMENT, "weft_reduce_window: the number -9223372036854775809 does not fit in an int64",
        weft_reduce_window(x, WEFT_ADD, "2", .pad = "0:-9223372036854775809"));
}

Test(bad_input, making)
{
    BAD(WEFT_SHAPE, "weft_zeros: size -2 of axis 1 is negative", weft_zeros(ctx, WEFT_F32, 3, -2));
    BAD(WEFT_SHAPE, "weft_ones: f32[4294967296,4294967296,8] has more bytes than 63 bits can count",
        weft_ones(ctx, WEFT_F32, 4294967296, 4294967296, 8));
    BAD(WEFT_SHAPE,
        "weft_zeros: f64[0,2305843009213693952] has more bytes than 63 bits can count where its sizes of 0 "
        "are left out",
        weft_zeros(ctx, WEFT_F64, 0, INT64_C(1) << 61));
    BAD(WEFT_SHAPE,
        "weft_from: f64[2305843009213693952,0] has more bytes than 63 bits can count where its sizes of 0 "
        "are left out",
        weft_from_shape(ctx, WEFT_F64, "", 2, ((int64_t[]){ INT64_C(1) << 61, 0 })));
    BAD(WEFT_ARGUMENT, "weft_zeros: 77 is no element type (0 to 14)", weft_zeros(ctx, (weft_dtype)77, 2));
    BAD(WEFT_SHAPE, "weft_zeros: rank 33 is over the limit of 32 axes", weft_zeros(ctx, WEFT_F32, ONES_33));
    BAD(WEFT_SHAPE, "weft_full: f32[5] does not broadcast to [3,4]", weft_full(ctx, WEFT_F32, v5, 3, 4));
    BAD(WEFT_SHAPE, "weft_full: f32[3,4] does not broadcast to [4]", weft_full(ctx, WEFT_F32, x, 4));
    BAD(WEFT_ARGUMENT, "weft_full: the number 256 does not fit in u8", weft_full(ctx, WEFT_U8, 256, 4));
    BAD(WEFT_ARGUMENT, "weft_full_like: the number 3000000000 does not fit in i32",
        weft_full_like(i, 3000000000));
    BAD(WEFT_ARGUMENT, "weft_arange: step must not be 0", weft_arange(ctx, 0, 4, 0));
    BAD(WEFT_ARGUMENT, "weft_arange: from 0 to inf by 1 are more elements than 63 bits can count",
        weft_arange(ctx, 0, INFINITY, 1));
    BAD(WEFT_ARGUMENT, "weft_arange: start, stop and step must be C numbers: the length depends on them",
        weft_arange(ctx, 0, s, 1));
    BAD(WEFT_DTYPE, "weft_arange_as: element type c64 is not taken (allowed: ints, floats)",
        weft_arange_as(ctx, WEFT_C64, 0, 3, 1));
    BAD(WEFT_DTYPE, "weft_arange_as: element type bool is not taken (allowed: ints, floats)",
        weft_arange_as(ctx, WEFT_BOOL, 0, 2, 1));
    BAD(WEFT_ARGUMENT, "weft_arange_as: 77 is no element type (0 to 14)",
        weft_arange_as(ctx, (weft_dtype)77, 0, 2, 1));
    BAD(WEFT_DTYPE, "weft_arange_as: start, stop and step of i32 must be C ints: 0.5 is none",
        weft_arange_as(ctx, WEFT_I32, 0, 2, 0.5));
    BAD(WEFT_ARGUMENT, "weft_arange_as: the number 150 does not fit in i8",
        weft_arange_as(ctx, WEFT_I8, 0, 300, 150));
    BAD(WEFT_ARGUMENT, "weft_arange_as: the number 129 does not fit in i8",
        weft_arange_as(ctx, WEFT_I8, 0, 130, 43));
    BAD(WEFT_ARGUMENT, "weft_arange_as: the number -3 does not fit in u16",
        weft_arange_as(ctx, WEFT_U16, -3, 3, 1));
    BAD(WEFT_ARGUMENT, "weft_arange_as: step must not be 0", weft_arange_as(ctx, WEFT_F64, 0, 4, 0));
    BAD(WEFT_ARGUMENT, "weft_one_hot_as: 77 is no element type (0 to 14)",
        weft_one_hot_as((weft_dtype)77, i, 3));
    BAD(WEFT_DTYPE, "weft_one_hot_as: the indices must be integers, not f32[3,4]",
        weft_one_hot_as(WEFT_F64, x, 3));
    BAD(WEFT_ARGUMENT, "weft_linspace_as: -1 numbers cannot be made (0 or more)",
        weft_linspace_as(ctx, WEFT_F64, 0, 1, -1));
    BAD(WEFT_DTYPE, "weft_linspace_as: the element type must be a float's",
        weft_linspace_as(ctx, WEFT_I32, 0, 1, 3));
    BAD(WEFT_DTYPE, "weft_linspace_as: the element type must be a float's",
        weft_linspace_as(ctx, WEFT_C64, 0, 1, 3));
    BAD(WEFT_ARGUMENT, "weft_linspace: -1 numbers cannot be made (0 or more)", weft_linspace(ctx, 0, 1, -1));
    BAD(WEFT_DTYPE,
        "weft_iota: element type bool is not taken (allowed: signed integers, unsigned integers, floats, "
        "complex numbers)",
        weft_iota(ctx, WEFT_BOOL, 0, 3));
    BAD(WEFT_ARGUMENT, "weft_iota: axis 2 is out of range for i32[3,4] (-2 to 1)",
        weft_iota(ctx, WEFT_I32, 2, 3, 4));
    BAD(WEFT_ARGUMENT, "weft_eye: 4 numbers after the element type (1 to 3: rows, columns, diagonal)",
        weft_eye(ctx, WEFT_F32, 1, 2, 3, 4));
    BAD(WEFT_SHAPE, "weft_eye: size -3 of axis 0 is negative", weft_eye(ctx, WEFT_F32, -3));
    BAD(WEFT_DTYPE, "weft_one_hot: the indices must be integers, not f32[3,4]", weft_one_hot(x, 3));
    BAD(WEFT_ARGUMENT, "weft_one_hot: -1 classes (0 or more)", weft_one_hot(i, -1));
    BAD(WEFT_SHAPE, "weft_tril: f32[5] has no last two axes (rank 2 or more)", weft_tril(v5));
    BAD(WEFT_SHAPE, "weft_triu: f32 has no last two axes (rank 2 or more)", weft_triu(s, 2));
    weft_array *wide = weft_zeros(ctx, WEFT_U8, 0, INT64_MAX);
    BAD(WEFT_SHAPE, /* the mask's row numbers are i32 */
        "weft_tril: i32[0,9223372036854775807] has more bytes than 63 bits can count where its sizes of 0 "
        "are "
        "left out",
        weft_tril(wide, 1));
}

Test(bad_input, shapes)
{
    weft_array *parts[3];
    BAD(WEFT_SHAPE, "weft_reshape: f32[3,4] of 12 elements cannot become [5,2]", weft_reshape(x, 5, 2));
    BAD(WEFT_SHAPE,
        "weft_reshape: f32[3,4] of 12 elements cannot become [5,-1] (one size may be -1, the others must "
        "divide the number of elements)",
        weft_reshape(x, 5, -1));
    BAD(WEFT_SHAPE,
        "weft_reshape: f32[3,4] of 12 elements cannot become [-1,-1] (one size may be -1, the others must "
        "divide the number of elements)",
        weft_reshape(x, -1, -1));
    BAD(WEFT_SHAPE,
        "weft_reshape: f32[0,3] of 0 elements cannot become [0,-1] (one size may be -1, the others must "
        "divide the number of elements)",
        weft_reshape(e0, 0, -1));
    BAD(WEFT_ARGUMENT, "weft_transpose: axes \"0,x\" are not a list of numbers like \"0,-1\"",
        weft_transpose(x, "0,x"));
    BAD(WEFT_ARGUMENT, "weft_transpose: axes \"0,\" are not a list of numbers like \"0,-1\"",
        weft_transpose(x, "0,"));
    BAD(WEFT_ARGUMENT, "weft_transpose: axes \"1 0\" are not a list of numbers like \"0,-1\"",
        weft_transpose(x, "1 0"));
    BAD(WEFT_ARGUMENT, "weft_transpose: 1 axes are given for f32[3,4] (all 2, each once)",
        weft_transpose(x, "1"));
    BAD(WEFT_ARGUMENT, "weft_transpose: axes \"0,-2\" name axis 0 of f32[3,4] twice",
        weft_transpose(x, "0,-2"));
    BAD(WEFT_ARGUMENT, "weft_transpose: axis 2 is out of range for f32[3,4] (-2 to 1)",
        weft_transpose(x, "2,0"));
    BAD(WEFT_ARGUMENT, "weft_permute_dims: axis 1 of f32[2,3,4] is named twice",
        weft_permute_dims(t, 1, 1, 0));
    BAD(WEFT_ARGUMENT, "weft_moveaxis: axis 3 is out of range for f32[2,3,4] (-3 to 2)",
        weft_moveaxis(t, 0, 3));
    BAD(WEFT_ARGUMENT, "weft_swapaxes: axis -4 is out of range for f32[2,3,4] (-3 to 2)",
        weft_swapaxes(t, -4, 0));
    BAD(WEFT_ARGUMENT, "weft_swapaxes: axis 0 is out of range: f32 has no axes", weft_swapaxes(s, 0, 0));
    BAD(WEFT_ARGUMENT, "weft_expand_dims: axis 3 is out of range for f32[3,4] (-3 to 2)",
        weft_expand_dims(x, 3));
    BAD(WEFT_SHAPE, "weft_squeeze: axis 1 of f32[3,4] does not have size 1", weft_squeeze(x, "-1"));
    BAD(WEFT_SHAPE, "weft_broadcast_to: f32[3,4] does not broadcast to [4,3]", weft_broadcast_to(x, 4, 3));
    BAD(WEFT_SHAPE, "weft_broadcast_to: f32[3,4] does not broadcast to [4]", weft_broadcast_to(x, 4));
    BAD(WEFT_SHAPE, "weft_broadcast_to: size -1 of axis 0 is negative", weft_broadcast_to(s, -1));
    BAD(WEFT_SHAPE, "weft_concatenate: operands f32[3,4] and f32[5] must agree on every axis but 0",
        weft_concatenate(0, x, v5));
    BAD(WEFT_ARGUMENT, "weft_concatenate: axis 0 is out of range: f32 has no axes",
        weft_concatenate(0, s, s));
    BAD(WEFT_ARGUMENT, "weft_concatenate: operand 2 is NULL", weft_concatenate(0, x, none));
    BAD(WEFT_SHAPE, "weft_stack_arrays: operands f32[3,4] and i32[4,3] must have one shape",
        weft_stack_arrays(0, x, i43));
    BAD_RESULT(WEFT_SHAPE, "weft_split: axis 1 of f32[3,4] does not split into 3 equal parts",
               weft_split(x, 3, 1, parts) == WEFT_SHAPE && !parts[0] && !parts[2]);
    BAD_RESULT(WEFT_ARGUMENT, "weft_split: axis 5 is out of range for f32[3,4] (-2 to 1)",
               weft_split(x, 2, 5, parts) == WEFT_ARGUMENT);
    BAD(WEFT_ARGUMENT, "weft_tile: -1 copies (0 or more)", weft_tile(x, 2, -1));
    BAD(WEFT_SHAPE, "weft_tile: the size of axis 1 overflows", weft_tile(x, 1, INT64_MAX));
    BAD(WEFT_ARGUMENT, "weft_repeat: -3 copies (0 or more)", weft_repeat(x, -3, 0));
    BAD(WEFT_ARGUMENT, "weft_roll: axis 2 is out of range for f32[3,4] (-2 to 1)", weft_roll(x, 1, 2));
    BAD(WEFT_ARGUMENT, "weft_flip: axes \"0,0\" name axis 0 of f32[3,4] twice", weft_flip(x, "0,0"));
    BAD(WEFT_ARGUMENT,
        "weft_pad: widths \"1:2, x\" are not like \"1:2, 0:0\" (low:high or low:high:between for each axis)",
        weft_pad(x, 0, "1:2, x"));
    BAD(WEFT_ARGUMENT, "weft_pad: widths \"1:2, 0, 3\" are for 3 axes, but f32[3,4] has 2",
        weft_pad(x, 0, "1:2, 0, 3"));
    BAD(WEFT_ARGUMENT, "weft_pad: interior padding -1 of axis 0 is negative", weft_pad(x, 0, "0:0:-1, 0"));
    BAD(WEFT_SHAPE, "weft_pad: the filler must be one f32, not f32[5]", weft_pad(x, v5, "1"));
}

Test(bad_input, indexing)
{
    BAD(WEFT_ARGUMENT, "weft_at: index 3 is out of range for axis 0 of f32[3,4] (-3 to 2)", weft_at(x, "3"));
    BAD(WEFT_ARGUMENT, "weft_at: index -5 is out of range for axis 1 of f32[3,4] (-4 to 3)",
        weft_at(x, ":, %d", -5));
    BAD(WEFT_ARGUMENT, "weft_at: index 0 is out of range: axis 0 of f32[0,3] has no elements",
        weft_at(e0, "0"));
    BAD(WEFT_ARGUMENT, "weft_at: index \"1,2,3\" is for 3 axes, but f32[3,4] has 2", weft_at(x, "1,2,3"));
    BAD(WEFT_ARGUMENT,
        "weft_at: index \"1:2:3:4\" cannot be read (entries like 3, 1:-1, ::2, ..., None, separated by "
        "commas)",
        weft_at(x, "1:2:3:4"));
    BAD(WEFT_ARGUMENT,
        "weft_at: index \"a\" cannot be read (entries like 3, 1:-1, ::2, ..., None, separated by commas)",
        weft_at(x, "a"));
    BAD(WEFT_ARGUMENT,
        "weft_at: index \"1,,2\" cannot be read (entries like 3, 1:-1, ::2, ..., None, separated by commas)",
        weft_at(x, "1,,2"));
    BAD(WEFT_ARGUMENT, "weft_at: index \"..., ...\" has two ellipses (\"...\")", weft_at(x, "..., ..."));
    BAD(WEFT_ARGUMENT, "weft_at: the step of axis 1 must not be 0", weft_at(x, ":, ::0"));
    BAD(WEFT_DTYPE, "weft_take: the indices must be integers, not f32[5]", weft_take(x, v5, 0));
    BAD(WEFT_ARGUMENT, "weft_take: axis 2 is out of range for f32[3,4] (-2 to 1)", weft_take(x, i, 2));
    BAD(WEFT_SHAPE, "weft_take: nothing can be taken from axis 0 of f32[0,3], which has no elements",
        weft_take(e0, i, 0));
    BAD(WEFT_SHAPE, "weft_take_along_axis: f32[2,3,4] and the indices i32[3,4] differ in rank",
        weft_take_along_axis(t, i, 0));
    BAD(WEFT_SHAPE,
        "weft_take_along_axis: f32[3,4] and the indices i32[4,3] do not broadcast (axis 0: 3 against 4)",
        weft_take_along_axis(x, i43, 1));
}

Test(bad_input, reductions)
{
    BAD(WEFT_ARGUMENT, "weft_sum: axis 2 is out of range for f32[3,4] (-2 to 1)", weft_sum(x, .axes = "2"));
    BAD(WEFT_ARGUMENT, "weft_sum: axes \"0,-2\" name axis 0 of f32[3,4] twice", weft_sum(x, .axes = "0,-2"));
    BAD(WEFT_ARGUMENT, "weft_mean: axes \"zero\" are not a list of numbers like \"0,-1\"",
        weft_mean(x, .axes = "zero"));
    BAD(WEFT_DTYPE, "weft_sum: .where must be bool, not f32[3,4] (use weft_ne(mask, 0))",
        weft_sum(x, .where = x));
    BAD(WEFT_SHAPE, "weft_var: .where bool[3,4] does not broadcast to f32[5]", weft_var(v5, .where = m));
    BAD(WEFT_SHAPE, "weft_max: f32[0,3] has no elements along the axes, and nothing has no greatest",
        weft_max(e0));
    BAD(WEFT_SHAPE, "weft_argmin: f32[0,3] has no elements along the axes, and nothing has no least",
        weft_argmin(e0, .axes = "0"));
    BAD(WEFT_ARGUMENT, "weft_argmax: axes \"0,1\" name 2 axes of f32[3,4] (one, or .axes not given)",
        weft_argmax(x, .axes = "0,1"));
    BAD(WEFT_ARGUMENT, "weft_argmax: .where is not taken (use weft_where first)", weft_argmax(x, .where = m));
    BAD(WEFT_ARGUMENT, "weft_norm: .ord is NaN", weft_norm(x, .ord = NAN));
    BAD(WEFT_ARGUMENT, "weft_softmax: axis 3 is out of range for f32[3,4] (-2 to 1)",
        weft_softmax(x, .axes = "3"));
    BAD(WEFT_ARGUMENT, "weft_logsumexp: operand 1 is NULL", weft_logsumexp(none));
}

Test(bad_input, products)
{
    BAD(WEFT_SHAPE,
        "weft_matmul: shapes f32[3,4] and f32[5] do not multiply (axis 1 of the first: 4 against axis 0 of "
        "the second: 5)",
        weft_matmul(x, v5));
    BAD(WEFT_SHAPE, "weft_matmul: operands f32[3,4] and f32 must have rank 1 or more (use weft_mul)",
        weft_matmul(x, 2.0));
    BAD(WEFT_SHAPE,
        "weft_matmul: the leading axes of f32[2,3,4] and f32[3,4,2] do not broadcast (2 against 3)",
        weft_matmul(t, t342));
    BAD(WEFT_SHAPE,
        "weft_dot: shapes f32[2,3,4] and f32[3,4] do not multiply (axis 2 of the first: 4 against axis 0 of "
        "the second: 3)",
        weft_dot(t, x));
    BAD(WEFT_SHAPE,
        "weft_inner: shapes f32[3,4] and f32[5] do not multiply (axis 1 of the first: 4 against axis 0 of "
        "the second: 5)",
        weft_inner(x, v5));
    BAD(WEFT_ARGUMENT, "weft_tensordot: axes \"0,1\" and \"1\" are 2 and 1 (as many of each)",
        weft_tensordot(x, x, "0,1", "1"));
    BAD(WEFT_ARGUMENT, "weft_tensordot: the axes of the first are NULL", weft_tensordot(x, x, NULL, "1"));
    BAD(WEFT_ARGUMENT, "weft_einsum: einsum text \"ij,jk\" has 2 terms for 1 operands",
        weft_einsum("ij,jk", x));
    BAD(WEFT_ARGUMENT, "weft_einsum: einsum text \"ij\" has 1 terms for 2 operands", weft_einsum("ij", x, x));
    BAD(WEFT_SHAPE, "weft_einsum: einsum text \"ijk->i\": term 1 has 3 letters for f32[3,4]",
        weft_einsum("ijk->i", x));
    BAD(WEFT_SHAPE, "weft_einsum: einsum text \"ij,jk->ik\": axis 'j' has size 4 and 3",
        weft_einsum("ij,jk->ik", x, x));
    BAD(WEFT_SHAPE, "weft_einsum: einsum text \"ii\": axis 'i' has size 3 and 4", weft_einsum("ii", x));
    BAD(WEFT_ARGUMENT, "weft_einsum: einsum text \"i1->i\": '1' is not a letter, \"...\", ',' or \"->\"",
        weft_einsum("i1->i", x));
    BAD(WEFT_ARGUMENT, "weft_einsum: einsum text \"ij->k\": 'k' is in the output but in no operand",
        weft_einsum("ij->k", x));
    BAD(WEFT_ARGUMENT, "weft_einsum: einsum text \"ij->ii\": 'i' is twice in the output",
        weft_einsum("ij->ii", x));
    BAD(WEFT_ARGUMENT, "weft_einsum: einsum text \"ij-i\" has a '-' without '>'", weft_einsum("ij-i", x));
    BAD(WEFT_ARGUMENT, "weft_einsum: einsum text \"...j->j\" lacks \"...\" in its output",
        weft_einsum("...j->j", x));
    BAD(WEFT_ARGUMENT, "weft_einsum: einsum text \"......->\" has two ellipses in one term",
        weft_einsum("......->", x));
    BAD(WEFT_SHAPE,
        "weft_einsum: einsum text \"...,...\": the axes under \"...\" do not broadcast (4 against 5)",
        weft_einsum("...,...", x, v5));
    BAD(WEFT_ARGUMENT, "weft_einsum: the text is NULL", weft_einsum(NULL, x));
}

/* An array of another context is refused, and so is a freed one. */
Test(bad_input, handles)
{
    weft_context *other = weft_open(NULL);
    weft_array *foreign = weft_scalar(other, 1);
    BAD(WEFT_ARGUMENT, "weft_add: operand 2 is an array of another context", weft_add(x, foreign));
    weft_array *gone = weft_scalar(ctx, 1);
    weft_free(gone);
    BAD(WEFT_ARGUMENT,
        "weft_exp: operand 1 was freed: its scope or context is closed, or it was given to weft_free or "
        "weft_donate",
        weft_exp(gone));
    weft_close(other);
}

/* While an error is pending, failed values pass in silence and the first error stays. */
Test(bad_input, first_error_stays)
{
    weft_array *bad = weft_add(x, v5);
    char first[256];
    snprintf(first, sizeof first, "%s", weft_error(ctx));
    cr_expect_null(weft_softmax(weft_einsum("ij->", weft_concatenate(0, bad, x))));
    cr_expect_null(weft_transpose(x, "9"));
    cr_expect_str_eq(weft_error(ctx), first);
    cr_expect_not_null(weft_add(x, 1), "a good op works with an error pending");
}

static weft_array *c_softmax(weft_array *a)
{
    weft_array *mask = weft_gt(a, 0); /* a NULL .where is none */
    return mask ? weft_log_softmax(weft_softmax(a, .where = mask), .axes = "0") : NULL;
}
static weft_array *c_moments(weft_array *a)
{
    return weft_add(weft_std(weft_astype(a, WEFT_F16), .axes = "1", .keep = true), weft_norm(a, .ord = 3));
}
static weft_array *c_einsum(weft_array *a) { return weft_einsum("ij,jk,ii->ki", a, weft_transpose(a), a); }
static weft_array *c_index(weft_array *a)
{
    return weft_take(weft_at(a, "::-2, 1:"), weft_argmax(a, .axes = "0"), 0);
}
static weft_array *c_along(weft_array *a) { return weft_take_along_axis(a, weft_astype(a, WEFT_I64), 1); }
static weft_array *c_shapes(weft_array *a)
{
    return weft_roll(weft_pad(weft_tile(weft_flip(a), 2, 1), 1, "1"), 3, 0);
}
static weft_array *c_join(weft_array *a)
{
    return weft_stack_arrays(0, a, weft_concatenate(0, weft_at(a, ":4"), weft_at(a, "4:")));
}
static weft_array *c_numbers(weft_array *a)
{
    return weft_where(weft_eq(weft_mod(a, 3), 0), weft_pow(a, -3), weft_floor_div(a, 0.7));
}
static weft_array *c_functions(weft_array *a)
{
    return weft_hypot(weft_gelu(a), weft_softplus(weft_logaddexp(a, 0.5)));
}
static weft_array *c_making(weft_array *a)
{
    return weft_add(weft_tril(a), weft_add(weft_eye(NULL, WEFT_I32, 8), weft_linspace(NULL, 0, 1, 8)));
}
static weft_array *c_products(weft_array *a)
{
    return weft_outer(weft_matmul(a, weft_ones_like(a)), weft_tensordot(a, a, "1", "0"));
}
static weft_array *c_split(weft_array *a)
{
    weft_array *parts[4];
    return weft_split(a, 4, 1, parts) == WEFT_OK ? weft_one_hot(weft_astype(parts[3], WEFT_I32), 20) : NULL;
}

Test(bad_input, every_allocation_fails_once)
{
    static Composition *const composition[] = { c_softmax,   c_moments, c_einsum,   c_index,
                                                c_along,     c_shapes,  c_join,     c_numbers,
                                                c_functions, c_making,  c_products, c_split };
    each_allocation_fails_once(composition, sizeof composition / sizeof *composition);
}
