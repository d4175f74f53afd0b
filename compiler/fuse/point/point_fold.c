/* point_fold.c: rules of what folds many elements into one: REDUCE, ARGMAX and ARGMIN, DOT, REDUCE_REGION. A
 * fold opens loops in the outermost block where its index is known, in the phase when all that it folds is
 * known; which of them get lanes is the schedule's choice. */
#include "compiler/graph/attributes.h"
#include "compiler/fuse/loops/finer.h"
#include "point.h"
#include <string.h>

static uint16_t accumulator_tile(uint16_t lanes)
{
    return (uint16_t)(lanes < ACCUMULATORS ? ACCUMULATORS / lanes : 1);
}

static bool is_scalar_fold(const Build *b, Ref operand)
{
    for (int i = 0; i < b->schedule.n_scalar; i++)
        if (b->schedule.scalar[i] == operand) return true;
    return false;
}

/* The extents of the loops over a run of axes: one; or of a short axis that a reshape merges, those of what
 * it is made of, so that no index is divided. */
static int fold_extents(const Build *b, Ref operand, int first, int last, int64_t *extent)
{
    Type t = type_of(b, operand), finer;
    int64_t before = 1, n = 1;
    int parts = 0;
    extent[0] = 1;
    for (int d = first; d <= last; d++) extent[0] *= t.dim[d];
    if (first != last || extent[0] > MAX_SHORT_RUN || !finer_shape(b, operand, &finer)) return 1;
    for (int d = 0; d < first; d++) before *= t.dim[d];
    for (int d = 0; d < finer.rank && n < before * t.dim[first]; d++) {
        if (n >= before && finer.dim[d] > 1) extent[parts++] = finer.dim[d];
        n *= finer.dim[d];
    }
    return parts;
}

/* Opens the loops over the listed axes of an operand of this type and puts their indices into at[]; adjacent
 * axes that collapse are one loop. The innermost gets lanes if `lanes` and nothing around has. Returns the
 * innermost body. Loops are of `phase` in `block`. */
static uint32_t fold_loops(Build *b, Ref operand, const int64_t *axes, int n, bool lanes, uint32_t block,
                           uint32_t phase, Address *at)
{
    Type t = type_of(b, operand);
    for (int i = 0; i < n;) {
        int first = i, last = i;
        while (last + 1 < n && axes[last + 1] == axes[last] + 1 &&
               point_collapses(b, operand, (int)axes[last]))
            last++;
        int64_t extent[WEFT_MAX_RANK + 1];
        Address index = address_number(0);
        for (int k = first; k <= last; k++) at[axes[k]] = address_number(0);
        i = last + 1;
        int parts = fold_extents(b, operand, (int)axes[first], (int)axes[last], extent);
        for (int p = 0; p < parts; p++) {
            if (extent[p] == 1) continue;
            LoopShape shape = { .extent = extent[p], .lanes = 1, .tile = 1 };
            if (lanes && i == n && p == parts - 1 && !nest_in_lanes(&b->nest, block) &&
                !is_scalar_fold(b, operand)) {
                shape.lanes = b->schedule.lanes;
                shape.tile = b->schedule.fold_tile ? b->schedule.fold_tile : accumulator_tile(shape.lanes);
            }
            Val around = b->nest.blocks[block].loop;
            if (b->schedule.chains > 1 && shape.lanes == 1 && around != VAL_NONE &&
                b->nest.stmts[around].lanes > 1)
                shape.tile = b->schedule.chains;
            Val loop = nest_loop(&b->nest, block, phase, shape, false);
            b->nest.placed[loop].folds = operand;
            index = address_add(b->arena, address_scale(b->arena, index, extent[p]),
                                address_of(b->arena, loop, 1));
            block = nest_body(&b->nest, loop);
        }
        at[point_run_axis(t, (int)axes[first], (int)axes[last])] = index;
    }
    return block;
}

/* The trailing axes as one loop even if they do not collapse: eager's order of 64 accumulators runs over the
 * flattened block. */
