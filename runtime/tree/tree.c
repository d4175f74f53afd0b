/* tree.c: see tree.h. */
#include "tree.h"
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- numbers ---- */

uint64_t number_load(DType t, const void *from)
{
    uint64_t bits = 0;
    memcpy(&bits, from, dtype_bytes(t));
    return bits;
}

char *number_text(char *buf, size_t size, DType t, uint64_t bits)
{
    float f;
    double d;
    memcpy(&f, &bits, sizeof f);
    memcpy(&d, &bits, sizeof d);
    switch ((int)t) {
    case WEFT_BOOL: snprintf(buf, size, "%s", bits ? "true" : "false"); break;
    case WEFT_I8:   snprintf(buf, size, "%d", (int8_t)bits); break;
    case WEFT_I16:  snprintf(buf, size, "%d", (int16_t)bits); break;
    case WEFT_I32:  snprintf(buf, size, "%" PRId32, (int32_t)bits); break;
    case WEFT_I64:  snprintf(buf, size, "%" PRId64, (int64_t)bits); break;
    case WEFT_F32:  snprintf(buf, size, "%.9g", (double)f); break;
    case WEFT_F64:  snprintf(buf, size, "%.17g", d); break;
    default:        snprintf(buf, size, "%" PRIu64, bits);
    }
    return buf;
}

/* As int64: a count of any width. What does not fit is negative, and refused as such. */
static int64_t load_count(DType t, const void *from)
{
    uint64_t bits = number_load(t, from);
    switch ((int)t) {
    case WEFT_I8:  return (int8_t)bits;
    case WEFT_I16: return (int16_t)bits;
    case WEFT_I32: return (int32_t)bits;
    default:       return (int64_t)bits;
    }
}

/* ---- stacks of walks ---- */

static void *resize(Memory *m, void *p, size_t old, size_t new)
{
    return m ? memory_resize(m, p, old, new) : realloc(p, new);
}

static bool stack_grow(Walk *w)
{
    uint32_t capacity = 2 * w->capacity;
    bool first = w->frame == w->few;
    WalkFrame *frame = resize(w->memory, first ? NULL : w->frame, first ? 0 : w->capacity * sizeof *frame,
                              capacity * sizeof *frame);
    if (!frame) return fail(&w->failure, WEFT_MEMORY, "out of memory");
    if (first) memcpy(frame, w->few, sizeof w->few);
    w->frame = frame;
    w->capacity = capacity;
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

static void walk_init(Walk *w, Memory *m, const weft_tree *tree, char *base)
{
    w->words = NULL, w->n_words = 0;
    w->room = NULL;
    w->memory = m;
    w->frame = w->few;
    w->capacity = WALK_FRAMES;
    w->depth = w->leaves = w->n = w->steps = 0;
    w->failure.code = WEFT_OK;
    push(w, tree, base);
}

void walk_memory(Walk *w, Memory *m, const weft_tree *tree, const void *base)
{
    walk_init(w, m, tree, (char *)(uintptr_t)base);
}

void walk_words(Walk *w, Memory *m, const weft_tree *tree, const uint64_t *words, uint32_t n)
{
    static const uint64_t none;
    walk_init(w, m, tree, NULL);
    w->words = words ? words : &none;
    w->n_words = n;
}

void walk_build(Walk *w, Memory *m, const weft_tree *tree, void *base, const uint64_t *words, uint32_t n,
                const TreeRoom *room)
{
    walk_init(w, m, tree, base);
    w->words = words;
    w->n_words = n;
    w->room = room;
}

void walk_end(Walk *w)
{
    if (w->frame == w->few) return;
    if (w->memory) memory_free(w->memory, w->frame, w->capacity * sizeof *w->frame);
    else free(w->frame);
}

const weft_field *walk_field(const Walk *w)
{
    uint32_t d = w->depth;
    while (d && !w->frame[d - 1].open) d--;
    return d ? &w->frame[d - 1].tree->field[w->frame[d - 1].field] : NULL;
}

/* ---- one step ---- */

static int64_t elements_in_place(const weft_field *f)
{
    switch (f->kind) {
    case WEFT_FIELD_TREE:   return (int64_t)(f->bytes / f->tree->bytes);
    case WEFT_FIELD_STATIC: return (int64_t)(f->bytes / dtype_bytes((DType)f->number));
    case WEFT_FIELD_HIDDEN: return 0;
    default:                return (int64_t)(f->bytes / sizeof(void *));
    }
}

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
    char path[TREE_PATH], text[200];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    fail(&w->failure, WEFT_TREE_MISMATCH, "%s%s", walk_path(w, path, sizeof path), text);
    return WALK_BAD;
}

