/* cases_field.c: programs that others measure array languages by: pyhpc's equation of state, and npbench's
 * weather, stencil, solver and network cases at its sizes (L or paper where memory allows, else M), in its
 * element types. What steps in time takes a few steps. cases.def gives the functions shapes. */
#include "cases.h"

/* ---- a value with its derivative by temperature ---- */

typedef struct Dual {
    weft_array *v, *d;
} Dual;

static Dual plus(Dual a, Dual b) { return (Dual){ weft_add(a.v, b.v), weft_add(a.d, b.d) }; }
static Dual minus(Dual a, Dual b) { return (Dual){ weft_sub(a.v, b.v), weft_sub(a.d, b.d) }; }
static Dual times(Dual a, Dual b)
{
    return (Dual){ weft_mul(a.v, b.v), weft_add(weft_mul(a.d, b.v), weft_mul(a.v, b.d)) };
}
/* By what does not depend on temperature. */
static Dual scaled(Dual a, weft_array *s) { return (Dual){ weft_mul(a.v, s), weft_mul(a.d, s) }; }
static Dual number(Dual a, double s) { return (Dual){ weft_mul(a.v, s), weft_mul(a.d, s) }; }
static Dual inverse(Dual a)
{
    weft_array *v = weft_div(1, a.v);
    return (Dual){ v, weft_neg(weft_mul(weft_mul(v, v), a.d)) };
}
static Dual root(Dual a)
{
    weft_array *v = weft_sqrt(a.v);
    return (Dual){ v, weft_div(weft_mul(a.d, 0.5), v) };
}
/* log(1 + a) */
static Dual log_above(Dual a)
{
    weft_array *x = weft_add(a.v, 1);
    return (Dual){ weft_log(x), weft_div(a.d, x) };
}
static weft_array *horner(weft_array *x, int n, const double *c)
{
    if (n == 1) return weft_full_like(x, c[0]);
    weft_array *y = weft_add(weft_mul(x, c[n - 1]), c[n - 2]);
    for (int k = n - 3; k >= 0; k--) y = weft_add(weft_mul(y, x), c[k]);
    return y;
}
/* The polynomial with these coefficients, from the constant one on. */
static Dual polynomial(weft_array *t, int n, const double *c)
{
    double slope[8];
    for (int k = 1; k < n; k++) slope[k - 1] = k * c[k];
    return (Dual){ horner(t, n, c), horner(t, n - 1, slope) };
}
#define POLYNOMIAL(...) \
    polynomial(t, sizeof((const double[]){ __VA_ARGS__ }) / sizeof(double), (const double[]){ __VA_ARGS__ })

/* The derivative of sea water's dynamic enthalpy by temperature t, at salinity s and pressure p. Specific
 * volume is a quotient of polynomials with 48 terms (IOC, SCOR and IAPSO 2010, the 48-term expression):
 * (s0 + s1 p + s2 p^2 + s3 p^3) / (r0 + 2 r1 p + r2 p^2); enthalpy is its integral by p, in closed form. */
