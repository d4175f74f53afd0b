/* closure.c: see closure.h. */
#include "closure.h"
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

struct ClosurePage {
    ClosurePage *next;
    const char *abi;
    ClosureHandler *handler;
    char *memory;                   /* the executable page */
    size_t bytes, used, count;
    void *slots[];                  /* [count] */
};

static size_t page_bytes(void)
{
    long n = sysconf(_SC_PAGESIZE);
    return n > 0 ? (size_t)n : 4096;
}

static size_t closure_stride(void)
{
    return (sizeof(ffi_closure) + 15) & ~(size_t)15;
}

static bool fill_page(ClosurePage *p, ffi_cif *cif)
{
    for (size_t i = 0; i < p->count; i++) {
        char *at = p->memory + i * closure_stride();
        if (ffi_prep_closure_loc((ffi_closure *)(void *)at, cif, p->handler, &p->slots[i], at) != FFI_OK) return false;
    }
    return mprotect(p->memory, p->bytes, PROT_READ | PROT_EXEC) == 0;
}

static ClosurePage *page_new(ClosurePool *pool, const char *abi, ffi_cif *cif, ClosureHandler *handler)
{
    size_t bytes = page_bytes(), count = bytes / closure_stride();
    size_t head = sizeof(ClosurePage) + count * sizeof(void *);
    ClosurePage *p = memory_alloc(pool->memory, head);
    if (!p) return NULL;
    *p = (ClosurePage){ .next = pool->pages, .abi = abi, .handler = handler, .bytes = bytes, .count = count };
    p->memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (p->memory == MAP_FAILED) goto no_page;
    if (!fill_page(p, cif)) goto no_closures;
    pool->pages = p;
    return p;

no_closures:
    munmap(p->memory, bytes);
no_page:
    memory_free(pool->memory, p, head);
    return NULL;
}

weft_fn closure_make(ClosurePool *pool, const char *abi, ffi_cif *cif, ClosureHandler *handler, void *user)
{
    ClosurePage *p = pool->pages;
    while (p && (p->used == p->count || p->handler != handler || strcmp(p->abi, abi))) p = p->next;
    if (!p && !(p = page_new(pool, abi, cif, handler))) return NULL;
    size_t i = p->used++;
    p->slots[i] = user;
    return (weft_fn)(uintptr_t)(p->memory + i * closure_stride());
}

void closure_close(ClosurePool *pool)
{
    while (pool->pages) {
        ClosurePage *p = pool->pages;
        pool->pages = p->next;
        munmap(p->memory, p->bytes);
        memory_free(pool->memory, p, sizeof *p + p->count * sizeof(void *));
    }
}
