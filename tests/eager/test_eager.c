/* test_eager.c: eager mode against tables from NumPy, JAX and exact arithmetic (data/eager.bin, made by
 * data/make_eager_data.py), and against second implementations of what eager.h promises. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "tests/support/heap.h"
#include "compiler/graph/infer/infer.h"
#include "compiler/scalar/recipe.h"
#include "runtime/eager/eager.h"

/* The table. */

typedef struct Array {
    Type type;
    int64_t dim[8];
    const char *data;
} Array;
typedef struct Table {
    char *bytes;
    Array *arrays;
    uint32_t n_arrays;
    const char *cases;
    uint32_t n_cases;
} Table;

static uint32_t read_u32(const char **p)
{
    uint32_t v;
    memcpy(&v, *p, 4);
    *p += 4;
    return v;
}
static uint16_t read_u16(const char **p)
{
    uint16_t v;
    memcpy(&v, *p, 2);
    *p += 2;
    return v;
}
static uint8_t read_u8(const char **p) { return (uint8_t)*(*p)++; }

/* Elements are copied out so that they are aligned. */
static Table read_table(void)
{
    Table t = { 0 };
    FILE *file = fopen(WEFT_SOURCE_DIR "/tests/data/eager.bin", "rb");
    cr_assert(file, "tests/data/eager.bin");
    fseek(file, 0, SEEK_END);
    size_t n = (size_t)ftell(file);
    rewind(file);
    t.bytes = malloc(n);
    cr_assert(fread(t.bytes, 1, n, file) == n);
    fclose(file);
    const char *p = t.bytes;
    t.n_arrays = read_u32(&p);
    t.arrays = calloc(t.n_arrays, sizeof *t.arrays);
    for (uint32_t i = 0; i < t.n_arrays; i++) {
        Array *a = &t.arrays[i];
        a->type.dtype = read_u8(&p);
        a->type.rank = read_u8(&p);
        read_u16(&p);
        for (int k = 0; k < a->type.rank; k++) a->dim[k] = read_u32(&p);
        a->type.dim = a->dim;
        size_t bytes = (size_t)type_count(a->type) * dtype_bytes((DType)a->type.dtype);
        char *copy = malloc(bytes + 1);
        memcpy(copy, p, bytes);
        a->data = copy;
        p += bytes;
    }
    t.n_cases = read_u32(&p);
    t.cases = p;
    return t;
}

static void free_table(Table *t)
{
    for (uint32_t i = 0; i < t->n_arrays; i++) free((void *)t->arrays[i].data);
    free(t->arrays);
    free(t->bytes);
}

static Op op_named(const char *name)
{
    for (int i = 0; i < OP_COUNT; i++)
        if (!strcmp(op_info[i].name, name)) return (Op)i;
    cr_assert(false, "no op %s", name);
    return OP_COUNT;
}

/* Equal bits, or both NaN. */
static bool same_element(DType t, const void *a, const void *b)
{
    if (!memcmp(a, b, dtype_bytes(t))) return true;
    if (!dtype_is_float(t)) return false;
    double x = scalar_to_double(t, scalar_load(t, a)), y = scalar_to_double(t, scalar_load(t, b));
    return x != x && y != y;
}

static int64_t first_difference(Type t, const void *a, const void *b)
{
    int64_t n = type_count(t);
    size_t bytes = dtype_bytes((DType)t.dtype);
    for (int64_t i = 0; i < n; i++)
        if (!same_element((DType)t.dtype, (const char *)a + (size_t)i * bytes,
                          (const char *)b + (size_t)i * bytes))
            return i;
    return -1;
}

typedef struct Case {
    char name[32];
    Op op;
    uint32_t n_args;
    const Array *args[8], *out;
    int64_t attr[40];
    uint32_t n_attr;
} Case;

