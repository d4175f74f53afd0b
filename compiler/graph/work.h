/* work.h: how much a graph computes, for who asks what a program costs. Nothing is decided by it: fusion
 * counts what kernels do (compiler/fuse/cost.h). */
#ifndef WEFT_GRAPH_WORK_H
#define WEFT_GRAPH_WORK_H
#include "graph.h"

typedef struct Work {
    double flops; /* one for each element of an elementwise op, two for each product of a contraction */
    double transcendentals; /* elements of exp, sin, pow and their like, which are not among flops */
    bool open_ended;        /* there is a loop whose steps are not known, which counts as one */
} Work;

/* As the graph says, before anything is fused or found twice. A region counts as often as it runs, and of a
 * case's branches the one with most flops. */
Work graph_work(const Graph *);
#endif
