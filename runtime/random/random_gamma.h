/* random_gamma.h: the derivative of a gamma sample by its shape parameter. */
#ifndef WEFT_RANDOM_RANDOM_GAMMA_H
#define WEFT_RANDOM_RANDOM_GAMMA_H
#include "random_parts.h"

/* Of samples x of gammas of shape a, both one-dimensional, of one float type: how a sample moves with a when
 * its quantile stays, dx/da. Of logarithms of samples if log_space. */
weft_array *random_gamma_slope(weft_array *a, weft_array *x, bool log_space);
#endif
