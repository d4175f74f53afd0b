/* written_out.c: a kernel whose loops are short, as statements without loops.
 *
 *     lanes j : 3 { fold v1 (load %x[j]) }  store %y[0] total v1
 *     ==>
 *     store %y[0] ((0 + load %x[0]) + load %x[1]) + load %x[2]
 *
 * Iterations come one behind the other. Lanes and tiles allow that, for what an iteration stores no other one
 * of its loop loads. What is then known (indices, conditions on them, masks) is computed here.
 *
 * A fold in strict mode has the accumulators that its loop's lanes and tile have, and they meet in halves, as
 * program.h says. Otherwise the order is free, and one accumulator takes the elements in the order of their
 * indices, which is the fewest ops; several, where they are many and would wait for each other. Of at most
 * MAX_SHORT_FOLD it is one, since these are in order wherever they stand. It begins with the monoid's start,
 * for 0 + -0 is 0.
 */
#include "written_out.h"
#include "compiler/fuse/cost.h"
#include "compiler/fuse/loops/nest.h"
#include "compiler/scalar/evaluate.h"

/* A fold's accumulators, once something is folded; VAL_NONE: nothing was into this one. */
typedef struct Sums {
    uint32_t n;
    Val *value;
} Sums;

typedef struct Writer {
    Arena *arena;
    const Kernel *from;
    bool strict;
    int64_t *index; /* by LOOP: the iteration being written */
    Val *is, *next; /* by statement: what it has become; of a CARRY, what a SET gives it */
    Sums *sums;     /* by REDUCER */
    Kernel to;
    uint32_t capacity;
} Writer;

/* ---- may it be? ---- */

/* The accumulators that the fold has as its loops are; 0: they are those of several loops. */
static uint32_t accumulators_of(const Kernel *k, Val fold)
{
    const Stmt *loop = NULL;
    bool wide = false;
    int n = 0;
    for (Val v = k->stmts[fold].args[0] + 1; v < fold; v++) {
        if (k->stmts[v].kind != ST_LOOP || loop_end(k, v) < fold) continue;
        loop = &k->stmts[v];
        wide |= loop->lanes * loop->tile > 1;
        n++;
    }
    return !wide ? 1 : n == 1 ? (uint32_t)loop->lanes * loop->tile : 0;
}

static bool may_fold(const Program *p, const Kernel *k, Val fold)
{
    Op op = (Op)k->stmts[k->stmts[fold].args[0]].op;
    uint32_t n = accumulators_of(k, fold);
    return op != OP_ARGMIN && op != OP_ARGMAX && (p->mode != MODE_STRICT || (n && !(n & (n - 1))));
}

static bool may_be_written_out(const Program *p, const Kernel *k, Val v)
{
    const Stmt *s = &k->stmts[v];
    if (s->kind == ST_FOLD) return may_fold(p, k, v);
    if (s->kind == ST_LOOP) return s->extent != EXTENT_WHILE;
    return s->kind != ST_PREFIX && s->kind != ST_TEST;
}

/* Is it the TOTAL of a fold in lanes? */
static bool folds_lanes(const Kernel *k, Val total)
{
    for (Val v = k->stmts[total].args[0]; v < total; v++)
        if (k->stmts[v].kind == ST_LOOP && k->stmts[v].lanes > 1) return k->stmts[total].kind == ST_TOTAL;
    return false;
}

/* Arithmetic of a statement. */
static double cost_of(const Kernel *k, const Stmt *s)
{
    if (s->kind == ST_OP) return (double)op_cost((Op)s->op, (DType)s->dtype);
    return s->kind == ST_FOLD ? (double)op_cost((Op)k->stmts[s->args[0]].op, WEFT_F32) : 0;
}

WrittenOut written_out_size(const Program *p, const Kernel *k)
{
    const WrittenOut never = { .stmts = UINT32_MAX };
    double times[MAX_LOOP_DEPTH + 1] = { 1 }, vectors[MAX_LOOP_DEPTH + 1] = { 1 }, stmts = 0;
    WrittenOut w = { 0 };
    int depth = 0;
    if (k->rows) return never;
    for (Val v = 0; v < k->n_stmts; v++) {
        const Stmt *s = &k->stmts[v];
        if (!may_be_written_out(p, k, v)) return never;
        if (s->kind == ST_LOOP) {
            times[depth + 1] = times[depth] * (double)s->extent;
            int64_t steps = (s->extent + s->lanes - 1) / s->lanes;
            vectors[depth + 1] = vectors[depth] * (double)steps;
            depth++;
        } else if (s->kind == ST_END) depth--;
        else {
            stmts += times[depth];
            w.cost += times[depth] * cost_of(k, s);
            w.cost_of_loops += vectors[depth] * cost_of(k, s);
        }
        if (s->kind == ST_TOTAL && folds_lanes(k, v)) w.cost_of_loops += vectors[depth] * COST_ACROSS_LANES;
    }
    if (stmts > INT32_MAX) return never;
    w.stmts = (uint32_t)stmts;
    return w;
}

