/* eager_shape.c: ops that move elements, and leaves. All but the copies of whole arrays are one strided copy
 * of a box. */
#include "eager.h"

typedef struct Element16 {
    uint64_t half[2];
} Element16;

void eager_fill(size_t element_bytes, size_t n, const void *src, void *dst)
{
    switch (element_bytes) {
#define FILL(BYTES, U) \
    case BYTES: { \
        U v; \
        memcpy(&v, src, BYTES); \
        U *d = dst; \
        for (size_t i = 0; i < n; i++) d[i] = v; \
        return; \
    }
        FILL(1, uint8_t)
        FILL(2, uint16_t)
        FILL(4, uint32_t)
        FILL(8, uint64_t)
        FILL(16, Element16)
#undef FILL
    default: return;
    }
}

size_t eager_count(Type t)
{
    size_t n = 1;
    for (int i = 0; i < t.rank; i++) n *= (size_t)t.dim[i];
    return n;
}

size_t eager_bytes(Type t) { return eager_count(t) * dtype_bytes((DType)t.dtype); }

static void strides(Type t, int64_t step, int64_t *stride)
{
    for (int i = t.rank - 1; i >= 0; step *= t.dim[i--]) stride[i] = step;
}

void eager_strides(Type t, int64_t stride[WEFT_MAX_RANK])
{
    strides(t, (int64_t)dtype_bytes((DType)t.dtype), stride);
}

void eager_element_strides(Type t, int64_t stride[WEFT_MAX_RANK]) { strides(t, 1, stride); }

bool odometer_next(Odometer *o)
{
    for (int k = o->rank - 1; k >= 0; k--) {
        for (int j = 0; j < ODOMETER_OFFSETS; j++) o->offset[j] += o->stride[j][k];
        if (++o->at[k] < o->dim[k]) return true;
        for (int j = 0; j < ODOMETER_OFFSETS; j++) o->offset[j] -= o->stride[j][k] * o->dim[k];
        o->at[k] = 0;
    }
    return false;
}

/* One line of a box. */
static void copy_line(size_t element_bytes, int64_t n, char *dst, int64_t dst_stride, const char *src,
                      int64_t src_stride)
{
    int64_t bytes = (int64_t)element_bytes;
    if (dst_stride == bytes && src_stride == bytes) memcpy(dst, src, (size_t)(n * bytes));
    else if (dst_stride == bytes && src_stride == 0) eager_fill(element_bytes, (size_t)n, src, dst);
    else switch (element_bytes) {
#define LINE(BYTES) \
    case BYTES: \
        for (int64_t i = 0; i < n; i++) memcpy(dst + i * dst_stride, src + i * src_stride, BYTES); \
        break;
            LINE(1)
            LINE(2)
            LINE(4)
            LINE(8)
            LINE(16)
#undef LINE
        default: break;
        }
}

void eager_copy_box(size_t element_bytes, int rank, const int64_t *dim, char *dst, const int64_t *dst_stride,
                    const char *src, const int64_t *src_stride)
{
    for (int i = 0; i < rank; i++)
        if (dim[i] == 0) return;
    while (rank > 0 && dim[rank - 1] == 1) rank--; /* lines are the last axis that is longer */
    if (rank == 0) {
        memcpy(dst, src, element_bytes);
        return;
    }
    int inner = rank - 1;
    Odometer o = { .rank = inner };
    for (int i = 0; i < inner; i++) {
        o.dim[i] = dim[i];
        o.stride[0][i] = dst_stride[i];
        o.stride[1][i] = src_stride[i];
    }
    do
        copy_line(element_bytes, dim[inner], dst + o.offset[0], dst_stride[inner], src + o.offset[1],
                  src_stride[inner]);
    while (odometer_next(&o));
}

/* The result is dense; element 0 of it comes from src. */
static bool gather_box(const EagerCall *c, const char *src, const int64_t *src_stride)
{
    Type to = c->out_types[0];
    int64_t stride[WEFT_MAX_RANK];
    eager_strides(to, stride);
    eager_copy_box(dtype_bytes((DType)to.dtype), to.rank, to.dim, c->outs[0], stride, src, src_stride);
    return true;
}

bool eager_broadcast(const EagerCall *c)
{
    Type a = c->arg_types[0];
    int64_t from[WEFT_MAX_RANK], stride[WEFT_MAX_RANK] = { 0 };
    eager_strides(a, from);
    for (int i = 0; i < a.rank; i++)
        if (a.dim[i] != 1) stride[c->spec->attr[i]] = from[i];
    return gather_box(c, c->args[0], stride);
}

bool eager_transpose(const EagerCall *c)
{
    Type a = c->arg_types[0];
    int64_t from[WEFT_MAX_RANK], stride[WEFT_MAX_RANK];
    eager_strides(a, from);
    for (int i = 0; i < a.rank; i++) stride[i] = from[c->spec->attr[i]];
    return gather_box(c, c->args[0], stride);
}

