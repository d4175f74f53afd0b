/* npy.c: NumPy's .npy files, versions 1 to 3, in and out.
 *
 * A file is "\x93NUMPY", two version bytes, the header's length (2 bytes in version 1, else 4,
 * little-endian), the header, the elements. The header is a Python dictionary with the keys descr,
 * fortran_order and shape, in any order. Everything in a file is taken for hostile: lengths and sizes are
 * checked before they are used.
 */
#include <ctype.h>
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "npy.h"
#include "whole_file.h"
#include "runtime/trace/op.h"
#include "runtime/memory/stack.h"

enum { HEADER_MAX = 1 << 20, BUFFER = 1 << 12, START = 10 };
_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "elements are written as they lie in memory");

typedef struct Npy {
    DType dtype;
    bool swapped, fortran; /* other byte order than this machine's; first index fastest */
    int rank;
    int64_t dim[WEFT_MAX_RANK];
    bool has_descr, has_order, has_shape;
} Npy;

/* ---- the header ---- */

typedef struct HeaderReader {
    const char *at, *end;
} HeaderReader;

static void skip_spaces(HeaderReader *r)
{
    while (r->at < r->end && isspace((unsigned char)*r->at)) r->at++;
}

static bool take(HeaderReader *r, char c)
{
    skip_spaces(r);
    if (r->at == r->end || *r->at != c) return false;
    r->at++;
    return true;
}

static bool take_word(HeaderReader *r, const char *word)
{
    size_t n = strlen(word);
    skip_spaces(r);
    if ((size_t)(r->end - r->at) < n || memcmp(r->at, word, n)) return false;
    r->at += n;
    return true;
}

static bool take_string(HeaderReader *r, char *text, size_t size)
{
    char quote = take(r, '\'') ? '\'' : take(r, '"') ? '"' : '\0';
    if (!quote) return false;
    size_t n = 0;
    for (; r->at < r->end && *r->at != quote; r->at++)
        if (n + 1 < size) text[n++] = *r->at;
    text[n] = '\0';
    return take(r, quote);
}

/* '<f4', '|b1', '>i8', '=u2'. Of types that NumPy has not, ml_dtypes', it writes the size: '<V2' is bf16, and
 * '<V1' or '<f1' any of 8 bits and less, of which the bytes are read. */
static bool read_descr(Npy *npy, const char *descr, Failure *f)
{
    char order = descr[0];
    if (!order || !strchr("<>=|", order))
        return fail(f, WEFT_IO, "element type '%s' is none that weft has", descr);
    npy->swapped = order == '>';
    for (int t = 0; t < DTYPE_COUNT; t++) {
        if (strcmp(dtype_info[t].npy + 1, descr + 1)) continue;
        npy->dtype = (DType)t;
        return true;
    }
    npy->dtype = WEFT_U8;
    return !strcmp(descr + 1, "V1") || !strcmp(descr + 1, "f1") ||
           fail(f, WEFT_DTYPE,
                "element type '%s' is none that weft has (bool, i1 to i8, u1 to u8, f2, f4, f8, c8, c16, "
                "V2 for bf16, and V1 and f1, of which it reads the bytes)",
                descr);
}

static bool read_shape(Npy *npy, HeaderReader *r, Failure *f)
{
    if (!take(r, '(')) return fail(f, WEFT_IO, "the shape is no tuple");
    while (!take(r, ')')) {
        char digits[24] = "";
        size_t n = 0;
        skip_spaces(r);
        for (; r->at < r->end && isdigit((unsigned char)*r->at) && n + 1 < sizeof digits; r->at++)
            digits[n++] = *r->at;
        if (r->at < r->end && *r->at == 'L') r->at++;
        if (n == 0 || n > 18) return fail(f, WEFT_IO, "the shape has an entry that is no size");
        if (npy->rank == WEFT_MAX_RANK) return fail(f, WEFT_SHAPE, "more than %d axes", WEFT_MAX_RANK);
        npy->dim[npy->rank++] = strtoll(digits, NULL, 10);
        if (!take(r, ',') && !(r->at < r->end && *r->at == ')'))
            return fail(f, WEFT_IO, "the shape is no tuple of sizes");
    }
    return true;
}

static bool read_field(Npy *npy, HeaderReader *r, Failure *f)
{
    char key[32], descr[64];
    if (!take_string(r, key, sizeof key) || !take(r, ':'))
        return fail(f, WEFT_IO, "the header is no dictionary");
    if (!strcmp(key, "descr")) {
        npy->has_descr = true;
        if (!take_string(r, descr, sizeof descr))
            return fail(f, WEFT_DTYPE, "the elements are records, which weft does not have");
        return read_descr(npy, descr, f);
    }
    if (!strcmp(key, "fortran_order")) {
        npy->has_order = true;
        npy->fortran = take_word(r, "True");
        return npy->fortran || take_word(r, "False") ||
               fail(f, WEFT_IO, "fortran_order is neither True nor False");
    }
    if (!strcmp(key, "shape")) {
        npy->has_shape = true;
        npy->rank = 0;
        return read_shape(npy, r, f);
    }
    return fail(f, WEFT_IO, "the header has the unknown key '%s'", key);
}

