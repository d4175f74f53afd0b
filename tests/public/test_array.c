/* Making arrays of every element type, shape and origin, and reading them back. */
#include <criterion/criterion.h>
#include <math.h>
#include <string.h>
#include "compiler/graph/types/dtype.h"
#include "weft.h"

Test(array, every_c_type_by_its_pointer)
{
    weft_context *ctx = weft_open(NULL);
#define ROUND(T, READ, DTYPE) \
    do { \
        const T data[3] = { (T)1, (T)0, (T)1 }; \
        weft_array *a = weft_from(ctx, data, 3); \
        cr_expect_eq(weft_dtype_of(a), DTYPE); \
        cr_expect_eq(memcmp(READ(a), data, sizeof data), 0); \
        cr_expect_eq(memcmp(weft_data(a), data, sizeof data), 0); \
    } while (0)
    ROUND(bool, weft_bool, WEFT_BOOL);
    ROUND(int8_t, weft_i8, WEFT_I8);
    ROUND(int16_t, weft_i16, WEFT_I16);
    ROUND(int32_t, weft_i32, WEFT_I32);
    ROUND(int64_t, weft_i64, WEFT_I64);
    ROUND(uint8_t, weft_u8, WEFT_U8);
    ROUND(uint16_t, weft_u16, WEFT_U16);
    ROUND(uint32_t, weft_u32, WEFT_U32);
    ROUND(uint64_t, weft_u64, WEFT_U64);
    ROUND(float, weft_f32, WEFT_F32);
    ROUND(double, weft_f64, WEFT_F64);
    cr_expect_null(weft_error(ctx));
    weft_close(ctx);
}

Test(array, every_dtype_and_rank_at_run_time)
{
    weft_context *ctx = weft_open(NULL);
    uint64_t data[4] = { 1, 1 };
    int64_t dim[WEFT_MAX_RANK];
    for (int t = 0; t < DTYPE_COUNT; t++) {
        for (int rank = 0; rank <= WEFT_MAX_RANK; rank++) {
            for (int i = 0; i < rank; i++) dim[i] = i == rank / 2 ? 2 : 1;
            weft_array *a = weft_from_shape(ctx, (weft_dtype)t, data, rank, dim);
            cr_assert_not_null(a, "%s rank %d: %s", dtype_name((DType)t), rank, weft_error(ctx));
            cr_expect_eq(weft_rank(a), rank);
            cr_expect_eq(weft_count(a), rank ? 2 : 1);
            for (int i = 0; i < rank; i++) cr_expect_eq(weft_dim(a, i), dim[i]);
            if (rank) cr_expect_eq(weft_dim(a, -1), dim[rank - 1]);
            cr_expect_eq((uintptr_t)weft_data(a) % 64, 0);
        }
        weft_array *one = weft_scalar_as(ctx, (weft_dtype)t, 1);
        cr_expect_eq(dtype_is_complex((DType)t) ? weft_c128(weft_astype(one, WEFT_C128))[0] : weft_item(one),
                     1);
    }
    weft_close(ctx);
}

/* Every byte but 0 is true, in eager mode and in compiled code. */
Test(array, bools_are_0_or_1)
{
    weft_context *ctx = weft_open(&(weft_options){ .mode = WEFT_MODE_STRICT });
    unsigned char bytes[256], n = 0;
    for (int i = 0; i < 256; i++) bytes[i] = n++;
    weft_array *b = weft_from_shape(ctx, WEFT_BOOL, bytes, 1, ((int64_t[]){ 256 }));
    weft_array *sum = weft_jit(ctx, weft_sum)(b);
    for (int i = 0; i < 256; i++) cr_expect_eq(((const unsigned char *)weft_data(b))[i], i > 0);
    cr_expect_eq(weft_item(weft_sum(b)), 255);
    if (sum) cr_expect_eq(weft_item(sum), 255);
    else cr_expect_eq(weft_clear(ctx), WEFT_COMPILER);
    weft_close(ctx);
}

Test(array, empty_ones)
{
    weft_context *ctx = weft_open(NULL);
    weft_array *a = weft_from_shape(ctx, WEFT_F64, NULL, 3, ((int64_t[]){ 2, 0, 3 }));
    cr_expect_not_null(a);
    cr_expect_eq(weft_count(a), 0);
    cr_expect_not_null(weft_data(a));
    cr_expect_null(weft_error(ctx));
    weft_close(ctx);
}

static void released(void *user, void *data) { *(void **)user = data; }

Test(array, borrowed_memory_is_given_back)
{
    void *seen = NULL;
    float data[4] = { 1, 2, 3, 4 };
    weft_context *ctx = weft_open(NULL);
    weft_array *a = weft_borrow(ctx, WEFT_F32, data, 1, ((int64_t[]){ 4 }), released, &seen);
    cr_expect_eq(weft_data(a), data, "it is not copied");
    cr_expect_eq(weft_item(weft_sum(a)), 10);
    weft_free(a);
    cr_expect_eq(seen, data);
    seen = NULL;
    weft_borrow(ctx, WEFT_F32, data, 1, ((int64_t[]){ 4 }), released, &seen);
    weft_borrow(ctx, WEFT_F32, data, 1, ((int64_t[]){ 4 }), NULL, NULL);
    weft_close(ctx);
    cr_expect_eq(seen, data);
}

Test(array, reading_what_cannot_be_read)
{
    weft_context *ctx = weft_open(NULL);
    double data[2000] = { 0 };
    weft_array *a = weft_from(ctx, data, 2000);
    const float *f = weft_f32(a);
    cr_expect_not_null(strstr(weft_error(ctx), "read it with weft_f64"));
    for (int i = 0; i < 2000; i++) cr_assert_eq(f[i], 0);
    cr_expect_eq(weft_clear(ctx), WEFT_DTYPE);
    cr_expect(isnan(weft_item(a)));
    cr_expect_not_null(strstr(weft_error(ctx), "f64[2000]"));
    weft_clear(ctx);
    cr_expect_eq(weft_f32(NULL)[0], 0);
    cr_expect(isnan(weft_item(NULL)));
    cr_expect_eq(weft_rank(NULL) + weft_dim(NULL, 0) + weft_count(NULL), 0);
    cr_expect_eq(weft_dim(a, 1) + weft_dim(a, -2), 0);
    cr_expect_not(weft_is_traced(a));
    weft_close(ctx);
}

Test(array, freed_handles_are_known)
{
    weft_context *ctx = weft_open(NULL);
    float data[1] = { 1 };
    weft_array *a = weft_from(ctx, data, 1);
    weft_free(a);
    weft_free(a);
    cr_expect_null(weft_keep(a));
    cr_expect_null(weft_lift(a));
    cr_expect_null(weft_donate(a));
    cr_expect(isnan(weft_item(a)));
    cr_expect_not_null(strstr(weft_error(ctx), "was freed"));
    weft_close(ctx);
}
