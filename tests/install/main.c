/* What a user's first program does, and a name that libweft also has inside: it must be the user's own. */
#include <stdio.h>
#include <weft.h>

int graph_add(void);
int graph_add(void) { return 42; }

static weft_array *gelu(weft_array *x)
{
    return weft_mul(weft_mul(x, 0.5), weft_add(weft_erf(weft_mul(x, 0.70710678118654752)), 1));
}

static int runs(weft_options o)
{
    weft_context *ctx = weft_open(&o);
    weft_declare(ctx, gelu, weft_unary);
    weft_unary *fast = weft_jit(ctx, gelu);
    weft_print(fast(weft_linspace(ctx, -3, 3, 8)));
    int good = weft_error(ctx) == NULL && weft_stats(ctx).compiles == 1;
    weft_close(ctx);
    return good;
}

int main(void)
{
    return !runs((weft_options){ .compile_apart = true }) || !runs((weft_options){ 0 }) || graph_add() != 42;
}
