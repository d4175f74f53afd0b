/* recipes.c: recipes (recipe.h) over vectors. Nothing is contracted beyond a recipe's own multiply-adds.
 *
 * Steps under one guard, a rare path, are a function of their own, called for all parts behind one branch:
 * it costs a test where it is not taken, and the time to compile it once. A choice between what the path
 * gives and what was computed before it is made in the path too: elsewhere it is what was computed before,
 * which waits in no register for a choice. What is used otherwise may be anything where the path was not
 * taken, since it is chosen only in lanes where the guard holds.
 *
 * A large recipe that would stand often in a kernel is a function too, of a few vectors, whose steps run
 * while those of the others wait: what LLVM takes for it is then the same however often it is used, and a
 * call is little beside its steps. So is any recipe that would stand very often, in the kernel or in others.
 */
#include <stdio.h>
#include "element.h"
#include "compiler/llvm/access/access.h"

enum {
    LARGE_RECIPE = 64, /* steps */
    /* Steps of a recipe's copies in a kernel; of one with more, calls stand there. A chain of 300 tanh
     * compiles in 22 ms instead of 330, and takes 1.05 of the time. Where no lanes are, a call is less still
     * beside what each waits for. */
    MOST_STEPS_HERE = 1024,
    MOST_SCALAR_STEPS_HERE = 128,
    /* The same in all other kernels, where this one is short. Ten scans of five sines compile in 28 ms
     * instead of 295. */
    MOST_STEPS_ELSEWHERE = 4096,
    MOST_VECTORS = 4, /* vectors of each operand that its function takes */
    /* Vectors that go through the steps together. More have no room in registers (a sum of 8 vectors of exp,
     * f64: 12.6 -> 10.9 us for 16384, AVX2 18.0 -> 15.7). Without multiply-adds, where they are two steps,
     * all: by 4, exp of f32 takes 1.14 of the time. */
    MOST_TOGETHER = 4,
    /* Of the function, but for two vectors; and where it serves so many elements that larger code pays for
     * the time to compile it (1,000,000 lgammas of f64: 8 % less with 4 vectors than with 2, 10 ms more to
     * compile). */
    MOST_STEPS = 512,
    LONG_LOOP = 1 << 16,
    LONG_STEPS = 8192
};

/* A rare path of a recipe as a function of its own: made once for all the parts and copies of loops that may
 * need it. */
typedef struct RareMade {
    const Recipe *recipe;
    uint32_t from, lanes;
    LLVMValueRef function;
} RareMade;
/* A large recipe as a function of n vectors of each operand, which gives as many. */
typedef struct LargeMade {
    const Recipe *recipe;
    uint32_t lanes, n;
    LLVMValueRef function;
} LargeMade;
/* A recipe, or NULL if there is none for the op. */
typedef struct RecipeMade {
    uint8_t op, dtype;
    bool is_power; /* by a constant, y */
    uint64_t y;
    const Recipe *recipe;
    uint32_t n_steps; /* that always run */
    /* In a kernel: vectors of it that would stand there, and that its function takes; do they have lanes? Is
     * it of so many elements that the time to run counts for more than that to compile? */
    uint32_t copies, at_once;
    bool has_lanes, is_long;
    /* vectors of it with short loops written out: in the kernel, and in all kernels */
    uint64_t written, in_program;
} RecipeMade;

typedef struct Recipes { /* a recipe that is being emitted */
    const Recipe *recipe;
    LLVMValueRef *const *params;
    uint32_t n;          /* parts */
    LLVMValueRef *value; /* [step * n + part] */
} Recipes;

static LLVMValueRef table_global(Emitter *e, uint32_t number)
{
    const RecipeTable *table = recipe_table(number);
    char name[32] = "weft_table_";
    LLVMValueRef *item = arena_alloc(e->arena, table->n * sizeof *item), global;
    name[11] = (char)('a' + number % 26);
    name[12] = (char)('a' + number / 26 % 26);
    if ((global = LLVMGetNamedGlobal(e->module, name))) return global;
    for (uint32_t i = 0; i < table->n; i++)
        item[i] = const_bits(
            e, table->dtype,
            scalar_load(table->dtype, (const char *)table->data + i * dtype_bytes(table->dtype)), 1);
    return private_constant(e, name, LLVMConstArray2(type_of(e, table->dtype, 1), item, table->n));
}

