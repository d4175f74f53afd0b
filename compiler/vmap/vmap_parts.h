/* vmap_parts.h: what the files of batching rules share.
 *
 * Inside a mapped graph, and inside each region of it, the batch axis of a mapped value is axis 0. A rule
 * builds in dst what node n of src is for the whole batch and writes one reference for each of its results:
 * with the batch axis in front where the marks say so, without it where they do not.
 */
#ifndef WEFT_VMAP_VMAP_PARTS_H
#define WEFT_VMAP_VMAP_PARTS_H
#include "compiler/graph/infer.h"
#include "vmap.h"
#include <string.h>

enum { AXES = WEFT_MAX_RANK + 1 };

/* What depends on a mapped parameter: of a graph's nodes, and of those of the regions in it, each marked for
 * the values it is handed. */
typedef struct Marks Marks;
/* of a node of several results or with regions; regions: of CONTROL but MAP, else NULL */
typedef struct Inner {
    bool *results;
    Marks **regions;
} Inner;
struct Marks {
    Arena *arena;
    const Graph *graph;
    bool *mapped;  /* by node; of several results: is any? */
    Inner **inner; /* by node, NULL where it has one result and no regions that run on arrays */
    bool done;
};
Marks *marks_new(Arena *, const Graph *);
/* Adds to the parameters' marks and brings all others up to date. */
void marks_update(Marks *, const bool *params);

typedef struct Vmap {
    const Graph *src;
    Graph *dst;
    const Marks *marks;
    const VmapCaller *caller; /* may be NULL */
    Ref *map;                 /* src node to dst node; of nodes of several results: nothing */
    Ref **results;            /* src node of several results to what each is in dst */
    int64_t size;
    Ref active; /* bool, [size] or of rank 0: the examples that count, where others are computed along; REF_NONE: all. A WHILE does no
                                   step for those that do not: it might never end. */
} Vmap;

static inline const Node *source(const Vmap *v, Ref r) { return &v->src->nodes[r]; }
static inline bool arg_mapped(const Vmap *v, const Node *n, uint32_t i)
{
    return v->marks->mapped[n->args[i]];
}
static inline Ref arg(const Vmap *v, const Node *n, uint32_t i) { return v->map[n->args[i]]; }
static inline const Inner *inner_of(const Vmap *v, const Node *n)
{
    return v->marks->inner[n - v->src->nodes];
}
static inline bool result_mapped(const Vmap *v, const Node *n, uint32_t i)
{
    return n->n_results > 1 ? inner_of(v, n)->results[i] : v->marks->mapped[n - v->src->nodes];
}

/* dim with the batch size in front. */
void vmap_dims(const Vmap *v, const int64_t *dim, int rank, int64_t *out);
/* The type of a value for the whole batch; sizes in the arena. */
Type vmap_type(const Vmap *v, Type t);
void vmap_shift(const int64_t *axes, int64_t n, int64_t *out);
/* Axis `from` of r goes to `to`, the others keep their order. */
Ref vmap_move_axis(Graph *g, Ref r, int from, int to);
/* An unmapped value repeated along a batch axis in place `axis`. */
Ref vmap_repeat(const Vmap *v, Ref r, int axis);
/* operand i with the batch axis, whether mapped or not */
Ref vmap_batched(const Vmap *v, const Node *n, uint32_t i);
Ref *vmap_batched_all(const Vmap *v, const Node *n);
/* A batch of scalars [size] against values of this shape for one example: one for each example's elements. */
Ref vmap_spread(const Vmap *v, Ref scalars, Type one);
/* The node again over other operands; attributes as given; dim: for ops whose shape is given. */
Ref vmap_same_op(const Vmap *v, const Node *n, const Ref *args, const int64_t *attr, uint32_t n_attr,
                 const int64_t *dim, int rank);
/* A node's results, one reference each. */
bool vmap_take(const Vmap *v, Ref r, uint32_t n, Ref *out);
/* Maps the graph that m marks into v->dst over these arguments, which are as marked. want: outputs that get
 * the batch axis although they are not mapped (NULL: none). */
bool vmap_inline(const Vmap *v, const Marks *m, const Ref *args, const bool *want, Ref *out);

/* The whole marked graph as a region: with, if guarded, one more parameter in front that says which examples
 * count; want: as of vmap_inline. NULL if it cannot be. */
Graph *vmap_region(const Vmap *v, const Marks *m, bool guarded, const bool *want);

/* The rules: one result, or each into out. */
Ref vmap_dot(const Vmap *v, const Node *n);
Ref vmap_reduce(const Vmap *v, const Node *n);
bool vmap_reduce_region(const Vmap *v, const Node *n, Ref *out);
bool vmap_index(const Vmap *v, const Node *n, Ref *out);
bool vmap_along(const Vmap *v, const Node *n, Ref *out);
bool vmap_control(const Vmap *v, const Node *n, Ref *out);
bool vmap_rules(const Vmap *v, const Node *n, Ref *out); /* what has rules, and BACKWARD */
/* Any op, one example after the other: the body of a scan over the batch. */
bool vmap_by_scan(const Vmap *v, const Node *n, Ref *out);
/* An op that the pass expand knows, as what it is made of. */
bool vmap_expanded(const Vmap *v, const Node *n, Ref *out);
/* Does a WHILE stand in a region of the node? */
bool vmap_holds_while(const Node *n);
#endif
