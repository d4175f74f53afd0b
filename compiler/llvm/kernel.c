/* kernel.c: the statements of a kernel in order, and what its values are made of: parts, masks, blocks. */
#include "emit.h"
#include "element/element.h"
#include "access/access.h"

enum { BLOCK_OPS = 160 }; /* about as many ops are put into one LLVM block */

/* ---- parts ---- */

uint32_t parts_of(const Emitter *e, Axes axes)
{
    uint32_t n = 1;
    for (int d = 0; d < e->depth; d++)
        if (axes >> d & 1) n *= e->loops[d].tile;
    return n;
}

void part_tiles(const Emitter *e, Axes axes, uint32_t part, uint32_t tile[MAX_LOOP_DEPTH])
{
    for (int d = e->depth - 1; d >= 0; d--) {
        tile[d] = 0;
        if (!(axes >> d & 1)) continue;
        tile[d] = part % e->loops[d].tile;
        part /= e->loops[d].tile;
    }
}

uint32_t part_project(const Emitter *e, Axes from, uint32_t part, Axes to)
{
    uint32_t tile[MAX_LOOP_DEPTH], q = 0;
    if (from == to) return part;
    part_tiles(e, from, part, tile);
    for (int d = 0; d < e->depth; d++)
        if (to >> d & 1) q = q * e->loops[d].tile + tile[d];
    return q;
}

uint32_t part_step(const Emitter *e, Axes axes, int depth)
{
    uint32_t step = 1;
    for (int d = e->depth - 1; d > depth; d--)
        if (axes >> d & 1) step *= e->loops[d].tile;
    return step;
}

int lane_depth(const Emitter *e)
{
    for (int d = e->depth - 1; d >= 0; d--)
        if (e->loops[d].lanes > 1) return d;
    return -1;
}

uint32_t axes_lanes(const Emitter *e, Axes axes)
{
    int d = lane_depth(e);
    return d >= 0 && (axes >> d & 1) ? e->loops[d].lanes : 1;
}

LLVMValueRef tail_mask(const Emitter *e, Axes axes, uint32_t part)
{
    uint32_t tile[MAX_LOOP_DEPTH];
    int d = lane_depth(e);
    if (d < 0 || !(axes >> d & 1) || !e->loops[d].live) return NULL;
    part_tiles(e, axes, part, tile);
    return tile[d] == e->loops[d].tile - 1 ? const_mask(e, e->loops[d].live, e->loops[d].lanes) : NULL;
}

Axes open_axes(const Emitter *e)
{
    Axes axes = 0;
    for (int d = 0; d < e->depth; d++)
        if (e->loops[d].lanes > 1 || e->loops[d].tile > 1) axes |= (Axes)1 << d;
    return axes;
}

/* ---- values ---- */

Value *value_new(Emitter *e, Val at, DType dtype, Axes axes)
{
    Value *v = &e->values[at];
    uint32_t n = parts_of(e, axes);
    *v = (Value){
        .part = arena_alloc(e->arena, n * sizeof(LLVMValueRef)), .n = n, .axes = axes, .dtype = (uint8_t)dtype
    };
    return v;
}

Value *value_of(Emitter *e, Val at)
{
    if (e->kernel->stmts[at].kind == ST_CARRY) {
        Variable *v = variable_of(e, at);
        e->values[at] =
            (Value){ .part = v->now, .n = v->n, .axes = v->axes, .dtype = e->kernel->stmts[at].dtype };
    }
    return &e->values[at];
}

LLVMValueRef operand(Emitter *e, Val at, Axes axes, uint32_t part)
{
    Value *v = value_of(e, at);
    LLVMValueRef p = v->part[part_project(e, axes, part, v->axes)];
    uint32_t lanes = axes_lanes(e, axes);
    return lanes == lanes_of(p) ? p : splat_shared(e, p, lanes);
}

/* ---- blocks ---- */

LLVMBasicBlockRef block_new(Emitter *e, const char *name)
{
    return LLVMAppendBasicBlockInContext(e->context, e->function, name);
}

LLVMBasicBlockRef block_now(const Emitter *e) { return LLVMGetInsertBlock(e->b); }