static uint32_t flat_loop(Build *b, Ref operand, int first, uint32_t block, uint32_t phase, Address *at)
{
    Type t = type_of(b, operand);
    int64_t extent = 1;
    for (int d = first; d < t.rank; d++) extent *= t.dim[d];
    LoopShape shape = { .extent = extent,
                        .lanes = b->schedule.lanes,
                        .tile = accumulator_tile(b->schedule.lanes) };
    Val loop = nest_loop(&b->nest, block, phase, shape, false);
    Type flat = { t.dtype, 1, &extent }, rest = { t.dtype, (uint8_t)(t.rank - first), t.dim + first };
    Address linear = address_of(b->arena, loop, 1);
    uint32_t body = nest_body(&b->nest, loop);
    reshape_index(b, rest, flat, &linear, at + first);
    return body;
}

static uint32_t fold_phase(Build *b, Ref ref, const Address *at, Val mask, uint32_t block)
{
    return loops_phase(b, ref, at, node_of(b, ref)->rank, mask, block, 1);
}

/* Operand index of a reduction: kept axes from the result's index; reduced ones are left for the loops. */
static Address *kept_index(Build *b, Type operand, const int64_t *axes, int n, const Address *at)
{
    Address *in = new_index(b, operand.rank);
    int out = 0, k = 0;
    for (int d = 0; d < operand.rank; d++) {
        if (k < n && axes[k] == d) {
            k++;
            in[d] = address_number(0);
        } else in[d] = at[out++];
    }
    return in;
}

/* Are folds of so many elements written out here? */
static bool writes_out(const Build *b, uint32_t block, int64_t elements)
{
    return (b->schedule.root_across || b->schedule.fold_short) && elements <= MAX_SHORT_FOLD &&
           nest_in_lanes(&b->nest, block);
}

/* Is it made, element by element, of parts that are put behind one another along this axis? Then it is known
 * which part each element is, where all are written out. */
static bool is_of_parts(const Build *b, Ref x, int64_t axis, int depth)
{
    const Node *n = node_of(b, x);
    if (b->plan[x].materialized || depth == MAX_SHORT_FOLD) return false;
    if (n->op == OP_CONCATENATE) return n->attr[0] == axis;
    for (uint32_t i = 0; op_is_ew((Op)n->op) && i < n->n_args; i++)
        if (is_of_parts(b, n->args[i], axis, depth + 1)) return true;
    return false;
}

/* The next index of these axes, in row-major order; false: that was the last. */
static bool next_index(Type t, const int64_t *axes, int n, Address *at)
{
    for (int k = n; k-- > 0;) {
        if (++at[axes[k]].offset < t.dim[axes[k]]) return true;
        at[axes[k]].offset = 0;
    }
    return false;
}

/* An index of its own, for what keeps it. */
static const Address *kept_copy(Build *b, const Address *at, int rank)
{
    return arena_copy(b->arena, at, ((size_t)rank + 1) * sizeof *at);
}

static int64_t folded_elements(Type t, const int64_t *axes, int n)
{
    int64_t elements = 1;
    for (int k = 0; k < n; k++) elements *= t.dim[axes[k]];
    return elements;
}

static bool is_float_sum(Op op, DType t) { return dtype_is_float(t) && (op == OP_ADD || op == OP_MUL); }

/* As eager mode folds its 64 accumulators, of which the first n have something. */
static Val folded_in_halves(Build *b, Op op, DType t, Val *v, int n)
{
    int half = 1;
    while (2 * half < n) half *= 2;
    for (; half && n > 1; half /= 2)
        for (; n > half; n--) v[n - 1 - half] = op2(b, op, t, v[n - 1 - half], v[n - 1]);
    return v[0];
}

Val summed_product(Build *b, DType t, Val x, Val y)
{
    bool once = dtype_is_float(t) && b->program->mode != MODE_STRICT && b->target->fma;
    return point_op(b, t == WEFT_BOOL ? OP_AND : OP_MUL, t, (Val[]){ x, y }, 2, (int64_t[]){ 1 }, once);
}

