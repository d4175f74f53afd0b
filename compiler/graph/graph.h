/* graph.h: the graph of one function: immutable nodes in topological order, addressed by a 32-bit index.
 *
 * Invariants (check.c verifies them between passes in debug builds):
 *   - operands come before their users: args[i] < own index;
 *   - no two nodes are equal (op, type, operands, attributes, data, region): graph_add finds the older one;
 *   - every node's type is what infer.c says it is;
 *   - a node with n_results > 1 is used by RESULT nodes only, and RESULT is used on nothing else;
 *   - regions are closed: what they use are their parameters. They lie in the graph's own arena and are
 *     compact (graph_add sees to it).
 * A pass takes a const Graph and builds a new one. Nodes that nothing reaches stay until simplify or
 * graph_compact.
 */
#ifndef WEFT_GRAPH_GRAPH_H
#define WEFT_GRAPH_GRAPH_H
#include "ops.h"
#include "compiler/graph/types/type.h"

typedef uint32_t Ref;       /* a node's index */
#define REF_NONE UINT32_MAX /* the failed value: constructors given one return one */

typedef struct Graph Graph;

typedef struct Node {
    uint8_t op, dtype, rank; /* Op, DType; type of the (first) result */
    uint8_t n_regions;
    uint32_t n_args, n_attr;
    uint32_t n_results; /* 1, but for ops over several arrays at once, and control flow */
    uint32_t loc;       /* into the graph's table of source places; 0: none */
    uint32_t hash;
    const int64_t *dim;          /* [rank] */
    const Ref *args;             /* [n_args] */
    const int64_t *attr;         /* [n_attr], laid out as ops.h says */
    const void *data;            /* CONSTANT: its elements, one if attr[0] */
    const Graph *region;         /* the first of the regions, or NULL */
    const Graph *const *regions; /* [n_regions]: which and what they take and give stands in ops.h */
    const Type *results;         /* [n_results] if more than one */
} Node;

/* What one wants appended. Fields an op does not use are zero. Everything is copied but big constants' bytes
 * (see graph_add). */
typedef struct NodeSpec {
    Op op;
    const Ref *args;
    uint32_t n_args;
    const int64_t *attr;
    uint32_t n_attr;
    DType dtype; /* for ops whose type is given (ops.h) */
    const int64_t *dim;
    int rank;            /* for ops whose shape is given */
    const void *data;    /* CONSTANT */
    const Graph *region; /* the only region; or NULL, and */
    const Graph *const *regions;
    uint32_t n_regions;
    /* for ops whose results' types are given (ops.h): the rule checks them */
    const Type *results;
    uint32_t n_results;
} NodeSpec;

/* The first thing that went wrong, in words for the user: "shapes f32[3,4] and f32[5] do not broadcast (axis
 * 1: 4 against 5)". */
typedef struct Failure {
    weft_status code;
    char text[1024];
} Failure;
/* Sets f if it holds nothing yet; returns false, so that a rule can end with `return fail(f, WEFT_SHAPE,
 * "...", ...)`. f may be NULL. */
bool fail(Failure *f, weft_status code, const char *format, ...) __attribute__((format(printf, 3, 4)));
/* Hands on what went wrong elsewhere. */
bool fail_as(Failure *f, const Failure *why);

struct Graph {
    Arena *arena; /* borrowed: holds nodes and all they point to */
    Node *nodes;
    uint32_t n_nodes, capacity;
    uint32_t *table;
    uint32_t table_size; /* open addressing: node index + 1 */
    Ref *params;
    uint32_t n_params, cap_params; /* PARAMETER nodes by number */
    Ref *outputs;
    uint32_t n_outputs;
    const char **locs;
    uint32_t n_locs, cap_locs; /* "file.c:42"; locs[0] is NULL */
    uint32_t *loc_table;
    uint32_t loc_table_size;  /* open addressing by text: index into locs, 0: free */
    uint32_t loc;             /* what new nodes get */
    uint32_t fold_depth;      /* rules that are building inside rules (fold.c) */
    bool raw;                 /* graph_add is graph_add_raw: nodes stay as they are asked for */
    const char *name;         /* of the function, for text; may be NULL */
    const char **param_names; /* [n_params] or NULL, for messages and text */
    Failure failure;          /* first error of a constructor; code WEFT_OK: none */
};

