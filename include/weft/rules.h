/* weft/rules.h: rules of your own: derivatives, batching, C functions from elsewhere as ops, and hooks on
 * gradients.
 *
 *     static weft_array *log1pexp(weft_array *x)
 *     {
 *         return weft_log(weft_add(weft_exp(x), 1));
 *     }
 *     static weft_array *log1pexp_jvp(weft_array *x, weft_array *dx, WEFT_OUT weft_array **dy)
 *     {
 *         *dy = weft_mul(weft_sigmoid(x), dx);            where exp overflows, log's own derivative is NaN
 *         return log1pexp(x);
 *     }
 *     WEFT_SIGNATURE(unary_jvp, weft_array *, (weft_array *x, weft_array *dx, WEFT_OUT weft_array **dy));
 *
 *     weft_declare(ctx, log1pexp, weft_unary);
 *     weft_declare(ctx, log1pexp_jvp, unary_jvp);
 *     weft_unary *stable = weft_custom_jvp(ctx, log1pexp, log1pexp_jvp);      called in place of log1pexp
 *
 * What is returned is the function itself, with a rule that its derivative, or its batch, follows: it has f's
 * type, nests with all transforms, and computes what f does. When it is called, f and its derivative rules
 * are all traced, on the call's types: a rule that does not fit is an error then, whether a derivative is
 * taken or not. For derivatives of higher order the rule is differentiated: if it calls f, by f's own
 * derivatives; if it calls the new function, by the rule again, up to order 3.
 *
 * SIGNATURES. A rule is declared with a signature that follows from f's; the names of parameters are free,
 * and results (the returned array, then the WEFT_OUTs in order) may stand anywhere among the arguments. If it
 * is another, the error prints what it must be. The derivative of an array is an array, of a struct (an
 * in-out too) a struct of the same structure: const T * among the arguments, WEFT_OUT T * among the results.
 * Static numbers have none. Integers and bools have none either: inside a struct rules get zeros, and what
 * they give is not looked at; of arguments and results that are one array of integers, a rule takes and gives
 * such zeros too, or its signature leaves all of them out.
 *
 * CAPTURES. Concrete arrays that f and the rules meet (globals) are constants to derivatives. A traced value
 * of a function around them may be used by a rule: a constant to the derivative that the rule is, a variable
 * to those of higher order. If f itself uses one that depends on what a derivative is taken by, that is an
 * error, for the rule does not speak of it: make it an argument.
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

/* A forward rule: takes f's arguments, then a tangent for each; gives f's results, then a tangent for each.
 * It must be linear in the tangents: reverse mode transposes it. */
#define weft_custom_jvp(ctx, f, rule) \
    ((WEFT_TYPE_(f))weft_custom_jvp_(WEFT_A_CONTEXT_(ctx), WEFT_FN_(f), WEFT_FN_(rule), WEFT_HERE))

/* A reverse rule, of two functions: forward takes f's arguments and gives f's results, then what backward is
 * to know: any arrays and structs. backward takes f's static numbers, what forward kept, then a cotangent for
 * each of f's results; it gives a cotangent for each argument.
 * Forward mode (weft_jvp, weft_jacfwd) of it is an error. */
#define weft_custom_vjp(ctx, f, forward, backward) \
    ((WEFT_TYPE_(f))weft_custom_vjp_(WEFT_A_CONTEXT_(ctx), WEFT_FN_(f), WEFT_FN_(forward), \
                                     WEFT_FN_(backward), WEFT_HERE))

/* A batching rule, declared as f is: takes f's arguments with a leading batch axis on every array, also on
 * those that are the same for all examples, and gives results with that axis. It is traced when a weft_vmap
 * meets the function. What f captured it does not get; a traced value that it captures itself is an error. A
 * vmap around that vmap maps what the rule computes; a derivative taken inside the vmap is that of f. */
#define weft_custom_vmap(ctx, f, rule) \
    ((WEFT_TYPE_(f))weft_custom_vmap_(WEFT_A_CONTEXT_(ctx), WEFT_FN_(f), WEFT_FN_(rule), WEFT_HERE))

/* A C FUNCTION FROM ELSEWHERE as a function of arrays: f, its own type and the text that says which parameter
 * is what, and sig, the type of what is made of it.
 *
 *     void smooth(const float *x, int64_t n, float width, float *out);                (in some library)
 *
 *     WEFT_SIGNATURE(smooth_c, void, (const float *x, int64_t n, float width, float *out));  (its type again)
 *     weft_binary *op = weft_foreign(ctx, weft_binary, smooth, smooth_c, "x[n], width -> out[n]");
 *     weft_array *y = op(x, width);
 *
 * Before the arrow stand the arguments in sig's order, behind it the results (the returned array, then the
 * WEFT_OUTs), by the names of f's parameters:
 *   x[n, 2 * m]    const T *: an array of just that element type and these axes, row-major. T *: among the
 *                  results: memory to fill; on both sides: the same memory, which holds the argument when f
 *                  is called. A size that is a name alone is bound by the first array that has it; all others
 *                  are checked, and make the results' shapes.
 *   width          a number: an array of rank 0 of just its type (const T *: its address); or a static number
 *                  of sig, which may be a size too
 *   return         behind the arrow: the number that f returns
 *   ld = n + 1     what an integer parameter (or const T *, for Fortran) gets, if it is no size of its own
 *                  name: it is no argument. Also a character: uplo = 'U'
 * Integer parameters that are not named get the size of their name; a void * gets .user. Errors name
 * function, parameter, what was seen and what is allowed.
 *
 * f gets pointers that never overlap, to memory of at least its elements' alignment; it must not keep them,
 * must write all elements of its results, must not call weft on this context, throw or longjmp; under a
 * context that several threads use it is called by several at once. It runs in eager mode, in compiled code,
 * in loops and branches; a plan for real time refuses it (weft/run.h). Before its code is unloaded:
 * weft_forget(ctx, op). Derivatives and batching are put around it: weft_custom_vjp(ctx, op, forward,
 * backward), weft_custom_vmap(ctx, op, rule); without a rule weft_grad says so. */
