/* tree_axes.c: see tree_axes.h. Texts are read against descriptions, so a wrong name is told at once. */
#include "tree_axes.h"
#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include "cursor.h"

enum { MAX_NESTING = 64 };
typedef struct AxesReader {
    TextCursor c;
    Arena *arena;
    const AxesWord *words;
    int depth;
} AxesReader;

static void *wrong(AxesReader *r, const char *what)
{
    size_t shown = strcspn(r->c.at, ",]} \t\n");
    if (!shown && *r->c.at) shown = 1;
    return cursor_fail(&r->c, "'%.*s' is no %s", shown > 60 ? 60 : (int)shown, r->c.at, what);
}

/* What is said of a leaf of which nothing was said. */
static const AxisTree unnamed = { .kind = AXES_ALL, .axis = AXIS_DEFAULT };

/* ---- an axis or a word ---- */

static const AxisTree *all(AxesReader *r, int64_t axis)
{
    AxisTree *a = arena_alloc(r->arena, sizeof *a);
    a->axis = axis;
    return a;
}

static const char *axis_or_words(AxesReader *r)
{
    const char *text = "axis: a number";
    for (const AxesWord *w = r->words; w->word; w++)
        text = arena_printf(r->arena, "%s, %s%s", text, w[1].word ? "" : "or ", w->word);
    return text;
}

static const AxisTree *read_axis(AxesReader *r)
{
    char *end;
    size_t n = cursor_word(&r->c);
    for (const AxesWord *w = r->words; w->word; w++) {
        if (!cursor_is(&r->c, n, w->word)) continue;
        r->c.at += n;
        return all(r, w->axis);
    }
    long axis = strtol(r->c.at, &end, 10);
    if (end == r->c.at || isalnum((unsigned char)*end) || *end == '.' || *end == '_')
        return wrong(r, axis_or_words(r));
    if (axis < -WEFT_MAX_RANK || axis >= WEFT_MAX_RANK) {
        int digits = (int)(end - r->c.at < 100 ? end - r->c.at : 100);
        return cursor_fail(&r->c, "axis %.*s: arrays have at most %d axes", digits, r->c.at, WEFT_MAX_RANK);
    }
    r->c.at = end;
    return all(r, axis);
}

/* ---- braces and brackets ---- */

static const AxisTree *read_entry(AxesReader *r, const weft_field *field, bool element);

/* Which field the name in front of ':' is; -1: there is none such. */
static int read_name(AxesReader *r, const weft_tree *tree)
{
    cursor_skip(&r->c);
    size_t n = cursor_word(&r->c);
    int i = cursor_field(&r->c, n, tree);
    if (!n) wrong(r, "name of a field");
    else if (i < 0)
        cursor_fail(&r->c, "struct %s has no array or struct '%.*s': it has %s", tree->name, (int)n, r->c.at,
                    cursor_names(r->arena, tree));
    if (i < 0) return -1;
    r->c.at += n;
    if (cursor_take(&r->c, ':')) return i;
    cursor_fail(&r->c, "':' is missing behind the field %s", tree->field[i].name);
    return -1;
}

/* An entry for each field of the struct, of which none is named yet. */
static AxisTree *no_fields(AxesReader *r, const weft_tree *tree)
{
    AxisTree *a = arena_alloc(r->arena, sizeof *a);
    a->kind = AXES_FIELDS;
    a->n = (int64_t)tree->fields;
    a->of = arena_alloc(r->arena, (tree->fields + 1) * sizeof *a->of);
    return a;
}

static const AxisTree *read_fields(AxesReader *r, const weft_field *field)
{
    const weft_tree *tree = field->tree;
    if (!tree)
        return cursor_fail(&r->c, "%s is an array: it has no fields to be named in braces", field->name);
    AxisTree *a = no_fields(r, tree);
    if (cursor_take(&r->c, '}')) return a;
    do {
        int i = read_name(r, tree);
        if (i < 0) return NULL;
        if (a->of[i]) return cursor_fail(&r->c, "the field %s is named twice", tree->field[i].name);
        if (!(a->of[i] = read_entry(r, &tree->field[i], false))) return NULL;
    } while (cursor_take(&r->c, ','));
    if (cursor_take(&r->c, '}')) return a;
    return wrong(r, "',' or '}'");
}

