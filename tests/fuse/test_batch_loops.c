/* test_batch_loops.c: loops over a batch, which threads split once, outside of the loop; and loops that look
 * like it, but whose rows need each other. */
#include "compiler/passes/raise.h"
#include "compiler/pipeline.h"
#include "compiler/text/text.h"
#include "tests/support/fuse_suite.h"
#include <stdio.h>
#include <string.h>

/* How many parallel loops have a loop of steps inside. */
static int loops_in_pieces(const Graph *g)
{
    Arena a;
    Failure f = { 0 };
    Target target = wide;
    int depth = 0, found = 0;
    arena_open(&a);
    target.parallel_ns = 1;
    const Program *p = pipeline_run(&(Pipeline){ .target = &target }, &a, g, &f);
    cr_assert(p, "%s", f.text);
    for (uint32_t i = 0; i < p->n_steps; i++) {
        const ProgramStep *s = &p->steps[i];
        if (s->kind == STEP_LOOP && depth > 0) found++;
        if (s->kind == STEP_LOOP && s->parallel) depth++;
        if (s->kind == STEP_END && p->steps[s->opened].parallel) depth--;
    }
    arena_free(&a);
    return found;
}

/* The values are eager mode's, pieces run one after the other and in the other order. */
static void check(const char *what, const char *text, int loops)
{
    Arena a;
    Failure f = { 0 };
    arena_open(&a);
    const Parsed *p = text_parse(&a, text, strlen(text), what, &f, NULL);
    cr_assert(p, "%s\n%s", f.text, text);
    const Graph *g = raise_graph(&a, p->funcs[0].graph);
    int found = loops_in_pieces(g);
    cr_expect(found == loops, "%s: %d loops in pieces, not %d", what, found, loops);
    fuse_parallel = 1;
    fuse_compare(what, g);
    fuse_parallel = 0;
    arena_free(&a);
}

/* 40 rows; `steps` of them; what a step makes of %h is named %n. */
static void check_scan(const char *what, int steps, bool reverse, const char *step, int loops)
{
    char text[4096];
    snprintf(text, sizeof text,
             "func.func @main(%%x: tensor<%dx40x16xf32>, %%w: tensor<16x16xf32>, %%h0: tensor<40x16xf32>) -> "
             "(tensor<%dx40x16xf32>, tensor<40x16xf32>) {\n"
             " %%0:2 = chlo.scan(%%x) inits(%%h0) dimension=0%s {\n"
             " ^bb0(%%s: tensor<40x16xf32>, %%h: tensor<40x16xf32>):\n%s"
             "  stablehlo.return %%n, %%n : tensor<40x16xf32>, tensor<40x16xf32>\n"
             " } : (tensor<%dx40x16xf32>, tensor<40x16xf32>) -> (tensor<%dx40x16xf32>, tensor<40x16xf32>)\n"
             " return %%0#0, %%0#1 : tensor<%dx40x16xf32>, tensor<40x16xf32>\n}\n",
             steps, steps, reverse ? " attributes {is_reverse = true}" : "", step, steps, steps, steps);
    check(what, text, loops);
}

#define PRODUCT \
    "  %p = stablehlo.dot_general %h, %w, contracting_dims = [1] x [0] : (tensor<40x16xf32>, " \
    "tensor<16x16xf32>) -> tensor<40x16xf32>\n"

/* A step reads a whole row, so the carry has two buffers, which swap names, an odd or even number of
 * times. */
Test(batch_loops, recurrent)
{
    static const char cell[] = PRODUCT "  %q = stablehlo.add %p, %s : tensor<40x16xf32>\n"
                                       "  %n = stablehlo.tanh %q : tensor<40x16xf32>\n";
    for (int steps = 1; steps < 6; steps++)
        for (int reverse = 0; reverse < 2; reverse++)
            check_scan("recurrent", steps, reverse, cell, steps > 1);
}

