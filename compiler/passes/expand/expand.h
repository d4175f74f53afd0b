/* expand.h: the pass that writes what fusion need not know as what it does: RNG_BITS as the arithmetic of
 * its counters, a CONVOLUTION as the contraction of its windows, in parts where the operand has holes,
 * SELECT_AND_SCATTER as a REDUCE_WINDOW that finds elements and, of small windows, what each element gets
 * from those that it lies in, else a SCATTER to them, a large window as one along each axis, a long SCATTER
 * into few elements in parts, a SORT of many short rows as a network of exchanges, one of which only the
 * first is read as a fold, a product of narrow floats as one of f32, and, in strict mode, long folds in the
 * order that eager mode has for them. In the other modes a power by a constant of up to 16 either way, a
 * multiple of 1/4, becomes products, roots and a reciprocal; a product of ints of up to 16 bits a sum of two
 * products at a time; in fast mode the sum of two products by one matrix the product of a sum, which loses or
 * overflows where the products did not. In regions too.
 *
 * Keeps: parameters and their numbers, outputs, types, every bit of every result but for those powers and
 * products, and for the order of a long SCATTER's sums where it is free. Runs just before fusion: what is
 * expanded is longer and says less. */
#ifndef WEFT_PASSES_EXPAND_H
#define WEFT_PASSES_EXPAND_H
#include "compiler/graph/attributes.h"
#include "compiler/graph/graph.h"

/* g itself if there is nothing to expand. has_fma: the machine has multiply-adds */
const Graph *expand(Arena *, const Graph *g, bool strict, bool fast, bool has_fma);
/* The results of one such node (RNG_BITS, SELECT_AND_SCATTER, CONVOLUTION) over these operands. */
bool expand_node(Graph *, const Node *, const Ref *args, Ref *out);
/* Of SELECT_AND_SCATTER: the row-major position that each window chooses, -1 where it is all padding: of
 * source's shape, i32 or i64. */
Ref expand_chosen(Graph *, const Node *, Ref operand);

/* For expand.c: RNG_BITS; a CONVOLUTION; a POW, the sum or difference of two DOTs that nothing else asks for,
 * a DOT of ints, one of narrow floats, a SCATTER, and a SORT of the graph `from`, which may stay as they are
 * (false). */
bool expand_rng(Graph *, const Node *, Ref state, Ref out[2]);
bool expand_power(Graph *, const Node *, const Ref *args, Ref *out);
bool expand_sum_of_dots(Graph *, const Node *, const Ref *args, Ref *out);
bool expand_dot_of_halves(Graph *, const Node *, const Ref *args, Ref *out);
bool expand_dot_wide(Graph *, const Node *, const Ref *args, bool has_fma, Ref *out);
bool expand_to_chosen(Graph *, const Node *, const Ref *args, Ref *out);
bool expand_long_scatter(Graph *, const Node *, const Ref *args, bool strict, Ref *out);
Ref expand_convolution(Graph *, const Node *, const Ref *args);
/* Of an operand with holes, by windows that see one element each; NONE: it is not so. */
Ref expand_conv_apart(Graph *, const ConvDims *, Ref x, Ref weights, Type result);
/* Parts whose places along the axis alternate, as one. */
Ref expand_alternate(Graph *, Ref *part, int n, int axis, int64_t places);
Ref expand_select_and_scatter(Graph *, const Node *, const Ref *args);
bool expand_sort(const Graph *from, const Node *, Graph *to, const Ref *args, bool has_fma, Ref *out);
#endif
