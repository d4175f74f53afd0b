/* ops.h: the op enumeration, its table, and how each op's attributes lie in the int64 vector of a node.
 *
 * Attribute layouts. [] is one int64; r is the operand's rank; lists follow their counts. "Type given": the
 * node's type is not inferred but said, wholly or in part, by who adds it.
 *   PARAMETER         [index]                                    type given
 *   CONSTANT          [splat]      1: data holds one element     type given
 *   IOTA              [axis]                                     type given
 *   COMPARE           [CompareDir] [CompareOrder]
 *   REDUCE_PRECISION  [exponent bits] [mantissa bits]
 *   CONVERT, BITCAST  -                                          dtype given
 *   BROADCAST         result axis of each operand axis [r]       shape given
 *   RESHAPE           -                                          shape given
 *   TRANSPOSE         permutation [r]
 *   SLICE             start [r] limit [r] stride [r]
 *   REVERSE           axes, ascending [n]
 *   PAD               low [r] high [r] interior [r]
 *   CONCATENATE       [axis]
 *   REDUCE            [monoid: OP_ADD MUL MAX MIN AND OR XOR] axes, ascending [n]
 *   ARGMAX, ARGMIN    [axis]                                     dtype given (an int)
 *   REDUCE_REGION     axes, ascending [n]
 *                     args: n operands, n starts; region: n left, n right -> n
 *   DOT               [nb] [nc] lhs batch [nb] rhs batch [nb] lhs contracting [nc] rhs contracting [nc]
 *                     dtype given; result axes: batch, lhs free, rhs free
 *   CONVOLUTION       [feature groups] [batch groups] axes of the operand: batch, feature, spatial [s];
 *                     of the weights: input feature, output feature, spatial [s]; of the result: as the
 *                     operand's; strides [s] low [s] high [s] base dilations [s] window dilations [s]
 *                     reversed [s]                               dtype given
 *   GATHER            [n_offset] [n_collapsed] [n_batching] [n_map] [index_vector_dim]
 *                     offset_dims collapsed_slice_dims operand_batching_dims start_indices_batching_dims
 *                     start_index_map slice_sizes [r]
 *   SCATTER           [n_update_window] [n_inserted] [n_batching] [n_map] [index_vector_dim] [unique]
 *                     [sorted]
 *                     update_window_dims inserted_window_dims input_batching_dims
 *                     scatter_indices_batching_dims scatter_dims_to_operand_dims
 *                     args: n operands, the indices, n updates; region: n old, n new -> n
 *   DYNAMIC_SLICE     slice_sizes [r]
 *                     args: operand, r start scalars of one int type (clamped)
 *   DYNAMIC_UPDATE_SLICE  -
 *                     args: operand, update, r start scalars (clamped)
 *   REDUCE_WINDOW     window [r] strides [r] base dilations [r] window dilations [r] low [r] high [r]
 *                     args: n operands, n starts; region: 2n -> n
 *   SELECT_AND_SCATTER  window [r] strides [r] low [r] high [r]
 *                     args: operand, source, start; regions: select (2 -> bool), scatter (2 -> 1)
 *   CUMULATIVE        [monoid: OP_ADD MUL MAX MIN] [axis] [reverse]; each element is included
 *   FFT               [FftKind] lengths of the last axes [1 to 3]: sizes of the operand's, but for the last
 *                     of FFT_TO_REAL, which is the result's: the half that is stored is n / 2 + 1
 *   SORT              [axis] [stable]
 *                     args: n arrays of one shape; region: a0 b0 a1 b1 ... -> bool "a before b"
 *   CHOLESKY          [lower]
 *   TRIANGULAR_SOLVE  [left] [lower] [unit] [transpose: 0 no, 1 transposed, 2 adjoint]
 *                     lower says which triangle of a is read, unit that its diagonal counts as ones
 *   LU                -                                          results given (matrix_call.h)
 *   QR                [full]                                     results given
 *   GEQRF             -                                          results given
 *   HOUSEHOLDER_PRODUCT  -
 *   GEHRD             -                                          results given
 *   EIGH              [lower]                                    results given
 *   EIG               [vectors]                                  results given
 *   SCHUR             [vectors]                                  results given
 *   SVD               [full] [vectors]                           results given
 *   MAP               -                                          results given
 *                     args of one shape; region: n scalars -> scalars
 *   WHILE             [n_invariant]
 *                     args: invariants, carries; regions: cond (args -> bool of rank 0), body (args ->
 *                     carries); results: carries
 *   CASE              -                                          results given
 *                     args: index (i32, rank 0; out of range: the last), operands; regions: branches
 *                     (operands -> results)
 *   SCAN              [length] [reverse] [unroll] [n_invariant] [n_carry] [n_xs] [checkpoint]
 *                     results given; args: invariants, carries, xs (axis 0 has the length); region:
 *                     invariants, carries, one slice of each x -> carries, one slice of each y; results:
 *                     carries, ys. Reverse: slices are taken and given from the last to the first. A region
 *                     takes all that it uses: invariants are the same in every step. checkpoint k > 0:
 *                     reverse mode keeps the carries of every k-th step only.
 *   MUL               -, or [1]: only a sum takes it, with which it is rounded once (contract.h)
 *   STOP_GRADIENT     -, or [1]: a derivative along the operand is an error, for it would be lost (what a
 *                     function with a rule of its own met), or [2]: the same, for the order is too high (a
 *                     rule that calls the function it is for)
 *   CUSTOM_JVP        -                                          results given
 *                     args: any; regions: primal (args -> results), jvp (args, a tangent of each float arg ->
 *                     results, a tangent of each float result)
 *   CUSTOM_VJP        -                                          results given
 *                     args: any; regions: primal (args -> results), forward (args -> results, residuals),
 *                     backward (residuals, a cotangent of each float result -> a cotangent of each float arg)
 *   CUSTOM_VMAP       [rule, 0: none]                            results given
 *                     args: any; region: primal (args -> results)
 *   CHECKPOINT        -                                          results given
 *                     args: any; region: args -> results
 *   BACKWARD          [n_known]                                  results given
 *                     args: known values, tangents; region: known values, a cotangent of each result -> a
 *                     cotangent of each tangent
 *   FOREIGN           [ForeignOp's address] [serial: 0, or another for each call that must stay] numbers
 *                     results given; see foreign_op.h
 *   BARRIER           -; results: the args
 *   RNG_BITS          [algorithm: 0 default, 1 three_fry, 2 philox]
 *                     results given: state, bits
 *   RESULT            [index]
 */
