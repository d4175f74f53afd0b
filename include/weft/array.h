/* weft/array.h: contexts, errors, scopes, and arrays: making them, reading them back, printing, .npy files.
 *
 * Words used in all of weft's headers: X "owns" = X frees it in the end; "borrows" = uses it during the call
 * only; "takes" = becomes its owner.
 *
 *   1. Every array belongs to exactly one scope, the innermost one open on your thread when it was made; the
 *     context is the outermost.
 *   2. Closing a scope frees its arrays, and closing the context frees everything, so nothing ever has to be
 *     freed by hand.
 *   3. Calling a function that weft gave you is a scope of its own: arguments are borrowed, temporaries die,
 *     results belong to your scope.
 *   4. What must outlive its scope you weft_keep; of a struct's arrays weft_assign(&net_tree, &m, &next)
 *     keeps the new and frees the old (weft/tree.h).
 *   5. Functions belong to the context, plans to you, and a pointer into an array is borrowed from that
 *     array.
 *
 * ctx may be NULL everywhere but in weft_close: the running call's, else the innermost open scope's, else the
 * last one opened by this thread.
 *
 * Nothing aborts. What fails returns NULL (or a status, or NaN), and the thread's first error stays until
 * weft_clear. A NULL array is "the failed value": ops take it in silence while an error is pending, so code
 * goes through to its end and asks once.
 *
 * What is closed or freed is known for it: using such a context, scope, plan, array or function, or closing
 * one again, is an error ("was freed", "is closed") of the context that it was of. If that is closed, it is
 * one of the running call, or else of no context: weft_error(NULL) alone tells it. Their places in memory
 * serve others later, in the order in which they came free: contexts, scopes and plans after 32 more of the
 * kind, functions after some dozens, arrays perhaps at once.
 *
 * Threads: a context is shared by any number of threads; errors and scopes are each thread's own. An array
 * may be read by all of them, but it is freed, kept or lifted by the thread whose scope owns it (the
 * context's own arrays: by any). A thread that is cancelled (pthread_cancel) ends after what weft traces,
 * compiles, waits for, reads or writes, not in it; its scopes are closed. Code is compiled on a stack of
 * weft's own where the thread's is small (docs/robustness.md).
 *
 * Environment: WEFT_DUMP and WEFT_TARGET are for options that are not given (weft_options), WEFT_BACKEND is
 * the absolute path of a compiler back end to take instead of the installed one. Where WEFT_PERF is set to
 * anything but 0 as a context is opened, code that it compiles is shown to Linux's perf: names in
 * /tmp/perf-PID.map, code, too, in /tmp/jit-PID.dump (perf inject --jit); of mode 0600, no link is followed.
 * None of them counts in a process that may do more than the user who started it: one that is set-uid or
 * set-gid, or has capabilities without being root's.
 */
