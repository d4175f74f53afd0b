/* Compiles, computes, and says whether that went well. */
#include <stdio.h>
#include <weft.h>

static weft_array *twice(weft_array *x) { return weft_add(x, x); }

int main(void)
{
    weft_context *ctx = weft_open(NULL);
    weft_declare(ctx, twice, weft_unary);
    weft_array *y = weft_jit(ctx, twice)(weft_scalar(ctx, 21));
    const char *error = weft_error(ctx);
    puts(error ? error : weft_item(y) == 42 ? "good" : "wrong");
    weft_close(ctx);
    return 0;
}
