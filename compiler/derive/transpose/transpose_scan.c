/* transpose_scan.c: the transpose of a linear SCAN is a SCAN in the other direction.
 *
 *     forward:   invariants, carries, xs  ->  carries, ys
 *     backward:  known invariants, cotangents of carries, known xs and cotangents of ys
 *                ->  cotangents of carries, cotangents of linear xs
 *
 * A linear invariant gets a contribution in each step; how they are added up is transpose_sums.c's.
 */
#include "compiler/passes/simplify.h"
#include "transpose_rules.h"

typedef struct Back {
    const Transpose *t;
    const Node *n;
    const Graph *body;
    ScanShape shape;
    bool *linear;  /* by parameter of the body */
    bool *has_ct;  /* by output */
    bool *gives;   /* by parameter: may it get a cotangent? Once the step is transposed: does it? */
    ScanStep step; /* outputs: cotangents of carries, contributions to invariants, cotangents of xs */
} Back;

static Arena *arena_of(const Back *b) { return b->t->dst->arena; }
static Ref *refs(const Back *b, size_t n) { return graph_refs(arena_of(b), n); }
static uint32_t first_x(const Back *b) { return b->shape.n_invariant + b->shape.n_carry; }
static Type param_type(const Back *b, uint32_t i) { return graph_type(b->body, b->body->params[i]); }

/* Which parameters are linear: carries are if they ever become so. */
static void find_linear(Back *b)
{
    uint32_t n = b->n->n_args;
    b->linear = arena_alloc(arena_of(b), n + 1);
    for (uint32_t i = 0; i < n; i++) b->linear[i] = is_linear(b->t, b->n, i);
    for (bool grown = true; grown;) {
        const bool *nodes = linear_nodes(arena_of(b), b->body, b->linear);
        grown = false;
        for (uint32_t i = 0; i < b->shape.n_carry; i++) {
            bool *carry = &b->linear[b->shape.n_invariant + i], now = nodes[b->body->outputs[i]];
            grown |= now && !*carry;
            *carry |= now;
        }
    }
}

/* The nodes that have been reached, and those of them whose operands have not been looked at. */
typedef struct Reach {
    const bool *linear;
    bool *reached;
    Ref *stack;
    uint32_t top;
} Reach;

static void reach(Reach *x, Ref r)
{
    if (x->reached[r] || !x->linear[r]) return;
    x->reached[r] = true;
    x->stack[x->top++] = r;
}

/* Which cotangents flow: those of the results, and of each carry that in some step is part of a result. Each
 * node is reached once, however many steps a carry is away from a result. */
static void find_flow(Back *b)
{
    const Graph *g = b->body;
    Arena *a = arena_of(b);
    Reach x = { linear_nodes(a, g, b->linear), arena_alloc(a, g->n_nodes + 1), refs(b, g->n_nodes), 0 };
    uint32_t first = b->shape.n_invariant;
    b->has_ct = arena_alloc(a, b->n->n_results + 1);
    b->gives = arena_alloc(a, b->n->n_args + 1);
    for (uint32_t i = 0; i < b->n->n_results; i++) {
        b->has_ct[i] = ct_of(b->t, b->n, i) != REF_NONE;
        if (b->has_ct[i]) reach(&x, g->outputs[i]);
    }
    while (x.top) {
        const Node *n = &g->nodes[x.stack[--x.top]];
        for (uint32_t i = 0; i < n->n_args; i++) reach(&x, n->args[i]);
        if (n->op != OP_PARAMETER) continue;
        uint32_t param = (uint32_t)n->attr[0];
        b->gives[param] = true;
        if (param < first || param >= first_x(b)) continue;
        b->has_ct[param - first] = true;
        reach(&x, g->outputs[param - first]);
    }
    for (uint32_t i = 0; i < b->shape.n_carry; i++) b->gives[first + i] |= b->has_ct[i];
}

/* ---- one step */

/* Its parameters, in the order of a SCAN. */
static void open_step(Back *b, RegionBuild *step, Ref *known, Ref *cts)
{
    const Transpose *t = b->t;
    for (uint32_t i = 0; i < b->shape.n_invariant; i++)
        if (!b->linear[i]) known[i] = region_take(step, param_type(b, i), known_arg(t, b->n, i));
    b->step.n_invariant = region_count(step);
    for (uint32_t i = 0; i < b->shape.n_carry; i++) {
        Type type = param_type(b, b->shape.n_invariant + i);
        Ref ct = ct_of(t, b->n, i);
        if (b->has_ct[i]) cts[i] = region_take(step, type, build_or_zeros(t->dst, ct, type));
    }
    b->step.n_carry = region_count(step);
    for (uint32_t i = first_x(b); i < b->n->n_args; i++)
        if (!b->linear[i]) known[i] = region_take(step, param_type(b, i), known_arg(t, b->n, i));
    for (uint32_t i = b->shape.n_carry; i < b->n->n_results; i++)
        if (b->has_ct[i])
            cts[i] = region_take(step, graph_type(b->body, b->body->outputs[i]), ct_of(t, b->n, i));
}

/* Carries give a cotangent if they have one, zeros if need be. */
static bool close_step(Back *b, RegionBuild *step, const Ref *all)
{
    uint32_t first = b->shape.n_invariant;
    for (uint32_t i = 0; i < b->shape.n_carry; i++)
        if (b->has_ct[i])
            region_give(step, build_or_zeros(step->g, all[first + i], param_type(b, first + i)));
    for (uint32_t i = 0; i < b->n->n_args; i++) {
        bool carry = i >= first && i < first_x(b);
        b->gives[i] = b->linear[i] && (carry ? b->has_ct[i - first] : all[i] != REF_NONE);
        if (b->gives[i] && !carry) region_give(step, all[i]);
        b->step.n_sums += b->gives[i] && i < first;
    }
    const Graph *g = region_end(step, b->t->dst);
    if (g) b->step.graph = simplify(arena_of(b), g);
    b->step.arg = step->args;
    return g != NULL;
}

static bool transpose_step(Back *b)
{
    RegionBuild step =
        region_begin(b->t->dst, b->body->name, (size_t)b->n->n_args + b->n->n_results, b->n->n_args);
    Ref *known = refs(b, b->body->n_params), *cts = no_refs(arena_of(b), b->body->n_outputs),
        *all = refs(b, b->body->n_params);
    open_step(b, &step, known, cts);
    transpose_inline(step.g, (LinearRegion){ b->body, b->linear, true, b->t->most }, known, cts, NULL, all);
    return close_step(b, &step, all);
}

bool transpose_scan(const Transpose *t, const Node *n, Ref ct)
{
    (void)ct;
    Back b = { .t = t, .n = n, .body = n->regions[0], .shape = scan_shape(n->attr) };
    find_linear(&b);
    find_flow(&b);
    uint32_t first = b.shape.n_invariant, at = 0;
    for (uint32_t i = 0; i < b.shape.n_carry; i++)
        if (b.linear[first + i] && !must_be_zero(t, n, first + i)) return false;
    if (!transpose_step(&b)) return false;
    b.step.shape = b.shape;
    b.step.shape.reverse = !b.shape.reverse;
    Ref *results = refs(&b, n->n_args);
    if (!loop_and_sum(t->dst, &b.step, results)) return false;
    for (uint32_t i = first; i < first_x(&b); i++)
        if (b.gives[i]) give_ct(t, n, i, results[at++]);
    for (uint32_t i = 0; i < n->n_args; i++)
        if (b.gives[i] && (i < first || i >= first_x(&b))) give_ct(t, n, i, results[at++]);
    return true;
}
