/* planes.h: complex numbers become pairs of real ones, so that fusion and back ends know none.
 *
 * Every complex value is two real values, its planes: the real parts and the imaginary parts. What an op does
 * to complex elements is written out once, in real ops, here (planes_arithmetic.c and its neighbours); ops
 * that move elements move both planes; an op over lists of arrays, or with regions, has two arrays where it
 * had a complex one. Only where memory is complex do elements lie in turn, real part first: a parameter
 * complex<f32>[n] is a parameter f32[n,2], whose planes are slices of it, and so are large constants, results
 * and what foreign functions see. Fusion reads and writes these as it does any two arrays in turn, with
 * shuffles (fuse/point, llvm/access/strided.c, access/woven.c).
 *
 * Requires: no rules of the user's are left (inline_rules). Keeps: the number of parameters and outputs and
 * the bytes of each; names and places in the source. Eager mode runs each op as what this pass makes of it
 * (runtime/eager/eager_planes.c): that is why strict mode equals it. */
#ifndef WEFT_PLANES_PLANES_H
#define WEFT_PLANES_PLANES_H
#include "compiler/graph/graph.h"

/* strict: sums have the order that they have in eager mode. g itself if there is nothing complex in it; NULL
 * and f set: a node failed (too many arrays at once). */
const Graph *planes(Arena *, const Graph *g, bool strict, Failure *f);
/* Is a value of the node, or of its regions, complex, or is it an op that is about complex numbers? */
bool planes_has(const Graph *, const Node *);
bool planes_in_graph(const Graph *); /* of any node */
#endif
