/* fn.c: declaring functions and asking for transforms of them. */
#include "fn.h"
#include <stdlib.h>
#include <string.h>
#include "cache.h"
#include "call.h"
#include "compiler/passes/vmap.h"

enum { BUCKETS = 1024 };

struct Functions {
    weft_context *ctx;
    pthread_mutex_t lock;           /* guards all that follows */
    Arena arena;                    /* functions and signatures: they live as long as the context */
    Guard guard;
    ClosurePool closures;
    Signature *signatures;
    Function *bucket[BUCKETS];
};

Functions *functions_open(weft_context *ctx)
{
    Functions *t = memory_alloc(&ctx->memory, sizeof *t);
    if (!t) return NULL;
    t->ctx = ctx;
    pthread_mutex_init(&t->lock, NULL);
    arena_init(&t->arena, context_allocator(ctx), &t->guard);
    t->closures.memory = &ctx->memory;
    return t;
}

void functions_close(Functions *t)
{
    for (int i = 0; i < BUCKETS; i++)
        for (Function *f = t->bucket[i]; f; f = f->chain) key_free(&t->ctx->memory, f->last);
    closure_close(&t->closures);
    arena_free(&t->arena);
    pthread_mutex_destroy(&t->lock);
    memory_free(&t->ctx->memory, t, sizeof *t);
}

/* ---- the table; the lock is held and the guard set ---- */

static Function **bucket_of(Functions *t, weft_fn address)
{
    uint64_t h = (uint64_t)(uintptr_t)address * UINT64_C(0x9E3779B97F4A7C15);
    return &t->bucket[h >> 54];
}
_Static_assert(BUCKETS == 1 << (64 - 54), "the hash's upper bits number the buckets");

static Function *function_new(Functions *t, FnKind kind, const char *name, const Signature *sig)
{
    Function *f = arena_alloc(&t->arena, sizeof *f);
    *f = (Function){ .ctx = t->ctx, .kind = kind, .name = name, .label = name, .sig = sig };
    f->serial = atomic_fetch_add(&t->ctx->next_serial, 1);
    return f;
}

static void table_add(Functions *t, Function *f, weft_fn address)
{
    Function **b = bucket_of(t, address);
    f->address = address;
    f->chain = *b;
    *b = f;
}

static Signature *signature_of(Functions *t, const char *text, Failure *failure)
{
    for (Signature *s = t->signatures; s; s = s->next) if (!strcmp(s->text, text)) return s;
    Signature *s = signature_parse(&t->arena, text, failure);
    if (!s) return NULL;
    s->next = t->signatures;
    return t->signatures = s;
}

static Function *declare_builtin(Functions *t, weft_fn address)
{
    for (int i = 0; i < fn_builtin_count; i++) {
        const FnBuiltin *b = &fn_builtins[i];
        if (b->address != address) continue;
        Signature *s = signature_of(t, b->text, NULL);
        Function *f = s ? function_new(t, FN_USER, b->name, s) : NULL;
        if (f) table_add(t, f, address);
        return f;
    }
    return NULL;
}

static Function *find(Functions *t, weft_fn address)
{
    Function *f = *bucket_of(t, address);
    while (f && f->address != address) f = f->chain;
    return f ? f : declare_builtin(t, address);
}

/* ---- declaring ---- */

static void declare(Functions *t, weft_fn address, const char *name, const char *text, Failure *failure)
{
    Function *f = find(t, address);
    if (f && strcmp(f->sig->text, text))
        fail(failure, WEFT_ARGUMENT, "%s is declared already, as %s, not %s (does the linker fold equal functions?)", f->label, f->sig->text, text);
    if (f) return;
    Signature *s = signature_of(t, text, failure);
    if (s) table_add(t, function_new(t, FN_USER, arena_printf(&t->arena, "%s", name), s), address);
}

/* Errors are reported with the lock released: on_error is user code. */
static void report(Local *l, const char *who, const char *at, const Failure *failure)
{
    if (failure->code == WEFT_MEMORY) error_memory(l, who, at);
    else error_set(l, failure->code, who, at, "%s", failure->text);
}

