/* parse_type.c: tensor types, and the elements of dense<...> literals. */
#include <stdio.h>
#include <string.h>
#include "compiler/text/decimal.h"
#include "parse.h"

/* Types. */

/* index has the 64 bits of an address. */
bool parse_find_dtype(const char *text, size_t n, uint8_t *dtype)
{
    if (n == 5 && memcmp(text, "index", 5) == 0) return *dtype = WEFT_I64, true;
    for (int t = 0; t < DTYPE_COUNT; t++)
        if (strlen(dtype_info[t].mlir) == n && memcmp(dtype_info[t].mlir, text, n) == 0) {
            *dtype = (uint8_t)t;
            return true;
        }
    return false;
}

/* Element types of MLIR that weft does not have, by prefix. */
static const struct {
    const char *prefix, *reason;
} foreign_types[] = {
    { "complex", "complex numbers of other than f32 and f64" },
    { "!quant", "quantized types" },
    { "i", "integers of other widths" },
    { "ui", "integers of other widths" },
    { "si", "integers of other widths" },
    { "tf32", "floats of other widths" },
    { "f", "floats of other widths" },
};

bool parse_element_type(Parser *p, uint32_t at, const char *text, size_t length, uint8_t *dtype)
{
    Narrow narrow = narrow_find(text, length);
    if (narrow != NARROW_NONE) return *dtype = (uint8_t)(TYPE_NARROW + narrow), true;
    if (parse_find_dtype(text, length, dtype)) return true;
    for (size_t i = 0; i < sizeof foreign_types / sizeof *foreign_types; i++) {
        size_t n = strlen(foreign_types[i].prefix);
        bool by_width = n <= 2 && foreign_types[i].prefix[n - 1] > '9'; /* a letter: a number must follow */
        if (length >= n && memcmp(text, foreign_types[i].prefix, n) == 0 &&
            (!by_width || (length > n && text[n] >= '0' && text[n] <= '9')))
            return parse_unsupported(p, at, "%s", foreign_types[i].reason);
    }
    return parse_error(
        p, at,
        "`%.*s` is no element type; known are i1, i8 to i64, ui8 to ui64, f16, bf16, f32, f64, "
        "complex<f32>, complex<f64>",
        length > 40 ? 40 : (int)length, text);
}

static bool element_type(Parser *p, uint32_t start, Type *t)
{
    uint32_t end = start;
    while (end < p->n && ((p->chars[end] >= 'a' && p->chars[end] <= 'z') ||
                          (p->chars[end] >= '0' && p->chars[end] <= '9') ||
                          (p->chars[end] >= 'A' && p->chars[end] <= 'Z') || p->chars[end] == '!'))
        end++;
    if (end - start == 7 && memcmp(p->chars + start, "complex", 7) == 0)
        while (end < p->n && p->chars[end - 1] != '>' && p->chars[end] > ' ') end++;
    p->pos = end;
    return parse_element_type(p, start, p->chars + start, end - start, &t->dtype);
}

static bool dimension(Parser *p, uint32_t *at, int64_t *size)
{
    *size = 0;
    for (; *at < p->n && p->chars[*at] >= '0' && p->chars[*at] <= '9'; ++*at)
        if (__builtin_mul_overflow(*size, 10, size) ||
            __builtin_add_overflow(*size, p->chars[*at] - '0', size))
            return parse_error(p, *at, "a dimension that does not fit 64 bits");
    if (*at < p->n && p->chars[*at] == 'x') {
        ++*at;
        return true;
    }
    return parse_error(p, *at, "saw no `x` behind the dimension %lld", (long long)*size);
}

/* tensor<2x3xf32>, from the < on; read by characters. */
static bool tensor_type(Parser *p, Type *t)
{
    int64_t dim[WEFT_MAX_RANK];
    uint32_t at = p->pos;
    while (at < p->n && (p->chars[at] == ' ' || p->chars[at] == '<'))
        if (p->chars[at++] == '<') break;
    for (;;) {
        while (at < p->n && p->chars[at] == ' ') at++;
        if (at < p->n && p->chars[at] == '?') return parse_unsupported(p, at, "dynamic shapes");
        if (at < p->n && p->chars[at] == '*') return parse_unsupported(p, at, "unranked tensors");
        if (at >= p->n || p->chars[at] < '0' || p->chars[at] > '9') break;
        if (t->rank == WEFT_MAX_RANK)
            return parse_error(p, at, "a tensor of more than %d axes", WEFT_MAX_RANK);
        if (!dimension(p, &at, &dim[t->rank])) return false;
        t->rank++;
    }
    element_type(p, at, t);
    parse_next(p);
    if (p->tok.kind == ',') parse_unsupported(p, p->tok.at, "tensor encodings");
    t->dim = arena_copy(p->arena, dim, t->rank * sizeof *dim);
    if (!p->failed && type_count(type_held(*t)) < 0)
        parse_error(p, at, "a tensor that %s", type_overflow(type_held(*t)));
    return parse_expect(p, '>', "`>` behind the tensor type");
}

