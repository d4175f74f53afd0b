/* fn.c: declaring functions and asking for transforms of them. */
#include "fn.h"
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include "cache.h"
#include "call.h"
#include "runtime/memory/stack.h"
#include "weft/fn.h"
#include "weft/grad.h"
#include "weft/tree.h"

enum { BUCKETS = 1024 };

typedef struct Interned {
    struct Interned *next;
    size_t bytes;
    max_align_t contents[];
} Interned;

struct Functions {
    weft_context *ctx;
    const Builtin *builtins;
    pthread_mutex_t lock; /* guards all that follows */
    Arena arena;          /* functions and signatures: they live as long as the context */
    Guard guard;
    ClosurePool closures;
    Signature *signatures;
    Described *described;
    Interned *interned;
    Function *made; /* of no bases: a list by sibling */
    Function *bucket[BUCKETS];
};

/* weft's own structs are described in every context: they end its list, which grows in front only. */
static Described own_structs[] = { { .tree = &weft_linear_tree, .next = &own_structs[1] },
                                   { .tree = &weft_arrays_tree } };

Functions *functions_open(weft_context *ctx, const Builtin *builtins)
{
    Functions *t = memory_alloc(&ctx->memory, sizeof *t);
    if (!t) return NULL;
    t->ctx = ctx;
    t->builtins = builtins;
    pthread_mutex_init(&t->lock, NULL);
    arena_init(&t->arena, context_allocator(ctx), &t->guard);
    t->described = own_structs;
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

pthread_mutex_t *functions_lock(Functions *t) { return &t->lock; }

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
    for (Signature *s = t->signatures; s; s = s->next)
        if (!strcmp(s->text, text)) return s;
    Signature *s = signature_parse(&t->arena, t->described, text, failure);
    if (!s) return NULL;
    s->next = t->signatures;
    return t->signatures = s;
}

static Function *declare_builtin(Functions *t, weft_fn address)
{
    const Builtin *b = t->builtins;
    while (b->name && b->address != address) b++;
    Signature *s = b->name ? signature_of(t, b->text, NULL) : NULL;
    if (!s) return NULL;
    Function *f = function_new(t, FN_USER, b->name, s);
    table_add(t, f, address);
    return f;
}

static Function *find_declared(Functions *t, weft_fn address)
{
    Function *f = *bucket_of(t, address);
    while (f && f->address != address) f = f->chain;
    return f;
}

static Function *find(Functions *t, weft_fn address)
{
    Function *f = find_declared(t, address);
    return f ? f : declare_builtin(t, address);
}

Function *fn_find(weft_context *ctx, weft_fn address)
{
    Functions *t = ctx->functions;
    LOCK(&t->lock);
    if (setjmp(t->guard.env)) return NULL;
    return find(t, address);
}

static const void *intern(Functions *t, const void *contents, size_t bytes)
{
    Interned *i = t->interned;
    while (i && (i->bytes != bytes || memcmp(i->contents, contents, bytes))) i = i->next;
    if (i) return i->contents;
    i = arena_alloc(&t->arena, sizeof *i + bytes);
    i->next = t->interned;
    i->bytes = bytes;
    memcpy(i->contents, contents, bytes);
    t->interned = i;
    return i->contents;
}

const void *fn_intern(weft_context *ctx, const void *contents, size_t bytes)
{
    Functions *t = ctx->functions;
    LOCK(&t->lock);
    if (setjmp(t->guard.env)) return NULL;
    return intern(t, contents, bytes);
}

bool fn_interned(weft_context *ctx, const void *copy)
{
    Functions *t = ctx->functions;
    LOCK(&t->lock);
    const Interned *i = t->interned;
    while (i && (const void *)i->contents != copy) i = i->next;
    return i != NULL;
}

/* ---- what is made of a context's table ---- */

