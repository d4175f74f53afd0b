/* test_prefixes.c: windows over a whole axis, as programs of others write prefixes, are folded step by step:
 * the work grows with the axis, not with its square, and the values are those of the windows. */
#include "compiler/passes/raise.h"
#include "runtime/eager/eager.h"
#include "tests/support/fuse_suite.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

/* One window over all of an axis of an array [rows, columns], and what it is folded by. */
typedef struct Window {
    const char *what, *type, *start, *body;
    int rows, columns, axis; /* rows 0: of an array [columns] */
    bool reverse;
    int arrays; /* 0: one */
} Window;

#define LOGADDEXP(T) \
    "%m = stablehlo.maximum %a0, %b0 : tensor<" T ">\n %d = stablehlo.subtract %a0, %b0 : tensor<" T ">\n" \
    "%n = stablehlo.compare NE, %d, %d, FLOAT : (tensor<" T ">, tensor<" T ">) -> tensor<i1>\n" \
    "%s = stablehlo.add %a0, %b0 : tensor<" T ">\n %p = stablehlo.abs %d : tensor<" T ">\n" \
    "%q = stablehlo.negate %p : tensor<" T ">\n %e = stablehlo.exponential %q : tensor<" T ">\n" \
    "%l = stablehlo.log_plus_one %e : tensor<" T ">\n %y = stablehlo.add %m, %l : tensor<" T ">\n" \
    "%r0 = stablehlo.select %n, %s, %y : tensor<i1>, tensor<" T ">\n"
/* b0 x + b1 after a0 x + a1: associative, but not commutative */
#define AFFINE \
    "%r0 = stablehlo.multiply %a0, %b0 : tensor<i32>\n %m = stablehlo.multiply %b0, %a1 : tensor<i32>\n" \
    "%r1 = stablehlo.add %m, %b1 : tensor<i32>\n"
#define XOR "%r0 = stablehlo.xor %a0, %b0 : tensor<i32>\n"
#define ADD "%r0 = stablehlo.add %a0, %b0 : tensor<bf16>\n"

static const Window windows[] = {
    { "rows", "f32", "0xFF800000", LOGADDEXP("f32"), 70, 33, 1, false, 0 },
    { "columns", "f32", "0xFF800000", LOGADDEXP("f32"), 33, 70, 0, false, 0 },
    { "from the end", "f32", "0xFF800000", LOGADDEXP("f32"), 70, 33, 1, true, 0 },
    { "f64", "f64", "0xFFF0000000000000", LOGADDEXP("f64"), 65, 18, 1, false, 0 },
    { "blocks", "f32", "0xFF800000", LOGADDEXP("f32"), 0, 1000, 0, false, 0 },
    { "blocks from the end", "f32", "0xFF800000", LOGADDEXP("f32"), 0, 130, 0, true, 0 },
    { "blocks of columns", "f32", "0xFF800000", LOGADDEXP("f32"), 50, 7, 0, false, 0 },
    { "blocks of rows", "f32", "0xFF800000", LOGADDEXP("f32"), 3, 77, 1, true, 0 },
    { "bf16", "bf16", "0xFF80", LOGADDEXP("bf16"), 5, 40, 1, false, 0 },
    { "xor", "i32", "0", XOR, 3, 50, 1, false, 0 },
    { "two arrays", "i32", "1 0", AFFINE, 70, 20, 1, false, 2 },
    { "two arrays from the end", "i32", "1 0", AFFINE, 70, 20, 1, true, 2 },
    { "blocks of two arrays", "i32", "1 0", AFFINE, 0, 300, 0, false, 2 },
    { "blocks of two arrays from the end", "i32", "1 0", AFFINE, 2, 300, 1, true, 2 },
};

static const Graph *window_graph(Arena *a, const Window *w)
{
    char type[64], scalar[32], text[4096], start[2][32] = { "", "" };
    int n = w->arrays ? w->arrays : 1, at = 0, length = w->axis || !w->rows ? w->columns : w->rows,
        low = w->reverse ? 0 : length - 1, high = length - 1 - low;
    size_t room = sizeof text;
    sscanf(w->start, "%31s %31s", start[0], start[1]);
    snprintf(scalar, sizeof scalar, "tensor<%s>", w->type);
    if (w->rows) snprintf(type, sizeof type, "tensor<%dx%dx%s>", w->rows, w->columns, w->type);
    else snprintf(type, sizeof type, "tensor<%dx%s>", w->columns, w->type);
#define PUT(...) (at += snprintf(text + at, room - (size_t)at, __VA_ARGS__))
#define EACH(...) \
    for (int i = 0; i < n; i++) PUT("%s", i ? ", " : ""), PUT(__VA_ARGS__)
    PUT("func.func @main(");
    EACH("%%x%d: %s", i, type);
    PUT(") -> (");
    EACH("%s", type);
    PUT(") {\n");
    for (int i = 0; i < n; i++) PUT("%%c%d = stablehlo.constant dense<%s> : %s\n", i, start[i], scalar);
    PUT("%%y:%d = \"stablehlo.reduce_window\"(", n);
    EACH("%%x%d", i);
    PUT(", ");
    EACH("%%c%d", i);
    if (!w->rows)
        PUT(") <{padding = dense<[[%d, %d]]> : tensor<1x2xi64>, window_dimensions = array<i64: %d>}>", low,
            high, length);
    else if (w->axis)
        PUT(") <{padding = dense<[[0, 0], [%d, %d]]> : tensor<2x2xi64>, window_dimensions = array<i64: 1, "
            "%d>}>",
            low, high, length);
    else
        PUT(") <{padding = dense<[[%d, %d], [0, 0]]> : tensor<2x2xi64>, window_dimensions = array<i64: %d, "
            "1>}>",
            low, high, length);
    PUT(" ({\n^bb0(");
    EACH("%%a%d: %s", i, scalar);
    PUT(", ");
    EACH("%%b%d: %s", i, scalar);
    PUT("):\n%sstablehlo.return ", w->body);
    EACH("%%r%d", i);
    PUT(" : ");
    EACH("%s", scalar);
    PUT("\n}) : (");
    EACH("%s", type);
    PUT(", ");
    EACH("%s", scalar);
    PUT(") -> (");
    EACH("%s", type);
    PUT(")\nreturn ");
    EACH("%%y#%d", i);
    PUT(" : ");
    EACH("%s", type);
    PUT("\n}\n");
    return fuse_parsed(a, text);
}

