/* schedule.c: see schedule.h. Statements stand as their values were asked for: each result behind all that it
 * is made of, so what several results are made of waits for the last of them.
 *
 *     a + b, ..., a - b, ...     ==>     a + b, a - b, ..., ...
 *
 * In the new order a statement stands as soon as it can if it is the last to ask for an operand: then no more
 * values are alive behind it than before. All others keep their order. In a stage of a Fourier transform sums
 * and differences come in pairs, and the real part of a product beside the imaginary one. It has half of the
 * spills, and LLVM's allocator of registers a quarter of the work (irfft2 of 128 x 128, AVX-512: compiled in
 * 20 instead of 26 ms, run in 8.6 instead of 9.4 us).
 *
 * A body of long chains is in the order in which a machine would begin its statements if it saw all of them:
 * it sees about a hundred, and what stands chain after chain waits for each step of each. Among those that
 * may stand the first is one that waits for nothing and has the longest chain behind it, and only as many
 * values are alive as one and a half times the registers hold: a few spills cost less than waiting (the
 * equation of state in bench, ms: AVX2 12.4 -> 10.9, AVX-512 8.35 -> 8.15; a ratio of complex numbers, us:
 * 123 -> 116, 91 -> 80).
 *
 * What is put in order is a run of statements between loops and what else has its place. Stores to one memory
 * keep their order; a run that loads what it stores is left alone.
 */
#include "schedule.h"

enum {
    LOOKS_AHEAD = 96, /* vectors: about what may wait in a machine at once */
    LONG_WAIT = 64,   /* cycles: more than in a stage of a Fourier transform, which has 41 at most */
    LOOKED_AT = 64,   /* of those that may stand, so many are compared, as they came to */
};

typedef struct Schedule {
    Arena *arena;
    const Program *p;
    const uint32_t *memory; /* by buffer */
    Kernel *k;
    Val from, to; /* the run */
    /* By memory, of the run: 1 + its last STORE, 1 + its last LOAD. */
    Val *stored, *loaded;
    /* By statement: where its users begin in the list, which has a user once for each of its operands. */
    uint32_t *first_user;
    Val *users;
    Val *next_store;     /* by STORE: to the same memory; VAL_NONE: it is the last */
    uint32_t *n_waiting; /* by statement: operands, and a STORE ahead of it, that do not stand yet */
    uint32_t *n_asking;  /* by statement: uses that do not stand yet */
    bool *stands;
    /* By statement: cycles to the end of the longest chain that begins with it; when its operands are
     * there. */
    float *chain, *ready;
    Val *next;          /* by statement that may stand */
    Val *stack, *order; /* order: of all statements */
    bool is_other;      /* than they stand */
} Schedule;

static uint32_t operand_count(const Stmt *s) { return 3 + s->address.n_terms; }
static Val operand_at(const Stmt *s, uint32_t i) { return i < 3 ? s->args[i] : s->address.terms[i - 3].of; }

/* Does the run make it? */
static bool is_made(const Schedule *x, Val v) { return v >= x->from && v < x->to; }

/* ---- runs ---- */

static bool may_move(const Stmt *s)
{
    return s->kind == ST_CONST || s->kind == ST_INDEX || s->kind == ST_OP ||
           (s->kind == ST_LOAD && s->args[0] == VAL_NONE) || (s->kind == ST_STORE && s->args[1] == VAL_NONE);
}

/* Chains the stores to each memory. False: something is loaded that the run stores. */
static bool chain_stores(Schedule *x)
{
    bool apart = true;
    for (Val v = x->from; v < x->to; v++) {
        const Stmt *s = &x->k->stmts[v];
        if (s->kind == ST_LOAD) x->loaded[x->memory[s->buffer]] = v + 1;
        if (s->kind != ST_STORE) continue;
        Val *before = &x->stored[x->memory[s->buffer]];
        if (*before) x->next_store[*before - 1] = v;
        x->next_store[v] = VAL_NONE;
        *before = v + 1;
    }
    for (Val v = x->from; v < x->to; v++) {
        const Stmt *s = &x->k->stmts[v];
        if (s->kind == ST_STORE) apart &= !x->loaded[x->memory[s->buffer]];
    }
    for (Val v = x->from; v < x->to; v++) {
        const Stmt *s = &x->k->stmts[v];
        if (stmt_uses_buffer(s)) x->loaded[x->memory[s->buffer]] = x->stored[x->memory[s->buffer]] = 0;
    }
    return apart;
}

/* ---- the order ---- */

