/* extremes.c: maxima and minima of floats. A NaN among the operands comes out, whichever, and -0 is less than
 * +0. x86's own instructions do neither: of two zeros, or where one operand is NaN, they give the second.
 *
 * Signs. The maximum is negative if both operands are, the minimum if either is: -0 counts as negative. So
 * the AND of all signs (OR for minima) corrects the sign of a zero. AVX-512 has an instruction that
 * does (range), but it drops NaN.
 *
 * NaN. A NaN in the second operand stays, so of two operands only the first is looked at. Where many are
 * collected, in chains and reductions, they are compared apart from their maxima, two by one instruction, and
 * a NaN is put in at the end. In a chain the first one, which is the second operand of each instruction,
 * needs no look.
 */
#include <math.h>
#include <stdio.h>
#include "element.h"

static bool is_f32(const Emitter *e, LLVMValueRef v) { return type_element(LLVMTypeOf(v)) == e->f32; }

/* A constant that is no NaN, the same in all lanes. */
static bool is_plain_constant(LLVMValueRef v, bool *is_zero)
{
    LLVMBool loses;
    LLVMValueRef lane = constant_lane(v);
    if (!lane || !LLVMIsAConstantFP(lane)) return false;
    double d = LLVMConstRealGetDouble(lane, &loses);
    *is_zero = d == 0;
    return d == d;
}

static LLVMValueRef nan_like(Emitter *e, LLVMValueRef like) { return number_like(e, like, NAN); }

/* ---- of two numbers ---- */

/* x86's instruction */
static LLVMValueRef machine_extreme(Emitter *e, bool max, LLVMValueRef a, LLVMValueRef b)
{
    LLVMValueRef takes = LLVMBuildFCmp(e->b, max ? LLVMRealOGT : LLVMRealOLT, a, b, "");
    return LLVMBuildSelect(e->b, takes, a, b, "");
}

/* Is there an instruction that orders zeros, for such vectors? */
static bool has_range(const Emitter *e, LLVMValueRef v)
{
    uint32_t lanes = lanes_of(v), bytes = lanes * (is_f32(e, v) ? 4 : 8);
    return e->has_avx512 && lanes > 1 && bytes >= 16 && bytes <= 64;
}

/* An AVX-512 instruction that takes any lanes, here all of them: its name without type and width, and its
 * operands. */
static LLVMValueRef in_all_lanes(Emitter *e, const char *stem, LLVMValueRef *operands, unsigned n)
{
    char name[64];
    LLVMValueRef args[6];
    uint32_t lanes = lanes_of(operands[0]), bits = lanes * (is_f32(e, operands[0]) ? 32 : 64);
    snprintf(name, sizeof name, "llvm.x86.avx512.mask.%s.p%c.%u", stem, is_f32(e, operands[0]) ? 's' : 'd',
             bits);
    for (unsigned i = 0; i < n; i++) args[i] = operands[i];
    args[n++] = LLVMConstAllOnes(lanes > 8 ? e->i16 : e->i8);
    if (bits == 512) args[n++] = LLVMConstInt(e->i32, 4, false); /* exceptions as they are */
    return intrinsic(e, name, NULL, 0, args, n);
}

/* imm: 0 minimum, 1 maximum, 4: the sign comes from the comparison */
static LLVMValueRef range(Emitter *e, bool max, LLVMValueRef a, LLVMValueRef b)
{
    return in_all_lanes(e, "range", (LLVMValueRef[]){ a, b, LLVMConstInt(e->i32, max ? 5 : 4, false), a }, 4);
}

/* into, but the machine's own NaN where x is one. The table says by digits what comes out for each kind of x:
 * 3 that NaN, 0 what is there already. */
static LLVMValueRef put_nan(Emitter *e, LLVMValueRef into, LLVMValueRef x)
{
    LLVMValueRef table = const_like(e, as_bits(e, x), 0x33);
    return in_all_lanes(e, "fixupimm", (LLVMValueRef[]){ into, x, table, LLVMConstInt(e->i32, 0, false) }, 4);
}

