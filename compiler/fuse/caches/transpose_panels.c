/* transpose_panels.c: see transpose_panels.h.
 *
 * A kernel that reads an array across its rows does so in squares that fit registers (tiling.c). Where rows
 * are a multiple of 4096 bytes apart, the elements of a column share few places in the caches, and a line is
 * gone before the next square reads the rest of it. Such a loop is cut into panels: a square of the array is
 * transposed into a row buffer, whose rows are a vector longer than what they hold, then the loop runs on
 * that.
 *
 *     i : 1024 by 1 x 16 { lanes j : 1024 by 16 { v = load %in[1024 j + i]; store %out[1024 i + j] v } }
 *
 *     bi : 8 { bj : 8 {
 *       j : 128 by 1 x 16 { lanes i : 128 by 16 { v = load %in[131072 bj + 1024 j + 128 bi + i];
 *                                                 store %panel[144 i + j] v } }
 *       i : 128 { lanes j : 128 by 16 x 4 { v = load %panel[144 i + j]; store %out[...] v } } } }
 */
#include "transpose_panels.h"
#include "compiler/fuse/cost.h"

typedef struct Panels {
    Program *p;
    Arena *scratch;
    const Target *target;
    const Kernel *from;
    Kernel to;
    Val *map;         /* by statement: its copy */
    uint32_t *panel;  /* by statement, of a load across rows: 1 + its row buffer; 0: it is none */
    Val outer, inner; /* the loops that are cut */
    int64_t side;     /* of a panel, in elements */
    Val block[2];     /* loops over panels: of outer and of inner */
    Val within[2];    /* the loops inside of a panel that stand for outer and inner now */
} Panels;

/* ---- which loops ---- */

static bool of_loops(const Kernel *k, const Stmt *s)
{
    for (uint32_t i = 0; i < s->address.n_terms; i++) {
        uint8_t kind = k->stmts[s->address.terms[i].of].kind;
        if (kind != ST_LOOP && kind != ST_COUNTER) return false;
    }
    return true;
}

/* Is it a load across rows that meet in the caches, of an array that they do not hold? */
static bool is_across(const Panels *x, const Stmt *s)
{
    if (s->kind != ST_LOAD || s->args[0] != VAL_NONE || address_coefficient(s->address, x->outer) != 1)
        return false;
    const Buffer *b = &x->p->buffers[s->buffer];
    int64_t bytes = (int64_t)dtype_bytes((DType)b->dtype),
            row = address_coefficient(s->address, x->inner) * bytes;
    return row && row % ROWS_THAT_MEET == 0 && b->count * bytes >= x->target->l2_bytes &&
           of_loops(x->from, s);
}

/* May the statement, of the loops that are cut, run in another order, and its loads from a panel? */
static bool may_move(const Stmt *s)
{
    return s->kind == ST_CONST || s->kind == ST_INDEX || s->kind == ST_LOAD || s->kind == ST_OP ||
           s->kind == ST_STORE || s->kind == ST_END;
}

static bool is_cut(const Panels *x, Val loop)
{
    int64_t extent = x->from->stmts[loop].extent;
    return extent > x->side && extent % x->side == 0;
}

/* Notes the loads across rows between the loops; false: there are none, or something is in the way. */
static bool find_panels(Panels *x)
{
    const Kernel *k = x->from;
    Val end = loop_end(k, x->outer), inner_end = loop_end(k, x->inner);
    bool any = false;
    for (Val v = x->outer + 1; v < end; v++) {
        const Stmt *s = &k->stmts[v];
        bool inside = v > x->inner && v < inner_end;
        x->panel[v] = inside && is_across(x, s);
        any |= x->panel[v];
        if (v != x->inner && (!may_move(s) || (s->kind == ST_STORE && !inside))) return false;
    }
    return any;
}

