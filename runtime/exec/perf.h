/* perf.h: compiled code shown to Linux's perf (WEFT_PERF=1): names and sizes in /tmp/perf-PID.map, which
 * `perf report` reads, and the machine code, too, in /tmp/jit-PID.dump, which `perf inject --jit` reads.
 *
 * Both are files that their owner alone may read and write; no link is followed. The map is one that another
 * compiler in this process may write to as well, so lines are added to what is there. The dump is a new file,
 * in place of what has its name. What cannot be written is left out: no compile fails for it. */
#ifndef WEFT_EXEC_PERF_H
#define WEFT_EXEC_PERF_H
#include <pthread.h>
#include <stddef.h>

/* A function that lies in executable pages. */
void perf_add(const char *program, const char *function, const void *code, size_t bytes);
pthread_mutex_t *perf_lock(void); /* of the two files */
#endif
