/* loaded.h: programs that others wrote, as loaded.c reads them for whoever compiles or inlines them. */
#ifndef WEFT_CALL_LOADED_H
#define WEFT_CALL_LOADED_H
#include "compiler/text/text.h"
#include "runtime/memory/memory.h"

enum { LOADED_STACK = 256 << 10 }; /* what parsing takes */

/* A text's func main, or its only one that can be called, raised. */
typedef struct Loaded {
    const char *name; /* the module's, or "main" */
    const Graph *graph;
    const bool *donated;      /* by parameter */
    const uint8_t *narrow[2]; /* by parameter, by result: compiler/text/narrow.h; NULL: none */
    const Exported *exported; /* NULL: not written by jax.export; points into the text */
} Loaded;
/* name stands for the file in messages, or is NULL. False: f set. The arena's guard is set. */
bool loaded_parse(Arena *, const char *chars, size_t n, const char *name, Loaded *, Failure *f);
/* All of the file; *room for memory_free. NULL: f set. */
char *loaded_read(Memory *, const char *path, size_t *n, size_t *room, Failure *f);
#endif
