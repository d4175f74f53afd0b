/* emit.h: what the parts of the emitter share: the state of one compilation, and the values and loops of the
 * kernel at hand.
 *
 *   object.c        the door: shares side by side, each with context, module, machine code
 *   functions.c     which kernels are a function, in which share of the program
 *   entry.c         the functions of a share; the entry: steps
 *   kernel.c        statements, parts, blocks
 *   loops.c         loops, mutable variables; while.c: those that end by a test
 *   axes.c          which loops each value varies with
 *   access.c        addresses, loads, stores
 *   masked.c        vectors under a mask, gathers
 *   reduce.c        reducers, folds, totals; prefix.c: running folds
 *   elementwise.c   ops on parts
 *   arithmetic.c    float ops that some machines lack; softfma.c: one of them in integers
 *   extremes.c      maxima and minima of floats
 *   convert.c       between element types
 *   recipes.c       recipes
 *   values.c        types, constants, shuffles, intrinsics
 *   target.c        the machines
 *   squares.c       squares of registers
 *   streamed.c      stores past the caches
 *   strided.c       vectors of every second, third ... element
 *   walks.c         lanes that walk along rows of memory
 *   woven.c         stores whose elements lie between each other's
 *   moves.c         runs of neighbours that are only moved
 *   pixels.c        neighbours of which something is computed
 *   alike.c         neighbours of all of which the same is computed
 *   taps.c          vectors of a row that lie across each other
 *   rare.c          choices that are hardly ever made
 *   inside.c        bodies whose indices are all inside, as a rule
 *   pool.c          constants in memory
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

/* The maximum or minimum of many floats while it is collected (extremes.c). If no operand is NaN, value is
 * right, but for the sign of a zero. kept: an operand that value is NaN with, or NULL; loose: one that has
 * not been compared with NaN, or NULL; looked: what the comparisons of the others said, or NULL; signs: the
 * AND (of a minimum the OR) of the operands' bits, or NULL if value has the right sign. */
typedef struct Extreme {
    LLVMValueRef value, kept, loose, looked, signs;
} Extreme;

typedef struct Value {
    LLVMValueRef *part;
    Extreme *extreme; /* in place of part: by part, of a maximum that only another maximum reads */
    uint32_t n;
    Axes axes;
    uint8_t dtype;
} Value;

/* A loop whose body is being emitted. Tile and mask are those of this copy of the body: the main one, or the
 * one for what is left over. */
