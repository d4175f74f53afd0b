/* fuse_steps.c: control flow, foreign calls and factorizations as steps.
 *
 * A region is a closed graph, so it is fused like any other graph, with its parameters and outputs bound to
 * memory that is there already: an invariant is the operand's memory, a carry the carry's, a slice of an
 * input the part of it that the step counter chooses; an output is the next value of a carry, or a slice of a
 * stacked result. Its kernels and steps stand between LOOP and END; nothing is moved or allocated per
 * iteration.
 *
 * A carry has two buffers, one read and one written in an iteration. Once the body's kernels are there one
 * sees whether each element of the old value is read for the last time before the new one is written
 * (alias.h); then both become one. Else they change names at the end of the iteration, and in the end the
 * value is in the result's memory, for names are as before after an even number of changes. A carry that is
 * given another's old value takes that one's buffer, and what is computed at the end of such a chain may go
 * where its beginning was: u, v = v, f(u, v) needs two buffers and no copy.
 *
 * Kernels of a body that depend on nothing that its iterations change move out in front of the loop: packed
 * copies of a matrix, for one.
 */
#include "compiler/fuse/memory/alias.h"
#include "fuse_state.h"
#include "compiler/graph/matrix/matrix_call.h"
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#define NOT_MOVED UINT32_MAX

typedef struct Carry {
    Type type;
    Place init, result;
    Place now, next; /* of an iteration */
    bool fixed;      /* each iteration hands it on as it is */
    bool counts;     /* it is a number plus a multiple of the counter: now and last are indices */
    Place last;
    bool in_place; /* now and next are one */
    bool wanted;   /* another carry is given this one's old value */
    uint32_t from; /* which one this is given; NOT_MOVED: it is computed */
} Carry;

/* A SCAN, a WHILE or a MAP that becomes steps. */
typedef struct StepLoop {
    ScanShape shape;
    const Graph *body;
    Carry *carry;                         /* [shape.n_carry] */
    uint32_t step, counter, first_kernel; /* its LOOP or WHILE; the first kernel made in it */
} StepLoop;

bool steps_compute(const Graph *g, Ref r)
{
    Op op = (Op)g->nodes[r].op;
    assert((op < OP_CUSTOM_JVP || op > OP_BACKWARD) && op != OP_STOP_GRADIENT && "rules are inlined before");
    if (op == OP_FOREIGN || op == OP_BARRIER || op_is_matrix(op)) return true;
    return (op == OP_SCAN || op == OP_WHILE || op == OP_CASE || op == OP_MAP) && !point_control(g, r);
}

/* ---- steps ---- */

static uint32_t open_step(Fusion *x, ProgramStep s)
{
    fuse_add_step(x, s);
    return x->program->n_steps - 1;
}

static void close_step(Fusion *x, StepKind kind, uint32_t opened)
{
    fuse_add_step(x, (ProgramStep){ .kind = (uint8_t)kind, .opened = opened });
}

/* By buffer: how many STOREs, SWAPs and CALLs write it, from step `first` to the last. The latter two count
 * twice. */
static uint32_t *count_writers(const Fusion *x, uint32_t first)
{
    const Program *p = x->program;
    uint32_t *writers = arena_alloc(x->tries, (p->n_buffers + 1) * sizeof *writers);
    for (uint32_t i = first; i < p->n_steps; i++) {
        const ProgramStep *s = &p->steps[i];
        if (s->kind == STEP_SWAP) {
            writers[s->buffer] += 2;
            writers[s->other] += 2;
        }
        for (uint32_t b = s->n_read; s->kind == STEP_CALL && b < s->n_buffers; b++)
            writers[s->buffers[b]] += 2;
        if (s->kind != STEP_KERNEL) continue;
        const Kernel *k = &p->kernels[s->kernel];
        for (uint32_t j = 0; j < k->n_stmts; j++)
            if (k->stmts[j].kind == ST_STORE) writers[k->stmts[j].buffer]++;
    }
    return writers;
}

