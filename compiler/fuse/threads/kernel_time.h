/* kernel_time.h: how long statements take on one thread, about; and what pays for several, which is all that
 * depends on it. */
#ifndef WEFT_THREADS_KERNEL_TIME_H
#define WEFT_THREADS_KERNEL_TIME_H
#include "compiler/program/program.h"
/* Of top-level statements from .. end - 1, in ns: as far as it is arithmetic, the same on every machine but
 * for its vectors; and with memory. */
double stmts_arithmetic_ns(const Kernel *, Val from, Val end);
double stmts_ns(const Program *, const Target *, const Kernel *, Val from, Val end);
/* By step: how often it runs, for the loops of steps around it. */
const double *step_runs(const Program *);
/* Do several threads pay for what takes so long each time, and runs so often? */
bool threads_pay(const Target *, double ns, double runs);
#endif
