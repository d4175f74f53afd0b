/* rows.c: see rows.h. */
#include "rows.h"

static int64_t floor_div(int64_t a, int64_t b) { return a / b - (a % b < 0); }

static bool is_multiple(int64_t x, int64_t of) { return of && x % of == 0; }

RowLayout rows_layout(const Kernel *k, const Stmt *s, Val loop, int64_t in_row, int64_t count)
{
    RowLayout l = { .stride = address_coefficient(s->address, loop) * in_row };
    int64_t span;
    if (l.stride < 1 || __builtin_mul_overflow(l.stride, k->stmts[loop].extent / in_row, &span))
        return (RowLayout){ 0 };
    for (uint32_t t = 0; t < s->address.n_terms; t++) {
        int64_t coef = s->address.terms[t].coef;
        if (coef < 0) coef = -coef;
        if (s->address.terms[t].of != loop && coef >= span && (!l.period || coef < l.period)) l.period = coef;
    }
    bool fits = !l.period || (is_multiple(l.period, l.stride) && is_multiple(count, l.period));
    return fits ? l : (RowLayout){ 0 };
}

/* Constants are taken to the nearest multiple of the period. */
static int64_t parts_before(RowLayout l, int64_t offset)
{
    return l.period ? floor_div(offset + l.period / 2, l.period) : 0;
}

static bool add_range(RowSpan *r, int64_t coef, int64_t extent)
{
    int64_t reach;
    if (extent < 1 || __builtin_mul_overflow(coef, extent - 1, &reach)) return false;
    return !__builtin_add_overflow(reach < 0 ? r->first : r->last, reach, reach < 0 ? &r->first : &r->last);
}

/* Do all iterations stay within rows that the part has? */
static bool inside(RowSpan r, int64_t extent, const Buffer *b, RowLayout l)
{
    int64_t rows = l.period ? l.period / l.stride : (b->count + l.stride - 1) / l.stride;
    return r.first >= 0 && r.last + extent <= rows;
}

bool rows_of(const Kernel *k, const Stmt *s, Val loop, int64_t in_row, const Buffer *b, RowLayout l,
             RowSpan *out)
{
    const Address *a = &s->address;
    RowSpan rows = { 0, 0 }, rest = { 0, 0 };
    int64_t extent = loop == VAL_NONE ? 1 : k->stmts[loop].extent / in_row;
    if (!l.stride || (extent > 1 && address_coefficient(*a, loop) * in_row != l.stride)) return false;
    if (in_row > 1 && !add_range(&rest, address_coefficient(*a, loop), in_row)) return false;
    for (uint32_t t = 0; t < a->n_terms; t++) {
        Term x = a->terms[t];
        const Stmt *of = &k->stmts[x.of];
        if (x.of == loop || (of->kind == ST_LOOP && is_multiple(x.coef, l.period))) continue;
        bool within = x.coef < l.stride && x.coef > -l.stride;
        if (of->kind != ST_LOOP || (!within && x.coef % l.stride)) return false;
        if (!(within ? add_range(&rest, x.coef, of->extent)
                     : add_range(&rows, x.coef / l.stride, of->extent)))
            return false;
    }
    int64_t offset = a->offset - parts_before(l, a->offset) * l.period;
    rows.first += floor_div(offset + rest.first, l.stride);
    rows.last += floor_div(offset + rest.last, l.stride);
    *out = rows;
    return !l.period || inside(rows, extent, b, l);
}

/* ---- windows ---- */

int64_t rows_parts(const Buffer *b, RowLayout l) { return l.period ? b->count / l.period : 1; }

int64_t rows_window_count(const Window *w, const Buffer *b)
{
    return rows_parts(b, w->layout) * w->rows * w->layout.stride;
}

Address rows_in_window(Arena *arena, const Window *w, Address a, Val counter)
{
    RowLayout l = w->layout;
    int64_t parts = parts_before(l, a.offset), part = w->rows * l.stride;
    Term *terms = arena_alloc(arena, (a.n_terms + 1) * sizeof *terms);
    terms[0] = (Term){ counter, -w->step * l.stride };
    for (uint32_t t = 0; t < a.n_terms; t++) {
        terms[t + 1] = a.terms[t];
        if (is_multiple(a.terms[t].coef, l.period)) terms[t + 1].coef = a.terms[t].coef / l.period * part;
    }
    return (Address){ a.offset - parts * l.period + parts * part - w->lo * l.stride, a.n_terms + 1, terms };
}
