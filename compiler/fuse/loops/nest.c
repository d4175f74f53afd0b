/* nest.c: building a kernel's tree of loops; nest.h says how blocks and phases work. */
#include "nest.h"
#include "compiler/fuse/cost.h"
#include "compiler/fuse/integers.h"
#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* ---- affine addresses ---- */

Address address_number(int64_t n) { return (Address){ .offset = n }; }

Address address_of(Arena *a, Val of, int64_t coef)
{
    if (coef == 0) return address_number(0);
    Term t = { of, coef };
    return (Address){ .n_terms = 1, .terms = arena_copy(a, &t, sizeof t) };
}

Address address_add(Arena *a, Address x, Address y)
{
    Address sum = { .offset = x.offset + y.offset };
    if (!x.n_terms || !y.n_terms) {
        const Address *some = x.n_terms ? &x : &y;
        sum.n_terms = some->n_terms;
        sum.terms = some->terms;
        return sum;
    }
    Term *t = arena_alloc(a, (x.n_terms + y.n_terms) * sizeof *t);
    uint32_t i = 0, j = 0, n = 0;
    while (i < x.n_terms || j < y.n_terms) {
        if (j == y.n_terms || (i < x.n_terms && x.terms[i].of < y.terms[j].of)) t[n++] = x.terms[i++];
        else if (i == x.n_terms || y.terms[j].of < x.terms[i].of) t[n++] = y.terms[j++];
        else {
            int64_t c = x.terms[i].coef + y.terms[j++].coef;
            t[n] = (Term){ x.terms[i++].of, c };
            n += c != 0;
        }
    }
    sum.terms = t;
    sum.n_terms = n;
    return sum;
}

Address address_scale(Arena *a, Address x, int64_t by)
{
    if (by == 1) return x;
    if (by == 0) return address_number(0);
    Address r = { .offset = x.offset * by, .n_terms = x.n_terms };
    if (x.n_terms) {
        Term *t = arena_copy(a, x.terms, x.n_terms * sizeof *t);
        for (uint32_t i = 0; i < x.n_terms; i++) t[i].coef *= by;
        r.terms = t;
    }
    return r;
}

/* ---- blocks ---- */

static uint32_t new_block(Nest *n, Val loop, uint32_t parent, double runs)
{
    n->blocks =
        arena_grow(n->arena, n->blocks, n->n_blocks, &n->cap_blocks, n->n_blocks + 1, sizeof *n->blocks);
    n->blocks[n->n_blocks] = (Block){ .loop = loop,
                                      .parent = parent,
                                      .runs = runs,
                                      .depth = loop == VAL_NONE ? 0 : n->blocks[parent].depth + 1 };
    return n->n_blocks++;
}

void nest_init(Nest *n, Arena *arena)
{
    *n = (Nest){ .arena = arena };
    new_block(n, VAL_NONE, 0, 1);
}

bool nest_encloses(const Nest *n, uint32_t a, uint32_t b)
{
    while (n->blocks[b].depth > n->blocks[a].depth) b = n->blocks[b].parent;
    return a == b;
}

bool nest_in_tile(const Nest *n, uint32_t block)
{
    for (; n->blocks[block].loop != VAL_NONE; block = n->blocks[block].parent)
        if (n->stmts[n->blocks[block].loop].tile > 1 || n->stmts[n->blocks[block].loop].lanes > 1)
            return true;
    return false;
}

bool nest_has_reducers(const Nest *n)
{
    for (Val v = 0; v < n->n_stmts; v++)
        if (n->stmts[v].kind == ST_REDUCER) return true;
    return false;
}

bool *nest_used(const Nest *n)
{
    bool *used = arena_alloc(n->arena, n->n_stmts + 1);
    for (Val v = n->n_stmts; v-- > 0;) {
        const Stmt *s = &n->stmts[v];
        if (!used[v] && s->kind <= ST_OP) continue;
        for (int i = 0; i < 3; i++)
            if (s->args[i] != VAL_NONE) used[s->args[i]] = true;
        for (uint32_t i = 0; i < s->address.n_terms; i++) used[s->address.terms[i].of] = true;
    }
    return used;
}