static void begin(Schedule *x)
{
    for (Val v = x->from; v < x->to; v++) {
        x->n_asking[v] = x->first_user[v + 1] - x->first_user[v];
        x->n_waiting[v] = 0;
        x->stands[v] = false;
    }
    for (Val v = x->from; v < x->to; v++) {
        const Stmt *s = &x->k->stmts[v];
        for (uint32_t i = 0; i < operand_count(s); i++) x->n_waiting[v] += is_made(x, operand_at(s, i));
        if (s->kind == ST_STORE && x->next_store[v] != VAL_NONE) x->n_waiting[x->next_store[v]]++;
    }
}

/* Bools are used at once, or have registers of their own. */
static bool takes_register(const Schedule *x, Val v) { return x->k->stmts[v].dtype != WEFT_BOOL; }

/* Values of the run that are alive at once, at most. */
static uint32_t most_alive(Schedule *x)
{
    uint32_t alive = 0, most = 0;
    begin(x);
    for (Val at = x->from; at < x->to; at++) {
        Val v = x->order[at];
        const Stmt *s = &x->k->stmts[v];
        for (uint32_t i = 0; i < operand_count(s); i++)
            if (is_made(x, operand_at(s, i)) && --x->n_asking[operand_at(s, i)] == 0)
                alive -= takes_register(x, operand_at(s, i));
        if (x->n_asking[v]) alive += takes_register(x, v);
        if (most < alive) most = alive;
    }
    return most;
}

/* Does nothing else ask for one of its operands any more? */
static bool ends_one(const Schedule *x, Val v)
{
    const Stmt *s = &x->k->stmts[v];
    for (uint32_t i = 0; i < operand_count(s); i++)
        if (is_made(x, operand_at(s, i)) && x->n_asking[operand_at(s, i)] == 1) return true;
    return false;
}

/* Puts on the stack what waited for v alone, and what is now the last to ask for one of its operands. Returns
 * how many are there. */
static uint32_t stand(Schedule *x, Val v, uint32_t top)
{
    const Stmt *s = &x->k->stmts[v];
    x->stands[v] = true;
    if (s->kind == ST_STORE && x->next_store[v] != VAL_NONE && --x->n_waiting[x->next_store[v]] == 0)
        x->stack[top++] = x->next_store[v];
    for (uint32_t i = x->first_user[v]; i < x->first_user[v + 1]; i++)
        if (x->users[i] < x->to && --x->n_waiting[x->users[i]] == 0) x->stack[top++] = x->users[i];
    for (uint32_t k = 0; k < operand_count(s); k++) {
        Val of = operand_at(s, k);
        if (!is_made(x, of) || --x->n_asking[of] != 1) continue;
        for (uint32_t i = x->first_user[of]; i < x->first_user[of + 1]; i++)
            if (x->users[i] < x->to && !x->stands[x->users[i]] && x->n_waiting[x->users[i]] == 0)
                x->stack[top++] = x->users[i];
    }
    return top;
}

static void find_order(Schedule *x)
{
    Val at = x->from;
    begin(x);
    for (Val v = x->from; v < x->to; v++) {
        uint32_t top = 0;
        if (!x->stands[v]) x->stack[top++] = v;
        while (top) {
            Val next = x->stack[--top];
            if (x->stands[next] || (next != v && !ends_one(x, next))) continue;
            x->order[at++] = next;
            top = stand(x, next, top);
        }
    }
}

/* ---- waiting ---- */

/* Cycles until the value is there: an addition of floats waits for 4, of which it works for a half. */
static float wait_for(const Stmt *s)
{
    return s->kind == ST_OP
               ? (dtype_is_inexact((DType)s->dtype) ? 4 : 1) * op_cost((Op)s->op, (DType)s->dtype)
           : s->kind == ST_LOAD ? 5
                                : 0;
}
static float work_of(const Stmt *s)
{
    return s->kind == ST_OP ? op_cost((Op)s->op, (DType)s->dtype) / 2 : s->kind == ST_LOAD ? 0.5f : 0;
}

/* By statement: cycles from its begin to the end of the longest chain that waits for it. Returns the
 * longest. */
static float find_chains(Schedule *x)
{
    float longest = 0;
    for (Val v = x->to; v-- > x->from;) {
        float behind = 0;
        for (uint32_t i = x->first_user[v]; i < x->first_user[v + 1]; i++)
            if (x->users[i] < x->to && behind < x->chain[x->users[i]]) behind = x->chain[x->users[i]];
        x->chain[v] = behind + wait_for(&x->k->stmts[v]);
        if (longest < x->chain[v]) longest = x->chain[v];
    }
    return longest;
}

/* By how many more values are alive behind v, which may stand. */
static int32_t growth(const Schedule *x, Val v)
{
    const Stmt *s = &x->k->stmts[v];
    int32_t more = x->n_asking[v] && takes_register(x, v);
    for (uint32_t i = 0; i < operand_count(s); i++) {
        Val of = operand_at(s, i);
        uint32_t asks = 1;
        if (!is_made(x, of) || !takes_register(x, of)) continue;
        for (uint32_t k = 0; k < i; k++) asks += operand_at(s, k) == of;
        more -= asks == x->n_asking[of];
    }
    return more;
}

