/* floating.h: weft computes in the default floating-point environment, whatever the caller's is.
 *
 * A host may round upward, flush subnormals to zero, or trap on exceptions. Each door of weft behind which
 * arithmetic is done (an op, a call of a transformed function, weft_run) sets the default for its thread:
 * round to nearest, subnormals kept, exceptions masked. On the way out the caller's environment is put back,
 * its flags included. So results have the same bits everywhere, and the recipes, which are made for rounding
 * to nearest, keep their bounds. Users' functions that weft calls run in the environment of whoever called
 * weft. Where the caller's is the default, all this is one read and two comparisons.
 *
 * x86's is the MXCSR register, AArch64's FPCR. weft does not use x87, but glibc's printf and strtod round as
 * its control word says: print_array.c sets that too.
 */
#ifndef WEFT_MEMORY_FLOATING_H
#define WEFT_MEMORY_FLOATING_H
#include "context.h"

#if defined(__x86_64__)
#include <xmmintrin.h>
enum { FLOATING_DEFAULT = 0x1f80, FLOATING_FLAGS = 0x3f };
static inline uint32_t floating_read(void) { return _mm_getcsr(); }
static inline void floating_write(uint32_t mode) { _mm_setcsr(mode); }
#elif defined(__aarch64__)
enum { FLOATING_DEFAULT = 0, FLOATING_FLAGS = 0 };
static inline uint32_t floating_read(void)
{
    uint64_t mode;
    __asm__ volatile("mrs %0, fpcr" : "=r"(mode));
    return (uint32_t)mode;
}
static inline void floating_write(uint32_t mode) { __asm__ volatile("msr fpcr, %0" ::"r"((uint64_t)mode)); }
#else /* the caller's: weft has no code for such a machine, and is not tested there */
enum { FLOATING_DEFAULT = 0, FLOATING_FLAGS = 0 };
static inline uint32_t floating_read(void) { return FLOATING_DEFAULT; }
static inline void floating_write(uint32_t mode) { (void)mode; }
#endif

static inline bool floating_is_default(uint32_t mode)
{
    return (mode & ~(uint32_t)FLOATING_FLAGS) == FLOATING_DEFAULT;
}

/* Returns the mode found, which is for floating_leave. Doors nest: an inner one finds the default. */
static inline uint32_t floating_enter(void)
{
    uint32_t mode = floating_read();
    if (floating_is_default(mode)) return mode;
    thread.floating = mode;
    floating_write(FLOATING_DEFAULT);
    return mode;
}

/* With thread.floating as the mode: to a user's function, after which comes floating_enter. */
static inline void floating_leave(uint32_t mode)
{
    if (floating_is_default(mode)) return;
    floating_write(mode);
    thread.floating = FLOATING_DEFAULT;
}
#endif