static weft_array *eos(weft_array *s, weft_array *t, weft_array *p)
{
    weft_array *q = weft_sqrt(s);
    Dual r0 = plus(
             POLYNOMIAL(9.998420897506056e+2, 2.839940833161907, -3.147759265588511e-2, 1.181805545074306e-3),
             scaled(plus(POLYNOMIAL(-6.698001071123802, -2.986498947203215e-2, 2.327859407479162e-4),
                         scaled(POLYNOMIAL(-3.988822378968490e-2, 5.095422573880500e-4, -1.426984671633621e-5,
                                           1.645039373682922e-7),
                                q)),
                    s)),
         r1 = number(plus(POLYNOMIAL(-2.233269627352527e-2, -3.436090079851880e-4, 3.726050720345733e-6),
                          scaled(POLYNOMIAL(-1.806789763745328e-4, 6.876837219536232e-7), s)),
                     0.5),
         r2 = POLYNOMIAL(-3.087032500374211e-7, -1.988366587925593e-8, -1.061519070296458e-11);
    r2.v = weft_add(r2.v, weft_mul(s, 1.550932729220080e-10));
    Dual s0 = POLYNOMIAL(-7.521448093615448e-3, -2.764306979894411e-5, 1.262937315098546e-7,
                         9.527875081696435e-10, -1.811147201949891e-11);
    s0.v = weft_add(s0.v, weft_mul(s, 5.419326551148740e-6));
    s0 = plus(
        POLYNOMIAL(1, 2.775927747785646e-3, -2.349607444135925e-5, 1.119513357486743e-6,
                   6.743689325042773e-10),
        scaled(plus(s0, scaled(POLYNOMIAL(-3.303308871386421e-5, 3.801564588876298e-7, -7.672876869259043e-9,
                                          -4.634182341116144e-11, 2.681097235569143e-12),
                               q)),
               s));
    Dual s1 = plus(POLYNOMIAL(-2.742185394906099e-5, -3.212746477974189e-7, 3.191413910561627e-9,
                              -1.931012931541776e-12),
                   scaled(POLYNOMIAL(-1.105097577149576e-7, 6.211426728363857e-10), s)),
         s2 = POLYNOMIAL(-1.119011592875110e-10, -1.941660213148725e-11, -1.864826425365600e-14),
         s3 = POLYNOMIAL(-1.200507748551599e-15, 6.057902487546866e-17);
    weft_array *mixed = weft_mul(s, 1.119522344879478e-14);
    s2 = (Dual){ weft_add(s2.v, weft_mul(mixed, t)), weft_add(s2.d, mixed) };

    Dual i = inverse(r2), d = root(minus(times(r1, r1), times(r0, r2))), r1_i = times(r1, i);
    Dual n = plus(s0, times(times(minus(number(times(s3, r1_i), 2), s2), r0), i)),
         m = plus(s1, times(minus(minus(number(times(times(s3, r1), r1_i), 4), times(s3, r0)),
                                  number(times(s2, r1), 2)),
                            i));
    Dual r2_p = scaled(r2, p), first = scaled(plus(number(r1, 2), r2_p), p), low = minus(r1, d),
         high = plus(plus(r1, d), r2_p);
    Dual log1 = log_above(times(first, inverse(r0))),
         log2 = log_above(number(times(times(r2_p, d), inverse(times(low, high))), 2)),
         part = times(number(minus(n, times(m, r1_i)), 0.5), inverse(d));
    Dual direct =
        scaled(times(plus(minus(s2, number(times(s3, r1_i), 2)), number(scaled(s3, p), 0.5)), i), p);
    return weft_mul(plus(plus(direct, times(number(times(m, i), 0.5), log1)), times(part, log2)).d, 1e4);
}

/* ---- stencils ---- */

/* Fourth-order horizontal diffusion, whose flux is limited. */
static weft_array *limited(weft_array *flux, weft_array *slope)
{
    return weft_where(weft_gt(weft_mul(flux, slope), 0), 0, flux);
}
static weft_array *hdiff(weft_array *u, weft_array *coefficient)
{
    weft_array *around = weft_add(weft_add(weft_at(u, "2:, 1:-1"), weft_at(u, ":-2, 1:-1")),
                                  weft_add(weft_at(u, "1:-1, 2:"), weft_at(u, "1:-1, :-2"))),
               *lap = weft_sub(weft_mul(weft_at(u, "1:-1, 1:-1"), 4), around);
    weft_array *x = limited(weft_sub(weft_at(lap, "1:, 1:-1"), weft_at(lap, ":-1, 1:-1")),
                            weft_sub(weft_at(u, "2:-1, 2:-2"), weft_at(u, "1:-2, 2:-2"))),
               *y = limited(weft_sub(weft_at(lap, "1:-1, 1:"), weft_at(lap, "1:-1, :-1")),
                            weft_sub(weft_at(u, "2:-2, 2:-1"), weft_at(u, "2:-2, 1:-2")));
    weft_array *flow = weft_add(weft_sub(weft_at(x, "1:"), weft_at(x, ":-1")),
                                weft_sub(weft_at(y, ":, 1:"), weft_at(y, ":, :-1")));
    return weft_sub(weft_at(u, "2:-2, 2:-2"), weft_mul(coefficient, flow));
}

