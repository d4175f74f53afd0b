/* point_panels.c: operands of a product in panels (Packing, point.h): their copies, the loops of a product
 * that reads them, and its loads.
 *
 * What a block of rows and a panel of columns need lies in few pages, without gaps, in the order in which
 * it is read: so that blocks stay in the L2 cache, panels come from there in long runs, and nothing falls
 * into the same places of the caches. This is the scheme of Goto and van de Geijn (Anatomy of
 * high-performance matrix multiplication, 2008). Long sums are made in parts, which continue each other in
 * the order of the sum.
 */
#include "point.h"

static int64_t count_of(Type t, const int64_t *perm, int from, int to)
{
    int64_t n = 1;
    for (int k = from; k < to; k++) n *= t.dim[perm[k]];
    return n;
}

static int64_t panels_of(Type t, const Packing *p)
{
    return (count_of(t, p->perm, t.rank - p->n_run, t.rank) + p->panel - 1) / p->panel;
}

int64_t panels_count(Type t, const Packing *p)
{
    int run = t.rank - p->n_run;
    int64_t summed = (count_of(t, p->perm, p->n_outer, run) + p->part - 1) / p->part * p->part;
    return count_of(t, p->perm, 0, p->n_outer) * summed * panels_of(t, p) * p->panel;
}

/* Row-major index over axes from..to in the order of perm. */
static Address index_over(Build *b, Type t, const Packing *p, int from, int to, const Address *at)
{
    Address sum = address_number(0);
    for (int k = from; k < to; k++)
        sum = address_add(b->arena, address_scale(b->arena, sum, t.dim[p->perm[k]]), at[p->perm[k]]);
    return sum;
}

static Address address_in_panels(Build *b, Type t, const Packing *p, const Address *at)
{
    int run = t.rank - p->n_run;
    int64_t summed = count_of(t, p->perm, p->n_outer, run), panels = panels_of(t, p),
            parts = (summed + p->part - 1) / p->part;
    Address part, k, panel, beside, sum = index_over(b, t, p, 0, p->n_outer, at);
    divide(b, index_over(b, t, p, p->n_outer, run, at), p->part, &part, &k);
    divide(b, index_over(b, t, p, run, t.rank, at), p->panel, &panel, &beside);
    sum = address_add(b->arena, address_scale(b->arena, sum, parts), part);
    sum = address_add(b->arena, address_scale(b->arena, sum, panels), panel);
    sum = address_scale(b->arena, sum, p->part * p->panel);
    return address_add(b->arena, address_add(b->arena, sum, address_scale(b->arena, k, p->panel)), beside);
}

static LoopShape serial(int64_t extent) { return (LoopShape){ .extent = extent, .lanes = 1, .tile = 1 }; }

/* A loop whose index times `step` is added to *at; none if it would run once, but for lanes. own: what stands
 * before it in the block has run. */
static uint32_t part_loop(Build *b, uint32_t block, bool own, LoopShape shape, int64_t step, Address *at)
{
    if (shape.extent == 1 && shape.lanes == 1) return block;
    shape.parallel = block == 0;
    Val loop = nest_loop(&b->nest, block, 0, shape, own);
    *at = address_add(b->arena, *at, address_of(b->arena, loop, step));
    return nest_body(&b->nest, loop);
}

static Address replaced(Build *b, Address a, Val loop, Address by)
{
    int64_t c = address_coefficient(a, loop);
    a = address_add(b->arena, a, address_of(b->arena, loop, -c));
    return address_add(b->arena, a, address_scale(b->arena, by, c));
}

static Address address_in_group(Build *b, const Packing *p, Address strip, Address deep, Address column)
{
    Address a = address_add(b->arena, address_scale(b->arena, strip, p->part), deep);
    return address_add(b->arena, address_scale(b->arena, a, p->panel), column);
}

bool panels_sum_neighbours(Type t, const Packing *p)
{
    int near = t.rank - 1;
    while (near > 0 && t.dim[near] == 1) near--;
    return p->perm[p->n_outer] == near;
}

