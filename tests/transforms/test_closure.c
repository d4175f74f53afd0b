/* Closures: callable, many, and never on a page that is writable and executable. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include "runtime/exec/closure.h"
#include "weft.h"

static void add_user(ffi_cif *cif, void *result, void **args, void *slot)
{
    (void)cif;
    *(ffi_arg *)result = (ffi_arg)(*(int *)args[0] + **(int **)slot);
}

Test(closure, hundreds_of_two_types)
{
    enum { N = 300 };
    ClosurePool pool = { NULL };
    Failure failure = { .code = WEFT_OK };
    ffi_cif one, two;
    ffi_type *types[2] = { &ffi_type_sint, &ffi_type_sint };
    ffi_prep_cif(&one, FFI_DEFAULT_ABI, 1, &ffi_type_sint, types);
    ffi_prep_cif(&two, FFI_DEFAULT_ABI, 2, &ffi_type_sint, types);
    int user[N];
    weft_fn f[N], g[N];
    for (int i = 0; i < N; i++) {
        user[i] = 1000 * i;
        f[i] = closure_make(&pool, "i(i)", &one, add_user, &user[i], &failure);
        g[i] = closure_make(&pool, "i(ii)", &two, add_user, &user[i], &failure);
        cr_assert(f[i] && g[i]);
    }
    for (int i = 0; i < N; i++) {
        cr_expect_eq(((int (*)(int))f[i])(7), 1000 * i + 7);
        cr_expect_eq(((int (*)(int, int))g[i])(8, 1), 1000 * i + 8);
    }
    closure_close(&pool);
}

static weft_array *twice(weft_array *x) { return weft_add(x, x); }

/* The whole process, with closures made and code compiled. */
Test(closure, no_page_is_writable_and_executable)
{
    weft_context *ctx = weft_open(NULL);
    float data[3] = { 1, 2, 3 };
    weft_declare(ctx, twice, weft_unary);
    weft_vmap(ctx, twice, "0")(weft_from(ctx, data, 3));
    weft_jit(ctx, twice)(weft_from(ctx, data, 3));
    weft_clear(ctx);
    FILE *maps = fopen("/proc/self/maps", "r");
    if (!maps) cr_skip_test("no /proc/self/maps");
    char line[512];
    while (fgets(line, sizeof line, maps)) {
        char rights[8] = "";
        sscanf(line, "%*s %7s", rights);
        cr_expect_not(strchr(rights, 'w') && strchr(rights, 'x'), "%s", line);
    }
    fclose(maps);
    weft_close(ctx);
}

/* Closed contexts leave their pages to the next: none is ever another function's at once, and there are no
 * more of them than are in use. */
Test(closure, is_known_after_its_context)
{
    weft_unary *old[100];
    float data[3] = { 1, 2, 3 };
    for (int i = 0; i < 100; i++) {
        weft_context *ctx = weft_open(NULL);
        weft_declare(ctx, twice, weft_unary);
        old[i] = weft_vmap(ctx, twice, "0");
        weft_close(ctx);
        for (int k = i > 20 ? i - 20 : 0; k <= i; k++) {
            cr_expect_null(old[k](NULL));
            cr_expect_not_null(strstr(weft_error(NULL), "its context is closed"));
            weft_clear(NULL);
        }
    }
    weft_context *ctx = weft_open(NULL);
    weft_declare(ctx, twice, weft_unary);
    weft_unary *forgotten = weft_vmap(ctx, twice, "0");
    weft_forget(ctx, twice);
    cr_expect_null(forgotten(weft_from(ctx, data, 3)));
    cr_expect_not_null(strstr(weft_error(ctx), "weft_forget"));
    weft_close(ctx);
}

/* Clang's -fsanitize=function looks there before each call by pointer. */
Test(closure, sixteen_bytes_before_each_can_be_read)
{
    weft_context *ctx = weft_open(NULL);
    weft_declare(ctx, twice, weft_unary);
    weft_unary *f = weft_vmap(ctx, twice, "0");
    char before[16];
    memcpy(before, (const char *)(uintptr_t)f - sizeof before, sizeof before);
    for (size_t i = 0; i < sizeof before; i++) cr_expect_eq(before[i], 0);
    weft_close(ctx);
}

#ifndef PR_SET_MDWE
#define PR_SET_MDWE              65
#define PR_MDWE_REFUSE_EXEC_GAIN 1
#endif

/* A kernel that lets no memory become executable: eager mode works, and the rest says why not. */
Test(closure, no_memory_may_become_executable)
{
    weft_context *ctx = weft_open(NULL);
    float data[3] = { 1, 2, 3 };
    weft_array *x = weft_from(ctx, data, 3);
    weft_declare(ctx, twice, weft_unary);
    weft_unary *made_before = weft_jit(ctx, twice);
    if (prctl(PR_SET_MDWE, PR_MDWE_REFUSE_EXEC_GAIN, 0, 0, 0)) cr_skip_test("this kernel has no PR_SET_MDWE");
    cr_expect_null(made_before(x));
    cr_expect_not_null(strstr(weft_error(ctx), "PR_SET_MDWE"), "%s", weft_error(ctx));
    cr_expect_eq(weft_clear(ctx), WEFT_COMPILER);
    cr_expect_null(weft_vmap(ctx, weft_add, "0")(x, x));
    cr_expect_not_null(strstr(weft_error(ctx), "PR_SET_MDWE"), "%s", weft_error(ctx));
    cr_expect_eq(weft_clear(ctx), WEFT_COMPILER);
    cr_expect_eq(weft_item(weft_sum(weft_add(x, x))), 12);
    weft_close(ctx);
}
