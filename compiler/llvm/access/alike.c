/* alike.c: lanes that go across pixels, where the same is computed of each of their colours: a smaller image
 * out of means, say. Colour by colour, each value would be shuffled out of the pixels that were loaded, and
 * back into those that are stored. Instead, the vectors of the statements of all colours together hold whole
 * pixels, one behind another, as in memory: with n colours, lane l of L of that of colour c is colour
 * (L c + l) % n of pixel (L c + l) / n. What is done to the lanes is the same for all; only what loads and
 * what stores them differs.
 *
 * Only where all lanes count: the last ones of a row that is no multiple of them go colour by colour.
 */
#include "access.h"

enum { MOST_APART = 4 /* pixels from one lane to the next */, MOST_UNIT = 8, LEAST_LANES = 4 };

typedef struct Search {
    Emitter *e;
    Val first, end, lanes; /* the body of the loop in lanes, which has no loops of its own */
    uint32_t n;            /* colours */
    const Alike **found;   /* by statement */
    uint32_t *used;        /* by statement: how often those found use it */
    Val *stack;            /* found, their operands not yet looked at: the first of each group */
    uint32_t n_stack;
} Search;

static bool is_outside(const Search *s, Val v)
{
    return v < s->first || s->e->kernel->stmts[v].kind == ST_CONST;
}

/* May all colours be loaded together, where the first is? */
static bool are_loads_of_pixels(const Search *s, const Val *of)
{
    const Stmt *stmts = s->e->kernel->stmts, *x = &stmts[of[0]];
    DType t = (DType)s->e->program->buffers[x->buffer].dtype;
    int64_t step = address_coefficient(x->address, s->lanes), apart = step < 0 ? -step : step,
            bytes = (int64_t)dtype_bytes(t);
    bool is_dense = step == s->n, is_odd = s->n % 2 && bytes < 4;
    if (x->dtype != t || apart < s->n || apart > MOST_APART * (int64_t)s->n || (is_odd && !is_dense))
        return false;
    for (uint32_t c = 0; c < s->n; c++) {
        const Stmt *y = &stmts[of[c]];
        if (y->buffer != x->buffer || y->dtype != x->dtype || y->args[0] != VAL_NONE || s->e->moved[of[c]] ||
            !address_moves_alike(y->address, x->address) || y->address.offset != x->address.offset + c)
            return false;
    }
    return !has_data(s->e, x->address) && !is_stored(s->e, x->buffer, s->first, s->end);
}

static bool are_same_ops(const Search *s, const Val *of)
{
    const Stmt *stmts = s->e->kernel->stmts, *x = &stmts[of[0]];
    for (uint32_t c = 1; c < s->n; c++) {
        const Stmt *y = &stmts[of[c]];
        if (y->op != x->op || y->dtype != x->dtype || y->imm != x->imm) return false;
        if (stmt_has_attr(x) && (x->attr[0] != y->attr[0] || x->attr[1] != y->attr[1])) return false;
    }
    return true;
}

/* One value of each colour: known from now on, or known already, or the same for all lanes and colours. */
static bool add_group(Search *s, const Val *of)
{
    const Stmt *stmts = s->e->kernel->stmts;
    bool is_one = true;
    for (uint32_t c = 1; c < s->n; c++) {
        is_one &= of[c] == of[0];
        if (of[c] != VAL_NONE && of[0] != VAL_NONE && stmts[of[c]].kind != stmts[of[0]].kind) return false;
    }
    if (is_one && (of[0] == VAL_NONE || is_outside(s, of[0]))) return true;
    Alike group = { .n = s->n, .at = of[0] };
    for (uint32_t c = 0; c < s->n; c++) {
        if (of[c] == VAL_NONE || is_outside(s, of[c])) return false;
        group.of[c] = of[c];
        if (of[c] < group.at) group.at = of[c];
        s->used[of[c]]++;
    }
    if (s->found[of[0]]) {
        for (uint32_t c = 0; c < s->n; c++)
            if (s->found[of[c]] != s->found[of[0]] || s->found[of[0]]->of[c] != of[c]) return false;
        return true;
    }
    bool fits = stmts[of[0]].kind == ST_LOAD ? are_loads_of_pixels(s, of)
                                             : stmts[of[0]].kind == ST_OP && are_same_ops(s, of);
    if (!fits) return false;
    const Alike *kept = arena_copy(s->e->arena, &group, sizeof group);
    for (uint32_t c = 0; c < s->n; c++) {
        if (s->found[of[c]]) return false;
        s->found[of[c]] = kept;
    }
    s->stack[s->n_stack++] = of[0];
    return true;
}

