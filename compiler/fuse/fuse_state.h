/* fuse_state.h: what fusion knows, by how long it holds; and what its files do for each other:
 *
 *   fuse.c           rounds, and which nodes share a kernel
 *   fuse_memory.c    which nodes get memory
 *   fuse_share.c     which of them because several kernels compute them
 *   fuse_kernel.c    one kernel
 *   fuse_lanes.c     math functions that should have lanes
 *   fuse_order.c     which kernels run behind others
 *   fuse_program.c   the order of kernels and steps
 *   loops/           a kernel's tree of loops: which there are, their lanes and tiles
 *   memory/          where values lie: offsets, aliases, updates in place
 *   caches/          kernels that run band by band over their rows, and what else caches ask for
 *   threads/         folds in parts, and what runs in pieces
 *   fuse_steps.c     steps of control flow, and calls of foreign functions
 *
 * FOUR LIVES. A Fusion lasts until the program is complete; a GraphFusion while one graph of it is fused; a
 * Round while kernels are made of all its nodes, under one choice of what gets memory; a Build (point.h)
 * while one kernel is built. NodePlan holds what is known of one node, in the same three parts. What the
 * shorter lives take is given back at their end (Fusion.rounds and what stands beside it).
 *
 * THREE WAYS. A node is computed at points, by own kernels, or by steps (Computed). The last two compute it
 * WHOLE: all elements of all results at once, and all of them have memory.
 */
#ifndef WEFT_FUSE_FUSE_STATE_H
#define WEFT_FUSE_FUSE_STATE_H
#include "compiler/fuse/loops/tiling.h"
#include "compiler/fuse/kernels/own_kernels.h"

/* ---- a program ---- */

/* Who speaks of a buffer: kernels, in no order, some perhaps twice; and other steps. */
typedef struct BufferUses {
    struct KernelUse {
        uint32_t kernel;
        struct KernelUse *next;
    } *kernels;
    uint32_t first, last; /* 1 + the first and the last of the kernels; 0: none */
    bool steps;           /* a SWAP, TEST, CASE or CALL does */
} BufferUses;

typedef struct Fusion {
    Arena *arena; /* the program's */
    /* Arenas within it, one for each of the shorter lives: what rounds made, what is kept while a kernel is
     * built, and what one try of it made. Graphs nest, and so do kernels that need packed copies: each gives
     * back what it took, the last first. */
    Arena *rounds, *kernels, *tries;
    Program *program;
    const Target *target;
    double runs; /* how often the steps being made run: product of the trip counts around, as far as known */
    BufferUses *uses; /* by buffer */
    uint32_t cap_uses;
} Fusion;

/* Appends kernels, steps and buffers that compute a closed graph: of parameters at these places, to outputs
 * at those; an output at PLACE_NONE is not computed. */
void fuse_graph(Fusion *, const Graph *, const Place *params, const Place *outs);
/* A kernel that copies elements of this type; nothing if `to` is PLACE_NONE. */
void fuse_copy(Fusion *, Type, Place from, Place to, const char *name);
void fuse_add_kernel(Fusion *, const Kernel *); /* a copy of it */
void fuse_add_step(Fusion *, ProgramStep);
BufferUses *fuse_uses(Fusion *, uint32_t buffer);
/* Everything so far that speaks of buffer `from` speaks of `to`. */
void fuse_rename_buffer(Fusion *, uint32_t from, uint32_t to);
/* Drops kernels in which nothing is left to do; bands; names and numbers of kernels. */
void fuse_finish(Program *, const Target *);

/* ---- one graph of it ---- */

typedef enum {
    COMPUTED_AT_POINTS,  /* an element wherever it is asked for: point/ */
    COMPUTED_BY_KERNELS, /* by kernels of its own: kernels/ */
    COMPUTED_BY_STEPS    /* by steps of the program: fuse_steps.c */
} Computed;

/* A long fold wants its lanes along what it folds, or across. One kernel cannot do both well. */
typedef enum { LANES_ALONG = 1, LANES_ACROSS = 2 } LanesOfFold;

/* A node, and how many elements of it a kernel computes. */
typedef struct Computes {
    Ref node;
    double elements;
} Computes;

/* A kernel that was made; its number is 1 + its index. Or, in its place, a node that becomes steps: these
 * are made when their turn to run comes. */
