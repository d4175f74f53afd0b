/* memory.h: a context's bytes: the allocator hook, counted and limited, and recycled blocks for array data.
 *
 * Fresh memory costs more than arithmetic (a million-element update: 0.7 ms with recycled results, 31 ms with
 * page faults), so a freed block is kept by size class and handed out again (block.c). At most recycle_limit
 * bytes are kept; if that is 0, 256 MiB, or so much that no more is held than was in use at once of late.
 * Beyond, blocks go back of the class that has not been used for longest. When the hook refuses or the limit
 * is reached, what is kept goes back first. Safe to call from any thread; no lock is held while the hook runs
 * on the way in.
 *
 * There are two ways to meet the end of memory, by what the memory is for. What is made step by step and
 * freed at once (graphs, descriptions, cache entries) lies in an arena: whoever calls in sets the guard, and
 * nothing in between checks (compiler/graph/arena.h). What lives and dies by itself (array data, tables, the
 * lists of a call) comes from here: each request is checked, and NULL becomes an error or a Failure at once.
 * A call that finds its code sets no guard. Only what outlives contexts (reserve.h, pages of closures) and
 * what is said to and by the compiler process comes from the C library.
 */
#ifndef WEFT_MEMORY_MEMORY_H
#define WEFT_MEMORY_MEMORY_H
#include <stdatomic.h>
#include <stdbool.h>
#include "compiler/graph/arena.h"
#include "lock.h"

/* 1, 1.25, 1.5 and 1.75 times a power of two, from 64 bytes to 2^47: at most a quarter is wasted. */
enum { BLOCK_CLASSES = 4 * 42, BLOCK_ALIGN = 64 };

typedef struct SpareBlock SpareBlock;
typedef struct Memory {
    Allocator hook;    /* the user's, or realloc */
    Allocator counted; /* what everything of the context allocates with */
    bool maps;         /* realloc: large blocks are mapped */
    size_t limit;
    size_t recycle_limit;      /* 0: as programs use it */
    _Atomic size_t held, peak; /* bytes from the hook now, and at most */
    _Atomic size_t recycled;   /* of those, in spare blocks */
    _Atomic size_t most[2];    /* in use at once, since the last window ended and in that window */
    _Atomic size_t made;       /* blocks */
    pthread_mutex_t lock;      /* guards what follows */
    SpareBlock *spare[BLOCK_CLASSES];
    uint64_t used[BLOCK_CLASSES], uses; /* when a block of the class was last freed: a count */
    size_t freed;                       /* since the last window of `most` ended */
} Memory;

void memory_init(Memory *, const Allocator *hook, size_t limit, size_t recycle_limit);
void memory_close(Memory *);                /* returns spare blocks; all else must have been freed */
void *memory_alloc(Memory *, size_t bytes); /* zeroed; NULL: refused */
void memory_free(Memory *, void *p, size_t bytes);
/* Counts memory that comes from elsewhere against the limit. False: refused. */
bool memory_charge(Memory *, size_t bytes);
void memory_discharge(Memory *, size_t bytes);
/* As realloc for a growing table; NULL: refused, and the old one stands. */
void *memory_resize(Memory *, void *p, size_t old_bytes, size_t new_bytes);
char *memory_text(Memory *, const char *text);     /* a copy; free with strlen + 1 bytes */
void memory_text_free(Memory *, const char *text); /* NULL: nothing */
/* 64-aligned, its contents undefined; *capacity is for memory_block_free. NULL: refused. */
void *memory_block(Memory *, size_t bytes, size_t *capacity);
void memory_block_free(Memory *, void *block, size_t capacity);
void memory_trim(Memory *); /* gives back all spare blocks */
#endif
