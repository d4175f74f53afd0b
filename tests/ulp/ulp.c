/* ulp: measures the math functions, compiled in strict mode, which is eager mode bit by bit, against higher precision.
 *
 *   weft-ulp [--all | --stride N] [--samples N] [--f32 | --f64] [NAME...]
 *
 * Prints for each function and type the largest error in ulps seen, where, and how many arguments were tried. Unary F32 functions run
 * over every 1,021st bit pattern, or every N-th, with --all over all 2^32, compared in double; each error larger than all before it is
 * measured again by MPFR. F64 and binary functions run over N random arguments of several kinds (any bits, near 1, near a small
 * integer, moderate). A NAME is an op's, in any case: exp2.
 */
#include <strings.h>
#include "runtime/compile.h"
#include "tests/graphs.h"
#include "reference.h"

enum { CHUNK = 4096 };

/* The op alone over CHUNK elements. */
static Code *compile(Op op, DType t) {
    Guard guard;
    Arena arena;
    Failure f = { .code = WEFT_OK };
    arena_init(&arena, &graphs_allocator, &guard);
    if (setjmp(guard.env)) exit(1);
    Graph *g = graph_new(&arena, NULL);
    Type type = { (uint8_t)t, 1, (int64_t[]){ CHUNK } };
    Ref x = build_param(g, type), out = op_info[op].args == 1 ? build_unary(g, op, x) : build_binary(g, op, x, build_param(g, type));
    graph_set_outputs(g, &out, 1);
    Code *code = compile_graph(g, &(CompileOptions){ .mode = MODE_STRICT, .name = "ulp" }, &graphs_allocator, &f);
    if (!code) fprintf(stderr, "%s\n", f.text), exit(1);
    arena_free(&arena);
    return code;
}

static void evaluate(const Code *code, const void *x, const void *y, void *out) {
    _Alignas(64) static char scratch[1 << 16];
    code->entry((const void *[]){ x, y }, (void *[]){ out }, scratch, code->consts);
}

typedef struct Worst { double error, x, y; uint64_t tried; } Worst;

