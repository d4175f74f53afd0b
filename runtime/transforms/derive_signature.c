/* derive_signature.c: what a derivative takes and gives follows from what its function does: compared with
 * the signature that was given, and written out as the declaration that it must be. */
#include "derive.h"
#include <ctype.h>
#include <string.h>

void flows_add(Flows *s, Flow f)
{
    s->flow = arena_grow(s->arena, s->flow, s->n, &s->room, s->n + 1, sizeof *s->flow);
    s->flow[s->n++] = f;
}

/* A struct's description; NULL: an array. */
static const weft_tree *flow_tree(const Function *base, const Wrt *w, const Flow *f)
{
    switch (f->kind) {
    case FLOW_RESULT:
    case FLOW_OF_RESULT: return base->sig->out.field[f->index].tree;
    case FLOW_OF_PART:   return w->part[f->index].tree;
    case FLOW_STRUCT:    return f->tree;
    default:             return NULL;
    }
}

/* ---- comparing ---- */

static bool same_tree(const weft_tree *a, const weft_tree *b)
{
    return a == b || (a && b && tree_equal(a, b));
}

static bool is_inout(const Signature *s, size_t in)
{
    for (size_t o = 0; o < s->out.fields; o++)
        if (s->in_of_out[o] == (int)in) return true;
    return false;
}

static bool same_argument(const Signature *a, const Signature *b, size_t i)
{
    const weft_field *x = &a->in.field[i], *y = &b->in.field[i];
    return x->kind == y->kind && x->number == y->number && same_tree(x->tree, y->tree) &&
           is_inout(a, i) == is_inout(b, i);
}

static bool takes(const Function *f, const Wrt *w, size_t kept, const Flows *ins)
{
    const Signature *s = f->sig, *base = f->base->sig;
    if (s->in.fields != kept + ins->n) return false;
    for (size_t i = 0; i < kept; i++)
        if (!same_argument(s, base, i)) return false;
    for (size_t i = 0; i < ins->n; i++) {
        const weft_field *x = &s->in.field[kept + i];
        if (x->kind == WEFT_FIELD_STATIC || is_inout(s, kept + i) ||
            !same_tree(x->tree, flow_tree(f->base, w, &ins->flow[i])))
            return false;
    }
    return true;
}

/* out[o]: in-outs are the base's, the others outs in their order. */
static bool gives(const Function *f, const Wrt *w, const Flows *outs, Flow *out)
{
    const Signature *s = f->sig, *base = f->base->sig;
    size_t next = 0;
    for (size_t o = 0; o < s->out.fields; o++) {
        size_t k = 0;
        if (s->in_of_out[o] < 0) {
            if (next == outs->n || !same_tree(s->out.field[o].tree, flow_tree(f->base, w, &outs->flow[next])))
                return false;
            out[o] = outs->flow[next++];
            continue;
        }
        while (base->in_of_out[k] != s->in_of_out[o]) k++;
        out[o] = (Flow){ .kind = FLOW_RESULT, .index = (uint32_t)k };
    }
    return next == outs->n;
}

/* ---- the declaration ---- */

/* names: ",x,y,": those taken */
typedef struct Writer {
    Arena *arena;
    const char *text;
    const char *names;
} Writer;

/* A C name of its own: "dm.l[0].w" is dm_l_0_w. */
static const char *fresh_name(Writer *w, const char *like)
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

static void put(Writer *w, const char *before, const char *type, const char *stars, const char *name)
{
    w->text = arena_printf(w->arena, "%s%s%s%s %s%s", w->text, *w->text ? ", " : "", before, type, stars,
                           fresh_name(w, name));
}

static const char *number_type(int dtype)
{
    static const char *const name[WEFT_F64 + 1] = {
        [WEFT_BOOL] = "bool",    [WEFT_I8] = "int8_t",  [WEFT_I16] = "int16_t",  [WEFT_I32] = "int",
        [WEFT_I64] = "int64_t",  [WEFT_U8] = "uint8_t", [WEFT_U16] = "uint16_t", [WEFT_U32] = "unsigned",
        [WEFT_U64] = "uint64_t", [WEFT_F32] = "float",  [WEFT_F64] = "double",
    };
    return name[dtype];
}

static void put_kept(Writer *w, const Function *f, size_t kept)
{
    const Signature *s = f->base->sig;
    for (int i = 0; i < s->n_params; i++) {
        const Param *p = &s->params[i];
        if (p->in < 0 || (size_t)p->in >= kept) continue;
        if (p->kind == PARAM_NUMBER) put(w, "", number_type(p->number), "", p->name);
        else if (p->kind == PARAM_ARRAY) put(w, "", "weft_array", "*", p->name);
        else put(w, p->kind == PARAM_TREE ? "const " : "", p->tree->name, "*", p->name);
    }
}

/* "WEFT_SIGNATURE(grad_of_loss, void, (const net *m, weft_array *x, WEFT_OUT net *dm));" */
static const char *declaration(const Function *f, Arena *a, const Wrt *wrt, size_t kept, const Flows *ins,
                               const Flows *outs)
{
    Writer w = { a, "", "," };
    bool returns = outs->n && !flow_tree(f->base, wrt, &outs->flow[0]);
    put_kept(&w, f, kept);
    for (uint32_t i = 0; i < ins->n; i++) {
        const weft_tree *tree = flow_tree(f->base, wrt, &ins->flow[i]);
        put(&w, tree ? "const " : "", tree ? tree->name : "weft_array", "*", ins->flow[i].name);
    }
    for (uint32_t i = returns; i < outs->n; i++) {
        const weft_tree *tree = flow_tree(f->base, wrt, &outs->flow[i]);
        put(&w, "WEFT_OUT ", tree ? tree->name : "weft_array", tree ? "*" : "**", outs->flow[i].name);
    }
    return arena_printf(a, "WEFT_SIGNATURE(%s_of_%s, %s, (%s));", f->rule->name, f->base->name,
                        returns ? "weft_array *" : "void", *w.text ? w.text : "void");
}

bool derive_match(const Function *f, Arena *a, const Wrt *wrt, size_t kept, const Flows *ins,
                  const Flows *outs, Flow **out, Failure *failure)
{
    *out = arena_alloc(a, (f->sig->out.fields + 1) * sizeof **out);
    if (takes(f, wrt, kept, ins) && gives(f, wrt, outs, *out)) return true;
    return fail(failure, WEFT_ARGUMENT, "%s of %s must be of the type\n    %s\nbut the one given is %s",
                f->rule->name, f->base->label, declaration(f, a, wrt, kept, ins, outs), f->sig->text);
}
