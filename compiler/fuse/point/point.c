/* point.c: the value of one node at one point; see point.h. Here is what all rules share: values computed
 * once, leaves and row buffers, where loops stand, and which rule is whose. The rules themselves: the other
 * files of this folder, and kernels/. */
#include "point.h"
#include <assert.h>
#include <string.h>

bool op_folds(Op op)
{
    return op == OP_REDUCE || op == OP_ARGMAX || op == OP_ARGMIN || op == OP_REDUCE_REGION || op == OP_DOT ||
           op == OP_REDUCE_WINDOW || op == OP_WHILE || op == OP_SCAN;
}

Ref point_behind_barriers(const Graph *g, Ref r)
{
    for (;;) {
        bool result = g->nodes[r].op == OP_RESULT;
        const Node *unit = result ? &g->nodes[g->nodes[r].args[0]] : &g->nodes[r];
        if (unit->op != OP_BARRIER) return r;
        r = unit->args[result ? g->nodes[r].attr[0] : 0];
    }
}

static void push(Build *b, Ref **list, uint32_t *n, uint32_t *capacity, Ref ref)
{
    *list = arena_grow(b->arena, *list, *n, capacity, *n + 1, sizeof **list);
    (*list)[(*n)++] = ref;
}

/* ---- memo ---- */

static uint32_t hash_point(uint32_t n, const Address *at, int rank, Val mask)
{
    uint64_t h = n * 0x9e3779b97f4a7c15u ^ mask;
    for (int d = 0; d < rank; d++) {
        h = (h ^ (uint64_t)at[d].offset) * 0xff51afd7ed558ccdu;
        for (uint32_t i = 0; i < at[d].n_terms; i++)
            h = (h ^ ((uint64_t)at[d].terms[i].of << 32) ^ (uint64_t)at[d].terms[i].coef) *
                0xc4ceb9fe1a85ec53u;
        h ^= h >> 31;
    }
    return (uint32_t)(h ^ h >> 32);
}