typedef struct Waiting {
    Val first, last; /* of those that may stand, as they came to; x->next */
    float now;       /* cycles */
    int32_t alive;
} Waiting;

static void may_stand(Schedule *x, Waiting *w, Val v)
{
    x->next[v] = VAL_NONE;
    if (w->first == VAL_NONE) w->first = v;
    else x->next[w->last] = v;
    w->last = v;
}

static void take_out(Schedule *x, Waiting *w, Val v, Val before)
{
    if (before == VAL_NONE) w->first = x->next[v];
    else x->next[before] = x->next[v];
    if (w->last == v) w->last = before;
}

/* Which stands next: if registers are short, of those that need the fewest; that waits the least; ahead of
 * the longest chain. */
static Val take_best(Schedule *x, Waiting *w, int32_t room)
{
    Val best = VAL_NONE, before_best = VAL_NONE, before = VAL_NONE;
    int32_t least_growth = 0, seen = 0;
    float least_wait = 0;
    for (Val v = w->first; v != VAL_NONE && seen < LOOKED_AT; before = v, v = x->next[v], seen++) {
        int32_t grows = w->alive >= room ? growth(x, v) : 0;
        float waits = x->ready[v] > w->now ? x->ready[v] - w->now : 0;
        bool better = best == VAL_NONE        ? true
                      : grows != least_growth ? grows < least_growth
                      : waits != least_wait   ? waits < least_wait
                                              : x->chain[v] > x->chain[best];
        if (better) best = v, before_best = before, least_growth = grows, least_wait = waits;
    }
    take_out(x, w, best, before_best);
    return best;
}

static void stand_waiting(Schedule *x, Waiting *w, Val v, uint64_t tiles)
{
    const Stmt *s = &x->k->stmts[v];
    if (w->now < x->ready[v]) w->now = x->ready[v];
    float end = w->now + wait_for(s);
    w->now += work_of(s) * (float)tiles;
    w->alive += growth(x, v);
    for (uint32_t i = 0; i < operand_count(s); i++)
        if (is_made(x, operand_at(s, i))) x->n_asking[operand_at(s, i)]--;
    if (s->kind == ST_STORE && x->next_store[v] != VAL_NONE && --x->n_waiting[x->next_store[v]] == 0)
        may_stand(x, w, x->next_store[v]);
    for (uint32_t i = x->first_user[v]; i < x->first_user[v + 1]; i++) {
        Val user = x->users[i];
        if (user >= x->to) continue;
        if (x->ready[user] < end) x->ready[user] = end;
        if (--x->n_waiting[user] == 0) may_stand(x, w, user);
    }
}

/* As a machine would begin them that has some registers and looks at all that may stand. */
static void hide_waits(Schedule *x, uint64_t tiles, int32_t room)
{
    Waiting w = { .first = VAL_NONE, .last = VAL_NONE };
    begin(x);
    for (Val v = x->from; v < x->to; v++) {
        x->ready[v] = 0;
        if (!x->n_waiting[v]) may_stand(x, &w, v);
    }
    for (Val at = x->from; at < x->to; at++) {
        x->order[at] = take_best(x, &w, room);
        stand_waiting(x, &w, x->order[at], tiles);
    }
}

static void keep_order(Schedule *x)
{
    for (Val v = x->from; v < x->to; v++) x->order[v] = v;
}

/* Is that worth its registers? */
static bool hides_waits(Schedule *x, uint64_t tiles, uint32_t most, uint32_t alive)
{
    if ((x->to - x->from) * tiles <= LOOKS_AHEAD || find_chains(x) <= LONG_WAIT) return false;
    hide_waits(x, tiles, (int32_t)(2 * most / tiles));
    uint32_t now = most_alive(x);
    return now * tiles <= 2 * most || now * 4 <= alive * 5;
}

static void schedule_run(Schedule *x, uint64_t tiles, uint32_t most)
{
    if (x->to - x->from <= most || !chain_stores(x)) return;
    uint32_t alive = most_alive(x);
    if (hides_waits(x, tiles, most, alive)) {
        x->is_other = true;
        return;
    }
    keep_order(x);
    if (alive * tiles <= most) return;
    find_order(x);
    if (most_alive(x) < alive) x->is_other = true;
    else keep_order(x);
}

/* ---- the kernel ---- */

