/* .npy files: round trips, files as NumPy writes them, and files that nobody should have written. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include "compiler/graph/types/dtype.h"
#include "tests/support/context_suite.h"

static char path[] = "/tmp/weft-npy-XXXXXX";

static void setup(void)
{
    int fd = mkstemp(path);
    cr_assert_geq(fd, 0);
    close(fd);
    open_context();
}

static void teardown(void)
{
    close_context();
    unlink(path);
}

TestSuite(npy, .init = setup, .fini = teardown);

static void write_bytes(const void *bytes, size_t n)
{
    FILE *f = fopen(path, "wb");
    cr_assert_not_null(f);
    cr_assert_eq(fwrite(bytes, 1, n, f), n);
    fclose(f);
}

/* A file of this version, header text and data. */
static void write_npy(int version, const char *header, const void *data, size_t bytes)
{
    char file[4096] = "\x93NUMPY";
    size_t n = strlen(header), at = 8;
    file[6] = (char)version;
    for (int i = 0; i < (version == 1 ? 2 : 4); i++) file[at++] = (char)(n >> 8 * i);
    memcpy(file + at, header, n);
    memcpy(file + at + n, data, bytes);
    write_bytes(file, at + n + bytes);
}

Test(npy, every_dtype_and_rank_round_trips)
{
    uint8_t data[24 * 16];
    int64_t dim[4] = { 2, 3, 4, 1 };
    for (size_t i = 0; i < sizeof data; i++) data[i] = (uint8_t)(i * 37 & 1);
    for (int t = 0; t < DTYPE_COUNT; t++) {
        for (int rank = 0; rank <= 4; rank++) {
            weft_array *a = weft_from_shape(ctx, (weft_dtype)t, data, rank, dim);
            cr_assert_eq(weft_save(a, path), WEFT_OK, "%s", weft_error(ctx));
            weft_array *b = weft_load(ctx, path);
            cr_assert_not_null(b, "%s", weft_error(ctx));
            cr_expect_eq(weft_dtype_of(b), (weft_dtype)t);
            cr_expect_eq(weft_rank(b), rank);
            for (int i = 0; i < rank; i++) cr_expect_eq(weft_dim(b, i), dim[i]);
            cr_expect_eq(memcmp(weft_data(a), weft_data(b), (size_t)weft_count(a) * dtype_bytes((DType)t)),
                         0);
        }
    }
}

Test(npy, elements_begin_at_a_multiple_of_64)
{
    float one = 1;
    cr_assert_eq(weft_save(weft_from(ctx, &one, 1), path), WEFT_OK);
    FILE *f = fopen(path, "rb");
    fseek(f, 0, SEEK_END);
    cr_expect_eq((ftell(f) - 4) % 64, 0);
    fclose(f);
}

Test(npy, versions_orders_and_byte_orders)
{
    const uint8_t big[12] = { 0, 0, 0, 1, 0, 0, 0, 2, 0xff, 0xff, 0xff, 0xfd };
    for (int version = 1; version <= 3; version++) {
        write_npy(version, "{'descr': '>i4', 'fortran_order': False, 'shape': (3,), }\n", big, sizeof big);
        weft_array *a = weft_load(ctx, path);
        cr_assert_not_null(a, "%s", weft_error(ctx));
        cr_expect_eq(weft_i32(a)[0], 1);
        cr_expect_eq(weft_i32(a)[2], -3);
    }
    const int16_t fortran[6] = { 0, 3, 1, 4, 2, 5 };
    write_npy(1, "{\"shape\": (2, 3), \"fortran_order\": True, \"descr\": \"<i2\"}", fortran, sizeof fortran);
    weft_array *a = weft_load(ctx, path);
    cr_assert_not_null(a, "%s", weft_error(ctx));
    for (int i = 0; i < 6; i++) cr_expect_eq(weft_i16(a)[i], i);
    write_npy(1, "{'descr': '|b1', 'fortran_order': True, 'shape': ()}", "\7", 1);
    cr_expect_eq(weft_item(weft_load(ctx, path)), 1);
    write_npy(1, "{'descr': '<f8', 'fortran_order': False, 'shape': (0, 7)}", "", 0);
    cr_expect_eq(weft_count(weft_load(ctx, path)), 0);
    /* ml_dtypes' float8_e4m3fn and float8_e5m2 */
    write_npy(1, "{'descr': '<V1', 'fortran_order': False, 'shape': (2,)}", "\70\310", 2);
    cr_expect_eq(weft_u8(weft_load(ctx, path))[1], 0310);
    write_npy(1, "{'descr': '<f1', 'fortran_order': False, 'shape': (2,)}", "\70\310", 2);
    cr_expect_eq(weft_u8(weft_load(ctx, path))[1], 0310);
    cr_expect_null(weft_error(ctx));
}

