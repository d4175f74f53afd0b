/* Bad input of every kind: each gives NULL or a status, and one message that names the place, what was seen
 * and what is allowed; the context works afterwards. (Malformed signatures and axes texts are in test_fn.c,
 * malformed files in test_npy.c, refused memory in test_context.c and test_cache.c.) */
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "runtime/exec/compile.h"
#include "tests/support/error_at.h"
#include "weft.h"

typedef struct Bench {
    weft_context *ctx;
    int cases;
} Bench;

static const float data[64] = { 1, 2, 3 };

/* The thread's error has this code and text, and names the place where there is one; then it is cleared
 * and the context tried. */
static void check(Bench *b, const char *what, int line, weft_status status, const char *text)
{
    const char *error = weft_error(b->ctx);
    char text_of[300];
    snprintf(text_of, sizeof text_of, "%s", error ? error : "(none)");
    b->cases++;
    cr_expect_not_null(error, "%s: no error", what);
    if (error) {
        cr_expect_not_null(strstr(error, text), "%s: wanted '%s' in: %s", what, text, error);
        const char *said = line ? error_at(error, __FILE__, line) : "weft_";
        cr_expect(said && !strncmp(said, "weft_", 5), "%s: wanted line %d in: %s", what, line, error);
    }
    cr_expect_eq(weft_clear(b->ctx), status, "%s: another status: %s", what, text_of);
    weft_scope *s = weft_scope_open(b->ctx);
    cr_expect_eq(weft_item(weft_sum(weft_from(b->ctx, data, 3))), 6,
                 "%s: the context does not work afterwards", what);
    weft_scope_close(s);
}