static bool read_header(Npy *npy, const char *text, size_t n, Failure *f)
{
    HeaderReader r = { text, text + n };
    if (!take(&r, '{')) return fail(f, WEFT_IO, "the header is no dictionary");
    while (!take(&r, '}')) {
        if (!read_field(npy, &r, f)) return false;
        if (!take(&r, ',') && !(r.at < r.end && *r.at == '}'))
            return fail(f, WEFT_IO, "the header is no dictionary");
    }
    return (npy->has_descr && npy->has_order && npy->has_shape) ||
           fail(f, WEFT_IO, "the header lacks descr, fortran_order or shape");
}

static bool read_start(FILE *file, Npy *npy, Memory *m, Failure *f)
{
    unsigned char start[12];
    if (fread(start, 1, 8, file) != 8 || memcmp(start, "\x93NUMPY", 6))
        return fail(f, WEFT_IO, "this is no .npy file");
    if (start[6] < 1 || start[6] > 3)
        return fail(f, WEFT_IO, "version %d.%d of .npy: versions 1 to 3 are known", start[6], start[7]);
    size_t wide = start[6] == 1 ? 2 : 4, length = 0;
    if (fread(start + 8, 1, wide, file) != wide) return fail(f, WEFT_IO, "the file ends in the header");
    for (size_t i = 0; i < wide; i++) length |= (size_t)start[8 + i] << 8 * i;
    if (length > HEADER_MAX) return fail(f, WEFT_IO, "a header of %zu bytes: at most %d", length, HEADER_MAX);
    char *header = memory_alloc(m, length + 1);
    if (!header) return fail(f, WEFT_MEMORY, "out of memory");
    bool good = fread(header, 1, length, file) == length ? read_header(npy, header, length, f)
                                                         : fail(f, WEFT_IO, "the file ends in the header");
    memory_free(m, header, length + 1);
    return good;
}

/* ---- the elements ---- */

static void swap_bytes(char *p, size_t count, size_t bytes)
{
    for (size_t i = 0; i < count; i++, p += bytes)
        for (size_t a = 0, b = bytes - 1; a < b; a++, b--) {
            char c = p[a];
            p[a] = p[b];
            p[b] = c;
        }
}

/* Element number i of the file goes to its row-major place. */
static void scatter(const weft_array *a, const char *from, int64_t first, size_t n)
{
    size_t bytes = dtype_bytes((DType)a->dtype);
    int64_t index[WEFT_MAX_RANK], stride[WEFT_MAX_RANK], rest = first, place = 0, s = 1;
    for (int d = a->rank - 1; d >= 0; d--) stride[d] = s, s *= a->dim[d];
    for (int d = 0; d < a->rank; d++) {
        index[d] = rest % a->dim[d];
        rest /= a->dim[d];
        place += index[d] * stride[d];
    }
    for (size_t i = 0; i < n; i++) {
        memcpy((char *)a->data + (size_t)place * bytes, from + i * bytes, bytes);
        for (int d = 0; d < a->rank; d++) {
            place += stride[d];
            if (++index[d] < a->dim[d]) break;
            place -= index[d] * stride[d];
            index[d] = 0;
        }
    }
}

static bool read_elements(FILE *file, const Npy *npy, weft_array *a, Failure *f)
{
    size_t bytes = dtype_bytes(npy->dtype), part = dtype_bytes(dtype_part(npy->dtype)),
           left = (size_t)a->count;
    bool direct = !npy->fortran || a->rank < 2;
    _Alignas(8) char buffer[BUFFER];
    for (int64_t done = 0; left;) {
        size_t n = direct || left < BUFFER / bytes ? left : BUFFER / bytes;
        char *to = direct ? (char *)a->data + (size_t)done * bytes : buffer;
        if (fread(to, bytes, n, file) != n) return fail(f, WEFT_IO, "the file ends before its elements do");
        if (npy->swapped) swap_bytes(to, n * (bytes / part), part);
        if (npy->dtype == WEFT_BOOL) array_normalize_bools(to, n);
        if (!direct) scatter(a, buffer, done, n);
        done += (int64_t)n;
        left -= n;
    }
    return true;
}

