/* test_fuse_cost.c: what fused programs compute once, in lanes, and by one function for many kernels. */
#include "tests/graphs/control_programs.h"
#include "tests/fuse/fuse_words.h"
#include "compiler/graph/attributes.h"
#include "compiler/passes/expand/expand.h"
#include "compiler/pipeline.h"
#include "runtime/eager/eager.h"
#include "runtime/exec/compile.h"
#include <string.h>

static size_t code_bytes(const Graph *g)
{
    Failure wrong = { 0 };
    Code *code = compile_graph(g, &(CompileOptions){ .mode = MODE_DEFAULT, .name = "twins" }, &heap, &wrong);
    cr_assert(code, "%s", wrong.text);
    size_t bytes = code->code_bytes;
    code_free(code, &heap);
    return bytes;
}

/* Leaves of a tree that are updated alike share one function; what differs in a number, a direction, a type
 * or in which operands are one does not. */
Test(fuse_cost, twins)
{
    GRAPH(alike);
    Type t = F32(21), half = TYPE(WEFT_F16, 21);
    Ref out[64], x = build_param(alike, t), y = build_param(alike, t), h = build_param(alike, half);
    uint32_t k = 0;
    for (int i = 0; i < 4; i++)
        out[k++] = build_cumulative(alike, OP_ADD, mul(alike, i & 1 ? x : y, i & 2 ? x : y), 0, false);
    for (int i = 0; i < 3; i++)
        out[k++] = build_cumulative(alike, OP_ADD,
                                    mul(alike, x, build_splat(alike, t, scalar_from_double(WEFT_F32, i + 2))),
                                    0, false);
    for (int d = CMP_EQ; d <= CMP_GE; d++)
        out[k++] = build_cumulative(alike, OP_ADD,
                                    build_convert(alike, build_compare(alike, (CompareDir)d, x, y), WEFT_F32),
                                    0, false);
    for (int i = 0; i < 2; i++)
        out[k++] = build_cumulative(alike, OP_ADD, build_convert(alike, i ? h : x, WEFT_F64), 0, i);
    for (int i = 4; i < 8; i += 3)
        out[k++] = build_cumulative(alike, OP_MAX,
                                    graph_add(alike, &(NodeSpec){ .op = OP_REDUCE_PRECISION,
                                                                  .args = &x,
                                                                  .n_args = 1,
                                                                  .attr = DIMS(i, 9),
                                                                  .n_attr = 2 }),
                                    0, false);
    graph_set_outputs(alike, out, k);
    fuse_compare("alike", alike);
    arena_free(&alike_arena);

    size_t bytes[2];
    for (int many = 0; many < 2; many++) {
        GRAPH(leaves);
        for (k = 0; k < (many ? 64u : 1u); k++)
            out[k] = build_unary(leaves, OP_TANH, build_param(leaves, F32(100)));
        graph_set_outputs(leaves, out, k);
        bytes[many] = code_bytes(leaves);
        if (many) fuse_compare("leaves", leaves);
        arena_free(&leaves_arena);
    }
    cr_assert(bytes[1] < bytes[0] + 4096, "%zu bytes for one leaf, %zu for 64", bytes[0], bytes[1]);
}

/* n leaves of so many shapes in turn, and two results of each. Every odd-th changes places with the one of
 * its shape before it. */
static size_t tree_bytes(uint32_t n, uint32_t shapes, uint32_t odd, bool compare)
{
    GRAPH(tree);
    Ref *out = arena_alloc(&tree_arena, 2 * n * sizeof *out),
        *leaf = arena_alloc(&tree_arena, n * sizeof *leaf), scale = build_param(tree, f32);
    for (uint32_t i = 0; i < n; i++) {
        leaf[i] = build_param(tree, F32(3 + (int)(i % shapes)));
        if (i % odd != odd - 1 || i < shapes) continue;
        Ref other = leaf[i - shapes];
        leaf[i - shapes] = leaf[i];
        leaf[i] = other;
    }
    for (uint32_t i = 0; i < n; i++) {
        out[i] = mul(tree, leaf[i], spread(tree, scale, F32(3 + (int)(i % shapes))));
        out[2 * n - 1 - i] = build_binary(tree, OP_SUB, leaf[i], out[i]);
    }
    graph_set_outputs(tree, out, 2 * n);
    size_t bytes = code_bytes(tree);
    if (compare) fuse_compare("tree", tree);
    arena_free(&tree_arena);
    return bytes;
}

