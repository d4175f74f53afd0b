/* graphs_guard.h: see graphs_guard.c. */
#ifndef WEFT_TESTS_GRAPHS_GUARD_H
#define WEFT_TESTS_GRAPHS_GUARD_H
#include "runtime/exec/compile.h"
#include "tests/graphs/graphs.h"

/* Runs code that was compiled from g, with all arrays and the scratch right in front of pages that may not be
 * touched (at_end), or right behind such. is_donated: results take the inputs' memory that they may be given.
 * The workers run pieces. Fills out. What went wrong, or NULL. */
const char *run_between_guards(const Graph *g, const Code *, void *const *inputs, const Values *out,
                               bool at_end, bool is_donated, const Workers *);
#endif
