/* fork.h: what a forked child finds of weft's.
 *
 * fork copies one thread. Locks that other threads hold would stay locked in the child for ever, and what
 * they were changing half changed. So fork waits until no thread is in the middle of a change that a lock
 * guards (no lock is held while user code runs or code is compiled). In the child, what other threads were
 * building is given up, their calls are over, LAPACK's too, and the compiler process stays the parent's.
 */
#ifndef WEFT_RUNTIME_FORK_H
#define WEFT_RUNTIME_FORK_H
#include <stdbool.h>
#include "runtime/memory/context.h"

bool fork_watch(weft_context *); /* from now on. False: out of memory */
void fork_unwatch(weft_context *);
#endif
