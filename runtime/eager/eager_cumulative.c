/* eager_cumulative.c: prefixes of a monoid along an axis, in the order that eager.h lays down.
 *
 * Narrow floats are widened as they are read; the prefix goes on in f32, and each output is rounded on its
 * own.
 */
#include "eager.h"

enum { BLOCK = 16 };

typedef struct Prefix {
    ElementLoop *op;
    DType t, compute;
    uint64_t start;
    bool reverse;
} Prefix;

/* The n elements of x, at most BLOCK of them, become their prefixes, by doubling distances; then the carry
 * goes on the left of each. The last is the new carry. */
static void prefix_block(const Prefix *p, size_t n, char *x, char *carry)
{
    _Alignas(16) char left[BLOCK * 8], sum[BLOCK * 8];
    size_t bytes = dtype_bytes(p->compute);
    for (size_t d = 1; d < n; d *= 2) {
        p->op(n - d, x, x + d * bytes, NULL, sum);
        memcpy(x + d * bytes, sum, (n - d) * bytes);
    }
    eager_fill(bytes, n, carry, left);
    p->op(n, left, x, NULL, sum);
    memcpy(x, sum, n * bytes);
    memcpy(carry, sum + (n - 1) * bytes, bytes);
}

static void flip_block(size_t bytes, size_t n, char *x)
{
    uint64_t t;
    for (size_t i = 0; i < n / 2; i++) {
        memcpy(&t, x + i * bytes, bytes);
        memcpy(x + i * bytes, x + (n - 1 - i) * bytes, bytes);
        memcpy(x + (n - 1 - i) * bytes, &t, bytes);
    }
}

static void prefix_row(const Prefix *p, size_t length, const char *in, char *out)
{
    _Alignas(16) char x[BLOCK * 8];
    uint64_t carry = 0;
    size_t bytes = dtype_bytes(p->t);
    scalar_store(p->compute, &carry, p->start);
    for (size_t i = 0; i < length; i += BLOCK) {
        size_t n = length - i < BLOCK ? length - i : BLOCK, at = p->reverse ? length - i - n : i;
        kernel_run_convert(p->t, p->compute, n, in + at * bytes, x);
        if (p->reverse) flip_block(dtype_bytes(p->compute), n, x);
        prefix_block(p, n, x, (char *)&carry);
        if (p->reverse) flip_block(dtype_bytes(p->compute), n, x);
        kernel_run_convert(p->compute, p->t, n, x, out + at * bytes);
    }
}

/* Along an axis before the last: whole lines of `inner` elements at a time; line holds three of them in the
 * compute type. */
static void prefix_lines(const Prefix *p, size_t length, size_t inner, const char *in, char *out, char *line)
{
    size_t bytes = inner * dtype_bytes(p->t), step = inner * dtype_bytes(p->compute);
    char *carry = line, *x = line + step, *sum = line + 2 * step;
    uint64_t start = 0;
    scalar_store(p->compute, &start, p->start);
    eager_fill(dtype_bytes(p->compute), inner, &start, carry);
    for (size_t i = 0; i < length; i++) {
        size_t at = (p->reverse ? length - 1 - i : i) * bytes;
        kernel_run_convert(p->t, p->compute, inner, in + at, x);
        p->op(inner, carry, x, NULL, sum);
        kernel_run_convert(p->compute, p->t, inner, sum, out + at);
        char *t = carry;
        carry = sum;
        sum = t;
    }
}

bool eager_cumulative(const EagerCall *c)
{
    const int64_t *attr = c->spec->attr;
    Type a = c->arg_types[0];
    Op monoid = (Op)attr[0];
    DType t = (DType)a.dtype, compute = compute_type(t);
    Prefix p = { kernel_of(monoid, compute, NULL), t, compute, monoid_start(monoid, compute), attr[2] };
    int axis = (int)attr[1];
    size_t outer = 1, length = (size_t)a.dim[axis], inner = 1;
    for (int i = 0; i < axis; i++) outer *= (size_t)a.dim[i];
    for (int i = axis + 1; i < a.rank; i++) inner *= (size_t)a.dim[i];
    size_t row = length * inner * dtype_bytes(t),
           line_bytes = axis + 1 < a.rank ? 3 * inner * dtype_bytes(compute) : 0;
    char *line = eager_take(c->allocator, line_bytes, c->failure);
    if (!line) return false;
    for (size_t i = 0; i < outer; i++) {
        const char *in = (const char *)c->args[0] + i * row;
        char *out = (char *)c->outs[0] + i * row;
        if (line_bytes) prefix_lines(&p, length, inner, in, out, line);
        else prefix_row(&p, length, in, out);
    }
    eager_drop(c->allocator, line, line_bytes);
    return true;
}
