/* element.h: ops on parts, element by element.
 *
 *   elementwise.c   one op on one part
 *   arithmetic.c    float ops that some machines lack; softfma.c: one of them in integers
 *   extremes.c      maxima and minima
 *   convert.c       between element types
 *   recipes.c       recipes
 *   rare.c          choices that are hardly ever made
 *   quotients.c     by what lanes share
 */
#ifndef WEFT_LLVM_ELEMENT_H
#define WEFT_LLVM_ELEMENT_H
#include "compiler/llvm/emit.h"

/* The maximum or minimum of many floats while it is collected (extremes.c). If no operand is NaN, value is
 * right, but for the sign of a zero. kept: an operand that value is NaN with, or NULL; loose: one that has
 * not been compared with NaN, or NULL; looked: what the comparisons of the others said, or NULL; signs: the
 * AND (of a minimum the OR) of the operands' bits, or NULL if value has the right sign. */
typedef struct Extreme {
    LLVMValueRef value, kept, loose, looked, signs;
} Extreme;

/* elementwise.c: one part. t is the type of the operands (of the last one for SELECT), to that of the
 * result. */
void emit_op(Emitter *, Val);
LLVMValueRef op_part(Emitter *, Op, DType t, DType to, LLVMValueRef a, LLVMValueRef b, LLVMValueRef c,
                     const int64_t *attr);
LLVMValueRef op_compare(Emitter *, CompareDir, DType, LLVMValueRef a, LLVMValueRef b);
LLVMValueRef select_part(Emitter *, LLVMValueRef p, LLVMValueRef a, LLVMValueRef b);

/* arithmetic.c */
LLVMValueRef bits_and(Emitter *, LLVMValueRef a, LLVMValueRef b);
LLVMValueRef float_round(Emitter *, Op, LLVMValueRef a);
LLVMValueRef float_fma(Emitter *, LLVMValueRef a, LLVMValueRef b, LLVMValueRef c);
LLVMValueRef float_abs(Emitter *, LLVMValueRef a);
LLVMValueRef fma_by_ints(Emitter *, LLVMValueRef a, LLVMValueRef b, LLVMValueRef c); /* softfma.c */
/* a float's bits as ints of its width */
LLVMValueRef as_bits(Emitter *, LLVMValueRef a);
/* i32 and i64 to f32 and f64 */
LLVMValueRef as_float(Emitter *, LLVMValueRef bits);

/* extremes.c */
LLVMValueRef float_max_min(Emitter *, bool max, LLVMValueRef a, LLVMValueRef b);
/* the same, with fewer instructions, of two that are not NaN */
LLVMValueRef extreme_of_numbers(Emitter *, bool max, LLVMValueRef a, LLVMValueRef b);
/* fills is_inner */
void find_inner_extremes(Emitter *);
/* a maximum or minimum that is not of two values alone; false: it is */
bool emit_extreme_of_many(Emitter *, Val, Axes);
/* x86: the accumulator with one more value. The first NaN stays in it. changes: a mask, false where the value
 * is equal to the accumulator */
LLVMValueRef extreme_next(Emitter *, bool max, LLVMValueRef accumulator, LLVMValueRef x,
                          LLVMValueRef *changes);
/* Are maxima of many such values collected as an Extreme? */
bool extreme_is_collected(const Emitter *, Op, DType, uint32_t lanes);
/* of nothing yet, without a value; apart: not folded together with others */
Extreme extreme_begin(Emitter *, bool max, LLVMValueRef like, bool apart);
Extreme extreme_of_one(Emitter *, LLVMValueRef);
LLVMValueRef extreme_end(Emitter *, bool max, Extreme);
/* its steps: the value of two; all but the value, of two; the same, once per turn of a loop */
LLVMValueRef extreme_pick(Emitter *, bool max, LLVMValueRef a, LLVMValueRef b);
void extreme_look(Emitter *, bool max, Extreme *, const Extreme *);
void extreme_look_once(Emitter *, bool max, Extreme *, Extreme);
LLVMValueRef extreme_number(Emitter *, bool max, const Extreme *); /* where no NaN was met */
LLVMValueRef extreme_has_nan(Emitter *, const Extreme *);          /* a mask */

/* convert.c */
LLVMValueRef convert_part(Emitter *, DType from, DType to, LLVMValueRef a);
LLVMValueRef widen(Emitter *, DType narrow, LLVMValueRef bits); /* f16 or bf16 to f32, shared */
LLVMValueRef narrow(Emitter *, DType narrow, LLVMValueRef f32);

/* recipes.c */
/* made once per program; NULL: there is none */
/* Of statement s of k, on elements of t, or NULL. */
const Recipe *recipe_for(Emitter *, const Kernel *k, const Stmt *s, DType t);
/* Of the kernel: which recipes are functions. After find_axes. */
void count_copies(Emitter *);
void note_copies(Emitter *); /* the same, in the count of the program */
/* What the statement writes out for each of its vectors; after count_copies. */
uint32_t steps_of(Emitter *, Val);
/* A recipe over n sets of parameters at once; params[i][k] is parameter i of set k. Writes out[n].
 * branch: guards may branch. */
void emit_recipe(Emitter *, const Recipe *, LLVMValueRef *const *params, uint32_t n, LLVMValueRef *out,
                 bool branch);

/* rare.c */
enum { MAX_RARE_INPUTS = 12 };     /* into and out of a rare path; a path with more is taken always */
void find_rare_choices(Emitter *); /* after find_alike */
bool is_rarely_needed(const Emitter *, Val);
bool emit_rare_choice(Emitter *, Val); /* false: it is none */

/* quotients.c */
bool emit_quotient(Emitter *, Val, Axes); /* false: it is divided */
#endif
