/* custom_vmap.h: what every caller of vmap_graph hands it, so that the user's own batching rules are
 * found. */
#ifndef WEFT_TRANSFORMS_CUSTOM_VMAP_H
#define WEFT_TRANSFORMS_CUSTOM_VMAP_H
#include "runtime/memory/context.h"
#include "compiler/vmap/vmap.h"

/* For maps on this thread, in its running trace. The arena that is mapped in is not touched while user code
 * runs, and its guard is never jumped to. */
VmapCaller custom_vmap_caller(Local *);
#endif
