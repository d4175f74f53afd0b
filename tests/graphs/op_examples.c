/* op_examples.c: see op_examples.h. What an op needs beside operands stands in attributes_of and in one
 * maker per kind. */
#include "tests/graphs/op_examples.h"
#include "compiler/graph/attributes.h"
#include "tests/graphs/graphs.h"
#include "compiler/graph/foreign_op.h"
#include "compiler/graph/infer/infer.h"
#include "compiler/graph/matrix/matrix_build.h"
#include "compiler/graph/matrix/matrix_call.h"
#include <string.h>

enum { ROWS = 3 };

static void give(OpExamples *s, Ref r)
{
    if (r != REF_NONE && s->n < OP_EXAMPLES) s->outputs[s->n++] = r;
}

static Ref put(OpExamples *s, NodeSpec spec) { return graph_add(s->g, &spec); }

static Ref param(OpExamples *s, DType t, int rank, const int64_t *dim)
{
    return build_param(s->g, (Type){ (uint8_t)t, (uint8_t)rank, dim });
}

typedef enum { PLAIN, BROADCAST, TRANSPOSED, SLICED, REVERSED, FORMS } Form;

/* [ROWS, n] of t, in some form. */
static Ref operand(OpExamples *s, DType t, int64_t n, Form form)
{
    int64_t dim[] = { ROWS, n }, turned[] = { n, ROWS }, larger[] = { ROWS + 2, 2 * n + 1 };
    switch (form) {
    case BROADCAST:  return build_broadcast(s->g, param(s, t, 1, dim + 1), dim, 2, (int64_t[]){ 1 });
    case TRANSPOSED: return build_transpose(s->g, param(s, t, 2, turned), (int64_t[]){ 1, 0 });
    case SLICED:
        return build_slice(s->g, param(s, t, 2, larger), (int64_t[]){ 1, 1 },
                           (int64_t[]){ ROWS + 1, 2 * n + 1 }, (int64_t[]){ 1, 2 });
    case REVERSED: return build_reverse(s->g, param(s, t, 2, dim), (int64_t[]){ 0, 1 }, 2);
    default:       return param(s, t, 2, dim);
    }
}

/* Elements in 64 bytes: a vector of the widest machine. */
static int64_t lanes_of(DType t) { return 64 / (int64_t)dtype_bytes(t); }

static uint32_t sizes_of(DType t, int64_t size[6])
{
    int64_t lanes = lanes_of(t);
    memcpy(size, (int64_t[]){ 0, 1, lanes - 1, lanes, lanes + 1, lanes * 2 + 5 + lanes % 2 },
           6 * sizeof *size);
    return 6;
}

/* Elementwise. */

/* The recipes of these have hundreds of steps; one size and one form will do. */
static bool op_is_long(Op op)
{
    return op == OP_LGAMMA || op == OP_DIGAMMA || op == OP_POLYGAMMA || op == OP_ZETA || op == OP_POW ||
           op == OP_REM || op == OP_BESSEL_I1E;
}

static DType operand_type(Op op, DType t, uint32_t k) { return op == OP_SELECT && k == 0 ? WEFT_BOOL : t; }

typedef struct Attributes {
    int64_t attr[2];
    uint32_t n;
    DType dtype;
} Attributes;

/* Variant v of an op that has several; false when there are no more. */
static bool attributes_of(Op op, DType t, uint32_t v, Attributes *a)
{
    *a = (Attributes){ .n = 0, .dtype = t };
    switch (op) {
    case OP_COMPARE:
        a->n = 2;
        a->attr[0] = v % 6;
        a->attr[1] = dtype_is_float(t) && v >= 6 ? ORDER_TOTAL : compare_order(t);
        return v < (dtype_is_float(t) ? 12 : dtype_is_complex(t) ? 2 : 6);
    case OP_REDUCE_PRECISION:
        a->n = 2;
        memcpy(
            a->attr,
            (int64_t[6][2]){ { 5, 10 }, { 8, 7 }, { 8, 23 }, { 4, 3 }, { 2, 1 }, { 11, 52 } }[v < 6 ? v : 0],
            sizeof a->attr);
        return v < 6;
    case OP_CONVERT: a->dtype = (DType)v; return v < DTYPE_COUNT;
    case OP_BITCAST:
        while (v < DTYPE_COUNT &&
               (dtype_bytes((DType)v) != dtype_bytes(t) || (t == WEFT_BOOL) != (v == WEFT_BOOL)))
            v++;
        a->dtype = (DType)v;
        return v < DTYPE_COUNT;
    default: return v == 0;
    }
}

static Ref apply(OpExamples *s, Op op, const Ref *args, const Attributes *a)
{
    return put(s, (NodeSpec){ .op = op,
                              .args = args,
                              .n_args = (uint32_t)op_info[op].args,
                              .attr = a->attr,
                              .n_attr = a->n,
                              .dtype = a->dtype });
}

static void apply_to_form(OpExamples *s, Op op, int64_t n, Form form, const Attributes *a)
{
    Ref args[3];
    for (uint32_t k = 0; k < (uint32_t)op_info[op].args; k++)
        args[k] = operand(s, operand_type(op, s->t, k), n, (Form)((form + 2 * k) % FORMS));
    give(s, apply(s, op, args, a));
}

