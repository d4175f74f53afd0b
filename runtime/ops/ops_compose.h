/* ops_compose.h: what the public ops share: reading operands, promotion, broadcasting, axis texts, and the
 * primitives under short names.
 *
 * A public op is ops_begin, a composition of the functions below, ops_end. Each of them takes NULL for a
 * failed value and gives NULL on, so a composition needs no checks; whatever looks at a type itself
 * (array_type) asks first. Temporaries belong to the call's own scope and die in ops_end; the result goes to
 * the caller's scope. A primitive that would change nothing gives its operand back; ops_end copies what is
 * not of this call, for an array has one owner.
 */
#ifndef WEFT_OPS_OPS_COMPOSE_H
#define WEFT_OPS_OPS_COMPOSE_H
#include "runtime/memory/array.h"
#include "runtime/trace/op.h"
#include "weft/ops.h"

/* The scope of a public function's temporaries, on its stack. */
typedef struct OpsCall {
    weft_scope scope;
    bool open;
} OpsCall;
/* Names the op for messages, checks its operands, opens the scope in the context (NULL: the operands', or the
 * current one). False: an operand is unusable; then ops_end(&call, NULL). */
bool ops_begin(OpsCall *, const char *name, const char *at, weft_context *, const weft_operand *, int n);
/* of x, and if it is not NULL another array that an option names */
bool ops_begin_on(OpsCall *, const char *name, const char *at, const weft_array *x, const weft_array *other);
bool ops_begin_list(OpsCall *, const char *name, const char *at, const weft_array *const *, int n);
weft_array *ops_end(OpsCall *, weft_array *result);
weft_status ops_end_status(OpsCall *, bool good); /* not good: the pending error's code */
weft_array *ops_keep(OpsCall *, weft_array *);    /* one of several results: to the caller's scope now */
/* The same into *to, which gets NULL if the call is not good; without `to` nothing is wanted. Is the call
 * good? */
bool ops_give(OpsCall *, weft_array **to, weft_array *, bool good);
/* The length of a list: n, or if that is -1, up to WEFT_LIST_END_. A list that ops_begin_list refuses
 * gives n. */
int ops_list_length(const weft_array *const *, int n);
/* Primitives borrow their operands and keep no const. */
static inline weft_array *ops_in(const weft_array *x) { return (weft_array *)(uintptr_t)x; }

static inline Type ops_type(DType t, const int64_t *dim, int rank)
{
    return (Type){ (uint8_t)t, (uint8_t)rank, dim };
}
static inline DType ops_dtype(const weft_array *x) { return (DType)array_type(x).dtype; }

/* How the common type is chosen: as promoted; then ints and bools to f32; or bools to i32. */
typedef enum { RULE_SAME, RULE_INEXACT, RULE_NUMERIC } OpsRule;
/* The head of a public op; its body follows. OPS_ENTRY(take, (weft_operand indices, int axis), (indices),
 * (indices, axis)) is weft_take_ of an array x and these parameters. The operands among them are listed, and
 * checked as x is; then the body has x and all of them. */
#define OPS_ENTRY(NAME, PARAMETERS, OPERANDS, ARGUMENTS) \
    static weft_array *NAME(weft_array *x, OPS_LIST PARAMETERS); \
    OPS_ENTRY_OF(NAME, (const weft_array *x, OPS_LIST PARAMETERS, const char *at), \
                 (weft_of_array(x), OPS_LIST OPERANDS), NAME(ops_in(x), OPS_LIST ARGUMENTS)) \
    static weft_array *NAME(weft_array *x, OPS_LIST PARAMETERS)
/* A whole public op, of these operands, by a composition that is written elsewhere. OPS_ENTRY_IN has none,
 * but a context ctx. */
