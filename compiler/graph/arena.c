/* arena.c: bump allocation from chunks that grow geometrically, so that a small graph costs little and a
 * large one few calls. Under sanitizers (WEFT_ARENA_APART) each allocation is a chunk of its own, so that
 * they see where it ends. */
#include "arena.h"
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { ALIGN = 16, FIRST_CHUNK = 4096, LAST_CHUNK = 1 << 20 };
#ifdef WEFT_ARENA_APART
enum { APART = 1 };
#else
enum { APART = 0 };
#endif

struct ArenaChunk {
    ArenaChunk *older;
    size_t bytes;
};
_Static_assert(sizeof(ArenaChunk) % ALIGN == 0, "what follows a chunk's head is aligned");

void arena_init(Arena *a, const Allocator *allocator, Guard *guard)
{
    *a = (Arena){ .allocator = allocator, .guard = guard };
}

void arena_free(Arena *a)
{
    for (ArenaChunk *c = a->chunk, *older; c; c = older) {
        older = c->older;
        a->allocator->resize(a->allocator->user, c, c->bytes, 0);
    }
    arena_init(a, a->allocator, a->guard);
}

static _Noreturn void refuse(Arena *a) { longjmp(a->guard->env, 1); }

static void add_chunk(Arena *a, size_t room)
{
    size_t bytes = a->bytes < FIRST_CHUNK ? FIRST_CHUNK : a->bytes < LAST_CHUNK ? a->bytes : LAST_CHUNK;
    if (room > SIZE_MAX / 2) refuse(a);
    if (APART || bytes < room + sizeof(ArenaChunk)) bytes = room + sizeof(ArenaChunk);
    ArenaChunk *c = a->allocator->resize(a->allocator->user, NULL, 0, bytes);
    if (!c) refuse(a);
    *c = (ArenaChunk){ .older = a->chunk, .bytes = bytes };
    a->chunk = c;
    a->next = (char *)(c + 1);
    a->end = (char *)c + bytes;
    a->bytes += bytes;
}

static void *take(Arena *a, size_t bytes)
{
    if (bytes > SIZE_MAX / 2) refuse(a);
    if (!APART) bytes = (bytes + ALIGN - 1) & ~(size_t)(ALIGN - 1);
    if (APART || bytes > (size_t)(a->end - a->next)) add_chunk(a, bytes);
    void *p = a->next;
    a->next += bytes;
    return p;
}

void *arena_alloc(Arena *a, size_t bytes)
{
    void *p = take(a, bytes);
    return memset(p, 0, bytes);
}

void *arena_copy(Arena *a, const void *from, size_t bytes)
{
    void *p = take(a, bytes);
    return bytes ? memcpy(p, from, bytes) : p;
}

char *arena_printf(Arena *a, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    int n = vsnprintf(NULL, 0, format, args);
    va_end(args);
    char *text = take(a, (size_t)(n < 0 ? 0 : n) + 1);
    va_start(args, format);
    if (n < 0 || vsnprintf(text, (size_t)n + 1, format, args) < 0) text[0] = '\0';
    va_end(args);
    return text;
}

void *arena_grow(Arena *a, void *items, uint32_t used, uint32_t *capacity, uint32_t need, size_t item_bytes)
{
    if (need <= *capacity) return items;
    uint64_t room = *capacity ? 2 * (uint64_t)*capacity : 8;
    if (room < need) room = need;
    if (room > UINT32_MAX) room = UINT32_MAX;
    char *grown = take(a, (size_t)room * item_bytes);
    if (used) memcpy(grown, items, (size_t)used * item_bytes);
    memset(grown + (size_t)used * item_bytes, 0, ((size_t)room - used) * item_bytes);
    *capacity = (uint32_t)room;
    return grown;
}
