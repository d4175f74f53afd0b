/* written.h: a call's options as they are written, "x, .count = n, .reverse = true", which macros pass on:
 * whether one that is 0 was said at all, and how. */
#ifndef WEFT_CALL_WRITTEN_H
#define WEFT_CALL_WRITTEN_H
#include <stdbool.h>

/* What stands behind ".name =" and goes on to the next comma. Looked for at the beginning and behind commas,
 * not in parentheses and texts. NULL: it is not there, or written is NULL. */
const char *written_option(const char *written, const char *name);
/* Is it there as a constant that makes a null pointer: 0, NULL, (char *)0? The option must be NULL. */
bool written_null(const char *written, const char *name);
/* Is it there as a floating-point constant, 0.9 or -1e3, and nothing else? */
bool written_float(const char *written, const char *name);
#endif
