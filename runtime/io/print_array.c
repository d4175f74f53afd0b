/* print_array.c: arrays as NumPy prints them (numpy.set_printoptions' defaults: precision 8, line width 75,
 * threshold 1000, 3 items at each edge).
 *
 * A first walk over the elements that will be shown chooses one format for all of them: for floats whether
 * exponents are needed and how many characters stand before and after the point; for ints the width. A second
 * walk writes them. Digits are the fewest that give the same number back in its own type, at most 8 after the
 * point.
 */
#include <fenv.h>
#include <inttypes.h>
#include <locale.h>
#include <math.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "runtime/memory/array.h"
#include "runtime/trace/op.h"
#include "runtime/memory/stack.h"
#include "runtime/trace/trace.h"

enum { PRECISION = 8, LINE_WIDTH = 75, THRESHOLD = 1000, EDGE = 3, WORD = 400, DIGITS = 384 };

/* Where text goes: a file, or the first size bytes of a buffer. */
typedef struct TextSink {
    FILE *file;
    char *text;
    size_t size, length;
} TextSink;

static void put_char(TextSink *s, char c)
{
    if (s->file) fputc(c, s->file);
    else if (s->length + 1 < s->size) s->text[s->length] = c;
    s->length++;
}

static void put_text(TextSink *s, const char *text)
{
    while (*text) put_char(s, *text++);
}

static void put_spaces(TextSink *s, int n)
{
    while (n-- > 0) put_char(s, ' ');
}

/* How floats are written. */
typedef struct FloatFormat {
    bool plus; /* with a sign in any case: imaginary parts */
    bool exponents;
    int left, right, exponent_digits; /* characters before the point, after it, of the exponent */
    bool any_finite, any_negative_inf, any_special;
    double least, greatest; /* |finite, not zero| */
} FloatFormat;

typedef struct ArrayPrinter {
    const weft_array *a;
    DType dtype;         /* of the parts, if elements are complex */
    int parts;           /* numbers in an element */
    bool summary;        /* only EDGE items at each end of long axes */
    int width;           /* ints, bools */
    FloatFormat part[2]; /* floats; real and imaginary parts */
    int seen;            /* the part that a walk looks at */
} ArrayPrinter;

/* ---- one float ---- */

static double value_at(const ArrayPrinter *p, int64_t i, int part)
{
    const char *data = p->a->data;
    return scalar_to_double(
        p->dtype, scalar_load(p->dtype, data + (size_t)(i * p->parts + part) * dtype_bytes(p->dtype)));
}

static bool gives_back(DType t, double v, const char *text)
{
    if (t == WEFT_F32) return strtof(text, NULL) == (float)v;
    double read = strtod(text, NULL);
    return t == WEFT_F64 ? read == v : scalar_from_double(t, read) == scalar_from_double(t, v);
}

/* "-1.25e+10" with the fewest digits that give v back; returns the digits after the point. */
static int shortest(DType t, double v, char *text)
{
    for (int n = 0;; n++) {
        snprintf(text, DIGITS, "%.*e", n, v);
        if (n >= 16 || gives_back(t, v, text)) return n;
    }
}

static void trim_zeros(char *text)
{
    size_t n = strlen(text);
    while (n && text[n - 1] == '0') text[--n] = '\0';
}

/* The pieces of a number: "-1.", "25", "+10" of -1.25e+10. The point stays with the first. */
typedef struct FloatText {
    char whole[WORD], fraction[WORD], exponent[WORD];
} FloatText;

/* "-12.50" or "-1.25" in pieces, without zeros at the end. */
static void split_point(char *text, FloatText *f)
{
    char *point = strchr(text, '.');
    snprintf(f->fraction, WORD, "%s", point ? point + 1 : "");
    trim_zeros(f->fraction);
    if (point) *point = '\0';
    snprintf(f->whole, WORD, "%s.", text);
}

/* At most `most` digits after the point. */
static void positional(DType t, double v, int most, FloatText *f)
{
    char text[DIGITS];
    int digits = shortest(t, v, text) - atoi(strchr(text, 'e') + 1);
    if (digits < 0) digits = 0;
    if (digits > most) digits = most;
    snprintf(text, sizeof text, "%.*f", digits, v);
    split_point(text, f);
    *f->exponent = '\0';
}

