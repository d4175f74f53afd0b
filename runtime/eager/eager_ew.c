/* eager_ew.c: elementwise ops on whole arrays: by a kernel where there is one, by a recipe for math
 * functions, and for f16 and bf16 in blocks: widened to f32, computed, rounded once. Only what is about the
 * bits of a format (next_after, reduce_precision, total order) works on narrow floats as they are. */
#include <assert.h>
#include "compiler/scalar/recipe.h"
#include "eager.h"

enum { BLOCK = 1024 };

/* How an op is done on elements of one type: by a kernel, or by a recipe. */
typedef struct Elementwise {
    ElementLoop *kernel;
    const Recipe *recipe;
    int n_args;
} Elementwise;

static void go(const Elementwise *w, size_t n, const void *const *args, void *out)
{
    if (w->kernel) w->kernel(n, args[0], args[1], args[2], out);
    else eager_recipe(w->recipe, n, args, out);
}

/* single[k]: operand k is one element for all (rank 0). For such, and for narrow floats, blocks of operands
 * are made first. */
static void go_in_blocks(const Elementwise *w, DType t, DType result, const bool *single, size_t n,
                         const void *const *args, void *out)
{
    _Alignas(16) char operand[3][BLOCK * 8], value[BLOCK * 8];
    DType compute = compute_type(t);
    bool narrow_result = dtype_is_narrow_float(result);
    for (size_t i = 0; i < n; i += BLOCK) {
        size_t m = n - i < BLOCK ? n - i : BLOCK;
        const void *blocks[3] = { NULL, NULL, NULL };
        for (int k = 0; k < w->n_args; k++) {
            const char *src = (const char *)args[k] + (single[k] ? 0 : i * dtype_bytes(t));
            kernel_run_convert(t, compute, single[k] ? 1 : m, src, operand[k]);
            if (single[k])
                eager_fill(dtype_bytes(compute), m - 1, operand[k], operand[k] + dtype_bytes(compute));
            blocks[k] = operand[k];
        }
        void *to = (char *)out + i * dtype_bytes(result);
        go(w, m, blocks, narrow_result ? value : to);
        if (narrow_result) kernel_run_convert(WEFT_F32, result, m, value, to);
    }
}

static void go_over(const Elementwise *w, DType t, DType result, const Type *arg_types, size_t n,
                    const void *const *args, void *out)
{
    bool single[3] = { false, false, false }, any = false;
    for (int k = 0; k < w->n_args; k++) any |= single[k] = arg_types[k].rank == 0 && n != 1;
    const void *operand[3] = { NULL, NULL, NULL };
    for (int k = 0; k < w->n_args; k++) operand[k] = args[k];
    if (any || dtype_is_narrow_float(t)) go_in_blocks(w, t, result, single, n, operand, out);
    else go(w, n, operand, out);
}

/* A function of its own: the recipe is large, and an op that needs none must not pay for its stack. */
static __attribute__((noinline)) void go_by_recipe(const NodeSpec *spec, DType t, DType result,
                                                   const Type *arg_types, size_t n, const void *const *args,
                                                   void *out)
{
    Recipe recipe;
    bool made = recipe_make(spec->op, compute_type(t), spec->attr, &recipe);
    assert(made && "an op without a loop has a recipe");
    (void)made;
    Elementwise w = { NULL, &recipe, (int)spec->n_args };
    go_over(&w, t, result, arg_types, n, args, out);
}

static void compare(const NodeSpec *spec, const Type *arg_types, size_t n, const void *const *args, void *out)
{
    DType t = (DType)arg_types[0].dtype;
    CompareOrder order = (CompareOrder)spec->attr[1];
    bool by_bits = order == ORDER_TOTAL && dtype_is_narrow_float(t);
    Elementwise w = { kernel_compare((CompareDir)spec->attr[0], order, by_bits ? t : compute_type(t)), NULL,
                      2 };
    if (by_bits) w.kernel(n, args[0], args[1], NULL, out);
    else go_over(&w, t, WEFT_BOOL, arg_types, n, args, out);
}

static void select_elements(const Type *arg_types, size_t n, const void *const *args, void *out)
{
    size_t bytes = dtype_bytes((DType)arg_types[1].dtype);
    if (arg_types[0].rank == 0 && n > 0)
        eager_copy_bytes(out, *(const uint8_t *)args[0] ? args[1] : args[2], n * bytes);
    else kernel_select(bytes)(n, args[0], args[1], args[2], out);
}

