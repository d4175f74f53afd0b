/* test_what_pays.c: which loops threads share, and in how many pieces: by what they take, and in a loop of
 * steps by what its steps take together. */
#include "compiler/fuse/threads/parallel.h"
#include "compiler/passes/raise.h"
#include "compiler/pipeline.h"
#include "compiler/text/text.h"
#include "tests/support/fuse_suite.h"
#include "tests/support/programs.h"
#include <stdio.h>
#include <string.h>

enum { PARALLEL_NS = 20000 };

typedef struct Cut {
    int loops;            /* parallel ones */
    int64_t pieces, rows; /* of the last of them, and of each piece */
} Cut;

static Cut cut_of(const char *text)
{
    Arena a;
    Failure f = { 0 };
    Cut c = { 0 };
    Target target = wide;
    target.parallel_ns = PARALLEL_NS;
    arena_open(&a);
    const Parsed *parsed = text_parse(&a, text, strlen(text), "test", &f, NULL);
    cr_assert(parsed, "%s\n%s", f.text, text);
    const Graph *g = raise_graph(&a, parsed->funcs[0].graph);
    const Program *p = pipeline_run(&(Pipeline){ .target = &target }, &a, g, &f);
    cr_assert(p, "%s", f.text);
    for (uint32_t i = 0; i < p->n_steps; i++)
        if (p->steps[i].kind == STEP_LOOP && p->steps[i].parallel) {
            c.loops++;
            c.pieces = p->steps[i].extent;
            c.rows = p->kernels[p->steps[i + 1].kernel].rows;
        }
    arena_free(&a);
    return c;
}

/* `steps` times the mean of neighbours, of n elements: 5 us each for 80,000. */
static Cut means(int n, int steps)
{
    char text[2048];
    snprintf(text, sizeof text,
             "func.func @main(%%x: tensor<%dxf32>) -> tensor<%dxf32> {\n"
             " %%n = stablehlo.constant dense<%d> : tensor<i32>\n %%o = stablehlo.constant dense<1> : "
             "tensor<i32>\n"
             " %%z = stablehlo.constant dense<0> : tensor<i32>\n"
             " %%q = stablehlo.constant dense<0.5> : tensor<%dxf32>\n"
             " %%r:2 = stablehlo.while(%%i = %%z, %%h = %%x) : tensor<i32>, tensor<%dxf32> cond {\n"
             "  %%c = stablehlo.compare LT, %%i, %%n, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>\n"
             "  stablehlo.return %%c : tensor<i1>\n } do {\n"
             "  %%a = stablehlo.slice %%h [1:%d] : (tensor<%dxf32>) -> tensor<%dxf32>\n"
             "  %%b = stablehlo.slice %%h [0:1] : (tensor<%dxf32>) -> tensor<1xf32>\n"
             "  %%d = stablehlo.concatenate %%a, %%b, dim = 0 : (tensor<%dxf32>, tensor<1xf32>) -> "
             "tensor<%dxf32>\n"
             "  %%e = stablehlo.add %%h, %%d : tensor<%dxf32>\n  %%f = stablehlo.multiply %%e, %%q : "
             "tensor<%dxf32>\n"
             "  %%k = stablehlo.add %%i, %%o : tensor<i32>\n"
             "  stablehlo.return %%k, %%f : tensor<i32>, tensor<%dxf32>\n }\n"
             " return %%r#1 : tensor<%dxf32>\n}\n",
             n, n, steps, n, n, n, n, n - 1, n, n - 1, n, n, n, n, n);
    return cut_of(text);
}

Test(what_pays, steps_of_a_long_loop)
{
    cr_expect_eq(means(80000, 100).loops, 1, "100 steps of 5 us are shared");
    cr_expect_eq(means(80000, 3).loops, 0, "3 steps of 5 us are not: it takes longer to wake a thread");
    cr_expect_eq(means(8000, 1000).loops, 0, "nor are steps of 0.5 us, how many there may be");
    cr_expect_eq(means(400000, 3).loops, 2, "3 steps of 25 us are, and to copy what they begin with");
}

