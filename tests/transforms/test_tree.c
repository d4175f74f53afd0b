/* Structs as trees: every kind of field through jit and back, what is part of a structure and what is not,
 * whole-tree functions, and who owns what. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "runtime/exec/compile.h"
#include "runtime/memory/context.h"
#include "runtime/tree/flat.h"
#include "tests/support/context_suite.h"

typedef struct {
    weft_array *w, *b;
} layer;
typedef struct {
    layer l[2];
    int uses;
} net;
typedef enum { RELU, TANH } activation;
typedef struct node node;
struct node {
    weft_array *v;
    node *next;
};
/* Every kind of field. */
typedef struct {
    weft_array *a, *pair[2];
    layer inner;
    uint8_t n_ws;
    weft_array **ws;
    layer *layers;
    int64_t n_layers;
    node *list, *ends[2];
    activation act;
    bool flag;
    double eps;
    short dims[3];
    void *user;
    weft_array *cov;
} every;
WEFT_STRUCT(layer, WEFT_ARRAY(layer, w), WEFT_ARRAY(layer, b));
WEFT_STRUCT(net, WEFT_TREE(net, l, layer), WEFT_HIDDEN(net, uses));
WEFT_STRUCT(node, WEFT_ARRAY(node, v), WEFT_POINTER(node, next, node));
WEFT_STRUCT(every, WEFT_ARRAY(every, a), WEFT_ARRAY(every, pair), WEFT_TREE(every, inner, layer),
            WEFT_ARRAYS(every, ws, n_ws), WEFT_TREES(every, layers, layer, n_layers),
            WEFT_POINTER(every, list, node), WEFT_POINTER(every, ends, node), WEFT_STATIC(every, act),
            WEFT_STATIC(every, flag), WEFT_STATIC(every, eps), WEFT_STATIC(every, dims),
            WEFT_HIDDEN(every, user), WEFT_LAZY(every, cov));

static const float six[6] = { 1, 2, 3, 4, 5, 6 };

static void setup(void)
{
    open_context();
    weft_describe(ctx, net);
    weft_describe(ctx, every);
}

TestSuite(tree, .init = setup, .fini = close_context);

static weft_array *number(double v) { return weft_scalar(ctx, v); }
static double item(weft_array *a) { return a ? weft_item(a) : -1e9; }

/* ---- leaves ---- */

/* Arrays 1, 2, ... in the order of the leaves; lists of 2 and 1, a linked list of 3, an end that is there and
 * one that is not. */
typedef struct {
    every e;
    weft_array *ws[2];
    layer layers[1];
    node nodes[4];
} Sample;
static void make_sample(Sample *s)
{
    memset(s, 0, sizeof *s);
    every *e = &s->e;
    int k = 1;
    e->a = number(k++), e->pair[0] = number(k++), e->pair[1] = number(k++);
    e->inner = (layer){ number(k), number(k + 1) };
    k += 2;
    e->n_ws = 2, e->ws = s->ws;
    for (int i = 0; i < 2; i++) e->ws[i] = number(k++);
    e->n_layers = 1, e->layers = s->layers;
    s->layers[0] = (layer){ number(k), number(k + 1) };
    k += 2;
    for (int i = 0; i < 4; i++) s->nodes[i] = (node){ number(k++), i < 2 ? &s->nodes[i + 1] : NULL };
    e->list = &s->nodes[0], e->ends[1] = &s->nodes[3];
    e->act = TANH, e->flag = true, e->eps = 0.5, e->dims[1] = -7;
    e->user = s;
    e->cov = number(99);
}
enum { SAMPLE_LEAVES = 13 };
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

/* ---- bad arguments ---- */

