/* fuse_parts.h: what makes up a program while it is fused: shared by fuse.c, which makes kernels of a graph, and control.c, which makes steps of its control flow. */
#ifndef WEFT_COMPILER_FUSE_PARTS_H
#define WEFT_COMPILER_FUSE_PARTS_H
#include "point.h"

typedef struct Fusion {
    Arena *arena;
    Program *program;
    const Target *target;
    double runs;                        /* how often the steps being made run: product of the trip counts around, as far as known */
    uint32_t *first; uint32_t n_first, cap_first;       /* by buffer: 1 + the first kernel that touches it; 0: none */
} Fusion;

/* Appends kernels, steps and buffers that compute a closed graph: of parameters at these places, to outputs at those; an output at PLACE_NONE is not computed. */
void fuse_graph(Fusion *, const Graph *, const Place *params, const Place *outs);
/* A kernel that copies elements of this type; nothing if `to` is PLACE_NONE. */
void fuse_copy(Fusion *, Type, Place from, Place to, const char *name);
void fuse_add_kernel(Fusion *, Kernel);
void fuse_add_step(Fusion *, ProgramStep);
void fuse_note_first(Fusion *, uint32_t buffer, uint32_t kernel);       /* this kernel touches the buffer */
#endif
