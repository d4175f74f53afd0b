/* reserve.h: memory for what users hold pointers to: contexts, scopes, plans, slabs of array handles.
 *
 * A pointer into it is never wild. While the library is loaded none of it goes back to the system, and a
 * piece keeps its type for ever. A freed piece is zero, except for its beginning, which says whose it was.
 * Freed pieces are used again, the oldest first, and only when RESERVE_KEPT others have been freed since: so
 * a pointer to what was just freed is recognized. No more memory is taken than was in use at once.
 */
#ifndef WEFT_MEMORY_RESERVE_H
#define WEFT_MEMORY_RESERVE_H
#include <stddef.h>
#include "memory.h"

enum { RESERVE_KEPT = 32 };

typedef struct Reserve {
    size_t bytes, kept; /* the size of a piece, and of its beginning, which stays when it is freed */
    /* What follows is guarded by reserve_lock. */
    void *chunks; /* all memory, linked by its first word */
    char *fresh;
    size_t room;           /* of the newest chunk: not used yet */
    char *oldest, *newest; /* freed pieces, linked by their last word */
    size_t n_free, n_used;
    struct Reserve *next;
} Reserve;
#define RESERVE_OF(type, keeps) { .bytes = sizeof(type), .kept = (keeps) }

void *reserve_take(Reserve *);             /* 64-aligned, zeroed; NULL: out of memory */
void *reserve_charge(Reserve *, Memory *); /* the same, counted as the context's until memory_discharge */
void reserve_give(Reserve *, void *);      /* zeroes it, but for what is kept */
pthread_mutex_t *reserve_lock(void);       /* one for all */
#endif
