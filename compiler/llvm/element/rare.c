/* rare.c: choices that are hardly ever made. What is chosen where a value is NaN is often much longer than
 * what is chosen elsewhere: the infinities and zeros that a quotient of complex numbers lost. Ops that
 * nothing but such choices asks for are not emitted where they stand: each choice is a recipe, and they its
 * rare path, behind a branch (65,536 quotients and sizes of complex<f32>, AVX2: 147 -> 124 us). Where it is
 * made, what it gives is the same bit for bit.
 */
#include <stddef.h>
#include <string.h>
#include "element.h"

enum {
    LEAST_OPS = 6, /* of a path that is worth a branch */
    MOST_OPS = 128,
    MOST_ROUNDS = 4,
    MOST_LEVELS = 4
};
/* Steps of the recipe: its parameters, and then its ops. */
enum { WHETHER, USUAL, FIRST_OTHER, FIRST_OP = MAX_RARE_INPUTS, MOST_STEPS = FIRST_OP + MOST_OPS + 1 };

typedef struct RareChoice {
    const Recipe *recipe;
    Val input[MAX_RARE_INPUTS]; /* its parameters */
} RareChoice;

typedef struct Search {
    Emitter *e;
    uint32_t *segment; /* by statement: the number of the stretch without loops and tests that it stands in */
    bool *is_choice;   /* by statement: it may be one */
    bool *needed;      /* by statement: by more than the rare side of choices */
    Recipe *recipe;    /* that is being made */
} Search;

/* Does it hold of NaN alone? Looked for through so many levels of AND and OR. */
static bool is_of_nan(const Kernel *k, Val at, int levels)
{
    const Stmt *s = &k->stmts[at];
    if (s->kind != ST_OP || s->dtype != WEFT_BOOL || levels < 0) return false;
    bool is_made = s->op == OP_AND || s->op == OP_OR, first = is_made && is_of_nan(k, s->args[0], levels - 1);
    if (s->op == OP_AND) return first || is_of_nan(k, s->args[1], levels - 1);
    if (s->op == OP_OR) return first && is_of_nan(k, s->args[1], levels - 1);
    return s->op == OP_COMPARE && s->attr[0] == CMP_NE && s->args[0] == s->args[1] &&
           dtype_is_float((DType)k->stmts[s->args[0]].dtype);
}

/* May it wait until a choice asks for it, as a step of a recipe? */
static bool can_wait(const Emitter *e, Val at)
{
    const Stmt *s = &e->kernel->stmts[at];
    if (s->kind != ST_OP || e->alike[at]) return false;
    DType t = (DType)s->dtype, from = (DType)e->kernel->stmts[s->args[0]].dtype;
    if (t != WEFT_BOOL && dtype_bytes(t) < 4) return false;
    switch ((Op)s->op) {
    case OP_ADD:
    case OP_SUB:
    case OP_MUL:
    case OP_DIV:
    case OP_FMA:
    case OP_NEG:
    case OP_ABS:
    case OP_SQRT:    return dtype_is_float(t);
    case OP_AND:
    case OP_OR:
    case OP_XOR:
    case OP_NOT:
    case OP_SELECT:
    case OP_BITCAST: return true;
    case OP_CONVERT: return dtype_is_float(t) && dtype_is_float(from);
    case OP_COMPARE: return s->attr[1] != ORDER_TOTAL && (from == WEFT_BOOL || dtype_bytes(from) >= 4);
    default:         return false;
    }
}

static void find_needed(Search *s)
{
    const Kernel *k = s->e->kernel;
    for (Val v = 0; v < k->n_stmts; v++) s->needed[v] = !can_wait(s->e, v);
    for (Val v = k->n_stmts; v-- > 0;) {
        const Stmt *x = &k->stmts[v];
        for (int a = 0; a < 3; a++) {
            Val of = x->args[a];
            if (of == VAL_NONE) continue;
            bool here = s->segment[of] == s->segment[v], is_rare = s->is_choice[v] && a == 1;
            s->needed[of] |= !here || (s->needed[v] && !is_rare);
        }
        for (uint32_t i = 0; i < x->address.n_terms; i++) s->needed[x->address.terms[i].of] = true;
    }
}

/* ---- a choice as a recipe ---- */

typedef struct Making {
    const Search *search;
    Recipe *recipe;
    Val of[MOST_STEPS]; /* the statement of each step */
    uint32_t n_inputs, n_ops;
    bool fits;
} Making;

/* The step that gives the statement's value; 0 where it does not fit. */
static uint16_t step_for(Making *m, Val at)
{
    const Stmt *s = &m->search->e->kernel->stmts[at];
    Recipe *r = m->recipe;
    for (uint16_t i = 0; i < r->n_steps; i++)
        if (m->of[i] == at && (i < m->n_inputs || i >= FIRST_OP)) return i;
    bool is_const = s->kind == ST_CONST;
    if (m->search->needed[at] && !is_const) {
        if (m->n_inputs == MAX_RARE_INPUTS) m->fits = false;
        if (!m->fits) return 0;
        m->of[m->n_inputs] = at;
        r->step[m->n_inputs].dtype = s->dtype;
        return (uint16_t)m->n_inputs++;
    }
    RecipeStep step = { .op = is_const ? OP_CONSTANT : s->op, .dtype = s->dtype, .guard = WHETHER + 1 };
    step.imm = is_const ? s->imm : s->op == OP_COMPARE ? (uint64_t)s->attr[0] : 0;
    for (int a = 0; a < 3 && m->fits; a++)
        if (s->args[a] != VAL_NONE) step.arg[a] = step_for(m, s->args[a]);
    if (r->n_steps == MOST_STEPS - 1) m->fits = false;
    if (!m->fits) return 0;
    m->n_ops += !is_const;
    m->of[r->n_steps] = at;
    r->step[r->n_steps] = step;
    return r->n_steps++;
}

