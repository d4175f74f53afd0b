/* test_arena.c: what arenas promise beyond allocation: marks, arenas within arenas, and that nothing is taken
 * twice for what was given back. */
#include "tests/support/heap.h"
#include <criterion/criterion.h>
#include <stdbool.h>
#include <string.h>

static Counter counter;
static const Allocator counted = { counter_resize, &counter };
static Guard guard;

static bool is_zero(const char *p, size_t bytes)
{
    while (bytes && !p[bytes - 1]) bytes--;
    return bytes == 0;
}

/* Pieces of sizes that need chunks of all kinds, each written all over. */
static void fill(Arena *a, size_t total)
{
    for (size_t bytes = 16; total >= bytes; total -= bytes, bytes = bytes > total / 4 ? 16 : 3 * bytes) {
        char *p = arena_alloc(a, bytes);
        cr_assert(is_zero(p, bytes), "%zu bytes are not zeroed", bytes);
        memset(p, 0xa5, bytes);
    }
}

Test(arena, released_memory_is_used_again)
{
    Arena a;
    size_t most = 0;
    arena_init(&a, &counted, &guard);
    char *kept = arena_copy(&a, "kept", 5);
    ArenaMark mark = arena_mark(&a);
    for (int i = 0; i < 20; i++) {
        fill(&a, 1 << 20);
        if (i == 0) most = arena_bytes(&a);
        arena_release(&a, mark);
    }
    cr_expect_leq(arena_bytes(&a), most);
    cr_expect_leq(counter.live, most);
    cr_expect_str_eq(kept, "kept");
    arena_free(&a);
    cr_expect_eq(counter.live, 0);
}

Test(arena, marks_nest)
{
    Arena a;
    arena_init(&a, &counted, &guard);
    ArenaMark outer = arena_mark(&a); /* of an arena that has no memory yet */
    char *x = arena_copy(&a, "outer", 6);
    ArenaMark inner = arena_mark(&a);
    fill(&a, 100000);
    arena_release(&a, inner);
    fill(&a, 1000);
    cr_expect_str_eq(x, "outer");
    arena_release(&a, outer);
    fill(&a, 100000);
    arena_free(&a);
    cr_expect_eq(counter.live, 0);
}

Test(arena, an_arena_within_ends_with_its_outer_one)
{
    Arena a;
    arena_init(&a, &counted, &guard);
    Arena *one = arena_within(&a), *other = arena_within(&a);
    fill(one, 100000);
    fill(other, 1000);
    size_t bytes = arena_bytes(&a);
    cr_expect_geq(bytes, 101000);
    arena_free(one);
    cr_expect_leq(arena_bytes(&a), bytes - 100000);
    fill(one, 1000); /* it may be used again */
    fill(arena_within(one), 1000);
    arena_free(&a);
    cr_expect_eq(counter.live, 0);
}
