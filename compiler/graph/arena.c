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

static void free_chunk(Arena *a, ArenaChunk *c)
{
    a->bytes -= c->bytes;
    a->allocator->resize(a->allocator->user, c, c->bytes, 0);
}

static void free_chunks(Arena *a, ArenaChunk *first)
{
    for (ArenaChunk *c = first, *older; c; c = older) {
        older = c->older;
        free_chunk(a, c);
    }
}

void arena_free(Arena *a)
{
    Arena *beside = a->beside;
    for (Arena *inner = a->within; inner; inner = inner->beside) arena_free(inner);
    free_chunks(a, a->chunk);
    free_chunks(a, a->spare);
    free_chunks(a, a->lasting);
    arena_init(a, a->allocator, a->guard);
    a->beside = beside;
}

Arena *arena_within(Arena *a)
{
    Arena *inner = arena_alloc(a, sizeof *inner);
    *inner = (Arena){ .allocator = a->allocator, .guard = a->guard, .beside = a->within };
    return a->within = inner;
}

size_t arena_bytes(const Arena *a)
{
    size_t bytes = a->bytes;
    for (const Arena *inner = a->within; inner; inner = inner->beside) bytes += arena_bytes(inner);
    return bytes;
}

static _Noreturn void refuse(Arena *a) { longjmp(a->guard->env, 1); }

/* A spare chunk with so much room; NULL: there is none. */
static ArenaChunk *take_spare(Arena *a, size_t room)
{
    for (ArenaChunk **c = &a->spare; *c; c = &(*c)->older) {
        ArenaChunk *found = *c;
        if (found->bytes - sizeof *found < room) continue;
        *c = found->older;
        return found;
    }
    return NULL;
}

/* One of at least so many bytes, head and all. */
static ArenaChunk *new_chunk(Arena *a, size_t room, size_t least)
{
    if (room > SIZE_MAX / 2) refuse(a);
    size_t bytes = room + sizeof(ArenaChunk) > least ? room + sizeof(ArenaChunk) : least;
    ArenaChunk *c = a->allocator->resize(a->allocator->user, NULL, 0, bytes);
    if (!c) refuse(a);
    *c = (ArenaChunk){ .bytes = bytes };
    a->bytes += bytes;
    return c;
}

static void push_chunk(ArenaChunk **list, ArenaChunk *c)
{
    c->older = *list;
    *list = c;
}

static void add_chunk(Arena *a, size_t room)
{
    size_t least = a->bytes < FIRST_CHUNK ? FIRST_CHUNK : a->bytes < LAST_CHUNK ? a->bytes : LAST_CHUNK;
    ArenaChunk *c = take_spare(a, room);
    if (!c) c = new_chunk(a, room, APART ? 0 : least);
    push_chunk(&a->chunk, c);
    a->next = (char *)(c + 1);
    a->end = (char *)c + c->bytes;
}

ArenaMark arena_mark(const Arena *a) { return (ArenaMark){ a->chunk, a->next, a->end }; }

void arena_release(Arena *a, ArenaMark mark)
{
    while (a->chunk != mark.chunk) {
        ArenaChunk *c = a->chunk;
        a->chunk = c->older;
        if (APART) {
            free_chunk(a, c);
            continue;
        }
        push_chunk(&a->spare, c);
    }
    a->next = mark.next;
    a->end = mark.end;
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

void *arena_lasting(Arena *a, size_t bytes)
{
    ArenaChunk *c = new_chunk(a, bytes, 0);
    push_chunk(&a->lasting, c);
    return memset(c + 1, 0, bytes);
}

void arena_hand_on(Arena *from, Arena *to)
{
    for (Arena *inner = from->within; inner; inner = inner->beside) arena_hand_on(inner, to);
    for (ArenaChunk *c; (c = from->lasting);) {
        from->lasting = c->older;
        from->bytes -= c->bytes;
        to->bytes += c->bytes;
        push_chunk(&to->lasting, c);
    }
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