static const AxisTree *read_list(AxesReader *r, const weft_field *field, bool element)
{
    int64_t length = element ? 0 : field_length(field);
    if (!length)
        return cursor_fail(&r->c, "%s is no list: it has no elements to be given in brackets", field->name);
    AxisTree *a = arena_alloc(r->arena, sizeof *a);
    uint32_t room = 0;
    a->kind = AXES_LIST;
    do {
        const AxisTree *entry = read_entry(r, field, true);
        if (!entry) return NULL;
        a->of = arena_grow(r->arena, a->of, (uint32_t)a->n, &room, (uint32_t)a->n + 1, sizeof *a->of);
        a->of[a->n++] = entry;
    } while (cursor_take(&r->c, ','));
    if (!cursor_take(&r->c, ']')) return wrong(r, "',' or ']'");
    if (length < 0 || length == a->n) return a;
    return cursor_fail(&r->c, "%lld entries for the list %s of %lld", (long long)a->n, field->name,
                       (long long)length);
}

/* For a field, or for an element of the list that it is. */
static const AxisTree *read_entry(AxesReader *r, const weft_field *field, bool element)
{
    if (++r->depth > MAX_NESTING)
        return cursor_fail(&r->c, "braces and brackets nest deeper than %d", MAX_NESTING);
    const AxisTree *a = cursor_take(&r->c, '{')   ? read_fields(r, field)
                        : cursor_take(&r->c, '[') ? read_list(r, field, element)
                                                  : (cursor_skip(&r->c), read_axis(r));
    cursor_skip(&r->c);
    r->depth--;
    return a;
}

/* ---- one side ---- */

/* How many entries stand up to "->" or the end. */
static size_t count_entries(const char *s)
{
    size_t n = 0;
    bool empty = true;
    for (int depth = 0; *s && !(depth <= 0 && s[0] == '-' && s[1] == '>'); s++) {
        depth += (*s == '{' || *s == '[') - (*s == '}' || *s == ']');
        if (*s == ',' && depth <= 0) n++;
        empty &= isspace((unsigned char)*s) != 0;
    }
    return empty ? 0 : n + 1;
}

/* Which fields of a tree entries may stand for. */
typedef struct AxesSide {
    const weft_tree *tree;
    size_t n, which[SIGNATURE_MAX_PARAMS + 1];
    const char *what;
} AxesSide;

/* An entry for field number i of the side, and nothing behind it. */
static bool read_one(AxesReader *r, const AxesSide *side, size_t i, AxisTree *a)
{
    size_t which = side->which[i];
    cursor_skip(&r->c);
    if (!(a->of[which] = read_entry(r, &side->tree->field[which], false))) return false;
    if (!*r->c.at || *r->c.at == ',' || cursor_at_arrow(&r->c)) return true;
    return cursor_fail(&r->c, "unexpected '%.60s'", r->c.at);
}

static const AxisTree *wrong_count(AxesReader *r, const AxesSide *side, size_t count)
{
    return cursor_fail(&r->c, "%zu ax%s for %zu array %s%s", count, count == 1 ? "is" : "es", side->n,
                       side->what, side->n == 1 ? "" : "s");
}

/* Is one of the entries up to "->" or the end "..."? */
static bool has_rest(const char *s)
{
    const char *rest = strstr(s, "..."), *arrow = strstr(s, "->");
    return rest && (!arrow || rest < arrow);
}

/* count entries, of which "..." stands for all that are not written: of these nothing is said. */
static const AxisTree *read_with_rest(AxesReader *r, const AxesSide *side, size_t count, AxisTree *a)
{
    bool rest = false;
    if (count - 1 > side->n) return wrong_count(r, side, count - 1);
    for (size_t k = 0, i = 0; k < count; k++) {
        if (k) cursor_take(&r->c, ',');
        cursor_skip(&r->c);
        if (rest || strncmp(r->c.at, "...", 3)) {
            if (!read_one(r, side, i++, a)) return NULL;
            continue;
        }
        r->c.at += 3;
        cursor_skip(&r->c);
        if (*r->c.at && *r->c.at != ',' && !cursor_at_arrow(&r->c))
            return cursor_fail(&r->c, "unexpected '%.60s'", r->c.at);
        i += side->n - (count - 1);
        rest = true;
    }
    return a;
}

