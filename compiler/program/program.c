/* program.c: programs grow. */
#include "program.h"

uint32_t program_add_buffer(Arena *a, Program *p, Buffer b)
{
    b.alias = -1;
    ARENA_PUSH(a, p->buffers, p->n_buffers, p->cap_buffers) = b;
    return p->n_buffers - 1;
}