typedef struct Made {
    Kernel kernel;
    Ref steps;               /* the node; REF_NONE: it is a kernel */
    const ProgramStep *call; /* of the library, behind the kernel; or NULL */
    Ref *loads;
    uint32_t n_loads;
    Ref *stores;
    uint32_t n_stores;
    Ref root;                 /* the first that it is for */
    const Computes *computes; /* by node */
    uint32_t n_computes;
    uint32_t packing[MAX_PACKED]; /* kernels whose packed copies it reads; 0: none */
    uint32_t previous;            /* the kernel of the same node before this one; 0: none */
    Ref *needs;                   /* what it loads, or one of those kernels */
    uint32_t n_needs, cap_needs;
    const Ref
        *placed; /* what it stores, whose place in the order it is; less what later ones of a node store */
    uint32_t n_placed;
    uint32_t asked_by; /* the last kernel for which it was asked whether this one runs behind it, */
    bool runs_behind;  /* and the answer */
} Made;

/* A copy of a leaf with its axes in another order. */
typedef struct PackedCopy {
    Packing what;
    uint32_t buffer, kernel;
} PackedCopy;

/* One try: kernels of all nodes, under one choice of what gets memory; and what to choose in the next. The
 * arrays outlive it, their contents do not. */
typedef struct Round {
    Made *made;
    uint32_t n_made, cap_made;
    PackedCopy *packed;
    uint32_t n_packed, cap_packed;
    Ref *wanted;
    uint32_t n_wanted; /* nodes to have memory in the next round */
    Ref *given;
    uint32_t *given_for; /* the number of the kernel that wanted it */
    uint32_t n_given;    /* nodes that got memory in this one */
    uint32_t cap_wanted; /* of both */
    bool changed;        /* what was chosen in this round may change more */
} Round;

/* A node, as nodes that will share a kernel read it: what they load, or compute on the way to that. */
typedef struct ReadBy {
    uint32_t group, members; /* of that group, a bit for each: those that read it */
    /* members that read it, an array, or arrays that it is made of: as was found when this was asked, so far
     * by its first operands */
    uint32_t asked, n_args, found;
} ReadBy;
_Static_assert(MAX_JOINED < 32, "members are bits");

/* Nodes that will share a kernel. */
typedef struct Group {
    Ref of[MAX_PART];
    uint32_t n;
    uint8_t lanes; /* of folds */
    uint32_t number;
    /* members of which ReadBy tells, and since when; of them, those that read an array at all */
    uint32_t n_noted, asked, read_arrays;
    uint32_t low;   /* the first of their places in the order */
    uint32_t known; /* from this place on it is known which nodes they need */
} Group;

typedef struct GraphFusion {
    Arena *arena;    /* Fusion.rounds */
    ArenaMark empty; /* of it, before the first round */
    Fusion *fusion;
    const Graph *g;
    const Target *target;
    Program *program;
    const Place *params, *outs;         /* memory of the graph's parameters and outputs */
    uint32_t first_buffer, first_const; /* of the program, when this graph's turn came */
    Computed *computed;                 /* by node */
    bool *used;                         /* by node: reached from the outputs */
    uint32_t *uses;                     /* by node: by how many operands and outputs */
    uint8_t *lanes_of_folds;            /* by node: LanesOfFold of what is fused into it, or'ed */
    NodePlan *plan;                     /* by node */
    Round round;
    /* The order in which kernels may run (fuse_order.c): by node its place, and by place a node; of those
     * that one kernel stores, one. REF_NONE: none. */
    uint32_t *rank;
    Ref *at;
    uint32_t *placed_by; /* by node: the kernel whose place it has; 0: none */
    /* Nodes that are computed part by part; so many are a part, and stand in it as in the graph. */
    Ref *parted;
    uint32_t n_parted, part_size;
    Ref *needed_by;        /* by node that stands in the order: the group that begins with this one */
    ReadBy *read_by;       /* by node */
    uint32_t read_clock;   /* ReadBy.group, asked */
    uint32_t memory_clock; /* 1 + how often a node got memory */
    /* scratch of searches: what the present one has met bears its clock */
    uint32_t *stamp, clock;
    Ref *stack;
    uint32_t top;
} GraphFusion;

/* What one kernel is for: nodes; or number `which` of a node's own kernels, or of those of concatenations; or
 * a packed copy. */
typedef struct Roots {
    const Ref *ref;
    uint32_t n;
    Packing pack; /* node REF_NONE: none */
    uint32_t pack_buffer;
    const OwnKernels *own;
    uint32_t which, n_kernels;
    uint32_t previous; /* the kernel before this one for the same; 0: none */
} Roots;

/* Is it computed whole? Is it a result of such a node? */
static inline bool fuse_is_whole(const GraphFusion *f, Ref r) { return f->computed[r] != COMPUTED_AT_POINTS; }
bool fuse_is_whole_result(const GraphFusion *, Ref);
/* A search begins; visit puts a node that it has not met on the stack. */
void fuse_start_search(GraphFusion *);
void fuse_visit(GraphFusion *, Ref);

