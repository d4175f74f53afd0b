/* vmap over structs: axes by text for arguments, leaves and results, sizes that agree and that do not, and
 * the words for it. */
#include <stdio.h>
#include <string.h>
#include "runtime/memory/context.h"
#include "tests/support/context_suite.h"

typedef struct {
    weft_array *w, *b;
} layer;
typedef struct {
    layer l[2];
    int order;
} net;
typedef struct node node;
struct node {
    weft_array *v;
    node *next;
};
typedef struct {
    weft_array **xs;
    int n;
    layer *ls;
    int n_ls;
    weft_array *pair[2], *cache;
} lists;
typedef struct {
    weft_array *z;
    node *more;
} state;
WEFT_STRUCT(layer, WEFT_ARRAY(layer, w), WEFT_ARRAY(layer, b));
WEFT_STRUCT(net, WEFT_TREE(net, l, layer), WEFT_STATIC(net, order));
WEFT_STRUCT(node, WEFT_ARRAY(node, v), WEFT_POINTER(node, next, node));
WEFT_STRUCT(lists, WEFT_ARRAYS(lists, xs, n), WEFT_TREES(lists, ls, layer, n_ls), WEFT_ARRAY(lists, pair),
            WEFT_LAZY(lists, cache));
WEFT_STRUCT(state, WEFT_ARRAY(state, z), WEFT_POINTER(state, more, node));

static float data[256];

static void setup(void)
{
    open_context();
    weft_describe(ctx, net);
    weft_describe(ctx, lists);
    weft_describe(ctx, state);
    for (int i = 0; i < 256; i++) data[i] = (float)i;
}

TestSuite(tree_vmap, .init = setup, .fini = close_context);

static bool same(weft_array *a, weft_array *b)
{
    if (!a || !b || weft_rank(a) != weft_rank(b)) return false;
    for (int i = 0; i < weft_rank(a); i++)
        if (weft_dim(a, i) != weft_dim(b, i)) return false;
    return !memcmp(weft_f32(a), weft_f32(b), (size_t)weft_count(a) * sizeof(float));
}

static weft_array *array(int rank, int64_t a, int64_t b, int64_t c)
{
    return weft_from_shape(ctx, WEFT_F32, data, rank, ((int64_t[]){ a, b, c }));
}

/* ---- values ---- */

WEFT_SIGNATURE(layer_fn, weft_array *, (const layer *m, weft_array *x));
static weft_array *affine(const layer *m, weft_array *x) { return weft_add(weft_matmul(m->w, x), m->b); }

/* The batch of 3 by a loop: each leaf's slice along its axis. */
static weft_array *by_loop(layer m, int w_axis, int b_axis, weft_array *x, int x_axis)
{
    weft_array *row[3];
    for (int i = 0; i < 3; i++) {
        layer one = { w_axis < 0 ? m.w : weft_take(m.w, i, w_axis),
                      b_axis < 0 ? m.b : weft_take(m.b, i, b_axis) };
        row[i] = affine(&one, x_axis < 0 ? x : weft_take(x, i, x_axis));
    }
    return weft_stack_arrays(0, row[0], row[1], row[2]);
}

typedef struct {
    const char *axes;
    int w, b, x;
} Case;

