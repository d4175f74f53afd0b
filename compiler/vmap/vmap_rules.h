/* vmap_rules.h: what the files of batching rules share.
 *
 * Inside a mapped graph, and inside each region of it, the batch axis of a mapped value is axis 0. A rule
 * builds in the new graph what node n of the old one is for the whole batch and writes one reference for each
 * of its results: with the batch axis in front where the marks say so, without it where they do not.
 */
#ifndef WEFT_VMAP_VMAP_RULES_H
#define WEFT_VMAP_VMAP_RULES_H
#include "compiler/graph/flow.h"
#include "compiler/graph/infer/infer.h"
#include "compiler/graph/rebuild.h"
#include "vmap.h"
#include <string.h>

enum { AXES = WEFT_MAX_RANK + 1 };

/* What depends on a mapped parameter (vmap_marks.c). */
extern const FlowRule vmap_flow;

typedef struct Vmap {
    Rebuild w; /* from the function of one example to that of the batch */
    const Flow *flow;
    const VmapCaller *caller; /* may be NULL */
    int64_t size;
    /* bool, [size] or of rank 0: the examples that count, where others are computed along; REF_NONE: all. A
     * WHILE does no step for those that do not: it might never end. */
    Ref active;
} Vmap;

static inline const Node *source(const Vmap *v, Ref r) { return &v->w.from->nodes[r]; }
static inline bool arg_mapped(const Vmap *v, const Node *n, uint32_t i) { return flow_arg(v->flow, n, i); }
static inline Ref arg(const Vmap *v, const Node *n, uint32_t i) { return rebuild_arg(&v->w, n, i); }

/* Is an operand mapped, from this one on? */
static inline bool vmap_any_mapped(const Vmap *v, const Node *n, uint32_t first)
{
    bool any = false;
    for (uint32_t i = first; i < n->n_args; i++) any |= arg_mapped(v, n, i);
    return any;
}

/* dim with the batch size in front. */
void vmap_dims(const Vmap *v, const int64_t *dim, int rank, int64_t *out);
/* The type of a value for the whole batch; sizes in the arena. */
Type vmap_type(const Vmap *v, Type t);
void vmap_shift(const int64_t *axes, int64_t n, int64_t *out);
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
/* Maps the graph that m marks into v->w.to over these arguments, which are as marked. want: outputs that get
 * the batch axis although they are not mapped (NULL: none). */
bool vmap_inline(const Vmap *v, const Flow *m, const Ref *args, const bool *want, Ref *out);

/* The whole marked graph as a region: with, if guarded, one more parameter in front that says which examples
 * count; want: as of vmap_inline. NULL if it cannot be. */
Graph *vmap_region(const Vmap *v, const Flow *m, bool guarded, const bool *want);

/* The rule of an op: one reference for each result into out; false if that cannot be. */
typedef bool VmapRule(const Vmap *v, const Node *n, Ref *out);
/* The only result. */
static inline bool vmap_give(Ref *out, Ref r) { return (*out = r) != REF_NONE; }

/* vmap.c */
VmapRule vmap_ew, vmap_slice, vmap_pad, vmap_concatenate, vmap_reverse, vmap_reshape, vmap_foreign,
    vmap_barrier;
/* vmap_reduce.c */
VmapRule vmap_reduce, vmap_arg_extreme, vmap_reduce_region, vmap_dot;
VmapRule vmap_convolution; /* vmap_conv.c */
/* vmap_matrix.c */
VmapRule vmap_matrices, vmap_triangular_solve;
/* vmap_index.c */
VmapRule vmap_gather, vmap_scatter, vmap_dynamic_slice, vmap_update_slice, vmap_reduce_window,
    vmap_select_and_scatter, vmap_cumulative, vmap_fft, vmap_sort;
/* vmap_control.c */
VmapRule vmap_map, vmap_while, vmap_case, vmap_regions;
/* vmap_custom.c */
VmapRule vmap_custom_jvp, vmap_custom_vjp, vmap_custom_vmap, vmap_backward;
/* Any op, one example after the other: the body of a scan over the batch. */
VmapRule vmap_by_scan;
/* An op that the pass expand knows, as what it is made of. */
VmapRule vmap_expanded;
/* Do only some examples count, in a node that might not end for the others? */
static inline bool vmap_guarded(const Vmap *v, const Node *n)
{
    return v->active != REF_NONE && node_holds(n, OP_WHILE, false);
}
#endif
