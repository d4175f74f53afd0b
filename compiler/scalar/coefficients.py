#!/usr/bin/env python3
"""Generates recipe_coefficients.c: the polynomials of the recipes, minimax fits by Remez's exchange in 60-digit arithmetic.

Run (needs mpmath):  python3 coefficients.py > recipe_coefficients.c          (a few minutes)
                     python3 coefficients.py exp sin                          (prints only these, with their errors on stderr)

A fit is  target(x) ~ sum c[i] x^(step i)  on an interval, the error weighted by weight(x). Coefficients are rounded to the type one
after the other, from the constant up, and the rest fitted again, so that rounding one is made good by those that follow.
"""
import re, struct, sys
from mpmath import mp, mpf
mp.dps = 60

def to_f32(v):
    d = float(v)
    return mpf(struct.unpack('f', struct.pack('f', d))[0])
def to_f64(v): return mpf(float(v))

def solve_remez(points, target, weight, powers, rounds=30):
    """Best weighted coefficients for the given powers; points: a dense grid with target and weight on it."""
    n = len(powers)
    basis = [[x**p for p in powers] for x in points]
    last = len(points) - 1
    ref = [round((1 - mp.cos(mp.pi * i / n)) / 2 * last) for i in range(n + 1)]
    best = None
    for _ in range(rounds):
        a = mp.matrix(n + 1, n + 1)
        rhs = mp.matrix(n + 1, 1)
        for row, k in enumerate(ref):
            for j in range(n): a[row, j] = basis[k][j] * weight[k]
            a[row, n] = (-1)**row
            rhs[row] = target[k] * weight[k]
        sol = mp.lu_solve(a, rhs)
        coefs = [sol[j] for j in range(n)]
        err = [weight[k] * (target[k] - mp.fdot(coefs, basis[k])) for k in range(len(points))]
        worst = max(abs(e) for e in err)
        if best is None or worst < best[1]: best = (coefs, worst)
        if worst <= abs(sol[n]) * mpf('1.01'): break
        ref = exchange(err, n + 1)
        if ref is None: break
    return best

def exchange(err, need):
    """One extremum per run of equal sign; the ends with smaller error are dropped until `need` are left."""
    picks, k = [], 0
    while k < len(err):
        j = k; top = k
        while j < len(err) and (err[j] >= 0) == (err[k] >= 0):
            if abs(err[j]) > abs(err[top]): top = j
            j += 1
        picks.append(top); k = j
    if len(picks) < need: return None
    while len(picks) > need:
        picks.pop(0 if abs(err[picks[0]]) < abs(err[picks[-1]]) else -1)
    return picks

def fit(target, lo, hi, n, rounding, weight, step=1, grid=400, fixed=()):
    """n coefficients; `fixed` are given values of the first ones."""
    lo, hi = mpf(lo), mpf(hi)
    points = [lo + (hi - lo) * (1 - mp.cos(mp.pi * (k + mpf(1)/2) / grid)) / 2 for k in range(grid)]
    y = [target(x) for x in points]
    w = [weight(x) for x in points]
    coefs = [mpf(c) for c in fixed]
    for i, c in enumerate(coefs): y = [v - c * x**(step * i) for v, x in zip(y, points)]
    rest = None
    while len(coefs) < n:
        first = len(coefs)
        best, worst = solve_remez(points, y, w, [step * i for i in range(first, n)])
        def error(c): return max(abs(w[k] * (y[k] - sum(v * points[k]**(step * (first + i)) for i, v in enumerate(c)))) for k in range(grid))
        if rest is None or worst < error(rest): rest = best     # powers without the constant need not have a best fit
        coefs.append(rounding(rest[0]))
        y = [v - coefs[first] * x**(step * first) for v, x in zip(y, points)]
        rest = rest[1:]
        if rounding is to_f64 and first >= 3:       # beyond these, rounding a coefficient is far below the fit
            for i in range(first + 1, n):
                coefs.append(rounding(rest[i - first - 1]))
                y = [v - coefs[i] * x**(step * i) for v, x in zip(y, points)]
    return coefs, max(abs(w[k] * y[k]) for k in range(grid))

FITS = {}
def poly(name):
    def register(make): FITS[name] = make; return make
    return register

LN2 = mp.log(2)
def near(f, limit):
    """f, with its limit where it is 0/0."""
    return lambda x: f(x) if abs(x) > mpf(10)**-25 else mpf(limit)

@poly('exp')        # exp(r) = 1 + r + r^2 p(r), |r| <= ln2 / 2; relative to expm1
def _(rounding, single):
    h = LN2 / 2 * mpf('1.001')
    return fit(near(lambda r: (mp.expm1(r) - r) / r**2, 0.5), -h, h, 5 if single else 11, rounding, lambda r: abs(r))

