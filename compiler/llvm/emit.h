/* emit.h: what the parts of the emitter share: the state of one compilation, and the values and loops of the
 * kernel at hand.
 *
 *   object.c        the door: shares side by side, each with context, module, machine code
 *   functions.c     which kernels are a function, in which share of the program; twins.c: equal ones
 *   entry.c         the functions of a share; the entry: steps; runs.c: its calls in loops
 *   kernel.c        statements, parts, blocks
 *   loops.c         loops, mutable variables; while.c: those that end by a test
 *   axes.c          which loops each value varies with
 *   reduce.c        reducers, folds, totals; prefix.c: running folds
 *   inside.c        bodies whose indices are all inside, as a rule
 *   values.c        types, constants, shuffles, intrinsics; pool.c: constants in memory
 *   target.c        the machines; machines.c: LLVM's; frames.c: what functions take of a stack
 *   element/        ops on parts
 *   access/         loads and stores of parts
 *
 * A statement's value is an array of PARTS: one per combination of tile indices of the register loops that it
 * depends on (its axes, a set of depths of open loops), in row-major order, outer loops first. A part is a
 * vector if the lane loop is among the axes, else a scalar. So what does not vary is computed once, and
 * spread over lanes only where it meets something that does.
 */
#ifndef WEFT_LLVM_EMIT_H
#define WEFT_LLVM_EMIT_H
#include "compiler/graph/arena.h"
#include "compiler/backend.h"
#include "compiler/scalar/recipe.h"
#include "compat.h"
#include "functions.h"

typedef uint32_t Axes; /* bit d: varies with the register loop at depth d */

typedef struct Value {
    LLVMValueRef *part;
    struct Extreme *extreme; /* in place of part: by part, of a maximum that only another maximum reads */
    uint32_t n;
    Axes axes;
    uint8_t dtype;
} Value;

/* A loop whose body is being emitted. Tile and mask are those of this copy of the body: the main one, or the
 * one for what is left over. */
/* A loop's index times a number of bytes. */
typedef struct ScaledIndex {
    int64_t by;
    LLVMValueRef value;
    struct ScaledIndex *next;
} ScaledIndex;

typedef struct OpenLoop {
    Val stmt;
    /* of the first lane of the first tile; a constant if this copy of the body runs once */
    LLVMValueRef index;
    int64_t fixed; /* that constant, if is_fixed */
    bool is_fixed;
    int64_t ahead; /* of index: where this copy of the body stands, of several in an iteration */
    uint32_t lanes, tile;
    uint32_t live;       /* lanes that count in the last tile; 0: all */
    bool overlaps;       /* the last iteration begins at the extent less the step, whatever that is */
    struct Leave *leave; /* of a while loop (while.c), else NULL */
    struct Walk *walk;   /* of a loop along rows of memory (walks.c), else NULL */
    /* the end of what runs once per iteration ahead of the body: address arithmetic goes before it */
    LLVMValueRef setup;
    /* of a machine loop with no other in it: where it is entered from, with what index; or NULL. And what its
     * addresses move by */
    LLVMBasicBlockRef before;
    LLVMValueRef from;
    ScaledIndex *scaled;
} OpenLoop;

/* A reducer or a carry: values that change while loops run, so they live in phi nodes of loop heads. */
typedef struct Variable {
    Val stmt;
    int depth; /* of the place it was opened at */
    Axes axes; /* of the register loops around that place */
    /* accumulators: n_before (parts of axes) x n_after (flat tile index of the loops inside) */
    uint32_t n_before, n_after, n;
    uint32_t n_taken;             /* of n_after: of a collected extreme, the first ones serve for all */
    uint32_t lanes, lanes_inside; /* lanes of a part; those that TOTAL folds together */
    int64_t after_tile[MAX_LOOP_DEPTH];
    int n_inside; /* full tiles of the register loops inside */
    /* Current values, n_slots (NULL: still the start value and never anything else): the n accumulators, then
     * of ARGMIN and ARGMAX their indices. Of a collected extreme, what was looked at and the signs, n_before
     * each: accumulators that are folded together share them. */
    LLVMValueRef *now;
    uint32_t n_slots;
    bool is_arg, is_collected;
    /* ARG: the distance of the index from each tile of lanes inside to the next: all accumulators take the
     * index of the first, and TOTAL adds the rest. 0: each takes its own */
    int64_t index_step;
    LLVMValueRef *next; /* CARRY: what SET gave, until the body ends */
    int next_depth;     /* of that body: loops inside it end before */
    uint32_t active;    /* number of the active mask at the place it was opened at */
} Variable;

/* A variable that a loop changes, and its phis at the loop's head, one per slot. NULL: a slot that has no
 * value yet. */
