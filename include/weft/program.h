/* weft/program.h: programs that others wrote: StableHLO text or MLIR bytecode, as JAX prints and exports it,
 * compiled for the types it names and run on raw memory.
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
#include "weft/array.h"
#ifdef __cplusplus
extern "C" {
#endif

typedef struct weft_program weft_program;

/* Of an input or a result: row-major, shape has rank sizes and lives as long as the program. */
typedef struct {
    weft_dtype     dtype;
    int            rank;
    const int64_t *shape;
} weft_type;

/* What a program takes, in bytes; weft_program_cost. */
typedef struct {
    size_t   code, inputs, outputs, scratch;
    unsigned kernels;           /* 0: it runs op by op */
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

/* Memory for inputs, results and scratch: 64-aligned, its contents undefined; recycled, so that large results
 * that come and go cost no page faults. Given back with the same number of bytes. NULL: out of memory, and an
 * error; weft_block(ctx, 0) is memory, too. From any thread. */
void         *weft_block(weft_context *, size_t bytes);
void          weft_block_free(weft_context *, void *block, size_t bytes); /* NULL: nothing */

#ifdef __cplusplus
}
#endif
#endif