uint32_t nest_deeper(const Nest *n, uint32_t a, uint32_t b)
{
    uint32_t deep = n->blocks[a].depth >= n->blocks[b].depth ? a : b;
    assert(nest_encloses(n, a, deep) && nest_encloses(n, b, deep));
    return deep;
}

/* The block where a value may be used from: a LOOP's index lives in its body, and so does a CARRY's current
 * value. */
static uint32_t scope_of(const Nest *n, Val v)
{
    return n->stmts[v].kind == ST_LOOP || n->stmts[v].kind == ST_CARRY ? n->placed[v].body
                                                                       : n->placed[v].block;
}

uint32_t nest_address_block(const Nest *n, Address a)
{
    uint32_t b = 0;
    for (uint32_t i = 0; i < a.n_terms; i++) b = nest_deeper(n, b, scope_of(n, a.terms[i].of));
    return b;
}

uint32_t nest_phase(const Nest *n, Val v, uint32_t block)
{
    if (v == VAL_NONE || n->stmts[v].kind == ST_LOOP || n->stmts[v].kind == ST_CARRY ||
        n->placed[v].block != block)
        return 0;
    return n->placed[v].phase;
}

uint32_t nest_address_phase(const Nest *n, Address a, uint32_t block)
{
    uint32_t p = 0;
    for (uint32_t i = 0; i < a.n_terms; i++) p = max_u32(p, nest_phase(n, a.terms[i].of, block));
    return p;
}

/* ---- statements ---- */

static Val append(Nest *n, const Stmt *s, uint32_t block, uint32_t phase)
{
    n->stmts = arena_grow(n->arena, n->stmts, n->n_stmts, &n->cap_stmts, n->n_stmts + 1, sizeof *n->stmts);
    n->placed =
        arena_grow(n->arena, n->placed, n->n_stmts, &n->cap_placed, n->n_stmts + 1, sizeof *n->placed);
    Val v = n->n_stmts++;
    n->stmts[v] = *s;
    n->placed[v] = (Placed){ .block = block, .phase = phase };
    Block *b = &n->blocks[block];
    b->items = arena_grow(n->arena, b->items, b->n_items, &b->cap_items, b->n_items + 1, sizeof *b->items);
    b->items[b->n_items++] = v;
    return v;
}

Val nest_loop(Nest *n, uint32_t block, uint32_t phase, LoopShape shape, bool own)
{
    Block *b = &n->blocks[block];
    for (uint32_t i = 0; i < b->n_items && !own; i++) {
        Stmt *s = &n->stmts[b->items[i]];
        if (s->kind != ST_LOOP || s->extent != shape.extent || s->lanes != shape.lanes ||
            s->tile != shape.tile || n->placed[b->items[i]].own || n->placed[b->items[i]].phase != phase)
            continue;
        n->placed[b->items[i]].dependent |= !shape.parallel && !shape.independent;
        s->parallel = (s->parallel || shape.parallel) && !n->placed[b->items[i]].dependent;
        return b->items[i];
    }
    Stmt s = stmt_new(ST_LOOP, (DType)0);
    s.extent = shape.extent;
    s.lanes = shape.lanes;
    s.tile = shape.tile;
    s.parallel = shape.parallel;
    Val v = append(n, &s, block, phase);
    uint32_t body = new_block(n, v, block,
                              n->blocks[block].runs *
                                  ((double)(shape.extent == EXTENT_WHILE ? WHILE_RUNS : shape.extent)));
    n->placed[v].body = body;
    n->placed[v].own = own;
    n->placed[v].dependent = !shape.parallel && !shape.independent;
    return v;
}