#ifndef WEFT_GRAPH_OPS_H
#define WEFT_GRAPH_OPS_H
#include "compiler/graph/types/dtype.h"

typedef enum {
#define EW(NAME, ...) OP_##NAME,
#define OP(NAME, ...) OP_##NAME,
#include "ops.def"
    OP_COUNT
} Op;

typedef enum {
    OPKIND_LEAF,
    OPKIND_EW,
    OPKIND_SHAPE,
    OPKIND_REDUCE,
    OPKIND_DOT,
    OPKIND_INDEX,
    OPKIND_ALONG,
    OPKIND_MATRIX,
    OPKIND_CONTROL,
    OPKIND_OTHER
} OpKind;
/* For tables of the ops that run regions: IF_CONTROL(kind, x) is x for kind CONTROL, nothing for others. */
#define IF_CONTROL(kind, ...) IF_CONTROL_##kind(__VA_ARGS__)
#define IF_CONTROL_LEAF(...)
#define IF_CONTROL_SHAPE(...)
#define IF_CONTROL_REDUCE(...)
#define IF_CONTROL_DOT(...)
#define IF_CONTROL_INDEX(...)
#define IF_CONTROL_ALONG(...)
#define IF_CONTROL_MATRIX(...)
#define IF_CONTROL_CONTROL(...) __VA_ARGS__
#define IF_CONTROL_OTHER(...)
/* The same of kind MATRIX; matrix_cases.h has the cases of a switch. */
#define IF_MATRIX(kind, ...) IF_MATRIX_##kind(__VA_ARGS__)
#define IF_MATRIX_LEAF(...)
#define IF_MATRIX_SHAPE(...)
#define IF_MATRIX_REDUCE(...)
#define IF_MATRIX_DOT(...)
#define IF_MATRIX_INDEX(...)
#define IF_MATRIX_ALONG(...)
#define IF_MATRIX_MATRIX(...) __VA_ARGS__
#define IF_MATRIX_CONTROL(...)
#define IF_MATRIX_OTHER(...)
/* StableHLO's FFT, IFFT, RFFT, IRFFT. Only the way back divides, by the number of elements. */
typedef enum { FFT_FORWARD, FFT_BACK, FFT_OF_REAL, FFT_TO_REAL } FftKind;
enum { MAX_FFT_AXES = 3 };
extern const char *const fft_names[4]; /* by FftKind */
typedef enum { CMP_EQ, CMP_NE, CMP_LT, CMP_LE, CMP_GT, CMP_GE } CompareDir;
typedef enum { ORDER_FLOAT, ORDER_TOTAL, ORDER_SIGNED, ORDER_UNSIGNED } CompareOrder;
/* As C compares elements of the type. */
static inline CompareOrder compare_order(DType t)
{
    return dtype_is_inexact(t) ? ORDER_FLOAT : dtype_is_signed(t) ? ORDER_SIGNED : ORDER_UNSIGNED;
}

typedef struct {
    const char *name, *text, *types, *meaning;
    int8_t args;
    uint8_t kind, cost;
} OpInfo;
extern const OpInfo op_info[OP_COUNT]; /* constant; name is the enum member without OP_ */

static inline OpKind op_kind(Op op) { return (OpKind)op_info[op].kind; }
static inline bool op_is_ew(Op op) { return op_info[op].kind == OPKIND_EW; }
static inline bool op_is_matrix(Op op) { return op_info[op].kind == OPKIND_MATRIX; }
/* Of one element of an elementwise op, in additions; 0 for others. */
float op_cost(Op, DType);
/* Costs above which, and up to which, a value is worth keeping in memory and worth computing again. */
enum { COST_TO_KEEP = 4, COST_TO_REPEAT = 4 };
/* Are these elements among the kinds of a column `types`, such as "SF"? */
bool kinds_hold(const char *kinds, DType t);

/* Of the monoids; what the facts mean is said in monoids.def. */
bool op_is_monoid(Op op);
uint64_t monoid_start(Op monoid, DType t); /* as raw bits */
bool monoid_has_prefixes(Op op);           /* false for ops that are none */
bool monoid_is_idempotent(Op monoid, DType t);
bool monoid_is_exact(Op monoid, DType t);
/* A fold of more elements into one is made in parts, and these are folded: on several threads, and in the
 * same order on one (runtime/eager/eager.h). */
enum { MOST_AT_ONCE = 65536, FOLD_PART = 32768 };
/* x^y for a whole y is products up to this |y|. Each product adds the errors of its factors, so x^n is off by
 * n roundings, x^-n by 2n: beyond, POW's own steps are closer, and cost no more. */
enum { MOST_POWER = 16 };
#endif