/* The expression is evaluated on this line, which the message must name. */
#define BAD(status, text, expression) \
    do { \
        const weft_array *bad_ = (expression); \
        cr_expect_null(bad_, "%s: not refused", #expression); \
        check(&b, #expression, __LINE__, status, text); \
    } while (0)
#define BAD_STATUS(status, text, expression) \
    do { \
        cr_expect_eq((int)(expression), (int)(status), "%s", #expression); \
        check(&b, #expression, 0, status, text); \
    } while (0)
#define BAD_DONE(status, text, expression) \
    do { \
        (void)(expression); \
        check(&b, #expression, 0, status, text); \
    } while (0)

static weft_array *shape(weft_context *ctx, weft_dtype t, int rank, const int64_t *dim)
{
    static const char zeros[4096];
    return weft_from_shape(ctx, t, zeros, rank, dim);
}
#define A(t, ...) \
    shape(b.ctx, t, (int)(sizeof(int64_t[]){ __VA_ARGS__ } / sizeof(int64_t)), (int64_t[]){ __VA_ARGS__ })

static Bench bench_open(void) { return (Bench){ .ctx = weft_open(NULL) }; }

static void bench_close(Bench *b, int least)
{
    weft_close(b->ctx);
    cr_expect_geq(b->cases, least, "%d cases", b->cases);
}

Test(errors, making_and_reading)
{
    Bench b = bench_open();
    weft_context *ctx = b.ctx;
    int64_t many[40], big[2] = { INT64_MAX / 4, 8 };
    for (int i = 0; i < 40; i++) many[i] = 1;
    weft_array *x = A(WEFT_F32, 2, 3), *gone = A(WEFT_F32, 2);
    weft_free(gone);
    BAD(WEFT_ARGUMENT, "the data is NULL", weft_from(ctx, (float *)NULL, 3));
    BAD(WEFT_SHAPE, "axis 1 has the negative size -3", weft_from(ctx, data, 3, -3));
    BAD(WEFT_SHAPE, "rank 33: arrays have 0 to 32 axes", weft_from_shape(ctx, WEFT_F32, data, 33, many));
    BAD(WEFT_SHAPE, "rank -1", weft_from_shape(ctx, WEFT_F32, data, -1, many));
    BAD(WEFT_SHAPE, "more bytes than 63 bits", weft_from_shape(ctx, WEFT_F32, data, 2, big));
    BAD(WEFT_SHAPE, "more bytes than 63 bits", weft_from(ctx, data, INT64_MAX / 2));
    BAD(WEFT_MEMORY, "out of memory", weft_from(ctx, data, INT64_MAX / 16));
    BAD(WEFT_ARGUMENT, "the shape is NULL", weft_from_shape(ctx, WEFT_F32, data, 2, NULL));
    BAD(WEFT_ARGUMENT, "99 is no element type", weft_from_shape(ctx, (weft_dtype)99, data, 1, many));
    BAD(WEFT_ARGUMENT, "-1 is no element type", weft_from_shape(ctx, (weft_dtype)-1, data, 1, many));
    BAD(WEFT_ARGUMENT, "55 is no element type", weft_scalar_as(ctx, (weft_dtype)55, 1));
    BAD(WEFT_ARGUMENT, "the data is NULL", weft_borrow(ctx, WEFT_F32, NULL, 1, many, NULL, NULL));
    BAD(WEFT_ARGUMENT, "not aligned",
        weft_borrow(ctx, WEFT_F32, (char *)(uintptr_t)data + 1, 1, many, NULL, NULL));
    BAD(WEFT_SHAPE, "rank 40", weft_borrow(ctx, WEFT_F32, (char *)(uintptr_t)data, 40, many, NULL, NULL));
    BAD(WEFT_IO, "No such file", weft_load(ctx, "/nonexistent.npy"));
    BAD(WEFT_ARGUMENT, "the path is NULL", weft_load(ctx, NULL));
    BAD_STATUS(WEFT_IO, "/nonexistent/", weft_save(x, "/nonexistent/x.npy"));
    BAD_STATUS(WEFT_ARGUMENT, "the path is NULL", weft_save(x, NULL));
    BAD_STATUS(WEFT_ARGUMENT, "the array is NULL", weft_save(NULL, "x.npy"));
    BAD_STATUS(WEFT_ARGUMENT, "was freed", weft_save(gone, "x.npy"));
    BAD_DONE(WEFT_DTYPE, "weft_f64: the array is f32[2,3]: read it with weft_f32", weft_f64(x));
    BAD_DONE(WEFT_DTYPE, "weft_bool", weft_bool(x));
    BAD_DONE(WEFT_ARGUMENT, "weft_i32: the array is NULL", weft_i32(NULL));
    BAD_DONE(WEFT_ARGUMENT, "was freed", weft_data(gone));
    BAD_DONE(WEFT_SHAPE, "f32[2,3]: only one of a single element", (void)weft_item(x));
    BAD_DONE(WEFT_ARGUMENT, "weft_keep: the array is NULL", weft_keep(NULL));
    BAD_DONE(WEFT_ARGUMENT, "weft_lift: the array was freed", weft_lift(gone));
    BAD_DONE(WEFT_ARGUMENT, "weft_donate: the array is NULL", weft_donate(NULL));
    bench_close(&b, 28);
}

Test(errors, ops)
{
    Bench b = bench_open();
    weft_context *ctx = b.ctx, *other = weft_open(NULL);
    weft_array *x = A(WEFT_F32, 2, 3), *v = A(WEFT_F32, 3), *w = A(WEFT_F32, 4), *n = A(WEFT_I32, 2, 3),
               *p = A(WEFT_BOOL, 2, 3), *none = NULL;
    weft_array *foreign = weft_from(other, data, 3), *gone = A(WEFT_F32, 3), *empty = A(WEFT_F32, 0, 3),
               *deep = A(WEFT_F32, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1,
                         1, 1, 1, 1, 1, 1, 1);
    weft_free(gone);
    weft_scope_open(ctx); /* an op on NULLs alone: this context */
    /* operands */
    BAD(WEFT_ARGUMENT, "operand 1 is NULL", weft_neg(none));
    BAD(WEFT_ARGUMENT, "operand 2 is NULL", weft_add(x, none));
    BAD(WEFT_ARGUMENT, "operand 1 is NULL", weft_add(none, none));
    BAD(WEFT_ARGUMENT, "is NULL", weft_where(p, x, none));
    BAD(WEFT_ARGUMENT, "is NULL", weft_sum(none));
    BAD(WEFT_ARGUMENT, "is NULL", weft_reshape(none, 3));
    BAD(WEFT_ARGUMENT, "is NULL", weft_matmul(x, none));
    BAD(WEFT_ARGUMENT, "another context", weft_add(x, foreign));
    BAD(WEFT_ARGUMENT, "another context", weft_matmul(x, foreign));
    BAD(WEFT_ARGUMENT, "was freed", weft_add(gone, x));
    BAD(WEFT_ARGUMENT, "was freed", weft_softmax(gone));
    /* broadcasting */
    BAD(WEFT_SHAPE, "f32[2,3] and f32[4] do not broadcast", weft_add(x, w));
    BAD(WEFT_SHAPE, "do not broadcast", weft_maximum(w, v));
    BAD(WEFT_SHAPE, "do not broadcast", weft_lt(x, w));
    BAD(WEFT_SHAPE, "do not broadcast", weft_where(p, x, w));
    BAD(WEFT_SHAPE, "do not broadcast", weft_clip(x, v, w));
    BAD(WEFT_SHAPE, "do not broadcast", weft_atan2(x, w));
    BAD(WEFT_SHAPE, "", weft_broadcast_to(x, 4, 3));
    BAD(WEFT_SHAPE, "", weft_broadcast_to(x, 3));
    /* element types */
    BAD(WEFT_DTYPE, "bool", weft_neg(p));
    BAD(WEFT_DTYPE, "bool", weft_sub(p, p));
    BAD(WEFT_DTYPE, "f32", weft_and(x, x));
    BAD(WEFT_DTYPE, "f32", weft_shl(x, 1));
    BAD(WEFT_DTYPE, "f32", weft_popcount(x));
    BAD(WEFT_DTYPE, "f32", weft_not(x));
    BAD(WEFT_ARGUMENT, "77 is no element type", weft_astype(x, (weft_dtype)77));
    BAD(WEFT_DTYPE, "", weft_one_hot(x, 3));
    BAD(WEFT_DTYPE, "", weft_take(x, v, 0));
    /* axes */
    BAD(WEFT_ARGUMENT, "2", weft_sum(x, .axes = "2"));
    BAD(WEFT_ARGUMENT, "-3", weft_sum(x, .axes = "-3"));
    BAD(WEFT_ARGUMENT, "", weft_sum(x, .axes = "0,0"));
    BAD(WEFT_ARGUMENT, "", weft_sum(x, .axes = "0,-2"));
    BAD(WEFT_ARGUMENT, "", weft_mean(x, .axes = "zero"));
    BAD(WEFT_ARGUMENT, "", weft_max(x, .axes = "0,"));
    BAD(WEFT_ARGUMENT, "", weft_argmax(x, .axes = "0,1"));
    BAD(WEFT_ARGUMENT, "", weft_softmax(x, .axes = "5"));
    BAD(WEFT_SHAPE, "", weft_max(empty));
    BAD(WEFT_SHAPE, "", weft_argmin(empty));
    BAD(WEFT_ARGUMENT, "", weft_transpose(x, "0"));
    BAD(WEFT_ARGUMENT, "", weft_transpose(x, "0,0"));
    BAD(WEFT_ARGUMENT, "", weft_transpose(x, "0,2"));
    BAD(WEFT_ARGUMENT, "", weft_permute_dims(x, 0, 0));
    BAD(WEFT_ARGUMENT, "", weft_moveaxis(x, 0, 2));
    BAD(WEFT_ARGUMENT, "", weft_swapaxes(x, -3, 0));
    BAD(WEFT_ARGUMENT, "", weft_expand_dims(x, 4));
    BAD(WEFT_ARGUMENT, "", weft_flip(x, "9"));
    BAD(WEFT_ARGUMENT, "", weft_roll(x, 1, 2));
    BAD(WEFT_ARGUMENT, "", weft_repeat(x, 2, 7));
    BAD(WEFT_ARGUMENT, "", weft_take(x, n, 2));
    BAD(WEFT_SHAPE, "32", weft_expand_dims(deep, 0));
    BAD(WEFT_SHAPE, "", weft_squeeze(x, "0"));
    /* shapes */
    BAD(WEFT_SHAPE, "", weft_reshape(x, 5));
    BAD(WEFT_SHAPE, "", weft_reshape(x, -1, 4));
    BAD(WEFT_SHAPE, "", weft_reshape(x, -1, -1));
    BAD(WEFT_SHAPE, "", weft_reshape(x, -6, -1));
    BAD(WEFT_SHAPE, "", weft_concatenate(0, x, w));
    BAD(WEFT_SHAPE, "", weft_concatenate(0, x, A(WEFT_F32, 2, 4)));
    BAD(WEFT_SHAPE, "", weft_stack_arrays(0, x, v));
    BAD(WEFT_ARGUMENT, "", weft_concatenate(2, x, x));
    BAD(WEFT_SHAPE, "", weft_zeros(ctx, WEFT_F32, -1));
    BAD(WEFT_SHAPE, "", weft_zeros(ctx, WEFT_F64, INT64_MAX / 2, 16));
    BAD(WEFT_SHAPE, "", weft_ones(ctx, WEFT_F64, 1 << 30, 1 << 30, 1 << 30));
    BAD(WEFT_MEMORY, "out of memory: f32[1125899906842624] takes 4503599627370496 bytes",
        weft_zeros(ctx, WEFT_F32, INT64_C(1) << 50));
    BAD(WEFT_ARGUMENT, "44 is no element type", weft_zeros(ctx, (weft_dtype)44, 2));
    BAD(WEFT_SHAPE, "", weft_full(ctx, WEFT_F32, x, 3, 3));
    BAD(WEFT_ARGUMENT, "", weft_iota(ctx, WEFT_F32, 2, 3, 3));
    BAD(WEFT_DTYPE, "", weft_iota(ctx, WEFT_BOOL, 0, 3));
    BAD(WEFT_ARGUMENT, "", weft_arange(ctx, 0, 5, 0));
    BAD(WEFT_SHAPE, "", weft_tril(v));
    BAD(WEFT_ARGUMENT, "-1 copies", weft_tile(x, -1));
    BAD(WEFT_ARGUMENT, "-2 copies", weft_repeat(x, -2, 0));
    /* indexing */
    BAD(WEFT_ARGUMENT, "", weft_at(x, "2"));
    BAD(WEFT_ARGUMENT, "", weft_at(x, "-3"));
    BAD(WEFT_ARGUMENT, "", weft_at(x, "0,0,0"));
    BAD(WEFT_ARGUMENT, "", weft_at(x, "::0"));
    BAD(WEFT_ARGUMENT, "", weft_at(x, "a"));
    BAD(WEFT_ARGUMENT, "", weft_at(x, "..., ..."));
    BAD(WEFT_ARGUMENT, "", weft_at(x, "1:2:3:4"));
    BAD(WEFT_SHAPE, "", weft_take_along_axis(x, A(WEFT_I32, 3), 0));
    BAD(WEFT_ARGUMENT, "", weft_pad(x, 0, "x"));
    BAD(WEFT_ARGUMENT, "", weft_pad(x, 0, "1,1,1"));
    BAD(WEFT_SHAPE, "", weft_pad(x, 0, "-9:0, 0:0"));
    /* products */
    BAD(WEFT_SHAPE, "f32[2,3] and f32[4] do not multiply", weft_matmul(x, w));
    BAD(WEFT_SHAPE, "", weft_matmul(x, x));
    BAD(WEFT_SHAPE, "", weft_matmul(x, 2));
    BAD(WEFT_SHAPE, "", weft_matmul(A(WEFT_F32, 2, 2, 3), A(WEFT_F32, 3, 3, 2)));
    BAD(WEFT_SHAPE, "", weft_dot(x, w));
    BAD(WEFT_SHAPE, "", weft_inner(x, w));
    BAD(WEFT_SHAPE, "", weft_tensordot(x, w, "1", "0"));
    BAD(WEFT_ARGUMENT, "", weft_tensordot(x, w, "1", "5"));
    BAD(WEFT_ARGUMENT, "", weft_tensordot(x, v, "0,1", "0"));
    BAD(WEFT_SHAPE, "", weft_einsum("ij,jk->ik", x, x));
    BAD(WEFT_SHAPE, "term 2 has 2 letters for f32[3]", weft_einsum("ij,jk->ik", x, v));
    BAD(WEFT_ARGUMENT, "", weft_einsum("ij,j->iz", x, v));
    BAD(WEFT_ARGUMENT, "", weft_einsum("ij->ij", x, x));
    BAD(WEFT_ARGUMENT, "", weft_einsum("i$", x));
    BAD(WEFT_ARGUMENT, "", weft_einsum("ij->ii", x));
    weft_close(other);
    bench_close(&b, 95);
}

static weft_array *twice(weft_array *x) { return weft_add(x, x); }

Test(errors, functions)
{
    Bench b = bench_open();
    weft_context *ctx = b.ctx;
    weft_array *x = A(WEFT_F32, 2, 3);
    weft_declare(ctx, twice, weft_unary);
    BAD_STATUS(WEFT_ARGUMENT, "test_errors.c",
               weft_declare_(ctx, (weft_fn)twice, "f", "nonsense", WEFT_HERE));
    BAD_DONE(WEFT_ARGUMENT, "is not declared", (void)weft_jit_(ctx, (weft_fn)bench_open, WEFT_HERE));
    BAD_DONE(WEFT_ARGUMENT, "'x' is no axis", (void)weft_vmap(ctx, twice, "x"));
    BAD_DONE(WEFT_SHAPE, "along axis 5, which implies that its rank should be at least 6",
             weft_vmap(ctx, twice, "5")(x));
    BAD_DONE(WEFT_ARGUMENT, "argument x is NULL", weft_vmap(ctx, twice, "0")(NULL));
    weft_scope *s = weft_scope_open(ctx);
    weft_context *other = weft_open(NULL);
    weft_close(other);
    weft_scope_close(s);
    weft_scope_close(NULL);
    bench_close(&b, 5);
}

/* A back end that is not there: eager and vmap still work, jit names the file that it tried. */
Test(errors, no_back_end)
{
    setenv("WEFT_BACKEND", "/nonexistent/libweft-llvm.so", 1);
    Bench b = bench_open();
    weft_array *x = A(WEFT_F32, 2, 3);
    weft_declare(b.ctx, twice, weft_unary);
    cr_expect_not_null(weft_vmap(b.ctx, twice, "0")(x));
    BAD_DONE(WEFT_COMPILER, "/nonexistent/libweft-llvm.so", weft_jit(b.ctx, twice)(x));
    BAD_DONE(WEFT_COMPILER, "jit(twice)", weft_jit(b.ctx, twice)(x));
    bench_close(&b, 2);
}

static weft_unary *failing;
static weft_array *failing_argument;

static void call_again(void *user, weft_status code, const char *text)
{
    (void)code, (void)text;
    ++*(int *)user;
    cr_expect_null(failing(failing_argument));
}

/* An error handler that calls what has just failed must not wait for itself. */
Test(errors, handler_that_calls_again, .timeout = 20)
{
    int calls = 0;
    setenv("WEFT_BACKEND", "/nonexistent/libweft-llvm.so", 1);
    weft_context *ctx = weft_open(&(weft_options){ .on_error = call_again, .user = &calls });
    weft_declare(ctx, twice, weft_unary);
    failing = weft_jit(ctx, twice);
    failing_argument = weft_from(ctx, data, 3);
    cr_expect_null(failing(failing_argument));
    cr_expect_eq(calls, 1);
    cr_expect_eq(weft_clear(ctx), WEFT_COMPILER);
    weft_close(ctx);
}

/* The message has the chain of calls, innermost first. */
static weft_array *project(weft_array *w, weft_array *x) { return weft_relu(weft_matmul(w, x)); }
static weft_array *score(weft_array *w, weft_array *x)
{
    weft_array *p = weft_jit(NULL, project)(w, x);
    if (weft_rank(p) > 1) return NULL;
    return weft_sum(weft_mul(p, 2));
}
static weft_array *report(weft_array *w, weft_array *xs)
{
    return weft_div(weft_vmap(NULL, score, "none, 0")(w, xs), weft_add(weft_sum(w), 1));
}

Test(errors, chain_of_calls)
{
    Bench b = bench_open();
    weft_declare(b.ctx, project, weft_binary);
    weft_declare(b.ctx, score, weft_binary);
    weft_declare(b.ctx, report, weft_binary);
    cr_expect_null(weft_jit(b.ctx, report)(A(WEFT_F32, 3, 4), A(WEFT_F32, 2, 5)));
    const char *error = weft_error(b.ctx), *chain = strstr(error, "\n  in project (");
    cr_expect_not_null(chain, "%s", error);
    static const char *const links[] = { "), in jit(project) made at ", ", called at or after ",
                                         ", from vmap(score) made at ", ", called at or after ",
                                         ", from jit(report) made at ", ", called at or after " };
    for (int i = 0; i < 6; i++) {
        chain = chain ? strstr(chain, links[i]) : NULL;
        cr_expect(chain && !strncmp(chain + strlen(links[i]), __FILE__ ":", sizeof __FILE__),
                  "wanted '%s' and where: %s", links[i], error);
    }
    weft_clear(b.ctx);
    weft_close(b.ctx);
}

static weft_binary *fast_project;
static weft_array *twice_of(weft_array *p, weft_array *x)
{
    (void)p;
    return weft_add(x, x);
}
static weft_array *fails_at_once(weft_array *w, weft_array *x)
{
    (void)x;
    return fast_project(w, NULL);
}

/* An error in a call names the call's line: where an argument was made on it, or weft_here stands there; else
 * the line of the last macro before. */
Test(errors, line_of_the_call)
{
    Bench b = bench_open();
    weft_declare(b.ctx, project, weft_binary);
    weft_binary *fast = weft_jit(b.ctx, project);
    weft_array *w = A(WEFT_F32, 3, 4), *none = NULL;
    char lines[7][200];
#define CALLED(n, back, call) \
    do { \
        snprintf(lines[n], sizeof lines[n], ", called at or after %s:%d", __FILE__, __LINE__ - (back)); \
        cr_expect_null(call); \
        const char *said_ = weft_error(b.ctx), \
                   *first_ = strstr(said_ ? said_ : "", ", called at or after "); \
        cr_expect(first_ && !strncmp(first_, lines[n], strlen(lines[n])), "wanted %s: %s", lines[n], said_); \
        weft_clear(b.ctx); \
    } while (0)
    CALLED(0, 0, fast(w, weft_zeros(b.ctx, WEFT_F32, 5)));
    weft_here();
    CALLED(1, 1, fast(w, none));
    CALLED(2, 0, (weft_here(), fast(w, none)));
    w = weft_neg(w);
    CALLED(3, 1, fast(none, w));
    /* The error never names a line in a function that was traced earlier, whether its trace was finished
     * or not. */
    weft_array *x = weft_zeros(b.ctx, WEFT_F32, 4, 2);
    w = weft_zeros(b.ctx, WEFT_F32, 3, 4);
    CALLED(4, 1, fast(w, x) ? fast(w, none) : x);
    CALLED(5, 2, fast(x, x) ? x : (weft_clear(b.ctx), fast(w, none)));
    weft_declare(b.ctx, twice_of, weft_binary);
    weft_declare(b.ctx, fails_at_once, weft_binary);
    fast_project = fast;
    weft_binary *either = weft_cond(b.ctx, twice_of, fails_at_once);
    x = weft_scalar(b.ctx, 1);
    CALLED(6, 1, either(x, x));
    weft_close(b.ctx);
}
