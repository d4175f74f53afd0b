/* schedule.h: the order of what a long body computes. */
#ifndef WEFT_LOOPS_SCHEDULE_H
#define WEFT_LOOPS_SCHEDULE_H
#include "compiler/program/program.h"
/* In a program whose kernels are complete, an order of statements that waits less, where they wait for each
 * other in long chains, or keeps fewer values alive, where there are more than registers. */
void schedule_kernels(Program *, const Target *);
#endif
