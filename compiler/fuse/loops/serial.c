/* serial.c: a loop of steps whose kernels are a few statements each, a recurrence over an array's elements
 * or over a small matrix most likely, becomes a loop of one kernel: no call for each step, and what no step
 * changes stands ahead of it. The kernels' own loops, if they are short, are written out before
 * (written_out.h). The two buffers of a carry, which change names after each step, become one that the other
 * is copied to.
 *
 * Statements keep their order, so whatever the kernels read and wrote, this one does. Then memory is left out
 * where a value is known without it:
 *
 *     y[i] = x[i] + y[i - 2]: what this step stores is what the one after the next loads
 *
 * A LOAD of what the only STORE to such elements stored d steps ago is a carry, the last of a chain of d; of
 * what it stored in the same step, that value. The chain starts with what memory holds before the loop. An
 * element that every step stores is stored once, behind the loop, if no LOAD of its buffer is left, and not
 * at all if it is a TEMP that nobody loads after it. So a matrix of 3 x 3 that each step multiplies is nine
 * carries.
 */
#include "serial.h"
#include "written_out.h"
#include "compiler/fuse/cost.h"
#include "compiler/fuse/loops/nest.h"
#include "compiler/program/step_list.h"
#include <string.h>

enum {
    MOST_STMTS = 128,   /* of all kernels: the call that is saved is 2 ns */
    MOST_WRITTEN = 512, /* the same if their loops are written out; and their arithmetic: limits */
    MOST_COST = 256,
    MOST_COPIED = 32, /* elements of a carry: registers */
    MOST_BACK = 4,    /* steps that a chain of carries spans: registers */
    HEAD = 0          /* the number of the LOOP */
};
typedef enum { AHEAD, INSIDE, BEHIND, NOWHERE } Part; /* of the kernel, by the loop */

/* The loop, and what becomes of it. Statements are named by their number in `stmt`, whose first is the LOOP,
 * whatever their order in the kernel will be. */
typedef struct Serial {
    Program *program;
    const ProgramStep *loop;
    Kernel *kernel; /* of the loop, without loops of their own */
    uint32_t n_kernels;
    Stmt *stmt;
    Part *where;
    Val *is; /* another one that has its value, or itself */
    uint32_t n, cap_stmt, cap_where, cap_is;
} Serial;

static Val add(Serial *x, Stmt s, Part where)
{
    Arena *a = x->program->arena;
    Val v = x->n++;
    x->stmt = arena_grow(a, x->stmt, v, &x->cap_stmt, x->n, sizeof *x->stmt);
    x->where = arena_grow(a, x->where, v, &x->cap_where, x->n, sizeof *x->where);
    x->is = arena_grow(a, x->is, v, &x->cap_is, x->n, sizeof *x->is);
    x->stmt[v] = s;
    x->where[v] = where;
    x->is[v] = v;
    return v;
}

static Val value_of(const Serial *x, Val v)
{
    while (v != VAL_NONE && x->is[v] != v) v = x->is[v];
    return v;
}

/* ---- the kernels' statements, in one loop ---- */

static bool uses(const Stmt *s, uint32_t buffer, StmtKind kind)
{
    return s->kind == kind && s->buffer == buffer;
}

/* Do the kernels load, or store, the buffer? */
static bool any_use(const Serial *x, uint32_t buffer, StmtKind kind)
{
    for (uint32_t k = 0; k < x->n_kernels; k++)
        for (uint32_t i = 0; i < x->kernel[k].n_stmts; i++)
            if (uses(&x->kernel[k].stmts[i], buffer, kind)) return true;
    return false;
}

/* Does each step store all of a few elements, and load none before it has stored it? */
static bool is_stored_first(const Serial *x, uint32_t buffer)
{
    bool stored[MOST_COPIED] = { false };
    int64_t count = x->program->buffers[buffer].count, n = 0;
    if (count > MOST_COPIED) return false;
    for (uint32_t k = 0; k < x->n_kernels; k++)
        for (uint32_t i = 0; i < x->kernel[k].n_stmts; i++) {
            const Stmt *s = &x->kernel[k].stmts[i];
            bool load = uses(s, buffer, ST_LOAD), one = s->address.n_terms == 0;
            if (load && n < count && (!one || !stored[s->address.offset])) return false;
            if (!uses(s, buffer, ST_STORE) || !one || s->args[1] != VAL_NONE) continue;
            n += !stored[s->address.offset];
            stored[s->address.offset] = true;
        }
    return n == count;
}

