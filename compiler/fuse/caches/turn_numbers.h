/* turn_numbers.h: numbers that the turns of a loop hand to each other, as a time or the size of a step. */
#ifndef WEFT_CACHES_TURN_NUMBERS_H
#define WEFT_CACHES_TURN_NUMBERS_H
#include "compiler/program/program.h"
/* Each of them has an element for each turn from here on, so that turns that go together (turns.h) need not
 * wait for each other. By buffer: is it one of these? Of a program whose kernels are complete and whose
 * buffers have no offsets yet. */
const bool *turn_numbers_make(Program *);
#endif
