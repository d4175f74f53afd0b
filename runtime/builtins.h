/* builtins.h: weft's own functions, declared in every context, so that weft_jit(ctx, weft_tanh) works. */
#ifndef WEFT_RUNTIME_BUILTINS_H
#define WEFT_RUNTIME_BUILTINS_H
#include "runtime/call/fn.h"

extern const Builtin builtins[]; /* the last has no name */
#endif