static void scientific(DType t, double v, int most, FloatText *f)
{
    char text[DIGITS];
    if (shortest(t, v, text) > most) snprintf(text, sizeof text, "%.*e", most, v);
    char *e = strchr(text, 'e');
    snprintf(f->exponent, WORD, "%s", e + 1);
    *e = '\0';
    split_point(text, f);
}

/* Ten to the decimal digits that the type holds, at most 1e8. */
static double positional_below(DType t) { return t == WEFT_F64 ? 1e8 : t == WEFT_F16 ? 1e3 : 1e6; }

static int wider(int a, size_t b) { return a > (int)b ? a : (int)b; }
static const char *special_text(double v) { return isnan(v) ? "nan" : v < 0 ? "-inf" : "inf"; }

/* A scalar prints like Python's float: all its digits, exponents below 1e-4 and from 1e16 (narrower types:
 * from what they hold). */
static void format_scalar(DType t, double v, char *text)
{
    FloatText f;
    double size = fabs(v);
    if (!isfinite(v)) snprintf(text, WORD, "%s", special_text(v));
    else if (size == 0 || (size < (t == WEFT_F64 ? 1e16 : positional_below(t)) && size >= 1e-4)) {
        positional(t, v, WORD, &f);
        snprintf(text, WORD, "%.200s%.150s", f.whole, *f.fraction ? f.fraction : "0");
    } else {
        scientific(t, v, 20, &f);
        if (!*f.fraction) f.whole[strlen(f.whole) - 1] = '\0';
        snprintf(text, WORD, "%.100s%.100se%.20s", f.whole, f.fraction, f.exponent);
    }
}

/* text with + in front, unless it has its - */
static void add_sign(char *text)
{
    if (*text == '-') return;
    memmove(text + 1, text, strlen(text) + 1);
    *text = '+';
}

static void format_float(DType t, const FloatFormat *p, double v, char *text)
{
    FloatText f;
    char digits[WORD];
    if (!isfinite(v)) {
        snprintf(digits, sizeof digits, "%s", special_text(v));
        if (p->plus) add_sign(digits);
        snprintf(text, WORD, "%*.300s", p->left + p->right, digits);
    } else if (p->exponents) {
        snprintf(digits, sizeof digits, "%.*e", p->right - p->exponent_digits - 2, v);
        if (p->plus) add_sign(digits);
        char *e = strchr(digits, 'e');
        int zeros = p->exponent_digits + 1 - (int)strlen(e + 1), before = (int)strcspn(digits, ".e");
        const char *point = strchr(digits, '.') ? "" : ".";
        snprintf(text, WORD, "%*s%.*s%se%c%.*s%.20s", p->left - before - 1, "", (int)(e - digits), digits,
                 point, e[1], zeros > 0 ? zeros : 0, "0000", e + 2);
    } else {
        positional(t, v, PRECISION, &f);
        if (p->plus) add_sign(f.whole);
        snprintf(text, WORD, "%*.200s%-*.150s", p->left, f.whole, p->right, f.fraction);
    }
}

/* The imaginary part ends in j, in front of the spaces that fill it up. */
static void format_complex(const ArrayPrinter *p, int64_t i, char *text)
{
    char im[WORD];
    format_float(p->dtype, &p->part[0], value_at(p, i, 0), text);
    format_float(p->dtype, &p->part[1], value_at(p, i, 1), im);
    size_t end = strlen(im), used = strlen(text);
    while (end && im[end - 1] == ' ') end--;
    snprintf(text + used, WORD - used, "%.*sj%.50s", (int)end, im, im + end);
}

/* As Python's complex: (1+2j), without a real part that is 0, and without ".0". */
static void format_complex_scalar(const ArrayPrinter *p, char *text)
{
    char part[2][WORD];
    double v[] = { value_at(p, 0, 0), value_at(p, 0, 1) };
    for (int k = 0; k < 2; k++) {
        format_scalar(p->dtype, v[k], part[k]);
        size_t n = strlen(part[k]);
        if (n > 2 && !strcmp(part[k] + n - 2, ".0")) part[k][n - 2] = '\0';
    }
    bool alone = v[0] == 0 && !signbit(v[0]);
    if (!alone) add_sign(part[1]);
    snprintf(text, WORD, "%s%.180s%.180sj%s", alone ? "" : "(", alone ? "" : part[0], part[1],
             alone ? "" : ")");
}

/* ---- any element ---- */

