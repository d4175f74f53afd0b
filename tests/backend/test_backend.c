/* test_backend.c: machine code of programs written by hand, on every x86 target that this machine can run,
 * against eager mode (elementwise ops, exactly) and against the interpreter of programs (loops, addresses,
 * reductions). And what is true of every object: it needs nothing from outside. */
#include "compiler/graph/infer/infer.h"
#include "compiler/scalar/recipe.h"
#include "tests/support/heap.h"
#include "tests/support/programs.h"
#include "runtime/eager/eager.h"
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- elementwise ops ---- */

enum { N = 203 };

/* Edges first, then all bit patterns, then plain numbers. */
static uint64_t sample(DType t, int i, int which)
{
    static const double edges[] = {
        0.0,    -0.0,   1,       -1,    0.5,   -0.5,  1.5,        2.5,          -2.5,          3,
        7,      8,      31,      32,    63,    64,    100,        127,          128,           255,
        256,    -128,   -129,    32767, 65504, 65520, 2147483647, 2147483648.0, -2147483648.0, 4294967295.0,
        9.2e18, 1.8e19, -9.3e18, 1e30,  1e-30, 1e-40, 3e38,       1e-45
    };
    enum { EDGES = sizeof edges / sizeof *edges };
    if (t == WEFT_BOOL) return code_random() & 1;
    int k = which == 0 ? i : which == 1 ? i * 7 + 3 : i * 11 + 5;
    if (i < 120 && which == 0 && dtype_is_float(t) && i % 40 >= 38)
        return scalar_from_double(t, i % 2 ? INFINITY : NAN);
    if (i < 120 && which == 1 && dtype_is_float(t) && i % 40 == 13)
        return scalar_from_double(t, i % 3 ? -INFINITY : NAN);
    if (i < 120) return scalar_from_double(t, edges[k % EDGES]);
    uint64_t bits = code_random();
    if (i < 160) return dtype_bytes(t) == 8 ? bits : bits & ((1ull << 8 * dtype_bytes(t)) - 1);
    double v = (double)(int64_t)bits / 9.3e18 * 20;
    return scalar_from_double(t, v);
}

typedef struct Case {
    Op op;
    DType t, to;
    int64_t attr[2];
    int n_attr;
} Case;
typedef struct Cases {
    Case list[256];
    int n;
} Cases;

static void add_case(Cases *cs, Op op, DType t, DType to, int64_t a, int64_t b)
{
    cs->list[cs->n++] = (Case){ op, t, to, { a, b }, op == OP_COMPARE || op == OP_REDUCE_PRECISION ? 2 : 0 };
}

static bool gives_bool(Op op)
{
    return op == OP_IS_FINITE || op == OP_IS_INF || op == OP_IS_POS_INF || op == OP_IS_NEG_INF ||
           op == OP_COMPARE;
}

static bool is_supported(Op op, DType t)
{
    switch (op) { /* no code yet on either side unless recipes say so */
    case OP_CBRT:
    case OP_ERF:
    case OP_ERFC:
    case OP_ERF_INV:
    case OP_LGAMMA:
    case OP_DIGAMMA:
    case OP_BESSEL_I1E:
    case OP_POLYGAMMA:
    case OP_ZETA:
    case OP_POW:        return recipe_exists(op, dtype_is_narrow_float(t) ? WEFT_F32 : t);
    default:            return true;
    }
}

/* Programs hold no complex numbers: compiler/planes/ has made pairs of real ones of them. */
static bool is_in_programs(Op op) { return op != OP_REAL && op != OP_IMAG && op != OP_COMPLEX; }