Val nest_loop_of(const Nest *n, uint32_t block, uint32_t phase, int64_t extent)
{
    const Block *b = &n->blocks[block];
    for (uint32_t i = 0; i < b->n_items; i++) {
        const Stmt *s = &n->stmts[b->items[i]];
        if (s->kind == ST_LOOP && s->extent == extent && !n->placed[b->items[i]].own &&
            n->placed[b->items[i]].phase == phase)
            return b->items[i];
    }
    return VAL_NONE;
}

static uint32_t hash_stmt(const Stmt *s, uint32_t block)
{
    uint64_t h = 0x9e3779b97f4a7c15u ^ block;
#define MIX(x) (h = (h ^ (uint64_t)(x)) * 0xff51afd7ed558ccdu, h ^= h >> 29)
    MIX(s->kind | s->op << 8 | s->dtype << 16);
    MIX(s->args[0]);
    MIX(s->args[1]);
    MIX(s->args[2]);
    MIX(s->imm);
    MIX(s->buffer);
    MIX(s->address.offset);
    for (uint32_t i = 0; i < s->address.n_terms; i++) {
        MIX(s->address.terms[i].of);
        MIX(s->address.terms[i].coef);
    }
#undef MIX
    return (uint32_t)h;
}

static bool same_stmt(const Stmt *a, const Stmt *b)
{
    return a->kind == b->kind && a->op == b->op && a->dtype == b->dtype && a->imm == b->imm &&
           a->buffer == b->buffer && !memcmp(a->args, b->args, sizeof a->args) &&
           address_equal(a->address, b->address) &&
           ((!a->attr && !b->attr) ||
            (a->attr && b->attr && a->attr[0] == b->attr[0] && a->attr[1] == b->attr[1]));
}

static void grow_table(Nest *n)
{
    uint32_t old_size = n->table_size, *old = n->table;
    n->table_size = old_size ? 2 * old_size : 64;
    n->table = arena_alloc(n->arena, n->table_size * sizeof *n->table);
    for (uint32_t i = 0; i < old_size; i++) {
        if (!old[i]) continue;
        uint32_t h = hash_stmt(&n->stmts[old[i] - 1], n->placed[old[i] - 1].block);
        while (n->table[h & (n->table_size - 1)]) h++;
        n->table[h & (n->table_size - 1)] = old[i];
    }
}

/* Finds an equal statement of the same block, or appends this one. */
static Val intern(Nest *n, const Stmt *s, uint32_t block, uint32_t phase)
{
    if (2 * n->table_used >= n->table_size) grow_table(n);
    uint32_t h = hash_stmt(s, block), mask = n->table_size - 1;
    for (; n->table[h & mask]; h++) {
        Val v = n->table[h & mask] - 1;
        if (n->placed[v].block == block && n->placed[v].phase >= phase && same_stmt(&n->stmts[v], s))
            return v;
    }
    Val v = append(n, s, block, phase);
    n->table[h & mask] = v + 1;
    n->table_used++;
    return v;
}

Val nest_const(Nest *n, DType t, uint64_t bits)
{
    Stmt s = stmt_new(ST_CONST, t);
    s.imm = bits;
    return intern(n, &s, 0, 0);
}

Val nest_index(Nest *n, DType t, Address a)
{
    if (!a.n_terms) return nest_const(n, t, scalar_from_i64(t, a.offset));
    Stmt s = stmt_new(ST_INDEX, t);
    s.address = a;
    uint32_t block = nest_address_block(n, a);
    return intern(n, &s, block, nest_address_phase(n, a, block));
}

Val nest_counter(Nest *n, uint32_t number)
{
    Stmt s = stmt_new(ST_COUNTER, WEFT_I64);
    s.imm = number;
    return intern(n, &s, 0, 0);
}

/* A mask that is always true is none. */
static Val needed_mask(const Nest *n, Val mask)
{
    return mask != VAL_NONE && n->stmts[mask].kind == ST_CONST && n->stmts[mask].imm ? VAL_NONE : mask;
}

