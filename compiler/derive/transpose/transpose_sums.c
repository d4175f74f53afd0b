/* transpose_sums.c: what a loop's steps contribute to one value, added up without a carry of its size where
 * there is a way.
 *
 * The gradient of a matrix that every step multiplies by is a sum of products a_t b_t. Instead of adding a
 * matrix to a matrix in each step, the steps give their factors as outputs, and one contraction after the
 * loop, over the steps too, gives the sum. So contributions are taken apart:
 *
 *     x + y                           each apart
 *     f(x), f linear and the same     f of the sum of x, if x is no larger: a transpose, a broadcast,
 *       in each step                  a product with an invariant
 *     a contraction, or a product     of the stacked factors, over the steps too, if what must be stacked
 *       of two that were broadcast    for it is no larger than the product
 *     x, or a reduction of x          a reduction of the stacked x, if x is stacked anyway
 *     else                            a carry to which each step adds
 */
#include "transpose_rules.h"

enum { AXES = WEFT_MAX_RANK, MOST_TERMS = 16 };

/* Linear nodes between a term and the sum, the innermost first. */
typedef struct Outer {
    Ref node;
    uint32_t varying;
    const struct Outer *next;
} Outer;
typedef enum { TERM_CARRY, TERM_CONTRACT, TERM_OUTER, TERM_STACKED } TermKind;
typedef struct SumTerm {
    uint32_t sum;
    Ref node;
    const Outer *outer;
    TermKind kind;
    uint32_t carry;
} SumTerm;

typedef struct Sums {
    Graph *dst;
    const ScanStep *s;
    const Graph *g;     /* the step */
    const bool *steady; /* by its node: the same in each step */
    /* by its node: what it is for all steps, in dst; REF_NONE: not stacked. Before the loop is built: itself,
     * if it will be */
    Ref *stack;
    SumTerm *terms;
    uint32_t n_terms, cap_terms;
    Ref *hoisted; /* by node: steady ones in dst, as far as they are needed */
} Sums;

static Ref *refs(const Sums *s, size_t n) { return graph_refs(s->dst->arena, n); }
static const Node *node(const Sums *s, Ref r) { return &s->g->nodes[r]; }
static uint32_t first_x(const ScanStep *s) { return s->n_invariant + s->n_carry; }

static double bytes_of(const Sums *s, Ref r) { return node_bytes(s->g, r); }

/* ---- taking contributions apart */

/* Is the op linear in operand `varying`, if the other operands are the same in each step? */
typedef bool PullRule(const Sums *, const Node *, uint32_t varying);

static bool pull_any(const Sums *s, const Node *n, uint32_t varying)
{
    return (void)s, (void)n, (void)varying, true;
}

static bool pull_numerator(const Sums *s, const Node *n, uint32_t varying)
{
    return (void)s, (void)n, varying == 0;
}

static bool pull_padded(const Sums *s, const Node *n, uint32_t varying)
{
    return varying == 0 && is_zeros(node(s, n->args[1]));
}

static bool pull_chosen(const Sums *s, const Node *n, uint32_t varying)
{
    return varying != 0 && is_zeros(node(s, n->args[3 - varying]));
}

/* All others stay inside the sum. */
static PullRule *const pull_rules[OP_COUNT] = {
    [OP_NEG] = pull_any,     [OP_TRANSPOSE] = pull_any, [OP_RESHAPE] = pull_any, [OP_BROADCAST] = pull_any,
    [OP_REVERSE] = pull_any, [OP_MUL] = pull_any,       [OP_DOT] = pull_any,     [OP_DIV] = pull_numerator,
    [OP_PAD] = pull_padded,  [OP_SELECT] = pull_chosen,
};

/* A linear op of which one operand differs from step to step, and is no larger: which one. */
static bool can_pull_out(const Sums *s, const Node *n, uint32_t *varying)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < n->n_args; i++)
        if (!s->steady[n->args[i]]) *varying = i, count++;
    return pull_rules[n->op] && count == 1 && pull_rules[n->op](s, n, *varying) &&
           bytes_of(s, n->args[*varying]) <= bytes_of(s, (Ref)(n - s->g->nodes));
}

