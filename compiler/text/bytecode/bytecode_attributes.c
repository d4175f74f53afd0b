/* bytecode_attributes.c: attributes and types, in the forms of the builtin dialect, StableHLO, CHLO and
 * VHLO.
 *
 * Each form is a code and what belongs to it. An attribute that no rule asks for becomes ATTR_OPAQUE,
 * whatever is in it; a type that weft has not is an error where a value has it. Attributes hold attributes
 * by index: each is read once, and one that holds itself is an error. */
#include <string.h>
#include "bytecode.h"
#include "compiler/text/decimal.h"
#include "compiler/text/spell.h"

/* Types. */

/* How text spells them, by code. */
static const char *const builtin_types[] = {
    [1] = "index",   [3] = "bf16",      [4] = "f16",         [5] = "f32",         [6] = "f64",
    [7] = "f80",     [8] = "f128",      [9] = "complex",     [21] = "tf32",       [22] = "f8E5M2",
    [23] = "f8E4M3", [24] = "f8E4M3FN", [25] = "f8E5M2FNUZ", [26] = "f8E4M3FNUZ", [27] = "f8E4M3B11FNUZ",
    [28] = "f8E3M4", [29] = "f4E2M1FN", [30] = "f6E2M3FN",   [31] = "f6E3M2FN",   [32] = "f8E8M0FNU"
};
static const char *const vhlo_types[] = {
    [0] = "i1",          [1] = "complex",     [2] = "bf16",           [3] = "f16",     [4] = "f32",
    [5] = "f64",         [6] = "f8E4M3FN",    [7] = "f8E5M2",         [9] = "index",   [10] = "i4",
    [11] = "i8",         [12] = "i16",        [13] = "i32",           [14] = "i64",    [15] = "ui4",
    [16] = "ui8",        [17] = "ui16",       [18] = "ui32",          [19] = "ui64",   [24] = "!quant",
    [27] = "f8E4M3FNUZ", [28] = "f8E5M2FNUZ", [29] = "f8E4M3B11FNUZ", [30] = "!quant", [31] = "i2",
    [32] = "ui2",        [34] = "tf32",       [35] = "f8E4M3",        [36] = "f8E3M4", [37] = "f4E2M1FN",
    [38] = "f6E2M3FN",   [39] = "f6E3M2FN",   [40] = "f8E8M0FNU"
};

enum {
    BUILTIN_INTEGER = 0,
    BUILTIN_FUNCTION = 2,
    BUILTIN_TENSOR = 13,
    BUILTIN_ENCODED_TENSOR,
    BUILTIN_TUPLE,
    BUILTIN_UNRANKED_TENSOR = 18
};
enum {
    VHLO_FUNCTION = 8,
    VHLO_TENSOR = 20,
    VHLO_ENCODED_TENSOR,
    VHLO_TOKEN,
    VHLO_TUPLE,
    VHLO_UNRANKED_TENSOR = 25
};

/* What a type is. The bytes behind its code are left to be read. */
typedef enum {
    TYPE_OTHER,
    TYPE_ELEMENT,
    TYPE_TENSOR,
    TYPE_ENCODED_TENSOR,
    TYPE_FUNCTION,
    TYPE_TUPLE,
    TYPE_TOKEN
} TypeKind;
typedef struct TypeHead {
    TypeKind kind;
    const char *word; /* of an element; of another type: what text_parse calls it */
    Bytes rest;
} TypeHead;

/* Width and sign: i32, si8, ui64 */
static const char *integer_word(Bytecode *f, Bytes *r)
{
    static const char *const signs[] = { "i", "si", "ui", "i" };
    uint64_t v = bytes_number(f, r);
    return arena_printf(f->p->arena, "%s%llu", signs[v & 3], (unsigned long long)(v >> 2));
}

