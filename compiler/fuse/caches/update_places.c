/* update_places.c: an array is updated at places that data says, one update after the other. What does not
 * depend on the array, the places above all, is known before, in lanes, a block of updates at a time; and of
 * an array that the caches do not hold all lines of a block are asked for at once:
 *
 *     kernel scatter {                    loop c0 : 3125 {
 *       loop i : 200000 {                   kernel scatter_places rows 64 c0 {
 *         p = ... load %rows[i] ...           lanes i : 200000 {
 *         m = p is inside                       p = ...;  m = ...
 *         x = load %y[p] if m                   store %place[i - 64 c0] (p, or -1 if not m) } }
 *         store %y[p] (x + u[i]) if m       kernel scatter rows 64 c0 {
 *       }                                     loop i : 200000 { fetch %y[load %place[i - 64 c0]] }
 *     }                                       loop i : 200000 {
 *                                               p = load %place[i - 64 c0];  m = p >= 0
 *                                               x = load %y[p] if m
 *                                               store %y[p] (x + u[i]) if m } } }
 *
 * In one loop an update has so many instructions that the machine sees only a few updates ahead.
 */
#include "update_places.h"
#include "compiler/fuse/cost.h"
#include "compiler/program/kernel_copy.h"
#include "compiler/program/step_list.h"

typedef enum {
    WITH_UPDATE, /* depends on what is updated */
    AHEAD,       /* does not, */
    READ_AGAIN   /* and is a constant, or an element of the update's own: made where it is used */
} When;

typedef struct Updates {
    Program *program;
    const Target *target;
    const Kernel *kernel;
    const uint32_t *memory; /* by buffer */
    Val loop, end;
    Val store; /* the first; all others, and all loads of what is updated, are at its place under its mask */
    Val mask;
    uint8_t *when;    /* by statement: a When */
    bool *need;       /* by statement: of the kernel that is made */
    uint32_t *window; /* by statement: 1 + the buffer that holds a block of it; 0: none */
    uint32_t places;  /* the buffer */
    uint32_t counter;
    KernelCopy to;
} Updates;

static const Stmt *stmt(const Updates *u, Val v) { return &u->kernel->stmts[v]; }

/* ---- which kernels ---- */

/* One loop of single steps, of loads, stores and ops; what stands around it may be made again. */
static bool has_form(Updates *u)
{
    u->loop = u->store = VAL_NONE;
    for (Val v = 0; v < u->kernel->n_stmts; v++) {
        const Stmt *s = stmt(u, v);
        if (s->kind == ST_LOOP) {
            if (u->loop != VAL_NONE || s->parallel || s->lanes > 1 || s->tile > 1) return false;
            u->loop = v;
            u->end = loop_end(u->kernel, v);
        } else if (s->kind == ST_STORE) {
            if (u->loop == VAL_NONE || v > u->end) return false;
            if (u->store == VAL_NONE) u->store = v;
        } else if (s->kind != ST_END && !stmt_may_repeat(s)) return false;
    }
    return u->store != VAL_NONE && stmt(u, u->loop)->extent >= MANY_UPDATES;
}

static bool is_updated(const Updates *u, uint32_t buffer)
{
    for (Val v = u->store; v < u->end; v++)
        if (stmt(u, v)->kind == ST_STORE && u->memory[stmt(u, v)->buffer] == u->memory[buffer]) return true;
    return false;
}

static bool touches_updated(const Updates *u, Val v)
{
    const Stmt *s = stmt(u, v);
    return s->kind == ST_STORE || (s->kind == ST_LOAD && is_updated(u, s->buffer));
}

static bool is_ahead(const Updates *u, Val v) { return v == VAL_NONE || u->when[v] != WITH_UPDATE; }

static bool moves_with_loop_alone(const Updates *u, Address a)
{
    for (uint32_t i = 0; i < a.n_terms; i++)
        if (a.terms[i].of > u->loop) return false;
    return true;
}

