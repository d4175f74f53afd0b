/* address.h: addresses, for those that load and store. */
#ifndef WEFT_LLVM_ADDRESS_H
#define WEFT_LLVM_ADDRESS_H
#include "access.h"

typedef struct AccessPlace {
    LLVMValueRef pointer; /* what is common to all parts; not yet moved by offset */
    int64_t offset;       /* elements */
    uint32_t bytes;       /* of an element */
    Axes axes;            /* of the address */
    int64_t lane_stride;
    bool indirect_lanes; /* an integer value among the terms varies with the lanes */
    const Address *address;
} AccessPlace;

/* address.c */
AccessPlace place_of(Emitter *, const Stmt *);
/* The address of a part's first lane, but for indirect terms that vary with the lanes; these, in elements. */
LLVMValueRef part_place(Emitter *, const AccessPlace *, Axes, uint32_t part);
/* So many bytes into a buffer, and so many more for each index of the open loops, by depth. */
LLVMValueRef place_by_loops(Emitter *, uint32_t buffer, int64_t offset, const int64_t *by);
LLVMValueRef lane_offsets(Emitter *, const AccessPlace *, const Buffer *, Axes, uint32_t part);
int64_t tile_offset(const Emitter *, const Address *, Axes, uint32_t part);
int64_t coef_of_depth(const Emitter *, const Address *, int depth);
bool is_loop(const Emitter *, Val);
bool is_always_inside(const Emitter *, const Stmt *);
LLVMValueRef beside_buffer(Emitter *, const Stmt *, Val mask, LLVMValueRef at, uint32_t bytes,
                           uint32_t lanes);

/* access.c */
LLVMValueRef access_mask(Emitter *, Val given, bool is_inside, Axes, uint32_t part);
LLVMValueRef reversed(Emitter *, LLVMValueRef);
/* Where the parts of one square are: part numbers along the tile, and how many rows (lanes) count. */
typedef struct Square {
    uint32_t part[64], n, rows;
} Square;
int square_depth(Emitter *, const AccessPlace *, Axes, bool is_masked);
bool square_at(const Emitter *, Axes, uint32_t first, int depth, Square *);

/* store.c */
void store_first(Emitter *, LLVMValueRef value, LLVMValueRef to, uint32_t bytes);
Axes store_axes(Emitter *, const Stmt *, const AccessPlace *); /* of all operands */

/* row_stores.c */
bool store_in_rows(Emitter *, Val at, const AccessPlace *);
#endif
