/* vmap against a loop, bit for bit: for every op of the table, every subset of mapped operands and every
 * place of the batch axis, the mapped graph run by eager mode gives what the graph gives example by
 * example. */
#include "compiler/graph/check.h"
#include "compiler/graph/infer/infer.h"
#include "compiler/vmap/vmap.h"
#include "tests/graphs/control_programs.h"
#include "tests/support/graph_suite.h"
#include "runtime/eager/eager.h"
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>

enum { MOST = 6 }; /* parameters, outputs */

TestSuite(vmap_graph, .init = open_arena, .fini = close_arena, .timeout = 120);

static Type with_axis(Type t, int axis, int64_t size)
{
    int64_t *dim = arena_alloc(&arena, (t.rank + 1u) * sizeof *dim);
    for (int i = 0, from = 0; i <= t.rank; i++) dim[i] = i == axis ? size : t.dim[from++];
    return (Type){ t.dtype, (uint8_t)(t.rank + 1), dim };
}

/* Example number b of the whole, whose batch axis is `axis`. */
static void *example(Type t, const void *whole, int axis, int64_t size, int64_t b)
{
    size_t inner = dtype_bytes((DType)t.dtype), outer = 1;
    for (int i = 0; i < t.rank; i++) *(i < axis ? &outer : &inner) *= (size_t)t.dim[i];
    char *p = room(t);
    for (size_t i = 0; i < outer; i++)
        memcpy(p + i * inner, (const char *)whole + (i * (size_t)size + (size_t)b) * inner, inner);
    return p;
}

typedef struct Mapping {
    int64_t in[MOST], out[MOST], size;
} Mapping;

static const char *describe(const char *name, const Graph *g, const Mapping *m)
{
    char *text = arena_printf(&arena, "%s, size %lld, in", name, (long long)m->size);
    for (uint32_t i = 0; i < g->n_params; i++)
        text = m->in[i] == VMAP_NONE ? arena_printf(&arena, "%s none", text)
                                     : arena_printf(&arena, "%s %lld", text, (long long)m->in[i]);
    return arena_printf(&arena, "%s, out %lld", text, (long long)m->out[0]);
}

static int normal(int64_t axis, int rank) { return (int)(axis < 0 ? axis + rank : axis); }

static Graph *compare_with_loop(const char *name, const Graph *g, const Mapping *m)
{
    const void *in[MOST], *one[MOST];
    void *out[MOST], *want[MOST];
    Failure f = { 0 };
    Graph *mapped = vmap_graph(&arena, g, m->in, m->size, m->out, NULL, &f);
    cr_assert(mapped, "%s: %s", describe(name, g, m), f.text);
    cr_assert(graph_check(mapped, &f), "%s: %s", describe(name, g, m), f.text);
    for (uint32_t i = 0; i < g->n_params; i++) in[i] = random_array(graph_type(mapped, mapped->params[i]));
    for (uint32_t i = 0; i < g->n_outputs; i++) {
        Type one_type = graph_type(g, g->outputs[i]);
        Type type = with_axis(one_type, normal(m->out[i], one_type.rank + 1), m->size);
        Type got = graph_type(mapped, mapped->outputs[i]);
        cr_assert(type.rank == got.rank && !memcmp(type.dim, got.dim, type.rank * sizeof *type.dim), "%s",
                  describe(name, g, m));
        out[i] = room(got);
        want[i] = room(one_type);
    }
    eager_run(mapped, in, out);
    for (int64_t b = 0; b < m->size; b++) {
        for (uint32_t i = 0; i < g->n_params; i++) {
            Type t = graph_type(g, g->params[i]);
            one[i] =
                m->in[i] == VMAP_NONE ? in[i] : example(t, in[i], normal(m->in[i], t.rank + 1), m->size, b);
        }
        eager_run(g, one, want);
        for (uint32_t i = 0; i < g->n_outputs; i++) {
            Type t = graph_type(g, g->outputs[i]);
            const void *got = example(t, out[i], normal(m->out[i], t.rank + 1), m->size, b);
            cr_assert_lt(differs_at(t, want[i], got), 0, "%s: example %lld of output %u",
                         describe(name, g, m), (long long)b, i);
        }
    }
    return mapped;
}

/* Place number k of the batch axis beside `rank` others, every third time counted from the end. */
static int64_t place(int rank, int k) { return k % 3 == 2 ? k % (rank + 1) - (rank + 1) : k % (rank + 1); }

