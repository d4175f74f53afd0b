/* library_sort.c: rows are read as ints whose order is the wanted one, sorted as such (sort_row.h), and
 * written out.
 *
 * Rows whose elements lie apart are turned, a line of the cache wide: else each would read all those lines
 * again. Short ones are sorted as they lie, in lanes side by side.
 *
 * Several threads take rows in turn, each in scratch of its own; or all of them one row after the other,
 * which is split (split_sort.h).
 */
#include "library_sort.h"
#include <string.h>
#include "sort_row.h"

enum { MAX_OPERANDS = 64 };

/* The counters of digits come first, then what is turned, the elements last. */
static void use_scratch(Sort *s, void *scratch, int64_t bytes)
{
    int64_t half = sort_half_bytes(s->numbers);
    s->counters = scratch;
    s->turned_rows = (char *)scratch + sort_counter_bytes(s->numbers[SORT_LENGTH]);
    s->half[0] = (char *)scratch + bytes - 2 * half;
    s->half[1] = s->half[0] + half;
}

static Sort sort_of(const int64_t *numbers, void *scratch)
{
    Sort s = { .numbers = numbers,
               .dtype = numbers + SORT_DTYPES,
               .n = (size_t)numbers[SORT_N],
               .n_keys = (size_t)numbers[SORT_N_KEYS],
               .length = (size_t)numbers[SORT_LENGTH],
               .stride = (size_t)numbers[SORT_INNER],
               .turned = (size_t)sort_turned(numbers),
               .recent = processor_is_recent(),
               .sorters = key_sorters(numbers[SORT_VECTOR_BYTES]) };
    s.key = s.dtype + s.n;
    while (s.position_bits < 62 && (s.length - 1) >> s.position_bits) s.position_bits++;
    for (size_t k = 0; k < s.n_keys; k++)
        s.coding[k] = coding_of((DType)s.dtype[s.key[2 * k]], (uint64_t)s.key[2 * k + 1]);
    bool merges = !s.coding[0].zero_kept && !s.coding[0].nan_kept;
    s.pair_kind = s.sorters->sort_f64 ? DOUBLES : INTS_8;
    s.key_kind = key_bits(&s, 0) < 64 ? INTS_4 : merges ? s.pair_kind : INTS_8;
    if (sort_has_columns(numbers) && !s.sorters->sort_columns[s.key_kind]) s.turned = 1;
    use_scratch(&s, scratch, sort_scratch_bytes(numbers));
    return s;
}

typedef enum { KEYS_ALONE, IN_COLUMNS, IN_PAIRS, PARTITIONED, SELECTED } HowToSort;

static HowToSort how_to_sort(const Sort *s)
{
    bool only_key = sort_wants_key_alone(s->numbers);
    if (sort_is_partition(s->numbers)) return PARTITIONED;
    if (s->turned > 1 && sort_has_columns(s->numbers)) return IN_COLUMNS;
    if (sort_selects(s->numbers) && !(only_key && rather_sorts(s))) return SELECTED;
    return only_key ? KEYS_ALONE : IN_PAIRS;
}

/* One row, or n columns. */
static void sort_row(const Sort *s, HowToSort how, const void *const *in, void *const *out, size_t n)
{
    switch (how) {
    case KEYS_ALONE:  sort_keys(s, in[s->key[0]], out[s->key[0]]); return;
    case IN_COLUMNS:  sort_columns(s, in[s->key[0]], out[s->key[0]], n); return;
    case IN_PAIRS:    sort_pairs(s, in, out); return;
    case PARTITIONED: sort_partition(s, in, out); return;
    case SELECTED:    sort_selected(s, in, out); return;
    }
}

/* Turns operand i of n rows that begin side by side, or (back) what is wanted of it. */
static void turn(const Sort *s, size_t i, char *turned, void *there, size_t n, bool back)
{
    const RowLoops *loops = &loops_of_bytes[bytes_of(s, i)];
    size_t pitch = (size_t)sort_turned_bytes(s->numbers, (int64_t)i), from = (size_t)s->numbers[SORT_FROM];
    if (!back) loops->turn(there, turned, n, s->length, s->stride, pitch);
    else
        loops->turn_back(turned + from * bytes_of(s, i), (char *)there + from * s->stride * bytes_of(s, i), n,
                         (size_t)s->numbers[SORT_TO] - from, s->stride, pitch);
}

