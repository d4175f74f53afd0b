/* rates.c: rates as functions of the number of a step. All of them are a few ops on what is mostly one
 * number. */
#include <math.h>
#include "optim.h"

/* ---- what can be wrong ---- */

static bool positive(const char *who, const char *field, double v)
{
    return v > 0 || op_fail(WEFT_ARGUMENT, "%s%s must be positive, not %g", who, field, v);
}

static const char *const names[] = {
    [WEFT_SCHEDULE_CONSTANT_] = "weft_schedule_constant",
    [WEFT_SCHEDULE_LINEAR_] = "weft_schedule_linear",
    [WEFT_SCHEDULE_EXPONENTIAL_] = "weft_schedule_exponential",
    [WEFT_SCHEDULE_COSINE_] = "weft_schedule_cosine",
    [WEFT_SCHEDULE_PIECEWISE_] = "weft_schedule_piecewise",
};

/* Numbers must be finite, and a field that the kind does not have must not be given. A schedule whose
 * rates are all 0 trains nothing: somebody forgot its rate. */
static bool fields_good(const char *who, const weft_schedule *s)
{
    enum {
        LINEAR = 1 << WEFT_SCHEDULE_LINEAR_,
        EXPONENTIAL = 1 << WEFT_SCHEDULE_EXPONENTIAL_,
        COSINE = 1 << WEFT_SCHEDULE_COSINE_,
        PIECEWISE = 1 << WEFT_SCHEDULE_PIECEWISE_
    };
    const struct {
        const char *field;
        double v; /* not 0: it is given */
        unsigned takers;
    } all[] = {
        { ".rate", s->rate, ~0u },
        { ".start", s->start, COSINE },
        { ".end", s->end, LINEAR | EXPONENTIAL | COSINE },
        { ".decay", s->decay, EXPONENTIAL },
        { ".exponent", s->exponent, COSINE },
        { ".steps", (double)s->steps, LINEAR | EXPONENTIAL | COSINE },
        { ".warmup", (double)s->warmup, COSINE },
        { ".begin", (double)s->begin, LINEAR | EXPONENTIAL },
        { ".staircase", s->staircase, EXPONENTIAL },
        { ".n", s->n, PIECEWISE },
        { ".at", s->at != NULL, PIECEWISE },
        { ".scale", s->scale != NULL, PIECEWISE },
    };
    const size_t n = sizeof all / sizeof *all;
    for (size_t i = 0; i < n; i++)
        if (!isfinite(all[i].v)) return op_fail(WEFT_ARGUMENT, "%s%s is %g", who, all[i].field, all[i].v);
    if (s->kind_ < WEFT_SCHEDULE_CONSTANT_ || s->kind_ > WEFT_SCHEDULE_PIECEWISE_) return true;
    for (size_t i = 0; i < n; i++)
        if (all[i].v != 0 && !(all[i].takers >> s->kind_ & 1))
            return op_fail(WEFT_ARGUMENT, "%s%s does not take %s", who, names[s->kind_], all[i].field);
    bool to_end = s->end != 0 && ((LINEAR | COSINE) >> s->kind_ & 1);
    return s->rate != 0 || to_end || op_fail(WEFT_ARGUMENT, "%s%s: no .rate", who, names[s->kind_]);
}

static bool pieces_good(const char *who, const weft_schedule *s)
{
    if (s->n < 0 || (s->n && (!s->at || !s->scale)))
        return op_fail(WEFT_ARGUMENT, "%s.at and .scale must be lists of .n = %d numbers", who, s->n);
    for (int i = 0; i < s->n; i++) {
        if (!isfinite(s->scale[i])) return op_fail(WEFT_ARGUMENT, "%s.scale[%d] is %g", who, i, s->scale[i]);
        if (i && s->at[i] <= s->at[i - 1])
            return op_fail(WEFT_ARGUMENT, "%s.at[%d] is %lld behind %lld: they must ascend", who, i,
                           (long long)s->at[i], (long long)s->at[i - 1]);
    }
    return true;
}

bool schedule_check(const weft_schedule *s, const char *who)
{
    if (!fields_good(who, s)) return false;
    switch (s->kind_) {
    case WEFT_SCHEDULE_CONSTANT_: return true;
    case WEFT_SCHEDULE_LINEAR_:   return positive(who, ".steps", (double)s->steps);
    case WEFT_SCHEDULE_EXPONENTIAL_:
        return positive(who, ".steps", (double)s->steps) && positive(who, ".decay", s->decay);
    case WEFT_SCHEDULE_COSINE_:
        if (s->warmup < 0 || s->steps <= s->warmup)
            return op_fail(WEFT_ARGUMENT,
                           "%s.steps = %lld is all of it, so it must be more than .warmup = %lld", who,
                           (long long)s->steps, (long long)s->warmup);
        return s->exponent >= 0 || positive(who, ".exponent", s->exponent);
    case WEFT_SCHEDULE_PIECEWISE_: return pieces_good(who, s);
    case WEFT_SCHEDULE_OWN_:       return s->own_ || op_fail(WEFT_ARGUMENT, "%sthe function is NULL", who);
    default:
        return op_fail(WEFT_ARGUMENT, "%sno schedule: make one by weft_schedule_constant(...) and its like",
                       who);
    }
}

