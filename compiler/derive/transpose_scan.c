/* transpose_scan.c: the transpose of a linear SCAN is a SCAN in the other direction.
 *
 *     forward:   invariants, carries, xs          ->  carries, ys
 *     backward:  known invariants, cotangents of carries, known xs and cotangents of ys  ->  cotangents of carries, cotangents of linear xs
 *
 * A linear invariant gets a contribution in each step: they are added up in a carry of its own.
 */
#include "reverse_parts.h"

typedef struct Back {
    const Transpose *t;
    const Node *n;
    const Graph *body;
    ScanShape shape;
    bool *linear;               /* by parameter of the body */
    bool *has_ct;               /* by output */
    bool *gives;                /* by linear parameter: does any of those reach it? */
    Graph *step;                /* the transposed body: known invariants, cotangents of carries, known xs, cotangents of ys */
    Ref *out;                   /* by parameter of the body: its cotangent there */
} Back;

static Arena *arena_of(const Back *b) { return b->t->dst->arena; }
static Ref *refs(const Back *b, size_t n) { return arena_alloc(arena_of(b), (n + 1) * sizeof(Ref)); }
static uint32_t first_x(const Back *b) { return b->shape.n_invariant + b->shape.n_carry; }
static Type param_type(const Back *b, uint32_t i) { return graph_type(b->body, b->body->params[i]); }

/* Which parameters are linear: carries are if they ever become so. */
static void find_linear(Back *b)
{
    uint32_t n = b->n->n_args;
    b->linear = arena_alloc(arena_of(b), n + 1);
    for (uint32_t i = 0; i < n; i++) b->linear[i] = is_linear(b->t, b->n, i);
    for (bool grown = true; grown; ) {
        const bool *nodes = linear_nodes(arena_of(b), b->body, b->linear);
        grown = false;
        for (uint32_t i = 0; i < b->shape.n_carry; i++) {
            bool *carry = &b->linear[b->shape.n_invariant + i], now = nodes[b->body->outputs[i]];
            grown |= now && !*carry;
            *carry |= now;
        }
    }
}

/* Which cotangents flow: those of the results, and of each carry that in some step is part of a result. */
static void find_flow(Back *b)
{
    b->has_ct = arena_alloc(arena_of(b), b->n->n_results + 1);
    b->gives = arena_alloc(arena_of(b), b->n->n_args + 1);
    for (uint32_t i = 0; i < b->n->n_results; i++) b->has_ct[i] = ct_of(b->t, b->n, i) != REF_NONE;
    for (bool grown = true; grown; ) {
        reach_back(arena_of(b), b->body, b->linear, b->has_ct, b->gives);
        grown = false;
        for (uint32_t i = 0; i < b->shape.n_carry; i++) {
            bool now = b->gives[b->shape.n_invariant + i] && b->linear[b->shape.n_invariant + i];
            grown |= now && !b->has_ct[i];
            b->has_ct[i] |= now;
        }
    }
    for (uint32_t i = 0; i < b->shape.n_carry; i++) b->gives[b->shape.n_invariant + i] |= b->has_ct[i];
}

/* ---- the loop */

/* Its parameters and operands in order: known invariants, cotangents of carries, sums, known xs, cotangents of ys. */
typedef struct Loop { Graph *g; ScanShape shape; Ref *args; Ref *step_args; Ref *sum; uint32_t n_args, n_step; } Loop;

static Ref loop_param(Loop *l, Type type, Ref arg)
{
    l->args[l->n_args++] = arg;
    return build_param(l->g, type);
}

static void open_loop(const Back *b, Loop *l)
{
    const Transpose *t = b->t;
    *l = (Loop){ .g = graph_new(arena_of(b), b->body->name), .shape = b->shape, .args = refs(b, 2 * (size_t)b->n->n_args + b->n->n_results),
                 .step_args = refs(b, (size_t)b->n->n_args + b->n->n_results), .sum = refs(b, b->n->n_args) };
    l->shape.reverse = !b->shape.reverse;
    l->shape.n_invariant = l->shape.n_carry = l->shape.n_xs = 0;
    for (uint32_t i = 0; i < b->shape.n_invariant; i++)
        if (!b->linear[i]) l->step_args[l->n_step++] = loop_param(l, param_type(b, i), known_arg(t, b->n, i)), l->shape.n_invariant++;
    for (uint32_t i = 0; i < b->shape.n_carry; i++) {
        Type type = param_type(b, b->shape.n_invariant + i);
        if (!b->has_ct[i]) continue;
        Ref ct = ct_of(t, b->n, i);
        l->step_args[l->n_step++] = loop_param(l, type, ct == REF_NONE ? zeros(t->dst, type) : ct);
        l->shape.n_carry++;
    }
    for (uint32_t i = 0; i < b->shape.n_invariant; i++)
        if (b->linear[i] && b->out[i] != REF_NONE) l->sum[i] = loop_param(l, param_type(b, i), zeros(t->dst, param_type(b, i))), l->shape.n_carry++;
    for (uint32_t i = first_x(b); i < b->n->n_args; i++)
        if (!b->linear[i]) l->step_args[l->n_step++] = loop_param(l, param_type(b, i), known_arg(t, b->n, i)), l->shape.n_xs++;
    for (uint32_t i = b->shape.n_carry; i < b->n->n_results; i++)
        if (b->has_ct[i]) l->step_args[l->n_step++] = loop_param(l, graph_type(b->body, b->body->outputs[i]), ct_of(t, b->n, i)), l->shape.n_xs++;
}