/* A step sets b from a, then a from b. */
WEFT_SIGNATURE(pair_fn, weft_array *, (weft_array * a, weft_array *b, WEFT_OUT weft_array **b_next));
static weft_array *line(weft_array *to, weft_array *x)
{
    weft_array *sum = weft_add(weft_add(weft_at(x, ":-2"), weft_at(x, "1:-1")), weft_at(x, "2:"));
    return weft_set(to, "1:-1", weft_mul(sum, 0.33333));
}
static weft_array *jacobi_1d_step(weft_array *a, weft_array *b, weft_array **b_next)
{
    *b_next = line(b, a);
    return line(a, *b_next);
}
static weft_array *jacobi_1d(weft_array *a, weft_array *b, weft_array **b_end)
{
    return weft_fori(NULL, jacobi_1d_step, "carry", .count = 100)(a, b, b_end);
}

static weft_array *bend(weft_array *low, weft_array *x, weft_array *high)
{
    return weft_mul(weft_add(weft_sub(high, weft_mul(x, 2)), low), 0.125);
}
static weft_array *box(weft_array *to, weft_array *x)
{
    weft_array *c = weft_at(x, "1:-1, 1:-1, 1:-1");
    weft_array *i = bend(weft_at(x, ":-2, 1:-1, 1:-1"), c, weft_at(x, "2:, 1:-1, 1:-1")),
               *j = bend(weft_at(x, "1:-1, :-2, 1:-1"), c, weft_at(x, "1:-1, 2:, 1:-1")),
               *k = bend(weft_at(x, "1:-1, 1:-1, :-2"), c, weft_at(x, "1:-1, 1:-1, 2:"));
    return weft_set(to, "1:-1, 1:-1, 1:-1", weft_add(weft_add(weft_add(i, j), k), c));
}
static weft_array *heat_3d_step(weft_array *a, weft_array *b, weft_array **b_next)
{
    *b_next = box(b, a);
    return box(a, *b_next);
}
static weft_array *heat_3d(weft_array *a, weft_array *b, weft_array **b_end)
{
    return weft_fori(NULL, heat_3d_step, "carry", .count = 5)(a, b, b_end);
}

/* Maxwell's equations in the plane; source is ey's first row at each step. */
typedef struct {
    weft_array *ex, *ey, *hz;
} waves;
WEFT_STRUCT(waves, WEFT_ARRAY(waves, ex), WEFT_ARRAY(waves, ey), WEFT_ARRAY(waves, hz));
WEFT_SIGNATURE(waves_fn, void, (waves * w, weft_array *source));
static void fdtd_step(waves *w, weft_array *source)
{
    weft_array *x = weft_mul(weft_sub(weft_at(w->hz, "1:"), weft_at(w->hz, ":-1")), -0.5),
               *y = weft_mul(weft_sub(weft_at(w->hz, ":, 1:"), weft_at(w->hz, ":, :-1")), -0.5);
    w->ey = weft_set_add(weft_set(w->ey, "0", source), "1:", x);
    w->ex = weft_set_add(w->ex, ":, 1:", y);
    weft_array *turn = weft_add(weft_sub(weft_at(w->ex, ":-1, 1:"), weft_at(w->ex, ":-1, :-1")),
                                weft_sub(weft_at(w->ey, "1:, :-1"), weft_at(w->ey, ":-1, :-1")));
    w->hz = weft_set_add(w->hz, ":-1, :-1", weft_mul(turn, -0.7));
}
static void fdtd_2d(waves *w, weft_array *source) { weft_scan(NULL, fdtd_step, "carry, 0")(w, source); }

/* ---- tridiagonal systems ---- */

typedef struct {
    weft_array *c, *d;
} swept;
WEFT_STRUCT(swept, WEFT_ARRAY(swept, c), WEFT_ARRAY(swept, d));
WEFT_SIGNATURE(down_fn, void,
               (swept * s, weft_array *a, weft_array *b, weft_array *c, weft_array *d, WEFT_OUT swept *row));
WEFT_SIGNATURE(up_fn, weft_array *, (weft_array * x, const swept *row, WEFT_OUT weft_array **out));

/* Thomas's elimination: c and d become those of x = d - c x_next. */
static void down(swept *s, weft_array *a, weft_array *b, weft_array *c, weft_array *d, swept *row)
{
    weft_array *by = weft_div(1, weft_sub(b, weft_mul(s->c, a)));
    s->d = weft_mul(weft_sub(d, weft_mul(s->d, a)), by);
    s->c = weft_mul(c, by);
    *row = *s;
}
static weft_array *up(weft_array *x, const swept *row, weft_array **out)
{
    return *out = weft_sub(row->d, weft_mul(row->c, x));
}

