/* test_dlpack.c: arrays out and in by DLPack (weft/dlpack.h). */
#include "weft.h"
#include <criterion/criterion.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include "third_party/dlpack/dlpack.h"

typedef struct DLManagedTensorVersioned Tensor;
static int deleted;
static void count(Tensor *t)
{
    (void)t;
    deleted++;
}

static float six[6] = { 1, 2, 3, 4, 5, 6 };
static int64_t two_three[] = { 2, 3 }, by_columns[] = { 1, 2 }, by_rows[] = { 3, 1 };

static Tensor tensor_of(void *data, int rank, int64_t *shape, int64_t *strides)
{
    return (Tensor){ .version = { 1, 0 },
                     .deleter = count,
                     .dl_tensor = { data, { kDLCPU, 0 }, rank, { kDLFloat, 32, 1 }, shape, strides, 0 } };
}

/* ---- in ---- */

Test(dlpack, borrowed)
{
    weft_context *ctx = weft_open(NULL);
    Tensor t = tensor_of(six, 2, two_three, by_rows);
    weft_array *a = weft_from_dlpack(ctx, &t);
    cr_assert(a, "%s", weft_error(ctx));
    cr_expect_eq(weft_f32(a), six);
    cr_expect(weft_rank(a) == 2 && weft_dim(a, 0) == 2 && weft_dim(a, 1) == 3);
    cr_expect_eq(weft_item(weft_sum(a)), 21);
    cr_expect_eq(deleted, 0);
    weft_free(a);
    cr_expect_eq(deleted, 1);
    weft_from_dlpack(ctx, &t); /* the context's: until it closes */
    weft_close(ctx);
    cr_expect_eq(deleted, 2);
}

Test(dlpack, no_strides_and_an_offset)
{
    weft_context *ctx = weft_open(NULL);
    int64_t shape[] = { 1, 4, 1 }, odd[] = { 77, 1, -5 }; /* of single elements strides say nothing */
    Tensor t = tensor_of(six, 1, &shape[1], NULL), u = tensor_of(six, 3, shape, odd);
    t.dl_tensor.byte_offset = u.dl_tensor.byte_offset = 8;
    cr_expect_eq(weft_f32(weft_from_dlpack(ctx, &t)), six + 2);
    cr_expect_eq(weft_f32(weft_from_dlpack(ctx, &u)), six + 2);
    cr_expect_eq(deleted, 0);
    weft_close(ctx);
    cr_expect_eq(deleted, 2);
}

static void expect_values(weft_array *a, const float *wanted, int n)
{
    cr_assert(a && weft_count(a) == n, "%s", weft_error(NULL));
    for (int i = 0; i < n; i++) cr_expect_eq(weft_f32(a)[i], wanted[i], "%d: %g", i, weft_f32(a)[i]);
}

Test(dlpack, copied)
{
    weft_context *ctx = weft_open(NULL);
    Tensor t = tensor_of(six, 2, two_three, by_columns);
    expect_values(weft_from_dlpack(ctx, &t), (float[]){ 1, 3, 5, 2, 4, 6 }, 6);
    cr_expect_eq(deleted, 1);
    int64_t backwards[] = { -3, -1 }, repeated[] = { 0, 1 };
    t = tensor_of(six + 5, 2, two_three, backwards);
    expect_values(weft_from_dlpack(ctx, &t), (float[]){ 6, 5, 4, 3, 2, 1 }, 6);
    t = tensor_of(six, 2, two_three, repeated);
    expect_values(weft_from_dlpack(ctx, &t), (float[]){ 1, 2, 3, 1, 2, 3 }, 6);
    char bytes[sizeof six + 1];
    memcpy(bytes + 1, six, sizeof six);
    t = tensor_of((uintptr_t)bytes % 2 ? bytes : bytes + 1, 2, two_three, NULL);
    memmove(t.dl_tensor.data, bytes + 1, sizeof six);
    expect_values(weft_from_dlpack(ctx, &t), six, 6);
    cr_expect_eq(deleted, 4);
    weft_close(ctx);
    cr_expect_eq(deleted, 4);
}

