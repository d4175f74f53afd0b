/* test_streams.c: stores that go past the caches, and transposes by panels: which are chosen, and that every
 * element is what it is without, wherever results lie, and nothing beside them is written. Caches are said to
 * be so small that small arrays are large. */
#include "compiler/pipeline.h"
#include "runtime/eager/eager.h"
#include "runtime/exec/compile.h"
#include "tests/fuse/fuse_words.h"
#include <stdlib.h>
#include <string.h>

enum { CACHE = 2048 };

typedef struct Chosen {
    uint32_t streamed, stores, panels, bands;
} Chosen;

static Chosen chosen_on(const Graph *g, const Target *target, uint64_t donated)
{
    Arena a;
    Chosen c = { 0 };
    Failure wrong = { 0 };
    arena_open(&a);
    const Program *p = pipeline_run(&(Pipeline){ .target = target, .donated = donated }, &a, g, &wrong);
    cr_assert(p, "%s", wrong.text);
    for (uint32_t i = 0; i < p->n_steps; i++) c.bands += p->steps[i].bands;
    for (uint32_t i = 0; i < p->n_buffers; i++) c.panels += p->buffers[i].kind == BUF_LOCAL;
    for (uint32_t k = 0; k < p->n_kernels; k++)
        for (uint32_t i = 0; i < p->kernels[k].n_stmts; i++) {
            c.stores += p->kernels[k].stmts[i].kind == ST_STORE;
            c.streamed += p->kernels[k].stmts[i].streamed;
        }
    arena_free(&a);
    return c;
}

static Chosen chosen_for(const Graph *g, uint32_t cache, uint64_t donated, uint32_t vector_bytes)
{
    Target target = wide;
    target.vector_bytes = vector_bytes;
    target.l2_bytes = target.l3_bytes = cache;
    return chosen_on(g, &target, donated);
}

static Chosen chosen(const Graph *g, uint32_t cache, uint64_t donated)
{
    return chosen_for(g, cache, donated, wide.vector_bytes);
}

/* ---- results that lie anywhere ---- */

enum { ROOM = 256 }; /* bytes before and behind */

static bool is_untouched(const char *from, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++)
        if (from[i] != 0x55) return false;
    return true;
}

/* Runs the code with its one result `skip` bytes behind a line of the cache. */
static void check_place(const char *what, const Code *code, const Values *in, const Values *want, size_t skip)
{
    Type t = want->type[0];
    size_t bytes = bytes_of(t), all = (bytes + 2 * ROOM + 63) / 64 * 64;
    char *memory = aligned_alloc(64, all), *to = memory + ROOM / 2 + skip;
    void *scratch = aligned_alloc(64, (code->scratch_bytes + 127) / 64 * 64);
    memset(memory, 0x55, all);
    code->entry((const void *const *)in->at, (void *const[]){ to }, scratch, code->consts, &workers_alone);
    int64_t at = differs_at(t, to, want->at[0]);
    cr_expect(at < 0, "%s, %zu bytes behind a line: element %lld is %g, not %g", what, skip, (long long)at,
              get(t, to, at < 0 ? 0 : at), get(t, want->at[0], at < 0 ? 0 : at));
    cr_expect(is_untouched(memory, (size_t)(to - memory)) &&
                  is_untouched(to + bytes, (size_t)(memory + all - to) - bytes),
              "%s, %zu bytes behind a line: something beside it is written", what, skip);
    free(scratch);
    free(memory);
}

static void check_places(const char *what, const Graph *g)
{
    static const char *const names[] = { "host", "avx2", "sse2" };
    Failure wrong = { 0 };
    Values in = fuse_inputs(g, 5, -3, 16), want = values_of_outputs(g);
    cr_assert(eager_graph(g, (const void *const *)in.at, want.at, &heap, &wrong), "%s", wrong.text);
    for (int k = 0; k < 3; k++) {
        Target target;
        if (!target_runs_here(names[k])) continue;
        cr_assert(compile_target(names[k], NULL, &target, &wrong), "%s", wrong.text);
        target.l2_bytes = target.l3_bytes = CACHE;
        CompileOptions options = { .mode = MODE_STRICT, .name = what, .target = &target };
        Code *code = compile_graph(g, &options, &heap, &wrong);
        cr_assert(code, "%s: %s", what, wrong.text);
        for (size_t skip = 0; skip <= 64; skip += skip < 32 ? 8 : 16)
            check_place(what, code, &in, &want, skip);
        code_free(code, &heap);
    }
    values_free(&in);
    values_free(&want);
}

/* ---- suites ---- */

Test(streams, lengths)
{
    static const int64_t lengths[] = { 1,   15,  16,  17,  63,  64,   65,   255,
                                       300, 511, 512, 513, 528, 1000, 4096, 4111 };
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
        int64_t count = lengths[i];
        GRAPH(sum);
        Ref x = build_param(sum, F32(count)), y = build_param(sum, F32(count));
        GIVES(sum, add(sum, x, y));
        cr_expect(chosen(sum, CACHE, 0).streamed == (3 * 4 * count > CACHE && 2 * 4 * count >= CACHE),
                  "%lld elements", (long long)count);
        cr_expect(chosen(sum, 0, 0).streamed == 0, "no cache is known");
        check_places("sum", sum);
        arena_free(&sum_arena);
    }
}

/* What is read again, or is an input's memory, is stored plainly. */
Test(streams, not_what_is_near)
{
    GRAPH(updated);
    Ref x = build_param(updated, F32(4096));
    GIVES(updated, build_unary(updated, OP_NEG, x));
    cr_expect(chosen(updated, CACHE, 0).streamed == 1);
    cr_expect(chosen(updated, CACHE, 1).streamed == 0);
    cr_expect(chosen(updated, 1 << 16, 0).streamed == 0);
    arena_free(&updated_arena);
}