typedef struct OpenLoop {
    Val stmt;
    /* of the first lane of the first tile; a constant if this copy of the body runs once */
    LLVMValueRef index;
    int64_t fixed; /* that constant, if is_fixed */
    bool is_fixed;
    uint32_t lanes, tile;
    uint32_t live;       /* lanes that count in the last tile; 0: all */
    struct Leave *leave; /* of a while loop (while.c), else NULL */
    struct Walk *walk;   /* of a loop along rows of memory (walks.c), else NULL */
    /* the end of what runs once per iteration ahead of the body: address arithmetic goes before it */
    LLVMValueRef setup;
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

/* STOREs of some elements of each `stride` ones, which together are all of them. */
enum { MOST_WOVEN = 8 };
typedef struct Woven {
    uint32_t n;
    int64_t stride;     /* from one lane to the next */
    Val of[MOST_WOVEN]; /* the first of them begins at the lowest address */
    Val last;           /* the one that stands last stores for all */
} Woven;

/* STOREs of neighbours whose values are LOADs of neighbours (moves.c). */
enum { MOST_MOVED = 17 }; /* more than a row has */
typedef struct Moved {
    uint32_t n;
    Val of[MOST_MOVED]; /* in the order of their addresses */
    Val last;           /* the one that stands last moves for all */
} Moved;

/* Statements that do the same to the colours of pixels that lanes go across (alike.c). */
typedef struct Alike {
    uint32_t n;
    Val of[MOST_WOVEN]; /* by colour */
    Val at;             /* of LOADs the first to stand there, of STOREs the last: it does it for all */
} Alike;

/* LOADs of two, three or four neighbours from rows that lanes go across (pixels.c). */
typedef struct Pixels {
    uint32_t n;
    Val of[4];
    Val first; /* the one that stands first loads for all */
} Pixels;

/* LOADs of one row, a few elements apart (taps.c). */
typedef struct Tap {
    Val of;
    int64_t at; /* elements behind the base */
} Tap;
typedef struct Taps {
    Tap *tap;
    uint32_t n;
    Val first, base; /* the one that stands first loads for all; vectors are tiles of the base */
} Taps;

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
    struct LargeMade *large;
    uint32_t n_large, cap_large;
    const char *missing; /* an op that there is no code for: the compile fails */
    bool is_x86, has_sse41, has_avx512, has_vbmi;
    /* A gather takes longer than a load for each lane: Zen 4, 16 of f32 30 cycles. column_20k_of_40. */
    bool gathers_slowly;

    const Kernel *kernel;
    LLVMValueRef function;
    Value *values;         /* [n_stmts] */
    Axes *varies;          /* by statement: the loops that it varies with, of lanes and tiles or not */
    Val *ends;             /* of LOOP statements */
    const Woven **woven;   /* by statement: those that a STORE belongs to, or NULL */
    const Pixels **pixels; /* by statement: those that a LOAD belongs to, or NULL */
    const Moved **moved;   /* by statement: the run that a STORE or a LOAD belongs to, or NULL */
    const Alike **alike;   /* by statement: those of all colours, where the same is done to each; or NULL */
    const Taps **taps;     /* by statement: those that a LOAD belongs to, or NULL */
    const struct RareChoice **rarely; /* by statement: a choice that is hardly ever made, or NULL */
    bool *needed;                 /* by statement: by more than those choices; NULL: there are none of them */
    const struct Inside **inside; /* by LOOP: its indices that are data, or NULL */
    struct Known *known;          /* by statement: what it is if these are inside */
    bool all_inside, may_be_outside; /* which version of such a body is being emitted */
    uint32_t *uses;                  /* by statement: how many operands and addresses have it */
    bool *is_inner;         /* by statement: a maximum or minimum that only another of its kind reads */
    LLVMValueRef *buffers;  /* [n_buffers] base addresses */
    LLVMValueRef *counters; /* [n_counters] of the step loops around the kernel */
    LLVMValueRef start;     /* the end of what runs once ahead of the kernel's statements */
    Active active;
    uint32_t n_active;
    Val holds; /* the condition that this place was reached by: masks of accesses that are so are none */
    OpenLoop loops[MAX_LOOP_DEPTH];
    int depth;
    Variable **vars;
    uint32_t n_vars, cap_vars;
    LLVMValueRef lane_loaded; /* access.c: a function, and how many lanes at computed places it loads */
    uint32_t n_lane_loads;
    LLVMValueRef walked, panels; /* walks.c: a function, and its memory for panels */
    struct PlaceEntry *places;   /* access.c */
    uint32_t n_places, cap_places;
    struct Derived *derived; /* values.c */
    uint32_t n_derived, derived_size;
    Pool pool;
    uint32_t block_ops;
    bool aside; /* emitting behind an earlier definition: no new blocks */
} Emitter;

/* How float ops may be rewritten: ST_OP by the program's mode, recipes not at all. */
enum { FLAGS_NONE = 0 };

/* entry.c */
void emit_share(Emitter *, const FunctionPlan *); /* the functions of share e->share; of share 0: the entry */
void function_attributes(Emitter *, LLVMValueRef function);

/* kernel.c */
/* into the function's block that the builder stands in */
void emit_kernel(Emitter *, const Kernel *, LLVMValueRef function);
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
/* The vector behind a fence, through which LLVM does not see what is known of the lanes. It costs no
 * instruction. A vector that is no multiple of 32 bits stays as it is. */
LLVMValueRef opaque(Emitter *, LLVMValueRef);
LLVMValueRef intrinsic2(Emitter *, const char *name, LLVMValueRef a, LLVMValueRef b);
LLVMValueRef any_lane(Emitter *, LLVMValueRef mask);
void rarely(Emitter *, LLVMValueRef branch); /* its first way is */
LLVMValueRef flagged(LLVMValueRef, unsigned flags);
typedef LLVMValueRef DeriveFn(Emitter *, LLVMValueRef from, uint32_t kind);
LLVMValueRef derive(Emitter *, LLVMValueRef from, uint32_t kind, DeriveFn *make);
unsigned mode_flags(const Emitter *);