static void add_term(Sums *s, SumTerm t)
{
    s->terms =
        arena_grow(s->dst->arena, s->terms, s->n_terms, &s->cap_terms, s->n_terms + 1, sizeof *s->terms);
    s->terms[s->n_terms++] = t;
}

/* Terms that are sums or pulled out are replaced by what is inside, until none is. Many terms are one carry
 * rather than many. */
static void take_apart(Sums *s, uint32_t sum, Ref contribution)
{
    uint32_t first = s->n_terms;
    add_term(s, (SumTerm){ .sum = sum, .node = contribution });
    for (uint32_t i = first; i < s->n_terms;) {
        SumTerm t = s->terms[i];
        const Node *n = node(s, t.node);
        uint32_t varying = 0;
        if (n->op == OP_ADD && is_zeros(node(s, n->args[1]))) {
            s->terms[i].node = n->args[0];
        } else if (n->op == OP_ADD && s->n_terms - first < MOST_TERMS) {
            s->terms[i].node = n->args[0];
            t.node = n->args[1];
            add_term(s, t);
        } else if (can_pull_out(s, n, &varying)) {
            Outer *o = arena_alloc(s->dst->arena, sizeof *o);
            *o = (Outer){ t.node, varying, t.outer };
            s->terms[i].node = n->args[varying];
            s->terms[i].outer = o;
        } else i++;
    }
}

/* ---- which way */

static double bytes_to_stack(const Sums *s, Ref r)
{
    return s->stack[r] != REF_NONE || s->steady[r] ? 0 : bytes_of(s, r);
}

/* Two factors, each repeated along axes of the product: those before that. */
static bool outer_factors(const Sums *s, const Node *n, const Node *factor[2])
{
    if (n->op != OP_MUL) return false;
    for (int i = 0; i < 2; i++) {
        factor[i] = node(s, n->args[i]);
        if (factor[i]->op != OP_BROADCAST) return false;
        const Node *from = node(s, factor[i]->args[0]);
        for (int k = 0; k < from->rank; k++)
            if (from->dim[k] != n->dim[factor[i]->attr[k]] ||
                (k && factor[i]->attr[k - 1] >= factor[i]->attr[k]))
                return false;
    }
    uint32_t axes = 0;
    for (int i = 0; i < 2; i++)
        for (uint32_t k = 0; k < factor[i]->n_attr; k++) axes |= (uint32_t)1 << factor[i]->attr[k];
    return axes + 1 == (uint32_t)1 << n->rank;
}

static void stack_factors(Sums *s, SumTerm *t, TermKind kind, Ref a, Ref b)
{
    if (node(s, a)->rank == AXES || node(s, b)->rank == AXES) return; /* no room for the steps */
    if (s->steady[a] || s->steady[b] ||
        bytes_to_stack(s, a) + (a == b ? 0 : bytes_to_stack(s, b)) > bytes_of(s, t->node))
        return;
    t->kind = kind;
    if (s->stack[a] == REF_NONE) s->stack[a] = a;
    if (s->stack[b] == REF_NONE) s->stack[b] = b;
}

/* How many products each element of a step's DOT adds up. */
static int64_t depth_of(const Sums *s, const Node *n)
{
    const Node *a = node(s, n->args[0]);
    int64_t depth = 1;
    for (int64_t k = 0; k < n->attr[1]; k++) depth *= a->dim[n->attr[2 + 2 * n->attr[0] + k]];
    return depth;
}

/* A step that adds up many products by itself, into a carry that stays in the cache, waits for arithmetic,
 * not for memory; the factors of all steps do not fit. */
static bool is_best_carried(const Sums *s, const Node *n, Ref r)
{
    return depth_of(s, n) >= 8 && bytes_of(s, r) <= 1 << 20;
}

