/* foreign_text.c: reads "x[n], width -> out[n]"; see foreign.h. Sizes stay text, which is evaluated where it
 * is needed. */
#include "foreign.h"
#include <ctype.h>
#include <stdio.h>
#include <string.h>

enum { MAX_DEPTH = 16 };

static const char *skip(const char *at)
{
    while (isspace((unsigned char)*at)) at++;
    return at;
}

static size_t name_length(const char *at)
{
    size_t n = 0;
    if (isdigit((unsigned char)*at)) return 0;
    while (isalnum((unsigned char)at[n]) || at[n] == '_') n++;
    return n;
}

/* ---- sizes ---- */

struct Size *size_find(Sizes *s, const char *name, size_t length)
{
    for (int i = 0; i < s->n; i++)
        if (s->of[i].length == length && !memcmp(s->of[i].name, name, length)) return &s->of[i];
    return NULL;
}

bool size_add(Sizes *s, const char *name, size_t length, int64_t value)
{
    if (s->n == FOREIGN_NAMES) return false;
    s->of[s->n++] = (struct Size){ name, length, value };
    return true;
}

const char *size_name(const char *size) { return skip(size); }

bool size_is_name(const char *size, size_t *length)
{
    size = skip(size);
    *length = name_length(size);
    const char *end = skip(size + *length);
    return *length && (*end == ',' || *end == ']' || !*end);
}

/* known NULL: any name is good. dry: nothing is computed. */
typedef struct Reader {
    const char *at;
    const Sizes *known;
    bool dry;
    int depth;
    Failure *failure;
} Reader;

static bool read_sum(Reader *r, int64_t *v);

static bool read_number(Reader *r, int64_t *v)
{
    *v = 0;
    while (isdigit((unsigned char)*r->at))
        if (__builtin_mul_overflow(*v, 10, v) || __builtin_add_overflow(*v, *r->at++ - '0', v))
            return fail(r->failure, WEFT_ARGUMENT, "a number is too large");
    return true;
}

static bool read_name(Reader *r, size_t length, int64_t *v)
{
    const char *name = r->at;
    r->at += length;
    *v = 1;
    if (!r->known) return true;
    const struct Size *s = size_find((Sizes *)r->known, name, length);
    if (!s)
        return fail(r->failure, WEFT_ARGUMENT,
                    "size %.*s is not known: no argument has an axis of just that name", (int)length, name);
    *v = s->value;
    return true;
}

static bool read_factor(Reader *r, int64_t *v)
{
    r->at = skip(r->at);
    size_t length = name_length(r->at);
    if (length) return read_name(r, length, v);
    if (isdigit((unsigned char)*r->at)) return read_number(r, v);
    if (*r->at == '\'' && r->at[1] && r->at[2] == '\'') {
        *v = r->at[1];
        r->at += 3;
        return true;
    }
    if (*r->at == '-') {
        r->at++;
        if (r->depth++ >= MAX_DEPTH) return fail(r->failure, WEFT_ARGUMENT, "a size nests too deeply");
        bool good = read_factor(r, v);
        r->depth--;
        return good && (!__builtin_sub_overflow((int64_t)0, *v, v) ||
                        fail(r->failure, WEFT_ARGUMENT, "a size is too large"));
    }
    if (*r->at != '(')
        return *r->at ? fail(r->failure, WEFT_ARGUMENT, "a size was expected at \"%s\"", r->at)
                      : fail(r->failure, WEFT_ARGUMENT, "a size was expected at the end");
    r->at++;
    if (r->depth++ >= MAX_DEPTH) return fail(r->failure, WEFT_ARGUMENT, "a size nests too deeply");
    if (!read_sum(r, v)) return false;
    r->depth--;
    r->at = skip(r->at);
    return *r->at++ == ')' || fail(r->failure, WEFT_ARGUMENT, "a ')' is missing");
}

