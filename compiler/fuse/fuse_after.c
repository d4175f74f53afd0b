/* fuse_after.c: which kernels run behind others, known as they are made.
 *
 * Two indices are kept: of each node, the kernels that load it, and of each kernel, those that run behind it:
 * they load what it stores, read its packed copy, or are the next of a node with kernels of its own. A kernel
 * is made before what it loads has one, most often, so an edge may be drawn when the kernel that loads is
 * made or when the one that stores is. Between the two, the node waits: its kernel will run behind those that
 * store what it is made of, and so will all that load it.
 */
#include "fuse_state.h"

static void add_link(GraphFusion *f, const KernelList **list, uint32_t kernel)
{
    KernelList l = { kernel, *list };
    if (!*list || (*list)->kernel != kernel) *list = arena_copy(f->arena, &l, sizeof l);
}

void fuse_runs_behind(GraphFusion *f, uint32_t before, uint32_t behind)
{
    Made *m = &f->round.made[behind - 1];
    if (m->linked == before) return;
    m->linked = before;
    add_link(f, &f->round.made[before - 1].behind, behind);
}

/* Will a kernel store it, or steps, that are not made yet? */
static bool is_unmade(const GraphFusion *f, Ref r)
{
    return !f->plan[r].round.kernel &&
           (f->plan[r].materialized || fuse_is_whole(f, r) || fuse_is_whole_result(f, r));
}

enum { WORD = 32 };

static void note_load(GraphFusion *f, Ref r, uint32_t kernel)
{
    Round *x = &f->round;
    if (!x->loaders[r] && is_unmade(f, r)) {
        x->waiting[r / WORD] |= (uint32_t)1 << r % WORD;
        if (r / WORD >= x->n_waiting) x->n_waiting = r / WORD + 1;
    }
    add_link(f, &f->round.loaders[r], kernel);
}

void fuse_note_stored(GraphFusion *f, Ref r)
{
    Made *m = &f->round.made[f->round.n_made - 1];
    if (r < m->first_stored) m->first_stored = r;
    for (const KernelList *l = f->round.loaders[r]; l; l = l->next)
        fuse_runs_behind(f, f->round.n_made, l->kernel);
}

void fuse_note_loads(GraphFusion *f)
{
    const Made *m = &f->round.made[f->round.n_made - 1];
    for (uint32_t i = 0; i < m->n_loads; i++) {
        Ref r = m->loads[i];
        const Node *n = &f->g->nodes[r];
        note_load(f, r, f->round.n_made);
        if (n->op == OP_RESULT) note_load(f, n->args[0], f->round.n_made);
        if (f->plan[r].round.kernel) fuse_runs_behind(f, f->plan[r].round.kernel, f->round.n_made);
    }
}

/* ---- what runs after some nodes ---- */

static void mark(GraphFusion *f, const KernelList *l)
{
    for (; l; l = l->next) {
        if (f->after.has[l->kernel]) continue;
        f->after.has[l->kernel] = true;
        f->after.kernels[f->after.n++] = l->kernel;
    }
}

static void unmark(GraphFusion *f)
{
    AfterSet *x = &f->after;
    while (x->n) x->has[x->kernels[--x->n]] = false;
    if (x->capacity >= f->round.n_made + 2) return;
    x->capacity = 2 * (f->round.n_made + 2);
    x->has = arena_alloc(f->arena, x->capacity * sizeof *x->has);
    x->kernels = arena_alloc(f->arena, x->capacity * sizeof *x->kernels);
}

/* Is `from` made of one of the roots, or of what kernels behind the roots' store? */
static bool leads_back(GraphFusion *f, Ref from, const Ref *roots, uint32_t n)
{
    fuse_start_search(f);
    for (fuse_visit(f, from); f->top;) {
        Ref r = f->stack[--f->top];
        for (uint32_t i = 0; i < n; i++)
            if (r == roots[i]) return true;
        if (f->after.has[f->plan[r].round.kernel]) return true;
        for (uint32_t i = 0; i < f->g->nodes[r].n_args; i++)
            if (f->g->nodes[r].args[i] >= f->after.first) fuse_visit(f, f->g->nodes[r].args[i]);
    }
    return false;
}

bool fuse_waits(GraphFusion *f, Ref unmade, const Ref *roots, uint32_t n)
{
    return unmade >= f->after.first && is_unmade(f, unmade) && leads_back(f, unmade, roots, n);
}

static bool all_marked(const GraphFusion *f, const KernelList *l)
{
    for (; l; l = l->next)
        if (!f->after.has[l->kernel]) return false;
    return true;
}

/* Who loads what waits runs behind it. Has one been marked that was not? What is made waits no more, but for
 * what the kernel that is being made stores: it may be built again. */
static bool mark_waiting(GraphFusion *f, const Ref *roots, uint32_t n)
{
    uint32_t before = f->after.n;
    Round *x = &f->round;
    while (x->n_waiting && !x->waiting[x->n_waiting - 1]) x->n_waiting--;
    for (uint32_t w = f->after.first / WORD; w < x->n_waiting; w++)
        for (uint32_t left = x->waiting[w]; left; left &= left - 1) {
            Ref r = w * WORD + (uint32_t)__builtin_ctz(left);
            uint32_t by = f->plan[r].round.kernel;
            if (by && by <= x->n_made) x->waiting[w] &= ~((uint32_t)1 << r % WORD);
            else if (r >= f->after.first && !all_marked(f, x->loaders[r]) && fuse_waits(f, r, roots, n))
                mark(f, x->loaders[r]);
        }
    return f->after.n > before;
}

void fuse_find_after(GraphFusion *f, const Ref *roots, uint32_t n)
{
    uint32_t done = 0;
    unmark(f);
    f->after.first = REF_NONE;
    for (uint32_t i = 0; i < n; i++) {
        if (roots[i] < f->after.first) f->after.first = roots[i];
        mark(f, f->round.loaders[roots[i]]);
    }
    do {
        for (; done < f->after.n; done++) {
            const Made *m = &f->round.made[f->after.kernels[done] - 1];
            if (m->first_stored < f->after.first) f->after.first = m->first_stored;
            mark(f, m->behind);
        }
    } while (mark_waiting(f, roots, n));
}
