/* .npz files: as np.savez writes them, and as nobody should have written them. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
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
