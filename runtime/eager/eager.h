/* eager.h: each op at once, on its own, by simple loops over whole row-major arrays: the debugging mode, and
 * the oracle of the tests.
 *
 * Needs no compiler back end. Strict compiled code equals these loops bit for bit, so their order of
 * operations is a contract:
 *   - math functions run the steps of recipe.h; f16 and bf16 compute in f32 and round once after each op;
 *   - nothing is contracted (-ffp-contract=off); FMA only where a recipe says so;
 *   - REDUCE over floats (ADD, MUL), where the reduced axes are the operand's last ones: 64 virtual
 *     accumulators, element i of the flattened reduced block goes to accumulator i % 64 in index order, each
 *     starting from the monoid's start; then the accumulators are folded in halves: a[l] = a[l] op a[l + 32]
 *     for l < 32, then 16, 8, 4, 2, 1. Of a block of more than 65,536 elements so are parts of 32,768
 *     each, the last one shorter, and then the parts' results as if they were elements, in the type of the
 *     accumulators. Where some kept axis comes after a reduced one: strictly in row-major
 *     order of the reduced axes, one accumulator from the start value. f16 and bf16 accumulate in f32 and
 *     round once at the end. MAX and MIN propagate NaN; order is irrelevant.
 *   - DOT: one accumulator from 0, contracting positions in row-major order, product rounded, then sum
 *     rounded; f16 and bf16 in f32, rounded once at the end; ints wrap in the result type;
 *   - CONVOLUTION: the same, over the positions of the window in row-major order and at each of them over the
 *     input features; padding and the holes of base dilation are zeros, and multiplied;
 *   - REDUCE_REGION: left fold from the start value in row-major order of the reduced axes, region parameters
 *     (accumulator..., element...); REDUCE_WINDOW the same over each window in row-major order, where padding
 *     and the holes of base dilation hold the start value;
 *   - CUMULATIVE: each element included; the carry before the first element is the monoid's start. Along the
 *     last axis in blocks of 16 elements, from the axis's end if reversed: within a block by doubling
 *     distances d = 1, 2, 4, 8: x[k] = x[k - d] op x[k] for all k >= d at once; then x[k] = carry op x[k] for
 *     all k, and the last x[k] is the next block's carry. A partial last block is the same, only shorter.
 *     Along other axes one element after the other: carry = carry op x. f16 and bf16 go on in f32 along the
 *     whole axis and are rounded at each output;
 *   - SCATTER: the positions of the index array in row-major order, an update that comes later sees what an
 *     earlier one left (old, new); a window that is not wholly inside is dropped. DYNAMIC_SLICE,
 *     DYNAMIC_UPDATE_SLICE: starts are clamped so that the slice lies inside;
 *   - SELECT_AND_SCATTER: a window's element is its first one, then any later one for which select(kept,
 *     later) is false; padding is none; windows are scattered in row-major order, (old, new). A window of
 *     padding only adds nothing;
 *   - SORT: stable whatever the attribute says. A comparator that is no order gives some permutation of the
 *     row;
 *   - complex numbers: the real ops that compiler/planes/ makes of the op alone, one after the other;
 *   - loops: WHILE asks its condition before each step; SCAN takes the slices in order, from the last one on
 *     if it is reversed;
 *   - a factorization is weft's own code (runtime/library/matrix_lanes.h), never LAPACK's;
 *   - an op with rules of the user's runs its region 0. A foreign function gets dense row-major operands and
 *     memory for dense results. A BACKWARD has no value: inline_rules refuses it.
 */
#ifndef WEFT_EAGER_EAGER_H
#define WEFT_EAGER_EAGER_H
#include <string.h>
#include "compiler/graph/graph.h"
#include "compiler/scalar/kernels.h"

/* ---- for all who run ops ---- */

/* Runs one op: spec as for graph_add (args, region and attributes), types and memory of the operands, memory
 * of the results (their types are what infer says: given in out). Scratch comes from allocator. False and f
 * set only for out of memory. Results never alias operands. On this stack if it is long enough for any op;
 * else on one of weft's, but for foreign functions. */
bool eager_op(const NodeSpec *spec, const Type *arg_types, const void *const *args, const Type *out_types,
              void *const *outs, const Allocator *allocator, Failure *f);

