/* Copies of structs that have lists and pointers, and what weft_assign says of copies that share them. */
#include <string.h>
#include "tests/support/context_suite.h"

typedef struct {
    weft_array *w;
} layer;
WEFT_STRUCT(layer, WEFT_ARRAY(layer, w));
typedef struct {
    layer *l;
    int n;
    weft_array **bias;
    int n_bias;
    layer *head;
    weft_array *scale;
    double rate;
    int uses;
} net;
WEFT_STRUCT(net, WEFT_TREES(net, l, layer, n), WEFT_ARRAYS(net, bias, n_bias), WEFT_POINTER(net, head, layer),
            WEFT_ARRAY(net, scale), WEFT_STATIC(net, rate), WEFT_HIDDEN(net, uses));
WEFT_SIGNATURE(step_fn, void, (net * m));

static void setup(void)
{
    open_context();
    weft_describe(ctx, net);
}

TestSuite(tree_copy, .init = setup, .fini = close_context);

static void step(net *m)
{
    for (int i = 0; i < weft_leaf_count_of(&net_tree, m); i++) {
        weft_array **p = weft_leaf(&net_tree, m, i);
        *p = weft_add(*p, m->rate);
    }
}

typedef struct {
    net m;
    layer l[2], head;
    weft_array *bias[2];
} whole;
static void fill(whole *x)
{
    for (int i = 0; i < 2; i++)
        x->l[i].w = weft_zeros(ctx, WEFT_F32, 3), x->bias[i] = weft_zeros(ctx, WEFT_F32, 2);
    x->head.w = weft_zeros(ctx, WEFT_F32, 4);
    x->m = (net){ x->l, 2, x->bias, 2, &x->head, weft_scalar(ctx, 0), 0.5, 7 };
}

Test(tree_copy, has_lists_of_its_own)
{
    whole x;
    fill(&x);
    net copy = { .uses = 3 };
    cr_assert_eq(weft_copy_tree(ctx, net, &x.m, &copy), WEFT_OK);
    cr_expect(copy.l != x.m.l && copy.bias != x.m.bias && copy.head != x.m.head);
    cr_expect(copy.n == 2 && copy.n_bias == 2 && copy.rate == 0.5 && copy.uses == 3,
              "statics go along, hidden fields do not");
    cr_expect(copy.l[1].w == x.l[1].w && copy.bias[0] == x.bias[0] && copy.head->w == x.head.w &&
                  copy.scale == x.m.scale,
              "the arrays are the same");
    weft_declare(ctx, step, step_fn);
    weft_jit(ctx, step)(&copy);
    cr_expect_null(weft_error(ctx));
    cr_expect(weft_f32(copy.l[1].w)[2] == 0.5f && weft_f32(x.l[1].w)[2] == 0 && weft_f32(x.head.w)[0] == 0);
}

Test(tree_copy, training_does_not_grow)
{
    whole x;
    fill(&x);
    weft_declare(ctx, step, step_fn);
    step_fn *fast = weft_jit(ctx, step);
    uint64_t alive = 0;
    for (int i = 0; i < 50; i++) {
        weft_scope *scope = weft_scope_open(ctx);
        net next;
        weft_copy_tree(ctx, net, &x.m, &next);
        fast(&next);
        cr_assert_eq(weft_assign(&net_tree, &x.m, &next), WEFT_OK, "%s", weft_error(ctx));
        weft_scope_close(scope);
        if (i == 2) alive = weft_stats(ctx).arrays;
    }
    cr_expect_eq(weft_stats(ctx).arrays, alive);
    cr_expect(weft_f32(x.l[0].w)[0] == 25 && weft_item(x.m.scale) == 25);
}

Test(tree_copy, what_is_shared_is_an_error)
{
    whole x;
    fill(&x);
    weft_declare(ctx, step, step_fn);
    weft_scope *scope = weft_scope_open(ctx);
    net next = x.m;
    step(&next);
    cr_expect_eq(weft_assign(&net_tree, &x.m, &next), WEFT_ARGUMENT);
    const char *text = weft_error(ctx);
    cr_assert_not_null(text);
    cr_expect(
        strstr(text, "test_tree_copy.c:") &&
            strstr(text,
                   "weft_assign: the destination and the source share the memory in which l[0].w lies") &&
            strstr(text, "weft_copy_tree"),
        "%s", text);
    weft_clear(ctx);
    cr_expect_eq(weft_assign(&net_tree, &x.m, &x.m), WEFT_OK, "a struct keeps its own");
    weft_scope_close(scope);
    cr_expect(weft_f32(x.l[0].w)[0] == 0.5f);
}

Test(tree_copy, bad_input)
{
    net out;
    whole x;
    fill(&x);
    cr_expect_eq(weft_copy_tree_(ctx, &net_tree, NULL, &out, "here:1"), WEFT_ARGUMENT);
    weft_clear(ctx);
    cr_expect_eq(weft_copy_tree(ctx, net, &x.m, &x.m), WEFT_ARGUMENT);
    cr_expect(strstr(weft_error(ctx), "cannot be copied to itself"));
    weft_clear(ctx);
    x.m.n = -1;
    cr_expect_neq(weft_copy_tree(ctx, net, &x.m, &out), WEFT_OK);
    cr_expect(out.l == NULL && out.scale == NULL && out.n == 0, "it is empty");
    weft_clear(ctx);
}
