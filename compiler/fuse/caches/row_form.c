/* row_form.c: a kernel whose outermost loops all walk rows, so that it can run in bands (bands.c).
 *
 * Where loops were cut, what is left of the first and last rows is a loop along them, or single elements,
 * outside of the loop over the rows in between:
 *
 *     lanes i : 512 { ... store %t[i] ...; store %t[i + 261632] ... }
 *     parallel i : 510 { lanes j : 512 { store %t[512 i + j + 512] ... } }
 *
 * Each group of rows that are close together becomes a loop over one index around what its STOREs need, and
 * no more; program.h lets such a loop run in the band that its rows belong to.
 */
#include "row_form.h"
#include "compiler/fuse/cost.h"
#include "compiler/fuse/integers.h"
#include <string.h>

typedef struct Former {
    Arena *arena;
    const Program *program;
    const RowLayout *layout;
    const bool *own;
    const Kernel *kernel;
    Val *around; /* by statement: the innermost loop around it */
    Val *outer;  /* by statement: the outermost one; of that itself, too */
    bool *need;  /* by statement: what is copied next */
    Val *map;    /* by statement: the copy; VAL_NONE: none yet */
    bool *met;   /* by statement: a LOAD of what the kernel stores */
    bool walks;  /* has it a loop that walks rows? */
    Kernel out;
} Former;

/* ---- what is needed ---- */

static bool need(Former *f, Val v)
{
    if (v == VAL_NONE || f->need[v]) return false;
    f->need[v] = true;
    return true;
}

static bool need_operands(Former *f, Val v)
{
    const Stmt *s = &f->kernel->stmts[v];
    bool more = need(f, f->around[v]);
    for (int a = 0; a < 3; a++) more |= need(f, s->args[a]);
    for (uint32_t t = 0; t < s->address.n_terms; t++) more |= need(f, s->address.terms[t].of);
    return more;
}

/* Does it feed something that is needed: an accumulator, a carry, the end of a loop? */
static bool feeds(const Former *f, Val v)
{
    const Stmt *s = &f->kernel->stmts[v];
    if (s->kind == ST_TEST) return f->need[f->around[v]];
    return (s->kind == ST_FOLD || s->kind == ST_SET || s->kind == ST_PREFIX || s->kind == ST_END) &&
           f->need[s->args[0]];
}

static void close_need(Former *f)
{
    for (bool more = true; more;) {
        more = false;
        for (Val v = f->kernel->n_stmts; v-- > 0;) {
            if (!f->need[v] && feeds(f, v)) more |= need(f, v);
            if (f->need[v]) more |= need_operands(f, v);
        }
    }
}

/* ---- copies ---- */

static Val append(Former *f, Stmt s)
{
    f->out.stmts[f->out.n_stmts] = s;
    return f->out.n_stmts++;
}

static Stmt copied(const Former *f, Val v)
{
    Stmt s = f->kernel->stmts[v];
    Term *terms = arena_copy(f->arena, s.address.terms, s.address.n_terms * sizeof *terms);
    for (int a = 0; a < 3; a++)
        if (s.args[a] != VAL_NONE) s.args[a] = f->map[s.args[a]];
    for (uint32_t t = 0; t < s.address.n_terms; t++) terms[t].of = f->map[terms[t].of];
    s.address.terms = terms;
    return s;
}

/* Copies what is needed and not there yet between two statements. Only outermost loops are parallel. */
static void copy_needed(Former *f, Val from, Val to, bool outermost)
{
    for (Val v = from; v < to; v++) {
        if (!f->need[v] || f->map[v] != VAL_NONE) continue;
        Stmt s = copied(f, v);
        s.parallel &= outermost;
        f->map[v] = append(f, s);
    }
}

/* ---- rows ---- */

/* The rows of an access in the loop, or in none. */
static bool rows_at(const Former *f, Val v, Val loop, RowSpan *rows)
{
    const Stmt *s = &f->kernel->stmts[v];
    return rows_of(f->kernel, s, loop, 1, &f->program->buffers[s->buffer], f->layout[s->buffer], rows);
}

static bool stores_row(const Former *f, Val v)
{
    return f->kernel->stmts[v].kind == ST_STORE && !f->own[f->kernel->stmts[v].buffer];
}

static bool loads_row(const Former *f, Val v)
{
    return f->kernel->stmts[v].kind == ST_LOAD && f->layout[f->kernel->stmts[v].buffer].stride;
}

/* Stores of one band lie so close together; an edge has so many rows, and the other one lies further away. */
enum { CLOSE_ROWS = 4, MOST_EDGE_ROWS = 16 };

