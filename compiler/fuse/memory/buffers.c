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
 * scratch.
 *
 * A temporary that is done with before an output is first written lies in that output's memory instead, if it
 * has room: the gradient of the last layer's weights comes first, that of the first layer's last. An output
 * that may be a donated input's memory, or that exchanges names, has none to lend. Small temporaries stay in
 * scratch, which is in the caches. */
#include "buffers.h"
#include "alias.h"
#include "compiler/fuse/integers.h"
#include <stdlib.h>

typedef struct Life {
    uint32_t buffer, first, last;
    bool is_shared, is_followed; /* by an exchange of names; by another life, in its memory */
    int64_t bytes, offset;
    uint32_t home; /* the buffer whose memory it has: its own, or that of the life that it follows */
} Life;

enum {
    LEAST_LENT = 1 << 14, /* bytes */
    MOST_LENDERS = 64     /* outputs that are asked, the largest: a limit */
};

static int by_size(const void *a, const void *b)
{
    const Life *x = a, *y = b;
    if (x->bytes != y->bytes) return x->bytes > y->bytes ? -1 : 1;
    return x->buffer < y->buffer ? -1 : x->buffer > y->buffer;
}

/* Lives in the order of their offsets. */
typedef struct Placed {
    const Life **life;
    uint32_t n, capacity;
    uint32_t last; /* the one that was placed last */
} Placed;