/* Where nothing gathers: an index is not negative, so its lane is an address without more ado. */
static LLVMValueRef lookup_lanes(Emitter *e, LLVMTypeRef element, LLVMValueRef table, LLVMValueRef index)
{
    uint32_t lanes = lanes_of(index);
    LLVMValueRef out = LLVMGetPoison(type_lanes(element, lanes));
    for (uint32_t i = 0; i < lanes; i++) {
        LLVMValueRef lane = LLVMConstInt(e->i32, i, false);
        LLVMValueRef at = LLVMBuildExtractElement(e->b, index, lane, "");
        at = LLVMBuildZExt(e->b, at, e->i64, "");
        at = LLVMBuildGEP2(e->b, element, table, &at, 1, "");
        out = LLVMBuildInsertElement(e->b, out, LLVMBuildLoad2(e->b, element, at, ""), lane, "");
    }
    return out;
}

static LLVMValueRef lookup(Emitter *e, uint32_t number, DType t, LLVMValueRef index)
{
    LLVMValueRef table = table_global(e, number);
    LLVMTypeRef element = type_of(e, t, 1);
    if (lanes_of(index) > 1 && e->target->vector_bytes < 32) return lookup_lanes(e, element, table, index);
    if (lanes_of(index) > 1) return gather(e, element, table, index, (uint32_t)dtype_bytes(t), NULL);
    return LLVMBuildLoad2(e->b, element, LLVMBuildGEP2(e->b, element, table, &index, 1, ""), "");
}

/* Recipes convert floats to ints only where the value is in range or the result is unused: no saturation. */
static LLVMValueRef step_convert(Emitter *e, DType from, DType to, LLVMValueRef a)
{
    if (!dtype_is_float(from) || !dtype_is_int(to)) return convert_part(e, from, to, a);
    LLVMTypeRef type = type_of(e, to, lanes_of(a));
    return dtype_is_signed(to) ? LLVMBuildFPToSI(e->b, a, type, "") : LLVMBuildFPToUI(e->b, a, type, "");
}

/* `lanes` lanes from number `from` on. Of a vector that has fewer all, again and again: nothing that leads
 * into a rare path. */
static LLVMValueRef lanes_from(Emitter *e, LLVMValueRef v, uint32_t from, uint32_t lanes)
{
    int lane[64];
    if (lanes_of(v) == lanes) return v;
    for (uint32_t i = 0; i < lanes; i++) lane[i] = (int)((from + i) % lanes_of(v));
    return shuffle(e, v, NULL, lane, lanes);
}

/* The first lanes of n vectors, one behind another; n is a power of 2. */
static LLVMValueRef lanes_joined(Emitter *e, LLVMValueRef *v, uint32_t n, uint32_t lanes)
{
    int lane[64];
    for (uint32_t i = 0; i < 64; i++) lane[i] = (int)i;
    for (; n > 1; n /= 2)
        for (uint32_t i = 0; i < n / 2; i++)
            v[i] = shuffle(e, v[2 * i], v[2 * i + 1], lane, 2 * lanes_of(v[2 * i]));
    return lanes_from(e, v[0], 0, lanes);
}

/* AVX-512's, of one register. */
static LLVMValueRef estimate_of_register(Emitter *e, LLVMValueRef x)
{
    bool single = type_element(LLVMTypeOf(x)) == e->f32;
    uint32_t lanes = lanes_of(x);
    char name[64];
    LLVMValueRef args[3] = { x, LLVMConstNull(LLVMTypeOf(x)), LLVMConstAllOnes(lanes > 8 ? e->i16 : e->i8) };
    snprintf(name, sizeof name, "llvm.x86.avx512.rsqrt14.p%c.%u", single ? 's' : 'd',
             lanes * (single ? 32 : 64));
    return intrinsic(e, name, NULL, 0, args, 3);
}

