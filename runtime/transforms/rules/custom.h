/* custom.h: the signatures of the user's own rules (custom.c: jvp and vjp; custom_vmap.c): which parameter of
 * a rule stands for what of the function that it is a rule for.
 *
 * A rule's signature follows from the function's: its arguments and results are parts, namely arguments and
 * results of the function, what the forward rule keeps, and derivatives of these. An argument or result that
 * is one array of integers has no derivative, and only a call says which ones are. So when a rule is made,
 * its signature must be possible; when it is called, it must have a derivative for all arrays, or for all but
 * the integers.
 */
#ifndef WEFT_TRANSFORMS_CUSTOM_H
#define WEFT_TRANSFORMS_CUSTOM_H
#include "runtime/call/fn.h"

typedef enum { PART_ARGUMENT, PART_RESULT, PART_KEPT } PartOf;
/* A field of the function's in, of its out, or of the forward rule's out; d: the derivative of that. */
typedef struct RulePart {
    uint8_t of;
    bool d;
    int16_t field;
} RulePart;

/* What a rule must take and give. */
enum { PARTS = 2 * SIGNATURE_MAX_PARAMS + 2 };
typedef struct RuleField {
    RulePart part, gives; /* gives: the result that an in-out is */
    Param param;          /* in and out are not used */
    bool inout;           /* it stands for an in-out of the function */
} RuleField;
typedef struct RuleSignature {
    RuleField in[PARTS], out[PARTS]; /* out: without in-outs */
    int n_in, n_out;
    bool more; /* the rule may give more: what it keeps */
} RuleSignature;

typedef enum { RULE_JVP, RULE_FORWARD, RULE_BACKWARD, RULE_BATCH } RuleKind;
/* left_in, left_out: the fields of f's in and out whose derivatives are left out; NULL: none. forward: the
 * forward rule's signature, for RULE_BACKWARD. */
void wanted_of(RuleKind, const Signature *f, const Signature *forward, const bool *left_in,
               const bool *left_out, RuleSignature *);
/* Does the rule take and give that? loosely: derivatives of arrays may be left out. in, out: what its fields
 * stand for; may be NULL. */
bool wanted_match(const RuleSignature *, const Signature *rule, bool loosely, RulePart *in, RulePart *out);
/* "weft_array *name(weft_array *x, weft_array *dx, WEFT_OUT weft_array **dy)" */
char *wanted_text(const RuleSignature *, const char *name, char *buf, size_t size);
/* Can the rule that is this base of the transform f be one for f, whatever a call's types? A batching rule
 * must be declared as f is. For prepare. */
bool rule_possible(const Function *f, Arena *, RuleKind, int base, Failure *);

#endif
