/* point.c: the value of one node at one point; see point.h. One rule per op; loops and their lanes are opened by fold_loops(). */
#include "point_parts.h"
#include <string.h>

bool op_folds(Op op)
{
    return op == OP_REDUCE || op == OP_ARGMAX || op == OP_ARGMIN || op == OP_REDUCE_REGION || op == OP_DOT || op == OP_REDUCE_WINDOW || op == OP_WHILE
        || op == OP_SCAN;
}

static void push(Build *b, Ref **list, uint32_t *n, uint32_t *capacity, Ref ref)
{
    if (*n == *capacity) *list = arena_grow(b->arena, *list, *n, capacity, *n + 1, sizeof **list);
    (*list)[(*n)++] = ref;
}

/* ---- index arithmetic ---- */

Address point_address(Build *b, Type t, const Address *at)
{
    Address sum = address_number(0);
    int64_t stride = 1;
    for (int d = t.rank - 1; d >= 0; d--) {
        sum = address_add(b->arena, sum, address_scale(b->arena, at[d], stride));
        stride *= t.dim[d];
    }
    return sum;
}

/* Bounds of an address from the extents of its loops; false if it has other terms. */
static bool address_range(const Build *b, Address a, int64_t *low, int64_t *high)
{
    *low = *high = a.offset;
    for (uint32_t i = 0; i < a.n_terms; i++) {
        const Stmt *s = &b->nest.stmts[a.terms[i].of];
        if (s->kind != ST_LOOP || s->extent == EXTENT_WHILE) return false;
        int64_t reach = a.terms[i].coef * (s->extent - 1);
        *(reach < 0 ? low : high) += reach;
    }
    return true;
}

DType index_type(const Build *b, Address a)
{
    int64_t low, high;
    return address_range(b, a, &low, &high) && low > INT32_MIN && high < INT32_MAX ? WEFT_I32 : WEFT_I64;
}

Val op2(Build *b, Op op, DType t, Val x, Val y) { return nest_op(&b->nest, op, t, (Val[]){ x, y }, 2, NULL, 0); }

Val compare(Build *b, CompareDir dir, Val x, Val y)
{
    return nest_op(&b->nest, OP_COMPARE, WEFT_BOOL, (Val[]){ x, y }, 2, (int64_t[]){ dir, ORDER_SIGNED }, 2);
}

Val compare_with(Build *b, CompareDir dir, Val x, int64_t with)
{
    DType t = (DType)b->nest.stmts[x].dtype;
    return compare(b, dir, x, nest_const(&b->nest, t, scalar_from_i64(t, with)));
}

Val select_value(Build *b, DType type, Val p, Val t, Val f)
{
    return t == f ? t : nest_op(&b->nest, OP_SELECT, type, (Val[]){ p, t, f }, 3, NULL, 0);
}

Val both(Build *b, Val x, Val y)
{
    if (x == VAL_NONE) return y;
    return y == VAL_NONE || x == y ? x : op2(b, OP_AND, WEFT_BOOL, x, y);
}

/* low <= a < high, or VAL_NONE if that is always so. */
Val in_range(Build *b, Address a, int64_t low, int64_t high)
{
    int64_t least, most;
    bool known = address_range(b, a, &least, &most);
    Val i = VAL_NONE, r = VAL_NONE;
    if (known && least >= low && most < high) return r;
    i = nest_index(&b->nest, index_type(b, a), a);
    if (!known || least < low) r = compare_with(b, CMP_GE, i, low);
    if (!known || most >= high) r = both(b, r, compare_with(b, CMP_LT, i, high));
    return r;
}

/* a / m and a % m for a in [0, ...): by splitting the terms where that is exact, else by integer statements. */
void divide(Build *b, Address a, int64_t m, Address *quotient, Address *rest)
{
    Address q = address_number(a.offset / m), r = address_number(a.offset % m);
    for (uint32_t i = 0; i < a.n_terms; i++) {
        int64_t c = a.terms[i].coef;
        q = address_add(b->arena, q, address_of(b->arena, a.terms[i].of, c / m));
        r = address_add(b->arena, r, address_of(b->arena, a.terms[i].of, c % m));
    }
    int64_t low, high;
    if (address_range(b, r, &low, &high) && low >= 0 && high < m) {
        *quotient = q;
        *rest = r;
        return;
    }
    DType t = index_type(b, a);
    Val i = nest_index(&b->nest, t, a), by = nest_const(&b->nest, t, scalar_from_i64(t, m));
    *quotient = address_of(b->arena, op2(b, OP_DIV, t, i, by), 1);
    *rest = address_of(b->arena, op2(b, OP_REM, t, i, by), 1);
}

Address *new_index(Build *b, int rank) { return arena_alloc(b->arena, ((size_t)rank + 1) * sizeof(Address)); }

/* Index into the operand of a reshape: groups of axes with equal products go over into each other. */
static void reshape_index(Build *b, Type from, Type to, const Address *at, Address *out)
{
    int i = 0, j = 0;
    while (i < to.rank || j < from.rank) {
        int i0 = i, j0 = j;
        int64_t p = i < to.rank ? to.dim[i++] : 1, q = j < from.rank ? from.dim[j++] : 1;
        while (p != q) {
            if (p < q && i < to.rank) p *= to.dim[i++];
            else if (j < from.rank) q *= from.dim[j++];
            else break;
        }
        Address linear = address_number(0);
        int64_t stride = 1;
        for (int d = i - 1; d >= i0; d--) {
            linear = address_add(b->arena, linear, address_scale(b->arena, at[d], stride));
            stride *= to.dim[d];
        }
        for (int d = j0; d < j; d++) {
            int64_t rest = 1;
            for (int e = d + 1; e < j; e++) rest *= from.dim[e];
            if (from.dim[d] == 1) out[d] = address_number(0);
            else if (rest == 1) { out[d] = linear; linear = address_number(0); }
            else divide(b, linear, rest, &out[d], &linear);
        }
    }
}

/* ---- memo ---- */

static uint32_t hash_point(uint32_t n, const Address *at, int rank, Val mask)
{
    uint64_t h = n * 0x9e3779b97f4a7c15u ^ mask;
    for (int d = 0; d < rank; d++) {
        h = (h ^ (uint64_t)at[d].offset) * 0xff51afd7ed558ccdu;
        for (uint32_t i = 0; i < at[d].n_terms; i++)
            h = (h ^ ((uint64_t)at[d].terms[i].of << 32) ^ (uint64_t)at[d].terms[i].coef) * 0xc4ceb9fe1a85ec53u;
        h ^= h >> 31;
    }
    return (uint32_t)(h ^ h >> 32);
}

static bool same_index(const Address *x, const Address *y, int rank)
{
    for (int d = 0; d < rank; d++) if (!address_equal(x[d], y[d])) return false;
    return true;
}

