/* contract.c: see contract.h. */
#include "contract.h"
#include "rewrite.h"

static bool is_product(const Node *n) { return n->op == OP_MUL || n->op == OP_SQUARE; }

/* Operand i, marked, if it is a product that nothing else takes; else as it is. */
static Ref marked(const Replacement *w, Graph *to, const Node *sum, int i, const Ref *args)
{
    bool only = is_product(graph_node(w->from, sum->args[i])) && w->uses[sum->args[i]] == 1;
    const Node *n = graph_node(to, args[i]);
    if (!only || !is_product(n)) return args[i];
    Ref factor[2] = { n->args[0], n->args[n->n_args - 1] };
    return build_typed(to, OP_MUL, factor, 2, (int64_t[]){ 1 }, 1, graph_type(to, args[i]));
}

static bool replace(const Replacement *w, Graph *to, const Node *n, const Ref *args, Ref *out)
{
    Ref all[2];
    bool sums = n->op != OP_REDUCE || n->attr[0] == OP_ADD, done = false;
    for (uint32_t i = 0; i < n->n_args; i++) {
        all[i] = args[i];
        if (!sums || done || (n->dtype != WEFT_F32 && n->dtype != WEFT_F64)) continue;
        all[i] = marked(w, to, n, (int)i, args);
        done = all[i] != args[i];
    }
    return rewrite_keep(w, to, n, all, out);
}

const Graph *contract(Arena *a, const Graph *g)
{
    ReplaceRule *const rules[OP_COUNT] = { [OP_ADD] = replace, [OP_SUB] = replace, [OP_REDUCE] = replace };
    return rewrite(a, g, &(Replacement){ .rules = rules, .counts_uses = true });
}
