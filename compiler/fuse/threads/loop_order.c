/* loop_order.c: see loop_order.h. So it is where the colours of an image become planes: a tile goes over all
 * colours at once, lanes along the pixels. */
#include "loop_order.h"

/* The outer loop; VAL_NONE: the kernel has another form. */
static Val find_pair(const Kernel *k)
{
    Val outer = VAL_NONE;
    for (Val v = 0; v < k->n_stmts && outer == VAL_NONE; v++) {
        if (k->stmts[v].kind == ST_LOOP) outer = v;
        else if (!stmt_may_repeat(&k->stmts[v])) return VAL_NONE;
    }
    if (outer == VAL_NONE || k->stmts[outer + 1].kind != ST_LOOP || !k->stmts[outer].parallel)
        return VAL_NONE;
    Val end = loop_end(k, outer);
    return end == k->n_stmts - 1 && loop_end(k, outer + 1) == end - 1 ? outer : VAL_NONE;
}

static bool is_one_step(const Stmt *l) { return l->extent > 0 && l->extent <= (int64_t)l->lanes * l->tile; }

/* Do the iterations of both loops have nothing to do with each other? */
static bool are_free(const uint32_t *memory, const Kernel *k, Val outer)
{
    for (Val v = outer + 2; v < k->n_stmts - 2; v++) {
        const Stmt *s = &k->stmts[v];
        if (!stmt_may_repeat(s) && s->kind != ST_STORE) return false;
        if (s->kind == ST_STORE &&
            (!address_coefficient(s->address, outer) || !address_coefficient(s->address, outer + 1)))
            return false;
        for (Val w = 0; s->kind == ST_STORE && w < k->n_stmts; w++)
            if (k->stmts[w].kind == ST_LOAD && memory[k->stmts[w].buffer] == memory[s->buffer]) return false;
    }
    return true;
}

void longer_loop_first(Arena *arena, const uint32_t *memory, Kernel *k)
{
    Val outer = find_pair(k), inner = outer + 1;
    if (k->rows || outer == VAL_NONE || !is_one_step(&k->stmts[outer]) || is_one_step(&k->stmts[inner]) ||
        k->stmts[inner].extent == EXTENT_WHILE || !are_free(memory, k, outer))
        return;
    Stmt *stmts = arena_copy(arena, k->stmts, k->n_stmts * sizeof *stmts), first = stmts[outer];
    stmts[outer] = stmts[inner];
    stmts[inner] = first;
    stmts[outer].parallel = true;
    stmts[inner].parallel = false;
    for (Val v = inner + 1; v < k->n_stmts - 2; v++) {
        Address *a = &stmts[v].address;
        Term *terms = arena_copy(arena, a->terms, a->n_terms * sizeof *terms);
        for (uint32_t t = 0; t < a->n_terms; t++)
            if (terms[t].of == outer || terms[t].of == inner) terms[t].of = outer + inner - terms[t].of;
        a->terms = terms;
    }
    k->stmts = stmts;
}
