/* trace.h: a user's function while it is traced, and how values from outside become its operands.
 *
 * Everything that runs on a thread while it traces is staged into the innermost trace, ops on concrete arrays
 * too. A value from outside, be it concrete or of an enclosing trace, becomes a hidden parameter the first
 * time it is met; whoever uses the finished graph gives these operands behind the visible ones.
 */
#ifndef WEFT_TRACE_TRACE_H
#define WEFT_TRACE_TRACE_H
#include "runtime/memory/array.h"

struct Trace {
    Local *local;
    Trace *outer;
    uint64_t serial;   /* what its handles carry */
    weft_scope *scope; /* around the trace; arrays made in scopes inside it are made by the traced function */
    Arena arena;       /* of the graph; whoever takes the graph takes it */
    Guard guard;
    Graph *graph;
    weft_array *handles, **handles_end;
    uint32_t n_handles;
    const char **names;
    uint32_t cap_names; /* of the parameters */
    /* values from outside, in the order of their parameters, the graph's last; concrete ones are retained */
    weft_array **hidden;
    uint32_t n_hidden, cap_hidden;
    uint32_t *slot, n_slots; /* finds them by address: an open-addressing table of positions + 1 */
    uint64_t body_runs;      /* how often the bodies of map, soft_vmap and vmap in chunks run in it */
    uint64_t widened;        /* bit i: its parameter number i, an f32 of rank 0, was promoted to f64 */
};

bool trace_begin(Trace *, Local *, const char *name); /* false: out of memory, error set */
void trace_end(Trace *);                              /* its handles are stale now; the arena stays */
/* the live trace of this thread that it belongs to, or NULL */
Trace *trace_of(const weft_array *traced);
/* The trace's arena becomes another owner's, with this graph in it; the trace has an empty one. */
void trace_give(Trace *, Graph *, Arena *to, Guard *);
/* Frees what nobody has taken out of it. Constants that passes made go to the trace around it, whose
 * graph may have them. */
void trace_free(Trace *);
/* A handle for a new parameter. NULL: out of memory, error set. */
weft_array *trace_param(Trace *, Type, const char *name);
/* A value of a live trace is promoted to f64 or c128: if it is a parameter behind ops that keep digits, its
 * trace keeps that in mind. */
void trace_widens(const weft_array *traced);
/* The parameter that stands for hidden[i]. */
static inline Ref trace_hidden(const Trace *t, uint32_t i)
{
    return t->graph->params[t->graph->n_params - t->n_hidden + i];
}
/* The node of a value, made a hidden parameter if it is from outside. The guard must be set. */
Ref trace_ref(Trace *, weft_array *);
weft_array *trace_handle(Trace *, Ref); /* NULL: out of memory, no error set */
#endif
