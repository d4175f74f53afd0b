/* ops_grid.c: grids, and what lies around an array when it goes on as it is: padding by edges, mirrors and
 * repetition. */
#include "ops_index.h"
#include <string.h>
#include "weft/numeric.h"

/* ---- grids ---- */

static bool one_axis_each(const weft_array *const *in, int n)
{
    for (int i = 0; i < n; i++) {
        Type t = array_type(in[i]);
        if (t.rank > 1)
            return op_fail(WEFT_SHAPE, "array %d is %s: a grid is spanned by arrays of one axis, or of none",
                           i, TYPE_TEXT(t));
    }
    return true;
}

/* Array number k along its axis of the grid. */
static weft_array *stretched(const weft_array *x, int64_t axis, const int64_t *dim, int n)
{
    weft_array *line = ops_reshape(ops_in(x), (int64_t[]){ type_count(array_type(x)) }, 1);
    return ops_broadcast_axes(line, dim, n, &axis);
}

static bool grid(OpsCall *call, const weft_array *const *in, int n, const char *indexing, weft_array **out)
{
    bool xy = indexing && !strcmp(indexing, "xy");
    int64_t dim[WEFT_MAX_RANK];
    if (!xy && (!indexing || strcmp(indexing, "ij")))
        return op_fail(WEFT_ARGUMENT, "the indexing \"%s\" is neither \"ij\" nor \"xy\"",
                       indexing ? indexing : "NULL");
    if (!one_axis_each(in, n)) return false;
    bool good = true;
    for (int i = 0; i < n; i++) dim[xy && i < 2 && n > 1 ? 1 - i : i] = type_count(array_type(in[i]));
    for (int i = 0; i < n; i++) {
        weft_array *one = good ? stretched(in[i], xy && i < 2 && n > 1 ? 1 - i : i, dim, n) : NULL;
        good = ops_give(call, &out[i], one, good && one);
    }
    for (int i = 0; !good && i < n; i++)
        if (out[i]) weft_free(out[i]), out[i] = NULL;
    return good;
}

weft_status weft_meshgrid_(const weft_array *const *in, int n, const char *indexing, weft_array **out,
                           const char *at)
{
    OpsCall call;
    bool good = ops_begin_list(&call, "weft_meshgrid", at, in, n > WEFT_MAX_RANK ? 0 : n) && ops_rank_ok(n);
    if (good && !out) good = op_fail(WEFT_ARGUMENT, "the list of results is NULL");
    good = good && grid(&call, in, n, indexing, out);
    for (int i = 0; !good && out && i < n && n <= WEFT_MAX_RANK; i++) out[i] = NULL;
    return ops_end_status(&call, good);
}

/* ---- padding ---- */

typedef enum { EDGE, REFLECT, SYMMETRIC, WRAP, MODES } PadMode;

/* Which of n elements stands at place i, which may be before the first or behind the last. */
static int64_t source(PadMode mode, int64_t i, int64_t n)
{
    int64_t period = mode == REFLECT ? 2 * (n - 1) : mode == SYMMETRIC ? 2 * n : n;
    if (mode == EDGE) return i < 0 ? 0 : i < n ? i : n - 1;
    if (period == 0) return 0;
    int64_t place = (i % period + period) % period;
    return place < n ? place : period - place - (mode == SYMMETRIC);
}

/* A run of elements, forwards or backwards, or one element again and again. */
typedef struct Run {
    int64_t from, count;
    int step;
} Run;

/* The longest run from place i on, up to place end. */
static Run run_at(PadMode mode, int64_t i, int64_t end, int64_t n)
{
    Run r = { source(mode, i, n), 1, 0 };
    if (i + 1 < end) r.step = (int)(source(mode, i + 1, n) - r.from);
    if (r.step > 1 || r.step < -1) r.step = 0;
    else
        while (i + r.count < end && source(mode, i + r.count, n) == r.from + r.step * r.count) r.count++;
    return r;
}