@poly('exp_step')   # the same, |r| <= ln2 / 256
def _(rounding, single):
    if single: return None
    h = LN2 / 256 * mpf('1.001')
    return fit(near(lambda r: (mp.expm1(r) - r) / r**2, 0.5), -h, h * mpf('1.003'), 4, rounding, lambda r: 1)

@poly('exp_down')   # exp(-r), |r| <= ln2 / 2: for F32
def _(rounding, single):
    if single: return None
    h = LN2 / 2 * mpf('1.001')
    return fit(lambda r: mp.exp(-r), -h, h, 8, rounding, lambda r: mp.exp(r))

@poly('log')        # log(1+f) = f - f^2/2 + f^3 p(f), f in [-1/3, 1/3]
def _(rounding, single):
    return fit(near(lambda f: (mp.log1p(f) - f + f * f / 2) / f**3, mpf(1)/3), mpf(-1)/3, mpf(1)/3, 8 if single else 22, rounding,
               lambda f: f * f)

@poly('atanh')      # log((1+s)/(1-s)) = 2 s + s z p(z), z = s^2, s <= 1/5 (from f in [-1/3, 1/3]: s = f / (2+f))
def _(rounding, single):
    return fit(near(lambda z: (2 * mp.atanh(mp.sqrt(z)) / mp.sqrt(z) - 2) / z, mpf(2)/3), 0, mpf('0.0401'), 4 if single else 9, rounding,
               lambda z: z + mpf('1e-6'))

@poly('atanh7')     # the same from its third term on: 2 s + s z (2/3 + z (2/5 + z p(z)))
def _(rounding, single):
    if single: return None
    return fit(near(lambda z: sum(2 * z**k / (2 * k + 7) for k in range(40)), mpf(2)/7), 0, mpf('0.0401'), 8, rounding, lambda z: z + mpf('1e-6'))

@poly('sin')        # sin(r) = r + r z p(z), z = r^2, |r| <= pi/2
def _(rounding, single):
    return fit(near(lambda z: (mp.sin(mp.sqrt(z)) / mp.sqrt(z) - 1) / z, mpf(-1)/6), 0, (mp.pi / 2 + mpf('0.004'))**2, 5 if single else 9,
               rounding, lambda z: z * mp.sqrt(z) / mp.sin(mp.sqrt(z)) + mpf('1e-6'))

@poly('tan')        # tan(r) = r + r z p(z), |r| <= pi/4
def _(rounding, single):
    return fit(near(lambda z: (mp.tan(mp.sqrt(z)) / mp.sqrt(z) - 1) / z, mpf(1)/3), 0, (mp.pi / 4 * mpf('1.005'))**2, 7 if single else 16,
               rounding, lambda z: z + mpf('1e-6'))

@poly('sinh')       # sinh(r) = r + r z p(z), |r| <= ln2 / 2
def _(rounding, single):
    return fit(near(lambda z: (mp.sinh(mp.sqrt(z)) / mp.sqrt(z) - 1) / z, mpf(1)/6), 0, (LN2 / 2 * mpf('1.001'))**2, 3 if single else 6,
               rounding, lambda z: z + mpf('1e-6'))

@poly('cosh')       # cosh(r) = 1 + z/2 + z^2 p(z)
def _(rounding, single):
    return fit(lambda z: (mp.cosh(mp.sqrt(z)) - 1 - z / 2) / z**2 if z > mpf(10)**-20 else mpf(1)/24, 0, (LN2 / 2 * mpf('1.001'))**2,
               2 if single else 5, rounding, lambda z: z * z + mpf('1e-6'))

@poly('atan')       # atan(t) = t + t z p(z), |t| <= tan(pi/8)
def _(rounding, single):
    return fit(near(lambda z: (mp.atan(mp.sqrt(z)) / mp.sqrt(z) - 1) / z, mpf(-1)/3), 0, (mp.sqrt(2) - 1)**2 * mpf('1.001'),
               5 if single else 12, rounding, lambda z: z + mpf('1e-6'))

@poly('asin')       # asin(x) = x + x z p(z), |x| <= 1/2
def _(rounding, single):
    return fit(near(lambda z: (mp.asin(mp.sqrt(z)) / mp.sqrt(z) - 1) / z, mpf(1)/6), 0, mpf('0.2501'), 5 if single else 14, rounding,
               lambda z: z + mpf('1e-6'))

@poly('tanh')       # tanh(x) = x + x z p(z), |x| <= 0.55: for F32
def _(rounding, single):
    if not single: return None
    return fit(near(lambda z: (mp.tanh(mp.sqrt(z)) / mp.sqrt(z) - 1) / z, mpf(-1)/3), 0, mpf('0.551')**2, 5, rounding, lambda z: z + mpf('1e-6'))

