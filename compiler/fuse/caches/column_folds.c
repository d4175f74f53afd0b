/* column_folds.c: see column_folds.h.
 *
 * A kernel that folds the columns of a matrix holds a few vectors of columns in registers and goes down
 * all rows: of each row it reads a few lines. Lines come in time only if long pieces of rows are read, for
 * it is along them that the machine reads ahead, out of memory as out of the caches, and faster from several
 * rows at once. So the accumulators of a block of columns are a row buffer, to which some rows are added at a
 * time: of each column in the same order as before. That is not so for what little the L1 cache holds. Folds
 * that follow each other, a mean and a variance, are made so one after the other; an argmax has a row of
 * values and one of places.
 *
 *     lanes j : 2000 by 8 x 8 { r = reducer add; loop i : 2000 { fold r (load %in[2000 i + j]) };
 *                               store %out[j] (total r) }
 *
 *     bj : 2 {
 *       lanes j : 1000 by 8 x 4 { store %row[j] 0 }
 *       bi : 125 {
 *         lanes j : 1000 by 8 x 4 {
 *           c = carry (load %row[j]); i : 16 { set c (c + load %in[32000 bi + 2000 i + 1000 bj + j]) };
 *           store %row[j] (total c) } }
 *       lanes j : 1000 by 8 x 4 { store %out[1000 bj + j] (load %row[j]) } }
 */
#include "column_folds.h"
#include "compiler/fuse/cost.h"
#include "compiler/fuse/integers.h"
#include "compiler/graph/ops.h"
#include "compiler/scalar/recipe.h"
#include <stdlib.h>

typedef struct Columns {
    Program *p;
    Arena *scratch;
    const Target *target;
    const Kernel *from;
    Kernel to;
    Val *map;         /* by statement: its copy; of a reducer: the carry, or the loaded total */
    uint32_t *row;    /* by statement, of a reducer: 1 + its row buffer; that of its places is the next */
    Val outer, inner; /* over columns, in lanes; one of those inside, down the rows */
    /* where a copy is: outer's index is column + width * block + lane, inner's is row + height * step +
     * down */
    Val block, step, lane, down; /* loops, or VAL_NONE */
    int64_t width, height, column, row_from;
    int n_folds;
    double most_read; /* bytes, by one of them */
} Columns;

/* ---- which loops ---- */

static bool finds_place(const Stmt *r) { return r->op == OP_ARGMAX || r->op == OP_ARGMIN; }

static bool may_move(const Kernel *k, Val outer, Val v)
{
    const Stmt *s = &k->stmts[v];
    if (s->kind == ST_FOLD || s->kind == ST_PREFIX)
        return s->args[0] > outer && k->stmts[s->args[1]].dtype == k->stmts[s->args[0]].dtype;
    if (s->kind == ST_TOTAL)
        return s->args[0] > outer &&
               (finds_place(&k->stmts[s->args[0]]) || k->stmts[s->args[0]].dtype == s->dtype);
    if (s->kind == ST_REDUCER) return !finds_place(s) || !dtype_is_narrow_float((DType)s->dtype);
    return s->kind == ST_CONST || s->kind == ST_INDEX || s->kind == ST_LOAD || s->kind == ST_OP ||
           s->kind == ST_STORE || s->kind == ST_END;
}

/* The first loop behind v inside the one over columns; VAL_NONE: there is none. */
static Val loop_behind(const Columns *x, Val v)
{
    Val end = loop_end(x->from, x->outer);
    for (v++; v < end; v++)
        if (x->from->stmts[v].kind == ST_LOOP) return v;
    return VAL_NONE;
}

static Val first_inner(const Columns *x) { return loop_behind(x, x->outer); }
static Val next_inner(const Columns *x) { return loop_behind(x, loop_end(x->from, x->inner)); }

/* Is nothing that the loop over columns loads stored by it? */
static bool stores_apart(const Columns *x)
{
    const Kernel *k = x->from;
    Val end = loop_end(k, x->outer);
    for (Val v = x->outer + 1; v < end; v++) {
        const Stmt *s = &k->stmts[v];
        for (Val w = x->outer; s->kind == ST_STORE && w < end; w++)
            if (k->stmts[w].kind == ST_LOAD &&
                (k->stmts[w].buffer == s->buffer || x->p->buffers[s->buffer].alias >= 0))
                return false;
    }
    return true;
}