/* Rows of a broadcast that begin within a vector are stored plainly, others are not. */
Test(streams, rows)
{
    for (int64_t columns = 48; columns <= 80; columns += 8) {
        GRAPH(rows);
        Ref x = build_param(rows, F32(40)), y = build_param(rows, F32(columns));
        Type t = F32(40, columns);
        GIVES(rows, add(rows, build_broadcast(rows, x, t.dim, 2, DIMS(0)),
                        build_broadcast(rows, y, t.dim, 2, DIMS(1))));
        cr_expect(chosen(rows, CACHE, 0).streamed == (columns % 16 == 0), "%lld columns", (long long)columns);
        check_places("rows", rows);
        arena_free(&rows_arena);
    }
}

/* Of rows that are cut within their lines, as by padding, only long ones are streamed, if a vector is a
 * part of a line. */
Test(streams, lines_in_part)
{
    for (int64_t columns = 112; columns <= 1120; columns *= 10) {
        GRAPH(padded);
        Ref x = build_param(padded, F32(20, columns - 2)), zero = f(padded, 0);
        GIVES(padded,
              build_pad(padded, build_unary(padded, OP_NEG, x), zero, DIMS(1, 1), DIMS(1, 1), DIMS(0, 0)));
        cr_expect(chosen_for(padded, CACHE, 0, 64).streamed > 0, "%lld columns", (long long)columns);
        cr_expect((chosen_for(padded, CACHE, 0, 32).streamed > 0) == (columns > 1000), "%lld columns",
                  (long long)columns);
        check_places("padded", padded);
        arena_free(&padded_arena);
    }
}

/* Kernels that run band by band touch together what each of them does. A padded image lies between them. */
Test(streams, in_bands)
{
    enum { IMAGES = 16, SIDE = 6, FEATURES = 16, BOTH = 2 * 4 * IMAGES * SIDE * SIDE * FEATURES };
    ConvDims d = conv_of_images(FEATURES);
    for (int i = 0; i < 2; i++) d.low[i] = d.high[i] = 1;
    GRAPH(images);
    Ref x = build_param(images, F32(IMAGES, SIDE, SIDE, FEATURES)),
        w = build_param(images, F32(3, 3, 1, FEATURES));
    GIVES(images, build_conv(images, &d, x, w, WEFT_F32));
    Target target = wide;
    target.l2_bytes = 20 << 10;
    for (int larger = 0; larger < 2; larger++) {
        target.l3_bytes = (larger ? 150 : 125) * (BOTH / 100);
        Chosen c = chosen_on(images, &target, 0);
        cr_expect(c.bands == 1 && c.streamed == !larger, "of %u bytes: %u bands, %u streamed",
                  target.l3_bytes, c.bands, c.streamed);
    }
    check_places("images", images);
    arena_free(&images_arena);
}

/* What is turned goes past a cache of twice the size, which keeps what is not. */
Test(streams, turned)
{
    enum { TWICE = 4 * 64 * 96 * 2 };
    for (int turns = 0; turns < 2; turns++) {
        GRAPH(of_middle_size);
        Ref x = build_param(of_middle_size, F32(64, 96)), y = build_unary(of_middle_size, OP_NEG, x);
        GIVES(of_middle_size, turns ? build_transpose(of_middle_size, y, DIMS(1, 0)) : y);
        cr_expect(chosen(of_middle_size, TWICE, 0).streamed == (uint32_t)turns);
        cr_expect(chosen(of_middle_size, 2 * TWICE, 0).streamed == 0);
        arena_free(&of_middle_size_arena);
    }
}

static void transpose(const char *what, Type t, const int64_t *perm, bool has_sum, bool has_panel)
{
    GRAPH(turned);
    Ref x = build_param(turned, t), y = build_transpose(turned, x, perm);
    if (has_sum) y = add(turned, y, build_param(turned, graph_type(turned, y)));
    GIVES(turned, y);
    cr_expect((chosen(turned, CACHE, 0).panels > 0) == has_panel, "%s", what);
    fuse_cache = CACHE;
    fuse_compare(what, turned);
    check_places(what, turned);
    arena_free(&turned_arena);
}

#define F64(...) TYPE(WEFT_F64, __VA_ARGS__)

/* Rows a multiple of 4096 bytes apart are turned by panels, if whole panels fit. */
Test(streams, transposes)
{
    transpose("f32", F32(256, 1024), DIMS(1, 0), false, true);
    transpose("with a sum", F32(256, 1024), DIMS(1, 0), true, true);
    transpose("f64", F64(128, 512), DIMS(1, 0), true, true);
    transpose("no whole panels", F32(100, 1024), DIMS(1, 0), false, false);
    transpose("other rows", F32(256, 1000), DIMS(1, 0), false, false);
    transpose("the axes of each", F32(3, 64, 1024), DIMS(0, 2, 1), false, true);
}

/* The first axis becomes the last with others between. */
Test(streams, axes_reversed)
{
    transpose("three axes", F32(33, 5, 47), DIMS(2, 1, 0), false, false);
    transpose("three axes with a sum", F32(64, 3, 32), DIMS(2, 1, 0), true, false);
    transpose("three axes by panels", F32(64, 2, 1024), DIMS(2, 1, 0), false, true);
    transpose("four axes", F32(17, 3, 2, 40), DIMS(3, 1, 2, 0), true, false);
    transpose("inside of others", F32(2, 17, 3, 40), DIMS(0, 3, 2, 1), false, false);
}