Graph *graph_new(Arena *, const char *name);
Graph *graph_new_raw(Arena *, const char *name); /* raw: what is made for text */
/* A list of n, with room for one more. */
static inline Ref *graph_refs(Arena *a, size_t n) { return arena_alloc(a, (n + 1) * sizeof(Ref)); }
static inline const Node *graph_node(const Graph *g, Ref r) { return &g->nodes[r]; }
static inline Type node_type(const Node *n) { return (Type){ n->dtype, n->rank, n->dim }; }
static inline Type node_result(const Node *n, uint32_t i)
{
    return n->n_results > 1 ? n->results[i] : node_type(n);
}
/* Of a complex splat: is it a real number, whose imaginary part is +0? */
bool node_is_real(const Node *);
/* A constant of one element for all, which node_bits says. n may be NULL. */
static inline bool is_splat(const Node *n)
{
    return n && n->op == OP_CONSTANT && n->attr[0] && (!dtype_is_complex((DType)n->dtype) || node_is_real(n));
}
/* The bits of element i of a constant, and of its first one. */
static inline uint64_t node_element(const Node *n, int64_t i)
{
    size_t bytes = dtype_bytes((DType)n->dtype);
    return scalar_load((DType)n->dtype, (const char *)n->data + (n->attr[0] ? 0 : (size_t)i * bytes));
}
static inline uint64_t node_bits(const Node *n) { return node_element(n, 0); }
/* What graph_add was given for this node; another pass changes what it must. A node of one result that had
 * its type given has it in dtype, dim, rank. */
static inline NodeSpec node_spec(const Node *n)
{
    return (NodeSpec){ .op = (Op)n->op,
                       .args = n->args,
                       .n_args = n->n_args,
                       .attr = n->attr,
                       .n_attr = n->n_attr,
                       .dtype = (DType)n->dtype,
                       .dim = n->dim,
                       .rank = n->rank,
                       .data = n->data,
                       .regions = n->regions,
                       .n_regions = n->n_regions,
                       .results = n->n_results > 1 ? n->results : NULL,
                       .n_results = n->n_results > 1 ? n->n_results : 0 };
}
/* Region i of a spec, however it was given. */
static inline uint32_t spec_n_regions(const NodeSpec *s) { return s->region ? 1 : s->n_regions; }
static inline const Graph *spec_region(const NodeSpec *s, uint32_t i)
{
    return s->region ? s->region : i < s->n_regions ? s->regions[i] : NULL;
}
static inline Type graph_type(const Graph *g, Ref r) { return node_type(&g->nodes[r]); }

/* The constructor is the optimizer: infers the type (infer.h), folds (fold.h), finds an equal node or appends
 * a new one. On a broken rule: records g->failure, returns REF_NONE. A REF_NONE among the args: returns
 * REF_NONE in silence. CONSTANT data of up to 4096 bytes is copied and compared by content; larger is
 * borrowed for the arena's life, and that of every graph that this one becomes a part of, and goes by
 * address. */
Ref graph_add(Graph *, const NodeSpec *);
/* Memory for such data that a pass makes, zeroed. */
void *graph_elements(Graph *, size_t bytes);
/* The same without fold rules (parser of golden files, tests of the folds themselves). */
Ref graph_add_raw(Graph *, const NodeSpec *);
/* The node that graph_add finds for an equal of node r: r itself in a sound graph. */
Ref graph_find(const Graph *, Ref r);
void graph_set_outputs(Graph *, const Ref *outputs, uint32_t n);
uint32_t graph_loc(Graph *, const char *at); /* interns "file:line"; give it to g->loc */
/* The same place, of src, in dst. */
uint32_t graph_copy_loc(Graph *dst, const Graph *src, uint32_t loc);
/* An empty graph is to become nearly as large as another one, and of the same places. */
void graph_expect(Graph *, const Graph *like);
/* reached[r] for every node: do the outputs need it? In the given arena. */
bool *graph_reached(Arena *, const Graph *);
/* Is the node this op, or does one stand in its regions, or in theirs? everywhere: in reducers and
 * comparators too, not only in regions that are run as programs. */
