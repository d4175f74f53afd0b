/* walks.c: lanes that walk along rows of memory side by side, as where a recurrence runs along the last axis
 * and lanes go across the others.
 *
 * Each step of such a loop wants one element of each row: as gathers, these are as many loads as lanes, from
 * as many lines of the cache, each of which is met again in the next steps. Instead, for every PERIOD steps
 * vectors along the rows are read whole and transposed in registers into a panel on the stack, one row of it
 * for each step; the steps load that. Loads of elements that are a few steps apart share a panel.
 *
 *     loop j : n { v = load %in[R i + j]; w = load %in[R i + j + 1]; ... }         lanes across i
 *
 *     loop j : n { if (j is base + PERIOD) { base = min(j, n - PERIOD);
 *                                            panel = rows from base on, transposed }
 *                  v = panel[j - base]; w = panel[j - base + 1]; ... }
 *
 * A panel holds PERIOD + (elements that its loads are apart) elements of each row: just those that the loop
 * itself reads in that time, so nothing else is touched; the last period overlaps the one before it. The
 * squares of registers that make up a panel overlap as well.
 */
#include "access.h"

/* Of panels, of all loads of a loop; of a vector, in lanes: fewer are gathered as fast, more take more
 * registers than there are. */
enum { MOST_MEMORY = 24 << 10, LEAST_LANES = 4, MOST_LANES = 16, MOST_PANELS = 16 };

typedef struct Panel {
    Val load;          /* one of its loads */
    int64_t low, high; /* offsets of its loads */
    uint32_t bytes;    /* of an element */
    uint32_t at;       /* in the memory of all panels */
} Panel;

struct Walk {
    Val loop;
    uint32_t lanes, tile; /* of the loop of lanes around it */
    uint32_t n;
    Panel panel[MOST_PANELS];
    int64_t period;
    LLVMValueRef base, back; /* the step that panels begin with: now, as the iteration began */
};

/* ---- which loads ---- */

/* Is it moved by loops that are open, and counters, alone, and by no tile but the one of lanes? */
static bool is_moved_by_loops(const Emitter *e, const Stmt *s, Val loop)
{
    int lane = lane_depth(e);
    for (uint32_t i = 0; i < s->address.n_terms; i++) {
        Val of = s->address.terms[i].of;
        uint8_t kind = e->kernel->stmts[of].kind;
        int d = 0;
        if (of == loop || kind == ST_COUNTER) continue;
        while (d < e->depth && e->loops[d].stmt != of) d++;
        if (kind != ST_LOOP || d == e->depth || (d != lane && e->loops[d].tile > 1)) return false;
    }
    return true;
}

static bool is_along_rows(const Emitter *e, const Stmt *s, Val loop)
{
    const OpenLoop *lane = &e->loops[lane_depth(e)];
    if (s->kind != ST_LOAD || s->args[0] != VAL_NONE) return false;
    int64_t row = address_coefficient(s->address, lane->stmt), step = address_coefficient(s->address, loop);
    uint32_t bytes = (uint32_t)dtype_bytes((DType)e->program->buffers[s->buffer].dtype);
    return (step == 1 || step == -1) && (row > MOST_ROW || row < -1) && can_transpose(lane->lanes, bytes) &&
           is_moved_by_loops(e, s, loop);
}

static bool is_apart_by_offset(const Stmt *a, const Stmt *b)
{
    Address moved = b->address;
    moved.offset = a->address.offset;
    return a->buffer == b->buffer && address_equal(a->address, moved);
}

/* Joins a panel or begins one; there may be too many. */
static void note_load(const Emitter *e, Walk *w, Val v)
{
    const Stmt *s = &e->kernel->stmts[v];
    int64_t offset = s->address.offset, most = w->lanes / 2;
    for (uint32_t i = 0; i < w->n; i++) {
        Panel *p = &w->panel[i];
        int64_t low = offset < p->low ? offset : p->low, high = offset > p->high ? offset : p->high;
        if (!is_apart_by_offset(&e->kernel->stmts[p->load], s) || high - low > most) continue;
        p->low = low;
        p->high = high;
        return;
    }
    if (w->n < MOST_PANELS)
        w->panel[w->n++] =
            (Panel){ .load = v,
                     .low = offset,
                     .high = offset,
                     .bytes = (uint32_t)dtype_bytes((DType)e->program->buffers[s->buffer].dtype) };
}

static int64_t panel_steps(const Walk *w, const Panel *p) { return w->period + p->high - p->low; }

/* Panels that have a vector's length and for which there is memory get their places; the others are
 * dropped. */