Test(tree_vmap, axes_per_argument_and_per_leaf)
{
    static const Case cases[] = {
        { "0, none", 0, 0, -1 },
        { "0", 0, 0, 0 },
        { "none, 0", -1, -1, 0 },
        { "none, 1", -1, -1, 1 },
        { "none, -1", -1, -1, 1 },
        { "{w: 0, b: none}, 1", 0, -1, 1 },
        { "{w: 2, b: 1}, none", 2, 1, -1 },
        { "{b: -1}, none", -1, 1, -1 },
        { " { b : 0 , w : 1 } ,none ", 1, 0, -1 },
        { "{w: -1}, -2", 2, -1, 0 },
        { "{}, 0", -1, -1, 0 },
        { "{w: -3, b: -2}, none", 0, 0, -1 },
    };
    weft_declare(ctx, affine, layer_fn);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const Case *c = &cases[i];
        int64_t w[3] = { 4, 2 }, b[2] = { 4 }, x[2] = { 2 };
        int w_rank = 2, b_rank = 1, x_rank = 1;
        if (c->w >= 0)
            for (int k = w_rank++; k >= c->w; k--) w[k] = k == c->w ? 3 : w[k - 1];
        if (c->b >= 0)
            for (int k = b_rank++; k >= c->b; k--) b[k] = k == c->b ? 3 : b[k - 1];
        if (c->x >= 0)
            for (int k = x_rank++; k >= c->x; k--) x[k] = k == c->x ? 3 : x[k - 1];
        layer m = { weft_from_shape(ctx, WEFT_F32, data, w_rank, w),
                    weft_from_shape(ctx, WEFT_F32, data + 7, b_rank, b) };
        weft_array *xs = weft_from_shape(ctx, WEFT_F32, data + 1, x_rank, x);
        cr_expect(same(weft_vmap(ctx, affine, c->axes)(&m, xs), by_loop(m, c->w, c->b, xs, c->x)), "%s: %s",
                  c->axes, weft_error(ctx));
        weft_clear(ctx);
    }
}

WEFT_SIGNATURE(net_fn, weft_array *, (const net *m, weft_array *x));
static weft_array *mlp(const net *m, weft_array *x)
{
    return affine(&m->l[1], weft_relu(affine(&m->l[0], x)));
}

static net make_net(int64_t n, int in, int hidden, int out)
{
    return (net){ .l = { { array(3, n, hidden, in), array(2, n, hidden, 0) },
                         { array(3, n, out, hidden), array(2, n, out, 0) } } };
}

static net model(const net *m, int i)
{
    net one = *m;
    for (int k = 0; k < 4; k++)
        *weft_leaf(&net_tree, &one, k) = weft_take(*weft_leaf(&net_tree, &one, k), i, 0);
    return one;
}

Test(tree_vmap, nested_structs_and_nested_maps)
{
    net all = make_net(3, 2, 3, 4);
    weft_array *x = array(2, 5, 2, 0);
    weft_declare(ctx, mlp, net_fn);
    net_fn *each = weft_vmap(ctx, mlp, "0, none"),
           *both = weft_vmap(ctx, weft_vmap(ctx, mlp, "none, 0"), "0, none"),
           *named = weft_vmap(ctx, mlp, "{l: {w: 0, b: 0}}, none");
    net_fn *swapped = weft_vmap(ctx, weft_vmap(ctx, mlp, "{l: 0}, none"), "none, 0"),
           *listed = weft_vmap(ctx, mlp, "{l: [0, {w: 0, b: 0}]}, none -> 1");
    weft_array *square = both(&all, x), *other = swapped(&all, x);
    cr_assert(square && other, "%s", weft_error(ctx));
    cr_expect(same(other, weft_swapaxes(square, 0, 1)));
    for (int i = 0; i < 3; i++) {
        net one = model(&all, i);
        for (int k = 0; k < 5; k++) {
            weft_array *xk = weft_take(x, k, 0);
            cr_expect(same(weft_take(weft_take(square, i, 0), k, 0), mlp(&one, xk)));
            cr_expect(same(weft_take(each(&all, xk), i, 0), mlp(&one, xk)));
            cr_expect(same(weft_take(named(&all, xk), i, 0), mlp(&one, xk)));
            cr_expect(same(weft_take(listed(&all, xk), i, 1), mlp(&one, xk)));
        }
    }
    cr_expect_null(weft_error(ctx), "%s", weft_error(ctx));
}

