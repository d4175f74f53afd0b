/* .npz files: as np.savez writes them, and as nobody should have written them. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "compiler/graph/types/dtype.h"
#include "tests/support/context_suite.h"
#include "weft.h"

static const char path[] =
    "tests/data/exported/three.npz"; /* a: f32[2,3], b: i64[], c: bool[4] by fortran_order */
static char copy[] = "/tmp/weft-npz-XXXXXX";

static void setup(void)
{
    int fd = mkstemp(copy);
    cr_assert_geq(fd, 0);
    close(fd);
    open_context();
}

static void teardown(void)
{
    close_context();
    unlink(copy);
}

TestSuite(npz, .init = setup, .fini = teardown);

static size_t read_all(char *bytes, size_t room)
{
    FILE *f = fopen(path, "rb");
    cr_assert_not_null(f);
    size_t n = fread(bytes, 1, room, f);
    fclose(f);
    return n;
}

static void write_all(const char *bytes, size_t n)
{
    FILE *f = fopen(copy, "wb");
    cr_assert_not_null(f);
    cr_assert_eq(fwrite(bytes, 1, n, f), n);
    fclose(f);
}

static void expect_error(weft_status status, const char *wanted)
{
    cr_expect(weft_error(ctx) && strstr(weft_error(ctx), wanted), "%s, not %s", weft_error(ctx), wanted);
    cr_expect_eq(weft_clear(ctx), status);
}

Test(npz, three_arrays)
{
    weft_array *a = weft_load_npz(ctx, path, "a"), *b = weft_load_npz(ctx, path, "b"),
               *c = weft_load_npz(ctx, path, "c.npy");
    cr_assert(a && b && c, "%s", weft_error(ctx));
    cr_expect(weft_dtype_of(a) == WEFT_F32 && weft_rank(a) == 2 && weft_dim(a, 1) == 3);
    for (int i = 0; i < 6; i++) cr_expect_eq(weft_f32(a)[i], (float)i);
    cr_expect_eq(weft_i64(b)[0], 7);
    cr_expect(weft_rank(c) == 2 && weft_bool(c)[0] && !weft_bool(c)[1] && !weft_bool(c)[2] &&
              weft_bool(c)[3]);
}

Test(npz, what_is_not_there)
{
    cr_expect(!weft_load_npz(ctx, path, "d"));
    expect_error(WEFT_ARGUMENT, "three.npz: it has no array d; it has a.npy, b.npy, c.npy");
    cr_expect(!weft_load_npz(ctx, path, ""));
    expect_error(WEFT_ARGUMENT, "no array");
    cr_expect(!weft_load_npz(ctx, "nowhere.npz", "a"));
    expect_error(WEFT_IO, "No such file");
    cr_expect(!weft_load_npz_(ctx, NULL, "a", NULL));
    expect_error(WEFT_ARGUMENT, "the path is NULL");
    cr_expect(!weft_load_npz_(ctx, path, NULL, NULL));
    expect_error(WEFT_ARGUMENT, "the name is NULL");
    cr_expect(!weft_load_npz(ctx, "tests/data/exported/compressed.npz", "a"));
    expect_error(WEFT_IO, "a.npy is compressed");
    cr_expect(!weft_load_npz(ctx, "tests/data/exported/cpu.jax", "a"));
    expect_error(WEFT_IO, "no .npz file");
    write_all("", 0);
    cr_expect(!weft_load_npz(ctx, copy, "a"));
    expect_error(WEFT_IO, "no .npz file");
}

/* Each byte in turn: an error or an array, and no harm. */
Test(npz, damaged_files)
{
    char bytes[1 << 12];
    size_t n = read_all(bytes, sizeof bytes), errors = 0;
    cr_assert_lt(n, sizeof bytes);
    for (size_t i = 0; i < n; i++) {
        char was = bytes[i];
        bytes[i] ^= (char)(i % 2 ? 0xff : 1 << i % 8);
        write_all(bytes, n);
        bytes[i] = was;
        weft_array *a = weft_load_npz(ctx, copy, "b");
        cr_expect_eq(!a, weft_error(ctx) != NULL, "byte %zu: %s", i, weft_error(ctx));
        errors += !a;
        weft_free(a);
        weft_clear(ctx);
        write_all(bytes, i);
        cr_expect(!weft_load_npz(ctx, copy, "b"), "%zu bytes", i);
        weft_clear(ctx);
    }
    cr_expect_gt(errors, 50);
}

/* ---- out ---- */

