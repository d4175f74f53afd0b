/* while.c: loops that end by a test. One index alone is a machine loop that tests in its middle. Under lanes
 * or a tile every part has its own test value: the ACTIVE mask, the lanes that have not left. It starts as
 * that of the loops around (where there is none: the lanes that count, so that what a tail's other lanes hold
 * keeps no loop running), is narrowed at each TEST, and the loop goes on while any lane of any part is in it.
 * Loads, stores, folds and the loop's own SETs look at the mask; all else is computed in all lanes and not
 * looked at.
 *
 * A loop that runs once at most is a branch.
 */
#include "emit.h"
#include "element/element.h"

typedef struct Leave {
    Joined *joined;
    uint32_t n;
    LLVMBasicBlockRef after;
    LLVMValueRef **at_test; /* per joined variable: its values where the loop is left */
    bool is_branch;         /* the test begins `taken`, which ends with the body */
    Guarded taken;
} Leave;

/* ---- masks ---- */

/* Masks that cross blocks: AVX-512 has registers for them; elsewhere LLVM would pack bits into the smallest
 * ints again and again, so they stay ints as wide as what they are compared from and chosen by. */
static LLVMTypeRef kept_type(const Emitter *e, uint32_t lanes)
{
    if (lanes == 1 || e->has_avx512) return type_lanes(e->i1, lanes);
    uint32_t bits = 8u * e->target->vector_bytes / lanes;
    return type_lanes(LLVMIntTypeInContext(e->context, bits > 64 ? 64 : bits < 8 ? 8 : bits), lanes);
}

static LLVMValueRef unkept(Emitter *e, LLVMValueRef v)
{
    if (type_element(LLVMTypeOf(v)) == e->i1) return v;
    return LLVMBuildICmp(e->b, LLVMIntSLT, v, LLVMConstNull(LLVMTypeOf(v)), "");
}

/* kept(unkept(x)) ==> x */
static LLVMValueRef kept(Emitter *e, LLVMValueRef mask)
{
    LLVMTypeRef type = kept_type(e, lanes_of(mask));
    if (type == LLVMTypeOf(mask)) return mask;
    bool is_unkept = LLVMIsAICmpInst(mask) && LLVMGetICmpPredicate(mask) == LLVMIntSLT &&
                     LLVMGetOperand(mask, 1) == LLVMConstNull(type);
    return is_unkept ? LLVMGetOperand(mask, 0) : LLVMBuildSExt(e->b, mask, type, "");
}

static LLVMValueRef either(Emitter *e, LLVMValueRef a, LLVMValueRef b)
{
    return a ? LLVMBuildOr(e->b, a, b, "") : b;
}

/* The mask for a part of other axes: the part is active if anything it stands for is. NULL: it always is. */
LLVMValueRef active_part(Emitter *e, Axes axes, uint32_t part)
{
    const Active *g = &e->active;
    Axes shared = g->axes & axes;
    LLVMValueRef any = NULL;
    if (!shared) return NULL;
    uint32_t want = part_project(e, axes, part, shared);
    for (uint32_t i = 0; i < g->n; i++)
        if (part_project(e, g->axes, i, shared) == want) any = either(e, any, g->part[i]);
    if (axes_lanes(e, shared) == 1) any = any_lane(e, any);
    return lanes_of(any) == axes_lanes(e, axes) ? any : splat_shared(e, any, axes_lanes(e, axes));
}

/* Lanes that count and that have not left; NULL: all. */
LLVMValueRef part_mask(Emitter *e, Axes axes, uint32_t part)
{
    LLVMValueRef tail = tail_mask(e, axes, part), active = active_part(e, axes, part);
    bool has_tail = axes_lanes(e, e->active.axes) > 1; /* it began with that */
    if (!active || !tail || has_tail) return active ? active : tail;
    return LLVMBuildAnd(e->b, tail, active, "");
}

/* The mask ahead of a loop whose test varies with these axes. */
static Active active_begin(Emitter *e, Axes axes)
{
    Active g = { .axes = axes | e->active.axes, .number = ++e->n_active };
    uint32_t lanes = axes_lanes(e, g.axes);
    g.n = parts_of(e, g.axes);
    g.part = arena_alloc(e->arena, g.n * sizeof *g.part);
    for (uint32_t i = 0; i < g.n; i++) {
        LLVMValueRef in = part_mask(e, g.axes, i);
        g.part[i] = kept(e, in ? in : const_mask(e, lanes, lanes));
    }
    return g;
}