/* tuple<T, U> */
static bool tuple_type(Parser *p, Type *t)
{
    Type *types = NULL;
    uint32_t n = 0;
    parse_next(p);
    if (!parse_enter(p) || !parse_expect(p, '<', "`<` and the tuple's types")) return false;
    bool ok = parse_take(p, '>') ||
              (parse_types(p, &types, &n) && parse_expect(p, '>', "`>` behind the tuple's types"));
    parse_leave(p);
    return ok && parse_tuple_type(p, types, n, t);
}

bool parse_type(Parser *p, Type *t)
{
    *t = (Type){ .dim = NULL };
    if (p->failed) return false;
    if (parse_is_word(p, "tensor") && parse_peek(p, '<')) return tensor_type(p, t);
    if (p->tok.kind == TOK_BANG && p->tok.length == 15 && memcmp(p->tok.text, "stablehlo.token", 15) == 0)
        return *t = type_token(), parse_take(p, TOK_BANG);
    if (p->tok.kind == TOK_BANG)
        return parse_unsupported(p, p->tok.at, "type !%.*s", p->tok.length > 40 ? 40 : (int)p->tok.length,
                                 p->tok.text);
    if (parse_is_word(p, "tuple")) return tuple_type(p, t);
    if (parse_is_word(p, "memref") || parse_is_word(p, "vector"))
        return parse_unsupported(p, p->tok.at, "memref and vector types");
    return parse_unexpected(p, "a type like tensor<2x3xf32>");
}

bool parse_types(Parser *p, Type **types, uint32_t *n)
{
    uint32_t capacity = 0;
    *types = NULL;
    *n = 0;
    do {
        if (!parse_type(p, &ARENA_PUSH(p->arena, *types, *n, capacity))) return false;
    } while (parse_take(p, ','));
    return !p->failed;
}

bool parse_type_or_list(Parser *p, Type **types, uint32_t *n)
{
    bool list = parse_take(p, '(');
    *n = 0;
    if (list)
        return parse_take(p, ')') ||
               (parse_types(p, types, n) && parse_expect(p, ')', "`)` behind the types"));
    *n = 1;
    *types = arena_alloc(p->arena, sizeof **types);
    return parse_type(p, *types);
}

/* Elements. */

static bool number_is_hex(const Token *t) { return t->length > 2 && t->text[0] == '0' && t->text[1] == 'x'; }

static bool hex_element(Parser *p, const Token *t, DType d, uint64_t *bits)
{
    *bits = 0;
    for (uint32_t i = 2; i < t->length; i++) {
        if (*bits >> 60) return parse_error(p, t->at, "a hex number of more than 64 bits");
        *bits = *bits << 4 | (uint64_t)parse_hex_digit(t->text[i]);
    }
    int width = 8 * (int)dtype_bytes(d);
    return width == 64 || !(*bits >> width) ||
           parse_error(p, t->at, "a hex number that does not fit %s", dtype_info[d].mlir);
}

/* -2^(w-1) to 2^(w-1)-1, unsigned 0 to 2^w-1. */
static bool int_element(Parser *p, const Token *t, bool minus, DType d, uint64_t *bits)
{
    uint64_t v = 0;
    for (uint32_t i = 0; i < t->length; i++) {
        if (t->text[i] < '0' || t->text[i] > '9')
            return parse_error(p, t->at, "saw %.*s, wanted an integer", (int)t->length, t->text);
        if (__builtin_mul_overflow(v, (uint64_t)10, &v) ||
            __builtin_add_overflow(v, (uint64_t)(t->text[i] - '0'), &v))
            return parse_error(p, t->at, "an integer that does not fit 64 bits");
    }
    int width = dtype_bits(d);
    uint64_t limit = dtype_kind(d) == KIND_UNSIGNED ? (minus ? 0 : UINT64_MAX >> (64 - width))
                                                    : (UINT64_MAX >> (65 - width)) + minus;
    *bits = scalar_from_i64(d, minus ? (int64_t)(0 - v) : (int64_t)v);
    return v <= limit || parse_error(p, t->at, "%s%.*s does not fit %s", minus ? "-" : "", (int)t->length,
                                     t->text, dtype_info[d].mlir);
}

