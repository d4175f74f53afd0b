/* tree_memory.c: see tree_whole.h. A block is the data of an array of bytes, so scopes need not know about
 * it. A table of the context finds that array by the block's address; it is there while blocks are. */
#include "tree_whole.h"

typedef struct BlockHead {
    _Alignas(16) weft_array *owner;
    size_t bytes;
} BlockHead;

/* Open addressing; a block that goes is refilled from behind it, so there are no marks of deleted ones. */
struct TreeBlocks {
    void **slot;
    size_t size, n;
};
enum { FIRST_SIZE = 64 };

static size_t place_of(const TreeBlocks *t, const void *block)
{
    return (size_t)((uint64_t)(uintptr_t)block * UINT64_C(0x9E3779B97F4A7C15) >> 20) & (t->size - 1);
}

static size_t find(const TreeBlocks *t, const void *block)
{
    size_t i = place_of(t, block);
    while (t->slot[i] && t->slot[i] != block) i = (i + 1) & (t->size - 1);
    return i;
}

static bool resize(Memory *m, TreeBlocks *t, size_t size)
{
    TreeBlocks new = { .slot = memory_alloc(m, size * sizeof *new.slot), .size = size, .n = t->n };
    if (!new.slot) return false;
    for (size_t i = 0; i < t->size; i++)
        if (t->slot[i]) new.slot[find(&new, t->slot[i])] = t->slot[i];
    if (t->slot) memory_free(m, t->slot, t->size * sizeof *t->slot);
    *t = new;
    return true;
}

static bool add(weft_context *ctx, void *block)
{
    LOCK(&ctx->lock);
    TreeBlocks *t = ctx->tree_blocks;
    if (!t && !(t = ctx->tree_blocks = memory_alloc(&ctx->memory, sizeof *t))) return false;
    if (2 * t->n >= t->size && !resize(&ctx->memory, t, t->size ? 2 * t->size : FIRST_SIZE)) return false;
    t->slot[find(t, block)] = block;
    t->n++;
    return true;
}

static void drop(weft_context *ctx, const void *block)
{
    LOCK(&ctx->lock);
    TreeBlocks *t = ctx->tree_blocks;
    size_t hole = find(t, block);
    t->slot[hole] = NULL;
    for (size_t i = (hole + 1) & (t->size - 1); t->slot[i]; i = (i + 1) & (t->size - 1)) {
        void *moved = t->slot[i];
        t->slot[i] = NULL;
        t->slot[find(t, moved)] = moved;
    }
    if (--t->n) return;
    memory_free(&ctx->memory, t->slot, t->size * sizeof *t->slot);
    memory_free(&ctx->memory, t, sizeof *t);
    ctx->tree_blocks = NULL;
}

/* ---- blocks ---- */

static void release(void *user, void *data)
{
    weft_context *ctx = user;
    BlockHead *h = (BlockHead *)data - 1;
    drop(ctx, data);
    memory_free(&ctx->memory, h, h->bytes);
}

void *tree_memory_take(void *local, size_t bytes)
{
    Local *l = local;
    weft_context *ctx = l->ctx;
    int64_t count = (int64_t)bytes;
    size_t whole = sizeof(BlockHead) + bytes;
    BlockHead *h = count < 0 || whole < bytes ? NULL : memory_alloc(&ctx->memory, whole);
    if (!h) return NULL;
    weft_array *a = array_head(l, (Type){ WEFT_U8, 1, &count });
    if (!a || !add(ctx, h + 1)) {
        if (a) array_release(a);
        memory_free(&ctx->memory, h, whole);
        return NULL;
    }
    *h = (BlockHead){ a, whole };
    a->data = h + 1;
    a->release = release;
    a->user = ctx;
    scope_add(l, a);
    return a->data;
}

weft_array *tree_memory_owner(weft_context *ctx, const void *block)
{
    LOCK(&ctx->lock);
    const TreeBlocks *t = ctx->tree_blocks;
    return t && block && t->slot[find(t, block)] ? ((const BlockHead *)block - 1)->owner : NULL;
}
