/* handle.c: what users ask of an array: its type, its data, and who owns it. */
#include <math.h>
#include <string.h>
#include "op.h"
#include "runtime/memory/array.h"

/* ---- its type ---- */

/* NULL is the failed value, which says nothing again; a freed array, or one of a dead trace, is an error. */
static bool is_there(const weft_array *a, const char *who)
{
    if (!a || (array_is_address(a) && array_concrete(a))) return a != NULL;
    return op_check_for(who, NULL, NULL, a, "the array");
}

int weft_rank(const weft_array *a) { return is_there(a, "weft_rank") ? array_type(a).rank : 0; }

int64_t weft_dim(const weft_array *a, int axis)
{
    if (!is_there(a, "weft_dim")) return 0;
    Type t = array_type(a);
    if (axis < 0) axis += t.rank;
    return axis < 0 || axis >= t.rank ? 0 : t.dim[axis];
}

int64_t weft_count(const weft_array *a) { return is_there(a, "weft_count") ? type_count(array_type(a)) : 0; }

weft_dtype weft_dtype_of(const weft_array *a)
{
    return is_there(a, "weft_dtype_of") ? (weft_dtype)array_type(a).dtype : WEFT_F32;
}

bool weft_is_traced(const weft_array *a) { return is_there(a, "weft_is_traced") && array_is_traced(a); }

/* ---- its data ---- */

static const _Alignas(64) char zeros[4096];

/* Zeros for code that goes on without the value: one of up to 16 bytes for each element. */
static const void *readable_zeros(const weft_array *a)
{
    int64_t count = array_is_address(a) && a->state != ARRAY_FREED ? type_count(array_type(a)) : 0;
    if (count <= (int64_t)sizeof zeros / 16) return zeros;
    Local *l = context_local(a->ctx);
    weft_array *z = l ? array_new(l, (Type){ WEFT_C128, 1, &count }, NULL, NULL) : NULL;
    return z ? memset(z->data, 0, array_bytes(z)) : zeros;
}

/* For the running op; dtype -1: any. NULL: an error is set. */
static const void *data_of(const weft_array *a, int dtype)
{
    if (!op_check(a, "the array")) return NULL;
    if (array_is_traced(a))
        return op_fail(WEFT_TRACED, "the array is traced, so it has no value yet: compute with it "
                                    "(weft_where chooses between values), or read it outside the function");
    if (dtype >= 0 && a->dtype != dtype)
        return op_fail(WEFT_DTYPE, "the array is %s: read it with weft_%s or weft_data",
                       TYPE_TEXT(array_own_type(a)), dtype_name((DType)a->dtype));
    return a->data;
}

static const void *read_data(const weft_array *a, int dtype, const char *who, const char *at)
{
    op_begin(who, at);
    const void *data = data_of(a, dtype);
    op_end();
    return data ? data : readable_zeros(a);
}

#define READ(name, T, dtype) \
    const T *weft_##name##_(const weft_array *a, const char *at) \
    { \
        return read_data(a, dtype, "weft_" #name, at); \
    }
READ(bool, bool, WEFT_BOOL)
READ(i8, int8_t, WEFT_I8)
READ(i16, int16_t, WEFT_I16)
READ(i32, int32_t, WEFT_I32)
READ(i64, int64_t, WEFT_I64)
READ(u8, uint8_t, WEFT_U8)
READ(u16, uint16_t, WEFT_U16)
READ(u32, uint32_t, WEFT_U32)
READ(u64, uint64_t, WEFT_U64)
READ(f32, float, WEFT_F32)
READ(f64, double, WEFT_F64)
READ(c64, weft_complex64, WEFT_C64)
READ(c128, weft_complex128, WEFT_C128)
READ(data, void, -1)

double weft_item_(const weft_array *a, const char *at)
{
    op_begin("weft_item", at);
    const void *data = data_of(a, -1);
    if (data && a->count != 1)
        data = op_fail(WEFT_SHAPE, "the array is %s: only one of a single element has an item",
                       TYPE_TEXT(array_own_type(a)));
    if (data && dtype_is_complex((DType)a->dtype))
        data = op_fail(WEFT_DTYPE,
                       "the array is %s, whose element is no double: read it with weft_%s, or "
                       "take weft_real of it",
                       TYPE_TEXT(array_own_type(a)), dtype_name((DType)a->dtype));
    op_end();
    return data ? scalar_to_double((DType)a->dtype, scalar_load((DType)a->dtype, data)) : NAN;
}

/* ---- its owner ---- */

weft_array *weft_keep(weft_array *a)
{
    op_begin("weft_keep", NULL);
    bool good = op_check(a, "the array");
    if (good && array_is_traced(a))
        good = op_fail(WEFT_TRACED,
                       "the array is traced and lives as long as its trace: return it as a result instead");
    if (good) scope_move(a, NULL);
    op_end();
    return good ? a : NULL;
}

weft_array *weft_lift(weft_array *a)
{
    if (!op_check_for("weft_lift", NULL, NULL, a, "the array")) return NULL;
    if (array_is_traced(a) || !a->owner) return a;
    scope_move(a, a->owner->outer);
    return a;
}

void weft_free(weft_array *a)
{
    if (!array_is_address(a) || !array_concrete(a)) return;
    scope_remove(a);
    array_release(a);
}

weft_array *weft_donate(weft_array *a)
{
    if (!op_check_for("weft_donate", NULL, NULL, a, "the array")) return NULL;
    if (array_concrete(a)) a->donated = true;
    return a;
}
