/* layouts.c: the extension by which a plugin says how arrays lie in memory. All of ours are row-major, so a
 * layout is a rank, and there is one for each. The table is XLA's of PJRT 0.93; the interface's own header
 * has only its number. */
#include <stdio.h>
#include "plugin.h"

/* As XLA writes it: the axes from the fastest on, {2,1,0}. */
struct PJRT_Layouts_MemoryLayout {
    char text[4 * (WEFT_MAX_RANK + 1)];
};

static PJRT_Layouts_MemoryLayout row_major[WEFT_MAX_RANK + 1];

PJRT_Layouts_MemoryLayout *layout_of_rank(size_t rank) { return &row_major[rank]; }

static void write_texts(void)
{
    for (int rank = 0; rank <= WEFT_MAX_RANK; rank++) {
        char *at = row_major[rank].text;
        *at++ = '{';
        for (int axis = rank; axis-- > 0;) at += sprintf(at, axis ? "%d," : "%d", axis);
        strcpy(at, "}");
    }
}

/* ---- its functions ---- */

#define HEAD \
    size_t struct_size; \
    PJRT_Extension_Base *extension_start

typedef struct LayoutDestroy {
    HEAD;
    PJRT_Layouts_MemoryLayout *layout;
} LayoutDestroy;

typedef struct LayoutSerialize {
    HEAD;
    PJRT_Layouts_MemoryLayout *layout;
    const char *serialized_bytes;
    size_t serialized_bytes_size;
    void *serialized_layout;
    void (*serialized_layout_deleter)(void *);
} LayoutSerialize;

/* of: a client or a topology */
typedef struct LayoutDefault {
    HEAD;
    void *of;
    PJRT_Buffer_Type type;
    const int64_t *dims;
    size_t num_dims;
    PJRT_Layouts_MemoryLayout *layout;
} LayoutDefault;

typedef struct LayoutOfBuffer {
    HEAD;
    PJRT_Buffer *buffer;
    PJRT_Layouts_MemoryLayout *layout;
} LayoutOfBuffer;

typedef struct LayoutsOfExecutable {
    HEAD;
    PJRT_Executable *executable;
    size_t count;
    PJRT_Layouts_MemoryLayout **layouts;
} LayoutsOfExecutable;

static PJRT_Error *destroy(LayoutDestroy *a)
{
    (void)a;
    return NULL;
}

static void keep(void *text) { (void)text; }

static PJRT_Error *serialize(LayoutSerialize *a)
{
    GIVE_TEXT(a, serialized_bytes, a->layout->text);
    a->serialized_layout = a->layout;
    a->serialized_layout_deleter = keep;
    return NULL;
}

static PJRT_Error *default_layout(LayoutDefault *a)
{
    if (a->num_dims > WEFT_MAX_RANK)
        return error_new(PJRT_Error_Code_INVALID_ARGUMENT, "weft: rank %zu: allowed are 0 to %d", a->num_dims,
                         WEFT_MAX_RANK);
    a->layout = layout_of_rank(a->num_dims);
    return NULL;
}

static PJRT_Error *of_buffer(LayoutOfBuffer *a)
{
    a->layout = layout_of_rank(a->buffer->rank);
    return NULL;
}

static PJRT_Error *of_results(LayoutsOfExecutable *a)
{
    const Shared *s = a->executable->of;
    a->count = s->n_out;
    a->layouts = s->layout + s->n_in;
    return NULL;
}

static PJRT_Error *of_parameters(LayoutsOfExecutable *a)
{
    const Shared *s = a->executable->of;
    a->count = s->n_in;
    a->layouts = s->layout;
    return NULL;
}

static struct {
    PJRT_Extension_Base base;
    PJRT_Error *(*destroy)(LayoutDestroy *);
    PJRT_Error *(*serialize)(LayoutSerialize *);
    PJRT_Error *(*of_client)(LayoutDefault *);
    PJRT_Error *(*of_buffer)(LayoutOfBuffer *);
    PJRT_Error *(*of_topology)(LayoutDefault *);
    PJRT_Error *(*of_results)(LayoutsOfExecutable *);
    PJRT_Error *(*of_parameters)(LayoutsOfExecutable *);
} extension = {
    .base = { .struct_size = sizeof extension, .type = PJRT_Extension_Type_Layouts },
    .destroy = destroy,
    .serialize = serialize,
    .of_client = default_layout,
    .of_buffer = of_buffer,
    .of_topology = default_layout,
    .of_results = of_results,
    .of_parameters = of_parameters,
};

void api_add_layouts(PJRT_Api *api)
{
    write_texts();
    extension.base.next = api->extension_start;
    api->extension_start = &extension.base;
}
