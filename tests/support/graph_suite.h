/* graph_suite.h: for suites that build graphs by hand: an arena that each test has, random arrays in it, and
 * running a graph by eager mode. */
#ifndef WEFT_TESTS_GRAPH_SUITE_H
#define WEFT_TESTS_GRAPH_SUITE_H
#include "tests/support/graph_support.h"
#include "tests/support/heap.h"

extern Arena arena; /* the running test's */
/* A suite's .init and .fini. */
void open_arena(void);
void close_arena(void);

uint32_t random_below(uint32_t n);
void *room(Type);
void *random_array(Type); /* mostly small numbers, some special ones */

void **outputs_of(const Graph *);                                       /* room for them */
void eager_run(const Graph *, const void *const *in, void *const *out); /* the test fails if this does */
#endif