/* Does the inner loop fold many rows? It may store what it computes of each. */
static bool is_fold(const Columns *x)
{
    const Kernel *k = x->from;
    const Stmt *i = &k->stmts[x->inner];
    Val end = loop_end(k, x->inner);
    bool folds = false;
    if (i->lanes * i->tile > 1 || i->extent < 2 * FAR_ROWS_AT_ONCE || end - x->inner > MOST_FOLDED_BODY)
        return false;
    for (Val v = x->inner + 1; v < end; v++) {
        StmtKind kind = (StmtKind)k->stmts[v].kind;
        if (!may_move(k, x->outer, v) || kind == ST_REDUCER || kind == ST_TOTAL) return false;
        folds |= kind == ST_FOLD || kind == ST_PREFIX;
    }
    return folds;
}

/* Does nothing stand around the inner loops that must stay in its place? */
static bool is_plain(const Columns *x)
{
    const Kernel *k = x->from;
    Val end = loop_end(k, x->outer);
    for (Val v = x->outer + 1; v < end; v++) {
        if (k->stmts[v].kind == ST_LOOP) v = loop_end(k, v);
        else if (!may_move(k, x->outer, v) || k->stmts[v].kind == ST_FOLD || k->stmts[v].kind == ST_PREFIX)
            return false;
    }
    return stores_apart(x);
}

/* Does one turn of the loop over columns take them all? Then rows are read whole as it is. */
static bool takes_rows(const Stmt *outer)
{
    return outer->extent % outer->lanes == 0 && outer->extent <= (int64_t)outer->lanes * outer->tile;
}

/* How many bytes apart the rows are that a statement of the inner loop loads; 0: it loads none. */
static int64_t row_step(const Columns *x, const Stmt *s)
{
    if (s->kind != ST_LOAD || address_coefficient(s->address, x->outer) != 1) return 0;
    return llabs(address_coefficient(s->address, x->inner)) *
           (int64_t)dtype_bytes((DType)x->p->buffers[s->buffer].dtype);
}

/* Of rows that are not neighbours: what the inner loop reads. */
static double bytes_read(const Columns *x)
{
    const Kernel *k = x->from;
    double bytes = 0, elements = (double)k->stmts[x->outer].extent * (double)k->stmts[x->inner].extent;
    for (Val v = x->inner + 1; v < loop_end(k, x->inner); v++)
        if (row_step(x, &k->stmts[v]) >= LEAST_ROW_BYTES)
            bytes += elements * (double)dtype_bytes((DType)x->p->buffers[k->stmts[v].buffer].dtype);
    return bytes;
}

/* Does the last cache not hold so much? */
static bool is_far(const Columns *x, double bytes) { return bytes > LEAST_FOLDED * x->target->l3_bytes; }

/* Does it read enough to gain by it? */
static bool pays(const Columns *x)
{
    double bytes = bytes_read(x);
    return is_far(x, bytes) || bytes >= LEAST_NEAR_FOLDED;
}

/* Is a math function computed in the loop? */
static bool has_math(const Columns *x, Val loop)
{
    const Kernel *k = x->from;
    for (Val v = loop + 1; v < loop_end(k, loop); v++)
        if (k->stmts[v].kind == ST_OP && recipe_exists((Op)k->stmts[v].op, (DType)k->stmts[v].dtype))
            return true;
    return false;
}

static int64_t element_bytes(const Columns *x)
{
    return x->target->vector_bytes / (int64_t)x->from->stmts[x->outer].lanes;
}

static int64_t row_bytes(const Columns *x) { return x->from->stmts[x->outer].extent * element_bytes(x); }

/* Do threads share the loop over columns? How many of them. */
static int64_t sharers(const Columns *x)
{
    const Kernel *k = x->from;
    for (Val around = 0; around < x->outer; around++)
        if (k->stmts[around].kind == ST_LOOP && loop_end(k, around) > x->outer) return 1;
    bool share = x->target->parallel_ns && k->stmts[x->outer].parallel && x->target->threads > 1;
    return share && x->most_read >= LEAST_SHARED_BYTES ? x->target->threads : 1;
}

/* Are there columns enough for a block for each thread? Out of memory two are enough. */
static bool has_blocks(const Columns *x)
{
    int64_t n = sharers(x);
    return n == 1 || row_bytes(x) >= (is_far(x, x->most_read) ? 2 : n) * LEAST_COLUMNS_BYTES;
}

