/* alias.h: which outputs may be computed in the memory of inputs that the caller gives up. */
#ifndef WEFT_COMPILER_ALIAS_H
#define WEFT_COMPILER_ALIAS_H
#include "program.h"
/* donated: bit i is set if the memory of input i may be overwritten. Sets Buffer.alias of outputs where every element is read, if at all, before it is written. */
void alias_outputs(Program *, uint64_t donated);
#endif
