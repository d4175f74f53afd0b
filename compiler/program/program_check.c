/* program_check.c: the rules of program.h, checked between fusion and the back end. Of statements: operands
 * come before and are in scope, types agree, loops are nested. Of steps: they are nested, each kernel is run
 * by one of them, and everything is stored before it is loaded on every way through them. */
#include <string.h>
#include "program.h"

/* ---- kernels ---- */

/* at: the statement being checked; open: the loops around it. */
typedef struct KernelChecker {
    const Program *program;
    const Kernel *kernel;
    Failure *failure;
    Val open[MAX_LOOP_DEPTH];
    int depth;
    Val at;
} KernelChecker;

static bool broken(KernelChecker *c, const char *rule)
{
    return fail(c->failure, WEFT_COMPILER, "program %s, kernel %s, statement %u: %s",
                c->program->name ? c->program->name : "?", c->kernel->name ? c->kernel->name : "?",
                (unsigned)c->at, rule);
}

static const Stmt *stmt(const KernelChecker *c, Val v) { return &c->kernel->stmts[v]; }

/* How much deeper what follows stands. */
static int nesting(const Stmt *s) { return s->kind == ST_LOOP ? 1 : s->kind == ST_END ? -1 : 0; }

/* How many loops deeper this statement stands than v; -1: the block that v stands in is closed. */
static int depth_below(const KernelChecker *c, Val v)
{
    int depth = 0;
    for (Val i = v; i < c->at && depth >= 0; i++) depth += nesting(stmt(c, i));
    return depth;
}

static bool in_scope(const KernelChecker *c, Val v) { return depth_below(c, v) >= 0; }

/* The innermost loop around this statement, if it was opened after v; or NULL. */
static const Stmt *loop_since(const KernelChecker *c, Val v)
{
    return c->depth && c->open[c->depth - 1] >= v ? stmt(c, c->open[c->depth - 1]) : NULL;
}

/* Of the outermost `depth` loops: has one that was opened after v lanes or tiles? */
static bool widened_since(const KernelChecker *c, Val v, int depth)
{
    for (int d = 0; d < depth; d++)
        if (c->open[d] > v && stmt(c, c->open[d])->lanes * stmt(c, c->open[d])->tile > 1) return true;
    return false;
}

static bool is_open(const KernelChecker *c, Val loop)
{
    for (int d = 0; d < c->depth; d++)
        if (c->open[d] == loop) return true;
    return false;
}

static bool check_value(KernelChecker *c, Val v)
{
    if (v >= c->at) return broken(c, "an operand that does not come before");
    if (!stmt_has_value(stmt(c, v))) return broken(c, "an operand without value");
    if (!in_scope(c, v)) return broken(c, "an operand from a loop that is closed");
    return true;
}

static bool check_address(KernelChecker *c, const Address *a)
{
    for (uint32_t i = 0; i < a->n_terms; i++) {
        Val v = a->terms[i].of;
        if (v >= c->at) return broken(c, "an address term that does not come before");
        if (stmt(c, v)->kind == ST_LOOP) {
            if (!is_open(c, v)) return broken(c, "an address term of a loop that is closed");
            continue;
        }
        if (!check_value(c, v)) return false;
        DType t = (DType)stmt(c, v)->dtype;
        if (t != WEFT_I32 && t != WEFT_I64) return broken(c, "an address term that is neither i32 nor i64");
    }
    return true;
}

static bool check_mask(KernelChecker *c, Val mask)
{
    if (mask == VAL_NONE) return true;
    if (!check_value(c, mask)) return false;
    return stmt(c, mask)->dtype == WEFT_BOOL || broken(c, "a mask that is not bool");
}

static bool check_buffer(KernelChecker *c, const Stmt *s, DType t)
{
    if (s->buffer >= c->program->n_buffers) return broken(c, "a buffer that is not there");
    const Buffer *b = &c->program->buffers[s->buffer];
    if (b->dtype != t) return broken(c, "a value of another type than its buffer's");
    if (s->kind == ST_STORE && (b->kind == BUF_INPUT || b->kind == BUF_CONST))
        return broken(c, "a store into what is read only");
    if (s->streamed && (s->kind != ST_STORE || b->alias >= 0))
        return broken(c, "streamed, but no store into memory of its own");
    return check_address(c, &s->address);
}

