/* jvp_fold.c: forward rules of folds by any region: as scans, in the order that the op promises, whatever the
 * region and the start values are.
 *
 * The region runs on all results of a reduction or of windows at once, which do not depend on each other. The
 * scan is differentiated as any other, so reverse mode and higher orders need nothing more.
 */
#include "compiler/vmap/vmap.h"
#include "jvp_rules.h"

/* [elements of the reduced axes, others] of operand i. */
static Ref reduced_first(const Jvp *v, const Node *n, uint32_t i, Graph *g, int64_t count, int64_t size)
{
    Type a = arg_type(v, n, i);
    int64_t perm[WEFT_MAX_RANK];
    for (uint32_t k = 0; k < n->n_attr; k++) perm[k] = n->attr[k];
    axes_without(axes_mask(n->attr, n->n_attr), a.rank, perm + n->n_attr);
    return build_reshape(g, build_transpose(g, g->params[i], perm), (int64_t[]){ count, size }, 2);
}

Graph *jvp_open_same(const Jvp *v, const Node *n)
{
    Graph *g = graph_new(v->w.to->arena, NULL);
    for (uint32_t i = 0; i < n->n_args; i++) build_param(g, arg_type(v, n, i));
    return g;
}

/* Each start for all of [size]. */
static void add_starts(const Node *n, Graph *g, int64_t size, Ref *args)
{
    for (uint32_t i = 0; i < n->n_results; i++)
        args[i] = build_broadcast(g, g->params[n->n_results + i], &size, 1, NULL);
}

/* The scan's carries, shaped as the results are, are g's outputs. */
static void close_same(const Jvp *v, const Node *n, Graph *g, ScanShape s, const Graph *body, const Ref *args)
{
    Ref *out = jvp_refs(v, n->n_results);
    build_scan(g, s, body, args, out);
    for (uint32_t i = 0; i < n->n_results; i++) out[i] = build_reshape(g, out[i], n->dim, n->rank);
    graph_set_outputs(g, out, n->n_results);
}

/* f(start, fold of f) where f is a monoid's: a reduction, which is no loop. */
static const Graph *by_monoid(const Jvp *v, const Node *n, Op kind)
{
    Graph *g = jvp_open_same(v, n);
    Ref start = build_broadcast(g, g->params[1], n->dim, n->rank, NULL);
    Ref y = build_binary(g, kind, start, build_reduce(g, kind, g->params[0], n->attr, (int)n->n_attr));
    graph_set_outputs(g, &y, 1);
    return g;
}

void jvp_reduce_region(const Jvp *v, const Node *n, Ref *y, Ref *dy)
{
    Op kind = region_monoid(n->regions[0]);
    if (kind != OP_COUNT) {
        jvp_expanded(v, n, by_monoid(v, n, kind), dy);
        return;
    }
    int64_t size = type_count(node_type(n)), count = 1;
    for (uint32_t k = 0; k < n->n_attr; k++) count *= arg_type(v, n, 0).dim[n->attr[k]];
    const Graph *body = vmap_leading(v->w.to->arena, n->regions[0], size, &v->w.to->failure);
    (void)y;
    if (!body) return;
    Graph *g = jvp_open_same(v, n);
    Ref *args = jvp_refs(v, n->n_args);
    add_starts(n, g, size, args);
    for (uint32_t i = 0; i < n->n_results; i++)
        args[n->n_results + i] = reduced_first(v, n, i, g, count, size);
    close_same(v, n, g,
               (ScanShape){ .length = count, .unroll = 1, .n_carry = n->n_results, .n_xs = n->n_results },
               body, args);
    jvp_expanded(v, n, g, dy);
}

/* ---- windows */

/* Position number k of a window, of all windows at once: a slice of the padded operand. k counts in row-major
 * order. */
static Ref window_elements(const Node *n, Graph *g, Ref padded, Ref k)
{
    Type a = graph_type(g, padded);
    WindowDims d = window_dims(OP_REDUCE_WINDOW, n->attr, a.rank);
    int64_t sizes[WEFT_MAX_RANK], zero[WEFT_MAX_RANK] = { 0 };
    Ref starts[WEFT_MAX_RANK];
    for (int i = a.rank; i-- > 0;) {
        Ref size = build_number(g, WEFT_I64, (double)d.size[i]);
        sizes[i] = n->dim[i] ? (n->dim[i] - 1) * d.stride[i] + 1 : 0;
        starts[i] = build_binary(g, OP_MUL, build_binary(g, OP_REM, k, size),
                                 build_number(g, WEFT_I64, (double)d.dilation[i]));
        k = build_binary(g, OP_DIV, k, size);
    }
    return build_slice(g, build_dynamic_slice(g, padded, starts, sizes), zero, sizes, d.stride);
}

static const Graph *window_body(const Jvp *v, const Node *n, const Graph *region, const Graph *outer,
                                const Ref *padded, int64_t size)
{
    Graph *g = graph_new(v->w.to->arena, NULL);
    uint32_t count = n->n_results;
    Ref *arrays = jvp_refs(v, count), *args = jvp_refs(v, 2 * (size_t)count), *out = jvp_refs(v, count);
    for (uint32_t i = 0; i < count; i++) arrays[i] = build_param(g, graph_type(outer, padded[i]));
    for (uint32_t i = 0; i < count; i++)
        args[i] = build_param(g, (Type){ graph_type(outer, padded[i]).dtype, 1, &size });
    Ref k = build_param(g, type_scalar(WEFT_I64));
    for (uint32_t i = 0; i < count; i++)
        args[count + i] = build_reshape(g, window_elements(n, g, arrays[i], k), &size, 1);
    graph_inline(g, region, args, out);
    graph_set_outputs(g, out, count);
    return g;
}

void jvp_fold_windows(const Jvp *v, const Node *n, Ref *dy)
{
    Type a = arg_type(v, n, 0);
    WindowDims d = window_dims(OP_REDUCE_WINDOW, n->attr, a.rank);
    int64_t size = type_count(node_type(n)), count = 1, between[WEFT_MAX_RANK];
    const Graph *region = vmap_leading(v->w.to->arena, n->regions[0], size, &v->w.to->failure);
    if (!region) return;
    for (int i = 0; i < a.rank; i++) count *= d.size[i], between[i] = d.base_dilation[i] - 1;
    Graph *g = jvp_open_same(v, n);
    Ref *args = jvp_refs(v, n->n_args + 1);
    for (uint32_t i = 0; i < n->n_results; i++)
        args[i] = build_pad(g, g->params[i], g->params[n->n_results + i], d.low, d.high, between);
    if (g->failure.code == WEFT_OK) {
        add_starts(n, g, size, args + n->n_results);
        args[n->n_args] = build_iota(g, (Type){ WEFT_I64, 1, &count }, 0);
        close_same(v, n, g,
                   (ScanShape){ .length = count,
                                .unroll = 1,
                                .n_invariant = n->n_results,
                                .n_carry = n->n_results,
                                .n_xs = 1 },
                   window_body(v, n, region, g, args, size), args);
    }
    jvp_expanded(v, n, g, dy);
}
