/* eager_dot.c: dot_general. Both operands are copied into a plain order, lhs [batch, free, contracting] and
 * rhs [batch, contracting, free], in the type of the accumulators; then three loops. The innermost runs over
 * results, so that each result keeps one accumulator that sees its products in order.
 */
#include "eager.h"

#define MULTIPLY_ADD(NAME, T, ...) \
    static void multiply_add_##NAME(size_t n, void *pacc, const void *pa, const void *pb) \
    { \
        T *restrict acc = pacc; \
        const T *restrict b = pb; \
        T a = *(const T *)pa; \
        for (size_t j = 0; j < n; j++) acc[j] = (T)(__VA_ARGS__); \
    }
#define INT_MULTIPLY_ADD(NAME, T, W) MULTIPLY_ADD(NAME, T, (W)acc[j] + (W)a * (W)b[j])
MULTIPLY_ADD(BOOL, uint8_t, acc[j] | (a & b[j]))
INT_MULTIPLY_ADD(8, uint8_t, uint32_t)
INT_MULTIPLY_ADD(16, uint16_t, uint32_t)
INT_MULTIPLY_ADD(32, uint32_t, uint32_t)
INT_MULTIPLY_ADD(64, uint64_t, uint64_t)
MULTIPLY_ADD(F32, float, acc[j] + a * b[j])
MULTIPLY_ADD(F64, double, acc[j] + a * b[j])

MultiplyAdd *const eager_multiply_add[DTYPE_COUNT] = {
    /* products modulo 2^n do not ask for signs */
    [WEFT_BOOL] = multiply_add_BOOL, [WEFT_I8] = multiply_add_8,    [WEFT_I16] = multiply_add_16,
    [WEFT_I32] = multiply_add_32,    [WEFT_I64] = multiply_add_64,  [WEFT_U8] = multiply_add_8,
    [WEFT_U16] = multiply_add_16,    [WEFT_U32] = multiply_add_32,  [WEFT_U64] = multiply_add_64,
    [WEFT_F32] = multiply_add_F32,   [WEFT_F64] = multiply_add_F64,
};

/* An operand's axes in the order they are packed, and the sizes of the three groups. */
typedef struct DotOrder {
    int axes[WEFT_MAX_RANK];
    size_t batch, free, contracting;
} DotOrder;

static int put_axes(DotOrder *p, int at, const int64_t *axes, int64_t n, Type t, bool *seen, size_t *size)
{
    for (int64_t i = 0; i < n; i++) {
        p->axes[at++] = (int)axes[i];
        seen[axes[i]] = true;
        *size *= (size_t)t.dim[axes[i]];
    }
    return at;
}

static DotOrder pack_order(Type t, const int64_t *batch, int64_t nb, const int64_t *contracting, int64_t nc,
                           bool free_last)
{
    DotOrder p = { .batch = 1, .free = 1, .contracting = 1 };
    bool seen[WEFT_MAX_RANK] = { false };
    int64_t free_axes[WEFT_MAX_RANK], nf = 0;
    int at = put_axes(&p, 0, batch, nb, t, seen, &p.batch);
    for (int64_t i = 0; i < nc; i++) seen[contracting[i]] = true;
    for (int i = 0; i < t.rank; i++)
        if (!seen[i]) free_axes[nf++] = i;
    if (!free_last) at = put_axes(&p, at, free_axes, nf, t, seen, &p.free);
    at = put_axes(&p, at, contracting, nc, t, seen, &p.contracting);
    if (free_last) put_axes(&p, at, free_axes, nf, t, seen, &p.free);
    return p;
}

void eager_pack(const int *axes, Type t, const void *src, DType to, char *dst, char *scratch)
{
    int64_t from[WEFT_MAX_RANK], stride[WEFT_MAX_RANK], dim[WEFT_MAX_RANK], dense[WEFT_MAX_RANK];
    eager_strides(t, from);
    for (int i = 0; i < t.rank; i++) {
        stride[i] = from[axes[i]];
        dim[i] = t.dim[axes[i]];
    }
    eager_strides((Type){ t.dtype, t.rank, dim }, dense);
    bool same = (DType)t.dtype == to;
    eager_copy_box(dtype_bytes((DType)t.dtype), t.rank, dim, same ? dst : scratch, dense, src, stride);
    if (!same) kernel_run_convert((DType)t.dtype, to, eager_count(t), scratch, dst);
}

/* A row of results at a time, in acc, then into out in the result's type. */
static void multiply(const DotOrder *l, const DotOrder *r, DType compute, DType result, const char *lhs,
                     const char *rhs, char *acc, char *out)
{
    size_t bytes = dtype_bytes(compute), row = r->free;
    for (size_t b = 0; b < l->batch; b++, rhs += r->contracting * row * bytes)
        for (size_t i = 0; i < l->free; i++, out += row * dtype_bytes(result)) {
            memset(acc, 0, row * bytes);
            for (size_t k = 0; k < l->contracting; k++, lhs += bytes)
                eager_multiply_add[compute](row, acc, lhs, rhs + k * row * bytes);
            kernel_run_convert(compute, result, row, acc, out);
        }
}

bool eager_dot(const EagerCall *c)
{
    const Type *types = c->arg_types;
    int64_t nb = c->spec->attr[0], nc = c->spec->attr[1];
    const int64_t *axes = c->spec->attr + 2;
    DType result = (DType)c->out_types[0].dtype, compute = compute_type(result);
    DotOrder l = pack_order(types[0], axes, nb, axes + 2 * nb, nc, false);
    DotOrder r = pack_order(types[1], axes + nb, nb, axes + 2 * nb + nc, nc, true);
    size_t bytes = dtype_bytes(compute), of_l = eager_bytes(types[0]), of_r = eager_bytes(types[1]);
    size_t n_lhs = eager_aligned(eager_count(types[0]) * bytes),
           n_rhs = eager_aligned(eager_count(types[1]) * bytes), n_row = eager_aligned(r.free * bytes),
           total = n_lhs + n_rhs + n_row + (of_l > of_r ? of_l : of_r);
    char *lhs = eager_take(c->allocator, total, c->failure);
    if (!lhs) return false;
    char *rhs = lhs + n_lhs, *acc = rhs + n_rhs, *scratch = acc + n_row;
    eager_pack(l.axes, types[0], c->args[0], compute, lhs, scratch);
    eager_pack(r.axes, types[1], c->args[1], compute, rhs, scratch);
    multiply(&l, &r, compute, result, lhs, rhs, acc, c->outs[0]);
    eager_drop(c->allocator, lhs, total);
    return true;
}
