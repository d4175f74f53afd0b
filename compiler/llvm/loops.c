/* loops.c: loops as machine loops around copies of their body, and the phi nodes of what changes in them.
 *
 * A loop of lanes W, tile T and extent n becomes a machine loop of n / (W T) iterations, and, if something is
 * left, one more copy of the body with the smallest tile that holds it, whose last vector is masked; if one
 * vector holds it, and accumulators outside do not wait for whole ones, that is as narrow as it can be. A
 * large body stands there once: its last iteration ends with the extent, and stores again what the one before
 * has stored of its elements.
 * Extents are known, so masks are constants and a loop that would run once is straight line. A machine loop
 * tests at its bottom; its head holds the phi nodes and the addresses that depend on its index (address.c).
 *
 * Sums have as many accumulators as their order asks for (reduce.c), up to 32 vectors. Where the body has
 * math functions, so many copies of it would be large: an iteration then does a part of the tile, and
 * accumulators move up to its place in turn, so that each gets what it always gets. Where they would take all
 * registers, they stay in memory instead, and an iteration takes those that it needs.
 *
 * An outermost loop of a kernel with rows does the same between two indices that are known when it runs; what
 * is left over at its end belongs to the last of them that has any.
 */
#include <stdlib.h>
#include <string.h>
#include "emit.h"
#include "element/element.h"
#include "access/access.h"

/* Serial loops up to this are written out: their addresses become constants. So are those along a short row,
 * which lanes go across: they read the same vectors. */
enum { UNROLL_EXTENT = 4, UNROLL_STMTS = 24, UNROLL_ROW = 9 };

/* Do the statements between from and to change this variable? */
static bool range_changes(const Emitter *e, const Variable *v, Val from, Val to)
{
    for (Val i = from; i < to; i++) {
        const Stmt *s = &e->kernel->stmts[i];
        if ((s->kind == ST_FOLD || s->kind == ST_SET || s->kind == ST_PREFIX) && s->args[0] == v->stmt)
            return true;
    }
    return false;
}

static void commit_sets(Emitter *e)
{
    for (uint32_t i = 0; i < e->n_vars; i++) {
        Variable *v = e->vars[i];
        if (!v->next || v->next_depth != e->depth) continue;
        if (e->loops[e->depth - 1].leave) keep_those_left(e, v);
        v->now = v->next;
        v->next = NULL;
    }
}

/* One copy of the body of the loop at `at`, whose description is already on the stack. */
void emit_body(Emitter *e, Val at)
{
    uint32_t n_vars = e->n_vars;
    OpenLoop *l = &e->loops[e->depth - 1];
    if (!l->is_fixed) {
        LLVMBasicBlockRef head = block_now(e);
        block_enter(e, block_new(e, "body"));
        l->setup = LLVMGetBasicBlockTerminator(head);
    }
    if (!emit_body_inside(e, at)) emit_range(e, at + 1, e->ends[at]);
    commit_sets(e);
    e->n_vars = n_vars;
    e->depth--;
    forget_places(e, e->depth);
}

OpenLoop *push_loop(Emitter *e, Val at, uint32_t lanes, uint32_t tile, uint32_t live)
{
    OpenLoop *l = &e->loops[e->depth++];
    *l = (OpenLoop){ .stmt = at, .lanes = lanes, .tile = tile, .live = live };
    return l;
}

static void emit_once(Emitter *e, Val at, int64_t index, uint32_t lanes, uint32_t tile, uint32_t live)
{
    OpenLoop *l = push_loop(e, at, lanes, tile, live);
    l->is_fixed = true;
    l->fixed = index;
    l->index = const_i64(e, index);
    emit_body(e, at);
}

uint32_t joined_begin(Emitter *e, Val at, Joined **out)
{
    uint32_t n = 0;
    *out = arena_alloc(e->arena, (e->n_vars + 1) * sizeof **out);
    for (uint32_t i = 0; i < e->n_vars; i++) {
        Variable *v = e->vars[i];
        if (!range_changes(e, v, at + 1, e->ends[at])) continue;
        Joined *j = &(*out)[n++];
        j->var = v;
        j->phi = arena_alloc(e->arena, v->n_slots * sizeof(LLVMValueRef));
    }
    return n;
}