/* All subsets of mapped operands; for each, every place of the batch axis in each operand and result. */
static void compare_all(const char *name, const Graph *g, int64_t size)
{
    cr_assert(g->failure.code == WEFT_OK && g->n_params <= MOST && g->n_outputs <= MOST, "%s: %s", name,
              g->failure.text);
    int places = 1;
    for (uint32_t i = 0; i < g->n_params; i++)
        places =
            graph_node(g, g->params[i])->rank + 1 > places ? graph_node(g, g->params[i])->rank + 1 : places;
    for (uint32_t i = 0; i < g->n_outputs; i++)
        places =
            graph_node(g, g->outputs[i])->rank + 1 > places ? graph_node(g, g->outputs[i])->rank + 1 : places;
    for (uint32_t subset = 0; subset < 1u << g->n_params; subset++)
        for (int k = 0; k < places; k++) {
            Mapping m = { .size = size };
            for (uint32_t i = 0; i < g->n_params; i++)
                m.in[i] = subset >> i & 1 ? place(graph_node(g, g->params[i])->rank, k + (int)i) : VMAP_NONE;
            for (uint32_t i = 0; i < g->n_outputs; i++)
                m.out[i] = place(graph_node(g, g->outputs[i])->rank, places - 1 - k + (int)(subset + i));
            compare_with_loop(name, g, &m);
        }
}

/* Mapped twice, the second time over what the first gave. */
static void compare_nested(const char *name, const Graph *g)
{
    Mapping m = { .size = 3 };
    for (uint32_t i = 0; i < g->n_params; i++)
        m.in[i] = i % 2 ? VMAP_NONE : graph_node(g, g->params[i])->rank;
    Graph *once = compare_with_loop(name, g, &m);
    for (uint32_t i = 0; i < g->n_params; i++) m.in[i] = i == 1 || g->n_params == 1 ? 0 : VMAP_NONE;
    m.size = 2;
    compare_with_loop(name, once, &m);
    for (uint32_t i = 0; i < g->n_params; i++) m.in[i] = 0;
    compare_with_loop(name, once, &m);
}

static void compare_graph(const char *name, const Graph *g)
{
    compare_all(name, g, 3);
    compare_all(name, g, 1);
    compare_all(name, g, 0);
    compare_nested(name, g);
    arena_free(&arena);
}

static int64_t const *ew_attr(Op op, DType t, uint32_t *n)
{
    static const int64_t precision[] = { 5, 7 }, by_int[] = { CMP_LT, ORDER_SIGNED },
                         by_unsigned[] = { CMP_GE, ORDER_UNSIGNED }, by_float[] = { CMP_NE, ORDER_FLOAT };
    *n = op == OP_COMPARE || op == OP_REDUCE_PRECISION ? 2 : 0;
    if (op == OP_REDUCE_PRECISION) return precision;
    return dtype_is_float(t) ? by_float : dtype_is_signed(t) ? by_int : by_unsigned;
}

Test(vmap_graph, elementwise_ops_are_their_loops)
{
    static const DType types[] = { WEFT_BOOL, WEFT_I32, WEFT_U8, WEFT_BF16, WEFT_F32 };
    static const int64_t dim[] = { 2, 3 };
    for (int op = 0; op < OP_COUNT; op++)
        for (size_t k = 0; k < sizeof types / sizeof *types; k++)
            for (int rank = 0; rank <= 2; rank++) {
                if (!op_is_ew((Op)op) || !infer_takes((Op)op, types[k])) continue;
                if (rank == 2 && types[k] == WEFT_BF16) continue; /* slow enough */
                Graph *g = graph_new(&arena, NULL);
                Ref args[3];
                for (int i = 0; i < op_info[op].args; i++)
                    args[i] =
                        build_param(g, (Type){ (uint8_t)(op == OP_SELECT && i == 0 ? WEFT_BOOL : types[k]),
                                               (uint8_t)rank, dim });
                NodeSpec s = { .op = (Op)op, .args = args, .n_args = (uint32_t)op_info[op].args };
                s.dtype = op == OP_BITCAST ? types[k] == WEFT_F32 ? WEFT_U16 : types[k] : WEFT_F32;
                s.attr = ew_attr((Op)op, types[k], &s.n_attr);
                set_all_results(g, graph_add(g, &s));
                compare_graph(op_info[op].name, g);
            }
}

/* 0: none; the rest for REDUCE_REGION: a sum, what keeps the later element, a difference (neither commutes
 * nor associates), and the place of the largest beside it. */
enum { SUM = 1, LATER, DIFFERENCE, LARGEST };