/* Do lanes or tiles of loops around compute several vectors of columns at once? */
static bool is_tiled(const Kernel *k, Val v)
{
    for (Val around = 0; around < v; around++) {
        const Stmt *s = &k->stmts[around];
        if (s->kind == ST_LOOP && s->lanes * s->tile > 1 && loop_end(k, around) > v) return true;
    }
    return false;
}

static bool find_loops(Columns *x, Val outer)
{
    const Kernel *k = x->from;
    const Stmt *o = &k->stmts[outer];
    x->outer = outer;
    if (o->kind != ST_LOOP || o->lanes == 1 || o->extent < 1 || takes_rows(o)) return false;
    x->n_folds = 0;
    x->most_read = 0;
    for (x->inner = first_inner(x); x->inner != VAL_NONE; x->inner = next_inner(x)) {
        if (++x->n_folds > MOST_FOLDS || !is_fold(x) || !pays(x)) return false;
        if (bytes_read(x) > x->most_read) x->most_read = bytes_read(x);
    }
    return x->n_folds > 0 && is_plain(x) && has_blocks(x) && !is_tiled(k, outer);
}

/* ---- the new loops ---- */

static Val append(Columns *x, Stmt s)
{
    x->to.stmts[x->to.n_stmts] = s;
    return x->to.n_stmts++;
}

static Val append_loop(Columns *x, int64_t extent, uint32_t lanes, uint32_t tile)
{
    Stmt s = stmt_new(ST_LOOP, WEFT_BOOL);
    s.extent = extent;
    s.lanes = (uint16_t)lanes;
    s.tile = (uint16_t)tile;
    return append(x, s);
}

static void append_end(Columns *x, Val loop)
{
    Stmt s = stmt_new(ST_END, WEFT_BOOL);
    s.args[0] = loop;
    append(x, s);
}

static void add_term(Address *a, Term *terms, Val of, int64_t coef)
{
    if (of != VAL_NONE) terms[a->n_terms++] = (Term){ of, coef };
}

static Address moved(const Columns *x, const Address *a)
{
    Term *terms = arena_alloc(x->p->arena, (2 * (size_t)a->n_terms + 1) * sizeof *terms);
    Address to = { a->offset, 0, terms };
    for (uint32_t i = 0; i < a->n_terms; i++) {
        Term t = a->terms[i];
        if (t.of == x->outer) {
            to.offset += t.coef * x->column;
            add_term(&to, terms, x->block, t.coef * x->width);
            add_term(&to, terms, x->lane, t.coef);
        } else if (t.of == x->inner) {
            to.offset += t.coef * x->row_from;
            add_term(&to, terms, x->step, t.coef * x->height);
            add_term(&to, terms, x->down, t.coef);
        } else add_term(&to, terms, x->map[t.of], t.coef);
    }
    return to;
}

static void copy(Columns *x, Val v)
{
    Stmt s = x->from->stmts[v];
    for (int a = 0; a < 3; a++)
        if (s.args[a] != VAL_NONE) s.args[a] = x->map[s.args[a]];
    s.address = moved(x, &s.address);
    x->map[v] = append(x, s);
}

/* A LOAD (value is VAL_NONE) or STORE of a reducer's row, or of that of its places. */
static Val append_access(Columns *x, Val reducer, bool places, Val value)
{
    const Stmt *r = &x->from->stmts[reducer];
    Stmt s = stmt_new(value == VAL_NONE ? ST_LOAD : ST_STORE, (DType)(places ? r->index_dtype : r->dtype));
    Term term = { x->lane, 1 };
    s.buffer = x->row[reducer] - 1 + places;
    s.args[0] = value;
    s.address = (Address){ 0, 1, arena_copy(x->p->arena, &term, sizeof term) };
    return append(x, s);
}

static bool is_reducer(const Columns *x, Val v) { return x->from->stmts[v].kind == ST_REDUCER; }

/* Does the inner loop have such a statement of the reducer? */
static bool is_used_by(const Columns *x, Val reducer, StmtKind kind)
{
    Val end = loop_end(x->from, x->inner);
    for (Val v = x->inner + 1; is_reducer(x, reducer) && v < end; v++)
        if (x->from->stmts[v].kind == kind && x->from->stmts[v].args[0] == reducer) return true;
    return false;
}

