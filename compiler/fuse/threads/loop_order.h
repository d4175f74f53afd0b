/* loop_order.h: which of two loops threads share. */
#ifndef WEFT_THREADS_LOOP_ORDER_H
#define WEFT_THREADS_LOOP_ORDER_H
#include "compiler/program/program.h"
/* Of a kernel that is one loop of a single step around another, longer one, the two change places, so that
 * pieces can be made of the longer one. memory: of program_memories. */
void longer_loop_first(Arena *, const uint32_t *memory, Kernel *);
#endif
