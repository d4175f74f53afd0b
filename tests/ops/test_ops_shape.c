/* test_ops_shape.c: making arrays, moving elements and picking them, against JAX and NumPy. */
#include <criterion/criterion.h>
#include "tests/support/ops_data.h"

/* clang-format off */
#define MAKING(R) \
    R(zeros, 0, weft_zeros(NULL, WEFT_F32, 2, 3)) R(zeros_scalar, 0, weft_zeros(NULL, WEFT_I32)) \
    R(ones, 0, weft_ones(NULL, WEFT_F16, 3)) \
    R(full, 0, weft_full(NULL, WEFT_F32, 2.5, 2, 2)) \
    R(full_array, 0, weft_full(NULL, WEFT_F32, IN(v4), 3, 4)) \
    R(full_bool, 0, weft_full(NULL, WEFT_BOOL, 1, 2)) \
    R(full_int, 0, weft_full(NULL, WEFT_I32, 2.7, 2)) \
    R(zeros_like, 0, weft_zeros_like(IN(i))) R(ones_like, 0, weft_ones_like(IN(h))) \
    R(full_like, 0, weft_full_like(IN(x), 7)) R(arange, 0, weft_arange(NULL, 0, 10, 3)) \
    R(arange_down, 0, weft_arange(NULL, 5, -6, -2)) R(arange_f, 0, weft_arange(NULL, 0, 1, 0.125)) \
    R(arange_empty, 0, weft_arange(NULL, 3, 3, 1)) \
    R(arange_f2, 2e-7, weft_arange(NULL, 1, 2.05, 0.1)) \
    R(linspace, 4e-7, weft_linspace(NULL, -3, 3, 8)) \
    R(linspace_1, 0, weft_linspace(NULL, 2, 5, 1)) R(linspace_0, 0, weft_linspace(NULL, 2, 5, 0)) \
    R(iota, 0, weft_iota(NULL, WEFT_I32, 1, 2, 3)) \
    R(iota_f, 0, weft_iota(NULL, WEFT_F32, -2, 3, 2)) \
    R(eye, 0, weft_eye(NULL, WEFT_F32, 3)) R(eye_k, 0, weft_eye(NULL, WEFT_I32, 3, 4, 1)) \
    R(eye_below, 0, weft_eye(NULL, WEFT_F32, 4, 2, -1)) \
    R(one_hot, 0, weft_one_hot(IN(ids), 4)) R(one_hot_number, 0, weft_one_hot(2, 3)) \
    R(tril, 0, weft_tril(IN(sq))) R(tril_1, 0, weft_tril(IN(x), 1)) R(triu, 0, weft_triu(IN(t))) \
    R(triu_neg, 0, weft_triu(IN(sq), -1)) R(triu_far, 0, weft_triu(IN(x), 9)) \
    R(tril_nan, 0, weft_tril(weft_full(NULL, WEFT_F32, 0.0 / 0.0, 3, 3)))
/* clang-format on */

/* clang-format off */
#define SHAPES(R) \
    R(reshape, 0, weft_reshape(IN(x), 2, -1)) R(reshape_3, 0, weft_reshape(IN(t), 4, 3, 2)) \
    R(reshape_0, 0, weft_reshape(IN(s))) R(reshape_1, 0, weft_reshape(IN(s), 1, 1)) \
    R(ravel, 0, weft_ravel(IN(t))) R(reshape_empty, 0, weft_reshape(IN(e0), 3, 0)) \
    R(transpose, 0, weft_transpose(IN(t))) \
    R(transpose_text, 0, weft_transpose(IN(t), "2,0,1")) \
    R(permute, 0, weft_permute_dims(IN(t), 1, 2, 0)) \
    R(permute_neg, 0, weft_permute_dims(IN(t), -1, 0, 1)) \
    R(moveaxis, 0, weft_moveaxis(IN(t), 0, 2)) \
    R(moveaxis_back, 0, weft_moveaxis(IN(p5), -1, 1)) \
    R(moveaxis_same, 0, weft_moveaxis(IN(t), 1, 1)) R(swapaxes, 0, weft_swapaxes(IN(p5), 0, -1)) \
    R(expand_0, 0, weft_expand_dims(IN(x), 0)) R(expand_end, 0, weft_expand_dims(IN(x), -1)) \
    R(expand_1, 0, weft_expand_dims(IN(x), 1)) R(squeeze, 0, weft_squeeze(IN(p5))) \
    R(squeeze_text, 0, weft_squeeze(IN(p5), "1")) \
    R(squeeze_all, 0, weft_squeeze(weft_reshape(IN(s), 1, 1))) \
    R(broadcast_to, 0, weft_broadcast_to(IN(c3), 2, 3, 4)) \
    R(broadcast_scalar, 0, weft_broadcast_to(IN(s), 2, 2)) \
    R(concatenate, 0, weft_concatenate(0, IN(x), IN(y), IN(x))) \
    R(concatenate_1, 0, weft_concatenate(-1, IN(x), IN(c3))) \
    R(concatenate_types, 0, weft_concatenate(0, IN(small), IN(h))) \
    R(concatenate_one, 0, weft_concatenate(0, IN(x))) \
    R(stack, 0, weft_stack_arrays(0, IN(x), IN(y))) \
    R(stack_end, 0, weft_stack_arrays(-1, IN(x), IN(y), IN(x))) \
    R(stack_mid, 0, weft_stack_arrays(1, IN(t), IN(t))) \
    R(stack_scalars, 0, weft_stack_arrays(0, IN(s), IN(s))) \
    R(split_0, 0, half(0)) R(split_1, 0, half(1)) R(tile, 0, weft_tile(IN(x), 2, 3)) \
    R(tile_front, 0, weft_tile(IN(v4), 2, 1, 2)) R(tile_less, 0, weft_tile(IN(t), 2)) \
    R(tile_0, 0, weft_tile(IN(x), 0, 1)) R(repeat, 0, weft_repeat(IN(x), 3, 1)) \
    R(repeat_0, 0, weft_repeat(IN(x), 2, 0)) R(repeat_none, 0, weft_repeat(IN(x), 0, 0)) \
    R(roll, 0, weft_roll(IN(x), 1, 1)) R(roll_neg, 0, weft_roll(IN(x), -5, 0)) \
    R(roll_0, 0, weft_roll(IN(x), 4, 1)) R(roll_far, 0, weft_roll(IN(t), 9, -1)) \
    R(flip, 0, weft_flip(IN(t))) R(flip_0, 0, weft_flip(IN(t), "0")) \
    R(flip_two, 0, weft_flip(IN(t), "0,-1")) R(pad, 0, weft_pad(IN(x), 0, "1:2, 0:1")) \
    R(pad_value, 0, weft_pad(IN(i), -1, "1")) R(pad_cut, 0, weft_pad(IN(x), 9, "-1:0, 2:-1")) \
    R(pad_between, 0, weft_pad(IN(x), 0.5, "0:0:1, 1:0:2")) \
    R(pad_bool, 0, weft_pad(IN(m), 1, "0, 1:1"))
