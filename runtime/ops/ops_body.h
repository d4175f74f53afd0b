/* ops_body.h: ops whose meaning is a function over array handles: maps, loops, and functions with a
 * derivative of their own. */
#ifndef WEFT_OPS_OPS_BODY_H
#define WEFT_OPS_OPS_BODY_H
#include "ops_compose.h"
#include "runtime/trace/trace.h"

/* A sub-graph for an op with a region, traced from a function over handles that uses nothing but what it is
 * given. */
enum { OPS_MAX_VALUES = 16 };
/* Sets out; what is left NULL has failed. */
typedef void OpsBody(weft_array *const *in, weft_array **out, const void *data);
typedef struct OpsTraced {
    Trace trace;
    bool open;
} OpsTraced;
/* NULL: an error is set. Close it in any case. */
const Graph *ops_body(OpsTraced *, const Type *in, int n_in, int n_out, OpsBody *, const void *data);
void ops_body_close(OpsTraced *);
/* The body for each element of n vectors of one length: a vector of type t. */
weft_array *ops_map(weft_array *const *in, int n, DType t, OpsBody *, const void *data);
/* carry = while cond(all) { body(all) }, where all are n_all values, the invariant ones first; the carries
 * that remain replace those in all. False: error set. */
bool ops_while(weft_array **all, int n_all, int n_invariant, OpsBody *cond, OpsBody *body, const void *data);

/* The same `length` times, which reverse mode goes back through: the body is given the number of the step,
 * i64, behind all. */
bool ops_steps(int64_t length, weft_array **all, int n_all, int n_invariant, OpsBody *body, const void *data);
/* yes(in) where the bool of rank 0 is true, else no(in): of one result. */
weft_array *ops_case(weft_array *when, weft_array *const *in, int n, OpsBody *yes, OpsBody *no,
                     const void *data);

/* A function of n arrays whose derivatives are not those of its steps: value sets out[0]. Elementwise, of one
 * float type and shape: slopes sets out[0 .. n - 1], the derivative by each, of the arrays and behind them
 * the value. Others have a tangent: it sets out[0], the tangent of the value, of the arrays, their tangents,
 * and the value. All may be used on concrete arrays too. */
typedef struct OpsRuled {
    OpsBody *value, *slopes;
    const void *data;
    OpsBody *tangent;
} OpsRuled;
weft_array *ops_ruled(weft_array *const *in, int n, const OpsRuled *);
/* One element after the other, in f64 (a f32 by way of it): body has n numbers, gives one. */
weft_array *ops_map_f64(weft_array *const *in, int n, OpsBody *body, const void *data);
/* Its derivative by number `by`, by forward mode through the body, and once more so; so reverse mode has it
 * too, although the body loops. */
weft_array *ops_map_slope_f64(weft_array *const *in, int n, OpsBody *body, const void *data, int by);
/* ops_map of n vectors of one float type, in that type, with such a derivative (in f64). */
weft_array *ops_map_ruled(weft_array *const *in, int n, OpsBody *body, const void *data);

/* ops_gamma_slope.c: of samples x of gammas of shape a, both one-dimensional, of one float type: how a sample
 * moves with a when its quantile stays, dx/da. Of logarithms of samples if log_space. */
weft_array *ops_gamma_slope(weft_array *a, weft_array *x, bool log_space);
/* ops_gamma_large.c: whether a is large and x near it, and for these the incomplete gamma functions, the
 * density x^(a-1) e^-x / gamma(a), and how a sample moves (else anything finite). */
weft_array *ops_gamma_is_large(weft_array *a, weft_array *x);
weft_array *ops_gamma_large(weft_array *a, weft_array *x, bool upper);
weft_array *ops_gamma_large_density(weft_array *a, weft_array *x);
weft_array *ops_gamma_large_slope(weft_array *a, weft_array *x);
/* (u - log(1 + u)) / u^2 for |u| < 1/2; gamma(a) / (sqrt(2 pi / a) (a / e)^a) of 1 / a, for a >= 1000 */
weft_array *ops_log1p_lack(weft_array *u);
weft_array *ops_stirling(weft_array *y);
/* ops_beta_large.c: whether a and b are large and x near a / (a + b), and for these the incomplete beta
 * function and the density x^(a-1) (1-x)^(b-1) / beta(a, b) (else anything finite). */
weft_array *ops_beta_is_large(weft_array *a, weft_array *b, weft_array *x);
weft_array *ops_beta_large(weft_array *a, weft_array *b, weft_array *x);
weft_array *ops_beta_large_density(weft_array *a, weft_array *b, weft_array *x);
#endif
