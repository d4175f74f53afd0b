/* weft/control.h: control flow on traced values, as transforms over natural signatures: a function for one
 * step in, a function of the same C type out.
 *
 *     static weft_array *step(weft_array *h, weft_array *x)
 *     {
 *         return weft_tanh(weft_add(weft_mul(h, 0.9), x));
 *     }
 *     weft_declare(ctx, step, weft_binary);
 *     weft_binary *last = weft_scan(ctx, step, "carry, 0");               h0 and xs [T] in, the last h out
 *
 * C has no closures: what a body uses is an argument. Concrete and traced arrays that it meets otherwise
 * (globals) are invariants too; run op by op, a call looks at the globals of its time, compiled code keeps
 * those that it was traced with (weft/fn.h).
 * A C if or for on an array's value looks at one value, while tracing; these look at each. All of them run at
 * once on concrete arrays (a loop of the body's graph, which is traced once for these shapes), are compiled
 * under jit into one native loop without a dispatch or an allocation per step, and can be vmapped: a batched
 * predicate becomes a select or a masked loop, an unbatched one stays a branch, and only what depends on the
 * batch is batched.
 *
 * ROLES. A text with one entry for each array or struct argument; one entry stands for all. For a struct:
 * {field: role, ...}, or one role for all its leaves.
 *     none      the same in every step
 *     carry     what a step gives to the next. An in-out struct (T *) carries itself. A weft_array * or const
 *               T * takes its next value from a result: the first such argument from the first result, and so
 *               on (the returned one first, then the WEFT_OUTs in order)
 *     0, 1, -1  (scan) sliced along this axis: a step sees one slice
 *     index     (fori) a rank-0 integer: begins at the argument and grows by one at each step
 *     end       (fori) a rank-0 integer of the index's type: the loop runs while index < end
 * "..." stands for all arguments that have no entry, and means none: a body with many constants is
 * "..., carry, 0", "carry, ..." or "0, ..., carry".
 * Results that are no carry are stacked along a new axis 0 (scan), or along the one after "->": "carry, 0 ->
 * none, 1" lists all results, none for those that are carries. "->" speaks of the returned array and the
 * WEFT_OUTs: an in-out struct goes out as it came in and is not written there (unless all results are, in the
 * order of the parameters). For
 *     void train(net *m, weft_array *x, WEFT_OUT weft_array **loss)
 * the text is "carry, 0 -> 0". Carries keep their types: a body that gives another shape, element type or
 * structure is an error that names the component, as in JAX.
 *
 * Semantics are those of jax.lax: scan, while_loop, fori_loop, cond, switch, map, associative_scan; soft_vmap
 * is numpyro.util's.
 */
