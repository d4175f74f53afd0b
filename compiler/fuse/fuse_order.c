/* fuse_order.c: which kernels run behind others, known as they are made.
 *
 * All nodes stand in an order in which each has what it needs before it: a node that no kernel stores yet
 * needs what it is made of, the others what their kernel loads, and kernels that run before it for other
 * reasons. At first it is the graph's. What one kernel stores has one place in it; what several kernels store
 * for a node, that of the last. When a kernel is made, what it needs of the nodes from the first that it
 * stores on moves before it, and all else up to there behind it (Pearce and Kelly's order, which is kept
 * while edges are added, of a graph whose nodes are merged). So nothing behind a place is needed by what
 * stands there: a search for what someone needs ends where the sought one stands, a few places further on as
 * a rule.
 */
#include "fuse_state.h"
#include <assert.h>
#include <string.h>

void fuse_begin_order(GraphFusion *f)
{
    for (Ref r = 0; r < f->g->n_nodes; r++) f->at[r] = f->rank[r] = r;
    memset(f->placed_by, 0, f->g->n_nodes * sizeof *f->placed_by);
}

/* The kernel whose place it has. */
static const Made *made_for(const GraphFusion *f, Ref r)
{
    return f->placed_by[r] ? &f->round.made[f->placed_by[r] - 1] : NULL;
}

static const Ref *needs_of(const GraphFusion *f, Ref r, uint32_t *n)
{
    const Made *m = made_for(f, r);
    *n = m ? m->n_needs : f->g->nodes[r].n_args;
    return m ? m->needs : f->g->nodes[r].args;
}

void fuse_note_needs(GraphFusion *f, const Ref *needs, uint32_t n)
{
    Made *m = &f->round.made[f->round.n_made - 1];
    m->needs = arena_grow(f->arena, m->needs, m->n_needs, &m->cap_needs, m->n_needs + n, sizeof *m->needs);
    for (uint32_t i = 0; i < n; i++)
        if (f->plan[needs[i]].round.kernel != f->round.n_made) m->needs[m->n_needs++] = needs[i];
}

/* ---- what a group needs ---- */

static void note_needed(GraphFusion *f, Ref by, Ref first)
{
    uint32_t n;
    const Ref *needs = needs_of(f, by, &n);
    for (uint32_t i = 0; i < n; i++) f->needed_by[f->at[f->rank[needs[i]]]] = first;
}

void fuse_join_group(GraphFusion *f, Group *x, Ref r)
{
    x->of[x->n++] = r;
    if (x->n == 1 || f->rank[r] < x->low) x->low = f->rank[r];
    if (x->n == 1 || f->rank[r] > x->known) x->known = f->rank[r];
    note_needed(f, r, x->of[0]);
}

bool fuse_group_needs(GraphFusion *f, Group *x, Ref r)
{
    for (; x->known > f->rank[r]; x->known--) {
        Ref v = f->at[x->known];
        if (v != REF_NONE && f->needed_by[v] == x->of[0]) note_needed(f, v, x->of[0]);
    }
    return f->needed_by[r] == x->of[0];
}

/* ---- searches ---- */

/* A search for these nodes begins. What it has met bears its clock, they themselves the one before. */
static void seek(GraphFusion *f, const Ref *sought, uint32_t n)
{
    fuse_start_search(f);
    for (uint32_t i = 0; i < n; i++) f->stamp[f->at[f->rank[sought[i]]]] = f->clock;
    fuse_start_search(f);
}

/* Is one of them among these, or what they need, as far as it stands behind `low`? */
static bool finds(GraphFusion *f, const Ref *from, uint32_t n, uint32_t low)
{
    for (;;) {
        for (uint32_t i = 0; i < n; i++) {
            Ref r = f->at[f->rank[from[i]]];
            if (f->rank[r] < low) continue;
            if (f->stamp[r] == f->clock - 1) return true;
            fuse_visit(f, r);
        }
        if (!f->top) return false;
        from = needs_of(f, f->stack[--f->top], &n);
    }
}

static uint32_t first_rank(const GraphFusion *f, const Ref *of, uint32_t n)
{
    uint32_t low = f->g->n_nodes;
    for (uint32_t i = 0; i < n; i++)
        if (f->rank[of[i]] < low) low = f->rank[of[i]];
    return low;
}

bool fuse_needs(GraphFusion *f, const Ref *r, uint32_t n_r, const Ref *of, uint32_t n)
{
    uint32_t low = first_rank(f, of, n);
    seek(f, of, n);
    return finds(f, r, n_r, low);
}

/* ---- a kernel is made ---- */

/* r, and what else has its place, has place `rank` now. */
static void put(GraphFusion *f, Ref r, uint32_t rank)
{
    const Made *m = made_for(f, r);
    f->at[rank] = r;
    f->rank[r] = rank;
    for (uint32_t i = 0; m && i < m->n_placed; i++) f->rank[m->placed[i]] = rank;
}

static uint32_t last_rank(const GraphFusion *f, const Ref *of, uint32_t n)
{
    uint32_t high = 0;
    for (uint32_t i = 0; i < n; i++)
        if (f->rank[of[i]] > high) high = f->rank[of[i]];
    return high;
}

/* What is needed may stand behind what is stored: where a kernel stores others in passing, it loads more than
 * they are made of, and each of several kernels for a node loads a part. */
void fuse_order_made(GraphFusion *f, const Ref *placed, uint32_t n)
{
    Made *m = &f->round.made[f->round.n_made - 1];
    uint32_t low = first_rank(f, placed, n), high = last_rank(f, placed, n), n_behind = 0, to = low;
    uint32_t last = last_rank(f, m->needs, m->n_needs);
    if (!n) return;
    if (high < last) high = last;
    seek(f, placed, n);
    bool circle = finds(f, m->needs, m->n_needs, low);
    assert(!circle && "a kernel needs what needs it");
    (void)circle;
    m->placed = placed;
    m->n_placed = n;
    Ref *behind = f->stack;
    for (uint32_t k = low; k <= high; k++) {
        Ref r = f->at[k];
        f->at[k] = REF_NONE;
        if (r == REF_NONE || f->stamp[r] == f->clock - 1) continue;
        if (f->stamp[r] == f->clock) put(f, r, to++);
        else behind[n_behind++] = r;
    }
    for (uint32_t i = 0; i < n; i++) f->placed_by[placed[i]] = f->round.n_made;
    put(f, placed[0], to++);
    for (uint32_t i = 0; i < n_behind; i++) put(f, behind[i], to++);
}
