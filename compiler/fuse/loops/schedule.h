/* schedule.h: the order of what a long body computes. */
#ifndef WEFT_LOOPS_SCHEDULE_H
#define WEFT_LOOPS_SCHEDULE_H
#include "compiler/program/program.h"
/* Where many values are alive at once, for the registers that there are: an order of statements that keeps
 * fewer, in a program whose kernels are complete. */
void schedule_kernels(Program *, const Target *);
#endif
