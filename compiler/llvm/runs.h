/* runs.h: calls of the entry that differ by a number. The leaves of a large tree are updated by a few
 * functions, whose arguments stand one behind the other in the lists of inputs and outputs: these calls are a
 * loop over the lists. (10,000 leaves: 590 -> 93 ms, for LLVM takes 40 us for a call that is written out.)
 */
#ifndef WEFT_LLVM_RUNS_H
#define WEFT_LLVM_RUNS_H
#include "functions.h"

/* `times` times `period` calls: those of steps from, from + 1, ... are made again and again, each buffer as
 * much further in its list or in memory as it is from the first time to the second. times 0: there is no such
 * run. */
typedef struct CallRun {
    uint32_t period, times;
} CallRun;
CallRun run_of_calls(const FunctionPlan *, uint32_t from, uint32_t to);

/* Where a buffer's address is found: its place in a list, or in memory. */
int64_t run_place(const Buffer *);
#endif
