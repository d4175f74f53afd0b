/* walk.h: walking over a struct: its arrays, and the words that shape it, one after the other.
 *
 * Walks keep a stack of their own: linked lists may be long. More than TREE_LIMIT parts are an error: a list
 * may bite its tail.
 */
#ifndef WEFT_TREE_WALK_H
#define WEFT_TREE_WALK_H
#include "tree.h"

enum { TREE_LIMIT = 1 << 20, WALK_FRAMES = 8, TREE_PATH = 200 };

typedef struct WalkFrame {
    const weft_tree *tree;
    char *base;  /* of the struct; NULL: no memory is looked at */
    char *items; /* of the open field's elements */
    size_t field;
    int64_t index, count; /* of the open field */
    bool open;
} WalkFrame;

typedef enum { WALK_END, WALK_LEAF, WALK_WORD, WALK_LAZY, WALK_BAD } WalkEvent;

/* Where a walk that builds a structure gets zeroed memory for what pointers point to; NULL: refused. */
typedef struct TreeRoom {
    void *(*take)(void *user, size_t bytes);
    void *user;
} TreeRoom;

/* Room for `need` items, at first `few`, their owner's. NULL: refused. Memory NULL: the C library's. */
void *walk_grow(Memory *, void *items, const void *few, uint32_t *room, uint32_t need, size_t bytes);

typedef struct Walk {
    /* where the structure comes from; NULL: from memory (or, building, all zero) */
    const uint64_t *words;
    uint32_t n_words;
    const TreeRoom *room; /* building: words become memory. NULL: memory is read */
    Memory *memory;       /* for a deep stack; NULL: the C library's */
    WalkFrame *frame;
    uint32_t depth, capacity;
    uint32_t leaves, n; /* LEAFs and WORDs so far, the present one included */
    uint32_t steps;
    weft_array **place; /* LEAF, LAZY: where it lies; NULL without memory */
    uint64_t bits;      /* WORD */
    Failure failure;    /* BAD */
    WalkFrame few[WALK_FRAMES];
} Walk;

/* Reads a structure in memory. */
void walk_memory(Walk *, Memory *, const weft_tree *, const void *base);
/* Only names and paths: the structure that these words describe. */
void walk_words(Walk *, Memory *, const weft_tree *, const uint64_t *words, uint32_t n);
/* Builds it at base: statics, counts and pointers are written, lazy fields become NULL; leaves are the
 * caller's to write. words NULL: the empty structure. */
void walk_build(Walk *, Memory *, const weft_tree *, void *base, const uint64_t *words, uint32_t n,
                const TreeRoom *);
WalkEvent walk_next(Walk *);
bool walk_leaf(Walk *); /* on to the next leaf; false: the end, or failure is set */
void walk_end(Walk *);
const weft_field *walk_field(const Walk *); /* the innermost open one */
/* "m.l[0].w" into buf; a path too long for it loses its middle. Returns buf. */
char *walk_path(const Walk *, char *buf, size_t size);
/* For messages: lives to the end of its block. */
#define WALK_PATH(w) walk_path((w), (char[TREE_PATH]){ 0 }, TREE_PATH)
size_t walk_path_whole(const Walk *, char *buf, size_t size); /* the same as snprintf does it */
bool walk_path_is(const Walk *, const char *path);
/* Numbers of leaves and words if every structure of this description has the same; else false. */
bool tree_fixed(const weft_tree *, uint32_t *leaves, uint32_t *words);
#endif