/* Lanes go along the run, in panels beside each other, so that lines are read whole; or along what is summed,
 * and squares of registers are transposed; or nowhere. */
typedef enum { ALONG_RUN, ALONG_SUM, NO_LANES } CopyLanes;

/* Copies `count` of what is summed, from `first` on, of a group of strips: to [strip][summed][column]. */
static void copy_group_from(Build *b, uint32_t copy, const Address *at, int64_t first, int64_t count,
                            CopyLanes how)
{
    const Packing *p = &b->packed[copy];
    const PanelLoops *l = &b->in_panels;
    Type t = type_of(b, p->node);
    uint16_t lanes = b->schedule.lanes;
    LoopShape strips = serial(b->nest.stmts[l->panels].extent), deep = serial(count),
              across = serial(b->nest.stmts[l->columns].extent);
    Address in_sum = address_number(first), strip = address_number(0), column = strip,
            *from = new_index(b, t.rank);
    uint32_t block = nest_body(&b->nest, l->groups);
    if (!count) return;
    if (how == ALONG_RUN) {
        across.lanes = lanes;
        across.tile = b->schedule.root_tile;
        strips.tile = (uint16_t)strips.extent;
        block = part_loop(b, block, false, deep, 1, &in_sum);
    } else if (how == ALONG_SUM) deep.lanes = across.tile = lanes;
    block = part_loop(b, block, false, strips, 1, &strip);
    block = part_loop(b, block, false, across, 1, &column);
    if (how != ALONG_RUN) block = part_loop(b, block, false, deep, 1, &in_sum);
    for (int d = 0; d < t.rank; d++) {
        from[d] = replaced(b, at[d], l->panels, strip);
        from[d] = replaced(b, from[d], l->columns, column);
    }
    from[p->perm[p->n_outer]] = in_sum;
    Val v = point_load_from(b, b->plan[p->node].round.place, t, from, VAL_NONE, block, 0);
    note_access(b, v, p->node, from);
    nest_store(&b->nest, block, b->packed_buffer[copy], address_in_group(b, p, strip, in_sum, column), v,
               VAL_NONE);
}

/* In front of the rows that read it. */
static void copy_group(Build *b, uint32_t copy, const Address *at)
{
    const Packing *p = &b->packed[copy];
    bool squares = panels_sum_neighbours(type_of(b, p->node), p);
    int64_t rest = squares ? p->part % b->schedule.lanes : 0;
    copy_group_from(b, copy, at, 0, p->part - rest, squares ? ALONG_SUM : ALONG_RUN);
    copy_group_from(b, copy, at, p->part - rest, rest, NO_LANES);
    b->in_panels.copied[copy] = true;
}

Address panels_address(Build *b, uint32_t copy, const Address *at)
{
    const Packing *p = &b->packed[copy];
    PanelLoops *l = &b->in_panels;
    if (!p->near) return address_in_panels(b, type_of(b, p->node), p, at);
    if (!l->copied[copy]) copy_group(b, copy, at);
    return address_in_group(b, p, address_of(b->arena, l->panels, 1), at[p->perm[p->n_outer]],
                            address_of(b->arena, l->columns, 1));
}

bool panels_have(Build *b, const Packing *p, const Address *at)
{
    const PanelLoops *l = &b->in_panels;
    Type t = type_of(b, p->node);
    if (!b->schedule.strips) return false;
    Address run = index_over(b, t, p, t.rank - p->n_run, t.rank, at);
    for (uint32_t i = 0; i < run.n_terms; i++)
        if (run.terms[i].of != l->columns && run.terms[i].of != l->panels && run.terms[i].of != l->groups)
            return false;
    return run.offset % p->panel == 0 && address_coefficient(run, l->columns) == 1 &&
           address_coefficient(run, l->panels) == p->panel;
}

static int64_t panel_width(const Schedule *s) { return (int64_t)s->root_tile * s->lanes; }

static int64_t block_rows(const Schedule *s) { return (int64_t)s->block * s->height; }

/* ---- loops over the result ---- */