/* Rank 0 beside the others where the op allows it. */
static void apply_to_scalars(OpExamples *s, Op op, int64_t n, const Attributes *a)
{
    Ref args[3];
    if (op != OP_SELECT && op != OP_CLAMP) return;
    for (uint32_t k = 0; k < 3; k++) {
        bool scalar = op == OP_SELECT ? k == 0 : k != 1;
        args[k] = scalar ? param(s, operand_type(op, s->t, k), 0, NULL) : operand(s, s->t, n, PLAIN);
    }
    give(s, apply(s, op, args, a));
}

static void make_ew(OpExamples *s, Op op)
{
    int64_t size[6], lanes = lanes_of(s->t);
    uint32_t n_sizes = sizes_of(s->t, size);
    Attributes a;
    attributes_of(op, s->t, 0, &a);
    if (op != OP_BITCAST || (int)a.dtype < DTYPE_COUNT) {
        for (uint32_t i = op_is_long(op) ? n_sizes - 2 : 0; i < n_sizes; i++) {
            Ref args[3];
            for (uint32_t k = 0; k < (uint32_t)op_info[op].args; k++)
                args[k] = param(s, operand_type(op, s->t, k), 1, &size[i]);
            give(s, apply(s, op, args, &a));
        }
        for (Form f = op_is_long(op) ? SLICED : PLAIN; f < (op_is_long(op) ? REVERSED : FORMS); f++)
            apply_to_form(s, op, lanes + 3, f, &a);
        apply_to_scalars(s, op, lanes + 1, &a);
    }
    for (uint32_t v = 1; attributes_of(op, s->t, v, &a); v++)
        apply_to_form(s, op, lanes + 1, (Form)(v % FORMS), &a);
}

/* Moving elements. */

static void make_shape_op(OpExamples *s, Op op, Ref a)
{
    Type t = graph_type(s->g, a);
    int64_t n = t.dim[1], grown[] = { 2, ROWS, n, 2 }, flat[] = { ROWS * n };
    switch (op) {
    case OP_BROADCAST: give(s, build_broadcast(s->g, a, grown, 4, (int64_t[]){ 1, 2 })); return;
    case OP_RESHAPE:   give(s, build_reshape(s->g, a, flat, 1)); return;
    case OP_TRANSPOSE: give(s, build_transpose(s->g, a, (int64_t[]){ 1, 0 })); return;
    case OP_SLICE:
        give(s, build_slice(s->g, a, (int64_t[]){ 1, n / 4 }, (int64_t[]){ ROWS, n }, (int64_t[]){ 1, 3 }));
        return;
    case OP_REVERSE: give(s, build_reverse(s->g, a, (int64_t[]){ 1 }, 1)); return;
    case OP_PAD:     {
        Ref filler = param(s, s->t, 0, NULL);
        give(s, build_pad(s->g, a, filler, (int64_t[]){ 1, 2 }, (int64_t[]){ 0, 1 }, (int64_t[]){ 0, 1 }));
        if (n > 2)
            give(s, build_pad(s->g, a, filler, (int64_t[]){ -1, -2 }, (int64_t[]){ 2, -1 },
                              (int64_t[]){ 1, 0 }));
        return;
    }
    case OP_CONCATENATE: {
        Ref other = operand(s, s->t, n, TRANSPOSED);
        give(s, build_concatenate(s->g, (Ref[]){ a, other, a }, 3, 1));
        give(s, build_concatenate(s->g, (Ref[]){ other, a }, 2, 0));
        return;
    }
    default: return;
    }
}

static void make_shape(OpExamples *s, Op op)
{
    int64_t size[6];
    uint32_t n = sizes_of(s->t, size);
    for (uint32_t i = 0; i < n; i++) make_shape_op(s, op, operand(s, s->t, size[i], PLAIN));
    for (Form f = BROADCAST; f < FORMS; f++) make_shape_op(s, op, operand(s, s->t, lanes_of(s->t) + 1, f));
}

static void make_leaf(OpExamples *s, Op op)
{
    int64_t size[6];
    uint32_t n = sizes_of(s->t, size);
    for (uint32_t i = 0; i < n; i++) {
        int64_t dim[] = { ROWS, size[i] };
        Type t = { (uint8_t)s->t, 2, dim };
        if (op == OP_PARAMETER) give(s, build_param(s->g, t));
        else if (op == OP_CONSTANT) give(s, build_splat(s->g, t, scalar_from_double(s->t, 1)));
        else
            for (int axis = 0; axis < 2; axis++) give(s, build_iota(s->g, t, axis));
    }
}

/* Reductions. */

static const Op monoids[] = { OP_ADD, OP_MUL, OP_MAX, OP_MIN, OP_AND, OP_OR, OP_XOR };

