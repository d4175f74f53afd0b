/* error_at.h: is an error's place that of a call which a macro of a test was given? */
#ifndef WEFT_TESTS_ERROR_AT_H
#define WEFT_TESTS_ERROR_AT_H
#include <stdlib.h>
#include <string.h>

enum { LINES_OF_A_CALL = 8 };

/* The macro stands on `line`, the call there or on one of the next lines. Returns what follows "file:line: "
 * in the error, or NULL: it names another place. */
static inline const char *error_at(const char *error, const char *file, int line)
{
    size_t n = strlen(file);
    char *end;
    if (!error || strncmp(error, file, n) || error[n] != ':') return NULL;
    long at = strtol(error + n + 1, &end, 10);
    return at >= line && at < line + LINES_OF_A_CALL && !strncmp(end, ": ", 2) ? end + 2 : NULL;
}
#endif
