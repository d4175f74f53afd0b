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
#include "runtime/transforms/derived_signature.h"

enum { PARTS = 2 * SIGNATURE_MAX_PARAMS + 2 }; /* at most, of what a rule takes, or gives */
typedef enum { RULE_JVP, RULE_FORWARD, RULE_BACKWARD, RULE_BATCH } RuleKind;
/* What a rule must take and give. w is open and has room for PARTS. left_in, left_out: the fields of f's in
 * and out whose derivatives are left out; NULL: none. forward: the forward rule's signature, for
 * RULE_BACKWARD. */
void wanted_of(RuleKind, const Signature *f, const Signature *forward, const bool *left_in,
               const bool *left_out, DerivedSignature *w);
/* "weft_array *name(weft_array *x, weft_array *dx, WEFT_OUT weft_array **dy)" */
char *wanted_text(const DerivedSignature *, const char *name, char *buf, size_t size);
/* Can the rule that is this base of the transform f be one for f, whatever a call's types? A batching rule
 * must be declared as f is. For prepare. */
bool rule_possible(const Function *f, Arena *, RuleKind, int base, Failure *);
#endif
