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
#include "runtime/call/fn.h"

typedef enum { PART_ARGUMENT, PART_RESULT, PART_KEPT } PartOf;
/* field of the function's in, of its out, or of the forward rule's out; d: its derivative */
typedef struct RulePart {
    uint8_t of;
    bool d;
    int16_t field;
} RulePart;

/* What a rule takes and gives. */
enum { PARTS = 2 * SIGNATURE_MAX_PARAMS + 2 };
typedef struct RuleField {
    RulePart part, gives; /* gives: what an in-out becomes */
    Param param;          /* its in and out are of no meaning */
    bool inout;           /* it speaks of one */
} RuleField;
typedef struct RuleSignature {
    RuleField in[PARTS], out[PARTS]; /* out: without in-outs */
    int n_in, n_out;
    bool more; /* further results are what is kept */
} RuleSignature;

typedef enum { RULE_JVP, RULE_FORWARD, RULE_BACKWARD, RULE_BATCH } RuleKind;
/* left_in, left_out: fields of f's in and out whose derivatives are left out; NULL: none. forward: of a
 * BACKWARD. */
void wanted_of(RuleKind, const Signature *f, const Signature *forward, const bool *left_in,
               const bool *left_out, RuleSignature *);
/* Does the rule take and give that? loosely: leaving out derivatives of arrays. in, out: what its fields
 * stand for; may be NULL. */
bool wanted_match(const RuleSignature *, const Signature *rule, bool loosely, RulePart *in, RulePart *out);
/* "weft_array *name(weft_array *x, weft_array *dx, WEFT_OUT weft_array **dy)" */
char *wanted_text(const RuleSignature *, const char *name, char *buf, size_t size);

#endif
