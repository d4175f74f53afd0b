/* Closures: callable, many, and never on a page that is writable and executable. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>
#include "runtime/closure.h"
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
