/* walk.c: see walk.h. */
#include "walk.h"
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- stacks of walks ---- */

void *walk_grow(Memory *m, void *items, const void *few, uint32_t *room, uint32_t need, size_t bytes)
{
    uint32_t more = *room;
    while (more < need) more *= 2;
    bool first = items == few;
    void *old = first ? NULL : items,
         *new = m ? memory_resize(m, old, old ? *room * bytes : 0, more * bytes) : realloc(old, more * bytes);
    if (!new) return NULL;
    if (first) memcpy(new, few, *room * bytes);
    *room = more;
    return new;
}

static bool stack_grow(Walk *w)
{
    void *new = walk_grow(w->memory, w->frame, w->few, &w->capacity, w->depth + 1, sizeof *w->frame);
    if (!new) return fail(&w->failure, WEFT_MEMORY, "out of memory");
    w->frame = new;
    return true;
}

static bool push(Walk *w, const weft_tree *tree, char *base)
{
    if (w->depth == w->capacity && !stack_grow(w)) return false;
    WalkFrame *f = &w->frame[w->depth++];
    f->tree = tree;
    f->base = base;
    f->field = 0;
    f->open = false;
    return true;
}

void walk_build(Walk *w, Memory *m, const weft_tree *tree, void *base, const uint64_t *words, uint32_t n,
                const TreeRoom *room)
{
    w->words = words, w->n_words = n;
    w->room = room;
    w->memory = m;
    w->frame = w->few;
    w->capacity = WALK_FRAMES;
    w->depth = w->leaves = w->n = w->steps = 0;
    w->failure.code = WEFT_OK;
    push(w, tree, base);
}

void walk_memory(Walk *w, Memory *m, const weft_tree *tree, const void *base)
{
    walk_build(w, m, tree, (void *)(uintptr_t)base, NULL, 0, NULL);
}

void walk_words(Walk *w, Memory *m, const weft_tree *tree, const uint64_t *words, uint32_t n)
{
    static const uint64_t none;
    walk_build(w, m, tree, NULL, words ? words : &none, n, NULL);
}

void walk_end(Walk *w)
{
    if (w->frame == w->few) return;
    if (w->memory) memory_free(w->memory, w->frame, w->capacity * sizeof *w->frame);
    else free(w->frame);
}

static uint32_t open_frames(const Walk *w)
{
    uint32_t n = w->depth;
    while (n && !w->frame[n - 1].open) n--;
    return n;
}

const weft_field *walk_field(const Walk *w)
{
    uint32_t d = open_frames(w);
    return d ? &w->frame[d - 1].tree->field[w->frame[d - 1].field] : NULL;
}

/* ---- one step ---- */

/* The next word: from the list, from memory, or, where an empty structure is built, 0. */
static uint64_t next_word(Walk *w, uint64_t in_memory)
{
    if (w->words) w->bits = w->n < w->n_words ? w->words[w->n] : 0;
    else w->bits = w->room ? 0 : in_memory;
    w->n++;
    return w->bits;
}

/* What the structure has that no structure can: "m.ws is NULL, ...". */
__attribute__((format(printf, 2, 3))) static WalkEvent bad(Walk *w, const char *format, ...)
{
    char text[200];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    fail(&w->failure, WEFT_TREE_MISMATCH, "%s%s", WALK_PATH(w), text);
    return WALK_BAD;
}

/* The pointer at this place: it is read; or, where the structure is built, it gets room for n items, if
 * n > 0. False: refused. */
static bool follow(Walk *w, char *place, size_t n, size_t bytes, char **to)
{
    if (w->room && place) {
        *to = n ? w->room->take(w->room->user, n * bytes) : NULL;
        memcpy(place, to, sizeof *to);
        return *to || !n || fail(&w->failure, WEFT_MEMORY, "out of memory");
    }
    *to = NULL;
    if (place) memcpy(to, place, sizeof *to);
    return true;
}

