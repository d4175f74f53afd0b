/* decimal.c: decimal text to floats and back.
 *
 * Reading is exact by plain long arithmetic: the number is a ratio N / M of big integers (M or the factor in
 * N a power of ten); it is scaled by a power of two to 1 <= N / M < 2, and then 64 binary digits and whether
 * anything remains are read off by repeated subtraction and doubling. Rounding to the type happens once, from
 * those. Digits after the 800th can only matter as "more than zero": a tie between two doubles has at most
 * 767.
 *
 * Printing tries growing precisions until reading returns the same bits.
 */
#include <stdio.h>
#include <string.h>
#include "decimal.h"

enum { MAX_DIGITS = 800, LIMBS = 160 }; /* 160 * 32 bits hold 10^(800 + 400) and 64 bits more */
typedef struct Big {
    uint32_t limb[LIMBS];
    int n;
} Big;

static void big_multiply_add(Big *a, uint32_t factor, uint32_t addend)
{
    uint64_t carry = addend;
    for (int i = 0; i < a->n; i++) {
        carry += (uint64_t)a->limb[i] * factor;
        a->limb[i] = (uint32_t)carry;
        carry >>= 32;
    }
    if (carry && a->n < LIMBS) a->limb[a->n++] = (uint32_t)carry;
}

static void big_times_power_of_ten(Big *a, int e)
{
    for (; e >= 9; e -= 9) big_multiply_add(a, 1000000000, 0);
    for (; e > 0; e--) big_multiply_add(a, 10, 0);
}

static int big_bits(const Big *a) { return a->n ? 32 * a->n - __builtin_clz(a->limb[a->n - 1]) : 0; }

static void big_shift_left(Big *a, int by)
{
    for (; by >= 31; by -= 31) big_multiply_add(a, 1u << 31, 0);
    if (by > 0) big_multiply_add(a, 1u << by, 0);
}

static int big_compare(const Big *a, const Big *b)
{
    if (a->n != b->n) return a->n < b->n ? -1 : 1;
    for (int i = a->n; i-- > 0;)
        if (a->limb[i] != b->limb[i]) return a->limb[i] < b->limb[i] ? -1 : 1;
    return 0;
}

/* a -= b, where a >= b */
static void big_subtract(Big *a, const Big *b)
{
    int64_t borrow = 0;
    for (int i = 0; i < a->n; i++) {
        borrow += (int64_t)a->limb[i] - (i < b->n ? b->limb[i] : 0);
        a->limb[i] = (uint32_t)borrow;
        borrow >>= 32;
    }
    while (a->n && !a->limb[a->n - 1]) a->n--;
}

/* The number as written: 0.d1d2d3... times ten to the point. */
typedef struct Decimal {
    uint8_t digit[MAX_DIGITS + 1];
    int n;
    int64_t point;
    bool negative;
} Decimal;

static void add_digit(Decimal *d, int digit, bool fraction)
{
    if (!fraction) d->point++;
    if (d->n == 0 && digit == 0) d->point--;
    else if (d->n < MAX_DIGITS) d->digit[d->n++] = (uint8_t)digit;
    else if (digit) {
        d->digit[MAX_DIGITS] = 1;
        d->n = MAX_DIGITS + 1;
    }
}

static bool scan(const char *s, size_t n, Decimal *d)
{
    const char *end = s + n;
    bool any = false, fraction = false;
    memset(d, 0, sizeof *d);
    if (s < end && *s == '-') {
        d->negative = true;
        s++;
    }
    for (; s < end && ((*s >= '0' && *s <= '9') || (*s == '.' && !fraction)); s++) {
        if (*s == '.') {
            fraction = true;
            continue;
        }
        any = true;
        add_digit(d, *s - '0', fraction);
    }
    if (!any) return false;
    if (s == end) return true;
    if ((*s++ | 32) != 'e') return false;
    bool minus = s < end && *s == '-';
    if (s < end && (*s == '-' || *s == '+')) s++;
    if (s == end) return false;
    int64_t e = 0;
    for (; s < end && *s >= '0' && *s <= '9'; s++)
        if (e < 100000000) e = 10 * e + (*s - '0');
    d->point += minus ? -e : e;
    return s == end;
}

