/* tree_leaves.c: the leaves of a user's struct, one by one: weft_leaf, weft_leaf_path. */
#include "walk.h"

/* Calls that have no context report to the current one. */
static void report(const char *who, const Failure *f)
{
    error_failure(context_local(NULL), who, NULL, "", f);
}

/* Are the description and the struct's address good? */
static bool good(const char *who, const weft_tree *tree, const void *structure)
{
    Failure f = { .code = WEFT_OK };
    if (tree_sound(tree, &f) && !structure) fail(&f, WEFT_ARGUMENT, "the struct's address is NULL");
    if (f.code != WEFT_OK) report(who, &f);
    return f.code == WEFT_OK;
}

int weft_leaf_count(const weft_tree *tree)
{
    uint32_t leaves, words;
    return good("weft_leaf_count", tree, tree) && tree_fixed(tree, &leaves, &words) ? (int)leaves : -1;
}

/* Walks to leaf i; false: to the end. A list of arrays is passed over in one step. */
static bool walk_to(Walk *w, const weft_tree *tree, const void *structure, uint32_t i)
{
    walk_memory(w, NULL, tree, structure);
    while (walk_leaf(w)) {
        if (w->leaves > i) return true;
        WalkFrame *f = &w->frame[w->depth - 1];
        int64_t left = f->count - 1 - f->index, wanted = (int64_t)i - w->leaves,
                passed = left < wanted ? left : wanted;
        f->index += passed;
        w->leaves += (uint32_t)passed;
    }
    return false;
}

int weft_leaf_count_of(const weft_tree *tree, const void *structure)
{
    if (!good("weft_leaf_count_of", tree, structure)) return -1;
    CLEANUP(walk_end) Walk w;
    walk_to(&w, tree, structure, UINT32_MAX);
    if (w.failure.code == WEFT_OK) return (int)w.leaves;
    report("weft_leaf_count_of", &w.failure);
    return -1;
}

weft_array **weft_leaf(const weft_tree *tree, void *structure, int i)
{
    if (!good("weft_leaf", tree, structure) || i < 0) return NULL;
    CLEANUP(walk_end) Walk w;
    return walk_to(&w, tree, structure, (uint32_t)i) ? w.place : NULL;
}

size_t weft_leaf_path(const weft_tree *tree, const void *structure, int i, char *text, size_t size)
{
    if (!text) size = 0;
    if (size) text[0] = '\0';
    if (!good("weft_leaf_path", tree, structure) || i < 0) return 0;
    CLEANUP(walk_end) Walk w;
    return walk_to(&w, tree, structure, (uint32_t)i) ? walk_path_whole(&w, text, size) : 0;
}