void joined_save(const Joined *j, LLVMValueRef *to)
{
    for (uint32_t i = 0; i < j->var->n_slots; i++) to[i] = j->var->now[i];
}

/* The variable gets storage of its own, so that what was seen before stays as it was. */
void joined_load(Emitter *e, const Joined *j, LLVMValueRef *from)
{
    j->var->now = arena_copy(e->arena, from, j->var->n_slots * sizeof *from);
}

void joined_phis(Emitter *e, const Joined *joined, uint32_t n, LLVMBasicBlockRef before)
{
    for (uint32_t k = 0; k < n; k++) {
        const Joined *j = &joined[k];
        for (uint32_t i = 0; i < j->var->n_slots; i++) {
            LLVMValueRef *start = &j->var->now[i];
            if (!*start) continue;
            j->phi[i] = LLVMBuildPhi(e->b, LLVMTypeOf(*start), "");
            LLVMAddIncoming(j->phi[i], start, &before, 1);
        }
        joined_load(e, j, j->phi);
    }
}

void joined_close(const Joined *joined, uint32_t n, LLVMBasicBlockRef last)
{
    for (uint32_t k = 0; k < n; k++)
        for (uint32_t i = 0; i < joined[k].var->n_slots; i++)
            if (joined[k].phi[i]) LLVMAddIncoming(joined[k].phi[i], &joined[k].var->now[i], &last, 1);
}

/* The variables that the loop changes are sums of one accumulator for each vector of its tile, and it turns
 * them: number `by` becomes the first. */
static void turn_sums(Emitter *e, Val at, uint32_t by)
{
    for (uint32_t i = 0; i < e->n_vars; i++) {
        Variable *v = e->vars[i];
        if (!range_changes(e, v, at + 1, e->ends[at])) continue;
        LLVMValueRef *was = v->now;
        v->now = arena_alloc(e->arena, v->n_slots * sizeof *v->now);
        for (uint32_t k = 0; k < v->n_slots; k++) v->now[k] = was[(k + by) % v->n_slots];
    }
}

/* Do the sums stay in memory, in a loop that does a part of its tile and begins at 0? */
static bool keeps_sums(const Emitter *e, Val at, uint32_t tile)
{
    uint32_t all = e->kernel->stmts[at].tile;
    return tile < all && all >= e->target->vector_registers && (all & (all - 1)) == 0;
}

static LLVMValueRef kept_at(Emitter *e, const Variable *v, LLVMValueRef memory, LLVMValueRef first,
                            uint32_t k)
{
    LLVMValueRef at = LLVMBuildAdd(e->b, first, const_i64(e, k), "");
    return LLVMBuildGEP2(e->b, LLVMTypeOf(v->now[0]), memory, &at, 1, "");
}

/* Memory for the accumulators of these variables, and in it what they are now. */
static LLVMValueRef *sums_to_memory(Emitter *e, const Joined *joined, uint32_t n)
{
    LLVMValueRef *memory = arena_alloc(e->arena, (n + 1) * sizeof *memory);
    LLVMBasicBlockRef now = block_now(e), entry = LLVMGetEntryBasicBlock(e->function);
    LLVMPositionBuilder(e->b, entry, LLVMGetFirstInstruction(entry));
    for (uint32_t i = 0; i < n; i++) {
        const Variable *v = joined[i].var;
        memory[i] = LLVMBuildAlloca(e->b, LLVMArrayType2(LLVMTypeOf(v->now[0]), v->n_slots), "sums");
        LLVMSetAlignment(memory[i], e->target->vector_bytes);
    }
    LLVMPositionBuilderAtEnd(e->b, now);
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t k = 0; k < joined[i].var->n_slots; k++)
            LLVMBuildStore(e->b, joined[i].var->now[k],
                           kept_at(e, joined[i].var, memory[i], const_i64(e, 0), k));
    return memory;
}

/* The accumulators from number `first` on become the first `count`. */
static void sums_take(Emitter *e, const Joined *joined, uint32_t n, LLVMValueRef *memory, LLVMValueRef first,
                      uint32_t count)
{
    for (uint32_t i = 0; i < n; i++) {
        Variable *v = joined[i].var;
        LLVMValueRef *now = arena_copy(e->arena, v->now, v->n_slots * sizeof *now);
        for (uint32_t k = 0; k < count; k++)
            now[k] = LLVMBuildLoad2(e->b, LLVMTypeOf(now[k]), kept_at(e, v, memory[i], first, k), "");
        v->now = now;
    }
}