/* A list with a run-time count: its length is a word. A count that does not fit an int64 is negative. */
static WalkEvent open_list(Walk *w, WalkFrame *f, const weft_field *field)
{
    DType t = (DType)field->number;
    size_t bytes = field->kind == WEFT_FIELD_ARRAYS ? sizeof(void *) : field->tree->bytes;
    char *count_at = f->base ? f->base + field->count_offset : NULL;
    f->count =
        (int64_t)next_word(w, f->base && !w->room ? (uint64_t)scalar_to_i64(t, scalar_load(t, count_at)) : 0);
    if (f->count < 0) return bad(w, ": its count %s is %lld", field->count_name, (long long)f->count);
    if (f->count > TREE_LIMIT)
        return bad(w, ": its count %s is %lld, and a tree has at most %d parts", field->count_name,
                   (long long)f->count, TREE_LIMIT);
    if (!f->base) return WALK_WORD;
    if (w->room) scalar_store(t, count_at, (uint64_t)f->count);
    if (!follow(w, f->base + field->offset, (size_t)f->count, bytes, &f->items)) return WALK_BAD;
    if (f->items || !f->count) return WALK_WORD;
    return bad(w, " is NULL, but its count %s is %lld", field->count_name, (long long)f->count);
}

static WalkEvent open_field(Walk *w, WalkFrame *f, const weft_field *field)
{
    f->open = true;
    f->index = -1;
    if (field_is_list(field)) {
        f->items = NULL;
        return open_list(w, f, field);
    }
    f->count = field_elements(field);
    f->items = f->base ? f->base + field->offset : NULL;
    return WALK_END;
}

/* Element f->index of a WEFT_POINTER: is it there? */
static WalkEvent step_pointer(Walk *w, WalkFrame *f, const weft_field *field)
{
    char *to = NULL, *slot = f->items ? f->items + (size_t)f->index * sizeof to : NULL;
    if (slot && !w->room) memcpy(&to, slot, sizeof to);
    bool present = next_word(w, to != NULL) != 0;
    if (!follow(w, slot, present, field->tree->bytes, &to)) return WALK_BAD;
    return !present || push(w, field->tree, to) ? WALK_WORD : WALK_BAD;
}

static WalkEvent step_argument(Walk *w, WalkFrame *f, const weft_field *field)
{
    char *to;
    if (!follow(w, f->items, 1, field->tree->bytes, &to)) return WALK_BAD;
    if (f->items && !to) return bad(w, " is NULL");
    return push(w, field->tree, to) ? WALK_END : WALK_BAD;
}

static WalkEvent step_number(Walk *w, WalkFrame *f, const weft_field *field)
{
    DType t = (DType)field->number;
    char *at = f->items ? f->items + (size_t)f->index * dtype_bytes(t) : NULL;
    next_word(w, at && !w->room ? scalar_load(t, at) : 0);
    if (at && w->room) scalar_store(t, at, w->bits);
    return WALK_WORD;
}

static WalkEvent step_lazy(Walk *w, WalkFrame *f)
{
    if (!f->items) return WALK_END;
    w->place = (weft_array **)(void *)f->items + f->index;
    if (!w->room) return WALK_LAZY;
    *w->place = NULL;
    return WALK_END;
}

/* END: nothing to tell, go on. */
static WalkEvent step(Walk *w, WalkFrame *f, const weft_field *field)
{
    switch (field->kind) {
    case WEFT_FIELD_ARRAY:
    case WEFT_FIELD_ARRAYS:
        w->place = f->items ? (weft_array **)(void *)f->items + f->index : NULL;
        w->leaves++;
        return WALK_LEAF;
    case WEFT_FIELD_TREE:
    case WEFT_FIELD_TREES:
        return push(w, field->tree, f->items ? f->items + (size_t)f->index * field->tree->bytes : NULL)
                   ? WALK_END
                   : WALK_BAD;
    case WEFT_FIELD_POINTER: return step_pointer(w, f, field);
    case WEFT_FIELD_STATIC:  return step_number(w, f, field);
    case WEFT_FIELD_LAZY:    return step_lazy(w, f);
    case FIELD_ARGUMENT:     return step_argument(w, f, field);
    default:                 return WALK_END;
    }
}

