/* weft/rules.h: rules of your own: derivatives, batching, C functions from elsewhere as ops, and hooks on gradients.
 *
 *     static weft_array *log1pexp(weft_array *x)                          { return weft_log(weft_add(weft_exp(x), 1)); }
 *     static weft_array *log1pexp_jvp(weft_array *x, weft_array *dx, WEFT_OUT weft_array **dy)
 *     {
 *         *dy = weft_mul(weft_sigmoid(x), dx);                            where exp overflows, log's own derivative is NaN
 *         return log1pexp(x);
 *     }
 *     WEFT_SIGNATURE(unary_jvp, weft_array *, (weft_array *x, weft_array *dx, WEFT_OUT weft_array **dy));
 *
 *     weft_declare(ctx, log1pexp, weft_unary);
 *     weft_declare(ctx, log1pexp_jvp, unary_jvp);
 *     weft_unary *stable = weft_custom_jvp(ctx, log1pexp, log1pexp_jvp);      called in place of log1pexp
 *
 * What is returned is the function itself, with a rule that its derivative, or its batch, follows: it has f's type, nests with all transforms, and computes what f does.
 * When it is called, f and its derivative rules are all traced, on the call's types: a rule that does not fit is an error then, whether a derivative is taken or not. So a rule
 * must not call the new function on the same types, which would never end: it calls f, whose own derivatives then serve for higher orders, or says it all itself.
 *
 * SIGNATURES. A rule is declared with a signature that follows from f's; the names of parameters are free, and results (the returned array, then the WEFT_OUTs in order) may
 * stand anywhere among the arguments. If it is another, the error prints what it must be. "A derivative for each" means: of an array an array, of a struct T a T of the same
 * structure, of an in-out an in-out; static numbers have none. Integers and bools have no derivative: inside a struct, rules get zeros and what they give is not looked at; for
 * an argument or result that is one array of integers, either the rule takes and gives all of these the same way, or its signature leaves all of them out.
 *
 * CAPTURES. Concrete arrays that f and the rules meet (globals) are constants to derivatives. So are traced values of functions around them, for a rule; but if f itself uses
 * one that depends on what a derivative is taken by, that is an error: the rule does not speak of it. Make it an argument.
 */
#ifndef WEFT_RULES_H
#define WEFT_RULES_H
#include "weft/grad.h"
#ifdef __cplusplus
extern "C" {
#endif

weft_fn weft_custom_jvp_(weft_context *, weft_fn, weft_fn rule, const char *at);
weft_fn weft_custom_vjp_(weft_context *, weft_fn, weft_fn forward, weft_fn backward, const char *at);
weft_fn weft_custom_vmap_(weft_context *, weft_fn, weft_fn rule, const char *at);

/* A forward rule: takes f's arguments, then a tangent for each; gives f's results, then a tangent for each. It must be linear in the tangents: reverse mode transposes it. */
#define weft_custom_jvp(ctx, f, rule)               ((WEFT_TYPE_(f))weft_custom_jvp_((ctx), WEFT_FN_(f), WEFT_FN_(rule), WEFT_HERE))

/* A reverse rule, of two functions: forward takes f's arguments and gives f's results, then what backward is to know: any arrays and structs. backward takes f's static numbers,
 * what forward kept, then a cotangent for each of f's results; it gives a cotangent for each argument (an in-out's comes in and goes out in one in-out).
 * Forward mode (weft_jvp, weft_jacfwd) of it is an error. */
#define weft_custom_vjp(ctx, f, forward, backward)  ((WEFT_TYPE_(f))weft_custom_vjp_((ctx), WEFT_FN_(f), WEFT_FN_(forward), WEFT_FN_(backward), WEFT_HERE))

/* A batching rule, declared as f is: takes f's arguments with a leading batch axis on every array, also on those that are the same for all examples, and gives results with
 * that axis. It is traced when a weft_vmap meets the function. What f captured it does not get; a traced value that it captures itself is an error. A vmap around that vmap
 * maps what the rule computes; a derivative taken inside the vmap is that of f. */
#define weft_custom_vmap(ctx, f, rule)              ((WEFT_TYPE_(f))weft_custom_vmap_((ctx), WEFT_FN_(f), WEFT_FN_(rule), WEFT_HERE))

#ifdef __cplusplus
}
#endif
#endif
