/* backwards.c: see backwards.h. */
#include "tests/support/backwards.h"
#include <string.h>

static void run_backwards(const Workers *w, PieceFn *fn, const void *frame, void *local,
                          const ParallelLoop *l)
{
    (void)w;
    for (int64_t piece = l->pieces; piece-- > 0;) {
        memset(local, 0xf5, (size_t)l->local_bytes);
        fn(frame, piece, local);
    }
}

const Workers workers_backwards = { run_backwards, 1, NULL, 0 };
