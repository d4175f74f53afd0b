/* control.h: what the rules of control flow share (control.c: scan, fori, while; branch.c: cond, switch;
 * batch.c: map, soft_vmap; pairs.c, prefixes.c, sorted.c: associative_scan, sort_with).
 *
 * A rule traces its functions apart into closed graphs, makes the regions of one op of them, and adds that op
 * to the running trace. All that a region uses are operands: the invariant leaves, and the hidden values that
 * the function met.
 *
 * A rule goes in two phases, for a trace has one guard: first all that calls other functions, whose lists are
 * of the context's memory; then the building, in the running trace's arena with its guard set, which calls
 * nothing.
 */
#ifndef WEFT_TRANSFORMS_CONTROL_H
#define WEFT_TRANSFORMS_CONTROL_H
#include "runtime/call/call.h"
#include "runtime/call/tree_axes.h"
#include "compiler/vmap/vmap.h"
#include "weft/control.h"

enum { CONTROL_TEXT = 160 };

/* What prepare made of a rule's text. */
typedef struct Roles {
    const AxisTree *in, *out;
} Roles;

/* A function traced apart on one step's types. */
typedef struct Step {
    const Function *f;
    Local *l;
    const Flat *in;
    int64_t *role; /* of each leaf of in */
    Type *type;    /* of each leaf in one step: of sliced ones without their axis */
    int64_t *dims; /* memory of types */
    Trace trace;
    Flat results; /* words count, leaves are stale but for their number */
    bool traced;
} Step;

/* Lists for in's leaves, roles resolved (NULL: all are none), types as they are. False: error set; step_close
 * either way. */
bool step_open(Step *, const Function *, Local *, const Flat *in, const AxisTree *roles);
/* type[i] loses this axis (negative: from the end). False: the leaf has no such axis (no error set). */
bool step_slice(Step *, uint32_t leaf, int64_t axis);
/* Traces base, which has in's structure. */
bool step_trace(Step *, const Function *base);
void step_close(Step *);
static inline const Graph *step_graph(const Step *s) { return s->trace.graph; }

/* ---- options ---- */

enum {
    CONTROL_LENGTH,
    CONTROL_REVERSE,
    CONTROL_UNROLL,
    CONTROL_COUNT,
    CONTROL_BATCH,
    CONTROL_CHUNK,
    CONTROL_NDIMS,
    CONTROL_AXIS,
    CONTROL_CHECKPOINT,
    CONTROL_OPTIONS
};
/* Options as numbers: WEFT_NOT_SAID where one that may be 0 was not written. */
weft_control control_options(weft_control);
/* 1 + the first option that is said but is not among the allowed bits; CONTROL_OPTIONS more for one that is
 * written as 3.5, which C cuts to 3; 0: none. Transforms keep it among their numbers; prepare refuses it. */
int64_t control_strays(weft_control, unsigned allowed);
bool control_refuse_stray(const Function *, int64_t stray, Failure *);

/* ---- building; the running trace's guard is set ---- */

/* Leaf i of in, hidden value i of a traced function, as values of the running trace. */
static inline Ref control_leaf(Local *l, const Flat *in, uint32_t i)
{
    return trace_ref(l->trace, in->leaf[i]);
}
static inline Ref control_hidden(Local *l, const Trace *t, uint32_t i)
{
    return trace_ref(l->trace, t->hidden[i]);
}
Ref control_to_bool(Graph *, Ref); /* x != 0 */
/* A failure of the running trace's graph becomes an error in f's name; false. */
bool control_failed(const Function *f, Local *l);

/* ---- errors; all return false ---- */
bool control_error(const Function *f, Local *l, weft_status, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
bool control_memory(const Function *f, Local *l);

/* ---- pairs.c: rules over a function of two elements ---- */

/* After the trace on two elements: is what it gives right? Then: the results for all `length` elements;
 * role[i] is where the axis of leaf i is. False: error set. */
typedef bool PairsCheck(const Step *);
typedef bool PairsBuild(const Step *, int64_t length, Ref *results);
bool pairs_stage(const Function *, Local *, const Flat *in, Flat *out, int64_t axis, PairsCheck *,
                 PairsBuild *);
/* The new function takes one of what the base takes two of, and gives one. */
bool pairs_prepare(const Function *, Failure *);
/* do two fields of signatures take the same? */
bool pairs_same_field(const weft_field *, const weft_field *);
#endif
