/* npy.c: a .npy file from a stranger. It is refused with a message, or becomes an array that comes back equal
 * when it is saved and loaded again. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include "compiler/graph/types/dtype.h"
#include "target.h"
#include "weft.h"

static void no_print(void *user, weft_status code, const char *text)
{
    (void)user;
    (void)code;
    (void)text;
}

static bool same(const weft_array *a, const weft_array *b)
{
    size_t bytes = (size_t)weft_count(a) * dtype_bytes(weft_dtype_of(a));
    if (!b || weft_dtype_of(a) != weft_dtype_of(b) || weft_rank(a) != weft_rank(b)) return false;
    for (int i = 0; i < weft_rank(a); i++)
        if (weft_dim(a, i) != weft_dim(b, i)) return false;
    return !memcmp(weft_data(a), weft_data(b), bytes);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char path[40];
    int fd = memfd_create("hostile.npy", 0);
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    target_require(fd >= 0 && write(fd, data, size) == (ssize_t)size, "no file in memory");
    weft_context *ctx = weft_open(&(weft_options){ .memory_limit = 64 << 20, .on_error = no_print });
    weft_array *a = weft_load(ctx, path);
    target_require(!a == (weft_error(ctx) != NULL), "an array and an error, or neither: %s", weft_error(ctx));
    if (a) {
        bool saved = weft_save(a, path) == WEFT_OK;
        target_require(saved && same(a, weft_load(ctx, path)),
                       "saved and loaded again it is another array: %s", weft_error(ctx));
    }
    weft_close(ctx);
    close(fd);
    return 0;
}