static const Graph *region(int which)
{
    Graph *r = graph_new(&arena, NULL);
    Type f = { WEFT_F32, 0, NULL }, i = { WEFT_I32, 0, NULL };
    if (which == LARGEST) {
        Ref left = build_param(r, f), left_at = build_param(r, i), right = build_param(r, f),
            right_at = build_param(r, i);
        Ref keep = build_compare(r, CMP_GE, left, right);
        Ref out[] = { build_select(r, keep, left, right), build_select(r, keep, left_at, right_at) };
        graph_set_outputs(r, out, 2);
        return r;
    }
    Ref left = build_param(r, f), right = build_param(r, f);
    set_all_results(r, which == LATER ? right : build_binary(r, which == SUM ? OP_ADD : OP_SUB, left, right));
    return r;
}

#define C OP_CONVOLUTION
#define G OP_GATHER
#define S OP_SCATTER
#define U OP_DYNAMIC_UPDATE_SLICE
#define W OP_REDUCE_WINDOW
static const struct {
    Case c;
    int region;
} rows[] = {
    { { .op = OP_SELECT, .args = "bool f32[2,3] f32[2,3]" }, 0 },
    { { .op = OP_CLAMP, .args = "f32 f32[3] f32" }, 0 },
    { { .op = OP_CLAMP, .args = "i8 i8[2,3] i8[2,3]" }, 0 },
    { { .op = OP_BITCAST, .args = "u8[3,4]", .given = "u32" }, 0 },
    { { .op = OP_BITCAST, .args = "u8[2]", .given = "f16" }, 0 },
    { { OP_BROADCAST, "f32[3,1]", 2, { 2, 0 }, "f32[2,2,3]", NULL }, 0 },
    { { OP_BROADCAST, "f32", 0, { 0 }, "f32[2]", NULL }, 0 },
    { { OP_RESHAPE, "f32[2,3]", 0, { 0 }, "f32[3,1,2]", NULL }, 0 },
    { { OP_RESHAPE, "f32[1,1]", 0, { 0 }, "f32", NULL }, 0 },
    { { OP_TRANSPOSE, "i16[2,3,4]", 3, { 2, 0, 1 }, NULL, NULL }, 0 },
    { { OP_SLICE, "f32[5,3]", 6, { 1, 0, 5, 2, 2, 1 }, NULL, NULL }, 0 },
    { { OP_REVERSE, "f32[2,3]", 1, { 1 }, NULL, NULL }, 0 },
    { { OP_PAD, "f32[3] f32", 3, { 1, 2, 1 }, NULL, NULL }, 0 },
    { { OP_PAD, "f32[3,4] f32", 6, { -1, 2, 1, -2, 1, 0 }, NULL, NULL }, 0 },
    { { OP_PAD, "i8[0] i8", 3, { 2, 0, 0 }, NULL, NULL }, 0 },
    { { OP_PAD, "f32 f32", 0, { 0 }, NULL, NULL }, 0 },
    { { OP_CONCATENATE, "f32[2,3] f32[2,1] f32[2,2]", 1, { 1 }, NULL, NULL }, 0 },
    { { OP_CONCATENATE, "f32[2]", 1, { 0 }, NULL, NULL }, 0 },
    { { OP_REDUCE, "f32[3,70]", 2, { OP_ADD, 1 }, NULL, NULL }, 0 },
    { { OP_REDUCE, "f32[3,4]", 2, { OP_MUL, 0 }, NULL, NULL }, 0 },
    { { OP_REDUCE, "bf16[3,4]", 3, { OP_ADD, 0, 1 }, NULL, NULL }, 0 },
    { { OP_REDUCE, "f32[3,4]", 1, { OP_ADD }, NULL, NULL }, 0 },
    { { OP_REDUCE, "u8[3,4]", 2, { OP_XOR, 1 }, NULL, NULL }, 0 },
    { { OP_REDUCE, "bool[3,4]", 2, { OP_AND, 1 }, NULL, NULL }, 0 },
    { { OP_REDUCE, "f32[3,4]", 2, { OP_MAX, 0 }, NULL, NULL }, 0 },
    { { OP_REDUCE, "f32[3,0]", 2, { OP_MIN, 1 }, NULL, NULL }, 0 },
    { { OP_ARGMAX, "f32[3,4]", 1, { 1 }, "i32", NULL }, 0 },
    { { OP_ARGMIN, "f32[3,4]", 1, { 0 }, "u8", NULL }, 0 },
    { { OP_REDUCE_REGION, "f32[3] f32", 1, { 0 }, NULL, NULL }, SUM },
    { { OP_REDUCE_REGION, "f32[2,3,2] f32", 2, { 0, 2 }, NULL, NULL }, DIFFERENCE },
    { { OP_REDUCE_REGION, "f32[2,3] f32", 1, { 0 }, NULL, NULL }, LATER },
    { { OP_REDUCE_REGION, "f32[2,0] f32", 1, { 1 }, NULL, NULL }, DIFFERENCE },
    { { OP_REDUCE_REGION, "f32[2,3] f32", 0, { 0 }, NULL, NULL }, DIFFERENCE },
    { { OP_REDUCE_REGION, "f32[2,3] i32[2,3] f32 i32", 1, { 1 }, NULL, NULL }, LARGEST },
    { { OP_DOT, "f32[2,3] f32[3,4]", 4, { 0, 1, 1, 0 }, "f32", NULL }, 0 },
    { { OP_DOT, "f32[3] f32[3]", 4, { 0, 1, 0, 0 }, "f32", NULL }, 0 },
    { { OP_DOT, "f32[2] f32[3]", 2, { 0, 0 }, "f32", NULL }, 0 },
    { { OP_DOT, "f32 f32", 2, { 0, 0 }, "f64", NULL }, 0 },
    { { OP_DOT, "bf16[2,5,3] bf16[3,4,5]", 6, { 1, 1, 1, 2, 2, 0 }, "f32", NULL }, 0 },
    { { OP_DOT, "i8[2,3,2,2] i8[2,2,3]", 8, { 1, 2, 1, 2, 0, 2, 1, 0 }, "i32", NULL }, 0 },
    { { OP_DOT, "f32[2,3,2,2] f32[2,2,3]", 8, { 2, 1, 3, 1, 0, 2, 0, 1 }, "f32", NULL }, 0 },
    /* [feature groups, batch groups] axes of operand, weights, result; stride low high base_dilation dilation
     * reverse */
    { { C, "f32[2,5,3] f32[2,3,4]", 17, { 1, 1, 0, 2, 1, 1, 2, 0, 0, 2, 1, 2, 1, 1, 1, 1, 0 }, "f32", NULL },
      0 },
    { { C, "f32[2,4,5] f32[6,2,2]", 17, { 2, 1, 0, 1, 2, 1, 0, 2, 0, 1, 2, 1, 0, 2, 2, 2, 1 }, "f32", NULL },
      0 },
    { { C, "f32[4,3,5] f32[3,2,6]", 17, { 1, 2, 0, 1, 2, 0, 2, 1, 2, 0, 1, 1, -1, 1, 1, 1, 0 }, "f32", NULL },
      0 },
    { { C, "i8[3,2] i8[2,4]", 8, { 1, 1, 0, 1, 0, 1, 1, 0 }, "i32", NULL }, 0 },
    /* [n_offset n_collapsed n_batching n_map index_vector_dim] offset collapsed operand_batching
     * indices_batching map slice_sizes */
    { { G, "f32[5] i32[3]", 8, { 0, 1, 0, 1, 1, 0, 0, 1 }, NULL, NULL }, 0 },
    { { G, "f32[5] i32", 8, { 1, 0, 0, 1, 0, 0, 0, 2 }, NULL, NULL }, 0 },
    { { G, "f32[5,6] i32[2,3]", 11, { 2, 0, 0, 2, 0, 0, 2, 1, 0, 2, 3 }, NULL, NULL }, 0 },
    { { G, "f32[5,6] i64[3,1]", 10, { 1, 1, 0, 1, 1, 1, 0, 0, 1, 4 }, NULL, NULL }, 0 },
    { { G, "f32[3,6] u8[3,1]", 11, { 0, 1, 1, 1, 1, 1, 0, 0, 1, 1, 1 }, NULL, NULL }, 0 },
    { { G, "f32[3,6,2] i32[1,4,3]", 13, { 1, 1, 1, 1, 0, 0, 1, 0, 2, 1, 1, 1, 2 }, NULL, NULL }, 0 },
    /* [n_update_window n_inserted n_batching n_map index_vector_dim unique sorted] update_window inserted
     * input_batching indices_batching map */
    { { S, "f32[5] i32[3,1] f32[3]", 9, { 0, 1, 0, 1, 1, 0, 0, 0, 0 }, NULL, NULL }, DIFFERENCE },
    { { S, "f32[5] i32[3] f32[3]", 9, { 0, 1, 0, 1, 1, 0, 0, 0, 0 }, NULL, NULL }, LATER },
    { { S, "f32[5,3] i32[2,1] f32[2,3]", 10, { 1, 1, 0, 1, 1, 0, 0, 1, 0, 0 }, NULL, NULL }, SUM },
    { { S, "f32[6,4] i32[2] f32[2,3]", 11, { 2, 0, 0, 2, 0, 0, 0, 0, 1, 0, 1 }, NULL, NULL }, LATER },
    { { S, "f32[6,4] i8[2,3] f32[2,3,3]", 11, { 2, 0, 0, 2, 0, 0, 0, 0, 1, 1, 0 }, NULL, NULL }, DIFFERENCE },
    { { S, "f32[3,6] u8[3,2,1] f32[3,2]", 11, { 0, 1, 1, 1, 2, 0, 0, 1, 0, 0, 1 }, NULL, NULL }, SUM },
    { { S, "f32[5] i32[5] i32[3,1] f32[3] i32[3]", 9, { 0, 1, 0, 1, 1, 0, 0, 0, 0 }, NULL, NULL }, LARGEST },
    { { OP_DYNAMIC_SLICE, "f32[5,6] i32 i32", 2, { 2, 3 }, NULL, NULL }, 0 },
    { { OP_DYNAMIC_SLICE, "f32[5,6] u8 u8", 2, { 5, 3 }, NULL, NULL }, 0 },
    { { OP_DYNAMIC_SLICE, "f32[5,6] i64 i64", 2, { 5, 6 }, NULL, NULL }, 0 },
    { { OP_DYNAMIC_SLICE, "f32[5,6] i16 i16", 2, { 0, 1 }, NULL, NULL }, 0 },
    { { OP_DYNAMIC_SLICE, "f32[300] i8", 1, { 2 }, NULL, NULL }, 0 },
    { { OP_DYNAMIC_SLICE, "f32", 0, { 0 }, NULL, NULL }, 0 },
    { { U, "f32[5,6] f32[2,3] i32 i32", 0, { 0 }, NULL, NULL }, 0 },
    { { U, "f32[5,6] f32[5,2] u64 u64", 0, { 0 }, NULL, NULL }, 0 },
    { { U, "f32[4] f32[4] i64", 0, { 0 }, NULL, NULL }, 0 },
    { { U, "f32[300] f32[2] i8", 0, { 0 }, NULL, NULL }, 0 },
    { { U, "f32[300] f32[2] u8", 0, { 0 }, NULL, NULL }, 0 },
    { { U, "f32[5] f32[0] i32", 0, { 0 }, NULL, NULL }, 0 },
    { { U, "f32 f32", 0, { 0 }, NULL, NULL }, 0 },
    /* window strides base_dilations window_dilations low high */
    { { W, "f32[6] f32", 6, { 3, 2, 1, 1, 1, 1 }, NULL, NULL }, DIFFERENCE },
    { { W, "f32[4,5] f32", 12, { 2, 3, 1, 2, 2, 1, 1, 2, -1, 2, 1, -1 }, NULL, NULL }, DIFFERENCE },
    { { W, "f32[4] i32[4] f32 i32", 6, { 2, 1, 1, 1, 0, 1 }, NULL, NULL }, LARGEST },
    { { W, "f32[0] f32", 6, { 1, 1, 1, 1, 1, 1 }, NULL, NULL }, SUM },
    { { W, "f32 f32", 0, { 0 }, NULL, NULL }, SUM },
    { { OP_CUMULATIVE, "f32[3,40]", 3, { OP_ADD, 1, 0 }, NULL, NULL }, 0 },
    { { OP_CUMULATIVE, "f32[3,4]", 3, { OP_MAX, 0, 1 }, NULL, NULL }, 0 },
    { { OP_CUMULATIVE, "i32[0]", 3, { OP_MUL, 0, 1 }, NULL, NULL }, 0 },
    { { OP_FFT, "c64[3,12]", 2, { FFT_FORWARD, 12 }, NULL, NULL }, 0 },
    { { OP_FFT, "c128[3,19]", 3, { FFT_BACK, 3, 19 }, NULL, NULL }, 0 },
    { { OP_FFT, "f32[4,10]", 3, { FFT_OF_REAL, 4, 10 }, NULL, NULL }, 0 },
    { { OP_FFT, "c64[2,5]", 2, { FFT_TO_REAL, 9 }, NULL, NULL }, 0 },
};
#undef G
#undef S
#undef U
#undef W

