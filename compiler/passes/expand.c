/* expand.c: the pass, and SELECT_AND_SCATTER. See expand_rng.c for random bits. */
#include "expand.h"
#include "compiler/graph/infer/infer.h"
#include "rewrite.h"

/* ---- select and scatter */

/* Of a window's elements, (value, position, is there one): the first, until select(kept, later) is false. */
static const Graph *chooser(Arena *a, DType t, DType index, const Graph *select)
{
    Graph *g = graph_new(a, NULL);
    Type side[] = { type_scalar(t), type_scalar(index), type_scalar(WEFT_BOOL) };
    Ref p[6], out[3], keep;
    for (int i = 0; i < 6; i++) p[i] = build_param(g, side[i % 3]);
    graph_inline(g, select, (Ref[]){ p[0], p[3] }, &keep);
    keep = build_binary(g, OP_OR, build_unary(g, OP_NOT, p[5]), build_binary(g, OP_AND, p[2], keep));
    for (int i = 0; i < 2; i++) out[i] = build_select(g, keep, p[i], p[i + 3]);
    out[2] = build_binary(g, OP_OR, p[2], p[5]);
    graph_set_outputs(g, out, 3);
    return g;
}

/* Row-major positions of the operand's elements. */
static Ref positions(Graph *g, Type like, DType index)
{
    int64_t n = type_count(like);
    return build_reshape(g, build_iota(g, (Type){ (uint8_t)index, 1, &n }, 0), like.dim, like.rank);
}

Ref expand_chosen(Graph *g, const Node *n, Ref operand)
{
    Type t = graph_type(g, operand), scalar = type_scalar(t.dtype), flags = { WEFT_BOOL, t.rank, t.dim };
    DType index = type_count(t) <= INT32_MAX ? WEFT_I32 : WEFT_I64;
    WindowDims w = window_dims(OP_SELECT_AND_SCATTER, n->attr, t.rank);
    int64_t attr[6 * WEFT_MAX_RANK];
    for (int i = 0; i < t.rank; i++) {
        const int64_t of_axis[] = { w.size[i], w.stride[i], 1, 1, w.low[i], w.high[i] };
        for (int k = 0; k < 6; k++) attr[k * t.rank + i] = of_axis[k];
    }
    Ref args[] = { operand,
                   positions(g, t, index),
                   build_splat(g, flags, 1),
                   build_zeros(g, scalar),
                   build_number(g, index, -1),
                   build_zeros(g, type_scalar(WEFT_BOOL)) };
    Ref r = graph_add(g, &(NodeSpec){ .op = OP_REDUCE_WINDOW,
                                      .args = args,
                                      .n_args = 6,
                                      .attr = attr,
                                      .n_attr = 6 * (uint32_t)t.rank,
                                      .region = chooser(g->arena, (DType)t.dtype, index, n->regions[0]) });
    return build_result(g, r, 1);
}

static Ref flat(Graph *g, Ref r)
{
    if (r == REF_NONE) return r;
    int64_t n = type_count(graph_type(g, r));
    return build_reshape(g, r, &n, 1);
}

/* scatter(start everywhere, the chosen positions, source) */
static Ref expand_select_and_scatter(Graph *g, const Node *n, const Ref *args)
{
    Type t = graph_type(g, args[0]);
    int64_t count = type_count(t);
    Ref start = build_broadcast(g, args[2], &count, 1, NULL), at = flat(g, expand_chosen(g, n, args[0]));
    int64_t attr[] = { 0, 1, 0, 1, 1, false, false, 0, 0 }; /* axis 0 is inserted, and chosen */
    Ref r = graph_add(g, &(NodeSpec){ .op = OP_SCATTER,
                                      .args = (Ref[]){ start, at, flat(g, args[1]) },
                                      .n_args = 3,
                                      .attr = attr,
                                      .n_attr = 9,
                                      .region = n->regions[1] });
    return build_reshape(g, r, t.dim, t.rank);
}

bool expand_node(Graph *g, const Node *n, const Ref *args, Ref *out)
{
    if (n->op == OP_RNG_BITS) return expand_rng(g, n, args[0], out);
    return (*out = expand_select_and_scatter(g, n, args)) != REF_NONE;
}

/* ---- the pass */

/* A builder's failure is the new graph's. */
static bool replace_node(const Replacement *w, Graph *to, const Node *n, const Ref *args, Ref *out)
{
    (void)w;
    expand_node(to, n, args, out);
    return true;
}

const Graph *expand(Arena *a, const Graph *g)
{
    static ReplaceRule *const rules[OP_COUNT] = {
        [OP_RNG_BITS] = replace_node, [OP_SELECT_AND_SCATTER] = replace_node
    };
    return rewrite(a, g, &(Replacement){ rules, NULL });
}