static void reduce_all_ways(OpExamples *s, Op op, Op monoid, Ref a)
{
    for (int axis = 0; axis < 2; axis++) {
        if (op == OP_REDUCE) give(s, build_reduce(s->g, monoid, a, (int64_t[]){ axis }, 1));
        else if (graph_type(s->g, a).dim[axis] > 0)
            give(s, put(s, (NodeSpec){ .op = op,
                                       .args = &a,
                                       .n_args = 1,
                                       .attr = (int64_t[]){ axis },
                                       .n_attr = 1,
                                       .dtype = axis ? WEFT_I32 : WEFT_I64 }));
    }
    if (op == OP_REDUCE) give(s, build_reduce(s->g, monoid, a, (int64_t[]){ 0, 1 }, 2));
}

static void make_region_reduce(OpExamples *s, Ref a)
{
    Graph *g = graph_new(s->g->arena, "reducer");
    Type t = { (uint8_t)s->t, 0, NULL };
    Ref l = build_param(g, t), r = build_param(g, t);
    Ref v = s->t == WEFT_BOOL ? build_binary(g, OP_XOR, build_unary(g, OP_NOT, l), r)
                              : build_binary(g, OP_SUB, build_binary(g, OP_ADD, l, l), r);
    graph_set_outputs(g, &v, 1);
    Ref start = param(s, s->t, 0, NULL);
    for (int axis = 0; axis < 2; axis++)
        give(s, put(s, (NodeSpec){ .op = OP_REDUCE_REGION,
                                   .args = (Ref[]){ a, start },
                                   .n_args = 2,
                                   .attr = (int64_t[]){ axis },
                                   .n_attr = 1,
                                   .region = g }));
}

/* One long row too, for the accumulators; sizes across a kept axis; three axes with the middle one
 * reduced. */
static void make_reduce(OpExamples *s, Op op)
{
    int64_t size[6], lanes = lanes_of(s->t), cube[] = { 2, lanes + 1, ROWS };
    uint32_t n = sizes_of(s->t, size);
    for (uint32_t i = 0; i < n; i++) {
        Ref a = operand(s, s->t, i == n - 1 ? 331 : size[i], PLAIN);
        if (op == OP_REDUCE_REGION) make_region_reduce(s, a);
        else reduce_all_ways(s, op, monoids[i % 4], a);
    }
    for (uint32_t k = 0; op == OP_REDUCE && k < sizeof monoids / sizeof *monoids; k++) {
        if (!infer_takes(monoids[k], s->t)) continue;
        give(s, build_reduce(s->g, monoids[k], param(s, s->t, 3, cube), (int64_t[]){ 1 }, 1));
        reduce_all_ways(s, op, monoids[k], operand(s, s->t, lanes + 1, (Form)(1 + k % 4)));
    }
}

/* Contractions and indexing. */

static void make_dot(OpExamples *s)
{
    int64_t lanes = lanes_of(s->t), free_sizes[] = { 1, lanes - 1, lanes + 1 };
    DType wide = dtype_is_narrow_float(s->t) ? WEFT_F32 : s->t;
    for (int i = 0; i < 3; i++) {
        int64_t k = i == 1 ? 17 : 5, l[] = { ROWS, k }, r[] = { k, free_sizes[i] },
                turned[] = { free_sizes[i], k }, empty[] = { ROWS, 0 }, none[] = { 0, 2 };
        Ref a = param(s, s->t, 2, l), b = param(s, s->t, 2, r), c = param(s, s->t, 2, turned);
        give(s, put(s, (NodeSpec){ .op = OP_DOT,
                                   .args = (Ref[]){ a, b },
                                   .n_args = 2,
                                   .attr = (int64_t[]){ 0, 1, 1, 0 },
                                   .n_attr = 4,
                                   .dtype = s->t }));
        give(s, put(s, (NodeSpec){ .op = OP_DOT,
                                   .args = (Ref[]){ a, c },
                                   .n_args = 2,
                                   .attr = (int64_t[]){ 0, 1, 1, 1 },
                                   .n_attr = 4,
                                   .dtype = wide }));
        if (i) continue;
        Ref x = param(s, s->t, 2, empty), y = param(s, s->t, 2, none);
        give(s, put(s, (NodeSpec){ .op = OP_DOT,
                                   .args = (Ref[]){ x, y },
                                   .n_args = 2,
                                   .attr = (int64_t[]){ 0, 1, 1, 0 },
                                   .n_attr = 4,
                                   .dtype = s->t }));
    }
    int64_t l[] = { 2, 5, 3, 4 }, r[] = { 3, 4, 2, lanes + 1 };
    Ref a = param(s, s->t, 4, l), b = param(s, s->t, 4, r);
    give(s, put(s, (NodeSpec){ .op = OP_DOT,
                               .args = (Ref[]){ a, b },
                               .n_args = 2,
                               .attr = (int64_t[]){ 1, 2, 0, 2, 2, 3, 0, 1 },
                               .n_attr = 8,
                               .dtype = s->t }));
}

static Ref convolve(OpExamples *s, const ConvDims *d, int rank, const int64_t *x, const int64_t *w, DType t)
{
    Ref a = param(s, s->t, rank, x), b = param(s, s->t, rank, w);
    return build_conv(s->g, d, a, b, t);
}

