/* functions.c: see functions.h. */
#include "functions.h"
#include <string.h>

enum {
    MOST_STMTS_JOINED =
        1200, /* statements of the kernels of one function, each as often as tiles repeat it */
    /* what LLVM takes for a function and for a statement of one; a share costs its context and a wake-up */
    FUNCTION_NS = 300000,
    STMT_NS = 12000,
    SHARE_NS = 2000000,
    /* functions differ by more than is known here: those who are done first take a further share */
    SHARES_PER_THREAD = 3,
    MOST_SHARES = 32,
    WHILE_RUNS = 1000, /* of a loop that ends by a test, about */
    /* buffers of one function, each of which is compared with each; LLVM takes the square, too, for what is
     * said of them: kernels share none that would have more, and of one that has more nothing is said */
    MOST_BUFFERS = 256
};

/* ---- which buffers are apart ---- */

static bool is_scratch(const Buffer *b) { return b->kind == BUF_TEMP || b->kind == BUF_LOCAL; }

static bool overlap(const Buffer *a, const Buffer *b)
{
    return a->index == b->index && a->offset < b->offset + buffer_bytes(b) &&
           b->offset < a->offset + buffer_bytes(a);
}

/* Does a temporary lie in an output's memory? */
static bool lies_in(const Buffer *a, const Buffer *b)
{
    return a->kind == BUF_TEMP && b->kind == BUF_OUTPUT && a->index == b->index + 1;
}

/* May the memory of two buffers be one? Scratch is shared by plan, a donated input by its output. */
static bool may_share(const Buffer *a, const Buffer *b)
{
    if (is_scratch(a) && is_scratch(b)) return overlap(a, b);
    if (lies_in(a, b) || lies_in(b, a)) return true;
    if (a->kind == BUF_OUTPUT && a->alias >= 0) return b->kind == BUF_INPUT && b->index == (uint32_t)a->alias;
    if (b->kind == BUF_OUTPUT && b->alias >= 0) return a->kind == BUF_INPUT && a->index == (uint32_t)b->alias;
    return false;
}

/* May two names mean memory that is one? After SWAPs a name means the memory of any of its class, but no two
 * names the same. */
static bool may_alias(const FunctionPlan *f, uint32_t a, uint32_t b)
{
    const Buffer *buffers = f->program->buffers;
    uint32_t i = a, j = b;
    do do
            if (i != j && may_share(&buffers[i], &buffers[j])) return true;
        while ((j = f->swap_next[j]) != b);
    while ((i = f->swap_next[i]) != a);
    return false;
}

static bool in_one_class(const FunctionPlan *f, uint32_t a, uint32_t b)
{
    uint32_t i = a;
    while (i != b && f->swap_next[i] != a) i = f->swap_next[i];
    return i == b;
}

/* A class is a ring of buffers, one alone if no SWAP speaks of it. */
static void find_swap_classes(FunctionPlan *f)
{
    const Program *p = f->program;
    f->swap_next = arena_alloc(f->arena, p->n_buffers * sizeof *f->swap_next + 1);
    for (uint32_t i = 0; i < p->n_buffers; i++) f->swap_next[i] = i;
    for (uint32_t i = 0; i < p->n_steps; i++) {
        uint32_t a = p->steps[i].buffer, b = p->steps[i].other;
        if (p->steps[i].kind != STEP_SWAP || in_one_class(f, a, b)) continue;
        uint32_t next = f->swap_next[a];
        f->swap_next[a] = f->swap_next[b];
        f->swap_next[b] = next;
    }
}

bool plan_swaps(const FunctionPlan *f, uint32_t buffer) { return f->swap_next[buffer] != buffer; }

static bool is_apart(const FunctionPlan *f, const Uses *u, uint32_t i)
{
    for (uint32_t j = 0; j < u->n_buffers; j++)
        if (j != i && may_alias(f, u->buffer[i], u->buffer[j])) return false;
    return true;
}

/* What the kernels from..to - 1 use in all. */
static Uses uses_between(FunctionPlan *f, uint32_t from, uint32_t to)
{
    Uses u = uses_of(f->twins, &f->program->kernels[from], to - from);
    for (uint32_t i = 0; i < u.n_buffers && u.n_buffers <= MOST_BUFFERS; i++) u.apart[i] = is_apart(f, &u, i);
    return u;
}

