/* point_loops.c: loops over the elements of a result, whole or in pieces.
 *
 * A kernel is first built whole. Where a condition on an index is not known for all of a loop, because what
 * is read there is padding, or another part of a concatenation, or beyond a clipped index, the place is
 * noted; if such conditions change at few places only, the loops are cut there, and the kernel is built
 * again. In each piece the conditions are constants: no masks, no selects, and what is not wanted is not
 * computed. The steps of a scan are cut alike (point_control.c), and so are the updates of a scatter
 * (kernel_scatter.c): their pieces run one after the other, and indices keep their order.
 */
#include "point.h"
#include "compiler/fuse/integers.h"
#include <string.h>

/* ---- the shape of loops ---- */

/* The loops over a result of this type: their extents, and the axis whose index each has. */
static int loop_axes(Type t, const bool *joined, int *axis, int64_t *extents)
{
    int n = 0;
    for (int d = 0; d < t.rank;) {
        int64_t extent = t.dim[d];
        int last = d;
        while (last + 1 < t.rank && joined[last]) extent *= t.dim[++last];
        if (extent > 1) {
            axis[n] = point_run_axis(t, d, last);
            extents[n++] = extent;
        }
        d = last + 1;
    }
    return n;
}

static LoopShape loop_shape(const Build *b, int64_t extent, int number, int n)
{
    LoopShape s = { .extent = extent, .lanes = 1, .tile = 1, .parallel = number == 0, .independent = true };
    int across = b->schedule.root_across;
    if (across && n > across) {
        if (number == n - 1 - across) {
            s.lanes = b->schedule.lanes;
            if (b->schedule.across_tile) s.tile = b->schedule.across_tile;
        } else if (number == n - 2 - across) s.tile = b->schedule.outer_tile;
    } else if (number == n - 1) {
        s.lanes = b->schedule.root_lanes ? b->schedule.lanes : 1;
        s.tile = b->schedule.root_tile;
    } else if (number == n - 2) s.tile = b->schedule.outer_tile;
    return s;
}

void join_axes(const Build *b, Ref x, int first, bool *joined)
{
    for (int d = first; d + 1 < type_of(b, x).rank; d++) joined[d] = point_collapses(b, x, d);
}

/* ---- pieces ---- */

/* Loops for the sizes of its axes. */
static void open_sweep(Sweep *w)
{
    w->n = w->n_axes + (w->row > 0);
    for (int k = 0; k < w->n; k++) {
        int64_t extent = w->size[w->row && k > w->split ? k - 1 : k];
        if (w->row && k == w->split) extent /= w->row;
        if (w->row && k == w->split + 1) extent = w->row;
        w->loop[k] = w->found[k] = (Seams){ .extent = extent, .period = 1 };
    }
}

Piece sweep_begin(Build *b, Type t, const bool *joined)
{
    int axis[WEFT_MAX_RANK + 1];
    int64_t extents[WEFT_MAX_RANK + 1];
    int n = loop_axes(t, joined, axis, extents);
    if (b->sweep == b->n_sweeps) {
        b->sweeps =
            arena_grow(b->kept, b->sweeps, b->n_sweeps, &b->cap_sweeps, b->n_sweeps + 1, sizeof(Sweep *));
        b->sweeps[b->n_sweeps++] = arena_alloc(b->kept, sizeof(Sweep));
    }
    Sweep *w = b->sweeps[b->sweep++];
    if (w->n_axes != n || memcmp(w->size, extents, (size_t)n * sizeof *extents)) {
        *w = (Sweep){ .n_axes = n };
        memcpy(w->size, extents, (size_t)n * sizeof *extents);
        open_sweep(w);
    }
    return (Piece){ .sweep = w };
}

/* Nodes are computed at few indices in each piece; how many pieces there are is no matter. */
static void forget_points(Build *b)
{
    for (uint32_t i = 0; i < b->n_touched; i++) b->plan[b->touched[i]].build.points = 0;
}

