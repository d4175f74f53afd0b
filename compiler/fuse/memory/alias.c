/* alias.c: see alias.h. A buffer may lie over another of its type and size if nothing is STOREd in that
 * other, for it might be STOREd over what the buffer has already, and every LOAD of it comes before every
 * STORE that could reach its element. A STORE cannot reach it if the two addresses differ for all indices
 * of their loops (never_meet); else the LOAD must stand
 *   - in an earlier step, where a loop of steps counts as one step, and so does a case unless both are in one
 *     of its branches;
 *   - or in an earlier loop of the same kernel, with no loop around both;
 *   - or in front of the STORE in the same loop, at the same address, if the STORE hits each address once:
 *     then an element is overwritten by the very iteration that has just read it, and by no other.
 * A STORE of what was LOADed from the very same element of the other buffer is no writing: there is nothing
 * to do then.
 *
 * Lanes and tiles keep the order of statements, and iterations of parallel loops touch elements of their own
 * only, so neither matters. Anything else (a reversed read, a neighbour) is refused: there is memory for both
 * then.
 */
#include "alias.h"
#include <stdlib.h>

typedef struct Overlay {
    const Program *p;
    uint32_t from, to;
    const KernelUses *uses; /* of the kernel that is asked about; NULL: not listed */
} Overlay;

/* A statement of a kernel, and the loops around it, outermost first. */
typedef struct UseInKernel {
    const Kernel *kernel;
    const KernelUses *uses;
    Val stmt;
    int n_loops;
    Val loop[MAX_LOOP_DEPTH];
} UseInKernel;

/* ---- within one kernel ---- */

/* A STORE of the element that it would overwrite. */
static bool is_idle(const Kernel *k, const Stmt *store, uint32_t from)
{
    const Stmt *v = &k->stmts[store->args[0]];
    return store->args[1] == VAL_NONE && v->kind == ST_LOAD && v->buffer == from && v->args[0] == VAL_NONE &&
           address_equal(v->address, store->address);
}

uint32_t alias_copied(const Kernel *k, const Stmt *store)
{
    const Stmt *v = &k->stmts[store->args[0]];
    return v->kind == ST_LOAD && is_idle(k, store, v->buffer) ? v->buffer : UINT32_MAX;
}

struct KernelUses {
    const Kernel *kernel;
    uint32_t *first;   /* by buffer: 1 + the first LOAD or STORE of it; 0: none */
    uint32_t *next;    /* by such a statement: 1 + the next of the same buffer; 0: none */
    uint32_t *around;  /* by statement: 1 + the innermost loop around it; 0: none */
    uint32_t capacity; /* statements */
    bool too_deep;     /* loops nest deeper than MAX_LOOP_DEPTH */
};

KernelUses *alias_new_uses(const Program *p)
{
    KernelUses *x = arena_alloc(p->arena, sizeof *x);
    x->first = arena_alloc(p->arena, (p->n_buffers + 1) * sizeof *x->first);
    return x;
}

static bool uses_memory(const Stmt *s) { return s->kind == ST_LOAD || s->kind == ST_STORE; }

void alias_list_uses(const Program *p, KernelUses *x, const Kernel *k)
{
    for (Val v = 0; x->kernel && v < x->kernel->n_stmts; v++)
        if (uses_memory(&x->kernel->stmts[v])) x->first[x->kernel->stmts[v].buffer] = 0;
    if (k->n_stmts > x->capacity) {
        x->capacity = k->n_stmts;
        x->next = arena_alloc(p->arena, x->capacity * sizeof *x->next);
        x->around = arena_alloc(p->arena, x->capacity * sizeof *x->around);
    }
    x->kernel = k;
    x->too_deep = false;
    int depth = 0;
    for (uint32_t v = 0, loop = 0; v < k->n_stmts; v++) {
        const Stmt *s = &k->stmts[v];
        x->around[v] = loop;
        if (s->kind == ST_END) loop = x->around[loop - 1];
        if (s->kind == ST_LOOP) loop = v + 1;
        depth += (s->kind == ST_LOOP) - (s->kind == ST_END);
        x->too_deep |= depth > MAX_LOOP_DEPTH;
    }
    for (Val v = k->n_stmts; v-- > 0;) {
        const Stmt *s = &k->stmts[v];
        if (!uses_memory(s)) continue;
        x->next[v] = x->first[s->buffer];
        x->first[s->buffer] = v + 1;
    }
}

