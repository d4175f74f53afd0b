/* tiling.h: where lanes and tiles go in a kernel: chosen by looking at the kernel as it comes out of the
 * plainest schedule. */
#ifndef WEFT_FUSE_TILING_H
#define WEFT_FUSE_TILING_H
#include "compiler/fuse/point/point.h"

/* The plainest: lanes along the innermost axis of the result; reductions outside of those lanes get lanes of
 * their own. */
Schedule schedule_plain(uint16_t lanes);
/* Tile of the innermost axis of an elementwise result (tiling_vectors.c). */
uint16_t schedule_tile(const Build *);
/* Tile of the axis around it, where its rows gather in the same places (tiling_vectors.c); else 1. */
uint16_t schedule_rows(const Build *);
/* Tile of the loops of a kernel that folds along its rows, where it may be less than eager mode's order asks
 * for (tiling_vectors.c). */
uint16_t schedule_few_sums(const Build *);
/* Registers that all values of a block would take. */
uint32_t schedule_values(const Build *, uint32_t block);

bool schedule_same(const Schedule *, const Schedule *);

/* Leaves to be read through copies. */
typedef struct Packings {
    Packing of[MAX_PACKED];
    uint32_t n;
} Packings;

/* A copy whose last axis is the one that this load moves along with the loop. False: no single one is. */
bool pack_by(Build *, const Access *, Val loop, Packing *);

/* As many tiles as `most` rows at once take, but of the same height: this one. */
uint16_t tiling_even(int64_t rows, uint16_t most);

bool is_product_of_loads(const Nest *, Val); /* two of them, multiplied as they are loaded */

/* For a large product, which is all that is summed: whole tiles of rows and columns, operands read from
 * panels. False: it is no such kernel. */
bool panels_choose(Build *, Val sum, Val rows, Val columns, double products, Schedule *, Packings *);

/* For sums in registers of which some operands move with the columns only: these are read from panels if as
 * they lie they fall into few places of the L1 cache. Changes the schedule, which has their tiles. False:
 * that does not pay. */
bool strips_choose(Build *, Val sum, Val rows, Val columns, double products, Schedule *, Packings *);

/* A better schedule for the kernel as it was built with this one. */
Schedule schedule_choose(Build *, Packings *);
/* How a fold's lanes lie along the last axis of the result, as the kernel was built plainly. */
typedef enum PlainLanes {
    LANES_USED,   /* nearly all are used, and read neighbours */
    LANES_WASTED, /* many are idle, or read elements apart from each other */
    LANES_NOWHERE /* the axis is shorter than SHORTEST_LANES */
} PlainLanes;
PlainLanes schedule_plain_lanes(const Build *);
/* Is the kernel, built with short axes written out and lanes across them, better so? Before, something was
 * folded (folds), and lanes lay so (plain). */
bool schedule_across_pays(Build *, bool folds, PlainLanes plain);
/* Do the copies that the kernel reads have an order that its loops can walk, as it was built now? */
bool packed_copies_hold(const Build *);
#endif
