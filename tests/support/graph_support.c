/* graph_support.c: see graph_support.h. */
#include "tests/support/graph_support.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

double get(Type t, const void *p, int64_t i)
{
    DType d = (DType)t.dtype;
    return scalar_to_double(d, scalar_load(d, (const char *)p + (size_t)i * dtype_bytes(d)));
}

void put(Type t, void *p, int64_t i, double v)
{
    DType d = (DType)t.dtype;
    scalar_store(d, (char *)p + (size_t)i * dtype_bytes(d), scalar_from_double(d, v));
}

int64_t differs_at(Type t, const void *a, const void *b)
{
    int64_t parts = 1 + dtype_is_complex((DType)t.dtype);
    Type part = { (uint8_t)dtype_part((DType)t.dtype), t.rank, t.dim };
    size_t bytes = dtype_bytes((DType)part.dtype);
    for (int64_t i = 0; i < parts * type_count(t); i++) {
        bool nans = dtype_is_float((DType)part.dtype) && isnan(get(part, a, i)) && isnan(get(part, b, i));
        if (!nans && memcmp((const char *)a + (size_t)i * bytes, (const char *)b + (size_t)i * bytes, bytes))
            return i / parts;
    }
    return -1;
}

DType dtype_named(const char *name)
{
    for (int t = 0; t < DTYPE_COUNT; t++)
        if (!strcmp(dtype_name((DType)t), name)) return (DType)t;
    fprintf(stderr, "no element type is called %s\n", name);
    abort();
}

bool has_op(const Graph *g, Op op)
{
    for (Ref r = 0; r < g->n_nodes; r++) {
        if (g->nodes[r].op == op) return true;
        for (uint32_t i = 0; i < g->nodes[r].n_regions; i++)
            if (has_op(g->nodes[r].regions[i], op)) return true;
    }
    return false;
}

const Node *first_of_op(const Graph *g, Op op)
{
    for (Ref r = 0; r < g->n_nodes; r++)
        if (g->nodes[r].op == op) return &g->nodes[r];
    return NULL;
}

void set_all_results(Graph *g, Ref r)
{
    uint32_t n = r == REF_NONE ? 0 : graph_node(g, r)->n_results;
    Ref *out = arena_alloc(g->arena, (n + 1) * sizeof *out);
    for (uint32_t i = 0; i < n; i++) out[i] = build_result(g, r, (int)i);
    graph_set_outputs(g, out, n);
}

Type support_type(const char **text, int64_t *dim)
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

Ref support_case(Graph *g, const Case *c, const Graph *region)
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
