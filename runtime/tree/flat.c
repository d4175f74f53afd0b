/* flat.c: see flat.h. */
#include "flat.h"
#include <stdio.h>
#include <string.h>

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

bool flat_leaf(Flat *x, weft_array *a)
{
    if (x->n_leaves == x->leaf_room) {
        void *new =
            walk_grow(x->memory, x->leaf, x->few_leaves, &x->leaf_room, x->n_leaves + 1, sizeof *x->leaf);
        if (!new) return false;
        x->leaf = new;
    }
    x->leaf[x->n_leaves++] = a;
    return true;
}

bool flat_words(Flat *x, const uint64_t *words, uint32_t n)
{
    if (x->n_words + n > x->word_room) {
        void *new =
            walk_grow(x->memory, x->word, x->few_words, &x->word_room, x->n_words + n, sizeof *x->word);
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
    CLEANUP(walk_end) Walk w;
    bool good = true;
    walk_memory(&w, x->memory, tree, base);
    for (WalkEvent event; good && (event = walk_next(&w)) != WALK_END;) {
        if (event == WALK_LEAF) good = flat_leaf(x, *w.place);
        else if (event == WALK_WORD) good = flat_word(x, w.bits);
        else if (event == WALK_BAD) return fail_as(f, &w.failure);
    }
    return good || fail(f, WEFT_MEMORY, "out of memory");
}

void tree_clear(const weft_tree *tree, void *base)
{
    static const TreeRoom none;
    CLEANUP(walk_end) Walk w;
    walk_build(&w, NULL, tree, base, NULL, 0, &none);
    while (walk_leaf(&w)) *w.place = NULL;
}

bool flat_write(const Flat *x, const weft_tree *tree, void *base, const TreeRoom *room, Failure *f)
{
    CLEANUP(walk_end) Walk w;
    walk_build(&w, x->memory, tree, base, x->word, x->n_words, room);
    while (walk_leaf(&w)) *w.place = x->leaf[w.leaves - 1];
    if (w.failure.code == WEFT_OK) return true;
    tree_clear(tree, base);
    return fail_as(f, &w.failure);
}

void tree_put(const weft_tree *tree, Memory *m, void *base, weft_array *const *leaf)
{
    CLEANUP(walk_end) Walk w;
    walk_memory(&w, m, tree, base);
    for (WalkEvent event; (event = walk_next(&w)) != WALK_END && event != WALK_BAD;) {
        if (event == WALK_LEAF) *w.place = leaf[w.leaves - 1];
        else if (event == WALK_LAZY) *w.place = NULL;
    }
}

/* ---- layouts ---- */

enum { LAYOUT_PARTS = 1024 };

/* to NULL: only counts them. */
static uint32_t list_parts(const weft_tree *tree, const char *base, LayoutPart *to)
{
    CLEANUP(walk_end) Walk w;
    WalkEvent event;
    uint32_t n = 0;
    walk_memory(&w, NULL, tree, base);
    for (; (event = walk_next(&w)) == WALK_LEAF || event == WALK_WORD || event == WALK_LAZY; n++) {
        const WalkFrame *f = &w.frame[w.depth - 1];
        DType t = (DType)walk_field(&w)->number;
        const char *at = event == WALK_WORD ? f->items + (size_t)f->index * dtype_bytes(t) : (char *)w.place;
        if (to) to[n] = (LayoutPart){ (uint32_t)(at - base), (uint8_t)event, (uint8_t)t };
    }
    return n;
}

Layout *layout_make(Arena *a, const weft_tree *tree)
{
    Layout made;
    if (!tree_fixed(tree, &made.n_leaves, &made.n_words) || made.n_leaves + made.n_words > LAYOUT_PARTS ||
        tree->bytes > UINT32_MAX)
        return NULL;
    const char *zeros = arena_alloc(a, tree->bytes);
    made.n = list_parts(tree, zeros, NULL);
    made.part = arena_alloc(a, made.n * sizeof *made.part);
    list_parts(tree, zeros, made.part);
    return arena_copy(a, &made, sizeof made);
}

bool flat_read_layout(Flat *x, const Layout *p, const void *base)
{
    bool good = true;
    for (const LayoutPart *part = p->part, *end = part + p->n; part < end && good; part++) {
        const void *at = (const char *)base + part->at;
        if (part->event == WALK_LEAF) good = flat_leaf(x, *(weft_array *const *)at);
        else if (part->event == WALK_WORD) good = flat_word(x, scalar_load((DType)part->number, at));
    }
    return good;
}

/* ---- looking at words ---- */

bool tree_ranges(const weft_tree *tree, Memory *m, const uint64_t *words, uint32_t n, TreeRange *r)
{
    CLEANUP(walk_end) Walk w;
    WalkEvent event;
    size_t field = 0;
    walk_words(&w, m, tree, words, n);
    TreeRange seen = { 0, 0 };
    r[0] = seen;
    while ((event = walk_next(&w)) == WALK_LEAF || event == WALK_WORD) {
        while (field < w.frame[0].field) r[++field] = seen;
        seen = (TreeRange){ w.leaves, w.n };
    }
    while (field < tree->fields) r[++field] = seen;
    return event == WALK_END;
}

char *tree_leaf_path(const weft_tree *tree, const uint64_t *words, uint32_t n, uint32_t i, char *buf,
                     size_t size)
{
    CLEANUP(walk_end) Walk w;
    buf[0] = '\0';
    walk_words(&w, NULL, tree, words, n);
    while (w.leaves <= i && walk_leaf(&w)) {}
    return w.leaves > i ? walk_path(&w, buf, size) : buf;
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
    CLEANUP(walk_end) Walk w;
    WalkEvent event;
    walk_words(&w, NULL, tree, a, n_a);
    while ((event = walk_next(&w)) == WALK_LEAF || event == WALK_WORD) {
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
        return true;
    }
    return false;
}

bool field_difference(const weft_tree *of, size_t field, const Flat *a, const TreeRange *from, const Flat *b,
                      const TreeRange *to, TreeDifference *d)
{
    const weft_tree part = { .name = of->name, .bytes = of->bytes, .fields = 1, .field = &of->field[field] };
    return tree_difference(&part, a->word + from[0].word, from[1].word - from[0].word, b->word + to[0].word,
                           to[1].word - to[0].word, d);
}