Test(tree_vmap, one_model_of_three_is_mapped_in_part)
{
    net all = make_net(3, 2, 3, 4), one = model(&all, 1);
    one.l[1].b = all.l[1].b;
    weft_declare(ctx, mlp, net_fn);
    weft_array *x = array(1, 2, 0, 0), *r = weft_vmap(ctx, mlp, "{l: [none, {b: 0}]}, none")(&one, x);
    cr_assert_not_null(r, "%s", weft_error(ctx));
    for (int i = 0; i < 3; i++) {
        net m = one;
        m.l[1].b = weft_take(all.l[1].b, i, 0);
        cr_expect(same(weft_take(r, i, 0), mlp(&m, x)));
    }
}

WEFT_SIGNATURE(lists_fn, weft_array *, (const lists *m));
static weft_array *sum_lists(const lists *m)
{
    weft_array *s = weft_add(weft_sum(m->pair[0]), weft_sum(m->pair[1]));
    for (int i = 0; i < m->n; i++) s = weft_add(s, weft_sum(weft_mul(m->xs[i], i + 1)));
    for (int i = 0; i < m->n_ls; i++) s = weft_add(s, weft_add(weft_sum(m->ls[i].w), weft_sum(m->ls[i].b)));
    return s;
}

Test(tree_vmap, lists_with_run_time_counts)
{
    weft_array *v = array(1, 2, 0, 0), *xs[3] = { v, v, v };
    layer ls[1] = { { v, v } };
    lists m = { .xs = xs, .n = 3, .ls = ls, .n_ls = 1, .pair = { v, v } };
    weft_declare(ctx, sum_lists, lists_fn);
    weft_array *r = weft_vmap(ctx, sum_lists, "{xs: 0, ls: {w: 0, b: 0}, pair: [0, 0]}")(&m);
    cr_assert(r && weft_f32(r)[1] == 10, "%s", weft_error(ctx));
    r = weft_vmap(ctx, sum_lists, "{xs: [0, none, none]}")(&m);
    cr_assert(r && weft_f32(r)[1] == 1 + 2 + 3 + 1 + 1 + 1 + 1, "%s", weft_error(ctx));
    cr_expect_null(weft_vmap(ctx, sum_lists, "{xs: [0, none]}")(&m));
    cr_expect(error_has("2 axes for the list of 3 that m.xs[0] is in"));
    m.n = 2;
    cr_expect_not_null(weft_vmap(ctx, sum_lists, "{xs: [0, none]}")(&m));
    cr_expect_null(weft_error(ctx));
}

/* ---- results ---- */

WEFT_SIGNATURE(split_fn, weft_array *, (weft_array * x, WEFT_OUT layer *parts, WEFT_OUT weft_array **sum));
static weft_array *split(weft_array *x, layer *parts, weft_array **sum)
{
    parts->w = weft_mul(x, 2);
    parts->b = weft_scalar(NULL, 7);
    *sum = weft_sum(x);
    return weft_neg(x);
}

Test(tree_vmap, axes_of_results)
{
    weft_declare(ctx, split, split_fn);
    weft_array *x = array(2, 3, 2, 0), *sum, *r;
    layer parts;
    r = weft_vmap(ctx, split, "0")(x, &parts, &sum);
    cr_expect(weft_dim(r, 0) == 3 && weft_dim(parts.w, 0) == 3 && weft_rank(parts.b) == 1 &&
              weft_dim(sum, 0) == 3);
    r = weft_vmap(ctx, split, "0 -> 1, {w: -1, b: none}, 0")(x, &parts, &sum);
    cr_assert_not_null(r, "%s", weft_error(ctx));
    cr_expect(weft_dim(r, 0) == 2 && weft_dim(parts.w, 1) == 3 && weft_rank(parts.b) == 0 &&
              weft_f32(parts.w)[1] == 4 && weft_item(parts.b) == 7);
    r = weft_vmap(ctx, split, "0 -> 0, {b: none}, 0")(x, &parts, &sum);
    cr_expect(weft_rank(parts.b) == 0 && weft_dim(parts.w, 0) == 3, "what is not named has axis 0");
    cr_expect_null(weft_vmap(ctx, split, "0 -> 1")(x, &parts, &sum));
    cr_expect(error_has("result parts.b of type f32 cannot have the batch as axis 1: -1 to 0 are possible"));
    cr_expect(!parts.w && !parts.b && !sum);
    cr_expect_null(weft_vmap(ctx, split, "0 -> 0, {w: none}, 0")(x, &parts, &sum));
    cr_expect(error_has("result parts.w depends on the batch, but its out axis is none"));
}

