/* weft_print and weft_format against what NumPy prints, for the arrays in print_cases.h. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "compiler/graph/dtype.h"
#include "tests/public/print_cases.h"
#include "weft/array.h"

static void fill(const PrintCase *c, char *data, int64_t count)
{
    size_t bytes = dtype_bytes(c->dtype);
    for (int64_t i = 0; i < count; i++) {
        if (c->mod != 0) {
            double v = (fmod((double)i * c->mul, c->mod) - c->off) / c->div;
            scalar_store(c->dtype, data + (size_t)i * bytes,
                         scalar_from_double(c->dtype, c->dtype == WEFT_BOOL ? v != 0 : v));
        } else {
            for (size_t b = 0; b < bytes; b++) {
                unsigned byte;
                sscanf(c->hex + 2 * ((size_t)i * bytes + b), "%2x", &byte);
                data[(size_t)i * bytes + b] = (char)byte;
            }
        }
    }
}

static int64_t count_of(const PrintCase *c)
{
    int64_t n = 1;
    for (int i = 0; i < c->rank; i++) n *= c->dim[i];
    return n;
}

Test(print, as_numpy)
{
    weft_context *ctx = weft_open(NULL);
    for (size_t i = 0; i < sizeof print_cases / sizeof *print_cases; i++) {
        const PrintCase *c = &print_cases[i];
        int64_t count = count_of(c);
        char *data = calloc((size_t)count + 1, dtype_bytes(c->dtype));
        fill(c, data, count);
        weft_array *a = weft_from_shape(ctx, c->dtype, data, c->rank, c->dim);
        char text[8192];
        size_t n = weft_format(a, text, sizeof text);
        cr_expect_str_eq(text, c->text, "case %zu: got\n%s\nwanted\n%s", i, text, c->text);
        cr_expect_eq(n, strlen(text));
        free(data);
    }
    weft_close(ctx);
}

Test(print, cuts_as_snprintf_does)
{
    weft_context *ctx = weft_open(NULL);
    float data[3] = { 1, 2, 3 };
    weft_array *a = weft_from(ctx, data, 3);
    char text[6];
    cr_expect_eq(weft_format(a, text, sizeof text), strlen("[1. 2. 3.]"));
    cr_expect_str_eq(text, "[1. 2");
    cr_expect_eq(weft_format(a, NULL, 0), strlen("[1. 2. 3.]"));
    cr_expect_eq(weft_format(a, text, 1), strlen("[1. 2. 3.]"));
    cr_expect_str_eq(text, "");
    weft_close(ctx);
}

Test(print, bfloat16_and_failed_values)
{
    weft_context *ctx = weft_open(NULL);
    uint16_t halves[2] = { 0x3f80, 0x4049 };
    char text[128];
    weft_format(weft_from_shape(ctx, WEFT_BF16, halves, 1, (int64_t[]){ 2 }), text, sizeof text);
    cr_expect_str_eq(text, "[1.   3.14]");
    weft_format(NULL, text, sizeof text);
    cr_expect_str_eq(text, "NULL");
    cr_expect_null(weft_from(ctx, (float *)NULL, 2));
    weft_format(NULL, text, sizeof text);
    cr_expect_not_null(strstr(text, "the data is NULL"));
    weft_close(ctx);
}
