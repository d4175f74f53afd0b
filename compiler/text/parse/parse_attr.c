/* parse_attr.c: attribute values, dictionaries of them, and locations. */
#include <string.h>
#include "compiler/text/decimal.h"
#include "parse.h"

enum { MAX_FIELDS = 1000 }; /* keys are compared with each other */

static bool list(Parser *p, int close, AttrSyntax *a)
{
    uint32_t capacity = 0;
    a->kind = ATTR_LIST;
    if (parse_take(p, close)) return true;
    do {
        if (!parse_attr(p, ATTR_TYPED, &ARENA_PUSH(p->arena, a->items, a->n_items, capacity))) return false;
    } while (parse_take(p, ','));
    return parse_expect(p, close, close == ']' ? "`,` or `]`" : "`,` or `>`");
}

/* k = v, k = v; a key alone is a unit. */
static bool fields(Parser *p, int close, AttrSyntax *a)
{
    uint32_t capacity = 0;
    a->kind = ATTR_DICT;
    if (parse_take(p, close)) return true;
    do {
        if (p->tok.kind != TOK_WORD && p->tok.kind != TOK_STRING)
            return parse_unexpected(p, "an attribute's name");
        if (a->n_items == MAX_FIELDS) return parse_error(p, p->tok.at, "more than %d attributes", MAX_FIELDS);
        const char *key = parse_token_text(p);
        if (attr_field(a, key)) return parse_error(p, p->tok.at, "attribute %s is given twice", key);
        AttrSyntax *field = &ARENA_PUSH(p->arena, a->items, a->n_items, capacity);
        field->at = p->tok.at;
        parse_next(p);
        if (parse_take(p, '=') && !parse_attr(p, ATTR_TYPED, field)) return false;
        field->key = key;
    } while (parse_take(p, ','));
    return parse_expect(p, close, close == '}' ? "`,` or `}`" : "`,` or `>`");
}

static bool number(Parser *p, AttrForm form, AttrSyntax *a)
{
    bool minus = parse_take(p, '-');
    if (p->tok.kind != TOK_NUMBER) return parse_unexpected(p, "a number");
    a->kind = ATTR_NUMBER;
    char *text = arena_alloc(p->arena, p->tok.length + 2);
    if (minus) text[0] = '-';
    memcpy(text + minus, p->tok.text, p->tok.length);
    a->text = text;
    parse_next(p);
    if (form == ATTR_BARE || !parse_take(p, ':')) return !p->failed;
    if (parse_is_word(p, "tensor")) return a->typed = parse_type(p, &a->type);
    return parse_expect(p, TOK_WORD, "a type");
}

/* array<i64: 1, 2> */
static bool array(Parser *p, AttrSyntax *a)
{
    parse_next(p);
    a->kind = ATTR_LIST;
    if (!parse_expect(p, TOK_WORD, "the array's element type")) return false;
    return parse_take(p, '>') || (parse_expect(p, ':', "`:` or `>`") && list(p, '>', a));
}

static bool literal_type(Parser *p, AttrForm form, AttrSyntax *a)
{
    if (form == ATTR_BARE) return !p->failed;
    return a->typed = parse_expect(p, ':', "`:` and the literal's type") && parse_type(p, &a->type);
}

/* dense<...> : T, its elements read when the type is known */
static bool dense(Parser *p, AttrForm form, AttrSyntax *a)
{
    a->kind = ATTR_DENSE;
    a->at = p->pos;
    return parse_skip_group(p) && literal_type(p, form, a);
}

/* Finds the bytes of each resource in the section that stands last: `{-# ... name: "0x...", ... #-}`. */
static void read_resources(Parser *p)
{
    uint32_t i = 0, start;
    while (i + 3 <= p->n && memcmp(p->chars + i, "{-#", 3) != 0) i++;
    if (i + 3 > p->n) return;
    p->resources = i;
    while (i < p->n) {
        for (start = i; i < p->n && !strchr(" \t\n{},:\"", p->chars[i]); i++) {}
        uint32_t end = i;
        while (i < p->n && (p->chars[i] == ' ' || p->chars[i] == ':')) i++;
        if (i == p->n || p->chars[i] != '"') {
            i += i == start;
            continue;
        }
        char *name = arena_printf(p->arena, "%.*s", (int)(end - start), p->chars + start);
        names_add(p->arena, &p->resource_at, name, i);
        for (i++; i < p->n && p->chars[i] != '"'; i++) {}
        i++;
    }
}

