/* weft/program.h: programs that others wrote, as JAX prints and exports them: StableHLO text, MLIR
 * bytecode, or what jax.export's serialize() gives. As functions of arrays, which transforms take like any
 * other:
 *
 *     weft_binary *model = weft_load_stablehlo(ctx, weft_binary, "model.jax");
 *     weft_array *y = weft_jit(ctx, weft_vmap(ctx, model, "none, 0"))(weights, images);
 *
 * and compiled at once for the types that they name, run on raw memory:
 *
 *     weft_program *p = weft_program_load(ctx, "model.mlir");              its func main, or its only one
 *     for (int i = 0; i < weft_program_count(p, false); i++) in[i] = ...   of weft_program_type(p, false, i)
 *     void *scratch = weft_block(ctx, weft_program_scratch(p));
 *     weft_program_run(p, in, out, scratch);                               again and again
 *
 * A program is compiled when it is made. What the back end has no code for, weft_program_run does op by op,
 * as eager mode.
 */
#ifndef WEFT_PROGRAM_H
#define WEFT_PROGRAM_H
#include "weft/fn.h"
#ifdef __cplusplus
extern "C" {
#endif

/* ---- as functions ---- */

/* Arrays in a list: as many as a program takes or gives. Known in every context. */
typedef struct { weft_array **array; int n; } weft_arrays;
WEFT_STRUCT(weft_arrays, WEFT_ARRAYS(weft_arrays, array, n));
WEFT_SIGNATURE(weft_nary, void, (const weft_arrays *x, WEFT_OUT weft_arrays *y));

weft_fn weft_load_stablehlo_(weft_context *, const char *signature, const char *path, const char *at);
weft_fn weft_parse_stablehlo_(weft_context *, const char *signature, const void *text, size_t n,
                              const char *name, const char *at);
int     weft_call_(weft_context *, weft_fn f, weft_array *const *list, int n, weft_array **results, int room,
                   const char *at);

/* The file's func main, or its only one, as a function of type sig. The arrays in sig's arguments, structs
 * flattened in the order of their descriptions, are main's inputs; the results (the returned array,
 * WEFT_OUTs, in-outs in the order of the parameters) are what it gives. jax.export flattens dictionaries by
 * sorted keys, so a struct whose fields are sorted by name is one of these. Numbers of C inside structs are
 * not looked at.
 *
 *     weft_load_stablehlo(ctx, weft_unary, path)          one array in, one out
 *     weft_load_stablehlo(ctx, apply_fn, path)            WEFT_SIGNATURE(apply_fn, weft_array *,
 *                                                             (const net *params, weft_array *images));
 *     weft_load_stablehlo(ctx, weft_nary, path)           whatever it takes and gives
 *
 * The function belongs to the context; the same contents and sig give the same pointer. Eager it runs op by
 * op; weft_jit compiles it, alone or inside your own functions; weft_vmap, weft_grad and all other transforms
 * take it, for it is put op by op into what is traced. What is read from serialize() takes all inputs of the
 * Python function, also those that it does not use, which may be arrays of any type; of several platforms it
 * is the CPU's program.
 *
 * A wrong file is an error that names it, line and column (or op); a wrong number of arrays one that says
 * both numbers, here if sig alone says it, else at the call; an array of another element type or shape than
 * the program was written for is one at the call (WEFT_DTYPE, WEFT_SHAPE), which names the argument. No
 * call converts or broadcasts. Refused: what weft_program_load refuses, symbolic shapes, more than one
 * device. On an error: a function that always fails; never NULL. */
#define weft_load_stablehlo(ctx, sig, path) \
    ((sig *)weft_load_stablehlo_(WEFT_A_CONTEXT_(ctx), sig##_text, WEFT_A_TEXT_(path), WEFT_HERE))
/* The same from memory, which is copied. name stands for the file in messages, and may be NULL. */
#define weft_parse_stablehlo(ctx, sig, text, n, name) \
    ((sig *)weft_parse_stablehlo_(WEFT_A_CONTEXT_(ctx), sig##_text, (text), (n), (name), WEFT_HERE))
/* Calls a weft_nary: n arrays in, as many results as there is room for out; how many it gave, or -1: an
 * error. Results that there is no room for live as long as the others. */
#define weft_call(ctx, f, in, n, out, room) \
    weft_call_(WEFT_A_CONTEXT_(ctx), WEFT_IF_(f, weft_nary), (in), WEFT_AN_INT_(n), (out), \
               WEFT_AN_INT_(room), WEFT_HERE)

/* ---- on raw memory ---- */

typedef struct weft_program weft_program;

/* Of an input or a result: row-major, but where weft_program_layout says another order; shape has rank sizes
 * and lives as long as the program. A program may
 * have element types of 2 to 8 bits that weft has no arrays of: element then is their name in StableHLO,
 * "i4", "ui2", "f8E4M3FN", else NULL. dtype is WEFT_I8 or WEFT_U8: each element is a byte, an integer's
 * number or a float's bits. They are computed with in f32, or wrap. A token that the program takes or gives
 * (!stablehlo.token) is an array of WEFT_BOOL of no elements, whose element is "token". */
typedef struct {
    weft_dtype     dtype;
    int            rank;
    const int64_t *shape;
    const char    *element;
} weft_type;

/* What a program takes; weft_program_cost. */
typedef struct {
    size_t   code, inputs, outputs, scratch; /* bytes */
    unsigned kernels;           /* 0: it runs op by op */
    /* what it computes as it is written: one for each element of an elementwise op, two for each product of a
     * contraction; apart from these, the elements of exp, sin, pow and their like */
    double   flops, transcendentals;
    bool     open_ended;        /* there is a loop whose steps are not known, which counts as one */
    bool     calls_host;        /* it calls functions of weft_custom_call_on */
} weft_program_figures;

/* You own the program, which ends with its context at the latest. NULL: an error, which names the line and
 * column of what is wrong: WEFT_IO for what is not StableHLO, WEFT_ARGUMENT for what weft has no words for
 * ("not supported: ..."), WEFT_COMPILER, WEFT_MEMORY. name stands for the file in messages, and may be NULL;
 * text need not end with a NUL, and are not used afterwards. */
weft_program *weft_program_load_(weft_context *, const char *path, const char *at);
#define weft_program_load(ctx, path) \
    weft_program_load_(WEFT_A_CONTEXT_(ctx), WEFT_A_TEXT_(path), WEFT_HERE)
weft_program *weft_program_parse_(weft_context *, const void *text, size_t n, const char *name,
                                  const char *at);
#define weft_program_parse(ctx, text, n, name) \
    weft_program_parse_(WEFT_A_CONTEXT_(ctx), (text), (n), (name), WEFT_HERE)
void          weft_program_free(weft_program *);         /* NULL: nothing */

const char   *weft_program_name(const weft_program *);   /* the module's, or "main" */
int           weft_program_count(const weft_program *, bool outputs);
weft_type     weft_program_type(const weft_program *, bool output, int i);
/* The kind of memory that the program wants for it (mhlo.memory_kind), "pinned_host", say; "": any. For who
 * has several kinds: weft runs on all memory alike. */
const char   *weft_program_memory(const weft_program *, bool output, int i);
/* The order of its axes in memory, if the program asks for another than row-major (mhlo.layout_mode), from
 * the axis that varies fastest on; NULL: row-major. As long as the program. Functions of arrays
 * (weft_load_stablehlo) take and give arrays, whatever the program asks for. */
const int64_t *weft_program_layout(const weft_program *, bool output, int i);
weft_program_figures weft_program_cost(const weft_program *);
/* bytes for each concurrent run, a multiple of 64, to be 64-aligned; 0: none */
size_t        weft_program_scratch(const weft_program *);
/* Does the program say of the input that its memory may become a result's (tf.aliasing_output,
 * jax.buffer_donor)? Who gives it does not use it afterwards. */
bool          weft_program_donated(const weft_program *, int input);
/* Of those, the input whose memory result i may be computed into; -1: none. */
int           weft_program_donor(const weft_program *, int output);
/* As weft_run: borrows all; results must not overlap inputs or each other, but for an input and the result
 * that it is the donor of, which may be the same. Re-entrant, each run with a scratch of its own. */
weft_status   weft_program_run(const weft_program *, const void *const in[], void *const out[],
                               void *scratch);

/* ---- functions of yours that programs call ---- */

/* A call that a program says, stablehlo.custom_call @name(operands) {backend_config = "config"}. */
typedef struct {
    const char        *name, *config;      /* "": the program gives no config. As long as the program lives */
    int                n_in, n_out;
    const weft_type   *in_type, *out_type; /* row-major; as long */
    const void *const *in;                 /* while it is called */
    void *const       *out;                /* to be written, all of it */
    void              *user;               /* weft_custom_fn's */
    void              *state;              /* of this call in the program: begin's to set */
} weft_custom_call;

/* NULL is allowed for all but call. Those that return a bool: false: it failed; why, cut to room bytes with
 * the NUL, is in error. */
typedef struct {
    bool (*call)(const weft_custom_call *, char *error, size_t room);
    bool (*begin)(weft_custom_call *, char *error, size_t room); /* a program with it is read; false: not */
    void (*end)(weft_custom_call *);                             /* that program is freed */
    void  *user;
} weft_custom_fn;

/* From now on, programs that are read in this context call f by that name, also if weft itself has something
 * under it; the last f that was given for a name holds. For what StableHLO has no words for: a library's
 * function, a print, a look at a loop while it runs. f is copied.
 *
 * The calls of a run are made one after the other, in the order in which the program says them, each once, in
 * loops as often as the loop turns, in branches if they are taken, on the thread that runs the program. When
 * one fails, no other is made, the loops around it end, the results hold anything, and weft_program_run
 * returns WEFT_ARGUMENT with f's words in the error. In a program that is a function (weft_load_stablehlo),
 * which lasts as long as its context, they are made when one of its results is computed; they have no
 * derivative, and no batches (weft_vmap). Refused, with the name: a backend_config that is no string, calls
 * in regions that are no loop or branch. f must not use this context, throw or
 * longjmp; several threads that run programs call it at once; what user points to must outlive the context.
 * WEFT_ARGUMENT: name, f or f->call is NULL. */
weft_status   weft_custom_call_on_(weft_context *, const char *name, const weft_custom_fn *f, const char *at);
#define weft_custom_call_on(ctx, name, ...) /* ctx, name, f: &(weft_custom_fn){ .call = ..., ... } */ \
    weft_custom_call_on_(WEFT_A_CONTEXT_(ctx), WEFT_A_TEXT_(name), (__VA_ARGS__), WEFT_HERE)

/* Memory for inputs, results and scratch: 64-aligned, its contents undefined; recycled, so that large results
 * that come and go cost no page faults. Given back with the same number of bytes. NULL: out of memory, and an
 * error; weft_block(ctx, 0) is memory, too. From any thread. */
void         *weft_block(weft_context *, size_t bytes);
void          weft_block_free(weft_context *, void *block, size_t bytes); /* NULL: nothing */

#ifdef __cplusplus
}
#endif
#endif
