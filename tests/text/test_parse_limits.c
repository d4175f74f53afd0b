/* test_parse_limits.c: text that would take too much: depth, doublings and sizes are limited, and memory
 * may be refused at every call. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "compiler/text/text.h"
#include "tests/support/heap.h"
#include "tests/support/text_suite.h"
#include "tests/support/enzyme.h"

/* Each text repeats a part so often that a parser which recurses for it would run out of stack. */
Test(parse_limits, depth_is_limited)
{
    static const struct {
        const char *head, *part;
    } cases[] = {
        { "func.func @f() {\n  %0 = stablehlo.constant dense<", "[" },
        { "func.func @f() {\n  %0 = \"stablehlo.sine\"() {a = ", "[" },
        { "func.func @f() {\n  %0 = \"stablehlo.sine\"() {a = ", "{a = " },
        { "func.func @f() {\n  %0 = \"stablehlo.sine\"() {a = ", "#x<a = " },
        { "func.func @f() {\n  %0 = \"stablehlo.sine\"() {a = ", "dense<" },
        { "func.func @f() {\n", "\"stablehlo.reduce\"() ({" },
        { "func.func @f() {\n loc", "(" },
        { "", "module {" },
        { "module attributes ", "{a = {" },
        { "func.func @f(%x: tensor<", "1x" },
        { "func.func @f(%x: ", "tuple<" },
    };
    enum { TIMES = 200000 };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        size_t head = strlen(cases[i].head), part = strlen(cases[i].part);
        char *text = malloc(head + part * TIMES + 1);
        memcpy(text, cases[i].head, head);
        for (size_t k = 0; k < TIMES; k++) memcpy(text + head + k * part, cases[i].part, part);
        parse_anything(text, head + part * TIMES);
        free(text);
    }
}

/* f0 calls f1 twice, which calls f2 twice, ...: a short text for 2^60 ops, all different. */
Test(parse_limits, calls_that_double_are_refused)
{
    static const char step[] = "func.func @f%d(%%x: tensor<f32>) -> tensor<f32> {\n"
                               "  %%0 = stablehlo.sine %%x : tensor<f32>\n"
                               "  %%1 = call @f%d(%%0) : (tensor<f32>) -> tensor<f32>\n"
                               "  %%2 = call @f%d(%%1) : (tensor<f32>) -> tensor<f32>\n"
                               "  return %%2 : tensor<f32>\n}\n";
    static const char last[] = "func.func @f60(%x: tensor<f32>) -> tensor<f32> {\n"
                               "  %0 = stablehlo.cosine %x : tensor<f32>\n"
                               "  return %0 : tensor<f32>\n}\n";
    char text[16384];
    size_t n = 0;
    for (int i = 0; i < 60; i++) n += (size_t)snprintf(text + n, sizeof text - n, step, i, i + 1, i + 1);
    memcpy(text + n, last, sizeof last);
    n += sizeof last - 1;
    Arena a;
    Failure f = { 0 };
    const char *unsupported = NULL;
    arena_open(&a);
    cr_expect(!text_parse_with(&a, &enzyme, text, n, NULL, &f, &unsupported));
    cr_expect(unsupported && strstr(unsupported, "expands to more"), "%s", f.text);
    arena_free(&a);
}

/* A text of n times `each`, which may say %u: its number, between head and tail. */
static char *repeated(const char *head, const char *each, unsigned n, const char *tail)
{
    size_t size = strlen(head) + n * (strlen(each) + 40) + strlen(tail) + 1, used = 0;
    char *text = malloc(size);
    used += (size_t)snprintf(text, size, "%s", head);
    for (unsigned i = 0; i < n; i++) used += (size_t)snprintf(text + used, size - used, each, i, i, i, i);
    snprintf(text + used, size - used, "%s", tail);
    return text;
}

/* However much there is of something, the time is linear in the length. A linear search for each name
 * would take minutes. */
