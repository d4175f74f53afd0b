/* context.h: a context, what each thread holds of it, and the current one.
 *
 * A context is shared by threads. What belongs to one thread (its first error, its open scopes, its running
 * traces and calls) is a Local, found by the context's own thread key and freed when the thread ends. The one
 * thread-local variable, `thread`, knows the innermost scope and the last context opened, so that functions
 * without an array among their arguments find their context, and the op that is speaking.
 */
#ifndef WEFT_MEMORY_CONTEXT_H
#define WEFT_MEMORY_CONTEXT_H
#include "compiler/program/workers.h"
#include "compiler/target.h"
#include "error.h"
#include "list.h"
#include "memory.h"
#include "weft/program.h"
#include "weft/run.h"

typedef struct Thread Thread;
typedef struct Trace Trace;                     /* trace.h */
typedef struct Flat Flat;                       /* flat.h */
typedef struct Function Function;               /* fn.h */
typedef struct Functions Functions;             /* fn.c */
typedef struct Cache Cache;                     /* cache.h */
typedef struct Planning Planning;               /* plan.c */
typedef struct HandleSlab HandleSlab;           /* array.c */
typedef struct TreeBlocks TreeBlocks;           /* tree_memory.c */
typedef struct Hooks Hooks;                     /* hooks.c */
typedef struct Lent Lent;                       /* dlpack.c */
typedef struct HookSet HookSet;                 /* fn.h */
typedef struct CompilerProcess CompilerProcess; /* process.h */
typedef struct Team Team;                       /* team.h */

/* The context that a handle belongs to. It stays readable after the handle is freed (reserve.h). */
typedef struct Home {
    weft_context *ctx;
    uint64_t serial;
} Home;
#define NOBODYS ((Home){ NULL, 0 })

/* Holds the arrays that are made while it is open. The context's own scope (owner NULL) is shared by threads,
 * under the context's lock. In a thread's list, a context that it opened is a scope without arrays. */
struct weft_scope {
    Home home;         /* first, so that it stays when the scope is closed. The user's own only */
    weft_context *ctx; /* NULL: it is closed */
    Local *local;
    weft_scope *outer;
    weft_array *arrays; /* newest first */
    weft_scope *below;  /* the thread's next open scope, of any context */
    bool embedded;      /* lives on the stack, not in memory of its own */
};

/* One running call of a function that weft made or knows. In a message the innermost is named by its
 * function, then all by their label and by where they were made. */
typedef struct CallFrame {
    struct CallFrame *outer;
    const Function *fn;
    const char *name, *label, *made_at; /* of fn */
    /* The last place that the thread said before the call; NULL: none. Its code may be unloaded by now. */
    const char *after;
    const Flat *args; /* NULL: not traced (yet) */
} CallFrame;

enum { ERROR_TEXT = 2048 };

struct Local {
    /* Whose it is; NULL: it has been ended, or is being ended. Readable when it is freed. */
    _Atomic(const Thread *) thread;
    weft_context *ctx;
    Local *next, **link;  /* among the context's */
    bool closing;         /* it is weft_close that ends it, not the end of its thread */
    weft_scope *opened;   /* in thread.opened; NULL: another thread opened the context */
    weft_scope *scope;    /* innermost open one; NULL: the context itself */
    Trace *trace;         /* innermost running */
    CallFrame *frame;     /* innermost running call */
    const HookSet *hooks; /* that the running traces are under */
    /* What is being traced has calls under a backward derivative: hooks could matter to it. */
    bool hooked;
    /* The innermost derivative under way goes backwards; otherwise hooks have nothing to do. */
    bool reverse;
    Planning *planning;       /* between weft_plan_begin_ and weft_plan_end_ */
    void (*give_up)(Local *); /* ends the planning when the thread ends */
    weft_array *spare;        /* freed handles */
    char *report;
    size_t report_bytes; /* what weft_explain gave out last */
    weft_status error;   /* first since weft_clear */
    bool error_read;
    uint64_t traced;   /* calls of functions of the user's, on traced arrays */
    uint32_t failures; /* errors since weft_clear, the silent ones after the first too */
    char error_text[ERROR_TEXT];
};

typedef struct Counts { /* behind weft_stats */
    _Atomic uint64_t traces, compiles, uncompiled, hits, shared, evictions, eager_ops, kernels, arrays,
        body_runs;
    _Atomic int64_t fused_bytes;
} Counts;

