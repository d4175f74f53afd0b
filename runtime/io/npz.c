/* npz.c: NumPy's .npz files, in and out: zip files of .npy files.
 *
 * A zip file ends in a record that says where its directory lies. An entry of that says a file's name and
 * where it lies: behind a header with the name again and more, whose lengths only that header says. All
 * numbers are little-endian. As with .npy, everything in a file is taken for hostile.
 */
#include "npz.h"
#include <errno.h>
#include <pthread.h>
#include <stdint.h>
#include <string.h>
#include "npy.h"
#include "runtime/ops/ops_compose.h"
#include "whole_file.h"

enum { END_BYTES = 22, COMMENT_MAX = 0xffff, ENTRY_BYTES = 46, HEADER_BYTES = 30, NAME_ROOM = 256 };
enum { END_MARK = 0x06054b50, ENTRY_MARK = 0x02014b50, HEADER_MARK = 0x04034b50 };
static const char who[] = "weft_load_npz";

/* ---- in ---- */

static uint32_t number(const unsigned char *p, int bytes)
{
    uint32_t v = 0;
    for (int i = 0; i < bytes; i++) v |= (uint32_t)p[i] << 8 * i;
    return v;
}

static bool read_at(FILE *file, long at, void *to, size_t n)
{
    return !fseek(file, at, SEEK_SET) && fread(to, 1, n, file) == n;
}

typedef struct Directory {
    long at;
    uint32_t entries;
} Directory;

/* The last record of its kind: a comment of up to 64 KiB may follow it. */
static bool find_directory(FILE *file, Directory *d, Failure *f)
{
    unsigned char end[END_BYTES];
    if (!read_at(file, 0, end, 2) || memcmp(end, "PK", 2)) return fail(f, WEFT_IO, "this is no .npz file");
    long size = fseek(file, 0, SEEK_END) ? -1 : ftell(file);
    for (long at = size - END_BYTES; at >= 0 && at >= size - END_BYTES - COMMENT_MAX; at--) {
        if (!read_at(file, at, end, sizeof end)) break;
        if (number(end, 4) != END_MARK) continue;
        *d = (Directory){ .at = number(end + 16, 4), .entries = number(end + 10, 2) };
        return true;
    }
    return fail(f, WEFT_IO, "this is no .npz file");
}

typedef struct Member {
    char name[NAME_ROOM];
    uint32_t flags, method, stored, bytes, at;
    long next; /* entry */
} Member;

static bool read_entry(FILE *file, long at, Member *m, Failure *f)
{
    unsigned char e[ENTRY_BYTES];
    if (!read_at(file, at, e, sizeof e) || number(e, 4) != ENTRY_MARK)
        return fail(f, WEFT_IO, "its directory is no zip file's");
    uint32_t length = number(e + 28, 2), kept = length < NAME_ROOM ? length : NAME_ROOM - 1;
    *m = (Member){ .flags = number(e + 8, 2),
                   .method = number(e + 10, 2),
                   .stored = number(e + 20, 4),
                   .bytes = number(e + 24, 4),
                   .at = number(e + 42, 4),
                   .next = at + ENTRY_BYTES + length + number(e + 30, 2) + number(e + 32, 2) };
    return fread(m->name, 1, kept, file) == kept || fail(f, WEFT_IO, "the file ends in its directory");
}

/* np.savez adds ".npy" to the name. */
static bool is_named(const Member *m, const char *name)
{
    size_t n = strlen(name);
    return !strncmp(m->name, name, n) && (!m->name[n] || !strcmp(m->name + n, ".npy"));
}

static bool find_member(FILE *file, const char *name, Member *m, Failure *f)
{
    Directory d = { 0, 0 };
    char names[200] = "";
    if (!find_directory(file, &d, f)) return false;
    for (uint32_t i = 0; i < d.entries; i++, d.at = m->next) {
        size_t used = strlen(names); /* what is too long for a message is left out */
        if (!read_entry(file, d.at, m, f)) return false;
        if (is_named(m, name)) return true;
        snprintf(names + used, sizeof names - used, "%s%.40s", i ? ", " : "", m->name);
    }
    return fail(f, WEFT_ARGUMENT, "it has no array %s; it has %s", name, d.entries ? names : "none");
}

/* On to its bytes; *end: where they end. */
static bool seek_member(FILE *file, const Member *m, long *end, Failure *f)
{
    unsigned char h[HEADER_BYTES];
    if (m->flags & 1) return fail(f, WEFT_IO, "%s is encrypted", m->name);
    if (m->method)
        return fail(f, WEFT_IO, "%s is compressed, which weft does not read: np.savez writes it as it is",
                    m->name);
    if (m->at == UINT32_MAX || m->bytes == UINT32_MAX || m->stored != m->bytes)
        return fail(f, WEFT_IO, "%s lies beyond 4 GiB, or its sizes are wrong", m->name);
    if (!read_at(file, m->at, h, sizeof h) || number(h, 4) != HEADER_MARK)
        return fail(f, WEFT_IO, "%s is not where the directory says", m->name);
    long start = (long)m->at + HEADER_BYTES + (long)number(h + 26, 2) + (long)number(h + 28, 2);
    *end = start + (long)m->bytes;
    return !fseek(file, start, SEEK_SET) || fail(f, WEFT_IO, "%s", strerror(errno));
}

