/* weft/dispatch.h: how the macros of weft's headers look at types: _Generic and GNU C in C, overloads in C++.
 * Nothing to call here; included by weft/array.h. */
#ifndef WEFT_DISPATCH_H
#define WEFT_DISPATCH_H
#define WEFT_STR2_(...) #__VA_ARGS__
#define WEFT_STR_(...)  WEFT_STR2_(__VA_ARGS__)
#define WEFT_HERE     __FILE__ ":" WEFT_STR_(__LINE__)          /* one static string; one register */
#define WEFT_HEAD_(x, ...) x
#define WEFT_TAIL_(x, ...) __VA_ARGS__
#define WEFT_SECOND_(a, b, ...) b
#define WEFT_FIRST_(...)   WEFT_HEAD_(__VA_ARGS__, )
#define WEFT_AN_INT_(n) ((n) | 0)                               /* a float or a pointer does not compile */
/* What stands behind the first of up to 16 arguments, or `otherwise` where that is the only one. */
#define WEFT_BEHIND_(otherwise, ...) WEFT_CAT_(WEFT_BEHIND_, WEFT_MORE_(__VA_ARGS__))(otherwise, __VA_ARGS__)
#define WEFT_BEHIND_ONE_(otherwise, x)          otherwise
#define WEFT_BEHIND_MORE_(otherwise, x, ...)    __VA_ARGS__
#define WEFT_MORE_(...) \
    WEFT_17TH_(__VA_ARGS__, MORE_, MORE_, MORE_, MORE_, MORE_, MORE_, MORE_, MORE_, MORE_, MORE_, MORE_, \
               MORE_, MORE_, MORE_, MORE_, ONE_, )
#define WEFT_17TH_(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, ...) q
#define WEFT_CAT2_(a, b) a##b
#define WEFT_CAT_(a, b)  WEFT_CAT2_(a, b)
/* (3, 4) is a shape in Python; C takes it for 4. Where first begins with a parenthesis, the name in front of
 * it is a macro's call, and what that gives has as its second entry what stands behind a comma in there. */
#define WEFT_NO_TUPLE_(first)   WEFT_NO_SECOND_(WEFT_TUPLE_ first)
#define WEFT_TUPLE_(...)        , WEFT_TAIL_(__VA_ARGS__, ),
#define WEFT_NO_SECOND_(...)    (sizeof(WEFT_STR_(WEFT_SECOND_(__VA_ARGS__, , ))) == 1)
#ifdef __GNUC__
#define WEFT_UNUSED_ __attribute__((unused))
#else
#define WEFT_UNUSED_
#endif

/* What an op takes: an array, or a C number that is weakly typed. */
typedef struct {
    union { const weft_array *a; double f; int64_t i; uint64_t u; double z[2]; } v;
    int kind;
} weft_operand;
enum { WEFT_OPERAND_ARRAY_, WEFT_OPERAND_FLOAT_, WEFT_OPERAND_INT_, WEFT_OPERAND_UINT_, WEFT_OPERAND_BOOL_,
       WEFT_OPERAND_COMPLEX_ };
static inline weft_operand weft_of_array(const weft_array *a)
{
    weft_operand o;
    o.v.a = a;
    o.kind = WEFT_OPERAND_ARRAY_;
    return o;
}
static inline weft_operand weft_of_float(double f)
{
    weft_operand o;
    o.v.f = f;
    o.kind = WEFT_OPERAND_FLOAT_;
    return o;
}
static inline weft_operand weft_of_int(int64_t i)
{
    weft_operand o;
    o.v.i = i;
    o.kind = WEFT_OPERAND_INT_;
    return o;
}
static inline weft_operand weft_of_uint(uint64_t u)
{
    weft_operand o;
    o.v.u = u;
    o.kind = WEFT_OPERAND_UINT_;
    return o;
}
static inline weft_operand weft_of_bool(bool b)
{
    weft_operand o;
    o.v.i = b;
    o.kind = WEFT_OPERAND_BOOL_;
    return o;
}

