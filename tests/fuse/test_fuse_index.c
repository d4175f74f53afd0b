/* test_fuse_index.c: fused programs of ops that pick or order elements - dynamic slices, windows, prefixes,
 * scatters, sorts - against eager mode: by the interpreter of programs, and compiled. */
#include "compiler/graph/attributes.h"
#include "compiler/passes/expand/expand.h"
#include "runtime/eager/eager.h"
#include "runtime/exec/compile.h"
#include "tests/graphs/control_programs.h"
#include "tests/fuse/fuse_words.h"
#include <math.h>

/* ---- dynamic slices ---- */

Test(fuse_index, dynamic_slices)
{
    GRAPH(slice);
    Ref x = build_param(slice, F32(5, 7)), i = build_param(slice, i32), j = build_param(slice, i32);
    Ref s = build_dynamic_slice(slice, mul(slice, x, x), (Ref[]){ i, j }, DIMS(2, 3));
    Ref rows = build_dynamic_slice(slice, x, (Ref[]){ add(slice, i, j), j }, DIMS(2, 7));
    CHECK(slice, s, build_reduce(slice, OP_ADD, s, DIMS(1), 1), build_unary(slice, OP_NEG, rows),
          build_dynamic_slice(slice, x, (Ref[]){ i, j }, DIMS(0, 7)));

    GRAPH(positions); /* the start is a fold, of a fold */
    x = build_param(positions, F32(9, 4));
    Ref best =
        graph_add(positions, &(NodeSpec){ .op = OP_ARGMAX,
                                          .args = (Ref[]){ build_reduce(positions, OP_ADD, x, DIMS(1), 1) },
                                          .n_args = 1,
                                          .attr = DIMS(0),
                                          .n_attr = 1,
                                          .dtype = WEFT_I32 });
    CHECK(positions, build_dynamic_slice(positions, build_unary(positions, OP_EXP, x),
                                         (Ref[]){ best, n(positions, 1) }, DIMS(1, 2)));
}

Test(fuse_index, dynamic_updates)
{
    GRAPH(update);
    Ref x = build_param(update, F32(5, 7)), u = build_param(update, F32(2, 3)), i = build_param(update, i32),
        j = build_param(update, i32);
    Ref one = build_dynamic_update_slice(update, x, u, (Ref[]){ i, j }),
        two = build_dynamic_update_slice(update, one, build_unary(update, OP_NEG, u), (Ref[]){ j, i });
    CHECK(update, build_reduce(update, OP_ADD, one, DIMS(0), 1), two,
          build_dynamic_update_slice(update, x, mul(update, x, x), (Ref[]){ i, j }));

    GRAPH(fused);
    x = build_param(fused, F32(33)), u = build_param(fused, F32(5)), i = build_param(fused, i32);
    Ref empty = build_param(fused, F32(0));
    CHECK(fused, mul(fused, x, build_dynamic_update_slice(fused, x, u, &i)),
          build_dynamic_update_slice(fused, x, empty, &i));
}

/* ---- windows ---- */

static Graph *monoid(Graph *g, Op op, DType t)
{
    Graph *r = graph_new(g->arena, "monoid");
    build_param(r, (Type){ (uint8_t)t, 0, NULL });
    build_param(r, (Type){ (uint8_t)t, 0, NULL });
    GIVES(r, build_binary(r, op, r->params[0], r->params[1]));
    return r;
}

typedef struct Windows {
    int64_t size[2], stride[2], base[2], dilation[2], low[2], high[2];
} Windows;

static Ref window(Graph *g, Op op, Ref x, double start, const Windows *w)
{
    DType t = (DType)graph_type(g, x).dtype;
    return graph_add(g, &(NodeSpec){ .op = OP_REDUCE_WINDOW,
                                     .args = (Ref[]){ x, build_number(g, t, start) },
                                     .n_args = 2,
                                     .attr = w->size,
                                     .n_attr = 12,
                                     .region = monoid(g, op, t) });
}

Test(fuse_index, windows)
{
    static const Windows cases[] = {
        { { 3, 3 }, { 1, 1 }, { 1, 1 }, { 1, 1 }, { 1, 1 }, { 1, 1 } },
        { { 2, 2 }, { 2, 2 }, { 1, 1 }, { 1, 1 }, { 0, 0 }, { 0, 0 } },
        { { 1, 5 }, { 1, 1 }, { 1, 1 }, { 1, 2 }, { 0, 4 }, { 0, -1 } },
        { { 5, 6 }, { 1, 2 }, { 1, 1 }, { 1, 1 }, { 4, 0 }, { 0, 5 } },
        { { 2, 3 }, { 1, 2 }, { 2, 3 }, { 2, 1 }, { -1, 2 }, { 1, 0 } },
        { { 1, 19 }, { 1, 1 }, { 1, 1 }, { 1, 1 }, { 0, 18 }, { 0, 0 } },
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        GRAPH(windows);
        Ref x = build_param(windows, F32(6, 19)), m = build_param(windows, I32(6, 19));
        Ref sums = window(windows, OP_ADD, x, 0, &cases[k]),
            shifted = window(windows, OP_ADD, mul(windows, x, x), 2.5, &cases[k]);
        CHECK(windows, sums, shifted, window(windows, OP_MAX, m, -1e9, &cases[k]),
              window(windows, OP_MIN, window(windows, OP_MAX, x, 0.5, &cases[k]), 9, &cases[k]));
    }
}

