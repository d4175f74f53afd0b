/* axes.c: which loops each value of a kernel varies with, found before anything is emitted: a reducer whose
 * folds do not vary with a tile around it needs one accumulator for all of it, and a loop that ends by a test
 * needs to know for which indices it may end apart. */
#include "emit.h"

static Axes below(int depth) { return ((Axes)1 << depth) - 1; }

static Axes axes_of_value(const Emitter *e, Val v) { return v == VAL_NONE ? 0 : e->varies[v]; }

static Axes axes_of_operands(const Emitter *e, const Stmt *s)
{
    Axes axes = 0;
    for (int i = 0; i < 3; i++) axes |= axes_of_value(e, s->args[i]);
    for (uint32_t t = 0; t < s->address.n_terms; t++) axes |= axes_of_value(e, s->address.terms[t].of);
    return axes;
}

typedef struct Nesting {
    int depth;
    bool is_while[MAX_LOOP_DEPTH];
    int *opened_at; /* by REDUCER and CARRY: the loops around it */
} Nesting;

/* What r gets here, it gets for each index of the loops around it that the value varies with. Indices may
 * have left a while loop between the two, apart from each other: then each has its own. */
static void note_change(Emitter *e, const Nesting *n, Val r, Axes value, bool apart)
{
    for (int d = n->opened_at[r]; d < n->depth; d++) apart |= n->is_while[d];
    e->varies[r] |= below(n->opened_at[r]) & (apart ? ~(Axes)0 : value);
}

static void note_stmt(Emitter *e, Nesting *n, Val v)
{
    const Stmt *s = &e->kernel->stmts[v];
    switch ((StmtKind)s->kind) {
    case ST_LOOP:
        e->varies[v] = (Axes)1 << n->depth;
        n->is_while[n->depth++] = s->extent == EXTENT_WHILE;
        break;
    case ST_END:   n->depth--; break;
    case ST_INDEX:
    case ST_LOAD:
    case ST_OP:    e->varies[v] = axes_of_operands(e, s); break;
    case ST_CARRY:
        e->varies[v] |= axes_of_operands(e, s);
        n->opened_at[v] = n->depth;
        break;
    case ST_REDUCER: n->opened_at[v] = n->depth; break;
    case ST_PREFIX:
        e->varies[v] = below(n->depth);
        note_change(e, n, s->args[0], 0, true);
        break;
    case ST_SET: note_change(e, n, s->args[0], axes_of_value(e, s->args[1]), false); break;
    case ST_FOLD:
        note_change(e, n, s->args[0], axes_of_value(e, s->args[1]) | axes_of_value(e, s->args[2]), false);
        break;
    case ST_TOTAL:   e->varies[v] = e->varies[s->args[0]]; break;
    case ST_CONST:
    case ST_COUNTER:
    case ST_STORE:
    case ST_FETCH:
    case ST_TEST:    break;
    }
}

static bool has_carries_that_grew(const Emitter *e, Axes *known)
{
    bool grew = false;
    for (Val v = 0; v < e->kernel->n_stmts; v++) {
        if (e->kernel->stmts[v].kind != ST_CARRY) continue;
        grew |= known[v] != e->varies[v];
        known[v] = e->varies[v];
    }
    return grew;
}

/* What a carry is set to may be made of it, or of others: until that adds no loops. */
void find_axes(Emitter *e)
{
    uint32_t n = e->kernel->n_stmts;
    Nesting nesting = { .opened_at = arena_alloc(e->arena, (n + 1) * sizeof(int)) };
    Axes *known = arena_alloc(e->arena, (n + 1) * sizeof *known);
    e->varies = arena_alloc(e->arena, (n + 1) * sizeof *e->varies);
    do
        for (Val v = 0; v < n; v++) note_stmt(e, &nesting, v);
    while (has_carries_that_grew(e, known));
}