/* ---- rows (loops/short_rows.c) ---- */

/* Should the two innermost loops take several rows as one? Then the schedule says so, and these are to be
 * copied for it. */
bool rows_to_join(Build *, Packings *repeated);
/* Makes the loops do so that were just built. */
void rows_join(Build *);

/* ---- memory (fuse_memory.c, memory/places.c) ---- */

bool fuse_has_memory(const GraphFusion *, Ref);
void fuse_give_memory(GraphFusion *, Ref);
void fuse_want_memory(GraphFusion *, Ref); /* in the next round */
/* Before the first round: what has memory in each. */
void fuse_choose_memory(GraphFusion *);
/* At the begin of a round: what follows from who has memory. */
void fuse_refresh_facts(GraphFusion *);
/* At the end of a round: the choice for the next. False: there is nothing to change. */
bool fuse_choose_again(GraphFusion *, bool take_back);
/* Where no kernel wants anything: what the first of several stores for the others. Says whether that changes
 * anything by round.changed. */
void fuse_share(GraphFusion *);
/* Is it one number, and costly to compute: a step size, a correction that every leaf of a tree is scaled
 * by? */
bool fuse_is_costly_scalar(const GraphFusion *, Ref r);
/* A product of matrices: both sides' elements are used again and again, and enough are summed, so that
 * tiles of registers pay. */
/* DOT, or the sum of DOT_HALVES that expand_halves.c makes of it; of what. */
bool fuse_sums_products(const GraphFusion *, Ref, Ref side[2]);
bool fuse_is_product(const GraphFusion *, Ref);
/* How many elements one of a fold is made of; 0: it is no REDUCE, DOT, ARGMAX or ARGMIN. */
double fuse_folded(const GraphFusion *, Ref);

/* Places of parameters, outputs, constants and temporaries for a round. */
void fuse_assign_places(GraphFusion *);
/* Where steps find an operand: an element for all needs no memory. */
Place fuse_operand_place(const GraphFusion *, Ref);
/* Steps read an operand that is but a view where what it is made of lies: that node, which may need
 * memory. */
Ref fuse_choose_views(GraphFusion *, Ref operand);
/* Is an output that is a view stored where it is made? */
bool fuse_is_stored_as(GraphFusion *, Ref output);
/* The node in whose memory steps find r, from element *start on. */
Ref fuse_viewed(const GraphFusion *, Ref r, int64_t *start);
bool place_is_whole(const Program *, Place, Type); /* a buffer, all of it */
Buffer fuse_buffer_of(Type, BufferKind, uint32_t index);
uint32_t fuse_new_buffer(GraphFusion *, Buffer);

/* ---- kernels ---- */

/* A kernel for these roots, appended to round.made. */
void fuse_make_kernel(GraphFusion *, const Roots *);
/* Wants memory for what math functions are computed of one by one, if they are better computed in lanes. */
void fuse_want_lanes(GraphFusion *, const Build *);
Made *fuse_add_made(GraphFusion *);
/* What was made last provides all results of a node. */
void fuse_provide_results(GraphFusion *, Ref);

/* ---- the order in which they run (fuse_order.c) ---- */

void fuse_begin_order(GraphFusion *);
/* What was made last needs these nodes, too. */
void fuse_note_needs(GraphFusion *, const Ref *, uint32_t n);
/* These nodes are stored by what was made last, whose needs are complete: it takes their place. */
void fuse_order_made(GraphFusion *, const Ref *placed, uint32_t n);
/* Does one of these, which none of `of` is, need one of them, directly or not? */
bool fuse_needs(GraphFusion *, const Ref *r, uint32_t n_r, const Ref *of, uint32_t n);
/* r joins; does what has joined so far need r? */
void fuse_join_group(GraphFusion *, Group *, Ref r);
bool fuse_group_needs(GraphFusion *, Group *, Ref r);

/* ---- steps ---- */

/* All that was made, as steps, in an order in which everything is stored before it is loaded. */
void fuse_emit_all(GraphFusion *);
/* Of the steps of this graph, which begin with first_step: arrays that are made of others by changing some
 * elements are changed where they are (memory/updates.c). */
void fuse_update_in_place(GraphFusion *, uint32_t first_step);
/* Does node r become steps: a SCAN, WHILE, CASE or MAP that no kernel can hold, a foreign call? A BARRIER is
 * no step, but keeps others in order. */
bool steps_compute(const Graph *, Ref r);
/* Appends the steps of node r: operands at args, results to results (PLACE_NONE: nobody wants it). */
void steps_append(Fusion *, const Graph *, Ref r, const Place *args, const Place *results);
#endif