#ifndef WEFT_ARRAY_H
#define WEFT_ARRAY_H
#include "weft/types.h"
#ifdef __cplusplus
#include <complex>
#include <initializer_list>
#include <type_traits>
extern "C" {
#endif

typedef struct weft_context weft_context;   /* cache, memory, limits: shared by threads */
/* an immutable value, concrete or traced; NULL = the failed value */
typedef struct weft_array   weft_array;
typedef struct weft_scope   weft_scope;     /* owns arrays; scopes nest, per thread */
/* elements of complex arrays */
#ifdef __cplusplus
extern "C++" {
typedef std::complex<float>  weft_complex64;
typedef std::complex<double> weft_complex128;
}
#elif !defined __STDC_NO_COMPLEX__
typedef float _Complex       weft_complex64;
typedef double _Complex      weft_complex128;
#else
typedef struct { float re, im; }  weft_complex64;
typedef struct { double re, im; } weft_complex128;
#endif
typedef void (*weft_fn)(void);              /* any C function's address; never called as such */

/* How much freedom compiled code has with floating-point numbers. In each mode, as in eager mode, results do
 * not depend on the thread's floating-point environment: weft computes to nearest, with subnormals and
 * without traps, and puts the caller's environment back. */
typedef enum {
    /* IEEE; a product rounds once with the sum that alone takes it, where the machine does so; sums in a
     * fixed order that repeats bit for bit */
    WEFT_MODE_DEFAULT,
    WEFT_MODE_STRICT,       /* equal to eager mode bit for bit, but for a NaN's sign and payload */
    WEFT_MODE_FAST          /* sums of products of matrices may be reassociated as well */
} weft_mode;

typedef struct {                            /* zero is every field's default */
    void (*on_error)(void *user, weft_status code, const char *text);
                                            /* called with each first error, like a function that runs in the
                                             *   context: what it opens or makes ends with it, and it closes
                                             *   nothing around it. NULL: what nobody read is printed at
                                             *   weft_close */
    void *user;
    size_t memory_limit;                    /* bytes held by this context at most; 0: none */
    bool forbid_compiling;                  /* a cache miss is an error, until
                                             * weft_forbid_compiling(ctx, false) */
    weft_mode mode;
    /* compiled programs kept, least recently used out first; 0: 1024 programs, 256 MiB of code and graphs */
    size_t cache_entries, cache_bytes;
    /* freed memory kept for the next arrays, at most. 0: so much that no more is held than was in use at once
     * of late (while the last 16 to 32 times as much was freed), or 256 MiB */
    size_t recycle_bytes;
    /* as realloc, 16-aligned; new_bytes 0 frees. NULL: the C library's. Any thread that uses the context
     * calls it, several at once; NULL from it means refused. Machine code is mapped, and what handles point
     * to (this context too) comes from the C library */
    void *(*resize)(void *user, void *p, size_t old_bytes, size_t new_bytes);
    void *resize_user;
    const char *dump_dir;                   /* folder where each stage of each compile is written: new
                                               files of mode 0600, in place of what has their name; no
                                               link is followed, and nothing is written where the folder
                                               itself is one, or is missing. NULL: environment variable
                                               WEFT_DUMP, if set. Copied */
    /* keys are read in JAX's layout before 0.5 unless the call says otherwise (weft/random.h) */
    bool legacy_random;
    /* WEFT_F32 (or 0) or WEFT_F64: the element type of floats that nobody names. It is what weft_linspace,
     * weft_arange of floats, weft_one_hot and weft_scalar make, what ints and bools become where a float is
     * needed (i32 array * 0.5, weft_sqrt of ints, weft_mean), and what an op of C numbers alone gives. An
     * element type that is written, as in weft_zeros(ctx, WEFT_F32, 3), stays what it is, and so do arrays:
     * f32 with a C number is f32. docs/science.md */
    weft_dtype real;
    const char *target;                     /* "host", "avx512", "avx2", "sse2", "aarch64"; NULL: environment
                                             * variable WEFT_TARGET, else the host. Copied. One that this
                                             * machine does not run is refused */
    /* How many threads a call may run on, the caller's included, at most 256: pieces of what takes longer
     * than some 20 us run side by side. Results have the same bits whatever it is. 0: environment variable
     * WEFT_THREADS, or else the cores that this process may use (affinity, cgroup); 1: never more than the
     * caller. The threads start at the first call that pays for them, sleep when there is nothing to do,
     * and end with the context; a forked child has new ones */
    int threads;
    /* The host's own pool instead: runs task(arg, i) for each i of 0 .. n - 1, in any order, on any
     * threads, and returns when all have returned. Called from threads that call weft; task must not call
     * weft. NULL: threads of weft's own */
    void (*parallel_for)(void *user, int64_t n, void (*task)(void *arg, int64_t i), void *arg);
    void *parallel_user;

    /* LLVM ends the process that it runs in when memory runs out. With compile_apart it runs in another one,
     * weft-compile, which is installed beside the back end, starts at the first compile and ends with the
     * context; this one never maps LLVM. If that process dies, hangs, gives nonsense or cannot compile within
     * its limits, the first time too, the function whose compile it was runs op by op for these shapes from
     * then on: in strict mode with the same bits, else the same within rounding. weft_explain says so and
     * weft_stats counts it; weft_compile, which needs code, is an error. The next compile starts another
     * process. Only where none could be started yet (its program is missing, or of another build) the call is
     * an error, and the next tries again. The three behind it need it. */
    bool compile_apart;
    bool compile_or_fail;                   /* the call is an error instead (WEFT_COMPILER); the next tries
                                             * again */
    size_t compile_memory;                  /* bytes that the process may take beyond LLVM's own; 0: 2 GiB */
    double compile_seconds;                 /* for one compile; 0: 60 */
} weft_options;

/* ---- contexts ---- */
/* borrows; NULL: defaults; you own the context. NULL on failure: weft_error(NULL) says why */
weft_context *weft_open(const weft_options *);
/* Frees all it owns: arrays, scopes, functions, code, and plans that are left. No call on any thread uses it
 * at that time; for a thread that is ending it waits. A function that runs in it cannot close it, nor can
 * on_error or an array's release. NULL: nothing */
void          weft_close(weft_context *);
/* this thread's first error since weft_clear, or NULL; borrowed until weft_clear */
const char   *weft_error(weft_context *);
/* forgets it and says which it was; WEFT_OK: there was none */
weft_status   weft_clear(weft_context *);
/* An error inside a function that weft made says where that was called, as well as C can know it: "called at
 * or after train.c:40", the last line on which this thread used one of weft's macros, but for lines in
 * functions that weft called and that have returned. weft_here(); in front of the call is such a line. */
void          weft_here_(const char *at);
#define weft_here() weft_here_(WEFT_HERE)

/* What a context has done so far, and what it holds. */
typedef struct {
    uint64_t traces;            /* user functions traced */
    uint64_t compiles;          /* programs compiled */
    uint64_t uncompiled;        /* programs that run op by op: they could not be compiled (compile_apart) */
    uint64_t hits;              /* calls that found their code at once */
    uint64_t shared;            /* traces whose graph had code already */
    uint64_t evictions;         /* programs dropped for the cache's limits */
    uint64_t eager_ops;         /* ops run one at a time */
    uint64_t kernels;           /* in the programs compiled */
    /* of the functions under weft_map, weft_soft_vmap and weft_vmap in chunks: a chunk is one run */
    uint64_t body_runs;
    int64_t  fused_bytes;       /* intermediate arrays per run that the programs compiled never write */
    size_t   bytes_in_use;      /* memory in use: arrays, graphs, code, tables */
    size_t   bytes_recycled;    /* freed arrays' memory kept for new ones */
    size_t   peak_bytes;        /* greatest sum of the two so far */
    size_t   code_bytes;        /* machine code and its constants */
    size_t   programs;          /* in the cache now */
    size_t   arrays;            /* concrete arrays alive */
    /* time spent, in all */
    double   trace_us, simplify_us, fuse_us, emit_us, codegen_us, load_us;
} weft_counters;
weft_counters weft_stats(weft_context *);

/* ---- scopes ---- */
/* ctx owns; this thread's new arrays now belong to it. NULL: out of memory (close takes NULL) */
weft_scope *weft_scope_open(weft_context *);
/* frees its arrays and any scope left open inside it. NULL: nothing; one that is closed: an error */
void        weft_scope_close(weft_scope *);
/* the context takes it: lives until weft_free or weft_close. Returns its argument */
weft_array *weft_keep(weft_array *);
/* the next scope out takes it (a helper's result); a traced value: nothing to do. Returns its argument */
weft_array *weft_lift(weft_array *);
/* an early end; never needed; NULL or a traced value: does nothing */
void        weft_free(weft_array *);
/* The next call of a transformed function that takes it ends it. Its memory becomes a result's where code
 * made by weft_jit reads each element before it writes the same place (elementwise: x = step(weft_donate(x))
 * works in one block), else it serves the next results. A call that fails leaves it alone; ops do so always.
 * Returns its argument. */
weft_array *weft_donate(weft_array *);

/* ---- making arrays. Data is row-major. at: "file:line" of the call, filled in by the macros ---- */
weft_array *weft_from_(weft_context *, weft_dtype, const void *data, int rank, const int64_t *shape,
                       const char *at);
weft_array *weft_borrow_(weft_context *, weft_dtype, void *data, int rank, const int64_t *shape,
                         void (*release)(void *user, void *data), void *user, const char *at);
weft_array *weft_scalar_(weft_context *, double, const char *at);
weft_array *weft_scalar_as_(weft_context *, weft_dtype, double, const char *at);
weft_array *weft_scalar_complex_(weft_context *, double re, double im, const char *at);
weft_array *weft_scalar_parts_(weft_context *, weft_dtype, double re, double im, const char *at);
weft_array *weft_load_(weft_context *, const char *path, const char *at);
weft_array *weft_load_npz_(weft_context *, const char *path, const char *name, const char *at);

/* Copies: float data[6]; weft_from(ctx, data, 2, 3). The element type is the pointer's; bool is one byte. */
#define weft_from(ctx, data, ...) \
    weft_from_(WEFT_A_CONTEXT_(ctx), WEFT_DTYPE_OF_(data), (data), WEFT_SHAPE_(__VA_ARGS__), WEFT_HERE)
/* The same with everything known only at run time (and for f16, bf16, which C has no type for). rank 0 to 32;
 * shape may be NULL if rank is 0. */
#define weft_from_shape(ctx, dtype, data, rank, shape) \
    weft_from_(WEFT_A_CONTEXT_(ctx), WEFT_A_DTYPE_(dtype), (data), WEFT_AN_INT_(rank), (shape), WEFT_HERE)
/* Does not copy: the memory stays yours, unchanged, until release(user, data) is called (release NULL: until
 * the array is freed; compiled code that met it as a value from outside then keeps a copy). Elements must be
 * aligned. release is called like a function that runs in the context: what it opens or makes ends with it,
 * and it closes nothing around it. */
#define weft_borrow(ctx, dtype, data, rank, shape, release, user) \
    weft_borrow_(WEFT_A_CONTEXT_(ctx), WEFT_A_DTYPE_(dtype), (data), WEFT_AN_INT_(rank), (shape), (release), \
                 (user), WEFT_HERE)
/* Rank 0, f32 or what weft_options.real says, and of a C complex number c64 or c128: a number that may
 * change without a new compile. A complex number as another type is an error where that is not complex. No
 * digits are lost in silence: where an f32 cannot hold v, or a part of it, an op with f64 or c128 arrays
 * takes v itself, in doubles; and such a scalar beside such arrays in one call of a transformed function is
 * an error, for compiled code would see the f32. weft_scalar_as(ctx, WEFT_F64, v) says what is meant, and so
 * does weft_scalar_as(ctx, WEFT_F32, v). */
#define weft_scalar(ctx, v)             WEFT_SCALAR_(v)(WEFT_A_CONTEXT_(ctx), (v), WEFT_HERE)
#define weft_scalar_as(ctx, dtype, v) \
    WEFT_SCALAR_AS_(v)(WEFT_A_CONTEXT_(ctx), WEFT_A_DTYPE_(dtype), (v), WEFT_HERE)
/* NumPy's .npy, versions 1 to 3, either byte order, C or Fortran order (made row-major); element types that
 * weft lacks are refused by name. Those of ml_dtypes with 8 bits and less (float8_e4m3fn, int4), of which
 * NumPy writes the size only ("<V1", "<f1"), are read as WEFT_U8: their bytes. */
#define weft_load(ctx, path)            weft_load_(WEFT_A_CONTEXT_(ctx), WEFT_A_TEXT_(path), WEFT_HERE)
/* One array of NumPy's .npz, as np.savez writes it: weft_load_npz(ctx, "weights.npz", "w1"). What is
 * compressed (np.savez_compressed) or lies beyond 4 GiB is refused. */
#define weft_load_npz(ctx, path, name) \
    weft_load_npz_(WEFT_A_CONTEXT_(ctx), WEFT_A_TEXT_(path), WEFT_A_TEXT_(name), WEFT_HERE)
/* The file is whole or as it was: on an error nothing is left of the new one. Links are followed, to a file
 * that is not there yet too, but not a stranger's in a folder that all share (/tmp). Owner, group and mode
 * stay, without set-uid and set-gid; where the system does not let a new file have them (another's that you
 * may write), the old one is written in place, and an error leaves a part. A file that you may not write is
 * an error. The umask decides who may read a new file. Written: version 1, little-endian; bf16 as raw
 * "<V2". */
#define weft_save(a, path)              weft_save_(WEFT_AN_ARRAY_(a), WEFT_A_TEXT_(path), WEFT_HERE)
weft_status weft_save_(const weft_array *, const char *path, const char *at);
/* NumPy's .npz, not compressed, of arrays by name: weft_save_npz("weights.npz", "w1, b1", w1, b1). Names are
 * separated by commas, each once, up to 200 bytes; all arrays together are less than 4 GiB. The file is whole
 * or as it was, as weft_save's is. */
#define weft_save_npz(path, names, ...) \
    weft_save_npz_(WEFT_A_TEXT_(path), WEFT_A_TEXT_(names), WEFT_LIST_(__VA_ARGS__), WEFT_HERE)
weft_status weft_save_npz_(const char *path, const char *names, int n, const weft_array *const *list,
                           const char *at);

/* ---- reading. NULL, as the failed value: rank 0, count 0, dtype f32 ---- */
int         weft_rank(const weft_array *);
/* a negative axis counts from the end; 0 if there is no such axis */
int64_t     weft_dim(const weft_array *, int axis);
int64_t     weft_count(const weft_array *);             /* number of elements */
weft_dtype  weft_dtype_of(const weft_array *);
bool        weft_is_traced(const weft_array *);

/* The elements, row-major, borrowed while the array lives. Another element type, a traced value: an error,
 * and readable zeros. */
const bool     *weft_bool_(const weft_array *, const char *at);
const int8_t   *weft_i8_ (const weft_array *, const char *at);
const int16_t  *weft_i16_(const weft_array *, const char *at);
const int32_t  *weft_i32_(const weft_array *, const char *at);
const int64_t  *weft_i64_(const weft_array *, const char *at);
const uint8_t  *weft_u8_ (const weft_array *, const char *at);
const uint16_t *weft_u16_(const weft_array *, const char *at);
const uint32_t *weft_u32_(const weft_array *, const char *at);
const uint64_t *weft_u64_(const weft_array *, const char *at);
const float    *weft_f32_(const weft_array *, const char *at);
const double   *weft_f64_(const weft_array *, const char *at);
const weft_complex64  *weft_c64_ (const weft_array *, const char *at);
const weft_complex128 *weft_c128_(const weft_array *, const char *at);
const void     *weft_data_(const weft_array *, const char *at);     /* any element type */
/* the one element, which is not complex; error: NaN */
double          weft_item_(const weft_array *, const char *at);
#define weft_bool(a)    weft_bool_(WEFT_AN_ARRAY_(a), WEFT_HERE)
#define weft_i8(a)      weft_i8_(WEFT_AN_ARRAY_(a), WEFT_HERE)
#define weft_i16(a)     weft_i16_(WEFT_AN_ARRAY_(a), WEFT_HERE)
#define weft_i32(a)     weft_i32_(WEFT_AN_ARRAY_(a), WEFT_HERE)
#define weft_i64(a)     weft_i64_(WEFT_AN_ARRAY_(a), WEFT_HERE)
#define weft_u8(a)      weft_u8_(WEFT_AN_ARRAY_(a), WEFT_HERE)
#define weft_u16(a)     weft_u16_(WEFT_AN_ARRAY_(a), WEFT_HERE)
#define weft_u32(a)     weft_u32_(WEFT_AN_ARRAY_(a), WEFT_HERE)
#define weft_u64(a)     weft_u64_(WEFT_AN_ARRAY_(a), WEFT_HERE)
#define weft_f32(a)     weft_f32_(WEFT_AN_ARRAY_(a), WEFT_HERE)
#define weft_f64(a)     weft_f64_(WEFT_AN_ARRAY_(a), WEFT_HERE)
#define weft_c64(a)     weft_c64_(WEFT_AN_ARRAY_(a), WEFT_HERE)
#define weft_c128(a)    weft_c128_(WEFT_AN_ARRAY_(a), WEFT_HERE)
#define weft_data(a)    weft_data_(WEFT_AN_ARRAY_(a), WEFT_HERE)
#define weft_item(a)    weft_item_(WEFT_AN_ARRAY_(a), WEFT_HERE)

/* As NumPy's print: 8 digits, lines of 75, more than 1000 elements summarized. */
/* to stdout, with a newline; NULL prints the error; a traced value its type */
void   weft_print(const weft_array *);
/* as snprintf: writes at most size bytes with the NUL, returns the length of the whole */
size_t weft_format(const weft_array *, char *text, size_t size);

#ifdef __cplusplus
}
#endif
#include "weft/dispatch.h"
#endif