Test(parse_limits, much_of_one_thing_is_read_or_refused_in_linear_time)
{
    static const char id[] = "func.func @main(%a: tensor<f32>) -> tensor<f32> {\n";
    static const char end[] = "  return %a : tensor<f32>\n}\n";
    static const struct {
        const char *head, *each;
        unsigned n;
        const char *tail, *says;
    } cases[] = {
        { id, "  %%%u = stablehlo.tanh %%a : tensor<f32> loc(#loc%u)\n#loc%u = loc(\"f.c\":%u:0)\n", 50000,
          end, NULL },
        { "", "func.func private @f%u(%%a: tensor<f32>) -> tensor<f32> {\n  return %%a : tensor<f32>\n}\n",
          50000,
          "func.func @main(%a: tensor<f32>) -> tensor<f32> {\n"
          "  %0 = call @f49999(%a) : (tensor<f32>) -> tensor<f32>\n  return %0 : tensor<f32>\n}\n",
          NULL },
        { "func.func @main(%a: tensor<f32>) -> tensor<f32> {\n  %0 = stablehlo.tanh %a {b = 1", ", a%u = %u",
          100000, "} : tensor<f32>\n  return %0 : tensor<f32>\n}\n", "more than 1000 attributes" },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        Arena a;
        Failure f = { 0 };
        char *text = repeated(cases[i].head, cases[i].each, cases[i].n, cases[i].tail);
        arena_open(&a);
        const Parsed *p = text_parse(&a, text, strlen(text), NULL, &f, NULL);
        if (cases[i].says) cr_expect(!p && strstr(f.text, cases[i].says), "case %zu: %s", i, f.text);
        else cr_expect(p, "case %zu: %s", i, f.text);
        arena_free(&a);
        free(text);
    }
}

/* @main of a chain of n funcs, each called by the next; or of what they do, written out. The caller frees. */
static char *chain_of_calls(int n, bool written_out)
{
    static const char type[] = "(%x: tensor<4xf32>) -> tensor<4xf32> {\n";
    size_t size = 1000 + (size_t)n * 400, used = 0;
    char *text = malloc(size);
#define PUT(...) used += (size_t)snprintf(text + used, size - used, __VA_ARGS__)
    if (written_out) PUT("func.func @main%s", type);
    else PUT("func.func private @f0%s  return %%x : tensor<4xf32>\n}\n", type);
    for (int i = 1; i <= n; i++) {
        char before[20] = "%x";
        if (!written_out) {
            PUT("func.func private @f%d%s", i, type);
            PUT("  %%c%d = func.call @f%d(%%x) : (tensor<4xf32>) -> tensor<4xf32>\n", i, i - 1);
            snprintf(before, sizeof before, "%%c%d", i);
        } else if (i > 1) snprintf(before, sizeof before, "%%r%d", i - 1);
        PUT("  %%unused%d = stablehlo.sine %%x : tensor<4xf32>\n", i);
        PUT("  %%r%d = stablehlo.%s %s, %%x : tensor<4xf32>\n", i, i % 2 ? "add" : "multiply", before);
        if (!written_out) PUT("  return %%r%d : tensor<4xf32>\n}\n", i);
    }
    if (!written_out)
        PUT("func.func @main%s  %%r%d = func.call @f%d(%%x) : (tensor<4xf32>) -> tensor<4xf32>\n", type, n,
            n);
    PUT("  return %%r%d : tensor<4xf32>\n}\n", n);
#undef PUT
    return text;
}

static size_t taken;

static void *count_taken(void *user, void *p, size_t old_bytes, size_t new_bytes)
{
    (void)user;
    taken += new_bytes > old_bytes ? new_bytes - old_bytes : 0;
    if (new_bytes) return realloc(p, new_bytes);
    free(p);
    return NULL;
}

