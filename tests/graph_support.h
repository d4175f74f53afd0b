/* graph_support.h: an arena that ends the test when memory does, and types written as text. For suites that build graphs by hand. */
#ifndef WEFT_TESTS_GRAPH_SUPPORT_H
#define WEFT_TESTS_GRAPH_SUPPORT_H
#include "compiler/graph.h"
#include <stdlib.h>
#include <string.h>

static inline void *support_resize(void *user, void *p, size_t old_bytes, size_t new_bytes)
{
    (void)user; (void)old_bytes;
    if (new_bytes) {
        p = realloc(p, new_bytes);
        if (!p) abort();                /* so no guard is ever reached */
        return p;
    }
    free(p);
    return NULL;
}

static const Allocator support_allocator = { support_resize, NULL };

/* Reads "f32[3,4]" at *text into a type whose sizes lie in dim; moves *text behind it and the spaces after. */
static inline Type support_type(const char **text, int64_t *dim)
{
    Type t = { 0, 0, dim };
    size_t name = strcspn(*text, "[ ");
    for (int k = 0; k < DTYPE_COUNT; k++)
        if (strlen(dtype_name((DType)k)) == name && strncmp(dtype_name((DType)k), *text, name) == 0) t.dtype = (uint8_t)k;
    char *p = (char *)*text + name;
    if (*p == '[') {
        while (*p != ']') dim[t.rank++] = strtoll(p + 1, &p, 10);
        p++;
    }
    *text = p + strspn(p, " ");
    return t;
}
#endif
