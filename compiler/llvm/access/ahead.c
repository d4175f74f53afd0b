/* ahead.c: LOADs that fetch what they read next.
 *
 * Of rows of a large input that a loop reads in step, more than a page from each other, the last one's lines
 * come from beyond this core's caches, and among so many streams the machine foresees them late: they are
 * fetched a page ahead. (Zen 4, of 11 to 84 MB: image_blur, AVX2 1.03 -> 0.83 ms, AVX-512 0.87 -> 0.73; hdiff
 * 20.8 -> 18.7, on both; max_pool_images, AVX2 0.45 -> 0.38. Of 1 to 4 MB it costs up to 5 %, and of what the
 * program stores itself, which was in those caches lately, up to 9 %: fdtd_2d.) What lies a page ahead must
 * be wanted, too: of rows read in part it is not (1.2 to 2.7 x the time), and planes that are far from each
 * other are streams that the machine foresees.
 *
 * Lanes that read a line each of what this core's caches do not hold fetch some vectors ahead, if these are
 * read (column_20k_of_40, AVX-512: 16.9 -> 15.3 us, AVX2: 16.1 -> 15.2). Not where each reads another page:
 * those lines share few sets of the caches, which would lose them again (twice the time); nor many, for
 * LLVM's sake.
 */
#include "address.h"
#include <stdlib.h>

enum { PAGE_BYTES = 4096, LINE_BYTES = 64, VECTORS_AHEAD = 8, MOST_LOADS = 64, MOST_FETCHED = 64 };
enum { SAMPLES = 16 };

/* The LOADs of a loop with no other inside. */
typedef struct Loads {
    Val of[MOST_LOADS];
    uint32_t n;
} Loads;

static int64_t bytes_of(const Stmt *load) { return (int64_t)dtype_bytes((DType)load->dtype); }

/* How often what moves an address does. */
static int64_t times_of(const Emitter *e, const Term *t)
{
    const Stmt *s = &e->kernel->stmts[t->of];
    return s->kind == ST_LOOP && s->extent > 0 ? s->extent : INT32_MAX;
}

/* Does each lane, and each iteration of the loops around, read another line, of a page that others read? */
static bool reads_a_line_each(const Stmt *load, int64_t step)
{
    for (uint32_t t = 0; t < load->address.n_terms; t++)
        if (llabs(load->address.terms[t].coef) * bytes_of(load) < LINE_BYTES) return false;
    return llabs(step) * bytes_of(load) < PAGE_BYTES;
}

/* Is it a good part of the last cache, and more than the core's own hold? */
static bool is_far(const Emitter *e, const Stmt *load)
{
    const Buffer *b = &e->program->buffers[load->buffer];
    return b->kind == BUF_INPUT && e->target->l3_bytes && buffer_bytes(b) > e->target->l3_bytes / 4;
}

/* Is this element one of those that the LOAD reads in all iterations of the loops around? All coefficients
 * are positive. */
static bool reads_element(const Emitter *e, const Stmt *load, int64_t element)
{
    const Address *a = &load->address;
    int64_t left = element - a->offset, last = INT64_MAX;
    for (uint32_t done = 0; left > 0 && done < a->n_terms;) {
        int64_t coef = 0;
        for (uint32_t t = 0; t < a->n_terms; t++)
            if (a->terms[t].coef < last && a->terms[t].coef > coef) coef = a->terms[t].coef;
        for (uint32_t t = 0; t < a->n_terms; t++) {
            if (a->terms[t].coef != coef) continue;
            int64_t index = left / coef, most = times_of(e, &a->terms[t]) - 1;
            left -= coef * (index < most ? index : most);
            done++;
        }
        last = coef;
    }
    return left == 0;
}

/* Do these LOADs read, later on, nearly all of what lies so many elements behind what this one reads? Rows
 * that are read in part, or of which some are left out, have there what nobody wants. */
