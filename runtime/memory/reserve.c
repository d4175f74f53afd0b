/* reserve.c: see reserve.h. */
#include "reserve.h"
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static Reserve *all; /* that have had memory */

enum { CHUNK = 1 << 16, LINE = 64 };

/* From one piece to the next: its link stands behind its contents. */
static size_t stride_of(const Reserve *r)
{
    return (r->bytes + sizeof(char *) + LINE - 1) & ~(size_t)(LINE - 1);
}

static char **link_of(const Reserve *r, char *piece)
{
    return (char **)(void *)(piece + stride_of(r) - sizeof(char *));
}

static bool add_chunk(Reserve *r)
{
    char *chunk = aligned_alloc(LINE, CHUNK);
    if (!chunk) return false;
    if (!r->chunks) r->next = all, all = r;
    *(void **)(void *)chunk = r->chunks;
    r->chunks = chunk;
    r->fresh = chunk + LINE;
    r->room = CHUNK - LINE;
    return true;
}

static char *take(Reserve *r)
{
    char *piece;
    if (r->n_free > RESERVE_KEPT) {
        piece = r->oldest;
        r->oldest = *link_of(r, piece);
        r->n_free--;
        return memset(piece, 0, r->kept);
    }
    if (r->room < stride_of(r) && !add_chunk(r)) return NULL;
    piece = r->fresh;
    r->fresh += stride_of(r);
    r->room -= stride_of(r);
    return memset(piece, 0, r->bytes);
}

pthread_mutex_t *reserve_lock(void) { return &lock; }

void *reserve_take(Reserve *r)
{
    LOCK(&lock);
    void *piece = take(r);
    if (piece) r->n_used++;
    return piece;
}

void *reserve_charge(Reserve *r, Memory *m)
{
    if (!memory_charge(m, r->bytes)) return NULL;
    void *piece = reserve_take(r);
    if (!piece) memory_discharge(m, r->bytes);
    return piece;
}

void reserve_give(Reserve *r, void *piece)
{
    memset((char *)piece + r->kept, 0, r->bytes - r->kept);
    LOCK(&lock);
    *(r->n_free ? link_of(r, r->newest) : &r->oldest) = piece;
    r->newest = piece;
    r->n_free++;
    r->n_used--;
}

/* With the library goes the memory of which nothing is in use. */
__attribute__((destructor)) static void unload(void)
{
    for (Reserve *r = all; r; r = r->next) {
        for (void *chunk = r->n_used ? NULL : r->chunks, *next; chunk; chunk = next) {
            next = *(void **)chunk;
            free(chunk);
            r->chunks = NULL;
            r->room = r->n_free = 0;
        }
    }
}