Test(vmap_graph, other_ops_are_their_loops)
{
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        Graph *g = graph_new(&arena, NULL);
        Ref r = support_case(g, &rows[i].c, rows[i].region ? region(rows[i].region) : NULL);
        cr_assert_neq(r, REF_NONE, "row %zu: %s", i, g->failure.text);
        set_all_results(g, r);
        char name[64];
        snprintf(name, sizeof name, "row %zu, %s", i, op_info[rows[i].c.op].name);
        compare_graph(name, g);
    }
}

Test(vmap_graph, every_op_has_a_row)
{
    for (int op = 0; op < OP_COUNT; op++) {
        /* leaves and backward below, results of LARGEST */
        bool found =
            op_is_ew((Op)op) || op_kind((Op)op) == OPKIND_LEAF || op == OP_RESULT || op == OP_BACKWARD;
        for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) found |= rows[i].c.op == (Op)op;
        for (size_t i = 0; i < N_CONTROL_PROGRAMS; i++) found |= control_programs[i].op == (Op)op;
        cr_expect(found, "%s", op_info[op].name);
    }
}

Test(vmap_graph, programs_with_control_flow_are_their_loops)
{
    for (size_t i = 0; i < N_CONTROL_PROGRAMS; i++)
        compare_graph(control_programs[i].name, control_programs[i].make(&arena));
}