static inline weft_operand weft_of_parts(double re, double im)
{
    weft_operand o;
    o.v.z[0] = re;
    o.v.z[1] = im;
    o.kind = WEFT_OPERAND_COMPLEX_;
    return o;
}

#ifndef __cplusplus
#ifndef __STDC_NO_COMPLEX__
static inline weft_operand weft_of_complex(double _Complex z)
{
    union { double _Complex z; double part[2]; } u;
    u.z = z;
    return weft_of_parts(u.part[0], u.part[1]);
}
static inline weft_array *weft_scalar_z_(weft_context *ctx, double _Complex z, const char *at)
{
    union { double _Complex z; double part[2]; } u;
    u.z = z;
    return weft_scalar_complex_(ctx, u.part[0], u.part[1], at);
}
static inline weft_array *weft_scalar_as_z_(weft_context *ctx, weft_dtype t, double _Complex z,
                                            const char *at)
{
    union { double _Complex z; double part[2]; } u;
    u.z = z;
    return weft_scalar_parts_(ctx, t, u.part[0], u.part[1], at);
}
#ifdef __GNUC__
/* What 1i is. A short name: what stands in it many times is the text of an assertion. */
__extension__ typedef _Complex int weft_zi_;
#define WEFT_IF_COMPLEX_(f)     float _Complex: f, double _Complex: f, weft_zi_: f,
#else
#define WEFT_IF_COMPLEX_(f)     float _Complex: f, double _Complex: f,
#endif
#define WEFT_COMPLEX_ROWS_(M)   M(float _Complex, WEFT_C64), M(double _Complex, WEFT_C128),
#else
#define WEFT_IF_COMPLEX_(f)
#define WEFT_COMPLEX_ROWS_(M)
#endif
#define WEFT_SCALAR_(v)         _Generic((v), WEFT_IF_COMPLEX_(weft_scalar_z_) default: weft_scalar_)
#define WEFT_SCALAR_AS_(v)      _Generic((v), WEFT_IF_COMPLEX_(weft_scalar_as_z_) default: weft_scalar_as_)
#define WEFT_PICK_(v) _Generic((v), weft_array *: weft_of_array, const weft_array *: weft_of_array, \
    WEFT_IF_COMPLEX_(weft_of_complex) float: weft_of_float, double: weft_of_float, _Bool: weft_of_bool, \
    char: weft_of_int, \
    signed char: weft_of_int, unsigned char: weft_of_int, short: weft_of_int, unsigned short: weft_of_int, \
    int: weft_of_int, unsigned: weft_of_int, \
    long: weft_of_int, long long: weft_of_int, unsigned long: weft_of_uint, unsigned long long: weft_of_uint)
/* The operand's text must appear once: _Generic((v), ...)(v) alone doubles it per nesting level (16 levels:
 * 23 MB, 4 s). */
#ifdef __GNUC__
#define WEFT_ARG2_(v, t) __extension__ ({ __auto_type t = (v); WEFT_PICK_(t)(t); })
#define WEFT_ARG_(v)     WEFT_ARG2_(v, WEFT_CAT_(weft_t, __COUNTER__))
#else
#define WEFT_ARG_(v)     WEFT_PICK_(v)(v)
#endif

/* What a macro was given is checked where it is written: C would take 0 for a NULL text, 2.5 for a size, and
 * a first option without a name for whichever field comes first. `must` is a condition known to the compiler;
 * what is wanted stands in the name of the macro and in the text of the assertion. */
