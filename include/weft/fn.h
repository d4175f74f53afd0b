/* weft/fn.h: a function in, a function out. Declare a C function's signature once; the transforms return
 * functions of the same C type.
 *
 *     static weft_array *gelu(weft_array *x) { ... }                  for ONE example
 *     weft_declare(ctx, gelu, weft_unary);
 *     weft_unary *all  = weft_vmap(ctx, gelu, "0");                   over a leading axis
 *     weft_unary *fast = weft_jit(ctx, all);                          compiled, once per shapes and types
 *
 * The returned functions are owned by the context; the same question gives the same pointer, so transforms
 * may be asked for inside loops and traced functions. Called after their context was closed they set an error
 * (weft_error(NULL)), return NULL and write nothing.
 * Functions are found by address: with a linker that folds equal functions (--icf=all) two of them are one.
 *
 * A transformed function calls yours with traced arrays to learn what it computes, as often as it likes:
 * yours must depend on its arguments only, and must not count on printf or static counters; it must not leave
 * by longjmp or a C++ exception. Concrete arrays that it meets on the way (globals) become hidden operands
 * that the code keeps alive.
 */
#ifndef WEFT_FN_H
#define WEFT_FN_H
#include "weft/tree.h"
#ifdef __cplusplus
extern "C" {
#endif
/* WEFT_SIGNATURE(norm_fn, weft_array *, (weft_array *x, int order, WEFT_OUT weft_array **scale)); is a
 * typedef AND its text, said once. Parameters:
 *   weft_array *                an argument (const or not)
 *   WEFT_OUT weft_array **      a result beside the returned one; the pointer given may be NULL if the caller
 *                               does not want it
 *   const T *                   an argument that is a struct of arrays, described by WEFT_STRUCT(T, ...) and
 *                               weft_describe(ctx, T) (weft/tree.h)
 *   T *                         one that is argument and result: the function changes its arrays, and nothing
 *                               else of its structure
 *   WEFT_OUT T *                a result that is a struct; may be NULL too
 *   bool, (unsigned) char, short, int, long, long long, int8_t ... uint64_t, size_t, ptrdiff_t, float, double
 *                               a static number: its value is part of the cache key. What changes from call
 *                               to call is better an array: weft_scalar.
 * The function returns weft_array *, or void if its results are all parameters. A failed call gives NULL
 * everywhere, empty structs, and in-out structs as they were. An in-out's new leaves are written where the
 * old ones lie, what its pointers and lists point to included: a copy by = shares that, one by weft_copy_tree
 * does not. An in-out must not be another argument too: that is an error. */
#define WEFT_OUT
#define WEFT_SIGNATURE(name, ret, params) \
    typedef ret name params; static const char name##_text[] WEFT_UNUSED_ = #ret #params
WEFT_SIGNATURE(weft_unary, weft_array *, (weft_array *x));
WEFT_SIGNATURE(weft_binary, weft_array *, (weft_array *x, weft_array *y));
WEFT_SIGNATURE(weft_ternary, weft_array *, (weft_array *x, weft_array *y, weft_array *z));

weft_status weft_declare_(weft_context *, weft_fn, const char *name, const char *text, const char *at);
weft_fn weft_jit_(weft_context *, weft_fn, const char *at);
typedef struct {                        /* of weft_vmap; zero is every field's default */
    int64_t size;                       /* of the batch; 0: what the mapped axes say */
    size_t max_bytes;                   /* memory for temporaries; 0: as much as it takes */
    int end_;
} weft_vmap_options;
weft_fn weft_vmap_(weft_context *, weft_fn, const char *axes, weft_vmap_options, const char *at);

/* Says what f's signature is. f and sig that differ in type: a compile-time error. Again with the same text:
 * fine; with another: WEFT_ARGUMENT. weft's own functions (weft_tanh, ...) are declared already. */
#define weft_declare(ctx, f, sig) \
    weft_declare_(WEFT_A_CONTEXT_(ctx), WEFT_IF_(f, sig), #f, sig##_text, WEFT_HERE)

/* f compiled to native code: traced once for each combination of the arguments' element types and shapes and
 * of the static numbers, and kept in the cache. On traced arrays (inside another transform): as if f were
 * called. If that fails (f is undeclared, no memory): an error, and f itself. */
#define weft_jit(ctx, f)            ((WEFT_TYPE_(f))weft_jit_(WEFT_A_CONTEXT_(ctx), WEFT_FN_(f), WEFT_HERE))

/* f for a batch: axes says for each array and struct argument which axis the batch is, or none if it is the
 * same for the whole batch: "0, none, -1"; one entry stands for all, and weft_vmap(ctx, f) is "0". An axis
 * given for a struct holds for all its leaves; leaves may have their own: "{w: 0, b: none}, 1", nested
 * "{l: {w: 0}}" (in a list: of each), "{l: [0, none]}" (one each). Fields that are not named are not mapped,
 * nor are arguments that "..." stands for: "..., 0" maps the last one. After "->" the same for the results,
 * the returned one first, then the WEFT_OUTs (default 0): "0, none -> 1"; in-out structs keep the axes of
 * their arguments, unless there is an entry for every result, them included in the order of the parameters.
 * Sizes of the batch must agree; at least one leaf is mapped, or .size is given: weft_vmap(ctx, f, "none",
 * .size = 4).
 * An array of structs is not a batch of them: weft_stack makes a struct with leading axes of it.
 * Called on concrete arrays: run op by op, the debugging mode; inside jit: compiled. If that fails: an error,
 * and a function that always fails; never NULL. Where f is undeclared, or there is no memory, that function
 * only returns NULL: it sets no error again, and no WEFT_OUT. */
#define weft_vmap(ctx, ...) \
    WEFT_VMAP2_(ctx, WEFT_FIRST_(__VA_ARGS__), WEFT_BEHIND_("0", __VA_ARGS__))
#define WEFT_VMAP2_(ctx, f, ...) \
    ((WEFT_TYPE_(f))weft_vmap_(WEFT_A_CONTEXT_(ctx), WEFT_FN_(f), WEFT_TEXT_(__VA_ARGS__), \
                               WEFT_VMAP_OPTIONS_(__VA_ARGS__), WEFT_HERE))
#ifndef __cplusplus
#define WEFT_VMAP_OPTIONS_(...)     WEFT_OPTIONS_(weft_vmap_options, __VA_ARGS__)
#else     /* C++17 has no designators: weft_vmap(ctx, f, "0", weft_vmap_options{ 4, 0, 0 }) */
#define WEFT_VMAP_OPTIONS_(...)     weft_vmap_options_of_(WEFT_TAIL_(__VA_ARGS__, 0))
#endif

/* Before the code of f is unloaded (dlclose): forgets f and all that was made of it. A call of what was made
 * is an error then. */
void weft_forget_(weft_context *, weft_fn);
#define weft_forget(ctx, f)         weft_forget_(WEFT_A_CONTEXT_(ctx), WEFT_FN_(f))

/* From now on a call that would have to compile is an error (WEFT_COMPILER), or may compile again: warm up,
 * then forbid. */
void weft_forbid_compiling(weft_context *, bool yes);

/* Why things were compiled, the last 200 of them, a line each:
 *     predict: compiled for image f32[784] (1.9 ms: trace 0.1, simplify 0.0, ...)
 *     predict: compiled again: argument image f32[784] -> f32[785]
 *     predict: keeps f32[784,10], a concrete array it met
 * Borrowed until the next weft_explain on this thread. */
const char *weft_explain(weft_context *);

#ifdef __cplusplus
}
static inline weft_vmap_options weft_vmap_options_of_(int) { return weft_vmap_options(); }
static inline weft_vmap_options weft_vmap_options_of_(weft_vmap_options o, int = 0) { return o; }
#endif
#endif
