/* memory.c: see memory.h. The pointer that the hook gave stands in the word before a 64-aligned block. */
#define _GNU_SOURCE /* madvise */
#include "memory.h"
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

struct SpareBlock {
    SpareBlock *next;
};

enum { LEAST_SHIFT = 6 }; /* the smallest class: 64 bytes */
_Static_assert(sizeof(SpareBlock) <= 1 << LEAST_SHIFT, "a spare block holds its link");

static void *libc_resize(void *user, void *p, size_t old_bytes, size_t new_bytes)
{
    (void)user, (void)old_bytes;
    if (new_bytes) return realloc(p, new_bytes);
    free(p);
    return NULL;
}

static size_t class_size(int c)
{
    size_t size = ((size_t)1 << (LEAST_SHIFT + c / 4)) / 4 * (4 + (size_t)c % 4);
    return (size + 15) & ~(size_t)15;
}

/* The class whose blocks hold at least bytes, and their size; -1 if there is none that large. */
static int block_class(size_t bytes, size_t *size)
{
    int shift = LEAST_SHIFT;
    while (shift < 48 && ((size_t)1 << shift) * 7 / 4 < bytes) shift++;
    int c = (shift - LEAST_SHIFT) * 4, end = c + 4;
    while (c < end && (*size = class_size(c)) < bytes) c++;
    return c < end && c < BLOCK_CLASSES ? c : -1;
}

static void give_back(Memory *m, void *block, size_t capacity)
{
    void *raw = ((void **)block)[-1];
    m->counted.resize(m, raw, capacity + BLOCK_ALIGN + sizeof(void *), 0);
}

static SpareBlock *take_spare(Memory *m, int c, size_t size)
{
    LOCK(&m->lock);
    SpareBlock *b = m->spare[c];
    if (!b) return NULL;
    m->spare[c] = b->next;
    atomic_fetch_sub(&m->recycled, size);
    return b;
}

static void trim(Memory *m)
{
    for (int c = 0; c < BLOCK_CLASSES; c++) {
        size_t size = class_size(c);
        for (SpareBlock *b; (b = take_spare(m, c, size));) give_back(m, b, size);
    }
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
    trim(m);
    return try_resize(m, p, old_bytes, new_bytes);
}

bool memory_charge(Memory *m, size_t bytes)
{
    if (count_up(m, bytes)) return true;
    trim(m);
    return count_up(m, bytes);
}

void memory_discharge(Memory *m, size_t bytes) { atomic_fetch_sub(&m->held, bytes); }

void memory_init(Memory *m, const Allocator *hook, size_t limit, size_t recycle_limit)
{
    memset(m, 0, sizeof *m);
    m->hook = hook && hook->resize ? *hook : (Allocator){ libc_resize, NULL };
    m->counted = (Allocator){ counted_resize, m };
    m->limit = limit;
    m->recycle_limit = recycle_limit ? recycle_limit : (size_t)256 << 20;
    pthread_mutex_init(&m->lock, NULL);
}

void memory_close(Memory *m)
{
    trim(m);
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

/* Asks for large pages where a block has any, as NumPy does for its arrays: a sweep over many megabytes in
 * small ones spends its time on page faults and on the table of pages (a heat equation on 13 MB: twice). */
static void prefer_large_pages(char *raw, size_t bytes)
{
    enum { LARGE_PAGE = 1 << 21, PAGE = 1 << 12 };
    size_t before = (size_t)(-(uintptr_t)raw & (PAGE - 1));
    if (bytes >= 2 * LARGE_PAGE) madvise(raw + before, (bytes - before) & ~(size_t)(PAGE - 1), MADV_HUGEPAGE);
}

static void add_spare(Memory *m, int c, size_t size, SpareBlock *b)
{
    LOCK(&m->lock);
    b->next = m->spare[c];
    m->spare[c] = b;
    m->used[c] = ++m->uses;
    atomic_fetch_add(&m->recycled, size);
}

/* The class of spare blocks that has not been used for longest; -1: there are none. */
static int oldest_class(Memory *m)
{
    int oldest = -1;
    LOCK(&m->lock);
    for (int c = 0; c < BLOCK_CLASSES; c++)
        if (m->spare[c] && (oldest < 0 || m->used[c] < m->used[oldest])) oldest = c;
    return oldest;
}

/* What programs ran before makes room for what runs now. False: there was no block. */
static bool forget_one(Memory *m)
{
    int c = oldest_class(m);
    if (c < 0) return false;
    size_t size = class_size(c);
    SpareBlock *b = take_spare(m, c, size);
    if (b) give_back(m, b, size);
    return true;
}

void *memory_block(Memory *m, size_t bytes, size_t *capacity)
{
    int c = block_class(bytes, capacity);
    if (c < 0) return NULL;
    void *block = take_spare(m, c, *capacity);
    if (block) return block;
    size_t with_head = *capacity + BLOCK_ALIGN + sizeof(void *);
    char *raw = counted_resize(m, NULL, 0, with_head);
    if (!raw) return NULL;
    if (m->hook.resize == libc_resize) prefer_large_pages(raw, with_head);
    uintptr_t at = ((uintptr_t)raw + sizeof(void *) + BLOCK_ALIGN - 1) & ~(uintptr_t)(BLOCK_ALIGN - 1);
    void **aligned = (void **)at;
    aligned[-1] = raw;
    return aligned;
}

void memory_block_free(Memory *m, void *block, size_t capacity)
{
    size_t size;
    int c = block_class(capacity, &size);
    if (size > m->recycle_limit) {
        give_back(m, block, size);
        return;
    }
    add_spare(m, c, size, block);
    while (atomic_load(&m->recycled) > m->recycle_limit && forget_one(m)) {}
}
