/* tree_whole.h: what the public functions on whole trees share. */
#ifndef WEFT_TREE_TREE_WHOLE_H
#define WEFT_TREE_TREE_WHOLE_H
#include "flat.h"

/* ---- tree_memory.c: memory for what pointers in structs point to; scopes own it, as they do arrays ---- */

/* Zeroed memory of the Local's current scope: a TreeRoom's take. NULL: refused, no error set. */
void *tree_memory_take(void *local, size_t bytes);
/* The array that stands for a block in scopes; NULL: this is no block of the context's. */
weft_array *tree_memory_owner(weft_context *, const void *block);

/* ---- tree_whole.c ---- */

/* One call: who speaks, on what trees, and what went wrong; and its lists, which tree_end frees. */
enum { TREE_LISTS = 3 };
typedef struct TreeCall {
    const char *who, *at;
    const weft_tree *tree;
    Local *l;
    TreeRoom room; /* memory of the current scope */
    Failure failure;
    weft_status reported; /* an op has set the error itself */
    Flat flat[TREE_LISTS];
} TreeCall;

/* pointers: are the addresses given good? False: go to tree_end. */
bool tree_begin(TreeCall *, weft_context *, const char *who, const char *at, const weft_tree *,
                bool pointers);
weft_status tree_end(TreeCall *); /* sets the error; its code */
/* The rest return false with failure or reported set. */
bool tree_read(TreeCall *, Flat *, const void *structure);
bool tree_same(TreeCall *, const Flat *a, const char *name_a, const Flat *b, const char *name_b);
/* usable as an operand? */
bool tree_leaf_good(TreeCall *, const Flat *, uint32_t leaf, const char *of);
#endif
