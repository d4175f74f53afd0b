/* rewrite.h: a walk that replaces nodes of some ops by others, in regions too; what is not replaced stays as
 * it is. For expand, inline_rules and raise_graph.
 *
 * Keeps: parameters and their numbers, names, outputs, and of what stays its place in the source. What no
 * output needs is gone afterwards. */
#ifndef WEFT_PASSES_REWRITE_H
#define WEFT_PASSES_REWRITE_H
#include "compiler/graph/graph.h"

typedef struct Replacement Replacement;

/* Builds what stands for node n in `to`, at the node's line: one reference for each result. False: the pass
 * fails. Regions of n are as they were. */
typedef bool ReplaceRule(const Replacement *, Graph *to, const Node *n, const Ref *args, Ref *out);

struct Replacement {
    ReplaceRule *const *rules; /* by op; NULL: rewrite_keep */
    Failure *failure;          /* for the rules */
    bool counts_uses;          /* the rules want uses */
    const Graph *from;         /* set by rewrite: whose nodes the rules are given */
    const uint32_t *uses;      /* and how often each is asked for */
};

/* The node as it is, over rewritten regions. */
ReplaceRule rewrite_keep;
/* The node's regions, rewritten; NULL if a node in them failed. */
const Graph **rewrite_regions(const Replacement *, Arena *, const Node *);

/* g itself if nothing is to be replaced; NULL if a node failed. */
const Graph *rewrite(Arena *, const Graph *g, const Replacement *);
#endif
