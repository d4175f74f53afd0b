/* cxx17.cpp: the same from C++17: structs as trees, numbers in ops, transforms; options are said with builders, for C++17 has no designators. */
#include "weft.h"
#include <cstdio>

struct layer { weft_array *w, *b; };
struct net { layer l[2]; int uses; };
WEFT_STRUCT(layer, WEFT_ARRAY(layer, w), WEFT_ARRAY(layer, b));
WEFT_STRUCT(net, WEFT_TREE(net, l, layer), WEFT_HIDDEN(net, uses));
WEFT_SIGNATURE(predict_fn, weft_array *, (const net *m, weft_array *x));

static weft_array *predict(const net *m, weft_array *x) { return weft_relu(weft_add(weft_matmul(m->l[0].w, x), m->l[0].b)); }
static weft_array *gelu(weft_array *x) { return weft_mul(weft_mul(x, 0.5f), weft_add(weft_erf(weft_mul(x, 0.70710678)), 1)); }
static weft_array *decay(weft_array *h, weft_array *x) { return weft_add(weft_mul(h, 0.5), x); }

int main() {
    weft_context *ctx = weft_open(nullptr);
    weft_describe(ctx, net);
    weft_declare(ctx, predict, predict_fn);
    weft_declare(ctx, gelu, weft_unary);
    weft_declare(ctx, decay, weft_binary);
    predict_fn *all = weft_jit(ctx, weft_vmap(ctx, predict, "none, 0"));
    auto fast = weft_jit(ctx, gelu);
    weft_print(fast(weft_linspace(ctx, -3, 3, 8)));

    const float w[] = { 1, 2, 3, 4 }, b[] = { .5f, -50 };
    net m = {};
    m.l[0] = { weft_from(ctx, w, 2, 2), weft_from(ctx, b, 2) };
    m.l[1] = m.l[0];
    const weft_array *x = weft_from(ctx, w, 2, 2);
    weft_print(all(&m, weft_mul(x, 2L)));
    const net two[2] = { m, m };
    net both = {};
    weft_stack(ctx, net, two, 2, &both);
    weft_print(both.l[1].b);
    weft_print(weft_sum(x, weft::over().axes("0")));

    auto backwards = weft_jit(ctx, weft_scan(ctx, decay, "carry, 0", weft::control().reverse()));
    weft_print(backwards(weft_scalar(ctx, 0), weft_linspace(ctx, 1, 4, 4)));
    bool good = !weft_error(ctx);
    if (!good) std::fprintf(stderr, "%s\n", weft_error(ctx));
    weft_clear(ctx);
    weft_close(ctx);
    return !good;
}