static void cases_of(Cases *cs, DType t)
{
    cs->n = 0;
    for (int op = 0; op < OP_COUNT; op++) {
        if (!op_is_ew((Op)op) || op == OP_STOP_GRADIENT || !infer_takes((Op)op, t) ||
            !is_supported((Op)op, t) || !is_in_programs((Op)op))
            continue;
        if (op == OP_COMPARE) {
            for (int dir = CMP_EQ; dir <= CMP_GE; dir++)
                add_case(cs, OP_COMPARE, t, WEFT_BOOL, dir,
                         dtype_is_float(t)    ? ORDER_FLOAT
                         : dtype_is_signed(t) ? ORDER_SIGNED
                                              : ORDER_UNSIGNED);
            if (dtype_is_float(t)) add_case(cs, OP_COMPARE, t, WEFT_BOOL, CMP_LT, ORDER_TOTAL);
        } else if (op == OP_CONVERT) {
            for (int to = 0; to < REAL_DTYPE_COUNT; to++) add_case(cs, OP_CONVERT, t, (DType)to, 0, 0);
        } else if (op == OP_BITCAST) {
            for (int to = WEFT_I8; to < REAL_DTYPE_COUNT; to++)
                if (t != WEFT_BOOL && dtype_bytes((DType)to) == dtype_bytes(t))
                    add_case(cs, OP_BITCAST, t, (DType)to, 0, 0);
        } else if (op == OP_REDUCE_PRECISION) add_case(cs, (Op)op, t, t, 5, 3);
        else add_case(cs, (Op)op, t, gives_bool((Op)op) ? WEFT_BOOL : t, 0, 0);
    }
}

/* One kernel and one output per case. Inputs: three of type t and a bool. */
static const Program *program_of(Arena *arena, const Cases *cs, DType t, NumericMode mode, int lanes,
                                 int tile)
{
    ProgramBuilder b;
    uint32_t in[4];
    program_begin(&b, arena, mode);
    for (int i = 0; i < 3; i++) in[i] = program_buffer(&b, BUF_INPUT, t, N);
    in[3] = program_buffer(&b, BUF_INPUT, WEFT_BOOL, N);
    for (int k = 0; k < cs->n; k++) {
        const Case *c = &cs->list[k];
        if (k) program_kernel(&b, arena_printf(arena, "k%d_%s", k, op_info[c->op].name));
        uint32_t out = program_buffer(&b, BUF_OUTPUT, c->to, N);
        Val i = put_loop(&b, N, lanes, tile), arg[3] = { VAL_NONE, VAL_NONE, VAL_NONE };
        for (int a = 0; a < op_info[c->op].args; a++)
            arg[a] = put_load(&b, in[c->op == OP_SELECT ? a ? a - 1 : 3 : a], AT(0, { i, 1 }));
        Val v = put_op(&b, c->op, c->to, arg[0], arg[1], arg[2]);
        b.kernel->stmts[v].attr = arena_copy(arena, c->attr, sizeof c->attr);
        put_store(&b, out, AT(0, { i, 1 }), v);
        put_end(&b, i);
    }
    return b.program;
}

static int compare_case(const Case *c, const char *target, int lanes, const void *const *in, const void *got)
{
    static const int64_t dim[] = { N };
    Ref refs[3] = { 0, 1, 2 };
    const void *args[3];
    Type types[3];
    int n = op_info[c->op].args, bad = 0;
    for (int a = 0; a < n; a++) {
        int which = c->op == OP_SELECT ? a ? a - 1 : 3 : a;
        args[a] = in[which];
        types[a] = (Type){ (uint8_t)(which == 3 ? WEFT_BOOL : c->t), 1, dim };
    }
    uint64_t want[N] = { 0 };
    Type out = { (uint8_t)c->to, 1, dim };
    NodeSpec spec = { .op = c->op,
                      .args = refs,
                      .n_args = (uint32_t)n,
                      .attr = c->attr,
                      .n_attr = (uint32_t)c->n_attr,
                      .dtype = c->to };
    cr_assert(eager_op(&spec, types, args, &out, (void *[]){ want }, &heap, NULL));
    for (int i = 0; i < N; i++) {
        size_t bytes = dtype_bytes(c->to), from = dtype_bytes(c->t);
        uint64_t w = scalar_load(c->to, (char *)want + (size_t)i * bytes),
                 g = scalar_load(c->to, (const char *)got + (size_t)i * bytes);
        if (code_same(c->to, w, g) || bad++) continue;
        fprintf(stderr,
                "%s lanes %d: %s %s -> %s at %d: (%g, %g, %g) eager %.17g [%llx], compiled %.17g [%llx]\n",
                target, lanes, op_info[c->op].name, dtype_name(c->t), dtype_name(c->to), i,
                scalar_to_double(c->t, scalar_load(c->t, (const char *)in[0] + (size_t)i * from)),
                scalar_to_double(c->t, scalar_load(c->t, (const char *)in[1] + (size_t)i * from)),
                scalar_to_double(c->t, scalar_load(c->t, (const char *)in[2] + (size_t)i * from)),
                scalar_to_double(c->to, w), (unsigned long long)w, scalar_to_double(c->to, g),
                (unsigned long long)g);
    }
    return bad;
}

