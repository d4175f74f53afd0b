/* frames.h: how much of a stack the functions of a module take. LLVM says it of each while it makes machine
 * code, in a warning that function_attributes asks for; along calls it is added up. */
#ifndef WEFT_LLVM_FRAMES_H
#define WEFT_LLVM_FRAMES_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "compat.h"

struct Emitter;

typedef struct Frame {
    LLVMValueRef function;
    size_t bytes, depth; /* its own; with those of its callers */
    bool is_known;       /* LLVM has said it */
} Frame;

typedef struct Frames {
    LLVMModuleRef module;
    Frame *frame; /* of each function that the module defines, by address */
    uint32_t n;   /* 0: not opened */
} Frames;

void frames_open(Frames *, struct Emitter *);
/* One of LLVM's warnings, whatever it is about; it is written into. */
void frames_note(Frames *, char *warning);
/* After the machine code: what a run of any function takes. False: LLVM has not told of all. */
bool frames_depth(Frames *, size_t *depth);
#endif
