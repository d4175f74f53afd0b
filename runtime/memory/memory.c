/* memory.c: see memory.h. */
#include "memory.h"
#include <stdlib.h>
#include <string.h>

static void *libc_resize(void *user, void *p, size_t old_bytes, size_t new_bytes)
{
    (void)user, (void)old_bytes;
    if (new_bytes) return realloc(p, new_bytes);
    free(p);
    return NULL;
}

static bool count_up(Memory *m, size_t bytes)
{
    size_t held = atomic_fetch_add(&m->held, bytes) + bytes;
    if (m->limit && held > m->limit) {
        atomic_fetch_sub(&m->held, bytes);
        return false;
    }
    size_t peak = atomic_load_explicit(&m->peak, memory_order_relaxed);
    while (held > peak && !atomic_compare_exchange_weak(&m->peak, &peak, held)) {}
    return true;
}

static void *try_resize(Memory *m, void *p, size_t old_bytes, size_t new_bytes)
{
    size_t more = new_bytes > old_bytes ? new_bytes - old_bytes : 0;
    if (more && !count_up(m, more)) return NULL;
    void *q = m->hook.resize(m->hook.user, p, old_bytes, new_bytes);
    if (!q && new_bytes) {
        if (more) atomic_fetch_sub(&m->held, more);
        return NULL;
    }
    if (new_bytes < old_bytes) atomic_fetch_sub(&m->held, old_bytes - new_bytes);
    return q;
}

static void *counted_resize(void *user, void *p, size_t old_bytes, size_t new_bytes)
{
    Memory *m = user;
    void *q = try_resize(m, p, old_bytes, new_bytes);
    if (q || !new_bytes || !atomic_load(&m->recycled)) return q;
    memory_trim(m);
    return try_resize(m, p, old_bytes, new_bytes);
}

bool memory_charge(Memory *m, size_t bytes)
{
    if (count_up(m, bytes)) return true;
    memory_trim(m);
    return count_up(m, bytes);
}

void memory_discharge(Memory *m, size_t bytes) { atomic_fetch_sub(&m->held, bytes); }

void memory_init(Memory *m, const Allocator *hook, size_t limit, size_t recycle_limit)
{
    memset(m, 0, sizeof *m);
    m->maps = !hook || !hook->resize;
    m->hook = m->maps ? (Allocator){ libc_resize, NULL } : *hook;
    m->counted = (Allocator){ counted_resize, m };
    m->limit = limit;
    m->recycle_limit = recycle_limit;
    pthread_mutex_init(&m->lock, NULL);
}

void memory_close(Memory *m)
{
    memory_trim(m);
    pthread_mutex_destroy(&m->lock);
}

void *memory_alloc(Memory *m, size_t bytes)
{
    void *p = counted_resize(m, NULL, 0, bytes ? bytes : 1);
    return p ? memset(p, 0, bytes ? bytes : 1) : NULL;
}

void memory_free(Memory *m, void *p, size_t bytes)
{
    if (p) counted_resize(m, p, bytes ? bytes : 1, 0);
}

void *memory_resize(Memory *m, void *p, size_t old_bytes, size_t new_bytes)
{
    return counted_resize(m, p, old_bytes, new_bytes);
}

char *memory_text(Memory *m, const char *text)
{
    size_t bytes = strlen(text) + 1;
    char *copy = memory_alloc(m, bytes);
    return copy ? memcpy(copy, text, bytes) : NULL;
}

void memory_text_free(Memory *m, const char *text)
{
    if (text) memory_free(m, (void *)(uintptr_t)text, strlen(text) + 1);
}