static Cut elementwise(int n, const char *op)
{
    char text[512];
    snprintf(
        text, sizeof text,
        "func.func @main(%%x: tensor<%dxf32>) -> tensor<%dxf32> {\n %%r = stablehlo.%s %%x : tensor<%dxf32>\n"
        " return %%r : tensor<%dxf32>\n}\n",
        n, n, op, n, n);
    return cut_of(text);
}

/* The Fourier transform of n numbers, whose stages go over them each in another way. */
static Cut fourier(int n)
{
    char text[512];
    snprintf(text, sizeof text,
             "func.func @main(%%x: tensor<%dxcomplex<f32>>) -> tensor<%dxcomplex<f32>> {\n"
             " %%y = stablehlo.fft %%x, type = FFT, length = [%d] : (tensor<%dxcomplex<f32>>) -> "
             "tensor<%dxcomplex<f32>>\n return %%y : tensor<%dxcomplex<f32>>\n}\n",
             n, n, n, n, n, n);
    return cut_of(text);
}

Test(what_pays, what_would_change_cores)
{
    cr_expect_eq(fourier(1 << 15).loops, 0, "stages that fit into one core's cache would change cores");
    cr_expect_gt(fourier(1 << 18).loops, 3, "larger ones are in no core's cache anyway");
}

/* A tile goes over the colours, lanes along the pixels: of these there are enough. */
Test(what_pays, planes_of_an_image)
{
    Cut c = cut_of("func.func @main(%x: tensor<720x1280x4xui8>) -> tensor<4x720x1280xui8> {\n"
                   " %y = stablehlo.transpose %x, dims = [2, 0, 1] : (tensor<720x1280x4xui8>) -> "
                   "tensor<4x720x1280xui8>\n return %y : tensor<4x720x1280xui8>\n}\n");
    cr_expect_eq(c.loops, 1);
    cr_expect_gt(c.pieces, 8);
}

Test(what_pays, small_work_stays_with_the_caller)
{
    cr_expect_eq(elementwise(16384, "tanh").loops, 0);
    cr_expect_eq(elementwise(1 << 20, "tanh").loops, 1);
}

/* Of few pieces two threads have nearly as many rows. */
Test(what_pays, few_pieces_are_shared_well)
{
    for (int n = 160000; n < 300000; n += 7777) {
        Cut c = elementwise(n, "exponential");
        int64_t first = c.pieces / 2 * c.rows, rest = n - first;
        cr_expect(c.loops == 1 && c.pieces >= 2, "%d: %d loops, %d pieces", n, c.loops, (int)c.pieces);
        cr_expect(first < 0.52 * n && rest < 0.52 * n, "%d: %d and %d", n, (int)first, (int)rest);
    }
}

/* ---- what pieces must not tear ---- */

/* A kernel of two loops over rows: what the first leaves in memory of the thread's own, the second reads
 * `shift` rows further on. */
static bool is_cut_with(int64_t shift)
{
    enum { N = 1 << 20 };
    Arena a;
    ProgramBuilder b;
    Target target = wide;
    target.parallel_ns = PARALLEL_NS;
    arena_open(&a);
    program_begin(&b, &a, MODE_DEFAULT);
    put_step(&b, STEP_KERNEL); /* the first kernel */
    uint32_t x = program_buffer(&b, BUF_INPUT, WEFT_F32, N), y = program_buffer(&b, BUF_OUTPUT, WEFT_F32, N),
             own = program_buffer(&b, BUF_LOCAL, WEFT_F32, N);
    for (int k = 0; k < 2; k++) {
        Val i = put_loop(&b, N - 1, 16, 1);
        b.kernel->stmts[i].parallel = true;
        put_store(&b, k ? y : own, AT(0, { i, 1 }),
                  put_unary(&b, OP_NEG, put_load(&b, k ? own : x, AT(k ? shift : 0, { i, 1 }))));
        put_end(&b, i);
    }
    parallel_make(b.program, &target);
    bool is_cut = b.program->steps[0].kind == STEP_LOOP && b.program->steps[0].parallel;
    arena_free(&a);
    return is_cut;
}

Test(what_pays, rows_of_the_threads_own)
{
    cr_expect(is_cut_with(0), "each piece reads what it has stored");
    cr_expect_not(is_cut_with(1), "each piece reads a row that the next one stores");
}