/* Does the inner loop fold it? */
static bool is_folded(const Columns *x, Val reducer)
{
    return is_used_by(x, reducer, ST_FOLD) || is_used_by(x, reducer, ST_PREFIX);
}

/* Is this total a place? */
static bool is_place(const Kernel *k, const Stmt *total)
{
    return finds_place(&k->stmts[total->args[0]]) && !total->imm;
}

/* What stands in front of `end` and in no inner loop; totals are in rows. */
static void copy_around(Columns *x, Val end, bool stores)
{
    for (Val v = x->outer + 1; v < end; v++) {
        const Stmt *s = &x->from->stmts[v];
        if (s->kind == ST_LOOP) v = loop_end(x->from, v);
        else if (s->kind == ST_TOTAL)
            x->map[v] = append_access(x, s->args[0], is_place(x->from, s), VAL_NONE);
        else if (s->kind != ST_REDUCER && (stores || s->kind != ST_STORE)) copy(x, v);
    }
}

static void begin_lanes(Columns *x, int64_t width)
{
    const Stmt *o = &x->from->stmts[x->outer];
    bool waits = is_far(x, x->most_read) || has_math(x, x->outer);
    uint32_t tile = waits ? WAITING_FOLDED_TILE : FOLDED_TILE;
    x->lane = append_loop(x, width, o->lanes, o->tile < tile ? o->tile : tile);
}

static void clear_rows(Columns *x, int64_t width)
{
    Val end = loop_end(x->from, x->outer);
    begin_lanes(x, width);
    for (Val v = x->outer + 1; v < end; v++) {
        const Stmt *r = &x->from->stmts[v];
        if (r->kind != ST_REDUCER) continue;
        Op op = r->op == OP_ARGMAX ? OP_MAX : r->op == OP_ARGMIN ? OP_MIN : (Op)r->op;
        Stmt start = stmt_new(ST_CONST, (DType)r->dtype);
        start.imm = monoid_start(op, (DType)r->dtype);
        append_access(x, v, false, append(x, start));
        if (finds_place(r)) append_access(x, v, true, append(x, stmt_new(ST_CONST, (DType)r->index_dtype)));
    }
    append_end(x, x->lane);
}

static Val append_op(Columns *x, Op o, DType t, Val a, Val b, Val c)
{
    return append(x, stmt_op(o, t, a, b, c));
}

static Val append_compare(Columns *x, CompareDir dir, bool floats, Val a, Val b)
{
    const int64_t attr[] = { dir, floats ? ORDER_FLOAT : ORDER_SIGNED };
    Val v = append_op(x, OP_COMPARE, WEFT_BOOL, a, b, VAL_NONE);
    x->to.stmts[v].attr = arena_copy(x->p->arena, attr, sizeof attr);
    return v;
}

/* Floats' extremes are folded by themselves first, in any order the same: of many it costs less to look out
 * for NaN. So are those whose places are wanted, the first ones. */
static bool is_apart(const Columns *x, Val v)
{
    const Stmt *r = &x->from->stmts[v];
    bool extreme = (r->op == OP_MAX || r->op == OP_MIN) && dtype_is_float((DType)r->dtype);
    return finds_place(r) || (extreme && !is_used_by(x, v, ST_PREFIX));
}

static void begin_fold(Columns *x, Val v)
{
    const Stmt *r = &x->from->stmts[v];
    Stmt to = is_apart(x, v) ? *r : stmt_new(ST_CARRY, (DType)r->dtype);
    if (!is_apart(x, v)) to.args[0] = append_access(x, v, false, VAL_NONE);
    x->map[v] = append(x, to);
}

/* A FOLD, or a PREFIX, whose value is the accumulator. */
static void append_fold(Columns *x, Val v)
{
    const Stmt *fold = &x->from->stmts[v], *r = &x->from->stmts[fold->args[0]],
               *value = &x->from->stmts[fold->args[1]];
    if (is_apart(x, fold->args[0])) {
        copy(x, v);
        return;
    }
    Stmt set = stmt_new(ST_SET, (DType)r->dtype);
    Val sum = set.args[0] = x->map[fold->args[0]];
    set.args[1] =
        r->op == OP_ADD && stmt_is_summed_product(value)
            ? append_op(x, OP_FMA, (DType)r->dtype, x->map[value->args[0]], x->map[value->args[1]], sum)
            : append_op(x, (Op)r->op, (DType)r->dtype, sum, x->map[fold->args[1]], VAL_NONE);
    append(x, set);
    x->map[v] = set.args[1];
}