/* Runs a graph node by node: inputs and outputs are memory of the parameters' and outputs' types. Values are
 * freed after their last use. No recursion; regions run as graphs of their own. */
bool eager_graph(const Graph *, const void *const *inputs, void *const *outputs, const Allocator *allocator,
                 Failure *f);

/* Steps of a recipe over n elements: args[i] and out are dense arrays of the operand and result types. The
 * emitters' oracle. */
struct Recipe;
bool eager_recipe(const struct Recipe *, size_t n, const void *const *args, void *out);

/* ---- for the files of this folder: one function per kind of op ---- */

/* What eager_op was given. */
typedef struct EagerCall {
    const NodeSpec *spec;
    const Type *arg_types, *out_types;
    const void *const *args;
    void *const *outs;
    const Allocator *allocator;
    Failure *failure;
} EagerCall;

/* False: out of memory, and the failure says so. The rule of an op is named in ops.def. */
typedef bool EagerRule(const EagerCall *);
EagerRule eager_ew, eager_leaf, eager_broadcast, eager_reshape, eager_transpose, eager_slice, eager_reverse,
    eager_pad, eager_concatenate, eager_gather, eager_reduce, eager_arg_extreme, eager_dot, eager_convolution,
    eager_cumulative, eager_dynamic_slice, eager_update_slice, eager_rng_bits, eager_reduce_region,
    eager_reduce_window, eager_select_and_scatter, eager_scatter, eager_sort, eager_map, eager_while,
    eager_case, eager_scan, eager_matrix;
/* eager_planes.c: is the op about complex numbers, and run as what compiler/planes/ makes of it? */
bool eager_is_complex(const EagerCall *);
EagerRule eager_planes;
/* eager_op where there is stack enough: inside of another op. */
EagerRule eager_here;

/* Scratch memory. Asking for nothing gives a valid pointer. NULL: out of memory, and the failure says so. */
void *eager_take(const Allocator *, size_t bytes, Failure *);
void eager_drop(const Allocator *, void *p, size_t bytes);

/* Element count and bytes of a type that infer accepted. */
size_t eager_count(Type t);
size_t eager_bytes(Type t);
/* Strides of a dense row-major array: in bytes, and in elements. */
void eager_strides(Type t, int64_t stride[WEFT_MAX_RANK]);
void eager_element_strides(Type t, int64_t stride[WEFT_MAX_RANK]);

/* memcpy that takes NULL for nothing. */
static inline void eager_copy_bytes(void *dst, const void *src, size_t bytes)
{
    if (bytes) memcpy(dst, src, bytes);
}
/* Writes the element at src n times. */
void eager_fill(size_t element_bytes, size_t n, const void *src, void *dst);
/* Copies a box of elements; strides are in bytes and may be zero or negative; dst and src point to the box's
 * first element. */
void eager_copy_box(size_t element_bytes, int rank, const int64_t *dim, char *dst, const int64_t *dst_stride,
                    const char *src, const int64_t *src_stride);

/* The size of a part of scratch memory behind which another begins. */
static inline size_t eager_aligned(size_t bytes) { return (bytes + 15) & ~(size_t)15; }

/* acc[j] += a * b[j] for all j, by type: product rounded, then sum rounded. NULL for narrow floats. */
typedef void MultiplyAdd(size_t n, void *acc, const void *a, const void *b);
extern MultiplyAdd *const eager_multiply_add[DTYPE_COUNT];
/* The array with its axes in this order, in another type; by way of scratch, as large as the array, if the
 * type changes. */
void eager_pack(const int *axes, Type t, const void *src, DType to, char *dst, char *scratch);

/* Steps through the positions of a box in row-major order, with up to three offsets beside. False after the
 * last; then it stands at the first again. */
enum { ODOMETER_OFFSETS = 3 };
typedef struct Odometer {
    int rank;
    int64_t dim[WEFT_MAX_RANK], at[WEFT_MAX_RANK], stride[ODOMETER_OFFSETS][WEFT_MAX_RANK],
        offset[ODOMETER_OFFSETS];
} Odometer;
bool odometer_next(Odometer *);
#endif
