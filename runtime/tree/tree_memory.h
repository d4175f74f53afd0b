/* tree_memory.h: memory for what pointers in structs point to. It belongs to a scope, as arrays do, and can
 * be kept, lifted and freed like them. */
#ifndef WEFT_TREE_TREE_MEMORY_H
#define WEFT_TREE_TREE_MEMORY_H
#include "walk.h"

/* Zeroed memory of the Local's current scope: a TreeRoom's take. NULL: refused, no error set. */
void *tree_memory_take(void *local, size_t bytes);
/* The array that stands for a block in scopes; NULL: this is no block of the context's. */
weft_array *tree_memory_owner(weft_context *, const void *block);
#endif
