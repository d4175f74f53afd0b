/* cache.h: what was traced and compiled, kept for the next call.
 *
 * Two levels. A CacheEntry belongs to one function and one key: the arguments' element types and shapes, and
 * the words of their structure (static numbers, counts, NULLs). It is found in tens of nanoseconds, without
 * tracing. Behind entries of FN_JIT stand Programs, found by their graph: functions that compute the same
 * share one. An entry of another transform keeps its graph, which eager's kernels run.
 *
 * An entry is pinned while a call runs it or a plan holds it; the least recently used unpinned ones go when
 * the limits are passed. A program goes with its last entry. The numeric mode and the target are the
 * context's, so they are not in the keys.
 * One lock guards all tables. It is not held while user code is traced or code is compiled: the entry stands
 * there as BUILDING, and threads that want the same wait.
 */
#ifndef WEFT_CALL_CACHE_H
#define WEFT_CALL_CACHE_H
#include "runtime/exec/compile.h"
#include "fn.h"
#include "runtime/trace/trace.h"

/* ---- key.c ---- */
typedef struct CallKey {
    const Function *fn;
    uint64_t hash;
    const HookSet *hooks; /* that it is traced under (fn.h) */
    uint64_t donated;     /* bit i: argument i may be computed over (only FN_JIT) */
    uint32_t n_in, n_words;
    Type *in;
    uint64_t *words;
} CallKey;

uint64_t key_hash(const CallKey *); /* of all but hash */
bool key_equal(const CallKey *, const CallKey *);
/* A deep copy: the key, its types, its words, all dims, in one block of key_bytes. */
size_t key_bytes(const CallKey *);
CallKey *key_place(void *block, const CallKey *);
CallKey *key_copy(Memory *, const CallKey *); /* NULL: out of memory */
void key_free(Memory *, CallKey *);           /* NULL: nothing */

/* Machine code for one graph. */
typedef struct CachedProgram {
    struct CachedProgram *chain;
    uint64_t hash;
    uint64_t donated; /* as in the keys of its entries */
    Arena arena;      /* holds graph */
    Guard guard;
    const Graph *graph;
    Code *code;     /* NULL while it is being built */
    uint32_t users; /* entries, and who builds or waits */
    bool failed;
} CachedProgram;

typedef enum { ENTRY_BUILDING, ENTRY_READY } EntryState;
typedef struct CacheEntry {
    struct CacheEntry *chain;         /* in the table */
    struct CacheEntry *newer, *older; /* by last use */
    CallKey key;                      /* deep: in arena */
    Arena arena;
    Guard guard;
    EntryState state;
    /* hooks on gradients could matter to it; else its key has none once it is READY */
    bool hooked;
    pthread_t builder;      /* BUILDING: who does it */
    _Atomic uint32_t pins;  /* running calls and plans; ENTRY_DEAD: out of the table, freed by the last */
    CachedProgram *program; /* FN_JIT */
    Arena graph_arena;
    const Graph *graph; /* that runs op by op: other transforms', in graph_arena; a program's without code */
    Type *out;
    uint32_t n_out;
    uint64_t *out_words;
    uint32_t n_out_words; /* the structure of the results */
    /* concrete arrays that the trace met, retained: operands behind the visible ones */
    weft_array **hidden;
    uint32_t n_hidden;
    bool checks;        /* its code looks at numbers (library/checks.h) */
    uint64_t body_runs; /* of chunked batches, in one run */
    uint64_t widened;   /* bit i: argument i, an f32 number, is promoted to f64 (trace.h) */
    size_t bytes;
} CacheEntry;
#define ENTRY_DEAD (UINT32_C(1) << 31)

Cache *cache_open(weft_context *); /* NULL: out of memory */
void cache_close(Cache *);
void cache_sizes(Cache *, size_t *programs, size_t *code_bytes);

/* The entry, pinned. READY: use it. BUILDING: the caller builds it and ends with cache_ready or cache_fail.
 * NULL: out of memory, or (*own) this thread is building it already and would wait for itself, as an error
 * handler might that calls the function whose compiling failed. No error is set. */
CacheEntry *cache_get(Cache *, const CallKey *, bool *own);
void cache_unpin(CacheEntry *);
/* The traced function's graph becomes the entry's, its results being structured as out says; takes t's arena
 * and hidden arrays. *shared: the code was there. False: an error is set and the caller calls cache_fail. */
bool cache_build(Cache *, Local *, CacheEntry *, Trace *t, const Flat *out, bool *shared);
void cache_ready(Cache *, CacheEntry *);
void cache_fail(Cache *, CacheEntry *);
void cache_forget(Cache *, Function *); /* drops the entries of fn */
/* In a forked child: what other threads were building is not there. */
void cache_forked(Cache *);

/* ---- programs.c ---- */
/* The program of this graph, made or found, for an entry of this key; t's arena goes to one that is made.
 * *shared: it was found. NULL: an error is set. */
CachedProgram *program_get(Cache *, Local *, const CallKey *, Graph *, Trace *t, bool *shared);
/* Code of a graph, outside of the cache. NULL and f set: there is none. */
Code *program_compile(weft_context *, const Graph *, uint64_t donated, const char *name, Failure *f);
bool program_unuse(Cache *, CachedProgram *);  /* true: it went */
void program_remove(Cache *, CachedProgram *); /* from the table; the lock is held */

/* ---- explain.c ---- */
/* Why key is not in the cache: what differs from the nearest entry of its function, or from the key traced
 * last, into buf: "argument image f32[784] -> f32[785]"; "" the first time. Remembers key as the last one. */
void explain_reason(Cache *, const CallKey *, char *buf, size_t size);
/* Notes an entry that was built. code NULL: it runs op by op. shared: the code was there already. */
void explain_built(Cache *, const CacheEntry *, const char *reason, double trace_us, const Code *code,
                   bool shared);
/* A line of its own. Not with the lock held. */
void explain_note(Cache *, const char *format, ...) __attribute__((format(printf, 2, 3)));
void explain_close(Cache *);

/* ---- plan.c: between weft_plan_begin_ and weft_plan_end_ a call gives its entry instead of running ---- */

struct Planning {
    weft_plan_options options;
    CacheEntry *entry; /* pinned */
    uint32_t failures;
};
void loaded_close(weft_context *); /* loaded.c: frees programs that are left */
void plan_close(weft_context *);   /* frees plans that are left, ends what is being planned */

enum { LOG_LINES = 200 };
struct Cache {
    weft_context *ctx;
    pthread_mutex_t lock;
    pthread_cond_t changed; /* some entry or program was finished, or given up */
    CacheEntry **table;
    size_t table_size, n_entries;
    CacheEntry *newest, *oldest; /* READY ones */
    CachedProgram **programs;
    size_t programs_size, n_programs;
    size_t code_bytes, entry_bytes, graph_bytes; /* graph_bytes: of programs */
    char *log[LOG_LINES];                        /* a ring: line i stands at i % LOG_LINES */
    size_t n_log;                                /* lines that were ever written */
};
#endif