static Case read_case(const Table *t, const char **p)
{
    static const Op monoids[] = { OP_ADD, OP_MUL, OP_MAX, OP_MIN, OP_AND, OP_OR, OP_XOR };
    Case c = { .n_args = 0 };
    uint32_t length = read_u8(p);
    memcpy(c.name, *p, length);
    *p += length;
    c.op = op_named(c.name);
    c.n_args = read_u8(p);
    for (uint32_t k = 0; k < c.n_args; k++) c.args[k] = &t->arrays[read_u16(p)];
    c.out = &t->arrays[read_u16(p)];
    c.n_attr = read_u8(p);
    for (uint32_t k = 0; k < c.n_attr; k++) c.attr[k] = (int32_t)read_u32(p);
    if (c.op == OP_REDUCE) c.attr[0] = monoids[c.attr[0]];
    return c;
}

static char *case_text(char *buf, size_t size, const Case *c)
{
    size_t at = (size_t)snprintf(buf, size, "%s(", c->name);
    char text[64];
    for (uint32_t k = 0; k < c->n_args; k++)
        at += (size_t)snprintf(buf + at, size - at, "%s%s", k ? ", " : "",
                               type_text(text, sizeof text, c->args[k]->type));
    at += (size_t)snprintf(buf + at, size - at, ") attributes");
    for (uint32_t k = 0; k < c->n_attr; k++)
        at += (size_t)snprintf(buf + at, size - at, " %lld", (long long)c->attr[k]);
    return buf;
}

static void check_case(const Case *c, const Allocator *allocator)
{
    char text[512], saw[64];
    Type types[8];
    const void *args[8];
    for (uint32_t k = 0; k < c->n_args; k++) {
        types[k] = c->args[k]->type;
        args[k] = c->args[k]->data;
    }
    NodeSpec spec = { .op = c->op,
                      .n_args = c->n_args,
                      .attr = c->attr,
                      .n_attr = c->n_attr,
                      .dtype = (DType)c->out->type.dtype,
                      .dim = c->out->type.dim,
                      .rank = c->out->type.rank };
    Inferred inferred;
    Failure f = { .code = WEFT_OK };
    cr_assert(infer(&spec, types, &inferred, &f), "%s: %s", case_text(text, sizeof text, c), f.text);
    Type out = inferred.type[0];
    cr_assert(out.dtype == c->out->type.dtype && out.rank == c->out->type.rank &&
                  (!out.rank || !memcmp(out.dim, c->out->dim, out.rank * sizeof *out.dim)),
              "%s: type %s", case_text(text, sizeof text, c), type_text(saw, sizeof saw, out));
    size_t bytes = (size_t)type_count(out) * dtype_bytes((DType)out.dtype);
    void *result = malloc(bytes + 1);
    memset(result, 0xa5, bytes + 1);
    cr_assert(eager_op(&spec, types, args, &out, &result, allocator, &f), "%s: %s",
              case_text(text, sizeof text, c), f.text);
    int64_t at = first_difference(out, result, c->out->data);
    if (at >= 0) {
        size_t size = dtype_bytes((DType)out.dtype);
        cr_expect(false, "%s -> %s: element %lld is %llx, not %llx", case_text(text, sizeof text, c),
                  type_text(saw, sizeof saw, out), (long long)at,
                  (unsigned long long)scalar_load((DType)out.dtype, (char *)result + (size_t)at * size),
                  (unsigned long long)scalar_load((DType)out.dtype, c->out->data + (size_t)at * size));
    }
    cr_expect(((unsigned char *)result)[bytes] == 0xa5, "%s: wrote past the end",
              case_text(text, sizeof text, c));
    free(result);
}

Test(eager, table)
{
    Counter counter = { 0 };
    Allocator allocator = { counter_resize, &counter };
    Table t = read_table();
    const char *p = t.cases;
    for (uint32_t i = 0; i < t.n_cases; i++) {
        Case c = read_case(&t, &p);
        check_case(&c, &allocator);
    }
    cr_expect(t.n_cases > 1500);
    cr_expect(counter.live == 0);
    free_table(&t);
}

