/* expand_wide.c: products of matrices of narrow floats (f16, bf16) whose result is no f64. Their sums are in
 * f32 in any case. Here the products are, too: an operand is made wide as it is read, or, if it is read so
 * often that this pays, once, in memory. What is left is a product of f32, with its tiles and panels, whose
 * result is made narrow. Every bit is the same. */
#include "expand.h"

/* So many reads of each element pay for memory (bf16, 256 x 512, us, wide before and as it is read: AVX2, 32
 * rows 93 and 87, 64 166 and 164; SSE2, 64 rows 454 and 607); of f16, where no instruction makes it wide, far
 * fewer (SSE2, 8 rows: 111 and 222). Machines that have multiply-adds have one. */
enum { LEAST_READS = 64, LEAST_DEAR_READS = 4 };

bool expand_dot_wide(Graph *g, const Node *n, const Ref *args, bool has_fma, Ref *out)
{
    DType t = (DType)g->nodes[args[0]].dtype;
    int64_t least = t == WEFT_F16 && !has_fma ? LEAST_DEAR_READS : LEAST_READS;
    NodeSpec spec = node_spec(n);
    Ref wide[2];
    if (!dtype_is_narrow_float(t) || n->dtype == WEFT_F64) return false;
    for (int side = 0; side < 2; side++) {
        wide[side] = build_convert(g, args[side], WEFT_F32);
        if (dot_reads(n, side, graph_type(g, args[side])) >= least)
            build_barrier(g, &wide[side], 1, &wide[side]);
    }
    spec.args = wide;
    spec.dtype = WEFT_F32;
    *out = build_convert(g, graph_add(g, &spec), (DType)n->dtype);
    return true;
}