/* dense_resource<name> : T */
static bool dense_resource(Parser *p, AttrForm form, AttrSyntax *a)
{
    uint32_t at = p->tok.at;
    a->kind = ATTR_DENSE;
    if (!parse_expect(p, '<', "`<` and the resource's name")) return false;
    const char *name = parse_token_text(p);
    parse_next(p);
    if (!p->resources) read_resources(p);
    a->at = names_get(&p->resource_at, name);
    if (a->at == 0) return parse_error(p, at, "there is no resource %.100s", name);
    return parse_expect(p, '>', "`>` behind the resource's name") && literal_type(p, form, a);
}

/* #stablehlo.gather<k = v, ...>, #stablehlo<precision HIGH>, #alias */
static bool dialect_attr(Parser *p, AttrSyntax *a)
{
    a->kind = ATTR_WORD;
    a->text = parse_token_text(p);
    parse_next(p);
    if (!parse_take(p, '<')) return !p->failed;
    if (p->tok.kind == '[' && strcmp(a->text, "stablehlo.conv") == 0)
        return parse_conv_numbers(p, a) && parse_expect(p, '>', "`>` behind the axes");
    if (parse_take_word(p, "raw")) return fields(p, '>', a);
    if (p->tok.kind == '>' || (p->tok.kind == TOK_WORD && parse_peek(p, '='))) return fields(p, '>', a);
    uint32_t open = 1;
    for (a->kind = ATTR_OPAQUE; open > 0 && p->tok.kind != TOK_END;) {
        if (p->tok.kind == '<') open++;
        if (p->tok.kind == '>') open--;
        if (p->tok.kind == TOK_WORD && open == 1) {
            a->kind = ATTR_WORD;
            a->text = parse_token_text(p);
        }
        parse_next(p);
    }
    return open > 0 ? parse_error(p, a->at, "`<` is never closed") : !p->failed;
}

/* true, DEFAULT, i64, vector<2xi1> */
static bool plain_word(Parser *p, AttrSyntax *a)
{
    a->kind = parse_is_word(p, "true") || parse_is_word(p, "false") ? ATTR_BOOL : ATTR_WORD;
    a->text = parse_token_text(p);
    parse_next(p);
    if (p->tok.kind != '<') return !p->failed;
    a->kind = ATTR_OPAQUE;
    return parse_skip_group(p);
}

static bool word_attr(Parser *p, AttrForm form, AttrSyntax *a)
{
    bool angle = parse_peek(p, '<');
    if (angle && parse_take_word(p, "dense")) return dense(p, form, a);
    if (angle && parse_take_word(p, "array")) return array(p, a);
    if (parse_take_word(p, "dense_resource")) return dense_resource(p, form, a);
    if (parse_is_word(p, "sparse")) return parse_unsupported(p, p->tok.at, "sparse constants");
    if (parse_is_word(p, "loc") && parse_peek(p, '(')) {
        a->kind = ATTR_OPAQUE;
        return parse_loc(p) || !p->failed;
    }
    if (!parse_is_word(p, "tensor")) return plain_word(p, a);
    a->kind = ATTR_TYPE;
    return a->typed = parse_type(p, &a->type);
}

/* (T) -> T, as in function_type: a pair of lists, of which the first is left empty */
static bool function_type(Parser *p, AttrSyntax *a)
{
    Type *types;
    uint32_t n;
    a->kind = ATTR_OPAQUE;
    if (!parse_skip_group(p) || !parse_take(p, TOK_ARROW)) return !p->failed;
    if (!parse_type_or_list(p, &types, &n)) return false;
    AttrSyntax *pair = arena_alloc(p->arena, 2 * sizeof *pair);
    pair[0] = pair[1] = (AttrSyntax){ .kind = ATTR_LIST };
    pair[1].n_items = n;
    pair[1].items = arena_alloc(p->arena, ((size_t)n + 1) * sizeof *pair);
    for (uint32_t i = 0; i < n; i++)
        pair[1].items[i] = (AttrSyntax){ .kind = ATTR_TYPE, .type = types[i], .typed = true };
    a->kind = ATTR_PAIR;
    a->items = pair;
    a->n_items = 2;
    return true;
}