static bool same_point(const Memo *m, uint32_t key, const Address *at, int rank, Val mask)
{
    return m->key == key && m->rank == rank && m->mask == mask && same_index(m->at, at, rank);
}

static uint32_t memo_key(const Build *b, Ref n) { return b->frame ? b->frame->first_key + n : n; }

static Memo *memo_slot(Build *b, Ref n, int rank, const Address *at, Val mask)
{
    uint32_t key = memo_key(b, n);
    if (2 * (b->memo_used + 1) > b->memo_size) {
        uint32_t old_size = b->memo_size;
        Memo *old = b->memos;
        b->memo_size = old_size ? 2 * old_size : 256;
        b->memos = arena_alloc(b->arena, b->memo_size * sizeof *b->memos);
        for (uint32_t i = 0; i < old_size; i++) {
            if (!old[i].at) continue;
            uint32_t h = hash_point(old[i].key, old[i].at, old[i].rank, old[i].mask);
            while (b->memos[h & (b->memo_size - 1)].at) h++;
            b->memos[h & (b->memo_size - 1)] = old[i];
        }
    }
    uint32_t h = hash_point(key, at, rank, mask);
    for (;; h++) {
        Memo *m = &b->memos[h & (b->memo_size - 1)];
        if (!m->at || same_point(m, key, at, rank, mask)) return m;
    }
}

static void memo_set(Build *b, Ref n, const Address *at, Val mask, Val value)
{
    Memo *m = memo_slot(b, n, node_of(b, n)->rank, at, mask);
    b->memo_used += !m->at;
    const Val *results = m->at ? m->results : NULL;
    *m = (Memo){ memo_key(b, n), node_of(b, n)->rank, mask, at, value, results };
}

/* ---- loops of reductions ---- */

bool inside_lanes(const Build *b, uint32_t block)
{
    for (; b->nest.blocks[block].loop != VAL_NONE; block = b->nest.blocks[block].parent)
        if (b->nest.stmts[b->nest.blocks[block].loop].lanes > 1) return true;
    return false;
}

static bool is_scalar_fold(const Build *b, Ref operand)
{
    for (int i = 0; i < b->schedule.n_scalar; i++) if (b->schedule.scalar[i] == operand) return true;
    return false;
}

/* Opens the loops over the listed axes of an operand of this type and puts their indices into at[]; adjacent axes that collapse are one loop.
 * The innermost gets lanes if `lanes` and nothing around has. Returns the innermost body. Loops are of `phase` in `block`. */
static uint32_t fold_loops(Build *b, Ref operand, const int64_t *axes, int n, bool lanes, uint32_t block, uint32_t phase, bool own, Address *at)
{
    Type t = node_type(node_of(b, operand));
    for (int i = 0; i < n; ) {
        int first = i, last = i;
        while (last + 1 < n && axes[last + 1] == axes[last] + 1 && point_collapses(b, operand, (int)axes[last])) last++;
        int64_t extent = 1;
        for (int k = first; k <= last; k++) { extent *= t.dim[axes[k]]; at[axes[k]] = address_number(0); }
        i = last + 1;
        if (extent == 1) continue;
        LoopShape shape = { .extent = extent, .lanes = 1, .tile = 1 };
        if (lanes && i == n && !inside_lanes(b, block) && !is_scalar_fold(b, operand)) {
            shape.lanes = b->schedule.lanes;
            shape.tile = b->schedule.fold_tile ? b->schedule.fold_tile : (uint16_t)(64 / shape.lanes ? 64 / shape.lanes : 1);
        }
        Val around = b->nest.blocks[block].loop;
        if (b->schedule.chains > 1 && shape.lanes == 1 && around != VAL_NONE && b->nest.stmts[around].lanes > 1) shape.tile = b->schedule.chains;
        Val loop = nest_loop(&b->nest, block, phase, shape, own);
        b->nest.stmts[loop].buffer = operand;
        at[point_run_axis(t, (int)axes[first], (int)axes[last])] = address_of(b->arena, loop, 1);
        block = nest_body(&b->nest, loop);
    }
    return block;
}

/* The trailing axes as one loop even if they do not collapse: eager's order of 64 accumulators runs over the flattened block. */
static uint32_t flat_loop(Build *b, Ref operand, int first, uint32_t block, uint32_t phase, Address *at)
{
    Type t = node_type(node_of(b, operand));
    int64_t extent = 1;
    for (int d = first; d < t.rank; d++) extent *= t.dim[d];
    LoopShape shape = { .extent = extent, .lanes = b->schedule.lanes, .tile = (uint16_t)(64 / b->schedule.lanes ? 64 / b->schedule.lanes : 1) };
    Val loop = nest_loop(&b->nest, block, phase, shape, false);
    Type flat = { t.dtype, 1, &extent }, rest = { t.dtype, (uint8_t)(t.rank - first), t.dim + first };
    Address linear = address_of(b->arena, loop, 1);
    uint32_t body = nest_body(&b->nest, loop);
    reshape_index(b, rest, flat, &linear, at + first);
    return body;
}

DType accumulator(DType t) { return dtype_is_narrow_float(t) ? WEFT_F32 : t; }

Val convert(Build *b, Val v, DType to)
{
    if (b->nest.stmts[v].dtype == to) return v;
    return nest_op(&b->nest, OP_CONVERT, to, &v, 1, NULL, 0);
}

uint32_t val_phase(const Build *b, Val v, uint32_t block)
{
    return v == VAL_NONE ? 0 : nest_address_phase(&b->nest, (Address){ .n_terms = 1, .terms = &(Term){ v, 1 } }, block);
}

uint32_t loops_phase(Build *b, Ref ref, const Address *at, int rank, Val mask, uint32_t block, uint32_t own)
{
    uint32_t known = val_phase(b, mask, block), depth = b->plan[ref].depth;
    if (b->frame && b->frame->phase > known) known = b->frame->phase;
    for (int d = 0; d < rank; d++) {
        uint32_t p = nest_address_phase(&b->nest, at[d], block);
        if (p > known) known = p;
    }
    return known + (depth > own ? depth - own : 0);
}

static uint32_t fold_phase(Build *b, Ref ref, const Address *at, Val mask, uint32_t block) {
    return loops_phase(b, ref, at, node_of(b, ref)->rank, mask, block, 1);
}

/* Operand index of a reduction: kept axes from the result's index; reduced ones are left for the loops. */
static Address *kept_index(Build *b, Type operand, const int64_t *axes, int n, const Address *at)
{
    Address *in = new_index(b, operand.rank);
    int out = 0, k = 0;
    for (int d = 0; d < operand.rank; d++) {
        if (k < n && axes[k] == d) { k++; in[d] = address_number(0); }
        else in[d] = at[out++];
    }
    return in;
}

static bool is_float_sum(Op op, DType t) { return dtype_is_float(t) && (op == OP_ADD || op == OP_MUL); }

