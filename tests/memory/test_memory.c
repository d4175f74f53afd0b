/* test_memory.c: recycled blocks: what is kept, what goes back, where blocks begin. */
#include <criterion/criterion.h>
#include "runtime/memory/memory.h"

#define MB ((size_t)1 << 20)

static void take_and_free(Memory *m, size_t bytes, int times)
{
    for (int i = 0; i < times; i++) {
        size_t capacity;
        void *p = memory_block(m, bytes, &capacity);
        cr_assert(p && capacity >= bytes);
        memory_block_free(m, p, capacity);
    }
}

/* Takes n blocks, all at once, and frees them. Nothing but their heads is touched. */
static void hold(Memory *m, size_t bytes, int n)
{
    void *p[n];
    size_t capacity;
    for (int i = 0; i < n; i++) cr_assert(p[i] = memory_block(m, bytes, &capacity));
    for (int i = 0; i < n; i++) memory_block_free(m, p[i], capacity);
}

/* What a program holds time and again is kept, however much it is. */
Test(memory, keeps_what_programs_use)
{
    Memory m;
    memory_init(&m, NULL, 0, 0);
    hold(&m, 400 * MB, 5);
    size_t held = m.held, made = m.made;
    cr_expect_geq(m.recycled, 2000 * MB);
    for (int i = 0; i < 20; i++) hold(&m, 400 * MB, 5);
    cr_expect_eq(m.made, made, "%zu blocks more", (size_t)m.made - made);
    cr_expect_eq(m.held, held);
    memory_close(&m);
    cr_expect_eq(m.held, 0);
}

/* Sizes that are not used again give way to those that are, within what was in use at once. */
Test(memory, keeps_no_more_than_was_in_use)
{
    Memory m;
    memory_init(&m, NULL, 0, 0);
    for (size_t i = 0; i < 16; i++) take_and_free(&m, (300 + 80 * i) * MB, 1);
    cr_expect_leq(m.held, m.most[0] + 1 * MB, "%zu MB", m.held / MB);
    memory_close(&m);
}

/* What is not used any more goes back, whether large arrays or small ones are in use. */
static void forgets(size_t bytes, int times)
{
    Memory m;
    memory_init(&m, NULL, 0, 0);
    hold(&m, 400 * MB, 5);
    take_and_free(&m, bytes, times);
    cr_expect_leq(m.held, 512 * MB, "%zu MB after arrays of %zu bytes", m.held / MB, bytes);
    memory_close(&m);
}

Test(memory, forgets_what_programs_used)
{
    forgets(100 * MB, 1000);
    forgets(400, 5000000);
}

Test(memory, recycle_limit_is_a_limit)
{
    Memory m;
    memory_init(&m, NULL, 0, 8 * MB);
    hold(&m, 2 * MB, 20);
    cr_expect_leq(m.recycled, 8 * MB);
    size_t kept = m.recycled;
    take_and_free(&m, 400 * MB, 2);
    cr_expect_eq(m.recycled, kept, "a block that is too large pushes nothing out");
    memory_close(&m);
}

/* Arrays of one size do not share their places in the caches, and their last byte is there. */
Test(memory, blocks_begin_at_different_lines)
{
    static const size_t sizes[] = { 64, 4 << 10, 400 << 10, 3 * (MB >> 1), 2 * MB, 5 * MB, 16 * MB };
    Memory m;
    memory_init(&m, NULL, 0, 0);
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
        char *p[12];
        size_t capacity, line = 0;
        for (int i = 0; i < 12; i++) {
            cr_assert(p[i] = memory_block(&m, sizes[s], &capacity));
            cr_expect_eq((uintptr_t)p[i] % BLOCK_ALIGN, 0);
            line |= (size_t)1 << (uintptr_t)p[i] / BLOCK_ALIGN % 64;
            p[i][0] = p[i][capacity - 1] = 1;
        }
        cr_expect(sizes[s] < 2 * MB || __builtin_popcountll(line) == 12, "%zu bytes: %zx", sizes[s], line);
        for (int i = 0; i < 12; i++) memory_block_free(&m, p[i], capacity);
    }
    memory_close(&m);
    cr_expect_eq(m.held, 0);
}

/* The limit counts what is mapped; spare blocks make room. */
Test(memory, mapped_blocks_count)
{
    Memory m;
    size_t capacity;
    memory_init(&m, NULL, 64 * MB, 0);
    cr_expect_null(memory_block(&m, 64 * MB, &capacity));
    cr_expect_eq(m.held, 0);
    hold(&m, 8 * MB, 5);
    void *p = memory_block(&m, 48 * MB, &capacity);
    cr_assert(p, "spare blocks were not given back");
    memory_block_free(&m, p, capacity);
    memory_close(&m);
    cr_expect_eq(m.held, 0);
}
