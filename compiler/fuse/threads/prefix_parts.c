/* prefix_parts.c: a long running fold is made in parts. Each begins with what all before it come to, which,
 * where threads pay, is known ahead of all of them:
 *
 *     kernel cumsum {                             loop c0 : 31 { kernel cumsum_totals rows 32768 c0 {
 *       r = reducer add                             r = reducer add
 *       lanes i : 1000000 {                         lanes i : 1000000 { fold r x[i] }
 *         p = prefix r x[i]                         store %total[c0] (total r) } }
 *         store %y[i] p                           kernel cumsum_starts {
 *       }                                           carry s: store %start[j] s; set s (s + %total[j]) }
 *     }                                           loop c1 : 31 { kernel cumsum rows 32768 c1 {
 *                                                   r = reducer add; fold r (load %start[c1])
 *                                                   lanes i : 1000000 { the same } } }
 *
 * On one thread each part folds for the next one while it runs, in the same order, so that the bits are the
 * same:
 *
 *     kernel cumsum_starts { store %start[0] 0 }
 *     loop c0 : 31 { kernel cumsum rows 32768 c0 {
 *       r = reducer add; s = load %start[c0]; fold r s; t = reducer add
 *       lanes i : 1000000 { the same; fold t x[i] }
 *       store %start[c0 + 1] (s + total t) } }
 *
 * Where the order of a fold matters it is that of parts if the loop is long, whatever the machine; in strict
 * mode, whose order is eager's, there are none.
 */
#include "prefix_parts.h"
#include "compiler/fuse/cost.h"
#include "compiler/fuse/integers.h"
#include "compiler/program/kernel_copy.h"
#include "compiler/program/step_list.h"
#include "kernel_time.h"

typedef struct Cutter {
    Program *program;
    const Kernel *kernel;
    Val loop, end; /* the only one, and its END */
    int64_t rows, parts;
    bool *need;      /* by statement: of the kernel that is made */
    uint32_t *start; /* by reducer: the buffer of what its parts begin with */
    uint32_t *total; /* of what each comes to */
    Val *next;       /* the reducer that folds for the next part */
    KernelCopy to;
} Cutter;

static const Stmt *stmt(const Cutter *c, Val v) { return &c->kernel->stmts[v]; }

/* ---- which kernels ---- */

/* One loop, all that stands around it may be made again, and what it runs is prefixes of those reducers, ops,
 * loads and stores. */
static bool has_form(Cutter *c)
{
    const Kernel *k = c->kernel;
    bool prefixes = false;
    c->loop = VAL_NONE;
    for (Val v = 0; v < k->n_stmts; v++) {
        const Stmt *s = &k->stmts[v];
        bool inside = c->loop != VAL_NONE && v < c->end;
        if (s->kind == ST_LOOP) {
            if (c->loop != VAL_NONE || s->parallel || s->extent == EXTENT_WHILE) return false;
            c->loop = v;
            c->end = loop_end(k, v);
        } else if (s->kind == ST_PREFIX || s->kind == ST_STORE) {
            if (!inside || (s->kind == ST_PREFIX && s->args[0] > c->loop)) return false;
            prefixes |= s->kind == ST_PREFIX;
        } else if (s->kind == ST_REDUCER ? inside : s->kind != ST_END && !stmt_may_repeat(s)) return false;
        if (s->kind == ST_TOTAL || s->kind == ST_CARRY) return false;
    }
    return prefixes;
}

/* Reducers of one prefix each, none of which is made of another; and what is stored is not loaded, but for
 * the element's own. */
static bool are_apart(const Cutter *c, const uint32_t *memory)
{
    const Kernel *k = c->kernel;
    bool *of_prefix = arena_alloc(c->program->arena, k->n_stmts + 1),
         *taken = arena_alloc(c->program->arena, k->n_stmts + 1);
    for (Val v = 0; v < c->end; v++) {
        const Stmt *s = &k->stmts[v];
        for (int a = s->kind == ST_PREFIX ? 1 : 0; a < 3; a++)
            of_prefix[v] |= s->args[a] != VAL_NONE && of_prefix[s->args[a]];
        for (uint32_t t = 0; t < s->address.n_terms; t++)
            if (of_prefix[s->address.terms[t].of]) return false;
        if (s->kind == ST_PREFIX) {
            if (of_prefix[v] || taken[s->args[0]]) return false;
            of_prefix[v] = taken[s->args[0]] = true;
        }
        for (Val w = c->loop; s->kind == ST_LOAD && w < c->end; w++)
            if (k->stmts[w].kind == ST_STORE && memory[k->stmts[w].buffer] == memory[s->buffer] &&
                !address_equal(k->stmts[w].address, s->address))
                return false;
    }
    return true;
}

