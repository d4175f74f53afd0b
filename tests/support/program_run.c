/* program_run.c: see program_run.h. Each statement has one 64-bit value; elementwise ops are eager's on
 * single elements. A loop whose test is never false is given up as wrong after a million iterations. */
#include "tests/support/heap.h"
#include "tests/support/program_run.h"
#include "runtime/eager/eager.h"
#include "runtime/library/library.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_ITERATIONS = 1 << 20 };

/* What a PREFIX has seen of its block of 16, and the reducer's value before the block. */
typedef struct Block {
    uint64_t seen[PREFIX_LANES], before;
} Block;

typedef struct Run {
    const Program *p;
    const Kernel *k;
    char **base;                     /* per buffer: the memory that its name means now */
    char **before;                   /* what they meant where the parallel loop began */
    int64_t *counter;                /* per step loop */
    uint64_t *value, *second, *next; /* per statement; second: ARG index; next: what SET set */
    Block *block;                    /* per statement */
    int64_t *index;                  /* per LOOP */
    bool left;                       /* a TEST was false: the loop around it ends */
    char *why;
    size_t size;
    bool ok;
} Run;

static int64_t address(const Run *r, Address a)
{
    int64_t sum = a.offset;
    for (uint32_t i = 0; i < a.n_terms; i++) {
        const Stmt *s = &r->k->stmts[a.terms[i].of];
        sum +=
            a.terms[i].coef * (s->kind == ST_LOOP ? r->index[a.terms[i].of]
                                                  : scalar_to_i64((DType)s->dtype, r->value[a.terms[i].of]));
    }
    return sum;
}

static char *memory(Run *r, const Stmt *s)
{
    const Buffer *b = &r->p->buffers[s->buffer];
    int64_t i = address(r, s->address);
    if (i < 0 || i >= b->count) {
        if (r->ok)
            snprintf(r->why, r->size, "kernel %s: buffer %u of %lld elements is touched at %lld", r->k->name,
                     s->buffer, (long long)b->count, (long long)i);
        r->ok = false;
        return NULL;
    }
    return r->base[s->buffer] + i * (int64_t)dtype_bytes((DType)b->dtype);
}

static uint64_t apply(Op op, DType t, const int64_t *attr, int n, const DType *types, const uint64_t *args)
{
    Type at[3];
    uint64_t cell[3], result = 0;
    const void *in[3];
    Ref refs[3] = { 0, 1, 2 };
    void *out[1] = { &result };
    for (int i = 0; i < n; i++) {
        at[i] = (Type){ (uint8_t)types[i], 0, NULL };
        scalar_store(types[i], &cell[i], args[i]);
        in[i] = &cell[i];
    }
    NodeSpec spec = {
        .op = op, .args = refs, .n_args = (uint32_t)n, .attr = attr, .n_attr = attr ? 2 : 0, .dtype = t
    };
    Type ot = { (uint8_t)t, 0, NULL };
    eager_op(&spec, at, in, &ot, out, &heap, NULL);
    return scalar_load(t, &result);
}

/* A value in the type of the reducer that it goes to. */
static uint64_t value_for(const Run *r, const Stmt *s)
{
    DType have = (DType)r->k->stmts[s->args[1]].dtype, want = (DType)r->k->stmts[s->args[0]].dtype;
    uint64_t v = r->value[s->args[1]];
    return have == want ? v : apply(OP_CONVERT, want, NULL, 1, &have, &v);
}

static void fold(Run *r, const Stmt *s)
{
    const Stmt *red = &r->k->stmts[s->args[0]];
    DType t = (DType)red->dtype;
    uint64_t v = value_for(r, s), acc = r->value[s->args[0]];
    if (red->op != OP_ARGMAX && red->op != OP_ARGMIN) {
        r->value[s->args[0]] = apply((Op)red->op, t, NULL, 2, (DType[]){ t, t }, (uint64_t[]){ acc, v });
        return;
    }
    double x = scalar_to_double(t, v), best = scalar_to_double(t, acc);
    bool more = x > best, less = x < best;
    if (t == WEFT_U64 || t == WEFT_I64) { /* a double cannot tell all of them apart */
        uint64_t sign = t == WEFT_I64 ? UINT64_C(1) << 63 : 0;
        more = (v ^ sign) > (acc ^ sign);
        less = (v ^ sign) < (acc ^ sign);
    }
    bool better = (red->op == OP_ARGMAX ? more : less) || (x != x && best == best);
    if (better) {
        r->value[s->args[0]] = v;
        r->second[s->args[0]] = r->value[s->args[2]];
    }
}