static bool check_lead(KernelChecker *c, const Stmt *s)
{
    int64_t step = (int64_t)s->lanes * s->tile, rows = c->kernel->rows;
    if (c->depth || !rows) return (!s->imm && !s->halo) || broken(c, "a lead where there are no rows");
    if (s->halo && !s->parallel) return broken(c, "a halo of a loop whose iterations depend on each other");
    return (s->extent != EXTENT_WHILE && rows % step == 0 && (int64_t)s->imm % step == 0 &&
            s->halo % step == 0) ||
           broken(c, "rows that begin between two steps of a loop");
}

/* Outside of the loops of a kernel with rows, which runs several times. */
static bool check_between(KernelChecker *c, const Stmt *s)
{
    bool fine = stmt_may_repeat(s) || s->kind == ST_LOOP || s->kind == ST_END || s->kind == ST_REDUCER ||
                s->kind == ST_FOLD || s->kind == ST_TOTAL ||
                (s->kind == ST_STORE && address_counts(c->kernel, s->address, c->kernel->counter));
    return c->depth || !c->kernel->rows || fine || broken(c, "a kernel with rows does this once in each run");
}

static bool check_loop(KernelChecker *c, const Stmt *s)
{
    if (s->extent == EXTENT_WHILE && (s->lanes != 1 || s->tile != 1 || s->parallel))
        return broken(c, "a while loop with lanes, tile or parallel");
    if ((s->extent < 0 && s->extent != EXTENT_WHILE) || !s->lanes || !s->tile || s->lanes > 64)
        return broken(c, "a loop's extent, lanes or tile");
    if (s->lanes & (s->lanes - 1)) return broken(c, "lanes that are no power of two");
    if (s->parallel && c->depth) return broken(c, "a parallel loop inside another");
    for (int d = 0; d < c->depth; d++)
        if (s->lanes > 1 && stmt(c, c->open[d])->lanes > 1) return broken(c, "lanes inside lanes");
    if (c->depth == MAX_LOOP_DEPTH) return broken(c, "too many loops inside each other");
    if (!check_lead(c, s)) return false;
    c->open[c->depth++] = c->at;
    return true;
}

/* How many TESTs stand at the top level of the body of the loop that is innermost here. */
static int tests_of(const KernelChecker *c, Val loop)
{
    int depth = 0, n = 0;
    for (Val i = loop + 1; i < c->at; i++) {
        depth += nesting(stmt(c, i));
        n += depth == 0 && stmt(c, i)->kind == ST_TEST;
    }
    return n;
}

static bool check_end(KernelChecker *c, const Stmt *s)
{
    if (!c->depth || c->open[c->depth - 1] != s->args[0])
        return broken(c, "an end that does not close the innermost loop");
    if (stmt(c, s->args[0])->extent == EXTENT_WHILE && tests_of(c, s->args[0]) != 1)
        return broken(c, "a while loop without its one test");
    c->depth--;
    return true;
}

static bool check_test(KernelChecker *c, const Stmt *s)
{
    const Stmt *loop = loop_since(c, 0);
    if (!loop || loop->extent != EXTENT_WHILE) return broken(c, "a test outside the body of a while loop");
    return check_value(c, s->args[0]) &&
           (stmt(c, s->args[0])->dtype == WEFT_BOOL || broken(c, "a test that is not bool"));
}

/* Operand types of an op agree as ops.def has it. */
static bool check_op(KernelChecker *c, const Stmt *s)
{
    if (s->op >= OP_COUNT || !op_is_ew((Op)s->op)) return broken(c, "an op that is not elementwise");
    for (int i = 0; i < op_info[s->op].args; i++)
        if (!check_value(c, s->args[i])) return false;
    int first = s->op == OP_SELECT ? 1 : 0;
    for (int i = first + 1; i < op_info[s->op].args; i++)
        if (stmt(c, s->args[i])->dtype != stmt(c, s->args[first])->dtype)
            return broken(c, "operands of different types");
    if (s->op == OP_SELECT && stmt(c, s->args[0])->dtype != WEFT_BOOL)
        return broken(c, "a select by what is not bool");
    return !stmt_has_attr(s) || s->attr || broken(c, "an op without its attributes");
}