#define WEFT_MUST_(must, text)  ((void)sizeof(struct { _Static_assert(must, text); char c_; }))
#define WEFT_0_IF_(must, text)  (0 * (int)sizeof(struct { _Static_assert(must, text); char c_; }))
/* Where nothing was written, and there is no default. */
#define WEFT_WANTED_(text, value) (WEFT_MUST_(0, text), value)
#define WEFT_A_TEXT_(s)         _Generic((s), char *: (s), const char *: (s), void *: (s))
#define WEFT_IS_NUMBER_(n) \
    WEFT_MUST_(_Generic((n), float: 0, double: 0, weft_array *: 0, const weft_array *: 0, default: 1), \
               "weft: a number of the text is an int; what is set stands in front of them")
#define WEFT_A_CONTEXT_(c)      _Generic((c), weft_context *: (c), void *: (c))
#ifdef __GNUC__
/* C takes an unsigned for any enum, and WEFT_F16 or WEFT_F32, chosen by ?, are an unsigned in C: what may be
 * a weft_status as well is an unsigned, which is good if there is a ? in it. */
#define WEFT_IS_DTYPE_(t, text) \
    _Generic((t), weft_status: __builtin_strchr(text, '?') != 0, \
             default: _Generic((t), weft_dtype: 1, default: 0))
#define WEFT_A_DTYPE2_(d, t, text)  __extension__ ({ __auto_type t = (d); \
    _Static_assert(WEFT_IS_DTYPE_(t, text), "weft: an element type is wanted here, as WEFT_F32"); t; })
#define WEFT_A_DTYPE_(d)        WEFT_A_DTYPE2_(d, WEFT_CAT_(weft_t, __COUNTER__), WEFT_STR_(d))
#define WEFT_IS_NO_OPTION_(entry) \
    __extension__ WEFT_MUST_(__builtin_strncmp(entry ".", ".", 1), \
                             "weft: options stand last; an axis, a text or an address is wanted here")
/* Each of the first four begins with a dot, up to one with braces, whose commas would part it; those of an
 * op's macro, in which parentheses are around them, do not count. */
#define WEFT_IS_NAMED_(...)     WEFT_ARE_NAMED_(__VA_ARGS__, , , , )
#define WEFT_ARE_NAMED_(a, b, c, d, ...) \
    __extension__ WEFT_MUST_(WEFT_NAMED_(#a, WEFT_NAMED_(#b, WEFT_NAMED_(#c, WEFT_NAMED_(#d, 1)))), \
                             "weft: options have names here, as in .axes = \"0\"")
#define WEFT_NAMED_(entry, others) \
    (!__builtin_strncmp(entry ".", ".", 1) && \
     (__builtin_strncmp(__builtin_strchr(entry "{ __a", '{'), "{ __a", 5) || (others)))
#define WEFT_IS_NO_0_(option, written) \
    __extension__ WEFT_MUST_(__builtin_strncmp(__builtin_strchr(written ",", ','), \
                                               ", " option " = 0", sizeof option + 5), \
                             "weft: a text is wanted, as in " option " = \"0\"")
#define WEFT_AN_ARRAY2_(a, t)   __extension__ ({ __auto_type t = (a); \
    _Static_assert(_Generic(t, weft_array *: 1, const weft_array *: 1, void *: 1, default: 0), \
                   "weft: an array is wanted here, a weft_array *"); t; })
#define WEFT_AN_ARRAY_(a)       WEFT_AN_ARRAY2_(a, WEFT_CAT_(weft_t, __COUNTER__))
#else
#define WEFT_IS_NO_OPTION_(entry) ((void)0)
#define WEFT_IS_NAMED_(...)     ((void)0)
#define WEFT_IS_NO_0_(option, written) ((void)0)
#define WEFT_AN_ARRAY_(a)       (a)
#define WEFT_A_DTYPE_(t)        (WEFT_MUST_(_Generic((t), weft_dtype: 1, default: 0), \
                                            "weft: an element type is wanted here, as WEFT_F32"), (t))
#endif
/* A struct of type T from options with names, which may be none: what stands behind the first argument. */
#define WEFT_OPTIONS_(T, ...) \
    (WEFT_IS_NAMED_(WEFT_TAIL_(__VA_ARGS__, )), (T){ WEFT_TAIL_(__VA_ARGS__, .end_ = 0) })
