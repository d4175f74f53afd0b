/* cases_order.c: what puts elements in order, counts them or finds their places. */
#include "cases.h"

static weft_array *sort_rows(weft_array *x) { return weft_sort(x, -1); }
static weft_array *argsort(weft_array *x) { return weft_argsort(x, -1); }
static weft_array *top_10(weft_array *x) { return weft_top_k(x, 10, NULL); }
/* The median of 3 x 3 neighbours, of all that have them. */
static weft_array *median_3x3(weft_array *x)
{
    int height = (int)weft_dim(x, 0) - 2, width = (int)weft_dim(x, 1) - 2;
    weft_array *of[9];
    for (int k = 0; k < 9; k++)
        of[k] = weft_at(x, "%d:%d, %d:%d", k / 3, k / 3 + height, k % 3, k % 3 + width);
    weft_array *all = weft_stack_arrays(-1, of[0], of[1], of[2], of[3], of[4], of[5], of[6], of[7], of[8]);
    return weft_at(weft_sort(all, -1), "..., 4");
}
static weft_array *bincount(weft_array *x) { return weft_bincount(x, 10000); }
/* Weights of points of the unit square, summed in the cells of a grid. */
static weft_array *deposit(weft_array *x, weft_array *y, weft_array *weight)
{
    weft_array *row = weft_astype(weft_mul(x, 1000), WEFT_I32),
               *column = weft_astype(weft_mul(y, 2000), WEFT_I32);
    return weft_scatter_at(weft_zeros(NULL, WEFT_F32, 1000, 2000), weft_stack_arrays(-1, row, column), weight,
                           .with = WEFT_ADD);
}
static weft_array *histogram(weft_array *x) { return weft_histogram(x, 256, .from = -1, .to = 1); }
static weft_array *interp(weft_array *x, weft_array *xp, weft_array *fp) { return weft_interp(x, xp, fp); }
static weft_array *searchsorted(weft_array *sorted, weft_array *v) { return weft_searchsorted(sorted, v); }

void declare_order(weft_context *ctx)
{
    weft_declare(ctx, sort_rows, weft_unary);
    weft_declare(ctx, argsort, weft_unary);
    weft_declare(ctx, top_10, weft_unary);
    weft_declare(ctx, median_3x3, weft_unary);
    weft_declare(ctx, bincount, weft_unary);
    weft_declare(ctx, searchsorted, weft_binary);
    weft_declare(ctx, deposit, weft_ternary);
    weft_declare(ctx, histogram, weft_unary);
    weft_declare(ctx, interp, weft_ternary);
}
CALL(sort_rows, weft_unary, in[0])
CALL(argsort, weft_unary, in[0])
CALL(top_10, weft_unary, in[0])
CALL(median_3x3, weft_unary, in[0])
CALL(bincount, weft_unary, in[0])
CALL(searchsorted, weft_binary, in[0], in[1])
CALL(deposit, weft_ternary, in[0], in[1], in[2])
CALL(histogram, weft_unary, in[0])
CALL(interp, weft_ternary, in[0], in[1], in[2])