static void run(const Graph *g, const Values *in, Values *out)
{
    Failure f = { 0 };
    cr_assert(eager_graph(g, (const void *const *)in->at, out->at, &heap, &f), "%s", f.text);
}

/* The values of the windows, op by op, and of what is made of them. */
static void check_values(const Window *w, const Graph *written, const Graph *raised)
{
    for (unsigned seed = 1; seed < 4; seed++) {
        Values in = fuse_inputs(written, seed, -3, 16), want = values_of_outputs(written),
               got = values_of_outputs(raised);
        run(written, &in, &want), run(raised, &in, &got);
        for (uint32_t k = 0; k < want.n; k++)
            for (int64_t i = 0; i < type_count(want.type[k]); i++) {
                double x = get(got.type[k], got.at[k], i), y = get(want.type[k], want.at[k], i),
                       most = want.type[k].dtype == WEFT_I32    ? 0
                              : want.type[k].dtype == WEFT_BF16 ? 0.1
                                                                : 1e-5;
                cr_assert(fabs(x - y) <= most * (1 + fabs(y)), "%s: output %u at %lld is %.9g, not %.9g",
                          w->what, k, (long long)i, x, y);
            }
        values_free(&in), values_free(&want), values_free(&got);
    }
}

Test(prefixes, scans)
{
    for (size_t i = 0; i < sizeof windows / sizeof *windows; i++) {
        const Window *w = &windows[i];
        Arena a;
        arena_open(&a);
        const Graph *written = window_graph(&a, w), *raised = raise_graph(&a, written);
        cr_expect(!has_op(raised, OP_REDUCE_WINDOW) && has_op(raised, OP_SCAN), "%s: no scan", w->what);
        check_values(w, written, raised);
        fuse_compare(w->what, raised);
        arena_free(&a);
    }
}

/* What the padding holds would count: f(s, s) is not s, or not known to be. */
Test(prefixes, other_starts)
{
    static const Window kept[] = {
        { "start 0", "f32", "0.0", LOGADDEXP("f32"), 3, 40, 1, false, 0 },
        { "start 1", "i32", "1", XOR, 3, 40, 1, false, 0 },
        { "start 2 0", "i32", "2 0", AFFINE, 3, 40, 1, false, 2 },
        { "exp", "f32", "0.0",
          "%e = stablehlo.exponential %a0 : tensor<f32>\n %r0 = stablehlo.multiply %e, %b0 : tensor<f32>\n",
          3, 40, 1, false, 0 },
    };
    for (size_t i = 0; i < sizeof kept / sizeof *kept; i++) {
        Arena a;
        arena_open(&a);
        const Graph *g = raise_graph(&a, window_graph(&a, &kept[i]));
        cr_expect(has_op(g, OP_REDUCE_WINDOW), "%s", kept[i].what);
        arena_free(&a);
    }
}

/* 300 ones: in bf16 a running sum stays at 256, and one of every window of 300 too. */
Test(prefixes, narrow_sums)
{
    static const Window sums[] = { { "prefix", "bf16", "0.0", ADD, 0, 600, 0, false, 0 },
                                   { "from the end", "bf16", "0.0", ADD, 2, 600, 1, true, 0 } };
    static const char same[] =
        "func.func @main(%x: tensor<600xbf16>) -> tensor<301xbf16> {\n"
        " %c = stablehlo.constant dense<0.0> : tensor<bf16>\n"
        " %y = \"stablehlo.reduce_window\"(%x, %c) <{window_dimensions = array<i64: 300>}> ({\n"
        " ^bb0(%a0: tensor<bf16>, %b0: tensor<bf16>):\n" ADD " stablehlo.return %r0 : tensor<bf16>\n"
        " }) : (tensor<600xbf16>, tensor<bf16>) -> tensor<301xbf16>\n return %y : tensor<301xbf16>\n}\n";
    for (int i = 0; i < 3; i++) {
        Arena a;
        arena_open(&a);
        const Graph *g = raise_graph(&a, i < 2 ? window_graph(&a, &sums[i]) : fuse_parsed(&a, same));
        Values in = fuse_inputs(g, 1, 0, 2), out = values_of_outputs(g);
        int64_t n = type_count(out.type[0]);
        for (int64_t k = 0; k < type_count(in.type[0]); k++) put(in.type[0], in.at[0], k, 1);
        run(g, &in, &out);
        for (int64_t k = 0; k < n; k++) {
            double want = i == 2   ? 300
                          : i == 1 ? 600 - (double)(k % 600)
                                   : (double)(k + 1),
                   got = get(out.type[0], out.at[0], k);
            cr_assert(fabs(got - want) <= want / 256, "%d: sum %lld is %g, not %g", i, (long long)k, got,
                      want);
        }
        fuse_compare("sums of bf16", g);
        values_free(&in), values_free(&out);
        arena_free(&a);
    }
}