/* Leaves whose calls differ by a number are a loop of calls, the others calls of their own. */
Test(fuse_cost, runs_of_calls)
{
    for (uint32_t shapes = 1; shapes < 6; shapes++)
        for (uint32_t odd = 7; odd < 100; odd += 46) tree_bytes(60, shapes, odd, true);
    for (uint32_t n = 14; n < 20; n++) tree_bytes(n, 1, 100, true);
    size_t few = tree_bytes(100, 5, 10000, false), many = tree_bytes(1000, 5, 10000, false);
    cr_expect_leq(many, few, "%zu bytes for 100 leaves, %zu for 1000", few, many);
}

/* Leaves of several shapes, scaled by numbers that are expensive to compute: each number is computed once. */
Test(fuse_cost, dear_numbers)
{
    GRAPH(leaves);
    Ref step = build_convert(leaves, build_param(leaves, i32), WEFT_F32), out[8];
    Ref rate = build_unary(leaves, OP_COS, mul(leaves, step, f(leaves, 0.1))),
        scale = build_binary(leaves, OP_DIV, rate,
                             build_unary(leaves, OP_EXPM1, add(leaves, step, f(leaves, 5))));
    for (int i = 0; i < 7; i++) {
        Type t = F32(7 * i + 3);
        Ref x = build_param(leaves, t);
        out[i] = build_cumulative(
            leaves, OP_ADD,
            mul(leaves, build_unary(leaves, OP_NEG, x), spread(leaves, i % 2 ? scale : rate, t)), 0, false);
    }
    out[7] = step;
    graph_set_outputs(leaves, out, 8);
    Arena arena;
    Program *p = fused(&arena, leaves);
    int dear = 0;
    for (uint32_t k = 0; k < p->n_kernels; k++)
        for (uint32_t i = 0; i < p->kernels[k].n_stmts; i++) {
            const Stmt *s = &p->kernels[k].stmts[i];
            dear += s->kind == ST_OP && (s->op == OP_COS || s->op == OP_EXPM1 || s->op == OP_DIV);
        }
    cr_assert(dear == 3, "%d of 3\n%s", dear, program_print(&arena, p));
    arena_free(&arena);
    fuse_compare("leaves", leaves);
    arena_free(&leaves_arena);
}

/* How many such ops stand in a loop with lanes, and (in *alone) how many outside of any. */
static int in_lanes(const Program *p, Op op, int *alone)
{
    int found = 0;
    *alone = 0;
    for (uint32_t k = 0; k < p->n_kernels; k++) {
        int depth = 0, lanes = 0;
        for (uint32_t i = 0; i < p->kernels[k].n_stmts; i++) {
            const Stmt *s = &p->kernels[k].stmts[i];
            if (s->kind == ST_LOOP) {
                depth++;
                if (s->lanes > 1) lanes = depth;
            }
            if (s->kind == ST_END && lanes == depth--) lanes = 0;
            if (s->kind != ST_OP || s->op != op) continue;
            found += lanes > 0;
            *alone += !lanes;
        }
    }
    return found;
}

/* Functions of contractions with a vector run in lanes, except where the contractions take far longer or
 * where rows go on with the results. */