/* Every stride order of a block, against the same by hand; all widths. */
Test(dlpack, any_strides)
{
    weft_context *ctx = weft_open(NULL);
    unsigned char block[2 * 3 * 4 * 8];
    static const uint8_t codes[] = { kDLUInt, kDLInt, kDLFloat, kDLFloat }, bits[] = { 8, 16, 32, 64 };
    for (size_t i = 0; i < sizeof block; i++) block[i] = (unsigned char)(i * 7 % 61);
    for (int kind = 0; kind < 4; kind++)
        for (int order = 0; order < 27; order++) {
            int p[3] = { order % 3, order / 3 % 3, order / 9 };
            if (p[0] == p[1] || p[1] == p[2] || p[0] == p[2]) continue;
            static const int64_t size[3] = { 2, 3, 4 }, step[3] = { 12, 4, 1 };
            int64_t shape[3] = { size[p[0]], size[p[1]], size[p[2]] },
                    strides[3] = { step[p[0]], step[p[1]], step[p[2]] };
            Tensor t = tensor_of(block, 3, shape, strides);
            t.dl_tensor.dtype = (DLDataType){ codes[kind], bits[kind], 1 };
            weft_array *a = weft_from_dlpack(ctx, &t);
            cr_assert(a, "%s", weft_error(ctx));
            const unsigned char *at = weft_data(a);
            size_t bytes = bits[kind] / 8;
            for (int64_t i = 0; i < shape[0]; i++)
                for (int64_t j = 0; j < shape[1]; j++)
                    for (int64_t k = 0; k < shape[2]; k++, at += bytes)
                        cr_expect(!memcmp(
                            at, block + (size_t)(i * strides[0] + j * strides[1] + k * strides[2]) * bytes,
                            bytes));
            weft_free(a); /* it may have borrowed */
        }
    weft_close(ctx);
}

Test(dlpack, scalars_and_empty_ones)
{
    weft_context *ctx = weft_open(NULL);
    int64_t none[] = { 3, 0, 2 }, any[] = { 5, 5, 5 };
    Tensor t = tensor_of(six + 3, 0, NULL, NULL), u = tensor_of(NULL, 3, none, any);
    cr_expect_eq(weft_item(weft_from_dlpack(ctx, &t)), 4);
    weft_array *a = weft_from_dlpack(ctx, &u);
    cr_expect(a && weft_count(a) == 0 && weft_rank(a) == 3, "%s", weft_error(ctx));
    Tensor *v = weft_to_dlpack(a);
    cr_expect(v && !v->dl_tensor.data && v->dl_tensor.ndim == 3 && v->dl_tensor.shape[0] == 3);
    v->deleter(v);
    weft_close(ctx);
    cr_expect_eq(deleted, 2);
}

static void refuse(weft_context *ctx, Tensor t, weft_status status, const char *wanted)
{
    int before = deleted;
    cr_expect(!weft_from_dlpack(ctx, &t), "%s", wanted);
    cr_expect(weft_error(ctx) && strstr(weft_error(ctx), wanted), "%s", weft_error(ctx));
    cr_expect_eq(weft_clear(ctx), status, "%s", wanted);
    cr_expect_eq(deleted, before + 1, "%s", wanted);
}

Test(dlpack, what_it_does_not_take)
{
    weft_context *ctx = weft_open(NULL);
    const Tensor good = tensor_of(six, 2, two_three, NULL);
    Tensor t = good;
    t.version.major = 2;
    refuse(ctx, t, WEFT_ARGUMENT, "DLPack's version 2");
    t = good, t.dl_tensor.device.device_type = kDLCUDA;
    refuse(ctx, t, WEFT_ARGUMENT, "a device of type 2");
    t = good, t.dl_tensor.dtype = (DLDataType){ kDLComplex, 32, 1 };
    refuse(ctx, t, WEFT_DTYPE, "type code 5 with 32 bits");
    t = good, t.dl_tensor.dtype.lanes = 4;
    refuse(ctx, t, WEFT_DTYPE, "4 lanes");
    t = good, t.dl_tensor.dtype = (DLDataType){ kDLFloat8_e5m2, 8, 1 };
    refuse(ctx, t, WEFT_DTYPE, "type code 12 with 8 bits");
    t = good, t.dl_tensor.dtype = (DLDataType){ kDLInt, 4, 1 };
    refuse(ctx, t, WEFT_DTYPE, "4 bits");
    t = good, t.dl_tensor.ndim = 33;
    refuse(ctx, t, WEFT_SHAPE, "rank 33");
    t = good, t.dl_tensor.ndim = -1;
    refuse(ctx, t, WEFT_SHAPE, "rank -1");
    t = good, t.dl_tensor.shape = NULL;
    refuse(ctx, t, WEFT_ARGUMENT, "the shape is NULL");
    t = good, t.dl_tensor.shape = (int64_t[]){ 2, -3 };
    refuse(ctx, t, WEFT_SHAPE, "negative");
    t = good, t.dl_tensor.shape = (int64_t[]){ INT64_MAX, INT64_MAX };
    refuse(ctx, t, WEFT_SHAPE, "");
    t = good, t.dl_tensor.data = NULL;
    refuse(ctx, t, WEFT_ARGUMENT, "data is NULL");
    t = good, t.deleter = NULL;
    cr_expect(weft_from_dlpack(ctx, &t));
    cr_expect(!weft_from_dlpack(ctx, NULL));
    cr_expect_eq(weft_clear(ctx), WEFT_ARGUMENT);
    weft_close(ctx);
    int before = deleted;
    t = good;
    cr_expect(!weft_from_dlpack(ctx, &t)); /* the context is closed */
    cr_expect_eq(deleted, before + 1);
}

