/* foreign_text.c: reads "x[n], width -> out[n]"; see foreign.h. Sizes stay text, which is evaluated where it
 * is needed. */
#include "foreign.h"
#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include "runtime/call/cursor.h"

enum { MAX_DEPTH = 16 };

/* How long the name here is: 0 for a number. */
static size_t name_length(const TextCursor *c) { return isdigit((unsigned char)*c->at) ? 0 : cursor_word(c); }

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

bool size_is_name(const char **size, size_t *length)
{
    TextCursor c = { .at = *size };
    cursor_skip(&c);
    *size = c.at;
    *length = name_length(&c);
    c.at += *length;
    cursor_skip(&c);
    return *length && (*c.at == ',' || *c.at == ']' || !*c.at);
}

/* known NULL: any name is good. dry: nothing is computed. */
typedef struct ForeignReader {
    TextCursor c;
    const Sizes *known;
    bool dry;
    int depth;
} ForeignReader;

static bool read_sum(ForeignReader *r, int64_t *v);

static bool read_number(ForeignReader *r, int64_t *v)
{
    *v = 0;
    while (isdigit((unsigned char)*r->c.at))
        if (__builtin_mul_overflow(*v, 10, v) || __builtin_add_overflow(*v, *r->c.at++ - '0', v))
            return cursor_fail(&r->c, "a number is too large");
    return true;
}

static bool read_name(ForeignReader *r, size_t length, int64_t *v)
{
    const char *name = r->c.at;
    r->c.at += length;
    *v = 1;
    if (!r->known) return true;
    const struct Size *s = size_find((Sizes *)r->known, name, length);
    if (!s)
        return cursor_fail(&r->c, "size %.*s is not known: no argument has an axis of just that name",
                           (int)length, name);
    *v = s->value;
    return true;
}

static bool read_factor(ForeignReader *r, int64_t *v)
{
    cursor_skip(&r->c);
    size_t length = name_length(&r->c);
    if (length) return read_name(r, length, v);
    if (isdigit((unsigned char)*r->c.at)) return read_number(r, v);
    if (*r->c.at == '\'' && r->c.at[1] && r->c.at[2] == '\'') {
        *v = r->c.at[1];
        r->c.at += 3;
        return true;
    }
    if (*r->c.at == '-') {
        r->c.at++;
        if (r->depth++ >= MAX_DEPTH) return cursor_fail(&r->c, "a size nests too deeply");
        bool good = read_factor(r, v);
        r->depth--;
        return good &&
               (!__builtin_sub_overflow((int64_t)0, *v, v) || cursor_fail(&r->c, "a size is too large"));
    }
    if (*r->c.at != '(')
        return *r->c.at ? cursor_fail(&r->c, "a size was expected at \"%s\"", r->c.at)
                        : cursor_fail(&r->c, "a size was expected at the end");
    r->c.at++;
    if (r->depth++ >= MAX_DEPTH) return cursor_fail(&r->c, "a size nests too deeply");
    if (!read_sum(r, v)) return false;
    r->depth--;
    cursor_skip(&r->c);
    return *r->c.at++ == ')' || cursor_fail(&r->c, "a ')' is missing");
}

static bool read_product(ForeignReader *r, int64_t *v)
{
    if (!read_factor(r, v)) return false;
    for (cursor_skip(&r->c); *r->c.at == '*' || *r->c.at == '/'; cursor_skip(&r->c)) {
        char op = *r->c.at++;
        int64_t w;
        if (!read_factor(r, &w)) return false;
        if (r->dry) continue;
        if (op == '/' && (!w || (w == -1 && *v == INT64_MIN)))
            return cursor_fail(&r->c, "a size is divided by 0");
        if (op == '/') *v /= w;
        else if (__builtin_mul_overflow(*v, w, v))
            return fail(r->c.failure, WEFT_SHAPE, "a size is too large");
    }
    return true;
}

static bool read_sum(ForeignReader *r, int64_t *v)
{
    if (!read_product(r, v)) return false;
    for (; *r->c.at == '+' || (*r->c.at == '-' && r->c.at[1] != '>'); cursor_skip(&r->c)) {
        char op = *r->c.at++;
        int64_t w;
        if (!read_product(r, &w)) return false;
        if (r->dry) continue;
        if (op == '+' ? __builtin_add_overflow(*v, w, v) : __builtin_sub_overflow(*v, w, v))
            return fail(r->c.failure, WEFT_SHAPE, "a size is too large");
    }
    return true;
}

bool size_value(const char *size, const Sizes *known, int64_t *value, Failure *f)
{
    ForeignReader r = { { size, f }, known, false, 0 };
    return read_sum(&r, value);
}

bool size_known(const char *size, const Sizes *known, Failure *f)
{
    ForeignReader r = { { size, f }, known, true, 0 };
    int64_t v;
    return read_sum(&r, &v);
}

char *size_text(const char *size, char *buf, size_t bytes)
{
    ForeignReader r = { { size, NULL }, NULL, true, 0 };
    int64_t v;
    cursor_skip(&r.c);
    size = r.c.at;
    read_sum(&r, &v);
    while (r.c.at > size && isspace((unsigned char)r.c.at[-1])) r.c.at--;
    snprintf(buf, bytes, "%.*s", (int)(r.c.at - size), size);
    return buf;
}

