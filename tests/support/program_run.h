/* program_run.h: a slow, obvious interpreter of fused programs: the oracle that tells a wrong fusion from
 * wrong code generation. Lanes and tiles are walked one index after the other; reductions fold in index
 * order. */
#ifndef WEFT_TESTS_PROGRAM_RUN_H
#define WEFT_TESTS_PROGRAM_RUN_H
#include "compiler/program/program.h"
/* False with a reason if the program reads or writes outside a buffer or breaks a rule of program.h. */
bool program_run(const Program *, const void *const *in, void *const *out, char *why, size_t size);
#endif