static uint64_t worst(const Stmt *s)
{
    return monoid_start(s->op == OP_ARGMAX   ? OP_MAX
                        : s->op == OP_ARGMIN ? OP_MIN
                                             : (Op)s->op,
                        (DType)s->dtype);
}

static uint64_t combined(Op op, DType t, uint64_t a, uint64_t b)
{
    return apply(op, t, NULL, 2, (DType[]){ t, t }, (uint64_t[]){ a, b });
}

static Val loop_around(const Run *r, Val v)
{
    int closed = 0;
    for (Val i = v; i-- > 0;) {
        closed += r->k->stmts[i].kind == ST_END ? 1 : r->k->stmts[i].kind == ST_LOOP ? -1 : 0;
        if (closed < 0) return i;
    }
    return VAL_NONE;
}

/* The block's values up to this one, combined at distances 1, 2, 4, 8; then what was before the block. */
static uint64_t prefix(Run *r, const Stmt *s, Val at)
{
    Val reducer = s->args[0], loop = loop_around(r, at);
    Op op = (Op)r->k->stmts[reducer].op;
    DType t = (DType)r->k->stmts[reducer].dtype;
    uint64_t x[PREFIX_LANES];
    Block *b = &r->block[reducer];
    int k = r->k->stmts[loop].lanes > 1 ? (int)(r->index[loop] % PREFIX_LANES) : 0;
    if (k == 0) b->before = r->value[reducer];
    b->seen[k] = value_for(r, s);
    memcpy(x, b->seen, sizeof x);
    for (int d = 1; d < PREFIX_LANES; d *= 2)
        for (int i = k; i >= d; i--) x[i] = combined(op, t, x[i - d], x[i]);
    return r->value[reducer] = combined(op, t, b->before, x[k]);
}

static void block(Run *r, uint32_t at);

/* The SETs of this body, not of loops inside. */
static void take_sets(Run *r, uint32_t v)
{
    for (uint32_t i = v + 1, end = loop_end(r->k, v); i < end; i++) {
        const Stmt *s = &r->k->stmts[i];
        if (s->kind == ST_LOOP) i = loop_end(r->k, i);
        else if (s->kind == ST_SET) r->value[s->args[0]] = r->next[s->args[0]];
    }
}

static void wrong(Run *r, const char *what)
{
    if (r->ok) snprintf(r->why, r->size, "%s: %s", r->k ? r->k->name : "steps", what);
    r->ok = false;
}

/* The index at which iteration b of the step loop begins, but for so large a halo. */
static int64_t row_of(const Run *r, uint32_t v, int64_t b, uint32_t halo)
{
    const Stmt *s = &r->k->stmts[v];
    int64_t row = b * r->k->rows + (int64_t)s->imm - halo;
    return b == 0 || row < 0 ? 0 : row < s->extent ? row : s->extent;
}

static void run_loop(Run *r, uint32_t v)
{
    const Stmt *s = &r->k->stmts[v];
    int64_t extent = s->extent == EXTENT_WHILE ? MAX_ITERATIONS : s->extent, from = 0;
    if (r->k->rows && loop_around(r, v) == VAL_NONE) {
        from = row_of(r, v, r->counter[r->k->counter], s->halo);
        extent = row_of(r, v, r->counter[r->k->counter] + 1, 0);
    }
    for (r->index[v] = from; r->index[v] < extent && r->ok; r->index[v]++) {
        block(r, v + 1);
        if (r->left) break;
        take_sets(r, v);
    }
    if (s->extent == EXTENT_WHILE && !r->left) wrong(r, "a while loop does not end");
    r->left = false;
}

