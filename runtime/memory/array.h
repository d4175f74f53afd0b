/* array.h: what a handle is.
 *
 * Handles are type-stable: their memory comes from slabs that belong to the context and are never given back
 * (reserve.h), so a pointer to a freed array, to one of a closed context, or to a traced value of a trace
 * that is over, is never wild: its state or its trace's serial number says what it is. Freed concrete handles
 * are reused at once; those of finished traces only after STALE_KEPT more.
 */
#ifndef WEFT_MEMORY_ARRAY_H
#define WEFT_MEMORY_ARRAY_H
#include "compiler/graph/graph.h"
#include "context.h"

typedef enum { ARRAY_FREED, ARRAY_CONCRETE, ARRAY_TRACED } ArrayState;
enum { ARRAY_DIMS = 4, ARRAY_SMALL = 64 }; /* held in the handle itself: axes, bytes of data */

struct weft_array {
    weft_context *ctx; /* FREED: may be NULL */
    weft_scope *owner; /* concrete, in a scope; NULL: the context's, or in no list */
    /* in the owner's list; next: in lists of freed handles too. link NULL: in none */
    weft_array *next, **link;
    uint8_t dtype, rank, state;
    bool donated;
    /* the scope's, and one for each cached code or plan that needs the data: these outlive weft_free */
    _Atomic uint32_t refs;
    int64_t count;
    union {
        /* capacity 0: small, or borrowed; data NULL: was lent, and lost */
        struct {
            void *data;
            size_t capacity;
            void (*release)(void *user, void *data);
            void *user;
        };
        struct {
            uint64_t trace;
            Ref ref;
        }; /* TRACED: serial of the trace */
    };
    int64_t *dim; /* CONCRETE: dims, or memory of its own */
    int64_t dims[ARRAY_DIMS];
    _Alignas(64) char small[ARRAY_SMALL];
};

/* A concrete array of the current scope (or, detached, of none) with room for its elements. NULL: error set
 * in the running op's or who's name. */
weft_array *array_new(Local *, Type, const char *who, const char *at);
/* One without memory, in no scope yet; then the data of another, which keeps nothing, and a place in the
 * current scope. NULL: out of memory, no error set. */
weft_array *array_head(Local *, Type);
void array_move(Local *, weft_array *head, weft_array *from);
weft_array *array_new_traced(Local *, uint64_t trace, Ref); /* NULL: out of memory, no error set */
/* concrete and in no list any more: freed for its owner */
void array_release(weft_array *);
/* handles of a trace that is over, linked by next */
void array_stale(weft_context *, weft_array *first, weft_array **end, uint32_t n);
void array_retain(weft_array *);
void array_unretain(weft_array *); /* the last one frees the data */
/* Data that was lent (weft_borrow without a release function) becomes the array's own, a copy; other data is
 * that already. False: no memory. */
bool array_own(weft_array *);
void array_close(weft_context *); /* frees all of them */
/* Bytes that come from outside: what is not 0 becomes 1. Eager mode and compiled code differ about others. */
void array_normalize_bools(void *bytes, size_t n);
/* Rank, sizes and dtype within the limits? Else false and an error. */
bool array_check_type(Local *, weft_dtype, int rank, const int64_t *dim, const char *who, const char *at);
/* NULL and the numbers behind it are none: C takes the int that a && b is for such an address. */
static inline bool array_is_address(const weft_array *a) { return (uintptr_t)a >= 4096; }
static inline bool array_concrete(const weft_array *a) { return a->state == ARRAY_CONCRETE; }
/* CONCRETE only */
static inline Type array_own_type(const weft_array *a) { return (Type){ a->dtype, a->rank, a->dim }; }
static inline size_t array_bytes(const weft_array *a)
{
    return (size_t)a->count * dtype_bytes((DType)a->dtype);
}
#endif
