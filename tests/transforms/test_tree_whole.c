/* test_tree_whole.c: functions of whole trees: flattened, mapped, stacked, kept and freed; who owns what. */
#include <string.h>
#include "runtime/tree/flat.h"
#include "tests/transforms/tree_sample.h"

TestSuite(tree_whole, .init = open_tree_context, .fini = close_context);

/* ---- through functions ---- */

WEFT_SIGNATURE(sum_fn, weft_array *, (const every *e));

/* ---- whole trees ---- */

static net make_net(int in, int hidden, int out)
{
    static float data[64];
    for (int i = 0; i < 64; i++) data[i] = (float)i;
    return (net){ .l = { { weft_from(ctx, data, hidden, in), weft_from(ctx, data, hidden) },
                         { weft_from(ctx, data, out, hidden), weft_from(ctx, data, out) } },
                  .uses = 7 };
}

Test(tree_whole, flatten_and_unflatten)
{
    Sample s;
    every out;
    weft_array *leaf[20];
    make_sample(&s);
    cr_expect_eq(weft_flatten(ctx, every, &s.e, NULL, 0), SAMPLE_LEAVES);
    cr_expect_eq(weft_flatten(ctx, every, &s.e, leaf, 2), SAMPLE_LEAVES);
    cr_assert_eq(weft_flatten(ctx, every, &s.e, leaf, 20), SAMPLE_LEAVES);
    for (int i = 0; i < SAMPLE_LEAVES; i++) leaf[i] = weft_neg(leaf[i]);
    cr_expect_eq(weft_unflatten(ctx, every, &s.e, leaf, SAMPLE_LEAVES, &out), WEFT_OK);
    cr_expect_eq(weft_check_structure(ctx, every, &s.e, &out), WEFT_OK);
    for (int i = 0; i < SAMPLE_LEAVES; i++) cr_expect_eq(item(*weft_leaf(&every_tree, &out, i)), -i - 1);
    cr_expect_eq(weft_unflatten(ctx, every, &s.e, leaf, 3, &out), WEFT_TREE_MISMATCH);
    cr_expect(error_has("too few leaves for every: 3, and it has 13"));
    cr_expect_null(out.a);
    cr_expect_eq(weft_unflatten(ctx, every, &s.e, leaf, 14, &out), WEFT_TREE_MISMATCH);
    cr_expect(error_has("too many leaves for every: 14, and it has 13"));
    cr_expect_eq(weft_flatten(ctx, every, (every *)NULL, leaf, 20), -1);
    cr_expect(error_has("weft_flatten: a struct's address is NULL"));
}

static weft_array *null_of(weft_array *x)
{
    (void)x;
    return NULL;
}

Test(tree_whole, map_over_one_two_three)
{
    net a = make_net(2, 3, 4), b = make_net(2, 3, 4), out = { .uses = 5 };
    cr_expect_eq(weft_tree_map(ctx, net, weft_neg, &out, &a), WEFT_OK);
    cr_expect_eq(weft_f32(out.l[1].b)[3], -3);
    cr_expect_eq(weft_tree_map2(ctx, net, weft_add, &out, &out, &b), WEFT_OK);
    cr_expect_eq(weft_f32(out.l[0].w)[5], 0);
    cr_expect_eq(weft_tree_map3(ctx, net, weft_clip, &out, &b, &out, &out), WEFT_OK);
    cr_expect_eq(out.uses, 5);
    cr_expect_eq(weft_tree_map(ctx, net, null_of, &out, &a), WEFT_ARGUMENT);
    cr_expect(error_has("the function gave NULL for leaf l[0].w"));
    cr_expect_null(out.l[0].w);
    net bad = make_net(2, 5, 4);
    cr_expect_eq(weft_tree_map2(ctx, net, weft_add, &out, &a, &bad), WEFT_SHAPE);
    weft_clear(ctx);
    bad.l[1].b = NULL;
    cr_expect_eq(weft_tree_map2(ctx, net, weft_add, &out, &b, &bad), WEFT_SHAPE);
    weft_clear(ctx);
    bad = b;
    bad.l[1].b = NULL;
    cr_expect_eq(weft_tree_map2(ctx, net, weft_add, &out, &b, &bad), WEFT_ARGUMENT);
    cr_expect(error_has("weft_tree_map: leaf l[1].b of the second is NULL"));
    Sample s, t;
    every to;
    make_sample(&s);
    make_sample(&t);
    t.e.list->next = NULL;
    cr_expect_eq(weft_tree_map2(ctx, every, weft_add, &to, &s.e, &t.e), WEFT_TREE_MISMATCH);
    cr_expect(error_has("the structures differ: list.next is a node in the first but NULL in the second, so "
                        "their types differ"));
}

