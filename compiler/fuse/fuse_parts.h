/* fuse_parts.h: what a program is while it is fused, shared by
 *   fuse.c           which nodes of a graph get memory, which share a kernel
 *   fuse_kernel.c    one kernel
 *   fuse_after.c     which kernels run behind others
 *   fuse_program.c   the order of kernels and steps
 *   fuse_steps.c     steps of control flow, and regions fused between them; calls of foreign functions
 */
#ifndef WEFT_FUSE_FUSE_PARTS_H
#define WEFT_FUSE_FUSE_PARTS_H
#include "tiling.h"
#include "compiler/fuse/kernels/special.h"

/* ---- a program ---- */

typedef struct Fusion {
    Arena *arena;
    Program *program;
    const Target *target;
    double runs; /* how often the steps being made run: product of the trip counts around, as far as known */
    /* by buffer: 1 + the first kernel that touches it; 0: none */
    uint32_t *first;
    uint32_t n_first, cap_first;
} Fusion;

/* Appends kernels, steps and buffers that compute a closed graph: of parameters at these places, to outputs
 * at those; an output at PLACE_NONE is not computed. */
void fuse_graph(Fusion *, const Graph *, const Place *params, const Place *outs);
/* A kernel that copies elements of this type; nothing if `to` is PLACE_NONE. */
void fuse_copy(Fusion *, Type, Place from, Place to, const char *name);
void fuse_add_kernel(Fusion *, Kernel);
void fuse_add_step(Fusion *, ProgramStep);
void fuse_note_first(Fusion *, uint32_t buffer, uint32_t kernel); /* this kernel touches the buffer */
/* Drops kernels in which nothing is left to do; names and numbers the others. */
void fuse_finish(Program *);

/* ---- one graph of it ---- */

typedef struct Link {
    uint32_t kernel;
    const struct Link *next;
} Link; /* numbers of kernels */

/* A kernel made: the nodes it loads and stores, and the numbers of the kernels whose packed copies it reads
 * and of another that comes before it (0: none). Or, in a kernel's place, a node that becomes steps
 * (fuse_steps.h): these are made when their turn to run comes. */
typedef struct Made {
    Kernel kernel;
    Ref *loads;
    uint32_t n_loads;
    Ref *stores;
    uint32_t n_stores;
    uint32_t packing[MAX_PACKED], previous;
    Ref steps;
    ProgramStep *calls;
    uint32_t n_calls;   /* library calls after the kernel */
    const Link *behind; /* kernels that run behind this one */
    Ref first;          /* of the nodes it stores */
    uint32_t linked;    /* the last one whose `behind` this was put on */
} Made;
typedef struct Packed {
    Ref node;
    const int64_t *perm;
    uint32_t buffer, kernel;
} Packed;

/* Nodes to have memory in the next round, and those that got it in this one; news: is there anything to do in
 * another round? */
typedef struct Wanted {
    Ref *refs;
    uint32_t n, capacity;
    Ref *given;
    uint32_t n_given;
    bool news;
} Wanted;

typedef struct Fuser {
    Arena *arena;
    Fusion *whole;
    const Place *params, *outs;         /* memory of the graph's parameters and outputs */
    uint32_t first_buffer, first_const; /* of the program, when this graph's turn came */
    const Graph *g;
    const Target *target;
    Program *program;
    NodePlan *plan;
    bool *used; /* reached from the outputs */
    /* its kernels are not made point by point: what becomes steps, and ops of special.h */
    bool *unit;
    uint32_t *uses; /* by how many operands and outputs */
    Made *made;
    uint32_t n_made, cap_made; /* kernel number - 1 */
    Packed *packed;
    uint32_t n_packed, cap_packed;
    /* by node: kernels that load it; those of an op with several results load one of them */
    const Link **loaders;
    Ref *waiting;
    uint32_t n_waiting; /* nodes that kernels load, and that no kernel stores yet */
    bool *after;
    uint32_t cap_after;         /* by kernel: what fuse_find_after found */
    uint32_t *marked, n_marked; /* which of them are set */
    Ref first_after;            /* the first of the nodes asked for and of what those kernels store */
    uint32_t *stamp, clock;     /* scratch of walks */
    Ref *stack;
} Fuser;

/* What one kernel is for: nodes; or one node with rules of its own, and the number of the kernel; or a packed
 * copy. */
typedef struct Roots {
    const Ref *ref;
    uint32_t n;
    Packing pack;
    uint32_t pack_buffer;
    const Special *special;
    uint32_t which;
} Roots;

bool fuse_has_memory(const Fuser *, Ref);
void fuse_give_memory(Fuser *, Ref);
bool fuse_is_unit_result(const Fuser *, Ref);
/* Where steps find an operand: an element for all needs no memory. */
Place fuse_operand_place(const Fuser *, Ref);
bool place_is_whole(const Program *, Place, Type); /* a buffer, all of it */
Buffer fuse_buffer_of(Type, BufferKind, uint32_t index);
uint32_t fuse_new_buffer(Fuser *, Buffer);

/* How many elements one of a fold is made of; 0: it is no REDUCE, DOT, ARGMAX or ARGMIN. */
/* Is r one number, and dear to compute: a step size, a correction that every leaf of a tree is scaled by? */
bool fuse_is_dear_number(const Fuser *, Ref r);
double fuse_folded(const Fuser *, Ref);
/* A kernel for these roots, appended to f->made. wanted may be NULL. */
void fuse_make_kernel(Fuser *, const Roots *, Wanted *);
/* Wants memory for what math functions are computed of one by one, if they are better computed in lanes:
 * fuse_lanes.c. */
void fuse_want_lanes(const Fuser *, const Build *, Wanted *);
Made *fuse_add_made(Fuser *);
/* The kernel, or what stands in its place, that was made last provides all results of a node. */
void fuse_unit_provides(Fuser *, Ref unit);
/* The kernel made last: what it loads (Made.loads), a node that it stores; and what else orders kernels, by
 * their numbers. */
void fuse_note_loads(Fuser *);
void fuse_note_stored(Fuser *, Ref);
void fuse_runs_behind(Fuser *, uint32_t before, uint32_t behind);
void fuse_forget_order(Fuser *);              /* no kernel is made */
bool fuse_reaches(Fuser *, Ref from, Ref to); /* does `from` depend on `to`? */
/* f->after[k]: kernel k will run behind those that store these nodes. */
void fuse_find_after(Fuser *, const Ref *roots, uint32_t n);
/* Of a node that has no kernel yet: must its own run behind theirs, too? After fuse_find_after, of the same
 * roots. */
bool fuse_waits(Fuser *, Ref unmade, const Ref *roots, uint32_t n);
/* All that was made, as steps, in an order in which everything is stored before it is loaded. */
void fuse_emit_all(Fuser *);
#endif
