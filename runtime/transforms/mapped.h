/* mapped.h: the leaves of a call along whose axes there is a batch: what vmap, map and soft_vmap share. */
#ifndef WEFT_TRANSFORMS_MAPPED_H
#define WEFT_TRANSFORMS_MAPPED_H
#include "runtime/call/call.h"
#include "compiler/vmap/vmap.h"
#include "runtime/call/tree_axes.h"

typedef struct Mapping {
    const AxisTree *in, *out;
} Mapping;

/* All that a call needs, in one block: per leaf of the arguments its axis, and its type in an example. */
typedef struct Batch {
    const Function *f;
    Local *l;
    const Flat *in;
    const Mapping *mapping;
    int64_t given; /* the size that was asked for; 0: none */
    int64_t size;
    int64_t *axis; /* [n_leaves]; VMAP_NONE, or counted from the front */
    Type *example;
    int64_t *dims;
    size_t bytes;
} Batch;

/* f, l, in, mapping and given are set. False: error set; close either way. */
bool batch_open(Batch *);
void batch_close(Batch *);
bool batch_axes(Batch *);     /* axis; a negative one is counted from the front now */
bool batch_size(Batch *);     /* size: the one that all agree on */
void batch_examples(Batch *); /* example */
/* Of each result: what is said behind "->"; of an in-out its argument's; else 0. False: f set. */
bool batch_result_axes(const Batch *, const Flat *results, int64_t *axes, Failure *f);
bool batch_fail(const Batch *, const Failure *);
#endif
