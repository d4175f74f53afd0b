/* buffer.c: arrays on the device. Their memory is counted by its users, so that a host array can be lent, a
 * view shared and a donated argument's memory become a result's. */
#include <sched.h>
#include "plugin.h"

/* ---- element types ---- */

/* element: of a type that weft has no arrays of, whose elements are bytes. */
typedef struct TypeRow {
    uint8_t number, dtype, bytes;
    const char *element;
} TypeRow;

#define OWN(NAME, dtype, bytes) { PJRT_Buffer_Type_##NAME, WEFT_##dtype, bytes, NULL }
#define SIGNED(NAME, element)   { PJRT_Buffer_Type_##NAME, WEFT_I8, 1, element }
#define BITS(NAME, element)     { PJRT_Buffer_Type_##NAME, WEFT_U8, 1, element }
static const TypeRow rows[] = {
    OWN(PRED, BOOL, 1),
    OWN(S8, I8, 1),
    OWN(S16, I16, 2),
    OWN(S32, I32, 4),
    OWN(S64, I64, 8),
    OWN(U8, U8, 1),
    OWN(U16, U16, 2),
    OWN(U32, U32, 4),
    OWN(U64, U64, 8),
    OWN(F16, F16, 2),
    OWN(BF16, BF16, 2),
    OWN(F32, F32, 4),
    OWN(F64, F64, 8),
    OWN(C64, C64, 8),
    OWN(C128, C128, 16),
    SIGNED(S2, "i2"),
    SIGNED(S4, "i4"),
    BITS(U2, "ui2"),
    BITS(U4, "ui4"),
    BITS(F8E5M2, "f8E5M2"),
    BITS(F8E4M3FN, "f8E4M3FN"),
    BITS(F8E4M3B11FNUZ, "f8E4M3B11FNUZ"),
    BITS(F8E5M2FNUZ, "f8E5M2FNUZ"),
    BITS(F8E4M3FNUZ, "f8E4M3FNUZ"),
    BITS(F8E4M3, "f8E4M3"),
    BITS(F8E3M4, "f8E3M4"),
    BITS(F8E8M0FNU, "f8E8M0FNU"),
    BITS(F4E2M1FN, "f4E2M1FN"),
    { PJRT_Buffer_Type_TOKEN, WEFT_BOOL, 1, "token" },
};
enum { ROWS = sizeof rows / sizeof *rows };

static const TypeRow *row_of_number(PJRT_Buffer_Type number)
{
    for (int i = 0; i < ROWS; i++)
        if (rows[i].number == number) return &rows[i];
    return NULL;
}

PJRT_Buffer_Type buffer_type(weft_type t)
{
    for (int i = 0; i < ROWS; i++)
        if (t.element ? rows[i].element && !strcmp(rows[i].element, t.element)
                      : !rows[i].element && rows[i].dtype == t.dtype)
            return (PJRT_Buffer_Type)rows[i].number;
    return PJRT_Buffer_Type_INVALID;
}

static size_t element_size(weft_type t)
{
    const TypeRow *row = row_of_number(buffer_type(t));
    return row ? row->bytes : 0;
}

/* ---- memory ---- */

static Block *block_new(weft_context *ctx, void *data, size_t bytes)
{
    Block *b = malloc(sizeof *b);
    if (!b) return NULL;
    *b = (Block){ .ctx = ctx, .data = data ? data : weft_block(ctx, bytes), .bytes = bytes };
    atomic_init(&b->users, 1);
    if (b->data) return b;
    weft_clear(ctx);
    free(b);
    return NULL;
}

void block_drop(Block *b)
{
    if (!b || atomic_fetch_sub(&b->users, 1) > 1) return;
    if (b->lent) event_set(b->lent, PJRT_Error_Code_OK, NULL, 0);
    else if (b->gone) b->gone(b->data, b->user);
    else weft_block_free(b->ctx, b->data, b->bytes);
    event_drop(b->made);
    free(b);
}

PJRT_Error *block_wait(const Block *b) { return b->made ? event_wait(b->made) : NULL; }

