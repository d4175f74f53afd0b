/* program_code.h: machine code of programs written by hand, compared with the interpreter of programs on
 * every target that this machine can run. */
#ifndef WEFT_TESTS_PROGRAM_CODE_H
#define WEFT_TESTS_PROGRAM_CODE_H
#include "compiler/backend.h"
#include "tests/support/programs.h"

enum { CODE_TARGETS = 4 };
extern const char *const code_targets[CODE_TARGETS];

Arena *code_arena(void); /* empty; freed by its user */
const Backend *code_backend(void);
bool code_can_run(const char *target);
int code_lanes(const char *target); /* f32 in a vector */
uint64_t code_random(void);
bool code_same(DType, uint64_t a, uint64_t b); /* the same bits, or two NaNs */

BackendOutput code_compile(const Program *, const char *target); /* checked and verified, or the test fails */
/* the first undefined symbol, NULL if there is none */
const char *code_undefined(const BackendOutput *);
void code_run(const BackendOutput *, const Program *, const void *const *in, void *const *outs);

/* make writes the program for vectors of this many f32. Compiles it for all targets, runs what can run on
 * random inputs and compares all outputs bit for bit. Inputs have few bits, so that sums come out the same in
 * any order, unless code_full_bits is set. */
extern bool code_full_bits;
void code_check(void make(ProgramBuilder *, int lanes));
#endif
