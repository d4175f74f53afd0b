/* threefry.h: the Threefry-2x32 block function, 20 rounds, of 32-bit words: what JAX's and StableHLO's random
 * bits are made of (Salmon, Moraes, Dror and Shaw, "Parallel random numbers: as easy as 1, 2, 3").
 * All is elementwise in the counters, so it fuses into whatever uses it.
 */
#ifndef WEFT_SCALAR_THREEFRY_H
#define WEFT_SCALAR_THREEFRY_H
#include "compiler/graph/graph.h"

/* Adds the nodes of the random bits, two words, for two words of counters. All are u32; key is of rank 0,
 * or of the counters' shape. REF_NONE in gives REF_NONE out. */
void threefry_graph(Graph *, const Ref key[2], const Ref counter[2], Ref out[2]);
/* The same on numbers: n blocks, in place. */
void threefry_words(const uint32_t key[2], uint32_t *x0, uint32_t *x1, int64_t n);
#endif
