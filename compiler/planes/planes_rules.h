/* planes_rules.h: what the files of this pass share. */
#ifndef WEFT_PLANES_PLANES_RULES_H
#define WEFT_PLANES_PLANES_RULES_H
#include "planes.h"

/* The planes of a value; of a real one im is REF_NONE. */
typedef struct Pair {
    Ref re, im;
} Pair;

/* What the node becomes: a pair for each result; strict: with eager mode's bits. False: the pass fails. */
typedef bool PlaneRule(bool strict, Graph *to, const Node *, const Type *types, const Pair *args, Pair *out);

/* An elementwise op over the planes of its operands, in the type of the parts. */
typedef Pair ElementPlanes(Graph *, const Pair *);

/* planes_arithmetic.c: what the elementwise op does; NULL: the node is moved plane by plane. */
bool planes_elementwise(Graph *to, const Node *, const Type *types, const Pair *args, Pair *out);
Pair planes_mul(Graph *, Pair, Pair);
/* planes.c: the planes of an array of this complex type whose parts lie in turn; such an array of planes. */
Pair planes_apart(Graph *, Ref both, Type);
Ref planes_together(Graph *, Pair);
/* Is such an array read where it lies? Then it is no concatenation of planes. */
bool planes_lie_in_turn(const Graph *, Ref both);
/* Is a in front of b, or behind it, by real and then by imaginary part? */
Ref planes_before(Graph *, CompareDir, Pair a, Pair b);
/* planes_exp.c, planes_log.c, planes_inverse.c: functions */
ElementPlanes planes_exp, planes_expm1, planes_sinh, planes_cosh, planes_tanh, planes_sin, planes_cos,
    planes_tan;
ElementPlanes planes_log, planes_log1p, planes_sqrt, planes_power, planes_divide, planes_abs, planes_atan2;
ElementPlanes planes_divide_f32, planes_abs_f32; /* of f32, as good as in f64 */
ElementPlanes planes_asin, planes_acos, planes_asinh, planes_acosh, planes_atan, planes_atanh;
PlaneRule planes_reduce, planes_cumulative; /* planes_fold.c */
PlaneRule planes_dot;                       /* planes_dot.c: CONVOLUTION, too */
PlaneRule planes_fft;                       /* planes_fft.c */
/* planes_control.c: lists of arrays and regions */
PlaneRule planes_list;

/* A region whose complex parameters and outputs are two each, in place; by_two: parameters come in twos, a0
 * b0 a1 b1 (SORT), and a's and b's planes do. NULL: it failed, and `to` says so. */
const Graph *planes_region(Graph *to, const Graph *region, bool by_two, bool strict);

/* Short words for long formulas. */
static inline Ref real_add(Graph *g, Ref a, Ref b) { return build_binary(g, OP_ADD, a, b); }
static inline Ref real_sub(Graph *g, Ref a, Ref b) { return build_binary(g, OP_SUB, a, b); }
static inline Ref real_mul(Graph *g, Ref a, Ref b) { return build_binary(g, OP_MUL, a, b); }
static inline Ref real_div(Graph *g, Ref a, Ref b) { return build_binary(g, OP_DIV, a, b); }
static inline Ref real_of(Graph *g, Op op, Ref a) { return build_unary(g, op, a); }
static inline Ref real_abs(Graph *g, Ref a) { return build_unary(g, OP_ABS, a); }
static inline Ref real_neg(Graph *g, Ref a) { return build_unary(g, OP_NEG, a); }
static inline Ref real_sqrt(Graph *g, Ref a) { return build_unary(g, OP_SQRT, a); }
/* The number v, like a in type and shape. */
static inline Ref real_fill(Graph *g, Ref like, double v)
{
    if (like == REF_NONE) return like;
    Type t = graph_type(g, like);
    return build_splat(g, t, scalar_from_double((DType)t.dtype, v));
}
static inline Ref real_scale(Graph *g, double v, Ref a) { return real_mul(g, real_fill(g, a, v), a); }
static inline Ref real_is(Graph *g, CompareDir dir, Ref a, double v)
{
    return build_compare(g, dir, a, real_fill(g, a, v));
}
/* |a| with the sign of s; a, not negative, with it */
Ref real_copysign(Graph *, Ref a, Ref s);
Ref real_with_sign(Graph *, Ref a, Ref s);
Pair pair_converted(Graph *, Pair, DType);
#endif