static int run_cases(DType t, const char *target, int lanes, int tile)
{
    static uint64_t in[4][N], out[256][N];
    const void *ins[4] = { in[0], in[1], in[2], in[3] };
    void *outs[256];
    Cases *cs = malloc(sizeof *cs);
    Arena *arena = code_arena();
    int bad = 0;
    for (int w = 0; w < 4; w++)
        for (int i = 0; i < N; i++)
            scalar_store(w == 3 ? WEFT_BOOL : t,
                         (char *)in[w] + (size_t)i * dtype_bytes(w == 3 ? WEFT_BOOL : t),
                         sample(w == 3 ? WEFT_BOOL : t, i, w));
    cases_of(cs, t);
    for (int k = 0; k < cs->n; k++) outs[k] = out[k];
    const Program *p = program_of(arena, cs, t, MODE_STRICT, lanes, tile);
    BackendOutput o = code_compile(p, target);
    const char *needs = code_undefined(&o);
    cr_expect(!needs, "%s: %s lanes %d needs %s", target, dtype_name(t), lanes, needs);
    if (code_can_run(target) && !needs) {
        code_run(&o, p, ins, outs);
        for (int k = 0; k < cs->n; k++) bad += compare_case(&cs->list[k], target, lanes, ins, out[k]) > 0;
    }
    if (getenv("TEST_TIMES"))
        fprintf(stderr, "%s %s lanes %d: %d cases, emit %.1f ms, codegen %.1f ms\n", target, dtype_name(t),
                lanes, cs->n, o.emit_us / 1e3, o.codegen_us / 1e3);
    code_backend()->release(&o);
    arena_free(arena);
    free(cs);
    return bad;
}

static void check_dtypes(const char *target, bool vectors)
{
    int bad = 0;
    for (int t = 0; t < REAL_DTYPE_COUNT; t++)
        bad +=
            vectors ? run_cases((DType)t, target, code_lanes(target), 2) : run_cases((DType)t, target, 1, 1);
    cr_assert(bad == 0, "%d ops differ", bad);
}

Test(backend, every_op_on_every_dtype_avx512) { check_dtypes("avx512", true); }
Test(backend, every_op_on_every_dtype_avx2) { check_dtypes("avx2", true); }
Test(backend, every_op_on_every_dtype_sse2) { check_dtypes("sse2", true); }
Test(backend, every_op_on_every_dtype_aarch64) { check_dtypes("aarch64", true); }
Test(backend, every_op_on_scalars_avx2) { check_dtypes("avx2", false); }
Test(backend, every_op_on_scalars_sse2) { check_dtypes("sse2", false); }
Test(backend, every_op_on_scalars_aarch64) { check_dtypes("aarch64", false); }

/* ---- loops, addresses, reductions: against the interpreter ---- */

static int64_t size_now; /* of the axis under test */

static void make_sum(ProgramBuilder *b, int lanes)
{
    uint32_t x = program_buffer(b, BUF_INPUT, WEFT_F32, size_now + 1),
             y = program_buffer(b, BUF_OUTPUT, WEFT_F32, 1);
    Val r = put_reducer(b, OP_ADD, WEFT_F32), i = put_loop(b, size_now, lanes, 64 / lanes);
    put_fold(b, r, put_load(b, x, AT(1, { i, 1 })), VAL_NONE);
    put_end(b, i);
    put_store(b, y, AT_ONLY(0), put_total(b, r));
}

Test(backend, sums_of_all_sizes)
{
    static const int64_t sizes[] = { 0, 1, 3, 4, 15, 16, 17, 63, 64, 65, 100, 127, 128, 129, 200, 1000 };
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        size_now = sizes[i];
        code_check(make_sum);
    }
}