/* Each parameter is mapped by some of three vmaps, in every way that two bits of a counter choose. */
Test(vmap_graph, three_deep)
{
    for (size_t i = 0; i < N_CONTROL_PROGRAMS; i++)
        for (uint32_t way = 0; way < 12; way++) {
            Graph *g = control_programs[i].make(&arena);
            for (uint32_t level = 0; level < 3; level++) {
                Mapping m = { .size = level == 1 ? 3 : 2 };
                for (uint32_t k = 0; k < g->n_params; k++)
                    m.in[k] = (way + k * (level + 1) + level) % 3 == 0 ? VMAP_NONE
                              : way % 2                                ? graph_node(g, g->params[k])->rank
                                                                       : 0;
                for (uint32_t k = 0; k < g->n_outputs; k++) m.out[k] = way % 3 ? 0 : -1;
                g = compare_with_loop(control_programs[i].name, g, &m);
            }
            arena_free(&arena);
        }
}

/* The types of the last such node's results. */
static void expect_carries(const char *name, const Graph *mapped, Op op, const char *want)
{
    const Node *n = NULL;
    for (Ref r = 0; r < mapped->n_nodes; r++)
        if (mapped->nodes[r].op == op) n = &mapped->nodes[r];
    cr_assert_not_null(n, "%s", name);
    char *got = "";
    for (uint32_t i = 0; i < n->n_results; i++)
        got = arena_printf(&arena, "%s%s%s", got, i ? " " : "",
                           type_text((char[64]){ 0 }, 64, node_result(n, i)));
    cr_expect_str_eq(got, want, "%s", name);
}