/* One of a narrow type, as its byte: 7, -2.5, 0x7F. */
static bool narrow_element(Parser *p, uint64_t *byte)
{
    bool minus = parse_take(p, '-'), is_float = narrow_is_float(p->element);
    uint64_t bits = 0, range = (uint64_t)1 << narrow_bits(p->element);
    Token t = p->tok;
    if (t.kind != TOK_NUMBER) return parse_unexpected(p, "a number");
    if (number_is_hex(&t)) {
        hex_element(p, &t, WEFT_U8, &bits);
        if (bits >= range || minus)
            parse_error(p, t.at, "a hex number that does not fit %s", narrow_name(p->element));
    } else if (is_float) {
        if (!decimal_parse(t.text, t.length, WEFT_F64, &bits))
            parse_error(p, t.at, "saw %.*s, wanted a number", (int)t.length, t.text);
        double v = scalar_to_double(WEFT_F64, bits);
        bits = narrow_nearest(p->element, minus ? -v : v);
    } else if (int_element(p, &t, minus, WEFT_I64, &bits)) {
        int64_t v = (int64_t)bits, least = narrow_held(p->element) == WEFT_I8 ? -(int64_t)(range / 2) : 0;
        if (v < least || v >= least + (int64_t)range)
            parse_error(p, t.at, "%lld does not fit %s", (long long)v, narrow_name(p->element));
    }
    *byte = (uint8_t)bits;
    parse_next(p);
    return !p->failed;
}

/* One number: 1, -2.5, 0x7FC00000, true. The token moves on. */
static bool number(Parser *p, DType d, uint64_t *bits)
{
    *bits = 0;
    if (p->element != NARROW_NONE) return narrow_element(p, bits);
    if (parse_is_word(p, "true") || parse_is_word(p, "false")) {
        if (d != WEFT_BOOL) parse_error(p, p->tok.at, "true and false are elements of i1 only");
        *bits = parse_is_word(p, "true");
        parse_next(p);
        return !p->failed;
    }
    bool minus = parse_take(p, '-');
    Token t = p->tok;
    if (t.kind != TOK_NUMBER) return parse_unexpected(p, "a number");
    if (number_is_hex(&t)) {
        hex_element(p, &t, d, bits);
        if (minus && dtype_is_int(d)) *bits = scalar_from_i64(d, -(int64_t)*bits);
        else if (minus) parse_error(p, t.at, "a hex float takes no sign");
    } else if (d == WEFT_BOOL) {
        if (t.length != 1 || (t.text[0] | 1) != '1')
            parse_error(p, t.at, "elements of i1 are true and false");
        *bits = t.text[0] == '1';
    } else if (dtype_is_float(d)) {
        if (!decimal_parse(t.text, t.length, d, bits))
            parse_error(p, t.at, "saw %.*s, wanted a number", (int)t.length, t.text);
        if (minus) *bits |= (uint64_t)1 << (dtype_bits(d) - 1);
    } else int_element(p, &t, minus, d, bits);
    parse_next(p);
    return !p->failed;
}

/* One element into its place: a number, or (1.0, -2.0), which is complex. */
static bool element(Parser *p, DType d, void *to)
{
    DType part = dtype_part(d);
    uint64_t bits = 0, imaginary = 0;
    bool pair = part != d;
    if (pair && !parse_expect(p, '(', "a complex number as (1.0, -2.0)")) return false;
    if (!number(p, part, &bits)) return false;
    if (pair && (!parse_expect(p, ',', "`,` between the parts of a complex number") ||
                 !number(p, part, &imaginary) || !parse_expect(p, ')', "`)` behind a complex number")))
        return false;
    scalar_store(part, to, bits);
    if (pair) scalar_store(part, (char *)to + dtype_bytes(part), imaginary);
    return true;
}

