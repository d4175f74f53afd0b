/* optim.h: the rate of an optimizer's step, for optim.c. */
#ifndef WEFT_OPS_OPTIM_H
#define WEFT_OPS_OPTIM_H
#include "ops_compose.h"
#include "weft/optim.h"

/* Is the schedule whole? Else op_fail with who in front (".schedule: "), and false. */
bool schedule_check(const weft_schedule *, const char *who);
/* Its value at each step (ints) in the float type t. Inside an ops call. */
weft_array *schedule_value(const weft_schedule *, weft_array *step, DType t);
#endif
