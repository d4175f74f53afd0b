/* type.h: the type of an array: element type and sizes, and lists of its axes. */
#ifndef WEFT_GRAPH_TYPE_H
#define WEFT_GRAPH_TYPE_H
#include "compiler/graph/arena.h"
#include "dtype.h"

typedef struct Type {
    uint8_t dtype, rank;
    const int64_t *dim;
} Type; /* row-major */

static inline bool shape_equal(Type a, Type b)
{
    bool equal = a.rank == b.rank;
    for (int i = 0; equal && i < a.rank; i++) equal = a.dim[i] == b.dim[i];
    return equal;
}
static inline bool type_equal(Type a, Type b) { return a.dtype == b.dtype && shape_equal(a, b); }
/* One element. */
static inline Type type_scalar(int dtype) { return (Type){ (uint8_t)dtype, 0, NULL }; }
/* t without its first axis: one of what is stacked there. */
static inline Type type_unstacked(Type t) { return (Type){ t.dtype, (uint8_t)(t.rank - 1), t.dim + 1 }; }
/* n of t: one more axis in front. Sizes in the arena. */
Type type_stacked(Arena *, Type t, int64_t n);

int64_t type_count(Type t);        /* number of elements; -1 if that or the bytes overflow int64 */
const char *type_overflow(Type t); /* for a message: why it is -1 */
/* "f32[3,4]" into buf (of size bytes), which is returned; long shapes end in "...". */
char *type_text(char *buf, size_t size, Type t);
#define TYPE_TEXT(t) type_text((char[160]){ 0 }, 160, t)

/* A set of axes: bit i is axis i. */
static inline uint32_t axes_mask(const int64_t *axes, int64_t n)
{
    uint32_t mask = 0;
    for (int64_t i = 0; i < n; i++) mask |= (uint32_t)1 << axes[i];
    return mask;
}
/* Lists those of `rank` axes that are not in the set; returns how many. */
static inline int axes_without(uint32_t gone, int rank, int64_t *kept)
{
    int n = 0;
    for (int i = 0; i < rank; i++)
        if (!(gone >> i & 1)) kept[n++] = i;
    return n;
}
#endif
