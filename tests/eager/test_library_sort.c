/* test_library_sort.c: the library's sorts against a slow one, with vectors of each size that the processor
 * has: all types, orders, lengths of up to 300 and some long ones, and rows that quicksort dislikes; by the
 * caller alone, in pieces and split. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>
#include "runtime/library/sorts/library_sort.h"

static uint64_t state = 1;
static uint64_t random_bits(void)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return state * UINT64_C(0x2545F4914F6CDD1D);
}

/* ---- the slow sort ---- */

static uint64_t bits_at(DType t, const void *data, size_t i)
{
    uint64_t bits = 0;
    size_t bytes = dtype_bytes(t);
    memcpy(&bits, (const char *)data + i * bytes, bytes);
    return bits;
}

typedef struct Place {
    long double order[2]; /* by two keys */
    size_t position;
} Place;

static long double order_of(DType t, uint64_t bits, uint32_t flags)
{
    int width = 8 * (int)dtype_bytes(t);
    uint64_t sign = dtype_is_signed(t) ? UINT64_C(1) << (width - 1) : 0, magnitude = bits & ~sign;
    bool negative = bits & sign;
    long double order = negative ? (long double)magnitude - (long double)sign : (long double)magnitude;
    if (dtype_is_float(t)) {
        uint64_t inf = (sign - 1) & ~((UINT64_C(1) << dtype_info[t].mantissa_bits) - 1);
        order = negative ? -1 - (long double)magnitude : (long double)magnitude;
        if (magnitude == 0 && flags & SORT_ZEROS_EQUAL) order = 0;
        if (magnitude > inf && flags & SORT_NANS_EQUAL) order = 0x1p64L;
    }
    return flags & SORT_DESCENDING ? -order : order;
}

static int compare_places(const void *a, const void *b)
{
    const Place *x = a, *y = b;
    for (int k = 0; k < 2; k++)
        if (x->order[k] != y->order[k]) return x->order[k] < y->order[k] ? -1 : 1;
    return x->position < y->position ? -1 : x->position > y->position;
}

/* ---- rows ---- */

/* Zero, the least denormal, infinity, NaNs, or what else there is. */
static uint64_t special(DType t, uint64_t which, uint64_t magnitude)
{
    uint64_t ulp = dtype_is_float(t) ? UINT64_C(1) << dtype_info[t].mantissa_bits : 16,
             inf = (UINT64_C(1) << (8 * dtype_bytes(t) - 1)) - ulp;
    return which < 2 ? which : which == 2 ? inf : which == 3 ? inf | 1 | magnitude % ulp : magnitude;
}

/* A small whole number, of floats in their highest bits; rarely with the lowest bit, too. */
static uint64_t whole(DType t, uint64_t r)
{
    double d = (double)(r >> 8 & 7) - 3;
    float f = (float)d;
    uint64_t bits = r >> 8 & 7, lowest = r % 32 == 0;
    uint32_t narrow;
    if (t == WEFT_F64) memcpy(&bits, &d, sizeof d);
    memcpy(&narrow, &f, sizeof f);
    return t == WEFT_F64 ? bits ^ lowest : t == WEFT_F32 ? narrow ^ lowest : bits;
}

enum { PATTERNS = 13 };
static uint64_t value(DType t, int pattern, size_t i, size_t n)
{
    int width = 8 * (int)dtype_bytes(t);
    uint64_t top = UINT64_C(1) << (width - 1), all = UINT64_MAX >> (64 - width), r = random_bits();
    switch (pattern) {
    case 0: return r & all;
    case 1: return i & all;
    case 2: return (n - i) & all;
    case 3: return (i < n / 2 ? i : n - i) & all;
    case 4: return top ^ 7;
    case 5: return (r % 5) & all;
    case 6: return r & 1 ? all : r & top;                                    /* all ones; 0 and -0 */
    case 7: return ((r & 3) == 0 ? r : (r & top) | (top - 1 - r % 3)) & all; /* extremes, NaNs */
    case 8: return ((r & 7) + ((r >> 8 & 7) << (width / 2))) & all;          /* equal in their high halves */
    case 9: return (r >> 8 & (top >> 3)) | (r & 3);
    case 10: /* some zeros, few numbers beside them; all others have one sign */
        return r % 64 ? (n & 1 ? top : 0) | (r >> 8 & (top - 1)) : (r & top) | (r >> 20) % 16 / 13;
    case 11: return (r & top) | special(t, r % 5, r >> 8 & (top - 1));
    default: return whole(t, r);
    }
}

typedef struct Sorting {
    int64_t numbers[SORT_NUMBERS_MAX];
    SortOrder order;
    uint32_t n;
    DType dtype[3];
    size_t outer, length, inner, elements;
    int64_t counting; /* operands that say their own position */
    void *in[3], *want[3];
} Sorting;