static bool add_operands(Search *s, const Alike *group)
{
    const Stmt *stmts = s->e->kernel->stmts;
    if (stmts[group->of[0]].kind == ST_LOAD) return true;
    for (int a = 0; a < 3; a++) {
        Val of[MOST_WOVEN];
        for (uint32_t c = 0; c < s->n; c++) of[c] = stmts[group->of[c]].args[a];
        if (!add_group(s, of)) return false;
    }
    return true;
}

/* The stores of one pixel, by colour. False: something else is stored, or they are not of this loop. */
static bool add_stores(Search *s, const Woven *w)
{
    const Stmt *stmts = s->e->kernel->stmts;
    Val value[MOST_WOVEN];
    Alike group = { .n = s->n, .at = w->last };
    for (uint32_t c = 0; c < s->n; c++) group.of[c] = VAL_NONE;
    for (uint32_t k = 0; k < s->n; k++) {
        int64_t c = stmts[w->of[k]].address.offset - stmts[w->of[0]].address.offset;
        if (c < 0 || c >= s->n || group.of[c] != VAL_NONE || is_idle_store(s->e, w->of[k])) return false;
        group.of[c] = w->of[k];
        value[c] = stmts[w->of[k]].args[0];
    }
    if (has_data(s->e, stmts[w->last].address) || value[0] == VAL_NONE || is_outside(s, value[0]))
        return false;
    const Alike *kept = arena_copy(s->e->arena, &group, sizeof group);
    for (uint32_t c = 0; c < s->n; c++) s->found[group.of[c]] = kept;
    return add_group(s, value);
}

/* Everything in the body is of one such group of stores after another, and nothing is used apart. */
static bool find_in_body(Search *s)
{
    const Emitter *e = s->e;
    const Stmt *stmts = e->kernel->stmts;
    bool stores = false;
    for (Val v = s->first; v < s->end; v++) {
        if (stmts[v].kind != ST_STORE) continue;
        const Woven *w = e->woven[v];
        if (!w || e->moved[v] || w->n != w->stride) return false;
        s->n = w->n;
        stores = true;
        if (v == w->last && !add_stores(s, w)) return false;
        while (s->n_stack)
            if (!add_operands(s, s->found[s->stack[--s->n_stack]])) return false;
    }
    for (Val v = s->first; v < s->end; v++)
        if (s->found[v] && stmts[v].kind != ST_STORE && s->used[v] != e->uses[v]) return false;
    return stores;
}

void find_alike(Emitter *e)
{
    const Kernel *k = e->kernel;
    Search s = { .e = e,
                 .found = arena_alloc(e->arena, (k->n_stmts + 1) * sizeof(Alike *)),
                 .used = arena_alloc(e->arena, (k->n_stmts + 1) * sizeof *s.used),
                 .stack = arena_alloc(e->arena, (k->n_stmts + 1) * sizeof *s.stack) };
    bool plain[MAX_LOOP_DEPTH + 1] = { true }; /* by depth: no loop around has tiles, or ends by a test */
    int depth = 0;
    e->alike = arena_alloc(e->arena, (k->n_stmts + 1) * sizeof(Alike *));
    for (Val v = 0; v < k->n_stmts; v++) {
        const Stmt *x = &k->stmts[v];
        if (x->kind == ST_END) depth--;
        if (x->kind != ST_LOOP) continue;
        bool fits = plain[depth] && x->lanes >= LEAST_LANES && x->extent != EXTENT_WHILE;
        plain[depth + 1] = plain[depth] && x->lanes == 1 && x->tile == 1 && x->extent != EXTENT_WHILE;
        depth++;
        if (!fits) continue;
        s.first = v + 1;
        s.end = plain_body_end(e, v);
        s.lanes = v;
        s.n_stack = 0;
        if (s.end == VAL_NONE || !find_in_body(&s)) continue;
        for (Val at = s.first; at < s.end; at++) e->alike[at] = s.found[at];
    }
}

/* ---- emitting ---- */

/* Those that the statement belongs to; NULL: none, or some lanes do not count now. */
static const Alike *alike_now(const Emitter *e, Val at)
{
    int d = lane_depth(e);
    return d < 0 || e->loops[d].live || e->active.axes ? NULL : e->alike[at];
}

/* Pixels in units, which are what shuffles move: elements, or as many together as pixels and the steps
 * between them are multiples of. */
typedef struct Layout {
    uint32_t lanes;       /* units in a vector, of which there are as many as colours */
    uint32_t unit, align; /* bytes */
    int64_t pixels, pixel, step;
} Layout;

