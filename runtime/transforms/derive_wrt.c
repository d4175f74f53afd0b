/* derive_wrt.c: by what is differentiated: "x, m.l[0].w", read against the descriptions, so that a wrong name
 * is told where the text is given. */
#include "derive.h"
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

typedef struct Reader {
    Arena *arena;
    const char *at;
    const Function *f;
    Wrt *wrt;
    uint32_t room;
    Failure *failure;
} Reader;

static void skip(Reader *r)
{
    while (isspace((unsigned char)*r->at)) r->at++;
}

static bool holds(const weft_field *f)
{
    return f->kind != WEFT_FIELD_HIDDEN && f->kind != WEFT_FIELD_LAZY && f->kind != WEFT_FIELD_STATIC;
}

/* How many elements a list has; -1: that is known at run time; 0: it is no list. */
static int64_t list_length(const weft_field *f)
{
    switch (f->kind) {
    case WEFT_FIELD_ARRAYS:
    case WEFT_FIELD_TREES:  return -1;
    case WEFT_FIELD_TREE:   return f->bytes == f->tree->bytes ? 0 : (int64_t)(f->bytes / f->tree->bytes);
    default:                return f->bytes == sizeof(void *) ? 0 : (int64_t)(f->bytes / sizeof(void *));
    }
}

/* "w, b" */
static const char *names_in(Arena *a, const weft_tree *tree)
{
    const char *text = "";
    for (size_t i = 0; i < tree->fields; i++)
        if (holds(&tree->field[i]))
            text = arena_printf(a, "%s%s%s", text, *text ? ", " : "", tree->field[i].name);
    return *text ? text : "none";
}

static bool no_name(Reader *r, const weft_tree *tree, const char *name, size_t n, const char *path)
{
    const char *has = names_in(r->arena, tree);
    for (size_t i = 0; i < tree->fields; i++)
        if (strlen(tree->field[i].name) == n && !strncmp(tree->field[i].name, name, n))
            return fail(r->failure, WEFT_ARGUMENT, "%s%s%.*s is no array: there is no derivative by it", path,
                        *path ? "." : "", (int)n, name);
    if (!n)
        return fail(r->failure, WEFT_ARGUMENT, "a name was expected %s%.60s%s",
                    *r->at ? "at '" : "at the end", r->at, *r->at ? "'" : "");
    if (!*path)
        return fail(r->failure, WEFT_ARGUMENT, "%s has no argument %.*s; it has %s", r->f->label,
                    n > 60 ? 60 : (int)n, name, has);
    return fail(r->failure, WEFT_ARGUMENT, "there is no %.*s in %s; it has %s", n > 60 ? 60 : (int)n, name,
                path, has);
}

static const weft_field *read_field(Reader *r, const weft_tree *tree, const char *path, uint32_t *which)
{
    size_t n = 0;
    const char *name = r->at;
    while (isalnum((unsigned char)name[n]) || name[n] == '_') n++;
    for (size_t i = 0; i < tree->fields && n; i++) {
        const weft_field *f = &tree->field[i];
        if (strlen(f->name) != n || strncmp(f->name, name, n) || !holds(f)) continue;
        r->at += n;
        *which = (uint32_t)i;
        return f;
    }
    no_name(r, tree, name, n, path);
    return NULL;
}

/* "[1]" behind a list of this length. False: f set. *index is -1 if there is none. */
static bool read_index(Reader *r, const char *path, int64_t length, bool argument, int64_t *index)
{
    char *end;
    *index = -1;
    skip(r);
    if (*r->at != '[') return true;
    r->at++;
    skip(r);
    const char *number = r->at;
    errno = 0;
    *index = strtoll(number, &end, 10);
    if (errno == ERANGE) *index = -1; /* past 64 bits: no list is as long */
    int digits = (int)(end - number < 100 ? end - number : 100);
    while (isspace((unsigned char)*end)) end++;
    if (end == number || *end != ']')
        return fail(r->failure, WEFT_ARGUMENT, "an index and ']' were expected behind '%s['", path);
    r->at = end + 1;
    bool one = length == 0 && *index == 0 && !argument; /* an array of one element looks like none */
    if (length == 0 && !one)
        return fail(r->failure, WEFT_ARGUMENT, "%s is no list: it has no element %.*s", path, digits, number);
    if (*index >= 0 && (length <= 0 || *index < length)) return true;
    if (length < 0) return fail(r->failure, WEFT_ARGUMENT, "%s has no element %.*s", path, digits, number);
    return fail(r->failure, WEFT_ARGUMENT, "%s has no element %.*s: it is a list of %lld", path, digits,
                number, (long long)length);
}