static Active active_phis(Emitter *e, const Active *start, LLVMValueRef *phi, LLVMBasicBlockRef before)
{
    Active g = *start;
    g.part = arena_alloc(e->arena, g.n * sizeof *g.part);
    for (uint32_t i = 0; i < g.n; i++) {
        phi[i] = LLVMBuildPhi(e->b, LLVMTypeOf(start->part[i]), "");
        LLVMAddIncoming(phi[i], &start->part[i], &before, 1);
    }
    for (uint32_t i = 0; i < g.n; i++) g.part[i] = unkept(e, phi[i]);
    return g;
}

/* Those that have left keep their carries. */
void keep_those_left(Emitter *e, Variable *v)
{
    for (uint32_t i = 0; i < v->n; i++) {
        LLVMValueRef in = active_part(e, v->axes, i);
        if (in) v->next[i] = select_part(e, in, v->next[i], v->now[i]);
    }
}

/* The axes that the TEST's value will have. */
static Axes test_axes(const Emitter *e, Val loop)
{
    int depth = 0;
    for (Val i = loop + 1; i < e->ends[loop]; i++) {
        const Stmt *s = &e->kernel->stmts[i];
        depth += s->kind == ST_LOOP ? 1 : s->kind == ST_END ? -1 : 0;
        if (s->kind == ST_TEST && depth == 0) return e->varies[s->args[0]] & open_axes(e);
    }
    return 0;
}

/* ---- loops ---- */

static bool is_index_used(const Emitter *e, Val loop)
{
    for (Val i = loop + 1; i < e->ends[loop]; i++) {
        const Address *a = &e->kernel->stmts[i].address;
        for (uint32_t t = 0; t < a->n_terms; t++)
            if (a->terms[t].of == loop) return true;
    }
    return false;
}

/* Does it first ask a carry that it then sets to false? */
static bool runs_once(const Emitter *e, Val at)
{
    const Stmt *s = e->kernel->stmts;
    if (s[at + 1].kind != ST_TEST || s[s[at + 1].args[0]].kind != ST_CARRY || is_index_used(e, at))
        return false;
    for (Val i = at + 2; i < e->ends[at]; i++) {
        if (s[i].kind == ST_LOOP) i = e->ends[i];
        if (s[i].kind != ST_SET || s[i].args[0] != s[at + 1].args[0]) continue;
        const Stmt *to = &s[s[i].args[1]];
        return to->kind == ST_CONST && to->imm == 0;
    }
    return false;
}

/* As a loop it would cost more than its test where it does not run: LLVM computes ahead of a loop what does
 * not change in it. */
static void emit_branch(Emitter *e, Val at)
{
    Axes axes = test_axes(e, at);
    Active outer = e->active;
    if (axes) {
        e->active = active_begin(e, axes);
        for (uint32_t i = 0; i < e->active.n; i++) e->active.part[i] = unkept(e, e->active.part[i]);
    }
    Leave leave = { .is_branch = true };
    push_loop(e, at, 1, 1, 0)->leave = &leave;
    emit_body(e, at);
    guard_end(e, &leave.taken);
    e->active = outer;
}

void emit_while(Emitter *e, Val at)
{
    if (runs_once(e, at)) {
        emit_branch(e, at);
        return;
    }
    Axes axes = test_axes(e, at);
    Active outer = e->active, start = outer;
    if (axes) start = active_begin(e, axes);
    LLVMValueRef *phi = arena_alloc(e->arena, (start.n + 1) * sizeof *phi), index = NULL;
    LLVMBasicBlockRef before = block_now(e), head = block_new(e, "while");
    Leave leave = { .after = block_new(e, "left") };
    leave.n = joined_begin(e, at, &leave.joined);
    block_enter(e, head);
    if (is_index_used(e, at)) index = LLVMBuildPhi(e->b, e->i64, "i");
    joined_phis(e, leave.joined, leave.n, before);
    if (axes) e->active = active_phis(e, &start, phi, before);
    OpenLoop *l = push_loop(e, at, 1, 1, 0);
    l->index = index;
    l->leave = &leave;
    emit_body(e, at);

    LLVMValueRef zero = const_i64(e, 0),
                 next = index ? hidden(e, LLVMBuildNUWAdd(e->b, index, const_i64(e, 1), "")) : NULL;
    for (uint32_t i = 0; axes && i < e->active.n; i++) start.part[i] = kept(e, e->active.part[i]);
    LLVMBasicBlockRef last = block_now(e);
    LLVMBuildBr(e->b, head);
    if (index)
        LLVMAddIncoming(index, (LLVMValueRef[]){ zero, next }, (LLVMBasicBlockRef[]){ before, last }, 2);
    for (uint32_t i = 0; axes && i < e->active.n; i++) LLVMAddIncoming(phi[i], &start.part[i], &last, 1);
    joined_close(leave.joined, leave.n, last);
    for (uint32_t i = 0; i < leave.n; i++) joined_load(e, &leave.joined[i], leave.at_test[i]);
    e->active = outer;
    block_go_on(e, leave.after, last);
}