static bool is_arg(const Stmt *s) { return s->op == OP_ARGMIN || s->op == OP_ARGMAX; }

/* A number for the lanes and tiles of the loops that stand between a reducer and this fold. */
static uint64_t register_shape(const KernelChecker *c, Val reducer, Val fold)
{
    uint64_t shape = 0;
    int closed = 0;
    for (Val i = fold; i-- > reducer + 1;) {
        const Stmt *s = stmt(c, i);
        if (s->kind == ST_END) closed++;
        else if (s->kind == ST_LOOP && closed) closed--;
        else if (s->kind == ST_LOOP && s->lanes * s->tile > 1)
            shape = shape * 4099 + s->lanes * 64u + s->tile;
    }
    return shape;
}

/* Accumulators are laid out by those loops, so all folds of one reducer stand in alike ones. */
static bool check_same_loops(KernelChecker *c, Val reducer)
{
    for (Val i = reducer + 1; i < c->at; i++)
        if (stmt(c, i)->kind == ST_FOLD && stmt(c, i)->args[0] == reducer)
            return register_shape(c, reducer, i) == register_shape(c, reducer, c->at) ||
                   broken(c, "folds of one reducer in loops of different lanes or tiles");
    return true;
}

static bool check_fold(KernelChecker *c, const Stmt *s)
{
    Val r = s->args[0];
    if (r >= c->at || stmt(c, r)->kind != ST_REDUCER || !in_scope(c, r))
        return broken(c, "a fold into what is no open reducer");
    if (!check_value(c, s->args[1])) return false;
    if (is_arg(stmt(c, r))) {
        if (!check_value(c, s->args[2])) return false;
        if (stmt(c, s->args[2])->dtype != stmt(c, r)->index_dtype)
            return broken(c, "an index of another type than the reducer's");
    }
    return check_same_loops(c, r);
}

static bool check_total(KernelChecker *c, const Stmt *s)
{
    Val r = s->args[0];
    if (r >= c->at || (stmt(c, r)->kind != ST_REDUCER && stmt(c, r)->kind != ST_CARRY))
        return broken(c, "a total of what is no reducer or carry");
    if (depth_below(c, r) != 0) return broken(c, "a total in another block than its reducer");
    DType t = (DType)(is_arg(stmt(c, r)) && !s->imm ? stmt(c, r)->index_dtype : stmt(c, r)->dtype);
    return s->dtype == t || broken(c, "a total of another type than its reducer's");
}

static bool check_set(KernelChecker *c, const Stmt *s)
{
    Val carry = s->args[0];
    if (carry >= c->at || stmt(c, carry)->kind != ST_CARRY || !in_scope(c, carry))
        return broken(c, "a set of what is no open carry");
    const Stmt *loop = loop_since(c, carry);
    if (!loop) return broken(c, "a set in the block of its carry");
    if (loop->extent == EXTENT_WHILE && !tests_of(c, c->open[c->depth - 1]))
        return broken(c, "a set before the test of its loop");
    if (widened_since(c, carry, c->depth)) return broken(c, "a carry through lanes or tiles");
    if (!check_value(c, s->args[1])) return false;
    return stmt(c, s->args[1])->dtype == stmt(c, carry)->dtype ||
           broken(c, "a set of another type than its carry");
}

/* The order of a prefix is that of its lanes: no other lanes or tiles may stand between it and its
 * reducer. */
