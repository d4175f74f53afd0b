/* workers.h: between machine code and whoever runs the pieces of its parallel loops (program.h: PARALLEL
 * STEPS). */
#ifndef WEFT_PROGRAM_WORKERS_H
#define WEFT_PROGRAM_WORKERS_H
#include <stddef.h>
#include <stdint.h>

/* A piece of a parallel loop, on a thread whose LOCAL memory this is. */
typedef void PieceFn(const void *frame, int64_t piece, void *local);

/* A parallel loop, as code says it when it comes to one. */
typedef struct ParallelLoop {
    int64_t pieces;
    int64_t local_bytes; /* of each thread; the caller's come first, then the others' */
    int64_t cost;        /* ns of all on one thread, about */
} ParallelLoop;

/* Who runs the pieces of parallel loops: every piece once, in any order, and all have ended when it
 * returns. */
typedef struct Workers Workers;
struct Workers {
    void (*run)(const Workers *, PieceFn *, const void *frame, void *local, const ParallelLoop *);
    int64_t most; /* threads at once: for so many there is LOCAL memory */
    void *team;
    size_t stack; /* what a piece takes of its thread's, at most */
};
#endif