/* The SWAP at step i of the loop may be a copy of its second buffer to its first, if no other SWAP speaks of
 * either: of what each step stores in the second before it is loaded, and never in the first. Then both have
 * it in the end, whatever they are called. */
static bool is_copy(const Serial *x, uint32_t i)
{
    const ProgramStep *s = &x->program->steps[i];
    for (const ProgramStep *o = s - 1; o->kind == STEP_SWAP; o--) {
        if (o->buffer == s->buffer || o->buffer == s->other || o->other == s->buffer || o->other == s->other)
            return false;
    }
    return is_stored_first(x, s->other) && !any_use(x, s->buffer, ST_STORE);
}

static bool has_loops(const Kernel *k)
{
    for (uint32_t i = 0; i < k->n_stmts; i++)
        if (k->stmts[i].kind == ST_LOOP) return true;
    return false;
}

/* Are the loop's kernels few statements, that cost no more one by one than in lanes and by calls? *end: the
 * step behind them. */
static bool is_small(const Serial *x, uint32_t *end)
{
    const Program *p = x->program;
    uint32_t n = 0, i = (uint32_t)(x->loop - p->steps) + 1;
    double cost = 0, cost_of_loops = 0;
    bool any_loops = false;
    for (; i < p->n_steps && p->steps[i].kind == STEP_KERNEL; i++) {
        const Kernel *k = &p->kernels[p->steps[i].kernel];
        WrittenOut w = written_out_size(p, k);
        if (w.stmts > MOST_WRITTEN || (n += w.stmts) > MOST_WRITTEN) return false;
        any_loops |= has_loops(k);
        cost += w.cost;
        cost_of_loops += w.cost_of_loops + COST_CALL;
    }
    *end = i;
    if (!any_loops) return n && n <= MOST_STMTS;
    return cost <= MOST_COST && cost <= cost_of_loops;
}

/* The end of a loop that may be one kernel, whose kernels x then has; 0: it may not. */
static uint32_t take_loop(Serial *x)
{
    const Program *p = x->program;
    uint32_t i, first = (uint32_t)(x->loop - p->steps) + 1;
    if (x->loop->kind != STEP_LOOP || x->loop->parallel || x->loop->bands || !is_small(x, &i)) return 0;
    x->kernel = arena_alloc(p->arena, (i - first) * sizeof *x->kernel);
    for (uint32_t k = first; k < i; k++) {
        const Kernel *from = &p->kernels[p->steps[k].kernel];
        x->kernel[x->n_kernels++] = has_loops(from) ? write_out(p, from) : *from;
    }
    for (; i < p->n_steps && p->steps[i].kind == STEP_SWAP; i++)
        if (!is_copy(x, i)) return 0;
    return i < p->n_steps && p->steps[i].kind == STEP_END ? i : 0;
}

static bool same_statement(const Stmt *a, const Stmt *b)
{
    return a->kind == b->kind && a->op == b->op && a->dtype == b->dtype && a->buffer == b->buffer &&
           a->imm == b->imm && !memcmp(a->args, b->args, sizeof a->args) &&
           address_equal(a->address, b->address) &&
           (!stmt_has_attr(a) || !memcmp(a->attr, b->attr, 2 * sizeof *a->attr));
}

static bool is_stored(const Serial *x, uint32_t buffer)
{
    if (any_use(x, buffer, ST_STORE)) return true;
    for (const ProgramStep *s = x->loop + 1; s->kind != STEP_END; s++)
        if (s->kind == STEP_SWAP && s->buffer == buffer) return true;
    return false;
}

/* The statement of this meaning, found or made. One that is `pure` has the same value wherever it stands. */
static Val intern(Serial *x, Stmt s, bool pure, Part where)
{
    for (Val v = 1; pure && v < x->n; v++)
        if (same_statement(&x->stmt[v], &s)) return v;
    return add(x, s, where);
}

/* An op takes the counter as an INDEX, an address the LOOP itself. */
static Val counter_value(Serial *x)
{
    Stmt s = stmt_new(ST_INDEX, WEFT_I64);
    s.address = address_of(x->program->arena, HEAD, 1);
    return intern(x, s, true, INSIDE);
}