weft_status weft_declare_(weft_context *ctx, weft_fn address, const char *name, const char *text, const char *at)
{
    Local *l = context_enter(ctx, "weft_declare", at);
    if (!l) return WEFT_ARGUMENT;
    Failure failure = { .code = WEFT_OK };
    if (!address || !name || !text) fail(&failure, WEFT_ARGUMENT, "the function is NULL");
    else {
        Functions *t = l->ctx->functions;
        pthread_mutex_lock(&t->lock);
        if (setjmp(t->guard.env)) failure.code = WEFT_MEMORY;
        else declare(t, address, name, text, &failure);
        pthread_mutex_unlock(&t->lock);
    }
    if (failure.code != WEFT_OK) report(l, "weft_declare", at, &failure);
    return failure.code;
}

/* ---- axes: "0, none -> 1" ---- */

static const char *skip_spaces(const char *s)
{
    while (*s == ' ' || *s == '\t' || *s == '\n') s++;
    return s;
}

static bool take_axis(const char **s, int64_t *axis, Failure *f)
{
    const char *at = skip_spaces(*s);
    char *end;
    if (!strncmp(at, "none", 4)) {
        *axis = VMAP_NONE;
        *s = skip_spaces(at + 4);
        return true;
    }
    long n = strtol(at, &end, 10);
    size_t shown = strcspn(at, ",-> ");
    if (end == at) return fail(f, WEFT_ARGUMENT, "'%.*s' is no axis: a number, or none", (int)(shown ? shown : strlen(at)), at);
    if (n < -WEFT_MAX_RANK || n >= WEFT_MAX_RANK) return fail(f, WEFT_ARGUMENT, "axis %ld: arrays have at most %d axes", n, WEFT_MAX_RANK);
    *axis = n;
    *s = skip_spaces(end);
    return true;
}

/* n axes, or one that stands for all; up to "->" or the end. */
static bool take_axes(const char **s, int64_t *axes, int n, const char *what, Failure *f)
{
    int given = 0;
    for (;; ) {
        int64_t axis = 0;
        if (!take_axis(s, &axis, f)) return false;
        if (given < n) axes[given] = axis;
        given++;
        if (**s != ',') break;
        ++*s;
    }
    if (given == 1) for (int i = 1; i < n; i++) axes[i] = axes[0];
    return given == n || given == 1 || fail(f, WEFT_ARGUMENT, "%d axes for %d array %s%s", given, n, what, n == 1 ? "" : "s");
}

bool axes_parse(const char *text, const Signature *sig, int64_t *in, int64_t *out, Failure *f)
{
    const char *s = text;
    bool mapped = false;
    for (int i = 0; i < sig->n_out; i++) out[i] = 0;
    if (sig->n_in == 0) return fail(f, WEFT_ARGUMENT, "the function takes no array");
    if (!take_axes(&s, in, sig->n_in, "argument", f)) return false;
    if (s[0] == '-' && s[1] == '>') {
        s += 2;
        if (!take_axes(&s, out, sig->n_out, "result", f)) return false;
    }
    if (*s) return fail(f, WEFT_ARGUMENT, "unexpected '%s'", s);
    for (int i = 0; i < sig->n_in; i++) mapped |= in[i] != VMAP_NONE;
    return mapped || fail(f, WEFT_ARGUMENT, "no argument is mapped: one at least must have an axis");
}

/* ---- transforms ---- */

static Function *find_derived(const Function *base, FnKind kind, const char *axes)
{
    Function *f = base->derived;
    for (; f; f = f->sibling) {
        bool same = axes ? f->axes && !strcmp(f->axes, axes) : f->kind == kind;
        if (same && !f->forgotten) break;
    }
    return f;
}

static void read_axes(Functions *t, Function *f, Failure *failure)
{
    f->in_axes = arena_alloc(&t->arena, ((size_t)f->sig->n_in + 1) * sizeof(int64_t));
    f->out_axes = arena_alloc(&t->arena, ((size_t)f->sig->n_out + 1) * sizeof(int64_t));
    if (axes_parse(f->axes, f->sig, f->in_axes, f->out_axes, failure)) return;
    f->kind = FN_FAILED;
    f->failure = arena_printf(&t->arena, "%s", failure->text);
}