/* A size that the file cannot hold is refused before memory is taken for it. */
static bool enough_there(FILE *file, long end, size_t bytes, Failure *f)
{
    long here = ftell(file);
    if (here < 0 || (end < 0 && fseek(file, 0, SEEK_END))) return true;
    if (end < 0) end = ftell(file);
    if (fseek(file, here, SEEK_SET)) return fail(f, WEFT_IO, "%s", strerror(errno));
    size_t there = end < here ? 0 : (size_t)(end - here);
    return there >= bytes ||
           fail(f, WEFT_IO, "the file ends before its elements do: %zu bytes of %zu are there", there, bytes);
}

weft_array *npy_read(Local *l, FILE *file, long end, const char *who, const char *at, Failure *f)
{
    Npy npy = { 0 };
    if (!read_start(file, &npy, &l->ctx->memory, f)) return NULL;
    Type t = { (uint8_t)npy.dtype, (uint8_t)npy.rank, npy.dim };
    int64_t count = type_count(t);
    if (count < 0) return fail(f, WEFT_SHAPE, "its array %s", type_overflow(t)), NULL;
    if (!enough_there(file, end, (size_t)count * dtype_bytes(npy.dtype), f)) return NULL;
    weft_array *a = array_new(l, t, who, at);
    if (!a || read_elements(file, &npy, a, f)) return a;
    weft_free(a);
    return NULL;
}

/* A stack frame of its own: the caller first asks how much stack is left. */
__attribute__((noinline)) static weft_array *open_and_read(Local *l, const char *path, NpyReader *read,
                                                           const void *arg, const char *who, const char *at)
{
    Failure f = { .code = WEFT_OK };
    weft_array *a = NULL;
    int cancel;
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel);
    FILE *file = fopen(path, "rbe");
    if (file) a = read(l, file, arg, at, &f), fclose(file);
    else fail(&f, WEFT_IO, "%s", strerror(errno));
    pthread_setcancelstate(cancel, NULL);
    if (f.code == WEFT_MEMORY) error_memory(l, who, at);
    else if (f.code != WEFT_OK) error_set(l, f.code, who, at, "%s: %s", path, f.text);
    return a;
}

weft_array *npy_open(Local *l, const char *path, NpyReader *read, const void *arg, const char *who,
                     const char *at)
{
    if (!path) error_set(l, WEFT_ARGUMENT, who, at, "the path is NULL");
    return path && !error_stack(l, STACK_WALK, who, at) ? open_and_read(l, path, read, arg, who, at) : NULL;
}

static weft_array *read_one(Local *l, FILE *file, const void *arg, const char *at, Failure *f)
{
    (void)arg;
    return npy_read(l, file, -1, "weft_load", at, f);
}

weft_array *weft_load_(weft_context *ctx, const char *path, const char *at)
{
    Local *l = context_enter(ctx, "weft_load", at);
    return l ? npy_open(l, path, read_one, NULL, "weft_load", at) : NULL;
}

/* ---- saving ---- */

/* The header is padded with spaces so that the elements begin at a multiple of 64. */
size_t npy_head(const weft_array *a, char *bytes)
{
    static const unsigned char start[] = { 0x93, 'N', 'U', 'M', 'P', 'Y', 1, 0 };
    size_t n = START + (size_t)snprintf(bytes + START, NPY_HEAD - START,
                                        "{'descr': '%s', 'fortran_order': False, 'shape': (",
                                        dtype_info[a->dtype].npy);
    for (int i = 0; i < a->rank; i++)
        n += (size_t)snprintf(bytes + n, NPY_HEAD - n, i ? ", %lld" : "%lld", (long long)a->dim[i]);
    n += (size_t)snprintf(bytes + n, NPY_HEAD - n, a->rank == 1 ? ",), }" : "), }");
    while ((n + 1) % 64) bytes[n++] = ' ';
    bytes[n++] = '\n';
    memcpy(bytes, start, sizeof start);
    bytes[8] = (char)((n - START) & 255), bytes[9] = (char)((n - START) >> 8);
    return n;
}

static bool write_npy(FILE *file, const void *what)
{
    const weft_array *a = what;
    char head[NPY_HEAD];
    size_t n = npy_head(a, head), count = (size_t)a->count;
    return fwrite(head, 1, n, file) == n &&
           fwrite(a->data, dtype_bytes((DType)a->dtype), count, file) == count;
}

weft_status weft_save_(const weft_array *a, const char *path, const char *at)
{
    op_begin("weft_save", at);
    weft_status status = WEFT_ARGUMENT;
    int cancel;
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel);
    if (!op_check(a, "the array")) {
    } else if (!path) op_fail(status, "the path is NULL");
    else if (array_is_traced(a))
        op_fail(status = WEFT_TRACED,
                "the array is traced, so it has no value yet: return it, and save the result");
    else if (file_write(path, write_npy, a)) status = WEFT_OK;
    else op_fail(status = WEFT_IO, "%s: %s", path, strerror(errno));
    pthread_setcancelstate(cancel, NULL);
    op_end();
    return status;
}