/* Widths of a format's exponent and mantissa. */
typedef struct FloatBits {
    int exponent, mantissa;
} FloatBits;

static FloatBits bits_of(DType t)
{
    return t == WEFT_F16    ? (FloatBits){ 5, 10 }
           : t == WEFT_BF16 ? (FloatBits){ 8, 7 }
           : t == WEFT_F32  ? (FloatBits){ 8, 23 }
                            : (FloatBits){ 11, 52 };
}

/* Rounds the mantissa to nearest even (a carry runs into the exponent as it should); beyond the smaller
 * exponent range lie inf and zero, as in XLA. */
static uint64_t reduce_precision(uint64_t bits, FloatBits f, FloatBits to)
{
    uint64_t sign = bits & UINT64_C(1) << (f.exponent + f.mantissa), magnitude = bits ^ sign;
    uint64_t inf = ((UINT64_C(1) << f.exponent) - 1) << f.mantissa;
    if (magnitude > inf) return bits | UINT64_C(1) << (f.mantissa - 1);
    int drop = f.mantissa - to.mantissa;
    if (drop > 0) {
        uint64_t lowest = magnitude >> drop & 1;
        magnitude = (magnitude + (UINT64_C(1) << (drop - 1)) - 1 + lowest) >> drop << drop;
    }
    if (to.exponent < f.exponent) {
        uint64_t bias = (UINT64_C(1) << (f.exponent - 1)) - 1,
                 to_bias = (UINT64_C(1) << (to.exponent - 1)) - 1, e = magnitude >> f.mantissa;
        if (e > bias + to_bias) magnitude = inf;
        else if (e <= bias - to_bias) magnitude = 0;
    }
    return sign | magnitude;
}

/* Along the integers that order the floats of a format. */
static uint64_t next_after(uint64_t a, uint64_t b, FloatBits f)
{
    uint64_t top = UINT64_C(1) << (f.exponent + f.mantissa), inf = ((UINT64_C(1) << f.exponent) - 1)
                                                                   << f.mantissa;
    uint64_t abs_a = a & ~top, abs_b = b & ~top;
    if (abs_a > inf || abs_b > inf) return inf | UINT64_C(1) << (f.mantissa - 1);
    if (a == b || (abs_a == 0 && abs_b == 0)) return b;
    if (abs_a == 0) return (b & top) | 1;
    bool away = (a & top) == (b & top) && abs_b > abs_a;
    return away ? a + 1 : a - 1;
}

static void by_bits(const NodeSpec *spec, DType t, size_t n, const void *const *args, void *out)
{
    FloatBits f = bits_of(t);
    size_t bytes = dtype_bytes(t);
    for (size_t i = 0; i < n; i++) {
        uint64_t a = scalar_load(t, (const char *)args[0] + i * bytes);
        uint64_t r = spec->op == OP_REDUCE_PRECISION
                         ? reduce_precision(a, f, (FloatBits){ (int)spec->attr[0], (int)spec->attr[1] })
                         : next_after(a, scalar_load(t, (const char *)args[1] + i * bytes), f);
        scalar_store(t, (char *)out + i * bytes, r);
    }
}

bool eager_ew(const EagerCall *c)
{
    const NodeSpec *spec = c->spec;
    DType t = (DType)c->arg_types[spec->op == OP_CLAMP].dtype, result = (DType)c->out_types[0].dtype;
    size_t n = eager_count(c->out_types[0]);
    void *out = c->outs[0];
    ElementLoop *kernel = kernel_of(spec->op, compute_type(t));
    Elementwise w = { kernel, NULL, (int)spec->n_args };
    switch (spec->op) {
    case OP_CONVERT:          kernel_run_convert(t, result, n, c->args[0], out); return true;
    case OP_BITCAST:
    case OP_STOP_GRADIENT:    eager_copy_bytes(out, c->args[0], n * dtype_bytes(result)); return true;
    case OP_COMPARE:          compare(spec, c->arg_types, n, c->args, out); return true;
    case OP_SELECT:           select_elements(c->arg_types, n, c->args, out); return true;
    case OP_REDUCE_PRECISION:
    case OP_NEXT_AFTER:       by_bits(spec, t, n, c->args, out); return true;
    default: /* a kernel or a recipe */
        if (kernel) go_over(&w, t, result, c->arg_types, n, c->args, out);
        else go_by_recipe(spec, t, result, c->arg_types, n, c->args, out);
        return true;
    }
}