Test(dlpack, no_memory_for_a_copy)
{
    weft_context *ctx = weft_open(&(weft_options){ .memory_limit = 1 << 20 });
    int64_t shape[] = { 1 << 20 }, strides[] = { 0 };
    refuse(ctx, tensor_of(six, 1, shape, strides), WEFT_MEMORY, "memory");
    weft_close(ctx);
}

/* ---- out ---- */

Test(dlpack, every_element_type_there_and_back)
{
    static const DLDataType types[] = {
        { kDLBool, 8, 1 },   { kDLInt, 8, 1 },      { kDLInt, 16, 1 },      { kDLInt, 32, 1 },
        { kDLInt, 64, 1 },   { kDLUInt, 8, 1 },     { kDLUInt, 16, 1 },     { kDLUInt, 32, 1 },
        { kDLUInt, 64, 1 },  { kDLFloat, 16, 1 },   { kDLBfloat, 16, 1 },   { kDLFloat, 32, 1 },
        { kDLFloat, 64, 1 }, { kDLComplex, 64, 1 }, { kDLComplex, 128, 1 },
    };
    static const weft_dtype dtypes[] = { WEFT_BOOL, WEFT_I8,  WEFT_I16, WEFT_I32, WEFT_I64,
                                         WEFT_U8,   WEFT_U16, WEFT_U32, WEFT_U64, WEFT_F16,
                                         WEFT_BF16, WEFT_F32, WEFT_F64, WEFT_C64, WEFT_C128 };
    weft_context *ctx = weft_open(NULL);
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        for (int n = 2; n < 100; n += 97) { /* small ones lie in their handles */
            weft_array *a = weft_ones(ctx, dtypes[i], n, 3);
            Tensor *t = weft_to_dlpack(a);
            cr_assert(t, "%s", weft_error(ctx));
            const DLTensor *x = &t->dl_tensor;
            cr_expect(!memcmp(&x->dtype, &types[i], sizeof types[i]), "%zu", i);
            cr_expect(x->data == weft_data(a) && x->ndim == 2 && x->shape[0] == n && x->shape[1] == 3);
            cr_expect(x->strides[0] == 3 && x->strides[1] == 1 && x->byte_offset == 0);
            cr_expect(t->version.major == 1 && t->flags == DLPACK_FLAG_BITMASK_READ_ONLY);
            weft_free(a);
            weft_array *b = weft_from_dlpack(ctx, t);
            cr_assert(b && weft_dtype_of(b) == dtypes[i], "%s", weft_error(ctx));
            cr_expect_eq(weft_item(weft_sum(weft_astype(b, WEFT_F32))), 3 * n);
            weft_free(b);
        }
    weft_close(ctx);
}

Test(dlpack, lent_arrays_outlive_their_scope)
{
    weft_context *ctx = weft_open(NULL);
    weft_scope *s = weft_scope_open(ctx);
    weft_array *small = weft_linspace(ctx, 0, 3, 4), *large = weft_linspace(ctx, 0, 999, 1000);
    Tensor *t = weft_to_dlpack(small), *u = weft_to_dlpack(large), *again = weft_to_dlpack(large);
    weft_free(large);
    weft_scope_close(s);
    for (int i = 0; i < 100; i++) weft_linspace(ctx, 5, 6, 1000);
    cr_expect_eq(((float *)t->dl_tensor.data)[3], 3);
    u->deleter(u);
    cr_expect_eq(((float *)again->dl_tensor.data)[999], 999);
    again->deleter(again);
    t->deleter(t);
    cr_expect_null(weft_error(ctx));
    weft_close(ctx);
}