Test(fuse_cost, functions_of_folds)
{
    for (int long_sums = 0; long_sums < 2; long_sums++) {
        GRAPH(cell);
        int64_t size = long_sums ? 1600 : 48;
        Ref w = build_param(cell, F32(32, size)), h = build_param(cell, F32(size)),
            c = build_param(cell, F32(32));
        int64_t dims[] = { 0, 1, 1, 0 };
        Ref z = add(cell,
                    graph_add(cell, &(NodeSpec){ .op = OP_DOT,
                                                 .args = (Ref[]){ w, h },
                                                 .n_args = 2,
                                                 .attr = dims,
                                                 .n_attr = 4,
                                                 .dtype = WEFT_F32 }),
                    c);
        Ref gate = build_unary(cell, OP_TANH, build_slice(cell, z, DIMS(0), DIMS(16), DIMS(1))),
            other = build_unary(cell, OP_SIN,
                                build_unary(cell, OP_NEG, build_slice(cell, z, DIMS(16), DIMS(32), DIMS(1))));
        GIVES(cell, mul(cell, gate, other));
        Arena arena;
        Program *p = fused(&arena, cell);
        int alone, lanes = in_lanes(p, OP_TANH, &alone);
        cr_assert(lanes == !long_sums && alone == long_sums && p->n_kernels == (long_sums ? 1 : 2), "%s",
                  program_print(&arena, p));
        arena_free(&arena);
        fuse_compare("cell", cell);
        arena_free(&cell_arena);
    }
    /* two matrices: both packed if they stay in the L1 cache, in front of the loop */
    for (int large = 0; large < 2; large++) {
        GRAPH(network);
        Type t = F32(large ? 160 : 24), square = F32(large ? 160 : 24, large ? 160 : 24);
        REGION(network, body, square, square, t, t);
        int64_t dims[] = { 0, 1, 1, 0 };
        Ref z[2], out[2];
        for (int i = 0; i < 2; i++)
            z[i] = graph_add(body, &(NodeSpec){ .op = OP_DOT,
                                                .args = (Ref[]){ body->params[i], body->params[2 + i] },
                                                .n_args = 2,
                                                .attr = dims,
                                                .n_attr = 4,
                                                .dtype = WEFT_F32 });
        Ref next = build_unary(body, OP_TANH, add(body, z[0], z[1])),
            scale = build_splat(network, square, scalar_from_double(WEFT_F32, 0.1));
        GIVES(body, next, next);
        Ref w = mul(network, build_param(network, square), scale),
            u = mul(network, build_param(network, square), scale);
        build_scan(
            network, (ScanShape){ 9, false, 1, 2, 1, 1, 0 }, body,
            (Ref[]){ w, u, build_param(network, t), build_param(network, large ? F32(9, 160) : F32(9, 24)) },
            out);
        GIVES(network, out[0], out[1]);
        Arena arena;
        Program *p = fused(&arena, network);
        int alone, packs = 0;
        for (uint32_t i = 0; i < p->n_steps && p->steps[i].kind != STEP_LOOP; i++)
            packs += p->steps[i].kind == STEP_KERNEL && strstr(p->kernels[p->steps[i].kernel].name, "_pack_");
        cr_assert(packs == (large ? 0 : 2) && in_lanes(p, OP_TANH, &alone) == 1 && !alone, "%d packed\n%s",
                  packs, program_print(&arena, p));
        arena_free(&arena);
        fuse_compare("network", network);
        arena_free(&network_arena);
    }
    GRAPH(rows);
    Ref x = build_param(rows, F32(40, 20)), e = build_unary(rows, OP_EXP, x);
    Ref total = build_unary(rows, OP_LOG, build_reduce(rows, OP_ADD, e, DIMS(1), 1));
    GIVES(rows, build_binary(rows, OP_SUB, x, build_broadcast(rows, total, DIMS(40, 20), 2, DIMS(0))));
    Arena arena;
    Program *p = fused(&arena, rows);
    cr_assert(p->n_kernels == 1, "%s", program_print(&arena, p));
    arena_free(&arena);
    fuse_compare("rows", rows);
    arena_free(&rows_arena);
}

