/* eager_recipe.c: the steps of a recipe over blocks of elements, each step one loop of eager_kernels.c.
 *
 * Values between steps live in slots of a fixed work space on the stack; a slot is free again after the last step that reads it. Constants are spread
 * over a block where they are used, so that they hold no slot. The block is as long as the slots leave room for, so any recipe runs.
 */
#include "compiler/recipe.h"
#include "eager_parts.h"

enum { WORK_BYTES = 48 * 1024, BLOCK = 256, NO_SLOT = UINT16_MAX };

typedef struct Plan { uint16_t slot[RECIPE_MAX_STEPS], n_slots; bool used[RECIPE_MAX_STEPS]; } Plan;

static int step_arity(const Step *s) {
    return s->op == STEP_LOOKUP ? 1 : op_info[s->op].args;
}

static bool step_has_slot(const Step *s) {
    return s->op != OP_PARAMETER && s->op != OP_CONSTANT;
}

/* A step's slot is taken before those of its operands are given back: a result never overlaps an operand. */
static void plan_slots(const Recipe *r, Plan *plan) {
    uint16_t last[RECIPE_MAX_STEPS], free_slots[RECIPE_MAX_STEPS], n_free = 0;
    memset(plan->used, 0, r->n_steps);
    plan->used[r->n_steps - 1] = true;
    for (int i = r->n_steps - 1; i >= 0; i--) {
        const Step *s = &r->step[i];
        const uint16_t operand[3] = { s->a, s->b, s->c };
        for (int k = 0; plan->used[i] && k < step_arity(s); k++) {
            if (!plan->used[operand[k]]) last[operand[k]] = (uint16_t)i;
            plan->used[operand[k]] = true;
        }
    }
    plan->n_slots = 0;
    for (int i = 0; i < r->n_steps; i++) {
        const Step *s = &r->step[i];
        const uint16_t operand[3] = { s->a, s->b, s->c };
        plan->slot[i] = NO_SLOT;
        if (!plan->used[i] || !step_has_slot(s)) continue;
        plan->slot[i] = n_free ? free_slots[--n_free] : plan->n_slots++;
        for (int k = 0; k < step_arity(s); k++) {
            uint16_t o = operand[k];
            if (plan->slot[o] == NO_SLOT || last[o] != i) continue;
            free_slots[n_free++] = plan->slot[o];
            last[o] = NO_SLOT;
        }
    }
}

static void lookup(const RecipeTable *table, size_t n, const int32_t *index, void *out) {
    size_t bytes = dtype_bytes(table->dtype);
    for (size_t i = 0; i < n; i++) {
        uint32_t at = (uint32_t)index[i] < table->n ? (uint32_t)index[i] : 0;     /* lanes whose result is not used may hold anything */
        memcpy((char *)out + i * bytes, (const char *)table->data + at * bytes, bytes);
    }
}

static void run_step(const Step *s, DType operand_type, size_t n, const void *const *operand, void *out) {
    ElementLoop *kernel;
    switch (s->op) {
    case STEP_LOOKUP: lookup(recipe_table((uint32_t)s->imm), n, operand[0], out); return;
    case OP_BITCAST:  eager_copy_bytes(out, operand[0], n * dtype_bytes((DType)s->dtype)); return;
    case OP_CONVERT:  eager_convert(operand_type, (DType)s->dtype, n, operand[0], out); return;
    case OP_COMPARE:  kernel = eager_kernel_compare((CompareDir)s->imm, ORDER_FLOAT, operand_type); break;
    case OP_SELECT:   kernel = eager_kernel_select(dtype_bytes((DType)s->dtype)); break;
    default:          kernel = eager_kernel((Op)s->op, operand_type); break;
    }
    kernel(n, operand[0], operand[1], operand[2], out);
}

bool eager_recipe(const Recipe *r, size_t n, const void *const *args, void *out) {
    Plan plan;
    _Alignas(16) char work[WORK_BYTES];
    _Alignas(16) char constant[3][BLOCK * 8];
    plan_slots(r, &plan);
    size_t block = plan.n_slots ? WORK_BYTES / (8 * (size_t)plan.n_slots) & ~(size_t)1 : BLOCK;
    if (block > BLOCK) block = BLOCK;
    for (size_t start = 0; start < n; start += block) {
        size_t m = n - start < block ? n - start : block;
        for (int i = 0; i < r->n_steps; i++) {
            const Step *s = &r->step[i];
            bool is_value = i == r->n_steps - 1;
            if (!plan.used[i] || (!step_has_slot(s) && !is_value)) continue;
            const uint16_t steps[3] = { s->a, s->b, s->c };
            const void *operand[3] = { NULL, NULL, NULL };
            for (int k = 0; k < step_arity(s); k++) {
                const Step *o = &r->step[steps[k]];
                size_t bytes = dtype_bytes((DType)o->dtype);
                operand[k] = o->op == OP_PARAMETER ? (const char *)args[o->imm] + start * bytes
                           : o->op == OP_CONSTANT  ? constant[k] : work + plan.slot[steps[k]] * block * 8;
                if (o->op == OP_CONSTANT) eager_fill(bytes, m, &o->imm, constant[k]);
            }
            size_t bytes = dtype_bytes((DType)s->dtype);
            void *to = is_value ? (char *)out + start * bytes : work + plan.slot[i] * block * 8;
            if (s->op == OP_PARAMETER)     eager_copy_bytes(to, (const char *)args[s->imm] + start * bytes, m * bytes);
            else if (s->op == OP_CONSTANT) eager_fill(bytes, m, &s->imm, to);
            else                           run_step(s, (DType)r->step[s->op == OP_SELECT ? s->b : s->a].dtype, m, operand, to);
        }
    }
    return true;
}