/* Is what the kernel does the same in every iteration, and done by it alone? */
static bool is_invariant(const Fusion *x, const Kernel *k, const StepLoop *l, const uint32_t *writers)
{
    for (uint32_t i = 0; i < k->n_stmts; i++) {
        const Stmt *s = &k->stmts[i];
        uint32_t mine = 0;
        if (s->kind == ST_COUNTER && s->imm == l->counter) return false;
        if (!stmt_uses_buffer(s)) continue;
        for (uint32_t j = 0; j < k->n_stmts; j++)
            mine += k->stmts[j].kind == ST_STORE && k->stmts[j].buffer == s->buffer;
        uint8_t kind = x->program->buffers[s->buffer].kind;
        if (writers[s->buffer] > mine) return false;
        if (s->kind == ST_STORE &&
            ((kind != BUF_TEMP && kind != BUF_LOCAL) || x->uses[s->buffer].first <= l->first_kernel))
            return false;
    }
    return true;
}

/* Moves kernels that every iteration of the loop, which ends with the last step, would run alike in front of
 * it. */
static void hoist(Fusion *x, const StepLoop *l)
{
    Program *p = x->program;
    ArenaMark before = arena_mark(x->tries);
    uint32_t n = p->n_steps - l->step, depth = 0, out = 0, rest = 0, *writers = count_writers(x, l->step),
             *map = arena_alloc(x->tries, (n + 1) * sizeof *map);
    ProgramStep *kept = arena_alloc(x->tries, (n + 1) * sizeof *kept);
    for (uint32_t i = l->step; i < p->n_steps; i++) {
        ProgramStep s = p->steps[i];
        if (s.kind == STEP_END) depth--;
        const Kernel *k = s.kind == STEP_KERNEL && depth == 1 ? &p->kernels[s.kernel] : NULL;
        if (k && is_invariant(x, k, l, writers)) {
            for (uint32_t j = 0; j < k->n_stmts; j++)
                if (k->stmts[j].kind == ST_STORE) writers[k->stmts[j].buffer]--;
            p->steps[l->step + out++] = s; /* steps before i have been taken already */
            continue;
        }
        depth += step_opens(&s);
        map[i - l->step] = rest;
        kept[rest++] = s;
    }
    for (uint32_t i = 0; i < rest; i++) {
        if (step_has_opened(&kept[i])) kept[i].opened = l->step + out + map[kept[i].opened - l->step];
        p->steps[l->step + out + i] = kept[i];
    }
    arena_release(x->tries, before);
}

/* ---- carries ---- */

/* Is the place a whole buffer, whose name may be exchanged with another? */
static bool is_own_buffer(const Program *p, Place x, Type t)
{
    return place_is_whole(p, x, t) &&
           (p->buffers[x.buffer].kind == BUF_OUTPUT || p->buffers[x.buffer].kind == BUF_TEMP);
}

/* Buffers of a carry that changes `runs` times (EXTENT_WHILE: nobody knows), and its start in the first of
 * them. A start that nobody else reads is computed there. */
static void open_carry(Fusion *x, Carry *c, int64_t runs)
{
    if (c->fixed) c->now = c->last = c->init;
    if (c->fixed || c->counts) return;
    if (c->wanted || c->from != NOT_MOVED) runs = -1; /* names go round: no telling where they end */
    Place own = runs >= 0 && is_own_buffer(x->program, c->result, c->type)
                    ? c->result
                    : place_temporary(x->program, c->type);
    Place other = c->from != NOT_MOVED ? (Place){ .kind = PLACE_NONE } : place_temporary(x->program, c->type);
    c->now = runs % 2 == 1 ? other : own;
    c->next = runs % 2 == 1 ? own : other;
    if (c->init.spare) fuse_rename_buffer(x, c->init.buffer, c->now.buffer);
    else fuse_copy(x, c->type, c->init, c->now, "start");
}

static void swap(Fusion *x, const Carry *c, Place with)
{
    fuse_add_step(x, (ProgramStep){ .kind = STEP_SWAP, .buffer = c->now.buffer, .other = with.buffer });
}

/* The steps of an iteration; plain: kernels alone run in it, in the order in which they were made, but for
 * steps that speak of no carry. */
typedef struct Iteration {
    uint32_t first, first_kernel;
    bool plain;
} Iteration;

