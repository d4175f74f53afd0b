/* reduce.c: variables that loops change: reducers with their folds and totals, and carries.
 *
 * A reducer has one accumulator for each part at the place of its REDUCER, of the loops that its folds vary
 * with, times each tile index of the register loops inside, laid out in that order. An accumulator that no
 * fold can reach (the loop is shorter than its tile) is NULL and left out of the total: folding a start value
 * in changes nothing, not even a zero's sign, for sums start from +0.
 */
#include "emit.h"
#include "element/element.h"

Variable *variable_of(Emitter *e, Val at)
{
    for (uint32_t i = e->n_vars; i-- > 0;)
        if (e->vars[i]->stmt == at) return e->vars[i];
    return NULL;
}

static bool is_arg(Op op) { return op == OP_ARGMIN || op == OP_ARGMAX; }

static Op plain_op(Op op) { return op == OP_ARGMAX ? OP_MAX : op == OP_ARGMIN ? OP_MIN : op; }

static uint64_t start_bits(Op op, DType t) { return monoid_start(plain_op(op), t); }

/* The first FOLD of a reducer, and the loops between the two; VAL_NONE: none in the reducer's block. */
static Val first_fold(const Emitter *e, Val reducer, Val open[MAX_LOOP_DEPTH], int *n)
{
    const Stmt *stmts = e->kernel->stmts;
    *n = 0;
    for (Val i = reducer + 1; i < e->kernel->n_stmts; i++) {
        if (stmts[i].kind == ST_FOLD && stmts[i].args[0] == reducer) return i;
        if (stmts[i].kind == ST_LOOP) open[(*n)++] = i;
        if (stmts[i].kind == ST_END && --*n < 0) return VAL_NONE;
    }
    return VAL_NONE;
}

/* Of the index that a FOLD takes, from one tile of the loop to the next; 0: not the same everywhere. */
static int64_t index_step_of(const Emitter *e, const Stmt *fold, Val loop)
{
    const Stmt *stmts = e->kernel->stmts, *index = &stmts[fold->args[2]];
    int64_t step = 0;
    if (index->kind != ST_INDEX) return 0;
    for (uint32_t i = 0; i < index->address.n_terms; i++) {
        const Term *t = &index->address.terms[i];
        if (stmts[t->of].kind != ST_LOOP) return 0;
        if (t->of == loop) step += t->coef * stmts[loop].lanes;
    }
    return step;
}

static int folds_of(const Emitter *e, Val reducer)
{
    int n = 0;
    for (Val i = reducer + 1; i < e->kernel->n_stmts; i++) {
        const Stmt *s = &e->kernel->stmts[i];
        n += s->kind == ST_FOLD && s->args[0] == reducer;
    }
    return n;
}

/* Notes the register loops between the reducer and its FOLDs: their tiles, and how much of them can be
 * reached. */
static void find_inner_loops(Emitter *e, Variable *v, int64_t reach[MAX_LOOP_DEPTH])
{
    const Stmt *stmts = e->kernel->stmts;
    Val open[MAX_LOOP_DEPTH];
    int n;
    Val fold = first_fold(e, v->stmt, open, &n);
    if (fold == VAL_NONE) return;
    for (int k = 0; k < n; k++) {
        const Stmt *s = &stmts[open[k]];
        if (s->lanes * s->tile == 1) continue;
        int64_t used = (s->extent + s->lanes - 1) / s->lanes;
        reach[v->n_inside] = used < s->tile ? used : s->tile;
        v->after_tile[v->n_inside++] = s->tile;
        if (s->lanes == 1) continue;
        v->lanes = v->lanes_inside = s->lanes;
        if (k == n - 1 && v->is_arg && folds_of(e, v->stmt) == 1)
            v->index_step = index_step_of(e, &stmts[fold], open[k]);
    }
}

static bool is_reachable(const Variable *v, const int64_t reach[MAX_LOOP_DEPTH], uint32_t after)
{
    for (int k = v->n_inside - 1; k >= 0; k--) {
        if (after % v->after_tile[k] >= reach[k]) return false;
        after /= (uint32_t)v->after_tile[k];
    }
    return true;
}