PJRT_Buffer *buffer_new(PJRT_Memory *memory, weft_type t, const Layout *layout, Block *block, PJRT_Error **e)
{
    size_t rank = (size_t)t.rank;
    PJRT_Buffer *b = malloc(sizeof *b + rank * sizeof *b->dim);
    if (!b) return *e = error_no_memory(), NULL;
    *b = (PJRT_Buffer){ .memory = memory,
                        .type = buffer_type(t),
                        .busy = ATOMIC_FLAG_INIT,
                        .layout = layout,
                        .rank = rank,
                        .bytes = element_size(t) };
    for (size_t i = 0; i < rank; i++) {
        b->dim[i] = t.shape[i];
        b->bytes *= (size_t)t.shape[i];
    }
    if (block) atomic_fetch_add(&block->users, 1);
    else block = block_new(memory->client->ctx, NULL, b->bytes);
    b->block = block;
    if (block) return b;
    free(b);
    return *e = error_no_memory(), NULL;
}

/* The buffer's block is looked at and changed by whoever is in between. */
static Block *enter(PJRT_Buffer *b)
{
    while (atomic_flag_test_and_set_explicit(&b->busy, memory_order_acquire)) sched_yield();
    return b->block;
}

static void leave(PJRT_Buffer *b, Block *block)
{
    b->block = block;
    atomic_flag_clear_explicit(&b->busy, memory_order_release);
}

void buffer_delete(PJRT_Buffer *b)
{
    Block *block = enter(b);
    leave(b, NULL);
    block_drop(block);
}

void buffer_free(PJRT_Buffer *b)
{
    Block *block = enter(b);
    bool last = !b->external;
    b->destroyed = true;
    leave(b, NULL);
    block_drop(block);
    if (last) free(b);
}

/* From here on somebody outside may look at the memory: it lasts, whatever becomes of the buffer. */
static void see(PJRT_Buffer *b)
{
    Block *block = enter(b);
    if (!b->external++ && block) {
        atomic_fetch_add(&block->users, 1);
        b->seen = block;
    }
    leave(b, block);
}

static void see_no_more(PJRT_Buffer *b)
{
    Block *block = enter(b), *seen = NULL;
    bool last = b->external == 1, gone = last && b->destroyed;
    if (b->external) b->external--;
    if (last) {
        seen = b->seen;
        b->seen = NULL;
    }
    leave(b, block);
    block_drop(seen);
    if (gone) free(b);
}

Block *buffer_hold(PJRT_Buffer *b, PJRT_Error **e)
{
    Block *block = enter(b);
    if (block) atomic_fetch_add(&block->users, 1);
    leave(b, block);
    if (!block) *e = error_new(PJRT_Error_Code_INVALID_ARGUMENT, "weft: the buffer was deleted or donated");
    return block;
}

Block *buffer_take(PJRT_Buffer *b, Block *held)
{
    Block *block = enter(b);
    /* Calls in the queue are done with it before this one begins. */
    bool ours = block == held && !b->external && !block->lent && !block->gone &&
                atomic_load(&block->users) - atomic_load(&block->queued) == 2;
    leave(b, ours ? NULL : block);
    if (ours) atomic_fetch_sub(&block->users, 1);
    return ours ? block : NULL;
}

/* Its memory, computed; with a user more. */
static Block *read_buffer(PJRT_Buffer *b, PJRT_Error **e)
{
    Block *block = buffer_hold(b, e);
    if (block && (*e = block_wait(block))) {
        block_drop(block);
        return NULL;
    }
    return block;
}

/* ---- shapes and layouts that callers give ---- */