/* [b, 0, 1, f] by [0, 1, i, o]; then in groups, by other axes; a batch group; no spatial axis; empty ones. */
static void make_convolution(OpExamples *s)
{
    int64_t lanes = lanes_of(s->t);
    DType wide = dtype_is_narrow_float(s->t) ? WEFT_F32 : s->t;
    ConvDims d = { 2,        1,        1,        { 0, 3, 1, 2 }, { 2, 3, 0, 1 }, { 0, 3, 1, 2 },
                   { 1, 1 }, { 1, 1 }, { 1, 1 }, { 1, 1 },       { 1, 1 },       { 0, 0 } };
    int64_t x[] = { 2, 5, 7, 3 }, none[] = { 2, 0, 7, 3 };
    for (int i = 0; i < 3; i++) {
        int64_t w[] = { 3, 3, 3, (int64_t[]){ 1, lanes - 1, lanes + 1 }[i] };
        give(s, convolve(s, &d, 4, x, w, i ? s->t : wide));
        d.stride[i & 1] = 2;
        d.low[1] = -i;
        d.base_dilation[0] = 1 + i;
        d.reverse[1] = 1;
    }
    give(s, convolve(s, &d, 4, none, (int64_t[]){ 3, 3, 3, 2 }, s->t));
    ConvDims deep = { 2,        lanes + 1, 1,        { 0, 3, 1, 2 }, { 2, 3, 0, 1 }, { 0, 3, 1, 2 },
                      { 1, 2 }, { 1, 1 },  { 1, 1 }, { 1, 1 },       { 1, 1 },       { 0, 0 } };
    int64_t deep_x[] = { 1, 5, 7, lanes + 1 }, deep_w[] = { 3, 3, 1, lanes + 1 };
    give(s, convolve(s, &deep, 4, deep_x, deep_w, s->t));
    ConvDims flat = {
        1, 2, 1, { 0, 1, 2 }, { 1, 0, 2 }, { 0, 1, 2 }, { 1 }, { 2 }, { 3 }, { 2 }, { 3 }, { 1 }
    };
    int64_t flat_x[] = { 3, 4, lanes + 3 }, flat_w[] = { 6, 2, 3 };
    give(s, convolve(s, &flat, 3, flat_x, flat_w, s->t));
    ConvDims batch = { 1,     1,     2,     { 2, 0, 1 }, { 0, 2, 1 }, { 1, 2, 0 },
                       { 3 }, { 1 }, { 0 }, { 1 },       { 1 },       { 0 } };
    int64_t batch_x[] = { 3, lanes, 4 }, batch_w[] = { 3, 5, 6 };
    give(s, convolve(s, &batch, 3, batch_x, batch_w, s->t));
    ConvDims plain = { 0, 1, 1, { 0, 1 }, { 0, 1 }, { 1, 0 }, { 0 }, { 0 }, { 0 }, { 0 }, { 0 }, { 0 } };
    give(s, convolve(s, &plain, 2, (int64_t[]){ 3, 5 }, (int64_t[]){ 5, lanes + 1 }, s->t));
}

static void make_gather(OpExamples *s)
{
    static const DType index_types[] = { WEFT_I32, WEFT_I64, WEFT_U8, WEFT_U64 };
    int64_t size[6];
    uint32_t n = sizes_of(s->t, size);
    for (uint32_t i = 0; i < n; i++) {
        int64_t dim[] = { size[i] + 2, ROWS }, positions[] = { size[i], 1 }, pairs[] = { 5, 2 };
        Ref a = param(s, s->t, 2, dim), rows = param(s, index_types[i % 4], 2, positions),
            at = param(s, index_types[(i + 1) % 4], 2, pairs);
        give(s, put(s, (NodeSpec){ .op = OP_GATHER,
                                   .args = (Ref[]){ a, rows },
                                   .n_args = 2,
                                   .attr = (int64_t[]){ 1, 1, 0, 1, 1, 1, 0, 0, 1, ROWS },
                                   .n_attr = 10 }));
        give(s, put(s, (NodeSpec){ .op = OP_GATHER,
                                   .args = (Ref[]){ a, at },
                                   .n_args = 2,
                                   .attr = (int64_t[]){ 1, 1, 0, 2, 1, 1, 1, 1, 0, 1, 1 },
                                   .n_attr = 11 }));
    }
    int64_t dim[] = { ROWS, 9 }, positions[] = { ROWS, 4, 1 };
    Ref a = param(s, s->t, 2, dim), along = param(s, WEFT_I32, 3, positions);
    give(s, put(s, (NodeSpec){ .op = OP_GATHER,
                               .args = (Ref[]){ a, along },
                               .n_args = 2,
                               .attr = (int64_t[]){ 0, 1, 1, 1, 2, 1, 0, 0, 1, 1, 1 },
                               .n_attr = 11 }));
}

static Graph *region_of(OpExamples *s, uint32_t n, Ref *params)
{
    Graph *g = graph_new(s->g->arena, "region");
    for (uint32_t i = 0; i < n; i++) params[i] = build_param(g, (Type){ (uint8_t)s->t, 0, NULL });
    return g;
}