/* count entries for the n fields, or one for all, which is then read against each of them. */
static const AxisTree *read_side(AxesReader *r, const AxesSide *side)
{
    size_t count = count_entries(r->c.at);
    const char *start = r->c.at;
    AxisTree *a = no_fields(r, side->tree);
    if (count == 0 && side->n) return wrong(r, axis_or_words(r));
    if (has_rest(r->c.at)) return read_with_rest(r, side, count, a);
    if (count != side->n && (count != 1 || !side->n)) return wrong_count(r, side, count);
    for (size_t i = 0; i < side->n; i++) {
        if (count == 1) r->c.at = start;
        else if (i) cursor_take(&r->c, ',');
        if (!read_one(r, side, i, a)) return NULL;
    }
    return a;
}

static const AxisTree *read_arguments(AxesReader *r, const Signature *s)
{
    AxesSide side = { .tree = &s->in, .what = "argument" };
    for (size_t i = 0; i < s->in.fields; i++)
        if (s->in.field[i].kind != WEFT_FIELD_STATIC) side.which[side.n++] = i;
    return read_side(r, &side);
}

/* Entries for the results that are no in-outs, or for all. */
static const AxisTree *read_results(AxesReader *r, const Signature *s)
{
    AxesSide side = { .tree = &s->out, .what = "result" };
    for (size_t o = 0; o < s->out.fields; o++)
        if (s->in_of_out[o] < 0) side.which[side.n++] = o;
    if (!side.n || (side.n != s->out.fields && count_entries(r->c.at) == s->out.fields))
        for (side.n = 0; side.n < s->out.fields; side.n++) side.which[side.n] = side.n;
    return read_side(r, &side);
}

bool axes_parse(Arena *arena, const char *text, const Signature *s, const AxesWord *words, AxesText *axes,
                Failure *f)
{
    AxesReader r = { .c = { text, f }, .arena = arena, .words = words };
    axes->out = &unnamed;
    cursor_skip(&r.c);
    if (!(axes->in = read_arguments(&r, s))) return false;
    cursor_skip(&r.c);
    if (cursor_take_arrow(&r.c) && !(axes->out = read_results(&r, s))) return false;
    return !*r.c.at || cursor_fail(&r.c, "unexpected '%.60s'", r.c.at);
}

/* ---- per leaf ---- */

/* What the text says of the leaf that the walk is at. NULL: a list of another length, f set. */
static const AxisTree *find_entry(const AxisTree *a, const Walk *w, Failure *f)
{
    for (uint32_t d = 0; a->kind != AXES_ALL && d < w->depth && w->frame[d].open; d++) {
        const WalkFrame *frame = &w->frame[d];
        if (a->kind == AXES_FIELDS && !(a = a->of[frame->field])) return &unnamed;
        if (a->kind != AXES_LIST) continue;
        if (a->n != frame->count) {
            fail(f, WEFT_TREE_MISMATCH, "%lld axes for the list of %lld that %s is in", (long long)a->n,
                 (long long)frame->count, WALK_PATH(w));
            return NULL;
        }
        a = a->of[frame->index];
    }
    return a;
}

bool axes_resolve(const AxisTree *a, const weft_tree *tree, Memory *m, const uint64_t *words,
                  uint32_t n_words, int64_t *axis, Failure *f)
{
    CLEANUP(walk_end) Walk w;
    walk_words(&w, m, tree, words, n_words);
    while (walk_leaf(&w)) {
        const AxisTree *entry = find_entry(a, &w, f);
        if (!entry) return false;
        axis[w.leaves - 1] = entry->axis;
    }
    return w.failure.code == WEFT_OK || fail_as(f, &w.failure);
}

bool axes_any_but(const AxisTree *a, int64_t axis)
{
    if (a->kind == AXES_ALL) return a->axis != axis;
    for (int64_t i = 0; i < a->n; i++)
        if (a->of[i] && axes_any_but(a->of[i], axis)) return true;
    return false;
}
