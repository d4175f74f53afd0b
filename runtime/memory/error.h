/* error.h: how anything that goes wrong is told.
 *
 * What knows neither who was called nor where (compiler/, walks, readers of texts, the loader) fills a
 * Failure (graph.h: fail) and returns false. Whoever was called by the user makes it the thread's error, in
 * one of three names: a public function's own (error_set), that of the running op (op.h: op_fail), that of
 * the function that is being called (its label). All that tells an error returns false.
 *
 * A thread keeps its first error of each context until weft_clear; later ones are only counted.
 */
#ifndef WEFT_MEMORY_ERROR_H
#define WEFT_MEMORY_ERROR_H
#include "compiler/graph/graph.h"

typedef struct Local Local;

/* "at: who: text" and the chain of calls. who and at may be NULL. Local NULL: kept for weft_error(NULL). */
bool error_set(Local *, weft_status, const char *who, const char *at, const char *format, ...)
    __attribute__((format(printf, 5, 6)));
/* Out of memory; with the limit, if there is one. */
bool error_memory(Local *, const char *who, const char *at);
/* What the failure says, behind `what`; out of memory in error_memory's words. */
bool error_failure(Local *, const char *who, const char *at, const char *what, const Failure *);
/* True, and an error: fewer bytes than that are left of this thread's stack. */
bool error_stack(Local *, size_t need, const char *who, const char *at);
#endif
