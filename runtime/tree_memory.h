/* tree_memory.h: memory for what pointers in structs point to. It belongs to a scope, as arrays do. */
#ifndef WEFT_RUNTIME_TREE_MEMORY_H
#define WEFT_RUNTIME_TREE_MEMORY_H
#include "tree.h"

/* Zeroed memory of the current scope of the Local that user is: a TreeRoom's take. NULL: refused, no error set. */
void *tree_memory_take(void *local, size_t bytes);
#endif
