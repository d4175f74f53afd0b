/* weft/types.h: the element types and status codes that every other header speaks of. */
#ifndef WEFT_TYPES_H
#define WEFT_TYPES_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Element types. Floats are IEEE 754 (bfloat16: the upper half of a binary32); a bool is one byte, 0 or 1. */
typedef enum {
    WEFT_BOOL,
    WEFT_I8, WEFT_I16, WEFT_I32, WEFT_I64,
    WEFT_U8, WEFT_U16, WEFT_U32, WEFT_U64,
    WEFT_F16, WEFT_BF16, WEFT_F32, WEFT_F64
} weft_dtype;

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
