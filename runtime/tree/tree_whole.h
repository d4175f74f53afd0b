/* tree_whole.h: what the public functions on whole trees share. */
#ifndef WEFT_TREE_TREE_WHOLE_H
#define WEFT_TREE_TREE_WHOLE_H
#include "flat.h"
#include "tree_memory.h"

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
