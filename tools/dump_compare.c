/* dump_compare.c: how far apart two arrays are. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include "dump.h"

/* Numbers of an array: elements, or the parts of complex ones. */
static DType part_of(Type t) { return dtype_part((DType)t.dtype); }
static int64_t parts(Type t) { return part_of(t) == (DType)t.dtype ? 1 : 2; }

static uint64_t load(DType d, const void *p, int64_t i)
{
    return scalar_load(d, (const char *)p + (size_t)i * dtype_bytes(d));
}

static double value(DType d, const void *p, int64_t i) { return scalar_to_double(d, load(d, p, i)); }

double dump_largest(Type t, const void *p)
{
    double largest = 0;
    for (int64_t i = 0; i < parts(t) * type_count(t); i++) {
        double x = fabs(value(part_of(t), p, i));
        if (isfinite(x) && x > largest) largest = x;
    }
    return largest;
}

/* Integers that a double does not tell apart are at least 1 apart. */
static double apart(DType d, const void *got, const void *wanted, int64_t i)
{
    double x = value(d, got, i), y = value(d, wanted, i), far = fabs(x - y);
    if (!dtype_is_float(d)) return load(d, got, i) == load(d, wanted, i) ? 0 : fmax(far, 1);
    if (x == y || (isnan(x) && isnan(y))) return 0;
    return isfinite(x) && isfinite(y) ? far : INFINITY;
}

Difference dump_compare(Type t, const void *got, const void *wanted, double atol, double rtol)
{
    DType d = part_of(t);
    int64_t n = parts(t), last = -1;
    double beyond = -INFINITY;
    Difference r = { .equal = true };
    for (int64_t i = 0; i < n * type_count(t); i++) {
        double far = apart(d, got, wanted, i), size = fabs(value(d, wanted, i)),
               allowed = atol + (isfinite(size) ? rtol * size : 0);
        r.equal &= load(d, got, i) == load(d, wanted, i);
        if (far > allowed && i / n != last) r.wrong++, last = i / n;
        if (!(far - allowed > beyond)) continue;
        beyond = far - allowed;
        r.worst = i / n, r.apart = far, r.allowed = allowed;
    }
    return r;
}

/* With as many digits as tell it from its neighbours. */
static const char *number(Arena *a, DType d, const void *p, int64_t i)
{
    uint64_t bits = load(d, p, i);
    if (d == WEFT_BOOL) return bits ? "true" : "false";
    if (!dtype_is_float(d))
        return dtype_is_signed(d) ? arena_printf(a, "%" PRId64, (int64_t)bits)
                                  : arena_printf(a, "%" PRIu64, bits);
    return arena_printf(a, "%.*g", d == WEFT_F64 ? 17 : d == WEFT_F32 ? 9 : 5, scalar_to_double(d, bits));
}

static const char *element(Arena *a, Type t, const void *p, int64_t i)
{
    DType d = part_of(t);
    if (parts(t) == 1) return number(a, d, p, i);
    return arena_printf(a, "(%s, %s)", number(a, d, p, 2 * i), number(a, d, p, 2 * i + 1));
}

const char *dump_pair(Arena *a, Type t, const void *got, const void *wanted, int64_t i)
{
    const char *index = "";
    for (int64_t d = t.rank - 1, rest = i; d >= 0; rest /= t.dim[d--])
        index = arena_printf(a, "%" PRId64 "%s%s", rest % t.dim[d], *index ? "," : "", index);
    return arena_printf(a, "[%s]: %s, wanted %s", index, element(a, t, got, i), element(a, t, wanted, i));
}