/* The order of reductions. */

static uint32_t random_state = 1;
static uint32_t random_bits(void)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 17;
    return random_state ^= random_state << 5;
}
static float random_float(void)
{
    return ((float)random_bits() / 4294967296.0f - 0.5f) * powf(10, (float)(random_bits() % 6));
}

/* One op without attributes of its own making: all is given. */
static void run_op(NodeSpec spec, const Type *types, const void *const *args, Type out, void *result)
{
    Counter counter = { 0 };
    Allocator allocator = { counter_resize, &counter };
    Failure f = { .code = WEFT_OK };
    cr_assert(eager_op(&spec, types, args, &out, &result, &allocator, &f), "%s", f.text);
    cr_assert(counter.live == 0);
}

/* As eager.h says it, on f32 values held in doubles (the double sum of two floats rounded to float is the
 * float sum). */
static float sum_of_64(const float *x, int64_t n, int64_t stride)
{
    float acc[64] = { 0 };
    for (int64_t i = 0; i < n; i++) acc[i % 64] = (float)((double)acc[i % 64] + x[i * stride]);
    for (int half = 32; half >= 1; half /= 2)
        for (int l = 0; l < half; l++) acc[l] = (float)((double)acc[l] + acc[l + half]);
    return acc[0];
}

Test(eager, sums_of_last_axes_use_64_accumulators)
{
    static const int64_t lengths[] = { 0, 1, 2, 63, 64, 65, 127, 128, 511, 512, 513, 1000, 5003 };
    for (size_t k = 0; k < sizeof lengths / sizeof *lengths; k++) {
        int64_t dim[2] = { 3, lengths[k] }, n = 3 * lengths[k];
        float *x = malloc((size_t)n * sizeof *x + 1), out[3];
        for (int64_t i = 0; i < n; i++) x[i] = random_float();
        const void *args[] = { x };
        int64_t attr[] = { OP_ADD, 1 };
        run_op((NodeSpec){ .op = OP_REDUCE, .n_args = 1, .attr = attr, .n_attr = 2 },
               &(Type){ WEFT_F32, 2, dim }, args, (Type){ WEFT_F32, 1, dim }, out);
        for (int i = 0; i < 3; i++) {
            float expected = sum_of_64(x + i * lengths[k], lengths[k], 1);
            cr_expect(same_element(WEFT_F32, &out[i], &expected), "%lld elements: %.9g, not %.9g",
                      (long long)lengths[k], (double)out[i], (double)expected);
        }
        free(x);
    }
}

Test(eager, sums_of_several_last_axes_are_one_block)
{
    enum { N = 2 * 7 * 5 * 11 };
    int64_t dim[4] = { 2, 7, 5, 11 };
    float x[N], out[2];
    for (int i = 0; i < N; i++) x[i] = random_float();
    const void *args[] = { x };
    int64_t attr[] = { OP_ADD, 1, 2, 3 };
    run_op((NodeSpec){ .op = OP_REDUCE, .n_args = 1, .attr = attr, .n_attr = 4 }, &(Type){ WEFT_F32, 4, dim },
           args, (Type){ WEFT_F32, 1, dim }, out);
    for (int i = 0; i < 2; i++) cr_expect(out[i] == sum_of_64(x + i * 385, 385, 1));
}