static int by_kernel(const void *a, const void *b)
{
    const ProgramStep *x = a, *y = b;
    return (x->kernel > y->kernel) - (x->kernel < y->kernel);
}

static uint32_t push_kernels(Fusion *x, uint32_t buffer, uint32_t first, ProgramStep *steps, uint32_t n)
{
    for (const struct KernelUse *u = fuse_uses(x, buffer)->kernels; u; u = u->next)
        if (u->kernel >= first) steps[n++] = (ProgramStep){ .kind = STEP_KERNEL, .kernel = u->kernel };
    return n;
}

static uint32_t count_uses(Fusion *x, uint32_t buffer)
{
    uint32_t n = 0;
    for (const struct KernelUse *u = fuse_uses(x, buffer)->kernels; u; u = u->next) n++;
    return n;
}

/* The program, with no more steps of the iteration than one has to look at to know what becomes of two
 * buffers, from *first on. */
static Program steps_of_both(Fusion *x, const Iteration *it, uint32_t a, uint32_t b, uint32_t *first)
{
    Program p = *x->program;
    *first = it->first;
    if (!it->plain || fuse_uses(x, a)->steps || fuse_uses(x, b)->steps) return p;
    ProgramStep *steps = arena_alloc(x->tries, (count_uses(x, a) + count_uses(x, b) + 1) * sizeof *steps);
    uint32_t n = push_kernels(x, b, it->first_kernel, steps, push_kernels(x, a, it->first_kernel, steps, 0));
    qsort(steps, n, sizeof *steps, by_kernel);
    p.steps = steps;
    p.n_steps = *first = 0;
    for (uint32_t i = 0; i < n; i++)
        if (!i || steps[i].kernel != p.steps[p.n_steps - 1].kernel) p.steps[p.n_steps++] = steps[i];
    return p;
}

/* A carry's next value is computed in buffer `over`, if it can be. */
static bool compute_over(Fusion *x, const Carry *c, uint32_t over, const Iteration *it)
{
    ArenaMark before = arena_mark(x->tries);
    uint32_t first;
    Program p = steps_of_both(x, it, over, c->next.buffer, &first);
    bool may = alias_allows(&p, first, p.n_steps, over, c->next.buffer);
    if (may) fuse_rename_buffer(x, c->next.buffer, over);
    for (uint32_t i = first; may && i < p.n_steps; i++)
        if (p.steps[i].kind == STEP_KERNEL) alias_drop_idle(x->arena, &p.kernels[p.steps[i].kernel]);
    arena_release(x->tries, before);
    return may;
}

/* The end of an iteration for a carry by itself. */
static void advance_carry(Fusion *x, Carry *c, const Iteration *it)
{
    c->in_place = compute_over(x, c, c->now.buffer, it);
    if (!c->in_place) {
        swap(x, c, c->next);
        return;
    }
    if (is_own_buffer(x->program, c->result, c->type)) {
        fuse_rename_buffer(x, c->now.buffer, c->result.buffer);
        c->now.buffer = c->result.buffer;
    }
    c->next = c->now;
}

/* The same for a chain of carries, each of which is given the old value of the next one: from its head, which
 * no other is given, to the last, which is computed. Of a ring any carry is the head. */
static void advance_chain(Fusion *x, Carry *all, uint32_t head, const Iteration *it)
{
    uint32_t last = head;
    for (uint32_t i = all[head].from; i != NOT_MOVED && i != head; i = all[i].from) last = i;
    bool ring = all[last].from == head, over = !ring && compute_over(x, &all[last], all[head].now.buffer, it);
    for (uint32_t i = head; i != last; i = all[i].from) {
        swap(x, &all[i], all[all[i].from].now);
        all[i].in_place = true;
    }
    if (!ring && !over) swap(x, &all[last], all[last].next);
    all[last].in_place = true;
}

static void advance_carries(Fusion *x, Carry *c, uint32_t n, const Iteration *it)
{
    for (uint32_t i = 0; i < n; i++) {
        bool stays = c[i].fixed || c[i].counts || type_count(c[i].type) == 0;
        if (stays) c[i].in_place = true;
        else if (!c[i].wanted && c[i].from == NOT_MOVED) advance_carry(x, &c[i], it);
        else if (!c[i].wanted) advance_chain(x, c, i, it);
    }
    for (uint32_t i = 0; i < n; i++)
        if (c[i].wanted && c[i].from != NOT_MOVED && !c[i].in_place) advance_chain(x, c, i, it);
}