Test(tree_whole, stack_and_unstack)
{
    net m[3] = { make_net(2, 3, 4), make_net(2, 3, 4), make_net(2, 3, 4) }, all = { .uses = 3 }, back[3];
    m[1].l[0].w = weft_mul(m[1].l[0].w, 10);
    cr_assert_eq(weft_stack(ctx, net, m, 3, &all), WEFT_OK, "%s", weft_error(ctx));
    cr_expect(weft_rank(all.l[0].w) == 3 && weft_dim(all.l[0].w, 0) == 3 &&
              weft_f32(all.l[0].w)[6 + 5] == 50);
    cr_expect_eq(all.uses, 3);
    cr_assert_eq(weft_unstack(ctx, net, &all, 3, back), WEFT_OK, "%s", weft_error(ctx));
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 4; k++) {
            weft_array *x = *weft_leaf(&net_tree, &m[i], k), *y = *weft_leaf(&net_tree, &back[i], k);
            cr_expect(weft_rank(x) == weft_rank(y) && weft_count(x) == weft_count(y) &&
                      !memcmp(weft_f32(x), weft_f32(y), (size_t)weft_count(x) * 4));
        }
    const void *list[2] = { &m[1], &m[0] };
    cr_expect_eq(weft_stack_pointers(ctx, net, list, 2, &all), WEFT_OK);
    cr_expect_eq(weft_f32(all.l[0].w)[5], 50);
    cr_expect_eq(weft_unstack(ctx, net, &all, 0, (net *)NULL), WEFT_SHAPE);
    cr_expect(error_has("leaf l[0].w is f32[2,3,2]: its axis 0 should be 0 long"));
    cr_expect_eq(weft_unstack(ctx, net, &all, 3, back), WEFT_SHAPE);
    cr_expect(error_has("its axis 0 should be 3 long, one for each struct"));
    cr_expect_null(back[0].l[0].w);
    Sample s[2];
    every both, apart[2];
    make_sample(&s[0]), make_sample(&s[1]);
    const void *samples[2] = { &s[0].e, &s[1].e };
    cr_assert_eq(weft_stack_pointers(ctx, every, samples, 2, &both), WEFT_OK, "%s", weft_error(ctx));
    cr_expect_eq(weft_dim(both.list->next->next->v, 0), 2);
    cr_assert_eq(weft_unstack(ctx, every, &both, 2, apart), WEFT_OK);
    cr_expect_eq(item(apart[1].list->next->next->v), 12);
    cr_expect(apart[0].list != apart[1].list);
}

/* ---- owners ---- */