/* pool.c */
bool pool_wanted(Emitter *, const Kernel *);
/* the constant, from memory if that is where it is wanted now */
LLVMValueRef pooled(Emitter *, LLVMValueRef constant);
/* Between the two a constant is loaded once. */
void pool_share(Emitter *);
void pool_unshare(Emitter *);
LLVMValueRef pool_global(Emitter *); /* the memory, when the kernel is complete */

/* access.c */
LLVMValueRef at_bytes(Emitter *, LLVMValueRef pointer, int64_t bytes); /* so much further */
void emit_load(Emitter *, Val);
void emit_store(Emitter *, Val);
void emit_index(Emitter *, Val);
/* Is anything between these statements stored into the buffer's memory? */
bool is_stored(const Emitter *, uint32_t buffer, Val from, Val to);
LLVMValueRef from_memory(Emitter *, DType, LLVMValueRef); /* bool: bytes */
LLVMValueRef to_memory(Emitter *, DType, LLVMValueRef);
/* of part 0, as far as the loops that are open tell */
LLVMValueRef address_of_load(Emitter *, const Stmt *);
/* of the part's first lane, but for what data adds in each lane; and that, in elements, with the distance of
 * the lanes (NULL: no data does); and the axes of all */
LLVMValueRef address_of_part(Emitter *, const Stmt *, Axes, uint32_t part);
LLVMValueRef offsets_by_data(Emitter *, const Stmt *, Axes, uint32_t part);
Axes axes_of_address(Emitter *, const Stmt *);
void forget_places(Emitter *, int depth); /* those made for a loop at this depth, whose body has ended */

/* tables.c: the bytes that are places in a table of bytes which look_up takes; VAL_NONE: there are none */
Val table_index(const Emitter *, const Address *, const Buffer *, uint32_t lanes);
LLVMValueRef look_up(Emitter *, LLVMValueRef table, int64_t count, LLVMValueRef index);
/* The elements of the row of which the address means one in each lane, by data alone: they fit into registers
 * (0: they do not, or it is none); and that data. look_up_row gives their bits as ints. */
uint32_t row_table(const Emitter *, const Address *, const Buffer *, uint32_t lanes, Val *index);
LLVMValueRef look_up_row(Emitter *, LLVMValueRef row, uint32_t count, uint32_t bytes, LLVMValueRef index);

/* masked.c */
LLVMValueRef all_lanes(Emitter *, LLVMValueRef mask, uint32_t lanes); /* a mask for NULL, too */
/* a vector of lane pointers, or one pointer to a vector; what is masked out is 0 */
LLVMValueRef masked_read(Emitter *, const char *intrinsic, LLVMTypeRef, LLVMValueRef from, uint32_t bytes,
                         LLVMValueRef mask);
void masked_write(Emitter *, const char *intrinsic, LLVMValueRef value, LLVMValueRef to, uint32_t bytes,
                  LLVMValueRef mask);
LLVMValueRef lane_pointers(Emitter *, LLVMValueRef base, LLVMValueRef offsets, uint32_t bytes);
LLVMValueRef lane_pointer(Emitter *, LLVMValueRef base, LLVMValueRef offsets, uint32_t lane, uint32_t bytes);
/* A load for each lane; mask: NULL or a constant. */
LLVMValueRef lane_loads(Emitter *, LLVMTypeRef element, LLVMValueRef base, LLVMValueRef indices,
                        uint32_t bytes, LLVMValueRef mask);
LLVMValueRef gather(Emitter *, LLVMTypeRef element, LLVMValueRef base, LLVMValueRef indices, uint32_t bytes,
                    LLVMValueRef mask);
/* a vector, or a scalar; mask NULL: all of it */
void dense_store(Emitter *, LLVMValueRef value, LLVMValueRef to, uint32_t bytes, LLVMValueRef mask);

/* strided.c: lane l is element stride * l from the pointer on; all lanes count */
bool can_load_strided(const Emitter *, int64_t stride, uint32_t lanes, uint32_t bytes);
bool can_store_strided(const Emitter *, int64_t stride, uint32_t lanes, uint32_t bytes);
LLVMValueRef load_strided(Emitter *, LLVMTypeRef, LLVMValueRef from, int64_t stride, uint32_t lanes,
                          uint32_t bytes);