static Val load_value(Build *b, Ref ref, const Address *at, Val mask, uint32_t block);

/* The node gets a buffer, which this kernel may load from; fuse.c makes the kernel that stores it. */
static void want_memory(Build *b, Ref ref)
{
    NodePlan *p = &b->plan[ref];
    push(b, &b->wanted, &b->n_wanted, &b->cap_wanted, ref);
    if (p->place.kind == PLACE_NONE) p->place = place_temporary(b->arena, b->program, node_type(node_of(b, ref)));
}

static Val reduce_value(Build *b, Ref ref, const Address *at, Val mask, uint32_t block)
{
    const Node *n = node_of(b, ref);
    Op op = (Op)n->attr[0];
    const int64_t *axes = n->attr + 1;
    int n_axes = (int)n->n_attr - 1;
    Ref x = n->args[0];
    Type t = node_type(node_of(b, x));
    DType acc = accumulator((DType)t.dtype);
    for (int i = 0; i < n_axes; i++) if (t.dim[axes[i]] == 0) return nest_const(&b->nest, (DType)t.dtype, monoid_start(op, (DType)t.dtype));
    uint32_t phase = fold_phase(b, ref, at, mask, block), body;
    Address *in = kept_index(b, t, axes, n_axes, at);
    bool trailing = n_axes > 0 && axes[0] == t.rank - n_axes, strict = b->program->mode == MODE_STRICT && is_float_sum(op, (DType)t.dtype);
    if (strict && trailing && !b->frame && inside_lanes(b, block)) {
        if (b->schedule.root_lanes) b->needs_rows = true;
        else if (!b->plan[ref].materialized || b->plan[ref].in_passing) {
            want_memory(b, ref);
            return load_value(b, ref, at, mask, block);
        }
    }
    Val r = nest_reducer(&b->nest, block, phase, op, acc, acc);
    if (strict && trailing && !inside_lanes(b, block)) body = flat_loop(b, x, t.rank - n_axes, block, phase, in);
    else body = fold_loops(b, x, axes, n_axes, !strict && n_axes && (b->schedule.fold_any || axes[n_axes - 1] == t.rank - 1), block, phase, false, in);
    Val v = point_value(b, x, in, mask, body);
    nest_fold(&b->nest, body, r, convert(b, v, acc), VAL_NONE);
    return convert(b, nest_total(&b->nest, r, acc, 0, phase), (DType)t.dtype);
}

static Val arg_value(Build *b, Ref ref, const Address *at, Val mask, uint32_t block)
{
    const Node *n = node_of(b, ref);
    int64_t axis = n->attr[0];
    Ref x = n->args[0];
    Type t = node_type(node_of(b, x));
    uint32_t phase = fold_phase(b, ref, at, mask, block);
    Address *in = kept_index(b, t, &axis, 1, at);
    DType it = t.dim[axis] < INT32_MAX ? WEFT_I32 : WEFT_I64;
    Val r = nest_reducer(&b->nest, block, phase, (Op)n->op, (DType)t.dtype, it);
    bool unit = axis == t.rank - 1 || b->schedule.fold_any;
    uint32_t body = fold_loops(b, x, &axis, 1, unit, block, phase, false, in);
    Val v = point_value(b, x, in, mask, body);
    nest_fold(&b->nest, body, r, v, nest_index(&b->nest, it, in[axis]));
    return convert(b, nest_total(&b->nest, r, it, 0, phase), (DType)n->dtype);
}

/* Index of a dot's operand: batch and free axes from the result's, contracting ones left for the loops. */
static Address *dot_index(Build *b, const Node *n, int side, const Address *at)
{
    int nb = (int)n->attr[0], nc = (int)n->attr[1];
    const int64_t *batch = n->attr + 2 + side * nb, *contract = n->attr + 2 + 2 * nb + side * nc;
    Type t = node_type(node_of(b, n->args[side]));
    int left_free = node_of(b, n->args[0])->rank - nb - nc, out = side ? nb + left_free : nb;
    Address *in = new_index(b, t.rank);
    for (int d = 0; d < t.rank; d++) {
        bool free_axis = true;
        for (int i = 0; i < nb; i++) if (batch[i] == d) { in[d] = at[i]; free_axis = false; }
        for (int i = 0; i < nc; i++) if (contract[i] == d) { in[d] = address_number(0); free_axis = false; }
        if (free_axis) in[d] = at[out++];
    }
    return in;
}

static Val dot_value(Build *b, Ref ref, const Address *at, Val mask, uint32_t block)
{
    const Node *n = node_of(b, ref);
    int nb = (int)n->attr[0], nc = (int)n->attr[1];
    const int64_t *lc = n->attr + 2 + 2 * nb, *rc = lc + nc;
    Type left = node_type(node_of(b, n->args[0])), right = node_type(node_of(b, n->args[1]));
    DType t = (DType)n->dtype, acc = accumulator(t);
    Op times = t == WEFT_BOOL ? OP_AND : OP_MUL, plus = t == WEFT_BOOL ? OP_OR : OP_ADD;
    for (int i = 0; i < nc; i++) if (left.dim[lc[i]] == 0) return nest_const(&b->nest, t, 0);
    uint32_t phase = fold_phase(b, ref, at, mask, block), body = block;
    Address *l = dot_index(b, n, 0, at), *r = dot_index(b, n, 1, at);
    Val sum = nest_reducer(&b->nest, block, phase, plus, acc, acc);
    bool unit = nc > 0 && lc[nc - 1] == left.rank - 1 && rc[nc - 1] == right.rank - 1 && b->program->mode != MODE_STRICT;
    for (int i = 0; i < nc; i++) {
        body = fold_loops(b, n->args[0], &lc[i], 1, unit && i == nc - 1, body, phase, false, l);
        r[rc[i]] = l[lc[i]];
    }
    Val x = convert(b, point_value(b, n->args[0], l, mask, body), acc), y = convert(b, point_value(b, n->args[1], r, mask, body), acc);
    nest_fold(&b->nest, body, sum, op2(b, times, acc, x, y), VAL_NONE);
    return convert(b, nest_total(&b->nest, sum, acc, 0, phase), t);
}

/* ---- reductions by a sub-graph ---- */

