/* eager_ew.c: elementwise ops on whole arrays: by a kernel where there is one, by a recipe for math
 * functions, and for f16 and bf16 in blocks: widened to f32, computed, rounded once. Only what is about the
 * bits of a format (next_after, reduce_precision, total order) works on narrow floats as they are. */
#include <assert.h>
#include "compiler/scalar/recipe.h"
#include "eager.h"

enum { BLOCK = 1024 };

/* How an op is done: by a kernel, or by a recipe, on operands of type t converted to compute. */
typedef struct Elementwise {
    ElementLoop *kernel;
    const Recipe *recipe;
    int n_args;
    DType t, compute, result;
} Elementwise;

static void go(const Elementwise *w, size_t n, const void *const *args, void *out)
{
    if (w->kernel) w->kernel(n, args[0], args[1], args[2], out);
    else eager_recipe(w->recipe, n, args, out);
}

/* single[k]: operand k is one element for all (rank 0). For such, and for narrow floats, blocks of operands
 * are made first. */
static void go_in_blocks(const Elementwise *w, const bool *single, size_t n, const void *const *args,
                         char *out)
{
    _Alignas(16) char operand[3][BLOCK * 8], value[BLOCK * 8];
    DType t = w->t, compute = w->compute, result = w->result;
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
        void *to = out + i * dtype_bytes(result);
        go(w, m, blocks, narrow_result ? value : to);
        if (narrow_result) kernel_run_convert(WEFT_F32, result, m, value, to);
    }
}

static void go_over(const Elementwise *w, const EagerCall *c)
{
    size_t n = eager_count(c->out_types[0]);
    bool single[3] = { false, false, false }, any = false;
    const void *operand[3] = { NULL, NULL, NULL };
    for (int k = 0; k < w->n_args; k++) {
        operand[k] = c->args[k];
        any |= single[k] = c->arg_types[k].rank == 0 && n != 1;
    }
    if (any || w->t != w->compute) go_in_blocks(w, single, n, operand, c->outs[0]);
    else go(w, n, operand, c->outs[0]);
}

/* A function of its own: the recipe is large, and an op that needs none must not pay for its stack. */
static __attribute__((noinline)) void go_by_recipe(Elementwise w, const EagerCall *c)
{
    Recipe recipe;
    const NodeSpec *s = c->spec;
    bool by_number = s->op == OP_POW && c->arg_types[1].rank == 0;
    bool made = by_number || recipe_make(s->op, w.compute, s->attr, true, &recipe);
    assert(made && "an op without a loop has a recipe");
    (void)made;
    if (by_number) {
        recipe_make_power(w.compute, scalar_convert(w.compute, w.t, scalar_load(w.t, c->args[1])), true,
                          &recipe);
        w.n_args = 1;
    }
    w.recipe = &recipe;
    go_over(&w, c);
}

static void select_elements(const EagerCall *c, size_t n)
{
    DType t = (DType)c->out_types[0].dtype;
    const void *const *args = c->args;
    if (c->arg_types[0].rank == 0 && n > 0)
        eager_copy_bytes(c->outs[0], *(const uint8_t *)args[0] ? args[1] : args[2], n * dtype_bytes(t));
    else kernel_of(OP_SELECT, t, NULL)(n, args[0], args[1], args[2], c->outs[0]);
}

bool eager_ew(const EagerCall *c)
{
    const NodeSpec *spec = c->spec;
    DType t = (DType)c->arg_types[spec->op == OP_CLAMP].dtype, result = (DType)c->out_types[0].dtype,
          compute = kernel_type(spec->op, t, spec->attr);
    size_t n = eager_count(c->out_types[0]);
    if (spec->op == OP_CONVERT) kernel_run_convert(t, result, n, c->args[0], c->outs[0]);
    else if (spec->op == OP_BITCAST || spec->op == OP_STOP_GRADIENT)
        eager_copy_bytes(c->outs[0], c->args[0], n * dtype_bytes(result));
    else if (spec->op == OP_SELECT) select_elements(c, n);
    else {
        ElementLoop *kernel = kernel_of(spec->op, compute, spec->attr);
        const Elementwise w = { kernel, NULL, (int)spec->n_args, t, compute, result };
        if (kernel) go_over(&w, c);
        else go_by_recipe(w, c);
    }
    return true;
}
