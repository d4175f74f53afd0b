/* weft/grad.h: derivatives as transforms: a function in, a function out.
 *
 *     WEFT_SIGNATURE(loss_fn, weft_array *, (const net *m, weft_array *x, weft_array *y));
 *     WEFT_SIGNATURE(grad_fn, weft_array *, (const net *m, weft_array *x, weft_array *y, WEFT_OUT net *dm));
 *
 *     weft_declare(ctx, loss, loss_fn);
 *     grad_fn *both = weft_value_and_grad(ctx, grad_fn, loss, "m");
 *     weft_array *value = both(&m, x, y, &dm);
 *
 * Then dm.l[0].w is the derivative of value by m.l[0].w.
 *
 * They nest in any order with each other and with weft_jit, weft_vmap, weft_scan, weft_cond ...:
 * weft_jit(ctx, weft_vmap(ctx, both, "none, 0, 0")). Called on concrete arrays they run op by op; under jit
 * they are compiled.
 *
 * WHAT IS DIFFERENTIATED BY. wrt lists arguments, or parts of struct arguments: "m", "x, m", "m.l[0].w",
 * "m.l" (a list: each of its elements); "" is the first argument that holds arrays. Leaves of integer or bool
 * type have no derivative: asked for by name it is an error, inside a struct their gradient is zeros of their
 * own type.
 *
 * THE NEW SIGNATURE. What the new function takes and gives follows from the old; sig must say just that (its
 * parameters' names are free), or the error tells what it must be. Arguments of f stay, in their order;
 * in-out structs (T *) stay in-out. What is added stands behind them. Results, those of f and the new ones,
 * go to the returned array first, then to the WEFT_OUTs in order. What is of an argument by name has its
 * type: a weft_array * or a struct T; of a part of a struct, what that part is. Auxiliary results of f pass
 * through, the new values of in-outs are auxiliary too: to differentiate by an in-out is to do so by its
 * incoming value.
 *
 * Rules and their values at singular points are JAX's. By a complex z = x + iy the gradient of a real
 * number f is df/dx - i df/dy, as in JAX: what descends is z less a step times its conjugate. Jacobians by
 * complex arguments are those of holomorphic functions (JAX's holomorphic=True), whose results are
 * complex. */
#ifndef WEFT_GRAD_H
#define WEFT_GRAD_H
#include "weft/fn.h"

/* A function linearized at a point: its residuals there. Plain data of the context: it goes through weft_jit,
 * weft_vmap, loops and branches as any struct. */
typedef struct { weft_array **residual; int n; uint64_t point; } weft_linear;
WEFT_STRUCT(weft_linear, WEFT_ARRAYS(weft_linear, residual, n), WEFT_STATIC(weft_linear, point));