/* A buffer that these loops both read and write is one they update in place: only as written. */
static bool updates(const Panels *x)
{
    const Kernel *k = x->from;
    for (Val v = x->outer; v < loop_end(k, x->outer); v++)
        for (Val w = x->outer; k->stmts[v].kind == ST_STORE && w < loop_end(k, x->outer); w++) {
            const Buffer *to = &x->p->buffers[k->stmts[v].buffer];
            if (k->stmts[w].kind == ST_LOAD && (k->stmts[w].buffer == k->stmts[v].buffer || to->alias >= 0))
                return true;
        }
    return false;
}

/* A loop that holds squares, with the loop of their lanes in it. */
static bool find_loops(Panels *x, Val outer)
{
    const Kernel *k = x->from;
    const Stmt *o = &k->stmts[outer];
    if (o->kind != ST_LOOP || o->tile < 2 || o->lanes != 1) return false;
    Val inner = outer + 1;
    while (k->stmts[inner].kind != ST_LOOP && k->stmts[inner].kind != ST_END) inner++;
    const Stmt *i = &k->stmts[inner];
    x->outer = outer;
    x->inner = inner;
    if (i->kind != ST_LOOP || i->lanes != o->tile || i->tile != 1) return false;
    x->side = PANEL_BYTES / x->target->vector_bytes * i->lanes;
    while (x->side > 2 * i->lanes && !(is_cut(x, outer) && is_cut(x, inner))) x->side /= 2;
    return is_cut(x, outer) && is_cut(x, inner) && find_panels(x) && !updates(x);
}

/* ---- the new loops ---- */

static Val append(Panels *x, Stmt s)
{
    x->to.stmts[x->to.n_stmts] = s;
    return x->to.n_stmts++;
}

static Val append_loop(Panels *x, int64_t extent, uint32_t lanes, uint32_t tile)
{
    return append(x, (Stmt){ .kind = ST_LOOP,
                             .extent = extent,
                             .lanes = (uint16_t)lanes,
                             .tile = (uint16_t)tile,
                             .args = { VAL_NONE, VAL_NONE, VAL_NONE } });
}

static void append_end(Panels *x, Val loop)
{
    append(x, (Stmt){ .kind = ST_END, .lanes = 1, .tile = 1, .args = { loop, VAL_NONE, VAL_NONE } });
}

/* An index of a loop that was cut is side * panel + index in the panel. */
static Address moved(const Panels *x, const Address *a)
{
    Term *terms = arena_alloc(x->p->arena, (2 * (size_t)a->n_terms + 1) * sizeof *terms);
    uint32_t n = 0;
    for (uint32_t i = 0; i < a->n_terms; i++) {
        Term t = a->terms[i];
        bool is_outer = t.of == x->outer, is_inner = t.of == x->inner;
        if (is_outer || is_inner) terms[n++] = (Term){ x->block[is_inner], t.coef * x->side };
        terms[n++] = (Term){ is_outer || is_inner ? x->within[is_inner] : x->map[t.of], t.coef };
    }
    return (Address){ a->offset, n, terms };
}

/* Rows of a panel are one vector longer than what they hold, so that they do not meet in the caches. */
static Address in_panel(const Panels *x)
{
    int64_t pitch = x->side + x->from->stmts[x->inner].lanes;
    Term *terms = arena_alloc(x->p->arena, 2 * sizeof *terms);
    terms[0] = (Term){ x->within[0], pitch };
    terms[1] = (Term){ x->within[1], 1 };
    return (Address){ 0, 2, terms };
}

static void copy(Panels *x, Val v)
{
    Stmt s = x->from->stmts[v];
    for (int a = 0; a < 3; a++)
        if (s.args[a] != VAL_NONE) s.args[a] = x->map[s.args[a]];
    s.address = moved(x, &s.address);
    if (x->panel[v]) {
        s.buffer = x->panel[v] - 1;
        s.address = in_panel(x);
    }
    x->map[v] = append(x, s);
}

