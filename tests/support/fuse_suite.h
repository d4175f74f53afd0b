/* fuse_suite.h: for suites of fusion: graphs in few words; their fused programs, interpreted and compiled,
 * against eager mode. WEFT_SHOW in the environment prints each program. */
#ifndef WEFT_TESTS_FUSE_SUITE_H
#define WEFT_TESTS_FUSE_SUITE_H
#include "compiler/fuse/fuse.h"
#include "tests/support/graph_support.h"
#include "tests/graphs/graphs.h"
#include "tests/support/heap.h"
#include <criterion/criterion.h>

#define DIMS(...) \
    (const int64_t[]) { __VA_ARGS__ }
#define TYPE(t, ...) (Type){ t, (uint8_t)(sizeof(DIMS(0, __VA_ARGS__)) / 8 - 1), DIMS(0, __VA_ARGS__) + 1 }
#define F32(...)     TYPE(WEFT_F32, __VA_ARGS__)
#define I32(...)     TYPE(WEFT_I32, __VA_ARGS__)
static const Type f32 = { WEFT_F32, 0, NULL }, i32 = { WEFT_I32, 0, NULL };

/* A graph in an arena of its own, name##_arena. */
#define GRAPH(name) \
    Arena name##_arena; \
    arena_open(&name##_arena); \
    Graph *name = graph_new(&name##_arena, #name)
#define GIVES(name, ...) \
    graph_set_outputs(name, (Ref[]){ __VA_ARGS__ }, sizeof(Ref[]){ __VA_ARGS__ } / sizeof(Ref))

extern const Target wide; /* vectors of 64 bytes */
/* Bytes of the L2 cache that all is made for; 0: those of `wide`, or of this machine. */
extern uint32_t fuse_cache;
/* parallel_ns of the target; 0: no threads. */
extern uint32_t fuse_parallel;
/* The machine that code is made for; "host": this one. */
extern const char *fuse_target;
bool fuse_runs(const char *target); /* here */

/* The first function of a text. */
const Graph *fuse_parsed(Arena *, const char *text);
/* The text of a product, m x k by k x n, of operands that are converted before: the element types that each
 * has as a parameter and as an operand. */
typedef struct ConvertedProduct {
    const char *left[2], *right[2], *result;
    int m, n, k;
    bool turn_left, turn_right; /* it lies transposed */
} ConvertedProduct;
void fuse_product_text(char *text, size_t size, const ConvertedProduct *);
/* Fuses for `wide` in default mode and checks the program. The arena is opened here. */
Program *fused(Arena *, const Graph *);
/* Random inputs: floats in -2 .. 2, ints from least on, ints of them (a power of two). */
Values fuse_inputs(const Graph *, unsigned seed, int least, unsigned ints);
/* Fuses g, runs the program by the interpreter, compares; the number of kernels. */
uint32_t fuse_agrees(const char *what, const Graph *, NumericMode, const Values *in, const Values *want);
/* Compiles g for this machine and runs it, on scratch that is full of NaNs: its outputs. */
Values fuse_run(const char *what, const Graph *, const Target *, NumericMode, const Values *in);
/* Compiles and runs g: in strict mode the same bits, but for a NaN's; else nearly the same. */
void fuse_code_agrees(const char *what, const Graph *, NumericMode, const Values *in, const Values *want);
/* Both, in strict and in default mode, on three sets of inputs with small ints. */
void fuse_compare(const char *what, const Graph *);
#endif