/* The address where map[] says what its terms have become. */
static Address renamed(Arena *a, Address from, const Val *map)
{
    Address to = address_number(from.offset);
    for (uint32_t i = 0; i < from.n_terms; i++)
        to = address_add(a, to, address_of(a, map[from.terms[i].of], from.terms[i].coef));
    return to;
}

/* A statement of a kernel, of which map[] says what those before it have become. */
static Val take(Serial *x, const Stmt *from, const Val *map)
{
    Stmt s = *from;
    if (s.kind == ST_COUNTER && s.imm == x->loop->counter) return HEAD;
    bool pure = s.kind != ST_STORE && (s.kind != ST_LOAD || !is_stored(x, s.buffer)), ahead = pure;
    for (int i = 0; i < 3; i++) {
        if (s.args[i] == VAL_NONE) continue;
        s.args[i] = map[s.args[i]] == HEAD ? counter_value(x) : map[s.args[i]];
        ahead &= x->where[s.args[i]] == AHEAD;
    }
    s.address = renamed(x->program->arena, from->address, map);
    for (uint32_t i = 0; i < s.address.n_terms; i++) ahead &= x->where[s.address.terms[i].of] == AHEAD;
    return intern(x, s, pure, ahead ? AHEAD : INSIDE);
}

/* What has become of a SWAP: each element of its second buffer is copied to the first. */
static void take_copy(Serial *x, const ProgramStep *s)
{
    const Buffer *from = &x->program->buffers[s->other];
    for (int64_t i = 0; i < from->count; i++) {
        Stmt load = stmt_new(ST_LOAD, (DType)from->dtype), store = stmt_new(ST_STORE, (DType)0);
        load.buffer = s->other;
        store.buffer = s->buffer;
        load.address = store.address = address_number(i);
        store.args[0] = add(x, load, INSIDE);
        add(x, store, INSIDE);
    }
}

static void take_kernels(Serial *x)
{
    const Program *p = x->program;
    Stmt loop = stmt_new(ST_LOOP, (DType)0);
    loop.extent = x->loop->extent;
    add(x, loop, INSIDE);
    for (uint32_t n = 0; n < x->n_kernels; n++) {
        const Kernel *k = &x->kernel[n];
        Val *map = arena_alloc(p->arena, (k->n_stmts + 1) * sizeof *map);
        for (uint32_t i = 0; i < k->n_stmts; i++) map[i] = take(x, &k->stmts[i], map);
    }
    for (const ProgramStep *s = x->loop + 1 + x->n_kernels; s->kind == STEP_SWAP; s++) take_copy(x, s);
}

/* ---- loads of what was stored ---- */

/* What a STORE leaves for steps behind it: carries of what it stored so many steps ago. */
typedef struct Chain {
    Val store, carry[MOST_BACK + 1];
    int length;
} Chain;

/* Do the STOREs into the buffer never store what another one does, in this step or a later one? Their
 * addresses are as far apart in each step, and no step is as long. */
static bool stores_apart(const Serial *x, uint32_t buffer)
{
    Arena *a = x->program->arena;
    for (Val v = 1; v < x->n; v++) {
        if (!uses(&x->stmt[v], buffer, ST_STORE)) continue;
        for (Val u = 1; u < v; u++) {
            if (!uses(&x->stmt[u], buffer, ST_STORE)) continue;
            Address apart = address_add(a, x->stmt[v].address, address_scale(a, x->stmt[u].address, -1));
            int64_t stride = address_coefficient(x->stmt[v].address, HEAD);
            if (apart.n_terms || (stride ? apart.offset % stride : apart.offset) == 0) return false;
        }
    }
    return true;
}

/* Does a value have all its bits in memory, and no more elsewhere? */
static bool is_exact(DType t) { return !dtype_is_float(t) || dtype_bits(t) >= 32; }

/* How many steps ago the STORE wrote what the LOAD reads, in each step; -1: not known, or not always. */
static int64_t steps_back(const Serial *x, Val load, Val store)
{
    const Stmt *l = &x->stmt[load], *s = &x->stmt[store];
    Address apart =
        address_add(x->program->arena, s->address, address_scale(x->program->arena, l->address, -1));
    int64_t stride = address_coefficient(s->address, HEAD), back;
    if (apart.n_terms || (stride ? apart.offset % stride : apart.offset)) return -1;
    back = stride ? apart.offset / stride : load < store;
    if (back == 0) return store < load ? 0 : -1;
    for (uint32_t i = 0; i < s->address.n_terms; i++)
        if (s->address.terms[i].of != HEAD && x->where[s->address.terms[i].of] != AHEAD) return -1;
    return back <= MOST_BACK && back <= x->loop->extent ? back : -1;
}

