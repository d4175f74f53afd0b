/* sorted.c: sort_with as a transform: elements, structs of them too, in the order that a user's function
 * says.
 *
 * The function is traced once on two elements and is the comparator of one SORT over the leaves whose
 * elements are numbers. Numbers from outside that it met are operands of the sort as well, the same for each
 * element. Leaves whose elements are arrays are gathered afterwards, by the positions that the elements came
 * from.
 */
#include "compiler/graph/attributes.h"
#include "options.h"
#include "pairs.h"

static bool is_number(const Staging *s, uint32_t leaf) { return s->type[leaf].rank == 0; }

/* The function must give one bool and look at numbers only: at no element, and at no value from outside, that
 * is an array. */
static bool check_before(const Staging *s)
{
    const Graph *g = callee_graph(&s->callee);
    const bool *reached = graph_reached(g->arena, g);
    Type t = graph_type(g, g->outputs[0]);
    uint32_t n = s->in->n_leaves;
    if (g->n_outputs != 1 || t.rank || t.dtype != WEFT_BOOL)
        return stage_error(s->f, s->l, t.rank ? WEFT_SHAPE : WEFT_DTYPE, "%s must give one bool, not %s",
                           s->f->base->label, STAGE_TYPE(t));
    for (uint32_t i = 0; i < 2 * n; i++)
        if (reached[g->params[i]] && !is_number(s, i % n))
            return stage_error(s->f, s->l, WEFT_SHAPE,
                               "%s looks at %s, whose elements are %s: it may look at numbers only",
                               s->f->base->label, STAGE_IN(s->f, s->in, i % n), STAGE_TYPE(s->type[i % n]));
    for (uint32_t i = 2 * n; i < g->n_params; i++)
        if (graph_type(g, g->params[i]).rank)
            return stage_error(s->f, s->l, WEFT_SHAPE,
                               "%s looks at %s from outside: it may look at numbers only", s->f->base->label,
                               STAGE_TYPE(graph_type(g, g->params[i])));
    return true;
}

/* The comparator takes two values of each operand of the sort. It does not look at those of the last one, the
 * positions. */
static const Graph *make_comparator(const Staging *s, Arena *arena)
{
    const Graph *before = callee_graph(&s->callee);
    uint32_t n = s->in->n_leaves;
    Graph *g = graph_new(arena, before->name);
    Ref *args = arena_alloc(arena, before->n_params * sizeof *args), r;
    for (uint32_t i = 0; i < n; i++) {
        Type t = s->type[i];
        args[i] = t.rank ? build_zeros(g, t) : build_param(g, t);
        args[n + i] = t.rank ? args[i] : build_param(g, t);
    }
    for (uint32_t i = 2 * n; i < before->n_params; i++) {
        args[i] = build_param(g, graph_type(before, before->params[i]));
        build_param(g, graph_type(before, before->params[i]));
    }
    for (int i = 0; i < 2; i++) build_param(g, (Type){ WEFT_I64, 0, NULL });
    if (!graph_inline(g, before, args, &r)) return NULL;
    r = stage_to_bool(g, r);
    graph_set_outputs(g, &r, 1);
    return g;
}

static bool build(void *call, Ref *out)
{
    const Staging *s = call;
    Graph *g = s->l->trace->graph;
    uint32_t n = s->in->n_leaves, n_hidden = s->callee.trace.n_hidden, n_args = 0;
    Ref *args = stage_refs(g->arena, n + n_hidden), *sorted = stage_refs(g->arena, n + n_hidden);
    Type positions = { WEFT_I64, 1, &s->length };
    for (uint32_t i = 0; i < n; i++)
        if (is_number(s, i)) args[n_args++] = stage_leaf(s->l, s->in, i);
    for (uint32_t i = 0; i < n_hidden; i++)
        args[n_args++] =
            build_broadcast(g, trace_ref(s->l->trace, s->callee.trace.hidden[i]), &s->length, 1, NULL);
    args[n_args++] = build_iota(g, positions, 0);
    const Graph *comparator = make_comparator(s, g->arena);
    if (!comparator || !build_sort(g, args, n_args, 0, true, comparator, sorted)) return false;
    for (uint32_t i = 0, k = 0; i < n; i++) {
        out[i] = is_number(s, i)
                     ? sorted[k++]
                     : build_take(g, stage_leaf(s->l, s->in, i), (int)s->axis[i], sorted[n_args - 1]);
        if (out[i] == REF_NONE) return false;
    }
    return true;
}

static bool stage_sort(const Function *f, Local *l, const Flat *in, Flat *out)
{
    return pairs_stage(f, l, in, out, check_before, build);
}

/* before: (x, x) -> bool; the new function: xs -> xs. */
static bool prepare_sort(Function *f, Arena *a, Failure *failure)
{
    (void)a;
    return pairs_prepare(f, "one bool", failure);
}

static const FnRule sort_rule = { "sort_with", prepare_sort, stage_sort };

weft_fn weft_sort_with_(weft_context *ctx, weft_fn f, const char *text, weft_control o, const char *at)
{
    Derivation d = { .rule = &sort_rule, .bases = &f, .n_bases = 1, .signature = text, .at = at };
    return control_derive(ctx, &d, o, 1 << OPTION_axis);
}