static bool same_index(const Address *x, const Address *y, int rank)
{
    for (int d = 0; d < rank; d++)
        if (!address_equal(x[d], y[d])) return false;
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
        b->memo_size = old_size ? 2 * old_size : 32;
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

void point_is(Build *b, Ref n, const Address *at, Val mask, Val value)
{
    Memo *m = memo_slot(b, n, node_of(b, n)->rank, at, mask);
    b->memo_used += !m->at;
    const Val *results = m->at ? m->results : NULL;
    *m = (Memo){ memo_key(b, n), node_of(b, n)->rank, mask, at, value, results };
}

/* ---- loops ---- */

Val serial_loop(Build *b, uint32_t block, uint32_t phase, int64_t extent)
{
    return nest_loop(&b->nest, block, phase, (LoopShape){ .extent = extent, .lanes = 1, .tile = 1 }, true);
}

uint32_t loops_phase(Build *b, Ref ref, const Address *at, int rank, Val mask, uint32_t block, uint32_t own)
{
    uint32_t known = nest_phase(&b->nest, mask, block), depth = b->plan[ref].round.depth;
    if (b->frame && b->frame->phase > known) known = b->frame->phase;
    for (int d = 0; d < rank; d++) {
        uint32_t p = nest_address_phase(&b->nest, at[d], block);
        if (p > known) known = p;
    }
    return known + (depth > own ? depth - own : 0);
}

/* ---- leaves and row buffers ---- */

Place place_temporary(Program *p, Type t)
{
    return (Place){ .kind = PLACE_BUFFER,
                    .buffer = program_add_buffer(
                        p, (Buffer){ .kind = BUF_TEMP, .dtype = t.dtype, .count = type_count(t) }) };
}

/* A place's base as an address of the kernel: its counters as values. */
static Address base_of(Build *b, Place p)
{
    Address a = address_number(p.base.offset);
    for (uint32_t i = 0; i < p.base.n_terms; i++)
        a = address_add(
            b->arena, a,
            address_of(b->arena, nest_counter(&b->nest, p.base.terms[i].of), p.base.terms[i].coef));
    return a;
}

Val point_load_from(Build *b, Place p, Type t, const Address *at, Val mask, uint32_t block, uint32_t phase)
{
    if (p.kind == PLACE_SPLAT) return nest_const(&b->nest, (DType)t.dtype, p.bits);
    if (p.kind == PLACE_INDEX)
        return convert(b, nest_index(&b->nest, WEFT_I64, base_of(b, p)), (DType)t.dtype);
    return nest_load(&b->nest, (DType)t.dtype, p.buffer,
                     address_add(b->arena, point_address(b, t, at), base_of(b, p)), mask, block, phase);
}

void point_store_to(Build *b, Place p, Type t, const Address *at, Val value, Val mask, uint32_t block)
{
    nest_store(&b->nest, block, p.buffer, address_add(b->arena, point_address(b, t, at), base_of(b, p)),
               value, mask);
}

/* Does the index lie in memory of the array whatever its mask says? Then it may be read without. */
static bool is_in_memory(Build *b, Type t, const Address *at)
{
    int64_t low, high;
    return address_range(b, point_address(b, t, at), &low, &high) && low >= 0 && high < type_count(t);
}

void note_access(Build *b, Val load, Ref ref, const Address *at)
{
    b->plan[ref].build.loaded_by = b->number;
    b->accesses = arena_grow(b->arena, b->accesses, b->n_accesses, &b->cap_accesses, b->n_accesses + 1,
                             sizeof *b->accesses);
    b->accesses[b->n_accesses++] = (Access){ load, ref, at };
}

/* Does this copy have the node's element at this index, for a load in this kernel? */
static bool is_read_from(Build *b, const Packing *p, Ref ref, const Address *at)
{
    return p->node == ref && p->perm && (!p->panel || panels_have(b, p, at));
}

Val load_value(Build *b, Ref ref, const Address *at, Val mask)
{
    const Node *n = node_of(b, ref);
    Type t = node_type(n);
    if (mask != VAL_NONE && is_in_memory(b, t, at)) mask = VAL_NONE;
    Place place = b->plan[ref].round.place;
    if (place.kind == PLACE_SPLAT || place.kind == PLACE_INDEX)
        return point_load_from(b, place, t, at, mask, 0, 0);
    Address *kept = new_index(b, t.rank);
    memcpy(kept, at, t.rank * sizeof *kept);
    uint32_t buffer = place.buffer, copy = 0;
    Address address;
    while (copy < b->n_packed && !is_read_from(b, &b->packed[copy], ref, at)) copy++;
    if (copy < b->n_packed && b->packed[copy].panel) {
        address = panels_address(b, copy, at);
        buffer = b->packed_buffer[copy];
    } else if (copy < b->n_packed) {
        const int64_t *perm = b->packed[copy].perm;
        int64_t dim[WEFT_MAX_RANK];
        Address in[WEFT_MAX_RANK];
        for (int d = 0; d < t.rank; d++) {
            dim[d] = t.dim[perm[d]];
            in[d] = at[perm[d]];
        }
        address = point_address(b, (Type){ t.dtype, t.rank, dim }, in);
        buffer = b->packed_buffer[copy];
    } else address = address_add(b->arena, point_address(b, t, at), base_of(b, place));
    Val v = nest_load(&b->nest, (DType)t.dtype, buffer, address, mask, 0, 0);
    note_access(b, v, ref, kept);
    return v;
}

void want_memory(Build *b, Ref ref)
{
    NodePlan *p = &b->plan[ref];
    push(b, &b->wanted, &b->n_wanted, &b->cap_wanted, ref);
    if (p->round.place.kind == PLACE_NONE) p->round.place = place_temporary(b->program, type_of(b, ref));
}

void point_store(Build *b, Ref ref, const Address *at, Val value, uint32_t block)
{
    const NodePlan *p = &b->plan[ref];
    point_store_to(b, p->round.place, type_of(b, ref), at, value, VAL_NONE, block);
    for (uint32_t i = 0; i < p->round.n_also; i++)
        point_store_to(b, p->round.also[i], type_of(b, ref), at, value, VAL_NONE, block);
    point_provides(b, ref);
}

void point_provides(Build *b, Ref ref)
{
    NodePlan *p = &b->plan[ref];
    if (p->round.kernel != b->number || !b->n_stored || b->stored[b->n_stored - 1] != ref)
        push(b, &b->stored, &b->n_stored, &b->cap_stored, ref);
    p->round.kernel = b->number;
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
        for (uint32_t i = 0; i < at[d].n_terms; i++)
            if (b->nest.stmts[at[d].terms[i].of].kind != ST_LOOP) return false;
    return true;
}

/* A node that sibling loops share: the first loop of its phase stores it in a row buffer, later ones load.
 * VAL_NONE: compute it here. A row belongs to one index of the loops around it, not to lanes or a tile of
 * indices, whose statements run side by side; and it holds the node at one index of its own loop: who needs
 * another (reversed, say), or has a loop of another extent, computes it. */
static Val row_value(Build *b, Ref ref, const Address *at, Val mask, uint32_t block)
{
    NodePlan *p = &b->plan[ref];
    const Node *n = node_of(b, ref);
    Val here = b->nest.blocks[block].loop;
    if (p->build.row_of != b->number || here == VAL_NONE || mask != VAL_NONE || !of_loops(b, at, n->rank))
        return VAL_NONE;
    const Stmt *s = &b->nest.stmts[here];
    if (s->extent != b->program->buffers[p->build.row_buffer].count) return VAL_NONE;
    if (b->nest.placed[here].phase <= p->round.depth || nest_in_tile(&b->nest, b->nest.blocks[block].parent))
        return VAL_NONE;
    for (int d = 0; d < n->rank; d++)
        if (nest_address_phase(&b->nest, at[d], b->nest.blocks[block].parent) > p->round.depth)
            return VAL_NONE;
    LoopShape shape = { .extent = s->extent, .lanes = s->lanes, .tile = s->tile, .parallel = s->parallel };
    Val first = nest_loop_of(&b->nest, b->nest.blocks[block].parent, p->round.depth, s->extent);
    if (first == VAL_NONE)
        first = nest_loop(&b->nest, b->nest.blocks[block].parent, p->round.depth, shape, false);
    Address *in = replace_loop(b, at, n->rank, here, first);
    uint32_t body = nest_body(&b->nest, first);
    if (p->build.row_at && !same_index(p->build.row_at, in, n->rank)) return VAL_NONE;
    Val v = point_value(b, ref, in, VAL_NONE);
    if (!p->build.row_at)
        nest_store(&b->nest, body, p->build.row_buffer, address_of(b->arena, first, 1), v, VAL_NONE);
    p->build.row_at = in;
    return nest_load(&b->nest, (DType)n->dtype, p->build.row_buffer, address_of(b->arena, here, 1), VAL_NONE,
                     block, 0);
}

/* Remembers where an op is evaluated: in sibling loops of one shape it may be worth a row buffer. */
static void note_row(Build *b, Ref ref, uint32_t block)
{
    NodePlan *p = &b->plan[ref];
    Val here = b->nest.blocks[block].loop;
    if (here == VAL_NONE || b->frame) return;
    if (p->build.row_loop == VAL_NONE) {
        p->build.row_loop = here;
        push(b, &b->noted, &b->n_noted, &b->cap_noted, ref);
        return;
    }
    const Stmt *s = &b->nest.stmts[here], *f = &b->nest.stmts[p->build.row_loop];
    if (p->build.row_loop != here && b->nest.placed[here].block == b->nest.placed[p->build.row_loop].block &&
        s->extent == f->extent)
        p->build.row_wanted = true;
}

/* Do the indices run over all elements once: each axis its own loop of its size (or collapsed with the one
 * before)? */
static bool covers(const Build *b, Type t, const Address *at, uint32_t block)
{
    double elements = 1;
    for (int d = 0; d < t.rank; d++) {
        if (at[d].offset || at[d].n_terms > 1) return false;
        if (!at[d].n_terms) continue;
        const Stmt *s = &b->nest.stmts[at[d].terms[0].of];
        if (s->kind != ST_LOOP || at[d].terms[0].coef != 1) return false;
        for (int e = 0; e < d; e++)
            if (at[e].n_terms && at[e].terms[0].of == at[d].terms[0].of) return false;
        elements *= (double)s->extent;
    }
    return elements == (double)type_count(t) && b->nest.blocks[block].runs == elements;
}

/* ---- the rules together ---- */

static bool provides(const Build *b, Ref ref)
{
    Ref provider = b->plan[ref].provider;
    if (b->n_roots && b->plan[ref].part && b->plan[ref].part != b->plan[b->roots[0]].part) return false;
    if (provider == REF_NONE) return true;
    for (uint32_t i = 0; i < b->n_roots; i++)
        if (b->roots[i] == provider) return true;
    return false;
}

/* Inputs, constants, and what has a buffer; but an output that nothing else demands in memory is computed and
 * stored in passing. */
static bool is_leaf(Build *b, Ref ref, const Address *at, Val mask, uint32_t block)
{
    const Node *n = node_of(b, ref);
    const NodePlan *p = &b->plan[ref];
    if (n->op == OP_PARAMETER || (n->op == OP_CONSTANT && !n->attr[0])) return true;
    if (!p->materialized || p->round.kernel == b->number) return false;
    if (p->build.loaded_by == b->number) return true;
    if (p->in_passing && p->round.kernel && kernel_runs_after(b, ref)) return false;
    return !p->in_passing || p->round.kernel || b->follows || mask != VAL_NONE ||
           !covers(b, node_type(n), at, block) || !provides(b, ref);
}

/* Result number `which` of a node that has several, or a region: those that have an index like it are made
 * together. */
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

static Val ew_value(Build *b, Ref ref, const Address *at, Val mask, uint32_t block)
{
    const Node *n = node_of(b, ref);
    Val in[3];
    for (uint32_t i = 0; i < n->n_args; i++)
        in[i] = point_value(b, n->args[i], node_of(b, n->args[i])->rank ? at : NULL, mask);
    note_row(b, ref, block);
    if (n->op == OP_ADD || n->op == OP_SUB) return joined_value(b, (Op)n->op, (DType)n->dtype, in[0], in[1]);
    return point_op(b, (Op)n->op, (DType)n->dtype, in, (int)n->n_args, n->attr, (int)n->n_attr);
}

/* The cases of the elementwise ops, from the table of ops. The switch has no default, so that the compiler
 * names each op of another kind that has no case. */
#define EW(NAME, ...) case OP_##NAME:
#define OP(NAME, ...)

static Val compute(Build *b, Ref ref, const Address *at, Val mask, uint32_t block)
{
    const Node *n = node_of(b, ref);
    if (op_folds((Op)n->op) || n->op == OP_RESULT) note_row(b, ref, block);
    switch ((Op)n->op) {
#include "compiler/graph/ops.def"
        return n->op == OP_BITCAST ? bitcast_value(b, n, at, mask) : ew_value(b, ref, at, mask, block);
    case OP_CONSTANT: return nest_const(&b->nest, (DType)n->dtype, scalar_load((DType)n->dtype, n->data));
    case OP_IOTA:     {
        Address a = at[n->attr[0]];
        return convert(b, nest_index(&b->nest, index_type(b, a), a), (DType)n->dtype);
    }
    case OP_BROADCAST:            return broadcast_value(b, n, at, mask);
    case OP_TRANSPOSE:
    case OP_SLICE:
    case OP_REVERSE:
    case OP_RESHAPE:              return view_value(b, n, at, mask);
    case OP_PAD:                  return pad_value(b, n, at, mask);
    case OP_CONCATENATE:          return concatenate_value(b, n, at, mask);
    case OP_GATHER:               return gather_value(b, n, at, mask);
    case OP_REDUCE:               return reduce_value(b, ref, at, mask, block);
    case OP_ARGMAX:
    case OP_ARGMIN:               return arg_value(b, ref, at, mask, block);
    case OP_DOT:                  return dot_value(b, ref, at, mask, block);
    case OP_DYNAMIC_SLICE:        return dynamic_slice_value(b, n, at, mask);
    case OP_DYNAMIC_UPDATE_SLICE: return dynamic_update_value(b, n, at, mask);
    case OP_REDUCE_REGION:
    case OP_REDUCE_WINDOW:
    case OP_MAP:
    case OP_CASE:
    case OP_WHILE:
    case OP_SCAN:                 return results_at(b, ref, at, mask, block, 0);
    /* in a region of registers */
    case OP_BARRIER: return point_value(b, n->args[0], at, mask);
    case OP_RESULT:  {
        Ref x = point_behind_barriers(b->graph, ref);
        return x != ref ? point_value(b, x, at, mask)
                        : results_at(b, n->args[0], at, mask, block, (int)n->attr[0]);
    }
#include "compiler/graph/matrix/matrix_cases.h"
    case OP_PARAMETER:
    case OP_CONVOLUTION:
    case OP_FFT:
    case OP_SCATTER:
    case OP_SELECT_AND_SCATTER:
    case OP_CUMULATIVE:
    case OP_SORT:
    case OP_CUSTOM_JVP:
    case OP_CUSTOM_VJP:
    case OP_CUSTOM_VMAP:
    case OP_CHECKPOINT:
    case OP_BACKWARD:
    case OP_FOREIGN:
    case OP_RNG_BITS:
    case OP_COUNT:              break;
    }
    assert(0 && "it has memory, or was replaced before");
    return VAL_NONE;
}

/* The outermost block where the index and the mask are known. */
static uint32_t home(Build *b, const Address *at, int rank, Val mask)
{
    uint32_t block = 0;
    for (int d = 0; d < rank; d++) block = nest_deeper(&b->nest, block, nest_address_block(&b->nest, at[d]));
    if (mask != VAL_NONE) block = nest_deeper(&b->nest, block, b->nest.placed[mask].block);
    return block;
}

/* How often a value is computed in block: loops that are held in registers whole (tile) and that it does not
 * depend on do not count. */
static double machine_runs(const Build *b, uint32_t block, const Address *at, int rank)
{
    double runs = 1;
    for (; b->nest.blocks[block].loop != VAL_NONE; block = b->nest.blocks[block].parent) {
        Val loop = b->nest.blocks[block].loop;
        const Stmt *s = &b->nest.stmts[loop];
        bool needed = s->tile < s->extent || s->lanes > 1 || s->extent == EXTENT_WHILE;
        for (int d = 0; d < rank && !needed; d++)
            for (uint32_t i = 0; i < at[d].n_terms; i++) needed |= at[d].terms[i].of == loop;
        if (needed) runs *= (double)(s->extent == EXTENT_WHILE ? WHILE_RUNS : s->extent);
    }
    return runs;
}

/* Does the block run a step after the other, without lanes around? Arithmetic that does not belong to the
 * steps is better done before, in lanes. */
static bool in_steps(const Build *b, uint32_t block)
{
    Val loop = b->nest.blocks[block].loop;
    return loop != VAL_NONE && b->nest.placed[loop].own && b->nest.stmts[loop].lanes == 1 &&
           !nest_in_lanes(&b->nest, block);
}

/* What is computed in vain for one element of a concatenation, where it is not known which part that is. */
static float wasted(Build *b, Ref ref, const Address *at)
{
    const Node *n = node_of(b, ref);
    int64_t axis = n->attr[0], start = 0, low, high;
    float all = 0, dearest = 0;
    int parts = 0;
    if (!address_range(b, at[axis], &low, &high)) return 0;
    for (uint32_t k = 0; k < n->n_args; k++) {
        int64_t end = start + type_of(b, n->args[k]).dim[axis];
        float cost = b->plan[n->args[k]].round.cost;
        if (low < end && high >= start && end > start) {
            all += cost;
            dearest = cost > dearest ? cost : dearest;
            parts++;
        }
        start = end;
    }
    return all - dearest + COST_CHOICE * (float)(parts - 1);
}

/* Elements so far apart are read by neighbouring lanes; 0: all by one. */
static int64_t step_of_lanes(const Build *b, Type t, const Address *at)
{
    int64_t step = 0, stride = 1;
    for (int d = t.rank; d-- > 0; stride *= t.dim[d])
        for (uint32_t i = 0; i < at[d].n_terms; i++)
            if (b->nest.stmts[at[d].terms[i].of].lanes > 1) step += stride * at[d].terms[i].coef;
    return step;
}

/* The same for padding, where it is not known whether the index is in it: lanes whose elements lie apart
 * gather them, each under its mask, where whole vectors could be loaded (500 x 500 x 3 to 250 x 250 x 3,
 * lanczos3, AVX-512: 860 -> 350 us). */
static float gathered_of_padded(Build *b, Ref ref, const Address *at)
{
    const Node *n = node_of(b, ref);
    Type t = type_of(b, n->args[0]);
    int64_t step = step_of_lanes(b, t, at), low, high;
    bool known = true;
    if (b->target->vector_bytes < LEAST_GATHERED || (step >= -1 && step <= 1)) return 0;
    for (int d = 0; d < t.rank; d++) {
        if (n->attr[2 * t.rank + d] > 0 || !address_range(b, at[d], &low, &high)) return 0;
        if (high < n->attr[d] || low >= n->attr[d] + t.dim[d]) return 0;
        known &= low >= n->attr[d] && high < n->attr[d] + t.dim[d];
    }
    return known ? 0 : COST_MASKED;
}

/* In a stencil of stencils each value would be computed at more and more indices. What costs next to nothing,
 * a narrow image as wider numbers, may be so at some more (3 x 3 sums of u8 as i32, 720 x 1280). */
static bool has_many_points(const NodePlan *p)
{
    return p->round.cost > 0 && p->build.points >= MAX_POINTS &&
           (float)p->build.points * p->round.cost >= COST_TAPS;
}

bool point_is_torn(Build *b, Ref ref)
{
    return b->plan[ref].build.in_vain > COST_STORE_NEAR * (double)type_count(type_of(b, ref));
}

/* Does the kernel do too much in vain for a concatenation, or for padding? All the places where it is used
 * count together: the taps of a stencil. When the kernel has its last loops, what was so before is so from
 * the first place on: else what it is made of would be stored as well. */
static bool is_torn(Build *b, Ref ref, const Address *at, double runs)
{
    for (uint32_t i = 0; i < b->n_torn; i++)
        if (b->torn[i] == ref) return true;
    bool is_pad = node_of(b, ref)->op == OP_PAD;
    b->plan[ref].build.in_vain += runs * (is_pad ? gathered_of_padded(b, ref, at) : wasted(b, ref, at));
    return point_is_torn(b, ref);
}

/* What is kept where a node is to be: of ints that are made wider, as they were before. */
static Ref kept_instead(const Build *b, Ref ref)
{
    const Node *n = node_of(b, ref);
    if (n->op != OP_CONVERT || b->plan[ref].materialized) return ref;
    const Node *x = node_of(b, n->args[0]);
    DType from = (DType)x->dtype, to = (DType)n->dtype;
    bool widens = !dtype_is_float(from) && !dtype_is_float(to) && from != WEFT_BOOL &&
                  dtype_bytes(from) < dtype_bytes(to),
         is_computed = op_is_ew((Op)x->op) || (op_kind((Op)x->op) == OPKIND_SHAPE && x->op != OP_BARRIER);
    return widens && is_computed && !b->plan[n->args[0]].materialized ? n->args[0] : ref;
}

bool point_is_run_often(const Node *n, float cost, double runs, double count)
{
    if (op_folds((Op)n->op) || n->op == OP_RESULT) return runs > count;
    return (cost >= COST_EXPENSIVE && runs >= EXPENSIVE_TIMES * count) ||
           (cost >= COST_READ_BY_PRODUCT && runs >= READ_BY_PRODUCT_TIMES * count &&
            dtype_is_float((DType)n->dtype));
}

/* Does data say in each lane which element it is? */
static bool is_gathered(const Build *b, const Address *at, int rank)
{
    for (int d = 0; d < rank; d++)
        if (nest_gathers(&b->nest, at[d])) return true;
    return false;
}

/* Is this node better in memory than computed here, `runs` times (fuse_memory.c)? */
static bool deserves_memory(Build *b, Ref ref, const Address *at, double runs, uint32_t block)
{
    const Node *n = node_of(b, ref);
    const NodePlan *p = &b->plan[ref];
    bool is_made_of_parts = n->op == OP_CONCATENATE || n->op == OP_PAD;
    if (is_made_of_parts && !p->materialized && is_torn(b, ref, at, runs)) {
        b->undecided = true;
        return b->settled;
    }
    if ((p->materialized && (!p->in_passing || p->round.kernel)) || op_kind((Op)n->op) == OPKIND_SHAPE)
        return false;
    if (has_many_points(p) || (p->round.cost > 0 && b->nest.n_ops >= MAX_KERNEL_OPS)) return true;
    if (p->materialized) return false;
    double count = (double)type_count(node_type(n)), again = p->build.computed + runs - count;
    bool is_tap = p->build.points && p->build.block == block;
    /* The gates of a cell, slices of one product: it is tiled best as a whole. */
    if (is_tap && p->round.has_product) return true;
    /* The taps of a stencil: each computes it again. What a concatenation takes to choose, cuts may save. */
    bool may_be_cut = !b->settled && node_of(b, kept_instead(b, ref))->op == OP_CONCATENATE;
    double least = is_gathered(b, at, n->rank) ? COST_TAPS_GATHERED : COST_TAPS;
    if (is_tap && !may_be_cut && again * p->build.work >= least * count) return true;
    if (p->round.cost >= COST_IN_STEPS && runs >= MANY_STEPS && in_steps(b, block)) return true;
    const Node *x = n->op == OP_RESULT ? node_of(b, n->args[0]) : n;
    /* Loops of each element go side by side in lanes, in a kernel of their own if not here. */
    if (x->op == OP_MAP && count >= b->schedule.lanes && point_levels(x) && b->schedule.root_lanes &&
        !nest_in_lanes(&b->nest, block))
        return true;
    return point_is_run_often(n, p->round.cost, runs, count);
}

/* Is the value a number, or an index made of loops? Then it costs nothing wherever it is computed. */
static bool costs_nothing(const Build *b, Val v)
{
    const Stmt *s = &b->nest.stmts[v];
    for (uint32_t i = 0; i < s->address.n_terms; i++)
        if (b->nest.stmts[s->address.terms[i].of].kind != ST_LOOP) return false;
    return s->kind == ST_INDEX || s->kind == ST_CONST;
}

static Val kept_value(Build *b, Ref ref, const Address *at, Val mask)
{
    Ref kept = kept_instead(b, ref);
    want_memory(b, kept);
    Val v = load_value(b, kept, at, mask);
    return kept == ref ? v : convert(b, v, (DType)node_of(b, ref)->dtype);
}

static Val framed_value(Build *b, Ref ref, const Address *at, Val mask)
{
    const Node *n = node_of(b, ref);
    if (mask == VAL_NONE) mask = b->frame->mask; /* a number needs none, but here it may be an element */
    if (n->op == OP_PARAMETER) return bound_value(b, n, at, mask);
    Memo *m = memo_slot(b, ref, n->rank, at, mask);
    if (m->at && m->value != VAL_NONE) return m->value;
    Val v = n->op == OP_CONSTANT && !n->attr[0] ? region_constant(b, n, at, mask)
                                                : compute(b, ref, at, mask, b->frame->block);
    point_is(b, ref, at, mask, v);
    return v;
}

Val point_value(Build *b, Ref ref, const Address *at, Val mask)
{
    const Node *n = node_of(b, ref);
    NodePlan *p = &b->plan[ref];
    static const Address origin;
    if (!at) at = &origin;
    if (b->frame) return framed_value(b, ref, at, mask);
    Memo *m = memo_slot(b, ref, n->rank, at, mask);
    if (m->at && m->value != VAL_NONE) return m->value;
    uint32_t block = home(b, at, n->rank, mask);
    double runs = machine_runs(b, block, at, n->rank);
    Val v;
    bool memory = deserves_memory(b, ref, at, runs, block);
    if (memory && p->round.from_indices && !p->materialized) {
        v = compute(b, ref, at, mask, block);
        memory = b->settled && !costs_nothing(b, v);
        if (!memory) {
            point_is(b, ref, at, mask, v);
            return v;
        }
    }
    if (memory) v = kept_value(b, ref, at, mask);
    else if (is_leaf(b, ref, at, mask, block)) v = load_value(b, ref, at, mask);
    else {
        if (!p->build.touched) push(b, &b->touched, &b->n_touched, &b->cap_touched, ref);
        p->build.touched = true;
        float cost = b->nest.cost;
        bool is_first = p->build.points++ == 0;
        v = row_value(b, ref, at, mask, block);
        if (v == VAL_NONE) {
            v = compute(b, ref, at, mask, block);
            if (!costs_nothing(b, v)) p->build.computed += runs;
        }
        if (is_first) {
            p->build.block = block;
            p->build.work = b->nest.cost - cost;
        }
        if (p->materialized && !p->round.kernel && mask == VAL_NONE && covers(b, node_type(n), at, block))
            point_store(b, ref, at, v, block);
    }
    point_is(b, ref, at, mask, v);
    return v;
}
