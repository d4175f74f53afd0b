/* weft/dispatch.h: how the macros of weft's headers look at types: _Generic and GNU C in C, overloads in C++. Nothing to call here; included by weft/array.h. */
#ifndef WEFT_DISPATCH_H
#define WEFT_DISPATCH_H
#define WEFT_STR2_(x) #x
#define WEFT_STR_(x)  WEFT_STR2_(x)
#define WEFT_HERE     __FILE__ ":" WEFT_STR_(__LINE__)          /* one static string; one register */
#define WEFT_HEAD_(x, ...) x
#define WEFT_TAIL_(x, ...) __VA_ARGS__

/* What an op takes: an array, or a C number that is weakly typed. 16 bytes: passed in two registers. */
typedef struct { union { const weft_array *a; double f; int64_t i; uint64_t u; } v; int kind; } weft_operand;
enum { WEFT_OPERAND_ARRAY_, WEFT_OPERAND_FLOAT_, WEFT_OPERAND_INT_, WEFT_OPERAND_UINT_, WEFT_OPERAND_BOOL_ };
static inline weft_operand weft_of_array(const weft_array *a) { weft_operand o; o.v.a = a; o.kind = WEFT_OPERAND_ARRAY_; return o; }
static inline weft_operand weft_of_float(double f)            { weft_operand o; o.v.f = f; o.kind = WEFT_OPERAND_FLOAT_; return o; }
static inline weft_operand weft_of_int(int64_t i)             { weft_operand o; o.v.i = i; o.kind = WEFT_OPERAND_INT_;   return o; }
static inline weft_operand weft_of_uint(uint64_t u)           { weft_operand o; o.v.u = u; o.kind = WEFT_OPERAND_UINT_;  return o; }
static inline weft_operand weft_of_bool(bool b)               { weft_operand o; o.v.i = b; o.kind = WEFT_OPERAND_BOOL_;  return o; }

#ifndef __cplusplus
#define WEFT_PICK_(v) _Generic((v), weft_array *: weft_of_array, const weft_array *: weft_of_array, \
    float: weft_of_float, double: weft_of_float, _Bool: weft_of_bool, char: weft_of_int, signed char: weft_of_int, \
    unsigned char: weft_of_int, short: weft_of_int, unsigned short: weft_of_int, int: weft_of_int, unsigned: weft_of_int, \
    long: weft_of_int, long long: weft_of_int, unsigned long: weft_of_uint, unsigned long long: weft_of_uint)
/* The operand's text must appear once: _Generic((v), ...)(v) alone doubles it per nesting level (16 levels: 23 MB, 4 s). */
#ifdef __GNUC__
#define WEFT_CAT2_(a, b) a##b
#define WEFT_CAT_(a, b)  WEFT_CAT2_(a, b)
#define WEFT_ARG2_(v, t) __extension__ ({ __auto_type t = (v); WEFT_PICK_(t)(t); })
#define WEFT_ARG_(v)     WEFT_ARG2_(v, WEFT_CAT_(weft_t, __COUNTER__))
#else
#define WEFT_ARG_(v)     WEFT_PICK_(v)(v)
#endif
#define WEFT_TYPE_(f)    __typeof__(&*(f))                      /* typeof in C23; gcc, clang, tcc, icx, MSVC 19.39 have it */
#define WEFT_FN_(f)      ((weft_fn)(f))
#define WEFT_IF_(f, sig) _Generic(&*(f), sig *: (weft_fn)(f))
#define WEFT_SHAPE_(...) (int)(sizeof (int64_t[]){ __VA_ARGS__ } / sizeof(int64_t)), (const int64_t[]){ __VA_ARGS__ }
#define WEFT_DTYPE_ROW_(T, D) T *: D, const T *: D
#define WEFT_DTYPE_OF_(p) _Generic((p), WEFT_DTYPE_ROW_(bool, WEFT_BOOL), \
    WEFT_DTYPE_ROW_(int8_t, WEFT_I8), WEFT_DTYPE_ROW_(int16_t, WEFT_I16), WEFT_DTYPE_ROW_(int32_t, WEFT_I32), WEFT_DTYPE_ROW_(int64_t, WEFT_I64), \
    WEFT_DTYPE_ROW_(uint8_t, WEFT_U8), WEFT_DTYPE_ROW_(uint16_t, WEFT_U16), WEFT_DTYPE_ROW_(uint32_t, WEFT_U32), WEFT_DTYPE_ROW_(uint64_t, WEFT_U64), \
    WEFT_DTYPE_ROW_(float, WEFT_F32), WEFT_DTYPE_ROW_(double, WEFT_F64))
#else
static inline weft_operand weft_arg(const weft_array *a) { return weft_of_array(a); }
template <class N, class = std::enable_if_t<std::is_arithmetic<N>::value>> inline weft_operand weft_arg(N n) {
    if constexpr (std::is_same<N, bool>::value) return weft_of_bool(n);
    else if constexpr (std::is_floating_point<N>::value) return weft_of_float((double)n);
    else if constexpr (std::is_unsigned<N>::value) return weft_of_uint(n);
    else return weft_of_int(n);
}
/* More than 32 axes: the rank says so, and the library refuses it before it looks at the sizes. */
struct weft_shape_ { int rank; int64_t dim[WEFT_MAX_RANK];
    weft_shape_(std::initializer_list<int64_t> s) : rank(0), dim() { for (int64_t d : s) { if (rank < WEFT_MAX_RANK) dim[rank] = d; rank++; } } };
template <class T> constexpr weft_dtype weft_dtype_of_c_() {
    static_assert(std::is_arithmetic<T>::value && sizeof(T) <= 8, "weft has no element type for this C++ type");
    return std::is_same<T, bool>::value ? WEFT_BOOL
         : std::is_floating_point<T>::value ? (sizeof(T) == 4 ? WEFT_F32 : WEFT_F64)
         : std::is_unsigned<T>::value ? (sizeof(T) == 1 ? WEFT_U8 : sizeof(T) == 2 ? WEFT_U16 : sizeof(T) == 4 ? WEFT_U32 : WEFT_U64)
         : (sizeof(T) == 1 ? WEFT_I8 : sizeof(T) == 2 ? WEFT_I16 : sizeof(T) == 4 ? WEFT_I32 : WEFT_I64); }
static inline weft_array *weft_from_(weft_context *c, weft_dtype t, const void *p, const weft_shape_ &s, const char *at) {
    return weft_from_(c, t, p, s.rank, s.dim, at); }
#define WEFT_ARG_(v)     weft_arg(v)
#define WEFT_TYPE_(f)    decltype(&*(f))
#define WEFT_FN_(f)      reinterpret_cast<weft_fn>(f)
#define WEFT_IF_(f, sig) reinterpret_cast<weft_fn>(static_cast<sig *>(f))
#define WEFT_SHAPE_(...) weft_shape_{ __VA_ARGS__ }
#define WEFT_DTYPE_OF_(p) weft_dtype_of_c_<std::remove_cv_t<std::remove_pointer_t<std::decay_t<decltype(p)>>>>()
#endif
#endif
