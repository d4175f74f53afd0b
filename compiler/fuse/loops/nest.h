/* nest.h: a kernel while it is being built: a tree of blocks, each the body of a loop (or of the kernel),
 * whose statements may be added in any order and are laid out by PHASE at the end.
 *
 * A block's phases: statements of phase 0, then loops of phase 0, then statements of phase 1 (what needs a
 * result of those loops), then loops of phase 1, ... A statement's phase is the greatest of its operands' in
 * the same block; TOTAL of a reducer that is folded in a loop of phase p has phase p + 1. Loops of one block,
 * phase and shape are one loop: that is how several reductions and outputs come to share a pass over memory.
 *
 * A statement goes to the outermost block where all it needs is known, so what does not vary in a loop is not
 * computed in it, and equal statements are made once.
 */
#ifndef WEFT_FUSE_NEST_H
#define WEFT_FUSE_NEST_H
#include "compiler/program/program.h"

typedef struct Block {
    Val loop; /* the LOOP this is the body of; VAL_NONE: the kernel's own */
    uint32_t parent, depth;
    bool is_root; /* the innermost of the loops over a result's axes */
    double runs;  /* how often the body runs: product of the extents around it */
    Val *items;
    uint32_t n_items, cap_items;
} Block;

/* What the nest knows of a statement beside it: where it stands; and of a LOOP, its body's block, whether its
 * body is its own (never shared), and the operand that it folds, if any. */
typedef struct Placed {
    uint32_t block, phase, body;
    bool own, dependent;
    Ref folds;
} Placed;

typedef struct Nest {
    Arena *arena;
    Stmt *stmts;
    uint32_t n_stmts, cap_stmts;
    Placed *placed;
    uint32_t cap_placed;
    Block *blocks;
    uint32_t n_blocks, cap_blocks;
    uint32_t *table;
    uint32_t table_size, table_used; /* equal statements */
    uint32_t n_ops;                  /* OP statements, for the size of the kernel */
    float cost;                      /* of these, of folds, and of gathers */
} Nest;

/* Iterations of a parallel loop are independent, and those of an independent one are, but it is not worth to
 * share them. */
typedef struct LoopShape {
    int64_t extent;
    uint16_t lanes, tile;
    bool parallel, independent;
} LoopShape;

void nest_init(Nest *, Arena *);
/* The loop of this shape and phase in this block, found or made. `own`: never shared (bodies with
 * carries). */
Val nest_loop(Nest *, uint32_t block, uint32_t phase, LoopShape, bool own);
/* A loop of that phase and extent in the block, whatever its lanes; VAL_NONE: none. */
Val nest_loop_of(const Nest *, uint32_t block, uint32_t phase, int64_t extent);
static inline uint32_t nest_body(const Nest *n, Val loop) { return n->placed[loop].body; }

/* Value statements; placed by what they need. */
Val nest_const(Nest *, DType, uint64_t bits);
Val nest_index(Nest *, DType, Address);
Val nest_counter(Nest *, uint32_t number);        /* of a step loop around the kernel */
bool nest_in_lanes(const Nest *, uint32_t block); /* is a loop around it one of lanes? */
/* Does each lane load from a place of its own, which was computed or loaded? */
bool nest_gathers(const Nest *, Address);
/* in `block` at `phase` or deeper */
Val nest_load(Nest *, DType, uint32_t buffer, Address, Val mask, uint32_t block, uint32_t phase);
Val nest_op(Nest *, Op, DType, const Val *args, int n, const int64_t *attr, int n_attr);
Val nest_reducer(Nest *, uint32_t block, uint32_t phase, Op, DType, DType index_dtype);
void nest_fold(Nest *, uint32_t block, Val reducer, Val value, Val index);
Val nest_total(Nest *, Val reducer, DType, uint32_t loop_phase);
Val nest_carry(Nest *, uint32_t block, uint32_t phase, DType, Val start);
/* the loop whose body sees the current value; said before it is used */
void nest_carried_by(Nest *, Val carry, Val loop);
void nest_set(Nest *, uint32_t block, Val carry, Val value, uint32_t phase); /* in `phase` or later */
void nest_test(Nest *, uint32_t block, Val condition);
Val nest_prefix(Nest *, uint32_t block, Val reducer, Val value);
void nest_store(Nest *, uint32_t block, uint32_t buffer, Address, Val value, Val mask);

/* Is block a the same as b or around it? */
bool nest_encloses(const Nest *, uint32_t a, uint32_t b);
/* The deeper of two blocks of which one encloses the other. */
uint32_t nest_deeper(const Nest *, uint32_t a, uint32_t b);
/* Block of the deepest loop or value an address needs (0: none). */
uint32_t nest_address_block(const Nest *, Address);
/* does a loop around block do several indices side by side, in a tile or in lanes? */
bool nest_in_tile(const Nest *, uint32_t block);
bool nest_has_reducers(const Nest *);
/* By statement: is anything made of it? */
bool *nest_used(const Nest *);
/* The phase in which block knows a value, or an address; 0: before it begins. */
uint32_t nest_phase(const Nest *, Val, uint32_t block);
uint32_t nest_address_phase(const Nest *, Address, uint32_t block);

/* Writes the tree as a flat list of statements in order, renumbered, in memory of this arena. */
void nest_flatten(Nest *, Arena *, Kernel *);

/* Affine arithmetic on addresses; terms stay sorted, zero terms vanish. */
Address address_number(int64_t);
Address address_of(Arena *, Val of, int64_t coef);
Address address_add(Arena *, Address, Address);
Address address_scale(Arena *, Address, int64_t);
static inline Address address_shift(Address a, int64_t by)
{
    a.offset += by;
    return a;
}
#endif