/* The bytes of the string "0x...". A resource begins with four that say its alignment, which are left out. */
static bool hex_bytes(Parser *p, uint8_t **raw, size_t *n)
{
    enum { ALIGNMENT_BYTES = 4 };
    const char *s = p->tok.text;
    size_t digits = p->tok.length;
    if (digits < 2 || s[0] != '0' || (s[1] | 32) != 'x' || digits % 2)
        return parse_error(p, p->tok.at, "saw a string, wanted \"0x\" and hex bytes");
    *n = digits / 2 - 1;
    *raw = arena_alloc(p->arena, *n + 1);
    for (size_t i = 0; i < *n; i++) {
        int high = parse_hex_digit(s[2 * i + 2]), low = parse_hex_digit(s[2 * i + 3]);
        if (high < 0 || low < 0) return parse_error(p, p->tok.at + 1 + 2 * (uint32_t)(i + 1), "no hex digit");
        (*raw)[i] = (uint8_t)(16 * high + low);
    }
    if (p->resources && p->tok.at > p->resources && *n >= ALIGNMENT_BYTES) {
        *raw += ALIGNMENT_BYTES;
        *n -= ALIGNMENT_BYTES;
    }
    return true;
}

/* Raw little-endian elements; of i1, bytes or bits. One element may stand for all. */
static bool raw_elements(Parser *p, uint32_t at, uint8_t *raw, size_t bytes, Type t, const void **data,
                         bool *splat)
{
    int64_t count = type_count(t);
    size_t width = dtype_bytes(t.dtype);
    bool packed = t.dtype == WEFT_BOOL && bytes != (size_t)count && bytes == ((size_t)count + 7) / 8;
    *splat = bytes == width && count != 1;
    if (bytes != (size_t)count * width && !*splat && !packed)
        return parse_error(p, at, "%zu bytes for %lld elements of %zu bytes", bytes, (long long)count, width);
    *data = raw;
    if (packed) {
        uint8_t *wide = arena_alloc(p->arena, (size_t)count);
        for (int64_t i = 0; i < count; i++) wide[i] = raw[i / 8] >> (i % 8) & 1;
        *data = wide;
        *splat = false;
    } else if (t.dtype == WEFT_BOOL)
        for (size_t i = 0; i < bytes; i++) raw[i] = raw[i] != 0;
    return true;
}

static bool hex_string(Parser *p, Type t, const void **data, bool *splat)
{
    uint8_t *raw = NULL;
    size_t bytes = 0;
    if (!hex_bytes(p, &raw, &bytes) || !raw_elements(p, p->tok.at, raw, bytes, t, data, splat)) return false;
    parse_next(p);
    return true;
}

/* A literal of nested lists, read without recursion. */
typedef struct NestedLists {
    Parser *p;
    Type type;
    int64_t count, filled;       /* elements: of the type, read */
    int64_t seen[WEFT_MAX_RANK]; /* what the open list at each level holds so far */
    int open;
    uint8_t *to;
} NestedLists;

static bool open_list(NestedLists *l)
{
    Parser *p = l->p;
    if (l->open == l->type.rank)
        return parse_error(p, p->tok.at, "lists nested deeper than the rank, %d", l->type.rank);
    l->seen[l->open++] = 0;
    parse_next(p);
    return true;
}

static bool list_element(NestedLists *l)
{
    Parser *p = l->p;
    DType t = (DType)l->type.dtype;
    if (l->open != l->type.rank)
        return parse_error(p, p->tok.at, "a number at depth %d of a literal of rank %d", l->open,
                           l->type.rank);
    if (l->filled == l->count)
        return parse_error(p, p->tok.at, "more than the %lld elements of the type", (long long)l->count);
    if (!element(p, t, l->to + dtype_bytes(t) * (size_t)l->filled++)) return false;
    l->seen[l->open - 1]++;
    return true;
}

static bool close_lists(NestedLists *l)
{
    Parser *p = l->p;
    while (l->open > 0 && p->tok.kind == ']') {
        int64_t size = l->type.dim[--l->open];
        if (l->seen[l->open] != size)
            return parse_error(p, p->tok.at, "a list of %lld where axis %d of the type has %lld",
                               (long long)l->seen[l->open], l->open, (long long)size);
        parse_next(p);
        if (l->open > 0) l->seen[l->open - 1]++;
    }
    return true;
}