static void find_twin(FunctionPlan *f, uint32_t kernel)
{
    PlannedKernel *c = &f->kernel[kernel];
    c->given = c->uses = uses_between(f, kernel, kernel + 1);
    uint32_t twin = twins_find(f->twins, kernel, &c->uses);
    if (twin != kernel) c->has_twin = f->kernel[twin].has_twin = true;
    c->first = twin;
}

/* ---- which kernels share a function ---- */

static uint64_t statements(const Kernel *k)
{
    uint64_t all = 0, repeats = 1, around[MAX_LOOP_DEPTH + 1] = { 1 };
    int depth = 0;
    for (Val i = 0; i < k->n_stmts; i++) {
        if (k->stmts[i].kind == ST_LOOP) {
            around[++depth] = repeats;
            repeats *= k->stmts[i].tile;
        } else if (k->stmts[i].kind == ST_END) repeats = around[depth--];
        else all += repeats;
    }
    return all;
}

/* The end of the kernels from `from` on that can share a function: small ones without twins that run one
 * after the other, with nothing between them. */
static uint32_t joined_end(const FunctionPlan *f, uint32_t from, const uint32_t *step)
{
    uint64_t all = statements(&f->program->kernels[from]), buffers = f->kernel[from].uses.n_buffers;
    uint32_t to = from + 1;
    for (; to < f->program->n_kernels && !f->kernel[from].has_twin && !f->kernel[to].has_twin; to++) {
        all += statements(&f->program->kernels[to]);
        buffers += f->kernel[to].uses.n_buffers;
        if (all > MOST_STMTS_JOINED || buffers > MOST_BUFFERS ||
            (f->program->n_steps && step[to] != step[to - 1] + 1))
            break;
    }
    return to;
}

static void find_functions(FunctionPlan *f)
{
    const Program *p = f->program;
    uint32_t *step = arena_alloc(f->arena, p->n_kernels * sizeof *step + 1);
    for (uint32_t i = 0; i < p->n_steps; i++)
        if (p->steps[i].kind == STEP_KERNEL) step[p->steps[i].kernel] = i;
    for (uint32_t k = 0; k < p->n_kernels; k++) find_twin(f, k);
    for (uint32_t k = 0; k < p->n_kernels; k = f->kernel[k].end) {
        PlannedKernel *c = &f->kernel[k];
        c->end = c->first == k ? joined_end(f, k, step) : k + 1;
        for (uint32_t i = k + 1; i < c->end; i++) f->kernel[i].joined = true;
        if (c->end > k + 1) c->given = uses_between(f, k, c->end);
    }
}

/* A kernel without steps runs once. */
static void count_runs(FunctionPlan *f)
{
    const Program *p = f->program;
    double now = 1, *around = arena_alloc(f->arena, p->n_steps * sizeof *around + 1);
    for (uint32_t k = 0; k < p->n_kernels && !p->n_steps; k++) f->kernel[f->kernel[k].first].runs++;
    for (uint32_t i = 0; i < p->n_steps; i++) {
        const ProgramStep *s = &p->steps[i];
        around[i] = now;
        if (s->kind == STEP_KERNEL) f->kernel[f->kernel[s->kernel].first].runs += now;
        if (s->kind == STEP_LOOP) now *= (double)s->extent;
        if (s->kind == STEP_WHILE) now *= WHILE_RUNS;
        if (s->kind == STEP_END) now = around[s->opened];
    }
}

static bool has(const uint32_t *list, uint32_t n, uint32_t number)
{
    for (uint32_t i = 0; i < n; i++)
        if (list[i] == number) return true;
    return false;
}