/* A scan along the rows of x [40, 70], or of differences of rows, that gives all its steps. */
static void make_along_rows(Graph *g, DType t, bool twice)
{
    int64_t rows = twice ? 39 : 40;
    Ref x = build_param(g, TYPE(t, 40, 70)), out[2];
    if (twice)
        x = build_binary(g, OP_SUB, build_slice_along(g, x, 0, 1, 40, 1),
                         build_slice_along(g, x, 0, 0, 39, 1));
    REGION(g, step, TYPE(t, rows), TYPE(t, rows));
    Ref h = build_binary(step, OP_ADD, build_unary(step, OP_NEG, step->params[0]), step->params[1]);
    GIVES(step, h, h);
    build_scan(g, (ScanShape){ 70, false, 1, 0, 1, 1, 0 }, step,
               (Ref[]){ build_zeros(g, TYPE(t, rows)), build_transpose(g, x, DIMS(1, 0)) }, out);
    GIVES(g, out[0], out[1]);
}

/* What lanes read across its rows in each step is copied first, if it is read often enough. */
Test(fuse_cost, steps_along_rows)
{
    for (int large = 0; large < 2; large++)
        for (int twice = 0; twice < 2; twice++) {
            GRAPH(steps);
            make_along_rows(steps, large ? WEFT_F64 : WEFT_F32, twice);
            Arena arena;
            Program *p = fused(&arena, steps);
            bool packed = strstr(p->kernels[0].name, "_pack_") != NULL;
            cr_expect_eq(packed, !large || twice, "%s", program_print(&arena, p));
            arena_free(&arena);
            fuse_compare("steps", steps);
            arena_free(&steps_arena);
        }
}

/* Vectors of sums that the innermost loop around folds keeps, for a machine of so many registers. */
static uint32_t sums_at_once(const Graph *g, const Target *t)
{
    Arena a;
    Failure wrong = { 0 };
    uint32_t most = 0;
    arena_open(&a);
    const Program *p = pipeline_run(&(Pipeline){ .target = t }, &a, g, &wrong);
    cr_assert(p, "%s", wrong.text);
    for (uint32_t k = 0; k < p->n_kernels; k++) {
        const Kernel *kernel = &p->kernels[k];
        uint32_t tiles[32] = { 1 }, reducers = 0, depth = 0;
        for (Val v = 0; v < kernel->n_stmts; v++) {
            const Stmt *s = &kernel->stmts[v];
            if (s->kind == ST_LOOP && depth < 31) {
                tiles[depth + 1] = tiles[depth] * (s->tile > 1 ? s->tile : 1);
                depth++;
                reducers = 0;
            } else if (s->kind == ST_END && depth > 0) depth--;
            else if (s->kind == ST_REDUCER && tiles[depth] * ++reducers > most)
                most = tiles[depth] * reducers;
        }
    }
    arena_free(&a);
    return most;
}

/* Products that share a loop, a gate and what it lets through, share the registers, and stay in them. */
Test(fuse_cost, sums_of_several_products)
{
    static const char *const machines[] = { "avx2", "avx512" };
    for (int n = 1; n <= 4; n++)
        for (int k = 0; k < 2; k++) {
            Target t;
            Failure wrong = { 0 };
            if (!compile_target(machines[k], NULL, &t, &wrong)) continue;
            GRAPH(gated);
            Ref x = build_param(gated, F32(64, 96)), y = REF_NONE;
            for (int i = 0; i < n; i++) {
                Ref dot =
                    graph_add(gated, &(NodeSpec){ .op = OP_DOT,
                                                  .args = (Ref[]){ x, build_param(gated, F32(96, 200)) },
                                                  .n_args = 2,
                                                  .attr = DIMS(0, 1, 1, 0),
                                                  .n_attr = 4,
                                                  .dtype = WEFT_F32 });
                Ref z = build_unary(gated, OP_TANH, dot);
                y = i ? mul(gated, y, z) : z;
            }
            GIVES(gated, y);
            uint32_t sums = sums_at_once(gated, &t);
            cr_expect(sums >= 4 && sums <= t.vector_registers * 3u / 4, "%d products, %s: %u sums", n,
                      machines[k], sums);
            arena_free(&gated_arena);
        }
}

