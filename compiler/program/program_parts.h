/* program_parts.h: what program.c and program_steps.c share. */
#ifndef WEFT_PROGRAM_PROGRAM_PARTS_H
#define WEFT_PROGRAM_PROGRAM_PARTS_H
#include <string.h>
#include "compiler/graph/foreign_op.h"
#include "compiler/text/text.h"
#include "program.h"

typedef struct Printer {
    Text text;
    const Program *program;
    const Kernel *kernel;
    int depth;
} Printer;

void program_indent(Printer *);
void program_print_buffer(Printer *, uint32_t buffer);
void program_print_kernel(Printer *, const Kernel *);
void program_print_steps(Printer *); /* all kernels, in the steps around them */
bool program_check_steps(Arena *, const Program *, Failure *);
#endif