/* next_use, where they are listed. */
static bool next_listed(UseInKernel *at, StmtKind kind, uint32_t buffer)
{
    const KernelUses *x = at->uses;
    uint32_t next = at->stmt == VAL_NONE ? x->first[buffer] : x->next[at->stmt];
    while (next && at->kernel->stmts[next - 1].kind != kind) next = x->next[next - 1];
    if (!next && !x->too_deep) return false;
    at->stmt = x->too_deep ? VAL_NONE : next - 1;
    at->n_loops = 0;
    for (uint32_t l = x->too_deep ? 0 : x->around[next - 1]; l; l = x->around[l - 1]) at->n_loops++;
    for (uint32_t i = (uint32_t)at->n_loops, l = next; i-- > 0;) {
        l = x->around[l - 1];
        at->loop[i] = l - 1;
    }
    return true;
}

/* The next LOAD or STORE of the buffer behind at->stmt. False: there is none. Nesting deeper than
 * MAX_LOOP_DEPTH: stmt is VAL_NONE. */
static bool next_use(UseInKernel *at, StmtKind kind, uint32_t buffer)
{
    if (at->uses) return next_listed(at, kind, buffer);
    for (at->stmt++; at->stmt < at->kernel->n_stmts; at->stmt++) {
        const Stmt *s = &at->kernel->stmts[at->stmt];
        if (s->kind == ST_LOOP && at->n_loops == MAX_LOOP_DEPTH) {
            at->stmt = VAL_NONE;
            return true;
        }
        if (s->kind == ST_LOOP) at->loop[at->n_loops++] = at->stmt;
        else if (s->kind == ST_END) at->n_loops--;
        else if (s->kind == kind && s->buffer == buffer) return true;
    }
    return false;
}

static UseInKernel first_of(const Overlay *s, const Kernel *k)
{
    return (UseInKernel){ .kernel = k, .uses = s->uses, .stmt = VAL_NONE };
}

/* Different iterations of the loops around the STORE have different addresses: each loop's stride is longer
 * than all with shorter strides reach together. */
static bool writes_once(const UseInKernel *store)
{
    const Kernel *k = store->kernel;
    const Address *a = &k->stmts[store->stmt].address;
    struct {
        int64_t stride, extent;
    } axis[MAX_LOOP_DEPTH];
    int n = 0;
    if (k->stmts[store->stmt].args[1] != VAL_NONE) return false;
    for (uint32_t t = 0; t < a->n_terms; t++)
        if (k->stmts[a->terms[t].of].kind != ST_LOOP && store->n_loops && a->terms[t].of > store->loop[0])
            return false;
    for (int i = 0; i < store->n_loops; i++) {
        int64_t extent = k->stmts[store->loop[i]].extent,
                stride = llabs(address_coefficient(*a, store->loop[i]));
        int at = n;
        if (extent < 0) return false;
        if (extent == 1) continue;
        for (; at > 0 && axis[at - 1].stride > stride; at--) axis[at] = axis[at - 1];
        axis[at].stride = stride;
        axis[at].extent = extent;
        n++;
    }
    for (int64_t i = 0, reach = 0; i < n; i++) {
        if (axis[i].stride <= reach || __builtin_mul_overflow(axis[i].stride, axis[i].extent, &reach))
            return false;
        reach -= axis[i].stride;
        for (int j = 0; j < i; j++) reach += axis[j].stride * (axis[j].extent - 1);
    }
    return true;
}