/* Rows of a tile: the largest of the loops around lanes, in kernels that fold. */
static uint32_t rows_at_once(const Graph *g)
{
    Arena a;
    uint32_t most = 1;
    arena_open(&a);
    const Program *p = fused(&a, g);
    for (uint32_t k = 0; k < p->n_kernels; k++) {
        uint32_t rows = 1, reducers = 0;
        bool around = true;
        for (Val v = 0; v < p->kernels[k].n_stmts; v++) {
            const Stmt *s = &p->kernels[k].stmts[v];
            around &= s->kind != ST_LOOP || s->lanes == 1;
            if (s->kind == ST_LOOP && around && s->tile > rows) rows = s->tile;
            reducers += s->kind == ST_REDUCER;
        }
        if (reducers && rows > most) most = rows;
    }
    arena_free(&a);
    return most;
}

/* Heads of attention, results of which lie side by side, [batch, position, head, number]: tiles are of
 * positions, which share the numbers that are read, though the loop around these is that of the heads. */
Test(fuse_cost, tiles_of_what_is_shared)
{
    GRAPH(heads);
    Ref weights = build_param(heads, F32(2, 3, 40, 40)), values = build_param(heads, F32(2, 40, 3, 40));
    Ref dot = graph_add(heads, &(NodeSpec){ .op = OP_DOT,
                                            .args = (Ref[]){ weights, values },
                                            .n_args = 2,
                                            .attr = DIMS(2, 1, 0, 1, 0, 2, 3, 1),
                                            .n_attr = 8,
                                            .dtype = WEFT_F32 });
    GIVES(heads, build_transpose(heads, dot, DIMS(0, 2, 1, 3)));
    cr_expect(rows_at_once(heads) >= 4, "%u rows", rows_at_once(heads));
    fuse_compare("heads", heads);
    arena_free(&heads_arena);
}

/* A product that another one reads through a copy is made first, in its own tiles: a copy moves squares. */
Test(fuse_cost, copies_of_products)
{
    static const char *const machines[] = { "avx2", "avx512" };
    for (int k = 0; k < 2; k++) {
        Arena a;
        Target t;
        Failure wrong = { 0 };
        if (!compile_target(machines[k], NULL, &t, &wrong)) continue;
        GRAPH(resized);
        Ref x = build_param(resized, F32(200, 200)), rows = build_param(resized, F32(200, 384)),
            columns = build_param(resized, F32(200, 384));
        NodeSpec dot = {
            .op = OP_DOT, .n_args = 2, .attr = DIMS(0, 1, 0, 0), .n_attr = 4, .dtype = WEFT_F32
        };
        dot.args = (Ref[]){ rows, x };
        Ref high = graph_add(resized, &dot);
        dot.args = (Ref[]){ high, columns };
        dot.attr = DIMS(0, 1, 1, 0);
        GIVES(resized, graph_add(resized, &dot));
        arena_open(&a);
        const Program *p = pipeline_run(&(Pipeline){ .target = &t }, &a, resized, &wrong);
        cr_assert(p, "%s", wrong.text);
        uint32_t copies = 0;
        for (uint32_t i = 0; i < p->n_kernels; i++) {
            bool is_copy = strstr(p->kernels[i].name, "pack") != NULL;
            copies += is_copy;
            for (Val v = 0; v < p->kernels[i].n_stmts; v++)
                cr_expect(!is_copy || p->kernels[i].stmts[v].kind != ST_REDUCER, "%s: %s sums", machines[k],
                          p->kernels[i].name);
        }
        for (uint32_t i = 0; i < p->n_buffers; i++) copies += p->buffers[i].kind == BUF_LOCAL;
        cr_expect(copies > 0, "%s: nothing is copied", machines[k]);
        arena_free(&a);
        arena_free(&resized_arena);
    }
}