static void choose_products(Sums *s)
{
    for (uint32_t i = 0; i < s->n_terms; i++) {
        SumTerm *t = &s->terms[i];
        const Node *n = node(s, t->node), *factor[2];
        if (n->op == OP_DOT && is_best_carried(s, n, t->node)) continue;
        if (n->op == OP_DOT) stack_factors(s, t, TERM_CONTRACT, n->args[0], n->args[1]);
        else if (outer_factors(s, n, factor))
            stack_factors(s, t, TERM_OUTER, factor[0]->args[0], factor[1]->args[0]);
    }
}

static bool is_sum(const Node *n) { return n->op == OP_REDUCE && n->attr[0] == OP_ADD; }

static void choose_stacked(Sums *s)
{
    for (uint32_t i = 0; i < s->n_terms; i++) {
        SumTerm *t = &s->terms[i];
        const Node *n = node(s, t->node);
        if (t->kind == TERM_CARRY && s->stack[is_sum(n) ? n->args[0] : t->node] != REF_NONE)
            t->kind = TERM_STACKED;
    }
}

/* If nothing came of it, the contribution is one carry as it was. */
static void undo_if_in_vain(Sums *s, uint32_t first, uint32_t sum, Ref contribution)
{
    bool useful = false;
    for (uint32_t i = first; i < s->n_terms; i++)
        useful |= s->terms[i].kind != TERM_CARRY || bytes_of(s, s->terms[i].node) < bytes_of(s, contribution);
    if (useful) return;
    s->n_terms = first;
    add_term(s, (SumTerm){ .sum = sum, .node = contribution });
}

/* Stacked already: xs, and ys. */
static void find_stacked(Sums *s)
{
    const Graph *g = s->g;
    s->stack = refs(s, g->n_nodes);
    memset(s->stack, 0xff, g->n_nodes * sizeof *s->stack);
    for (uint32_t i = s->s->n_carry + s->s->n_sums; i < g->n_outputs; i++)
        if (!s->steady[g->outputs[i]]) s->stack[g->outputs[i]] = g->outputs[i];
    for (uint32_t i = first_x(s->s); i < g->n_params; i++) s->stack[g->params[i]] = s->s->arg[i];
}

static void plan(Sums *s)
{
    const Ref *contribution = s->g->outputs + s->s->n_carry;
    find_stacked(s);
    for (uint32_t i = 0; i < s->s->n_sums; i++) take_apart(s, i, contribution[i]);
    choose_products(s);
    choose_stacked(s);
    SumTerm *all = s->terms;
    uint32_t n = s->n_terms;
    s->terms = NULL;
    s->n_terms = s->cap_terms = 0;
    for (uint32_t i = 0; i < s->s->n_sums; i++) {
        uint32_t first = s->n_terms;
        for (uint32_t k = 0; k < n; k++)
            if (all[k].sum == i) add_term(s, all[k]);
        undo_if_in_vain(s, first, i, contribution[i]);
    }
}

/* ---- the loop */

/* Operands of the loop; the sums' carries stand behind the step's own. */
static void open_loop(Sums *s, RegionBuild *loop, ScanShape *shape, Ref *params, Ref *sum)
{
    const ScanStep *step = s->s;
    for (uint32_t i = 0; i < first_x(step); i++)
        params[i] = region_take(loop, graph_type(s->g, s->g->params[i]), step->arg[i]);
    for (uint32_t i = 0; i < s->n_terms; i++) {
        Type t = graph_type(s->g, s->terms[i].node);
        if (s->terms[i].kind != TERM_CARRY) continue;
        s->terms[i].carry = loop->g->n_params - step->n_invariant;
        sum[i] = region_take(loop, t, build_zeros(s->dst, t));
    }
    shape->n_invariant = step->n_invariant;
    shape->n_carry = region_count(loop) - step->n_invariant;
    for (uint32_t i = first_x(step); i < s->g->n_params; i++)
        params[i] = region_take(loop, graph_type(s->g, s->g->params[i]), step->arg[i]);
    shape->n_xs = region_count(loop);
}

