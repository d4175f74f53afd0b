/* stack.h: the stack of the running thread, and a larger one for what needs it. */
#ifndef WEFT_MEMORY_STACK_H
#define WEFT_MEMORY_STACK_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The most stack that weft's own code takes. */
enum {
    STACK_WALK = 9 << 10,     /* to walk over a struct, read a file or print numbers */
    STACK_OP = 11 << 10,      /* to make an op from its operands */
    STACK_CALL = 14 << 10,    /* to call compiled code, or report why it cannot be called; of that, */
    STACK_CODE = 4 << 10,     /* for the code itself: every stack has so much for it (exec/code_run.h) */
    STACK_WORKERS = 24 << 10, /* to hand pieces to a team's threads, or to a host's pool of 256 */
    STACK_FRAME = 5 << 10,    /* of code_run's caller, scratch memory included: stack_left does not see it */
    STACK_RUN = 1 << 10,      /* between a look at the stack and the code; to hand a team its pieces (0.5) */
    STACK_TRACE = 40 << 10,   /* to trace a call, without what the user's functions take */
    STACK_MAKE = 64 << 10,    /* to make a function or describe a struct */
    STACK_EAGER = 160 << 10   /* to infer an op's type and run it by eager's kernels */
};

/* The running thread's, as the system gave it; size 0: stack_ask was not called on this thread yet. */
typedef struct Stack {
    uintptr_t end;
    size_t size;
} Stack;
extern _Thread_local Stack stack_here;
void stack_ask(void); /* once in a thread is enough; reads a file on the first thread */
/* Bytes between here and its end; very many on another stack, as fibers have. */
static inline size_t stack_left(void) { return (uintptr_t)__builtin_frame_address(0) - stack_here.end; }
/* True: there is certainly so much. On a stack that is not the thread's own nobody knows. */
static inline bool stack_has(size_t need)
{
    size_t left = stack_left();
    return left >= need && left < stack_here.size;
}
#define STACK_NONE  "this thread has little stack left, and another of %d KiB could not be started"
#define STACK_SHORT "this thread has %zu KiB of stack left, and this takes up to %d"

/* work(user) on a stack of at least `need` bytes: this thread's own, or else that of a new thread, which this
 * one waits for. False: none could be started. */
bool stack_call(size_t need, void (*work)(void *user), void *user);
#endif
