/* threefry.h: the Threefry-2x32 block function, 20 rounds, of 32-bit words: what JAX's and StableHLO's random
 * bits are made of (Salmon, Moraes, Dror and Shaw, "Parallel random numbers: as easy as 1, 2, 3").
 *
 * Written once over a world: the graph's nodes here, array handles in the runtime. All is elementwise in the
 * counters, so it fuses into whatever uses it.
 */
#ifndef WEFT_SCALAR_THREEFRY_H
#define WEFT_SCALAR_THREEFRY_H
#include "compiler/graph/graph.h"

typedef uintptr_t ThreefryWord; /* a value of the world: u32, of rank 0 or of the counters' shape */

typedef struct ThreefryWorld {
    void *self;
    ThreefryWord (*number)(void *self, uint32_t);                       /* rank 0 */
    ThreefryWord (*binary)(void *self, Op, ThreefryWord, ThreefryWord); /* equal shapes */
    /* a rank-0 word in the shape of like */
    ThreefryWord (*spread)(void *self, ThreefryWord word, ThreefryWord like);
} ThreefryWorld;

/* x: two words of counters in, two words of random bits out. key: rank 0, or of the counters' shape. */
void threefry_rounds(const ThreefryWorld *, const ThreefryWord key[2], ThreefryWord x[2]);
/* The same on nodes. REF_NONE in gives REF_NONE out. */
void threefry_graph(Graph *, const Ref key[2], const Ref counter[2], Ref out[2]);
/* The same on numbers: n blocks, in place. */
void threefry_words(const uint32_t key[2], uint32_t *x0, uint32_t *x1, int64_t n);
#endif