static void bad_null(Sample *s) { s->e.inner.b = NULL; }
static void bad_list(Sample *s) { s->e.ws = NULL; }
static void bad_element(Sample *s) { s->ws[1] = NULL; }
static void bad_count(Sample *s) { s->e.n_layers = -1; }
static void bad_huge(Sample *s) { s->e.n_layers = INT64_MAX; }
static void bad_circle(Sample *s) { s->nodes[2].next = &s->nodes[0]; }
static void bad_freed(Sample *s) { weft_free(s->nodes[1].v); }
typedef struct {
    void (*spoil)(Sample *);
    const char *error;
} Spoiled;
static const Spoiled spoiled[] = {
    { bad_null, "argument e.inner.b is NULL" },
    { bad_list, "argument e.ws is NULL, but its count n_ws is 2" },
    { bad_element, "argument e.ws[1] is NULL" },
    { bad_count, "argument e.layers: its count n_layers is -1" },
    { bad_huge,
      "argument e.layers: its count n_layers is 9223372036854775807, and a tree has at most 1048576 parts" },
    { bad_circle, "more than 1048576 parts: does a pointer lead back?" },
    { bad_freed, "argument e.list.next.v was freed" },
};

Test(tree, bad_structures_as_arguments)
{
    weft_declare(ctx, first, sum_fn);
    sum_fn *f = weft_vmap(ctx, first, "none", .size = 2);
    cr_expect_null(f(NULL));
    cr_expect(error_has("vmap(first): argument e is NULL"));
    for (size_t i = 0; i < sizeof spoiled / sizeof *spoiled; i++) {
        Sample s;
        make_sample(&s);
        spoiled[i].spoil(&s);
        cr_expect_null(f(&s.e));
        cr_expect(error_has(spoiled[i].error));
    }
    Sample s;
    make_sample(&s);
    every to = s.e;
    weft_declare(ctx, copy, copy_fn);
    s.e.a = NULL;
    weft_vmap(ctx, copy, "none", .size = 2)(&s.e, 1, &to);
    cr_expect(error_has("argument from.a is NULL"));
    cr_expect(!to.a && !to.inner.w && !to.ws && !to.n_ws && !to.list && !to.ends[1] && !to.cov && to.eps == 0,
              "a failed call empties its results");
    cr_expect_eq(to.user, &s);
}

/* ---- descriptions ---- */

#define FIELD(n, o, b, k, num, t, c, cn) { n, o, b, k, num, t, c, cn }
#define TREE_OF(f)                       { "bad", 64, sizeof(f) / sizeof *(f), f }
static const weft_tree circle_tree;
static const weft_field circle_fields[] = { FIELD("inside", 0, 64, WEFT_FIELD_TREE, 0, &circle_tree, 0,
                                                  NULL) };
static const weft_tree circle_tree = { "circle", 64, 1, circle_fields };
static const weft_field overlap[] = { FIELD("x", 0, 16, WEFT_FIELD_ARRAY, 0, NULL, 0, NULL),
                                      FIELD("y", 8, 8, WEFT_FIELD_ARRAY, 0, NULL, 0, NULL) };
static const weft_field twice[] = { FIELD("x", 0, 8, WEFT_FIELD_ARRAY, 0, NULL, 0, NULL),
                                    FIELD("x", 8, 8, WEFT_FIELD_ARRAY, 0, NULL, 0, NULL) };
static const weft_field outside[] = { FIELD("x", 60, 8, WEFT_FIELD_ARRAY, 0, NULL, 0, NULL) };
static const weft_field unnamed[] = { FIELD(NULL, 0, 8, WEFT_FIELD_ARRAY, 0, NULL, 0, NULL) };
static const weft_field no_kind[] = { FIELD("x", 0, 8, 99, 0, NULL, 0, NULL) };
static const weft_field no_tree[] = { FIELD("x", 0, 8, WEFT_FIELD_POINTER, 0, NULL, 0, NULL) };
static const weft_field half[] = { FIELD("x", 0, 12, WEFT_FIELD_ARRAY, 0, NULL, 0, NULL) };
static const weft_field empty[] = { FIELD("x", 0, 0, WEFT_FIELD_ARRAY, 0, NULL, 0, NULL) };
static const weft_field count_out[] = { FIELD("x", 0, 8, WEFT_FIELD_ARRAYS, WEFT_I32, NULL, 62, "n") };
static const weft_field count_float[] = { FIELD("x", 0, 8, WEFT_FIELD_ARRAYS, WEFT_F32, NULL, 8, "n") };
static const weft_field count_none[] = { FIELD("x", 0, 8, WEFT_FIELD_ARRAYS, WEFT_I32, NULL, 8, NULL) };
static const weft_field half_type[] = { FIELD("x", 0, 8, WEFT_FIELD_STATIC, WEFT_F16, NULL, 0, NULL) };
static const weft_tree missing = { NULL, 0, 0, NULL };
static const weft_field leads_to_missing[] = { FIELD("x", 0, 8, WEFT_FIELD_POINTER, 0, &missing, 0, NULL) };
static const weft_field leads_to_circle[] = { FIELD("x", 0, 8, WEFT_FIELD_POINTER, 0, &circle_tree, 0,
                                                    NULL) };