struct weft_context {
    _Atomic bool open; /* false: closed, and nothing else in it counts */
    Memory memory;
    weft_options options; /* texts are owned; user and hooks borrowed */
    pthread_key_t key;
    weft_context *next_open, **open_link; /* among the open ones (fork.c) */
    _Atomic uint64_t serial;              /* no two contexts of a process have the same */
    pthread_mutex_t lock;                 /* guards what follows, up to the times */
    Local *locals;
    pthread_cond_t left; /* one of them went, with its thread */
    weft_array *kept;    /* the context's own arrays */
    HandleSlab *slabs;
    weft_array *spare;              /* freed handles of threads that ended */
    weft_array *stale, **stale_end; /* handles of finished traces, oldest first (array.c) */
    _Atomic uint32_t n_stale;
    TreeBlocks *tree_blocks; /* NULL: none */
    weft_plan *plans;        /* that are not freed yet */
    weft_program *programs;  /* the same */
    struct Host *hosts;      /* functions that programs may call (host.c), the last one first */
    struct HostOp *host_ops; /* their calls in functions */
    Lent *lent;              /* arrays that others have */
    weft_counters times;     /* only its times are used */
    Counts counts;
    _Atomic uint64_t next_serial; /* for functions and traces */
    Functions *functions;
    Hooks *hooks;
    _Atomic(const HookSet *) hook_set; /* that calls are traced under now; NULL: none */
    Cache *cache;
    CompilerProcess *process; /* NULL: the back end runs in this one */
    Team *team;               /* NULL: the caller alone */
    Workers workers;          /* all of it */
    bool perf;                /* compiled code is shown to perf (WEFT_PERF) */
    Target target;
    _Atomic int target_known; /* 0: not asked yet */
    _Atomic bool forbid_compiling;
};

/* A function of the user's that weft calls outside of any call: on_error, or an array's release. */
typedef struct Callback {
    const struct Callback *outer; /* that it runs in */
    const weft_context *ctx;
    const char *name;
    int cancel;       /* the thread's state before: what is under way stands on its stack */
    weft_scope scope; /* open only if scope.ctx */
} Callback;

/* The outermost op that is running. */
typedef struct OpState {
    int depth; /* op_begin's nesting */
    const char *name, *at;
    Local *local;      /* of its operands; NULL: not known yet */
    uint32_t floating; /* floating.h: the mode in front of it */
    int rules;         /* how many rules of derivatives, one in the other, are being traced (ops_body.c) */
} OpState;

struct Thread {
    const Callback *callback; /* innermost running */
    weft_scope *scope;        /* innermost open one of any context; a running call has one too */
    weft_scope *opened;       /* the contexts that this thread opened, the last one first */
    OpState op;
    uint32_t floating; /* floating.h: the mode in front of weft's outermost door; in user code the default */
    const char *last_at; /* of the last call that said its place */
    char text[512];      /* an error without a context */
    weft_status error;
};
extern _Thread_local Thread thread;

/* weft_open and weft_close without what the rooms above keep in a context. NULL: an error is set. */
weft_context *context_open(const weft_options *);
/* This thread opened it: it is the current one. False: out of memory. */
bool context_make_current(weft_context *);
bool context_may_close(weft_context *); /* True: from now on all that asks finds it closed. Else an error. */
void context_leave(weft_context *);     /* all threads: their scopes close, what they wait for is over */
void context_dispose(weft_context *);   /* what context_open made, when all threads have left */

/* this thread's; NULL: it is closed, or out of memory. ctx NULL: the current one, or NULL */
Local *context_local(weft_context *);
Home context_home(weft_context *);
/* Who is told of an error on a dead handle: the handle's context, if that is still open; otherwise the
 * running call, which must fail. NULL: there is neither, and only weft_error(NULL) tells it. */
Local *context_blamed(Home);
/* The same as context_local; where that gives NULL, an error is set. */
Local *context_enter(weft_context *, const char *who, const char *at);
static inline const Allocator *context_allocator(weft_context *ctx) { return &ctx->memory.counted; }
NumericMode context_mode(const weft_context *);
weft_dtype context_real(const weft_context *); /* of floats that nobody names: f32 or f64 */
double context_now_us(void);                   /* monotonic */

/* ---- scope.c ---- */
void scope_push(weft_scope *, Local *); /* an embedded one, for the time of a call */
void scope_pop(weft_scope *);           /* with all that was left open inside it */
/* The scopes that it opens close when it ends; it cannot close those around it. Local NULL: it opens none. */
void callback_begin(Callback *, const char *name, weft_context *, Local *l);
void callback_end(Callback *);
weft_scope *scope_new(void); /* in no list; NULL: out of memory */
/* Closes s and removes it from the list, if the list is that of its own thread. Otherwise it stays in the
 * other thread's list until that thread meets it (scope_top). */
void scope_end(weft_scope **list, weft_scope *s);
weft_scope *scope_top(weft_scope **list); /* the first that is open, or NULL */
void scope_add(Local *, weft_array *);    /* to the innermost */
void scope_remove(weft_array *);
void scope_move(weft_array *, weft_scope *to); /* NULL: the context's own */
#endif
