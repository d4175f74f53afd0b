/* tree_own.c: who owns the leaves of a struct: weft_assign, and keep, lift and free for whole trees. */
#include <stdlib.h>
#include "tree_whole.h"

/* The context of the first array that is there; a thread need not have a current one. */
static weft_context *context_of(const weft_tree *tree, const void *structure)
{
    Failure ignored = { .code = WEFT_OK };
    if (!tree || !structure || !tree_sound(tree, &ignored)) return NULL;
    CLEANUP(walk_end) Walk w;
    walk_memory(&w, NULL, tree, structure);
    while (walk_leaf(&w))
        if (*w.place) return (*w.place)->ctx;
    return NULL;
}

/* ---- all that a struct holds ---- */

/* The block that the open field's elements lie in, if the field is a pointer. */
static bool add_block(weft_context *ctx, const Walk *w, Flat *blocks)
{
    const weft_field *field = walk_field(w);
    const WalkFrame *top = &w->frame[w->depth - 1];
    const void *at = field->kind == WEFT_FIELD_POINTER  ? (top->open ? NULL : top->base)
                     : field->kind == WEFT_FIELD_STATIC ? NULL
                                                        : top->items;
    weft_array *owner = at ? tree_memory_owner(ctx, at) : NULL;
    return !owner || flat_leaf(blocks, owner);
}

/* Words, leaves, and lazy arrays that are there; blocks: arrays that stand for its memory, or NULL. */
static bool read_held(TreeCall *c, const void *structure, Flat *arrays, Flat *blocks)
{
    CLEANUP(walk_end) Walk w;
    bool good = true;
    weft_context *ctx = c->l->ctx;
    walk_memory(&w, &ctx->memory, c->tree, structure);
    for (WalkEvent event; good && (event = walk_next(&w)) != WALK_END;) {
        if (event == WALK_BAD) return fail_as(&c->failure, &w.failure);
        if (event == WALK_WORD) good = flat_word(arrays, w.bits) && (!blocks || add_block(ctx, &w, blocks));
        else if (event == WALK_LEAF || *w.place) good = flat_leaf(arrays, *w.place);
    }
    return good || fail(&c->failure, WEFT_MEMORY, "out of memory");
}

/* ---- keep, lift, free ---- */

typedef weft_array *Owner(weft_array *);

/* Gives all that the struct holds to another owner. */
static weft_status hand_over(const weft_tree *tree, void *structure, const char *who, const char *at,
                             Owner *give)
{
    TreeCall c;
    Flat *arrays = &c.flat[0], *blocks = &c.flat[1];
    if (!tree_begin(&c, context_of(tree, structure), who, at, tree, structure)) return tree_end(&c);
    bool good = read_held(&c, structure, arrays, blocks);
    for (uint32_t i = 0; i < arrays->n_leaves && good; i++)
        if (!(good = give(arrays->leaf[i]) != NULL)) c.reported = c.l->error;
    for (uint32_t i = 0; i < blocks->n_leaves && good; i++) give(blocks->leaf[i]);
    return tree_end(&c);
}

weft_status weft_keep_tree_(const weft_tree *tree, void *structure, const char *at)
{
    return hand_over(tree, structure, "weft_keep_tree", at, weft_keep);
}

weft_status weft_lift_tree_(const weft_tree *tree, void *structure, const char *at)
{
    return hand_over(tree, structure, "weft_lift_tree", at, weft_lift);
}

void weft_free_tree(const weft_tree *tree, void *structure)
{
    TreeCall c;
    Flat *arrays = &c.flat[0], *blocks = &c.flat[1];
    weft_context *ctx = context_of(tree, structure);
    if (!structure) return;
    if (tree_begin(&c, ctx, "weft_free_tree", NULL, tree, true) && read_held(&c, structure, arrays, blocks)) {
        tree_clear(tree, structure);
        for (uint32_t i = 0; i < arrays->n_leaves; i++) weft_free(arrays->leaf[i]);
        for (uint32_t i = 0; i < blocks->n_leaves; i++) weft_free(blocks->leaf[i]);
    }
    tree_end(&c);
}

