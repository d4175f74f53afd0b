/* flow.h: what depends on what. Some parameters of a graph are marked; a value is marked if its op makes it
 * of a marked one. vmap asks so for what depends on the batch, jvp for what has a tangent, linearize for what
 * is linear in tangents.
 *
 * Regions are followed into, each marked for what it is handed. The carries of a loop are brought to a
 * fixpoint: a carry is marked if its start is, or if the body gives a marked value for it. Marks only ever
 * grow, and each region keeps its own from one time to the next, so a region is walked at most once more than
 * it has parameters, however deep it lies. */
#ifndef WEFT_GRAPH_FLOW_H
#define WEFT_GRAPH_FLOW_H
#include "graph.h"

typedef struct Flow Flow;

/* How these three questions differ. */
typedef struct FlowRule {
    /* Are the regions of this op followed? The results of any other depend on all its operands, except for
     * BARRIER, whose result i is operand i. */
    bool (*follows)(Op);
    /* Asked of nodes that are not followed: does this result depend on this operand? NULL: yes. */
    bool (*depends)(const Node *, uint32_t result, uint32_t operand);
    bool floats; /* only floats are marked */
    /* Called after the regions of a node were followed, to mark more of its results, or more parameters of
     * its other regions. any: is an operand marked? Returns whether it marked a result that was not. May be
     * NULL. */
    bool (*more)(Flow *, const Node *, bool any, bool *results);
} FlowRule;

struct Flow {
    const FlowRule *rule;
    Arena *arena;
    const Graph *graph;
    bool *node;      /* by node; of several results: is any? */
    bool **results;  /* by node of several results, or whose regions are followed: each of them */
    Flow ***regions; /* by node whose regions are followed: each of them */
    bool done;
};

/* Adds to the parameters' marks and brings all others up to date. */
void flow_update(Flow *, const bool *params);
/* The marks of a graph of which these parameters are marked. */
Flow *flow_from(Arena *, const Graph *, const FlowRule *, const bool *params);

static inline bool flow_arg(const Flow *f, const Node *n, uint32_t i) { return f->node[n->args[i]]; }
static inline bool flow_output(const Flow *f, uint32_t i) { return f->node[f->graph->outputs[i]]; }
static inline bool flow_result(const Flow *f, const Node *n, uint32_t i)
{
    Ref r = (Ref)(n - f->graph->nodes);
    return n->n_results > 1 ? f->results[r][i] : f->node[r];
}
static inline const bool *flow_results(const Flow *f, const Node *n)
{
    return f->results[n - f->graph->nodes];
}
static inline Flow *flow_region(const Flow *f, const Node *n, uint32_t k)
{
    return f->regions[n - f->graph->nodes][k];
}
/* The marks of all operands of a node, in the arena, with room for `more` behind them. */
bool *flow_args(const Flow *, const Node *, uint32_t more);
/* Of the outputs, in the arena. */
bool *flow_outputs(const Flow *);
/* Adds the marks of a region's first n outputs to results; returns whether that changed any. */
bool flow_add_outputs(const Flow *region, bool *results, uint32_t n);
#endif