bool node_holds(const Node *, Op, bool everywhere);
bool graph_holds(const Graph *, Op, bool everywhere);
/* A copy of g in the arena with only what the outputs reach, and all parameters. The order is one that text
 * gives back: parameters come first, a constant stands in front of the first node that uses it, a node's
 * RESULTs behind it in theirs; otherwise it is kept. */
Graph *graph_compact(Arena *, const Graph *);
/* Structure, types, attributes, data, outputs; not names or places. Node by node: compact both first if what
 * nothing reaches should not count. */
bool graph_equal(const Graph *, const Graph *);
uint64_t graph_hash(const Graph *);
/* Copies node n of src (operands mapped through map[]) into dst by way of graph_add. */
Ref graph_copy_node(Graph *dst, const Graph *src, Ref n, const Ref *map);
/* g's param_names again in this arena; NULL if it has none. */
const char **graph_copy_names(Arena *, const Graph *);
/* The parameters of g that are the first of `from`'s have their names; others have none. */
void graph_name_params(Graph *g, const Graph *from);
/* Inlines callee (closed graph) into g with these arguments; writes callee's outputs. */
bool graph_inline(Graph *g, const Graph *callee, const Ref *args, Ref *outputs);

/* Typed constructors: what passes and parsers use. */
Ref build_node(Graph *, Op, const Ref *args, uint32_t n, const int64_t *attr, uint32_t n_attr);
/* Where the type, or the types of several results, are given. No results: REF_NONE. */
Ref build_typed(Graph *, Op, const Ref *args, uint32_t n, const int64_t *attr, uint32_t n_attr, Type);
Ref build_given(Graph *, NodeSpec, const Type *results, uint32_t n);
Ref build_param(Graph *, Type); /* the next parameter */
Ref build_constant(Graph *, Type, const void *data);
Ref build_splat(Graph *, Type, uint64_t bits); /* one element for all; bits as scalar_load gives them */
Ref build_filled(Graph *, Type, const void *element);
Ref build_zeros(Graph *, Type);
Ref build_or_zeros(Graph *, Ref, Type);   /* zeros where it is REF_NONE */
Ref build_number(Graph *, DType, double); /* rank 0 */
Ref build_iota(Graph *, Type, int axis);
Ref build_unary(Graph *, Op, Ref);
Ref build_binary(Graph *, Op, Ref, Ref);          /* equal types; no broadcasting here */
Ref build_compare(Graph *, CompareDir, Ref, Ref); /* order by the operands' type */
Ref build_select(Graph *, Ref p, Ref t, Ref f);
Ref build_convert(Graph *, Ref, DType);
Ref build_bitcast(Graph *, Ref, DType);
Ref build_broadcast(Graph *, Ref, const int64_t *dim, int rank, const int64_t *axes);
Ref build_reshape(Graph *, Ref, const int64_t *dim, int rank);
/* With these n axes in place of the first `drop` ones. */
Ref build_leading(Graph *, Ref, int drop, const int64_t *lead, int n);
Ref build_transpose(Graph *, Ref, const int64_t *perm);
/* Axis `from` goes to `to`, the others keep their order. */
Ref build_move_axis(Graph *, Ref, int from, int to);
Ref build_slice(Graph *, Ref, const int64_t *start, const int64_t *limit, const int64_t *stride);
/* Elements from, from + step, ... below to of one axis. */
Ref build_slice_along(Graph *, Ref, int axis, int64_t from, int64_t to, int64_t step);
Ref build_pad(Graph *, Ref, Ref filler, const int64_t *low, const int64_t *high, const int64_t *interior);
Ref build_reverse(Graph *, Ref, const int64_t *axes, int n);
Ref build_concatenate(Graph *, const Ref *, int n, int axis);
Ref build_reduce(Graph *, Op monoid, Ref, const int64_t *axes, int n);
Ref build_result(Graph *, Ref, int index);
/* All n results of a node into out; false, and REF_NONEs, if it is a failed value. */
bool build_results(Graph *, Ref, uint32_t n, Ref *out);
Ref build_fft(Graph *, FftKind, Ref, const int64_t *lengths, int n);
Ref build_cumulative(Graph *, Op monoid, Ref, int axis, bool reverse);
Ref build_dynamic_slice(Graph *, Ref, const Ref *starts, const int64_t *sizes);
Ref build_dynamic_update_slice(Graph *, Ref, Ref update, const Ref *starts);
/* Ops of n results; these are written to out (REF_NONEs on failure). Types of results come from the regions'
 * outputs. */
