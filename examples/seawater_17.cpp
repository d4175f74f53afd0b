/* seawater_17.cpp: the equation of state of sea water in C++17 with weft.hpp: each line is as in the
 * published formula. What it is about, and the references, seawater.c says; both print the same numbers. */
#include "weft.hpp"
#include <cstdio>

using weft::array;

namespace {

/* num = b0 + 2 b1 p + b2 p^2, den = a0 + a1 p + a2 p^2 + a3 p^3 */
struct terms {
    array a0, a1, a2, a3, b0, b1, b2;
    terms(array sa, array ct)
    {
        array s = sqrt(sa);
        b0 = poly(ct, { 9.998420897506056e+2, 2.839940833161907, -3.147759265588511e-2,
                        1.181805545074306e-3 })
           + sa * (poly(ct, { -6.698001071123802, -2.986498947203215e-2, 2.327859407479162e-4 })
           + s * poly(ct, { -3.988822378968490e-2, 5.095422573880500e-4, -1.426984671633621e-5,
                            1.645039373682922e-7 }));
        b1 = 0.5 * (poly(ct, { -2.233269627352527e-2, -3.436090079851880e-4, 3.726050720345733e-6 })
           + sa * poly(ct, { -1.806789763745328e-4, 6.876837219536232e-7 }));
        b2 = poly(ct, { -3.087032500374211e-7, -1.988366587925593e-8, -1.061519070296458e-11 })
           + 1.550932729220080e-10 * sa;
        a0 = poly(ct, { 1, 2.775927747785646e-3, -2.349607444135925e-5, 1.119513357486743e-6,
                        6.743689325042773e-10 })
           + sa * (poly(ct, { -7.521448093615448e-3, -2.764306979894411e-5, 1.262937315098546e-7,
                              9.527875081696435e-10, -1.811147201949891e-11 })
           + 5.419326551148740e-6 * sa
           + s * poly(ct, { -3.303308871386421e-5, 3.801564588876298e-7, -7.672876869259043e-9,
                            -4.634182341116144e-11, 2.681097235569143e-12 }));
        a1 = poly(ct, { -2.742185394906099e-5, -3.212746477974189e-7, 3.191413910561627e-9,
                        -1.931012931541776e-12 })
           + sa * poly(ct, { -1.105097577149576e-7, 6.211426728363857e-10 });
        a2 = poly(ct, { -1.119011592875110e-10, -1.941660213148725e-11, -1.864826425365600e-14 })
           + 1.119522344879478e-14 * sa * ct;
        a3 = poly(ct, { -1.200507748551599e-15, 6.057902487546866e-17 });
    }
};

WEFT_SIGNATURE(state_fn, weft_array *, (weft_array *sa, weft_array *ct, weft_array *p));

/* kg / m^3 */
weft_array *density(weft_array *sa, weft_array *ct, weft_array *pressure)
{
    terms t(sa, ct);
    array p = pressure;
    return (t.b0 + 2 * t.b1 * p + t.b2 * p * p) / poly(p, { t.a0, t.a1, t.a2, t.a3 });
}

/* J / kg */
weft_array *enthalpy(weft_array *sa, weft_array *ct, weft_array *pressure)
{
    terms t(sa, ct);
    array p = pressure, a0 = t.a0, a1 = t.a1, a2 = t.a2, a3 = t.a3, b0 = t.b0, b1 = t.b1, b2 = t.b2;
    array root = sqrt(b1 * b1 - b0 * b2);
    array n = a0 + (2 * a3 * b0 * b1 / b2 - a2 * b0) / b2;
    array m = a1 + (4 * a3 * b1 * b1 / b2 - a3 * b0 - 2 * a2 * b1) / b2;
    array part = (n * b2 - m * b1) / (2 * b2 * root);
    array whole = p * (a2 - 2 * a3 * b1 / b2 + 0.5 * a3 * p) / b2;
    array log_num = log1p(p * (2 * b1 + b2 * p) / b0);
    array log_roots = log1p(2 * b2 * p * root / ((b1 - root) * (b1 + root + b2 * p)));
    return 1e4 * (whole + m / (2 * b2) * log_num + part * log_roots);
}

}

int main()
{
    weft_options options = {};
    options.real = WEFT_F64;
    weft_context *ctx = weft_open(&options);
    weft_declare(ctx, density, state_fn);
    weft_declare(ctx, enthalpy, state_fn);
    state_fn *fast = weft_jit(ctx, density);
    state_fn *slope = weft_jit(ctx, weft_vmap(ctx, weft_grad(ctx, state_fn, enthalpy, "ct"), "0"));

    const double salinity[] = { 34.7118, 34.8915, 35.0256, 34.8472, 34.7366, 34.7324 };
    const double temperature[] = { 28.8099, 28.4392, 22.7862, 10.2262, 6.8272, 4.3236 };
    const double pressure[] = { 10, 50, 125, 250, 600, 1000 };
    array sa = weft_from(ctx, salinity, 6), ct = weft_from(ctx, temperature, 6),
          p = weft_from(ctx, pressure, 6);
    array rho = fast(sa, ct, p), dh = slope(sa, ct, p);
    std::printf("density [kg/m3]             ");
    weft_print(rho);
    std::printf("enthalpy by ct [J/(kg K)]   ");
    weft_print(dh);

    /* by differences, which have half the digits */
    const double h = 1e-3;
    array differences = (array(enthalpy(sa, ct + h, p)) - enthalpy(sa, ct - h, p)) / (2 * h);
    double off = weft_item(max(abs(dh / differences - 1)));
    std::printf("central differences         agree: %s\n", off < 1e-6 ? "yes" : "no");
    if (weft_error(ctx)) std::printf("%s\n", weft_error(ctx));
    bool bad = weft_error(ctx) || !(off < 1e-6);
    weft_close(ctx);
    return bad;
}