/* Is all that it stores rows; or, if some of it is in no rows and nothing is one, all that it loads? Not if
 * it is both edges: a few rows in front, and as many far behind them. */
static bool walks_rows(const Former *f, Val loop)
{
    bool rows_stored = false, others_stored = false, rows_loaded = true;
    RowSpan rows, all = { INT64_MAX, INT64_MIN };
    for (Val v = loop + 1; v < f->kernel->n_stmts && f->outer[v] == loop; v++) {
        if (loads_row(f, v)) rows_loaded &= rows_at(f, v, loop, &rows);
        if (f->kernel->stmts[v].kind != ST_STORE) continue;
        if (stores_row(f, v) && !rows_at(f, v, loop, &rows)) return false;
        if (stores_row(f, v)) {
            rows_stored = true;
            all.first = min_i64(all.first, rows.first);
            all.last = max_i64(all.last, rows.last);
        } else others_stored = true;
    }
    if (rows_stored && f->kernel->stmts[loop].extent <= MOST_EDGE_ROWS &&
        all.last > all.first + MOST_EDGE_ROWS)
        return false;
    return rows_stored || !others_stored || rows_loaded;
}

/* Where what a STORE stores goes: to these rows; or, if it is in no rows, where what is loaded up to there
 * comes from. */
static bool fixed_rows(const Former *f, Val from, Val store, RowSpan *rows)
{
    bool any = false;
    RowSpan one;
    if (stores_row(f, store)) return rows_at(f, store, VAL_NONE, rows);
    *rows = (RowSpan){ 0, 0 };
    for (Val v = from; v < store; v++) {
        if (!loads_row(f, v)) continue;
        if (!rows_at(f, v, VAL_NONE, &one)) return false;
        if (!any || one.first < rows->first) rows->first = one.first;
        if (!any || one.last > rows->last) rows->last = one.last;
        any = true;
    }
    return true;
}

/* Is a LOAD needed that would come behind a STORE that it stands in front of: one from in front of `from`, or
 * of what is stored by the statements up to `end` that are done? Elements that a loop loads and stores it
 * does at the same address (program.h). */
static bool loads_late(const Former *f, Val from, Val end, const bool *done)
{
    const Stmt *s = f->kernel->stmts;
    for (Val v = 0; v < end; v++) {
        if (!f->need[v] || !f->met[v]) continue;
        if (v < from) return true;
        for (Val w = from; w < end; w++)
            if (done[w] && address_equal(s[v].address, s[w].address)) return true;
    }
    return false;
}

/* The rows of the STORE `first` and of others up to `end` that are close to them, in a loop over one
 * index. from: the first statement of all these. */
static bool wrap_group(Former *f, Val from, Val first, Val end, bool *done)
{
    RowSpan rows, other;
    const Stmt *s = f->kernel->stmts;
    Val *before = arena_copy(f->arena, f->map, f->kernel->n_stmts * sizeof *before);
    memset(f->need, 0, f->kernel->n_stmts * sizeof *f->need);
    if (!fixed_rows(f, from, first, &rows)) return false;
    for (Val v = first; v < end; v++) {
        if (s[v].kind != ST_STORE || done[v]) continue;
        if (!fixed_rows(f, from, v, &other) || (!f->walks && other.last > other.first + CLOSE_ROWS))
            return false;
        f->need[v] = other.first <= rows.first + CLOSE_ROWS && other.first >= rows.first - CLOSE_ROWS;
    }
    close_need(f);
    if (loads_late(f, from, end, done)) return false;
    for (Val v = first; v < end; v++) done[v] |= f->need[v] && s[v].kind == ST_STORE;
    Val loop = append(f, (Stmt){ .kind = ST_LOOP,
                                 .parallel = true,
                                 .lanes = 1,
                                 .tile = 1,
                                 .extent = 1,
                                 .args = { VAL_NONE, VAL_NONE, VAL_NONE } });
    copy_needed(f, 0, end, false);
    append(f, (Stmt){ .kind = ST_END, .lanes = 1, .tile = 1, .args = { loop, VAL_NONE, VAL_NONE } });
    f->map = before;
    return true;
}

/* The statements of one loop, or a single one, up to `end`, and what stands in front of them behind the
 * STORE or loop before. */
static bool wrap_item(Former *f, Val item, Val end, bool *done)
{
    const Stmt *s = f->kernel->stmts;
    Val from = item;
    while (from > 0 && s[from - 1].kind != ST_STORE && s[from - 1].kind != ST_END) from--;
    for (Val v = item; v < end; v++)
        if (s[v].kind == ST_STORE && !done[v] && !wrap_group(f, from, v, end, done)) return false;
    return true;
}

