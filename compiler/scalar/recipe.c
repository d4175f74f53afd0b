/* recipe.c: the door: which ops have recipes, and the dispatch to the functions that write them.
 */
#include "recipe_builder.h"

/* VIA_F64: F32 is computed in F64 and rounded. */
enum { NONE, NATIVE, VIA_F64 };
typedef struct Function {
    uint8_t route;
    RecipeUnary *unary;
    RecipeBinary *binary;
} Function;
static const Function functions[OP_COUNT] = {
    [OP_EXP] = { NATIVE, recipe_exp, NULL },
    [OP_EXP2] = { NATIVE, recipe_exp2, NULL },
    [OP_EXPM1] = { NATIVE, recipe_expm1, NULL },
    [OP_LOG] = { NATIVE, recipe_log, NULL },
    [OP_LOG2] = { NATIVE, recipe_log2, NULL },
    [OP_LOG10] = { NATIVE, recipe_log10, NULL },
    [OP_LOG1P] = { NATIVE, recipe_log1p, NULL },
    [OP_LOGISTIC] = { NATIVE, recipe_logistic, NULL },
    [OP_SIN] = { NATIVE, recipe_sin, NULL },
    [OP_COS] = { NATIVE, recipe_cos, NULL },
    [OP_TAN] = { NATIVE, recipe_tan, NULL },
    [OP_TANH] = { NATIVE, recipe_tanh, NULL },
    [OP_SINH] = { NATIVE, recipe_sinh, NULL },
    [OP_COSH] = { NATIVE, recipe_cosh, NULL },
    [OP_ASIN] = { NATIVE, recipe_asin, NULL },
    [OP_ACOS] = { NATIVE, recipe_acos, NULL },
    [OP_ATAN] = { NATIVE, recipe_atan, NULL },
    [OP_ATAN2] = { NATIVE, NULL, recipe_atan2 },
    [OP_ASINH] = { NATIVE, recipe_asinh, NULL },
    [OP_ACOSH] = { NATIVE, recipe_acosh, NULL },
    [OP_ATANH] = { NATIVE, recipe_atanh, NULL },
    [OP_ERF] = { NATIVE, recipe_erf, NULL },
    [OP_ERFC] = { NATIVE, recipe_erfc, NULL },
    [OP_ERF_INV] = { NATIVE, recipe_erf_inv, NULL },
    [OP_CBRT] = { NATIVE, recipe_cbrt, NULL },
    [OP_RSQRT] = { NATIVE, recipe_rsqrt, NULL },
    [OP_POW] = { NATIVE, NULL, recipe_pow },
    [OP_LGAMMA] = { NATIVE, recipe_lgamma, NULL },
    [OP_DIGAMMA] = { VIA_F64, recipe_digamma, NULL },
    [OP_BESSEL_I1E] = { VIA_F64, recipe_bessel_i1e, NULL },
    [OP_ZETA] = { NATIVE, NULL, recipe_zeta },
    [OP_POLYGAMMA] = { NATIVE, NULL, recipe_polygamma },
    [OP_SIGN] = { NATIVE, recipe_sign, NULL },
    [OP_ROUND_AFZ] = { NATIVE, recipe_round_afz, NULL },
    [OP_NEXT_AFTER] = { NATIVE, NULL, recipe_next_after },
    [OP_REM] = { NATIVE, NULL, recipe_rem },
};
/* Of F32 alone. */
static const Function singles[OP_COUNT] = {
    [OP_ASINH] = { VIA_F64, recipe_asinh_single, NULL },
    [OP_ACOSH] = { VIA_F64, recipe_acosh_single, NULL },
    [OP_ATANH] = { VIA_F64, recipe_atanh_single, NULL },
    [OP_ERFC] = { VIA_F64, recipe_erfc_single, NULL },
    [OP_POW] = { VIA_F64, NULL, recipe_pow_single },
    [OP_LGAMMA] = { VIA_F64, recipe_lgamma_single, NULL },
    [OP_ZETA] = { VIA_F64, NULL, recipe_zeta_single },
    [OP_POLYGAMMA] = { VIA_F64, NULL, recipe_polygamma_single },
};