/* Two operands: the least value and where it was, by a region with a select. */
Test(fuse_index, windows_of_pairs)
{
    GRAPH(pairs);
    REGION(pairs, least, f32, i32, f32, i32);
    const Ref *p = least->params;
    Ref better = build_compare(least, CMP_LT, p[2], p[0]);
    GIVES(least, build_select(least, better, p[2], p[0]), build_select(least, better, p[3], p[1]));
    Ref x = build_param(pairs, F32(23)), at = build_iota(pairs, I32(23), 0);
    Ref node = graph_add(pairs, &(NodeSpec){ .op = OP_REDUCE_WINDOW,
                                             .args = (Ref[]){ x, at, f(pairs, 1e9), n(pairs, -1) },
                                             .n_args = 4,
                                             .attr = DIMS(7, 2, 1, 1, 3, 3),
                                             .n_attr = 6,
                                             .region = least });
    CHECK(pairs, build_result(pairs, node, 0), build_result(pairs, node, 1));
}

/* What windows chose gets a sum of what they give: as SELECT_AND_SCATTER, and as the gradient of their maxima
 * has it, where what they give may be of another type, but all places are told apart. Nothing is scattered
 * then if windows are small, and sums are made in the windows' order. */
typedef enum { AS_OP, WRITTEN_OUT, OTHER_TYPE, FEW_PLACES, N_WAYS } Way;

static Ref given_to_chosen(Graph *g, const Windows *w, Ref x, Ref given, Way way)
{
    Type t = graph_type(g, x), all = graph_type(g, given);
    int64_t count = type_count(t);
    const int64_t *d = w->size; /* all of them, one behind the other */
    REGION(g, greater, f32, f32);
    GIVES(greater, build_compare(greater, CMP_GE, greater->params[0], greater->params[1]));
    if (way == AS_OP)
        return graph_add(g, &(NodeSpec){ .op = OP_SELECT_AND_SCATTER,
                                         .args = (Ref[]){ x, given, f(g, 0.5) },
                                         .n_args = 3,
                                         .attr = DIMS(d[0], d[1], d[2], d[3], d[8], d[9], d[10], d[11]),
                                         .n_attr = 8,
                                         .regions = (const Graph *[]){ greater, monoid(g, OP_ADD, WEFT_F32) },
                                         .n_regions = 2 });
    REGION(g, place, f32, i32, f32, i32);
    const Ref *p = place->params;
    Ref first = build_compare(place, CMP_GE, p[0], p[2]);
    GIVES(place, build_select(place, first, p[0], p[2]), build_select(place, first, p[1], p[3]));
    Ref at = build_reshape(g, build_iota(g, I32(count), 0), t.dim, t.rank);
    Ref chosen = graph_add(g, &(NodeSpec){ .op = OP_REDUCE_WINDOW,
                                           .args = (Ref[]){ x, at, f(g, -INFINITY), n(g, -1) },
                                           .n_args = 4,
                                           .attr = w->size,
                                           .n_attr = 12,
                                           .region = place });
    Ref k = build_result(g, chosen, 1), zero = build_zeros(g, (Type){ WEFT_I32, all.rank, all.dim }),
        none = build_zeros(g, all), nowhere = build_compare(g, CMP_LT, k, zero),
        to = way == FEW_PLACES ? build_node(g, OP_CLAMP, (Ref[]){ n(g, 0), k, n(g, 7) }, 3, NULL, 0)
                               : build_binary(g, OP_MAX, k, zero);
    return graph_add(g, &(NodeSpec){ .op = OP_SCATTER,
                                     .args = (Ref[]){ build_zeros(g, (Type){ all.dtype, 1, &count }), to,
                                                      build_select(g, nowhere, none, given) },
                                     .n_args = 3,
                                     .attr = DIMS(0, 1, 0, 1, all.rank, false, false, 0, 0),
                                     .n_attr = 9,
                                     .region = monoid(g, OP_ADD, (DType)all.dtype) });
}

static bool scatters(const Graph *g)
{
    for (Ref r = 0; r < g->n_nodes; r++)
        if (g->nodes[r].op == OP_SCATTER) return true;
    return false;
}

Test(fuse_index, chosen_of_windows)
{
    static const Windows cases[] = {
        { { 3, 3 }, { 2, 2 }, { 1, 1 }, { 1, 1 }, { 0, 1 }, { 1, 1 } },
        { { 2, 2 }, { 2, 2 }, { 1, 1 }, { 1, 1 }, { 0, 0 }, { 0, 0 } },
        { { 3, 2 }, { 1, 3 }, { 1, 1 }, { 1, 1 }, { 2, 1 }, { 2, 3 } },
        { { 2, 4 }, { 3, 2 }, { 1, 1 }, { 1, 1 }, { 0, 5 }, { 1, 4 } },
        { { 1, 5 }, { 2, 1 }, { 1, 1 }, { 1, 1 }, { 0, 4 }, { 0, 0 } },
        { { 4, 5 }, { 1, 1 }, { 1, 1 }, { 1, 1 }, { 0, 0 }, { 0, 0 } }, /* many share an element */
    };
    for (size_t k = 0; k < N_WAYS * sizeof cases / sizeof *cases; k++) {
        const Windows *w = &cases[k / N_WAYS];
        Way way = (Way)(k % N_WAYS);
        GRAPH(chosen);
        Ref x = build_convert(chosen, build_param(chosen, I32(11, 19)), WEFT_F32);
        WindowDims d = window_dims(OP_REDUCE_WINDOW, w->size, 2);
        Type windows = F32(window_count(d, 0, 11), window_count(d, 1, 19));
        if (way == OTHER_TYPE) windows.dtype = WEFT_F64;
        GIVES(chosen, given_to_chosen(chosen, w, x, build_param(chosen, windows), way));
        cr_assert(chosen->failure.code == WEFT_OK, "%s", chosen->failure.text);
        cr_expect(scatters(expand(&chosen_arena, chosen, k / N_WAYS % 2, false, true)) ==
                      (w->size[0] == 4 || way == FEW_PLACES),
                  "windows %zu", k);
        Values in = fuse_inputs(chosen, (unsigned)k, -3, 8), want = values_of_outputs(chosen);
        Failure wrong = { 0 };
        cr_assert(eager_graph(chosen, (const void *const *)in.at, want.at, &heap, &wrong), "%s", wrong.text);
        for (int mode = MODE_STRICT; mode >= MODE_DEFAULT; mode--)
            fuse_code_agrees("chosen", chosen, (NumericMode)mode, &in, &want);
        values_free(&in), values_free(&want);
        arena_free(&chosen_arena);
    }
}

