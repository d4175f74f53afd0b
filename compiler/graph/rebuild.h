/* rebuild.h: a new graph made of an old one, node by node, in order. What a node becomes is up to the
 * visitor; the walk keeps which node became what, at which line of the source, and what a failure is told
 * of. */
#ifndef WEFT_GRAPH_REBUILD_H
#define WEFT_GRAPH_REBUILD_H
#include "graph.h"

typedef struct Rebuild {
    const Graph *from;
    Graph *to;
    Ref *map;      /* what each node of `from` is in `to`; of nodes of several results: nothing */
    Ref **results; /* of nodes of several results: what each result is */
} Rebuild;

/* Builds node r: one reference for each of its results into out. False: the walk ends. */
typedef bool RebuildNode(void *user, Ref r, Ref *out);

Rebuild rebuild_open(const Graph *from, Graph *to);
/* The parameters again, with their names. */
void rebuild_params(const Rebuild *);
/* Every node that the outputs need, in order, at its line; not the parameters, which are in the map, nor
 * RESULTs, which the walk knows. */
bool rebuild_nodes(const Rebuild *, RebuildNode *, void *user);
/* What the outputs are; false if one is a failed value. */
bool rebuild_outputs(const Rebuild *, Ref *out);
/* `to` with these as its outputs, and with the failure that `from` had. */
Graph *rebuild_close(const Rebuild *);
/* The node as it is, over its new operands. */
bool rebuild_copy(const Rebuild *, Ref r, Ref *out);
static inline Ref rebuild_arg(const Rebuild *w, const Node *n, uint32_t i) { return w->map[n->args[i]]; }
/* All operands, in the arena of `to`. */
Ref *rebuild_args(const Rebuild *, const Node *);
/* Puts in front of the failure of `to` at which node it was: "mapping add (demo.c:42) over 8: ...". Returns
 * false. */
bool rebuild_refuse(const Rebuild *, Ref r, const char *doing, const char *how);

/* A region that is built together with the operands of its node: args[i] is what parameter i gets. */
typedef struct RegionBuild {
    Graph *g;
    Ref *args, *out;
    uint32_t n_out, n_counted;
} RegionBuild;
/* For a node of `around`, with room for so many parameters and outputs. */
RegionBuild region_begin(const Graph *around, const char *name, size_t n_args, size_t n_out);
/* One more operand: the parameter that it is inside. */
Ref region_take(RegionBuild *, Type, Ref arg);
/* How many were taken since this was asked last: the size of a group of them. */
uint32_t region_count(RegionBuild *);
static inline void region_give(RegionBuild *r, Ref out) { r->out[r->n_out++] = out; }
/* The region with its outputs; NULL: it has failed, and now `around` has. */
const Graph *region_end(const RegionBuild *, Graph *around);
#endif
