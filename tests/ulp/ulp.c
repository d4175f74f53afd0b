/* ulp: measures the public math functions, compiled in strict mode (which is eager mode bit by bit), against
 * higher precision.
 *
 *   weft-ulp [--all | --stride N] [--samples N] [--f32 | --f64] [--default] [--check] [NAME...]
 *
 * Prints for each function and type the largest error in ulps seen, where, and how many arguments were
 * tried. Unary F32 functions run over every 1,021st bit pattern, or every N-th, with --all over all 2^32,
 * compared in double; each error larger than all before it is measured again by MPFR. F64 and binary
 * functions run over N random arguments of several kinds (any bits, near 1, near a small integer,
 * moderate). --default: in default mode, which computes otherwise where the target (WEFT_TARGET) has no
 * multiply-add. --check: fails where an error is above that of docs/math.md, or a function of weft/ops.h does
 * not stand there.
 */
#include "reference.h"
#include "weft.h"

enum { CHUNK = 4096 };
static const double ROUNDING = 0.005; /* of the bounds in docs/math.md, which have two places */

/* f(-x) is -f(x), or f(x): shown bit by bit, after which f(x) speaks for both. */
typedef enum { NEITHER, ODD, EVEN } Parity;

typedef struct Measured {
    const char *name;
    weft_fn function;
    int op, args;
    Parity parity;
} Measured;
#define ONE(f, op, parity) { #f, (weft_fn)weft_##f, op, 1, parity }
#define TWO(f, op)         { #f, (weft_fn)weft_##f, op, 2, NEITHER }
static const Measured functions[] = {
    ONE(exp, OP_EXP, NEITHER),
    ONE(exp2, OP_EXP2, NEITHER),
    ONE(expm1, OP_EXPM1, NEITHER),
    ONE(log, OP_LOG, NEITHER),
    ONE(log2, OP_LOG2, NEITHER),
    ONE(log10, OP_LOG10, NEITHER),
    ONE(log1p, OP_LOG1P, NEITHER),
    ONE(sigmoid, OP_LOGISTIC, NEITHER),
    ONE(sin, OP_SIN, ODD),
    ONE(cos, OP_COS, EVEN),
    ONE(tan, OP_TAN, ODD),
    ONE(tanh, OP_TANH, ODD),
    ONE(sinh, OP_SINH, ODD),
    ONE(cosh, OP_COSH, EVEN),
    ONE(asin, OP_ASIN, ODD),
    ONE(acos, OP_ACOS, NEITHER),
    ONE(atan, OP_ATAN, ODD),
    ONE(asinh, OP_ASINH, ODD),
    ONE(acosh, OP_ACOSH, NEITHER),
    ONE(atanh, OP_ATANH, ODD),
    ONE(erf, OP_ERF, ODD),
    ONE(erfc, OP_ERFC, NEITHER),
    ONE(erf_inv, OP_ERF_INV, ODD),
    ONE(cbrt, OP_CBRT, ODD),
    ONE(rsqrt, OP_RSQRT, NEITHER),
    ONE(lgamma, OP_LGAMMA, NEITHER),
    ONE(digamma, OP_DIGAMMA, NEITHER),
    ONE(bessel_i1e, OP_BESSEL_I1E, ODD),
    ONE(reciprocal, REFERENCE_RECIPROCAL, ODD),
    ONE(softplus, REFERENCE_SOFTPLUS, NEITHER),
    ONE(log_sigmoid, REFERENCE_LOG_SIGMOID, NEITHER),
    ONE(silu, REFERENCE_SILU, NEITHER),
    ONE(gelu, REFERENCE_GELU, NEITHER),
    ONE(gelu_exact, REFERENCE_GELU_EXACT, NEITHER),
    TWO(atan2, OP_ATAN2),
    TWO(pow, OP_POW),
    TWO(hypot, REFERENCE_HYPOT),
    TWO(logaddexp, REFERENCE_LOGADDEXP),
    TWO(rem, OP_REM),
    TWO(zeta, OP_ZETA),
    TWO(polygamma, OP_POLYGAMMA),
};
enum { FUNCTIONS = sizeof functions / sizeof *functions };

static weft_context *ctx;

/* The function alone over CHUNK elements. */
static weft_plan *compile(const Measured *m, DType t)
{
    weft_array *x = weft_zeros(ctx, t, CHUNK), *y = weft_zeros(ctx, t, CHUNK);
    weft_fn f = weft_jit_(ctx, m->function, m->name);
    weft_plan_options o = { .realtime = true };
    weft_plan *plan = m->args == 1 ? weft_compile(ctx, o, ((weft_unary *)f)(x))
                                   : weft_compile(ctx, o, ((weft_binary *)f)(x, y));
    if (plan && !weft_plan_scratch(plan)) return plan;
    fprintf(stderr, "%s: %s\n", m->name, plan ? "needs scratch memory" : weft_error(ctx));
    exit(1);
}

