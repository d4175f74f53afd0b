/* fold_rules.h: what the files of rewrite rules (fold.c, fold_shape.c, fold_reduce.c, fold_index.c) share. */
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
typedef Ref Rule(const Rewrite *);

/* Rules in order; the first that applies wins. */
#define FIRST_OF(w, ...) first_of((w), (Rule *const[]){ __VA_ARGS__, NULL })
static inline Ref first_of(const Rewrite *w, Rule *const *rules)
{
    for (; *rules; rules++) {
        Ref r = (*rules)(w);
        if (r != REF_NONE) return r;
    }
    return REF_NONE;
}

static inline bool is_splat(const Node *n) { return n && n->op == OP_CONSTANT && n->attr[0]; }
static inline uint64_t splat_bits(const Node *n) { return scalar_load((DType)n->dtype, n->data); }
/* A splat of exactly these bits: -0.0 is not 0.0. */
static inline bool is_bits(const Node *n, uint64_t bits) { return is_splat(n) && splat_bits(n) == bits; }
static inline bool is_number(const Node *n, double v)
{
    return is_splat(n) && splat_bits(n) == scalar_from_double((DType)n->dtype, v);
}
static inline bool is_zero_int(const Node *n) { return is_bits(n, 0) && !dtype_is_float((DType)n->dtype); }
static inline bool is_all_ones(const Node *n)
{
    return is_splat(n) && !dtype_is_float((DType)n->dtype) &&
           splat_bits(n) == UINT64_MAX >> (64 - dtype_bits((DType)n->dtype));
}
static inline Ref splat(const Rewrite *w, uint64_t bits) { return build_splat(w->g, w->type, bits); }

static inline bool same_dims(const int64_t *a, int rank_a, const int64_t *b, int rank_b)
{
    if (rank_a != rank_b) return false;
    for (int i = 0; i < rank_a; i++)
        if (a[i] != b[i]) return false;
    return true;
}
static inline bool has_shape(const Node *n, Type t) { return same_dims(n->dim, n->rank, t.dim, t.rank); }
/* a, if it is of the wanted type; a rank-0 bound or predicate stands for an array and is not one. */
static inline Ref whole(const Rewrite *w, Ref r)
{
    const Node *n = graph_node(w->g, r);
    return n->dtype == w->type.dtype && has_shape(n, w->type) ? r : REF_NONE;
}

/* Entry of each group. */
Ref fold_shape(const Rewrite *);
Ref fold_reduce(const Rewrite *); /* REDUCE ARGMAX ARGMIN */
Ref fold_dot(const Rewrite *);
Ref fold_index(const Rewrite *); /* GATHER SCATTER DYNAMIC_SLICE DYNAMIC_UPDATE_SLICE CUMULATIVE SORT */
Ref fold_select_update(const Rewrite *);
/* TRANSPOSE SLICE REVERSE CONCATENATE of small constants. */
Ref fold_moved_constants(const Rewrite *);
#endif
