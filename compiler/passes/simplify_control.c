/* simplify_control.c: what becomes of a node with regions: fewer operands, results and steps, or no node at
 * all.
 *
 * Rules of loops stand in simplify_loop.c, simplify_narrow.c, simplify_hoist.c, raise_loop.c and
 * raise_lanes.c; here are CASE and MAP, and what makes a loop go away.
 */
#include "simplify.h"
#include "control_edit.h"

/* Each round of rules is linear; what one opens the next one finds. */
enum { LOOP_ROUNDS = 4 };

static const Graph **simple_regions(Graph *g, const Graph *const *regions, uint32_t n, bool deep)
{
    const Graph **simple = arena_alloc(g->arena, (n + 1) * sizeof *simple);
    for (uint32_t k = 0; k < n; k++) simple[k] = deep ? simplify(g->arena, regions[k]) : regions[k];
    return simple;
}

static Control control_open(Graph *g, const Node *n, const Ref *args, const bool *used)
{
    Arena *a = g->arena;
    uint32_t first = n->op == OP_CASE;
    Control c = { .g = g,
                  .op = (Op)n->op,
                  .s = control_shape(n),
                  .index = first ? args[0] : REF_NONE,
                  .shape = node_type(n),
                  .regions = simple_regions(g, n->regions, n->n_regions, false),
                  .n_regions = n->n_regions,
                  .args = arena_copy(a, args + first, (n->n_args - first) * sizeof *args),
                  .n_results = n->n_results,
                  .out = arena_alloc(a, n->n_results * sizeof(Ref)),
                  .at = arena_alloc(a, n->n_results * sizeof(uint32_t)) };
    for (uint32_t i = 0; i < n->n_results; i++) {
        c.out[i] = REF_NONE;
        c.at[i] = used[i] ? i : NOWHERE;
    }
    return c;
}

static bool is_wanted(const Control *c)
{
    for (uint32_t i = 0; i < c->n_results; i++)
        if (c->at[i] != NOWHERE) return true;
    return false;
}

/* Results that were not known, from those of the new node. */
static void control_close(const Control *c, const Ref *built)
{
    for (uint32_t i = 0; i < c->n_results; i++)
        if (c->at[i] != NOWHERE) c->out[i] = built[c->at[i]];
}

static Ref *room(const Control *c) { return graph_refs(c->g->arena, control_n_outputs(c)); }

/* ---- loops */

/* No steps: carries stay, and there is nothing to stack. */
static void no_steps(const Control *c)
{
    Ref *out = room(c);
    const Graph *body = control_body(c);
    for (uint32_t i = 0; i < control_n_outputs(c); i++)
        out[i] = i < c->s.n_carry
                     ? c->args[c->s.n_invariant + i]
                     : build_zeros(c->g, type_stacked(c->g->arena, graph_type(body, body->outputs[i]), 0));
    control_close(c, out);
}

/* One step: the body. */
static void one_step(const Control *c)
{
    Graph *g = c->g;
    Ref *out = room(c), *args = arena_copy(g->arena, c->args, control_n_args(c) * sizeof *args);
    for (uint32_t i = c->s.n_invariant + c->s.n_carry; i < control_n_args(c); i++) {
        Type t = graph_type(g, args[i]);
        args[i] = build_reshape(g, args[i], t.dim + 1, t.rank - 1);
    }
    graph_inline(g, control_body(c), args, out);
    for (uint32_t i = c->s.n_carry; i < control_n_outputs(c); i++) {
        Type t = type_stacked(g->arena, graph_type(g, out[i]), 1);
        out[i] = build_reshape(g, out[i], t.dim, t.rank);
    }
    control_close(c, out);
}

static bool never_starts(const Control *c)
{
    const Node *test = graph_node(c->regions[0], c->regions[0]->outputs[0]);
    return test->op == OP_CONSTANT && scalar_load(WEFT_BOOL, test->data) == 0;
}

static bool run_loop_rules(Control *c)
{
    bool found = control_drop_unneeded(c);
    found |= loop_fix_carries(c);
    found |= loop_settle_params(c);
    found |= loop_sink_broadcasts(c);
    if (c->op == OP_WHILE) found |= loop_count(c);
    if (c->op == OP_SCAN) found |= loop_settle_outputs(c);
    if (c->op == OP_SCAN) found |= loop_take_slices(c);
    if (c->op == OP_SCAN) found |= loop_number_steps(c);
    return found | loop_hoist(c);
}

static void simplify_map(Control *c, bool deep);
static void simplify_loop(Control *c, bool deep);