static PJRT_Error *read_type(PJRT_Buffer_Type type, const int64_t *dims, size_t rank, weft_type *t)
{
    const TypeRow *row = row_of_number(type);
    if (!row || type == PJRT_Buffer_Type_TOKEN) /* those come out of programs */
        return error_new(PJRT_Error_Code_UNIMPLEMENTED, "weft: not supported: PJRT's element type %d", type);
    if (rank > WEFT_MAX_RANK)
        return error_new(PJRT_Error_Code_INVALID_ARGUMENT, "weft: rank %zu: allowed are 0 to %d", rank,
                         WEFT_MAX_RANK);
    int64_t count = 8;
    for (size_t i = 0; i < rank; i++)
        if (dims[i] < 0 || __builtin_mul_overflow(count, dims[i] ? dims[i] : 1, &count))
            return error_new(PJRT_Error_Code_INVALID_ARGUMENT, "weft: a size of %lld", (long long)dims[i]);
    *t = (weft_type){ (weft_dtype)row->dtype, (int)rank, dims, row->element };
    return NULL;
}

static bool same_strides(const int64_t *dim, size_t rank, const int64_t *a, const int64_t *b)
{
    for (size_t i = 0; i < rank; i++)
        if (dim[i] > 1 && a[i] != b[i]) return false;
    return true;
}

static void copy_strided(char *to, const int64_t *to_stride, const char *from, const int64_t *from_stride,
                         const int64_t *dim, size_t rank, size_t size)
{
    if (!rank) {
        memcpy(to, from, size);
        return;
    }
    for (int64_t i = 0; i < dim[0]; i++)
        copy_strided(to + i * to_stride[0], to_stride + 1, from + i * from_stride[0], from_stride + 1,
                     dim + 1, rank - 1, size);
}

/* One of them is an array's, so without gaps. */
static void copy_array(void *to, const int64_t *to_stride, const void *from, const int64_t *from_stride,
                       const int64_t *dim, size_t rank, size_t size, size_t bytes)
{
    if (same_strides(dim, rank, to_stride, from_stride)) memcpy(to, from, bytes);
    else if (bytes) copy_strided(to, to_stride, from, from_stride, dim, rank, size);
}

/* The axes by their strides. Axes of one element may stand anywhere. */
static void order_of_strides(const int64_t *stride, size_t rank, int64_t *axis)
{
    for (size_t i = 0; i < rank; i++) {
        size_t to = i;
        for (; to && stride[axis[to - 1]] > stride[rank - 1 - i]; to--) axis[to] = axis[to - 1];
        axis[to] = (int64_t)(rank - 1 - i);
    }
}

static bool is_order(const int64_t *axis, size_t n, size_t rank)
{
    bool seen[WEFT_MAX_RANK] = { false }, good = n == rank;
    for (size_t i = 0; good && i < rank; i++) {
        good = axis[i] >= 0 && (size_t)axis[i] < rank && !seen[axis[i]];
        if (good) seen[axis[i]] = true;
    }
    return good;
}

static PJRT_Error *check_strides(const PJRT_Buffer_MemoryLayout *l, size_t rank)
{
    if (l->strides.num_byte_strides == rank) return NULL;
    return error_new(PJRT_Error_Code_INVALID_ARGUMENT, "weft: %zu strides for rank %zu",
                     l->strides.num_byte_strides, rank);
}

static PJRT_Error *check_order(const PJRT_Buffer_MemoryLayout *l, size_t rank)
{
    if (l->tiled.num_tiles)
        return error_new(PJRT_Error_Code_UNIMPLEMENTED, "weft: not supported: layouts in tiles");
    if (is_order(l->tiled.minor_to_major, l->tiled.minor_to_major_size, rank)) return NULL;
    return error_new(PJRT_Error_Code_INVALID_ARGUMENT, "weft: a layout that is no order of axes");
}

