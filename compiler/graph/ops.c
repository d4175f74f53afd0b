/* ops.c: the op table, and the monoids' start values. */
#include "ops.h"

const OpInfo op_info[OP_COUNT] = {
#define EW(NAME, text_, args_, types_, cost_, jvp, meaning_) \
    [OP_##NAME] = { .name = #NAME, \
                    .text = text_, \
                    .types = types_, \
                    .meaning = meaning_, \
                    .args = args_, \
                    .kind = OPKIND_EW, \
                    .cost = cost_ },
#define OP(NAME, text_, args_, kind_, rule, types_, meaning_) \
    [OP_##NAME] = { .name = #NAME, \
                    .text = text_, \
                    .types = types_, \
                    .meaning = meaning_, \
                    .args = args_, \
                    .kind = OPKIND_##kind_ },
#include "ops.def"
};

/* No machine divides vectors of ints. */
float op_cost(Op op, DType t)
{
    return op == OP_DIV && !dtype_is_float(t) ? op_info[OP_REM].cost : op_info[op].cost;
}

static uint64_t int_extreme(DType t, bool greatest)
{
    int bits = dtype_bits(t);
    uint64_t all = bits == 64 ? UINT64_MAX : ((uint64_t)1 << bits) - 1;
    if (!dtype_is_signed(t)) return greatest ? all : 0;
    return greatest ? all >> 1 : (all >> 1) + 1;
}

uint64_t monoid_start(Op monoid, DType t)
{
    switch (monoid) {
    case OP_MUL: return scalar_from_i64(t, 1);
    case OP_AND: return int_extreme(dtype_is_signed(t) ? t - WEFT_I8 + WEFT_U8 : t, true);
    case OP_MAX: return dtype_is_float(t) ? scalar_from_double(t, -__builtin_inf()) : int_extreme(t, false);
    case OP_MIN: return dtype_is_float(t) ? scalar_from_double(t, __builtin_inf()) : int_extreme(t, true);
    default:     return 0; /* ADD OR XOR; every type's zero is all zero bits */
    }
}
