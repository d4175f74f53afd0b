/* tree_axes.c: see tree_axes.h. Reads "0, {l: {w: 1}, b: none} -> 1" against the descriptions, so that a
 * wrong name is told where the text is given. */
#include "tree_axes.h"
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_NESTING = 64 };
typedef struct Reader {
    Arena *arena;
    const char *at;
    const AxesWord *words;
    int depth;
    Failure *failure;
} Reader;

static void skip(Reader *r)
{
    while (isspace((unsigned char)*r->at)) r->at++;
}

static bool take(Reader *r, char c)
{
    skip(r);
    if (*r->at != c) return false;
    r->at++;
    skip(r);
    return true;
}

static bool wrong(Reader *r, const char *what)
{
    size_t shown = strcspn(r->at, ",]} \t\n");
    if (!shown && *r->at) shown = 1;
    return fail(r->failure, WEFT_ARGUMENT, "'%.*s' is no %s", shown > 60 ? 60 : (int)shown, r->at, what);
}

/* ---- an axis or a word ---- */

static const AxisTree *all(Reader *r, int64_t axis)
{
    AxisTree *a = arena_alloc(r->arena, sizeof *a);
    a->axis = axis;
    return a;
}

static const char *axis_or_words(Reader *r)
{
    const char *text = "axis: a number";
    for (const AxesWord *w = r->words; w->word; w++)
        text = arena_printf(r->arena, "%s, %s%s", text, w[1].word ? "" : "or ", w->word);
    return text;
}

static const AxisTree *read_axis(Reader *r)
{
    char *end;
    size_t n = 0;
    while (isalnum((unsigned char)r->at[n]) || r->at[n] == '_') n++;
    for (const AxesWord *w = r->words; w->word; w++) {
        if (strlen(w->word) != n || strncmp(w->word, r->at, n)) continue;
        r->at += n;
        return all(r, w->axis);
    }
    long axis = strtol(r->at, &end, 10);
    if (end == r->at || isalnum((unsigned char)*end) || *end == '.' || *end == '_') {
        wrong(r, axis_or_words(r));
        return NULL;
    }
    if (axis < -WEFT_MAX_RANK || axis >= WEFT_MAX_RANK) {
        int digits = (int)(end - r->at < 100 ? end - r->at : 100);
        fail(r->failure, WEFT_ARGUMENT, "axis %.*s: arrays have at most %d axes", digits, r->at,
             WEFT_MAX_RANK);
        return NULL;
    }
    r->at = end;
    return all(r, axis);
}

/* ---- braces and brackets ---- */

static const AxisTree *read_entry(Reader *r, const weft_field *field, bool element);

static bool in_tree(const weft_field *f)
{
    return f->kind != WEFT_FIELD_HIDDEN && f->kind != WEFT_FIELD_LAZY && f->kind != WEFT_FIELD_STATIC;
}

static bool no_field(Reader *r, const weft_tree *tree, const char *name, size_t n)
{
    const char *has = "";
    for (size_t i = 0; i < tree->fields; i++)
        if (in_tree(&tree->field[i]))
            has = arena_printf(r->arena, "%s%s%s", has, *has ? ", " : "", tree->field[i].name);
    return fail(r->failure, WEFT_ARGUMENT, "struct %s has no array or struct '%.*s': it has %s", tree->name,
                (int)n, name, *has ? has : "none");
}

/* The name in front of ':'; -1: there is none such. */
static int read_name(Reader *r, const weft_tree *tree)
{
    size_t n = 0;
    skip(r);
    const char *name = r->at;
    while (isalnum((unsigned char)name[n]) || name[n] == '_') n++;
    if (!n) return wrong(r, "name of a field") - 1;
    r->at += n;
    for (size_t i = 0; i < tree->fields; i++) {
        const weft_field *f = &tree->field[i];
        if (strlen(f->name) != n || strncmp(f->name, name, n) || !in_tree(f)) continue;
        if (take(r, ':')) return (int)i;
        fail(r->failure, WEFT_ARGUMENT, "':' is missing behind the field %s", f->name);
        return -1;
    }
    return no_field(r, tree, name, n) - 1;
}