static bool is_exact(const Cutter *c)
{
    bool exact = true;
    for (Val v = c->loop; v < c->end; v++) {
        const Stmt *r = stmt(c, v)->kind == ST_PREFIX ? stmt(c, stmt(c, v)->args[0]) : NULL;
        if (r) exact &= monoid_is_exact((Op)r->op, (DType)r->dtype);
    }
    return exact;
}

static bool is_long(Cutter *c)
{
    const Stmt *l = stmt(c, c->loop);
    int64_t step = (int64_t)l->lanes * l->tile;
    c->rows = max_i64(FOLD_PART / step, 1) * step;
    c->parts = (l->extent + c->rows - 1) / c->rows;
    return l->extent > MOST_AT_ONCE;
}

/* ---- kernels ---- */

static void begin(Cutter *c, const char *name, bool has_rows)
{
    copy_begin(&c->to, (Kernel){ .name = name, .rows = has_rows ? c->rows : 0 });
    if (has_rows) c->to.out.counter = c->program->n_counters++;
}

static Val counter(Cutter *c)
{
    Stmt s = stmt_new(ST_COUNTER, WEFT_I64);
    s.imm = c->to.out.counter;
    return copy_append(&c->to, s);
}

static void fold(Cutter *c, Val reducer, Val value)
{
    Stmt s = stmt_new(ST_FOLD, (DType)0);
    s.args[0] = reducer;
    s.args[1] = value;
    copy_append(&c->to, s);
}

static Val total(Cutter *c, Val reducer)
{
    Stmt s = stmt_new(ST_TOTAL, (DType)c->to.out.stmts[reducer].dtype);
    s.args[0] = reducer;
    return copy_append(&c->to, s);
}

static Val both(Cutter *c, const Stmt *reducer, Val a, Val b)
{
    return copy_append(&c->to, stmt_op((Op)reducer->op, (DType)reducer->dtype, a, b, VAL_NONE));
}

static Val identity(Cutter *c, const Stmt *reducer)
{
    Stmt s = stmt_new(ST_CONST, (DType)reducer->dtype);
    s.imm = monoid_start((Op)reducer->op, (DType)reducer->dtype);
    return copy_append(&c->to, s);
}

static bool is_running(const Cutter *c, Val v) { return c->start[v] != 0; }

/* What the operands of the prefixes are made of, and nothing else. */
static void find_need(Cutter *c)
{
    for (Val v = 0; v < c->kernel->n_stmts; v++) c->need[v] = false;
    c->need[c->loop] = c->need[c->end] = true;
    for (Val v = c->end; v-- > 0;) {
        const Stmt *s = stmt(c, v);
        c->need[v] |= s->kind == ST_PREFIX;
        for (int a = 0; a < 3 && c->need[v]; a++)
            if (s->args[a] != VAL_NONE) c->need[s->args[a]] = true;
        for (uint32_t t = 0; t < s->address.n_terms && c->need[v]; t++)
            c->need[s->address.terms[t].of] = true;
    }
}

/* What each part comes to. */
static void make_totals(Cutter *c)
{
    find_need(c);
    for (Val v = 0; v <= c->end; v++) {
        if (!c->need[v]) continue;
        if (stmt(c, v)->kind == ST_PREFIX)
            fold(c, c->to.map[stmt(c, v)->args[0]], c->to.map[stmt(c, v)->args[1]]);
        else if (is_running(c, v)) c->to.map[v] = copy_append(&c->to, *stmt(c, v));
        else copy_stmt(&c->to, v);
    }
    Val at = counter(c);
    for (Val r = 0; r < c->loop; r++)
        if (is_running(c, r)) copy_store(&c->to, c->total[r], at, 0, total(c, c->to.map[r]));
}

/* What each part begins with. */
static void make_starts(Cutter *c)
{
    for (Val r = 0; r < c->loop; r++) {
        if (!is_running(c, r)) continue;
        Stmt carry = stmt_new(ST_CARRY, (DType)stmt(c, r)->dtype), loop = stmt_new(ST_LOOP, (DType)0),
             set = stmt_new(ST_SET, (DType)0), end = stmt_new(ST_END, (DType)0);
        carry.args[0] = identity(c, stmt(c, r));
        loop.extent = c->parts;
        set.args[0] = copy_append(&c->to, carry);
        Val at = end.args[0] = copy_append(&c->to, loop);
        copy_store(&c->to, c->start[r], at, 0, set.args[0]);
        set.args[1] = both(c, stmt(c, r), set.args[0], copy_load(&c->to, c->total[r], at));
        copy_append(&c->to, set);
        copy_append(&c->to, end);
    }
}