/* NULL: there is none. */
static const Function *find(Op op, DType t)
{
    const Function *f = t == WEFT_F32 && singles[op].route ? &singles[op] : &functions[op];
    return f->route ? f : NULL;
}

bool recipe_exists(Op op, DType t)
{
    if (op == OP_POW && dtype_is_int(t)) return true;
    if (op == OP_REDUCE_PRECISION) return dtype_is_float(t);
    return (t == WEFT_F32 || t == WEFT_F64) && find(op, t);
}

/* The second operand, if it has one: a constant, or NULL for a parameter. The step of the value. */
static V write_function(const Function *f, DType t, bool fma, const uint64_t *second, Recipe *r)
{
    bool via = f->route != NATIVE && t == WEFT_F32;
    Builder b;
    builder_start(&b, r, via ? WEFT_F64 : t, fma);
    RecipeBinary *binary = f->binary;
    V x = parameter(&b, t, 0), y = !binary ? x : second ? builder_const(&b, t, *second) : parameter(&b, t, 1);
    if (via) {
        x = convert(&b, WEFT_F64, x);
        y = binary ? convert(&b, WEFT_F64, y) : x;
    }
    V value = binary ? binary(&b, x, y) : f->unary(&b, x);
    return via ? convert(&b, WEFT_F32, value) : value;
}

bool recipe_make(Op op, DType t, const int64_t *attr, bool fma, Recipe *r)
{
    if (!recipe_exists(op, t)) return false;
    Builder b;
    builder_start(&b, r, t, fma);
    if (dtype_is_int(t)) {
        V x = parameter(&b, t, 0), y = parameter(&b, t, 1);
        recipe_pow_int(&b, t, x, y);
    } else if (op == OP_REDUCE_PRECISION) {
        recipe_reduce_precision(&b, parameter(&b, t, 0), (int)attr[0], (int)attr[1]);
    } else {
        write_function(find(op, t), t, fma, NULL, r);
    }
    return true;
}

bool recipe_make_by_estimate(Op op, DType t, Recipe *r)
{
    Builder b;
    if (op != OP_RSQRT) return false;
    builder_start(&b, r, t, true);
    recipe_rsqrt_by_estimate(&b, parameter(&b, t, 0));
    return true;
}

/* Without the steps that the value does not need. */
static void keep_needed(Recipe *r, V value)
{
    bool needed[RECIPE_MAX_STEPS] = { false };
    uint16_t place[RECIPE_MAX_STEPS], n = 0;
    needed[value] = true;
    for (int i = value; i >= 0; i--) {
        const RecipeStep *s = &r->step[i];
        for (int k = 0; needed[i] && k < recipe_step_args(s); k++) needed[s->arg[k]] = true;
        if (needed[i] && s->guard) needed[s->guard - 1] = true;
    }
    for (int i = 0; i <= value; i++) {
        if (!needed[i]) continue;
        RecipeStep s = r->step[i];
        for (int k = 0; k < recipe_step_args(&s); k++) s.arg[k] = place[s.arg[k]];
        if (s.guard) s.guard = (uint16_t)(place[s.guard - 1] + 1);
        r->step[n] = s;
        place[i] = n++;
    }
    r->n_steps = n;
}

void recipe_make_power(DType t, uint64_t y, bool fma, Recipe *r)
{
    Builder b;
    builder_start(&b, r, t, fma);
    keep_needed(r, dtype_is_int(t) ? recipe_pow_int(&b, t, parameter(&b, t, 0), builder_const(&b, t, y))
                                   : write_function(find(OP_POW, t), t, fma, &y, r));
}

bool recipe_make_convert(DType from, DType to, Recipe *r)
{
    Builder b;
    builder_start(&b, r, WEFT_F32, true);
    return recipe_write_convert(&b, from, to);
}

/* Bits of 1 / (2 pi), 64 of them a word, after 64 zero bits. */
static const uint64_t turns[] = {
    0x0000000000000000, 0x28be60db9391054a, 0x7f09d5f47d4d3770, 0x36d8a5664f10e410, 0x7f9458eaf7aef158,
    0x6dc91b8e909374b8, 0x01924bba82746487, 0x3f877ac72c4a69cf, 0xba208d7d4baed121, 0x3a671c09ad17df90,
    0x4e64758e60d4ce7d, 0x272117e2ef7e4a0e, 0xc7fe25fff7816603, 0xfbcbc462d6829b47, 0xdb4d9fb3c9f2c26d,
    0xd3d18fd9a797fa8b, 0x5d49eeb1faf97c5e, 0xcf41ce7de294a4ba, 0x9afed7ec47e35742, 0x1580cc11bf1edaea,
};