static void step(Run *r, uint32_t v)
{
    const Stmt *s = &r->k->stmts[v];
    DType t = (DType)s->dtype, types[3];
    uint64_t args[3];
    int n = 0;
    char *p;
    switch ((StmtKind)s->kind) {
    case ST_CONST: r->value[v] = s->imm; break;
    case ST_INDEX: r->value[v] = scalar_from_i64(t, address(r, s->address)); break;
    case ST_LOAD:
        r->value[v] = 0;
        if (s->args[0] != VAL_NONE && !r->value[s->args[0]]) break;
        p = memory(r, s);
        if (p) r->value[v] = scalar_load(t, p);
        break;
    case ST_STORE:
        if (s->args[1] != VAL_NONE && !r->value[s->args[1]]) break;
        p = memory(r, s);
        if (p) scalar_store((DType)r->p->buffers[s->buffer].dtype, p, r->value[s->args[0]]);
        break;
    case ST_FETCH: break;
    case ST_OP:
        for (; n < 3 && s->args[n] != VAL_NONE; n++) {
            args[n] = r->value[s->args[n]];
            const Stmt *a = &r->k->stmts[s->args[n]];
            types[n] = (DType)a->dtype;
        }
        r->value[v] = apply((Op)s->op, t, s->attr, n, types, args);
        break;
    case ST_REDUCER:
        r->value[v] = worst(s);
        r->second[v] = 0;
        break;
    case ST_FOLD:  fold(r, s); break;
    case ST_TOTAL: {
        const Stmt *red = &r->k->stmts[s->args[0]];
        bool arg = red->kind == ST_REDUCER && (red->op == OP_ARGMAX || red->op == OP_ARGMIN);
        r->value[v] = arg && !s->imm ? r->second[s->args[0]] : r->value[s->args[0]];
        break;
    }
    case ST_CARRY:   r->value[v] = r->value[s->args[0]]; break;
    case ST_SET:     r->next[s->args[0]] = r->value[s->args[1]]; break;
    case ST_TEST:    r->left = !r->value[s->args[0]]; break;
    case ST_PREFIX:  r->value[v] = prefix(r, s, v); break;
    case ST_COUNTER: r->value[v] = (uint64_t)r->counter[s->imm]; break;
    case ST_LOOP:
    case ST_END:     break;
    }
}

/* Runs from `at` to the END that closes this block, or to a TEST that is false. */
static void block(Run *r, uint32_t at)
{
    for (; at < r->k->n_stmts && r->k->stmts[at].kind != ST_END && !r->left; at++) {
        if (r->k->stmts[at].kind == ST_LOOP) {
            run_loop(r, at);
            at = loop_end(r->k, at);
        } else step(r, at);
    }
}

static void run_kernel(Run *r, const Kernel *k)
{
    size_t n = k->n_stmts + 1;
    r->k = k;
    r->value = calloc(n, sizeof *r->value);
    r->second = calloc(n, sizeof *r->second);
    r->next = calloc(n, sizeof *r->next);
    r->block = calloc(n, sizeof *r->block);
    r->index = calloc(n, sizeof *r->index);
    block(r, 0);
    free(r->value);
    free(r->second);
    free(r->next);
    free(r->block);
    free(r->index);
    r->k = NULL;
}

/* ---- steps ---- */

/* The step behind `at` that belongs to the same LOOP, WHILE or CASE: its next BRANCH if any is asked for, or
 * its END. */
static uint32_t step_after(const Run *r, uint32_t at, uint32_t opened, bool branch)
{
    for (uint32_t i = at + 1; i < r->p->n_steps; i++) {
        const ProgramStep *s = &r->p->steps[i];
        if (s->opened == opened && (s->kind == STEP_END || (branch && s->kind == STEP_BRANCH))) return i;
    }
    return r->p->n_steps;
}

static int64_t number_now(const Run *r, const Address *a)
{
    int64_t at = a->offset;
    for (uint32_t k = 0; k < a->n_terms; k++) at += a->terms[k].coef * r->counter[a->terms[k].of];
    return at;
}

static void call(Run *r, const ProgramStep *s)
{
    void *buffers[64];
    if (s->n_buffers > 64 || s->function >= LIBRARY_COUNT || !(r->p->library >> s->function & 1)) {
        wrong(r, "a call of what is not there");
        return;
    }
    for (uint32_t i = 0; i < s->n_buffers; i++) {
        int64_t at = s->at ? number_now(r, &s->at[i]) : 0;
        buffers[i] =
            r->base[s->buffers[i]] + at * (int64_t)dtype_bytes((DType)r->p->buffers[s->buffers[i]].dtype);
    }
    library_functions[s->function](buffers, s->numbers, NULL);
}