WEFT_SIGNATURE(tick_fn, weft_array *, (state * s, weft_array *x));
static weft_array *tick(state *s, weft_array *x)
{
    weft_array *y = weft_add(s->z, x);
    s->z = y;
    if (s->more) s->more->v = weft_mul(s->more->v, x);
    return weft_sum(y);
}

Test(tree_vmap, in_outs_keep_their_axes)
{
    weft_declare(ctx, tick, tick_fn);
    node more = { array(2, 2, 3, 0), NULL };
    state s = { array(2, 2, 3, 0), &more };
    weft_array *x = array(1, 3, 0, 0), *y = weft_vmap(ctx, tick, "1, 0 -> 0")(&s, x);
    cr_assert_not_null(y, "%s", weft_error(ctx));
    cr_expect(weft_dim(s.z, 0) == 2 && weft_dim(s.z, 1) == 3 && weft_f32(s.z)[5] == 7);
    cr_expect(weft_dim(more.v, 0) == 2 && weft_f32(more.v)[5] == 10);
    y = weft_vmap(ctx, tick, "1, 0 -> 0, {z: 0, more: -1}")(&s, x);
    cr_assert_not_null(y, "%s", weft_error(ctx));
    cr_expect(weft_dim(s.z, 0) == 3 && weft_dim(more.v, 1) == 3, "all results are named: in-outs too");
    s.z = weft_scalar(ctx, 1), more.v = weft_scalar(ctx, 1);
    state was = s;
    cr_expect_null(weft_vmap(ctx, tick, "none, 0")(&s, x));
    cr_expect(error_has("result s.z depends on the batch, but its out axis is none"));
    cr_expect(!memcmp(&s, &was, sizeof s));
    cr_expect_not_null(weft_vmap(ctx, tick, "none, 0 -> 0, 0")(&s, x), "%s", weft_error(ctx));
    cr_expect_eq(weft_dim(s.z, 0), 3);
}

WEFT_SIGNATURE(only_fn, void, (state * s));
static void negate(state *s) { s->z = weft_neg(s->z); }

Test(tree_vmap, results_that_are_all_in_outs)
{
    weft_declare(ctx, negate, only_fn);
    state s = { array(2, 2, 3, 0), NULL };
    weft_vmap(ctx, negate, "0 -> 1")(&s);
    cr_expect(s.z && weft_dim(s.z, 0) == 3, "%s", weft_error(ctx));
}

/* ---- the batch's size ---- */

