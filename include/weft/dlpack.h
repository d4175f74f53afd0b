/* weft/dlpack.h: arrays shared with other libraries of the same process (NumPy, PyTorch, ...) by
 * DLPack, without a copy. The struct is that of <dlpack/dlpack.h>, version 1, which is yours to include;
 * Python calls one in a capsule "dltensor_versioned".
 *
 *     struct DLManagedTensorVersioned *t = weft_to_dlpack(a);      lent: t->deleter(t) gives it back
 *     weft_array *b = weft_from_dlpack(ctx, other);                taken: weft calls other's deleter
 */
#ifndef WEFT_DLPACK_H
#define WEFT_DLPACK_H
#include "weft/array.h"
#ifdef __cplusplus
extern "C" {
#endif
struct DLManagedTensorVersioned;

struct DLManagedTensorVersioned *weft_to_dlpack_(weft_array *, const char *at);
weft_array *weft_from_dlpack_(weft_context *, struct DLManagedTensorVersioned *, const char *at);

/* The array's own memory, as a tensor: row-major, read-only, on the CPU. You own the tensor, and end it by
 * its deleter, once, from any thread; it may come after weft_free, scopes and weft_close. The elements stay
 * until then, whatever frees the array, but not beyond weft_close, which frees all memory of the context:
 * nobody may read the tensor afterwards. Nobody may write it ever, since weft's arrays do not change. What
 * weft_borrow was lent without a release function is copied once. NULL: an error; a traced value has no
 * elements. */
#define weft_to_dlpack(a)           weft_to_dlpack_(WEFT_AN_ARRAY_(a), WEFT_HERE)
/* An array of the tensor's elements: of its memory, which must not change any more, if that is row-major
 * without gaps and aligned to its elements; else a copy. The tensor is weft's from now on, also if there is
 * an error: its deleter is called once, when the array's memory is no longer needed, by weft_close at the
 * latest, or, after a copy or an error, before this returns; it is called as an array's release is
 * (weft_borrow). Refused: memory of other devices than the CPU, element types that weft lacks
 * (8-bit floats, vectors), other versions than 1. */
#define weft_from_dlpack(ctx, t)    weft_from_dlpack_(WEFT_A_CONTEXT_(ctx), (t), WEFT_HERE)

#ifdef __cplusplus
}
#endif
#endif
