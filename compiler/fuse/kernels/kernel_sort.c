/* kernel_sort.c: the kernels of SORT.
 *
 * A comparator that is an order by keys (compiler/graph/comparator.h) becomes a call of the library's sort,
 * which is told what positions are read where slices read them all; operands that lie in no buffer of
 * their own are computed into one first. Any other comparator is run itself, pair by pair, by a merge sort
 * from the bottom up: passes of runs twice as long each, between two halves of one temporary, every output
 * position one step with two carries: where the left run and the right run are. That is stable, and whatever
 * the comparator says, each step moves one of the two inside its run: it ends and stays in bounds.
 */
#include "own_kernels.h"
#include "compiler/graph/comparator.h"
#include <string.h>

/* ---- by the library ---- */

/* May the library read operand i where it lies? */
static bool lies_whole(const Build *b, Ref x)
{
    const NodePlan *p = &b->plan[x];
    return node_of(b, x)->op == OP_PARAMETER && p->round.place.kind == PLACE_BUFFER &&
           !p->round.place.base.n_terms && !p->round.place.base.offset &&
           b->program->buffers[p->round.place.buffer].count == type_count(type_of(b, x));
}

/* The operands that say their own position and decide nothing, a bit for each. */
static int64_t counting_operands(const Graph *g, const Node *n, const SortOrder *order)
{
    int64_t counting = 0;
    for (uint32_t i = 0; i < n->n_args; i++) {
        const Node *x = &g->nodes[n->args[i]];
        if (x->op == OP_IOTA && x->attr[0] == n->attr[0] && dtype_is_int((DType)x->dtype))
            counting |= INT64_C(1) << i;
    }
    for (uint32_t k = 0; k < order->n_keys; k++) counting &= ~(INT64_C(1) << order->key[k].operand);
    return counting;
}

/* Returns the bytes of scratch that it takes; -1: the library cannot do it. */
static int64_t numbers_of(const Graph *g, const Target *target, Ref r, int64_t *numbers, uint32_t *n_numbers)
{
    const Node *n = &g->nodes[r];
    Type types[64];
    SortOrder order;
    if (n->n_args > 64 || !sort_recognize(n->region, &order)) return -1;
    for (uint32_t i = 0; i < n->n_args; i++) types[i] = graph_type(g, n->args[i]);
    *n_numbers = sort_numbers(&order, types, n->n_args, (int)n->attr[0], numbers);
    numbers[SORT_WANTED] = sort_wanted(g, r, numbers + SORT_FROM);
    numbers[SORT_COUNTING] = counting_operands(g, n, &order);
    numbers[SORT_VECTOR_BYTES] = target->vector_bytes;
    if (target->parallel_ns) sort_allow_threads(numbers);
    return sort_scratch_bytes(numbers);
}

OwnKernels sort_kernels(const Graph *g, const Target *target, Ref r, Buffer *temps)
{
    const Node *n = &g->nodes[r];
    int64_t numbers[SORT_NUMBERS_MAX], count = type_count(node_type(n));
    uint32_t n_numbers;
    OwnKernels own = { .n_kernels = 1, .n_temps = n->n_args };
    int64_t scratch = numbers_of(g, target, r, numbers, &n_numbers);
    for (uint32_t i = 0; i < n->n_args; i++) {
        bool unread = scratch >= 0 && numbers[SORT_COUNTING] >> i & 1;
        temps[i] = (Buffer){ .dtype = g->nodes[n->args[i]].dtype,
                             .count = unread        ? 1
                                      : scratch < 0 ? 2 * count
                                                    : count };
    }
    if (scratch >= 0) temps[own.n_temps++] = (Buffer){ .dtype = WEFT_U8, .count = scratch };
    return own;
}