/* Values of a REDUCE_REGION at a point, all results at once: a nest of serial loops, each carrying the accumulators of the one inside. */
static void region_reduce(Build *b, Ref ref, const Address *at, Val mask, uint32_t block, Val *results)
{
    const Node *n = node_of(b, ref);
    uint32_t count = n->n_results, inner = block, phase = loops_phase(b, ref, at, n->rank, mask, block, point_levels(n));
    int n_axes = (int)n->n_attr, levels = 0;
    Type t = type_of(b, n->args[0]);
    Address *in = kept_index(b, t, n->attr, n_axes, at);
    Val *state = arena_alloc(b->arena, 2 * (size_t)count * sizeof *state);
    CarryLoop nest[WEFT_MAX_RANK];
    for (uint32_t i = 0; i < count; i++) state[i] = point_value(b, n->args[count + i], NULL, VAL_NONE, block);
    memcpy(results, state, count * sizeof *state);
    for (int k = 0; k < n_axes; k++) if (t.dim[n->attr[k]] == 0) return;
    for (int k = 0; k < n_axes; k++) {
        int64_t extent = t.dim[n->attr[k]];
        if (extent == 1) continue;
        nest[levels] = carry_open(b, inner, phase, extent, count, state);
        in[n->attr[k]] = address_of(b->arena, nest[levels].loop, 1);
        inner = nest[levels++].body;
    }
    for (uint32_t i = 0; i < count; i++) state[count + i] = point_value(b, n->args[i], in, mask, inner);
    region_values(b, n->region, state, inner, phase, results);
    while (levels--) carry_close(b, &nest[levels], 0, results);
}

CarryLoop carry_open(Build *b, uint32_t block, uint32_t phase, int64_t extent, uint32_t n, Val *state)
{
    CarryLoop l = { .block = block, .phase = phase, .n = n, .carry = arena_alloc(b->arena, (n + 1) * sizeof(Val)) };
    for (uint32_t i = 0; i < n; i++) {
        uint32_t known = val_phase(b, state[i], block);
        if (known > l.phase) l.phase = known;
    }
    for (uint32_t i = 0; i < n; i++)
        state[i] = l.carry[i] = nest_carry(&b->nest, block, l.phase, (DType)b->nest.stmts[state[i]].dtype, state[i]);
    l.loop = nest_loop(&b->nest, block, l.phase, (LoopShape){ .extent = extent, .lanes = 1, .tile = 1 }, true);
    l.body = nest_body(&b->nest, l.loop);
    for (uint32_t i = 0; i < n; i++) nest_carried_by(&b->nest, l.carry[i], l.loop);
    return l;
}

void carry_close(Build *b, const CarryLoop *l, uint32_t after, Val *state)
{
    for (uint32_t i = 0; i < l->n; i++) nest_set(&b->nest, l->body, l->carry[i], state[i], after);
    for (uint32_t i = 0; i < l->n; i++) state[i] = nest_total(&b->nest, l->carry[i], (DType)b->nest.stmts[l->carry[i]].dtype, 0, l->phase);
}

/* Result number `which` of a node that has several, or a region: those that have an index like it are made together. */
static Val results_at(Build *b, Ref ref, const Address *at, Val mask, uint32_t block, int which)
{
    const Node *n = node_of(b, ref);
    int rank = node_result(n, (uint32_t)which).rank;
    Memo *m = memo_slot(b, ref, rank, at, mask);
    if (m->at && m->results && m->results[which] != VAL_NONE) return m->results[which];
    Val *results = arena_alloc(b->arena, n->n_results * sizeof *results);
    for (uint32_t i = 0; i < n->n_results; i++) results[i] = VAL_NONE;
    if (n->op == OP_REDUCE_REGION) region_reduce(b, ref, at, mask, block, results);
    else if (n->op == OP_REDUCE_WINDOW) window_values(b, ref, at, mask, block, results);
    else control_values(b, ref, at, mask, block, which, results);
    m = memo_slot(b, ref, rank, at, mask);
    b->memo_used += !m->at;
    *m = (Memo){ memo_key(b, ref), rank, mask, at, n->n_results == 1 ? results[0] : VAL_NONE, results };
    return results[which];
}

/* ---- views and other index rules ---- */

static Val broadcast_value(Build *b, const Node *n, const Address *at, Val mask, uint32_t block)
{
    Type t = node_type(node_of(b, n->args[0]));
    Address *in = new_index(b, t.rank);
    for (int d = 0; d < t.rank; d++) in[d] = t.dim[d] == 1 ? address_number(0) : at[n->attr[d]];
    return point_value(b, n->args[0], in, mask, block);
}

static Val view_value(Build *b, const Node *n, const Address *at, Val mask, uint32_t block)
{
    Type t = node_type(node_of(b, n->args[0]));
    Address *in = new_index(b, t.rank);
    int r = t.rank;
    switch (n->op) {
    case OP_TRANSPOSE: for (int d = 0; d < r; d++) in[n->attr[d]] = at[d]; break;
    case OP_SLICE:
        for (int d = 0; d < r; d++) in[d] = address_add(b->arena, address_scale(b->arena, at[d], n->attr[2 * r + d]), address_number(n->attr[d]));
        break;
    case OP_REVERSE:
        memcpy(in, at, (size_t)r * sizeof *in);
        for (uint32_t i = 0; i < n->n_attr; i++) {
            int64_t d = n->attr[i];
            in[d] = address_add(b->arena, address_scale(b->arena, at[d], -1), address_number(t.dim[d] - 1));
        }
        break;
    default: reshape_index(b, t, node_type(n), at, in);
    }
    return point_value(b, n->args[0], in, mask, block);
}

Address undilated(Build *b, Address a, int64_t n, int64_t step, Val *inside)
{
    int64_t low, high;
    *inside = both(b, *inside, in_range(b, a, 0, (n - 1) * step + 1));
    if (step == 1) return a;
    /* Made non-negative first, for division truncates; what that moves is masked. */
    int64_t up = address_range(b, a, &low, &high) && low >= 0 ? 0 : address_range(b, a, &low, &high) ? (step - 1 - low) / step : 0;
    Address quotient, rest;
    divide(b, address_add(b->arena, a, address_number(up * step)), step, &quotient, &rest);
    if (rest.n_terms || rest.offset) *inside = both(b, *inside, compare_with(b, CMP_EQ, nest_index(&b->nest, index_type(b, rest), rest), 0));
    return address_add(b->arena, quotient, address_number(-up));
}

static Val pad_value(Build *b, const Node *n, const Address *at, Val mask, uint32_t block)
{
    Type t = node_type(node_of(b, n->args[0]));
    int r = t.rank;
    Address *in = new_index(b, r);
    Val inside = VAL_NONE;
    if (type_count(t) == 0) return point_value(b, n->args[1], NULL, VAL_NONE, block);
    for (int d = 0; d < r; d++) {
        int64_t low = n->attr[d], step = n->attr[2 * r + d] + 1;
        in[d] = at[d];
        if (low == 0 && step == 1 && n->attr[r + d] == 0) continue;     /* untouched, and perhaps walked together with its neighbour */
        Address moved = address_add(b->arena, at[d], address_number(-low));
        in[d] = undilated(b, moved, t.dim[d], step, &inside);
    }
    if (inside == VAL_NONE) return point_value(b, n->args[0], in, mask, block);
    Val x = point_value(b, n->args[0], in, both(b, mask, inside), block), fill = point_value(b, n->args[1], NULL, VAL_NONE, block);
    return select_value(b, (DType)n->dtype, inside, x, fill);
}

