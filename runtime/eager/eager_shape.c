/* eager_shape.c: ops that move elements, and leaves. All but the copies of whole arrays are one strided copy
 * of a box. */
#include "eager_parts.h"

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

void eager_strides(Type t, int64_t stride[WEFT_MAX_RANK])
{
    int64_t step = (int64_t)dtype_bytes((DType)t.dtype);
    for (int i = t.rank - 1; i >= 0; step *= t.dim[i--]) stride[i] = step;
}

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
#undef LINE
        default: break;
        }
}

void eager_copy_box(size_t element_bytes, int rank, const int64_t *dim, char *dst, const int64_t *dst_stride,
                    const char *src, const int64_t *src_stride)
{
    for (int i = 0; i < rank; i++)
        if (dim[i] == 0) return;
    if (rank == 0) {
        memcpy(dst, src, element_bytes);
        return;
    }
    int inner = rank - 1;
    int64_t at[WEFT_MAX_RANK] = { 0 };
    for (;;) {
        copy_line(element_bytes, dim[inner], dst, dst_stride[inner], src, src_stride[inner]);
        int k = inner - 1;
        for (; k >= 0; k--) {
            dst += dst_stride[k];
            src += src_stride[k];
            if (++at[k] < dim[k]) break;
            dst -= dst_stride[k] * dim[k];
            src -= src_stride[k] * dim[k];
            at[k] = 0;
        }
        if (k < 0) return;
    }
}

/* The result is dense; element 0 of it comes from src. */
static void gather_box(Type out_type, void *out, const char *src, const int64_t *src_stride)
{
    int64_t stride[WEFT_MAX_RANK];
    eager_strides(out_type, stride);
    eager_copy_box(dtype_bytes((DType)out_type.dtype), out_type.rank, out_type.dim, out, stride, src,
                   src_stride);
}

static void broadcast(const int64_t *axes, Type a, const void *src, Type out_type, void *out)
{
    int64_t from[WEFT_MAX_RANK], stride[WEFT_MAX_RANK] = { 0 };
    eager_strides(a, from);
    for (int i = 0; i < a.rank; i++)
        if (a.dim[i] != 1) stride[axes[i]] = from[i];
    gather_box(out_type, out, src, stride);
}

static void transpose(const int64_t *perm, Type a, const void *src, Type out_type, void *out)
{
    int64_t from[WEFT_MAX_RANK], stride[WEFT_MAX_RANK];
    eager_strides(a, from);
    for (int i = 0; i < a.rank; i++) stride[i] = from[perm[i]];
    gather_box(out_type, out, src, stride);
}

static void slice(const int64_t *attr, Type a, const char *src, Type out_type, void *out)
{
    if (eager_count(out_type) == 0) return;
    const int64_t *start = attr, *step = attr + 2 * a.rank;
    int64_t stride[WEFT_MAX_RANK];
    eager_strides(a, stride);
    for (int i = 0; i < a.rank; i++) {
        src += start[i] * stride[i];
        stride[i] *= step[i];
    }
    gather_box(out_type, out, src, stride);
}

static void reverse(const int64_t *axes, uint32_t n, Type a, const char *src, Type out_type, void *out)
{
    if (eager_count(out_type) == 0) return;
    int64_t stride[WEFT_MAX_RANK];
    eager_strides(a, stride);
    for (uint32_t k = 0; k < n; k++) {
        int64_t i = axes[k];
        src += (a.dim[i] - 1) * stride[i];
        stride[i] = -stride[i];
    }
    gather_box(out_type, out, src, stride);
}

