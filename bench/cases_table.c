/* cases_table.c: the table of cases.def, which is read twice: for f32, and for the twins on f64. */
#include "cases.h"

#define CASE(name, f, ...) \
    weft_array *call_##f(weft_context *, bool compiled, weft_array **in, weft_array **out);
#define BOTH CASE
#include "cases.def"
#undef CASE
#undef BOTH

/* clang-format off */

/* Operands: of REAL, but what says another type. */
#define OF(type, fill, rank, ...) { type, fill, rank, { __VA_ARGS__ } }
#define SCALAR        OF(REAL, FILL_UNIT, 0, 0)
#define V(n)          OF(REAL, FILL_UNIT, 1, n)
#define P(n)          OF(REAL, FILL_POSITIVE, 1, n)
#define X(n)          OF(REAL, FILL_CENTRED, 1, n)
#define RAMP(n)       OF(REAL, FILL_RAMP, 1, n)
#define M(n, m)       OF(REAL, FILL_UNIT, 2, n, m)
#define C(n, m)       OF(REAL, FILL_CENTRED, 2, n, m)
#define S(n, m)       OF(REAL, FILL_SMALL, 2, n, m)
#define SQUARES(n)    IN(C(n, n), C(n, n))
#define PIXELS        OF(REAL, FILL_PIXEL, 2, 1797, 64)
#define T(n, m, k)    OF(REAL, FILL_CENTRED, 3, n, m, k)
#define IMAGES(n)     OF(REAL, FILL_UNIT, 3, n, 64, 64)
#define Q(n, m, k, l) OF(REAL, FILL_UNIT, 4, n, m, k, l)
#define W(n, m, k, l) OF(REAL, FILL_CENTRED, 4, n, m, k, l)
#define LABELS(rank, ...) OF(REAL, FILL_ONE_HOT, rank, __VA_ARGS__)
#define NET           C(64, 32), X(32), C(32, 10), X(10)
#define NETS          T(16, 64, 32), C(16, 32), T(16, 32, 10), C(16, 10)
#define MASK(n)       OF(WEFT_BOOL, FILL_MASK, 1, n)
#define KEY           OF(WEFT_U32, FILL_INDEX, 1, 2)
#define INTS(...)     OF(WEFT_I32, FILL_INDEX, RANK(__VA_ARGS__), __VA_ARGS__)
#define COLUMNS(...)  OF(WEFT_I32, FILL_PIXEL, RANK(__VA_ARGS__), __VA_ARGS__)
#define D(...)        OF(WEFT_F64, FILL_UNIT, RANK(__VA_ARGS__), __VA_ARGS__)
#define BYTES(...)    OF(WEFT_U8, FILL_BYTE, RANK(__VA_ARGS__), __VA_ARGS__)
#define LEVELS        D(180, 180, 160)
#define Z(...)        OF(WEFT_C64, FILL_CENTRED, RANK(__VA_ARGS__), __VA_ARGS__)
#define WIND          OF(WEFT_F64, FILL_SMALL, 3, 181, 180, 160)
#define SALT          OF(WEFT_F64, FILL_SALT, 3, 200, 200, 25)
#define CELSIUS       OF(WEFT_F64, FILL_CELSIUS, 3, 200, 200, 25)
#define DBAR          OF(WEFT_F64, FILL_DBAR, 3, 1, 1, 25)
#define RANK(...)     (sizeof((const int[]){ __VA_ARGS__ }) / sizeof(int))

#define IN(...)  .in = { __VA_ARGS__ }, .n_in = sizeof((const Spec[]){ __VA_ARGS__ }) / sizeof(Spec)
#define OUT(...) .out = { __VA_ARGS__ }, .n_out = sizeof((const Spec[]){ __VA_ARGS__ }) / sizeof(Spec)

/* What else is to be known. */
#define PLAIN         .natural = false
#define NATURAL       .natural = true
#define NO_LOOP       .no_loop = true
#define MATH(f)       .math = #f
#define PRODUCT(kind) .product = PRODUCT_##kind
#define FOURIER(axes) .no_loop = true, .fourier = (axes)

/* Operations. */
#define UNKNOWN   -1
#define CUBE(n)   (2. * (n) * (n) * (n))
#define CONV(b)   (2. * (b) * 56 * 56 * 64) /* by the products of one window */
#define SGD       (128. * (2 * 64 * 32 + 3 * 32 * 10))
#define SIN_F64   34
#define LOG_F64   32
#define ATAN2_F64 42

#define ROW(name_, f, in_, out_, tolerance_, flops_, known) \
    { #name_ SUFFIX, in_, out_, .call = call_##f, .tolerance = (tolerance_) * ROUNDING, .flops = flops_, \
      known },
#define CASE ROW
#define BOTH ROW
const Case cases[] = {
#define REAL     WEFT_F32
#define SUFFIX   ""
#define ROUNDING 1
#define EXP      21
#define LOG      24
#define SIN      23
#define TANH     32
#define ERF      39
#include "cases.def"
#undef REAL
#undef SUFFIX
#undef ROUNDING
#undef EXP
#undef LOG
#undef SIN
#undef TANH
#undef ERF
#undef CASE
#define CASE(...)
#define REAL     WEFT_F64
#define SUFFIX   "_f64"
#define ROUNDING 1e-8
#define EXP      33
#define LOG      LOG_F64
#define SIN      SIN_F64
#define TANH     59
#define ERF      84
#include "cases.def"
};
/* clang-format on */
const int n_cases = sizeof cases / sizeof *cases;

int64_t spec_count(const Spec *s)
{
    int64_t n = s->dtype == WEFT_C64 ? 2 : 1;
    for (int d = 0; d < s->rank; d++) n *= s->dim[d];
    return n;
}

size_t spec_bytes(const Spec *s)
{
    size_t each = s->dtype == WEFT_F64 ? 8 : s->dtype == WEFT_BOOL || s->dtype == WEFT_U8 ? 1 : 4;
    return (size_t)spec_count(s) * each;
}

bool case_is_f64(const Case *c) { return c->in[0].dtype == WEFT_F64; }
