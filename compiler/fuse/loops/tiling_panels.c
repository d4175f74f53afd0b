/* tiling_panels.c: which products read their operands from panels, and the sizes of tiles and blocks.
 *
 * A product whose operands do not fit into the L2 cache together, and whose rows and columns use each
 * element often enough to pay for the copies. (With 16 registers, half of that cache.) A panel of columns,
 * or of a long sum a part of it, comes from the L2 cache again for each tile of rows. What lies in memory is
 * copied part by part, just before the block's tiles read it, into memory of the thread: rows, and columns of
 * which a part takes no more than half the L2 cache (AVX-512, ms, copied before and near: 100 x 10,000 times
 * 10,000 x 100 3.2 and 2.8, scratch 10 and 0.2 MB; f64 50 x 100,000 times 100,000 x 50 26 and 21; 2048 x 2048
 * 157 and 156).
 *
 * Where operands lie in memory, only what the columns read goes into panels, as wide as a tile: strips.
 * Rows are read as they lie, sums stay in registers until they are complete, and what uses them follows at
 * once, so that several sums of one kernel may do so. A block of rows takes each strip once (AVX2: 512 x 512:
 * 2.72 -> 2.50 ms, 2048 x 2048: 172 -> 158; AVX-512: 2.58 -> 2.49; SSE2: 9.9 -> 7.4). With 16 registers also
 * where the rows of the right side push each other out of the L1 cache, as 256 rows of 64 f32 do (3136 x 256
 * by 256 x 64, AVX2: 1.17 -> 0.91 ms). With 32, tiles are so high that they wait for memory less: a copy
 * costs more than it saves (two products of 128 x 256 by 256 x 256, AVX-512: 301 -> 316 us).
 *
 * With 32 registers, rows that the L2 cache does not hold for a block of tiles come from panels, too, if the
 * product is all that is summed: read as they lie, they would come from the next cache again for each strip
 * (AVX-512, with what llvm/access/next_panel.c fetches, 1024 x 1024: f64 45 -> 39 ms, f32 18.9 -> 17.8).
 *
 * Where the rows fit into a few L2 caches, all of them read one strip before the next: a few strips at a time
 * are copied just before, along lines as they lie, into memory of the thread, which the caches hold.
 */
#include "tiling.h"
#include "compiler/graph/attributes.h"