static bool check_prefix(KernelChecker *c, const Stmt *s)
{
    Val r = s->args[0];
    if (r >= c->at || stmt(c, r)->kind != ST_REDUCER || !in_scope(c, r) || is_arg(stmt(c, r)))
        return broken(c, "a prefix of what is no open monoid");
    const Stmt *loop = loop_since(c, r);
    if (!loop) return broken(c, "a prefix in the block of its reducer");
    if (loop->lanes > 1 ? loop->lanes != PREFIX_LANES : loop->tile > 1)
        return broken(c, "a prefix in a loop of other lanes than its blocks");
    if (widened_since(c, r, c->depth - 1)) return broken(c, "a prefix through lanes or tiles");
    if (s->dtype != stmt(c, r)->dtype) return broken(c, "a prefix of another type than its reducer");
    return check_value(c, s->args[1]);
}

static bool check_reducer(KernelChecker *c, const Stmt *s)
{
    if (is_arg(s)) return dtype_is_int((DType)s->index_dtype) || broken(c, "an index type that is no int");
    return op_is_monoid((Op)s->op) || broken(c, "a reducer that is no monoid");
}

static bool check_stmt(KernelChecker *c, const Stmt *s)
{
    switch ((StmtKind)s->kind) {
    case ST_LOOP:  return check_loop(c, s);
    case ST_END:   return check_end(c, s);
    case ST_CONST: return true;
    case ST_INDEX:
        return check_address(c, &s->address) &&
               (dtype_is_int((DType)s->dtype) || broken(c, "an index that is no int"));
    case ST_LOAD: return check_buffer(c, s, (DType)s->dtype) && check_mask(c, s->args[0]);
    case ST_STORE:
        return check_value(c, s->args[0]) && check_buffer(c, s, (DType)stmt(c, s->args[0])->dtype) &&
               check_mask(c, s->args[1]);
    case ST_FETCH:
        if (widened_since(c, 0, c->depth)) return broken(c, "a fetch in lanes or a tile");
        return check_buffer(c, s, (DType)s->dtype);
    case ST_OP:      return check_op(c, s);
    case ST_REDUCER: return check_reducer(c, s);
    case ST_FOLD:    return check_fold(c, s);
    case ST_TOTAL:   return check_total(c, s);
    case ST_CARRY:   return check_value(c, s->args[0]);
    case ST_SET:     return check_set(c, s);
    case ST_TEST:    return check_test(c, s);
    case ST_PREFIX:  return check_prefix(c, s);
    case ST_COUNTER:
        if (s->dtype != WEFT_I64) return broken(c, "a counter that is not i64");
        return s->imm < c->program->n_counters || broken(c, "a counter that is not there");
    }
    return broken(c, "a statement of no known kind");
}

/* ---- steps ---- */

enum { MAX_STEPS_OPEN = 256 };

/* A LOOP, WHILE or CASE that is open. By buffer: what was stored before it (CASE), and what will have been
 * stored after it on every way through (CASE, and WHILE from its TEST on). */
typedef struct OpenStep {
    uint32_t step, branches;
    bool tested;
    bool *before, *after;
} OpenStep;

/* stored: by buffer, on every way to here; ran: by kernel. */

typedef struct StepChecker {
    Arena *arena;
    const Program *program;
    Failure *failure;
    uint32_t at;
    OpenStep open[MAX_STEPS_OPEN];
    int depth;
    bool *stored, *ran;
    int64_t *counter; /* 1: open; 2: closed */
} StepChecker;

static bool broken_step(const StepChecker *c, const char *rule)
{
    return fail(c->failure, WEFT_COMPILER, "program %s, step %u: %s",
                c->program->name ? c->program->name : "?", (unsigned)c->at, rule);
}

static bool *copy_stored(StepChecker *c)
{
    return arena_copy(c->arena, c->stored, c->program->n_buffers + 1);
}

/* Does the buffer hold something here? */
static bool may_read(const StepChecker *c, uint32_t buffer)
{
    uint8_t kind = c->program->buffers[buffer].kind;
    return c->stored[buffer] || (kind != BUF_TEMP && kind != BUF_OUTPUT);
}

