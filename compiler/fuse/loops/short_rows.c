/* short_rows.c: rows that are not whole vectors, several of them walked as one.
 *
 * A result of 40000 x 25 that adds a row of 25 to each of its rows cannot be walked as one run of a million
 * elements, for the row that is added begins anew every 25. With vectors of 8, a row takes 3 vectors and one
 * of which an eighth is used. So 8 rows are taken at once, 25 whole vectors, and what is read again for each
 * row comes from a copy in which it stands 8 times:
 *
 *     parallel i : 40000 { lanes j : 25 { store %o[25 i + j] (load %x[25 i + j]) + (load %row[j]) } }
 *     ==>
 *     parallel i : 5000 { lanes j : 200 { store %o[200 i + j] (load %x[200 i + j]) + (load %copy[j]) } }
 *
 * Only where loops and addresses are all there is: nothing is folded, nothing looks at an index, nothing
 * stands between the two loops. pyhpc's equation of state: 6.0 -> 4.7 ms.
 */
#include "compiler/fuse/fuse_state.h"
#include "compiler/fuse/integers.h"
#include "compiler/fuse/point/point.h"
#include "tiling.h"

/* The two innermost loops over the results of a kernel. */
typedef struct RowLoops {
    uint32_t body; /* of `along` */
    Val over, along;
    int64_t rows, length;
} RowLoops;

static bool find_row_loops(const Build *b, RowLoops *l)
{
    const Nest *n = &b->nest;
    const Block *body = &n->blocks[b->root_block];
    if (body->depth < 2) return false;
    *l = (RowLoops){ .body = b->root_block, .along = body->loop, .over = n->blocks[body->parent].loop };
    l->rows = n->stmts[l->over].extent;
    l->length = n->stmts[l->along].extent;
    return n->blocks[body->parent].n_items == 1;
}

/* Do so many rows fit, and fit in all rows? */
static bool rows_fit(const RowLoops *l, int64_t rows)
{
    return rows * l->length <= MOST_REPEATED && l->rows % rows == 0 && l->rows >= rows * REUSE_THAT_PAYS;
}

/* The rows that make whole vectors together; of a long body an even number of vectors, if that can be: a loop
 * that takes two at once (schedule_tile) has no other loop for the last one then (eos, AVX2: 30 -> 23 ms to
 * compile). 0: a row nearly does, or they are too many. */
static uint16_t rows_at_once(const Build *b, const RowLoops *l)
{
    int64_t lanes = b->schedule.lanes, vectors = (l->length + lanes - 1) / lanes,
            rows = lanes / common_divisor(lanes, l->length);
    bool wastes = (vectors * lanes - l->length) * WASTE_THAT_PAYS >= vectors * lanes;
    if (!wastes || !rows_fit(l, rows)) return 0;
    bool to_even = rows * l->length / lanes % 2 && schedule_values(b, l->body) >= LONG_CHAIN;
    return (uint16_t)(to_even && rows_fit(l, 2 * rows) ? 2 * rows : rows);
}

static bool goes_on(const RowLoops *l, Address a)
{
    int64_t step = address_coefficient(a, l->along);
    return (step == 0 || step == 1) && address_coefficient(a, l->over) == step * l->length;
}

/* The leaf that a LOAD reads from its beginning to its end in each row; REF_NONE: it does not. */
static Ref repeated_leaf(const Build *b, const RowLoops *l, Val load)
{
    for (uint32_t i = 0; i < b->n_accesses; i++) {
        const Access *x = &b->accesses[i];
        Type t = type_of(b, x->node);
        if (x->load != load || type_count(t) != l->length) continue;
        for (int d = 0; d < t.rank; d++)
            if (t.dim[d] == l->length && x->at[d].n_terms == 1 && x->at[d].terms[0].of == l->along &&
                x->at[d].terms[0].coef == 1 && x->at[d].offset == 0)
                return x->node;
    }
    return REF_NONE;
}

static bool add_leaf(Packings *p, Ref leaf, uint16_t rows)
{
    for (uint32_t i = 0; i < p->n; i++)
        if (p->of[i].node == leaf) return true;
    if (leaf == REF_NONE || p->n == MAX_PACKED) return false;
    p->of[p->n++] = (Packing){ .node = leaf, .times = rows };
    return true;
}

/* May the rows be walked so? */
static bool rows_allow(const Build *b, const RowLoops *l, uint16_t rows, Packings *repeated)
{
    const Block *body = &b->nest.blocks[l->body];
    repeated->n = 0;
    for (uint32_t i = 0; i < body->n_items; i++) {
        const Stmt *s = &b->nest.stmts[body->items[i]];
        if (s->kind == ST_OP) continue;
        if (s->kind != ST_LOAD && s->kind != ST_STORE) return false;
        if (s->args[s->kind == ST_STORE] != VAL_NONE) return false;
        if (goes_on(l, s->address)) continue;
        if (s->kind == ST_STORE || !add_leaf(repeated, repeated_leaf(b, l, body->items[i]), rows))
            return false;
    }
    return true;
}

bool rows_to_join(Build *b, Packings *repeated)
{
    RowLoops l;
    repeated->n = 0;
    if (b->undecided || sweeps_have_seams(b) || !find_row_loops(b, &l)) return false;
    uint16_t rows = rows_at_once(b, &l);
    if (!rows || !rows_allow(b, &l, rows, repeated)) return false;
    b->schedule.rows = rows;
    return true;
}

static void read_copy(Build *b, const RowLoops *l, Val load)
{
    Stmt *s = &b->nest.stmts[load];
    Ref leaf = repeated_leaf(b, l, load);
    for (uint32_t i = 0; i < b->n_packed; i++) {
        if (b->packed[i].node != leaf) continue;
        s->buffer = b->packed_buffer[i];
        s->address = address_of(b->arena, l->along, 1);
    }
}

void rows_join(Build *b)
{
    RowLoops l;
    Packings repeated;
    uint16_t rows = b->schedule.rows;
    if (!rows || !find_row_loops(b, &l) || !rows_allow(b, &l, rows, &repeated) || repeated.n > b->n_packed)
        return;
    Block *body = &b->nest.blocks[l.body];
    for (uint32_t i = 0; i < body->n_items; i++) {
        Stmt *s = &b->nest.stmts[body->items[i]];
        if (!stmt_uses_buffer(s)) continue;
        int64_t step = address_coefficient(s->address, l.over);
        if (!goes_on(&l, s->address)) read_copy(b, &l, body->items[i]);
        else if (step)
            s->address = address_add(b->arena, s->address, address_of(b->arena, l.over, step * (rows - 1)));
    }
    b->nest.stmts[l.over].extent = l.rows / rows;
    b->nest.stmts[l.along].extent = l.length * rows;
    b->nest.blocks[body->parent].runs /= rows;
}