static Variable *variable_open(Emitter *e, Val at)
{
    Variable *v = arena_alloc(e->arena, sizeof *v);
    *v = (Variable){ .stmt = at,
                     .depth = e->depth,
                     .axes = open_axes(e) & e->varies[at],
                     .lanes_inside = 1,
                     .active = e->active.number };
    v->lanes = axes_lanes(e, v->axes);
    v->n_before = parts_of(e, v->axes);
    ARENA_PUSH(e->arena, e->vars, e->n_vars, e->cap_vars) = v;
    return v;
}

void emit_carry(Emitter *e, Val at)
{
    Variable *v = variable_open(e, at);
    v->n = v->n_slots = v->n_before;
    v->n_after = 1;
    v->now = arena_alloc(e->arena, v->n * sizeof *v->now);
    for (uint32_t i = 0; i < v->n; i++) v->now[i] = operand(e, e->kernel->stmts[at].args[0], v->axes, i);
}

static bool has_prefix(const Emitter *e, Val reducer)
{
    const Kernel *k = e->kernel;
    for (Val i = reducer + 1; i < k->n_stmts; i++)
        if (k->stmts[i].kind == ST_PREFIX && k->stmts[i].args[0] == reducer) return true;
    return false;
}

/* What accumulators that are folded together know of signs and NaN. */
static LLVMValueRef *looked_at(const Variable *v, uint32_t before) { return &v->now[v->n + before]; }
static LLVMValueRef *signs_at(const Variable *v, uint32_t before)
{
    return &v->now[v->n + v->n_before + before];
}

static void start_slots(Emitter *e, const Stmt *s, Variable *v, const int64_t reach[MAX_LOOP_DEPTH])
{
    LLVMValueRef start = const_bits(e, s->dtype, start_bits(s->op, s->dtype), v->lanes);
    for (uint32_t i = 0; i < v->n; i++) {
        if (!is_reachable(v, reach, i % v->n_after) || i % v->n_after >= v->n_taken) continue;
        v->now[i] = start;
        if (v->is_arg) v->now[v->n + i] = const_bits(e, s->index_dtype, 0, v->lanes);
    }
    for (uint32_t i = 0; v->is_collected && !v->is_arg && i < v->n_before; i++) {
        Extreme none = extreme_begin(e, s->op == OP_MAX, start, v->lanes_inside == 1);
        *looked_at(v, i) = none.looked;
        *signs_at(v, i) = none.signs;
    }
}

/* The greatest of many is the same in any order, so a quarter of the registers is enough for accumulators:
 * more spill, and are more to fold in the end (softmax of 128 x 128 f64, AVX2: 26.0 -> 23.9 us). */
static uint32_t taken_of(const Emitter *e, const Variable *v)
{
    uint32_t most = e->target->vector_registers / 4;
    return v->n_after < most ? v->n_after : most;
}

void emit_reducer(Emitter *e, Val at)
{
    const Stmt *s = &e->kernel->stmts[at];
    int64_t reach[MAX_LOOP_DEPTH];
    Variable *v = variable_open(e, at);
    v->is_arg = is_arg(s->op);
    find_inner_loops(e, v, reach);
    v->n_after = 1;
    for (int k = 0; k < v->n_inside; k++) v->n_after *= (uint32_t)v->after_tile[k];
    v->n = v->n_before * v->n_after;
    v->is_collected = !dtype_is_narrow_float(s->dtype) &&
                      extreme_is_collected(e, plain_op(s->op), s->dtype, v->lanes) && !has_prefix(e, at);
    v->n_taken = v->is_collected && !v->is_arg ? taken_of(e, v) : v->n_after;
    v->n_slots = v->n + (v->is_arg ? v->n : v->is_collected ? 2 * v->n_before : 0);
    v->now = arena_alloc(e->arena, v->n_slots * sizeof *v->now);
    start_slots(e, s, v, reach);
}

/* Which accumulator a part of the FOLD's axes goes to. */
static uint32_t accumulator_of(const Emitter *e, const Variable *v, Axes axes, uint32_t part)
{
    uint32_t tile[MAX_LOOP_DEPTH], q = 0;
    int inside = 0;
    part_tiles(e, axes, part, tile);
    for (int d = 0; d < e->depth; d++) {
        const Stmt *loop = &e->kernel->stmts[e->loops[d].stmt];
        if (d < v->depth && axes >> d & 1) q = q * e->loops[d].tile + tile[d];
        /* what is left of a loop may be one step */
        else if (d >= v->depth && loop->lanes * loop->tile > 1)
            q = q * (uint32_t)v->after_tile[inside++] + tile[d];
    }
    return q;
}

