/* forget.c: weft_forget: a function goes with all that was made of it, their hooks and their code. */
#include "runtime/transforms/rules/hooks.h"
#include "runtime/call/cache.h"
#include "weft/fn.h"

void weft_forget_(weft_context *ctx, weft_fn address)
{
    Local *l = context_enter(ctx, "weft_forget", NULL);
    if (!l) return;
    Function *gone = fn_forget(l->ctx, address);
    if (gone) hooks_forget(l->ctx);
    for (; gone; gone = gone->chain) cache_forget(l->ctx->cache, gone);
}
