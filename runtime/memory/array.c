/* array.c: handles and their data; making arrays. */
#include "array.h"
#include <string.h>
#include "floating.h"
#include "reserve.h"

enum { SLAB_HANDLES = 64, STALE_KEPT = 2048 };

struct HandleSlab {
    HandleSlab *next;
    weft_array handle[SLAB_HANDLES];
};

static Reserve slabs = RESERVE_OF(HandleSlab, 0);

/* ---- handles ---- */

static bool add_slab(Local *l)
{
    weft_context *ctx = l->ctx;
    HandleSlab *s = reserve_charge(&slabs, &ctx->memory);
    if (!s) return false;
    for (int i = SLAB_HANDLES - 1; i >= 0; i--) {
        weft_array *a = &s->handle[i];
        a->ctx = ctx;
        a->next = l->spare;
        l->spare = a;
    }
    LOCK(&ctx->lock);
    s->next = ctx->slabs;
    ctx->slabs = s;
    return true;
}

static bool refill(Local *l)
{
    weft_context *ctx = l->ctx;
    {
        LOCK(&ctx->lock);
        l->spare = ctx->spare;
        ctx->spare = NULL;
    }
    return l->spare || add_slab(l);
}

static weft_array *handle_new(Local *l)
{
    if (!l->spare && !refill(l)) return NULL;
    weft_array *a = l->spare;
    l->spare = a->next;
    a->next = NULL;
    a->link = NULL;
    a->owner = NULL;
    a->donated = a->rounded = false;
    return a;
}

static void handle_free(weft_array *a)
{
    weft_context *ctx = a->ctx;
    a->state = ARRAY_FREED;
    if (a->owner) {
        Local *l = a->owner->local;
        a->next = l->spare;
        l->spare = a;
        return;
    }
    LOCK(&ctx->lock);
    a->next = ctx->spare;
    ctx->spare = a;
}

/* The oldest handle of a finished trace, if there are more than are kept; else NULL. */
static weft_array *take_stale(weft_context *ctx)
{
    LOCK(&ctx->lock);
    if (ctx->n_stale <= STALE_KEPT) return NULL;
    weft_array *a = ctx->stale;
    ctx->stale = a->next;
    ctx->n_stale--;
    return a;
}

weft_array *array_new_traced(Local *l, uint64_t trace, Ref ref)
{
    weft_array *a = l->ctx->n_stale > STALE_KEPT ? take_stale(l->ctx) : NULL;
    if (!a) a = handle_new(l);
    if (!a) return NULL;
    a->next = NULL;
    a->state = ARRAY_TRACED;
    a->trace = trace;
    a->ref = ref;
    return a;
}

void array_stale(weft_context *ctx, weft_array *first, weft_array **end, uint32_t n)
{
    if (!n) return;
    LOCK(&ctx->lock);
    *ctx->stale_end = first;
    ctx->stale_end = end;
    *end = NULL;
    ctx->n_stale += n;
}

/* ---- data ---- */

static void data_free(weft_array *a)
{
    Memory *m = &a->ctx->memory;
    if (a->capacity) memory_block_free(m, a->data, a->capacity);
    if (a->dim != a->dims) memory_free(m, a->dim, a->rank * sizeof(int64_t));
    a->ctx->counts.arrays--;
}

void array_retain(weft_array *a) { a->refs++; }

/* The user's function comes last: whatever it calls, nothing of the array is looked at any more. */
static void end_borrowed(weft_array *a)
{
    weft_context *ctx = a->ctx;
    Local *l = a->owner ? a->owner->local : context_local(ctx);
    void (*release)(void *, void *) = a->release;
    void *user = a->user, *data = a->data;
    Callback c;
    data_free(a);
    handle_free(a);
    callback_begin(&c, "an array's release", ctx, l);
    release(user, data);
    callback_end(&c);
}

static void finish(weft_array *a)
{
    if (a->release) {
        end_borrowed(a);
        return;
    }
    data_free(a);
    handle_free(a);
}

void array_unretain(weft_array *a)
{
    if (--a->refs) return;
    a->owner = NULL;
    finish(a);
}

bool array_own(weft_array *a)
{
    size_t bytes = array_bytes(a), capacity = 0;
    if (a->data == a->small || a->capacity || a->release) return true;
    void *copy = bytes > ARRAY_SMALL ? memory_block(&a->ctx->memory, bytes, &capacity) : a->small;
    if (!copy) return false;
    memcpy(copy, a->data, bytes);
    a->data = copy;
    a->capacity = capacity;
    return true;
}

