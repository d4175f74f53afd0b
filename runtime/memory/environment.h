/* environment.h: the only reader of the environment in libweft: WEFT_BACKEND, WEFT_DUMP, WEFT_TARGET. */
#ifndef WEFT_MEMORY_ENVIRONMENT_H
#define WEFT_MEMORY_ENVIRONMENT_H
#include <stdbool.h>

/* Whether this process may do no more than the user who started it. False: it is set-uid or set-gid, has
 * given up another user's rights for a while only, or holds capabilities without being root's; then its
 * environment is a stranger's. */
bool environment_counts(void);

/* The variable's text. NULL where it is unset or empty, or where the environment does not count. */
const char *environment_text(const char *variable);
#endif