static void find_ahead(Updates *u)
{
    for (Val v = 0; v < u->end; v++) {
        const Stmt *s = stmt(u, v);
        bool ahead = !touches_updated(u, v);
        for (int a = 0; a < 3; a++) ahead = ahead && is_ahead(u, s->args[a]);
        for (uint32_t t = 0; t < s->address.n_terms; t++)
            ahead = ahead && is_ahead(u, s->address.terms[t].of);
        bool again = v < u->loop || s->kind == ST_CONST ||
                     (s->kind == ST_LOAD && s->args[0] == VAL_NONE && moves_with_loop_alone(u, s->address));
        u->when[v] = !ahead ? WITH_UPDATE : again ? READ_AGAIN : AHEAD;
    }
}

/* Are all updates of an iteration at one place, which is data and known ahead? */
static bool has_place(Updates *u)
{
    const Stmt *first = stmt(u, u->store);
    u->mask = first->args[1];
    if (!is_ahead(u, u->mask) || moves_with_loop_alone(u, first->address)) return false;
    for (uint32_t t = 0; t < first->address.n_terms; t++)
        if (!is_ahead(u, first->address.terms[t].of)) return false;
    for (Val v = u->loop + 1; v < u->end; v++) {
        const Stmt *s = stmt(u, v);
        if (!touches_updated(u, v)) continue;
        if (!address_equal(s->address, first->address) || s->args[s->kind == ST_STORE] != u->mask)
            return false;
    }
    return true;
}

static bool is_far(const Updates *u)
{
    const Buffer *b = &u->program->buffers[stmt(u, u->store)->buffer];
    return buffer_bytes(b) > FAR_UPDATES * (int64_t)u->target->l2_bytes;
}

static int64_t cost_ahead(const Updates *u)
{
    int64_t cost = 0;
    for (Val v = u->loop + 1; v < u->end; v++)
        if (u->when[v] == AHEAD && stmt(u, v)->kind == ST_OP)
            cost += op_cost((Op)stmt(u, v)->op, (DType)stmt(u, v)->dtype);
    return cost;
}

/* ---- kernels ---- */

static void need_operands(Updates *u, const Stmt *s)
{
    for (int a = 0; a < 3; a++)
        if (s->args[a] != VAL_NONE) u->need[s->args[a]] = true;
    for (uint32_t t = 0; t < s->address.n_terms; t++) u->need[s->address.terms[t].of] = true;
}

/* The statement; without address and mask if these are the place. */
static Stmt without_place(const Updates *u, Val v)
{
    Stmt s = *stmt(u, v);
    if (!touches_updated(u, v)) return s;
    s.address.n_terms = 0;
    s.args[s.kind == ST_STORE] = VAL_NONE;
    return s;
}

static void need_what_needed_is_made_of(Updates *u)
{
    for (Val v = u->end; v-- > 0;)
        if (u->need[v]) need_operands(u, stmt(u, v));
}

static void need_nothing(Updates *u)
{
    for (Val v = 0; v < u->kernel->n_stmts; v++) u->need[v] = false;
}

/* What updates are made of, but for their place; not what that is made of where it is known ahead. */
static void need_of_updates(Updates *u)
{
    need_nothing(u);
    for (Val v = u->end; v-- > 0;) {
        Stmt s = without_place(u, v);
        u->need[v] |= u->when[v] == WITH_UPDATE;
        if (u->need[v] && u->when[v] != AHEAD) need_operands(u, &s);
    }
}

static uint32_t add_window(Updates *u, DType t)
{
    return program_add_buffer(u->program,
                              (Buffer){ .kind = BUF_TEMP, .dtype = (uint8_t)t, .count = UPDATES_AT_ONCE });
}

/* For blocks of what updates want that was computed ahead, and of their places. */
static void add_windows(Updates *u)
{
    need_of_updates(u);
    for (Val v = u->loop + 1; v < u->end; v++)
        if (u->need[v] && u->when[v] == AHEAD) u->window[v] = 1 + add_window(u, (DType)stmt(u, v)->dtype);
    u->places = add_window(u, WEFT_I32);
}

