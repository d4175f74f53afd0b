/* compile.h: a graph in, loaded machine code out: the passes in order, the back end opened once, the object loaded. The cache stands above it. */
#ifndef WEFT_RUNTIME_COMPILE_H
#define WEFT_RUNTIME_COMPILE_H
#include "compiler/fuse/program.h"

typedef struct Code {
    EntryFn entry;
    size_t scratch_bytes;           /* 64-aligned memory that a run needs */
    const void *const *consts;
    uint32_t n_inputs, n_outputs, n_kernels;
    int8_t alias[64];               /* of the first 64 outputs: the donated input whose memory it may be given, or -1 */
    int64_t fused_bytes;            /* Program.fused_bytes */
    size_t code_bytes;              /* memory held: pages of code and constants */
    double simplify_us, fuse_us, emit_us, optimize_us, codegen_us, load_us;
    void *pages; size_t pages_bytes;
} Code;

typedef struct CompileOptions {
    NumericMode mode;
    const Target *target;           /* NULL: the host */
    const char *dump_dir;           /* NULL, or the folder where each stage's text is written (WEFT_DUMP) */
    const char *name;               /* for dumps; may be NULL */
    uint64_t donated;               /* bit i: the memory of input i may be given to an output (Code.alias says to which) */
} CompileOptions;

/* Simplifies, fuses, emits, loads. NULL and f set: WEFT_COMPILER (no back end: says which file was tried), WEFT_MEMORY.
 * The code holds no reference to the graph. No page is ever writable and executable. */
Code *compile_graph(const Graph *, const CompileOptions *, const Allocator *, Failure *f);
void  code_free(Code *, const Allocator *);
/* The host as the back end sees it; false and f set if there is no back end. */
bool  compile_target(const char *text, Target *, Failure *f);
bool  backend_open(Failure *f);     /* opens it now rather than at the first compile */
#endif