/* Only carries and results that depend on the batch have its axis: a fixpoint. */
Test(vmap_graph, only_what_depends_on_the_batch_is_mapped)
{
    static const struct {
        const char *name;
        MakeProgram *make;
        Op op;
        int64_t in[4];
        const char *want;
    } row[] = {
        { "s feeds c, b, a",
          program_scan_chain,
          OP_SCAN,
          { VMAP_NONE, VMAP_NONE, VMAP_NONE, 0 },
          "f32[7] f32[7] f32[7] i32" },
        { "z feeds b, a; not itself",
          program_scan_chain,
          OP_SCAN,
          { VMAP_NONE, VMAP_NONE, 0, VMAP_NONE },
          "f32[7] f32[7] f32[7] i32" },
        { "x feeds nothing",
          program_scan_chain,
          OP_SCAN,
          { 0, VMAP_NONE, VMAP_NONE, VMAP_NONE },
          "f32[7] f32 f32 i32" },
        { "nothing",
          program_scan,
          OP_SCAN,
          { VMAP_NONE, VMAP_NONE, VMAP_NONE, VMAP_NONE },
          "f32[3] i32 f32[4,3] i32[4] f32[4]" },
        { "w: the sum and its output",
          program_scan,
          OP_SCAN,
          { 0, VMAP_NONE, VMAP_NONE, VMAP_NONE },
          "f32[7,3] i32 f32[4,7,3] i32[4] f32[4]" },
        { "steps: the count and its output",
          program_scan,
          OP_SCAN,
          { VMAP_NONE, VMAP_NONE, VMAP_NONE, 0 },
          "f32[3] i32[7] f32[4,3] i32[4,7] f32[4]" },
        { "start of the chain; a shared end",
          program_while_chain,
          OP_WHILE,
          { VMAP_NONE, VMAP_NONE, 0, VMAP_NONE },
          "i32 f32[7] f32[7] f32[7] i32" },
        { "an end of each",
          program_while_arrays,
          OP_WHILE,
          { VMAP_NONE, VMAP_NONE, 0, VMAP_NONE },
          "bool[7] i32[7] f32[7,3] f32[7] f32[3]" },
        { "what never changes",
          program_while_arrays,
          OP_WHILE,
          { VMAP_NONE, VMAP_NONE, VMAP_NONE, 0 },
          "i32 f32[3] f32 f32[7,3]" },
        { "a shared index", program_case, OP_CASE, { VMAP_NONE, 0, VMAP_NONE, VMAP_NONE }, "f32[7,3] f32" },
    };
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        Graph *g = row[i].make(&arena),
              *mapped = vmap_graph(&arena, g, row[i].in, 7, (int64_t[MOST]){ 0 }, NULL, NULL);
        expect_carries(row[i].name, mapped, row[i].op, row[i].want);
    }
}

