// test_ops_cxx17.cpp: the ops from C++17: numbers, options by builder, lists and shapes.
#include "weft.h"
#include <cstdio>
#include <cstring>

static int failures;

static void expect(bool good, int line)
{
    if (good) return;
    std::printf("line %d: %s\n", line, weft_error(nullptr) ? weft_error(nullptr) : "wrong result");
    failures++;
}
#define EXPECT(e) expect((e), __LINE__)

int main()
{
    weft_context *ctx = weft_open(nullptr);
    const float data[] = { 1, 2, 3, 4, 5, 6 };
    weft_array *x = weft_from(ctx, data, 2, 3);
    const weft_array *c = x;
    EXPECT(weft_item(weft_sum(x)) == 21);
    EXPECT(weft_item(weft_sum(weft_mul(c, 2L))) == 42);
    EXPECT(weft_dtype_of(weft_mul(weft_astype(x, WEFT_F16), 0.5)) == WEFT_F16);
    weft_array *rows = weft_mean(x, weft::over().axes("-1").keep());
    EXPECT(weft_rank(rows) == 2 && weft_dim(rows, 1) == 1 && weft_f32(rows)[1] == 5);
    EXPECT(weft_item(weft_sum(x, weft::over().where(weft_gt(x, 3)))) == 15);
    weft_over plain = weft_over();
    plain.axes = "0";
    EXPECT(weft_dim(weft_max(x, plain), 0) == 3);
    EXPECT(weft_rank(weft_zeros(ctx, WEFT_F32)) == 0 && weft_rank(weft_ones(ctx, WEFT_I32, 2, 3, 4)) == 3);
    size_t two = 2;
    EXPECT(weft_count(weft_zeros(ctx, WEFT_F32, two, (short)3, (int64_t)two, (two + 1))) == 36 && weft_rank(weft_from(ctx, data, two, 3)) == 2);
    EXPECT(weft_dim(weft_reshape(x, 3, -1), 1) == 2 && weft_rank(weft_reshape(weft_sum(x))) == 0);
    EXPECT(weft_dim(weft_transpose(x), 0) == 3 && weft_dim(weft_transpose(x, "1,0"), 0) == 3 && weft_dim(weft_permute_dims(x, 1, 0), 0) == 3);
    EXPECT(weft_dim(weft_concatenate(0, x, x, x), 0) == 6 && weft_rank(weft_stack_arrays(-1, x, x)) == 3);
    EXPECT(weft_item(weft_einsum("ij,ij->", x, x)) == 91);
    EXPECT(weft_item(weft_at(x, "%d, -1", 1)) == 6 && weft_item(weft_at(x, "0, 0")) == 1);
    EXPECT(weft_item(weft_take(weft_ravel(x), 2, 0)) == 3);
    EXPECT(weft_item(weft_where(weft_scalar(ctx, 1), 1, 2)) == 1 && weft_item(weft_clip(7.5, 0, 5)) == 5);
    EXPECT(weft_item(weft_sum(weft_full(ctx, WEFT_F32, 2.5, 2, 2))) == 10);
    EXPECT(weft_item(weft_sum(weft_eye(ctx, WEFT_I32, 3, 4, 1))) == 3 && weft_dim(weft_tril(x, 1), 0) == 2 && weft_dim(weft_triu(x), 1) == 3);
    EXPECT(weft_dim(weft_tile(x, 2, 2), 0) == 4 && weft_dim(weft_iota(ctx, WEFT_I32, 0, 5), 0) == 5);
    weft_array *parts[3];
    EXPECT(weft_split(x, 3, 1, parts) == WEFT_OK && weft_dim(parts[2], 1) == 1);
    EXPECT(weft_item(weft_norm(x, weft::over().ord(1))) == 21 && weft_item(weft_var(x, weft::over().ddof(1))) == 3.5);
    EXPECT(weft_f32(weft_sort(x))[0] == weft_f32(weft_sort(x, -1))[0] && weft_rank(weft_fft(x)) == weft_rank(x) && weft_qr(x) && weft_qr(x, NULL) && weft_qr(x, nullptr, weft::factor().full()));
    EXPECT(weft_f32(weft_sort(x, -1, weft::order().descending()))[0] == 3 && weft_f32(weft_cumsum(x, 0))[5] == 9 && weft_f32(weft_cummax(x, 1, weft::order().reverse()))[0] == 3);
    EXPECT(weft_f32(weft_set(x, "%d, 1:", 7, 1))[5] == 7 && weft_f32(weft_set_add(x, "0", 1))[0] == 2);
    EXPECT(weft_f32(weft_scatter(x, 5, 0, 1, weft::update().with(WEFT_MUL).clip()))[3] == 4 && weft_f32(weft_scatter(x, -1, 0, 1.5))[4] == 1.5f);
    EXPECT(weft_item(weft_max(weft_max_pool(x, "2,2", weft::window().stride("1")))) == 6 && weft_item(weft_dynamic_slice(weft_ravel(x), 4, 1)) == 5);
    weft_array *ramp = weft_reshape(weft_ravel(x), 6, 1), *box = weft_ones(ctx, WEFT_F32, 3, 1, 1);
    EXPECT(weft_dim(weft_cholesky(weft_eye(ctx, WEFT_F32, 3), weft::factor().upper()), 0) == 3 && weft_dim(weft_solve(weft_eye(ctx, WEFT_F32, 3), weft_ones(ctx, WEFT_F32, 3)), 0) == 3);
    EXPECT(weft_dim(weft_qr(weft_ones(ctx, WEFT_F32, 3, 2), nullptr, weft::factor().full()), 1) == 3 && weft_dim(weft_svd(weft_ones(ctx, WEFT_F32, 3, 2), nullptr, nullptr), 0) == 2);
    EXPECT(weft_dim(weft_conv(ramp, box), 0) == 4 && weft_dim(weft_conv(ramp, box, weft::convolution().stride("2").pad("same")), 0) == 3);
    weft_array *counts, *edges, *top;
    EXPECT(weft_dim(weft_unique(x, 4, weft::uniques().counts(&counts)), 0) == 4 && weft_dim(counts, 0) == 4);
    EXPECT(weft_dim(weft_flatnonzero(x, 4, weft::positions().count(&counts)), 0) == 4 && weft_rank(counts) == 0);
    EXPECT(weft_dim(weft_histogram(x, 4, weft::counting().range(0, 4).edges(&edges)), 0) == 4 && weft_dim(edges, 0) == 5);
    EXPECT(weft_item(weft_sum(weft_top_k(x, 1, &top))) == 9 && weft_item(weft_searchsorted(weft_ravel(x), 2, weft::order().right())) == 2);
    EXPECT(!weft_add(x, weft_ones(ctx, WEFT_F32, 5)) && std::strstr(weft_error(ctx), "test_ops_cxx17.cpp:") && std::strstr(weft_error(ctx), "do not broadcast"));
    weft_clear(ctx);
    weft_close(ctx);
    return failures != 0;
}