Test(tree_whole, assign_frees_the_old_and_keeps_the_new)
{
    net m = make_net(2, 3, 4);
    weft_array *shared = m.l[0].b;
    for (int i = 0; i < 5; i++) {
        weft_scope *s = weft_scope_open(ctx);
        net next = m;
        weft_tree_map(ctx, net, weft_neg, &next, &m);
        next.l[0].b = m.l[0].b;
        cr_expect_eq(weft_assign(&net_tree, &m, &next), WEFT_OK, "%s", weft_error(ctx));
        weft_scope_close(s);
        cr_expect_eq(weft_stats(ctx).arrays, 4);
    }
    cr_expect_eq(m.l[0].b, shared);
    cr_expect_eq(weft_f32(m.l[1].w)[3], -3);
    cr_expect_eq(weft_assign(&net_tree, &m, &m), WEFT_OK, "to itself");
    cr_expect_eq(weft_stats(ctx).arrays, 4);
    net bad = m, was = m;
    bad.l[1].b = NULL;
    cr_expect_eq(weft_assign(&net_tree, &m, &bad), WEFT_ARGUMENT);
    cr_expect(error_has("leaf l[1].b of the source is NULL"));
    cr_expect(!memcmp(&m, &was, sizeof m));
    net start = { 0 };
    cr_expect_eq(weft_assign(&net_tree, &start, &m), WEFT_OK, "to a struct of NULLs");
    Sample s, t;
    make_sample(&s), make_sample(&t);
    t.e.n_ws = 1;
    cr_expect_eq(weft_assign(&every_tree, &s.e, &t.e), WEFT_TREE_MISMATCH);
    cr_expect(error_has(
        "ws is a list of 2 in the destination but a list of 1 in the source, so the lengths do not match"));
    t.e.n_ws = 2;
    t.e.cov = number(5);
    weft_array *new_cov = t.e.cov;
    cr_expect_eq(weft_assign(&every_tree, &s.e, &t.e), WEFT_OK, "%s", weft_error(ctx));
    cr_expect_eq(s.e.cov, new_cov, "computed from the new leaves");
    cr_expect_eq(s.e.ws, s.ws);
}

Test(tree_whole, whole_trees_are_kept_lifted_and_freed)
{
    Sample s;
    every kept, lifted;
    make_sample(&s);
    size_t arrays = weft_stats(ctx).arrays, memory = 0;
    for (int i = 0; i < 20; i++) {
        weft_scope *outer = weft_scope_open(ctx), *inner = weft_scope_open(ctx);
        cr_assert_eq(weft_tree_map(ctx, every, weft_neg, &kept, &s.e), WEFT_OK);
        cr_assert_eq(weft_tree_map(ctx, every, weft_abs, &lifted, &s.e), WEFT_OK);
        cr_expect_eq(weft_keep_tree(&every_tree, &kept), WEFT_OK);
        cr_expect_eq(weft_lift_tree(&every_tree, &lifted), WEFT_OK);
        weft_scope_close(inner);
        cr_expect_eq(item(lifted.list->next->next->v), 12);
        weft_scope_close(outer);
        cr_expect_eq(item(kept.list->next->next->v), -12);
        cr_expect_eq(item(kept.layers[0].w), -8);
        weft_free_tree(&every_tree, &kept);
        cr_expect(!kept.list && !kept.a && !kept.n_ws);
        cr_expect_eq(weft_stats(ctx).arrays, arrays);
        if (i == 0) memory = weft_stats(ctx).bytes_in_use;
        cr_expect_eq(weft_stats(ctx).bytes_in_use, memory);
    }
    weft_free_tree(&every_tree, &s.e);
    cr_expect_eq(weft_stats(ctx).arrays, 0);
    cr_expect_null(s.e.ws);
    cr_expect_eq(weft_keep_tree(&net_tree, (net *)NULL), WEFT_ARGUMENT);
    weft_clear(ctx);
}

static weft_array *keeps_its_struct(const every *e)
{
    every mine = *e;
    weft_keep_tree(&every_tree, &mine);
    return e->a;
}

static weft_array *assigns_traced(const every *e)
{
    every mine = *e;
    weft_assign(&every_tree, &mine, e);
    return e->a;
}

Test(tree_whole, traced_leaves_cannot_be_kept)
{
    Sample s;
    make_sample(&s);
    weft_declare(ctx, keeps_its_struct, sum_fn);
    weft_declare(ctx, assigns_traced, sum_fn);
    cr_expect_null(weft_vmap(ctx, keeps_its_struct, "none", .size = 2)(&s.e));
    cr_expect(error_has("weft_keep: the array is traced"));
    cr_expect_null(weft_vmap(ctx, assigns_traced, "none", .size = 2)(&s.e));
    cr_expect(error_has("is traced and lives as long as its trace"));
}

/* ---- inside traced functions ---- */

typedef struct {
    int n;
    double scale;
} settings;
WEFT_STRUCT(settings, WEFT_STATIC(settings, n), WEFT_STATIC(settings, scale));
WEFT_SIGNATURE(settings_fn, weft_array *, (const settings *s));
static weft_array *ramp(const settings *s) { return weft_mul(weft_arange(NULL, 0, s->n, 1.0), s->scale); }

