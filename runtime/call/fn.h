/* fn.h: the functions a context knows: declared ones, weft's own, and what transforms made of them.
 *
 * A Function is found by the address of its C function or closure, and lives as long as the context.
 * Transforms are interned: rule, bases, text, numbers and signature name one closure. A transform is a
 * FnRule: how its text is read, and how a call of it is put into a running trace. All else (tracing outside
 * of any trace, the cache, running op by op, jit) is the same for all.
 */
#ifndef WEFT_CALL_FN_H
#define WEFT_CALL_FN_H
#include "runtime/exec/closure.h"
#include "runtime/memory/context.h"
#include "signature.h"

typedef enum { FN_USER, FN_JIT, FN_TRANSFORM, FN_FAILED } FnKind;

typedef struct FnRule {
    const char *name; /* "vmap" */
    /* Reads f's text and numbers into f->data. f's bases and signature are set. The arena lives as long as
     * the context, and its guard is set. May be NULL. False, failure set: a function that always fails. */
    bool (*prepare)(Function *f, Arena *, Failure *failure);
    /* Puts a call into the running trace; appends to out values of that trace. False: an error is set. */
    bool (*stage)(const Function *f, Local *l, const Flat *in, Flat *out);
} FnRule;

struct Function {
    weft_context *ctx;
    FnKind kind;
    const FnRule *rule;       /* TRANSFORM */
    uint64_t serial;          /* names it in cache keys: addresses can come back */
    const char *name, *label; /* "score"; "jit(vmap(score))" */
    const char *at;           /* where the transform was made first; NULL: unknown */
    weft_fn address;
    Function **bases;
    int n_bases;    /* what it is a transform of */
    Function *base; /* the first of them */
    const Signature *sig;
    const char *text; /* TRANSFORM: its options */
    int64_t *numbers;
    int n_numbers;
    void *data;                  /* what rule->prepare made of them */
    const char *failure;         /* FAILED: why */
    Function *derived, *sibling; /* transforms whose first base it is; the next of its own base's */
    Function *chain;             /* in the table of addresses */
    struct CallKey *last;        /* of what was traced last, for explain; guarded by the cache's lock */
    _Atomic bool forgotten;      /* its address stays its own: a call of it is an error */
    /* what its stage traces may call it again on the same types: stage sees to it that this ends */
    bool nests;
};

/* The hooks on gradients that are registered at some time, in the order of registration; each has two bases:
 * the hook, and the function whose arguments it is on. wrap puts one around those leaves of a call's wrapped
 * arguments that it is on; in: the arguments as they were given. False: an error is set. */
struct HookSet {
    bool (*wrap)(const Function *hook, Local *l, const Flat *in, Flat *wrapped);
    uint32_t n;
    const Function *hook[];
};

/* One of weft's own functions, which are declared in every context. */
typedef struct Builtin {
    const char *name;
    weft_fn address;
    const char *text;
} Builtin;

/* builtins: a list that ends with one without a name. NULL: out of memory. */
Functions *functions_open(weft_context *, const Builtin *builtins);
void functions_close(Functions *);
pthread_mutex_t *functions_lock(Functions *);

/* The function of that address; NULL: it is not declared. */
Function *fn_find(weft_context *, weft_fn);
/* A copy that lives as long as the context; its address names the contents. NULL: no memory, no error set. */
const void *fn_intern(weft_context *, const void *contents, size_t bytes);
bool fn_interned(weft_context *, const void *copy); /* is it one of these? It may be any address */

/* What a transform's public function asks for. */
typedef struct Derivation {
    const FnRule *rule;
    const weft_fn *bases;
    int n_bases;      /* none: a function that is made of nothing that weft knows */
    const char *name; /* of such a one */
    const char *text; /* options; NULL as "" */
    const int64_t *numbers;
    int n_numbers;
    const char *signature; /* text of the new function's type; NULL: the first base's */
    const char *at;        /* "demo.c:12" */
    const char *who;       /* what errors call it; NULL: "weft_" and the rule's name */
    size_t stack;          /* what the rule's prepare takes, if it is much */
} Derivation;
/* The function, made or found. On error: one that always fails, never NULL. */
weft_fn fn_derive(weft_context *, const Derivation *);
/* Forgets the function and all that was made of it: a list by chain. NULL: it was not known. */
Function *fn_forget(weft_context *, weft_fn);
weft_array *fn_fails(void); /* stands for any function that could not be made: gives NULL */
#endif
