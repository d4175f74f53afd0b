/* tree_whole.c: public functions on whole trees: flatten, unflatten, copy, compare, map. */
#include <stdio.h>
#include "runtime/trace/op.h"
#include "runtime/memory/stack.h"
#include "tree_whole.h"

bool tree_begin(TreeCall *c, weft_context *ctx, const char *who, const char *at, const weft_tree *tree,
                bool pointers)
{
    *c = (TreeCall){
        .who = who, .at = at, .tree = tree, .l = context_enter(ctx, who, at), .failure.code = WEFT_OK
    };
    if (!c->l) return false;
    for (int k = 0; k < TREE_LISTS; k++) flat_open(&c->flat[k], &c->l->ctx->memory);
    if (error_stack(c->l, STACK_WALK, who, at)) {
        c->reported = WEFT_MEMORY;
        return false;
    }
    c->room = (TreeRoom){ tree_memory_take, c->l };
    if (tree_sound(tree, &c->failure) && !pointers)
        fail(&c->failure, WEFT_ARGUMENT, "a struct's address is NULL");
    return c->failure.code == WEFT_OK;
}

weft_status tree_end(TreeCall *c)
{
    const Failure *f = &c->failure;
    if (!c->l) return WEFT_ARGUMENT;
    for (int k = 0; k < TREE_LISTS; k++) flat_close(&c->flat[k]);
    if (f->code == WEFT_OK) return c->reported;
    error_failure(c->l, c->who, c->at, "", f);
    return f->code;
}

bool tree_read(TreeCall *c, Flat *x, const void *structure)
{
    return flat_read(x, c->tree, structure, &c->failure);
}

bool tree_same(TreeCall *c, const Flat *a, const char *name_a, const Flat *b, const char *name_b)
{
    TreeDifference d;
    if (!tree_difference(c->tree, a->word, a->n_words, b->word, b->n_words, &d)) return true;
    return fail(&c->failure, WEFT_TREE_MISMATCH, "the structures differ: %s is %s in %s but %s in %s, so %s",
                d.path, d.a, name_a, d.b, name_b, d.why);
}

bool tree_leaf_good(TreeCall *c, const Flat *x, uint32_t i, const char *in)
{
    char what[TREE_PATH + 80];
    const weft_array *a = x->leaf[i];
    if (array_is_address(a) && a->state == ARRAY_CONCRETE && a->ctx == c->l->ctx) return true;
    snprintf(what, sizeof what, "leaf %s%s%s", LEAF_PATH(c->tree, x->word, x->n_words, i), *in ? " of " : "",
             in);
    if (op_check_for(c->who, c->at, c->l, a, what)) return true;
    c->reported = c->l->error;
    return false;
}

/* ---- flatten and unflatten ---- */

int weft_flatten_(weft_context *ctx, const weft_tree *tree, const void *from, weft_array **leaf, int room,
                  const char *at)
{
    TreeCall c;
    const Flat *x = c.flat;
    bool good = tree_begin(&c, ctx, "weft_flatten", at, tree, from && (leaf || room <= 0));
    int n = good && tree_read(&c, c.flat, from) ? (int)x->n_leaves : -1;
    for (int i = 0; i < n && i < room; i++) leaf[i] = x->leaf[i];
    tree_end(&c);
    return n;
}

weft_status weft_unflatten_(weft_context *ctx, const weft_tree *tree, const void *like,
                            weft_array *const *leaf, int n, void *out, const char *at)
{
    TreeCall c;
    Flat *x = c.flat;
    if (!tree_begin(&c, ctx, "weft_unflatten", at, tree, like && out && (leaf || n <= 0)))
        return tree_end(&c);
    bool good = tree_read(&c, x, like);
    if (good && n != (int64_t)x->n_leaves)
        good = fail(&c.failure, WEFT_TREE_MISMATCH, "too %s leaves for %s: %d, and it has %u",
                    n < (int64_t)x->n_leaves ? "few" : "many", tree->name, n, x->n_leaves);
    for (uint32_t i = 0; i < x->n_leaves && good; i++) x->leaf[i] = leaf[i];
    if (good) flat_write(x, tree, out, &c.room, &c.failure);
    else tree_clear(tree, out);
    return tree_end(&c);
}

