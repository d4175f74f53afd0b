/* program_pack.c: a program as one block of bytes without addresses, for another process of the same
 * build.
 *
 * Structs go as they lie in memory. One walk meets every pointer of a program in a fixed order, with the
 * number of bytes that stand behind it; it serves three times. MEASURE adds the bytes up. WRITE copies
 * what stands behind a pointer to the end of the block and puts the distance from the start into the
 * copy of the pointer. READ turns that into an address again. The counts say where each piece lies
 * before it is met, so READ only accepts the distance that it expects, and only if the piece ends inside
 * the block: a damaged block is refused and never read past its end. What the numbers mean is not
 * checked.
 *
 * The data of constants, which may be large, stays behind: the back end does not read it.
 */
#include <string.h>
#include "program.h"

enum { ALIGN = 16 };

typedef enum { MEASURE, WRITE, READ } PackPass;
typedef struct Packer {
    PackPass pass;
    char *base;
    size_t used, size;
    bool damaged;
} Packer;

static size_t aligned(size_t bytes) { return (bytes + ALIGN - 1) & ~(size_t)(ALIGN - 1); }

/* What the pointer in `field` points to, `bytes` bytes: where the walk goes on. No bytes: the pointer
 * becomes NULL. */
static void *behind(Packer *w, void *field, size_t bytes)
{
    void *p, *here = NULL;
    memcpy(&p, field, sizeof p);
    if (w->pass == READ) {
        bool expected = p == (void *)(bytes ? w->used : 0);
        if (!expected || bytes > w->size - w->used) w->damaged = true;
        if (w->damaged) bytes = 0;
    }
    if (bytes) here = w->pass == MEASURE ? p : w->base + w->used;
    if (bytes && w->pass == WRITE) memcpy(here, p, bytes);
    p = w->pass == WRITE && bytes ? (void *)w->used : here;
    if (w->pass != MEASURE) memcpy(field, &p, sizeof p);
    w->used += aligned(bytes);
    return here;
}

static void text(Packer *w, const char **field)
{
    size_t bytes = 0;
    if (w->pass != READ) bytes = *field ? strlen(*field) + 1 : 0;
    else if (*field) {
        const char *start = w->base + w->used, *end = memchr(start, '\0', w->size - w->used);
        if (!end) w->damaged = true;
        else bytes = (size_t)(end - start) + 1;
    }
    behind(w, field, bytes);
}

static void walk_address(Packer *w, Address *a) { behind(w, &a->terms, a->n_terms * sizeof *a->terms); }

static void walk_kernel(Packer *w, Kernel *k)
{
    text(w, &k->name);
    Stmt *s = behind(w, &k->stmts, k->n_stmts * sizeof *s);
    for (uint32_t i = 0; i < k->n_stmts && !w->damaged; i++) {
        behind(w, &s[i].attr, stmt_has_attr(&s[i]) ? 2 * sizeof *s[i].attr : 0);
        walk_address(w, &s[i].address);
    }
}

static void walk_step(Packer *w, ProgramStep *s)
{
    behind(w, &s->buffers, s->n_buffers * sizeof *s->buffers);
    uint32_t n = s->kind == STEP_COUNT ? 1 : s->n_buffers;
    Address *at = behind(w, &s->at, s->at ? n * sizeof *at : 0);
    for (uint32_t i = 0; at && i < n; i++) walk_address(w, &at[i]);
    behind(w, &s->numbers, s->n_numbers * sizeof *s->numbers);
}

static void walk(Packer *w, Program *p)
{
    text(w, &p->name);
    behind(w, &p->arena, 0);
    Buffer *b = behind(w, &p->buffers, p->n_buffers * sizeof *b);
    for (uint32_t i = 0; i < p->n_buffers && !w->damaged; i++) behind(w, &b[i].data, 0);
    Kernel *k = behind(w, &p->kernels, p->n_kernels * sizeof *k);
    for (uint32_t i = 0; i < p->n_kernels && !w->damaged; i++) walk_kernel(w, &k[i]);
    ProgramStep *s = behind(w, &p->steps, p->n_steps * sizeof *s);
    for (uint32_t i = 0; i < p->n_steps && !w->damaged; i++) walk_step(w, &s[i]);
}

void *program_pack(Arena *arena, const Program *p, size_t *bytes)
{
    Program head = *p;
    Packer w = { .pass = MEASURE, .used = aligned(sizeof head) };
    walk(&w, &head);
    *bytes = w.used;
    w = (Packer){ .pass = WRITE, .base = arena_alloc(arena, *bytes), .used = aligned(sizeof head) };
    memcpy(w.base, p, sizeof *p);
    walk(&w, (Program *)(void *)w.base);
    return w.base;
}

Program *program_unpack(void *block, size_t bytes)
{
    Packer w = { .pass = READ, .base = block, .used = aligned(sizeof(Program)), .size = bytes };
    if (bytes < w.used || bytes % ALIGN) return NULL;
    walk(&w, block);
    return w.damaged || w.used != bytes ? NULL : block;
}