/* NULL: not worth a branch, or too much for one. */
static const RareChoice *choice_of(const Search *s, Val at)
{
    const Stmt *x = &s->e->kernel->stmts[at];
    Recipe *r = s->recipe;
    Making m = { .search = s, .recipe = r, .n_inputs = FIRST_OTHER, .fits = true };
    RareChoice choice = { .recipe = NULL };
    if (s->needed[x->args[1]]) return NULL;
    for (size_t i = 0; i < FIRST_OP; i++) r->step[i] = (RecipeStep){ .op = OP_PARAMETER, .imm = i };
    r->n_steps = FIRST_OP;
    m.of[WHETHER] = x->args[0];
    m.of[USUAL] = x->args[2];
    r->step[WHETHER].dtype = WEFT_BOOL;
    r->step[USUAL].dtype = x->dtype;
    uint16_t rare = step_for(&m, x->args[1]);
    if (!m.fits || m.n_ops < LEAST_OPS) return NULL;
    r->step[r->n_steps++] =
        (RecipeStep){ .op = OP_SELECT, .dtype = x->dtype, .arg = { WHETHER, rare, USUAL } };
    r->n_params = (uint16_t)m.n_inputs;
    for (uint32_t i = m.n_inputs; i < FIRST_OP; i++) r->step[i] = r->step[WHETHER]; /* used by none */
    for (uint32_t i = 0; i < m.n_inputs; i++) choice.input[i] = m.of[i];
    choice.recipe = arena_copy(s->e->arena, r, offsetof(Recipe, step) + r->n_steps * sizeof *r->step);
    return arena_copy(s->e->arena, &choice, sizeof choice);
}

/* False: some that might have been one are none, so that more is needed than was thought. */
static bool make_choices(Search *s)
{
    bool all = true;
    for (Val v = 0; v < s->e->kernel->n_stmts; v++) {
        if (!s->is_choice[v]) continue;
        s->e->rarely[v] = choice_of(s, v);
        s->is_choice[v] = s->e->rarely[v] != NULL;
        all &= s->is_choice[v];
    }
    return all;
}

static bool find_candidates(Search *s)
{
    const Kernel *k = s->e->kernel;
    uint32_t segment = 0;
    bool any = false;
    for (Val v = 0; v < k->n_stmts; v++) {
        const Stmt *x = &k->stmts[v];
        segment += x->kind == ST_LOOP || x->kind == ST_END || x->kind == ST_TEST;
        s->segment[v] = segment;
        s->is_choice[v] = x->kind == ST_OP && x->op == OP_SELECT && can_wait(s->e, v) &&
                          is_of_nan(k, x->args[0], MOST_LEVELS) && s->segment[x->args[1]] == segment;
        any |= s->is_choice[v];
    }
    return any;
}

void find_rare_choices(Emitter *e)
{
    size_t n = e->kernel->n_stmts + 1;
    Search s = { .e = e,
                 .segment = arena_alloc(e->arena, n * sizeof *s.segment),
                 .is_choice = arena_alloc(e->arena, n),
                 .needed = arena_alloc(e->arena, n) };
    e->rarely = arena_alloc(e->arena, n * sizeof *e->rarely);
    e->needed = NULL;
    if (!find_candidates(&s)) return;
    s.recipe = arena_alloc(e->arena, sizeof *s.recipe);
    for (int round = 0; round < MOST_ROUNDS; round++) {
        find_needed(&s);
        e->needed = s.needed;
        if (make_choices(&s)) return;
    }
    e->needed = NULL;
    memset(e->rarely, 0, n * sizeof *e->rarely);
}

bool is_rarely_needed(const Emitter *e, Val at) { return e->needed && !e->needed[at]; }

bool emit_rare_choice(Emitter *e, Val at)
{
    const RareChoice *choice = e->rarely[at];
    LLVMValueRef *params[MAX_RARE_INPUTS];
    Axes axes = 0;
    if (!choice) return false;
    const Recipe *r = choice->recipe;
    for (uint32_t i = 0; i < r->n_params; i++) axes |= value_of(e, choice->input[i])->axes;
    Value *out = value_new(e, at, (DType)e->kernel->stmts[at].dtype, axes);
    for (uint32_t i = 0; i < r->n_params; i++) {
        params[i] = arena_alloc(e->arena, out->n * sizeof *params[i]);
        for (uint32_t k = 0; k < out->n; k++) params[i][k] = operand(e, choice->input[i], axes, k);
    }
    emit_recipe(e, r, params, out->n, out->part, true);
    return true;
}