bool nest_in_lanes(const Nest *n, uint32_t block)
{
    for (; n->blocks[block].loop != VAL_NONE; block = n->blocks[block].parent)
        if (n->stmts[n->blocks[block].loop].lanes > 1) return true;
    return false;
}

bool nest_gathers(const Nest *n, Address a)
{
    for (uint32_t i = 0; i < a.n_terms; i++) {
        Val of = a.terms[i].of;
        if (n->stmts[of].kind != ST_LOOP && nest_in_lanes(n, n->placed[of].block)) return true;
    }
    return false;
}

Val nest_load(Nest *n, DType t, uint32_t buffer, Address a, Val mask, uint32_t block, uint32_t phase)
{
    mask = needed_mask(n, mask);
    Stmt s = stmt_new(ST_LOAD, t);
    s.buffer = buffer;
    s.address = a;
    s.args[0] = mask;
    uint32_t at = nest_deeper(n, block, nest_address_block(n, a));
    if (mask != VAL_NONE) at = nest_deeper(n, at, n->placed[mask].block);
    uint32_t p = max_u32(nest_address_phase(n, a, at), nest_phase(n, mask, at)), before = n->n_stmts;
    Val v = intern(n, &s, at, at == block ? max_u32(p, phase) : p);
    if (n->n_stmts != before && nest_gathers(n, a)) n->cost += COST_GATHERED;
    return v;
}

Val nest_op(Nest *n, Op op, DType t, const Val *args, int count, const int64_t *attr, int n_attr)
{
    uint32_t block = 0, phase = 0;
    Stmt s = stmt_new(ST_OP, t);
    s.op = (uint8_t)op;
    if (op == OP_MUL) s.imm = n_attr > 0;
    else if (n_attr) {
        int64_t two[2] = { attr[0], n_attr > 1 ? attr[1] : 0 };
        s.attr = arena_copy(n->arena, two, sizeof two);
    }
    for (int i = 0; i < count; i++) {
        s.args[i] = args[i];
        block = nest_deeper(n, block, scope_of(n, args[i]));
    }
    for (int i = 0; i < count; i++) phase = max_u32(phase, nest_phase(n, args[i], block));
    uint32_t before = n->n_stmts;
    Val v = intern(n, &s, block, phase);
    if (n->n_stmts != before) {
        n->n_ops++;
        n->cost += op_cost(op, t);
    }
    return v;
}

Val nest_reducer(Nest *n, uint32_t block, uint32_t phase, Op op, DType t, DType index_dtype)
{
    Stmt s = stmt_new(ST_REDUCER, t);
    s.op = (uint8_t)op;
    s.index_dtype = (uint8_t)index_dtype;
    n->cost += COST_FOLD;
    return append(n, &s, block, phase);
}

void nest_fold(Nest *n, uint32_t block, Val reducer, Val value, Val index)
{
    Stmt s = stmt_new(ST_FOLD, (DType)0);
    s.args[0] = reducer;
    s.args[1] = value;
    s.args[2] = index;
    /* Without a loop between, the fold stands in the reducer's own block. */
    append(n, &s, block,
           max_u32(nest_phase(n, reducer, block),
                   max_u32(nest_phase(n, value, block), nest_phase(n, index, block))));
}

Val nest_total(Nest *n, Val reducer, DType t, uint32_t loop_phase)
{
    Stmt s = stmt_new(ST_TOTAL, t);
    s.args[0] = reducer;
    return append(n, &s, n->placed[reducer].block, loop_phase + 1);
}

Val nest_carry(Nest *n, uint32_t block, uint32_t phase, DType t, Val start)
{
    Stmt s = stmt_new(ST_CARRY, t);
    s.args[0] = start;
    return append(n, &s, block, max_u32(phase, nest_phase(n, start, block)));
}

