/* next_panel.c: LOADs of a panel that fetch the next one.
 *
 * The columns of a large product lie in panels, each of which all tiles of a block of rows read. The first of
 * them would wait for each line that comes from beyond this core's caches; so each tile fetches its part of
 * the panel that comes next, a few bytes further in each step of its sums. fuse/loops/tiling_panels.c says
 * what that is worth.
 */
#include "address.h"

/* Of a panel: the loops, by depth, over panels, over the rows that read each, and over what is summed. */
typedef struct PanelLoops {
    int panels, rows, summed;
    int64_t bytes, step_bytes; /* of a panel, and what one step of the sums reads of it */
} PanelLoops;

static const Stmt *loop_at(const Emitter *e, int depth) { return &e->kernel->stmts[e->loops[depth].stmt]; }

static bool find_panel(const Emitter *e, const Stmt *load, PanelLoops *l)
{
    const Address *a = &load->address;
    int lanes = lane_depth(e);
    l->summed = e->depth - 1;
    if (lanes < 2 || l->summed <= lanes || loop_at(e, l->summed)->tile > 1) return false;
    int64_t width = loop_at(e, lanes)->extent, step = coef_of_depth(e, a, l->summed),
            panel = step * loop_at(e, l->summed)->extent;
    for (l->panels = lanes - 1; l->panels >= 0 && !coef_of_depth(e, a, l->panels);) l->panels--;
    l->rows = l->panels + 1;
    l->step_bytes = step * (int64_t)dtype_bytes((DType)load->dtype);
    l->bytes = l->step_bytes * loop_at(e, l->summed)->extent;
    for (uint32_t i = 0; i < a->n_terms; i++)
        if (!is_loop(e, a->terms[i].of)) return false;
    return l->panels >= 0 && l->rows < lanes && step == width && coef_of_depth(e, a, lanes) == 1 &&
           coef_of_depth(e, a, l->panels) == panel;
}

/* Steps of a tile that are behind each other are less than a line apart: most find it fetched. */
void fetch_next_panel(Emitter *e, const Stmt *load)
{
    PanelLoops l;
    int64_t by[MAX_LOOP_DEPTH] = { 0 }, bytes = (int64_t)dtype_bytes((DType)load->dtype);
    if (!is_large(e, load->buffer) || !find_panel(e, load, &l)) return;
    const Stmt *rows = loop_at(e, l.rows);
    int64_t tiles = rows->extent / rows->tile;
    if (tiles < 2 || l.step_bytes < tiles) return;
    for (int d = 0; d < l.rows; d++) by[d] = coef_of_depth(e, &load->address, d) * bytes;
    by[l.rows] = l.bytes / rows->extent;
    by[l.summed] = l.step_bytes / tiles;
    fetch_line(e, place_by_loops(e, load->buffer, load->address.offset * bytes + l.bytes, by), false);
}