#ifndef WEFT_CONTROL_H
#define WEFT_CONTROL_H
#include "weft/fn.h"
#ifdef __cplusplus
extern "C" {
#endif

/* What is not written has its default. An option that a transform does not have is WEFT_ARGUMENT. */
typedef struct {
    /* scan: steps, if nothing is sliced; else it must agree. Default: from the slices */
    int64_t length;
    /* scan, associative_scan: from the last slice to the first; results stay in their places */
    bool    reverse;
    int     unroll;             /* scan: steps per turn of the compiled loop; a hint */
    int64_t count;              /* fori: steps; needed without an end */
    int64_t batch;              /* map: how many at once; 0: one by one */
    int64_t chunk;              /* soft_vmap: at most so many at once; 0: all */
    int     batch_ndims;        /* soft_vmap: how many leading axes are the batch. Default: one */
    int     axis;               /* associative_scan, sort_with */
    /* scan, fori with a count: reverse mode keeps the carries of every k-th step and computes the steps
     * between again; 0: of all */
    int64_t checkpoint;
    /* the options as written, by which .count = 0 differs from none; NULL: all fields count, WEFT_NOT_SAID is
     * none */
    const char *written_;
} weft_control;
enum { WEFT_NOT_SAID = INT32_MIN };     /* length, count, batch_ndims */

weft_fn weft_scan_(weft_context *, weft_fn, const char *roles, weft_control, const char *at);
weft_fn weft_fori_(weft_context *, weft_fn, const char *roles, weft_control, const char *at);
weft_fn weft_while_(weft_context *, weft_fn cond, weft_fn body, const char *roles, const char *at);
weft_fn weft_switch_(weft_context *, const weft_fn *branches, int n, const char *at);
weft_fn weft_cond_(weft_context *, weft_fn yes, weft_fn no, const char *at);
weft_fn weft_map_(weft_context *, weft_fn, const char *axes, weft_control, const char *at);
weft_fn weft_soft_vmap_(weft_context *, weft_fn, const char *axes, weft_control, const char *at);
weft_fn weft_associative_scan_(weft_context *, weft_fn, const char *text, weft_control, const char *at);
weft_fn weft_sort_with_(weft_context *, weft_fn, const char *text, weft_control, const char *at);

/* f over slices, one after the other: weft_scan(ctx, f, "none, carry, 0"), weft_scan(ctx, f, "carry", .length
 * = 100), .reverse, .unroll, .checkpoint = k: less memory for derivatives in reverse (weft/grad.h), at the
 * price of running the steps twice. */
#define weft_scan(ctx, ...) \
    WEFT_CALLC_(weft_scan_, ctx, WEFT_FIRST_(__VA_ARGS__), WEFT_BEHIND_(WEFT_ROLES_, __VA_ARGS__))
#define WEFT_ROLES_ WEFT_WANTED_("weft: roles are wanted behind the function, as in \"carry, 0\"", "")
#define WEFT_CALLC_(call, ctx, f, ...) \
    ((WEFT_TYPE_(f))call(WEFT_A_CONTEXT_(ctx), WEFT_FN_(f), WEFT_TEXT_(__VA_ARGS__), \
                         WEFT_CONTROL_(__VA_ARGS__), WEFT_HERE))

/* f again and again: .count times, or while index < end: weft_fori(ctx, f, "index, end, carry"),
 * weft_fori(ctx, f, "carry, none", .count = 100). A fixed count is a scan, which reverse mode can
 * differentiate; one that is data is a while. */
#define weft_fori(ctx, ...) \
    WEFT_CALLC_(weft_fori_, ctx, WEFT_FIRST_(__VA_ARGS__), WEFT_BEHIND_(WEFT_ROLES_, __VA_ARGS__))

/* body while cond: cond takes the same leaves as body (in-outs may be const T * there) and gives one bool of
 * rank 0. Roles: none and carry. */
#define weft_while(ctx, cond, body, roles) \
    ((WEFT_TYPE_(body))weft_while_(WEFT_A_CONTEXT_(ctx), WEFT_FN_(cond), WEFT_FN_(body), \
                                   WEFT_A_TEXT_(roles), WEFT_HERE))

/* yes or no, two functions of one type: their first argument is the predicate, one bool of rank 0 (a number
 * is true if it is not 0), which both get too. */
#define weft_cond(ctx, yes, no) \
    ((WEFT_TYPE_(yes))weft_cond_(WEFT_A_CONTEXT_(ctx), WEFT_FN_(yes), WEFT_LIKE_(yes, no), WEFT_HERE))

/* One of n functions of type sig, given as an array of pointers: their first argument, an integer of rank 0,
 * says which, clamped to 0 .. n - 1. At most 1024. */
#define weft_switch(ctx, sig, branches, n) \
    ((sig *)weft_switch_(WEFT_A_CONTEXT_(ctx), WEFT_LIST_OF_(sig, branches), WEFT_AN_INT_(n), WEFT_HERE))

/* f of each element along the axes (as for vmap, none: "0"), one after the other, or .batch at once by vmap:
 * elements that are left over are a smaller batch, traced apart; nothing is padded. Memory grows with the
 * batch, not with the number of elements. */
#define weft_map(ctx, ...) \
    WEFT_CALLC_(weft_map_, ctx, WEFT_FIRST_(__VA_ARGS__), WEFT_BEHIND_("0", __VA_ARGS__))

/* f of each element of a batch of .batch_ndims leading axes, .chunk of them at once by vmap, one chunk after
 * the other. Where the size is not a multiple of the chunk the last one is filled up with zeros, whose
 * results are dropped: f must bear them. A size that is a multiple has no extra chunk, one chunk no loop, a
 * batch of nothing gives nothing. axes: 0 or none for each argument; none written are "0". */
#define weft_soft_vmap(ctx, ...) \
    WEFT_CALLC_(weft_soft_vmap_, ctx, WEFT_FIRST_(__VA_ARGS__), WEFT_BEHIND_("0", __VA_ARGS__))

/* All prefixes of an associative f in logarithmic depth: f (a, b) -> c for ONE element, over arrays or
 * structs (const T *a, const T *b, WEFT_OUT T *c); the result is of type sig: xs -> ys, with the elements
 * along .axis (0). .reverse: suffixes. */
#define weft_associative_scan(ctx, sig, ...) /* ctx, sig, f, options */ \
    ((sig *)weft_associative_scan_(WEFT_A_CONTEXT_(ctx), WEFT_FN_(WEFT_HEAD_(__VA_ARGS__, )), sig##_text, \
                                   WEFT_CONTROL_(__VA_ARGS__), WEFT_HERE))

/* Elements in the order that a function says: before (a, b) -> one bool for TWO elements (const T *a, const T
 * *b, or two arrays): does a stand before b? Those of which neither does keep their order. The result is of
 * type sig: xs -> ys, with the elements along .axis (0). before looks at numbers only: leaves whose elements
 * are arrays go along. One that is no order gives some permutation. */
#define weft_sort_with(ctx, sig, ...) /* ctx, sig, before, options */ \
    ((sig *)weft_sort_with_(WEFT_A_CONTEXT_(ctx), WEFT_FN_(WEFT_HEAD_(__VA_ARGS__, )), sig##_text, \
                            WEFT_CONTROL_(__VA_ARGS__), WEFT_HERE))

#ifdef __cplusplus
}
#endif

