/* environment.h: the only reader of the environment in libweft: WEFT_BACKEND, WEFT_DUMP,
 * WEFT_PERF, WEFT_TARGET. */
#ifndef WEFT_MEMORY_ENVIRONMENT_H
#define WEFT_MEMORY_ENVIRONMENT_H
#include <stdbool.h>

/* Whether this process may do no more than the user who started it. False: its environment is a stranger's,
 * for it is set-uid or set-gid, gave up its rights for a while only, or has capabilities but not root's. */
bool environment_counts(void);

/* The variable's text. NULL where it is unset or empty, or where the environment does not count. */
const char *environment_text(const char *variable);
#endif
