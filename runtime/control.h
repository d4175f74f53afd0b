/* control.h: what the rules of control flow share (control.c: scan, fori, while; branch.c: cond, switch; batch.c: map, soft_vmap; prefixes.c:
 * associative_scan; sorted.c: sort_with).
 *
 * A rule traces its functions apart into closed graphs, makes the regions of one op of them, and adds that op to the running trace. All that a region uses are
 * operands: the invariant leaves, and the hidden values that the function met.
 *
 * A rule goes in two phases, for a trace has one guard: first all that calls other functions, whose lists are of the context's memory; then the building, in the
 * running trace's arena with its guard set, which calls nothing.
 */
#ifndef WEFT_RUNTIME_CONTROL_H
#define WEFT_RUNTIME_CONTROL_H
#include "call.h"
#include "tree_axes.h"
#include "compiler/passes/vmap.h"
#include "weft/control.h"

enum { CONTROL_TEXT = 160 };

/* What prepare made of a rule's text. */
typedef struct Roles { const AxisTree *in, *out; } Roles;

/* A function traced apart on one step's types. */
typedef struct Step {
    const Function *f;
    Local *l;
    const Flat *in;
    int64_t *role;                  /* of each leaf of in */
    Type *type;                     /* of each leaf in one step: of sliced ones without their axis */
    int64_t *dims;                  /* memory of types */
    Trace trace;
    Flat results;                   /* words count, leaves are stale but for their number */
    bool traced;
} Step;

/* Lists for in's leaves, roles resolved (NULL: all are none), types as they are. False: error set; step_close either way. */
bool step_open(Step *, const Function *, Local *, const Flat *in, const AxisTree *roles);
/* type[i] loses this axis (negative: from the end). False: the leaf has no such axis (no error set). */
bool step_slice(Step *, uint32_t leaf, int64_t axis);
/* Traces base, which has in's structure. */
bool step_trace(Step *, const Function *base);
/* For rules over elements: all leaves lose this axis, which has the same length in each; role[i] is where it was. False: error set. */
bool step_elements(Step *, int64_t axis, int64_t *length);
/* Traces the function on two structures of one element each. */
bool step_trace_pair(Step *);
void step_close(Step *);
static inline const Graph *step_graph(const Step *s)    { return s->trace.graph; }

/* ---- options ---- */

enum { CONTROL_LENGTH, CONTROL_REVERSE, CONTROL_UNROLL, CONTROL_COUNT, CONTROL_BATCH, CONTROL_CHUNK, CONTROL_NDIMS, CONTROL_AXIS, CONTROL_OPTIONS };
/* 1 + the first option that is said but is not among the allowed bits; 0: none. Transforms keep it among their numbers, and prepare refuses it. */
int64_t control_strays(weft_control, unsigned allowed);
bool control_refuse_stray(const Function *, int64_t stray, Failure *);

/* ---- building; the running trace's guard is set ---- */

/* Leaf i of in, hidden value i of a traced function, as values of the running trace. */
static inline Ref control_leaf(Local *l, const Flat *in, uint32_t i)        { return trace_ref(l->trace, in->leaf[i]); }
static inline Ref control_hidden(Local *l, const Trace *t, uint32_t i)      { return trace_ref(l->trace, t->hidden[i]); }
Ref control_move_axis(Graph *, Ref, int from, int to);
Ref control_to_bool(Graph *, Ref);      /* x != 0 */
/* A failure of the running trace's graph becomes an error in f's name; false. */
bool control_failed(const Function *f, Local *l);

/* Two fields of signatures: do they take the same? */
bool control_same_field(const weft_field *, const weft_field *);

/* ---- errors; all return false ---- */
bool control_error(const Function *f, Local *l, weft_status, const char *format, ...) __attribute__((format(printf, 4, 5)));
bool control_memory(const Function *f, Local *l);

extern const FnRule scan_rule, fori_rule, while_rule, switch_rule, map_rule, soft_vmap_rule, associative_rule, sort_rule;
#endif
