/* kernel_time.c: see kernel_time.h. */
#include "kernel_time.h"
#include "compiler/fuse/cost.h"
#include <math.h>

enum { COST_PREFIX = 10 }; /* four shuffles, four folds of a block, and its turn */

/* In vector operations; a multiply-add is one. */
static double stmt_cost(const Kernel *k, const Stmt *s)
{
    switch ((StmtKind)s->kind) {
    case ST_OP:     return (double)op_cost((Op)s->op, (DType)s->dtype);
    case ST_FOLD:   return k->stmts[s->args[1]].kind == ST_OP && k->stmts[s->args[1]].op == OP_MUL ? 0 : 1;
    case ST_PREFIX: return COST_PREFIX;
    case ST_LOAD:
    case ST_STORE:  return 1;
    default:        return 0;
    }
}

/* What a loop adds to how often a statement runs: one of a tile that it does not depend on does it once. */
static double runs_in(const Kernel *k, Val loop, const Stmt *s)
{
    const Stmt *l = &k->stmts[loop];
    if (l->extent == EXTENT_WHILE) return WHILE_RUNS;
    bool shared = s->kind == ST_LOAD && !address_coefficient(s->address, loop);
    return (double)l->extent / l->lanes / (shared ? l->tile : 1);
}

double stmts_arithmetic_ns(const Kernel *k, Val from, Val end)
{
    Val loop[MAX_LOOP_DEPTH];
    double all = 0;
    int depth = 0;
    for (Val i = from; i < end; i++) {
        const Stmt *s = &k->stmts[i];
        if (s->kind == ST_LOOP && depth == MAX_LOOP_DEPTH) break; /* the back end refuses such a kernel */
        if (s->kind == ST_LOOP) loop[depth++] = i;
        else if (s->kind == ST_END) depth--;
        double cost = stmt_cost(k, s);
        for (int d = 0; d < depth && cost > 0; d++) cost *= runs_in(k, loop[d], s);
        all += cost;
    }
    return all * NS_PER_OP;
}

/* Bytes that the statements touch: at most what each buffer has, if `met` counts them by buffer; without it,
 * each statement as if it were alone with its buffer. */
static double bytes_touched(const Program *p, const Kernel *k, Val from, Val end, double *met)
{
    Val loop[MAX_LOOP_DEPTH];
    double all = 0;
    int depth = 0;
    for (Val i = from; i < end; i++) {
        const Stmt *s = &k->stmts[i];
        if (s->kind == ST_LOOP && depth == MAX_LOOP_DEPTH) break;
        if (s->kind == ST_LOOP) loop[depth++] = i;
        else if (s->kind == ST_END) depth--;
        if (!stmt_uses_buffer(s)) continue;
        const Buffer *b = &p->buffers[s->buffer];
        double touched = (double)dtype_bytes((DType)b->dtype), before = met ? met[s->buffer] : 0;
        for (int d = 0; d < depth; d++) touched *= fabs((double)k->stmts[loop[d]].extent);
        double now = fmin(before + touched, (double)buffer_bytes(b));
        if (met) met[s->buffer] = now;
        all += now - before;
    }
    return all;
}

/* As far as it is memory that the near caches do not hold. Most kernels are small: for them no list of all
 * buffers is made. */
static double memory_ns(const Program *p, const Target *target, const Kernel *k, Val from, Val end)
{
    if (bytes_touched(p, k, from, end, NULL) <= target->l2_bytes) return 0;
    ArenaMark before = arena_mark(p->arena);
    double *met = arena_alloc(p->arena, (p->n_buffers + 1) * sizeof *met),
           all = bytes_touched(p, k, from, end, met);
    arena_release(p->arena, before);
    return all > target->l2_bytes ? all * NS_PER_BYTE : 0;
}

double stmts_ns(const Program *p, const Target *target, const Kernel *k, Val from, Val end)
{
    double arithmetic = stmts_arithmetic_ns(k, from, end), memory = memory_ns(p, target, k, from, end);
    return arithmetic > memory ? arithmetic : memory;
}

const double *step_runs(const Program *p)
{
    double *runs = arena_alloc(p->arena, (p->n_steps + 1) * sizeof *runs), now = 1;
    for (uint32_t i = 0; i < p->n_steps; i++) {
        const ProgramStep *s = &p->steps[i], *opened = &p->steps[s->opened];
        if (s->kind == STEP_END && opened->kind != STEP_CASE) now = runs[s->opened];
        runs[i] = now;
        if (s->kind == STEP_LOOP) now *= (double)s->extent;
        if (s->kind == STEP_WHILE) now *= WHILE_RUNS;
    }
    return runs;
}

bool threads_pay(const Target *t, double ns, double runs)
{
    double least = t->parallel_ns;
    if (!t->parallel_ns) return false;
    return ns >= least || (runs > 1 && ns >= least * AWAKE_PART && ns * runs >= least * LEAST_AWAKE);
}
