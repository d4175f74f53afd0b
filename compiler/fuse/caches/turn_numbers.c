/* turn_numbers.c: see turn_numbers.h.
 *
 * A NUMBER of a loop is an array of one element that kernels without loops store, once a turn, and that need
 * no more for it than numbers and what the loop does not store. In place of
 *
 *     loop c0 : 100 { ... load %out1[0] ...; kernel { store %out1[0] (load %out1[0] + v1) } }
 *
 * there is then
 *
 *     kernel { store %temp7[0] (load %out1[0]) }
 *     loop c0 : 100 {
 *       ... load %temp7[c0] ...; kernel { i : 1 { store %temp7[c0 + 1] (load %temp7[c0] + v1) } } }
 *     kernel { store %out1[0] (load %temp7[100]) }
 */
#include "turn_numbers.h"
#include "band_run.h"
#include "compiler/fuse/loops/nest.h"
#include <string.h>

typedef struct Numbers {
    Program *p;
    StepList list;
    uint32_t loop, end;     /* steps: the LOOP, its END */
    const uint32_t *memory; /* by buffer */
    bool *stored;           /* by memory: the loop stores it; */
    bool *number;           /* it may be a number; */
    uint32_t *stores;       /* how often a turn stores it; */
    uint32_t *expanded;     /* 1 + the array of its elements; 0: none */
    bool *carried;          /* it is loaded before a turn stores it */
    bool *is_expanded;      /* by buffer: is it such an array? */
} Numbers;

static const Kernel *kernel_of(const Numbers *x, uint32_t step)
{
    const ProgramStep *s = &x->p->steps[step];
    return s->kind == STEP_KERNEL ? &x->p->kernels[s->kernel] : NULL;
}

/* ---- which they are ---- */

static bool has_loops(const Kernel *k)
{
    for (Val v = 0; v < k->n_stmts; v++)
        if (k->stmts[v].kind == ST_LOOP) return true;
    return false;
}

/* A loop of kernels and swaps? */
static bool is_plain(Numbers *x)
{
    const ProgramStep *s = &x->p->steps[x->loop];
    if (s->kind != STEP_LOOP || s->bands || s->parallel || s->extent < 1) return false;
    x->end = x->loop + 1;
    while (x->p->steps[x->end].kind == STEP_KERNEL || x->p->steps[x->end].kind == STEP_SWAP) x->end++;
    return x->p->steps[x->end].kind == STEP_END;
}

static void find_stored(Numbers *x)
{
    memset(x->stored, 0, x->p->n_buffers);
    memset(x->number, 0, x->p->n_buffers);
    memset(x->carried, 0, x->p->n_buffers);
    memset(x->stores, 0, x->p->n_buffers * sizeof *x->stores);
    for (uint32_t i = x->loop + 1; i < x->end; i++) {
        const Kernel *k = kernel_of(x, i);
        for (Val v = 0; k && v < k->n_stmts; v++) {
            const Stmt *s = &k->stmts[v];
            if (s->kind == ST_LOAD) x->carried[s->buffer] |= !x->stores[s->buffer];
            if (s->kind != ST_STORE) continue;
            const Buffer *b = &x->p->buffers[s->buffer];
            x->stored[x->memory[s->buffer]] = true;
            x->stores[s->buffer]++;
            x->number[s->buffer] = x->stores[s->buffer] == 1 && b->count == 1 && b->kind != BUF_LOCAL &&
                                   x->memory[s->buffer] == s->buffer && s->args[1] == VAL_NONE;
        }
    }
    for (uint32_t i = x->loop + 1; i < x->end; i++) {
        const ProgramStep *s = &x->p->steps[i];
        if (s->kind == STEP_SWAP) x->number[s->buffer] = x->number[s->other] = false;
    }
}

/* Does the kernel only make numbers out of numbers, and a turn's part of a scan's outputs? */
static bool makes_numbers(const Numbers *x, const Kernel *k)
{
    uint32_t counter = x->p->steps[x->loop].counter;
    if (has_loops(k)) return false;
    for (Val v = 0; v < k->n_stmts; v++) {
        const Stmt *s = &k->stmts[v];
        if (s->kind == ST_STORE && !x->number[s->buffer] && !address_counts(k, s->address, counter))
            return false;
        if (s->kind == ST_LOAD && x->stored[x->memory[s->buffer]] && !x->number[s->buffer]) return false;
        if (s->kind != ST_STORE && !stmt_may_repeat(s)) return false;
    }
    return true;
}

/* What other kernels store is none; until nothing changes. How many there are. */
static int64_t find_numbers(Numbers *x)
{
    int64_t n = 0;
    find_stored(x);
    for (bool more = true; more;) {
        more = false;
        n = 0;
        for (uint32_t i = x->loop + 1; i < x->end; i++) {
            const Kernel *k = kernel_of(x, i);
            if (!k) continue;
            bool makes = makes_numbers(x, k);
            for (Val v = 0; v < k->n_stmts; v++) {
                const Stmt *s = &k->stmts[v];
                if (s->kind != ST_STORE || !x->number[s->buffer]) continue;
                n += makes;
                more |= !makes;
                x->number[s->buffer] = makes;
            }
        }
    }
    return n;
}

