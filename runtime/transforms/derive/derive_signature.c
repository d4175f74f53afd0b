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

static bool takes(const Function *f, const Wrt *w, size_t kept, const Quantities *ins)
{
    const Signature *s = f->sig, *base = f->base->sig;
    if (s->in.fields != kept + ins->n) return false;
    for (size_t i = 0; i < s->in.fields; i++) {
        const Param *p = signature_argument(s, i);
        const weft_tree *tree = i < kept ? NULL : quantity_tree(f->base, w, &ins->item[i - kept]);
        const Param extra = { .kind = tree ? PARAM_TREE : PARAM_ARRAY, .tree = tree };
        if (!param_equal(p, i < kept ? signature_argument(base, i) : &extra)) return false;
    }
    return true;
}

/* out[o]: in-outs are the base's, the others outs in their order. */
static bool gives(const Function *f, const Wrt *w, const Quantities *outs, Quantity *out)
{
    const Signature *s = f->sig, *base = f->base->sig;
    size_t next = 0;
    for (size_t o = 0; o < s->out.fields; o++) {
        if (s->in_of_out[o] < 0) {
            if (next == outs->n ||
                !tree_equal(s->out.field[o].tree, quantity_tree(f->base, w, &outs->item[next])))
                return false;
            out[o] = outs->item[next++];
            continue;
        }
        size_t k = signature_inout_result(base, (size_t)s->in_of_out[o]);
        out[o] = (Quantity){ .kind = QUANTITY_RESULT, .index = (uint32_t)k };
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

static void put(DeclarationWriter *w, const char *before, const char *type, const char *stars,
                const char *name)
{
    w->text = arena_printf(w->arena, "%s%s%s%s %s%s", w->text, *w->text ? ", " : "", before, type, stars,
                           fresh_name(w, name));
}

static void put_kept(DeclarationWriter *w, const Function *f, size_t kept)
{
    const Signature *s = f->base->sig;
    for (int i = 0; i < s->n_params; i++) {
        const Param *p = &s->params[i];
        if (p->in < 0 || (size_t)p->in >= kept) continue;
        if (p->kind == PARAM_NUMBER) put(w, "", number_spelling((DType)p->number), "", p->name);
        else if (p->kind == PARAM_ARRAY) put(w, "", "weft_array", "*", p->name);
        else put(w, p->kind == PARAM_TREE ? "const " : "", p->tree->name, "*", p->name);
    }
}

/* "WEFT_SIGNATURE(grad_of_loss, void, (const net *m, weft_array *x, WEFT_OUT net *dm));" */
static const char *declaration(const Function *f, Arena *a, const Wrt *wrt, size_t kept,
                               const Quantities *ins, const Quantities *outs)
{
    DeclarationWriter w = { a, "", "," };
    bool returns = outs->n && !quantity_tree(f->base, wrt, &outs->item[0]);
    put_kept(&w, f, kept);
    for (uint32_t i = 0; i < ins->n; i++) {
        const weft_tree *tree = quantity_tree(f->base, wrt, &ins->item[i]);
        put(&w, tree ? "const " : "", tree ? tree->name : "weft_array", "*", ins->item[i].name);
    }
    for (uint32_t i = returns; i < outs->n; i++) {
        const weft_tree *tree = quantity_tree(f->base, wrt, &outs->item[i]);
        put(&w, "WEFT_OUT ", tree ? tree->name : "weft_array", tree ? "*" : "**", outs->item[i].name);
    }
    return arena_printf(a, "WEFT_SIGNATURE(%s_of_%s, %s, (%s));", f->rule->name, f->base->name,
                        returns ? "weft_array *" : "void", *w.text ? w.text : "void");
}

bool derive_match(const Function *f, Arena *a, const Wrt *wrt, size_t kept, const Quantities *ins,
                  const Quantities *outs, Quantity **out, Failure *failure)
{
    *out = arena_alloc(a, (f->sig->out.fields + 1) * sizeof **out);
    if (takes(f, wrt, kept, ins) && gives(f, wrt, outs, *out)) return true;
    return fail(failure, WEFT_ARGUMENT, "%s of %s must be of the type\n    %s\nbut the one given is %s",
                f->rule->name, f->base->label, declaration(f, a, wrt, kept, ins, outs), f->sig->text);
}