void nest_carried_by(Nest *n, Val carry, Val loop) { n->placed[carry].body = n->placed[loop].body; }

void nest_set(Nest *n, uint32_t block, Val carry, Val value, uint32_t phase)
{
    Stmt s = stmt_new(ST_SET, (DType)0);
    s.args[0] = carry;
    s.args[1] = value;
    append(n, &s, block, max_u32(phase, nest_phase(n, value, block)));
}

void nest_test(Nest *n, uint32_t block, Val condition)
{
    Stmt s = stmt_new(ST_TEST, (DType)0);
    s.args[0] = condition;
    append(n, &s, block, nest_phase(n, condition, block));
}

Val nest_prefix(Nest *n, uint32_t block, Val reducer, Val value)
{
    Stmt s = stmt_new(ST_PREFIX, (DType)n->stmts[reducer].dtype);
    s.args[0] = reducer;
    s.args[1] = value;
    return append(n, &s, block, nest_phase(n, value, block));
}

void nest_store(Nest *n, uint32_t block, uint32_t buffer, Address a, Val value, Val mask)
{
    mask = needed_mask(n, mask);
    Stmt s = stmt_new(ST_STORE, (DType)0);
    s.buffer = buffer;
    s.address = a;
    s.args[0] = value;
    s.args[1] = mask;
    uint32_t p = max_u32(nest_phase(n, value, block), nest_phase(n, mask, block));
    append(n, &s, block, max_u32(p, nest_address_phase(n, a, block)));
}

/* ---- sinking: what is made of loads alone is computed behind the loops that do not need it, and so holds no
 * registers in them ---- */

typedef struct Sink {
    Nest *n;
    bool *stored;
    bool *light;
    uint32_t *needed;
} Sink;

/* Is the value made of loads, of memory that this kernel does not write, and constants? */
static bool is_light(const Sink *k, Val v)
{
    const Stmt *s = &k->n->stmts[v];
    if (s->kind == ST_CONST || s->kind == ST_INDEX) return true;
    if (s->kind != ST_OP && (s->kind != ST_LOAD || k->stored[s->buffer])) return false;
    for (int i = 0; i < 3; i++)
        if (s->args[i] != VAL_NONE && k->n->placed[s->args[i]].block == k->n->placed[v].block &&
            !k->light[s->args[i]])
            return false;
    return true;
}

/* A statement in `block`, in this phase, needs v. If it stands in a loop inside v's block, that loop's phase
 * counts. */
static void note_need(const Sink *k, Val v, uint32_t block, uint32_t phase)
{
    if (v == VAL_NONE || k->n->stmts[v].kind == ST_LOOP) return;
    for (; block != k->n->placed[v].block && k->n->blocks[block].loop != VAL_NONE;
         block = k->n->blocks[block].parent)
        phase = k->n->placed[k->n->blocks[block].loop].phase;
    if (phase < k->needed[v]) k->needed[v] = phase;
}

/* A value that nothing is made of. */
static bool is_dead(const Sink *k, Val v)
{
    StmtKind kind = (StmtKind)k->n->stmts[v].kind;
    return k->needed[v] == UINT32_MAX &&
           (kind == ST_CONST || kind == ST_INDEX || kind == ST_LOAD || kind == ST_OP);
}