Test(tree_vmap, a_size_that_is_given)
{
    weft_declare(ctx, tick, tick_fn);
    weft_declare(ctx, affine, layer_fn);
    layer m = { array(2, 4, 2, 0), array(1, 4, 0, 0) };
    weft_array *x = array(1, 2, 0, 0), *r = weft_vmap(ctx, affine, "none", .size = 5)(&m, x);
    cr_expect(r && weft_dim(r, 0) == 5 && weft_dim(r, 1) == 4, "%s", weft_error(ctx));
    r = weft_vmap(ctx, affine, "none, 0", .size = 2)(&m, array(2, 2, 2, 0));
    cr_expect(r && weft_dim(r, 0) == 2);
    cr_expect_neq((weft_fn)weft_vmap(ctx, affine, "none", .size = 5),
                  (weft_fn)weft_vmap(ctx, affine, "none", .size = 6));
    cr_expect_null(weft_vmap(ctx, affine, "none, 0", .size = 3)(&m, array(2, 2, 2, 0)));
    cr_expect(
        error_has("vmap got inconsistent sizes for array axes to be mapped:\n  * the size argument was 3;\n"
                  "  * one axis had size 2: axis 0 of argument x of type f32[2,2]"));
    cr_expect_null(weft_vmap(ctx, affine, "none", .size = -1)(&m, x));
    cr_expect(error_has("the size of the batch is -1"));
    r = weft_vmap(ctx, affine, "none, 0")(&m, array(2, 0, 2, 0));
    cr_expect(r && weft_dim(r, 0) == 0, "a batch of 0: %s", weft_error(ctx));
}

WEFT_SIGNATURE(three_fn, weft_array *, (const net *m, weft_array *x, weft_array *y, weft_array *z));
static weft_array *three(const net *m, weft_array *x, weft_array *y, weft_array *z)
{
    (void)m;
    return weft_add(x, weft_add(y, z));
}

/* The order is Counter.most_common's: by count, equals as they came. */
Test(tree_vmap, sizes_that_differ_in_words)
{
    weft_declare(ctx, mlp, net_fn);
    weft_declare(ctx, three, three_fn);
    net one = model(
        &(net){ .l = { { array(3, 1, 3, 2), array(2, 1, 3, 0) }, { array(3, 1, 4, 3), array(2, 1, 4, 0) } } },
        0);
    weft_array *x = array(1, 2, 0, 0);
    cr_expect_null(weft_vmap(ctx, mlp, "0, none")(&one, x));
    cr_expect(
        error_has("vmap(mlp): vmap got inconsistent sizes for array axes to be mapped:\n"
                  "  * most axes (2 of them) had size 3, e.g. axis 0 of argument m.l[0].w of type f32[3,2];\n"
                  "  * some axes (2 of them) had size 4, e.g. axis 0 of argument m.l[1].w of type f32[4,3]"));
    cr_expect_null(weft_vmap(ctx, mlp, "0, none")(&one, x));
    cr_expect(error_has("weft_stack makes one struct of several"));
    cr_expect_null(weft_vmap(ctx, mlp, "0, 0")(&one, x));
    cr_expect(
        error_has("* most axes (2 of them) had size 3, e.g. axis 0 of argument m.l[0].w of type f32[3,2];\n"
                  "  * some axes (2 of them) had size 4, e.g. axis 0 of argument m.l[1].w of type f32[4,3];\n"
                  "  * one axis had size 2: axis 0 of argument x of type f32[2]"));
    three_fn *f = weft_vmap(ctx, three, "none, 0, 0, 0");
    cr_expect_null(f(&one, array(1, 5, 0, 0), array(2, 6, 2, 0), array(1, 6, 0, 0)));
    cr_expect(error_has("  * most axes (2 of them) had size 6, e.g. axis 0 of argument y of type f32[6,2];\n"
                        "  * one axis had size 5: axis 0 of argument x of type f32[5]"));
    cr_expect_null(f(&one, array(1, 3, 0, 0), array(1, 4, 0, 0), array(1, 5, 0, 0)));
    cr_expect(error_has("  * one axis had size 3: axis 0 of argument x of type f32[3];\n  * one axis had "
                        "size 4: axis 0 of argument y of type f32[4];\n"
                        "  * one axis had size 5: axis 0 of argument z of type f32[5]"));
    cr_expect_null(weft_vmap(ctx, three, "none, -1, 0, none")(&one, array(2, 3, 7, 0), x, x));
    cr_expect(error_has("* one axis had size 7: axis 1 of argument x of type f32[3,7];\n"));
    cr_expect_null(weft_vmap(ctx, mlp, "{l: [{w: 2}, none]}, none")(&one, x));
    cr_expect(error_has("vmap(mlp): it was asked to map argument m.l[0].w along axis 2, which implies that "
                        "its rank should be at least 3, but is only 2 (its type is f32[3,2])"));
    cr_expect_null(weft_vmap(ctx, mlp, "{l: {b: -2}}, none")(&one, x));
    cr_expect(error_has("map argument m.l[0].b along axis -2, which implies that its rank should be at least "
                        "2, but is only 1"));
}