/* m with the sign bit cleared where that of signs is (maximum), or set where it is */
static LLVMValueRef with_sign(Emitter *e, bool max, LLVMValueRef m, LLVMValueRef signs)
{
    LLVMValueRef bits = as_bits(e, m), sign = const_like(e, bits, (uint64_t)1 << (width_of(bits) - 1));
    if (max) bits = LLVMBuildAnd(e->b, bits, LLVMBuildOr(e->b, signs, LLVMBuildNot(e->b, sign, ""), ""), "");
    else bits = LLVMBuildOr(e->b, bits, LLVMBuildAnd(e->b, signs, sign, ""), "");
    return as_float(e, bits);
}

LLVMValueRef extreme_of_numbers(Emitter *e, bool max, LLVMValueRef a, LLVMValueRef b)
{
    if (!e->is_x86) return intrinsic2(e, max ? "llvm.maximum" : "llvm.minimum", a, b);
    if (has_range(e, a)) return range(e, max, a, b);
    return with_sign(e, max, machine_extreme(e, max, a, b), as_bits(e, a));
}

/* ---- of two ---- */

static LLVMValueRef compare_with_nan(Emitter *e, LLVMValueRef a, LLVMValueRef b)
{
    return LLVMBuildFCmp(e->b, LLVMRealUNO, a, b, "");
}

/* all ones, which is a NaN, in the lanes where a or b is NaN */
static LLVMValueRef nan_lanes(Emitter *e, LLVMValueRef a, LLVMValueRef b)
{
    return LLVMBuildSExt(e->b, compare_with_nan(e, a, b), LLVMTypeOf(as_bits(e, a)), "");
}

/* m, but NaN where x is, always the same one. */
static LLVMValueRef with_nan_of(Emitter *e, LLVMValueRef m, LLVMValueRef x)
{
    if (has_range(e, x)) return put_nan(e, m, x);
    return as_float(e, LLVMBuildOr(e->b, as_bits(e, m), nan_lanes(e, x, x), ""));
}

static LLVMValueRef of_constant(Emitter *e, bool max, LLVMValueRef constant, bool is_zero, LLVMValueRef x)
{
    LLVMValueRef m = machine_extreme(e, max, pooled(e, constant), x);
    return is_zero ? with_sign(e, max, m, as_bits(e, constant)) : m;
}

/* A scalar as the first lane of a vector: its bits stay in a float's register. */
static LLVMValueRef as_lane(Emitter *e, LLVMValueRef x)
{
    LLVMTypeRef t = type_lanes(LLVMTypeOf(x), is_f32(e, x) ? 4 : 2);
    return LLVMBuildInsertElement(e->b, LLVMGetPoison(t), x, LLVMConstInt(e->i32, 0, false), "");
}

LLVMValueRef float_max_min(Emitter *e, bool max, LLVMValueRef a, LLVMValueRef b)
{
    bool is_zero = false;
    if (!e->is_x86) return extreme_of_numbers(e, max, a, b);
    if (is_plain_constant(a, &is_zero)) return of_constant(e, max, a, is_zero, b);
    if (is_plain_constant(b, &is_zero)) return of_constant(e, max, b, is_zero, a);
    if (lanes_of(a) == 1) {
        LLVMValueRef m = float_max_min(e, max, as_lane(e, a), as_lane(e, b));
        return LLVMBuildExtractElement(e->b, m, LLVMConstInt(e->i32, 0, false), "");
    }
    LLVMValueRef m = with_sign(e, max, machine_extreme(e, max, a, b), as_bits(e, a));
    return with_nan_of(e, m, a);
}

LLVMValueRef extreme_next(Emitter *e, bool max, LLVMValueRef accumulator, LLVMValueRef x,
                          LLVMValueRef *changes)
{
    LLVMValueRef m = with_nan_of(e, machine_extreme(e, max, x, accumulator), x);
    *changes = LLVMBuildICmp(e->b, LLVMIntNE, as_bits(e, m), as_bits(e, accumulator), "");
    return m;
}

/* ---- of many ---- */

bool extreme_is_collected(const Emitter *e, Op op, DType t, uint32_t lanes)
{
    return e->is_x86 && (op == OP_MAX || op == OP_MIN) && dtype_is_float(t) && lanes > 1;
}

/* What is known of lanes: with AVX-512 a mask of those where all are numbers, which its comparisons narrow as
 * they go; else all ones where one is NaN. */
static LLVMValueRef look_for_nan(Emitter *e, LLVMValueRef a, LLVMValueRef b)
{
    return e->has_avx512 ? LLVMBuildFCmp(e->b, LLVMRealORD, a, b, "") : nan_lanes(e, a, b);
}