/* Memory that was lent is its owner's again once the array is freed: code that met the array gets a copy. */
void array_release(weft_array *a)
{
    a->state = ARRAY_FREED;
    if (a->refs > 1 && a->ctx->open && !array_own(a)) a->data = NULL;
    if (--a->refs) return;
    finish(a);
}

void array_close(weft_context *ctx)
{
    while (ctx->kept) {
        weft_array *a = ctx->kept;
        scope_remove(a);
        array_release(a);
    }
    for (HandleSlab *s = ctx->slabs, *next; s; s = next) {
        next = s->next;
        reserve_give(&slabs, s);
        memory_discharge(&ctx->memory, sizeof *s);
    }
    ctx->slabs = NULL;
}

/* dim points into the handle, or to memory of its own. */
static bool set_type(weft_array *a, Type t)
{
    a->dtype = t.dtype;
    a->rank = t.rank;
    a->count = type_count(t);
    a->dim = a->dims;
    if (t.rank > ARRAY_DIMS && !(a->dim = memory_alloc(&a->ctx->memory, t.rank * sizeof(int64_t))))
        return false;
    for (int i = 0; i < t.rank; i++)
        a->dim[i] = t.dim[i]; /* few: a loop, where memcpy would be a string instruction */
    return true;
}

weft_array *array_head(Local *l, Type t)
{
    weft_array *a = handle_new(l);
    if (!a) return NULL;
    a->data = NULL, a->capacity = 0, a->release = NULL, a->user = NULL;
    if (!set_type(a, t)) {
        handle_free(a);
        return NULL;
    }
    a->state = ARRAY_CONCRETE;
    atomic_init(&a->refs, 1);
    atomic_fetch_add_explicit(&l->ctx->counts.arrays, 1, memory_order_relaxed);
    return a;
}

void array_move(Local *l, weft_array *head, weft_array *from)
{
    head->data = from->data;
    head->capacity = from->capacity;
    from->data = from->small;
    from->capacity = 0;
    scope_add(l, head);
}

static weft_array *array_room(Local *l, Type t)
{
    weft_array *a = array_head(l, t);
    if (!a) return NULL;
    size_t bytes = array_bytes(a);
    a->data = a->small;
    if (bytes > ARRAY_SMALL && !(a->data = memory_block(&l->ctx->memory, bytes, &a->capacity))) {
        a->capacity = 0;
        array_release(a);
        return NULL;
    }
    return a;
}

static void no_room(Local *l, Type t, const char *who, const char *at)
{
    const Memory *m = &l->ctx->memory;
    int64_t count = type_count(t);
    const char *text = TYPE_TEXT(t);
    if (count < 0) error_set(l, WEFT_MEMORY, who, at, "%s %s", text, type_overflow(t));
    else if (!m->limit)
        error_set(l, WEFT_MEMORY, who, at, "out of memory: %s takes %zu bytes", text,
                  (size_t)count * dtype_bytes((DType)t.dtype));
    else
        error_set(l, WEFT_MEMORY, who, at, "out of memory: %s takes %zu bytes (%zu bytes held, limit %zu)",
                  text, (size_t)count * dtype_bytes((DType)t.dtype), (size_t)m->held, m->limit);
}

weft_array *array_new(Local *l, Type t, const char *who, const char *at)
{
    weft_array *a = type_count(t) < 0 ? NULL : array_room(l, t);
    if (a) scope_add(l, a);
    else no_room(l, t, who, at);
    return a;
}

bool array_check_type(Local *l, weft_dtype dtype, int rank, const int64_t *dim, const char *who,
                      const char *at)
{
    if ((unsigned)dtype >= DTYPE_COUNT)
        return error_set(l, WEFT_ARGUMENT, who, at, "%d is no element type (0 to %d)", (int)dtype,
                         DTYPE_COUNT - 1);
    if (rank < 0 || rank > WEFT_MAX_RANK)
        return error_set(l, WEFT_SHAPE, who, at, "rank %d: arrays have 0 to %d axes", rank, WEFT_MAX_RANK);
    if (rank && !dim) return error_set(l, WEFT_ARGUMENT, who, at, "the shape is NULL");
    for (int i = 0; i < rank; i++) {
        if (dim[i] >= 0) continue;
        return error_set(l, WEFT_SHAPE, who, at, "axis %d has the negative size %lld", i, (long long)dim[i]);
    }
    Type t = { (uint8_t)dtype, (uint8_t)rank, dim };
    if (type_count(t) >= 0) return true;
    return error_set(l, WEFT_SHAPE, who, at, "%s %s", TYPE_TEXT(t), type_overflow(t));
}

/* ---- making ---- */

