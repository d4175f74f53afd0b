/* eager_recipe.c: the steps of a recipe over blocks of elements, each step one loop of kernels.c.
 *
 * Values between steps live in slots of a fixed work space on the stack; a slot is free again after the last
 * step that reads it. Constants are spread over a block where they are used, so that they hold no slot. The
 * block is as long as the slots leave room for, so any recipe runs. A rare path is skipped where no element
 * of the block needs it: no SELECT chooses its values there.
 */
#include "compiler/scalar/recipe.h"
#include "eager.h"

enum { WORK_BYTES = 48 * 1024, BLOCK = 256, NO_SLOT = UINT16_MAX };

typedef struct SlotPlan {
    uint16_t slot[RECIPE_MAX_STEPS], n_slots;
    bool used[RECIPE_MAX_STEPS];
} SlotPlan;

static bool step_has_slot(const RecipeStep *s) { return s->op != OP_PARAMETER && s->op != OP_CONSTANT; }

/* The steps that must still be there when s runs: its operands and its guard. */
static int step_needs(const RecipeStep *s, uint16_t need[4])
{
    int n = recipe_step_args(s);
    memcpy(need, s->arg, sizeof s->arg);
    if (s->guard) need[n++] = s->guard - 1;
    return n;
}

/* last[i]: the last step that needs step i. */
static void find_uses(const Recipe *r, SlotPlan *plan, uint16_t *last)
{
    uint16_t need[4];
    memset(plan->used, 0, r->n_steps);
    plan->used[r->n_steps - 1] = true;
    for (int i = r->n_steps - 1; i >= 0; i--)
        for (int k = plan->used[i] ? step_needs(&r->step[i], need) : 0; k-- > 0;) {
            if (!plan->used[need[k]]) last[need[k]] = (uint16_t)i;
            plan->used[need[k]] = true;
        }
}

/* A step's slot is taken before those of its operands are given back: a result never overlaps an operand. */
static void plan_slots(const Recipe *r, SlotPlan *plan)
{
    uint16_t last[RECIPE_MAX_STEPS], free_slots[RECIPE_MAX_STEPS], n_free = 0, need[4];
    find_uses(r, plan, last);
    plan->n_slots = 0;
    for (int i = 0; i < r->n_steps; i++) {
        plan->slot[i] = NO_SLOT;
        if (!plan->used[i] || !step_has_slot(&r->step[i])) continue;
        plan->slot[i] = n_free ? free_slots[--n_free] : plan->n_slots++;
        for (int k = step_needs(&r->step[i], need); k-- > 0;) {
            uint16_t o = need[k];
            if (plan->slot[o] == NO_SLOT || last[o] != i) continue;
            free_slots[n_free++] = plan->slot[o];
            last[o] = NO_SLOT;
        }
    }
}

static void lookup(const RecipeTable *table, size_t n, const int32_t *index, void *out)
{
    size_t bytes = dtype_bytes(table->dtype);
    for (size_t i = 0; i < n; i++) {
        /* lanes whose result is not used may hold anything */
        uint32_t at = (uint32_t)index[i] < table->n ? (uint32_t)index[i] : 0;
        memcpy((char *)out + i * bytes, (const char *)table->data + at * bytes, bytes);
    }
}

static void run_step(const RecipeStep *s, DType operand_type, size_t n, const void *const *operand, void *out)
{
    const int64_t attr[2] = { (int64_t)s->imm, ORDER_FLOAT };
    switch (s->op) {
    case STEP_LOOKUP: lookup(recipe_table((uint32_t)s->imm), n, operand[0], out); return;
    case OP_BITCAST:  eager_copy_bytes(out, operand[0], n * dtype_bytes((DType)s->dtype)); return;
    case OP_CONVERT:  kernel_run_convert(operand_type, (DType)s->dtype, n, operand[0], out); return;
    default:          break;
    }
    kernel_of((Op)s->op, operand_type, attr)(n, operand[0], operand[1], operand[2], out);
}

/* One block of elements, from `start` on, n of them; a slot has room for `room` elements of any type. */
typedef struct RecipeBlock {
    const Recipe *recipe;
    const SlotPlan *plan;
    char *work;
    size_t room, start, n;
    const void *const *args;
    char *out;
} RecipeBlock;

static char *slot_of(const RecipeBlock *b, int step) { return b->work + b->plan->slot[step] * b->room * 8; }
static const char *argument(const RecipeBlock *b, const RecipeStep *s)
{
    return (const char *)b->args[s->imm] + b->start * dtype_bytes((DType)s->dtype);
}

static bool guard_is_open(const RecipeBlock *b, uint16_t guard)
{
    return guard == 0 || memchr(slot_of(b, guard - 1), 1, b->n) != NULL;
}

static void block_step(const RecipeBlock *b, int i)
{
    _Alignas(16) char constant[3][BLOCK * 8];
    const RecipeStep *s = &b->recipe->step[i];
    size_t bytes = dtype_bytes((DType)s->dtype);
    void *to = i == b->recipe->n_steps - 1 ? b->out + b->start * bytes : slot_of(b, i);
    const void *operand[3] = { NULL, NULL, NULL };
    for (int k = 0; k < recipe_step_args(s); k++) {
        const RecipeStep *o = &b->recipe->step[s->arg[k]];
        operand[k] = o->op == OP_PARAMETER  ? argument(b, o)
                     : o->op == OP_CONSTANT ? constant[k]
                                            : slot_of(b, s->arg[k]);
        if (o->op == OP_CONSTANT) eager_fill(dtype_bytes((DType)o->dtype), b->n, &o->imm, constant[k]);
    }
    if (s->op == OP_PARAMETER) eager_copy_bytes(to, argument(b, s), b->n * bytes);
    else if (s->op == OP_CONSTANT) eager_fill(bytes, b->n, &s->imm, to);
    else run_step(s, (DType)b->recipe->step[s->arg[s->op == OP_SELECT]].dtype, b->n, operand, to);
}

static void run_block(const RecipeBlock *b)
{
    uint16_t guard = 0;
    bool open = true;
    for (int i = 0; i < b->recipe->n_steps; i++) {
        const RecipeStep *s = &b->recipe->step[i];
        if (!b->plan->used[i] || (!step_has_slot(s) && i < b->recipe->n_steps - 1)) continue;
        if (s->guard != guard) open = guard_is_open(b, guard = s->guard);
        if (open) block_step(b, i);
    }
}

bool eager_recipe(const Recipe *r, size_t n, const void *const *args, void *out)
{
    SlotPlan plan;
    _Alignas(16) char work[WORK_BYTES];
    plan_slots(r, &plan);
    size_t room = plan.n_slots ? WORK_BYTES / (8 * (size_t)plan.n_slots) & ~(size_t)1 : BLOCK;
    RecipeBlock b = { r, &plan, work, room < BLOCK ? room : BLOCK, 0, 0, args, out };
    for (; b.start < n; b.start += b.room) {
        b.n = n - b.start < b.room ? n - b.start : b.room;
        run_block(&b);
    }
    return true;
}
