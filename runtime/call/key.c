/* key.c: what a call is known by in the cache. */
#include "cache.h"
#include <string.h>

static inline uint64_t mix(uint64_t h, uint64_t v)
{
    h = (h ^ v) * UINT64_C(0x9E3779B97F4A7C15);
    return h ^ h >> 29;
}

uint64_t key_hash(const CallKey *k)
{
    uint64_t h = mix(mix(k->donated, k->fn->serial), (uint64_t)(uintptr_t)k->hooks);
    for (uint32_t i = 0; i < k->n_in; i++) {
        const Type *t = &k->in[i];
        h = mix(h, (uint64_t)t->dtype << 8 | t->rank);
        for (int d = 0; d < t->rank; d++) h = mix(h, (uint64_t)t->dim[d]);
    }
    for (uint32_t i = 0; i < k->n_words; i++) h = mix(h, k->words[i]);
    return h;
}

bool key_equal(const CallKey *a, const CallKey *b)
{
    if (a->fn != b->fn || a->hooks != b->hooks || a->donated != b->donated || a->n_in != b->n_in ||
        a->n_words != b->n_words)
        return false;
    for (uint32_t i = 0; i < a->n_in; i++)
        if (!type_equal(a->in[i], b->in[i])) return false;
    return !a->n_words || !memcmp(a->words, b->words, a->n_words * sizeof *a->words);
}

size_t key_bytes(const CallKey *k)
{
    size_t dims = 0;
    for (uint32_t i = 0; i < k->n_in; i++) dims += k->in[i].rank;
    return sizeof *k + (size_t)k->n_in * sizeof(Type) + ((size_t)k->n_words + dims) * sizeof(int64_t);
}

CallKey *key_place(void *block, const CallKey *from)
{
    CallKey *k = block;
    *k = *from;
    k->in = (Type *)(k + 1);
    k->words = (uint64_t *)(k->in + k->n_in);
    int64_t *dim = (int64_t *)(k->words + k->n_words);
    if (k->n_words) memcpy(k->words, from->words, (size_t)k->n_words * sizeof *k->words);
    for (uint32_t i = 0; i < k->n_in; i++) {
        k->in[i] = from->in[i];
        k->in[i].dim = dim;
        if (k->in[i].rank) memcpy(dim, from->in[i].dim, k->in[i].rank * sizeof *dim);
        dim += k->in[i].rank;
    }
    return k;
}

CallKey *key_copy(Memory *m, const CallKey *from)
{
    void *block = memory_alloc(m, key_bytes(from));
    return block ? key_place(block, from) : NULL;
}

void key_free(Memory *m, CallKey *k)
{
    if (k) memory_free(m, k, key_bytes(k));
}
