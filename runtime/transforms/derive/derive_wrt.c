/* derive_wrt.c: by what is differentiated: "x, m.l[0].w", read against the descriptions, so that a wrong name
 * is told where the text is given. */
#include "derive.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "runtime/call/cursor.h"

typedef struct WrtReader {
    TextCursor c;
    Arena *arena;
    const Function *f;
    Wrt *wrt;
    uint32_t room;
} WrtReader;

/* Says why the name here is not that of an array behind this path. */
static bool no_name(WrtReader *r, const weft_tree *tree, size_t n, const char *path)
{
    const char *name = r->c.at, *has = cursor_names(r->arena, tree);
    int shown = n > 60 ? 60 : (int)n;
    for (size_t i = 0; i < tree->fields; i++)
        if (cursor_is(&r->c, n, tree->field[i].name))
            return cursor_fail(&r->c, "%s%s%.*s is no array: there is no derivative by it", path,
                               *path ? "." : "", (int)n, name);
    if (!n)
        return cursor_fail(&r->c, "a name was expected %s%.60s%s", *name ? "at '" : "at the end", name,
                           *name ? "'" : "");
    if (!*path)
        return cursor_fail(&r->c, "%s has no argument %.*s; it has %s", r->f->label, shown, name, has);
    return cursor_fail(&r->c, "there is no %.*s in %s; it has %s", shown, name, path, has);
}

/* Takes the name of one of the fields: which; -1: there is none such, failure set. */
static int read_field(WrtReader *r, const weft_tree *tree, const char *path)
{
    size_t n = cursor_word(&r->c);
    int i = cursor_field(&r->c, n, tree);
    if (i < 0) return no_name(r, tree, n, path) - 1;
    r->c.at += n;
    return i;
}

/* "[1]" behind a list of this length. False: f set. *index is -1 if there is none. */
static bool read_index(WrtReader *r, const char *path, int64_t length, bool argument, int64_t *index)
{
    char *end;
    *index = -1;
    if (!cursor_take(&r->c, '[')) return true;
    const char *number = r->c.at;
    errno = 0;
    *index = strtoll(number, &end, 10);
    if (errno == ERANGE) *index = -1; /* past 64 bits: no list is as long */
    int digits = (int)(end - number < 100 ? end - number : 100);
    r->c.at = end;
    if (end == number || !cursor_take(&r->c, ']'))
        return cursor_fail(&r->c, "an index and ']' were expected behind '%s['", path);
    bool one = length == 0 && *index == 0 && !argument; /* an array of one element looks like none */
    if (length == 0 && !one)
        return cursor_fail(&r->c, "%s is no list: it has no element %.*s", path, digits, number);
    if (*index >= 0 && (length <= 0 || *index < length)) return true;
    if (length < 0) return cursor_fail(&r->c, "%s has no element %.*s", path, digits, number);
    return cursor_fail(&r->c, "%s has no element %.*s: it is a list of %lld", path, digits, number,
                       (long long)length);
}

static void add_part(WrtReader *r, const WrtPart *p)
{
    Wrt *w = r->wrt;
    w->part = arena_grow(r->arena, w->part, w->n, &r->room, w->n + 1, sizeof *w->part);
    w->part[w->n++] = *p;
}

/* Each element of a list that is named whole. */
static void add_elements(WrtReader *r, const WrtPart *p, int64_t length)
{
    for (int64_t k = 0; k < length; k++) {
        WrtPart one = *p;
        one.path = arena_printf(r->arena, "%s[%lld]", p->path, (long long)k);
        one.step = arena_copy(r->arena, p->step, p->n_steps * sizeof *p->step);
        one.step[p->n_steps - 1].index = k;
        add_part(r, &one);
    }
}

static bool list_as_a_whole(WrtReader *r, const WrtPart *p, int64_t length, bool more)
{
    if (length < 0)
        return cursor_fail(
            &r->c,
            "%s is a list whose length is known at run time: name its elements, %s[0], or all that it is in",
            p->path, p->path);
    if (more)
        return cursor_fail(&r->c, "%s is a list of %lld: say which element, %s[0]", p->path,
                           (long long)length, p->path);
    add_elements(r, p, length);
    return true;
}