static void make_first(Cutter *c)
{
    for (Val r = 0; r < c->loop; r++)
        if (is_running(c, r)) copy_store(&c->to, c->start[r], VAL_NONE, 0, identity(c, stmt(c, r)));
}

/* The kernel, of a part; in turn: each says what the next one begins with. */
static void make_part(Cutter *c, bool in_turn)
{
    Val at = counter(c);
    Val *first = arena_alloc(c->program->arena, (c->loop + 1) * sizeof *first);
    for (Val v = 0; v < c->kernel->n_stmts; v++) {
        const Stmt *s = stmt(c, v);
        copy_stmt(&c->to, v);
        if (is_running(c, v)) {
            first[v] = copy_load(&c->to, c->start[v], at);
            fold(c, c->to.map[v], first[v]);
            if (in_turn) c->next[v] = copy_append(&c->to, *s);
        }
        if (in_turn && s->kind == ST_PREFIX) fold(c, c->next[s->args[0]], c->to.map[s->args[1]]);
    }
    for (Val r = 0; in_turn && r < c->loop; r++) {
        if (!is_running(c, r)) continue;
        Val next = total(c, c->next[r]);
        copy_store(&c->to, c->start[r], at, 1, both(c, stmt(c, r), first[r], next));
    }
}

/* ---- steps ---- */

static void append_kernel(Cutter *c, StepList *l)
{
    Program *p = c->program;
    uint32_t opened = l->n;
    if (c->to.out.rows)
        step_list_push(p->arena, l,
                       (ProgramStep){ .kind = STEP_LOOP, .extent = c->parts, .counter = c->to.out.counter });
    ARENA_PUSH(p->arena, p->kernels, p->n_kernels, p->cap_kernels) = c->to.out;
    step_list_push(p->arena, l, (ProgramStep){ .kind = STEP_KERNEL, .kernel = p->n_kernels - 1 });
    if (c->to.out.rows) step_list_push(p->arena, l, (ProgramStep){ .kind = STEP_END, .opened = opened });
}

static void add_buffers(Cutter *c, bool totals)
{
    Program *p = c->program;
    for (Val v = c->loop; v < c->end; v++) {
        if (stmt(c, v)->kind != ST_PREFIX) continue;
        Val r = stmt(c, v)->args[0];
        Buffer b = { .kind = BUF_TEMP, .dtype = stmt(c, r)->dtype, .count = c->parts + 1 };
        c->start[r] = program_add_buffer(p, b);
        if (totals) c->total[r] = program_add_buffer(p, b);
    }
}

static void append_parts(Cutter *c, StepList *l, bool side_by_side)
{
    const char *name = c->kernel->name;
    Arena *a = c->program->arena;
    add_buffers(c, side_by_side);
    if (side_by_side) {
        begin(c, arena_printf(a, "%s_totals", name), true);
        make_totals(c);
        append_kernel(c, l);
    }
    begin(c, arena_printf(a, "%s_starts", name), false);
    if (side_by_side) make_starts(c);
    else make_first(c);
    append_kernel(c, l);
    begin(c, name, true);
    make_part(c, !side_by_side);
    append_kernel(c, l);
}

/* False: it stays as it is. */
static bool cut_kernel(Cutter *c, const Target *t, const uint32_t *memory, double runs, StepList *l)
{
    const Kernel *k = c->kernel;
    Program *p = c->program;
    size_t n = k->n_stmts + 1;
    if (k->rows || !has_form(c) || !is_long(c) || !are_apart(c, memory)) return false;
    bool pays = threads_pay(t, stmts_ns(p, t, k, 0, k->n_stmts), runs);
    if (is_exact(c) ? !pays : p->mode == MODE_STRICT) return false;
    c->need = arena_alloc(p->arena, n);
    c->to.map = arena_alloc(p->arena, n * sizeof *c->to.map);
    c->start = arena_alloc(p->arena, n * sizeof *c->start);
    c->total = arena_alloc(p->arena, n * sizeof *c->total);
    c->next = arena_alloc(p->arena, n * sizeof *c->next);
    append_parts(c, l, pays);
    return true;
}

void prefix_parts_make(Program *p, const Target *target)
{
    StepList l = step_list_new(p);
    const uint32_t *memory = program_memories(p->arena, p);
    const double *runs = step_runs(p);
    for (uint32_t i = 0; i < p->n_steps; i++) {
        Kernel k = p->steps[i].kind == STEP_KERNEL ? p->kernels[p->steps[i].kernel] : (Kernel){ 0 };
        Cutter c = { .program = p, .kernel = &k, .to = { .program = p, .from = &k } };
        if (p->steps[i].kind != STEP_KERNEL || !cut_kernel(&c, target, memory, runs[i], &l))
            step_list_keep(&l, p, i);
    }
    step_list_end(&l, p);
}