static void place_panels(const Emitter *e, Walk *w)
{
    uint32_t n = 0, at = 0;
    int64_t apart = 0, extent = e->kernel->stmts[w->loop].extent;
    for (uint32_t i = 0; i < w->n; i++)
        if (w->panel[i].high - w->panel[i].low > apart) apart = w->panel[i].high - w->panel[i].low;
    w->period = 2 * (int64_t)w->lanes - apart;
    if (w->period > extent) w->period = extent;
    for (uint32_t i = 0; i < w->n; i++) {
        Panel p = w->panel[i];
        int64_t steps = panel_steps(w, &p), bytes = steps * w->lanes * w->tile * p.bytes;
        if (steps < w->lanes || at + bytes > MOST_MEMORY) continue;
        p.at = at;
        at += (uint32_t)(bytes + 63) & ~63u;
        w->panel[n++] = p;
    }
    w->n = n;
}

Walk *find_walk(Emitter *e, Val loop)
{
    int d = lane_depth(e);
    if (d < 0 || e->loops[d].live || e->active.axes ||
        e->kernel->stmts[loop].lanes * e->kernel->stmts[loop].tile > 1)
        return NULL;
    for (int k = 0; k < e->depth; k++)
        if (e->loops[k].walk) return NULL;
    Walk w = { .loop = loop, .lanes = e->loops[d].lanes, .tile = e->loops[d].tile };
    if (w.lanes < LEAST_LANES || w.lanes > MOST_LANES) return NULL;
    for (Val v = loop + 1; v < e->ends[loop]; v++)
        if (is_along_rows(e, &e->kernel->stmts[v], loop) &&
            !is_stored(e, e->kernel->stmts[v].buffer, loop, e->ends[loop])) /* read ahead of the steps */
            note_load(e, &w, v);
    if (w.n) place_panels(e, &w);
    return w.n ? arena_copy(e->arena, &w, sizeof w) : NULL;
}

/* ---- filling ---- */

/* One block of memory for all walks of a function: one after the other. */
static LLVMValueRef panel_memory(Emitter *e)
{
    if (e->walked == e->function) return e->panels;
    LLVMBasicBlockRef now = block_now(e), entry = LLVMGetEntryBasicBlock(e->function);
    LLVMPositionBuilderBefore(e->b, LLVMGetFirstInstruction(entry));
    e->panels = LLVMBuildAlloca(e->b, LLVMArrayType2(e->i8, MOST_MEMORY), "panels");
    LLVMSetAlignment(e->panels, 64);
    LLVMPositionBuilderAtEnd(e->b, now);
    e->walked = e->function;
    return e->panels;
}

static LLVMValueRef moved(Emitter *e, LLVMValueRef pointer, LLVMValueRef by, int64_t scale)
{
    if (scale != 1) by = LLVMBuildMul(e->b, by, const_i64(e, scale), "");
    return LLVMBuildGEP2(e->b, e->i8, pointer, &by, 1, "");
}

/* The rows of one vector of lanes, of `lanes` steps from step number `first` of the panel on. */
static void fill_square(Emitter *e, const Walk *w, const Panel *p, LLVMValueRef from, LLVMValueRef to,
                        int64_t row, int64_t first)
{
    LLVMTypeRef type = type_lanes(LLVMIntTypeInContext(e->context, 8 * p->bytes), w->lanes);
    LLVMValueRef v[MOST_LANES];
    for (uint32_t l = 0; l < w->lanes; l++) {
        v[l] = LLVMBuildLoad2(e->b, type, moved(e, from, const_i64(e, (l * row + first) * p->bytes), 1), "");
        LLVMSetAlignment(v[l], p->bytes);
    }
    transpose_registers(e, v, w->lanes, p->bytes);
    for (uint32_t l = 0; l < w->lanes; l++) {
        int64_t at = (first + l) * w->lanes * w->tile * p->bytes;
        LLVMSetAlignment(LLVMBuildStore(e->b, v[l], moved(e, to, const_i64(e, at), 1)), w->lanes * p->bytes);
    }
}