/* Vertical advection, implicit: a system in each column. */
WEFT_SIGNATURE(vadv_fn, weft_array *,
               (weft_array * stage, weft_array *u, weft_array *w, weft_array *u_pos, weft_array *u_tens));
static weft_array *vadv(weft_array *stage, weft_array *u, weft_array *w, weft_array *u_pos,
                        weft_array *u_tens)
{
    const double dtr = 3. / 20;
    weft_array *wind = weft_mul(weft_add(weft_at(w, "1:, :, 1:"), weft_at(w, ":-1, :, 1:")), 0.125),
               *step = weft_mul(wind, weft_sub(weft_at(u, "..., 1:"), weft_at(u, "..., :-1")));
    weft_array *a = weft_neg(weft_pad(wind, 0, "0, 0, 1:0")), *c = weft_pad(wind, 0, "0, 0, 0:1"),
               *change = weft_add(weft_pad(step, 0, "0, 0, 1:0"), weft_pad(step, 0, "0, 0, 0:1"));
    weft_array *d = weft_sub(weft_add(weft_add(weft_mul(u_pos, dtr), u_tens), stage), change),
               *b = weft_sub(weft_sub(dtr, a), c), *zero = weft_zeros_like(weft_at(u, "..., 0")), *x;
    swept s = { zero, zero }, rows;
    weft_scan(NULL, down, "carry, 2, 2, 2, 2")(&s, a, b, c, d, &rows);
    weft_scan(NULL, up, "carry, 0 -> none, 2", .reverse = true)(zero, &rows, &x);
    return weft_mul(weft_sub(x, u_pos), dtr);
}

/* Alternating directions: in each half of a step the systems (a, 1 - 2 a, a) of one direction, all with the
 * same coefficients; the other direction is explicit, by b. */
WEFT_SIGNATURE(row_fn, void, (swept * s, weft_array *d, WEFT_OUT swept *row));
enum { ADI_N = 200, ADI_M = ADI_N - 2 };
static const double ADI_X = -0.5 * 2 * ADI_N * ADI_N / 100., ADI_Y = -0.5 * 1 * ADI_N * ADI_N / 100.;

static void adi_down(double a, swept *s, weft_array *d, swept *row)
{
    weft_array *under = weft_add(weft_mul(s->c, a), 1 - 2 * a);
    s->d = weft_div(weft_sub(d, weft_mul(s->d, a)), under);
    s->c = weft_div(-a, under);
    *row = *s;
}
static void adi_down_x(swept *s, weft_array *d, swept *row) { adi_down(ADI_X, s, d, row); }
static void adi_down_y(swept *s, weft_array *d, swept *row) { adi_down(ADI_Y, s, d, row); }
static weft_array *adi_up(weft_array *x, const swept *row, weft_array **out)
{
    return *out = weft_add(weft_mul(row->c, x), row->d);
}
/* u [rows, one more at each end]: rows are explicit, what comes out is solved along axis 0. */
static weft_array *adi_half(weft_array *u, double b, row_fn *down_rows)
{
    weft_array *d = weft_sub(weft_mul(weft_at(u, ":, 1:-1"), 1 + 2 * b),
                             weft_mul(weft_add(weft_at(u, ":, :-2"), weft_at(u, ":, 2:")), b));
    weft_array *one = weft_ones(NULL, WEFT_F64, ADI_M), *x;
    swept s = { weft_zeros_like(one), one }, rows;
    weft_scan(NULL, down_rows, "carry, 0")(&s, d, &rows);
    weft_scan(NULL, adi_up, "carry, 0", .reverse = true)(one, &rows, &x);
    return x;
}
static weft_array *adi_step(weft_array *u)
{
    weft_array *v = adi_half(weft_at(u, "1:-1"), ADI_Y, adi_down_x);
    weft_array *w = adi_half(weft_pad(weft_transpose(v), 1, "0, 1"), ADI_X, adi_down_y);
    return weft_set(u, "1:-1", weft_pad(weft_transpose(w), 1, "0, 1"));
}
static weft_array *adi(weft_array *u) { return weft_fori(NULL, adi_step, "carry", .count = 10)(u); }

/* ---- element by element, rows, windows ---- */