static bool run_narrow_loop(Control *c)
{
    Control small;
    const uint32_t *keep = loop_narrow(c, &small);
    if (!keep) return false;
    simplify_loop(&small, true);
    loop_widen(c, &small, keep);
    return true;
}

static void simplify_loop(Control *c, bool deep)
{
    control_drop_unneeded(c);
    loop_fix_carries(c);
    loop_settle_params(c);
    c->regions = simple_regions(c->g, c->regions, c->n_regions, deep);
    for (int round = 0; round < LOOP_ROUNDS && is_wanted(c) && run_loop_rules(c); round++) {}
    if (!is_wanted(c)) return;
    if (c->op == OP_WHILE && loop_run_in_lanes(c)) {
        simplify_map(c, true);
        return;
    }
    if (run_narrow_loop(c)) return;
    Ref *out = room(c);
    if (c->op == OP_WHILE ? never_starts(c) : c->s.length == 0) no_steps(c);
    else if (c->op == OP_SCAN && c->s.length == 1) one_step(c);
    else {
        if (c->op == OP_SCAN) build_scan(c->g, c->s, c->regions[0], c->args, out);
        else build_while(c->g, c->regions[0], c->regions[1], c->args, c->s.n_invariant, c->s.n_carry, out);
        control_close(c, out);
    }
}

/* ---- case and map */

/* What a region gives, as a value beside the node: an operand, a constant; else REF_NONE. */
static Ref given_by(const Control *c, uint32_t branch, uint32_t output)
{
    const Graph *region = c->regions[branch];
    const Node *n = graph_node(region, region->outputs[output]);
    Type t = node_type(n);
    if (n->op == OP_PARAMETER) return c->args[n->attr[0]];
    if (c->op == OP_MAP) t.rank = c->shape.rank, t.dim = c->shape.dim;
    return control_sinks(n) ? control_sink(c->g, n, t) : REF_NONE;
}

/* A result that all branches give alike, or that a MAP only hands on, needs no node. */
static void settle_results(Control *c)
{
    for (uint32_t i = 0; i < c->n_results; i++) {
        if (c->at[i] == NOWHERE) continue;
        Ref value = given_by(c, 0, c->at[i]);
        for (uint32_t k = 1; k < c->n_regions && value != REF_NONE; k++)
            if (given_by(c, k, c->at[i]) != value) value = REF_NONE;
        if (value != REF_NONE) c->out[i] = value, c->at[i] = NOWHERE;
    }
}

/* Of CASE and MAP: operands, regions, results. False: nobody wants a result. */
static bool simplify_parts(Control *c, bool deep)
{
    control_drop_unneeded(c);
    loop_settle_params(c);
    if (c->op == OP_CASE) loop_sink_broadcasts(c);
    c->regions = simple_regions(c->g, c->regions, c->n_regions, deep);
    settle_results(c);
    if (!is_wanted(c)) return false;
    control_drop_unneeded(c);
    return true;
}

/* The branch that is always taken; NOWHERE: that depends. */
static uint32_t only_branch(const Control *c)
{
    const Node *index = graph_node(c->g, c->index);
    uint32_t same = 1;
    if (index->op == OP_CONSTANT) {
        int64_t k = scalar_to_i64(WEFT_I32, scalar_load(WEFT_I32, index->data));
        return k < 0 || k >= c->n_regions ? c->n_regions - 1 : (uint32_t)k;
    }
    while (same < c->n_regions && graph_equal(c->regions[0], c->regions[same])) same++;
    return same == c->n_regions ? 0 : NOWHERE;
}

static void inline_branch(Control *c, uint32_t k, bool deep)
{
    Ref *out = room(c);
    graph_inline(c->g, *simple_regions(c->g, &c->regions[k], 1, deep), c->args, out);
    control_close(c, out);
}

static void simplify_case(Control *c, bool deep)
{
    uint32_t only = only_branch(c);
    if (only != NOWHERE) {
        inline_branch(c, only, deep);
        return;
    }
    if (!simplify_parts(c, deep)) return;
    if ((only = only_branch(c)) != NOWHERE) {
        inline_branch(c, only, false);
        return;
    }
    Ref *out = room(c);
    build_case(c->g, c->index, c->regions, c->n_regions, c->args, control_n_args(c), out);
    control_close(c, out);
}

static bool is_elementwise(const Graph *region)
{
    for (Ref r = 0; r < region->n_nodes; r++) {
        const Node *n = graph_node(region, r);
        if (n->rank || (!op_is_ew((Op)n->op) && n->op != OP_PARAMETER && n->op != OP_CONSTANT)) return false;
    }
    return true;
}