/* Does the loop have numbers, for arrays that are not too large? */
static bool has_numbers(Numbers *x)
{
    if (!is_plain(x)) return false;
    int64_t n = find_numbers(x);
    return n > 0 && n <= MOST_NUMBERED / x->p->steps[x->loop].extent;
}

/* ---- an element for each turn ---- */

static uint32_t array_of(Numbers *x, uint32_t buffer)
{
    if (!x->expanded[buffer]) {
        Buffer b = { .kind = BUF_TEMP,
                     .dtype = x->p->buffers[buffer].dtype,
                     .count = x->p->steps[x->loop].extent + 1 };
        x->expanded[buffer] = 1 + program_add_buffer(x->p, b);
        x->is_expanded[x->expanded[buffer] - 1] = true;
    }
    return x->expanded[buffer] - 1;
}

/* to[0] = from[at], in a kernel. */
static void append_copy(Numbers *x, uint32_t to, uint32_t from, int64_t at)
{
    Program *p = x->p;
    Stmt load = stmt_new(ST_LOAD, (DType)p->buffers[from].dtype),
         store = stmt_new(ST_STORE, (DType)load.dtype);
    load.buffer = from;
    load.address.offset = at;
    store.buffer = to;
    store.args[0] = 0;
    Kernel k = { .name = "number",
                 .stmts = arena_copy(p->arena, (Stmt[]){ load, store }, 2 * sizeof load),
                 .n_stmts = 2 };
    step_list_push(p->arena, &x->list, (ProgramStep){ .kind = STEP_KERNEL, .kernel = p->n_kernels });
    ARENA_PUSH(p->arena, p->kernels, p->n_kernels, p->cap_kernels) = k;
}

/* The kernel with numbers in their arrays; what makes them is in a loop of one iteration, a row. */
static void expand_kernel(Numbers *x, Kernel *k)
{
    bool touches = false, makes = makes_numbers(x, k);
    for (Val v = 0; v < k->n_stmts; v++)
        touches |= stmt_uses_buffer(&k->stmts[v]) && x->number[k->stmts[v].buffer];
    if (!touches) return;
    Stmt first[2] = { stmt_new(ST_COUNTER, WEFT_I64), stmt_new(ST_LOOP, WEFT_BOOL) };
    first[0].imm = x->p->steps[x->loop].counter;
    first[1].extent = 1;
    kernel_prepend(x->p->arena, k, first, 1 + makes);
    for (Val v = 0; v < k->n_stmts; v++) {
        Stmt *s = &k->stmts[v];
        if (!stmt_uses_buffer(s) || !x->number[s->buffer]) continue;
        bool later = s->kind == ST_STORE || !x->stores[s->buffer];
        if (s->kind == ST_STORE) x->stores[s->buffer] = 0; /* from here on the turn's own is meant */
        s->address = address_shift(address_of(x->p->arena, 0, 1), later);
        s->buffer = array_of(x, s->buffer);
    }
    if (!makes) return;
    Stmt end = stmt_new(ST_END, WEFT_BOOL);
    end.args[0] = 1;
    Stmt *stmts = arena_alloc(x->p->arena, (k->n_stmts + 1) * sizeof *stmts);
    memcpy(stmts, k->stmts, k->n_stmts * sizeof *stmts);
    stmts[k->n_stmts++] = end;
    k->stmts = stmts;
}

static void expand_loop(Numbers *x)
{
    Program *p = x->p;
    uint32_t n = p->n_buffers;
    for (uint32_t b = 0; b < n; b++)
        if (x->number[b] && x->carried[b]) append_copy(x, array_of(x, b), b, 0);
    for (uint32_t i = x->loop; i <= x->end; i++) {
        if (p->steps[i].kind == STEP_KERNEL) expand_kernel(x, &p->kernels[p->steps[i].kernel]);
        step_list_keep(&x->list, p, i);
    }
    for (uint32_t b = 0; b < n; b++) {
        if (x->number[b]) append_copy(x, b, x->expanded[b] - 1, p->steps[x->loop].extent);
        x->expanded[b] = 0;
    }
}

const bool *turn_numbers_make(Program *p)
{
    size_t n = p->n_buffers + 1;
    for (uint32_t k = 0; k < p->n_kernels; k++)
        for (Val v = 0; v < p->kernels[k].n_stmts; v++) n += p->kernels[k].stmts[v].kind == ST_STORE;
    Numbers x = { .p = p, .list = step_list_new(p), .memory = program_memories(p->arena, p) };
    x.stored = arena_alloc(p->arena, n);
    x.number = arena_alloc(p->arena, n);
    x.carried = arena_alloc(p->arena, n);
    x.is_expanded = arena_alloc(p->arena, n);
    x.stores = arena_alloc(p->arena, n * sizeof *x.stores);
    x.expanded = arena_alloc(p->arena, n * sizeof *x.expanded);
    for (uint32_t i = 0; i < p->n_steps; i++) {
        x.loop = i;
        if (has_numbers(&x)) {
            expand_loop(&x);
            i = x.end;
        } else step_list_keep(&x.list, p, i);
    }
    step_list_end(&x.list, p);
    return x.is_expanded;
}
