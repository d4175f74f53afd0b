/* recipe.h: what a math function does, step by step, in ops that every machine has.
 *
 * exp, tanh, erf ... are each written ONCE, as a straight line of elementary steps over one element
 * (recipe.c and its parts). Eager mode runs the steps over blocks of elements; the LLVM back end emits them
 * over vectors. Both do the same IEEE operations in the same order (fma where the recipe says FMA, nothing
 * contracted elsewhere), so strict mode is equal to eager bit for bit.
 *
 * Steps refer to earlier steps by index. Elementary ops allowed in a step:
 *   PARAMETER (imm: which operand), CONSTANT (imm: raw bits of dtype),
 *   float: ADD SUB MUL DIV FMA NEG ABS SQRT FLOOR CEIL ROUND_EVEN MAX MIN (IEEE; MAX MIN as in ops.def)
 *   int:   ADD SUB MUL AND OR XOR NOT NEG SHL SHR_ARITH SHR_LOGIC (amounts below the width), CLZ, MULHI
 *   COMPARE (imm: CompareDir, order by the operands' dtype) giving BOOL; AND OR XOR NOT on BOOL; SELECT;
 *   CONVERT (float <-> int, f32 <-> f64, int widths; float to int only where the value is in range or the
 *   result is unused), BITCAST (same width), STEP_LOOKUP (of an i32 index; imm: number of recipe_table).
 *   STEP_ESTIMATE (the machine's of 1 / sqrt, of x > 0 within 2^-14, right at the edges), which is in no
 *   recipe that eager mode runs.
 * The dtype of a step is its result's.
 *
 * Rare paths: a step with guard g > 0 is needed only if step g-1 (a BOOL) is true in some lane; eager skips
 * it for a block without such a lane, compiled code branches around runs of steps with one guard. A guarded
 * value may be used, outside its guard, only as the chosen operand of a SELECT on that BOOL.
 */
#ifndef WEFT_SCALAR_RECIPE_H
#define WEFT_SCALAR_RECIPE_H
#include "compiler/graph/ops.h"

enum { STEP_LOOKUP = OP_COUNT, STEP_ESTIMATE }; /* beside the ops */

typedef struct RecipeStep {
    uint8_t op, dtype;
    uint16_t guard;
    uint16_t arg[3];
    uint64_t imm;
} RecipeStep;
/* How many operands it has. */
static inline int recipe_step_args(const RecipeStep *s)
{
    return s->op == STEP_LOOKUP || s->op == STEP_ESTIMATE ? 1 : op_info[s->op].args;
}
enum { RECIPE_MAX_STEPS = 4608 };
/* the last step is the value */
typedef struct Recipe {
    uint16_t n_steps;
    uint16_t n_params;
    RecipeStep step[RECIPE_MAX_STEPS];
} Recipe;

typedef struct RecipeTable {
    DType dtype;
    uint32_t n;
    const void *data;
} RecipeTable;
const RecipeTable *recipe_table(uint32_t number);

/* Is op on elements of t done by a recipe (true) or an elementary op itself (false)? t is F32 or F64 for
 * the math functions (f16 and bf16 go by way of f32, rounded once, and have but REDUCE_PRECISION of their
 * own); int POW is a recipe too; so is what an op's rule must get right at edges (REM on floats,
 * NEXT_AFTER, SIGN, ROUND_AFZ, LOGISTIC, RSQRT, CBRT, SINH ...). All else is done by whoever runs or emits
 * it, edges included: int DIV and REM by zero, shifts past the width, SIGN and ABS on ints, IS_*, CLAMP,
 * SQUARE, POPCNT. */
bool recipe_exists(Op op, DType t);
/* Writes the steps of op on t into r. For ops with attributes (REDUCE_PRECISION) attr is the node's.
 * fma: as in eager mode, with multiply-adds; the recipe without, for machines that lack them, is as
 * accurate within half an ulp, but does not give the same bits. False if there is no such recipe. */
bool recipe_make(Op op, DType t, const int64_t *attr, bool fma, Recipe *r);
/* The same op's values, no less accurate, but of other bits than eager mode's, for machines with
 * STEP_ESTIMATE and multiply-adds: RSQRT. False: there is none. */
bool recipe_make_by_estimate(Op op, DType t, Recipe *r);
/* POW by a constant y of the type: the same value, and the same bits, without what POW asks about y. Its one
 * parameter is x. */
void recipe_make_power(DType t, uint64_t y, bool fma, Recipe *r);
/* Narrow floats, for targets without instructions: F16 or BF16 bits (as U16) to F32 and back, and F64 to
 * each, each rounded once. */
bool recipe_make_convert(DType from, DType to, Recipe *r);
#endif
