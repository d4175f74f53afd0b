/* infer_index.c: type rules of what takes positions from data (gather, scatter, dynamic slices), and of what
 * works along axes (windows, prefixes, order). */
#include "infer_rules.h"
#include <stdio.h>
#include <string.h>

bool finish_all(Inferred *out, const Type *types, uint32_t n, Failure *f)
{
    if (n == 1) return finish_like(out, (DType)types[0].dtype, types[0], f);
    out->n_results = (int)n;
    out->type = types;
    for (uint32_t i = 0; i < n; i++)
        if (!check_size(types[i], f)) return false;
    return true;
}

/* ---- gather */

/* The operand's axes: those of windows, those that windows leave out, and those that indices name. */
static bool check_operand_axes(const IndexDims *d, Type a, const char *window, const char *collapsed,
                               Failure *f)
{
    uint32_t gone = 0, mapped = 0;
    char collapsed_axes[32];
    if (a.rank != d->n_window + d->n_collapsed + d->n_batching)
        return fail(f, WEFT_SHAPE, "%d %s, %d %s and %d batching axes do not make up the %d of %s",
                    d->n_window, window, d->n_collapsed, collapsed, d->n_batching, a.rank, TYPE_TEXT(a));
    snprintf(collapsed_axes, sizeof collapsed_axes, "%s axes", collapsed);
    return check_axes(d->collapsed, d->n_collapsed, a, &gone, f) &&
           check_axes(d->operand_batching, d->n_batching, a, &gone, f) &&
           check_ascending(d->collapsed, d->n_collapsed, collapsed_axes, f) &&
           check_ascending(d->operand_batching, d->n_batching, "batching axes of the operand", f) &&
           check_axes(d->map, d->n_map, a, &mapped, f) &&
           check_axes(d->operand_batching, d->n_batching, a, &mapped, f);
}

static bool check_slice_sizes(const IndexDims *d, Type a, Failure *f)
{
    uint32_t dropped = dropped_axes(d);
    for (int i = 0; i < a.rank; i++) {
        bool one = dropped >> i & 1 && a.dim[i] > 0;
        int64_t n = d->slice_sizes[i], least = one ? 1 : 0, most = one ? 1 : a.dim[i];
        if (n < least || n > most)
            return fail(f, WEFT_SHAPE, "slice size %lld of axis %d is out of range for %s (%lld to %lld%s)",
                        (long long)n, i, TYPE_TEXT(a), (long long)least, (long long)most,
                        dropped >> i & 1 ? ": the axis is collapsed or batching" : "");
    }
    return true;
}

/* The indices: n_map numbers along index_vector_dim (or one each), and batching axes as large as the
 * operand's. */
static bool check_positions(const IndexDims *d, Type a, Type ix, Failure *f)
{
    uint32_t seen = 0;
    int64_t at = d->index_vector_dim;
    if (!dtype_is_int((DType)ix.dtype))
        return fail(f, WEFT_DTYPE, "indices must be integers, not %s", TYPE_TEXT(ix));
    if (at < 0 || at > ix.rank)
        return fail(f, WEFT_ARGUMENT, "index vector axis %lld is out of range for %s (0 to %d)",
                    (long long)at, TYPE_TEXT(ix), ix.rank);
    int64_t vector = at < ix.rank ? ix.dim[at] : 1;
    if (vector != d->n_map)
        return fail(f, WEFT_SHAPE, "index vectors of %s have %lld numbers, but %d axes are indexed",
                    TYPE_TEXT(ix), (long long)vector, d->n_map);
    if (!check_axes(d->indices_batching, d->n_batching, ix, &seen, f)) return false;
    for (int i = 0; i < d->n_batching; i++) {
        int64_t p = d->operand_batching[i], q = d->indices_batching[i];
        if (q == at)
            return fail(f, WEFT_ARGUMENT,
                        "axis %lld of the indices cannot be batching: it holds the index vectors",
                        (long long)q);
        if (a.dim[p] != ix.dim[q])
            return fail(f, WEFT_SHAPE,
                        "batching axis %lld of %s does not match axis %lld of %s (%lld against %lld)",
                        (long long)p, TYPE_TEXT(a), (long long)q, TYPE_TEXT(ix), (long long)a.dim[p],
                        (long long)ix.dim[q]);
    }
    return true;
}