static weft_array *taken(weft_array *x, int axis, Run r)
{
    Type t = array_type(x);
    int64_t dim[WEFT_MAX_RANK], first = r.step < 0 ? r.from - r.count + 1 : r.from, n = r.step ? r.count : 1;
    weft_array *part = ops_slice_axis(x, axis, first, first + n, 1);
    if (r.step < 0 && n > 1) part = op_apply(OP_REVERSE, &part, 1, (int64_t[]){ axis }, 1, NULL);
    if (n == r.count) return part;
    for (int i = 0; i < t.rank; i++) dim[i] = i == axis ? r.count : t.dim[i];
    return ops_broadcast(part, dim, t.rank);
}

enum { MOST_RUNS = 64 };

/* One element for each place, where runs would be too many. */
static weft_array *gathered(weft_array *x, int axis, PadMode mode, int64_t low, int64_t total)
{
    int64_t n = array_type(x).dim[axis];
    weft_array *at = array_new(op_local(), ops_type(WEFT_I64, &total, 1), thread.op.name, thread.op.at);
    for (int64_t i = 0; at && i < total; i++) ((int64_t *)at->data)[i] = source(mode, i - low, n);
    return index_gather(x, at, axis);
}

static weft_array *pad_axis(weft_array *x, int axis, PadMode mode, int64_t low, int64_t high)
{
    if (!x || (low == 0 && high == 0)) return x;
    Type t = array_type(x);
    int64_t n = t.dim[axis], end = n + high, dim[WEFT_MAX_RANK];
    weft_array *part[MOST_RUNS];
    int parts = 0;
    memcpy(dim, t.dim, (size_t)t.rank * sizeof *dim);
    if (n == 0)
        return op_fail(WEFT_SHAPE, "axis %d of %s has no elements that could stand around it", axis,
                       TYPE_TEXT(t));
    if (__builtin_add_overflow(low, n, &dim[axis]) || __builtin_add_overflow(dim[axis], high, &dim[axis]) ||
        !ops_dims_ok((DType)t.dtype, dim, t.rank))
        return op_fail(WEFT_SHAPE, "%s is too large with this padding", TYPE_TEXT(t));
    if (mode != EDGE && (low + high) / n >= MOST_RUNS / 2 - 4) return gathered(x, axis, mode, low, dim[axis]);
    for (int64_t i = -low; i < end;) {
        Run r = i == 0 ? (Run){ 0, n, 1 } : run_at(mode, i, i < 0 ? 0 : end, n);
        if (!(part[parts++] = r.count == n && r.step == 1 ? x : taken(x, axis, r))) return NULL;
        i += r.count;
    }
    return ops_concatenate(part, parts, axis);
}

static bool read_mode(const char *text, PadMode *mode)
{
    static const char *const name[MODES] = { "edge", "reflect", "symmetric", "wrap" };
    for (int i = 0; text && i < MODES; i++)
        if (!strcmp(text, name[i])) return *mode = (PadMode)i, true;
    return op_fail(WEFT_ARGUMENT, "the mode \"%s\" is none of \"edge\", \"reflect\", \"symmetric\", \"wrap\"",
                   text ? text : "NULL");
}

OPS_ENTRY(pad_with, (const char *how, const char *widths), (), (how, widths))
{
    Type t = array_type(x);
    PadMode mode = EDGE;
    int64_t w[3 * WEFT_MAX_RANK];
    if (!read_mode(how, &mode) || !ops_widths(widths, t, w)) return NULL;
    for (int i = 0; i < t.rank; i++) {
        if (w[i] < 0 || w[t.rank + i] < 0)
            return op_fail(WEFT_ARGUMENT, "width %lld:%lld of axis %d is negative (weft_pad cuts)",
                           (long long)w[i], (long long)w[t.rank + i], i);
        if (w[2 * t.rank + i])
            return op_fail(WEFT_ARGUMENT, "widths \"%s\": nothing goes between elements here", widths);
    }
    for (int i = 0; i < t.rank; i++) x = pad_axis(x, i, mode, w[i], w[t.rank + i]);
    return x;
}