static LLVMValueRef estimate(Emitter *e, LLVMValueRef x)
{
    uint32_t bytes = type_element(LLVMTypeOf(x)) == e->f32 ? 4 : 8, each = lanes_of(x);
    uint32_t least = 16 / bytes, most = 64 / bytes, pieces = each > most ? each / most : 1;
    LLVMValueRef piece[64];
    if (each == 1) x = splat(e, x, least);
    for (uint32_t p = 0; p < pieces; p++)
        piece[p] = estimate_of_register(e, lanes_from(e, x, p * most,
                                                      each < least  ? least
                                                      : each > most ? most
                                                                    : each));
    if (each == 1) return LLVMBuildExtractElement(e->b, piece[0], LLVMConstInt(e->i32, 0, false), "");
    return lanes_joined(e, piece, pieces, each);
}

static LLVMValueRef step_value(Emitter *e, const Recipes *r, uint32_t at, uint32_t k)
{
    const RecipeStep *s = &r->recipe->step[at], *step = r->recipe->step;
    uint32_t lanes = lanes_of(r->params[0][k]);
    if (s->op == OP_PARAMETER) return r->params[s->imm][k];
    if (s->op == OP_CONSTANT) return const_bits(e, s->dtype, s->imm, lanes);
    LLVMValueRef v[3] = { NULL, NULL, NULL };
    for (int i = 0; i < recipe_step_args(s); i++) v[i] = r->value[s->arg[i] * r->n + k];
    if (s->op == STEP_LOOKUP) return lookup(e, (uint32_t)s->imm, s->dtype, v[0]);
    if (s->op == STEP_ESTIMATE) return estimate(e, v[0]);
    if (s->op == OP_CONVERT) return step_convert(e, step[s->arg[0]].dtype, s->dtype, v[0]);
    const int64_t attr[2] = { (int64_t)s->imm, ORDER_FLOAT };
    return op_part(e, s->op, step[s->arg[s->op == OP_SELECT]].dtype, s->dtype, v[0], v[1], v[2], attr);
}

/* Each step for all parts: none waits for another's latency, and they share what is loaded of constants. So
 * do a comparison and the choice that follows: with one value in both, they are a maximum or a minimum. */
static void emit_steps(Emitter *e, const Recipes *r, uint32_t from, uint32_t to)
{
    for (uint32_t i = from; i < to; i++) {
        pool_share(e);
        for (uint32_t k = 0; k < r->n; k++)
            if (!r->value[i * r->n + k]) r->value[i * r->n + k] = step_value(e, r, i, k);
        if (r->recipe->step[i].op != OP_COMPARE) pool_unshare(e);
        block_breathe(e, r->n);
    }
}

/* ---- vectors in pieces ---- */

/* Lanes of which a register holds the widest of the steps: where vectors have more, LLVM would take each op
 * apart. */
static uint32_t lanes_that_fit(const Emitter *e, const Recipe *r, uint32_t from, uint32_t to)
{
    uint32_t bytes = 4;
    for (uint32_t i = from; i < to; i++)
        if (r->step[i].guard == r->step[from].guard && dtype_bytes((DType)r->step[i].dtype) > bytes)
            bytes = (uint32_t)dtype_bytes((DType)r->step[i].dtype);
    return e->target->vector_bytes / bytes;
}

/* Steps that stand under one guard. */
typedef struct Run {
    uint32_t from, to;
    /* steps outside that its steps use; its steps that are used behind it. Constants are no inputs: they are
     * made where they are used. */
    uint16_t in[MAX_RARE_INPUTS], out[MAX_RARE_INPUTS];
    uint32_t n_in, n_out;
} Run;

/* Does the step behind the run choose between one of its values and one that was there before it? */
static bool is_choice(const Recipe *r, const Run *run, uint32_t step)
{
    const RecipeStep *s = &r->step[step];
    return s->op == OP_SELECT && s->arg[0] + 1u == r->step[run->from].guard && s->arg[1] >= run->from &&
           s->arg[1] < run->to && s->arg[2] < run->from;
}

/* Is the step of the run used behind it, or (others) by what is no such choice? */
static bool is_used_after(const Recipe *r, const Run *run, uint32_t step, bool others)
{
    if (step == r->n_steps - 1u) return true;
    for (uint32_t i = run->to; i < r->n_steps; i++) {
        const RecipeStep *s = &r->step[i];
        for (int k = 0; k < recipe_step_args(s); k++)
            if (s->arg[k] == step && !(others && is_choice(r, run, i))) return true;
    }
    return false;
}

