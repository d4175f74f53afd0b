/* test_in_place.c: parts of an array set to what is made of other parts of it, near by: no element may be
 * written before it is read, whether the array is a donated input or the carry of a loop. Sizes are around
 * those of vectors and of tiles of them. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>
#include "compiler/text/text.h"
#include "tests/graphs/graphs.h"
#include "tests/support/graph_support.h"
#include "tests/support/heap.h"

static void check(const char *what, const char *text)
{
    char why[600];
    Arena a;
    Failure f = { 0 };
    arena_open(&a);
    const Parsed *p = text_parse(&a, text, strlen(text), "test", &f, NULL);
    cr_assert(p, "%s\n%s", f.text, text);
    const Graph *g = p->funcs[0].graph;
    Values in = values_of_params(g);
    values_fill(&in, 1, true);
    cr_expect(graph_agrees(g, in.at, AGAINST_STRICT, 1, why, sizeof why), "%s: %s\n%s", what, why, text);
    values_free(&in);
    arena_free(&a);
}

/* Elements from, from + 1, ... of %y become %u's, from `to` on. */
static const char *update(char *text, size_t size, int n, int length, int from, int to)
{
    snprintf(text, size,
             " %%at = stablehlo.constant dense<%d> : tensor<i32>\n"
             " %%a = stablehlo.slice %%y [%d:%d] : (tensor<%dxf32>) -> tensor<%dxf32>\n"
             " %%t = stablehlo.tanh %%a : tensor<%dxf32>\n"
             " %%u = stablehlo.dynamic_update_slice %%y, %%t, %%at : (tensor<%dxf32>, tensor<%dxf32>, "
             "tensor<i32>) -> tensor<%dxf32>\n",
             to, from, from + length, n, length, length, n, length, n);
    return text;
}

static const int sizes[] = { 7, 40, 100, 300 };
enum { SIZES = sizeof sizes / sizeof *sizes, REACH = 4 };

static void for_all_shifts(const char *what, const char *head, const char *tail)
{
    char text[4096], body[1024], start[1024], end[1024];
    for (int i = 0; i < SIZES; i++)
        for (int shift = -REACH; shift <= REACH; shift += i ? 1 : 3) {
            int n = sizes[i], length = n - REACH - 1, from = shift < 0 ? -shift : 0;
            snprintf(start, sizeof start, head, n, n, n);
            snprintf(end, sizeof end, tail, n, n);
            snprintf(text, sizeof text, "%s%s%s", start,
                     update(body, sizeof body, n, length, from, from + shift), end);
            check(what, text);
        }
}

Test(in_place, donated_input)
{
    for_all_shifts("donated", "func.func @main(%%y: tensor<%dxf32>) -> tensor<%dxf32> {\n",
                   " return %%u : tensor<%dxf32>\n}\n");
}

Test(in_place, carry)
{
    for_all_shifts("carry",
                   "func.func @main(%%x: tensor<%dxf32>) -> tensor<%dxf32> {\n"
                   " %%n = stablehlo.constant dense<0> : tensor<i32>\n"
                   " %%r:2 = stablehlo.while(%%i = %%n, %%y = %%x) : tensor<i32>, tensor<%dxf32>\n cond {\n"
                   " %%l = stablehlo.constant dense<3> : tensor<i32>\n"
                   " %%b = stablehlo.compare LT, %%i, %%l : (tensor<i32>, tensor<i32>) -> tensor<i1>\n"
                   " stablehlo.return %%b : tensor<i1>\n } do {\n"
                   " %%o = stablehlo.constant dense<1> : tensor<i32>\n"
                   " %%j = stablehlo.add %%i, %%o : tensor<i32>\n",
                   " stablehlo.return %%j, %%u : tensor<i32>, tensor<%dxf32>\n }\n"
                   " return %%r#1 : tensor<%dxf32>\n}\n");
}

/* ---- levels of a short last axis, set in turn ---- */

/* In %y [n, k] level `to` becomes tanh of level `from`, then level from + 1 what level to - 1 is by then. */
static void levels(char *text, size_t size, int n, int k, int from, int to)
{
    char array[64], level[64], type[400];
    snprintf(array, sizeof array, "tensor<%dx%dxf32>", n, k);
    snprintf(level, sizeof level, "tensor<%dx1xf32>", n);
    snprintf(type, sizeof type, "(%s, %s, tensor<i32>, tensor<i32>) -> %s", array, level, array);
    int next = (from + 1) % k, before = (to + k - 1) % k;
    snprintf(text, size,
             " %%z = stablehlo.constant dense<0> : tensor<i32>\n"
             " %%to = stablehlo.constant dense<%d> : tensor<i32>\n"
             " %%next = stablehlo.constant dense<%d> : tensor<i32>\n"
             " %%p = stablehlo.slice %%y [0:%d, %d:%d] : (%s) -> %s\n"
             " %%t = stablehlo.tanh %%p : %s\n"
             " %%a = stablehlo.dynamic_update_slice %%y, %%t, %%z, %%to : %s\n"
             " %%q = stablehlo.slice %%a [0:%d, %d:%d] : (%s) -> %s\n"
             " %%u = stablehlo.dynamic_update_slice %%a, %%q, %%z, %%next : %s\n",
             to, next, n, from, from + 1, array, level, level, type, n, before, before + 1, array, level,
             type);
}