weft_array *array_lent(Local *l, Type t, void *data, void (*release)(void *user, void *data), void *user)
{
    weft_array *a = array_head(l, t);
    if (!a) return NULL;
    a->data = data ? data : a->small;
    a->release = release;
    a->user = user;
    scope_add(l, a);
    return a;
}

void array_normalize_bools(void *bytes, size_t n)
{
    unsigned char *p = bytes;
    for (size_t i = 0; i < n; i++) p[i] = p[i] != 0;
}

static bool check_from(Local *l, weft_dtype dtype, const void *data, int rank, const int64_t *shape,
                       const char *who, const char *at)
{
    if (!array_check_type(l, dtype, rank, shape, who, at)) return false;
    if (data || type_count((Type){ (uint8_t)dtype, (uint8_t)rank, shape }) == 0) return true;
    return error_set(l, WEFT_ARGUMENT, who, at, "the data is NULL");
}

weft_array *weft_from_(weft_context *ctx, weft_dtype dtype, const void *data, int rank, const int64_t *shape,
                       const char *at)
{
    Local *l = context_enter(ctx, "weft_from", at);
    if (!l || !check_from(l, dtype, data, rank, shape, "weft_from", at)) return NULL;
    weft_array *a = array_new(l, (Type){ (uint8_t)dtype, (uint8_t)rank, shape }, "weft_from", at);
    if (a && a->count) memcpy(a->data, data, array_bytes(a));
    if (a && dtype == WEFT_BOOL) array_normalize_bools(a->data, array_bytes(a));
    return a;
}

weft_array *weft_borrow_(weft_context *ctx, weft_dtype dtype, void *data, int rank, const int64_t *shape,
                         void (*release)(void *user, void *data), void *user, const char *at)
{
    Local *l = context_enter(ctx, "weft_borrow", at);
    if (!l || !check_from(l, dtype, data, rank, shape, "weft_borrow", at)) return NULL;
    if ((uintptr_t)data % dtype_bytes(dtype_part(dtype)))
        return error_set(l, WEFT_ARGUMENT, "weft_borrow", at,
                         "the data is not aligned to its elements' %zu bytes",
                         dtype_bytes(dtype_part(dtype))),
               NULL;
    weft_array *a = array_lent(l, (Type){ (uint8_t)dtype, (uint8_t)rank, shape }, data, release, user);
    if (!a) error_memory(l, "weft_borrow", at);
    return a;
}

static weft_array *make_scalar(weft_context *ctx, weft_dtype dtype, double re, double im, const char *who,
                               const char *at)
{
    Local *l = context_enter(ctx, who, at);
    if (!l || !array_check_type(l, dtype, 0, NULL, who, at)) return NULL;
    weft_array *a = array_new(l, (Type){ .dtype = (uint8_t)dtype }, who, at);
    uint32_t mode = floating_enter();
    if (a) scalar_from_parts(dtype, re, im, a->data);
    floating_leave(mode);
    return a;
}

static bool is_f32(double v) { return v != v || (float)v == v; }

void array_set_exact(weft_array *a, double re, double im)
{
    uint32_t mode = floating_enter();
    a->rounded = !is_f32(re) || !is_f32(im);
    floating_leave(mode);
    a->exact = re;
    a->exact_imag = im;
}

/* In the context's float type, or its complex twin. */
static weft_array *make_weak(weft_context *ctx, bool is_complex, double re, double im, const char *at)
{
    static const char who[] = "weft_scalar";
    Local *l = context_enter(ctx, who, at);
    if (!l) return NULL;
    weft_dtype real = context_real(l->ctx);
    weft_array *a = make_scalar(ctx, is_complex ? dtype_complex(real) : real, re, im, who, at);
    if (a && real == WEFT_F32) array_set_exact(a, re, im);
    return a;
}

weft_array *weft_scalar_(weft_context *ctx, double v, const char *at)
{
    return make_weak(ctx, false, v, 0, at);
}

weft_array *weft_scalar_as_(weft_context *ctx, weft_dtype dtype, double v, const char *at)
{
    return make_scalar(ctx, dtype, v, 0, "weft_scalar_as", at);
}

weft_array *weft_scalar_complex_(weft_context *ctx, double re, double im, const char *at)
{
    return make_weak(ctx, true, re, im, at);
}

weft_array *weft_scalar_parts_(weft_context *ctx, weft_dtype dtype, double re, double im, const char *at)
{
    static const char who[] = "weft_scalar_as";
    if ((unsigned)dtype < DTYPE_COUNT && !dtype_is_complex(dtype)) {
        error_set(context_enter(ctx, who, at), WEFT_DTYPE, who, at,
                  "a complex number cannot be %s: take its real part", dtype_name(dtype));
        return NULL;
    }
    return make_scalar(ctx, dtype, re, im, who, at);
}