static LLVMValueRef joined_looks(Emitter *e, LLVMValueRef a, LLVMValueRef b)
{
    if (!a || !b) return a ? a : b;
    return e->has_avx512 ? LLVMBuildAnd(e->b, a, b, "") : LLVMBuildOr(e->b, a, b, "");
}

static LLVMValueRef joined_signs(Emitter *e, bool max, LLVMValueRef a, LLVMValueRef b)
{
    if (!a || !b) return NULL;
    return max ? bits_and(e, a, b) : LLVMBuildOr(e->b, a, b, "");
}

Extreme extreme_begin(Emitter *e, bool max, LLVMValueRef like, bool apart)
{
    LLVMValueRef bits = as_bits(e, like), zeros = LLVMConstNull(LLVMTypeOf(bits)),
                 ones = LLVMConstAllOnes(LLVMTypeOf(bits));
    uint32_t lanes = lanes_of(like);
    if (has_range(e, like))
        return (Extreme){ .looked = apart ? as_float(e, zeros) : const_mask(e, lanes, lanes) };
    return (Extreme){ .looked = e->has_avx512 ? const_mask(e, lanes, lanes) : zeros,
                      .signs = max ? ones : zeros };
}

/* There are few registers for masks, and narrowing one takes long where nothing else is done in between. So
 * accumulators that are not folded together keep a NaN that they met as a number. */
static bool keeps_nan(const Emitter *e, LLVMValueRef looked)
{
    LLVMTypeRef t = type_element(LLVMTypeOf(looked));
    return t == e->f32 || t == e->f64;
}

Extreme extreme_of_one(Emitter *e, LLVMValueRef x)
{
    bool is_zero;
    return (Extreme){ .value = x,
                      .loose = is_plain_constant(x, &is_zero) ? NULL : x,
                      .signs = has_range(e, x) ? NULL : as_bits(e, x) };
}

LLVMValueRef extreme_pick(Emitter *e, bool max, LLVMValueRef a, LLVMValueRef b)
{
    return has_range(e, a) ? range(e, max, a, b) : machine_extreme(e, max, a, b);
}

/* x may be NULL. */
static void look_at(Emitter *e, Extreme *a, LLVMValueRef x)
{
    LLVMValueRef other = a->loose;
    if (!x) return;
    a->loose = other ? NULL : x;
    if (other) a->looked = joined_looks(e, a->looked, look_for_nan(e, other, x));
}

void extreme_look(Emitter *e, bool max, Extreme *a, const Extreme *b)
{
    a->looked = joined_looks(e, a->looked, b->looked);
    a->signs = joined_signs(e, max, a->signs, b->signs);
    look_at(e, a, b->loose);
}

/* In a chain: a comes first. */
static Extreme joined_extremes(Emitter *e, bool max, Extreme a, Extreme b)
{
    a.value = extreme_pick(e, max, b.value, a.value);
    look_at(e, &b, b.kept);
    extreme_look(e, max, &a, &b);
    return a;
}

static void look_at_rest(Emitter *e, Extreme *a) { look_at(e, a, a->loose); }

void extreme_look_once(Emitter *e, bool max, Extreme *all, Extreme met)
{
    if (keeps_nan(e, all->looked)) {
        if (met.loose) all->looked = put_nan(e, all->looked, met.loose);
        if (met.looked)
            all->looked = LLVMBuildSelect(e->b, met.looked, all->looked, nan_like(e, all->looked), "");
        return;
    }
    look_at_rest(e, &met);
    extreme_look(e, max, all, &met);
}

LLVMValueRef extreme_number(Emitter *e, bool max, const Extreme *a)
{
    return a->signs ? with_sign(e, max, a->value, a->signs) : a->value;
}

LLVMValueRef extreme_has_nan(Emitter *e, const Extreme *a)
{
    if (e->has_avx512) return LLVMBuildNot(e->b, a->looked, "");
    return LLVMBuildICmp(e->b, LLVMIntSLT, a->looked, LLVMConstNull(LLVMTypeOf(a->looked)), "");
}

LLVMValueRef extreme_end(Emitter *e, bool max, Extreme a)
{
    look_at_rest(e, &a);
    LLVMValueRef m = extreme_number(e, max, &a), bits = as_bits(e, m);
    if (!a.looked) return m; /* of constants */
    if (keeps_nan(e, a.looked)) return put_nan(e, m, a.looked);
    if (e->has_avx512) return LLVMBuildSelect(e->b, a.looked, m, nan_like(e, m), "");
    return as_float(e, LLVMBuildOr(e->b, bits, a.looked, ""));
}

