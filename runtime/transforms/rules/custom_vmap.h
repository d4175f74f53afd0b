/* custom_vmap.h: what every caller of vmap_graph hands it, so that the user's own batching rules are
 * found. */
#ifndef WEFT_TRANSFORMS_CUSTOM_VMAP_H
#define WEFT_TRANSFORMS_CUSTOM_VMAP_H
#include "runtime/memory/context.h"
#include "compiler/vmap/vmap.h"

/* For maps on this thread, within its running trace. It calls user code, with the arena that is mapped in
 * untouched meanwhile, and never leaves by that arena's guard. */
VmapCaller custom_vmap_caller(Local *);
#endif
