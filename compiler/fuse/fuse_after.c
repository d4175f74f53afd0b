/* fuse_after.c: which kernels run behind others, known as they are made.
 *
 * Two indices are kept: of each node, the kernels that load it, and of each kernel, those that run behind it: they load what it stores, read its packed copy, or are
 * the next of a node with kernels of its own. A kernel is made before what it loads has one, most often, so an edge may be drawn when the kernel that loads is made
 * or when the one that stores is. What is asked then takes as long as its answer.
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

bool fuse_is_unmade_unit(const Fuser *f, Ref r) { return !f->plan[r].kernel && (f->unit[r] || fuse_is_unit_result(f, r)); }

static void note_load(Fuser *f, Ref r, uint32_t kernel)
{
    if (!f->loaders[r] && (f->unit[r] || fuse_is_unit_result(f, r))) f->loaded_units[f->n_loaded_units++] = r;
    add_link(f, &f->loaders[r], kernel);
}

void fuse_note_stored(Fuser *f, Ref r)
{
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
    f->n_loaded_units = 0;
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

/* Steps that are not made yet will run behind what they are made of, and so does who waits for their results. */
static void mark_waiting(Fuser *f, const Ref *roots, uint32_t n)
{
    for (uint32_t k = 0; k < f->n_loaded_units; k++) {
        Ref unit = f->loaded_units[k];
        bool waits = false;
        for (uint32_t i = 0; i < n && !waits && fuse_is_unmade_unit(f, unit); i++) waits = fuse_reaches(f, unit, roots[i]);
        if (waits) mark(f, f->loaders[unit]);
    }
}

void fuse_find_after(Fuser *f, const Ref *roots, uint32_t n)
{
    unmark(f);
    for (uint32_t i = 0; i < n; i++) mark(f, f->loaders[roots[i]]);
    mark_waiting(f, roots, n);
    for (uint32_t i = 0; i < f->n_marked; i++) mark(f, f->made[f->marked[i] - 1].behind);
}