/* What a piece names: what its kernels use, what it swaps with that, and the counters that it counts by. */
static Uses uses_of_piece(FunctionPlan *f, uint32_t from, uint32_t to)
{
    const ProgramStep *steps = f->program->steps;
    uint32_t first = f->program->n_kernels, end = 0, n_swaps = 0, n_terms = 0;
    for (uint32_t i = from; i < to; i++) {
        n_swaps += steps[i].kind == STEP_SWAP ? 1 : 0;
        n_terms += steps[i].kind == STEP_COUNT ? steps[i].at->n_terms : 0;
        if (steps[i].kind != STEP_KERNEL) continue;
        if (first > steps[i].kernel) first = steps[i].kernel;
        end = steps[i].kernel + 1;
    }
    Uses u = uses_of(f->twins, &f->program->kernels[first], end > first ? end - first : 0);
    uint32_t *all = arena_alloc(f->arena, (u.n_buffers + 2 * n_swaps) * sizeof *all + 1),
             *counters = arena_alloc(f->arena, (u.n_counters + n_terms) * sizeof *counters + 1);
    memcpy(all, u.buffer, u.n_buffers * sizeof *all);
    memcpy(counters, u.counter, u.n_counters * sizeof *counters);
    u.buffer = all;
    u.counter = counters;
    for (uint32_t i = from; i < to; i++) {
        for (uint32_t k = 0; steps[i].kind == STEP_COUNT && k < steps[i].at->n_terms; k++)
            if (!has(u.counter, u.n_counters, steps[i].at->terms[k].of))
                counters[u.n_counters++] = steps[i].at->terms[k].of;
        if (steps[i].kind != STEP_SWAP) continue;
        if (!has(u.buffer, u.n_buffers, steps[i].buffer)) all[u.n_buffers++] = steps[i].buffer;
        if (!has(u.buffer, u.n_buffers, steps[i].other)) all[u.n_buffers++] = steps[i].other;
    }
    return u;
}

/* The kernels of each parallel loop have their numbers in the order of steps. */
static void find_loop_uses(FunctionPlan *f)
{
    const Program *p = f->program;
    f->loop_uses = arena_alloc(f->arena, p->n_steps * sizeof *f->loop_uses + 1);
    for (uint32_t i = 0; i < p->n_steps; i++) {
        if (p->steps[i].kind != STEP_LOOP || !p->steps[i].parallel) continue;
        uint32_t at = i;
        while (p->steps[i].kind != STEP_END || p->steps[i].opened != at) i++;
        f->loop_uses[at] = uses_of_piece(f, at, i);
    }
}

/* ---- shares ---- */

static int64_t function_ns(const FunctionPlan *f, uint32_t first)
{
    int64_t ns = FUNCTION_NS;
    for (uint32_t k = first; k < f->kernel[first].end; k++)
        ns += STMT_NS * (int64_t)statements(&f->program->kernels[k]);
    return ns;
}

static bool begins_function(const FunctionPlan *f, uint32_t k)
{
    return f->kernel[k].first == k && !f->kernel[k].joined;
}

static uint32_t shares_wanted(const FunctionPlan *f, uint32_t n_functions, int64_t threads)
{
    int64_t n = threads < 2 ? 1 : threads * SHARES_PER_THREAD;
    if (n > f->ns / SHARE_NS) n = f->ns / SHARE_NS;
    if (n > MOST_SHARES) n = MOST_SHARES;
    if (n > n_functions) n = n_functions;
    return n < 1 ? 1 : (uint32_t)n;
}

/* Each function goes to the share that has least so far. */
static void deal_functions(FunctionPlan *f, int64_t threads)
{
    int64_t ns[MOST_SHARES] = { 0 };
    uint32_t n_functions = 0;
    for (uint32_t k = 0; k < f->program->n_kernels; k++)
        if (begins_function(f, k)) {
            n_functions++;
            f->ns += function_ns(f, k);
        }
    f->n_shares = shares_wanted(f, n_functions, threads);
    for (uint32_t k = 0; k < f->program->n_kernels; k++) {
        uint32_t least = 0;
        if (!begins_function(f, k)) continue;
        for (uint32_t i = 1; i < f->n_shares; i++)
            if (ns[i] < ns[least]) least = i;
        f->kernel[k].share = least;
        ns[least] += function_ns(f, k);
    }
}

const FunctionPlan *plan_functions(Arena *arena, const Program *p, int64_t threads)
{
    FunctionPlan *f = arena_alloc(arena, sizeof *f);
    *f = (FunctionPlan){ .program = p, .arena = arena, .twins = twins_new(arena, p) };
    f->kernel = arena_alloc(arena, p->n_kernels * sizeof *f->kernel + 1);
    find_swap_classes(f);
    find_functions(f);
    count_runs(f);
    find_loop_uses(f);
    deal_functions(f, threads);
    return f;
}