/* ---- prefixes ---- */

Test(fuse_index, prefixes)
{
    static const Op ops[] = { OP_ADD, OP_MUL, OP_MAX, OP_MIN };
    static const int64_t lengths[] = { 1, 2, 15, 16, 17, 63, 64, 65, 131 };
    for (size_t l = 0; l < sizeof lengths / sizeof *lengths; l++)
        for (int reverse = 0; reverse < 2; reverse++) {
            GRAPH(prefix);
            Ref x = build_param(prefix, F32(3, lengths[l])),
                k = build_param(prefix, TYPE(WEFT_I32, lengths[l], 5)),
                h = build_param(prefix, TYPE(WEFT_F16, lengths[l]));
            Op op = ops[l % 4];
            CHECK(prefix, build_cumulative(prefix, op, build_unary(prefix, OP_TANH, x), 1, reverse),
                  build_cumulative(prefix, op, x, 0, reverse),
                  build_unary(prefix, OP_NEG, build_cumulative(prefix, op, k, 0, reverse)),
                  build_cumulative(prefix, OP_ADD, h, 0, reverse));
        }
    GRAPH(middle);
    Ref x = build_param(middle, F32(2, 9, 4, 5)), sum = build_reduce(middle, OP_ADD, x, DIMS(3), 1);
    CHECK(middle, build_cumulative(middle, OP_ADD, x, 1, false), build_cumulative(middle, OP_MAX, x, 2, true),
          build_cumulative(middle, OP_ADD, sum, 2, false),
          build_cumulative(middle, OP_ADD, build_param(middle, F32(4, 0)), 1, false));
}

/* ---- scatter ---- */

static Ref scatter(Graph *g, Graph *region, const Ref *args, uint32_t count, const int64_t *attr,
                   uint32_t n_attr)
{
    return graph_add(g, &(NodeSpec){ .op = OP_SCATTER,
                                     .args = args,
                                     .n_args = count,
                                     .attr = attr,
                                     .n_attr = n_attr,
                                     .region = region });
}

Test(fuse_index, scatters)
{
    GRAPH(counts); /* a histogram: index_vector_dim behind the last */
    Ref x = build_param(counts, F32(9)), at = build_param(counts, I32(40)), u = build_param(counts, F32(40));
    Ref bins = scatter(counts, monoid(counts, OP_ADD, WEFT_F32), (Ref[]){ x, at, mul(counts, u, u) }, 3,
                       DIMS(0, 1, 0, 1, 1, 0, 0, 0, 0), 9);
    REGION(counts, last, f32, f32);
    GIVES(last, last->params[1]);
    Ref set = scatter(counts, last, (Ref[]){ build_splat(counts, F32(9), 0), at, u }, 3,
                      DIMS(0, 1, 0, 1, 1, 0, 0, 0, 0), 9);
    CHECK(counts, bins, build_unary(counts, OP_NEG, set));

    GRAPH(rows); /* segment sums of rows */
    x = build_param(rows, F32(8, 70)), at = build_param(rows, TYPE(WEFT_I64, 13, 1)),
    u = build_param(rows, F32(13, 70));
    CHECK(rows, scatter(rows, monoid(rows, OP_ADD, WEFT_F32), (Ref[]){ x, at, u }, 3,
                        DIMS(1, 1, 0, 1, 1, 0, 0, 1, 0, 0), 10));

    GRAPH(boxes); /* windows of 2 x 3, the window's axes around the position's */
    x = build_param(boxes, I32(6, 9)), at = build_param(boxes, TYPE(WEFT_U8, 2, 5)),
    u = build_param(boxes, I32(2, 5, 3));
    CHECK(boxes, scatter(boxes, monoid(boxes, OP_MAX, WEFT_I32), (Ref[]){ x, at, u }, 3,
                         DIMS(2, 0, 0, 2, 0, 0, 0, 0, 2, 0, 1), 11));

    GRAPH(batches);
    x = build_param(batches, F32(4, 9)), at = build_param(batches, I32(4, 6, 1)),
    u = build_param(batches, F32(4, 6));
    CHECK(batches, scatter(batches, monoid(batches, OP_MUL, WEFT_F32), (Ref[]){ x, at, u }, 3,
                           DIMS(0, 1, 1, 1, 2, 0, 0, 1, 0, 0, 1), 11));

    GRAPH(pairs); /* two operands; of one only the other's result is used */
    REGION(pairs, both, f32, i32, f32, i32);
    const Ref *p = both->params;
    Ref better = build_compare(both, CMP_LT, p[2], p[0]);
    GIVES(both, build_select(both, better, p[2], p[0]), build_select(both, better, p[3], p[1]));
    x = build_param(pairs, F32(7)), at = build_param(pairs, I32(30)), u = build_param(pairs, F32(30));
    Ref node = scatter(pairs, both,
                       (Ref[]){ x, build_splat(pairs, I32(7), scalar_from_i64(WEFT_I32, -1)), at, u,
                                build_iota(pairs, I32(30), 0) },
                       5, DIMS(0, 1, 0, 1, 1, 0, 0, 0, 0), 9);
    CHECK(pairs, build_result(pairs, node, 1));
}

