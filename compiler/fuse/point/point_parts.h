/* point_parts.h: what the files of this folder and of kernels/ share: index arithmetic, small statements,
 * where loops go, and regions. */
#ifndef WEFT_POINT_POINT_PARTS_H
#define WEFT_POINT_POINT_PARTS_H
#include "point.h"

static inline const Node *node_of(const Build *b, Ref n) { return &b->graph->nodes[n]; }
static inline Type type_of(const Build *b, Ref n) { return node_type(node_of(b, n)); }

/* ---- index arithmetic ---- */

Address *new_index(Build *, int rank);
/* Bounds of an address from the extents of its loops; false if it has other terms. */
bool address_range(const Build *, Address, int64_t *low, int64_t *high);
/* Index into the operand of a reshape: groups of axes with equal products go over into each other. */
void reshape_index(Build *, Type from, Type to, const Address *at, Address *out);
/* The narrowest of I32 and I64 that holds the address. */
DType index_type(const Build *, Address);
/* low <= a < high, or VAL_NONE if that is always so. */
Val in_range(Build *, Address a, int64_t low, int64_t high);
/* a / m and a % m for a in [0, ...). */
void divide(Build *, Address a, int64_t m, Address *quotient, Address *rest);
/* The element of an axis of n that lies at position a once step - 1 holes stand between elements; inside: is
 * there one (conjoined to what it was)? */
Address undilated(Build *, Address a, int64_t n, int64_t step, Val *inside);
/* A start index as i64, clamped to [0, most]. */
Val clamped(Build *, Val, int64_t most);

/* ---- statements ---- */

Val op2(Build *, Op, DType, Val x, Val y);
Val compare(Build *, CompareDir, Val x, Val y); /* ints */
Val compare_with(Build *, CompareDir, Val x, int64_t with);
Val both(Build *, Val x, Val y); /* and; VAL_NONE is true */
Val convert(Build *, Val, DType to);
Val select_value(Build *, DType, Val p, Val t, Val f);
/* Has `list` the number d? */
bool lists(const int64_t *list, int64_t n, int64_t d);
DType accumulator(DType); /* what sums of this type are kept in */

/* ---- loops ---- */

bool inside_lanes(const Build *, uint32_t block);
/* Phase of the loops of a node that adds `own` to the depth, in its block: all that it needs is known by
 * then, each part at an index known only in some phase. */
uint32_t loops_phase(Build *, Ref, const Address *at, int rank, Val mask, uint32_t block, uint32_t own);
uint32_t val_phase(const Build *, Val, uint32_t block);
/* A serial loop of its own that carries values: opened with their starts, which become the carries' current
 * values. */
typedef struct CarryLoop {
    uint32_t block, phase, body;
    Val loop;
    uint32_t n;
    Val *carry;
} CarryLoop;
CarryLoop carry_open(Build *, uint32_t block, uint32_t phase, int64_t extent, uint32_t n, Val *state);
/* Sets the carries to state[], which becomes their values after the loop. A SET stands in phase `after` or
 * later (that of the TEST). */
void carry_close(Build *, const CarryLoop *, uint32_t after, Val *state);

/* Loops over the axes of a result, adjacent ones that are `joined` as one, the outermost parallel; writes
 * their indices to at[] and returns the innermost body. */
uint32_t point_loops(Build *, Type, const bool *joined, uint32_t phase, Address *at, Val *loops,
                     int *n_loops);

/* ---- regions ---- */

/* Between these two, point_value is about the region's nodes. `known`: the phase is one when all operands are
 * known; else their own depth adds to it. */
void frame_enter(Build *, Frame *, const Graph *region, const Bound *, uint32_t block, uint32_t phase,
                 bool known, Val active, Val mask);
void frame_leave(Build *);
/* A region of scalars for these arguments: its outputs. `block` is where they are known, phase when. */
void region_values(Build *, const Graph *region, const Val *args, uint32_t block, uint32_t phase,
                   Val *outputs);

Val bound_value(Build *, const Node *parameter, const Address *at, Val mask);
Val region_constant(Build *, const Node *, const Address *at, Val mask);

/* ---- memory ---- */

Val load_value(Build *, Ref, const Address *at, Val mask);
/* The node gets a buffer, which this kernel may load from; fuse.c makes the kernel that stores it. */
void want_memory(Build *, Ref);

/* ---- rules: one value, or all results, of a node at a point ---- */

Val broadcast_value(Build *, const Node *, const Address *at, Val mask); /* point_view.c */
Val view_value(Build *, const Node *, const Address *at, Val mask);
Val pad_value(Build *, const Node *, const Address *at, Val mask);
Val concatenate_value(Build *, const Node *, const Address *at, Val mask);
Val gather_value(Build *, const Node *, const Address *at, Val mask);
Val bitcast_value(Build *, const Node *, const Address *at, Val mask);
Val reduce_value(Build *, Ref, const Address *at, Val mask, uint32_t block); /* point_fold.c */
Val arg_value(Build *, Ref, const Address *at, Val mask, uint32_t block);
Val dot_value(Build *, Ref, const Address *at, Val mask, uint32_t block);
void region_reduce(Build *, Ref, const Address *at, Val mask, uint32_t block, Val *results);

/* point_window.c */
void window_values(Build *, Ref, const Address *at, Val mask, uint32_t block, Val *results);
/* point_control.c: results that have an index like result number `which`. */
void control_values(Build *, Ref, const Address *at, Val mask, uint32_t block, int which, Val *results);
/* point_slice.c */
Val dynamic_slice_value(Build *, const Node *, const Address *at, Val mask);
Val dynamic_update_value(Build *, const Node *, const Address *at, Val mask);
/* The index at[] of a slice of these sizes plus (sign 1) or minus (-1) its clamped starts: where it lies in
 * an operand of type t. */
Address *shifted_index(Build *, Type t, const int64_t *sizes, const Ref *starts, const Address *at,
                       int64_t sign);

/* ---- kernels of special.h ---- */

void control_kernel(Build *, Ref);                 /* point_control.c: a WHILE or SCAN */
void cumulative_kernel(Build *, Ref);              /* kernel_prefix.c */
void updates_kernel(Build *, Ref, uint32_t which); /* kernel_scatter.c */
#endif
