/* contract.c: see contract.h. */
#include "contract.h"
#include "rewrite.h"

static bool is_product(const Node *n) { return n->op == OP_MUL || n->op == OP_SQUARE; }

/* Is it certain that x is not computed from the product? What comes before the product is not. */
static bool is_free_of(const Graph *g, Ref x, Ref product)
{
    enum { MOST = 64 };
    Ref seen[MOST];
    int n = 0;
    if (x > product) seen[n++] = x;
    for (int i = 0; i < n; i++) {
        const Node *node = graph_node(g, seen[i]);
        for (uint32_t k = 0; k < node->n_args; k++) {
            Ref arg = node->args[k];
            int at = 0;
            while (at < n && seen[at] != arg) at++;
            if (arg < product || at < n) continue;
            if (arg == product || n == MOST) return false;
            seen[n++] = arg;
        }
    }
    return x != product;
}

/* Operand i, marked, if it is a product and what it is summed with is free of it; else as it is. */
static Ref marked(const Replacement *w, Graph *to, const Node *sum, int i, const Ref *args)
{
    Ref product = sum->args[i];
    const Node *n = graph_node(to, args[i]);
    bool alone = w->uses[product] == 1 || sum->op == OP_REDUCE;
    if (!is_product(graph_node(w->from, product)) || !is_product(n)) return args[i];
    if (!alone && !is_free_of(w->from, sum->args[1 - i], product)) return args[i];
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