static void add_part(Reader *r, const Part *p)
{
    Wrt *w = r->wrt;
    w->part = arena_grow(r->arena, w->part, w->n, &r->room, w->n + 1, sizeof *w->part);
    w->part[w->n++] = *p;
}

/* Each element of a list that is named whole. */
static void add_elements(Reader *r, const Part *p, int64_t length)
{
    for (int64_t k = 0; k < length; k++) {
        Part one = *p;
        one.path = arena_printf(r->arena, "%s[%lld]", p->path, (long long)k);
        one.step = arena_copy(r->arena, p->step, p->n_steps * sizeof *p->step);
        one.step[p->n_steps - 1].index = k;
        add_part(r, &one);
    }
}

static bool list_as_a_whole(Reader *r, const Part *p, int64_t length, bool more)
{
    if (length < 0)
        return fail(
            r->failure, WEFT_ARGUMENT,
            "%s is a list whose length is known at run time: name its elements, %s[0], or all that it is in",
            p->path, p->path);
    if (more)
        return fail(r->failure, WEFT_ARGUMENT, "%s is a list of %lld: say which element, %s[0]", p->path,
                    (long long)length, p->path);
    add_elements(r, p, length);
    return true;
}

static bool read_part(Reader *r)
{
    Part p = { .path = "" };
    const weft_tree *tree = &r->f->sig->in;
    for (uint32_t room = 0;;) {
        uint32_t which = 0;
        int64_t index, length;
        skip(r);
        const weft_field *f = read_field(r, tree, p.path, &which);
        if (!f) return false;
        p.path = arena_printf(r->arena, "%s%s%s", p.path, p.n_steps ? "." : "", f->name);
        length = p.n_steps ? list_length(f) : 0;
        if (!read_index(r, p.path, length, !p.n_steps, &index)) return false;
        p.step = arena_grow(r->arena, p.step, p.n_steps, &room, p.n_steps + 1, sizeof *p.step);
        p.step[p.n_steps++] = (PartStep){ which, index < 0 ? 0 : index };
        p.tree = f->tree;
        skip(r);
        if (length && index < 0) return list_as_a_whole(r, &p, length, *r->at == '.');
        if (length) p.path = arena_printf(r->arena, "%s[%lld]", p.path, (long long)index);
        if (*r->at != '.') break;
        if (!f->tree)
            return fail(r->failure, WEFT_ARGUMENT, "%s is an array: there is nothing in it", p.path);
        r->at++;
        tree = f->tree;
    }
    add_part(r, &p);
    return true;
}

/* The first argument that holds arrays. */
static bool first_part(Reader *r)
{
    const weft_tree *in = &r->f->sig->in;
    for (size_t i = 0; i < in->fields; i++) {
        uint32_t leaves, words;
        const weft_field *f = &in->field[i];
        if (!holds(f) || (f->tree && tree_fixed(f->tree, &leaves, &words) && !leaves)) continue;
        Part p = { .path = f->name,
                   .tree = f->tree,
                   .n_steps = 1,
                   .step = arena_copy(r->arena, &(PartStep){ (uint32_t)i, 0 }, sizeof(PartStep)) };
        add_part(r, &p);
        return true;
    }
    return fail(r->failure, WEFT_ARGUMENT, "%s has no array among its arguments", r->f->label);
}