/* Between two seams so far apart: one for each rest; and one for each index behind the last whole period. */
static int64_t pieces_between(const Seams *s, int64_t length)
{
    if (s->period == 1) return 1;
    return (length >= s->period ? s->period : 0) + length % s->period;
}

/* Where the part behind seam i begins, and how long it is. */
static int64_t part_of(const Seams *s, int i, int64_t *length)
{
    int64_t begin = i ? s->at[i - 1] : 0;
    *length = (i < s->n ? s->at[i] : s->extent) - begin;
    return begin;
}

static int64_t pieces_of_loop(const Seams *s)
{
    int64_t n = 0, length;
    for (int i = 0; i <= s->n; i++) {
        part_of(s, i, &length);
        n += pieces_between(s, length);
    }
    return n;
}

/* What piece number i of a loop is. */
static void choose_piece(Piece *p, int k, int64_t i)
{
    const Seams *s = &p->sweep->loop[k];
    int part = 0;
    int64_t length;
    while (p->begin[k] = part_of(s, part, &length), i >= pieces_between(s, length)) {
        i -= pieces_between(s, length);
        part++;
    }
    bool is_rest = length >= s->period && i < s->period;
    p->step[k] = s->period;
    p->extent[k] = is_rest ? length / s->period : 1;
    p->from[k] = p->begin[k] + i;
    if (!is_rest && length >= s->period) p->from[k] += length / s->period * s->period - s->period;
}

bool sweep_next(Build *b, Piece *p)
{
    int64_t rest = p->number++;
    for (int k = p->sweep->n; k-- > 0;) {
        int64_t n = pieces_of_loop(&p->sweep->loop[k]);
        choose_piece(p, k, rest % n);
        rest /= n;
    }
    if (rest) return false;
    if (p->number > 1) forget_points(b);
    b->piece = p;
    return true;
}

void sweep_end(Build *b) { b->piece = NULL; }

/* The loop at this place, from the outermost: in the result's order, but for that which comes next to the
 * innermost from further out. */
static int loop_at(const Build *b, int place, int n)
{
    int outer = n - 2 - b->schedule.outer_from;
    if (outer < 0 || place < outer || place == n - 1) return place;
    return place == n - 2 ? outer : place + 1;
}

uint32_t sweep_loops(Build *b, Piece *p, Type t, const bool *joined, uint32_t phase, Address *at)
{
    int axis[WEFT_MAX_RANK + 1];
    int64_t extents[WEFT_MAX_RANK + 1];
    int n = loop_axes(t, joined, axis, extents);
    int64_t row = p->sweep ? p->sweep->row : 0;
    int split = row ? p->sweep->split : -1;
    uint32_t block = 0;
    if (row) {
        memmove(axis + split + 1, axis + split, (size_t)(n - split) * sizeof *axis);
        n++;
    }
    for (int d = 0; d < t.rank; d++) at[d] = address_number(0);
    for (int place = 0; place < n; place++) {
        int k = loop_at(b, place, n);
        int64_t scale = k == split ? row : 1;
        Address *index = &at[axis[k]];
        p->loop[k] = VAL_NONE;
        *index = address_shift(*index, scale * p->from[k]);
        if (b->schedule.block && k >= n - 2) continue;
        if (p->extent[k] == 1) continue;
        p->loop[k] = nest_loop(&b->nest, block, phase, loop_shape(b, p->extent[k], place, n), false);
        *index = address_add(b->arena, *index, address_of(b->arena, p->loop[k], scale * p->step[k]));
        block = nest_body(&b->nest, p->loop[k]);
    }
    return b->schedule.block
               ? panels_loops(b, p->extent + n - 2, block, phase, &at[axis[n - 2]], &at[axis[n - 1]])
               : block;
}