/* A long chain is not copied at each of its calls: 2000 funcs took 1100 MB. */
Test(parse_limits, chains_of_calls_are_built_in_place)
{
    static const Allocator counting = { count_taken, NULL };
    for (int n = 10; n <= 2000; n *= 200) {
        Arena a;
        Guard guard;
        Failure f = { 0 };
        char *chain = chain_of_calls(n, false), *flat = chain_of_calls(n, true);
        arena_init(&a, &counting, &guard);
        taken = 0;
        const Parsed *is = text_parse(&a, chain, strlen(chain), NULL, &f, NULL);
        size_t bytes = taken;
        const Parsed *should = text_parse(&a, flat, strlen(flat), NULL, &f, NULL);
        cr_assert(is && should, "%s", f.text);
        cr_expect(graph_equal(is->funcs[is->n_funcs - 1].graph, should->funcs[0].graph), "%d funcs", n);
        cr_expect_leq(bytes, 100 << 20, "%zu bytes", bytes);
        /* one is wrong, deep inside */
        char *wrong = strstr(chain, "%c7, %x");
        memcpy(wrong, "%c9", 3);
        cr_expect(!text_parse(&a, chain, strlen(chain), NULL, &f, NULL));
        arena_free(&a);
        free(chain);
        free(flat);
    }
}

/* Each branch of an op is handed what all branches capture. */
Test(parse_limits, captures_times_branches_are_limited)
{
    enum { BRANCHES = 200, VALUES = 20000 };
    char *values = repeated("func.func @main(%i: tensor<i32>, %a: tensor<f32>) -> tensor<f32> {\n",
                            "  %%v%u = stablehlo.tanh %%a : tensor<f32>\n", VALUES, "");
    char *uses =
        repeated("  %c = \"stablehlo.case\"(%i) ({\n", "  %%w%u = stablehlo.sine %%v%u : tensor<f32>\n",
                 VALUES, "  stablehlo.return %a : tensor<f32>\n }");
    char *branches = repeated("", ", { stablehlo.return %%a : tensor<f32> }", BRANCHES,
                              ") : (tensor<i32>) -> tensor<f32>\n  return %c : tensor<f32>\n}\n");
    char *text = malloc(strlen(values) + strlen(uses) + strlen(branches) + 1);
    Arena a;
    Failure f = { 0 };
    sprintf(text, "%s%s%s", values, uses, branches);
    arena_open(&a);
    cr_expect(!text_parse(&a, text, strlen(text), NULL, &f, NULL));
    cr_expect(strstr(f.text, "expands to more than"), "%s", f.text);
    arena_free(&a);
    free(values);
    free(uses);
    free(branches);
    free(text);
}

/* The derivative of the derivative of ...: each is several times as long as the one before. */
Test(parse_limits, derivatives_of_derivatives_are_limited)
{
    static const char step[] = "func.func @f%d(%%x: tensor<f32>) -> tensor<f32> {\n"
                               "  %%c = stablehlo.constant dense<1.0> : tensor<f32>\n"
                               "  %%0 = enzyme.autodiff @f%d(%%x, %%c) {activity = [#enzyme<activity "
                               "enzyme_active>], ret_activity = [#enzyme<activity enzyme_activenoneed>]}"
                               " : (tensor<f32>, tensor<f32>) -> tensor<f32>\n"
                               "  return %%0 : tensor<f32>\n}\n";
    static const char last[] =
        "func.func @f60(%x: tensor<f32>) -> tensor<f32> {\n"
        "  %0 = stablehlo.sine %x : tensor<f32>\n  %1 = stablehlo.exponential %0 : tensor<f32>\n"
        "  %2 = stablehlo.tanh %1 : tensor<f32>\n  %3 = stablehlo.multiply %2, %0 : tensor<f32>\n"
        "  return %3 : tensor<f32>\n}\n";
    char text[32768];
    size_t n = 0;
    for (int i = 0; i < 60; i++) n += (size_t)snprintf(text + n, sizeof text - n, step, i, i + 1);
    memcpy(text + n, last, sizeof last);
    n += sizeof last - 1;
    Arena a;
    Failure f = { 0 };
    const char *unsupported = NULL;
    arena_open(&a);
    cr_expect(!text_parse_with(&a, &enzyme, text, n, NULL, &f, &unsupported));
    cr_expect(unsupported && strstr(unsupported, "expands to more"), "%s", f.text);
    arena_free(&a);
}