/* A loop that updates an array in places of each example's own: no select of the whole array, in the loop or
 * in a branch. */
Test(vmap_graph, updates_stay_small)
{
    Graph *loop = vmap_graph(&arena, program_while_updates(&arena), (int64_t[]){ 0, 0 }, 7,
                             (int64_t[]){ 0, 0 }, NULL, NULL);
    Graph *branches = vmap_graph(&arena, program_case_updates(&arena), (int64_t[]){ 0, 0, 0 }, 7,
                                 (int64_t[]){ 0, 0 }, NULL, NULL);
    for (Ref r = 0; r < loop->n_nodes; r++)
        for (Ref k = 0; loop->nodes[r].op == OP_WHILE && k < loop->nodes[r].regions[1]->n_nodes; k++) {
            const Node *n = graph_node(loop->nodes[r].regions[1], k);
            cr_expect(n->op != OP_SELECT || type_count(node_type(n)) < 7 * 20);
        }
    for (Ref r = 0; r < branches->n_nodes; r++)
        cr_expect(branches->nodes[r].op != OP_SELECT || type_count(node_type(&branches->nodes[r])) < 7 * 20);
}

/* softmax(x w + b), and an output that depends on no argument. */
static Graph *small_network(void)
{
    Graph *g = graph_new(&arena, "net");
    Type v = { WEFT_F32, 1, (int64_t[]){ 4 } }, m = { WEFT_F32, 2, (int64_t[]){ 4, 3 } },
         c = { WEFT_F32, 1, (int64_t[]){ 3 } };
    Ref x = build_param(g, v), w = build_param(g, m), b = build_param(g, c);
    Ref h = graph_add(g, &(NodeSpec){ .op = OP_DOT,
                                      .args = (Ref[]){ x, w },
                                      .n_args = 2,
                                      .attr = (int64_t[]){ 0, 1, 0, 0 },
                                      .n_attr = 4,
                                      .dtype = WEFT_F32 });
    h = build_binary(g, OP_ADD, h, b);
    Ref top = build_broadcast(g, build_reduce(g, OP_MAX, h, (int64_t[]){ 0 }, 1), c.dim, 1, NULL);
    Ref e = build_unary(g, OP_EXP, build_binary(g, OP_SUB, h, top));
    Ref sum = build_broadcast(g, build_reduce(g, OP_ADD, e, (int64_t[]){ 0 }, 1), c.dim, 1, NULL);
    Ref out[] = { build_binary(g, OP_DIV, e, sum), build_unary(g, OP_SQRT, build_iota(g, c, 0)) };
    graph_set_outputs(g, out, 2);
    return g;
}

Test(vmap_graph, compositions_are_their_loops) { compare_graph("small network", small_network()); }

static uint32_t count_ops(const Graph *g, Op op)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < g->n_nodes; i++) n += g->nodes[i].op == op;
    return n;
}

Test(vmap_graph, what_is_not_mapped_stays_as_it_is)
{
    Graph *g = graph_new(&arena, NULL);
    Type t = { WEFT_F32, 1, (int64_t[]){ 4 } };
    Ref x = build_param(g, t), y = build_param(g, t), sine = build_unary(g, OP_SIN, y),
        out = build_binary(g, OP_MUL, x, sine);
    graph_set_outputs(g, &out, 1);
    Graph *mapped = vmap_graph(&arena, g, (int64_t[]){ 0, VMAP_NONE }, 8, (int64_t[]){ 0 }, NULL, NULL);
    for (uint32_t i = 0; i < mapped->n_nodes; i++)
        if (mapped->nodes[i].op == OP_SIN) cr_expect_eq(mapped->nodes[i].rank, 1);
    cr_expect_eq(count_ops(mapped, OP_BROADCAST), 1);
    cr_expect_eq(count_ops(mapped, OP_TRANSPOSE), 0);

    Graph *net = vmap_graph(&arena, small_network(), (int64_t[]){ 0, VMAP_NONE, VMAP_NONE }, 8,
                            (int64_t[]){ 0, VMAP_NONE }, NULL, NULL);
    cr_expect_eq(count_ops(net, OP_BROADCAST), 3, "the bias, the largest and the sum; not the weights");
    cr_expect_eq(graph_node(net, net->outputs[1])->rank, 1);
}

