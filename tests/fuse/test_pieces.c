/* test_pieces.c: loops that are cut where a condition on their index changes: no mask is left, nothing is
 * computed in vain, and each element is right. */
#include "compiler/pipeline.h"
#include "tests/support/fuse_suite.h"
#include <stdio.h>
#include <string.h>

typedef struct Found {
    uint32_t kernels, masked, selects, indirect, narrow;
} Found;

/* What is left in the fused program of masks, choices, and addresses that come from data. */
static Found look(const char *text)
{
    Arena a;
    Failure f = { 0 };
    Found found = { 0 };
    arena_open(&a);
    const Program *p = pipeline_run(&(Pipeline){ .target = &wide }, &a, fuse_parsed(&a, text), &f);
    cr_assert(p, "%s", f.text);
    found.kernels = p->n_kernels;
    for (uint32_t k = 0; k < p->n_kernels; k++)
        for (uint32_t i = 0; i < p->kernels[k].n_stmts; i++) {
            const Stmt *s = &p->kernels[k].stmts[i];
            found.narrow += s->kind == ST_LOOP && s->lanes > 1 && s->extent <= 5;
            found.masked += s->kind == ST_LOAD && s->args[0] != VAL_NONE;
            found.selects += s->kind == ST_OP && s->op == OP_SELECT;
            for (uint32_t t = 0; t < s->address.n_terms && s->kind == ST_LOAD; t++)
                found.indirect += p->kernels[k].stmts[s->address.terms[t].of].kind == ST_OP;
        }
    arena_free(&a);
    return found;
}

/* The same values as eager mode's, interpreted and compiled; and nothing left of what ranges decide. */
static void check(const char *what, const char *text, uint32_t most_kernels)
{
    Arena a;
    Found found = look(text);
    arena_open(&a);
    fuse_compare(what, fuse_parsed(&a, text));
    arena_free(&a);
    cr_expect(found.kernels <= most_kernels && !found.masked && !found.selects && !found.indirect,
              "%s: %u kernels, %u masked loads, %u selects, %u indirect loads\n%s", what, found.kernels,
              found.masked, found.selects, found.indirect, text);
}

#define TEXT(...) (snprintf(text, sizeof text, __VA_ARGS__), text)
static const int sizes[] = { 33, 64, 70, 257 };
enum { SIZES = sizeof sizes / sizeof *sizes };

Test(pieces, roll)
{
    char text[4096];
    for (int i = 0; i < SIZES; i++) {
        int n = sizes[i];
        check(
            "roll",
            TEXT("func.func @main(%%x: tensor<5x%dxf32>) -> tensor<5x%dxf32> {\n"
                 " %%a = stablehlo.slice %%x [0:5, %d:%d] : (tensor<5x%dxf32>) -> tensor<5x3xf32>\n"
                 " %%b = stablehlo.slice %%x [0:5, 0:%d] : (tensor<5x%dxf32>) -> tensor<5x%dxf32>\n"
                 " %%c = stablehlo.concatenate %%a, %%b, dim = 1 : (tensor<5x3xf32>, tensor<5x%dxf32>) -> "
                 "tensor<5x%dxf32>\n"
                 " %%d = stablehlo.slice %%c [4:5, 0:%d] : (tensor<5x%dxf32>) -> tensor<1x%dxf32>\n"
                 " %%e = stablehlo.slice %%c [0:4, 0:%d] : (tensor<5x%dxf32>) -> tensor<4x%dxf32>\n"
                 " %%f = stablehlo.concatenate %%d, %%e, dim = 0 : (tensor<1x%dxf32>, tensor<4x%dxf32>) -> "
                 "tensor<5x%dxf32>\n"
                 " %%r = stablehlo.subtract %%x, %%f : tensor<5x%dxf32>\n return %%r : tensor<5x%dxf32>\n}\n",
                 n, n, n - 3, n, n, n - 3, n, n - 3, n - 3, n, n, n, n, n, n, n, n, n, n, n, n),
            1);
    }
}

