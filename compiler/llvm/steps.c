/* steps.c: recipes (recipe.h) over vectors. Nothing is contracted: their multiply-adds are where they say.
 *
 * Steps under one guard are emitted once for all parts behind one branch: rare paths cost a test. What they give is joined with "anything" from
 * the path around them, since it is chosen only in lanes where the guard holds.
 */
#include "emit.h"

typedef struct Recipes {                    /* one recipe on its way */
    const Recipe *recipe;
    LLVMValueRef *const *params;
    uint32_t n;                             /* parts */
    LLVMValueRef *value;                    /* [step * n + part] */
} Recipes;

static int step_args(const Step *s)
{
    if (s->op == STEP_LOOKUP) return 1;
    if (s->op == OP_PARAMETER || s->op == OP_CONSTANT) return 0;
    return op_info[s->op].args;
}

static LLVMValueRef table_global(Emitter *e, uint32_t number)
{
    const RecipeTable *table = recipe_table(number);
    char name[32] = "weft_table_";
    LLVMValueRef *item = arena_alloc(e->arena, table->n * sizeof *item), global;
    name[11] = (char)('a' + number % 26);
    name[12] = (char)('a' + number / 26 % 26);
    if ((global = LLVMGetNamedGlobal(e->module, name))) return global;
    for (uint32_t i = 0; i < table->n; i++)
        item[i] = const_bits(e, table->dtype, scalar_load(table->dtype, (const char *)table->data + i * dtype_bytes(table->dtype)), 1);
    LLVMTypeRef element = type_of(e, table->dtype, 1);
    global = LLVMAddGlobal(e->module, LLVMArrayType2(element, table->n), name);
    LLVMSetInitializer(global, LLVMConstArray2(element, item, table->n));
    LLVMSetLinkage(global, LLVMPrivateLinkage);
    LLVMSetGlobalConstant(global, true);
    LLVMSetAlignment(global, 64);
    return global;
}

static LLVMValueRef lookup(Emitter *e, uint32_t number, DType t, LLVMValueRef index)
{
    LLVMValueRef table = table_global(e, number);
    LLVMTypeRef element = type_of(e, t, 1);
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

static LLVMValueRef step_value(Emitter *e, const Recipes *r, uint32_t at, uint32_t k)
{
    const Step *s = &r->recipe->step[at], *step = r->recipe->step;
    uint32_t lanes = lanes_of(r->params[0][k]);
    if (s->op == OP_PARAMETER) return r->params[s->imm][k];
    if (s->op == OP_CONSTANT) return const_bits(e, s->dtype, s->imm, lanes);
    int n_args = step_args(s);
    LLVMValueRef a = r->value[s->a * r->n + k], b = n_args > 1 ? r->value[s->b * r->n + k] : NULL, c = n_args > 2 ? r->value[s->c * r->n + k] : NULL;
    if (s->op == STEP_LOOKUP) return lookup(e, (uint32_t)s->imm, s->dtype, a);
    if (s->op == OP_CONVERT) return step_convert(e, step[s->a].dtype, s->dtype, a);
    const int64_t attr[2] = { (int64_t)s->imm, ORDER_FLOAT };
    return op_part(e, s->op, step[s->op == OP_SELECT ? s->b : s->a].dtype, s->dtype, a, b, c, attr, FLAGS_NONE);
}

static void emit_steps(Emitter *e, const Recipes *r, uint32_t from, uint32_t to)
{
    for (uint32_t k = 0; k < r->n; k++) {
        for (uint32_t i = from; i < to; i++) {
            r->value[i * r->n + k] = step_value(e, r, i, k);
            block_breathe(e, 1);
        }
    }
}

static bool is_used_after(const Recipe *r, uint32_t step, uint32_t from)
{
    if (step == r->n_steps - 1u) return true;
    for (uint32_t i = from; i < r->n_steps; i++) {
        const Step *s = &r->step[i];
        int n = step_args(s);
        if ((n > 0 && s->a == step) || (n > 1 && s->b == step) || (n > 2 && s->c == step)) return true;
    }
    return false;
}

static void rarely(Emitter *e, LLVMValueRef branch)
{
    LLVMMetadataRef words[3] = { LLVMMDStringInContext2(e->context, "branch_weights", 14),
                                 LLVMValueAsMetadata(LLVMConstInt(e->i32, 1, false)), LLVMValueAsMetadata(LLVMConstInt(e->i32, 2000, false)) };
    LLVMSetMetadata(branch, LLVMGetMDKindIDInContext(e->context, "prof", 4),
                    LLVMMetadataAsValue(e->context, LLVMMDNodeInContext2(e->context, words, 3)));
}

static LLVMValueRef any_part(Emitter *e, const Recipes *r, uint32_t step)
{
    LLVMValueRef any = r->value[step * r->n];
    for (uint32_t k = 1; k < r->n; k++) any = LLVMBuildOr(e->b, any, r->value[step * r->n + k], "");
    return any_lane(e, any);
}

static void emit_guarded(Emitter *e, const Recipes *r, uint32_t from, uint32_t to)
{
    LLVMValueRef any = any_part(e, r, r->recipe->step[from].guard - 1u);
    LLVMBasicBlockRef start = block_now(e), rare = block_new(e, "rare"), join = block_new(e, "join");
    rarely(e, LLVMBuildCondBr(e->b, any, rare, join));
    LLVMMoveBasicBlockAfter(rare, start);
    LLVMPositionBuilderAtEnd(e->b, rare);
    e->pool.here = e->pool.base;
    emit_steps(e, r, from, to);
    e->pool.here = e->pool.everywhere;
    LLVMBasicBlockRef ends[2] = { start, block_now(e) };
    block_enter(e, join);
    for (uint32_t i = from; i < to; i++) {
        if (r->recipe->step[i].op == OP_CONSTANT || !is_used_after(r->recipe, i, to)) continue;
        for (uint32_t k = 0; k < r->n; k++) {
            LLVMValueRef *v = &r->value[i * r->n + k];
            LLVMTypeRef type = LLVMTypeOf(*v);
            LLVMValueRef phi = LLVMBuildPhi(e->b, type, "");
            LLVMAddIncoming(phi, (LLVMValueRef[]){ LLVMGetPoison(type), *v }, ends, 2);
            *v = phi;
        }
    }
}

void emit_recipe(Emitter *e, const Recipe *recipe, LLVMValueRef *const *params, uint32_t n, LLVMValueRef *out, bool branch)
{
    Recipes r = { recipe, params, n, arena_alloc(e->arena, (size_t)recipe->n_steps * n * sizeof(LLVMValueRef)) };
    for (uint32_t from = 0, to; from < recipe->n_steps; from = to) {
        uint16_t guard = recipe->step[from].guard;
        for (to = from + 1; to < recipe->n_steps && recipe->step[to].guard == guard; to++) {}
        if (guard && branch) emit_guarded(e, &r, from, to);
        else emit_steps(e, &r, from, to);
    }
    for (uint32_t k = 0; k < n; k++) out[k] = r.value[(recipe->n_steps - 1u) * n + k];
}