#define OPS_ENTRY_OF(NAME, PARAMETERS, OPERANDS, COMPOSITION) \
    weft_array *weft_##NAME##_ PARAMETERS \
    { \
        OpsCall call; \
        const weft_operand operands[] = { OPS_LIST OPERANDS }; \
        int n_operands = (int)(sizeof operands / sizeof *operands); \
        bool good = ops_begin(&call, "weft_" #NAME, at, NULL, operands, n_operands); \
        return ops_end(&call, good ? (COMPOSITION) : NULL); \
    }
#define OPS_ENTRY_IN(NAME, PARAMETERS, COMPOSITION) \
    weft_array *weft_##NAME##_ PARAMETERS \
    { \
        OpsCall call; \
        bool good = ops_begin(&call, "weft_" #NAME, at, ctx, NULL, 0); \
        return ops_end(&call, good ? (COMPOSITION) : NULL); \
    }
#define OPS_LIST(...) __VA_ARGS__
/* weft_NAME of two arrays, by weft_NAME_. */
#define OPS_OF_ARRAYS(NAME) \
    weft_array *(weft_##NAME)(weft_array * a, weft_array * b) \
    { \
        return weft_##NAME##_(weft_of_array(a), weft_of_array(b), NULL); \
    }

/* weft_NAME_ and weft_NAME of one operand x, in the type that the rule says: by the function f (NULL: by the
 * op), and OPS_UNARY_AS by an expression. */
typedef weft_array *OpsUnary(weft_array *);
weft_array *ops_unary(const char *name, OpsUnary *f, Op, OpsRule, weft_operand, const char *at);
#define OPS_UNARY_AS(NAME, composition, rule) \
    static weft_array *NAME##_of(weft_array *x) { return composition; } \
    OPS_UNARY(NAME, NAME##_of, rule)
#define OPS_UNARY(NAME, f, rule) OPS_UNARY_BY(NAME, ops_unary("weft_" #NAME, f, OP_COUNT, rule, x, at))
#define OPS_UNARY_BY(NAME, call) \
    weft_array *weft_##NAME##_(weft_operand x, const char *at) { return call; } \
    weft_array *(weft_##NAME)(weft_array * x) { return weft_##NAME##_(weft_of_array(x), NULL); }

/* The type of floats that nobody names, of the op's context. ops_weak_float: what an array of type t is where
 * a float is needed; ops_promote: the common type of two arrays. */
DType ops_real(void);
DType ops_weak_float(DType t);
DType ops_weak_complex(DType t);
DType ops_promote(DType a, DType b);
/* The common type of operands: arrays by JAX's lattice, then C numbers weakly. */
DType ops_common_dtype(const weft_operand *, int n, OpsRule);
/* One operand as an array of type t; a number becomes a rank-0 constant. An int that t cannot hold is an
 * error. */
weft_array *ops_operand(weft_operand, DType t);
/* One operand in its own type. */
weft_array *ops_value(weft_operand);
/* All operands in their common type and shape. */
bool ops_unify(const weft_operand *, int n, OpsRule, weft_array **out);
typedef struct Shape {
    int rank;
    int64_t dim[WEFT_MAX_RANK];
} Shape;
/* NumPy's broadcasting; else op_fail and false */
bool ops_common_shape(const Type *, int n, Shape *out);
bool ops_fits(Type, const int64_t *dim, int rank); /* does it broadcast to that shape? */

const char *ops_skip_spaces(const char *text);
/* Reads a number from a text and says where it ends. If there is none, or (after op_fail) one that no
 * int64 holds, the end is the start. */
int64_t ops_number(const char *text, const char **end);
/* Reads an entry of a list like "1:2, 0": at most `most` numbers with colons between; *given says how many.
 * Returns where the next entry begins, or the end; NULL: it cannot be read. */
const char *ops_entry(const char *text, int most, int64_t *numbers, int *given);
/* Axes as written ("0,-1") and normalized to 0 .. rank-1. */
typedef struct AxisList {
    int n;
    int64_t axis[WEFT_MAX_RANK];
} AxisList;
bool ops_axes(const char *text, Type of, AxisList *out); /* in the order written; NULL text: all */
bool ops_axes_ascending(const char *text, Type of, AxisList *out);
/* rank: of the shape the axis is of; of: for messages */
bool ops_axis(int64_t axis, int rank, Type of, int *out);
bool ops_unused(bool given, const char *option); /* not given; else op_fail: the op does not have it */
/* The text of an option, or none; else op_fail: it is a number, which C takes for a pointer. */
bool ops_is_text(const char *text, const char *option, const char *written);
/* False, after op_fail, if the option was written as 0.9, which C cuts to 0. */
bool ops_is_int(const char *option, const char *written);
bool ops_dtype_ok(weft_dtype);
bool ops_float_ok(DType); /* a float's; else op_fail */
/* An int type; else op_fail: "the indices must be integers", which are not. */
bool ops_int_ok(Type, const char *must);
bool ops_rank_ok(int64_t rank);                        /* at most WEFT_MAX_RANK; else op_fail */
bool ops_sizes_ok(const int64_t *dim, int rank);       /* rank_ok, and sizes are there */
bool ops_dims_ok(DType, const int64_t *dim, int rank); /* sizes_ok, none negative, bytes in range */
/* "[3,-1]" */
char *ops_dims_text(char *buf, size_t size, const int64_t *dim, int rank);
#define OPS_DIMS(dim, rank) ops_dims_text((char[128]){ 0 }, 128, (dim), (rank))

/* Primitives. Those that would change nothing give their operand back. */
weft_array *ops_convert(weft_array *, DType); /* to bool: x != 0 */
/* For what computes in a wider type within: weft_scalar's f32 is the f32, not its double. Not to bool */
weft_array *ops_convert_as_is(weft_array *, DType);
weft_array *ops_inexact(weft_array *); /* ints and bools to f32 */
weft_array *ops_bitcast(weft_array *, DType);
weft_array *ops_reshape(weft_array *, const int64_t *dim, int rank);
/* aligned at the last axis; must be possible */
weft_array *ops_broadcast(weft_array *, const int64_t *dim, int rank);
weft_array *ops_stretch(weft_array *, const int64_t *dim, int rank); /* the same; else op_fail */
weft_array *ops_broadcast_axes(weft_array *, const int64_t *dim, int rank, const int64_t *axes);
weft_array *ops_transpose(weft_array *, const int64_t *perm);
weft_array *ops_expand(weft_array *, int axis); /* a new axis of size 1 before axis */
weft_array *ops_slice_axis(weft_array *, int axis, int64_t start, int64_t limit, int64_t stride);
weft_array *ops_concatenate(weft_array *const *, int n, int axis); /* equal types */
weft_array *ops_binary(Op, weft_array *, weft_array *);            /* promotes, broadcasts */
/* promotes, broadcasts; complex numbers by their real and then by their imaginary parts */
weft_array *ops_compare(CompareDir, weft_array *, weft_array *);
/* OP_REAL, OP_IMAG */
weft_array *ops_part(Op, weft_array *);
/* broadcasts; t and f of one type; p bool */
weft_array *ops_select(weft_array *p, weft_array *t, weft_array *f);
weft_array *ops_splat(DType, const int64_t *dim, int rank, uint64_t bits);
weft_array *ops_fill(const weft_array *like, double v); /* like's type and shape */
weft_array *ops_with(Op, weft_array *, double);         /* x op number */
weft_array *ops_from(Op, double, weft_array *);         /* number op x */
weft_array *ops_compare_with(CompareDir, weft_array *, double);
weft_array *ops_iota(DType, const int64_t *dim, int rank, int axis);
weft_array *ops_reduce(Op monoid, weft_array *, const AxisList *, bool keep); /* axes ascending */
weft_array *ops_keep_axes(weft_array *, Type of,
                          const AxisList *); /* what lost these axes of `of`, with 1s there */
weft_array *ops_nonzero(weft_array *);       /* x != 0, as bool */

/* An op with a region, which build makes in the arena, from what. False: an error is set, and the results are
 * not touched or NULL. */
typedef const Graph *OpsRegionBuild(Arena *, const void *what);
bool ops_apply_region(OpsRegionBuild *, const void *what, Op, weft_array *const *args, int n_args,
                      const int64_t *attr, int n_attr, weft_array **results, int n_results);
/* One with the region of a monoid (OP_RESULT: that gives the new one) in the type of the first operand. */
weft_array *ops_apply_monoid(Op monoid, Op, weft_array *const *args, int n_args, const int64_t *attr,
                             int n_attr);

/* Shared between subjects. */
/* No complex numbers; else op_fail. NULL: nothing to say. */
bool ops_no_complex(const weft_array *);
/* .where in the shape of what is reduced; else op_fail and NULL. */
weft_array *ops_mask(const weft_array *where, Type);
/* weft_pad's text as PAD's attributes: low, high and between, a list of the rank each. */
bool ops_widths(const char *text, Type of, int64_t *attr);
/* x with v combined into its slices at the indices along an axis; v has the shape of those slices
 * (index_shape). Indices are neither wrapped nor clamped: one out of range is dropped. op: a monoid, or
 * OP_RESULT for v itself. */
weft_array *ops_scatter(weft_array *x, weft_array *indices, int axis, weft_array *v, Op);
weft_array *ops_cumulative(Op monoid, weft_array *, int axis, bool reverse);
weft_array *ops_searchsorted(weft_array *sorted, weft_array *v, bool right);
weft_array *ops_logaddexp(weft_array *a, weft_array *b);
#endif
