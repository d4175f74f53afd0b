/* point_panels.c: operands of a product in panels (Packing, point.h): their copies, the loops of a product that
 * reads them, and its loads.
 *
 * What a block of rows and a panel of columns need lies in few pages, without gaps, in the order in which it is
 * read: so that blocks stay in the L2 cache, panels come from there in long runs, and nothing falls into the
 * same places of the caches. This is the scheme of Goto and van de Geijn (Anatomy of high-performance matrix
 * multiplication, 2008). Long sums are made in parts, which continue each other in the order of the sum.
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
    int64_t summed = count_of(t, p->perm, p->n_outer, run);
    if (p->part) summed = (summed + p->part - 1) / p->part * p->part;
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

static Address panels_address(Build *b, Type t, const Packing *p, const Address *at)
{
    int run = t.rank - p->n_run;
    int64_t summed = count_of(t, p->perm, p->n_outer, run), in_part = p->part ? p->part : summed,
            panels = panels_of(t, p), parts = (summed + in_part - 1) / in_part, each = in_part * p->panel;
    Address part, k, panel, beside, sum = index_over(b, t, p, 0, p->n_outer, at);
    divide(b, index_over(b, t, p, p->n_outer, run, at), in_part, &part, &k);
    divide(b, index_over(b, t, p, run, t.rank, at), p->panel, &panel, &beside);
    sum = address_add(b->arena, address_scale(b->arena, sum, parts), part);
    sum = address_add(b->arena, address_scale(b->arena, sum, panels), panel);
    sum = address_scale(b->arena, sum, each);
    return address_add(b->arena, address_add(b->arena, sum, address_scale(b->arena, k, p->panel)), beside);
}

/* What the copy was made of counts as read: this kernel does not store it, and runs behind who does. */
Val panels_value(Build *b, uint32_t copy, const Address *at, Val mask)
{
    const Packing *p = &b->packed[copy];
    Type t = type_of(b, p->node);
    Val v = nest_load(&b->nest, (DType)t.dtype, b->packed_buffer[copy], panels_address(b, t, p, at), mask, 0, 0);
    for (uint32_t i = 0; i < b->n_packed_loads[copy]; i++) note_access(b, v, b->packed_loads[copy][i], at);
    return v;
}

static LoopShape serial(int64_t extent) { return (LoopShape){ .extent = extent, .lanes = 1, .tile = 1 }; }

/* A loop whose index times `step` is added to *at; none if it would run once, but for lanes. */
static uint32_t part_loop(Build *b, uint32_t block, uint32_t phase, LoopShape shape, int64_t step, Address *at)
{
    if (shape.extent == 1 && shape.lanes == 1) return block;
    shape.parallel = block == 0;
    Val loop = nest_loop(&b->nest, block, phase, shape, false);
    *at = address_add(b->arena, *at, address_of(b->arena, loop, step));
    return nest_body(&b->nest, loop);
}

static int64_t panel_width(const Schedule *s) { return (int64_t)s->root_tile * s->lanes; }

/* The loops inside a block; rows and columns: NULL, or what their indices are added to. */
static uint32_t tile_loops(Build *b, TileLoops *l, uint32_t block, uint32_t phase, Address *rows,
                           Address *columns)
{
    int64_t height = b->schedule.outer_tile,
            step[TILE_LOOPS] = { panel_width(&b->schedule), height, 1, 1 };
    Address *at[TILE_LOOPS] = { columns, rows, rows, columns };
    for (int i = 0; i < TILE_LOOPS; i++) {
        uint32_t outside = block;
        block = part_loop(b, block, phase, l->shape[i], step[i], at[i]);
        l->loop[i] = block == outside ? VAL_NONE : b->nest.blocks[block].loop;
    }
    return block;
}

/* Blocks of rows; panels of columns; in these the block's tiles of rows, whose panels stay in the L2 cache; and
 * a tile of rows and vectors of columns in registers. A block's sums in parts are made before. */