typedef struct Joined {
    Variable *var;
    LLVMValueRef *phi;
} Joined;

/* The indices that have not left the while loops around: a mask per part. axes 0: no index can have left. */
typedef struct Active {
    LLVMValueRef *part;
    uint32_t n;
    Axes axes;
    uint32_t number;
} Active;

/* Constants that stand in memory behind a pointer that LLVM knows nothing of (pool.c). */
enum { MAX_SHARED = 3 };
typedef struct Pool {
    LLVMValueRef base; /* the kernel's parameter, or NULL: it has none */
    struct PoolEntry *entry;
    uint32_t n, capacity, bytes;
    bool here; /* used for what is being emitted */
    bool sharing;
    uint32_t n_shared;
    LLVMValueRef shared[MAX_SHARED][2]; /* constants and their loads */
} Pool;

/* Elements of a buffer, from low on, below high. */
typedef struct Stretch {
    int64_t low, high;
} Stretch;

typedef struct Emitter {
    Arena *arena;
    const Program *program;
    uint32_t share; /* of the program (functions.h) */
    const Target *target;
    LLVMContextRef context;
    LLVMModuleRef module;
    LLVMBuilderRef b; /* always at the end of the current block */
    LLVMTypeRef i1, i8, i16, i32, i64, f32, f64, half, ptr, void_type;
    LLVMValueRef zeros;         /* a global of 64 zero bytes, made on first use */
    LLVMValueRef fma64;         /* software multiply-add, made on first use */
    struct RecipeMade *recipes; /* recipes.c */
    uint32_t n_recipes, cap_recipes;
    struct RareMade *rare;
    uint32_t n_rare, cap_rare;
    const Recipe *quotient; /* by what lanes share; made on first use */
    struct LargeMade *large;
    uint32_t n_large, cap_large;
    const char *missing; /* an op that there is no code for: the compile fails */
    bool is_x86, has_sse41, has_avx512, has_vbmi;
    /* A gather takes longer than a load for each lane: Zen 4, 16 of f32 30 cycles. column_20k_of_40. */
    bool gathers_slowly;

    const Kernel *kernel;
    double runs; /* of it, in a run of the program */
    LLVMValueRef function;
    Value *values;                /* [n_stmts] */
    Axes *varies;                 /* by statement: the loops that it varies with, of lanes and tiles or not */
    Val *ends;                    /* of LOOP statements */
    const struct Woven **woven;   /* by statement: those that a STORE belongs to, or NULL */
    const struct Pixels **pixels; /* by statement: those that a LOAD belongs to, or NULL */
    const struct Moved **moved;   /* by statement: the run that a STORE or a LOAD belongs to, or NULL */
    const struct Alike **alike;   /* by statement: those of all colours, done alike, or NULL */
    const struct Taps **taps;     /* by statement: those that a LOAD belongs to, or NULL */
    bool *fetches_ahead;          /* by statement: LOADs */
    const struct RareChoice **rarely; /* by statement: a choice that is hardly ever made, or NULL */
    bool *needed;                 /* by statement: by more than those choices; NULL: there are none of them */
    const struct Inside **inside; /* by LOOP: its indices that are data, or NULL */
    struct Known *known;          /* by statement: what it is if these are inside */
    bool all_inside, may_be_outside; /* which version of such a body is being emitted */
    uint32_t *uses;                  /* by statement: how many operands and addresses have it */
    bool *in_sums;                   /* by statement: a product that is made with the sums that take it */
    bool *is_inner;         /* by statement: a maximum or minimum that only another of its kind reads */
    LLVMValueRef *buffers;  /* [n_buffers] base addresses */
    const uint32_t *memory; /* [n_buffers] of program_memories */
    Stretch *there;         /* [n_buffers] elements that may be read, whichever twin it is */
    bool *apart;            /* [n_buffers] no other buffer of this kernel may be the same memory */
    LLVMValueRef *counters; /* [n_counters] of the step loops around the kernel */
    LLVMValueRef start;     /* the end of what runs once ahead of the kernel's statements */
    Active active;
    uint32_t n_active;
    Val holds; /* the condition that this place was reached by: masks of accesses that are so are none */
    OpenLoop loops[MAX_LOOP_DEPTH];
    int depth;
    Variable **vars;
    uint32_t n_vars, cap_vars;
    LLVMValueRef lane_loaded; /* load.c: a function, and how many lanes at computed places it loads */
    uint32_t n_lane_loads;
    LLVMValueRef walked, panels; /* walks.c: a function, and its memory for panels */
    struct PlaceEntry *places;   /* address.c */
    uint32_t n_places, cap_places;
    struct Derived *derived; /* values.c */
    uint32_t n_derived, derived_size;
    Pool pool;
    uint32_t block_ops;
    bool aside; /* emitting behind an earlier definition: no new blocks */
} Emitter;

