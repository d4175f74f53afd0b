/* plugin.h: weft as a PJRT plugin: what the parts share.
 *
 *     api.c         the table of functions, errors, the plugin's attributes
 *     event.c       events
 *     client.c      the client, its one device and its memories
 *     buffer.c      arrays on the device, which is this machine's memory
 *     layouts.c     how arrays lie in memory
 *     options.c     what is said to the compiler
 *     executable.c  compiled programs
 *     execute.c     their calls
 *     queue.c       calls that run while the caller goes on
 *     host.c        functions that programs call by name
 *
 * There is one device. A call that takes long returns before it has computed, if there is a second core for
 * it, as does one that calls the host's functions: it runs on another thread, and an event says when.
 * Whatever else there is has happened when a function returns, so its events are ready, but for those of
 * memory that is lent and those that the caller makes. Nothing aborts: what goes wrong is a PJRT_Error with
 * weft's words.
 *
 * The caller's structs may be of an older or newer version than ours: a field is touched only if its
 * struct_size says that it is there (HAS).
 */
#ifndef WEFT_PJRT_PLUGIN_H
#define WEFT_PJRT_PLUGIN_H
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <pjrt/pjrt_c_api.h>
#include "weft.h"

#define HAS(args, field) ((args)->struct_size >= offsetof(__typeof__(*(args)), field) + sizeof((args)->field))
/* a->name = text; a->name_size = its length */
#define GIVE_TEXT(args, name, text) ((args)->name = (text), (args)->name##_size = strlen((args)->name))
/* A function of the table that does one thing with its arguments a, and cannot fail. */
#define GIVES(function, Name, statement) \
    static PJRT_Error *function(PJRT_##Name##_Args *a) \
    { \
        statement; \
        return NULL; \
    }

/* ---- api.c ---- */
PJRT_Error *error_new(PJRT_Error_Code, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* The thread's error in this context, which is cleared. */
PJRT_Error *error_of(weft_context *);
PJRT_Error *error_no_memory(void);
PJRT_Error_Code error_read(const PJRT_Error *, const char **text);
void error_free(PJRT_Error *); /* NULL: nothing */

/* ---- event.c ---- */
PJRT_Event *event_ready(void); /* one for all */
PJRT_Event *event_new(void);   /* not ready; NULL: no memory. Two references: its user's and its setter's */
PJRT_Event *event_hold(PJRT_Event *); /* one reference more; returns it */
void event_drop(PJRT_Event *);        /* NULL: nothing */
void event_set(PJRT_Event *, PJRT_Error_Code, const char *text, size_t n); /* drops the setter's reference */
void event_fail(PJRT_Event *, PJRT_Error *);           /* set to this error, which goes; NULL: to success */
PJRT_Error *event_wait(PJRT_Event *);                  /* until it is set; its error, the caller's to free */
PJRT_Error *event_wait_a_moment(PJRT_Event *, int ms); /* so long at most; NULL, too, if it is not set then */
bool event_is_set(PJRT_Event *);
/* Calls tell with its error, which is tell's to free: when it is set, by the setter's thread; or now. */
PJRT_Error *event_tell(PJRT_Event *, PJRT_Event_OnReadyCallback tell, void *user);

/* ---- queue.c ---- */
typedef struct Queue Queue;
typedef struct Call Call;
typedef struct Shared Shared;
Queue *queue_new(void);   /* NULL: no memory; calls run at once */
void queue_free(Queue *); /* what waits is run before */
/* Is a call of this program to stand in it? Not if it is over before another thread could start and nothing
 * else is waiting or running, or if there is no second core; but always if it calls the host. */
bool queue_wants(const Queue *, const Shared *);
/* Runs it later, then call_end(c). False: there is no thread for it, or no room, where waiting for some could
 * take forever. */
bool queue_add(Queue *, Call *);
void queue_pass(Queue *, const Call *); /* for one that is not added: until it may write where it wants to */
void queue_look(Queue *);               /* such a one has ended, others may wait for it */

/* ---- host.c ---- */
void hosts_add(weft_context *); /* the functions that are known now */
void hosts_called(int more);    /* so many calls more wait for them, or run them */

/* ---- client.c ---- */
struct PJRT_Device {
    PJRT_Client *client;
};

/* All memory is the process's own. It has the names that JAX asks for, so that a program written for a device
 * with memory of its own runs; an array has one of them, and moves to another by a copy. */
typedef enum { MEMORY_DEVICE, MEMORY_PINNED, MEMORY_UNPINNED, MEMORIES } MemoryKind;
struct PJRT_Memory {
    PJRT_Client *client;
    MemoryKind kind;
};
struct PJRT_Client {
    weft_context *ctx;
    Queue *queue;
    PJRT_Device device, *devices[1];
    PJRT_Memory memory[MEMORIES], *memories[MEMORIES];
};
PJRT_Error *client_open(PJRT_Client **);
void client_close(PJRT_Client *);
extern const char *const memory_names[MEMORIES];
/* What a program calls it; "": the default one's, the device's. MEMORIES: there is none of that name. */
MemoryKind memory_named(const char *);

/* ---- layouts.c ---- */

/* How an array lies in memory, without gaps. Equal ones are one, which lasts. */
typedef struct PJRT_Layouts_MemoryLayout Layout;
struct PJRT_Layouts_MemoryLayout {
    size_t rank;
    int64_t axis[WEFT_MAX_RANK];        /* from the one that varies fastest on */
    char text[4 * (WEFT_MAX_RANK + 1)]; /* as XLA writes it: {2,1,0} */
    Layout *next;
};
const Layout *layout_row_major(size_t rank);
/* axis: an order of axes; NULL: row-major. NULL: no memory. */
const Layout *layout_of(size_t rank, const int64_t *axis);
/* The byte strides of an array that lies so. */
void layout_strides(const Layout *, const int64_t *dim, size_t element_size, int64_t *stride);

/* ---- buffer.c ---- */

/* Memory of buffers, and who is told when nobody uses it any more. */
typedef struct Block {
    atomic_int users;
    atomic_int queued; /* of the users, those that are calls in the queue */
    weft_context *ctx;
    void *data;
    size_t bytes;
    PJRT_Event *made;                     /* computed when this is set; NULL: it is */
    PJRT_Event *lent;                     /* memory of the host's, lent until then; or NULL */
    void (*gone)(void *data, void *user); /* the owner of a view; or NULL */
    void *user;
} Block;

struct PJRT_Buffer {
    PJRT_Memory *memory;
    PJRT_Buffer_Type type;
    atomic_flag busy; /* guards all until bytes */
    Block *block;     /* NULL: deleted, or donated */
    int external;     /* references from outside: memory that is not to be written over */
    Block *seen;      /* what they see, which lasts as long as they do; NULL: there are none */
    bool destroyed;   /* but for them it would be gone */
    const Layout *layout;
    size_t rank, bytes;
    int64_t dim[];
};

/* Of a weft type; block NULL: bytes of its own. NULL: an error is given. The block gets a user more. */
PJRT_Buffer *buffer_new(PJRT_Memory *, weft_type, const Layout *, Block *, PJRT_Error **);
void buffer_free(PJRT_Buffer *);
void buffer_delete(PJRT_Buffer *); /* its memory goes, the handle stays */
/* Its memory, with a user more; NULL and an error: it is gone. It may not be computed yet: block_wait. */
Block *buffer_hold(PJRT_Buffer *, PJRT_Error **);
/* Takes its memory, which the caller holds, from the buffer, so that a result may be written over it; NULL:
 * somebody else may look at it. */
Block *buffer_take(PJRT_Buffer *, Block *);
PJRT_Error *block_wait(const Block *);   /* until it is computed, or could not be */
void block_drop(Block *);                /* NULL: nothing */
PJRT_Buffer_Type buffer_type(weft_type); /* INVALID: PJRT has none */

/* ---- options.c ---- */
/* Of a CompileOptionsProto: what weft cannot do is an error. */
PJRT_Error *options_check(const char *options, size_t n);

/* ---- executable.c ---- */

/* An argument or a result. */
typedef struct Port {
    weft_type type;
    PJRT_Buffer_Type number; /* its element type */
    const Layout *layout;
    MemoryKind memory;
    bool donated; /* an argument whose memory the call takes */
    int donor;    /* the argument whose memory the result takes, or -1 */
} Port;

/* A compiled program, which several handles share. */
struct Shared {
    atomic_int users;
    PJRT_Client *client;
    weft_program *program;
    size_t n_in, n_out, scratch;
    Port *in, *out;
    bool donates, quick; /* an argument's memory is taken; it runs before another thread could start */
    bool calls_host;     /* functions of weft_custom_call_on */
    PJRT_Buffer_Type *out_type;
    int64_t *out_dims;
    size_t *out_rank;
    const char **memory; /* of each argument, then of each result: its memory's name */
    size_t *memory_size;
    const Layout **layout; /* of these, too */
    char fingerprint[17];
    PJRT_NamedValue cost[3];
    char *text; /* the program as it came, for who stores it */
    size_t text_size;
};
void shared_drop(Shared *);

struct PJRT_Executable {
    Shared *of;
};
struct PJRT_LoadedExecutable {
    PJRT_Executable same; /* first: what asks for its program is answered alike */
    atomic_bool deleted;
};

/* ---- execute.c ---- */
struct Call {
    Call *next; /* in the queue */
    Shared *of;
    bool queued, runs;
    PJRT_Event *done;   /* of a call in the queue */
    Block **in, **out;  /* held until it ends */
    PJRT_Event **after; /* when each argument is computed; NULL: it is */
};
void call_queued(Call *); /* it stands in the queue now */
PJRT_Error *call_run(Call *);
void call_end(Call *, PJRT_Error *); /* frees it, and sets its event */

/* ---- each part's functions ---- */
void api_add_events(PJRT_Api *);
void api_add_client(PJRT_Api *);
void api_add_buffers(PJRT_Api *);
void api_add_executables(PJRT_Api *);
void api_add_calls(PJRT_Api *);
void api_add_layouts(PJRT_Api *);
#endif