Test(pieces, pad)
{
    char text[2048];
    for (int i = 0; i < SIZES; i++) {
        int n = sizes[i];
        check("pad",
              TEXT("func.func @main(%%x: tensor<7x%dxf32>, %%p: tensor<f32>) -> tensor<10x%dxf32> {\n"
                   " %%a = stablehlo.pad %%x, %%p, low = [1, 3], high = [2, 2], interior = [0, 0] : "
                   "(tensor<7x%dxf32>, tensor<f32>) -> tensor<10x%dxf32>\n"
                   " %%b = stablehlo.tanh %%a : tensor<10x%dxf32>\n return %%b : tensor<10x%dxf32>\n}\n",
                   n, n + 5, n, n + 5, n + 5, n + 5),
              1);
    }
}

/* take of clipped iota, with the check for what is out of bounds that NumPy's kin do. */
Test(pieces, clipped_indices)
{
    char text[4096];
    for (int i = 0; i < SIZES; i++) {
        int n = sizes[i];
        check("take",
              TEXT("func.func @main(%%x: tensor<%dxf32>) -> tensor<%dxf32> {\n"
                   " %%i = stablehlo.iota dim = 0 : tensor<%dxi32>\n"
                   " %%one = stablehlo.constant dense<2> : tensor<%dxi32>\n"
                   " %%zero = stablehlo.constant dense<0> : tensor<%dxi32>\n"
                   " %%last = stablehlo.constant dense<%d> : tensor<%dxi32>\n"
                   " %%nan = stablehlo.constant dense<0x7FC00000> : tensor<%dxf32>\n"
                   " %%j = stablehlo.subtract %%i, %%one : tensor<%dxi32>\n"
                   " %%k = stablehlo.clamp %%zero, %%j, %%last : tensor<%dxi32>\n"
                   " %%in = stablehlo.compare GE, %%k, %%zero, SIGNED : (tensor<%dxi32>, tensor<%dxi32>) -> "
                   "tensor<%dxi1>\n"
                   " %%at = stablehlo.reshape %%k : (tensor<%dxi32>) -> tensor<%dx1xi32>\n"
                   " %%g = \"stablehlo.gather\"(%%x, %%at) <{dimension_numbers = "
                   "#stablehlo.gather<collapsed_slice_dims = "
                   "[0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1>}> : "
                   "(tensor<%dxf32>, "
                   "tensor<%dx1xi32>) -> tensor<%dxf32>\n"
                   " %%r = stablehlo.select %%in, %%g, %%nan : tensor<%dxi1>, tensor<%dxf32>\n"
                   " return %%r : tensor<%dxf32>\n}\n",
                   n, n, n, n, n, n - 1, n, n, n, n, n, n, n, n, n, n, n, n, n, n, n),
              1);
    }
}

/* i / m * m + i % m is i, written out as a reshape to a row and back with something between. */
Test(pieces, ravel)
{
    char text[2048];
    for (int i = 0; i < SIZES; i++) {
        int n = sizes[i];
        check("ravel",
              TEXT("func.func @main(%%x: tensor<6x%dxf32>, %%y: tensor<%dxf32>) -> tensor<%dxf32> {\n"
                   " %%a = stablehlo.reshape %%x : (tensor<6x%dxf32>) -> tensor<%dxf32>\n"
                   " %%p = stablehlo.constant dense<1.0> : tensor<f32>\n"
                   " %%b = stablehlo.pad %%a, %%p, low = [1], high = [-1], interior = [0] : (tensor<%dxf32>, "
                   "tensor<f32>) -> tensor<%dxf32>\n"
                   " %%c = stablehlo.add %%b, %%y : tensor<%dxf32>\n return %%c : tensor<%dxf32>\n}\n",
                   n, 6 * n, 6 * n, n, 6 * n, 6 * n, 6 * n, 6 * n, 6 * n),
              1);
    }
}

