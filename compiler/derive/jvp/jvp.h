/* jvp.h: forward mode: a graph becomes one that pushes tangents along.
 *
 * One rule per op, named in the op table (ops.def, column jvp). What a tangent is multiplied with are values
 * of the graph; a tangent that is zero by structure is not there at all. Semantics at singular points are
 * JAX's (0.10.2): abs at 0 has derivative 1, max and min share between equals, clamp and select choose. */
#ifndef WEFT_JVP_JVP_H
#define WEFT_JVP_JVP_H
#include "compiler/graph/graph.h"

/* active[i]: parameter i, of a float type, has a tangent. want[i]: the tangent of output i, of a float type,
 * is given, zeros if it does not depend on an active parameter. The result's parameters: g's, then a tangent
 * for each active one; its outputs: g's, then a tangent for each wanted one. NULL and f set (naming op and
 * line): something active has no derivative. */
Graph *jvp_graph(Arena *, const Graph *g, const bool *active, const bool *want, Failure *f);
/* For each output: does it depend on an active parameter, along ops that have derivatives? */
bool *jvp_active_outputs(Arena *, const Graph *g, const bool *active);
#endif