/* ---- chains ---- */

static bool is_float_extreme(const Stmt *s)
{
    return s->kind == ST_OP && (s->op == OP_MAX || s->op == OP_MIN) && dtype_is_float(s->dtype);
}

/* The one statement that reads each value, or VAL_NONE, and the loop around each statement. */
typedef struct Readers {
    Val *reader, *loop;
    bool *has_many;
} Readers;

static void note_reader(Readers *r, Val of, Val by)
{
    if (of == VAL_NONE) return;
    r->has_many[of] |= r->reader[of] != VAL_NONE;
    r->reader[of] = by;
}

static Readers find_readers(Emitter *e)
{
    const Kernel *k = e->kernel;
    Val open[MAX_LOOP_DEPTH + 1] = { VAL_NONE };
    int depth = 0;
    Readers r = { .reader = arena_alloc(e->arena, (k->n_stmts + 1) * sizeof(Val)),
                  .loop = arena_alloc(e->arena, (k->n_stmts + 1) * sizeof(Val)),
                  .has_many = arena_alloc(e->arena, (k->n_stmts + 1) * sizeof(bool)) };
    for (Val v = 0; v < k->n_stmts; v++) {
        const Stmt *s = &k->stmts[v];
        if (s->kind == ST_END) depth--;
        r.reader[v] = VAL_NONE;
        r.loop[v] = open[depth];
        for (int i = 0; i < 3; i++) note_reader(&r, s->args[i], v);
        for (uint32_t t = 0; t < s->address.n_terms; t++) note_reader(&r, s->address.terms[t].of, v);
        if (s->kind == ST_LOOP) open[++depth] = v;
    }
    return r;
}

/* One that is computed less often than what reads it keeps a value of its own. */
void find_inner_extremes(Emitter *e)
{
    const Stmt *stmts = e->kernel->stmts;
    Readers r = find_readers(e);
    e->is_inner = arena_alloc(e->arena, (e->kernel->n_stmts + 1) * sizeof *e->is_inner);
    for (Val v = 0; v < e->kernel->n_stmts; v++) {
        Val by = r.reader[v];
        e->is_inner[v] = by != VAL_NONE && !r.has_many[v] && is_float_extreme(&stmts[v]) &&
                         is_float_extreme(&stmts[by]) && stmts[v].op == stmts[by].op &&
                         stmts[v].dtype == stmts[by].dtype && r.loop[v] == r.loop[by] &&
                         e->varies[v] == e->varies[by];
    }
}

static Extreme operand_extreme(Emitter *e, Val at, Axes axes, uint32_t part)
{
    const Value *v = value_of(e, at);
    if (v->extreme) return v->extreme[part_project(e, axes, part, v->axes)];
    LLVMValueRef x = operand(e, at, axes, part);
    Extreme one = extreme_of_one(e, dtype_is_narrow_float(v->dtype) ? widen(e, v->dtype, x) : x);
    if (!has_range(e, one.value)) one.kept = one.loose, one.loose = NULL;
    return one;
}

bool emit_extreme_of_many(Emitter *e, Val at, Axes axes)
{
    const Stmt *s = &e->kernel->stmts[at];
    bool max = s->op == OP_MAX, inner = e->is_inner[at];
    if (!is_float_extreme(s) || !extreme_is_collected(e, s->op, s->dtype, axes_lanes(e, axes))) return false;
    if (!inner && !value_of(e, s->args[0])->extreme && !value_of(e, s->args[1])->extreme) return false;
    Value *out = value_new(e, at, s->dtype, axes);
    if (inner) out->extreme = arena_alloc(e->arena, out->n * sizeof *out->extreme);
    for (uint32_t k = 0; k < out->n; k++) {
        Extreme m = joined_extremes(e, max, operand_extreme(e, s->args[0], axes, k),
                                    operand_extreme(e, s->args[1], axes, k));
        if (inner) {
            out->extreme[k] = m;
            continue;
        }
        LLVMValueRef v = extreme_end(e, max, m);
        out->part[k] = dtype_is_narrow_float(s->dtype) ? narrow(e, s->dtype, v) : v;
    }
    block_breathe(e, out->n);
    return true;
}