bool infer_gather(const NodeSpec *s, const Type *args, Inferred *out, Failure *f)
{
    Type a = args[0], ix = args[1];
    IndexDims d;
    if (!gather_dims(s->attr, s->n_attr, a.rank, &d))
        return fail(f, WEFT_ARGUMENT, "the gather's %u attribute numbers do not fit %s", (unsigned)s->n_attr,
                    TYPE_TEXT(a));
    if (!check_operand_axes(&d, a, "offset", "collapsed", f) || !check_slice_sizes(&d, a, f) ||
        !check_positions(&d, a, ix, f))
        return false;
    int rank = ix.rank - (d.index_vector_dim < ix.rank) + d.n_window;
    if (!check_rank(rank, f)) return false;
    uint32_t dropped = dropped_axes(&d);
    for (int i = 0; i < d.n_window; i++)
        if (d.window[i] < 0 || d.window[i] >= rank || (i && d.window[i - 1] >= d.window[i]))
            return fail(f, WEFT_ARGUMENT, "offset axes must ascend from 0 to at most %d", rank - 1);
    uint32_t window = axes_mask(d.window, d.n_window);
    bool nothing = false;
    for (int i = 0; i < d.n_collapsed; i++) nothing |= a.dim[d.collapsed[i]] == 0;
    for (int i = 0, slice = 0, batch = 0; i < rank; i++) {
        if (window >> i & 1) {
            while (dropped >> slice & 1) slice++;
            out->dim[i] = d.slice_sizes[slice++];
        } else {
            if (batch == d.index_vector_dim) batch++;
            out->dim[i] = ix.dim[batch++];
        }
    }
    if (!finish(out, (DType)a.dtype, rank, f)) return false;
    return !nothing || type_count(out->type[0]) == 0 ||
           fail(f, WEFT_SHAPE, "%s has no element that could be gathered", TYPE_TEXT(a));
}

/* ---- dynamic slices ---- */

static bool check_starts(const Type *starts, uint32_t n, Type of, Failure *f)
{
    if (n != of.rank)
        return fail(f, WEFT_ARGUMENT, "%u start positions for the %d axes of %s", (unsigned)n, of.rank,
                    TYPE_TEXT(of));
    for (uint32_t i = 0; i < n; i++) {
        if (starts[i].rank || !dtype_is_int((DType)starts[i].dtype))
            return fail(f, starts[i].rank ? WEFT_SHAPE : WEFT_DTYPE,
                        "start position %u is %s, not one integer", (unsigned)i, TYPE_TEXT(starts[i]));
        if (starts[i].dtype != starts[0].dtype)
            return fail(f, WEFT_DTYPE, "start positions %s and %s differ in element type",
                        TYPE_TEXT(starts[0]), TYPE_TEXT(starts[i]));
    }
    return true;
}

bool infer_dynamic_slice(const NodeSpec *s, const Type *a, Inferred *out, Failure *f)
{
    if (!check_n_attr(s, s->n_args ? a[0].rank : 0, f)) return false;
    if (s->n_args == 0) return fail(f, WEFT_ARGUMENT, "nothing to slice");
    if (!check_starts(a + 1, s->n_args - 1, a[0], f)) return false;
    for (int i = 0; i < a[0].rank; i++) {
        if (s->attr[i] < 0 || s->attr[i] > a[0].dim[i])
            return fail(f, WEFT_SHAPE, "slice size %lld of axis %d is out of range for %s (0 to %lld)",
                        (long long)s->attr[i], i, TYPE_TEXT(a[0]), (long long)a[0].dim[i]);
        out->dim[i] = s->attr[i];
    }
    return finish(out, (DType)a[0].dtype, a[0].rank, f);
}

