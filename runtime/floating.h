/* floating.h: weft computes in the default floating-point environment, whatever the caller's is.
 *
 * A host may round upward, flush subnormals to zero, or trap on exceptions. Each door of weft behind which arithmetic is done (an op,
 * a call of a transformed function, weft_run, text of numbers) sets the default for its thread: round to nearest, subnormals kept,
 * exceptions masked. On the way out the caller's environment is put back, its flags included. So results have the same bits everywhere,
 * and the recipes, whose constants and tricks are made for rounding to nearest, keep their bounds. Users' functions that weft calls run
 * in the environment of whoever called weft. Where the caller's is the default, nothing is written: two reads and comparisons.
 *
 * x86's is the MXCSR register, AArch64's FPCR. x87 is not used, but printf and strtod of glibc round as its control word says: print.c.
 */
#ifndef WEFT_RUNTIME_FLOATING_H
#define WEFT_RUNTIME_FLOATING_H
#include "context.h"

#if defined(__x86_64__)
#include <xmmintrin.h>
enum { FLOATING_DEFAULT = 0x1f80, FLOATING_FLAGS = 0x3f };
static inline uint32_t floating_read(void)       { return _mm_getcsr(); }
static inline void floating_write(uint32_t mode) { _mm_setcsr(mode); }
#elif defined(__aarch64__)
enum { FLOATING_DEFAULT = 0, FLOATING_FLAGS = 0 };
static inline uint32_t floating_read(void)       { uint64_t mode; __asm__ volatile("mrs %0, fpcr" : "=r"(mode)); return (uint32_t)mode; }
static inline void floating_write(uint32_t mode) { __asm__ volatile("msr fpcr, %0" :: "r"((uint64_t)mode)); }
#else   /* the caller's: weft has no code for such a machine, and is not tested there */
enum { FLOATING_DEFAULT = 0, FLOATING_FLAGS = 0 };
static inline uint32_t floating_read(void)       { return FLOATING_DEFAULT; }
static inline void floating_write(uint32_t mode) { (void)mode; }
#endif

static inline bool floating_is_default(uint32_t mode) { return (mode & ~(uint32_t)FLOATING_FLAGS) == FLOATING_DEFAULT; }

/* Doors nest: the outermost does it. */
static inline void floating_enter(void)
{
    if (thread.floating_depth++) return;
    thread.floating_outside = floating_read();
    if (!floating_is_default(thread.floating_outside)) floating_write(FLOATING_DEFAULT);
}

static inline void floating_leave(void)
{
    if (--thread.floating_depth) return;
    if (!floating_is_default(thread.floating_outside)) floating_write(thread.floating_outside);
}

/* Around a call of a user's function, which may call weft again, or change its own environment. */
static inline int floating_to_user(void)
{
    int depth = thread.floating_depth;
    thread.floating_depth = 1;
    floating_leave();
    return depth;
}

static inline void floating_from_user(int depth)
{
    floating_enter();
    thread.floating_depth = depth;
}
#endif