/* n rows that begin side by side. Each is sorted to one row more, and put back where it was. */
static void sort_turned_rows(const Sort *s, HowToSort how, const void *const *in, void *const *out, size_t n)
{
    char *turned[MAX_OPERANDS + 1] = { s->turned_rows };
    Sort one = *s;
    one.stride = 1;
    for (size_t i = 0; i < s->n; i++) {
        turned[i + 1] = turned[i] + (s->turned + 1) * (size_t)sort_turned_bytes(s->numbers, (int64_t)i);
        if (!is_counting(s, i)) turn(s, i, turned[i], (void *)in[i], n, false);
    }
    for (size_t row = 0; row < n; row++) {
        void *from[MAX_OPERANDS], *to[MAX_OPERANDS];
        for (size_t i = 0; i < s->n; i++) {
            size_t pitch = (size_t)sort_turned_bytes(s->numbers, (int64_t)i);
            from[i] = turned[i] + row * pitch;
            to[i] = turned[i + 1] - pitch;
        }
        sort_row(&one, how, (const void *const *)from, to, 1);
        for (size_t i = 0; i < s->n; i++) {
            size_t first = (size_t)s->numbers[SORT_FROM] * bytes_of(s, i),
                   end = (size_t)s->numbers[SORT_TO] * bytes_of(s, i);
            if (is_wanted(s, i)) memcpy((char *)from[i] + first, (char *)to[i] + first, end - first);
        }
    }
    for (size_t i = 0; i < s->n; i++)
        if (is_wanted(s, i)) turn(s, i, turned[i], out[i], n, true);
}

static size_t least(size_t a, size_t b) { return a < b ? a : b; }

static void sort_rows(const Sort *s, void *const *buffers, size_t first, size_t end)
{
    HowToSort how = how_to_sort(s);
    for (size_t row = first, n; row < end; row += n) {
        const void *in[MAX_OPERANDS];
        void *out[MAX_OPERANDS];
        size_t at = row / s->stride * s->length * s->stride + row % s->stride;
        for (size_t i = 0; i < s->n; i++) {
            in[i] = (const char *)buffers[i] + at * bytes_of(s, i);
            out[i] = (char *)buffers[s->n + i] + at * bytes_of(s, i);
        }
        n = least(s->turned, least(end - row, s->stride - row % s->stride));
        if (n > 1 && how != IN_COLUMNS) sort_turned_rows(s, how, in, out, n);
        else sort_row(s, how, in, out, n);
    }
}

/* Rows are dealt to pieces of LEAST_PIECE_NS or more. */
enum { LEAST_PIECES = 2, MOST_PIECES = 256, LEAST_PIECE_NS = 5000 };

typedef struct RowPieces {
    const Sort *sort;
    void *const *buffers;
    size_t rows, pieces;
} RowPieces;

static void sort_piece(const void *frame, int64_t piece, void *scratch)
{
    const RowPieces *r = frame;
    Sort s = *r->sort;
    size_t i = (size_t)piece, blocks = (r->rows + s.turned - 1) / s.turned;
    use_scratch(&s, scratch, sort_row_bytes(s.numbers));
    sort_rows(&s, r->buffers, blocks * i / r->pieces * s.turned,
              least(blocks * (i + 1) / r->pieces * s.turned, r->rows));
}

static void sort_in_pieces(const Sort *s, void *const *buffers, size_t rows, const Workers *workers)
{
    size_t ns = (size_t)sort_ns(s->numbers), pieces = ns / LEAST_PIECE_NS;
    if (pieces < LEAST_PIECES) pieces = LEAST_PIECES;
    if (pieces > MOST_PIECES) pieces = MOST_PIECES;
    pieces = least(pieces, (rows + s->turned - 1) / s->turned);
    workers->run(workers, sort_piece, &(RowPieces){ s, buffers, rows, pieces }, s->counters,
                 &(ParallelLoop){ (int64_t)pieces, sort_row_bytes(s->numbers), (int64_t)ns });
}

static void sort_split(Sort *s, void *const *buffers, size_t rows, const Workers *workers)
{
    Crew crew = { .workers = *workers,
                  .counters = s->counters,
                  .counter_bytes = sort_counter_bytes((int64_t)s->length),
                  .ns = sort_ns(s->numbers) };
    s->crew = &crew;
    s->parts = (size_t)sort_parts(s->numbers);
    s->table = (size_t *)(void *)((char *)s->counters + s->numbers[SORT_THREADS] * crew.counter_bytes);
    sort_rows(s, buffers, 0, rows);
}

void library_sort(void *const *buffers, const int64_t *numbers, const Workers *workers)
{
    size_t n = (size_t)numbers[SORT_N], rows = (size_t)(numbers[SORT_OUTER] * numbers[SORT_INNER]);
    if (n > MAX_OPERANDS || numbers[SORT_LENGTH] == 0) return;
    Sort s = sort_of(numbers, buffers[2 * n]);
    Workers few = workers ? *workers : (Workers){ .most = 1 }; /* as many as have scratch */
    if (few.most > numbers[SORT_THREADS]) few.most = numbers[SORT_THREADS];
    if (few.most > 1 && sort_parts(numbers) == 1) sort_in_pieces(&s, buffers, rows, &few);
    else if (few.most > 1 && s.sorters->deal[0]) sort_split(&s, buffers, rows, &few);
    else sort_rows(&s, buffers, 0, rows);
}
