/* tree.h: C structs as trees: walking them, and their flat form.
 *
 * A structure is flat as two lists: leaves (the arrays, in the order of the description) and words (all that
 * shapes it: the bits of each static number, each run-time count, for each WEFT_POINTER whether it is there),
 * in the order in which a walk meets them. A description and its words determine the number of leaves and
 * their paths; two structures are equal if their words are. So words go into cache keys, and no other
 * description of a structure is kept.
 *
 * A call is a tree too: signature.h makes a description of the parameters (and one of the results), whose
 * memory is a list of 8-byte slots: an array's handle, a number's bits, a struct's address. So all that is
 * said here of structs holds for calls.
 *
 * Walks keep a stack of their own: linked lists may be long. At most TREE_LIMIT leaves, words and structs: a
 * list that bites its tail is an error.
 */
#ifndef WEFT_TREE_TREE_H
#define WEFT_TREE_TREE_H
#include "runtime/memory/array.h"
#include "weft/tree.h"

enum { TREE_LIMIT = 1 << 20, WALK_FRAMES = 8, FLAT_LEAVES = 24, FLAT_WORDS = 16, TREE_PATH = 200 };
enum { FIELD_ARGUMENT = WEFT_FIELD_KINDS_ }; /* of a signature: a slot with a struct's address, never NULL */

/* ---- walks ---- */

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
void walk_end(Walk *);
const weft_field *walk_field(const Walk *); /* the innermost open one */
/* which field of the whole: which parameter */
static inline size_t walk_root(const Walk *w) { return w->frame[0].field; }
/* "m.l[0].w" into buf; a path too long for it loses its middle. Returns buf. */
char *walk_path(const Walk *, char *buf, size_t size);
size_t walk_path_whole(const Walk *, char *buf, size_t size); /* the same as snprintf does it */
bool walk_path_is(const Walk *, const char *path);

/* ---- flat structures ---- */

typedef struct Flat {
    weft_array **leaf;
    uint32_t n_leaves;
    uint64_t *word;
    uint32_t n_words;
    uint32_t leaf_room, word_room;
    Memory *memory;
    weft_array *few_leaves[FLAT_LEAVES];
    uint64_t few_words[FLAT_WORDS];
} Flat;

void flat_open(Flat *, Memory *);
void flat_close(Flat *);
bool flat_leaf(Flat *, weft_array *); /* appends; false: out of memory, no error set */
bool flat_word(Flat *, uint64_t);
bool flat_words(Flat *, const uint64_t *, uint32_t n);
/* Appends the leaves and words of the structure. False: f set; TREE: a count is negative, a pointer is
 * missing, too many. */
bool flat_read(Flat *, const weft_tree *, const void *base, Failure *f);
/* Builds the structure at base with these leaves. False: f set, and base holds an empty structure. */
bool flat_write(const Flat *, const weft_tree *, void *base, const TreeRoom *, Failure *f);
/* Makes what is at base empty: leaves and pointers NULL, counts and statics 0; hidden fields are left
 * alone. */
void tree_clear(const weft_tree *, void *base);

/* Where the leaves, static numbers and lazy arrays of a struct lie whose structure is always the same: what a
 * walk would find, without walking. */
typedef struct Layout {
    uint32_t n_leaves, n_words, n_lazy;
    uint32_t *leaf, *lazy, *word; /* offsets */
    uint8_t *number;              /* [n_words]: element types */
} Layout;
/* NULL: its structure varies, or it has many parts. */
Layout *layout_make(Arena *, const weft_tree *);
bool flat_read_layout(Flat *, const Layout *, const void *base); /* as flat_read; false: out of memory */

/* The leaves and words of each field of tree: the parameters of a call. r has tree->fields + 1 entries, the
 * last for the ends. False: out of memory. */
typedef struct TreeRange {
    uint32_t leaf, word;
} TreeRange;
bool tree_ranges(const weft_tree *, Memory *, const uint64_t *words, uint32_t n, TreeRange *r);
/* The path of leaf i. */
char *tree_leaf_path(const weft_tree *, const uint64_t *words, uint32_t n, uint32_t i, char *buf,
                     size_t size);
/* Where two structures of one description differ first. False: they do not. */
typedef struct TreeDifference {
    char path[TREE_PATH];
    char a[80], b[80]; /* what each is there: "a list of 2", "NULL", "a layer", "3" */
    const char *why;   /* "the lengths do not match", "their types differ", "the metadata does not match" */
    bool number;       /* it is a number of the signature itself */
} TreeDifference;
bool tree_difference(const weft_tree *, const uint64_t *a, uint32_t n_a, const uint64_t *b, uint32_t n_b,
                     TreeDifference *d);
/* The same for one field: its words are those from[0] to from[1] of a, to[0] to to[1] of b. */
bool field_difference(const weft_tree *, size_t field, const Flat *a, const TreeRange *from, const Flat *b,
                      const TreeRange *to, TreeDifference *d);

/* ---- descriptions ---- */
bool tree_check(const weft_tree *, Memory *, Failure *f); /* sound, with all that it contains? */
/* The part of it that every call can afford: t and the structs that lie inside it, without those that
 * pointers lead to. */
bool tree_sound(const weft_tree *, Failure *);
bool tree_equal(const weft_tree *, const weft_tree *);    /* the same by content, or both NULL? */
bool field_equal(const weft_field *, const weft_field *); /* do two parameters take the same? */
/* Numbers of leaves and words if every structure of this description has the same; else false. */
bool tree_fixed(const weft_tree *, uint32_t *leaves, uint32_t *words);
uint64_t number_load(DType, const void *); /* bits, zero-extended: equal numbers have equal bits */
char *number_text(char *buf, size_t size, DType, uint64_t bits);
#endif
