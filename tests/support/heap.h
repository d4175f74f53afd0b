/* heap.h: memory for tests: allocators, and arenas that need no guard. */
#ifndef WEFT_TESTS_HEAP_H
#define WEFT_TESTS_HEAP_H
#include "compiler/graph/arena.h"

extern const Allocator heap; /* realloc */

/* An arena that ends the program when memory ends: nobody need be ready for a refusal. */
void arena_open(Arena *);

/* realloc that counts what is not given back, and refuses the call numbered fail_at (from 1; 0: none). */
typedef struct Counter {
    size_t live;
    long calls, fail_at;
} Counter;
void *counter_resize(void *counter, void *p, size_t old_bytes, size_t new_bytes);
#endif