/* ---- assign ---- */

static int by_address(const void *a, const void *b)
{
    uintptr_t x = (uintptr_t)*(weft_array *const *)a, y = (uintptr_t)*(weft_array *const *)b;
    return (x > y) - (x < y);
}

static bool assignable(TreeCall *c, const Flat *dst, const Flat *src, const Flat *leaves)
{
    if (!tree_same(c, dst, "the destination", src, "the source")) return false;
    for (uint32_t i = 0; i < leaves->n_leaves; i++) {
        if (!tree_leaf_good(c, leaves, i, "the source")) return false;
        if (leaves->leaf[i]->state == ARRAY_TRACED)
            return fail(&c->failure, WEFT_TRACED,
                        "leaf %s is traced and lives as long as its trace: return it as a result instead",
                        LEAF_PATH(c->tree, leaves->word, leaves->n_words, i));
    }
    return true;
}

/* A struct copied without its lists and pointers shares them: an array written there since then has taken the
 * place of one that nobody can free any more. */
static bool none_lost(TreeCall *c, const void *dst, const void *src, const Flat *leaves)
{
    CLEANUP(walk_end) Walk to;
    CLEANUP(walk_end) Walk from;
    WalkEvent event;
    walk_memory(&to, &c->l->ctx->memory, c->tree, dst);
    walk_memory(&from, &c->l->ctx->memory, c->tree, src);
    while (dst != src && (event = walk_next(&to)) == walk_next(&from) && event != WALK_END &&
           event != WALK_BAD) {
        if (event != WALK_LEAF || to.place != from.place || !*to.place || !(*to.place)->owner) continue;
        return fail(
            &c->failure, WEFT_ARGUMENT,
            "the destination and the source share the memory in which %s lies, where a new array took "
            "the old one's place: copy structs that have lists or pointers by weft_copy_tree",
            LEAF_PATH(c->tree, leaves->word, leaves->n_words, from.leaves - 1));
    }
    return true;
}

/* Leaves and lazy arrays of the source, place by place: their structures are equal. */
static void copy_places(const weft_tree *tree, Memory *m, void *dst, const void *src)
{
    CLEANUP(walk_end) Walk to;
    CLEANUP(walk_end) Walk from;
    WalkEvent event;
    walk_memory(&to, m, tree, dst);
    walk_memory(&from, m, tree, src);
    while ((event = walk_next(&to)) == walk_next(&from) && event != WALK_END && event != WALK_BAD)
        if (event != WALK_WORD) *to.place = *from.place;
}

static void assign(TreeCall *c, void *dst, const void *src, Flat *old, Flat *new)
{
    copy_places(c->tree, &c->l->ctx->memory, dst, src);
    for (uint32_t i = 0; i < new->n_leaves; i++) weft_keep(new->leaf[i]);
    qsort(new->leaf, new->n_leaves, sizeof(weft_array *), by_address);
    for (uint32_t i = 0; i < old->n_leaves; i++) {
        weft_array **a = &old->leaf[i];
        if (*a && !bsearch(a, new->leaf, new->n_leaves, sizeof *a, by_address)) weft_free(*a);
    }
}

/* Not inlined, so that tree_begin checks the stack before this function takes its part of it. */
__attribute__((noinline)) static void assign_read(TreeCall *c, void *dst, const void *src)
{
    Flat *old = &c->flat[0], *new = &c->flat[1], *leaves = &c->flat[2];
    if (read_held(c, dst, old, NULL) && read_held(c, src, new, NULL) && tree_read(c, leaves, src) &&
        assignable(c, old, new, leaves) && none_lost(c, dst, src, leaves))
        assign(c, dst, src, old, new);
}

weft_status weft_assign_(const weft_tree *tree, void *dst, const void *src, const char *at)
{
    TreeCall c;
    if (tree_begin(&c, context_of(tree, src), "weft_assign", at, tree, dst && src)) assign_read(&c, dst, src);
    return tree_end(&c);
}
