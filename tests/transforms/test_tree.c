/* test_tree.c: structs as trees: every kind of field through jit and back, what is part of a structure and
 * what is not, trees that are empty, wide or deep. */
#include <string.h>
#include "tests/transforms/tree_sample.h"

static const float six[6] = { 1, 2, 3, 4, 5, 6 };

TestSuite(tree, .init = open_tree_context, .fini = close_context);

/* ---- leaves ---- */

static const char *const sample_paths[SAMPLE_LEAVES] = {
    "a",           "pair[0]",     "pair[1]", "inner.w",     "inner.b",          "ws[0]",    "ws[1]",
    "layers[0].w", "layers[0].b", "list.v",  "list.next.v", "list.next.next.v", "ends[1].v"
};

Test(tree, leaves_and_their_paths)
{
    Sample s;
    char path[64], small[5];
    make_sample(&s);
    cr_expect_eq(weft_leaf_count(&net_tree), 4);
    cr_expect_eq(weft_leaf_count(&every_tree), -1, "counts and NULLs decide");
    cr_assert_eq(weft_leaf_count_of(&every_tree, &s.e), SAMPLE_LEAVES);
    for (int i = 0; i < SAMPLE_LEAVES; i++) {
        weft_array **leaf = weft_leaf(&every_tree, &s.e, i);
        cr_expect(leaf && item(*leaf) == i + 1, "leaf %d", i);
        cr_expect_eq(weft_leaf_path(&every_tree, &s.e, i, path, sizeof path), strlen(sample_paths[i]));
        cr_expect_str_eq(path, sample_paths[i]);
    }
    cr_expect_null(weft_leaf(&every_tree, &s.e, SAMPLE_LEAVES));
    cr_expect_null(weft_leaf(&every_tree, &s.e, -1));
    cr_expect_eq(weft_leaf_path(&every_tree, &s.e, 3, small, sizeof small), 7);
    cr_expect_str_eq(small, "inne");
    cr_expect_eq(weft_leaf_path(&every_tree, &s.e, 77, path, sizeof path), 0);
    net m = { 0 };
    cr_expect_eq(weft_leaf(&net_tree, &m, 3), &m.l[1].b);
    cr_expect_eq(weft_leaf_count(NULL), -1);
    cr_expect_eq(weft_leaf_count_of(&net_tree, NULL), -1);
}

/* ---- through functions ---- */

WEFT_SIGNATURE(sum_fn, weft_array *, (const every *e));
static weft_array *weighted(const every *e)
{
    weft_array *sum = weft_scalar(NULL, 0);
    int n = weft_leaf_count_of(&every_tree, e);
    for (int i = 0; i < n; i++)
        sum = weft_add(sum, weft_mul(*weft_leaf(&every_tree, (every *)(uintptr_t)e, i), i + 1));
    if (e->user || e->cov) return NULL;
    return weft_mul(sum, e->flag ? e->eps * e->dims[1] : e->act);
}

static double weighted_sum(int n)
{
    double sum = 0;
    for (int i = 1; i <= n; i++) sum += i * i;
    return sum;
}

Test(tree, every_kind_of_field_is_an_argument)
{
    need_backend();
    weft_declare(ctx, weighted, sum_fn);
    Sample s;
    make_sample(&s);
    sum_fn *fast = weft_jit(ctx, weighted);
    cr_expect_eq(item(fast(&s.e)), weighted_sum(SAMPLE_LEAVES) * 0.5 * -7, "%s", weft_error(ctx));
    uint64_t traces = weft_stats(ctx).traces;
    s.e.cov = NULL, s.e.user = NULL;
    cr_expect_not_null(fast(&s.e));
    cr_expect_eq(weft_stats(ctx).traces, traces, "hidden and lazy fields are no part of it");
    cr_expect_eq(weft_stats(ctx).hits, 1);
}

