/* type.c: see type.h. */
#include "type.h"
#include <stdio.h>
#include <string.h>

Type type_stacked(Arena *a, Type t, int64_t n)
{
    int64_t *dim = arena_alloc(a, (t.rank + 1u) * sizeof *dim);
    dim[0] = n;
    if (t.rank) memcpy(dim + 1, t.dim, t.rank * sizeof *dim);
    return (Type){ t.dtype, (uint8_t)(t.rank + 1), dim };
}

char *type_text(char *buf, size_t size, Type t)
{
    static const char tail[] = ",...]";
    if (size == 0) return buf;
    size_t used = (size_t)snprintf(buf, size, "%s", dtype_name((DType)t.dtype));
    for (int i = 0; i < t.rank && used < size; i++) {
        char axis[24];
        size_t n = (size_t)snprintf(axis, sizeof axis, "%c%lld", i ? ',' : '[', (long long)t.dim[i]);
        if (i && used + n + sizeof tail > size) {
            snprintf(buf + used, size - used, "%s", tail);
            return buf;
        }
        snprintf(buf + used, size - used, "%s", axis);
        used += n;
    }
    if (t.rank && used < size) snprintf(buf + used, size - used, "]");
    return buf;
}

/* Axes of size 0 do not hide an overflow of the others, so strides never overflow either. */
int64_t type_count(Type t)
{
    int64_t n = 1, bytes;
    bool empty = false;
    for (int i = 0; i < t.rank; i++) {
        if (t.dim[i] == 0) empty = true;
        else if (__builtin_mul_overflow(n, t.dim[i], &n)) return -1;
    }
    if (__builtin_mul_overflow(n, (int64_t)dtype_bytes((DType)t.dtype), &bytes)) return -1;
    return empty ? 0 : n;
}

const char *type_overflow(Type t)
{
    for (int i = 0; i < t.rank; i++)
        if (t.dim[i] == 0) return "has more bytes than 63 bits can count where its sizes of 0 are left out";
    return "has more bytes than 63 bits can count";
}