@poly('exp_twice')  # exp(2r) = 1 + 2 (r + r^2 p(r)), |r| <= ln2 / 4: for F64
def _(rounding, single):
    if single: return None
    h = LN2 / 4 * mpf('1.001')
    return fit(near(lambda r: (mp.expm1(2 * r) / 2 - r) / r**2, 1), -h, h * mpf('1.003'), 10, rounding, lambda r: abs(r) + mpf('1e-6'))

@poly('erf')        # erf(x) = x + x p(z), |x| <= 1
def _(rounding, single):
    return fit(near(lambda z: mp.erf(mp.sqrt(z)) / mp.sqrt(z) - 1, 2 / mp.sqrt(mp.pi) - 1), 0, mpf('1.002'), 7 if single else 13, rounding,
               lambda z: 1 / (mp.erf(mp.sqrt(z)) / mp.sqrt(z)))

@poly('root_erfc')  # sqrt(erfc(a)) in a - 1, 1 <= a <= 4, where erf = 1 - erfc; F64: a <= 5.95
def _(rounding, single):
    return fit(lambda u: mp.sqrt(mp.erfc(u + 1)), mpf('-0.01'), mpf('3.01') if single else mpf('4.96'), 11 if single else 27, rounding,
               lambda u: mp.sqrt(mp.erfc(u + 1)), grid=250)

@poly('erfc')       # (1 + 9/8 a) exp(a^2) erfc(a) in u - 3/16, u = 1 / (a + 3), 0 <= a <= 28; the recipe has what its c[0] misses
def _(rounding, single):
    if single: return None
    def target(v):
        a = 1 / (v + mpf(3) / 16) - 3
        return (1 + a * 9 / 8) * mp.exp(a * a) * mp.erfc(a)
    return fit(target, mpf(1) / 31 - mpf(3) / 16, mpf(1) / 3 - mpf(3) / 16, 24, rounding, lambda v: 1 / target(v), fixed=(target(mpf(0)),))

@poly('erfc_down')  # exp(a^2) erfc(a) / u in u = 3 / (a + 3), 0 <= a <= 10.1: for F32
def _(rounding, single):
    if single: return None
    def target(u):
        a = 3 / u - 3
        return mp.exp(a * a) * mp.erfc(a) / u
    return fit(target, 3 / mpf('13.1'), 1, 12, rounding, lambda u: 1 / target(u))

def erf_inv_of(w):  # erf_inv(x) / x, where w = -log(1 - x^2)
    rest = mp.exp(-w)
    if w < mpf('1e-8'): return mp.sqrt(mp.pi) / 2 * (1 + mp.pi / 12 * w)
    x = mp.sqrt(-mp.expm1(-w))
    y = mp.erfinv(x) if w < 1 else mp.sqrt(mp.findroot(lambda v: mp.log(mp.erfc(mp.sqrt(v))) - mp.log(rest / (1 + x)), w * mpf('0.8')))
    return y / x

@poly('erf_inv')    # erf_inv(x) = x + x p(w - 2.5), w < 5; F64: w - 3.125, w < 6.25
def _(rounding, single):
    mid = mpf('2.5') if single else mpf('3.125')
    return fit(lambda u: erf_inv_of(u + mid) - 1, -mid, mid, 11 if single else 25, rounding, lambda u: 1 / erf_inv_of(u + mid), grid=200)

@poly('erf_inv_mid')    # x p(sqrt(w) - 3), 5 <= w <= 16; F64: sqrt(w) - 3.25, 6.25 <= w < 16
def _(rounding, single):
    lo, hi, mid = (mpf('2.236'), mpf(4), mpf(3)) if single else (mpf('2.5'), mpf(4), mpf('3.25'))
    return fit(lambda u: erf_inv_of((u + mid)**2), lo - mid, hi - mid, 10 if single else 20, rounding, lambda u: 1 / erf_inv_of((u + mid)**2), grid=150)

@poly('erf_inv_far')    # x p(sqrt(w) - 5), 16 <= w <= 37
def _(rounding, single):
    if single: return None
    return fit(lambda u: erf_inv_of((u + 5)**2), mpf(-1), mpf('1.05'), 19, rounding, lambda u: 1 / erf_inv_of((u + 5)**2), grid=150)

@poly('rcbrt')      # m^(-1/3) in m - 1, 2/3 <= m <= 4/3: a start for Newton's method
def _(rounding, single):
    return fit(lambda f: (1 + f)**(-mpf(1)/3), mpf(-1)/3, mpf(1)/3, 6 if single else 7, rounding, lambda f: 1)

