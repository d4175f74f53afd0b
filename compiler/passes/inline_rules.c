/* inline_rules.c: see inline_rules.h. What has rules becomes its region 0, whose own rules are inlined first;
 * the other regions are gone with it. */
#include "inline_rules.h"
#include <string.h>
#include "rewrite.h"

static bool has_rules(Op op)
{
    return op == OP_STOP_GRADIENT || op == OP_CUSTOM_JVP || op == OP_CUSTOM_VJP || op == OP_CUSTOM_VMAP ||
           op == OP_CHECKPOINT || op == OP_BACKWARD;
}

/* The backward rule of a hook says so in its name ("hook clip on x of loss"), which no C function can
 * have. */
static bool fail_forward(const Node *n, const char *at, Failure *f)
{
    const char *name = n->regions[0]->name;
    if (name && !strncmp(name, "hook ", 5))
        return fail(f, WEFT_ARGUMENT,
                    "forward mode through the %s, which gradients go through only in reverse mode: take it "
                    "away (weft_hook_remove, or the call of weft_hook), or use "
                    "weft_jvp, which goes past hooks",
                    name);
    return fail(f, WEFT_ARGUMENT,
                "forward mode of a function that has only a reverse rule (weft_custom_vjp%s%s): give it a "
                "weft_custom_jvp, or use reverse mode",
                at ? ", " : "", at ? at : "");
}

static bool inline_one(const Replacement *w, Graph *to, const Node *n, const Ref *args, Ref *out)
{
    if (n->op == OP_STOP_GRADIENT) {
        out[0] = args[0];
        return true;
    }
    if (n->op == OP_BACKWARD) return fail_forward(n, to->loc ? to->locs[to->loc] : NULL, w->failure);
    const Graph *plain = rewrite(to->arena, n->regions[0], w);
    if (plain) graph_inline(to, plain, args, out);
    return plain != NULL;
}

const Graph *inline_rules(Arena *a, const Graph *g, Failure *f)
{
    return rewrite(a, g, &(Replacement){ has_rules, inline_one, f });
}