/* The loops of pieces that have the same rows are in one loop over blocks. */
static Val block_loop(Build *b, LoopShape shape, uint32_t block, uint32_t phase, int64_t first_row)
{
    const PanelLoops *last = &b->in_panels;
    if (last->summed && last->first_row == first_row && b->nest.placed[last->blocks].block == block)
        return last->blocks;
    b->in_panels.summed = false;
    return nest_loop(&b->nest, block, phase, shape, true);
}

/* So many panels, and in them rows and columns. */
static uint32_t loops_of_panels(Build *b, PanelLoops l, uint32_t block, uint32_t phase, int64_t panels,
                                int64_t n_rows, int64_t n_columns, Address *rows, Address *columns)
{
    const Schedule *s = &b->schedule;
    LoopShape row = serial(n_rows), lanes = serial(n_columns);
    row.tile = s->outer_tile;
    lanes.lanes = s->lanes;
    lanes.tile = s->root_tile;
    l.panels = nest_loop(&b->nest, block, phase + 1, serial(panels), false);
    l.rows = nest_loop(&b->nest, nest_body(&b->nest, l.panels), phase, row, false);
    l.columns = nest_loop(&b->nest, nest_body(&b->nest, l.rows), phase, lanes, false);
    *rows = address_add(b->arena, *rows, address_of(b->arena, l.rows, 1));
    *columns = address_add(b->arena, *columns, address_of(b->arena, l.panels, panel_width(s)));
    *columns = address_add(b->arena, *columns, address_of(b->arena, l.columns, 1));
    b->in_panels = l;
    return nest_body(&b->nest, l.columns);
}

/* Groups of strips that are copied near, each for all rows. */
static uint32_t near_loops(Build *b, const int64_t extent[2], uint32_t block, uint32_t phase, Address *rows,
                           Address *columns)
{
    int64_t width = panel_width(&b->schedule), group = b->schedule.near * width,
            n_groups = extent[1] < group ? 1 : extent[1] / group,
            strips = extent[1] < width ? 1 : extent[1] / n_groups / width;
    LoopShape groups = serial(n_groups);
    groups.parallel = block == 0;
    PanelLoops l = { .blocks = VAL_NONE };
    l.groups = nest_loop(&b->nest, block, phase, groups, true);
    *columns = address_add(b->arena, *columns, address_of(b->arena, l.groups, group));
    return loops_of_panels(b, l, nest_body(&b->nest, l.groups), phase, strips, extent[0],
                           extent[1] / n_groups / strips, rows, columns);
}

uint32_t panels_loops(Build *b, const int64_t extent[2], uint32_t block, uint32_t phase, Address *rows,
                      Address *columns)
{
    const Schedule *s = &b->schedule;
    if (s->near) return near_loops(b, extent, block, phase, rows, columns);
    int64_t height = block_rows(s), width = panel_width(s),
            n_blocks = extent[0] < height ? 1 : extent[0] / height,
            n_panels = extent[1] < width ? 1 : extent[1] / width;
    LoopShape blocks = serial(n_blocks);
    blocks.parallel = block == 0;
    PanelLoops l = { .groups = VAL_NONE, .first_row = rows->offset, .first_column = columns->offset };
    l.blocks = block_loop(b, blocks, block, phase, l.first_row);
    l.summed = b->in_panels.summed;
    *rows = address_add(b->arena, *rows, address_of(b->arena, l.blocks, height));
    return loops_of_panels(b, l, nest_body(&b->nest, l.blocks), phase, n_panels, extent[0] / n_blocks,
                           extent[1] / n_panels, rows, columns);
}

/* ---- copies ---- */

/* A stretch of an axis of an operand, in steps of panels or of parts: so many, from number `first` on; of
 * each `count` elements, from number `from` on. */
typedef struct Stretch {
    int64_t first, steps, from, count;
} Stretch;

/* Of an axis of n elements: 0, the whole steps; 1, what is left; 2, what the last step then lacks. */
static Stretch stretch_of(int64_t n, int64_t step, int which)
{
    int64_t whole = n / step, rest = n % step;
    if (which == 0) return (Stretch){ 0, whole, 0, step };
    return which == 1 ? (Stretch){ whole, 1, 0, rest } : (Stretch){ whole, 1, rest, rest ? step - rest : 0 };
}

