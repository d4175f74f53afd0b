/* recipe.c: the door: which ops have recipes, and the dispatch to the functions that write them.
 *
 * Done by recipes are the math functions on F32 and F64, REM SIGN ROUND_AFZ NEXT_AFTER REDUCE_PRECISION on these, and POW on ints.
 * All other elementwise ops are elementary: interpreters and emitters do them by themselves, edges included (int DIV and REM by zero,
 * shifts past the width, IS_FINITE and IS_INF, CLAMP, SQUARE, POPCNT). SIGN and ABS on ints too.
 */
#include "recipe_parts.h"

typedef V Unary(Builder *, V);
typedef V Binary(Builder *, V, V);

/* F32 functions marked VIA_F64 are computed in F64 and rounded: they are not among the ones that must be fast. */
enum { NATIVE, VIA_F64 };
static const struct { uint8_t op, route; Unary *unary; Binary *binary; } functions[] = {
    { OP_EXP, NATIVE, recipe_exp, NULL },
    { OP_EXPM1, NATIVE, recipe_expm1, NULL },
    { OP_LOG, NATIVE, recipe_log, NULL },
    { OP_LOG1P, NATIVE, recipe_log1p, NULL },
    { OP_LOGISTIC, NATIVE, recipe_logistic, NULL },
    { OP_SIN, NATIVE, recipe_sin, NULL },
    { OP_COS, NATIVE, recipe_cos, NULL },
    { OP_TAN, NATIVE, recipe_tan, NULL },
    { OP_TANH, NATIVE, recipe_tanh, NULL },
    { OP_SINH, NATIVE, recipe_sinh, NULL },
    { OP_COSH, NATIVE, recipe_cosh, NULL },
    { OP_ASIN, NATIVE, recipe_asin, NULL },
    { OP_ACOS, NATIVE, recipe_acos, NULL },
    { OP_ATAN, NATIVE, recipe_atan, NULL },
    { OP_ATAN2, NATIVE, NULL, recipe_atan2 },
    { OP_ASINH, VIA_F64, recipe_asinh, NULL },
    { OP_ACOSH, VIA_F64, recipe_acosh, NULL },
    { OP_ATANH, VIA_F64, recipe_atanh, NULL },
    { OP_RSQRT, NATIVE, recipe_rsqrt, NULL },
    { OP_SIGN, NATIVE, recipe_sign, NULL },
    { OP_ROUND_AFZ, NATIVE, recipe_round_afz, NULL },
    { OP_NEXT_AFTER, NATIVE, NULL, recipe_next_after },
    { OP_REM, NATIVE, NULL, recipe_rem },
};
enum { FUNCTIONS = sizeof functions / sizeof *functions };

static int find(Op op) {
    for (int i = 0; i < FUNCTIONS; i++) if (functions[i].op == op) return i;
    return -1;
}

bool recipe_exists(Op op, DType t) {
    if (op == OP_POW && dtype_is_int(t)) return true;
    if (t != WEFT_F32 && t != WEFT_F64) return false;
    return op == OP_REDUCE_PRECISION || find(op) >= 0;
}

static void write_function(int i, DType t, Recipe *r) {
    bool via = functions[i].route == VIA_F64 && t == WEFT_F32;
    Builder b;
    builder_start(&b, r, via ? WEFT_F64 : t);
    V x = parameter(&b, t, 0), y = functions[i].binary ? parameter(&b, t, 1) : x;
    if (via) {
        x = convert(&b, WEFT_F64, x);
        y = functions[i].binary ? convert(&b, WEFT_F64, y) : x;
    }
    V value = functions[i].binary ? functions[i].binary(&b, x, y) : functions[i].unary(&b, x);
    if (via) convert(&b, WEFT_F32, value);
}

bool recipe_make(Op op, DType t, const int64_t *attr, Recipe *r) {
    if (!recipe_exists(op, t)) return false;
    Builder b;
    builder_start(&b, r, t);
    if (dtype_is_int(t)) {
        V x = parameter(&b, t, 0), y = parameter(&b, t, 1);
        recipe_pow_int(&b, t, x, y);
    } else if (op == OP_REDUCE_PRECISION) {
        recipe_reduce_precision(&b, parameter(&b, t, 0), (int)attr[0], (int)attr[1]);
    } else {
        write_function(find(op), t, r);
    }
    return true;
}

/* Bits of 1 / (2 pi), 64 of them a word, after 64 zero bits. */
static const uint64_t turns[] = {
    0x0000000000000000, 0x28be60db9391054a, 0x7f09d5f47d4d3770, 0x36d8a5664f10e410,
    0x7f9458eaf7aef158, 0x6dc91b8e909374b8, 0x01924bba82746487, 0x3f877ac72c4a69cf,
    0xba208d7d4baed121, 0x3a671c09ad17df90, 0x4e64758e60d4ce7d, 0x272117e2ef7e4a0e,
    0xc7fe25fff7816603, 0xfbcbc462d6829b47, 0xdb4d9fb3c9f2c26d, 0xd3d18fd9a797fa8b,
    0x5d49eeb1faf97c5e, 0xcf41ce7de294a4ba, 0x9afed7ec47e35742, 0x1580cc11bf1edaea,
};

const RecipeTable *recipe_table(uint32_t number) {
    static const RecipeTable tables[] = { [TABLE_TURNS] = { WEFT_U64, sizeof turns / sizeof *turns, turns } };
    return number < sizeof tables / sizeof *tables ? &tables[number] : NULL;
}
