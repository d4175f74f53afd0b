/* fn.h: the functions a context knows: the user's declared ones, weft's own, and what transforms made of them.
 *
 * A Function is found by the address of its C function or closure, and lives as long as the context. Transforms are interned: base, kind and axes name one closure.
 */
#ifndef WEFT_RUNTIME_FN_H
#define WEFT_RUNTIME_FN_H
#include "closure.h"
#include "context.h"
#include "signature.h"

typedef enum { FN_USER, FN_JIT, FN_VMAP, FN_FAILED } FnKind;

typedef struct Function Function;
struct Function {
    weft_context *ctx;
    FnKind kind;
    uint64_t serial;                /* names it in cache keys: addresses can come back */
    const char *name, *label;       /* "score"; "jit(vmap(score))" */
    weft_fn address;
    Function *base;                 /* what it is a transform of */
    const Signature *sig;
    const char *axes;               /* VMAP: the text */
    int64_t *in_axes, *out_axes;    /* VMAP: per leaf, VMAP_NONE for none */
    const char *failure;            /* FAILED: why */
    Function *derived, *sibling;    /* transforms of it; the next transform of its base */
    Function *chain;                /* in the table of addresses */
    struct Key *last;               /* of what was traced last, for explain; guarded by the cache's lock */
    bool forgotten;
};

/* weft's own functions: declared in every context. */
typedef struct FnBuiltin { const char *name; weft_fn address; const char *text; } FnBuiltin;
extern const FnBuiltin fn_builtins[];
extern const int fn_builtin_count;

Functions *functions_open(weft_context *);      /* NULL: out of memory */
void       functions_close(Functions *);
/* The axes text of vmap for these numbers of leaves, into in and out; false and f set. */
bool       axes_parse(const char *text, const Signature *, int64_t *in, int64_t *out, Failure *f);
#endif