/* Does a fold stand in the loops of another one, or is an index divided, in a kernel that multiplies? */
static bool has_awkward_products(Arena *a, const Graph *g)
{
    Failure wrong = { 0 };
    const Program *p = pipeline_run(&(Pipeline){ .target = &wide }, a, g, &wrong);
    cr_assert(p, "%s", wrong.text);
    for (uint32_t i = 0; i < p->n_kernels; i++) {
        const Kernel *k = &p->kernels[i];
        bool multiplies = false, awkward = false;
        int depth = 0, open = 0, outer = 0; /* reducers whose total is not taken; where the first stands */
        for (Val v = 0; v < k->n_stmts; v++) {
            const Stmt *s = &k->stmts[v];
            multiplies |= s->kind == ST_OP && s->op == OP_MUL;
            awkward |=
                s->kind == ST_OP && (s->op == OP_DIV || s->op == OP_REM) && dtype_is_int((DType)s->dtype);
            depth += s->kind == ST_LOOP;
            depth -= s->kind == ST_END;
            if (s->kind == ST_REDUCER && !open++) outer = depth;
            awkward |= s->kind == ST_REDUCER && depth > outer;
            open -= s->kind == ST_TOTAL;
        }
        if (multiplies && awkward) return true;
    }
    return false;
}

static Ref product(Graph *g, Ref x, Ref y, int n_batch, int axis_x, int axis_y)
{
    return graph_add(g, &(NodeSpec){ .op = OP_DOT,
                                     .args = (Ref[]){ x, y },
                                     .n_args = 2,
                                     .attr = n_batch == 2 ? DIMS(2, 1, 0, 1, 0, 1, axis_x, axis_y)
                                                          : DIMS(0, 1, axis_x, axis_y),
                                     .n_attr = n_batch == 2 ? 8 : 4,
                                     .dtype = WEFT_F32 });
}

/* A product whose elements are folded at once, in groups, has tiles of its own all the same. */
Test(fuse_cost, folded_products)
{
    static const int64_t groups[][3] = { { 64, 128, 2 }, { 64, 40, 4 }, { 64, 2, 64 } };
    for (int k = 0; k < 3; k++)
        for (int64_t axis = 1; axis < 3; axis++) {
            GRAPH(folded);
            int64_t columns = groups[k][1] * groups[k][2];
            Ref x = build_param(folded, F32(64, 96)), y = build_param(folded, F32(96, columns)),
                bias = build_param(folded, F32(columns)),
                sums = build_binary(folded, OP_ADD, product(folded, x, y, 0, 1, 0),
                                    build_broadcast(folded, bias, DIMS(64, columns), 2, DIMS(1)));
            GIVES(folded, build_reduce(folded, OP_MAX, build_reshape(folded, sums, groups[k], 3), &axis, 1));
            cr_expect(!has_awkward_products(&folded_arena, folded), "groups %d, axis %d", k, (int)axis);
            fuse_compare("folded product", folded);
            arena_free(&folded_arena);
        }
}

/* Products of different operands have loops of their own, those of one operand share them. */
Test(fuse_cost, products_apart)
{
    for (int n = 2; n <= 4; n++)
        for (int shared = 0; shared < 2; shared++) {
            GRAPH(sum);
            Ref x = build_param(sum, F32(33, 35)), all = REF_NONE;
            for (int i = 0; i < n; i++) {
                Ref left = shared ? x : build_param(sum, F32(33, 35)), right = build_param(sum, F32(35, 41)),
                    y = build_unary(sum, OP_TANH, product(sum, left, right, 0, 1, 0));
                all = i ? build_binary(sum, OP_MUL, all, y) : y;
            }
            GIVES(sum, all);
            Arena of_program;
            Program *p = fused(&of_program, sum);
            cr_expect_eq(p->n_kernels, shared ? 1 : (uint32_t)n, "%d products: %u kernels", n,
                         (unsigned)p->n_kernels);
            fuse_compare("products", sum);
            arena_free(&of_program);
            arena_free(&sum_arena);
        }
}

