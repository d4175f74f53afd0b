/* inline_rules.c: see inline_rules.h. What has rules becomes its region 0, whose own rules are inlined first;
 * the other regions are gone with it. */
#include "inline_rules.h"
#include <string.h>
#include "rewrite.h"

/* An error. The backward rule of a hook says so in its name ("hook clip on x of loss"), which no C function
 * can have. */
static bool inline_backward(const Replacement *w, Graph *to, const Node *n, const Ref *args, Ref *out)
{
    (void)args, (void)out;
    const char *name = n->regions[0]->name, *at = to->loc ? to->locs[to->loc] : NULL;
    if (name && !strncmp(name, "hook ", 5))
        return fail(w->failure, WEFT_ARGUMENT,
                    "forward mode through the %s, which gradients go through only in reverse mode: take it "
                    "away (weft_hook_remove, or the call of weft_hook), or use "
                    "weft_jvp, which goes past hooks",
                    name);
    return fail(w->failure, WEFT_ARGUMENT,
                "forward mode of a function that has only a reverse rule (weft_custom_vjp%s%s): give it a "
                "weft_custom_jvp, or use reverse mode",
                at ? ", " : "", at ? at : "");
}

static bool inline_operand(const Replacement *w, Graph *to, const Node *n, const Ref *args, Ref *out)
{
    (void)w, (void)to, (void)n;
    out[0] = args[0];
    return true;
}

static bool inline_region(const Replacement *w, Graph *to, const Node *n, const Ref *args, Ref *out)
{
    const Graph *plain = rewrite(to->arena, n->regions[0], w);
    if (plain) graph_inline(to, plain, args, out);
    return plain != NULL;
}

#define inline_map         NULL
#define inline_while       NULL
#define inline_case        NULL
#define inline_scan        NULL
#define inline_custom_jvp  inline_region
#define inline_custom_vjp  inline_region
#define inline_custom_vmap inline_region
#define inline_checkpoint  inline_region

static ReplaceRule *const rules[OP_COUNT] = {
    [OP_STOP_GRADIENT] = inline_operand,
#define EW(NAME, ...)
#define OP(NAME, text, args, kind, rule, ...) IF_CONTROL(kind, [OP_##NAME] = inline_##rule, )
#include "compiler/graph/ops.def"
};

const Graph *inline_rules(Arena *a, const Graph *g, Failure *f)
{
    return rewrite(a, g, &(Replacement){ .rules = rules, .failure = f });
}