/* a is NaN */
static LLVMValueRef is_nan(Emitter *e, LLVMValueRef a) { return LLVMBuildFCmp(e->b, LLVMRealUNO, a, a, ""); }

static LLVMValueRef is_better(Emitter *e, Op op, DType t, LLVMValueRef a, LLVMValueRef b)
{
    return op_compare(e, op == OP_ARGMAX ? CMP_GT : CMP_LT, t, a, b);
}

/* Of (a, ia) and (b, ib): does b come out? When in_order, ib is known to be after ia. The first NaN wins over
 * all, then the better value, then the first index. */
static LLVMValueRef takes_second(Emitter *e, Op op, DType t, LLVMValueRef a, LLVMValueRef ia, LLVMValueRef b,
                                 LLVMValueRef ib, bool in_order, DType index)
{
    bool is_float = dtype_is_float(t);
    if (is_float && dtype_is_narrow_float(t)) {
        a = widen(e, t, a);
        b = widen(e, t, b);
        t = WEFT_F32;
    }
    LLVMValueRef take = is_better(e, op, t, b, a);
    if (in_order) {
        if (!is_float) return take;
        /* unordered or better, and a is not yet NaN */
        take = LLVMBuildFCmp(e->b, op == OP_ARGMAX ? LLVMRealUGT : LLVMRealULT, b, a, "");
        return LLVMBuildAnd(e->b, take, LLVMBuildFCmp(e->b, LLVMRealORD, a, a, ""), "");
    }
    LLVMValueRef earlier = op_compare(e, CMP_LT, index, ib, ia);
    LLVMValueRef equal = op_compare(e, CMP_EQ, t, a, b);
    take = LLVMBuildOr(e->b, take, LLVMBuildAnd(e->b, equal, earlier, ""), "");
    if (!is_float) return take;
    LLVMValueRef nan_a = is_nan(e, a), nan_b = is_nan(e, b);
    LLVMValueRef both = LLVMBuildAnd(e->b, nan_b, earlier, ""), either = LLVMBuildOr(e->b, nan_b, take, "");
    return select_part(e, nan_a, both, either);
}

LLVMValueRef fold_two(Emitter *e, const Stmt *r, LLVMValueRef a, LLVMValueRef b)
{
    return op_part(e, r->op, r->dtype, r->dtype, a, b, NULL, NULL);
}

LLVMValueRef operand_as(Emitter *e, Val at, DType want, Axes axes, uint32_t part)
{
    DType have = (DType)value_of(e, at)->dtype;
    LLVMValueRef v = operand(e, at, axes, part);
    return have == want ? v : convert_part(e, have, want, v);
}

/* Lanes that do not count, or have left loops around the reducer, stay apart from the others if lanes are not
 * folded together: whatever they get is not looked at. */
static LLVMValueRef fold_mask(Emitter *e, const Variable *v, Axes axes, uint32_t part)
{
    bool is_apart = axes_lanes(e, v->axes) > 1 && v->lanes_inside == 1,
         has_left = v->active != e->active.number;
    if (has_left) return part_mask(e, axes, part);
    return is_apart ? NULL : tail_mask(e, axes, part);
}

/* Where the mask is off stands the start value, which changes nothing. */
static LLVMValueRef masked_value(Emitter *e, const Stmt *r, LLVMValueRef mask, LLVMValueRef value)
{
    return mask ? select_part(e, mask, value,
                              const_bits(e, r->dtype, start_bits(r->op, r->dtype), lanes_of(value)))
                : value;
}

