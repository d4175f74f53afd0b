/* fork.h: what a forked child finds of weft's.
 *
 * fork copies one thread. What the others held or had in hand stays so in the child for ever, if nothing is
 * done about it: so fork waits until nobody is in the middle of a change that a lock guards (none is held
 * while your code runs or code is compiled), and in the child what others were building is given up, their
 * calls are over, and a compiler process is the parent's.
 */
#ifndef WEFT_RUNTIME_FORK_H
#define WEFT_RUNTIME_FORK_H
#include <stdbool.h>
#include "runtime/memory/context.h"

bool fork_watch(weft_context *); /* from now on. False: out of memory */
void fork_unwatch(weft_context *);
#endif