static void all_levels(const char *what, const char *head, const char *tail)
{
    static const int rows[] = { 1, 5, 17, 40 };
    char text[4096], body[2048], start[1024], end[1024];
    for (int i = 0; i < 4; i++)
        for (int k = 2; k <= 6; k++)
            for (int from = 0; from < k; from++) {
                int n = rows[i];
                snprintf(start, sizeof start, head, n, k, n, k, n, k);
                snprintf(end, sizeof end, tail, n, k, n, k);
                levels(body, sizeof body, n, k, from, (from + i) % k);
                snprintf(text, sizeof text, "%s%s%s", start, body, end);
                check(what, text);
            }
}

Test(in_place, levels_of_an_input)
{
    all_levels("levels", "func.func @main(%%y: tensor<%dx%dxf32>) -> tensor<%dx%dxf32> {\n",
               " return %%u : tensor<%dx%dxf32>\n}\n");
}

Test(in_place, levels_of_a_carry)
{
    all_levels("levels in a loop",
               "func.func @main(%%x: tensor<%dx%dxf32>) -> tensor<%dx%dxf32> {\n"
               " %%n = stablehlo.constant dense<0> : tensor<i32>\n"
               " %%r:2 = stablehlo.while(%%i = %%n, %%y = %%x) : tensor<i32>, tensor<%dx%dxf32>\n cond {\n"
               " %%l = stablehlo.constant dense<3> : tensor<i32>\n"
               " %%b = stablehlo.compare LT, %%i, %%l : (tensor<i32>, tensor<i32>) -> tensor<i1>\n"
               " stablehlo.return %%b : tensor<i1>\n } do {\n"
               " %%o = stablehlo.constant dense<1> : tensor<i32>\n"
               " %%j = stablehlo.add %%i, %%o : tensor<i32>\n",
               " stablehlo.return %%j, %%u : tensor<i32>, tensor<%dx%dxf32>\n }\n"
               " return %%r#1 : tensor<%dx%dxf32>\n}\n");
}

/* ---- a body so large that it stands there once, and its last iteration ends with the array ---- */

/* %u is made of %y by so many steps that none may be done twice. */
static void many_steps(char *text, size_t size, int n)
{
    size_t at = (size_t)snprintf(text, size, " %%a0 = stablehlo.sine %%y : tensor<%dxf32>\n", n);
    for (int i = 0; i < 40; i++)
        at += (size_t)snprintf(text + at, size - at, " %%a%d = stablehlo.%s %%a%d, %%%s : tensor<%dxf32>\n",
                               i + 1, i % 2 ? "multiply" : "subtract", i, i % 3 ? "y" : "a0", n);
    snprintf(text + at, size - at, " %%u = stablehlo.add %%a40, %%y : tensor<%dxf32>\n", n);
}

Test(in_place, large_body)
{
    static const int lengths[] = { 9, 17, 25, 40, 100, 301 };
    static char text[16384], body[8192];
    for (int i = 0; i < 6; i++) {
        int n = lengths[i];
        many_steps(body, sizeof body, n);
        snprintf(text, sizeof text,
                 "func.func @main(%%x: tensor<%dxf32>) -> tensor<%dxf32> {\n"
                 " %%n = stablehlo.constant dense<0> : tensor<i32>\n"
                 " %%r:2 = stablehlo.while(%%i = %%n, %%y = %%x) : tensor<i32>, tensor<%dxf32>\n cond {\n"
                 " %%l = stablehlo.constant dense<30> : tensor<i32>\n"
                 " %%b = stablehlo.compare LT, %%i, %%l : (tensor<i32>, tensor<i32>) -> tensor<i1>\n"
                 " stablehlo.return %%b : tensor<i1>\n } do {\n"
                 " %%o = stablehlo.constant dense<1> : tensor<i32>\n"
                 " %%j = stablehlo.add %%i, %%o : tensor<i32>\n%s"
                 " stablehlo.return %%j, %%u : tensor<i32>, tensor<%dxf32>\n }\n"
                 " return %%r#1 : tensor<%dxf32>\n}\n",
                 n, n, n, body, n, n);
        check("loop of a large body", text);
        snprintf(text, sizeof text,
                 "func.func @main(%%y: tensor<%dxf32>) -> tensor<%dxf32> {\n%s"
                 " return %%u : tensor<%dxf32>\n}\n",
                 n, n, body, n);
        check("large body", text);
    }
}