static weft_array *read_named(Local *l, FILE *file, const void *name, const char *at, Failure *f)
{
    Member m;
    long end = -1;
    if (!find_member(file, name, &m, f) || !seek_member(file, &m, &end, f)) return NULL;
    return npy_read(l, file, end, who, at, f);
}

weft_array *weft_load_npz_(weft_context *ctx, const char *path, const char *name, const char *at)
{
    Local *l = context_enter(ctx, who, at);
    if (l && !name) error_set(l, WEFT_ARGUMENT, who, at, "the name is NULL");
    return l && name ? npy_open(l, path, read_named, name, who, at) : NULL;
}

bool npz_names(const char *path, NpzName *each, void *user, Failure *f)
{
    Directory d = { 0, 0 };
    Member m = { .name = "" };
    FILE *file = fopen(path, "rbe");
    if (!file) return fail(f, WEFT_IO, "%s: %s", path, strerror(errno));
    Failure why = { .code = WEFT_OK };
    bool good = find_directory(file, &d, &why);
    for (uint32_t i = 0; good && i < d.entries; i++, d.at = m.next) {
        if (!(good = read_entry(file, d.at, &m, &why))) break;
        size_t n = strlen(m.name);
        if (n > 4 && !strcmp(m.name + n - 4, ".npy")) m.name[n - 4] = '\0';
        each(user, m.name);
    }
    fclose(file);
    return good || fail(f, why.code, "%s: %s", path, why.text);
}

/* ---- out ---- */

/* An array, its file's name (as far as a comma), and what the directory will say of it. */
typedef struct NpzEntry {
    const weft_array *array;
    const char *name;
    size_t name_bytes;
    uint32_t crc, bytes, at;
} NpzEntry;

typedef struct NpzOut {
    NpzEntry *entry;
    int n;
} NpzOut;

/* The checksum of zip files, bit-reversed CRC-32, continued over n bytes. */
static uint32_t checksum(const uint32_t table[256], uint32_t crc, const void *bytes, size_t n)
{
    const unsigned char *p = bytes;
    for (crc = ~crc; n; n--) crc = crc >> 8 ^ table[(crc ^ *p++) & 255];
    return ~crc;
}

static void make_table(uint32_t table[256])
{
    for (uint32_t i = 0; i < 256; i++) {
        table[i] = i;
        for (int bit = 0; bit < 8; bit++) table[i] = table[i] >> 1 ^ (table[i] & 1 ? 0xedb88320 : 0);
    }
}

static unsigned char *put(unsigned char *p, uint32_t v, int bytes)
{
    for (int i = 0; i < bytes; i++) *p++ = (unsigned char)(v >> 8 * i);
    return p;
}

/* What a member's header and its entry in the directory both say. */
static unsigned char *put_member(unsigned char *p, const NpzEntry *e)
{
    enum { VERSION = 20, UTF8 = 0x800, STORED = 0, FIRST_DAY = 0x21 }; /* 1 January 1980, as NumPy writes */
    p = put(put(put(p, VERSION, 2), UTF8, 2), STORED, 2);
    p = put(put(p, 0, 2), FIRST_DAY, 2);
    p = put(put(put(p, e->crc, 4), e->bytes, 4), e->bytes, 4);
    return put(put(p, (uint32_t)e->name_bytes + 4, 2), 0, 2);
}

static bool write_name(FILE *file, const NpzEntry *e)
{
    return fwrite(e->name, 1, e->name_bytes, file) == e->name_bytes && fwrite(".npy", 1, 4, file) == 4;
}

static bool write_member(FILE *file, NpzEntry *e, const uint32_t table[256])
{
    unsigned char header[HEADER_BYTES];
    char head[NPY_HEAD];
    size_t n = npy_head(e->array, head), bytes = array_bytes(e->array);
    e->crc = checksum(table, checksum(table, 0, head, n), e->array->data, bytes);
    put_member(put(header, HEADER_MARK, 4), e);
    return fwrite(header, 1, sizeof header, file) == sizeof header && write_name(file, e) &&
           fwrite(head, 1, n, file) == n && fwrite(e->array->data, 1, bytes, file) == bytes;
}

static bool write_entry(FILE *file, const NpzEntry *e)
{
    unsigned char entry[ENTRY_BYTES] = { 0 }, *p = put_member(put(put(entry, ENTRY_MARK, 4), 20, 2), e);
    put(p + 10, e->at, 4); /* comment, disk and attributes: none */
    return fwrite(entry, 1, sizeof entry, file) == sizeof entry && write_name(file, e);
}