static void close_carry(Fusion *x, const Carry *c, int64_t runs)
{
    if (c->fixed || c->counts) {
        fuse_copy(x, c->type, c->last, c->result, "copy");
        return;
    }
    bool odd = runs % 2 == 1 && !c->in_place;
    if (odd) swap(x, c, c->next);
    Place last = odd ? c->next : c->now;
    if (c->result.kind != PLACE_BUFFER || c->result.buffer != last.buffer)
        fuse_copy(x, c->type, last, c->result, "copy");
}

enum { MOST_COUNTED = INT32_MAX }; /* products of two stay in 64 bits */

/* i' = i + step from a known number: the counter says it all. Unless the end is known nobody may want the
 * last value. */
static void try_counting(Fusion *x, const StepLoop *l, uint32_t i)
{
    Carry *c = &l->carry[i];
    Ref param = l->body->params[l->shape.n_invariant + i];
    const Node *n = &l->body->nodes[l->body->outputs[i]];
    DType t = (DType)c->type.dtype;
    int64_t runs = l->shape.length;
    if ((n->op != OP_ADD && n->op != OP_SUB) || n->rank || !dtype_is_int(t) || c->init.kind != PLACE_SPLAT)
        return;
    Ref other = n->args[0] == param                      ? n->args[1]
                : n->op == OP_ADD && n->args[1] == param ? n->args[0]
                                                         : REF_NONE;
    if (other == REF_NONE || l->body->nodes[other].op != OP_CONSTANT || runs > MOST_COUNTED ||
        (runs < 0 && c->result.kind != PLACE_NONE))
        return;
    int64_t start = scalar_to_i64(t, c->init.bits),
            step = scalar_to_i64(t, scalar_load(t, l->body->nodes[other].data));
    if (start > MOST_COUNTED || start < -MOST_COUNTED || step > MOST_COUNTED || step < -MOST_COUNTED) return;
    if (n->op == OP_SUB) step = -step;
    c->counts = true;
    c->now = c->last = (Place){ .kind = PLACE_INDEX, .base = address_number(start) };
    c->now.base = address_shift(address_of(x->arena, l->counter, step), start);
    if (runs > 0) c->last.base.offset += step * runs;
}

/* i' = j, if nobody else takes j's buffer. */
static void try_moving(const StepLoop *l, uint32_t i)
{
    Carry *c = l->carry;
    const Node *from = &l->body->nodes[l->body->outputs[i]];
    if (from->op != OP_PARAMETER || from->attr[0] < l->shape.n_invariant) return;
    uint32_t j = (uint32_t)from->attr[0] - l->shape.n_invariant;
    if (j >= l->shape.n_carry || i == j) return;
    if (c[j].fixed || c[j].counts || c[j].wanted || type_count(c[j].type) == 0) return;
    c[i].from = j;
    c[j].wanted = true;
}

static void find_carries(Fusion *x, StepLoop *l, const Place *args, const Place *results)
{
    uint32_t first = l->shape.n_invariant, n = l->shape.n_carry;
    l->carry = arena_alloc(x->arena, (n + 1) * sizeof *l->carry);
    for (uint32_t i = 0; i < n; i++) {
        Ref param = l->body->params[first + i];
        l->carry[i] = (Carry){ .type = graph_type(l->body, param),
                               .init = args[first + i],
                               .result = results[i],
                               .fixed = l->body->outputs[i] == param,
                               .from = NOT_MOVED };
        try_counting(x, l, i);
    }
    for (uint32_t i = 0; i < n; i++) try_moving(l, i);
}

/* ---- loops ---- */

/* An invariant: reordering it once serves all iterations. */
static Place reread(Place p, double runs)
{
    p.rereads = (p.rereads > 0 ? p.rereads : 1) * runs;
    return p;
}

