/* bytecode_attrs.c: attributes and types, in the forms of VHLO and of MLIR itself. Each is read when it is
 * first asked for; what a dialect that is not known here holds is passed over. */
#include <string.h>
#include "bytecode.h"

static bool open_entry(Bytecode *f, Entry *e, const char *what)
{
    if (e->state == ENTRY_OPEN)
        return parse_error(f->p, bytes_place(f, e->bytes), "%s that holds itself", what);
    e->state = ENTRY_OPEN;
    return parse_enter(f->p);
}

static bool close_entry(Bytecode *f, Entry *e)
{
    e->state = ENTRY_READ;
    parse_leave(f->p);
    return !f->p->failed;
}

/* ---- types ---- */

static TypeRead element(DType t, uint8_t bits, bool is_signed)
{
    return (TypeRead){ .type = { (uint8_t)t, 0, NULL }, .bits = bits, .is_signed = is_signed };
}

static TypeRead none(const char *reason) { return (TypeRead){ .reason = reason }; }

/* By VHLO's number. */
static TypeRead vhlo_element(uint64_t code)
{
    switch (code) {
    case 0:  return element(WEFT_BOOL, 8, false);
    case 2:  return element(WEFT_BF16, 16, false);
    case 3:  return element(WEFT_F16, 16, false);
    case 4:  return element(WEFT_F32, 32, false);
    case 5:  return element(WEFT_F64, 64, false);
    case 9:  return element(WEFT_I64, 64, true); /* index */
    case 11: return element(WEFT_I8, 8, true);
    case 12: return element(WEFT_I16, 16, true);
    case 13: return element(WEFT_I32, 32, true);
    case 14: return element(WEFT_I64, 64, true);
    case 16: return element(WEFT_U8, 8, false);
    case 17: return element(WEFT_U16, 16, false);
    case 18: return element(WEFT_U32, 32, false);
    case 19: return element(WEFT_U64, 64, false);
    case 1:  return none("complex types");
    case 10:
    case 15:
    case 31:
    case 32: return none("integers of 2 or 4 bits");
    case 6:
    case 7:
    case 27:
    case 28:
    case 29:
    case 35:
    case 36:
    case 37:
    case 38:
    case 39:
    case 40: return none("floats of 4, 6 or 8 bits");
    case 24:
    case 30: return none("quantized types");
    case 22: return none("infeed, outfeed, send, recv (!stablehlo.token)");
    case 23: return none("tuples");
    case 25: return none("unranked tensors");
    case 34: return none("tf32");
    default: return none("types of VHLO that weft does not know");
    }
}

static TypeRead integer(uint64_t v)
{
    static const uint8_t of[2][4] = { { WEFT_I8, WEFT_I16, WEFT_I32, WEFT_I64 },
                                      { WEFT_U8, WEFT_U16, WEFT_U32, WEFT_U64 } };
    uint64_t bits = v >> 2, is_unsigned = (v & 3) == 2;
    if (bits == 1) return element(WEFT_BOOL, 8, false);
    for (int i = 0; i < 4; i++)
        if (bits == UINT64_C(8) << i) return element((DType)of[is_unsigned][i], (uint8_t)bits, !is_unsigned);
    return none("integers of other than 1, 8, 16, 32 or 64 bits");
}

static TypeRead tensor(Bytecode *f, Bytes *r, bool has_encoding)
{
    int64_t dim[WEFT_MAX_RANK];
    uint32_t at = bytes_place(f, *r);
    if (has_encoding) bytes_number(f, r);
    uint32_t rank = bytes_count(f, r);
    if (rank > WEFT_MAX_RANK)
        parse_error(f->p, at, "a tensor of rank %u: allowed are 0 to %d", rank, WEFT_MAX_RANK);
    bool dynamic = false;
    for (uint32_t i = 0; i < rank && !f->p->failed; i++) dynamic |= (dim[i] = bytes_signed(f, r)) < 0;
    const TypeRead *e = bytecode_type(f, r);
    if (!e || e->is_tensor || e->reason) return e && e->reason ? *e : none("tensors of tensors");
    if (dynamic) return none("dynamic shapes");
    TypeRead t = *e;
    t.is_tensor = true;
    t.type.rank = (uint8_t)rank;
    t.type.dim = arena_copy(f->p->arena, dim, rank * sizeof *dim);
    if (type_count(t.type) < 0) parse_error(f->p, at, "a tensor with too many elements");
    return t;
}

