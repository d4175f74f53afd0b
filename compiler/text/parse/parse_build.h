/* parse_build.h: the build step: the rules of all ops, and what they share. */
#ifndef WEFT_TEXT_PARSE_BUILD_H
#define WEFT_TEXT_PARSE_BUILD_H
#include "parse.h"

/* parse_build.c: from syntax to nodes */
typedef struct FuncBuild FuncBuild;
/* Values from around an op that its regions use, in the order of the parameters that stand for them. */
typedef struct Captures {
    ValueId *at;
    uint32_t n, capacity;
} Captures;
typedef struct Captured {
    ValueId value;
    Ref ref;
    const Graph *owner;
} Captured;
struct TextBuild {
    Parser *p;
    Graph *g;
    Ref *refs;              /* of each value */
    const Graph **owner;    /* the graph that refs[v] is a node of */
    FuncBuild *func;        /* for checks and calls */
    const TextBuild *outer; /* of the graph around a region */
    Captures *captures;     /* of the op that the region belongs to; NULL: it can have none */
    /* what refs and owner were outside of the region, and will be again behind it */
    Captured *captured;
    uint32_t n_captured, cap_captured;
    uint32_t depth;       /* of regions in regions, in this func */
    bool one_op;          /* the region is an op and its return */
    const OpSyntax *pins; /* the op just read, if it is a barrier that says what the next one captures */
};

/* A region's arguments as parameters; of a func that is called from outside, narrow ones as bytes. */
void build_params(TextBuild *, const RegionSyntax *, bool from_outside);
bool build_region(TextBuild *, const RegionSyntax *, Ref **outputs, uint32_t *n_outputs);
/* a closed graph; constants from outside are copied in */
Graph *build_region_graph(TextBuild *, const RegionSyntax *);
/* The graphs of all the op's regions. Each takes the captured values, then its own arguments. Writes the
 * captured values as nodes of the graph around the op. */
const Graph **build_open_regions(TextBuild *, const OpSyntax *, Ref **captured, uint32_t *n_captured);
/* the value as a node of the graph being built */
Ref build_value(TextBuild *, const OpSyntax *, ValueId);
/* Which of n values is the first that is not of its type; n: none. The types are the text's: a graph may hold
 * two in one. */
uint32_t find_other_type(const Parser *, const ValueId *, const Type *, uint32_t n);
/* reports the graph's failure at the op; true if there was one */
bool build_failed(TextBuild *, const OpSyntax *);

typedef struct Ints {
    int64_t *at;
    uint32_t n;
} Ints;

/* parse_narrow.c: an op on values of narrow.h. */
bool has_narrow(const Parser *, const OpSyntax *);
BuildFn build_narrow;
/* A token as a node; whether an op may have those that it has. */
Ref build_token(TextBuild *);
BuildFn rule_token;
bool check_tokens(TextBuild *, const OpSyntax *);
/* What a func takes or gives of such a type, from and to the bytes that the outside has. */
Ref narrow_param(TextBuild *, ValueId);
Ref narrow_value_of(TextBuild *, ValueId, Ref bytes);
Ref narrow_result(TextBuild *, ValueId, Ref held);

