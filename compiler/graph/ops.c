/* ops.c: the tables of ops and of monoids. */
#include "ops.h"
#include <string.h>

const char *const fft_names[4] = { "FFT", "IFFT", "RFFT", "IRFFT" };

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

bool kinds_hold(const char *kinds, DType t)
{
    static const char letter[] = { [KIND_BOOL] = 'B',
                                   [KIND_SIGNED] = 'S',
                                   [KIND_UNSIGNED] = 'U',
                                   [KIND_FLOAT] = 'F',
                                   [KIND_COMPLEX] = 'C' };
    return strchr(kinds, letter[dtype_kind(t)]) != NULL;
}

/* ---- monoids */

static uint64_t int_extreme(DType t, bool greatest)
{
    int bits = dtype_bits(t);
    uint64_t all = bits == 64 ? UINT64_MAX : ((uint64_t)1 << bits) - 1;
    if (!dtype_is_signed(t)) return greatest ? all : 0;
    return greatest ? all >> 1 : (all >> 1) + 1;
}

static uint64_t start_zero(DType t) { return (void)t, 0; } /* of every type */
static uint64_t start_one(DType t) { return scalar_from_i64(t, 1); }

static uint64_t start_ones(DType t)
{
    return int_extreme(dtype_is_signed(t) ? t - WEFT_I8 + WEFT_U8 : t, true);
}

static uint64_t start_least(DType t)
{
    return dtype_is_inexact(t) ? scalar_from_double(t, -__builtin_inf()) : int_extreme(t, false);
}

static uint64_t start_greatest(DType t)
{
    return dtype_is_inexact(t) ? scalar_from_double(t, __builtin_inf()) : int_extreme(t, true);
}

static const struct {
    uint64_t (*start)(DType); /* NULL: the op is no monoid */
    bool prefixes;
    const char *idempotent, *exact;
} monoids[OP_COUNT] = {
#define MONOID(NAME, start, prefixes, idempotent, exact, jvp) \
    [OP_##NAME] = { start_##start, prefixes, idempotent, exact },
#include "monoids.def"
};

bool op_is_monoid(Op op) { return (unsigned)op < OP_COUNT && monoids[op].start; }
uint64_t monoid_start(Op monoid, DType t) { return monoids[monoid].start(t); }
bool monoid_has_prefixes(Op op) { return op_is_monoid(op) && monoids[op].prefixes; }
bool monoid_is_idempotent(Op monoid, DType t) { return kinds_hold(monoids[monoid].idempotent, t); }
bool monoid_is_exact(Op monoid, DType t) { return kinds_hold(monoids[monoid].exact, t); }