static Val concatenate_value(Build *b, const Node *n, const Address *at, Val mask, uint32_t block)
{
    int64_t axis = n->attr[0], start = n->dim[axis];
    Val value = VAL_NONE;
    for (uint32_t k = n->n_args; k-- > 0; ) {
        Type t = node_type(node_of(b, n->args[k]));
        int64_t end = start;
        start -= t.dim[axis];
        if (t.dim[axis] == 0) continue;
        Address *in = new_index(b, n->rank);
        memcpy(in, at, n->rank * sizeof *in);
        in[axis] = address_add(b->arena, at[axis], address_number(-start));
        Val here = in_range(b, at[axis], start, end), part = point_value(b, n->args[k], in, both(b, mask, here), block);
        value = value == VAL_NONE || here == VAL_NONE ? part
              : select_value(b, (DType)n->dtype, here, part, value);
    }
    return value;
}

bool lists(const int64_t *list, int64_t n, int64_t d)
{
    for (int64_t i = 0; i < n; i++) if (list[i] == d) return true;
    return false;
}

/* A start index as i64, clamped to [0, most]. */
Val clamped(Build *b, Val v, int64_t most)
{
    DType t = (DType)b->nest.stmts[v].dtype;
    if (dtype_kind(t) == KIND_UNSIGNED && dtype_bits(t) == 64)
        v = op2(b, OP_MIN, t, v, nest_const(&b->nest, t, scalar_from_i64(t, most)));
    v = convert(b, v, WEFT_I64);
    v = op2(b, OP_MAX, WEFT_I64, v, nest_const(&b->nest, WEFT_I64, 0));
    return op2(b, OP_MIN, WEFT_I64, v, nest_const(&b->nest, WEFT_I64, (uint64_t)most));
}

static Val gather_value(Build *b, const Node *n, const Address *at, Val mask, uint32_t block)
{
    const int64_t *a = n->attr, n_offset = a[0], n_collapsed = a[1], n_batch = a[2], n_map = a[3], vector = a[4];
    const int64_t *offset = a + 5, *collapsed = offset + n_offset, *batch = collapsed + n_collapsed, *index_batch = batch + n_batch;
    const int64_t *map = index_batch + n_batch, *sizes = map + n_map;
    Type t = node_type(node_of(b, n->args[0])), it = node_type(node_of(b, n->args[1]));
    Address *in = new_index(b, t.rank), *position = new_index(b, it.rank);
    int next = 0;
    for (int d = 0; d < n->rank; d++) {
        if (lists(offset, n_offset, d)) continue;
        if (next == vector) next++;
        position[next++] = at[d];
    }
    for (int d = 0, o = 0; d < t.rank; d++) {
        if (lists(collapsed, n_collapsed, d) || lists(batch, n_batch, d)) in[d] = address_number(0);
        else in[d] = at[offset[o++]];
    }
    for (int64_t i = 0; i < n_batch; i++) in[batch[i]] = position[index_batch[i]];
    for (int64_t k = 0; k < n_map; k++) {
        Address *p = new_index(b, it.rank);
        memcpy(p, position, it.rank * sizeof *p);
        if (vector < it.rank) p[vector] = address_number(k);
        Val start = clamped(b, point_value(b, n->args[1], p, mask, block), t.dim[map[k]] - sizes[map[k]]);
        in[map[k]] = address_add(b->arena, in[map[k]], address_of(b->arena, start, 1));
    }
    return point_value(b, n->args[0], in, mask, block);
}

/* bitcast between widths: a last axis of parts. */
static Val bitcast_value(Build *b, const Node *n, const Address *at, Val mask, uint32_t block)
{
    static const DType unsigned_of[9] = { [1] = WEFT_U8, [2] = WEFT_U16, [4] = WEFT_U32, [8] = WEFT_U64 };
    const Node *x = node_of(b, n->args[0]);
    DType from = (DType)x->dtype, to = (DType)n->dtype, uf = unsigned_of[dtype_bytes(from)], ut = unsigned_of[dtype_bytes(to)];
    Address *in = new_index(b, x->rank);
    Val bits;
    memcpy(in, at, (x->rank < n->rank ? x->rank : n->rank) * sizeof *in);
    if (x->rank == n->rank) {
        Val v = point_value(b, n->args[0], in, mask, block);
        return nest_op(&b->nest, OP_BITCAST, to, &v, 1, NULL, 0);
    }
    if (n->rank > x->rank) {
        Val whole = point_value(b, n->args[0], in, mask, block);
        whole = nest_op(&b->nest, OP_BITCAST, uf, &whole, 1, NULL, 0);
        Val shift = convert(b, nest_index(&b->nest, WEFT_I64, address_scale(b->arena, at[n->rank - 1], dtype_bits(to))), uf);
        bits = convert(b, op2(b, OP_SHR_LOGIC, uf, whole, shift), ut);
    } else {
        bits = nest_const(&b->nest, ut, 0);
        for (int64_t k = 0; k < x->dim[x->rank - 1]; k++) {
            Address *p = arena_copy(b->arena, in, (size_t)x->rank * sizeof *p);
            p[x->rank - 1] = address_number(k);
            Val part = point_value(b, n->args[0], p, mask, block);
            part = convert(b, nest_op(&b->nest, OP_BITCAST, uf, &part, 1, NULL, 0), ut);
            part = op2(b, OP_SHL, ut, part, nest_const(&b->nest, ut, scalar_from_i64(ut, k * dtype_bits(from))));
            bits = op2(b, OP_OR, ut, bits, part);
        }
    }
    return nest_op(&b->nest, OP_BITCAST, to, &bits, 1, NULL, 0);
}

/* ---- leaves and row buffers ---- */

Place place_temporary(Arena *arena, Program *p, Type t)
{
    return (Place){ .kind = PLACE_BUFFER, .buffer = program_add_buffer(arena, p, (Buffer){ .kind = BUF_TEMP, .dtype = t.dtype, .count = type_count(t) }) };
}

/* A place's base as an address of the kernel: its counters as values. */
static Address base_of(Build *b, Place p)
{
    Address a = address_number(p.base.offset);
    for (uint32_t i = 0; i < p.base.n_terms; i++)
        a = address_add(b->arena, a, address_of(b->arena, nest_counter(&b->nest, p.base.terms[i].of), p.base.terms[i].coef));
    return a;
}

Val point_load_from(Build *b, Place p, Type t, const Address *at, Val mask, uint32_t block, uint32_t phase)
{
    if (p.kind == PLACE_SPLAT) return nest_const(&b->nest, (DType)t.dtype, p.bits);
    if (p.kind == PLACE_INDEX) return convert(b, nest_index(&b->nest, WEFT_I64, base_of(b, p)), (DType)t.dtype);
    return nest_load(&b->nest, (DType)t.dtype, p.buffer, address_add(b->arena, point_address(b, t, at), base_of(b, p)), mask, block, phase);
}