/* Rows of a batch take turns, whether they share their positions or not, and several threads may share them.
 * Of rows of updates that lie 4096 bytes apart only two take turns. */
Test(fuse_index, scatters_of_a_batch)
{
    static const int64_t rows[] = { 8, 6, 7, 8 }, counts[] = { 20, 20, 20, 1024 }, turns[] = { 4, 3, 1, 2 };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        for (int own = 0; own < 2; own++)
            for (int replaces = 0; replaces < 2; replaces++) {
                GRAPH(batch);
                Graph *region = monoid(batch, OP_ADD, WEFT_F32);
                if (replaces) GIVES(region, region->params[1]);
                Ref x = build_param(batch, F32(rows[i], 9)),
                    at = build_param(batch, own ? I32(rows[i], counts[i], 1) : I32(counts[i], 1)),
                    u = build_param(batch, F32(rows[i], counts[i])), args[] = { x, at, u };
                GIVES(batch, own ? scatter(batch, region, args, 3, DIMS(0, 1, 1, 1, 2, 0, 0, 1, 0, 0, 1), 11)
                                 : scatter(batch, region, args, 3, DIMS(1, 1, 0, 1, 1, 0, 0, 0, 1, 1), 10));
                Arena a;
                const Program *p = fused(&a, batch);
                const Kernel *k = &p->kernels[p->n_kernels - 1];
                int stores = 0, loops = 0;
                for (uint32_t v = 0; v < k->n_stmts; v++) {
                    stores += k->stmts[v].kind == ST_STORE;
                    if (k->stmts[v].kind == ST_LOOP && loops++ == 0) cr_expect(k->stmts[v].parallel);
                }
                cr_expect_eq(stores, turns[i], "%d rows take turns", stores);
                arena_free(&a);
                fuse_compare("batch", batch);
                arena_free(&batch_arena);
            }
}

/* Lists of updates put together of several: two parts of this shape along an axis; of two such pairs along
 * the axis before it; as one row. The table has a batch axis, or rows. */
typedef struct List {
    int64_t part[2];
    int rank, axis;
    bool pairs, as_row, batch, rows;
    bool cut; /* where the parts meet, for this keeps their order */
} List;

static Ref list_of(Graph *g, const List *l, DType t)
{
    Ref part[4];
    bool rows = l->rows && t == WEFT_F32;
    int64_t dim[3] = { l->part[0], l->part[1] };
    if (rows) dim[l->rank] = 70;
    for (int i = 0; i < 4; i++)
        part[i] = build_param(g, (Type){ (uint8_t)t, (uint8_t)(l->rank + rows), dim });
    for (int i = 0; i < (l->pairs ? 2 : 1); i++) part[i] = build_concatenate(g, part + 2 * i, 2, l->axis);
    Ref all = l->pairs ? build_concatenate(g, part, 2, l->axis - 1) : part[0];
    int64_t count = type_count(graph_type(g, all));
    return l->as_row ? build_reshape(g, all, &count, 1) : all;
}

static uint32_t choices_in(const Program *p)
{
    uint32_t n = 0;
    for (uint32_t k = 0; k < p->n_kernels; k++)
        for (uint32_t i = 0; i < p->kernels[k].n_stmts; i++)
            n += p->kernels[k].stmts[i].kind == ST_OP && p->kernels[k].stmts[i].op == OP_SELECT;
    return n;
}

/* A later update takes the difference to what the earlier ones left, so each order has another result. */
Test(fuse_index, scatters_of_lists)
{
    static const List lists[] = {
        { { 40 }, 1, 0, .cut = true },
        { { 1 }, 1, 0, .cut = true },
        { { 1, 20 }, 2, 0, .cut = true },
        { { 1, 20 }, 2, 1, .pairs = true, .cut = true },
        { { 3, 20 }, 2, 0, .cut = true },
        { { 3, 20 }, 2, 1, .cut = false },
        { { 3, 20 }, 2, 1, .pairs = true, .cut = false },
        { { 40, 1 }, 2, 1, .as_row = true, .cut = false },
        { { 4, 20 }, 2, 1, .batch = true, .cut = true },
        { { 20 }, 1, 0, .rows = true, .cut = true },
    };
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
        const List *l = &lists[i];
        GRAPH(list);
        REGION(list, difference, f32, f32);
        GIVES(difference, build_binary(difference, OP_SUB, difference->params[1], difference->params[0]));
        Ref x = build_param(list, l->batch  ? F32(4, 9)
                                  : l->rows ? F32(9, 70)
                                            : F32(9)),
            at = list_of(list, l, WEFT_I32), u = list_of(list, l, WEFT_F32);
        int64_t rank = graph_type(list, at).rank;
        const int64_t *plain = DIMS(0, 1, 0, 1, rank, 0, 0, 0, 0),
                      *batch = DIMS(0, 1, 1, 1, rank, 0, 0, 1, 0, 0, 1),
                      *rows = DIMS(1, 1, 0, 1, rank, 0, 0, 1, 0, 0);
        Ref out = scatter(list, difference, (Ref[]){ x, at, u }, 3,
                          l->batch  ? batch
                          : l->rows ? rows
                                    : plain,
                          l->batch  ? 11
                          : l->rows ? 10
                                    : 9);
        GIVES(list, out);
        Arena a;
        uint32_t choices = choices_in(fused(&a, list));
        arena_free(&a);
        cr_expect(l->cut ? choices == 0 : choices > 0, "list %zu: %u choices", i, choices);
        CHECK(list, out);
    }
}

