/* weft/rules.h: rules of your own: derivatives, batching, C functions from elsewhere as ops, and hooks on gradients. */
#ifndef WEFT_RULES_H
#define WEFT_RULES_H
#include "weft/grad.h"
#ifdef __cplusplus
extern "C" {
#endif

/* f with a forward rule: rule takes f's arguments, then a tangent for each that is an array or struct; gives f's results, then a tangent for each. It must be linear
 * in the tangents; reverse mode transposes it. rule is declared with that signature.
 * f with a reverse rule: forward takes f's arguments and gives f's results, then residuals (any arrays and structs); backward takes the residuals, then a cotangent for
 * each of f's results, and gives a cotangent for each argument that is an array or struct. Forward mode (weft_jvp) of it is an error.
 * Concrete arrays that the rules meet (globals) are constants to them. */
weft_fn weft_custom_jvp_(weft_context *, weft_fn, weft_fn rule, const char *at);
weft_fn weft_custom_vjp_(weft_context *, weft_fn, weft_fn forward, weft_fn backward, const char *at);
#define weft_custom_jvp(ctx, f, rule)               ((WEFT_TYPE_(f))weft_custom_jvp_((ctx), WEFT_FN_(f), WEFT_FN_(rule), WEFT_HERE))
#define weft_custom_vjp(ctx, f, forward, backward)  ((WEFT_TYPE_(f))weft_custom_vjp_((ctx), WEFT_FN_(f), WEFT_FN_(forward), WEFT_FN_(backward), WEFT_HERE))

/* f with a batching rule, of f's own type: called with a leading batch axis on every array, gives results with a leading batch axis. */
weft_fn weft_custom_vmap_(weft_context *, weft_fn, weft_fn rule, const char *at);
#define weft_custom_vmap(ctx, f, rule)              ((WEFT_TYPE_(f))weft_custom_vmap_((ctx), WEFT_FN_(f), WEFT_FN_(rule), WEFT_HERE))

#ifdef __cplusplus
}
#endif
#endif
