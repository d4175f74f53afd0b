/* sort_keys.c: rows of which only the key is wanted, and there is one: its codes alone are sorted. The coding
 * is undone on the way out; where it merged values (zeros, NaNs), what was merged is taken again from the
 * input, in its order there. */
#include "sort_row.h"

/* Elements of 1 and 2 bytes in vectors of ints. */
static bool sort_small(const Sort *s, const Coding *c, const void *in, void *out, size_t bytes)
{
    uint32_t *a = (uint32_t *)s->half[0];
    size_t n = s->length;
    Coding high = coding_raised(c, 32 - 8 * (int)bytes);
    loops_of_bytes[bytes].raise(in, a, n, s->stride);
    bool merged = s->sorters->sort_row[0](&high, a, a, s->half[1], n, s->counters);
    loops_of_bytes[bytes].lower(a, out, n, s->stride);
    return merged;
}

static bool sort_codes(const Sort *s, const Coding *c, const void *in, void *out)
{
    size_t bytes = (size_t)key_bits(s, 0) / 8, n = s->length;
    const RowLoops *loops = &loops_of_bytes[bytes];
    void *a = s->half[0], *b = s->half[1];
    bool in_vectors = s->sorters->sort_row[s->key_kind];
    if (in_vectors && bytes < 4) return sort_small(s, c, in, out, bytes);
    if (in_vectors && s->stride == 1) return s->sorters->sort_row[s->key_kind](c, in, out, a, n, s->counters);
    bool merged = loops->read_keys(c, in, a, n, s->stride);
    void *sorted = sort_ints(s->sorters, s->key_kind, a, b, n, 0, 8 * (int)bytes, s->counters);
    loops->write_keys(c, sorted, out, n, s->stride);
    return merged;
}

/* ---- a row that is split ---- */

typedef struct KeySplit {
    const Sort *sort;
    const Coding *coding, *high; /* high: that of ints of 4 bytes at least */
    const char *in, *codes;
    char *out;
} KeySplit;

/* Codes of n elements, `stride` elements apart. */
static bool read_codes(const KeySplit *p, const void *in, void *to, size_t n, size_t stride)
{
    const Sort *s = p->sort;
    size_t bytes = (size_t)key_bits(s, 0) / 8;
    if (bytes < 4) {
        loops_of_bytes[bytes].raise(in, to, n, stride);
        return s->sorters->read[0](p->high, to, to, n);
    }
    if (stride == 1) return s->sorters->read[s->key_kind](p->coding, in, to, n);
    return loops_of_bytes[bytes].read_keys(p->coding, in, to, n, stride);
}

static bool read_chunk_of_keys(const void *of, size_t from, size_t n, void *to)
{
    const KeySplit *p = of;
    size_t stride = p->sort->stride;
    return read_codes(p, p->in + from * stride * bytes_of(p->sort, (size_t)p->sort->key[0]), to, n, stride);
}

static void sample_keys(const void *of, size_t n, void *to)
{
    const KeySplit *p = of;
    read_codes(p, p->in, to, n, p->sort->length / n * p->sort->stride);
}

static void write_part_of_keys(const void *of, size_t from, size_t n, void *counters)
{
    const KeySplit *p = of;
    size_t bytes = bytes_of(p->sort, (size_t)p->sort->key[0]), stride = p->sort->stride;
    const void *codes = p->codes + from * (bytes == 8 ? 8 : 4);
    char *out = p->out + from * stride * bytes;
    (void)counters;
    if (bytes < 4) loops_of_bytes[bytes].lower(codes, out, n, stride);
    else loops_of_bytes[bytes].write_keys(p->coding, codes, out, n, stride);
}

static bool sort_codes_split(const Sort *s, const Coding *c, const void *in, void *out)
{
    size_t bytes = (size_t)key_bits(s, 0) / 8;
    Coding high = bytes < 4 ? coding_raised(c, 32 - 8 * (int)bytes) : *c;
    bool here = bytes >= 4 && s->stride == 1;
    void *a = here ? out : s->half[0], *b = here ? s->half[0] : s->half[1];
    KeySplit p = { .sort = s, .coding = c, .high = &high, .in = in, .codes = a, .out = out };
    return split_sort(&(SplitSort){ .sorters = s->sorters,
                                    .coding = here || bytes < 4 ? &high : &uncoded,
                                    .kind = s->key_kind,
                                    .n = s->length,
                                    .parts = s->parts,
                                    .a = a,
                                    .b = b,
                                    .table = s->table,
                                    .read = read_chunk_of_keys,
                                    .sample = sample_keys,
                                    .done = here ? NULL : write_part_of_keys,
                                    .of = &p },
                      s->crew);
}

/* How vectors code the key. */
static Coding vector_coding(const Sort *s)
{
    Coding c = s->coding[0];
    if (s->key_kind == DOUBLES) return coding_as_double(&c);
    if (s->sorters->is_signed) c.flip ^= UINT64_C(1) << (key_bits(s, 0) - 1);
    return c;
}

void sort_keys(const Sort *s, const void *in, void *out)
{
    Coding c = vector_coding(s);
    bool merged = s->crew ? sort_codes_split(s, &c, in, out) : sort_codes(s, &c, in, out);
    if (merged) loops_of_bytes[key_bits(s, 0) / 8].restore(&s->coding[0], in, out, s->length, s->stride);
}

void sort_columns(const Sort *s, const void *in, void *out, size_t n)
{
    Coding c = vector_coding(s);
    size_t bytes = (size_t)key_bits(s, 0) / 8;
    if (!s->sorters->sort_columns[s->key_kind](&c, in, out, s->turned_rows, s->length, s->stride, n)) return;
    for (size_t i = 0; i < n; i++)
        loops_of_bytes[bytes].restore(&s->coding[0], (const char *)in + i * bytes, (char *)out + i * bytes,
                                      s->length, s->stride);
}