void store_strided(Emitter *, LLVMValueRef, LLVMValueRef to, int64_t stride, uint32_t lanes, uint32_t bytes);
/* v[0][0] v[1][0] ... v[n - 1][0] v[0][1] ...: n vectors, at most MOST_WOVEN, in place */
void weave(Emitter *, LLVMValueRef *v, uint32_t n, uint32_t bytes);

/* Rows of `length` elements, as many as there are lanes, one behind another from a pointer on. Can they be
 * read, and written, as whole vectors? */
enum { MOST_ROW = 16 };
bool can_split_rows(const Emitter *, int64_t length, uint32_t lanes, uint32_t bytes);
/* Element `number` of each. */
LLVMValueRef load_of_rows(Emitter *, LLVMTypeRef, LLVMValueRef rows, int64_t length, int64_t number,
                          uint32_t lanes, uint32_t bytes);
/* element[n]: number n of each. */
void store_rows(Emitter *, const LLVMValueRef *element, LLVMValueRef to, int64_t length, uint32_t lanes,
                uint32_t bytes);

/* walks.c */
typedef struct Walk Walk;
/* of a loop about to be emitted, of one step at a time; NULL: none pays, or none can be */
Walk *find_walk(Emitter *, Val loop);
/* in the loop's head, among its phis; behind them, in iteration `index`; when its body ends, in block
 * `last` */
void walk_begin(Emitter *, Walk *, LLVMBasicBlockRef before);
void walk_fill(Emitter *, Walk *, LLVMValueRef index);
void walk_end(Walk *, LLVMBasicBlockRef last);
/* the parts of a load, from a panel; false: it has none */
bool load_walked(Emitter *, const Stmt *, LLVMTypeRef, Value *out);

/* woven.c */
void find_woven_stores(Emitter *);
/* Does the STORE write what its element holds already? */
bool is_idle_store(const Emitter *, Val);

/* moves.c */
void find_moved_runs(Emitter *);
void store_moved(Emitter *, const Moved *);
bool has_data(const Emitter *, Address); /* does anything but loops and counters move it? */
/* How many elements of the buffer lie before and behind what a part's lanes, those of the innermost loop,
 * read of it in runs of n, whatever the loops' indices are. */
void room_around(const Emitter *, const Stmt *load, Axes, uint32_t part, int64_t lanes, int64_t n,
                 int64_t *before, int64_t *behind);

/* pixels.c */
void find_pixels(Emitter *); /* after find_moved_runs */
void load_pixels(Emitter *, const Pixels *, Axes, uint32_t part, LLVMValueRef out[4]); /* as ints */

/* taps.c */
void find_taps(Emitter *); /* after all others that find LOADs */
bool load_taps(Emitter *, Val);

/* alike.c */
void find_alike(Emitter *); /* after find_moved_runs, ahead of find_pixels */
/* False: it is none of these, or not all lanes count: colour by colour. */
bool load_alike(Emitter *, Val at);
bool store_alike(Emitter *, Val at);

/* rare.c */
enum { MAX_RARE_INPUTS = 12 };     /* into and out of a rare path; a path with more is taken always */
void find_rare_choices(Emitter *); /* after find_alike */
bool is_rarely_needed(const Emitter *, Val);
bool emit_rare_choice(Emitter *, Val); /* false: it is none */

/* inside.c */
void find_inside(Emitter *);                /* after find_alike, find_moved_runs and find_pixels */
bool emit_body_inside(Emitter *, Val loop); /* false: it has no such indices */
/* Where all indices are inside: does the condition hold? */
bool holds_inside(const Emitter *, Val condition);
bool emit_known(Emitter *, Val);            /* false: it is computed */
bool is_loaded_ahead(const Emitter *, Val); /* an index */

/* streamed.c */
bool can_stream(const Emitter *, uint32_t lanes, uint32_t bytes);
/* Stores n vectors, past the caches if they lie right. alike: whole vectors lie between any two */
void stream_vectors(Emitter *, LLVMValueRef *value, LLVMValueRef *to, uint32_t n, uint32_t bytes, bool alike);
/* at the end of a kernel: what it streamed is there for who runs next */
void stream_fence(Emitter *, const Kernel *);

/* squares.c */
bool can_transpose(uint32_t lanes, uint32_t bytes);
/* of p vectors, blocks of p elements, at most 16 bytes: element c of all becomes that block of vector c */
void transpose_blocks(Emitter *, LLVMValueRef *v, uint32_t p);
/* lanes vectors, in place */
void transpose_registers(Emitter *, LLVMValueRef *v, uint32_t lanes, uint32_t bytes);

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