static bool is_free(const Node *dot, int side, int axis)
{
    DotDims d = dot_dims(dot->attr);
    return !lists(d.batch[side], d.n_batch, axis) && !lists(d.summed[side], d.n_summed, axis);
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
    DotDims dims = dot_dims(dot->attr);
    int last = 0, n = 0;
    if (dims.n_summed != 1 || axes_that_move(b, side, loop, &last) != 1) return false;
    int64_t summed = dims.summed[side][0];
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
        if ((d < first || d > last) && d != summed) perm[n++] = d;
    *p = (Packing){ .node = dot->args[side], .perm = perm, .panel = panel, .side = (uint8_t)side };
    p->n_outer = (uint8_t)n;
    perm[n++] = summed;
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

/* A sum of more than twice as much as a part has is made in parts of whole vectors, with as little behind its
 * end as can be. */
static int64_t products_in_part(int64_t summed, int64_t most, int64_t lanes)
{
    int64_t best = most;
    if (summed <= 2 * most) return summed;
    for (int64_t part = most; part > most / 2; part -= lanes)
        if ((summed + part - 1) / part * part < (summed + best - 1) / best * best) best = part;
    return best;
}

/* Of each row, where so many columns are summed: twice as many with 32 registers, unless the columns' part
 * would then no longer lie in the L2 cache. */
static int64_t bytes_in_part(const Build *b, int64_t columns)
{
    int64_t once = MOST_IN_PART, held = b->target->l2_bytes / 2 / columns;
    return b->target->vector_registers >= 32 && (once > held || 2 * once <= held) ? 2 * once : once;
}

/* Tiles of rows whose panels take so many bytes; if possible, so many that nothing is left over. Where
 * threads share the blocks and copy no columns for each, there are some for each thread. */
static uint16_t tiles_in_block(int64_t tiles, int64_t tile_bytes, int64_t bytes, bool shared)
{
    int64_t most = bytes / tile_bytes, n;
    if (shared && most > tiles / STRIP_BLOCKS) most = tiles / STRIP_BLOCKS;
    if (most < LEAST_BLOCK) most = LEAST_BLOCK;
    if (most > tiles) most = tiles;
    for (n = most; n > 1 && n > most / 2 && tiles % n; n--) continue;
    return (uint16_t)(tiles % n ? tiling_even(tiles, (uint16_t)most) : n);
}

/* What is left over is a piece of its own. */
static void cut_rest(Seams *s, int64_t step)
{
    int64_t whole = s->extent / step * step;
    if (whole > 0 && whole < s->extent && (!s->n || s->at[s->n - 1] < whole)) s->at[s->n++] = whole;
}

/* Do m rows read columns, k numbers each, so often that a copy of them pays? */
static bool are_many_rows(int64_t m, int64_t k, int64_t column_bytes)
{
    return m >= LEAST_SIDE || (m >= FEW_ROWS && k >= LONG_SUM) ||
           (m >= LEAST_ROWS && column_bytes >= FAR_COLUMNS);
}

/* Vectors in a panel of n columns: what is left of the last panel is computed too. Three need fewer loads. */
static uint16_t vectors_in_panel(const Build *b, int64_t n, int64_t lanes)
{
    int64_t all = (n + lanes - 1) / lanes, by_two = (all + 1) / 2 * 2, by_three = (all + 2) / 3 * 3;
    bool many = b->target->vector_registers >= 32;
    return many && (n % (2 * lanes) == 0 || by_three - by_two > by_two / 64) ? 2 : 3;
}

/* May a kernel copy panels of it as it goes? Not what is computed, nor what a loop around need not copy
 * again. */
static bool may_be_near(const Build *b, const Packing *p)
{
    return b->plan[p->node].round.place.kind == PLACE_BUFFER && !copy_moves_out(b, p->node);
}

bool panels_choose(Build *b, Val sum, Val rows, Val columns, double products, Schedule *s, Packings *packings)
{
    int last;
    if (!is_plain(b, sum, rows, columns)) return false;
    bool many = b->target->vector_registers >= 32;
    int64_t m = b->nest.stmts[rows].extent, n = b->nest.stmts[columns].extent,
            k = (int64_t)(products / b->nest.blocks[b->root_block].runs),
            bytes = (int64_t)dtype_bytes((DType)node_of(b, b->product.dot)->dtype);
    uint16_t vectors = vectors_in_panel(b, n, s->lanes), width = (uint16_t)(vectors * s->lanes),
             height = many ? tiling_even(m, PANEL_SUMS / vectors) : 4;
    int64_t l2 = b->target->l2_bytes;
    bool is_long = k * width * bytes > l2, is_far = n * k * bytes >= l2 / 2;
    if (!are_many_rows(m, k, n * k * bytes) || n < (is_far ? 2 * width : LEAST_SIDE) || k < LEAST_SUM ||
        (m + n) * k * bytes <= l2 / (many ? 1 : 2))
        return false;
    int side = axes_that_move(b, 1, rows, &last) > 0;
    if (axes_that_move(b, side, columns, &last) || axes_that_move(b, 1 - side, rows, &last) ||
        !panels_of(b, side, rows, height, &packings->of[0]) ||
        !panels_of(b, 1 - side, columns, width, &packings->of[1]))
        return false;
    const Packing *p = &packings->of[0];
    if (!is_long && n < 2 * LEAST_SIDE && panels_sum_neighbours(type_of(b, p->node), p)) return false;
    packings->n = 2;
    s->root_lanes = true;
    s->outer_tile = 1;
    s->root_tile = vectors;
    s->fold_tile = s->chains = 0;
    s->height = height;
    s->part = packings->of[0].part = packings->of[1].part =
        products_in_part(k, bytes_in_part(b, n) / bytes, s->lanes);
    bool near = may_be_near(b, &packings->of[1]) && n * s->part * bytes <= l2 / 2;
    s->block = tiles_in_block((m + height - 1) / height, height * s->part * bytes,
                              l2 / (many && s->part < k ? 2 : 4), b->sweeps[0]->n == 2 && !near);
    if (may_be_near(b, &packings->of[0])) packings->of[0].near = s->block;
    if (near) packings->of[1].near = (uint16_t)((n + width - 1) / width);
    Sweep *w = b->sweeps[0];
    cut_rest(&w->loop[w->n - 2], (int64_t)s->block * height);
    cut_rest(&w->loop[w->n - 1], width);
    return true;
}

/* ---- columns alone in panels ---- */

/* The axis of a load that the loop alone moves, from 0 on; -1: there is no single one. */
static int axis_of_loop(const Build *b, const Access *x, Val loop)
{
    int found = -1;
    for (int d = 0; d < node_of(b, x->node)->rank; d++) {
        Address a = x->at[d];
        if (!address_coefficient(a, loop)) continue;
        if (found >= 0 || a.n_terms != 1 || a.offset || address_coefficient(a, loop) != 1) return -1;
        found = d;
    }
    return found;
}

/* Panels of what a load reads: the columns are the run. */
static bool strips_of(Build *b, const Access *x, Val summed, Val columns, uint16_t panel, Packing *p)
{
    const Node *n = node_of(b, x->node);
    int last = axis_of_loop(b, x, columns), deep = axis_of_loop(b, x, summed), first = last, out = 0;
    if (last < 0 || deep < 0 || n->dim[deep] != b->nest.stmts[summed].extent) return false;
    int64_t walked = n->dim[last], extent = b->nest.stmts[columns].extent;
    while (walked < extent && first > 0) {
        first--;
        if (first == deep || x->at[first].n_terms || x->at[first].offset) return false;
        walked *= n->dim[first];
    }
    if (walked != extent) return false;
    int64_t *perm = arena_alloc(b->kept, (n->rank + 1u) * sizeof *perm);
    for (int d = 0; d < n->rank; d++)
        if ((d < first || d > last) && d != deep) perm[out++] = d;
    *p = (Packing){ .node = x->node, .perm = perm, .panel = panel, .part = n->dim[deep] };
    p->n_outer = (uint8_t)out;
    perm[out++] = deep;
    for (int d = first; d <= last; d++) perm[out++] = d;
    p->n_run = (uint8_t)(last - first + 1);
    return true;
}

/* Do vectors of so many rows, which lie so many bytes apart, push each other out of the L1 cache? */
static bool rows_meet(const Build *b, int64_t rows, int64_t apart, int64_t bytes)
{
    int64_t places = ROWS_THAT_MEET, lines = (bytes + LINE_BYTES - 1) / LINE_BYTES;
    while (apart % places) places /= 2;
    places = ROWS_THAT_MEET / (places > lines * LINE_BYTES ? places : lines * LINE_BYTES);
    return rows > places * b->target->l1_bytes / ROWS_THAT_MEET;
}

/* What rows take in tiles, in rows: fewer than WAITING_ROWS wait for their sums. */
static int64_t time_of_rows(int64_t rows, int64_t height)
{
    int64_t rest = rows % height;
    return rows - rest + (rest && rest < WAITING_ROWS ? WAITING_ROWS : rest);
}

/* Rows in a block that take the least time in all; where threads share the blocks, there are some for each.
 * held: rows that half the L2 cache holds: if they are many, each strip finds them there. fetch: rows in
 * whose time a block has all panels. */
static uint16_t rows_in_block(int64_t rows, int64_t height, int64_t held, int64_t fetch, bool shared)
{
    int64_t best = rows, least = INT64_MAX, most = MOST_STRIP_TILES * height;
    if (held >= LEAST_HELD_ROWS && most > held) most = held;
    if (shared && most > rows / STRIP_BLOCKS) most = rows / STRIP_BLOCKS;
    if (most < 2 * height) most = 2 * height;
    for (int64_t n = 2 * height; n <= most && n <= rows; n++) {
        int64_t time = rows / n * (time_of_rows(n, height) + fetch);
        if (rows % n) time += time_of_rows(rows % n, height) + fetch + rows / 64; /* and code of their own */
        if (time >= least) continue;
        least = time;
        best = n;
    }
    return (uint16_t)best;
}

/* The only loop inside the body, if all that it sums are products of what it loads. What is computed for
 * each of them had better be computed once: panels_choose. */
static Val summed_loop(const Build *b, uint32_t body)
{
    Val loop = VAL_NONE;
    for (Val v = 0; v < b->nest.n_stmts; v++) {
        const Stmt *s = &b->nest.stmts[v];
        if (s->kind != ST_FOLD) continue;
        const Block *k = &b->nest.blocks[b->nest.placed[v].block];
        if (k->parent != body || (loop != VAL_NONE && k->loop != loop) ||
            !is_product_of_loads(&b->nest, s->args[1]))
            return VAL_NONE;
        loop = k->loop;
    }
    return loop;
}

/* One result, in loops that are not cut, of which these are the innermost? */
static bool is_whole(const Build *b, Val rows, Val columns)
{
    if (b->n_roots != 1 || b->n_sweeps != 1 || b->schedule.rows || b->schedule.outer_from) return false;
    const Sweep *w = b->sweeps[0];
    for (int k = 0; k < w->n; k++)
        if (w->loop[k].n || w->loop[k].period != 1) return false;
    return w->n >= 2 && w->loop[w->n - 2].extent == b->nest.stmts[rows].extent &&
           w->loop[w->n - 1].extent == b->nest.stmts[columns].extent;
}

/* A product's loops, and what is known of its operands so far. */
typedef struct Strips {
    uint32_t body;
    Val rows, columns, summed;
    uint16_t width;
    bool meet;         /* rows push each other out */
    int64_t bytes;     /* of what goes into panels */
    int64_t row_bytes; /* of one row */
    Packings all;
} Strips;

/* Are there so few columns that rows, whose neighbours lie so many bytes apart, are best read as they lie? */
static bool are_few(const Build *b, const Strips *s, int64_t row_bytes)
{
    int64_t m = b->nest.stmts[s->rows].extent, n = b->nest.stmts[s->columns].extent;
    return n < 2 * s->width || (n < LEAST_SIDE && m * row_bytes <= NEAR_LEFT * (int64_t)b->target->l2_bytes);
}

/* Notes what an operand is to be read from. False: this is no product. */
static bool note_operand(Build *b, Strips *s, const Access *x)
{
    Address a = b->nest.stmts[x->load].address;
    bool columns = address_coefficient(a, s->columns), rows = address_coefficient(a, s->rows);
    uint32_t block = b->nest.placed[x->load].block, k = 0;
    if (block == s->body || !nest_encloses(&b->nest, s->body, block) || (!columns && !rows)) return true;
    if ((columns && rows) || b->nest.blocks[block].loop != s->summed) return false;
    int64_t n = b->nest.stmts[s->columns].extent, summed = b->nest.stmts[s->summed].extent,
            bytes = (int64_t)dtype_bytes((DType)node_of(b, x->node)->dtype);
    if (rows) s->row_bytes += summed * bytes;
    if (rows && (address_coefficient(a, s->summed) == 1 || are_few(b, s, summed * bytes))) return true;
    while (k < s->all.n && s->all.of[k].node != x->node) k++;
    if (k < s->all.n) return columns == (s->all.of[k].panel > 0);
    if (k == MAX_PACKED || !(columns ? strips_of(b, x, s->summed, s->columns, s->width, &s->all.of[k])
                                     : pack_by(b, x, s->summed, &s->all.of[k])))
        return false;
    s->all.n++;
    if (!columns) return true;
    s->meet |= rows_meet(b, summed, n * bytes, s->width * bytes);
    s->bytes += summed * n * bytes;
    return true;
}

/* So many strips are copied at once, just before all rows read them: copies then take no memory, and threads
 * share the groups. 0: all are copied before; so are those that a loop around need not copy again. */
static uint16_t strips_at_once(const Build *b, const Strips *s, bool shared)
{
    int64_t m = b->nest.stmts[s->rows].extent, strips = b->nest.stmts[s->columns].extent / s->width,
            bytes = 0, run = 0;
    if (m * s->row_bytes > NEAR_ROWS * (int64_t)b->target->l2_bytes) return 0;
    for (uint32_t i = 0; i < s->all.n; i++) {
        const Packing *p = &s->all.of[i];
        if (!p->panel) continue;
        if (copy_moves_out(b, p->node)) return 0;
        int64_t here = p->panel * (int64_t)dtype_bytes((DType)node_of(b, p->node)->dtype);
        bytes += p->part * here;
        if (run < here) run = here;
    }
    if (!bytes || bytes > b->target->l2_bytes) return 0;
    int64_t n = (s->bytes > NEAR_FAR * (int64_t)b->target->l2_bytes ? NEAR_RUN : NEAR_SHORT_RUN) / run,
            most = b->target->l2_bytes / bytes;
    if (shared && b->target->parallel_ns) {
        if (m >= THREADS_LEAST_ROWS && strips < NEAR_GROUPS) return 0;
        if (most > strips / NEAR_GROUPS) most = strips / NEAR_GROUPS;
    }
    if (n > most) n = most;
    return (uint16_t)(n > 1 ? n : 1);
}

/* Do all the products' operands allow it? If so, notes what goes into panels. */
static bool note_operands(Build *b, Strips *s)
{
    for (uint32_t i = 0; i < b->n_accesses; i++)
        if (!note_operand(b, s, &b->accesses[i])) return false;
    return s->bytes > 0;
}

bool strips_choose(Build *b, Val sum, Val rows, Val columns, double products, Schedule *s, Packings *packings)
{
    int64_t m = b->nest.stmts[rows].extent, n = b->nest.stmts[columns].extent, l2 = b->target->l2_bytes,
            k = (int64_t)(products / b->nest.blocks[b->root_block].runs),
            bytes = (int64_t)dtype_bytes((DType)b->nest.stmts[sum].dtype);
    bool many = b->target->vector_registers >= 32;
    Strips all = { .body = b->nest.placed[sum].block,
                   .rows = rows,
                   .columns = columns,
                   .summed = summed_loop(b, b->nest.placed[sum].block),
                   .width = (uint16_t)(s->root_tile * s->lanes) };
    if (all.summed == VAL_NONE || all.body != b->root_block || !is_whole(b, rows, columns) ||
        s->outer_tile < 2 || n < all.width || products < FEW_PRODUCTS || !note_operands(b, &all) ||
        (many && (n < 2 * LEAST_SIDE || all.all.n > 1)))
        return false;
    int64_t touched = all.bytes + all.bytes / n * m;
    if (touched <= l2 / (many ? 1 : 2) && (many || !all.meet)) return false;
    bool shared = b->sweeps[0]->n == 2;
    s->near = m >= LEAST_ROWS || all.bytes >= FAR_COLUMNS ? strips_at_once(b, &all, shared) : 0;
    if (!s->near &&
        (!are_many_rows(m, k, n * k * bytes) || (shared && b->target->parallel_ns && m < THREADS_LEAST_ROWS)))
        return false;
    for (uint32_t i = 0; i < all.all.n; i++)
        if (all.all.of[i].panel) all.all.of[i].near = s->near;
    int64_t held = l2 / 2 / (all.row_bytes ? all.row_bytes : l2);
    Schedule panels = b->schedule;
    bool is_far = s->near ? m * all.row_bytes >= NEAR_ROWS / 2 * l2 : held < MOST_STRIP_TILES * s->outer_tile;
    if (many && is_far && panels_choose(b, sum, rows, columns, products, &panels, packings)) {
        *s = panels;
        return true;
    }
    *packings = all.all;
    s->strips = true;
    s->height = 1;
    Sweep *w = b->sweeps[0];
    s->block = s->near ? 1 : rows_in_block(m, s->outer_tile, held, all.bytes <= l2 / 2 ? 2 : 4, shared);
    if (s->near) cut_rest(&w->loop[w->n - 1], (int64_t)s->near * all.width);
    else cut_rest(&w->loop[w->n - 2], s->block);
    cut_rest(&w->loop[w->n - 1], all.width);
    return true;
}
