/* ops_fft.c: Fourier transforms along any axes (weft/fft.h), by OP_FFT, which takes the last ones. */
#include "ops_compose.h"
#include "weft/fft.h"
#include <math.h>
#include <string.h>

static bool is_back(FftKind kind) { return kind == FFT_BACK || kind == FFT_TO_REAL; }

/* x in a type that the transform takes. */
static weft_array *in_type(weft_array *x, FftKind kind)
{
    DType t = ops_dtype(x), to = ops_weak_complex(t);
    if (kind != FFT_OF_REAL) return ops_convert(x, to);
    if (dtype_is_complex(t))
        return op_fail(WEFT_DTYPE, "%s is complex; this is a transform of real numbers (weft_fft takes both)",
                       TYPE_TEXT(array_type(x)));
    return ops_convert(x, dtype_part(to));
}

/* x with n elements along the axis: cut, or with zeros behind. */
static weft_array *of_length(weft_array *x, int axis, int64_t n)
{
    if (!x) return NULL;
    Type t = array_type(x);
    if (n <= t.dim[axis]) return ops_slice_axis(x, axis, 0, n, 1);
    int64_t attr[3 * WEFT_MAX_RANK] = { 0 };
    attr[t.rank + axis] = n - t.dim[axis];
    return op_apply(OP_PAD, (weft_array *[]){ x, op_number((DType)t.dtype, 0) }, 2, attr, 3 * t.rank, NULL);
}

/* The transform along the listed axes, at most MAX_FFT_AXES, of lengths n, by which x is as long already. */
static weft_array *along(weft_array *x, FftKind kind, const int64_t *axis, const int64_t *n, int count)
{
    if (!x || !count) return x;
    int rank = array_type(x).rank, place = 0;
    int64_t perm[WEFT_MAX_RANK], back[WEFT_MAX_RANK], attr[1 + MAX_FFT_AXES] = { kind };
    for (int a = 0; a < rank; a++) {
        bool listed = false;
        for (int i = 0; i < count; i++) listed |= axis[i] == a;
        if (!listed) perm[place++] = a;
    }
    memcpy(perm + place, axis, (size_t)count * sizeof *axis);
    memcpy(attr + 1, n, (size_t)count * sizeof *n);
    for (int a = 0; a < rank; a++) back[perm[a]] = a;
    x = ops_transpose(x, perm);
    return x ? ops_transpose(op_apply(OP_FFT, &x, 1, attr, 1 + count, NULL), back) : NULL;
}

/* What the result is multiplied by: OP_FFT divides on the way back only. False: no such norm. */
static bool scale_of(const weft_fourier *o, FftKind kind, double total, double *scale)
{
    if (!ops_is_text(o->norm, "norm", NULL)) return false;
    const char *norm = o->norm ? o->norm : "backward";
    bool forward = !strcmp(norm, "forward"), ortho = !strcmp(norm, "ortho");
    *scale = ortho ? sqrt(total) : forward ? total : 1;
    if (!is_back(kind)) *scale = 1 / *scale;
    if (forward || ortho || !strcmp(norm, "backward")) return true;
    op_fail(WEFT_ARGUMENT, "the norm \"%.40s\" is not known (\"backward\", \"ortho\", \"forward\")", norm);
    return false;
}

/* The lengths of the transforms along the axes. */
static bool lengths_of(Type t, FftKind kind, const AxisList *axes, int64_t last, int64_t *n)
{
    for (int i = 0; i < axes->n; i++) {
        bool is_last = i == axes->n - 1;
        int64_t there = t.dim[axes->axis[i]];
        n[i] = is_last && last ? last : is_last && kind == FFT_TO_REAL ? 2 * (there - 1) : there;
        if (n[i] >= 1) continue;
        if (there == 1 && !last)
            return op_fail(
                WEFT_SHAPE,
                "axis %lld of %s has one number, which would give 0 (2 or more; or .n says how many)",
                (long long)axes->axis[i], TYPE_TEXT(t));
        op_fail(is_last && last ? WEFT_ARGUMENT : WEFT_SHAPE,
                "a transform of length %lld along axis %lld of %s (1 or more)",
                (long long)(n[i] < 0 && !last ? 0 : n[i]), (long long)axes->axis[i], TYPE_TEXT(t));
        return false;
    }
    return true;
}

/* The axes in groups of MAX_FFT_AXES: that of the last axis, where numbers become complex or real, comes
 * first on the way there and last on the way back. */
static weft_array *transform(weft_array *x, FftKind kind, const AxisList *axes, const weft_fourier *o)
{
    int64_t n[WEFT_MAX_RANK];
    double scale, total = 1;
    int count = axes->n, first = count > MAX_FFT_AXES ? count - MAX_FFT_AXES : 0;
    FftKind plain = is_back(kind) ? FFT_BACK : FFT_FORWARD;
    if (!lengths_of(array_type(x), kind, axes, o->n, n)) return NULL;
    for (int i = 0; i < count; i++) total *= (double)n[i];
    if (!scale_of(o, kind, total, &scale)) return NULL;
    x = in_type(x, kind);
    if (count) {
        int64_t last = n[count - 1];
        x = of_length(x, (int)axes->axis[count - 1], kind == FFT_TO_REAL ? last / 2 + 1 : last);
    }
    if (!is_back(kind)) x = along(x, kind, axes->axis + first, n + first, count - first);
    for (int to = first; to > 0; to -= MAX_FFT_AXES) {
        int from = to > MAX_FFT_AXES ? to - MAX_FFT_AXES : 0;
        x = along(x, plain, axes->axis + from, n + from, to - from);
    }
    if (is_back(kind)) x = along(x, kind, axes->axis + first, n + first, count - first);
    return scale == 1 ? x : ops_with(OP_MUL, x, scale);
}

