/* weft/types.h: the element types and status codes that every other header speaks of. */
#ifndef WEFT_TYPES_H
#define WEFT_TYPES_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Element types. Floats are IEEE 754 (bfloat16: the upper half of a binary32); a complex number is two of
 * them, the real part first, as C's float _Complex (WEFT_C64) and double _Complex (WEFT_C128) are; a bool is
 * one byte, 0 or 1.
 * What weft copies in (weft_from, weft_load) may have other bytes for 1. In memory that it does not copy
 * (weft_borrow, weft_from_dlpack, weft_run, what a foreign function writes) such a byte may be true in one op
 * and false in the next. */
typedef enum {
    WEFT_BOOL,
    WEFT_I8, WEFT_I16, WEFT_I32, WEFT_I64,
    WEFT_U8, WEFT_U16, WEFT_U32, WEFT_U64,
    WEFT_F16, WEFT_BF16, WEFT_F32, WEFT_F64,
    WEFT_C64, WEFT_C128
} weft_dtype;

/* C takes the constants of an enum for ints. These are weft_dtypes, so that weft_zeros(ctx, 3, 4), where the
 * type was forgotten, does not compile, and weft_zeros(ctx, rows, 4) neither, also where rows is unsigned. */
#ifndef __cplusplus
#define WEFT_BOOL ((weft_dtype)WEFT_BOOL)
#define WEFT_I8   ((weft_dtype)WEFT_I8)
#define WEFT_I16  ((weft_dtype)WEFT_I16)
#define WEFT_I32  ((weft_dtype)WEFT_I32)
#define WEFT_I64  ((weft_dtype)WEFT_I64)
#define WEFT_U8   ((weft_dtype)WEFT_U8)
#define WEFT_U16  ((weft_dtype)WEFT_U16)
#define WEFT_U32  ((weft_dtype)WEFT_U32)
#define WEFT_U64  ((weft_dtype)WEFT_U64)
#define WEFT_F16  ((weft_dtype)WEFT_F16)
#define WEFT_BF16 ((weft_dtype)WEFT_BF16)
#define WEFT_F32  ((weft_dtype)WEFT_F32)
#define WEFT_F64  ((weft_dtype)WEFT_F64)
#define WEFT_C64  ((weft_dtype)WEFT_C64)
#define WEFT_C128 ((weft_dtype)WEFT_C128)
#endif

/* What kind of failure it was; weft_error() has the words. */
typedef enum {
    WEFT_OK,
    WEFT_ARGUMENT,      /* a NULL, a bad text, an axis or option out of range, a handle of another context */
    WEFT_SHAPE,         /* shapes that do not go together, rank or size over a limit */
    WEFT_DTYPE,         /* an element type the operation does not take */
    WEFT_TREE_MISMATCH, /* structures that differ */
    WEFT_TRACED,        /* a concrete value was needed while tracing, or a traced one outside its trace */
    WEFT_MEMORY,        /* the allocator hook said no, or a limit was reached */
    WEFT_COMPILER,      /* the compiler back end is missing or of another build, or compiling was forbidden */
    WEFT_IO             /* a file could not be read, written or understood */
} weft_status;

enum { WEFT_MAX_RANK = 32 };    /* arrays have 0 to 32 axes */
#endif