/* @f, or @module::@f, of which the first name counts */
static bool symbol(Parser *p, AttrSyntax *a)
{
    a->kind = ATTR_SYMBOL;
    a->text = parse_token_text(p);
    for (parse_next(p); p->tok.kind == ':' && parse_peek(p, ':');) {
        parse_next(p);
        parse_next(p);
        parse_next(p);
    }
    return !p->failed;
}

/* <[...]>, which nothing asks for, or <k = v, ...> */
static bool in_angles(Parser *p, AttrSyntax *a)
{
    bool opaque = parse_peek(p, '[');
    if (opaque) a->kind = ATTR_OPAQUE;
    return opaque ? parse_skip_group(p) : parse_take(p, '<') && fields(p, '>', a);
}

static bool value(Parser *p, AttrForm form, AttrSyntax *a)
{
    switch (p->tok.kind) {
    case '[':        return parse_take(p, '[') && list(p, ']', a);
    case '{':        return parse_take(p, '{') && fields(p, '}', a);
    case '<':        return in_angles(p, a);
    case '-':
    case TOK_NUMBER: return number(p, form, a);
    case TOK_STRING:
        a->kind = ATTR_STRING;
        a->text = parse_token_text(p);
        return parse_take(p, TOK_STRING);
    case TOK_SYMBOL: return symbol(p, a);
    case TOK_HASH:   return dialect_attr(p, a);
    case TOK_BANG:
        a->kind = ATTR_OPAQUE;
        parse_next(p);
        return p->tok.kind == '<' ? parse_skip_group(p) : !p->failed;
    case '(':      return function_type(p, a);
    case TOK_WORD: return word_attr(p, form, a);
    default:       return parse_unexpected(p, "an attribute");
    }
}

bool parse_attr(Parser *p, AttrForm form, AttrSyntax *a)
{
    a->at = p->tok.at;
    if (parse_enter(p)) value(p, form, a);
    parse_leave(p);
    if (a->kind == ATTR_OPAQUE || a->kind == ATTR_WORD) a->bytes = parse_spelling(p, a->at);
    if (p->failed || a->kind != ATTR_LIST || form != ATTR_BARE || !parse_is_word(p, "x")) return !p->failed;
    /* [1] x [0] */
    AttrSyntax *pair = arena_alloc(p->arena, 2 * sizeof *pair);
    parse_next(p);
    pair[0] = *a;
    a->kind = ATTR_PAIR;
    a->items = pair;
    a->n_items = 2;
    if (parse_enter(p) && parse_expect(p, '[', "`[` behind `x`")) list(p, ']', &pair[1]);
    parse_leave(p);
    return !p->failed;
}

Bytes parse_spelling(const Parser *p, uint32_t from)
{
    const uint8_t *chars = (const uint8_t *)p->chars;
    return (Bytes){ chars + from, chars + p->tok.at };
}

AttrSyntax *parse_add_attr(Parser *p, OpSyntax *op, const char *key)
{
    if (op->n_attrs == MAX_FIELDS) parse_error(p, p->tok.at, "more than %d attributes", MAX_FIELDS);
    if (attr_find(op, key, NULL)) parse_error(p, p->tok.at, "attribute %s is given twice", key);
    AttrSyntax *a = &ARENA_PUSH(p->arena, op->attrs, op->n_attrs, op->cap_attrs);
    a->key = key;
    a->at = p->tok.at;
    return a;
}

static bool adopt(Parser *p, OpSyntax *op)
{
    AttrSyntax dict = { .kind = ATTR_DICT };
    if (parse_enter(p)) fields(p, '}', &dict);
    parse_leave(p);
    for (uint32_t i = 0; i < dict.n_items && !p->failed; i++)
        *parse_add_attr(p, op, dict.items[i].key) = dict.items[i];
    return !p->failed;
}

bool parse_attr_dict(Parser *p, OpSyntax *op) { return parse_take(p, '{') ? adopt(p, op) : !p->failed; }

bool parse_attr_props(Parser *p, OpSyntax *op)
{
    if (p->tok.kind != '<' || !parse_peek(p, '{')) return !p->failed;
    parse_next(p);
    parse_next(p);
    return adopt(p, op) && parse_expect(p, '>', "`>` behind the properties");
}