static uint64_t next_random(uint64_t *state) {
    uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

static double uniform(uint64_t *state, double lo, double hi) {
    return lo + (hi - lo) * ((double)(next_random(state) >> 11) * 0x1p-53);
}

/* Any bits; log-uniform moderate; close to 1; close to a small integer; uniform over what most functions find interesting. */
static double sample(uint64_t *state, DType t) {
    uint64_t bits = next_random(state);
    double sign = bits & 1 ? -1 : 1;
    switch (bits >> 1 & 7) {
    case 0: case 1: {
        bits = next_random(state);
        if (t == WEFT_F64) { double d; memcpy(&d, &bits, 8); return d; }
        uint32_t half = (uint32_t)bits; float f; memcpy(&f, &half, 4); return f;
    }
    case 2: return sign * exp(uniform(state, -12, 7));
    case 3: return sign * (1 + uniform(state, -1, 1) * exp(uniform(state, -36, 0)));
    case 4: return nearbyint(uniform(state, -30, 30)) + sign * exp(uniform(state, -36, 0));
    case 5: return uniform(state, -1, 1);
    case 6: return uniform(state, -30, 30);
    default: return uniform(state, -750, 750);
    }
}

/* zeta and polygamma are compared where the reference sums: s > 1, q > 0; n a small integer. F64 lgamma and digamma above 0: below,
 * close to their zeros, they are good to an absolute error only. */
static void sample_pair(uint64_t *state, Op op, DType t, double *x, double *y) {
    *x = sample(state, t);
    *y = sample(state, t);
    if (op == OP_POW && next_random(state) & 1) *x = exp(uniform(state, -30, 30)), *y = uniform(state, -1, 1) * 745 / log(*x);
    if (op == OP_ZETA) *x = 1 + exp(uniform(state, -5, 4)), *y = exp(uniform(state, -4, 6));
    if (op == OP_POLYGAMMA) *x = nearbyint(uniform(state, 1, 12)), *y = exp(uniform(state, -4, 6));
    if (op == OP_LGAMMA || op == OP_DIGAMMA) *x = fabs(*x);
    if (t == WEFT_F32) *x = (float)*x, *y = (float)*y;
}

/* f(-x) is -f(x), or f(x): to be shown bit by bit, after which f(x) speaks for both. */
typedef enum { NEITHER, ODD, EVEN } Parity;

static Parity parity(Op op) {
    switch (op) {
    case OP_SIN: case OP_TAN: case OP_ASIN: case OP_ATAN: case OP_SINH: case OP_TANH: case OP_ASINH: case OP_ATANH: case OP_ERF: case OP_ERF_INV:
    case OP_CBRT: case OP_BESSEL_I1E: return ODD;
    case OP_COS: case OP_COSH: return EVEN;
    default: return NEITHER;
    }
}

static void check_parity(const Code *code, Parity p, size_t n, float *x, const float *fx, Worst *worst) {
    static float value[CHUNK];
    for (size_t i = 0; i < n; i++) x[i] = -x[i];
    evaluate(code, x, NULL, value);
    for (size_t i = 0; i < n; i++) {
        float want = p == ODD ? -fx[i] : fx[i];
        if (memcmp(&value[i], &want, 4) != 0 && !(isnan(value[i]) && isnan(want))) *worst = (Worst){ INFINITY, x[i], 0, worst->tried };
    }
    worst->tried += n;
}

static void measure(const Code *code, Reference *ref, Op op, DType t, Parity p, size_t n, const double *x, const double *y, Worst *worst) {
    static float fx[CHUNK], fy[CHUNK], fv[CHUNK];
    static double dv[CHUNK];
    for (size_t i = 0; i < n; i++) fx[i] = (float)x[i], fy[i] = (float)y[i];
    if (t == WEFT_F32) evaluate(code, fx, fy, fv);
    else evaluate(code, x, y, dv);
    for (size_t i = 0; i < n; i++) {
        double got = t == WEFT_F32 ? fv[i] : dv[i];
        double error = reference_distance(ref, op, t, x[i], y[i], got);
        if (error > worst->error + 0x1p-16) error = reference_exactly(ref, op, t, x[i], y[i], got);
        if (error > worst->error) *worst = (Worst){ error, x[i], y[i], worst->tried };
    }
    worst->tried += n;
    if (p != NEITHER) check_parity(code, p, n, fx, fv, worst);
}

static void run(Op op, DType t, uint64_t stride, uint64_t samples) {
    static double x[CHUNK], y[CHUNK];
    Reference ref;
    Worst worst = { 0, 0, 0, 0 };
    uint64_t state = 1;
    Code *code = compile(op, t);
    reference_init(&ref);
    bool sweep = t == WEFT_F32 && op_info[op].args == 1;
    Parity p = sweep ? parity(op) : NEITHER;
    if (op == OP_ZETA || op == OP_POLYGAMMA) samples /= 64;             /* slow in MPFR */
    uint64_t range = UINT64_C(1) << (p == NEITHER ? 32 : 31), total = sweep ? (range + stride - 1) / stride : samples;
    for (uint64_t done = 0; done < total; done += CHUNK) {
        size_t n = total - done < CHUNK ? (size_t)(total - done) : CHUNK;
        for (size_t i = 0; i < n; i++) {
            uint32_t bits = (uint32_t)((done + i) * stride);
            float f;
            memcpy(&f, &bits, 4);
            if (sweep) x[i] = f, y[i] = 0;
            else       sample_pair(&state, op, t, &x[i], &y[i]);
        }
        measure(code, &ref, op, t, p, n, x, y, &worst);
    }
    reference_clear(&ref);
    code_free(code, &graphs_allocator);
    printf("%-12s %s  %8.3f ulp  at %a", op_info[op].name, dtype_name(t), worst.error, worst.x);
    if (op_info[op].args > 1) printf(", %a", worst.y);
    printf("  (%llu tried)\n", (unsigned long long)worst.tried);
    fflush(stdout);
}

static bool measurable(Op op) {
    return op_is_ew(op) && op != OP_SIGN && op != OP_ROUND_AFZ && op != OP_NEXT_AFTER && op != OP_REDUCE_PRECISION;
}

int main(int argc, char **argv) {
    uint64_t stride = 1021, samples = 200000;
    bool type[2] = { true, true }, named = false;
    for (int i = 1; i < argc; i++) {
        if (!strcmp(argv[i], "--all")) stride = 1;
        else if (!strcmp(argv[i], "--stride") && i + 1 < argc) stride = strtoull(argv[++i], NULL, 10);
        else if (!strcmp(argv[i], "--samples") && i + 1 < argc) samples = strtoull(argv[++i], NULL, 10);
        else if (!strcmp(argv[i], "--f32")) type[1] = false;
        else if (!strcmp(argv[i], "--f64")) type[0] = false;
        else named = true;
    }
    for (int op = 0; op < OP_COUNT; op++) {
        bool wanted = !named;
        for (int i = 1; i < argc; i++) wanted |= !strcasecmp(argv[i], op_info[op].name);
        for (int k = 0; k < 2; k++) {
            DType t = k ? WEFT_F64 : WEFT_F32;
            if (wanted && type[k] && measurable((Op)op) && recipe_exists((Op)op, t)) run((Op)op, t, stride, samples);
        }
    }
    return 0;
}