/* The carry of what was stored so many steps ago: before, what lies where such a step would have stored. */
static Val carried(Serial *x, Chain *c, int64_t back)
{
    Arena *a = x->program->arena;
    while (c->length < back) {
        const Stmt *store = &x->stmt[c->store];
        int64_t stride = address_coefficient(store->address, HEAD);
        Stmt load = stmt_new(ST_LOAD, (DType)x->stmt[store->args[0]].dtype), carry = load;
        load.buffer = store->buffer;
        load.address = address_shift(address_add(a, store->address, address_of(a, HEAD, -stride)),
                                     -stride * (c->length + 1));
        carry.kind = ST_CARRY;
        carry.args[0] = add(x, load, AHEAD);
        c->carry[++c->length] = add(x, carry, AHEAD);
    }
    return c->carry[back];
}

static void set_carries(Serial *x, const Chain *c)
{
    for (int k = 1; k <= c->length; k++) {
        Stmt set = stmt_new(ST_SET, (DType)0);
        set.args[0] = c->carry[k];
        set.args[1] = k == 1 ? x->stmt[c->store].args[0] : c->carry[k - 1];
        add(x, set, INSIDE);
    }
}

static bool step_reads(const Program *p, const ProgramStep *s, uint32_t buffer)
{
    if (s->kind == STEP_SWAP || s->kind == STEP_TEST || s->kind == STEP_CASE)
        return s->buffer == buffer || (s->kind == STEP_SWAP && s->other == buffer);
    for (uint32_t i = 0; s->kind == STEP_CALL && i < s->n_buffers; i++)
        if (s->buffers[i] == buffer) return true;
    for (uint32_t i = 0; s->kind == STEP_KERNEL && i < p->kernels[s->kernel].n_stmts; i++) {
        const Stmt *t = &p->kernels[s->kernel].stmts[i];
        if (t->kind == ST_LOAD && t->buffer == buffer) return true;
    }
    return false;
}

/* Is it memory that nothing outside of the loop reads? */
static bool is_private(const Serial *x, uint32_t buffer)
{
    const Program *p = x->program;
    bool inside = false;
    if (p->buffers[buffer].kind != BUF_TEMP && p->buffers[buffer].kind != BUF_LOCAL) return false;
    for (const ProgramStep *s = p->steps; s < p->steps + p->n_steps; s++) {
        inside = s == x->loop || (inside && s->kind != STEP_END);
        if (!inside && step_reads(p, s, buffer)) return false;
    }
    return true;
}

/* Is the loop in no other, in whose next turn it would read itself what it has left in memory? */
static bool runs_once(const Serial *x)
{
    const Program *p = x->program;
    int around = 0;
    for (const ProgramStep *s = p->steps; s < x->loop; s++) {
        const ProgramStep *opened = s->kind == STEP_END ? &p->steps[s->opened] : s;
        if (opened->kind == STEP_LOOP || opened->kind == STEP_WHILE) around += opened == s ? 1 : -1;
    }
    return !around;
}

/* The STORE's own memory is written behind the loop, or never, where no step reads it. */
static void leave_out_store(Serial *x, const Chain *c)
{
    const Stmt *s = &x->stmt[c->store];
    for (Val v = 1; v < x->n; v++)
        if (x->stmt[v].kind == ST_LOAD && x->where[v] == INSIDE && x->is[v] == v &&
            x->stmt[v].buffer == s->buffer)
            return;
    bool moves = c->length && !address_coefficient(s->address, HEAD), private = is_private(x, s->buffer);
    if (!moves && (c->length || !private)) return;
    if (moves && !(private && runs_once(x))) {
        Stmt total = stmt_new(ST_TOTAL, (DType)x->stmt[c->carry[1]].dtype), last = *s;
        total.args[0] = c->carry[1];
        last.args[0] = add(x, total, BEHIND);
        add(x, last, BEHIND);
    }
    x->where[c->store] = NOWHERE;
}

