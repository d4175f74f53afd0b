/* program_run.c: see program_run.h. Each statement has one 64-bit value; elementwise ops are eager's on single elements. */
#include "program_run.h"
#include "runtime/eager/eager.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct Run {
    const Program *p;
    const Kernel *k;
    const void *const *in;
    void *const *out;
    char *scratch;
    uint64_t *value, *second, *next;        /* per statement; second: ARG index; next: what SET set */
    int64_t *index;                         /* per LOOP */
    char *why; size_t size;
    bool ok;
} Run;

static void *resize(void *user, void *p, size_t old, size_t bytes)
{
    (void)user; (void)old;
    if (!bytes) { free(p); return NULL; }
    return realloc(p, bytes);
}
static const Allocator heap = { resize, NULL };

static int64_t address(const Run *r, Address a)
{
    int64_t sum = a.offset;
    for (uint32_t i = 0; i < a.n_terms; i++) {
        const Stmt *s = &r->k->stmts[a.terms[i].of];
        sum += a.terms[i].coef * (s->kind == ST_LOOP ? r->index[a.terms[i].of] : scalar_to_i64((DType)s->dtype, r->value[a.terms[i].of]));
    }
    return sum;
}

static char *memory(Run *r, const Stmt *s)
{
    const Buffer *b = &r->p->buffers[s->buffer];
    int64_t i = address(r, s->address);
    if (i < 0 || i >= b->count) {
        if (r->ok) snprintf(r->why, r->size, "kernel %s: buffer %u of %lld elements is touched at %lld", r->k->name, s->buffer, (long long)b->count, (long long)i);
        r->ok = false;
        return NULL;
    }
    char *base = b->kind == BUF_INPUT ? (char *)(uintptr_t)r->in[b->index] : b->kind == BUF_OUTPUT ? r->out[b->index]
               : b->kind == BUF_CONST ? (char *)(uintptr_t)b->data : r->scratch + b->offset;
    return base + i * (int64_t)dtype_bytes((DType)b->dtype);
}

static uint64_t apply(Op op, DType t, const int64_t *attr, int n, const DType *types, const uint64_t *args)
{
    Type at[3];
    uint64_t cell[3], result = 0;
    const void *in[3];
    Ref refs[3] = { 0, 1, 2 };
    void *out[1] = { &result };
    for (int i = 0; i < n; i++) { at[i] = (Type){ (uint8_t)types[i], 0, NULL }; scalar_store(types[i], &cell[i], args[i]); in[i] = &cell[i]; }
    NodeSpec spec = { .op = op, .args = refs, .n_args = (uint32_t)n, .attr = attr, .n_attr = attr ? 2 : 0, .dtype = t };
    Type ot = { (uint8_t)t, 0, NULL };
    eager_op(&spec, at, in, &ot, out, &heap, NULL);
    return scalar_load(t, &result);
}

static void fold(Run *r, const Stmt *s)
{
    const Stmt *red = &r->k->stmts[s->args[0]];
    DType t = (DType)red->dtype;
    uint64_t v = r->value[s->args[1]], acc = r->value[s->args[0]];
    if (red->op != OP_ARGMAX && red->op != OP_ARGMIN) {
        r->value[s->args[0]] = apply((Op)red->op, t, NULL, 2, (DType[]){ t, t }, (uint64_t[]){ acc, v });
        return;
    }
    double x = scalar_to_double(t, v), best = scalar_to_double(t, acc);
    bool more = x > best, less = x < best;
    if (t == WEFT_U64 || t == WEFT_I64) {       /* a double cannot tell all of them apart */
        uint64_t sign = t == WEFT_I64 ? UINT64_C(1) << 63 : 0;
        more = (v ^ sign) > (acc ^ sign);
        less = (v ^ sign) < (acc ^ sign);
    }
    bool better = (red->op == OP_ARGMAX ? more : less) || (x != x && best == best);
    if (better) { r->value[s->args[0]] = v; r->second[s->args[0]] = r->value[s->args[2]]; }
}

static uint64_t worst(const Stmt *s)
{
    return monoid_start(s->op == OP_ARGMAX ? OP_MAX : s->op == OP_ARGMIN ? OP_MIN : (Op)s->op, (DType)s->dtype);
}

static uint32_t block(Run *r, uint32_t at);

/* The last block of a blocked axis is what is left of it. */
static int64_t loop_extent(const Run *r, const Stmt *s)
{
    if (s->split == VAL_NONE) return s->extent;
    int64_t left = s->total - s->extent * r->index[s->split];
    return left < s->extent ? left : s->extent;
}

static void run_loop(Run *r, uint32_t v)
{
    int64_t extent = loop_extent(r, &r->k->stmts[v]);
    for (r->index[v] = 0; r->index[v] < extent && r->ok; r->index[v]++) {
        uint32_t end = block(r, v + 1);
        for (uint32_t i = v + 1; i < end; i++)
            if (r->k->stmts[i].kind == ST_SET) r->value[r->k->stmts[i].args[0]] = r->next[r->k->stmts[i].args[0]];
    }
}

static uint32_t loop_end(const Run *r, uint32_t v)
{
    uint32_t i = v + 1;
    while (r->k->stmts[i].kind != ST_END || r->k->stmts[i].args[0] != v) i++;
    return i;
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
    case ST_OP:
        for (; n < 3 && s->args[n] != VAL_NONE; n++) {
            args[n] = r->value[s->args[n]];
            const Stmt *a = &r->k->stmts[s->args[n]];
            types[n] = (DType)a->dtype;
        }
        r->value[v] = apply((Op)s->op, t, s->attr, n, types, args);
        break;
    case ST_REDUCER: r->value[v] = worst(s); r->second[v] = 0; break;
    case ST_FOLD: fold(r, s); break;
    case ST_TOTAL: {
        const Stmt *red = &r->k->stmts[s->args[0]];
        bool arg = red->kind == ST_REDUCER && (red->op == OP_ARGMAX || red->op == OP_ARGMIN) && s->imm == 0;
        r->value[v] = arg ? r->second[s->args[0]] : r->value[s->args[0]];
        break;
    }
    case ST_CARRY: r->value[v] = r->value[s->args[0]]; break;
    case ST_SET: r->next[s->args[0]] = r->value[s->args[1]]; break;
    case ST_LOOP: case ST_END: break;
    }
}

/* Runs from `at` to the END that closes this block; returns its index. */
static uint32_t block(Run *r, uint32_t at)
{
    for (; at < r->k->n_stmts && r->k->stmts[at].kind != ST_END; at++) {
        if (r->k->stmts[at].kind == ST_LOOP) { run_loop(r, at); at = loop_end(r, at); }
        else step(r, at);
    }
    return at;
}

bool program_run(const Program *p, const void *const *in, void *const *out, char *why, size_t size)
{
    Run r = { .p = p, .in = in, .out = out, .scratch = malloc(p->scratch_bytes + 1), .why = why, .size = size, .ok = true };
    memset(r.scratch, 0xA5, p->scratch_bytes);
    for (uint32_t i = 0; i < p->n_kernels && r.ok; i++) {
        r.k = &p->kernels[i];
        size_t n = r.k->n_stmts + 1;
        r.value = calloc(n, sizeof *r.value);
        r.second = calloc(n, sizeof *r.second);
        r.next = calloc(n, sizeof *r.next);
        r.index = calloc(n, sizeof *r.index);
        block(&r, 0);
        free(r.value); free(r.second); free(r.next); free(r.index);
    }
    free(r.scratch);
    return r.ok;
}
