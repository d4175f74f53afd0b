/* programs.h: fused programs written by hand, for tests of what comes after fuse. One call a statement, in
 * program.h's order:
 *
 *     ProgramBuilder b;
 *     program_begin(&b, arena, MODE_DEFAULT);
 *     uint32_t x = program_buffer(&b, BUF_INPUT, WEFT_F32, 1000);
 *     uint32_t y = program_buffer(&b, BUF_OUTPUT, WEFT_F32, 1000);
 *     Val i = put_loop(&b, 1000, 16, 2);
 *     put_store(&b, y, AT(0, { i, 1 }), put_unary(&b, OP_NEG, put_load(&b, x, AT(0, { i, 1 }))));
 *     put_end(&b, i);
 */
#ifndef WEFT_TESTS_PROGRAMS_H
#define WEFT_TESTS_PROGRAMS_H
#include "compiler/backend.h"

typedef struct ProgramBuilder {
    Arena *arena;
    Program *program;
    Kernel *kernel; /* the newest one */
    uint32_t cap_stmts;
} ProgramBuilder;

#define AT(offset, ...) \
    offset, (const Term[]){ __VA_ARGS__ }, (uint32_t)(sizeof((const Term[]){ __VA_ARGS__ }) / sizeof(Term))
#define AT_ONLY(offset) offset, NULL, 0

/* with one kernel, "k0"; of a program with steps it is the first step */
void program_begin(ProgramBuilder *, Arena *, NumericMode);
void program_kernel(ProgramBuilder *, const char *name);
/* inputs and outputs are numbered in order; scratch is laid out */
uint32_t program_buffer(ProgramBuilder *, BufferKind, DType, int64_t count);
uint32_t program_const(ProgramBuilder *, DType, int64_t count, const void *data);

Stmt *put_stmt(ProgramBuilder *, StmtKind); /* the newest statement, to be filled in further */
Val put_loop(ProgramBuilder *, int64_t extent, int lanes, int tile);
void put_end(ProgramBuilder *, Val loop);
Val put_const(ProgramBuilder *, DType, double v);
Val put_index(ProgramBuilder *, DType, int64_t offset, const Term *, uint32_t n);
Val put_load(ProgramBuilder *, uint32_t buffer, int64_t offset, const Term *, uint32_t n);
Val put_load_masked(ProgramBuilder *, Val mask, uint32_t buffer, int64_t offset, const Term *, uint32_t n);
void put_store(ProgramBuilder *, uint32_t buffer, int64_t offset, const Term *, uint32_t n, Val value);
void put_store_masked(ProgramBuilder *, Val mask, uint32_t buffer, int64_t offset, const Term *, uint32_t n,
                      Val value);
Val put_op(ProgramBuilder *, Op, DType result, Val a, Val b, Val c);
Val put_compare(ProgramBuilder *, CompareDir, Val a, Val b);
Val put_unary(ProgramBuilder *, Op, Val a); /* result of the operand's type */
Val put_binary(ProgramBuilder *, Op, Val a, Val b);
Val put_reducer(ProgramBuilder *, Op, DType);
Val put_arg_reducer(ProgramBuilder *, Op, DType, DType index);
void put_fold(ProgramBuilder *, Val reducer, Val value, Val index);
Val put_total(ProgramBuilder *, Val reducer);
Val put_carry(ProgramBuilder *, Val start);
void put_set(ProgramBuilder *, Val carry, Val value);
Val put_while(ProgramBuilder *);
void put_test(ProgramBuilder *, Val test);
Val put_prefix(ProgramBuilder *, Val reducer, Val value);
Val put_counter(ProgramBuilder *, uint32_t counter);

/* Steps. What opens is named by its step's number. */
/* the newest step's number; to be filled in further */
uint32_t put_step(ProgramBuilder *, StepKind);
void put_step_kernel(ProgramBuilder *, const char *name); /* a kernel that begins here, and its step */
/* EXTENT_WHILE: a WHILE. Counters are numbered in order */
uint32_t put_step_loop(ProgramBuilder *, int64_t extent);
void put_step_test(ProgramBuilder *, uint32_t opened, uint32_t buffer);
uint32_t put_step_case(ProgramBuilder *, uint32_t buffer, int64_t branches);
void put_step_branch(ProgramBuilder *, uint32_t opened);
void put_step_end(ProgramBuilder *, uint32_t opened);
void put_step_swap(ProgramBuilder *, uint32_t buffer, uint32_t other);
void put_step_call(ProgramBuilder *, Library, const uint32_t *buffers, uint32_t n_buffers,
                   const int64_t *numbers, uint32_t n_numbers);

/* Their machine code, compared with the interpreter of programs on every target that this machine can run. */

enum { CODE_TARGETS = 4 };
extern const char *const code_targets[CODE_TARGETS];

Arena *code_arena(void); /* empty; freed by its user */
const Backend *code_backend(void);
bool code_can_run(const char *target);
int code_lanes(const char *target); /* f32 in a vector */
uint64_t code_random(void);
bool code_same(DType, uint64_t a, uint64_t b); /* the same bits, or two NaNs */

/* How often these words stand in the assembly of what make writes for the target. */
int code_count(const char *target, void make(ProgramBuilder *, int lanes), const char *const *words,
               size_t n);

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