uint32_t point_loops(Build *b, Type t, const bool *joined, uint32_t phase, Address *at)
{
    int axis[WEFT_MAX_RANK + 1];
    Piece whole = { .number = 0 };
    int n = loop_axes(t, joined, axis, whole.extent);
    for (int k = 0; k < n; k++) whole.step[k] = 1;
    return sweep_loops(b, &whole, t, joined, phase, at);
}

uint32_t point_loops_over(Build *b, Ref x, uint32_t phase, Address **at)
{
    bool joined[WEFT_MAX_RANK + 1] = { false };
    join_axes(b, x, 0, joined);
    *at = new_index(b, type_of(b, x).rank);
    return point_loops(b, type_of(b, x), joined, phase, *at);
}

/* ---- seams ---- */

static void add_seam(Seams *s, int64_t at)
{
    int i = 0;
    if (at <= 0 || at >= s->extent) return;
    while (i < s->n && s->at[i] < at) i++;
    if (i < s->n && s->at[i] == at) return;
    if (s->n == MAX_SEAMS) {
        s->too_many = true;
        return;
    }
    memmove(s->at + i + 1, s->at + i, (size_t)(s->n - i) * sizeof *s->at);
    s->at[i] = at;
    s->n++;
}

/* The least i with coef * i + offset >= bound, for coef > 0. */
static int64_t first_reaching(int64_t coef, int64_t offset, int64_t bound)
{
    int64_t d = bound - offset;
    return d >= 0 ? (d + coef - 1) / coef : -(-d / coef);
}

/* The first loop of the piece that the address has as a term; -1: none. several: are there more? */
static int piece_loop(const Build *b, Address a, int64_t *coef, bool *several)
{
    int found = -1;
    for (uint32_t i = 0; i < a.n_terms; i++)
        for (int k = 0; k < b->piece->sweep->n; k++) {
            if (b->piece->loop[k] != a.terms[i].of) continue;
            *several = found >= 0;
            found = k;
            *coef = a.terms[i].coef;
        }
    return found;
}

/* The first index from which on coef * index + offset is at least `bound` (coef > 0), or less than it. */
static int64_t seam_of(int64_t coef, int64_t offset, int64_t bound)
{
    return coef > 0 ? first_reaching(coef, offset, bound) : first_reaching(-coef, -offset, 1 - bound);
}

void note_seam(Build *b, Address a, int64_t bound)
{
    int64_t coef = 0, low, high;
    bool several = false;
    int k = b->piece && (b->piece->sweep->in_order || !b->frame) ? piece_loop(b, a, &coef, &several) : -1;
    if (k < 0 || several) return;
    Address rest = address_add(b->arena, a, address_of(b->arena, b->piece->loop[k], -coef));
    if (!address_range(b, rest, &low, &high)) return;
    Seams *s = &b->piece->sweep->found[k];
    add_seam(s, b->piece->begin[k] + b->piece->step[k] * seam_of(coef, low, bound));
    add_seam(s, b->piece->begin[k] + b->piece->step[k] * seam_of(coef, high, bound));
}

/* Sweeps of the same loops are cut alike, so that they share them. */
static bool any_seams(const Sweep *w)
{
    for (int k = 0; k < w->n; k++)
        if (w->found[k].n) return true;
    return false;
}

static void share_seams(Build *b)
{
    for (uint32_t j = 0; j < b->n_sweeps; j++) {
        const Sweep *from = b->sweeps[j];
        for (uint32_t i = 0; i < b->n_sweeps && any_seams(from); i++) {
            Sweep *to = b->sweeps[i];
            bool same = i != j && to->n == from->n;
            for (int k = 0; k < to->n && same; k++) same = to->loop[k].extent == from->loop[k].extent;
            for (int k = 0; k < to->n && same; k++)
                for (int m = 0; m < from->found[k].n; m++) add_seam(&to->found[k], from->found[k].at[m]);
        }
    }
}

bool computes_dear(const Build *b, float cost)
{
    for (Val v = 0; v < b->nest.n_stmts; v++) {
        const Stmt *s = &b->nest.stmts[v];
        if (s->kind == ST_OP && op_cost((Op)s->op, (DType)s->dtype) >= cost) return true;
    }
    return false;
}

