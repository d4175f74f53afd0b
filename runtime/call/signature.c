/* signature.c: reads "weft_array *(weft_array *x, int n)": words, stars and commas; nothing nests. */
#include "signature.h"
#include <stdio.h>
#include <string.h>
#include "cursor.h"

enum { MAX_WORDS = 8, WORD_BYTES = 128 };
/* The words of one parameter, or of the return type. */
typedef struct Words {
    int n, stars;
    char word[MAX_WORDS][WORD_BYTES];
    bool is_const, is_out, brackets;
    bool const_first; /* what the pointer points to is const */
} Words;

typedef struct SignatureReader {
    TextCursor c;
    Arena *arena;
    const Described *described;
} SignatureReader;

static bool take_word(SignatureReader *r, Words *w)
{
    size_t n = cursor_word(&r->c);
    char word[WORD_BYTES];
    if (n >= WORD_BYTES) return cursor_fail(&r->c, "a name of %zu characters: at most %d", n, WORD_BYTES - 1);
    memcpy(word, r->c.at, n);
    word[n] = '\0';
    r->c.at += n;
    if (!strcmp(word, "const")) {
        w->const_first |= !w->stars;
        return w->is_const = true;
    }
    if (!strcmp(word, "WEFT_OUT")) return w->is_out = true;
    if (!strcmp(word, "restrict") || !strcmp(word, "__restrict") || !strcmp(word, "struct") ||
        !strcmp(word, "register"))
        return true;
    if (w->n == MAX_WORDS) return cursor_fail(&r->c, "a parameter of more than %d words", MAX_WORDS);
    memcpy(w->word[w->n++], word, n + 1);
    return true;
}

/* Reads words up to one of the stop characters, which is not taken. */
static bool take_words(SignatureReader *r, Words *w, const char *stops)
{
    *w = (Words){ 0 };
    for (;;) {
        cursor_skip(&r->c);
        char c = *r->c.at;
        if (strchr(stops, c)) return c != '\0' || cursor_fail(&r->c, "the text ends too early");
        if (cursor_word(&r->c)) {
            if (!take_word(r, w)) return false;
        } else if (c == '*') {
            w->stars++, r->c.at++;
        } else if (c == '[' || c == ']') {
            w->brackets = true, r->c.at++;
        } else {
            return cursor_fail(&r->c, "unexpected '%c'", c);
        }
    }
}

/* ---- numbers ---- */

#define SIGNED_OF(T) \
    (sizeof(T) == 1 ? WEFT_I8 : sizeof(T) == 2 ? WEFT_I16 : sizeof(T) == 4 ? WEFT_I32 : WEFT_I64)
#define UNSIGNED_OF(T) \
    (sizeof(T) == 1 ? WEFT_U8 : sizeof(T) == 2 ? WEFT_U16 : sizeof(T) == 4 ? WEFT_U32 : WEFT_U64)
#define CHAR_TYPE ((char)-1 < 0 ? WEFT_I8 : WEFT_U8)

static const struct {
    const char *spelling;
    uint8_t type;
} number_spellings[] = {
    { "bool", WEFT_BOOL },
    { "_Bool", WEFT_BOOL },
    { "char", CHAR_TYPE },
    { "signed char", WEFT_I8 },
    { "unsigned char", WEFT_U8 },
    { "short", SIGNED_OF(short) },
    { "short int", SIGNED_OF(short) },
    { "signed short", SIGNED_OF(short) },
    { "unsigned short", UNSIGNED_OF(short) },
    { "unsigned short int", UNSIGNED_OF(short) },
    { "int", SIGNED_OF(int) },
    { "signed", SIGNED_OF(int) },
    { "signed int", SIGNED_OF(int) },
    { "unsigned", UNSIGNED_OF(int) },
    { "unsigned int", UNSIGNED_OF(int) },
    { "long", SIGNED_OF(long) },
    { "long int", SIGNED_OF(long) },
    { "signed long", SIGNED_OF(long) },
    { "unsigned long", UNSIGNED_OF(long) },
    { "unsigned long int", UNSIGNED_OF(long) },
    { "long long", WEFT_I64 },
    { "long long int", WEFT_I64 },
    { "unsigned long long", WEFT_U64 },
    { "unsigned long long int", WEFT_U64 },
    { "int8_t", WEFT_I8 },
    { "int16_t", WEFT_I16 },
    { "int32_t", WEFT_I32 },
    { "int64_t", WEFT_I64 },
    { "uint8_t", WEFT_U8 },
    { "uint16_t", WEFT_U16 },
    { "uint32_t", WEFT_U32 },
    { "uint64_t", WEFT_U64 },
    { "size_t", UNSIGNED_OF(size_t) },
    { "ptrdiff_t", SIGNED_OF(ptrdiff_t) },
    { "intptr_t", SIGNED_OF(intptr_t) },
    { "uintptr_t", UNSIGNED_OF(uintptr_t) },
    { "weft_dtype", UNSIGNED_OF(int) },
    { "float", WEFT_F32 },
    { "double", WEFT_F64 },
};