/* Fortran order larger than one buffer. */
Test(npy, large_fortran_order)
{
    enum { ROWS = 300, COLUMNS = 400 };
    size_t n = ROWS * COLUMNS;
    char *file = malloc(128 + 4 * n);
    memset(file, ' ', 128);
    memcpy(file, "\x93NUMPY\1\0\x76\0", 10);
    memcpy(file + 10, "{'descr': '<u4', 'fortran_order': True, 'shape': (300, 400), }", 62);
    for (uint32_t c = 0, i = 0; c < COLUMNS; c++)
        for (uint32_t r = 0; r < ROWS; r++, i++)
            memcpy(file + 128 + 4 * i, &(uint32_t){ r * COLUMNS + c }, 4);
    write_bytes(file, 128 + 4 * n);
    weft_array *a = weft_load(ctx, path);
    cr_assert_not_null(a, "%s", weft_error(ctx));
    for (size_t i = 0; i < n; i++) cr_assert_eq(weft_u32(a)[i], i);
    free(file);
}

typedef struct Bad {
    const char *header;
    weft_status status;
    const char *text;
} Bad;

Test(npy, malformed_headers)
{
    static const Bad bad[] = {
        { "", WEFT_IO, "no dictionary" },
        { "{", WEFT_IO, "no dictionary" },
        { "{}", WEFT_IO, "lacks" },
        { "{'descr': '<f4', 'shape': (1,)}", WEFT_IO, "lacks" },
        { "{'descr': '<f4', 'fortran_order': Maybe, 'shape': (1,)}", WEFT_IO, "neither True nor False" },
        { "{'descr': '<f4', 'fortran_order': False, 'shape': 1}", WEFT_IO, "no tuple" },
        { "{'descr': '<f4', 'fortran_order': False, 'shape': (1", WEFT_IO, "no tuple" },
        { "{'descr': '<f4', 'fortran_order': False, 'shape': (-1,)}", WEFT_IO, "no size" },
        { "{'descr': '<f4', 'fortran_order': False, 'shape': (99999999999999999999,)}", WEFT_IO, "no size" },
        { "{'descr': '<f4', 'fortran_order': False, 'shape': (999999999999, 999999999999)}", WEFT_SHAPE,
          "its array has more bytes than 63 bits can count" },
        { "{'descr': '<f4', 'fortran_order': False, 'shape': (1000000000,)}", WEFT_IO,
          "ends before its elements" },
        { "{'descr': '<f4', 'fortran_order': False, 'shape': "
          "(1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1)}",
          WEFT_SHAPE, "32 axes" },
        { "{'descr': '<c32', 'fortran_order': False, 'shape': (1,)}", WEFT_DTYPE, "'<c32'" },
        { "{'descr': '<V3', 'fortran_order': False, 'shape': (1,)}", WEFT_DTYPE, "'<V3' is none" },
        { "{'descr': '|S5', 'fortran_order': False, 'shape': (1,)}", WEFT_DTYPE, "'|S5'" },
        { "{'descr': '|O', 'fortran_order': False, 'shape': (1,)}", WEFT_DTYPE, "'|O'" },
        { "{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (1,)}", WEFT_DTYPE, "records" },
        { "{'descr': 'f4', 'fortran_order': False, 'shape': (1,)}", WEFT_IO, "'f4'" },
        { "{'other': 1, 'descr': '<f4', 'fortran_order': False, 'shape': (1,)}", WEFT_IO, "unknown key" },
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        write_npy(1, bad[i].header, "\0\0", 2);
        cr_expect_null(weft_load(ctx, path));
        const char *error = weft_error(ctx);
        cr_expect(error && strstr(error, bad[i].text) && strstr(error, "test_npy.c:"), "%s: %s",
                  bad[i].header, error);
        cr_expect_eq(weft_clear(ctx), bad[i].status, "%s", bad[i].header);
    }
}