/* Puts a life among those placed, where it ends at `most` at the latest. False: there is no room. */
static bool place(Arena *a, Life *life, Placed *among, int64_t most)
{
    int64_t at = 0;
    uint32_t n = among->n, i = 0;
    const Life *like = n ? among->life[among->last] : NULL;
    /* One as large that lives as long found no room before its own: thousands of carries do. */
    if (like && like->bytes == life->bytes && like->first == life->first && like->last == life->last) {
        at = like->offset + like->bytes;
        i = among->last + 1;
    }
    for (; i < n && among->life[i]->offset < at + life->bytes; i++) {
        const Life *x = among->life[i];
        int64_t end = x->offset + x->bytes;
        if (end > at && x->first <= life->last && life->first <= x->last) at = end;
    }
    if (life->bytes > most - at) return false;
    life->offset = at;
    among->life = arena_grow(a, among->life, n, &among->capacity, n + 1, sizeof *among->life);
    for (; n > 0 && among->life[n - 1]->offset > at; n--) among->life[n] = among->life[n - 1];
    among->life[n] = life;
    among->last = n;
    among->n++;
    return true;
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
    case STEP_COUNT:
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

/* a ends with the kernel that b begins with. */
static bool can_follow(const Program *p, const KernelUses *uses, const Life *a, const Life *b)
{
    /* Two that live in one step alone could follow each other. */
    return a->first < b->first && a->bytes == b->bytes && !a->is_shared && !b->is_shared && !a->is_followed &&
           p->buffers[a->buffer].kind == BUF_TEMP && p->buffers[b->buffer].kind == BUF_TEMP &&
           alias_in_listed(p, uses, a->buffer, b->buffer);
}

/* The first life of those that follow one another lasts as long as all of them. */
static void follow(Lives *l, uint32_t n)
{
    const Program *p = l->p;
    size_t n_steps = p->n_steps ? p->n_steps : p->n_kernels;
    KernelUses *uses = alias_new_uses(p);
    uint32_t *ended = arena_alloc(p->arena, (n_steps + 1) * sizeof *ended), /* lists of lives, by step; */
        *begun = arena_alloc(p->arena, (n_steps + 1) * sizeof *begun),      /* 1 + life, 0: no more */
            *next_ended = arena_alloc(p->arena, (n + 1) * sizeof *next_ended),
             *next_begun = arena_alloc(p->arena, (n + 1) * sizeof *next_begun),
             *before = arena_alloc(p->arena, (n + 1) * sizeof *before);
    for (uint32_t i = 0; i < n; i++) {
        if (l->life[i].first == UINT32_MAX) continue;
        next_ended[i] = ended[l->life[i].last];
        ended[l->life[i].last] = i + 1;
    }
    for (uint32_t i = n; i-- > 0;) {
        if (l->life[i].first == UINT32_MAX) continue;
        next_begun[i] = begun[l->life[i].first];
        begun[l->life[i].first] = i + 1;
    }
    for (uint32_t step = 0; step < n_steps; step++) {
        const Kernel *k = ended[step] && begun[step] ? kernel_of(p, step) : NULL;
        if (k) alias_list_uses(p, uses, k);
        for (uint32_t i = k ? begun[step] : 0; i; i = next_begun[i - 1])
            for (uint32_t j = ended[step]; j && !before[i - 1]; j = next_ended[j - 1]) {
                if (!can_follow(p, uses, &l->life[j - 1], &l->life[i - 1])) continue;
                l->life[j - 1].is_followed = true;
                before[i - 1] = j;
            }
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

/* ---- the memory of outputs ---- */

typedef struct Lender {
    uint32_t output, from; /* the step with which it is an output */
    int64_t bytes;
    Placed placed;
} Lender;

static int by_bytes(const void *a, const void *b)
{
    const Lender *x = a, *y = b;
    if (x->bytes != y->bytes) return x->bytes > y->bytes ? -1 : 1;
    if (x->from != y->from) return x->from > y->from ? -1 : 1;
    return x->output < y->output ? -1 : x->output > y->output;
}

/* By step: the outermost loop around it; the step itself, if there is none. */
static uint32_t *outermost(Arena *arena, const Program *p)
{
    uint32_t *outer = arena_alloc(arena, (p->n_steps + 1) * sizeof *outer);
    for (uint32_t i = 0; i < p->n_steps; i++) outer[i] = i;
    for (uint32_t i = p->n_steps; i-- > 0;)
        if (p->steps[i].kind == STEP_END && is_loop(&p->steps[p->steps[i].opened]))
            for (uint32_t begin = p->steps[i].opened; i > begin; i--) outer[i] = begin;
    return outer;
}

/* Outputs that lend, the largest first. In a loop an output may be written at each step, and what one wrote
 * must not be written over by the next. */
static uint32_t find_lenders(Arena *arena, const Program *p, const Life *life, uint32_t n, Lender *lender)
{
    const uint32_t *outer = outermost(arena, p);
    uint32_t found = 0;
    for (uint32_t i = 0; i < n; i++) {
        const Buffer *b = &p->buffers[life[i].buffer];
        if (b->kind != BUF_OUTPUT || b->alias >= 0 || life[i].first == UINT32_MAX || life[i].is_shared)
            continue;
        uint32_t from = p->n_steps ? outer[life[i].first] : life[i].first;
        if (from && buffer_bytes(b) >= LEAST_LENT)
            lender[found++] = (Lender){ .output = b->index, .from = from, .bytes = buffer_bytes(b) };
    }
    qsort(lender, found, sizeof *lender, by_bytes);
    return found < MOST_LENDERS ? found : MOST_LENDERS;
}

/* Puts temporaries, largest first, into the smallest output that has room, of these into the first to be
 * written. */
static void lend_outputs(Arena *arena, Program *p, Life *life, uint32_t n)
{
    Lender *lender = arena_alloc(arena, (n + 1) * sizeof *lender);
    uint32_t n_lenders = find_lenders(arena, p, life, n, lender);
    for (uint32_t i = 0; i < n && n_lenders; i++) {
        Buffer *b = &p->buffers[life[i].buffer];
        if (b->kind != BUF_TEMP || life[i].first == UINT32_MAX || life[i].is_shared ||
            life[i].bytes < LEAST_LENT || life[i].home != life[i].buffer)
            continue;
        for (uint32_t k = n_lenders; k-- > 0 && !b->index;)
            if (life[i].last < lender[k].from && place(arena, &life[i], &lender[k].placed, lender[k].bytes))
                b->index = lender[k].output + 1;
        if (b->index) b->offset = life[i].offset;
    }
}

/* ---- scratch ---- */

/* Places the buffers of one kind from `start` on. Returns where they end. */
static size_t place_all(Arena *arena, Program *p, Life *life, uint32_t n, BufferKind kind, size_t start)
{
    Placed placed = { 0 };
    int64_t bytes = 0;
    for (uint32_t i = 0; i < n; i++) {
        Buffer *b = &p->buffers[life[i].buffer];
        if (b->kind != kind || b->index || life[i].home != life[i].buffer) continue;
        if (life[i].first == UINT32_MAX) {
            b->count = 0;
            continue;
        }
        place(arena, &life[i], &placed, INT64_MAX);
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
        if (b->kind != BUF_OUTPUT) p->buffers[i].index = 0;
        lives.slot[i] = n + 1;
        life[n++] = (Life){ .buffer = i, .home = i, .first = UINT32_MAX, .bytes = bytes };
    }
    find_lives(&lives, n);
    follow(&lives, n);
    qsort(life, n, sizeof *life, by_size);
    lend_outputs(arena, p, life, n);
    size_t temps = place_all(arena, p, life, n, BUF_TEMP, 0);
    for (uint32_t i = 0; i < n; i++) {
        Buffer *b = &p->buffers[life[i].buffer];
        if (b->kind != BUF_TEMP) continue;
        b->offset = p->buffers[life[i].home].offset;
        b->index = p->buffers[life[i].home].index;
    }
    p->scratch_bytes = place_all(arena, p, life, n, BUF_LOCAL, temps);
    p->local_bytes = p->scratch_bytes - temps;
}
