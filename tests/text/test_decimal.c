/* test_decimal.c: decimal numbers: printed so that they read back, read as strtod reads, rounded once. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "compiler/text/decimal.h"

static void check_number(DType t, uint64_t bits)
{
    char text[DECIMAL_SIZE];
    uint64_t back = 0;
    decimal_print(text, t, bits);
    if (strncmp(text, "0x", 2) == 0) back = strtoull(text, NULL, 16);
    else cr_assert(decimal_parse(text, strlen(text), t, &back), "%s", text);
    cr_assert(back == bits, "%s: %s is %llx, not %llx", dtype_name(t), text, (unsigned long long)back,
              (unsigned long long)bits);
}

Test(decimal, numbers_print_so_that_they_read_back)
{
    uint64_t state = 1;
    for (uint32_t h = 0; h < 65536; h++) {
        check_number(WEFT_F16, h);
        check_number(WEFT_BF16, h);
    }
    for (int i = 0; i < 20000; i++) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        check_number(WEFT_F32, state >> 32);
        check_number(WEFT_F64, state ^ state >> 29);
    }
}

Test(decimal, reads_what_strtod_reads)
{
    static const char *const texts[] = {
        "0",
        "-0",
        "1",
        "0.1",
        "1e23",
        "8.5e-324",
        "4.9406564584124654e-324",
        "2.4703282292062327e-324",
        "2.4703282292062328e-324",
        "1.7976931348623157e308",
        "1.7976931348623158e308",
        "1.797693134862315907729e308",
        "1e400",
        "1e-400",
        "9007199254740993",
        "9007199254740992.999999999999",
        "9007199254740993.0000000000000000000000000000000001",
        "123456789012345678901234567890",
        "0.000000000000000000000000000000000000001",
        "2.2250738585072011e-308",
        "00001.50",
        "1e+5",
        "1.e3",
        "5e-00003",
    };
    uint64_t bits, state = 1;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        cr_assert(decimal_parse(texts[i], strlen(texts[i]), WEFT_F64, &bits));
        cr_expect(bits == scalar_from_double(WEFT_F64, strtod(texts[i], NULL)), "%s", texts[i]);
        cr_assert(decimal_parse(texts[i], strlen(texts[i]), WEFT_F32, &bits));
        float v = strtof(texts[i], NULL);
        cr_expect(scalar_to_double(WEFT_F32, bits) == (double)v, "%s as f32", texts[i]);
    }
    for (int i = 0; i < 20000; i++) {
        char text[64];
        state = state * 6364136223846793005u + 1442695040888963407u;
        snprintf(text, sizeof text, "%llu.%llue%d", (unsigned long long)(state >> 40),
                 (unsigned long long)(state & 0xffffff), (int)(state >> 24 & 1023) - 512);
        cr_assert(decimal_parse(text, strlen(text), WEFT_F64, &bits));
        cr_assert(bits == scalar_from_double(WEFT_F64, strtod(text, NULL)), "%s", text);
    }
}

/* A tie in f16 that a detour by f64 or f32 would round twice. */
Test(decimal, rounds_once)
{
    uint64_t bits;
    static const char text[] = "1.00048828125000000000000000000000000000000001";
    cr_assert(decimal_parse(text, sizeof text - 1, WEFT_F16, &bits));
    cr_expect(bits == 0x3c01);
    cr_assert(decimal_parse("1.00048828125", 13, WEFT_F16, &bits));
    cr_expect(bits == 0x3c00);
}

Test(decimal, refuses_what_is_no_number)
{
    static const char *const texts[] = { "",      "-",  ".",    "e5",  "1e", "1e+",
                                         "1.2.3", "1x", "0x10", "nan", " 1", "1 " };
    uint64_t bits;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        cr_expect(!decimal_parse(texts[i], strlen(texts[i]), WEFT_F64, &bits), "'%s'", texts[i]);
}