/* A copy that is being made, inside this block. */
typedef struct Copy {
    const Packing *p;
    uint32_t buffer, block;
    const Address *from; /* near: the index of its first element; NULL: it starts where the operand does */
} Copy;

static void copy_loops(Build *b, const Copy *c, Stretch run, Stretch sum, CopyLanes how, bool is_there)
{
    const Packing *p = c->p;
    Type t = type_of(b, p->node);
    int axis = point_run_axis(t, (int)p->perm[t.rank - p->n_run], (int)p->perm[t.rank - 1]),
        summed = (int)p->perm[p->n_outer];
    uint16_t lanes = b->schedule.lanes;
    LoopShape across = serial(run.count), deep = serial(sum.count), panels = serial(run.steps);
    int64_t bytes = p->panel * (int64_t)dtype_bytes((DType)t.dtype);
    Address panel = address_number(run.first), beside = address_number(run.from),
            in_part = address_number(sum.from), part = address_number(sum.first * p->part),
            *at = new_index(b, t.rank);
    uint32_t block = c->block;
    bool near = c->from != NULL;
    if (run.count == 0 || run.steps == 0 || sum.count == 0 || sum.steps == 0) return;
    while (lanes > p->panel) lanes /= 2;
    if (how == ALONG_RUN) across.lanes = lanes;
    if (how == ALONG_RUN && bytes < LINES_AT_ONCE) panels.tile = (uint16_t)(LINES_AT_ONCE / bytes);
    if (how == ALONG_SUM) deep.lanes = lanes;
    if (how != NO_LANES) across.tile = how == ALONG_RUN ? (uint16_t)(p->panel / lanes) : lanes;
    for (int d = 0; d < t.rank; d++) at[d] = near ? c->from[d] : address_number(0);
    for (int k = 0; k < p->n_outer && !near; k++)
        block = part_loop(b, block, false, serial(t.dim[p->perm[k]]), 1, &at[p->perm[k]]);
    block = part_loop(b, block, near, serial(sum.steps), p->part, &part);
    block = part_loop(b, block, near, panels, 1, &panel);
    if (how == ALONG_RUN) block = part_loop(b, block, near, deep, 1, &in_part);
    block = part_loop(b, block, near, across, 1, &beside);
    if (how != ALONG_RUN) block = part_loop(b, block, near, deep, 1, &in_part);
    /* A single element, too, is copied where it stands among the loops. */
    if (near && block == c->block)
        block = nest_body(&b->nest, nest_loop(&b->nest, block, 0, serial(1), true));
    at[axis] = address_add(b->arena, at[axis], address_scale(b->arena, panel, p->panel));
    at[axis] = address_add(b->arena, at[axis], beside);
    at[summed] = address_add(b->arena, at[summed], address_add(b->arena, part, in_part));
    Val v = is_there ? point_value(b, p->node, at, VAL_NONE) : nest_const(&b->nest, (DType)t.dtype, 0);
    nest_store(&b->nest, block, c->buffer,
               near ? address_in_group(b, p, panel, in_part, beside) : address_in_panels(b, t, p, at), v,
               VAL_NONE);
}

/* What there is of a stretch of the run. Squares take whole vectors only: the few elements beside them are
 * not worth their code. */
static void copy_stretch(Build *b, const Copy *c, Stretch run, Stretch sum)
{
    bool squares = panels_sum_neighbours(type_of(b, c->p->node), c->p);
    Stretch rest = sum;
    rest.count = squares ? sum.count % b->schedule.lanes : 0;
    sum.count -= rest.count;
    rest.from += sum.count;
    copy_loops(b, c, run, sum, squares ? ALONG_SUM : ALONG_RUN, true);
    copy_loops(b, c, run, rest, NO_LANES, true);
}

