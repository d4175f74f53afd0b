/* recipe_rsqrt.c: one over the root: a root and a division. Both wait for one slow unit (8 f64, Zen 4: 17
 * and 10 cycles, a multiply-add 1), so where bits may differ from eager mode's, and the machine has an
 * estimate, that is made better instead (forces of 1024 bodies, AVX-512: f64 1229 -> 725 us, f32 410 ->
 * 321).
 *
 * Without an estimate, from half the exponent and two such steps: no faster (AVX2, 1360 -> 1420).
 */
#include "recipe_builder.h"

V recipe_rsqrt(Builder *b, V x) { return quotient(b, num(b, 1), root(b, x)); }

/* y is 1 / sqrt(x) but for 2^-14: with e = 1 - x y^2 it is y (1 - e)^(-1/2). At the edges, where the
 * estimate is the value, e is NaN. */
V recipe_rsqrt_by_estimate(Builder *b, V x)
{
    V y = builder_step(b, (Op)STEP_ESTIMATE, b->t, x, 0, 0, 0);
    V e = fmsub_from(b, mul(b, x, y), y, num(b, 1));
    V near = fmadd(b, mul(b, y, e), poly(b, poly_rsqrt, e), y);
    return choose(b, equal(b, e, e), near, y);
}