/* Slices set at known places, into zeros: each part is computed only where it is written. */
Test(pieces, set_slices)
{
    char text[4096];
    for (int i = 0; i < SIZES; i++) {
        int n = sizes[i];
        check("set",
              TEXT("func.func @main(%%x: tensor<3x%dxf32>, %%y: tensor<3x%dxf32>) -> tensor<3x%dxf32> {\n"
                   " %%z = stablehlo.constant dense<0.0> : tensor<3x%dxf32>\n"
                   " %%c0 = stablehlo.constant dense<0> : tensor<i32>\n %%c7 = stablehlo.constant dense<7> : "
                   "tensor<i32>\n"
                   " %%u = stablehlo.slice %%x [0:3, 0:9] : (tensor<3x%dxf32>) -> tensor<3x9xf32>\n"
                   " %%v = stablehlo.slice %%y [0:3, 0:5] : (tensor<3x%dxf32>) -> tensor<3x5xf32>\n"
                   " %%a = stablehlo.dynamic_update_slice %%z, %%u, %%c0, %%c0 : (tensor<3x%dxf32>, "
                   "tensor<3x9xf32>, "
                   "tensor<i32>, tensor<i32>) -> tensor<3x%dxf32>\n"
                   " %%b = stablehlo.dynamic_update_slice %%a, %%v, %%c0, %%c7 : (tensor<3x%dxf32>, "
                   "tensor<3x5xf32>, "
                   "tensor<i32>, tensor<i32>) -> tensor<3x%dxf32>\n"
                   " %%r = stablehlo.negate %%b : tensor<3x%dxf32>\n return %%r : tensor<3x%dxf32>\n}\n",
                   n, n, n, n, n, n, n, n, n, n, n, n),
              1);
    }
}

/* A blur, and then differences of it: what is read at several taps is stored, not computed for each. */
Test(pieces, taps)
{
    char text[4096];
    for (int i = 0; i < SIZES; i++) {
        int n = sizes[i];
        check("taps",
              TEXT("func.func @main(%%x: tensor<%dxf32>) -> tensor<%dxf32> {\n"
                   " %%a = stablehlo.slice %%x [0:%d] : (tensor<%dxf32>) -> tensor<%dxf32>\n"
                   " %%b = stablehlo.slice %%x [1:%d] : (tensor<%dxf32>) -> tensor<%dxf32>\n"
                   " %%c = stablehlo.exponential %%a : tensor<%dxf32>\n %%d = stablehlo.add %%c, %%b : "
                   "tensor<%dxf32>\n"
                   " %%e = stablehlo.slice %%d [0:%d] : (tensor<%dxf32>) -> tensor<%dxf32>\n"
                   " %%f = stablehlo.slice %%d [1:%d] : (tensor<%dxf32>) -> tensor<%dxf32>\n"
                   " %%g = stablehlo.subtract %%e, %%f : tensor<%dxf32>\n return %%g : tensor<%dxf32>\n}\n",
                   n, n - 2, n - 1, n, n - 1, n, n, n - 1, n - 1, n - 1, n - 2, n - 1, n - 2, n - 1, n - 1,
                   n - 2, n - 2, n - 2),
              2);
    }
}

/* The cube of a difference, at two taps: a few ops, however often each is used, are computed again. */
Test(pieces, cheap_taps)
{
    char text[4096];
    for (int i = 0; i < SIZES; i++) {
        int n = sizes[i];
        check("cheap taps",
              TEXT("func.func @main(%%x: tensor<%dxf32>) -> tensor<%dxf32> {\n"
                   " %%a = stablehlo.slice %%x [0:%d] : (tensor<%dxf32>) -> tensor<%dxf32>\n"
                   " %%b = stablehlo.slice %%x [1:%d] : (tensor<%dxf32>) -> tensor<%dxf32>\n"
                   " %%c = stablehlo.subtract %%a, %%b : tensor<%dxf32>\n"
                   " %%d = stablehlo.multiply %%c, %%c : tensor<%dxf32>\n"
                   " %%e = stablehlo.multiply %%d, %%d : tensor<%dxf32>\n"
                   " %%f = stablehlo.add %%e, %%d : tensor<%dxf32>\n"
                   " %%g = stablehlo.slice %%f [0:%d] : (tensor<%dxf32>) -> tensor<%dxf32>\n"
                   " %%h = stablehlo.slice %%f [1:%d] : (tensor<%dxf32>) -> tensor<%dxf32>\n"
                   " %%i = stablehlo.subtract %%g, %%h : tensor<%dxf32>\n return %%i : tensor<%dxf32>\n}\n",
                   n, n - 2, n - 1, n, n - 1, n, n, n - 1, n - 1, n - 1, n - 1, n - 1, n - 2, n - 1, n - 2,
                   n - 1, n - 1, n - 2, n - 2, n - 2),
              1);
    }
}