Test(eager, sums_across_kept_axes_are_in_order)
{
    enum { A = 5, B = 4, C = 17, D = 3 };
    int64_t dim[4] = { A, B, C, D };
    static float x[A * B * C * D];
    for (int i = 0; i < A * B * C * D; i++) x[i] = random_float();
    const void *args[] = { x };
    float out[B * D];
    int64_t attr[] = { OP_ADD, 0, 2 }, out_dim[] = { B, D };
    run_op((NodeSpec){ .op = OP_REDUCE, .n_args = 1, .attr = attr, .n_attr = 3 }, &(Type){ WEFT_F32, 4, dim },
           args, (Type){ WEFT_F32, 2, out_dim }, out);
    for (int b = 0; b < B; b++)
        for (int d = 0; d < D; d++) {
            volatile float acc = 0;
            for (int a = 0; a < A; a++)
                for (int c = 0; c < C; c++) acc = acc + x[((a * B + b) * C + c) * D + d];
            cr_expect(out[b * D + d] == acc);
        }
    float last[A * B * D];
    int64_t over_c[] = { OP_MUL, 2 }, last_dim[] = { A, B, D };
    run_op((NodeSpec){ .op = OP_REDUCE, .n_args = 1, .attr = over_c, .n_attr = 2 },
           &(Type){ WEFT_F32, 4, dim }, args, (Type){ WEFT_F32, 3, last_dim }, last);
    for (int k = 0; k < A * B; k++)
        for (int d = 0; d < D; d++) {
            volatile float acc = 1;
            for (int c = 0; c < C; c++) acc = acc * x[(k * C + c) * D + d];
            cr_expect(same_element(WEFT_F32, &last[k * D + d], (const void *)&acc));
        }
}

Test(eager, narrow_sums_round_once)
{
    enum { N = 1500 };
    int64_t dim[1] = { N }, columns[2] = { N / 3, 3 };
    uint16_t x[N], out[3];
    float wide[N];
    for (int i = 0; i < N; i++) wide[i] = bf16_to_f32(x[i] = f32_to_bf16(random_float()));
    const void *args[] = { x };
    int64_t attr[] = { OP_ADD, 0 };
    run_op((NodeSpec){ .op = OP_REDUCE, .n_args = 1, .attr = attr, .n_attr = 2 },
           &(Type){ WEFT_BF16, 1, dim }, args, (Type){ WEFT_BF16, 0, NULL }, out);
    cr_expect(out[0] == f32_to_bf16(sum_of_64(wide, N, 1)));
    run_op((NodeSpec){ .op = OP_REDUCE, .n_args = 1, .attr = attr, .n_attr = 2 },
           &(Type){ WEFT_BF16, 2, columns }, args, (Type){ WEFT_BF16, 1, columns + 1 }, out);
    for (int k = 0; k < 3; k++) {
        volatile float acc = 0;
        for (int i = k; i < N; i += 3) acc = acc + wide[i];
        cr_expect(out[k] == f32_to_bf16(acc));
    }
}

Test(eager, dot_sums_in_order)
{
    enum { M = 5, K = 203, N = 7 };
    static float a[M * K], b[N * K];
    float out[M * N];
    for (int i = 0; i < M * K; i++) a[i] = random_float();
    for (int i = 0; i < N * K; i++) b[i] = random_float();
    int64_t a_dim[] = { M, K }, b_dim[] = { N, K }, out_dim[] = { M, N }, attr[] = { 0, 1, 1, 1 };
    Type types[] = { { WEFT_F32, 2, a_dim }, { WEFT_F32, 2, b_dim } };
    const void *args[] = { a, b };
    run_op((NodeSpec){ .op = OP_DOT, .n_args = 2, .attr = attr, .n_attr = 4, .dtype = WEFT_F32 }, types, args,
           (Type){ WEFT_F32, 2, out_dim }, out);
    for (int i = 0; i < M; i++)
        for (int j = 0; j < N; j++) {
            volatile float acc = 0;
            for (int k = 0; k < K; k++) {
                volatile float product = a[i * K + k] * b[j * K + k];
                acc = acc + product;
            }
            cr_expect(out[i * N + j] == acc);
        }
}

/* Recipes. */

static RecipeStep step(int op, DType t, uint16_t a, uint16_t b, uint16_t c, uint64_t imm)
{
    return (RecipeStep){ .op = (uint8_t)op, .dtype = (uint8_t)t, .arg = { a, b, c }, .imm = imm };
}