/* How an array is to lie; NULL: as usual. */
static PJRT_Error *read_layout(const PJRT_Buffer_MemoryLayout *l, const Layout *usual, const int64_t *dim,
                               size_t size, const Layout **layout)
{
    size_t rank = usual->rank;
    int64_t axis[WEFT_MAX_RANK], dense[WEFT_MAX_RANK];
    bool strided = l && l->type == PJRT_Buffer_MemoryLayout_Type_Strides;
    PJRT_Error *e = !l ? NULL : strided ? check_strides(l, rank) : check_order(l, rank);
    if (e) return e;
    if (strided) order_of_strides(l->strides.byte_strides, rank, axis);
    *layout = !l ? usual : layout_of(rank, strided ? axis : l->tiled.minor_to_major);
    if (!*layout) return error_no_memory();
    layout_strides(*layout, dim, size, dense);
    if (!strided || same_strides(dim, rank, l->strides.byte_strides, dense)) return NULL;
    return error_new(PJRT_Error_Code_UNIMPLEMENTED, "weft: not supported: arrays with gaps in memory");
}

/* Of the host's memory, which may have gaps. */
static PJRT_Error *read_strides(const PJRT_Buffer_MemoryLayout *l, const Layout *usual, const int64_t *dim,
                                size_t size, int64_t *stride)
{
    const Layout *layout;
    bool strided = l && l->type == PJRT_Buffer_MemoryLayout_Type_Strides;
    PJRT_Error *e = strided ? check_strides(l, usual->rank) : read_layout(l, usual, dim, size, &layout);
    if (e) return e;
    if (strided) memcpy(stride, l->strides.byte_strides, usual->rank * sizeof *stride);
    else layout_strides(layout, dim, size, stride);
    return NULL;
}

/* ---- from the host and back ---- */

/* The one that is asked for, or the device's. */
static PJRT_Memory *memory_of(PJRT_Client *client, PJRT_Memory *asked)
{
    return asked ? asked : &client->memory[MEMORY_DEVICE];
}

/* May the buffer be the host's own memory, until it goes? Only memory as well aligned as weft's own. */
static bool may_borrow(const PJRT_Client_BufferFromHostBuffer_Args *a, bool dense)
{
    bool lasts = a->host_buffer_semantics == PJRT_HostBufferSemantics_kImmutableZeroCopy ||
                 a->host_buffer_semantics == PJRT_HostBufferSemantics_kMutableZeroCopy;
    return lasts && dense && a->data && (uintptr_t)a->data % 64 == 0;
}

static PJRT_Error *borrow(PJRT_Client_BufferFromHostBuffer_Args *a, weft_type t, const Layout *layout)
{
    PJRT_Error *e = NULL;
    Block *lent = block_new(a->client->ctx, (void *)(uintptr_t)a->data, 0);
    PJRT_Event *done = event_new();
    if (!lent || !done) {
        free(lent);
        if (done) event_set(done, PJRT_Error_Code_OK, NULL, 0);
        return error_no_memory();
    }
    lent->lent = done;
    a->buffer = buffer_new(memory_of(a->client, a->memory), t, layout, lent, &e);
    a->done_with_host_buffer = done;
    block_drop(lent);
    return e;
}

static PJRT_Error *buffer_from_host(PJRT_Client_BufferFromHostBuffer_Args *a)
{
    weft_type t;
    const Layout *layout;
    int64_t from[WEFT_MAX_RANK], to[WEFT_MAX_RANK];
    PJRT_Error *e = read_type(a->type, a->dims, a->num_dims, &t);
    if (e) return e;
    size_t size = element_size(t);
    if ((e = read_layout(a->device_layout, layout_row_major(a->num_dims), a->dims, size, &layout))) return e;
    layout_strides(layout, a->dims, size, to);
    if (a->byte_strides && a->num_byte_strides == a->num_dims)
        memcpy(from, a->byte_strides, a->num_dims * sizeof *from);
    else layout_strides(layout_row_major(a->num_dims), a->dims, size, from);
    if (may_borrow(a, same_strides(a->dims, a->num_dims, from, to))) return borrow(a, t, layout);
    a->buffer = buffer_new(memory_of(a->client, a->memory), t, layout, NULL, &e);
    if (e) return e;
    copy_array(a->buffer->block->data, to, a->data, from, a->dims, a->num_dims, size, a->buffer->bytes);
    a->done_with_host_buffer = event_ready();
    return NULL;
}

