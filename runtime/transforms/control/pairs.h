/* pairs.h: transforms of a function of two elements: one array or struct of elements along an axis goes in,
 * and one comes out. */
#ifndef WEFT_TRANSFORMS_PAIRS_H
#define WEFT_TRANSFORMS_PAIRS_H
#include "runtime/transforms/staging.h"

/* After the trace on two elements: is what the function gives right? False: error set. */
typedef bool PairsCheck(const Staging *);
/* build gets the Staging: length is the number of elements, axis[i] their axis in leaf i. */
bool pairs_stage(const Function *, Local *, const Flat *in, Flat *out, PairsCheck *, StageBuild *);
/* Are the options good? Does the function take two arrays, or two structs of one type, and give a third? Does
 * the new function take one and give one? If the function gives one array whatever it takes, gives is what
 * errors call that array; else NULL. */
bool pairs_prepare(const Function *, const char *gives, Failure *);
#endif