/* A bool or an int. */
static void format_whole(const ArrayPrinter *p, int64_t i, int width, char *text)
{
    const char *data = p->a->data;
    uint64_t bits = scalar_load(p->dtype, data + (size_t)i * dtype_bytes(p->dtype));
    if (p->dtype == WEFT_BOOL) snprintf(text, WORD, "%*s", width, bits ? "True" : "False");
    else if (p->dtype == WEFT_U64) snprintf(text, WORD, "%*" PRIu64, width, bits);
    else snprintf(text, WORD, "%*" PRId64, width, scalar_to_i64(p->dtype, bits));
}

static void format_element(const ArrayPrinter *p, int64_t i, char *text)
{
    if (p->parts == 2) format_complex(p, i, text);
    else if (dtype_is_float(p->dtype)) format_float(p->dtype, &p->part[0], value_at(p, i, 0), text);
    else format_whole(p, i, p->width, text);
}

/* ---- the walk over what is shown ---- */

typedef void Visit(ArrayPrinter *, int64_t index);

static bool is_cut(const ArrayPrinter *p, int axis) { return p->summary && p->a->dim[axis] > 2 * EDGE; }

static void walk(ArrayPrinter *p, int axis, int64_t index, Visit *visit)
{
    if (axis == p->a->rank) {
        visit(p, index);
        return;
    }
    int64_t n = p->a->dim[axis];
    for (int64_t i = 0; i < n; i++) {
        if (is_cut(p, axis) && i == EDGE) i = n - EDGE;
        walk(p, axis + 1, index * n + i, visit);
    }
}

static void see_range(ArrayPrinter *p, int64_t i)
{
    FloatFormat *f = &p->part[p->seen];
    double v = value_at(p, i, p->seen), size = fabs(v);
    if (!isfinite(v)) {
        f->any_special = true;
        f->any_negative_inf |= isinf(v) && v < 0;
        return;
    }
    f->any_finite = true;
    if (size == 0) return;
    if (f->greatest == 0 || size < f->least) f->least = size;
    if (size > f->greatest) f->greatest = size;
}

/* right: digits of the fraction for now. */
static void see_digits(ArrayPrinter *p, int64_t i)
{
    FloatText text;
    FloatFormat *f = &p->part[p->seen];
    double v = value_at(p, i, p->seen);
    if (!isfinite(v)) return;
    (f->exponents ? scientific : positional)(p->dtype, v, PRECISION, &text);
    if (f->plus) add_sign(text.whole);
    f->left = wider(f->left, strlen(text.whole));
    f->right = wider(f->right, strlen(text.fraction));
    if (f->exponents) f->exponent_digits = wider(f->exponent_digits, strlen(text.exponent) - 1);
}

static void see_int(ArrayPrinter *p, int64_t i)
{
    char text[WORD];
    format_whole(p, i, 0, text);
    p->width = wider(p->width, strlen(text));
}

/* Comparisons are made in the elements' own type, as NumPy's are. */
static double in_type(DType t, double v) { return scalar_to_double(t, scalar_from_double(t, v)); }

static void choose_float(ArrayPrinter *p, int part)
{
    DType t = p->dtype;
    FloatFormat *f = &p->part[p->seen = part];
    walk(p, 0, 0, see_range);
    f->exponents = f->greatest > 0 && (f->greatest >= positional_below(t) || f->least < in_type(t, 0.0001) ||
                                       in_type(t, f->greatest / f->least) > 1000);
    if (f->any_finite) walk(p, 0, 0, see_digits);
    else f->left = 1;
    if (f->exponents) f->right += f->exponent_digits + 2;
    int special = 3 + (f->any_negative_inf || f->plus); /* "nan", "-inf" */
    if (f->any_special && special > f->left + f->right) f->left = special - f->right;
}

static void choose(ArrayPrinter *p)
{
    p->summary = p->a->count > THRESHOLD;
    p->part[1].plus = true;
    if (dtype_is_float(p->dtype))
        for (int part = 0; part < p->parts; part++) choose_float(p, part);
    else if (p->dtype == WEFT_BOOL) p->width = 5;
    else walk(p, 0, 0, see_int);
}

/* ---- layout ---- */

/* One row: words separated by spaces, broken where the next would pass the width; indent: where rows of this
 * depth begin. Spaces at a word's end wait in pending, for none are left at the end of a broken line. */
typedef struct Row {
    TextSink *sink;
    int used, indent, width, pending;
} Row;