/* One slice of a stacked array, chosen by a counter; a stack of indices is 0, 1, 2, ... */
static Place slice_of(Arena *a, Place whole, Type slice, const StepLoop *l)
{
    int64_t count = type_count(slice);
    if (whole.kind != PLACE_BUFFER && whole.kind != PLACE_INDEX) return whole;
    whole.base = address_add(a, whole.base, address_of(a, l->counter, l->shape.reverse ? -count : count));
    if (l->shape.reverse) whole.base.offset += (l->shape.length - 1) * count;
    return whole;
}

/* Where the body finds its parameters. */
static Place *bind_params(Fusion *x, const StepLoop *l, const Place *args)
{
    ScanShape s = l->shape;
    Place *in = arena_alloc(x->arena, (l->body->n_params + 1) * sizeof *in);
    double runs = s.length == EXTENT_WHILE ? WHILE_RUNS : (double)s.length;
    for (uint32_t i = 0; i < l->body->n_params; i++)
        in[i] = i < s.n_invariant ? reread(args[i], runs)
                : i < s.n_invariant + s.n_carry
                    ? l->carry[i - s.n_invariant].now
                    : slice_of(x->arena, args[i], graph_type(l->body, l->body->params[i]), l);
    return in;
}

static Place *bind_outputs(Fusion *x, const StepLoop *l, const Place *results)
{
    Place *out = arena_alloc(x->arena, (l->body->n_outputs + 1) * sizeof *out);
    for (uint32_t i = 0; i < l->body->n_outputs; i++)
        out[i] = i < l->shape.n_carry
                     ? l->carry[i].next
                     : slice_of(x->arena, results[i], graph_type(l->body, l->body->outputs[i]), l);
    return out;
}

/* The steps of the loop, which is open, up to its END. cond: NULL, or that of a WHILE, whose value goes to
 * `test`. */
static void iterate(Fusion *x, const StepLoop *l, const Graph *cond, const Place *test, const Place *in,
                    const Place *out)
{
    double runs = x->runs;
    if (cond) {
        fuse_graph(x, cond, in, test);
        fuse_add_step(x, (ProgramStep){ .kind = STEP_TEST, .buffer = test->buffer, .opened = l->step });
    } else x->runs *= (double)l->shape.length;
    fuse_graph(x, l->body, in, out);
    x->runs = runs;
    Iteration it = { l->step + 1, l->first_kernel, true };
    for (uint32_t i = it.first; i < x->program->n_steps; i++) it.plain &= !step_opens(&x->program->steps[i]);
    advance_carries(x, l->carry, l->shape.n_carry, &it);
    close_step(x, STEP_END, l->step);
}

static void loop_steps(Fusion *x, const Node *n, const Place *args, const Place *results)
{
    StepLoop l = { .shape = point_loop_shape(n), .body = n->regions[n->n_regions - 1] };
    const Graph *cond = n->op == OP_WHILE ? n->regions[0] : NULL;
    uint32_t n_carry = l.shape.n_carry;
    Place test = { 0 };
    if (l.shape.length) l.counter = x->program->n_counters++;
    find_carries(x, &l, args, results);
    if (l.shape.length == 0) {
        for (uint32_t i = 0; i < n_carry; i++)
            fuse_copy(x, l.carry[i].type, l.carry[i].init, l.carry[i].result, "copy");
        return;
    }
    if (cond) test = place_temporary(x->program, (Type){ WEFT_BOOL, 0, NULL });
    for (uint32_t i = 0; i < n_carry; i++) open_carry(x, &l.carry[i], l.shape.length);
    const Place *in = bind_params(x, &l, args), *out = bind_outputs(x, &l, results);
    l.step = open_step(
        x, cond ? (ProgramStep){ .kind = STEP_WHILE, .counter = l.counter }
                : (ProgramStep){ .kind = STEP_LOOP, .extent = l.shape.length, .counter = l.counter });
    l.first_kernel = x->program->n_kernels;
    iterate(x, &l, cond, &test, in, out);
    hoist(x, &l);
    for (uint32_t i = 0; i < n_carry; i++) close_carry(x, &l.carry[i], l.shape.length);
}

/* ---- case ---- */

