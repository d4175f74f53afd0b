/* infer.h: the type rule of every op: what operand types and attributes are allowed, and the result's type.
 * Used by graph_add and by eager mode alike, so both refuse the same programs in the same words. */
#ifndef WEFT_INFER_INFER_H
#define WEFT_INFER_INFER_H
#include "compiler/graph/attributes.h"

enum { INFER_MAX_RESULTS = 64 };
typedef struct Inferred {
    int n_results;
    const Type *type; /* [n_results]: own, or the spec's where results are given */
    /* dims point into dim[] for the first result, into the arguments' for further ones of equal shape */
    Type own[INFER_MAX_RESULTS];
    int64_t dim[WEFT_MAX_RANK];
} Inferred;

/* args: types of the operands. spec->args is not looked at. False and f set if the rule is broken.
 * Messages say what was seen and what is allowed; the caller adds place and public function name. */
bool infer(const NodeSpec *spec, const Type *args, Inferred *out, Failure *f);
/* Does the op take operands of this type (column types of ops.def)? */
bool infer_takes(Op op, DType t);
#endif