typedef struct {
    weft_tree tree;
    const char *error;
} BadTree;

Test(tree, descriptions_that_are_none)
{
    static const BadTree bad[] = {
        { TREE_OF(overlap), "the fields x and y overlap" },
        { TREE_OF(twice), "bad.x is described twice" },
        { TREE_OF(outside), "bad.x: it lies outside the struct's 64 bytes" },
        { TREE_OF(unnamed), "bad: a field has no name" },
        { TREE_OF(no_kind), "bad.x: 99 is no kind of field" },
        { TREE_OF(no_tree), "bad.x: the description of its struct is NULL" },
        { TREE_OF(half), "bad.x: 12 bytes are not of its type" },
        { TREE_OF(empty), "bad.x: 0 bytes are not of its type" },
        { TREE_OF(count_out), "bad.x: its count lies outside" },
        { TREE_OF(count_float), "bad.x: its count is no integer" },
        { TREE_OF(count_none), "bad.x: its count has no name" },
        { TREE_OF(half_type), "no type of C number" },
        { TREE_OF(leads_to_missing), "is WEFT_STRUCT missing?" },
        { TREE_OF(leads_to_circle), "circle contains itself" },
        { { "circle", 64, 1, circle_fields }, "circle contains itself" },
        { { NULL, 8, 0, NULL }, "without name or size" },
        { { "bad", 0, 0, NULL }, "without name or size" },
        { { "bad", 8, 1, NULL }, "without name or size" },
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        cr_expect_eq(weft_describe_(ctx, &bad[i].tree, "demo.c:7"), WEFT_ARGUMENT);
        cr_expect(error_has(bad[i].error));
    }
    cr_expect_eq(weft_describe_(ctx, NULL, "demo.c:7"), WEFT_ARGUMENT);
    cr_expect(error_has("demo.c:7: weft_describe: the description is NULL"));
    weft_tree same = net_tree, other = net_tree;
    other.fields = 1;
    cr_expect_eq(weft_describe_(ctx, &same, "demo.c:7"), WEFT_OK, "the same by content, from another file");
    cr_expect_eq(weft_describe_(ctx, &other, "demo.c:7"), WEFT_ARGUMENT);
    cr_expect(error_has("another struct net is described already"));
    cr_expect_eq(weft_describe(ctx, net), WEFT_OK);
}