Test(eager, recipe_of_every_kind_of_step)
{
    enum { N = 1003 };
    static float x[N], y[N], out[N];
    static Recipe r;
    for (int i = 0; i < N; i++) {
        x[i] = random_float();
        y[i] = random_float();
    }
    uint64_t three = scalar_from_double(WEFT_F32, 3);
    RecipeStep *s = r.step;
    int n = 0;
    s[n++] = step(OP_PARAMETER, WEFT_F32, 0, 0, 0, 1);     /* 0: y */
    s[n++] = step(OP_PARAMETER, WEFT_F32, 0, 0, 0, 0);     /* 1: x */
    s[n++] = step(OP_CONSTANT, WEFT_F32, 0, 0, 0, three);  /* 2 */
    s[n++] = step(OP_FMA, WEFT_F32, 1, 0, 2, 0);           /* 3: x y + 3 */
    s[n++] = step(OP_BITCAST, WEFT_I32, 3, 0, 0, 0);       /* 4 */
    s[n++] = step(OP_CONSTANT, WEFT_I32, 0, 0, 0, 5);      /* 5 */
    s[n++] = step(OP_SHR_LOGIC, WEFT_I32, 4, 5, 0, 0);     /* 6 */
    s[n++] = step(OP_CONVERT, WEFT_F32, 6, 0, 0, 0);       /* 7 */
    s[n++] = step(OP_COMPARE, WEFT_BOOL, 1, 0, 0, CMP_LT); /* 8: x < y */
    s[n++] = step(OP_ABS, WEFT_F32, 3, 0, 0, 0);           /* 9 */
    s[n++] = step(OP_SQRT, WEFT_F32, 9, 0, 0, 0);          /* 10 */
    s[n++] = step(OP_DIV, WEFT_F32, 10, 0, 0, 0);          /* 11: used by nobody */
    s[n++] = step(OP_SELECT, WEFT_F32, 8, 10, 7, 0);       /* 12 */
    r.n_steps = (uint16_t)n;
    r.n_params = 2;
    const void *args[] = { x, y };
    cr_assert(eager_recipe(&r, N, args, out));
    for (int i = 0; i < N; i++) {
        float v = fmaf(x[i], y[i], 3);
        uint32_t bits;
        memcpy(&bits, &v, 4);
        float expected = x[i] < y[i] ? sqrtf(fabsf(v)) : (float)(int32_t)(bits >> 5);
        cr_assert(same_element(WEFT_F32, &out[i], &expected), "element %d: %g, not %g", i, (double)out[i],
                  (double)expected);
    }
}

/* More values alive at once than the work space has room for in whole blocks. */
Test(eager, recipe_with_very_many_live_steps)
{
    enum { N = 77, LIVE = 700 };
    static double x[N], out[N];
    static Recipe r;
    for (int i = 0; i < N; i++) x[i] = i;
    int n = 0;
    r.step[n++] = step(OP_PARAMETER, WEFT_F64, 0, 0, 0, 0);
    for (uint16_t i = 0; i < LIVE; i++, n++) r.step[n] = step(OP_ADD, WEFT_F64, 0, (uint16_t)(n - 1), 0, 0);
    for (uint16_t i = 0; i < LIVE - 1; i++, n++)
        r.step[n] = step(OP_ADD, WEFT_F64, (uint16_t)(n - 1), (uint16_t)(LIVE - 1 - i), 0, 0);
    r.n_steps = (uint16_t)n;
    r.n_params = 1;
    const void *args[] = { x };
    cr_assert(eager_recipe(&r, N, args, out));
    /* step k of the first run is (k + 1) x, and all of them are summed, the last first */
    for (int i = 0; i < N; i++)
        cr_assert(out[i] == x[i] * (LIVE + 1) * (LIVE + 2) / 2 - x[i], "%d: %g", i, out[i]);
}

/* Regions and graphs. */

typedef struct Fixture {
    Counter counter;
    Allocator allocator;
    Guard guard;
    Arena arena;
    Graph *g;
} Fixture;