static LLVMValueRef any_part(Emitter *e, const Recipes *r, uint32_t step)
{
    LLVMValueRef any = r->value[step * r->n];
    for (uint32_t k = 1; k < r->n; k++) any = LLVMBuildOr(e->b, any, r->value[step * r->n + k], "");
    return any_lane(e, any);
}

static void run_input(const Recipe *r, Run *run, uint16_t step)
{
    if ((step >= run->from && step < run->to) || r->step[step].op == OP_CONSTANT) return;
    for (uint32_t i = 0; i < run->n_in; i++)
        if (run->in[i] == step) return;
    if (run->n_in < MAX_RARE_INPUTS) run->in[run->n_in] = step;
    run->n_in++;
}

static Run run_of(const Recipe *r, uint32_t from, uint32_t to)
{
    Run run = { .from = from, .to = to };
    for (uint32_t i = from; i < to; i++) {
        const RecipeStep *s = &r->step[i];
        for (int k = 0; k < recipe_step_args(s); k++) run_input(r, &run, s->arg[k]);
        if (s->op == OP_CONSTANT || !is_used_after(r, &run, i, false)) continue;
        if (run.n_out < MAX_RARE_INPUTS) run.out[run.n_out] = (uint16_t)i;
        run.n_out++;
    }
    return run;
}

static LLVMTypeRef result_type(Emitter *e, const Recipe *r, const Run *run, uint32_t lanes)
{
    LLVMTypeRef type[MAX_RARE_INPUTS];
    for (uint32_t i = 0; i < run->n_out; i++) type[i] = type_of(e, (DType)r->step[run->out[i]].dtype, lanes);
    return run->n_out == 1 ? type[0] : LLVMStructTypeInContext(e->context, type, run->n_out, false);
}

/* The body of a rare path's function: the steps of the run on its parameters. */
static void emit_rare_body(Emitter *e, const Recipe *recipe, const Run *run, LLVMValueRef f, uint32_t lanes)
{
    LLVMValueRef any = LLVMGetPoison(type_of(e, WEFT_I32, lanes)), *params[1] = { &any };
    Recipes r = { recipe, params, 1, arena_alloc(e->arena, recipe->n_steps * sizeof(LLVMValueRef)) };
    for (uint32_t i = 0; i < recipe->n_steps; i++)
        if (recipe->step[i].op == OP_CONSTANT)
            r.value[i] = const_bits(e, recipe->step[i].dtype, recipe->step[i].imm, lanes);
    for (uint32_t i = 0; i < run->n_in; i++) r.value[run->in[i]] = LLVMGetParam(f, i);
    emit_steps(e, &r, run->from, run->to);
    LLVMValueRef all = LLVMGetPoison(result_type(e, recipe, run, lanes));
    for (uint32_t i = 0; i < run->n_out && run->n_out > 1; i++)
        all = LLVMBuildInsertValue(e->b, all, r.value[run->out[i]], i, "");
    LLVMBuildRet(e->b, run->n_out == 1 ? r.value[run->out[0]] : all);
}

/* Where the emitter was when it turned to a function beside the kernel's. */
typedef struct Outside {
    LLVMBasicBlockRef block;
    LLVMValueRef function;
    bool pooled_here;
    uint32_t block_ops;
} Outside;

static LLVMValueRef function_begin(Emitter *e, const char *name, LLVMTypeRef type, Outside *outside)
{
    LLVMValueRef f = LLVMAddFunction(e->module, name, type);
    *outside = (Outside){ block_now(e), e->function, e->pool.here, e->block_ops };
    LLVMSetLinkage(f, LLVMInternalLinkage);
    function_attributes(e, f);
    e->function = f;
    e->pool.here = false;
    e->block_ops = 0;
    LLVMPositionBuilderAtEnd(e->b, LLVMAppendBasicBlockInContext(e->context, f, "entry"));
    return f;
}

static void function_end(Emitter *e, const Outside *outside)
{
    LLVMPositionBuilderAtEnd(e->b, outside->block);
    e->function = outside->function;
    e->pool.here = outside->pooled_here;
    e->block_ops = outside->block_ops;
}

