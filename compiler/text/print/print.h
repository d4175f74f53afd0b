/* print.h: what the parts of the printer share. */
#ifndef WEFT_TEXT_PRINT_H
#define WEFT_TEXT_PRINT_H
#include "compiler/text/spell.h"
#include "compiler/text/text.h"

typedef struct StartValue {
    DType dtype;
    uint64_t bits;
    const char *name;
} StartValue;

/* A private func that is printed behind what needs it: the decomposition of a composite, or a region of an op
 * of ours. */
typedef struct Later {
    const Graph *g;
    const char *name;
    bool is_decomposition;
} Later;
/* A composite that has been printed; an equal one shares its funcs. */
typedef struct Composite {
    const Graph *g;
    const Node *node;
    const char *region[MAX_REGION_KEYS], *decomposition;
} Composite;

typedef struct GraphPrinter {
    Text text;
    const PrintOptions *options;
    int64_t max_elements;
    uint32_t values, ints, floats, args, iters; /* names given so far: %0, %c_0, %cst_0, %arg0, %iterArg_0 */
    StartValue *starts;
    uint32_t n_starts, cap_starts;
    Later *later;
    uint32_t n_later, cap_later;
    Composite *composites;
    uint32_t n_composites, cap_composites;
    const char *name; /* of the graph's func; may be NULL */
    bool in_decomposition;
} GraphPrinter;

/* One graph's names; regions have their own. scalars: the graph's constants of rank 0, for start values. */
typedef struct Names {
    const Graph *g;
    const char **of;
    const bool *reached;
    const Ref *scalars;
    uint32_t n_scalars;
    int indent;
} Names;

/* print_parts.c */
void print_words(GraphPrinter *, const char *);
void print_indent(GraphPrinter *, int depth);
void print_type(GraphPrinter *, Type);
void print_dense(GraphPrinter *, Type, const void *data, bool splat);          /* dense<...> : type */
void print_ints(GraphPrinter *, const int64_t *, int64_t n);                   /* 1, 2 */
void print_list(GraphPrinter *, const char *key, const int64_t *, int64_t n);  /* key = [1, 2] */
void print_array(GraphPrinter *, const char *key, const int64_t *, int64_t n); /* key = array<i64: 1, 2> */
/* dims = [1], dims2 = [2], index_vector_dim = 3: of GATHER and SCATTER; empty lists are left out, as MLIR
 * does. n_flags: numbers of the node in front of the lists; returns what stands behind them. */
const int64_t *print_axis_lists(GraphPrinter *, AxisListKeys, const int64_t *attr, int n_flags);
const char *print_constant_name(GraphPrinter *, DType); /* the next name */
const char *print_value_name(GraphPrinter *);
void print_values(GraphPrinter *, const Names *, const Ref *, uint32_t n);
void print_types(GraphPrinter *, const Names *, const Ref *, uint32_t n);        /* of values */
void print_typed_values(GraphPrinter *, const Names *, const Ref *, uint32_t n); /* %a, %b : T, T */
void print_return(GraphPrinter *, const Names *, const char *op); /* of the outputs; the line */
/* : (T, T) -> T */
void print_function_type(GraphPrinter *, const Names *, const Ref *args, uint32_t n, const Node *);
const char *print_name(GraphPrinter *, const Names *, Ref); /* %3, %3#1 */
void print_symbol(GraphPrinter *, const char *name);        /* quoted where it must be */
/* print_op.c: all behind the op's name, for ops without regions that are no constant, REDUCE or composite */
void print_op(GraphPrinter *, const Names *, const Node *);

/* print.c */
Names print_open(GraphPrinter *, const Graph *, int indent); /* a graph's names, none given yet */
void print_nodes(GraphPrinter *, Names *);
/* print_region.c */
bool print_has_regions(Op); /* those that print_regions prints */
/* Lists what an op's regions capture in front of it, and returns the list's name; NULL: their text says
 * it. */
const char *print_pins(GraphPrinter *, const Names *, const Node *);
void print_regions(GraphPrinter *, const Names *, const Node *, const char *pins);
void print_reducer(GraphPrinter *, const Names *, const Node *); /* of stablehlo.reduce */
/* print_composite.c */
bool print_is_composite(const Node *);
bool print_is_factors(const Node *); /* a factorization by a name of ours */
void print_composite(GraphPrinter *, const Names *, const Node *);
#endif
