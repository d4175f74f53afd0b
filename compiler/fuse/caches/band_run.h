/* band_run.h: kernels that run band by band, while they are looked for (bands.c) and made (band_steps.c). */
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
    uint32_t *users;   /* by buffer: kernels that touch it, anywhere; more than there are if a step does */
    const uint32_t *memory; /* by buffer: the output whose memory an input is, or itself */
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

static inline const Window *window_at(const BandRun *r, uint32_t buffer)
{
    for (uint32_t i = 0; i < r->n_windows; i++)
        if (r->window[i].buffer == buffer) return &r->window[i];
    return NULL;
}

/* Does the kernel of this step touch a window? */
bool band_touches_window(BandRun *r, uint32_t step);

/* The steps of the run, as a loop over bands; its kernels and buffers change. */
void band_append(BandRun *, StepList *);
#endif