static LLVMValueRef make_rare(Emitter *e, const Recipe *recipe, const Run *run, uint32_t lanes)
{
    LLVMTypeRef type[MAX_RARE_INPUTS];
    Outside outside;
    for (uint32_t i = 0; i < run->n_in; i++)
        type[i] = type_of(e, (DType)recipe->step[run->in[i]].dtype, lanes);
    LLVMValueRef f = function_begin(
        e, "weft_rare", LLVMFunctionType(result_type(e, recipe, run, lanes), type, run->n_in, false),
        &outside);
    emit_rare_body(e, recipe, run, f, lanes);
    function_end(e, &outside);
    return f;
}

static LLVMValueRef rare_function(Emitter *e, const Recipe *recipe, const Run *run, uint32_t lanes)
{
    for (uint32_t i = 0; i < e->n_rare; i++)
        if (e->rare[i].recipe == recipe && e->rare[i].from == run->from && e->rare[i].lanes == lanes)
            return e->rare[i].function;
    LLVMValueRef f = make_rare(e, recipe, run, lanes);
    ARENA_PUSH(e->arena, e->rare, e->n_rare, e->cap_rare) = (RareMade){ recipe, run->from, lanes, f };
    return f;
}

/* Vectors that are longer than a register holds of the path's widest step come piece by piece. */
static void call_rare(Emitter *e, const Recipes *r, const Run *run)
{
    uint32_t each = lanes_of(r->params[0][0]), fit = lanes_that_fit(e, r->recipe, run->from, run->to),
             lanes = each < fit ? each : fit, pieces = each / lanes;
    LLVMValueRef f = rare_function(e, r->recipe, run, lanes), arg[MAX_RARE_INPUTS], all[64], out[64];
    for (uint32_t k = 0; k < r->n; k++) {
        for (uint32_t p = 0; p < pieces; p++) {
            for (uint32_t i = 0; i < run->n_in; i++)
                arg[i] = lanes_from(e, r->value[run->in[i] * r->n + k], p * lanes, lanes);
            all[p] = LLVMBuildCall2(e->b, LLVMGlobalGetValueType(f), f, arg, run->n_in, "");
        }
        for (uint32_t i = 0; i < run->n_out; i++) {
            for (uint32_t p = 0; p < pieces; p++)
                out[p] = run->n_out == 1 ? all[p] : LLVMBuildExtractValue(e->b, all[p], i, "");
            r->value[run->out[i] * r->n + k] = lanes_joined(e, out, pieces, each);
        }
    }
}

/* In the rare path: the choices between its values and those before it, into `chosen`. */
static void make_choices(Emitter *e, const Recipes *r, const Run *run, LLVMValueRef *chosen)
{
    for (uint32_t i = run->to; i < r->recipe->n_steps; i++)
        for (uint32_t k = 0; k < r->n && is_choice(r->recipe, run, i); k++)
            chosen[i * r->n + k] = step_value(e, r, i, k);
}

static LLVMValueRef joined(Emitter *e, LLVMValueRef usual, LLVMValueRef rare, LLVMBasicBlockRef ends[2])
{
    LLVMValueRef phi = LLVMBuildPhi(e->b, LLVMTypeOf(rare), "");
    LLVMAddIncoming(phi, (LLVMValueRef[]){ usual, rare }, ends, 2);
    return phi;
}

static void join_values(Emitter *e, const Recipes *r, const Run *run, LLVMValueRef *const chosen,
                        LLVMBasicBlockRef ends[2])
{
    const RecipeStep *step = r->recipe->step;
    for (uint32_t i = run->to * r->n; i < r->recipe->n_steps * r->n; i++)
        if (chosen[i])
            r->value[i] = joined(e, r->value[step[i / r->n].arg[2] * r->n + i % r->n], chosen[i], ends);
    for (uint32_t i = 0; i < run->n_out; i++) {
        for (uint32_t k = 0; k < r->n && is_used_after(r->recipe, run, run->out[i], true); k++) {
            LLVMValueRef *v = &r->value[run->out[i] * r->n + k];
            *v = joined(e, LLVMGetPoison(LLVMTypeOf(*v)), *v, ends);
        }
    }
}