static void open_graph(Fixture *x)
{
    memset(x, 0, sizeof *x);
    x->allocator = (Allocator){ counter_resize, &x->counter };
    arena_init(&x->arena, &x->allocator, &x->guard);
    cr_assert(setjmp(x->guard.env) == 0);
    x->g = graph_new(&x->arena, "f");
}

static Ref param(Fixture *x, DType t, int rank, const int64_t *dim)
{
    return build_param(x->g, (Type){ (uint8_t)t, (uint8_t)rank, dim });
}

static void run_graph(Fixture *x, const void *const *inputs, void *const *outputs)
{
    Failure f = { .code = WEFT_OK };
    cr_assert(x->g->failure.code == WEFT_OK, "%s", x->g->failure.text);
    size_t live = x->counter.live;
    cr_assert(eager_graph(x->g, inputs, outputs, &x->allocator, &f), "%s", f.text);
    cr_assert(x->counter.live == live, "a graph kept %zu bytes", x->counter.live - live);
}

Test(eager, graph_outputs_may_be_parameters_constants_and_repeated)
{
    Fixture x;
    open_graph(&x);
    int64_t dim[] = { 3 };
    Ref a = param(&x, WEFT_I32, 1, dim), b = param(&x, WEFT_I32, 1, dim);
    int32_t values[3] = { 5, 6, 7 }, in[2][3] = { { 1, 2, 3 }, { 10, 20, 30 } }, out[7][3];
    Ref c = build_constant(x.g, (Type){ WEFT_I32, 1, dim }, values),
        splat = build_splat(x.g, (Type){ WEFT_I32, 1, dim }, 9);
    Ref sum = build_binary(x.g, OP_ADD, a, b), twice = build_binary(x.g, OP_ADD, sum, sum);
    Ref dead = build_binary(x.g, OP_MUL, a, b);
    (void)dead;
    graph_set_outputs(x.g, (Ref[]){ b, sum, twice, sum, c, splat, b }, 7);
    void *outputs[7];
    for (int i = 0; i < 7; i++) outputs[i] = out[i];
    run_graph(&x, (const void *[]){ in[0], in[1] }, outputs);
    int32_t expected[7][3] = { { 10, 20, 30 }, { 11, 22, 33 }, { 22, 44, 66 }, { 11, 22, 33 },
                               { 5, 6, 7 },    { 9, 9, 9 },    { 10, 20, 30 } };
    cr_expect(!memcmp(out, expected, sizeof out));
    arena_free(&x.arena);
    cr_expect(x.counter.live == 0);
}

/* The peak of a long chain is a few values, not all of them. */
Test(eager, graph_frees_values_after_their_last_use)
{
    Fixture x;
    open_graph(&x);
    int64_t dim[] = { 1000 };
    Ref v = param(&x, WEFT_F64, 1, dim);
    for (int i = 0; i < 200; i++) v = build_unary(x.g, i % 2 ? OP_FLOOR : OP_SQUARE, v);
    graph_set_outputs(x.g, &v, 1);
    static double in[1000], out[1000];
    for (int i = 0; i < 1000; i++) in[i] = i % 2;
    Counter limited = { 0 };
    Allocator allocator = { counter_resize, &limited };
    Failure f = { .code = WEFT_OK };
    cr_assert(eager_graph(x.g, (const void *[]){ in }, (void *[]){ out }, &allocator, &f));
    cr_expect(out[1] == 1 && out[2] == 0);
    cr_expect(limited.live == 0 && limited.calls >= 200);
    arena_free(&x.arena);
}

/* (best, index) of two operands, the earlier one kept on ties; the region's outputs are exchanged parameters
 * where it keeps. */
static Graph *first_greatest(Arena *arena)
{
    Graph *g = graph_new(arena, "first_greatest");
    Type f = { WEFT_F32, 0, NULL }, i = { WEFT_I64, 0, NULL };
    Ref best = build_param(g, f), at = build_param(g, i), value = build_param(g, f),
        index = build_param(g, i);
    Ref greater = build_compare(g, CMP_GT, value, best);
    graph_set_outputs(
        g, (Ref[]){ build_select(g, greater, value, best), build_select(g, greater, index, at) }, 2);
    return g;
}

