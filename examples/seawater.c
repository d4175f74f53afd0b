/* seawater.c: the equation of state of sea water, in doubles, with weft/short.h: density and dynamic enthalpy
 * from Absolute Salinity sa [g/kg], Conservative Temperature ct [deg C] and sea pressure p [dbar], by the
 * 48-term expression for density (IOC, SCOR and IAPSO 2010, The international thermodynamic equation of
 * seawater; McDougall, Barker, Feistel and Jackett 2013). Density is the quotient of two polynomials in ct,
 * sqrt(sa) and p, num / den, each of them quadratic or cubic in p.
 *
 * The derivative of the enthalpy by temperature, some 60 lines of terms when it is worked out by hand, is
 * weft_grad of it. seawater_17.cpp is the same in C++, with operators. */
#include "weft.h"
#include "weft/short.h"

enum { MANY = 200000 };

/* num = b0 + 2 b1 p + b2 p^2, den = a0 + a1 p + a2 p^2 + a3 p^3 */
typedef struct {
    weft_array *a0, *a1, *a2, *a3, *b0, *b1, *b2;
} terms;

static terms terms_of(weft_array *sa, weft_array *ct)
{
    weft_array *s = sqrt(sa);
    terms t;
    t.b0 = add(poly(ct, 9.998420897506056e+2, 2.839940833161907, -3.147759265588511e-2, 1.181805545074306e-3),
               mul(sa, add(poly(ct, -6.698001071123802, -2.986498947203215e-2, 2.327859407479162e-4),
                           mul(s, poly(ct, -3.988822378968490e-2, 5.095422573880500e-4, -1.426984671633621e-5,
                                       1.645039373682922e-7)))));
    t.b1 = mul(0.5, add(poly(ct, -2.233269627352527e-2, -3.436090079851880e-4, 3.726050720345733e-6),
                        mul(sa, poly(ct, -1.806789763745328e-4, 6.876837219536232e-7))));
    t.b2 = add(poly(ct, -3.087032500374211e-7, -1.988366587925593e-8, -1.061519070296458e-11),
               mul(1.550932729220080e-10, sa));
    t.a0 = add(
        poly(ct, 1, 2.775927747785646e-3, -2.349607444135925e-5, 1.119513357486743e-6, 6.743689325042773e-10),
        mul(sa, add(poly(ct, -7.521448093615448e-3, -2.764306979894411e-5, 1.262937315098546e-7,
                         9.527875081696435e-10, -1.811147201949891e-11),
                    mul(5.419326551148740e-6, sa),
                    mul(s, poly(ct, -3.303308871386421e-5, 3.801564588876298e-7, -7.672876869259043e-9,
                                -4.634182341116144e-11, 2.681097235569143e-12)))));
    t.a1 = add(
        poly(ct, -2.742185394906099e-5, -3.212746477974189e-7, 3.191413910561627e-9, -1.931012931541776e-12),
        mul(sa, poly(ct, -1.105097577149576e-7, 6.211426728363857e-10)));
    t.a2 = add(poly(ct, -1.119011592875110e-10, -1.941660213148725e-11, -1.864826425365600e-14),
               mul(1.119522344879478e-14, sa, ct));
    t.a3 = poly(ct, -1.200507748551599e-15, 6.057902487546866e-17);
    return t;
}

WEFT_SIGNATURE(state_fn, weft_array *, (weft_array * sa, weft_array *ct, weft_array *p));

/* kg / m^3 */
static weft_array *density(weft_array *sa, weft_array *ct, weft_array *p)
{
    terms t = terms_of(sa, ct);
    return divide(poly(p, t.b0, mul(2, t.b1), t.b2), poly(p, t.a0, t.a1, t.a2, t.a3));
}

/* J / kg: the integral of den / num over the pressure, from 0, in Pa */
static weft_array *enthalpy(weft_array *sa, weft_array *ct, weft_array *p)
{
    terms t = terms_of(sa, ct);
    weft_array *root = sqrt(sub(square(t.b1), mul(t.b0, t.b2)));
    weft_array *ratio = divide(t.b1, t.b2), *low = sub(t.b1, root), *high = add(t.b1, root);
    weft_array *n = add(t.a0, divide(sub(mul(2, t.a3, t.b0, ratio), mul(t.a2, t.b0)), t.b2));
    weft_array *m =
        add(t.a1, divide(sub(mul(4, t.a3, t.b1, ratio), add(mul(t.a3, t.b0), mul(2, t.a2, t.b1))), t.b2));
    weft_array *part = divide(sub(mul(n, t.b2), mul(m, t.b1)), mul(2, t.b2, root));
    weft_array *whole = divide(mul(p, add(t.a2, mul(-2, t.a3, ratio), mul(0.5, t.a3, p))), t.b2);
    weft_array *log_num = log1p(divide(mul(p, add(mul(2, t.b1), mul(t.b2, p))), t.b0));
    weft_array *log_roots = log1p(divide(mul(2, t.b2, p, root), mul(low, add(high, mul(t.b2, p)))));
    return mul(1e4, add(whole, mul(divide(m, mul(2, t.b2)), log_num), mul(part, log_roots)));
}

/* Six depths of one station, and d enthalpy / d ct there as worked out by hand (pyhpc-benchmarks, NumPy). */
static const double salinity[6] = { 34.7118, 34.8915, 35.0256, 34.8472, 34.7366, 34.7324 },
                    temperature[6] = { 28.8099, 28.4392, 22.7862, 10.2262, 6.8272, 4.3236 },
                    pressure[6] = { 10, 50, 125, 250, 600, 1000 },
                    by_hand[6] = { 0.031767374737509346, 0.15771304507052442, 0.34218281358112,
                                   0.41526646204119544,  0.8134179483503488,  1.1369896221688123 };

int main(void)
{
    weft_context *ctx = weft_open(&(weft_options){ .real = WEFT_F64 });
    weft_declare(ctx, density, state_fn);
    weft_declare(ctx, enthalpy, state_fn);
    state_fn *fast = weft_jit(ctx, density);
    state_fn *slope = weft_jit(ctx, weft_vmap(ctx, weft_grad(ctx, state_fn, enthalpy, "ct"), "0"));

    weft_array *sa = weft_from(ctx, salinity, 6), *ct = weft_from(ctx, temperature, 6),
               *p = weft_from(ctx, pressure, 6);
    weft_array *rho = fast(sa, ct, p), *dh = slope(sa, ct, p);
    printf("density [kg/m3]             ");
    weft_print(rho);
    printf("enthalpy by ct [J/(kg K)]   ");
    weft_print(dh);
    double off = weft_item(greatest(abs(sub(divide(dh, weft_from(ctx, by_hand, 6)), 1))));
    printf("the derivative by hand      agrees: %s\n", off < 1e-10 ? "yes" : "no");

    /* A whole section: 200,000 points, one fused pass. */
    weft_array *depth = weft_linspace(ctx, 0, 5000, MANY);
    weft_array *section = fast(add(34, mul(1e-4, depth)), mul(25, exp(mul(-1e-3, depth))), depth);
    printf("mean of %d points       %.9f\n", MANY, weft_item(mean(section)));
    if (weft_error(ctx)) printf("%s\n", weft_error(ctx));
    int bad = weft_error(ctx) || !(off < 1e-10);
    weft_close(ctx);
    return bad;
}
