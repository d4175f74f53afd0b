/* plugin.h: weft as a PJRT plugin: what the parts share.
 *
 *     api.c         the table of functions, errors, the plugin's attributes
 *     event.c       events
 *     client.c      the client, its one device and one memory
 *     buffer.c      arrays on the device, which is this machine's memory
 *     executable.c  compiled programs
 *
 * There is one device, and calls compute before they return: so events are ready when they are made, but for
 * those of memory that is lent, and those that the caller makes. Nothing aborts: what goes wrong is a
 * PJRT_Error with weft's words.
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

/* ---- event.c ---- */
PJRT_Event *event_ready(void); /* one for all */
PJRT_Event *event_new(void);   /* not ready; NULL: no memory. Two references: its user's and its setter's */
void event_set(PJRT_Event *, PJRT_Error_Code, const char *text, size_t n); /* drops the setter's reference */

/* ---- client.c ---- */
struct PJRT_Client {
    weft_context *ctx;
};
extern PJRT_Device *const the_devices[1];
extern PJRT_Memory *const the_memories[1];

/* ---- buffer.c ---- */

/* Memory of buffers, and who is told when nobody uses it any more. */
typedef struct Block {
    atomic_int users;
    weft_context *ctx;
    void *data;
    size_t bytes;
    PJRT_Event *lent;                     /* memory of the host's, lent until then; or NULL */
    void (*gone)(void *data, void *user); /* the owner of a view; or NULL */
    void *user;
} Block;

struct PJRT_Buffer {
    PJRT_Client *client;
    PJRT_Buffer_Type type;
    size_t rank;
    int64_t dim[WEFT_MAX_RANK], minor_to_major[WEFT_MAX_RANK];
    size_t bytes;
    _Atomic(Block *) block; /* NULL: deleted, or donated */
    atomic_int external;    /* references from outside: its memory is not to be written over */
};

/* Of a weft type; block NULL: memory of its own. NULL: an error is given. The block gets a user more. */
PJRT_Buffer *buffer_new(PJRT_Client *, weft_type, Block *, PJRT_Error **);
void buffer_free(PJRT_Buffer *);
void buffer_delete(PJRT_Buffer *); /* its memory goes, the handle stays */
/* Its memory, with a user more; NULL and an error: it is gone. */
Block *buffer_hold(PJRT_Buffer *, PJRT_Error **);
void block_drop(Block *); /* NULL: nothing */
PJRT_Buffer_Type buffer_type(weft_dtype);

/* ---- each part's functions ---- */
void api_add_events(PJRT_Api *);
void api_add_client(PJRT_Api *);
void api_add_buffers(PJRT_Api *);
void api_add_executables(PJRT_Api *);
#endif