Test(eager, reduce_region_of_two_operands)
{
    Fixture x;
    open_graph(&x);
    int64_t dim[] = { 4, 5, 3 };
    Ref values = param(&x, WEFT_F32, 3, dim), start = build_number(x.g, WEFT_F32, -INFINITY),
        none = build_number(x.g, WEFT_I64, -1);
    Ref index = build_iota(x.g, (Type){ WEFT_I64, 3, dim }, 1);
    int64_t axes[] = { 0, 1 };
    Ref both = graph_add(x.g, &(NodeSpec){ .op = OP_REDUCE_REGION,
                                           .args = (Ref[]){ values, index, start, none },
                                           .n_args = 4,
                                           .attr = axes,
                                           .n_attr = 2,
                                           .region = first_greatest(&x.arena) });
    graph_set_outputs(
        x.g, (Ref[]){ build_result(x.g, both, 1), build_result(x.g, both, 0), build_result(x.g, both, 1) },
        3);
    float in[60], best[3];
    int64_t at[3], again[3];
    for (int i = 0; i < 60; i++) in[i] = (float)((i * 37) % 23);
    run_graph(&x, (const void *[]){ in }, (void *[]){ at, best, again });
    for (int k = 0; k < 3; k++) {
        float b = -INFINITY;
        int64_t where = -1;
        for (int i = 0; i < 20; i++)
            if (in[i * 3 + k] > b) b = in[i * 3 + k], where = i % 5;
        cr_expect(best[k] == b && at[k] == where && again[k] == where);
    }
    arena_free(&x.arena);
    cr_expect(x.counter.live == 0);
}

/* Not commutative, not associative: a * 3 - b, and one whose outputs are each other's parameters. */
Test(eager, reduce_region_folds_from_the_left)
{
    Fixture x;
    open_graph(&x);
    int64_t dim[] = { 2, 6 }, axes[] = { 1 };
    Type i = { WEFT_I32, 0, NULL };
    Graph *region = graph_new(&x.arena, "fold");
    Ref a = build_param(region, i), b = build_param(region, i), e = build_param(region, i),
        unused = build_param(region, i);
    (void)unused;
    graph_set_outputs(
        region,
        (Ref[]){
            b, build_binary(region, OP_SUB, build_binary(region, OP_MUL, a, build_splat(region, i, 3)), e) },
        2);
    Ref v = param(&x, WEFT_I32, 2, dim), s = param(&x, WEFT_I32, 0, NULL);
    Ref fold = graph_add(x.g, &(NodeSpec){ .op = OP_REDUCE_REGION,
                                           .args = (Ref[]){ v, v, s, s },
                                           .n_args = 4,
                                           .attr = axes,
                                           .n_attr = 1,
                                           .region = region });
    graph_set_outputs(x.g, (Ref[]){ build_result(x.g, fold, 0) }, 1);
    int32_t in[12], start = 2, out[2];
    for (int k = 0; k < 12; k++) in[k] = k * k - 7;
    run_graph(&x, (const void *[]){ in, &start }, (void *[]){ out });
    for (int r = 0; r < 2; r++) {
        int32_t p = start, q = start;
        for (int k = 0; k < 6; k++) {
            int32_t next = p * 3 - in[r * 6 + k];
            p = q;
            q = next;
        }
        cr_expect(out[r] == p);
    }
    arena_free(&x.arena);
}

