/* dlpack.c: arrays out and in by DLPack (weft/dlpack.h).
 *
 * What goes out holds the array by a reference, as cached code does, and stands in a list of the context's,
 * for weft_close. Its own memory is the C library's: its deleter may be called when the context is gone.
 * What comes in is lent memory, whose release is the tensor's deleter.
 */
#include "dlpack.h"
#include <stdlib.h>
#include <string.h>
#include "runtime/memory/array.h"
#include "runtime/trace/op.h"
#include "third_party/dlpack/dlpack.h"

typedef struct DLManagedTensorVersioned Tensor;

struct Lent {
    Tensor tensor; /* first: it is what users hold */
    Home home;     /* nobody's: the context was closed */
    weft_array *array;
    Lent *next, **link; /* among the context's, under its lock */
    int64_t dims[];     /* the shape, then the strides */
};

/* ---- element types ---- */

static DLDataType type_of(DType t)
{
    DLDataTypeCode code = t == WEFT_BOOL        ? kDLBool
                          : t == WEFT_BF16      ? kDLBfloat
                          : dtype_is_complex(t) ? kDLComplex
                          : dtype_is_float(t)   ? kDLFloat
                          : dtype_is_signed(t)  ? kDLInt
                                                : kDLUInt;
    return (DLDataType){ .code = (uint8_t)code, .bits = (uint8_t)(8 * dtype_bytes(t)), .lanes = 1 };
}

static bool find_type(DLDataType of, DType *found)
{
    for (int t = 0; t < DTYPE_COUNT; t++) {
        DLDataType is = type_of((DType)t);
        if (is.code != of.code || is.bits != of.bits || of.lanes != 1) continue;
        *found = (DType)t;
        return true;
    }
    return false;
}

/* Of rows without gaps, in elements. */
static void set_strides(Type t, int64_t *stride)
{
    int64_t s = 1;
    for (int d = t.rank - 1; d >= 0; d--) {
        stride[d] = s;
        s *= t.dim[d];
    }
}

/* ---- out ---- */

static void end_lent(Tensor *t)
{
    Lent *x = (Lent *)t;
    weft_context *ctx = x->home.ctx;
    if (ctx && ctx->open && ctx->serial == x->home.serial) {
        pthread_mutex_lock(&ctx->lock);
        LIST_REMOVE(x, next, link);
        pthread_mutex_unlock(&ctx->lock);
        array_unretain(x->array);
    }
    free(x);
}

void dlpack_close(weft_context *ctx)
{
    while (ctx->lent) {
        Lent *x = ctx->lent;
        LIST_REMOVE(x, next, link);
        x->home = NOBODYS;
        array_unretain(x->array);
    }
}

static Lent *lend(weft_array *a)
{
    Lent *x = malloc(sizeof *x + 2 * a->rank * sizeof *x->dims);
    if (!x || !array_own(a)) return free(x), NULL;
    *x = (Lent){ .home = context_home(a->ctx), .array = a };
    x->tensor = (Tensor){ .version = { DLPACK_MAJOR_VERSION, DLPACK_MINOR_VERSION },
                          .manager_ctx = x,
                          .deleter = end_lent,
                          .flags = DLPACK_FLAG_BITMASK_READ_ONLY,
                          .dl_tensor = { .data = a->count ? a->data : NULL,
                                         .device = { kDLCPU, 0 },
                                         .ndim = a->rank,
                                         .dtype = type_of((DType)a->dtype),
                                         .shape = x->dims,
                                         .strides = x->dims + a->rank } };
    if (a->rank) memcpy(x->dims, a->dim, a->rank * sizeof *a->dim);
    set_strides(array_own_type(a), x->dims + a->rank);
    array_retain(a);
    LOCK(&a->ctx->lock);
    LIST_ADD(&a->ctx->lent, x, next, link);
    return x;
}

Tensor *weft_to_dlpack_(weft_array *a, const char *at)
{
    Lent *x = NULL;
    op_begin("weft_to_dlpack", at);
    if (op_check(a, "the array")) {
        if (array_is_traced(a)) op_fail(WEFT_TRACED, "the array is traced: it has no elements yet");
        else if (!(x = lend(a))) op_fail(WEFT_MEMORY, "out of memory");
    }
    op_end();
    return x ? &x->tensor : NULL;
}

/* ---- in ---- */

static const char who[] = "weft_from_dlpack";

static void end_tensor(void *tensor, void *data)
{
    Tensor *t = tensor;
    (void)data;
    if (t->deleter) t->deleter(t);
}

/* The same, outside of an array's release. */
static void end_now(Local *l, Tensor *t)
{
    Callback c;
    if (!l) {
        end_tensor(t, NULL);
        return;
    }
    callback_begin(&c, "a tensor's deleter", l->ctx, l);
    end_tensor(t, NULL);
    callback_end(&c);
}