bool eager_slice(const EagerCall *c)
{
    Type a = c->arg_types[0];
    const int64_t *start = c->spec->attr, *step = start + 2 * a.rank;
    const char *src = c->args[0];
    int64_t stride[WEFT_MAX_RANK];
    eager_strides(a, stride);
    for (int i = 0; i < a.rank; i++) {
        src += start[i] * stride[i];
        stride[i] *= step[i];
    }
    return gather_box(c, src, stride);
}

bool eager_reverse(const EagerCall *c)
{
    Type a = c->arg_types[0];
    const char *src = c->args[0];
    int64_t stride[WEFT_MAX_RANK];
    eager_strides(a, stride);
    for (uint32_t k = 0; k < c->spec->n_attr; k++) {
        int64_t i = c->spec->attr[k];
        src += (a.dim[i] - 1) * stride[i];
        stride[i] = -stride[i];
    }
    return gather_box(c, src, stride);
}

/* Operand index i of an axis lands at low + i * (interior + 1); what falls outside is cut. */
bool eager_pad(const EagerCall *c)
{
    Type a = c->arg_types[0], out_type = c->out_types[0];
    const int64_t *low = c->spec->attr, *interior = low + 2 * a.rank;
    const char *src = c->args[0];
    char *out = c->outs[0];
    int64_t from[WEFT_MAX_RANK], to[WEFT_MAX_RANK], dim[WEFT_MAX_RANK];
    size_t bytes = dtype_bytes((DType)a.dtype);
    eager_fill(bytes, eager_count(out_type), c->args[1], out);
    eager_strides(a, from);
    eager_strides(out_type, to);
    for (int i = 0; i < a.rank; i++) {
        int64_t step = a.dim[i] > 1 ? interior[i] + 1 : 1;
        int64_t first = low[i] < 0 ? -(low[i] + 1) / step + 1 : 0;
        if (first >= a.dim[i]) return true;
        int64_t room = out_type.dim[i] - 1 - low[i]; /* the last place, counted from operand index 0 */
        int64_t last = room < 0 ? -1 : room / step;
        if (last > a.dim[i] - 1) last = a.dim[i] - 1;
        if (last < first) return true;
        dim[i] = last - first + 1;
        src += first * from[i];
        out += (low[i] + first * step) * to[i];
        to[i] *= step;
    }
    eager_copy_box(bytes, a.rank, dim, out, to, src, from);
    return true;
}

bool eager_concatenate(const EagerCall *c)
{
    Type out_type = c->out_types[0];
    int64_t axis = c->spec->attr[0], to[WEFT_MAX_RANK], from[WEFT_MAX_RANK];
    char *out = c->outs[0];
    eager_strides(out_type, to);
    for (uint32_t k = 0; k < c->spec->n_args; k++) {
        Type a = c->arg_types[k];
        eager_strides(a, from);
        eager_copy_box(dtype_bytes((DType)a.dtype), a.rank, a.dim, out, to, c->args[k], from);
        out += a.dim[axis] * to[axis];
    }
    return true;
}

bool eager_reshape(const EagerCall *c)
{
    eager_copy_bytes(c->outs[0], c->args[0], eager_bytes(c->out_types[0]));
    return true;
}

static bool constant(const EagerCall *c)
{
    const NodeSpec *spec = c->spec;
    Type t = c->out_types[0];
    if (spec->attr[0]) eager_fill(dtype_bytes((DType)t.dtype), eager_count(t), spec->data, c->outs[0]);
    else eager_copy_bytes(c->outs[0], spec->data, eager_bytes(t));
    return true;
}

/* The indices are written once, at the start of the axis's first line, then spread. */
static bool iota(const EagerCall *c)
{
    Type out_type = c->out_types[0];
    DType t = (DType)out_type.dtype;
    char *out = c->outs[0];
    int64_t axis = c->spec->attr[0], stride[WEFT_MAX_RANK], lines = 1;
    eager_strides(out_type, stride);
    for (int i = 0; i < axis; i++) lines *= out_type.dim[i];
    size_t bytes = dtype_bytes(t), inner = (size_t)stride[axis] / bytes;
    for (int64_t i = 0; i < out_type.dim[axis]; i++) {
        uint64_t v = scalar_from_i64(t, i);
        eager_fill(bytes, inner, &v, out + i * stride[axis]);
    }
    size_t block = (size_t)(out_type.dim[axis] * stride[axis]);
    for (int64_t k = 1; k < lines; k++) memcpy(out + (size_t)k * block, out, block);
    return true;
}

bool eager_leaf(const EagerCall *c) { return c->spec->op == OP_IOTA ? iota(c) : constant(c); }
