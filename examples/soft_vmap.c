/* soft_vmap.c: a batch that is too large for one vmap, in chunks: as many runs of the body as are needed and
 * not one more.
 *
 * weft_soft_vmap fills the last chunk up where the size does not divide; weft_map does the rest apart;
 * weft_vmap with max_bytes chooses the chunk itself. */
#include <stdio.h>
#include "weft.h"

typedef struct {
    weft_array *a, *b;
} pair;
WEFT_STRUCT(pair, WEFT_ARRAY(pair, a), WEFT_ARRAY(pair, b));
WEFT_SIGNATURE(twist_fn, void, (const pair *x, WEFT_OUT pair *y));

/* For ONE element. */
static void twist(const pair *x, pair *y)
{
    y->a = weft_mul(weft_expand_dims(x->a, 0), weft_ones(NULL, WEFT_F32, 4));
    y->b = weft_neg(x->b);
}

static uint64_t runs(weft_context *ctx, twist_fn *f, const pair *x, pair *y)
{
    uint64_t before = weft_stats(ctx).body_runs;
    f(x, y);
    return weft_stats(ctx).body_runs - before;
}

int main(void)
{
    weft_context *ctx = weft_open(NULL);
    weft_describe(ctx, pair);
    weft_declare(ctx, twist, twist_fn);
    int wrong = 0;
    printf("%8s %8s | runs of the body: %10s %10s\n", "size", "chunk", "soft_vmap", "map");
    static const int size[] = { 12, 16, 17, 100, 0 }, chunk[] = { 4, 16, 16, 7, 5 };
    for (int k = 0; k < 5; k++) {
        float v[100];
        for (int i = 0; i < size[k]; i++) v[i] = (float)i;
        weft_array *x = weft_from(ctx, v, size[k]);
        pair in = { x, x }, soft = { 0 }, rest = { 0 };
        uint64_t n = runs(ctx, weft_jit(ctx, weft_soft_vmap(ctx, twist, "0", .chunk = chunk[k])), &in, &soft);
        uint64_t m = runs(ctx, weft_jit(ctx, weft_map(ctx, twist, "0", .batch = chunk[k])), &in, &rest);
        printf("%8d %8d | %28llu %10llu\n", size[k], chunk[k], (unsigned long long)n, (unsigned long long)m);
        wrong += weft_error(ctx) || weft_dim(soft.a, 0) != size[k] ||
                 n != (uint64_t)((size[k] + chunk[k] - 1) / chunk[k]) || m != n;
        for (int i = 0; i < size[k]; i++)
            wrong += weft_f32(soft.a)[4 * i + 3] != v[i] || weft_f32(rest.b)[i] != -v[i];
    }
    if (weft_error(ctx)) fprintf(stderr, "%s\n", weft_error(ctx));
    weft_clear(ctx);
    weft_close(ctx);
    return wrong != 0;
}