Test(eager, every_refused_allocation_is_survived)
{
    Fixture x;
    open_graph(&x);
    int64_t dim[] = { 4, 5 }, axes[] = { 0 };
    Ref v = param(&x, WEFT_BF16, 2, dim);
    Ref sum = build_reduce(x.g, OP_ADD, v, axes, 1);
    Ref at = graph_add(
        x.g, &(NodeSpec){
                 .op = OP_ARGMAX, .args = &v, .n_args = 1, .attr = axes, .n_attr = 1, .dtype = WEFT_I64 });
    Ref dot = graph_add(x.g, &(NodeSpec){ .op = OP_DOT,
                                          .args = (Ref[]){ v, sum },
                                          .n_args = 2,
                                          .attr = (int64_t[]){ 0, 1, 1, 0 },
                                          .n_attr = 4,
                                          .dtype = WEFT_BF16 });
    Ref f = build_convert(x.g, v, WEFT_F32), index = build_iota(x.g, (Type){ WEFT_I64, 2, dim }, 0);
    Ref fold = graph_add(x.g, &(NodeSpec){ .op = OP_REDUCE_REGION,
                                           .args = (Ref[]){ f, index, build_number(x.g, WEFT_F32, 0),
                                                            build_number(x.g, WEFT_I64, 0) },
                                           .n_args = 4,
                                           .attr = axes,
                                           .n_attr = 1,
                                           .region = first_greatest(&x.arena) });
    Ref pieces[9];
    for (int i = 0; i < 9; i++) pieces[i] = v;
    graph_set_outputs(
        x.g, (Ref[]){ at, dot, build_result(x.g, fold, 1), build_concatenate(x.g, pieces, 9, 1) }, 4);
    cr_assert(x.g->failure.code == WEFT_OK, "%s", x.g->failure.text);
    uint16_t in[20], dots[4], joined[180];
    int64_t ats[5], where[5];
    for (int i = 0; i < 20; i++) in[i] = f32_to_bf16((float)(i % 7));
    bool done = false;
    int refused = 0;
    for (long k = 1; !done; k++) {
        Counter counter = { .fail_at = k };
        Allocator allocator = { counter_resize, &counter };
        Failure failure = { .code = WEFT_OK };
        done = eager_graph(x.g, (const void *[]){ in }, (void *[]){ ats, dots, where, joined }, &allocator,
                           &failure);
        cr_assert(done || failure.code == WEFT_MEMORY);
        cr_assert(counter.live == 0, "refusing allocation %ld leaks %zu bytes", k, counter.live);
        refused += !done;
    }
    cr_expect(refused >= 10);
    arena_free(&x.arena);
}

/* 32 axes, most of them of size 1 or 2. */
Test(eager, rank_32)
{
    int64_t dim[32], out_dim[32], perm[32];
    for (int i = 0; i < 32; i++) dim[i] = i % 3 == 0 ? 2 : 1;
    for (int i = 0; i < 32; i++) out_dim[i] = dim[perm[i] = 31 - i];
    uint16_t in[2048], out[2048];
    for (int i = 0; i < 2048; i++) in[i] = (uint16_t)i;
    const void *args[] = { in };
    run_op((NodeSpec){ .op = OP_TRANSPOSE, .n_args = 1, .attr = perm, .n_attr = 32 },
           &(Type){ WEFT_U16, 32, dim }, args, (Type){ WEFT_U16, 32, out_dim }, out);
    for (unsigned i = 0; i < 2048; i++) {
        unsigned reversed = 0;
        for (int b = 0; b < 11; b++) reversed |= (i >> b & 1) << (10 - b);
        cr_assert(out[i] == reversed);
    }
}

Test(eager, small_ops_do_not_allocate)
{
    Counter counter = { 0 };
    Allocator allocator = { counter_resize, &counter };
    int64_t dim[] = { 8 };
    Type types[] = { { WEFT_F32, 1, dim }, { WEFT_F32, 1, dim } };
    float a[8] = { 1 }, b[8] = { 2 }, out[8];
    NodeSpec spec = { .op = OP_ADD, .n_args = 2 };
    Failure f = { .code = WEFT_OK };
    cr_expect(eager_op(&spec, types, (const void *[]){ a, b }, types, (void *[]){ out }, &allocator, &f));
    cr_expect(out[0] == 3 && counter.calls == 0);
}
