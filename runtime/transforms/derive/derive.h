/* derive.h: derivatives as transforms (weft/grad.h), in parts:
 *
 *     derive.c                making them: what each takes and gives
 *     derive_wrt.c            the text that says by what is differentiated, and where that is in a call
 *     derive_call.c           a call: what lies where, whether types fit, the trace, the results
 *     derive_build.c          the derivative of the traced graph in the running trace
 *     derive_point.c          what a weft_linear knows of where it was made
 *
 * A function is traced apart into a closed graph, as for control flow (staging.h), and a derivative of that
 * graph, a pure matter of compiler/derive, is built into the running trace. Hidden values are constants to
 * it; where they are values of an outer trace they are operands of what is built, so a derivative that is
 * taken outside sees them.
 */
#ifndef WEFT_TRANSFORMS_DERIVE_H
#define WEFT_TRANSFORMS_DERIVE_H
#include "runtime/transforms/derived_signature.h"
#include "runtime/transforms/staging.h"
#include "weft/grad.h"
#include <string.h>

/* ---- derive_wrt.c ---- */

/* One entry: an argument, or an array or struct in it. */
typedef struct WrtStep {
    uint32_t field;
    int64_t index;
} WrtStep;
typedef struct WrtPart {
    const char *path;      /* "m.l[0].w" */
    const weft_tree *tree; /* of a struct; NULL: an array */
    WrtStep *step;
    uint32_t n_steps; /* from the signature's in downwards */
} WrtPart;
typedef struct Wrt {
    WrtPart *part;
    uint32_t n;
} Wrt;
/* Where a part lies among the arguments of a call. */
typedef struct WrtRange {
    uint32_t leaf, n_leaves, word, n_words;
} WrtRange;

/* "" names the first argument that holds arrays; a list of a known length stands for its elements. False: f
 * set. */
bool wrt_parse(Arena *, const char *text, const Function *of, Wrt *, Failure *f);
/* Finds the part in a call. False: f set: a list is too short, or a pointer is NULL. */
bool wrt_find(const WrtPart *, const weft_tree *in, Memory *, const uint64_t *words, uint32_t n_words,
              WrtRange *, Failure *f);

/* ---- derive.c ---- */

/* What prepare made of a rule's text. */
typedef struct Derive {
    weft_derivative how;
    bool of_one; /* of the first result alone, an array */
    Wrt wrt;
    size_t kept;           /* the new function's arguments that are f's; others stand behind them */
    DerivedPart *in, *out; /* what its arguments and results stand for; in PART_WRT, field is one of wrt */
} Derive;

static inline bool derive_applies(weft_derivative how)
{
    return how == WEFT_LINEAR_JVP || how == WEFT_LINEAR_VJP;
}

/* ---- derive_call.c ---- */

/* One call. Its lists are of the running trace's arena. */
typedef struct DeriveCall {
    const Function *f;
    const Derive *d;
    Local *l;
    const Flat *in;
    TreeRange *from, *to; /* where the arguments lie in in; the results of f in results */
    /* f's arguments: part of in, borrowed; where a weft_linear is applied, only the words are set */
    Flat base;
    Type *type;        /* [base.n_leaves] */
    WrtRange *part;    /* [d->wrt.n] */
    Callee callee;     /* f */
    bool *active;      /* [parameters of f's graph] */
    const void *point; /* of a weft_linear: where it was linearized; see derive_point.c */
    /* what was built */
    Ref *args;               /* [parameters of f's graph, tangents and cotangents]: operands */
    Ref *result, *of_result; /* [results of f]: values; tangents, REF_NONE: none */
    Ref *of_leaf;            /* [base.n_leaves]: derivatives by them, REF_NONE: none */
    Ref *matrix;             /* [d->wrt.n (d->wrt.n)] */
    const Ref *residual;
    uint32_t n_residuals;
    Ref *leaf; /* of all results of the new function */
    uint32_t n_leaves;
} DeriveCall;
bool derive_stage(const Function *, Local *, const Flat *in, Flat *out);
/* Where the part's leaves and words are among those of its kind. */
WrtRange derive_range(const DeriveCall *, DerivedPart);

/* ---- derive_point.c ---- */

/* Sets point, from the arguments of this call. False: error set. */
bool derive_make_point(DeriveCall *);
/* Sets base and type, from the arguments that the weft_linear in front was made with. False: error set. */
bool derive_read_point(DeriveCall *);

/* ---- derive_build.c ---- */

/* With the running trace's guard set. False: its graph has failed. */
bool derive_build(DeriveCall *);
#endif