static TypeRead vhlo_type(Bytecode *f, Bytes *r)
{
    uint64_t code = bytes_number(f, r);
    if (code == 20 || code == 21) return tensor(f, r, code == 21);
    return code == 8 ? none("functions as values") : vhlo_element(code);
}

static TypeRead builtin_type(Bytecode *f, Bytes *r)
{
    uint64_t code = bytes_number(f, r);
    switch (code) {
    case 0:  return integer(bytes_number(f, r));
    case 1:  return element(WEFT_I64, 64, true);
    case 3:  return element(WEFT_BF16, 16, false);
    case 4:  return element(WEFT_F16, 16, false);
    case 5:  return element(WEFT_F32, 32, false);
    case 6:  return element(WEFT_F64, 64, false);
    case 9:  return none("complex types");
    case 13:
    case 14: return tensor(f, r, code == 14);
    case 15: return none("tuples");
    default: return none("types of MLIR that weft does not know");
    }
}

const TypeRead *bytecode_type_at(Bytecode *f, uint32_t i)
{
    Entry *e = &f->types[i];
    Bytes bytes = e->bytes;
    if (e->state == ENTRY_READ) return &e->as.type;
    if (!open_entry(f, e, "a type")) return NULL;
    e->as.type = e->is_text || e->home == HOME_OTHER ? none("types of other dialects")
                 : e->home == HOME_VHLO              ? vhlo_type(f, &bytes)
                                                     : builtin_type(f, &bytes);
    return close_entry(f, e) ? &e->as.type : NULL;
}

const TypeRead *bytecode_type(Bytecode *f, Bytes *r)
{
    uint32_t i = bytes_index(f, r, f->n_types, "type");
    return f->p->failed ? NULL : bytecode_type_at(f, i);
}

/* ---- attributes ---- */

static AttrSyntax attr(AttrKind kind, const char *text) { return (AttrSyntax){ .kind = kind, .text = text }; }
static AttrSyntax opaque(void) { return attr(ATTR_OPAQUE, ""); }

static AttrSyntax number(Bytecode *f, const TypeRead *t, Bytes *r)
{
    if (!t || t->is_tensor || t->reason) return opaque();
    int64_t v =
        t->bits <= 8 ? t->is_signed ? (int8_t)bytes_byte(f, r) : bytes_byte(f, r) : bytes_signed(f, r);
    AttrSyntax a = attr(ATTR_NUMBER, NULL);
    a.type = t->type;
    a.typed = true;
    if (t->type.dtype == WEFT_BOOL) return attr(ATTR_BOOL, v ? "true" : "false");
    if (dtype_is_float((DType)t->type.dtype)) {
        uint64_t mask = t->bits == 64 ? UINT64_MAX : (UINT64_C(1) << t->bits) - 1;
        a.text = arena_printf(f->p->arena, "0x%llX", (unsigned long long)((uint64_t)v & mask));
    } else if (t->is_signed) a.text = arena_printf(f->p->arena, "%lld", (long long)v);
    else a.text = arena_printf(f->p->arena, "%llu", (unsigned long long)v);
    return a;
}

static AttrSyntax list(Bytecode *f, Bytes *r)
{
    AttrSyntax a = attr(ATTR_LIST, NULL);
    uint32_t n = bytes_count(f, r);
    a.items = arena_alloc(f->p->arena, ((size_t)n + 1) * sizeof *a.items);
    for (uint32_t i = 0; i < n && !f->p->failed; i++) {
        const AttrSyntax *item = bytecode_attr(f, r);
        if (item) a.items[a.n_items++] = *item;
    }
    return a;
}