static void case_steps(Fusion *x, const Node *n, const Place *args, const Place *results)
{
    Type index = { WEFT_I32, 0, NULL };
    Place chosen = args[0];
    if (chosen.kind != PLACE_BUFFER || chosen.base.n_terms || chosen.base.offset) {
        chosen = place_temporary(x->program, index);
        fuse_copy(x, index, args[0], chosen, "branch");
    }
    uint32_t opened =
        open_step(x, (ProgramStep){ .kind = STEP_CASE, .buffer = chosen.buffer, .extent = n->n_regions });
    for (uint32_t i = 0; i < n->n_regions; i++) {
        close_step(x, STEP_BRANCH, opened);
        fuse_graph(x, n->regions[i], args + 1, results);
    }
    close_step(x, STEP_END, opened);
}

/* ---- calls ---- */

/* The call reads operands where they lie, in a slice of a stacked array, too, and writes results where they
 * are wanted; behind them stands scratch, if it needs any. */
static void call_step(Fusion *x, const Graph *g, const Node *n, const Place *args, const Place *results,
                      ProgramStep call, int64_t scratch_bytes)
{
    uint32_t count = n->n_args + n->n_results,
             *buffers = arena_alloc(x->arena, (count + 1) * sizeof *buffers);
    Address *at = arena_alloc(x->arena, (count + 1) * sizeof *at);
    for (uint32_t i = 0; i < count; i++) {
        bool result = i >= n->n_args;
        Type t = result ? node_result(n, i - n->n_args) : graph_type(g, n->args[i]);
        Place p = result ? results[i - n->n_args] : args[i];
        if (p.kind != PLACE_BUFFER) {
            p = place_temporary(x->program, t);
            if (!result) fuse_copy(x, t, args[i], p, "operand");
        }
        buffers[i] = p.buffer;
        at[i] = p.base;
    }
    if (scratch_bytes) {
        Place p = place_temporary(x->program, (Type){ WEFT_U8, 1, &scratch_bytes });
        buffers[count] = p.buffer;
        at[count++] = p.base;
    }
    call.kind = STEP_CALL;
    call.buffers = buffers;
    call.n_buffers = count;
    call.n_read = n->n_args;
    call.at = at;
    fuse_add_step(x, call);
}

static void foreign_step(Fusion *x, const Graph *g, const Node *n, const Place *args, const Place *results)
{
    int64_t *numbers = arena_alloc(x->arena, (n->n_attr + 1) * sizeof *numbers);
    numbers[0] = n->n_args;
    memcpy(numbers + 1, n->attr, n->n_attr * sizeof *numbers);
    ProgramStep call = { .function = LIBRARY_FOREIGN, .numbers = numbers, .n_numbers = n->n_attr + 1 };
    call_step(x, g, n, args, results, call, 0);
}

static void matrix_step(Fusion *x, const Graph *g, const Node *n, const Place *args, const Place *results)
{
    int64_t *numbers = arena_alloc(x->arena, MATRIX_NUMBERS * sizeof *numbers);
    Type types[2];
    for (uint32_t i = 0; i < n->n_args && i < 2; i++) types[i] = graph_type(g, n->args[i]);
    matrix_numbers((Op)n->op, n->attr, n->n_attr, types, numbers);
    numbers[MATRIX_VECTOR_BYTES] = x->target->vector_bytes;
    bool own = x->program->mode == MODE_STRICT || matrix_is_own(numbers);
    if (x->target->parallel_ns) matrix_allow_threads(numbers);
    ProgramStep call = { .function = own ? LIBRARY_MATRIX : LIBRARY_LAPACK,
                         .numbers = numbers,
                         .n_numbers = MATRIX_NUMBERS };
    call_step(x, g, n, args, results, call, matrix_scratch_bytes(numbers));
}

void steps_append(Fusion *x, const Graph *g, Ref r, const Place *args, const Place *results)
{
    const Node *n = &g->nodes[r];
    switch ((Op)n->op) {
    case OP_BARRIER: break;
    case OP_FOREIGN: foreign_step(x, g, n, args, results); break;
    case OP_SCAN:
    case OP_MAP:
    case OP_WHILE:   loop_steps(x, n, args, results); break;
    case OP_CASE:    case_steps(x, n, args, results); break;
    default:         matrix_step(x, g, n, args, results); break;
    }
}
