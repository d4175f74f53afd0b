/* point_panels.c: operands of a product in panels (Packing, point.h): their copies, the loops of a product that
 * reads them, and its loads.
 *
 * What a block of rows and a panel of columns need lies in few pages, without gaps, in the order in which it is
 * read: so that blocks stay in the L2 cache, panels come from there in long runs, and nothing falls into the
 * same places of the caches. This is the scheme of Goto and van de Geijn (Anatomy of high-performance matrix
 * multiplication, 2008), with sums that are never cut.
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
    return count_of(t, p->perm, 0, t.rank - p->n_run) * panels_of(t, p) * p->panel;
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
    int64_t summed = count_of(t, p->perm, p->n_outer, run), panel = summed * p->panel;
    Address number, beside, outer = index_over(b, t, p, 0, p->n_outer, at),
                            k = index_over(b, t, p, p->n_outer, run, at);
    divide(b, index_over(b, t, p, run, t.rank, at), p->panel, &number, &beside);
    Address of_outer = address_scale(b->arena, outer, panels_of(t, p) * panel),
            of_panel = address_scale(b->arena, number, panel),
            of_k = address_scale(b->arena, k, p->panel);
    return address_add(b->arena, address_add(b->arena, of_outer, of_panel),
                       address_add(b->arena, of_k, beside));
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

/* A loop whose index times `step` is added to *at; none if it would run once, but for lanes. */
static uint32_t part_loop(Build *b, uint32_t block, uint32_t phase, LoopShape shape, int64_t step, Address *at)
{
    if (shape.extent == 1 && shape.lanes == 1) return block;
    Val loop = nest_loop(&b->nest, block, phase, shape, false);
    *at = address_add(b->arena, *at, address_of(b->arena, loop, step));
    return nest_body(&b->nest, loop);
}

/* The loops of a product from panels: blocks of rows; panels of columns; in these the block's tiles of rows,
 * whose panels stay in the L2 cache; and a tile of rows and vectors of columns in registers. */
uint32_t panels_loops(Build *b, const int64_t extent[2], bool parallel, uint32_t block, uint32_t phase,
                            Address *rows, Address *columns)
{
    const Schedule *s = &b->schedule;
    int64_t height = s->outer_tile, width = s->root_tile * s->lanes,
            tiles = extent[0] < height ? 1 : extent[0] / height,
            in_block = tiles % s->block ? tiles : s->block, panels = extent[1] < width ? 1 : extent[1] / width;
    LoopShape blocks = { .extent = tiles / in_block, .lanes = 1, .tile = 1, .parallel = parallel },
              across = { .extent = panels, .lanes = 1, .tile = 1 },
              down = { .extent = in_block, .lanes = 1, .tile = 1 },
              row = { .extent = extent[0] / tiles, .lanes = 1, .tile = s->outer_tile },
              lanes = { .extent = extent[1] / panels, .lanes = s->lanes, .tile = s->root_tile };
    block = part_loop(b, block, phase, blocks, in_block * height, rows);
    block = part_loop(b, block, phase, across, width, columns);
    block = part_loop(b, block, phase, down, height, rows);
    block = part_loop(b, block, phase, row, 1, rows);
    return part_loop(b, block, phase, lanes, 1, columns);
}

/* The axis of the operand whose neighbours are nearest to each other, if it is summed over: else -1. */
static int near_axis(Type t, const Packing *p)
{
    int near = t.rank - 1;
    while (near > 0 && t.dim[near] == 1) near--;
    for (int k = p->n_outer; k < t.rank - p->n_run; k++)
        if (p->perm[k] == near) return near;
    return -1;
}

/* So many panels of a copy, from number `first` on, of `width` neighbours each. Where these are far from each
 * other in the operand, lanes go along what is summed, and squares of registers are transposed. */
static void copy_panels(Build *b, const Packing *p, uint32_t buffer, int64_t first, int64_t panels, int64_t width)
{
    Type t = type_of(b, p->node);
    int run = point_run_axis(t, (int)p->perm[t.rank - p->n_run], (int)p->perm[t.rank - 1]),
        near = near_axis(t, p);
    uint16_t lanes = p->panel < b->schedule.lanes ? p->panel : b->schedule.lanes;
    LoopShape all = { .extent = panels, .lanes = 1, .tile = 1, .parallel = p->n_outer == 0 },
              along = { .extent = width, .lanes = near < 0 ? lanes : 1 };
    Address *at = new_index(b, t.rank);
    uint32_t block = 0;
    along.tile = near < 0 ? (uint16_t)(p->panel / lanes) : lanes;
    for (int d = 0; d < t.rank; d++) at[d] = address_number(0);
    at[run] = address_number(first * p->panel);
    for (int k = 0; k < t.rank - p->n_run; k++) {
        int64_t d = p->perm[k];
        LoopShape each = { .extent = t.dim[d], .lanes = 1, .tile = 1, .parallel = k == 0 && p->n_outer > 0 };
        if (k == p->n_outer) block = part_loop(b, block, 0, all, p->panel, &at[run]);
        if (d != near) block = part_loop(b, block, 0, each, 1, &at[d]);
    }
    block = part_loop(b, block, 0, along, 1, &at[run]);
    if (near >= 0)
        block = part_loop(b, block, 0, (LoopShape){ .extent = t.dim[near], .lanes = lanes, .tile = 1 }, 1,
                          &at[near]);
    nest_store(&b->nest, block, buffer, panels_address(b, t, p, at), point_value(b, p->node, at, VAL_NONE),
               VAL_NONE);
}

void panels_copy(Build *b, const Packing *p, uint32_t buffer)
{
    Type t = type_of(b, p->node);
    int64_t run = count_of(t, p->perm, t.rank - p->n_run, t.rank), rest = run % p->panel;
    if (run >= p->panel) copy_panels(b, p, buffer, 0, run / p->panel, p->panel);
    if (rest) copy_panels(b, p, buffer, run / p->panel, 1, rest);
}