/* ---- values ---- */

/* (step - begin) / steps, between 0 and 1. */
static weft_array *progress(weft_array *step, DType t, int64_t begin, int64_t steps)
{
    weft_array *x = ops_with(OP_DIV, ops_with(OP_SUB, ops_convert(step, t), (double)begin), (double)steps);
    return ops_with(OP_MIN, ops_with(OP_MAX, x, 0), 1);
}

/* From a to b as x goes from 0 to 1. */
static weft_array *between(double a, double b, weft_array *x)
{
    return ops_with(OP_ADD, ops_with(OP_MUL, x, b - a), a);
}

static weft_array *exponential(const weft_schedule *s, weft_array *step, DType t)
{
    weft_array *x =
        ops_with(OP_DIV, ops_with(OP_SUB, ops_convert(step, t), (double)s->begin), (double)s->steps);
    x = ops_with(OP_MAX, x, 0);
    if (s->staircase) x = op_unary(OP_FLOOR, x);
    weft_array *rate = ops_with(OP_MUL, ops_from(OP_POW, s->decay, x), s->rate);
    if (s->end == 0) return rate;
    return ops_with(s->decay < 1 ? OP_MAX : OP_MIN, rate, s->end);
}

static weft_array *cosine(const weft_schedule *s, weft_array *step, DType t)
{
    weft_array *x = progress(step, t, s->warmup, s->steps - s->warmup);
    weft_array *bow =
        ops_with(OP_MUL, ops_with(OP_ADD, op_unary(OP_COS, ops_with(OP_MUL, x, acos(-1))), 1), 0.5);
    if (s->exponent != 0 && s->exponent != 1) bow = ops_with(OP_POW, bow, s->exponent);
    weft_array *down = between(s->end, s->rate, bow);
    if (!s->warmup) return down;
    return ops_select(ops_compare_with(CMP_LT, ops_convert(step, t), (double)s->warmup),
                      between(s->start, s->rate, progress(step, t, 0, s->warmup)), down);
}

static weft_array *piecewise(const weft_schedule *s, weft_array *step, DType t)
{
    double rate = s->rate;
    weft_array *like = ops_convert(step, t), *value = like ? ops_fill(like, rate) : NULL;
    for (int i = 0; i < s->n && value; i++)
        value = ops_select(ops_compare_with(CMP_GE, like, (double)s->at[i]),
                           ops_fill(like, rate *= s->scale[i]), value);
    return value;
}

static weft_array *own(const weft_schedule *s, weft_array *step, DType t)
{
    weft_array *rate = s->own_(step);
    if (!rate) return op_fail(WEFT_ARGUMENT, "the schedule's function gave NULL");
    Type got = array_type(rate), want = array_type(step);
    if (dtype_is_float((DType)got.dtype) && shape_equal(got, want)) return ops_convert(rate, t);
    return op_fail(WEFT_SHAPE,
                   "the schedule's function gave %s for a step %s: it must be a float of that shape",
                   TYPE_TEXT(got), TYPE_TEXT(want));
}

weft_array *schedule_value(const weft_schedule *s, weft_array *step, DType t)
{
    if (!step) return NULL;
    weft_array *like;
    switch (s->kind_) {
    case WEFT_SCHEDULE_LINEAR_:      return between(s->rate, s->end, progress(step, t, s->begin, s->steps));
    case WEFT_SCHEDULE_EXPONENTIAL_: return exponential(s, step, t);
    case WEFT_SCHEDULE_COSINE_:      return cosine(s, step, t);
    case WEFT_SCHEDULE_PIECEWISE_:   return piecewise(s, step, t);
    case WEFT_SCHEDULE_OWN_:         return own(s, step, t);
    default:                         return (like = ops_convert(step, t)) ? ops_fill(like, s->rate) : NULL;
    }
}

static weft_array *int_step(weft_operand step)
{
    weft_array *a = ops_value(step);
    return a && ops_int_ok(array_type(a), "a step is an integer") ? a : NULL;
}

weft_array *weft_schedule_at_(weft_context *ctx, weft_schedule s, weft_operand step, const char *at)
{
    OpsCall call;
    bool good = ops_begin(&call, "weft_schedule_at", at, ctx, &step, 1);
    return ops_end(&call,
                   good && schedule_check(&s, "") ? schedule_value(&s, int_step(step), ops_real()) : NULL);
}