static TypeHead builtin_type(Bytecode *f, Bytes r)
{
    uint64_t code = bytes_number(f, &r);
    TypeHead t = { .word = "memref, vector and other types" };
    if (code == BUILTIN_INTEGER) t.kind = TYPE_ELEMENT, t.word = integer_word(f, &r);
    else if (code == BUILTIN_FUNCTION) t.kind = TYPE_FUNCTION;
    else if (code == BUILTIN_TENSOR) t.kind = TYPE_TENSOR;
    else if (code == BUILTIN_ENCODED_TENSOR) t.kind = TYPE_ENCODED_TENSOR;
    else if (code == BUILTIN_TUPLE) t.kind = TYPE_TUPLE;
    else if (code == BUILTIN_UNRANKED_TENSOR) t.word = "unranked tensors";
    else if (code < sizeof builtin_types / sizeof *builtin_types && builtin_types[code])
        t.kind = TYPE_ELEMENT, t.word = builtin_types[code];
    t.rest = r;
    return t;
}

static TypeHead vhlo_type(Bytecode *f, Bytes r)
{
    uint64_t code = bytes_number(f, &r);
    TypeHead t = { .word = "other types of VHLO" };
    if (code == VHLO_FUNCTION) t.kind = TYPE_FUNCTION;
    else if (code == VHLO_TENSOR) t.kind = TYPE_TENSOR;
    else if (code == VHLO_ENCODED_TENSOR) t.kind = TYPE_ENCODED_TENSOR;
    else if (code == VHLO_TOKEN) t.kind = TYPE_TOKEN;
    else if (code == VHLO_TUPLE) t.kind = TYPE_TUPLE;
    else if (code == VHLO_UNRANKED_TENSOR) t.word = "unranked tensors";
    else if (code < sizeof vhlo_types / sizeof *vhlo_types && vhlo_types[code])
        t.kind = TYPE_ELEMENT, t.word = vhlo_types[code];
    t.rest = r;
    return t;
}

static const char *text_of(Bytecode *f, const Entry *e)
{
    return arena_printf(f->p->arena, "%.*s", (int)(e->bytes.end - e->bytes.at), (const char *)e->bytes.at);
}

static TypeHead type_head(Bytecode *f, const Entry *e)
{
    const char *text = e->is_text ? text_of(f, e) : "";
    if (strncmp(text, "!quant", 6) == 0) return (TypeHead){ TYPE_ELEMENT, "!quant", { 0 } };
    if (e->is_text && narrow_find(text, strlen(text)) != NARROW_NONE)
        return (TypeHead){ TYPE_ELEMENT, text, { 0 } };
    if (e->is_text) return (TypeHead){ .word = arena_printf(f->p->arena, "type %.40s", text) };
    if (e->home == HOME_BUILTIN) return builtin_type(f, e->bytes);
    if (e->home == HOME_VHLO) return vhlo_type(f, e->bytes);
    if (e->home == HOME_STABLEHLO) return (TypeHead){ .kind = TYPE_TOKEN };
    return (TypeHead){ .word = "types of other dialects" };
}

static Entry *type_entry(Bytecode *f, Bytes *r)
{
    uint32_t i = bytes_index(f, r, f->n_types, "type");
    return f->p->failed ? NULL : &f->types[i];
}

/* The head of the type at r, which is an element's; .word NULL: it is none, and an error is set. */
static TypeHead element_head(Bytecode *f, Bytes *r)
{
    uint32_t at = bytes_place(f, *r);
    const Entry *e = type_entry(f, r);
    TypeHead t = e ? type_head(f, e) : (TypeHead){ 0 };
    if (!f->p->failed && t.kind != TYPE_ELEMENT)
        parse_unsupported(f->p, at, "%s", t.word ? t.word : "tensors of tensors");
    return f->p->failed ? (TypeHead){ 0 } : t;
}