static void sums_give(Emitter *e, const Joined *joined, uint32_t n, LLVMValueRef *memory, LLVMValueRef first,
                      uint32_t count)
{
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t k = 0; k < count; k++)
            LLVMBuildStore(e->b, joined[i].var->now[k], kept_at(e, joined[i].var, memory[i], first, k));
}

/* A loop in lanes that is one copy of its body. */
static bool is_one_vector(const Stmt *s)
{
    return s->kind == ST_LOOP && s->lanes > 1 && s->extent > 0 && s->extent <= (int64_t)s->lanes * s->tile;
}

bool worth_unrolling(const Emitter *e, Val at, bool in_lanes)
{
    const Stmt *s = &e->kernel->stmts[at];
    int64_t body = e->ends[at] - at, times = s->extent; /* with the loops inside */
    if (s->lanes * s->tile != 1 || s->extent > UNROLL_ROW) return false;
    for (Val i = at + 1; i < e->ends[at]; i++) {
        const Stmt *inner = &e->kernel->stmts[i];
        if (inner->kind != ST_LOOP || is_one_vector(inner)) continue;
        if (inner->lanes * inner->tile != 1 || inner->extent < 1 || inner->extent > UNROLL_ROW) return false;
        times *= inner->extent;
    }
    bool is_few = times <= UNROLL_EXTENT && body <= UNROLL_STMTS,
         is_row = in_lanes && times <= UNROLL_ROW && times * body <= UNROLL_EXTENT * UNROLL_STMTS;
    return is_few || is_row;
}

/* Is no loop in it one of the machine's? */
static bool is_innermost(const Emitter *e, Val at)
{
    for (Val i = at + 1; i < e->ends[at]; i++) {
        const Stmt *s = &e->kernel->stmts[i];
        if (s->kind != ST_LOOP || (s->extent >= 0 && s->extent <= (int64_t)s->lanes * s->tile)) continue;
        if (s->extent == EXTENT_WHILE || !worth_unrolling(e, i, lane_depth(e) >= 0)) return false;
    }
    return true;
}

static LLVMValueRef smaller(Emitter *e, LLVMValueRef a, LLVMValueRef b)
{
    return LLVMBuildSelect(e->b, LLVMBuildICmp(e->b, LLVMIntSLT, a, b, ""), a, b, "");
}

enum { COPIES = 4, MOST_COPIED = 12, LEAST_COPIED = 16 }; /* copies; statements; iterations */

/* How many copies of the body an iteration of a machine loop has: several of a few serial statements, one
 * element after the other, as scatters are. A loop's own instructions and its jump are a third of theirs. Not
 * of vectors: lanes may walk. */
static uint32_t copies_of(const Emitter *e, Val at)
{
    const Stmt *s = &e->kernel->stmts[at];
    if (lane_depth(e) >= 0 || s->lanes * s->tile != 1 || s->extent < LEAST_COPIED ||
        e->ends[at] - at > MOST_COPIED)
        return 1;
    if (e->kernel->rows % COPIES || s->halo || s->imm) return 1;
    for (Val i = at + 1; i < e->ends[at]; i++) {
        StmtKind kind = (StmtKind)e->kernel->stmts[i].kind;
        if (kind > ST_OP && kind != ST_STORE && kind != ST_FETCH) return 1;
    }
    return COPIES;
}

/* The copies of the body of the loop on top of the stack. */
static void emit_copies(Emitter *e, Val at, uint32_t copies)
{
    int depth = e->depth;
    emit_body(e, at);
    for (e->loops[depth - 1].ahead = 1; e->loops[depth - 1].ahead < copies; e->loops[depth - 1].ahead++) {
        e->depth = depth;
        emit_body(e, at);
    }
}

/* A machine loop: index = from, from + step, ... below bound; at least once. An iteration does `tile`
 * vectors: all of the loop's tile, or a part of it. overlaps: the last iteration is at bound - step, be that
 * a multiple of the step or not. */
