/* point.h: the value of one graph node at one point of its index space, as statements of a kernel.
 *
 * Everything fusion does rests on this: an operand is not an array but a way to compute an element. Views
 * (broadcast, transpose, slice, pad, reshape ...) only change the index; elementwise ops become one
 * statement; reductions open a loop of their own in the block where their index is known; what is
 * materialized, and inputs, become loads. Equal (node, index) pairs are computed once.
 */
#ifndef WEFT_POINT_POINT_H
#define WEFT_POINT_POINT_H
#include "compiler/fuse/nest.h"

/* Where a value lies. */
typedef struct Place {
    enum {
        PLACE_NONE,   /* nowhere: nobody wants it */
        PLACE_BUFFER, /* elements of a buffer in row-major order, from element base on */
        PLACE_SPLAT,  /* in no memory: each element is `bits` */
        /* in no memory: the only element is the number base; of a stack of them for a scan, 0, 1, 2,
            * ... */
        PLACE_INDEX
    } kind;
    uint32_t buffer;
    Address base; /* terms are counters of the step loops around, by their numbers */
    uint64_t bits;
    bool spare;   /* of an operand of a step: nobody else reads it */
    double again; /* of a region's parameter: how often a loop around reads it as it is; 0: once */
} Place;

Place place_temporary(Arena *, Program *, Type); /* a new TEMP */

/* What fuse.c decided and learned about each node of the graph. */
typedef struct NodePlan {
    bool materialized; /* has a buffer of its own; consumers load */
    /* materialized only because it is an output: whoever computes all of it stores it */
    bool in_passing;
    /* in passing, a fold that several kernels need: only the kernel of this root computes it, others load.
     * REF_NONE: whoever can */
    Ref provider;
    /* kernels of this round that compute it, if it is a fold; and a root of the one that runs first */
    uint32_t folded_by;
    Ref folded_for;
    Place place; /* if materialized, parameter or constant; PLACE_NONE: not yet */
    const Place *also;
    uint32_t n_also; /* other places that want its elements: it is several outputs */
    /* places of all its results, if its kernels are made by rules of their own (special.h) */
    const Place *results;
    /* reductions on the longest way to materialized values: the phase it can be known in */
    uint32_t depth;
    float cost; /* arithmetic per element, what is fused into it included */
    /* holds a multiply that feeds an add: two copies might be rounded differently */
    bool contracts;
    uint32_t kernel; /* 1 + number of the kernel that stores it; 0: none yet */
    /* number of the kernel being built, if that loads it: it cannot store it then */
    uint32_t loaded_by;
    uint32_t points; /* at how many indices it is computed in this kernel */
    uint32_t row_of; /* 1 + number of the kernel where it lives in a row buffer; 0: none */
    uint32_t row_buffer;
    Val row_loop;    /* loop it was first evaluated in, this kernel */
    bool row_wanted; /* evaluated in sibling loops */
    /* the index, in the loop that stores the row, of what the row holds; NULL: not stored yet */
    const Address *row_at;
} NodePlan;

/* A value that is computed at many different indices (neighbours of neighbours in a stencil) would double its
 * operands' work again and again: from so many on, or in a kernel that has grown so large, it is loaded. */
enum { MAX_SCALAR_FOLDS = 4, MAX_POINTS = 8, MAX_KERNEL_OPS = 2000, MIN_COST_OF_STEP = 4, MIN_STEPS = 64 };

/* Where lanes and tiles go in one kernel. */
typedef struct Schedule {
    bool root_lanes;     /* the innermost axis of the result goes over lanes; else only reduction loops do */
    uint16_t root_tile;  /* tile of the innermost axis of the result */
    uint16_t outer_tile; /* tile of the axis around it */
    uint16_t fold_tile;  /* tile of reduction loops with lanes; 0: what makes 64 accumulators */
    /* tile of reduction loops next inside lanes: sums that do not wait for each other; 0: 1 */
    uint16_t chains;
    bool fold_any;     /* folds along any axis get lanes, not only those along the operand's last */
    uint16_t lanes;    /* elements of one vector in this kernel */
    uint16_t n_scalar; /* operands whose folding loop gets no lanes, so that loops inside it may */
    Ref scalar[MAX_SCALAR_FOLDS];
} Schedule;

/* A load of a leaf, for the choice of the schedule. */
typedef struct Access {
    Val load;
    Ref node;
    const Address *at;
} Access;

typedef struct Memo {
    uint32_t key;
    int rank;
    Val mask;
    const Address *at;
    Val value;
    const Val *results;
} Memo;

