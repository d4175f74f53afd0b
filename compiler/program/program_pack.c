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
 * The back end reads neither the data of constants, which may be large, nor the user's lines: they stay
 * behind.
 */
#include <string.h>
#include "program.h"

enum { ALIGN = 16 };

typedef enum { MEASURE, WRITE, READ } Way;
typedef struct Image {
    Way way;
    char *base;
    size_t used, size;
    bool damaged;
} Image;

static size_t aligned(size_t bytes) { return (bytes + ALIGN - 1) & ~(size_t)(ALIGN - 1); }

/* What the pointer in `field` points to, `bytes` bytes: where the walk goes on. No bytes: the pointer
 * becomes NULL. */
static void *behind(Image *im, void *field, size_t bytes)
{
    void *p, *here = NULL;
    memcpy(&p, field, sizeof p);
    if (im->way == READ) {
        bool expected = p == (void *)(bytes ? im->used : 0);
        if (!expected || bytes > im->size - im->used) im->damaged = true;
        if (im->damaged) bytes = 0;
    }
    if (bytes) here = im->way == MEASURE ? p : im->base + im->used;
    if (bytes && im->way == WRITE) memcpy(here, p, bytes);
    p = im->way == WRITE && bytes ? (void *)im->used : here;
    if (im->way != MEASURE) memcpy(field, &p, sizeof p);
    im->used += aligned(bytes);
    return here;
}

static void text(Image *im, const char **field)
{
    size_t bytes = 0;
    if (im->way != READ) bytes = *field ? strlen(*field) + 1 : 0;
    else if (*field) {
        const char *start = im->base + im->used, *end = memchr(start, '\0', im->size - im->used);
        if (!end) im->damaged = true;
        else bytes = (size_t)(end - start) + 1;
    }
    behind(im, field, bytes);
}

static void walk_address(Image *im, Address *a) { behind(im, &a->terms, a->n_terms * sizeof *a->terms); }

static void walk_kernel(Image *im, Kernel *k)
{
    text(im, &k->name);
    Stmt *s = behind(im, &k->stmts, k->n_stmts * sizeof *s);
    for (uint32_t i = 0; i < k->n_stmts && !im->damaged; i++) {
        behind(im, &s[i].attr, stmt_has_attr(&s[i]) ? 2 * sizeof *s[i].attr : 0);
        walk_address(im, &s[i].address);
    }
}

static void walk_step(Image *im, ProgramStep *s)
{
    behind(im, &s->buffers, s->n_buffers * sizeof *s->buffers);
    Address *at = behind(im, &s->at, s->at ? s->n_buffers * sizeof *at : 0);
    for (uint32_t i = 0; at && i < s->n_buffers; i++) walk_address(im, &at[i]);
    behind(im, &s->numbers, s->n_numbers * sizeof *s->numbers);
}

static void walk(Image *im, Program *p)
{
    text(im, &p->name);
    behind(im, &p->arena, 0);
    behind(im, &p->locs, 0);
    Buffer *b = behind(im, &p->buffers, p->n_buffers * sizeof *b);
    for (uint32_t i = 0; i < p->n_buffers && !im->damaged; i++) behind(im, &b[i].data, 0);
    Kernel *k = behind(im, &p->kernels, p->n_kernels * sizeof *k);
    for (uint32_t i = 0; i < p->n_kernels && !im->damaged; i++) walk_kernel(im, &k[i]);
    ProgramStep *s = behind(im, &p->steps, p->n_steps * sizeof *s);
    for (uint32_t i = 0; i < p->n_steps && !im->damaged; i++) walk_step(im, &s[i]);
}

void *program_pack(Arena *arena, const Program *p, size_t *bytes)
{
    Program head = *p;
    Image im = { .way = MEASURE, .used = aligned(sizeof head) };
    walk(&im, &head);
    *bytes = im.used;
    im = (Image){ .way = WRITE, .base = arena_alloc(arena, *bytes), .used = aligned(sizeof head) };
    memcpy(im.base, p, sizeof *p);
    walk(&im, (Program *)(void *)im.base);
    return im.base;
}

Program *program_unpack(void *block, size_t bytes)
{
    Image im = { .way = READ, .base = block, .used = aligned(sizeof(Program)), .size = bytes };
    if (bytes < im.used || bytes % ALIGN) return NULL;
    walk(&im, block);
    return im.damaged || im.used != bytes ? NULL : block;
}
