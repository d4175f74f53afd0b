/* call.h: calling a function that weft made. A call in flat form is lists of leaves; Frames are the chain of running calls. */
#ifndef WEFT_RUNTIME_CALL_H
#define WEFT_RUNTIME_CALL_H
#include "fn.h"
#include "trace.h"

typedef struct Args {
    weft_array **in;                /* [sig->n_in] */
    uint64_t *numbers;              /* [sig->n_numbers], bits as signature_number_bits gives them */
    weft_array **out;               /* [sig->n_out]: written; NULLs when the call fails */
} Args;

/* One running call of a transform. In a message the innermost is named by its function, those around it by their label. */
struct Frame {
    Frame *outer;
    const char *name, *label;
    const Function *fn;
    const Args *args;
};

ClosureHandler call_closure;        /* what every closure runs; its slot holds the Function */
/* Traces what f does on arrays of these arguments' types: begins t, which the caller frees. The graph's outputs are set. False: error set, t freed. */
bool call_trace(Function *f, Local *, const Args *, Trace *t);
#endif
