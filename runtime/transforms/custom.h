/* custom.h: what the user's own rules share (custom.c: jvp and vjp; custom_vmap.c; hooks.c): functions traced
 * apart for one call, and which parameter of a rule stands for what of the function that it is a rule for.
 *
 * A rule's signature follows from the function's: its fields of in and out (signature.h) are parts:
 * arguments, results, what the forward rule keeps, and derivatives of these. An argument or result that is
 * one array of integers has no derivative. Only a call says which are: so when a rule is made its signature
 * must be possible, and when it is called it must be the one with a derivative for all, or the one without
 * those.
 */
#ifndef WEFT_TRANSFORMS_CUSTOM_H
#define WEFT_TRANSFORMS_CUSTOM_H
#include "control.h"

typedef enum { PART_ARGUMENT, PART_RESULT, PART_KEPT } PartOf;
/* field of the function's in, of its out, or of the forward rule's out; d: its derivative */
typedef struct RulePart {
    uint8_t of;
    bool d;
    int16_t field;
} RulePart;

/* What a rule takes and gives. */
enum { PARTS = 2 * SIGNATURE_MAX_PARAMS + 2 };
typedef struct Want {
    RulePart part, gives; /* gives: what an in-out becomes */
    uint8_t kind, number; /* ParamKind */
    bool inout;           /* it speaks of one */
    const weft_tree *tree;
    const char *name;
} Want;
typedef struct Wanted {
    Want in[PARTS], out[PARTS]; /* out: without in-outs */
    int n_in, n_out;
    bool more; /* further results are what is kept */
} Wanted;

typedef enum { RULE_JVP, RULE_FORWARD, RULE_BACKWARD, RULE_BATCH } RuleKind;
/* left_in, left_out: fields of f's in and out whose derivatives are left out; NULL: none. forward: of a
 * BACKWARD. */
void wanted_of(RuleKind, const Signature *f, const Signature *forward, const bool *left_in,
               const bool *left_out, Wanted *);
/* Does the rule take and give that? loosely: leaving out derivatives of arrays. in, out: what its fields
 * stand for; may be NULL. */
bool wanted_match(const Wanted *, const Signature *rule, bool loosely, RulePart *in, RulePart *out);
/* "weft_array *name(weft_array *x, weft_array *dx, WEFT_OUT weft_array **dy)" */
char *wanted_text(const Wanted *, const char *name, char *buf, size_t size);

/* A function traced apart. */
typedef struct Apart {
    const Function *f;
    Local *l;
    Flat in, results; /* of in the words, and the number of leaves */
    Type *type;
    uint32_t room; /* of in's leaves; dims are borrowed */
    Trace trace;
    bool traced;
    /* of the fields of in, of results */
    TreeRange from[SIGNATURE_MAX_PARAMS + 1], to[SIGNATURE_MAX_PARAMS + 2];
} Apart;
void apart_open(Apart *, const Function *, Local *);
/* to the arguments */
bool apart_add(Apart *, const Type *, uint32_t n_types, const uint64_t *words, uint32_t n_words);
/* args: a call's own arguments, by which one that never ends is found, or NULL. False: error set. */
bool apart_trace(Apart *, const Flat *args);
void apart_close(Apart *);
static inline Type apart_result(const Apart *a, uint32_t leaf)
{
    return graph_type(a->trace.graph, a->trace.graph->outputs[leaf]);
}

/* Building, with the running trace's guard set: the operands of the op, which are the call's leaves and all
 * hidden values. */
/* floats[i]: which of those with a derivative it is, or UINT32_MAX */
typedef struct OpArgs {
    Ref *ref;
    Type *type;
    uint32_t n, n_floats;
    uint32_t *floats;
} OpArgs;
OpArgs op_args(Local *, const Flat *in, uint32_t n_hidden);
/* The value, but that a derivative along it is an error; why: STOP_GRADIENT's attribute (ops.h). */
Ref op_refused(Graph *, Ref, int64_t why);
/* The hidden values of a traced function; where the first is. refuse: their derivatives would be lost. */
uint32_t op_args_hidden(OpArgs *, Local *, const Apart *, bool refuse);
/* A graph whose first parameters are the operands. */
Graph *op_region(Arena *, const char *name, const OpArgs *, Ref *params);
/* The traced function's results for these leaves; params[hidden ...] are its hidden values. */
bool apart_inline(Graph *, const Apart *, const Ref *leaves, const Ref *hidden, Ref *results);
#endif