/* What changes the structure is traced anew, and explained. */
static void change_act(Sample *s) { s->e.act = RELU; }
static void change_flag(Sample *s) { s->e.flag = false; }
static void change_eps(Sample *s) { s->e.eps = 1; }
static void change_dims(Sample *s) { s->e.dims[2] = 1; }
static void change_ws(Sample *s) { s->e.n_ws = 1; }
static void change_layers(Sample *s) { s->e.n_layers = 0; }
static void change_list(Sample *s) { s->nodes[1].next = NULL; }
static void change_ends(Sample *s) { s->e.ends[1] = NULL; }
static void change_swap(Sample *s) { s->e.ends[0] = s->e.ends[1], s->e.ends[1] = NULL; }
static void change_shape(Sample *s) { s->e.inner.b = weft_from(ctx, six, 2); }
typedef struct {
    void (*change)(Sample *);
    const char *why;
} Change;
static const Change changes[] = {
    { change_act, "structure e.act 1 -> 0" },
    { change_flag, "structure e.flag true -> false" },
    { change_eps, "structure e.eps 0.5 -> 1" },
    { change_dims, "structure e.dims[2] 0 -> 1" },
    { change_ws, "structure e.ws a list of 2 -> a list of 1" },
    { change_layers, "structure e.layers a list of 1 -> a list of 0" },
    { change_list, "structure e.list.next.next a node -> NULL" },
    { change_ends, "structure e.ends[1] a node -> NULL" },
    { change_swap, "structure e.ends[0] NULL -> a node" },
    { change_shape, "argument e.inner.b f32 -> f32[2]" },
};

static weft_array *first(const every *e) { return weft_mul(e->a, e->eps); }

Test(tree, the_structure_is_part_of_the_key)
{
    need_backend();
    weft_declare(ctx, first, sum_fn);
    for (size_t i = 0; i < sizeof changes / sizeof *changes; i++) {
        weft_context *fresh = weft_open(NULL), *old = ctx;
        ctx = fresh;
        weft_describe(ctx, every);
        weft_declare(ctx, first, sum_fn);
        Sample s, t;
        make_sample(&s);
        make_sample(&t);
        sum_fn *fast = weft_jit(ctx, first);
        fast(&s.e);
        fast(&t.e);
        cr_expect_eq(weft_stats(ctx).traces, 1);
        changes[i].change(&s);
        cr_expect_not_null(fast(&s.e));
        cr_expect_eq(weft_stats(ctx).traces, 2, "%s", changes[i].why);
        cr_expect(strstr(weft_explain(ctx), changes[i].why), "wanted %s: %s", changes[i].why,
                  weft_explain(ctx));
        cr_expect_not_null(fast(&t.e));
        cr_expect_eq(weft_stats(ctx).traces, 2, "the first one is still there");
        cr_expect_eq(weft_check_structure(ctx, every, &s.e, &t.e), i == 9 ? WEFT_OK : WEFT_TREE_MISMATCH,
                     "%s", changes[i].why);
        weft_clear(ctx);
        weft_close(fresh);
        ctx = old;
    }
}

/* ---- results ---- */

WEFT_SIGNATURE(copy_fn, void, (const every *from, int more, WEFT_OUT every *to));
static void copy(const every *from, int more, every *to)
{
    *to = *from;
    to->a = weft_add(to->a, 100);
    to->list = weft_memory(NULL, sizeof *to->list);
    if (to->list) *to->list = (node){ weft_mul(from->a, 2), from->list };
    to->eps += more;
    to->user = (void *)(uintptr_t)1;
    to->cov = from->a;
}

/* A result's structure is that of the trace; a second call finds it in the cache. */
Test(tree, every_kind_of_field_is_a_result)
{
    need_backend();
    weft_declare(ctx, copy, copy_fn);
    copy_fn *const how[] = { weft_jit(ctx, copy), weft_jit(ctx, weft_jit(ctx, copy)) };
    Sample s;
    make_sample(&s);
    for (int round = 0; round < 4; round++) {
        every to;
        memset(&to, 0x55, sizeof to);
        void *was = to.user;
        weft_scope *scope = weft_scope_open(ctx);
        how[round % 2](&s.e, 2, &to);
        cr_assert_null(weft_error(ctx), "%s", weft_error(ctx));
        cr_expect_eq(weft_leaf_count_of(&every_tree, &to), SAMPLE_LEAVES + 1);
        cr_expect_eq(item(to.a), 101);
        cr_expect_eq(item(to.list->v), 2);
        cr_expect_eq(item(to.list->next->next->next->v), 12);
        cr_expect_null(to.list->next->next->next->next);
        cr_expect(to.list->next != s.e.list, "its own memory");
        cr_expect(to.n_ws == 2 && to.ws != s.e.ws && item(to.ws[1]) == 7);
        cr_expect(to.n_layers == 1 && item(to.layers[0].b) == 9);
        cr_expect(!to.ends[0] && item(to.ends[1]->v) == 13);
        cr_expect(to.act == TANH && to.flag && to.eps == 2.5 && to.dims[1] == -7);
        cr_expect_eq(to.user, was, "hidden fields are left alone");
        cr_expect_null(to.cov, "lazy ones are not computed yet");
        weft_scope_close(scope);
    }
    cr_expect_eq(weft_stats(ctx).hits, 2);
    how[0](&s.e, 1, NULL);
    cr_expect_null(weft_error(ctx), "nobody wants it");
}