/* ---- sorts ---- */

static Ref magnitude(Graph *g, Ref x) { return build_unary(g, OP_ABS, x); }

/* Keys known to the library, a comparator that is not, and some that are no order: those give eager mode's
 * result too. */
Test(fuse_index, sorts)
{
    static const int64_t shapes[][2] = { { 1, 1 }, { 3, 2 }, { 5, 17 }, { 33, 4 }, { 40, 1 }, { 0, 3 } };
    for (size_t k = 0; k < sizeof shapes / sizeof *shapes; k++)
        for (int axis = 0; axis < 2; axis++)
            for (int order = 0; order < 2; order++) {
                GRAPH(sorts);
                REGION(sorts, before, f32, f32, i32, i32);
                const Ref *p = before->params;
                GIVES(before, order == 0 ? build_compare(before, CMP_LT, p[0], p[1])
                                         : build_compare(before, CMP_GT, magnitude(before, p[0]),
                                                         magnitude(before, p[1])));
                Type t = F32(shapes[k][0], shapes[k][1]);
                Ref x = build_param(sorts, t), out[2], more[2];
                Ref at = build_iota(sorts, (Type){ WEFT_I32, t.rank, t.dim }, axis);
                build_sort(sorts, (Ref[]){ x, at }, 2, axis, true, before, out);
                build_sort(sorts, (Ref[]){ mul(sorts, x, x), at }, 2, axis, true, before, more);
                CHECK(sorts, out[0], out[1], build_unary(sorts, OP_NEG, more[1]));
            }
}

Test(fuse_index, no_orders)
{
    for (int which = 0; which < 3; which++) {
        GRAPH(disorder);
        REGION(disorder, any, i32, i32);
        const Ref *p = any->params;
        Ref yes = build_splat(any, (Type){ WEFT_BOOL, 0, NULL }, 1);
        GIVES(any, which == 0 ? yes : build_compare(any, which == 1 ? CMP_NE : CMP_LE, p[0], p[1]));
        Ref x = build_param(disorder, I32(37)), out;
        build_sort(disorder, &x, 1, 0, true, any, &out);
        GIVES(disorder, build_reduce(disorder, OP_ADD, out, DIMS(0), 1),
              build_reduce(disorder, OP_MAX, out, DIMS(0), 1));
        fuse_compare("disorder", disorder);
        arena_free(&disorder_arena);
    }
}

/* ---- every element type; complex numbers are gone by then (compiler/planes/) ---- */

Test(fuse_index, types)
{
    for (int t = 0; t < REAL_DTYPE_COUNT; t++) {
        GRAPH(types);
        Type v = { (uint8_t)t, 2, DIMS(5, 19) }, scalar = { (uint8_t)t, 0, NULL };
        Ref x = build_param(types, v), u = build_param(types, (Type){ (uint8_t)t, 2, DIMS(3, 19) }),
            at = build_param(types, I32(3)), i = build_param(types, i32);
        static const Windows w = { { 2, 3 }, { 1, 1 }, { 1, 1 }, { 1, 1 }, { 1, 0 }, { 0, 2 } };
        Ref row = scatter(types, monoid(types, OP_MAX, (DType)t), (Ref[]){ x, at, u }, 3,
                          DIMS(1, 1, 0, 1, 1, 0, 0, 1, 0, 0), 10),
            sorted;
        REGION(types, less, scalar, scalar);
        GIVES(less, build_compare(less, CMP_LT, less->params[0], less->params[1]));
        build_sort(types, &x, 1, 1, true, less, &sorted);
        Graph *body = graph_new(types->arena, "body");
        Type line = { (uint8_t)t, 1, DIMS(19) };
        build_param(body, line), build_param(body, line);
        GIVES(body,
              build_binary(body, OP_MIN, build_binary(body, OP_MAX, body->params[0], body->params[1]),
                           build_splat(body, line, scalar_from_i64((DType)t, 1))),
              body->params[0]);
        Ref out[2];
        build_scan(types, (ScanShape){ 5, true, 1, 0, 1, 1, 0 }, body,
                   (Ref[]){ build_splat(types, line, scalar_from_i64((DType)t, 0)), x }, out);
        CHECK(types, build_cumulative(types, OP_ADD, x, 1, false),
              build_cumulative(types, OP_MAX, x, 1, true), build_cumulative(types, OP_ADD, x, 0, false), row,
              sorted, window(types, OP_MAX, x, 1, &w),
              build_dynamic_update_slice(types, x, u, (Ref[]){ i, i }),
              build_dynamic_slice(types, x, (Ref[]){ i, i }, DIMS(2, 3)), out[0], out[1]);
    }
}