/* Returns, by statement, what is dead. */
static bool *sink(Nest *n)
{
    uint32_t n_buffers = 0;
    for (Val v = 0; v < n->n_stmts; v++)
        if (n->stmts[v].buffer >= n_buffers) n_buffers = n->stmts[v].buffer + 1;
    bool *dead = arena_alloc(n->arena, n->n_stmts + 1);
    Sink k = { n, arena_alloc(n->arena, n_buffers + 1), arena_alloc(n->arena, n->n_stmts + 1),
               arena_alloc(n->arena, (n->n_stmts + 1) * sizeof(uint32_t)) };
    for (Val v = 0; v < n->n_stmts; v++)
        if (n->stmts[v].kind == ST_STORE) k.stored[n->stmts[v].buffer] = true;
    for (Val v = 0; v < n->n_stmts; v++) {
        k.light[v] = is_light(&k, v);
        k.needed[v] = UINT32_MAX;
    }
    for (Val v = n->n_stmts; v-- > 0;) {
        const Stmt *s = &n->stmts[v];
        Placed *p = &n->placed[v];
        if ((dead[v] = is_dead(&k, v))) continue;
        if (k.light[v] && k.needed[v] != UINT32_MAX && k.needed[v] > p->phase) p->phase = k.needed[v];
        for (int i = 0; i < 3; i++) note_need(&k, s->args[i], p->block, p->phase);
        for (uint32_t i = 0; i < s->address.n_terms; i++)
            note_need(&k, s->address.terms[i].of, p->block, p->phase);
    }
    return dead;
}

/* ---- layout ---- */

typedef struct OrderKey {
    uint32_t order, item;
} OrderKey;

static int by_order(const void *a, const void *b)
{
    const OrderKey *x = a, *y = b;
    return x->order != y->order ? (x->order < y->order ? -1 : 1)
                                : (x->item < y->item ? -1 : x->item > y->item);
}

/* Statements of a phase before its loops, both in the order they were made. */
static Val *sorted_items(Nest *n, uint32_t block)
{
    Block *b = &n->blocks[block];
    OrderKey *keys = arena_alloc(n->arena, (b->n_items + 1) * sizeof *keys);
    for (uint32_t i = 0; i < b->n_items; i++)
        keys[i] = (OrderKey){ 2 * n->placed[b->items[i]].phase + (n->stmts[b->items[i]].kind == ST_LOOP),
                              b->items[i] };
    qsort(keys, b->n_items, sizeof *keys, by_order);
    Val *sorted = arena_alloc(n->arena, (b->n_items + 1) * sizeof *sorted);
    for (uint32_t i = 0; i < b->n_items; i++) sorted[i] = keys[i].item;
    return sorted;
}

static void renumber(Arena *a, Stmt *s, const Val *map)
{
    for (int i = 0; i < 3; i++)
        if (s->args[i] != VAL_NONE) s->args[i] = map[s->args[i]];
    if (!s->address.n_terms) return;
    Term *t = arena_copy(a, s->address.terms, s->address.n_terms * sizeof *t);
    for (uint32_t i = 0; i < s->address.n_terms; i++) t[i].of = map[t[i].of];
    s->address.terms = t;
}

/* Appends a block's statements to the kernel; map: where each statement went. */
static void flatten_block(Nest *n, uint32_t block, const bool *dead, Arena *to, Kernel *k, Val *map)
{
    const Val *items = sorted_items(n, block);
    for (uint32_t i = 0; i < n->blocks[block].n_items; i++) {
        Val v = items[i];
        if (dead[v]) continue;
        Stmt *s = &k->stmts[k->n_stmts];
        map[v] = k->n_stmts++;
        *s = n->stmts[v];
        renumber(to, s, map);
        if (s->attr) s->attr = arena_copy(to, s->attr, 2 * sizeof *s->attr);
        if (s->kind != ST_LOOP) continue;
        flatten_block(n, n->placed[v].body, dead, to, k, map);
        Stmt end = stmt_new(ST_END, (DType)0);
        end.args[0] = map[v];
        k->stmts[k->n_stmts++] = end;
    }
}

void nest_flatten(Nest *n, Arena *to, Kernel *k)
{
    const bool *dead = sink(n);
    Val *map = arena_alloc(n->arena, (n->n_stmts + 1) * sizeof *map);
    k->stmts = arena_alloc(to, (n->n_stmts + n->n_blocks) * sizeof *k->stmts);
    k->n_stmts = 0;
    flatten_block(n, 0, dead, to, k, map);
}