/* How C numbers are passed, and written in messages. */
static const struct {
    ffi_type *ffi;
    const char *spelling;
} c_number[DTYPE_COUNT] = {
    [WEFT_BOOL] = { &ffi_type_uint8, "bool" },    [WEFT_F64] = { &ffi_type_double, "double" },
    [WEFT_I8] = { &ffi_type_sint8, "int8_t" },    [WEFT_U8] = { &ffi_type_uint8, "uint8_t" },
    [WEFT_I16] = { &ffi_type_sint16, "int16_t" }, [WEFT_U16] = { &ffi_type_uint16, "uint16_t" },
    [WEFT_I32] = { &ffi_type_sint32, "int" },     [WEFT_U32] = { &ffi_type_uint32, "unsigned" },
    [WEFT_I64] = { &ffi_type_sint64, "int64_t" }, [WEFT_U64] = { &ffi_type_uint64, "uint64_t" },
    [WEFT_F32] = { &ffi_type_float, "float" },
};

/* How many of the words spell a number type, longest first; the rest is the parameter's name. */
static int number_words(const Words *w, DType *type)
{
    for (int n = w->n; n > 0; n--) {
        char spelling[MAX_WORDS * WORD_BYTES] = "";
        for (int i = 0; i < n; i++) {
            if (i) strcat(spelling, " ");
            strcat(spelling, w->word[i]);
        }
        for (size_t i = 0; i < sizeof number_spellings / sizeof *number_spellings; i++) {
            if (strcmp(spelling, number_spellings[i].spelling)) continue;
            *type = (DType)number_spellings[i].type;
            return n;
        }
    }
    return 0;
}

/* ---- parameters ---- */

static bool named(const Words *w, int from, SignatureReader *r, int index, const char **name)
{
    if (w->n > from + 1)
        return cursor_fail(&r->c, "parameter %d: unexpected '%s'", index + 1, w->word[from + 1]);
    *name = w->n > from ? arena_printf(r->arena, "%s", w->word[from])
                        : arena_printf(r->arena, "argument %d", index + 1);
    return true;
}

static bool array_param(SignatureReader *r, const Words *w, int index, Param *p)
{
    int stars = w->stars + w->brackets;
    if (stars < 1 || stars > 2)
        return cursor_fail(
            &r->c, "parameter %d: an array is a weft_array *, a result a WEFT_OUT weft_array **", index + 1);
    if (stars == 1 && w->is_out)
        return cursor_fail(&r->c, "parameter %d: a WEFT_OUT of one array is a weft_array **", index + 1);
    if (stars == 2 && w->is_const)
        return cursor_fail(&r->c, "parameter %d: a const weft_array ** is neither argument nor result",
                           index + 1);
    p->kind = stars == 1 ? PARAM_ARRAY : PARAM_OUT;
    return named(w, 1, r, index, &p->name);
}

/* const T *: an argument; T *: in-out; WEFT_OUT T *: a result. */
static bool tree_param(SignatureReader *r, const Words *w, int index, const weft_tree *tree, Param *p)
{
    if (w->stars + w->brackets != 1)
        return cursor_fail(&r->c, "parameter %d: a struct is passed by pointer: const %s *", index + 1,
                           tree->name);
    if (w->is_const && w->is_out)
        return cursor_fail(&r->c, "parameter %d: a WEFT_OUT struct is written, so it is not const",
                           index + 1);
    p->kind = w->is_out ? PARAM_OUT_TREE : w->is_const ? PARAM_TREE : PARAM_INOUT;
    p->tree = tree;
    return named(w, 1, r, index, &p->name);
}