static Layout layout_of(const Alike *a, int64_t step, uint32_t lanes, uint32_t bytes)
{
    uint32_t unit = bytes;
    while (unit < MOST_UNIT && a->n * bytes % (2 * unit) == 0 && step * bytes % (2 * unit) == 0 &&
           lanes * bytes >= 4 * unit)
        unit *= 2;
    return (Layout){ .lanes = lanes * bytes / unit,
                     .unit = unit,
                     .align = bytes,
                     .pixels = lanes,
                     .pixel = a->n * bytes / unit,
                     .step = step * bytes / unit };
}

/* Where unit u of the pixels lies behind the lowest of them. */
static int64_t place_of_unit(const Layout *y, int64_t u)
{
    int64_t pixel = u / y->pixel;
    return (y->step < 0 ? (y->pixels - 1 - pixel) * -y->step : pixel * y->step) + u % y->pixel;
}

/* One vector of pixels. Vectors of memory are loaded whole, the last so that it ends with the last pixel, and
 * shuffled in one after the other. LLVM makes one of loads that are equal. */
static LLVMValueRef load_vector_of_pixels(Emitter *e, const Layout *y, LLVMValueRef lowest, uint32_t number)
{
    LLVMTypeRef type = type_lanes(LLVMIntTypeInContext(e->context, 8 * y->unit), y->lanes);
    int64_t span = (y->pixels - 1) * (y->step < 0 ? -y->step : y->step) + y->pixel, lanes = y->lanes;
    LLVMValueRef v = NULL;
    for (int64_t from = 0; from < span; from += lanes) {
        int64_t first = from + lanes > span ? span - lanes : from;
        bool some = false;
        int lane[64];
        for (int64_t l = 0; l < lanes; l++) {
            int64_t at = place_of_unit(y, number * lanes + l);
            bool is_here = at >= from && at < from + lanes;
            lane[l] = is_here ? (int)(at - first + (v ? lanes : 0)) : (int)l;
            some |= is_here;
        }
        if (!some) continue;
        LLVMValueRef loaded = LLVMBuildLoad2(e->b, type, at_bytes(e, lowest, first * y->unit), "");
        LLVMSetAlignment(loaded, y->align);
        v = v ? shuffle(e, v, loaded, lane, y->lanes) : shuffle(e, loaded, NULL, lane, y->lanes);
    }
    return v;
}

bool load_alike(Emitter *e, Val at)
{
    const Alike *a = alike_now(e, at);
    if (!a || at != a->at) return a != NULL;
    const Stmt *s = &e->kernel->stmts[a->of[0]];
    const OpenLoop *lane = &e->loops[lane_depth(e)];
    Axes axes = axes_of_address(e, s);
    DType t = (DType)s->dtype;
    int64_t step = address_coefficient(s->address, lane->stmt);
    Layout y = layout_of(a, step, lane->lanes, (uint32_t)dtype_bytes(t));
    for (uint32_t c = 0; c < a->n; c++) value_new(e, a->of[c], s->dtype, axes);
    for (uint32_t i = 0; i < parts_of(e, axes); i++) {
        LLVMValueRef lowest = address_of_part(e, s, axes, i);
        if (step < 0) lowest = at_bytes(e, lowest, (lane->lanes - 1) * step * y.align);
        for (uint32_t c = 0; c < a->n; c++) {
            LLVMValueRef v = load_vector_of_pixels(e, &y, lowest, c);
            v = LLVMBuildBitCast(e->b, v, type_in_memory(e, t, lane->lanes), "");
            e->values[a->of[c]].part[i] = from_memory(e, a->of[c], v);
        }
        block_breathe(e, 2 * a->n);
    }
    return true;
}

bool store_alike(Emitter *e, Val at)
{
    const Alike *a = alike_now(e, at);
    if (!a || at != a->at) return a != NULL;
    const Stmt *stmts = e->kernel->stmts, *s = &stmts[a->of[0]];
    Axes axes = axes_of_address(e, s);
    DType t = (DType)e->program->buffers[s->buffer].dtype;
    uint32_t lanes = axes_lanes(e, axes), bytes = (uint32_t)dtype_bytes(t), parts = parts_of(e, axes);
    for (uint32_t i = 0; i < parts; i++) {
        LLVMValueRef to = address_of_part(e, s, axes, i);
        for (uint32_t c = 0; c < a->n; c++) {
            LLVMValueRef v = to_memory(e, t, operand(e, stmts[a->of[c]].args[0], axes, i));
            dense_store(e, v, at_bytes(e, to, (int64_t)c * lanes * bytes), bytes, NULL);
        }
    }
    block_breathe(e, a->n * parts);
    return true;
}
