/* fuse_after.c: which kernels run behind others, known as they are made.
 *
 * Two indices are kept: of each node, the kernels that load it, and of each kernel, those that run behind it:
 * they load what it stores, read its packed copy, or are the next of a node with kernels of its own. A kernel
 * is made before what it loads has one, most often, so an edge may be drawn when the kernel that loads is
 * made or when the one that stores is. Between the two, the node waits: its kernel will run behind those that
 * store what it is made of, and so will all that load it.
 */
#include "fuse_parts.h"

static void add_link(Fuser *f, const Link **list, uint32_t kernel)
{
    Link l = { kernel, *list };
    if (!*list || (*list)->kernel != kernel) *list = arena_copy(f->arena, &l, sizeof l);
}

void fuse_runs_behind(Fuser *f, uint32_t before, uint32_t behind)
{
    Made *m = &f->made[behind - 1];
    if (m->linked == before) return;
    m->linked = before;
    add_link(f, &f->made[before - 1].behind, behind);
}

/* Will a kernel store it, or steps, that are not made yet? */
static bool is_unmade(const Fuser *f, Ref r)
{
    return !f->plan[r].kernel && (f->plan[r].materialized || f->unit[r] || fuse_is_unit_result(f, r));
}

static void note_load(Fuser *f, Ref r, uint32_t kernel)
{
    if (!f->loaders[r] && is_unmade(f, r)) f->waiting[f->n_waiting++] = r;
    add_link(f, &f->loaders[r], kernel);
}

void fuse_note_stored(Fuser *f, Ref r)
{
    Made *m = &f->made[f->n_made - 1];
    if (r < m->first) m->first = r;
    for (const Link *l = f->loaders[r]; l; l = l->next) fuse_runs_behind(f, f->n_made, l->kernel);
}

void fuse_note_loads(Fuser *f)
{
    const Made *m = &f->made[f->n_made - 1];
    for (uint32_t i = 0; i < m->n_loads; i++) {
        Ref r = m->loads[i];
        const Node *n = &f->g->nodes[r];
        note_load(f, r, f->n_made);
        if (n->op == OP_RESULT) note_load(f, n->args[0], f->n_made);
        if (f->plan[r].kernel) fuse_runs_behind(f, f->plan[r].kernel, f->n_made);
    }
}

void fuse_forget_order(Fuser *f)
{
    for (Ref r = 0; r < f->g->n_nodes; r++) f->loaders[r] = NULL;
    f->n_waiting = 0;
}

/* ---- what runs after some nodes ---- */

static void mark(Fuser *f, const Link *l)
{
    for (; l; l = l->next) {
        if (f->after[l->kernel]) continue;
        f->after[l->kernel] = true;
        f->marked[f->n_marked++] = l->kernel;
    }
}

static void unmark(Fuser *f)
{
    while (f->n_marked) f->after[f->marked[--f->n_marked]] = false;
    if (f->cap_after >= f->n_made + 2) return;
    f->cap_after = 2 * (f->n_made + 2);
    f->after = arena_alloc(f->arena, f->cap_after * sizeof *f->after);
    f->marked = arena_alloc(f->arena, f->cap_after * sizeof *f->marked);
}

/* Is `from` made of one of the roots, or, if they are asked for, of what kernels behind the roots' store? All
 * these are nodes from `first` on. */
static bool leads_back(Fuser *f, Ref from, const Ref *roots, uint32_t n, Ref first, bool by_after)
{
    uint32_t top = 0;
    f->clock++;
    f->stack[top++] = from;
    while (top) {
        Ref r = f->stack[--top];
        for (uint32_t i = 0; i < n; i++)
            if (r == roots[i]) return true;
        if (by_after && f->after[f->plan[r].kernel]) return true;
        for (uint32_t i = 0; i < f->g->nodes[r].n_args; i++) {
            Ref a = f->g->nodes[r].args[i];
            if (a < first || f->stamp[a] == f->clock) continue;
            f->stamp[a] = f->clock;
            f->stack[top++] = a;
        }
    }
    return false;
}

bool fuse_reaches(Fuser *f, Ref from, Ref to) { return leads_back(f, from, &to, 1, to, false); }

bool fuse_waits(Fuser *f, Ref unmade, const Ref *roots, uint32_t n)
{
    return unmade >= f->first_after && is_unmade(f, unmade) &&
           leads_back(f, unmade, roots, n, f->first_after, true);
}

static bool all_marked(const Fuser *f, const Link *l)
{
    for (; l; l = l->next)
        if (!f->after[l->kernel]) return false;
    return true;
}

/* Who loads what waits runs behind it. Has one been marked that was not? What is made waits no more, but for
 * what the kernel that is being made stores: it may be built again. */
static bool mark_waiting(Fuser *f, const Ref *roots, uint32_t n)
{
    uint32_t before = f->n_marked;
    for (uint32_t k = 0; k < f->n_waiting; k++) {
        Ref r = f->waiting[k];
        if (f->plan[r].kernel && f->plan[r].kernel <= f->n_made) f->waiting[k--] = f->waiting[--f->n_waiting];
        else if (r >= f->first_after && !all_marked(f, f->loaders[r]) && fuse_waits(f, r, roots, n))
            mark(f, f->loaders[r]);
    }
    return f->n_marked > before;
}

void fuse_find_after(Fuser *f, const Ref *roots, uint32_t n)
{
    uint32_t done = 0;
    unmark(f);
    f->first_after = REF_NONE;
    for (uint32_t i = 0; i < n; i++) {
        if (roots[i] < f->first_after) f->first_after = roots[i];
        mark(f, f->loaders[roots[i]]);
    }
    do {
        for (; done < f->n_marked; done++) {
            const Made *m = &f->made[f->marked[done] - 1];
            if (m->first < f->first_after) f->first_after = m->first;
            mark(f, m->behind);
        }
    } while (mark_waiting(f, roots, n));
}