/* Sums of arbitrary floats have eager's order of 64 accumulators, bit for bit, whatever the lanes. */
Test(backend, sum_has_eagers_order)
{
    enum { COUNT = 1237 };
    static float x[COUNT + 1];
    int64_t dim[] = { COUNT };
    for (int i = 0; i <= COUNT; i++) x[i] = (float)sin(i * 1.7) * (float)(i % 97);
    float want;
    Type in = { WEFT_F32, 1, dim }, out = { WEFT_F32, 0, NULL };
    int64_t attr[] = { OP_ADD, 0 };
    NodeSpec spec = { .op = OP_REDUCE, .args = (Ref[]){ 0 }, .n_args = 1, .attr = attr, .n_attr = 2 };
    cr_assert(eager_op(&spec, &in, (const void *[]){ x + 1 }, &out, (void *[]){ &want }, &heap, NULL));
    for (int t = 0; t < CODE_TARGETS; t++) {
        float got = 0;
        ProgramBuilder b;
        Arena *arena = code_arena();
        program_begin(&b, arena, MODE_STRICT);
        size_now = COUNT;
        make_sum(&b, code_lanes(code_targets[t]));
        BackendOutput o = code_compile(b.program, code_targets[t]);
        if (code_can_run(code_targets[t])) {
            code_run(&o, b.program, (const void *[]){ x }, (void *[]){ &got });
            cr_assert(got == want, "%s: %.9g, eager %.9g", code_targets[t], got, want);
        }
        code_backend()->release(&o);
        arena_free(arena);
    }
}

/* Two long sums with one vector of accumulators each lose no digits: eager's 64 accumulators have a relative
 * error of 9e-6. */
enum { LONG_SUM = 60000 };
static void make_long_sums(ProgramBuilder *b, int lanes)
{
    uint32_t x = program_buffer(b, BUF_INPUT, WEFT_F32, LONG_SUM),
             y = program_buffer(b, BUF_OUTPUT, WEFT_F32, 2);
    Val r = put_reducer(b, OP_ADD, WEFT_F32), q = put_reducer(b, OP_ADD, WEFT_F32),
        i = put_loop(b, LONG_SUM, lanes, 1), v = put_load(b, x, AT(0, { i, 1 }));
    put_fold(b, r, v, VAL_NONE);
    put_fold(b, q, put_binary(b, OP_ADD, v, v), VAL_NONE);
    put_end(b, i);
    put_store(b, y, AT_ONLY(0), put_total(b, r));
    put_store(b, y, AT_ONLY(1), put_total(b, q));
}

Test(backend, long_sums_lose_no_digits)
{
    static float x[LONG_SUM];
    for (int i = 0; i < LONG_SUM; i++) x[i] = .1f;
    for (int t = 0; t < CODE_TARGETS; t++) {
        float got[2] = { 0 };
        ProgramBuilder b;
        Arena *arena = code_arena();
        int lanes = code_lanes(code_targets[t]);
        program_begin(&b, arena, MODE_DEFAULT);
        make_long_sums(&b, lanes);
        BackendOutput o = code_compile(b.program, code_targets[t]);
        if (code_can_run(code_targets[t]) && lanes > 1) {
            code_run(&o, b.program, (const void *[]){ x }, (void *[]){ got });
            for (int i = 0; i < 2; i++) {
                double want = (double)x[0] * LONG_SUM * (i + 1);
                cr_expect(fabs(got[i] - want) < 9e-6 * want, "%s: %.9g, not %.9g", code_targets[t], got[i],
                          want);
            }
        }
        code_backend()->release(&o);
        arena_free(arena);
    }
}

/* Sums of exponentials have eager's order, too, in rows: loops do a part of the accumulators at a time, which
 * stay in memory where registers are few. */
enum { EXP_ROWS = 3 };
static void make_sum_of_exps(ProgramBuilder *b, int lanes)
{
    uint32_t x = program_buffer(b, BUF_INPUT, WEFT_F64, EXP_ROWS * size_now),
             y = program_buffer(b, BUF_OUTPUT, WEFT_F64, EXP_ROWS);
    lanes = lanes > 1 ? lanes / 2 : 1;
    Val i = put_loop(b, EXP_ROWS, 1, 1), r = put_reducer(b, OP_ADD, WEFT_F64),
        j = put_loop(b, size_now, lanes, 64 / lanes);
    put_fold(b, r, put_unary(b, OP_EXP, put_load(b, x, AT(0, { i, size_now }, { j, 1 }))), VAL_NONE);
    put_end(b, j);
    put_store(b, y, AT(0, { i, 1 }), put_total(b, r));
    put_end(b, i);
}

