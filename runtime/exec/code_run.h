/* code_run.h: compiled code is run, on a stack that has room for it. */
#ifndef WEFT_EXEC_CODE_RUN_H
#define WEFT_EXEC_CODE_RUN_H
#include "compile.h"
#include "runtime/memory/stack.h"

/* As code_run, where this thread's stack has certainly no room, or nobody knows. */
bool code_run_apart(const Code *, const void *const *in, void *const *out, void *scratch, const Workers *,
                    bool stays);

/* On this thread, or, if its stack is too small, on another one that this one waits for; not with the host's
 * pool, which is for threads that call weft. On a fiber nobody knows what there is: what takes no more than
 * every stack has runs there, the rest on another thread. What stays on its thread, because the caller says
 * so or the code calls functions of the user's, is refused if it has no room there.
 * False: nothing was run, CODE_SHORT says why. */
static inline bool code_run(const Code *c, const void *const *in, void *const *out, void *scratch,
                            const Workers *w, bool stays)
{
    if (c->stack_bytes > STACK_CODE && !stack_has(c->stack_bytes + STACK_FRAME))
        return code_run_apart(c, in, out, scratch, w, stays);
    c->entry(in, out, scratch, c->consts, w);
    return true;
}
#define CODE_SHORT \
    "this thread has too little stack left for its code, which takes %zu KiB, and no other one can run it"
#endif