static bool share_a_loop(const UseInKernel *a, const UseInKernel *b)
{
    return a->n_loops && b->n_loops && a->loop[0] == b->loop[0];
}

/* How far a STORE is from a LOAD: the sum of these, for some value in each range. */
typedef struct Distances {
    int n;
    struct {
        int64_t coef, low, high; /* coef * low .. coef * high, in steps of coef */
    } term[2 * MAX_LOOP_DEPTH];
    int64_t offset;
} Distances;

/* A LOAD or STORE, and the kernel that it is in. */
typedef struct MemoryAccess {
    const Kernel *kernel;
    const Stmt *stmt;
} MemoryAccess;

/* The coefficient of the same counter, or of the same loop in the same kernel. */
static int64_t coefficient_in(const MemoryAccess *in, const Kernel *k, Val of)
{
    const Stmt *s = &k->stmts[of];
    int64_t coef = 0;
    for (uint32_t t = 0; t < in->stmt->address.n_terms; t++) {
        Term x = in->stmt->address.terms[t];
        const Stmt *other = &in->kernel->stmts[x.of];
        bool same = s->kind == ST_COUNTER ? other->kind == ST_COUNTER && other->imm == s->imm
                                          : in->kernel == k && x.of == of;
        coef += same ? x.coef : 0;
    }
    return coef;
}

/* The terms of one address. Of a loop that moves both addresses alike only the difference of its two indices
 * counts, once. False: something else than counted loops moves the address. */
static bool add_distances(Distances *d, const MemoryAccess *a, const MemoryAccess *other, bool is_store)
{
    for (uint32_t t = 0; t < a->stmt->address.n_terms; t++) {
        Term x = a->stmt->address.terms[t];
        const Stmt *s = &a->kernel->stmts[x.of];
        bool alike = coefficient_in(other, a->kernel, x.of) == x.coef;
        if (s->kind == ST_COUNTER && alike) continue;
        if (s->kind != ST_LOOP || s->extent < 1 || d->n == 2 * MAX_LOOP_DEPTH) return false;
        if (alike && !is_store) continue;
        d->term[d->n].coef = is_store ? x.coef : -x.coef;
        d->term[d->n].low = alike ? 1 - s->extent : 0;
        d->term[d->n++].high = s->extent - 1;
    }
    return true;
}

/* Bounds of all terms but those of multiples of the stride; 0: of all terms. False: beyond int64. */
static bool bounds_without(const Distances *d, int64_t stride, int64_t *low, int64_t *high)
{
    *low = *high = d->offset;
    for (int i = 0; i < d->n; i++) {
        int64_t x, y, coef = d->term[i].coef;
        if (stride && coef % stride == 0) continue;
        if (__builtin_mul_overflow(coef, coef > 0 ? d->term[i].low : d->term[i].high, &x) ||
            __builtin_mul_overflow(coef, coef > 0 ? d->term[i].high : d->term[i].low, &y) ||
            __builtin_add_overflow(*low, x, low) || __builtin_add_overflow(*high, y, high))
            return false;
    }
    return true;
}

/* Is there no multiple of the stride, which is 0 or more, from low to high? */
static bool no_multiple(int64_t low, int64_t high, int64_t stride)
{
    if (stride == 0) return low > 0 || high < 0;
    return low % stride && high % stride && low / stride == high / stride && (low > 0) == (high > 0);
}

/* Is there no element that both touch, in whatever iterations? The bounds of their distance leave 0 out; or,
 * for the stride of one term, what is no multiple of it stays between two multiples: the border of a matrix
 * against its columns inside, in all rows and planes. */
