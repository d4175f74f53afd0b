/* buffers.c: offsets of temporaries: first fit over the buffers by size, largest first, each against those
 * placed already whose lives meet its own.
 *
 * A life is a run of steps, from the first that touches the buffer to the last. What is touched both inside
 * and outside of a loop lives through all of the loop, for its end is followed by its beginning; so does what
 * is touched in a loop over bands, where only a window of each array takes scratch (bands.c). Buffers that
 * exchange names live as one; so do two of which a kernel reads one for the last time and writes the other
 * first, if each element is read before it is written (alias.h): less memory stays in the caches. (adi: 668
 * -> 607 us, with AVX2 729 -> 616.) Row buffers (LOCAL) live within one kernel, behind all others: they are
 * what each thread has of its own. Outputs have lives because names are exchanged with them, but take no
 * scratch. */
#include "buffers.h"
#include "alias.h"
#include "integers.h"
#include <stdlib.h>

typedef struct Life {
    uint32_t buffer, first, last;
    bool is_shared, is_followed; /* by an exchange of names; by another life, in its memory */
    int64_t bytes, offset;
    uint32_t home; /* the buffer whose memory it has: its own, or that of the life that it follows */
} Life;

static int by_size(const void *a, const void *b)
{
    const Life *x = a, *y = b;
    if (x->bytes != y->bytes) return x->bytes > y->bytes ? -1 : 1;
    return x->buffer < y->buffer ? -1 : x->buffer > y->buffer;
}

/* Puts life k among those placed, n of them in the order of their offsets. */
static void place(Life *life, uint32_t k, const Life **placed, uint32_t n)
{
    int64_t at = 0;
    for (uint32_t i = 0; i < n && placed[i]->offset < at + life[k].bytes; i++) {
        int64_t end = placed[i]->offset + placed[i]->bytes;
        if (end > at && placed[i]->first <= life[k].last && life[k].first <= placed[i]->last) at = end;
    }
    life[k].offset = at;
    for (; n > 0 && placed[n - 1]->offset > at; n--) placed[n] = placed[n - 1];
    placed[n] = &life[k];
}

/* slot: 1 + index of a buffer's life; 0: it has none */
typedef struct Lives {
    Program *p;
    Life *life;
    uint32_t *slot;
} Lives;

static void touch(Lives *l, uint32_t buffer, uint32_t step)
{
    if (!l->slot[buffer]) return;
    Life *x = &l->life[l->slot[buffer] - 1];
    if (x->first > step) x->first = step;
    if (x->last < step) x->last = step;
}

static void touch_kernel(Lives *l, const Kernel *k, uint32_t step)
{
    for (uint32_t i = 0; i < k->n_stmts; i++)
        if (stmt_uses_buffer(&k->stmts[i])) touch(l, k->stmts[i].buffer, step);
}

static void touch_step(Lives *l, const ProgramStep *s, uint32_t step)
{
    switch ((StepKind)s->kind) {
    case STEP_KERNEL: touch_kernel(l, &l->p->kernels[s->kernel], step); break;
    case STEP_TEST:
    case STEP_CASE:   touch(l, s->buffer, step); break;
    case STEP_SWAP:
        touch(l, s->buffer, step);
        touch(l, s->other, step);
        break;
    case STEP_CALL:
        for (uint32_t i = 0; i < s->n_buffers; i++) touch(l, s->buffers[i], step);
        break;
    case STEP_LOOP:
    case STEP_WHILE:
    case STEP_BRANCH:
    case STEP_END:    break;
    }
}

static bool is_loop(const ProgramStep *s) { return s->kind == STEP_LOOP || s->kind == STEP_WHILE; }

/* Both names stand for both memories from here on. */
static bool unite(Lives *l, const ProgramStep *s)
{
    uint32_t x = l->slot[s->buffer], y = l->slot[s->other];
    if (!x || !y) return false;
    Life *a = &l->life[x - 1], *b = &l->life[y - 1];
    a->is_shared = b->is_shared = true;
    uint32_t first = a->first < b->first ? a->first : b->first, last = a->last > b->last ? a->last : b->last;
    bool more = a->first != first || b->first != first || a->last != last || b->last != last;
    a->first = b->first = first;
    a->last = b->last = last;
    return more;
}

/* The loop from step `begin` to step `end`; through: what lives inside only lives all through it, too. */
static bool stretch(Life *l, uint32_t n, uint32_t begin, uint32_t end, bool through)
{
    bool more = false;
    for (uint32_t i = 0; i < n; i++) {
        bool outside = through || l[i].first < begin || l[i].last > end,
             inside = l[i].first <= end && l[i].last >= begin;
        if (l[i].first == UINT32_MAX || !outside || !inside || (l[i].first <= begin && l[i].last >= end))
            continue;
        if (l[i].first > begin) l[i].first = begin;
        if (l[i].last < end) l[i].last = end;
        more = true;
    }
    return more;
}