/* A panel from step w->base on, vector by vector of the lanes' tile. */
static void fill_panel(Emitter *e, const Walk *w, const Panel *p)
{
    const Stmt *load = &e->kernel->stmts[p->load];
    int64_t row = address_coefficient(load->address, e->loops[lane_depth(e)].stmt),
            step = address_coefficient(load->address, w->loop), steps = panel_steps(w, p),
            first = p->low - load->address.offset - (step < 0 ? w->period - 1 : 0);
    LLVMValueRef from = moved(e, address_of_load(e, load), const_i64(e, first * p->bytes), 1),
                 to = moved(e, panel_memory(e), const_i64(e, p->at), 1);
    from = moved(e, from, w->base, step * p->bytes);
    LLVMBasicBlockRef before = block_now(e), body = block_new(e, "fill");
    block_enter(e, body);
    LLVMValueRef t = LLVMBuildPhi(e->b, e->i64, "t"), zero = const_i64(e, 0);
    LLVMValueRef rows = moved(e, from, t, row * w->lanes * p->bytes),
                 out = moved(e, to, t, w->lanes * p->bytes);
    fill_square(e, w, p, rows, out, row, 0);
    if (steps > w->lanes) fill_square(e, w, p, rows, out, row, steps - w->lanes);
    LLVMValueRef next = hidden(e, LLVMBuildAdd(e->b, t, const_i64(e, 1), ""));
    LLVMBasicBlockRef last = block_now(e), after = block_new(e, "filled");
    LLVMBuildCondBr(e->b, LLVMBuildICmp(e->b, LLVMIntNE, next, const_i64(e, w->tile), ""), body, after);
    LLVMAddIncoming(t, (LLVMValueRef[]){ zero, next }, (LLVMBasicBlockRef[]){ before, last }, 2);
    block_go_on(e, after, last);
}

/* ---- the loop ---- */

void walk_begin(Emitter *e, Walk *w, LLVMBasicBlockRef before)
{
    LLVMValueRef none = const_i64(e, -w->period);
    w->back = LLVMBuildPhi(e->b, e->i64, "base");
    LLVMAddIncoming(w->back, &none, &before, 1);
}

void walk_fill(Emitter *e, Walk *w, LLVMValueRef index)
{
    int64_t extent = e->kernel->stmts[w->loop].extent;
    LLVMValueRef end = LLVMBuildAdd(e->b, w->back, const_i64(e, w->period), ""),
                 latest = const_i64(e, extent - w->period);
    LLVMBasicBlockRef before = block_now(e),
                      after = when_begin(e, LLVMBuildICmp(e->b, LLVMIntEQ, index, end, ""));
    w->base = LLVMBuildSelect(e->b, LLVMBuildICmp(e->b, LLVMIntSLT, index, latest, ""), index, latest, "");
    for (uint32_t i = 0; i < w->n; i++) fill_panel(e, w, &w->panel[i]);
    LLVMValueRef from[] = { w->back, w->base };
    LLVMBasicBlockRef blocks[] = { before, block_now(e) };
    block_enter(e, after);
    w->base = LLVMBuildPhi(e->b, e->i64, "base");
    LLVMAddIncoming(w->base, from, blocks, 2);
}

void walk_end(Walk *w, LLVMBasicBlockRef last) { LLVMAddIncoming(w->back, &w->base, &last, 1); }

/* The panel that a load reads, or NULL. */
static const Panel *panel_of(const Emitter *e, const Walk *w, const Stmt *s)
{
    for (uint32_t i = 0; i < w->n; i++) {
        const Panel *p = &w->panel[i];
        if (is_apart_by_offset(&e->kernel->stmts[p->load], s) && s->address.offset >= p->low &&
            s->address.offset <= p->high && s->args[0] == VAL_NONE)
            return p;
    }
    return NULL;
}

bool load_walked(Emitter *e, const Stmt *s, LLVMTypeRef type, Value *out)
{
    int d = e->depth;
    while (d > 0 && !e->loops[d - 1].walk) d--;
    const Walk *w = d ? e->loops[d - 1].walk : NULL;
    const Panel *p = w ? panel_of(e, w, s) : NULL;
    if (!p) return false;
    int64_t step = address_coefficient(s->address, w->loop), pitch = (int64_t)w->lanes * w->tile * p->bytes,
            first = s->address.offset - p->low + (step < 0 ? w->period - 1 : 0);
    LLVMValueRef by = LLVMBuildSub(e->b, e->loops[d - 1].index, w->base, ""),
                 from = moved(e, panel_memory(e), const_i64(e, p->at + first * pitch), 1);
    from = moved(e, from, by, step * pitch);
    for (uint32_t t = 0; t < out->n; t++) {
        out->part[t] =
            LLVMBuildLoad2(e->b, type, moved(e, from, const_i64(e, t * w->lanes * p->bytes), 1), "");
        LLVMSetAlignment(out->part[t], w->lanes * p->bytes);
    }
    return true;
}
