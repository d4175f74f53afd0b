/* backwards.h: one worker that runs the pieces of a parallel loop from the last to the first, each in LOCAL
 * memory with rubbish in it: what depends on their order, or on what a piece left there, comes to light. */
#ifndef WEFT_TESTS_BACKWARDS_H
#define WEFT_TESTS_BACKWARDS_H
#include "compiler/program/workers.h"
extern const Workers workers_backwards;
#endif
