/* test_thread_locals.c: a program with large thread-local variables. glibc takes them from the stack of each
 * thread, of weft's own as well, so that this is a program by itself. */
#define _GNU_SOURCE
#include <stdlib.h>
#include <ucontext.h>
#include "tests/support/context_suite.h"

TestSuite(thread_locals, .init = need_backend);

static _Thread_local volatile char large[150 << 10];

static weft_array *spilling(weft_array *x, weft_array *y)
{
    for (int i = 0; i < 200; i++) x = weft_mul(weft_maximum(x, y), y);
    return weft_sum(x);
}

typedef weft_array *two_arrays(weft_array *, weft_array *);

static ucontext_t fiber, back;
static two_arrays *gradient;
static weft_array *x, *y, *result;

static void fiber_main(void) { result = gradient(x, y); }

/* The code's frames take 29 KiB, and so it runs on a stack of weft's own. */
Test(thread_locals, code_on_a_fiber)
{
    enum { BYTES = 64 << 10 };
    void *stack = malloc(BYTES);
    ctx = weft_open(NULL);
    large[0] = 1;
    weft_declare(ctx, spilling, weft_binary);
    gradient = weft_jit(ctx, weft_grad(ctx, weft_binary, spilling, "y"));
    x = weft_ones(ctx, WEFT_F32, 1024);
    y = weft_ones(ctx, WEFT_F32, 1024);
    cr_assert(gradient(x, y), "%s", weft_error(ctx));
    getcontext(&fiber);
    fiber.uc_stack = (stack_t){ .ss_sp = stack, .ss_size = BYTES };
    fiber.uc_link = &back;
    makecontext(&fiber, fiber_main, 0);
    swapcontext(&back, &fiber);
    cr_expect(result, "%s", weft_error(ctx));
    weft_close(ctx);
    free(stack);
}