static PJRT_Error *buffer_uninitialized(PJRT_Client_CreateUninitializedBuffer_Args *a)
{
    weft_type t;
    const Layout *layout;
    PJRT_Error *e = read_type(a->shape_element_type, a->shape_dims, a->shape_num_dims, &t);
    if (!e)
        e = read_layout(a->shape_layout, layout_row_major(a->shape_num_dims), a->shape_dims, element_size(t),
                        &layout);
    if (!e) a->buffer = buffer_new(memory_of(a->client, a->memory), t, layout, NULL, &e);
    return e;
}

static PJRT_Error *buffer_view(PJRT_Client_CreateViewOfDeviceBuffer_Args *a)
{
    weft_type t;
    const Layout *layout;
    PJRT_Error *e = read_type(a->element_type, a->dims, a->num_dims, &t);
    if (e) return e;
    size_t size = element_size(t);
    if ((e = read_layout(a->layout, layout_row_major(a->num_dims), a->dims, size, &layout))) return e;
    if ((uintptr_t)a->device_buffer_ptr % size)
        return error_new(PJRT_Error_Code_UNIMPLEMENTED, "weft: not supported: views that are not aligned");
    Block *block = block_new(a->client->ctx, a->device_buffer_ptr, 0);
    if (!block) return error_no_memory();
    block->gone = a->on_delete_callback;
    block->user = a->on_delete_callback_arg;
    if (!block->gone) atomic_fetch_add(&block->users, 1); /* nobody's to free */
    a->buffer = buffer_new(memory_of(a->client, a->memory), t, layout, block, &e);
    block_drop(block);
    return e;
}

/* A copy of an array's bytes to the host's memory, or to an array's. */
typedef struct Copy {
    Block *from, *into; /* into: NULL: the host's */
    size_t offset, size, rank, bytes;
    void *to;
    PJRT_Event *done; /* of one that waits */
    int64_t dim[WEFT_MAX_RANK], stride[WEFT_MAX_RANK], from_stride[WEFT_MAX_RANK];
} Copy;

static void copy_now(const Copy *c)
{
    copy_array(c->to, c->stride, (char *)c->from->data + c->offset, c->from_stride, c->dim, c->rank, c->size,
               c->bytes);
}

static void copy_computed(PJRT_Error *e, void *copy)
{
    Copy *c = copy;
    if (!e) copy_now(c);
    block_drop(c->from);
    if (c->into) block_drop(c->into);
    event_fail(c->done, e);
    free(c);
}

/* Does not wait: the caller may hold what the call that computes the array needs, as Python's lock. */
static PJRT_Error *copy_when_computed(PJRT_Buffer *b, const Copy *copy, PJRT_Event **done)
{
    PJRT_Error *e = NULL;
    Copy *c = malloc(sizeof *c);
    if (!c) return error_no_memory();
    *c = *copy;
    if (!(c->from = buffer_hold(b, &e))) return free(c), e;
    if (c->from->made && !event_is_set(c->from->made)) {
        if ((c->done = *done = event_new())) {
            if (c->into) atomic_fetch_add(&c->into->users, 1);
            if (!(e = event_tell(c->from->made, copy_computed, c))) return NULL;
            if (c->into) block_drop(c->into);
            event_drop(*done); /* nobody will set it */
            event_drop(*done);
        } else e = error_no_memory();
    } else if (!(e = block_wait(c->from))) {
        copy_now(c);
        *done = event_ready();
    }
    block_drop(c->from);
    free(c);
    return e;
}

static PJRT_Error *buffer_to_host(PJRT_Buffer_ToHostBuffer_Args *a)
{
    PJRT_Error *e = NULL;
    PJRT_Buffer *b = a->src;
    size_t size = row_of_number(b->type)->bytes;
    if (!a->dst) return a->dst_size = b->bytes, NULL;
    if (a->dst_size < b->bytes)
        return error_new(PJRT_Error_Code_INVALID_ARGUMENT, "weft: %zu bytes for an array of %zu", a->dst_size,
                         b->bytes);
    Copy c = { .size = size, .rank = b->rank, .bytes = b->bytes, .to = a->dst };
    if ((e = read_strides(a->host_layout, b->layout, b->dim, size, c.stride))) return e;
    layout_strides(b->layout, b->dim, size, c.from_stride);
    memcpy(c.dim, b->dim, b->rank * sizeof *c.dim);
    return copy_when_computed(b, &c, &a->event);
}