/* Loads of the kernel that has most of them. */
static uint32_t most_loads(const Graph *g)
{
    Arena a;
    uint32_t most = 0;
    const Program *p = fused(&a, g);
    for (uint32_t k = 0; k < p->n_kernels; k++) {
        uint32_t loads = 0;
        for (Val v = 0; v < p->kernels[k].n_stmts; v++) loads += p->kernels[k].stmts[v].kind == ST_LOAD;
        if (loads > most) most = loads;
    }
    arena_free(&a);
    return most;
}

/* A running sum of products is stored, whatever is done to a product first: no step makes it again of all
 * products before. */
Test(fuse_cost, running_sums_of_products)
{
    for (int way = 0; way < 8; way++) {
        bool turned = way & 1, widened = way & 2, scaled = way & 4;
        GRAPH(steps);
        Type t = F32(33, 33);
        Ref sum = build_param(steps, t), w = build_param(steps, t), bias = build_param(steps, t), v = sum;
        for (int i = 0; i < 5; i++) {
            Ref x = product(steps, v, w, 0, 1, 0);
            if (turned) x = build_transpose(steps, x, DIMS(1, 0));
            if (scaled) x = mul(steps, x, bias);
            if (widened)
                x = build_convert(steps, build_unary(steps, OP_TANH, build_convert(steps, x, WEFT_F64)),
                                  WEFT_F32);
            sum = build_binary(steps, way % 3 ? OP_ADD : OP_SUB, sum, x);
            v = build_unary(steps, OP_TANH, sum);
        }
        GIVES(steps, v);
        cr_expect_leq(most_loads(steps), 4, "way %d: %u loads", way, most_loads(steps));
        fuse_compare("running sum of products", steps);
        arena_free(&steps_arena);
    }
}

static int count_dots(const Graph *g)
{
    int n = 0;
    for (Ref r = 0; r < g->n_nodes; r++) n += g->nodes[r].op == OP_DOT;
    return n;
}

/* Compiled in fast mode too. */
static void compare_fast(const char *what, const Graph *g)
{
    Failure f = { 0 };
    Values in = fuse_inputs(g, 1, -3, 8), want = values_of_outputs(g);
    cr_assert(eager_graph(g, (const void *const *)in.at, want.at, &heap, &f), "%s: %s", what, f.text);
    fuse_code_agrees(what, g, MODE_FAST, &in, &want);
    values_free(&in), values_free(&want);
    fuse_compare(what, g);
}

/* x y + z y is (x + z) y in fast mode, however they lie, unless one is asked for by itself. */
Test(fuse_cost, sum_of_products)
{
    for (int way = 0; way < 32; way++) {
        bool x_turned = way & 1, z_turned = way & 2, y_turned = way & 4, right = way & 8, kept = way & 16;
        GRAPH(sum);
        Ref x = build_param(sum, x_turned ? F32(19, 33) : F32(33, 19)),
            z = build_param(sum, z_turned ? F32(19, 33) : F32(33, 19)),
            y = build_param(sum, y_turned ? F32(20, 19) : F32(19, 20)),
            p = right ? product(sum, y, x, 0, y_turned, !x_turned)
                      : product(sum, x, y, 0, !x_turned, y_turned),
            q = right ? product(sum, y, z, 0, y_turned, !z_turned)
                      : product(sum, z, y, 0, !z_turned, y_turned);
        Ref r = build_binary(sum, way % 3 ? OP_ADD : OP_SUB, p, q);
        if (kept) GIVES(sum, r, p);
        else GIVES(sum, r);
        cr_expect_eq(count_dots(expand(&sum_arena, sum, false, true, true)), kept ? 2 : 1, "way %d", way);
        cr_expect_eq(count_dots(expand(&sum_arena, sum, false, false, true)), 2, "way %d, in order", way);
        compare_fast("sum of products", sum);
        arena_free(&sum_arena);
    }
}