/* ---- statements ---- */

static Val put(Writer *w, Stmt s)
{
    ARENA_PUSH(w->arena, w->to.stmts, w->to.n_stmts, w->capacity) = s;
    return w->to.n_stmts - 1;
}

static Val put_const(Writer *w, DType t, uint64_t bits)
{
    Stmt s = stmt_new(ST_CONST, t);
    s.imm = bits;
    return put(w, s);
}

static const Stmt *known(const Writer *w, Val v)
{
    return v != VAL_NONE && w->to.stmts[v].kind == ST_CONST ? &w->to.stmts[v] : NULL;
}

/* An op of known values is one; of a choice by one, the operand chosen. */
static Val put_op(Writer *w, Stmt s)
{
    uint64_t bits[3] = { 0 }, value;
    DType operand = s.dtype;
    bool all = true;
    for (int i = 0; i < 3 && s.args[i] != VAL_NONE; i++) {
        const Stmt *x = known(w, s.args[i]);
        all &= x != NULL;
        bits[i] = x ? x->imm : 0;
        operand = w->to.stmts[s.args[i]].dtype;
    }
    if (s.op == OP_SELECT && known(w, s.args[0])) return s.args[bits[0] ? 1 : 2];
    if (all && evaluate((Op)s.op, operand, (DType)s.dtype, s.attr, bits, &value))
        return put_const(w, (DType)s.dtype, value);
    return put(w, s);
}

static Val put_two(Writer *w, const Stmt *reducer, Val x, Val y)
{
    Stmt s = stmt_new(ST_OP, (DType)reducer->dtype);
    s.op = reducer->op;
    s.args[0] = x;
    s.args[1] = y;
    return put(w, s);
}

/* The address in this iteration. */
static Address address_now(const Writer *w, Address from)
{
    Address to = address_number(from.offset);
    for (uint32_t i = 0; i < from.n_terms; i++) {
        Term t = from.terms[i];
        const Stmt *of = &w->from->stmts[t.of], *number = of->kind == ST_LOOP ? NULL : known(w, w->is[t.of]);
        if (of->kind == ST_LOOP) to.offset += t.coef * w->index[t.of];
        else if (number) to.offset += t.coef * scalar_to_i64((DType)number->dtype, number->imm);
        else to = address_add(w->arena, to, address_of(w->arena, w->is[t.of], t.coef));
    }
    return to;
}

/* ---- folds ---- */

static Val start_of(Writer *w, const Stmt *reducer)
{
    return put_const(w, (DType)reducer->dtype, monoid_start((Op)reducer->op, (DType)reducer->dtype));
}

/* The number of an element that is folded, by the loops opened behind its REDUCER; all: how many there
 * are. */
static int64_t number_of(const Writer *w, Val reducer, Val fold, int64_t *all)
{
    int64_t number = 0;
    *all = 1;
    for (Val v = reducer + 1; v < fold; v++) {
        const Stmt *s = &w->from->stmts[v];
        if (s->kind != ST_LOOP || loop_end(w->from, v) < fold) continue;
        number = number * s->extent + w->index[v];
        *all *= s->extent;
    }
    return number;
}

static void put_fold(Writer *w, Val fold)
{
    const Stmt *f = &w->from->stmts[fold], *reducer = &w->from->stmts[f->args[0]];
    Sums *s = &w->sums[f->args[0]];
    int64_t all, number = number_of(w, f->args[0], fold, &all);
    if (!s->n) {
        s->n = w->strict ? accumulators_of(w->from, fold) : all >= 16 ? 4 : all > MAX_SHORT_FOLD ? 2 : 1;
        s->value = arena_alloc(w->arena, s->n * sizeof *s->value);
        for (uint32_t i = 0; i < s->n; i++) s->value[i] = VAL_NONE;
    }
    Val *value = &s->value[number % s->n];
    if (*value == VAL_NONE) *value = start_of(w, reducer);
    const Stmt *product = &w->from->stmts[f->args[1]];
    if (reducer->op == OP_ADD && stmt_is_summed_product(product))
        *value = put(w, stmt_op(OP_FMA, (DType)reducer->dtype, w->is[product->args[0]],
                                w->is[product->args[1]], *value));
    else *value = put_two(w, reducer, *value, w->is[f->args[1]]);
}