/* What a complex number is of stands behind its code. */
static bool element(Bytecode *f, Bytes *r, uint8_t *dtype)
{
    uint32_t at = bytes_place(f, *r);
    TypeHead t = element_head(f, r);
    if (t.word && strcmp(t.word, "complex") == 0) {
        const char *part = element_head(f, &t.rest).word;
        t.word = part ? arena_printf(f->p->arena, "complex<%s>", part) : NULL;
    }
    return t.word && parse_element_type(f->p, at, t.word, strlen(t.word), dtype);
}

/* Sizes, then the element type. */
static bool tensor(Bytecode *f, Bytes r, Type *t)
{
    int64_t dim[WEFT_MAX_RANK];
    uint32_t at = bytes_place(f, r), rank = bytes_count(f, &r);
    if (rank > WEFT_MAX_RANK) return parse_error(f->p, at, "a tensor of more than %d axes", WEFT_MAX_RANK);
    for (uint32_t i = 0; i < rank; i++)
        if ((dim[i] = bytes_signed(f, &r)) < 0) return parse_unsupported(f->p, at, "dynamic shapes");
    *t = (Type){ .rank = (uint8_t)rank, .dim = arena_copy(f->p->arena, dim, rank * sizeof *dim) };
    if (!element(f, &r, &t->dtype)) return false;
    Type held = type_held(*t);
    return type_count(held) >= 0 || parse_error(f->p, at, "a tensor that %s", type_overflow(held));
}

static bool tuple(Bytecode *f, Bytes r, Entry *e)
{
    Type *parts;
    uint32_t n;
    e->state = ENTRY_OPEN;
    bool ok = parse_enter(f->p) && bytecode_types(f, &r, &parts, &n);
    parse_leave(f->p);
    return ok && parse_tuple_type(f->p, parts, n, &e->as.type);
}

static bool type_of(Bytecode *f, Entry *e, Type *t)
{
    TypeHead head = { 0 };
    if (e->state == ENTRY_READ) return *t = e->as.type, true;
    if (e->state == ENTRY_OPEN)
        return parse_error(f->p, bytes_place(f, e->bytes), "a type that holds itself");
    head = type_head(f, e);
    if (f->p->failed) return false;
    if (head.kind == TYPE_ENCODED_TENSOR)
        return parse_unsupported(f->p, bytes_place(f, e->bytes), "tensor encodings");
    if (head.kind == TYPE_OTHER) return parse_unsupported(f->p, bytes_place(f, e->bytes), "%s", head.word);
    if (head.kind != TYPE_TENSOR && head.kind != TYPE_TUPLE && head.kind != TYPE_TOKEN)
        return parse_error(f->p, bytes_place(f, e->bytes), "wanted the type of a tensor");
    if (head.kind == TYPE_TENSOR && !tensor(f, head.rest, &e->as.type)) return false;
    if (head.kind == TYPE_TUPLE && !tuple(f, head.rest, e)) return false;
    if (head.kind == TYPE_TOKEN) e->as.type = type_token();
    e->state = ENTRY_READ;
    *t = e->as.type;
    return true;
}

bool bytecode_type_at(Bytecode *f, uint32_t i, Type *t) { return type_of(f, &f->types[i], t); }

bool bytecode_type(Bytecode *f, Bytes *r, Type *t)
{
    Entry *e = type_entry(f, r);
    return e && type_of(f, e, t);
}

bool bytecode_types(Bytecode *f, Bytes *r, Type **types, uint32_t *n)
{
    *n = bytes_count(f, r);
    *types = arena_alloc(f->p->arena, ((size_t)*n + 1) * sizeof **types);
    for (uint32_t i = 0; i < *n && !f->p->failed; i++) bytecode_type(f, r, &(*types)[i]);
    return !f->p->failed;
}

/* Attributes. Each function reads what is behind the code. */

static void word(AttrSyntax *a, const char *text)
{
    a->kind = ATTR_WORD;
    a->text = text;
}

static void boolean(AttrSyntax *a, bool v)
{
    a->kind = ATTR_BOOL;
    a->text = v ? "true" : "false";
}

