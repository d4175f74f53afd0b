/* test_cut_parts.c: programs of more ops than a kernel may have, which are computed part by part
 * (compiler/fuse/fuse_memory.c), give the bits of eager mode. */
#include "tests/support/context_suite.h"
#include <string.h>

enum { ALIVE = 300, OPS = 2600, ELEMENTS = 100 };

static uint32_t state;
static int below(int n)
{
    state = state * 1664525 + 1013904223;
    return (int)((state >> 8) % (uint32_t)n);
}

/* How the program that runs goes on. */
static struct Way {
    int recent; /* one in so many operands is the last value: chains */
    int folds;  /* one in so many values is moved by the greatest of another's elements, which has memory */
} now;

static weft_array *one_of(weft_array *const *x, int i)
{
    return now.recent && below(now.recent) == 0 ? x[(i + ALIVE - 1) % ALIVE] : x[below(ALIVE)];
}

/* Each of two of the last values, whichever. */
static weft_array *shared(weft_array *first)
{
    weft_array *x[ALIVE];
    state = 1;
    for (int i = 0; i < ALIVE; i++) x[i] = i < 9 ? weft_add(first, i) : x[i % 9];
    for (int i = 0; i < OPS; i++) {
        weft_array *a = one_of(x, i), *b = one_of(x, i);
        if (now.folds && i % now.folds == 0) b = weft_max(b);
        x[i % ALIVE] = i % 4 == 0   ? weft_sub(a, b)
                       : i % 4 == 1 ? weft_maximum(a, b)
                       : i % 4 == 2 ? weft_mul(weft_add(a, b), 0.5)
                                    : weft_minimum(a, b);
    }
    for (int i = 1; i < ALIVE; i++) x[i] = weft_add(x[i], x[i - 1]);
    return weft_stack_arrays(0, x[ALIVE - 1], x[ALIVE / 2], x[1]);
}

static void open_strict(void)
{
    ctx = weft_open(&(weft_options){ .mode = WEFT_MODE_STRICT });
    need_backend();
    weft_declare(ctx, shared, weft_unary);
}

TestSuite(cut_parts, .init = open_strict, .fini = close_context_without_error);

Test(cut_parts, give_the_bits_of_eager_mode)
{
    static const struct Way ways[] = { { 0, 0 }, { 2, 0 }, { 0, 100 }, { 4, 40 } };
    for (size_t k = 0; k < sizeof ways / sizeof *ways; k++) {
        now = ways[k];
        float data[ELEMENTS];
        int64_t n = ELEMENTS;
        for (int i = 0; i < ELEMENTS; i++) data[i] = (float)below(2000) / 7 - 100;
        weft_array *x = weft_from_shape(ctx, WEFT_F32, data, 1, &n), *y = weft_jit(ctx, shared)(x),
                   *want = shared(x);
        cr_assert(y && want, "%s", weft_error(ctx));
        size_t bytes = (size_t)weft_count(want) * sizeof(float);
        cr_expect(!memcmp(weft_data(y), weft_data(want), bytes), "way %zu", k);
        close_context();
        open_strict();
    }
}