static void fold_arg(Emitter *e, const Stmt *s, Variable *v, Axes axes, uint32_t part)
{
    const Stmt *r = &e->kernel->stmts[v->stmt];
    uint32_t q = accumulator_of(e, v, axes, part);
    /* the innermost loop's tile is the last of a part's */
    uint32_t first = v->index_step ? part - part % e->loops[e->depth - 1].tile : part;
    LLVMValueRef value = operand_as(e, s->args[1], r->dtype, axes, part), old = v->now[q],
                 index = operand(e, s->args[2], axes, first), at = v->now[v->n + q],
                 mask = fold_mask(e, v, axes, part), take;
    if (v->is_collected)
        v->now[q] = extreme_next(e, r->op == OP_ARGMAX, old, masked_value(e, r, mask, value), &take);
    else {
        take = takes_second(e, r->op, r->dtype, old, at, value, index, true, r->index_dtype);
        if (mask) take = LLVMBuildAnd(e->b, take, mask, "");
        v->now[q] = select_part(e, take, value, old);
    }
    v->now[v->n + q] = select_part(e, take, index, at);
}

static bool is_only_used_by(LLVMValueRef v, LLVMValueRef user)
{
    for (LLVMUseRef u = LLVMGetFirstUse(v); u; u = LLVMGetNextUse(u))
        if (LLVMGetUser(u) != user) return false;
    return true;
}

/* Moves the arithmetic here that only this value is made of, and it is only made for its user. */
static void compute_here(Emitter *e, LLVMValueRef v, LLVMValueRef user)
{
    if (!LLVMIsABinaryOperator(v) || LLVMGetInstructionParent(v) != block_now(e) || !is_only_used_by(v, user))
        return;
    for (unsigned i = 0; i < 2; i++) compute_here(e, LLVMGetOperand(v, i), v);
    LLVMInstructionRemoveFromParent(v);
    LLVMInsertIntoBuilder(e->b, v);
}

/* LLVM keeps the order. With the terms of all parts ahead of the sums, they would take as many registers as
 * the sums do, and spill them. */
static void fold_part(Emitter *e, const Stmt *s, Variable *v, Axes axes, uint32_t part)
{
    const Stmt *r = &e->kernel->stmts[v->stmt], *product = &e->kernel->stmts[s->args[1]];
    uint32_t q = accumulator_of(e, v, axes, part);
    bool once = e->in_sums[s->args[1]];
    LLVMValueRef value[2] = { NULL }, old = v->now[q], mask = fold_mask(e, v, axes, part), folded;
    for (int i = 0; i < 1 + once; i++) {
        value[i] = operand_as(e, once ? product->args[i] : s->args[1], r->dtype, axes, part);
        compute_here(e, value[i], NULL);
    }
    folded = once ? float_fma(e, value[0], value[1], old) : fold_two(e, r, old, value[0]);
    v->now[q] = mask ? select_part(e, mask, folded, old) : folded;
}

/* Picks the greater ones part by part. What is known of signs and NaN goes through the loop once for all
 * accumulators that are folded together. */
static void collect_parts(Emitter *e, const Stmt *s, Variable *v, Axes axes, uint32_t n)
{
    const Stmt *r = &e->kernel->stmts[v->stmt];
    Extreme *met = arena_alloc(e->arena, v->n_before * sizeof *met);
    bool max = r->op == OP_MAX;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t q = accumulator_of(e, v, axes, i), before = q / v->n_after;
        LLVMValueRef value = operand_as(e, s->args[1], r->dtype, axes, i), mask = fold_mask(e, v, axes, i);
        value = masked_value(e, r, mask, value);
        Extreme one = extreme_of_one(e, value);
        q = before * v->n_after + q % v->n_after % v->n_taken;
        v->now[q] = extreme_pick(e, max, value, v->now[q]);
        if (met[before].value) extreme_look(e, max, &met[before], &one);
        else met[before] = one;
    }
    for (uint32_t i = 0; i < v->n_before; i++) {
        if (!met[i].value) continue;
        Extreme all = { .looked = *looked_at(v, i), .signs = *signs_at(v, i) };
        extreme_look_once(e, max, &all, met[i]);
        *looked_at(v, i) = all.looked;
        *signs_at(v, i) = all.signs;
    }
}

void emit_set(Emitter *e, Val at)
{
    const Stmt *s = &e->kernel->stmts[at];
    Variable *v = variable_of(e, s->args[0]);
    v->next = arena_alloc(e->arena, v->n * sizeof *v->next);
    v->next_depth = e->depth;
    for (uint32_t i = 0; i < v->n; i++) v->next[i] = operand(e, s->args[1], v->axes, i);
}