static void check_sums_of_exps(const double *x, const double *want)
{
    for (int t = 0; t < CODE_TARGETS; t++) {
        double got[EXP_ROWS] = { 0 };
        ProgramBuilder b;
        Arena *arena = code_arena();
        program_begin(&b, arena, MODE_STRICT);
        make_sum_of_exps(&b, code_lanes(code_targets[t]));
        BackendOutput o = code_compile(b.program, code_targets[t]);
        if (code_can_run(code_targets[t])) {
            code_run(&o, b.program, (const void *[]){ x }, (void *[]){ got });
            for (int i = 0; i < EXP_ROWS; i++)
                cr_assert(got[i] == want[i], "%s, row %d of %d: %.17g, eager %.17g", code_targets[t], i,
                          (int)size_now, got[i], want[i]);
        }
        code_backend()->release(&o);
        arena_free(arena);
    }
}

Test(backend, sums_of_exps_have_eagers_order)
{
    enum { MOST = 450 };
    static double x[EXP_ROWS * MOST], e[EXP_ROWS * MOST];
    for (int i = 0; i < EXP_ROWS * MOST; i++) x[i] = sin(i * 1.7);
    for (size_now = 1; size_now <= MOST; size_now += size_now % 64 ? 9 : 10) {
        double want[EXP_ROWS];
        int64_t dim[] = { EXP_ROWS, size_now }, attr[] = { OP_ADD, 1 };
        Type in = { WEFT_F64, 2, dim }, out = { WEFT_F64, 1, dim };
        NodeSpec exps = { .op = OP_EXP, .args = (Ref[]){ 0 }, .n_args = 1 };
        NodeSpec sums = { .op = OP_REDUCE, .args = (Ref[]){ 0 }, .n_args = 1, .attr = attr, .n_attr = 2 };
        cr_assert(eager_op(&exps, &in, (const void *[]){ x }, &in, (void *[]){ e }, &heap, NULL));
        cr_assert(eager_op(&sums, &in, (const void *[]){ e }, &out, (void *[]){ want }, &heap, NULL));
        check_sums_of_exps(x, want);
    }
}

/* max and min, argmax and argmin, of rows, by value and index; two reducers in one loop. */
static void make_rows(ProgramBuilder *b, int lanes)
{
    enum { ROWS = 5 };
    uint32_t x = program_buffer(b, BUF_INPUT, WEFT_F32, ROWS * size_now),
             at = program_buffer(b, BUF_OUTPUT, WEFT_I32, 2 * ROWS);
    uint32_t most = program_buffer(b, BUF_OUTPUT, WEFT_F32, 2 * ROWS);
    Val i = put_loop(b, ROWS, 1, 1);
    Val high = put_arg_reducer(b, OP_ARGMAX, WEFT_F32, WEFT_I32),
        low = put_arg_reducer(b, OP_ARGMIN, WEFT_F32, WEFT_I32);
    Val max = put_reducer(b, OP_MAX, WEFT_F32), min = put_reducer(b, OP_MIN, WEFT_F32);
    Val j = put_loop(b, size_now, lanes, 2), v = put_load(b, x, AT(0, { i, size_now }, { j, 1 })),
        index = put_index(b, WEFT_I32, AT(0, { j, 1 }));
    put_fold(b, high, v, index);
    put_fold(b, low, v, index);
    put_fold(b, max, v, VAL_NONE);
    put_fold(b, min, v, VAL_NONE);
    put_end(b, j);
    put_store(b, at, AT(0, { i, 2 }), put_total(b, high));
    put_store(b, at, AT(1, { i, 2 }), put_total(b, low));
    put_store(b, most, AT(0, { i, 2 }), put_total(b, max));
    put_store(b, most, AT(1, { i, 2 }), put_total(b, min));
    put_end(b, i);
}

Test(backend, extremes_and_their_places)
{
    static const int64_t sizes[] = { 1, 5, 16, 31, 33, 100 };
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        size_now = sizes[i];
        code_check(make_rows);
    }
}

/* Register tile: rows in a tile, columns in lanes and tile, contraction serial. */
static void make_matmul(ProgramBuilder *b, int lanes)
{
    int64_t m = 11, n = 3 * lanes + 5, k = 7;
    uint32_t x = program_buffer(b, BUF_INPUT, WEFT_F32, m * k),
             y = program_buffer(b, BUF_INPUT, WEFT_F32, k * n);
    uint32_t z = program_buffer(b, BUF_OUTPUT, WEFT_F32, m * n);
    Val i = put_loop(b, m, 1, 4), j = put_loop(b, n, lanes, 2), r = put_reducer(b, OP_ADD, WEFT_F32),
        l = put_loop(b, k, 1, 1);
    put_fold(b, r,
             put_binary(b, OP_MUL, put_load(b, x, AT(0, { i, k }, { l, 1 })),
                        put_load(b, y, AT(0, { l, n }, { j, 1 }))),
             VAL_NONE);
    put_end(b, l);
    put_store(b, z, AT(0, { i, n }, { j, 1 }), put_total(b, r));
    put_end(b, j);
    put_end(b, i);
}
Test(backend, register_tiles) { code_check(make_matmul); }

