/* process.h: the compiler back end in a process of its own, for contexts with compile_apart.
 *
 * LLVM ends the process that it runs in when memory runs out, so here it runs in another one,
 * weft-compile, which stands beside the back end. It is started at the first compile, is no child of this
 * process, limits its own memory, answers one question after the other, and ends with the context, or with
 * this process. The fused program goes there in one block (program_pack), object bytes come back: this
 * process never maps LLVM. When the compiler process ends, hangs or gives nonsense it is put an end to, the
 * compile has failed, and the next one starts another.
 *
 * Any thread may ask; one at a time is answered. A child that was forked starts a process of its own. No
 * lock is held while memory of the arena is taken.
 */
#ifndef WEFT_PROCESS_PROCESS_H
#define WEFT_PROCESS_PROCESS_H
#include "compiler/backend.h"
#include "runtime/memory/memory.h"

typedef struct CompilerProcess CompilerProcess;

/* Limits: bytes beyond what LLVM itself takes, seconds for each question; 0: 2 GiB, 60 s. Starts nothing
 * yet. NULL: out of memory. */
CompilerProcess *process_new(Memory *, size_t memory, double seconds);
void process_free(Memory *, CompilerProcess *); /* NULL: nothing */

/* As the back end's functions of these names. Besides, false and f set (WEFT_COMPILER): the process
 * cannot be started, or did not answer as it should. The output is the caller's: backend_release. */
bool process_target(CompilerProcess *, const char *text, Target *, Failure *f);
bool process_compile(CompilerProcess *, Arena *, const Program *, const Target *, unsigned also,
                     int64_t threads, BackendOutput *, Failure *f);
void process_forked(CompilerProcess *); /* in a forked child: it is the parent's */
/* Could one be started, of this build? What goes wrong with it is then no fault of the installation. */
bool process_installed(const CompilerProcess *);
#endif
