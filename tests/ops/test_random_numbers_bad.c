/* test_random_numbers_bad.c: what a user can get wrong with random numbers, and what the error says. */
#include <string.h>
#include "tests/support/context_suite.h"

#define FAILS(call, code, words) REFUSED(code, !(call), words)
TestSuite(random_numbers_bad, .init = open_context, .fini = close_context);

Test(random_numbers_bad, keys)
{
    weft_array *key = weft_key(ctx, 0), *keys = weft_random_split(key, 3), *unset = NULL;
    FAILS(weft_random_normal(weft_ones(ctx, WEFT_F32, 2), WEFT_F32, 3), WEFT_DTYPE,
          "a key is a u32[2], as weft_key makes them, not f32[2]");
    FAILS(weft_random_normal(weft_ones(ctx, WEFT_I32, 2), WEFT_F32, 3), WEFT_DTYPE, "not i32[2]");
    FAILS(weft_random_bits(weft_ones(ctx, WEFT_U32, 3), WEFT_U32, 3), WEFT_SHAPE, "not u32[3]");
    FAILS(weft_random_split(weft_ones(ctx, WEFT_U32)), WEFT_SHAPE, "not u32");
    FAILS(weft_random_normal(keys, WEFT_F32, 3), WEFT_SHAPE,
          "u32[3,2] is many keys, and this takes one, a u32[2]: weft_vmap maps over keys");
    FAILS(weft_random_uniform(unset, WEFT_F32, 3), WEFT_ARGUMENT, "NULL");
    FAILS(weft_random_uniform(((weft_random_key){ key, 9 }), WEFT_F32, 3), WEFT_ARGUMENT, "9 is no layout");
    FAILS(weft_key(ctx, 1.5), WEFT_DTYPE, "the seed must be an integer, not 1.5");
    FAILS(weft_key(ctx, weft_ones(ctx, WEFT_F32)), WEFT_DTYPE, "the seed must be an integer, not f32");
    FAILS(weft_key(ctx, keys), WEFT_SHAPE,
          "the seed must have rank 0, not u32[3,2]: weft_vmap maps over several");
    FAILS(weft_random_fold_in(key, 0.5), WEFT_DTYPE, "the data must be an integer");
    FAILS(weft_random_fold_in(key, key), WEFT_SHAPE, "the data must have rank 0, not u32[2]");
    weft_array *none[1] = { key };
    cr_expect_eq(weft_random_keys(key, -1, none), WEFT_ARGUMENT);
    FAILS(NULL, WEFT_ARGUMENT, "-1 keys");
    cr_expect_eq(weft_random_keys(keys, 1, none), WEFT_SHAPE);
    cr_expect_null(none[0]);
    FAILS(NULL, WEFT_SHAPE, "many keys");
}

Test(random_numbers_bad, sizes_and_types)
{
    weft_array *key = weft_key(ctx, 0);
    FAILS(weft_random_normal(key, WEFT_F32, 3, -1), WEFT_SHAPE, "size -1 of axis 1 is negative");
    FAILS(weft_random_split(key, -2), WEFT_SHAPE, "negative");
    FAILS(weft_random_bits(key, WEFT_I32, 3), WEFT_DTYPE, "bits are u8, u16, u32 or u64, not i32");
    FAILS(weft_random_bits(key, WEFT_F32, 3), WEFT_DTYPE, "the numbers are ints, not f32");
    FAILS(weft_random_uniform(key, WEFT_I32, 3), WEFT_DTYPE,
          "the numbers are f16, bf16, f32 or f64, not i32");
    FAILS(weft_random_normal(key, WEFT_BOOL), WEFT_DTYPE, "not bool");
    FAILS(weft_random_normal(key, (weft_dtype)99, 3), WEFT_DTYPE, "of an unknown type");
    FAILS(weft_random_gamma(key, WEFT_U8, 1.0, 3), WEFT_DTYPE, "not u8");
    FAILS(weft_random_poisson(key, WEFT_F32, 1.0, 3), WEFT_DTYPE, "the numbers are ints, not f32");
    FAILS(weft_random_randint(key, WEFT_F32, 0, 3, 3), WEFT_DTYPE, "the numbers are ints, not f32");
    FAILS(weft_random_normal(key, WEFT_F32, 1LL << 40, 1LL << 40), WEFT_SHAPE, "more bytes than");
    FAILS(weft_random_uniform(weft_legacy(key), WEFT_F32, 1LL << 33), WEFT_SHAPE,
          "the legacy layout has at most");
}