/* Halves meet; an accumulator that nothing was folded into changes nothing. */
static Val total_of(Writer *w, Val reducer)
{
    Sums *s = &w->sums[reducer];
    for (uint32_t half = s->n / 2; half; half /= 2)
        for (uint32_t i = 0; i < half; i++) {
            Val *x = &s->value[i], y = s->value[i + half];
            if (*x == VAL_NONE) *x = y;
            else if (y != VAL_NONE) *x = put_two(w, &w->from->stmts[reducer], *x, y);
        }
    return s->n ? s->value[0] : start_of(w, &w->from->stmts[reducer]);
}

/* ---- the kernel ---- */

static void put_store(Writer *w, Stmt s)
{
    const Stmt *mask = known(w, s.args[1]);
    if (mask && !mask->imm) return;
    if (mask) s.args[1] = VAL_NONE;
    put(w, s);
}

static Val put_load(Writer *w, Stmt s)
{
    const Stmt *mask = known(w, s.args[0]);
    if (mask && !mask->imm) return put_const(w, (DType)s.dtype, 0);
    if (mask) s.args[0] = VAL_NONE;
    return put(w, s);
}

/* One that is no LOOP. */
static void write_statement(Writer *w, Val v)
{
    const Stmt *from = &w->from->stmts[v];
    Stmt s = *from;
    switch ((StmtKind)s.kind) {
    case ST_FOLD:    put_fold(w, v); return;
    case ST_REDUCER: w->sums[v] = (Sums){ 0 }; return;
    case ST_CARRY:   w->is[v] = w->is[s.args[0]]; return;
    case ST_SET:     w->next[s.args[0]] = w->is[s.args[1]]; return;
    case ST_TOTAL:
        w->is[v] = w->from->stmts[s.args[0]].kind == ST_CARRY ? w->is[s.args[0]] : total_of(w, s.args[0]);
        return;
    default: break;
    }
    for (int i = 0; i < 3; i++)
        if (s.args[i] != VAL_NONE) s.args[i] = w->is[s.args[i]];
    s.address = address_now(w, s.address);
    if (s.kind == ST_INDEX && !s.address.n_terms)
        w->is[v] = put_const(w, (DType)s.dtype, scalar_from_i64((DType)s.dtype, s.address.offset));
    else if (s.kind == ST_OP) w->is[v] = put_op(w, s);
    else if (s.kind == ST_LOAD) w->is[v] = put_load(w, s);
    else if (s.kind == ST_STORE) put_store(w, s);
    else w->is[v] = put(w, s);
}

/* The carries that are SET between two statements have their next values. */
static void advance(Writer *w, Val first, Val end)
{
    for (Val v = first; v < end; v++) {
        const Stmt *s = &w->from->stmts[v];
        if (s->kind == ST_SET) w->is[s->args[0]] = w->next[s->args[0]];
    }
}

static void write_block(Writer *w, Val first, Val end)
{
    for (Val v = first; v < end; v++) {
        const Stmt *s = &w->from->stmts[v];
        if (s->kind != ST_LOOP) {
            write_statement(w, v);
            continue;
        }
        Val after = loop_end(w->from, v);
        for (w->index[v] = 0; w->index[v] < s->extent; w->index[v]++) {
            write_block(w, v + 1, after);
            advance(w, v + 1, after);
        }
        v = after;
    }
}

Kernel write_out(const Program *p, const Kernel *k)
{
    Arena *a = p->arena;
    size_t n = k->n_stmts + 1;
    Writer w = { .arena = a,
                 .from = k,
                 .strict = p->mode == MODE_STRICT,
                 .index = arena_alloc(a, n * sizeof *w.index),
                 .is = arena_alloc(a, n * sizeof *w.is),
                 .next = arena_alloc(a, n * sizeof *w.next),
                 .sums = arena_alloc(a, n * sizeof *w.sums),
                 .to = { .name = k->name } };
    write_block(&w, 0, k->n_stmts);
    return w.to;
}