enum { GUARD = 64 };
static void *room(size_t bytes, int fill)
{
    char *p = malloc(bytes + GUARD);
    cr_assert(p);
    memset(p, fill, bytes + GUARD);
    return p;
}
static void check_guard(const void *p, size_t bytes, int fill)
{
    for (size_t i = 0; i < GUARD; i++) cr_assert(((const unsigned char *)p)[bytes + i] == fill);
}

/* What the slow sort makes of row `row`, to want. */
static void sort_slowly(Sorting *s, size_t row)
{
    size_t at = row / s->inner * s->length * s->inner + row % s->inner;
    Place *place = calloc(s->length + 1, sizeof *place);
    for (size_t i = 0; i < s->length; i++) {
        place[i].position = i;
        for (uint32_t k = 0; k < s->order.n_keys; k++) {
            uint32_t operand = s->order.key[k].operand;
            uint64_t bits = bits_at(s->dtype[operand], s->in[operand], at + i * s->inner);
            place[i].order[k] = order_of(s->dtype[operand], bits, s->order.key[k].flags);
        }
    }
    qsort(place, s->length, sizeof *place, compare_places);
    for (uint32_t o = 0; o < s->n; o++) {
        size_t bytes = dtype_bytes(s->dtype[o]);
        for (size_t i = 0; i < s->length; i++)
            memcpy((char *)s->want[o] + (at + i * s->inner) * bytes,
                   (char *)s->in[o] + (at + place[i].position * s->inner) * bytes, bytes);
    }
    free(place);
}

static void prepare(Sorting *s)
{
    Type types[3];
    int64_t dim[3] = { (int64_t)s->outer, (int64_t)s->length, (int64_t)s->inner };
    for (uint32_t o = 0; o < s->n; o++) types[o] = (Type){ s->dtype[o], 3, dim };
    sort_numbers(&s->order, types, s->n, 1, s->numbers);
    s->elements = s->outer * s->length * s->inner;
    for (uint32_t o = 0; o < s->n; o++) s->want[o] = room(s->elements * dtype_bytes(s->dtype[o]), 0);
    for (size_t row = 0; row < s->outer * s->inner; row++) sort_slowly(s, row);
}

/* Pieces from the last to the first, as if three threads took turns, each in memory with rubbish in it. */
enum { THREADS = 3 };
static void run_in_turn(const Workers *w, PieceFn *fn, const void *frame, void *local, const ParallelLoop *l)
{
    for (int64_t piece = l->pieces; piece-- > 0;) {
        char *own = (char *)local + piece % w->most * l->local_bytes;
        memset(own, 0xf5, (size_t)l->local_bytes);
        fn(frame, piece, own);
    }
}
static const Workers in_turn = { run_in_turn, THREADS + 1, NULL, 0 };

/* The fast sort, of vectors of up to so many bytes; positions from .. to - 1 of what is wanted are looked at.
 */
static void check_with(Sorting *s, int64_t vector_bytes, size_t from, size_t to, int64_t wanted,
                       const Workers *workers)
{
    void *buffers[7];
    s->numbers[SORT_VECTOR_BYTES] = vector_bytes;
    s->numbers[SORT_WANTED] = wanted;
    s->numbers[SORT_COUNTING] = random_bits() >> 20 & 1 ? s->counting : 0;
    s->numbers[SORT_FROM] = (int64_t)from;
    s->numbers[SORT_TO] = (int64_t)to;
    s->numbers[SORT_THREADS] = workers ? THREADS : 1;
    size_t scratch = (size_t)sort_scratch_bytes(s->numbers);
    for (uint32_t o = 0; o < s->n; o++) {
        buffers[o] = s->numbers[SORT_COUNTING] >> o & 1 ? NULL : s->in[o];
        buffers[s->n + o] = room(s->elements * dtype_bytes(s->dtype[o]), 0xA5);
    }
    buffers[2 * s->n] = aligned_alloc(64, (scratch + GUARD + 63) / 64 * 64);
    memset((char *)buffers[2 * s->n] + scratch, 0x5A, GUARD);
    library_sort(buffers, s->numbers, workers);
    check_guard(buffers[2 * s->n], scratch, 0x5A);
    for (uint32_t o = 0; o < s->n; o++) {
        size_t bytes = dtype_bytes(s->dtype[o]);
        check_guard(buffers[s->n + o], s->elements * bytes, 0xA5);
        for (size_t i = 0; i < s->elements; i++) {
            size_t position = i / s->inner % s->length;
            if (position < from || position >= to || !(wanted >> o & 1)) continue;
            cr_assert(!memcmp((char *)buffers[s->n + o] + i * bytes, (char *)s->want[o] + i * bytes, bytes),
                      "%s, %u operands, %u keys, flags %u, [%zu, %zu, %zu], vectors of %d: operand %u at %zu",
                      dtype_info[s->dtype[0]].name, s->n, s->order.n_keys, s->order.key[0].flags, s->outer,
                      s->length, s->inner, (int)vector_bytes, o, i);
        }
        free(buffers[s->n + o]);
    }
    free(buffers[2 * s->n]);
}