/* Options behind the other arguments: .length = 100, .reverse = true; in C++17
 * weft::control().length(100).reverse(). */
#ifndef __cplusplus
#define WEFT_CONTROL_(...) (WEFT_IS_NAMED_(WEFT_TAIL_(__VA_ARGS__, )), \
    (weft_control){ WEFT_TAIL_(__VA_ARGS__, .written_ = WEFT_STR_(WEFT_TAIL_(__VA_ARGS__, ))) })
/* f, of the same type as the other; a list of functions of type sig. */
#define WEFT_LIKE_(other, f)        _Generic(&*(f), WEFT_TYPE_(other): (weft_fn)(f))
#define WEFT_LIST_OF_(sig, list)    ((const weft_fn *)(sig *const *){ (list) })
#else
namespace weft {
struct control : weft_control {
    control() : weft_control()
    {
        weft_control::length = weft_control::count = weft_control::batch_ndims = WEFT_NOT_SAID;
    }
    control &length(int64_t n)      { weft_control::length = n; return *this; }
    control &reverse(bool yes = true) { weft_control::reverse = yes; return *this; }
    control &unroll(int n)          { weft_control::unroll = n; return *this; }
    control &count(int64_t n)       { weft_control::count = n; return *this; }
    control &batch(int64_t n)       { weft_control::batch = n; return *this; }
    control &chunk(int64_t n)       { weft_control::chunk = n; return *this; }
    control &batch_ndims(int n)     { weft_control::batch_ndims = n; return *this; }
    control &axis(int n)            { weft_control::axis = n; return *this; }
    control &checkpoint(int64_t k)  { weft_control::checkpoint = k; return *this; }
};
}
static inline weft_control weft_control_of_(const weft_control &c, int) { return c; }
static inline weft_control weft_control_of_(int) { return weft::control(); }
#define WEFT_CONTROL_(...) weft_control_of_(WEFT_TAIL_(__VA_ARGS__, 0))
#define WEFT_LIKE_(other, f)        WEFT_FN_(static_cast<WEFT_TYPE_(other)>(f))
#define WEFT_LIST_OF_(sig, list)    reinterpret_cast<const weft_fn *>(static_cast<sig *const *>(list))
#endif
#endif