/* Of vectors of rows of so many elements, is a part idle that costs much? */
static bool dear_lanes_idle(const Build *b, int64_t elements)
{
    int64_t lanes = b->schedule.lanes, whole = (elements + lanes - 1) / lanes * lanes;
    return (double)elements <= LANES_WELL_USED * (double)whole && computes_dear(b, COST_MATH_FUNCTION);
}

/* The innermost loops of the sweep whose indices are few together, if the one around them is long: lanes go
 * there for what is folded along them; and if lanes along them would be few, or would be cut apart. */
static uint8_t short_loops(const Build *b, const Sweep *w, bool folds)
{
    int64_t indices = 1;
    uint8_t n = 0;
    bool cut = false;
    for (int k = w->n - 1; k > 0 && indices * w->loop[k].extent <= MAX_SHORT_ROW; k--, n++) {
        indices *= w->loop[k].extent;
        cut |= w->found[k].n > 0;
    }
    if (!n || w->in_order || w->loop[w->n - 1 - n].extent < b->schedule.lanes) return 0;
    bool is_part = indices <= MAX_SHORT_AXIS && (cut || 2 * indices <= b->schedule.lanes);
    return folds || is_part || dear_lanes_idle(b, indices) ? n : 0;
}

uint8_t sweeps_are_short(const Build *b)
{
    bool folds = nest_has_reducers(&b->nest);
    uint8_t n = b->n_sweeps > 0 && b->schedule.lanes > 1 ? short_loops(b, b->sweeps[0], folds) : 0;
    for (uint32_t i = 1; i < b->n_sweeps; i++)
        if (short_loops(b, b->sweeps[i], folds) != n) return 0;
    return n;
}

void sweeps_write_out(Build *b)
{
    for (uint32_t i = 0; i < b->n_sweeps; i++) {
        Sweep *w = b->sweeps[i];
        for (int k = w->n - b->schedule.root_across; k < w->n; k++) {
            for (int64_t at = 1; at < w->loop[k].extent; at++) add_seam(&w->found[k], at);
            w->loop[k] = w->found[k];
        }
    }
}

static double pieces_of(const Seams *s, int n)
{
    double pieces = 1;
    for (int k = 0; k < n; k++) pieces *= (double)pieces_of_loop(&s[k]);
    return pieces;
}

/* Vectors of the loop in pieces; a last one that is not full is one. */
static int64_t vectors_of(const Seams *s, int64_t lanes)
{
    int64_t vectors = 0, length;
    for (int i = 0; i <= s->n; i++) {
        part_of(s, i, &length);
        vectors += (length + lanes - 1) / lanes;
    }
    return vectors;
}

/* Pieces run one after the other. Where indices must keep their order, a loop is cut only if those around it
 * have one index in each piece. */
static void keep_order(Sweep *w)
{
    int k = 0;
    while (k < w->n && w->found[k].n == w->found[k].extent - 1) k++;
    while (++k < w->n) w->found[k].n = 0;
}

/* Of a loop in lanes whose body is large: a piece shorter than a vector is not worth its code, as masks and
 * choices do it with the vector beside it. */
static void leave_out_short(Seams *s, int64_t lanes)
{
    int n = 0;
    for (int i = 0; i < s->n; i++) {
        int64_t from = n ? s->at[n - 1] : 0, to = i + 1 < s->n ? s->at[i + 1] : s->extent;
        if (s->at[i] - from >= lanes && to - s->at[i] >= lanes) s->at[n++] = s->at[i];
    }
    s->n = n;
}

/* Leaves those out that cost more than they bring: of the loop in lanes, if it is a few vectors long or
 * becomes twice as many, unless a few numbers are all there is; of one that has too many; and the outermost
 * (where order counts, the innermost) until what is left is not too much code. */