static void emit_repeated(Emitter *e, Val at, uint32_t tile, LLVMValueRef from, LLVMValueRef bound,
                          bool overlaps)
{
    const Stmt *s = &e->kernel->stmts[at];
    bool keeps = keeps_sums(e, at, tile);
    uint32_t copies = copies_of(e, at);
    LLVMValueRef step = const_i64(e, (int64_t)s->lanes * tile * copies);
    LLVMBasicBlockRef before = block_now(e), head = block_new(e, "loop");
    Joined *joined;
    uint32_t n = joined_begin(e, at, &joined);
    Walk *walk = find_walk(e, at);
    LLVMValueRef *memory = keeps ? sums_to_memory(e, joined, n) : NULL, first = NULL;
    block_enter(e, head);
    LLVMValueRef index = LLVMBuildPhi(e->b, e->i64, "i");
    if (walk) walk_begin(e, walk, before);
    if (keeps) {
        LLVMValueRef vector = LLVMBuildUDiv(e->b, index, const_i64(e, s->lanes), "");
        first = LLVMBuildAnd(e->b, vector, const_i64(e, s->tile - 1), "");
        sums_take(e, joined, n, memory, first, tile);
    } else {
        joined_phis(e, joined, n, before);
    }
    if (walk) walk_fill(e, walk, index);
    OpenLoop *l = push_loop(e, at, s->lanes, tile, 0);
    l->index = index;
    l->walk = walk;
    l->before = !overlaps && is_innermost(e, at) ? before : NULL;
    l->from = from;
    l->overlaps = overlaps;
    emit_copies(e, at, copies);
    if (keeps) sums_give(e, joined, n, memory, first, tile);
    else if (tile < s->tile) turn_sums(e, at, tile);

    scaled_indices_advance(e, l, (int64_t)s->lanes * tile * copies);
    LLVMBasicBlockRef last = block_now(e), after = block_new(e, "after");
    LLVMValueRef end = hidden(e, LLVMBuildNUWAdd(e->b, index, step, "")), next = end,
                 more = LLVMBuildICmp(e->b, LLVMIntNE, end, bound, "");
    if (overlaps) next = smaller(e, next, LLVMBuildNSWSub(e->b, bound, step, ""));
    LLVMBuildCondBr(e->b, more, head, after);
    LLVMAddIncoming(index, (LLVMValueRef[]){ from, next }, (LLVMBasicBlockRef[]){ before, last }, 2);
    if (!keeps) joined_close(joined, n, last);
    if (walk) walk_end(walk, last);
    block_go_on(e, after, last);
    if (keeps) sums_take(e, joined, n, memory, const_i64(e, 0), s->tile);
}

/* Does the loop change a variable from outside of it? */
static bool loop_changes(const Emitter *e, Val at)
{
    for (uint32_t i = 0; i < e->n_vars; i++)
        if (range_changes(e, e->vars[i], at + 1, e->ends[at])) return true;
    return false;
}

enum { MOST_IN_PIECES = 8, MOST_PIECES = 3 }; /* statements; vectors */
enum { NARROWEST = 16 };                      /* bytes; halves of x86's smallest registers are no faster */

/* Lanes for what is left over: a mask costs more than a vector that is half as wide, and AVX2 stores under
 * one step by step. */
static uint32_t rest_lanes(const Emitter *e, Val at, int64_t rest)
{
    uint32_t lanes = e->kernel->stmts[at].lanes, least = lanes * NARROWEST / e->target->vector_bytes;
    if (loop_changes(e, at)) return lanes;
    while (lanes > 1 && lanes / 2 >= least && rest <= lanes / 2) lanes /= 2;
    return lanes;
}

/* Is the body so little that it may stand there for each of a few vectors that get shorter? Machines without
 * masks of their own load and store under one element by element, or in pieces. */
static bool is_cheaper_in_pieces(const Emitter *e, Val at, int64_t rest)
{
    if (e->has_avx512 || e->ends[at] - at > MOST_IN_PIECES || loop_changes(e, at)) return false;
    for (Val i = at + 1; i < e->ends[at]; i++) {
        StmtKind kind = (StmtKind)e->kernel->stmts[i].kind;
        if (kind != ST_LOAD && kind != ST_STORE && kind != ST_OP) return false;
    }
    return rest < e->kernel->stmts[at].lanes && __builtin_popcountll((uint64_t)rest) <= MOST_PIECES;
}

