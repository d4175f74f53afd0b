/* fuse.h: from graph to fused program: what is computed where, in which loops, and what is written to
 * memory. This is the door for callers; fuse_state.h is what the files of this folder share. */
#ifndef WEFT_FUSE_FUSE_H
#define WEFT_FUSE_FUSE_H
#include "compiler/program/program.h"
/* The graph is simplified already, and nothing in it is complex (planes/planes.h); bit i of donated: input i
 * may be overwritten. Never fails but for memory: every such graph has a program. */
Program *fuse(Arena *, const Graph *, const Target *, NumericMode, uint64_t donated);
#endif
