/* pipeline.h: the way of a program, from the graph that was traced to the loops that the back end makes
 * machine code of. The passes and their order stand in pipeline.c and nowhere else.
 *
 * Transforms (vmap, derivatives) come before: they belong to what the user asks for. compiler/llvm comes
 * behind: it is a library of its own (backend.h). */
#ifndef WEFT_COMPILER_PIPELINE_H
#define WEFT_COMPILER_PIPELINE_H
#include "compiler/program/program.h"

/* What a pass has just made. */
typedef enum Stage {
    STAGE_TRACED,     /* nothing yet: the graph as it came */
    STAGE_INLINED,    /* the user's own derivative and batching rules have become what they compute */
    STAGE_PLANES,     /* complex numbers have become pairs of real ones */
    STAGE_SIMPLIFIED, /* fewer and smaller ops, the same bits */
    STAGE_EXPANDED,   /* what fusion need not know is written out */
    STAGE_FUSED       /* a program: kernels, their loops, and what has memory */
} Stage;

typedef struct Pipeline {
    const Target *target;
    NumericMode mode;
    uint64_t donated; /* bit i: the memory of input i may be given to an output */
    /* Called between passes, to look, to check or to measure; may be NULL. The program is NULL before
     * STAGE_FUSED. False ends the way there; whoever says so sets the failure, if it is one. */
    bool (*between)(void *user, Stage, const Graph *, const Program *);
    void *user;
} Pipeline;

/* NULL: a rule of the user's is missing (f says so), or `between` ended it. */
Program *pipeline_run(const Pipeline *, Arena *, const Graph *, Failure *f);
#endif
