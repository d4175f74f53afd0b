/* ahead.c: LOADs that fetch what they read next. Of rows of a large input that a loop reads in step, more
 * than a page from each other, the last one's lines come from beyond this core's caches, and among so many
 * streams the machine foresees them late. (Zen 4, of 11 to 84 MB: image_blur, AVX2 1.03 -> 0.83 ms, AVX-512
 * 0.87 -> 0.73; hdiff 20.8 -> 18.7, on both; max_pool_images, AVX2 0.45 -> 0.38. Of 1 to 4 MB it costs up to
 * 5 %, and of what the program stores itself, which was in those caches lately, up to 9 %: fdtd_2d.)
 */
#include "address.h"

enum { PAGE_BYTES = 4096, LINE_BYTES = 64, MOST_LOADS = 64 };

/* Is it a good part of the last cache, and more than the core's own hold? */
static bool is_far(const Emitter *e, const Stmt *load)
{
    const Buffer *b = &e->program->buffers[load->buffer];
    return b->kind == BUF_INPUT && e->target->l3_bytes && buffer_bytes(b) > e->target->l3_bytes / 4;
}

/* Of these LOADs of the same rows, is this in the last one of several, and is no other behind it less than a
 * vector away, which reads the same lines? */
static bool is_last(const Stmt *stmts, const Val *loads, uint32_t n, const Stmt *s, int64_t width)
{
    int64_t bytes = (int64_t)dtype_bytes((DType)s->dtype);
    bool is_one_of_several = false;
    for (uint32_t i = 0; i < n; i++) {
        const Stmt *other = &stmts[loads[i]];
        if (other->buffer != s->buffer || !address_moves_alike(other->address, s->address)) continue;
        int64_t behind = other->address.offset - s->address.offset;
        if (behind > 0 && (behind < width || behind * bytes >= PAGE_BYTES)) return false;
        is_one_of_several |= behind * bytes <= -PAGE_BYTES;
    }
    return is_one_of_several;
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
        for (Val at = v + 1; at < end && n < MOST_LOADS; at++) {
            const Stmt *s = &k->stmts[at];
            bool is_plain = s->kind == ST_LOAD && !e->moved[at] && !e->alike[at] && !e->pixels[at];
            if (is_plain && address_coefficient(s->address, v) == 1 && is_far(e, s)) loads[n++] = at;
        }
        int64_t width = (int64_t)loop->lanes * loop->tile;
        if (width > loop->extent) width = loop->extent;
        for (uint32_t i = 0; i < n; i++)
            e->fetches_ahead[loads[i]] = is_last(k->stmts, loads, n, &k->stmts[loads[i]], width);
    }
}

void fetch_ahead(Emitter *e, const AccessPlace *p, Axes axes)
{
    for (uint32_t i = 0; i < parts_of(e, axes); i++)
        if (tile_offset(e, p->address, axes, i) * p->bytes % LINE_BYTES == 0)
            fetch_line(e, at_bytes(e, part_place(e, p, axes, i), PAGE_BYTES), false);
}