static void emit_guarded(Emitter *e, const Recipes *r, uint32_t from, uint32_t to)
{
    Run run = run_of(r->recipe, from, to);
    LLVMValueRef any = any_part(e, r, r->recipe->step[from].guard - 1u),
                 *chosen = arena_alloc(e->arena, (size_t)r->recipe->n_steps * r->n * sizeof *chosen);
    LLVMBasicBlockRef start = block_now(e), rare = block_new(e, "rare"), join = block_new(e, "join");
    rarely(e, LLVMBuildCondBr(e->b, any, rare, join));
    LLVMMoveBasicBlockAfter(rare, start);
    LLVMPositionBuilderAtEnd(e->b, rare);
    for (uint32_t i = from; i < to; i++)
        for (uint32_t k = 0; k < r->n && r->recipe->step[i].op == OP_CONSTANT; k++)
            r->value[i * r->n + k] = step_value(e, r, i, k);
    call_rare(e, r, &run);
    make_choices(e, r, &run, chosen);
    LLVMBasicBlockRef ends[2] = { start, block_now(e) };
    block_enter(e, join);
    join_values(e, r, &run, chosen, ends);
}

static bool fits_run(const Recipe *recipe, uint32_t from, uint32_t to)
{
    Run run = run_of(recipe, from, to);
    return run.n_in <= MAX_RARE_INPUTS && run.n_out <= MAX_RARE_INPUTS;
}

static uint32_t steps_that_always_run(const Recipe *r)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < r->n_steps; i++)
        n += !r->step[i].guard && r->step[i].op != OP_CONSTANT && r->step[i].op != OP_PARAMETER;
    return n;
}

const Recipe *recipe_for(Emitter *e, const Kernel *k, const Stmt *s, DType t)
{
    Op op = (Op)s->op;
    const Stmt *by = op == OP_POW ? &k->stmts[s->args[1]] : NULL;
    bool is_power = by && by->kind == ST_CONST;
    uint64_t y = is_power ? scalar_convert(t, (DType)by->dtype, by->imm) : 0;
    for (uint32_t i = 0; i < e->n_recipes; i++) {
        const RecipeMade *m = &e->recipes[i];
        if (m->op == op && m->dtype == t && m->is_power == is_power && m->y == y && op != OP_REDUCE_PRECISION)
            return m->recipe;
    }
    Recipe *r = arena_alloc(e->arena, sizeof *r);
    bool fma = e->target->fma || e->program->mode == MODE_STRICT;
    bool has_estimates = e->has_avx512 && e->program->mode != MODE_STRICT;
    if (is_power) recipe_make_power(t, y, fma, r);
    else if (!(has_estimates && recipe_make_by_estimate(op, t, r)) && !recipe_make(op, t, s->attr, fma, r))
        r = NULL;
    ARENA_PUSH(e->arena, e->recipes, e->n_recipes, e->cap_recipes) =
        (RecipeMade){ .op = (uint8_t)op,
                      .dtype = (uint8_t)t,
                      .is_power = is_power,
                      .y = y,
                      .recipe = r,
                      .n_steps = r ? steps_that_always_run(r) : 0,
                      .at_once = 1 };
    return r;
}

static void emit_here(Emitter *e, const Recipe *recipe, LLVMValueRef *const *params, uint32_t n,
                      LLVMValueRef *out, bool branch)
{
    Recipes r = { recipe, params, n,
                  arena_alloc(e->arena, (size_t)recipe->n_steps * n * sizeof(LLVMValueRef)) };
    for (uint32_t from = 0, to; from < recipe->n_steps; from = to) {
        uint16_t guard = recipe->step[from].guard;
        for (to = from + 1; to < recipe->n_steps && recipe->step[to].guard == guard; to++) {}
        if (guard && branch && fits_run(recipe, from, to)) emit_guarded(e, &r, from, to);
        else emit_steps(e, &r, from, to);
    }
    for (uint32_t k = 0; k < n; k++) out[k] = r.value[(recipe->n_steps - 1u) * n + k];
}

/* ---- recipes that are functions ---- */

/* NULL: a conversion's, of which nothing is noted. */
static RecipeMade *made_of(const Emitter *e, const Recipe *recipe)
{
    for (uint32_t i = 0; i < e->n_recipes; i++)
        if (e->recipes[i].recipe == recipe) return &e->recipes[i];
    return NULL;
}