const Described *described_find(const Described *d, const char *name)
{
    while (d && strcmp(d->tree->name, name)) d = d->next;
    return d;
}

static bool read_param(SignatureReader *r, const Words *w, int index, Param *p)
{
    *p = (Param){ .in = -1, .out = -1 };
    if (w->n && !strcmp(w->word[0], "weft_array")) return array_param(r, w, index, p);
    const Described *d = w->n ? described_find(r->described, w->word[0]) : NULL;
    if (d) return tree_param(r, w, index, d->tree, p);
    DType type;
    int words = number_words(w, &type);
    if (!words && w->n == 0) return cursor_fail(&r->c, "parameter %d has no type", index + 1);
    if (!words && !w->stars)
        return cursor_fail(
            &r->c,
            "parameter %d: '%s' is no array (weft_array *) and no C number; a struct of arrays is "
            "passed by pointer",
            index + 1, w->word[0]);
    if (!words)
        return cursor_fail(&r->c, "parameter %d: struct %s is not described: weft_describe(ctx, %s) first",
                           index + 1, w->word[0], w->word[0]);
    if (w->stars || w->brackets)
        return cursor_fail(&r->c, "parameter %d: a C number is passed by value; many numbers are an array",
                           index + 1);
    if (w->is_out)
        return cursor_fail(&r->c, "parameter %d: a result is an array: WEFT_OUT weft_array **", index + 1);
    p->kind = PARAM_NUMBER;
    p->number = (uint8_t)type;
    return named(w, words, r, index, &p->name);
}

static bool read_return(SignatureReader *r, Signature *s)
{
    Words w;
    if (!take_words(r, &w, "(")) return false;
    s->returns = w.n == 1 && !strcmp(w.word[0], "weft_array") && w.stars == 1;
    if (s->returns || (w.n == 1 && !strcmp(w.word[0], "void") && !w.stars)) return true;
    return cursor_fail(
        &r->c,
        "a function returns weft_array * or void; further results, structs too, are WEFT_OUT parameters");
}

/* The words of the next parameter; done: there is none. False: failure set. */
static bool next_param(SignatureReader *r, int n_before, Words *w, bool *done)
{
    if ((*done = *r->c.at == ')')) return true;
    r->c.at++; /* the '(' or a comma */
    if (!take_words(r, w, ",)")) return false;
    bool nothing = !w->stars && (w->n == 0 || (w->n == 1 && !strcmp(w->word[0], "void")));
    if ((*done = *r->c.at == ')' && !n_before && nothing)) return true;
    return n_before < SIGNATURE_MAX_PARAMS ||
           cursor_fail(&r->c, "more than %d parameters", SIGNATURE_MAX_PARAMS);
}

static bool at_end(SignatureReader *r)
{
    r->c.at++;
    cursor_skip(&r->c);
    return !*r->c.at || cursor_fail(&r->c, "unexpected '%s' behind the parameters", r->c.at);
}

static bool read_params(SignatureReader *r, Signature *s)
{
    for (bool done;; s->n_params++) {
        Words w;
        if (!next_param(r, s->n_params, &w, &done)) return false;
        if (done) return at_end(r);
        if (!read_param(r, &w, s->n_params, &s->params[s->n_params])) return false;
    }
}

static bool same_names(SignatureReader *r, const Signature *s)
{
    for (int i = 0; i < s->n_params; i++)
        for (int k = 0; k < i; k++)
            if (!strcmp(s->params[i].name, s->params[k].name))
                return !cursor_fail(&r->c, "two parameters are called %s", s->params[i].name);
    return false;
}

/* ---- what calls need ---- */