/* An attribute by its generic or its pretty name; NULL and an error if it is missing. */
const AttrSyntax *need_attr(TextBuild *, const OpSyntax *, const char *key, const char *other_key);
bool need_int(TextBuild *, const OpSyntax *, const char *key, const char *other_key, int64_t *);
bool need_ints(TextBuild *, const OpSyntax *, const char *key, const char *other_key, Ints *);
bool need_result(TextBuild *, const OpSyntax *); /* exactly one */
/* the elements of an operand that is a constant */
bool constant_ints(TextBuild *, const OpSyntax *, Ref, Ints *);
/* those of a dictionary's field; none if it is missing */
bool field_ints(TextBuild *, const AttrSyntax *dict, const char *key, Ints *);
/* One number for each of n axes, all 1 if the attribute is left out. */
bool ints_per_axis(TextBuild *, const OpSyntax *, const char *key, int n, int64_t *to);
/* Pairs of low and high in the text, all low ones and then all high ones in the node; 0 if left out. */
bool padding_per_axis(TextBuild *, const OpSyntax *, int n, int64_t *low, int64_t *high);
void append_ints(Ints *to, Ints); /* which has room for them */
/* the bits of a number of an attribute as an element of a type */
bool attr_number(TextBuild *, const AttrSyntax *, DType, uint64_t *bits);
int find_word(const AttrSyntax *, const char *const *words, int n); /* which it is; -1: none */
void sort_axes(int64_t *, uint32_t n);
Type type_like(Type shape, DType);
/* Bits of numbers without a sign: each `width` of them along a new last axis of n; and a last axis as one. */
Ref split_bits(TextBuild *, Ref, int width, int64_t n);
Ref join_bits(TextBuild *, Ref, int width);
DType unsigned_of(DType); /* of the same width */
Ref convert_typed(TextBuild *, Ref, DType);
/* The axes of the left operand and of the right one: those of the batch, then those that are summed over. */
typedef struct ContractedAxes {
    Ints batch[2], sum[2];
} ContractedAxes;
Ref build_contraction(TextBuild *, const ContractedAxes *, const Ref operands[2], Type result);
/* The type in which products of the operands are summed if the result is to have the type `want`; if the op
 * cannot do so (it is of another kind, or the operands differ), they are converted to it first. */
DType sum_dtype(TextBuild *, Ref operands[2], DType want);
/* The node's results, as many as the text names, or an error. */
bool take_node(TextBuild *, const OpSyntax *, Ref node, Ref *out);

/* The rules of ops. One that serves several ops asks op->rule->op.
 * parse_rules.c: */
BuildFn rule_plain, rule_typed, rule_identity, rule_barrier, rule_constant, rule_constant_like, rule_numbers,
    rule_compare, rule_reduce_precision, rule_bitcast, rule_broadcast, rule_dimension_size, rule_broadcast_ew,
    rule_conj, rule_constant_lists;
/* parse_along.c: */
BuildFn rule_reduce, rule_dot_general, rule_dot, rule_gather, rule_index_select, rule_scatter, rule_sort,
    rule_top_k, rule_reduce_window, rule_select_and_scatter, rule_fft, rule_rng_bits;
BuildFn rule_convolution;                                    /* parse_conv.c */
BuildFn rule_einsum;                                         /* parse_einsum.c */
BuildFn rule_cholesky, rule_triangular_solve;                /* parse_matrix.c */
BuildFn rule_while, rule_case, rule_if, rule_map, rule_scan; /* parse_control.c */
BuildFn rule_call, rule_check;                               /* parse_func.c */
/* parse_alone.c: */
BuildFn rule_collective, rule_permute_devices, rule_device_number, rule_sharded, rule_sharded_region,
    rule_nothing;
void parse_add_mesh(Parser *, const OpSyntax *); /* by its name, for the ops that lie over it */
BuildFn rule_norm_inference, rule_norm_training, rule_norm_grad, rule_rng,
    rule_ragged_dot; /* parse_composed.c */
BuildFn rule_return; /* parse_build.c: never called; says that the op ends a region */

/* jax.lax.approx_max_k and its like: a custom_call that names its comparator. parse_along.c */
bool parse_is_approx_top_k(const OpSyntax *);
const AttrSyntax *parse_called_computation(const OpSyntax *);
BuildFn build_approx_top_k;

/* A call of one of the host's functions. parse_effects.c */
BuildFn build_host_call;

/* Factorizations under weft's names, LAPACK's and JAX's. parse_matrix.c */
bool parse_is_matrix_call(const OpSyntax *);
BuildFn build_matrix_call;
/* Functions of LAPACK's that are made of others. parse_lapack.c */
bool parse_is_lapack_call(const OpSyntax *);
BuildFn build_lapack_call;

/* The finished graph of the func of this name that an op calls. regions: how many levels deeper its
 * regions come to lie. NULL and an error: there is none, or the caller would grow too large. */
const Graph *parse_callee(TextBuild *, const OpSyntax *, const char *name, uint32_t regions);
/* n more ops, or values captured, in the func being built. False and an error: too many. */
bool parse_count_ops(TextBuild *, const OpSyntax *, uint64_t n);
#endif
