/* simplify_narrow.c: what a loop computes alike for all indices of an axis, it computes once (for simplify:
 * see control_edit.h). A step size, a time, a coefficient of all rows: a carry that starts as a broadcast and
 * becomes what does not depend on the axis is carried without it, and broadcast where the body uses it.
 *
 * Which axes a carry varies along is a fixpoint: at first those of its start; then those of what the body
 * makes of it, as long as that adds any. Only ops that broadcasts are moved behind (simplify.c) are followed:
 * of these, simplify makes the narrow loop's body. What a step stacks is narrowed alike.
 *
 * Fusion walks the elements of a loop by one shape. So outputs of equal rank that vary at all keep the same
 * axes; one that does not vary becomes a scalar.
 */
#include "control_edit.h"
#include "simplify.h"

/* Each is linear. A loop that wants more is left as it is. */
enum { SWEEPS = 8 };

/* By axis of a parameter or an output: does it vary along it? */
typedef struct Varying {
    uint32_t *param, *output;
} Varying;

static void varying_starts(const Control *c, Varying *v)
{
    for (uint32_t i = 0; i < control_n_args(c); i++)
        v->param[i] =
            varying_axes(c->g, graph_node(c->g, c->args[i]), NULL) >> (control_role(c, i) == ROLE_INPUT);
}

static void varying_outputs(const Control *c, Varying *v)
{
    const Graph *body = control_body(c);
    uint32_t *axes = arena_alloc(c->g->arena, body->n_nodes * sizeof *axes),
             of_rank[WEFT_MAX_RANK + 1] = { 0 };
    for (Ref r = 0; r < body->n_nodes; r++) {
        const Node *n = graph_node(body, r);
        axes[r] = n->op == OP_PARAMETER ? v->param[n->attr[0]] : varying_axes(body, n, axes);
    }
    for (uint32_t i = 0; i < body->n_outputs; i++) {
        v->output[i] = axes[body->outputs[i]];
        if (i < c->s.n_carry) v->output[i] |= v->param[c->s.n_invariant + i];
        of_rank[graph_node(body, body->outputs[i])->rank] |= v->output[i];
    }
    for (uint32_t i = 0; i < body->n_outputs; i++)
        if (v->output[i]) v->output[i] = of_rank[graph_node(body, body->outputs[i])->rank];
}

/* The outputs' axes as the carries' own; true: that changed none. */
static bool carries_agree(const Control *c, const Varying *v)
{
    bool same = true;
    for (uint32_t i = 0; i < c->s.n_carry; i++) {
        uint32_t *carry = &v->param[c->s.n_invariant + i];
        same &= *carry == v->output[i];
        *carry = v->output[i];
    }
    return same;
}

/* Is there less of the type with only these axes? */
static bool is_smaller(Type t, uint32_t axes)
{
    bool smaller = false;
    for (int i = 0; i < t.rank; i++) {
        if (t.dim[i] == 0) return false;
        smaller |= !(axes >> i & 1) && t.dim[i] > 1;
    }
    return smaller;
}

/* By output of the body, the axes to keep; NULL: none gets smaller. */
static uint32_t *axes_to_keep(const Control *c)
{
    const Graph *body = control_body(c);
    Varying v = { arena_alloc(c->g->arena, (control_n_args(c) + 1) * sizeof(uint32_t)),
                  arena_alloc(c->g->arena, (body->n_outputs + 1) * sizeof(uint32_t)) };
    bool agree = false, any = false;
    varying_starts(c, &v);
    for (int sweep = 0; sweep < SWEEPS && !agree; sweep++) {
        varying_outputs(c, &v);
        agree = carries_agree(c, &v);
    }
    for (uint32_t i = 0; i < body->n_outputs; i++) {
        Type t = graph_type(body, body->outputs[i]);
        bool smaller = is_smaller(t, v.output[i]);
        if (!smaller) v.output[i] = UINT32_MAX;
        any |= smaller;
    }
    return agree && any ? v.output : NULL;
}

/* The value at the first index of all other axes. */
static Ref narrow(Graph *g, Ref r, uint32_t axes)
{
    Type t = graph_type(g, r);
    int64_t dim[WEFT_MAX_RANK];
    int rank = 0;
    for (int i = 0; i < t.rank; i++) {
        if (axes >> i & 1) dim[rank++] = t.dim[i];
        else r = build_slice_along(g, r, i, 0, 1, 1);
    }
    return build_reshape(g, r, dim, rank);
}

static Ref widen(Graph *g, Ref r, Type t, uint32_t axes)
{
    int64_t to[WEFT_MAX_RANK];
    int rank = 0;
    for (int i = 0; i < t.rank; i++)
        if (axes >> i & 1) to[rank++] = i;
    return build_broadcast(g, r, t.dim, t.rank, to);
}

/* The type of the loop's result of an output, and which of its axes these are. */
static Type result_type(const Control *c, uint32_t output, uint32_t *axes)
{
    Type t = graph_type(control_body(c), control_body(c)->outputs[output]);
    if (output < c->s.n_carry) return t;
    *axes = *axes << 1 | 1;
    return type_stacked(c->g->arena, t, c->s.length);
}

/* A region for the operands of the narrow loop; its own are broadcasts of these. */
static const Graph *narrow_region(const Control *c, const Control *small, uint32_t k, const uint32_t *keep)
{
    const Graph *from = c->regions[k];
    Arena *a = c->g->arena;
    Graph *to = graph_new(a, from->name);
    Ref *args = graph_refs(a, from->n_params), *out = graph_refs(a, from->n_outputs);
    for (uint32_t i = 0; i < from->n_params; i++) {
        Role role = control_role(c, i);
        args[i] = build_param(to, control_type(small, small->args[i], role));
        if (role == ROLE_CARRY)
            args[i] = widen(to, args[i], graph_type(from, from->params[i]), keep[i - c->s.n_invariant]);
    }
    graph_inline(to, from, args, out);
    for (uint32_t i = 0; from == control_body(c) && i < from->n_outputs; i++)
        out[i] = narrow(to, out[i], keep[i]);
    graph_set_outputs(to, out, from->n_outputs);
    return to;
}

const uint32_t *loop_narrow(const Control *c, Control *small)
{
    Arena *a = c->g->arena;
    const uint32_t *keep = axes_to_keep(c);
    if (!keep) return NULL;
    *small = *c;
    small->out = arena_copy(a, c->out, c->n_results * sizeof *c->out);
    small->at = arena_copy(a, c->at, c->n_results * sizeof *c->at);
    small->args = arena_copy(a, c->args, control_n_args(c) * sizeof *c->args);
    for (uint32_t i = 0; i < c->s.n_carry; i++) {
        Ref *start = &small->args[c->s.n_invariant + i];
        *start = narrow(c->g, *start, keep[i]);
    }
    const Graph **regions = arena_alloc(a, c->n_regions * sizeof *regions);
    for (uint32_t k = 0; k < c->n_regions; k++) regions[k] = narrow_region(c, small, k, keep);
    small->regions = regions;
    return keep;
}

void loop_widen(Control *c, const Control *small, const uint32_t *keep)
{
    for (uint32_t i = 0; i < c->n_results; i++) {
        if (c->at[i] == NOWHERE) continue;
        uint32_t axes = keep[c->at[i]];
        Type t = result_type(c, c->at[i], &axes);
        c->out[i] = widen(c->g, small->out[i], t, axes);
    }
}