static const AxisTree *read_fields(Reader *r, const weft_field *field)
{
    const weft_tree *tree = field->tree;
    if (!tree) {
        fail(r->failure, WEFT_ARGUMENT, "%s is an array: it has no fields to be named in braces",
             field->name);
        return NULL;
    }
    AxisTree *a = arena_alloc(r->arena, sizeof *a);
    *a = (AxisTree){ .kind = AXES_FIELDS,
                     .n = (int64_t)tree->fields,
                     .of = arena_alloc(r->arena, (tree->fields + 1) * sizeof *a->of) };
    if (take(r, '}')) return a;
    do {
        int i = read_name(r, tree);
        if (i < 0) return NULL;
        if (a->of[i]) {
            fail(r->failure, WEFT_ARGUMENT, "the field %s is named twice", tree->field[i].name);
            return NULL;
        }
        if (!(a->of[i] = read_entry(r, &tree->field[i], false))) return NULL;
    } while (take(r, ','));
    if (take(r, '}')) return a;
    wrong(r, "',' or '}'");
    return NULL;
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

static const AxisTree *read_list(Reader *r, const weft_field *field, bool element)
{
    int64_t length = element ? 0 : list_length(field);
    if (!length) {
        fail(r->failure, WEFT_ARGUMENT, "%s is no list: it has no elements to be given in brackets",
             field->name);
        return NULL;
    }
    AxisTree *a = arena_alloc(r->arena, sizeof *a);
    uint32_t room = 0;
    a->kind = AXES_LIST;
    do {
        const AxisTree *entry = read_entry(r, field, true);
        if (!entry) return NULL;
        a->of = arena_grow(r->arena, a->of, (uint32_t)a->n, &room, (uint32_t)a->n + 1, sizeof *a->of);
        a->of[a->n++] = entry;
    } while (take(r, ','));
    if (!take(r, ']')) {
        wrong(r, "',' or ']'");
        return NULL;
    }
    if (length < 0 || length == a->n) return a;
    fail(r->failure, WEFT_ARGUMENT, "%lld entries for the list %s of %lld", (long long)a->n, field->name,
         (long long)length);
    return NULL;
}

/* For a field, or for an element of the list that it is. */
static const AxisTree *read_entry(Reader *r, const weft_field *field, bool element)
{
    if (++r->depth > MAX_NESTING) {
        fail(r->failure, WEFT_ARGUMENT, "braces and brackets nest deeper than %d", MAX_NESTING);
        return NULL;
    }
    const AxisTree *a = take(r, '{')   ? read_fields(r, field)
                        : take(r, '[') ? read_list(r, field, element)
                                       : (skip(r), read_axis(r));
    skip(r);
    r->depth--;
    return a;
}

/* ---- one side ---- */

static bool at_arrow(const char *s) { return s[0] == '-' && s[1] == '>'; }

/* How many entries stand up to "->" or the end. */
static size_t count_entries(const char *s)
{
    size_t n = 0;
    bool empty = true;
    for (int depth = 0; *s && !(depth <= 0 && at_arrow(s)); s++) {
        depth += (*s == '{' || *s == '[') - (*s == '}' || *s == ']');
        if (*s == ',' && depth <= 0) n++;
        empty &= isspace((unsigned char)*s) != 0;
    }
    return empty ? 0 : n + 1;
}

/* Which fields of a tree entries may stand for. */
typedef struct Side {
    const weft_tree *tree;
    size_t n, which[SIGNATURE_MAX_PARAMS + 1];
    const char *what;
} Side;

/* count entries for the n fields, or one for all, which is then read against each of them. */
static const AxisTree *read_side(Reader *r, const Side *side)
{
    size_t count = count_entries(r->at);
    const char *start = r->at;
    AxisTree *a = arena_alloc(r->arena, sizeof *a);
    *a = (AxisTree){ .kind = AXES_FIELDS,
                     .n = (int64_t)side->tree->fields,
                     .of = arena_alloc(r->arena, (side->tree->fields + 1) * sizeof *a->of) };
    if (count == 0 && side->n) return wrong(r, axis_or_words(r)) ? a : NULL;
    if (count != side->n && (count != 1 || !side->n)) {
        fail(r->failure, WEFT_ARGUMENT, "%zu ax%s for %zu array %s%s", count, count == 1 ? "is" : "es",
             side->n, side->what, side->n == 1 ? "" : "s");
        return NULL;
    }
    for (size_t i = 0; i < side->n; i++) {
        const weft_field *field = &side->tree->field[side->which[i]];
        if (count == 1) r->at = start;
        else if (i) take(r, ',');
        skip(r);
        if (!(a->of[side->which[i]] = read_entry(r, field, false))) return NULL;
        if (!*r->at || *r->at == ',' || at_arrow(r->at)) continue;
        fail(r->failure, WEFT_ARGUMENT, "unexpected '%.60s'", r->at);
        return NULL;
    }
    return a;
}

static const AxisTree *read_arguments(Reader *r, const Signature *s)
{
    Side side = { .tree = &s->in, .what = "argument" };
    for (size_t i = 0; i < s->in.fields; i++)
        if (s->in.field[i].kind != WEFT_FIELD_STATIC) side.which[side.n++] = i;
    return read_side(r, &side);
}

/* Entries for the results that are no in-outs, or for all. */
static const AxisTree *read_results(Reader *r, const Signature *s)
{
    Side side = { .tree = &s->out, .what = "result" };
    for (size_t o = 0; o < s->out.fields; o++)
        if (s->in_of_out[o] < 0) side.which[side.n++] = o;
    if (!side.n || (side.n != s->out.fields && count_entries(r->at) == s->out.fields))
        for (side.n = 0; side.n < s->out.fields; side.n++) side.which[side.n] = side.n;
    return read_side(r, &side);
}

bool axes_parse(Arena *arena, const char *text, const Signature *s, const AxesWord *words, AxesText *axes,
                Failure *f)
{
    static const AxisTree nothing = { .kind = AXES_ALL, .axis = AXIS_DEFAULT };
    Reader r = { .arena = arena, .at = text, .words = words, .failure = f };
    axes->out = &nothing;
    skip(&r);
    if (!(axes->in = read_arguments(&r, s))) return false;
    skip(&r);
    if (at_arrow(r.at)) {
        r.at += 2;
        skip(&r);
        if (!(axes->out = read_results(&r, s))) return false;
    }
    return !*r.at || fail(f, WEFT_ARGUMENT, "unexpected '%.60s'", r.at);
}

/* ---- per leaf ---- */

/* What the text says of the leaf that the walk is at. NULL: a list of another length, f set. */
static const AxisTree *find_entry(const AxisTree *a, const Walk *w, Failure *f)
{
    static const AxisTree unnamed = { .kind = AXES_ALL, .axis = AXIS_DEFAULT };
    for (uint32_t d = 0; a->kind != AXES_ALL && d < w->depth && w->frame[d].open; d++) {
        const WalkFrame *frame = &w->frame[d];
        if (a->kind == AXES_FIELDS && !(a = a->of[frame->field])) return &unnamed;
        if (a->kind != AXES_LIST) continue;
        if (a->n != frame->count) {
            char path[TREE_PATH];
            fail(f, WEFT_TREE_MISMATCH, "%lld axes for the list of %lld that %s is in", (long long)a->n,
                 (long long)frame->count, walk_path(w, path, sizeof path));
            return NULL;
        }
        a = a->of[frame->index];
    }
    return a;
}

bool axes_resolve(const AxisTree *a, const weft_tree *tree, Memory *m, const uint64_t *words,
                  uint32_t n_words, int64_t *axis, Failure *f)
{
    Walk w;
    WalkEvent event;
    const AxisTree *entry = a;
    walk_words(&w, m, tree, words, n_words);
    while (entry && ((event = walk_next(&w)) == WALK_LEAF || event == WALK_WORD)) {
        if (event != WALK_LEAF) continue;
        if ((entry = find_entry(a, &w, f))) axis[w.leaves - 1] = entry->axis;
    }
    if (entry && event == WALK_BAD) entry = fail(f, w.failure.code, "%s", w.failure.text) ? a : NULL;
    walk_end(&w);
    return entry != NULL;
}

bool axes_any_but(const AxisTree *a, int64_t axis)
{
    if (a->kind == AXES_ALL) return a->axis != axis;
    for (int64_t i = 0; i < a->n; i++)
        if (a->of[i] && axes_any_but(a->of[i], axis)) return true;
    return false;
}
