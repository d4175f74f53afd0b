/* loaded.h: programs that others wrote, as loaded.c reads them for whoever compiles or inlines them. */
#ifndef WEFT_CALL_LOADED_H
#define WEFT_CALL_LOADED_H
#include "compiler/text/text.h"
#include "runtime/memory/context.h"

enum { LOADED_STACK = 256 << 10 }; /* what parsing takes */

/* A text's func main, or its only one that can be called, raised. */
typedef struct Loaded {
    const char *name; /* the module's, or "main" */
    const Graph *graph;
    const bool *donated;             /* by parameter */
    const uint8_t *narrow[2];        /* by parameter, by result: compiler/text/narrow.h; NULL: none */
    const char *const *memory[2];    /* by parameter, by result: the kind that the text says; "": none */
    const int64_t *const *layout[2]; /* as in ParsedFunc; the graph itself is of row-major arrays */
    const Exported *exported;        /* NULL: not written by jax.export; points into the text */
    bool calls_host; /* the graph's last output is one that the text has not: did a call fail? */
} Loaded;

/* host.c: functions of the context's that programs may call. The list stays as it is. */
const HostFunction *host_functions(weft_context *);
typedef struct HostOp HostOp;                 /* a call in a program; a list of them */
void host_ops_end(HostOp *);                  /* the program goes */
void host_ops_keep(weft_context *, HostOp *); /* it stays as long as the context */
void hosts_close(weft_context *);

/* The context is the one whose functions it may call; *made: its calls, also when it fails. name stands for
 * the file in messages, or is NULL. False: f set. The arena's guard is set. */
bool loaded_parse(Arena *, weft_context *, const char *chars, size_t n, const char *name, Loaded *,
                  HostOp **made, Failure *f);
/* All of the file; *room for memory_free. NULL: f set. */
char *loaded_read(Memory *, const char *path, size_t *n, size_t *room, Failure *f);
#endif
