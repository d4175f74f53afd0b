/* print_parts.h: what the parts of the printer share. */
#ifndef WEFT_COMPILER_PRINT_PARTS_H
#define WEFT_COMPILER_PRINT_PARTS_H
#include "parse.h"

typedef struct Start { DType dtype; uint64_t bits; const char *name; } Start;

typedef struct Printer {
    Text text;
    const PrintOptions *options;
    int64_t max_elements;
    uint32_t values, ints, floats, args;        /* names given so far: %0, %c_0, %cst_0, %arg0 */
    Start *starts; uint32_t n_starts, cap_starts;
    const Graph **decompositions; uint32_t n_decompositions, cap_decompositions;
    bool in_decomposition;
} Printer;

/* One graph's names; regions have their own. scalars: the graph's constants of rank 0, for start values. */
typedef struct Names {
    const Graph *g;
    const char **of; const bool *reached;
    const Ref *scalars; uint32_t n_scalars;
    int indent;
} Names;

/* print_parts.c */
void print_words(Printer *, const char *);
void print_indent(Printer *, int depth);
void print_type(Printer *, Type);
void print_dense(Printer *, Type, const void *data, bool splat);        /* dense<...> : type */
void print_ints(Printer *, const int64_t *, int64_t n);                 /* 1, 2 */
void print_key_ints(Printer *, const char *key, const int64_t *, int64_t n);    /* , key = [1, 2] */
const char *print_constant_name(Printer *, DType);                      /* the next name */
const char *print_value_name(Printer *);
void print_value(Printer *, const Names *, Ref);
void print_values(Printer *, const Names *, const Ref *, uint32_t n);
void print_types(Printer *, const Names *, const Ref *, uint32_t n);    /* of values */
void print_function_type(Printer *, const Names *, const Node *);       /* : (T, T) -> T */
/* print_op.c: what stands behind the name of an op that is neither a constant, a reduction nor a composite */
void print_op(Printer *, const Names *, const Node *);
#endif