static void find_lives(Lives *l, uint32_t n)
{
    const Program *p = l->p;
    for (uint32_t k = 0; k < p->n_kernels && !p->n_steps; k++) touch_kernel(l, &p->kernels[k], k);
    for (uint32_t i = 0; i < p->n_steps; i++) touch_step(l, &p->steps[i], i);
    for (bool more = p->n_steps > 0; more;) {
        more = false;
        for (uint32_t i = 0; i < p->n_steps; i++) {
            const ProgramStep *s = &p->steps[i];
            if (s->kind == STEP_SWAP) more |= unite(l, s);
            if (s->kind == STEP_END && is_loop(&p->steps[s->opened]))
                more |= stretch(l->life, n, s->opened, i,
                                p->steps[s->opened].bands || p->steps[s->opened].parallel);
        }
    }
}

/* ---- one after the other in one memory */

static const Kernel *kernel_of(const Program *p, uint32_t step)
{
    if (!p->n_steps) return &p->kernels[step];
    return p->steps[step].kind == STEP_KERNEL ? &p->kernels[p->steps[step].kernel] : NULL;
}

static bool can_follow(const Program *p, const Life *a, const Life *b)
{
    /* Two that live in one step alone could follow each other. */
    const Kernel *k = kernel_of(p, b->first);
    return k && a->first < b->first && a->bytes == b->bytes && !a->is_shared && !b->is_shared &&
           !a->is_followed && p->buffers[a->buffer].kind == BUF_TEMP &&
           p->buffers[b->buffer].kind == BUF_TEMP && alias_in_kernel(p, k, a->buffer, b->buffer);
}

/* The first life of those that follow one another lasts as long as all of them. */
static void follow(Lives *l, uint32_t n)
{
    const Program *p = l->p;
    size_t n_steps = p->n_steps ? p->n_steps : p->n_kernels;
    uint32_t *ended = arena_alloc(p->arena, (n_steps + 1) * sizeof *ended), /* lists of lives, by step; */
        *next = arena_alloc(p->arena, (n + 1) * sizeof *next),              /* 1 + life, 0: no more */
            *before = arena_alloc(p->arena, (n + 1) * sizeof *before);
    for (uint32_t i = 0; i < n; i++) {
        if (l->life[i].first == UINT32_MAX) continue;
        next[i] = ended[l->life[i].last];
        ended[l->life[i].last] = i + 1;
    }
    for (uint32_t i = 0; i < n; i++) {
        Life *x = &l->life[i], *a = NULL;
        for (uint32_t j = x->first == UINT32_MAX ? 0 : ended[x->first]; j && !a; j = next[j - 1])
            if (can_follow(p, &l->life[j - 1], x)) a = &l->life[j - 1];
        if (!a) continue;
        a->is_followed = true;
        before[i] = (uint32_t)(a - l->life) + 1;
    }
    for (uint32_t i = 0; i < n; i++) {
        uint32_t first = i;
        while (before[first]) first = before[first] - 1;
        if (first == i) continue;
        before[i] = first + 1;
        l->life[i].home = l->life[first].buffer;
        if (l->life[first].last < l->life[i].last) l->life[first].last = l->life[i].last;
    }
}

/* Places the buffers of one kind from `start` on. Returns where they end. */
static size_t place_all(Arena *arena, Program *p, Life *life, uint32_t n, BufferKind kind, size_t start)
{
    const Life **placed = arena_alloc(arena, (n + 1) * sizeof *placed);
    uint32_t n_placed = 0;
    int64_t bytes = 0;
    for (uint32_t i = 0; i < n; i++) {
        Buffer *b = &p->buffers[life[i].buffer];
        if (b->kind != kind || life[i].home != life[i].buffer) continue;
        if (life[i].first == UINT32_MAX) {
            b->count = 0;
            continue;
        }
        place(life, i, placed, n_placed++);
        b->offset = (int64_t)start + life[i].offset;
        bytes = max_i64(bytes, life[i].offset + life[i].bytes);
    }
    return start + (size_t)bytes;
}

void plan_buffers(Arena *arena, Program *p)
{
    Life *life = arena_alloc(arena, (p->n_buffers + 1) * sizeof *life);
    Lives lives = { p, life, arena_alloc(arena, (p->n_buffers + 1) * sizeof *lives.slot) };
    uint32_t n = 0;
    for (uint32_t i = 0; i < p->n_buffers; i++) {
        const Buffer *b = &p->buffers[i];
        if (b->kind != BUF_TEMP && b->kind != BUF_LOCAL && b->kind != BUF_OUTPUT) continue;
        int64_t bytes =
            b->kind == BUF_OUTPUT ? 0 : (b->count * (int64_t)dtype_bytes((DType)b->dtype) + 63) / 64 * 64;
        lives.slot[i] = n + 1;
        life[n++] = (Life){ .buffer = i, .home = i, .first = UINT32_MAX, .bytes = bytes };
    }
    find_lives(&lives, n);
    follow(&lives, n);
    qsort(life, n, sizeof *life, by_size);
    size_t temps = place_all(arena, p, life, n, BUF_TEMP, 0);
    for (uint32_t i = 0; i < n; i++)
        if (p->buffers[life[i].buffer].kind == BUF_TEMP)
            p->buffers[life[i].buffer].offset = p->buffers[life[i].home].offset;
    p->scratch_bytes = place_all(arena, p, life, n, BUF_LOCAL, temps);
    p->local_bytes = p->scratch_bytes - temps;
}