static Val append_total(Columns *x, Val v, bool place)
{
    const Stmt *r = &x->from->stmts[v];
    Stmt total = stmt_new(ST_TOTAL, (DType)(place ? r->index_dtype : r->dtype));
    total.args[0] = x->map[v];
    total.imm = finds_place(r) && !place;
    return append(x, total);
}

/* Is the later one the extreme? Of equals the first stays, as the first NaN does. */
static Val append_is_later(Columns *x, const Stmt *r, Val first, Val later)
{
    bool floats = dtype_is_float((DType)r->dtype);
    Val more = append_compare(x, r->op == OP_ARGMAX ? CMP_GT : CMP_LT, floats, later, first);
    if (!floats) return more;
    Val nan = append_op(x, OP_AND, WEFT_BOOL, append_compare(x, CMP_NE, true, later, later),
                        append_compare(x, CMP_EQ, true, first, first), VAL_NONE);
    return append_op(x, OP_OR, WEFT_BOOL, more, nan, VAL_NONE);
}

static void end_place(Columns *x, Val v)
{
    const Stmt *r = &x->from->stmts[v];
    Val first = append_access(x, v, false, VAL_NONE), later = append_total(x, v, false),
        at = append_access(x, v, true, VAL_NONE), later_at = append_total(x, v, true),
        is_later = append_is_later(x, r, first, later);
    append_access(x, v, false, append_op(x, OP_SELECT, (DType)r->dtype, is_later, later, first));
    append_access(x, v, true, append_op(x, OP_SELECT, (DType)r->index_dtype, is_later, later_at, at));
}

static void end_fold(Columns *x, Val v)
{
    const Stmt *r = &x->from->stmts[v];
    if (finds_place(r)) {
        end_place(x, v);
        return;
    }
    Val all = append_total(x, v, false);
    if (is_apart(x, v))
        all = append_op(x, (Op)r->op, (DType)r->dtype, append_access(x, v, false, VAL_NONE), all, VAL_NONE);
    append_access(x, v, false, all);
}

/* Folds so many rows, n times. */
static void fold_rows(Columns *x, int64_t width, int64_t height, int64_t n)
{
    Val inner_end = loop_end(x->from, x->inner);
    x->height = height;
    x->step = append_loop(x, n, 1, 1);
    begin_lanes(x, width);
    copy_around(x, x->inner, false);
    for (Val v = x->outer + 1; v < x->inner; v++)
        if (is_folded(x, v)) begin_fold(x, v);
    x->down = append_loop(x, height, 1, 1);
    for (Val v = x->inner + 1; v < inner_end; v++)
        if (x->from->stmts[v].kind == ST_FOLD || x->from->stmts[v].kind == ST_PREFIX) append_fold(x, v);
        else copy(x, v);
    append_end(x, x->down);
    for (Val v = x->outer + 1; v < x->inner; v++)
        if (is_folded(x, v)) end_fold(x, v);
    append_end(x, x->lane);
    append_end(x, x->step);
    x->row_from += n * height;
}

static int64_t rows_at_once(const Columns *x)
{
    Val end = loop_end(x->from, x->inner);
    if (is_far(x, bytes_read(x))) return FAR_ROWS_AT_ONCE;
    if (has_math(x, x->inner)) return MATH_ROWS_AT_ONCE;
    for (Val v = x->inner + 1; v < end; v++)
        if (x->from->stmts[v].kind == ST_STORE) return STORED_ROWS_AT_ONCE;
    return ROWS_AT_ONCE;
}

/* All rows of the inner loop. */
static void fold_all(Columns *x, int64_t width)
{
    int64_t rows = x->from->stmts[x->inner].extent, at_once = rows_at_once(x);
    x->row_from = 0;
    fold_rows(x, width, at_once, rows / at_once);
    if (rows % at_once) fold_rows(x, width, rows % at_once, 1);
}

/* n blocks of so many columns. */
static void append_blocks(Columns *x, int64_t width, int64_t n)
{
    x->width = width;
    x->block = append_loop(x, n, 1, 1);
    x->to.stmts[x->block].parallel = x->from->stmts[x->outer].parallel;
    clear_rows(x, width);
    for (x->inner = first_inner(x); x->inner != VAL_NONE; x->inner = next_inner(x)) fold_all(x, width);
    begin_lanes(x, width);
    copy_around(x, loop_end(x->from, x->outer), true);
    append_end(x, x->lane);
    append_end(x, x->block);
    x->column += n * width;
}