static bool read_product(Reader *r, int64_t *v)
{
    if (!read_factor(r, v)) return false;
    for (r->at = skip(r->at); *r->at == '*' || *r->at == '/'; r->at = skip(r->at)) {
        char op = *r->at++;
        int64_t w;
        if (!read_factor(r, &w)) return false;
        if (r->dry) continue;
        if (op == '/' && (!w || (w == -1 && *v == INT64_MIN)))
            return fail(r->failure, WEFT_ARGUMENT, "a size is divided by 0");
        if (op == '/') *v /= w;
        else if (__builtin_mul_overflow(*v, w, v)) return fail(r->failure, WEFT_SHAPE, "a size is too large");
    }
    return true;
}

static bool read_sum(Reader *r, int64_t *v)
{
    if (!read_product(r, v)) return false;
    for (; *r->at == '+' || (*r->at == '-' && r->at[1] != '>'); r->at = skip(r->at)) {
        char op = *r->at++;
        int64_t w;
        if (!read_product(r, &w)) return false;
        if (r->dry) continue;
        if (op == '+' ? __builtin_add_overflow(*v, w, v) : __builtin_sub_overflow(*v, w, v))
            return fail(r->failure, WEFT_SHAPE, "a size is too large");
    }
    return true;
}

bool size_value(const char *size, const Sizes *known, int64_t *value, Failure *f)
{
    Reader r = { size, known, false, 0, f };
    return read_sum(&r, value);
}

bool size_known(const char *size, const Sizes *known, Failure *f)
{
    Reader r = { size, known, true, 0, f };
    int64_t v;
    return read_sum(&r, &v);
}

char *size_text(const char *size, char *buf, size_t bytes)
{
    Reader r = { size, NULL, true, 0, NULL };
    int64_t v;
    size = r.at = skip(size);
    read_sum(&r, &v);
    while (r.at > size && isspace((unsigned char)r.at[-1])) r.at--;
    snprintf(buf, bytes, "%.*s", (int)(r.at - size), size);
    return buf;
}

/* ---- entries ---- */

static int find_param(const Foreign *x, const char *name, size_t length)
{
    for (int i = 0; i < x->type.n_params; i++)
        if (strlen(x->type.params[i].name) == length && !memcmp(x->type.params[i].name, name, length))
            return i;
    return x->type.n_params;
}

static bool read_sizes(Reader *r, Place *p)
{
    int64_t v;
    for (; *r->at == '['; r->at = skip(r->at)) {
        p->brackets = true;
        r->at = skip(r->at + 1);
        if (*r->at == ']') {
            r->at++;
            continue;
        }
        for (;;) {
            if (p->rank == WEFT_MAX_RANK)
                return fail(r->failure, WEFT_ARGUMENT, "more than %d axes", WEFT_MAX_RANK);
            p->size[p->rank++] = r->at;
            if (!read_sum(r, &v)) return false;
            if (*r->at == ']') break;
            if (*r->at++ != ',')
                return fail(r->failure, WEFT_ARGUMENT, "a ']' is missing before \"%s\"", r->at - 1);
        }
        r->at++;
    }
    return true;
}

/* name = size */
static bool read_setting(Reader *r, Foreign *x, int param)
{
    int64_t v;
    ForeignParam *p = &x->param[param];
    const CParam *c = &x->type.params[param];
    if (c->is_void || (c->pointer && !c->is_const))
        return fail(r->failure, WEFT_ARGUMENT, "parameter %s is no number that could be set", c->name);
    if (p->from) return fail(r->failure, WEFT_ARGUMENT, "parameter %s is named twice", c->name);
    r->at++;
    p->from = FROM_SIZE;
    p->size = r->at;
    return read_sum(r, &v);
}

static bool take_argument(Foreign *x, const Place *place, Failure *f)
{
    const CParam *c = &x->type.params[place->param];
    ForeignParam *p = &x->param[place->param];
    if (p->from) return fail(f, WEFT_ARGUMENT, "parameter %s is named twice", c->name);
    if (c->is_void)
        return fail(f, WEFT_ARGUMENT, "parameter %s is a void *: it is .user, and not named", c->name);
    if (!c->pointer && place->brackets)
        return fail(f, WEFT_ARGUMENT, "parameter %s is one number in C, not an array", c->name);
    p->from = FROM_ARGUMENT;
    p->in = x->n_in;
    x->in[x->n_in++] = *place;
    return true;
}