/* A message has room for the first few. */
Test(tree_vmap, many_sizes_that_differ)
{
    weft_declare(ctx, sum_lists, lists_fn);
    weft_array *xs[40];
    for (int i = 0; i < 40; i++) xs[i] = array(1, i + 1, 0, 0);
    lists m = { .xs = xs, .n = 40, .pair = { xs[0], xs[0] } };
    cr_expect_null(weft_vmap(ctx, sum_lists, "0")(&m));
    cr_expect(strstr(weft_error(ctx), "most axes (3 of them) had size 1, e.g. axis 0 of argument m.xs[0] of "
                                      "type f32[1];\n  * one axis had size 2: axis 0 of argument m.xs[1]"));
    cr_expect(error_has("weft_stack makes"));
}

/* An array of models is its first one to C. */
Test(tree_vmap, a_list_of_models_is_told_what_to_do)
{
    weft_declare(ctx, mlp, net_fn);
    net all = make_net(3, 2, 3, 4), models[3], stacked;
    for (int i = 0; i < 3; i++) models[i] = model(&all, i);
    weft_array *x = array(1, 2, 0, 0);
    net_fn *each = weft_vmap(ctx, mlp, "0, none");
    cr_expect_null(each(models, x));
    cr_expect(error_has(
        "(Is it a list of structs? weft_stack makes one struct of several, weft_unstack several of one.)"));
    weft_stack(ctx, net, models, 3, &stacked);
    weft_array *r = each(&stacked, x);
    cr_assert_not_null(r, "%s", weft_error(ctx));
    for (int i = 0; i < 3; i++) cr_expect(same(weft_take(r, i, 0), mlp(&models[i], x)));
}

/* ---- texts that are none ---- */

typedef struct {
    const char *axes, *error;
} Text;