/* p NULL: the array that is returned. */
static int16_t add_field(weft_tree *t, weft_field *fields, const Param *p)
{
    size_t i = t->fields++;
    bool number = p && p->kind == PARAM_NUMBER, tree = p && p->tree;
    fields[i] = (weft_field){ .name = p ? p->name : "return",
                              .offset = i * sizeof(Slot),
                              .bytes = number ? dtype_bytes((DType)p->number) : sizeof(void *),
                              .kind = number ? (int)WEFT_FIELD_STATIC
                                      : tree ? (int)FIELD_ARGUMENT
                                             : (int)WEFT_FIELD_ARRAY,
                              .number = p ? p->number : 0,
                              .tree = p ? p->tree : NULL };
    t->bytes = t->fields * sizeof(Slot);
    return (int16_t)i;
}

static void list_fields(Arena *a, Signature *s)
{
    size_t room = (size_t)s->n_params + 1;
    weft_field *in = arena_alloc(a, room * sizeof *in), *out = arena_alloc(a, room * sizeof *out);
    s->in = (weft_tree){ .name = "arguments", .field = in };
    s->out = (weft_tree){ .name = "results", .field = out };
    s->in_of_out = arena_alloc(a, room * sizeof *s->in_of_out);
    memset(s->in_of_out, -1, room * sizeof *s->in_of_out);
    s->plain_in = s->plain_out = true;
    if (s->returns) add_field(&s->out, out, NULL);
    for (int i = 0; i < s->n_params; i++) {
        Param *p = &s->params[i];
        if (p->kind <= PARAM_INOUT) p->in = add_field(&s->in, in, p);
        if (p->kind >= PARAM_INOUT) p->out = add_field(&s->out, out, p);
        if (p->kind == PARAM_INOUT) s->in_of_out[p->out] = p->in;
        s->plain_in &= !p->tree || p->in < 0;
        s->plain_out &= !p->tree || p->out < 0;
    }
}

/* Finds once what each call would otherwise look for. */
static void find_layouts(Arena *a, Signature *s)
{
    TreeRange at = { s->returns, 0 };
    bool fixed_out = true;
    TreeRange *range = arena_alloc(a, (s->out.fields + 1) * sizeof *range);
    s->fixed_in = true;
    for (int i = 0; i < s->n_params; i++) {
        Param *p = &s->params[i];
        p->layout = p->tree ? layout_make(a, p->tree) : NULL;
        if (p->tree && p->in >= 0) s->fixed_in &= p->layout != NULL;
        if (p->out < 0) continue;
        range[p->out] = at;
        fixed_out &= !p->tree || p->layout;
        at.leaf += p->layout ? p->layout->n_leaves : 1;
        at.word += p->layout ? p->layout->n_words : 0;
    }
    range[s->out.fields] = at;
    s->out_range = fixed_out ? range : NULL;
}

static bool prepare_call(Arena *a, Signature *s, Failure *f)
{
    s->types = arena_alloc(a, ((size_t)s->n_params + 1) * sizeof *s->types);
    s->abi = arena_alloc(a, (size_t)s->n_params + 2);
    s->abi[0] = s->returns ? 'p' : 'v';
    for (int i = 0; i < s->n_params; i++) {
        const Param *p = &s->params[i];
        s->types[i] = p->kind == PARAM_NUMBER ? c_number[p->number].ffi : &ffi_type_pointer;
        s->abi[i + 1] = p->kind == PARAM_NUMBER ? (char)('A' + p->number) : 'p';
    }
    ffi_type *ret = s->returns ? &ffi_type_pointer : &ffi_type_void;
    return ffi_prep_cif(&s->cif, FFI_DEFAULT_ABI, (unsigned)s->n_params, ret, s->types) == FFI_OK ||
           fail(f, WEFT_ARGUMENT, "libffi cannot call a function of this type");
}

Signature *signature_parse(Arena *a, const Described *described, const char *text, Failure *f)
{
    SignatureReader r = { { text, f }, a, described };
    Signature *s = arena_alloc(a, sizeof *s);
    s->text = arena_printf(a, "%s", text);
    s->params = arena_alloc(a, SIGNATURE_MAX_PARAMS * sizeof *s->params);
    if (!read_return(&r, s) || !read_params(&r, s) || same_names(&r, s)) return NULL;
    list_fields(a, s);
    find_layouts(a, s);
    if (s->out.fields == 0)
        return cursor_fail(&r.c, "the function has no result: it returns weft_array *, or has WEFT_OUT or "
                                 "in-out parameters");
    return prepare_call(a, s, f) ? s : NULL;
}

