/* derived_signature.h: signatures that follow from a function's: those of the user's rules for it (rules/)
 * and of its derivatives (derive/). Each argument and result of such a signature stands for a part: an
 * argument or a result of the function, what a forward rule keeps, or a derivative. */
#ifndef WEFT_TRANSFORMS_DERIVED_SIGNATURE_H
#define WEFT_TRANSFORMS_DERIVED_SIGNATURE_H
#include "runtime/call/signature.h"

typedef enum {
    PART_ARGUMENT, /* of the function: a field of its signature's in */
    PART_RESULT,   /* of the function: a field of its signature's out */
    PART_KEPT,     /* of the forward rule's results */
    PART_WRT,      /* what is differentiated by */
    PART_MATRIX,   /* the first result by one of these; of a hessian, then by another */
    PART_LINEAR    /* a weft_linear */
} PartOf;
typedef struct DerivedPart {
    uint8_t of;
    bool d; /* its tangent, cotangent or gradient */
    int field, other;
} DerivedPart;

typedef struct DerivedField {
    DerivedPart part, gives; /* gives: the result that an in-out is */
    Param param;             /* in and out are not used */
    bool inout;              /* it stands for an in-out of the function */
} DerivedField;
typedef struct DerivedList {
    DerivedField *field;
    int n, room;
    bool gives; /* results, or arguments? */
} DerivedList;
/* out: without in-outs. more: it may give more, which is kept. */
typedef struct DerivedSignature {
    DerivedList in, out;
    bool more;
} DerivedSignature;

/* With nothing in it. fields: memory for 2 * room of them. */
DerivedSignature derived_open(DerivedField *fields, int room);
/* Adds an argument of f, or its derivative, to what is taken. */
void derived_argument(DerivedSignature *, const Signature *f, size_t i, bool d);
/* Adds an array, or a struct of that description. */
DerivedField *derived_value(DerivedList *, DerivedPart, const weft_tree *, const char *name);
/* Does the signature take and give that? loosely: derivatives of arrays may be left out. in, out: what its
 * fields stand for; may be NULL. */
bool derived_match(const DerivedSignature *, const Signature *, bool loosely, DerivedPart *in,
                   DerivedPart *out);
#endif