static bool check_kernel_step(StepChecker *c, uint32_t kernel)
{
    const Program *p = c->program;
    if (kernel >= p->n_kernels || c->ran[kernel])
        return broken_step(c, "a kernel that is not there, or has a step already");
    c->ran[kernel] = true;
    const Kernel *k = &p->kernels[kernel];
    if (k->rows && (k->counter >= p->n_counters || c->counter[k->counter] != 1))
        return broken_step(c, "a kernel has rows of a loop that is not around it");
    for (uint32_t i = 0; i < p->kernels[kernel].n_stmts; i++) {
        const Stmt *s = &p->kernels[kernel].stmts[i];
        if (s->kind == ST_COUNTER && (s->imm >= p->n_counters || c->counter[s->imm] != 1))
            return broken_step(c, "a kernel reads the counter of a loop that is not around it");
        if (s->kind == ST_STORE) c->stored[s->buffer] = true;
        if (s->kind == ST_LOAD && !may_read(c, s->buffer))
            return broken_step(c, "a kernel loads from a buffer that is not stored yet");
    }
    return true;
}

static bool check_open(StepChecker *c, const ProgramStep *s)
{
    if (c->depth == MAX_STEPS_OPEN) return broken_step(c, "too many steps inside each other");
    if (s->kind == STEP_CASE && s->extent < 1) return broken_step(c, "a case without branches");
    if (s->kind == STEP_LOOP && s->extent < 1) return broken_step(c, "a loop without iterations");
    if (s->kind != STEP_CASE) {
        if (s->counter >= c->program->n_counters || c->counter[s->counter])
            return broken_step(c, "a counter that is not there, or is another loop's");
        c->counter[s->counter] = 1;
    }
    OpenStep *o = &c->open[c->depth++];
    *o = (OpenStep){ .step = c->at };
    if (s->kind == STEP_CASE) {
        o->before = copy_stored(c);
        o->after = copy_stored(c);
    }
    return true;
}

/* What every branch has stored counts after the case. The first time there is no branch yet that ends. */
static void end_branch(StepChecker *c, OpenStep *o)
{
    for (uint32_t i = 0; i < c->program->n_buffers && o->branches > 0; i++) {
        o->after[i] = o->branches == 1 ? c->stored[i] : o->after[i] && c->stored[i];
        c->stored[i] = o->before[i];
    }
}

static bool check_condition(StepChecker *c, const ProgramStep *s, DType t)
{
    const Program *p = c->program;
    if (s->buffer >= p->n_buffers || p->buffers[s->buffer].dtype != t || p->buffers[s->buffer].count < 1)
        return broken_step(c, "a condition of another type");
    if (p->buffers[s->buffer].kind == BUF_TEMP && !c->stored[s->buffer])
        return broken_step(c, "a condition that is not stored yet");
    return true;
}

static bool check_inner(StepChecker *c, const ProgramStep *s)
{
    OpenStep *o = c->depth ? &c->open[c->depth - 1] : NULL;
    const Program *p = c->program;
    if (!o || o->step != s->opened) return broken_step(c, "a step that does not belong to what is open");
    const ProgramStep *opened = &p->steps[o->step];
    if (s->kind == STEP_TEST) {
        if (opened->kind != STEP_WHILE || o->tested)
            return broken_step(c, "a test that is not the only one of a while loop");
        o->tested = true;
        o->after = copy_stored(c);
        return check_condition(c, s, WEFT_BOOL);
    }
    if (s->kind == STEP_BRANCH && opened->kind != STEP_CASE)
        return broken_step(c, "a branch of what is no case");
    if (opened->kind == STEP_CASE) end_branch(c, o);
    if (s->kind == STEP_BRANCH) {
        o->branches++;
        return true;
    }
    if (opened->kind == STEP_CASE && o->branches != opened->extent)
        return broken_step(c, "a case with another number of branches");
    if (opened->kind == STEP_WHILE && !o->tested) return broken_step(c, "a while loop without test");
    if (opened->kind != STEP_CASE) c->counter[opened->counter] = 2;
    for (uint32_t i = o->step; i < c->at; i++)
        if (p->steps[i].kind == STEP_COUNT) c->counter[p->steps[i].counter] = 2;
    if (o->after) memcpy(c->stored, o->after, p->n_buffers);
    c->depth--;
    return true;
}