void block_enter(Emitter *e, LLVMBasicBlockRef block)
{
    LLVMBuildBr(e->b, block);
    LLVMMoveBasicBlockAfter(block, block_now(e));
    LLVMPositionBuilderAtEnd(e->b, block);
    e->block_ops = 0;
}

/* Runs what is emitted up to block_enter of the block that it gives only where the condition holds. */
LLVMBasicBlockRef when_begin(Emitter *e, LLVMValueRef condition)
{
    LLVMBasicBlockRef now = block_now(e), then = block_new(e, "when"), after = block_new(e, "after");
    LLVMBuildCondBr(e->b, condition, then, after);
    block_go_on(e, then, now);
    return after;
}

/* The builder goes on in a block that stands behind `last`. */
void block_go_on(Emitter *e, LLVMBasicBlockRef block, LLVMBasicBlockRef last)
{
    LLVMMoveBasicBlockAfter(block, last);
    LLVMPositionBuilderAtEnd(e->b, block);
    e->block_ops = 0;
}

/* Instruction selection and scheduling are superlinear in a block's length. LLVM would join the blocks again,
 * but not one whose address is known. */
void block_breathe(Emitter *e, uint32_t ops)
{
    e->block_ops += ops;
    if (e->block_ops <= BLOCK_OPS || e->aside) return;
    LLVMBasicBlockRef next = block_new(e, "on");
    LLVMBlockAddress(e->function, next);
    block_enter(e, next);
}

/* ---- statements ---- */

static void emit_const(Emitter *e, Val at)
{
    const Stmt *s = &e->kernel->stmts[at];
    value_new(e, at, s->dtype, 0)->part[0] = const_bits(e, s->dtype, s->imm, 1);
}

/* Do the statements between from and to nothing but store where this mask holds? */
static bool serve_stores_under(const Emitter *e, Val mask, Val from, Val to)
{
    bool stores = false;
    for (Val i = from; i < to; i++) {
        const Stmt *s = &e->kernel->stmts[i];
        if (s->kind == ST_STORE && s->args[1] != mask) return false;
        stores |= s->kind == ST_STORE;
        if ((s->kind == ST_FOLD || s->kind == ST_SET || s->kind == ST_PREFIX) && s->args[0] < from)
            return false;
        if (s->kind == ST_TEST && e->depth && e->loops[e->depth - 1].leave) return false;
    }
    return stores;
}

/* What stands between from and to is jumped over where the condition does not hold: an update of a scatter
 * whose place is outside. */
static void emit_under(Emitter *e, Val condition, Val from, Val to)
{
    LLVMBasicBlockRef after = when_begin(e, value_of(e, condition)->part[0]);
    Val outer = e->holds;
    e->holds = condition;
    emit_range(e, from, to);
    e->holds = outer;
    block_enter(e, after);
}

/* Is this a load under a condition that is one for all lanes, with nothing behind it but what serves stores
 * under the same? */
static bool begins_update(Emitter *e, Val load, Val to)
{
    Val mask = e->kernel->stmts[load].args[0];
    return mask != VAL_NONE && !is_free(e, mask) && !value_of(e, mask)->axes &&
           serve_stores_under(e, mask, load, to);
}

void emit_range(Emitter *e, Val from, Val to)
{
    for (Val i = from; i < to; i++) {
        const Stmt *s = &e->kernel->stmts[i];
        switch ((StmtKind)s->kind) {
        case ST_LOOP:
            emit_loop(e, i);
            i = e->ends[i];
            break;
        case ST_CONST:   emit_const(e, i); break;
        case ST_COUNTER: value_new(e, i, WEFT_I64, 0)->part[0] = e->counters[s->imm]; break;
        case ST_INDEX:   emit_index(e, i); break;
        case ST_LOAD:
            if (begins_update(e, i, to)) {
                emit_under(e, s->args[0], i, to);
                return;
            }
            if (!is_loaded_ahead(e, i)) emit_load(e, i);
            break;
        case ST_STORE: emit_store(e, i); break;
        case ST_FETCH: emit_fetch(e, i); break;
        case ST_OP:
            if (e->in_sums[i] || is_rarely_needed(e, i) || emit_known(e, i)) break;
            emit_op(e, i);
            if (s->dtype != WEFT_BOOL || value_of(e, i)->axes || !serve_stores_under(e, i, i + 1, to)) break;
            emit_under(e, i, i + 1, to);
            return;
        case ST_CARRY:   emit_carry(e, i); break;
        case ST_SET:     emit_set(e, i); break;
        case ST_REDUCER: emit_reducer(e, i); break;
        case ST_FOLD:    emit_fold(e, i); break;
        case ST_TOTAL:   emit_total(e, i); break;
        case ST_PREFIX:  emit_prefix(e, i); break;
        case ST_TEST:    emit_test(e, i); break;
        case ST_END:     break;
        }
    }
}

