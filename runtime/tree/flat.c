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

/* The first pass counts, the second writes. */
static void lay_out(Layout *p, const weft_tree *tree, const char *base)
{
    CLEANUP(walk_end) Walk w;
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
        if (!flat_word(x, scalar_load((DType)p->number[i], at + p->word[i]))) return false;
    return true;
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
        while (field < walk_root(&w)) r[++field] = seen;
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
