/* layouts.c: how arrays lie in memory: in any order of axes; and the extension by which a plugin says so. Its
 * table is XLA's of PJRT 0.93; the interface's own header has only its number. */
#include <pthread.h>
#include <stdio.h>
#include "plugin.h"

static Layout row_major[WEFT_MAX_RANK + 1];
static Layout *others;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* of others */

static void write_text(Layout *l)
{
    char *at = l->text;
    *at++ = '{';
    for (size_t i = 0; i < l->rank; i++) at += sprintf(at, i ? ",%d" : "%d", (int)l->axis[i]);
    strcpy(at, "}");
}

static void write_row_major(void)
{
    for (size_t rank = 0; rank <= WEFT_MAX_RANK; rank++) {
        row_major[rank].rank = rank;
        for (size_t i = 0; i < rank; i++) row_major[rank].axis[i] = (int64_t)(rank - 1 - i);
        write_text(&row_major[rank]);
    }
}

const Layout *layout_row_major(size_t rank) { return &row_major[rank]; }

static bool is(const Layout *l, size_t rank, const int64_t *axis)
{
    return l->rank == rank && !memcmp(l->axis, axis, rank * sizeof *axis);
}

static Layout *add(size_t rank, const int64_t *axis)
{
    Layout *l = calloc(1, sizeof *l);
    if (!l) return NULL;
    l->rank = rank;
    memcpy(l->axis, axis, rank * sizeof *axis);
    write_text(l);
    l->next = others;
    return others = l;
}

const Layout *layout_of(size_t rank, const int64_t *axis)
{
    if (!axis || is(&row_major[rank], rank, axis)) return &row_major[rank];
    pthread_mutex_lock(&lock);
    Layout *l = others;
    while (l && !is(l, rank, axis)) l = l->next;
    if (!l) l = add(rank, axis);
    pthread_mutex_unlock(&lock);
    return l;
}

void layout_strides(const Layout *l, const int64_t *dim, size_t element_size, int64_t *stride)
{
    int64_t step = (int64_t)element_size;
    for (size_t i = 0; i < l->rank; i++) {
        stride[l->axis[i]] = step;
        step *= dim[l->axis[i]];
    }
}

/* ---- its functions ---- */

#define HEAD \
    size_t struct_size; \
    PJRT_Extension_Base *extension_start

typedef struct LayoutDestroy {
    HEAD;
    const Layout *layout;
} LayoutDestroy;

typedef struct LayoutSerialize {
    HEAD;
    const Layout *layout;
    const char *serialized_bytes;
    size_t serialized_bytes_size;
    const void *serialized_layout;
    void (*serialized_layout_deleter)(void *);
} LayoutSerialize;

/* of: a client or a topology */
typedef struct LayoutDefault {
    HEAD;
    void *of;
    PJRT_Buffer_Type type;
    const int64_t *dims;
    size_t num_dims;
    const Layout *layout;
} LayoutDefault;

typedef struct LayoutOfBuffer {
    HEAD;
    PJRT_Buffer *buffer;
    const Layout *layout;
} LayoutOfBuffer;

typedef struct LayoutsOfExecutable {
    HEAD;
    PJRT_Executable *executable;
    size_t count;
    const Layout **layouts;
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
    a->layout = layout_row_major(a->num_dims);
    return NULL;
}

static PJRT_Error *of_buffer(LayoutOfBuffer *a)
{
    a->layout = a->buffer->layout;
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
    write_row_major();
    extension.base.next = api->extension_start;
    api->extension_start = &extension.base;
}
