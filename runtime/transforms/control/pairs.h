/* pairs.h: transforms of a function of two elements: one array or struct of elements along an axis goes in,
 * and one comes out. */
#ifndef WEFT_TRANSFORMS_PAIRS_H
#define WEFT_TRANSFORMS_PAIRS_H
#include "runtime/transforms/staging.h"

/* After the trace on two elements: is what the function gives right? False: error set. */
typedef bool PairsCheck(const Staging *);
/* build gets the Staging: its length is that of the axis, axis[i] where the axis of leaf i is. */
bool pairs_stage(const Function *, Local *, const Flat *in, Flat *out, int64_t axis, PairsCheck *,
                 StageBuild *);
/* The function must take two arrays, or two structs of one type, and give a third, or what gives says: one
 * array. The new function must take one of these, and give one. */
bool pairs_prepare(const Function *, const char *gives, Failure *);
#endif
