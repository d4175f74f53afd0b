/* contract.c: see contract.h. */
#include "contract.h"
#include "rewrite.h"

static bool is_product(const Node *n) { return n->op == OP_MUL || n->op == OP_SQUARE; }

/* The factors of operand i of a sum or difference, if it is a product that nothing else takes. */
static bool product(const Replacement *w, const Graph *to, const Node *sum, int i, const Ref *args,
                    Ref factor[2])
{
    bool only = is_product(graph_node(w->from, sum->args[i])) && w->uses[sum->args[i]] == 1;
    const Node *n = graph_node(to, args[i]);
    if (!only || !is_product(n)) return false;
    factor[0] = n->args[0];
    factor[1] = n->args[n->n_args - 1];
    return true;
}

static bool rounds_once(const Node *n) { return n->dtype == WEFT_F32 || n->dtype == WEFT_F64; }

static bool replace(const Replacement *w, Graph *to, const Node *n, const Ref *args, Ref *out)
{
    Ref x[2];
    int i = 0;
    while (i < 2 && rounds_once(n) && !product(w, to, n, i, args, x)) i++;
    if (i == 2 || !rounds_once(n)) return rewrite_keep(w, to, n, args, out);
    Ref other = args[1 - i];
    if (n->op == OP_SUB && i == 0) other = build_unary(to, OP_NEG, other);
    if (n->op == OP_SUB && i == 1) x[0] = build_unary(to, OP_NEG, x[0]);
    out[0] = build_typed(to, OP_FMA, (Ref[]){ x[0], x[1], other }, 3, NULL, 0, node_type(n));
    return out[0] != REF_NONE;
}

static bool replace_fold(const Replacement *w, Graph *to, const Node *n, const Ref *args, Ref *out)
{
    Ref x[2];
    if (n->attr[0] != OP_ADD || !rounds_once(n) || !product(w, to, n, 0, args, x))
        return rewrite_keep(w, to, n, args, out);
    Ref once = build_typed(to, OP_MUL, x, 2, (int64_t[]){ 1 }, 1, graph_type(to, args[0]));
    return rewrite_keep(w, to, n, &once, out);
}

const Graph *contract(Arena *a, const Graph *g)
{
    ReplaceRule *const rules[OP_COUNT] = {
        [OP_ADD] = replace, [OP_SUB] = replace, [OP_REDUCE] = replace_fold
    };
    return rewrite(a, g, &(Replacement){ .rules = rules, .counts_uses = true });
}