static void integer(Bytecode *f, AttrSyntax *a, int64_t v)
{
    a->kind = ATTR_NUMBER;
    a->text = arena_printf(f->p->arena, "%lld", (long long)v);
}

/* One of the words, by number. */
static void word_of(Bytecode *f, Bytes *r, const char *const *words, uint32_t n, AttrSyntax *a)
{
    uint32_t i = bytes_index(f, r, n, "word");
    word(a, f->p->failed ? "" : words[i]);
}

static void direction(Bytecode *f, Bytes *r, AttrSyntax *a)
{
    static const char *const words[] = { "EQ", "NE", "GE", "GT", "LE", "LT" };
    word_of(f, r, words, 6, a);
}

static void order(Bytecode *f, Bytes *r, AttrSyntax *a)
{
    static const char *const words[] = { "NOTYPE", "FLOAT", "TOTALORDER", "SIGNED", "UNSIGNED" };
    word_of(f, r, words, 5, a);
}

static void transpose(Bytecode *f, Bytes *r, AttrSyntax *a)
{
    static const char *const words[] = { "", "NO_TRANSPOSE", "TRANSPOSE", "ADJOINT" };
    word_of(f, r, words, 4, a);
}

static AttrSyntax *items(Bytecode *f, AttrSyntax *a, AttrKind kind, uint32_t n)
{
    a->kind = kind;
    a->n_items = n;
    return a->items = arena_alloc(f->p->arena, ((size_t)n + 1) * sizeof *a->items);
}

static void list(Bytecode *f, Bytes *r, AttrSyntax *a)
{
    AttrSyntax *to = items(f, a, ATTR_LIST, bytes_count(f, r));
    for (uint32_t i = 0; i < a->n_items && !f->p->failed; i++) to[i] = *bytecode_attr(f, r);
}

static void dictionary(Bytecode *f, Bytes *r, AttrSyntax *a)
{
    AttrSyntax *to = items(f, a, ATTR_DICT, bytes_count(f, r));
    for (uint32_t i = 0; i < a->n_items && !f->p->failed; i++) {
        uint32_t at = bytes_place(f, *r);
        const AttrSyntax *key = bytecode_attr(f, r);
        if (key->kind != ATTR_STRING) parse_error(f->p, at, "an attribute's name that is no string");
        to[i] = *bytecode_attr(f, r);
        to[i].key = key->text;
    }
}

/* Numbers of axes, as StableHLO's attributes hold them: lists by their names, and last a number if it has
 * one. */
static void axes(Bytecode *f, Bytes *r, const char *const *keys, uint32_t n, const char *last, AttrSyntax *a)
{
    AttrSyntax *to = items(f, a, ATTR_DICT, n + (last != NULL));
    for (uint32_t i = 0; i < n; i++) {
        AttrSyntax *numbers = items(f, &to[i], ATTR_LIST, bytes_count(f, r));
        to[i].key = keys[i];
        for (uint32_t k = 0; k < to[i].n_items && !f->p->failed; k++)
            integer(f, &numbers[k], bytes_signed(f, r));
    }
    if (!last) return;
    to[n].key = last;
    integer(f, &to[n], bytes_signed(f, r));
}

/* The axes of a convolution: two numbers and a list of each of its arrays. */
static void conv_axes(Bytecode *f, Bytes *r, AttrSyntax *a)
{
    AttrSyntax *to = items(f, a, ATTR_DICT, 3 * N_CONV_ROLES);
    for (int i = 0; i < 3 * N_CONV_ROLES; i++, to++) {
        bool is_list = i % N_CONV_ROLES == N_CONV_ROLES - 1;
        to->key = spell_conv[i / N_CONV_ROLES][i % N_CONV_ROLES];
        AttrSyntax *numbers = is_list ? items(f, to, ATTR_LIST, bytes_count(f, r)) : to;
        for (uint32_t k = 0; k < (is_list ? to->n_items : 1) && !f->p->failed; k++)
            integer(f, &numbers[k], bytes_signed(f, r));
    }
}