/* ---- entries ---- */

static int find_param(const Foreign *x, const TextCursor *c, size_t length)
{
    int i = 0;
    while (i < x->type.n_params && !cursor_is(c, length, x->type.params[i].name)) i++;
    return i;
}

static bool read_sizes(ForeignReader *r, ForeignEntry *p)
{
    int64_t v;
    for (; *r->c.at == '['; cursor_skip(&r->c)) {
        p->brackets = true;
        r->c.at++;
        cursor_skip(&r->c);
        if (*r->c.at == ']') {
            r->c.at++;
            continue;
        }
        for (;;) {
            if (p->rank == WEFT_MAX_RANK) return cursor_fail(&r->c, "more than %d axes", WEFT_MAX_RANK);
            p->size[p->rank++] = r->c.at;
            if (!read_sum(r, &v)) return false;
            if (*r->c.at == ']') break;
            if (*r->c.at++ != ',') return cursor_fail(&r->c, "a ']' is missing before \"%s\"", r->c.at - 1);
        }
        r->c.at++;
    }
    return true;
}

/* name = size */
static bool read_setting(ForeignReader *r, Foreign *x, int param)
{
    int64_t v;
    ForeignParam *p = &x->param[param];
    const CParam *c = &x->type.params[param];
    if (c->is_void || (c->pointer && !c->is_const))
        return cursor_fail(&r->c, "parameter %s is no number that could be set", c->name);
    if (p->from) return cursor_fail(&r->c, "parameter %s is named twice", c->name);
    r->c.at++;
    p->from = FROM_SIZE;
    p->size = r->c.at;
    return read_sum(r, &v);
}

/* May the text name the parameter here? Not for the second time, unless it was this; nor a void *. */
static bool check_name(const CParam *c, const ForeignParam *p, ParamFrom unless, Failure *f)
{
    if (p->from && p->from != unless) return fail(f, WEFT_ARGUMENT, "parameter %s is named twice", c->name);
    return !c->is_void ||
           fail(f, WEFT_ARGUMENT, "parameter %s is a void *: it is .user, and not named", c->name);
}

static bool take_argument(Foreign *x, const ForeignEntry *place, Failure *f)
{
    const CParam *c = &x->type.params[place->param];
    ForeignParam *p = &x->param[place->param];
    if (!check_name(c, p, FROM_NOWHERE, f)) return false;
    if (!c->pointer && place->brackets)
        return fail(f, WEFT_ARGUMENT, "parameter %s is one number in C, not an array", c->name);
    p->from = FROM_ARGUMENT;
    p->in = x->n_in;
    x->in[x->n_in++] = *place;
    return true;
}

static bool take_result(Foreign *x, const ForeignEntry *place, Failure *f)
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
    if (!check_name(c, p, FROM_ARGUMENT, f)) return false;
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

static bool read_entry(ForeignReader *r, Foreign *x, bool results)
{
    cursor_skip(&r->c);
    size_t length = name_length(&r->c);
    if (!length)
        return cursor_fail(&r->c,
                           *r->c.at ? "a parameter's name was expected at \"%s\""
                                    : "a parameter's name was expected at the end%s",
                           r->c.at);
    ForeignEntry p = { .param = find_param(x, &r->c, length) };
    if (p.param == x->type.n_params && results && cursor_is(&r->c, length, "return"))
        p.param = FOREIGN_RETURN;
    if (p.param == x->type.n_params)
        return cursor_fail(&r->c, "the function has no parameter %.*s", (int)length, r->c.at);
    if ((results ? x->n_out : x->n_in) == SIGNATURE_MAX_PARAMS)
        return cursor_fail(&r->c, "more than %d entries", SIGNATURE_MAX_PARAMS);
    r->c.at += length;
    cursor_skip(&r->c);
    if (*r->c.at == '=' && !results) return read_setting(r, x, p.param);
    return read_sizes(r, &p) &&
           (results ? take_result(x, &p, r->c.failure) : take_argument(x, &p, r->c.failure));
}

/* Entries up to the arrow, or to the end. */
static bool read_entries(ForeignReader *r, Foreign *x, bool results)
{
    cursor_skip(&r->c);
    if (!results && cursor_at_arrow(&r->c)) return true;
    for (;; r->c.at++) {
        if (!read_entry(r, x, results)) return false;
        cursor_skip(&r->c);
        if (*r->c.at != ',') break;
    }
    if (results ? !*r->c.at : cursor_at_arrow(&r->c)) return true;
    return *r->c.at ? cursor_fail(&r->c, "unexpected \"%s\"", r->c.at)
                    : cursor_fail(&r->c, "\"-> results\" is missing");
}

bool foreign_parse(Arena *a, const char *text, Foreign *x, Failure *f)
{
    ForeignReader r = { { text, f }, NULL, true, 0 };
    x->returns = -1;
    x->in = arena_alloc(a, SIGNATURE_MAX_PARAMS * sizeof *x->in);
    x->out = arena_alloc(a, SIGNATURE_MAX_PARAMS * sizeof *x->out);
    if (!read_entries(&r, x, false)) return false;
    r.c.at += 2;
    return read_entries(&r, x, true);
}