/* As in a plugin that is closed: what was described is gone, and is described again from elsewhere. */
Test(tree, descriptions_are_copied)
{
    weft_context *fresh = weft_open(NULL);
    char names[5][8] = { "leaf", "outer", "x", "inner", "self" };
    weft_field *f = calloc(4, sizeof *f);
    weft_tree *t = calloc(2, sizeof *t);
    f[0] = (weft_field){ names[2], 0, 8, WEFT_FIELD_ARRAY, 0, NULL, 0, NULL };
    f[1] = (weft_field){ names[3], 0, 16, WEFT_FIELD_TREE, 0, &t[0], 0, NULL };
    f[2] = (weft_field){ names[4], 16, 8, WEFT_FIELD_POINTER, 0, &t[1], 0, NULL };
    t[0] = (weft_tree){ names[0], 8, 1, f };
    t[1] = (weft_tree){ names[1], 24, 2, f + 1 };
    cr_expect_eq(weft_describe_(fresh, &t[1], "demo.c:1"), WEFT_OK, "%s", weft_error(fresh));
    cr_expect_eq(weft_describe_(fresh, &t[0], "demo.c:1"), WEFT_OK, "%s", weft_error(fresh));
    memset(names, '?', sizeof names);
    free(f), free(t);
    cr_expect_eq(weft_declare_(fresh, (weft_fn)first, "first", "weft_array *(const outer *o, const leaf *l)",
                               "demo.c:1"),
                 WEFT_OK, "%s", weft_error(fresh));
    weft_array *x = weft_from(fresh, six, 3);
    void *o[3] = { x, NULL, NULL }, *l[1] = { x };
    weft_fn made =
        weft_vmap_(fresh, (weft_fn)first, "{inner: [0, none]}, none", (weft_vmap_options){ 0 }, "demo.c:1");
    cr_expect_null(((weft_array * (*)(void *, void *)) made)(o, l));
    cr_expect(strstr(weft_error(fresh), "argument o.inner[1].x is NULL"), "%s", weft_error(fresh));
    weft_clear(fresh);
    weft_close(fresh);
}

typedef struct {
    const char *text, *error;
} Text;

Test(tree, signatures_with_structs)
{
    static const Text bad[] = {
        { "weft_array *(net m)", "passed by pointer" },
        { "weft_array *(const net **m)", "a struct is passed by pointer: const net *" },
        { "weft_array *(WEFT_OUT const net *m)", "a WEFT_OUT struct is written, so it is not const" },
        { "weft_array *(const nut *m)", "struct nut is not described: weft_describe(ctx, nut) first" },
        { "net *(const net *m)", "returns weft_array * or void" },
        { "void (const net *m)", "no result" },
        { "weft_array *(const net *m, const net *m)", "two parameters are called m" },
        { "weft_array *(const net *m n)", "unexpected 'n'" },
    };
    static const char *const good[] = { "void (net *m)", "void (WEFT_OUT net *m)",
                                        "weft_array *(const struct net *m)",
                                        "weft_array *(net const *m, const layer l[])",
                                        "void (const net *restrict m, WEFT_OUT layer *l, node *)" };
    static char functions[32];
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        cr_expect_eq(weft_declare_(ctx, (weft_fn)(uintptr_t)functions, "f", bad[i].text, "demo.c:3"),
                     WEFT_ARGUMENT, "%s", bad[i].text);
        cr_expect(error_has(bad[i].error));
    }
    for (size_t i = 0; i < sizeof good / sizeof *good; i++)
        cr_expect_eq(weft_declare_(ctx, (weft_fn)(uintptr_t)(functions + i), "f", good[i], "demo.c:3"),
                     WEFT_OK, "%s: %s", good[i], weft_error(ctx));
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

Test(tree, flatten_and_unflatten)
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

Test(tree, map_over_one_two_three)
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

Test(tree, stack_and_unstack)
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

/* ---- owners ---- */

Test(tree, assign_frees_the_old_and_keeps_the_new)
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

Test(tree, whole_trees_are_kept_lifted_and_freed)
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

Test(tree, traced_leaves_cannot_be_kept)
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

Test(tree, a_tree_without_arrays)
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

Test(tree, whole_tree_functions_are_traced)
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

/* Donated leaves of an in-out are computed over. */
Test(tree, donated_trees_take_no_memory)
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

/* ---- threads ---- */

typedef struct {
    copy_fn *all;
    const every *from;
    int failures;
} Worker;

static void *work(void *arg)
{
    Worker *w = arg;
    for (int i = 0; i < 200; i++) {
        every out = { .a = NULL }, sum;
        weft_scope *s = weft_scope_open(ctx);
        w->all(w->from, i % 3, &out);
        w->failures += weft_leaf_count_of(&every_tree, &out) != SAMPLE_LEAVES + 1 ||
                       weft_keep_tree(&every_tree, &out) != WEFT_OK;
        weft_scope_close(s);
        w->failures += item(out.list->next->v) != 10 ||
                       weft_tree_map2(ctx, every, weft_add, &sum, &out, &out) != WEFT_OK;
        weft_free_tree(&every_tree, &out);
        weft_free_tree(&every_tree, &sum);
    }
    return NULL;
}