bool build_sort(Graph *, const Ref *, uint32_t n, int axis, bool stable, const Graph *comparator, Ref *out);
/* shape: its dtype is not looked at */
bool build_map(Graph *, const Ref *, uint32_t n, Type shape, const Graph *region, Ref *out);
bool build_while(Graph *, const Graph *cond, const Graph *body, const Ref *args, uint32_t n_invariant,
                 uint32_t n_carry, Ref *out);
bool build_case(Graph *, Ref index, const Graph *const *branches, uint32_t n_branches, const Ref *args,
                uint32_t n, Ref *out);
/* args: invariants, carries, xs. out: carries, stacked ys. */
typedef struct ScanShape {
    int64_t length;
    bool reverse;
    int64_t unroll;
    uint32_t n_invariant, n_carry, n_xs;
    int64_t checkpoint;
} ScanShape;
bool build_scan(Graph *, ScanShape, const Graph *body, const Ref *args, Ref *out);
/* CUSTOM_JVP, CUSTOM_VJP, CUSTOM_VMAP (rule: its number), CHECKPOINT over regions[0] and its rules: results
 * as region 0 gives them. */
bool build_ruled(Graph *, Op, int64_t rule, const Graph *const *regions, uint32_t n_regions, const Ref *args,
                 uint32_t n, Ref *out);
/* region: the transpose; its parameters behind the known ones say the results' types. */
bool build_backward(Graph *, const Graph *region, const Ref *args, uint32_t n_known, uint32_t n_tangents,
                    Ref *out);
/* SCAN, WHILE, CASE, MAP or CHECKPOINT as `like` is, over other regions and operands, which divide up as s
 * says; index: CASE's. */
bool build_control(Graph *, const Node *like, ScanShape s, Ref index, const Graph *const *regions,
                   const Ref *args, Ref *out);
bool build_barrier(Graph *, const Ref *args, uint32_t n, Ref *out);
/* A region over two scalars, old and new. The monoid that it is, or OP_COUNT; does it give the new one? */
Op region_monoid(const Graph *);
bool region_replaces(const Graph *);
bool is_monoid_start(const Graph *, Ref, Op monoid); /* is it the scalar that folds start from? */
/* The region of this monoid; of OP_RESULT: one that gives the new one. */
const Graph *build_reducer(Arena *, Op monoid, DType);
/* The reducer that JAX writes for argmax (CMP_GT) and argmin (CMP_LT); raw. */
const Graph *build_arg_reducer(Arena *, Type value, Type index, CompareDir, bool nan_test);
/* SCAN's attributes, unpacked. */
ScanShape scan_shape(const int64_t *attr);
/* How the operands divide up, of any CONTROL; all but loops have invariants only. CASE's index is none. */
ScanShape control_shape(const Node *);
#endif
