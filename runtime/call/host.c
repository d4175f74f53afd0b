/* host.c: functions of the host's that programs call by name (weft_custom_call_on). */
#include <string.h>
#include "compiler/text/narrow.h"
#include "loaded.h"
#include "runtime/library/checks.h"
#include "runtime/memory/floating.h"

struct Host {
    HostFunction function; /* first; its next is another Host's */
    weft_custom_fn f;
    size_t bytes; /* of this, with its name */
};

/* A call in a program, which lives as long as that. */
struct HostOp {
    ForeignOp op;
    weft_custom_fn f;
    weft_custom_call call; /* but for in and out */
    size_t *bytes;         /* of each result */
    HostOp *next;
};

/* ---- calls ---- */

static bool say(Failure *f, const char *name, char why[sizeof f->text])
{
    why[sizeof f->text - 1] = 0;
    return fail(f, WEFT_ARGUMENT, "%s: %s", name, *why ? why : "it failed");
}

static bool run_host(const HostOp *h, const void *const *in, void *const *out)
{
    char why[sizeof run_failure->text];
    weft_custom_call call = h->call;
    call.in = in;
    call.out = out;
    why[0] = 0;
    floating_leave(thread.floating);
    bool good = h->f.call(&call, why, sizeof why);
    floating_enter();
    return good || say(run_failure, call.name, why);
}

static void call_host(const ForeignOp *op, const int64_t *numbers, const void *const *in, void *const *out)
{
    const HostOp *h = op->user;
    const bool *failed = in[h->call.n_in];
    (void)numbers;
    bool good = !*failed && run_host(h, in, out);
    for (int i = 0; i < h->call.n_out && !good; i++) memset(out[i], 0, h->bytes[i]);
    *(bool *)out[h->call.n_out] = !good;
}

static weft_type *types_of(Arena *a, const Type *from, const uint8_t *narrow, uint32_t n)
{
    weft_type *to = arena_alloc(a, (n + 1) * sizeof *to);
    for (uint32_t i = 0; i < n; i++)
        to[i] = (weft_type){ (weft_dtype)from[i].dtype, from[i].rank, from[i].dim,
                             narrow[i] ? narrow_name((Narrow)narrow[i]) : NULL };
    return to;
}

static const ForeignOp *make_op(const HostFunction *function, Arena *a, const HostCall *call,
                                Failure *failure)
{
    const weft_custom_fn *f = &((const struct Host *)function)->f;
    HostOp *h = arena_alloc(a, sizeof *h), **made = call->made;
    size_t *bytes = arena_alloc(a, (call->n_out + 1) * sizeof *bytes);
    char why[sizeof failure->text] = "";
    for (uint32_t i = 0; i < call->n_out; i++)
        bytes[i] = (size_t)type_count(call->out[i]) * dtype_bytes((DType)call->out[i].dtype);
    *h = (HostOp){ .op = { .name = call->name, .call = call_host, .complains = true, .user = h },
                   .f = *f,
                   .call = { .name = call->name,
                             .config = call->config,
                             .n_in = (int)call->n_in,
                             .n_out = (int)call->n_out,
                             .in_type = types_of(a, call->in, call->narrow_in, call->n_in),
                             .out_type = types_of(a, call->out, call->narrow_out, call->n_out),
                             .user = f->user },
                   .bytes = bytes };
    if (f->begin && !f->begin(&h->call, why, sizeof why)) return say(failure, call->name, why), NULL;
    h->next = *made;
    *made = h;
    return &h->op;
}

void host_ops_end(HostOp *h)
{
    for (; h; h = h->next)
        if (h->f.end) h->f.end(&h->call);
}

void host_ops_keep(weft_context *ctx, HostOp *made)
{
    HostOp **end = &made;
    while (*end) end = &(*end)->next;
    LOCK(&ctx->lock);
    *end = ctx->host_ops;
    ctx->host_ops = made;
}

/* ---- the functions ---- */

const HostFunction *host_functions(weft_context *ctx)
{
    LOCK(&ctx->lock);
    return ctx->hosts ? &ctx->hosts->function : NULL;
}

void hosts_close(weft_context *ctx)
{
    host_ops_end(ctx->host_ops);
    while (ctx->hosts) {
        struct Host *h = ctx->hosts;
        ctx->hosts = (struct Host *)(uintptr_t)h->function.next;
        memory_free(&ctx->memory, h, h->bytes);
    }
}

weft_status weft_custom_call_on_(weft_context *ctx, const char *name, const weft_custom_fn *f, const char *at)
{
    const char *who = "weft_custom_call_on";
    Local *l = context_enter(ctx, who, at);
    if (!l) return WEFT_ARGUMENT;
    if (!name || !*name || !f || !f->call) {
        error_set(l, WEFT_ARGUMENT, who, at, "the %s",
                  name && *name ? "function is NULL" : "name is NULL or empty");
        return WEFT_ARGUMENT;
    }
    size_t length = strlen(name) + 1, bytes = sizeof(struct Host) + length;
    struct Host *h = memory_alloc(&l->ctx->memory, bytes);
    if (!h) return error_memory(l, who, at), WEFT_MEMORY;
    *h = (struct Host){ { memcpy(h + 1, name, length), make_op, NULL }, *f, bytes };
    LOCK(&l->ctx->lock);
    h->function.next = l->ctx->hosts ? &l->ctx->hosts->function : NULL;
    l->ctx->hosts = h;
    return WEFT_OK;
}