WEFT_SIGNATURE(step_fn, weft_array *, (every * e, weft_array *rate));
static weft_array *step(every *e, weft_array *rate)
{
    int n = weft_leaf_count_of(&every_tree, e);
    weft_array *before = e->a;
    for (int i = 0; i < n; i++) {
        weft_array **p = weft_leaf(&every_tree, e, i);
        *p = weft_sub(*p, weft_mul(rate, i));
    }
    return before;
}

Test(tree, in_out_structs_keep_all_but_their_leaves)
{
    need_backend();
    weft_declare(ctx, step, step_fn);
    step_fn *fast = weft_jit(ctx, step);
    for (int round = 0; round < 2; round++) {
        Sample s;
        make_sample(&s);
        weft_array *was = s.e.pair[1];
        cr_expect_eq(item(fast(&s.e, number(10))), 1, "%s", weft_error(ctx));
        for (int i = 0; i < SAMPLE_LEAVES; i++)
            cr_expect_eq(item(*weft_leaf(&every_tree, &s.e, i)), i + 1 - 10 * i);
        cr_expect_eq(item(was), 3, "the old array stays with its owner");
        cr_expect(s.e.ws == s.ws && s.e.list == s.nodes && s.e.user == &s,
                  "nothing but the leaves is touched");
        cr_expect_null(s.e.cov, "what was computed from the old leaves is gone");
    }
    Sample s, t;
    make_sample(&s);
    t = s;
    cr_expect_null(fast(&s.e, NULL));
    weft_clear(ctx);
    cr_expect(!memcmp(&s, &t, sizeof s), "a failed call leaves it alone");
}

static weft_array *breaks_count(every *e, weft_array *x)
{
    e->n_ws = 1;
    return x;
}
static weft_array *breaks_null(every *e, weft_array *x)
{
    e->list = NULL;
    return x;
}
static weft_array *breaks_list(every *e, weft_array *x)
{
    e->ends[0] = e->ends[1];
    return x;
}
static weft_array *breaks_static(every *e, weft_array *x)
{
    e->eps = 3;
    return x;
}
static weft_array *breaks_leaf(every *e, weft_array *x)
{
    e->layers[0].w = NULL;
    return x;
}
static weft_array *breaks_memory(every *e, weft_array *x)
{
    e->layers = NULL;
    return x;
}
static weft_array *breaks_sign(every *e, weft_array *x)
{
    e->n_layers = -2;
    return x;
}
typedef struct {
    step_fn *f;
    const char *error;
} Broken;

Test(tree, in_out_structs_must_keep_their_structure)
{
    static const Broken broken[] = {
        { breaks_count,
          "e.ws is a list of 2 in the argument and a list of 1 in the result, so the lengths do not match" },
        { breaks_null, "e.list is a node in the argument and NULL in the result, so their types differ" },
        { breaks_list, "e.ends[0] is NULL in the argument and a node in the result, so their types differ" },
        { breaks_static, "e.eps is 0.5 in the argument and 3 in the result, so the metadata does not match" },
        { breaks_leaf, "result e.layers[0].w is NULL" },
        { breaks_memory, "result e.layers is NULL, but its count n_layers is 1" },
        { breaks_sign, "result e.layers: its count n_layers is -2" },
    };
    for (size_t i = 0; i < sizeof broken / sizeof *broken; i++) {
        Sample s, t;
        make_sample(&s);
        t = s;
        weft_declare(ctx, broken[i].f, step_fn);
        cr_expect_null(weft_vmap(ctx, broken[i].f, "none, 0")(&s.e, weft_from(ctx, six, 2)));
        cr_expect(error_has(broken[i].error));
        cr_expect(!memcmp(&s, &t, sizeof s));
    }
}

static every *known;
static weft_array *breaks_its_callers(every *e, weft_array *x)
{
    (void)e;
    known->n_ws = 1;
    return x;
}

Test(tree, in_out_structs_that_the_function_changes_by_another_name)
{
    Sample s;
    make_sample(&s);
    known = &s.e;
    weft_declare(ctx, breaks_its_callers, step_fn);
    cr_expect_null(weft_vmap(ctx, breaks_its_callers, "none, 0")(&s.e, weft_from(ctx, six, 2)));
    cr_expect(error_has("the function itself changed the structure of an in-out struct"));
}

WEFT_SIGNATURE(two_fn, weft_array *, (every * a, const every *b));
static weft_array *takes_two(every *a, const every *b)
{
    a->a = weft_add(a->a, b->a);
    return a->a;
}