bool sort_call(const Build *b, Ref r, const OwnKernels *own, ProgramStep *call)
{
    const Node *n = node_of(b, r);
    int64_t numbers[SORT_NUMBERS_MAX];
    uint32_t n_numbers, *buffers = arena_alloc(b->program->arena, (2 * n->n_args + 1) * sizeof *buffers);
    if (type_count(node_type(n)) == 0) return false;
    if (numbers_of(b->graph, b->target, r, numbers, &n_numbers) < 0) return false;
    for (uint32_t i = 0; i < n->n_args; i++) {
        buffers[i] = lies_whole(b, n->args[i]) ? b->plan[n->args[i]].round.place.buffer : own->temp[i];
        buffers[n->n_args + i] = b->plan[r].round.results[i].buffer;
    }
    buffers[2 * n->n_args] = own->temp[n->n_args];
    *call = (ProgramStep){ .kind = STEP_CALL,
                           .function = LIBRARY_SORT,
                           .buffers = buffers,
                           .n_buffers = 2 * n->n_args + 1,
                           .n_numbers = n_numbers,
                           .numbers = arena_copy(b->program->arena, numbers, n_numbers * sizeof *numbers) };
    return true;
}

/* Operands that the library reads, but cannot where they lie. */
static void gather_operands(Build *b, const Node *n, const OwnKernels *own, uint32_t phase)
{
    SortOrder order;
    int64_t counting = sort_recognize(n->region, &order) ? counting_operands(b->graph, n, &order) : 0;
    for (uint32_t i = 0; i < n->n_args; i++) {
        Address *at;
        if (lies_whole(b, n->args[i]) || counting >> i & 1) continue;
        uint32_t block = point_loops_over(b, n->args[i], phase, &at);
        nest_store(&b->nest, block, own->temp[i], point_address(b, type_of(b, n->args[i]), at),
                   point_value(b, n->args[i], at, VAL_NONE), VAL_NONE);
    }
}

/* ---- by merging ---- */

typedef struct Merge {
    const Node *node;
    const OwnKernels *own;
    int axis;
    int64_t length, count;
    const Address *row; /* the index of the row being sorted, but for the axis */
    DType it;           /* of positions */
} Merge;

/* Element k of the row in one half of temporary i; half: an address of 0 or 1. */
static Address element(Build *b, const Merge *m, uint32_t i, Address k, Address half)
{
    Type t = type_of(b, m->node->args[i]);
    Address *at = arena_copy(b->arena, m->row, ((size_t)t.rank + 1) * sizeof *at);
    at[m->axis] = k;
    return address_add(b->arena, point_address(b, t, at), address_scale(b->arena, half, m->count));
}

static Address number_of(Build *b, Val v) { return address_of(b->arena, v, 1); }
static Val position(Build *b, const Merge *m, int64_t k)
{
    return nest_const(&b->nest, m->it, scalar_from_i64(m->it, k));
}
static Val before(Build *b, Val x, Val y) { return compare(b, CMP_LT, x, y); }
static Val least(Build *b, const Merge *m, Val x, Val y) { return op2(b, OP_MIN, m->it, x, y); }

/* One step of a merge in block `body`: output position o of a pass over runs of `width`, with left and right
 * where they stand. Sets next[] to where they go. */
static void merge_step(Build *b, const Merge *m, Address o, Val width, const Val *now, Address from,
                       Address to, uint32_t body, Val *next)
{
    uint32_t n = m->node->n_args;
    Val length = position(b, m, m->length), last = position(b, m, m->length - 1),
        at = nest_index(&b->nest, m->it, o);
    Val offset = op2(b, OP_AND, m->it, at,
                     op2(b, OP_SUB, m->it, op2(b, OP_ADD, m->it, width, width), position(b, m, 1)));
    Val start = op2(b, OP_SUB, m->it, at, offset),
        middle = least(b, m, op2(b, OP_ADD, m->it, start, width), length);
    Val end = least(b, m, op2(b, OP_ADD, m->it, middle, width), length);
    Val fresh = compare_with(b, CMP_EQ, offset, 0);
    Val left = select_value(b, m->it, fresh, start, now[0]),
        right = select_value(b, m->it, fresh, middle, now[1]);
    Val *sides = arena_alloc(b->arena, 2 * (size_t)n * sizeof *sides), right_first;
    for (uint32_t i = 0; i < n; i++) {
        DType t = (DType)type_of(b, m->node->args[i]).dtype;
        uint32_t buffer = m->own->temp[i];
        sides[2 * i] =
            nest_load(&b->nest, t, buffer, element(b, m, i, number_of(b, least(b, m, right, last)), from),
                      VAL_NONE, body, 0);
        sides[2 * i + 1] =
            nest_load(&b->nest, t, buffer, element(b, m, i, number_of(b, least(b, m, left, last)), from),
                      VAL_NONE, body, 0);
    }
    region_values(b, m->node->region, sides, body, 0, &right_first);
    Val more_left = before(b, left, middle), more_right = before(b, right, end);
    Val take =
        both(b, more_right, op2(b, OP_OR, WEFT_BOOL, right_first, op1(b, OP_NOT, WEFT_BOOL, more_left)));
    for (uint32_t i = 0; i < n; i++) {
        Val v = select_value(b, dtype_of(b, sides[2 * i]), take, sides[2 * i], sides[2 * i + 1]);
        nest_store(&b->nest, body, m->own->temp[i], element(b, m, i, o, to), v, VAL_NONE);
    }
    Val step = convert(b, take, m->it);
    next[0] = op2(b, OP_ADD, m->it, left, op2(b, OP_SUB, m->it, position(b, m, 1), step));
    next[1] = op2(b, OP_ADD, m->it, right, step);
}