/* Transposes what the load at v reads into a row buffer. */
static void fill_panel(Panels *x, Val v)
{
    Stmt load = x->from->stmts[v];
    uint32_t lanes = x->from->stmts[x->inner].lanes;
    int64_t count = x->side * (x->side + lanes);
    uint32_t panel = program_add_buffer(
        x->p, (Buffer){ .kind = BUF_LOCAL, .dtype = x->p->buffers[load.buffer].dtype, .count = count });
    x->within[1] = append_loop(x, x->side, 1, lanes);
    x->within[0] = append_loop(x, x->side, lanes, 1);
    load.address = moved(x, &load.address);
    Val value = append(x, load);
    append(x, (Stmt){ .kind = ST_STORE,
                      .lanes = 1,
                      .tile = 1,
                      .buffer = panel,
                      .address = in_panel(x),
                      .args = { value, VAL_NONE, VAL_NONE } });
    append_end(x, x->within[0]);
    append_end(x, x->within[1]);
    x->panel[v] = panel + 1;
}

/* The loops as they were, on a panel. */
static void run_panel(Panels *x)
{
    const Stmt *inner = &x->from->stmts[x->inner];
    uint32_t tile = loop_end(x->from, x->inner) - x->inner <= SMALL_PANEL_BODY ? COPY_TILE : 1;
    Val end = loop_end(x->from, x->outer);
    x->within[0] = append_loop(x, x->side, 1, 1);
    for (Val v = x->outer + 1; v < end; v++)
        if (v == x->inner) x->within[1] = append_loop(x, x->side, inner->lanes, tile);
        else if (x->from->stmts[v].kind == ST_END) append_end(x, x->within[1]);
        else copy(x, v);
    append_end(x, x->within[0]);
}

static void append_panels(Panels *x)
{
    const Stmt *stmts = x->from->stmts;
    x->block[0] = append_loop(x, stmts[x->outer].extent / x->side, 1, 1);
    x->to.stmts[x->block[0]].parallel = stmts[x->outer].parallel;
    x->block[1] = append_loop(x, stmts[x->inner].extent / x->side, 1, 1);
    for (Val v = x->inner + 1; v < loop_end(x->from, x->inner); v++)
        if (x->panel[v]) fill_panel(x, v);
    run_panel(x);
    append_end(x, x->block[1]);
    append_end(x, x->block[0]);
}

enum { STMTS_OF_A_PANEL = 6, LOOPS_OF_PANELS = 8 };

/* Loops that are not cut have no statement of their own. */
static bool cut_kernel(Panels *x)
{
    const Kernel *k = x->from;
    bool any = false;
    x->to = *k;
    x->to.n_stmts = 0;
    x->to.stmts =
        arena_alloc(x->scratch, (STMTS_OF_A_PANEL + LOOPS_OF_PANELS) * (k->n_stmts + 1) * sizeof *k->stmts);
    x->map = arena_alloc(x->scratch, (k->n_stmts + 1) * sizeof *x->map);
    x->panel = arena_alloc(x->scratch, (k->n_stmts + 1) * sizeof *x->panel);
    for (Val v = 0; v < k->n_stmts; v++) {
        if (find_loops(x, v)) {
            append_panels(x);
            v = loop_end(k, v);
            any = true;
            continue;
        }
        x->panel[v] = 0;
        x->outer = x->inner = VAL_NONE;
        copy(x, v);
    }
    if (any) x->to.stmts = arena_copy(x->p->arena, x->to.stmts, x->to.n_stmts * sizeof *x->to.stmts);
    return any;
}

/* Is there a loop that could be cut? */
static bool has_squares(const Kernel *k)
{
    for (Val v = 0; v + 1 < k->n_stmts; v++)
        if (k->stmts[v].kind == ST_LOOP && k->stmts[v].lanes == 1 && k->stmts[v].tile >= 2) return !k->rows;
    return false;
}

void panels_make(Program *p, const Target *target)
{
    Arena *scratch = arena_within(p->arena);
    ArenaMark empty = arena_mark(scratch);
    for (uint32_t i = 0; i < p->n_kernels; i++) {
        Panels x = { .p = p, .scratch = scratch, .target = target, .from = &p->kernels[i] };
        if (has_squares(x.from) && cut_kernel(&x)) p->kernels[i] = x.to;
        arena_release(scratch, empty);
    }
    arena_free(scratch);
}