static void check(Sorting *s, size_t from, size_t to)
{
    prepare(s);
    for (int64_t bytes = 16; bytes <= 64; bytes *= 2) {
        check_with(s, bytes, from, to, -1, NULL);
        check_with(s, bytes, from, to, 1 << random_bits() % s->n, NULL);
        check_with(s, bytes, from, to, -1, &in_turn);
    }
    for (uint32_t o = 0; o < s->n; o++) free(s->want[o]);
}

static void *row_of(DType t, int pattern, size_t rows, size_t n)
{
    size_t bytes = dtype_bytes(t);
    char *data = room(rows * n * bytes, 0);
    for (size_t i = 0; i < rows * n; i++) {
        uint64_t v = value(t, pattern, i, n);
        if (t == WEFT_BOOL) v &= 1;
        memcpy(data + i * bytes, &v, bytes);
    }
    return data;
}

static uint32_t some_flags(DType t)
{
    uint32_t flags = (uint32_t)(random_bits() >> 20 & 7);
    return dtype_is_float(t) ? flags : flags & SORT_DESCENDING;
}

static const DType key_types[] = { WEFT_F32, WEFT_F64, WEFT_I32, WEFT_I64, WEFT_U32,  WEFT_U64, WEFT_I8,
                                   WEFT_U8,  WEFT_I16, WEFT_U16, WEFT_F16, WEFT_BF16, WEFT_BOOL };
enum { KEY_TYPES = sizeof key_types / sizeof *key_types };

/* form 0: keys alone; 1: with positions; 2: with what is no position; 3: two keys; 4: several strided rows */
enum { FORMS = 5 };
static size_t strided_rows = 3;
static void check_row(DType t, int pattern, int form, size_t n, size_t from, size_t to)
{
    size_t rows = form == 4 ? 2 * strided_rows : 1;
    Sorting s = { .n = form == 0   ? 1
                       : form == 3 ? 3
                                   : 2,
                  .dtype = { t, WEFT_I32, WEFT_U8 },
                  .outer = form == 4 ? 2 : 1,
                  .length = n,
                  .inner = form == 4 ? strided_rows : 1 };
    if (form == 4) s.n = 1 + (uint32_t)(random_bits() >> 9 & 1);
    s.order = (SortOrder){ .n_keys = form == 3 ? 2 : 1, .key = { { 0, some_flags(t) } } };
    if (form == 3) s.dtype[1] = key_types[random_bits() % KEY_TYPES];
    if (form == 3) s.order.key[1] = (SortKey){ 1, some_flags(s.dtype[1]) };
    s.in[0] = row_of(t, pattern, rows, n);
    s.in[1] = row_of(s.dtype[1], form == 1 ? 1 : form == 3 ? 5 : 0, rows, n);
    s.in[2] = row_of(s.dtype[2], 0, rows, n);
    if (form == 1 || form == 4) s.counting = 2;
    for (size_t i = 0; i < rows * n && form == 4; i++)
        ((int32_t *)s.in[1])[i] = (int32_t)(i / strided_rows % n);
    check(&s, from, to);
    for (int o = 0; o < 3; o++) free(s.in[o]);
}

Test(library_sort, short_rows)
{
    for (size_t n = 1; n <= 300; n++)
        for (int t = 0; t < KEY_TYPES; t++)
            for (int form = 0; form < FORMS; form++)
                check_row(key_types[t], (int)(random_bits() % PATTERNS), form, n, 0, n);
}

Test(library_sort, patterns)
{
    static const size_t lengths[] = { 2, 31, 64, 100, 129, 257, 600, 2049, 4095, 4096, 4121, 5000 };
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++)
        for (int t = 0; t < KEY_TYPES; t++)
            for (int pattern = 0; pattern < PATTERNS; pattern++)
                for (int form = 0; form < 4; form++)
                    check_row(key_types[t], pattern, form, lengths[i], 0, lengths[i]);
}

/* Short rows whose elements lie apart are columns in vectors, as many as lanes; the last ones are fewer. */
Test(library_sort, columns)
{
    for (int k = 0; k < 600; k++) {
        size_t n = 1 + random_bits() % (k % 4 ? 70 : 1050), wanted = k % 2 ? n : (n + 1) / 2,
               from = random_bits() % (n - wanted + 1);
        strided_rows = 8 + random_bits() % 30;
        check_row(key_types[k % KEY_TYPES], (int)(random_bits() % PATTERNS), 4, n, from, from + wanted);
    }
}