Test(vmap_graph, what_cannot_be_is_said)
{
    static const struct {
        int64_t in, out, size;
        const char *want;
    } row[] = {
        { 2, 0, 3, "in axis 2 of argument 0 is out of range for a batch of f32[4] (-2 to 1)" },
        { -3, 0, 3, "in axis -3 of argument 0 is out of range" },
        { 0, 2, 3, "out axis 2 of output 0 is out of range for a batch of f32[4] (-2 to 1)" },
        { VMAP_NONE, -3, 3, "out axis -3 of output 0" },
        { 0, VMAP_NONE, 3, "output 0 depends on a mapped argument, so it needs an out axis (not none)" },
        { 0, 0, -1, "a batch of size -1" },
        { 0, 0, INT64_MAX / 8, "more bytes than 63 bits can count" },
    };
    Graph *g = graph_new(&arena, NULL);
    Ref x = build_param(g, (Type){ WEFT_F32, 1, (int64_t[]){ 4 } }), y = build_unary(g, OP_SIN, x);
    graph_set_outputs(g, &y, 1);
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        Failure f = { 0 };
        cr_expect_null(vmap_graph(&arena, g, &row[i].in, row[i].size, &row[i].out, NULL, &f));
        cr_expect(f.code != WEFT_OK && strstr(f.text, row[i].want), "\"%s\" without \"%s\"", f.text,
                  row[i].want);
    }
}

Test(vmap_graph, the_rank_limit_names_the_op_and_its_line)
{
    Graph *g = graph_new(&arena, NULL);
    int64_t ones[WEFT_MAX_RANK];
    for (int i = 0; i < WEFT_MAX_RANK; i++) ones[i] = 1;
    Ref x = build_param(g, (Type){ WEFT_F32, 0, NULL });
    g->loc = graph_loc(g, "demo.c:9");
    Ref y = build_broadcast(g, x, ones, WEFT_MAX_RANK, NULL);
    graph_set_outputs(g, &y, 1);
    Failure f = { 0 };
    cr_expect_null(vmap_graph(&arena, g, (int64_t[]){ 0 }, 5, (int64_t[]){ 0 }, NULL, &f));
    cr_expect(strstr(f.text, " (demo.c:9) over 5: rank 33 is over the limit of 32 axes"), "%s", f.text);
}

Test(vmap_graph, the_rank_limit_is_seen_in_regions)
{
    int64_t ones[WEFT_MAX_RANK];
    for (int i = 0; i < WEFT_MAX_RANK; i++) ones[i] = 1;
    for (int kind = 0; kind < 4; kind++) { /* scan; while, shared and not; case */
        Graph *g = REGION(&arena, program_f, program_f), *body = g;
        body->loc = graph_loc(body, "demo.c:9");
        Ref wide = build_broadcast(g, body->params[1], ones, WEFT_MAX_RANK, NULL);
        body->loc = 0;
        Ref sum = build_reshape(g, build_unary(g, OP_SIN, wide), NULL, 0), out;
        OUTPUTS(g, build_binary(g, OP_ADD, sum, body->params[1]));
        Graph *cond = g = REGION(&arena, program_f, program_f);
        OUTPUTS(g, program_less(g, kind == 1 ? cond->params[0] : cond->params[1], cond->params[0]));
        g = REGION(&arena, program_f, program_f);
        if (kind == 0)
            build_scan(g, (ScanShape){ .length = 2, .unroll = 1, .n_invariant = 1, .n_carry = 1 }, body,
                       g->params, &out);
        else if (kind < 3) build_while(g, cond, body, g->params, 1, 1, &out);
        else build_case(g, program_int(g, 2), (const Graph *[]){ body, body }, 2, g->params, 2, &out);
        OUTPUTS(g, out);
        Failure f = { 0 };
        cr_expect_null(vmap_graph(&arena, g, (int64_t[]){ VMAP_NONE, 0 }, 5, (int64_t[]){ 0 }, NULL, &f),
                       "kind %d", kind);
        cr_expect(strstr(f.text, " (demo.c:9) over 5: rank 33 is over the limit of 32 axes"), "kind %d: %s",
                  kind, f.text);
    }
}

Test(vmap_graph, a_million_nodes_are_mapped)
{
    Graph *g = graph_new(&arena, NULL);
    Ref x = build_param(g, (Type){ WEFT_F32, 1, (int64_t[]){ 8 } }), y = x;
    for (int i = 0; i < 1000000; i++) y = build_binary(g, i & 1 ? OP_MUL : OP_ATAN2, y, x);
    graph_set_outputs(g, &y, 1);
    Graph *mapped = vmap_graph(&arena, g, (int64_t[]){ 1 }, 8, (int64_t[]){ 1 }, NULL, NULL);
    cr_expect_eq(mapped->n_nodes, g->n_nodes + 2, "the axis is moved at the border only");
}
