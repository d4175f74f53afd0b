/* twins.h: kernels of a program that are the same but for the buffers and counters that they use, and for
 * where in a buffer they begin: one function serves them all. A program that updates the leaves of a large
 * tree has a handful of different kernels, however many leaves there are; so has a loop of the user's that
 * takes slice after slice of one array. */
#ifndef WEFT_LLVM_TWINS_H
#define WEFT_LLVM_TWINS_H
#include "compiler/program/program.h"

/* What a kernel's function is given, in the order in which its statements first speak of them. */
typedef struct Uses {
    uint32_t *buffer, n_buffers, *counter, n_counters;
    bool *apart;         /* [n_buffers]: no other of them may be the same memory; the caller sets it */
    int64_t *from;       /* [n_buffers]: the offset of the first access */
    int64_t *low, *high; /* [n_buffers]: the elements that are there, for this kernel and all its twins */
} Uses;

typedef struct Twins Twins;
Twins *twins_new(Arena *, const Program *);
Uses uses_of(Twins *, const Kernel *, uint32_t n); /* of n kernels that follow one another */
/* The first kernel that was asked about and is the same as this one; this one's own number if there is none.
 * Each kernel is asked about once; uses stays. */
uint32_t twins_find(Twins *, uint32_t kernel, Uses *);
#endif
