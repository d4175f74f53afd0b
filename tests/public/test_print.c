/* weft_print and weft_format against what NumPy prints (tests/data/print.txt). */
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "tests/support/graph_support.h"
#include "weft/array.h"

enum { LONGEST_LINE = 8192 };

typedef struct PrintCase {
    DType dtype;
    int rank;
    int64_t dim[6], count;
    const char *elements;
    char *text;
} PrintCase;

/* The words of a line of print.txt; the line is cut up. */
static PrintCase read_case(char *line)
{
    PrintCase c = { .count = 1 };
    const char *name = strsep(&line, " "), *shape = strsep(&line, " ");
    c.dtype = dtype_named(name);
    for (char *end; *shape != '-' && *shape; shape = end + (*end == ','))
        c.count *= c.dim[c.rank++] = strtoll(shape, &end, 10);
    c.elements = strsep(&line, " ");
    c.text = line;
    line[strcspn(line, "\n")] = '\0';
    for (char *end; (end = strstr(line, "\\n")); line = end) {
        *end++ = '\n';
        memmove(end, end + 1, strlen(end));
    }
    return c;
}

static void fill(const PrintCase *c, char *data)
{
    size_t bytes = dtype_bytes(c->dtype);
    double mul, mod, off, div;
    if (sscanf(c->elements, "%lf%%%lf-%lf/%lf", &mul, &mod, &off, &div) == 4) {
        for (int64_t i = 0; i < c->count; i++) {
            double v = (fmod((double)i * mul, mod) - off) / div;
            scalar_store(c->dtype, data + (size_t)i * bytes,
                         scalar_from_double(c->dtype, c->dtype == WEFT_BOOL ? v != 0 : v));
        }
    } else {
        for (size_t b = 0; b < bytes * (size_t)c->count; b++) {
            unsigned byte;
            cr_assert(sscanf(c->elements + 2 * b, "%2x", &byte) == 1);
            data[b] = (char)byte;
        }
    }
}

Test(print, as_numpy)
{
    weft_context *ctx = weft_open(NULL);
    FILE *f = fopen("tests/data/print.txt", "r");
    cr_assert(f, "tests/data/print.txt cannot be read");
    int cases = 0;
    for (char line[LONGEST_LINE]; fgets(line, sizeof line, f);) {
        if (*line == '#') continue;
        PrintCase c = read_case(line);
        char *data = calloc((size_t)c.count + 1, dtype_bytes(c.dtype)), text[LONGEST_LINE];
        fill(&c, data);
        size_t n =
            weft_format(weft_from_shape(ctx, (weft_dtype)c.dtype, data, c.rank, c.dim), text, sizeof text);
        cr_expect_str_eq(text, c.text, "case %d: got\n%s\nwanted\n%s", cases, text, c.text);
        cr_expect_eq(n, strlen(text));
        free(data);
        cases++;
    }
    fclose(f);
    cr_expect(cases > 70, "%d", cases);
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