static uint32_t choose_branch(Run *r, uint32_t at)
{
    const ProgramStep *s = &r->p->steps[at];
    int64_t which = scalar_to_i64(WEFT_I32, scalar_load(WEFT_I32, r->base[s->buffer]));
    if (which < 0 || which >= s->extent) which = s->extent - 1;
    uint32_t branch = at;
    for (int64_t i = 0; i <= which; i++) branch = step_after(r, branch, at, true);
    return branch + 1;
}

static void swap_memory(Run *r, const ProgramStep *s)
{
    char *memory = r->base[s->buffer];
    r->base[s->buffer] = r->base[s->other];
    r->base[s->other] = memory;
}

/* At the END of what `opened` opened: again, or on. */
static uint32_t end_step(Run *r, uint32_t at, uint32_t opened)
{
    const ProgramStep *s = &r->p->steps[opened];
    if (s->kind == STEP_CASE) return at + 1;
    if (s->parallel) {
        if (!r->counter[s->counter]--) return at + 1;
        memcpy(r->base, r->before, r->p->n_buffers * sizeof *r->base);
        return opened + 1;
    }
    int64_t done = ++r->counter[s->counter], extent = s->kind == STEP_LOOP ? s->extent : MAX_ITERATIONS;
    if (done < extent) return opened + 1;
    if (s->kind == STEP_WHILE) wrong(r, "a while loop does not end");
    return at + 1;
}

/* Does the step at `at`; returns the next. */
static uint32_t do_step(Run *r, uint32_t at)
{
    const ProgramStep *s = &r->p->steps[at];
    switch ((StepKind)s->kind) {
    case STEP_KERNEL: run_kernel(r, &r->p->kernels[s->kernel]); break;
    case STEP_LOOP:
        r->counter[s->counter] = s->parallel ? s->extent - 1 : 0; /* pieces from the last to the first */
        if (s->parallel) memcpy(r->before, r->base, r->p->n_buffers * sizeof *r->base);
        if (s->extent == 0) return step_after(r, at, at, false) + 1;
        break;
    case STEP_WHILE: r->counter[s->counter] = 0; break;
    case STEP_TEST:
        if (!scalar_load(WEFT_BOOL, r->base[s->buffer])) return step_after(r, at, s->opened, false) + 1;
        break;
    case STEP_CASE:   return choose_branch(r, at);
    case STEP_BRANCH: return step_after(r, at, s->opened, false) + 1;
    case STEP_END:    return end_step(r, at, s->opened);
    case STEP_SWAP:   swap_memory(r, s); break;
    case STEP_COUNT:  r->counter[s->counter] = number_now(r, s->at); break;
    case STEP_CALL:   call(r, s); break;
    }
    return at + 1;
}

static char *memory_of(const Buffer *b, const void *const *in, void *const *out, char *scratch)
{
    switch ((BufferKind)b->kind) {
    case BUF_INPUT:  return (char *)(uintptr_t)in[b->index];
    case BUF_OUTPUT: return out[b->index];
    case BUF_CONST:  return (char *)(uintptr_t)b->data;
    default:         return (b->index ? (char *)out[b->index - 1] : scratch) + b->offset;
    }
}

bool program_run(const Program *p, const void *const *in, void *const *out, char *why, size_t size)
{
    Run r = { .p = p, .why = why, .size = size, .ok = true };
    char *scratch = malloc(p->scratch_bytes + 1);
    r.base = calloc(p->n_buffers + 1, sizeof *r.base);
    r.before = calloc(p->n_buffers + 1, sizeof *r.before);
    r.counter = calloc(p->n_counters + 1, sizeof *r.counter);
    memset(scratch, 0xA5, p->scratch_bytes);
    for (uint32_t i = 0; i < p->n_buffers; i++) r.base[i] = memory_of(&p->buffers[i], in, out, scratch);
    if (!p->n_steps)
        for (uint32_t i = 0; i < p->n_kernels && r.ok; i++) run_kernel(&r, &p->kernels[i]);
    for (uint32_t at = 0; at < p->n_steps && r.ok;) at = do_step(&r, at);
    free(scratch);
    free(r.base);
    free(r.before);
    free(r.counter);
    return r.ok;
}
