/* tiling_panels.c: which products read their operands from panels, and the sizes of tiles and blocks.
 *
 * A product whose operands do not fit into the L2 cache together, and whose rows and columns use each
 * element often enough to pay for the copies. (With 16 registers, half of that cache: tiles of whole panels
 * are wider than others, 4 x 3 instead of 4 x 2. 256 x 256 in f64: 46 -> 59 Gflop/s.) A panel of columns,
 * or of a long sum a part of it, comes from the L2 cache again for each tile of rows.
 */
#include "tiling.h"

/* The axes that a side of a dot has in this list: batch axes (list 0) or summed ones (1). */
static const int64_t *axes_of(const Node *dot, int side, int list, int *n)
{
    int64_t nb = dot->attr[0], nc = dot->attr[1];
    *n = (int)(list ? nc : nb);
    return dot->attr + 2 + (list ? 2 * nb + side * nc : side * nb);
}

static bool is_free(const Node *dot, int side, int axis)
{
    for (int list = 0, n; list < 2; list++) {
        const int64_t *axes = axes_of(dot, side, list, &n);
        if (lists(axes, n, axis)) return false;
    }
    return true;
}

/* How many axes of an operand move with the loop; *last is the last of them. */
static int axes_that_move(const Build *b, int side, Val loop, int *last)
{
    const Node *x = node_of(b, node_of(b, b->product.dot)->args[side]);
    int n = 0;
    for (int d = 0; d < x->rank; d++) {
        if (!address_coefficient(b->product.at[side][d], loop)) continue;
        *last = d;
        n++;
    }
    return n;
}

/* Panels of the operand whose one axis, or axes that are walked as one, the loop runs over. */
static bool panels_of(Build *b, int side, Val loop, uint16_t panel, Packing *p)
{
    const Node *dot = node_of(b, b->product.dot), *x = node_of(b, dot->args[side]);
    const Address *at = b->product.at[side];
    int last = 0, n_summed, n = 0;
    const int64_t *summed = axes_of(dot, side, 1, &n_summed);
    if (n_summed != 1 || axes_that_move(b, side, loop, &last) != 1) return false;
    int first = last;
    int64_t walked = x->dim[last], extent = b->nest.stmts[loop].extent;
    while (walked < extent && first > 0) walked *= x->dim[--first];
    if (walked != extent || at[last].n_terms != 1 || at[last].offset ||
        address_coefficient(at[last], loop) != 1)
        return false;
    for (int d = first; d <= last; d++)
        if (!is_free(dot, side, d) ||
            (d < last && (at[d].n_terms || !point_collapses(b, dot->args[side], d))))
            return false;
    int64_t *perm = arena_alloc(b->kept, (x->rank + 1u) * sizeof *perm);
    for (int d = 0; d < x->rank; d++)
        if ((d < first || d > last) && !lists(summed, n_summed, d)) perm[n++] = d;
    *p = (Packing){ .node = dot->args[side], .perm = perm, .panel = panel, .side = (uint8_t)side };
    p->n_outer = (uint8_t)n;
    perm[n++] = summed[0];
    for (int d = first; d <= last; d++) perm[n++] = d;
    p->n_run = (uint8_t)(last - first + 1);
    return true;
}

/* Is the product all that the kernel sums, of numbers as they lie in memory, and is its result walked
 * whole, by these loops innermost? */
static bool is_plain(const Build *b, Val sum, Val rows, Val columns)
{
    uint32_t reducers = 0;
    if (b->n_products != 1 || b->product.sum != sum || b->product.dot == REF_NONE || b->n_roots != 1 ||
        b->n_sweeps != 1 || b->schedule.rows || b->nest.placed[sum].block != b->root_block)
        return false;
    const Node *dot = node_of(b, b->product.dot);
    DType t = (DType)dot->dtype;
    for (Val v = 0; v < b->nest.n_stmts; v++) reducers += b->nest.stmts[v].kind == ST_REDUCER;
    const Sweep *w = b->sweeps[0];
    for (int k = 0; k < w->n; k++)
        if (w->loop[k].n) return false;
    return reducers == 1 && (t == WEFT_F32 || t == WEFT_F64) && node_of(b, dot->args[0])->dtype == t &&
           node_of(b, dot->args[1])->dtype == t && w->n >= 2 &&
           w->loop[w->n - 2].extent == b->nest.stmts[rows].extent &&
           w->loop[w->n - 1].extent == b->nest.stmts[columns].extent;
}