static bool read_part(WrtReader *r)
{
    WrtPart p = { .path = "" };
    const weft_tree *tree = &r->f->sig->in;
    for (uint32_t room = 0;;) {
        int64_t index, length;
        cursor_skip(&r->c);
        int which = read_field(r, tree, p.path);
        if (which < 0) return false;
        const weft_field *f = &tree->field[which];
        p.path = arena_printf(r->arena, "%s%s%s", p.path, p.n_steps ? "." : "", f->name);
        length = p.n_steps ? field_length(f) : 0;
        if (!read_index(r, p.path, length, !p.n_steps, &index)) return false;
        p.step = arena_grow(r->arena, p.step, p.n_steps, &room, p.n_steps + 1, sizeof *p.step);
        p.step[p.n_steps++] = (WrtStep){ (uint32_t)which, index < 0 ? 0 : index };
        p.tree = f->tree;
        cursor_skip(&r->c);
        if (length && index < 0) return list_as_a_whole(r, &p, length, *r->c.at == '.');
        if (length) p.path = arena_printf(r->arena, "%s[%lld]", p.path, (long long)index);
        if (*r->c.at != '.') break;
        if (!f->tree) return cursor_fail(&r->c, "%s is an array: there is nothing in it", p.path);
        r->c.at++;
        tree = f->tree;
    }
    add_part(r, &p);
    return true;
}

/* The first argument that holds arrays. */
static bool first_part(WrtReader *r)
{
    const weft_tree *in = &r->f->sig->in;
    for (size_t i = 0; i < in->fields; i++) {
        uint32_t leaves, words;
        const weft_field *f = &in->field[i];
        if (!field_has_arrays(f) || (f->tree && tree_fixed(f->tree, &leaves, &words) && !leaves)) continue;
        WrtPart p = { .path = f->name,
                      .tree = f->tree,
                      .n_steps = 1,
                      .step = arena_copy(r->arena, &(WrtStep){ (uint32_t)i, 0 }, sizeof(WrtStep)) };
        add_part(r, &p);
        return true;
    }
    return cursor_fail(&r->c, "%s has no array among its arguments", r->f->label);
}

static bool inside(const WrtPart *a, const WrtPart *b)
{
    return a->n_steps >= b->n_steps && !memcmp(a->step, b->step, b->n_steps * sizeof *b->step);
}

static bool apart(WrtReader *r)
{
    const Wrt *w = r->wrt;
    for (uint32_t i = 0; i < w->n; i++)
        for (uint32_t k = 0; k < w->n; k++) {
            const WrtPart *a = &w->part[i], *b = &w->part[k];
            if (i == k || !inside(a, b)) continue;
            if (a->n_steps == b->n_steps) return cursor_fail(&r->c, "%s is named twice", a->path);
            return cursor_fail(&r->c, "%s is part of %s, which is named too", a->path, b->path);
        }
    return true;
}

bool wrt_parse(Arena *a, const char *text, const Function *of, Wrt *w, Failure *f)
{
    WrtReader r = { .c = { text, f }, .arena = a, .f = of, .wrt = w };
    *w = (Wrt){ .n = 0 };
    cursor_skip(&r.c);
    if (!*r.c.at) return first_part(&r);
    for (;; r.c.at++) {
        if (!read_part(&r)) return false;
        cursor_skip(&r.c);
        if (!*r.c.at) return apart(&r);
        if (*r.c.at != ',') return cursor_fail(&r.c, "',' was expected at '%.60s'", r.c.at);
    }
}

/* ---- in a call ---- */

/* How many of the part's steps the walk's open frames follow. */
static uint32_t follows(const WrtPart *p, const Walk *w, uint32_t open)
{
    uint32_t d = 0;
    while (d < open && d < p->n_steps && w->frame[d].field == p->step[d].field &&
           w->frame[d].index == p->step[d].index)
        d++;
    return d;
}

/* Does the word that the walk is at say that the part is not there? */
static bool is_there(const WrtPart *p, const Walk *w, uint32_t open, Failure *f)
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

bool wrt_find(const WrtPart *p, const weft_tree *in, Memory *m, const uint64_t *words, uint32_t n_words,
              WrtRange *at, Failure *f)
{
    Walk w;
    WalkEvent event;
    bool good = true;
    *at = (WrtRange){ .n_leaves = 0 };
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