Test(random_numbers_bad, parameters)
{
    weft_array *key = weft_key(ctx, 0), *three = weft_ones(ctx, WEFT_F32, 3),
               *four = weft_ones(ctx, WEFT_F32, 4);
    FAILS(weft_random_uniform_in(key, WEFT_F32, three, 1, 4), WEFT_SHAPE,
          "f32[3] does not broadcast to the sizes [4]");
    FAILS(weft_random_uniform_in(key, WEFT_F32, three, four), WEFT_SHAPE,
          "f32[3] and f32[4] do not broadcast");
    FAILS(weft_random_bernoulli(key, three, 2), WEFT_SHAPE, "does not broadcast");
    FAILS(weft_random_gamma(key, WEFT_F32, three, 2), WEFT_SHAPE, "does not broadcast");
    FAILS(weft_random_beta(key, WEFT_F32, three, four), WEFT_SHAPE, "do not broadcast");
    FAILS(weft_random_dirichlet(key, WEFT_F32, 1.0, 3), WEFT_SHAPE, "alpha must have an axis for the vector");
    FAILS(weft_random_randint(key, WEFT_I32, 0.5, 3), WEFT_DTYPE, "low must be an integer, not 0.5");
    FAILS(weft_random_randint(key, WEFT_I32, 0, three), WEFT_DTYPE, "high must be an integer, not f32[3]");
    FAILS(weft_random_truncated_normal(key, WEFT_F32, NULL == ctx ? three : (weft_array *)NULL, 1, 3),
          WEFT_ARGUMENT, "NULL");
}

Test(random_numbers_bad, order)
{
    weft_array *key = weft_key(ctx, 0), *x = weft_ones(ctx, WEFT_F32, 3, 2), *p = weft_ones(ctx, WEFT_F32, 3),
               *one = weft_ones(ctx, WEFT_I32);
    FAILS(weft_random_permutation(key, -3), WEFT_ARGUMENT, "the number to draw from must be 0 to");
    FAILS(weft_random_permutation(key, 2.5), WEFT_DTYPE, "a number to draw from is an int, not 2.5");
    FAILS(weft_random_permutation(key, one), WEFT_SHAPE, "i32 has no axis to draw along: give a C number");
    FAILS(weft_random_permutation(key, x, .axis = "2"), WEFT_ARGUMENT, "axis 2 is out of range for f32[3,2]");
    FAILS(weft_random_permutation(key, x, .axis = "0,1"), WEFT_ARGUMENT, "axis \"0,1\" must be one number");
    FAILS(weft_random_permutation(key, x, .p = p), WEFT_ARGUMENT, "the option .p does not apply here");
    FAILS(weft_random_choice(key, 3, .shape = weft_dims(4), .distinct = true), WEFT_ARGUMENT,
          "4 draws without replacement from 3");
    FAILS(weft_random_choice(key, 0), WEFT_ARGUMENT, "nothing to draw from");
    FAILS(weft_random_choice(key, 4, .p = p), WEFT_SHAPE,
          "p must have one probability for each of the 4 to draw from, not f32[3]");
    FAILS(weft_random_choice(key, x, .p = x), WEFT_SHAPE, "not f32[3,2]");
    FAILS(weft_random_choice(key, 4, .shape = weft_dims(-1)), WEFT_SHAPE, "negative");
    FAILS(weft_random_choice(key, 4, .each = true), WEFT_ARGUMENT, "the option .each does not apply here");
    FAILS(weft_random_categorical(key, x, .shape = weft_dims(4)), WEFT_SHAPE,
          "the sizes [4] must end with [3], the other axes of the logits");
    FAILS(weft_random_categorical(key, 1.0), WEFT_ARGUMENT, "has no axes");
    FAILS(weft_random_categorical(key, p, .shape = weft_dims(4), .distinct = true), WEFT_ARGUMENT,
          "4 draws without replacement from 3 categories");
    FAILS(weft_random_categorical(key, weft_zeros(ctx, WEFT_F32, 2, 0)), WEFT_SHAPE,
          "has no category to draw");
}
