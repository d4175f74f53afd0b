/* evaluate.h: one element of an elementary op: what constant folding needs. */
#ifndef WEFT_SCALAR_EVALUATE_H
#define WEFT_SCALAR_EVALUATE_H
#include "compiler/graph/ops.h"

/* The value of op on args (raw bits, of type `operand`; a SELECT's first is a bool), as raw bits of type
 * `result`. False where it is not computed here: math functions (their bits are the recipes' business), and
 * whatever gives NaN, whose sign and payload differ from machine to machine. */
bool evaluate(Op op, DType operand, DType result, const int64_t *attr, const uint64_t *args, uint64_t *out);
/* The same where NaN is a value like others, for those who do not keep its bits. */
bool evaluate_with_nans(Op op, DType operand, DType result, const int64_t *attr, const uint64_t *args,
                        uint64_t *out);
#endif