static void choose_seams(const Build *b, Sweep *w, double stmts)
{
    double elements = 1;
    for (int k = 0; k < w->n; k++) elements *= (double)w->loop[k].extent;
    bool has_lanes = !w->in_order && !b->schedule.root_across && elements > MAX_WRITTEN_OUT;
    for (int k = 0; k < w->n; k++) {
        int64_t lanes = b->schedule.lanes, whole = (w->found[k].extent + lanes - 1) / lanes;
        bool is_short = has_lanes && k == w->n - 1 &&
                        (w->found[k].extent < 2 * lanes || vectors_of(&w->found[k], lanes) >= 2 * whole);
        if (is_short || w->found[k].too_many) w->found[k].n = 0;
        bool is_large = has_lanes && k == w->n - 1 && !w->loop[k].n && stmts >= LARGE_PIECE;
        if (is_large) leave_out_short(&w->found[k], lanes);
    }
    if (w->in_order) keep_order(w);
    for (int i = 0; i < w->n && pieces_of(w->found, w->n) * stmts > MAX_PIECED_STMTS; i++)
        w->found[w->in_order ? w->n - 1 - i : i].n = 0;
}

/* Where lanes begin behind a seam, vectors that are stored would lie across two lines of the cache each, in
 * every row: a second seam lets the long rest begin at a whole vector (jacobi2d_256_100: 0.67 -> 0.49 ms). */
static void align_stores(const Build *b, Sweep *w)
{
    int64_t lanes = b->schedule.root_lanes && !b->schedule.root_across ? b->schedule.lanes : 1;
    Seams *s = &w->found[w->n - 1];
    if (lanes == 1 || s->extent % lanes) return;
    for (int i = 0; i < s->n; i++) {
        int64_t whole = (s->at[i] + lanes - 1) / lanes * lanes, end = i + 1 < s->n ? s->at[i + 1] : s->extent;
        if (end - whole >= LONG_REST * lanes) add_seam(s, whole);
    }
}

/* What stands in a kernel whose folds go over whole rows of a result shares these rows' loops: they stay
 * whole. */
static bool folds_rows(const Build *b)
{
    for (Val v = 0; v < b->nest.n_stmts; v++)
        if (b->nest.stmts[v].kind == ST_REDUCER && b->nest.placed[v].block != b->root_block &&
            nest_encloses(&b->nest, b->nest.placed[v].block, b->root_block))
            return true;
    return false;
}

bool sweeps_have_seams(const Build *b)
{
    for (uint32_t i = 0; i < b->n_sweeps; i++)
        for (int k = 0; k < b->sweeps[i]->n - b->schedule.root_across; k++)
            if (b->sweeps[i]->found[k].n) return true;
    return false;
}

/* The seams at which quotients change that are needed. */
static void add_crossings(Build *b)
{
    const bool *used = b->n_periods ? nest_used(&b->nest) : NULL;
    for (uint32_t i = 0; i < b->n_periods; i++) {
        const PeriodFound *p = &b->periods[i];
        if (!p->period && (used[p->quotient] || used[p->rest])) add_seam(&p->sweep->found[p->loop], p->seam);
    }
}

/* Statements of one piece of all sweeps. */
static double stmts_of_piece(const Build *b)
{
    double pieces = 0;
    for (uint32_t i = 0; i < b->n_sweeps; i++) pieces += pieces_of(b->sweeps[i]->loop, b->sweeps[i]->n);
    return b->nest.n_stmts / pieces * b->n_sweeps;
}

bool sweeps_cut(Build *b)
{
    bool changed = false;
    if (folds_rows(b)) return false;
    add_crossings(b);
    share_seams(b);
    double stmts = stmts_of_piece(b);
    for (uint32_t i = 0; i < b->n_sweeps; i++) {
        Sweep *w = b->sweeps[i];
        choose_seams(b, w, stmts);
        if (w->n && !w->in_order) align_stores(b, w);
        for (int k = 0; k < w->n; k++) changed |= w->found[k].n > w->loop[k].n;
        memcpy(w->loop, w->found, (size_t)w->n * sizeof *w->loop);
    }
    return changed;
}

