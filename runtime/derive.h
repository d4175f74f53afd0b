/* derive.h: what the rules of derivatives share (weft/grad.h): derive.c, and
 *
 *     derive_wrt.c            the text that says by what is differentiated: entries, found in the signature, and in a call
 *     derive_signature.c      what the new function takes and gives, and whether its signature says so
 *
 * A rule traces its function apart into a closed graph, as rules of control flow do (control.h), and then builds a derivative of that graph, a pure matter of
 * compiler/derive, into the running trace. Hidden values are constants to it; where they are values of an outer trace they are operands of what is built, so a
 * derivative that is taken outside sees them.
 */
#ifndef WEFT_RUNTIME_DERIVE_H
#define WEFT_RUNTIME_DERIVE_H
#include "control.h"
#include "weft/grad.h"

/* ---- derive_wrt.c ---- */

/* One entry: an argument, or an array or struct in it. */
typedef struct PartStep { uint32_t field; int64_t index; } PartStep;
typedef struct Part {
    const char *path;               /* "m.l[0].w" */
    const weft_tree *tree;          /* of a struct; NULL: an array */
    PartStep *step; uint32_t n_steps;   /* from the signature's in downwards */
} Part;
typedef struct Wrt { Part *part; uint32_t n; } Wrt;
/* Where a part lies among the arguments of a call. */
typedef struct PartRange { uint32_t leaf, n_leaves, word, n_words; } PartRange;

/* "" is the first argument that holds arrays; a list of a known length stands for its elements. False: f set. */
bool wrt_parse(Arena *, const char *text, const Function *of, Wrt *, Failure *f);
/* False: f set: a list is shorter than that, a pointer is NULL. */
bool wrt_find(const Part *, const weft_tree *in, Memory *, const uint64_t *words, uint32_t n_words, PartRange *, Failure *f);

/* ---- derive_signature.c ---- */

/* What one argument or result of the new function is, said of the old one's. */
typedef enum {
    FLOW_RESULT,                    /* its result number index (a field of its signature's out) */
    FLOW_OF_RESULT,                 /* a tangent or cotangent of that result */
    FLOW_OF_PART,                   /* a tangent, cotangent or gradient of wrt.part[index] */
    FLOW_MATRIX,                    /* of the first result by wrt.part[index], and, of a hessian, by wrt.part[other]: an array */
    FLOW_STRUCT                     /* of a given description */
} FlowKind;
typedef struct Flow { FlowKind kind; uint32_t index, other; const weft_tree *tree; const char *name; } Flow;
/* name: what it is called in the declaration that an error shows. */

typedef struct Flows { Flow *flow; uint32_t n, room; Arena *arena; } Flows;
void flows_add(Flows *, Flow);

/* Does f's signature take what its base takes (its first `kept` fields), then ins, and give outs, the in-outs apart? Then out[o] is what result o of f is, else failure
 * shows the declaration that it must be. */
bool derive_match(const Function *f, Arena *, const Wrt *, size_t kept, const Flows *ins, const Flows *outs, Flow **out, Failure *);
#endif