/* ---- one step */

static bool transpose_step(Back *b)
{
    const Graph *g = b->body;
    Graph *step = b->step = graph_new(arena_of(b), g->name);
    Ref *known = refs(b, g->n_params), *cts = refs(b, g->n_outputs);
    for (uint32_t i = 0; i < b->shape.n_invariant; i++)
        if (!b->linear[i]) known[i] = build_param(step, param_type(b, i));
    for (uint32_t i = 0; i < b->shape.n_carry; i++) cts[i] = b->has_ct[i] ? build_param(step, graph_type(g, g->outputs[i])) : REF_NONE;
    for (uint32_t i = first_x(b); i < g->n_params; i++)
        if (!b->linear[i]) known[i] = build_param(step, param_type(b, i));
    for (uint32_t i = b->shape.n_carry; i < g->n_outputs; i++) cts[i] = b->has_ct[i] ? build_param(step, graph_type(g, g->outputs[i])) : REF_NONE;
    b->out = refs(b, g->n_params);
    return transpose_inline(step, (Region){ g, b->linear, true, b->t->most }, known, cts, NULL, b->out) || !region_failed(b->t, step);
}

/* Its outputs: cotangents of carries, contributions to invariants, cotangents of xs. */
static uint32_t set_step_outputs(const Back *b)
{
    Ref *out = refs(b, b->n->n_args);
    uint32_t n = 0;
    for (uint32_t i = 0; i < b->shape.n_carry; i++) {
        uint32_t p = b->shape.n_invariant + i;
        if (b->has_ct[i]) out[n++] = b->out[p] == REF_NONE ? zeros(b->step, param_type(b, p)) : b->out[p];
    }
    for (uint32_t i = 0; i < b->n->n_args; i++)
        if (b->linear[i] && b->out[i] != REF_NONE && (i < b->shape.n_invariant || i >= first_x(b))) out[n++] = b->out[i];
    graph_set_outputs(b->step, out, n);
    return n;
}

static bool build_loop(const Back *b, Ref *results, uint32_t *n_results)
{
    Loop l;
    uint32_t n = set_step_outputs(b), at = 0;
    Ref *out = refs(b, n);
    open_loop(b, &l);
    if (!graph_inline(l.g, b->step, l.step_args, out)) return region_failed(b->t, l.g);
    for (uint32_t i = 0; i < b->shape.n_carry; i++) at += b->has_ct[i];
    for (uint32_t i = 0; i < b->shape.n_invariant; i++)
        if (b->linear[i] && b->out[i] != REF_NONE) out[at] = build_binary(l.g, OP_ADD, l.sum[i], out[at]), at++;
    graph_set_outputs(l.g, out, n);
    *n_results = n;
    return build_scan(b->t->dst, l.shape, l.g, l.args, results);
}

bool transpose_scan(const Transpose *t, const Node *n)
{
    Back b = { .t = t, .n = n, .body = n->regions[0], .shape = scan_shape(n->attr) };
    find_linear(&b);
    find_flow(&b);
    for (uint32_t i = 0; i < b.shape.n_carry; i++)
        if (b.linear[b.shape.n_invariant + i] && !must_be_zero(t, n, b.shape.n_invariant + i)) return false;
    if (!transpose_step(&b)) return false;
    Ref *results = refs(&b, n->n_args);
    uint32_t n_results, at = 0;
    if (!build_loop(&b, results, &n_results)) return false;
    for (uint32_t i = 0; i < b.shape.n_carry; i++)
        if (b.has_ct[i]) give_ct(t, n, b.shape.n_invariant + i, results[at++]);
    for (uint32_t i = 0; i < n->n_args; i++)
        if (b.linear[i] && b.out[i] != REF_NONE && (i < b.shape.n_invariant || i >= first_x(&b))) give_ct(t, n, i, results[at++]);
    return true;
}