/* Every stride over the lanes: reversed, spread, gathered by data, masked by data, broadcast; and stores that
 * scatter. */
static void make_strides(ProgramBuilder *b, int lanes)
{
    int64_t n = 2 * lanes + 3;
    uint32_t x = program_buffer(b, BUF_INPUT, WEFT_F32, 8 * n),
             at = program_buffer(b, BUF_INPUT, WEFT_I32, n), on = program_buffer(b, BUF_INPUT, WEFT_BOOL, n);
    uint32_t w = program_buffer(b, BUF_INPUT, WEFT_U8, 3 * n);
    uint32_t y = program_buffer(b, BUF_OUTPUT, WEFT_F32, 12 * n),
             z = program_buffer(b, BUF_OUTPUT, WEFT_U8, 2 * n),
             f = program_buffer(b, BUF_OUTPUT, WEFT_BOOL, n);
    Val i = put_loop(b, n, lanes, 2);
    Val index = put_load(b, at, AT(0, { i, 1 })), mask = put_load(b, on, AT(0, { i, 1 }));
    Val v[8] = {
        put_load(b, x, AT(n - 1, { i, -1 })),
        put_load(b, x, AT(1, { i, 3 })),
        put_load(b, x, AT_ONLY(5)),
        put_load(b, x, AT(2, { index, 1 })),
        put_load_masked(b, mask, x, AT(0, { i, 1 })),
        put_load_masked(b, mask, x, AT(0, { i, 2 })),
        put_load(b, x, AT(7 * n - 1, { i, -2 })),
        put_load_masked(b, mask, x, AT(0, { index, 1 })),
    };
    for (int k = 0; k < 8; k++) put_store(b, y, AT(k * n, { i, 1 }), v[k]);
    put_store(b, y, AT(8 * n, { i, 2 }), v[0]);
    put_store(b, y, AT(11 * n - 1, { i, -1 }), v[1]);
    put_store_masked(b, mask, y, AT(11 * n, { i, 1 }), v[2]);
    Val c = put_load(b, w, AT(0, { i, 1 })), d = put_load(b, w, AT(0, { i, 3 })),
        g = put_load_masked(b, mask, w, AT(0, { i, 1 }));
    put_store(b, z, AT(0, { i, 1 }), put_binary(b, OP_ADD, c, d));
    put_store(b, z, AT(n, { i, 1 }), g);
    put_store(b, f, AT(0, { i, 1 }), put_compare(b, CMP_LT, v[0], v[3]));
    put_end(b, i);
}
Test(backend, strides_masks_gathers_scatters) { code_check(make_strides); }

/* Vectors of every second, third ... element, of arrays that end with the last one; stores leave what is
 * between alone. */
static DType strided_type;
static void make_strided(ProgramBuilder *b, int lanes)
{
    int64_t n = 3 * lanes + 1;
    uint32_t y = program_buffer(b, BUF_OUTPUT, strided_type, 10 * n), x[10];
    for (int k = 2; k < 10; k++) x[k] = program_buffer(b, BUF_INPUT, strided_type, k * (n - 1) + 1);
    Val all = put_loop(b, 10 * n, 1, 1);
    put_store(b, y, AT(0, { all, 1 }), put_load(b, x[2], AT_ONLY(0)));
    put_end(b, all);
    Val i = put_loop(b, n, lanes, 2), v[10];
    for (int k = 2; k < 10; k++) v[k] = put_load(b, x[k], AT(0, { i, k }));
    for (int k = 2; k < 6; k++) put_store(b, y, AT(0, { i, 1 }), v[k]);
    put_store(b, y, AT(n, { i, 2 }), v[6]);
    put_store(b, y, AT(3 * n, { i, 3 }), v[7]);
    put_store(b, y, AT(6 * n, { i, 4 }), v[8]);
    put_store(b, y, AT(6 * n + 1, { i, 4 }), v[9]);
    put_end(b, i);
}
Test(backend, strided_vectors)
{
    static const DType types[] = { WEFT_F32, WEFT_F64, WEFT_I16, WEFT_U8 };
    for (int k = 0; k < 4; k++) {
        strided_type = types[k];
        code_check(make_strided);
    }
}