/* A region of 100,000 ops after one another. */
Test(fuse_index, long_region)
{
    GRAPH(chain);
    REGION(chain, region, f32, f32);
    Ref x = region->params[0];
    for (int i = 0; i < 100000; i++)
        x = build_binary(region, i % 2 ? OP_MAX : OP_MIN, x,
                         build_binary(region, OP_SUB, region->params[1], f(region, i % 1000)));
    GIVES(region, x);
    Ref a = build_param(chain, F32(3)), r = graph_add(chain, &(NodeSpec){ .op = OP_REDUCE_REGION,
                                                                          .args = (Ref[]){ a, f(chain, 0) },
                                                                          .n_args = 2,
                                                                          .attr = DIMS(0),
                                                                          .n_attr = 1,
                                                                          .region = region });
    GIVES(chain, r);
    Arena arena;
    arena_open(&arena);
    cr_assert(fuse(&arena, chain, &wide, MODE_DEFAULT, 0)->n_kernels == 1);
    arena_free(&arena);
    arena_free(&chain_arena);
}

/* ---- quotients ---- */

/* x with holes: each p-th element is one of x, from `low` on. */
static Ref holes(Graph *g, Ref x, int64_t low, int64_t high, int64_t p)
{
    return build_pad(g, x, f(g, 7), DIMS(low), DIMS(high), DIMS(p - 1));
}

/* The elements of x and y in turn. */
static Ref in_turn(Graph *g, Ref x, Ref y, int64_t n)
{
    Ref both[] = { build_reshape(g, x, DIMS(n, 1), 2), build_reshape(g, y, DIMS(n, 1), 2) };
    return build_reshape(g, build_concatenate(g, both, 2, 1), DIMS(2 * n), 1);
}

/* x so many times, each element or all of them. */
static Ref again(Graph *g, Ref x, int64_t n, int64_t times, bool each)
{
    Ref all = build_broadcast(g, x, each ? DIMS(n, times) : DIMS(times, n), 2, each ? DIMS(0) : DIMS(1));
    return build_reshape(g, all, DIMS(n * times), 1);
}

Test(fuse_index, periods)
{
    for (int64_t p = 2; p < 10; p++) {
        GRAPH(taps); /* p is no divisor of the length; seams of taps lie anywhere */
        Ref x = build_param(taps, F32(67)), y = build_param(taps, F32(67 * p + 5));
        Ref z = holes(taps, x, 3, 9, p);
        int64_t n = 66 * p + 1 + 12;
        Ref sum = build_slice(taps, z, DIMS(0), DIMS(n - 7), DIMS(1));
        for (int64_t k = 1; k < 7; k += 2)
            sum = add(taps, sum, build_slice(taps, z, DIMS(k), DIMS(n - 7 + k), DIMS(1)));
        CHECK(taps, sum, build_unary(taps, OP_NEG, holes(taps, x, -2, 1, p)),
              add(taps, build_slice(taps, again(taps, x, 67, p, true), DIMS(1), DIMS(67 * p - 2), DIMS(1)),
                  build_slice(taps, y, DIMS(0), DIMS(67 * p - 3), DIMS(1))));
    }
    GRAPH(turns);
    Ref x = build_param(turns, F32(50)), y = build_param(turns, F32(50)), u = build_param(turns, F32(6, 50));
    Ref two = in_turn(turns, x, build_unary(turns, OP_NEG, y), 50), four = in_turn(turns, two, two, 100);
    CHECK(turns, two, four,
          in_turn(turns, build_compare(turns, CMP_LT, x, y), build_compare(turns, CMP_GT, x, y), 50),
          build_pad(turns, u, f(turns, 2), DIMS(1, 0), DIMS(0, 3), DIMS(1, 2)));
}

Test(fuse_index, rows)
{
    GRAPH(tiled);
    Ref x = build_param(tiled, F32(40)), y = build_param(tiled, F32(800)),
        u = build_param(tiled, F32(3, 800));
    Ref many = again(tiled, x, 40, 20, false), each = again(tiled, x, 40, 20, true);
    Ref moved = build_slice(tiled, again(tiled, x, 40, 21, false), DIMS(13), DIMS(813), DIMS(1));
    CHECK(tiled, add(tiled, many, y), mul(tiled, each, many), add(tiled, moved, y),
          add(tiled, u, build_broadcast(tiled, many, DIMS(3, 800), 2, DIMS(1))),
          build_reshape(tiled,
                        add(tiled, build_reshape(tiled, many, DIMS(40, 20), 2),
                            build_reshape(tiled, moved, DIMS(40, 20), 2)),
                        DIMS(800), 1),
          again(tiled, x, 40, 3, false));
}

/* ---- indices that are computed */

enum { WIDE_ROWS = 6, WIDE = 200 }; /* elements of a row: some vectors */

typedef struct Indices {
    Graph *g;
    DType t;
    Type type;
} Indices;

static Ref whole_number(const Indices *x, int64_t v)
{
    return build_splat(x->g, x->type, scalar_from_i64(x->t, v));
}
static Ref two(const Indices *x, Op op, Ref a, Ref b) { return build_binary(x->g, op, a, b); }
static Ref with(const Indices *x, Op op, Ref a, int64_t v) { return two(x, op, a, whole_number(x, v)); }
static Ref is(const Indices *x, CompareDir dir, Ref a, int64_t v)
{
    return build_compare(x->g, dir, a, whole_number(x, v));
}

/* As JAX spells them. */
static Ref floor_divide(const Indices *x, Ref a, int64_t by)
{
    Ref sign = is(x, CMP_NE, build_unary(x->g, OP_SIGN, a), by < 0 ? -1 : 1),
        rest = is(x, CMP_NE, with(x, OP_REM, a, by), 0), down = with(x, OP_DIV, a, by);
    return build_select(x->g, build_binary(x->g, OP_AND, sign, rest), with(x, OP_SUB, down, 1), down);
}