bool infer_update_slice(const NodeSpec *s, const Type *a, Inferred *out, Failure *f)
{
    if (!check_n_attr(s, 0, f)) return false;
    if (s->n_args < 2) return fail(f, WEFT_ARGUMENT, "an operand and an update are needed");
    if (a[1].dtype != a[0].dtype || a[1].rank != a[0].rank)
        return fail(f, a[1].dtype != a[0].dtype ? WEFT_DTYPE : WEFT_SHAPE,
                    "update %s does not go into %s: element type and rank must be equal", TYPE_TEXT(a[1]),
                    TYPE_TEXT(a[0]));
    for (int i = 0; i < a[0].rank; i++)
        if (a[1].dim[i] > a[0].dim[i])
            return fail(f, WEFT_SHAPE, "update %s is larger than %s along axis %d", TYPE_TEXT(a[1]),
                        TYPE_TEXT(a[0]), i);
    return check_starts(a + 2, s->n_args - 2, a[0], f) && finish_like(out, (DType)a[0].dtype, a[0], f);
}

/* ---- scatter ---- */

/* An update has the axes of the indices (without the vectors) where update_window does not list one, and
 * windows that fit the operand where it does. */
static bool check_scatter_update(const IndexDims *d, Type a, Type ix, Type u, Failure *f)
{
    uint32_t window = 0, dropped = dropped_axes(d);
    int rank = ix.rank - (d->index_vector_dim < ix.rank) + d->n_window;
    if (u.rank != rank)
        return fail(f, WEFT_SHAPE, "update %s has %d axes, not %d", TYPE_TEXT(u), u.rank, rank);
    if (!check_axes(d->window, d->n_window, u, &window, f) ||
        !check_ascending(d->window, d->n_window, "window axes of the updates", f))
        return false;
    for (int i = 0, at = 0, batch = 0; i < rank; i++) {
        if (window >> i & 1) {
            while (dropped >> at & 1) at++;
            if (u.dim[i] > a.dim[at])
                return fail(f, WEFT_SHAPE, "window axis %d of update %s is larger than axis %d of %s", i,
                            TYPE_TEXT(u), at, TYPE_TEXT(a));
            at++;
        } else {
            if (batch == d->index_vector_dim) batch++;
            if (u.dim[i] != ix.dim[batch])
                return fail(f, WEFT_SHAPE, "axis %d of update %s does not match axis %d of the indices %s", i,
                            TYPE_TEXT(u), batch, TYPE_TEXT(ix));
            batch++;
        }
    }
    return true;
}

/* The scalars that a region over n arrays sees: their element types. */
static const Type *scalars_of(const Type *a, uint32_t n, Type *room)
{
    for (uint32_t i = 0; i < n; i++) room[i] = type_scalar(a[i].dtype);
    return room;
}

bool infer_scatter(const NodeSpec *s, const Type *a, Inferred *out, Failure *f)
{
    uint32_t n = (s->n_args - 1) / 2;
    IndexDims d;
    if (s->n_args < 3 || s->n_args % 2 == 0)
        return fail(f, WEFT_ARGUMENT, "%u operands (arrays, indices, as many updates are needed)",
                    (unsigned)s->n_args);
    if (!check_count(n, f) || !check_same_shapes(a, n, f)) return false;
    if (!scatter_dims(s->attr, s->n_attr, &d))
        return fail(f, WEFT_ARGUMENT, "the scatter's %u attribute numbers do not fit", (unsigned)s->n_attr);
    if (!check_flag(d.unique, "unique_indices", f) || !check_flag(d.sorted, "indices_are_sorted", f))
        return false;
    if (!check_operand_axes(&d, a[0], "window", "inserted", f) || !check_positions(&d, a[0], a[n], f))
        return false;
    for (uint32_t i = 0; i < n; i++) {
        Type u = a[n + 1 + i];
        if (u.dtype != a[i].dtype)
            return fail(f, WEFT_DTYPE, "update %s for %s: element types differ", TYPE_TEXT(u),
                        TYPE_TEXT(a[i]));
        if (!check_scatter_update(&d, a[i], a[n], u, f)) return false;
    }
    return check_reducer(spec_region(s, 0), scalars_of(a, n, (Type[INFER_MAX_RESULTS]){ 0 }), n, f) &&
           finish_all(out, a, n, f);
}