static bool never_meet(MemoryAccess load, MemoryAccess store)
{
    Distances d = { .offset = store.stmt->address.offset - load.stmt->address.offset };
    int64_t low, high;
    if (!add_distances(&d, &store, &load, true) || !add_distances(&d, &load, &store, false)) return false;
    for (int i = -1; i < d.n; i++) {
        int64_t stride = i < 0 ? 0 : d.term[i].coef < 0 ? -d.term[i].coef : d.term[i].coef;
        if (!bounds_without(&d, stride, &low, &high)) return false;
        if (no_multiple(low, high, stride)) return true;
    }
    return false;
}

/* ---- stores that change nothing ---- */

/* Is the element still what the LOAD found when it is stored again? Not if a loop around the STORE alone may
 * bring others in between. */
static bool is_untouched(const Kernel *k, Val load, Val store)
{
    int depth = 0;
    for (Val v = load + 1; v < store; v++) {
        const Stmt *s = &k->stmts[v];
        depth += s->kind == ST_LOOP ? 1 : s->kind == ST_END ? -1 : 0;
        if (s->kind == ST_STORE && s->buffer == k->stmts[load].buffer && !is_idle(k, s, s->buffer) &&
            !never_meet((MemoryAccess){ k, &k->stmts[load] }, (MemoryAccess){ k, s }))
            return false;
    }
    return depth == 0;
}

/* Marks what a kernel does, without STOREs that change nothing: what has an effect, what that is made of, and
 * the loops around it. Operands stand before their users, so one walk backwards finds all. False: there are
 * no such STOREs. */
static bool find_live(const Kernel *k, bool *live)
{
    int depth = 0;
    bool idle = false, inside[MAX_LOOP_DEPTH + 1] = { false };
    for (Val v = k->n_stmts; v-- > 0;) {
        const Stmt *s = &k->stmts[v];
        bool drop = s->kind == ST_STORE && is_idle(k, s, s->buffer) && is_untouched(k, s->args[0], v);
        idle |= drop;
        if (s->kind == ST_END) {
            if (depth == MAX_LOOP_DEPTH) return false;
            inside[++depth] = false;
            continue;
        }
        if (s->kind == ST_LOOP) live[v] = inside[depth--];
        else live[v] |= !stmt_has_value(s) && !drop;
        if (!live[v]) continue;
        inside[depth] = true;
        for (int a = 0; a < 3; a++)
            if (s->args[a] != VAL_NONE) live[s->args[a]] = true;
        for (uint32_t t = 0; t < s->address.n_terms; t++) live[s->address.terms[t].of] = true;
    }
    return idle;
}

void alias_drop_idle(Arena *arena, Kernel *k)
{
    bool *live = arena_alloc(arena, k->n_stmts + 1);
    Val n = 0, *map = arena_alloc(arena, (k->n_stmts + 1) * sizeof *map);
    if (!find_live(k, live)) return;
    for (Val v = 0; v < k->n_stmts; v++) {
        Stmt s = k->stmts[v];
        if (!live[s.kind == ST_END ? s.args[0] : v]) continue;
        Term *terms = arena_copy(arena, s.address.terms, s.address.n_terms * sizeof *terms);
        for (int a = 0; a < 3; a++)
            if (s.args[a] != VAL_NONE) s.args[a] = map[s.args[a]];
        for (uint32_t t = 0; t < s.address.n_terms; t++) terms[t].of = map[terms[t].of];
        s.address.terms = terms;
        map[v] = n;
        k->stmts[n++] = s;
    }
    k->n_stmts = n;
}

static bool same_loops(const UseInKernel *a, const UseInKernel *b)
{
    for (int i = 0; i < a->n_loops && a->n_loops == b->n_loops; i++)
        if (a->loop[i] != b->loop[i]) return false;
    return a->n_loops == b->n_loops;
}