typedef struct FloatFormat {
    int precision, bias;
} FloatFormat; /* bits of the significand, the leading one included */

static FloatFormat format_of(DType t)
{
    return (FloatFormat){ dtype_info[t].mantissa_bits + 1, dtype_bias(t) };
}

/* The value q * 2^(e - 63) rounded to nearest even. q's top bit is set; more: something remains below q. */
static uint64_t round_to(FloatFormat f, uint64_t q, int e, bool more)
{
    uint64_t infinity = (uint64_t)(2 * f.bias + 1) << (f.precision - 1);
    if (e > f.bias) return infinity;
    int least = 1 - f.bias, keep = e < least ? f.precision - (least - e) : f.precision;
    if (keep < 0) return 0;
    uint64_t kept = keep ? q >> (64 - keep) : 0, rest = q << keep, half = (uint64_t)1 << 63;
    if (rest > half || (rest == half && (more || (kept & 1)))) kept++;
    /* A carry out of the significand runs into the exponent, as it should. */
    uint64_t bits = e < least ? kept : ((uint64_t)(e + f.bias - 1) << (f.precision - 1)) + kept;
    return bits < infinity ? bits : infinity;
}

static uint64_t magnitude(const Decimal *d, FloatFormat f)
{
    if (d->n == 0 || d->point < -400) return 0;
    if (d->point > 400) return (uint64_t)(2 * f.bias + 1) << (f.precision - 1);
    Big num = { .n = 0 }, den = { .limb = { 1 }, .n = 1 };
    for (int i = 0; i < d->n; i++) big_multiply_add(&num, 10, d->digit[i]);
    int e10 = (int)d->point - d->n;
    big_times_power_of_ten(e10 >= 0 ? &num : &den, e10 >= 0 ? e10 : -e10);
    int e = big_bits(&num) - big_bits(&den);
    if (e > 0) big_shift_left(&den, e);
    else big_shift_left(&num, -e);
    if (big_compare(&num, &den) < 0) {
        big_shift_left(&num, 1);
        e--;
    }
    uint64_t q = 0;
    for (int i = 0; i < 64; i++) {
        q <<= 1;
        if (big_compare(&num, &den) >= 0) {
            big_subtract(&num, &den);
            q |= 1;
        }
        big_shift_left(&num, 1);
    }
    return round_to(f, q, e, num.n != 0);
}

bool decimal_parse(const char *text, size_t n, DType t, uint64_t *bits)
{
    Decimal d;
    if (!scan(text, n, &d)) return false;
    FloatFormat f = format_of(t);
    *bits = magnitude(&d, f) | (d.negative ? (uint64_t)1 << (dtype_bits(t) - 1) : 0);
    return true;
}

/* printf's text, with a point in place of the locale's separator. */
static int print_digits(char out[DECIMAL_SIZE], int precision, double v)
{
    char raw[DECIMAL_SIZE + 16], *s = raw, *to = out;
    snprintf(raw, sizeof raw, "%.*e", precision, v);
    if (*s == '-') *to++ = *s++;
    *to++ = *s++;
    *to++ = '.';
    while (*s < '0' || *s > '9') s++;
    while (*s) *to++ = *s++;
    *to = 0;
    return (int)(to - out);
}

static void print_hex(char out[DECIMAL_SIZE], DType t, uint64_t bits)
{
    *out++ = '0';
    *out++ = 'x';
    for (int shift = dtype_bits(t) - 4; shift >= 0; shift -= 4)
        *out++ = "0123456789ABCDEF"[bits >> shift & 15];
    *out = 0;
}

void decimal_print(char out[DECIMAL_SIZE], DType t, uint64_t bits)
{
    FloatFormat f = format_of(t);
    uint64_t special = (uint64_t)(2 * f.bias + 1) << (f.precision - 1),
             sign = (uint64_t)1 << (dtype_bits(t) - 1);
    if ((bits & (sign - 1)) >= special) {
        print_hex(out, t, bits);
        return;
    }
    uint64_t back = ~bits;
    for (int precision = 6; back != bits && precision < 18; precision++) {
        int n = print_digits(out, precision, scalar_to_double(t, bits));
        decimal_parse(out, (size_t)n, t, &back);
    }
}