static size_t member_bytes(const NpzEntry *e) { return HEADER_BYTES + e->name_bytes + 4 + e->bytes; }

static bool write_npz(FILE *file, const void *what)
{
    const NpzOut *out = what;
    uint32_t table[256], size = 0, at = 0;
    unsigned char end[END_BYTES] = { 0 }, *p = put(end, END_MARK, 4) + 4;
    make_table(table);
    for (int i = 0; i < out->n; i++) {
        if (!write_member(file, &out->entry[i], table)) return false;
        at += (uint32_t)member_bytes(&out->entry[i]);
    }
    for (int i = 0; i < out->n; i++) {
        if (!write_entry(file, &out->entry[i])) return false;
        size += ENTRY_BYTES + (uint32_t)out->entry[i].name_bytes + 4;
    }
    put(put(put(put(p, (uint32_t)out->n, 2), (uint32_t)out->n, 2), size, 4), at, 4);
    return fwrite(end, 1, sizeof end, file) == sizeof end;
}

/* Where the arrays lie; false: not within 4 GiB, as far as plain zip files reach. */
static bool place_members(NpzOut *out)
{
    uint64_t at = 0, directory = END_BYTES;
    for (int i = 0; i < out->n; i++) {
        NpzEntry *e = &out->entry[i];
        char head[NPY_HEAD];
        uint64_t bytes = npy_head(e->array, head) + array_bytes(e->array);
        e->at = (uint32_t)at;
        e->bytes = (uint32_t)bytes;
        at += bytes + HEADER_BYTES + e->name_bytes + 4;
        directory += ENTRY_BYTES + e->name_bytes + 4;
        if (at + directory >= UINT32_MAX)
            return op_fail(WEFT_ARGUMENT, "the arrays take 4 GiB or more: save each as .npy");
    }
    return true;
}

/* The names of a list: "w1, b1". */
static bool read_names(NpzOut *out, const char *text)
{
    int n = 0;
    for (const char *s = text; *s; n++) {
        s += strspn(s, " ");
        size_t whole = strcspn(s, ","), bytes = whole;
        while (bytes && s[bytes - 1] == ' ') bytes--;
        if (!bytes || bytes > NPZ_NAME)
            return op_fail(WEFT_ARGUMENT, "name %d of \"%s\" has %zu characters: 1 to %d are allowed", n,
                           text, bytes, NPZ_NAME);
        for (int i = 0; i < n && i < out->n; i++)
            if (out->entry[i].name_bytes == bytes && !memcmp(out->entry[i].name, s, bytes))
                return op_fail(WEFT_ARGUMENT, "two arrays are called %.*s", (int)bytes, s);
        if (n < out->n) out->entry[n].name = s, out->entry[n].name_bytes = bytes;
        s += whole;
        if (*s != ',') continue;
        s++;
        if (!*s) return op_fail(WEFT_ARGUMENT, "\"%s\" ends with a comma", text);
    }
    return n == out->n || op_fail(WEFT_ARGUMENT, "\"%s\" has %d names for %d arrays", text, n, out->n);
}

static bool take_arrays(NpzOut *out, const char *names, const weft_array *const *list)
{
    for (int i = 0; i < out->n; i++) {
        out->entry[i] = (NpzEntry){ .array = list[i] };
        if (array_is_traced(list[i]))
            return op_fail(WEFT_TRACED,
                           "array %d is traced, so it has no value yet: return it, and save the result", i);
    }
    return read_names(out, names) && place_members(out);
}

static bool save(const char *path, const char *names, int n, const weft_array *const *list)
{
    if (!path || !names) return op_fail(WEFT_ARGUMENT, "the %s NULL", path ? "names are" : "path is");
    if (n > NPZ_ARRAYS) return op_fail(WEFT_ARGUMENT, "%d arrays: at most %d", n, NPZ_ARRAYS);
    Memory *memory = &op_local()->ctx->memory;
    size_t bytes = ((size_t)n + 1) * sizeof(NpzEntry);
    NpzOut out = { memory_alloc(memory, bytes), n };
    if (!out.entry) return op_fail(WEFT_MEMORY, "out of memory");
    bool good = take_arrays(&out, names, list);
    if (good && !file_write(path, write_npz, &out)) good = op_fail(WEFT_IO, "%s: %s", path, strerror(errno));
    memory_free(memory, out.entry, bytes);
    return good;
}

weft_status weft_save_npz_(const char *path, const char *names, int n, const weft_array *const *list,
                           const char *at)
{
    OpsCall call;
    int cancel;
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel);
    n = ops_list_length(list, n);
    bool good = ops_begin_list(&call, "weft_save_npz", at, list, n) && save(path, names, n, list);
    weft_status status = ops_end_status(&call, good);
    pthread_setcancelstate(cancel, NULL);
    return status;
}