/* entry.c */
void emit_share(Emitter *, const FunctionPlan *); /* the functions of share e->share; of share 0: the entry */
void function_attributes(Emitter *, LLVMValueRef function);

/* kernel.c */
/* What the kernel would stand there as, noted for the program (recipes.c): of all ahead of the first. */
void measure_kernel(Emitter *, const Kernel *, double runs);
/* into the function's block that the builder stands in */
void emit_kernel(Emitter *, const Kernel *, double runs, LLVMValueRef function);
uint32_t parts_of(const Emitter *, Axes);
/* The end of a loop in whose body no other loop and no test stands; else VAL_NONE. */
Val plain_body_end(const Emitter *, Val loop);
void part_tiles(const Emitter *, Axes, uint32_t part, uint32_t tile[MAX_LOOP_DEPTH]);
uint32_t part_project(const Emitter *, Axes from, uint32_t part, Axes to); /* to is a subset of from */
/* how many parts lie from one tile of the loop at this depth, which is among the axes, to the next */
uint32_t part_step(const Emitter *, Axes, int depth);
/* of the open loop with lanes, or -1 */
int lane_depth(const Emitter *);
/* lanes of a part: 1 if scalar */
uint32_t axes_lanes(const Emitter *, Axes);
/* lanes that count, a constant; NULL: all */
LLVMValueRef tail_mask(const Emitter *, Axes, uint32_t part);
/* of the register loops around this place */
Axes open_axes(const Emitter *);
void emit_range(Emitter *, Val from, Val to); /* statements */
/* a carry's is its current one */
Value *value_of(Emitter *, Val);
/* the part for this part of a result, spread to its lanes */
LLVMValueRef operand(Emitter *, Val, Axes, uint32_t part);
Value *value_new(Emitter *, Val, DType, Axes);
LLVMBasicBlockRef block_new(Emitter *, const char *name);
void block_enter(Emitter *, LLVMBasicBlockRef); /* branches there and goes on in it */
/* what follows, up to block_enter of the block that it gives, runs only where the condition holds */
LLVMBasicBlockRef when_begin(Emitter *, LLVMValueRef condition);
/* goes on in a block that it puts behind last */
void block_go_on(Emitter *, LLVMBasicBlockRef, LLVMBasicBlockRef last);
void block_breathe(Emitter *, uint32_t ops); /* counts ops; starts a new block when one gets long */
LLVMBasicBlockRef block_now(const Emitter *);

/* axes.c */
void find_axes(Emitter *);

/* loops.c */
void emit_loop(Emitter *, Val);
/* Does the body stand there once for each iteration? in_lanes: a loop around has lanes. */
bool worth_unrolling(const Emitter *, Val loop, bool in_lanes);
OpenLoop *push_loop(Emitter *, Val, uint32_t lanes, uint32_t tile, uint32_t live);
void emit_body(Emitter *, Val);                        /* of the loop on top; takes it off */
uint32_t joined_begin(Emitter *, Val loop, Joined **); /* the variables that the loop changes */
void joined_save(const Joined *, LLVMValueRef *to);
void joined_load(Emitter *, const Joined *, LLVMValueRef *from);
/* at a loop's head; the variables become the phis */
void joined_phis(Emitter *, const Joined *, uint32_t n, LLVMBasicBlockRef before);
/* and what they are at its end */
void joined_close(const Joined *, uint32_t n, LLVMBasicBlockRef last);
/* A part of the loop that may have nothing to do; variables are then what they were. */
typedef struct Guarded {
    LLVMBasicBlockRef before, after;
    Joined *joined; /* phi: the values before */
    uint32_t n;
} Guarded;
Guarded guard_begin(Emitter *, Val loop, LLVMValueRef condition);
void guard_end(Emitter *, const Guarded *);

/* while.c */
void emit_while(Emitter *, Val);
void emit_test(Emitter *, Val);
void keep_those_left(Emitter *, Variable *);
LLVMValueRef active_part(Emitter *, Axes, uint32_t part);
LLVMValueRef part_mask(Emitter *, Axes, uint32_t part); /* lanes that count and have not left; NULL: all */