/* What is lent to weft without a release is its owner's again after weft_free: others got a copy. */
Test(dlpack, lent_twice)
{
    weft_context *ctx = weft_open(NULL);
    float data[40];
    for (int i = 0; i < 40; i++) data[i] = (float)i;
    weft_array *a = weft_borrow(ctx, WEFT_F32, data, 1, ((int64_t[]){ 40 }), NULL, NULL);
    Tensor *t = weft_to_dlpack(a);
    weft_free(a);
    memset(data, 0, sizeof data);
    cr_expect_eq(((float *)t->dl_tensor.data)[39], 39);
    t->deleter(t);
    Tensor in = tensor_of(six, 1, (int64_t[]){ 6 }, NULL); /* and what has one stays */
    a = weft_from_dlpack(ctx, &in);
    t = weft_to_dlpack(a);
    cr_expect_eq(t->dl_tensor.data, six);
    weft_free(a);
    cr_expect_eq(deleted, 0);
    t->deleter(t);
    cr_expect_eq(deleted, 1);
    weft_close(ctx);
}

Test(dlpack, deleters_after_the_context)
{
    weft_context *ctx = weft_open(NULL);
    Tensor in = tensor_of(six, 1, (int64_t[]){ 6 }, NULL);
    Tensor *t = weft_to_dlpack(weft_linspace(ctx, 0, 999, 1000)), *u = weft_to_dlpack(weft_scalar(ctx, 3)),
           *v = weft_to_dlpack(weft_from_dlpack(ctx, &in));
    weft_close(ctx);
    cr_expect_eq(deleted, 1);
    weft_context *other = weft_open(NULL); /* may lie where the first was */
    t->deleter(t);
    weft_array *a = weft_linspace(other, 0, 999, 1000);
    u->deleter(u);
    v->deleter(v);
    cr_expect_eq(weft_f32(a)[999], 999);
    cr_expect_eq(deleted, 1);
    weft_close(other);
}

static void *end_all(void *of)
{
    Tensor **t = of;
    for (int i = 0; i < 200; i++) t[i]->deleter(t[i]);
    return NULL;
}

Test(dlpack, deleters_on_another_thread)
{
    weft_context *ctx = weft_open(NULL);
    Tensor *t[400];
    pthread_t thread[2];
    for (int i = 0; i < 400; i++) t[i] = weft_to_dlpack(weft_linspace(ctx, 0, 1, i % 50 + 1));
    for (int i = 0; i < 2; i++) cr_assert(!pthread_create(&thread[i], NULL, end_all, t + 200 * i));
    for (int i = 0; i < 200; i++) weft_free(weft_linspace(ctx, 0, 1, 100));
    for (int i = 0; i < 2; i++) pthread_join(thread[i], NULL);
    weft_close(ctx);
}

static Tensor *from_trace;
static weft_array *lends(weft_array *x)
{
    from_trace = weft_to_dlpack(x);
    return x;
}

Test(dlpack, traced_and_donated)
{
    weft_context *ctx = weft_open(NULL);
    weft_declare(ctx, lends, weft_unary);
    weft_jit(ctx, lends)(weft_ones(ctx, WEFT_F32, 3));
    cr_expect(!from_trace && strstr(weft_error(ctx), "traced"), "%s", weft_error(ctx));
    cr_expect_eq(weft_clear(ctx), WEFT_TRACED);
    cr_expect(!weft_to_dlpack_(NULL, NULL));
    weft_clear(ctx);
    weft_array *a = weft_ones(ctx, WEFT_F32, 1000); /* nothing is computed over what others have */
    Tensor *t = weft_to_dlpack(a);
    weft_unary *f = weft_jit(ctx, (weft_neg));
    weft_array *b = f(weft_donate(a));
    cr_expect(b && weft_f32(b)[0] == -1 && ((float *)t->dl_tensor.data)[0] == 1);
    t->deleter(t);
    weft_close(ctx);
}