/* f0 loops over f1, which loops over f2, ...: depth that no text of nested braces could have; and once more
 * with two loops in each. */
Test(parse_limits, loops_in_calls_of_loops_are_limited)
{
    static const char step[] =
        "func.func @f%d(%%x: tensor<f32>) -> tensor<f32> {\n"
        "  %%0 = stablehlo.while(%%a = %%x) : tensor<f32> cond {\n"
        "    %%p = stablehlo.compare LT, %%a, %%x : (tensor<f32>, tensor<f32>) -> tensor<i1>\n"
        "    stablehlo.return %%p : tensor<i1>\n  } do {\n"
        "    %%1 = func.call @f%d(%%a) : (tensor<f32>) -> tensor<f32>\n"
        "    %%2 = stablehlo.sine %%1 : tensor<f32>\n"
        "    %%3 = func.call @f%d(%%2) : (tensor<f32>) -> tensor<f32>\n"
        "    stablehlo.return %%%d : tensor<f32>\n  }\n"
        "  return %%0 : tensor<f32>\n}\n";
    static const char last[] =
        "func.func @last(%x: tensor<f32>) -> tensor<f32> {\n  return %x : tensor<f32>\n}\n";
    static const struct {
        int levels, calls;
        const char *says;
    } cases[] = { { 1000, 1, "loops nested deeper" }, { 60, 2, "expands to more" } };
    for (int k = 0; k < 2; k++) {
        char *text = malloc(1 << 20);
        size_t n = 0;
        for (int i = 0; i < cases[k].levels; i++) {
            char one[1024], *second;
            snprintf(one, sizeof one, step, i, i + 1, i + 1, cases[k].calls == 2 ? 3 : 2);
            if (cases[k].calls == 1 && (second = strstr(one, "    %3 = ")))
                memmove(second, strchr(second, '\n') + 1, strlen(strchr(second, '\n')));
            n += (size_t)sprintf(text + n, "%s", one);
        }
        n += (size_t)sprintf(text + n, "func.func @f%d%s", cases[k].levels, last + strlen("func.func @last"));
        Arena a;
        Failure f = { 0 };
        const char *unsupported = NULL;
        arena_open(&a);
        cr_expect(!text_parse_with(&a, &enzyme, text, n, NULL, &f, &unsupported));
        cr_expect(unsupported && strstr(unsupported, cases[k].says), "%s", f.text);
        arena_free(&a);
        free(text);
    }
}

static bool parses_within(Counter *c, const Source *s)
{
    Allocator allocator = { counter_resize, c };
    Arena a;
    Guard guard;
    Failure f = { 0 };
    volatile bool done = false;
    arena_init(&a, &allocator, &guard);
    if (setjmp(guard.env) == 0) {
        const Parsed *p = text_parse_with(&a, &enzyme, s->text, s->n, NULL, &f, NULL);
        if (p) graph_print(&a, p->funcs[0].graph, NULL);
        done = true;
    }
    arena_free(&a);
    return done;
}

Test(parse_limits, each_refused_allocation_is_survived)
{
    size_t n;
    Source *s = read_sources(WEFT_SOURCE_DIR "/tests/golden/jax/reductions.mlir", &n);
    for (long k = 1;; k++) {
        Counter c = { .fail_at = k };
        bool done = parses_within(&c, s);
        cr_assert(c.live == 0, "%zu bytes are left when call %ld fails", c.live, k);
        if (done) {
            cr_expect(k > 1);
            break;
        }
    }
    free_sources(s, n);
}