Val joined_value(Build *b, Op op, DType t, Val x, Val y)
{
    Val in[2] = { x, y };
    for (int i = 0; i < 2 && (op == OP_ADD || op == OP_SUB); i++) {
        const Stmt *s = &b->nest.stmts[in[i]];
        Val left = s->args[0], right = s->args[1], other = in[1 - i];
        if (!stmt_is_summed_product(s)) continue;
        if (op == OP_SUB && i == 0) other = op1(b, OP_NEG, t, other);
        if (op == OP_SUB && i == 1) left = op1(b, OP_NEG, t, left);
        return point_op(b, OP_FMA, t, (Val[]){ left, right, other }, 3, NULL, 0);
    }
    return op2(b, op, t, x, y);
}

/* Is there a math function among what is computed with it? */
static bool takes_math(const Build *b, Ref x, int depth)
{
    const Node *n = node_of(b, x);
    const NodePlan *p = &b->plan[x];
    if ((p->materialized && !p->in_passing) || op_folds((Op)n->op) || depth == MAX_SHORT_FOLD) return false;
    if (op_is_ew((Op)n->op) && op_cost((Op)n->op, (DType)n->dtype) >= COST_MATH_FUNCTION) return true;
    for (uint32_t i = 0; i < n->n_args; i++)
        if (takes_math(b, n->args[i], depth + 1)) return true;
    return false;
}

/* Are so few terms, none of which takes a math function, summed in order wherever they stand? */
static bool stays_in_order(const Build *b, Ref x, int64_t terms)
{
    return terms <= MAX_SHORT_FOLD && dtype_is_float((DType)node_of(b, x)->dtype) && !takes_math(b, x, 0);
}

Val reduce_value(Build *b, Ref ref, const Address *at, Val mask, uint32_t block)
{
    const Node *n = node_of(b, ref);
    Op op = (Op)n->attr[0];
    const int64_t *axes = n->attr + 1;
    int n_axes = (int)n->n_attr - 1;
    Ref x = n->args[0];
    Type t = type_of(b, x);
    DType acc = compute_type((DType)t.dtype);
    for (int i = 0; i < n_axes; i++)
        if (t.dim[axes[i]] == 0)
            return nest_const(&b->nest, (DType)t.dtype, monoid_start(op, (DType)t.dtype));
    uint32_t phase = fold_phase(b, ref, at, mask, block), body;
    Address *in = kept_index(b, t, axes, n_axes, at);
    bool trailing = n_axes > 0 && axes[0] == t.rank - n_axes,
         strict = b->program->mode == MODE_STRICT && is_float_sum(op, (DType)t.dtype);
    if (strict && trailing && !b->frame && nest_in_lanes(&b->nest, block)) {
        if (b->schedule.root_lanes) b->needs_rows = true;
        else if (!b->plan[ref].materialized || b->plan[ref].in_passing) {
            want_memory(b, ref);
            return load_value(b, ref, at, mask);
        }
    }
    int64_t elements = folded_elements(t, axes, n_axes);
    bool sums = op == OP_ADD || op == OP_MUL, parts = n_axes == 1 && elements <= MAX_SHORT_FOLD &&
                                                      nest_in_lanes(&b->nest, block) &&
                                                      is_of_parts(b, x, axes[0], 0);
    if (parts || (sums && writes_out(b, block, elements))) {
        Val all[MAX_SHORT_FOLD], start = nest_const(&b->nest, acc, monoid_start(op, acc));
        int n_all = 0;
        do {
            bool is_first = n_all == 0 || (strict && trailing);
            Val one = convert(b, point_value(b, x, kept_copy(b, in, t.rank), mask), acc);
            if (is_first) all[n_all++] = sums ? joined_value(b, op, acc, start, one) : one;
            else all[0] = joined_value(b, op, acc, all[0], one);
        } while (next_index(t, axes, n_axes, in));
        return convert(b, folded_in_halves(b, op, acc, all, n_all), (DType)t.dtype);
    }
    Val r = nest_reducer(&b->nest, block, phase, op, acc, acc);
    bool any_order = !strict && n_axes && !(sums && stays_in_order(b, x, elements));
    if (strict && trailing && !nest_in_lanes(&b->nest, block))
        body = flat_loop(b, x, t.rank - n_axes, block, phase, in);
    else
        body = fold_loops(b, x, axes, n_axes,
                          any_order && (b->schedule.fold_any || axes[n_axes - 1] == t.rank - 1), block, phase,
                          in);
    Val v = point_value(b, x, in, mask);
    nest_fold(&b->nest, body, r, convert(b, v, acc), VAL_NONE);
    return convert(b, nest_total(&b->nest, r, acc, phase), (DType)t.dtype);
}