/* One with texts among its options, for which C takes a 0. Behind the first comma of `written`, the arguments
 * as they are in the call, that does not compile; elsewhere the library finds it there. */
#define WEFT_TEXT_OPTIONS_(T, option, written, ...) \
    (WEFT_IS_NAMED_(WEFT_TAIL_(__VA_ARGS__, )), WEFT_IS_NO_0_(option, written), \
     (T){ WEFT_TAIL_(__VA_ARGS__, .written_ = written) })

/* typeof in C23; gcc, clang, tcc, icx, MSVC 19.39 have it */
#define WEFT_TYPE_(f)    __typeof__(&*(f))
#define WEFT_FN_(f)      ((weft_fn)(f))
#define WEFT_IF_(f, sig) _Generic(&*(f), sig *: (weft_fn)(f))
/* A list of sizes: how many, and an array. No float or pointer is among the 32 that an array may have. */
#define WEFT_INTS2_(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, \
                    q, r, s, t, u, v, w, x, y, z, A, B, C, D, E, F, ...) \
    ((a) | (b) | (c) | (d) | (e) | (f) | (g) | (h) | (i) | (j) | (k) | (l) | (m) | (n) | (o) | (p) | \
     (q) | (r) | (s) | (t) | (u) | (v) | (w) | (x) | (y) | (z) | (A) | (B) | (C) | (D) | (E) | (F))
#define WEFT_INTS_(...) WEFT_INTS2_(__VA_ARGS__, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, \
                                                 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)
#define WEFT_LENGTH_(...) \
    ((int)(sizeof (int64_t[]){ __VA_ARGS__ } / sizeof(int64_t)) + 0 * (int)sizeof(WEFT_INTS_(__VA_ARGS__)) + \
     WEFT_0_IF_(WEFT_NO_TUPLE_(WEFT_FIRST_(__VA_ARGS__)), \
                "weft: sizes are a list, as in 3, 4: C takes (3, 4) for 4"))
#define WEFT_LIST_OF_INTS_(...) ((const int64_t[]){ __VA_ARGS__ })
#define WEFT_DTYPE_ROW_(T, D) T *: D, const T *: D
#define WEFT_DTYPE_OF_(p) _Generic((p), WEFT_DTYPE_ROW_(bool, WEFT_BOOL), \
    WEFT_DTYPE_ROW_(int8_t, WEFT_I8), WEFT_DTYPE_ROW_(int16_t, WEFT_I16), \
    WEFT_DTYPE_ROW_(int32_t, WEFT_I32), WEFT_DTYPE_ROW_(int64_t, WEFT_I64), \
    WEFT_DTYPE_ROW_(uint8_t, WEFT_U8), WEFT_DTYPE_ROW_(uint16_t, WEFT_U16), \
    WEFT_DTYPE_ROW_(uint32_t, WEFT_U32), WEFT_DTYPE_ROW_(uint64_t, WEFT_U64), \
    WEFT_COMPLEX_ROWS_(WEFT_DTYPE_ROW_) WEFT_DTYPE_ROW_(float, WEFT_F32), WEFT_DTYPE_ROW_(double, WEFT_F64))