static weft_array *half_square_sine(weft_array *a, weft_array *b)
{
    return weft_square(weft_sin(weft_mul(weft_sub(b, a), 0.5)));
}
static weft_array *arc_distance(weft_array *theta1, weft_array *phi1, weft_array *theta2, weft_array *phi2)
{
    weft_array *part = weft_mul(weft_mul(weft_cos(theta1), weft_cos(theta2)), half_square_sine(phi1, phi2)),
               *h = weft_add(half_square_sine(theta1, theta2), part);
    return weft_mul(weft_atan2(weft_sqrt(h), weft_sqrt(weft_sub(1, h))), 2);
}
static weft_array *softmax4(weft_array *x) { return weft_softmax(x, .axes = "-1"); }

/* x [images, height, width, colours] by weights [10, 10, colours, channels]: one window, a row of them,
 * all. */
WEFT_SIGNATURE(window_fn, weft_array *, (weft_array * x, weft_array *w, weft_array *i, weft_array *j));
static weft_array *window(weft_array *x, weft_array *w, weft_array *i, weft_array *j)
{
    weft_array *seen = weft_dynamic_slice_axis(weft_dynamic_slice_axis(x, i, 10, 1), j, 10, 2);
    return weft_tensordot(seen, w, "1,2,3", "0,1,2");
}
static weft_array *window_row(weft_array *x, weft_array *w, weft_array *i, weft_array *j)
{
    return weft_vmap(NULL, window, "none, none, none, 0 -> 1")(x, w, i, j);
}
static weft_array *conv2d(weft_array *x, weft_array *weights, weft_array *bias)
{
    weft_array *place = weft_arange(NULL, 0, 119, 1);
    return weft_add(weft_vmap(NULL, window_row, "none, none, 0, none -> 1")(x, weights, place, place), bias);
}

WEFT_SIGNATURE(three_fn, weft_array *, (weft_array * a, weft_array *b, weft_array *c));
WEFT_SIGNATURE(four_fn, weft_array *, (weft_array * a, weft_array *b, weft_array *c, weft_array *d));
void declare_field(weft_context *ctx)
{
    weft_describe(ctx, waves);
    weft_describe(ctx, swept);
    weft_declare(ctx, eos, three_fn);
    weft_declare(ctx, hdiff, weft_binary);
    weft_declare(ctx, jacobi_1d_step, pair_fn);
    weft_declare(ctx, jacobi_1d, pair_fn);
    weft_declare(ctx, heat_3d_step, pair_fn);
    weft_declare(ctx, heat_3d, pair_fn);
    weft_declare(ctx, fdtd_step, waves_fn);
    weft_declare(ctx, fdtd_2d, waves_fn);
    weft_declare(ctx, down, down_fn);
    weft_declare(ctx, up, up_fn);
    weft_declare(ctx, vadv, vadv_fn);
    weft_declare(ctx, adi_down_x, row_fn);
    weft_declare(ctx, adi_down_y, row_fn);
    weft_declare(ctx, adi_up, up_fn);
    weft_declare(ctx, adi_step, weft_unary);
    weft_declare(ctx, adi, weft_unary);
    weft_declare(ctx, arc_distance, four_fn);
    weft_declare(ctx, softmax4, weft_unary);
    weft_declare(ctx, window, window_fn);
    weft_declare(ctx, window_row, window_fn);
    weft_declare(ctx, conv2d, three_fn);
}
CALL(eos, three_fn, in[0], in[1], in[2])
CALL(hdiff, weft_binary, in[0], in[1])
CALL(jacobi_1d, pair_fn, in[0], in[1], &out[1])
CALL(heat_3d, pair_fn, in[0], in[1], &out[1])
CALL(vadv, vadv_fn, in[0], in[1], in[2], in[3], in[4])
CALL(adi, weft_unary, in[0])
CALL(arc_distance, four_fn, in[0], in[1], in[2], in[3])
CALL(softmax4, weft_unary, in[0])
CALL(conv2d, three_fn, in[0], in[1], in[2])
weft_array *call_fdtd_2d(weft_context *ctx, bool compiled, weft_array **in, weft_array **out)
{
    waves w = { in[0], in[1], in[2] };
    (compiled ? weft_jit(ctx, fdtd_2d) : fdtd_2d)(&w, in[3]);
    return out[0] = w.ex, out[1] = w.ey, out[2] = w.hz, w.ex;
}