/* Sums over the batch need every row. */
Test(batch_loops, sum_over_the_batch)
{
    check_scan("sum over the batch", 5, false,
               PRODUCT "  %z = stablehlo.constant dense<0.0> : tensor<f32>\n"
                       "  %c = stablehlo.reduce(%p init: %z) applies stablehlo.add across dimensions = [0] : "
                       "(tensor<40x16xf32>, tensor<f32>) -> tensor<16xf32>\n"
                       "  %b = stablehlo.broadcast_in_dim %c, dims = [1] : (tensor<16xf32>) -> "
                       "tensor<40x16xf32>\n"
                       "  %q = stablehlo.add %b, %s : tensor<40x16xf32>\n"
                       "  %n = stablehlo.tanh %q : tensor<40x16xf32>\n",
               0);
}

/* So does a row that its neighbour reads. */
Test(batch_loops, neighbours)
{
    check_scan("neighbours", 5, false,
               PRODUCT "  %a = stablehlo.slice %p [39:40, 0:16] : (tensor<40x16xf32>) -> tensor<1x16xf32>\n"
                       "  %b = stablehlo.slice %p [0:39, 0:16] : (tensor<40x16xf32>) -> tensor<39x16xf32>\n"
                       "  %c = stablehlo.concatenate %a, %b, dim = 0 : (tensor<1x16xf32>, "
                       "tensor<39x16xf32>) -> tensor<40x16xf32>\n"
                       "  %n = stablehlo.add %c, %s : tensor<40x16xf32>\n",
               0);
}

/* A loop in a loop: three steps of each step, so that the names end up swapped, or not. */
Test(batch_loops, nested)
{
    char text[4096];
    for (int outer = 2; outer < 5; outer++)
        for (int inner = 2; inner < 5; inner++) {
            snprintf(
                text, sizeof text,
                "func.func @main(%%w: tensor<16x16xf32>, %%h0: tensor<40x16xf32>) -> tensor<40x16xf32> {\n"
                " %%q = stablehlo.constant dense<0.1> : tensor<16x16xf32>\n %%v = stablehlo.multiply %%w, "
                "%%q : tensor<16x16xf32>\n"
                " %%n = stablehlo.constant dense<%d> : tensor<i32>\n"
                " %%m = stablehlo.constant dense<%d> : tensor<i32>\n"
                " %%o = stablehlo.constant dense<1> : tensor<i32>\n"
                " %%z = stablehlo.constant dense<0> : tensor<i32>\n"
                " %%r:2 = stablehlo.while(%%i = %%z, %%h = %%h0) : tensor<i32>, tensor<40x16xf32> cond {\n"
                "  %%c = stablehlo.compare LT, %%i, %%n, SIGNED : (tensor<i32>, tensor<i32>) -> "
                "tensor<i1>\n  stablehlo.return %%c : tensor<i1>\n } do {\n"
                "  %%s:2 = stablehlo.while(%%j = %%z, %%g = %%h) : tensor<i32>, tensor<40x16xf32> cond {\n"
                "   %%c = stablehlo.compare LT, %%j, %%m, SIGNED : (tensor<i32>, tensor<i32>) -> "
                "tensor<i1>\n   stablehlo.return %%c : tensor<i1>\n  } do {\n"
                "   %%p = stablehlo.dot_general %%g, %%v, contracting_dims = [1] x [0] : "
                "(tensor<40x16xf32>, tensor<16x16xf32>) -> tensor<40x16xf32>\n"
                "   %%t = stablehlo.sine %%p : tensor<40x16xf32>\n"
                "   %%k = stablehlo.add %%j, %%o : tensor<i32>\n"
                "   stablehlo.return %%k, %%t : tensor<i32>, tensor<40x16xf32>\n  }\n"
                "  %%k = stablehlo.add %%i, %%o : tensor<i32>\n"
                "  %%e = stablehlo.tanh %%s#1 : tensor<40x16xf32>\n"
                "  stablehlo.return %%k, %%e : tensor<i32>, tensor<40x16xf32>\n }\n"
                " return %%r#1 : tensor<40x16xf32>\n}\n",
                outer, inner);
            check("nested", text, 2);
        }
}
