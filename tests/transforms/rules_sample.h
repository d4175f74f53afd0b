/* rules_sample.h: for suites of rules and hooks: structs and functions that rules and hooks are tried on. */
#ifndef WEFT_TESTS_RULES_SAMPLE_H
#define WEFT_TESTS_RULES_SAMPLE_H
#include "tests/support/context_suite.h"

typedef struct {
    weft_array *w, *b, *count;
} layer;
typedef struct {
    layer l[2];
    int scale;
} net;
typedef struct {
    weft_array **v;
    int n;
} list;
WEFT_STRUCT(layer, WEFT_ARRAY(layer, w), WEFT_ARRAY(layer, b), WEFT_ARRAY(layer, count));
WEFT_STRUCT(net, WEFT_TREE(net, l, layer), WEFT_STATIC(net, scale));
WEFT_STRUCT(list, WEFT_ARRAYS(list, v, n));

WEFT_SIGNATURE(net_fn, weft_array *, (const net *m, weft_array *x));
WEFT_SIGNATURE(net_grad_fn, weft_array *, (const net *m, weft_array *x, WEFT_OUT net *dm));
WEFT_SIGNATURE(jvp_of_unary, weft_array *, (weft_array * x, weft_array *dx, WEFT_OUT weft_array **dy));

static inline weft_array *cube(weft_array *x) { return weft_mul(x, weft_mul(x, x)); }
/* sum over layers of (x w + b), times the scale; count plays no part. */
static inline weft_array *apply(const net *m, weft_array *x)
{
    weft_array *y = weft_add(weft_mul(x, m->l[0].w), m->l[0].b);
    return weft_mul(weft_add(y, weft_add(weft_mul(x, m->l[1].w), m->l[1].b)), m->scale);
}
static inline net a_net(void)
{
    weft_array *count = weft_scalar_as(ctx, WEFT_I32, 7);
    return (net){ .l = { { ARRAY(1, 2), ARRAY(3, 4), count }, { ARRAY(5, 6), ARRAY(7, 8), count } },
                  .scale = 2 };
}
#endif