/* Elements of rows that lie in the buffer as a whole: read forwards and backwards, stored as other rows. */
static int64_t row_length;
static void make_split_rows(ProgramBuilder *b, int lanes)
{
    int64_t n = 3 * lanes + 1, m = row_length;
    uint32_t x = program_buffer(b, BUF_INPUT, strided_type, m * n),
             y = program_buffer(b, BUF_OUTPUT, strided_type, m * n),
             z = program_buffer(b, BUF_OUTPUT, strided_type, m * n);
    Val i = put_loop(b, n, lanes, 2);
    for (int64_t k = 0; k < m; k++) put_store(b, y, AT(m - 1 - k, { i, m }), put_load(b, x, AT(k, { i, m })));
    put_end(b, i);
    i = put_loop(b, n, lanes, 2);
    for (int64_t k = 0; k < m; k++)
        put_store(b, z, AT(k * n, { i, 1 }), put_load(b, x, AT(m * (n - 1) + k, { i, -m })));
    put_end(b, i);
}
Test(backend, rows_are_split_and_joined)
{
    static const DType types[] = { WEFT_F32, WEFT_I16, WEFT_U8 };
    for (int k = 0; k < 3; k++)
        for (row_length = 2; row_length <= 16; row_length += row_length < 4 ? 1 : row_length < 8 ? 2 : 4) {
            strided_type = types[k];
            code_check(make_split_rows);
        }
}

/* Stores whose elements lie between each other's, all of them or not, by tiles, too; what is loaded in
 * between is stored before or after. */
static void make_woven(ProgramBuilder *b, int lanes)
{
    int64_t n = 3 * lanes + 1;
    uint32_t x = program_buffer(b, BUF_INPUT, strided_type, 8 * n),
             y = program_buffer(b, BUF_OUTPUT, strided_type, 64 * n);
    Val all = put_loop(b, 64 * n, 1, 1);
    put_store(b, y, AT(0, { all, 1 }), put_load(b, x, AT_ONLY(0)));
    put_end(b, all);
    for (int p = 2; p < 9; p++) {
        Val i = put_loop(b, n, lanes, 2);
        for (int r = 0; r < p; r++)
            put_store(b, y, AT(p * (p - 1) / 2 * n + (p - 1 - r), { i, p }),
                      put_load(b, x, AT(r * n, { i, 1 })));
        put_end(b, i);
    }
    Val i = put_loop(b, n, lanes, 2); /* one of them comes twice, one is missing */
    put_store(b, y, AT(40 * n, { i, 3 }), put_load(b, x, AT(0, { i, 1 })));
    put_store(b, y, AT(40 * n + 1, { i, 3 }), put_load(b, x, AT(n, { i, 1 })));
    put_store(b, y, AT(40 * n, { i, 3 }), put_load(b, x, AT(2 * n, { i, 1 })));
    put_store(b, y, AT(43 * n + 1, { i, 2 }), put_load(b, x, AT(n, { i, 1 })));
    put_end(b, i);
    i = put_loop(b, n, lanes, 1);
    Val j = put_loop(b, 3, 1, 3); /* three of six by a tile */
    put_store(b, y, AT(45 * n + 1, { i, 6 }, { j, 2 }), put_load(b, x, AT(0, { i, 1 }, { j, n })));
    put_store(b, y, AT(45 * n, { i, 6 }, { j, 2 }), put_load(b, x, AT(4 * n, { i, 1 }, { j, n })));
    put_end(b, j);
    put_end(b, i);
}
Test(backend, woven_stores)
{
    static const DType types[] = { WEFT_F32, WEFT_F64, WEFT_I16, WEFT_U8, WEFT_BOOL };
    for (int k = 0; k < 5; k++) {
        strided_type = types[k];
        code_check(make_woven);
    }
}