void point_store_to(Build *b, Place p, Type t, const Address *at, Val value, Val mask, uint32_t block)
{
    nest_store(&b->nest, block, p.buffer, address_add(b->arena, point_address(b, t, at), base_of(b, p)), value, mask);
}

static Val load_value(Build *b, Ref ref, const Address *at, Val mask, uint32_t block)
{
    const Node *n = node_of(b, ref);
    Type t = node_type(n);
    Place place = b->plan[ref].place;
    if (place.kind == PLACE_SPLAT || place.kind == PLACE_INDEX) return point_load_from(b, place, t, at, mask, block, 0);
    Address *kept = new_index(b, t.rank);
    memcpy(kept, at, t.rank * sizeof *kept);
    uint32_t buffer = place.buffer;
    Address address;
    if (ref == b->packed_node) {
        int64_t dim[WEFT_MAX_RANK];
        Address in[WEFT_MAX_RANK];
        for (int d = 0; d < t.rank; d++) { dim[d] = t.dim[b->packed_perm[d]]; in[d] = at[b->packed_perm[d]]; }
        address = point_address(b, (Type){ t.dtype, t.rank, dim }, in);
        buffer = b->packed_buffer;
    } else address = address_add(b->arena, point_address(b, t, at), base_of(b, place));
    Val v = nest_load(&b->nest, (DType)t.dtype, buffer, address, mask, 0, 0);
    b->plan[ref].loaded_by = b->number;
    if (b->n_accesses == b->cap_accesses)
        b->accesses = arena_grow(b->arena, b->accesses, b->n_accesses, &b->cap_accesses, b->n_accesses + 1, sizeof *b->accesses);
    b->accesses[b->n_accesses++] = (Access){ v, ref, kept, block };
    return v;
}

void point_store(Build *b, Ref ref, const Address *at, Val value, uint32_t block)
{
    const NodePlan *p = &b->plan[ref];
    point_store_to(b, p->place, node_type(node_of(b, ref)), at, value, VAL_NONE, block);
    for (uint32_t i = 0; i < p->n_also; i++) point_store_to(b, p->also[i], node_type(node_of(b, ref)), at, value, VAL_NONE, block);
    point_provides(b, ref);
}

void point_provides(Build *b, Ref ref)
{
    NodePlan *p = &b->plan[ref];
    if (p->kernel != b->number || !b->n_stored || b->stored[b->n_stored - 1] != ref) push(b, &b->stored, &b->n_stored, &b->cap_stored, ref);
    p->kernel = b->number;
}

static Address *replace_loop(Build *b, const Address *at, int rank, Val from, Val to)
{
    Address *out = new_index(b, rank);
    for (int d = 0; d < rank; d++) {
        Address a = address_number(at[d].offset);
        for (uint32_t i = 0; i < at[d].n_terms; i++) {
            Term t = at[d].terms[i];
            a = address_add(b->arena, a, address_of(b->arena, t.of == from ? to : t.of, t.coef));
        }
        out[d] = a;
    }
    return out;
}

/* Is the index made of loops alone, so that another loop may take the place of one of them? */
static bool of_loops(const Build *b, const Address *at, int rank)
{
    for (int d = 0; d < rank; d++)
        for (uint32_t i = 0; i < at[d].n_terms; i++) if (b->nest.stmts[at[d].terms[i].of].kind != ST_LOOP) return false;
    return true;
}

/* A node that sibling loops share: the first loop of its phase stores it in a row buffer, later ones load. VAL_NONE: compute it here.
 * A row belongs to one index of the loops around it, not to lanes or a tile of indices, whose statements run side by side; and it holds the node at one index of
 * its own loop: who needs another (reversed, say) computes it. */
static Val row_value(Build *b, Ref ref, const Address *at, Val mask, uint32_t block)
{
    NodePlan *p = &b->plan[ref];
    const Node *n = node_of(b, ref);
    Val here = b->nest.blocks[block].loop;
    if (p->row_of != b->number || here == VAL_NONE || mask != VAL_NONE || !of_loops(b, at, n->rank)) return VAL_NONE;
    const Stmt *s = &b->nest.stmts[here];
    if (b->nest.placed[here].phase <= p->depth || nest_in_tile(&b->nest, b->nest.blocks[block].parent)) return VAL_NONE;
    for (int d = 0; d < n->rank; d++)
        if (nest_address_phase(&b->nest, at[d], b->nest.blocks[block].parent) > p->depth) return VAL_NONE;
    LoopShape shape = { s->extent, s->lanes, s->tile, s->parallel };
    Val first = nest_loop_of(&b->nest, b->nest.blocks[block].parent, p->depth, s->extent);
    if (first == VAL_NONE) first = nest_loop(&b->nest, b->nest.blocks[block].parent, p->depth, shape, false);
    Address *in = replace_loop(b, at, n->rank, here, first);
    uint32_t body = nest_body(&b->nest, first);
    if (p->row_at && !same_index(p->row_at, in, n->rank)) return VAL_NONE;
    Val v = point_value(b, ref, in, VAL_NONE, body);
    if (!p->row_at) nest_store(&b->nest, body, p->row_buffer, address_of(b->arena, first, 1), v, VAL_NONE);
    p->row_at = in;
    return nest_load(&b->nest, (DType)n->dtype, p->row_buffer, address_of(b->arena, here, 1), VAL_NONE, block, 0);
}

/* Remembers where an op is evaluated: in sibling loops of one shape it may be worth a row buffer. */
static void note_row(Build *b, Ref ref, uint32_t block)
{
    NodePlan *p = &b->plan[ref];
    Val here = b->nest.blocks[block].loop;
    if (here == VAL_NONE || b->frame) return;
    if (p->row_loop == VAL_NONE) {
        p->row_loop = here;
        push(b, &b->noted, &b->n_noted, &b->cap_noted, ref);
        return;
    }
    const Stmt *s = &b->nest.stmts[here], *f = &b->nest.stmts[p->row_loop];
    if (p->row_loop != here && b->nest.placed[here].block == b->nest.placed[p->row_loop].block && s->extent == f->extent) p->row_wanted = true;
}

/* Do the indices run over all elements once: each axis its own loop of its size (or collapsed with the one before)? */
static bool covers(const Build *b, Type t, const Address *at, uint32_t block)
{
    double elements = 1;
    for (int d = 0; d < t.rank; d++) {
        if (at[d].offset || at[d].n_terms > 1) return false;
        if (!at[d].n_terms) continue;
        const Stmt *s = &b->nest.stmts[at[d].terms[0].of];
        if (s->kind != ST_LOOP || at[d].terms[0].coef != 1) return false;
        for (int e = 0; e < d; e++) if (at[e].n_terms && at[e].terms[0].of == at[d].terms[0].of) return false;
        elements *= (double)s->extent;
    }
    return elements == (double)type_count(t) && b->nest.blocks[block].runs == elements;
}