Test(tree_vmap, texts_that_are_no_axes)
{
    static const Text bad[] = {
        { "", "'' is no axis: a number, or none" },
        { "{", "'' is no name of a field" },
        { "{l", "':' is missing behind the field l" },
        { "{l:", "'' is no axis" },
        { "{l: 0", "'' is no ',' or '}'" },
        { "{w: 0}", "has no array or struct 'w': it has l" },
        { "0, {w: 0}", "x is an array: it has no fields" },
        { "{l: {q: 0}}, 0", "struct layer has no array or struct 'q': it has w, b" },
        { "{order: 0}, 0", "struct net has no array or struct 'order': it has l" },
        { "{l: 0, l: 1}, 0", "the field l is named twice" },
        { "{l: [0]}, 0", "1 entries for the list l of 2" },
        { "{l: [0, 0, 0]}, 0", "3 entries for the list l of 2" },
        { "{l: [0, 0}, 0", "'}' is no ',' or ']'" },
        { "[0], 0", "m is no list: it has no elements" },
        { "{l: {w: [0]}}, 0", "w is no list" },
        { "0, [0, 1]", "x is no list" },
        { "{l: 0,}, 0", "'}' is no name of a field" },
        { "{l: 0 1}, 0", "'1' is no ',' or '}'" },
        { "{l 0}, 0", "':' is missing behind the field l" },
        { "0, 0, 0", "3 axes for 2 array arguments" },
        { "0 0", "unexpected '0'" },
        { "{l: 0} 0", "unexpected '0'" },
        { "0, 0 ->", "'' is no axis" },
        { "0, 0 -> {w: 0}", "return is an array" },
        { "0, 0 -> 0, 0", "2 axes for 1 array result" },
        { "0, 1.5", "'1.5' is no axis" },
        { "0, 1x", "'1x' is no axis" },
        { "0, nothing", "'nothing' is no axis" },
        { "0, none none", "unexpected 'none'" },
        { "0, -", "'-' is no axis" },
        { "none, none", "no argument is mapped: one at least must have an axis, or .size must be given" },
        { "{}, none", "no argument is mapped" },
        { "{l: {w: none}}, none", "no argument is mapped" },
        { "{l: [none, none]}, none", "no argument is mapped" },
        { "0, 32", "axis 32: arrays have at most 32 axes" },
        { "0, -33", "axis -33" },
        { "0, 9223372036854775808", "axis 9223372036854775808:" },
        { "}, 0", "'}' is no axis" },
        { "0, ]", "']' is no axis" },
        { "0, 0 -> 0 -> 0", "unexpected '-> 0'" },
        { "{l: {l: {l: 0}}}, 0", "has no array or struct 'l'" },
    };
    weft_declare(ctx, mlp, net_fn);
    net all = make_net(3, 2, 3, 4);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        net_fn *f = weft_vmap(ctx, mlp, bad[i].axes);
        cr_expect(error_has(bad[i].error), "\"%s\"", bad[i].axes);
        cr_expect_null(f(&all, array(1, 2, 0, 0)));
        cr_expect(error_has("cannot be called, for it could not be made from"));
    }
    char deep[400] = "";
    for (int i = 0; i < 80; i++) strcat(deep, "[");
    weft_vmap(ctx, mlp, deep);
    cr_expect(error_has("no list"));
}

WEFT_SIGNATURE(none_fn, weft_array *, (int n));
static weft_array *constant(int n) { return weft_full(NULL, WEFT_F32, n, 2); }

Test(tree_vmap, functions_without_arrays)
{
    weft_declare(ctx, constant, none_fn);
    weft_array *r = weft_vmap(ctx, constant, "", .size = 3)(7);
    cr_expect(r && weft_dim(r, 0) == 3 && weft_f32(r)[5] == 7, "%s", weft_error(ctx));
    cr_expect_null(weft_vmap(ctx, constant, "")(7));
    cr_expect(error_has("no argument is mapped"));
}

/* ---- random axes for each leaf, up to three deep, against loops ---- */

static uint32_t seed = 7;
static int random_below(int n)
{
    seed = seed * 1664525u + 1013904223u;
    return (int)((seed >> 8) % (uint32_t)n);
}

enum { LEAVES = 3, DEPTH = 3, NONE = -1 };
/* axes counted from the front, of the arrays that this level is given */
typedef struct {
    int axis[LEAVES], out;
    int64_t size;
} Level;
static const int64_t level_sizes[DEPTH] = { 2, 3, 4 };

static weft_array *mixed(const layer *m, weft_array *x)
{
    return weft_add(weft_mul(m->w, x), weft_add(m->b, 1));
}

/* By loops, outermost level first. */
static weft_array *looped(const Level *level, int depth, layer m, weft_array *x)
{
    if (!depth) return mixed(&m, x);
    const Level *v = &level[depth - 1];
    weft_array *row[4] = { NULL };
    const weft_array *rows[4];
    for (int i = 0; i < v->size; i++) {
        layer one = { v->axis[0] == NONE ? m.w : weft_take(m.w, i, v->axis[0]),
                      v->axis[1] == NONE ? m.b : weft_take(m.b, i, v->axis[1]) };
        rows[i] = row[i] =
            looped(level, depth - 1, one, v->axis[2] == NONE ? x : weft_take(x, i, v->axis[2]));
    }
    return weft_stack_arrays_(v->out, (int)v->size, rows, "here");
}

