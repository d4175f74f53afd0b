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
    int *opened_at; /* by REDUCER: the loops around it */
} Nesting;

/* Indices that have left a while loop between the two keep their accumulators: each has one. */
static void note_fold(Emitter *e, const Nesting *n, const Stmt *s)
{
    Val r = s->args[0];
    bool apart = s->kind == ST_PREFIX;
    for (int d = n->opened_at[r]; d < n->depth; d++) apart |= n->is_while[d];
    e->varies[r] |= below(n->opened_at[r]) &
                    (apart ? ~(Axes)0 : axes_of_value(e, s->args[1]) | axes_of_value(e, s->args[2]));
}

void find_axes(Emitter *e)
{
    const Kernel *k = e->kernel;
    Nesting n = { .opened_at = arena_alloc(e->arena, (k->n_stmts + 1) * sizeof(int)) };
    e->varies = arena_alloc(e->arena, (k->n_stmts + 1) * sizeof *e->varies);
    for (Val v = 0; v < k->n_stmts; v++) {
        const Stmt *s = &k->stmts[v];
        switch ((StmtKind)s->kind) {
        case ST_LOOP:
            e->varies[v] = (Axes)1 << n.depth;
            n.is_while[n.depth++] = s->extent == EXTENT_WHILE;
            break;
        case ST_END:     n.depth--; break;
        case ST_INDEX:
        case ST_LOAD:
        case ST_OP:      e->varies[v] = axes_of_operands(e, s); break;
        case ST_REDUCER: n.opened_at[v] = n.depth; break;
        case ST_PREFIX:
            e->varies[v] = below(n.depth);
            note_fold(e, &n, s);
            break;
        case ST_FOLD:    note_fold(e, &n, s); break;
        case ST_TOTAL:   e->varies[v] = e->varies[s->args[0]]; break;
        case ST_CARRY:   e->varies[v] = below(n.depth); break;
        case ST_CONST:
        case ST_COUNTER:
        case ST_STORE:
        case ST_SET:
        case ST_TEST:    break;
        }
    }
}