/* Batch axes, in another order than in the result; and products that only look alike. */
Test(fuse_cost, sum_of_products_in_batches)
{
    GRAPH(heads);
    Ref x = build_param(heads, F32(2, 3, 17, 8)), z = build_param(heads, F32(2, 3, 8, 17)),
        y = build_param(heads, F32(2, 3, 8, 16));
    GIVES(heads, build_binary(heads, OP_ADD, product(heads, x, y, 2, 3, 2), product(heads, z, y, 2, 2, 2)));
    cr_expect_eq(count_dots(expand(&heads_arena, heads, false, true, true)), 1);
    compare_fast("heads", heads);
    arena_free(&heads_arena);
    GRAPH(alike);
    Ref a = build_param(alike, F32(16, 16)), b = build_param(alike, F32(16, 16)),
        c = build_param(alike, F32(16, 16));
    GIVES(alike, build_binary(alike, OP_ADD, product(alike, a, c, 0, 1, 0), product(alike, b, c, 0, 1, 1)),
          build_binary(alike, OP_ADD, product(alike, a, c, 0, 0, 0), product(alike, c, b, 0, 0, 0)));
    cr_expect_eq(count_dots(expand(&alike_arena, alike, false, true, true)), 4);
    compare_fast("alike", alike);
    arena_free(&alike_arena);
}

/* Attention in windows of 7 x 7 of an image: what puts the windows together, and apart again, is stored. */
Test(fuse_cost, products_in_another_order)
{
    GRAPH(windows);
    Ref x = build_param(windows, F32(28, 28, 24)),
        parts =
            build_transpose(windows, build_reshape(windows, x, DIMS(4, 7, 4, 7, 24), 5), DIMS(0, 2, 1, 3, 4)),
        heads =
            build_transpose(windows, build_reshape(windows, parts, DIMS(16, 49, 3, 8), 4), DIMS(0, 2, 1, 3));
    Ref scores = build_unary(windows, OP_TANH, product(windows, heads, heads, 2, 3, 3)),
        all = product(windows, scores, heads, 2, 3, 2);
    Ref back =
        build_reshape(windows, build_transpose(windows, all, DIMS(0, 2, 1, 3)), DIMS(4, 4, 7, 7, 24), 5);
    GIVES(windows,
          build_reshape(windows, build_transpose(windows, back, DIMS(0, 2, 1, 3, 4)), DIMS(28, 28, 24), 3));
    cr_expect(!has_awkward_products(&windows_arena, windows));
    fuse_compare("windows", windows);
    arena_free(&windows_arena);
}

/* Points that lie farthest in some directions: which they are is known before they are gathered. */
Test(fuse_cost, folded_indices)
{
    static const int64_t axis = 0;
    GRAPH(farthest);
    Ref points = build_param(farthest, F32(600, 3)), directions = build_param(farthest, F32(128, 3)),
        along = product(farthest, points, directions, 0, 1, 1);
    Ref which = graph_add(
        farthest,
        &(NodeSpec){
            .op = OP_ARGMAX, .args = &along, .n_args = 1, .attr = &axis, .n_attr = 1, .dtype = WEFT_I32 });
    IndexDims d = { .n_window = 1,
                    .n_collapsed = 1,
                    .n_map = 1,
                    .index_vector_dim = 1,
                    .window = DIMS(1),
                    .collapsed = DIMS(0),
                    .map = DIMS(0),
                    .slice_sizes = DIMS(1, 3) };
    GIVES(farthest, build_gather(farthest, &d, points, which));
    Failure wrong = { 0 };
    const Program *p = pipeline_run(&(Pipeline){ .target = &wide }, &farthest_arena, farthest, &wrong);
    cr_assert(p, "%s", wrong.text);
    for (uint32_t i = 0; i < p->n_kernels; i++)
        for (Val v = 0, folds = 0; v < p->kernels[i].n_stmts; v++) {
            const Stmt *s = &p->kernels[i].stmts[v];
            folds |= s->kind == ST_REDUCER && s->op == OP_ARGMAX;
            cr_expect(!folds || s->kind != ST_STORE || s->address.n_terms == 1, "%s gathers",
                      p->kernels[i].name);
        }
    fuse_compare("farthest", farthest);
    arena_free(&farthest_arena);
}