@poly('lgamma_one') # lgamma(z) = u p(u), u = z - 1, 0.5 <= z <= 1.5
def _(rounding, single):
    if single: return None
    return fit(near(lambda u: mp.loggamma(1 + u) / u, -mp.euler), mpf('-0.5'), mpf('0.5'), 29, rounding, lambda u: 1)

@poly('lgamma_two') # lgamma(z) = (z - 2) p(z - 2.25), 1.5 <= z <= 3
def _(rounding, single):
    if single: return None
    def target(v):
        u = v + mpf('0.25')
        return mp.loggamma(2 + u) / u if abs(u) > mpf(10)**-25 else 1 - mp.euler
    return fit(target, mpf('-0.75'), mpf('0.75'), 24, rounding, lambda v: 1)

@poly('lgamma_one_low') # the same as lgamma_one: for F32, near whose zeros below 0 it cancels
def _(rounding, single):
    if single: return None
    return fit(near(lambda u: mp.loggamma(1 + u) / u, -mp.euler), mpf('-0.5'), mpf('0.5'), 22, rounding, lambda u: 1)

@poly('lgamma_two_low') # the same as lgamma_two: for F32
def _(rounding, single):
    if single: return None
    def target(v):
        u = v + mpf('0.25')
        return mp.loggamma(2 + u) / u if abs(u) > mpf(10)**-25 else 1 - mp.euler
    return fit(target, mpf('-0.75'), mpf('0.75'), 17, rounding, lambda v: 1)

DIGAMMA_ROOT = mp.findroot(mp.digamma, mpf('1.4616'))

@poly('digamma')    # digamma(z) = (z - root) p(z - 1.5), 1 <= z <= 2
def _(rounding, single):
    if single: return None
    def target(v):
        u = v + mpf('1.5') - DIGAMMA_ROOT
        return mp.digamma(v + mpf('1.5')) / u if abs(u) > mpf(10)**-20 else mp.psi(1, DIGAMMA_ROOT)
    return fit(target, mpf('-0.5'), mpf('0.5'), 24, rounding, lambda v: 1 / target(v))

@poly('i1e')        # exp(-a) I1(a) / a in a / 4 - 1, 0 <= a <= 8
def _(rounding, single):
    if single: return None
    def target(t):
        a = 4 * (t + 1)
        return mp.exp(-a) * mp.besseli(1, a) / a if a > mpf(10)**-30 else mpf('0.5')
    return fit(target, -1, 1, 30, rounding, lambda t: 1 / target(t), grid=300)

@poly('i1e_far')    # exp(-a) I1(a) sqrt(a) in 16 / a - 1, a >= 8
def _(rounding, single):
    if single: return None
    def target(t):
        if t < mpf('-0.999999'): return (1 - mpf(3) / 8 * (t + 1) / 16) / mp.sqrt(2 * mp.pi)
        a = 16 / (t + 1)
        return mp.exp(-a) * mp.besseli(1, a) * mp.sqrt(a)
    return fit(target, -1, 1, 25, rounding, lambda t: 1, grid=300)

@poly('rsqrt')      # ((1 - e)^(-1/2) - 1) / e, |e| <= 2^-13
def _(rounding, single):
    h = mpf(2)**-13 * mpf('1.01')
    return fit(near(lambda e: ((1 - e)**(-mpf(1)/2) - 1) / e, 0.5), -h, h, 1 if single else 3, rounding, lambda e: abs(e))

# without the zeros that end it
def number(v): return re.sub(r'\.?0*p', 'p', float(v).hex())

def show(name, coefs, error, kind):
    print('%-12s %s: %2d coefficients, error 2^%.1f' % (name, kind, len(coefs), mp.log(error, 2)), file=sys.stderr)

def exp_table():
    print('const double exp_table[128] = {')
    texts = [number(to_f64(mpf(2)**(mpf(j) / 128) - 1)) if j else '0' for j in range(-64, 64)]
    for i in range(0, 128, 4): print('    %s,' % ', '.join(texts[i:i + 4]))
    print('};')

def main(names):
    print('/* recipe_coefficients.c: the polynomials of the recipes. Written by coefficients.py, which says what each one approximates. */')
    print('#include "recipe_builder.h"\n')
    for name in names:
        print('const Poly poly_%s[2] = {' % name)
        for kind, rounding in (('f32', to_f32), ('f64', to_f64)):
            got = FITS[name](rounding, kind == 'f32')
            if got is None: print('    { 0, { 0 } },'); continue
            coefs, error = got
            show(name, coefs, error, kind)
            text = ', '.join(number(c) for c in coefs)
            print('    { %d, { %s } },' % (len(coefs), text))
        print('};')
        if name == 'exp_step': exp_table()

if __name__ == '__main__': main(sys.argv[1:] or list(FITS))