/* Random bits in pairs and the like: lanes go along the long axis, not the last one of three. */
Test(pieces, short_last_axis)
{
    char text[2048];
    for (int i = 0; i < SIZES; i++) {
        int n = sizes[i];
        TEXT("func.func @main(%%x: tensor<%dx1xf32>, %%y: tensor<3xf32>) -> tensor<%dx3xf32> {\n"
             " %%a = stablehlo.broadcast_in_dim %%x, dims = [0, 1] : (tensor<%dx1xf32>) -> tensor<%dx3xf32>\n"
             " %%b = stablehlo.broadcast_in_dim %%y, dims = [1] : (tensor<3xf32>) -> tensor<%dx3xf32>\n"
             " %%c = stablehlo.tanh %%a : tensor<%dx3xf32>\n %%d = stablehlo.multiply %%c, %%b : "
             "tensor<%dx3xf32>\n return %%d : tensor<%dx3xf32>\n}\n",
             n, n, n, n, n, n, n, n);
        cr_expect_eq(look(text).narrow, 0);
        check("short axis", text, 2);
    }
}

/* The first step of a scan sees padding in front of its inputs, the last one behind; in either direction. */
Test(pieces, steps)
{
    char text[4096];
    for (int reverse = 0; reverse < 2; reverse++)
        for (int i = 0; i < SIZES; i++) {
            int n = sizes[i];
            check("steps",
                  TEXT("func.func @main(%%x: tensor<%dx40xf32>) -> (tensor<%dx40xf32>, tensor<40xf32>) {\n"
                       " %%z = stablehlo.constant dense<0.0> : tensor<f32>\n"
                       " %%c = stablehlo.constant dense<1.0> : tensor<40xf32>\n"
                       " %%a = stablehlo.pad %%x, %%z, low = [1, 0], high = [-1, 0], interior = [0, 0] : "
                       "(tensor<%dx40xf32>, tensor<f32>) -> tensor<%dx40xf32>\n"
                       " %%b = stablehlo.pad %%x, %%z, low = [-1, 0], high = [1, 0], interior = [0, 0] : "
                       "(tensor<%dx40xf32>, tensor<f32>) -> tensor<%dx40xf32>\n"
                       " %%0:2 = chlo.scan(%%a, %%b) inits(%%c) dimension=0%s {\n"
                       " ^bb0(%%s: tensor<40xf32>, %%t: tensor<40xf32>, %%h: tensor<40xf32>):\n"
                       "  %%1 = stablehlo.subtract %%s, %%t : tensor<40xf32>\n"
                       "  %%2 = stablehlo.subtract %%1, %%h : tensor<40xf32>\n"
                       "  stablehlo.return %%2, %%2 : tensor<40xf32>, tensor<40xf32>\n"
                       " } : (tensor<%dx40xf32>, tensor<%dx40xf32>, tensor<40xf32>) -> (tensor<%dx40xf32>, "
                       "tensor<40xf32>)\n"
                       " return %%0#0, %%0#1 : tensor<%dx40xf32>, tensor<40xf32>\n}\n",
                       n, n, n, n, n, n, reverse ? " attributes {is_reverse = true}" : "", n, n, n, n),
                  1);
        }
}

/* A product of two numbers is folded outside of all loops: where threads pay, its kernel is not cut there. */
Test(pieces, a_fold_without_a_loop)
{
    static const char text[] =
        "func.func @main(%s: tensor<f16>, %x: tensor<70xf16>) -> tensor<71xf16> {\n"
        " %0 = stablehlo.dot_general %s, %s, contracting_dims = [] x [] : (tensor<f16>, tensor<f16>) -> "
        "tensor<f16>\n"
        " %1 = stablehlo.reshape %0 : (tensor<f16>) -> tensor<1xf16>\n"
        " %2 = stablehlo.sine %x : tensor<70xf16>\n"
        " %3 = stablehlo.concatenate %1, %2, dim = 0 : (tensor<1xf16>, tensor<70xf16>) -> tensor<71xf16>\n"
        " return %3 : tensor<71xf16>\n}\n";
    Arena a;
    Failure f = { 0 };
    Target threads = wide;
    threads.parallel_ns = 1;
    arena_open(&a);
    cr_assert(pipeline_run(&(Pipeline){ .target = &threads }, &a, fuse_parsed(&a, text), &f), "%s", f.text);
    arena_free(&a);
}
