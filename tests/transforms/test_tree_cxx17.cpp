// Trees from C++17: each macro, through jit and vmap and back.
#include <cmath>
#include <cstdio>
#include "weft.h"

struct layer { weft_array *w, *b; };
enum class kind : unsigned char { relu, tanh };
struct node;
struct node { weft_array *v; node *next; };
struct net { layer l[2]; kind act; bool flag; int dims[2]; double slope; unsigned short n; weft_array **xs; layer *ls; long n_ls; node *list; weft_array *cache; int uses; };
WEFT_STRUCT_LATER(node);
WEFT_STRUCT(layer, WEFT_ARRAY(layer, w), WEFT_ARRAY(layer, b));
WEFT_STRUCT(node, WEFT_ARRAY(node, v), WEFT_POINTER(node, next, node));
WEFT_STRUCT(net, WEFT_TREE(net, l, layer), WEFT_STATIC(net, act), WEFT_STATIC(net, flag), WEFT_STATIC(net, dims), WEFT_STATIC(net, slope), WEFT_ARRAYS(net, xs, n),
            WEFT_TREES(net, ls, layer, n_ls), WEFT_POINTER(net, list, node), WEFT_LAZY(net, cache), WEFT_HIDDEN(net, uses));
WEFT_SIGNATURE(sum_fn, weft_array *, (const net *m, weft_array *x, WEFT_OUT layer *out));
WEFT_SIGNATURE(step_fn, void, (net *m, weft_array *x));

static weft_array *sum(const net *m, weft_array *x, layer *out)
{
    weft_array *s = weft_add(weft_mul(m->l[0].w, x), m->l[1].b);
    for (int i = 0; i < m->n; i++) s = weft_add(s, m->xs[i]);
    for (long i = 0; i < m->n_ls; i++) s = weft_add(s, m->ls[i].w);
    for (const node *p = m->list; p; p = p->next) s = weft_add(s, p->v);
    out->w = weft_neg(s);
    out->b = weft_mul(s, m->act == kind::tanh ? m->slope : 0.0);
    return s;
}

static void step(net *m, weft_array *x) { m->l[0].w = weft_add(m->l[0].w, x); }

static int failed = 0;
static void expect(bool good, const char *what)
{
    if (good) return;
    failed = 1;
    std::fprintf(stderr, "%s: %s\n", what, weft_error(nullptr) ? weft_error(nullptr) : "no error");
}

int main()
{
    weft_context *ctx = weft_open(nullptr);
    weft_describe(ctx, net);
    weft_declare(ctx, sum, sum_fn);
    weft_declare(ctx, step, step_fn);
    const float data[] = { 1, 2, 3 };
    weft_array *a = weft_from(ctx, data, 3), *xs[] = { a, a };
    layer ls[1] = { { a, a } };
    node last = { a, nullptr }, first = { a, &last };
    net m = { { { a, a }, { a, a } }, kind::tanh, true, { 1, 2 }, 0.5, 2, xs, ls, 1, &first, nullptr, 0 }, all = {}, back[2] = {};
    layer out = {};

    weft_array *s = weft_vmap(ctx, sum, "0")(&m, a, &out);
    expect(s && weft_f32(s)[2] == 9 + 6 * 3 && weft_f32(out.b)[0] == 3.5f && weft_f32(out.w)[0] == -7, "vmap");
    s = weft_vmap(ctx, sum, "none", weft_vmap_options{ 2, 0, 0 })(&m, a, &out);
    expect(s && weft_dim(s, 0) == 2, "a size that is given");
    weft_vmap(ctx, step, "{l: 0}, 0")(&m, a);
    expect(m.l[0].w && weft_f32(m.l[0].w)[2] == 6, "in-out");

    const net two[2] = { m, m };
    expect(weft_stack(ctx, net, two, 2, &all) == WEFT_OK && weft_rank(all.list->next->v) == 2, "stack");
    expect(weft_unstack(ctx, net, &all, 2, back) == WEFT_OK && weft_f32(back[1].l[0].w)[1] == 4, "unstack");
    expect(weft_check_structure(ctx, net, &back[0], &m) == WEFT_OK, "one structure");
    expect(weft_tree_map2(ctx, net, weft_add, &all, &back[0], &back[1]) == WEFT_OK && weft_f32(all.xs[1])[0] == 2, "map");
    expect(weft_assign(&net_tree, &back[0], &back[1]) == WEFT_OK, "assign");
    weft_array *leaf[32];
    expect(weft_flatten(ctx, net, &m, leaf, 32) == 10 && weft_unflatten(ctx, net, &m, leaf, 10, &all) == WEFT_OK, "flatten");
    expect(weft_leaf_count(&layer_tree) == 2 && *weft_leaf(&net_tree, &m, 1) == m.l[0].b, "leaves");
    expect(weft_memory(ctx, 100) != nullptr, "memory");
    weft_close(ctx);
    return failed;
}
