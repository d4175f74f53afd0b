/* fold_rules.h: what the files of rewrite rules (fold.c, fold_shape.c, ...) share. */
#ifndef WEFT_FOLD_FOLD_RULES_H
#define WEFT_FOLD_FOLD_RULES_H
#include "compiler/graph/graph.h"

/* The node that was asked for, and its operands' nodes. Nodes stay readable when building moves the table
 * (arena_grow leaves the old one). */
typedef struct Rewrite {
    Graph *g;
    const NodeSpec *spec;
    Type type;             /* as inferred */
    Ref x, y, z;           /* the first three operands, REF_NONE where there are fewer */
    const Node *a, *b, *c; /* their nodes, or NULL */
} Rewrite;

/* A rule gives the simpler value or REF_NONE. */
typedef Ref FoldRule(const Rewrite *);

/* Rules in order; the first that applies wins. */
#define FIRST_OF(w, ...) first_of((w), (FoldRule *const[]){ __VA_ARGS__, NULL })
static inline Ref first_of(const Rewrite *w, FoldRule *const *rules)
{
    for (; *rules; rules++) {
        Ref r = (*rules)(w);
        if (r != REF_NONE) return r;
    }
    return REF_NONE;
}

/* A splat of exactly these bits: -0.0 is not 0.0. */
static inline bool is_bits(const Node *n, uint64_t bits) { return is_splat(n) && node_bits(n) == bits; }
static inline bool is_number(const Node *n, double v)
{
    return is_splat(n) && node_bits(n) == scalar_from_double((DType)n->dtype, v);
}
static inline bool is_zero_int(const Node *n) { return is_bits(n, 0) && !dtype_is_inexact((DType)n->dtype); }
static inline bool is_all_ones(const Node *n)
{
    return is_splat(n) && !dtype_is_inexact((DType)n->dtype) &&
           node_bits(n) == UINT64_MAX >> (64 - dtype_bits((DType)n->dtype));
}
static inline Ref splat(const Rewrite *w, uint64_t bits) { return build_splat(w->g, w->type, bits); }

static inline bool has_shape(const Node *n, Type t) { return shape_equal(node_type(n), t); }
/* a, if it is of the wanted type; a rank-0 bound or predicate stands for an array and is not one. */
static inline Ref whole(const Rewrite *w, Ref r)
{
    const Node *n = graph_node(w->g, r);
    return n->dtype == w->type.dtype && has_shape(n, w->type) ? r : REF_NONE;
}

/* fold_shape.c */
FoldRule fold_broadcast, fold_reshape, fold_transpose, fold_slice, fold_reverse, fold_pad, fold_concatenate;
/* fold_reduce.c */
FoldRule fold_reduce, fold_arg_extreme, fold_dot;
Ref fold_of_one(const Rewrite *, Op monoid, Ref x); /* the monoid's start and x, folded */
/* fold_affine.c */
FoldRule fold_gather_affine, fold_scatter_affine;
/* fold_index.c */
FoldRule fold_gather, fold_scatter, fold_dynamic_slice, fold_update_slice, fold_cumulative, fold_sort;
FoldRule fold_slice_of_gather; /* SLICE */
FoldRule fold_select_update;   /* SELECT */
FoldRule fold_moved_constants; /* TRANSPOSE SLICE REVERSE CONCATENATE of small constants */
/* moved splat ==> splat of the new shape */
static inline Ref fold_moved_splat(const Rewrite *w)
{
    bool of_one = w->a->op == OP_CONSTANT && w->a->attr[0];
    return of_one ? build_filled(w->g, w->type, w->a->data) : REF_NONE;
}
#endif