/* Field f of struct T is a C, or an array of them: kind; else it does not compile. */
#define WEFT_MANY_(T, f, C)     C (*)[(sizeof(((T *)0)->f) + sizeof(C) - 1) / sizeof(C)]
#define WEFT_IS_(T, f, C, kind) _Generic(&((T *)0)->f, C *: (kind), WEFT_MANY_(T, f, C): (kind))
#define WEFT_IS_ONE_(T, f, C, kind) _Generic(&((T *)0)->f, C *: (kind))
#define WEFT_INT_ROW_(T, f, C)  C *: WEFT_INT_(C), WEFT_MANY_(T, f, C): WEFT_INT_(C)
#define WEFT_NUMBER_OF_(T, f)   _Generic(&((T *)0)->f, bool *: WEFT_BOOL, WEFT_MANY_(T, f, bool): WEFT_BOOL, \
    WEFT_INT_ROW_(T, f, char), WEFT_INT_ROW_(T, f, signed char), WEFT_INT_ROW_(T, f, unsigned char), \
    WEFT_INT_ROW_(T, f, short), WEFT_INT_ROW_(T, f, unsigned short), WEFT_INT_ROW_(T, f, int), \
    WEFT_INT_ROW_(T, f, unsigned), WEFT_INT_ROW_(T, f, long), WEFT_INT_ROW_(T, f, unsigned long), \
    WEFT_INT_ROW_(T, f, long long), WEFT_INT_ROW_(T, f, unsigned long long), \
    float *: WEFT_F32, WEFT_MANY_(T, f, float): WEFT_F32, \
    double *: WEFT_F64, WEFT_MANY_(T, f, double): WEFT_F64)
#define WEFT_COUNT_OF_(T, f)    _Generic(((T *)0)->f, char: WEFT_INT_(char), \
    signed char: WEFT_I8, unsigned char: WEFT_U8, short: WEFT_INT_(short), \
    unsigned short: WEFT_INT_(unsigned short), int: WEFT_INT_(int), unsigned: WEFT_INT_(unsigned), \
    long: WEFT_INT_(long), unsigned long: WEFT_INT_(unsigned long), \
    long long: WEFT_I64, unsigned long long: WEFT_U64)
