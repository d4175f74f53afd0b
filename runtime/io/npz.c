/* npz.c: NumPy's .npz files, in: zip files of .npy files.
 *
 * A zip file ends in a record that says where its directory lies. An entry of that says a file's name and
 * where it lies: behind a header with the name again and more, whose lengths only that header says. All
 * numbers are little-endian. As with .npy, everything in a file is taken for hostile.
 */
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include "npy.h"

enum { END_BYTES = 22, COMMENT_MAX = 0xffff, ENTRY_BYTES = 46, HEADER_BYTES = 30, NAME_ROOM = 256 };
enum { END_MARK = 0x06054b50, ENTRY_MARK = 0x02014b50, HEADER_MARK = 0x04034b50 };
static const char who[] = "weft_load_npz";

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