static bool kernel_allows(const Overlay *s, const Kernel *k)
{
    for (UseInKernel store = first_of(s, k); next_use(&store, ST_STORE, s->to);) {
        if (store.stmt == VAL_NONE) return false;
        if (is_idle(k, &k->stmts[store.stmt], s->from)) continue;
        for (UseInKernel load = first_of(s, k); next_use(&load, ST_LOAD, s->from);) {
            if (load.stmt == VAL_NONE) return false;
            const Stmt *l = &k->stmts[load.stmt], *x = &k->stmts[store.stmt];
            if (never_meet((MemoryAccess){ k, l }, (MemoryAccess){ k, x })) continue;
            if (load.stmt > store.stmt) return false;
            if (!share_a_loop(&load, &store)) continue;
            if (!same_loops(&load, &store) || !address_equal(l->address, x->address) || !writes_once(&store))
                return false;
        }
    }
    return true;
}

/* ---- along the steps ---- */

enum { READS = 1, WRITES = 2, CHANGES = 4 }; /* loads of `from`, stores in `to`, stores in `from` */

static int kernel_does(const Overlay *s, const Kernel *k)
{
    int does = 0;
    for (uint32_t i = 0; i < k->n_stmts; i++) {
        if (k->stmts[i].kind == ST_LOAD && k->stmts[i].buffer == s->from) does |= READS;
        if (k->stmts[i].kind == ST_STORE && k->stmts[i].buffer == s->from) does |= CHANGES;
        if (k->stmts[i].kind == ST_STORE && k->stmts[i].buffer == s->to && !is_idle(k, &k->stmts[i], s->from))
            does |= WRITES;
    }
    return does;
}

static int step_does(const Overlay *s, const ProgramStep *step)
{
    int does = 0;
    if (step->kind == STEP_KERNEL) return kernel_does(s, &s->p->kernels[step->kernel]);
    if (step->kind == STEP_SWAP)
        return (step->buffer == s->from || step->other == s->from ? READS : 0) |
               (step->buffer == s->to || step->other == s->to ? WRITES : 0);
    if ((step->kind == STEP_TEST || step->kind == STEP_CASE) && step->buffer == s->from) return READS;
    for (uint32_t i = 0; step->kind == STEP_CALL && i < step->n_buffers; i++)
        does |= (step->buffers[i] == s->from ? i < step->n_read ? READS : CHANGES : 0) |
                (i >= step->n_read && step->buffers[i] == s->to ? WRITES : 0);
    return does;
}

static int steps_do(const Overlay *s, uint32_t first, uint32_t end)
{
    int does = 0;
    for (uint32_t i = first; i < end; i++) does |= step_does(s, &s->p->steps[i]);
    return does;
}

/* The step behind the END of what step i opens; i + 1 if it opens nothing. */
static uint32_t step_after(const Program *p, uint32_t i)
{
    if (!step_opens(&p->steps[i])) return i + 1;
    for (uint32_t k = i + 1; k < p->n_steps; k++)
        if (p->steps[k].kind == STEP_END && p->steps[k].opened == i) return k + 1;
    return p->n_steps;
}

/* Does a kernel read nothing that another, which ran before, has written? */
static bool kernels_never_meet(const Overlay *s, const Kernel *writer, const Kernel *reader)
{
    for (uint32_t i = 0; i < writer->n_stmts; i++) {
        const Stmt *store = &writer->stmts[i];
        if (store->kind != ST_STORE || store->buffer != s->to || is_idle(writer, store, s->from)) continue;
        for (uint32_t j = 0; j < reader->n_stmts; j++) {
            const Stmt *load = &reader->stmts[j];
            if (load->kind == ST_LOAD && load->buffer == s->from &&
                !never_meet((MemoryAccess){ reader, load }, (MemoryAccess){ writer, store }))
                return false;
        }
    }
    return true;
}

/* Does step `reader` read nothing that steps from `first` on have written? */
static bool reads_nothing_written(const Overlay *s, uint32_t first, uint32_t reader)
{
    const Program *p = s->p;
    if (p->steps[reader].kind != STEP_KERNEL) return false;
    for (uint32_t i = first; i < reader; i++) {
        if (!(step_does(s, &p->steps[i]) & WRITES)) continue;
        if (p->steps[i].kind != STEP_KERNEL ||
            !kernels_never_meet(s, &p->kernels[p->steps[i].kernel], &p->kernels[p->steps[reader].kernel]))
            return false;
    }
    return true;
}