static void emit_in_pieces(Emitter *e, Val at, int64_t rest)
{
    int64_t lanes = e->kernel->stmts[at].lanes;
    for (; rest; rest %= lanes) {
        while (lanes > rest) lanes /= 2;
        emit_once(e, at, e->kernel->stmts[at].extent - rest, (uint32_t)lanes, 1, 0);
    }
}

/* What is left over of the extent. */
static void emit_rest(Emitter *e, Val at, int64_t rest)
{
    const Stmt *s = &e->kernel->stmts[at];
    if (s->lanes * s->tile == 1) {
        for (int64_t i = s->extent - rest; i < s->extent; i++) emit_once(e, at, i, 1, 1, 0);
        return;
    }
    if (is_cheaper_in_pieces(e, at, rest)) {
        emit_in_pieces(e, at, rest);
        return;
    }
    int64_t lanes = rest_lanes(e, at, rest), from = e->kernel->stmts[at].extent - rest;
    emit_once(e, at, from, (uint32_t)lanes, (uint32_t)((rest + lanes - 1) / lanes), (uint32_t)(rest % lanes));
}

/* Can the loop do a part of its tile at once? If all it changes are sums with one accumulator for each vector
 * of the tile, and all of them get something. */
static bool has_plain_sums(const Emitter *e, Val at)
{
    const Stmt *s = &e->kernel->stmts[at];
    for (Val i = at + 1; i < e->ends[at]; i++) {
        StmtKind kind = (StmtKind)e->kernel->stmts[i].kind;
        if (kind == ST_LOOP || kind == ST_SET || kind == ST_PREFIX || kind == ST_TEST) return false;
    }
    for (uint32_t i = 0; i < e->n_vars; i++) {
        const Variable *v = e->vars[i];
        if (!range_changes(e, v, at + 1, e->ends[at])) continue;
        if (v->is_arg || v->is_collected || v->n_before != 1 || v->n_inside != 1 || v->n_slots != s->tile)
            return false;
    }
    return s->extent >= (int64_t)s->lanes * s->tile;
}

enum { EAGER_SUMS = 64, BLOCK = 512 }; /* accumulators; iterations */

/* Does a long loop sum floats with fewer accumulators than eager mode has, because some sums share the
 * registers? Each would add that many more elements, and lose digits. */
static bool loses_digits(Emitter *e, Val at)
{
    const Stmt *s = &e->kernel->stmts[at];
    int64_t sums = (int64_t)s->lanes * s->tile;
    bool adds = false;
    if (s->lanes == 1 || sums >= EAGER_SUMS || s->extent <= sums * BLOCK) return false;
    for (Val i = at + 1; i < e->ends[at]; i++) {
        const Stmt *fold = &e->kernel->stmts[i];
        if (fold->kind != ST_FOLD) continue;
        const Stmt *reducer = &e->kernel->stmts[fold->args[0]];
        adds |= reducer->op == OP_ADD && dtype_is_float((DType)reducer->dtype);
    }
    return adds && has_plain_sums(e, at) && !find_walk(e, at);
}

/* emit_repeated, block by block: accumulators begin anew in each, and what they have in the end is added to
 * what blocks before had. (Relative error of 14 sums along rows of 60,000 f32, SSE2: 1.8e-4 -> 7e-6.) */
static void emit_blocks(Emitter *e, Val at, LLVMValueRef from, LLVMValueRef bound)
{
    const Stmt *stmts = e->kernel->stmts, *s = &stmts[at];
    if (!loses_digits(e, at)) {
        emit_repeated(e, at, s->tile, from, bound, false);
        return;
    }
    LLVMBasicBlockRef before = block_now(e), head = block_new(e, "block");
    Joined *joined;
    uint32_t n = joined_begin(e, at, &joined);
    block_enter(e, head);
    LLVMValueRef index = LLVMBuildPhi(e->b, e->i64, "first"),
                 size = const_i64(e, (int64_t)s->lanes * s->tile * BLOCK);
    joined_phis(e, joined, n, before);
    for (uint32_t k = 0; k < n; k++) {
        Variable *v = joined[k].var;
        const Stmt *reducer = &stmts[v->stmt];
        v->now = arena_alloc(e->arena, v->n_slots * sizeof *v->now);
        for (uint32_t i = 0; i < v->n_slots; i++)
            v->now[i] = const_bits(e, reducer->dtype, monoid_start(reducer->op, reducer->dtype), v->lanes);
    }
    LLVMValueRef end = smaller(e, LLVMBuildNUWAdd(e->b, index, size, ""), bound);
    emit_repeated(e, at, s->tile, index, end, false);
    for (uint32_t k = 0; k < n; k++) {
        Variable *v = joined[k].var;
        for (uint32_t i = 0; i < v->n_slots; i++)
            v->now[i] = fold_two(e, &stmts[v->stmt], joined[k].phi[i], v->now[i]);
    }
    LLVMBasicBlockRef last = block_now(e), after = block_new(e, "after");
    LLVMBuildCondBr(e->b, LLVMBuildICmp(e->b, LLVMIntNE, end, bound, ""), head, after);
    LLVMAddIncoming(index, (LLVMValueRef[]){ from, end }, (LLVMBasicBlockRef[]){ before, last }, 2);
    joined_close(joined, n, last);
    block_go_on(e, after, last);
}

