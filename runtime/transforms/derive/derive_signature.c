/* derive_signature.c: what a derivative takes and gives follows from what its function does: compared with
 * the signature that was given, and written out as the declaration that it must be. */
#include "derive.h"
#include <ctype.h>
#include <string.h>

void quantities_add(Quantities *s, Quantity f)
{
    s->item = arena_grow(s->arena, s->item, s->n, &s->room, s->n + 1, sizeof *s->item);
    s->item[s->n++] = f;
}

/* A struct's description; NULL: an array. */
static const weft_tree *quantity_tree(const Function *base, const Wrt *w, const Quantity *f)
{
    switch (f->kind) {
    case QUANTITY_RESULT:
    case QUANTITY_OF_RESULT: return base->sig->out.field[f->index].tree;
    case QUANTITY_OF_PART:   return w->part[f->index].tree;
    case QUANTITY_STRUCT:    return f->tree;
    default:                 return NULL;
    }
}

/* ---- comparing ---- */

/* The parameter that takes or gives it. */
static Param quantity_param(const Function *f, const Derive *d, const Quantity *q, bool gives)
{
    const weft_tree *tree = quantity_tree(f->base, &d->wrt, q);
    return (Param){ .kind = gives  ? (tree ? PARAM_OUT_TREE : PARAM_OUT)
                            : tree ? PARAM_TREE
                                   : PARAM_ARRAY,
                    .tree = tree,
                    .name = q->name };
}

static bool takes(const Function *f, const Derive *d)
{
    if (f->sig->in.fields != d->kept + d->ins.n) return false;
    for (size_t i = 0; i < f->sig->in.fields; i++) {
        const Param wanted = i < d->kept ? *signature_argument(f->base->sig, i)
                                         : quantity_param(f, d, &d->ins.item[i - d->kept], false);
        if (!param_equal(signature_argument(f->sig, i), &wanted)) return false;
    }
    return true;
}

/* In-outs are the base's, the other results are outs in their order. */
static bool gives(const Function *f, Derive *d, const Quantities *outs)
{
    const Signature *s = f->sig, *base = f->base->sig;
    size_t next = 0;
    for (size_t o = 0; o < s->out.fields; o++) {
        if (s->in_of_out[o] >= 0) {
            size_t k = signature_inout_result(base, (size_t)s->in_of_out[o]);
            d->out[o] = (Quantity){ .kind = QUANTITY_RESULT, .index = (uint32_t)k };
            continue;
        }
        if (next == outs->n ||
            !tree_equal(s->out.field[o].tree, quantity_tree(f->base, &d->wrt, &outs->item[next])))
            return false;
        d->out[o] = outs->item[next++];
    }
    return next == outs->n;
}

/* ---- the declaration ---- */

/* names: ",x,y,": those taken */
typedef struct DeclarationWriter {
    Arena *arena;
    const char *text;
    const char *names;
} DeclarationWriter;

/* A C name of its own: "dm.l[0].w" is dm_l_0_w. */
static const char *fresh_name(DeclarationWriter *w, const char *like)
{
    size_t n = 0;
    char *name = arena_alloc(w->arena, strlen(like) + 2);
    for (const char *c = like; *c; c++) {
        bool good = isalnum((unsigned char)*c) || *c == '_';
        if (good || (n && name[n - 1] != '_')) name[n++] = good ? *c : '_';
    }
    while (n && name[n - 1] == '_') name[--n] = '\0';
    const char *own = name;
    while (strstr(w->names, arena_printf(w->arena, ",%s,", own))) own = arena_printf(w->arena, "%s_", own);
    w->names = arena_printf(w->arena, "%s%s,", w->names, own);
    return own;
}

static void put(DeclarationWriter *w, Param p)
{
    char text[1024];
    w->text = arena_printf(w->arena, "%s%s%s", w->text, *w->text ? ", " : "",
                           param_text(text, sizeof text, &p, fresh_name(w, p.name)));
}

/* "WEFT_SIGNATURE(grad_of_loss, void, (const net *m, weft_array *x, WEFT_OUT net *dm));" */
static const char *declaration(const Function *f, Arena *a, const Derive *d, const Quantities *outs)
{
    const Signature *base = f->base->sig;
    DeclarationWriter w = { a, "", "," };
    bool returns = outs->n && !quantity_tree(f->base, &d->wrt, &outs->item[0]);
    for (size_t i = 0; i < d->kept; i++) put(&w, *signature_argument(base, i));
    for (uint32_t i = 0; i < d->ins.n; i++) put(&w, quantity_param(f, d, &d->ins.item[i], false));
    for (uint32_t i = returns; i < outs->n; i++) put(&w, quantity_param(f, d, &outs->item[i], true));
    return arena_printf(a, "WEFT_SIGNATURE(%s_of_%s, %s, (%s));", f->rule->name, f->base->name,
                        returns ? "weft_array *" : "void", *w.text ? w.text : "void");
}

bool derive_match(const Function *f, Arena *a, Derive *d, const Quantities *outs, Failure *failure)
{
    d->out = arena_alloc(a, (f->sig->out.fields + 1) * sizeof *d->out);
    return (takes(f, d) && gives(f, d, outs)) ||
           fail(failure, WEFT_ARGUMENT, "%s of %s must be of the type\n    %s\nbut the one given is %s",
                f->rule->name, f->base->label, declaration(f, a, d, outs), f->sig->text);
}
