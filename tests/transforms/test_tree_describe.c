/* test_tree_describe.c: descriptions of structs: those that are none, that come at run time, that are
 * random; and arguments that do not fit theirs. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "runtime/memory/context.h"
#include "runtime/tree/flat.h"
#include "tests/transforms/tree_sample.h"

static const float six[6] = { 1, 2, 3, 4, 5, 6 };

TestSuite(tree_describe, .init = open_tree_context, .fini = close_context);

/* ---- through functions ---- */

WEFT_SIGNATURE(sum_fn, weft_array *, (const every *e));

static weft_array *first(const every *e) { return weft_mul(e->a, e->eps); }

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

Test(tree_describe, bad_structures_as_arguments)
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

Test(tree_describe, descriptions_that_are_none)
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
Test(tree_describe, descriptions_are_copied)
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

Test(tree_describe, signatures_with_structs)
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

Test(tree_describe, threads_make_and_free_trees)
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

Test(tree_describe, random_trees_come_back_as_they_were)
{
    static World w;
    for (int round = 0; round < 300; round++) {
        weft_scope *s = weft_scope_open(ctx);
        memset(&w, 0, sizeof w);
        for (int k = 0; k < STRUCTS; k++) make_struct(&w, k);
        const weft_tree *t = &w.tree[STRUCTS - 1];
        Failure f = { .code = WEFT_OK };
        cr_assert(tree_check(t, &f), "%s", f.text);
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