/* What a region's parameter is, while the region is evaluated: a value, or a node of the graph around at an
 * index that goes on with the parameter's own. */
typedef struct Bound {
    Val value;
    Ref outer;
    const Address *prefix;
    int n_prefix;
} Bound;

/* A region being evaluated at a point. In here nodes are the region's: point_value(n) is the value of node n
 * of the region. Nothing has memory; loops are opened in `block`, from `phase` on. */
typedef struct Frame {
    const struct Frame *parent;
    const Graph *outer_graph;
    NodePlan *outer_plan; /* what point_value's nodes are outside */
    const Graph *graph;
    NodePlan *plan;
    const Bound *bound; /* [n_params] */
    uint32_t first_key; /* of node 0, for the memo */
    uint32_t block, phase;
    Val mask; /* where the region has a value; elsewhere its parameters may not be read */
    /* is the region's value wanted at all? VAL_NONE: yes. Loops that end by a test end where it is not. */
    Val active;
} Frame;

/* A leaf and the order of its axes in a copy that lanes read neighbours in. node REF_NONE: none. */
enum { MAX_PACKED = 4 };
typedef struct Packing {
    Ref node;
    const int64_t *perm;
} Packing;

typedef struct Build { /* one kernel being built */
    Arena *arena;
    const Graph *graph;
    Program *program;
    const Target *target;
    NodePlan *plan;
    uint32_t number; /* of the kernel, from 1 */
    const Ref *roots;
    uint32_t n_roots; /* what it is for */
    Schedule schedule;
    Nest nest;
    const Frame *frame; /* the region being evaluated; NULL: the graph itself */
    uint32_t n_keys;    /* keys of the memo given away */
    Memo *memos;
    uint32_t memo_size, memo_used;
    Access *accesses;
    uint32_t n_accesses, cap_accesses;
    Ref *stored;
    uint32_t n_stored, cap_stored; /* nodes this kernel stores */
    Ref *noted;
    uint32_t n_noted, cap_noted; /* nodes whose row_loop is set */
    Ref *wanted;
    uint32_t n_wanted, cap_wanted; /* nodes found worth materializing */
    Ref *touched;
    uint32_t n_touched, cap_touched; /* nodes computed here: those whose points count */
    const bool *after;               /* [kernel number]: runs after this one */
    /* runs behind a kernel that is made already, which may load what this one could store in passing */
    bool follows;
    /* a sum in eager's order stands inside lanes: the schedule must change */
    bool needs_rows;
    /* leaves that are read through copies */
    Packing packed[MAX_PACKED];
    uint32_t packed_buffer[MAX_PACKED], n_packed;
} Build;

/* The value of node n at index at[0..rank) where mask (VAL_NONE: always) is true, for use in `block`. */
Val point_value(Build *, Ref n, const Address *at, Val mask);
/* Stores a value of node n, which this kernel thereby provides. */
void point_store(Build *, Ref n, const Address *at, Val value, uint32_t block);
void point_provides(Build *, Ref n); /* the same for what has no elements to store */
/* The same elements by a place's memory: of a value of this type. */
Val point_load_from(Build *, Place, Type, const Address *at, Val mask, uint32_t block, uint32_t phase);
void point_store_to(Build *, Place, Type, const Address *at, Val value, Val mask, uint32_t block);
/* Row-major address of an index. */
Address point_address(Build *, Type, const Address *at);
/* Are axes a and a + 1 of n read by everything fused into it as if they were one, so that (0, i) may stand
 * for their index? */
bool point_collapses(const Build *, Ref n, int a);
/* The one of the axes first..last of t, which collapse, that has the index of their loop: not one of size 1,
 * for there indices are dropped. */
int point_run_axis(Type, int first, int last);
/* What r is: a barrier's result is its operand. */
Ref point_behind_barriers(const Graph *, Ref r);
/* Is op one that folds many elements into one? */
bool op_folds(Op);

/* Can this WHILE, SCAN, CASE or MAP be computed an element at a time within a kernel: do all values that
 * change with it have one shape or one element, and do they meet only at the same index? Its carries are then
 * registers (point_control.c). */
bool point_control(const Graph *, Ref);
/* How many loops, one in another's phase after it, a node opens: what it adds to NodePlan.depth. */
uint32_t point_levels(const Node *);
/* Depth of a node (without its own levels) of depth so far when an operand of this depth is added. */
uint32_t point_deeper(const Node *, uint32_t so_far, uint32_t operand);
/* Arithmetic of one element of a node, regions included. */
float point_cost(const Node *);
#endif
