/* kept.h: the bits of a result, kept to be compared with those that another context gives. */
#ifndef WEFT_TESTS_KEPT_H
#define WEFT_TESTS_KEPT_H
#include "weft.h"
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

typedef struct Kept {
    const char *name;
    size_t bytes;
    void *data;
} Kept;

static inline Kept keep(weft_context *c, const char *name, const weft_array *y)
{
    static const size_t bytes[] = {
        [WEFT_BOOL] = 1, [WEFT_I32] = 4, [WEFT_F32] = 4, [WEFT_BF16] = 2, [WEFT_F64] = 8
    };
    cr_assert_not_null(y, "%s: %s", name, weft_error(c));
    Kept k = { name, (size_t)weft_count(y) * bytes[weft_dtype_of(y)], NULL };
    cr_assert_gt(k.bytes, 0, "%s", name);
    k.data = malloc(k.bytes);
    memcpy(k.data, weft_data(y), k.bytes);
    return k;
}

static inline bool kept_same(const Kept *a, const Kept *b)
{
    return a->bytes == b->bytes && !memcmp(a->data, b->data, a->bytes);
}

static inline void kept_free(Kept *k, int n)
{
    for (int i = 0; i < n; i++) free(k[i].data);
}
#endif
