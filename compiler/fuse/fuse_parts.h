/* fuse_parts.h: what makes up a program while it is fused: shared by fuse.c, which makes kernels of a graph, and control.c, which makes steps of its control flow. */
#ifndef WEFT_COMPILER_FUSE_PARTS_H
#define WEFT_COMPILER_FUSE_PARTS_H
#include "point.h"

typedef struct Fusion {
    Arena *arena;
    Program *program;
    const Target *target;
    double runs;                        /* how often the steps being made run: product of the trip counts around, as far as known */
} Fusion;

/* Appends kernels, steps and buffers that compute a closed graph: of parameters at these places, to outputs at those; an output at PLACE_NONE is not computed. */
void fuse_graph(Fusion *, const Graph *, const Place *params, const Place *outs);
/* A kernel that copies elements of this type; nothing if `to` is PLACE_NONE. */
void fuse_copy(Fusion *, Type, Place from, Place to, const char *name);
void fuse_add_kernel(Fusion *, Kernel);
void fuse_add_step(Fusion *, ProgramStep);
#endif