static const char *axis_text(char *buf, int axis, int rank)
{
    if (axis == NONE) strcpy(buf, "none");
    else sprintf(buf, "%d", random_below(2) ? axis : axis - rank);
    return buf;
}

Test(tree_vmap, random_axes_against_loops)
{
    weft_declare(ctx, mixed, layer_fn);
    for (int round = 0; round < 300; round++) {
        weft_scope *scope = weft_scope_open(ctx);
        int depth = 1 + random_below(DEPTH), rank[LEAVES] = { 1, 0, 1 }, out_rank = 1;
        int64_t dim[LEAVES][1 + DEPTH] = { { 2 }, { 0 }, { 2 } };
        Level level[DEPTH];
        layer_fn *f = mixed;
        for (int d = 0; d < depth; d++) {
            char t[4][8], text[80];
            level[d].size = level_sizes[d];
            int mapped = random_below(LEAVES);
            for (int k = 0; k < LEAVES; k++) {
                bool maps = k == mapped || random_below(3);
                level[d].axis[k] = maps ? random_below(rank[k] + 1) : NONE;
                if (maps)
                    for (int i = rank[k]++; i >= level[d].axis[k]; i--)
                        dim[k][i] = i == level[d].axis[k] ? level[d].size : dim[k][i - 1];
                axis_text(t[k], level[d].axis[k], rank[k]);
            }
            level[d].out = random_below(++out_rank);
            axis_text(t[3], level[d].out, out_rank);
            bool same_axis = !strcmp(t[0], t[1]);
            if (same_axis && random_below(2)) snprintf(text, sizeof text, "%s, %s -> %s", t[0], t[2], t[3]);
            else snprintf(text, sizeof text, "{w: %s, b: %s}, %s->%s", t[0], t[1], t[2], t[3]);
            f = weft_vmap(ctx, f, text);
            cr_assert_null(weft_error(ctx), "%s", weft_error(ctx));
        }
        layer m = { weft_from_shape(ctx, WEFT_F32, data + 1, rank[0], dim[0]),
                    weft_from_shape(ctx, WEFT_F32, data + 50, rank[1], dim[1]) };
        weft_array *x = weft_from_shape(ctx, WEFT_F32, data + 20, rank[2], dim[2]);
        cr_expect(same(f(&m, x), looped(level, depth, m, x)), "round %d: %s", round, weft_error(ctx));
        weft_scope_close(scope);
    }
}

/* ---- jit ---- */

Test(tree_vmap, compiled_it_is_the_same)
{
    need_backend();
    weft_declare(ctx, mlp, net_fn);
    weft_declare(ctx, tick, tick_fn);
    net all = make_net(3, 2, 3, 4);
    weft_array *x = array(2, 5, 2, 0);
    net_fn *both = weft_vmap(ctx, weft_vmap(ctx, mlp, "none, 0"), "0, none");
    cr_expect(same(weft_jit(ctx, both)(&all, x), both(&all, x)), "%s", weft_error(ctx));
    uint64_t traces = weft_stats(ctx).traces;
    all.l[0].w = weft_mul(all.l[0].w, 3);
    cr_expect(weft_jit(ctx, both)(&all, x) && weft_stats(ctx).traces == traces);
    node more = { array(2, 2, 3, 0), NULL };
    state s = { array(2, 2, 3, 0), &more };
    weft_jit(ctx, weft_vmap(ctx, tick, "1, 0"))(&s, array(1, 3, 0, 0));
    cr_expect(s.z && weft_f32(s.z)[5] == 7 && weft_f32(more.v)[5] == 10, "%s", weft_error(ctx));
    cr_expect_null(weft_jit(ctx, weft_vmap(ctx, tick, "1, 0"))(&s, array(1, 2, 0, 0)));
    cr_expect(error_has("* most axes (2 of them) had size 3, e.g. axis 1 of argument s.z of type f32[2,3];\n "
                        " * one axis had size 2: axis 0 of argument x of type f32[2]"));
}
