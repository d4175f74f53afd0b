/* backend.h: the door between libweft and the compiler back end, a shared object of its own that is opened on
 * the first compile. Plain structs both ways; nothing of LLVM shows. Calls may come from several threads
 * at once. */
#ifndef WEFT_COMPILER_BACKEND_H
#define WEFT_COMPILER_BACKEND_H
#include <stdlib.h>
#include "compiler/program/program.h"

enum {
    BACKEND_IR = 1, /* what to give besides the objects */
    BACKEND_ASM = 2,
    OBJECT_ALIGN = 8
};

typedef struct BackendOutput {
    /* relocatable ELF objects, one after the other, each at a multiple of OBJECT_ALIGN bytes, without symbols
     * that none of them defines; the entry is "weft_entry" (EntryFn) */
    void *object;
    size_t object_bytes;
    size_t stack_bytes;         /* of the thread's stack that the objects' own functions take */
    char *ir, *assembly;        /* if asked for: NUL-terminated */
    double emit_us, codegen_us; /* what each part took */
    char error[512];            /* if the call failed */
} BackendOutput;                /* what it points to is malloc's; backend_release */

static inline void backend_release(BackendOutput *o)
{
    free(o->object);
    free(o->ir);
    free(o->assembly);
    *o = (BackendOutput){ .object = NULL };
}

typedef struct Backend {
    const char *build_id;                       /* must equal libweft's WEFT_BUILD_ID */
    bool (*host)(Target *);                     /* the machine it runs on */
    bool (*target)(const char *text, Target *); /* "host", "avx512", "avx2", "sse2", "aarch64" */
    /* workers: who compiles parts of a large program side by side; NULL: the caller alone */
    bool (*compile)(const Program *, const Target *, unsigned also, const Workers *workers, BackendOutput *);
    void (*release)(BackendOutput *);
} Backend;

/* The one exported symbol of the back end: */
typedef const Backend *BackendDoor(void);
#define BACKEND_DOOR_NAME "weft_backend"
#endif