/* clang-format on */

/* clang-format off */
#define INDEXING(R) \
    R(at_1, 0, weft_at(IN(t), "1")) R(at_neg, 0, weft_at(IN(t), "-1")) \
    R(at_slice, 0, weft_at(IN(x), "1:-1")) R(at_step, 0, weft_at(IN(x), ":, ::2")) \
    R(at_back, 0, weft_at(IN(x), "::-1, ::-2")) R(at_mix, 0, weft_at(IN(t), "1, :, 1:3")) \
    R(at_ellipsis, 0, weft_at(IN(t), "..., 0")) \
    R(at_ellipsis_mid, 0, weft_at(IN(p5), "0, ..., 1")) \
    R(at_new, 0, weft_at(IN(x), "None, :, newaxis, 2")) \
    R(at_clamp, 0, weft_at(IN(x), "-10:10, 5:")) R(at_empty, 0, weft_at(IN(x), "2:1")) \
    R(at_all, 0, weft_at(IN(x), " ")) R(at_scalar, 0, weft_at(IN(x), "1,2")) \
    R(at_three, 0, weft_at(IN(p5), "1:4:2, 0, ::-1, -2:")) \
    R(at_new_end, 0, weft_at(IN(v4), "..., None")) R(at_back_from, 0, weft_at(IN(v4), "2::-1")) \
    R(at_back_to, 0, weft_at(IN(v4), ":0:-1")) R(at_back_empty, 0, weft_at(IN(v4), "0:3:-1")) \
    R(at_step_big, 0, weft_at(IN(v4), "::9")) \
    R(at_format, 0, weft_at(IN(t), "%d, %d:", 1, 2)) \
    R(at_int_only_new, 0, weft_at(IN(s), "None")) R(at_trailing, 0, weft_at(IN(t), "0,")) \
    R(take, 0, weft_take(IN(x), IN(idx), 0)) R(take_1, 0, weft_take(IN(x), IN(idx2), 1)) \
    R(take_number, 0, weft_take(IN(x), 2, 1)) R(take_i32, 0, weft_take(IN(i), IN(idx), 0)) \
    R(take_u8, 0, weft_take(IN(u8), IN(idx), 0)) R(take_bool, 0, weft_take(IN(m), IN(idx), 0)) \
    R(take_3d, 0, weft_take(IN(t), IN(idx2), 1)) R(take_h, 0, weft_take(IN(h), IN(idx), -1)) \
    R(take_u8_index, 0, weft_take(IN(x), weft_floor_div(weft_at(IN(u8), ":, 0"), 3), 0)) \
    R(take_out, 0, weft_take(IN(x), -9, 0)) \
    R(take_none, 0, weft_take(IN(x), weft_at(IN(idx), ":0"), 0)) \
    R(take_f64, 0, weft_take(IN(d), IN(idx), 0)) \
    R(along, 0, weft_take_along_axis(IN(x), IN(along), 1)) \
    R(along_1, 0, weft_take_along_axis(IN(x), IN(along1), 0)) \
    R(along_stretch, 0, weft_take_along_axis(IN(c3), IN(along), 1)) \
    R(along_i8, 0, weft_take_along_axis(IN(a8), IN(along), 1))
/* clang-format on */

static weft_array *half(int which)
{
    weft_array *parts[2];
    return weft_split(IN(x), 2, 1, parts) == WEFT_OK ? parts[which] : NULL;
}

#define ROWS(R) MAKING(R) SHAPES(R) INDEXING(R)
OPS_SUITE(ops_shape, ROWS)