enum { WEFT_BATCH_NONE, WEFT_BATCH_LOOP };
typedef struct {                    /* zero is every field's default */
    /* under weft_vmap: WEFT_BATCH_NONE: an error, WEFT_BATCH_LOOP: one example after the other */
    int batch;
    /* its results do not follow from its arguments alone: equal calls are not made one, nor taken out of
     * loops. A call whose results nobody uses is left out all the same */
    bool impure;
    void *user;                     /* what its void * parameters get; it must outlive all that calls f */
    int end_;
} weft_foreign_options;
weft_fn weft_foreign_(weft_context *, weft_fn, const char *name, const char *type, const char *signature,
                      const char *text, weft_foreign_options, const char *at);
#define weft_foreign(ctx, sig, f, type, ...) /* ctx, sig, f, type, text, options */ \
    ((sig *)weft_foreign_(WEFT_A_CONTEXT_(ctx), WEFT_IF_(f, type), #f, type##_text, sig##_text, \
                          WEFT_A_TEXT_(WEFT_HEAD_(__VA_ARGS__, )), WEFT_FOREIGN_OPTIONS_(__VA_ARGS__), \
                          WEFT_HERE))
#ifndef __cplusplus
#define WEFT_FOREIGN_OPTIONS_(...)  WEFT_OPTIONS_(weft_foreign_options, __VA_ARGS__)
#else   /* C++17: weft_foreign(ctx, sig, f, type, "x[n] -> y[n]",
         *                     weft::foreign().batch(WEFT_BATCH_LOOP).user(&table)) */
#define WEFT_FOREIGN_OPTIONS_(...)  weft_foreign_options_of_(WEFT_TAIL_(__VA_ARGS__, 0))
#endif

/* HOOKS. A function that a gradient goes through on its way back: it sees it, and gives what goes on, of the
 * same shape and element type. What is computed forwards stays as it is. A hook is traced like any function,
 * and what it captures may be traced. Under weft_vmap it sees one example's gradient; of an array that all
 * examples share the one that this array has, their sum, as in JAX (in weft_vmap of weft_grad each example
 * has its own). A derivative of a gradient follows what the hook computes.
 *
 *     static weft_array *halve(weft_array *gradient)                  declared as a weft_unary
 *     {
 *         return weft_mul(gradient, 0.5);
 *     }
 *
 * Where the innermost derivative does not go back a hook is not there: what only goes forwards is the program
 * it would be without, and forward mode (also inside reverse mode) goes past it. weft_linear_jvp of a
 * function with hooks is an error.
 *
 * weft_hook, inside a function: gives x itself; the gradient of what is computed from that goes through f. */
weft_array *weft_hook_(weft_array *x, weft_fn f, const char *at);
#define weft_hook(x, f)             weft_hook_(WEFT_AN_ARRAY_(x), WEFT_IF_(f, weft_unary), WEFT_HERE)

/* From outside: from now on, whenever weft traces a call of f, the gradient of these parts of its arguments
 * goes through the hook: "m.l[0].w", "x, m.b", "m" for all leaves of m that have a gradient, each apart; ""
 * is the first argument. That holds for all transforms of f, made before or later; for calls of f in C that
 * weft does not see it does not. Several hooks of one array run in the order in which they were added; one on
 * the argument of a hook does not apply to itself. Which hooks there are is part of what calls that go back
 * are looked up by in the cache: such a function is traced anew after one is added, and finds the code it had
 * when that is removed. What only goes forwards, and plans, stay what they are. A hook or function that is
 * forgotten takes its hooks along. 0: an error. Removing one that is not there, or is another context's:
 * WEFT_ARGUMENT. */
typedef uint64_t weft_hook_id;
weft_hook_id weft_hook_add_(weft_context *, weft_fn f, const char *path, weft_fn hook, const char *at);
weft_status  weft_hook_remove_(weft_context *, weft_hook_id, const char *at);
#define weft_hook_add(ctx, f, path, hook) \
    weft_hook_add_(WEFT_A_CONTEXT_(ctx), WEFT_FN_(f), WEFT_A_TEXT_(path), WEFT_IF_(hook, weft_unary), \
                   WEFT_HERE)
#define weft_hook_remove(ctx, id)           weft_hook_remove_(WEFT_A_CONTEXT_(ctx), (id), WEFT_HERE)

#ifdef __cplusplus
}
namespace weft {
struct foreign : weft_foreign_options {
    foreign() : weft_foreign_options() {}
    foreign &batch(int how)             { weft_foreign_options::batch = how; return *this; }
    foreign &impure(bool yes = true)    { weft_foreign_options::impure = yes; return *this; }
    foreign &user(void *p)              { weft_foreign_options::user = p; return *this; }
};
}
static inline weft_foreign_options weft_foreign_options_of_(int) { return weft_foreign_options(); }
static inline weft_foreign_options weft_foreign_options_of_(const weft_foreign_options &o, int = 0)
{
    return o;
}
#endif
#endif