Test(tree, threads_make_and_free_trees)
{
    weft_declare(ctx, copy, copy_fn);
    Sample s;
    make_sample(&s);
    size_t arrays = weft_stats(ctx).arrays;
    pthread_t workers[4];
    Worker w[4];
    for (int i = 0; i < 4; i++) {
        w[i] = (Worker){ weft_vmap(ctx, copy, "none -> none", .size = 2), &s.e, 0 };
        pthread_create(&workers[i], NULL, work, &w[i]);
    }
    for (int i = 0; i < 4; i++) {
        pthread_join(workers[i], NULL);
        cr_expect_eq(w[i].failures, 0);
    }
    cr_expect_eq(weft_stats(ctx).arrays, arrays, "%zu -> %zu", arrays, weft_stats(ctx).arrays);
}

/* ---- random trees: described at run time, flattened, built again, compared, stacked ---- */

static uint32_t seed = 1;
static uint32_t random_below(uint32_t n)
{
    seed = seed * 1664525u + 1013904223u;
    return (seed >> 8) % n;
}

enum { MAX_FIELDS = 6, STRUCTS = 4, ROOM = 1 << 20 };
typedef struct {
    weft_tree tree[STRUCTS];
    weft_field field[STRUCTS][MAX_FIELDS];
    char names[MAX_FIELDS][16];
    char memory[ROOM];
    size_t used;
    int leaves;
} World;

static void *take(void *world, size_t bytes)
{
    World *w = world;
    void *p = w->memory + w->used;
    w->used += (bytes + 15) & ~(size_t)15;
    cr_assert_leq(w->used, ROOM, "the room is too small");
    return memset(p, 0, bytes);
}

/* Struct k may contain, list or point to those before it, and point to itself. */
static void make_struct(World *w, int k)
{
    size_t at = 0;
    int n = 1 + (int)random_below(MAX_FIELDS);
    for (int i = 0; i < n; i++) {
        int kind = (int)random_below(WEFT_FIELD_KINDS_), of = k ? (int)random_below((uint32_t)k) : 0,
            copies = 1 + (int)random_below(2);
        if (!k && (kind == WEFT_FIELD_TREE || kind == WEFT_FIELD_TREES)) kind = WEFT_FIELD_ARRAY;
        if (kind == WEFT_FIELD_POINTER && random_below(2)) of = k;
        weft_field *f = &w->field[k][i];
        size_t unit = kind == WEFT_FIELD_TREE ? w->tree[of].bytes : sizeof(void *);
        if (kind == WEFT_FIELD_ARRAYS || kind == WEFT_FIELD_TREES) copies = 1;
        snprintf(w->names[i], sizeof w->names[i], "f%d", i);
        *f = (weft_field){ .name = w->names[i],
                           .offset = at,
                           .bytes = unit * (size_t)copies,
                           .kind = kind,
                           .number = WEFT_I64 };
        if (kind == WEFT_FIELD_TREE || kind == WEFT_FIELD_TREES || kind == WEFT_FIELD_POINTER)
            f->tree = &w->tree[of];
        at += f->bytes;
        if (kind == WEFT_FIELD_ARRAYS || kind == WEFT_FIELD_TREES)
            f->count_offset = at, f->count_name = "n", at += sizeof(int64_t);
    }
    w->tree[k] = (weft_tree){ "random", at, (size_t)n, w->field[k] };
}