/* Squares of registers: loads and stores along a tile, whole and partial, of elements of all sizes. */
static DType square_type;
static void make_squares(ProgramBuilder *b, int lanes)
{
    if (square_type == WEFT_F64) lanes = lanes / 2;
    int64_t m = 2 * lanes + lanes / 2 + 1, n = 2 * lanes + 3;
    uint32_t x = program_buffer(b, BUF_INPUT, square_type, m * n),
             y = program_buffer(b, BUF_OUTPUT, square_type, m * n),
             z = program_buffer(b, BUF_OUTPUT, square_type, m * n);
    Val i = put_loop(b, m, 1, lanes), j = put_loop(b, n, lanes, 2);
    Val v = put_load(b, x, AT(0, { i, 1 }, { j, m }));
    put_store(b, y, AT(0, { i, n }, { j, 1 }), v);
    put_end(b, j);
    put_end(b, i);
    i = put_loop(b, m, 1, 2 * lanes);
    j = put_loop(b, n, lanes, 1);
    v = put_load(b, y, AT(0, { i, n }, { j, 1 }));
    put_store(b, z, AT(0, { i, 1 }, { j, m }), v);
    put_end(b, j);
    put_end(b, i);
}
Test(backend, squares_of_registers)
{
    static const DType types[] = { WEFT_F32, WEFT_I8, WEFT_BOOL, WEFT_F16, WEFT_F64 };
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        square_type = types[i];
        code_check(make_squares);
    }
}

/* Two carries that swap, a serial recurrence per lane. */
static void make_carries(ProgramBuilder *b, int lanes)
{
    int64_t n = lanes + 5, steps = 13;
    uint32_t x = program_buffer(b, BUF_INPUT, WEFT_F32, n),
             y = program_buffer(b, BUF_OUTPUT, WEFT_F32, 2 * n);
    Val i = put_loop(b, n, lanes, 2), v = put_load(b, x, AT(0, { i, 1 })), zero = put_const(b, WEFT_F32, 1),
        half = put_const(b, WEFT_F32, 0.5);
    Val p = put_carry(b, v), q = put_carry(b, zero), k = put_loop(b, steps, 1, 1);
    Val next = put_binary(b, OP_MUL, put_binary(b, OP_ADD, p, q), half);
    put_set(b, p, q);
    put_set(b, q, next);
    put_end(b, k);
    put_store(b, y, AT(0, { i, 1 }), put_total(b, p));
    put_store(b, y, AT(n, { i, 1 }), put_total(b, q));
    put_end(b, i);
}
Test(backend, carries_take_effect_together) { code_check(make_carries); }

/* A row program with a row buffer, scalars between loops, scratch, a constant array, and a second kernel. */
static void make_softmax_like(ProgramBuilder *b, int lanes)
{
    static const float weights[3] = { 1, 2, 4 };
    int64_t rows = 3, n = 2 * lanes + 7;
    uint32_t x = program_buffer(b, BUF_INPUT, WEFT_F32, rows * n),
             y = program_buffer(b, BUF_OUTPUT, WEFT_F32, rows * n);
    uint32_t row = program_buffer(b, BUF_LOCAL, WEFT_F32, n),
             temp = program_buffer(b, BUF_TEMP, WEFT_F32, rows * n),
             c = program_const(b, WEFT_F32, 3, weights);
    Val i = put_loop(b, rows, 1, 1), m = put_reducer(b, OP_MAX, WEFT_F32);
    b->kernel->stmts[i].parallel = true;
    Val j = put_loop(b, n, lanes, 2);
    put_fold(b, m, put_load(b, x, AT(0, { i, n }, { j, 1 })), VAL_NONE);
    put_end(b, j);
    Val t = put_total(b, m), s = put_reducer(b, OP_ADD, WEFT_F32);
    j = put_loop(b, n, lanes, 2);
    Val e = put_binary(b, OP_SUB, put_load(b, x, AT(0, { i, n }, { j, 1 })), t);
    put_store(b, row, AT(0, { j, 1 }), e);
    put_fold(b, s, e, VAL_NONE);
    put_end(b, j);
    Val scale = put_binary(b, OP_ADD, put_total(b, s), put_load(b, c, AT(0, { i, 1 })));
    j = put_loop(b, n, lanes, 1);
    put_store(b, temp, AT(0, { i, n }, { j, 1 }),
              put_binary(b, OP_MUL, put_load(b, row, AT(0, { j, 1 })), scale));
    put_end(b, j);
    put_end(b, i);
    program_kernel(b, "k1");
    i = put_loop(b, rows * n, lanes, 4);
    put_store(b, y, AT(0, { i, 1 }), put_unary(b, OP_NEG, put_load(b, temp, AT(0, { i, 1 }))));
    put_end(b, i);
}
Test(backend, row_programs) { code_check(make_softmax_like); }