/* types and small things: values.c */
/* in registers: bool is i1, f16 and bf16 their bits as i16 */
LLVMTypeRef type_of(const Emitter *, DType, uint32_t lanes);
LLVMTypeRef type_in_memory(const Emitter *, DType, uint32_t lanes);
LLVMTypeRef type_lanes(LLVMTypeRef element, uint32_t lanes);
LLVMTypeRef type_element(LLVMTypeRef);
uint32_t lanes_of(LLVMValueRef);
uint32_t width_of(LLVMValueRef); /* bits of an integer, or of a lane */
LLVMValueRef const_bits(const Emitter *, DType, uint64_t bits, uint32_t lanes);
/* an int or float of that type; bits as the type's own */
LLVMValueRef const_like(const Emitter *, LLVMValueRef like, uint64_t bits);
LLVMValueRef sign_like(const Emitter *, LLVMValueRef like);           /* the sign bit alone */
LLVMValueRef number_like(const Emitter *, LLVMValueRef like, double); /* of its type, f32 or f64 */
LLVMValueRef const_i64(const Emitter *, int64_t);
LLVMValueRef const_mask(const Emitter *, uint32_t live, uint32_t lanes);
/* the lane of a constant that is the same in all lanes (a scalar is its own), or NULL */
LLVMValueRef constant_lane(LLVMValueRef);
/* globals; the second is aligned for vectors */
LLVMValueRef private_global(Emitter *, const char *name, LLVMValueRef value);
LLVMValueRef private_constant(Emitter *, const char *name, LLVMValueRef value);
LLVMValueRef splat(Emitter *, LLVMValueRef scalar, uint32_t lanes);
/* made once, behind the scalar's definition */
LLVMValueRef splat_shared(Emitter *, LLVMValueRef scalar, uint32_t lanes);
LLVMValueRef shuffle(Emitter *, LLVMValueRef a, LLVMValueRef b, const int *lane, uint32_t n);
LLVMValueRef intrinsic(Emitter *, const char *name, LLVMTypeRef *types, unsigned n_types, LLVMValueRef *args,
                       unsigned n_args);
/* overloaded on its one argument's type */
LLVMValueRef intrinsic1(Emitter *, const char *name, LLVMValueRef a);
LLVMValueRef hidden(Emitter *, LLVMValueRef next); /* what an index is next, in a loop of machine code */
/* The vector behind a fence, through which LLVM does not see what is known of the lanes. It costs no
 * instruction. A vector that is no multiple of 32 bits stays as it is. */
LLVMValueRef opaque(Emitter *, LLVMValueRef);
LLVMValueRef intrinsic2(Emitter *, const char *name, LLVMValueRef a, LLVMValueRef b);
LLVMValueRef any_lane(Emitter *, LLVMValueRef mask);
void rarely(Emitter *, LLVMValueRef branch); /* its first way is */
typedef LLVMValueRef DeriveFn(Emitter *, LLVMValueRef from, uint32_t kind);
LLVMValueRef derive(Emitter *, LLVMValueRef from, uint32_t kind, DeriveFn *make);

/* pool.c */
bool pool_wanted(Emitter *, const Kernel *);
/* the constant, from memory if that is where it is wanted now */
LLVMValueRef pooled(Emitter *, LLVMValueRef constant);
/* Between the two a constant is loaded once. */
void pool_share(Emitter *);
void pool_unshare(Emitter *);
LLVMValueRef pool_global(Emitter *); /* the memory, when the kernel is complete */

/* inside.c */
void find_inside(Emitter *);                /* after find_alike, find_moved_runs and find_pixels */
bool emit_body_inside(Emitter *, Val loop); /* false: it has no such indices */
/* Where all indices are inside: does the condition hold? */
bool holds_inside(const Emitter *, Val condition);
bool emit_known(Emitter *, Val);            /* false: it is computed */
bool is_loaded_ahead(const Emitter *, Val); /* an index */

/* reduce.c */
void emit_carry(Emitter *, Val);
void emit_set(Emitter *, Val);
void emit_reducer(Emitter *, Val);
void emit_fold(Emitter *, Val);
void emit_total(Emitter *, Val);
Variable *variable_of(Emitter *, Val);
LLVMValueRef fold_two(Emitter *, const Stmt *reducer, LLVMValueRef a, LLVMValueRef b);
LLVMValueRef operand_as(Emitter *, Val, DType, Axes, uint32_t part); /* converted */

/* prefix.c */
void emit_prefix(Emitter *, Val);

/* target.c */
bool target_host(Target *);
bool target_named(const char *text, Target *);
bool target_has(const Target *, const char *feature); /* of those that count (target.c) */
LLVMTargetMachineRef target_machine(const Target *, char **error);

/* machines.c */
typedef struct Machine {
    Target target;
    LLVMTargetMachineRef llvm;
} Machine;
/* One for the caller alone, until it is given back. NULL: there is none; error is LLVM's, or NULL. */
Machine *machine_take(const Target *, char **error);
void machine_give(Machine *); /* NULL is none */
#endif
