/* ops_nn.c: the activations of neural networks, defined as jax.nn defines them. */
#include "ops_compose.h"
#include <math.h>

/* max(x, 0), as a choice: its derivative at 0 is 0, as jax.nn says, where that of max is shared. */
static weft_array *relu(weft_array *x)
{
    return x ? ops_select(ops_compare_with(CMP_LE, x, 0), ops_fill(x, 0), x) : NULL;
}
static weft_array *softplus(weft_array *x) { return x ? ops_logaddexp(x, ops_fill(x, 0)) : NULL; }

/* x/2 (1 + tanh(x (k + 0.044715 k x^2))), k = sqrt(2/pi): so its derivative has the fewest ops */
static weft_array *gelu(weft_array *x)
{
    const double k = sqrt(2 / M_PI);
    weft_array *inner =
        op_binary(OP_MUL, x, ops_with(OP_ADD, ops_with(OP_MUL, op_binary(OP_MUL, x, x), 0.044715 * k), k));
    return op_binary(OP_MUL, x, ops_with(OP_MUL, ops_with(OP_ADD, op_unary(OP_TANH, inner), 1), 0.5));
}

/* x/2 erfc(-x / sqrt 2) */
static weft_array *gelu_exact(weft_array *x)
{
    weft_array *tail = op_unary(OP_ERFC, ops_with(OP_MUL, op_unary(OP_NEG, x), M_SQRT1_2));
    return op_binary(OP_MUL, ops_with(OP_MUL, x, 0.5), tail);
}

OPS_UNARY(relu, relu, RULE_SAME)
OPS_UNARY_AS(silu, op_binary(OP_MUL, x, op_unary(OP_LOGISTIC, x)), RULE_INEXACT)
OPS_UNARY(softplus, softplus, RULE_INEXACT)
OPS_UNARY_AS(log_sigmoid, op_unary(OP_NEG, softplus(op_unary(OP_NEG, x))), RULE_INEXACT)
OPS_UNARY(gelu, gelu, RULE_INEXACT)
OPS_UNARY(gelu_exact, gelu_exact, RULE_INEXACT)