/* A region of two scalars: their sum, or the second. */
static const Graph *sum_region(OpExamples *s, bool second)
{
    Ref p[2];
    Graph *g = region_of(s, 2, p);
    Ref r = second ? p[1] : build_binary(g, OP_ADD, p[0], p[1]);
    graph_set_outputs(g, &r, 1);
    return g;
}

/* Rows of all sizes at positions that collide and that are out of range; then single elements, an example at
 * a time. */
static void make_scatter(OpExamples *s)
{
    static const DType index_types[] = { WEFT_I32, WEFT_I64, WEFT_I8, WEFT_U16 };
    int64_t size[6];
    uint32_t n = sizes_of(s->t, size);
    for (uint32_t i = 0; i < n; i++) {
        int64_t positions[] = { 7, 1 }, update[] = { 7, size[i] };
        Ref args[] = { operand(s, s->t, size[i], (Form)(i % FORMS)),
                       param(s, index_types[i % 4], 2, positions), param(s, s->t, 2, update) };
        for (int second = 0; second < 2; second++)
            give(s, put(s, (NodeSpec){ .op = OP_SCATTER,
                                       .args = args,
                                       .n_args = 3,
                                       .attr = (int64_t[]){ 1, 1, 0, 1, 1, 0, 0, 1, 0, 0 },
                                       .n_attr = 10,
                                       .region = sum_region(s, second) }));
    }
    int64_t dim[] = { ROWS, 9 }, positions[] = { ROWS, 4, 1 }, update[] = { ROWS, 4 };
    Ref args[] = { param(s, s->t, 2, dim), param(s, WEFT_I32, 3, positions), param(s, s->t, 2, update) };
    give(s, put(s, (NodeSpec){ .op = OP_SCATTER,
                               .args = args,
                               .n_args = 3,
                               .attr = (int64_t[]){ 0, 1, 1, 1, 2, 0, 0, 1, 0, 0, 1 },
                               .n_attr = 11,
                               .region = sum_region(s, false) }));
}

static void make_dynamic(OpExamples *s, Op op)
{
    static const DType index_types[] = { WEFT_I32, WEFT_I64, WEFT_I8, WEFT_U32 };
    int64_t size[6];
    uint32_t n = sizes_of(s->t, size);
    for (uint32_t i = 0; i < n; i++) {
        DType t = index_types[i % 4];
        Ref a = operand(s, s->t, size[i], (Form)(i % FORMS)),
            starts[] = { param(s, t, 0, NULL), param(s, t, 0, NULL) };
        int64_t part[] = { 2, size[i] - size[i] / 3 };
        if (op == OP_DYNAMIC_SLICE) give(s, build_dynamic_slice(s->g, a, starts, part));
        else give(s, build_dynamic_update_slice(s->g, a, param(s, s->t, 2, part), starts));
    }
}

/* Along axes. */

static void make_cumulative(OpExamples *s)
{
    static const Op prefixes[] = { OP_ADD, OP_MUL, OP_MAX, OP_MIN };
    int64_t size[6];
    uint32_t n = sizes_of(s->t, size);
    for (uint32_t i = 0; i < n; i++)
        for (int k = 0; k < 4; k++)
            give(s, build_cumulative(
                        s->g, prefixes[k],
                        operand(s, s->t, i == n - 1 ? 101 : size[i], (Form)((i + (uint32_t)k) % FORMS)),
                        k != 2, (i + (uint32_t)k) % 3 == 0));
    give(s, build_cumulative(s->g, OP_ADD, param(s, s->t, 3, (int64_t[]){ 2, 17, ROWS }), 1, true));
}

/* Lengths of one stage, of two, with an odd one and by a chirp; over the last axis or over both. */
static void make_fft(OpExamples *s)
{
    static const int64_t length[] = { 1, 7, 19, 18, 32 };
    bool complex = dtype_is_complex(s->t);
    for (uint32_t i = 0; i < sizeof length / sizeof *length && (complex || dtype_bytes(s->t) >= 4); i++) {
        int axes = 1 + (int)(i % 2);
        int64_t n[] = { ROWS, length[i] };
        Ref a = operand(s, s->t, n[1], (Form)(i % FORMS));
        FftKind kind = !complex ? FFT_OF_REAL : i < 3 ? FFT_FORWARD : FFT_BACK;
        give(s, build_fft(s->g, kind, a, n + 2 - axes, axes));
        n[1] = 2 * (length[i] - 1) + i % 2; /* numbers that length[i] are the half of */
        if (complex && n[1]) give(s, build_fft(s->g, FFT_TO_REAL, a, n + 2 - axes, axes));
    }
}