static void *take_room(Walk *w, size_t n, size_t bytes)
{
    void *p = w->room->take(w->room->user, n * bytes);
    if (!p) fail(&w->failure, WEFT_MEMORY, "out of memory");
    return p;
}

/* A list with a run-time count: its length is a word. */
static WalkEvent open_list(Walk *w, WalkFrame *f, const weft_field *field)
{
    size_t bytes = field->kind == WEFT_FIELD_ARRAYS ? sizeof(void *) : field->tree->bytes;
    char *count_at = f->base ? f->base + field->count_offset : NULL;
    f->count =
        (int64_t)next_word(w, f->base && !w->room ? (uint64_t)load_count((DType)field->number, count_at) : 0);
    if (f->count < 0) return bad(w, ": its count %s is %lld", field->count_name, (long long)f->count);
    if (f->count > TREE_LIMIT)
        return bad(w, ": its count %s is %lld, and a tree has at most %d parts", field->count_name,
                   (long long)f->count, TREE_LIMIT);
    if (w->room && f->base) {
        uint64_t bits = (uint64_t)f->count;
        memcpy(count_at, &bits, dtype_bytes((DType)field->number));
        f->items = f->count ? take_room(w, (size_t)f->count, bytes) : NULL;
        memcpy(f->base + field->offset, &f->items, sizeof f->items);
        if (f->count && !f->items) return WALK_BAD;
    } else if (f->base) {
        memcpy(&f->items, f->base + field->offset, sizeof f->items);
        if (f->count && !f->items)
            return bad(w, " is NULL, but its count %s is %lld", field->count_name, (long long)f->count);
    }
    return WALK_WORD;
}

static WalkEvent open_field(Walk *w, WalkFrame *f, const weft_field *field)
{
    f->open = true;
    f->index = -1;
    if (field->kind == WEFT_FIELD_ARRAYS || field->kind == WEFT_FIELD_TREES) {
        f->items = NULL;
        return open_list(w, f, field);
    }
    f->count = elements_in_place(field);
    f->items = f->base ? f->base + field->offset : NULL;
    return WALK_END;
}

/* Element f->index of a WEFT_POINTER: is it there? */
static WalkEvent step_pointer(Walk *w, WalkFrame *f, const weft_field *field)
{
    char *to = NULL, *slot = f->items ? f->items + (size_t)f->index * sizeof to : NULL;
    if (slot && !w->room) memcpy(&to, slot, sizeof to);
    bool present = next_word(w, to != NULL) != 0;
    if (slot && w->room) {
        to = present ? take_room(w, 1, field->tree->bytes) : NULL;
        memcpy(slot, &to, sizeof to);
        if (present && !to) return WALK_BAD;
    }
    return !present || push(w, field->tree, to) ? WALK_WORD : WALK_BAD;
}

static WalkEvent step_argument(Walk *w, WalkFrame *f, const weft_field *field)
{
    char *to = NULL, *slot = f->items;
    if (slot && !w->room) memcpy(&to, slot, sizeof to);
    if (slot && w->room) {
        if (!(to = take_room(w, 1, field->tree->bytes))) return WALK_BAD;
        memcpy(slot, &to, sizeof to);
    }
    if (slot && !to) return bad(w, " is NULL");
    return push(w, field->tree, to) ? WALK_END : WALK_BAD;
}