/* What is stacked and is no x: outputs from `first` on, in the order of nodes. */
static uint32_t list_stacked(const Sums *s, Ref *list)
{
    uint32_t n = 0;
    for (Ref r = 0; r < s->g->n_nodes; r++)
        if (s->stack[r] == r && (node(s, r)->op != OP_PARAMETER || node(s, r)->attr[0] < first_x(s->s)))
            list[n++] = r;
    return n;
}

/* The step's outputs as the loop wants them: carries, terms that are carries, ys, what is stacked besides. */
static Graph *step_with(const Sums *s, const Ref *stacked, uint32_t n_stacked)
{
    const ScanStep *step = s->s;
    Graph *g = arena_copy(s->dst->arena, s->g, sizeof *g);
    uint32_t n_ys = g->n_outputs - step->n_carry - step->n_sums, n = step->n_carry;
    Ref *out = refs(s, (size_t)step->n_carry + s->n_terms + n_ys + n_stacked);
    memcpy(out, s->g->outputs, n * sizeof *out);
    for (uint32_t i = 0; i < s->n_terms; i++)
        if (s->terms[i].kind == TERM_CARRY) out[n++] = s->terms[i].node;
    if (n_ys) memcpy(out + n, s->g->outputs + step->n_carry + step->n_sums, n_ys * sizeof *out);
    memcpy(out + n + n_ys, stacked, n_stacked * sizeof *out);
    g->outputs = out;
    g->n_outputs = n + n_ys + n_stacked;
    return g;
}

static bool build_loop(Sums *s, Ref *results, uint32_t *n_carry)
{
    Ref *params = refs(s, s->g->n_params), *sum = refs(s, s->n_terms), *stacked = refs(s, s->g->n_nodes);
    uint32_t n_stacked = list_stacked(s, stacked);
    const Graph *whole = step_with(s, stacked, n_stacked);
    RegionBuild loop =
        region_begin(s->dst, s->g->name, (size_t)s->g->n_params + s->n_terms, whole->n_outputs);
    ScanShape shape = s->s->shape;
    open_loop(s, &loop, &shape, params, sum);
    graph_inline(loop.g, whole, params, loop.out);
    loop.n_out = whole->n_outputs;
    for (uint32_t i = 0; i < s->n_terms; i++)
        if (s->terms[i].kind == TERM_CARRY)
            loop.out[s->terms[i].carry] = add_cts(loop.g, sum[i], loop.out[s->terms[i].carry]);
    const Graph *region = region_end(&loop, s->dst);
    if (!region || !build_scan(s->dst, shape, region, loop.args, results)) return false;
    for (uint32_t i = 0; i < n_stacked; i++) s->stack[stacked[i]] = results[whole->n_outputs - n_stacked + i];
    *n_carry = shape.n_carry;
    return true;
}

/* ---- after the loop */

/* The DOT of one step with the steps as one more contracting axis of either factor. */
static Ref contract_steps(const Sums *s, const Node *n)
{
    int64_t attr[2 + 4 * (AXES + 1)], nb = n->attr[0], nc = n->attr[1], *to = attr + 2;
    const int64_t *from = n->attr + 2;
    attr[0] = nb;
    attr[1] = nc + 1;
    for (int64_t k = 0; k < 2 * nb; k++) *to++ = *from++ + 1;
    for (int side = 0; side < 2; side++) {
        *to++ = 0;
        for (int64_t k = 0; k < nc; k++) *to++ = *from++ + 1;
    }
    Ref args[] = { s->stack[n->args[0]], s->stack[n->args[1]] };
    return build_typed(s->dst, OP_DOT, args, 2, attr, (uint32_t)(to - attr), type_scalar(n->dtype));
}

