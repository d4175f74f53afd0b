/* compiler_process.h: contexts that compile in a process of its own, and that process as /proc shows it. */
#ifndef WEFT_TESTS_COMPILER_PROCESS_H
#define WEFT_TESTS_COMPILER_PROCESS_H
#include "weft.h"
#include <sys/types.h>

weft_array *wave(weft_array *);     /* some ops on each element */
weft_context *opened(weft_options); /* compiles apart, in strict mode, and knows wave */
/* Numbers of a length that this context has not seen yet, under jit and op by op: strict mode gives the
 * same bits. */
bool agrees(weft_context *, int n);

/* A process that lives, of this name and started for that process, and the ticks of processor time that it
 * has had; 0: none. or_ending: one that is ending may be anybody's. */
pid_t process_for(pid_t of, const char *name, unsigned long *ticks, bool or_ending);
pid_t compiler(void);    /* the one that compiles for this process; 0: there is none */
pid_t running(void);     /* the same, which comes soon */
bool is_gone(pid_t);     /* or only waits to be collected */
bool goes(pid_t);        /* soon */
bool none_is_left(void); /* soon, and nobody watches over one */
void sleep_ms(long ms);
#endif