static bool is_called(const RecipeMade *m)
{
    if (!m) return false;
    uint32_t most = m->has_lanes ? MOST_STEPS_HERE : MOST_SCALAR_STEPS_HERE;
    bool is_often = (uint64_t)m->copies * m->n_steps > most;
    if (m->copies > m->at_once && (is_often || m->n_steps >= LARGE_RECIPE)) return true;
    return !m->is_long && (m->in_program - m->written) * m->n_steps > MOST_STEPS_ELSEWHERE;
}

/* Vectors of what is left over of a loop, whose body stands there once more for them. */
static uint32_t tiles_left(const Stmt *loop)
{
    int64_t left = loop->extent % ((int64_t)loop->lanes * loop->tile);
    return loop->extent == EXTENT_WHILE ? 0 : (uint32_t)((left + loop->lanes - 1) / loop->lanes);
}

/* Of a recipe's statement in the loops from depth 0 on. */
static void add_copies(const Emitter *e, RecipeMade *m, Axes varies, const Stmt *const *loop, uint32_t depth)
{
    uint32_t full = 1, all = 1, lanes = 1;
    bool in_lanes = false;
    uint64_t times = 1; /* that loops are written out */
    double runs = 1;
    for (uint32_t d = 0; d < depth; d++) {
        if (loop[d]->extent > 0 && worth_unrolling(e, (Val)(loop[d] - e->kernel->stmts), in_lanes))
            times *= (uint64_t)loop[d]->extent;
        in_lanes |= loop[d]->lanes > 1;
        if (loop[d]->extent != EXTENT_WHILE) runs *= (double)loop[d]->extent;
        if (!(varies >> d & 1)) continue;
        full *= loop[d]->tile;
        all *= loop[d]->tile + tiles_left(loop[d]);
        lanes *= loop[d]->lanes;
    }
    uint32_t pieces = lanes > lanes_that_fit(e, m->recipe, 0, m->recipe->n_steps)
                          ? lanes / lanes_that_fit(e, m->recipe, 0, m->recipe->n_steps)
                          : 1,
             most = runs < LONG_LOOP ? MOST_STEPS : LONG_STEPS, n = m->at_once;
    while (n < full * pieces && n < MOST_VECTORS && (n < 2 || 2 * n * m->n_steps <= most)) n *= 2;
    m->at_once = n;
    m->copies += all * pieces;
    m->written += all * pieces * times;
    m->has_lanes |= lanes > 1;
    m->is_long |= runs * e->runs >= LONG_LOOP;
}

/* How often each recipe would stand in the kernel. */
void count_copies(Emitter *e)
{
    const Kernel *k = e->kernel;
    const Stmt *loop[MAX_LOOP_DEPTH];
    uint32_t depth = 0;
    for (uint32_t i = 0; i < e->n_recipes; i++) {
        e->recipes[i].copies = 0;
        e->recipes[i].at_once = 1;
        e->recipes[i].has_lanes = e->recipes[i].is_long = false;
        e->recipes[i].written = 0;
    }
    for (Val v = 0; v < k->n_stmts; v++) {
        const Stmt *s = &k->stmts[v];
        if (s->kind == ST_LOOP) loop[depth++] = s;
        if (s->kind == ST_END) depth--;
        if (s->kind != ST_OP) continue;
        DType t = compute_type((DType)k->stmts[s->args[0]].dtype);
        const Recipe *r = recipe_exists((Op)s->op, t) ? recipe_for(e, k, s, t) : NULL;
        if (r) add_copies(e, made_of(e, r), e->varies[v], loop, depth);
    }
}

void note_copies(Emitter *e)
{
    for (uint32_t i = 0; i < e->n_recipes; i++) e->recipes[i].in_program += e->recipes[i].written;
}

uint32_t steps_of(Emitter *e, Val at)
{
    const Stmt *s = &e->kernel->stmts[at];
    DType t = s->kind == ST_OP ? compute_type((DType)e->kernel->stmts[s->args[0]].dtype) : WEFT_BOOL;
    const Recipe *r = s->kind == ST_OP && recipe_exists((Op)s->op, t) ? recipe_for(e, e->kernel, s, t) : NULL;
    return !r || is_called(made_of(e, r)) ? 1 : steps_that_always_run(r);
}