/* ---- periods ---- */

static void push_period(Build *b, PeriodFound p)
{
    b->periods =
        arena_grow(b->arena, b->periods, b->n_periods, &b->cap_periods, b->n_periods + 1, sizeof *b->periods);
    b->periods[b->n_periods++] = p;
}

/* Notes the few places where the quotient by m changes along a loop. False: they are not few. */
static bool note_crossings(Build *b, Address left, int64_t m, Val quotient, Val rest)
{
    int64_t coef = 0, low, high;
    bool several = false;
    int k = piece_loop(b, left, &coef, &several);
    if (k < 0 || left.n_terms != 1 || !address_range(b, left, &low, &high) || low < 0 ||
        high / m - low / m > MAX_CROSSED)
        return false;
    for (int64_t t = low / m + 1; t <= high / m; t++) {
        int64_t at = b->piece->begin[k] + b->piece->step[k] * seam_of(coef, left.offset, t * m);
        push_period(b, (PeriodFound){ b->piece->sweep, k, 0, at, quotient, rest, false });
    }
    int64_t by = coef < 0 ? -coef : coef;
    if (by && m % by == 0)
        push_period(b,
                    (PeriodFound){ b->piece->sweep, k, m / by * b->piece->step[k], 0, quotient, rest, true });
    return true;
}

void note_period(Build *b, Address a, Address left, int64_t m, Val quotient, Val rest)
{
    uint32_t before = b->n_periods;
    bool known = b->piece && !b->piece->sweep->in_order && !b->frame;
    if (known && m > MAX_PERIOD && note_crossings(b, left, m, quotient, rest)) return;
    for (uint32_t i = 0; i < a.n_terms && known; i++) {
        int64_t coef = 0;
        bool several = false;
        int k = piece_loop(b, address_of(b->arena, a.terms[i].of, a.terms[i].coef), &coef, &several);
        if (a.terms[i].coef % m == 0) continue;
        known = k >= 0;
        if (!known) break;
        int64_t period = m / common_divisor(m, coef < 0 ? -coef : coef);
        int64_t steps = period * b->piece->step[k];
        push_period(b, (PeriodFound){ b->piece->sweep, k, steps, 0, quotient, rest, false });
    }
    if (!known) b->n_periods = before;
}

/* What is read along the lanes would be read at every such element: are these shuffled out of vectors, or is
 * nothing read so? Gathers cost more than to choose in each lane (i % 7 beside x[i] with AVX2: 34 us by
 * lanes, 56 by rests). */
static bool period_reads_well(const Build *b, int64_t period)
{
    if (period <= MAX_NARROW_PERIOD) return true;
    const bool *used = nest_used(&b->nest);
    for (Val v = 0; v < b->nest.n_stmts; v++) {
        const Stmt *s = &b->nest.stmts[v];
        bool shuffled =
            b->target->vector_registers >= MANY_REGISTERS && dtype_bytes((DType)s->dtype) >= sizeof(float);
        for (uint32_t i = 0; i < s->address.n_terms && s->kind == ST_LOAD && used[v] && !shuffled; i++) {
            const Stmt *of = &b->nest.stmts[s->address.terms[i].of];
            if (of->kind == ST_LOOP && of->lanes > 1) return false;
        }
    }
    return true;
}

/* Is a loop of this extent long enough for it? Lanes go along the pieces. Around folds only the loop in lanes
 * goes by rests: others are tiled, which is better with one sum than with several (products of repeated rows,
 * 256 x 256 x 256: 0.29 ms, by rests 0.44). */