static AttrSyntax dictionary(Bytecode *f, Bytes *r)
{
    AttrSyntax a = attr(ATTR_DICT, NULL);
    uint32_t n = bytes_count(f, r);
    a.items = arena_alloc(f->p->arena, ((size_t)n + 1) * sizeof *a.items);
    for (uint32_t i = 0; i < n && !f->p->failed; i++) {
        const AttrSyntax *key = bytecode_attr(f, r), *value = bytecode_attr(f, r);
        if (!key || !value) break;
        if (key->kind != ATTR_STRING) {
            parse_error(f->p, bytes_place(f, *r), "a dictionary's key that is no string");
            break;
        }
        a.items[a.n_items] = *value;
        a.items[a.n_items++].key = key->text;
    }
    return a;
}

/* A bit each, or one byte for all. */
static const void *unpacked(Bytecode *f, Bytes from, int64_t count, bool splat)
{
    char *to = arena_alloc(f->p->arena, splat ? 1 : (size_t)count + 1);
    if (splat) *to = *from.at != 0;
    else
        for (int64_t i = 0; i < count; i++) to[i] = from.at[i / 8] >> (i % 8) & 1;
    return to;
}

/* Elements as they lie in memory; one for all of them. */
static AttrSyntax elements(Bytecode *f, const TypeRead *t, Bytes data)
{
    if (!t || !t->is_tensor || t->reason) return opaque();
    AttrSyntax a = attr(ATTR_DENSE, NULL);
    int64_t count = type_count(t->type), n = data.end - data.at,
            size = (int64_t)dtype_bytes((DType)t->type.dtype);
    bool is_bool = t->type.dtype == WEFT_BOOL;
    a.at = bytes_place(f, data);
    a.type = t->type;
    a.typed = true;
    a.splat =
        count != 1 && n == size && !(is_bool && (count + 7) / 8 == 1 && *data.at != 0 && *data.at != 0xFF);
    if (is_bool && count > 1 && count <= 8 && n == 1) a.splat = false; /* its bits; all alike are bits, too */
    if (count == 1 && n == size) a.splat = true;
    int64_t wanted = a.splat ? size : is_bool ? (count + 7) / 8 : count * size;
    if (n != wanted) {
        parse_error(f->p, a.at, "a constant of %lld elements with %lld bytes", (long long)count,
                    (long long)n);
        return a;
    }
    a.data = is_bool ? unpacked(f, data, count, a.splat)
                     : arena_copy(f->p->arena, n ? (const void *)data.at : "", (size_t)n + !n);
    return a;
}

static AttrSyntax counted_elements(Bytecode *f, Bytes *r)
{
    const TypeRead *t = bytecode_type(f, r);
    return elements(f, t, bytes_take(f, r, bytes_number(f, r)));
}

/* One of VHLO's enums, as StableHLO's word. */
static AttrSyntax word(Bytecode *f, Bytes *r, uint64_t code)
{
    static const char *const words[][8] = {
        [3] = { "EQ", "NE", "GE", "GT", "LE", "LT" },
        [4] = { "NOTYPE", "FLOAT", "TOTALORDER", "SIGNED", "UNSIGNED" },
        [5] = { "0", "1", "2", "3", "4" },
        [7] = { "FFT", "IFFT", "RFFT", "IRFFT" },
        [11] = { "DEFAULT", "HIGH", "HIGHEST" },
        [12] = { "DEFAULT", "THREE_FRY", "PHILOX" },
        [13] = { NULL, "UNIFORM", "NORMAL" },
        [16] = { NULL, "NO_TRANSPOSE", "TRANSPOSE", "ADJOINT" },
        [19] = { "DEFAULT", "HIGHEST", "TOLERANCE" },
    };
    uint64_t v = bytes_number(f, r);
    if (code < sizeof words / sizeof *words && v < 8 && words[code][v])
        return attr(ATTR_WORD, words[code][v]);
    parse_unsupported(f->p, bytes_place(f, *r), "attribute %llu of VHLO with the value %llu",
                      (unsigned long long)code, (unsigned long long)v);
    return opaque();
}