/* LOADs of what a STORE that is always done writes. */
static void forward_from(Serial *x, Chain *c)
{
    const uint32_t n = x->n;
    const Stmt *store = &x->stmt[c->store];
    if (store->args[1] != VAL_NONE || !is_exact((DType)x->stmt[store->args[0]].dtype)) return;
    for (Val v = 1; v < n; v++) {
        const Stmt *l = &x->stmt[v];
        if (!uses(l, x->stmt[c->store].buffer, ST_LOAD) || l->args[0] != VAL_NONE) continue;
        int64_t back = steps_back(x, v, c->store);
        if (back >= 0) x->is[v] = back ? carried(x, c, back) : x->stmt[c->store].args[0];
    }
    set_carries(x, c);
}

static void forward(Serial *x)
{
    const uint32_t n = x->n;
    Chain *chain = arena_alloc(x->program->arena, n * sizeof *chain);
    for (Val v = 1; v < n; v++) {
        if (x->stmt[v].kind != ST_STORE || !stores_apart(x, x->stmt[v].buffer)) continue;
        chain[v].store = v;
        forward_from(x, &chain[v]);
    }
    for (Val v = 1; v < n; v++)
        if (chain[v].store) leave_out_store(x, &chain[v]);
}

/* ---- the kernel ---- */

/* What the STOREs that are left need. */
static bool *find_used(const Serial *x)
{
    bool *used = arena_alloc(x->program->arena, x->n + 1), more = true;
    while (more) {
        more = false;
        for (Val v = x->n; v-- > 0;) {
            const Stmt *s = &x->stmt[v];
            bool root = v == HEAD || (s->kind == ST_STORE && x->where[v] != NOWHERE);
            if (used[v] || !(root || (s->kind == ST_SET && used[s->args[0]]))) continue;
            used[v] = more = true;
        }
        for (Val v = x->n; v-- > 0;) {
            const Stmt *s = &x->stmt[v];
            for (int i = 0; used[v] && i < 3; i++)
                if (s->args[i] != VAL_NONE && !used[value_of(x, s->args[i])])
                    used[value_of(x, s->args[i])] = more = true;
            for (uint32_t i = 0; used[v] && i < s->address.n_terms; i++)
                if (!used[value_of(x, s->address.terms[i].of)])
                    used[value_of(x, s->address.terms[i].of)] = more = true;
        }
    }
    return used;
}

/* Those of one part, in their order. What a LOAD is instead has been written before it. */
static void write_part(const Serial *x, Part where, const bool *used, Val *map, Kernel *k)
{
    for (Val v = 1; v < x->n; v++) {
        Stmt s = x->stmt[v];
        if (x->where[v] != where) continue;
        map[v] = x->is[v] == v ? k->n_stmts : map[value_of(x, v)];
        if (x->is[v] != v || !used[v]) continue;
        for (int i = 0; i < 3; i++)
            if (s.args[i] != VAL_NONE) s.args[i] = map[s.args[i]];
        s.address = renamed(x->program->arena, s.address, map);
        k->stmts[k->n_stmts++] = s;
    }
}

static void write_kernel(Serial *x, Kernel *k)
{
    Arena *a = x->program->arena;
    const bool *used = find_used(x);
    Val *map = arena_alloc(a, (x->n + 1) * sizeof *map);
    Stmt end = stmt_new(ST_END, (DType)0);
    k->stmts = arena_alloc(a, (x->n + 2) * sizeof *k->stmts);
    k->n_stmts = 0;
    write_part(x, AHEAD, used, map, k);
    end.args[0] = map[HEAD] = k->n_stmts;
    k->stmts[k->n_stmts++] = x->stmt[HEAD];
    write_part(x, INSIDE, used, map, k);
    k->stmts[k->n_stmts++] = end;
    write_part(x, BEHIND, used, map, k);
}

void serial_make(Program *p)
{
    StepList l = step_list_new(p);
    for (uint32_t i = 0; i < p->n_steps; i++) {
        Serial x = { .program = p, .loop = &p->steps[i] };
        uint32_t end = take_loop(&x);
        if (!end) {
            step_list_keep(&l, p, i);
            continue;
        }
        take_kernels(&x);
        forward(&x);
        write_kernel(&x, &p->kernels[p->steps[i + 1].kernel]);
        step_list_push(p->arena, &l, p->steps[i + 1]);
        i = end;
    }
    step_list_end(&l, p);
}