Test(tree_whole, a_tree_without_arrays)
{
    need_backend();
    weft_describe(ctx, settings);
    weft_declare(ctx, ramp, settings_fn);
    cr_expect_eq(weft_leaf_count(&settings_tree), 0);
    settings s = { 4, 0.5 }, two[2] = { { 4, 0.5 }, { 4, 0.5 } }, out = { 0, 0 };
    weft_array *r = weft_jit(ctx, ramp)(&s), *b = weft_vmap(ctx, ramp, "none", .size = 3)(&s);
    cr_expect(r && weft_f32(r)[3] == 1.5f, "%s", weft_error(ctx));
    cr_expect(b && weft_dim(b, 0) == 3 && weft_f32(b)[11] == 1.5f, "%s", weft_error(ctx));
    cr_expect_null(weft_vmap(ctx, ramp, "0")(&s));
    cr_expect(error_has("at least one array to map"));
    cr_expect_eq(weft_stack(ctx, settings, two, 2, &out), WEFT_OK);
    cr_expect(out.n == 4 && out.scale == 0.5);
    two[1].scale = 0.25;
    cr_expect_eq(weft_stack(ctx, settings, two, 2, &out), WEFT_TREE_MISMATCH);
    cr_expect(error_has("scale is 0.5 in model 0 but 0.25 in model 1, so the metadata does not match"));
    cr_expect(out.n == 0, "a failed call leaves an empty one");
}

WEFT_SIGNATURE(net_fn, weft_array *, (const net *all));
static weft_array *apart(const net *all)
{
    net each[3], again;
    if (weft_unstack(NULL, net, all, 3, each)) return NULL;
    weft_tree_map2(NULL, net, weft_add, &each[0], &each[0], &each[1]);
    weft_stack(NULL, net, each, 3, &again);
    return weft_add(weft_sum(again.l[0].w, .axes = "1,2"), weft_sum(again.l[1].b, .axes = "1"));
}

Test(tree_whole, whole_tree_functions_are_traced)
{
    need_backend();
    net m[3] = { make_net(2, 3, 4), make_net(2, 3, 4), make_net(2, 3, 4) }, all;
    weft_stack(ctx, net, m, 3, &all);
    weft_declare(ctx, apart, net_fn);
    weft_array *now = apart(&all), *compiled = weft_jit(ctx, apart)(&all);
    cr_assert(now && compiled, "%s", weft_error(ctx));
    cr_expect(!memcmp(weft_f32(now), weft_f32(compiled), 12));
    cr_expect_eq(weft_f32(now)[0], 2 * (15 + 6));
}

WEFT_SIGNATURE(shrink_fn, void, (net * m, weft_array *by));
static void shrink(net *m, weft_array *by)
{
    for (int i = 0; i < 4; i++) *weft_leaf(&net_tree, m, i) = weft_mul(*weft_leaf(&net_tree, m, i), by);
}

/* Donated leaves of an in-out are overwritten. */
Test(tree_whole, donated_trees_take_no_memory)
{
    need_backend();
    weft_declare(ctx, shrink, shrink_fn);
    shrink_fn *fast = weft_jit(ctx, shrink);
    net m = make_net(2, 3, 4);
    for (int i = 0; i < 4; i++) *weft_leaf(&net_tree, &m, i) = weft_ones(ctx, WEFT_F32, 1000);
    weft_array *by = weft_scalar(ctx, 0.5);
    size_t arrays = 0;
    for (int i = 0; i < 8; i++) {
        const void *memory = weft_data(m.l[0].w);
        weft_tree_map(ctx, net, weft_donate, &m, &m);
        fast(&m, by);
        cr_assert_null(weft_error(ctx), "%s", weft_error(ctx));
        cr_expect_eq(weft_data(m.l[0].w), memory);
        if (i == 0) arrays = weft_stats(ctx).arrays;
        cr_expect_eq(weft_stats(ctx).arrays, arrays);
    }
    cr_expect_eq(weft_f32(m.l[1].b)[999], 1.f / 256);
}
