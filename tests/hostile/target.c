/* target.c: how a target says that a promise was broken. */
#include "target.h"
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

void target_require(bool holds, const char *format, ...)
{
    if (holds) return;
    va_list list;
    va_start(list, format);
    vfprintf(stderr, format, list);
    va_end(list);
    fputc('\n', stderr);
    abort();
}
