/* tree_axes.h: the axes text of a transform says what is done with each leaf of arguments and results.
 *
 *     text    = entries [ "->" entries ]         one entry for each array and struct among the parameters, or
 *                                                one for all; behind "->" for the results
 *                                                "..." among the entries: for all that are not written, of
 *                                                which nothing is said
 *     entry   = axis | word | "{" field ":" entry, ... "}" | "[" entry, ... "]"
 *
 * An axis or word given for a struct holds for all that is in it (JAX's prefix rule). In braces are fields of
 * a struct, or of each struct of a list; what is not named has the default. In brackets is an entry for each
 * element of a list. Words are the transform's: "none", "carry".
 *
 * Behind "->" stand the returned array and the WEFT_OUTs, in order. In-outs have what their arguments have,
 * unless entries for all results are given, in-outs in their places among them.
 */
#ifndef WEFT_CALL_TREE_AXES_H
#define WEFT_CALL_TREE_AXES_H
#include "signature.h"

#define AXIS_DEFAULT (INT64_MIN + 1) /* nothing was said */

typedef struct AxisTree AxisTree;
typedef enum { AXES_ALL, AXES_FIELDS, AXES_LIST } AxesKind;
struct AxisTree {
    AxesKind kind;
    int64_t axis; /* ALL: the axis, or what the word stands for */
    /* FIELDS: one for each field, NULL: not named. LIST: one for each element */
    const AxisTree **of;
    int64_t n;
};

typedef struct AxesWord {
    const char *word;
    int64_t axis;
} AxesWord; /* the last has no word */

typedef struct AxesText {
    const AxisTree *in, *out; /* for the fields of a signature's in and out */
} AxesText;

/* False: f set. */
bool axes_parse(Arena *, const char *text, const Signature *, const AxesWord *, AxesText *, Failure *f);
/* For each leaf its axis; a negative one stays negative. False: f set: a list's run-time count is another. */
bool axes_resolve(const AxisTree *, const weft_tree *, Memory *, const uint64_t *words, uint32_t n_words,
                  int64_t *axis, Failure *f);
/* Does any leaf that it speaks of have another axis than this one? */
bool axes_any_but(const AxisTree *, int64_t axis);
#endif