static PJRT_Error *buffer_raw_to_host(PJRT_Buffer_CopyRawToHost_Args *a)
{
    if (a->offset < 0 || a->transfer_size < 0 || (size_t)a->offset > a->buffer->bytes ||
        (size_t)a->transfer_size > a->buffer->bytes - (size_t)a->offset)
        return error_new(PJRT_Error_Code_OUT_OF_RANGE, "weft: bytes %lld and %lld more, of %zu",
                         (long long)a->offset, (long long)a->transfer_size, a->buffer->bytes);
    Copy c = {
        .offset = (size_t)a->offset, .size = 1, .rank = 1, .bytes = (size_t)a->transfer_size, .to = a->dst
    };
    c.dim[0] = a->transfer_size;
    c.stride[0] = c.from_stride[0] = 1;
    return copy_when_computed(a->buffer, &c, &a->event);
}

static PJRT_Error *copy_of(PJRT_Buffer *b, PJRT_Memory *memory, PJRT_Buffer **out)
{
    PJRT_Error *e = NULL;
    const TypeRow *row = row_of_number(b->type);
    weft_type t = { (weft_dtype)row->dtype, (int)b->rank, b->dim, row->element };
    PJRT_Buffer *copy = buffer_new(memory, t, b->layout, NULL, &e);
    if (e) return e;
    Copy c = { .into = copy->block, .size = 1, .rank = 1, .bytes = b->bytes, .to = copy->block->data };
    c.dim[0] = (int64_t)b->bytes;
    c.stride[0] = c.from_stride[0] = 1;
    if ((e = copy_when_computed(b, &c, &copy->block->made))) {
        copy->block->made = NULL;
        buffer_free(copy);
    } else *out = copy;
    return e;
}

static PJRT_Error *buffer_to_device(PJRT_Buffer_CopyToDevice_Args *a)
{
    return copy_of(a->buffer, &a->dst_device->client->memory[MEMORY_DEVICE], &a->dst_buffer);
}
static PJRT_Error *buffer_to_memory(PJRT_Buffer_CopyToMemory_Args *a)
{
    return copy_of(a->buffer, memory_of(a->buffer->memory->client, a->dst_memory), &a->dst_buffer);
}

/* ---- what it is ---- */

GIVES(buffer_destroy, Buffer_Destroy, buffer_free(a->buffer))
GIVES(buffer_element_type, Buffer_ElementType, a->type = a->buffer->type)
GIVES(buffer_dimensions, Buffer_Dimensions, (a->dims = a->buffer->dim, a->num_dims = a->buffer->rank))
GIVES(buffer_unpadded, Buffer_UnpaddedDimensions,
      (a->unpadded_dims = a->buffer->dim, a->num_dims = a->buffer->rank))
GIVES(buffer_dynamic, Buffer_DynamicDimensionIndices,
      (a->dynamic_dim_indices = NULL, a->num_dynamic_dims = 0))
GIVES(buffer_size, Buffer_OnDeviceSizeInBytes, a->on_device_size_in_bytes = a->buffer->bytes)
GIVES(buffer_device, Buffer_Device, a->device = &a->buffer->memory->client->device)
GIVES(buffer_memory, Buffer_Memory, a->memory = a->buffer->memory)
GIVES(buffer_delete_it, Buffer_Delete, buffer_delete(a->buffer))
GIVES(buffer_on_cpu, Buffer_IsOnCpu, a->is_on_cpu = true)
GIVES(buffer_used_more, Buffer_IncreaseExternalReferenceCount, see(a->buffer))
GIVES(buffer_used_less, Buffer_DecreaseExternalReferenceCount, see_no_more(a->buffer))

