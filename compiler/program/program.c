/* program.c: programs grow. */
#include "program.h"

uint32_t program_add_buffer(Arena *a, Program *p, Buffer b)
{
    p->buffers =
        arena_grow(a, p->buffers, p->n_buffers, &p->cap_buffers, p->n_buffers + 1, sizeof *p->buffers);
    b.alias = -1;
    p->buffers[p->n_buffers] = b;
    return p->n_buffers++;
}
