/* parse_rules.h: the rules of parse_rules.c, parse_contract.c, parse_reduce.c and parse_func.c, and what they
 * share. */
#ifndef WEFT_TEXT_PARSE_RULES_H
#define WEFT_TEXT_PARSE_RULES_H
#include "parse.h"

typedef struct Ints {
    int64_t *at;
    uint32_t n;
} Ints;

/* Nodes without folding. Shaped: with the element type and shape of t. */
Ref add_node(Build *, Op, const Ref *args, uint32_t n, const int64_t *attr, uint32_t n_attr);
Ref add_shaped(Build *, Op, const Ref *args, uint32_t n, const int64_t *attr, uint32_t n_attr, Type t);

/* An attribute by its generic or its pretty name; NULL and an error if it is missing. */
const Attr *need_attr(Build *, const OpSyntax *, const char *key, const char *other_key);
bool need_ints(Build *, const OpSyntax *, const char *key, const char *other_key, Ints *);
bool need_result(Build *, const OpSyntax *); /* exactly one */
/* the elements of an operand that is a constant */
bool constant_ints(Build *, const OpSyntax *, Ref, Ints *);
bool field_ints(Build *, const Attr *dict, const char *key, Ints *); /* empty if the field is missing */
void sort_axes(int64_t *, uint32_t n);
Type type_like(Type shape, DType);
/* The node's results, one reference each. take_node: as many as the text names, or an error; raised, unless the
 * text says {weft.region}. */
void results_of(Graph *, Ref node, uint32_t n, Ref *out);
bool take_node(Build *, const OpSyntax *, Ref node, Ref *out);

/* One operation's rule each; op->rule->op says which where one rule serves several. */
BuildFn rule_plain, rule_typed, rule_identity, rule_barrier, rule_constant, rule_constant_like, rule_iota,
    rule_compare, rule_reduce_precision, rule_bitcast, rule_broadcast_in_dim, rule_broadcast, rule_transpose,
    rule_reverse, rule_slice, rule_pad, rule_concatenate, rule_dimension_size, rule_broadcast_ew,
    rule_broadcast_compare; /* parse_rules.c */
/* parse_rules.c */
BuildFn rule_real, rule_imag, rule_dynamic_broadcast, rule_dynamic_reshape, rule_dynamic_pad,
    rule_real_dynamic_slice;
BuildFn rule_dot_general, rule_dot, rule_gather, rule_dynamic_gather; /* parse_contract.c */
BuildFn rule_reduce;                                                  /* parse_reduce.c */
BuildFn rule_dynamic_slice, rule_dynamic_update_slice, rule_scatter, rule_sort, rule_top_k,
    rule_reduce_window, rule_select_and_scatter, rule_rng_bits; /* parse_along.c */
BuildFn rule_while, rule_case, rule_if, rule_map, rule_scan;    /* parse_control.c */
BuildFn composite_cumulative;
/* regions: of the op, those it names and, of what has rules, the decomposition first */
bool composite_ruled(Build *, const OpSyntax *, Op, const Graph *const *regions, uint32_t n, const Ref *args,
                     Ref *out);
bool composite_map(Build *, const OpSyntax *, const Graph *body, const Ref *args, Ref *out);
bool composite_scan(Build *, const OpSyntax *, const Graph *body, const Ref *args, Ref *out);
BuildFn rule_call, rule_check; /* parse_func.c */
/* The finished graph of the func of this name that an op calls, unless there is too much in it; regions: how
 * much deeper its own come to lie. NULL: an error. */
const Graph *parse_callee(Build *, const OpSyntax *, const char *name, uint32_t regions);
/* n more ops, or values captured, in the func being built. False and an error: too many. */
bool parse_count_ops(Build *, const OpSyntax *, uint64_t n);
/* parse_build.c: never called; says that the op ends a region */
BuildFn rule_return;
#endif