static void rename_operands(const Schedule *x, Stmt *s, const Val *map)
{
    Term *terms = arena_copy(x->p->arena, s->address.terms, s->address.n_terms * sizeof *terms);
    for (int i = 0; i < 3; i++)
        if (s->args[i] != VAL_NONE) s->args[i] = map[s->args[i]];
    for (uint32_t i = 0; i < s->address.n_terms; i++) terms[i].of = map[terms[i].of];
    s->address.terms = terms;
}

static void put_in_order(Schedule *x)
{
    Kernel *k = x->k;
    const Stmt *was = arena_copy(x->arena, k->stmts, k->n_stmts * sizeof *was);
    Val *map = arena_alloc(x->arena, k->n_stmts * sizeof *map);
    for (Val at = 0; at < k->n_stmts; at++) map[x->order[at]] = at;
    for (Val at = 0; at < k->n_stmts; at++) {
        k->stmts[at] = was[x->order[at]];
        rename_operands(x, &k->stmts[at], map);
    }
}

static void find_users(Schedule *x)
{
    const Kernel *k = x->k;
    uint32_t *at = arena_alloc(x->arena, (k->n_stmts + 2) * sizeof *at);
    for (Val v = 0; v < k->n_stmts; v++)
        for (uint32_t i = 0; i < operand_count(&k->stmts[v]); i++)
            if (operand_at(&k->stmts[v], i) != VAL_NONE) at[operand_at(&k->stmts[v], i) + 2]++;
    for (Val v = 0; v < k->n_stmts; v++) at[v + 2] += at[v + 1];
    x->users = arena_alloc(x->arena, (at[k->n_stmts + 1] + 1) * sizeof *x->users);
    for (Val v = 0; v < k->n_stmts; v++)
        for (uint32_t i = 0; i < operand_count(&k->stmts[v]); i++)
            if (operand_at(&k->stmts[v], i) != VAL_NONE) x->users[at[operand_at(&k->stmts[v], i) + 1]++] = v;
    x->first_user = at;
}

static void open_kernel(Schedule *x, Kernel *k)
{
    x->k = k;
    x->is_other = false;
    x->next_store = arena_alloc(x->arena, k->n_stmts * sizeof *x->next_store);
    x->n_waiting = arena_alloc(x->arena, k->n_stmts * sizeof *x->n_waiting);
    x->n_asking = arena_alloc(x->arena, k->n_stmts * sizeof *x->n_asking);
    x->stands = arena_alloc(x->arena, k->n_stmts);
    x->order = arena_alloc(x->arena, k->n_stmts * sizeof *x->order);
    x->chain = arena_alloc(x->arena, k->n_stmts * sizeof *x->chain);
    x->ready = arena_alloc(x->arena, k->n_stmts * sizeof *x->ready);
    x->next = arena_alloc(x->arena, k->n_stmts * sizeof *x->next);
    find_users(x);
    /* one for each use that comes to be possible, and for each that comes to be the last */
    x->stack = arena_alloc(x->arena, (2 * x->first_user[k->n_stmts] + k->n_stmts) * sizeof *x->stack);
    for (Val v = 0; v < k->n_stmts; v++) x->order[v] = v;
}

static void schedule_kernel(Schedule *x, Kernel *k, uint32_t most)
{
    uint64_t tiles = 1; /* of the loops around: a value is as many vectors */
    open_kernel(x, k);
    for (x->from = 0; x->from < k->n_stmts; x->from = x->to + 1) {
        for (x->to = x->from; x->to < k->n_stmts && may_move(&k->stmts[x->to]);) x->to++;
        schedule_run(x, tiles, most);
        if (x->to == k->n_stmts) break;
        const Stmt *s = &k->stmts[x->to];
        if (s->kind == ST_LOOP) tiles *= s->tile;
        if (s->kind == ST_END) tiles /= k->stmts[s->args[0]].tile;
    }
    if (x->is_other) put_in_order(x);
}

/* A quarter of the registers is for numbers from outside of a body, and for what waits for others to be
 * stored with (fft of 4096, AVX-512: 4.0 -> 3.6 us, a third of the spills; with half of them for these,
 * Black and Scholes: 1.67 -> 1.73 ms). */
void schedule_kernels(Program *p, const Target *target)
{
    Arena *arena = arena_within(p->arena);
    Schedule x = { .arena = arena, .p = p, .memory = program_memories(arena, p) };
    x.stored = arena_alloc(arena, (p->n_buffers + 1) * sizeof *x.stored);
    x.loaded = arena_alloc(arena, (p->n_buffers + 1) * sizeof *x.loaded);
    ArenaMark empty = arena_mark(arena);
    uint32_t most = target->vector_registers * 3u / 4;
    for (Kernel *k = p->kernels; k < p->kernels + p->n_kernels; k++) {
        if (k->n_stmts > most) schedule_kernel(&x, k, most);
        arena_release(arena, empty);
    }
    arena_free(arena);
}