static AttrSyntax vhlo_attr(Bytecode *f, Bytes *r)
{
    uint64_t code = bytes_number(f, r);
    switch (code) {
    case 1: return list(f, r);
    case 2: return attr(ATTR_BOOL, bytes_number(f, r) == 1 ? "true" : "false");
    case 6: return dictionary(f, r);
    case 8:
    case 9: {
        const TypeRead *t = bytecode_type(f, r);
        return number(f, t, r);
    }
    case 14: return attr(ATTR_STRING, bytes_string(f, r));
    case 15: return counted_elements(f, r);
    case 10: /* aliases of custom calls, types, bounds, accuracies: nobody asks for them */
    case 17:
    case 18:
    case 20: return opaque();
    default: return word(f, r, code);
    }
}

static AttrSyntax builtin_attr(Bytecode *f, Bytes *r)
{
    const TypeRead *t;
    switch (bytes_number(f, r)) {
    case 0: return list(f, r);
    case 1: return dictionary(f, r);
    case 2:
    case 3: return attr(ATTR_STRING, bytes_string(f, r));
    case 4: {
        const AttrSyntax *name = bytecode_attr(f, r);
        return name ? attr(ATTR_SYMBOL, name->text) : opaque();
    }
    case 7:  return attr(ATTR_UNIT, NULL);
    case 8:
    case 9:  t = bytecode_type(f, r); return number(f, t, r);
    case 18: return counted_elements(f, r);
    default: return opaque(); /* locations among them */
    }
}

const AttrSyntax *bytecode_attr(Bytecode *f, Bytes *r)
{
    uint32_t i = bytes_index(f, r, f->n_attrs, "attribute");
    if (f->p->failed) return NULL;
    Entry *e = &f->attrs[i];
    Bytes bytes = e->bytes;
    if (e->state == ENTRY_READ) return &e->as.attr;
    uint32_t at = bytes_place(f, bytes);
    if (!open_entry(f, e, "an attribute")) return NULL;
    AttrSyntax a = e->is_text || e->home == HOME_OTHER ? opaque()
                   : e->home == HOME_VHLO              ? vhlo_attr(f, &bytes)
                                                       : builtin_attr(f, &bytes);
    if (!a.at) a.at = at;
    e->as.attr = a;
    return close_entry(f, e) ? &e->as.attr : NULL;
}

/* ---- places ---- */

enum { DEEPEST_PLACE = 16 };

static const char *place_at(Bytecode *f, Bytes *r, int depth)
{
    uint32_t i = bytes_index(f, r, f->n_attrs, "location");
    if (f->p->failed || depth > DEEPEST_PLACE) return NULL;
    Bytes in = f->attrs[i].bytes;
    if (f->attrs[i].home != HOME_BUILTIN || f->attrs[i].is_text) return NULL;
    switch (bytes_number(f, &in)) {
    case 10: return place_at(f, &in, depth + 1); /* a call: the place of what is called */
    case 11: {
        const AttrSyntax *file = bytecode_attr(f, &in);
        unsigned long long line = bytes_number(f, &in);
        return file && file->text ? arena_printf(f->p->arena, "%.400s:%llu", file->text, line) : NULL;
    }
    case 12:
    case 13: return bytes_count(f, &in) ? place_at(f, &in, depth + 1) : NULL;
    case 14: bytes_number(f, &in); return place_at(f, &in, depth + 1);
    default: return NULL;
    }
}

const char *bytecode_place(Bytecode *f, Bytes *r) { return place_at(f, r, 0); }