static Val append_op(Updates *u, Op op, DType t, Val a, Val b, Val c)
{
    return copy_append(&u->to, stmt_op(op, t, a, b, c));
}

static Val append_i32(Updates *u, int32_t n)
{
    Stmt s = stmt_new(ST_CONST, WEFT_I32);
    s.imm = scalar_from_i64(WEFT_I32, n);
    return copy_append(&u->to, s);
}

static Val append_is_place(Updates *u, Val place)
{
    static const int64_t attr[] = { CMP_GE, ORDER_SIGNED };
    Val v = append_op(u, OP_COMPARE, WEFT_BOOL, place, append_i32(u, 0), VAL_NONE);
    u->to.out.stmts[v].attr = arena_copy(u->program->arena, attr, sizeof attr);
    return v;
}

/* An access to the element that a value says, or in a window to the iteration's own. */
static Val append_access(Updates *u, Stmt s, uint32_t buffer, Address a)
{
    s.buffer = buffer;
    s.address = a;
    s.address.terms = arena_copy(u->program->arena, a.terms, a.n_terms * sizeof *a.terms);
    return copy_append(&u->to, s);
}

static Address at_place(const Term *place) { return (Address){ .n_terms = 1, .terms = place }; }

static Val append_window(Updates *u, uint32_t buffer, Val counter, Val loop, Val store)
{
    const Term terms[] = { { counter, -u->to.out.rows }, { loop, 1 } };
    Stmt s = stmt_new(store == VAL_NONE ? ST_LOAD : ST_STORE, (DType)u->program->buffers[buffer].dtype);
    s.args[0] = store;
    return append_access(u, s, buffer, (Address){ .n_terms = 2, .terms = terms });
}

static Val begin(Updates *u, const char *name)
{
    Stmt counter = stmt_new(ST_COUNTER, WEFT_I64);
    counter.imm = u->counter;
    copy_begin(&u->to, (Kernel){ .name = name, .rows = UPDATES_AT_ONCE, .counter = u->counter });
    for (Val v = 0; v < u->loop; v++)
        if (u->need[v]) copy_stmt(&u->to, v);
    return copy_append(&u->to, counter);
}

static Val begin_loop(Updates *u, int64_t lanes, int64_t tile)
{
    Stmt s = *stmt(u, u->loop);
    s.lanes = (uint16_t)lanes;
    s.tile = (uint16_t)tile;
    return u->to.map[u->loop] = copy_append(&u->to, s);
}

static void end_loop(Updates *u, Val loop)
{
    Stmt s = stmt_new(ST_END, (DType)0);
    s.args[0] = loop;
    copy_append(&u->to, s);
}

static Kernel make_places(Updates *u)
{
    const Stmt *first = stmt(u, u->store);
    Stmt index = stmt_new(ST_INDEX, WEFT_I32);
    need_nothing(u);
    for (Val v = u->loop; v < u->end; v++) u->need[v] = u->window[v];
    if (u->mask != VAL_NONE) u->need[u->mask] = true;
    for (uint32_t t = 0; t < first->address.n_terms; t++) u->need[first->address.terms[t].of] = true;
    need_what_needed_is_made_of(u);
    Val counter = begin(u, arena_printf(u->program->arena, "%s_places", u->kernel->name)),
        none = append_i32(u, -1), loop = begin_loop(u, u->target->vector_bytes / 4, 1);
    for (Val v = u->loop + 1; v < u->end; v++)
        if (u->need[v]) copy_stmt(&u->to, v);
    Term *terms = arena_copy(u->program->arena, first->address.terms, first->address.n_terms * sizeof *terms);
    for (uint32_t t = 0; t < first->address.n_terms; t++) terms[t].of = u->to.map[terms[t].of];
    index.address = (Address){ first->address.offset, first->address.n_terms, terms };
    Val place = copy_append(&u->to, index);
    if (u->mask != VAL_NONE) place = append_op(u, OP_SELECT, WEFT_I32, u->to.map[u->mask], place, none);
    append_window(u, u->places, counter, loop, place);
    for (Val v = u->loop + 1; v < u->end; v++)
        if (u->window[v]) append_window(u, u->window[v] - 1, counter, loop, u->to.map[v]);
    end_loop(u, loop);
    return u->to.out;
}