/* Keys up and down, with something that goes along, along both axes. */
static void make_sort(OpExamples *s)
{
    int64_t size[6];
    uint32_t n = sizes_of(s->t, size);
    for (uint32_t i = 0; i < n; i++) {
        Graph *g = graph_new(s->g->arena, "before");
        Ref p[4], out[2];
        for (int k = 0; k < 4; k++)
            p[k] = build_param(g, (Type){ k < 2 ? (uint8_t)s->t : WEFT_I32, 0, NULL });
        Ref before = build_order(g, i % 2 ? CMP_GT : CMP_LT, p[0], p[1]);
        graph_set_outputs(g, &before, 1);
        Ref x = operand(s, s->t, size[i], (Form)(i % FORMS)), along = operand(s, WEFT_I32, size[i], PLAIN);
        for (int axis = 0; axis < 2; axis++) {
            build_sort(s->g, (Ref[]){ x, along }, 2, axis, true, g, out);
            give(s, out[0]);
            give(s, out[1]);
        }
    }
}

static void make_windows(OpExamples *s, Op op)
{
    int64_t size[6];
    uint32_t n = sizes_of(s->t, size);
    Ref start = param(s, s->t, 0, NULL), p[2];
    Graph *select = region_of(s, 2, p);
    Ref greater = build_order(select, CMP_GE, p[0], p[1]);
    graph_set_outputs(select, &greater, 1);
    for (uint32_t i = 0; i < n; i++) {
        Ref a = operand(s, s->t, size[i], (Form)(i % FORMS));
        if (op == OP_REDUCE_WINDOW) {
            const int64_t across[] = { 2, 3, 1, 2, 1, 1, 1, 1, 1, 1, 0, 1 },
                          holes[] = { 2, 2, 2, 1, 2, 1, 1, 2, 0, 2, 1, 2 };
            for (int k = 0; k < 2; k++)
                give(s, put(s, (NodeSpec){ .op = op,
                                           .args = (Ref[]){ a, start },
                                           .n_args = 2,
                                           .attr = k ? holes : across,
                                           .n_attr = 12,
                                           .region = sum_region(s, false) }));
            continue;
        }
        const int64_t attr[] = { 2, 3, 2, 2, 0, 1, 1, 1 };
        int64_t places[] = { window_count(window_dims(op, attr, 2), 0, ROWS),
                             window_count(window_dims(op, attr, 2), 1, size[i]) };
        const Graph *regions[] = { select, sum_region(s, false) };
        Ref args[] = { a, param(s, s->t, 2, places), start };
        give(s, put(s, (NodeSpec){ .op = op,
                                   .args = args,
                                   .n_args = 3,
                                   .attr = attr,
                                   .n_attr = 8,
                                   .regions = regions,
                                   .n_regions = 2 }));
    }
}

/* Control flow: regions over [ROWS, n] that add, or take the greater. */

static Graph *array_region(OpExamples *s, int64_t n, uint32_t count, Ref *params)
{
    Graph *g = graph_new(s->g->arena, "region");
    for (uint32_t i = 0; i < count; i++)
        params[i] = build_param(g, (Type){ (uint8_t)s->t, 2, (int64_t[]){ ROWS, n } });
    return g;
}

static void make_scan(OpExamples *s, int64_t n)
{
    Ref p[3], out[2];
    Graph *g = graph_new(s->g->arena, "step");
    for (int i = 0; i < 3; i++) p[i] = build_param(g, (Type){ (uint8_t)s->t, 1, &n });
    Ref next = build_binary(g, OP_ADD, build_binary(g, OP_MAX, p[0], p[1]), p[2]);
    graph_set_outputs(g, (Ref[]){ next, build_binary(g, OP_MIN, p[1], p[2]) }, 2);
    Ref args[] = { param(s, s->t, 1, &n), param(s, s->t, 1, &n), operand(s, s->t, n, (Form)(n % FORMS)) };
    build_scan(s->g, (ScanShape){ ROWS, n % 2, 1, 1, 1, 1, 0 }, g, args, out);
    give(s, out[0]);
    give(s, out[1]);
}

/* x = max(x, y) + y, a number of times that is data, but at most 4. */
static void make_while(OpExamples *s, int64_t n)
{
    Type count = { WEFT_I32, 0, NULL };
    Ref p[2], q[2], out[2];
    Graph *cond = array_region(s, n, 1, p), *body = array_region(s, n, 1, q);
    Ref limit = build_param(cond, count), i = build_param(cond, count);
    p[1] = build_param(cond, graph_type(cond, p[0]));
    Ref less = build_compare(cond, CMP_LT, i, limit);
    graph_set_outputs(cond, &less, 1);
    build_param(body, count);
    i = build_param(body, count);
    q[1] = build_param(body, graph_type(body, q[0]));
    Ref next = build_binary(body, OP_ADD, build_binary(body, OP_MAX, q[1], q[0]), q[0]);
    graph_set_outputs(body, (Ref[]){ build_binary(body, OP_ADD, i, build_number(body, WEFT_I32, 1)), next },
                      2);
    Ref four = build_number(s->g, WEFT_I32, 4),
        steps = build_binary(s->g, OP_MIN, build_param(s->g, count), four);
    Ref args[] = { operand(s, s->t, n, (Form)(n % FORMS)), steps, build_number(s->g, WEFT_I32, 0),
                   operand(s, s->t, n, PLAIN) };
    build_while(s->g, cond, body, args, 2, 2, out);
    give(s, out[1]);
}