void emit_fold(Emitter *e, Val at)
{
    const Stmt *s = &e->kernel->stmts[at];
    Variable *v = variable_of(e, s->args[0]);
    Axes around = ((Axes)1 << v->depth) - 1, axes = (open_axes(e) & ~around) | v->axes;
    uint32_t n = parts_of(e, axes);
    if (v->is_collected && !v->is_arg) collect_parts(e, s, v, axes, n);
    else
        for (uint32_t i = 0; i < n; i++) (v->is_arg ? fold_arg : fold_part)(e, s, v, axes, i);
    block_breathe(e, n);
}

/* A pair (value, index); index NULL for monoids, value NULL: nothing was folded. */
typedef struct ValueIndex {
    LLVMValueRef value, index;
} ValueIndex;

static ValueIndex merge(Emitter *e, const Stmt *r, ValueIndex a, ValueIndex b)
{
    if (!a.value) return b;
    if (!b.value) return a;
    if (!a.index) return (ValueIndex){ fold_two(e, r, a.value, b.value), NULL };
    LLVMValueRef take =
        takes_second(e, r->op, r->dtype, a.value, a.index, b.value, b.index, false, r->index_dtype);
    return (ValueIndex){ select_part(e, take, b.value, a.value), select_part(e, take, b.index, a.index) };
}

static LLVMValueRef half_of(Emitter *e, LLVMValueRef v, uint32_t from, uint32_t n)
{
    int lane[64];
    if (!v) return NULL;
    if (n == 1) return LLVMBuildExtractElement(e->b, v, LLVMConstInt(e->i32, from, false), "");
    for (uint32_t i = 0; i < n; i++) lane[i] = (int)(from + i);
    return shuffle(e, v, NULL, lane, n);
}

/* The greatest or least lane, of numbers. Vectors stay as long as what machines have. */
static LLVMValueRef extreme_lane(Emitter *e, bool max, LLVMValueRef v)
{
    LLVMTypeRef element = type_element(LLVMTypeOf(v));
    uint32_t shortest = element == e->f32 ? 4 : 2;
    for (uint32_t lanes = lanes_of(v); lanes > 1; lanes /= 2) {
        uint32_t n = lanes_of(v) > shortest ? lanes / 2 : lanes_of(v);
        int low[64], high[64];
        for (uint32_t i = 0; i < n; i++) {
            low[i] = (int)i;
            high[i] = (int)(i + lanes / 2 < lanes ? i + lanes / 2 : i);
        }
        LLVMValueRef upper = shuffle(e, v, NULL, high, n);
        v = extreme_of_numbers(e, max, lanes_of(v) == n ? v : shuffle(e, v, NULL, low, n), upper);
    }
    return LLVMBuildExtractElement(e->b, v, LLVMConstInt(e->i32, 0, false), "");
}

static LLVMValueRef total_collected(Emitter *e, bool max, const Variable *v, uint32_t before)
{
    Extreme all = { .looked = *looked_at(v, before), .signs = *signs_at(v, before) };
    for (uint32_t i = 0; i < v->n_after; i++) {
        LLVMValueRef one = v->now[before * v->n_after + i];
        if (one) all.value = all.value ? extreme_pick(e, max, one, all.value) : one;
    }
    if (v->lanes_inside == 1) return extreme_end(e, max, all);
    LLVMValueRef any = any_lane(e, extreme_has_nan(e, &all)),
                 m = extreme_lane(e, max, extreme_number(e, max, &all));
    return LLVMBuildSelect(e->b, any, number_like(e, m, __builtin_nan("")), m, "");
}

static ValueIndex total_lanes(Emitter *e, const Stmt *r, ValueIndex p, uint32_t lanes)
{
    for (; lanes > 1; lanes /= 2) {
        ValueIndex low = { half_of(e, p.value, 0, lanes / 2), half_of(e, p.index, 0, lanes / 2) };
        ValueIndex high = { half_of(e, p.value, lanes / 2, lanes / 2),
                            half_of(e, p.index, lanes / 2, lanes / 2) };
        p = merge(e, r, low, high);
    }
    return p;
}

/* Of each stretch of `width` lanes of a, then of b, if there is one: the half at `from`. */
static LLVMValueRef halves_of(Emitter *e, LLVMValueRef a, LLVMValueRef b, uint32_t width, uint32_t from)
{
    int lane[128];
    uint32_t n = 0, lanes = a ? lanes_of(a) * (b ? 2 : 1) : 0;
    for (uint32_t i = 0; i < lanes; i += width)
        for (uint32_t k = 0; k < width / 2; k++) lane[n++] = (int)(i + from + k);
    return a ? shuffle(e, a, b, lane, n) : NULL;
}