/* ---- the kernel ---- */

static void find_met(Former *f, const uint32_t *memory, uint8_t *stores)
{
    const Kernel *k = f->kernel;
    for (Val v = 0; v < k->n_stmts; v++)
        if (k->stmts[v].kind == ST_STORE) stores[memory[k->stmts[v].buffer]] = true;
    for (Val v = 0; v < k->n_stmts; v++)
        f->met[v] = k->stmts[v].kind == ST_LOAD && stores[memory[k->stmts[v].buffer]] &&
                    f->program->buffers[k->stmts[v].buffer].kind != BUF_LOCAL;
    for (Val v = 0; v < k->n_stmts; v++)
        if (k->stmts[v].kind == ST_STORE) stores[memory[k->stmts[v].buffer]] = false;
}

/* False: they are nested too deep. */
static bool find_loops(Former *f)
{
    Val open[MAX_LOOP_DEPTH + 1] = { VAL_NONE };
    int depth = 0;
    for (Val v = 0; v < f->kernel->n_stmts; v++) {
        const Stmt *s = &f->kernel->stmts[v];
        if (s->kind == ST_END) depth--;
        f->around[v] = open[depth];
        if (s->kind == ST_LOOP && depth == MAX_LOOP_DEPTH) return false;
        if (s->kind == ST_LOOP) open[++depth] = v;
        f->outer[v] = depth ? open[1] : s->kind == ST_END ? s->args[0] : VAL_NONE;
    }
    return true;
}

/* Marks the loops that walk rows, with all in them. False: there are no others. */
static bool find_row_loops(Former *f)
{
    bool others = false;
    for (Val v = 0; v < f->kernel->n_stmts; v++) {
        const Stmt *s = &f->kernel->stmts[v];
        if (s->kind == ST_LOOP && f->outer[v] == v) {
            f->need[v] = walks_rows(f, v);
            f->walks |= f->need[v];
            others |= !f->need[v];
        } else if (f->outer[v] != VAL_NONE) f->need[v] = f->need[f->outer[v]];
        else others |= s->kind == ST_STORE;
    }
    return others;
}

static uint32_t count_stores(const Kernel *k)
{
    uint32_t n = 0;
    for (Val v = 0; v < k->n_stmts; v++) n += k->stmts[v].kind == ST_STORE;
    return n;
}

static Val item_end(const Former *f, Val v)
{
    Val end = v + 1;
    while (f->outer[v] != VAL_NONE && end < f->kernel->n_stmts && f->outer[end] == v) end++;
    return end;
}

bool row_form(Arena *arena, const Program *p, const RowLayout *layout, const bool *own,
              const uint32_t *memory, uint8_t *does, Kernel *k)
{
    size_t n = k->n_stmts;
    uint32_t stores = count_stores(k);
    Former f = { .arena = arena, .program = p, .layout = layout, .own = own, .kernel = k, .out = *k };
    if (stores > MAX_FORMED_STORES) return false;
    f.around = arena_alloc(arena, (n + 1) * sizeof *f.around);
    f.outer = arena_alloc(arena, (n + 1) * sizeof *f.outer);
    f.need = arena_alloc(arena, (n + 1) * sizeof *f.need);
    f.map = arena_alloc(arena, (n + 1) * sizeof *f.map);
    f.met = arena_alloc(arena, n + 1);
    if (!find_loops(&f) || !find_row_loops(&f)) return false;
    find_met(&f, memory, does);
    close_need(&f);
    bool *always = arena_copy(arena, f.need, (n + 1) * sizeof *always),
         *done = arena_alloc(arena, (n + 1) * sizeof *done);
    f.out.stmts = arena_alloc(arena, (n + 2) * (stores + 1) * sizeof *f.out.stmts);
    f.out.n_stmts = 0;
    memset(f.map, 0xff, (n + 1) * sizeof *f.map);
    for (Val v = 0; v < n;) {
        Val end = item_end(&f, v);
        memcpy(f.need, always, n * sizeof *always);
        if (always[v]) copy_needed(&f, v, end, true);
        else if (!wrap_item(&f, v, end, done)) return false;
        v = end;
    }
    *k = f.out;
    return true;
}

/* ---- long rows ---- */