/* ---- windows ---- */

static bool check_window(WindowDims w, Type t, Failure *f)
{
    static const int64_t most = INT64_MAX / 8;
    for (int i = 0; i < t.rank; i++) {
        const struct {
            const char *name;
            const int64_t *value;
        } positive[] = { { "window size", w.size },
                         { "stride", w.stride },
                         { "base dilation", w.base_dilation },
                         { "window dilation", w.dilation } };
        for (int k = 0; k < 4; k++)
            if (positive[k].value && (positive[k].value[i] < 1 || positive[k].value[i] > most))
                return fail(f, WEFT_ARGUMENT, "%s %lld of axis %d must be 1 to %lld", positive[k].name,
                            (long long)positive[k].value[i], i, (long long)most);
        if (w.low[i] > most || w.low[i] < -most || w.high[i] > most || w.high[i] < -most)
            return fail(f, WEFT_ARGUMENT, "padding %lld, %lld of axis %d must be -%lld to %lld",
                        (long long)w.low[i], (long long)w.high[i], i, (long long)most, (long long)most);
    }
    return true;
}

bool infer_reduce_window(const NodeSpec *s, const Type *a, Inferred *out, Failure *f)
{
    uint32_t n = s->n_args / 2;
    if (!check_n_attr(s, s->n_args ? 6 * a[0].rank : 0, f)) return false;
    if (!check_folded(s, a, f)) return false;
    WindowDims w = window_dims(s->op, s->attr, a[0].rank);
    if (!check_window(w, a[0], f) || !check_reducer(spec_region(s, 0), a + n, n, f)) return false;
    for (int i = 0; i < a[0].rank; i++) out->dim[i] = window_count(w, i, a[0].dim[i]);
    return finish_alike(out, a, n, a[0].rank, f);
}

bool infer_select_and_scatter(const NodeSpec *s, const Type *a, Inferred *out, Failure *f)
{
    WindowDims w = window_dims(s->op, s->attr, a[0].rank);
    const Graph *select = spec_region(s, 0), *scatter = spec_region(s, 1);
    Type scalar = type_scalar(a[0].dtype);
    if (!check_n_attr(s, 4 * a[0].rank, f) || !check_window(w, a[0], f)) return false;
    if (a[1].dtype != a[0].dtype || a[1].rank != a[0].rank || !type_equal(a[2], scalar))
        return fail(f, WEFT_DTYPE, "source %s and start %s do not go with %s", TYPE_TEXT(a[1]),
                    TYPE_TEXT(a[2]), TYPE_TEXT(a[0]));
    for (int i = 0; i < a[0].rank; i++)
        if (a[1].dim[i] != window_count(w, i, a[0].dim[i]))
            return fail(
                f, WEFT_SHAPE, "source %s has %lld elements along axis %d, but there are %lld windows",
                TYPE_TEXT(a[1]), (long long)a[1].dim[i], i, (long long)window_count(w, i, a[0].dim[i]));
    if (!select || select->n_params != 2 || select->n_outputs != 1 ||
        graph_type(select, select->outputs[0]).dtype != WEFT_BOOL ||
        !type_equal(graph_type(select, select->params[0]), scalar) ||
        !type_equal(graph_type(select, select->params[1]), scalar))
        return fail(f, WEFT_ARGUMENT, "select must take two %s and give a bool",
                    dtype_name((DType)a[0].dtype));
    return check_reducer(scatter, &scalar, 1, f) && finish_like(out, (DType)a[0].dtype, a[0], f);
}

/* ---- prefixes and order ---- */

