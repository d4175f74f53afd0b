/* tree_memory.c: see tree_memory.h. A block is the data of an array of bytes, so scopes need not know about it. */
#include "tree_memory.h"

typedef struct Head { _Alignas(16) size_t bytes; } Head;

static void release(void *memory, void *data)
{
    Head *h = (Head *)data - 1;
    memory_free(memory, h, h->bytes);
}

void *tree_memory_take(void *local, size_t bytes)
{
    Local *l = local;
    int64_t count = (int64_t)bytes;
    Head *h = memory_alloc(&l->ctx->memory, sizeof *h + bytes);
    if (!h) return NULL;
    h->bytes = sizeof *h + bytes;
    weft_array *a = array_head(l, (Type){ WEFT_U8, 1, &count });
    if (!a) {
        memory_free(&l->ctx->memory, h, h->bytes);
        return NULL;
    }
    a->data = h + 1;
    a->release = release;
    a->user = &l->ctx->memory;
    scope_add(l, a);
    return a->data;
}