/* The same for several: two that wait become one vector, and so on, whose stretches are halved together (the
 * argmin of 8 rows of 16 lanes takes 8 steps, not 32). */
static void total_together(Emitter *e, const Stmt *r, ValueIndex *pair, uint32_t n, uint32_t lanes)
{
    uint32_t vectors = n, each = 1; /* each has so many of the n */
    for (uint32_t width = lanes; width > 1; width /= 2) {
        bool join = vectors > 1;
        for (uint32_t i = 0; i < vectors; i += 2) {
            ValueIndex a = pair[i],
                       b = i + 1 < vectors ? pair[i + 1]
                           : join          ? a
                                           : (ValueIndex){ 0 },
                       low = { halves_of(e, a.value, b.value, width, 0),
                               halves_of(e, a.index, b.index, width, 0) },
                       high = { halves_of(e, a.value, b.value, width, width / 2),
                                halves_of(e, a.index, b.index, width, width / 2) };
            pair[i / 2] = merge(e, r, low, high);
        }
        if (join) vectors = (vectors + 1) / 2, each *= 2;
    }
    for (uint32_t i = n; i-- > 0;)
        pair[i] = (ValueIndex){ half_of(e, pair[i / each].value, i % each, 1),
                                half_of(e, pair[i / each].index, i % each, 1) };
}

/* The index that an accumulator holds. The innermost loop's tile is the last of an accumulator's. */
static LLVMValueRef index_of(Emitter *e, const Variable *v, uint32_t q)
{
    LLVMValueRef index = v->now[v->n + q];
    int64_t tile = v->index_step ? q % v->after_tile[v->n_inside - 1] : 0;
    if (!index || !tile) return index;
    return LLVMBuildAdd(e->b, index, const_like(e, index, (uint64_t)(tile * v->index_step)), "");
}

/* Halves of the tiles. */
static ValueIndex total_part(Emitter *e, const Stmt *r, const Variable *v, uint32_t before)
{
    ValueIndex *pair = arena_alloc(e->arena, v->n_after * sizeof *pair);
    for (uint32_t i = 0; i < v->n_after; i++) {
        pair[i].value = v->now[before * v->n_after + i];
        if (v->is_arg) pair[i].index = index_of(e, v, before * v->n_after + i);
    }
    for (uint32_t n = v->n_after; n > 1;) {
        uint32_t half = (n + 1) / 2;
        for (uint32_t i = 0; i + half < n; i++) pair[i] = merge(e, r, pair[i], pair[i + half]);
        n = half;
    }
    if (!pair[0].value) {
        pair[0].value = const_bits(e, r->dtype, start_bits(r->op, r->dtype), v->lanes);
        if (v->is_arg) pair[0].index = const_bits(e, r->index_dtype, 0, v->lanes);
    }
    return pair[0];
}

void emit_total(Emitter *e, Val at)
{
    const Stmt *s = &e->kernel->stmts[at], *r = &e->kernel->stmts[s->args[0]];
    Variable *v = variable_of(e, s->args[0]);
    Value *out = value_new(e, at, s->dtype, v->axes);
    ValueIndex *pair = arena_alloc(e->arena, v->n_before * sizeof *pair);
    bool is_folded = r->kind != ST_CARRY && !(v->is_collected && !v->is_arg);
    for (uint32_t i = 0; i < v->n_before; i++) {
        if (r->kind == ST_CARRY) out->part[i] = v->now[i];
        else if (!is_folded) out->part[i] = total_collected(e, r->op == OP_MAX, v, i);
        else pair[i] = total_part(e, r, v, i);
    }
    if (!is_folded) return;
    if (v->n_before == 1) pair[0] = total_lanes(e, r, pair[0], v->lanes_inside);
    else if (v->lanes_inside > 1) total_together(e, r, pair, v->n_before, v->lanes_inside);
    for (uint32_t i = 0; i < v->n_before; i++)
        out->part[i] = v->is_arg && !s->imm ? pair[i].index : pair[i].value;
}