#define WEFT_PTR_(T, p)         _Generic((p), T *: (p), const T *: (p))
#define WEFT_LATER_(T)          static const weft_tree T##_tree
#define WEFT_STRUCT(T, ...) \
    static const weft_tree T##_tree; \
    static const weft_field T##_fields[] = { __VA_ARGS__ }; \
    static const weft_tree T##_tree WEFT_UNUSED_ = \
        { #T, sizeof(T), sizeof T##_fields / sizeof T##_fields[0], T##_fields }
#else
static inline weft_operand weft_arg(const weft_array *a) { return weft_of_array(a); }
template <class N, class = std::enable_if_t<std::is_arithmetic<N>::value>> inline weft_operand weft_arg(N n) {
    if constexpr (std::is_same<N, bool>::value) return weft_of_bool(n);
    else if constexpr (std::is_floating_point<N>::value) return weft_of_float((double)n);
    else if constexpr (std::is_unsigned<N>::value) return weft_of_uint(n);
    else return weft_of_int(n);
}
/* std::complex<float> and std::complex<double> */
template <class Z, class R = typename Z::value_type>
inline std::enable_if_t<std::is_same<Z, std::complex<R>>::value, weft_operand> weft_arg(Z z) {
    return weft_of_parts((double)z.real(), (double)z.imag());
}
inline weft_array *weft_scalar_any_(weft_context *ctx, double v, const char *at) {
    return weft_scalar_(ctx, v, at); }
inline weft_array *weft_scalar_as_any_(weft_context *ctx, weft_dtype t, double v, const char *at) {
    return weft_scalar_as_(ctx, t, v, at); }
template <class R> inline weft_array *weft_scalar_any_(weft_context *ctx, std::complex<R> z, const char *at) {
    return weft_scalar_complex_(ctx, (double)z.real(), (double)z.imag(), at); }
template <class R>
inline weft_array *weft_scalar_as_any_(weft_context *ctx, weft_dtype t, std::complex<R> z, const char *at) {
    return weft_scalar_parts_(ctx, t, (double)z.real(), (double)z.imag(), at); }
#define WEFT_SCALAR_(v)     weft_scalar_any_
#define WEFT_SCALAR_AS_(v)  weft_scalar_as_any_
template <bool yes, class = std::enable_if_t<yes>>
struct weft_a_list_not_a_tuple_ { static constexpr int zero = 0; };
template <int Length> struct weft_ints_ { static constexpr int length = Length; int64_t n[Length + 1]; };
template <class N> constexpr bool weft_is_int_ =
    std::is_convertible<N, int64_t>::value && !std::is_floating_point<N>::value;
template <class... N, class = std::enable_if_t<(true && ... && weft_is_int_<N>)>>
inline weft_ints_<(int)sizeof...(N)> weft_ints_of_(N... n) { return { { (int64_t)n..., 0 } }; }
template <class T> constexpr weft_dtype weft_dtype_of_c_() {
    constexpr bool is_complex =
        std::is_same<T, std::complex<float>>::value || std::is_same<T, std::complex<double>>::value;
    static_assert(is_complex || (std::is_arithmetic<T>::value && sizeof(T) <= 8),
                  "weft has no element type for this C++ type");
    constexpr size_t n = sizeof(T);
    return is_complex ? (n == 8 ? WEFT_C64 : WEFT_C128) : std::is_same<T, bool>::value ? WEFT_BOOL
         : std::is_floating_point<T>::value ? (n == 4 ? WEFT_F32 : WEFT_F64)
         : std::is_unsigned<T>::value ? (n == 1 ? WEFT_U8 : n == 2 ? WEFT_U16 : n == 4 ? WEFT_U32 : WEFT_U64)
         : (n == 1 ? WEFT_I8 : n == 2 ? WEFT_I16 : n == 4 ? WEFT_I32 : WEFT_I64); }
template <class F, class C> constexpr int weft_is_(int kind) {
    static_assert(std::is_same<F, C>::value ||
                      std::is_same<F, C[sizeof(F) < sizeof(C) ? 1 : sizeof(F) / sizeof(C)]>::value,
                  "the field is not of the type that its description says");
    return kind; }
template <class F, class C> constexpr int weft_is_one_(int kind) {
    static_assert(std::is_same<F, C>::value, "the field is not of the type that its description says");
    return kind; }
template <class E> constexpr weft_dtype weft_number_of_() {
    if constexpr (std::is_enum<E>::value) return weft_dtype_of_c_<std::underlying_type_t<E>>();
    else return weft_dtype_of_c_<E>(); }
template <class E> constexpr weft_dtype weft_count_of_() {
    static_assert(std::is_integral<E>::value && !std::is_same<E, bool>::value, "a count is an integer field");
    return weft_dtype_of_c_<E>(); }
template <class T> inline T *weft_ptr_(std::common_type_t<T> *p) { return p; }
template <class T> inline const T *weft_ptr_(const std::common_type_t<T> *p) { return p; }
#define WEFT_IS_(T, f, C, kind)     weft_is_<decltype(((T *)nullptr)->f), C>(kind)
#define WEFT_IS_ONE_(T, f, C, kind) weft_is_one_<decltype(((T *)nullptr)->f), C>(kind)
#define WEFT_NUMBER_OF_(T, f)       weft_number_of_<std::remove_extent_t<decltype(((T *)nullptr)->f)>>()
#define WEFT_COUNT_OF_(T, f)        weft_count_of_<decltype(((T *)nullptr)->f)>()
#define WEFT_PTR_(T, p)             weft_ptr_<T>(p)
/* C++ has no tentative definitions; what is declared extern in an unnamed namespace is as private as
 * static. */
#define WEFT_LATER_(T)              namespace { extern const weft_tree T##_tree; } static_assert(true, "")
#define WEFT_STRUCT(T, ...) \
    namespace { \
    extern const weft_tree T##_tree; \
    const weft_field T##_fields[] = { __VA_ARGS__ }; \
    const weft_tree T##_tree WEFT_UNUSED_ = \
        { #T, sizeof(T), sizeof T##_fields / sizeof T##_fields[0], T##_fields }; \
    } static_assert(true, "")
static inline const char *weft_text_(const char *s) { return s; }
const char *weft_text_(int) = delete;     /* 0 is no text, though C++ takes it for a NULL pointer */
/* The text of an option. nullptr is none either: an option that is not wanted is left out. */
struct weft_option_text_ {
    const char *text;
    weft_option_text_(const char *s) : text(s) {}
    weft_option_text_(int) = delete;
    weft_option_text_(std::nullptr_t) = delete;
};
#define WEFT_IS_NUMBER_(n)  ((void)0)                           /* weft_ints_of_ looks at it */
#define WEFT_IS_NO_OPTION_(entry) ((void)0)                     /* which have types of their own */
#define WEFT_WANTED_(text, value) ([] { static_assert(!sizeof(int), text); }(), value)
#define WEFT_ARG_(v)     weft_arg(v)
#define WEFT_AN_ARRAY_(a)   (a)
#define WEFT_A_CONTEXT_(c)  (c)
#define WEFT_A_DTYPE_(t)    (t)
#define WEFT_A_TEXT_(s)     weft_text_(s)
#define WEFT_TYPE_(f)    decltype(&*(f))
#define WEFT_FN_(f)      reinterpret_cast<weft_fn>(f)
#define WEFT_IF_(f, sig) reinterpret_cast<weft_fn>(static_cast<sig *>(f))
#define WEFT_LENGTH_(...) decltype(weft_ints_of_(__VA_ARGS__))::length + \
    weft_a_list_not_a_tuple_<WEFT_NO_TUPLE_(WEFT_FIRST_(__VA_ARGS__))>::zero
#define WEFT_LIST_OF_INTS_(...) weft_ints_of_(__VA_ARGS__).n
#define WEFT_DTYPE_OF_(p) \
    weft_dtype_of_c_<std::remove_cv_t<std::remove_pointer_t<std::decay_t<decltype(p)>>>>()
#endif

/* The first of some arguments, which is no option: an axis, a text. */
#define WEFT_AXIS_(...) \
    WEFT_AN_INT_((WEFT_IS_NO_OPTION_(WEFT_STR_(WEFT_FIRST_(__VA_ARGS__))), WEFT_FIRST_(__VA_ARGS__)))
#define WEFT_TEXT_(...) \
    (WEFT_IS_NO_OPTION_(WEFT_STR_(WEFT_FIRST_(__VA_ARGS__))), WEFT_A_TEXT_(WEFT_FIRST_(__VA_ARGS__)))
#define WEFT_SHAPE_(...) WEFT_LENGTH_(__VA_ARGS__), WEFT_LIST_OF_INTS_(__VA_ARGS__)
/* WEFT_DIMS_(2, 3, 0) is the rank 2 and the sizes 2 and 3: the 0 keeps the list from being empty. */
#define WEFT_DIMS_(...)  WEFT_LENGTH_(__VA_ARGS__) - 1, WEFT_LIST_OF_INTS_(__VA_ARGS__)

/* The rows of weft/tree.h. */
#define WEFT_INT_(C) \
    ((C)-1 < (C)1 \
     ? (sizeof(C) == 1 ? WEFT_I8 : sizeof(C) == 2 ? WEFT_I16 : sizeof(C) == 4 ? WEFT_I32 : WEFT_I64) \
     : (sizeof(C) == 1 ? WEFT_U8 : sizeof(C) == 2 ? WEFT_U16 : sizeof(C) == 4 ? WEFT_U32 : WEFT_U64))
#define WEFT_FIELD_(T, f, kind, number, tree, count_offset, count_name) \
    { #f, offsetof(T, f), sizeof(((T *)0)->f), kind, number, tree, count_offset, count_name }
#define WEFT_COUNTED_(T, f, C, kind, tree, n) \
    WEFT_FIELD_(T, f, WEFT_IS_ONE_(T, f, C *, kind), WEFT_COUNT_OF_(T, n), tree, offsetof(T, n), #n)
#define WEFT_STRUCT_LATER(T) WEFT_LATER_(T)
#endif