Test(tree, an_in_out_struct_that_another_argument_is_too)
{
    weft_declare(ctx, takes_two, two_fn);
    two_fn *mapped = weft_vmap(ctx, takes_two, "none, none", .size = 2);
    Sample s, t;
    make_sample(&s);
    make_sample(&t);
    cr_expect_not_null(mapped(&s.e, &t.e), "%s", weft_error(ctx));
    weft_clear(ctx);
    cr_expect_null(mapped(&s.e, &s.e));
    cr_expect(error_has("a and b are one struct in memory, and the function changes it"));
}

/* Structs inside traced functions: passed on, made anew, in-out of in-out. */
static weft_array *nested(const every *e)
{
    every mine;
    copy_fn *inside = weft_jit(NULL, copy);
    inside(e, 1, &mine);
    weft_array *r = weft_jit(NULL, step)(&mine, weft_scalar(NULL, 1));
    return weft_add(weft_mul(mine.list->next->v, mine.eps), r);
}

Test(tree, structs_inside_traced_functions)
{
    need_backend();
    weft_declare(ctx, copy, copy_fn);
    weft_declare(ctx, step, step_fn);
    weft_declare(ctx, nested, sum_fn);
    Sample s;
    make_sample(&s);
    for (int i = 0; i < 2; i++)
        cr_expect_eq(item(weft_jit(ctx, nested)(&s.e)), (10 - 10) * 1.5 + 101, "%s", weft_error(ctx));
}

/* ---- trees that are empty, wide, deep ---- */

WEFT_SIGNATURE(total_fn, weft_array *, (const node *list));
static weft_array *total(const node *list)
{
    weft_array *sum = list->v;
    for (list = list->next; list; list = list->next) sum = weft_add(sum, list->v);
    return sum;
}
WEFT_SIGNATURE(pass_fn, void, (const node *from, WEFT_OUT node *to));
static void pass(const node *from, node *to) { *to = *from; }

Test(tree, ten_thousand_levels)
{
    enum { N = 10000 };
    weft_declare(ctx, total, total_fn);
    weft_declare(ctx, pass, pass_fn);
    static node list[N];
    weft_array *one = number(1);
    for (int i = 0; i < N; i++) list[i] = (node){ one, i + 1 < N ? &list[i + 1] : NULL };
    cr_expect_eq(weft_leaf_count_of(&node_tree, list), N);
    char path[100];
    cr_expect_eq(weft_leaf_path(&node_tree, list, 2, path, sizeof path), strlen("next.next.v"));
    cr_expect_eq(weft_leaf_path(&node_tree, list, N - 1, path, sizeof path), 5 * (N - 1) + 1);
    cr_expect(!strncmp(path, "next.next.", 10) && strlen(path) == sizeof path - 1);
    weft_array *batch = weft_vmap(ctx, total, "none", .size = 2)(list);
    cr_assert_not_null(batch, "%s", weft_error(ctx));
    cr_expect_eq(weft_f32(batch)[1], N);
    node to;
    weft_vmap(ctx, pass, "none", .size = 2)(list, &to);
    cr_expect_eq(weft_leaf_count_of(&node_tree, &to), N, "%s", weft_error(ctx));
    weft_free_tree(&node_tree, &to);
    cr_expect(!to.v && !to.next);
    list[N - 1].v = NULL;
    cr_expect_null(weft_vmap(ctx, total, "none", .size = 2)(list));
    cr_expect(error_has("next...."), "its path loses its middle");
    list[N - 1] = (node){ one, list };
    cr_expect_null(weft_vmap(ctx, total, "none", .size = 2)(list));
    cr_expect(error_has("does a pointer lead back?"));
}

typedef struct {
    weft_array **x;
    long n;
} many;
WEFT_STRUCT(many, WEFT_ARRAYS(many, x, n));
WEFT_SIGNATURE(many_fn, void, (many * m, weft_array *y));
static void add_all(many *m, weft_array *y)
{
    for (long i = 0; i < m->n; i++) m->x[i] = weft_add(m->x[i], y);
}

Test(tree, ten_thousand_leaves_and_none)
{
    enum { N = 10000 };
    static weft_array *x[N];
    weft_describe(ctx, many);
    weft_declare(ctx, add_all, many_fn);
    many m = { x, N };
    for (int i = 0; i < N; i++) x[i] = weft_from(ctx, six, 2);
    many_fn *f = weft_vmap(ctx, add_all, "0, 0");
    f(&m, weft_from(ctx, six, 2));
    cr_expect_null(weft_error(ctx), "%s", weft_error(ctx));
    for (int i = 0; i < N; i++) cr_assert(weft_f32(x[i])[0] == 2 && weft_f32(x[i])[1] == 4);
    m.n = 0;
    m.x = NULL;
    f(&m, weft_from(ctx, six, 2));
    cr_expect_null(weft_error(ctx), "%s", weft_error(ctx));
    weft_vmap(ctx, add_all, "0, none")(&m, number(1));
    cr_expect(error_has("must be called with at least one array to map, or be made with .size"));
}