static const char *const dot_keys[] = { "lhs_batching_dimensions", "rhs_batching_dimensions",
                                        "lhs_contracting_dimensions", "rhs_contracting_dimensions" };

/* A type: of a tensor; of a function, as its operands' and its results' types; any other is opaque. */
static void type_list(Bytecode *f, Bytes *r, AttrSyntax *a)
{
    Type *types;
    uint32_t n;
    if (!bytecode_types(f, r, &types, &n)) return;
    AttrSyntax *to = items(f, a, ATTR_LIST, n);
    for (uint32_t i = 0; i < n; i++)
        to[i] = (AttrSyntax){ .kind = ATTR_TYPE, .type = types[i], .typed = true };
}

static void type_attr(Bytecode *f, Bytes *r, AttrSyntax *a)
{
    Entry *e = type_entry(f, r);
    TypeHead t = { 0 };
    if (e) t = type_head(f, e);
    if (t.kind == TYPE_TENSOR) {
        a->kind = ATTR_TYPE;
        a->typed = type_of(f, e, &a->type);
    } else if (t.kind == TYPE_FUNCTION) {
        AttrSyntax *sides = items(f, a, ATTR_PAIR, 2);
        type_list(f, &t.rest, &sides[0]);
        type_list(f, &t.rest, &sides[1]);
    }
}

/* The word and the width in bits of a number's type; 0: numbers of this type are passed over. */
static int number_type(Bytecode *f, Bytes *r, const char **name)
{
    const Entry *e = type_entry(f, r);
    TypeHead t = { 0 };
    if (e) t = type_head(f, e);
    *name = t.kind == TYPE_ELEMENT ? t.word : "";
    if (strcmp(*name, "index") == 0) return 64;
    const char *digits = *name + strcspn(*name, "0123456789");
    size_t n = strspn(digits, "0123456789");
    if (n == 0 || n > 2) return 0;
    int width = 10 * (n == 2 ? digits[0] - '0' : 0) + digits[n - 1] - '0';
    return width <= 64 ? width : 0;
}

/* Up to 8 bits are a byte, up to 64 a signed number. */
static uint64_t number_bits(Bytecode *f, Bytes *r, int width)
{
    uint64_t v = width <= 8 ? bytes_byte(f, r) : (uint64_t)bytes_signed(f, r);
    return width < 64 ? v & (((uint64_t)1 << width) - 1) : v;
}

static void integer_attr(Bytecode *f, Bytes *r, AttrSyntax *a)
{
    const char *name;
    int width = number_type(f, r, &name);
    if (width == 0) return;
    uint64_t v = number_bits(f, r, width);
    if (width == 1) boolean(a, v);
    else if (name[0] == 'u') {
        a->kind = ATTR_NUMBER;
        a->text = arena_printf(f->p->arena, "%llu", (unsigned long long)v);
    } else integer(f, a, (int64_t)(v << (64 - width)) >> (64 - width));
}

static void float_attr(Bytecode *f, Bytes *r, AttrSyntax *a)
{
    const char *name;
    uint8_t dtype;
    char text[DECIMAL_SIZE];
    int width = number_type(f, r, &name);
    if (width == 0 || !parse_find_dtype(name, strlen(name), &dtype) || !dtype_is_float((DType)dtype)) return;
    decimal_print(text, (DType)dtype, number_bits(f, r, width));
    a->kind = ATTR_NUMBER;
    a->text = arena_printf(f->p->arena, "%s", text);
}

/* A tensor's elements as bytes. */
static void elements(Bytecode *f, Bytes *r, AttrSyntax *a)
{
    a->kind = ATTR_DENSE;
    a->typed = bytecode_type(f, r, &a->type);
    a->bytes = bytes_take(f, r, bytes_number(f, r));
}

/* Elements that stand apart: how they are aligned, how many bytes, and they. A resource without bytes was
 * left out by who wrote the file. */