/* elementwise.c: one part. t is the type of the operands (of the last one for SELECT), to that of the
 * result. */
void emit_op(Emitter *, Val);
LLVMValueRef op_part(Emitter *, Op, DType t, DType to, LLVMValueRef a, LLVMValueRef b, LLVMValueRef c,
                     const int64_t *attr, unsigned flags);
LLVMValueRef op_compare(Emitter *, CompareDir, DType, LLVMValueRef a, LLVMValueRef b);
LLVMValueRef select_part(Emitter *, LLVMValueRef p, LLVMValueRef a, LLVMValueRef b);

/* arithmetic.c */
LLVMValueRef bits_and(Emitter *, LLVMValueRef a, LLVMValueRef b);
LLVMValueRef float_round(Emitter *, Op, LLVMValueRef a);
LLVMValueRef float_fma(Emitter *, LLVMValueRef a, LLVMValueRef b, LLVMValueRef c);
LLVMValueRef float_abs(Emitter *, LLVMValueRef a);
LLVMValueRef fma_by_ints(Emitter *, LLVMValueRef a, LLVMValueRef b, LLVMValueRef c); /* softfma.c */
/* a float's bits as ints of its width */
LLVMValueRef as_bits(Emitter *, LLVMValueRef a);
/* i32 and i64 to f32 and f64 */
LLVMValueRef as_float(Emitter *, LLVMValueRef bits);

/* extremes.c */
LLVMValueRef float_max_min(Emitter *, bool max, LLVMValueRef a, LLVMValueRef b);
/* the same, with fewer instructions, of two that are not NaN */
LLVMValueRef extreme_of_numbers(Emitter *, bool max, LLVMValueRef a, LLVMValueRef b);
/* fills is_inner */
void find_inner_extremes(Emitter *);
/* a maximum or minimum that is not of two values alone; false: it is */
bool emit_extreme_of_many(Emitter *, Val, Axes);
/* x86: the accumulator with one more value. The first NaN stays in it. changes: a mask, false where the value
 * is equal to the accumulator */
LLVMValueRef extreme_next(Emitter *, bool max, LLVMValueRef accumulator, LLVMValueRef x,
                          LLVMValueRef *changes);
/* Are maxima of many such values collected as an Extreme? */
bool extreme_is_collected(const Emitter *, Op, DType, uint32_t lanes);
/* of nothing yet, without a value; apart: not folded together with others */
Extreme extreme_begin(Emitter *, bool max, LLVMValueRef like, bool apart);
Extreme extreme_of_one(Emitter *, LLVMValueRef);
LLVMValueRef extreme_end(Emitter *, bool max, Extreme);
/* its steps: the value of two; all but the value, of two; the same, once per turn of a loop */
LLVMValueRef extreme_pick(Emitter *, bool max, LLVMValueRef a, LLVMValueRef b);
void extreme_look(Emitter *, bool max, Extreme *, const Extreme *);
void extreme_look_once(Emitter *, bool max, Extreme *, Extreme);
LLVMValueRef extreme_number(Emitter *, bool max, const Extreme *); /* where no NaN was met */
LLVMValueRef extreme_has_nan(Emitter *, const Extreme *);          /* a mask */

/* convert.c */
LLVMValueRef convert_part(Emitter *, DType from, DType to, LLVMValueRef a);
LLVMValueRef widen(Emitter *, DType narrow, LLVMValueRef bits); /* f16 or bf16 to f32, shared */
LLVMValueRef narrow(Emitter *, DType narrow, LLVMValueRef f32);

/* recipes.c */
/* made once per program; NULL: there is none */
/* Of statement s of k, on elements of t, or NULL. */
const Recipe *recipe_for(Emitter *, const Kernel *k, const Stmt *s, DType t);
/* Of the kernel: which recipes are functions. After find_axes. */
void count_copies(Emitter *);
/* What the statement writes out for each of its vectors; after count_copies. */
uint32_t steps_of(Emitter *, Val);
/* A recipe over n sets of parameters at once; params[i][k] is parameter i of set k. Writes out[n].
 * branch: guards may branch. */
void emit_recipe(Emitter *, const Recipe *, LLVMValueRef *const *params, uint32_t n, LLVMValueRef *out,
                 bool branch);

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