/* n! for all n where it is finite, then infinity. */
static const double factorials[] = {
    0x1.0000000000000p+0,    0x1.0000000000000p+0,    0x1.0000000000000p+1,    0x1.8000000000000p+2,
    0x1.8000000000000p+4,    0x1.e000000000000p+6,    0x1.6800000000000p+9,    0x1.3b00000000000p+12,
    0x1.3b00000000000p+15,   0x1.6260000000000p+18,   0x1.baf8000000000p+21,   0x1.308a800000000p+25,
    0x1.c8cfc00000000p+28,   0x1.7328cc0000000p+32,   0x1.44c3b28000000p+36,   0x1.3077775800000p+40,
    0x1.3077775800000p+44,   0x1.437eeecd80000p+48,   0x1.6beecca730000p+52,   0x1.b02b930689000p+56,
    0x1.0e1b3be415a00p+61,   0x1.6283be9b5c620p+65,   0x1.e77526159f06cp+69,   0x1.5e5c335f8a4cep+74,
    0x1.06c52687a7b9ap+79,   0x1.9a940c33f6121p+83,   0x1.4d9849ea37eebp+88,   0x1.19787e5d9f316p+93,
    0x1.ec92dd23d6967p+97,   0x1.be6518687a785p+102,  0x1.a27ec6e1f2d0dp+107,  0x1.956ad0aae33a4p+112,
    0x1.956ad0aae33a4p+117,  0x1.a21627303a541p+122,  0x1.bc3789a33df96p+127,  0x1.e5dcbe8a8bc8cp+132,
    0x1.114c2b2deea0fp+138,  0x1.3c0011ed1bea1p+143,  0x1.774015499125fp+148,  0x1.c95619f1a8e64p+153,
    0x1.1dd5d037098fep+159,  0x1.6e39f2c684406p+164,  0x1.e0ac0ea48d948p+169,  0x1.42f399d68f1fcp+175,
    0x1.bc0ef38704cbbp+180,  0x1.383a833aef5f3p+186,  0x1.c0d41ca4b818ep+191,  0x1.499bc508f7324p+197,
    0x1.ee69a78d72cb6p+202,  0x1.7a88e4484be3bp+208,  0x1.27baf2587b49ep+214,  0x1.d751f23d047dcp+219,
    0x1.7ef294d193a63p+225,  0x1.3d20e33d8e45ap+231,  0x1.0b93bfbbf00acp+237,  0x1.cbe5f18b04928p+242,
    0x1.92693359a4003p+248,  0x1.6665b1bbd6102p+254,  0x1.44cc291239feap+260,  0x1.2b6c35dccd76cp+266,
    0x1.18b5727f009f5p+272,  0x1.0b8cf1210c97ep+278,  0x1.0330899804332p+284,  0x1.fe478ee34844ap+289,
    0x1.fe478ee34844ap+295,  0x1.0320568f6ab2ep+302,  0x1.0b395943e6087p+308,  0x1.17c0097314d0dp+314,
    0x1.293c0a0a461dep+320,  0x1.4074bad313983p+326,  0x1.5e7fac56dd6e8p+332,  0x1.84d5a3305da69p+338,
    0x1.b5705796695b6p+344,  0x1.f2f423e7902c4p+350,  0x1.207524c1df599p+357,  0x1.5209471331bd0p+363,
    0x1.916b0466cb107p+369,  0x1.e2f4c14bac4fcp+375,  0x1.264d25ca1d009p+382,  0x1.6b473aa57bcccp+388,
    0x1.c619094edabffp+394,  0x1.1f5bd7e3e66d7p+401,  0x1.702dac9bff3c4p+407,  0x1.dd7b3bda4f022p+413,
    0x1.3958df4743d96p+420,  0x1.a02a088aa61cbp+426,  0x1.179c3dbd279b5p+433,  0x1.7c1863ed21d72p+439,
    0x1.0550c4b30743ep+446,  0x1.6b645188f61a6p+452,  0x1.ff0512a89a152p+458,  0x1.6b4d9b43dd8b0p+465,
    0x1.051fc798c73bfp+472,  0x1.7b722e0a01831p+478,  0x1.16a7d9cf591c4p+485,  0x1.9da1274fc845fp+491,
    0x1.3638dd7bd6347p+498,  0x1.d62e2fafb0a78p+504,  0x1.67fb5c8283404p+511,  0x1.166c698cf183bp+518,
    0x1.b30964ec395dcp+524,  0x1.574569a265440p+531,  0x1.118b502d68b23p+538,  0x1.b83c3509147ecp+544,
    0x1.65b0eb1760a70p+551,  0x1.256b20d92d490p+558,  0x1.e5f96e67b300ep+564,  0x1.963e824aafa2cp+571,
    0x1.56c4bdef04315p+578,  0x1.23e389bd89920p+585,  0x1.f5af14bdc472fp+591,  0x1.b30dd3fc905bap+598,
    0x1.7cac197cfe503p+605,  0x1.500fee805882dp+612,  0x1.2b4e306a4ed48p+619,  0x1.0ce83f7f82d2fp+626,
    0x1.e764f3171d1e4p+632,  0x1.bd824633209dbp+639,  0x1.9ab418b722116p+646,  0x1.7dd36efa41ac2p+653,
    0x1.65f6380a9d916p+660,  0x1.5262c0fa08f37p+667,  0x1.42861fee50880p+674,  0x1.35ece2af0162bp+681,
    0x1.2c3d7b998957ap+688,  0x1.25340ab3f01f9p+695,  0x1.209f3a89205f1p+702,  0x1.1e5dfc140e1e5p+709,
    0x1.1e5dfc140e1e5p+716,  0x1.209ab80c363a9p+723,  0x1.251d22ec67138p+730,  0x1.2bfbd1bdf17dfp+737,
    0x1.355bb04be109ep+744,  0x1.4171452ed7d44p+751,  0x1.5082946d09f23p+758,  0x1.62e9b88b007d7p+765,
    0x1.79185413b0855p+772,  0x1.939c09fd12eebp+779,  0x1.b3243ac4d8695p+786,  0x1.d88957d1c3026p+793,
    0x1.026b1c06b6a55p+801,  0x1.1ca9fcdf65321p+808,  0x1.3bcc9487d4439p+815,  0x1.60ce8defbf238p+822,
    0x1.8ce85fadb707ep+829,  0x1.c19f3c62c956fp+836,  0x1.006cd07056d39p+844,  0x1.267cf76103b70p+851,
    0x1.54807e082c4b9p+858,  0x1.8c5d92b583900p+865,  0x1.d07da7ecb62ccp+872,  0x1.11fa1e0c9f746p+880,
    0x1.455903aefd5a3p+887,  0x1.84e466672ad5dp+894,  0x1.d3e2cb341f894p+901,  0x1.1b4a51088f182p+909,
    0x1.594292c26e656p+916,  0x1.a77ba8027b686p+923,  0x1.055e51b1882a7p+931,  0x1.44ab297a8724bp+938,
    0x1.95d5f3d928edep+945,  0x1.fe771cb7257b3p+952,  0x1.4307602be5b7fp+960,  0x1.9b5b6477e6884p+967,
    0x1.07868c5ccfaf4p+975,  0x1.53b370efa3b7fp+982,  0x1.b88cb676c8529p+989,  0x1.1f63cb077cadep+997,
    0x1.7932fa79d3a43p+1004, 0x1.f2054eb4d96ecp+1011, 0x1.4ab7864418639p+1019, INFINITY
};

const RecipeTable *recipe_table(uint32_t number)
{
    static const RecipeTable tables[] = {
        [TABLE_TURNS] = { WEFT_U64, sizeof turns / sizeof *turns, turns },
        [TABLE_EXP] = { WEFT_F64, sizeof exp_table / sizeof *exp_table, exp_table },
        [TABLE_FACTORIALS] = { WEFT_F64, sizeof factorials / sizeof *factorials, factorials },
    };
    return number < sizeof tables / sizeof *tables ? &tables[number] : NULL;
}