static void fill(World *w, const weft_tree *t, char *base, int depth)
{
    for (size_t i = 0; i < t->fields; i++) {
        const weft_field *f = &t->field[i];
        char *at = base + f->offset;
        int64_t n = w->used < ROOM / 16 ? (int64_t)random_below(3) : 0;
        size_t copies = f->bytes / (f->kind == WEFT_FIELD_TREE ? f->tree->bytes : sizeof(void *));
        if (f->kind == WEFT_FIELD_ARRAYS || f->kind == WEFT_FIELD_TREES) {
            size_t unit = f->kind == WEFT_FIELD_ARRAYS ? sizeof(void *) : f->tree->bytes;
            char *list = n ? take(w, (size_t)n * unit) : NULL;
            memcpy(at, &list, sizeof list), memcpy(base + f->count_offset, &n, sizeof n);
            for (int64_t k = 0; k < n; k++) {
                weft_array *a = f->tree ? NULL : number(w->leaves++);
                if (f->tree) fill(w, f->tree, list + (size_t)k * unit, depth + 1);
                else memcpy(list + (size_t)k * unit, &a, sizeof a);
            }
            continue;
        }
        for (size_t k = 0; k < copies; k++) {
            weft_array *a = f->kind == WEFT_FIELD_ARRAY ? number(w->leaves++) : NULL;
            char *to = NULL;
            if (f->kind == WEFT_FIELD_TREE) fill(w, f->tree, at + k * f->tree->bytes, depth + 1);
            else if (f->kind == WEFT_FIELD_ARRAY) memcpy(at + k * sizeof a, &a, sizeof a);
            else if (f->kind == WEFT_FIELD_STATIC) memcpy(at + k * sizeof n, &n, sizeof n);
            else if (f->kind == WEFT_FIELD_POINTER && depth < 6 && n)
                fill(w, f->tree, to = take(w, f->tree->bytes), depth + 1);
            if (f->kind == WEFT_FIELD_POINTER) memcpy(at + k * sizeof to, &to, sizeof to);
        }
    }
}

Test(tree, random_trees_come_back_as_they_were)
{
    static World w;
    for (int round = 0; round < 300; round++) {
        weft_scope *s = weft_scope_open(ctx);
        memset(&w, 0, sizeof w);
        for (int k = 0; k < STRUCTS; k++) make_struct(&w, k);
        const weft_tree *t = &w.tree[STRUCTS - 1];
        Failure f = { .code = WEFT_OK };
        cr_assert(tree_check(t, &ctx->memory, &f), "%s", f.text);
        char *base = take(&w, t->bytes), *copy = take(&w, t->bytes), *stacked = take(&w, t->bytes);
        fill(&w, t, base, 0);
        cr_assert_eq(weft_leaf_count_of(t, base), w.leaves);
        Flat x, y;
        flat_open(&x, &ctx->memory), flat_open(&y, &ctx->memory);
        cr_assert(flat_read(&x, t, base, &f));
        TreeRoom room = { take, &w };
        cr_assert(flat_write(&x, t, copy, &room, &f));
        cr_assert(flat_read(&y, t, copy, &f));
        cr_assert(x.n_leaves == y.n_leaves && x.n_words == y.n_words);
        cr_assert(!memcmp(x.leaf, y.leaf, x.n_leaves * sizeof *x.leaf) &&
                  !memcmp(x.word, y.word, x.n_words * sizeof *x.word));
        for (uint32_t i = 0; i < x.n_leaves; i += 1 + random_below(4)) {
            char a[300], b[300];
            cr_expect_eq(item(*weft_leaf(t, base, (int)i)), i);
            weft_leaf_path(t, base, (int)i, a, sizeof a);
            cr_expect_str_eq(a, tree_leaf_path(t, x.word, x.n_words, i, b, sizeof b));
        }
        TreeDifference d;
        cr_expect_not(tree_difference(t, x.word, x.n_words, y.word, y.n_words, &d));
        if (x.n_words) {
            uint32_t at = random_below(x.n_words);
            y.word[at]++;
            cr_expect(tree_difference(t, x.word, at + 1, y.word, at + 1, &d) && d.path[0] == 'f', "%s",
                      d.path);
        }
        const void *both[2] = { base, copy };
        cr_assert_eq(weft_stack_pointers_(ctx, t, both, 2, stacked, "here"), WEFT_OK, "%s", weft_error(ctx));
        for (uint32_t i = 0; i < x.n_leaves; i += 1 + random_below(4))
            cr_expect_eq(weft_f32(*weft_leaf(t, stacked, (int)i))[1], i);
        flat_close(&x), flat_close(&y);
        tree_clear(t, copy);
        weft_scope_close(s);
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
