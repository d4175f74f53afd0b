/* test_bands.c: kernels that hand rows to each other run in bands: arrays between them become windows, and
 * every element is what it is without. The caches are taken to be so small that a few rows fill them. */
#include "tests/fuse/fuse_words.h"
#include "tests/support/long_run.h"
#include <string.h>

/* ---- what the fused program looks like ---- */

typedef struct Bands {
    uint32_t loops, kernels, apart;
    int64_t rows, least_lead, most_lead, temporary;
} Bands;

static Bands look(const Program *p)
{
    Bands b = { 0 };
    for (uint32_t i = 0; i < p->n_steps; i++) b.loops += p->steps[i].bands;
    for (uint32_t k = 0; k < p->n_kernels; k++)
        for (uint32_t i = 0; i < p->kernels[k].n_stmts; i++) b.apart += p->kernels[k].stmts[i].halo > 0;
    for (uint32_t i = 0; i < p->n_buffers; i++)
        if (p->buffers[i].kind == BUF_TEMP) b.temporary += p->buffers[i].count;
    for (uint32_t k = 0; k < p->n_kernels; k++) {
        const Kernel *kernel = &p->kernels[k];
        if (!kernel->rows) continue;
        b.kernels++;
        b.rows = kernel->rows;
        for (uint32_t i = 0; i < kernel->n_stmts; i++) {
            int64_t lead = kernel->stmts[i].kind == ST_LOOP ? (int64_t)kernel->stmts[i].imm : 0;
            if (lead < b.least_lead) b.least_lead = lead;
            if (lead > b.most_lead) b.most_lead = lead;
        }
    }
    return b;
}

static Bands bands_of(const Graph *g, uint32_t cache)
{
    Arena a;
    fuse_cache = cache;
    Bands b = look(fused(&a, g));
    arena_free(&a);
    return b;
}