enum { LEAST_PART = 4, MOST_STEPS = 256 }; /* vectors; steps that a body of more is written out for */

/* How many vectors of the loop's tile an iteration does. */
static uint32_t part_of_tile(Emitter *e, Val at)
{
    uint32_t tile = e->kernel->stmts[at].tile, steps = 0;
    if (tile <= LEAST_PART || !has_plain_sums(e, at)) return tile;
    for (Val i = at + 1; i < e->ends[at]; i++) steps += steps_of(e, i);
    while (tile > LEAST_PART && tile % 2 == 0 && tile * steps > MOST_STEPS) tile /= 2;
    return tile;
}

/* What is left over goes to the accumulators that are next; then all are turned back. */
static void emit_in_parts(Emitter *e, Val at, uint32_t tile)
{
    const Stmt *s = &e->kernel->stmts[at];
    int64_t step = (int64_t)s->lanes * tile, count = s->extent / step, rest = s->extent % step;
    uint32_t turned = (uint32_t)(count * tile % s->tile);
    emit_repeated(e, at, tile, const_i64(e, 0), const_i64(e, count * step), false);
    if (keeps_sums(e, at, tile)) turn_sums(e, at, turned);
    if (rest) emit_rest(e, at, rest);
    turn_sums(e, at, s->tile - turned);
}

enum { LEAST_OVERLAPPING = 32 }; /* statements */

/* Do all stores of a body from `at` on go to places of their own, where nothing that it loads lies? */
static bool stores_apart(const Emitter *e, Val at)
{
    const Stmt *stmts = e->kernel->stmts;
    for (Val i = at + 1; i < e->ends[at]; i++) {
        const Stmt *s = &stmts[i];
        if (s->kind != ST_STORE) continue;
        int64_t step = address_coefficient(s->address, at);
        if (s->streamed || !step || !e->apart[s->buffer]) return false;
        for (Val j = at + 1; j < e->ends[at]; j++) {
            const Stmt *o = &stmts[j];
            if (j == i || (o->kind != ST_STORE && o->kind != ST_LOAD) || o->buffer != s->buffer) continue;
            int64_t by = o->address.offset - s->address.offset;
            if (o->kind == ST_LOAD || !address_moves_alike(o->address, s->address)) return false;
            if (by % step == 0 && llabs(by / step) < stmts[at].extent) return false;
        }
    }
    return true;
}

/* May what is left over be done with what has been done before it, in a whole step? It gives the same then,
 * and costs less than masks do. */
static bool overlaps(Emitter *e, Val at)
{
    const Stmt *s = &e->kernel->stmts[at];
    int64_t step = (int64_t)s->lanes * s->tile;
    if (s->lanes == 1 || s->extent % step == 0 || s->extent < step) return false;
    if (e->ends[at] - at < LEAST_OVERLAPPING || find_walk(e, at)) return false;
    for (Val i = at + 1; i < e->ends[at]; i++) {
        StmtKind kind = (StmtKind)e->kernel->stmts[i].kind;
        if (kind > ST_OP && kind != ST_STORE) return false;
    }
    return stores_apart(e, at);
}

