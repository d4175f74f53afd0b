/* split_sort.h: one long row of ints in ascending order, by several threads.
 *
 * The row is cut into chunks. Each deals its ints to parts, by limits that samples of the row gave, with the
 * partitions that begin a quicksort; then each part is collected from the chunks, and sorted. So no more is
 * done than a sort does anyway, but that every int is moved once more. Which ints meet in a part depends on
 * the row alone, not on how many threads there are. */
#ifndef WEFT_LIBRARY_SPLIT_SORT_H
#define WEFT_LIBRARY_SPLIT_SORT_H
#include "compiler/program/workers.h"
#include "key_sorters.h"

/* Who helps: at most as many as there are counters for. */
typedef struct Crew {
    Workers workers;
    void *counters; /* the caller's; the others' follow, counter_bytes each */
    int64_t counter_bytes;
    int64_t ns; /* the whole sort, on one thread: each of its loops is worth what all are */
} Crew;

static inline void crew_run(const Crew *c, PieceFn *fn, const void *frame, size_t pieces)
{
    c->workers.run(&c->workers, fn, frame, c->counters,
                   &(ParallelLoop){ (int64_t)pieces, c->counter_bytes, c->ns });
}

typedef struct SplitSort {
    const KeySorters *sorters; /* that have vectors */
    const Coding *coding;      /* by which the ints in their places are decoded */
    KeyKind kind;
    size_t n, parts; /* parts: at most SORT_MOST_PARTS; chunks, too */
    void *a, *b;     /* n ints each; they end up in a */
    size_t *table;   /* parts * parts */
    /* Writes the ints number from .. from + n - 1; returns whether their coding merged any. */
    bool (*read)(const void *of, size_t from, size_t n, void *to);
    /* Writes some of the ints from all over the row, or lesser ones: limits are taken from them. */
    void (*sample)(const void *of, size_t n, void *to);
    /* from .. from + n - 1 are in their places; NULL: nothing is to be done. counters: the thread's own */
    void (*done)(const void *of, size_t from, size_t n, void *counters);
    const void *of;
} SplitSort;

/* Returns whether the coding merged any. */
bool split_sort(const SplitSort *, const Crew *);
#endif
