/* row_stores.c: stores of all elements of rows that lie one behind another, by lanes that go across the rows:
 * they are stored as whole vectors where the last of them stands. */
#include "address.h"

/* The stores of all elements of rows that lie one behind another: one of each element, where they stand
 * together. */
typedef struct RowStores {
    Val store[MOST_ROW];
    int64_t first; /* of the elements, as an offset */
    Val last;      /* of the stores */
} RowStores;

static bool is_row_mate(const Stmt *a, const Stmt *b)
{
    if (b->kind != ST_STORE || b->buffer != a->buffer || b->args[1] != VAL_NONE) return false;
    Address moved = b->address;
    moved.offset = a->address.offset;
    return address_equal(a->address, moved);
}

/* Is the load one of an element of the rows that is not yet stored there? */
static bool reads_before(const Stmt *load, Val at, const Stmt *store, const RowStores *r, int64_t length)
{
    Address moved = load->address;
    moved.offset = store->address.offset;
    int64_t number = (load->address.offset - r->first) % length;
    return address_equal(store->address, moved) && r->store[number < 0 ? number + length : number] > at;
}

/* Does `at` belong to such stores, that may all wait for the last? */
static bool find_row_stores(const Emitter *e, Val at, const AccessPlace *p, RowStores *r)
{
    const Stmt *stmts = e->kernel->stmts, *s = &stmts[at];
    int64_t length = p->lane_stride, n = 0;
    Val begin = at, first = VAL_NONE;
    if (s->args[1] != VAL_NONE || p->indirect_lanes || length < 2 || length > MOST_ROW) return false;
    while (begin && stmts[begin - 1].kind != ST_LOOP && stmts[begin - 1].kind != ST_END) begin--;
    r->first = s->address.offset - (s->address.offset % length + length) % length;
    for (int64_t k = 0; k < length; k++) r->store[k] = VAL_NONE;
    for (Val v = begin; v < e->kernel->n_stmts && stmts[v].kind != ST_LOOP && stmts[v].kind != ST_END; v++) {
        int64_t number = stmts[v].address.offset - r->first;
        if (!is_row_mate(s, &stmts[v]) || number < 0 || number >= length) continue;
        if (r->store[number] != VAL_NONE || e->varies[stmts[v].args[0]] & ~p->axes & open_axes(e))
            return false;
        if (first == VAL_NONE) first = v;
        r->store[number] = r->last = v;
        n++;
    }
    uint32_t memory = e->memory[s->buffer];
    for (Val v = first; n == length && v < r->last; v++)
        if (stmts[v].kind == ST_LOAD && e->memory[stmts[v].buffer] == memory &&
            !reads_before(&stmts[v], v, s, r, length))
            return false;
    return n == length;
}

/* Stores whole rows where the last of their elements is stored. False: each element is stored by itself. */
bool store_in_rows(Emitter *e, Val at, const AccessPlace *p)
{
    uint32_t lanes = axes_lanes(e, p->axes), n = parts_of(e, p->axes);
    DType t = (DType)e->program->buffers[e->kernel->stmts[at].buffer].dtype;
    RowStores r = { .last = VAL_NONE };
    if (!can_split_rows(e, p->lane_stride, lanes, p->bytes) || !find_row_stores(e, at, p, &r)) return false;
    for (uint32_t i = 0; i < n; i++)
        if (access_mask(e, VAL_NONE, false, p->axes, i)) return false;
    for (uint32_t i = 0; i < n && at == r.last; i++) {
        LLVMValueRef element[MOST_ROW];
        AccessPlace rows = *p;
        rows.offset += r.first - e->kernel->stmts[at].address.offset;
        for (int64_t k = 0; k < p->lane_stride; k++)
            element[k] = to_memory(e, t, operand(e, e->kernel->stmts[r.store[k]].args[0], p->axes, i));
        store_rows(e, element, part_place(e, &rows, p->axes, i), p->lane_stride, lanes, p->bytes);
        block_breathe(e, (uint32_t)(p->lane_stride * p->lane_stride));
    }
    return true;
}