static void resource(Bytecode *f, Bytes *r, AttrSyntax *a)
{
    a->kind = ATTR_DENSE;
    a->typed = bytecode_type(f, r, &a->type);
    uint32_t i = bytes_index(f, r, f->n_resources, "resource");
    if (f->p->failed) return;
    Bytes blob = f->resources[i].bytes;
    if (f->resources[i].kind != RESOURCE_BLOB || blob.at == blob.end)
        parse_error(f->p, a->at, "resource number %u has no elements", i);
    uint64_t alignment = bytes_number(f, &blob), size = bytes_number(f, &blob);
    bytes_align(f, &blob, alignment);
    a->bytes = bytes_take(f, &blob, size);
}

/* array<T: ...>: elements of a list of that length */
static void array(Bytecode *f, Bytes *r, AttrSyntax *a)
{
    int64_t length;
    a->kind = ATTR_DENSE;
    a->type.rank = 1;
    a->typed = element(f, r, &a->type.dtype);
    length = (int64_t)bytes_number(f, r);
    a->bytes = bytes_take(f, r, bytes_number(f, r));
    if (length < 0 || length > a->bytes.end - a->bytes.at)
        parse_error(f->p, a->at, "an array of %lld elements in fewer bytes", (long long)length);
    a->type.dim = arena_copy(f->p->arena, &length, sizeof length);
}

/* A location is opaque; its text is the first place "file:line" in it, or NULL. A chain of calls may be
 * longer than attributes may nest: then it is not followed to its end. */

static void first_place(Bytecode *f, Bytes *r, uint64_t n, AttrSyntax *a)
{
    for (; n > 0 && !f->p->failed; n--) {
        if (a->text || f->p->depth + 1 >= PARSE_MAX_DEPTH) {
            bytes_number(f, r);
            continue;
        }
        const AttrSyntax *inner = bytecode_attr(f, r);
        if (!a->text && inner->kind == ATTR_OPAQUE) a->text = inner->text;
    }
}

static void file_place(Bytecode *f, Bytes *r, bool counted, AttrSyntax *a)
{
    const AttrSyntax *file = bytecode_attr(f, r);
    if (counted && bytes_count(f, r) == 0) return;
    uint64_t line = bytes_number(f, r);
    if (file->kind == ATTR_STRING && line <= UINT32_MAX)
        a->text = arena_printf(f->p->arena, "%.500s:%llu", file->text, (unsigned long long)line);
}

static void builtin_attr(Bytecode *f, Bytes *r, AttrSyntax *a)
{
    enum {
        LIST,
        DICTIONARY,
        STRING,
        TYPED_STRING,
        SYMBOL,
        NESTED_SYMBOL,
        TYPE,
        UNIT,
        INTEGER,
        FLOAT,
        LOC_CALL,
        LOC_FILE,
        LOC_FUSED,
        LOC_FUSED_WITH_DATA,
        LOC_NAME,
        LOC_UNKNOWN,
        RESOURCE,
        ARRAY,
        ELEMENTS,
        STRINGS,
        SPARSE,
        DISTINCT,
        LOC_RANGE
    };
    uint64_t code = bytes_number(f, r);
    switch (code) {
    case LIST:       list(f, r, a); break;
    case DICTIONARY: dictionary(f, r, a); break;
    case STRING:
    case TYPED_STRING:
        a->kind = ATTR_STRING;
        a->text = bytes_string(f, r);
        break;
    case SYMBOL:
    case NESTED_SYMBOL:
        *a = *bytecode_attr(f, r);
        if (a->kind == ATTR_STRING) a->kind = ATTR_SYMBOL;
        else *a = (AttrSyntax){ .kind = ATTR_OPAQUE, .at = a->at }; /* its text would be a place */
        break;
    case TYPE:                type_attr(f, r, a); break;
    case UNIT:                a->kind = ATTR_UNIT; break;
    case INTEGER:             integer_attr(f, r, a); break;
    case FLOAT:               float_attr(f, r, a); break;
    case LOC_CALL:            first_place(f, r, 2, a); break;
    case LOC_FILE:            file_place(f, r, false, a); break;
    case LOC_RANGE:           file_place(f, r, true, a); break;
    case LOC_FUSED:
    case LOC_FUSED_WITH_DATA: first_place(f, r, bytes_count(f, r), a); break;
    case LOC_NAME:
        bytecode_attr(f, r);
        first_place(f, r, 1, a);
        break;
    case ARRAY:    array(f, r, a); break;
    case ELEMENTS: elements(f, r, a); break;
    case RESOURCE: resource(f, r, a); break;
    case SPARSE:   parse_unsupported(f->p, a->at, "sparse constants"); break;
    default:       break;
    }
}

