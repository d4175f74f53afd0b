/* twins.c: see twins.h. Statements are compared with buffers and counters named by their places in the
 * kernel's Uses, and with offsets from the first access. */
#include "twins.h"
#include <string.h>

typedef struct Twin {
    uint64_t hash;
    uint32_t kernel;
    Uses *uses;
} Twin; /* uses NULL: free */

struct Twins {
    Arena *arena;
    const Program *program;
    /* 1 + place in the uses of the kernel being looked at; 0: not yet */
    uint32_t *buffer_place, *counter_place;
    Twin *table;
    uint32_t size; /* open addressing */
};

Twins *twins_new(Arena *arena, const Program *p)
{
    Twins *t = arena_alloc(arena, sizeof *t);
    *t = (Twins){ .arena = arena, .program = p, .size = 16 };
    while (t->size < 2 * p->n_kernels) t->size *= 2;
    t->table = arena_alloc(arena, t->size * sizeof *t->table);
    t->buffer_place = arena_alloc(arena, (p->n_buffers + 1) * sizeof *t->buffer_place);
    t->counter_place = arena_alloc(arena, (p->n_counters + 1) * sizeof *t->counter_place);
    return t;
}

/* ---- uses ---- */

static void note(uint32_t number, uint32_t *place, uint32_t *list, uint32_t *n)
{
    if (place[number]) return;
    list[(*n)++] = number;
    place[number] = *n;
}

static void forget(Twins *t, const Uses *u)
{
    for (uint32_t i = 0; i < u->n_buffers; i++) t->buffer_place[u->buffer[i]] = 0;
    for (uint32_t i = 0; i < u->n_counters; i++) t->counter_place[u->counter[i]] = 0;
}

static uint32_t count_uses(const Kernel *k)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < k->n_stmts; i++)
        n += stmt_uses_buffer(&k->stmts[i]) || k->stmts[i].kind == ST_COUNTER;
    return n + (k->rows > 0);
}

static void note_uses(Twins *t, const Kernel *k, Uses *u)
{
    if (k->rows) note(k->counter, t->counter_place, u->counter, &u->n_counters);
    for (uint32_t i = 0; i < k->n_stmts; i++) {
        const Stmt *s = &k->stmts[i];
        if (stmt_uses_buffer(s) && !t->buffer_place[s->buffer]) {
            u->from[u->n_buffers] = s->address.offset;
            u->high[u->n_buffers] = t->program->buffers[s->buffer].count;
            note(s->buffer, t->buffer_place, u->buffer, &u->n_buffers);
        }
        if (s->kind == ST_COUNTER) note((uint32_t)s->imm, t->counter_place, u->counter, &u->n_counters);
    }
}

Uses uses_of(Twins *t, const Kernel *k, uint32_t n)
{
    uint32_t most = 1;
    for (uint32_t i = 0; i < n; i++) most += count_uses(&k[i]);
    Uses u = { .buffer = arena_alloc(t->arena, most * sizeof *u.buffer),
               .counter = arena_alloc(t->arena, most * sizeof *u.counter),
               .apart = arena_alloc(t->arena, most * sizeof *u.apart),
               .from = arena_alloc(t->arena, most * sizeof *u.from),
               .low = arena_alloc(t->arena, most * sizeof *u.low),
               .high = arena_alloc(t->arena, most * sizeof *u.high) };
    for (uint32_t i = 0; i < n; i++) note_uses(t, &k[i], &u);
    forget(t, &u);
    return u;
}

/* ---- the same ---- */

static bool same_attr(const Stmt *a, const Stmt *b)
{
    return !stmt_has_attr(a) || !memcmp(a->attr, b->attr, 2 * sizeof *a->attr);
}

/* But for buffers, where they are accessed, and counters. */
static bool same_stmt(const Stmt *a, const Stmt *b)
{
    return a->kind == b->kind && a->op == b->op && a->dtype == b->dtype && a->index_dtype == b->index_dtype &&
           a->parallel == b->parallel && a->streamed == b->streamed && a->lanes == b->lanes &&
           a->tile == b->tile && a->halo == b->halo && !memcmp(a->args, b->args, sizeof a->args) &&
           a->extent == b->extent && (a->kind == ST_COUNTER || a->imm == b->imm) && same_attr(a, b) &&
           (stmt_uses_buffer(a) ? address_moves_alike : address_equal)(a->address, b->address);
}