/* A sum of more than 2 * MOST_IN_PART bytes in each row is made in parts of whole vectors, with as little
 * behind its end as can be. */
static int64_t products_in_part(int64_t summed, int64_t bytes, int64_t lanes)
{
    int64_t most = MOST_IN_PART / bytes, best = most;
    if (summed <= 2 * most) return summed;
    for (int64_t part = most; part > most / 2; part -= lanes)
        if ((summed + part - 1) / part * part < (summed + best - 1) / best * best) best = part;
    return best;
}

/* Tiles of rows whose panels take a quarter of the L2 cache; if possible, so many that nothing is left
 * over. */
static uint16_t tiles_in_block(const Build *b, int64_t tiles, int64_t tile_bytes)
{
    int64_t most = b->target->l2_bytes / 4 / tile_bytes, n;
    if (most < LEAST_BLOCK) most = LEAST_BLOCK;
    if (most > tiles) most = tiles;
    for (n = most; n > 1 && n > most / 2 && tiles % n; n--) continue;
    return (uint16_t)(tiles % n ? most : n);
}

/* What is left over is a piece of its own. */
static void cut_rest(Seams *s, int64_t step)
{
    if (s->extent > step && s->extent % step) s->at[s->n++] = s->extent / step * step;
}

bool panels_choose(Build *b, Val sum, Val rows, Val columns, double products, Schedule *s, Packings *packings)
{
    int last;
    if (!is_plain(b, sum, rows, columns)) return false;
    bool many = b->target->vector_registers >= 32;
    int64_t m = b->nest.stmts[rows].extent, n = b->nest.stmts[columns].extent,
            k = (int64_t)(products / b->nest.blocks[b->root_block].runs),
            bytes = (int64_t)dtype_bytes((DType)node_of(b, b->product.dot)->dtype);
    if (m < LEAST_SIDE || n < LEAST_SIDE || k < LEAST_SUM ||
        (m + n) * k * bytes <= b->target->l2_bytes / (many ? 1 : 2))
        return false;
    uint16_t height = many ? 8 : 4, vectors = many && n % (2 * s->lanes) == 0 ? 2 : 3,
             width = (uint16_t)(vectors * s->lanes);
    int side = axes_that_move(b, 1, rows, &last) > 0;
    if (axes_that_move(b, side, columns, &last) || axes_that_move(b, 1 - side, rows, &last) ||
        !panels_of(b, side, rows, height, &packings->of[0]) ||
        !panels_of(b, 1 - side, columns, width, &packings->of[1]))
        return false;
    const Packing *p = &packings->of[0];
    bool few_pay = !many && bytes == 8 && s->lanes > 2 && k >= LEAST_LONG_SUM;
    if (n < (few_pay ? 1 : 2) * LEAST_SIDE && panels_sum_neighbours(type_of(b, p->node), p)) return false;
    packings->n = 2;
    s->root_lanes = true;
    s->outer_tile = 1;
    s->root_tile = vectors;
    s->fold_tile = s->chains = 0;
    s->height = height;
    s->part = packings->of[0].part = packings->of[1].part = products_in_part(k, bytes, s->lanes);
    s->block = tiles_in_block(b, (m + height - 1) / height, height * s->part * bytes);
    Sweep *w = b->sweeps[0];
    cut_rest(&w->loop[w->n - 2], (int64_t)s->block * height);
    cut_rest(&w->loop[w->n - 1], width);
    return true;
}
