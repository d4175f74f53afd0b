/* test_narrow.c: numbers of 2 to 8 bits: bytes read, numbers rounded and stored, against ml_dtypes
 * (tests/data/make_narrow_data.py). */
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "compiler/text/narrow.h"
#include "tests/support/graph_suite.h"

enum { MOST = 4096 };

static float f32_of(uint32_t bits)
{
    float x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

static Narrow narrow_named(const char *name)
{
    int t = NARROW_NONE + 1;
    while (t < NARROW_COUNT && strcmp(narrow_name((Narrow)t), name) != 0) t++;
    cr_assert(t < NARROW_COUNT, "%s", name);
    return (Narrow)t;
}

typedef Ref NarrowFn(Graph *, Narrow, Ref);

static Ref rounded_bytes(Graph *g, Narrow t, Ref x)
{
    return narrow_store(g, t, build_convert(g, narrow_round(g, t, x), WEFT_F32));
}

/* f(in) of n elements, eager. */
static void run(NarrowFn *f, Narrow t, DType from, int64_t n, const void *in, void *out)
{
    Arena a;
    arena_open(&a);
    Graph *g = graph_new(&a, NULL);
    Ref y = f(g, t, build_param(g, (Type){ (uint8_t)from, 1, &n }));
    graph_set_outputs(g, &y, 1);
    cr_assert(g->failure.code == WEFT_OK, "%s", g->failure.text);
    eager_run(g, &in, &out);
    arena_free(&a);
}

/* The NaNs of a type are one. */
static bool same_byte(Narrow t, uint8_t a, uint8_t b)
{
    return a == b || (isnan(narrow_value(t, a)) && isnan(narrow_value(t, b)));
}

static void check_reading(Narrow t, const float *values, int64_t n)
{
    uint8_t bytes[256];
    float read[256];
    for (int i = 0; i < 256; i++) bytes[i] = (uint8_t)i; /* bits above the type's own are not looked at */
    run(narrow_read, t, narrow_bytes(t), 256, bytes, read);
    for (int i = 0; i < 256; i++) {
        float should = values[i % n];
        double number = narrow_value(t, (uint8_t)i);
        bool same = isnan(should) ? isnan(read[i]) : read[i] == should && signbit(read[i]) == signbit(should);
        cr_expect(same && (isnan(should) ? isnan(number) : number == (double)should),
                  "%s: byte %x is %g, as an element %g, not %g", narrow_name(t), (unsigned)i, (double)read[i],
                  number, (double)should);
        if (isfinite(should))
            cr_expect(narrow_nearest(t, (double)should) == i % n, "%s: %g", narrow_name(t), (double)should);
    }
}

static void check_rounding(Narrow t, const float *x, const uint8_t *should, int64_t n)
{
    static uint8_t from_f32[MOST], from_f64[MOST];
    static double wide[MOST];
    for (int64_t i = 0; i < n; i++) wide[i] = (double)x[i];
    run(rounded_bytes, t, WEFT_F32, n, x, from_f32);
    run(rounded_bytes, t, WEFT_F64, n, wide, from_f64);
    for (int64_t i = 0; i < n; i++)
        cr_expect(same_byte(t, from_f32[i], should[i]) && same_byte(t, from_f64[i], should[i]),
                  "%s: %.9g becomes %x of f32, %x of f64, not %x", narrow_name(t), (double)x[i], from_f32[i],
                  from_f64[i], should[i]);
}

Test(narrow, floats_are_those_of_ml_dtypes)
{
    static char line[1 << 20];
    static float values[256], x[MOST];
    static uint8_t became[MOST];
    int types = 0;
    FILE *f = fopen(WEFT_SOURCE_DIR "/tests/data/narrow.txt", "r");
    cr_assert(f);
    for (; fgets(line, sizeof line, f); types++) {
        char *word = strtok(line, " "), *byte;
        Narrow t = narrow_named(word);
        int64_t n = 0, known = 0;
        cr_assert_eq(atoi(strtok(NULL, " ")), narrow_bits(t));
        while (strcmp(word = strtok(NULL, " "), "|") != 0)
            values[known++] = f32_of((uint32_t)strtoul(word, NULL, 16));
        while ((word = strtok(NULL, " \n")) && n < MOST) {
            x[n] = f32_of((uint32_t)strtoul(word, &byte, 16));
            became[n++] = (uint8_t)strtoul(byte + 1, NULL, 16);
        }
        check_reading(t, values, known);
        check_rounding(t, x, became, n);
    }
    fclose(f);
    cr_assert_eq(types, NARROW_COUNT - NARROW_F8E4M3FN);
}

Test(narrow, integers_wrap)
{
    int8_t bytes[256], wrapped[256];
    for (int i = 0; i < 256; i++) bytes[i] = (int8_t)(i - 128);
    for (int t = NARROW_I2; t <= NARROW_U4; t++) {
        int size = 1 << narrow_bits((Narrow)t);
        run(narrow_round, (Narrow)t, narrow_held((Narrow)t), 256, bytes, wrapped);
        for (int i = 0; i < 256; i++) {
            int should = (i - 128) & (size - 1);
            if (t <= NARROW_I4 && should >= size / 2) should -= size;
            cr_expect(wrapped[i] == should && narrow_value((Narrow)t, (uint8_t)bytes[i]) == should,
                      "%s: %d is %d", narrow_name((Narrow)t), i - 128, wrapped[i]);
        }
    }
}