/* Long rows whose elements lie apart are turned, a line of the cache wide; the last ones are fewer. */
Test(library_sort, turned_rows)
{
    for (int k = 0; k < 200; k++) {
        size_t n = (k % 4 ? 500 : 1000) + random_bits() % 200,
               wanted = k % 2 ? n : 1 + random_bits() % (n / 2), from = random_bits() % (n - wanted + 1);
        strided_rows = 2 + random_bits() % 20;
        check_row(key_types[k % KEY_TYPES], (int)(random_bits() % PATTERNS), 4, n, from, from + wanted);
    }
}

Test(library_sort, long_rows)
{
    for (int t = 0; t < KEY_TYPES; t++)
        for (int pattern = t % 3; pattern < PATTERNS; pattern += 3)
            for (int form = 0; form < (pattern < 4 ? FORMS : FORMS - 1); form++)
                check_row(key_types[t], pattern, form, 70000, 0, 70000);
}

/* A few positions of a row, at its beginning, its end and inside. */
Test(library_sort, selections)
{
    for (int k = 0; k < 4000; k++) {
        size_t n = 2 + random_bits() % (k % 10 ? 300 : 9000),
               wanted = 1 + random_bits() % (k % 2 ? n / 2 : n / 16 + 1),
               from = k % 3 == 0   ? 0
                      : k % 3 == 1 ? n - wanted
                                   : random_bits() % (n - wanted + 1);
        check_row(key_types[random_bits() % KEY_TYPES], (int)(random_bits() % PATTERNS),
                  (int)(random_bits() % 3), n, from, from + wanted);
    }
}

/* The first of them are beside zero, or NaNs: floats' bits order these otherwise than floats do. */
Test(library_sort, selections_beside_zero)
{
    for (int k = 0; k < 400; k++) {
        size_t n = 100 + random_bits() % 3000;
        check_row(k & 1 ? WEFT_F32 : WEFT_F64, k % 4 < 2 ? 7 : 10, (int)(random_bits() % 3), n, 0,
                  1 + random_bits() % (n / 64 + 1));
    }
}

/* A row of which all but a few samples come into the third quarter. There, and in each part that is made of
 * it, the samples are the least elements: a partition drops but them, so that only its limit of depth ends
 * quicksort before it has taken n^2 / samples steps. */
static int64_t *hostile_row(size_t n, size_t samples)
{
    int64_t *row = calloc(n, sizeof *row);
    size_t *left = calloc(n, sizeof *left), n_left = 0;
    int64_t next = 1, half = INT32_MAX / 2;
    for (size_t i = 0; i < n; i++) row[i] = half - (int64_t)(i * 7919 % n);
    for (size_t i = 0, step = n / samples; i < samples; i++)
        row[i * step + step / 2] = i < samples / 4 * 3 ? next++ : half + (int64_t)i;
    for (size_t i = 0; i < n; i++)
        if (row[i] > (int64_t)samples / 2 && row[i] <= half) left[n_left++] = i;
    while (n_left > 4 * samples && next < (int64_t)n / 4) {
        size_t step = n_left / samples, kept = 0;
        for (size_t i = 0; i < samples; i++) {
            int64_t *v = &row[left[i * step + step / 2]];
            if (*v > (int64_t)n / 4) *v = next++;
        }
        for (size_t i = 0; i < n_left; i++)
            if (row[left[i]] >= next - (int64_t)(samples / 2)) left[kept++] = left[i];
        n_left = kept;
    }
    free(left);
    return row;
}

Test(library_sort, hostile_rows)
{
    for (size_t samples = 16; samples <= 64; samples *= 2) {
        size_t n = 30000;
        int64_t *wide = hostile_row(n, samples);
        int32_t *narrow = calloc(n, sizeof *narrow);
        double *real = calloc(n, sizeof *real);
        for (size_t i = 0; i < n; i++) narrow[i] = (int32_t)wide[i], real[i] = (double)wide[i] - 1000.5;
        for (int t = 0; t < 3; t++) {
            Sorting s = { .n = 1,
                          .dtype = { t == 0   ? WEFT_I32
                                     : t == 1 ? WEFT_I64
                                              : WEFT_F64 },
                          .outer = 1,
                          .length = n,
                          .inner = 1 };
            s.order =
                (SortOrder){ .n_keys = 1, .key = { { 0, t == 2 ? SORT_ZEROS_EQUAL | SORT_NANS_EQUAL : 0 } } };
            s.in[0] = t == 0 ? (void *)narrow : t == 1 ? (void *)wide : (void *)real;
            check(&s, 0, n);
        }
        free(wide);
        free(narrow);
        free(real);
    }
}