static bool take_result(Foreign *x, const Place *place, Failure *f)
{
    if (place->param == FOREIGN_RETURN) {
        if (x->type.returns.is_void) return fail(f, WEFT_ARGUMENT, "the function returns nothing");
        if (x->returns >= 0) return fail(f, WEFT_ARGUMENT, "return is named twice");
        if (place->brackets) return fail(f, WEFT_ARGUMENT, "what is returned is one number, not an array");
        x->returns = x->n_out;
        x->out[x->n_out++] = *place;
        return true;
    }
    const CParam *c = &x->type.params[place->param];
    ForeignParam *p = &x->param[place->param];
    if (p->from && p->from != FROM_ARGUMENT)
        return fail(f, WEFT_ARGUMENT, "parameter %s is named twice", c->name);
    if (c->is_void)
        return fail(f, WEFT_ARGUMENT, "parameter %s is a void *: it is .user, and not named", c->name);
    if (!c->pointer || c->is_const)
        return fail(f, WEFT_ARGUMENT,
                    "parameter %s cannot be a result: the function does not write it (it is no pointer, or "
                    "one to const)",
                    c->name);
    p->from = p->from ? FROM_BOTH : FROM_RESULT;
    p->out = x->n_out;
    x->out[x->n_out++] = *place;
    return true;
}

static bool read_entry(Reader *r, Foreign *x, bool results)
{
    size_t length = name_length(r->at = skip(r->at));
    if (!length)
        return fail(r->failure, WEFT_ARGUMENT,
                    *r->at ? "a parameter's name was expected at \"%s\""
                           : "a parameter's name was expected at the end%s",
                    r->at);
    Place p = { .param = find_param(x, r->at, length) };
    if (p.param == x->type.n_params && results && length == 6 && !memcmp(r->at, "return", 6))
        p.param = FOREIGN_RETURN;
    if (p.param == x->type.n_params)
        return fail(r->failure, WEFT_ARGUMENT, "the function has no parameter %.*s", (int)length, r->at);
    if ((results ? x->n_out : x->n_in) == SIGNATURE_MAX_PARAMS)
        return fail(r->failure, WEFT_ARGUMENT, "more than %d entries", SIGNATURE_MAX_PARAMS);
    r->at = skip(r->at + length);
    if (*r->at == '=' && !results) return read_setting(r, x, p.param);
    return read_sizes(r, &p) && (results ? take_result(x, &p, r->failure) : take_argument(x, &p, r->failure));
}

/* Entries up to the arrow, or to the end. */
static bool read_entries(Reader *r, Foreign *x, bool results)
{
    r->at = skip(r->at);
    if (!results && r->at[0] == '-' && r->at[1] == '>') return true;
    for (;; r->at++) {
        if (!read_entry(r, x, results)) return false;
        r->at = skip(r->at);
        if (*r->at != ',') break;
    }
    if (results ? !*r->at : r->at[0] == '-' && r->at[1] == '>') return true;
    return *r->at ? fail(r->failure, WEFT_ARGUMENT, "unexpected \"%s\"", r->at)
                  : fail(r->failure, WEFT_ARGUMENT, "\"-> results\" is missing");
}

bool foreign_parse(Arena *a, const char *text, Foreign *x, Failure *f)
{
    Reader r = { text, NULL, true, 0, f };
    x->returns = -1;
    x->in = arena_alloc(a, SIGNATURE_MAX_PARAMS * sizeof *x->in);
    x->out = arena_alloc(a, SIGNATURE_MAX_PARAMS * sizeof *x->out);
    if (!read_entries(&r, x, false)) return false;
    r.at += 2;
    return read_entries(&r, x, true);
}