static void fetch_lines(Updates *u, Val counter)
{
    Val loop = begin_loop(u, 1, 1), place = append_window(u, u->places, counter, loop, VAL_NONE);
    uint32_t buffer = stmt(u, u->store)->buffer;
    append_access(u, stmt_new(ST_FETCH, (DType)u->program->buffers[buffer].dtype), buffer,
                  at_place(&(Term){ place, 1 }));
    end_loop(u, loop);
}

static Kernel make_updates(Updates *u)
{
    need_of_updates(u);
    Val counter = begin(u, u->kernel->name);
    if (is_far(u)) fetch_lines(u, counter);
    Val loop = begin_loop(u, 1, 1), place = append_window(u, u->places, counter, loop, VAL_NONE),
        is_place = u->mask == VAL_NONE ? VAL_NONE : append_is_place(u, place);
    for (Val v = u->loop + 1; v < u->end; v++) {
        if (!u->need[v]) continue;
        Stmt s = *stmt(u, v);
        if (u->window[v]) u->to.map[v] = append_window(u, u->window[v] - 1, counter, loop, VAL_NONE);
        else if (touches_updated(u, v)) {
            s.args[s.kind == ST_STORE] = is_place;
            if (s.kind == ST_STORE) s.args[0] = u->to.map[s.args[0]];
            u->to.map[v] = append_access(u, s, s.buffer, at_place(&(Term){ place, 1 }));
        } else copy_stmt(&u->to, v);
    }
    end_loop(u, loop);
    return u->to.out;
}

/* ---- steps ---- */

static void append_kernel(Updates *u, StepList *l, Kernel k)
{
    Program *p = u->program;
    ARENA_PUSH(p->arena, p->kernels, p->n_kernels, p->cap_kernels) = k;
    step_list_push(p->arena, l, (ProgramStep){ .kind = STEP_KERNEL, .kernel = p->n_kernels - 1 });
}

/* False: it stays as it is. */
static bool part_kernel(Updates *u, StepList *l)
{
    Program *p = u->program;
    size_t n = u->kernel->n_stmts + 1;
    if (u->kernel->rows || !has_form(u)) return false;
    u->when = arena_alloc(p->arena, n);
    find_ahead(u);
    if (!has_place(u) || p->buffers[stmt(u, u->store)->buffer].count > INT32_MAX ||
        (!is_far(u) && cost_ahead(u) < COST_OF_PLACES))
        return false;
    u->need = arena_alloc(p->arena, n * sizeof *u->need);
    u->window = arena_alloc(p->arena, n * sizeof *u->window);
    u->to.map = arena_alloc(p->arena, n * sizeof *u->to.map);
    u->counter = p->n_counters++;
    add_windows(u);
    uint32_t opened = l->n;
    step_list_push(
        p->arena, l,
        (ProgramStep){ .kind = STEP_LOOP,
                       .extent = (stmt(u, u->loop)->extent + UPDATES_AT_ONCE - 1) / UPDATES_AT_ONCE,
                       .counter = u->counter });
    append_kernel(u, l, make_places(u));
    append_kernel(u, l, make_updates(u));
    step_list_push(p->arena, l, (ProgramStep){ .kind = STEP_END, .opened = opened });
    return true;
}

void update_places_make(Program *p, const Target *target)
{
    StepList l = step_list_new(p);
    const uint32_t *memory = program_memories(p->arena, p);
    for (uint32_t i = 0; i < p->n_steps; i++) {
        Kernel k = p->steps[i].kind == STEP_KERNEL ? p->kernels[p->steps[i].kernel] : (Kernel){ 0 };
        Updates u = {
            .program = p, .target = target, .kernel = &k, .memory = memory, .to = { .program = p, .from = &k }
        };
        if (p->steps[i].kind != STEP_KERNEL || !part_kernel(&u, &l)) step_list_keep(&l, p, i);
    }
    step_list_end(&l, p);
}