Test(npy, files_cut_short_anywhere)
{
    float data[5] = { 1, 2, 3, 4, 5 };
    char file[256];
    cr_assert_eq(weft_save(weft_from(ctx, data, 5), path), WEFT_OK);
    FILE *f = fopen(path, "rb");
    size_t n = fread(file, 1, sizeof file, f);
    fclose(f);
    for (size_t cut = 0; cut < n; cut++) {
        write_bytes(file, cut);
        cr_expect_null(weft_load(ctx, path), "%zu of %zu bytes", cut, n);
        cr_expect_eq(weft_clear(ctx), WEFT_IO);
    }
    file[6] = 4;
    write_bytes(file, n);
    cr_expect_null(weft_load(ctx, path));
    cr_expect_not_null(strstr(weft_error(ctx), "versions 1 to 3"));
    weft_clear(ctx);
    memcpy(file + 6, "\2\0\377\377\377\377", 6);
    write_bytes(file, n);
    cr_expect_null(weft_load(ctx, path));
    cr_expect_not_null(strstr(weft_error(ctx), "a header of"));
    weft_clear(ctx);
    cr_expect_eq(weft_stats(ctx).arrays, 1);
}

/* Links are followed, each from the folder that it lies in, and stay links; the file may be new. */
Test(npy, saves_through_links)
{
    static const struct {
        const char *link, *to;
    } links[] = { { "here", "new.npy" },
                  { "there", "sub/other.npy" },
                  { "sub/back", "../third.npy" },
                  { "chain", "sub/back" },
                  { "folder/through", "deep.npy" } };
    static const char *const files[] = { "new.npy", "sub/other.npy", "third.npy", "third.npy",
                                         "sub/deep.npy" };
    char dir[] = "/tmp/weft-links-XXXXXX", command[64], absolute[64];
    struct stat s;
    cr_assert(mkdtemp(dir) && !chdir(dir) && !mkdir("sub", 0700) && !symlink("sub", "folder"));
    for (int i = 0; i < 5; i++) {
        cr_assert_eq(symlink(links[i].to, links[i].link), 0);
        for (int n = 2; n < 4; n++) {
            weft_array *a = weft_ones(ctx, WEFT_F32, n + i);
            cr_expect_eq(weft_save(a, links[i].link), WEFT_OK, "%s", weft_error(ctx));
            cr_expect(!lstat(links[i].link, &s) && S_ISLNK(s.st_mode), "%s", links[i].link);
            cr_expect(!lstat(files[i], &s) && S_ISREG(s.st_mode), "%s", files[i]);
            cr_expect_eq(weft_count(weft_load(ctx, files[i])), n + i);
        }
    }
    snprintf(absolute, sizeof absolute, "%s/absolute.npy", dir);
    cr_assert_eq(symlink(absolute, "sub/absolute"), 0);
    cr_expect_eq(weft_save(weft_ones(ctx, WEFT_F32, 9), "folder/absolute"), WEFT_OK, "%s", weft_error(ctx));
    cr_expect_eq(weft_count(weft_load(ctx, absolute)), 9);
    cr_assert(!symlink("circle", "circle") && !symlink("none/x.npy", "nowhere"));
    for (int i = 0; i < 2; i++) {
        const char *bad = i ? "nowhere" : "circle";
        cr_expect_eq(weft_save(weft_ones(ctx, WEFT_F32, 2), bad), WEFT_IO);
        cr_expect(strstr(weft_error(ctx), i ? "No such file" : "symbolic links"), "%s", weft_error(ctx));
        weft_clear(ctx);
        cr_expect(!lstat(bad, &s) && S_ISLNK(s.st_mode), "%s", bad);
    }
    snprintf(command, sizeof command, "rm -r %s", dir);
    cr_expect_eq(system(command), 0);
}

