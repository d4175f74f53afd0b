/* kernels.h: what each elementwise op does to elements of one type, as loops: eager mode runs them over whole
 * arrays, constant folding over one element. compiler/llvm says the same in LLVM's terms. */
#ifndef WEFT_SCALAR_KERNELS_H
#define WEFT_SCALAR_KERNELS_H
#include "compiler/graph/ops.h"
#include <stddef.h>

/* One op on n elements of dense arrays. The result overlaps no operand. Operands an op does not have are
 * NULL. */
typedef void ElementLoop(size_t n, const void *a, const void *b, const void *c, void *out);

/* Of ops whose attributes do not matter, on bool, ints, f32 and f64; NULL where an op is done another way
 * (recipes, narrow floats). */
ElementLoop *kernel_of(Op, DType);
/* t is not a narrow float, unless the order is ORDER_TOTAL, which looks at bits only. */
ElementLoop *kernel_compare(CompareDir, CompareOrder, DType t);
ElementLoop *kernel_select(size_t element_bytes);
/* Of one conversion; NULL for those that kernel_run_convert does in two steps (int to f16, ...). */
ElementLoop *kernel_convert(DType from, DType to);

/* n elements from one type to another, any pair. */
void kernel_run_convert(DType from, DType to, size_t n, const void *src, void *dst);
#endif
