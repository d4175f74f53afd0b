/* derive_point.c: where a function was linearized.
 *
 * A weft_linear is residuals, and the address of an interned Point: which function by what, and the types and
 * structure of its arguments. So it is plain data, and what is applied is found by tracing and linearizing
 * the function once more, when the application is traced: not when it runs.
 */
#include "derive.h"
#include <stdio.h>

/* rest: each leaf's element type, rank and sizes; the words; the text of wrt, padded */
typedef struct Point {
    uint64_t base, n_leaves, n_words, n_wrt;
    uint64_t rest[];
} Point;

static const Function *unjitted(const Function *f)
{
    while (f->kind == FN_JIT) f = f->base;
    return f;
}

static size_t wrt_text(const Wrt *w, char *to, size_t size)
{
    size_t used = 0;
    for (uint32_t i = 0; i < w->n; i++)
        used += (size_t)snprintf(to ? to + used : NULL, to ? size - used : 0, "%s%s", i ? ", " : "",
                                 w->part[i].path);
    return used;
}

/* c->point, of the arguments of this call. */
bool derive_make_point(DeriveCall *c)
{
    size_t n_wrt = wrt_text(&c->d->wrt, NULL, 0) + 1, n = c->base.n_words + (n_wrt + 7) / 8;
    for (uint32_t i = 0; i < c->base.n_leaves; i++) n += 2 + c->type[i].rank;
    size_t bytes = sizeof(Point) + n * sizeof(uint64_t);
    Point *p = stage_room(c->f, c->l, bytes, 1);
    if (!p) return false;
    *p = (Point){ .base = unjitted(c->f->base)->serial,
                  .n_leaves = c->base.n_leaves,
                  .n_words = c->base.n_words,
                  .n_wrt = n_wrt };
    uint64_t *at = p->rest;
    for (uint32_t i = 0; i < c->base.n_leaves; i++) {
        Type t = c->type[i];
        *at++ = t.dtype;
        *at++ = t.rank;
        for (int d = 0; d < t.rank; d++) *at++ = (uint64_t)t.dim[d];
    }
    for (uint32_t i = 0; i < c->base.n_words; i++) *at++ = c->base.word[i];
    wrt_text(&c->d->wrt, (char *)at, n_wrt);
    c->point = fn_intern(c->l->ctx, p, bytes);
    return c->point || stage_memory(c->f, c->l);
}

/* Was the weft_linear in front made from this function, by the same parts of its arguments? */
static bool same_point(const DeriveCall *c, const Point *p, const char *wrt)
{
    const char *name = c->f->sig->in.field[0].name;
    size_t n = wrt_text(&c->d->wrt, NULL, 0) + 1;
    char *own = stage_room(c->f, c->l, n, 1);
    if (!own) return false;
    wrt_text(&c->d->wrt, own, n);
    if (p->base != unjitted(c->f->base)->serial)
        return stage_error(c->f, c->l, WEFT_ARGUMENT, "argument %s is of another function than %s", name,
                           c->f->base->label);
    return !strcmp(own, wrt) ||
           stage_error(c->f, c->l, WEFT_ARGUMENT, "argument %s was linearized by \"%s\", not by \"%s\"", name,
                       wrt, own);
}

/* The arguments that the weft_linear in front was made with. */
bool derive_read_point(DeriveCall *c)
{
    const Point *p = (const Point *)(uintptr_t)c->in->word[c->from[0].word + 1];
    if (!fn_interned(c->l->ctx, p))
        return stage_error(c->f, c->l, WEFT_ARGUMENT,
                           "argument %s was not made by weft_linearize in this context",
                           c->f->sig->in.field[0].name);
    const uint64_t *at = p->rest;
    if (!(c->type = stage_room(c->f, c->l, p->n_leaves, sizeof *c->type))) return false;
    for (uint32_t i = 0; i < p->n_leaves; i++, at += 2 + at[1])
        c->type[i] = (Type){ (uint8_t)at[0], (uint8_t)at[1], (const int64_t *)at + 2 };
    c->base = (Flat){ .n_leaves = (uint32_t)p->n_leaves,
                      .word = (uint64_t *)(uintptr_t)at,
                      .n_words = (uint32_t)p->n_words,
                      .memory = &c->l->ctx->memory };
    return same_point(c, p, (const char *)(at + p->n_words));
}
