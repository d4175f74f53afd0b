/* key.h: what a call is known by in the cache: the function, the arguments' element types and shapes, and the
 * words of their structure (static numbers, counts, NULLs). */
#ifndef WEFT_CALL_KEY_H
#define WEFT_CALL_KEY_H
#include "fn.h"

typedef struct CallKey {
    const Function *fn;
    uint64_t hash;
    const HookSet *hooks; /* that it is traced under (fn.h) */
    uint64_t donated;     /* bit i: argument i may be computed over (only FN_JIT) */
    uint32_t n_in, n_words;
    Type *in;
    uint64_t *words;
} CallKey;

uint64_t key_hash(const CallKey *); /* of all but hash */
bool key_equal(const CallKey *, const CallKey *);
/* A deep copy: the key, its types, its words, all dims, in one block of key_bytes. */
size_t key_bytes(const CallKey *);
CallKey *key_place(void *block, const CallKey *);
CallKey *key_copy(Memory *, const CallKey *); /* NULL: out of memory */
void key_free(Memory *, CallKey *);           /* NULL: nothing */
#endif