/* Replaces the C library's function: records the mode that the file had, or fails as the system might. */
static mode_t mode_before;
static bool fchmod_fails;
int fchmod(int fd, mode_t mode)
{
    struct stat s;
    if (!fstat(fd, &s)) mode_before = s.st_mode & 07777;
    if (fchmod_fails) return errno = EPERM, -1;
    return (int)syscall(SYS_fchmod, fd, mode);
}

enum { STRANGER = 65534 };

static struct stat status_of(const char *file)
{
    struct stat s = { .st_mode = 0 };
    cr_expect(!lstat(file, &s), "%s", file);
    return s;
}

static void expect_mode(const char *what, const char *file, uid_t owner, mode_t mode)
{
    struct stat s = status_of(file);
    cr_expect(s.st_uid == owner && s.st_gid == owner && (s.st_mode & 07777) == mode, "%s: %d:%d %o", what,
              (int)s.st_uid, (int)s.st_gid, s.st_mode & 07777);
}

static void make_file(const char *file, uid_t owner, mode_t mode)
{
    unlink(file);
    int fd = open(file, O_WRONLY | O_CREAT | O_EXCL, 0600);
    cr_assert(fd >= 0 && !fchown(fd, owner, owner) && !syscall(SYS_fchmod, fd, mode), "%s", file);
    close(fd);
}

static weft_status saved(int n, const char *file)
{
    weft_status status = weft_save(weft_ones(ctx, WEFT_F32, n), file);
    cr_expect(status != WEFT_OK || weft_count(weft_load(ctx, file)) == n, "%s", file);
    return status;
}

/* The new file has the permissions of the old one at every moment. */
Test(npy, modes_stay_but_for_rights)
{
    chmod(path, 0640);
    umask(0);
    cr_expect_eq(saved(3, path), WEFT_OK, "%s", weft_error(ctx));
    cr_expect_eq(mode_before, 0600, "%o", mode_before);
    cr_expect_eq(status_of(path).st_mode & 07777, 0640);
    chmod(path, 06755);
    cr_expect_eq(saved(4, path), WEFT_OK, "%s", weft_error(ctx));
    cr_expect_eq(status_of(path).st_mode & 07777, 0755);
    chmod(path, 0640);
    ino_t file = status_of(path).st_ino;
    fchmod_fails = true;
    cr_expect_eq(saved(5, path), WEFT_OK, "%s", weft_error(ctx));
    struct stat s = status_of(path);
    cr_expect(s.st_ino == file && (s.st_mode & 07777) == 0640, "written in place");
}

/* A folder that belongs to root, of that mode, and root's file in it, of that one: a stranger saves. */
static weft_status stranger_saves(const char *folder, mode_t of_folder, const char *file, mode_t mode)
{
    chmod(folder, of_folder);
    make_file(file, geteuid(), mode);
    fflush(NULL);
    pid_t child = fork();
    if (!child) {
        bool left = !setgroups(0, NULL) && !setgid(STRANGER) && !setuid(STRANGER);
        _exit(left ? (int)weft_save(weft_ones(ctx, WEFT_F32, 7), file) : 99);
    }
    int end = -1;
    waitpid(child, &end, 0);
    return WIFEXITED(end) ? (weft_status)WEXITSTATUS(end) : (weft_status)98;
}