static void emit_counted(Emitter *e, Val at)
{
    const Stmt *s = &e->kernel->stmts[at];
    uint32_t tile = part_of_tile(e, at);
    if (tile < s->tile) {
        emit_in_parts(e, at, tile);
        return;
    }
    int64_t step = (int64_t)s->lanes * s->tile * copies_of(e, at), count = s->extent / step,
            rest = s->extent % step;
    if (overlaps(e, at)) {
        emit_repeated(e, at, s->tile, const_i64(e, 0), const_i64(e, s->extent), true);
        return;
    }
    if (count == 1) emit_once(e, at, 0, s->lanes, s->tile, 0);
    else if (worth_unrolling(e, at, lane_depth(e) >= 0))
        for (int64_t i = 0; i < count; i++) emit_once(e, at, i, 1, 1, 0);
    else if (count) emit_blocks(e, at, const_i64(e, 0), const_i64(e, count * step));
    if (rest) emit_rest(e, at, rest);
}

/* ---- rows ---- */

/* The index at which iteration b + more of the step loop begins but for a halo, moved by `by`, between 0 and
 * the loop's extent. */
static LLVMValueRef row_bound(Emitter *e, Val at, int64_t more, int64_t by)
{
    const Stmt *s = &e->kernel->stmts[at];
    int64_t rows = e->kernel->rows;
    LLVMValueRef b = e->counters[e->kernel->counter], zero = const_i64(e, 0),
                 row = LLVMBuildAdd(e->b, LLVMBuildMul(e->b, b, const_i64(e, rows), ""),
                                    const_i64(e, more * rows + (int64_t)s->imm + by), "");
    row = smaller(e, row, const_i64(e, s->extent));
    return LLVMBuildSelect(e->b, LLVMBuildICmp(e->b, LLVMIntSLT, row, zero, ""), zero, row, "");
}

Guarded guard_begin(Emitter *e, Val at, LLVMValueRef condition)
{
    Guarded g = { .before = block_now(e) };
    g.n = joined_begin(e, at, &g.joined);
    for (uint32_t k = 0; k < g.n; k++) joined_save(&g.joined[k], g.joined[k].phi);
    g.after = when_begin(e, condition);
    return g;
}

void guard_end(Emitter *e, const Guarded *g)
{
    LLVMBasicBlockRef from[] = { g->before, block_now(e) };
    block_enter(e, g->after);
    for (uint32_t k = 0; k < g->n; k++) {
        const Joined *j = &g->joined[k];
        for (uint32_t i = 0; i < j->var->n_slots; i++) {
            LLVMValueRef value[] = { j->phi[i], j->var->now[i] };
            if (value[0] == value[1]) continue;
            j->phi[i] = LLVMBuildPhi(e->b, LLVMTypeOf(value[0]), "");
            LLVMAddIncoming(j->phi[i], value, from, 2);
        }
        joined_load(e, j, j->phi);
    }
}

static void emit_rows(Emitter *e, Val at)
{
    const Stmt *s = &e->kernel->stmts[at];
    int64_t step = (int64_t)s->lanes * s->tile * copies_of(e, at),
            rest = s->extent > step ? s->extent % step : s->extent;
    LLVMValueRef first = LLVMBuildICmp(e->b, LLVMIntEQ, e->counters[e->kernel->counter], const_i64(e, 0), ""),
                 from = LLVMBuildSelect(e->b, first, const_i64(e, 0), row_bound(e, at, 0, -(int64_t)s->halo),
                                        ""),
                 to = row_bound(e, at, 1, 0), full = const_i64(e, s->extent - rest);
    if (s->extent > rest) {
        LLVMValueRef bound = smaller(e, to, full);
        Guarded g = guard_begin(e, at, LLVMBuildICmp(e->b, LLVMIntSLT, from, bound, ""));
        emit_blocks(e, at, from, bound);
        guard_end(e, &g);
    }
    if (!rest) return;
    Guarded g = guard_begin(e, at,
                            LLVMBuildAnd(e->b, LLVMBuildICmp(e->b, LLVMIntSLE, from, full, ""),
                                         LLVMBuildICmp(e->b, LLVMIntSGT, to, full, ""), ""));
    emit_rest(e, at, rest);
    guard_end(e, &g);
}

void emit_loop(Emitter *e, Val at)
{
    if (e->kernel->stmts[at].extent == EXTENT_WHILE) emit_while(e, at);
    else if (e->kernel->rows && e->depth == 0) emit_rows(e, at);
    else emit_counted(e, at);
}