/* Locations. */

/* A location has many forms. The first "file":line:column or #alias in it is the place. */
static const char *loc_body(Parser *p)
{
    uint32_t start = p->tok.at, open = 0;
    const char *place = NULL;
    do {
        Token t = p->tok;
        if (t.kind == TOK_END) return parse_error(p, start, "`(` is never closed"), NULL;
        const char *text =
            !place && (t.kind == TOK_STRING || t.kind == TOK_HASH) ? parse_token_text(p) : NULL;
        open += t.kind == '(';
        open -= t.kind == ')';
        parse_next(p);
        if (text && t.kind == TOK_HASH) place = arena_printf(p->arena, "#%s", text);
        if (!text || t.kind != TOK_STRING || p->tok.kind != ':') continue;
        parse_next(p);
        if (p->tok.kind == TOK_NUMBER)
            place = arena_printf(p->arena, "%s:%.*s", text, p->tok.length > 9 ? 9 : (int)p->tok.length,
                                 p->tok.text);
    } while (open > 0);
    return place;
}

const char *parse_loc(Parser *p)
{
    if (!parse_is_word(p, "loc") || !parse_peek(p, '(')) return NULL;
    parse_next(p);
    return loc_body(p);
}

/* What rules ask for. */

const AttrSyntax *attr_find(const OpSyntax *op, const char *key, const char *other_key)
{
    for (uint32_t i = 0; i < op->n_attrs; i++)
        if (strcmp(op->attrs[i].key, key) == 0 || (other_key && strcmp(op->attrs[i].key, other_key) == 0))
            return &op->attrs[i];
    return NULL;
}

const AttrSyntax *attr_field(const AttrSyntax *dict, const char *key)
{
    for (uint32_t i = 0; dict && i < dict->n_items && dict->kind == ATTR_DICT; i++)
        if (strcmp(dict->items[i].key, key) == 0) return &dict->items[i];
    return NULL;
}

const char *attr_word(const AttrSyntax *a)
{
    return a && (a->kind == ATTR_WORD || a->kind == ATTR_SYMBOL || a->kind == ATTR_STRING ||
                 a->kind == ATTR_BOOL)
               ? a->text
               : "";
}

bool attr_int(Parser *p, const AttrSyntax *a, int64_t *v)
{
    if (a->kind != ATTR_NUMBER) return parse_error(p, a->at, "wanted an integer here");
    const char *s = a->text + (a->text[0] == '-');
    *v = 0;
    for (; *s; s++)
        if (*s < '0' || *s > '9' || __builtin_mul_overflow(*v, 10, v) ||
            __builtin_add_overflow(*v, *s - '0', v))
            return parse_error(p, a->at, "wanted an integer of 64 bits here");
    if (a->text[0] == '-') *v = -*v;
    return true;
}

static bool dense_ints(Parser *p, const AttrSyntax *a, int64_t **ints, uint32_t *n)
{
    const void *data;
    bool splat;
    DType t = (DType)a->type.dtype;
    if (!a->typed || type_narrow(a->type) != NARROW_NONE || dtype_is_float(t))
        return parse_error(p, a->at, "wanted a list of integers here");
    if (!parse_dense(p, a, a->type, &data, &splat)) return false;
    int64_t count = type_count(a->type);
    if (count > 1 << 20)
        return parse_error(p, a->at, "a list of %lld integers is too long", (long long)count);
    *n = (uint32_t)count;
    *ints = arena_alloc(p->arena, *n * sizeof **ints);
    for (uint32_t i = 0; i < *n; i++)
        (*ints)[i] = scalar_to_i64(t, scalar_load(t, (const char *)data + (splat ? 0 : i * dtype_bytes(t))));
    return true;
}

bool attr_ints(Parser *p, const AttrSyntax *a, int64_t **ints, uint32_t *n)
{
    if (a->kind == ATTR_DENSE) return dense_ints(p, a, ints, n);
    if (a->kind != ATTR_LIST) return parse_error(p, a->at, "wanted a list of integers here");
    *n = a->n_items;
    *ints = arena_alloc(p->arena, *n * sizeof **ints);
    for (uint32_t i = 0; i < *n; i++)
        if (!attr_int(p, &a->items[i], &(*ints)[i])) return false;
    return true;
}