/* ---- the rules together ---- */

/* Inputs, constants, and what has a buffer; but an output that nothing else demands in memory is computed and stored in passing. */
static bool is_leaf(const Build *b, Ref ref, const Address *at, Val mask, uint32_t block)
{
    const Node *n = node_of(b, ref);
    const NodePlan *p = &b->plan[ref];
    if (n->op == OP_PARAMETER || (n->op == OP_CONSTANT && !n->attr[0])) return true;
    if (!p->materialized || p->kernel == b->number) return false;
    if (p->loaded_by == b->number) return true;
    if (p->in_passing && p->kernel && b->after[p->kernel]) return false;
    return !p->in_passing || p->kernel || b->follows || mask != VAL_NONE || !covers(b, node_type(n), at, block);
}

static Val ew_value(Build *b, Ref ref, const Address *at, Val mask, uint32_t block)
{
    const Node *n = node_of(b, ref);
    Val in[3];
    for (uint32_t i = 0; i < n->n_args; i++)
        in[i] = point_value(b, n->args[i], node_of(b, n->args[i])->rank ? at : NULL, mask, block);
    note_row(b, ref, block);
    return nest_op(&b->nest, (Op)n->op, (DType)n->dtype, in, (int)n->n_args, n->attr, (int)n->n_attr);
}

static Val compute(Build *b, Ref ref, const Address *at, Val mask, uint32_t block)
{
    const Node *n = node_of(b, ref);
    if (op_folds((Op)n->op) || n->op == OP_RESULT) note_row(b, ref, block);
    switch ((Op)n->op) {
    case OP_CONSTANT: return nest_const(&b->nest, (DType)n->dtype, scalar_load((DType)n->dtype, n->data));
    case OP_IOTA: {
        Address a = at[n->attr[0]];
        return convert(b, nest_index(&b->nest, index_type(b, a), a), (DType)n->dtype);
    }
    case OP_BROADCAST:   return broadcast_value(b, n, at, mask, block);
    case OP_TRANSPOSE: case OP_SLICE: case OP_REVERSE: case OP_RESHAPE: return view_value(b, n, at, mask, block);
    case OP_PAD:         return pad_value(b, n, at, mask, block);
    case OP_CONCATENATE: return concatenate_value(b, n, at, mask, block);
    case OP_GATHER:      return gather_value(b, n, at, mask, block);
    case OP_BITCAST:     return bitcast_value(b, n, at, mask, block);
    case OP_REDUCE:      return reduce_value(b, ref, at, mask, block);
    case OP_ARGMAX: case OP_ARGMIN: return arg_value(b, ref, at, mask, block);
    case OP_DOT:         return dot_value(b, ref, at, mask, block);
    case OP_DYNAMIC_SLICE: return dynamic_slice_value(b, n, at, mask, block);
    case OP_DYNAMIC_UPDATE_SLICE: return dynamic_update_value(b, n, at, mask, block);
    case OP_REDUCE_REGION: case OP_REDUCE_WINDOW: case OP_MAP: case OP_CASE: case OP_WHILE: case OP_SCAN: return results_at(b, ref, at, mask, block, 0);
    case OP_RESULT:      return results_at(b, n->args[0], at, mask, block, (int)n->attr[0]);
    default:             return ew_value(b, ref, at, mask, block);
    }
}

/* The outermost block where the index and the mask are known. */
static uint32_t home(Build *b, const Address *at, int rank, Val mask)
{
    uint32_t block = 0;
    for (int d = 0; d < rank; d++) block = nest_deeper(&b->nest, block, nest_address_block(&b->nest, at[d]));
    if (mask != VAL_NONE) block = nest_deeper(&b->nest, block, b->nest.placed[mask].block);
    return block;
}

/* How often a value is computed in block: loops that are held in registers whole (tile) and that it does not depend on do not count. */
static double machine_runs(const Build *b, uint32_t block, const Address *at, int rank)
{
    double runs = 1;
    for (; b->nest.blocks[block].loop != VAL_NONE; block = b->nest.blocks[block].parent) {
        Val loop = b->nest.blocks[block].loop;
        const Stmt *s = &b->nest.stmts[loop];
        bool needed = s->tile < s->extent || s->lanes > 1 || s->extent == EXTENT_WHILE;
        for (int d = 0; d < rank && !needed; d++)
            for (uint32_t i = 0; i < at[d].n_terms; i++) needed |= at[d].terms[i].of == loop;
        if (needed) runs *= s->extent == EXTENT_WHILE ? NEST_WHILE_RUNS : (double)s->extent;
    }
    return runs;
}

/* Does the block run a step after the other, without lanes around? Arithmetic that does not belong to the steps is better done before, in lanes. */
static bool in_steps(const Build *b, uint32_t block)
{
    Val loop = b->nest.blocks[block].loop;
    return loop != VAL_NONE && b->nest.stmts[loop].imm && b->nest.stmts[loop].lanes == 1 && !inside_lanes(b, block);
}

/* Would a rule of fuse.c rather have this node in memory than computed here, `runs` times? */
static bool deserves_memory(const Build *b, Ref ref, double runs, uint32_t block)
{
    const Node *n = node_of(b, ref);
    const NodePlan *p = &b->plan[ref];
    if ((p->materialized && (!p->in_passing || p->kernel)) || op_kind((Op)n->op) == OPKIND_SHAPE) return false;
    if (p->cost > 0 && (p->points >= MAX_POINTS || b->nest.n_ops >= MAX_KERNEL_OPS)) return true;
    if (p->materialized) return false;
    if (p->cost >= MIN_COST_OF_STEP && runs >= MIN_STEPS && in_steps(b, block)) return true;
    double count = (double)type_count(node_type(n));
    const Node *x = n->op == OP_RESULT ? node_of(b, n->args[0]) : n;
    /* Loops of each element go side by side in lanes, in a kernel of their own if not here. */
    if (x->op == OP_MAP && count >= b->schedule.lanes && point_levels(x) && b->schedule.root_lanes && !inside_lanes(b, block)) return true;
    return op_folds((Op)n->op) || n->op == OP_RESULT ? runs > count : p->cost >= 8 && runs >= 4 * count;
}

