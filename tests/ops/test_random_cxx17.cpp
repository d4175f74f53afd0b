/* test_random_cxx17.cpp: random numbers from C++17: keys in either layout, sizes, and the options of choices. */
#include "weft.h"
#include <cstdio>

static int failures;

static void expect(const char *what, bool good)
{
    if (good) return;
    std::printf("%s: %s\n", what, weft_error(nullptr) ? weft_error(nullptr) : "wrong");
    failures++;
}

int main()
{
    weft_context *ctx = weft_open(nullptr);
    weft_array *key = weft_key(ctx, 42), *keys[2], *weights = weft_ones(ctx, WEFT_F32, 8);
    expect("split", weft_count(weft_random_split(key)) == 4 && weft_count(weft_random_split(weft_legacy(key), 3)) == 6);
    expect("keys", weft_random_keys(key, 2, keys) == WEFT_OK && keys[1]);
    expect("normal", weft_count(weft_random_normal(key, WEFT_F32, 3, 2)) == 6 && weft_rank(weft_random_normal(weft_legacy(key), WEFT_F32)) == 0);
    expect("uniform", weft_item(weft_random_uniform_in(key, WEFT_F32, 2, 3)) >= 2);
    expect("bernoulli", weft_item(weft_random_bernoulli(key, 1.0)) == 1);
    expect("permutation", weft_i32(weft_random_permutation(key, 8))[0] == 7);
    expect("choice", weft_rank(weft_random_choice(key, 8, weft::draw().shape({ 2, 2 }).p(weights).distinct())) == 2);
    expect("choice of slices", weft_dim(weft_random_choice(key, weft_ones(ctx, WEFT_F32, 3, 5), weft::draw().axis("1")), 0) == 3);
    expect("categorical", weft_item(weft_random_categorical(key, weights)) < 8);
    expect("nothing failed", !weft_error(ctx));
    weft_close(ctx);
    return failures;
}
