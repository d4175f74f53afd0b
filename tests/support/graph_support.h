/* graph_support.h: an arena that ends the test when memory does, and types written as text. For suites that
 * build graphs by hand. */
#ifndef WEFT_TESTS_GRAPH_SUPPORT_H
#define WEFT_TESTS_GRAPH_SUPPORT_H
#include "compiler/graph/graph.h"
#include <stdlib.h>
#include <string.h>

static inline void *support_resize(void *user, void *p, size_t old_bytes, size_t new_bytes)
{
    (void)user;
    (void)old_bytes;
    if (new_bytes) {
        p = realloc(p, new_bytes);
        if (!p) abort(); /* so no guard is ever reached */
        return p;
    }
    free(p);
    return NULL;
}

static const Allocator support_allocator = { support_resize, NULL };

/* Reads "f32[3,4]" at *text into a type whose sizes lie in dim; moves *text behind it and the spaces
 * after. */
static inline Type support_type(const char **text, int64_t *dim)
{
    Type t = { 0, 0, dim };
    size_t name = strcspn(*text, "[ ");
    for (int k = 0; k < DTYPE_COUNT; k++)
        if (strlen(dtype_name((DType)k)) == name && strncmp(dtype_name((DType)k), *text, name) == 0)
            t.dtype = (uint8_t)k;
    char *p = (char *)*text + name;
    if (*p == '[') {
        while (*p != ']') dim[t.rank++] = strtoll(p + 1, &p, 10);
        p++;
    }
    *text = p + strspn(p, " ");
    return t;
}

/* One op over parameters of the types in `args`; `given` is the type for ops that are told theirs. */
typedef struct Case {
    Op op;
    const char *args;
    int n_attr;
    int64_t attr[16];
    const char *given;
    const char *want; /* what the suite makes of it */
} Case;

/* The case's node, or REF_NONE with g->failure set. The region is used by ops that have one. */
static inline Ref support_case(Graph *g, const Case *c, const Graph *region)
{
    static const double zeros[64];
    Ref args[8];
    int64_t dim[40];
    uint32_t n = 0;
    const char *text = c->args, *given = c->given ? c->given : "bool";
    for (; *text; n++) args[n] = build_param(g, support_type(&text, dim));
    if (c->op == OP_PARAMETER) n = 0;
    Type t = support_type(&given, dim);
    return graph_add(g, &(NodeSpec){ .op = c->op,
                                     .args = args,
                                     .n_args = n,
                                     .attr = c->attr,
                                     .n_attr = (uint32_t)c->n_attr,
                                     .dtype = (DType)t.dtype,
                                     .dim = t.dim,
                                     .rank = t.rank,
                                     .data = c->op == OP_CONSTANT ? zeros : NULL,
                                     .region = region });
}
#endif
