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

/* In which the three differ. */
typedef struct FlowRule {
    /* Are the regions of this op followed? What others give depends on all their operands, but for BARRIER,
     * of which a result is its own operand only. */
    bool (*follows)(Op);
    /* Of what is not followed: does the result depend on the operand? NULL: yes. */
    bool (*depends)(const Node *, uint32_t result, uint32_t operand);
    bool floats; /* nothing but floats is ever marked */
    /* Called when the regions of a followed node were (any: is an operand marked?), to mark more of its
     * results, or of what its other regions are handed. Returns whether a result became marked that was not.
     * May be NULL. */
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

/* Nothing is marked. */
Flow *flow_new(Arena *, const Graph *, const FlowRule *);
/* Adds to the parameters' marks and brings all others up to date. */
void flow_update(Flow *, const bool *params);
/* Both. */
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
