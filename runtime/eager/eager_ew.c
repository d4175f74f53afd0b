/* eager_ew.c: elementwise ops on whole arrays: by a kernel where there is one, by a recipe for math
 * functions, and for f16 and bf16 in blocks: widened to f32, computed, rounded once. Only what is about the
 * bits of a format (next_after, reduce_precision, total order) works on narrow floats as they are. */
#include <assert.h>
#include "compiler/scalar/recipe.h"
#include "eager.h"

enum { BLOCK = 1024 };

/* How an op is done on elements of one type: by a kernel, or by a recipe, on operands converted to compute. */
typedef struct Elementwise {
    ElementLoop *kernel;
    const Recipe *recipe;
    int n_args;
    DType compute;
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
    DType compute = w->compute;
    bool narrow_result = dtype_is_narrow_float(result) && result != compute;
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
    if (any || t != w->compute) go_in_blocks(w, t, result, single, n, operand, out);
    else go(w, n, operand, out);
}

/* A function of its own: the recipe is large, and an op that needs none must not pay for its stack. */
static __attribute__((noinline)) void go_by_recipe(const NodeSpec *spec, DType t, DType result,
                                                   const Type *arg_types, size_t n, const void *const *args,
                                                   void *out)
{
    Recipe recipe;
    DType compute = spec->op == OP_REDUCE_PRECISION ? t : compute_type(t);
    bool made = recipe_make(spec->op, compute, spec->attr, &recipe);
    assert(made && "an op without a loop has a recipe");
    (void)made;
    Elementwise w = { NULL, &recipe, (int)spec->n_args, compute };
    go_over(&w, t, result, arg_types, n, args, out);
}

static void compare(const NodeSpec *spec, const Type *arg_types, size_t n, const void *const *args, void *out)
{
    DType t = (DType)arg_types[0].dtype;
    CompareOrder order = (CompareOrder)spec->attr[1];
    DType compute = order == ORDER_TOTAL ? t : compute_type(t);
    Elementwise w = { kernel_compare((CompareDir)spec->attr[0], order, compute), NULL, 2, compute };
    go_over(&w, t, WEFT_BOOL, arg_types, n, args, out);
}

static void select_elements(const Type *arg_types, size_t n, const void *const *args, void *out)
{
    size_t bytes = dtype_bytes((DType)arg_types[1].dtype);
    if (arg_types[0].rank == 0 && n > 0)
        eager_copy_bytes(out, *(const uint8_t *)args[0] ? args[1] : args[2], n * bytes);
    else kernel_select(bytes)(n, args[0], args[1], args[2], out);
}

/* Along the integers that order the floats of a format. */
static uint64_t next_after_bits(DType t, uint64_t a, uint64_t b)
{
    DTypeInfo f = dtype_info[t];
    uint64_t top = UINT64_C(1) << (f.exponent_bits + f.mantissa_bits), abs_a = a & ~top, abs_b = b & ~top;
    uint64_t inf = ((UINT64_C(1) << f.exponent_bits) - 1) << f.mantissa_bits;
    if (abs_a > inf || abs_b > inf) return inf | UINT64_C(1) << (f.mantissa_bits - 1);
    if (a == b || (abs_a == 0 && abs_b == 0)) return b;
    if (abs_a == 0) return (b & top) | 1;
    bool away = (a & top) == (b & top) && abs_b > abs_a;
    return away ? a + 1 : a - 1;
}

static void next_after(DType t, size_t n, const char *a, const char *b, char *out)
{
    size_t bytes = dtype_bytes(t);
    for (size_t i = 0; i < n * bytes; i += bytes)
        scalar_store(t, out + i, next_after_bits(t, scalar_load(t, a + i), scalar_load(t, b + i)));
}

bool eager_ew(const EagerCall *c)
{
    const NodeSpec *spec = c->spec;
    DType t = (DType)c->arg_types[spec->op == OP_CLAMP].dtype, result = (DType)c->out_types[0].dtype;
    size_t n = eager_count(c->out_types[0]);
    void *out = c->outs[0];
    ElementLoop *kernel = kernel_of(spec->op, compute_type(t));
    Elementwise w = { kernel, NULL, (int)spec->n_args, compute_type(t) };
    switch (spec->op) {
    case OP_CONVERT:       kernel_run_convert(t, result, n, c->args[0], out); return true;
    case OP_BITCAST:
    case OP_STOP_GRADIENT: eager_copy_bytes(out, c->args[0], n * dtype_bytes(result)); return true;
    case OP_COMPARE:       compare(spec, c->arg_types, n, c->args, out); return true;
    case OP_SELECT:        select_elements(c->arg_types, n, c->args, out); return true;
    case OP_NEXT_AFTER:    next_after(t, n, c->args[0], c->args[1], out); return true;
    default: /* a kernel or a recipe */
        if (kernel) go_over(&w, t, result, c->arg_types, n, c->args, out);
        else go_by_recipe(spec, t, result, c->arg_types, n, c->args, out);
        return true;
    }
}