uint32_t panels_loops(Build *b, const int64_t extent[2], bool parallel, uint32_t block, uint32_t phase,
                      Address *rows, Address *columns)
{
    const Schedule *s = &b->schedule;
    int64_t height = s->outer_tile, width = panel_width(s), tiles = extent[0] < height ? 1 : extent[0] / height,
            in_block = tiles % s->block ? tiles : s->block, panels = extent[1] < width ? 1 : extent[1] / width;
    LoopShape blocks = { .extent = tiles / in_block, .lanes = 1, .tile = 1, .parallel = parallel };
    TileLoops l = { .first = columns->offset,
                    .shape = { { .extent = panels, .lanes = 1, .tile = 1 },
                               { .extent = in_block, .lanes = 1, .tile = 1 },
                               { .extent = extent[0] / tiles, .lanes = 1, .tile = s->outer_tile },
                               { .extent = extent[1] / panels, .lanes = s->lanes, .tile = s->root_tile } } };
    Val loop = nest_loop(&b->nest, block, phase, blocks, false);
    *rows = address_add(b->arena, *rows, address_of(b->arena, loop, in_block * height));
    l.block = nest_body(&b->nest, loop);
    block = tile_loops(b, &l, l.block, s->part ? phase + 2 : phase, rows, columns);
    b->tile = l;
    return block;
}

/* ---- sums in parts ---- */

int64_t panels_sums_count(const Schedule *s, int64_t columns)
{
    int64_t width = panel_width(s);
    return (columns + width - 1) / width * width * s->outer_tile * s->block;
}

/* Where a block's sum stands: [panel][row][column of it]. */
static Address sum_address(Build *b, const TileLoops *l)
{
    const Schedule *s = &b->schedule;
    int64_t width = panel_width(s), rows = (int64_t)s->outer_tile * s->block,
            step[TILE_LOOPS] = { rows * width, s->outer_tile * width, width, 1 };
    Address sum = address_number(l->first * rows);
    for (int i = 0; i < TILE_LOOPS; i++)
        if (l->loop[i] != VAL_NONE) sum = address_add(b->arena, sum, address_of(b->arena, l->loop[i], step[i]));
    return sum;
}

/* The address with the loops of l in place of those of b->tile. */
static Address moved(Build *b, Address a, const TileLoops *l)
{
    for (int i = 0; i < TILE_LOOPS; i++) {
        int64_t c = b->tile.loop[i] == VAL_NONE ? 0 : address_coefficient(a, b->tile.loop[i]);
        if (!c) continue;
        a = address_add(b->arena, a, address_of(b->arena, b->tile.loop[i], -c));
        a = address_add(b->arena, a, address_of(b->arena, l->loop[i], c));
    }
    return a;
}

/* An operand's element, k of what is summed. */
static Val panels_factor(Build *b, const Node *dot, int side, const Address *at, Address k, const TileLoops *l)
{
    uint32_t copy = 0;
    while (b->packed[copy].side != side) copy++;
    const Packing *p = &b->packed[copy];
    Type t = type_of(b, dot->args[side]);
    Address *in = new_index(b, t.rank);
    for (int d = 0; d < t.rank; d++) in[d] = d == p->perm[p->n_outer] ? k : moved(b, at[d], l);
    return panels_value(b, copy, in, VAL_NONE);
}

/* Adds `count` products, from k on, to each of a block's sums: to what is stored, where there is `before`. */
static void add_part(Build *b, const Node *dot, const Address *const at[2], uint32_t block, uint32_t phase,
                     Address k, int64_t count, Val before)
{
    TileLoops l = b->tile;
    DType t = (DType)dot->dtype;
    uint32_t inside = tile_loops(b, &l, block, phase, &(Address){ 0 }, &(Address){ 0 });
    Address sums = sum_address(b, &l);
    Val sum = nest_reducer(&b->nest, inside, 0, OP_ADD, t, t);
    nest_fold(&b->nest, inside, sum, nest_load(&b->nest, t, b->sums, sums, before, inside, 0), VAL_NONE);
    Val loop = nest_loop(&b->nest, inside, 0, (LoopShape){ .extent = count, .lanes = 1, .tile = 1 }, false);
    k = address_add(b->arena, k, address_of(b->arena, loop, 1));
    Val x = panels_factor(b, dot, 0, at[0], k, &l), y = panels_factor(b, dot, 1, at[1], k, &l);
    nest_fold(&b->nest, nest_body(&b->nest, loop), sum, op2(b, OP_MUL, t, x, y), VAL_NONE);
    nest_store(&b->nest, inside, b->sums, sums, nest_total(&b->nest, sum, t, 0), VAL_NONE);
}