static void match_ends(Emitter *e)
{
    const Kernel *k = e->kernel;
    e->ends = arena_alloc(e->arena, k->n_stmts * sizeof *e->ends + 1);
    for (Val i = 0; i < k->n_stmts; i++)
        if (k->stmts[i].kind == ST_END) e->ends[k->stmts[i].args[0]] = i;
}

Val plain_body_end(const Emitter *e, Val loop)
{
    for (Val v = loop + 1; v < e->ends[loop]; v++)
        if (e->kernel->stmts[v].kind == ST_LOOP || e->kernel->stmts[v].kind == ST_TEST) return VAL_NONE;
    return e->ends[loop];
}

static uint32_t *count_uses(const Emitter *e)
{
    const Kernel *k = e->kernel;
    uint32_t *uses = arena_alloc(e->arena, (k->n_stmts + 1) * sizeof *uses);
    for (Val v = 0; v < k->n_stmts; v++) {
        const Stmt *s = &k->stmts[v];
        for (int a = 0; a < 3; a++)
            if (s->args[a] != VAL_NONE) uses[s->args[a]]++;
        for (uint32_t i = 0; i < s->address.n_terms; i++) uses[s->address.terms[i].of]++;
    }
    return uses;
}

/* Products that are rounded once, if nothing but sums takes them. */
static bool *find_summed(const Emitter *e)
{
    const Kernel *k = e->kernel;
    bool *summed = arena_alloc(e->arena, k->n_stmts + 1);
    for (Val v = 0; v < k->n_stmts; v++) summed[v] = stmt_is_summed_product(&k->stmts[v]);
    for (Val v = 0; v < k->n_stmts; v++) {
        const Stmt *s = &k->stmts[v];
        for (int a = 0; a < 3; a++)
            if (s->args[a] != VAL_NONE)
                summed[s->args[a]] &= s->kind == ST_FOLD && a == 1 && k->stmts[s->args[0]].op == OP_ADD;
    }
    return summed;
}

static void begin_kernel(Emitter *e, const Kernel *k, double runs)
{
    e->kernel = k;
    e->runs = runs;
    match_ends(e);
    find_axes(e);
    count_copies(e);
}

void measure_kernel(Emitter *e, const Kernel *k, double runs)
{
    begin_kernel(e, k, runs);
    note_copies(e);
}

/* The function has a block, its buffers and counters are known, the builder stands at the end. */
void emit_kernel(Emitter *e, const Kernel *k, double runs, LLVMValueRef function)
{
    begin_kernel(e, k, runs);
    e->function = function;
    e->values = arena_alloc(e->arena, k->n_stmts * sizeof *e->values + 1);
    e->depth = 0;
    e->active = (Active){ .axes = 0 };
    e->holds = VAL_NONE;
    e->n_vars = e->n_places = e->n_derived = e->derived_size = e->block_ops = 0;
    e->derived = NULL;
    find_inner_extremes(e);
    find_woven_stores(e);
    e->uses = count_uses(e);
    e->in_sums = find_summed(e);
    find_moved_runs(e);
    find_alike(e);
    find_pixels(e);
    find_rare_choices(e);
    find_inside(e);
    find_ahead(e);
    find_taps(e);
    LLVMBasicBlockRef start = block_now(e);
    block_enter(e, block_new(e, "kernel"));
    e->start = LLVMGetBasicBlockTerminator(start);
    emit_range(e, 0, k->n_stmts);
    stream_fence(e, k);
}
