/* arena.h: memory that is freed all at once. Passes take one, allocate, and free nothing.
 *
 * Allocation never returns NULL. When the allocator hook refuses, control jumps to the arena's guard (as Lua
 * does for its memory errors): whoever called into compiler/ set it, and frees the arenas. No user frame lies
 * between, for guards are set at each entry from runtime/; code that holds anything but arena memory across
 * an allocation must not be written.
 */
#ifndef WEFT_GRAPH_ARENA_H
#define WEFT_GRAPH_ARENA_H
#include <setjmp.h>
#include <stddef.h>
#include <stdint.h>

/* resize(user, p, old, new): as realloc; new = 0 frees. NULL means refused. Blocks come 16-aligned at
 * least. */
typedef struct Allocator {
    void *(*resize)(void *user, void *p, size_t old_bytes, size_t new_bytes);
    void *user;
} Allocator;

typedef struct Guard {
    jmp_buf env;
} Guard; /* if (setjmp(guard.env)) { out of memory } */

typedef struct ArenaChunk ArenaChunk;
typedef struct Arena {
    const Allocator *allocator; /* borrowed */
    Guard *guard;               /* borrowed; where refusals go; never NULL while allocating */
    ArenaChunk *chunk;          /* newest first */
    ArenaChunk *spare;          /* given back by arena_release, to be used again */
    ArenaChunk *lasting;        /* of arena_lasting */
    char *next, *end;           /* free part of the newest chunk */
    size_t bytes;               /* taken from the allocator in all */
    struct Arena *within;       /* those of arena_within, newest first */
    struct Arena *beside;       /* the next of the same */
} Arena;

/* What an arena held at some time: no more than that is left after arena_release. */
typedef struct ArenaMark {
    ArenaChunk *chunk;
    char *next, *end;
} ArenaMark;

void arena_init(Arena *, const Allocator *, Guard *);
void arena_free(Arena *);                 /* frees all; the arena may be used again */
Arena *arena_within(Arena *);             /* an arena of its own, freed with this one */
size_t arena_bytes(const Arena *);        /* taken from the allocator, those within included */
void *arena_alloc(Arena *, size_t bytes); /* 16-aligned, zeroed */
void *arena_copy(Arena *, const void *from, size_t bytes);
/* As arena_alloc, of what may have to live longer than the arena: arena_hand_on gives all of this to another
 * one, that within included. */
void *arena_lasting(Arena *, size_t bytes);
void arena_hand_on(Arena *from, Arena *to);
char *arena_printf(Arena *, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* What was allocated behind a mark is gone after its release, and with it all marks behind it. The memory
 * stays the arena's. */
ArenaMark arena_mark(const Arena *);
void arena_release(Arena *, ArenaMark);
/* Growth of a dynamic array held in the arena: returns room for at least need items, copying used ones; the
 * old block stays behind. Doubles, so the waste is at most the size itself. */
void *arena_grow(Arena *, void *items, uint32_t used, uint32_t *capacity, uint32_t need, size_t item_bytes);
/* Appends to such an array of n items: ARENA_PUSH(a, items, n, capacity) = item; */
#define ARENA_PUSH(arena, items, n, capacity) \
    (*((items) = arena_grow(arena, items, n, &(capacity), (n) + 1, sizeof *(items)), &(items)[(n)++]))
#endif