/* Narrows the mask and says whether any lane is left in it. In a lane that has left, a value may be
 * anything, poison too, so the mask is chosen and not computed by an `and`. */
static LLVMValueRef narrow_active(Emitter *e, Val test)
{
    Active *g = &e->active;
    LLVMValueRef any = NULL;
    g->part = arena_copy(e->arena, g->part, g->n * sizeof *g->part);
    for (uint32_t i = 0; i < g->n; i++) {
        LLVMValueRef t = operand(e, test, g->axes, i);
        g->part[i] = LLVMBuildSelect(e->b, g->part[i], t, LLVMConstNull(LLVMTypeOf(t)), "");
        any = either(e, any, g->part[i]);
    }
    return any_lane(e, any);
}

/* Does the kernel store nothing between the two? */
static bool is_still_there(const Emitter *e, Val from, Val to)
{
    for (Val v = from; v < to; v++)
        if (e->kernel->stmts[v].kind == ST_STORE) return false;
    return true;
}

/* A branch that is seldom taken loads its carries where it begins: kept until then they would take registers
 * from what always runs. (Medians of 3 x 3 with 16 registers, of which 7 vectors went to the stack: 0.93 of
 * the time.) */
static void load_again(Emitter *e, const Guarded *taken, Val loop)
{
    const Stmt *s = e->kernel->stmts;
    for (uint32_t k = 0; k < taken->n; k++) {
        Variable *v = taken->joined[k].var;
        Val start = v->stmt;
        while (s[start].kind == ST_CARRY) start = s[start].args[0];
        if (s[start].kind != ST_LOAD || !is_still_there(e, start, loop)) continue;
        for (uint32_t i = 0; i < v->n; i++) {
            if (!LLVMIsALoadInst(v->now[i])) continue;
            v->now[i] = LLVMInstructionClone(v->now[i]);
            LLVMInsertIntoBuilder(e->b, v->now[i]);
        }
    }
}

/* The mask goes into the body as it goes round the loop; in vectors of 16 bytes LLVM packs nothing, and knows
 * the bits to be as wide as what is chosen by them (mandelbrot_512, AVX2: 2.42 -> 1.73 ms). */
void emit_test(Emitter *e, Val at)
{
    Leave *leave = e->loops[e->depth - 1].leave;
    Val test = e->kernel->stmts[at].args[0];
    LLVMValueRef more = value_of(e, test)->axes ? narrow_active(e, test) : value_of(e, test)->part[0];
    if (leave->is_branch) {
        leave->taken = guard_begin(e, e->loops[e->depth - 1].stmt, more);
        load_again(e, &leave->taken, e->loops[e->depth - 1].stmt);
        return;
    }
    leave->at_test = arena_alloc(e->arena, (leave->n + 1) * sizeof *leave->at_test);
    for (uint32_t i = 0; i < leave->n; i++) {
        leave->at_test[i] = arena_alloc(e->arena, leave->joined[i].var->n_slots * sizeof(LLVMValueRef));
        joined_save(&leave->joined[i], leave->at_test[i]);
    }
    LLVMBasicBlockRef on = block_new(e, "stay");
    bool packs = value_of(e, test)->axes && e->target->vector_bytes > 16;
    for (uint32_t i = 0; packs && i < e->active.n; i++) e->active.part[i] = kept(e, e->active.part[i]);
    LLVMBuildCondBr(e->b, more, on, leave->after);
    block_go_on(e, on, block_now(e));
    for (uint32_t i = 0; packs && i < e->active.n; i++) e->active.part[i] = unkept(e, e->active.part[i]);
}