WalkEvent walk_next(Walk *w)
{
    while (w->depth) {
        WalkFrame *f = &w->frame[w->depth - 1];
        if (f->field == f->tree->fields) {
            w->depth--;
            continue;
        }
        const weft_field *field = &f->tree->field[f->field];
        WalkEvent event;
        if (++w->steps > TREE_LIMIT)
            return bad(w, ": more than %d parts: does a pointer lead back?", TREE_LIMIT);
        if (!f->open) {
            event = open_field(w, f, field);
        } else if (++f->index < f->count) {
            event = step(w, f, field);
        } else {
            f->open = false;
            f->field++;
            continue;
        }
        if (event != WALK_END) return event;
    }
    return WALK_END;
}

bool walk_leaf(Walk *w)
{
    WalkEvent event;
    do event = walk_next(w);
    while (event == WALK_WORD || event == WALK_LAZY);
    return event == WALK_LEAF;
}

/* ---- paths ---- */

/* ".l[0]" of one frame, as snprintf. */
static int path_part(const Walk *w, uint32_t depth, char *buf, size_t size)
{
    const WalkFrame *f = &w->frame[depth];
    const weft_field *field = &f->tree->field[f->field];
    bool list = field_is_list(field) || (f->count > 1 && field->kind != WEFT_FIELD_HIDDEN);
    if (list && f->index >= 0)
        return snprintf(buf, size, "%s%s[%lld]", depth ? "." : "", field->name, (long long)f->index);
    return snprintf(buf, size, "%s%s", depth ? "." : "", field->name);
}

/* From the front until it is half full, then as much of the end as fits. */
char *walk_path(const Walk *w, char *buf, size_t size)
{
    uint32_t open = open_frames(w), d = 0, tail;
    size_t used = 0, wanted = 0;
    buf[0] = '\0';
    for (; d < open && used < size / 2; d++) {
        int n = path_part(w, d, buf + used, size - used);
        used += n > 0 ? (size_t)n : 0;
        if (used >= size) return buf;
    }
    for (tail = open; tail > d; tail--) {
        int n = path_part(w, tail - 1, NULL, 0);
        if (n < 0 || used + wanted + (size_t)n + 6 >= size) break;
        wanted += (size_t)n;
    }
    if (tail > d) used += (size_t)snprintf(buf + used, size - used, "....");
    for (; tail < open && used < size; tail++) used += (size_t)path_part(w, tail, buf + used, size - used);
    return buf;
}

size_t walk_path_whole(const Walk *w, char *buf, size_t size)
{
    size_t used = 0;
    if (size) buf[0] = '\0';
    for (uint32_t d = 0, open = open_frames(w); d < open; d++) {
        int n = path_part(w, d, used < size ? buf + used : NULL, used < size ? size - used : 0);
        used += n > 0 ? (size_t)n : 0;
    }
    return used;
}

bool walk_path_is(const Walk *w, const char *path)
{
    char part[TREE_PATH];
    for (uint32_t d = 0, open = open_frames(w); d < open; d++) {
        int n = path_part(w, d, part, sizeof part);
        if (n < 0 || n >= TREE_PATH || strncmp(part, path, (size_t)n)) return false;
        path += n;
    }
    return !*path;
}

bool tree_fixed(const weft_tree *tree, uint32_t *leaves, uint32_t *words)
{
    CLEANUP(walk_end) Walk w;
    WalkEvent event;
    walk_words(&w, NULL, tree, NULL, 0);
    while ((event = walk_next(&w)) == WALK_LEAF || event == WALK_WORD)
        if (event == WALK_WORD && walk_field(&w)->kind != WEFT_FIELD_STATIC) return false;
    *leaves = w.leaves, *words = w.n;
    return event == WALK_END;
}
