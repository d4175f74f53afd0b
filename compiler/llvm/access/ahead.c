/* ahead.c: LOADs that fetch what they read next.
 *
 * Of rows of a large input that a loop reads in step, more than a page from each other, the last one's lines
 * come from beyond this core's caches, and among so many streams the machine foresees them late: they are
 * fetched a page ahead. (Zen 4, of 11 to 84 MB: image_blur, AVX2 1.03 -> 0.83 ms, AVX-512 0.87 -> 0.73; hdiff
 * 20.8 -> 18.7, on both; max_pool_images, AVX2 0.45 -> 0.38. Of 1 to 4 MB it costs up to 5 %, and of what the
 * program stores itself, which was in those caches lately, up to 9 %: fdtd_2d.)
 *
 * Lanes that read a line each of what this core's caches do not hold fetch some vectors ahead
 * (column_20k_of_40, AVX-512: 16.9 -> 15.3 us, AVX2: 16.1 -> 15.2).
 */
#include "address.h"
#include <stdlib.h>

enum { PAGE_BYTES = 4096, LINE_BYTES = 64, VECTORS_AHEAD = 8, MOST_LOADS = 64 };

static int64_t bytes_of(const Stmt *load) { return (int64_t)dtype_bytes((DType)load->dtype); }

/* Does each lane, and each iteration of the loops around, read another line? */
static bool reads_a_line_each(const Stmt *load)
{
    for (uint32_t t = 0; t < load->address.n_terms; t++)
        if (llabs(load->address.terms[t].coef) * bytes_of(load) < LINE_BYTES) return false;
    return true;
}

/* Is it a good part of the last cache, and more than the core's own hold? */
static bool is_far(const Emitter *e, const Stmt *load)
{
    const Buffer *b = &e->program->buffers[load->buffer];
    return b->kind == BUF_INPUT && e->target->l3_bytes && buffer_bytes(b) > e->target->l3_bytes / 4;
}

/* Of LOADs in this loop, does this one fetch? Not if another does it, that is less than `width` bytes behind
 * it and reads the same lines; and of rows only the last of several. */
static bool fetches(const Emitter *e, const Val *loads, uint32_t n, const Stmt *s, int64_t width, bool rows)
{
    bool is_one_of_several = false;
    for (uint32_t i = 0; i < n; i++) {
        const Stmt *other = &e->kernel->stmts[loads[i]];
        if (other->buffer != s->buffer || !address_moves_alike(other->address, s->address)) continue;
        int64_t behind = (other->address.offset - s->address.offset) * bytes_of(s);
        if (behind > 0 && (behind < width || (rows && behind >= PAGE_BYTES))) return false;
        is_one_of_several |= behind <= -PAGE_BYTES;
    }
    return is_one_of_several || !rows;
}

void find_ahead(Emitter *e)
{
    const Kernel *k = e->kernel;
    e->fetches_ahead = arena_alloc(e->arena, k->n_stmts + 1);
    for (Val v = 0; v < k->n_stmts; v++) {
        const Stmt *loop = &k->stmts[v];
        Val loads[MOST_LOADS], end = loop->kind == ST_LOOP ? plain_body_end(e, v) : VAL_NONE;
        uint32_t n = 0;
        if (end == VAL_NONE || loop->lanes < 2) continue;
        for (Val at = v + 1; at < end && n < MOST_LOADS; at++)
            if (k->stmts[at].kind == ST_LOAD && !e->moved[at] && !e->alike[at] && !e->pixels[at] &&
                !has_data(e, k->stmts[at].address))
                loads[n++] = at;
        int64_t width = (int64_t)loop->lanes * loop->tile;
        if (width > loop->extent) width = loop->extent;
        for (uint32_t i = 0; i < n; i++) {
            const Stmt *s = &k->stmts[loads[i]];
            int64_t step = address_coefficient(s->address, v);
            bool rows = step == 1;
            if (rows ? is_far(e, s) : step && reads_a_line_each(s) && is_large(e, s->buffer))
                e->fetches_ahead[loads[i]] =
                    fetches(e, loads, n, s, rows ? width * bytes_of(s) : LINE_BYTES, rows);
        }
    }
}

void fetch_ahead(Emitter *e, const Stmt *load)
{
    AccessPlace p = place_of(e, load);
    int64_t lanes = axes_lanes(e, p.axes), step = p.lane_stride * p.bytes;
    for (uint32_t i = 0; i < parts_of(e, p.axes); i++) {
        LLVMValueRef at = part_place(e, &p, p.axes, i);
        bool is_row = p.lane_stride == 1;
        if (is_row && tile_offset(e, p.address, p.axes, i) * p.bytes % LINE_BYTES == 0)
            fetch_line(e, at_bytes(e, at, PAGE_BYTES), false);
        for (int64_t l = 0; !is_row && l < lanes; l++)
            fetch_line(e, at_bytes(e, at, (VECTORS_AHEAD * lanes + l) * step), false);
    }
}
