/* kernels.h: what each elementwise op does to elements of one type, as loops: eager mode runs them over whole
 * arrays, constant folding over one element. compiler/llvm says the same in LLVM's terms. */
#ifndef WEFT_SCALAR_KERNELS_H
#define WEFT_SCALAR_KERNELS_H
#include "compiler/graph/ops.h"
#include <stddef.h>

/* One op on n elements of dense arrays. The result overlaps no operand. Operands an op does not have are
 * NULL. */
typedef void ElementLoop(size_t n, const void *a, const void *b, const void *c, void *out);

/* The type that the op computes in: f32 for narrow floats, unless it looks at their bits only. t is the
 * operands' type; of SELECT, the values'. */
DType kernel_type(Op, DType t, const int64_t *attr);
/* The loop of an op on elements of a type that it computes in; NULL where it is done another way (recipes,
 * conversions). attr: of COMPARE. */
ElementLoop *kernel_of(Op, DType, const int64_t *attr);
/* Of one conversion; NULL for those that kernel_run_convert does in two steps (int to f16, ...). */
ElementLoop *kernel_convert(DType from, DType to);

/* n elements from one type to another, any pair. */
void kernel_run_convert(DType from, DType to, size_t n, const void *src, void *dst);
#endif