/* Copies the row from the operands into one half of the temporaries; or, with `out`, from there into the
 * results. */
static void move_row(Build *b, Ref ref, const Merge *m, uint32_t block, uint32_t phase, bool out,
                     int64_t half)
{
    Val loop = serial_loop(b, block, phase, m->length);
    uint32_t body = nest_body(&b->nest, loop);
    Address k = address_of(b->arena, loop, 1);
    for (uint32_t i = 0; i < m->node->n_args; i++) {
        Type t = type_of(b, m->node->args[i]);
        Address *at = arena_copy(b->arena, m->row, ((size_t)t.rank + 1) * sizeof *at),
                there = element(b, m, i, k, address_number(half));
        at[m->axis] = k;
        if (out)
            point_store_to(b, b->plan[ref].round.results[i], t, at,
                           nest_load(&b->nest, (DType)t.dtype, m->own->temp[i], there, VAL_NONE, body, 0),
                           VAL_NONE, body);
        else
            nest_store(&b->nest, body, m->own->temp[i], there, point_value(b, m->node->args[i], at, VAL_NONE),
                       VAL_NONE);
    }
}

static void merge_kernel(Build *b, Ref ref, const OwnKernels *own, uint32_t phase)
{
    const Node *n = node_of(b, ref);
    Type t = node_type(n);
    Merge m = {
        .node = n, .own = own, .axis = (int)n->attr[0], .length = t.dim[n->attr[0]], .count = type_count(t)
    };
    int64_t dim[WEFT_MAX_RANK];
    bool joined[WEFT_MAX_RANK + 1] = { false };
    int passes = 0;
    while (INT64_C(1) << passes < m.length) passes++;
    m.it = m.length < 1 << 29 ? WEFT_I32 : WEFT_I64;
    for (int d = 0; d < t.rank; d++) dim[d] = d == m.axis ? 1 : t.dim[d];
    Address *row = new_index(b, t.rank);
    uint32_t block = point_loops(b, (Type){ t.dtype, t.rank, dim }, joined, phase, row);
    m.row = row;
    move_row(b, ref, &m, block, phase, false, 0);
    if (passes) {
        Val pass = serial_loop(b, block, phase + 1, passes), state[2], next[2];
        uint32_t in_pass = nest_body(&b->nest, pass);
        Val number = nest_index(&b->nest, m.it, address_of(b->arena, pass, 1)),
            width = op2(b, OP_SHL, m.it, position(b, &m, 1), number);
        Address odd = number_of(b, op2(b, OP_AND, m.it, number, position(b, &m, 1)));
        Address even = address_shift(address_scale(b->arena, odd, -1), 1);
        state[0] = state[1] = position(b, &m, 0);
        CarryLoop l = carry_open(b, in_pass, 0, m.length, 2, state);
        merge_step(b, &m, address_of(b->arena, l.loop, 1), width, state, odd, even, l.body, next);
        carry_close(b, &l, 0, next);
    }
    move_row(b, ref, &m, block, phase + 2, true, passes % 2);
}

void sort_kernel(Build *b, Ref ref, const OwnKernels *own)
{
    const Node *n = node_of(b, ref);
    uint32_t phase = b->plan[ref].round.depth;
    if (type_count(node_type(n)) == 0) return;
    if (own->n_temps > n->n_args) gather_operands(b, n, own, phase);
    else merge_kernel(b, ref, own, phase);
}