void panels_copy(Build *b, const Packing *p, uint32_t buffer)
{
    Type t = type_of(b, p->node);
    int64_t run = count_of(t, p->perm, t.rank - p->n_run, t.rank), summed = t.dim[p->perm[p->n_outer]];
    Copy c = { .p = p, .buffer = buffer };
    for (int i = 0; i < 2; i++)
        for (int k = 0; k < 2; k++)
            copy_stretch(b, &c, stretch_of(run, p->panel, i), stretch_of(summed, p->part, k));
    Stretch all_parts = { 0, (summed + p->part - 1) / p->part, 0, p->part },
            all_panels = { 0, panels_of(t, p), 0, p->panel };
    copy_loops(b, &c, stretch_of(run, p->panel, 2), all_parts, ALONG_RUN, false);
    copy_loops(b, &c, all_panels, stretch_of(summed, p->part, 2), ALONG_RUN, false);
}

/* ---- sums ---- */

int64_t panels_sums_count(const Schedule *s, int64_t columns)
{
    int64_t width = panel_width(s);
    return (columns + width - 1) / width * width * block_rows(s);
}

/* Where a block's sum stands: [panel][row][column of it]. */
static Address sum_address(Build *b, Address panel, Address row, Address column)
{
    int64_t width = panel_width(&b->schedule);
    Address sum = address_scale(b->arena, panel, block_rows(&b->schedule) * width);
    sum = address_add(b->arena, sum, address_scale(b->arena, row, width));
    return address_add(b->arena, sum, column);
}

/* Places of a block's sums in the loops that make them: of its copies, rows and columns, panel and what lies
 * beside each other in it. */
typedef struct Tile {
    Address part, in_part; /* of what is summed */
    Address panel[2], beside[2];
} Tile;

/* The index of an operand's element; of each copy's run, number run[copy]. */
static Address *index_of(Build *b, const Packing *p, const Address *at, const Address run[2], Address summed)
{
    const PanelLoops *l = &b->in_panels;
    Type t = type_of(b, p->node);
    Address *in = new_index(b, t.rank);
    for (int d = 0; d < t.rank; d++) {
        in[d] = replaced(b, at[d], l->panels, address_number(0));
        in[d] = replaced(b, in[d], l->rows, run[0]);
        in[d] = replaced(b, in[d], l->columns, run[1]);
    }
    in[p->perm[p->n_outer]] = summed;
    return in;
}

/* An operand's element. What its copy was made of counts as read: this kernel does not store it, and runs
 * behind who does. */
static Val factor(Build *b, int side, const Address *at, const Tile *tile)
{
    uint32_t copy = 0;
    while (b->packed[copy].side != side) copy++;
    const Packing *p = &b->packed[copy];
    Type t = type_of(b, p->node);
    if (p->near)
        return nest_load(&b->nest, (DType)t.dtype, b->packed_buffer[copy],
                         address_in_group(b, p, tile->panel[copy], tile->in_part, tile->beside[copy]),
                         VAL_NONE, 0, 0);
    Address run[2];
    for (int k = 0; k < 2; k++) {
        run[k] = address_scale(b->arena, tile->panel[k], b->packed[k].panel);
        run[k] = address_add(b->arena, run[k], tile->beside[k]);
    }
    Address *in = index_of(b, p, at, run, address_add(b->arena, tile->part, tile->in_part));
    Val v = nest_load(&b->nest, (DType)t.dtype, b->packed_buffer[copy], address_in_panels(b, t, p, in),
                      VAL_NONE, 0, 0);
    for (uint32_t i = 0; i < b->n_packed_loads[copy]; i++) note_access(b, v, b->packed_loads[copy][i], in);
    return v;
}

/* A block's sums: of this product of operands at these indices, so many rows and columns. */
typedef struct Sums {
    const Node *dot;
    const Address *at[2];
    int64_t extent[2];
} Sums;

/* Copies, of what is near, `count` of what is summed, from `part` on. */
static void copy_part(Build *b, const Sums *s, Address part, int64_t count, uint32_t block)
{
    const Address first[2] = { address_number(0), address_number(0) };
    for (uint32_t i = 0; i < b->n_packed; i++) {
        const Packing *p = &b->packed[i];
        if (!p->near) continue;
        Copy c = { p, b->packed_buffer[i], block, index_of(b, p, s->at[p->side], first, part) };
        Stretch sum = { 0, 1, 0, count };
        for (int k = 0; k < 2; k++) copy_stretch(b, &c, stretch_of(s->extent[i], p->panel, k), sum);
        copy_loops(b, &c, stretch_of(s->extent[i], p->panel, 2), sum, ALONG_RUN, false);
    }
}

