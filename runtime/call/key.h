/* key.h: what a call is known by in the cache: the function, the arguments' element types and shapes, and the
 * words of their structure (static numbers, counts, NULLs). */
#ifndef WEFT_CALL_KEY_H
#define WEFT_CALL_KEY_H
#include "fn.h"

typedef struct Key {
    const Function *fn;
    uint64_t hash;
    const HookSet *hooks; /* that it is traced under (fn.h) */
    uint64_t donated;     /* bit i: argument i may be computed over (only FN_JIT) */
    uint32_t n_in, n_words;
    Type *in;
    uint64_t *words;
} Key;

uint64_t key_hash(const Key *); /* of all but hash */
bool key_equal(const Key *, const Key *);
/* A deep copy: the key, its types, its words, all dims, in one block of key_bytes. */
size_t key_bytes(const Key *);
Key *key_place(void *block, const Key *);
Key *key_copy(Memory *, const Key *); /* NULL: out of memory */
void key_free(Memory *, Key *);       /* NULL: nothing */
#endif