/* Compares the graph of GRAPH(name) for this cache, and looks at its bands. */
#define BANDS(name, cache, ...) \
    GIVES(name, __VA_ARGS__); \
    Bands name##_bands = bands_of(name, cache); \
    fuse_compare(#name, name); \
    arena_free(&name##_arena)

/* ---- stages ---- */

static int64_t size_of(const Graph *g, Ref x, int axis) { return graph_type(g, x).dim[axis]; }

/* tanh of the sum of `taps` neighbours along an axis, each scaled otherwise; `pad` zeros on either side. */
static Ref stencil(Graph *g, Ref x, int axis, int taps, int pad)
{
    int64_t around[2] = { 0, 0 }, none[2] = { 0, 0 };
    around[axis] = pad;
    if (pad) x = build_pad(g, x, f(g, 0), around, around, none);
    int64_t size = size_of(g, x, axis) - taps + 1;
    Ref sum = REF_NONE;
    for (int k = 0; k < taps; k++) {
        Ref tap = build_slice_along(g, x, axis, k, k + size, 1);
        tap = mul(g, tap, spread(g, f(g, 0.5 + 0.25 * k), graph_type(g, tap)));
        sum = sum == REF_NONE ? tap : add(g, sum, tap);
    }
    return build_unary(g, OP_TANH, sum);
}

/* A recurrence along the last axis, in lanes along the first; results as [last, first]. */
static Ref recurrence(Graph *g, Ref x, bool reverse)
{
    int64_t n = size_of(g, x, 0), length = size_of(g, x, 1);
    Ref xs = build_transpose(g, x, (int64_t[]){ 1, 0 }), out[2];
    Graph *body = graph_new(g->arena, "body");
    Ref h = build_param(body, F32(n)), v = build_param(body, F32(n)),
        next = build_unary(body, OP_TANH, add(body, mul(body, h, spread(body, f(body, 0.5), F32(n))), v));
    GIVES(body, next, next);
    Ref start = spread(g, f(g, 0), F32(n));
    build_scan(g, (ScanShape){ length, reverse, 1, 0, 1, 1, 0 }, body, (Ref[]){ start, xs }, out);
    return out[1];
}

/* ---- suites ---- */

/* Rows that are no multiple of the band. Each stage leads the next by the rows that this reads behind its
 * own; the second and the last of them walk whole arrays with one loop, if they run by themselves. */
Test(bands, chain)
{
    for (int64_t rows = 33; rows < 53; rows += 3) {
        GRAPH(chain);
        Ref x = build_param(chain, F32(rows, 40)), y = stencil(chain, x, 0, 3, 0),
            z = stencil(chain, y, 1, 2, 0), w = stencil(chain, z, 0, 4, 0);
        BANDS(chain, 2048, stencil(chain, w, 0, 2, 0));
        cr_expect(chain_bands.loops == 1 && chain_bands.kernels == 4 && chain_bands.most_lead == 4,
                  "%lld rows: %u loops, %u kernels, lead %lld", (long long)rows, chain_bands.loops,
                  chain_bands.kernels, (long long)chain_bands.most_lead);
        cr_expect(chain_bands.temporary < 40 * 30, "%lld elements between the kernels",
                  (long long)chain_bands.temporary);
    }
}

/* One loop over each whole array: bands are of elements. */
Test(bands, long_rows)
{
    for (int64_t n = 1500; n < 1600; n += 33) {
        GRAPH(line);
        Ref x = build_param(line, F32(n)), y = stencil(line, x, 0, 3, 0), z = stencil(line, y, 0, 4, 0);
        BANDS(line, 4096, stencil(line, z, 0, 2, 0));
        cr_expect(line_bands.loops == 1 && line_bands.kernels == 3 && line_bands.most_lead == 64,
                  "%lld elements: %u loops, %u kernels, lead %lld", (long long)n, line_bands.loops,
                  line_bands.kernels, (long long)line_bands.most_lead);
    }
}

/* The same size in all stages: first and last rows stand outside of the loop over the others. */
Test(bands, padded)
{
    for (int taps = 3; taps <= 5; taps += 2)
        for (int64_t rows = 24; rows < 33; rows++) {
            GRAPH(padded);
            Ref x = build_param(padded, F32(rows, 33)), y = stencil(padded, x, 0, taps, taps / 2),
                z = stencil(padded, y, 1, taps, taps / 2);
            BANDS(padded, 1024, stencil(padded, z, 0, taps, taps / 2));
            cr_expect(padded_bands.loops == 1 && padded_bands.least_lead < -5,
                      "%d taps, %lld rows: %u loops, lead %lld", taps, (long long)rows, padded_bands.loops,
                      (long long)padded_bands.least_lead);
        }
}

/* x with its first and last rows, or columns, once more. */
static Ref with_edges(Graph *g, Ref x, int axis)
{
    int64_t n = size_of(g, x, axis);
    Ref parts[] = { build_slice_along(g, x, axis, 0, 1, 1), x, build_slice_along(g, x, axis, n - 1, n, 1) };
    return build_concatenate(g, parts, 3, axis);
}

/* Of 5 x 5 pixels, but not of every second column. */
static Ref sums_of_windows(Graph *g, Ref x)
{
    int64_t m = size_of(g, x, 0) - 4, n = size_of(g, x, 1) - 4;
    Ref sum = REF_NONE;
    for (int k = 0; k < 15; k++) {
        Ref rows = build_slice_along(g, x, 0, k / 3, k / 3 + m, 1),
            tap = build_slice_along(g, rows, 1, k % 3 * 2, k % 3 * 2 + n, 1);
        sum = k ? add(g, sum, tap) : tap;
    }
    return sum;
}

/* Are large arrays between kernels of bytes? */
static bool keeps_bytes(const Graph *g)
{
    Arena a;
    bool keeps = false, others = false;
    fuse_cache = 4096;
    arena_open(&a);
    const Program *p = fused(&a, g);
    for (uint32_t i = 0; i < p->n_buffers; i++) {
        const Buffer *b = &p->buffers[i];
        keeps |= b->kind == BUF_TEMP && b->dtype == WEFT_U8;
        others |= b->kind == BUF_TEMP && b->dtype != WEFT_U8 && b->count > 2000;
    }
    arena_free(&a);
    return keeps && !others;
}

/* An image with its edges, as wider numbers: it is kept as bytes, and where it has colours, of these a few
 * rows, though the first and last columns are copied by loops of their own. (In a gray one these are written
 * out, for several rows at once.) */
Test(bands, edges_of_bytes)
{
    for (int channels = 1; channels <= 3; channels += 2)
        for (int64_t rows = 600; rows < 640; rows += 31) {
            GRAPH(image);
            Ref x = build_param(image, TYPE(WEFT_U8, rows, 70, channels));
            for (int axis = 0; axis < 4; axis++) x = with_edges(image, x, axis / 2);
            GIVES(image, sums_of_windows(image, build_convert(image, x, WEFT_I32)));
            cr_expect(keeps_bytes(image), "%d channels", channels);
            BANDS(image, 4096, image->outputs[0]);
            if (channels > 1)
                cr_expect(image_bands.loops == 1 && image_bands.temporary < rows * 74 * channels,
                          "%d channels, %lld rows: %u loops, %lld elements between", channels,
                          (long long)rows, image_bands.loops, (long long)image_bands.temporary);
        }
}

/* x with so many rows, or columns, more on each side: those next to it, the other way round. */
static Ref reflected(Graph *g, Ref x, int axis, int64_t by)
{
    int64_t n = size_of(g, x, axis);
    Ref before = build_slice_along(g, x, axis, 1, by + 1, 1),
        behind = build_slice_along(g, x, axis, n - by - 1, n - 1, 1);
    Ref parts[] = { build_reverse(g, before, (int64_t[]){ axis }, 1), x,
                    build_reverse(g, behind, (int64_t[]){ axis }, 1) };
    return build_concatenate(g, parts, 3, axis);
}

/* Both edges stand in one loop, and what is between them is one long row: all three run in bands. */
Test(bands, reflected_edges)
{
    for (int64_t by = 1; by <= 7; by += 3)
        for (int64_t rows = 200; rows < 206; rows += 5) {
            GRAPH(image);
            Ref x = build_param(image, F32(rows, 10, 3));
            x = reflected(image, reflected(image, x, 0, by), 1, by);
            for (int axis = 0; axis < 2; axis++) x = stencil(image, x, axis, (int)(2 * by + 1), 0);
            BANDS(image, 4096, x);
            cr_expect(image_bands.loops == 1 && image_bands.temporary < 30 * rows,
                      "%lld rows on each side of %lld: %u loops, %lld elements between", (long long)by,
                      (long long)rows, image_bands.loops, (long long)image_bands.temporary);
        }
}

/* One stage reads rows before and behind of what another does. */
Test(bands, both_sides)
{
    GRAPH(sides);
    Ref x = build_param(sides, F32(40, 30)), y = stencil(sides, x, 0, 2, 0),
        ahead = build_slice_along(sides, y, 0, 4, 39, 1), behind = build_slice_along(sides, y, 0, 0, 35, 1);
    Ref z = build_binary(sides, OP_DIV, ahead, add(sides, behind, spread(sides, f(sides, 9), F32(35, 30))));
    BANDS(sides, 2048, stencil(sides, build_unary(sides, OP_TANH, z), 0, 3, 0));
    cr_expect(sides_bands.loops == 1 && sides_bands.most_lead >= 4, "%u loops, lead %lld", sides_bands.loops,
              (long long)sides_bands.most_lead);
}

/* Rows along the last axis: what the lanes of a recurrence hand to the next. */
Test(bands, minor_axis)
{
    for (int reverse = 0; reverse < 2; reverse++)
        for (int64_t n = 512; n < 700; n += 93) {
            GRAPH(columns);
            Ref x = build_param(columns, F32(n, 5)), y = recurrence(columns, x, false);
            BANDS(columns, 2048,
                  recurrence(columns, build_transpose(columns, y, (int64_t[]){ 1, 0 }), reverse));
            cr_expect(columns_bands.loops == 1, "%lld columns: %u loops", (long long)n, columns_bands.loops);
        }
}

/* The first step stands alone, and stores the first part of what the others store in the others. */
Test(bands, cut_steps)
{
    GRAPH(cut);
    Ref x = build_param(cut, F32(600, 9)),
        y = recurrence(
            cut, build_pad(cut, x, f(cut, 0), (int64_t[]){ 0, 1 }, (int64_t[]){ 0, 0 }, (int64_t[]){ 0, 0 }),
            false);
    BANDS(cut, 2048, recurrence(cut, build_transpose(cut, y, (int64_t[]){ 1, 0 }), true));
    cr_expect(cut_bands.loops == 1 && cut_bands.temporary < 10 * 300, "%u loops, %lld elements between",
              cut_bands.loops, (long long)cut_bands.temporary);
}

/* Where threads pay, each band computes what it needs of the rows before it. */
Test(bands, apart)
{
    fuse_parallel = 1;
    for (int pad = 0; pad < 2; pad++)
        for (int64_t rows = 400; rows < 430; rows += 13) {
            GRAPH(apart);
            Ref x = build_param(apart, F32(rows, 33)), y = stencil(apart, x, 0, 3, pad),
                z = stencil(apart, y, 1, 3, pad);
            BANDS(apart, 1 << 14, stencil(apart, z, 0, 3, pad));
            cr_expect(apart_bands.apart > 0 && apart_bands.loops == 0, "%lld rows: %u halos, %u loops",
                      (long long)rows, apart_bands.apart, apart_bands.loops);
        }
    /* what is given back is not stored twice; halos that cost too much */
    GRAPH(given);
    Ref x = build_param(given, F32(400, 33)), y = stencil(given, x, 0, 3, 0), z = stencil(given, y, 0, 3, 0);
    BANDS(given, 1 << 14, z, stencil(given, z, 0, 3, 0));
    cr_expect(given_bands.apart == 1, "%u halos", given_bands.apart);
    GRAPH(dear);
    Ref u = build_param(dear, F32(60, 33)), v = stencil(dear, u, 0, 5, 0);
    BANDS(dear, 1 << 11, stencil(dear, v, 0, 5, 0));
    cr_expect(!dear_bands.apart && dear_bands.loops == 1, "%u halos, %u loops", dear_bands.apart,
              dear_bands.loops);
    fuse_parallel = 0;
}

/* In a loop the window begins anew in each iteration. */
Test(bands, in_a_loop)
{
    GRAPH(steps);
    Type t = F32(30, 32);
    Graph *body = graph_new(steps->arena, "body");
    Ref h = build_param(body, t), out[1];
    Ref y = stencil(body, stencil(body, h, 0, 3, 1), 0, 3, 1);
    GIVES(body, y);
    Ref x = build_param(steps, t);
    build_scan(steps, (ScanShape){ 3, false, 1, 0, 1, 0, 0 }, body, &x, out);
    BANDS(steps, 1024, out[0]);
    cr_expect(steps_bands.loops == 1, "%u loops", steps_bands.loops);
}

/* What does not fit stays as it is: an array that is given back, too, keeps all its rows; a transposed one,
 * and one of a single row, have none to run by. */
Test(bands, where_they_do_not_fit)
{
    GRAPH(given);
    Ref x = build_param(given, F32(40, 32)), y = stencil(given, x, 0, 3, 0);
    BANDS(given, 1024, y, stencil(given, y, 0, 3, 0));
    cr_expect(given_bands.loops == 0, "%u loops", given_bands.loops);
    GRAPH(turned);
    Ref u = build_param(turned, F32(40, 40)), v = stencil(turned, u, 0, 3, 1);
    BANDS(turned, 1024, stencil(turned, build_transpose(turned, v, (int64_t[]){ 1, 0 }), 0, 3, 1));
    cr_expect(turned_bands.loops == 0, "%u loops", turned_bands.loops);
    GRAPH(row);
    Ref p = build_param(row, F32(1, 600)), q = stencil(row, p, 1, 3, 1);
    BANDS(row, 1024, stencil(row, q, 1, 3, 1));
    cr_expect(row_bands.loops <= 1, "%u loops", row_bands.loops);
    GRAPH(small);
    Ref s = build_param(small, F32(40, 32)), w = stencil(small, s, 0, 3, 0);
    BANDS(small, 1 << 20, stencil(small, w, 0, 3, 0));
    cr_expect(small_bands.loops == 0, "%u loops", small_bands.loops);
}

static uint32_t below(uint32_t *state, uint32_t end)
{
    *state = *state * 1664525u + 1013904223u;
    return (*state >> 16) % end;
}

/* Random chains, which share and skip stages, for caches of random sizes. */
Test(bands, random_chains)
{
    uint32_t loops = 0, apart = 0, state = 1;
    int n_rounds = rounds(28, 80);
    for (int round = 0; round < n_rounds; round++) {
        GRAPH(random);
        fuse_parallel = round % 4 == 3; /* more rows, so that halos are few */
        Ref x[8];
        uint32_t n = 1;
        int64_t rows = (fuse_parallel ? 300 : 20) + below(&state, 30), columns = 17 + below(&state, 30);
        x[0] = build_param(random, F32(rows, columns));
        for (uint32_t stages = 2 + below(&state, 4); n <= stages; n++) {
            Ref from = x[n - 1 - (n > 1 && below(&state, 4) == 0)];
            int half = 1 + (int)below(&state, 2), axis = below(&state, 3) == 0;
            bool reflects = below(&state, 4) == 0;
            if (reflects) from = reflected(random, from, axis, half);
            x[n] = stencil(random, from, axis, 2 * half + 1, reflects ? 0 : half);
            if (below(&state, 3) == 0) x[n] = add(random, x[n], x[n - 1]);
        }
        BANDS(random, (fuse_parallel ? 4096u : 256u) << below(&state, 6), x[n - 1]);
        loops += random_bands.loops;
        apart += random_bands.apart > 0;
    }
    fuse_parallel = 0;
    cr_expect(apart > (uint32_t)n_rounds / 14, "%u have halos", apart);
    cr_expect(loops > (uint32_t)n_rounds / 4, "%u loops", loops);
}
