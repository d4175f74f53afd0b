/* evaluate.c: see evaluate.h. */
#include "evaluate.h"
#include <math.h>
#include "kernels.h"

static bool is_nan(DType t, uint64_t a) { return dtype_is_float(t) && isnan(scalar_to_double(t, a)); }

/* Takes and gives raw bits; a SELECT's first operand is a bool. */
static uint64_t run(ElementLoop *loop, Op op, DType operand, DType compute, DType result,
                    const uint64_t *args)
{
    _Alignas(8) char in[3][8], value[8];
    for (int i = 0; i < op_info[op].args; i++) {
        bool flag = op == OP_SELECT && i == 0;
        uint64_t bits = flag ? args[i] : scalar_convert(compute, operand, args[i]);
        scalar_store(flag ? WEFT_BOOL : compute, in[i], bits);
    }
    loop(1, in[0], in[1], in[2], value);
    DType made = dtype_is_float(result) ? compute : result;
    return scalar_convert(result, made, scalar_load(made, value));
}

bool evaluate_with_nans(Op op, DType operand, DType result, const int64_t *attr, const uint64_t *args,
                        uint64_t *out)
{
    DType compute = kernel_type(op, operand, attr);
    ElementLoop *loop = kernel_of(op, compute, attr);
    if (!loop && op != OP_CONVERT) return false;
    *out = loop ? run(loop, op, operand, compute, result, args) : scalar_convert(result, operand, args[0]);
    return true;
}

bool evaluate(Op op, DType operand, DType result, const int64_t *attr, const uint64_t *args, uint64_t *out)
{
    for (int i = 0; i < op_info[op].args && op != OP_SELECT && op != OP_COMPARE; i++)
        if (is_nan(operand, args[i])) return false;
    return evaluate_with_nans(op, operand, result, attr, args, out) &&
           (op == OP_SELECT || !is_nan(result, *out));
}
