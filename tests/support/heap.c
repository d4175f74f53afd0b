/* heap.c: see heap.h. */
#include "tests/support/heap.h"
#include <stdlib.h>

static void *resize(void *user, void *p, size_t old_bytes, size_t new_bytes)
{
    (void)user, (void)old_bytes;
    if (new_bytes) return realloc(p, new_bytes);
    free(p);
    return NULL;
}
const Allocator heap = { resize, NULL };

static void *resize_or_abort(void *user, void *p, size_t old_bytes, size_t new_bytes)
{
    p = resize(user, p, old_bytes, new_bytes);
    if (new_bytes && !p) abort();
    return p;
}

void arena_open(Arena *a)
{
    static const Allocator sure = { resize_or_abort, NULL };
    static Guard unused;
    arena_init(a, &sure, &unused);
}

void *counter_resize(void *counter, void *p, size_t old_bytes, size_t new_bytes)
{
    Counter *c = counter;
    if (new_bytes == 0) {
        c->live -= old_bytes;
        free(p);
        return NULL;
    }
    if (++c->calls == c->fail_at) return NULL;
    void *q = realloc(p, new_bytes);
    c->live += new_bytes - old_bytes;
    return q;
}