/* Operand index i of an axis lands at low + i * (interior + 1); what falls outside is cut. */
static void pad(const int64_t *attr, Type a, const char *src, const void *filler, Type out_type, char *out)
{
    const int64_t *low = attr, *interior = attr + 2 * a.rank;
    int64_t from[WEFT_MAX_RANK], to[WEFT_MAX_RANK], dim[WEFT_MAX_RANK];
    size_t bytes = dtype_bytes((DType)a.dtype);
    eager_fill(bytes, eager_count(out_type), filler, out);
    if (eager_count(out_type) == 0) return;
    eager_strides(a, from);
    eager_strides(out_type, to);
    for (int i = 0; i < a.rank; i++) {
        int64_t step = a.dim[i] > 1 ? interior[i] + 1 : 1;
        int64_t first = low[i] < 0 ? -(low[i] + 1) / step + 1 : 0;
        if (first >= a.dim[i]) return;
        int64_t room = out_type.dim[i] - 1 - low[i]; /* the last place, counted from operand index 0 */
        int64_t last = room < 0 ? -1 : room / step;
        if (last > a.dim[i] - 1) last = a.dim[i] - 1;
        if (last < first) return;
        dim[i] = last - first + 1;
        src += first * from[i];
        out += (low[i] + first * step) * to[i];
        to[i] *= step;
    }
    eager_copy_box(bytes, a.rank, dim, out, to, src, from);
}

static void concatenate(int64_t axis, uint32_t n, const Type *arg_types, const void *const *args,
                        Type out_type, char *out)
{
    int64_t to[WEFT_MAX_RANK], from[WEFT_MAX_RANK];
    eager_strides(out_type, to);
    for (uint32_t k = 0; k < n; k++) {
        if (eager_count(arg_types[k]) == 0) continue;
        eager_strides(arg_types[k], from);
        eager_copy_box(dtype_bytes((DType)out_type.dtype), out_type.rank, arg_types[k].dim, out, to, args[k],
                       from);
        out += arg_types[k].dim[axis] * to[axis];
    }
}

/* The indices are written once, at the start of the axis's first line, then spread. */
static void iota(int64_t axis, Type out_type, char *out)
{
    if (eager_count(out_type) == 0) return;
    DType t = (DType)out_type.dtype;
    int64_t stride[WEFT_MAX_RANK], lines = 1;
    eager_strides(out_type, stride);
    for (int i = 0; i < axis; i++) lines *= out_type.dim[i];
    size_t bytes = dtype_bytes(t), inner = (size_t)stride[axis] / bytes;
    for (int64_t i = 0; i < out_type.dim[axis]; i++) {
        uint64_t v = scalar_from_i64(t, i);
        eager_fill(bytes, inner, &v, out + i * stride[axis]);
    }
    size_t block = (size_t)(out_type.dim[axis] * stride[axis]);
    for (int64_t k = 1; k < lines; k++) memcpy(out + (size_t)k * block, out, block);
}

void eager_shape(const NodeSpec *spec, const Type *arg_types, const void *const *args, Type out_type,
                 void *out)
{
    const int64_t *attr = spec->attr;
    switch (spec->op) {
    case OP_IOTA: iota(attr[0], out_type, out); return;
    case OP_CONSTANT:
        if (attr[0]) eager_fill(dtype_bytes((DType)out_type.dtype), eager_count(out_type), spec->data, out);
        else eager_copy_bytes(out, spec->data, eager_bytes(out_type));
        return;
    case OP_BROADCAST:   broadcast(attr, arg_types[0], args[0], out_type, out); return;
    case OP_TRANSPOSE:   transpose(attr, arg_types[0], args[0], out_type, out); return;
    case OP_SLICE:       slice(attr, arg_types[0], args[0], out_type, out); return;
    case OP_REVERSE:     reverse(attr, spec->n_attr, arg_types[0], args[0], out_type, out); return;
    case OP_PAD:         pad(attr, arg_types[0], args[0], args[1], out_type, out); return;
    case OP_CONCATENATE: concatenate(attr[0], spec->n_args, arg_types, args, out_type, out); return;
    default:             eager_copy_bytes(out, args[0], eager_bytes(out_type)); return; /* RESHAPE, RESULT */
    }
}