static bool check_swap(StepChecker *c, const ProgramStep *s)
{
    const Program *p = c->program;
    if (s->buffer >= p->n_buffers || s->other >= p->n_buffers)
        return broken_step(c, "a buffer that is not there");
    const Buffer *x = &p->buffers[s->buffer], *y = &p->buffers[s->other];
    bool fine = (x->kind == BUF_TEMP || x->kind == BUF_OUTPUT) &&
                (y->kind == BUF_TEMP || y->kind == BUF_OUTPUT) &&
                (x->kind == BUF_TEMP || y->kind == BUF_TEMP);
    if (!fine || x->dtype != y->dtype || x->count != y->count)
        return broken_step(c, "an exchange of buffers that are not alike");
    bool stored = c->stored[s->buffer];
    c->stored[s->buffer] = c->stored[s->other];
    c->stored[s->other] = stored;
    return true;
}

static bool check_count(StepChecker *c, const ProgramStep *s)
{
    const Program *p = c->program;
    if (s->counter >= p->n_counters || c->counter[s->counter] || !s->at || !c->depth)
        return broken_step(c, "a count in no loop, or of a counter that is not there, or is another's");
    for (uint32_t k = 0; k < s->at->n_terms; k++)
        if (s->at->terms[k].of >= p->n_counters || c->counter[s->at->terms[k].of] != 1)
            return broken_step(c, "a count of what is not around it");
    c->counter[s->counter] = 1;
    return true;
}

static bool check_call(StepChecker *c, const ProgramStep *s)
{
    const Program *p = c->program;
    if (s->function >= LIBRARY_COUNT || !(p->library >> s->function & 1))
        return broken_step(c, "a call of what is not in the library");
    for (uint32_t i = 0; i < s->n_buffers; i++) {
        if (s->buffers[i] >= p->n_buffers) return broken_step(c, "a buffer that is not there");
        for (uint32_t k = 0; s->at && k < s->at[i].n_terms; k++)
            if (s->at[i].terms[k].of >= p->n_counters || c->counter[s->at[i].terms[k].of] != 1)
                return broken_step(c, "a call at the counter of a loop that is not around it");
        if (i < s->n_read && p->buffers[s->buffers[i]].count && !may_read(c, s->buffers[i]))
            return broken_step(c, "a call reads a buffer that is not stored yet");
        for (uint32_t k = 0; i >= s->n_read && k < s->n_read; k++)
            if (s->buffers[k] == s->buffers[i]) return broken_step(c, "a call writes what it reads");
    }
    for (uint32_t i = s->n_read; i < s->n_buffers; i++) c->stored[s->buffers[i]] = true;
    return true;
}

/* The parallel loop that is open, or NULL. */
static const ProgramStep *parallel_around(const StepChecker *c)
{
    for (int d = c->depth; d-- > 0;)
        if (c->program->steps[c->open[d].step].parallel) return &c->program->steps[c->open[d].step];
    return NULL;
}

/* Does the kernel have rows of this loop, or of a COUNT that goes with it? */
static bool has_rows_of(const StepChecker *c, const Kernel *k, const ProgramStep *loop)
{
    if (!k->rows || k->counter == loop->counter) return k->rows;
    for (uint32_t i = 0; i < c->at; i++) {
        const ProgramStep *s = &c->program->steps[i];
        for (uint32_t t = 0; s->kind == STEP_COUNT && s->counter == k->counter && t < s->at->n_terms; t++)
            if (s->at->terms[t].of == loop->counter && s->at->terms[t].coef) return true;
    }
    return false;
}

static bool check_in_pieces(const StepChecker *c, const ProgramStep *s)
{
    const ProgramStep *around = parallel_around(c);
    if (s->parallel && s->kind != STEP_LOOP) return broken_step(c, "a step with pieces that is no loop");
    if (!around || s->kind == STEP_END) return true;
    bool alone = s->kind == STEP_SWAP && c->program->steps[c->open[c->depth - 1].step].parallel,
         other =
             s->kind != STEP_KERNEL && s->kind != STEP_LOOP && s->kind != STEP_SWAP && s->kind != STEP_COUNT;
    if (s->parallel || alone || other)
        return broken_step(c, "a piece is kernels, counts, and loops of them and of swaps");
    return s->kind != STEP_KERNEL || s->kernel >= c->program->n_kernels ||
           has_rows_of(c, &c->program->kernels[s->kernel], around) ||
           broken_step(c, "a kernel in a parallel loop without rows of its own");
}