/* a and b broadcast and multiplied: axes that both have are batch axes, the steps are contracted. */
static Ref contract_outer(const Sums *s, const Node *n)
{
    const Node *f[2];
    int64_t attr[2 + 4 * (AXES + 1)], list[2][AXES], perm[AXES];
    int nb = 0, at;
    outer_factors(s, n, f);
    for (uint32_t i = 0; i < f[0]->n_attr; i++)
        for (uint32_t k = 0; k < f[1]->n_attr; k++)
            if (f[0]->attr[i] == f[1]->attr[k])
                perm[f[0]->attr[i]] = nb, list[0][nb] = i + 1, list[1][nb++] = k + 1;
    at = nb;
    for (int side = 0; side < 2; side++)
        for (uint32_t i = 0; i < f[side]->n_attr; i++) {
            bool shared = false;
            for (int k = 0; k < nb; k++) shared |= list[side][k] == (int64_t)i + 1;
            if (!shared) perm[f[side]->attr[i]] = at++;
        }
    attr[0] = nb;
    attr[1] = 1;
    for (int k = 0; k < nb; k++) attr[2 + k] = list[0][k], attr[2 + nb + k] = list[1][k];
    attr[2 + 2 * nb] = attr[3 + 2 * nb] = 0;
    Ref args[] = { s->stack[f[0]->args[0]], s->stack[f[1]->args[0]] };
    Ref r = build_typed(s->dst, OP_DOT, args, 2, attr, 4 + 2 * (uint32_t)nb, type_scalar(n->dtype));
    return build_transpose(s->dst, r, perm);
}

static Ref reduce_steps(const Sums *s, const SumTerm *t)
{
    const Node *n = node(s, t->node);
    int64_t axes[AXES + 1] = { 0 };
    int count = 1;
    if (!is_sum(n)) return build_reduce(s->dst, OP_ADD, s->stack[t->node], axes, 1);
    for (uint32_t k = 1; k < n->n_attr; k++) axes[count++] = n->attr[k] + 1;
    return build_reduce(s->dst, OP_ADD, s->stack[n->args[0]], axes, count);
}

/* f of the sum, where the steps had the sum of f. */
static Ref pull_out(const Sums *s, const Outer *o, Ref value)
{
    const Node *n = node(s, o->node);
    Ref args[3];
    for (uint32_t i = 0; i < n->n_args; i++) {
        if (i != o->varying) copy_known(s->dst, s->g, s->hoisted, &n->args[i], 1);
        args[i] = i == o->varying ? value : s->hoisted[n->args[i]];
    }
    NodeSpec spec = node_spec(n);
    spec.args = args;
    return graph_add(s->dst, &spec);
}

static Ref sum_of_term(const Sums *s, const SumTerm *t, const Ref *results)
{
    const Node *n = node(s, t->node);
    Ref r = t->kind == TERM_CARRY      ? results[t->carry]
            : t->kind == TERM_CONTRACT ? contract_steps(s, n)
            : t->kind == TERM_OUTER    ? contract_outer(s, n)
                                       : reduce_steps(s, t);
    for (const Outer *o = t->outer; o; o = o->next) r = pull_out(s, o, r);
    return r;
}

bool loop_and_sum(Graph *dst, const ScanStep *step, Ref *out)
{
    Sums s = { .dst = dst,
               .s = step,
               .g = step->graph,
               .steady = steady_nodes(dst->arena, step->graph, step->n_invariant) };
    uint32_t n_ys = s.g->n_outputs - step->n_carry - step->n_sums, n_carry = 0;
    plan(&s);
    Ref *results = refs(&s, (size_t)step->n_carry + s.n_terms + n_ys + s.g->n_nodes);
    if (!build_loop(&s, results, &n_carry)) return false;
    s.hoisted = refs(&s, s.g->n_nodes);
    for (uint32_t i = 0; i < step->n_invariant; i++) s.hoisted[s.g->params[i]] = step->arg[i];
    memcpy(out, results, step->n_carry * sizeof *out);
    for (uint32_t i = 0; i < step->n_sums; i++) out[step->n_carry + i] = REF_NONE;
    for (uint32_t i = 0; i < s.n_terms; i++) {
        Ref *sum = &out[step->n_carry + s.terms[i].sum], term = sum_of_term(&s, &s.terms[i], results);
        *sum = *sum == REF_NONE ? term : build_binary(dst, OP_ADD, *sum, term);
    }
    memcpy(out + step->n_carry + step->n_sums, results + n_carry, n_ys * sizeof *out);
    return dst->failure.code == WEFT_OK;
}