Val arg_value(Build *b, Ref ref, const Address *at, Val mask, uint32_t block)
{
    const Node *n = node_of(b, ref);
    int64_t axis = n->attr[0];
    Ref x = n->args[0];
    Type t = type_of(b, x);
    uint32_t phase = fold_phase(b, ref, at, mask, block);
    Address *in = kept_index(b, t, &axis, 1, at);
    DType it = t.dim[axis] < INT32_MAX ? WEFT_I32 : WEFT_I64;
    Val r = nest_reducer(&b->nest, block, phase, (Op)n->op, (DType)t.dtype, it);
    bool unit = axis == t.rank - 1 || b->schedule.fold_any;
    uint32_t body = fold_loops(b, x, &axis, 1, unit, block, phase, in);
    Val v = point_value(b, x, in, mask);
    nest_fold(&b->nest, body, r, v, nest_index(&b->nest, it, in[axis]));
    return convert(b, nest_total(&b->nest, r, it, phase), (DType)n->dtype);
}

/* Index of a dot's operand: batch and free axes from the result's, contracting ones left for the loops. */
static Address *dot_index(Build *b, const Node *n, int side, const Address *at)
{
    DotDims dims = dot_dims(n->attr);
    const int64_t *batch = dims.batch[side], *summed = dims.summed[side];
    int nb = dims.n_batch, nc = dims.n_summed;
    Type t = type_of(b, n->args[side]);
    int left_free = node_of(b, n->args[0])->rank - nb - nc, out = side ? nb + left_free : nb;
    Address *in = new_index(b, t.rank);
    for (int d = 0; d < t.rank; d++) {
        bool free_axis = true;
        for (int i = 0; i < nb; i++)
            if (batch[i] == d) {
                in[d] = at[i];
                free_axis = false;
            }
        for (int i = 0; i < nc; i++)
            if (summed[i] == d) {
                in[d] = address_number(0);
                free_axis = false;
            }
        if (free_axis) in[d] = at[out++];
    }
    return in;
}

/* Are its neighbours along this axis neighbours in memory? */
static bool is_last(Type t, int64_t axis)
{
    while (++axis < t.rank)
        if (t.dim[axis] != 1) return false;
    return true;
}

Val dot_value(Build *b, Ref ref, const Address *at, Val mask, uint32_t block)
{
    const Node *n = node_of(b, ref);
    DotDims dims = dot_dims(n->attr);
    int nc = dims.n_summed;
    const int64_t *lc = dims.summed[0], *rc = dims.summed[1];
    Type left = type_of(b, n->args[0]), right = type_of(b, n->args[1]);
    DType t = (DType)n->dtype, acc = compute_type(t);
    Op plus = t == WEFT_BOOL ? OP_OR : OP_ADD;
    for (int i = 0; i < nc; i++)
        if (left.dim[lc[i]] == 0) return nest_const(&b->nest, t, 0);
    uint32_t phase = fold_phase(b, ref, at, mask, block), body = block;
    Address *l = dot_index(b, n, 0, at), *r = dot_index(b, n, 1, at);
    if (b->schedule.block && !b->schedule.strips && b->n_packed)
        return panels_sum(b, ref, (const Address *const[]){ l, r });
    if (writes_out(b, block, folded_elements(left, lc, nc))) {
        Val all = nest_const(&b->nest, acc, 0);
        do {
            for (int i = 0; i < nc; i++) r[rc[i]] = l[lc[i]];
            Val x = convert(b, point_value(b, n->args[0], kept_copy(b, l, left.rank), mask), acc),
                y = convert(b, point_value(b, n->args[1], kept_copy(b, r, right.rank), mask), acc);
            all = joined_value(b, plus, acc, all, summed_product(b, acc, x, y));
        } while (next_index(left, lc, nc, l));
        return convert(b, all, t);
    }
    Val sum = nest_reducer(&b->nest, block, phase, plus, acc, acc);
    int64_t terms = folded_elements(left, lc, nc);
    bool in_order = stays_in_order(b, n->args[0], terms) && stays_in_order(b, n->args[1], terms);
    bool lanes = nc && !in_order && b->program->mode != MODE_STRICT &&
                 (b->schedule.fold_any || (is_last(left, lc[nc - 1]) && is_last(right, rc[nc - 1])));
    for (int i = 0; i < nc; i++) {
        body = fold_loops(b, n->args[0], &lc[i], 1, lanes && i == nc - 1, body, phase, l);
        r[rc[i]] = l[lc[i]];
    }
    b->product = (Product){ sum, b->frame ? REF_NONE : ref, { l, r } };
    b->n_products++;
    Val x = convert(b, point_value(b, n->args[0], l, mask), acc),
        y = convert(b, point_value(b, n->args[1], r, mask), acc);
    nest_fold(&b->nest, body, sum, summed_product(b, acc, x, y), VAL_NONE);
    return convert(b, nest_total(&b->nest, sum, acc, phase), t);
}