/* As wide as may be; the same for all if the columns can be dealt out. What several folds read, the last
 * cache holds from one to the next, if blocks are not too narrow for that. */
static int64_t width_of_blocks(const Columns *x)
{
    const Stmt *o = &x->from->stmts[x->outer];
    int64_t bytes = element_bytes(x), all = COLUMNS_BYTES, least = max_i64(LEAST_COLUMNS_BYTES / bytes, 1);
    if (sharers(x) > 1) all = min_i64(all, (row_bytes(x) + sharers(x) - 1) / sharers(x));
    int64_t most = max_i64(all / bytes, least);
    double held = x->target->l3_bytes / 2.0 * (double)o->extent / x->most_read;
    if (is_far(x, x->most_read) && x->n_folds > 1 && held < (double)most)
        most = max_i64((int64_t)held, 2 * least);
    if (o->extent <= most) return o->extent;
    for (int64_t width = most; width > most / 2; width--)
        if (o->extent % width == 0) return width;
    return most / o->lanes * o->lanes;
}

static void append_columns(Columns *x)
{
    int64_t extent = x->from->stmts[x->outer].extent, width = width_of_blocks(x);
    for (Val v = x->outer + 1; v < loop_end(x->from, x->outer); v++) {
        const Stmt *r = &x->from->stmts[v];
        if (!is_reducer(x, v)) continue;
        Buffer row = { .kind = BUF_LOCAL, .dtype = r->dtype, .count = width };
        x->row[v] = 1 + program_add_buffer(x->p, row);
        row.dtype = r->index_dtype;
        if (finds_place(r)) program_add_buffer(x->p, row);
    }
    x->column = 0;
    append_blocks(x, width, extent / width);
    if (extent % width) append_blocks(x, extent % width, 1);
    x->outer = x->inner = VAL_NONE;
}

/* Of two blocks: for each fold a body for all rows and one for the rest, with what stands around it and
 * fourteen for a reducer, which is three; the first and the last loop; and loops. */
enum { COPIES = 2 * (2 * 8 * MOST_FOLDS + 3), LOOPS_OF_COLUMNS = 2 * (16 * MOST_FOLDS + 8) };

static bool has_loops(Columns *x)
{
    for (Val v = 0; v < x->from->n_stmts; v++)
        if (find_loops(x, v)) return true;
    return false;
}

static bool fold_kernel(Columns *x)
{
    const Kernel *k = x->from;
    if (!has_loops(x)) return false;
    x->to = *k;
    x->to.n_stmts = 0;
    x->to.stmts =
        arena_alloc(x->scratch, (COPIES * (size_t)k->n_stmts + LOOPS_OF_COLUMNS * ((size_t)k->n_stmts + 1)) *
                                    sizeof *k->stmts);
    x->map = arena_alloc(x->scratch, (k->n_stmts + 1) * sizeof *x->map);
    x->row = arena_alloc(x->scratch, (k->n_stmts + 1) * sizeof *x->row);
    for (Val v = 0; v < k->n_stmts; v++) {
        if (find_loops(x, v)) {
            Val end = loop_end(k, v);
            append_columns(x);
            v = end;
            continue;
        }
        x->outer = x->inner = VAL_NONE;
        copy(x, v);
    }
    x->to.stmts = arena_copy(x->p->arena, x->to.stmts, x->to.n_stmts * sizeof *x->to.stmts);
    return true;
}

/* Is there a reducer of lanes that could be folded so? */
static bool has_columns(const Kernel *k)
{
    for (Val v = 0; v < k->n_stmts && !k->rows; v++)
        if (k->stmts[v].kind == ST_REDUCER) return true;
    return false;
}

void column_folds_make(Program *p, const Target *target)
{
    Arena *scratch = arena_within(p->arena);
    ArenaMark empty = arena_mark(scratch);
    for (uint32_t i = 0; i < p->n_kernels && target->l3_bytes; i++) {
        Columns x = { .p = p, .scratch = scratch, .target = target, .from = &p->kernels[i] };
        if (has_columns(x.from) && fold_kernel(&x)) p->kernels[i] = x.to;
        arena_release(scratch, empty);
    }
    arena_free(scratch);
}