static void stablehlo_attr(Bytecode *f, Bytes *r, AttrSyntax *a)
{
    enum {
        DIRECTION = 2,
        ORDER = 3,
        CONV = 4,
        DOT = 5,
        FOURIER = 6,
        GATHER = 7,
        ALGORITHM = 9,
        SCATTER = 11,
        TRANSPOSE = 12
    };
    switch (bytes_number(f, r)) {
    case DIRECTION: direction(f, r, a); break;
    case ORDER:     order(f, r, a); break;
    case CONV:      conv_axes(f, r, a); break;
    case DOT:       axes(f, r, dot_keys, 4, NULL, a); break;
    case FOURIER:   word_of(f, r, fft_names, N_FFTS, a); break;
    case GATHER:    axes(f, r, spell_gather, N_AXIS_LISTS, "index_vector_dim", a); break;
    case SCATTER:   axes(f, r, spell_scatter, N_AXIS_LISTS, "index_vector_dim", a); break;
    case ALGORITHM: word_of(f, r, spell_algorithms, N_ALGORITHMS, a); break;
    case TRANSPOSE: transpose(f, r, a); break;
    default:        break;
    }
}

static void chlo_attr(Bytecode *f, Bytes *r, AttrSyntax *a)
{
    enum { DIRECTION, ORDER };
    switch (bytes_number(f, r)) {
    case DIRECTION: direction(f, r, a); break;
    case ORDER:     order(f, r, a); break;
    default:        break;
    }
}

static void vhlo_attr(Bytecode *f, Bytes *r, AttrSyntax *a)
{
    static const char *const distributions[] = { "", "UNIFORM", "NORMAL" };
    enum {
        LIST = 1,
        BOOLEAN,
        DIRECTION,
        ORDER,
        DICTIONARY = 6,
        FOURIER,
        FLOAT,
        INTEGER,
        ALGORITHM = 12,
        DISTRIBUTION,
        STRING = 14,
        ELEMENTS,
        TRANSPOSE,
        TYPE
    };
    switch (bytes_number(f, r)) {
    case LIST:         list(f, r, a); break;
    case BOOLEAN:      boolean(a, bytes_number(f, r)); break;
    case DIRECTION:    direction(f, r, a); break;
    case ORDER:        order(f, r, a); break;
    case DICTIONARY:   dictionary(f, r, a); break;
    case FOURIER:      word_of(f, r, fft_names, N_FFTS, a); break;
    case FLOAT:        float_attr(f, r, a); break;
    case INTEGER:      integer_attr(f, r, a); break;
    case ALGORITHM:    word_of(f, r, spell_algorithms, N_ALGORITHMS, a); break;
    case DISTRIBUTION: word_of(f, r, distributions, 3, a); break;
    case TRANSPOSE:    transpose(f, r, a); break;
    case STRING:
        a->kind = ATTR_STRING;
        a->text = bytes_string(f, r);
        break;
    case ELEMENTS: elements(f, r, a); break;
    case TYPE:     type_attr(f, r, a); break;
    default:       break;
    }
}

