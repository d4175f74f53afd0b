/* ops_convolve.c: weft_convolve and weft_correlate of vectors (weft/fft.h): weft_conv of one feature. */
#include "ops_compose.h"
#include "weft/fft.h"
#include <stdio.h>
#include <string.h>

static weft_array *turned(weft_array *x) { return x ? weft_flip_(x, NULL, NULL) : NULL; }

/* w slid along x, which is at least as long. */
static weft_array *slid(weft_array *x, weft_array *w, const char *mode)
{
    if (!x || !w) return NULL;
    int64_t n = array_type(x).dim[0], m = array_type(w).dim[0], low = 0, high = 0;
    if (!strcmp(mode, "full")) low = high = m - 1;
    else if (!strcmp(mode, "same")) {
        low = m / 2;
        high = m - 1 - low;
    }
    char pad[48];
    snprintf(pad, sizeof pad, "%lld:%lld", (long long)low, (long long)high);
    weft_array *line = ops_reshape(x, (int64_t[]){ n, 1 }, 2);
    weft_array *weights = ops_reshape(w, (int64_t[]){ m, 1, 1 }, 3);
    if (!line || !weights) return NULL;
    weft_array *r = weft_conv_(line, weights, (weft_convolution){ .pad = pad }, NULL);
    return r ? ops_reshape(r, array_type(r).dim, 1) : NULL;
}

static bool can_slide(Type a, Type v, const char *mode)
{
    if (!ops_is_text(mode, "mode", NULL)) return false;
    if (mode && strcmp(mode, "full") && strcmp(mode, "same") && strcmp(mode, "valid"))
        return op_fail(WEFT_ARGUMENT, "the mode \"%.40s\" is not known (\"full\", \"same\", \"valid\")",
                       mode);
    if (a.rank != 1 || v.rank != 1)
        return op_fail(WEFT_SHAPE, "%s and %s must be vectors", TYPE_TEXT(a), TYPE_TEXT(v));
    if (!a.dim[0] || !v.dim[0])
        return op_fail(WEFT_SHAPE, "%s and %s: a vector has no elements", TYPE_TEXT(a), TYPE_TEXT(v));
    return true;
}

OPS_ENTRY(convolve, (const weft_array *v, const char *mode), (weft_of_array(v)), (v, mode))
{
    weft_array *w = ops_in(v);
    if (!can_slide(array_type(x), array_type(w), mode)) return NULL;
    bool longer = array_type(w).dim[0] > array_type(x).dim[0];
    return slid(longer ? w : x, turned(longer ? x : w), mode ? mode : "full");
}

OPS_ENTRY(correlate, (const weft_array *v, const char *mode), (weft_of_array(v)), (v, mode))
{
    weft_array *w = ops_in(v);
    if (!can_slide(array_type(x), array_type(w), mode)) return NULL;
    if (!mode) mode = "full";
    bool longer = array_type(w).dim[0] > array_type(x).dim[0];
    if (dtype_is_complex(ops_dtype(w))) w = weft_conj_(weft_of_array(w), NULL);
    return longer ? turned(slid(w, x, mode)) : slid(x, w, mode);
}