/* `count` products of each sum, panel by panel, and in a panel tile by tile, which is in registers. A part
 * that is not the first continues what the one before stored. */
static void sum_part(Build *b, const Sums *s, Tile tile, int64_t count, uint32_t block)
{
    Nest *n = &b->nest;
    DType t = (DType)s->dot->dtype;
    int64_t height = b->schedule.height, width = panel_width(&b->schedule);
    LoopShape row = { .extent = height, .lanes = 1, .tile = (uint16_t)height },
              lanes = { .extent = width, .lanes = b->schedule.lanes, .tile = b->schedule.root_tile };
    Val later = tile.part.n_terms ? compare_with(b, CMP_GT, nest_index(n, WEFT_I64, tile.part), 0) : VAL_NONE;
    copy_part(b, s, tile.part, count, block);
    block = part_loop(b, block, true, serial((s->extent[1] + width - 1) / width), 1, &tile.panel[1]);
    block = part_loop(b, block, true, serial((s->extent[0] + height - 1) / height), 1, &tile.panel[0]);
    block = part_loop(b, block, true, row, 1, &tile.beside[0]);
    block = part_loop(b, block, true, lanes, 1, &tile.beside[1]);
    Val sum = nest_reducer(n, block, 0, OP_ADD, t, t);
    Address in_panel = address_scale(b->arena, tile.panel[0], height),
            to = sum_address(b, tile.panel[1], address_add(b->arena, in_panel, tile.beside[0]),
                             tile.beside[1]);
    if (tile.part.n_terms || tile.part.offset)
        nest_fold(n, block, sum, nest_load(n, t, b->sums, to, later, block, 0), VAL_NONE);
    uint32_t body = part_loop(b, block, true, serial(count), 1, &tile.in_part);
    Val x = factor(b, 0, s->at[0], &tile), y = factor(b, 1, s->at[1], &tile);
    nest_fold(n, body, sum, summed_product(b, t, x, y), VAL_NONE);
    nest_store(n, block, b->sums, to, nest_total(n, sum, t, 0), VAL_NONE);
}

/* Copies that were made before have whole parts; those that are near, what there is. */
static void sum_block(Build *b, const Sums *s, int64_t summed)
{
    Address none = address_number(0);
    Tile tile = { none, none, { none, none }, { none, none } };
    int64_t part = b->schedule.part, rest = b->packed[0].near || b->packed[1].near ? summed % part : 0,
            parts = (summed - rest + part - 1) / part;
    uint32_t block = nest_body(&b->nest, b->in_panels.blocks),
             each = part_loop(b, block, true, serial(parts), part, &tile.part);
    sum_part(b, s, tile, part, each);
    tile.part = address_number(parts * part);
    if (rest) sum_part(b, s, tile, rest, block);
}

Val panels_sum(Build *b, Ref ref, const Address *const at[2])
{
    const Node *dot = node_of(b, ref), *x = node_of(b, dot->args[0]);
    PanelLoops *l = &b->in_panels;
    const Sweep *w = b->sweeps[0];
    int64_t width = panel_width(&b->schedule);
    Sums s = { dot, { at[0], at[1] }, { b->nest.stmts[l->rows].extent, w->loop[w->n - 1].extent } };
    if (!l->summed) sum_block(b, &s, x->dim[dot->attr[2 + 2 * dot->attr[0]]]);
    l->summed = true;
    Address panel = address_shift(address_of(b->arena, l->panels, 1), l->first_column / width),
            row = address_of(b->arena, l->rows, 1), column = address_of(b->arena, l->columns, 1);
    return nest_load(&b->nest, (DType)dot->dtype, b->sums, sum_address(b, panel, row, column), VAL_NONE, 0,
                     0);
}
