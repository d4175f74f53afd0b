/* graph_support.h: elements of arrays, ops of graphs, types written as text. */
#ifndef WEFT_TESTS_GRAPH_SUPPORT_H
#define WEFT_TESTS_GRAPH_SUPPORT_H
#include "compiler/graph/graph.h"

static inline size_t bytes_of(Type t) { return (size_t)type_count(t) * dtype_bytes((DType)t.dtype); }
double get(Type, const void *, int64_t i);
void put(Type, void *, int64_t i, double);
/* The first element of other bits that is not NaN in both; -1: there is none. */
int64_t differs_at(Type, const void *a, const void *b);

/* The program ends if there is none of this name. */
DType dtype_named(const char *);

bool has_op(const Graph *, Op);             /* regions included */
const Node *first_of_op(const Graph *, Op); /* NULL: there is none; regions not included */
void set_all_results(Graph *, Ref);         /* what the node gives are the graph's outputs */

/* Reads "f32[3,4]" at *text into a type whose sizes lie in dim; moves *text behind it and the spaces
 * after. */
Type support_type(const char **text, int64_t *dim);

/* One op over parameters of the types in `args`; `given` is the type for ops that are told theirs. */
typedef struct Case {
    Op op;
    const char *args;
    int n_attr;
    int64_t attr[26];
    const char *given;
    const char *want; /* what the suite makes of it */
} Case;

/* The case's node, or REF_NONE with g->failure set. The region is used by ops that have one. */
Ref support_case(Graph *, const Case *, const Graph *region);
#endif