typedef struct Making {
    void (*make)(Functions *, struct Making *); /* the lock is held and the guard set */
    Functions *table;
    weft_fn address; /* declared, under this name, with the type that text says */
    const char *name, *text;
    const weft_tree *tree;
    const Derivation *derivation;
    Function *made;
    Failure failure;
} Making;

static void make_locked(void *user)
{
    Making *m = user;
    Functions *t = m->table;
    LOCK(&t->lock);
    if (setjmp(t->guard.env)) m->failure.code = WEFT_MEMORY;
    else m->make(t, m);
}

/* On weft's own stack, where the thread's is small. Errors are told unlocked: on_error is user code. */
static weft_status make(weft_context *ctx, const char *who, const char *at, Making *m)
{
    Local *l = context_enter(ctx, who, at);
    if (!l) return WEFT_ARGUMENT;
    m->table = l->ctx->functions;
    size_t more = m->derivation ? m->derivation->stack : 0, stack = more > STACK_MAKE ? more : STACK_MAKE;
    if (!stack_call(stack, make_locked, m))
        return error_set(l, WEFT_MEMORY, who, at, STACK_NONE, (int)(stack >> 10)), WEFT_MEMORY;
    if (m->failure.code != WEFT_OK) error_failure(l, who, at, "", &m->failure);
    return m->failure.code;
}

/* ---- declaring ---- */

static bool declare(Functions *t, weft_fn address, const char *name, const char *text, Failure *failure)
{
    if (!address || !name || !text) return fail(failure, WEFT_ARGUMENT, "the function is NULL");
    Function *f = find(t, address);
    if (f && strcmp(f->sig->text, text))
        fail(failure, WEFT_ARGUMENT,
             "%s is declared already, as %s, not %s (does the linker fold equal functions?)", f->label,
             f->sig->text, text);
    if (f) return true;
    Failure why = { .code = WEFT_OK };
    Signature *s = signature_of(t, text, &why);
    if (!s) return fail(failure, why.code, "%s: %s", name, why.text);
    table_add(t, function_new(t, FN_USER, arena_printf(&t->arena, "%s", name), s), address);
    return true;
}

static void make_declared(Functions *t, Making *m) { declare(t, m->address, m->name, m->text, &m->failure); }

weft_status weft_declare_(weft_context *ctx, weft_fn address, const char *name, const char *text,
                          const char *at)
{
    return make(ctx, "weft_declare", at,
                &(Making){ .make = make_declared, .address = address, .name = name, .text = text });
}

/* ---- describing structs ---- */

/* Is there one of that name in the list? It must be the same. */
static bool known(const Described *list, const weft_tree *tree, Failure *failure)
{
    const Described *d = described_find(list, tree->name);
    if (d && !tree_equal(d->tree, tree))
        fail(failure, WEFT_ARGUMENT, "another struct %s is described already", tree->name);
    return d != NULL;
}

/* tree, which is checked, and the new structs it leads to: a breadth-first walk over the list itself. */
static Described *list_new(Functions *t, const weft_tree *tree, Failure *failure)
{
    Described *first = arena_alloc(&t->arena, sizeof *first), *last = first;
    first->tree = tree;
    for (const Described *d = first; d; d = d->next) {
        for (size_t i = 0; i < d->tree->fields; i++) {
            const weft_tree *inside = d->tree->field[i].tree;
            if (!inside || !tree_check(inside, failure) || known(first, inside, failure) ||
                known(t->described, inside, failure))
                continue;
            last->next = arena_alloc(&t->arena, sizeof *last);
            last = last->next;
            last->tree = inside;
        }
    }
    return first;
}