static bool check_step(StepChecker *c, const ProgramStep *s)
{
    if (!check_in_pieces(c, s)) return false;
    switch ((StepKind)s->kind) {
    case STEP_KERNEL: return check_kernel_step(c, s->kernel);
    case STEP_LOOP:
    case STEP_WHILE:
    case STEP_CASE:
        if (s->kind == STEP_CASE && !check_condition(c, s, WEFT_I32)) return false;
        return check_open(c, s);
    case STEP_TEST:
    case STEP_BRANCH:
    case STEP_END:    return check_inner(c, s);
    case STEP_SWAP:   return check_swap(c, s);
    case STEP_COUNT:  return check_count(c, s);
    case STEP_CALL:   return check_call(c, s);
    }
    return broken_step(c, "a step of no known kind");
}

static bool check_steps(Arena *arena, const Program *p, Failure *f)
{
    StepChecker c = { .arena = arena,
                      .program = p,
                      .failure = f,
                      .stored = arena_alloc(arena, p->n_buffers + 1),
                      .ran = arena_alloc(arena, p->n_kernels + 1),
                      .counter = arena_alloc(arena, (p->n_counters + 1) * sizeof(int64_t)) };
    for (c.at = 0; c.at < p->n_steps; c.at++)
        if (!check_step(&c, &p->steps[c.at])) return false;
    if (c.depth) return broken_step(&c, "steps that are not closed");
    for (uint32_t i = 0; i < p->n_kernels && p->n_steps; i++)
        if (!c.ran[i]) return broken_step(&c, "a kernel without step");
    return true;
}

/* ---- the whole ---- */

/* Bytes of the memory that a temporary lies in. */
static size_t bytes_around(const Program *p, const Buffer *temp)
{
    for (uint32_t i = 0; temp->index && i < p->n_buffers; i++)
        if (p->buffers[i].kind == BUF_OUTPUT && p->buffers[i].index == temp->index - 1)
            return (size_t)buffer_bytes(&p->buffers[i]);
    return temp->index ? 0 : p->scratch_bytes;
}

static bool check_buffers(const Program *p, Failure *f)
{
    for (uint32_t i = 0; i < p->n_buffers; i++) {
        const Buffer *b = &p->buffers[i];
        uint32_t limit = b->kind == BUF_INPUT    ? p->n_inputs
                         : b->kind == BUF_OUTPUT ? p->n_outputs
                         : b->kind == BUF_CONST  ? p->n_consts
                                                 : UINT32_MAX;
        if (b->index >= limit)
            return fail(f, WEFT_COMPILER, "buffer %u: number %u of %u", (unsigned)i, (unsigned)b->index,
                        (unsigned)limit);
        if (b->count < 0) return fail(f, WEFT_COMPILER, "buffer %u: a negative size", (unsigned)i);
        if (b->kind != BUF_TEMP && b->kind != BUF_LOCAL) continue;
        size_t end = (size_t)b->offset + (size_t)b->count * dtype_bytes((DType)b->dtype);
        if (b->offset % 64 || end > bytes_around(p, b))
            return fail(f, WEFT_COMPILER, "buffer %u: not inside its memory, or not 64-aligned", (unsigned)i);
    }
    return true;
}

bool program_check(const Program *p, Failure *f)
{
    if (!check_buffers(p, f)) return false;
    for (uint32_t i = 0; i < p->n_kernels; i++) {
        KernelChecker c = { .program = p, .kernel = &p->kernels[i], .failure = f };
        for (c.at = 0; c.at < c.kernel->n_stmts; c.at++)
            if (!check_stmt(&c, stmt(&c, c.at)) || !check_between(&c, stmt(&c, c.at))) return false;
        if (c.depth) return broken(&c, "loops that are not closed");
    }
    return p->n_steps == 0 || check_steps(p->arena, p, f);
}