static void put_word(Row *r, const char *word)
{
    int n = (int)strlen(word), end = n;
    while (end && word[end - 1] == ' ') end--;
    if (r->used + n > r->width && r->used > r->indent) {
        put_char(r->sink, '\n');
        put_spaces(r->sink, r->indent);
        r->used = r->indent;
    } else {
        put_spaces(r->sink, r->pending);
    }
    for (int i = 0; i < end; i++) put_char(r->sink, word[i]);
    r->pending = n - end + 1;
    r->used += n + 1;
}

static void put_row(const ArrayPrinter *p, TextSink *s, int64_t index)
{
    int axis = p->a->rank - 1;
    int64_t n = p->a->dim[axis];
    Row row = { s, axis + 1, axis + 1, LINE_WIDTH - axis - 1, 0 };
    for (int64_t i = 0; i < n; i++) {
        char word[WORD];
        if (is_cut(p, axis) && i == EDGE) {
            put_word(&row, "...");
            i = n - EDGE;
        }
        format_element(p, index * n + i, word);
        put_word(&row, word);
    }
    put_spaces(s, row.pending - 1);
}

static void put_break(const ArrayPrinter *p, TextSink *s, int axis)
{
    for (int i = axis; i < p->a->rank - 1; i++) put_char(s, '\n');
    put_spaces(s, axis + 1);
}

static void put_axis(const ArrayPrinter *p, TextSink *s, int axis, int64_t index)
{
    int64_t n = p->a->dim[axis];
    put_char(s, '[');
    if (axis == p->a->rank - 1) {
        put_row(p, s, index);
        put_char(s, ']');
        return;
    }
    for (int64_t i = 0; i < n; i++) {
        if (i) put_break(p, s, axis);
        if (is_cut(p, axis) && i == EDGE) {
            put_text(s, "...");
            put_break(p, s, axis);
            i = n - EDGE;
        }
        put_axis(p, s, axis + 1, index * n + i);
    }
    put_char(s, ']');
}

static void put_concrete(TextSink *s, const weft_array *a)
{
    DType t = (DType)a->dtype;
    ArrayPrinter p = { .a = a, .dtype = dtype_part(t), .parts = dtype_is_complex(t) ? 2 : 1 };
    char text[WORD];
    fenv_t of_caller; /* by which printf and strtod would round */
    fegetenv(&of_caller);
    fesetenv(FE_DFL_ENV);
    if (a->count == 0) {
        put_text(s, "[]");
    } else if (a->rank == 0) {
        if (p.parts == 2) format_complex_scalar(&p, text);
        else if (dtype_is_float(p.dtype)) format_scalar(p.dtype, value_at(&p, 0, 0), text);
        else format_whole(&p, 0, 0, text);
        put_text(s, text);
    } else {
        choose(&p);
        put_axis(&p, s, 0, 0);
    }
    fesetenv(&of_caller);
}

static void put_array(TextSink *s, const weft_array *a)
{
    char text[256];
    const char *error = a ? "a number, no array" : weft_error(NULL);
    stack_ask();
    if (!array_is_address(a)) {
        put_text(s, error ? error : "NULL");
    } else if (a->state == ARRAY_CONCRETE && stack_left() < STACK_WALK) {
        snprintf(text, sizeof text, STACK_SHORT, stack_left() >> 10, STACK_WALK >> 10);
        put_text(s, text);
    } else if (a->state == ARRAY_CONCRETE) {
        put_concrete(s, a);
    } else if (a->state == ARRAY_TRACED && trace_of(a)) {
        put_text(s, "traced ");
        put_text(s, type_text(text, sizeof text, array_type(a)));
    } else {
        put_text(s, "an array that was freed, or whose trace is over");
    }
}

/* With a point in numbers, whatever the locale has. */
static void put_plainly(TextSink *s, const weft_array *a)
{
    locale_t plain = newlocale(LC_ALL_MASK, "C", (locale_t)0), before = uselocale(plain);
    put_array(s, a);
    uselocale(before);
    if (plain) freelocale(plain);
}

void weft_print(const weft_array *a)
{
    TextSink s = { .file = stdout };
    int cancel;
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel);
    put_plainly(&s, a);
    put_char(&s, '\n');
    pthread_setcancelstate(cancel, NULL);
}

size_t weft_format(const weft_array *a, char *text, size_t size)
{
    TextSink s = { .text = text, .size = text ? size : 0 };
    put_plainly(&s, a);
    if (s.size) text[s.length < size ? s.length : size - 1] = '\0';
    return s.length;
}