static bool inside(const Part *a, const Part *b)
{
    return a->n_steps >= b->n_steps && !memcmp(a->step, b->step, b->n_steps * sizeof *b->step);
}

static bool apart(const Reader *r)
{
    const Wrt *w = r->wrt;
    for (uint32_t i = 0; i < w->n; i++)
        for (uint32_t k = 0; k < w->n; k++) {
            const Part *a = &w->part[i], *b = &w->part[k];
            if (i == k || !inside(a, b)) continue;
            if (a->n_steps == b->n_steps)
                return fail(r->failure, WEFT_ARGUMENT, "%s is named twice", a->path);
            return fail(r->failure, WEFT_ARGUMENT, "%s is part of %s, which is named too", a->path, b->path);
        }
    return true;
}

bool wrt_parse(Arena *a, const char *text, const Function *of, Wrt *w, Failure *f)
{
    Reader r = { .arena = a, .at = text, .f = of, .wrt = w, .failure = f };
    *w = (Wrt){ .n = 0 };
    skip(&r);
    if (!*r.at) return first_part(&r);
    for (;; r.at++) {
        if (!read_part(&r)) return false;
        skip(&r);
        if (!*r.at) return apart(&r);
        if (*r.at != ',') return fail(f, WEFT_ARGUMENT, "',' was expected at '%.60s'", r.at);
    }
}

/* ---- in a call ---- */

/* How many of the part's steps the walk's open frames follow. */
static uint32_t follows(const Part *p, const Walk *w, uint32_t open)
{
    uint32_t d = 0;
    while (d < open && d < p->n_steps && w->frame[d].field == p->step[d].field &&
           w->frame[d].index == p->step[d].index)
        d++;
    return d;
}

/* A word on the way to the part may say that it is not there. */
static bool is_there(const Part *p, const Walk *w, uint32_t open, Failure *f)
{
    char path[TREE_PATH];
    uint32_t d = follows(p, w, open);
    const WalkFrame *last = &w->frame[open - 1];
    const weft_field *field = walk_field(w);
    if (open > p->n_steps || last->field != p->step[open - 1].field) return true;
    bool list = field->kind == WEFT_FIELD_ARRAYS || field->kind == WEFT_FIELD_TREES;
    if (list && d == open - 1 && last->index < 0 && last->count <= p->step[open - 1].index)
        return fail(f, WEFT_ARGUMENT, "%s is not there: %s is a list of %lld", p->path,
                    walk_path(w, path, sizeof path), (long long)last->count);
    if (field->kind == WEFT_FIELD_POINTER && d == open && !w->bits)
        return fail(f, WEFT_ARGUMENT, "%s is not there: %s is NULL", p->path,
                    walk_path(w, path, sizeof path));
    return true;
}

static uint32_t open_frames(const Walk *w)
{
    uint32_t n = w->depth;
    while (n && !w->frame[n - 1].open) n--;
    return n;
}

bool wrt_find(const Part *p, const weft_tree *in, Memory *m, const uint64_t *words, uint32_t n_words,
              PartRange *at, Failure *f)
{
    Walk w;
    WalkEvent event;
    bool good = true;
    *at = (PartRange){ .n_leaves = 0 };
    walk_words(&w, m, in, words, n_words);
    while (good && ((event = walk_next(&w)) == WALK_LEAF || event == WALK_WORD)) {
        uint32_t open = open_frames(&w);
        bool within =
            follows(p, &w, open) == p->n_steps && (p->tree ? open > p->n_steps : open == p->n_steps);
        if (event == WALK_WORD) good = is_there(p, &w, open, f);
        if (!within) continue;
        if (event == WALK_LEAF && !at->n_leaves++) at->leaf = w.leaves - 1;
        if (event == WALK_WORD && !at->n_words++) at->word = w.n - 1;
    }
    if (good && event == WALK_BAD) good = fail(f, w.failure.code, "%s", w.failure.text);
    walk_end(&w);
    return good && (at->n_leaves || p->tree || fail(f, WEFT_ARGUMENT, "%s holds no array", p->path));
}
