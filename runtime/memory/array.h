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
    bool donated : 1;
    bool rounded : 1; /* f32 or c64 elements, each for one number in doubles that they cannot hold: exact */
    /* the scope's, and one for each cached code or plan that needs the data: these outlive weft_free */
    _Atomic uint32_t refs;
    int64_t count;
    union {
        /* capacity 0: small, or borrowed; data NULL: was lent, and lost */
        struct {
            void *data;
            size_t capacity;
            void (*release)(void *user, void *data);
            union {
                void *user;
                double exact_imag; /* rounded, and so not lent */
            };
        };
        struct {
            uint64_t trace;
            Ref ref;
        }; /* TRACED: serial of the trace */
    };
    int64_t *dim; /* CONCRETE: dims, or memory of its own */
    int64_t dims[ARRAY_DIMS];
    double exact;
    _Alignas(64) char small[ARRAY_SMALL];
};

/* A concrete array in the current scope, with room for its elements. NULL: an error is set. */
weft_array *array_new(Local *, Type, const char *who, const char *at);
/* array_head makes an array without data, in no scope. array_move gives it the data of another array, which
 * keeps none, and puts it into the current scope. NULL: out of memory, no error set. */
weft_array *array_head(Local *, Type);
void array_move(Local *, weft_array *head, weft_array *from);
/* Memory of somebody else's, in the current scope, until release(user, data); NULL: until the array is freed.
 * NULL: out of memory, no error set. */
weft_array *array_lent(Local *, Type, void *data, void (*release)(void *user, void *data), void *user);
weft_array *array_new_traced(Local *, uint64_t trace, Ref); /* NULL: out of memory, no error set */
/* The owner of a concrete array, which is in no list any more, needs it no longer. */
void array_release(weft_array *);
/* Takes back the handles of a trace that is over, linked by next. */
void array_stale(weft_context *, weft_array *first, weft_array **end, uint32_t n);
void array_retain(weft_array *);
void array_unretain(weft_array *); /* the last one frees the data */
/* Lent data (weft_borrow without a release function) becomes the array's own, a copy. False: no memory. */
bool array_own(weft_array *);
/* Elements of f32 or c64 stand for this number: rounded, if they have not all its digits. */
void array_set_exact(weft_array *, double re, double im);
void array_close(weft_context *); /* frees all of them */
/* What is not 0 becomes 1: eager mode and compiled code would read other bytes differently. */
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