/* Is each access to the buffer where counted loops say, and nowhere else? */
static bool is_known(const Kernel *k, uint32_t buffer)
{
    for (uint32_t i = 0; i < k->n_stmts; i++) {
        const Stmt *s = &k->stmts[i];
        if (!stmt_uses_buffer(s) || s->buffer != buffer) continue;
        if (s->args[s->kind == ST_STORE] != VAL_NONE) return false; /* a mask */
        for (uint32_t t = 0; t < s->address.n_terms; t++) {
            const Stmt *of = &k->stmts[s->address.terms[t].of];
            if (of->kind != ST_LOOP || of->extent == EXTENT_WHILE) return false;
        }
    }
    return true;
}

static bool same_buffer(const Twins *t, const Kernel *k, const Uses *a, const Uses *b, uint32_t i)
{
    const Buffer *x = &t->program->buffers[a->buffer[i]], *y = &t->program->buffers[b->buffer[i]];
    return x->dtype == y->dtype && x->count == y->count && a->apart[i] == b->apart[i] &&
           (a->from[i] == b->from[i] || is_known(k, a->buffer[i]));
}

/* The places of b's buffers and counters are known. */
static bool same(const Twins *t, const Twin *twin, const Kernel *b, const Uses *u)
{
    const Kernel *a = &t->program->kernels[twin->kernel];
    if (a->n_stmts != b->n_stmts || a->rows != b->rows || twin->uses->n_buffers != u->n_buffers ||
        twin->uses->n_counters != u->n_counters)
        return false;
    for (uint32_t i = 0; i < u->n_buffers; i++)
        if (!same_buffer(t, a, twin->uses, u, i)) return false;
    for (uint32_t i = 0; i < a->n_stmts; i++) {
        const Stmt *x = &a->stmts[i], *y = &b->stmts[i];
        if (!same_stmt(x, y)) return false;
        if (stmt_uses_buffer(y)) {
            uint32_t at = t->buffer_place[y->buffer] - 1;
            if (twin->uses->buffer[at] != x->buffer ||
                x->address.offset - twin->uses->from[at] != y->address.offset - u->from[at])
                return false;
        }
        if (y->kind == ST_COUNTER && twin->uses->counter[t->counter_place[y->imm] - 1] != x->imm)
            return false;
    }
    return true;
}

static uint64_t mix(uint64_t h, uint64_t x) { return (h ^ x ^ h >> 29) * 0x9e3779b97f4a7c15u; }

static uint64_t hash_of(const Twins *t, const Kernel *k, const Uses *u)
{
    uint64_t h = k->n_stmts;
    for (uint32_t i = 0; i < k->n_stmts; i++) {
        const Stmt *s = &k->stmts[i];
        int64_t offset = s->address.offset;
        if (stmt_uses_buffer(s)) offset -= u->from[t->buffer_place[s->buffer] - 1];
        h = mix(h, (uint64_t)s->kind << 24 | (uint64_t)s->op << 16 | (uint64_t)s->dtype << 8 |
                       (stmt_uses_buffer(s) ? t->buffer_place[s->buffer] & 0xff : 0));
        h = mix(h, (uint64_t)s->extent ^ (s->kind == ST_COUNTER ? 0 : s->imm) ^ (uint64_t)offset << 20);
        for (int a = 0; a < 3; a++) h = mix(h, s->args[a]);
        for (uint32_t a = 0; a < s->address.n_terms; a++)
            h = mix(h, (uint64_t)s->address.terms[a].of << 32 ^ (uint64_t)s->address.terms[a].coef);
    }
    return h;
}

/* What is there of both. */
static void meet(Uses *first, const Uses *u)
{
    for (uint32_t i = 0; i < u->n_buffers; i++) {
        int64_t further = u->from[i] - first->from[i], low = u->low[i] - further, high = u->high[i] - further;
        if (first->low[i] < low) first->low[i] = low;
        if (first->high[i] > high) first->high[i] = high;
    }
}

uint32_t twins_find(Twins *t, uint32_t kernel, Uses *u)
{
    const Kernel *k = &t->program->kernels[kernel];
    for (uint32_t i = 0; i < u->n_buffers; i++) t->buffer_place[u->buffer[i]] = i + 1;
    for (uint32_t i = 0; i < u->n_counters; i++) t->counter_place[u->counter[i]] = i + 1;
    uint64_t hash = hash_of(t, k, u);
    Twin *found = &t->table[hash & (t->size - 1)];
    while (found->uses && !(found->hash == hash && same(t, found, k, u)))
        found = found + 1 == t->table + t->size ? t->table : found + 1;
    if (!found->uses) *found = (Twin){ hash, kernel, u };
    else meet(found->uses, u);
    forget(t, u);
    return found->kernel;
}