/* Descriptions may lie in code that will be unloaded. Structs inside are found by name. */
static void copy_tree(Functions *t, const weft_tree *from, weft_tree *to, const Described *new)
{
    weft_field *field = arena_copy(&t->arena, from->field, from->fields * sizeof *field);
    *to = (weft_tree){ .name = arena_printf(&t->arena, "%s", from->name),
                       .bytes = from->bytes,
                       .fields = from->fields,
                       .field = field };
    for (size_t i = 0; i < to->fields; i++) {
        weft_field *f = &field[i];
        f->name = arena_printf(&t->arena, "%s", f->name);
        if (f->count_name) f->count_name = arena_printf(&t->arena, "%s", f->count_name);
        if (!f->tree) continue;
        const Described *inside = described_find(new, f->tree->name);
        f->tree = inside ? &inside->copy : described_find(t->described, f->tree->name)->tree;
    }
}

static void describe(Functions *t, const weft_tree *tree, Failure *failure)
{
    if (!tree_check(tree, failure) || known(t->described, tree, failure)) return;
    Described *new = list_new(t, tree, failure), *last = new;
    if (failure->code != WEFT_OK) return;
    for (Described *d = new; d; d = d->next) copy_tree(t, d->tree, &d->copy, new);
    for (Described *d = new; d; d = d->next) d->tree = &d->copy, last = d;
    last->next = t->described;
    t->described = new;
}

static void make_described(Functions *t, Making *m) { describe(t, m->tree, &m->failure); }

weft_status weft_describe_(weft_context *ctx, const weft_tree *tree, const char *at)
{
    return make(ctx, "weft_describe", at, &(Making){ .make = make_described, .tree = tree });
}

/* ---- transforms ---- */

static bool same_derivation(const Function *f, const Derivation *d, Function *const *bases, const char *text,
                            const Signature *sig)
{
    if (f->forgotten || f->rule != d->rule || f->n_bases != d->n_bases || f->n_numbers != d->n_numbers ||
        f->sig != sig || strcmp(f->text, text))
        return false;
    for (int i = 0; i < d->n_bases; i++)
        if (f->bases[i] != bases[i]) return false;
    for (int i = 0; i < d->n_numbers; i++)
        if (f->numbers[i] != d->numbers[i]) return false;
    return true;
}

/* "vmap(score)", "cond(yes, no)" */
static const char *label_of(Arena *a, const FnRule *rule, const Function *f)
{
    if (!f->n_bases) return f->name;
    const char *inside = f->bases[0]->label;
    for (int i = 1; i < f->n_bases; i++) inside = arena_printf(a, "%s, %s", inside, f->bases[i]->label);
    return arena_printf(a, "%s(%s)", rule->name, inside);
}

static Function *transform_new(Functions *t, const Derivation *d, Function **bases, const Signature *sig,
                               Failure *failure)
{
    Arena *a = &t->arena;
    Function *f = function_new(t, d->rule->stage ? FN_TRANSFORM : FN_JIT,
                               d->n_bases ? bases[0]->name : arena_printf(a, "%s", d->name), sig);
    f->rule = d->rule;
    f->bases = arena_copy(a, bases, (size_t)d->n_bases * sizeof *bases);
    f->n_bases = d->n_bases;
    f->base = d->n_bases ? bases[0] : NULL;
    f->label = label_of(a, d->rule, f);
    f->at = d->at ? arena_printf(a, "%s", d->at) : NULL;
    f->text = arena_printf(a, "%s", d->text ? d->text : "");
    f->numbers = arena_copy(a, d->numbers, (size_t)d->n_numbers * sizeof *d->numbers);
    f->n_numbers = d->n_numbers;
    if (d->rule->prepare && !d->rule->prepare(f, a, failure)) {
        f->kind = FN_FAILED;
        f->failure = arena_printf(a, "%s", failure->text);
    }
    return f;
}

static bool fail_undeclared(weft_fn address, int number, int n, Failure *failure)
{
    char which[48] = "the function";
    if (number) snprintf(which, sizeof which, "function %d of %d", number + 1, n);
    if (!address) return fail(failure, WEFT_ARGUMENT, "%s is NULL", which);
    return fail(failure, WEFT_ARGUMENT,
                "%s is not declared in this context: weft_declare(ctx, f, signature) first", which);
}

