/* block.c: memory for arrays, recycled (see memory.h). The pointer to what the system or the hook gave stands
 * in the word before a block.
 *
 * Large blocks come in large pages where the context has no hook of the user's: a fresh megabyte costs 90 us
 * in them, 400 in small ones, and a sweep over many of these spends its time on the table of pages. Blocks
 * begin at different lines of their pages: 13 arrays that all begin at one make a sum of 12 slower by a tenth
 * to a quarter, for they share their places in the caches.
 */
#define _GNU_SOURCE /* madvise */
#include <string.h>
#include <sys/mman.h>
#include "memory.h"

struct SpareBlock {
    SpareBlock *next;
};

enum {
    LEAST_SHIFT = 6, /* the smallest class: 64 bytes */
    SMALL_PAGE = 1 << 12,
    LARGE_PAGE = 1 << 21,
    LEAST_MAPPED = 7 << 18,  /* what fills most of a large page has it for itself */
    LINES = 16,              /* where blocks of a page and more begin */
    LEAST_SPARE = 256 << 20, /* is kept whatever programs use */
    WINDOW = 16,
    EACH_FREE = 1 << 14
};
_Static_assert(sizeof(SpareBlock) <= 1 << LEAST_SHIFT, "a spare block holds its link");

/* ---- classes ---- */

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

/* ---- from the system and back ---- */

static size_t lines(size_t size) { return size < SMALL_PAGE ? 1 : LINES; }

/* How much is taken for a block, its head included: whole large pages if that is a quarter more at most. */
static size_t whole_size(const Memory *m, size_t size)
{
    size_t bytes = size + sizeof(void *) + lines(size) * BLOCK_ALIGN;
    if (!m->maps || bytes < LEAST_MAPPED) return bytes;
    bytes = (bytes + SMALL_PAGE - 1) & ~(size_t)(SMALL_PAGE - 1);
    size_t large = (bytes + LARGE_PAGE - 1) & ~(size_t)(LARGE_PAGE - 1);
    return large - bytes <= bytes / 4 ? large : bytes;
}

static bool is_mapped(const Memory *m, size_t whole) { return m->maps && whole >= LEAST_MAPPED; }

/* Begins with a large page. */
static char *map_pages(size_t bytes)
{
    char *all = mmap(NULL, bytes + LARGE_PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (all == MAP_FAILED) return NULL;
    size_t before = (size_t)(-(uintptr_t)all & (LARGE_PAGE - 1));
    if (before) munmap(all, before);
    munmap(all + before + bytes, LARGE_PAGE - before);
    madvise(all + before, bytes, MADV_HUGEPAGE);
    return all + before;
}

static char *map_counted(Memory *m, size_t bytes)
{
    if (!memory_charge(m, bytes)) return NULL;
    char *p = map_pages(bytes);
    if (!p) {
        memory_trim(m);
        p = map_pages(bytes);
    }
    if (!p) memory_discharge(m, bytes);
    return p;
}

static void *new_block(Memory *m, size_t size)
{
    size_t whole = whole_size(m, size);
    char *raw = is_mapped(m, whole) ? map_counted(m, whole) : m->counted.resize(m, NULL, 0, whole);
    if (!raw) return NULL;
    size_t line = atomic_fetch_add_explicit(&m->made, 1, memory_order_relaxed) % lines(size);
    uintptr_t least = (uintptr_t)raw + sizeof(void *) + line * BLOCK_ALIGN;
    void **block = (void **)((least + BLOCK_ALIGN - 1) & ~(uintptr_t)(BLOCK_ALIGN - 1));
    block[-1] = raw;
    return block;
}

static void give_back(Memory *m, void *block, size_t size)
{
    size_t whole = whole_size(m, size);
    void *raw = ((void **)block)[-1];
    if (!is_mapped(m, whole)) {
        m->counted.resize(m, raw, whole, 0);
        return;
    }
    munmap(raw, whole);
    memory_discharge(m, whole);
}

/* ---- what is kept ---- */

static size_t in_use(const Memory *m)
{
    size_t held = atomic_load(&m->held), spare = atomic_load(&m->recycled);
    return held > spare ? held - spare : 0;
}

/* The most that was in use at once of late. */
static size_t most_used(const Memory *m)
{
    size_t a = atomic_load_explicit(&m->most[0], memory_order_relaxed),
           b = atomic_load_explicit(&m->most[1], memory_order_relaxed);
    return a > b ? a : b;
}

static void note_use(Memory *m)
{
    size_t now = in_use(m);
    if (now > atomic_load_explicit(&m->most[0], memory_order_relaxed))
        atomic_store_explicit(&m->most[0], now, memory_order_relaxed);
}

/* "Of late" is while 16 times as much was freed: fresh memory costs several times what one pass over it does,
 * so to take it anew that seldom costs little. The lock is held. */
static void note_free(Memory *m, size_t size)
{
    size_t most = most_used(m);
    m->freed += size + EACH_FREE;
    if (m->freed / WINDOW < (most > LEAST_SPARE ? most : LEAST_SPARE)) return;
    m->freed = 0;
    atomic_store_explicit(&m->most[1], m->most[0], memory_order_relaxed);
    atomic_store_explicit(&m->most[0], in_use(m), memory_order_relaxed);
}

static size_t spare_limit(const Memory *m)
{
    if (m->recycle_limit) return m->recycle_limit;
    size_t most = most_used(m), now = in_use(m), spare = most > now ? most - now : 0;
    return spare > LEAST_SPARE ? spare : LEAST_SPARE;
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

static void add_spare(Memory *m, int c, size_t size, SpareBlock *b)
{
    LOCK(&m->lock);
    b->next = m->spare[c];
    m->spare[c] = b;
    m->used[c] = ++m->uses;
    atomic_fetch_add(&m->recycled, size);
    note_free(m, size);
}

void memory_trim(Memory *m)
{
    for (int c = 0; c < BLOCK_CLASSES; c++) {
        size_t size = class_size(c);
        for (SpareBlock *b; (b = take_spare(m, c, size));) give_back(m, b, size);
    }
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

/* ---- in and out ---- */

void *memory_block(Memory *m, size_t bytes, size_t *capacity)
{
    int c = block_class(bytes, capacity);
    if (c < 0) return NULL;
    void *block = take_spare(m, c, *capacity);
    if (!block) block = new_block(m, *capacity);
    if (block) note_use(m);
    return block;
}

void memory_block_free(Memory *m, void *block, size_t capacity)
{
    size_t size;
    int c = block_class(capacity, &size);
    if (m->recycle_limit && size > m->recycle_limit) {
        give_back(m, block, size);
        return;
    }
    add_spare(m, c, size, block);
    while (atomic_load(&m->recycled) > spare_limit(m) && forget_one(m)) {}
}