bool infer_cumulative(const NodeSpec *s, const Type *args, Inferred *out, Failure *f)
{
    Type a = args[0];
    if (!check_n_attr(s, 3, f)) return false;
    Op m = (Op)s->attr[0];
    if (!monoid_has_prefixes(m))
        return fail(f, WEFT_ARGUMENT, "no prefixes of op number %lld", (long long)s->attr[0]);
    return check_flag(s->attr[2], "reverse", f) && check_taken(m, (DType)a.dtype, f) &&
           check_axis(s->attr[1], a, f) && finish_like(out, (DType)a.dtype, a, f);
}

/* ---- Fourier transforms ---- */

static const char *const fft_takes[] = { "complex numbers", "complex numbers", "f32 and f64",
                                         "complex numbers" };

bool infer_fft(const NodeSpec *s, const Type *args, Inferred *out, Failure *f)
{
    Type a = args[0];
    int n = (int)s->n_attr - 1;
    if (n < 1 || n > MAX_FFT_AXES)
        return fail(f, WEFT_ARGUMENT, "a transform over %d axes (1 to %d are possible)", n, MAX_FFT_AXES);
    if (s->attr[0] < FFT_FORWARD || s->attr[0] > FFT_TO_REAL)
        return fail(f, WEFT_ARGUMENT, "there is no transform number %lld", (long long)s->attr[0]);
    FftKind kind = (FftKind)s->attr[0];
    DType t = (DType)a.dtype;
    bool taken = kind == FFT_OF_REAL ? t == WEFT_F32 || t == WEFT_F64 : dtype_is_complex(t);
    if (!taken)
        return fail(f, WEFT_DTYPE, "%s of %s: it takes %s", fft_names[kind], dtype_name(t), fft_takes[kind]);
    if (a.rank < n) return fail(f, WEFT_SHAPE, "%s has fewer than %d axes", TYPE_TEXT(a), n);
    for (int i = 0; i < n; i++) {
        int axis = a.rank - n + i;
        int64_t length = s->attr[1 + i];
        bool last = i == n - 1;
        int64_t size = kind == FFT_TO_REAL && last ? length / 2 + 1 : length;
        if (length < 0 || a.dim[axis] != size)
            return fail(f, WEFT_SHAPE,
                        "%s of length %lld along axis %d, which has %lld elements (%lld needed)",
                        fft_names[kind], (long long)length, axis, (long long)a.dim[axis], (long long)size);
        out->dim[axis] = kind == FFT_OF_REAL && last ? length / 2 + 1 : length;
    }
    for (int i = 0; i < a.rank - n; i++) out->dim[i] = a.dim[i];
    DType to = kind == FFT_TO_REAL ? dtype_part(t) : t == WEFT_F32 ? WEFT_C64 : t == WEFT_F64 ? WEFT_C128 : t;
    return finish(out, to, a.rank, f);
}

bool infer_sort(const NodeSpec *s, const Type *a, Inferred *out, Failure *f)
{
    const Graph *r = spec_region(s, 0);
    if (!check_n_attr(s, 2, f)) return false;
    if (s->n_args == 0) return fail(f, WEFT_ARGUMENT, "nothing to sort");
    if (!check_count(s->n_args, f)) return false;
    if (!check_same_shapes(a, s->n_args, f) || !check_axis(s->attr[0], a[0], f)) return false;
    if (!check_flag(s->attr[1], "is_stable", f)) return false;
    if (!r || r->n_params != 2 * s->n_args || r->n_outputs != 1 ||
        !type_equal(graph_type(r, r->outputs[0]), type_scalar(WEFT_BOOL)))
        return fail(f, WEFT_ARGUMENT,
                    "the comparator must take %u values, two of each array, and give one bool",
                    (unsigned)(2 * s->n_args));
    for (uint32_t i = 0; i < 2 * s->n_args; i++)
        if (!check_scalar_param(r, "the comparator", i, a[i / 2].dtype, f)) return false;
    return check_own_ops(r, "the comparator", f) && finish_all(out, a, s->n_args, f);
}