static WalkEvent step_number(Walk *w, WalkFrame *f, const weft_field *field)
{
    size_t bytes = dtype_bytes((DType)field->number);
    char *at = f->items ? f->items + (size_t)f->index * bytes : NULL;
    next_word(w, at && !w->room ? number_load((DType)field->number, at) : 0);
    if (at && w->room) memcpy(at, &w->bits, bytes);
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

/* ---- paths ---- */

/* ".l[0]" of one frame, as snprintf. */
static int path_part(const Walk *w, uint32_t depth, char *buf, size_t size)
{
    const WalkFrame *f = &w->frame[depth];
    const weft_field *field = &f->tree->field[f->field];
    bool list = field->kind == WEFT_FIELD_ARRAYS || field->kind == WEFT_FIELD_TREES ||
                (f->count > 1 && field->kind != WEFT_FIELD_HIDDEN);
    if (list && f->index >= 0)
        return snprintf(buf, size, "%s%s[%lld]", depth ? "." : "", field->name, (long long)f->index);
    return snprintf(buf, size, "%s%s", depth ? "." : "", field->name);
}

static uint32_t open_frames(const Walk *w)
{
    uint32_t n = w->depth;
    while (n && !w->frame[n - 1].open) n--;
    return n;
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

/* ---- flat structures ---- */

void flat_open(Flat *x, Memory *m)
{
    x->leaf = x->few_leaves, x->word = x->few_words;
    x->n_leaves = x->n_words = 0;
    x->leaf_room = FLAT_LEAVES, x->word_room = FLAT_WORDS;
    x->memory = m;
}

void flat_close(Flat *x)
{
    if (x->leaf != x->few_leaves) memory_free(x->memory, x->leaf, x->leaf_room * sizeof *x->leaf);
    if (x->word != x->few_words) memory_free(x->memory, x->word, x->word_room * sizeof *x->word);
    x->leaf = x->few_leaves, x->word = x->few_words;
}

/* Room for need items of bytes each: items, which are few at first. NULL: refused. */
static void *grow(Memory *m, void *items, const void *few, uint32_t *room, uint32_t need, size_t bytes)
{
    uint32_t more = *room;
    while (more < need) more *= 2;
    bool first = items == few;
    void *new = memory_resize(m, first ? NULL : items, first ? 0 : *room * bytes, more * bytes);
    if (!new) return NULL;
    if (first) memcpy(new, few, *room * bytes);
    *room = more;
    return new;
}

bool flat_leaf(Flat *x, weft_array *a)
{
    if (x->n_leaves == x->leaf_room) {
        void *new = grow(x->memory, x->leaf, x->few_leaves, &x->leaf_room, x->n_leaves + 1, sizeof *x->leaf);
        if (!new) return false;
        x->leaf = new;
    }
    x->leaf[x->n_leaves++] = a;
    return true;
}

bool flat_words(Flat *x, const uint64_t *words, uint32_t n)
{
    if (x->n_words + n > x->word_room) {
        void *new = grow(x->memory, x->word, x->few_words, &x->word_room, x->n_words + n, sizeof *x->word);
        if (!new) return false;
        x->word = new;
    }
    if (n) memcpy(x->word + x->n_words, words, n * sizeof *words);
    x->n_words += n;
    return true;
}

bool flat_word(Flat *x, uint64_t bits) { return flat_words(x, &bits, 1); }

bool flat_read(Flat *x, const weft_tree *tree, const void *base, Failure *f)
{
    Walk w;
    WalkEvent event;
    bool good = true;
    walk_memory(&w, x->memory, tree, base);
    while (good && (event = walk_next(&w)) != WALK_END) {
        if (event == WALK_LEAF) good = flat_leaf(x, *w.place);
        else if (event == WALK_WORD) good = flat_word(x, w.bits);
        else if (event == WALK_BAD) good = fail(f, w.failure.code, "%s", w.failure.text);
    }
    if (!good) fail(f, WEFT_MEMORY, "out of memory");
    walk_end(&w);
    return good;
}

void tree_clear(const weft_tree *tree, void *base)
{
    static const TreeRoom none;
    Walk w;
    WalkEvent event;
    walk_build(&w, NULL, tree, base, NULL, 0, &none);
    while ((event = walk_next(&w)) == WALK_LEAF || event == WALK_WORD)
        if (event == WALK_LEAF) *w.place = NULL;
    walk_end(&w);
}

bool flat_write(const Flat *x, const weft_tree *tree, void *base, const TreeRoom *room, Failure *f)
{
    Walk w;
    WalkEvent event;
    bool good = true;
    walk_build(&w, x->memory, tree, base, x->word, x->n_words, room);
    while (good && (event = walk_next(&w)) != WALK_END) {
        if (event == WALK_LEAF) *w.place = x->leaf[w.leaves - 1];
        else if (event == WALK_BAD) good = fail(f, w.failure.code, "%s", w.failure.text);
    }
    walk_end(&w);
    if (!good) tree_clear(tree, base);
    return good;
}

/* ---- layouts ---- */

enum { LAYOUT_PARTS = 1024 };

/* The first pass counts, the second writes. */
static void lay_out(Layout *p, const weft_tree *tree, const char *base)
{
    Walk w;
    WalkEvent event;
    walk_memory(&w, NULL, tree, base);
    p->n_leaves = p->n_words = p->n_lazy = 0;
    while ((event = walk_next(&w)) == WALK_LEAF || event == WALK_WORD || event == WALK_LAZY) {
        const WalkFrame *f = &w.frame[w.depth - 1];
        if (event != WALK_WORD) {
            uint32_t *to = event == WALK_LEAF ? p->leaf : p->lazy,
                     *n = event == WALK_LEAF ? &p->n_leaves : &p->n_lazy;
            if (to) to[*n] = (uint32_t)((char *)w.place - base);
            ++*n;
        } else {
            DType t = (DType)walk_field(&w)->number;
            if (p->word)
                p->word[p->n_words] = (uint32_t)(f->items + (size_t)f->index * dtype_bytes(t) - base),
                p->number[p->n_words] = (uint8_t)t;
            p->n_words++;
        }
    }
    walk_end(&w);
}

Layout *layout_make(Arena *a, const weft_tree *tree)
{
    uint32_t leaves, words;
    if (!tree_fixed(tree, &leaves, &words) || leaves + words > LAYOUT_PARTS || tree->bytes > UINT32_MAX)
        return NULL;
    const char *zeros = arena_alloc(a, tree->bytes);
    Layout *p = arena_alloc(a, sizeof *p);
    lay_out(p, tree, zeros);
    p->leaf = arena_alloc(a, (p->n_leaves + 1) * sizeof *p->leaf);
    p->lazy = arena_alloc(a, (p->n_lazy + 1) * sizeof *p->lazy);
    p->word = arena_alloc(a, (p->n_words + 1) * sizeof *p->word);
    p->number = arena_alloc(a, p->n_words + 1);
    lay_out(p, tree, zeros);
    return p;
}

bool flat_read_layout(Flat *x, const Layout *p, const void *base)
{
    const char *at = base;
    for (uint32_t i = 0; i < p->n_leaves; i++)
        if (!flat_leaf(x, *(weft_array *const *)(const void *)(at + p->leaf[i]))) return false;
    for (uint32_t i = 0; i < p->n_words; i++)
        if (!flat_word(x, number_load((DType)p->number[i], at + p->word[i]))) return false;
    return true;
}

/* ---- looking at words ---- */

bool tree_ranges(const weft_tree *tree, Memory *m, const uint64_t *words, uint32_t n, TreeRange *r)
{
    Walk w;
    WalkEvent event;
    size_t field = 0;
    walk_words(&w, m, tree, words, n);
    TreeRange seen = { 0, 0 };
    r[0] = seen;
    while ((event = walk_next(&w)) == WALK_LEAF || event == WALK_WORD) {
        while (field < walk_root(&w)) r[++field] = seen;
        seen = (TreeRange){ w.leaves, w.n };
    }
    while (field < tree->fields) r[++field] = seen;
    walk_end(&w);
    return event == WALK_END;
}

char *tree_leaf_path(const weft_tree *tree, const uint64_t *words, uint32_t n, uint32_t i, char *buf,
                     size_t size)
{
    Walk w;
    WalkEvent event;
    buf[0] = '\0';
    walk_words(&w, NULL, tree, words, n);
    while ((event = walk_next(&w)) == WALK_LEAF || event == WALK_WORD) {
        if (event != WALK_LEAF || w.leaves <= i) continue;
        walk_path(&w, buf, size);
        break;
    }
    walk_end(&w);
    return buf;
}

static void describe_word(const weft_field *field, uint64_t bits, char *buf, size_t size)
{
    switch (field->kind) {
    case WEFT_FIELD_ARRAYS:
    case WEFT_FIELD_TREES:   snprintf(buf, size, "a list of %lld", (long long)bits); break;
    case WEFT_FIELD_POINTER: snprintf(buf, size, bits ? "a %s" : "NULL", field->tree->name); break;
    default:                 number_text(buf, size, (DType)field->number, bits);
    }
}

bool tree_difference(const weft_tree *tree, const uint64_t *a, uint32_t n_a, const uint64_t *b, uint32_t n_b,
                     TreeDifference *d)
{
    Walk w;
    WalkEvent event;
    bool differ = false;
    walk_words(&w, NULL, tree, a, n_a);
    while (!differ && ((event = walk_next(&w)) == WALK_LEAF || event == WALK_WORD)) {
        if (event != WALK_WORD || (w.n <= n_b && b[w.n - 1] == w.bits)) continue;
        uint64_t other = w.n <= n_b ? b[w.n - 1] : 0;
        const weft_field *field = walk_field(&w);
        walk_path(&w, d->path, sizeof d->path);
        describe_word(field, w.bits, d->a, sizeof d->a);
        describe_word(field, other, d->b, sizeof d->b);
        d->why = field->kind == WEFT_FIELD_STATIC    ? "the metadata does not match"
                 : field->kind == WEFT_FIELD_POINTER ? "their types differ"
                                                     : "the lengths do not match";
        d->number = w.depth == 1 && field->kind == WEFT_FIELD_STATIC;
        differ = true;
    }
    walk_end(&w);
    return differ;
}

bool field_difference(const weft_tree *of, size_t field, const Flat *a, const TreeRange *from, const Flat *b,
                      const TreeRange *to, TreeDifference *d)
{
    const weft_tree part = { .name = of->name, .bytes = of->bytes, .fields = 1, .field = &of->field[field] };
    return tree_difference(&part, a->word + from[0].word, from[1].word - from[0].word, b->word + to[0].word,
                           to[1].word - to[0].word, d);
}

/* ---- descriptions ---- */

static bool check_field(const weft_tree *t, const weft_field *f, Failure *failure)
{
    if (!f->name) return fail(failure, WEFT_ARGUMENT, "%s: a field has no name", t->name);
    if ((unsigned)f->kind >= WEFT_FIELD_KINDS_)
        return fail(failure, WEFT_ARGUMENT, "%s.%s: %d is no kind of field", t->name, f->name, f->kind);
    if (f->offset > t->bytes || f->bytes > t->bytes - f->offset)
        return fail(failure, WEFT_ARGUMENT, "%s.%s: it lies outside the struct's %zu bytes", t->name, f->name,
                    t->bytes);
    bool tree = f->kind == WEFT_FIELD_TREE || f->kind == WEFT_FIELD_TREES || f->kind == WEFT_FIELD_POINTER;
    if (tree && !f->tree)
        return fail(failure, WEFT_ARGUMENT, "%s.%s: the description of its struct is NULL", t->name, f->name);
    if (tree && (!f->tree->name || !f->tree->bytes || (f->tree->fields && !f->tree->field)))
        return fail(failure, WEFT_ARGUMENT,
                    "%s.%s: the description of its struct is empty: is WEFT_STRUCT missing?", t->name,
                    f->name);
    bool number = f->kind == WEFT_FIELD_STATIC || f->kind == WEFT_FIELD_ARRAYS || f->kind == WEFT_FIELD_TREES;
    if (number && ((unsigned)f->number > WEFT_F64 || f->number == WEFT_F16 || f->number == WEFT_BF16))
        return fail(failure, WEFT_ARGUMENT, "%s.%s: %d is no type of C number", t->name, f->name, f->number);
    size_t unit = f->kind == WEFT_FIELD_TREE     ? f->tree->bytes
                  : f->kind == WEFT_FIELD_STATIC ? dtype_bytes((DType)f->number)
                  : f->kind == WEFT_FIELD_HIDDEN ? 1
                                                 : sizeof(void *);
    if (f->bytes == 0 || f->bytes % unit)
        return fail(failure, WEFT_ARGUMENT, "%s.%s: %zu bytes are not of its type", t->name, f->name,
                    f->bytes);
    if (f->kind == WEFT_FIELD_ARRAYS || f->kind == WEFT_FIELD_TREES) {
        if (!f->count_name)
            return fail(failure, WEFT_ARGUMENT, "%s.%s: its count has no name", t->name, f->name);
        if (f->number == WEFT_BOOL || f->number == WEFT_F32 || f->number == WEFT_F64)
            return fail(failure, WEFT_ARGUMENT, "%s.%s: its count is no integer", t->name, f->name);
        if (f->count_offset > t->bytes || dtype_bytes((DType)f->number) > t->bytes - f->count_offset)
            return fail(failure, WEFT_ARGUMENT, "%s.%s: its count lies outside the struct", t->name, f->name);
    }
    return true;
}

static bool check_overlap(const weft_tree *t, Failure *failure)
{
    for (size_t i = 0; i < t->fields; i++) {
        for (size_t k = 0; k < i; k++) {
            const weft_field *a = &t->field[k], *b = &t->field[i];
            if (!strcmp(a->name, b->name))
                return fail(failure, WEFT_ARGUMENT, "%s.%s is described twice", t->name, a->name);
            if (a->offset < b->offset + b->bytes && b->offset < a->offset + a->bytes)
                return fail(failure, WEFT_ARGUMENT, "%s: the fields %s and %s overlap", t->name, a->name,
                            b->name);
        }
    }
    return true;
}

static bool check_fields(const weft_tree *t, Failure *failure)
{
    if (!t->name || !t->bytes || (t->fields && !t->field))
        return fail(failure, WEFT_ARGUMENT, "a description without name or size");
    for (size_t i = 0; i < t->fields; i++)
        if (!check_field(t, &t->field[i], failure)) return false;
    return true;
}

/* Structs that lie inside each other nest as deep as C nests them: a description deeper than this goes in a
 * circle. */
enum { MAX_NESTING = 64, MAX_KNOWN = 4096 };
typedef struct Known {
    const weft_tree *tree[MAX_KNOWN];
    int n;
} Known;

static bool check_inside(const weft_tree *t, int depth, Failure *failure)
{
    if (depth > MAX_NESTING)
        return fail(failure, WEFT_ARGUMENT,
                    "%s contains itself: only WEFT_POINTER and WEFT_TREES may lead back", t->name);
    if (!check_fields(t, failure)) return false;
    for (size_t i = 0; i < t->fields; i++)
        if (t->field[i].kind == WEFT_FIELD_TREE && !check_inside(t->field[i].tree, depth + 1, failure))
            return false;
    return true;
}

/* t and all that it leads to, each once. */
static bool reach(const weft_tree *t, Known *known, Failure *failure)
{
    known->tree[known->n++] = t;
    for (int at = 0; at < known->n; at++) {
        t = known->tree[at];
        if (!check_fields(t, failure) || !check_overlap(t, failure)) return false;
        for (size_t i = 0; i < t->fields; i++) {
            const weft_tree *to = t->field[i].tree;
            int k = 0;
            while (k < known->n && known->tree[k] != to) k++;
            if (!to || k < known->n) continue;
            if (known->n == MAX_KNOWN) return fail(failure, WEFT_ARGUMENT, "more than %d structs", MAX_KNOWN);
            known->tree[known->n++] = to;
        }
    }
    return true;
}

bool tree_sound(const weft_tree *t, Failure *failure)
{
    return t ? check_inside(t, 0, failure) : fail(failure, WEFT_ARGUMENT, "the description is NULL");
}

bool tree_check(const weft_tree *t, Memory *memory, Failure *failure)
{
    if (!t) return fail(failure, WEFT_ARGUMENT, "the description is NULL");
    Known *known = memory_alloc(memory, sizeof *known);
    if (!known) return fail(failure, WEFT_MEMORY, "out of memory");
    bool good = reach(t, known, failure);
    for (int i = 0; i < known->n && good; i++) good = check_inside(known->tree[i], 0, failure);
    memory_free(memory, known, sizeof *known);
    return good;
}

/* Structs inside by name: each is compared when it is described itself. */
bool tree_equal(const weft_tree *a, const weft_tree *b)
{
    if (a == b) return true;
    if (!a || !b) return false;
    if (strcmp(a->name, b->name) || a->bytes != b->bytes || a->fields != b->fields) return false;
    for (size_t i = 0; i < a->fields; i++) {
        const weft_field *f = &a->field[i], *g = &b->field[i];
        if (strcmp(f->name, g->name) || f->kind != g->kind || f->offset != g->offset ||
            f->bytes != g->bytes || f->number != g->number)
            return false;
        if (!f->tree != !g->tree || (f->tree && strcmp(f->tree->name, g->tree->name)) ||
            f->count_offset != g->count_offset)
            return false;
    }
    return true;
}

bool field_equal(const weft_field *a, const weft_field *b)
{
    return a->kind == b->kind && a->number == b->number && tree_equal(a->tree, b->tree);
}

bool tree_fixed(const weft_tree *tree, uint32_t *leaves, uint32_t *words)
{
    Walk w;
    WalkEvent event;
    bool fixed = true;
    walk_words(&w, NULL, tree, NULL, 0);
    while (fixed && ((event = walk_next(&w)) == WALK_LEAF || event == WALK_WORD))
        fixed = event == WALK_LEAF || walk_field(&w)->kind == WEFT_FIELD_STATIC;
    fixed = fixed && event == WALK_END;
    *leaves = w.leaves, *words = w.n;
    walk_end(&w);
    return fixed;
}