/* params[i] has an element of the parameter's type. */
static LLVMValueRef make_large(Emitter *e, const Recipe *recipe, LLVMValueRef *const *params, uint32_t lanes,
                               uint32_t n)
{
    LLVMTypeRef type[3 * MOST_VECTORS], result[MOST_VECTORS];
    LLVMValueRef param[3 * MOST_VECTORS], *inside[3], out[MOST_VECTORS];
    Outside outside;
    for (uint32_t i = 0; i < recipe->n_params * n; i++)
        type[i] = type_lanes(type_element(LLVMTypeOf(params[i / n][0])), lanes);
    for (uint32_t k = 0; k < n; k++)
        result[k] = type_of(e, (DType)recipe->step[recipe->n_steps - 1u].dtype, lanes);
    LLVMTypeRef all = LLVMStructTypeInContext(e->context, result, n, false);
    LLVMValueRef f =
        function_begin(e, "weft_recipe", LLVMFunctionType(all, type, recipe->n_params * n, false), &outside);
    LLVMGetParams(f, param);
    for (uint32_t i = 0; i < recipe->n_params; i++) inside[i] = &param[i * n];
    emit_here(e, recipe, inside, n, out, true);
    LLVMBuildAggregateRet(e->b, out, n);
    function_end(e, &outside);
    return f;
}

static LLVMValueRef large_function(Emitter *e, const Recipe *recipe, LLVMValueRef *const *params,
                                   uint32_t lanes, uint32_t n)
{
    for (uint32_t i = 0; i < e->n_large; i++)
        if (e->large[i].recipe == recipe && e->large[i].lanes == lanes && e->large[i].n == n)
            return e->large[i].function;
    LLVMValueRef f = make_large(e, recipe, params, lanes, n);
    ARENA_PUSH(e->arena, e->large, e->n_large, e->cap_large) = (LargeMade){ recipe, lanes, n, f };
    return f;
}

/* What a call has no vectors for it gets the first again. */
static void call_large(Emitter *e, const RecipeMade *m, LLVMValueRef *const *params, uint32_t n_parts,
                       LLVMValueRef *out)
{
    uint32_t each = lanes_of(params[0][0]),
             lanes = each == 1 ? 1 : lanes_that_fit(e, m->recipe, 0, m->recipe->n_steps),
             per_part = each > lanes ? each / lanes : 1, n = m->at_once, n_pieces = n_parts * per_part,
             n_args = m->recipe->n_params * n;
    LLVMValueRef f = large_function(e, m->recipe, params, lanes, n), arg[3 * MOST_VECTORS],
                 *piece = arena_alloc(e->arena, (n_pieces + n) * sizeof *piece);
    for (uint32_t at = 0; at < n_pieces; at += n) {
        for (uint32_t i = 0; i < n_args; i++) {
            uint32_t k = at + i % n < n_pieces ? at + i % n : at;
            arg[i] = lanes_from(e, params[i / n][k / per_part], k % per_part * lanes, lanes);
        }
        LLVMValueRef all = LLVMBuildCall2(e->b, LLVMGlobalGetValueType(f), f, arg, n_args, "");
        for (uint32_t k = 0; k < n; k++) piece[at + k] = LLVMBuildExtractValue(e->b, all, k, "");
    }
    for (uint32_t k = 0; k < n_parts; k++) out[k] = lanes_joined(e, &piece[k * per_part], per_part, each);
}

void emit_recipe(Emitter *e, const Recipe *recipe, LLVMValueRef *const *params, uint32_t n, LLVMValueRef *out,
                 bool branch)
{
    const RecipeMade *m = made_of(e, recipe);
    uint32_t most = e->target->fma ? MOST_TOGETHER : n;
    if (is_called(m)) {
        call_large(e, m, params, n, out);
        return;
    }
    for (uint32_t k = 0; k < n; k += most) {
        LLVMValueRef *from[MAX_RARE_INPUTS];
        for (uint32_t i = 0; i < recipe->n_params; i++) from[i] = params[i] + k;
        emit_here(e, recipe, from, n - k < most ? n - k : most, out + k, branch);
    }
}
