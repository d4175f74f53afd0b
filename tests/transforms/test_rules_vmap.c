/* test_rules_vmap.c: rules of the user's own for batches, alone and around rules for derivatives. A batch
 * here gets 1000 more (and the like), so that a result says whether the rule made it. */
#include "tests/transforms/cube_rules.h"

static void setup(void)
{
    open_context();
    weft_describe(ctx, net);
    make_cube_rules();
}

TestSuite(rules_vmap, .init = setup, .fini = close_context_without_error);

static weft_array *met;

static weft_array *step_b(weft_array *h, weft_array *x) { return weft_add(weft_mul(h, 0.5), B(x)); }
static weft_array *scan_b(weft_array *x)
{
    return weft_scan(NULL, step_b, "carry, 0")(weft_scalar(NULL, 0), x);
}
static weft_array *yes_b(weft_array *p, weft_array *x)
{
    (void)p;
    return B(x);
}
static weft_array *no_b(weft_array *p, weft_array *x)
{
    (void)p;
    return weft_neg(x);
}
static weft_array *choose_b(weft_array *p, weft_array *x) { return weft_cond(NULL, yes_b, no_b)(p, x); }
static weft_array *map_b(weft_array *x) { return weft_sum(weft_vmap(NULL, B, "0")(x)); }

Test(rules_vmap, a_batch_is_what_the_rule_says)
{
    weft_declare(ctx, step_b, weft_binary);
    weft_declare(ctx, scan_b, weft_unary);
    weft_declare(ctx, yes_b, weft_binary);
    weft_declare(ctx, no_b, weft_binary);
    weft_declare(ctx, choose_b, weft_binary);
    weft_declare(ctx, map_b, weft_unary);
    weft_array *x = ARRAY(1, 2), *xx = weft_reshape(ARRAY(1, 2, 3, 1), 2, 2);
    BOTH
    {
        EXPECT(MAYBE_JIT(B)(x), 1, 8);
        EXPECT(MAYBE_JIT(weft_vmap(ctx, B, "0"))(x), 1001, 1008);
        EXPECT(MAYBE_JIT(weft_vmap(ctx, B, "1 -> 1"))(xx), 1001, 1008, 1027, 1001);
        EXPECT(MAYBE_JIT(weft_vmap(ctx, weft_vmap(ctx, B, "0"), "0"))(xx), 1001, 1008, 1027, 1001);
        EXPECT(MAYBE_JIT(weft_vmap(ctx, scan_b, "0"))(xx), 1508.5, 1514.5);
        EXPECT(MAYBE_JIT(weft_vmap(ctx, choose_b, "0"))(ARRAY(1, 0), x), 1001, -2);
        EXPECT(MAYBE_JIT(weft_vmap(ctx, B, "none", .size = 2))(x), 1, 8, 1, 8);
        EXPECT(MAYBE_JIT(weft_grad(ctx, weft_unary, map_b, ""))(x), 3, 12);
        EXPECT(MAYBE_JIT(weft_vmap(ctx, weft_grad(ctx, weft_unary, use_b, ""), "0"))(x), 3, 12);
        EXPECT(MAYBE_JIT(weft_map(ctx, B, "0"))(x), 1, 8);
        EXPECT(MAYBE_JIT(weft_map(ctx, B, "0", .batch = 2))(x), 1001, 1008);
        EXPECT(MAYBE_JIT(weft_soft_vmap(ctx, B, "0", .chunk = 2))(x), 1001, 1008);
    }
}

static weft_array *apply_batch(const net *m, weft_array *x)
{
    cr_expect_eq(weft_rank(m->l[0].w), 2, "all arrays have the batch");
    cr_expect_eq(weft_rank(m->l[0].count), 1);
    return weft_add(apply(m, x), 1000);
}

Test(rules_vmap, batches_of_structs)
{
    weft_declare(ctx, apply, net_fn);
    weft_declare(ctx, apply_batch, net_fn);
    net_fn *f = weft_vmap(ctx, weft_custom_vmap(ctx, apply, apply_batch), "none, 0");
    net m = a_net();
    weft_array *xx = weft_reshape(ARRAY(1, 10, 2, 20), 2, 2);
    BOTH EXPECT(MAYBE_JIT(f)(&m, xx), 1032, 1184, 1044, 1344);
}

static weft_array *many; /* more than fits beside the graph */
static weft_array *shifted(weft_array *x) { return weft_add(x, weft_mean(many)); }
static weft_array *shifted_batch(weft_array *x)
{
    return weft_add(weft_add(weft_add(x, met), weft_mean(many)), 100);
}

Test(rules_vmap, arrays_that_a_batching_rule_meets)
{
    weft_declare(ctx, shifted, weft_unary);
    weft_declare(ctx, shifted_batch, weft_unary);
    weft_unary *f = weft_vmap(ctx, weft_custom_vmap(ctx, shifted, shifted_batch), "0");
    weft_array *x = ARRAY(1, 2);
    BOTH
    {
        weft_scope *scope = weft_scope_open(ctx);
        weft_unary *g = MAYBE_JIT(f);
        met = ARRAY(10, 20);
        many = weft_full(ctx, WEFT_F32, 0.5, 5000);
        EXPECT(g(x), 111.5, 122.5);
        if (compiled) {
            weft_free(met);
            weft_free(many);
            EXPECT(g(x), 111.5, 122.5); /* the code keeps them */
        }
        weft_scope_close(scope);
    }
}

static weft_unary *VB;
static weft_array *use_vb(weft_array *x) { return weft_sum(VB(x)); }

Test(rules_vmap, rules_around_rules)
{
    weft_declare(ctx, use_vb, weft_unary);
    VB = weft_custom_vjp(ctx, B, cube_forward, cube_backward);
    weft_array *x = ARRAY(1, 2);
    BOTH
    {
        EXPECT(MAYBE_JIT(weft_vmap(ctx, VB, "0"))(x), 1001, 1008);
        EXPECT(MAYBE_JIT(weft_grad(ctx, weft_unary, use_vb, ""))(x), 300, 1200);
        EXPECT(MAYBE_JIT(weft_vmap(ctx, weft_grad(ctx, weft_unary, use_vb, ""), "0"))(x), 300, 1200);
    }
}