static Ref floor_rest(const Indices *x, Ref a, int64_t by)
{
    Ref rest = with(x, OP_REM, a, by);
    Ref other = build_binary(x->g, OP_AND, is(x, by < 0 ? CMP_GT : CMP_LT, rest, 0), is(x, CMP_NE, rest, 0));
    return build_select(x->g, other, with(x, OP_ADD, rest, by), rest);
}

static Ref from_the_end(const Indices *x, Ref a, int64_t n)
{
    return build_select(x->g, is(x, CMP_LT, a, 0), with(x, OP_ADD, a, n), a);
}

typedef Ref IndexRule(const Indices *, Ref i, Ref j);

static Ref ravelled(const Indices *x, Ref i, Ref j)
{
    Ref all = two(x, OP_ADD, two(x, OP_MUL, whole_number(x, WIDE), i), j);
    return two(x, OP_ADD, two(x, OP_MUL, whole_number(x, 25), floor_divide(x, all, 25)),
               floor_rest(x, all, 25));
}
static Ref frame(const Indices *x, Ref i, Ref j)
{
    return two(x, OP_ADD, two(x, OP_MUL, whole_number(x, 16), i), j);
}
static Ref reflected(const Indices *x, Ref i, Ref j)
{
    (void)i;
    return build_unary(x->g, OP_ABS, with(x, OP_SUB, j, 3));
}
static Ref behind(const Indices *x, Ref i, Ref j)
{
    return (void)i, floor_rest(x, with(x, OP_SUB, j, 5), WIDE);
}
static Ref before(const Indices *x, Ref i, Ref j)
{
    return (void)i, floor_rest(x, with(x, OP_ADD, j, 5), WIDE);
}
static Ref halves(const Indices *x, Ref i, Ref j) { return (void)i, floor_divide(x, j, 2); }
static Ref halves_of_negatives(const Indices *x, Ref i, Ref j)
{
    return (void)i, floor_divide(x, with(x, OP_SUB, j, 101), 2);
}
static Ref negative_quotient(const Indices *x, Ref i, Ref j)
{
    return (void)i, floor_divide(x, with(x, OP_SUB, j, 101), -3);
}
static Ref truncated(const Indices *x, Ref i, Ref j)
{
    return (void)i, two(x, OP_ADD, with(x, OP_DIV, with(x, OP_SUB, j, 101), 3),
                        with(x, OP_REM, with(x, OP_SUB, j, 101), -3));
}
static Ref signs(const Indices *x, Ref i, Ref j)
{
    return (void)i, build_unary(x->g, OP_SIGN, with(x, OP_SUB, j, 90));
}
static Ref distance(const Indices *x, Ref i, Ref j)
{
    return build_unary(x->g, OP_ABS, two(x, OP_SUB, two(x, OP_MUL, whole_number(x, 30), i), j));
}
static Ref circle(const Indices *x, Ref i, Ref j) { return floor_rest(x, two(x, OP_SUB, i, j), WIDE); }
static Ref scaled(const Indices *x, Ref i, Ref j)
{
    return (void)i, floor_divide(x, two(x, OP_MUL, whole_number(x, 7), j), 10);
}
static Ref beyond(const Indices *x, Ref i, Ref j) { return two(x, OP_SUB, two(x, OP_MUL, j, j), i); }
/* so far apart that the least int is among them: its absolute value is no number */
static Ref wrapped(const Indices *x, Ref i, Ref j)
{
    int64_t least = x->t == WEFT_I32 ? INT32_MIN : INT64_MIN;
    return (void)i, build_unary(x->g, OP_ABS, two(x, OP_ADD, whole_number(x, least), j));
}

/* Is each element read by an address that is made of loops alone? */
static bool reads_in_rows(const Graph *g)
{
    Arena a;
    bool in_rows = true;
    const Program *p = fused(&a, g);
    for (uint32_t k = 0; k < p->n_kernels; k++)
        for (Val v = 0; v < p->kernels[k].n_stmts; v++) {
            const Stmt *s = &p->kernels[k].stmts[v];
            for (uint32_t i = 0; i < s->address.n_terms && s->kind == ST_LOAD; i++)
                in_rows &= p->kernels[k].stmts[s->address.terms[i].of].kind == ST_LOOP;
        }
    arena_free(&a);
    return in_rows;
}

/* array[at]; at's last axis holds one index. */
static Ref take(Graph *g, Ref array, Ref at)
{
    IndexDims one = { .n_collapsed = 1,
                      .n_map = 1,
                      .index_vector_dim = graph_type(g, at).rank - 1,
                      .collapsed = DIMS(0),
                      .map = DIMS(0),
                      .slice_sizes = DIMS(1) };
    return build_gather(g, &one, array, at);
}

/* table[byte], the byte as it is and made wider; the second result is behind a mask. */
static void look_up(DType t, int64_t size, DType width)
{
    GRAPH(bytes);
    Type number = TYPE(WEFT_U8, 333);
    Ref table = build_param(bytes, TYPE(t, size)), x = build_param(bytes, number),
        steps = mul(bytes, build_iota(bytes, number, 0), build_splat(bytes, number, 7)),
        index = add(bytes, x, steps);
    if (width != WEFT_U8) index = build_convert(bytes, index, width);
    Ref found = take(bytes, table, build_reshape(bytes, index, DIMS(333, 1), 2));
    Ref zero = build_zeros(bytes, (Type){ (uint8_t)t, 0, NULL });
    GIVES(bytes, found, build_pad(bytes, found, zero, DIMS(3), DIMS(70), DIMS(0)));
    fuse_compare("table", bytes);
    arena_free(&bytes_arena);
}