/* Of Shardy's attributes only counts on how many devices they lie: the meshes that they name and the sizes of
 * axes, spelled as in a text. */

static void spell(Bytecode *f, AttrSyntax *a, const char *text)
{
    size_t n = strlen(text);
    if (parse_spend(f->p, a->at, n)) a->bytes = (Bytes){ (const uint8_t *)text, (const uint8_t *)text + n };
}

static void spell_all(Bytecode *f, Bytes *r, uint32_t n, AttrSyntax *a)
{
    Bytes again = *r;
    size_t size = 0, at = 0;
    for (uint32_t i = 0; i < n && !f->p->failed; i++) {
        const Bytes *part = &bytecode_attr(f, r)->bytes;
        size += (size_t)(part->end - part->at);
    }
    if (!parse_spend(f->p, a->at, size)) return;
    uint8_t *text = arena_alloc(f->p->arena, size + 1);
    for (uint32_t i = 0; i < n; i++) {
        const Bytes *part = &bytecode_attr(f, &again)->bytes;
        size_t part_size = (size_t)(part->end - part->at);
        if (part_size) memcpy(text + at, part->at, part_size);
        at += part_size;
    }
    a->bytes = (Bytes){ text, text + size };
}

static void sdy_attr(Bytecode *f, Bytes *r, AttrSyntax *a)
{
    enum { AXIS = 1, MESH, SHARDING = 6, SHARDINGS, SHARDING_2 = 15, SHARDINGS_2, SHARDING_3 };
    const AttrSyntax *mesh;
    switch (bytes_number(f, r)) {
    case AXIS:
        bytes_string(f, r);
        spell(f, a, arena_printf(f->p->arena, "=%lld ", (long long)bytes_signed(f, r)));
        break;
    case SHARDING:
    case SHARDING_2:
    case SHARDING_3:
        mesh = bytecode_attr(f, r);
        if (mesh->kind == ATTR_SYMBOL) spell(f, a, arena_printf(f->p->arena, "@\"%s\" ", mesh->text));
        else if (mesh->bytes.at) a->bytes = mesh->bytes;
        else parse_error(f->p, a->at, "a sharding without a mesh");
        break;
    case MESH:
    case SHARDINGS:
    case SHARDINGS_2: spell_all(f, r, bytes_count(f, r), a); break;
    default:          break;
    }
}

const AttrSyntax *bytecode_attr_at(Bytecode *f, uint32_t i)
{
    static const AttrSyntax none = { .kind = ATTR_OPAQUE };
    static void (*const forms[])(Bytecode *, Bytes *, AttrSyntax *) = { [HOME_BUILTIN] = builtin_attr,
                                                                        [HOME_STABLEHLO] = stablehlo_attr,
                                                                        [HOME_CHLO] = chlo_attr,
                                                                        [HOME_VHLO] = vhlo_attr,
                                                                        [HOME_SDY] = sdy_attr };
    if (f->p->failed) return &none;
    Entry *e = &f->attrs[i];
    Bytes r = e->bytes;
    uint32_t at = bytes_place(f, r);
    if (e->state == ENTRY_READ) return &e->as.attr;
    if (e->state == ENTRY_OPEN) return parse_error(f->p, at, "an attribute that holds itself"), &none;
    e->state = ENTRY_OPEN;
    e->as.attr = (AttrSyntax){ .kind = ATTR_OPAQUE, .at = at };
    if (e->is_text) e->as.attr.bytes = e->bytes;
    if (!e->is_text && forms[e->home] && parse_enter(f->p)) forms[e->home](f, &r, &e->as.attr);
    if (!e->is_text && forms[e->home]) parse_leave(f->p);
    e->state = ENTRY_READ;
    return f->p->failed ? &none : &e->as.attr;
}

const AttrSyntax *bytecode_attr(Bytecode *f, Bytes *r)
{
    return bytecode_attr_at(f, bytes_index(f, r, f->n_attrs, "attribute"));
}
