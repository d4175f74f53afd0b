/* cases_order.c: what puts elements in order, counts them or finds their places. */
#include "cases.h"

static weft_array *sort_rows(weft_array *x) { return weft_sort(x, -1); }
static weft_array *argsort(weft_array *x) { return weft_argsort(x, -1); }
static weft_array *top_10(weft_array *x) { return weft_top_k(x, 10, NULL); }
static weft_array *bincount(weft_array *x) { return weft_bincount(x, 10000); }
static weft_array *searchsorted(weft_array *sorted, weft_array *v) { return weft_searchsorted(sorted, v); }

void declare_order(weft_context *ctx)
{
    weft_declare(ctx, sort_rows, weft_unary);
    weft_declare(ctx, argsort, weft_unary);
    weft_declare(ctx, top_10, weft_unary);
    weft_declare(ctx, bincount, weft_unary);
    weft_declare(ctx, searchsorted, weft_binary);
}
CALL(sort_rows, weft_unary, in[0])
CALL(argsort, weft_unary, in[0])
CALL(top_10, weft_unary, in[0])
CALL(bincount, weft_unary, in[0])
CALL(searchsorted, weft_binary, in[0], in[1])
