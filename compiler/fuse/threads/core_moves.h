/* core_moves.h: what it costs to have from another core what that one has stored. */
#ifndef WEFT_THREADS_CORE_MOVES_H
#define WEFT_THREADS_CORE_MOVES_H
#include "compiler/program/program.h"
typedef struct CoreMoves CoreMoves;
/* Of a program whose kernels are complete. memory, by buffer: those with the same are one. */
CoreMoves *core_moves_new(Program *, const Target *, const uint32_t *memory);
/* In ns, of a kernel whose outermost loops are shared out in pieces. */
double core_moves_ns(CoreMoves *, const Kernel *);
#endif
