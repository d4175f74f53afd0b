/* tree_stack.c: an array of structs to a struct of stacked leaves, and back. */
#include <stdio.h>
#include "ops_compose.h"
#include "runtime/tree/tree_whole.h"

/* ---- stack ---- */

/* Where the models lie: in an array of structs, or behind an array of pointers. */
typedef struct Models {
    const char *structs;
    const void *const *pointers;
    size_t bytes;
    int n;
} Models;

static const void *model(const Models *m, int i)
{
    return m->pointers ? m->pointers[i] : m->structs + (size_t)i * m->bytes;
}

/* Is model i's leaf of the type of model 0's? */
static bool same_leaf(TreeCall *c, const Flat *first, const Flat *other, uint32_t leaf, int i)
{
    Type a = array_type(first->leaf[leaf]), b = array_type(other->leaf[leaf]);
    if (type_equal(a, b)) return true;
    char path[TREE_PATH];
    tree_leaf_path(c->tree, first->word, first->n_words, leaf, path, sizeof path);
    return fail(&c->failure, a.dtype == b.dtype ? WEFT_SHAPE : WEFT_DTYPE,
                "leaf %s is %s in model 0 but %s in model %d", path, TYPE_TEXT(a), TYPE_TEXT(b), i);
}

/* all: the leaves of all models, model by model. */
static bool read_models(TreeCall *c, const Models *m, Flat *first, Flat *all)
{
    bool good = true;
    for (int i = 0; i < m->n && good; i++) {
        CLEANUP(flat_close) Flat x;
        flat_open(&x, &c->l->ctx->memory);
        char name[32];
        snprintf(name, sizeof name, "model %d", i);
        if (!model(m, i)) return fail(&c->failure, WEFT_ARGUMENT, "%s is NULL", name);
        good = tree_read(c, i ? &x : first, model(m, i));
        const Flat *one = i ? &x : first;
        if (i) good = good && tree_same(c, first, "model 0", one, name);
        for (uint32_t k = 0; k < one->n_leaves && good; k++) {
            good = tree_leaf_good(c, one, k, name) && (!i || same_leaf(c, first, one, k, i));
            if (good && !flat_leaf(all, one->leaf[k])) good = fail(&c->failure, WEFT_MEMORY, "out of memory");
        }
    }
    return good;
}

static bool stack_leaves(TreeCall *c, int n, Flat *first, const Flat *all)
{
    const weft_array **column = memory_alloc(&c->l->ctx->memory, (size_t)n * sizeof *column);
    if (!column) return fail(&c->failure, WEFT_MEMORY, "out of memory");
    uint32_t leaves = first->n_leaves, k = 0;
    op_begin(c->who, c->at);
    thread.op.local = c->l;
    for (bool good = true; k < leaves && good; k += good) {
        for (int i = 0; i < n; i++) column[i] = all->leaf[(size_t)i * leaves + k];
        good = (first->leaf[k] = weft_stack_arrays_(0, n, column, c->at)) != NULL;
    }
    op_end();
    if (k < leaves) c->reported = c->l->error;
    memory_free(&c->l->ctx->memory, column, (size_t)n * sizeof *column);
    return k == leaves;
}

static weft_status stack(weft_context *ctx, const weft_tree *tree, const Models *m, void *to, const char *who,
                         const char *at)
{
    TreeCall c;
    Flat *first = &c.flat[0], *all = &c.flat[1];
    if (!tree_begin(&c, ctx, who, at, tree, (m->structs || m->pointers) && to)) return tree_end(&c);
    bool good =
        (m->n > 0 || fail(&c.failure, WEFT_ARGUMENT, "%d models: there must be one at least", m->n)) &&
        read_models(&c, m, first, all) && stack_leaves(&c, m->n, first, all) &&
        flat_write(first, tree, to, &c.room, &c.failure);
    if (!good) tree_clear(tree, to);
    return tree_end(&c);
}

weft_status weft_stack_(weft_context *ctx, const weft_tree *tree, const void *from, int n, void *to,
                        const char *at)
{
    Models m = { .structs = from, .bytes = tree ? tree->bytes : 0, .n = n };
    return stack(ctx, tree, &m, to, "weft_stack", at);
}

weft_status weft_stack_pointers_(weft_context *ctx, const weft_tree *tree, const void *const *from, int n,
                                 void *to, const char *at)
{
    Models m = { .pointers = from, .n = n };
    return stack(ctx, tree, &m, to, "weft_stack_pointers", at);
}

/* ---- unstack ---- */

static bool stacked(TreeCall *c, const Flat *x, int n)
{
    for (uint32_t i = 0; i < x->n_leaves; i++) {
        if (!tree_leaf_good(c, x, i, "")) return false;
        Type t = array_type(x->leaf[i]);
        if (t.rank && t.dim[0] == n) continue;
        char path[TREE_PATH];
        tree_leaf_path(c->tree, x->word, x->n_words, i, path, sizeof path);
        return fail(&c->failure, WEFT_SHAPE,
                    "leaf %s is %s: its axis 0 should be %d long, one for each struct", path, TYPE_TEXT(t),
                    n);
    }
    return true;
}

/* a[k], in the caller's scope. */
static weft_array *slice(const TreeCall *c, weft_array *a, int k)
{
    OpsCall call;
    Type t = array_type(a);
    bool good = ops_begin_on(&call, c->who, c->at, a, NULL);
    return ops_end(&call,
                   good ? ops_reshape(ops_slice_axis(a, 0, k, k + 1, 1), t.dim + 1, t.rank - 1) : NULL);
}

/* Structs to[0] to to[k - 1] are made; here the next one. */
static bool unstack_one(TreeCall *c, const Flat *x, int k, void *to)
{
    CLEANUP(flat_close) Flat one;
    flat_open(&one, &c->l->ctx->memory);
    bool room = flat_words(&one, x->word, x->n_words);
    for (uint32_t i = 0; i < x->n_leaves && room; i++) {
        weft_array *a = slice(c, x->leaf[i], k);
        if (!a) {
            c->reported = c->l->error;
            return false;
        }
        room = flat_leaf(&one, a);
    }
    if (!room) return fail(&c->failure, WEFT_MEMORY, "out of memory");
    return flat_write(&one, c->tree, to, &c->room, &c->failure);
}

weft_status weft_unstack_(weft_context *ctx, const weft_tree *tree, const void *from, int n, void *to,
                          const char *at)
{
    TreeCall c;
    Flat *x = c.flat;
    if (!tree_begin(&c, ctx, "weft_unstack", at, tree, from && (to || n == 0))) return tree_end(&c);
    bool good = (n >= 0 || fail(&c.failure, WEFT_ARGUMENT, "%d structs", n)) && tree_read(&c, x, from) &&
                stacked(&c, x, n);
    for (int k = 0; k < n && good; k++) good = unstack_one(&c, x, k, (char *)to + (size_t)k * tree->bytes);
    for (int k = 0; k < n && !good; k++) tree_clear(tree, (char *)to + (size_t)k * tree->bytes);
    return tree_end(&c);
}
