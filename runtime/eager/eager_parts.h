/* eager_parts.h: what the files of eager mode share: strided copies, and one function per
 * kind of op. */
#ifndef WEFT_EAGER_EAGER_PARTS_H
#define WEFT_EAGER_EAGER_PARTS_H
#include <string.h>
#include "compiler/scalar/kernels.h"
#include "eager.h"

/* memcpy that takes NULL for nothing. */
static inline void eager_copy_bytes(void *dst, const void *src, size_t bytes)
{
    if (bytes) memcpy(dst, src, bytes);
}
/* Writes the element at src n times. */
void eager_fill(size_t element_bytes, size_t n, const void *src, void *dst);

/* Copies a box of elements; strides are in bytes and may be zero or negative; dst and src point to the box's
 * first element. */
void eager_copy_box(size_t element_bytes, int rank, const int64_t *dim, char *dst, const int64_t *dst_stride,
                    const char *src, const int64_t *src_stride);
/* Byte strides of a dense row-major array. */
void eager_strides(Type t, int64_t stride[WEFT_MAX_RANK]);

/* Steps through the positions of a box in row-major order, with up to three offsets beside. False after the
 * last; then it stands at the first again. */
enum { ODOMETER_OFFSETS = 3 };
typedef struct Odometer {
    int rank;
    int64_t dim[WEFT_MAX_RANK], at[WEFT_MAX_RANK], stride[ODOMETER_OFFSETS][WEFT_MAX_RANK],
        offset[ODOMETER_OFFSETS];
} Odometer;
bool odometer_next(Odometer *);
static inline bool odometer_empty(const Odometer *o)
{
    for (int i = 0; i < o->rank; i++)
        if (o->dim[i] == 0) return true;
    return false;
}

/* An index of any int type; those above int64 are its greatest. */
int64_t eager_load_index(DType t, const void *p);
static inline bool eager_contains(const int64_t *list, int n, int64_t v)
{
    for (int i = 0; i < n; i++)
        if (list[i] == v) return true;
    return false;
}

/* Scratch memory. Asking for nothing gives a valid pointer. NULL means refused. */
void *eager_take(const Allocator *, size_t bytes);
void eager_drop(const Allocator *, void *p, size_t bytes);
/* Element count and bytes of a type that infer accepted. */
size_t eager_count(Type t);
size_t eager_bytes(Type t);
bool eager_out_of_memory(Failure *f, size_t bytes);

/* The kinds. What cannot run out of memory returns nothing. */
void eager_ew(const NodeSpec *, const Type *arg_types, const void *const *args, Type out_type, void *out);
void eager_shape(const NodeSpec *, const Type *arg_types, const void *const *args, Type out_type, void *out);
void eager_gather(const NodeSpec *, const Type *arg_types, const void *const *args, Type out_type, void *out);
bool eager_reduce(const NodeSpec *, const Type *arg_types, const void *const *args, Type out_type, void *out,
                  const Allocator *, Failure *);
bool eager_arg_reduce(const NodeSpec *, const Type *arg_types, const void *const *args, Type out_type,
                      void *out, const Allocator *, Failure *);
bool eager_dot(const NodeSpec *, const Type *arg_types, const void *const *args, Type out_type, void *out,
               const Allocator *, Failure *);
bool eager_cumulative(const NodeSpec *, Type, const void *arg, void *out, const Allocator *, Failure *);
void eager_dynamic_slice(const Type *arg_types, const void *const *args, Type out_type, void *out);
void eager_dynamic_update_slice(const Type *arg_types, const void *const *args, void *out);
void eager_rng_bits(const NodeSpec *, const void *state, const Type *out_types, void *const *outs);
/* Those with regions, and of several results. */
typedef bool EagerWithRegion(const NodeSpec *, const Type *arg_types, const void *const *args,
                             const Type *out_types, void *const *outs, const Allocator *, Failure *);
EagerWithRegion eager_reduce_region, eager_reduce_window, eager_select_and_scatter, eager_scatter, eager_sort,
    eager_map, eager_while, eager_case, eager_scan;
/* eager_op where there is stack enough: inside of another op. */
EagerWithRegion eager_here;
#endif