const Param *signature_argument(const Signature *s, size_t field)
{
    int i = 0;
    while (s->params[i].in != (int)field) i++;
    return &s->params[i];
}

const Param *signature_result_param(const Signature *s, size_t field)
{
    for (int i = 0; i < s->n_params; i++)
        if (s->params[i].out == (int)field) return &s->params[i];
    return NULL;
}

bool param_equal(const Param *a, const Param *b)
{
    return a->kind == b->kind && a->number == b->number && tree_equal(a->tree, b->tree);
}

char *param_text(char *buf, size_t size, const Param *p, const char *name)
{
    const char *type = p->tree ? p->tree->name : "weft_array";
    switch (p->kind) {
    case PARAM_NUMBER:   snprintf(buf, size, "%s %s", c_number[p->number].spelling, name); break;
    case PARAM_TREE:     snprintf(buf, size, "const %s *%s", type, name); break;
    case PARAM_OUT:      snprintf(buf, size, "WEFT_OUT weft_array **%s", name); break;
    case PARAM_OUT_TREE: snprintf(buf, size, "WEFT_OUT %s *%s", type, name); break;
    default:             snprintf(buf, size, "%s *%s", type, name); break;
    }
    return buf;
}

size_t signature_inout_result(const Signature *s, size_t in)
{
    size_t o = 0;
    while (o < s->out.fields && s->in_of_out[o] != (int)in) o++;
    return o;
}

size_t signature_result(const Signature *s, size_t from)
{
    while (from < s->out.fields && s->in_of_out[from] >= 0) from++;
    return from;
}

/* ---- C functions from elsewhere ---- */

static bool read_ctype(SignatureReader *r, const Words *w, const char *what, int index, CParam *p)
{
    DType type = WEFT_F64;
    int words = number_words(w, &type), stars = w->stars + w->brackets;
    *p = (CParam){ .number = (uint8_t)type, .is_const = w->const_first, .pointer = stars > 0 };
    if (!words && w->n && !strcmp(w->word[0], "void")) words = p->is_void = true;
    if (!words)
        return cursor_fail(&r->c, "%s: '%s' is no C number that weft knows", what,
                           w->n ? w->word[0] : "nothing");
    if (stars > 1 || (w->brackets && w->stars))
        return cursor_fail(&r->c, "%s: a pointer to pointers is no array", what);
    return named(w, words, r, index, &p->name);
}

static bool read_cparams(SignatureReader *r, CType *t)
{
    for (bool done;; t->n_params++) {
        Words w;
        char what[32];
        int i = t->n_params;
        CParam *p = &t->params[i];
        if (!next_param(r, i, &w, &done)) return false;
        if (done) return at_end(r);
        snprintf(what, sizeof what, "parameter %d", i + 1);
        if (!read_ctype(r, &w, what, i, p)) return false;
        if (p->is_void && !p->pointer) return cursor_fail(&r->c, "%s is void", what);
        t->types[i] = p->pointer ? &ffi_type_pointer : c_number[p->number].ffi;
    }
}

bool ctype_parse(Arena *a, const char *text, CType *t, Failure *f)
{
    SignatureReader r = { { text, f }, a, NULL };
    Words w;
    *t = (CType){ 0 };
    if (!take_words(&r, &w, "(") || !read_ctype(&r, &w, "the result", 0, &t->returns) || !read_cparams(&r, t))
        return false;
    if (t->returns.pointer)
        return fail(f, WEFT_ARGUMENT, "the function returns a pointer: it must return a number or void");
    ffi_type *returns = t->returns.is_void ? &ffi_type_void : c_number[t->returns.number].ffi;
    return ffi_prep_cif(&t->cif, FFI_DEFAULT_ABI, (unsigned)t->n_params, returns, t->types) == FFI_OK ||
           fail(f, WEFT_ARGUMENT, "libffi cannot call a function of this type");
}