static Function *derive(Functions *t, Function *base, FnKind kind, const char *axes, Failure *failure)
{
    const Signature *sig = base->sig;
    Function *f = find_derived(base, kind, axes);
    if (f && f->kind == FN_FAILED) fail(failure, WEFT_ARGUMENT, "%s", f->failure);
    if (f) return f;
    f = function_new(t, kind, base->name, sig);
    f->label = arena_printf(&t->arena, "%s(%s)", kind == FN_JIT ? "jit" : "vmap", base->label);
    f->base = base;
    if (axes) {
        f->axes = arena_printf(&t->arena, "%s", axes);
        read_axes(t, f, failure);
    }
    weft_fn address = closure_make(&t->closures, sig->abi, (ffi_cif *)&sig->cif, call_closure, f);
    if (!address) {
        *failure = (Failure){ .code = WEFT_MEMORY };
        return NULL;
    }
    table_add(t, f, address);
    f->sibling = base->derived;
    base->derived = f;
    return f;
}

/* Stands for a function of any C type that could not be made, for callers that do not check: it takes nothing, whatever it is given, and gives NULL.
 * The C calling conventions of x86-64 and AArch64 leave arguments to the caller, and take a returned pointer from a register that others may overwrite. */
static weft_array *always_fails(void)
{
    return NULL;
}

/* Where the transform could not be made a caller gets, of jit, the function itself, which computes the same. */
static weft_fn transform(weft_context *ctx, weft_fn address, FnKind kind, const char *axes, const char *who, const char *at)
{
    weft_fn otherwise = kind == FN_JIT && address ? address : (weft_fn)always_fails;
    Local *l = context_enter(ctx, who, at);
    if (!l) return otherwise;
    Functions *t = l->ctx->functions;
    Failure failure = { .code = WEFT_OK };
    Function *volatile made = NULL;
    pthread_mutex_lock(&t->lock);
    if (setjmp(t->guard.env)) failure.code = WEFT_MEMORY;
    else {
        Function *base = find(t, address);
        if (base) made = derive(t, base, kind, axes, &failure);
        else fail(&failure, WEFT_ARGUMENT, address ? "the function is not declared in this context: weft_declare(ctx, f, signature) first" : "the function is NULL");
    }
    pthread_mutex_unlock(&t->lock);
    if (failure.code != WEFT_OK) report(l, who, at, &failure);
    return made ? made->address : otherwise;
}

weft_fn weft_jit_(weft_context *ctx, weft_fn address, const char *at)
{
    return transform(ctx, address, FN_JIT, NULL, "weft_jit", at);
}

weft_fn weft_vmap_(weft_context *ctx, weft_fn address, const char *axes, const char *at)
{
    return transform(ctx, address, FN_VMAP, axes ? axes : "", "weft_vmap", at);
}

/* ---- forgetting ---- */

static void table_remove(Functions *t, Function *f)
{
    Function **b = bucket_of(t, f->address);
    while (*b && *b != f) b = &(*b)->chain;
    if (*b) *b = f->chain;
    f->forgotten = true;
}

/* f and all that was made of it, without recursion: a transform's base is forgotten before it. */
void weft_forget_(weft_context *ctx, weft_fn address)
{
    Local *l = context_enter(ctx, "weft_forget", NULL);
    if (!l) return;
    Functions *t = l->ctx->functions;
    Function *gone = NULL;
    pthread_mutex_lock(&t->lock);
    Function *f = *bucket_of(t, address);
    while (f && f->address != address) f = f->chain;
    for (Function *root = f; f; ) {
        if (!f->forgotten) {
            table_remove(t, f);
            f->chain = gone;
            gone = f;
        }
        Function *next = f->derived;
        while (next && next->forgotten) next = next->sibling;
        f = next ? next : f == root ? NULL : f->base;
    }
    pthread_mutex_unlock(&t->lock);
    for (; gone; gone = gone->chain) cache_forget(l->ctx->cache, gone);
}