static bool period_fits(const Build *b, const Sweep *w, int loop, int64_t period)
{
    int lanes = w->n - 1 - b->schedule.root_across;
    int64_t length = w->found[loop].extent / period;
    if (period > MAX_PERIOD || length == 0) return false;
    if (loop != lanes) return !nest_has_reducers(&b->nest);
    return 4 * length >= b->schedule.lanes && period_reads_well(b, period);
}

/* The loop goes by the period, too, and so it does in all sweeps of the same loops. */
static bool add_period(Build *b, const Sweep *of, int loop, int64_t period)
{
    bool changed = false;
    for (uint32_t i = 0; i < b->n_sweeps; i++) {
        Sweep *w = b->sweeps[i];
        bool same = w->n == of->n;
        for (int k = 0; k < w->n && same; k++) same = w->found[k].extent == of->found[k].extent;
        if (!same) continue;
        Seams *s = &w->found[loop];
        int64_t both = s->period / common_divisor(s->period, period) * period;
        if (both == s->period || !period_fits(b, w, loop, both)) continue;
        s->period = both;
        changed = true;
    }
    return changed;
}

/* The loop in lanes becomes two, and so it does in all sweeps of the same axes. */
static bool add_row(Build *b, const Sweep *of, int loop, int64_t row)
{
    int n = of->n_axes;
    int64_t size[WEFT_MAX_RANK + 1];
    memcpy(size, of->size, sizeof size);
    if (loop != n - 1 - b->schedule.root_across || of->row || n >= WEFT_MAX_RANK || size[loop] % row ||
        size[loop] == row || nest_has_reducers(&b->nest))
        return false;
    for (uint32_t i = 0; i < b->n_sweeps; i++) {
        Sweep *w = b->sweeps[i];
        if (w->n_axes != n || memcmp(w->size, size, (size_t)n * sizeof *size)) continue;
        w->row = row;
        w->split = loop;
        open_sweep(w);
    }
    return true;
}

/* Would the pieces between the places where the quotient changes be so much code together that two loops are
 * better, the inner one of whole vectors? */
static bool is_long_in_pieces(const Build *b, const PeriodFound *p, double stmts)
{
    int64_t pieces = p->sweep->found[p->loop].extent / p->period;
    return p->period % b->schedule.lanes == 0 && stmts * (double)pieces > LONG_PIECED_STMTS;
}

/* Leaves periods out, the outermost first, until what is left is not too much code; seams are found again, if
 * there are any left. */
static void choose_periods(Sweep *w, double stmts)
{
    double periods = 1;
    for (int k = 0; k < w->n; k++) {
        w->found[k].n = 0;
        periods *= (double)w->found[k].period;
    }
    for (int k = 0; k < w->n && periods * stmts > MAX_PIECED_STMTS; k++) {
        periods /= (double)w->found[k].period;
        w->found[k].period = 1;
    }
    memcpy(w->loop, w->found, (size_t)w->n * sizeof *w->loop);
}

bool sweeps_split(Build *b)
{
    bool changed = false, has_row = false;
    if (!b->n_periods || folds_rows(b)) return false;
    const bool *used = nest_used(&b->nest);
    double stmts = stmts_of_piece(b);
    for (uint32_t i = 0; i < b->n_periods && !has_row; i++) {
        const PeriodFound *p = &b->periods[i];
        if (p->period > MAX_PERIOD && (used[p->quotient] || used[p->rest]) &&
            (!p->is_cut || is_long_in_pieces(b, p, stmts)))
            has_row = add_row(b, p->sweep, p->loop, p->period);
    }
    for (uint32_t i = 0; i < b->n_periods && !has_row; i++) {
        const PeriodFound *p = &b->periods[i];
        if (p->period && !p->is_cut && (used[p->quotient] || used[p->rest]))
            changed |= add_period(b, p->sweep, p->loop, p->period);
    }
    for (uint32_t i = 0; i < b->n_sweeps && changed; i++) choose_periods(b->sweeps[i], stmts);
    if ((changed || has_row) && b->schedule.root_across) sweeps_write_out(b);
    return changed || has_row;
}
