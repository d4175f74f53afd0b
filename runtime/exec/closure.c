/* closure.c: see closure.h. */
#include "closure.h"
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* Clang's check of function types (-fsanitize=function) reads the 8 bytes before a function. */
enum { BEFORE_FIRST = 16, MAX_ABI = 128 };

struct ClosurePage {
    ClosurePage *next;
    char abi[MAX_ABI];
    ffi_cif cif;
    ffi_type *types[MAX_ABI]; /* the cif's */
    ClosureHandler *handler;
    char *memory; /* the executable page */
    size_t bytes, used, count;
    _Atomic(void *) slots[]; /* [count] */
};

/* Pages of no pool, the one that was used last at the end. */
static struct {
    pthread_mutex_t lock;
    ClosurePage *first;
} spare = { .lock = PTHREAD_MUTEX_INITIALIZER };

pthread_mutex_t *closure_lock(void) { return &spare.lock; }

static size_t page_bytes(void)
{
    long n = sysconf(_SC_PAGESIZE);
    return n > 0 ? (size_t)n : 4096;
}

static size_t closure_stride(void) { return (sizeof(ffi_closure) + 15) & ~(size_t)15; }

static char *closure_at(const ClosurePage *p, size_t i)
{
    return p->memory + BEFORE_FIRST + i * closure_stride();
}

bool closure_executable(void *pages, size_t bytes, Failure *f)
{
    if (!mprotect(pages, bytes, PROT_READ | PROT_EXEC)) return true;
    if (errno == ENOMEM) return fail(f, WEFT_MEMORY, "no memory for executable pages");
    return fail(f, WEFT_COMPILER,
                "the system lets no memory become executable (%s), as where prctl's PR_SET_MDWE, "
                "systemd's MemoryDenyWriteExecute, SELinux's execmem or a seccomp filter forbid it",
                strerror(errno));
}

static bool fill_page(ClosurePage *p, Failure *f)
{
    for (size_t i = 0; i < p->count; i++) {
        char *at = closure_at(p, i);
        if (ffi_prep_closure_loc((ffi_closure *)(void *)at, &p->cif, p->handler, &p->slots[i], at) != FFI_OK)
            return fail(f, WEFT_COMPILER, "libffi makes no closures here");
    }
    return closure_executable(p->memory, p->bytes, f);
}

static ClosurePage *page_new(const char *abi, const ffi_cif *cif, ClosureHandler *handler, Failure *f)
{
    size_t bytes = page_bytes(), count = (bytes - BEFORE_FIRST) / closure_stride();
    ClosurePage *p = strlen(abi) < MAX_ABI ? calloc(1, sizeof *p + count * sizeof *p->slots) : NULL;
    if (!p) return fail(f, WEFT_MEMORY, "out of memory"), NULL;
    strcpy(p->abi, abi);
    p->cif = *cif;
    if (cif->nargs) memcpy(p->types, cif->arg_types, cif->nargs * sizeof *p->types);
    p->cif.arg_types = p->types;
    p->handler = handler;
    p->bytes = bytes;
    p->count = count;
    p->memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (p->memory == MAP_FAILED) fail(f, WEFT_MEMORY, "out of memory");
    else if (fill_page(p, f)) return p;
    else munmap(p->memory, bytes);
    free(p);
    return NULL;
}

/* The first with a free slot of the type, or NULL. */
static ClosurePage **find(ClosurePage **list, const char *abi, ClosureHandler *handler)
{
    for (; *list; list = &(*list)->next)
        if ((*list)->used < (*list)->count && (*list)->handler == handler && !strcmp((*list)->abi, abi))
            return list;
    return NULL;
}

static ClosurePage *take_spare(const char *abi, ClosureHandler *handler)
{
    pthread_mutex_lock(&spare.lock);
    ClosurePage **place = find(&spare.first, abi, handler), *p = place ? *place : NULL;
    if (p) *place = p->next;
    pthread_mutex_unlock(&spare.lock);
    return p;
}

weft_fn closure_make(ClosurePool *pool, const char *abi, const ffi_cif *cif, ClosureHandler *handler,
                     void *user, Failure *f)
{
    ClosurePage **found = find(&pool->pages, abi, handler), *p = found ? *found : take_spare(abi, handler);
    if (!p && !(p = page_new(abi, cif, handler, f))) return NULL;
    if (!found) {
        p->next = pool->pages;
        pool->pages = p;
    }
    size_t i = p->used++;
    p->slots[i] = user;
    return (weft_fn)(uintptr_t)closure_at(p, i);
}

void closure_close(ClosurePool *pool)
{
    for (ClosurePage *p = pool->pages, *next; p; p = next) {
        next = p->next;
        for (size_t i = 0; i < p->used; i++) p->slots[i] = NULL;
        if (p->used == p->count) p->used = 0;
        pthread_mutex_lock(&spare.lock);
        ClosurePage **end = &spare.first;
        while (*end) end = &(*end)->next;
        *end = p;
        p->next = NULL;
        pthread_mutex_unlock(&spare.lock);
    }
    pool->pages = NULL;
}

/* As the library is unloaded: a closure leads into its code. */
__attribute__((destructor)) static void unload(void)
{
    for (ClosurePage *p = spare.first, *next; p; p = next) {
        next = p->next;
        munmap(p->memory, p->bytes);
        free(p);
    }
    spare.first = NULL;
}