/* Is it an outermost loop that stores elements that follow one another, in whole rows? */
static bool may_unfold(const Kernel *k, Val loop, int64_t row)
{
    const Stmt *l = &k->stmts[loop];
    int depth = 1, most = 1;
    bool stores = false;
    if (!l->parallel || l->extent <= row || l->extent % row) return false;
    for (Val v = loop + 1; depth; v++) {
        const Stmt *s = &k->stmts[v];
        depth += s->kind == ST_LOOP ? 1 : s->kind == ST_END ? -1 : 0;
        if (depth > most) most = depth;
        if (s->kind == ST_STORE && address_coefficient(s->address, loop) != 1) return false;
        stores |= s->kind == ST_STORE;
    }
    return stores && most < MAX_LOOP_DEPTH;
}

/* The terms of a loop that became two. */
static Address unfolded(Arena *arena, Address a, Val loop, Val rows, int64_t row)
{
    Term *terms = arena_alloc(arena, (a.n_terms + 1) * sizeof *terms);
    uint32_t n = 0;
    for (uint32_t t = 0; t < a.n_terms; t++) {
        if (a.terms[t].of == loop) terms[n++] = (Term){ rows, a.terms[t].coef * row };
        terms[n++] = a.terms[t];
    }
    return (Address){ a.offset, n, terms };
}

static void unfold_loop(Arena *arena, Kernel *k, Val loop, int64_t row)
{
    Stmt *stmts = arena_alloc(arena, (k->n_stmts + 2) * sizeof *stmts);
    Val end = loop_end(k, loop), n = 0;
    for (Val v = 0; v < k->n_stmts; v++) {
        Stmt s = k->stmts[v];
        Term *terms = arena_copy(arena, s.address.terms, s.address.n_terms * sizeof *terms);
        for (int a = 0; a < 3; a++)
            if (s.args[a] != VAL_NONE && v >= loop) s.args[a] += (s.args[a] >= loop) + (s.args[a] > end);
        for (uint32_t t = 0; t < s.address.n_terms; t++)
            terms[t].of += (terms[t].of >= loop) + (terms[t].of > end);
        s.address.terms = terms;
        if (v == loop) {
            stmts[n] = s;
            stmts[n].lanes = stmts[n].tile = 1;
            stmts[n++].extent /= row;
            s.extent = row;
            s.parallel = false;
        } else s.address = unfolded(arena, s.address, loop + 1, loop, row);
        stmts[n++] = s;
        if (v != end) continue;
        stmts[n] = s;
        stmts[n++].args[0] = loop;
    }
    k->stmts = stmts;
    k->n_stmts = n;
}

void unfold_rows(Arena *arena, Kernel *k, int64_t row)
{
    int depth = 0;
    for (Val v = 0; v < k->n_stmts; v++) {
        if (k->stmts[v].kind == ST_LOOP && depth == 0 && may_unfold(k, v, row)) unfold_loop(arena, k, v, row);
        depth += k->stmts[v].kind == ST_LOOP ? 1 : k->stmts[v].kind == ST_END ? -1 : 0;
    }
}

/* ---- columns ---- */

/* Is it an outermost loop that only copies or computes single elements, in each row one or a few? */
static bool is_column(const Kernel *k, Val loop)
{
    bool stores = false;
    for (Val v = loop + 1; k->stmts[v].kind != ST_END; v++) {
        const Stmt *s = &k->stmts[v];
        if (s->kind != ST_LOAD && s->kind != ST_STORE && s->kind != ST_OP && s->kind != ST_INDEX)
            return false;
        if (s->kind == ST_STORE && address_coefficient(s->address, loop) < 2) return false;
        stores |= s->kind == ST_STORE;
    }
    return stores;
}

/* Is there another outermost loop over as many rows, one after the other? */
static bool has_rows(const Kernel *k, int64_t extent)
{
    int depth = 0;
    for (Val v = 0; v < k->n_stmts; v++) {
        const Stmt *s = &k->stmts[v];
        if (s->kind == ST_LOOP && depth == 0 && s->extent == extent && s->lanes * s->tile == 1) return true;
        depth += s->kind == ST_LOOP ? 1 : s->kind == ST_END ? -1 : 0;
    }
    return false;
}

void walk_columns(Arena *arena, Kernel *k)
{
    bool copied = false;
    int depth = 0;
    for (Val v = 0; v < k->n_stmts; v++) {
        const Stmt *s = &k->stmts[v];
        if (s->kind == ST_LOOP && depth == 0 && s->lanes * s->tile > 1 && is_column(k, v) &&
            has_rows(k, s->extent)) {
            if (!copied) k->stmts = arena_copy(arena, k->stmts, k->n_stmts * sizeof *k->stmts);
            copied = true;
            k->stmts[v].lanes = k->stmts[v].tile = 1;
        }
        depth += k->stmts[v].kind == ST_LOOP ? 1 : k->stmts[v].kind == ST_END ? -1 : 0;
    }
}