static void expect_same(const weft_array *a, const weft_array *b)
{
    cr_assert(a && b, "%s", weft_error(ctx));
    cr_assert(weft_dtype_of(a) == weft_dtype_of(b) && weft_rank(a) == weft_rank(b));
    for (int i = 0; i < weft_rank(a); i++) cr_assert_eq(weft_dim(a, i), weft_dim(b, i));
    cr_expect_eq(
        memcmp(weft_data(a), weft_data(b), (size_t)weft_count(a) * dtype_bytes((DType)weft_dtype_of(a))), 0);
}

Test(npz, what_was_saved_is_loaded)
{
    weft_array *w = weft_reshape(weft_astype(weft_arange(ctx, 0, 6, 1), WEFT_F32), 2, 3),
               *n = weft_scalar_as(ctx, WEFT_I64, 7), *none = weft_zeros(ctx, WEFT_BOOL, 0, 4);
    cr_assert_eq(weft_save_npz(copy, " w1,n ,  none", w, n, none), WEFT_OK, "%s", weft_error(ctx));
    expect_same(weft_load_npz(ctx, copy, "w1"), w);
    expect_same(weft_load_npz(ctx, copy, "n"), n);
    expect_same(weft_load_npz(ctx, copy, "none.npy"), none);
    cr_expect(!weft_load_npz(ctx, copy, "w"));
    expect_error(WEFT_ARGUMENT, "it has no array w; it has w1.npy, n.npy, none.npy");
    cr_assert_eq(weft_save_npz_(copy, "", 0, NULL, NULL), WEFT_OK);
    cr_expect(!weft_load_npz(ctx, copy, "w"));
    expect_error(WEFT_ARGUMENT, "it has none");
}

/* The checksum of the same array as NumPy wrote it. */
Test(npz, the_checksum_is_numpys)
{
    char theirs[1 << 12], ours[1 << 12];
    size_t n = read_all(theirs, sizeof theirs);
    cr_assert_eq(weft_save_npz(copy, "a", weft_load_npz(ctx, path, "a")), WEFT_OK);
    FILE *f = fopen(copy, "rb");
    cr_assert(n > 100 && fread(ours, 1, sizeof ours, f) > 100);
    fclose(f);
    cr_expect_eq(memcmp(theirs + 14, ours + 14, 4), 0);
}

static weft_array *saves(weft_array *x)
{
    cr_expect_eq(weft_save_npz(copy, "x", x), WEFT_TRACED);
    return x;
}

Test(npz, what_cannot_be_saved)
{
    weft_array *x = weft_ones(ctx, WEFT_F32, 3), *gone = weft_ones(ctx, WEFT_F32, 3);
    char long_name[300] = "";
    memset(long_name, 'n', 201);
    weft_free(gone);
    const struct {
        const char *file, *names;
        const weft_array *array;
        weft_status status;
        const char *words;
    } wrong[] = {
        { NULL, "x", x, WEFT_ARGUMENT, "the path is NULL" },
        { copy, NULL, x, WEFT_ARGUMENT, "the names are NULL" },
        { copy, "", x, WEFT_ARGUMENT, "\"\" has 0 names for 1 arrays" },
        { copy, "x, y", x, WEFT_ARGUMENT, "\"x, y\" has 2 names for 1 arrays" },
        { copy, "x, x", x, WEFT_ARGUMENT, "two arrays are called x" },
        { copy, "x,", x, WEFT_ARGUMENT, "\"x,\" ends with a comma" },
        { copy, " , x", x, WEFT_ARGUMENT, "name 0 of \" , x\" has 0 characters: 1 to 200 are allowed" },
        { copy, long_name, x, WEFT_ARGUMENT, "has 201 characters" },
        { copy, "x", NULL, WEFT_ARGUMENT, "operand 1 is NULL" },
        { copy, "x", gone, WEFT_ARGUMENT, "was freed" },
        { "/nonexistent/x.npz", "x", x, WEFT_IO, "/nonexistent/x.npz: No such file or directory" },
        { "/dev/full", "x", x, WEFT_IO, "/dev/full" },
        { ".", "x", x, WEFT_IO, "." },
    };
    write_all("kept", 4);
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        cr_expect_eq(weft_save_npz_(wrong[i].file, wrong[i].names, 1, &wrong[i].array, "a.c:1"),
                     wrong[i].status, "%zu", i);
        expect_error(wrong[i].status, wrong[i].words);
    }
    weft_declare(ctx, saves, weft_unary);
    weft_jit(ctx, saves)(x);
    expect_error(WEFT_TRACED, "array 0 is traced");
    char bytes[8];
    FILE *f = fopen(copy, "rb");
    cr_expect(fread(bytes, 1, sizeof bytes, f) == 4 && !memcmp(bytes, "kept", 4));
    fclose(f);
}
