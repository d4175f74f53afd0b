/* quotients.c: quotients by one number that all lanes share. Machines divide a vector in as many cycles as
 * they take for 10 to 30 multiply-adds. With r = 1 / s, made once,
 *
 *   q = x * r,   x / s = q - (s * q - x) * r
 *
 * rounded right: the remainder is exact, and no quotient lies so near to the middle of two numbers that the
 * rest of the error counts (Brisebarre, Muller and Raina, "Accelerating correctly rounded floating-point
 * division when the divisor is known in advance"). Not so where something on the way overflows, or leaves the
 * normal numbers: such x, but for zeros, are divided behind a branch, and so is all by an s that is negative
 * (the sign of zeros would be wrong), very large or small. (softmax_128x128_f64, AVX-512, a core of
 * Intel's: 24.0 -> 20.7 us. Of f32 it takes as long as dividing.)
 */
#include <stddef.h>
#include <string.h>
#include "element.h"
#include "compiler/llvm/access/access.h"

enum { LEAST_VECTORS = 4, RECIPROCAL = 1 << 20 /* no number of lanes */ };
enum {
    X,
    S,
    R,
    Q,
    MINUS_X,
    REST,
    MINUS_REST,
    USUAL,
    SIZE,
    LEAST,
    ZERO,
    IS_SMALL,
    IS_SOME,
    IS_LOST,
    IS_NAN,
    IS_RARE,
    DIVIDED,
    RESULT,
    N_STEPS
};

/* Divisors are from 1 / largest to largest; of dividends from the least on the remainder is normal. */
static const double largest = 0x1p60, least = 0x1p-900;

static const Recipe *quotient_recipe(Emitter *e)
{
    if (e->quotient) return e->quotient;
#define STEP(OP, ...) { .op = OP, .dtype = WEFT_F64, __VA_ARGS__ }
#define TEST(OP, ...) { .op = OP, .dtype = WEFT_BOOL, __VA_ARGS__ }
    const RecipeStep step[N_STEPS] = {
        [X] = STEP(OP_PARAMETER, .imm = X),
        [S] = STEP(OP_PARAMETER, .imm = S),
        [R] = STEP(OP_PARAMETER, .imm = R),
        [Q] = STEP(OP_MUL, .arg = { X, R }),
        [MINUS_X] = STEP(OP_NEG, .arg = { X }),
        [REST] = STEP(OP_FMA, .arg = { S, Q, MINUS_X }),
        [MINUS_REST] = STEP(OP_NEG, .arg = { REST }),
        [USUAL] = STEP(OP_FMA, .arg = { MINUS_REST, R, Q }),
        [SIZE] = STEP(OP_ABS, .arg = { X }),
        [LEAST] = STEP(OP_CONSTANT, .imm = scalar_from_double(WEFT_F64, least)),
        [ZERO] = STEP(OP_CONSTANT, .imm = 0),
        [IS_SMALL] = TEST(OP_COMPARE, .imm = CMP_LT, .arg = { SIZE, LEAST }),
        [IS_SOME] = TEST(OP_COMPARE, .imm = CMP_GT, .arg = { SIZE, ZERO }),
        [IS_LOST] = TEST(OP_AND, .arg = { IS_SMALL, IS_SOME }),
        [IS_NAN] = TEST(OP_COMPARE, .imm = CMP_NE, .arg = { USUAL, USUAL }),
        [IS_RARE] = TEST(OP_OR, .arg = { IS_LOST, IS_NAN }),
        [DIVIDED] = STEP(OP_DIV, .arg = { X, S }, .guard = IS_RARE + 1),
        [RESULT] = STEP(OP_SELECT, .arg = { IS_RARE, DIVIDED, USUAL }),
    };
#undef STEP
#undef TEST
    size_t head = offsetof(Recipe, step);
    Recipe *r = arena_alloc(e->arena, head + sizeof step);
    r->n_steps = N_STEPS;
    r->n_params = R + 1;
    memcpy((char *)r + head, step, sizeof step);
    return e->quotient = r;
}

/* NaN of a divisor that is not like those: so is then all that is made with it. */
static LLVMValueRef reciprocal(Emitter *e, LLVMValueRef s, uint32_t kind)
{
    (void)kind;
    LLVMTypeRef type = LLVMTypeOf(s);
    LLVMValueRef large = LLVMBuildFCmp(e->b, LLVMRealOLE, s, LLVMConstReal(type, largest), ""),
                 small = LLVMBuildFCmp(e->b, LLVMRealOGE, s, LLVMConstReal(type, 1 / largest), "");
    LLVMValueRef r = LLVMBuildFDiv(e->b, LLVMConstReal(type, 1), s, "");
    return LLVMBuildSelect(e->b, LLVMBuildAnd(e->b, large, small, ""), r,
                           LLVMConstReal(type, __builtin_nan("")), "");
}

/* Is the divisor there before the lanes' loop, which is long enough for a reciprocal to be made for it? */
static bool is_shared(Emitter *e, Val divisor)
{
    int d = lane_depth(e);
    if (d < 0 || value_of(e, divisor)->axes >> d & 1) return false;
    const Stmt *loop = &e->kernel->stmts[e->loops[d].stmt];
    return divisor < e->loops[d].stmt && loop->extent >= LEAST_VECTORS * (int64_t)e->loops[d].lanes;
}

bool emit_quotient(Emitter *e, Val at, Axes axes)
{
    const Stmt *s = &e->kernel->stmts[at];
    if (s->op != OP_DIV || s->dtype != WEFT_F64 || !e->target->fma) return false;
    if (axes_lanes(e, axes) == 1 || !is_shared(e, s->args[1])) return false;
    const Recipe *r = quotient_recipe(e);
    const Value *divisor = value_of(e, s->args[1]);
    Value *out = value_new(e, at, WEFT_F64, axes);
    LLVMValueRef *params[R + 1];
    for (int i = 0; i <= R; i++) params[i] = arena_alloc(e->arena, out->n * sizeof *params[i]);
    for (uint32_t k = 0; k < out->n; k++) {
        LLVMValueRef one = divisor->part[part_project(e, axes, k, divisor->axes)];
        params[X][k] = operand(e, s->args[0], axes, k);
        params[S][k] = operand(e, s->args[1], axes, k);
        params[R][k] = splat_shared(e, derive(e, one, RECIPROCAL, reciprocal), axes_lanes(e, axes));
    }
    emit_recipe(e, r, params, out->n, out->part, true);
    return true;
}