uint32_t point_loops(Build *b, Type t, const bool *joined, uint32_t phase, Address *at, Val *loops, int *n_loops)
{
    int axis[WEFT_MAX_RANK + 1], groups = 0;
    int64_t extents[WEFT_MAX_RANK + 1];
    for (int d = 0; d < t.rank; ) {
        int64_t extent = t.dim[d];
        int last = d;
        while (last + 1 < t.rank && joined[last]) extent *= t.dim[++last];
        for (int e = d; e <= last; e++) at[e] = address_number(0);
        if (extent > 1) { axis[groups] = point_run_axis(t, d, last); extents[groups++] = extent; }
        d = last + 1;
    }
    uint32_t block = 0;
    for (int k = 0; k < groups; k++) {
        bool inner = k == groups - 1;
        LoopShape s = { .extent = extents[k], .lanes = 1, .tile = 1, .parallel = k == 0 };
        if (inner) { s.lanes = b->schedule.root_lanes ? b->schedule.lanes : 1; s.tile = b->schedule.root_tile; }
        else if (k == groups - 2) s.tile = b->schedule.outer_tile;
        Val loop = nest_loop(&b->nest, block, phase, s, false);
        at[axis[k]] = address_of(b->arena, loop, 1);
        block = nest_body(&b->nest, loop);
        if (loops) loops[k] = loop;
    }
    if (n_loops) *n_loops = groups;
    return block;
}

/* ---- regions ---- */

/* Depth of what is fused into an operand: nothing if it is loaded. */
static uint32_t fused_depth(const Build *b, Ref r)
{
    bool leaf = !b->frame && (node_of(b, r)->op == OP_PARAMETER || (b->plan[r].materialized && !b->plan[r].in_passing));
    return leaf ? 0 : b->plan[r].depth;
}

void frame_enter(Build *b, Frame *f, const Graph *region, const Bound *bound, uint32_t block, uint32_t phase, bool known, Val active)
{
    *f = (Frame){ .parent = b->frame, .outer_graph = b->graph, .outer_plan = b->plan, .graph = region, .bound = bound, .block = block, .phase = phase,
                  .active = active };
    if (b->n_keys < b->graph->n_nodes) b->n_keys = b->graph->n_nodes;
    f->first_key = b->n_keys;
    b->n_keys += region->n_nodes;
    f->plan = arena_alloc(b->arena, (region->n_nodes + 1) * sizeof *f->plan);
    for (Ref r = 0; r < region->n_nodes; r++) {
        const Node *n = &region->nodes[r];
        f->plan[r].packed = UINT32_MAX;
        f->plan[r].row_loop = VAL_NONE;
        if (n->op == OP_PARAMETER && !known && bound[n->attr[0]].value == VAL_NONE) f->plan[r].depth = fused_depth(b, bound[n->attr[0]].outer);
        for (uint32_t i = 0; i < n->n_args; i++) f->plan[r].depth = point_deeper(n, f->plan[r].depth, f->plan[n->args[i]].depth);
        f->plan[r].depth += point_levels(n);
    }
    b->graph = region;
    b->plan = f->plan;
    b->frame = f;
}

void frame_leave(Build *b)
{
    b->graph = b->frame->outer_graph;
    b->plan = b->frame->outer_plan;
    b->frame = b->frame->parent;
}

static void frame_again(Build *b, const Frame *f)
{
    b->graph = f->graph;
    b->plan = f->plan;
    b->frame = f;
}

void region_values(Build *b, const Graph *region, const Val *args, uint32_t block, uint32_t phase, Val *outputs)
{
    Frame f;
    Bound *bound = arena_alloc(b->arena, (region->n_params + 1) * sizeof *bound);
    for (uint32_t i = 0; i < region->n_params; i++) {
        bound[i] = (Bound){ .value = args[i] };
        if (val_phase(b, args[i], block) > phase) phase = val_phase(b, args[i], block);
    }
    frame_enter(b, &f, region, bound, block, phase, true, VAL_NONE);
    for (uint32_t i = 0; i < region->n_outputs; i++) outputs[i] = point_value(b, region->outputs[i], NULL, VAL_NONE, block);
    frame_leave(b);
}

/* A parameter of the region: a value of the kernel, or an element of what the graph around gives. */
static Val bound_value(Build *b, const Node *n, const Address *at, Val mask)
{
    const Frame *f = b->frame;
    const Bound *p = &f->bound[n->attr[0]];
    if (p->value != VAL_NONE) return p->value;
    Address *in = new_index(b, p->n_prefix + n->rank);
    if (p->n_prefix) memcpy(in, p->prefix, (size_t)p->n_prefix * sizeof *in);
    memcpy(in + p->n_prefix, at, n->rank * sizeof *in);
    frame_leave(b);
    Val v = point_value(b, p->outer, in, mask, f->block);
    frame_again(b, f);
    return v;
}

/* A constant array of a region: one buffer for all that read it. */
static Val region_constant(Build *b, const Node *n, const Address *at, Val mask)
{
    Program *p = b->program;
    uint32_t buffer = 0;
    while (buffer < p->n_buffers && (p->buffers[buffer].kind != BUF_CONST || p->buffers[buffer].data != n->data)) buffer++;
    if (buffer == p->n_buffers)
        buffer = program_add_buffer(b->arena, p, (Buffer){ .kind = BUF_CONST, .dtype = n->dtype, .index = p->n_consts++, .count = type_count(node_type(n)),
                                                           .data = n->data });
    return nest_load(&b->nest, (DType)n->dtype, buffer, point_address(b, node_type(n), at), mask, 0, 0);
}

static Val framed_value(Build *b, Ref ref, const Address *at, Val mask)
{
    const Node *n = node_of(b, ref);
    if (n->op == OP_PARAMETER) return bound_value(b, n, at, mask);
    Memo *m = memo_slot(b, ref, n->rank, at, mask);
    if (m->at && m->value != VAL_NONE) return m->value;
    Val v = n->op == OP_CONSTANT && !n->attr[0] ? region_constant(b, n, at, mask) : compute(b, ref, at, mask, b->frame->block);
    memo_set(b, ref, at, mask, v);
    return v;
}

Val point_value(Build *b, Ref ref, const Address *at, Val mask, uint32_t use_block)
{
    const Node *n = node_of(b, ref);
    NodePlan *p = &b->plan[ref];
    static const Address origin;
    (void)use_block;
    if (!at) at = &origin;
    if (b->frame) return framed_value(b, ref, at, mask);
    Memo *m = memo_slot(b, ref, n->rank, at, mask);
    if (m->at && m->value != VAL_NONE) return m->value;
    uint32_t block = home(b, at, n->rank, mask);
    double runs = machine_runs(b, block, at, n->rank);
    Val v;
    bool memory = deserves_memory(b, ref, runs, block);
    if (memory) want_memory(b, ref);
    if (memory || is_leaf(b, ref, at, mask, block)) v = load_value(b, ref, at, mask, block);
    else {
        if (p->points++ == 0) push(b, &b->touched, &b->n_touched, &b->cap_touched, ref);
        v = row_value(b, ref, at, mask, block);
        if (v == VAL_NONE) v = compute(b, ref, at, mask, block);
        if (p->materialized && !p->kernel && mask == VAL_NONE && covers(b, node_type(n), at, block)) point_store(b, ref, at, v, block);
    }
    memo_set(b, ref, at, mask, v);
    return v;
}