Test(fuse_index, tables_of_bytes)
{
    static const char *const targets[] = { "host", "avx512", "avx2", "sse2" };
    static const int64_t sizes[] = { 1, 10, 16, 48, 64, 112, 128, 176, 200, 256, 257 };
    static const DType types[] = { WEFT_U8, WEFT_I8, WEFT_BOOL }, widths[] = { WEFT_U8, WEFT_I32, WEFT_U64 };
    for (size_t k = 0; k < sizeof targets / sizeof *targets; k++) {
        if (!fuse_runs(targets[k])) continue;
        fuse_target = targets[k];
        for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
            look_up(types[i % 3], sizes[i], widths[(i + k) % 3]);
    }
    fuse_target = "host";
}

/* t[index(i, j)] for indices of both types: with JAX's rule for negative ones, and clamped. The rules whose
 * indices are addresses in each piece gather nothing. */
Test(fuse_index, computed_indices)
{
    static const struct {
        IndexRule *rule;
        bool in_rows; /* what they read is in a row */
    } rules[] = {
        { ravelled, true },
        { frame, true },
        { reflected, true },
        { behind, true },
        { before, true },
        { halves, true },
        { signs, true },
        { halves_of_negatives, false },
        { negative_quotient, false },
        { truncated, false },
        { distance, true },
        { circle, true },
        { scaled, false },
        { beyond, false },
        { wrapped, false },
    };
    for (size_t k = 0; k < 2 * (sizeof rules / sizeof *rules); k++) {
        GRAPH(computed);
        Type t = { k % 2 ? WEFT_I64 : WEFT_I32, 2, DIMS(WIDE_ROWS, WIDE) };
        Indices x = { computed, (DType)t.dtype, t };
        Ref array = build_param(computed, F32(WIDE_ROWS * WIDE)),
            index = rules[k / 2].rule(&x, build_iota(computed, t, 0), build_iota(computed, t, 1));
        Ref at =
            build_reshape(computed, from_the_end(&x, index, WIDE_ROWS * WIDE), DIMS(WIDE_ROWS, WIDE, 1), 3);
        Ref read = take(computed, array, at);
        GIVES(computed, read);
        fuse_compare("computed indices", computed);
        cr_expect(reads_in_rows(computed) == rules[k / 2].in_rows, "rule %zu", k / 2);
        arena_free(&computed_arena);
    }
}

/* Clips of an int. */
static uint32_t count_clips(const Program *p)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < p->n_kernels; i++)
        for (Val v = 0; v < p->kernels[i].n_stmts; v++) {
            const Stmt *s = &p->kernels[i].stmts[v];
            n += s->kind == ST_OP && (s->op == OP_MAX || s->op == OP_MIN) && dtype_is_int((DType)s->dtype);
        }
    return n;
}

/* A float that is cut to where the table is, or its bounds are not numbers, as an index; NaN is index 0. */
Test(fuse_index, floats_that_are_cut)
{
    enum { LENGTH = 100, LAST = 15 };
    const double inf = INFINITY;
    /* then, once more, at least and at most */
    const struct {
        double low, high, at_least, at_most;
        uint32_t clips;
    } cuts[] = {
        { 0, LAST, -inf, inf, 0 },       { 0.5, LAST + 0.5, -inf, inf, 0 }, { -0.9, LAST, -inf, inf, 0 },
        { -1, LAST, -inf, inf, 1 },      { 0, LAST + 1, -inf, inf, 1 },     { 3, 5, -inf, inf, 0 },
        { -inf, LAST, -inf, inf, 1 },    { 0, inf, -inf, inf, 1 },          { 0, (double)NAN, -inf, inf, 2 },
        { 0, 10, inf, inf, 1 },          { 0, 10, -inf, -inf, 0 },          { 0, 10, 1e10, inf, 1 },
        { 0, 10, -inf, -1e10, 0 },       { 0, 10, 0x1p31, inf, 1 },         { 0, 10, -inf, -0x1p31, 0 },
        { 0, 10, -inf, -2147483647, 0 }, { 0, 10, 2147483647, inf, 1 },     { 0, 10, 12, 14, 0 },
    };
    for (size_t k = 0; k < 2 * (sizeof cuts / sizeof *cuts); k++) {
        GRAPH(g);
        Type t = { k % 2 ? WEFT_F64 : WEFT_F32, 1, DIMS(LENGTH) };
        DType d = (DType)t.dtype;
        Ref table = build_param(g, F32(LAST + 1)), x = build_param(g, t),
            far = build_binary(g, OP_DIV, x, build_unary(g, OP_ABS, build_unary(g, OP_FLOOR, x)));
        const double bound[] = { cuts[k / 2].low, cuts[k / 2].high, cuts[k / 2].at_least,
                                 cuts[k / 2].at_most };
        for (int i = 0; i < 4; i++)
            far = build_binary(g, i % 2 ? OP_MIN : OP_MAX, far,
                               build_splat(g, t, scalar_from_double(d, bound[i])));
        Ref at = build_reshape(g, build_convert(g, far, WEFT_I32), DIMS(LENGTH, 1), 2);
        GIVES(g, take(g, table, at));
        fuse_compare("floats that are cut", g);
        Arena a;
        uint32_t clips = count_clips(fused(&a, g));
        cr_expect_eq(clips, cuts[k / 2].clips, "cut %zu: %u clips", k, clips);
        arena_free(&a);
        arena_free(&g_arena);
    }
}