#ifdef __cplusplus
extern "C" {
#endif

typedef enum {                          /* which transform; for weft_derive_ */
    WEFT_GRAD, WEFT_VALUE_AND_GRAD, WEFT_JVP, WEFT_VJP, WEFT_JACFWD, WEFT_JACREV, WEFT_HESSIAN, WEFT_HVP,
    WEFT_TRANSPOSE_LINEAR, WEFT_LINEARIZE, WEFT_LINEAR_JVP, WEFT_LINEAR_VJP
} weft_derivative;
weft_fn weft_derive_(weft_context *, weft_derivative, weft_fn, const char *wrt, const char *text,
                     const char *at);

/* Reverse mode, of f whose first result is one float of rank 0 (further results are auxiliary: they pass
 * through, no derivative is taken of them).
 *   weft_grad            gives a gradient for each entry of wrt, then f's auxiliary results
 *   weft_value_and_grad  gives f's results, then the gradients */
#define weft_grad(ctx, sig, f, wrt) \
    ((sig *)weft_derive_(WEFT_A_CONTEXT_(ctx), WEFT_GRAD, WEFT_FN_(f), WEFT_A_TEXT_(wrt), sig##_text, \
                         WEFT_HERE))
#define weft_value_and_grad(ctx, sig, f, wrt) \
    ((sig *)weft_derive_(WEFT_A_CONTEXT_(ctx), WEFT_VALUE_AND_GRAD, WEFT_FN_(f), WEFT_A_TEXT_(wrt), \
                         sig##_text, WEFT_HERE))

/*
 *   weft_jvp             takes f's arguments, then a tangent for each entry of wrt, of its shapes and types;
 *                        gives f's results, then a tangent for each of them
 *   weft_vjp             takes f's arguments, then a cotangent for each of f's results; gives f's results,
 *                        then a cotangent for each entry of wrt
 *   weft_transpose_linear
 *                        of an f that is linear in wrt: takes f's other arguments, then a cotangent for each
 *                        result; gives a cotangent for each entry of wrt. The arguments in wrt stay in the
 *                        signature too: only their shapes are looked at
 *   In weft_jvp and weft_vjp the new values of in-outs count as results, in their places. Tangents of
 *   integers are zeros of their type; cotangents of them are not looked at.
 */
#define weft_jvp(ctx, sig, f, wrt) \
    ((sig *)weft_derive_(WEFT_A_CONTEXT_(ctx), WEFT_JVP, WEFT_FN_(f), WEFT_A_TEXT_(wrt), sig##_text, \
                         WEFT_HERE))
#define weft_vjp(ctx, sig, f, wrt) \
    ((sig *)weft_derive_(WEFT_A_CONTEXT_(ctx), WEFT_VJP, WEFT_FN_(f), WEFT_A_TEXT_(wrt), sig##_text, \
                         WEFT_HERE))
#define weft_transpose_linear(ctx, sig, f, wrt) \
    ((sig *)weft_derive_(WEFT_A_CONTEXT_(ctx), WEFT_TRANSPOSE_LINEAR, WEFT_FN_(f), WEFT_A_TEXT_(wrt), \
                         sig##_text, WEFT_HERE))

/* Whole matrices of derivatives, of f's first result, an array of floats, by arrays: shape is the result's,
 * then the argument's (hessian: then the argument's again). One for each entry of wrt (hessian: for each pair
 * of them, row by row), then f's auxiliary results.
 *   weft_jacfwd   column by column: forward mode, mapped over a basis; for few inputs
 *   weft_jacrev   row by row: reverse mode; for few outputs
 *   weft_hessian  forward over reverse
 *   weft_hvp      f of rank 0: takes f's arguments, then a vector for each entry of wrt; gives hessian times
 *                 vector, without the hessian
 */
#define weft_jacfwd(ctx, sig, f, wrt) \
    ((sig *)weft_derive_(WEFT_A_CONTEXT_(ctx), WEFT_JACFWD, WEFT_FN_(f), WEFT_A_TEXT_(wrt), sig##_text, \
                         WEFT_HERE))
#define weft_jacrev(ctx, sig, f, wrt) \
    ((sig *)weft_derive_(WEFT_A_CONTEXT_(ctx), WEFT_JACREV, WEFT_FN_(f), WEFT_A_TEXT_(wrt), sig##_text, \
                         WEFT_HERE))
#define weft_hessian(ctx, sig, f, wrt) \
    ((sig *)weft_derive_(WEFT_A_CONTEXT_(ctx), WEFT_HESSIAN, WEFT_FN_(f), WEFT_A_TEXT_(wrt), sig##_text, \
                         WEFT_HERE))
#define weft_hvp(ctx, sig, f, wrt) \
    ((sig *)weft_derive_(WEFT_A_CONTEXT_(ctx), WEFT_HVP, WEFT_FN_(f), WEFT_A_TEXT_(wrt), sig##_text, \
                         WEFT_HERE))

/* f once, its derivative many times: for solvers that ask for products with one matrix of derivatives again
 * and again.
 *   weft_linearize   takes f's arguments; gives f's results, then a weft_linear
 *   weft_linear_jvp  of the same f and wrt: takes a const weft_linear *, then a tangent for each entry of
 *                    wrt; gives a tangent for each result of f
 *   weft_linear_vjp  the same the other way: takes a const weft_linear *, then a cotangent for each result of
 *                    f; gives a cotangent for each entry of wrt
 * f does not run again: it is only traced where these are. */
#define weft_linearize(ctx, sig, f, wrt) \
    ((sig *)weft_derive_(WEFT_A_CONTEXT_(ctx), WEFT_LINEARIZE, WEFT_FN_(f), WEFT_A_TEXT_(wrt), sig##_text, \
                         WEFT_HERE))
#define weft_linear_jvp(ctx, sig, f, wrt) \
    ((sig *)weft_derive_(WEFT_A_CONTEXT_(ctx), WEFT_LINEAR_JVP, WEFT_FN_(f), WEFT_A_TEXT_(wrt), sig##_text, \
                         WEFT_HERE))
#define weft_linear_vjp(ctx, sig, f, wrt) \
    ((sig *)weft_derive_(WEFT_A_CONTEXT_(ctx), WEFT_LINEAR_VJP, WEFT_FN_(f), WEFT_A_TEXT_(wrt), sig##_text, \
                         WEFT_HERE))

/* f, but that reverse mode keeps its arguments only and computes it again on the way back: less memory, more
 * work. For every k-th step of a scan: weft_scan(ctx, f, roles, .checkpoint = k). */
weft_fn weft_checkpoint_(weft_context *, weft_fn, const char *at);
#define weft_checkpoint(ctx, f) \
    ((WEFT_TYPE_(f))weft_checkpoint_(WEFT_A_CONTEXT_(ctx), WEFT_FN_(f), WEFT_HERE))

#ifdef __cplusplus
}
#endif
#endif
