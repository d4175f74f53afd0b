/* stack.h: the stack of the running thread, and a larger one for what needs it. */
#ifndef WEFT_RUNTIME_STACK_H
#define WEFT_RUNTIME_STACK_H
#include <stdbool.h>
#include <stddef.h>

/* What weft's own code takes of it at most: to trace a call, beside what the user's functions take; to run an op by eager's kernels. */
enum { STACK_TRACE = 40 << 10, STACK_EAGER = 112 << 10 };

/* Bytes between here and the end of this thread's stack; 0: it runs on one that the system knows nothing of, as fibers do. */
size_t stack_left(void);
/* Less than that is left, as far as is known. */
static inline bool stack_short(size_t need)
{
    size_t left = stack_left();
    return left && left < need;
}
#define STACK_SHORT     "this thread has %zu KiB of stack left, and this takes up to %d"
/* work(user) on a stack of at least `need` bytes: this thread's, or else that of a new thread, which this one waits for. False: none could be started. */
bool   stack_call(size_t need, void (*work)(void *user), void *user);
#endif
