/* flat.h: structs in flat form.
 *
 * A structure is flat as two lists: leaves (the arrays, in the order of the description) and words (all that
 * shapes it: the bits of each static number, each run-time count, for each WEFT_POINTER whether it is there),
 * in the order in which a walk meets them. A description and its words determine the number of leaves and
 * their paths; two structures are equal if their words are. So a structure is kept, and cached, as its words.
 */
#ifndef WEFT_TREE_FLAT_H
#define WEFT_TREE_FLAT_H
#include "walk.h"

enum { FLAT_LEAVES = 24, FLAT_WORDS = 16 };

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
/* Appends the leaves and words of the structure. False: f set. */
bool flat_read(Flat *, const weft_tree *, const void *base, Failure *f);
/* Builds the structure at base with these leaves. False: f set, and base holds an empty structure. */
bool flat_write(const Flat *, const weft_tree *, void *base, const TreeRoom *, Failure *f);
/* New leaves for the structure at base, which stays; what was computed lazily from the old ones goes. */
void tree_put(const weft_tree *, Memory *, void *base, weft_array *const *leaf);
/* Leaves and pointers become NULL, counts and statics 0; hidden fields are left alone. */
void tree_clear(const weft_tree *, void *base);

/* What a walk would find in a struct whose structure is always the same. */
typedef struct LayoutPart {
    uint32_t at;           /* offset */
    uint8_t event, number; /* WalkEvent; the element type of a WORD */
} LayoutPart;
typedef struct Layout {
    uint32_t n_leaves, n_words, n;
    LayoutPart *part;
} Layout;
/* NULL: its structure varies, or it has many parts. */
Layout *layout_make(Arena *, const weft_tree *);
bool flat_read_layout(Flat *, const Layout *, const void *base); /* as flat_read; false: out of memory */

/* Where the leaves and words of each field begin, into r[fields + 1]. False: out of memory. */
typedef struct TreeRange {
    uint32_t leaf, word;
} TreeRange;
bool tree_ranges(const weft_tree *, Memory *, const uint64_t *words, uint32_t n, TreeRange *r);
/* The path of leaf i. */
char *tree_leaf_path(const weft_tree *, const uint64_t *words, uint32_t n, uint32_t i, char *buf,
                     size_t size);
/* For messages: lives to the end of its block. */
#define LEAF_PATH(tree, words, n, i) \
    tree_leaf_path((tree), (words), (n), (i), (char[TREE_PATH]){ 0 }, TREE_PATH)
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
#endif