/* False: an error. Of another version nothing else can be known. */
static bool readable(Local *l, const Tensor *t, Type *type, const char *at)
{
    const DLTensor *x = &t->dl_tensor;
    DType dtype;
    if (t->version.major != DLPACK_MAJOR_VERSION)
        return error_set(l, WEFT_ARGUMENT, who, at,
                         "the tensor is of DLPack's version %u: version %d is known", t->version.major,
                         DLPACK_MAJOR_VERSION);
    if (x->device.device_type != kDLCPU)
        return error_set(
            l, WEFT_ARGUMENT, who, at,
            "not supported: the tensor is on a device of type %d, and only the CPU's memory (%d) "
            "can be read",
            (int)x->device.device_type, kDLCPU);
    if (!find_type(x->dtype, &dtype))
        return error_set(
            l, WEFT_DTYPE, who, at,
            "not supported: elements of DLPack's type code %d with %d bits and %d lanes; weft has "
            "bool, integers of 8 to 64 bits, f16, bf16, f32, f64, c64 and c128",
            x->dtype.code, x->dtype.bits, x->dtype.lanes);
    if (!array_check_type(l, (weft_dtype)dtype, x->ndim, x->shape, who, at)) return false;
    *type = (Type){ (uint8_t)dtype, (uint8_t)x->ndim, x->shape };
    return x->data || !type_count(*type) || error_set(l, WEFT_ARGUMENT, who, at, "the tensor's data is NULL");
}

/* Axes of one element, and all of an empty array, may have any stride. */
static bool has_gaps(Type t, const int64_t *stride)
{
    int64_t compact[WEFT_MAX_RANK];
    set_strides(t, compact);
    for (int d = 0; d < t.rank && stride && type_count(t); d++)
        if (t.dim[d] != 1 && stride[d] != compact[d]) return true;
    return false;
}

static inline void copy_each(char *to, const char *from, int64_t n, size_t step, size_t bytes)
{
    for (int64_t i = 0; i < n; i++, from += step) memcpy(to + (size_t)i * bytes, from, bytes);
}

/* The width is a constant in each loop. */
static void copy_row(char *to, const char *from, int64_t n, size_t step, size_t bytes)
{
    if (step == bytes) memcpy(to, from, (size_t)n * bytes);
    else if (bytes == 1) copy_each(to, from, n, step, 1);
    else if (bytes == 2) copy_each(to, from, n, step, 2);
    else if (bytes == 4) copy_each(to, from, n, step, 4);
    else if (bytes == 8) copy_each(to, from, n, step, 8);
    else copy_each(to, from, n, step, 16);
}

/* Row by row; steps are in bytes, and wrap where they are negative. */
static void copy_all(char *to, const char *from, Type t, const int64_t *stride)
{
    int last = t.rank - 1;
    size_t bytes = dtype_bytes((DType)t.dtype), step = last >= 0 ? (size_t)stride[last] * bytes : 0;
    int64_t index[WEFT_MAX_RANK] = { 0 }, n = last >= 0 ? t.dim[last] : 1;
    for (int64_t rows = n ? type_count(t) / n : 0; rows; rows--, to += (size_t)n * bytes) {
        copy_row(to, from, n, step, bytes);
        for (int d = last - 1; d >= 0; d--) {
            from += (size_t)stride[d] * bytes;
            if (++index[d] < t.dim[d]) break;
            from -= (size_t)stride[d] * bytes * (size_t)t.dim[d];
            index[d] = 0;
        }
    }
}

static weft_array *copy_of(Local *l, Type t, const char *data, const int64_t *stride, const char *at)
{
    int64_t compact[WEFT_MAX_RANK];
    set_strides(t, compact);
    weft_array *a = array_new(l, t, who, at);
    if (a) copy_all(a->data, data, t, stride ? stride : compact);
    if (a && t.dtype == WEFT_BOOL) array_normalize_bools(a->data, array_bytes(a));
    return a;
}

weft_array *weft_from_dlpack_(weft_context *ctx, Tensor *t, const char *at)
{
    Local *l = context_enter(ctx, who, at);
    Type type;
    weft_array *a = NULL;
    if (!t && l) error_set(l, WEFT_ARGUMENT, who, at, "the tensor is NULL");
    if (!t) return NULL;
    if (l && readable(l, t, &type, at)) {
        const DLTensor *x = &t->dl_tensor;
        char *data = x->data ? (char *)x->data + x->byte_offset : NULL;
        bool borrows =
            !has_gaps(type, x->strides) && (uintptr_t)data % dtype_bytes(dtype_part((DType)type.dtype)) == 0;
        if (borrows && (a = array_lent(l, type, data, end_tensor, t))) return a;
        if (borrows) error_memory(l, who, at);
        else a = copy_of(l, type, data, x->strides, at);
    }
    end_now(l, t);
    return a;
}
