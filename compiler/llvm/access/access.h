/* access.h: loads and stores, each in the way that its lanes lie in memory.
 *
 *   load.c store.c  which of the ways below; access.c: what they share; address.c: addresses
 *   masked.c        vectors under a mask, gathers
 *   strided.c       vectors of every second, third ... element
 *   squares.c       squares of registers
 *   tables.c        tables that fit into registers
 *   row_stores.c    stores of rows by lanes that go across them
 *   woven.c         stores whose elements lie between each other's
 *   moves.c         runs of neighbours that are only moved
 *   pixels.c        neighbours of which something is computed
 *   alike.c         neighbours of all of which the same is computed
 *   taps.c          vectors of a row that lie across each other
 *   walks.c         lanes that walk along rows of memory
 *   streamed.c      stores past the caches
 *   ahead.c         loads that fetch what they read next
 *   next_panel.c    loads of a large product's panel that fetch the next one
 */
#ifndef WEFT_LLVM_ACCESS_H
#define WEFT_LLVM_ACCESS_H
#include "compiler/llvm/emit.h"

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

/* address.c, access.c, load.c, store.c */
LLVMValueRef at_bytes(Emitter *, LLVMValueRef pointer, int64_t bytes); /* so much further */
bool is_large(const Emitter *, uint32_t buffer);            /* does this core's cache not hold it? */
void fetch_line(Emitter *, LLVMValueRef at, bool to_write); /* the line is on its way when it is needed */
void emit_load(Emitter *, Val);
void emit_store(Emitter *, Val);
void emit_fetch(Emitter *, Val);
void emit_index(Emitter *, Val);
bool is_free(const Emitter *, Val mask); /* does an access's mask say nothing here? */
/* Is anything between these statements stored into the buffer's memory? */
bool is_stored(const Emitter *, uint32_t buffer, Val from, Val to);
LLVMValueRef from_memory(Emitter *, Val load, LLVMValueRef); /* bool: bytes */
LLVMValueRef to_memory(Emitter *, DType, LLVMValueRef);
/* of part 0, as far as the loops that are open tell */
LLVMValueRef address_of_load(Emitter *, const Stmt *);
/* of the part's first lane, but for what data adds in each lane; and that, in elements, with the distance of
 * the lanes (NULL: no data does); and the axes of all */
LLVMValueRef address_of_part(Emitter *, const Stmt *, Axes, uint32_t part);
LLVMValueRef offsets_by_data(Emitter *, const Stmt *, Axes, uint32_t part);
Axes axes_of_address(Emitter *, const Stmt *);
/* At the end of a loop's iteration: what its addresses move by is as much further. */
void scaled_indices_advance(Emitter *, const OpenLoop *, int64_t step);
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
/* How many lanes a constant mask lets through, if these are the first ones; else 0. */
uint32_t first_lanes(LLVMValueRef mask);
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
/* Element `number` of each; of the first `live`, and 0 behind them. */
LLVMValueRef load_of_rows(Emitter *, LLVMTypeRef, LLVMValueRef rows, int64_t length, int64_t number,
                          uint32_t lanes, uint32_t live, uint32_t bytes);
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
bool store_woven(Emitter *, const Woven *); /* false: one by one */
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

/* ahead.c */
void find_ahead(Emitter *); /* after find_alike and find_pixels */
void fetch_ahead(Emitter *, const Stmt *load);

/* next_panel.c */
void fetch_next_panel(Emitter *, const Stmt *load);

/* alike.c */
void find_alike(Emitter *); /* after find_moved_runs, ahead of find_pixels */
/* False: it is none of these, or not all lanes count: colour by colour. */
bool load_alike(Emitter *, Val at);
bool store_alike(Emitter *, Val at);

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
#endif