static bool steps_allow(const Overlay *s, uint32_t first, uint32_t end)
{
    bool written = false;
    for (uint32_t i = first, after; i < end; i = after) {
        const ProgramStep *step = &s->p->steps[i];
        after = step_after(s->p, i);
        int does = steps_do(s, i, after);
        if (does & CHANGES) return false;
        if (written && (does & READS) && !reads_nothing_written(s, first, i)) return false;
        if (does == (READS | WRITES)) {
            if (step->kind == STEP_KERNEL ? !kernel_allows(s, &s->p->kernels[step->kernel])
                                          : step->kind != STEP_CASE)
                return false;
            for (uint32_t from = i + 1, k = i + 1; step->kind == STEP_CASE && k < after; k++) {
                if (s->p->steps[k].opened != i ||
                    (s->p->steps[k].kind != STEP_BRANCH && s->p->steps[k].kind != STEP_END))
                    continue;
                if (!steps_allow(s, from, k)) return false;
                from = k + 1;
            }
        }
        written |= does & WRITES;
    }
    return true;
}

static bool are_alike(const Program *p, uint32_t a, uint32_t b)
{
    return p->buffers[a].dtype == p->buffers[b].dtype && p->buffers[a].count == p->buffers[b].count;
}

bool alias_allows(const Program *p, uint32_t first, uint32_t end, uint32_t from, uint32_t to)
{
    Overlay s = { .p = p, .from = from, .to = to };
    return are_alike(p, from, to) && steps_allow(&s, first, end);
}

/* Nothing else is stored in `from`. */
static bool kernel_keeps(const Overlay *s, const Kernel *k)
{
    UseInKernel store = first_of(s, k);
    return !next_use(&store, ST_STORE, s->from) && kernel_allows(s, k);
}

bool alias_in_kernel(const Program *p, const Kernel *k, uint32_t from, uint32_t to)
{
    Overlay s = { .p = p, .from = from, .to = to };
    return are_alike(p, from, to) && kernel_keeps(&s, k);
}

bool alias_in_listed(const Program *p, const KernelUses *uses, uint32_t from, uint32_t to)
{
    Overlay s = { .p = p, .from = from, .to = to, .uses = uses };
    return are_alike(p, from, to) && kernel_keeps(&s, uses->kernel);
}

void alias_outputs(Program *p, uint64_t donated)
{
    for (uint32_t o = 0; o < p->n_buffers && donated; o++) {
        if (p->buffers[o].kind != BUF_OUTPUT) continue;
        for (uint32_t i = 0; i < p->n_buffers; i++) {
            uint32_t input = p->buffers[i].index;
            if (p->buffers[i].kind != BUF_INPUT || input >= 64 || !(donated >> input & 1) ||
                !alias_allows(p, 0, p->n_steps, i, o))
                continue;
            p->buffers[o].alias = (int32_t)input;
            donated &= ~(UINT64_C(1) << input);
            break;
        }
    }
}

static uint32_t root_of(uint32_t *same, uint32_t buffer)
{
    while (same[buffer] != buffer) buffer = same[buffer] = same[same[buffer]];
    return buffer;
}

const uint32_t *alias_swapped(const Program *p, const uint32_t *memory)
{
    uint32_t *same = arena_copy(p->arena, memory, p->n_buffers * sizeof *memory + 1);
    for (uint32_t i = 0; i < p->n_steps; i++)
        if (p->steps[i].kind == STEP_SWAP)
            same[root_of(same, p->steps[i].buffer)] = root_of(same, p->steps[i].other);
    for (uint32_t b = 0; b < p->n_buffers; b++) same[b] = root_of(same, b);
    return same;
}