static weft_array *along_one(weft_array *x, FftKind kind, int axis, const weft_fourier *o)
{
    Type t = array_type(x);
    int a;
    if (!ops_axis(axis, t.rank, t, &a)) return NULL;
    return transform(x, kind, &(AxisList){ 1, { a } }, o);
}

static weft_array *along_several(weft_array *x, FftKind kind, const char *text, const weft_fourier *o)
{
    AxisList axes;
    if (!ops_axes(text, array_type(x), &axes)) return NULL;
    if (!axes.n && kind >= FFT_OF_REAL)
        return op_fail(WEFT_ARGUMENT, "no axis: numbers become complex, or real, along one");
    if (!axes.n && o->n) return op_fail(WEFT_ARGUMENT, ".n is the length of an axis, and none is named");
    return transform(x, kind, &axes, o);
}

#define FOURIER(name, kind) \
    OPS_ENTRY(name, (int axis, weft_fourier o), (), (axis, o)) \
    { \
        return along_one(x, kind, axis, &o); \
    } \
    weft_array *(weft_##name)(weft_array * x) { return weft_##name##_(x, -1, (weft_fourier){ 0 }, NULL); } \
    OPS_ENTRY(name##n, (const char *axes, weft_fourier o), (), (axes, o)) \
    { \
        return along_several(x, kind, axes, &o); \
    } \
    weft_array *(weft_##name##n)(weft_array * x) \
    { \
        return weft_##name##n_(x, NULL, (weft_fourier){ 0 }, NULL); \
    } \
    OPS_ENTRY(name##2, (const char *axes, weft_fourier o), (), (axes, o)) \
    { \
        return along_several(x, kind, axes, &o); \
    } \
    weft_array *(weft_##name##2)(weft_array * x) \
    { \
        return weft_##name##2_(x, "-2,-1", (weft_fourier){ 0 }, NULL); \
    }
FOURIER(fft, FFT_FORWARD)
FOURIER(ifft, FFT_BACK)
FOURIER(rfft, FFT_OF_REAL)
FOURIER(irfft, FFT_TO_REAL)

/* ---- frequencies and their order ---- */

/* 0, 1, .. over n spacing, the second half of the n numbers negative. real: the first n / 2 + 1, and none of
 * them negative. */
static weft_array *frequencies(DType type, int64_t n, double spacing, bool real)
{
    if (!ops_float_ok(type)) return NULL;
    if (n < 1) return op_fail(WEFT_ARGUMENT, "frequencies of %lld samples (1 or more)", (long long)n);
    int64_t count = real ? n / 2 + 1 : n, positive = real ? count : n - n / 2;
    if (!ops_dims_ok(type, &count, 1)) return NULL;
    weft_array *up = ops_iota(WEFT_I64, &count, 1, 0);
    weft_array *k = ops_select(ops_compare(CMP_LT, up, op_integer(WEFT_I64, positive)), up,
                               ops_binary(OP_SUB, up, op_integer(WEFT_I64, n)));
    return ops_with(OP_MUL, ops_convert(k, type), 1 / ((double)n * spacing));
}

#define FREQUENCIES(name, real) \
    OPS_ENTRY_IN(name, (weft_context * ctx, int64_t n, double spacing, const char *at), \
                 frequencies(ops_real(), n, spacing, real)) \
    OPS_ENTRY_IN(name##_as, (weft_context * ctx, weft_dtype t, int64_t n, double spacing, const char *at), \
                 frequencies((DType)t, n, spacing, real))
FREQUENCIES(fftfreq, false)
FREQUENCIES(rfftfreq, true)

/* The axes rolled by half their length. */
static weft_array *shifted(weft_array *x, const char *text, bool back)
{
    AxisList axes;
    Type t = array_type(x);
    if (!ops_axes(text, t, &axes)) return NULL;
    for (int i = 0; i < axes.n && x; i++) {
        int a = (int)axes.axis[i];
        int64_t n = t.dim[a], first = back ? n / 2 : n - n / 2; /* where the result starts in x */
        x = ops_concatenate(
            (weft_array *[]){ ops_slice_axis(x, a, first, n, 1), ops_slice_axis(x, a, 0, first, 1) }, 2, a);
    }
    return x;
}

#define SHIFT(name, back) \
    OPS_ENTRY(name, (const char *axes), (), (axes)) \
    { \
        return shifted(x, axes, back); \
    } \
    weft_array *(weft_##name)(weft_array * x) { return weft_##name##_(x, NULL, NULL); }
SHIFT(fftshift, false)
SHIFT(ifftshift, true)