static void evaluate(const weft_plan *plan, const void *x, const void *y, void *out)
{
    weft_run(plan, (const void *[]){ x, y }, (void *[]){ out }, NULL);
}

typedef struct Worst {
    double error, x, y;
    uint64_t tried;
} Worst;

static uint64_t next_random(uint64_t *state)
{
    uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

static double uniform(uint64_t *state, double lo, double hi)
{
    return lo + (hi - lo) * ((double)(next_random(state) >> 11) * 0x1p-53);
}

/* Any bits; log-uniform moderate; close to 1; close to a small integer; uniform over what most functions find
 * interesting. */
static double sample(uint64_t *state, DType t)
{
    uint64_t bits = next_random(state);
    double sign = bits & 1 ? -1 : 1;
    switch (bits >> 1 & 7) {
    case 0:
    case 1: {
        bits = next_random(state);
        if (t == WEFT_F64) {
            double d;
            memcpy(&d, &bits, 8);
            return d;
        }
        uint32_t half = (uint32_t)bits;
        float f;
        memcpy(&f, &half, 4);
        return f;
    }
    case 2:  return sign * exp(uniform(state, -12, 7));
    case 3:  return sign * (1 + uniform(state, -1, 1) * exp(uniform(state, -36, 0)));
    case 4:  return nearbyint(uniform(state, -30, 30)) + sign * exp(uniform(state, -36, 0));
    case 5:  return uniform(state, -1, 1);
    case 6:  return uniform(state, -30, 30);
    default: return uniform(state, -750, 750);
    }
}

/* zeta and polygamma are compared where the reference sums: s > 1, q > 0; n a small integer. */
static void sample_pair(uint64_t *state, int op, DType t, double *x, double *y)
{
    *x = sample(state, t);
    *y = sample(state, t);
    if (op == OP_POW && next_random(state) & 1)
        *x = exp(uniform(state, -30, 30)), *y = uniform(state, -1, 1) * 745 / log(*x);
    if (op == OP_ZETA) *x = 1 + exp(uniform(state, -5, 4)), *y = exp(uniform(state, -4, 6));
    if (op == OP_POLYGAMMA) *x = nearbyint(uniform(state, 1, 12)), *y = exp(uniform(state, -4, 6));
    if (t == WEFT_F32) *x = (float)*x, *y = (float)*y;
}

static void check_parity(const weft_plan *plan, Parity p, size_t n, float *x, const float *fx, Worst *worst)
{
    static float value[CHUNK];
    for (size_t i = 0; i < n; i++) x[i] = -x[i];
    evaluate(plan, x, NULL, value);
    for (size_t i = 0; i < n; i++) {
        float want = p == ODD ? -fx[i] : fx[i];
        if (memcmp(&value[i], &want, 4) == 0 || (isnan(value[i]) && isnan(want))) continue;
        *worst = (Worst){ INFINITY, x[i], 0, worst->tried };
    }
    worst->tried += n;
}

static void measure(const weft_plan *plan, Reference *ref, const Measured *m, DType t, bool halved, size_t n,
                    const double *x, const double *y, Worst *worst)
{
    static float fx[CHUNK], fy[CHUNK], fv[CHUNK];
    static double dv[CHUNK];
    for (size_t i = 0; i < n; i++) fx[i] = (float)x[i], fy[i] = (float)y[i];
    if (t == WEFT_F32) evaluate(plan, fx, fy, fv);
    else evaluate(plan, x, y, dv);
    for (size_t i = 0; i < n; i++) {
        double got = t == WEFT_F32 ? fv[i] : dv[i];
        double error = reference_distance(ref, m->op, t, x[i], y[i], got);
        if (error > worst->error + 0x1p-16) error = reference_exactly(ref, m->op, t, x[i], y[i], got);
        if (error > worst->error) *worst = (Worst){ error, x[i], y[i], worst->tried };
    }
    worst->tried += n;
    if (halved) check_parity(plan, m->parity, n, fx, fv, worst);
}

/* The largest error. */
static double run(const Measured *m, DType t, uint64_t stride, uint64_t samples)
{
    static double x[CHUNK], y[CHUNK];
    Reference ref;
    Worst worst = { 0, 0, 0, 0 };
    uint64_t state = 1;
    weft_plan *plan = compile(m, t);
    reference_init(&ref);
    bool sweep = t == WEFT_F32 && m->args == 1, halved = sweep && m->parity != NEITHER;
    if (m->op == OP_ZETA || m->op == OP_POLYGAMMA) samples /= 64; /* slow in MPFR */
    uint64_t range = UINT64_C(1) << (halved ? 31 : 32);
    uint64_t total = sweep ? (range + stride - 1) / stride : samples;
    for (uint64_t done = 0; done < total; done += CHUNK) {
        size_t n = total - done < CHUNK ? (size_t)(total - done) : CHUNK;
        for (size_t i = 0; i < n; i++) {
            uint32_t bits = (uint32_t)((done + i) * stride);
            float f;
            memcpy(&f, &bits, 4);
            if (sweep) x[i] = f, y[i] = 0;
            else sample_pair(&state, m->op, t, &x[i], &y[i]);
        }
        measure(plan, &ref, m, t, halved, n, x, y, &worst);
    }
    reference_clear(&ref);
    weft_plan_free(plan);
    printf("%-12s %s  %8.3f ulp  at %a", m->name, dtype_name(t), worst.error, worst.x);
    if (m->args > 1) printf(", %a", worst.y);
    printf("  (%llu tried)\n", (unsigned long long)worst.tried);
    fflush(stdout);
    return worst.error;
}

/* ---- docs/math.md ---- */

static char *read_file(const char *path)
{
    FILE *f = fopen(path, "rb");
    static char text[2][1 << 18];
    static int used;
    char *to = text[used++];
    if (!f) fprintf(stderr, "%s: cannot be read\n", path), exit(1);
    to[fread(to, 1, sizeof text[0] - 1, f)] = '\0';
    fclose(f);
    return to;
}

/* The part of docs/math.md that the check is about. */
static const char *read_promises(void)
{
    char *from = strstr(read_file(WEFT_SOURCE_DIR "/docs/math.md"), "\n## Errors measured");
    char *end = from ? strstr(from + 1, "\n## ") : NULL;
    if (!end) fprintf(stderr, "docs/math.md: no section of errors measured\n"), exit(1);
    *end = '\0';
    return from;
}

/* "| exp | 0.92 | 1.00 |" */
static bool promised(const char *doc, const char *name, double bound[2])
{
    char row[64];
    snprintf(row, sizeof row, "\n| %s | ", name);
    const char *at = strstr(doc, row);
    return at && sscanf(at + strlen(row), "%lf | %lf", &bound[0], &bound[1]) == 2;
}

/* Every elementwise function of one or two operands has its row, or stands in `...` among those that are
 * exact. */
static int check_names(const char *doc)
{
    const char *at = strstr(read_file(WEFT_SOURCE_DIR "/include/weft/ops.h"), "elementwise, one operand");
    const char *end = at ? strstr(at, "elementwise, three operands") : NULL;
    int missing = 0;
    if (!end) return 1;
    for (char name[64], quoted[66]; (at = strstr(at, "_(weft_")) && at < end; at++) {
        double bound[2];
        if (sscanf(at, "_(weft_%63[a-z0-9_])", name) != 1) continue;
        snprintf(quoted, sizeof quoted, "`%s`", name);
        if (promised(doc, name, bound) || strstr(doc, quoted)) continue;
        printf("%s of weft/ops.h does not stand in docs/math.md\n", name);
        missing++;
    }
    return missing;
}

int main(int argc, char **argv)
{
    uint64_t stride = 1021, samples = 200000;
    bool type[2] = { true, true }, named = false;
    weft_mode mode = WEFT_MODE_STRICT;
    const char *doc = NULL;
    for (int i = 1; i < argc; i++) {
        if (!strcmp(argv[i], "--all")) stride = 1;
        else if (!strcmp(argv[i], "--stride") && i + 1 < argc) stride = strtoull(argv[++i], NULL, 10);
        else if (!strcmp(argv[i], "--samples") && i + 1 < argc) samples = strtoull(argv[++i], NULL, 10);
        else if (!strcmp(argv[i], "--f32")) type[1] = false;
        else if (!strcmp(argv[i], "--f64")) type[0] = false;
        else if (!strcmp(argv[i], "--default")) mode = WEFT_MODE_DEFAULT;
        else if (!strcmp(argv[i], "--check")) doc = read_promises();
        else named = true;
    }
    ctx = weft_open(&(weft_options){ .mode = mode });
    int failures = doc ? check_names(doc) : 0;
    for (const Measured *m = functions; m < functions + FUNCTIONS; m++) {
        bool wanted = !named;
        double bound[2] = { INFINITY, INFINITY };
        for (int i = 1; i < argc; i++) wanted |= !strcmp(argv[i], m->name);
        if (doc && !promised(doc, m->name, bound))
            printf("%s has no row in docs/math.md\n", m->name), failures++;
        for (int k = 0; k < 2; k++)
            if (wanted && type[k] && run(m, k ? WEFT_F64 : WEFT_F32, stride, samples) > bound[k] + ROUNDING)
                printf("%s: docs/math.md says %.2f\n", m->name, bound[k]), failures++;
    }
    weft_close(ctx);
    return failures > 0;
}
