/* infer_rules.h: what the files of type rules share. */
#ifndef WEFT_INFER_INFER_RULES_H
#define WEFT_INFER_INFER_RULES_H
#include "infer.h"

bool check_taken(Op op, DType t, Failure *f);
bool check_size(Type t, Failure *f);
bool check_rank(int rank, Failure *f);
bool check_flag(int64_t flag, const char *what, Failure *f); /* 0 or 1 */
bool check_axis(int64_t axis, Type t, Failure *f);
/* in range and none twice; seen gathers them */
bool check_axes(const int64_t *axes, int64_t n, Type t, uint32_t *seen, Failure *f);
bool check_ascending(const int64_t *axes, int64_t n, const char *what, Failure *f);
/* products of these types, summed as the third */
bool check_sum_dtype(DType a, DType b, DType t, Failure *f);
bool check_n_attr(const NodeSpec *s, int64_t want, Failure *f);
/* no foreign functions: element by element they are not called */
bool check_own_ops(const Graph *r, const char *what, Failure *f);
/* The operands of a fold by a region: n arrays of one shape, and their n start values. */
bool check_folded(const NodeSpec *s, const Type *a, Failure *f);
bool check_same_shapes(const Type *a, uint32_t n, Failure *f);
bool check_count(uint32_t n, Failure *f); /* of arrays at once */
bool check_scalar_param(const Graph *r, const char *what, uint32_t i, int dtype, Failure *f);
/* takes n left and n right scalars and gives n */
bool check_reducer(const Graph *r, const Type *starts, uint32_t n, Failure *f);
/* The result of ops that have one: its sizes are in out->dim already, or are those of `shape`. */
bool finish(Inferred *out, DType t, int rank, Failure *f);
bool finish_like(Inferred *out, DType t, Type shape, Failure *f);
/* n results of one shape, whose sizes are in out->dim already, with the element types of `like`. */
bool finish_alike(Inferred *out, const Type *like, uint32_t n, int rank, Failure *f);
/* Results that are operands' types: n of them from types. */
bool finish_all(Inferred *out, const Type *types, uint32_t n, Failure *f);

/* The type rule of an op: is this allowed, and what are the results' types? It looks at everything that
 * StableHLO's specification demands. */
typedef bool InferRule(const NodeSpec *, const Type *args, Inferred *, Failure *);

/* infer.c */
InferRule infer_leaf, infer_ew, infer_broadcast, infer_reshape, infer_transpose, infer_slice, infer_reverse,
    infer_pad, infer_concatenate, infer_reduce, infer_arg_extreme, infer_reduce_region, infer_dot,
    infer_result;
InferRule infer_convolution; /* infer_conv.c */
/* infer_matrix.c */
InferRule infer_cholesky, infer_triangular_solve, infer_householder_product, infer_eigh, infer_eig,
    infer_factors;
#define infer_schur infer_eig
#define infer_gehrd infer_eig
#define infer_lu    infer_factors
#define infer_qr    infer_factors
#define infer_geqrf infer_factors
#define infer_svd   infer_factors
/* infer_index.c */
InferRule infer_gather, infer_scatter, infer_dynamic_slice, infer_update_slice, infer_reduce_window,
    infer_select_and_scatter, infer_cumulative, infer_fft, infer_sort;
/* infer_control.c */
InferRule infer_map, infer_while, infer_case, infer_scan, infer_ruled, infer_backward, infer_foreign,
    infer_barrier, infer_rng_bits;
#define infer_custom_jvp  infer_ruled
#define infer_custom_vjp  infer_ruled
#define infer_custom_vmap infer_ruled
#define infer_checkpoint  infer_ruled
#endif