weft_status weft_copy_tree_(weft_context *ctx, const weft_tree *tree, const void *from, void *to,
                            const char *at)
{
    TreeCall c;
    if (!tree_begin(&c, ctx, "weft_copy_tree", at, tree, from && to)) return tree_end(&c);
    if (from == to) fail(&c.failure, WEFT_ARGUMENT, "a struct cannot be copied to itself");
    else if (tree_read(&c, c.flat, from)) flat_write(c.flat, tree, to, &c.room, &c.failure);
    else tree_clear(tree, to);
    return tree_end(&c);
}

weft_status weft_check_structure_(weft_context *ctx, const weft_tree *tree, const void *a, const void *b,
                                  const char *at)
{
    TreeCall c;
    Flat *x = &c.flat[0], *y = &c.flat[1];
    if (tree_begin(&c, ctx, "weft_check_structure", at, tree, a && b) && tree_read(&c, x, a) &&
        tree_read(&c, y, b))
        tree_same(&c, x, "the first", y, "the second");
    return tree_end(&c);
}

/* ---- map ---- */

/* The macros made sure that f takes n arrays. A test that goes around them must pass clang's check. */
#ifdef __clang__
__attribute__((no_sanitize("function")))
#endif
static weft_array *
apply(weft_fn f, int n, weft_array *a, weft_array *b, weft_array *c)
{
    if (n == 1) return ((weft_array * (*)(weft_array *)) f)(a);
    if (n == 2) return ((weft_array * (*)(weft_array *, weft_array *)) f)(a, b);
    return ((weft_array * (*)(weft_array *, weft_array *, weft_array *)) f)(a, b, c);
}

/* The first tree's leaves become f's results. */
static bool map_leaves(TreeCall *c, weft_fn f, int n)
{
    Flat *x = c->flat;
    static const char *const names[TREE_LISTS] = { "the first", "the second", "the third" };
    for (int k = 1; k < n; k++)
        if (!tree_same(c, &x[0], names[0], &x[k], names[k])) return false;
    for (uint32_t i = 0; i < x[0].n_leaves; i++) {
        for (int k = 0; k < n; k++)
            if (!tree_leaf_good(c, &x[k], i, n > 1 ? names[k] : "")) return false;
        if ((x[0].leaf[i] =
                 apply(f, n, x[0].leaf[i], n > 1 ? x[1].leaf[i] : NULL, n > 2 ? x[2].leaf[i] : NULL)))
            continue;
        if (c->l->error == WEFT_OK)
            return fail(&c->failure, WEFT_ARGUMENT, "the function gave NULL for leaf %s",
                        LEAF_PATH(c->tree, x->word, x->n_words, i));
        c->reported = c->l->error;
        return false;
    }
    return true;
}

weft_status weft_tree_map_(weft_context *ctx, const weft_tree *tree, weft_fn f, int n, void *out,
                           const void *a, const void *b, const void *third, const char *at)
{
    TreeCall c;
    const void *from[TREE_LISTS] = { a, b, third };
    bool good = tree_begin(&c, ctx, "weft_tree_map", at, tree, out && a && (n < 2 || b) && (n < 3 || third));
    if (good && !f) good = fail(&c.failure, WEFT_ARGUMENT, "the function is NULL");
    if (good && (n < 1 || n > TREE_LISTS))
        good = fail(&c.failure, WEFT_ARGUMENT, "%d trees (1 to %d)", n, TREE_LISTS);
    if (!good) return tree_end(&c);
    for (int k = 0; k < n && good; k++) good = tree_read(&c, &c.flat[k], from[k]);
    good = good && map_leaves(&c, f, n) && flat_write(c.flat, tree, out, &c.room, &c.failure);
    if (!good) tree_clear(tree, out);
    return tree_end(&c);
}

/* ---- memory ---- */

void *weft_memory_(weft_context *ctx, size_t bytes, const char *at)
{
    Local *l = context_enter(ctx, "weft_memory", at);
    void *p = l ? tree_memory_take(l, bytes) : NULL;
    if (l && !p) error_memory(l, "weft_memory", at);
    return p;
}