static bool nested_lists(NestedLists *l)
{
    Parser *p = l->p;
    do {
        if (p->tok.kind == '[') {
            if (!open_list(l)) return false;
            if (p->tok.kind != ']') continue;
        } else if (!list_element(l)) return false;
        if (!close_lists(l)) return false;
        if (l->open > 0 && !parse_expect(p, ',', "`,` or `]` in the list")) return false;
    } while (l->open > 0 && !p->failed);
    return !p->failed;
}

/* Each element takes at least one character, so a short text cannot ask for much memory. */
static bool list_fits(Parser *p, int64_t count)
{
    if (count <= (int64_t)p->n) return true;
    return parse_error(p, p->tok.at, "fewer elements than the type's %lld", (long long)count);
}

static bool dense_elements(Parser *p, Type t, const void **data, bool *splat)
{
    int64_t count = type_count(t);
    *splat = false;
    *data = "";
    if (p->tok.kind == TOK_STRING) return hex_string(p, t, data, splat);
    if (p->tok.kind == '>') {
        if (count != 0) parse_error(p, p->tok.at, "dense<> for a type of %lld elements", (long long)count);
        return !p->failed;
    }
    if (p->tok.kind == '[') {
        if (t.rank == 0) return parse_error(p, p->tok.at, "a list for a type of rank 0");
        if (!list_fits(p, count)) return false;
        NestedLists l = { .p = p, .type = t, .count = count };
        *data = l.to = arena_alloc(p->arena, (size_t)count * dtype_bytes(t.dtype) + 1);
        return nested_lists(&l);
    }
    char *one = arena_alloc(p->arena, 16);
    if (!element(p, (DType)t.dtype, one)) return false;
    *data = one;
    *splat = true;
    return true;
}

/* The file's bytes lie at any address, and are not changed. */
static bool bytes_as_elements(Parser *p, const AttrSyntax *a, Type t, const void **data, bool *splat)
{
    size_t n = (size_t)(a->bytes.end - a->bytes.at);
    if (!parse_spend(p, a->at, n * (t.dtype == WEFT_BOOL ? 9 : 1))) return false;
    return raw_elements(p, a->at, arena_copy(p->arena, a->bytes.at, n), n, t, data, splat);
}

/* Bytes as the numbers that hold them in a graph. */
static bool widen(Parser *p, uint32_t at, Narrow narrow, int64_t count, const void **data)
{
    DType held = narrow_held(narrow);
    const uint8_t *bytes = *data;
    if (p->bytecode && !parse_spend(p, at, (uint64_t)count * dtype_bytes(held))) return false;
    uint8_t *wide = arena_alloc(p->arena, (size_t)count * dtype_bytes(held) + 1);
    for (int64_t i = 0; i < count; i++)
        scalar_store(held, wide + (size_t)i * dtype_bytes(held),
                     scalar_from_double(held, narrow_value(narrow, bytes[i])));
    *data = wide;
    return true;
}

static bool dense_of_bytes(Parser *p, const AttrSyntax *a, Type t, const void **data, bool *splat)
{
    Narrow narrow = type_narrow(t);
    if (narrow >= NARROW_COUNT) return parse_error(p, a->at, "a literal that is a %s", narrow_name(narrow));
    t.dtype = (uint8_t)narrow_bytes(narrow);
    p->element = narrow;
    bool ok = parse_dense(p, a, t, data, splat);
    p->element = NARROW_NONE;
    return ok && widen(p, a->at, narrow, *splat ? 1 : type_count(t), data);
}

bool parse_dense(Parser *p, const AttrSyntax *a, Type t, const void **data, bool *splat)
{
    uint32_t at = a->at;
    if (p->failed) return false;
    if (type_narrow(t) != NARROW_NONE) return dense_of_bytes(p, a, t, data, splat);
    if (p->bytecode) return bytes_as_elements(p, a, t, data, splat);
    Token token = p->tok;
    uint32_t pos = p->pos;
    p->pos = at;
    parse_next(p);
    bool resource = p->resources && at > p->resources;
    bool ok = dense_elements(p, t, data, splat) &&
              (resource || p->tok.kind == '>' || (parse_unexpected(p, "`>` behind the elements"), false));
    if (!ok || p->failed) return false;
    p->tok = token;
    p->pos = pos;
    return true;
}