static Function *derive(Functions *t, const Derivation *d, Failure *failure)
{
    Function *bases[d->n_bases + 1];
    for (int i = 0; i < d->n_bases; i++)
        if (!(bases[i] = find(t, d->bases[i])))
            return fail_undeclared(d->bases[i], i, d->n_bases, failure), NULL;
    const Signature *sig = d->signature ? signature_of(t, d->signature, failure) : bases[0]->sig;
    if (!sig) return NULL;
    Function **list = d->n_bases ? &bases[0]->derived : &t->made, *f = *list;
    while (f && !same_derivation(f, d, bases, d->text ? d->text : "", sig)) f = f->sibling;
    if (f && f->kind == FN_FAILED) fail(failure, WEFT_ARGUMENT, "%s", f->failure);
    if (f) return f;
    f = transform_new(t, d, bases, sig, failure);
    weft_fn address = closure_make(&t->closures, sig->abi, &sig->cif, call_closure, f, failure);
    if (!address) return NULL;
    table_add(t, f, address);
    f->sibling = *list;
    *list = f;
    return f;
}

/* Stands for a function of any C type that could not be made, for callers that do not check: it takes
 * nothing, whatever it is given, and gives NULL. The C calling conventions of x86-64 and AArch64 leave
 * arguments to the caller, and take a returned pointer from a register that others may overwrite. */
#ifdef __clang__
__attribute__((no_sanitize("function")))
#endif
weft_array *
fn_fails(void)
{
    return NULL;
}

static void make_derived(Functions *t, Making *m) { m->made = derive(t, m->derivation, &m->failure); }

/* Where jit fails a caller gets the function itself, which computes the same. */
weft_fn fn_derive(weft_context *ctx, const Derivation *d)
{
    weft_fn otherwise = !d->rule->stage && d->n_bases && d->bases[0] ? d->bases[0] : (weft_fn)fn_fails;
    char who[48] = "weft_";
    strncat(who, d->rule->name, sizeof who - sizeof "weft_");
    Making m; /* no initializer: it would clear the failure's text, 20 ns each time that weft_jit finds one */
    m.make = make_derived;
    m.derivation = d;
    m.made = NULL;
    m.failure.code = WEFT_OK;
    make(ctx, d->who ? d->who : who, d->at, &m);
    return m.made ? m.made->address : otherwise;
}

static const FnRule jit_rule = { .name = "jit" };

weft_fn weft_jit_(weft_context *ctx, weft_fn address, const char *at)
{
    return fn_derive(ctx, &(Derivation){ .rule = &jit_rule, .bases = &address, .n_bases = 1, .at = at });
}

/* ---- forgetting ---- */

static void table_remove(Functions *t, Function *f)
{
    Function **b = bucket_of(t, f->address);
    while (*b && *b != f) b = &(*b)->chain;
    if (*b) *b = f->chain;
    f->forgotten = true;
}

static bool base_forgotten(const Function *f)
{
    for (int i = 0; i < f->n_bases; i++)
        if (f->bases[i]->forgotten) return true;
    return false;
}

/* f and all that was made of it: what has a forgotten base goes too, until nothing more does. */
static Function *forget(Functions *t, Function *f)
{
    table_remove(t, f);
    f->chain = NULL;
    Function *gone = f;
    for (bool more = true; more;) {
        more = false;
        for (int i = 0; i < BUCKETS; i++) {
            for (Function *g = t->bucket[i], *next; g; g = next) {
                next = g->chain;
                if (!base_forgotten(g)) continue;
                table_remove(t, g);
                g->chain = gone;
                gone = g;
                more = true;
            }
        }
    }
    return gone;
}

Function *fn_forget(weft_context *ctx, weft_fn address)
{
    Functions *t = ctx->functions;
    LOCK(&t->lock);
    Function *f = find_declared(t, address);
    return f ? forget(t, f) : NULL;
}