/* Only root can make others' files. */
Test(npy, files_of_others_stay_theirs)
{
    char dir[] = "/tmp/weft-owners-XXXXXX", file[64], other[64], command[64];
    if (geteuid()) return;
    cr_assert_not_null(mkdtemp(dir));
    snprintf(file, sizeof file, "%s/file.npy", dir);
    snprintf(other, sizeof other, "%s/other.npy", dir);
    make_file(file, STRANGER, 06777);
    cr_expect_eq(saved(3, file), WEFT_OK, "%s", weft_error(ctx));
    expect_mode("replaced by root", file, STRANGER, 0777);

    /* where strangers share a folder, what is theirs is written in place or, if the system says so, not */
    chmod(dir, 01777);
    make_file(file, STRANGER, 0666);
    ino_t old = status_of(file).st_ino;
    cr_expect(saved(3, file) == WEFT_OK || weft_clear(ctx) == WEFT_IO);
    expect_mode("in a shared folder", file, STRANGER, 0666);
    cr_expect_eq(status_of(file).st_ino, old);

    /* nor is a stranger's link followed there, if no file is there yet */
    unlink(file);
    cr_assert(!symlink(other, file) && !lchown(file, STRANGER, STRANGER));
    cr_expect_eq(weft_save(weft_ones(ctx, WEFT_F32, 2), file), WEFT_IO);
    cr_expect(strstr(weft_error(ctx), "Permission denied"), "%s", weft_error(ctx));
    weft_clear(ctx);
    cr_expect(access(other, F_OK), "a stranger's link was followed");
    cr_expect(!lchown(file, 0, 0) && saved(2, file) == WEFT_OK, "%s", weft_error(ctx));

    cr_expect_eq(stranger_saves(dir, 0777, other, 0666), WEFT_OK);
    expect_mode("saved by a stranger", other, geteuid(), 0666);
    cr_expect_eq(weft_count(weft_load(ctx, other)), 7);
    snprintf(command, sizeof command, "rm -r %s", dir);
    cr_expect_eq(system(command), 0);
}

/* A file that cannot be opened for writing is not replaced either. */
Test(npy, files_that_are_not_to_be_written)
{
    char dir[] = "/tmp/weft-golden-XXXXXX", file[64], command[64];
    cr_assert_not_null(mkdtemp(dir));
    snprintf(file, sizeof file, "%s/golden.npy", dir);
    if (!geteuid()) {
        cr_expect_eq(stranger_saves(dir, 0777, file, 0444), WEFT_IO);
        cr_expect_eq(stranger_saves(dir, 0777, file, 0644), WEFT_IO);
        cr_expect_eq(status_of(file).st_size, 0);
    } else {
        make_file(file, geteuid(), 0444);
        cr_expect_eq(weft_save(weft_ones(ctx, WEFT_F32, 2), file), WEFT_IO);
        cr_expect(strstr(weft_error(ctx), "Permission denied"), "%s", weft_error(ctx));
    }
    snprintf(command, sizeof command, "rm -r %s", dir);
    cr_expect_eq(system(command), 0);
}

Test(npy, files_that_cannot_be)
{
    float one = 1;
    weft_array *a = weft_from(ctx, &one, 1);
    cr_expect_null(weft_load(ctx, "/nonexistent/x.npy"));
    cr_expect_not_null(strstr(weft_error(ctx), "/nonexistent/x.npy: No such file"));
    cr_expect_eq(weft_clear(ctx), WEFT_IO);
    cr_expect_eq(weft_save(a, "/nonexistent/x.npy"), WEFT_IO);
    cr_expect_eq(weft_clear(ctx), WEFT_IO);
    cr_expect_null(weft_load(ctx, NULL));
    cr_expect_eq(weft_clear(ctx), WEFT_ARGUMENT);
    cr_expect_eq(weft_save(a, NULL), WEFT_ARGUMENT);
    cr_expect_eq(weft_clear(ctx), WEFT_ARGUMENT);
    cr_expect_eq(weft_save(NULL, path), WEFT_ARGUMENT);
}
