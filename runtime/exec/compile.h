/* compile.h: a graph in, loaded machine code out: the passes in order, the back end opened once, the object
 * loaded. The cache stands above it. */
#ifndef WEFT_EXEC_COMPILE_H
#define WEFT_EXEC_COMPILE_H
#include "runtime/process/backend_open.h"
#include "runtime/process/process.h"
#include "runtime/team/team.h"

typedef struct Code {
    EntryFn entry; /* NULL: there is no code, and why_not says why */
    const char *why_not;
    size_t scratch_bytes; /* 64-aligned memory that a run on one thread needs, */
    size_t local_bytes;   /* and each further thread (code_scratch) */
    size_t piece_stack;   /* what its functions take of the stack, with what they call in the library; */
    size_t stack_bytes;   /* with what hands pieces to threads: a run, at most */
    bool stays;           /* it calls functions of the user's, which stay on their caller's thread */
    Workers workers;      /* who runs its pieces, if nobody else is named: whoever compiled it says */
    const void *const *consts;
    uint32_t n_kernels;
    int8_t alias[64];    /* of the first 64 outputs: the donated input whose memory it may be given, or -1 */
    int64_t fused_bytes; /* Program.fused_bytes */
    size_t code_bytes;   /* memory held: pages of code and constants */
    double simplify_us, fuse_us, emit_us, codegen_us, load_us;
    void *pages;
    size_t pages_bytes;
} Code;

typedef struct CompileOptions {
    NumericMode mode;
    const Target *target;     /* NULL: the host */
    const char *dump_dir;     /* NULL, or the folder where each stage's text is written (WEFT_DUMP) */
    const char *name;         /* for dumps and perf; may be NULL */
    bool perf;                /* what is loaded is shown to perf (WEFT_PERF) */
    CompilerProcess *process; /* NULL: in this process */
    Workers workers;          /* who compiles parts of a large program side by side */
    bool code_or_fail;        /* what goes wrong there is a failure, rather than a Code without code */
    /* bit i: the memory of input i may be given to an output (Code.alias says to which) */
    uint64_t donated;
} CompileOptions;

/* Simplifies, fuses, emits, loads. NULL and f set: WEFT_COMPILER (no back end: says which file was tried),
 * WEFT_MEMORY. With a process the target must be given, and what cannot be compiled there is a Code that says
 * why, or a failure. The code holds no reference to the graph. No page is ever writable and executable. */
Code *compile_graph(const Graph *, const CompileOptions *, const Allocator *, Failure *f);
/* The same where the target is not known, for the reason that f says: a Code that says it, or NULL. */
Code *compile_without_target(const CompileOptions *, const Allocator *, Failure *f);
/* 64-aligned memory that a run with these workers needs. */
static inline size_t code_scratch(const Code *c, const Workers *w)
{
    return c->scratch_bytes + (size_t)(w->most - 1) * c->local_bytes;
}
void code_free(Code *, const Allocator *);
/* The machine that text names, as the back end sees it; process NULL: this process's.
 * False and f set if there is no back end, or no such machine. */
bool compile_target(const char *text, CompilerProcess *process, Target *, Failure *f);
#endif
