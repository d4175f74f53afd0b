/* constants.c: see constants.h. By kernel and element type, so that equal kernels stay equal. */
#include "constants.h"
#include <string.h>

/* What several kernels read is there once for each, and small. */
enum { LEAST_TOGETHER = 4, MOST_BYTES = 1 << 20, SMALL_BYTES = 4 << 10, APART = 64 };

typedef struct Gatherer {
    Program *p;
    uint32_t *readers; /* by buffer: how many kernels */
    bool *is_whole; /* by buffer: a step has its address, or data say where it is read: it may be a table */
    uint32_t *list, n; /* what comes together, by first use */
    int64_t *place;    /* by buffer: 1 + the first of its elements in the one of all; 0: it does not come */
} Gatherer;

/* The buffers of the kernel's loads, each once, in order; in x->list. */
static void list_constants(Gatherer *x, const Kernel *k)
{
    x->n = 0;
    for (Val v = 0; v < k->n_stmts; v++) {
        const Stmt *s = &k->stmts[v];
        if (s->kind != ST_LOAD || x->p->buffers[s->buffer].kind != BUF_CONST || x->place[s->buffer]) continue;
        x->place[s->buffer] = 1;
        x->list[x->n++] = s->buffer;
    }
    for (uint32_t i = 0; i < x->n; i++) x->place[x->list[i]] = 0;
}

static bool is_by_data(const Kernel *k, const Stmt *load)
{
    for (uint32_t i = 0; i < load->address.n_terms; i++) {
        StmtKind of = (StmtKind)k->stmts[load->address.terms[i].of].kind;
        if (of != ST_LOOP && of != ST_COUNTER) return true;
    }
    return false;
}

static void count_readers(Gatherer *x)
{
    const Program *p = x->p;
    for (uint32_t k = 0; k < p->n_kernels; k++) {
        list_constants(x, &p->kernels[k]);
        for (uint32_t i = 0; i < x->n; i++) x->readers[x->list[i]]++;
        for (Val v = 0; v < p->kernels[k].n_stmts; v++) {
            const Stmt *s = &p->kernels[k].stmts[v];
            if (s->kind == ST_LOAD && is_by_data(&p->kernels[k], s)) x->is_whole[s->buffer] = true;
        }
    }
    for (uint32_t i = 0; i < p->n_steps; i++) {
        const ProgramStep *s = &p->steps[i];
        for (uint32_t k = 0; k < s->n_buffers; k++) x->is_whole[s->buffers[k]] = true;
        x->is_whole[s->buffer] = x->is_whole[s->other] = true; /* 0, of a step without, is no constant's */
    }
}

static bool may_come(const Gatherer *x, uint32_t buffer, DType t)
{
    const Buffer *b = &x->p->buffers[buffer];
    int64_t most = x->readers[buffer] > 1 ? SMALL_BYTES : MOST_BYTES;
    return b->dtype == t && !x->is_whole[buffer] && buffer_bytes(b) <= most;
}

/* Elements, and the distance to whatever comes next. */
static int64_t room_for(const Buffer *b)
{
    int64_t apart = APART / (int64_t)dtype_bytes((DType)b->dtype);
    return (b->count + apart - 1) / apart * apart;
}

/* One buffer for those on the list; what nothing else reads is gone. */
static uint32_t join(Gatherer *x, DType t, int64_t count)
{
    Program *p = x->p;
    char *data = arena_alloc(p->arena, (size_t)count * dtype_bytes(t));
    for (uint32_t i = 0; i < x->n; i++) {
        Buffer *b = &p->buffers[x->list[i]];
        size_t bytes = (size_t)buffer_bytes(b);
        memcpy(data + (size_t)(x->place[x->list[i]] - 1) * dtype_bytes(t), b->data, bytes);
        if (--x->readers[x->list[i]] == 0) b->count = 0;
    }
    return program_add_buffer(
        p,
        (Buffer){
            .kind = BUF_CONST, .dtype = (uint8_t)t, .index = p->n_consts++, .count = count, .data = data });
}

static void gather(Gatherer *x, Kernel *k, DType t)
{
    int64_t count = 0;
    uint32_t n = 0;
    list_constants(x, k);
    for (uint32_t i = 0; i < x->n; i++)
        if (may_come(x, x->list[i], t)) x->list[n++] = x->list[i];
    x->n = n;
    for (uint32_t i = 0; i < n; i++) {
        x->place[x->list[i]] = 1 + count;
        count += room_for(&x->p->buffers[x->list[i]]);
    }
    if (n >= LEAST_TOGETHER && count * (int64_t)dtype_bytes(t) <= MOST_BYTES) {
        uint32_t all = join(x, t, count);
        for (Val v = 0; v < k->n_stmts; v++) {
            Stmt *s = &k->stmts[v];
            if (s->kind != ST_LOAD || s->buffer == all || !x->place[s->buffer]) continue;
            s->address.offset += x->place[s->buffer] - 1;
            s->buffer = all;
        }
    }
    for (uint32_t i = 0; i < n; i++) x->place[x->list[i]] = 0;
}

void constants_gather(Program *p)
{
    size_t n = p->n_buffers + (size_t)p->n_kernels * DTYPE_COUNT + 1; /* and of those that come to be */
    Gatherer x = { .p = p,
                   .readers = arena_alloc(p->arena, n * sizeof *x.readers),
                   .is_whole = arena_alloc(p->arena, n * sizeof *x.is_whole),
                   .list = arena_alloc(p->arena, n * sizeof *x.list),
                   .place = arena_alloc(p->arena, n * sizeof *x.place) };
    count_readers(&x);
    for (uint32_t k = 0; k < p->n_kernels; k++) {
        list_constants(&x, &p->kernels[k]);
        uint64_t types = 0;
        for (uint32_t i = 0; x.n >= LEAST_TOGETHER && i < x.n; i++)
            types |= UINT64_C(1) << p->buffers[x.list[i]].dtype;
        for (int t = 0; t < DTYPE_COUNT; t++)
            if (types >> t & 1) gather(&x, &p->kernels[k], (DType)t);
    }
}
