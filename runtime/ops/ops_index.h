/* ops_index.h: positions as texts and as arrays of indices, shared by what reads there and what writes
 * there. */
#ifndef WEFT_OPS_OPS_INDEX_H
#define WEFT_OPS_OPS_INDEX_H
#include "ops_compose.h"

/* What a text takes of each axis of x, in SLICE's terms, and the shape of the result, which lacks the axes
 * that an int picks from and has new ones for None. */
typedef struct IndexCut {
    int64_t attr[3 * WEFT_MAX_RANK]; /* start, limit, stride */
    AxisList backwards;
    Shape shape;
    int axis; /* of x: next to be cut */
} IndexCut;

/* Attributes of GATHER and SCATTER, appended in order. */
typedef struct AttrList {
    int n;
    int64_t v[7 + 6 * WEFT_MAX_RANK];
} AttrList;
static inline void attr_put(AttrList *a, int64_t v) { a->v[a->n++] = v; }
/* Of slices of an array of this rank, each at a position along the k axes from `axis` on. The q axes of the
 * indices stand where these were. flags: zeros behind the counts, of SCATTER. */
AttrList index_attr(int rank, int axis, int k, int q, int flags);

enum { INDEX_TEXT = 1025 };
/* The text with the numbers put in for %d and the like, less than INDEX_TEXT - 1 characters. */
bool index_text(char text[INDEX_TEXT], const char *written, int n, const int64_t *numbers);
bool index_cut(Type, const char *text, IndexCut *);
weft_array *index_cut_out(weft_array *x, const IndexCut *);

/* As i32 or i64, with -1 for the last of n places. */
weft_array *index_wrapped(weft_array *indices, int64_t n);
/* The number in the int type and the shape of another array. */
weft_array *index_fill(const weft_array *like, int64_t v);
/* The shape of x's slices at indices of type ti along an axis; false: too many axes. */
bool index_shape(Type x, Type ti, int axis, Shape *);
/* Those slices; indices out of range are clamped. x has elements along the axis. */
weft_array *index_gather(weft_array *x, weft_array *indices, int axis);
#endif
