/* long_run.h: is there time for all of it? ./dev test leaves some out, ./dev long (WEFT_LONG=1) does not. */
#ifndef WEFT_TESTS_LONG_RUN_H
#define WEFT_TESTS_LONG_RUN_H
#include <stdbool.h>
#include <stdlib.h>

static inline bool long_run(void)
{
    const char *v = getenv("WEFT_LONG");
    return v && *v == '1';
}

static inline int rounds(int usual, int in_long_run) { return long_run() ? in_long_run : usual; }
#endif
