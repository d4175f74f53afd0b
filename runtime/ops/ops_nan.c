/* ops_nan.c: reductions that pass over NaNs: those of ops_reduce.c under the mask of what is none. Where
 * none but NaNs are, what has no value of nothing is NaN, as NumPy has it. */
#include "ops_compose.h"
#include <math.h>
#include "weft/numeric.h"

typedef weft_array *Reduction(const weft_array *, weft_over, const char *at);

static weft_array *not_nan(weft_array *x) { return ops_compare(CMP_EQ, x, x); }

/* bool, in the shape of the result: do more than ddof elements take part? */
static weft_array *enough(const weft_array *mask, weft_over over)
{
    const weft_over axes = { .axes = over.axes, .keep = over.keep };
    return ops_compare_with(CMP_GT, weft_count_nonzero_(mask, axes, NULL), over.ddof);
}

static weft_array *reduce(weft_array *x, weft_over over, Reduction *f, bool of_nothing)
{
    if (!dtype_is_inexact(ops_dtype(x))) return f(x, over, NULL);
    weft_array *mask = not_nan(x);
    if (over.where) mask = op_binary(OP_AND, mask, ops_mask(over.where, array_type(x)));
    over.where = mask;
    weft_array *r = mask ? f(x, over, NULL) : NULL;
    return r && !of_nothing ? ops_select(enough(mask, over), r, ops_fill(r, NAN)) : r;
}

/* The place of the greatest; -1 where all are NaN. */
static weft_array *place(weft_array *x, weft_over over, Reduction *f, double least)
{
    if (!dtype_is_float(ops_dtype(x))) return f(x, over, NULL);
    const weft_over axes = { .axes = over.axes, .keep = over.keep };
    weft_array *is = not_nan(x), *at = f(ops_select(is, x, ops_fill(x, least)), over, NULL);
    return at ? ops_select(weft_any_(is, axes, NULL), at, ops_fill(at, -1)) : NULL;
}

#define NAN_FORM(name, composition) \
    weft_array *weft_##name##_(const weft_array *x, weft_over over, const char *at) \
    { \
        OpsCall call; \
        bool good = ops_begin_on(&call, "weft_" #name, at, x, over.where); \
        return ops_end(&call, good ? (composition) : NULL); \
    } \
    weft_array *(weft_##name)(weft_array * x) { return weft_##name##_(x, (weft_over){ .axes = NULL }, NULL); }
NAN_FORM(nansum, reduce(ops_in(x), over, weft_sum_, true))
NAN_FORM(nanprod, reduce(ops_in(x), over, weft_prod_, true))
NAN_FORM(nanmax, reduce(ops_in(x), over, weft_max_, false))
NAN_FORM(nanmin, reduce(ops_in(x), over, weft_min_, false))
NAN_FORM(nanmean, reduce(ops_in(x), over, weft_mean_, false))
NAN_FORM(nanvar, reduce(ops_in(x), over, weft_var_, false))
NAN_FORM(nanstd, reduce(ops_in(x), over, weft_std_, false))
NAN_FORM(nanargmax, place(ops_in(x), over, weft_argmax_, -INFINITY))
NAN_FORM(nanargmin, place(ops_in(x), over, weft_argmin_, INFINITY))
