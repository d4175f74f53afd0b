/* each_type.h: the element types that arithmetic is done in, as lists: SIGNED_TYPES(X, more) is X for each of
 * them with its name, its C type T, its unsigned twin U, an unsigned type W of at least 32 bits in which ints
 * are computed, and more. S_(f) and its like are the entries of a table by DType, of f_I8, f_I16 ... */
#ifndef WEFT_SCALAR_EACH_TYPE_H
#define WEFT_SCALAR_EACH_TYPE_H

#define SIGNED_TYPES(X, ...) \
    X(I8, int8_t, uint8_t, uint32_t, __VA_ARGS__) \
    X(I16, int16_t, uint16_t, uint32_t, __VA_ARGS__) \
    X(I32, int32_t, uint32_t, uint32_t, __VA_ARGS__) X(I64, int64_t, uint64_t, uint64_t, __VA_ARGS__)
#define UNSIGNED_TYPES(X, ...) \
    X(U8, uint8_t, uint8_t, uint32_t, __VA_ARGS__) \
    X(U16, uint16_t, uint16_t, uint32_t, __VA_ARGS__) \
    X(U32, uint32_t, uint32_t, uint32_t, __VA_ARGS__) X(U64, uint64_t, uint64_t, uint64_t, __VA_ARGS__)
#define INT_TYPES(X, ...) SIGNED_TYPES(X, __VA_ARGS__) UNSIGNED_TYPES(X, __VA_ARGS__)
#define BOOL_TYPE(X, ...) X(BOOL, uint8_t, uint8_t, uint32_t, __VA_ARGS__)
#define FLOAT_TYPES(X, ...) \
    X(F32, float, uint32_t, uint32_t, __VA_ARGS__) X(F64, double, uint64_t, uint64_t, __VA_ARGS__)

#define S_(fn) [WEFT_I8] = fn##_I8, [WEFT_I16] = fn##_I16, [WEFT_I32] = fn##_I32, [WEFT_I64] = fn##_I64
#define U_(fn) [WEFT_U8] = fn##_U8, [WEFT_U16] = fn##_U16, [WEFT_U32] = fn##_U32, [WEFT_U64] = fn##_U64
#define B_(fn) [WEFT_BOOL] = fn##_BOOL
#define F_(fn) [WEFT_F32] = fn##_F32, [WEFT_F64] = fn##_F64

#endif