static bool reads_behind(const Emitter *e, const Loads *loads, const Stmt *s, int64_t distance)
{
    const Address *a = &s->address;
    int read = 0;
    for (uint32_t t = 0; t < a->n_terms; t++)
        if (a->terms[t].coef <= 0) return false;
    for (int k = 0; k < SAMPLES; k++) {
        int64_t element = a->offset + distance;
        for (uint32_t t = 0; t < a->n_terms; t++)
            element += a->terms[t].coef * (times_of(e, &a->terms[t]) * ((2 * t + 5) * k % SAMPLES) / SAMPLES);
        bool found = false;
        for (uint32_t i = 0; i < loads->n && !found; i++) {
            const Stmt *other = &e->kernel->stmts[loads->of[i]];
            found = other->buffer == s->buffer && address_moves_alike(other->address, *a) &&
                    reads_element(e, other, element);
        }
        read += found;
    }
    return read * 8 >= SAMPLES * 7;
}

/* Of LOADs in this loop, does this one fetch? Not if another does it, that is less than `width` bytes behind
 * it and reads the same lines; and of rows only the last of several that this core's caches hold together. */
static bool fetches(const Emitter *e, const Loads *loads, const Stmt *s, int64_t width, bool rows)
{
    int64_t held = e->target->l2_bytes;
    bool is_one_of_several = false;
    for (uint32_t i = 0; i < loads->n; i++) {
        const Stmt *other = &e->kernel->stmts[loads->of[i]];
        if (other->buffer != s->buffer || !address_moves_alike(other->address, s->address)) continue;
        int64_t behind = (other->address.offset - s->address.offset) * bytes_of(s);
        if (behind > 0 && (behind < width || (rows && behind >= PAGE_BYTES))) return false;
        is_one_of_several |= behind <= -PAGE_BYTES && behind >= -held;
    }
    return !rows || is_one_of_several;
}

static void find_in_loop(Emitter *e, Val v, Val end)
{
    const Stmt *stmts = e->kernel->stmts, *loop = &stmts[v];
    int64_t width = (int64_t)loop->lanes * loop->tile, fetched = 0;
    Loads loads = { .n = 0 };
    for (Val at = v + 1; at < end && loads.n < MOST_LOADS; at++)
        if (stmts[at].kind == ST_LOAD && !e->moved[at] && !e->alike[at] && !e->pixels[at] &&
            !has_data(e, stmts[at].address))
            loads.of[loads.n++] = at;
    if (width > loop->extent) width = loop->extent;
    for (uint32_t i = 0; i < loads.n; i++) {
        const Stmt *s = &stmts[loads.of[i]];
        int64_t step = address_coefficient(s->address, v);
        bool rows = step == 1;
        if (rows ? !is_far(e, s) : !step || !reads_a_line_each(s, step) || !is_large(e, s->buffer)) continue;
        if (!fetches(e, &loads, s, rows ? width * bytes_of(s) : LINE_BYTES, rows)) continue;
        int64_t distance = rows ? PAGE_BYTES / bytes_of(s) : VECTORS_AHEAD * (int64_t)loop->lanes * step;
        e->fetches_ahead[loads.of[i]] = reads_behind(e, &loads, s, distance);
        if (e->fetches_ahead[loads.of[i]] && !rows) fetched += width;
    }
    for (uint32_t i = 0; fetched > MOST_FETCHED && i < loads.n; i++)
        if (address_coefficient(stmts[loads.of[i]].address, v) != 1) e->fetches_ahead[loads.of[i]] = false;
}

void find_ahead(Emitter *e)
{
    const Kernel *k = e->kernel;
    e->fetches_ahead = arena_alloc(e->arena, k->n_stmts + 1);
    for (Val v = 0; v < k->n_stmts; v++) {
        Val end = k->stmts[v].kind == ST_LOOP && k->stmts[v].lanes > 1 ? plain_body_end(e, v) : VAL_NONE;
        if (end != VAL_NONE) find_in_loop(e, v, end);
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