Val panels_sum(Build *b, Ref ref, const Address *const at[2])
{
    const Node *dot = node_of(b, ref), *x = node_of(b, dot->args[0]);
    int64_t part = b->schedule.part, summed = x->dim[dot->attr[2 + 2 * dot->attr[0]]];
    LoopShape parts = { .extent = summed / part, .lanes = 1, .tile = 1 };
    Val loop = nest_loop(&b->nest, b->tile.block, 0, parts, false),
        before = compare_with(b, CMP_GT, nest_index(&b->nest, WEFT_I32, address_of(b->arena, loop, 1)), 0);
    add_part(b, dot, at, nest_body(&b->nest, loop), 0, address_of(b->arena, loop, part), part, before);
    if (summed % part)
        add_part(b, dot, at, b->tile.block, 1, address_number(summed / part * part), summed % part, VAL_NONE);
    return nest_load(&b->nest, (DType)dot->dtype, b->sums, sum_address(b, &b->tile), VAL_NONE, 0, 0);
}

/* ---- copies ---- */

/* The axis of the operand whose neighbours are nearest to each other, if it is summed over: else -1. */
static int near_axis(Type t, const Packing *p)
{
    int near = t.rank - 1;
    while (near > 0 && t.dim[near] == 1) near--;
    for (int k = p->n_outer; k < t.rank - p->n_run; k++)
        if (p->perm[k] == near) return near;
    return -1;
}

/* Part of a copy in panels: so many panels, from number `first` on, of `width` neighbours each; of what is
 * summed so many parts of this length, from `from` on. */
typedef struct Piled {
    int64_t first, panels, width, from, parts, length;
} Piled;

/* Where the neighbours of a panel are far from each other in the operand, lanes go along what is summed, and
 * squares of registers are transposed. */
static void copy_panels(Build *b, const Packing *p, uint32_t buffer, Piled s)
{
    Type t = type_of(b, p->node);
    int run = point_run_axis(t, (int)p->perm[t.rank - p->n_run], (int)p->perm[t.rank - 1]),
        near = near_axis(t, p), in_parts = p->part ? (int)p->perm[p->n_outer] : -1;
    uint16_t lanes = p->panel < b->schedule.lanes ? p->panel : b->schedule.lanes;
    LoopShape along = { .extent = s.width, .lanes = near < 0 ? lanes : 1 };
    Address *at = new_index(b, t.rank);
    uint32_t block = 0;
    along.tile = near < 0 ? (uint16_t)(p->panel / lanes) : lanes;
    for (int d = 0; d < t.rank; d++) at[d] = address_number(d == run ? s.first * p->panel : d == in_parts ? s.from : 0);
    for (int k = 0; k < t.rank - p->n_run; k++) {
        int64_t d = p->perm[k];
        if (k == p->n_outer && p->part) block = part_loop(b, block, 0, serial(s.parts), p->part, &at[d]);
        if (k == p->n_outer) block = part_loop(b, block, 0, serial(s.panels), p->panel, &at[run]);
        if (d != near) block = part_loop(b, block, 0, serial(d == in_parts ? s.length : t.dim[d]), 1, &at[d]);
    }
    block = part_loop(b, block, 0, along, 1, &at[run]);
    if (near >= 0) {
        LoopShape row = { .extent = near == in_parts ? s.length : t.dim[near], .lanes = lanes, .tile = 1 };
        block = part_loop(b, block, 0, row, 1, &at[near]);
    }
    nest_store(&b->nest, block, buffer, panels_address(b, t, p, at), point_value(b, p->node, at, VAL_NONE),
               VAL_NONE);
}

void panels_copy(Build *b, const Packing *p, uint32_t buffer)
{
    Type t = type_of(b, p->node);
    int64_t run = count_of(t, p->perm, t.rank - p->n_run, t.rank), summed = t.dim[p->perm[p->n_outer]],
            part = p->part ? p->part : summed;
    for (int64_t from = 0; from < summed; from += summed / part * part) {
        if (from) part = summed - from;
        Piled whole = { 0, run / p->panel, p->panel, from, (summed - from) / part, part },
              last = { run / p->panel, 1, run % p->panel, from, (summed - from) / part, part };
        if (whole.panels) copy_panels(b, p, buffer, whole);
        if (last.width) copy_panels(b, p, buffer, last);
    }
}
