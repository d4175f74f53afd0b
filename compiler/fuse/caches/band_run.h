/* band_run.h: kernels that run band by band, while they are looked for (band_run.c, bands.c, turns.c) and
 * made (band_steps.c). */
#ifndef WEFT_CACHES_BAND_RUN_H
#define WEFT_CACHES_BAND_RUN_H
#include "compiler/fuse/cost.h"
#include "compiler/fuse/integers.h"
#include "compiler/program/step_list.h"
#include "rows.h"

/* An outermost loop. */
typedef struct BandPiece {
    Kernel *kernel;
    Val loop;
    int64_t step, lead, halo; /* step: lanes * tile, as they will be */
    uint32_t first, end;      /* its touches */
} BandPiece;

#define NO_PIECE UINT32_MAX /* the statements outside of loops */

/* What a piece does with a buffer. known: loaded and stored say all. */
typedef struct Touch {
    uint32_t buffer, piece;
    uint32_t before; /* 1 + the touch of the buffer before this one; 0: none */
    bool known, loads, stores;
    RowSpan loaded, stored;
} Touch;

/* A run of kernels: the steps first .. end - 1. */
typedef struct BandRun {
    Arena *arena;
    Program *program;
    const Target *target;
    uint32_t first, end;
    BandPiece *piece;
    uint32_t n_pieces, max_pieces;
    Touch *touch;
    uint32_t n_touches, max_touches;
    uint8_t *does;                   /* by buffer: scratch of row_form */
    uint32_t *touched;               /* by buffer: 1 + its last touch; 0: none */
    Kernel kernel[MAX_BAND_KERNELS]; /* as they will be */
    int64_t row; /* elements: loops over a whole array are two, one of rows of so many; 0: as they are */
    RowLayout *layout; /* by buffer, in this run */
    bool *own;         /* by buffer: is it stored by kernels that need not wait for each other? (turns.c) */
    uint32_t *users;   /* by buffer: kernels that touch it, anywhere; more than there are if a step does */
    /* by buffer: what it may be the same memory as, one number for all of these; and at one time */
    const uint32_t *memory, *apart_memory;
    Window *window;
    uint32_t n_windows;
    int64_t rows, extent; /* of a band; of the longest piece */
    bool apart;           /* no band needs another one: the pieces have halos */
} BandRun;

static inline const Stmt *loop_of(const BandPiece *p) { return &p->kernel->stmts[p->loop]; }
static inline Kernel *kernel_at(BandRun *r, uint32_t step) { return &r->kernel[step - r->first]; }

/* All touches of a buffer, the last first. */
#define FOR_TOUCHES(t, r, of) \
    for (const Touch *t = touch_numbered(r, (r)->touched[of]); t; t = touch_numbered(r, t->before))
static inline const Touch *touch_numbered(const BandRun *r, uint32_t number)
{
    return number ? &r->touch[number - 1] : NULL;
}

/* Must one of them wait for the other? */
static inline bool touches_meet(const Touch *a, const Touch *b)
{
    return a->buffer == b->buffer && a->piece != b->piece && (a->stores || b->stores);
}

static inline const Window *window_at(const BandRun *r, uint32_t buffer)
{
    for (uint32_t i = 0; i < r->n_windows; i++)
        if (r->window[i].buffer == buffer) return &r->window[i];
    return NULL;
}

/* An empty run, of a program whose kernels are complete. memory: of program_memories, or what joins more. */
BandRun *band_run_new(Program *, const Target *, const uint32_t *memory);
/* The kernels from step `first` on, as many as can run in bands, up to `end`, and their leads. row: that of
 * BandRun. */
void band_collect(BandRun *, uint32_t first, uint32_t end, int64_t row);
/* Of an array that the run stores and the kernel loads, one of them row by row, the other from its first
 * element to its last: the length of the rows. stored: the run has rows. 0: there is none. */
int64_t band_find_row(const BandRun *, const Kernel *, bool stored);
/* *most becomes by how much the piece of a must at least lead that of b, which is later, plus b's lead. */
void band_need_order(const BandRun *, const Touch *a, const Touch *b, int64_t *most);
/* Bytes of one row of all that the run touches, windows and others, each buffer once. r->extent is known. */
double band_row_bytes(const BandRun *);
/* Rows that all loops take whole steps of. */
int64_t band_rows_unit(const BandRun *);
/* How many bands of r->rows rows there are. */
int64_t band_count(const BandRun *);

/* Does the kernel of this step touch a window? */
bool band_touches_window(BandRun *r, uint32_t step);

/* Statements in front of those of the kernel. */
void kernel_prepend(Arena *, Kernel *, const Stmt *, uint32_t n);
/* The steps of the run, as a loop over bands; its kernels and buffers change. */
void band_append(BandRun *, StepList *);
#endif
