/* plan.c: offsets of temporaries: first fit over the buffers by size, largest first, each against those placed already whose lives meet its own.
 * Row buffers (LOCAL) live within one kernel. */
#include "plan.h"
#include <stdlib.h>

typedef struct Life { uint32_t buffer, first, last; int64_t bytes, offset; } Life;

static int by_size(const void *a, const void *b)
{
    const Life *x = a, *y = b;
    if (x->bytes != y->bytes) return x->bytes > y->bytes ? -1 : 1;
    return x->buffer < y->buffer ? -1 : x->buffer > y->buffer;
}

static int by_offset(const void *a, const void *b)
{
    const Life *x = *(Life *const *)a, *y = *(Life *const *)b;
    return x->offset < y->offset ? -1 : x->offset > y->offset;
}

static void place(Life *life, uint32_t k, Life **meeting)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < k; i++)
        if (life[i].first <= life[k].last && life[k].first <= life[i].last) meeting[n++] = &life[i];
    qsort(meeting, n, sizeof *meeting, by_offset);
    int64_t at = 0;
    for (uint32_t i = 0; i < n && meeting[i]->offset < at + life[k].bytes; i++) {
        int64_t end = meeting[i]->offset + meeting[i]->bytes;
        if (end > at) at = end;
    }
    life[k].offset = at;
}

void plan_buffers(Arena *arena, Program *p)
{
    Life *life = arena_alloc(arena, (p->n_buffers + 1) * sizeof *life), **meeting = arena_alloc(arena, (p->n_buffers + 1) * sizeof *meeting);
    uint32_t *slot = arena_alloc(arena, (p->n_buffers + 1) * sizeof *slot), n = 0;
    for (uint32_t i = 0; i < p->n_buffers; i++) {
        const Buffer *b = &p->buffers[i];
        if (b->kind != BUF_TEMP && b->kind != BUF_LOCAL) continue;
        int64_t bytes = (b->count * (int64_t)dtype_bytes((DType)b->dtype) + 63) / 64 * 64;
        slot[i] = n + 1;
        life[n++] = (Life){ .buffer = i, .first = UINT32_MAX, .bytes = bytes };
    }
    for (uint32_t k = 0; k < p->n_kernels; k++)
        for (uint32_t s = 0; s < p->kernels[k].n_stmts; s++) {
            const Stmt *t = &p->kernels[k].stmts[s];
            if ((t->kind != ST_LOAD && t->kind != ST_STORE) || !slot[t->buffer]) continue;
            Life *l = &life[slot[t->buffer] - 1];
            if (l->first == UINT32_MAX) l->first = k;
            l->last = k;
        }
    qsort(life, n, sizeof *life, by_size);
    for (uint32_t i = 0; i < n; i++) {
        if (life[i].first == UINT32_MAX) { p->buffers[life[i].buffer].count = 0; continue; }
        place(life, i, meeting);
        p->buffers[life[i].buffer].offset = life[i].offset;
        if ((size_t)(life[i].offset + life[i].bytes) > p->scratch_bytes) p->scratch_bytes = (size_t)(life[i].offset + life[i].bytes);
    }
}