/* map of a region of elementwise ops ==> the same ops on the arrays */
static void inline_map(const Control *c)
{
    const Graph *region = c->regions[0];
    Ref *map = graph_refs(c->g->arena, region->n_nodes), *out = room(c), args[3];
    for (Ref r = 0; r < region->n_nodes; r++) {
        const Node *n = graph_node(region, r);
        NodeSpec spec = node_spec(n);
        Type t = { n->dtype, c->shape.rank, c->shape.dim };
        for (uint32_t i = 0; i < n->n_args; i++) args[i] = map[n->args[i]];
        spec.args = args;
        if (n->op == OP_PARAMETER) map[r] = c->args[n->attr[0]];
        else map[r] = n->op == OP_CONSTANT ? build_filled(c->g, t, n->data) : graph_add(c->g, &spec);
    }
    for (uint32_t i = 0; i < region->n_outputs; i++) out[i] = map[region->outputs[i]];
    control_close(c, out);
}

static void simplify_map(Control *c, bool deep)
{
    Ref *out = room(c);
    if (!simplify_parts(c, deep)) return;
    if (is_elementwise(c->regions[0])) {
        inline_map(c);
        return;
    }
    if (c->shape.rank == 0) graph_inline(c->g, c->regions[0], c->args, out);
    else build_map(c->g, c->args, control_n_args(c), c->shape, c->regions[0], out);
    control_close(c, out);
}

/* ---- others */

/* SORT of rows of one element, SCATTER of no updates ==> the operands */
static bool moves_nothing(const Graph *g, const Node *n, const Ref *args)
{
    if (n->op == OP_SORT) return n->dim[n->attr[0]] <= 1;
    return n->op == OP_SCATTER && type_count(graph_type(g, args[n->n_args - 1])) == 0;
}

/* Sorts an operand that is there twice once, which gives both results. False: none is. */
static bool sort_once(Graph *g, const Node *n, const Ref *args, const Graph *comparator, Ref *out)
{
    Graph *fewer = graph_new(g->arena, comparator->name);
    Ref *once = graph_refs(g->arena, n->n_args), *params = graph_refs(g->arena, comparator->n_params), before;
    uint32_t *at = arena_alloc(g->arena, n->n_args * sizeof *at), count = 0;
    for (uint32_t i = 0; i < n->n_args; i++) {
        for (at[i] = 0; at[i] < count && once[at[i]] != args[i];) at[i]++;
        if (at[i] == count) {
            once[count++] = args[i];
            for (int k = 0; k < 2; k++) build_param(fewer, type_scalar(graph_node(g, args[i])->dtype));
        }
        for (uint32_t k = 0; k < 2; k++) params[2 * i + k] = fewer->params[2 * at[i] + k];
    }
    if (count == n->n_args) return false;
    graph_inline(fewer, comparator, params, &before);
    graph_set_outputs(fewer, &before, 1);
    Ref *sorted = graph_refs(g->arena, count);
    build_sort(g, once, count, (int)n->attr[0], n->attr[1], fewer, sorted);
    for (uint32_t i = 0; i < n->n_args; i++) out[i] = sorted[at[i]];
    return true;
}

/* The same node over simpler regions. What has rules keeps all its results: its regions agree on them. */
static void simplify_other(Graph *g, const Node *n, const Ref *args, const bool *used, bool deep, Ref *out)
{
    NodeSpec spec = node_spec(n);
    if (moves_nothing(g, n, args)) {
        for (uint32_t i = 0; i < n->n_results; i++) out[i] = args[i];
        return;
    }
    spec.args = args;
    spec.regions = simple_regions(g, n->regions, n->n_regions, deep);
    if (n->op == OP_SORT && sort_once(g, n, args, spec.regions[0], out)) return;
    Ref r = graph_add(g, &spec);
    for (uint32_t i = 0; i < n->n_results; i++)
        out[i] = !used[i] || r == REF_NONE ? REF_NONE : build_result(g, r, (int)i);
}

void simplify_control(Graph *g, const Node *n, const Ref *args, const bool *used, bool deep, Ref *out)
{
    if (n->op != OP_SCAN && n->op != OP_WHILE && n->op != OP_CASE && n->op != OP_MAP) {
        simplify_other(g, n, args, used, deep, out);
        return;
    }
    Control c = control_open(g, n, args, used);
    if (c.op == OP_CASE) simplify_case(&c, deep);
    else if (c.op == OP_MAP) simplify_map(&c, deep);
    else simplify_loop(&c, deep);
    for (uint32_t i = 0; i < n->n_results; i++) out[i] = c.out[i];
}