static PJRT_Error *buffer_is_deleted(PJRT_Buffer_IsDeleted_Args *a)
{
    Block *block = enter(a->buffer);
    leave(a->buffer, block);
    a->is_deleted = !block;
    return NULL;
}

static PJRT_Error *buffer_ready(PJRT_Buffer_ReadyEvent_Args *a)
{
    PJRT_Error *e = NULL;
    Block *block = buffer_hold(a->buffer, &e);
    if (!block) return e;
    a->event = block->made ? event_hold(block->made) : event_ready();
    block_drop(block);
    return NULL;
}

static PJRT_Error *buffer_layout(PJRT_Buffer_GetMemoryLayout_Args *a)
{
    a->layout = (PJRT_Buffer_MemoryLayout){ .struct_size = PJRT_Buffer_MemoryLayout_STRUCT_SIZE,
                                            .type = PJRT_Buffer_MemoryLayout_Type_Tiled };
    a->layout.tiled =
        (PJRT_Buffer_MemoryLayout_Tiled){ .struct_size = PJRT_Buffer_MemoryLayout_Tiled_STRUCT_SIZE,
                                          .minor_to_major = a->buffer->layout->axis,
                                          .minor_to_major_size = a->buffer->rank };
    return NULL;
}

static PJRT_Error *pointer(PJRT_Buffer *b, void **out)
{
    PJRT_Error *e = NULL;
    Block *block = read_buffer(b, &e);
    if (!block) return e;
    *out = block->data;
    block_drop(block);
    return NULL;
}

static PJRT_Error *buffer_unsafe_pointer(PJRT_Buffer_UnsafePointer_Args *a)
{
    void *data = NULL;
    PJRT_Error *e = pointer(a->buffer, &data);
    a->buffer_pointer = (uintptr_t)data;
    return e;
}

static PJRT_Error *buffer_pointer(PJRT_Buffer_OpaqueDeviceMemoryDataPointer_Args *a)
{
    return pointer(a->buffer, &a->device_memory_ptr);
}

void api_add_buffers(PJRT_Api *api)
{
    api->PJRT_Client_BufferFromHostBuffer = buffer_from_host;
    api->PJRT_Client_CreateUninitializedBuffer = buffer_uninitialized;
    api->PJRT_Client_CreateViewOfDeviceBuffer = buffer_view;
    api->PJRT_Buffer_Destroy = buffer_destroy;
    api->PJRT_Buffer_ElementType = buffer_element_type;
    api->PJRT_Buffer_Dimensions = buffer_dimensions;
    api->PJRT_Buffer_UnpaddedDimensions = buffer_unpadded;
    api->PJRT_Buffer_DynamicDimensionIndices = buffer_dynamic;
    api->PJRT_Buffer_GetMemoryLayout = buffer_layout;
    api->PJRT_Buffer_OnDeviceSizeInBytes = buffer_size;
    api->PJRT_Buffer_Device = buffer_device;
    api->PJRT_Buffer_Memory = buffer_memory;
    api->PJRT_Buffer_Delete = buffer_delete_it;
    api->PJRT_Buffer_IsDeleted = buffer_is_deleted;
    api->PJRT_Buffer_CopyToDevice = buffer_to_device;
    api->PJRT_Buffer_CopyToMemory = buffer_to_memory;
    api->PJRT_Buffer_ToHostBuffer = buffer_to_host;
    api->PJRT_Buffer_CopyRawToHost = buffer_raw_to_host;
    api->PJRT_Buffer_IsOnCpu = buffer_on_cpu;
    api->PJRT_Buffer_ReadyEvent = buffer_ready;
    api->PJRT_Buffer_UnsafePointer = buffer_unsafe_pointer;
    api->PJRT_Buffer_IncreaseExternalReferenceCount = buffer_used_more;
    api->PJRT_Buffer_DecreaseExternalReferenceCount = buffer_used_less;
    api->PJRT_Buffer_OpaqueDeviceMemoryDataPointer = buffer_pointer;
}