Test(tree, thousands_of_leaves_compiled, .timeout = 120)
{
    need_backend();
    enum { N = 2000 };
    static weft_array *x[N];
    weft_describe(ctx, many);
    weft_declare(ctx, add_all, many_fn);
    many m = { x, N };
    for (int i = 0; i < N; i++) x[i] = weft_from(ctx, six, 2);
    weft_jit(ctx, add_all)(&m, weft_from(ctx, six, 2));
    cr_assert_null(weft_error(ctx), "%s", weft_error(ctx));
    cr_expect(strstr(weft_explain(ctx), ", ... (trace"), "%s", weft_explain(ctx));
    for (int i = 0; i < N; i++) cr_assert(weft_f32(x[i])[0] == 2 && weft_f32(x[i])[1] == 4);
}

/* ---- whole trees ---- */

static net make_net(int in, int hidden, int out)
{
    static float data[64];
    for (int i = 0; i < 64; i++) data[i] = (float)i;
    return (net){ .l = { { weft_from(ctx, data, hidden, in), weft_from(ctx, data, hidden) },
                         { weft_from(ctx, data, out, hidden), weft_from(ctx, data, out) } },
                  .uses = 7 };
}

Test(tree, models_that_differ_do_not_stack)
{
    net m[3], all;
    for (int i = 0; i < 3; i++) m[i] = make_net(2, 3, 4);
    m[2] = make_net(2, 3, 5);
    cr_expect_eq(weft_stack(ctx, net, m, 3, &all), WEFT_SHAPE);
    cr_expect(error_has("weft_stack: leaf l[1].w is f32[4,3] in model 0 but f32[5,3] in model 2"));
    cr_expect_null(all.l[0].w);
    m[2] = m[0];
    m[1].l[0].b = weft_ones(ctx, WEFT_I32, 3);
    cr_expect_eq(weft_stack(ctx, net, m, 3, &all), WEFT_DTYPE);
    cr_expect(error_has("leaf l[0].b is f32[3] in model 0 but i32[3] in model 1"));
    m[1].l[0].b = NULL;
    cr_expect_eq(weft_stack(ctx, net, m, 3, &all), WEFT_ARGUMENT);
    cr_expect(error_has("leaf l[0].b of model 1 is NULL"));
    cr_expect_eq(weft_stack(ctx, net, m, 0, &all), WEFT_ARGUMENT);
    cr_expect(error_has("0 models"));
    cr_expect_eq(weft_stack(ctx, net, (net *)NULL, 2, &all), WEFT_ARGUMENT);
    weft_clear(ctx);
    const void *list[2] = { &m[0], NULL };
    cr_expect_eq(weft_stack_pointers(ctx, net, list, 2, &all), WEFT_ARGUMENT);
    cr_expect(error_has("model 1 is NULL"));
    for (size_t i = 0; i + 1 < sizeof changes / sizeof *changes; i++) {
        Sample s[2];
        every to;
        make_sample(&s[0]), make_sample(&s[1]);
        changes[i].change(&s[1]);
        const void *both[2] = { &s[0].e, &s[1].e };
        cr_expect_eq(weft_stack_pointers(ctx, every, both, 2, &to), WEFT_TREE_MISMATCH);
        cr_expect(error_has("in model 0 but"));
    }
}

/* ---- no memory ---- */

static bool exercise(void)
{
    Sample s;
    every out, all;
    make_sample(&s);
    weft_describe(ctx, every);
    weft_declare(ctx, copy, copy_fn);
    weft_declare(ctx, step, step_fn);
    if (weft_error(ctx)) return false;
    memset(&out, 0, sizeof out);
    weft_vmap(ctx, copy, "none", .size = 2)(&s.e, 1, &out);
    weft_vmap(ctx, step, "0, none")(&out, number(1));
    if (!weft_error(ctx)) weft_keep_tree(&every_tree, &out);
    const void *two[2] = { &s.e, &s.e };
    weft_stack_pointers(ctx, every, two, 2, &all);
    weft_tree_map2(ctx, every, weft_add, &all, &all, &all);
    weft_free_tree(&every_tree, &out);
    return !weft_error(ctx);
}

Test(tree, every_allocation_may_fail, .timeout = 120) { every_allocation_may_fail(4000, NULL, exercise); }
