/* loader.h: relocatable ELF objects made executable in this process. */
#ifndef WEFT_EXEC_LOADER_H
#define WEFT_EXEC_LOADER_H
#include "compiler/graph/graph.h"

typedef struct Loaded {
    void *entry; /* the symbol asked for */
    void *pages;
    size_t bytes; /* one mapping: code pages (read, execute), then data pages (read) */
} Loaded;

/* Checks the objects (BackendOutput.object; 64-bit little-endian ELF, relocatable, for this machine), lays
 * out their sections, applies relocations and maps them. Anything malformed, a symbol that none of them
 * defines or two do, writable data or an unknown relocation is refused with WEFT_COMPILER and words; no
 * memory: WEFT_MEMORY. The entry is in the first. */
bool loader_load(const void *object, size_t bytes, const char *entry, Loaded *out, Failure *f);
void loader_unload(Loaded *);

typedef void LoadedFunction(void *user, const char *name, const void *code, size_t bytes);
/* Calls back for each function of the objects that were loaded so. */
void loader_functions(const void *object, size_t bytes, const Loaded *, LoadedFunction *, void *user);
#endif
