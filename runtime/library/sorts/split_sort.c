/* split_sort.c: see split_sort.h. */
#include "split_sort.h"
#include <stdatomic.h>
#include <string.h>
#include "compiler/graph/comparator.h"

/* so many give one limit */
enum { SAMPLES_OF_PART = 32 };

typedef struct Split {
    const SplitSort *sort;
    size_t bytes;
    /* ints less than number i of these, and not less than those before, are of part i */
    int64_t limits[SORT_MOST_PARTS];   /* or of 4 bytes each */
    size_t start[SORT_MOST_PARTS + 1]; /* of each part */
    _Atomic bool *merged;
} Split;

static char *at(const Split *p, void *list, size_t i) { return (char *)list + i * p->bytes; }
static size_t chunk_start(const SplitSort *s, size_t chunk) { return s->n / s->parts * chunk; }
static size_t chunk_end(const SplitSort *s, size_t chunk)
{
    return chunk + 1 < s->parts ? chunk_start(s, chunk + 1) : s->n;
}

/* Where part `part` of a chunk begins in it. */
static size_t begin_in(const SplitSort *s, size_t chunk, size_t part)
{
    return part ? s->table[chunk * s->parts + part - 1] : 0;
}
static size_t end_in(const SplitSort *s, size_t chunk, size_t part)
{
    return s->table[chunk * s->parts + part];
}

static void find_limits(Split *p, void *counters)
{
    const SplitSort *s = p->sort;
    size_t samples = SAMPLES_OF_PART * s->parts;
    s->sample(s->of, samples, s->b);
    void *sorted = sort_ints(s->sorters, s->kind, s->b, s->a, samples, 0, 8 * (int)p->bytes, counters);
    for (size_t i = 0; i + 1 < s->parts; i++)
        memcpy(at(p, p->limits, i), at(p, sorted, (i + 1) * SAMPLES_OF_PART), p->bytes);
}

static void deal_chunk(const void *frame, int64_t piece, void *counters)
{
    const Split *p = frame;
    const SplitSort *s = p->sort;
    size_t chunk = (size_t)piece, from = chunk_start(s, chunk), n = chunk_end(s, chunk) - from;
    (void)counters;
    if (s->read(s->of, from, n, at(p, s->a, from)))
        atomic_store_explicit(p->merged, true, memory_order_relaxed);
    s->sorters->deal[s->kind](at(p, s->a, from), at(p, s->b, from), n, p->limits, s->parts - 1,
                              s->table + chunk * s->parts);
}

static void find_starts(Split *p)
{
    const SplitSort *s = p->sort;
    memset(p->start, 0, sizeof p->start);
    for (size_t chunk = 0; chunk < s->parts; chunk++)
        for (size_t i = 0; i < s->parts; i++) p->start[i + 1] += end_in(s, chunk, i) - begin_in(s, chunk, i);
    for (size_t i = 0; i < s->parts; i++) p->start[i + 1] += p->start[i];
}

static void collect_part(const void *frame, int64_t part, void *counters)
{
    const Split *p = frame;
    const SplitSort *s = p->sort;
    char *to = at(p, s->b, p->start[part]);
    (void)counters;
    for (size_t chunk = 0; chunk < s->parts; chunk++) {
        size_t begin = begin_in(s, chunk, (size_t)part),
               bytes = (end_in(s, chunk, (size_t)part) - begin) * p->bytes;
        memcpy(to, at(p, s->a, chunk_start(s, chunk) + begin), bytes);
        to += bytes;
    }
}

static void sort_part(const void *frame, int64_t part, void *counters)
{
    const Split *p = frame;
    const SplitSort *s = p->sort;
    size_t from = p->start[part], n = p->start[part + 1] - from;
    if (n == 0) return;
    s->sorters->sort_part[s->kind](s->coding, at(p, s->b, from), at(p, s->a, from), n, counters);
    if (s->done) s->done(s->of, from, n, counters);
}

bool split_sort(const SplitSort *s, const Crew *crew)
{
    _Atomic bool merged = false;
    Split p = { .sort = s, .bytes = s->kind == INTS_4 ? 4 : 8, .merged = &merged };
    find_limits(&p, crew->counters);
    crew_run(crew, deal_chunk, &p, s->parts);
    find_starts(&p);
    crew_run(crew, collect_part, &p, s->parts);
    crew_run(crew, sort_part, &p, s->parts);
    return merged;
}