static void make_case(OpExamples *s, int64_t n)
{
    Ref p[2], out;
    const Graph *branches[3];
    for (int k = 0; k < 3; k++) {
        Graph *g = array_region(s, n, 2, p);
        Ref r = k == 0 ? p[1] : build_binary(g, k == 1 ? OP_ADD : OP_MAX, p[0], p[1]);
        graph_set_outputs(g, &r, 1);
        branches[k] = g;
    }
    Ref args[] = { operand(s, s->t, n, (Form)(n % FORMS)), operand(s, s->t, n, PLAIN) };
    build_case(s->g, param(s, WEFT_I32, 0, NULL), branches, 3, args, 2, &out);
    give(s, out);
}

static void make_map(OpExamples *s, int64_t n)
{
    Ref p[2], out[2];
    Graph *g = region_of(s, 2, p);
    graph_set_outputs(g,
                      (Ref[]){ build_binary(g, OP_MIN, build_binary(g, OP_ADD, p[0], p[1]), p[0]),
                               build_order(g, CMP_LT, p[0], p[1]) },
                      2);
    Ref args[] = { operand(s, s->t, n, (Form)(n % FORMS)), operand(s, s->t, n, PLAIN) };
    build_map(s->g, args, 2, graph_type(s->g, args[0]), g, out);
    give(s, out[0]);
    give(s, out[1]);
}

/* x + w, or of rules: with parameters of these types in front, what is asked for of x, w and their tangents
 * or of a cotangent. */
typedef enum { VALUE = 1, TANGENT = 2, RESIDUAL = 4, COTANGENTS = 8 } Gives;

static const Graph *rule_region(OpExamples *s, const Type *types, uint32_t n, unsigned gives)
{
    Graph *g = graph_new(s->g->arena, NULL);
    Ref p[4], out[4];
    uint32_t n_out = 0;
    for (uint32_t i = 0; i < n; i++) p[i] = build_param(g, types[i]);
    if (gives & VALUE) out[n_out++] = build_binary(g, OP_ADD, p[0], p[1]);
    if (gives & TANGENT) out[n_out++] = build_binary(g, OP_ADD, p[2], p[3]);
    if (gives & RESIDUAL) out[n_out++] = p[0];
    if (gives & COTANGENTS) out[n_out] = out[n_out + 1] = p[1], n_out += 2;
    graph_set_outputs(g, out, n_out);
    return g;
}

/* One operand as it is, one in each form. BACKWARD has no value. */
static void make_ruled(OpExamples *s, Op op, int64_t n)
{
    bool smooth = dtype_is_inexact(s->t);
    for (int form = 0; form < FORMS && op != OP_BACKWARD; form++) {
        Ref args[] = { operand(s, s->t, n, PLAIN), operand(s, s->t, n, (Form)form) }, out;
        Type t = graph_type(s->g, args[0]), types[] = { t, t, t, t };
        const Graph *regions[3] = { rule_region(s, types, 2, VALUE) };
        uint32_t n_regions = op == OP_CUSTOM_JVP ? 2 : op == OP_CUSTOM_VJP ? 3 : 1;
        if (op == OP_CUSTOM_JVP)
            regions[1] = rule_region(s, types, smooth ? 4 : 2, smooth ? VALUE | TANGENT : VALUE);
        if (op == OP_CUSTOM_VJP) regions[1] = rule_region(s, types, 2, VALUE | RESIDUAL);
        if (op == OP_CUSTOM_VJP) regions[2] = rule_region(s, types, smooth ? 2 : 1, smooth ? COTANGENTS : 0);
        build_ruled(s->g, op, 0, regions, n_regions, args, 2, &out);
        give(s, out);
    }
}

static void make_control(OpExamples *s, Op op)
{
    int64_t size[6];
    uint32_t n = sizes_of(s->t, size);
    for (uint32_t i = 0; i < n; i++) {
        switch (op) {
        case OP_SCAN:  make_scan(s, size[i]); break;
        case OP_WHILE: make_while(s, size[i]); break;
        case OP_CASE:  make_case(s, size[i]); break;
        case OP_MAP:   make_map(s, size[i]); break;
        default:       make_ruled(s, op, size[i]); break;
        }
    }
}

static void make_index(OpExamples *s, Op op)
{
    if (op == OP_GATHER) make_gather(s);
    else if (op == OP_SCATTER) make_scatter(s);
    else make_dynamic(s, op);
}

static void make_along(OpExamples *s, Op op)
{
    if (op == OP_CUMULATIVE) make_cumulative(s);
    else if (op == OP_SORT) make_sort(s);
    else if (op == OP_FFT) make_fft(s);
    else make_windows(s, op);
}

/* Elements backwards; numbers: how many, how wide. */
static void call_backwards(const ForeignOp *op, const int64_t *numbers, const void *const *in,
                           void *const *out)
{
    (void)op;
    for (int64_t i = 0; i < numbers[0]; i++)
        memcpy((char *)out[0] + (numbers[0] - 1 - i) * numbers[1], (const char *)in[0] + i * numbers[1],
               (size_t)numbers[1]);
}
static const ForeignOp backwards = { "backwards", call_backwards, true, false, NULL };

