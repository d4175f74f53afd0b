/* stack.h: the stack of the running thread, and a larger one for what needs it. */
#ifndef WEFT_MEMORY_STACK_H
#define WEFT_MEMORY_STACK_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What weft's own code takes of it at most: to walk over a struct, read a file or write numbers; to make an
 * op of its operands; to call what is compiled, or say why not; to trace a call, beside what the user's
 * functions take; to make a function or describe a struct; to find an op's type and run it by eager's
 * kernels. */
enum {
    STACK_WALK = 9 << 10,
    STACK_OP = 11 << 10,
    STACK_CALL = 14 << 10,
    STACK_TRACE = 40 << 10,
    STACK_MAKE = 64 << 10,
    STACK_EAGER = 160 << 10
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
/* Is there so much for certain? On another stack nobody knows. */
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