/* ---- reductions by a sub-graph ---- */

/* Values of a REDUCE_REGION at a point, all results at once: a nest of serial loops, each carrying the
 * accumulators of the one inside. */
void region_reduce(Build *b, Ref ref, const Address *at, Val mask, uint32_t block, Val *results)
{
    const Node *n = node_of(b, ref);
    uint32_t count = n->n_results, inner = block,
             phase = loops_phase(b, ref, at, n->rank, mask, block, point_levels(n));
    int n_axes = (int)n->n_attr, levels = 0;
    Type t = type_of(b, n->args[0]);
    Address *in = kept_index(b, t, n->attr, n_axes, at);
    Val *state = arena_alloc(b->arena, 2 * (size_t)count * sizeof *state);
    CarryLoop nest[WEFT_MAX_RANK];
    for (uint32_t i = 0; i < count; i++) state[i] = point_value(b, n->args[count + i], NULL, VAL_NONE);
    memcpy(results, state, count * sizeof *state);
    for (int k = 0; k < n_axes; k++)
        if (t.dim[n->attr[k]] == 0) return;
    for (int k = 0; k < n_axes; k++) {
        int64_t extent = t.dim[n->attr[k]];
        if (extent == 1) continue;
        nest[levels] = carry_open(b, inner, phase, extent, count, state);
        in[n->attr[k]] = address_of(b->arena, nest[levels].loop, 1);
        inner = nest[levels++].body;
    }
    for (uint32_t i = 0; i < count; i++) state[count + i] = point_value(b, n->args[i], in, mask);
    region_values(b, n->region, state, inner, phase, results);
    while (levels--) carry_close(b, &nest[levels], 0, results);
}

CarryLoop carry_open(Build *b, uint32_t block, uint32_t phase, int64_t extent, uint32_t n, Val *state)
{
    CarryLoop l = {
        .block = block, .phase = phase, .n = n, .carry = arena_alloc(b->arena, (n + 1) * sizeof(Val))
    };
    for (uint32_t i = 0; i < n; i++) {
        uint32_t known = nest_phase(&b->nest, state[i], block);
        if (known > l.phase) l.phase = known;
    }
    for (uint32_t i = 0; i < n; i++)
        state[i] = l.carry[i] = nest_carry(&b->nest, block, l.phase, dtype_of(b, state[i]), state[i]);
    l.loop = serial_loop(b, block, l.phase, extent);
    l.body = nest_body(&b->nest, l.loop);
    for (uint32_t i = 0; i < n; i++) nest_carried_by(&b->nest, l.carry[i], l.loop);
    return l;
}

void carry_close(Build *b, const CarryLoop *l, uint32_t after, Val *state)
{
    for (uint32_t i = 0; i < l->n; i++) nest_set(&b->nest, l->body, l->carry[i], state[i], after);
    for (uint32_t i = 0; i < l->n; i++)
        state[i] = nest_total(&b->nest, l->carry[i], dtype_of(b, l->carry[i]), l->phase);
}