static void make_other(OpExamples *s, Op op)
{
    int64_t size[6];
    uint32_t n = sizes_of(s->t, size);
    for (uint32_t i = 0; i < n; i++)
        for (int form = 0; form < FORMS; form++) {
            Ref x = operand(s, s->t, size[i], (Form)form), y = operand(s, s->t, size[i], PLAIN),
                out[2] = { REF_NONE, REF_NONE };
            Type t = graph_type(s->g, x);
            int64_t numbers[] = { type_count(t), (int64_t)dtype_bytes(s->t) };
            Ref sum = build_binary(s->g, OP_ADD, x, y);
            if (op == OP_BARRIER) build_barrier(s->g, (Ref[]){ x, sum }, 2, out);
            if (op == OP_FOREIGN)
                build_foreign(s->g, &backwards, form, numbers, 2, (Ref[]){ form % 2 ? sum : x }, 1, &t, 1,
                              out);
            if (op == OP_BARRIER) out[1] = build_binary(s->g, OP_ADD, out[1], y);
            give(s, out[0]);
            give(s, out[1]);
        }
}

/* Matrices that have no factor among some that have one, of sizes on both sides of MATRIX_LANES. */

static Ref dominant(OpExamples *s, Ref a)
{
    Type t = graph_type(s->g, a);
    Ref size = build_convert(s->g, build_unary(s->g, OP_ABS, a), s->t);
    Ref large = build_binary(s->g, OP_ADD, size, build_splat(s->g, t, scalar_from_double(s->t, 1000)));
    return build_select(s->g, matrix_mask(s->g, t, CMP_EQ, 0), large, a);
}

/* op: of the others, if a has the shape for it */
static void make_factors(OpExamples *s, Op op, Ref a, int64_t flag)
{
    Type t = graph_type(s->g, a);
    int64_t rows = t.dim[1], columns = t.dim[2], attr[] = { flag, 1 }, tau[] = { t.dim[0], columns };
    Ref out[3], args[] = { a, REF_NONE };
    bool square = op == OP_EIGH || op == OP_EIG || op == OP_SCHUR || op == OP_GEHRD;
    if ((square && rows != columns) || (op == OP_HOUSEHOLDER_PRODUCT && rows < columns)) return;
    if (op == OP_HOUSEHOLDER_PRODUCT) args[1] = param(s, s->t, 2, tau);
    build_matrix(s->g, op, args, attr, matrix_attributes(op), out);
    for (int i = 0; i < matrix_results(op, attr); i++) give(s, out[i]);
}

static void make_matrix(OpExamples *s, Op op)
{
    int64_t lanes = lanes_of(s->t), size[] = { 0, 1, 3, 8, 33 }, count[] = { 1, ROWS, lanes, lanes + 3, 2 };
    for (int i = 0; i < 5; i++) {
        int64_t n = size[i], square[] = { count[i], n, n }, tall[] = { count[i], n, 5 },
                wide[] = { count[i], 2, n };
        Ref a = param(s, s->t, 3, square), good = dominant(s, param(s, s->t, 3, square)),
            b = param(s, s->t, 3, tall), c = param(s, s->t, 3, wide);
        for (int64_t k = 0; k < 2; k++) {
            if (op == OP_CHOLESKY) {
                give(s, build_node(s->g, op, (Ref[]){ k ? a : good }, 1, &k, 1));
                give(s, build_node(s->g, op, (Ref[]){ good }, 1, (int64_t[]){ !k }, 1));
                continue;
            }
            if (op != OP_TRIANGULAR_SOLVE) {
                make_factors(s, op, k ? a : b, k);
                make_factors(s, op, k ? c : good, k);
                continue;
            }
            give(s, matrix_solve(s->g, k ? a : good, b, (MatrixSolve){ .left = true, .lower = k }));
            give(s, matrix_solve(s->g, good, b, (MatrixSolve){ true, !k, k, 1 }));
            give(s, matrix_solve(s->g, good, c, (MatrixSolve){ .lower = k, .unit = k }));
            give(s, matrix_solve(s->g, a, c, (MatrixSolve){ .lower = k, .unit = !k, .transpose = 2 }));
        }
    }
}

void op_examples(OpExamples *s, Op op)
{
    switch (op_kind(op)) {
    case OPKIND_LEAF:    make_leaf(s, op); break;
    case OPKIND_EW:      make_ew(s, op); break;
    case OPKIND_SHAPE:   make_shape(s, op); break;
    case OPKIND_REDUCE:  make_reduce(s, op); break;
    case OPKIND_DOT:     op == OP_DOT ? make_dot(s) : make_convolution(s); break;
    case OPKIND_INDEX:   make_index(s, op); break;
    case OPKIND_ALONG:   make_along(s, op); break;
    case OPKIND_MATRIX:  make_matrix(s, op); break;
    case OPKIND_CONTROL: make_control(s, op); break;
    case OPKIND_OTHER:   make_other(s, op); break;
    }
    graph_set_outputs(s->g, s->outputs, s->n);
}
